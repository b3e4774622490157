//! Islands: what hangs together by contacts, as problems for the solver; who sleeps, and what an island may ask for.

pub(crate) mod halves;
pub(crate) mod impact;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod pieces;
pub(crate) mod problems;
pub(crate) mod scratch;
pub(crate) mod sleep;
