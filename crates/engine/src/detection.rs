//! Phases `broadphase` and `narrowphase`: which bodies may meet in the coming step, and where.
//!
//! Contacts are found up to a margin before touch, so that one that closes within the step is known to the solver and
//! no body tunnels. The margin of a pair is the distance that its bodies can cover in a step, where a body counts as
//! fast as the fastest of its neighbours: a resting body that is hit in this step moves in this step.

use granule_broadphase::{BroadPhase, BroadPhaseInput};
use granule_geometry::{balls, contacts, passage};
use granule_model::{ContactPoint, DVec3, Pose, Velocity};
use granule_solver::make_room;
use rayon::prelude::*;

use crate::bodies::Bodies;
use crate::parallel::{self, Highest};

/// A contact of the current poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// Dense index of body A, the lower one.
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) feature: u32,
    pub(crate) point: DVec3,
    pub(crate) normal: DVec3,
    pub(crate) gap: f64,
    /// Smaller of the two equal-volume radii: the scale of overlap as it is told \[m\].
    pub(crate) radius: f64,
    /// The smaller of `radius` and half the width of the thinner piece that touches: the scale by which overlap is
    /// judged \[m\].
    pub(crate) thickness: f64,
}

/// The mean force that a contact carries over a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Carried {
    /// \[N\]
    pub(crate) normal: f64,
    /// \[N\]
    pub(crate) tangential: DVec3,
}

impl Carried {
    /// That times `scale`: with the length of a step its impulse \[N s\].
    pub(crate) fn scaled(self, scale: f64) -> Self {
        Carried { normal: scale * self.normal, tangential: self.tangential * scale }
    }
}

impl Contact {
    /// Gap up to which a contact counts as touching in counts and in sleep, over its thickness. Position passes leave
    /// gaps of a tenth of it.
    const TOUCH: f64 = 1e-2;

    /// Velocity of A against B along the normal for the given velocities of the bodies \[m/s\]; negative while
    /// approaching.
    pub(crate) fn normal_velocity(&self, bodies: &Bodies, velocities: &[Velocity]) -> f64 {
        let at = |i: u32| velocities[i as usize].at(self.point - bodies.pose[i as usize].position);
        self.normal.dot(at(self.a) - at(self.b))
    }

    /// Relative velocity of its bodies at the point \[m/s\].
    pub(crate) fn speed(&self, bodies: &Bodies) -> f64 {
        let at = |i: u32| bodies.velocity[i as usize].at(self.point - bodies.pose[i as usize].position);
        (at(self.a) - at(self.b)).length()
    }

    /// A point of a pair of bodies, the smaller of equal-volume radius `radius` \[m\].
    fn of((a, b): (u32, u32), p: &ContactPoint, radius: f64) -> Self {
        let ContactPoint { point, normal, gap, feature, half_width } = *p;
        Contact { a, b, feature, point, normal, gap, radius, thickness: radius.min(half_width) }
    }

    pub(crate) fn touches(&self) -> bool {
        self.gap <= Self::TOUCH * self.thickness
    }

    /// Whether it touches or is about to.
    pub(crate) fn is_near(&self) -> bool {
        self.gap <= SLACK * self.thickness
    }

    /// Overlap over the thickness \[-\]; negative where the bodies are apart.
    pub(crate) fn depth(&self) -> f64 {
        -self.gap / self.thickness
    }
}

