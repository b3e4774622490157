//! How far bodies may come towards each other in the step ahead, and hence how far contacts are looked for.
//!
//! The margin of a pair is the way that its surfaces can come nearer in a step: by their relative velocity
//! ([`approach`]), so that grains that fall, slide or turn together hardly look for each other, and by what forces and
//! drives may change of it. What a hit makes of a body is not in it. Its neighbours that touch it are known; what lies
//! farther off it meets in the next step, or the step is undone and divided. Only what it would go through is looked
//! for at once ([`Reach::ask_for_reach`]). Looking as far as hits may throw bodies cost twice the time in packs that
//! land, and divided no fewer steps (`docs/experiments/detection.md`).
//!
//! Balls are looked at as far as the fastest bodies beside them could throw them: that costs them next to nothing, and
//! laws that resolve impacts leave less to the next step. No pair is looked at farther than that.
//!
//! Boxes of the broad phase do not know who is beside whom: they are padded by motion relative to the crowd.

use granule_broadphase::PairList;
use granule_geometry::Nearing;
use granule_model::{DVec3, Velocity};
use rayon::prelude::*;

use crate::world::bodies::Bodies;
use crate::world::contact::{Ahead, Contacts, SLACK};
use crate::world::parallel::{self, Highest};
use crate::world::reductions::{Crowd, mean_radius, smallest_radius};

/// Extra size of the boxes of the broad phase, over a mean of the radii, so that its list lives for many steps.
///
/// The mean is `(mean R^-3)^(-1/3)`. A share f of all bodies that are of radius r makes it at most `r f^(-1/3)`, so
/// that each of them, packed as densely as may be, has about `(1 + PADDING f^(-1/3))^3` others in reach, all of them
/// together less than a few for every body of the world, be they dust among boulders or a boulder among dust
/// (`docs/experiments/detection.md`).
const PADDING: f64 = 0.15;
/// The same for a half-space, whose pairs are few: seen from a crowd that flies, the floor moves.
const UNBOUNDED_PADDING: f64 = 2.5;
/// Steps of its own motion for which a fast body gets more, and the most that it gets, over the mean radius. Found by
/// trial: `docs/experiments/detection.md`.
const STEPS_AHEAD: f64 = 2.0;
const FAST_PADDING: f64 = 0.4;

/// What a body is given beyond the reach that it turned out to need: the next attempt may carry it a little further.
const REACH_FURTHER: f64 = 1.25;

/// Share of the slack of a body that a change of its velocity may take up without another search: where nothing draws
/// bodies, drag alone would call for one in every step.
const SPARE: f64 = 0.1;

/// Scratch of the measure of reaches.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Distance that a surface point of each body can cover in a step, relative to the crowd \[m\].
    own: Vec<f64>,
    /// What each body needs of the broad phase, and what it gets beyond \[m\].
    limit: Vec<f64>,
    padding: Vec<f64>,
    /// How far each body comes by its own motion or by that of the fastest beside it, relative to the crowd \[m\].
    hit: Highest,
    /// Change of its way that each body is to have at least \[m\]; empty where nothing is asked.
    asked: Vec<f64>,
}

impl Reach {
    /// Measures how far each body may come by itself, and what it needs of the broad phase. Returns a point that moves
    /// as most bodies do.
    pub(crate) fn measure(&mut self, bodies: &Bodies<'_>, ahead: Ahead, into: &mut Contacts) -> DVec3 {
        let crowd = Crowd::of(bodies);
        into.crowd = crowd.velocity;
        into.ahead = ahead;
        into.velocity.clear();
        into.velocity.extend_from_slice(bodies.velocity);
        self.measure_own(bodies, into);
        self.measure_boxes(bodies);
        crowd.place
    }

    /// What each body needs of the broad phase, and its padding beyond \[m\].
    pub(crate) fn boxes(&self) -> (&[f64], &[f64]) {
        (&self.limit, &self.padding)
    }

    /// How far each body may come by its own motion, and how far a change of its velocity may carry it.
    fn measure_own(&mut self, bodies: &Bodies<'_>, into: &mut Contacts) {
        let Contacts { ahead, crowd, reach, .. } = into;
        let Reach { asked, own, .. } = self;
        // Who sleeps may wake within the step.
        let change = |i: usize| {
            let gain = if bodies.present[i] && bodies.movable[i] { ahead.dt * ahead.speed_gain } else { 0.0 };
            asked.get(i).map_or(gain, |asked| gain.max(*asked))
        };
        parallel::fill(reach, bodies.len(), &change);
        let by_itself = |i: usize| {
            if bodies.present[i] { way(bodies, i, &bodies.velocity[i], *crowd, ahead.dt) + reach[i] } else { 0.0 }
        };
        parallel::fill(own, bodies.len(), &by_itself);
    }

