//! The direction in which a cylinder and another convex piece are nearest, or part soonest.
//!
//! Along a unit vector `n` from B to A two bodies are apart by `s(n) = -h_A(-n) - h_B(n)`, `h` being how far each
//! reaches. The largest `s` is their distance, or minus the least translation that parts them.
//!
//! Apart, GJK gives nearest points to some 1e-4 in direction, and what it found names the features that are near. The
//! nearest points of these are then found exactly: of a corner and a cylinder in closed form, of an edge and of a rim
//! as the root of a monotone slope. Every direction so found is judged by its `s`, so none makes the answer worse.
//!
//! Touching or overlapping, A is moved along the best direction so far until the bodies are apart by a little, and the
//! nearest points of the moved bodies give the next direction. `s` never falls: with `s < 0` and a turn by the angle
//! `t`, the new one is at least `s cos t`. Flat faces and sides end this at once, the curved ones of a rim after some
//! steps. What it starts from: the normals of faces and ends, what is perpendicular to edge and axis, and the direction
//! in which slimmer cylinders of the same axes are nearest. The answer is a least way apart beside these; of bodies
//! that overlap by much of their width there may be another.

use granule_model::{DMat3, DVec3};

use super::Side;
use super::capsule::{Core, nearest_of_segments};
use super::closest::{Relation, Support, relation};
use super::solid::Solid;
use super::topology::Topology;
use crate::cylinder::{Cylinder, across};

/// Bodies nearer than this share of their size are moved apart before their nearest points are looked for: the
/// direction between nearer ones would be lost in rounding.
const NEAR: f64 = 1e-7;
/// How far they are moved apart: this share of their size, and of their overlap. What is curved is the sooner found the
/// less they are moved.
const APART: [f64; 2] = [1e-6, 0.1];
/// Corners this little (share of the size) below the highest may be the nearest: more than the error of GJK's direction
/// moves them.
const BESIDE: f64 = 0.02;
/// A direction must be better by this share of the size than the normal of a face, an end or a side.
const PREFERENCE: f64 = 1e-11;
/// Rounding of a separation, over the size.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Cosine up to which a direction is perpendicular to an axis.
const SQUARE: f64 = 1e-9;
/// Steps from one direction to the next, at most: the least ways apart that rims have are found within five.
const STEPS: usize = 40;
/// Of how many of them.
const SLIM_STARTS: usize = 2;
/// A turn by less ends the way from direction to direction.
const COME: f64 = 1e-12;
/// How often nearest points are looked for again from the direction found.
const POLISHES: usize = 6;
/// Steps towards the root of a slope, at most: they halve what is left at worst.
const ROOT_STEPS: usize = 100;
/// Angle on either side of a point of a rim in which the nearest one is looked for first \[rad\].
const FIRST_ANGLE: f64 = 1e-3;
/// How much slimmer the cylinders are whose direction is tried: shares of their lengths.
const SLIMMER: [f64; 5] = [0.001, 0.01, 0.05, 0.2, 0.6];

/// A cylinder in axes of the world about the origin of its pair.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub(super) cylinder: Cylinder,
    axes: DMat3,
    pub(super) centre: DVec3,
}

impl Round {
    /// The cylinder of `side`, about `origin`.
    pub(super) fn new(cylinder: &Cylinder, side: Side, origin: DVec3) -> Round {
        let axes = DMat3::from_quat(side.pose.rotation);
        Round { cylinder: *cylinder, axes, centre: side.pose.position - origin }
    }

    pub(super) fn axis(&self) -> DVec3 {
        self.axes.z_axis
    }

    fn core(&self) -> Core {
        let arm = self.cylinder.half_length * self.axis();
        Core::between(self.centre - arm, self.centre + arm)
    }

    /// A direction of the world in body axes.
    pub(super) fn own(&self, direction: DVec3) -> DVec3 {
        self.axes.transpose() * direction
    }

    /// A direction in body axes to the world.
    pub(super) fn turned(&self, direction: DVec3) -> DVec3 {
        self.axes * direction
    }

    /// A point in body axes to where it is.
    pub(super) fn place(&self, point: DVec3) -> DVec3 {
        self.centre + self.axes * point
    }

    /// The point of the solid nearest to `point`.
    fn nearest(&self, point: DVec3) -> DVec3 {
        self.place(self.cylinder.nearest(self.own(point - self.centre)))
    }

