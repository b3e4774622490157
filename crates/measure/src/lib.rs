//! Measures of granular states: angle of repose, surface profile, packing, coordination, energy, avalanches, mounds.
//!
//! Every measure works on plain data (points, volumes, pairs, motions) that the caller takes from a simulation, so that
//! it can be checked on data made by hand. This crate knows no shape, no file and no step: which points to offer is
//! left to `granule-geometry` and `granule-engine`, what to write where to `granule-export`.

mod audit;
mod avalanche;
mod contour;
mod coordination;
mod deposit;
mod energy;
mod fit;
mod grain;
mod heights;
mod mound;
mod packing;
mod repose;
mod slope;
mod sum;
mod tops;

pub use audit::{EnergyAudit, StepEnergy};
pub use avalanche::{AvalancheState, Descent, FRONT_SHARE, Runout, front_speeds};
pub use contour::{ContourLine, Field, contour_lines};
pub use coordination::{Coordination, Touch};
pub use deposit::{Deposit, DepositError, Extent, MOST_DEPOSIT_CELLS, main_outline};
pub use energy::{BodyMotion, Energies};
pub use fit::{FittedLine, mean_and_error};
pub use grain::{Grain, mass_quantile};
pub use heights::Heights;
pub use mound::Mound;
pub use packing::{CoreRegion, packing_fraction};
pub use repose::{Cell, Fall, GridError, Line, LongSide, ProfileBin, ReposeAngle, ReposeGrid, Strip};
pub use slope::{Flow, Slope, SlopeAngle, StripLine, StripSlope, Verdict, pile_end, share_beyond};
pub use sum::Sum;
