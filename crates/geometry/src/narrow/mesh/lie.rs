//! On which side of a surface a point lies, seen from one of its triangles.
//!
//! The plane of a triangle says that only of points over the triangle. So the way goes from triangle to triangle, each
//! nearer to the point than the one before, to the place of the surface that is nearest to the point among those around
//! it. There the side is that of the normal: of the triangle, or of the sum of those around the edge or the corner,
//! weighted by their angles (Baerentzen and Aanaes 2005).

use granule_model::DVec3;

use super::facet::{Facet, Region};
use crate::ground::TriangleSurface;

/// Triangles on the way at most: a body is not many triangles away from those near it.
const STEPS: usize = 256;

/// Where a point lies to the surface around a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// On the side to which the normals point.
    pub(super) is_in_front: bool,
    /// Beyond an edge that no other triangle has: there is only the plane to tell sides by.
    pub(super) is_beside: bool,
}

/// Where `point` lies to the surface around `facet`.
pub(super) fn place_of<S: TriangleSurface>(facet: &Facet<S>, point: DVec3) -> Place {
    let place = |height: f64, is_beside: bool| Place { is_in_front: height >= 0.0, is_beside };
    let mut here = Facet::new(facet.surface, facet.index);
    for _ in 0..STEPS {
        let region = here.region(point);
        let next = match region {
            Region::Face => None,
            Region::Edge(edge) => match beyond_edge(&here, edge, point) {
                Ok(next) => next,
                Err(height) => return place(height, false),
            },
            Region::Corner(corner) => match beyond_corner(&here, corner, point) {
                Ok(next) => Some(next),
                Err(height) => return place(height, false),
            },
        };
        match next {
            Some(next) => here = next,
            None => return place(height(&here, point), matches!(region, Region::Edge(_))),
        }
    }
    place(height(facet, point), false)
}

fn height<S: TriangleSurface>(facet: &Facet<S>, point: DVec3) -> f64 {
    facet.normal.dot(point - facet.corners[0])
}

/// The triangle across `edge`, which is nearest to `point` of all in `here`, where that one is nearer; none at a rim.
/// Else the height of the point over the edge.
fn beyond_edge<'a, S: TriangleSurface>(
    here: &Facet<'a, S>,
    edge: usize,
    point: DVec3,
) -> Result<Option<Facet<'a, S>>, f64> {
    let Some(neighbour) = here.across(edge) else { return Ok(None) };
    let (p, q) = (here.corners[edge], here.corners[(edge + 1) % 3]);
    let (along, from_corner) = (q - p, point - p);
    let offset = from_corner - from_corner.dot(along) / along.length_squared() * along;
    if offset.dot(neighbour.apex(p, q) - p) > 0.0 {
        return Ok(Some(neighbour));
    }
    Err(offset.dot(here.normal + neighbour.normal))
}

/// The triangle around `corner`, which is nearest to `point` of all in `here`, that comes nearest; else the height of
/// the point over the corner.
fn beyond_corner<'a, S: TriangleSurface>(
    here: &Facet<'a, S>,
    corner: usize,
    point: DVec3,
) -> Result<Facet<'a, S>, f64> {
    let vertex = here.corners[corner];
    let offset = point - vertex;
    let (mut best, mut nearer, mut above) = (here.index, 0.0, 0.0);
    here.around(corner, |f| {
        let mut arms = f.corners.map(|c| c - vertex).into_iter().filter(|arm| *arm != DVec3::ZERO);
        let (Some(s), Some(t)) = (arms.next(), arms.next()) else { return true };
        above += offset.dot(f.normal) * libm::atan2(s.cross(t).length(), s.dot(t));
        for arm in [s, t] {
            let along = offset.dot(arm) / arm.length();
            if along > nearer {
                (best, nearer) = (f.index, along);
            }
        }
        true
    });
    if nearer > 0.0 { Ok(Facet::new(here.surface, best)) } else { Err(above) }
}
