//! Convex polyhedra in general: separating axes, then the common part of the touching faces.
//!
//! Serves boxes, convex polyhedra, capsules (a segment with a radius) and the triangles of meshes; two boxes have a faster
//! kernel of their own. Candidates for the axis are all face normals and the cross products of edge pairs. Only edges
//! that come near the other body can hold the answer: the nearest (or deepest) point of an edge pair lies within the
//! distance of the bodies of every face of the other one, so an edge beyond one face with both its ends is skipped. Of the
//! remaining pairs only those whose Gauss arcs cross are faces of the Minkowski difference (Gregorius 2013).

use std::cell::RefCell;

use granule_model::{ContactPoint, DMat3, DVec3, Pose};

use super::clip::{Corner, Frame, SLACK, intersect};
use super::closest::Cores;
use super::patch::{Patch, Spot, spot};
use super::tidy::separate_keys;
use super::topology::{CUBE, SEGMENT, Topology, cube_corner};
use super::{Side, between};
use crate::geometry::Geometry;

/// Sine below which two edges count as parallel.
const PARALLEL: f64 = 1e-8;
/// An edge axis must be better than every face by this share of the size.
const PREFERENCE: f64 = 1e-10;
/// Separation and lowest clipped gap agree to this share of the size when the axis gives the distance.
const AGREEMENT: f64 = 1e-9;

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Buffers that live as long as the thread, so that a warm step allocates nothing.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) a: Solid,
    pub(super) b: Solid,
    edges_a: Vec<u32>,
    edges_b: Vec<u32>,
    patch_a: Patch,
    patch_b: Patch,
    polygon: Vec<Corner>,
    spare: Vec<Corner>,
}

/// Runs `action` with the buffers of this thread.
pub(super) fn with_workspace(action: impl FnOnce(&mut Workspace)) {
    WORKSPACE.with_borrow_mut(action);
}

/// A polyhedron with a radius, in axes of the world about a common origin.
#[derive(Default)]
pub(super) struct Solid {
    pub(super) corners: Vec<DVec3>,
    /// Outward unit normals of the faces.
    pub(super) normals: Vec<DVec3>,
    /// All corners have `normal . p <= offset`.
    pub(super) offsets: Vec<f64>,
    pub(super) radius: f64,
    /// Heights of the other body's corners over each face, face after face.
    heights: Vec<f64>,
}

impl Solid {
    /// Makes this the convex piece `side`; returns its topology, or none for what has no corners.
    pub(super) fn load<'a>(&mut self, side: Side<'a>, origin: DVec3) -> Option<Topology<'a>> {
        self.corners.clear();
        self.normals.clear();
        self.offsets.clear();
        self.radius = 0.0;
        let pose = side.pose;
        let topology = match side.geometry {
            Geometry::Cuboid { half } => {
                self.corners.extend((0..8).map(|i| cube_corner(i) * *half));
                CUBE
            }
            Geometry::Convex(data) => {
                self.corners.extend_from_slice(&data.vertices);
                Topology { faces: &data.faces, loops: &data.loops, edges: &data.edges }
            }
            Geometry::Capsule { radius, half_length } => {
                self.radius = *radius;
                self.corners.extend([-*half_length, *half_length].map(|z| DVec3::new(0.0, 0.0, z)));
                SEGMENT
            }
            _ => return None,
        };
        self.place(topology, pose, origin);
        Some(topology)
    }

    /// Takes the corners from body axes to the world about `origin`, and the faces with them.
    fn place(&mut self, topology: Topology, pose: &Pose, origin: DVec3) {
        let (axes, centre) = (DMat3::from_quat(pose.rotation), pose.position - origin);
        self.corners.iter_mut().for_each(|c| *c = centre + axes * *c);
        for face in topology.faces {
            let normal = axes * face.normal;
            let on_face = self.corners[topology.loops[face.start as usize] as usize];
            self.normals.push(normal);
            self.offsets.push(normal.dot(on_face));
        }
    }

    /// Largest height of a corner along `direction`.
    pub(super) fn reach(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Half the diagonal of the box around the corners: the length to which tolerances are relative.
    pub(super) fn extent(&self) -> f64 {
        0.5 * granule_model::Aabb::from_points(self.corners.iter().copied()).size().length()
    }

    /// Separation of `other` from each face into `heights`; the best face and its separation. A face beyond `reach` ends
    /// the search: then the pair is of no interest.
    fn best_face(&mut self, other: &Solid, reach: f64) -> Option<(usize, f64)> {
        self.heights.clear();
        let mut best: Option<(usize, f64)> = None;
        for (face, (normal, offset)) in self.normals.iter().zip(&self.offsets).enumerate() {
            let first = self.heights.len();
            self.heights.extend(other.corners.iter().map(|c| normal.dot(*c) - offset));
            let separation = self.heights[first..].iter().copied().fold(f64::INFINITY, f64::min);
            if best.is_none_or(|(_, s)| separation > s) {
                best = Some((face, separation));
                if separation > reach {
                    break;
                }
            }
        }
        best
    }

    /// The edges of `other` that no face of this body has at a distance above `reach` with both ends.
    fn edges_near(&self, other: &Solid, edges: &[crate::convex::Edge], reach: f64, near: &mut Vec<u32>) {
        near.clear();
        let count = other.corners.len();
        near.extend((0..edges.len() as u32).filter(|&e| {
            let [p, q] = edges[e as usize].vertices.map(|v| v as usize);
            !self.heights.chunks_exact(count.max(1)).any(|row| row[p] > reach && row[q] > reach)
        }));
    }
}

