//! Contact problems that tests, reference cases and benchmarks share: chains and packings of balls, a box that lands
//! flat, and the random numbers of random ones.
//!
//! They live here because everything that resolves problems can import them from here. A ball is no shape to this
//! crate: it is a mass, the moment `2 m r^2/5`, and contacts half way between two centres.

mod random;

use granule_model::{Coefficients, DMat3, DVec3, Velocity};

use crate::contact::problem::{ContactProblem, ProblemBody, ProblemContact};
pub use random::Random;

/// Gap over radius below which two balls touch.
const TOUCH: f64 = 1e-6;
/// Radius of the balls of [`chain`] and [`packing`] \[m\].
const RADIUS: f64 = 0.5;

/// A solid ball of `mass` \[kg\] and `radius` \[m\] that does not spin.
pub fn ball(mass: f64, radius: f64, position: DVec3, velocity: DVec3) -> ProblemBody {
    ProblemBody {
        inverse_mass: mass.recip(),
        inverse_inertia: DMat3::from_diagonal(DVec3::splat(2.5 / (mass * radius * radius))),
        position,
        velocity: Velocity { linear: velocity, angular: DVec3::ZERO },
    }
}

/// Balls of one radius \[m\] with these masses \[kg\], centres \[m\] and velocities \[m/s\], and contacts of these
/// pairs.
///
/// # Panics
/// When there are fewer centres or velocities than masses, or a pair names a ball that is not there.
pub fn balls(
    masses: &[f64],
    radius: f64,
    at: &[DVec3],
    velocities: &[DVec3],
    pairs: &[(u32, u32)],
    coefficients: Coefficients,
) -> ContactProblem {
    let bodies = (0..masses.len()).map(|i| ball(masses[i], radius, at[i], velocities[i])).collect();
    let contact = |&(a, b): &(u32, u32)| {
        let (x, y) = (at[a as usize], at[b as usize]);
        ProblemContact { a, b: Some(b), point: 0.5 * (x + y), normal: (x - y).normalize(), coefficients }
    };
    ContactProblem { bodies, contacts: pairs.iter().map(contact).collect() }
}

/// The pairs of balls of `radius` \[m\] that touch, each with its lower index first, in rising order.
pub fn touching(radius: f64, at: &[DVec3]) -> Vec<(u32, u32)> {
    let touch = |a: usize, b: usize| ((at[a] - at[b]).length() - 2.0 * radius).abs() < TOUCH * radius;
    (0..at.len())
        .flat_map(|a| (a + 1..at.len()).map(move |b| (a, b)))
        .filter(|&(a, b)| touch(a, b))
        .map(|(a, b)| (a as u32, b as u32))
        .collect()
}

/// Balls of radius 0.5 m in a row along x, with these masses \[kg\] and velocities along the row \[m/s\].
///
/// # Panics
/// When there are fewer velocities than masses.
pub fn chain(masses: &[f64], velocities: &[f64], coefficients: Coefficients) -> ContactProblem {
    let at: Vec<DVec3> = (0..masses.len()).map(|i| DVec3::X * i as f64).collect();
    let along: Vec<DVec3> = velocities.iter().map(|v| DVec3::X * *v).collect();
    let pairs: Vec<(u32, u32)> = (1..masses.len() as u32).map(|i| (i - 1, i)).collect();
    balls(masses, RADIUS, &at, &along, &pairs, coefficients)
}

/// A cubic packing of `n^3` touching balls of radius 0.5 m and mass 1 kg at rest, `n >= 1`, and one more that hits the
/// middle of its top with 10 m/s, a little aslant: `3 n^2 (n - 1) + 1` contacts.
pub fn packing(n: usize, coefficients: Coefficients) -> ContactProblem {
    let mut at: Vec<DVec3> = Vec::new();
    for z in 0..n {
        for y in 0..n {
            at.extend((0..n).map(|x| DVec3::new(x as f64, y as f64, z as f64)));
        }
    }
    let middle = (n / 2) as f64;
    at.push(DVec3::new(middle, middle, n as f64));
    let mut velocities = vec![DVec3::ZERO; at.len()];
    velocities[at.len() - 1] = DVec3::new(0.3, 0.0, -10.0);
    balls(&vec![1.0; at.len()], RADIUS, &at, &velocities, &touching(RADIUS, &at), coefficients)
}

/// The box of 2 x 2 x 1 m and 4 kg of Tang 2014, section 7.3, that lands flat on four contacts with the ground.
pub fn flat_box(coefficients: Coefficients) -> ContactProblem {
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

#[cfg(test)]
mod tests {
    use super::*;

    const ROUGH: Coefficients =
        Coefficients { restitution: 0.5, static_friction: 0.3, dynamic_friction: 0.3, ..Coefficients::BARE };

    #[test]
    fn chains_and_packings_have_the_contacts_that_they_should() {
        for n in 1..5 {
            let problem = packing(n, ROUGH);
            assert_eq!((problem.bodies.len(), problem.contacts.len()), (n * n * n + 1, 3 * n * n * (n - 1) + 1));
            assert_eq!(problem.validate(), Ok(()));
        }
        let problem = chain(&[1.0, 2.0, 3.0], &[1.0, 0.0, 0.0], ROUGH);
        assert_eq!((problem.bodies.len(), problem.contacts.len()), (3, 2));
        assert_eq!(problem.validate(), Ok(()));
        // Every contact lies on the surfaces of both of its balls, and the first is hit.
        for c in problem.contacts.iter().chain(&packing(3, ROUGH).contacts) {
            assert!((c.normal.length() - 1.0).abs() <= 1e-12 && c.coefficients == ROUGH);
        }
        let velocities: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
        let first = &problem.contacts[0];
        assert!(first.normal.dot(problem.relative_velocity(first, &velocities)) < 0.0);
    }
}
