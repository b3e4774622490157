//! The reference file of single contacts: `data/reference/r3_etm_single.json`, Tang 2014, section 7.1, with the rules
//! mended.

use granule_solver::ContactProblem;
use serde::Deserialize;

use super::problem::{Problem, Velocities};
use super::read;
use crate::error::{Found, present};

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Singles {
    pub(crate) cases: Vec<Single>,
}

/// One contact, resolved by energy tracking with several numbers of steps.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Single {
    pub(crate) name: String,
    problem: Problem,
    pub(crate) elastic_energy_at_maximum_compression: f64,
    pub(crate) lambda: Vec<u32>,
    pub(crate) closed_form: Option<Velocities>,
    pub(crate) limit: Velocities,
    pub(crate) etm_exact: Runs,
    pub(crate) etm_eq49: Option<Velocities>,
    pub(crate) abs_tol_velocity_same_rules: f64,
    pub(crate) abs_tol_closed_form: Option<f64>,
}

/// Answers for every lambda, one after the other.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Runs {
    #[serde(flatten)]
    pub(crate) after: Velocities,
    /// From the limit of fine steps.
    pub(crate) distance_to_limit: Vec<f64>,
}

impl Singles {
    pub(crate) fn load() -> Found<Self> {
        read("r3_etm_single.json", include_str!("../../../../data/reference/r3_etm_single.json"))
    }

    pub(crate) fn case(&self, name: &str) -> Found<&Single> {
        present(self.cases.iter().find(|c| c.name == name), format!("single contact {name}"))
    }
}

impl Single {
    pub(crate) fn problem(&self) -> ContactProblem {
        self.problem.read()
    }
}
