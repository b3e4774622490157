//! The solver: a contact problem in, impulses and an energy ledger out.
//!
//! Floor 2. This crate alone knows impact laws. It knows no shape, no pose, no file and no clock: bodies are an inverse
//! mass, an inverse inertia and a velocity; contacts are two bodies, two arms, a normal, a gap and coefficients. Which
//! contacts there are and when they are resolved is the engine's business.
//!
//! * [`island`]: the data of one island and the algebra of one contact (relative velocity, collision matrix, impulse).
//! * [`blocks`]: pieces of a large island, for several threads and for the caches.
//! * [`stage`]: the contact stage: resting contacts and compression, complementarity with Coulomb's cone.
//! * [`hit`]: which contacts of a step are impacts.
//! * [`law`]: what all impact laws have in common; [`laws`]: all of them by name.
//! * [`etm`]: the energy tracking method of Tang 2014, alone and as the release that follows the contact stage.
//! * [`etm_weighted`]: energy tracking by mass-weighted velocity, similar contacts together.
//! * [`sqm`], [`smm`]: one contact after the other, and all by one linear system.
//! * [`lcp`], [`gr`], [`qce`], [`qce_lcp`], [`lzb`]: the laws on normal velocities that Zhang et al. 2015 compare.
//! * [`rbss`]: concurrent contacts with normal and tangential restitution and the true friction cone.
//! * [`problem`]: a contact problem as plain serialisable data, and what a law answers.
//! * [`samples`]: problems that tests, reference cases and benchmarks share.
//! * [`mod@judge`]: residual, momentum and energy of any answer, by code that no law shares.

mod approach;
pub mod blocks;
mod complementarity;
pub mod etm;
pub mod etm_weighted;
mod frictionless;
pub mod gr;
pub mod hit;
pub mod island;
pub mod judge;
pub mod law;
pub mod laws;
pub mod lcp;
pub mod lzb;
mod memory;
mod normal;
pub mod problem;
pub mod qce;
pub mod qce_lcp;
pub mod rbss;
pub mod samples;
pub mod smm;
pub mod sqm;
pub mod stage;

pub use blocks::Block;
pub use etm::{Etm, ReleaseReport, ReleaseSettings, Tracking};
pub use etm_weighted::EtmWeighted;
pub use gr::Gr;
pub use hit::HitSettings;
pub use island::{Island, Row, RowInput, SolverBody};
pub use judge::{Verdict, judge};
pub use law::{Desideratum, ImpactLaw};
pub use laws::Law;
pub use lcp::Lcp;
pub use lzb::Lzb;
pub use memory::make_room;
pub use problem::{
    ContactProblem, ContactState, Momenta, Note, ProblemBody, ProblemContact, ProblemError, Resolution, Solution,
};
pub use qce::Qce;
pub use qce_lcp::QceLcp;
pub use rbss::{Rbss, RbssForm, RbssLinear};
pub use smm::Smm;
pub use sqm::Sqm;
pub use stage::{StageReport, StageSettings};
