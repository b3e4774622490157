//! Shapes, their exact mass properties, and the narrow phase.
//!
//! Floor 2: imports `granule-model` and, alone in the workspace, parry. It knows no velocity, no material, no law.

mod bounds;
mod build;
mod build_grain;
mod build_volume;
mod check;
mod closed_mesh;
mod contour_ground;
mod convex;
mod cylinder;
mod decompose;
mod distance;
mod distance_field;
mod drum;
mod error;
mod faces;
mod geometry;
mod grain;
mod ground;
mod height_field;
mod highest;
mod hull;
mod joints;
mod limits;
mod mass;
mod mesh;
mod narrow;
mod nearing;
mod shape;
mod surface;

pub use build_grain::GrainOptions;
pub use distance_field::{DistanceField, SignedDistance};
pub use error::ShapeError;
pub use granule_levelset::{Inside, Volume as VoxelVolume};
pub use height_field::HeightField;
pub use narrow::{Spot, balls, contacts, contacts_and_spots, contacts_at, contacts_nearing, leeway, passage};
pub use nearing::Nearing;
pub use shape::{Flatness, Rounding, Shape};
pub use surface::{Primitive, Surface};
