//! The reference file of RBSS: `data/reference/r1_rbss.json`.

use granule_model::{DVec3, Velocity};
use granule_solver::{ContactProblem, ContactState};
use serde::Deserialize;

use super::reference::{Problem, unflatten, vector};

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

pub(crate) fn thesis() -> File {
    serde_json::from_str(include_str!("../../../../../data/reference/r1_rbss.json")).expect("r1 is readable")
}

impl File {
    pub(crate) fn case(&self, name: &str) -> &Case {
        self.cases.iter().find(|c| c.name == name).expect("the case is in the file")
    }
}

impl Answer {
    pub(crate) fn velocities(&self) -> Vec<Velocity> {
        unflatten(&self.velocity, &self.angular_velocity)
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
        self.problem.read()
    }
}
