//! Phases `broadphase`, `narrowphase` and `correct`: which contacts a part of a step begins and ends with.
//!
//! Before the contact stage contacts are looked for anew where bodies may move further than they were looked for
//! ([`refresh`]), because the step is longer or a driven body or a force has begun to act, and where the stage itself
//! carries a body through more than what was looked at ([`reaches_further`]).

use std::sync::Arc;

use granule_broadphase::PairList;
use granule_model::{Pose, Velocity};

use crate::book::clock::Clock;
use crate::book::report::Phase;
use crate::contacts::closing::Active;
use crate::contacts::correct::May;
use crate::contacts::crossing::{Crossings, add_passages};
use crate::contacts::reach::Reach;
use crate::contacts::search::{Known, Search};
use crate::islands::limits::drift_budget_of_step;
use crate::step::part::{Part, Pass};
use crate::step::scratch::{Detection, Exchange, Motions};
use crate::world::bodies::{Bodies, BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Ahead, Contacts};
use crate::world::state::Detected;

/// Makes sure that the contacts of a part are known.
pub(crate) fn refresh(
    part: &Part,
    bodies: &Bodies<'_>,
    detected: &mut Detected,
    search: &mut Search,
    clock: &mut Clock,
) {
    // What loads are told by is left of what was found, and nothing is to be added.
    let is_known = part.pass == Pass::Loads;
    if !is_known && (detected.is_stale || detected.contacts.is_short(bodies, part.dt)) {
        look(part.ahead(), bodies, detected, search, clock);
    }
}

/// Looks for the contacts of the poses now, from those that were known.
pub(crate) fn look(ahead: Ahead, bodies: &Bodies<'_>, detected: &mut Detected, search: &mut Search, clock: &mut Clock) {
    let found = find(bodies, ahead, Known::of(&detected.contacts), &mut detected.pairs, search, clock);
    install(found, detected, search);
}

/// Phases `broadphase` and `narrowphase`: contacts at the poses now, from those `known` before.
fn find(
    bodies: &Bodies<'_>,
    ahead: Ahead,
    known: Known<'_>,
    pairs: &mut Arc<PairList>,
    search: &mut Search,
    clock: &mut Clock,
) -> Arc<Contacts> {
    let mut found = search.begin();
    let into = Arc::make_mut(&mut found);
    clock.enter(Phase::Broadphase);
    search.find_pairs(bodies, ahead, pairs, into);
    clock.enter(Phase::Narrowphase);
    search.find_contacts(bodies, pairs, known, |_| true, into);
    found
}

/// Whether the contact stage carries a body further than contacts were looked for, and through something; asks for that
/// reach in the next search.
pub(crate) fn reaches_further(
    part: &Part,
    bodies: &Bodies<'_>,
    contacts: &Contacts,
    transport: &[Velocity],
    reach: &mut Reach,
) -> bool {
    part.is_whole() && reach.ask_for_reach(bodies, contacts, transport, part.dt)
}

/// Before the move: notes the poses where bodies may go through others or through a mesh.
pub(crate) fn depart(part: &Part, bodies: &Bodies<'_>, motion: &mut Motions, crossings: &mut Crossings) {
    crossings.begin();
    let may_cross = part.is_whole() && crossings.may_cross(bodies, &motion.transport, part.dt);
    if !bodies.meshes.is_empty() || may_cross {
        motion.departed.clear();
        motion.departed.extend_from_slice(bodies.pose);
    }
}

/// After the move: the contacts to which a part has led, those of bodies that went through others in it included, but
/// for those of `alone`.
pub(crate) fn after_the_move(
    part: &Part,
    bodies: &Bodies<'_>,
    pairs: &mut Arc<PairList>,
    active: &Active,
    (departed, alone): (&[Pose], &[bool]),
    detection: &mut Detection,
    clock: &mut Clock,
) -> Arc<Contacts> {
    let Detection { search, crossings } = detection;
    crossings.find(bodies, pairs, departed, alone);
    let mut found = find(bodies, part.ahead(), active.known(), pairs, search, clock);
    let into = Arc::make_mut(&mut found);
    crossings.add_to(into);
    if !bodies.meshes.is_empty() {
        add_passages(bodies, pairs, departed, alone, into);
    }
    found
}

/// Makes contacts that were found those of the state; they do not change any more.
pub(crate) fn install(found: Arc<Contacts>, detected: &mut Detected, search: &mut Search) {
    search.end(&found);
    detected.contacts = found;
    detected.is_stale = false;
}

/// Phase `correct`: takes overlap out of the poses, within the budget of each island; where `mends` without one, for
/// bodies that were put into each other are parted whatever they weigh. Bodies of `alone` stay where they are, an empty
/// list naming none.
pub(crate) fn correct(
    catalogue: &Catalogue,
    part: &Part,
    mends: bool,
    (bodies, frames): (&mut BodyState, &mut Frames),
    found: &mut Arc<Contacts>,
    exchange: &mut Exchange,
    alone: &[bool],
) {
    let Exchange { correction, problems, pending, .. } = exchange;
    let budgets = (0..problems.components().len()).map(|k| {
        let island = problems.scale(k);
        let budget = || {
            drift_budget_of_step(&part.accuracy, &island.account, island.has_friction)
                + problems.carried_round(k, part.dt)
        };
        if mends { f64::INFINITY } else { budget() }
    });
    let (view, islands) = (bodies.view(&catalogue.bodies, frames), problems.components());
    let (contacts, bound) = (&mut Arc::make_mut(found).list, part.accuracy.overlap_bound);
    let may = May { islands, budgets, alone };
    correction.find(&view, contacts, (catalogue.gravity(), bound), may, pending.entries());
    correction.apply(&catalogue.bodies, bodies, frames);
}
