//! Phases `broadphase` and `narrowphase`: which bodies may meet in the coming step, and where.
//!
//! Contacts are found up to a margin before touch ([`reach`](crate::contacts::reach)), so that one that closes within
//! the step is known to the solver and no body tunnels. A search makes new [`Contacts`] from those known before, which
//! it leaves as they are.

use std::sync::Arc;

use granule_broadphase::{BroadPhase, BroadPhaseInput, PairList};
use granule_geometry::{balls, contacts_and_spots, contacts_at, contacts_nearing, leeway};
use granule_model::{ContactPoint, DVec3, Velocity};
use granule_solver::make_room;
use rayon::prelude::*;

use crate::contacts::reach::{Reach, approach, nearing};
use crate::world::bodies::Bodies;
use crate::world::contact::{Ahead, Carried, Contact, Contacts, SLACK, inherit, is_roomy};
use crate::world::parallel;
use crate::world::pool::Pool;
use crate::world::sights::{Following, Lie, Sights};

/// Pairs that one task of the narrow phase takes: small enough to share out a few hundred pairs, large enough to hide
/// the hand-over. Fixed, so that no result depends on the number of threads.
const CHUNK: usize = 128;
/// Tasks to a thread, and at most, that run between two copies of what they found: enough to share out, and so few that
/// what they hold stays in the caches. Without that the contacts of 10 000 spheres took 510 bytes a body twice.
const TASKS_OF_THREAD: usize = 16;
const TASKS: usize = 256;

/// Share of the leeway of a pair that its surfaces may move in a step, where a search marks its spots for the steps
/// after it: it looks a little farther for that.
const LASTS: f64 = 0.5;

/// What pairs ask of a body, in one line of the cache: two balls need no more.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Face {
    centre: DVec3,
    /// Radius of a ball about it that holds all of the body \[m\]; see [`Table::holding`].
    holding: f64,
    /// Equal-volume radius \[m\].
    radius: f64,
    /// See [`Contacts::reach`] \[m\].
    reach: f64,
    /// How far it may come by the motion of the fastest body beside it \[m\].
    hit: f64,
    is_ball: bool,
    is_awake: bool,
    is_dynamic: bool,
    /// Driven, and not standing: it meets sleepers.
    drives: bool,
    /// Left out of the step.
    apart: bool,
}

impl Face {
    fn of(bodies: &Bodies<'_>, i: usize, search: &Reach, reach: f64) -> Self {
        Face {
            centre: bodies.pose[i].position,
            holding: bodies.holding[i],
            radius: bodies.radius[i],
            reach,
            hit: search.hit(i),
            is_ball: bodies.round[i],
            is_awake: bodies.awake(i),
            is_dynamic: bodies.dynamic[i],
            drives: bodies.movable[i] && !bodies.dynamic[i] && bodies.velocity[i] != Velocity::ZERO,
            apart: bodies.apart[i],
        }
    }
}

/// Scratch of one task of the narrow phase.
#[derive(Debug, Default)]
struct Task {
    points: Vec<ContactPoint>,
    found: Vec<Contact>,
    sights: Sights,
}

/// The contacts that a search starts from: what is known of sleepers, and what is handed on.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) contacts: &'a [Contact],
    /// What they carry; see [`Contacts::carried`].
    pub(crate) carried: &'a [Carried],
    pub(crate) searched: &'a [f64],
    pub(crate) sights: &'a Sights,
}

impl<'a> Known<'a> {
    /// All that is known of a state.
    pub(crate) fn of(contacts: &'a Contacts) -> Self {
        let Contacts { list, carried, searched, sights, .. } = contacts;
        Known { contacts: list, carried, searched, sights }
    }
}

/// Memory of the searches, filled before it is read, and that of what they found once no state holds it any more.
#[derive(Debug, Default)]
pub(crate) struct Search {
    broadphase: BroadPhase,
    lists: Pool<PairList>,
    found: Pool<Contacts>,
    pub(crate) reach: Reach,
    faces: Vec<Face>,
    tasks: Vec<Task>,
}

