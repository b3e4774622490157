//! The common part of two convex polygons seen along the contact normal.
//!
//! Both touching faces (or edges) are projected along the shared normal onto the plane `(u, v)`; their common part is a
//! convex polygon, and over each of its corners the two surfaces have a height each. That treats a face on a face, a
//! corner over a face and two crossed edges alike, and a corner keeps its key whichever body's face the normal is taken
//! from: it is a corner of A, a corner of B, or the crossing of an edge of A with an edge of B.

use glam::DVec2;
use granule_model::DVec3;

/// Corners this far outside a polygon (share of the size of the pair) count as inside, so that bodies whose edges lie
/// on each other keep their corners while they tremble. Crossings lie on the true edges. A surface seen at the steepest
/// rises by five times as much beyond its edge, so the gap is right to 1e-9; beyond the tip of a needle the slack
/// counts for more.
pub(super) const SLACK: f64 = 1.5e-10;

/// What a corner of the common polygon is; indices count corners (and the edges that start there) of the two polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Site {
    /// Corner of the clipping polygon.
    Clipper(u32),
    /// Corner of the clipped polygon.
    Subject(u32),
    /// Crossing of the edge `clipper` with the edge `subject`.
    Crossing { clipper: u32, subject: u32 },
}

/// A corner of the polygon being clipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub(super) at: DVec2,
    pub(super) site: Site,
    /// The line along which the polygon goes on from here.
    edge: Line,
}

/// Which polygon an edge of the clipped polygon lies on.
#[derive(Clone, Copy, Debug)]
enum Line {
    Clipper(u32),
    Subject(u32),
}

/// A growable list of corners: on the stack for boxes, in reused vectors otherwise.
pub(super) trait Corners {
    fn clear(&mut self);
    fn push(&mut self, corner: Corner);
    fn as_slice(&self) -> &[Corner];
}

impl Corners for Vec<Corner> {
    fn clear(&mut self) {
        Vec::clear(self);
    }
    fn push(&mut self, corner: Corner) {
        Vec::push(self, corner);
    }
    fn as_slice(&self) -> &[Corner] {
        self
    }
}

/// Room for the common part of two quadrilaterals: each of four cuts of a convex polygon adds one corner at most.
pub(super) struct Eight {
    corners: [Corner; 8],
    len: usize,
}

impl Eight {
    pub(super) fn new() -> Self {
        let blank = Corner { at: DVec2::ZERO, site: Site::Subject(0), edge: Line::Subject(0) };
        Eight { corners: [blank; 8], len: 0 }
    }
}

impl Corners for Eight {
    fn clear(&mut self) {
        self.len = 0;
    }
    #[inline]
    fn push(&mut self, corner: Corner) {
        // Rounding can make a cut of a needle gain a ninth corner; it would lie within the slack of another.
        if self.len < 8 {
            self.corners[self.len] = corner;
            self.len += 1;
        }
    }
    #[inline]
    fn as_slice(&self) -> &[Corner] {
        &self.corners[..self.len]
    }
}

/// The common part of two convex polygons, both counter-clockwise, in one of the two buffers: of one all edges, none
/// where an edge has no length, of `subject` all corners.
///
/// The subject may be a segment (two corners); the clipper, whose edges are `cuts`, may not.
// Boxes spend most of their time here: a call costs them 4 % more instructions.
#[inline(always)]
pub(super) fn intersect<'a, C: Corners>(
    cuts: impl IntoIterator<Item = Option<Cut>>,
    subject: &[DVec2],
    buffers: [&'a mut C; 2],
) -> &'a [Corner] {
    // References change places, not buffers: those on the stack would be copied.
    let [mut result, mut spare] = buffers;
    result.clear();
    for (k, &at) in subject.iter().enumerate() {
        // The way back along a segment is the same edge.
        let edge = if subject.len() == 2 { 0 } else { k as u32 };
        result.push(Corner { at, site: Site::Subject(k as u32), edge: Line::Subject(edge) });
    }
    for cut in cuts {
        let Some(line) = cut else { continue };
        if result.as_slice().iter().all(|c| line.depth(c) >= -line.slack) {
            continue;
        }
        line.cut(result.as_slice(), spare);
        std::mem::swap(&mut result, &mut spare);
        if result.as_slice().is_empty() {
            break;
        }
    }
    result.as_slice()
}

/// The point where two segments cross, as a polygon of one corner or none; ends this much short of it count as reaching
/// it.
pub(super) fn cross<'a, C: Corners>(
    clipper: &[DVec2],
    subject: &[DVec2],
    slack: f64,
    [result, _]: [&'a mut C; 2],
) -> &'a [Corner] {
    result.clear();
    let (p, q) = (clipper[0], subject[0]);
    let (along, other, offset) = (clipper[1] - p, subject[1] - q, q - p);
    let area = along.perp_dot(other);
    let shares = [offset.perp_dot(other) / area, offset.perp_dot(along) / area];
    let is_on = |share: f64, length: f64| (share - 0.5).abs() * length <= 0.5 * length + slack;
    // Parallel segments make the shares NaN or infinite, which are on neither.
    if is_on(shares[0], along.length()) && is_on(shares[1], other.length()) {
        let at = p + shares[0].clamp(0.0, 1.0) * along;
        result.push(Corner { at, site: Site::Crossing { clipper: 0, subject: 0 }, edge: Line::Subject(0) });
    }
    result.as_slice()
}

