//! Which part of the world holds what moves in a whole run: the boxes that bodies sweep, and who of them counts.
//!
//! The region is that of what stays: bodies that left or were removed count only where most did, and then with the
//! place in which they were first. A body that flies off without being removed counts with its first place only, if
//! that is near, for the others would become a dot. *Flies off* means that it ends farther from the others than it
//! began, and that the middle of the box that it sweeps is far from theirs: of ten and more bodies 10 times the
//! distance within which nine tenths of them stay, of fewer 50 times that within which half of them do. So the crowd
//! fills a tenth of the picture's width at least, a few bodies a fiftieth. Floors, walls and obstacles are left to
//! `region`.

use granule_engine::{BodySnapshot, Snapshot};
use granule_model::{Aabb, BodyKind, DVec3};

use crate::region::around;

/// Bodies from which on they are a crowd.
const CROWD: usize = 10;
/// Distance from the middle beyond which a body of a crowd has flown off, over that within which nine tenths stay.
const FLUNG: f64 = 10.0;
/// The same among fewer bodies, over the distance within which half of them stay.
const FLUNG_OF_FEW: f64 = 50.0;
/// Share of the bodies that the scale of speed serves.
const MOST_BODIES: f64 = 0.98;

/// Most pieces of the run whose boxes are kept apart; beyond it neighbours in time become one.
const MOST_LEGS: usize = 32;
/// Places of bodies that are kept of each piece.
const LEG_PLACES: usize = 32;
/// Free room around the boxes of the outline, over the largest edge of all of them together: ground around a path.
const OUTLINE_PADDING: f64 = 0.04;

/// Where the bodies of a run were in the states that are shown.
#[derive(Clone, Debug, Default)]
pub struct Framing {
    tracks: Vec<Track>,
    legs: Vec<Leg>,
    /// Number of states in each leg but the last, which may hold fewer.
    states_in_a_leg: usize,
    states: usize,
    /// See [`Framing::speed_range`] \[m/s\].
    fastest: f64,
    /// Bodies without end, where they were last.
    endless: Vec<BodySnapshot>,
}

/// Where dynamic bodies were in a piece of the run.
#[derive(Clone, Debug)]
struct Leg {
    bounds: Aabb,
    /// Centres of some of them, in one state of the piece.
    places: Vec<DVec3>,
}

/// Where one body of finite size was.
#[derive(Clone, Copy, Debug)]
struct Track {
    kind: BodyKind,
    first: Aabb,
    last: Aabb,
    swept: Aabb,
    /// Whether it was there in the state that was added last.
    present: bool,
}

impl Framing {
    /// A framing of nothing yet.
    pub fn new() -> Self {
        Framing::default()
    }

    /// Adds a state of the run, later than those before and with the same bodies in the same order.
    pub fn add(&mut self, snapshot: &Snapshot) {
        let unseen =
            Track { kind: BodyKind::Static, first: Aabb::EMPTY, last: Aabb::EMPTY, swept: Aabb::EMPTY, present: false };
        self.tracks.resize(snapshot.bodies.len(), unseen);
        self.endless.clear();
        for (track, body) in self.tracks.iter_mut().zip(&snapshot.bodies) {
            (track.kind, track.present) = (body.kind, body.present);
            if body.present && body.shape.is_unbounded() {
                self.endless.push(body.clone());
            } else if body.present {
                track.see(body.shape.aabb(&body.pose));
            }
        }
        self.add_to_legs(snapshot);
        self.fastest = self.fastest.max(speed_of_most(snapshot));
    }

