//! The reference file of RBSS: `data/reference/r1_rbss.json`.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ContactState, ProblemBody, ProblemContact};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct File {
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    problem: Problem,
    pub(crate) cone: Answer,
    pub(crate) literal: Option<Answer>,
    pub(crate) literal_equals_cone: bool,
    pub(crate) literal_roots_found: Option<u32>,
    pub(crate) thesis_table_5_1: Option<Table>,
}

/// Impulses as the thesis prints them [N s].
#[derive(Deserialize)]
pub(crate) struct Table {
    pub(crate) normal: f64,
    pub(crate) tangential: f64,
}

/// An answer of the reference; the two largest clusters state no impulses.
#[derive(Deserialize)]
pub(crate) struct Answer {
    contact_state: Option<Vec<u8>>,
    velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
    pub(crate) normal_impulse: Option<Vec<f64>>,
    tangential_impulse: Option<Vec<f64>>,
    pub(crate) kinetic_energy_after: f64,
    pub(crate) abs_tol_velocity: f64,
    pub(crate) abs_tol_angular_velocity: f64,
    pub(crate) abs_tol_impulse: Option<f64>,
}

#[derive(Deserialize)]
struct Problem {
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

pub(crate) fn thesis() -> File {
    serde_json::from_str(include_str!("../../../../../data/reference/r1_rbss.json")).expect("r1 is readable")
}

fn vector(flat: &[f64], i: usize) -> DVec3 {
    DVec3::from_slice(&flat[3 * i..])
}

impl File {
    pub(crate) fn case(&self, name: &str) -> &Case {
        self.cases.iter().find(|c| c.name == name).expect("the case is in the file")
    }
}

impl Answer {
    pub(crate) fn velocities(&self) -> Vec<Velocity> {
        let velocity = |i| Velocity { linear: vector(&self.velocity, i), angular: vector(&self.angular_velocity, i) };
        (0..self.velocity.len() / 3).map(velocity).collect()
    }

    /// Tangential impulses by contact, where they are stated.
    pub(crate) fn tangential_impulses(&self) -> Option<Vec<DVec3>> {
        self.tangential_impulse.as_ref().map(|flat| (0..flat.len() / 3).map(|i| vector(flat, i)).collect())
    }

    /// States by contact, where they are stated.
    pub(crate) fn states(&self) -> Option<Vec<ContactState>> {
        let state = |code: &u8| [ContactState::Open, ContactState::Stick, ContactState::Slip][usize::from(*code)];
        self.contact_state.as_ref().map(|codes| codes.iter().map(state).collect())
    }
}

impl Case {
    pub(crate) fn problem(&self) -> ContactProblem {
        let (b, c) = (&self.problem.bodies, &self.problem.contacts);
        let body = |i: usize| ProblemBody {
            inverse_mass: b.inv_mass[i],
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
