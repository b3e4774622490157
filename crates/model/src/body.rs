//! Names of bodies and what kinds there are.

use serde::{Deserialize, Serialize};

/// Handle of a body: stays valid and unique for the life of a simulation, also after other bodies are removed.
///
/// Inside a step bodies are dense `u32` indices; a handle is an index with the generation of its slot, so a handle to a
/// removed body is recognised and refused instead of naming its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId {
    /// Slot of the body.
    pub index: u32,
    /// How many bodies had the slot before.
    pub generation: u32,
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
