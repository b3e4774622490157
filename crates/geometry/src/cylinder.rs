//! A round cylinder with flat ends: its nearest points, its reach and its extreme points, all in closed form.
//!
//! Everything here is in body axes: the axis along z, the middle at the origin.

use granule_model::DVec3;

/// A cylinder about the z axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cylinder {
    /// Distance of the side from the axis \[m\].
    pub(crate) radius: f64,
    /// Distance of either end from the middle \[m\].
    pub(crate) half_length: f64,
}

impl Cylinder {
    /// Largest distance of a surface point from the middle \[m\].
    pub(crate) fn bounding_radius(&self) -> f64 {
        DVec3::new(self.radius, 0.0, self.half_length).length()
    }

    /// How far the surface reaches along the unit vector `direction` \[m\].
    pub(crate) fn reach(&self, direction: DVec3) -> f64 {
        self.radius * across(direction).length() + self.half_length * direction.z.abs()
    }

    /// A point of a rim that reaches farthest along `direction`.
    pub(crate) fn farthest(&self, direction: DVec3) -> DVec3 {
        self.rim(across(direction).normalize_or(DVec3::X), direction.z >= 0.0)
    }

    /// The point of the high or low rim in the direction `outward`, a unit vector across the axis.
    pub(crate) fn rim(&self, outward: DVec3, is_high: bool) -> DVec3 {
        let end = if is_high { self.half_length } else { -self.half_length };
        (self.radius * outward).with_z(end)
    }

    /// The point of the solid that is nearest to `point`; itself where it is inside.
    pub(crate) fn nearest(&self, point: DVec3) -> DVec3 {
        let distance = across(point).length();
        let shrink = if distance > self.radius { self.radius / distance } else { 1.0 };
        DVec3::new(point.x * shrink, point.y * shrink, point.z.clamp(-self.half_length, self.half_length))
    }

    /// How far it is from `point`, inside, to the surface along the unit vector `direction` \[m\].
    pub(crate) fn room(&self, point: DVec3, direction: DVec3) -> f64 {
        let (from, along) = (across(point), across(direction));
        let (a, b, c) = (along.length_squared(), from.dot(along), from.length_squared() - self.radius * self.radius);
        let side = if a > 0.0 { ((b * b - a * c).max(0.0).sqrt() - b) / a } else { f64::INFINITY };
        let end = (self.half_length - point.z * 1f64.copysign(direction.z)) / direction.z.abs();
        // Along the axis or across it one of the two is without bound, or no number.
        side.min(end).max(0.0)
    }

    /// Height of `point` above the higher of the side and the nearer end, negative inside: there the depth \[m\].
    pub(crate) fn height(&self, point: DVec3) -> f64 {
        (across(point).length() - self.radius).max(point.z.abs() - self.half_length)
    }

    /// Outward unit normals of the side and of the nearer end beside `point`, with its heights above both \[m\].
    pub(crate) fn faces_at(&self, point: DVec3) -> [(DVec3, f64); 2] {
        let outward = across(point);
        let side = (outward.normalize_or(DVec3::X), outward.length() - self.radius);
        [side, (DVec3::Z * 1f64.copysign(point.z), point.z.abs() - self.half_length)]
    }

    /// Outward unit normal at the surface nearest to `point`, and the signed distance from it \[m\].
    ///
    /// A point nearer to the surface than `near` \[m\] from outside has no reliable direction: that of the side or the
    /// end counts.
    pub(crate) fn signed_distance(&self, point: DVec3, near: f64) -> (DVec3, f64) {
        let offset = point - self.nearest(point);
        let distance = offset.length();
        if distance > near {
            return (offset / distance, distance);
        }
        let [side, end] = self.faces_at(point);
        if side.1 >= end.1 { side } else { end }
    }
}

/// The part of `v` across the axis.
pub(crate) fn across(v: DVec3) -> DVec3 {
    v.with_z(0.0)
}
