//! The solver: a contact problem in, impulses and an energy ledger out.
//!
//! Floor 2. This crate alone knows impact laws. It knows no shape, no pose, no file and no clock: bodies are an inverse
//! mass, an inverse inertia and a velocity; contacts are two bodies, two arms, a normal, a gap and coefficients. Which
//! contacts there are and when they are resolved is the engine's business.
//!
//! Three rooms, each of which uses those before it only:
//!
//! * [`contact`]: the data of one contact ([`Row`]) and of an island with its blocks, the algebra of one contact, a
//!   contact problem as plain serialisable data and what a law answers, and the [judge](mod@judge), which no law
//!   shares.
//! * [`stage`]: the contact stage: resting contacts and compression, complementarity with Coulomb's cone.
//! * [`laws`]: the impact laws by families. [`laws::tracking`]: energy tracking of Tang 2014, alone and as the release
//!   that follows the contact stage, and of Tan 2024. [`laws::normal`]: the laws on normal velocities that Zhang et al.
//!   2015 compare. [`laws::rbss`]: concurrent contacts with tangential restitution and the true friction cone.
//!   [`laws::sqm`], [`laws::smm`]: one contact after the other, and all by one linear system. [`laws::plastic`]: the
//!   answer of the contact stage where nothing is given back.

pub mod contact;
pub mod laws;
pub mod stage;

pub use contact::{blocks, hit, island, judge, problem, samples};
pub use laws::normal::{gr, lcp, lzb, qce, qce_lcp};
pub use laws::tracking::{LawMemory, ReleaseReport, Workspace, etm, etm_weighted};
pub use laws::{law, plastic, rbss, smm, sqm};

pub use blocks::Block;
pub use contact::memory::make_room;
pub use etm::Etm;
pub use etm_weighted::EtmWeighted;
pub use gr::Gr;
pub use hit::HitSettings;
pub use island::{Island, Row, RowInput, SolverBody};
pub use judge::{Judge, Verdict, judge};
pub use law::{Desideratum, ImpactLaw};
pub use laws::Law;
pub use laws::tracking::release::{ReleaseSettings, Tracking, release};
pub use lcp::Lcp;
pub use lzb::Lzb;
pub use plastic::{StageMemory, resolve_plastic};
pub use problem::{
    ContactProblem, ContactState, Momenta, Note, ProblemBody, ProblemContact, ProblemError, Resolution, Solution,
};
pub use qce::Qce;
pub use qce_lcp::QceLcp;
pub use rbss::{Rbss, RbssForm, RbssLinear};
pub use smm::Smm;
pub use sqm::Sqm;
pub use stage::{StageReport, StageSettings, SweepCounts};
