//! A convex polyhedron in axes of the world, as the kernels of a pair see it.

use granule_model::{DMat3, DVec3, Pose};

use super::Side;
use super::topology::{CUBE, SEGMENT, Topology, cube_corner};
use crate::geometry::Geometry;

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
        self.clear();
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

    pub(super) fn clear(&mut self) {
        self.corners.clear();
        self.normals.clear();
        self.offsets.clear();
        self.radius = 0.0;
    }

    /// Takes the corners from body axes to the world about `origin`, and the faces with them.
    pub(super) fn place(&mut self, topology: Topology, pose: &Pose, origin: DVec3) {
        let (axes, centre) = (DMat3::from_quat(pose.rotation), pose.position - origin);
        self.corners.iter_mut().for_each(|c| *c = centre + axes * *c);
        for face in topology.faces {
            let normal = axes * face.normal;
            let on_face = self.corners[topology.loops[face.start as usize] as usize];
            self.normals.push(normal);
            self.offsets.push(normal.dot(on_face));
        }
    }

    /// The mean of the corners.
    pub(super) fn middle(&self) -> DVec3 {
        self.corners.iter().sum::<DVec3>() / self.corners.len() as f64
    }

    /// Largest height of a corner along `direction`.
    pub(super) fn reach(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Half the diagonal of the box around the corners: the length to which tolerances are relative.
    pub(super) fn extent(&self) -> f64 {
        0.5 * granule_model::Aabb::from_points(self.corners.iter().copied()).size().length()
    }

    /// Separation of `other` from each face into `heights`; the best face and its separation. A face beyond `reach`
    /// ends the search: then the pair is of no interest.
    pub(super) fn best_face(&mut self, other: &Solid, reach: f64) -> Option<(usize, f64)> {
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
    pub(super) fn edges_near(&self, other: &Solid, edges: &[crate::convex::Edge], reach: f64, near: &mut Vec<u32>) {
        near.clear();
        let count = other.corners.len();
        near.extend((0..edges.len() as u32).filter(|&e| {
            let [p, q] = edges[e as usize].vertices.map(|v| v as usize);
            !self.heights.chunks_exact(count.max(1)).any(|row| row[p] > reach && row[q] > reach)
        }));
    }
}