    fn add_to_legs(&mut self, snapshot: &Snapshot) {
        let moving = || snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic);
        let boxes = moving().map(|b| b.shape.aabb(&b.pose)).filter(Aabb::is_finite);
        let bounds = boxes.fold(Aabb::EMPTY, |a, b| a.union(&b));
        self.states_in_a_leg = self.states_in_a_leg.max(1);
        if !self.states.is_multiple_of(self.states_in_a_leg)
            && let Some(leg) = self.legs.last_mut()
        {
            leg.bounds = leg.bounds.union(&bounds);
        } else {
            let every = moving().count().div_ceil(LEG_PLACES).max(1);
            let places = moving().step_by(every).map(|b| b.pose.position).collect();
            self.legs.push(Leg { bounds, places });
        }
        self.states += 1;
        if self.legs.len() > MOST_LEGS {
            let pairs = self.legs.chunks(2).map(|pair| Leg {
                bounds: pair.iter().fold(Aabb::EMPTY, |a, leg| a.union(&leg.bounds)),
                places: pair[0].places.clone(),
            });
            self.legs = pairs.collect();
            self.states_in_a_leg *= 2;
            // The last leg goes on to be filled.
            self.states = (self.legs.len() - 1) * self.states_in_a_leg + self.states_in_a_leg / 2;
        }
    }

    /// Boxes \[m\] one after another along the way of what moves, which hold all of it that [`Framing::region`] holds,
    /// with room around: of a path through a valley they take less of the picture than the one box around it.
    pub fn outline(&self) -> Vec<Aabb> {
        let all = around_the_crowd(&self.moving());
        if !all.is_finite() {
            return Vec::new();
        }
        let room = OUTLINE_PADDING * all.size().max_element();
        let cut = |leg: &Leg| Aabb::new(leg.bounds.min.max(all.min), leg.bounds.max.min(all.max));
        let boxes = self.legs.iter().map(cut).filter(|b| b.min.cmple(b.max).all());
        boxes.map(|b| b.padded(room)).collect()
    }

    /// Places of moving bodies, from the whole run.
    pub(crate) fn places(&self) -> impl Iterator<Item = DVec3> {
        let all = around_the_crowd(&self.moving());
        let inside = move |p: &DVec3| p.cmpge(all.min).all() && p.cmple(all.max).all();
        self.legs.iter().flat_map(|leg| leg.places.iter().copied()).filter(inside)
    }

    /// The ends of a scale of speed \[m/s\] for all states: 0, and the least of 1, 2, 3, 4, 5, 6, 8 times a power of
    /// ten that in no state more than 2 of 100 bodies pass. None when nothing moves.
    pub fn speed_range(&self) -> Option<(f64, f64)> {
        round_above(self.fastest).map(|top| (0.0, top))
    }

    /// The box \[m\] that holds what moves, with room around it, and reaches to the floor and the walls beside it.
    /// Empty when there is nothing of finite size.
    pub fn region(&self) -> Aabb {
        let moving = around_the_crowd(&self.moving());
        let obstacles: Vec<Aabb> = self.finite(|t| t.kind != BodyKind::Dynamic && t.present).map(|t| t.swept).collect();
        around(moving, &obstacles, &self.endless)
    }

    fn finite(&self, who: impl Fn(&Track) -> bool) -> impl Iterator<Item = Track> {
        self.tracks.iter().filter(move |t| t.swept.is_finite() && who(t)).copied()
    }

    /// The dynamic bodies that count.
    fn moving(&self) -> Vec<Track> {
        let all: Vec<Track> = self.finite(|t| t.kind == BodyKind::Dynamic).collect();
        let staying = all.iter().filter(|t| t.present).count();
        if 2 * staying >= all.len() {
            return all.into_iter().filter(|t| t.present).collect();
        }
        let counted = |t: Track| if t.present { t } else { Track { swept: t.first, last: t.first, ..t } };
        all.into_iter().map(counted).collect()
    }
}

impl Track {
    fn see(&mut self, place: Aabb) {
        if !place.is_finite() {
            return;
        }
        if !self.first.is_finite() {
            self.first = place;
        }
        self.last = place;
        self.swept = self.swept.union(&place);
    }
}

/// The speed that 98 of 100 dynamic bodies do not pass \[m/s\].
fn speed_of_most(snapshot: &Snapshot) -> f64 {
    let moving = snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic);
    let mut speeds: Vec<f64> = moving.map(|b| b.velocity.linear.length()).filter(|v| v.is_finite()).collect();
    if speeds.is_empty() {
        return 0.0;
    }
    let place = (MOST_BODIES * (speeds.len() - 1) as f64).ceil() as usize;
    *speeds.select_nth_unstable_by(place, f64::total_cmp).1
}

/// The least of 1, 2, 3, 4, 5, 6, 8 times a power of ten that is not below `value`; none for 0 and what is not finite.
fn round_above(value: f64) -> Option<f64> {
    if !(value.is_finite() && value >= f64::MIN_POSITIVE) {
        return None;
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    // The last one serves values for which the logarithm is rounded down.
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0].map(|digit| digit * power).into_iter().find(|&round| round >= value)
}

