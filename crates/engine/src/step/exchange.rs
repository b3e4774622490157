//! Phases `closing` to `release`: what bodies do to each other in a part of a step, and what this makes of sleepers.
//!
//! Before the contact stage it is made sure that the contacts will do ([`prepare`]): they are looked for anew where
//! bodies may move further than they were looked for, because the step is longer or a driven body or a force has begun
//! to act, and where sleepers wake. Where the stage itself shows that a sleeper gives way, or carries a body through
//! more than what was looked at, the phases are made again ([`start_over`]).

use granule_model::{Pose, Velocity};

use crate::book::clock::Clock;
use crate::book::report::Phase;
use crate::islands::impact::ImpactTotals;
use crate::islands::limits::Limits;
use crate::islands::problems::Given;
use crate::islands::sleep::{Sleep, Sleepers};
use crate::step::detect;
use crate::step::forces::{self, Span};
use crate::step::part::{Part, Pass};
use crate::step::scratch::Scratch;
use crate::world::bodies::Bodies;
use crate::world::catalogue::Catalogue;
use crate::world::contact::Contact;
use crate::world::error::EngineError;
use crate::world::overlap;
use crate::world::parallel;
use crate::world::state::State;

/// Flights up to this share of a step leave no impulses to start from.
const SHORT_FLIGHT: f64 = 1e-3;

/// Whether anybody sleeps.
pub(crate) fn has_sleepers(catalogue: &Catalogue, state: &State) -> bool {
    catalogue.settings.sleeping && parallel::count(&state.bodies.asleep, &|asleep| *asleep) > 0
}

/// What sleep reads and writes of a state.
pub(crate) fn sleepers<'a>(catalogue: &'a Catalogue, state: &'a mut State) -> Sleepers<'a> {
    Sleepers { table: &catalogue.bodies, bodies: &mut state.bodies, rest: &mut state.rest }
}

/// Begins a part: nobody has woken in it, and no more reach is asked for.
pub(crate) fn begin(scratch: &mut Scratch) {
    scratch.search.reach.ask_for_nothing();
    scratch.sleep.begin_step();
}

/// Wakes sleepers on which a force field has changed; before the forces of the part.
pub(crate) fn wake_drawn(catalogue: &Catalogue, part: &Part, state: &mut State, sleep: &mut Sleep) {
    if catalogue.fields.is_empty() || !has_sleepers(catalogue, state) {
        return;
    }
    let time = state.time;
    let field = |i: usize, pose: &Pose| catalogue.field_force(i, pose, &Velocity::ZERO, time);
    sleep.wake_drawn(&mut sleepers(catalogue, state), catalogue.gravity().length(), field);
    for i in &sleep.woken {
        state.bodies.step[*i as usize] = part.star_time();
    }
}

/// Makes sure that the contacts of the part are known, and that whoever is met by something that moves is awake.
pub(crate) fn prepare(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch, clock: &mut Clock) {
    let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
    if state.control.contacts_are_stale || state.contacts.is_short(&bodies, part.dt) {
        detect::look(catalogue, part.ahead(), state, scratch, clock);
    }
    if !has_sleepers(catalogue, state) {
        return;
    }
    let contacts = &state.contacts.list;
    let mut of = Sleepers { table: &catalogue.bodies, bodies: &mut state.bodies, rest: &mut state.rest };
    scratch.sleep.wake_met(&mut of, contacts, &part.surroundings());
    if !scratch.sleep.woken.is_empty() && welcome_woken(catalogue, part, state, scratch) {
        detect::look(catalogue, part.ahead(), state, scratch, clock);
    }
}

/// Lets the forces of the part act on those that have just woken; whether contacts of theirs may be unknown: with other
/// sleepers they are those of when they fell asleep, and in a part that a group makes alone not even those.
fn welcome_woken(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch) -> bool {
    let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
    let is_known = state.contacts.is_known(&bodies, &scratch.sleep.woken) && !bodies.apart.contains(&true);
    let span = Span { time: state.time, dt: part.dt };
    let Scratch { sleep, motion, frames, .. } = scratch;
    forces::apply_to(&sleep.woken, catalogue, frames, span, &mut state.bodies, &mut motion.field_forces);
    for i in sleep.woken.drain(..) {
        state.bodies.step[i as usize] = part.star_time();
    }
    !is_known
}

