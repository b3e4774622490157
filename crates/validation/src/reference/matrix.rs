//! The reference file of the conformance matrix: `data/reference/r6_matrix.json`, measured by independent code.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::read;
use crate::error::{Found, present};

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Matrix {
    pub(crate) laws: BTreeMap<String, Row>,
}

/// What was measured of one law.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) brk_cradle5_velocities: Vec<f64>,
    pub(crate) sym_two_ends: f64,
    pub(crate) sym_rack_mirror: f64,
    pub(crate) wav_rms_vs_hertz: f64,
    /// By the letters of the desideratum.
    pub(crate) verdict: BTreeMap<String, bool>,
}

impl Matrix {
    pub(crate) fn load() -> Found<Self> {
        read("r6_matrix.json", include_str!("../../../../data/reference/r6_matrix.json"))
    }

    pub(crate) fn row(&self, law: &str) -> Found<&Row> {
        present(self.laws.get(law), format!("matrix row {law}"))
    }
}
