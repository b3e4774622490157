//! Signed distances from a height field.

use granule_levelset::nearest_on_triangle;
use granule_model::{Aabb, DVec3};

use super::HeightField;
use crate::ground::TriangleSurface;

impl HeightField {
    /// Signed distance of `point` from the surface, negative below it \[m\]; where it is farther than `reach` \[m\],
    /// that with its sign.
    ///
    /// Beyond the outline the ground is taken to go on as it is at the nearest place of the rim.
    pub(crate) fn signed_distance(&self, point: DVec3, reach: f64) -> f64 {
        let bounds = self.bounds();
        let at =
            DVec3::new(point.x.clamp(bounds.min.x, bounds.max.x), point.y.clamp(bounds.min.y, bounds.max.y), point.z);
        let below = self.triangle_at(at.x, at.y);
        let rise = below.map_or(f64::INFINITY, |t| point.z - self.height_of_plane(t, at.x, at.y));
        // No way is shorter than the shortest: neither straight down nor to the triangle below.
        let reach = reach.min(rise.abs());
        let mut squared = reach * reach;
        if let Some(triangle) = below {
            squared = squared.min((at - nearest_on_triangle(at, self.corners(triangle))).length_squared());
        }
        let region = Aabb::new(at, at).padded(squared.sqrt());
        self.each_near(&region, |corners| {
            if beside(at, &corners) < squared {
                squared = squared.min((at - nearest_on_triangle(at, corners)).length_squared());
            }
        });
        squared.sqrt().copysign(rise)
    }

    /// Calls `visit` with the corners of each triangle whose box meets `region`.
    fn each_near(&self, region: &Aabb, mut visit: impl FnMut([DVec3; 3])) {
        let near = [0, 1].map(|axis| self.quads_along(axis, [region.min[axis], region.max[axis]]));
        self.each_tile_near(region, |_, quads| {
            let both = [0, 1].map(|axis| quads[axis].start.max(near[axis].start)..quads[axis].end.min(near[axis].end));
            self.each_triangle(both, |_, corners| visit(corners));
        });
    }
}

/// Square of the distance from the box around a triangle \[m2\]: no point of it is nearer.
fn beside(point: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let (low, high) = (a.min(*b).min(*c), a.max(*b).max(*c));
    (low - point).max(point - high).max(DVec3::ZERO).length_squared()
}
