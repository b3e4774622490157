//! The convex pieces of bodies, and which of two bodies are near each other: those whose boxes are, seen in the body
//! axes of either.
//!
//! Bodies that are looked at mostly have two or three pairs of pieces near, of nine for two crosses. The boxes of the
//! others are told apart by the axes of one of the bodies, before anything is placed in the world.

use granule_model::{Aabb, DMat3, DVec3, Pose};

use super::{ROUNDING, Side};
use crate::geometry::{Geometry, Part};

/// The convex pieces of a body that is one piece or several.
#[derive(Clone, Copy)]
pub(super) enum Pieces<'a> {
    One(&'a Geometry),
    Many(&'a [Part]),
}

impl<'a> Pieces<'a> {
    pub(super) fn of(geometry: &'a Geometry) -> Self {
        match geometry {
            Geometry::Compound(parts) => Pieces::Many(parts),
            single => Pieces::One(single),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Pieces::One(_) => 1,
            Pieces::Many(parts) => parts.len(),
        }
    }

    /// Piece `index` of the body at `pose`: what it is and where in the world.
    pub(super) fn get(&self, index: usize, pose: &Pose) -> (&'a Geometry, Pose) {
        match self {
            Pieces::One(geometry) => (geometry, *pose),
            Pieces::Many(parts) => (&parts[index].geometry, pose.compose(&parts[index].pose)),
        }
    }

    /// Box around piece `index` in body axes.
    pub(super) fn bounds(&self, index: usize) -> Aabb {
        match self {
            Pieces::One(geometry) => crate::bounds::aabb(geometry, &Pose::IDENTITY),
            Pieces::Many(parts) => parts[index].bounds,
        }
    }

    /// Largest edge of the box of any piece: the length to which tolerances are relative \[m\].
    pub(super) fn size(&self) -> f64 {
        match self {
            Pieces::One(_) => self.bounds(0).size().max_element(),
            Pieces::Many(parts) => parts.iter().map(|part| part.size).fold(0.0, f64::max),
        }
    }
}

/// Where a body is, as is asked for many points.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    pub(super) position: DVec3,
    /// Takes vectors of the world to body axes.
    pub(super) to_body: DMat3,
}

impl Seat {
    pub(super) fn of(pose: &Pose) -> Self {
        Seat { position: pose.position, to_body: DMat3::from_quat(pose.rotation).transpose() }
    }
}

/// Calls `visit` with the numbers and places of each piece of A and of B whose boxes are within `margin`, seen in the
/// body axes of either.
pub(super) fn each_pair_of_pieces(
    [a, b]: [Side; 2],
    [pieces_a, pieces_b]: &[Pieces; 2],
    [seat_a, seat_b]: &[Seat; 2],
    margin: f64,
    mut visit: impl FnMut([usize; 2], [Side; 2]),
) {
    let from_a = Seen::new(seat_a, seat_b);
    let from_b = from_a.other_way();
    let [boxes_a, boxes_b] = [Boxes::of(pieces_a), Boxes::of(pieces_b)];
    for j in 0..pieces_b.len() {
        let bounds_b = boxes_b.get(j);
        let box_b = from_a.box_around(bounds_b);
        let mut piece_b = None;
        for i in 0..pieces_a.len() {
            let bounds_a = boxes_a.get(i);
            if are_apart(bounds_a, &box_b, margin) || are_apart(&from_b.box_around(bounds_a), bounds_b, margin) {
                continue;
            }
            let (geometry_b, pose_b) = piece_b.get_or_insert_with(|| pieces_b.get(j, b.pose));
            let (geometry_a, pose_a) = pieces_a.get(i, a.pose);
            let side_a = Side { geometry: geometry_a, pose: &pose_a };
            let side_b = Side { geometry: geometry_b, pose: pose_b };
            visit([i, j], [side_a, side_b]);
        }
    }
}

/// Boxes around the pieces of a body, in body axes.
struct Boxes<'a> {
    parts: &'a [Part],
    /// That of a body of one piece.
    single: Aabb,
}

impl<'a> Boxes<'a> {
    fn of(pieces: &Pieces<'a>) -> Self {
        match pieces {
            Pieces::One(_) => Boxes { parts: &[], single: pieces.bounds(0) },
            Pieces::Many(parts) => Boxes { parts, single: Aabb::EMPTY },
        }
    }

    fn get(&self, index: usize) -> &Aabb {
        self.parts.get(index).map_or(&self.single, |part| &part.bounds)
    }
}

