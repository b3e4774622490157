//! Where contacts of pairs were found that hardly move, so that no search is needed until they have moved.
//!
//! A sight is the spots of one search of a pair, with the pose of one body seen from the other at that time and how far
//! was looked. It serves as long as the surfaces have moved by no more than was looked beyond the margin of now, and by
//! no more than the leeway of the pair. Only poses decide: whatever moved the bodies, and back again, a sight that
//! holds is true.

use granule_geometry::Spot;
use granule_model::Pose;
use granule_solver::make_room;
use serde::Serialize;

/// What one search of a pair found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Sight {
    /// Dense indices of the pair, the lower one first.
    pair: (u32, u32),
    /// The body that reaches less far, seen from the other.
    relative: Pose,
    /// How far was looked \[m\].
    margin: f64,
    /// Where its spots end; they begin where those of the sight before end.
    end: u32,
}

/// Sights in the order of their pairs.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Sights {
    list: Vec<Sight>,
    spots: Vec<Spot>,
}

impl Clone for Sights {
    fn clone(&self) -> Self {
        Sights { list: self.list.clone(), spots: self.spots.clone() }
    }

    /// As what is derived would not, it keeps the buffers.
    fn clone_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        self.spots.clone_from(&other.spots);
    }
}

/// How two bodies lie to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lie {
    /// The body that reaches less far, seen from the other.
    relative: Pose,
    /// How far it reaches \[m\].
    extent: f64,
}

impl Lie {
    /// That of two bodies at these poses, whose surfaces reach so far from there \[m\].
    pub(crate) fn of(a: (&Pose, f64), b: (&Pose, f64)) -> Lie {
        let ((pose, extent), (of, _)) = if a.1 <= b.1 { (a, b) } else { (b, a) };
        let rotation = (of.rotation.conjugate() * pose.rotation).normalize();
        Lie { relative: Pose::new(of.inverse_transform_point(pose.position), rotation), extent }
    }

    /// How far a point of the surface has moved at most since the bodies lay as in `sight` \[m\].
    ///
    /// A turn by t moves it by `2 sin(t/2)` of its distance, at most by `4 sin(t/4)`: twice the difference of the two
    /// quaternions.
    fn moved_since(&self, sight: &Sight) -> f64 {
        let (now, then) = (self.relative.rotation, sight.relative.rotation);
        let turned = if now.dot(then) < 0.0 { now + then } else { now - then };
        (self.relative.position - sight.relative.position).length() + 2.0 * self.extent * turned.length()
    }
}

impl Sight {
    /// How far the surfaces have moved since, if contacts up to `margin` lie at its spots, of a pair that may have
    /// moved by `leeway` \[m\].
    pub(crate) fn holds(&self, lie: &Lie, margin: f64, leeway: f64) -> Option<f64> {
        let moved = lie.moved_since(self);
        (moved <= leeway && moved + margin <= self.margin).then_some(moved)
    }
}

impl Sights {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.spots.clear();
    }

    /// Adds what a search found that marks its spots, unless it says that these are not all.
    pub(crate) fn note(&mut self, pair: (u32, u32), lie: &Lie, margin: f64, mark: impl FnOnce(&mut Vec<Spot>) -> bool) {
        if mark(&mut self.spots) {
            self.list.push(Sight { pair, relative: lie.relative, margin, end: self.spots.len() as u32 });
        }
    }

    /// Adds one of other sights.
    pub(crate) fn keep(&mut self, (sight, spots): (&Sight, &[Spot])) {
        self.spots.extend_from_slice(spots);
        self.list.push(Sight { end: self.spots.len() as u32, ..*sight });
    }

    /// Appends others whose pairs come behind.
    pub(crate) fn append(&mut self, others: &Sights) {
        let before = self.spots.len() as u32;
        let (sights, spots) = (self.list.len() + others.list.len(), self.spots.len() + others.spots.len());
        make_room(&mut self.list, sights);
        make_room(&mut self.spots, spots);
        self.spots.extend_from_slice(&others.spots);
        self.list.extend(others.list.iter().map(|sight| Sight { end: before + sight.end, ..*sight }));
    }

    /// Those of pairs from `pair` on, to be followed in order.
    pub(crate) fn from(&self, pair: (u32, u32)) -> Following<'_> {
        Following { sights: self, next: self.list.partition_point(|sight| sight.pair < pair) }
    }

    /// Sights of `own` for pairs of which `is_own` holds, of `others` for the rest.
    pub(crate) fn join(&mut self, own: &Sights, others: &Sights, is_own: impl Fn((u32, u32)) -> bool) {
        self.clear();
        let (mut own, mut others) = (own.from((0, 0)), others.from((0, 0)));
        while let Some(pair) = own.pair().into_iter().chain(others.pair()).min() {
            let found = [own.find(pair), others.find(pair)][usize::from(!is_own(pair))];
            if let Some(found) = found {
                self.keep(found);
            }
            own.pass(pair);
            others.pass(pair);
        }
    }
}

