//! The reference files of ETM: `data/reference/r3_etm_single.json` and `r4_boxes_etm.json`.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct File {
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    problem: Problem,
    pub(crate) lambda: Option<Vec<u32>>,
    pub(crate) closed_form: Option<Velocities>,
    pub(crate) limit: Option<Velocities>,
    pub(crate) etm_exact: Option<Runs>,
    pub(crate) etm: Option<Runs>,
    pub(crate) abs_tol_velocity_same_rules: Option<f64>,
    pub(crate) abs_tol_closed_form: Option<f64>,
    pub(crate) abs_tol_same_rules: Option<f64>,
}

/// Velocities of all bodies, flat.
#[derive(Deserialize)]
pub(crate) struct Velocities {
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
}

/// The same for several lambda, one after the other.
#[derive(Deserialize)]
pub(crate) struct Runs {
    lambda: Option<Vec<u32>>,
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
    pub(crate) distance_to_limit: Option<Vec<f64>>,
    pub(crate) angular_speed: Option<Vec<f64>>,
    pub(crate) impulses_applied: Vec<u64>,
}

/// A problem as all reference files have it, flat.
#[derive(Deserialize)]
pub(crate) struct Problem {
    bodies: Bodies,
    contacts: Contacts,
}

#[derive(Deserialize)]
struct Bodies {
    inv_mass: Vec<f64>,
    inv_inertia: Vec<f64>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
}

#[derive(Deserialize)]
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

pub(crate) fn single_contacts() -> File {
    serde_json::from_str(include_str!("../../../../../data/reference/r3_etm_single.json")).expect("r3 is readable")
}

pub(crate) fn boxes() -> File {
    serde_json::from_str(include_str!("../../../../../data/reference/r4_boxes_etm.json")).expect("r4 is readable")
}

pub(crate) fn vector(flat: &[f64], i: usize) -> DVec3 {
    DVec3::from_slice(&flat[3 * i..])
}

/// Velocities of bodies from flat components.
pub(crate) fn unflatten(linear: &[f64], angular: &[f64]) -> Vec<Velocity> {
    (0..linear.len() / 3).map(|i| Velocity { linear: vector(linear, i), angular: vector(angular, i) }).collect()
}

impl Velocities {
    pub(crate) fn all(&self) -> Vec<Velocity> {
        unflatten(&self.velocity, &self.angular_velocity)
    }
}

impl Runs {
    /// Velocities for the lambda number `k`.
    pub(crate) fn all(&self, k: usize, bodies: usize) -> Vec<Velocity> {
        unflatten(&self.velocity, &self.angular_velocity)[k * bodies..(k + 1) * bodies].to_vec()
    }

    pub(crate) fn lambda(&self) -> &[u32] {
        self.lambda.as_deref().expect("these runs list their lambda")
    }
}

impl Case {
    pub(crate) fn problem(&self) -> ContactProblem {
        self.problem.read()
    }
}

impl Problem {
    pub(crate) fn read(&self) -> ContactProblem {
        let (b, c) = (&self.bodies, &self.contacts);
        let body = |i: usize| ProblemBody {
            inverse_mass: b.inv_mass[i],
            // Row-major in the file; symmetric to rounding only.
            inverse_inertia: DMat3::from_cols_slice(&b.inv_inertia[9 * i..9 * i + 9]).transpose(),
            position: vector(&b.position, i),
            velocity: Velocity { linear: vector(&b.velocity, i), angular: vector(&b.angular_velocity, i) },
        };
        let contact = |i: usize| ProblemContact {
            a: c.a[i],
            b: u32::try_from(c.b[i]).ok(),
            point: vector(&c.point, i),
            normal: vector(&c.normal, i),
            coefficients: Coefficients {
                restitution: c.e_n[i],
                tangential_restitution: c.e_t[i],
                static_friction: c.mu_s[i],
                dynamic_friction: c.mu_d[i],
                rolling_friction: 0.0,
                torsional_friction: 0.0,
                stiffness: 1.0,
            },
        };
        ContactProblem {
            bodies: (0..b.inv_mass.len()).map(body).collect(),
            contacts: (0..c.a.len()).map(contact).collect(),
        }
    }
}

/// Largest difference of any component.
pub(crate) fn difference(x: &[Velocity], y: &[Velocity]) -> f64 {
    assert_eq!(x.len(), y.len());
    let pairs = x.iter().zip(y);
    let parts =
        pairs.map(|(x, y)| (x.linear - y.linear).abs().max_element().max((x.angular - y.angular).abs().max_element()));
    parts.fold(0.0, f64::max)
}
