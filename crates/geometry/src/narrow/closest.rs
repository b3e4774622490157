//! Nearest points of two convex point sets that are apart, behind a gate around parry's GJK.
//!
//! Face and edge axes give the distance when a face or two crossed edges take part. When the nearest features are a
//! corner and an edge, or two corners, they only bound it; then the answer comes from here: by trial of all of them
//! that come near, which is exact and proves itself, and by GJK where that proves nothing. parry's tolerances are
//! absolute, so the pair is first scaled by a power of two to unit size, which is exact, and scaled back.

use granule_model::{ContactPoint, DVec3};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query::details::closest_points_support_map_support_map_with_params;
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

use super::capsule::{Core, nearest_of_segments};
use super::{between, mix};

/// Bodies nearer than this share of their size have no reliable direction between their nearest points.
pub(super) const NEAR: f64 = 1e-9;
/// Corners this little (share of the size) below the highest along the normal belong to the touching feature too.
const LEVEL: f64 = 1e-9;
/// The distance of two points is that of the cores when the cores are apart by as much along the line between them, to
/// this share of the size.
const PROOF: f64 = 1e-10;
/// Sine of the angle below which two touching edges count as parallel.
const PARALLEL: f64 = 1e-8;

/// The cores of two convex bodies that are apart, in common axes.
pub(super) struct Cores<'a> {
    /// Corners of A and of B.
    pub(super) corners: [&'a [DVec3]; 2],
    /// How far the surfaces lie around the cores \[m\].
    pub(super) radii: [f64; 2],
    /// Length to which tolerances are relative \[m\].
    pub(super) size: f64,
    /// Origin of the common axes in the world.
    pub(super) origin: DVec3,
}

/// How two cores lie to each other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relation {
    /// Farther apart than asked.
    Far,
    /// Nearest points at a distance that has a direction.
    Apart(Nearest),
    /// Touching to `NEAR`, or overlapping.
    Touching,
}

/// Nearest points of two separate cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    /// Unit vector from `on_b` to `on_a`.
    pub(super) normal: DVec3,
}

/// A convex body, as the search for nearest points sees it.
pub(super) trait Support {
    /// A point of the body that reaches farthest along `direction`.
    fn farthest(&self, direction: DVec3) -> DVec3;
}

impl Support for [DVec3] {
    fn farthest(&self, direction: DVec3) -> DVec3 {
        let mut best = self[0];
        let mut reach = best.dot(direction);
        for &corner in &self[1..] {
            let height = corner.dot(direction);
            if height > reach {
                (best, reach) = (corner, height);
            }
        }
        best
    }
}

/// A convex body times a power of two.
struct Scaled<'a, S: ?Sized> {
    body: &'a S,
    factor: f64,
}

impl<S: Support + ?Sized> SupportMap for Scaled<'_, S> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        self.body.farthest(direction) * self.factor
    }
}

/// Nearest points of two bodies of a pair of `size` \[m\]; those farther apart than `reach` need not be found. Of round
/// bodies they are right to some 1e-7 of their distance, and the direction between them to the root of that.
pub(super) fn relation<S: Support + ?Sized>(a: &S, b: &S, start: DVec3, reach: f64, size: f64) -> Relation {
    let factor = unit_factor(size);
    let (map_a, map_b) = (Scaled { body: a, factor }, Scaled { body: b, factor });
    let answer = closest_points_support_map_support_map_with_params(
        &ParryPose::IDENTITY,
        &map_a,
        &map_b,
        // Well beyond the reach: our own filter decides, not parry's early exit.
        2.0 * reach * factor + 1.0,
        &mut VoronoiSimplex::new(),
        Some(start * factor),
    );
    let (on_a, on_b) = match answer {
        GJKResult::ClosestPoints(on_a, on_b, _) => (on_a / factor, on_b / factor),
        GJKResult::Intersection => return Relation::Touching,
        GJKResult::NoIntersection(_) | GJKResult::Proximity(_) => return Relation::Far,
    };
    let offset = on_a - on_b;
    let distance = offset.length();
    if distance <= NEAR * size {
        Relation::Touching
    } else {
        Relation::Apart(Nearest { on_a, on_b, normal: offset / distance })
    }
}

