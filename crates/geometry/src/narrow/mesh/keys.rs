//! Names of contacts with ground made of triangles, which stay while a body moves on from triangle to triangle.
//!
//! A contact is named by what of the *body* touches: its corner, its edge, its one round surface. Only where a corner
//! of the ground is under a face of the body the ground's corner gives the name. Which triangle it is does not matter.
//!
//! One corner of a body may touch two triangles, as in a valley. Such contacts are counted, in an order that stays as
//! well: by their normals, seen along one fixed direction of the ground's axes, and where these are equal by their
//! places on the body, seen along one of its own.

use std::cell::RefCell;

use granule_model::{ContactPoint, DQuat, DVec3};

use crate::narrow::closest::{Cores, Nearest};
use crate::narrow::mix;
use crate::narrow::patch::Spot;

/// The key of the contacts of a ball.
pub(super) const OF_BALL: u32 = 0xBA11;
/// Keys of an edge of the body are mixed with this.
const EDGE: u32 = 3;
/// Keys of a face of the body are mixed with this.
const FACE: u32 = 4;
/// Keys of a corner of the ground are mixed with this.
const GROUND: u32 = 6;

/// A direction along which different normals of ground hardly ever look alike: no rational slopes, no 45 degrees.
const SEEN_ALONG: DVec3 = DVec3::new(0.629_317, 0.401_893, 0.665_209);
/// Normals whose difference is below this are equal: those of triangles that count as one plane.
const SAME_NORMAL: f64 = 2e-5;

thread_local! {
    /// Keys of the points of one triangle, by its own corners and by names that stay.
    static NOTED: RefCell<Vec<[u32; 2]>> = const { RefCell::new(Vec::new()) };
    /// How many contacts with the key of each one come before it.
    static COUNTS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// The names of the points that one triangle holds.
pub(super) struct Names {
    vertices: [u32; 3],
}

impl Names {
    /// For a triangle whose corners have the names `vertices`.
    pub(super) fn new(vertices: [u32; 3]) -> Self {
        NOTED.with_borrow_mut(Vec::clear);
        Names { vertices }
    }

    /// Notes the name of a point that is kept; always true.
    pub(super) fn note(&self, spot: Spot) -> bool {
        let key = match spot {
            Spot::CornerOfA(_) => return true,
            Spot::CornerOfB(corner) => mix(GROUND, self.vertices[corner as usize]),
            Spot::Crossing(edge, _) => edge_key(edge),
        };
        NOTED.with_borrow_mut(|noted| noted.push([spot.key(), key]));
        true
    }

    /// Gives the points their names.
    pub(super) fn apply(&self, contacts: &mut [ContactPoint]) {
        NOTED.with_borrow(|noted| {
            for c in contacts {
                if let Some([_, key]) = noted.iter().find(|[local, _]| *local == c.feature) {
                    c.feature = *key;
                }
            }
        });
    }
}

fn edge_key([from, to]: [u32; 2]) -> u32 {
    mix(mix(EDGE, from), to)
}

/// The key of what of body A is nearest.
pub(super) fn nearest_key(cores: &Cores, nearest: &Nearest) -> u32 {
    match cores.touching_corners(nearest.normal) {
        ([corner, _], 1) => Spot::CornerOfA(corner).key(),
        (ends, 2) => edge_key(ends),
        ([first, last], _) => mix(mix(FACE, first), last),
    }
}

/// The key of a corner, or the one of a ball, that the kernel of planes calls `feature`.
pub(super) fn key_on_plane(is_ball: bool, feature: u32) -> u32 {
    if is_ball { OF_BALL } else { Spot::CornerOfA(feature).key() }
}

/// Counts contacts that have one key, in an order that stays; `rotation` is that of the body in the ground's axes, in
/// which contacts are given.
pub(super) fn count_equal_keys(contacts: &mut [ContactPoint], rotation: DQuat) {
    let along_body = rotation * SEEN_ALONG;
    let is_before = |c: &ContactPoint, d: &ContactPoint| {
        if (c.normal - d.normal).length_squared() > SAME_NORMAL * SAME_NORMAL {
            (c.normal - d.normal).dot(SEEN_ALONG) < 0.0
        } else {
            (c.point - d.point).dot(along_body) < 0.0
        }
    };
    COUNTS.with_borrow_mut(|counts| {
        counts.clear();
        counts.resize(contacts.len(), 0);
        for (i, c) in contacts.iter().enumerate() {
            for (k, d) in contacts[..i].iter().enumerate().filter(|(_, d)| d.feature == c.feature) {
                counts[i] += u32::from(is_before(d, c));
                counts[k] += u32::from(is_before(c, d));
            }
        }
        for (c, count) in contacts.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
            c.feature = mix(c.feature, *count);
        }
    });
}
