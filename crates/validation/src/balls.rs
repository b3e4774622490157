//! Problems of balls that touch: chains, cradles, racks; built on those of the solver.

use granule_model::{Coefficients, DVec3};
use granule_solver::samples::touching;
use granule_solver::{ContactProblem, ProblemContact};

use crate::reference::chains::Rack;
use crate::reference::problem::{vectors, with_coefficients};

/// Elastic and smooth.
pub(crate) const ELASTIC: Coefficients = Coefficients { restitution: 1.0, ..Coefficients::BARE };

/// Elastic balls of one radius and the pairs of them that touch.
fn balls(masses: &[f64], radius: f64, at: &[DVec3], before: &[DVec3], pairs: &[(u32, u32)]) -> ContactProblem {
    granule_solver::samples::balls(masses, radius, at, before, pairs, ELASTIC)
}

/// Elastic balls in a row along x.
pub(crate) fn chain(masses: &[f64], velocities: &[f64]) -> ContactProblem {
    granule_solver::samples::chain(masses, velocities, ELASTIC)
}

/// Elastic balls of mass 1 in a row along x with these velocities.
pub(crate) fn equal_chain(velocities: &[f64]) -> ContactProblem {
    chain(&vec![1.0; velocities.len()], velocities)
}

/// Newton's cradle: the first of `n` balls comes with velocity 1.
pub(crate) fn cradle(n: usize) -> ContactProblem {
    let velocities: Vec<f64> = (0..n).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
    equal_chain(&velocities)
}

/// A column of `n` balls along z that falls onto the ground with 1 m/s.
pub(crate) fn column(n: u32, friction: f64, restitution: f64) -> ContactProblem {
    let at: Vec<DVec3> = (0..n).map(|i| DVec3::Z * (f64::from(i) + 0.5)).collect();
    let pairs: Vec<(u32, u32)> = (1..n).map(|i| (i - 1, i)).collect();
    let mut problem = balls(&vec![1.0; at.len()], 0.5, &at, &vec![-DVec3::Z; at.len()], &pairs);
    let ground = ProblemContact { a: 0, b: None, point: DVec3::ZERO, normal: DVec3::Z, coefficients: ELASTIC };
    problem.contacts.insert(0, ground);
    with_coefficients(&problem, |k| {
        (k.restitution, k.static_friction, k.dynamic_friction) = (restitution, friction, friction);
    })
}

/// A rack as a reference file states it, elastic.
pub(crate) fn stated_rack(rack: &Rack) -> ContactProblem {
    let pairs: Vec<(u32, u32)> = rack.contacts_a.iter().copied().zip(rack.contacts_b.iter().copied()).collect();
    balls(&rack.masses, rack.radius, &vectors(&rack.position), &vectors(&rack.velocity_before), &pairs)
}

/// A triangle of 15 balls, hit at its apex along x; `order` permutes the contacts.
pub(crate) fn rack(order: impl Fn(usize, usize) -> usize) -> ContactProblem {
    let radius = 0.028575;
    let mut at = vec![DVec3::new(-2.0 * radius, 0.0, 0.0)];
    for row in 0..5 {
        for k in 0..=row {
            let y = f64::from(2 * k - row) * radius;
            at.push(DVec3::new(f64::from(row) * 3f64.sqrt() * radius, y, 0.0));
        }
    }
    let mut velocity = vec![DVec3::ZERO; at.len()];
    velocity[0] = DVec3::X;
    let mut problem = balls(&vec![0.17; at.len()], radius, &at, &velocity, &touching(radius, &at));
    let n = problem.contacts.len();
    problem.contacts = (0..n).map(|i| problem.contacts[order(i, n)]).collect();
    problem
}

/// Index of the ball that mirrors ball `i` of [`rack`] in the plane y = 0.
pub(crate) fn rack_twin(i: usize) -> usize {
    let (mut first, mut length) = (1, 1);
    while i >= first + length {
        first += length;
        length += 1;
    }
    if i == 0 { 0 } else { 2 * first + length - 1 - i }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rack_is_a_triangle_with_a_cue_ball_and_its_mirror_image() {
        let problem = rack(|i, _| i);
        assert_eq!((problem.bodies.len(), problem.contacts.len()), (16, 31));
        for (i, body) in problem.bodies.iter().enumerate() {
            let image = problem.bodies[rack_twin(i)].position;
            assert!((body.position * DVec3::new(1.0, -1.0, 1.0) - image).length() < 1e-15, "{i}");
        }
        assert_eq!(problem.validate(), Ok(()));
    }
}
