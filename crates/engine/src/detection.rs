//! Phases `broadphase` and `narrowphase`: which bodies may meet in the coming step, and where.
//!
//! Contacts are found up to a margin before touch, so that one that closes within the step is known to the solver and no
//! body tunnels. The margin of a pair is the distance that its bodies can cover in a step, where a body counts as fast as
//! the fastest of its neighbours: a resting body that is hit in this step moves in this step.

use granule_broadphase::{BroadPhase, BroadPhaseInput};
use granule_geometry::{balls, contacts};
use granule_model::{ContactPoint, DVec3, Velocity};
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
    /// Smaller of the two equal-volume radii: the scale of overlap.
    pub(crate) radius: f64,
}

/// The impulse that a contact carries in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Carried {
    /// \[N s\]
    pub(crate) normal: f64,
    /// \[N s\]
    pub(crate) tangential: DVec3,
}

impl Carried {
    /// The same in a step of another length.
    pub(crate) fn scaled(self, scale: f64) -> Self {
        Carried { normal: scale * self.normal, tangential: self.tangential * scale }
    }
}

impl Contact {
    /// Gap up to which a contact counts as touching in counts and in sleep, over the smaller radius. Position passes leave
    /// gaps of a tenth of it.
    const TOUCH: f64 = 1e-2;

    /// Velocity of A against B along the normal for the given velocities of the bodies \[m/s\]; negative while approaching.
    pub(crate) fn normal_velocity(&self, bodies: &Bodies, velocities: &[Velocity]) -> f64 {
        let at = |i: u32| velocities[i as usize].at(self.point - bodies.pose[i as usize].position);
        self.normal.dot(at(self.a) - at(self.b))
    }

    /// Relative velocity of its bodies at the point \[m/s\].
    pub(crate) fn speed(&self, bodies: &Bodies) -> f64 {
        let at = |i: u32| bodies.velocity[i as usize].at(self.point - bodies.pose[i as usize].position);
        (at(self.a) - at(self.b)).length()
    }

    pub(crate) fn touches(&self) -> bool {
        self.gap <= Self::TOUCH * self.radius
    }
}

/// Pairs that one task of the narrow phase takes: small enough to share out a few hundred pairs, large enough to hide the
/// hand-over. Fixed, so that no result depends on the number of threads.
const CHUNK: usize = 128;
/// Contacts to which a task hands on what was carried.
const INHERITED: usize = 4096;
/// Margin beyond the distance that can be covered, over the smaller radius: keeps a resting contact in the list while it
/// hovers around touch.
pub(crate) const SLACK: f64 = 0.02;
/// Extra size of the boxes of the broad phase, over a mean of the radii, so that its list lives for many steps.
///
/// The mean is `(mean R^-3)^(-1/3)`. A share f of all bodies that are of radius r makes it at most `r f^(-1/3)`, so that each of them, packed as
/// densely as may be, has about `(1 + PADDING f^(-1/3))^3` others in reach, all of them together less than a few for every body of the world,
/// be they dust among boulders or a boulder among dust. With the plain mean, a thousand grains of 1/100 of the radius of a thousand boulders
/// had 600 pairs each.
const PADDING: f64 = 0.15;
/// The same for a half-space, whose pairs are few: seen from a crowd that flies, the floor moves.
const UNBOUNDED_PADDING: f64 = 2.5;
/// Steps of its own motion for which a fast body gets more, and the most that it gets, over the mean radius. While 10 000 spheres fall the
/// list is made anew in every third step instead of every one, which saves a third of the phase; with four steps as much, but
/// a layer that lands on a rising floor has three times the pairs.
const STEPS_AHEAD: f64 = 2.0;
const FAST_PADDING: f64 = 0.4;

/// Square of the mean velocity over the mean of its square beyond which bodies move together.
const TOGETHER: f64 = 0.5;

/// Tasks that run between two copies of what they found: enough for any number of threads, and so few that what they hold stays in
/// the caches. Without that the contacts of 10 000 spheres took 510 bytes a body twice.
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
}

impl Face {
    fn of(bodies: &Bodies, i: usize, reach: f64) -> Self {
        Face {
            centre: bodies.pose[i].position,
            ball: if bodies.round[i] { bodies.extent[i] } else { 0.0 },
            radius: bodies.radius[i],
            reach,
            is_awake: bodies.awake(i),
        }
    }
}

/// How most bodies move, where they move together: who lies within reach of whom is then asked relative to them. Zero where they do not.
#[derive(Clone, Copy, Debug, Default)]
struct Crowd {
    /// Mean velocity \[m/s\].
    velocity: DVec3,
    /// Mean place \[m\].
    place: DVec3,
}

