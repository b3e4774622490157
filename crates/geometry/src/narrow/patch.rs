//! The face or edge with which a polyhedron touches, projected along the contact normal, and names for contact points.

use glam::DVec2;
use granule_model::DVec3;

use super::clip::{Corner, Frame, Height, Site};
use super::mix;
use super::solid::Solid;
use super::topology::Topology;

/// A face is projected along the contact normal only when the cosine between them is at least this; else an edge is.
const STEEP: f64 = 0.2;
/// Corners this little (share of the size) below the highest belong to the touching feature.
const LEVEL: f64 = 1e-9;

/// The touching face or edge of a body, seen along the contact normal.
#[derive(Default)]
pub(super) struct Patch {
    ids: Vec<u32>,
    pub(super) flat: Vec<DVec2>,
    levels: Vec<f64>,
    height: Option<Height>,
    face: Option<usize>,
}

/// What a contact point is, by corners of the two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    CornerOfA(u32),
    CornerOfB(u32),
    /// An edge of A, lower corner first, and one of B.
    Crossing([u32; 2], [u32; 2]),
}

impl Spot {
    pub(super) fn key(self) -> u32 {
        match self {
            Spot::CornerOfA(corner) => mix(1, corner),
            Spot::CornerOfB(corner) => mix(2, corner),
            Spot::Crossing([a0, a1], [b0, b1]) => mix(mix(mix(mix(3, a0), a1), b0), b1),
        }
    }
}

/// Names a corner of the common polygon by corners of the bodies.
pub(super) fn spot(site: Site, clipper: &Patch, subject: &Patch, a_clips: bool) -> Spot {
    let corner = |of_clipper: bool, id: u32| {
        if of_clipper == a_clips { Spot::CornerOfA(id) } else { Spot::CornerOfB(id) }
    };
    match site {
        Site::Clipper(k) => corner(true, clipper.ids[k as usize]),
        Site::Subject(k) => corner(false, subject.ids[k as usize]),
        Site::Crossing { clipper: i, subject: k } => {
            let (i, k) = (clipper.edge(i), subject.edge(k));
            if a_clips { Spot::Crossing(i, k) } else { Spot::Crossing(k, i) }
        }
    }
}

impl Patch {
    /// The face or edge of `solid` that touches along `outward`, counter-clockwise seen from the tip of the normal.
    pub(super) fn load(&mut self, solid: &Solid, topology: &Topology, outward: DVec3, frame: &Frame, size: f64) {
        self.ids.clear();
        self.height = None;
        self.levels.clear();
        self.levels.extend(solid.corners.iter().map(|c| c.dot(outward)));
        let floor = self.levels.iter().copied().fold(f64::NEG_INFINITY, f64::max) - LEVEL * size;
        let touches = |v: u32| self.levels[v as usize] >= floor;
        // A face at an end of a touching edge may lie flatter than the two at the edge, and does not reach the other
        // end.
        let mut most = 1;
        let mut best: Option<(usize, f64)> = None;
        for (face, normal) in solid.normals.iter().enumerate() {
            let count = topology.face_loop(face).iter().filter(|&&v| touches(v)).count();
            if count < most {
                continue;
            }
            let cosine = normal.dot(outward);
            if count > most {
                (most, best) = (count, None);
            }
            if cosine >= STEEP && best.is_none_or(|(_, c)| cosine > c) {
                best = Some((face, cosine));
            }
        }
        self.face = best.map(|(face, _)| face);
        if let Some(face) = self.face {
            self.take_face(solid, topology, face, frame);
        } else if let Some([start, end]) = flattest_edge(solid, topology, outward, touches) {
            self.ids.extend([start, end]);
            let [p, q] = [start, end].map(|v| solid.corners[v as usize]);
            self.height = Some(Height::of_edge(frame, p, q));
        }
        self.project(solid, frame);
    }

    /// The face `face` of `solid`, counter-clockwise seen from the tip of the normal.
    pub(super) fn load_face(&mut self, solid: &Solid, topology: &Topology, face: usize, frame: &Frame) {
        self.face = Some(face);
        self.ids.clear();
        self.take_face(solid, topology, face, frame);
        self.project(solid, frame);
    }

