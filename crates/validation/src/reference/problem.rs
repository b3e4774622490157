//! Contact problems and velocities as all reference files write them: flat lists of numbers.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};
use serde::Deserialize;

/// A problem, flat.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Problem {
    bodies: Bodies,
    contacts: Contacts,
}

#[derive(Clone, Debug, Deserialize)]
struct Bodies {
    inv_mass: Vec<f64>,
    inv_inertia: Vec<f64>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
}

#[derive(Clone, Debug, Deserialize)]
struct Contacts {
    a: Vec<u32>,
    b: Vec<i64>,
    point: Vec<f64>,
    normal: Vec<f64>,
    e_n: Vec<f64>,
    e_t: Vec<f64>,
    mu_s: Vec<f64>,
    mu_d: Vec<f64>,
}

/// Velocities of all bodies, flat.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Velocities {
    pub(crate) velocity: Vec<f64>,
    pub(crate) angular_velocity: Vec<f64>,
}

/// Vectors from flat components.
pub(crate) fn vectors(flat: &[f64]) -> Vec<DVec3> {
    flat.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// Velocities of bodies from flat components.
pub(crate) fn unflatten(linear: &[f64], angular: &[f64]) -> Vec<Velocity> {
    let pairs = vectors(linear).into_iter().zip(vectors(angular));
    pairs.map(|(linear, angular)| Velocity { linear, angular }).collect()
}

impl Velocities {
    pub(crate) fn all(&self) -> Vec<Velocity> {
        unflatten(&self.velocity, &self.angular_velocity)
    }

    /// The answer number `k` of answers for `bodies` bodies that stand one after the other; empty where there is none.
    pub(crate) fn answer(&self, k: usize, bodies: usize) -> Vec<Velocity> {
        self.all().into_iter().skip(k * bodies).take(bodies).collect()
    }
}

impl Problem {
    pub(crate) fn read(&self) -> ContactProblem {
        let (b, c) = (&self.bodies, &self.contacts);
        let (positions, velocities) = (vectors(&b.position), unflatten(&b.velocity, &b.angular_velocity));
        let (points, normals) = (vectors(&c.point), vectors(&c.normal));
        let body = |i: usize| ProblemBody {
            inverse_mass: b.inv_mass[i],
            // Row-major in the file; symmetric to rounding only.
            inverse_inertia: DMat3::from_cols_slice(&b.inv_inertia[9 * i..9 * i + 9]).transpose(),
            position: positions[i],
            velocity: velocities[i],
        };
        let contact = |i: usize| ProblemContact {
            a: c.a[i],
            b: u32::try_from(c.b[i]).ok(),
            point: points[i],
            normal: normals[i],
            coefficients: Coefficients {
                restitution: c.e_n[i],
                tangential_restitution: c.e_t[i],
                static_friction: c.mu_s[i],
                dynamic_friction: c.mu_d[i],
                ..Coefficients::BARE
            },
        };
        ContactProblem {
            bodies: (0..b.inv_mass.len()).map(body).collect(),
            contacts: (0..c.a.len()).map(contact).collect(),
        }
    }
}

/// The same problem with another restitution at every contact.
pub(crate) fn with_restitution(problem: &ContactProblem, restitution: f64) -> ContactProblem {
    with_coefficients(problem, |k| k.restitution = restitution)
}

/// The same problem with other coefficients at every contact.
pub(crate) fn with_coefficients(problem: &ContactProblem, change: impl Fn(&mut Coefficients)) -> ContactProblem {
    let mut problem = problem.clone();
    problem.contacts.iter_mut().for_each(|c| change(&mut c.coefficients));
    problem
}
