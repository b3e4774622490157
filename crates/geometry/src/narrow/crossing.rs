//! Convex bodies that went through each other between two poses.
//!
//! Contacts hold two bodies apart at the points that are near before they move. Bodies that turn fast, or move by their
//! own length in a step, may come out on the other side of each other without overlapping at either end. Both are
//! followed on their way: what is deeper in the other than half the width of the thinner one, and is then met from
//! elsewhere, went through it.

use granule_model::{ContactPoint, DQuat, DVec3, Pose};

use super::piece_pairs::Pieces;
use super::{Side, convex_pair, mix};
use crate::geometry::Geometry;

/// Cosine of the angle between the directions in which two bodies are nearest before and after beyond which one went
/// through the other: at the border of a plate that may be little more than a right angle.
const ELSEWHERE: f64 = 0.5;
/// A body so many times as long as wide may turn about its length more often than two poses tell; such turns move its
/// surface little.
const SLENDER: f64 = 5.0;
/// Looks at two bodies on their way, at most. Those that graze each other take most: half the width of the thinner one
/// from each to the next.
const LOOKS: usize = 2000;

/// The contact of the two pieces that went deepest through each other; none where none did. The normal is that before,
/// seen from the second body; the gap is minus the depth at which it was known.
pub(super) fn crossing(a: &Geometry, poses_a: [&Pose; 2], b: &Geometry, poses_b: [&Pose; 2]) -> Option<ContactPoint> {
    let (pieces_a, pieces_b) = (Pieces::of(a), Pieces::of(b));
    let mut deepest: Option<ContactPoint> = None;
    for i in 0..pieces_a.len() {
        let moving_a = Moving::of(&pieces_a, i, poses_a);
        for j in 0..pieces_b.len() {
            let pair = [&moving_a, &Moving::of(&pieces_b, j, poses_b)];
            if let Some(found) = went_through(pair)
                && deepest.is_none_or(|d| found.gap < d.gap)
            {
                let feature = mix(mix(found.feature, i as u32), j as u32);
                deepest = Some(ContactPoint { feature, ..found });
            }
        }
    }
    deepest
}

/// A convex piece that moves and turns evenly from one pose to another.
struct Moving<'a> {
    geometry: &'a Geometry,
    from: Pose,
    way: DVec3,
    /// Turn in world axes, and before it that about the length, in the axes of the piece \[rad\].
    turn: DVec3,
    twist: DVec3,
    /// How far a point of the surface moves at most \[m\].
    farthest: f64,
}

impl<'a> Moving<'a> {
    fn of(pieces: &Pieces<'a>, index: usize, poses: [&Pose; 2]) -> Self {
        let [(geometry, from), (_, to)] = poses.map(|pose| pieces.get(index, pose));
        let half = 0.5 * crate::bounds::aabb(geometry, &Pose::IDENTITY).size();
        let along = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().find(|axis| {
            let (length, width) = (half.dot(*axis), (half - half * *axis).max_element());
            length > SLENDER * width
        });
        let turn = match along {
            Some(axis) => DQuat::from_rotation_arc(from.rotation * axis, to.rotation * axis),
            None => to.rotation * from.rotation.conjugate(),
        };
        let twist = (turn * from.rotation).conjugate() * to.rotation;
        let (turn, twist, way) = (shortest(turn), shortest(twist), to.position - from.position);
        // The middle of a piece need not be the origin of its axes, but lies within its box.
        let extent = 2.0 * half.length();
        let width = along.map_or(extent, |axis| 2.0 * (half - half * axis).length());
        let farthest = way.length() + turn.length() * extent + twist.length() * width;
        Moving { geometry, from, way, turn, twist, farthest }
    }

    /// Cosine between a direction before and one after the motion, as the piece sees them.
    fn turned(&self, before: DVec3, after: DVec3) -> f64 {
        (self.from.rotation.conjugate() * before).dot(self.pose(1.0).rotation.conjugate() * after)
    }

    fn pose(&self, share: f64) -> Pose {
        let [turn, twist] = [self.turn, self.twist].map(|v| turned_by(share * v));
        Pose::new(self.from.position + share * self.way, turn * self.from.rotation * twist)
    }
}

/// The shorter of the two turns that a rotation is \[rad\].
fn shortest(rotation: DQuat) -> DVec3 {
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    let sine = rotation.xyz().length();
    if sine == 0.0 { DVec3::ZERO } else { rotation.xyz() * (2.0 * libm::atan2(sine, rotation.w) / sine) }
}

/// The rotation about `turn` by its length \[rad\].
fn turned_by(turn: DVec3) -> DQuat {
    let angle = turn.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let v = turn * (libm::sin(0.5 * angle) / angle);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(0.5 * angle))
}

/// Follows two pieces on their way.
fn went_through(pair: [&Moving; 2]) -> Option<ContactPoint> {
    let [a, b] = pair;
    let (moved, half_width) = (a.farthest + b.farthest, a.geometry.half_width().min(b.geometry.half_width()));
    if moved <= a.geometry.half_width() + b.geometry.half_width() {
        return None;
    }
    let mut found = Vec::new();
    let start = nearest(pair, 0.0, moved, &mut found)?;
    let (mut share, mut gap) = (0.0, start.gap);
    for _ in 0..LOOKS {
        // Apart, they cannot meet before they have moved by their gap.
        share += gap.max(0.5 * half_width) / moved;
        if share >= 1.0 {
            return None;
        }
        let now = nearest(pair, share, moved, &mut found)?;
        gap = now.gap;
        if gap <= -half_width {
            let end = nearest(pair, 1.0, 2.0 * moved, &mut found);
            // One that rolls over the other is met from elsewhere as well, as it sees it.
            let is_elsewhere =
                end.is_none_or(|end| pair.iter().all(|moving| moving.turned(start.normal, end.normal) < ELSEWHERE));
            let normal = b.pose(1.0).rotation * (b.from.rotation.conjugate() * start.normal);
            return is_elsewhere.then_some(ContactPoint { normal, half_width, ..now });
        }
    }
    None
}

/// The contact of least gap after a `share` of the way, if they are within `margin`.
fn nearest(pair: [&Moving; 2], share: f64, margin: f64, found: &mut Vec<ContactPoint>) -> Option<ContactPoint> {
    let poses = pair.map(|moving| moving.pose(share));
    let [a, b] = [0, 1].map(|k| Side { geometry: pair[k].geometry, pose: &poses[k] });
    found.clear();
    // Kernels exist for pairs in ascending rank.
    let swaps = a.rank() > b.rank();
    if swaps {
        convex_pair(b, a, margin, found)
    } else {
        convex_pair(a, b, margin, found)
    }
    let least = found.iter().copied().reduce(|least, c| if c.gap < least.gap { c } else { least })?;
    Some(if swaps { least.swapped() } else { least })
}
