//! Capsules: a segment with a radius.

use granule_model::{ContactPoint, DVec3, Pose};

use super::sphere::{balls, nearest_on_segment};

/// Sine of the angle below which two segments count as parallel and touch along a line.
const PARALLEL: f64 = 1e-6;
/// A point whose normal has at least this cosine with that of the nearest points may touch next: the bodies must turn
/// by half a right angle before another does.
pub(super) const BESIDE: f64 = 0.7;

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

    /// Whether the foot of `point` on the line lies in the segment.
    fn is_beside(&self, point: DVec3) -> bool {
        (point - self.centre).dot(self.arm).abs() <= self.arm.length_squared()
    }

    /// The point of the segment nearest to `point`.
    pub(super) fn nearest(&self, point: DVec3) -> DVec3 {
        let [start, end] = self.ends();
        nearest_on_segment(start, end, point)
    }
}

/// Two capsules: the nearest points of the cores, and the ends of the stretch over which they lie beside each other.
///
/// Of parallel cores the ends say all. Without those of cores that cross at a small angle, a capsule that lies on
/// another would turn about the crossing until its end is below the surface.
pub(super) fn capsule_capsule(
    a: &Core,
    radius_a: f64,
    b: &Core,
    radius_b: f64,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (p, q) = nearest_of_segments(a, b);
    let Some(nearest) = balls(p, radius_a, q, radius_b, margin) else { return };
    let start = out.len();
    let same = PARALLEL * (a.arm.length() + b.arm.length());
    let from_a = a.ends().into_iter().filter(|end| b.is_beside(*end)).map(|end| (end, b.nearest(end)));
    let from_b = b.ends().into_iter().filter(|end| a.is_beside(*end)).map(|end| (a.nearest(end), end));
    let mut push = |contact: ContactPoint| {
        if out[start..].iter().all(|c| (c.point - contact.point).length() > same) {
            out.push(contact);
        }
    };
    for (on_a, on_b) in from_a.chain(from_b) {
        let Some(contact) = balls(on_a, radius_a, on_b, radius_b, margin) else { continue };
        if contact.normal.dot(nearest.normal) >= BESIDE {
            let feature =
                1 + [a.ends()[0], a.ends()[1], b.ends()[0]].iter().take_while(|e| **e != on_a && **e != on_b).count();
            push(ContactPoint { feature: feature as u32, ..contact });
        }
    }
    push(nearest);
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
