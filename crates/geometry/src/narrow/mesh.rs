//! Triangle meshes against bodies made of convex pieces.

use granule_model::{ContactPoint, Pose};

use super::Side;
use crate::mesh::MeshData;

/// In work.
pub(super) fn against_mesh(_a: Side, _data: &MeshData, _pose: &Pose, _margin: f64, _out: &mut Vec<ContactPoint>) {}
