//! The rim of solid ground: the edge between its surface and the vertical wall below, slightly rounded.
//!
//! At a sharp edge the direction to the nearest surface is that from the edge outside, and jumps from one face to the
//! other inside: a grain that tips over it by a hair of overlap would be held along the surface, not along its own
//! face. Rounded by more than the overlap, the edge has one direction for both.

use granule_model::DVec3;

use crate::distance::Distance;

/// Radius of the edge, over half the smallest width of the body that meets it: twice the overlap that is allowed for.
/// A right angle recedes by 0.8 % of that width.
pub(super) const ROUND: f64 = 0.02;
/// Square of the sine between two faces, below which they are one.
const ONE_FACE: f64 = 1e-6;

/// Two faces of the ground and the rounded edge between them.
pub(super) struct Ledge {
    /// Unit normal of the surface.
    pub(super) normal: DVec3,
    /// Unit normal of the wall.
    pub(super) outward: DVec3,
    /// Radius of the edge \[m\].
    pub(super) round: f64,
}

impl Ledge {
    /// Distance of the point at the height `above` over the plane of the surface and so far `beyond` that of the wall
    /// \[m\].
    pub(super) fn distance(&self, above: f64, beyond: f64) -> Distance {
        if let Some([along_normal, along_outward]) = self.parts([above + self.round, beyond + self.round])
            && along_normal > 0.0
            && along_outward > 0.0
        {
            let way = along_normal * self.normal + along_outward * self.outward;
            let length = way.length();
            return Distance { value: length - self.round, outward: way / length };
        }
        if above >= beyond {
            Distance { value: above, outward: self.normal }
        } else {
            Distance { value: beyond, outward: self.outward }
        }
    }

    /// The axis of the rounded edge, for a point of the sharp one.
    pub(super) fn axis(&self, edge: DVec3) -> DVec3 {
        edge - self.round / (1.0 + self.normal.dot(self.outward)) * (self.normal + self.outward)
    }

    /// Whether the edge holds a body along a unit vector: whether it lies between both normals, across the edge, up to
    /// an angle of `level`.
    pub(super) fn holds(&self, direction: DVec3, level: f64) -> bool {
        let along = direction.dot(self.normal.cross(self.outward));
        let parts = self.parts([direction.dot(self.normal), direction.dot(self.outward)]);
        along.abs() <= level && parts.is_some_and(|parts| parts.iter().all(|&part| part >= -level))
    }

    /// The shares of both normals in a vector with these components along them; none where the normals are one.
    fn parts(&self, [normal, outward]: [f64; 2]) -> Option<[f64; 2]> {
        let cosine = self.normal.dot(self.outward);
        let squared = 1.0 - cosine * cosine;
        (squared > ONE_FACE).then(|| [(normal - cosine * outward) / squared, (outward - cosine * normal) / squared])
    }
}