/// Goes back to the velocities with the forces of the part, which those that have just woken feel as well.
pub(crate) fn start_over(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch) {
    state.bodies.velocity.clone_from(&scratch.motion.forced);
    let is_unknown = welcome_woken(catalogue, part, state, scratch);
    state.control.contacts_are_stale |= is_unknown || scratch.search.reach.asks();
}

/// Phase `closing`: which contacts take part, and the velocities to go back to.
pub(crate) fn closing(catalogue: &Catalogue, part: &Part, state: &State, scratch: &mut Scratch) {
    let Scratch { frames, motion, active, closing, search, .. } = scratch;
    motion.forced.clone_from(&state.bodies.velocity);
    active.take(&state.contacts);
    if part.is_whole() {
        closing.leave_out(&state.bodies.view(&catalogue.bodies, frames), active, &mut search.found, part.dt);
    }
}

/// Phase `islands`: what hangs together by the contacts that take part.
pub(crate) fn islands(catalogue: &Catalogue, state: &State, scratch: &mut Scratch) {
    let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
    scratch.problems.find(&bodies, scratch.active.contacts());
}

/// Phase `contact`: solves all islands, writes the velocities of the bodies and those by which they will move.
pub(crate) fn contact(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch) {
    let Scratch { frames, motion, active, problems, impact, .. } = scratch;
    let bodies = state.bodies.view(&catalogue.bodies, frames);
    impact.withstood.clear();
    if !catalogue.settings.law.is_released() {
        impact.forced.clear();
        impact.forced.extend_from_slice(bodies.velocity);
    }
    let given = Given {
        bodies: &bodies,
        contacts: active.contacts(),
        carried: active.carried(),
        unforced: &motion.unforced,
        dt: part.dt,
    };
    problems.assemble(
        &given,
        |c| catalogue.pairs.of(&catalogue.bodies, c, bodies.pose, bodies.velocity),
        |c| gap_to_close(part, &bodies, c, &motion.unforced),
    );
    problems.solve(&part.limits(), bodies.account);
    problems.write_back(&mut state.bodies.velocity);
    motion.transport.clone_from(&state.bodies.velocity);
    if !part.is_whole() {
        for (transport, before) in motion.transport.iter_mut().zip(&motion.unforced) {
            transport.linear = 0.5 * (transport.linear + before.linear);
        }
    }
}

/// The gap that the contact stage has to close \[m\]. In a flight the bodies move with the mean of the velocities
/// before and after, so that `u+ >= -(2 gap/dt + u-)` keeps them apart.
fn gap_to_close(part: &Part, bodies: &Bodies<'_>, contact: &Contact, unforced: &[Velocity]) -> f64 {
    if part.is_whole() {
        return contact.gap;
    }
    (2.0 * contact.gap.max(0.0) + part.dt * contact.normal_velocity(bodies.pose, unforced)).max(0.0)
}

/// Whether the contact stage wakes sleepers, or carries a body further than contacts were looked for and through
/// something.
pub(crate) fn is_to_be_made_again(
    catalogue: &Catalogue,
    part: &Part,
    state: &mut State,
    scratch: &mut Scratch,
) -> bool {
    wake_loaded(catalogue, part, state, scratch) | reaches_further(catalogue, part, state, scratch)
}

fn reaches_further(catalogue: &Catalogue, part: &Part, state: &State, scratch: &mut Scratch) -> bool {
    let Scratch { frames, search, motion, .. } = scratch;
    let bodies = state.bodies.view(&catalogue.bodies, frames);
    part.is_whole() && search.reach.ask_for_reach(&bodies, &state.contacts, &motion.transport, part.dt)
}

/// Wakes sleepers that what has been solved so far presses out of balance; whether there are any.
pub(crate) fn wake_loaded(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch) -> bool {
    if !has_sleepers(catalogue, state) {
        return false;
    }
    let Scratch { sleep, problems, active, .. } = &mut *scratch;
    sleep.begin_loads(catalogue.bodies.len());
    problems.load_sleepers(&sleepers(catalogue, state), active.contacts(), sleep);
    wake_loaded_more(catalogue, part, state, scratch)
}