/// A body seen in the body axes of another.
struct Seen {
    turn: DMat3,
    /// Its absolute values.
    spread: DMat3,
    shift: DVec3,
}

impl Seen {
    /// The body at `seat` seen from the one at `from`.
    fn new(from: &Seat, seat: &Seat) -> Self {
        let turn = from.to_body * seat.to_body.transpose();
        let spread = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        Seen { turn, spread, shift: from.to_body * (seat.position - from.position) }
    }

    /// The body that looks, seen from the one that it sees.
    fn other_way(&self) -> Self {
        let turn = self.turn.transpose();
        Seen { turn, spread: self.spread.transpose(), shift: -(turn * self.shift) }
    }

    /// Box around `bounds` of the body that is seen, wider by the rounding of its place.
    #[inline]
    fn box_around(&self, bounds: &Aabb) -> Aabb {
        let centre = self.turn * bounds.center() + self.shift;
        let half = self.spread * (0.5 * bounds.size());
        let half = half + ROUNDING * (half + centre.abs());
        Aabb::new(centre - half, centre + half)
    }
}

/// Whether boxes are apart by more than `margin` \[m\] along an axis. One comparison for all six sides, as which of
/// them decides cannot be foretold.
#[inline]
pub(super) fn are_apart(a: &Aabb, b: &Aabb, margin: f64) -> bool {
    (a.min - b.max).max(b.min - a.max).max_element() > margin
}

#[cfg(test)]
mod tests {
    use granule_model::{ContactPoint, DQuat};

    use super::*;
    use crate::Shape;
    use crate::narrow::convex_pair;

    /// Numbers in [-1, 1).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn pose(&mut self, reach: f64) -> Pose {
            let position = DVec3::new(self.next(), self.next(), self.next()) * reach;
            let rotation = DQuat::from_xyzw(self.next(), self.next(), self.next(), self.next());
            Pose::new(position, rotation.normalize())
        }
    }

    fn cross() -> Shape {
        let bar = |size: DVec3| (Pose::IDENTITY, Shape::cuboid(size).expect("the size is valid"));
        let bars = [DVec3::new(3.0, 1.0, 1.0), DVec3::new(1.0, 3.0, 1.0), DVec3::new(1.0, 1.0, 3.0)];
        Shape::compound(bars.map(bar).to_vec()).expect("the parts are valid")
    }

    /// Whatever pieces touch or nearly so are visited, with bodies of one piece and of several.
    #[test]
    fn pieces_that_meet_are_visited() {
        let shapes = [cross(), Shape::cuboid(DVec3::new(1.0, 2.0, 0.5)).expect("the size is valid")];
        let mut random = Random(3);
        let (mut visited, mut met, mut all) = (0, 0, 0);
        for k in 0..20_000 {
            let [a, b] = [&shapes[k % 2], &shapes[k / 2 % 2]].map(|shape| &shape.0.geometry);
            let [pose_a, pose_b] = [random.pose(1.6), random.pose(1.6)];
            let margin = 0.1 * random.next().max(0.0);
            let sides = [Side { geometry: a, pose: &pose_a }, Side { geometry: b, pose: &pose_b }];
            let pieces = [Pieces::of(a), Pieces::of(b)];
            let mut pairs = Vec::new();
            let seats = sides.map(|side| Seat::of(side.pose));
            each_pair_of_pieces(sides, &pieces, &seats, margin, |pair, _| pairs.push(pair));
            for (i, j) in (0..pieces[0].len()).flat_map(|i| (0..pieces[1].len()).map(move |j| (i, j))) {
                let [(piece_a, at_a), (piece_b, at_b)] = [pieces[0].get(i, &pose_a), pieces[1].get(j, &pose_b)];
                let mut points: Vec<ContactPoint> = Vec::new();
                let [one, other] = [Side { geometry: piece_a, pose: &at_a }, Side { geometry: piece_b, pose: &at_b }];
                convex_pair(one, other, margin, &mut points);
                assert!(points.is_empty() || pairs.contains(&[i, j]), "pose {k}, pieces {i} and {j}: {points:?}");
                met += usize::from(!points.is_empty());
                all += 1;
            }
            visited += pairs.len();
        }
        println!("{visited} of {all} pairs of pieces visited, {met} meet");
        assert!(met > 10_000 && 2 * visited < 3 * met + all / 4);
    }
}