impl Crowd {
    fn of(bodies: &Bodies) -> Self {
        let awake = |i: &usize| bodies.awake(*i) && bodies.present[*i];
        let sums = parallel::sum(0..bodies.len(), &|range| {
            range.filter(awake).fold(Sums::default(), |sum, i| {
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
    own: Vec<f64>,
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
    previous: Vec<Contact>,
    previous_carried: Vec<Carried>,
    /// True when bodies were added, removed or moved since the contacts were found.
    pub(crate) stale: bool,
}

impl Detection {
    /// Forgets the candidate pairs: a body was added or removed.
    pub(crate) fn invalidate(&mut self) {
        self.broadphase.invalidate();
        self.stale = true;
    }

    /// Number of candidate pairs.
    pub(crate) fn pair_count(&self) -> usize {
        self.broadphase.pairs().len()
    }

    /// Phase `broadphase`; `speed_gain` is the speed that forces add in a step \[m/s\].
    pub(crate) fn find_pairs(&mut self, bodies: &Bodies, dt: f64, speed_gain: f64) {
        let crowd = Crowd::of(bodies);
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

    /// Distance that a surface point of each body can cover in a step by its own motion, relative to what moves with `velocity`.
    fn measure_reach(&mut self, bodies: &Bodies, velocity: DVec3, dt: f64, speed_gain: f64) {
        self.own.resize(bodies.len(), 0.0);
        parallel::for_each(self.own.par_iter_mut().enumerate(), |(i, own)| {
            if !bodies.present[i] {
                *own = 0.0;
                return;
            }
            let v = &bodies.velocity[i];
            let gain = if bodies.awake(i) { speed_gain } else { 0.0 };
            // A sphere's surface does not move by its spin, and that of a half-space has no end.
            let still = bodies.round[i] || !bodies.movable[i] || bodies.extent[i] == f64::INFINITY;
            let spin = if still { 0.0 } else { v.angular.length() * bodies.extent[i] };
            *own = dt * ((v.linear - velocity).length() + spin + gain);
        });
    }

    /// Phase `narrowphase`: contacts at the current poses, with what those found before carried.
    pub(crate) fn find_contacts(&mut self, bodies: &Bodies) {
        std::mem::swap(&mut self.contacts, &mut self.previous);
        std::mem::swap(&mut self.carried, &mut self.previous_carried);
        self.search(bodies);
        self.stale = false;
    }

    /// Finds the contacts of the same poses anew, after bodies have been woken.
    pub(crate) fn find_again(&mut self, bodies: &Bodies) {
        self.search(bodies);
    }

    /// Ends a search and what followed from it: what was carried has been handed on.
    pub(crate) fn found(&mut self) {
        self.carrying.clear();
    }

    /// Makes the contacts before the last search the current ones again.
    pub(crate) fn go_back(&mut self) {
        std::mem::swap(&mut self.contacts, &mut self.previous);
        std::mem::swap(&mut self.carried, &mut self.previous_carried);
        self.carrying.clear();
    }

    fn search(&mut self, bodies: &Bodies) {
        let reach = &self.reach;
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
                if pair.iter().any(|face| face.is_awake) {
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

/// Contacts of a pair of sleepers as they were: their impulses are wanted when one of them wakes. Returns what is known behind them.
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
    let contact =
        |p: &ContactPoint| Contact { a, b, feature: p.feature, point: p.point, normal: p.normal, gap: p.gap, radius };
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
    use granule_model::Pose;

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
            round: vec![true; 2],
            extent: vec![0.5; 2],
            radius: vec![0.5; 2],
            shape: vec![shape; 2],
            ..Bodies::default()
        }
    }

    /// Whoever wakes has the contacts searched for once more. When that search started from what was carried a step before, no impulse of a
    /// pack in which something woke in every step got any further: 10 000 spheres of which ten slept sank into each other.
    #[test]
    fn a_second_search_hands_on_what_the_first_one_did() {
        let (bodies, mut detection) = (balls(), Detection::default());
        detection.find_pairs(&bodies, 0.01, 0.0);
        detection.find_contacts(&bodies);
        detection.found();
        let carries = |detection: &Detection| detection.carried.iter().map(|c| c.normal).collect::<Vec<_>>();
        assert_eq!(carries(&detection), [0.0]);
        detection.carrying = vec![Carried { normal: 7.0, ..Carried::default() }];
        detection.find_contacts(&bodies);
        assert_eq!(carries(&detection), [7.0]);
        detection.find_again(&bodies);
        assert_eq!(carries(&detection), [7.0]);
        detection.found();
        detection.find_contacts(&bodies);
        assert_eq!(carries(&detection), [7.0], "without a step between nothing is lost");
    }
}