    /// How far the boxes of the broad phase reach beyond those of the bodies.
    fn measure_boxes(&mut self, bodies: &Bodies<'_>) {
        let Reach { own, limit, padding, .. } = self;
        let fastest = parallel::largest(own, &|own| *own);
        let radius = mean_radius(bodies);
        // What a hit could make of a body calls for no new list, but one fast body never fills it.
        let needs = |i: usize| own[i].max(if bodies.dynamic[i] { fastest.min(0.5 * bodies.radius[i]) } else { 0.0 });
        parallel::fill(limit, bodies.len(), &needs);
        let more = |i: usize| {
            let share = if bodies.extent[i] == f64::INFINITY { UNBOUNDED_PADDING } else { PADDING };
            share * radius + (STEPS_AHEAD * own[i]).min(FAST_PADDING * radius)
        };
        parallel::fill(padding, bodies.len(), &more);
    }

    /// A resting body that is hit in this step moves in this step: each comes as far as its fastest neighbour. So far
    /// balls are looked at.
    pub(crate) fn find_hits(&mut self, bodies: &Bodies<'_>, pairs: &PairList, into: &mut Contacts) {
        let Reach { own, limit, hit, .. } = self;
        hit.fill(own.len(), &|i| own[i]);
        parallel::for_each(pairs.pairs().par_iter(), |(a, b)| {
            let (a, b) = (*a as usize, *b as usize);
            hit.raise(a, own[b].min(limit[a]));
            hit.raise(b, own[a].min(limit[b]));
        });
        let hit = &*hit;
        parallel::for_each(into.reach.par_iter_mut().enumerate(), |(i, reach)| {
            if bodies.round[i] {
                *reach = hit.get(i);
            }
        });
    }

    /// How far a body comes by its own motion or by that of the fastest beside it \[m\].
    pub(crate) fn hit(&self, i: usize) -> f64 {
        self.hit.get(i)
    }

    /// Asks for more reach for bodies that `velocities` carry through another one that is not listed: further than
    /// their reach by half the width of their thinnest piece. Whether there are any.
    pub(crate) fn ask_for_reach(
        &mut self,
        bodies: &Bodies<'_>,
        contacts: &Contacts,
        velocities: &[Velocity],
        dt: f64,
    ) -> bool {
        let further = |i: usize| {
            let needed = needed(bodies, i, (&contacts.velocity[i], contacts.crowd), &velocities[i], dt);
            (bodies.awake(i) && needed > contacts.reach[i] + bodies.half_width[i]).then_some(needed)
        };
        if parallel::sum(0..bodies.len(), &|range| range.filter(|i| further(*i).is_some()).count()) == 0 {
            return false;
        }
        self.asked.resize(bodies.len(), 0.0);
        for i in 0..bodies.len() {
            if let Some(needed) = further(i) {
                self.asked[i] = self.asked[i].max(REACH_FURTHER * needed);
            }
        }
        true
    }

    /// Whether more reach has been asked for in the step.
    pub(crate) fn asks(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Forgets what was asked for in a step that has ended.
    pub(crate) fn ask_for_nothing(&mut self) {
        self.asked.clear();
    }
}

/// Reach that a body needs for a move of `dt` \[s\] by the velocity `to`, where contacts were looked for with `from`
/// and seen from `crowd` \[m\].
pub(crate) fn needed(bodies: &Bodies<'_>, i: usize, (from, crowd): (&Velocity, DVec3), to: &Velocity, dt: f64) -> f64 {
    if bodies.round[i] { way(bodies, i, to, crowd, dt) } else { change(bodies, i, (from, to), dt) }
}

impl Contacts {
    /// Whether bodies may come nearer within `dt` \[s\] than contacts were looked for; velocities are those with the
    /// forces of the step.
    pub(crate) fn is_short(&self, bodies: &Bodies<'_>, dt: f64) -> bool {
        if self.velocity.len() != bodies.len() {
            return true;
        }
        let (longer, gain) = ((dt - self.ahead.dt).max(0.0), self.ahead.dt * self.ahead.speed_gain);
        let further = |i: usize| {
            let velocity = &bodies.velocity[i];
            let by_time = if longer > 0.0 { way(bodies, i, velocity, self.crowd, longer) } else { 0.0 };
            change(bodies, i, (&self.velocity[i], velocity), dt) + by_time
        };
        let spare = |i: usize| gain + if bodies.dynamic[i] { SPARE * SLACK * bodies.radius[i] } else { 0.0 };
        let short =
            |range: std::ops::Range<usize>| range.filter(|i| bodies.present[*i] && further(*i) > spare(*i)).count();
        parallel::sum(0..bodies.len(), &short) > 0
    }