/// The box around all that was swept, but for what has flown off.
fn around_the_crowd(tracks: &[Track]) -> Aabb {
    let (share, far) = if tracks.len() < CROWD { (0.5, FLUNG_OF_FEW) } else { (0.9, FLUNG) };
    let Some(middle) = middle(tracks) else { return Aabb::EMPTY };
    let from_middle = |b: &Aabb| (b.center() - middle).length();
    let mut distances: Vec<f64> =
        tracks.iter().map(|t| from_middle(&t.swept) + 0.5 * t.swept.size().length()).collect();
    let place = (share * (distances.len() - 1) as f64) as usize;
    let reach = *distances.select_nth_unstable_by(place, f64::total_cmp).1;
    let flew_off = |t: &Track| {
        // What is seen once only cannot have come nearer.
        let went_away = from_middle(&t.last) >= from_middle(&t.first);
        went_away && from_middle(&t.swept) > far * reach
    };
    let near_at_first = |t: &Track| from_middle(&t.first) <= far * reach;
    let counted =
        tracks.iter().filter_map(|t| if flew_off(t) { near_at_first(t).then_some(t.first) } else { Some(t.swept) });
    counted.fold(Aabb::EMPTY, |a, b| a.union(&b))
}

/// The middle of the bodies: of a crowd the median along each axis, of a few that of the box of the one that moved
/// least.
fn middle(tracks: &[Track]) -> Option<DVec3> {
    let size = |t: &&Track| t.swept.size().length();
    if tracks.len() < CROWD {
        return tracks.iter().min_by(|a, b| size(a).total_cmp(&size(b))).map(|t| t.swept.center());
    }
    let median = |axis: usize| {
        let mut places: Vec<f64> = tracks.iter().map(|t| t.swept.center()[axis]).collect();
        let half = places.len() / 2;
        *places.select_nth_unstable_by(half, f64::total_cmp).1
    };
    Some(DVec3::new(median(0), median(1), median(2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{fixed, snapshot, sphere_at};
    use granule_geometry::Shape;

    /// States of spheres of radius `unit`/2 at the given places.
    fn framing(unit: f64, states: &[&[DVec3]]) -> Framing {
        let mut framing = Framing::new();
        for places in states {
            let bodies = places.iter().zip(0..).map(|(p, i)| sphere_at(i, *p * unit, 0.5 * unit));
            framing.add(&snapshot(bodies.collect()));
        }
        framing
    }

    #[test]
    fn the_region_holds_the_whole_way_of_what_moves() {
        for unit in [1e-3, 1.0, 100.0] {
            let region = framing(unit, &[&[DVec3::ZERO], &[DVec3::X * 30.0], &[DVec3::new(40.0, 0.0, -20.0)]]).region();
            assert!(region.min.cmple(DVec3::new(-0.5, -0.5, -20.5) * unit).all(), "{region:?}");
            assert!(region.max.cmpge(DVec3::new(40.5, 0.5, 0.5) * unit).all(), "{region:?}");
            assert!(region.size().max_element() < 45.0 * unit, "{region:?}");
        }
    }

    #[test]
    fn the_outline_holds_all_bodies_of_all_states_and_little_else() {
        for (unit, states) in [(1e-3, 7), (1.0, 33), (1.0, 400), (100.0, 1000)] {
            let places: Vec<Vec<DVec3>> = (0..states)
                .map(|k| {
                    let s = f64::from(k) / f64::from(states - 1);
                    // Down a slope, then across it: a bent path.
                    let along = DVec3::new(400.0 * s, 60.0 * (3.0 * s).sin(), 150.0 * (1.0 - s) * (1.0 - s));
                    (0..12).map(|i| along + DVec3::new(f64::from(i), f64::from(i % 3), 0.0)).collect()
                })
                .collect();
            let states: Vec<&[DVec3]> = places.iter().map(Vec::as_slice).collect();
            let framing = framing(unit, &states);
            let outline = framing.outline();
            assert!(outline.len() <= MOST_LEGS, "{}", outline.len());
            for place in places.iter().flatten().map(|p| *p * unit) {
                let ball = Aabb::new(place, place).padded(0.5 * unit);
                assert!(outline.iter().any(|b| b.contains(&ball)), "{place}");
            }
            // All that is held is seen.
            for direction in [DVec3::new(0.3, -1.0, 0.6), DVec3::new(-1.0, -0.4, 0.8)] {
                let camera = crate::Camera::framing_boxes(&outline, direction, 16.0 / 9.0);
                let ends = places
                    .iter()
                    .flatten()
                    .flat_map(|p| crate::camera::corners(&Aabb::new(*p * unit, *p * unit).padded(0.5 * unit)));
                assert!(ends.into_iter().all(|p| camera.sees(p, 16.0 / 9.0)), "{unit} {direction}");
            }
        }
    }

    #[test]
    fn the_scale_of_speed_serves_the_whole_run() {
        let at = |speeds: &[f64]| {
            let mut bodies: Vec<_> =
                (0..speeds.len() as u32).map(|i| sphere_at(i, DVec3::X * f64::from(i), 0.5)).collect();
            bodies.iter_mut().zip(speeds).for_each(|(b, v)| b.velocity.linear = DVec3::Y * *v);
            snapshot(bodies)
        };
        let mut framing = Framing::new();
        framing.add(&at(&[0.0; 101]));
        assert_eq!(framing.speed_range(), None);
        let mut speeds = [17.0; 101];
        // One that is shot off has no say.
        speeds[3] = 900.0;
        framing.add(&at(&speeds));
        framing.add(&at(&[0.1; 101]));
        assert_eq!(framing.speed_range(), Some((0.0, 20.0)));
        for (value, above) in [(1.0, 1.0), (2.1, 3.0), (0.31, 0.4), (31.0, 40.0), (81.0, 100.0), (0.0007, 0.0008)] {
            let found = round_above(value).expect("a number");
            assert!((found / above - 1.0).abs() <= 1e-12, "{value} {found}");
        }
    }

    #[test]
    fn who_flies_off_among_few_or_many_does_not_stretch_it() {
        let row = |count: usize| (0..count).map(|i| DVec3::X * i as f64).collect::<Vec<_>>();
        for count in [2, 3, 9, 40] {
            let start = row(count);
            let mut end = start.clone();
            end[0] = DVec3::Z * 1e5;
            let region = framing(1.0, &[&start, &end]).region();
            assert!(region.size().max_element() <= 1.1 * count as f64, "{count}: {region:?}");
            // Control: one that comes in from there counts.
            let region = framing(1.0, &[&end, &start]).region();
            assert!(region.size().max_element() >= 1e5, "{count}: {region:?}");
        }
        // All that there is counts, however far it flies.
        assert!(framing(1.0, &[&[DVec3::ZERO], &[DVec3::Z * 1e5]]).region().max.z > 1e5);
    }

    #[test]
    fn a_gas_that_spreads_is_held_in_whole() {
        let places = |scale: f64| -> Vec<DVec3> {
            (0..64).map(|i| DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * scale).collect()
        };
        let region = framing(1.0, &[&places(1.0), &places(100.0)]).region();
        assert!(region.min.max_element() <= -0.5 && region.max.min_element() >= 300.5, "{region:?}");
    }

    #[test]
    fn who_left_counts_only_where_most_did() {
        let states = |count: u32, gone: u32| {
            let at = |i: u32, z: f64| sphere_at(i, DVec3::new(f64::from(i), 0.0, z), 0.5);
            let mut framing = Framing::new();
            framing.add(&snapshot((0..count).map(|i| at(i, 0.0)).collect()));
            framing.add(&snapshot((0..count).map(|i| at(i, if i < gone { -30.0 } else { 0.0 })).collect()));
            let mut last = snapshot((0..count).map(|i| at(i, if i < gone { -99.0 } else { 0.0 })).collect());
            last.bodies.iter_mut().take(gone as usize).for_each(|b| b.present = false);
            framing.add(&last);
            framing.region()
        };
        let few = states(8, 2);
        assert!(few.min.x > 1.0 && few.min.z > -1.0, "{few:?}");
        // Of most and of all the start is shown.
        for gone in [7, 8] {
            let most = states(8, gone);
            assert!(most.min.x <= -0.5 && most.max.x >= 7.5 && most.min.z > -1.0, "{gone}: {most:?}");
        }
    }

    #[test]
    fn driven_bodies_are_held_with_all_their_way() {
        let paddle = |x: f64| {
            let shape = Shape::cuboid(DVec3::splat(1.0)).expect("a size");
            BodySnapshot { kind: BodyKind::Driven, ..fixed(1, shape, DVec3::X * x) }
        };
        let mut framing = Framing::new();
        for x in [2.0, 6.0] {
            framing.add(&snapshot(vec![sphere_at(0, DVec3::ZERO, 1.0), paddle(x)]));
        }
        assert!(framing.region().max.x >= 6.5, "{:?}", framing.region());
        assert!(!Framing::new().region().is_finite());
    }
}