    /// The unit vector from the solid to `point`, at `offset` from its nearest point: a point of a line that runs
    /// `along` and is nearest to the solid there, or a corner.
    ///
    /// The difference of the nearest points loses it as they come near each other; what the surfaces are like there
    /// does not. It is that of the side or the end where the point is over one, and across the line and the rim else.
    fn outward(&self, point: DVec3, along: Option<DVec3>, offset: DVec3) -> DVec3 {
        let (own, distance) = (self.own(point - self.centre), offset.length());
        let Cylinder { radius, half_length } = self.cylinder;
        let side = across(own);
        match (side.length() > radius, own.z.abs() > half_length) {
            (true, false) => self.turned(side.normalize()),
            (false, true) => self.axis() * 1f64.copysign(own.z),
            _ => {
                let rim = self.turned(DVec3::Z.cross(side));
                let both = along.map_or(DVec3::ZERO, |along| along.cross(rim));
                // The rim's is as long as the radius. The direction across both is as uncertain as the lines, over
                // the sine of their angle, that of the points as they are, over their distance.
                let across_both = both * both.dot(offset).signum();
                if across_both.length() > distance { across_both.normalize() } else { offset / distance }
            }
        }
    }

    /// The point of a segment that is nearest to the solid, where that is no end of it: the distance from something
    /// convex is a convex function.
    fn nearest_within(&self, [start, end]: [DVec3; 2]) -> Option<DVec3> {
        let at = |share: f64| start + share * (end - start);
        let slope = |share: f64| (at(share) - self.nearest(at(share))).dot(end - start);
        (slope(0.0) < 0.0 && slope(1.0) > 0.0).then(|| at(root(0.0, 1.0, slope)))
    }

    /// The unit vector across the axis, in body axes, to the place of a rim that is nearest to a segment; none where it
    /// meets the axis.
    pub(super) fn toward(&self, ends: [DVec3; 2]) -> Option<DVec3> {
        let own = |point: DVec3| self.own(point - self.centre);
        let outside = self.nearest_within(ends).map(own).filter(|point| self.cylinder.height(*point) > 0.0);
        let point =
            outside.unwrap_or_else(|| own(nearest_of_segments(&self.core(), &Core::between(ends[0], ends[1])).1));
        across(point).try_normalize()
    }

    fn slimmer(&self, share: f64) -> Round {
        let less = share * self.cylinder.radius.min(self.cylinder.half_length);
        let Cylinder { radius, half_length } = self.cylinder;
        Round { cylinder: Cylinder { radius: radius - less, half_length: half_length - less }, ..*self }
    }
}

impl Support for Round {
    fn farthest(&self, direction: DVec3) -> DVec3 {
        self.place(self.cylinder.farthest(self.own(direction)))
    }
}

/// One of the two bodies.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Flat(&'a Solid, Topology<'a>),
    Round(Round),
}

impl Piece<'_> {
    /// How far the body reaches along a unit vector.
    fn reach(&self, direction: DVec3) -> f64 {
        match self {
            Piece::Flat(solid, _) => solid.reach(direction),
            Piece::Round(round) => round.centre.dot(direction) + round.cylinder.reach(round.own(direction)),
        }
    }

    /// Length to which tolerances are relative \[m\].
    pub(super) fn extent(&self) -> f64 {
        match self {
            Piece::Flat(solid, _) => solid.extent(),
            Piece::Round(round) => round.cylinder.bounding_radius(),
        }
    }

    fn middle(&self) -> DVec3 {
        match self {
            Piece::Flat(solid, _) => solid.middle(),
            Piece::Round(round) => round.centre,
        }
    }

    fn slimmer(&self, share: f64) -> Self {
        match self {
            Piece::Flat(..) => *self,
            Piece::Round(round) => Piece::Round(round.slimmer(share)),
        }
    }
}

impl Support for Piece<'_> {
    fn farthest(&self, direction: DVec3) -> DVec3 {
        match self {
            Piece::Flat(solid, _) => solid.corners[..].farthest(direction),
            Piece::Round(round) => round.farthest(direction),
        }
    }
}

/// A body moved by a vector.
struct Moved<'a> {
    piece: &'a Piece<'a>,
    by: DVec3,
}

impl Support for Moved<'_> {
    fn farthest(&self, direction: DVec3) -> DVec3 {
        self.piece.farthest(direction) + self.by
    }
}

/// The direction in which two bodies are nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Unit vector from B to A.
    pub(super) normal: DVec3,
    /// How far the bodies are apart along it \[m\].
    pub(super) separation: f64,
    /// A point of B, or over it, where they are as near.
    pub(super) foot: DVec3,
    /// Whether it is perpendicular to a face, an end or two sides.
    pub(super) is_flat: bool,
}