    /// Whether all contacts between the sleepers of `woken` and others are known that a search would find now, but for
    /// those in the slack of the smallest body, of which each of two may use up half.
    pub(crate) fn is_known(&self, bodies: &Bodies<'_>, woken: &[u32]) -> bool {
        let slack = 0.5 * SLACK * smallest_radius(bodies);
        woken.iter().all(|i| self.reach[*i as usize] <= self.searched[*i as usize] + slack)
    }
}

/// Distance that the surface of a body covers in `dt` \[s\] at the velocity `v`, seen from what moves with `crowd`
/// \[m\].
pub(crate) fn way(bodies: &Bodies<'_>, i: usize, v: &Velocity, crowd: DVec3, dt: f64) -> f64 {
    // A sphere's surface does not move by its spin, and that of a half-space has no end.
    let still = bodies.round[i] || !bodies.movable[i] || bodies.extent[i] == f64::INFINITY;
    let spin = if still { 0.0 } else { v.angular.length() * bodies.extent[i] };
    dt * ((v.linear - crowd).length() + spin)
}

/// Distance by which a change of its velocity carries the surface of a body further in `dt` \[s\] \[m\].
fn change(bodies: &Bodies<'_>, i: usize, (from, to): (&Velocity, &Velocity), dt: f64) -> f64 {
    let change = Velocity { linear: to.linear - from.linear, angular: to.angular - from.angular };
    way(bodies, i, &change, DVec3::ZERO, dt)
}

/// Speed at which points of the surfaces of two bodies may come nearer to each other at most \[m/s\].
///
/// Seen from either body, the surface of the other one moves with its centre and turns about it. The smaller one of
/// both bounds counts: a grain that is carried round by a drum stands still to it. A ball's surface does not move by
/// its spin.
pub(crate) fn approach(bodies: &Bodies<'_>, a: usize, b: usize) -> f64 {
    let spin = |i: usize| if bodies.round[i] { DVec3::ZERO } else { bodies.velocity[i].angular };
    let (turn, way) = (spin(a) - spin(b), bodies.pose[a].position - bodies.pose[b].position);
    let apart = bodies.velocity[a].linear - bodies.velocity[b].linear;
    let turn = turn.length();
    let of = |i: usize, linear: DVec3| {
        linear.length() + if bodies.round[i] || turn == 0.0 { 0.0 } else { turn * bodies.extent[i] }
    };
    // The velocity of each at its centre less that of the other there, extended.
    of(a, apart - spin(b).cross(way)).min(of(b, apart - spin(a).cross(way)))
}

/// How the first body of a pair moves in `dt` \[s\], seen from the second; `allowed` is the part of their margin that
/// is for it \[m\].
pub(crate) fn nearing(bodies: &Bodies<'_>, (a, b): (u32, u32), dt: f64, allowed: f64) -> Nearing {
    let (a, b) = (a as usize, b as usize);
    let [of_a, of_b] = [a, b].map(|i| &bodies.velocity[i]);
    let (about, apart) = (bodies.pose[a].position, bodies.pose[a].position - bodies.pose[b].position);
    let linear = of_a.linear - of_b.linear - of_b.angular.cross(apart);
    Nearing { way: dt * linear, turn: dt * (of_a.angular - of_b.angular), about, allowed }
}

/// Distance that it covers in a step of `dt` \[s\] by the velocity `transport` of its move \[m\].
pub(crate) fn way_moved(bodies: &Bodies<'_>, transport: &[Velocity], i: usize, dt: f64) -> f64 {
    way(bodies, i, &transport[i], DVec3::ZERO, dt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::bodies::{BodyState, Frames, Table};
    use granule_model::{DQuat, Pose};

    /// Two bodies of 0.5 m in reach, 1.2 m apart along x, with these velocities.
    fn nearing(velocity: [Velocity; 2], round: bool) -> f64 {
        let table = Table { round: vec![round; 2], extent: vec![0.5; 2], ..Table::default() };
        let pose = [0.0, 1.2].map(|x| Pose::new(DVec3::X * x, DQuat::IDENTITY)).to_vec();
        let bodies = BodyState { pose, velocity: velocity.to_vec(), ..BodyState::default() };
        approach(&bodies.view(&table, &Frames::default()), 0, 1)
    }

    /// Bodies that move as one rigid body do not come nearer, whatever it does; a ball's spin moves no surface.
    #[test]
    fn what_moves_together_does_not_come_nearer() {
        let (linear, angular) = (DVec3::new(3.0, -20.0, 7.0), DVec3::new(0.3, 4.0, -9.0));
        let first = Velocity { linear, angular };
        let carried = Velocity { linear: linear + angular.cross(1.2 * DVec3::X), angular };
        assert!(nearing([first, carried], false) <= 1e-14 * 20.0);
        let still = Velocity { linear, ..Velocity::ZERO };
        assert_eq!(nearing([first, still], true), 0.0);
        // Seen from the second the first turns in place.
        assert!((nearing([first, still], false) - 0.5 * angular.length()).abs() <= 1e-14 * 20.0);
        let faster = Velocity { linear: linear + 2.0 * DVec3::X, ..Velocity::ZERO };
        assert_eq!(nearing([still, faster], false), 2.0);
    }
}
