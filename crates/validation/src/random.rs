//! Random scenes with seeds, and a judge that says whether the engine held what it promises in them.
//!
//! A seed gives a [`RandomScene`]: bodies of eight families of shapes in a closed box or in free space, with driven
//! floors and blades, and with bodies and force fields that come and go during the run. [`run`] makes its steps and
//! measures; [`Report::faults`] holds what was measured against [`Bounds`]. Overlaps and losses are measured here, from
//! poses and shapes alone, because a contact that the engine does not look for is in none of its figures.
//!
//! `cargo xtask random` runs them by the hundred, each in a process of its own; a small set runs in the tests.

mod caught;
mod form;
mod generator;
mod judge;
mod overlap;
mod run;
mod scene;
mod solid;
mod text;

pub use form::Form;
pub use judge::{Bounds, Fault, FaultKind, Report};
pub use run::{again_if_slow, run, run_watched};
pub use scene::{Change, Event, Family, FieldKind, RandomBody, RandomScene, Room};
pub use text::WrittenScene;
