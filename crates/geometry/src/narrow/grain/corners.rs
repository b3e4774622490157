//! The points of a convex piece that may touch a hollow or flat place of a grain.

use granule_model::DVec3;

use crate::geometry::Geometry;
use crate::surface::cuboid_corners;

/// Calls `visit` with number, place (axes of the piece \[m\]) and radius \[m\] of each corner of a piece: the middle of
/// a ball, the ends of a capsule's axis.
///
/// Edges and faces of the piece are met by the nodes of the grain.
pub(in crate::narrow) fn for_each_corner(piece: &Geometry, mut visit: impl FnMut(u32, DVec3, f64)) {
    match piece {
        Geometry::Sphere { radius } => visit(0, DVec3::ZERO, *radius),
        Geometry::Capsule { radius, half_length } => {
            visit(0, DVec3::NEG_Z * *half_length, *radius);
            visit(1, DVec3::Z * *half_length, *radius);
        }
        Geometry::Cuboid { half } => {
            cuboid_corners(*half).into_iter().enumerate().for_each(|(i, corner)| visit(i as u32, corner, 0.0));
        }
        Geometry::Convex(data) => {
            data.vertices.iter().enumerate().for_each(|(i, corner)| visit(i as u32, *corner, 0.0));
        }
        // Its ends and rims are met by the nodes, as edges are.
        _ => {}
    }
}

/// Distance of a corner from the plane of a face that it belongs to, over the size of the piece, at most.
const ON_FACE: f64 = 1e-9;

/// Calls `visit` with the outward normal of each face at a corner of a piece, in its axes; a round piece has none.
pub(in crate::narrow) fn for_each_face_at(piece: &Geometry, corner: DVec3, mut visit: impl FnMut(DVec3)) {
    match piece {
        Geometry::Cuboid { .. } => {
            [DVec3::X, DVec3::Y, DVec3::Z].into_iter().for_each(|axis| visit(axis * axis.dot(corner).signum()));
        }
        Geometry::Convex(data) => {
            let size = corner.length();
            let at = data.faces.iter().filter(|face| face.offset - face.normal.dot(corner) <= ON_FACE * size);
            at.for_each(|face| visit(face.normal));
        }
        _ => {}
    }
}
