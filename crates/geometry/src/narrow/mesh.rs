//! Triangle meshes against bodies made of convex pieces.
//!
//! Every triangle near a piece is met on its own, but only along directions that the *surface* allows there, so that a
//! flat or hollow surface cut into triangles acts as one surface:
//!
//! - inside a triangle, and at flat and hollow edges, the normal is that of the triangle, exactly;
//! - at a ridge, a rim or a peak a direction is allowed when no part of the surface beside it rises along it: then it
//!   lies in the cone of normals of that edge or corner;
//! - a contact that only a neighbour can hold is dropped here, and one that several triangles report is kept once;
//! - where a flat edge cuts a body's face, nothing is reported: the corners of the face say the same.
//!
//! Surfaces are two-sided. A piece is held on the side on which it is less deep and has its middle; one so deep that
//! the triangle cannot be the one it touches is not held by it. What is a ridge from one side is a valley from the
//! other.

mod ball;
mod facet;
mod lie;
mod passage;
mod solid;

use std::cell::RefCell;

use granule_model::{ContactPoint, Pose};

use super::compound::Pieces;
use super::tidy::tidy;
use super::{Side, limit_width, mix};
use crate::geometry::Geometry;
use crate::mesh::MeshData;
use facet::Facet;
pub(crate) use passage::passage;

thread_local! {
    /// Triangles near the piece at hand; kept so that a warm step allocates nothing.
    static NEAR: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// A ball, a convex piece or a compound against a mesh at `pose`.
pub(super) fn against_mesh(a: Side, data: &MeshData, pose: &Pose, margin: f64, out: &mut Vec<ContactPoint>) {
    let start = out.len();
    // All in axes of the mesh, so that its normals stay exactly what they are.
    let own = Pose::new(pose.inverse_transform_point(a.pose.position), pose.rotation.conjugate() * a.pose.rotation);
    let pieces = Pieces::of(a.geometry);
    for index in 0..pieces.len() {
        let (geometry, piece_pose) = pieces.get(index, &own);
        let first = out.len();
        NEAR.with_borrow_mut(|near| {
            near.clear();
            data.triangles_near(&crate::bounds::aabb(geometry, &piece_pose).padded(margin), near);
            piece(Side { geometry, pose: &piece_pose }, data, near, margin, out);
        });
        limit_width(&mut out[first..], geometry.half_width());
        pieces.keep_surface(index, &own, first, mix(index as u32, u32::MAX), out);
    }
    tidy(out, start, pieces.size());
    for contact in &mut out[start..] {
        contact.point = pose.transform_point(contact.point);
        contact.normal = pose.transform_vector(contact.normal);
    }
}

/// One convex piece in axes of the mesh against the triangles `near` it.
fn piece(a: Side, data: &MeshData, near: &[u32], margin: f64, out: &mut Vec<ContactPoint>) {
    match a.geometry {
        Geometry::Sphere { radius } => {
            for &t in near {
                ball::ball_facet(a.pose.position, *radius, &Facet::new(data, t), margin, out);
            }
        }
        _ => solid::solid_facets(a, data, near, margin, out),
    }
}
