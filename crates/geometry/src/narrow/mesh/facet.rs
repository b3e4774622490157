//! One triangle and the surface around it.

use granule_model::DVec3;

use crate::ground::{EdgeKind, NO_TRIANGLE, TriangleSurface};

/// Directions nearer to the triangle's normal than this are that normal: twice the angle of a flat edge.
const SAME_NORMAL: f64 = 2e-5;
/// Steps around a corner at most; real corners have a handful of triangles.
const RING_LIMIT: usize = 4096;

/// The part of a triangle that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    Face,
    Edge(usize),
    Corner(usize),
}

/// A triangle of a surface.
pub(super) struct Facet<'a, S> {
    pub(super) surface: &'a S,
    pub(super) index: u32,
    pub(super) corners: [DVec3; 3],
    pub(super) normal: DVec3,
}

impl<'a, S: TriangleSurface> Facet<'a, S> {
    pub(super) fn new(surface: &'a S, index: u32) -> Self {
        Facet { surface, index, corners: surface.corners(index), normal: surface.normal(index) }
    }

    /// True for a direction that cannot be told from that of the face, to either side.
    pub(super) fn is_face(&self, direction: DVec3) -> bool {
        let square = SAME_NORMAL * SAME_NORMAL;
        (direction - self.normal).length_squared() <= square || (direction + self.normal).length_squared() <= square
    }

    pub(super) fn kind(&self, edge: usize) -> EdgeKind {
        self.surface.kind(self.index, edge)
    }

    /// True when `edge` stands out on the side of the surface to which `face`, the normal or its opposite, points.
    pub(super) fn is_ridge(&self, edge: usize, face: DVec3) -> bool {
        match self.kind(edge) {
            EdgeKind::Boundary => true,
            EdgeKind::Flat => false,
            EdgeKind::Convex => face == self.normal,
            EdgeKind::Concave => face != self.normal,
        }
    }

    /// True when the surface bends up at `edge` on the side to which `face`, the normal or its opposite, points.
    pub(super) fn is_valley(&self, edge: usize, face: DVec3) -> bool {
        matches!((self.kind(edge), face == self.normal), (EdgeKind::Concave, true) | (EdgeKind::Convex, false))
    }

    /// True when some direction other than `face` can be allowed on its side.
    pub(super) fn has_ridge(&self, face: DVec3) -> bool {
        (0..3).any(|edge| self.is_ridge(edge, face))
    }

    /// The triangle across `edge`; none at the rim.
    pub(super) fn across(&self, edge: usize) -> Option<Facet<'a, S>> {
        let neighbour = self.surface.across(self.index, edge);
        (neighbour != NO_TRIANGLE).then(|| Facet::new(self.surface, neighbour))
    }

    /// Direction in the plane of the triangle, out of it, perpendicular to `edge`; not of unit length.
    pub(super) fn outward(&self, edge: usize) -> DVec3 {
        (self.corners[(edge + 1) % 3] - self.corners[edge]).cross(self.normal)
    }

    /// The corner opposite to the edge between the points `from` and `to`, which is one of this triangle's.
    pub(super) fn apex(&self, from: DVec3, to: DVec3) -> DVec3 {
        self.corners.into_iter().find(|&c| c != from && c != to).unwrap_or(from)
    }

    /// The part of the triangle that is nearest to `point` (Ericson 2005, section 5.1.5).
    pub(super) fn region(&self, point: DVec3) -> Region {
        for corner in 0..3 {
            let p = self.corners[corner];
            let (next, last) = (self.corners[(corner + 1) % 3], self.corners[(corner + 2) % 3]);
            if (point - p).dot(next - p) <= 0.0 && (point - p).dot(last - p) <= 0.0 {
                return Region::Corner(corner);
            }
        }
        for edge in 0..3 {
            let (p, q) = (self.corners[edge], self.corners[(edge + 1) % 3]);
            let along = q - p;
            let within = (point - p).dot(along) >= 0.0 && (point - q).dot(along) <= 0.0;
            if within && (point - p).dot(self.outward(edge)) >= 0.0 {
                return Region::Edge(edge);
            }
        }
        Region::Face
    }

    /// Runs `visit` on every triangle around corner `corner` (itself first) until it says false; true if it never did.
    pub(super) fn around(&self, corner: usize, mut visit: impl FnMut(&Facet<S>) -> bool) -> bool {
        if !visit(self) {
            return false;
        }
        let vertex = self.surface.vertices(self.index)[corner];
        // One way round until the start or a rim, then from the start the other way.
        for edge in [corner, (corner + 2) % 3] {
            let (mut from, mut next) = (self.index, self.surface.across(self.index, edge));
            for _ in 0..RING_LIMIT {
                if next == NO_TRIANGLE {
                    break;
                }
                if next == self.index {
                    return true;
                }
                if !visit(&Facet::new(self.surface, next)) {
                    return false;
                }
                let onward = onward(self.surface, next, vertex, from);
                (from, next) = (next, onward);
            }
        }
        true
    }

    /// True when no part of the surface around the corners that reach farthest along `direction` rises along it: then
    /// `direction` is a normal of the surface there, on the side of `face` or round a rim. Differences of height up to
    /// `level` do not count.
    pub(super) fn allows(&self, direction: DVec3, face: DVec3, level: f64) -> bool {
        let heights = self.corners.map(|c| c.dot(direction));
        let top = heights[0].max(heights[1]).max(heights[2]);
        let high = heights.map(|h| h >= top - level);
        let on_side = direction.dot(face) >= 0.0;
        match high.iter().filter(|h| **h).count() {
            3 => self.is_face(direction) && on_side,
            2 => {
                let edge = (0..3).find(|&e| high[e] && high[(e + 1) % 3]).unwrap_or(0);
                let (from, to) = (self.corners[edge], self.corners[(edge + 1) % 3]);
                match self.kind(edge) {
                    EdgeKind::Boundary => true,
                    EdgeKind::Flat => false,
                    EdgeKind::Convex | EdgeKind::Concave => {
                        let is_lower = |n: Facet<S>| n.apex(from, to).dot(direction) <= top + level;
                        on_side && self.is_ridge(edge, face) && self.across(edge).is_none_or(is_lower)
                    }
                }
            }
            _ => {
                let corner = (0..3).find(|&k| high[k]).unwrap_or(0);
                (on_side || self.is_at_rim(corner))
                    && self.around(corner, |f| f.corners.iter().all(|c| c.dot(direction) <= top + level))
            }
        }
    }

    fn is_at_rim(&self, corner: usize) -> bool {
        [corner, (corner + 2) % 3].into_iter().any(|edge| self.kind(edge) == EdgeKind::Boundary)
    }
}

/// The triangle after `here` on the way around `vertex`, coming from the triangle `from`.
fn onward(surface: &impl TriangleSurface, here: u32, vertex: u32, from: u32) -> u32 {
    let corner = surface.vertices(here).iter().position(|&v| v == vertex).unwrap_or(0);
    let [leaving, arriving] = [corner, (corner + 2) % 3].map(|edge| surface.across(here, edge));
    if leaving == from { arriving } else { leaving }
}
