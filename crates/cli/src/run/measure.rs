//! Measures of a simulation: takes from it the plain data that `granule-measure` works on.

use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_measure::CoreRegion;
use granule_model::{BodyKind, DVec3};
use granule_scene::PackingPlan;

/// The particles: dynamic bodies that are present.
pub(super) fn particles(snapshot: &Snapshot) -> impl Iterator<Item = &BodySnapshot> {
    snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic)
}

/// The packing fraction in the core that the plan describes; none when nothing of the pile lies in it.
pub fn packing_fraction(simulation: &Simulation, plan: &PackingPlan) -> Option<f64> {
    let snapshot = simulation.snapshot();
    let centers: Vec<DVec3> = particles(&snapshot).map(|b| b.pose.position).collect();
    let volume = |b: &BodySnapshot| b.shape.mass_properties(1.0).map_or(0.0, |p| p.mass);
    let volumes: Vec<f64> = particles(&snapshot).map(volume).collect();
    let (min, max) = (plan.floor.min.into(), plan.floor.max.into());
    let core = CoreRegion::new(&centers, min, max, plan.height, plan.inset, plan.quantile)?;
    Some(granule_measure::packing_fraction(&centers, &volumes, &core))
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
