//! The narrow phase: every contact point of a pair of shapes up to a margin.
//!
//! One entry, [`contacts`], and one dispatch table. The contract of every pair, whatever its kernel:
//!
//! - The normal is a unit vector from body B to body A. The gap is measured along it: positive when the surfaces are
//!   apart, negative when they overlap. The point lies midway between the two surfaces.
//! - The smallest gap of a pair of convex bodies that are apart is their distance, of a pair that overlaps the least
//!   translation that parts them. Further points of a pair share its normal, each with its own gap; but the ends of a
//!   capsule and corners beside it keep the direction in which they are nearest.
//! - The points foretell: a small motion brings no surface nearer than they say to first order, but for surfaces that
//!   lie beyond the margin or look more than 45 degrees away from the normal.
//! - A point is reported when its gap is at most the margin. Nothing is remembered between calls: the answer depends on
//!   the arguments alone, bit for bit. Who calls may keep the spots of a search for the steps after it (`spots`).
//! - Exchanging the bodies gives the same points and gaps to rounding, with opposite normals.
//! - No tolerance is absolute: scaling a problem by a power of two scales the answer exactly.
//! - The feature key is unique within the pair and stays the same while the same features touch.
//!
//! Two points stand for the line with which a cylinder lies on something flat. Where its end lies flat, points of the
//! rim stand for all of it; `rim` says what that leaves out. A round wall is hollow: corners reach it before edges do.
//!
//! Half-spaces, containers, drums, meshes and height fields never meet each other here: they belong to bodies that
//! contacts do not move. A mesh is a surface that holds bodies on either side, whichever way its triangles run; a
//! height field is solid below. Closed mesh bodies arrive as compounds of convex parts.
//!
//! What is left to others: which pairs are worth asking (broad phase), coefficients, and matching of keys over steps.

mod capsule;
mod capsule_beside;
mod clip;
mod closest;
mod compound;
mod contour;
mod crossing;
mod cuboid;
mod edges;
mod feet;
mod field;
mod grain;
mod ledge;
mod mesh;
mod outline;
mod outlined;
mod patch;
mod piece_pairs;
mod plane;
mod polytope;
mod prism;
mod rim;
mod round;
mod round_beside;
mod round_pair;
mod solid;
mod sphere;
mod spots;
mod tidy;
mod topology;
mod wall;

use granule_model::{Aabb, ContactPoint, DVec3, Pose};

pub use self::sphere::balls;
pub use self::spots::{Spot, contacts_and_spots, contacts_at, leeway};
use crate::Shape;
use crate::geometry::Geometry;
use crate::nearing::Nearing;

/// Appends every contact point of the pair whose gap is at most `margin` \[m\] to `out`.
///
/// Poses are those of the body axes; normals point from `b` to `a`. Poses that are not finite give no contact.
pub fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64, out: &mut Vec<ContactPoint>) {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return;
    }
    let start = out.len();
    let sides = [Side { geometry: &a.0.geometry, pose: pose_a }, Side { geometry: &b.0.geometry, pose: pose_b }];
    if sides[0].rank() <= sides[1].rank() {
        ordered_pair(sides[0], sides[1], margin, out);
    } else {
        ordered_pair(sides[1], sides[0], margin, out);
        for contact in &mut out[start..] {
            *contact = contact.swapped();
        }
    }
}

/// As [`contacts`], for a pair of which the way ahead is known: points are told as far as they may come nearer on it,
/// which is less than `margin` where the pair is a grain over ground on a grid. Other pairs do not ask for it.
pub fn contacts_nearing(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    (margin, nearing): (f64, impl FnOnce() -> Nearing),
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let (body, ground, pose, nearing) = match (&a.0.geometry, &b.0.geometry) {
        (body @ Geometry::Grain(_), Geometry::ContourGround(ground)) => {
            (Side { geometry: body, pose: pose_a }, ground, pose_b, nearing())
        }
        (Geometry::ContourGround(ground), body @ Geometry::Grain(_)) => {
            (Side { geometry: body, pose: pose_b }, ground, pose_a, nearing().swapped())
        }
        _ => return contacts(a, pose_a, b, pose_b, margin, out),
    };
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return;
    }
    contour::against_contour(body, ground, pose, (margin, Some(&nearing)), out);
    if a.is_ground() {
        out[start..].iter_mut().for_each(|contact| *contact = contact.swapped());
    }
}