/// The shared data of the kernels of one pair.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) topology_a: Topology<'a>,
    pub(super) topology_b: Topology<'a>,
    /// Length to which tolerances are relative \[m\].
    pub(super) size: f64,
    pub(super) margin: f64,
    pub(super) origin: DVec3,
}

/// Two convex pieces of which none is a ball.
pub(super) fn polytope_pair(a: Side, b: Side, margin: f64, out: &mut Vec<ContactPoint>) {
    with_workspace(|work| {
        let origin = b.pose.position;
        let (Some(topology_a), Some(topology_b)) = (work.a.load(a, origin), work.b.load(b, origin)) else { return };
        let size = work.a.extent() + work.b.extent();
        work.contacts(&Pair { topology_a, topology_b, size, margin, origin }, out);
    });
}

impl Workspace {
    fn contacts(&mut self, pair: &Pair, out: &mut Vec<ContactPoint>) {
        let Some((axis, separation)) = self.best_axis(pair) else { return };
        let start = out.len();
        let lowest = self.clip(pair, axis, out, |_| true);
        let is_exact = lowest <= separation + AGREEMENT * pair.size;
        if !is_exact {
            let cores = self.cores(pair);
            if separation > 0.0 {
                out.truncate(start);
                cores.push(axis, separation, pair.margin, out);
            } else {
                cores.push_along(axis, separation, pair.margin, out);
            }
        }
        separate_keys(&mut out[start..]);
    }

