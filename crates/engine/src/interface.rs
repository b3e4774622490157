//! What an embedding program touches: [`Simulation`](simulation::Simulation), how it is set up, stepped and read.

pub(crate) mod forces;
pub(crate) mod leaving;
pub(crate) mod problem;
pub(crate) mod reading;
pub(crate) mod resolution;
pub(crate) mod setup;
pub(crate) mod simulation;
pub(crate) mod snapshot;
pub(crate) mod start;
pub(crate) mod step_choice;
pub(crate) mod stepping;
pub(crate) mod time_step;
pub(crate) mod walls;
pub(crate) mod warnings;