/// Two bodies of which at least one is a cylinder, A moved by a vector.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a> {
    pub(super) a: Piece<'a>,
    pub(super) b: Piece<'a>,
    /// Length to which tolerances are relative \[m\].
    pub(super) size: f64,
    shift: DVec3,
}

impl<'a> Bodies<'a> {
    pub(super) fn new(a: Piece<'a>, b: Piece<'a>) -> Self {
        Bodies { a, b, size: a.extent() + b.extent(), shift: DVec3::ZERO }
    }

    fn separation(&self, normal: DVec3) -> f64 {
        self.shift.dot(normal) - self.a.reach(-normal) - self.b.reach(normal)
    }

    fn relation(&self, reach: f64) -> Relation {
        let a = Moved { piece: &self.a, by: self.shift };
        let b = Moved { piece: &self.b, by: DVec3::ZERO };
        relation(&a, &b, self.b.middle() - self.a.middle() - self.shift, reach, self.size)
    }

    /// The direction in which the bodies are nearest; none when they are farther apart than `reach`.
    pub(super) fn nearest(&self, reach: f64) -> Option<Found> {
        if !self.size.is_finite() {
            return None;
        }
        let relation = self.relation(reach);
        let found = match relation {
            Relation::Far => return self.found_far(reach),
            Relation::Apart(nearest) => {
                let start = self.along(nearest.normal);
                if start.separation > NEAR * self.size { self.polished(start) } else { self.climbed(start) }
            }
            Relation::Touching => self.least_way_apart(),
        };
        let flat = self.flat_directions().into_iter().flatten();
        let best = flat
            .chain(self.face_directions())
            .map(|normal| Found { foot: found.foot, is_flat: true, ..self.along(normal) })
            .reduce(|best, next| if next.separation > best.separation { next } else { best });
        let found = best.filter(|f| f.separation >= found.separation - PREFERENCE * self.size).unwrap_or(found);
        (found.separation <= reach).then_some(found)
    }

    /// GJK says "far" also where it does not come to an end.
    #[cold]
    fn found_far(&self, reach: f64) -> Option<Found> {
        let between = self.a.middle() + self.shift - self.b.middle();
        let start = self.along(between.normalize_or(DVec3::Z));
        let found = if start.separation > 0.0 { self.polished(start) } else { self.climbed(start) };
        (found.separation <= reach && start.separation <= reach).then_some(found)
    }

    fn along(&self, normal: DVec3) -> Found {
        Found { normal, separation: self.separation(normal), foot: self.b.farthest(normal), is_flat: false }
    }

    /// The least way apart of bodies that overlap.
    fn least_way_apart(&self) -> Found {
        let flat = self.flat_directions().into_iter().flatten().chain(self.face_directions());
        let across = self.edges_across();
        let between = self.a.middle() - self.b.middle();
        let best = |best: Found, next: Found| if next.separation > best.separation { next } else { best };
        let first = flat.map(|normal| self.along(normal)).reduce(best);
        let second = across.map(|normal| self.along(normal)).reduce(best);
        let third = between.try_normalize().map(|normal| self.along(normal));
        let slim = SLIMMER.into_iter().filter_map(|share| {
            let slim = Bodies { a: self.a.slimmer(share), b: self.b.slimmer(share), ..*self };
            match slim.relation(self.size) {
                Relation::Apart(nearest) => Some(self.along(nearest.normal)),
                Relation::Far | Relation::Touching => None,
            }
        });
        let starts = [first, second, third].into_iter().flatten().chain(slim.take(SLIM_STARTS));
        starts.map(|start| self.climbed(start)).reduce(best).unwrap_or_else(|| self.along(DVec3::Z))
    }

    /// Directions perpendicular to ends of cylinders, to two sides, and between two parallel axes.
    fn flat_directions(&self) -> [Option<DVec3>; 8] {
        let mut all = [None; 8];
        let (mut count, mut rounds) = (0, [None; 2]);
        for (k, piece) in [self.a, self.b].iter().enumerate() {
            if let Piece::Round(round) = piece {
                rounds[k] = Some(*round);
                (all[count], all[count + 1]) = (Some(round.axis()), Some(-round.axis()));
                count += 2;
            }
        }
        if let [Some(a), Some(b)] = rounds {
            let normal = a.axis().cross(b.axis()).try_normalize();
            (all[4], all[5]) = (normal, normal.map(|n| -n));
            let (p, q) = nearest_of_segments(&a.core(), &b.core());
            all[6] = (p - q).try_normalize();
        }
        all
    }

