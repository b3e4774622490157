//! What a simulation is made of: the catalogue that a step reads and the state that it changes, with their nouns.
//!
//! Nothing here makes a step; the lowest room of the engine.

pub(crate) mod account;
pub(crate) mod accuracy;
pub(crate) mod bodies;
pub(crate) mod catalogue;
pub(crate) mod check;
pub(crate) mod contact;
pub(crate) mod description;
pub(crate) mod domain;
pub(crate) mod error;
pub(crate) mod load;
pub(crate) mod overlap;
pub(crate) mod pairs;
pub(crate) mod parallel;
pub(crate) mod pool;
pub(crate) mod reductions;
pub(crate) mod rest;
pub(crate) mod sights;
pub(crate) mod state;