/// Pairs that one task of the narrow phase takes: small enough to share out a few hundred pairs, large enough to hide
/// the hand-over. Fixed, so that no result depends on the number of threads.
const CHUNK: usize = 128;
/// Contacts to which a task hands on what was carried.
const INHERITED: usize = 4096;
/// Margin beyond the distance that can be covered, over the thickness: keeps a resting contact in the list while it
/// hovers around touch.
pub(crate) const SLACK: f64 = 0.02;
/// Extra size of the boxes of the broad phase, over a mean of the radii, so that its list lives for many steps.
///
/// The mean is `(mean R^-3)^(-1/3)`. A share f of all bodies that are of radius r makes it at most `r f^(-1/3)`, so
/// that each of them, packed as densely as may be, has about `(1 + PADDING f^(-1/3))^3` others in reach, all of them
/// together less than a few for every body of the world, be they dust among boulders or a boulder among dust. With the
/// plain mean, a thousand grains of 1/100 of the radius of a thousand boulders had 600 pairs each.
const PADDING: f64 = 0.15;
/// The same for a half-space, whose pairs are few: seen from a crowd that flies, the floor moves.
const UNBOUNDED_PADDING: f64 = 2.5;
/// Steps of its own motion for which a fast body gets more, and the most that it gets, over the mean radius. While 10
/// 000 spheres fall the list is made anew in every third step instead of every one, which saves a third of the phase;
/// with four steps as much, but a layer that lands on a rising floor has three times the pairs.
const STEPS_AHEAD: f64 = 2.0;
const FAST_PADDING: f64 = 0.4;

/// What a body is given beyond the reach that it turned out to need: the next attempt may carry it a little further.
const REACH_FURTHER: f64 = 1.25;

/// Square of the mean velocity over the mean of its square beyond which bodies move together.
const TOGETHER: f64 = 0.5;

/// Tasks that run between two copies of what they found: enough for any number of threads, and so few that what they
/// hold stays in the caches. Without that the contacts of 10 000 spheres took 510 bytes a body twice.
const TASKS: usize = 256;

/// What pairs ask of a body, in one line of the cache: two balls need no more.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Face {
    centre: DVec3,
    /// Radius of a ball \[m\]; zero for another shape.
    ball: f64,
    /// Equal-volume radius \[m\].
    radius: f64,
    /// Distance that its surface may cover, or be asked to by a neighbour \[m\].
    reach: f64,
    is_awake: bool,
    is_dynamic: bool,
    /// Driven, and not standing: it meets sleepers.
    drives: bool,
    /// Left out of the step.
    apart: bool,
}

impl Face {
    fn of(bodies: &Bodies, i: usize, reach: f64) -> Self {
        Face {
            centre: bodies.pose[i].position,
            ball: if bodies.round[i] { bodies.extent[i] } else { 0.0 },
            radius: bodies.radius[i],
            reach,
            is_awake: bodies.awake(i),
            is_dynamic: bodies.dynamic[i],
            drives: bodies.movable[i] && !bodies.dynamic[i] && bodies.velocity[i] != Velocity::ZERO,
            apart: bodies.apart[i],
        }
    }
}

/// How most bodies move, where they move together: who lies within reach of whom is then asked relative to them. Zero
/// where they do not. Sleepers count as bodies that do not move: seen from the only one awake, in a long fall, all
/// others would fly past each other.
#[derive(Clone, Copy, Debug, Default)]
struct Crowd {
    /// Mean velocity \[m/s\].
    velocity: DVec3,
    /// Mean place \[m\].
    place: DVec3,
}

impl Crowd {
    fn of(bodies: &Bodies) -> Self {
        let dynamic = |i: &usize| bodies.dynamic[*i] && bodies.present[*i];
        let sums = parallel::sum(0..bodies.len(), &|range| {
            range.filter(dynamic).fold(Sums::default(), |sum, i| {
                let (velocity, place) = (bodies.velocity[i].linear, bodies.pose[i].position);
                sum + Sums { count: 1.0, velocity, place, speed_squared: velocity.length_squared() }
            })
        });
        let mean = 1.0 / sums.count.max(1.0);
        let (velocity, place) = (sums.velocity * mean, sums.place * mean);
        if velocity.length_squared() > TOGETHER * mean * sums.speed_squared {
            Crowd { velocity, place }
        } else {
            Crowd::default()
        }
    }
}

/// Sums over bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    velocity: DVec3,
    place: DVec3,
    speed_squared: f64,
}

