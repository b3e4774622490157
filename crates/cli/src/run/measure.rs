//! Measures of a simulation: takes from it the plain data that `granule-measure` works on.

use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_measure::CoreRegion;
use granule_model::{BodyKind, DVec3};
use granule_scene::PackingPlan;

/// The particles: dynamic bodies that are present.
pub(super) fn particles(snapshot: &Snapshot) -> impl Iterator<Item = &BodySnapshot> {
    snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic)
}

/// Edges that the core of a packing fraction must have at least, in diameters of grains: below it a fraction is that of
/// single grains.
const CORE_DIAMETERS: f64 = 2.0;

/// The packing fraction in the core that the plan describes.
///
/// # Errors
/// Why there is none, as a sentence: nothing of the pile lies in the core, or it is too small.
pub fn packing_fraction(simulation: &Simulation, plan: &PackingPlan) -> Result<f64, String> {
    let snapshot = simulation.snapshot();
    let none =
        || "there is no packing fraction: nothing of the pile lies within `inset` of `[measure.packing]`".to_owned();
    let centers: Vec<DVec3> = particles(&snapshot).map(|b| b.pose.position).collect();
    let volume = |b: &BodySnapshot| b.shape.mass_properties(1.0).map_or(0.0, |p| p.mass);
    let volumes: Vec<f64> = particles(&snapshot).map(volume).collect();
    let (min, max) = (plan.floor.min.into(), plan.floor.max.into());
    let core = CoreRegion::new(&centers, min, max, plan.height, plan.inset, plan.quantile).ok_or_else(none)?;
    let (edges, diameter) = (core.bounds.size(), median_diameter(&snapshot).unwrap_or_default());
    if edges.min_element() < CORE_DIAMETERS * diameter {
        let [x, y, z] = edges.to_array();
        return Err(format!(
            "there is no packing fraction: its core is {x:.3} by {y:.3} by {z:.3} m, and must be {CORE_DIAMETERS} grain diameters of \
             {diameter:.3} m at least"
        ));
    }
    Ok(granule_measure::packing_fraction(&centers, &volumes, &core))
}

/// Diameter of the sphere of a grain's volume up to which half of the volume of all grains is \[m\], the d50 of a sieve
/// curve: dust does not move it. None without grains.
pub(super) fn median_diameter(snapshot: &Snapshot) -> Option<f64> {
    let mut diameters: Vec<f64> = particles(snapshot).map(|b| 2.0 * b.shape.equivalent_radius()).collect();
    diameters.sort_by(f64::total_cmp);
    let volume = |d: &f64| d * d * d;
    let half = 0.5 * diameters.iter().map(volume).sum::<f64>();
    let mut below = 0.0;
    diameters.iter().copied().find(|d| {
        below += volume(d);
        below >= half
    })
}

/// Share of the grains' centres that may lie below the floor: some may have fallen beside it.
const BELOW_FLOOR: f64 = 0.1;

/// Height below which the centres of a tenth of the grains lie \[m\]; infinite without grains.
pub(super) fn grain_level(snapshot: &Snapshot) -> f64 {
    level_of(particles(snapshot))
}

/// The same of some grains.
pub(super) fn level_of<'a>(grains: impl Iterator<Item = &'a BodySnapshot>) -> f64 {
    let mut centers: Vec<f64> = grains.map(|b| b.pose.position.z).collect();
    centers.sort_by(f64::total_cmp);
    centers.get((BELOW_FLOOR * centers.len() as f64) as usize).copied().unwrap_or(f64::INFINITY)
}

/// Height of the ground at a place \[m\]: the highest point of a static or driven body there that is not above
/// `below`.
pub(super) fn ground_level(snapshot: &Snapshot, at: [f64; 2], below: f64) -> Option<f64> {
    grounds(snapshot, at).filter(|z| *z <= below).reduce(f64::max)
}

/// The lowest of the highest points that static and driven bodies have at a place \[m\].
pub(super) fn lowest_ground(snapshot: &Snapshot, at: [f64; 2]) -> Option<f64> {
    grounds(snapshot, at).reduce(f64::min)
}

/// The highest point of each static or driven body at a place \[m\].
fn grounds(snapshot: &Snapshot, at: [f64; 2]) -> impl Iterator<Item = f64> {
    let ground = snapshot.bodies.iter().filter(|b| b.present && b.kind != BodyKind::Dynamic);
    ground.filter_map(move |b| b.shape.highest_point(&b.pose, at, at)).map(|p| p.z)
}

/// Mean number of bodies, walls included, that a particle touches; none without particles.
pub fn mean_coordination(simulation: &Simulation) -> Option<f64> {
    let snapshot = simulation.snapshot();
    let (count, sum) = particles(&snapshot).fold((0u64, 0u64), |(n, s), b| (n + 1, s + u64::from(b.contacts)));
    (count > 0).then(|| sum as f64 / count as f64)
}

/// Root mean square of the particles' speeds \[m/s\]; zero without particles.
pub fn rms_speed(snapshot: &Snapshot) -> f64 {
    let (count, sum) =
        particles(snapshot).fold((0u64, 0.0), |(n, s), b| (n + 1, s + b.velocity.linear.length_squared()));
    if count > 0 { (sum / count as f64).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_engine::{BodyDescription, MaterialId, Settings};
    use granule_geometry::Shape;
    use granule_model::Material;

    /// Half of the volume lies in grains up to the d50, however many grains of dust there are.
    #[test]
    fn dust_does_not_move_the_median_diameter() {
        let mut simulation = Simulation::new(Settings::default()).expect("the defaults are sound");
        simulation.add_material(Material::default()).expect("the default is sound");
        assert_eq!(median_diameter(&simulation.snapshot()), None);
        for (count, radius) in [(3u32, 0.5), (200, 0.05), (1, 0.6)] {
            for k in 0..count {
                let ball = Shape::sphere(radius).expect("a radius");
                let place = DVec3::new(10.0 * f64::from(k), 100.0 * radius, 5.0);
                simulation.add_body(BodyDescription::dynamic(ball, MaterialId::nth(0), place)).expect("a ball");
            }
        }
        let found = median_diameter(&simulation.snapshot()).expect("grains");
        assert!((found - 1.0).abs() <= 1e-12, "{found}");
    }
}