    fn take_face(&mut self, solid: &Solid, topology: &Topology, face: usize, frame: &Frame) {
        self.ids.extend_from_slice(topology.face_loop(face));
        // Seen against the normal, the loop runs clockwise.
        if solid.normals[face].dot(frame.normal) < 0.0 {
            self.ids.reverse();
        }
        let on_face = solid.corners[self.ids[0] as usize];
        self.height = Some(Height::of_face(frame, on_face, solid.normals[face]));
    }

    /// The rim points or the line of a round body, by name, with the surface through them at `height`.
    pub(super) fn load_points(&mut self, named: &[(u32, DVec3)], height: Height, frame: &Frame) {
        self.face = None;
        self.height = Some(height);
        self.ids.clear();
        self.flat.clear();
        self.levels.clear();
        self.ids.extend(named.iter().map(|(id, _)| *id));
        self.flat.extend(named.iter().map(|(_, p)| frame.flat(*p)));
        self.levels.extend(named.iter().map(|(_, p)| frame.normal.dot(*p)));
        let next = |i: usize| self.flat[(i + 1) % self.flat.len()];
        let area: f64 = self.flat.iter().enumerate().map(|(i, p)| p.perp_dot(next(i))).sum();
        if area < 0.0 {
            self.ids.reverse();
            self.flat.reverse();
            self.levels.reverse();
        }
    }

    /// Its corners along the plane of projection, with their names; two for an edge.
    pub(super) fn corners(&self) -> impl Iterator<Item = (u32, DVec2)> {
        self.ids.iter().copied().zip(self.flat.iter().copied())
    }

    /// Height of this surface at `at`.
    pub(super) fn height_at(&self, at: DVec2) -> f64 {
        self.height.map_or(f64::NAN, |height| height.at(at))
    }

    fn project(&mut self, solid: &Solid, frame: &Frame) {
        self.flat.clear();
        self.flat.extend(self.ids.iter().map(|&v| frame.flat(solid.corners[v as usize])));
        self.levels.clear();
        self.levels.extend(self.ids.iter().map(|&v| frame.normal.dot(solid.corners[v as usize])));
    }

    /// Lowest and highest level of its corners along the normal.
    pub(super) fn range(&self) -> [f64; 2] {
        self.levels.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], &x| [l.min(x), h.max(x)])
    }

    /// The face that it is; none for an edge.
    pub(super) fn face(&self) -> Option<usize> {
        self.face
    }

    /// Height of this surface at a corner of the common polygon; exact at its own corners.
    pub(super) fn level(&self, corner: &Corner, is_subject: bool) -> f64 {
        match corner.site {
            Site::Clipper(k) if !is_subject => self.levels[k as usize],
            Site::Subject(k) if is_subject => self.levels[k as usize],
            _ => self.height.map_or(f64::NAN, |height| height.at(corner.at)),
        }
    }

    /// Both ends of the edge that starts at corner `k`, lower first.
    fn edge(&self, k: u32) -> [u32; 2] {
        let (from, to) = (self.ids[k as usize], self.ids[(k as usize + 1) % self.ids.len()]);
        [from.min(to), from.max(to)]
    }
}

/// Of the edges that touch along `outward`, the one nearest to perpendicular to it.
fn flattest_edge(
    solid: &Solid,
    topology: &Topology,
    outward: DVec3,
    touches: impl Fn(u32) -> bool,
) -> Option<[u32; 2]> {
    let slope = |[p, q]: [u32; 2]| {
        let along = solid.corners[q as usize] - solid.corners[p as usize];
        along.dot(outward).abs() / along.length()
    };
    topology
        .edges
        .iter()
        .map(|e| e.vertices)
        .filter(|v| touches(v[0]) || touches(v[1]))
        .map(|v| (v, slope(v)))
        .reduce(|best, next| if next.1 < best.1 { next } else { best })
        .map(|(v, _)| v)
}
