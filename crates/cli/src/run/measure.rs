//! Measures of a simulation: takes from it the plain data that `granule-measure` works on.

use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_export::plot::{ProfileFigure, ProfileStrip};
use granule_measure::{CoreRegion, LongSide, ReposeAngle, ReposeGrid};
use granule_model::{BodyKind, DVec3};
use granule_scene::{PackingPlan, ReposePlan};

/// The particles: dynamic bodies that are present.
fn particles(snapshot: &Snapshot) -> impl Iterator<Item = &BodySnapshot> {
    snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic)
}

/// The grid of the plan with the highest surface point of all particles above each cell; none for a floor without area.
pub fn repose_grid(snapshot: &Snapshot, plan: &ReposePlan) -> Option<ReposeGrid> {
    let (min, max) = (plan.floor.min.into(), plan.floor.max.into());
    let mut grid = ReposeGrid::with_cells(min, max, plan.long_side, plan.strips, plan.cells_per_strip).ok()?;
    let cells: Vec<_> = grid.cells().collect();
    for body in particles(snapshot) {
        let bounds = body.shape.aabb(&body.pose);
        for cell in &cells {
            let beside = bounds.min.truncate().cmpgt(cell.max).any() || bounds.max.truncate().cmplt(cell.min).any();
            if beside {
                continue;
            }
            if let Some(top) = body.shape.highest_point(&body.pose, cell.min.into(), cell.max.into()) {
                grid.offer_in(cell.index, top);
            }
        }
    }
    Some(grid)
}

/// The angle of repose of a state; none when no strip of the floor has a line.
pub fn angle_of_repose(snapshot: &Snapshot, plan: &ReposePlan) -> Option<ReposeAngle> {
    repose_grid(snapshot, plan)?.measure(plan.fall)
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

/// The profile of a pile with its fitted lines; none for a floor without area or a bare one.
pub fn profile_figure(snapshot: &Snapshot, plan: &ReposePlan, title: String) -> Option<ProfileFigure> {
    let grid = repose_grid(snapshot, plan)?;
    let angle = grid.measure(plan.fall);
    let fitted = angle.as_ref().map(|a| a.strips.as_slice()).unwrap_or_default();
    let mut strips = vec![ProfileStrip::default(); plan.strips];
    for (cell, top) in grid.cells().filter_map(|cell| Some((cell, grid.highest(cell.index)?))) {
        let along = match plan.long_side {
            LongSide::X => top.x,
            LongSide::Y => top.y,
        };
        strips[cell.strip].points.push((along, top.z));
    }
    for (strip, fit) in strips.iter_mut().zip(fitted) {
        strip.line = fit.line.map(|line| (line.a, line.b));
    }
    let bare = strips.iter().all(|s| s.points.is_empty());
    (!bare).then(|| ProfileFigure { title, strips, angle: angle.map(|a| (a.mean, a.absolute_error)) })
}
