//! A ball against one triangle of a surface.

use granule_model::{ContactPoint, DVec3};

use super::facet::{Facet, SAME_NORMAL};
use crate::narrow::mix;
use crate::narrow::sphere::push_ball;

/// A centre over the border of two triangles belongs to both when it is within this share of the radius.
const BORDER: f64 = 1e-9;

/// The part of a triangle that is nearest to a point.
enum Region {
    Face,
    Edge(usize),
    Corner(usize),
}

/// A ball with `centre` in axes of the mesh.
pub(super) fn ball_facet(centre: DVec3, radius: f64, facet: &Facet, margin: f64, out: &mut Vec<ContactPoint>) {
    let height = (centre - facet.corners[0]).dot(facet.normal);
    let reach = radius + margin.max(0.0);
    if height.abs() > reach {
        return;
    }
    let near = Near { centre, height, reach, border: BORDER * radius };
    let answer = match region(facet, centre) {
        Region::Face => Some((facet.normal, height)),
        Region::Edge(edge) => at_edge(facet, edge, &near),
        Region::Corner(corner) => at_corner(facet, corner, &near),
    };
    if let Some((normal, distance)) = answer {
        // Near the normal of the triangle it is that of the triangle: flat surfaces must not tilt.
        let normal = if (normal - facet.normal).length() <= SAME_NORMAL { facet.normal } else { normal };
        push_ball(centre, radius, normal, distance, margin, mix(0, facet.index), out);
    }
}

/// A ball over the plane of a triangle.
struct Near {
    centre: DVec3,
    height: f64,
    /// Beyond this distance nothing is of interest.
    reach: f64,
    border: f64,
}

/// Which part of the triangle is nearest to `point` (Ericson 2005, section 5.1.5).
fn region(facet: &Facet, point: DVec3) -> Region {
    for corner in 0..3 {
        let p = facet.corners[corner];
        let (next, last) = (facet.corners[(corner + 1) % 3], facet.corners[(corner + 2) % 3]);
        if (point - p).dot(next - p) <= 0.0 && (point - p).dot(last - p) <= 0.0 {
            return Region::Corner(corner);
        }
    }
    for edge in 0..3 {
        let (p, q) = (facet.corners[edge], facet.corners[(edge + 1) % 3]);
        let along = q - p;
        let within = (point - p).dot(along) >= 0.0 && (point - q).dot(along) <= 0.0;
        if within && (point - p).dot(facet.outward(edge)) >= 0.0 {
            return Region::Edge(edge);
        }
    }
    Region::Face
}

/// Normal and signed distance at an edge; none when the neighbour is nearer.
fn at_edge(facet: &Facet, edge: usize, near: &Near) -> Option<(DVec3, f64)> {
    let (p, q) = (facet.corners[edge], facet.corners[(edge + 1) % 3]);
    let along = q - p;
    let from_corner = near.centre - p;
    let offset = from_corner - from_corner.dot(along) / along.length_squared() * along;
    if offset.length_squared() > near.reach * near.reach {
        return None;
    }
    match facet.across(edge) {
        None if near.height < 0.0 => None,
        None => away(offset, facet.normal, 1.0, near.border),
        Some(neighbour) => {
            let apex = neighbour.apex(p, q) - p;
            // Into the neighbour, perpendicular to the edge.
            let inward = apex - apex.dot(along) / along.length_squared() * along;
            if offset.dot(inward) > near.border * inward.length() {
                return None;
            }
            let outside = offset.dot(facet.normal + neighbour.normal);
            away(offset, facet.normal, outside, near.border)
        }
    }
}

/// Normal and signed distance at a corner; none when another part of the surface around it is nearer.
fn at_corner(facet: &Facet, corner: usize, near: &Near) -> Option<(DVec3, f64)> {
    let vertex = facet.corners[corner];
    let offset = near.centre - vertex;
    if offset.length_squared() > near.reach * near.reach {
        return None;
    }
    let mut outside = 0.0;
    let is_nearest = facet.around(corner, |f| {
        outside += offset.dot(f.normal);
        f.corners.iter().all(|&c| offset.dot(c - vertex) <= near.border * (c - vertex).length())
    });
    let at_rim = [corner, (corner + 2) % 3].iter().any(|&edge| facet.across(edge).is_none());
    if !is_nearest || (at_rim && near.height < 0.0) {
        return None;
    }
    away(offset, facet.normal, outside, near.border)
}

/// From the offset of a centre from the nearest point: normal and distance, both turned over when it lies behind the
/// surface (`outside` negative).
fn away(offset: DVec3, face: DVec3, outside: f64, border: f64) -> Option<(DVec3, f64)> {
    let distance = offset.length();
    if distance <= border {
        return Some((face, offset.dot(face)));
    }
    let sign = if outside < 0.0 { -1.0 } else { 1.0 };
    Some((sign * offset / distance, sign * distance))
}
