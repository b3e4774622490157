//! Room `contact`: one contact and what hangs together, as data, with the algebra that stage and laws share. Uses no
//! other room.

pub mod blocks;
pub mod hit;
pub mod island;
pub mod judge;
pub(crate) mod memory;
pub mod problem;
pub mod samples;