    /// Normals of the faces of the body that has some, as directions from B to A.
    fn face_directions(&self) -> impl Iterator<Item = DVec3> {
        let of = |piece: &Piece<'a>| match piece {
            Piece::Flat(solid, _) => &solid.normals[..],
            Piece::Round(_) => &[],
        };
        of(&self.b).iter().copied().chain(of(&self.a).iter().map(|n| -*n))
    }

    /// Directions across the edges of one body and the axis of the other, to both sides.
    fn edges_across(&self) -> impl Iterator<Item = DVec3> {
        let (flat, axis) = match (&self.a, &self.b) {
            (Piece::Flat(solid, topology), Piece::Round(round))
            | (Piece::Round(round), Piece::Flat(solid, topology)) => (Some((*solid, topology.edges)), round.axis()),
            _ => (None, DVec3::Z),
        };
        let edges = flat.into_iter().flat_map(|(solid, edges)| edges.iter().map(move |edge| (solid, edge)));
        edges.flat_map(move |(solid, edge)| {
            let [p, q] = edge.vertices.map(|v| solid.corners[v as usize]);
            let normal = (q - p).cross(axis).try_normalize();
            normal.into_iter().flat_map(|normal| [normal, -normal])
        })
    }

    /// The least way apart, or the distance, beside `start`.
    fn climbed(&self, start: Found) -> Found {
        let mut best = start;
        for _ in 0..STEPS {
            let apart = APART[0] * self.size + APART[1] * best.separation.abs();
            let by = (apart - best.separation) * best.normal;
            let moved = Bodies { shift: self.shift + by, ..*self };
            let normal = match moved.relation(self.size) {
                Relation::Apart(nearest) => nearest.normal,
                Relation::Far | Relation::Touching => best.normal,
            };
            let next = moved.polished(moved.along(normal));
            let separation = self.separation(next.normal);
            // The separation is level where it is largest, and right to rounding long before the direction is.
            let has_come = (next.normal - best.normal).length() <= COME;
            if separation >= best.separation - ROUNDING * self.size {
                best = Found { separation, ..next };
            } else {
                best.foot = next.foot;
                break;
            }
            if has_come {
                break;
            }
        }
        best
    }

    /// The nearest points of the features that are near along `start` of bodies that are apart, exactly.
    fn polished(&self, start: Found) -> Found {
        let mut found = start;
        for _ in 0..POLISHES {
            let next = self.polished_once(found);
            let is_better = next.separation > found.separation + ROUNDING * self.size;
            found = next;
            if !is_better {
                break;
            }
        }
        found
    }

    fn polished_once(&self, start: Found) -> Found {
        let mut best =
            Best { bodies: self, found: start, nearest: f64::INFINITY, foot: start.foot, along: start.normal };
        match (&self.a, &self.b) {
            (Piece::Flat(solid, topology), Piece::Round(round)) => {
                self.flat_and_round(solid, topology, self.shift, round, start.normal, &mut |p, q, n| {
                    best.pair(p, q, n)
                });
            }
            (Piece::Round(round), Piece::Flat(solid, topology)) => {
                self.flat_and_round(solid, topology, -self.shift, round, -start.normal, &mut |p, q, n| {
                    best.pair(q + self.shift, p + self.shift, -n);
                });
            }
            (Piece::Round(a), Piece::Round(b)) => {
                let moved = Round { centre: a.centre + self.shift, ..*a };
                rims_and_round(&moved, b, -start.normal, &mut |p, q, n| best.pair(p, q, n));
                rims_and_round(b, &moved, start.normal, &mut |p, q, n| best.pair(q, p, -n));
                let (p, q) = nearest_of_segments(&moved.core(), &b.core());
                if let Some(n) = (p - q).try_normalize()
                    && n.dot(a.axis()).abs().max(n.dot(b.axis()).abs()) <= SQUARE
                {
                    best.pair(p - a.cylinder.radius * n, q + b.cylinder.radius * n, n);
                }
            }
            (Piece::Flat(..), Piece::Flat(..)) => {}
        }
        let faces: [_; 8] = self.flat_directions();
        faces.into_iter().for_each(|normal| best.along(normal));
        self.face_directions().for_each(|normal| best.along(Some(normal)));
        // Of directions that are as good to rounding, that between the nearest points is the exact one.
        let separation = self.separation(best.along);
        if separation >= best.found.separation - ROUNDING * self.size {
            return Found { normal: best.along, separation, foot: best.foot, is_flat: false };
        }
        Found { foot: best.foot, ..best.found }
    }

    /// Tries the corners and edges of `solid`, moved by `shift`, that are near along `normal`, which points to it.
    fn flat_and_round(
        &self,
        solid: &Solid,
        topology: &Topology,
        shift: DVec3,
        round: &Round,
        normal: DVec3,
        pair: &mut impl FnMut(DVec3, DVec3, DVec3),
    ) {
        let floor = -solid.reach(-normal) + BESIDE * self.size;
        let is_near = |corner: &DVec3| corner.dot(normal) <= floor;
        let mut pair_with = |point: DVec3, along: Option<DVec3>| {
            let on_round = round.nearest(point);
            pair(point, on_round, round.outward(point, along, point - on_round));
        };
        for corner in solid.corners.iter().filter(|c| is_near(c)) {
            let point = *corner + shift;
            pair_with(point, None);
        }
        for edge in topology.edges {
            let ends = edge.vertices.map(|v| solid.corners[v as usize]);
            if ends.iter().any(is_near) {
                let [start, end] = ends.map(|p| p + shift);
                if let Some(point) = round.nearest_within([start, end]) {
                    pair_with(point, (end - start).try_normalize());
                }
            }
        }
    }
}

