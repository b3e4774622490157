//! The granule engine: a [`Simulation`] and its step.
//!
//! Floor 3: wires geometry, broad phase, islands, solver, integrator and forces. Only this crate knows the order of a
//! step (see the `step` module); it reads no file and draws no picture.
//!
//! ```
//! use granule_engine::prelude::*;
//!
//! let mut simulation = Simulation::new(Settings::default())?;
//! let rock = simulation.add_material(Material::default())?;
//! simulation.add_body(BodyDescription::fixed(Shape::half_space(DVec3::Z)?, rock, DVec3::ZERO))?;
//! let ball = simulation.add_body(BodyDescription::dynamic(Shape::sphere(0.5)?, rock, DVec3::new(0.0, 0.0, 2.0)))?;
//! while !simulation.at_rest() && simulation.time() < 10.0 {
//!     simulation.step()?;
//! }
//! assert!((simulation.pose(ball)?.position.z - 0.5).abs() < 0.005);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod book;
mod contacts;
mod interface;
mod islands;
mod step;
mod world;

pub use book::RemovedBody;
pub use book::audit::Audit;
pub use book::hidden::Turn;
pub use book::report::{EnergyReport, ImpactCounts, Phase, PhaseSeconds, StepReport};
pub use granule_solver::{ContactState, SweepCounts};
pub use interface::forces::ContactForce;
pub use interface::reading::Momenta;
pub use interface::simulation::Simulation;
pub use interface::snapshot::{BodySnapshot, Snapshot};
pub use interface::start::StartOverlap;
pub use interface::time_step::{Scales, TIME_STEP_RULE};
pub use interface::walls::WallLoads;
pub use interface::warnings::Warning;
pub use world::accuracy::{Accuracy, LEAST_SLEEP_TIME, OVERLAP_BOUND};
pub use world::catalogue::SharedForceField;
pub use world::description::{
    BodyDescription, Drag, Etm, Integrator, JamResponse, Law, MaterialId, Motion, MotionFunction, Settings, Stepping,
};
pub use world::domain::{Domain, Leaving};
pub use world::error::EngineError;
pub use world::rest::RestCriterion;

/// What an embedding program needs, in one line.
pub mod prelude {
    pub use crate::{
        Accuracy, BodyDescription, ContactForce, ContactState, Domain, EngineError, Etm, JamResponse, Law, Leaving,
        MaterialId, Motion, RestCriterion, Settings, Simulation, Snapshot, StepReport, Stepping, WallLoads,
    };
    pub use granule_forces::{BodyView, Damping, Drag, Force, ForceField};
    pub use granule_geometry::{Shape, ShapeError};
    pub use granule_integrator::Integrator;
    pub use granule_model::{BodyId, BodyKind, Coefficients, DQuat, DVec3, Material, Pose, Velocity};
    pub use granule_solver::QceLcp;
}

/// The embedding example of the README, held by the compiler and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
