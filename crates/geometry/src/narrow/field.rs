//! What the nodes of a grain ask of the body that they may touch: how far away its surface is, and which way.
//!
//! Everything is in the axes of that body: of the grid for level sets, of the piece for others.

use granule_levelset::{LevelSet, Sample};
use granule_model::DVec3;

use crate::cylinder::across;
use crate::distance::{Distance, distance, highest_face};
use crate::geometry::Geometry;

/// Signed distances of one body.
pub(super) trait Field {
    /// Bound of the signed distance of `point`: at most the distance outside, at least it inside \[m\].
    fn bound(&self, point: DVec3) -> f64;

    /// The signed distance, to the accuracy of a search; none where it is not known.
    fn quick(&self, point: DVec3) -> Option<Distance>;

    /// The signed distance as exact as it is known, with a direction that changes without jumps where the surface is
    /// smooth.
    fn exact(&self, point: DVec3) -> Option<Distance> {
        self.quick(point)
    }
}

/// The inside of a round wall about the z axis: all points beyond `radius` are solid.
pub(super) struct Bore {
    pub(super) radius: f64,
}

impl Field for Bore {
    fn bound(&self, point: DVec3) -> f64 {
        self.radius - across(point).length()
    }

    fn quick(&self, point: DVec3) -> Option<Distance> {
        // On the axis every direction is as near.
        Some(Distance { value: self.bound(point), outward: -across(point).normalize_or(DVec3::X) })
    }
}

/// A convex piece other than a grain.
pub(super) struct Piece<'a>(pub(super) &'a Geometry);

impl Field for Piece<'_> {
    fn bound(&self, point: DVec3) -> f64 {
        match self.0 {
            Geometry::Convex(data) => highest_face(data, point).0,
            other => distance(other, point).map_or(f64::INFINITY, |d| d.value),
        }
    }

    fn quick(&self, point: DVec3) -> Option<Distance> {
        distance(self.0, point)
    }
}

/// The contour of a level set.
pub(super) struct Contour<'a>(pub(super) &'a LevelSet);

impl Field for Contour<'_> {
    /// Tighter than the bound of the grid, which counts a cell for where a point lies in its cell; see
    /// [`INTERPOLATED`] for where it may fail.
    fn bound(&self, point: DVec3) -> f64 {
        let bounds = self.0.bounds();
        let nearest = point.clamp(bounds.min, bounds.max);
        let Some(sample) = self.0.sample(nearest) else { return self.0.bound(point) };
        let slack = INTERPOLATED * self.0.spacing();
        let inside = if sample.value > 0.0 { (sample.value - slack).max(0.0) } else { (sample.value + slack).min(0.0) };
        let away = point - nearest;
        if away == DVec3::ZERO { inside } else { away.extend(inside.max(0.0)).length() }
    }

    fn quick(&self, point: DVec3) -> Option<Distance> {
        self.0.sample(point).map_or_else(|| self.afar(point), of_sample)
    }

    fn exact(&self, point: DVec3) -> Option<Distance> {
        match self.0.contour(point) {
            Some(Sample { value, gradient }) => Some(Distance { value, outward: gradient }),
            None => self.afar(point),
        }
    }
}

/// What interpolation between the corners of a cell may exceed a distance by, in cells.
///
/// A function with second derivatives k along the axes is exceeded by the sum of k / 8 at most: a ball of radius R cells
/// by 1 / (4 R). Over a corner or an edge within the cell it may be more, up to 0.87; those have nodes of their own, which
/// are asked for in the distances of the other grain.
const INTERPOLATED: f64 = 0.3;
/// Steps towards the band of a point beyond it, at most.
const STEPS_TO_BAND: usize = 64;

impl Contour<'_> {
    /// Distance of a point outside of the band: that from the place on the contour that is met on the way in.
    ///
    /// An upper bound, exact where the surface is flat or the point lies along its normal there. Points so far inside
    /// that no distance is known have none.
    fn afar(&self, point: DVec3) -> Option<Distance> {
        let bounds = self.0.bounds();
        let mut at = point.clamp(bounds.min, bounds.max);
        let centre = bounds.center();
        for _ in 0..STEPS_TO_BAND {
            if let Some(near) = self.0.sample(at).and_then(of_sample) {
                let apart = point - (at - near.value * near.outward);
                let distance = apart.length();
                let is_outside = near.value > 0.0 && distance > 0.0;
                return is_outside.then(|| Distance { value: distance, outward: apart / distance });
            }
            let bound = self.0.bound(at);
            if bound.is_nan() || bound <= 0.0 {
                return None;
            }
            at += (centre - at).clamp_length_max(bound.max(0.5 * self.0.spacing()));
        }
        None
    }
}

fn of_sample(sample: Sample) -> Option<Distance> {
    let slope = sample.gradient.length();
    (slope > 0.0).then(|| Distance { value: sample.value, outward: sample.gradient / slope })
}