/// The contact of a body that went through a mesh, a height field or another body between two poses, which [`contacts`]
/// of the later pose alone cannot tell from one that was always on that side; none for half-spaces, containers, drums
/// and bodies that did not.
///
/// `poses_a` and `poses_b` are those of the body axes before and after; the normal points from `b` to `a`, back to the
/// side that the body came from. The gap is as negative as the body is beyond the surface of a mesh or a height field,
/// or deep in the other body when that was seen.
pub fn passage(a: &Shape, poses_a: [&Pose; 2], b: &Shape, poses_b: [&Pose; 2]) -> Option<ContactPoint> {
    if !poses_a.into_iter().chain(poses_b).all(|pose| pose.is_finite()) {
        return None;
    }
    let is_wall = |g: &Geometry| matches!(g, Geometry::HalfSpace { .. } | Geometry::Container(_) | Geometry::Drum(_));
    if is_wall(&a.0.geometry) || is_wall(&b.0.geometry) {
        return None;
    }
    match (&a.0.geometry, &b.0.geometry) {
        _ if a.is_ground() && b.is_ground() => None,
        (body, Geometry::Mesh(data)) => mesh::passage(body, poses_a, data, poses_b),
        (body, Geometry::HeightField(field)) => mesh::passage(body, poses_a, field, poses_b),
        (body, Geometry::ContourGround(ground)) => contour::passage(body, poses_a, ground, poses_b),
        _ if a.is_ground() => passage(b, poses_b, a, poses_a).map(|c| c.swapped()),
        (body, other) => crossing::crossing(body, poses_a, other, poses_b),
    }
}

/// One body of a pair.
#[derive(Clone, Copy)]
struct Side<'a> {
    geometry: &'a Geometry,
    pose: &'a Pose,
}

/// Rounding of a height above a wall, over the lengths that it is made of.
const ROUNDING: f64 = 1e-12;

impl Side<'_> {
    /// How far a ball, a box or a body of boxes reaches from its position at most \[m\]; infinite for another shape.
    fn reach(&self) -> f64 {
        match self.geometry {
            Geometry::Sphere { radius } => *radius,
            Geometry::Cuboid { half } => half.length(),
            Geometry::Compound(parts) => {
                let farthest = |bounds: &Aabb| bounds.min.abs().max(bounds.max.abs()).length_squared();
                parts.iter().map(|part| farthest(&part.bounds)).fold(0.0, f64::max).sqrt()
            }
            _ => f64::INFINITY,
        }
    }

    /// Kernels exist for pairs in ascending rank.
    fn rank(&self) -> u32 {
        match self.geometry {
            Geometry::Sphere { .. } => 0,
            Geometry::Capsule { .. } => 1,
            Geometry::Cuboid { .. } => 2,
            Geometry::Convex(_) => 3,
            Geometry::Cylinder(_) => 4,
            Geometry::Grain(_) => 5,
            Geometry::Compound(_) => 6,
            Geometry::HalfSpace { .. } => 7,
            Geometry::Container(_) => 8,
            Geometry::Drum(_) => 9,
            Geometry::Mesh(_) => 10,
            Geometry::HeightField(_) => 11,
            Geometry::ContourGround(_) => 12,
        }
    }
}

/// The dispatch table, for `a` of no higher rank than `b`.
fn ordered_pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    use Geometry::{Compound, Container, ContourGround, Drum, HalfSpace, HeightField, Mesh};
    match (a.geometry, b.geometry) {
        (HalfSpace { .. } | Container(_) | Drum(_) | Mesh(_) | HeightField(_) | ContourGround(_), _) => {}
        (_, HalfSpace { normal }) => {
            let plane = plane::Plane::new(b.pose, *normal, 0.0, 0);
            against_plane(a, &plane, margin, out);
        }
        (_, Container(container)) => {
            // Every grain in a container pairs with it, and most touch no wall: one turn into its axes instead of one
            // for each wall.
            let local = b.pose.inverse_transform_point(a.pose.position);
            let reach = a.reach() + margin;
            let rounding = ROUNDING * (local.length() + reach);
            for (index, &(normal, offset)) in container.planes.iter().enumerate() {
                if normal.dot(local) - offset > reach + rounding + ROUNDING * offset.abs() {
                    continue;
                }
                against_plane(a, &plane::Plane::new(b.pose, normal, offset, index as u32), margin, out);
            }
        }
        (_, Drum(drum)) => {
            for (index, (normal, offset)) in drum.planes().enumerate() {
                against_plane(a, &plane::Plane::new(b.pose, normal, offset, index as u32), margin, out);
            }
            match a.geometry {
                Compound(parts) => compound::against_wall(parts, a.pose, drum, b.pose, margin, out),
                _ => wall::convex_wall(a, drum, b.pose, margin, out),
            }
        }
        (_, Mesh(data)) => mesh::against_triangles(a, data, b.pose, margin, out),
        (_, HeightField(field)) => mesh::against_triangles(a, field, b.pose, margin, out),
        (_, ContourGround(ground)) => contour::against_contour(a, ground, b.pose, (margin, None), out),
        (Compound(_), _) | (_, Compound(_)) => compound::pair(a, b, margin, out),
        _ => convex_pair(a, b, margin, out),
    }
}

