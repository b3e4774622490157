//! The solver: a contact problem in, impulses and an energy ledger out.
//!
//! Floor 2. This crate alone knows impact laws. It knows no shape, no pose, no file and no clock: bodies are an inverse
//! mass, an inverse inertia and a velocity; contacts are two bodies, two arms, a normal, a gap and coefficients. Which
//! contacts there are and when they are resolved is the engine's business.
//!
//! * [`island`]: the data of one island and the algebra of one contact (relative velocity, collision matrix, impulse).
//! * [`stage`]: the contact stage: resting contacts and compression, complementarity with Coulomb's cone.
//! * [`law`]: what all impact laws have in common.
//! * [`etm`]: the energy tracking method of Tang 2014, alone and as the release that follows the contact stage.
//! * [`problem`]: a contact problem as plain serialisable data, and what a law answers.
//! * [`mod@judge`]: residual, momentum and energy of any answer, by code that no law shares.

pub mod etm;
pub mod island;
pub mod judge;
pub mod law;
pub mod problem;
pub mod stage;

pub use etm::{Etm, ReleaseReport, ReleaseSettings};
pub use island::{Island, Row, RowInput, SolverBody};
pub use judge::{Verdict, judge};
pub use law::{Desideratum, ImpactLaw};
pub use problem::{
    ContactProblem, ContactState, Note, ProblemBody, ProblemContact, ProblemError, Resolution, Solution,
};
pub use stage::{StageReport, StageSettings};
