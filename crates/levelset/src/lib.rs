//! Signed-distance grids with a narrow band: how far a point is from a surface, and on which side.
//!
//! Floor 1 of the workspace: knows boxes and vectors, no body and no shape. Grids are built from functions, closed
//! meshes and voxel volumes; they give the distance and its gradient near the surface, a bound of the distance
//! anywhere, and the surface as triangles. Whether a mesh is closed and what a grid is used for is left to
//! `granule-geometry`.
//!
//! Distances are in metres, negative inside and positive outside. No length is absolute: each tolerance is a number
//! times the spacing of the grid or an extent of the mesh.

mod at_hand;
mod blocks;
mod build;
mod cell;
mod closest;
mod contour;
mod crossings;
mod dense;
mod error;
mod grid;
mod held;
mod kernel;
mod kinks;
mod lattice;
mod limits;
mod mesh;
mod nodes;
mod probe;
mod scan;
mod solid;
mod surface;
mod tetrahedra;
mod topology;
mod tree;
mod volume;

pub use at_hand::AtHand;
pub use blocks::Storage;
pub use closest::nearest_on_triangle;
pub use crossings::Crossing;
pub use error::LevelSetError;
pub use grid::{LevelSet, Sample};
pub use nodes::{Node, surface_nodes};
pub use probe::{Probe, Probed};
pub use scan::Scan;
pub use surface::Surface;
pub use volume::{Inside, Volume};
