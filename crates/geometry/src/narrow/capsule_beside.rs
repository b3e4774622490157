//! What lies beside a capsule that touches a convex piece: its own ends, and corners of the piece along its side.
//!
//! The touching features of the pair say nothing of these when the core lies across an edge of the piece at a small
//! angle, or over the border of a face: then the capsule would turn about the points found until its end or its side is
//! below the surface.

use granule_model::ContactPoint;

use super::Side;
use super::capsule::{BESIDE, Core};
use super::patch::Spot;
use super::polytope::drop_repeated;
use super::sphere::{balls, sphere_convex, sphere_cuboid, sphere_cylinder};
use super::topology::cube_corner;
use crate::geometry::Geometry;

/// A point that is deeper than this share of the radius says nothing: the way out of a ball or of a corner is not that
/// of the pair.
const DEEPEST: f64 = 0.5;
/// Gaps that differ by this share of the radius are equal.
const LEVEL: f64 = 1e-9;
/// Sine of the angle up to which an edge may rise from a corner towards the capsule for the corner to count as beside
/// it: an edge that crosses the core at a small angle rises from both its ends.
const RISE: f64 = 0.3;

/// Appends to the contacts from `start` on, of the capsule `a` and the convex piece `b`, those of the ends of `a` and
/// of the corners of `b` beside it that are not there yet.
#[inline(never)]
pub(super) fn beside_capsule(a: Side, b: Side, margin: f64, start: usize, out: &mut Vec<ContactPoint>) {
    let Geometry::Capsule { radius, half_length } = a.geometry else { return };
    // Bodies beyond the margin have nothing near.
    if out.len() == start {
        return;
    }
    let core = Core::new(a.pose, *half_length);
    let first = out.len();
    for (index, end) in core.ends().into_iter().enumerate() {
        let found = out.len();
        match b.geometry {
            Geometry::Cuboid { half } => sphere_cuboid(end, *radius, *half, b.pose, margin, out),
            Geometry::Convex(data) => sphere_convex(end, *radius, data, b.pose, margin, out),
            Geometry::Cylinder(cylinder) => sphere_cylinder(end, *radius, cylinder, b.pose, margin, out),
            _ => {}
        }
        name(out, start, found, Spot::CornerOfA(index as u32), *radius);
    }
    let size = *radius + *half_length;
    match b.geometry {
        Geometry::Cuboid { half } => {
            let corners: [_; 8] = std::array::from_fn(|i| cube_corner(i as u32) * *half);
            corners_beside(&core, *radius, b, &corners, margin, start, out);
        }
        Geometry::Convex(data) => corners_beside(&core, *radius, b, &data.vertices, margin, start, out),
        _ => {}
    }
    drop_repeated(out, start, first, size);
}

/// Appends the contacts of those of the `corners` of `b` (its body axes) from which `b` does not rise towards the
/// capsule.
fn corners_beside(
    core: &Core,
    radius: f64,
    b: Side,
    corners: &[granule_model::DVec3],
    margin: f64,
    start: usize,
    out: &mut Vec<ContactPoint>,
) {
    for (index, local) in corners.iter().enumerate() {
        let corner = b.pose.transform_point(*local);
        let Some(contact) = balls(core.nearest(corner), radius, corner, 0.0, margin) else { continue };
        let up = b.pose.inverse_transform_vector(contact.normal);
        if corners.iter().all(|c| up.dot(*c - *local) <= RISE * (*c - *local).length()) {
            let found = out.len();
            out.push(ContactPoint { half_width: f64::INFINITY, ..contact });
            name(out, start, found, Spot::CornerOfB(index as u32), radius);
        }
    }
}

/// Names the contact `found`, if it is there, and keeps the nearer of it and one of that name among those from `start`
/// on; takes it away when it is too deep or beside the way.
///
/// One of that name along the shared normal is as near where the corner is over a face, and farther where it is over a
/// border.
fn name(out: &mut Vec<ContactPoint>, start: usize, found: usize, spot: Spot, radius: f64) {
    let Some(contact) = out.get(found).copied() else { return };
    let feature = spot.key();
    out.truncate(found);
    if contact.gap < -DEEPEST * radius || contact.normal.dot(out[start].normal) < BESIDE {
        return;
    }
    match out[start..].iter_mut().find(|c| c.feature == feature) {
        Some(listed) if contact.gap < listed.gap - LEVEL * radius => *listed = ContactPoint { feature, ..contact },
        Some(_) => {}
        None => out.push(ContactPoint { feature, ..contact }),
    }
}