/// The same with what impacts have thrown against sleepers, beside the loads that have been added.
pub(crate) fn wake_loaded_more(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch) -> bool {
    let Scratch { sleep, impact, active, .. } = scratch;
    for (i, impulse, has_friction) in &impact.withstood {
        if state.bodies.asleep[*i as usize] {
            sleep.add_load(*i as usize, *impulse, *has_friction);
        }
    }
    let has_friction = |c: &Contact| catalogue.pairs.at(&catalogue.bodies, c).static_friction > 0.0;
    let mut of = sleepers(catalogue, state);
    sleep.wake_loaded(&mut of, active.contacts(), active.carried(), &part.surroundings(), has_friction);
    !sleep.woken.is_empty()
}

/// Phase `impact`: the laws that are not joined to the contact stage by the release, then `contact` again on what they
/// have struck.
pub(crate) fn impact(
    catalogue: &Catalogue,
    part: &Part,
    state: &mut State,
    scratch: &mut Scratch,
    clock: &mut Clock,
) -> ImpactTotals {
    let Scratch { frames, motion, active, problems, impact, .. } = scratch;
    forces::note_work(&state.bodies.view(&catalogue.bodies, frames), part.dt, motion);
    if catalogue.settings.law.is_released() || !part.is_whole() {
        return ImpactTotals::default();
    }
    let (bodies, limits) = (state.bodies.view(&catalogue.bodies, frames), part.limits());
    let contacts = active.contacts();
    problems.find_hits(&limits, contacts.len(), &mut impact.standing);
    impact.approach(&bodies, contacts, &motion.unforced);
    let totals = impact.resolve(catalogue.settings.law.law(), &bodies, contacts, &catalogue.pairs, &limits);
    if totals.resolved > 0 {
        clock.enter(Phase::Contact);
        problems.restart(&limits, impact, active.carried(), part.dt);
        problems.solve_again(&limits);
        problems.write_back(&mut state.bodies.velocity);
    }
    totals
}

/// Phase `release`: energy tracking; enters what contacts took as pending, and notes what they carry.
pub(crate) fn release(catalogue: &Catalogue, part: &Part, state: &mut State, scratch: &mut Scratch) {
    let Scratch { active, problems, pending, .. } = scratch;
    let limits: Limits = part.limits();
    let fails = |c: &Contact, gap: f64| overlap::fails(-gap / c.thickness, c.depth().max(0.0), 1.0);
    problems.find_overrun(active.contacts(), &limits, fails);
    problems.release(&limits, part.tracking(catalogue));
    problems.book(pending.enter(catalogue.bodies.len()));
    problems.write_back(&mut state.bodies.velocity);
    // What a very short flight leaves is rounding: the next one starts from what a longer one left.
    let is_short = matches!(part.pass, Pass::Flight { horizon } if part.dt <= SHORT_FLIGHT * horizon);
    if !is_short {
        let (carrying, carried) = active.impulses();
        problems.store_impulses(carried, part.dt, carrying);
    }
}

/// Wakes sleepers that a body awake touched before the move and touches no longer.
pub(crate) fn wake_unpropped(catalogue: &Catalogue, state: &mut State, scratch: &mut Scratch) {
    let State { bodies, rest, contacts, .. } = state;
    let mut of = Sleepers { table: &catalogue.bodies, bodies, rest };
    scratch.sleep.wake_unpropped(&mut of, scratch.active.contacts(), &contacts.list);
}

/// Refuses velocities that are not finite.
///
/// # Errors
/// [`EngineError::NotFinite`] naming the first body, and one of its contacts.
pub(crate) fn check_finite(catalogue: &Catalogue, state: &State, contacts: &[Contact]) -> Result<(), EngineError> {
    let velocity = &state.bodies.velocity;
    if parallel::count(velocity, &|v| !v.is_finite()) == 0 {
        return Ok(());
    }
    let Some(i) = velocity.iter().position(|v| !v.is_finite()) else { return Ok(()) };
    let table = &catalogue.bodies;
    let contact = contacts.iter().find(|c| c.a as usize == i || c.b as usize == i);
    Err(EngineError::NotFinite {
        step: state.steps + 1,
        body: table.label(i),
        quantity: "velocity",
        contact: contact.map_or(String::new(), |c| {
            let other = if c.a as usize == i { c.b } else { c.a };
            format!(", in contact with body {}", table.label(other as usize))
        }),
    })
}
