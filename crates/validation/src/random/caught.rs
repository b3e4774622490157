//! Whether what a jam names is caught: touched from opposite sides, measured from poses and shapes alone.
//!
//! A body that is touched from one side can give way. A jam that names it is an excuse of the engine and no jam.
//!
//! The engine ends with the state before the step in which bodies jam. Gaps that driven bodies close within that step
//! count as closed: on both sides of what a press moves until it meets the other.

use granule_engine::Simulation;
use granule_model::BodyKind;

use super::overlap::{Overlaps, Touch, Watched};

/// Largest gap over `h` that is looked for \[-\].
const REACH: f64 = 1.0;
/// Cosine of the angle between two outward normals, 100 degrees, from which on what touches there holds the body
/// between.
const OPPOSITE: f64 = -0.173_648_177_666_930_3;

/// The smallest gap over `h` \[-\] within which each dynamic body of the two that a jam names by their labels is
/// touched from opposite sides. Infinite where one is not, or none of the two is a dynamic body that is there.
pub(super) fn caught_within(
    simulation: &Simulation,
    bodies: &[Watched],
    overlaps: &mut Overlaps,
    named: [&str; 2],
) -> f64 {
    let is_named = |body: &Watched| simulation.label(body.id).is_ok_and(|label| named.contains(&label.as_str()));
    let dynamic = |body: &Watched| body.kind == BodyKind::Dynamic && !body.removed;
    let caught = (0..bodies.len()).filter(|i| dynamic(&bodies[*i]) && is_named(&bodies[*i]));
    let way = way_of_a_step(simulation, bodies, overlaps);
    let gaps = caught.map(|i| held_within(&overlaps.touches(simulation, bodies, i, [REACH, way])));
    gaps.reduce(f64::max).unwrap_or(f64::INFINITY)
}

/// How far the surface of any driven body goes in a step \[m\].
fn way_of_a_step(simulation: &Simulation, bodies: &[Watched], overlaps: &Overlaps) -> f64 {
    let driven = (0..bodies.len()).filter(|i| bodies[*i].kind == BodyKind::Driven && !bodies[*i].removed);
    let speed = |i: usize| {
        let velocity = simulation.velocity(bodies[i].id).unwrap_or_default();
        let spin = velocity.angular.length();
        // The box of a half-space has no end.
        let by_spin = if spin > 0.0 { spin * overlaps.bounds(i).size().length() } else { 0.0 };
        velocity.linear.length() + by_spin
    };
    driven.map(speed).fold(0.0, f64::max) * simulation.time_step()
}

/// The smallest gap within which two touches are on opposite sides; infinite where none are.
fn held_within(touches: &[Touch]) -> f64 {
    let pairs = touches.iter().enumerate().flat_map(|(k, a)| touches[k + 1..].iter().map(move |b| (a, b)));
    let opposite = pairs.filter(|(a, b)| a.outward.dot(b.outward) <= OPPOSITE);
    opposite.map(|(a, b)| a.gap.max(b.gap)).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::DVec3;

    #[test]
    fn a_body_is_held_by_normals_past_a_hundred_degrees_and_by_the_wider_of_two_gaps() {
        let touch = |degrees: f64, gap: f64| {
            let angle = degrees.to_radians();
            Touch { outward: DVec3::new(libm::cos(angle), libm::sin(angle), 0.0), gap }
        };
        assert_eq!(held_within(&[touch(0.0, 0.0), touch(99.9, 0.0)]), f64::INFINITY);
        assert_eq!(held_within(&[touch(0.0, 1e-3), touch(100.1, 2e-3)]), 2e-3);
        assert_eq!(held_within(&[touch(0.0, 1e-3), touch(180.0, 0.5), touch(90.0, 0.0), touch(200.0, 0.1)]), 0.1);
        assert_eq!(held_within(&[touch(0.0, -1e-3)]), f64::INFINITY);
    }
}
