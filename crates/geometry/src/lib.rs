//! Shapes, their exact mass properties, and the narrow phase.
//!
//! Floor 2: imports `granule-model` and, alone in the workspace, parry. It knows no velocity, no material, no law.

mod convex;
mod faces;
mod geometry;
mod hull;
mod mesh;
mod shape;

pub use shape::{Primitive, Shape, ShapeError, Surface};
