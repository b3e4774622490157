//! The reference file of RBSS: `data/reference/r1_rbss.json`, the clusters of the thesis and more.

use granule_model::{DVec3, Velocity};
use granule_solver::{ContactProblem, ContactState};
use serde::Deserialize;

use super::problem::{Problem, unflatten, vectors};
use super::read;
use crate::error::{Found, present};

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Thesis {
    pub(crate) cases: Vec<Cluster>,
}

/// A cluster with its answers.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) name: String,
    problem: Problem,
    pub(crate) cone: Answer,
    pub(crate) literal: Option<Answer>,
    pub(crate) literal_equals_cone: bool,
    pub(crate) thesis_table_5_1: Option<Table>,
}

/// Impulses as table 5.1 of the thesis prints them \[N s\].
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Table {
    pub(crate) normal: f64,
    pub(crate) tangential: f64,
}

/// An answer; the two largest clusters state no impulses.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Answer {
    contact_state: Option<Vec<u8>>,
    pub(crate) velocity: Vec<f64>,
    angular_velocity: Vec<f64>,
    pub(crate) normal_impulse: Option<Vec<f64>>,
    tangential_impulse: Option<Vec<f64>>,
    pub(crate) kinetic_energy_after: f64,
    pub(crate) abs_tol_velocity: f64,
    pub(crate) abs_tol_angular_velocity: f64,
    pub(crate) abs_tol_impulse: Option<f64>,
}

impl Thesis {
    pub(crate) fn load() -> Found<Self> {
        read("r1_rbss.json", include_str!("../../../../data/reference/r1_rbss.json"))
    }

    pub(crate) fn cluster(&self, name: &str) -> Found<&Cluster> {
        present(self.cases.iter().find(|c| c.name == name), format!("cluster {name}"))
    }
}

impl Answer {
    pub(crate) fn velocities(&self) -> Vec<Velocity> {
        unflatten(&self.velocity, &self.angular_velocity)
    }

    /// Tangential impulses by contact, where they are stated.
    pub(crate) fn tangential_impulses(&self) -> Option<Vec<DVec3>> {
        self.tangential_impulse.as_deref().map(vectors)
    }

    /// States by contact, where they are stated.
    pub(crate) fn states(&self) -> Option<Vec<ContactState>> {
        let state = |code: &u8| match code {
            0 => ContactState::Open,
            1 => ContactState::Stick,
            _ => ContactState::Slip,
        };
        self.contact_state.as_ref().map(|codes| codes.iter().map(state).collect())
    }
}

impl Cluster {
    pub(crate) fn problem(&self) -> ContactProblem {
        self.problem.read()
    }
}
