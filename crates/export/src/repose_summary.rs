//! `repose` in `summary.json`: what the surface is, and its angle where it is a slope.

use serde::{Deserialize, Serialize};

use crate::number::finite_or_null;

/// The angle of repose over the strips of the profile \[degrees\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReposeAngle {
    /// Mean of the strips.
    #[serde(with = "finite_or_null")]
    pub mean: f64,
    /// Smallest strip.
    #[serde(with = "finite_or_null")]
    pub min: f64,
    /// Largest strip.
    #[serde(with = "finite_or_null")]
    pub max: f64,
    /// Mean distance of the largest and the smallest from the mean.
    #[serde(with = "finite_or_null")]
    pub absolute_error: f64,
}

/// The angle of repose of a run. Keys with an angle in their name are null unless the verdict is `slope`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReposeSummary {
    /// What the surface is: `slope`, `flowing`, `not-flowed`, `cliff`, `bent` or `few-cells`.
    pub verdict: String,
    /// Angle of the slope, the mean over the strips \[degrees\].
    pub angle_deg: Option<f64>,
    /// Standard error of that mean over the strips \[degrees\]; of the line where there is one strip.
    pub standard_error_deg: Option<f64>,
    /// Mean over the strips of the share of the scatter that the line explains \[-\].
    pub r2: Option<f64>,
    /// Angle of the straight way from crest to toe, the mean over the strips \[degrees\].
    pub toe_to_crest_deg: Option<f64>,
    /// Where the toe is along the long side, the mean over the strips \[m\].
    #[serde(with = "finite_or_null")]
    pub toe_m: f64,
    /// Where the crest is \[m\].
    #[serde(with = "finite_or_null")]
    pub crest_m: f64,
    /// Whether the surface comes down to a toe; false where the pile reaches the end of the floor.
    pub has_toe: bool,
    /// Largest difference of height between neighbouring cells, in grain diameters \[-\].
    #[serde(with = "finite_or_null")]
    pub largest_step_diameters: f64,
    /// The strips in their order across the floor.
    pub strips: Vec<ReposeStrip>,
    /// The measure of Tang 2014, whatever the surface is; absent when no strip of its grid has two points.
    pub tang_2014: Option<ReposeAngle>,
}

impl ReposeSummary {
    /// The verdict of a surface that has an angle.
    pub const SLOPE: &'static str = "slope";

    /// Whether the surface is a slope.
    pub fn is_slope(&self) -> bool {
        self.verdict == Self::SLOPE
    }
}

/// One strip of the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReposeStrip {
    /// Angle of its line \[degrees\]; none where it has too few cells, or the surface is no slope.
    pub angle_deg: Option<f64>,
    /// Standard error of the angle by the scatter about the line \[degrees\].
    pub standard_error_deg: Option<f64>,
    /// Share of the scatter that the line explains \[-\].
    pub r2: Option<f64>,
    /// Where its crest is along the long side \[m\].
    #[serde(with = "finite_or_null")]
    pub from_m: f64,
    /// Where its toe is \[m\].
    #[serde(with = "finite_or_null")]
    pub to_m: f64,
}
