//! Phases `broadphase`, `narrowphase` and `correct`: which contacts a part of a step begins and ends with.

use std::sync::Arc;

use crate::book::clock::Clock;
use crate::book::report::Phase;
use crate::contacts::crossing::add_passages;
use crate::contacts::reach::Ahead;
use crate::contacts::search::{Known, Search};
use crate::islands::limits::drift_budget_of_step;
use crate::step::part::Part;
use crate::step::scratch::Scratch;
use crate::world::bodies::Bodies;
use crate::world::catalogue::Catalogue;
use crate::world::contact::Contacts;
use crate::world::state::State;
use granule_broadphase::PairList;

/// Looks for the contacts of the poses now, from those that the state has.
pub(crate) fn look(catalogue: &Catalogue, ahead: Ahead, state: &mut State, scratch: &mut Scratch, clock: &mut Clock) {
    let State { bodies, contacts, pairs, .. } = &mut *state;
    let Scratch { frames, search, .. } = scratch;
    let bodies = bodies.view(&catalogue.bodies, frames);
    let found = find(&bodies, ahead, Known::of(contacts), pairs, search, clock);
    install(found, state, search);
}

/// Phases `broadphase` and `narrowphase`: contacts at the poses now, from those `known` before.
pub(crate) fn find(
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

/// The contacts to which a part has led, those of bodies that went through others in it included.
pub(crate) fn after_the_move(
    catalogue: &Catalogue,
    part: &Part,
    state: &mut State,
    scratch: &mut Scratch,
    clock: &mut Clock,
) -> Arc<Contacts> {
    let Scratch { frames, search, active, crossings, motion, .. } = scratch;
    let bodies = state.bodies.view(&catalogue.bodies, frames);
    let mut found = find(&bodies, part.ahead(), active.known(), &mut state.pairs, search, clock);
    let into = Arc::make_mut(&mut found);
    crossings.add_to(into);
    if !bodies.meshes.is_empty() {
        add_passages(&bodies, &state.pairs, &motion.departed, into);
    }
    found
}

/// Makes contacts that were found those of the state; they do not change any more.
pub(crate) fn install(found: Arc<Contacts>, state: &mut State, search: &mut Search) {
    search.end(&found);
    state.contacts = found;
    state.control.contacts_are_stale = false;
}

/// Phase `correct`: takes overlap out of the poses, within the budget of each island.
pub(crate) fn correct(
    catalogue: &Catalogue,
    part: &Part,
    state: &mut State,
    found: &mut Arc<Contacts>,
    scratch: &mut Scratch,
) {
    let Scratch { frames, correction, problems, pending, .. } = scratch;
    // Bodies that were put into each other are parted whatever they weigh.
    let mends = state.control.mends_start;
    let budgets = (0..problems.components().len()).map(|k| {
        let island = problems.scale(k);
        let budget = || drift_budget_of_step(&island.account, island.has_friction) + problems.carried_round(k, part.dt);
        if mends { f64::INFINITY } else { budget() }
    });
    let bodies = state.bodies.view(&catalogue.bodies, frames);
    let islands = problems.components();
    correction.find(&bodies, &mut Arc::make_mut(found).list, catalogue.gravity(), islands, budgets, pending.entries());
    correction.apply(&catalogue.bodies, &mut state.bodies, frames);
}
