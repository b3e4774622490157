//! Contacts at the places where an earlier search found them, for pairs that hardly move against each other.
//!
//! A search of a pair of grains, or of a grain over a half-space, can mark the [`Spot`] of each point that it tells.
//! As long as the surfaces have moved against each other by no more than the [`leeway`] since, [`contacts_at`] takes
//! the points there. What is near then and was beyond the margin of the search is not among them: whoever calls it
//! has searched farther, by the way that the surfaces have moved.

use granule_model::{ContactPoint, DVec3, Pose};
use serde::Serialize;

use super::grain::{grain_grain, grain_grain_at, grain_wall, grain_wall_at, leeway_of};
use super::{contacts, limit_width, plane};
use crate::Shape;
use crate::geometry::Geometry;
use crate::grain::GrainData;

/// Where a contact point was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spot {
    /// Key of the contact.
    pub(super) feature: u32,
    /// Whether it is the lowest point near, which moves over the surface; else it is a node.
    pub(super) is_lowest: bool,
    /// In axes of the grain to which it belongs \[m\].
    pub(super) at: [f32; 3],
}

/// A pair of which spots are known, the grain first where there is one.
enum Pair<'a> {
    Grains([&'a GrainData; 2]),
    /// A grain over a half-space with this normal; whether the half-space is body A.
    Over(&'a GrainData, DVec3, bool),
}

fn pair<'a>(a: &'a Shape, b: &'a Shape) -> Option<Pair<'a>> {
    match (&a.0.geometry, &b.0.geometry) {
        (Geometry::Grain(a), Geometry::Grain(b)) => Some(Pair::Grains([a, b])),
        (Geometry::Grain(grain), Geometry::HalfSpace { normal }) => Some(Pair::Over(grain, *normal, false)),
        (Geometry::HalfSpace { normal }, Geometry::Grain(grain)) => Some(Pair::Over(grain, *normal, true)),
        _ => None,
    }
}

/// The way that surfaces of a pair may move against each other with [`contacts_at`] the spots of a search \[m\]; none
/// for pairs of which every search begins anew.
pub fn leeway(a: &Shape, b: &Shape) -> Option<f64> {
    match pair(a, b)? {
        Pair::Grains(grains) => leeway_of(&grains),
        Pair::Over(grain, ..) => leeway_of(&[grain]),
    }
}

/// As [`contacts`](super::contacts()), and appends the spot of each point to `spots`. Whether these are all: of pairs
/// without a [`leeway`], and where sharp edges are near, there are none.
pub fn contacts_and_spots(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    margin: f64,
    out: &mut Vec<ContactPoint>,
    spots: &mut Vec<Spot>,
) -> bool {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return false;
    }
    let (start, first) = (out.len(), spots.len());
    let mut are_all = true;
    let mark = &mut |spot| match spot {
        Some(spot) => spots.push(spot),
        None => are_all = false,
    };
    match pair(a, b) {
        Some(Pair::Grains([grain, other])) => {
            grain_grain((grain, pose_a), (other, pose_b), margin, out, mark);
        }
        Some(Pair::Over(grain, normal, is_swapped)) => {
            let [pose, ground] = if is_swapped { [pose_b, pose_a] } else { [pose_a, pose_b] };
            let plane = plane::Plane::new(ground, normal, 0.0, 0);
            grain_wall((grain, pose), (&plane, &Pose::IDENTITY), (margin, 0), out, mark);
            swap(is_swapped, &mut out[start..]);
        }
        None => {
            contacts(a, pose_a, b, pose_b, margin, out);
            return false;
        }
    }
    limit(a, b, &mut out[start..]);
    keep_marked(spots, first, &out[start..]);
    if !are_all {
        spots.truncate(first);
    }
    are_all
}

/// The contacts of a pair at spots of an earlier search of it whose gap is at most `margin`; surfaces have moved
/// against each other by `moved` since, or less \[m\].
pub fn contacts_at(
    (a, pose_a): (&Shape, &Pose),
    (b, pose_b): (&Shape, &Pose),
    (spots, margin, moved): (&[Spot], f64, f64),
    out: &mut Vec<ContactPoint>,
) {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return;
    }
    let start = out.len();
    match pair(a, b) {
        Some(Pair::Grains([grain, other])) => {
            grain_grain_at((grain, pose_a), (other, pose_b), (spots, margin, moved), out)
        }
        Some(Pair::Over(grain, normal, is_swapped)) => {
            let [pose, ground] = if is_swapped { [pose_b, pose_a] } else { [pose_a, pose_b] };
            let plane = plane::Plane::new(ground, normal, 0.0, 0);
            grain_wall_at((grain, pose), (&plane, &Pose::IDENTITY), (spots, margin, moved), out);
            swap(is_swapped, &mut out[start..]);
        }
        None => {}
    }
    limit(a, b, &mut out[start..]);
}

fn swap(is_swapped: bool, found: &mut [ContactPoint]) {
    if is_swapped {
        found.iter_mut().for_each(|contact| *contact = contact.swapped());
    }
}

fn limit(a: &Shape, b: &Shape, found: &mut [ContactPoint]) {
    limit_width(found, a.0.geometry.half_width().min(b.0.geometry.half_width()));
}

/// Keeps of the spots from `first` on those of the points that are left.
fn keep_marked(spots: &mut Vec<Spot>, first: usize, left: &[ContactPoint]) {
    let mut index = 0;
    spots.retain(|spot| {
        index += 1;
        index <= first || left.iter().any(|contact| contact.feature == spot.feature)
    });
}