impl std::ops::Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Sums {
            count: self.count + other.count,
            velocity: self.velocity + other.velocity,
            place: self.place + other.place,
            speed_squared: self.speed_squared + other.speed_squared,
        }
    }
}

/// Scratch of one task of the narrow phase.
#[derive(Debug, Default)]
struct Task {
    points: Vec<ContactPoint>,
    found: Vec<Contact>,
}

/// Detection with the memory that it keeps from step to step.
#[derive(Debug, Default)]
pub(crate) struct Detection {
    broadphase: BroadPhase,
    /// Distance that each body may cover, for which the current contacts were looked for; and the same of those before
    /// the last search \[m\].
    own: Vec<f64>,
    own_before: Vec<f64>,
    reach: Highest,
    limit: Vec<f64>,
    padding: Vec<f64>,
    faces: Vec<Face>,
    tasks: Vec<Task>,
    /// Contacts of the current poses, in the order of the pairs.
    pub(crate) contacts: Vec<Contact>,
    /// What their forerunners carried in the last step, for each of them.
    pub(crate) carried: Vec<Carried>,
    /// What they carry in the step that is under way, once it is solved; empty before.
    pub(crate) carrying: Vec<Carried>,
    /// Contacts before the last search, with what was carried then: those to go back to when a step is undone.
    pub(crate) previous: Vec<Contact>,
    previous_carried: Vec<Carried>,
    /// Reach with which the contacts of each body were looked for while it was awake last \[m\].
    searched: Vec<f64>,
    /// How the crowd moved when reaches were measured last \[m/s\].
    crowd: DVec3,
    /// Reach that each body is to have at least \[m\]; empty where nothing is asked.
    asked: Vec<f64>,
    /// How far the surface of each body moves in the step, where one of them moves far \[m\].
    ways: Vec<f64>,
    /// Contacts of convex bodies that went through each other in the step.
    crossed: Vec<Contact>,
    /// True when bodies were added, removed or moved since the contacts were found.
    pub(crate) stale: bool,
}

impl Detection {
    /// Forgets the candidate pairs: a body was added or removed.
    pub(crate) fn invalidate(&mut self) {
        self.broadphase.invalidate();
        self.stale = true;
    }

    /// Drops what is known of bodies that were taken out; all others keep their pairs, and their contacts with what
    /// these carry.
    pub(crate) fn forget(&mut self, gone: &[u32], present: &[bool]) {
        self.broadphase.forget(gone);
        let mut kept = 0;
        for k in 0..self.contacts.len() {
            let c = self.contacts[k];
            if present[c.a as usize] && present[c.b as usize] {
                self.contacts[kept] = c;
                self.carried[kept] = self.carried[k];
                if let Some(carrying) = self.carrying.get(k).copied() {
                    self.carrying[kept] = carrying;
                }
                kept += 1;
            }
        }
        self.contacts.truncate(kept);
        self.carried.truncate(kept);
        self.carrying.truncate(kept);
    }

    /// Whether a contact with a body is known, or contacts are not known at all.
    pub(crate) fn may_touch(&self, body: usize) -> bool {
        self.stale || self.contacts.iter().any(|c| c.a as usize == body || c.b as usize == body)
    }

    /// Number of candidate pairs.
    pub(crate) fn pair_count(&self) -> usize {
        self.broadphase.pairs().len()
    }

    /// Phase `broadphase`; `speed_gain` is the speed that forces add in a step \[m/s\].
    pub(crate) fn find_pairs(&mut self, bodies: &Bodies, dt: f64, speed_gain: f64) {
        let crowd = Crowd::of(bodies);
        self.crowd = crowd.velocity;
        self.measure_reach(bodies, crowd.velocity, dt, speed_gain);
        self.measure_boxes(bodies);
        let Bodies { boxes, movable, present, round, .. } = bodies;
        let input = BroadPhaseInput { boxes, movable, present, round, origin: crowd.place };
        self.broadphase.update(&input, &self.limit, &self.padding);
        self.raise_reach();
    }

