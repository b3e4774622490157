//! Chains and racks of balls that touch, and a box that lands flat.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
pub(crate) use granule_solver::balls::balls;
use granule_solver::balls::touching;
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use super::scene::bouncy;

/// Balls in a row along x.
pub(crate) fn chain(masses: &[f64], velocities: &[f64], restitution: f64) -> ContactProblem {
    granule_solver::balls::chain(masses, velocities, bouncy(restitution))
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

/// The box of 2 x 2 x 1 m of Tang 2014, section 7.3, that lands flat on four contacts, elastic, with friction.
pub(crate) fn flat_box(friction: f64) -> ContactProblem {
    let coefficients = Coefficients { static_friction: friction, dynamic_friction: friction, ..bouncy(1.0) };
    let corner =
        |x: f64, y: f64| ProblemContact { a: 0, b: None, point: DVec3::new(x, y, 0.0), normal: DVec3::Z, coefficients };
    let body = ProblemBody {
        inverse_mass: 0.25,
        inverse_inertia: DMat3::from_diagonal(DVec3::new(0.6, 0.6, 0.375)),
        position: DVec3::new(0.0, 0.0, 0.5),
        velocity: Velocity { linear: DVec3::new(1.0, 1.0, -10.0), angular: DVec3::ZERO },
    };
    let contacts = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    ContactProblem { bodies: vec![body], contacts }
}
