//! The points with which a cylinder touches something flat.
//!
//! A cylinder that lies touches along a line: the two ends of it. One that leans touches with the lowest point of a
//! rim. One that stands touches with a whole end, of which the rim is taken: at eight places that turn with the body,
//! and at the lowest point. That point is exact and no material one: a cylinder that rolls, lying or on its rim, keeps
//! it, and never falls from corner to corner as a prism would. Places near the lowest point are left out for the same
//! reason: points known before they touch would brake the roll. Where an end lies flat there is no lowest point, and a
//! tilt towards the middle between two places comes to light only when it has begun: by `1 - cos(pi / 8)` or 8 % of the
//! radius times its angle, in the one step before the lowest point is known.

use granule_model::DVec3;

use super::capsule::BESIDE;
use crate::cylinder::{Cylinder, across};

/// Sine of the tilt below which an end lies flat and has no lowest point.
const FLAT: f64 = 1e-9;
/// Cosine of the angle round the axis between the lowest point and a place of the rim from which the place is left out:
/// three quarters of the way from one place to the next.
pub(super) const BESIDE_LOWEST: f64 = 0.83;
/// Places of a rim, all round.
const PLACES: u32 = 8;

/// Points of a cylinder that look along a direction, in its body axes.
pub(super) struct Rim {
    points: [(u32, DVec3); 2 + PLACES as usize],
    count: usize,
    /// Whether an end looks along the direction, and its outward normal; else a line of the side does.
    pub(super) end: Option<DVec3>,
}

impl Rim {
    /// Those that may touch first along the unit vector `outward`: the line of the side first where there is one, then
    /// places of the end.
    ///
    /// Where an end lies flat, the point of its rim `toward` the middle of the other body stands for the lowest one:
    /// two ends that share little more than a point of their rims would have none of their places over the other.
    pub(super) fn facing(cylinder: &Cylinder, outward: DVec3, toward: Option<DVec3>) -> Rim {
        let mut rim = Rim { points: [(0, DVec3::ZERO); 2 + PLACES as usize], count: 0, end: None };
        let side = across(outward);
        let lowest =
            if side.length() > FLAT { side.try_normalize() } else { toward.and_then(|t| across(t).try_normalize()) };
        if let Some(lowest) = lowest {
            rim.push(0, cylinder.rim(lowest, false));
            rim.push(1, cylinder.rim(lowest, true));
        }
        let is_high = outward.z > 0.0;
        if outward.z.abs() >= BESIDE {
            rim.end = Some(DVec3::Z * 1f64.copysign(outward.z));
            for place in 0..PLACES {
                let at = DIRECTIONS[place as usize];
                if lowest.is_none_or(|lowest| at.dot(lowest) < BESIDE_LOWEST) {
                    rim.push(2 + 2 * place + u32::from(is_high), cylinder.rim(at, is_high));
                }
            }
        }
        rim
    }

    fn push(&mut self, name: u32, point: DVec3) {
        self.points[self.count] = (name, point);
        self.count += 1;
    }

    /// All of them, with names that stay while the cylinder slides, turns or rolls.
    pub(super) fn named(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.points[..self.count].iter().copied()
    }

    /// The two ends of the line of the side, or none when an end lies flat.
    pub(super) fn line(&self) -> Option<[(u32, DVec3); 2]> {
        self.points[..self.count].first_chunk().copied().filter(|[first, second]| [first.0, second.0] == [0, 1])
    }

    /// The points of the end that looks along the direction, in order round the axis; none where the side does.
    pub(super) fn polygon(&self) -> Option<([(u32, DVec3); 1 + PLACES as usize], usize)> {
        let normal = self.end?;
        let (mut polygon, mut count) = ([(0, DVec3::ZERO); 1 + PLACES as usize], 0);
        for (name, point) in self.named().filter(|(_, point)| point.z * normal.z > 0.0) {
            polygon[count] = (name, point);
            count += 1;
        }
        polygon[..count].sort_unstable_by(|p, q| turn(p.1).total_cmp(&turn(q.1)));
        Some((polygon, count))
    }
}

/// A number that grows with the angle round the axis: no trigonometric function.
pub(super) fn turn(p: DVec3) -> f64 {
    let share = p.x / (p.x.abs() + p.y.abs());
    if p.y >= 0.0 { 1.0 - share } else { 3.0 + share }
}

/// Directions of the places, in body axes.
pub(super) const DIRECTIONS: [DVec3; PLACES as usize] = {
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [
        DVec3::X,
        DVec3::new(D, D, 0.0),
        DVec3::Y,
        DVec3::new(-D, D, 0.0),
        DVec3::NEG_X,
        DVec3::new(-D, -D, 0.0),
        DVec3::NEG_Y,
        DVec3::new(D, -D, 0.0),
    ]
};
