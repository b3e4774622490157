//! Forces on single bodies: the drag of a resting fluid, global damping, and a hook for forces of the embedding
//! program.
//!
//! [`Drag`] turns the velocity that a body would have after a step into the one that it has in a fluid, [`Damping`]
//! takes a share of the one that it has before; [`ForceField`] is what the embedding program implements to push bodies
//! as it likes. Gravity itself is one vector and needs no code here. Forces between bodies are impulses and belong to
//! `granule-solver`; when in a step forces act is for `granule-engine` to say, and poses are moved by
//! `granule-integrator`.

mod damping;
mod drag;
mod field;
mod spin;

pub use damping::Damping;
pub use drag::{Drag, DragError};
pub use field::{BodyView, Force, ForceField};
