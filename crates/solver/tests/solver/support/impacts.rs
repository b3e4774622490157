//! Chains and racks of balls that touch, and a box that lands flat.

use granule_model::{Coefficients, DVec3};
use granule_solver::ContactProblem;
pub(crate) use granule_solver::samples::balls;
use granule_solver::samples::touching;

use super::scene::bouncy;

/// Balls in a row along x.
pub(crate) fn chain(masses: &[f64], velocities: &[f64], restitution: f64) -> ContactProblem {
    granule_solver::samples::chain(masses, velocities, bouncy(restitution))
}

/// Newton's cradle: the first `moving` of `n` balls come with velocity 1.
pub(crate) fn cradle(n: usize, moving: usize, restitution: f64) -> ContactProblem {
    let velocities: Vec<f64> = (0..n).map(|i| if i < moving { 1.0 } else { 0.0 }).collect();
    chain(&vec![1.0; n], &velocities, restitution)
}

/// The same problem with another restitution at every contact.
pub(crate) fn with_restitution(problem: &ContactProblem, restitution: f64) -> ContactProblem {
    let mut problem = problem.clone();
    problem.contacts.iter_mut().for_each(|c| c.coefficients.restitution = restitution);
    problem
}

/// Elastic balls of one radius, in contact wherever they touch.
pub(crate) fn touching_balls(radius: f64, masses: &[f64], at: &[DVec3], velocities: &[DVec3]) -> ContactProblem {
    balls(masses, radius, at, velocities, &touching(radius, at), bouncy(1.0))
}

/// The box of Tang 2014, section 7.3, elastic.
pub(crate) fn flat_box(friction: f64) -> ContactProblem {
    let coefficients = Coefficients { static_friction: friction, dynamic_friction: friction, ..bouncy(1.0) };
    granule_solver::samples::flat_box(coefficients)
}
