//! Signed distances from a height field.

use granule_levelset::nearest_on_triangle;
use granule_model::{Aabb, DVec3};

use super::HeightField;

impl HeightField {
    /// Signed distance of `point` from the surface, negative below it \[m\]; where it is farther than `reach` \[m\],
    /// that with its sign.
    ///
    /// Beyond the outline the ground is taken to go on as it is at the nearest place of the rim.
    pub(crate) fn signed_distance(&self, point: DVec3, reach: f64) -> f64 {
        let bounds = self.bounds();
        let at =
            DVec3::new(point.x.clamp(bounds.min.x, bounds.max.x), point.y.clamp(bounds.min.y, bounds.max.y), point.z);
        let rise = self.height_at(at.x, at.y).map_or(f64::INFINITY, |height| point.z - height);
        // Straight down is no shorter way than the shortest.
        let reach = reach.min(rise.abs());
        let mut squared = reach * reach;
        let region = Aabb::new(at - DVec3::splat(reach), at + DVec3::splat(reach));
        self.each_near(&region, |corners| {
            squared = squared.min((at - nearest_on_triangle(at, corners)).length_squared())
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