/// A body that is one convex piece, or a compound of such, against a plane.
fn against_plane(a: Side, plane: &plane::Plane, margin: f64, out: &mut Vec<ContactPoint>) {
    match a.geometry {
        Geometry::Compound(parts) => compound::against_plane(parts, a.pose, plane, margin, out),
        _ => plane::convex_plane(a, plane, margin, out),
    }
}

/// Two convex pieces, `a` of no higher rank than `b`.
fn convex_pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    use Geometry::{Capsule, Convex, Cuboid, Cylinder, Grain, Sphere};
    let (centre, start) = (a.pose.position, out.len());
    match (a.geometry, b.geometry) {
        (Sphere { radius: ra }, Sphere { radius: rb }) => {
            out.extend(balls(centre, *ra, b.pose.position, *rb, margin));
        }
        (Sphere { radius }, Capsule { radius: rb, half_length }) => {
            let core = capsule::Core::new(b.pose, *half_length);
            out.extend(balls(centre, *radius, core.nearest(centre), *rb, margin));
        }
        (Sphere { radius }, Cuboid { half }) => sphere::sphere_cuboid(centre, *radius, *half, b.pose, margin, out),
        (Sphere { radius }, Convex(data)) => sphere::sphere_convex(centre, *radius, data, b.pose, margin, out),
        (Sphere { radius }, Cylinder(data)) => sphere::sphere_cylinder(centre, *radius, data, b.pose, margin, out),
        (Capsule { radius: ra, half_length: la }, Capsule { radius: rb, half_length: lb }) => {
            let (core_a, core_b) = (capsule::Core::new(a.pose, *la), capsule::Core::new(b.pose, *lb));
            capsule::capsule_capsule(&core_a, *ra, &core_b, *rb, margin, out);
        }
        (Cuboid { half: ha }, Cuboid { half: hb }) => cuboid::cuboid_cuboid(*ha, a.pose, *hb, b.pose, margin, out),
        (Grain(one), Grain(other)) => grain::grain_grain((one, a.pose), (other, b.pose), margin, out, &mut |_| {}),
        (_, Grain(data)) => grain::piece_grain(a, (data, b.pose), margin, out),
        _ => {
            match b.geometry {
                Cylinder(_) => round_pair::round_pair(a, b, margin, out),
                _ => polytope::polytope_pair(a, b, margin, out),
            }
            if let Capsule { .. } = a.geometry {
                capsule_beside::beside_capsule(a, b, margin, start, out);
            }
        }
    }
    limit_width(&mut out[start..], a.geometry.half_width().min(b.geometry.half_width()));
}

/// A contact whose surfaces lie at heights `above` (body A) and `below` (body B) along `normal` over `foot`.
#[inline]
fn between(foot: DVec3, normal: DVec3, above: f64, below: f64, feature: u32) -> ContactPoint {
    let point = foot + 0.5 * (above + below) * normal;
    ContactPoint { point, normal, gap: above - below, half_width: f64::INFINITY, feature }
}

/// Notes in `contacts` that a piece of the given half width is one of the two that touch.
#[inline]
fn limit_width(contacts: &mut [ContactPoint], half_width: f64) {
    contacts.iter_mut().for_each(|contact| contact.half_width = contact.half_width.min(half_width));
}

/// Folds `value` into the key `seed`: a multiplicative hash, so that keys of nested parts stay apart.
#[inline]
fn mix(seed: u32, value: u32) -> u32 {
    let x = (seed.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B1);
    x ^ (x >> 15)
}
