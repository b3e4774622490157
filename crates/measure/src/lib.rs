//! Measures of granular states: angle of repose, surface profile, packing, coordination, energy.
//!
//! Every measure works on plain data (points, volumes, pairs, motions) that the caller takes from a simulation, so that
//! it can be checked on data made by hand. This crate knows no shape, no file and no step: which points to offer is
//! left to `granule-geometry` and `granule-engine`, what to write where to `granule-export`.

mod audit;
mod coordination;
mod energy;
mod fit;
mod heights;
mod packing;
mod repose;
mod slope;
mod sum;
mod tops;

pub use audit::{EnergyAudit, StepEnergy};
pub use coordination::{Coordination, Touch};
pub use energy::{BodyMotion, Energies};
pub use fit::{FittedLine, mean_and_error};
pub use heights::Heights;
pub use packing::{CoreRegion, packing_fraction};
pub use repose::{Cell, Fall, GridError, Line, LongSide, ProfileBin, ReposeAngle, ReposeGrid, Strip};
pub use slope::{Flow, Slope, SlopeAngle, StripLine, StripSlope, Verdict, pile_end, share_beyond};
pub use sum::Sum;
