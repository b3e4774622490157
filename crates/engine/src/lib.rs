//! The granule engine: a `Simulation` and its step.
//!
//! Floor 3: wires the crates below it. Only this crate knows the order of a step.

mod description;
mod snapshot;

pub use description::{BodyDescription, Law, MaterialId, Motion, MotionFunction, Settings};
pub use snapshot::{BodySnapshot, Snapshot};
