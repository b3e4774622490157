//! `avalanche` and `mound` in `summary.json`.

use serde::{Deserialize, Serialize};

use crate::number::finite_or_null;

/// How far an avalanche ran, what it left, and who is not in these numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AvalancheSummary {
    /// Horizontal unit vector downslope, x and y.
    pub direction: [f64; 2],
    /// Simulated time of the start from which ways count \[s\].
    #[serde(with = "finite_or_null")]
    pub start_seconds: f64,
    /// Bodies that are there at the end.
    pub bodies: u64,
    /// Their mass \[kg\].
    #[serde(with = "finite_or_null")]
    pub mass: f64,
    /// Bodies that were there at the start and are not at the end; no other number counts them.
    pub left_bodies: u64,
    /// Their mass \[kg\].
    #[serde(with = "finite_or_null")]
    pub left_mass: f64,
    /// Share of the mass slower than `stopped_speed` at the end \[-\].
    pub stopped: Option<f64>,
    /// Speed below which mass counts as stopped \[m/s\].
    #[serde(with = "finite_or_null")]
    pub stopped_speed: f64,
    /// Ways along the direction; absent without bodies.
    pub runout: Option<RunoutSummary>,
    /// From the top of the source to the toe; absent without bodies.
    pub fall: Option<FallSummary>,
    /// Of the centre of mass; absent without bodies.
    pub centre_fall: Option<FallSummary>,
    /// What lies at the end; absent where it has no raster.
    pub deposit: Option<DepositSummary>,
}

/// Ways along the direction from the start to the end \[m\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunoutSummary {
    /// Of the farthest surface point.
    #[serde(with = "finite_or_null")]
    pub farthest: f64,
    /// Of the front of 95 % of the mass.
    #[serde(with = "finite_or_null")]
    pub mass_95: f64,
    /// Of the front of half of the mass.
    #[serde(with = "finite_or_null")]
    pub mass_50: f64,
    /// Of the centre of mass.
    #[serde(with = "finite_or_null")]
    pub centre: f64,
}

/// A way down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FallSummary {
    /// H: difference of heights \[m\].
    #[serde(with = "finite_or_null")]
    pub height: f64,
    /// L: horizontal length along the direction \[m\].
    #[serde(with = "finite_or_null")]
    pub length: f64,
    /// H/L \[-\]; absent where the way does not lead downslope.
    pub ratio: Option<f64>,
    /// Angle below the horizontal \[degrees\].
    pub angle_deg: Option<f64>,
}

/// The deposit on its raster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DepositSummary {
    /// Size of the cells \[m\].
    #[serde(with = "finite_or_null")]
    pub cell: f64,
    /// Volume of solid \[m3\].
    #[serde(with = "finite_or_null")]
    pub volume: f64,
    /// Largest thickness, volume of solid over area \[m\].
    #[serde(with = "finite_or_null")]
    pub largest_thickness: f64,
    /// Centre of the thickest cell \[m\].
    pub thickest_at: [f64; 2],
    /// Largest height of the surface over the ground at the centre of a cell \[m\]; absent where there is no ground.
    pub largest_depth: Option<f64>,
    /// Thickness along the outline \[m\].
    #[serde(with = "finite_or_null")]
    pub outline_thickness: f64,
    /// What all outlines enclose; absent where the deposit is nowhere so thick.
    pub all: Option<ExtentSummary>,
    /// What the largest outline encloses.
    pub main: Option<ExtentSummary>,
}

/// What an outline encloses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtentSummary {
    /// Pieces that do not hang together.
    pub pieces: u64,
    /// Area \[m2\].
    #[serde(with = "finite_or_null")]
    pub area: f64,
    /// Length along the direction \[m\].
    #[serde(with = "finite_or_null")]
    pub length: f64,
    /// Width across it \[m\].
    #[serde(with = "finite_or_null")]
    pub width: f64,
}

/// A mound at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoundSummary {
    /// Place from which distances count, x and y \[m\].
    pub centre: [f64; 2],
    /// Level of the floor \[m\].
    #[serde(with = "finite_or_null")]
    pub floor: f64,
    /// Height of the highest point over the floor \[m\].
    #[serde(with = "finite_or_null")]
    pub height: f64,
    /// Distance within which 95 % of the mass lies \[m\].
    #[serde(with = "finite_or_null")]
    pub radius_95: f64,
    /// Slope of the cone of the same mean height and distance \[degrees\]; absent where all mass lies at the centre.
    pub mean_slope_deg: Option<f64>,
}