    /// A resting body that is hit in this step moves in this step: each reaches as far as its fastest neighbour.
    fn raise_reach(&mut self) {
        let own = &self.own;
        self.reach.fill(own.len(), &|i| own[i]);
        let Detection { broadphase, own, limit, reach, .. } = &*self;
        parallel::for_each(broadphase.pairs().par_iter(), |(a, b)| {
            let (a, b) = (*a as usize, *b as usize);
            reach.raise(a, own[b].min(limit[a]));
            reach.raise(b, own[a].min(limit[b]));
        });
    }

    /// How far the boxes of the broad phase reach beyond those of the bodies.
    fn measure_boxes(&mut self, bodies: &Bodies) {
        let fastest = parallel::largest(&self.own, &|own| *own);
        let dynamic = |i: &usize| bodies.dynamic[*i] && bodies.present[*i];
        let inverse_cube = |i: usize| 1.0 / (bodies.radius[i] * bodies.radius[i] * bodies.radius[i]);
        let all = 0..bodies.len();
        let sum = parallel::sum(all.clone(), &|range| range.filter(dynamic).map(inverse_cube).sum::<f64>());
        let count = parallel::sum(all, &|range| range.filter(dynamic).count());
        let radius = libm::cbrt(count.max(1) as f64 / sum.max(f64::MIN_POSITIVE));
        let own = &self.own;
        // What a hit could make of a body within the step, but never so much that one fast body fills the list.
        let limit = |i: usize| own[i].max(if bodies.dynamic[i] { fastest.min(0.5 * bodies.radius[i]) } else { 0.0 });
        parallel::fill(&mut self.limit, bodies.len(), &limit);
        let padding = |i: usize| {
            let share = if bodies.extent[i] == f64::INFINITY { UNBOUNDED_PADDING } else { PADDING };
            share * radius + (STEPS_AHEAD * own[i]).min(FAST_PADDING * radius)
        };
        parallel::fill(&mut self.padding, bodies.len(), &padding);
    }

    /// Distance that a surface point of each body can cover in a step by its own motion, relative to what moves with
    /// `velocity`.
    fn measure_reach(&mut self, bodies: &Bodies, velocity: DVec3, dt: f64, speed_gain: f64) {
        std::mem::swap(&mut self.own, &mut self.own_before);
        self.own.resize(bodies.len(), 0.0);
        let asked = &self.asked;
        parallel::for_each(self.own.par_iter_mut().enumerate(), |(i, own)| {
            if !bodies.present[i] {
                *own = 0.0;
                return;
            }
            let v = &bodies.velocity[i];
            // Who sleeps may wake within the step.
            let gain = if bodies.dynamic[i] { speed_gain } else { 0.0 };
            *own = way(bodies, i, v, velocity, dt) + dt * gain;
            if let Some(asked) = asked.get(i) {
                *own = own.max(*asked);
            }
        });
    }

    /// Phase `narrowphase`: contacts at the current poses, with what those found before carried.
    pub(crate) fn find_contacts(&mut self, bodies: &Bodies) {
        self.find_contacts_of(bodies, |_| true);
    }

    /// The same where only bodies for which `moved` holds have moved since: all other pairs keep their contacts.
    pub(crate) fn find_contacts_of(&mut self, bodies: &Bodies, moved: impl Fn(u32) -> bool + Sync) {
        std::mem::swap(&mut self.contacts, &mut self.previous);
        std::mem::swap(&mut self.carried, &mut self.previous_carried);
        self.search(bodies, moved);
        self.carrying.clear();
        self.stale = false;
    }

    /// Contacts before the last search, with what they carried then.
    pub(crate) fn before(&self) -> (&[Contact], &[Carried]) {
        (&self.previous, &self.previous_carried)
    }

    /// Makes these contacts, with what they carry, the current ones.
    pub(crate) fn put_back(&mut self, contacts: &[Contact], carried: &[Carried]) {
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.carried.clear();
        self.carried.extend_from_slice(carried);
        self.carrying.clear();
        // For what they were looked for is not known any more.
        self.own.clear();
    }

