//! Convex pieces inside a round wall.
//!
//! The wall is hollow: the distance of a point from its axis is a convex function, so a convex body is nearest to the
//! wall at its corners and never along an edge or a face. Corners, the ends of a capsule's core and the farthest points
//! of a cylinder's rims say all, exactly. The normal leads to the axis.
//!
//! Seen along the wall's axis a rim is an ellipse. With `(a, b)` its centre by its long and its short axis, `r` and `k
//! r` half their lengths, `f = (a + r cos)^2 + (b + k r sin)^2` is the squared distance from the axis, and `f' = 2 r (k
//! b cos - a sin - r (1 - k^2) sin cos)`. There are one or two maxima: in the quadrant of the centre, where `f' / (sin
//! cos)` only falls, and in the one beside it across the short axis, where it is convex.

use granule_model::{ContactPoint, DVec3, Pose};

use super::capsule::Core;
use super::field::Bore;
use super::grain::grain_wall;
use super::{Side, limit_width};
use crate::cylinder::{Cylinder, across};
use crate::drum::Drum;
use crate::geometry::Geometry;

/// Steps of the search for the farthest point of a rim: each halves what is left, to rounding.
const HALVINGS: usize = 64;
/// Keys of the contacts with the wall start here, beyond those with the flat ends.
const WALL: u32 = 1 << 28;

/// One convex piece against the round wall of a drum at `pose`.
pub(super) fn convex_wall(a: Side, drum: &Drum, pose: &Pose, margin: f64, out: &mut Vec<ContactPoint>) {
    let start = out.len();
    let wall = Wall { drum, pose, margin };
    // In axes of the drum.
    let own = pose.inverse().compose(a.pose);
    match a.geometry {
        Geometry::Sphere { radius } => wall.push(own.position, *radius, 0, out),
        Geometry::Capsule { radius, half_length } => {
            let ends = Core::new(&own, *half_length).ends();
            (0..).zip(ends).for_each(|(feature, end)| wall.push(end, *radius, feature, out));
        }
        Geometry::Cuboid { half } => {
            let corners = crate::surface::cuboid_corners(*half);
            (0..).zip(corners).for_each(|(feature, corner)| wall.push(own.transform_point(corner), 0.0, feature, out));
        }
        Geometry::Convex(data) => {
            let corners = (0..).zip(&data.vertices);
            corners.for_each(|(feature, corner)| wall.push(own.transform_point(*corner), 0.0, feature, out));
        }
        Geometry::Cylinder(cylinder) => {
            let is_far = drum.radius - across(own.position).length() > cylinder.bounding_radius() + margin;
            if is_far {
                return;
            }
            for (end, is_high) in [(0, false), (1, true)] {
                for (feature, point) in farthest_of_rim(cylinder, is_high, &own).into_iter().flatten() {
                    wall.push(point, 0.0, 4 * end + feature, out);
                }
            }
        }
        Geometry::Grain(grain) => {
            grain_wall((grain, a.pose), (&Bore { radius: drum.radius }, pose), (margin, WALL), out, &mut |_| {})
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

/// The inside of a round wall.
struct Wall<'a> {
    drum: &'a Drum,
    pose: &'a Pose,
    margin: f64,
}

impl Wall<'_> {
    /// Pushes the contact of a ball about `centre`, in axes of the wall.
    fn push(&self, centre: DVec3, radius: f64, feature: u32, out: &mut Vec<ContactPoint>) {
        let outward = across(centre);
        let distance = outward.length();
        let gap = self.drum.radius - distance - radius;
        if gap <= self.margin {
            // On the axis every direction is as near.
            let outward = if distance > 0.0 { outward / distance } else { DVec3::X };
            let point = centre + (radius + 0.5 * gap) * outward;
            out.push(ContactPoint {
                point: self.pose.transform_point(point),
                normal: -self.pose.transform_vector(outward),
                gap,
                half_width: f64::INFINITY,
                feature: WALL + feature,
            });
        }
    }
}

/// The points of a rim of a cylinder at `own` that are farther from the z axis than those beside them, and a name each.
fn farthest_of_rim(cylinder: &Cylinder, is_high: bool, own: &Pose) -> [Option<(u32, DVec3)>; 2] {
    let axis = own.transform_vector(DVec3::Z);
    let end = if is_high { cylinder.half_length } else { -cylinder.half_length };
    let (centre, r) = (own.position + end * axis, cylinder.radius);
    // Where the rim is level its ellipse is a circle, and every direction is a long axis.
    let long = DVec3::Z.cross(axis).try_normalize().unwrap_or_else(|| across(centre).normalize_or(DVec3::X));
    let short = axis.cross(long);
    let slope = across(short);
    let (k, flat) = (slope.length(), slope.normalize_or_zero());
    let (a, b) = (centre.dot(long), centre.dot(flat));
    let point = |cos: f64, sin: f64| centre + r * (cos * long + sin * short);
    let (sign_a, sign_b) = (1f64.copysign(a), 1f64.copysign(b));
    // Over the radius, so that every scale has the same bits.
    let [a, kb, bend] = [a.abs() / r, k * b.abs() / r, 1.0 - k * k];
    let (sin, cos) = root(std::f64::consts::FRAC_PI_2, |sin, cos| kb * cos - a * sin - bend * sin * cos);
    let first = point(sign_a * cos, sign_b * sin);
    // On the other side of the short axis `kb / sin + a / cos = bend` has a root where its least value is below.
    let (p, q) = (libm::cbrt(kb), libm::cbrt(a));
    if libm::pow(p * p + q * q, 1.5) >= bend {
        return [Some((0, first)), None];
    }
    let (sin, cos) = root(libm::atan2(p, q), |sin, cos| kb * cos + a * sin - bend * sin * cos);
    let second = point(-sign_a * cos, sign_b * sin);
    // Names by the sides of the body, so that they stay when the other one becomes the farther.
    let name = |is_ahead: bool| if is_ahead { 1 } else { 2 };
    [Some((name(sign_a > 0.0), first)), Some((name(sign_a < 0.0), second))]
}

/// Sine and cosine of the angle between 0 and `high` at which `fall` changes from positive to negative.
fn root(high: f64, fall: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0, high);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let (sin, cos) = libm::sincos(middle);
        if fall(sin, cos) > 0.0 { low = middle } else { high = middle }
    }
    libm::sincos(0.5 * (low + high))
}