/// Sights in the order of pairs that are asked for in that order.
pub(crate) struct Following<'a> {
    sights: &'a Sights,
    next: usize,
}

impl<'a> Following<'a> {
    /// That of a pair, if there is one.
    pub(crate) fn find(&mut self, pair: (u32, u32)) -> Option<(&'a Sight, &'a [Spot])> {
        let list = &self.sights.list;
        while list.get(self.next).is_some_and(|sight| sight.pair < pair) {
            self.next += 1;
        }
        let sight = list.get(self.next).filter(|sight| sight.pair == pair)?;
        let first = self.next.checked_sub(1).map_or(0, |before| list[before].end as usize);
        Some((sight, &self.sights.spots[first..sight.end as usize]))
    }

    /// The pair of the next one.
    fn pair(&self) -> Option<(u32, u32)> {
        self.sights.list.get(self.next).map(|sight| sight.pair)
    }

    /// Goes on behind a pair.
    fn pass(&mut self, pair: (u32, u32)) {
        if self.pair() == Some(pair) {
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::{DQuat, DVec3};

    fn lie(x: f64, angle: f64) -> Lie {
        let relative = Pose::new(DVec3::X * x, DQuat::from_axis_angle(DVec3::Z, angle));
        Lie { relative, extent: 2.0 }
    }

    fn sights(pairs: &[(u32, u32)], margin: f64) -> Sights {
        let mut sights = Sights::default();
        pairs.iter().for_each(|pair| sights.note(*pair, &lie(0.0, 0.0), margin, |_| true));
        sights
    }

    /// What counts is the way of the surface, by turns and by shifts, either sign of a quaternion, and how far was
    /// looked.
    #[test]
    fn a_sight_holds_while_surfaces_hardly_move() {
        let sights = sights(&[(1, 2)], 0.03);
        let (sight, _) = sights.from((0, 0)).find((1, 2)).expect("it was noted");
        assert!(sight.holds(&lie(0.0, 0.0), 0.03, 0.01).is_some());
        assert!(sight.holds(&lie(0.0, 0.0), 0.031, 0.01).is_none(), "was looked less far");
        assert!(sight.holds(&lie(0.005, 0.0024), 0.0, 0.01).is_some());
        assert!(sight.holds(&lie(0.005, 0.0026), 0.0, 0.01).is_none());
        assert!(sight.holds(&lie(0.005, 0.0), 0.026, 0.01).is_none());
        let mut turned = lie(0.0, 0.004);
        turned.relative.rotation = -turned.relative.rotation;
        assert!(sight.holds(&turned, 0.02, 0.01).is_some());
        for angle in [0.1, 1.0, 3.0] {
            let chord = 2.0 * 2.0 * libm::sin(0.5 * angle);
            assert!(lie(0.0, angle).moved_since(sight) >= chord);
        }
    }

    #[test]
    fn sights_are_found_in_order_and_joined() {
        let (own, others) = (sights(&[(0, 1), (1, 5), (2, 3)], 1.0), sights(&[(0, 1), (0, 4), (2, 3), (4, 5)], 2.0));
        let mut following = own.from((1, 0));
        assert!(following.find((0, 4)).is_none());
        assert!(following.find((1, 5)).is_some());
        assert!(following.find((2, 4)).is_none());
        let mut joined = Sights::default();
        joined.join(&own, &others, |(a, b)| a == 1 || b == 1);
        let listed: Vec<_> = joined.list.iter().map(|sight| (sight.pair, sight.margin)).collect();
        assert_eq!(listed, [((0, 1), 1.0), ((0, 4), 2.0), ((1, 5), 1.0), ((2, 3), 2.0), ((4, 5), 2.0)]);
    }
}