    /// Adds the contacts of bodies that went through a mesh since their poses were `before`: on the other side of a
    /// surface without inside a body lies like any other.
    pub(crate) fn find_passages(&mut self, bodies: &Bodies, before: &[Pose]) {
        let is_mesh = |i: u32| bodies.meshes.binary_search(&i).is_ok();
        for (a, b) in self.broadphase.pairs() {
            let moves = bodies.awake(*a as usize) || bodies.awake(*b as usize);
            if !moves || !(is_mesh(*a) || is_mesh(*b)) {
                continue;
            }
            let [i, j] = [*a as usize, *b as usize];
            let poses = |i: usize| [&before[i], &bodies.pose[i]];
            if let Some(p) = passage(&bodies.shape[i], poses(i), &bodies.shape[j], poses(j)) {
                let contact = Contact::of((*a, *b), &p, bodies.radius[i].min(bodies.radius[j]));
                insert(&mut self.contacts, &mut self.carried, contact);
            }
        }
    }

    /// Whether a body may move further within `dt` \[s\] than its thinnest piece is thick by half, so that it could
    /// come through another one.
    pub(crate) fn may_cross(&mut self, bodies: &Bodies, dt: f64) -> bool {
        self.crossed.clear();
        let way = |i: usize| way_moved(bodies, i, dt);
        let far = |range: std::ops::Range<usize>| range.filter(|i| way(*i) > bodies.half_width[*i]).count();
        if parallel::sum(0..bodies.len(), &far) == 0 {
            return false;
        }
        parallel::fill(&mut self.ways, bodies.len(), &way);
        true
    }

    /// Finds the contacts of convex bodies that went through each other since their poses were `before`, after the move
    /// and before the pairs are looked for anew: those that may meet in the step are known.
    pub(crate) fn find_crossings(&mut self, bodies: &Bodies, before: &[Pose]) {
        let ways = &self.ways;
        let crosses = |(a, b): &(u32, u32)| {
            let [i, j] = [*a as usize, *b as usize];
            let moves = bodies.awake(i) || bodies.awake(j);
            let is_left_out = bodies.apart[i] || bodies.apart[j] || (bodies.round[i] && bodies.round[j]);
            // What has no width has no inside either.
            if !moves || is_left_out || ways[i] + ways[j] <= bodies.half_width[i] + bodies.half_width[j] {
                return None;
            }
            let poses = |i: usize| [&before[i], &bodies.pose[i]];
            let point = passage(&bodies.shape[i], poses(i), &bodies.shape[j], poses(j))?;
            Some(Contact::of((*a, *b), &point, bodies.radius[i].min(bodies.radius[j])))
        };
        self.crossed.extend(self.broadphase.pairs().iter().filter_map(crosses));
    }

    /// Adds them to the contacts of the poses now.
    pub(crate) fn add_crossings(&mut self) {
        for contact in self.crossed.drain(..) {
            insert(&mut self.contacts, &mut self.carried, contact);
        }
    }

