//! A ball against one triangle of a surface.

use granule_model::{ContactPoint, DVec3};

use super::Held;
use super::facet::{Facet, Region};
use super::keys::OF_BALL;
use crate::ground::TriangleSurface;
use crate::narrow::sphere::push_ball;

/// A centre over the border of two triangles belongs to both when it is within this share of the radius.
const BORDER: f64 = 1e-9;

/// A ball with `centre` in axes of the mesh.
pub(super) fn ball_facet<S: TriangleSurface>(
    centre: DVec3,
    radius: f64,
    facet: &Facet<S>,
    (held, margin): (Held, f64),
    out: &mut Vec<ContactPoint>,
) {
    let height = (centre - facet.corners[0]).dot(facet.normal);
    let reach = radius + margin.max(0.0);
    if height.abs() > reach || (held == Held::Above && height < 0.0) {
        return;
    }
    let near = Near { centre, reach, border: BORDER * radius };
    let face = if height < 0.0 { -facet.normal } else { facet.normal };
    let answer = match facet.region(centre) {
        Region::Face => Some((face, height.abs())),
        Region::Edge(edge) => at_edge(facet, edge, face, &near),
        Region::Corner(corner) => at_corner(facet, corner, face, &near),
    };
    if let Some((normal, distance)) = answer {
        // Near the normal of the triangle it is that of the triangle: flat surfaces must not tilt.
        let normal = if facet.is_face(normal) { face } else { normal };
        push_ball(centre, radius, normal, distance, margin, OF_BALL, out);
    }
}

/// A ball over the plane of a triangle.
struct Near {
    centre: DVec3,
    /// Beyond this distance nothing is of interest.
    reach: f64,
    border: f64,
}

/// Normal and distance at an edge, for a ball on the side of `face`; none when the neighbour is nearer.
fn at_edge<S: TriangleSurface>(facet: &Facet<S>, edge: usize, face: DVec3, near: &Near) -> Option<(DVec3, f64)> {
    let (p, q) = (facet.corners[edge], facet.corners[(edge + 1) % 3]);
    let along = q - p;
    let from_corner = near.centre - p;
    let offset = from_corner - from_corner.dot(along) / along.length_squared() * along;
    if offset.length_squared() > near.reach * near.reach {
        return None;
    }
    if let Some(neighbour) = facet.across(edge) {
        let apex = neighbour.apex(p, q) - p;
        // Into the neighbour, perpendicular to the edge.
        let inward = apex - apex.dot(along) / along.length_squared() * along;
        if offset.dot(inward) > near.border * inward.length() {
            return None;
        }
    }
    Some(away(offset, face, near.border))
}

/// Normal and distance at a corner, for a ball on the side of `face`; none when another part of the surface around it
/// is nearer.
fn at_corner<S: TriangleSurface>(facet: &Facet<S>, corner: usize, face: DVec3, near: &Near) -> Option<(DVec3, f64)> {
    let vertex = facet.corners[corner];
    let offset = near.centre - vertex;
    if offset.length_squared() > near.reach * near.reach {
        return None;
    }
    let is_nearest = facet
        .around(corner, |f| f.corners.iter().all(|&c| offset.dot(c - vertex) <= near.border * (c - vertex).length()));
    is_nearest.then(|| away(offset, face, near.border))
}

/// Normal and distance from the offset of a centre from the nearest point; one that lies on it leaves along `face`.
fn away(offset: DVec3, face: DVec3, border: f64) -> (DVec3, f64) {
    let distance = offset.length();
    if distance <= border { (face, offset.dot(face)) } else { (offset / distance, distance) }
}
