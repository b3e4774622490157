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

mod accounts;
mod audit;
mod bodies;
mod check;
mod clock;
mod closing;
mod description;
mod detection;
mod divide;
mod domain;
mod drift;
mod drive;
mod error;
mod event;
mod impact;
mod islands;
mod jam;
mod limits;
mod motion;
mod pairs;
mod parallel;
mod problem;
mod report;
mod rest;
mod restore;
mod simulation;
mod sleep;
mod snapshot;
mod start;
mod step;
mod step_choice;
mod substep;
mod time_step;

pub use audit::Audit;
pub use description::{
    BodyDescription, Drag, Etm, Integrator, JamResponse, Law, MaterialId, Motion, MotionFunction, Settings, Stepping,
};
pub use divide::OVERLAP_BOUND;
pub use domain::{Domain, Leaving, RemovedBody};
pub use error::EngineError;
pub use report::{EnergyReport, ImpactCounts, Phase, StepReport};
pub use rest::RestCriterion;
pub use simulation::{SharedForceField, Simulation};
pub use snapshot::{BodySnapshot, Snapshot};
pub use start::StartOverlap;
pub use time_step::{Scales, TIME_STEP_RULE};

/// What an embedding program needs, in one line.
pub mod prelude {
    pub use crate::{
        BodyDescription, Domain, EngineError, Etm, Law, Leaving, MaterialId, Motion, RestCriterion, Settings,
        Simulation, Snapshot, StepReport,
    };
    pub use granule_forces::{BodyView, Drag, Force, ForceField};
    pub use granule_geometry::{Shape, ShapeError};
    pub use granule_integrator::Integrator;
    pub use granule_model::{BodyId, BodyKind, Coefficients, DQuat, DVec3, Material, Pose, Velocity};
}