    /// Whether bodies may move further within `dt` \[s\] than contacts were looked for; velocities are those with the
    /// forces of the step.
    pub(crate) fn is_short(&self, bodies: &Bodies, dt: f64) -> bool {
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
    pub(crate) fn is_known(&self, bodies: &Bodies, woken: &[u32]) -> bool {
        let dynamic = (0..bodies.len()).filter(|i| bodies.dynamic[*i] && bodies.present[*i]);
        let slack = 0.5 * SLACK * dynamic.map(|i| bodies.radius[i]).fold(f64::INFINITY, f64::min);
        woken.iter().all(|i| self.reach.get(*i as usize) <= self.searched[*i as usize] + slack)
    }

    /// Forgets how far it was looked around the body `i`.
    pub(crate) fn forget_reach(&mut self, i: usize) {
        if let Some(searched) = self.searched.get_mut(i) {
            *searched = 0.0;
        }
    }

    /// Asks for more reach for bodies that `velocities` carry through another one that is not listed: further than
    /// their reach by half the width of their thinnest piece. Whether there are any.
    pub(crate) fn ask_for_reach(&mut self, bodies: &Bodies, velocities: &[Velocity], dt: f64) -> bool {
        let (crowd, reach) = (self.crowd, &self.reach);
        let further = |i: usize| {
            let needed = way(bodies, i, &velocities[i], crowd, dt);
            (bodies.awake(i) && needed > reach.get(i) + bodies.half_width[i]).then_some(needed)
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

    /// Takes the contacts of the last search out that no body of `group` has a part in, with what they carry. Those of
    /// the group from before it become the current ones, but for those with bodies that stay `apart`.
    pub(crate) fn part(
        &mut self,
        group: &[bool],
        apart: &[bool],
        others: &mut Vec<Contact>,
        forces: &mut Vec<Carried>,
    ) {
        let of_group = |c: &Contact| group[c.a as usize] || group[c.b as usize];
        let is_left_out = |c: &Contact| apart[c.a as usize] || apart[c.b as usize];
        others.clear();
        forces.clear();
        for (c, carried) in self.contacts.iter().zip(&self.carried).filter(|(c, _)| !of_group(c)) {
            others.push(*c);
            forces.push(*carried);
        }
        self.contacts.clear();
        self.carried.clear();
        let before = self.previous.iter().zip(&self.previous_carried);
        for (c, carried) in before.filter(|(c, _)| of_group(c) && !is_left_out(c)) {
            self.contacts.push(*c);
            self.carried.push(*carried);
        }
        std::mem::swap(&mut self.own, &mut self.own_before);
        self.carrying.clear();
    }

    /// Joins the contacts of a group with those of the others, pair by pair.
    pub(crate) fn join(&mut self, others: &[Contact], forces: &[Carried]) {
        self.previous.clear();
        self.previous_carried.clear();
        let mut k = 0;
        for (c, carried) in self.contacts.iter().zip(&self.carried) {
            while k < others.len() && (others[k].a, others[k].b) < (c.a, c.b) {
                self.previous.push(others[k]);
                self.previous_carried.push(forces[k]);
                k += 1;
            }
            self.previous.push(*c);
            self.previous_carried.push(*carried);
        }
        self.previous.extend_from_slice(&others[k..]);
        self.previous_carried.extend_from_slice(&forces[k..]);
        self.contacts.clone_from(&self.previous);
        self.carried.clone_from(&self.previous_carried);
    }

    /// Overlap of a pair before the last search, over its thickness: the deepest of its contacts, 0 or more \[-\].
    pub(crate) fn depth_before(&self, a: u32, b: u32) -> f64 {
        let first = self.previous.partition_point(|c| (c.a, c.b) < (a, b));
        let of_pair = self.previous[first..].iter().take_while(|c| (c.a, c.b) == (a, b));
        of_pair.map(Contact::depth).fold(0.0, f64::max)
    }

    /// Makes the contacts before the last search the current ones again.
    pub(crate) fn go_back(&mut self) {
        std::mem::swap(&mut self.contacts, &mut self.previous);
        std::mem::swap(&mut self.carried, &mut self.previous_carried);
        std::mem::swap(&mut self.own, &mut self.own_before);
        self.carrying.clear();
    }

    fn search(&mut self, bodies: &Bodies, moved: impl Fn(u32) -> bool + Sync) {
        let reach = &self.reach;
        self.searched.resize(bodies.len(), 0.0);
        for i in (0..bodies.len()).filter(|i| bodies.awake(*i)) {
            self.searched[i] = reach.get(i);
        }
        parallel::fill(&mut self.faces, bodies.len(), &|i| Face::of(bodies, i, reach.get(i)));
        let pairs = self.broadphase.pairs();
        if self.tasks.is_empty() {
            self.tasks.resize_with(TASKS, Task::default);
        }
        let (faces, known) = (&self.faces, &self.previous);
        let work = |(pairs, task): (&[(u32, u32)], &mut Task)| {
            task.found.clear();
            // Both lists are in pair order: what is known is searched for once, and then followed.
            let mut known =
                pairs.first().map_or(&[][..], |pair| &known[known.partition_point(|c| (c.a, c.b) < *pair)..]);
            for (a, b) in pairs {
                let pair = [&faces[*a as usize], &faces[*b as usize]];
                if pair.iter().any(|face| face.apart) {
                    continue;
                }
                if may_change(pair) && (moved(*a) || moved(*b)) {
                    pair_contacts(bodies, (*a, *b), pair, task);
                } else {
                    known = keep_contacts(known, (*a, *b), task);
                }
            }
        };
        self.contacts.clear();
        for batch in pairs.chunks(TASKS * CHUNK) {
            let of_tasks = &mut self.tasks[..batch.len().div_ceil(CHUNK)];
            if of_tasks.len() > 1 {
                batch.par_chunks(CHUNK).zip(of_tasks.par_iter_mut()).for_each(work);
            } else {
                batch.chunks(CHUNK).zip(of_tasks.iter_mut()).for_each(work);
            }
            let found: usize = of_tasks.iter().map(|task| task.found.len()).sum();
            let count = self.contacts.len() + found;
            make_room(&mut self.contacts, count);
            of_tasks.iter().for_each(|task| self.contacts.extend_from_slice(&task.found));
        }
        let before = if self.carrying.is_empty() { &self.previous_carried } else { &self.carrying };
        make_room(&mut self.carried, self.contacts.len());
        self.carried.resize(self.contacts.len(), Carried::default());
        let pieces = self.contacts.par_chunks(INHERITED).zip(self.carried.par_chunks_mut(INHERITED));
        if self.contacts.len() > INHERITED {
            pieces.for_each(|(contacts, carried)| inherit(&self.previous, before, contacts, carried));
        } else {
            inherit(&self.previous, before, &self.contacts, &mut self.carried);
        }
    }
}

/// Adds a contact that carried nothing before, where its pair belongs.
fn insert(contacts: &mut Vec<Contact>, carried: &mut Vec<Carried>, contact: Contact) {
    let place = contacts.partition_point(|c| (c.a, c.b) <= (contact.a, contact.b));
    contacts.insert(place, contact);
    carried.insert(place, Carried::default());
}

/// Whether the contacts of a pair may have changed: one of the two is awake, or a driven body comes to a sleeper.
fn may_change([x, y]: [&Face; 2]) -> bool {
    x.is_awake || y.is_awake || (x.drives && y.is_dynamic) || (y.drives && x.is_dynamic)
}

/// Distance that the surface of a body covers in `dt` \[s\] at the velocity `v`, seen from what moves with `crowd`
/// \[m\].
fn way(bodies: &Bodies, i: usize, v: &Velocity, crowd: DVec3, dt: f64) -> f64 {
    // A sphere's surface does not move by its spin, and that of a half-space has no end.
    let still = bodies.round[i] || !bodies.movable[i] || bodies.extent[i] == f64::INFINITY;
    let spin = if still { 0.0 } else { v.angular.length() * bodies.extent[i] };
    dt * ((v.linear - crowd).length() + spin)
}

/// Distance that it covers in a step of `dt` \[s\] that has been made \[m\].
pub(crate) fn way_moved(bodies: &Bodies, i: usize, dt: f64) -> f64 {
    way(bodies, i, &bodies.transport[i], DVec3::ZERO, dt)
}

/// Contacts of a pair of sleepers as they were: their impulses are wanted when one of them wakes. Returns what is known
/// behind them.
fn keep_contacts<'a>(known: &'a [Contact], pair: (u32, u32), task: &mut Task) -> &'a [Contact] {
    let before = known.iter().take_while(|c| (c.a, c.b) < pair).count();
    let count = known[before..].iter().take_while(|c| (c.a, c.b) == pair).count();
    let (kept, behind) = known[before..].split_at(count);
    task.found.extend_from_slice(kept);
    behind
}

/// Contacts of one pair.
fn pair_contacts(bodies: &Bodies, (a, b): (u32, u32), [x, y]: [&Face; 2], task: &mut Task) {
    let radius = x.radius.min(y.radius);
    let margin = x.reach + y.reach + SLACK * radius;
    let contact = |p: &ContactPoint| Contact::of((a, b), p, radius);
    let Task { points, found } = task;
    if x.ball > 0.0 && y.ball > 0.0 {
        let point = balls(x.centre, x.ball, y.centre, y.ball, margin);
        found.extend(point.as_ref().map(contact));
        return;
    }
    let (i, j) = (a as usize, b as usize);
    let (box_a, box_b) = (&bodies.boxes[i], &bodies.boxes[j]);
    if !box_a.padded(margin).overlaps(box_b) {
        return;
    }
    points.clear();
    contacts(&bodies.shape[i], &bodies.pose[i], &bodies.shape[j], &bodies.pose[j], margin, points);
    found.extend(points.iter().map(contact));
}

/// Hands what was carried on to the contacts between the same features. Both lists are in pair order.
fn inherit(previous: &[Contact], before: &[Carried], contacts: &[Contact], carried: &mut [Carried]) {
    let Some(first) = contacts.first() else { return };
    let mut start = previous.partition_point(|p| (p.a, p.b) < (first.a, first.b));
    for (contact, carried) in contacts.iter().zip(carried) {
        let pair = (contact.a, contact.b);
        while start < previous.len() && (previous[start].a, previous[start].b) < pair {
            start += 1;
        }
        let same_pair = previous[start..].iter().zip(&before[start..]).take_while(|(p, _)| (p.a, p.b) == pair);
        let same = same_pair.into_iter().find(|(p, _)| p.feature == contact.feature);
        *carried = same.map_or(Carried::default(), |(_, c)| *c);
    }
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;

    use super::*;

    /// Two balls that overlap a little.
    fn balls() -> Bodies {
        let shape = Shape::sphere(0.5).expect("the radius is valid");
        let pose = [0.0, 0.999].map(|x| Pose { position: DVec3::X * x, ..Pose::IDENTITY });
        Bodies {
            boxes: pose.iter().map(|pose| shape.aabb(pose)).collect(),
            pose: pose.to_vec(),
            velocity: vec![Velocity::ZERO; 2],
            dynamic: vec![true; 2],
            movable: vec![true; 2],
            present: vec![true; 2],
            asleep: vec![false; 2],
            apart: vec![false; 2],
            half_width: vec![0.5; 2],
            round: vec![true; 2],
            extent: vec![0.5; 2],
            radius: vec![0.5; 2],
            shape: vec![shape; 2],
            ..Bodies::default()
        }
    }

    /// Whoever wakes has the contacts searched for once more. When that search started from what was carried a step
    /// before, no impulse of a pack in which something woke in every step got any further: 10 000 spheres of which ten
    /// slept sank into each other.
    #[test]
    fn a_second_search_hands_on_what_the_first_one_did() {
        let (bodies, mut detection) = (balls(), Detection::default());
        detection.find_pairs(&bodies, 0.01, 0.0);
        detection.find_contacts(&bodies);
        let carries = |detection: &Detection| detection.carried.iter().map(|c| c.normal).collect::<Vec<_>>();
        assert_eq!(carries(&detection), [0.0]);
        detection.carrying = vec![Carried { normal: 7.0, ..Carried::default() }];
        detection.find_contacts(&bodies);
        assert_eq!(carries(&detection), [7.0]);
        detection.find_contacts(&bodies);
        assert_eq!(carries(&detection), [7.0], "without a step between nothing is lost");
    }
}
