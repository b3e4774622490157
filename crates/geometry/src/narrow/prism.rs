//! A cylinder as a prism that touches one triangle where the cylinder does.
//!
//! A surface of triangles allows only some directions, which the kernel for polyhedra looks after. The edges of the
//! prism lie on the cylinder: at the lowest and highest places along the triangle's normal, at those nearest to its
//! edges and corners, and at eight that turn with the body. What touches the triangle's face, or its border from
//! outside, is so exact; where a rim lies across a ridge and overlaps it, the direction is that of the prism's rim.

use std::cell::RefCell;

use granule_model::{DVec3, Pose};

use super::rim::{BESIDE_LOWEST, DIRECTIONS, turn};
use super::round::Round;
use super::solid::Solid;
use super::topology::Topology;
use crate::convex::{Edge, Face};
use crate::cylinder::across;

/// Places that depend on the triangle: two for its normal, one for each edge and each corner.
const PLACES: usize = 8;
/// All places of a rim.
const ALL: usize = PLACES + DIRECTIONS.len();
/// Cosine of the angle between two places from which they are one: it moves the surface by 1e-12 of the radius.
const SAME: f64 = 1.0 - 1e-12;

thread_local! {
    static PRISM: RefCell<Prism> = RefCell::default();
}

/// Runs `action` with the prism of this thread.
pub(super) fn with_prism(action: impl FnOnce(&mut Prism)) {
    PRISM.with_borrow_mut(action);
}

/// Faces and edges of a prism; kept so that a warm step allocates nothing.
#[derive(Default)]
pub(super) struct Prism {
    faces: Vec<Face>,
    loops: Vec<u32>,
    edges: Vec<Edge>,
}

impl Prism {
    /// Makes `solid` the prism of the cylinder at `pose` for the triangle of `corners` (about the middle of the
    /// cylinder) and `normal`. Corner `2 k` is place `k` of the low rim, `2 k + 1` of the high one, whichever places
    /// there are.
    pub(super) fn load(
        &mut self,
        solid: &mut Solid,
        round: &Round,
        pose: &Pose,
        corners: [DVec3; 3],
        normal: DVec3,
    ) -> Topology<'_> {
        let (places, count) = places(round, corners, normal);
        let places = &places[..count];
        solid.clear();
        let (_, first) = places[0];
        for slot in 0..ALL {
            let at = places.iter().find(|(place, _)| *place == slot).map_or(first, |(_, at)| *at);
            solid.corners.extend([false, true].map(|is_high| round.cylinder.rim(at, is_high)));
        }
        self.connect(places);
        let topology = Topology { faces: &self.faces, loops: &self.loops, edges: &self.edges };
        solid.place(topology, pose, pose.position);
        topology
    }

    /// Faces and edges between places in order round the axis.
    fn connect(&mut self, places: &[(usize, DVec3)]) {
        let count = places.len();
        let corner = |k: usize, is_high: bool| 2 * places[k % count].0 as u32 + u32::from(is_high);
        self.faces.clear();
        self.loops.clear();
        self.edges.clear();
        self.push(DVec3::NEG_Z, (0..count).rev().map(|k| corner(k, false)));
        self.push(DVec3::Z, (0..count).map(|k| corner(k, true)));
        for k in 0..count {
            let outward = (places[k].1 + places[(k + 1) % count].1).normalize();
            self.push(outward, [corner(k, false), corner(k + 1, false), corner(k + 1, true), corner(k, true)]);
            let (side, before) = (2 + k as u32, 2 + ((k + count - 1) % count) as u32);
            self.edges.push(Edge { vertices: [corner(k, false), corner(k + 1, false)], faces: [0, side] });
            self.edges.push(Edge { vertices: [corner(k, true), corner(k + 1, true)], faces: [1, side] });
            self.edges.push(Edge { vertices: [corner(k, false), corner(k, true)], faces: [before, side] });
        }
    }

    fn push(&mut self, normal: DVec3, corners: impl IntoIterator<Item = u32>) {
        let start = self.loops.len() as u32;
        self.loops.extend(corners);
        self.faces.push(Face { normal, offset: 0.0, start, len: self.loops.len() as u32 - start });
    }
}

/// Names and directions of the places, in body axes and in order round the axis.
fn places(round: &Round, corners: [DVec3; 3], normal: DVec3) -> ([(usize, DVec3); ALL], usize) {
    let lowest = across(round.own(-normal)).try_normalize();
    let edge = |k: usize| round.toward([corners[k], corners[(k + 1) % 3]]);
    let corner = |k: usize| across(round.own(corners[k] - round.centre)).try_normalize();
    let own = [lowest, lowest.map(|l| -l), edge(0), edge(1), edge(2), corner(0), corner(1), corner(2)];
    let (mut places, mut count) = ([(0, DVec3::ZERO); ALL], 0);
    for (name, at) in own.into_iter().enumerate().filter_map(|(name, at)| Some((name, at?))) {
        if places[..count].iter().all(|(_, p)| p.dot(at) < SAME) {
            places[count] = (name, at);
            count += 1;
        }
    }
    for (k, at) in DIRECTIONS.into_iter().enumerate() {
        let is_beside_lowest = lowest.is_some_and(|l| l.dot(at).abs() >= BESIDE_LOWEST);
        if !is_beside_lowest && places[..count].iter().all(|(_, p)| p.dot(at) < SAME) {
            places[count] = (PLACES + k, at);
            count += 1;
        }
    }
    places[..count].sort_unstable_by(|p, q| turn(p.1).total_cmp(&turn(q.1)));
    (places, count)
}
