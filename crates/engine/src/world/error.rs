//! What can go wrong, with the body, the field or the step that it concerns.

use granule_model::{BodyId, DVec3, MaterialError};
use thiserror::Error;

/// An input that cannot be used, or a state that cannot be continued.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EngineError {
    /// A setting out of its range.
    #[error("setting `{field}` is {}, but must be {expected}", shown(*value))]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// A material with a value out of its range.
    #[error("material {index}: {source}")]
    Material {
        /// Number of the material.
        index: usize,
        /// What is wrong.
        source: MaterialError,
    },
    /// Coefficients of a pair of materials of which one is out of its range.
    #[error("pair of materials {a} and {b}: {source}")]
    Pair {
        /// Number of one material.
        a: usize,
        /// Number of the other.
        b: usize,
        /// What is wrong.
        source: MaterialError,
    },
    /// Forces at contacts were asked for and are not recorded: nobody asked for that, or no step was made since.
    #[error("no step has recorded the forces at contacts: ask for them with `record_forces` before the step")]
    ForcesNotRecorded,
    /// A number under which no material was added.
    #[error("there is no material number {index}")]
    NoSuchMaterial {
        /// The number.
        index: usize,
    },
    /// A handle that another simulation gave.
    #[error("the handle of {what} number {index} is one of another simulation")]
    ForeignHandle {
        /// What it names: a body or a material.
        what: &'static str,
        /// Its number there.
        index: u32,
    },
    /// A body that cannot be added.
    #[error("body {body}: `{field}` {reason}")]
    Body {
        /// Name, or number in the order of adding.
        body: String,
        /// Field of the description.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A handle to a body that is not there, or not any more.
    #[error("there is no body with index {} and generation {}", .0.index, .0.generation)]
    NoSuchBody(BodyId),
    /// Two bodies that overlap at the start by more than can be mended.
    #[error(
        "bodies {a} and {b} overlap at the start by {depth:.3e} m, {percent:.0} % of the smaller radius (at most 50 %)"
    )]
    StartOverlap {
        /// One body.
        a: String,
        /// The other.
        b: String,
        /// Depth \[m\].
        depth: f64,
        /// Depth over the smaller equal-volume radius, in per cent.
        percent: f64,
    },
    /// Bodies that are caught between a driven body and others, none of which gives way; see [`crate::JamResponse`].
    #[error(
        "step {step}, {time} s: bodies {a} and {b} are jammed: driven {driven} presses on them, nothing gives way, and the force \
         between them had reached {force:.3e} N"
    )]
    Jam {
        /// Step that could not be made.
        step: u64,
        /// Time before it \[s\].
        time: f64,
        /// Names or numbers of the driven bodies that press.
        driven: String,
        /// One body of the contact that was pressed deepest.
        a: String,
        /// The other.
        b: String,
        /// Force between them that the contact stage had reached \[N\].
        force: f64,
    },
    /// A body is outside of the domain, whose settings make that an error. The state is that after the step in which it
    /// left.
    #[error(
        "body {body}{also} left the domain: at {time:.6} s it is at {position} m with a velocity of {velocity} m/s",
        also = also(*.others)
    )]
    LeftDomain {
        /// Name or number of the body.
        body: String,
        /// How many others are outside.
        others: usize,
        /// Simulated time \[s\].
        time: f64,
        /// Centre of mass of the body \[m\].
        position: DVec3,
        /// Its velocity \[m/s\].
        velocity: DVec3,
    },
    /// A given motion that leads nowhere. The state is the one before the step; it may go on once the body is removed.
    #[error("step {step}: the motion of body {body} {reason}")]
    Motion {
        /// Step that could not be made.
        step: u64,
        /// Name or number of the driven body.
        body: String,
        /// What is wrong with where it leads.
        reason: &'static str,
    },
    /// A force field that is not finite, or takes a body further than 1e12 m in the step. The state is the one before
    /// the step.
    #[error("step {step}: the force fields on body {body} are not finite or take it further than 1e12 m")]
    Field {
        /// Step that could not be made.
        step: u64,
        /// Name or number of the body.
        body: String,
    },
    /// A number that became infinite or NaN. The simulation is of no further use, and every later step returns the
    /// same.
    #[error("step {step}: the {quantity} of body {body} is not finite{contact}")]
    NotFinite {
        /// Step in which it arose.
        step: u64,
        /// Name or number of the body.
        body: String,
        /// What is not finite.
        quantity: &'static str,
        /// The contact it came through, where there is one.
        contact: String,
    },
}

/// A number for a message, with an exponent where it would be a row of zeros.
fn shown(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-5..1e10).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// How many more, for a message.
fn also(others: usize) -> String {
    if others > 0 { format!(" (and {others} more)") } else { String::new() }
}
