//! Names of bodies and what kinds there are.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Handle of a body: stays valid and unique for the life of a simulation, also after other bodies are removed.
///
/// Inside a step bodies are dense `u32` indices; a handle is an index with the generation of its slot, so a handle to a
/// removed body is recognised and refused instead of naming its successor. It knows its simulation as well, and another
/// one refuses it. The simulation's number counts within the process: it is neither printed nor written, so that no
/// result depends on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    /// Slot of the body.
    pub index: u32,
    /// How many bodies had the slot before.
    pub generation: u32,
    simulation: u64,
}

impl BodyId {
    /// The handle of a slot of the simulation with the given number; 0 is the number of none.
    pub fn new(simulation: u64, index: u32, generation: u32) -> Self {
        BodyId { index, generation, simulation }
    }

    /// Number of the simulation within the process; 0 for none.
    pub fn simulation(self) -> u64 {
        self.simulation
    }
}

impl fmt::Debug for BodyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BodyId { index, generation, simulation: _ } = self;
        f.debug_struct("BodyId").field("index", index).field("generation", generation).finish_non_exhaustive()
    }
}

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Moves by forces and contacts.
    Dynamic,
    /// Never moves.
    Static,
    /// Moves by a given function of time; contacts act on it without effect.
    Driven,
}

impl BodyKind {
    /// True for a body of finite mass.
    pub fn is_dynamic(self) -> bool {
        self == BodyKind::Dynamic
    }

    /// The word used in scene files and in results.
    pub fn name(self) -> &'static str {
        match self {
            BodyKind::Dynamic => "dynamic",
            BodyKind::Static => "static",
            BodyKind::Driven => "driven",
        }
    }
}