impl Search {
    /// Contacts to be filled, which no state holds.
    pub(crate) fn begin(&mut self) -> Arc<Contacts> {
        self.found.take()
    }

    /// Ends the change of contacts that a state holds from now on.
    pub(crate) fn end(&mut self, found: &Arc<Contacts>) {
        self.found.watch(found);
    }

    /// Gives back memory that nobody holds, but for what the next search fills: one list of pairs, and one set of
    /// contacts unless it has room for many more than there are.
    pub(crate) fn trim(&mut self) {
        self.found.trim(|contacts| !is_roomy(&contacts.list));
        self.lists.trim(|_| true);
    }

    /// Phase `broadphase`: makes sure that `pairs` has all that may meet, and says how far to look.
    pub(crate) fn find_pairs(
        &mut self,
        bodies: &Bodies<'_>,
        ahead: Ahead,
        pairs: &mut Arc<PairList>,
        into: &mut Contacts,
    ) {
        let origin = self.reach.measure(bodies, ahead, into);
        let (limit, padding) = self.reach.boxes();
        let boxes = bodies.boxes;
        let input =
            BroadPhaseInput { boxes, movable: &bodies.movable, present: &bodies.present, round: &bodies.round, origin };
        if !pairs.holds(&input, limit) {
            let mut list = self.lists.take();
            self.broadphase.rebuild(Arc::make_mut(&mut list), &input, limit, padding);
            self.lists.watch(&list);
            *pairs = list;
        }
        self.reach.find_hits(bodies, pairs, into);
    }

    /// Phase `narrowphase`: contacts at the current poses, with what those known before carried. Only bodies for which
    /// `moved` holds have moved since; all other pairs keep their contacts.
    pub(crate) fn find_contacts(
        &mut self,
        bodies: &Bodies<'_>,
        pairs: &PairList,
        known: Known<'_>,
        moved: impl Fn(u32) -> bool + Sync,
        into: &mut Contacts,
    ) {
        let reach = &self.reach;
        parallel::fill(&mut self.faces, bodies.len(), &|i| Face::of(bodies, i, reach, into.reach[i]));
        let has_moved = |(a, b): (u32, u32)| moved(a) || moved(b);
        search(bodies, pairs, known, has_moved, (&self.faces, &mut self.tasks), into);
        let Contacts { reach, searched, .. } = &mut *into;
        let before = |i: usize| known.searched.get(i).copied().unwrap_or(0.0);
        parallel::fill(searched, bodies.len(), &|i| if bodies.awake(i) { reach[i] } else { before(i) });
        make_room(&mut into.carried, into.list.len());
        into.carried.resize(into.list.len(), Carried::default());
        inherit(known.contacts, known.carried, &into.list, &mut into.carried);
    }
}

/// Makes the list of contacts anew: pairs of which `is_asked` holds are searched, others keep those `known`.
fn search(
    bodies: &Bodies<'_>,
    pairs: &PairList,
    known: Known<'_>,
    is_asked: impl Fn((u32, u32)) -> bool + Sync,
    (faces, tasks): (&[Face], &mut Vec<Task>),
    into: &mut Contacts,
) {
    let (pairs, ahead) = (pairs.pairs(), into.ahead);
    tasks.resize_with((TASKS_OF_THREAD * rayon::current_num_threads()).min(TASKS), Task::default);
    let work = |(pairs, task): (&[(u32, u32)], &mut Task)| {
        task.found.clear();
        task.sights.clear();
        // All lists are in pair order: what is known is searched for once, and then followed.
        let first = pairs.first().copied().unwrap_or_default();
        let mut sights = known.sights.from(first);
        let mut known = &known.contacts[known.contacts.partition_point(|c| (c.a, c.b) < first)..];
        for (a, b) in pairs {
            let pair = [&faces[*a as usize], &faces[*b as usize]];
            if pair.iter().any(|face| face.apart) {
                continue;
            }
            if may_change(pair) && is_asked((*a, *b)) {
                pair_contacts(bodies, ahead, (*a, *b), pair, &mut sights, task);
            } else {
                known = keep_contacts(known, (*a, *b), task);
                sights.find((*a, *b)).into_iter().for_each(|sight| task.sights.keep(sight));
            }
        }
    };
    let Contacts { list, sights, .. } = into;
    list.clear();
    sights.clear();
    for batch in pairs.chunks(tasks.len() * CHUNK) {
        let of_tasks = &mut tasks[..batch.len().div_ceil(CHUNK)];
        if of_tasks.len() > 1 {
            batch.par_chunks(CHUNK).zip(of_tasks.par_iter_mut()).for_each(work);
        } else {
            batch.chunks(CHUNK).zip(of_tasks.iter_mut()).for_each(work);
        }
        let found: usize = of_tasks.iter().map(|task| task.found.len()).sum();
        let count = list.len() + found;
        make_room(list, count);
        of_tasks.iter().for_each(|task| list.extend_from_slice(&task.found));
        of_tasks.iter().for_each(|task| sights.append(&task.sights));
    }
}

