//! Capsules: a segment with a radius.

use granule_model::{ContactPoint, DVec3, Pose};

use super::sphere::{balls, nearest_on_segment};

/// Sine of the angle below which two segments count as parallel and touch along a line.
const PARALLEL: f64 = 1e-6;

/// The segment inside a capsule, in the world.
pub(super) struct Core {
    centre: DVec3,
    /// From the centre to the far end.
    arm: DVec3,
}

impl Core {
    /// Of a capsule at `pose`, axis along its z.
    pub(super) fn new(pose: &Pose, half_length: f64) -> Self {
        Core { centre: pose.position, arm: pose.transform_vector(DVec3::new(0.0, 0.0, half_length)) }
    }

    /// From `start` to `end`.
    pub(super) fn between(start: DVec3, end: DVec3) -> Self {
        Core { centre: 0.5 * (start + end), arm: 0.5 * (end - start) }
    }

    /// Low and high end.
    pub(super) fn ends(&self) -> [DVec3; 2] {
        [self.centre - self.arm, self.centre + self.arm]
    }

    /// The point of the segment nearest to `point`.
    pub(super) fn nearest(&self, point: DVec3) -> DVec3 {
        let [start, end] = self.ends();
        nearest_on_segment(start, end, point)
    }
}

/// Two capsules: the nearest point of the cores, and the ends of the common stretch when they are parallel.
pub(super) fn capsule_capsule(
    a: &Core,
    radius_a: f64,
    b: &Core,
    radius_b: f64,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    let lengths = a.arm.length() * b.arm.length();
    if lengths > 0.0 && a.arm.cross(b.arm).length() <= PARALLEL * lengths {
        side_by_side(a, radius_a, b, radius_b, margin, out);
        if out.len() > start {
            return;
        }
    }
    let (p, q) = nearest_of_segments(a, b);
    out.extend(balls(p, radius_a, q, radius_b, margin));
}

/// Contacts at both ends of the stretch over which parallel cores lie beside each other; none without such a stretch.
fn side_by_side(a: &Core, radius_a: f64, b: &Core, radius_b: f64, margin: f64, out: &mut Vec<ContactPoint>) {
    let squared = b.arm.length_squared();
    let along = |p: DVec3| (p - b.centre).dot(b.arm) / squared;
    let [s, t] = a.ends().map(along);
    let (low, high) = (s.min(t).max(-1.0), s.max(t).min(1.0));
    // A stretch this short is one point.
    if high - low <= PARALLEL {
        return;
    }
    for (feature, place) in [low, high].into_iter().enumerate() {
        let q = b.centre + place * b.arm;
        let first = out.len();
        out.extend(balls(a.nearest(q), radius_a, q, radius_b, margin));
        // Key 0 stays that of the single point.
        out[first..].iter_mut().for_each(|c| c.feature = 1 + feature as u32);
    }
}

/// Nearest points of two segments.
///
/// The unconstrained minimum lies inside both segments or an end of one of them takes part, so the best of five
/// candidates is exact.
pub(super) fn nearest_of_segments(a: &Core, b: &Core) -> (DVec3, DVec3) {
    let offset = a.centre - b.centre;
    let (aa, bb, ab) = (a.arm.length_squared(), b.arm.length_squared(), a.arm.dot(b.arm));
    let determinant = a.arm.cross(b.arm).length_squared();
    let mut best = (a.centre, b.nearest(a.centre));
    let mut least = f64::INFINITY;
    let mut consider = |p: DVec3, q: DVec3| {
        let squared = (p - q).length_squared();
        if squared < least {
            (best, least) = ((p, q), squared);
        }
    };
    if determinant > 0.0 {
        let (da, db) = (offset.dot(a.arm), offset.dot(b.arm));
        let s = (ab * db - bb * da) / determinant;
        let t = (aa * db - ab * da) / determinant;
        if s.abs() <= 1.0 && t.abs() <= 1.0 {
            consider(a.centre + s * a.arm, b.centre + t * b.arm);
        }
    }
    for p in a.ends() {
        consider(p, b.nearest(p));
    }
    for q in b.ends() {
        consider(a.nearest(q), q);
    }
    best
}
