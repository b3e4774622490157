//! What the nodes of a grain ask of the body that they may touch: how far away its surface is, and which way.
//!
//! Everything is in the axes of that body: of the grid for level sets, of the piece for others.

use granule_levelset::{LevelSet, Probe, Probed, Sample};
use granule_model::{DVec3, Pose};

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

    /// By how much less than the margin what lies within `radius` of a point may come nearer, where the surface looks
    /// along `outward` \[m\].
    fn spare(&self, _point: DVec3, _radius: f64, _outward: DVec3) -> f64 {
        0.0
    }

    /// What the nodes of a body ask, whose axes `to_field` takes to those of the field.
    fn search<'a>(&'a self, to_field: &'a Pose) -> impl Search + 'a
    where
        Self: Sized,
    {
        Placed { field: self, to_field }
    }
}

/// A field seen from the axes of a body.
pub(super) trait Search {
    /// Whether a sphere about `centre` may come within `margin` of the surface \[m\]; false for NaN.
    fn is_near(&self, centre: DVec3, radius: f64, margin: f64) -> bool;

    /// The distance of a node that is within `margin` of the surface, to the accuracy of a search.
    fn within(&self, node: [f32; 3], margin: f64) -> Option<Distance>;
}

/// A field with where it is.
pub(super) struct Placed<'a, F> {
    pub(super) field: &'a F,
    pub(super) to_field: &'a Pose,
}

impl<F: Field> Search for Placed<'_, F> {
    fn is_near(&self, centre: DVec3, radius: f64, margin: f64) -> bool {
        self.field.bound(self.to_field.transform_point(centre)) - radius <= margin
    }

    fn within(&self, node: [f32; 3], margin: f64) -> Option<Distance> {
        let point = DVec3::from_array(node.map(f64::from));
        self.field.quick(self.to_field.transform_point(point)).filter(|distance| distance.value <= margin)
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

    fn search<'a>(&'a self, to_field: &'a Pose) -> impl Search + 'a {
        Probing { placed: Placed { field: self, to_field }, probe: self.0.probe(to_field) }
    }
}

/// A contour with a probe into its grid, which is quicker where it knows the distance.
struct Probing<'a> {
    placed: Placed<'a, Contour<'a>>,
    probe: Option<Probe<'a>>,
}

impl Probing<'_> {
    #[inline]
    fn find(&self, point: [f32; 3]) -> Option<Probed> {
        self.probe.as_ref()?.find(point)
    }
}

impl Search for Probing<'_> {
    fn is_near(&self, centre: DVec3, radius: f64, margin: f64) -> bool {
        match self.find(centre.as_vec3().to_array()) {
            Some(probed) => {
                let slack = INTERPOLATED * self.placed.field.0.spacing();
                f64::from(probed.value) - slack - radius <= margin
            }
            None => self.placed.is_near(centre, radius, margin),
        }
    }

    fn within(&self, node: [f32; 3], margin: f64) -> Option<Distance> {
        let Some(Probed { value, gradient }) = self.find(node) else { return self.placed.within(node, margin) };
        let value = f64::from(value);
        (value <= margin).then(|| of_sample(Sample { value, gradient: DVec3::from_array(gradient.map(f64::from)) }))?
    }
}

/// What interpolation between the corners of a cell may exceed a distance by, in cells.
///
/// A function with second derivatives k along the axes is exceeded by the sum of k / 8 at most: a ball of radius R
/// cells by 1 / (4 R). Over a corner or an edge within the cell it may be more, up to 0.87; those have nodes of their
/// own, which are asked for in the distances of the other grain.
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

/// A distance from a value and a gradient of any length.
pub(super) fn of_sample(sample: Sample) -> Option<Distance> {
    let slope = sample.gradient.length();
    (slope > 0.0).then(|| Distance { value: sample.value, outward: sample.gradient / slope })
}
