//! Chains and racks of balls that touch, and a box that lands flat.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use super::scene::bouncy;

fn ball(mass: f64, radius: f64, position: DVec3, velocity: DVec3) -> ProblemBody {
    ProblemBody {
        inverse_mass: mass.recip(),
        inverse_inertia: DMat3::from_diagonal(DVec3::splat(2.5 / (mass * radius * radius))),
        position,
        velocity: Velocity { linear: velocity, angular: DVec3::ZERO },
    }
}

/// Balls of equal radius and the pairs of them that touch.
pub(crate) fn balls(
    masses: &[f64],
    radius: f64,
    positions: &[DVec3],
    velocities: &[DVec3],
    pairs: &[(u32, u32)],
    coefficients: Coefficients,
) -> ContactProblem {
    let bodies = (0..masses.len()).map(|i| ball(masses[i], radius, positions[i], velocities[i])).collect();
    let contact = |&(a, b): &(u32, u32)| {
        let (x, y) = (positions[a as usize], positions[b as usize]);
        ProblemContact { a, b: Some(b), point: 0.5 * (x + y), normal: (x - y).normalize(), coefficients }
    };
    ContactProblem { bodies, contacts: pairs.iter().map(contact).collect() }
}

/// Balls in a row along x.
pub(crate) fn chain(masses: &[f64], velocities: &[f64], restitution: f64) -> ContactProblem {
    let positions: Vec<DVec3> = (0..masses.len()).map(|i| DVec3::X * i as f64).collect();
    let along: Vec<DVec3> = velocities.iter().map(|v| DVec3::X * *v).collect();
    let pairs: Vec<(u32, u32)> = (1..masses.len() as u32).map(|i| (i - 1, i)).collect();
    balls(masses, 0.5, &positions, &along, &pairs, bouncy(restitution))
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
    let touch = |a: usize, b: usize| ((at[a] - at[b]).length() - 2.0 * radius).abs() < 1e-6 * radius;
    let pairs: Vec<(u32, u32)> = (0..at.len())
        .flat_map(|a| (a + 1..at.len()).map(move |b| (a, b)))
        .filter(|&(a, b)| touch(a, b))
        .map(|(a, b)| (a as u32, b as u32))
        .collect();
    balls(masses, radius, at, velocities, &pairs, bouncy(1.0))
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
