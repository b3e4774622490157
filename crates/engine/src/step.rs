//! The step.
//!
//! A step is made of parts: one, unless contacts were pressed too deep, which has it divided ([`divide`]), or unless it
//! goes from impact to impact ([`event`]). Few bodies that are struck in a part make it alone ([`alone`]). What is done
//! once a step is in [`make`], what each part does in [`substep`].
//!
//! Tracing span `step` holds the spans of its phases, those of undone attempts included.

pub(crate) mod advance;
pub(crate) mod alone;
pub(crate) mod attempt;
pub(crate) mod balance;
pub(crate) mod beside;
pub(crate) mod detect;
pub(crate) mod divide;
pub(crate) mod drive;
pub(crate) mod event;
pub(crate) mod exchange;
pub(crate) mod few;
pub(crate) mod flight;
pub(crate) mod forces;
pub(crate) mod group;
pub(crate) mod jam;
pub(crate) mod join;
pub(crate) mod judge;
pub(crate) mod make;
pub(crate) mod observe;
pub(crate) mod part;
pub(crate) mod scratch;
pub(crate) mod substep;
pub(crate) mod wake;