/// The best direction so far.
struct Best<'b, 'a> {
    bodies: &'b Bodies<'a>,
    found: Found,
    /// Distance of the nearest points so far \[m\], that of B, and the direction between them.
    nearest: f64,
    foot: DVec3,
    along: DVec3,
}

impl Best<'_, '_> {
    /// Tries the direction from a point of B to one of A.
    fn pair(&mut self, on_a: DVec3, on_b: DVec3, normal: DVec3) {
        let distance = (on_a - on_b).length();
        if distance > 0.0 && distance.is_finite() {
            if distance < self.nearest {
                (self.nearest, self.foot, self.along) = (distance, on_b, normal);
            }
            let separation = self.bodies.separation(normal);
            if separation > self.found.separation {
                self.found = Found { normal, separation, ..self.found };
            }
        }
    }

    /// Tries a direction.
    fn along(&mut self, normal: Option<DVec3>) {
        if let Some(normal) = normal {
            let separation = self.bodies.separation(normal);
            if separation > self.found.separation {
                self.found = Found { normal, separation, ..self.found };
            }
        }
    }
}

/// Tries the rims of `round` that may be nearest along `outward` against `other`.
fn rims_and_round(round: &Round, other: &Round, outward: DVec3, pair: &mut impl FnMut(DVec3, DVec3, DVec3)) {
    let own = round.own(outward);
    let Some(side) = across(own).try_normalize() else { return };
    for is_high in [false, true] {
        let beside = DVec3::Z.cross(side);
        let point = |angle: f64| {
            let (sin, cos) = libm::sincos(angle);
            round.place(round.cylinder.rim(cos * side + sin * beside, is_high))
        };
        let slope = |angle: f64| {
            let (sin, cos) = libm::sincos(angle);
            let p = point(angle);
            (p - other.nearest(p)).dot(round.axes * (cos * beside - sin * side))
        };
        let mut angle = FIRST_ANGLE;
        while angle < 1.0 && !(slope(-angle) < 0.0 && slope(angle) > 0.0) {
            angle *= 4.0;
        }
        if slope(-angle) < 0.0 && slope(angle) > 0.0 {
            let at = root(-angle, angle, slope);
            let (sin, cos) = libm::sincos(at);
            let (p, along) = (point(at), round.turned(cos * beside - sin * side));
            let q = other.nearest(p);
            pair(p, q, other.outward(p, Some(along), p - q));
        }
    }
}

/// A root of `slope` between `low`, where it is negative, and `high`, where it is positive (Illinois, with halving
/// where that gains too little).
fn root(mut low: f64, mut high: f64, slope: impl Fn(f64) -> f64) -> f64 {
    let (mut at_low, mut at_high) = (slope(low), slope(high));
    let mut last = 0.0;
    for step in 0..ROOT_STEPS {
        let middle = 0.5 * (low + high);
        let guess = if step % 4 == 3 { middle } else { low - at_low * (high - low) / (at_high - at_low) };
        // Also for NaN.
        let at = if guess > low && guess < high { guess } else { middle };
        if at <= low || at >= high {
            return middle;
        }
        let value = slope(at);
        if value == 0.0 {
            return at;
        }
        if value < 0.0 {
            (low, at_low) = (at, value);
            at_high *= if last < 0.0 { 0.5 } else { 1.0 };
        } else {
            (high, at_high) = (at, value);
            at_low *= if last > 0.0 { 0.5 } else { 1.0 };
        }
        last = value;
    }
    0.5 * (low + high)
}