    pub(super) fn cores(&self, pair: &Pair) -> Cores<'_> {
        Cores {
            corners: [&self.a.corners, &self.b.corners],
            radii: [self.a.radius, self.b.radius],
            size: pair.size,
            origin: pair.origin,
        }
    }

    /// Unit vector from B to A along which the cores are farthest apart, and that separation; none beyond the margin.
    fn best_axis(&mut self, pair: &Pair) -> Option<(DVec3, f64)> {
        let reach = pair.margin + self.a.radius + self.b.radius;
        let mut best: Option<(DVec3, f64)> = None;
        if let Some((face, separation)) = self.a.best_face(&self.b, reach) {
            best = Some((-self.a.normals[face], separation));
        }
        if best.is_some_and(|(_, s)| s > reach) {
            return None;
        }
        if let Some((face, separation)) = self.b.best_face(&self.a, reach)
            && best.is_none_or(|(_, s)| separation > s + PREFERENCE * pair.size)
        {
            best = Some((self.b.normals[face], separation));
        }
        if best.is_some_and(|(_, s)| s > reach) {
            return None;
        }
        self.edge_axes(pair, reach, &mut best);
        best.filter(|(_, separation)| *separation <= reach)
    }

    /// Betters `best` by edge pairs.
    fn edge_axes(&mut self, pair: &Pair, reach: f64, best: &mut Option<(DVec3, f64)>) {
        let (edges_a, edges_b) = (pair.topology_a.edges, pair.topology_b.edges);
        // When they overlap, the two points of the pair are no farther apart than the least depth found so far.
        let near = best.map_or(f64::INFINITY, |(_, separation)| reach.max(-separation).max(0.0));
        self.b.edges_near(&self.a, edges_a, near, &mut self.edges_a);
        self.a.edges_near(&self.b, edges_b, near, &mut self.edges_b);
        for &i in &self.edges_a {
            for &j in &self.edges_b {
                let candidate = edge_axis(&self.a, &edges_a[i as usize], &self.b, &edges_b[j as usize]);
                if let Some((_, separation)) = candidate
                    && best.is_none_or(|(_, s)| separation > s + PREFERENCE * pair.size)
                {
                    *best = candidate;
                }
            }
        }
    }

    /// Pushes the corners of the common part of the touching features that `keep` accepts; returns the lowest distance of
    /// the cores over any of them, also beyond the margin.
    pub(super) fn clip(
        &mut self,
        pair: &Pair,
        normal: DVec3,
        out: &mut Vec<ContactPoint>,
        keep: impl Fn(Spot) -> bool,
    ) -> f64 {
        let frame = Frame::new(normal);
        let (a, b) = (&self.a, &self.b);
        self.patch_a.load(a, &pair.topology_a, -normal, &frame, pair.size);
        self.patch_b.load(b, &pair.topology_b, normal, &frame, pair.size);
        // Only a subject may be a segment.
        let a_clips = self.patch_a.flat.len() > 2;
        let (clipper, subject) = if a_clips { (&self.patch_a, &self.patch_b) } else { (&self.patch_b, &self.patch_a) };
        if clipper.flat.len() < 3 || subject.flat.len() < 2 {
            return f64::INFINITY;
        }
        let buffers = [&mut self.polygon, &mut self.spare];
        let common = intersect(&clipper.flat, &subject.flat, SLACK * pair.size, buffers);
        let mut lowest = f64::INFINITY;
        let first = out.len();
        for corner in common {
            let levels = [clipper.level(corner, false), subject.level(corner, true)];
            let [above, below] = if a_clips { levels } else { [levels[1], levels[0]] };
            lowest = lowest.min(above - below);
            let (above, below) = (above - a.radius, below + b.radius);
            let spot = spot(corner.site, clipper, subject, a_clips);
            if above - below <= pair.margin && keep(spot) {
                let foot = pair.origin + frame.lift(corner.at);
                let key = spot.key();
                // A segment that is cut shows its cut on the way there and back.
                if !out[first..].iter().any(|c| c.feature == key) {
                    out.push(between(foot, normal, above, below, key));
                }
            }
        }
        lowest
    }
}

/// The axis perpendicular to an edge of each body (unit vector from B to A) and the separation along it; none when they
/// are parallel or no pair of touching features.
pub(super) fn edge_axis(
    a: &Solid,
    edge_a: &crate::convex::Edge,
    b: &Solid,
    edge_b: &crate::convex::Edge,
) -> Option<(DVec3, f64)> {
    let [a0, a1] = edge_a.vertices.map(|v| a.corners[v as usize]);
    let [b0, b1] = edge_b.vertices.map(|v| b.corners[v as usize]);
    let (along_a, along_b) = (a1 - a0, b1 - b0);
    let cross = along_a.cross(along_b);
    let squared = cross.length_squared();
    if squared <= PARALLEL * PARALLEL * along_a.length_squared() * along_b.length_squared() {
        return None;
    }
    let normal = cross / squared.sqrt();
    match (faces_of(a, edge_a), faces_of(b, edge_b)) {
        (Some(faces_a), Some(faces_b)) => {
            arcs_cross(faces_a, faces_b).then(|| {
                // The normal leads out of B and into A.
                let normal = if normal.dot(faces_b[0] + faces_b[1]) < 0.0 { -normal } else { normal };
                (normal, normal.dot(a0 - b0))
            })
        }
        _ => {
            let separation = |n: DVec3| -a.reach(-n) - b.reach(n);
            let (there, back) = (separation(normal), separation(-normal));
            Some(if there >= back { (normal, there) } else { (-normal, back) })
        }
    }
}

/// Normals of the two faces at an edge; none at the rim of something flat.
fn faces_of(solid: &Solid, edge: &crate::convex::Edge) -> Option<[DVec3; 2]> {
    let [first, second] = edge.faces.map(|f| solid.normals.get(f as usize).copied());
    Some([first?, second?])
}

/// True when the arc between the normals `a` meets the arc between the opposites of the normals `b` on the unit sphere:
/// then the two edges span a face of the Minkowski difference.
fn arcs_cross(a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    let [c, d] = b.map(|n| -n);
    let (plane_a, plane_b) = (a[1].cross(a[0]), d.cross(c));
    let (c_side, d_side) = (c.dot(plane_a), d.dot(plane_a));
    let (a_side, b_side) = (a[0].dot(plane_b), a[1].dot(plane_b));
    c_side * d_side < 0.0 && a_side * b_side < 0.0 && c_side * b_side > 0.0
}
