//! The reference files of boxes on four contacts, Tang 2014, sections 7.2 and 7.3: `data/reference/r4_boxes_etm.json`
//! and `r4_boxes_frictionless.json`.

use granule_solver::ContactProblem;
use serde::Deserialize;

use super::problem::{Problem, Velocities};
use super::read;
use crate::error::{Found, present};

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Boxes {
    pub(crate) cases: Vec<BoxCase>,
}

/// A box resolved by the laws that Tang compares, and by weighted energy tracking.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BoxCase {
    pub(crate) name: String,
    problem: Problem,
    pub(crate) abs_tol_unique: f64,
    pub(crate) abs_tol_same_rules: f64,
    pub(crate) etm: Tracked,
    pub(crate) sqm: Sequential,
    pub(crate) smm: Simultaneous,
    pub(crate) etm_weighted: Weighted,
}

/// Answers of energy tracking for every lambda, one after the other.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Tracked {
    pub(crate) lambda: Vec<u32>,
    #[serde(flatten)]
    pub(crate) after: Velocities,
    pub(crate) angular_speed: Vec<f64>,
    pub(crate) impulses_applied: Vec<u64>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Sequential {
    #[serde(flatten)]
    pub(crate) after: Velocities,
    pub(crate) kinetic_energy_after: f64,
    pub(crate) impulses_applied: u64,
    pub(crate) normal_impulse: Vec<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Simultaneous {
    #[serde(flatten)]
    pub(crate) after: Velocities,
    pub(crate) normal_impulse_minimum_norm: Vec<f64>,
    pub(crate) negative_impulse_needed: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Weighted {
    pub(crate) alpha: Vec<u32>,
    pub(crate) beta: f64,
    #[serde(flatten)]
    pub(crate) after: Velocities,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FrictionlessBoxes {
    pub(crate) cases: Vec<FrictionlessBox>,
}

/// A box resolved by complementarity and by compliant contacts.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FrictionlessBox {
    pub(crate) name: String,
    problem: Problem,
    pub(crate) abs_tol_unique: f64,
    pub(crate) abs_tol_compliant: f64,
    pub(crate) lcp_e1: Option<Velocities>,
    #[serde(rename = "lcp_e0.5")]
    pub(crate) lcp_half: Option<Velocities>,
    pub(crate) plastic_lcp: Velocities,
    pub(crate) compliant_hertz: Option<Velocities>,
    pub(crate) compliant_linear: Option<Velocities>,
}

impl Boxes {
    pub(crate) fn load() -> Found<Self> {
        read("r4_boxes_etm.json", include_str!("../../../../data/reference/r4_boxes_etm.json"))
    }

    pub(crate) fn case(&self, name: &str) -> Found<&BoxCase> {
        present(self.cases.iter().find(|c| c.name == name), format!("box {name}"))
    }
}

impl FrictionlessBoxes {
    pub(crate) fn load() -> Found<Self> {
        let text = include_str!("../../../../data/reference/r4_boxes_frictionless.json");
        read("r4_boxes_frictionless.json", text)
    }
}

impl BoxCase {
    pub(crate) fn problem(&self) -> ContactProblem {
        self.problem.read()
    }
}

impl FrictionlessBox {
    pub(crate) fn problem(&self) -> ContactProblem {
        self.problem.read()
    }
}
