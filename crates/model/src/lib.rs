//! The nouns of granule: body ids, poses, velocities, mass, materials, boxes, contacts.
//!
//! Floor 0 of the workspace: every other crate may import it, it imports no other. It holds plain data with its units,
//! ranges and sign conventions, and no algorithm beyond the algebra of the nouns themselves. Shapes live in
//! `granule-geometry`, the impact laws in `granule-solver`, the order of a step in `granule-engine`.
//!
//! Conventions, valid in every crate: SI units, right-handed world frame, z up. A contact's normal is a unit vector
//! from body B to body A; a gap is positive when the surfaces are apart and negative when they overlap; an impulse acts
//! with its sign on A and with the opposite sign on B. Quaternions are `x, y, z, w` and rotate body axes to world axes.

mod aabb;
mod body;
mod contact;
mod inertia;
mod material;
mod pose;
mod restitution;

pub use aabb::Aabb;
pub use body::{BodyId, BodyKind};
pub use contact::{ContactKey, ContactPoint};
pub use inertia::{InverseInertia, MassProperties};
pub use material::{Coefficients, Material, MaterialError};
pub use pose::{Pose, Velocity};
pub use restitution::RestitutionSpeed;

pub use glam::{DMat3, DQuat, DVec3};