/// One edge of the clipper.
pub(super) struct Cut {
    inward: DVec2,
    /// The inner side is `inward . p >= level`.
    level: f64,
    slack: f64,
    index: u32,
    /// How many edges the clipper has.
    count: u32,
}

impl Cut {
    /// Edge `index` of the convex polygon `clipper`, counter-clockwise; none where it has no length. `slack` is a
    /// length.
    #[inline(always)]
    pub(super) fn new(clipper: &[DVec2], index: usize, slack: f64) -> Option<Self> {
        let count = clipper.len();
        let along = clipper[(index + 1) % count] - clipper[index];
        let length = along.length();
        if length == 0.0 {
            return None;
        }
        let inward = DVec2::new(-along.y, along.x) / length;
        Some(Cut { inward, level: inward.dot(clipper[index]), slack, index: index as u32, count: count as u32 })
    }

    /// Distance to the line, positive inside.
    #[inline]
    fn depth(&self, corner: &Corner) -> f64 {
        self.inward.dot(corner.at) - self.level
    }

    /// Keeps the inner part of `polygon`.
    #[inline]
    fn cut<C: Corners>(&self, polygon: &[Corner], kept: &mut C) {
        kept.clear();
        let Some(last) = polygon.last() else { return };
        let mut from = *last;
        let mut from_depth = self.depth(&from);
        for &to in polygon {
            let to_depth = self.depth(&to);
            let (was_in, is_in) = (from_depth >= -self.slack, to_depth >= -self.slack);
            if was_in != is_in {
                // On the true line where the edge crosses it, at an end where only the slack keeps that end.
                let share = (from_depth / (from_depth - to_depth)).clamp(0.0, 1.0);
                let at = from.at + share * (to.at - from.at);
                let edge = if was_in { Line::Clipper(self.index) } else { from.edge };
                kept.push(Corner { at, site: meeting(from.edge, self.index, self.count), edge });
            }
            if is_in {
                kept.push(to);
            }
            (from, from_depth) = (to, to_depth);
        }
    }
}

/// Where `line` meets edge `index` of a clipper with `count` edges.
fn meeting(line: Line, index: u32, count: u32) -> Site {
    let next = |edge: u32| if edge + 1 == count { 0 } else { edge + 1 };
    match line {
        Line::Subject(subject) => Site::Crossing { clipper: index, subject },
        // Consecutive edges of the clipper share a corner; others only meet by rounding, and any corner will do.
        Line::Clipper(other) if next(other) == index => Site::Clipper(index),
        Line::Clipper(_) => Site::Clipper(next(index)),
    }
}

/// Directions that span the plane of projection, and the normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) u: DVec3,
    pub(super) v: DVec3,
    pub(super) normal: DVec3,
}

impl Frame {
    pub(super) fn new(normal: DVec3) -> Self {
        let (u, v) = normal.any_orthonormal_pair();
        debug_assert!(u.cross(v).dot(normal) > 0.0, "counter-clockwise must mean it");
        Frame { u, v, normal }
    }

    #[inline]
    pub(super) fn flat(&self, p: DVec3) -> DVec2 {
        DVec2::new(self.u.dot(p), self.v.dot(p))
    }

    #[inline]
    pub(super) fn lift(&self, p: DVec2) -> DVec3 {
        p.x * self.u + p.y * self.v
    }
}

/// Height of a flat surface or a straight edge above the plane of projection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Height {
    origin: DVec2,
    level: f64,
    slope: DVec2,
}

impl Height {
    /// Of the plane through `point` with normal `face`, which must not be perpendicular to the contact normal.
    #[inline]
    pub(super) fn of_face(frame: &Frame, point: DVec3, face: DVec3) -> Self {
        let slope = frame.flat(face) / -frame.normal.dot(face);
        Height { origin: frame.flat(point), level: frame.normal.dot(point), slope }
    }

    /// Of the line from `start` to `end`, which must not be parallel to the contact normal; level across the line.
    pub(super) fn of_edge(frame: &Frame, start: DVec3, end: DVec3) -> Self {
        let along = end - start;
        let flat = frame.flat(along);
        let squared = flat.length_squared();
        let slope = if squared > 0.0 { flat * (frame.normal.dot(along) / squared) } else { DVec2::ZERO };
        Height { origin: frame.flat(start), level: frame.normal.dot(start), slope }
    }

    #[inline]
    pub(super) fn at(&self, p: DVec2) -> f64 {
        self.level + self.slope.dot(p - self.origin)
    }
}
