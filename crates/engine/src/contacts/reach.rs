//! How far each body may come in the step ahead, and hence how far contacts are looked for.
//!
//! The margin of a pair is the distance that its bodies can cover in a step, where a body counts as fast as the fastest
//! of its neighbours: a resting body that is hit in this step moves in this step.

use granule_broadphase::PairList;
use granule_model::{DVec3, Velocity};
use rayon::prelude::*;

use crate::world::bodies::Bodies;
use crate::world::contact::{Contacts, SLACK};
use crate::world::parallel::{self, Highest};
use crate::world::reductions::{Crowd, mean_radius, smallest_radius};

/// What a step may bring: its length \[s\], and the speed that forces add in it \[m/s\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    pub(crate) dt: f64,
    pub(crate) speed_gain: f64,
}

impl Ahead {
    /// A step of `dt` \[s\] under gravity \[m/s2\]; twice what gravity adds, for forces beside it.
    pub(crate) fn under(gravity: DVec3, dt: f64) -> Self {
        Ahead { dt, speed_gain: 2.0 * gravity.length() * dt }
    }
}

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

/// Scratch of the measure of reaches.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// What each body needs of the broad phase, and what it gets beyond \[m\].
    limit: Vec<f64>,
    padding: Vec<f64>,
    highest: Highest,
    /// Reach that each body is to have at least \[m\]; empty where nothing is asked.
    asked: Vec<f64>,
}

impl Reach {
    /// Measures how far each body may come by itself, and what it needs of the broad phase. Returns a point that moves
    /// as most bodies do.
    pub(crate) fn measure(&mut self, bodies: &Bodies<'_>, ahead: Ahead, into: &mut Contacts) -> DVec3 {
        let crowd = Crowd::of(bodies);
        into.crowd = crowd.velocity;
        self.measure_own(bodies, ahead, into);
        self.measure_boxes(bodies, &into.own);
        crowd.place
    }

    /// What each body needs of the broad phase, and its padding beyond \[m\].
    pub(crate) fn boxes(&self) -> (&[f64], &[f64]) {
        (&self.limit, &self.padding)
    }

    /// Distance that a surface point of each body can cover in a step by its own motion, relative to the crowd.
    fn measure_own(&self, bodies: &Bodies<'_>, Ahead { dt, speed_gain }: Ahead, into: &mut Contacts) {
        let (asked, crowd) = (&self.asked, into.crowd);
        let own = |i: usize| {
            if !bodies.present[i] {
                return 0.0;
            }
            // Who sleeps may wake within the step.
            let gain = if bodies.dynamic[i] { speed_gain } else { 0.0 };
            let own = way(bodies, i, &bodies.velocity[i], crowd, dt) + dt * gain;
            asked.get(i).map_or(own, |asked| own.max(*asked))
        };
        parallel::fill(&mut into.own, bodies.len(), &own);
    }

    /// How far the boxes of the broad phase reach beyond those of the bodies.
    fn measure_boxes(&mut self, bodies: &Bodies<'_>, own: &[f64]) {
        let fastest = parallel::largest(own, &|own| *own);
        let radius = mean_radius(bodies);
        // What a hit could make of a body within the step, but never so much that one fast body fills the list.
        let limit = |i: usize| own[i].max(if bodies.dynamic[i] { fastest.min(0.5 * bodies.radius[i]) } else { 0.0 });
        parallel::fill(&mut self.limit, bodies.len(), &limit);
        let padding = |i: usize| {
            let share = if bodies.extent[i] == f64::INFINITY { UNBOUNDED_PADDING } else { PADDING };
            share * radius + (STEPS_AHEAD * own[i]).min(FAST_PADDING * radius)
        };
        parallel::fill(&mut self.padding, bodies.len(), &padding);
    }

    /// A resting body that is hit in this step moves in this step: each reaches as far as its fastest neighbour.
    pub(crate) fn raise(&mut self, pairs: &PairList, into: &mut Contacts) {
        let own = &into.own;
        self.highest.fill(own.len(), &|i| own[i]);
        let Reach { highest, limit, .. } = &*self;
        parallel::for_each(pairs.pairs().par_iter(), |(a, b)| {
            let (a, b) = (*a as usize, *b as usize);
            highest.raise(a, own[b].min(limit[a]));
            highest.raise(b, own[a].min(limit[b]));
        });
        parallel::fill(&mut into.reach, into.own.len(), &|i| highest.get(i));
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
        let Contacts { crowd, reach, .. } = contacts;
        let further = |i: usize| {
            let needed = way(bodies, i, &velocities[i], *crowd, dt);
            (bodies.awake(i) && needed > reach[i] + bodies.half_width[i]).then_some(needed)
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

impl Contacts {
    /// Whether bodies may move further within `dt` \[s\] than contacts were looked for; velocities are those with the
    /// forces of the step.
    pub(crate) fn is_short(&self, bodies: &Bodies<'_>, dt: f64) -> bool {
        if self.own.len() != bodies.len() {
            return true;
        }
        let crowd = self.crowd;
        let short = |range: std::ops::Range<usize>| {
            range
                .filter(|i| bodies.present[*i] && way(bodies, *i, &bodies.velocity[*i], crowd, dt) > self.own[*i])
                .count()
        };
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

/// Distance that it covers in a step of `dt` \[s\] by the velocity `transport` of its move \[m\].
pub(crate) fn way_moved(bodies: &Bodies<'_>, transport: &[Velocity], i: usize, dt: f64) -> f64 {
    way(bodies, i, &transport[i], DVec3::ZERO, dt)
}