impl Cores<'_> {
    /// How the cores lie to each other when a corner and a point of one of `edges` (of A and of B, by number) are
    /// nearest, or prove that the cores are farther apart than `reach`; else none.
    pub(super) fn corner_and_edge(
        &self,
        reach: f64,
        edges: [&dyn Fn(usize) -> Option<[u32; 2]>; 2],
    ) -> Option<Relation> {
        let [a, b] = self.corners;
        let mut best = (DVec3::ZERO, DVec3::ZERO, f64::INFINITY);
        for (corners, other, edge, is_a) in [(a, b, edges[1], true), (b, a, edges[0], false)] {
            for [start, end] in (0..).map_while(edge) {
                let (start, along) = (other[start as usize], other[end as usize] - other[start as usize]);
                let share = along.length_squared().recip();
                for &corner in corners {
                    let on_edge = start + ((corner - start).dot(along) * share).clamp(0.0, 1.0) * along;
                    let squared = (corner - on_edge).length_squared();
                    if squared < best.2 {
                        best = if is_a { (corner, on_edge, squared) } else { (on_edge, corner, squared) };
                    }
                }
            }
        }
        let (on_a, on_b, squared) = best;
        let distance = squared.sqrt();
        // Also false for NaN and when there was no edge.
        if !(distance > NEAR * self.size && distance.is_finite()) {
            return None;
        }
        let normal = (on_a - on_b) / distance;
        let low = a.iter().map(|c| c.dot(normal)).fold(f64::INFINITY, f64::min);
        let high = b.iter().map(|c| c.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
        let is_nearest = low - high >= distance - PROOF * self.size;
        match (is_nearest, distance <= reach) {
            (true, true) => Some(Relation::Apart(Nearest { on_a, on_b, normal })),
            (true, false) => Some(Relation::Far),
            (false, _) => (low - high > reach).then_some(Relation::Far),
        }
    }

    /// Nearest points of the cores when they are at most `reach` apart.
    pub(super) fn relation(&self, reach: f64) -> Relation {
        let [a, b] = self.corners;
        if a.is_empty() || b.is_empty() || !self.size.is_finite() {
            return Relation::Far;
        }
        match relation(a, b, b[0] - a[0], reach, self.size) {
            Relation::Apart(nearest) if (nearest.on_a - nearest.on_b).length() > reach => Relation::Far,
            relation => relation,
        }
    }

    /// Pushes the contacts of the nearest features, which the best separating axis `axis` does not show.
    ///
    /// Cores too close for a direction of their own get one point along `axis`, at its `separation`.
    pub(super) fn push(&self, axis: DVec3, separation: f64, margin: f64, out: &mut Vec<ContactPoint>) {
        match self.relation(margin + self.radii[0] + self.radii[1]) {
            Relation::Far => {}
            Relation::Apart(nearest) => self.push_nearest(&nearest, margin, out),
            Relation::Touching => self.push_along(axis, separation, margin, out),
        }
    }

    /// Pushes one point between the corners that reach farthest along `axis`.
    pub(super) fn push_along(&self, axis: DVec3, separation: f64, margin: f64, out: &mut Vec<ContactPoint>) {
        let [a, b] = self.corners;
        let (feature_a, feature_b) = (self.feature(a, -axis), self.feature(b, axis));
        let lift = separation * axis;
        let edge_a = Core::between(a[feature_a.first] - lift, a[feature_a.last] - lift);
        let (on_a, on_b) = nearest_of_segments(&edge_a, &Core::between(b[feature_b.first], b[feature_b.last]));
        let middle = 0.5 * (on_a + on_b);
        let foot = middle - middle.dot(axis) * axis;
        let below = b[feature_b.first].dot(axis);
        let key = mix(feature_a.key(), feature_b.key());
        self.push_touch(foot, axis, [below + separation, below], mix(key, 0), margin, out);
    }

    /// Pushes the nearest points, or both ends of the common stretch when the nearest features are parallel edges.
    pub(super) fn push_nearest(&self, nearest: &Nearest, margin: f64, out: &mut Vec<ContactPoint>) {
        let [a, b] = self.corners;
        let normal = nearest.normal;
        let (feature_a, feature_b) = (self.feature(a, -normal), self.feature(b, normal));
        let key = mix(feature_a.key(), feature_b.key());
        let mut push = |on_a: DVec3, on_b: DVec3, index| {
            let middle = 0.5 * (on_a + on_b);
            let foot = middle - middle.dot(normal) * normal;
            self.push_touch(foot, normal, [on_a.dot(normal), on_b.dot(normal)], mix(key, index), margin, out);
        };
        match self.common_stretch(&feature_a, &feature_b) {
            Some([(a0, b0), (a1, b1)]) => {
                push(a0, b0, 1);
                push(a1, b1, 2);
            }
            None => push(nearest.on_a, nearest.on_b, 0),
        }
    }

    /// Pushes a contact of the surfaces around the cores, whose heights over `foot` are given.
    fn push_touch(
        &self,
        foot: DVec3,
        normal: DVec3,
        heights: [f64; 2],
        key: u32,
        margin: f64,
        out: &mut Vec<ContactPoint>,
    ) {
        let (above, below) = (heights[0] - self.radii[0], heights[1] + self.radii[1]);
        if above - below <= margin {
            out.push(between(self.origin + foot, normal, above, below, key));
        }
    }

    /// First and last of the corners of A that touch B along `normal` (from B to A), and how many touch.
    pub(super) fn touching_corners(&self, normal: DVec3) -> ([u32; 2], usize) {
        let Feature { first, last, count } = self.feature(self.corners[0], -normal);
        ([first as u32, last as u32], count)
    }

    /// The corners that reach farthest in `direction`.
    fn feature(&self, corners: &[DVec3], direction: DVec3) -> Feature {
        let top = corners.iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        let mut feature = Feature { first: 0, last: 0, count: 0 };
        for (index, corner) in corners.iter().enumerate() {
            if corner.dot(direction) >= top - LEVEL * self.size {
                if feature.count == 0 {
                    feature.first = index;
                }
                feature.last = index;
                feature.count += 1;
            }
        }
        feature
    }

    /// Both ends of the stretch over which two parallel touching edges face each other, on A and on B.
    fn common_stretch(&self, fa: &Feature, fb: &Feature) -> Option<[(DVec3, DVec3); 2]> {
        if fa.count != 2 || fb.count != 2 {
            return None;
        }
        let [a, b] = self.corners;
        let (a0, a1, b0, b1) = (a[fa.first], a[fa.last], b[fb.first], b[fb.last]);
        let (along_a, along_b) = (a1 - a0, b1 - b0);
        let length = along_b.length();
        if along_a.cross(along_b).length() > PARALLEL * along_a.length() * length {
            return None;
        }
        let direction = along_b / length;
        let (s, t) = ((a0 - b0).dot(direction), (a1 - b0).dot(direction));
        let (low, high) = (s.min(t).max(0.0), s.max(t).min(length));
        // An edge without length makes these NaN: no stretch either.
        let is_stretch = high - low > LEVEL * self.size;
        is_stretch.then(|| [low, high].map(|place| (a0 + (place - s) / (t - s) * along_a, b0 + place * direction)))
    }
}

/// The power of two that brings `size` into \[1, 2), or 1 for sizes at the ends of the range.
fn unit_factor(size: f64) -> f64 {
    let exponent = (size.to_bits() >> 52) & 0x7ff;
    if exponent == 0 || exponent >= 0x7fd { 1.0 } else { f64::from_bits((0x7fe - exponent) << 52) }
}

/// A corner, an edge or a face of one body: the first and last of its corners name it.
struct Feature {
    first: usize,
    last: usize,
    count: usize,
}

impl Feature {
    fn key(&self) -> u32 {
        mix(self.first as u32, self.last as u32)
    }
}