/// Whether the contacts of a pair may have changed: one of the two is awake, or a driven body comes to a sleeper.
fn may_change([x, y]: [&Face; 2]) -> bool {
    x.is_awake || y.is_awake || (x.drives && y.is_dynamic) || (y.drives && x.is_dynamic)
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
fn pair_contacts(
    bodies: &Bodies<'_>,
    ahead: Ahead,
    (a, b): (u32, u32),
    [x, y]: [&Face; 2],
    known: &mut Following<'_>,
    task: &mut Task,
) {
    let radius = x.radius.min(y.radius);
    let (i, j) = (a as usize, b as usize);
    let contact = |p: &ContactPoint| Contact::of((a, b), p, radius);
    let Task { points, found, sights } = task;
    let as_hit = x.hit + y.hit + SLACK * radius;
    if x.is_ball && y.is_ball {
        let point = balls(x.centre, x.holding, y.centre, y.holding, as_hit);
        found.extend(point.as_ref().map(contact));
        return;
    }
    let reach = x.holding + y.holding + as_hit;
    if x.centre.distance_squared(y.centre) > reach * reach {
        return;
    }
    let (box_a, box_b) = (&bodies.boxes[i], &bodies.boxes[j]);
    if !box_a.padded(as_hit).overlaps(box_b) {
        return;
    }
    let (margin, way) = if x.is_ball || y.is_ball {
        (as_hit, f64::INFINITY)
    } else {
        let way = ahead.dt * approach(bodies, i, j);
        (as_hit.min(way + x.reach + y.reach + SLACK * radius), way)
    };
    if !box_a.padded(margin).overlaps(box_b) {
        return;
    }
    points.clear();
    shape_contacts(bodies, (a, b), (margin, way, ahead.dt), known, (sights, points));
    found.extend(points.iter().map(contact));
}

/// Points of a pair of shapes up to `margin`: at the spots of an earlier search while these serve, else by a search,
/// which marks its spots where surfaces come nearer by so little, `way`, in the step of `dt` \[s\] that they will serve
/// \[m\].
fn shape_contacts(
    bodies: &Bodies<'_>,
    pair: (u32, u32),
    (margin, way, dt): (f64, f64, f64),
    known: &mut Following<'_>,
    (sights, points): (&mut Sights, &mut Vec<ContactPoint>),
) {
    let [(one, reach), (other, reach_other)] = [pair.0, pair.1].map(|i| {
        let i = i as usize;
        ((&bodies.shape[i], &bodies.pose[i]), bodies.extent[i])
    });
    if let Some(leeway) = leeway(one.0, other.0) {
        let lie = Lie::of((one.1, reach), (other.1, reach_other));
        let seen = known.find(pair);
        if let Some((seen, moved)) = seen.and_then(|seen| Some((seen, seen.0.holds(&lie, margin, leeway)?))) {
            contacts_at(one, other, (seen.1, margin, moved), points);
            return sights.keep(seen);
        }
        if way <= LASTS * leeway {
            let farther = margin + leeway;
            sights.note(pair, &lie, farther, |spots| contacts_and_spots(one, other, farther, points, spots));
            return points.retain(|point| point.gap <= margin);
        }
    }
    let allowed = if way < f64::INFINITY { way.min(margin) } else { 0.0 };
    contacts_nearing(one, other, (margin, || nearing(bodies, pair, dt, allowed)), points);
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::Pose;

    use super::*;
    use crate::world::bodies::{BodyState, Frames, Table};

    /// Two balls that overlap a little.
    fn balls() -> (Table, BodyState, Frames) {
        let shape = Shape::sphere(0.5).expect("the radius is valid");
        let pose = [0.0, 0.999].map(|x| Pose { position: DVec3::X * x, ..Pose::IDENTITY });
        let frames = Frames { boxes: pose.iter().map(|pose| shape.aabb(pose)).collect(), ..Frames::default() };
        let table = Table {
            dynamic: vec![true; 2],
            movable: vec![true; 2],
            present: vec![true; 2],
            half_width: vec![0.5; 2],
            round: vec![true; 2],
            extent: vec![0.5; 2],
            holding: vec![0.5; 2],
            radius: vec![0.5; 2],
            shape: vec![shape; 2],
            ..Table::default()
        };
        let bodies = BodyState {
            pose: pose.to_vec(),
            velocity: vec![Velocity::ZERO; 2],
            asleep: vec![false; 2],
            apart: vec![false; 2],
            ..BodyState::default()
        };
        (table, bodies, frames)
    }

    /// Whoever wakes has the contacts searched for once more. When that search started from what was carried a step
    /// before, no impulse of a pack in which something woke in every step got any further: 10 000 spheres of which ten
    /// slept sank into each other.
    #[test]
    fn a_search_hands_on_what_was_carried() {
        let (table, state, frames) = balls();
        let bodies = state.view(&table, &frames);
        let (mut search, mut pairs) = (Search::default(), Arc::default());
        let mut look = |known: &Contacts| {
            let mut found = Contacts::default();
            search.find_pairs(&bodies, Ahead { dt: 0.01, speed_gain: 0.0 }, &mut pairs, &mut found);
            search.find_contacts(&bodies, &pairs, Known::of(known), |_| true, &mut found);
            found
        };
        let mut first = look(&Contacts::default());
        let carries = |found: &Contacts| found.carried.iter().map(|c| c.normal).collect::<Vec<_>>();
        assert_eq!(carries(&first), [0.0]);
        first.carried[0].normal = 7.0;
        let second = look(&first);
        assert_eq!(carries(&second), [7.0]);
        assert_eq!(carries(&look(&second)), [7.0], "without a step between nothing is lost");
    }
    /// A ball that slept has its neighbours looked for anew where something throws it: sleepers are looked at as far as
    /// they moved when they fell asleep.
    #[test]
    fn what_is_thrown_out_of_its_sleep_is_not_known() {
        let (table, mut state, frames) = balls();
        let (mut search, mut pairs) = (Search::default(), Arc::default());
        let mut look = |state: &BodyState, known: &Contacts| {
            let bodies = state.view(&table, &frames);
            let mut found = Contacts::default();
            search.find_pairs(&bodies, Ahead { dt: 0.01, speed_gain: 0.0 }, &mut pairs, &mut found);
            search.find_contacts(&bodies, &pairs, Known::of(known), |_| true, &mut found);
            found
        };
        let awake = look(&state, &Contacts::default());
        state.asleep[0] = true;
        let is_known = |state: &BodyState, found: &Contacts| found.is_known(&state.view(&table, &frames), &[0]);
        assert!(is_known(&state, &look(&state, &awake)));
        // A fifth of the radius in the step.
        state.velocity[1].linear = -10.0 * DVec3::X;
        assert!(!is_known(&state, &look(&state, &awake)));
    }
}
