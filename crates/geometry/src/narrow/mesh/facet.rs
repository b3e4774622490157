//! One triangle and the surface around it.

use granule_model::DVec3;

use crate::mesh::{EdgeKind, MeshData};

/// Directions nearer to the triangle's normal than this are that normal: twice the angle of a flat edge.
const SAME_NORMAL: f64 = 2e-5;
/// Steps around a corner at most; real corners have a handful of triangles.
const RING_LIMIT: usize = 4096;

/// How a body lies to the plane of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// All of it on the side to which the normal points.
    FromFront,
    /// All of it on the other side.
    FromBehind,
    /// On both sides: it overlaps the triangle, or lies beside it.
    Across,
}

/// A triangle of a mesh.
pub(super) struct Facet<'a> {
    pub(super) data: &'a MeshData,
    pub(super) index: u32,
    pub(super) corners: [DVec3; 3],
    pub(super) normal: DVec3,
}

impl<'a> Facet<'a> {
    pub(super) fn new(data: &'a MeshData, index: u32) -> Self {
        Facet { data, index, corners: data.corners(index), normal: data.normals[index as usize] }
    }

    /// True for a direction that cannot be told from that of the face, to either side.
    pub(super) fn is_face(&self, direction: DVec3) -> bool {
        let square = SAME_NORMAL * SAME_NORMAL;
        (direction - self.normal).length_squared() <= square || (direction + self.normal).length_squared() <= square
    }

    pub(super) fn kind(&self, edge: usize) -> EdgeKind {
        self.data.neighbours[self.index as usize][edge].kind
    }

    /// The triangle across `edge`; none at the rim.
    pub(super) fn across(&self, edge: usize) -> Option<Facet<'a>> {
        let neighbour = self.data.neighbours[self.index as usize][edge].triangle;
        (neighbour != u32::MAX).then(|| Facet::new(self.data, neighbour))
    }

    /// True when some direction other than that of the face can be allowed here, for a body that lies as `seen`.
    pub(super) fn has_ridge(&self, seen: Seen) -> bool {
        (0..3).any(|edge| self.is_ridge(edge, seen))
    }

    /// True when `edge` stands out on a side that a body which lies as `seen` may touch.
    pub(super) fn is_ridge(&self, edge: usize, seen: Seen) -> bool {
        match self.kind(edge) {
            EdgeKind::Boundary => true,
            EdgeKind::Flat => false,
            EdgeKind::Convex => seen != Seen::FromBehind,
            EdgeKind::Concave => seen != Seen::FromFront,
        }
    }

    /// Direction in the plane of the triangle, out of it, perpendicular to `edge`; not of unit length.
    pub(super) fn outward(&self, edge: usize) -> DVec3 {
        (self.corners[(edge + 1) % 3] - self.corners[edge]).cross(self.normal)
    }

    /// The corner opposite to the edge of `data` between the points `from` and `to`, which is one of this triangle's.
    pub(super) fn apex(&self, from: DVec3, to: DVec3) -> DVec3 {
        self.corners.into_iter().find(|&c| c != from && c != to).unwrap_or(from)
    }

    /// Runs `visit` on every triangle around corner `corner` (itself first) until it says false; true if it never did.
    pub(super) fn around(&self, corner: usize, mut visit: impl FnMut(&Facet) -> bool) -> bool {
        if !visit(self) {
            return false;
        }
        let vertex = self.data.triangles[self.index as usize][corner];
        // One way round until the start or a rim, then from the start the other way.
        for edge in [corner, (corner + 2) % 3] {
            let (mut from, mut next) = (self.index, self.data.neighbours[self.index as usize][edge].triangle);
            for _ in 0..RING_LIMIT {
                if next == u32::MAX {
                    break;
                }
                if next == self.index {
                    return true;
                }
                if !visit(&Facet::new(self.data, next)) {
                    return false;
                }
                let onward = onward(self.data, next, vertex, from);
                (from, next) = (next, onward);
            }
        }
        true
    }

    /// True when no part of the surface around the corners that reach farthest along `direction` rises along it: then
    /// `direction` is a normal of the surface there, on the one side or the other. Differences of height up to `level` do not count.
    pub(super) fn allows(&self, direction: DVec3, level: f64) -> bool {
        let heights = self.corners.map(|c| c.dot(direction));
        let top = heights[0].max(heights[1]).max(heights[2]);
        let high = heights.map(|h| h >= top - level);
        match high.iter().filter(|h| **h).count() {
            3 => self.is_face(direction),
            2 => {
                let edge = (0..3).find(|&e| high[e] && high[(e + 1) % 3]).unwrap_or(0);
                let (from, to) = (self.corners[edge], self.corners[(edge + 1) % 3]);
                match self.kind(edge) {
                    EdgeKind::Boundary => true,
                    EdgeKind::Flat => false,
                    EdgeKind::Convex | EdgeKind::Concave => {
                        self.across(edge).is_none_or(|n| n.apex(from, to).dot(direction) <= top + level)
                    }
                }
            }
            _ => {
                let corner = (0..3).find(|&k| high[k]).unwrap_or(0);
                self.around(corner, |f| f.corners.iter().all(|c| c.dot(direction) <= top + level))
            }
        }
    }
}

/// The triangle after `here` on the way around `vertex`, coming from the triangle `from`.
fn onward(data: &MeshData, here: u32, vertex: u32, from: u32) -> u32 {
    let corner = data.triangles[here as usize].iter().position(|&v| v == vertex).unwrap_or(0);
    let [leaving, arriving] = [corner, (corner + 2) % 3].map(|edge| data.neighbours[here as usize][edge].triangle);
    if leaving == from { arriving } else { leaving }
}
