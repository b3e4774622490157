//! Convex bodies against a plane: every corner within the margin is a contact of its own.

use granule_model::{Aabb, ContactPoint, DMat3, DVec3, Pose};

use super::capsule::Core;
use super::field::Field;
use super::grain::grain_wall;
use super::rim::Rim;
use super::sphere::push_ball;
use super::{Side, limit_width};
use crate::distance::Distance;
use crate::geometry::Geometry;

/// A solid half-space in the world: all points `p` with `normal . (p - foot) <= 0`.
pub(super) struct Plane {
    normal: DVec3,
    foot: DVec3,
    /// Keys of the contacts with this plane start here.
    first_feature: u32,
}

/// Corners of one body at most; keys of the planes of a container lie this far apart.
const FEATURES_PER_PLANE: u32 = 1 << 24;

impl Plane {
    /// The half-space `normal . p <= offset` \[m\] of a body at `pose`; `index` tells it from the body's other planes.
    pub(super) fn new(pose: &Pose, normal: DVec3, offset: f64, index: u32) -> Self {
        let normal = pose.transform_vector(normal);
        Plane { normal, foot: pose.position + offset * normal, first_feature: index * FEATURES_PER_PLANE }
    }

    /// Signed height of `point` above the surface \[m\].
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.foot)
    }

    /// The half-space in axes of a body at `pose`.
    pub(super) fn seen_from(&self, pose: &Pose) -> Seen {
        Seen { normal: pose.inverse_transform_vector(self.normal), height: self.height(pose.position) }
    }

    fn push_corner(&self, corner: DVec3, feature: u32, margin: f64, out: &mut Vec<ContactPoint>) {
        let gap = self.height(corner);
        if gap <= margin {
            let feature = self.first_feature + feature;
            let point = corner - 0.5 * gap * self.normal;
            out.push(ContactPoint { point, normal: self.normal, gap, half_width: f64::INFINITY, feature });
        }
    }
}

/// A solid half-space in axes of a body.
pub(super) struct Seen {
    normal: DVec3,
    /// Of the centre of the body above the surface \[m\].
    height: f64,
}

impl Seen {
    /// False when a box in axes of the body lies above the margin.
    pub(super) fn may_meet(&self, bounds: &Aabb, margin: f64) -> bool {
        let centre = self.height + self.normal.dot(bounds.center());
        centre - self.normal.abs().dot(0.5 * bounds.size()) <= margin
    }
}

impl Field for Plane {
    fn bound(&self, point: DVec3) -> f64 {
        self.height(point)
    }

    fn quick(&self, point: DVec3) -> Option<Distance> {
        Some(Distance { value: self.height(point), outward: self.normal })
    }
}

/// One convex piece against a plane.
pub(super) fn convex_plane(a: Side, plane: &Plane, margin: f64, out: &mut Vec<ContactPoint>) {
    let (pose, first, start) = (a.pose, plane.first_feature, out.len());
    match a.geometry {
        Geometry::Sphere { radius } => {
            push_ball(pose.position, *radius, plane.normal, plane.height(pose.position), margin, first, out);
        }
        Geometry::Capsule { radius, half_length } => {
            let core = Core::new(pose, *half_length);
            for (feature, end) in core.ends().into_iter().enumerate() {
                push_ball(end, *radius, plane.normal, plane.height(end), margin, first + feature as u32, out);
            }
        }
        Geometry::Cuboid { half } => cuboid_plane(*half, pose, plane, margin, out),
        Geometry::Convex(data) => {
            let local = pose.inverse_transform_vector(plane.normal);
            let height = plane.height(pose.position);
            for (feature, &corner) in data.vertices.iter().enumerate() {
                // Only the corners that touch are taken to the world.
                if height + local.dot(corner) <= margin {
                    plane.push_corner(pose.transform_point(corner), feature as u32, margin, out);
                }
            }
        }
        Geometry::Grain(data) => {
            grain_wall((data, pose), (plane, &Pose::IDENTITY), (margin, first), out, &mut |_| {});
        }
        Geometry::Cylinder(cylinder) => {
            let down = -pose.inverse_transform_vector(plane.normal);
            for (feature, corner) in Rim::facing(cylinder, down, None).named() {
                plane.push_corner(pose.transform_point(corner), feature, margin, out);
            }
        }
        Geometry::Compound(_)
        | Geometry::HalfSpace { .. }
        | Geometry::Container(_)
        | Geometry::Drum(_)
        | Geometry::Mesh(_)
        | Geometry::HeightField(_)
        | Geometry::ContourGround(_) => {}
    }
    limit_width(&mut out[start..], a.geometry.half_width());
}

fn cuboid_plane(half: DVec3, pose: &Pose, plane: &Plane, margin: f64, out: &mut Vec<ContactPoint>) {
    let axes = DMat3::from_quat(pose.rotation);
    let reach = (axes.transpose() * plane.normal).abs().dot(half);
    // Not the opposite comparison: NaN must give no contact.
    let is_near = plane.height(pose.position) - reach <= margin;
    if !is_near {
        return;
    }
    for corner in 0..8_u32 {
        let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let local = half * DVec3::new(sign(0), sign(1), sign(2));
        plane.push_corner(pose.position + axes * local, corner, margin, out);
    }
}
