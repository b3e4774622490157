//! What lies beside the points with which a cylinder touches: the ends of its own line, and corners of the other piece.
//!
//! The touching features say nothing of these where the cylinder lies across an edge at a small angle or hangs over the
//! border of a face: it would turn about the points found until its end or its side is below the surface.

use granule_model::{ContactPoint, DVec3};

use super::Side;
use super::capsule::{BESIDE, Core};
use super::patch::Spot;
use super::polytope::drop_repeated;
use super::rim::Rim;
use super::round::{Found, Round};
use super::sphere::{balls, sphere_convex, sphere_cuboid, sphere_cylinder};
use super::topology::cube_corner;
use crate::geometry::Geometry;

/// Gaps that differ by this share of the size are equal.
const LEVEL: f64 = 1e-9;
/// Bodies and points nearer than this share of the size just touch: some times what `sphere` takes to be at a surface.
const TOUCH: f64 = 1e-8;
/// Points nearer than this share of the size have the direction of the pair where theirs differs by less than `ALONG`.
const POINT: f64 = 1e-6;
/// Angle between two directions that may be the same \[rad\].
const ALONG: f64 = 1e-2;
/// Sine of the angle up to which a body may rise from a corner towards the cylinder for the corner to count as beside
/// it.
const RISE: f64 = 0.3;

/// Appends to the contacts from `start` on those of the ends of the lines of the cylinders among `sides`, and of the
/// corners of the other piece, that are not there yet. `limits` are the margin and the size of the pair \[m\].
pub(super) fn beside_round(
    sides: [Side; 2],
    rounds: [Option<Round>; 2],
    found: &Found,
    [margin, size]: [f64; 2],
    start: usize,
    out: &mut Vec<ContactPoint>,
) {
    // Bodies beyond the margin have nothing near.
    if out.len() == start {
        return;
    }
    let first = out.len();
    let lowest = out[start..].iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    let limits = Limits { normal: found.normal, lowest, size, start };
    let outward = [-found.normal, found.normal];
    for (k, round) in rounds.iter().enumerate() {
        let (Some(round), side, other) = (round, sides[k], sides[1 - k]) else { continue };
        let line = Rim::facing(&round.cylinder, round.own(outward[k]), None).line();
        for (name, point) in line.into_iter().flatten() {
            let place = out.len();
            against_point(side.pose.transform_point(point), other, margin, out);
            limits.name(place, k == 0, name, out);
        }
        // The corners of the other piece.
        let corners: &[DVec3] = match other.geometry {
            Geometry::Cuboid { half } => &std::array::from_fn::<_, 8, _>(|i| cube_corner(i as u32) * *half),
            Geometry::Convex(data) => &data.vertices,
            _ => &[],
        };
        for (name, local) in (0..).zip(corners) {
            let place = out.len();
            against_point(other.pose.transform_point(*local), side, margin, out);
            let Some(contact) = out.get(place) else { continue };
            // From `side` to the corner; the other piece must not rise against it.
            let down = other.pose.inverse_transform_vector(-contact.normal);
            if corners.iter().all(|c| down.dot(*c - *local) <= RISE * (*c - *local).length()) {
                limits.name(place, k == 1, name, out);
            } else {
                out.truncate(place);
            }
        }
    }
    drop_repeated(out, start, first, size);
}

/// Pushes the contact of a point, as body A, with a piece.
fn against_point(point: DVec3, other: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    match other.geometry {
        Geometry::Capsule { radius, half_length } => {
            out.extend(balls(point, 0.0, Core::new(other.pose, *half_length).nearest(point), *radius, margin));
        }
        Geometry::Cuboid { half } => sphere_cuboid(point, 0.0, *half, other.pose, margin, out),
        Geometry::Convex(data) => sphere_convex(point, 0.0, data, other.pose, margin, out),
        Geometry::Cylinder(cylinder) => sphere_cylinder(point, 0.0, cylinder, other.pose, margin, out),
        _ => {}
    }
}

/// Which of the points found are taken.
struct Limits {
    /// From B to A.
    normal: DVec3,
    /// Gap of the pair: nothing is deeper \[m\].
    lowest: f64,
    /// Length to which tolerances are relative \[m\].
    size: f64,
    /// Where the contacts of the pair start.
    start: usize,
}

impl Limits {
    /// Names the contact at `place`, if there is one, after a point of A or of B, and keeps the nearer of it and one of
    /// that name; takes it away when it is deeper than the pair or beside the way.
    fn name(&self, place: usize, is_of_a: bool, name: u32, out: &mut Vec<ContactPoint>) {
        let Some(contact) = out.get(place).copied() else { return };
        out.truncate(place);
        let contact = if is_of_a { contact } else { contact.swapped() };
        let level = LEVEL * self.size;
        // A point at the surface is told that of a side, an end or a face, whichever: beside an edge it is none. Where
        // bodies just touch, all places at which they do have the direction of the pair, and none is nearer.
        let touches = contact.gap.abs().max(self.lowest.abs()) <= TOUCH * self.size;
        if contact.gap < self.lowest - level || !touches && contact.normal.dot(self.normal) < BESIDE {
            return;
        }
        // The direction between points that are this near is known to rounding only.
        let is_along = contact.gap.abs() <= POINT * self.size && (contact.normal - self.normal).length() <= ALONG;
        let normal = if touches || is_along { self.normal } else { contact.normal };
        let gap = if touches { contact.gap.max(self.lowest) } else { contact.gap };
        let spot = if is_of_a { Spot::CornerOfA(name) } else { Spot::CornerOfB(name) };
        let contact = ContactPoint { normal, gap, half_width: f64::INFINITY, feature: spot.key(), ..contact };
        match out[self.start..].iter_mut().find(|c| c.feature == contact.feature) {
            Some(listed) if contact.gap < listed.gap - level => *listed = contact,
            Some(_) => {}
            None => out.push(contact),
        }
    }
}
