//! Who wakes in a part of a step: a sleeper takes part in the very part that disturbs it (`islands::sleep`).
//!
//! Sleepers wake before the contact stage where something meets them ([`met`]), and after it where what has been solved
//! presses them out of balance ([`loaded`]); then the phases are made again ([`start_over`]).

use granule_forces::Force;
use granule_model::{Pose, Velocity};

use crate::islands::sleep::{Sleep, Sleepers};
use crate::step::forces;
use crate::step::part::Part;
use crate::step::scratch::{Exchange, Motions};
use crate::world::bodies::{BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Contact, Contacts};
use crate::world::parallel;
use crate::world::state::{Detected, Rest};

/// Whether anybody sleeps.
pub(crate) fn has_sleepers(catalogue: &Catalogue, bodies: &BodyState) -> bool {
    catalogue.settings.sleeping && parallel::count(&bodies.asleep, &|asleep| *asleep) > 0
}

/// Wakes sleepers on which a force field has changed; before the forces of the part.
pub(crate) fn drawn(catalogue: &Catalogue, part: &Part, bodies: &mut BodyState, rest: &mut Rest, sleep: &mut Sleep) {
    if catalogue.fields.is_empty() || !has_sleepers(catalogue, bodies) {
        return;
    }
    let field = |i: usize, pose: &Pose| catalogue.field_force(i, pose, &Velocity::ZERO, part.time);
    let mut of = Sleepers { table: &catalogue.bodies, bodies, rest };
    sleep.wake_drawn(&mut of, catalogue.gravity().length(), field);
    for i in sleep.woken.drain(..) {
        bodies.step[i as usize] = part.star_time();
    }
}

/// Wakes sleepers that something meets that moves; whether there are any.
pub(crate) fn met(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    rest: &mut Rest,
    contacts: &Contacts,
    sleep: &mut Sleep,
) -> bool {
    sleep.woken.clear();
    if !has_sleepers(catalogue, bodies) {
        return false;
    }
    let mut of = Sleepers { table: &catalogue.bodies, bodies, rest };
    sleep.wake_met(&mut of, &contacts.list, &part.surroundings());
    !sleep.woken.is_empty()
}

/// Lets the forces of the part act on those that have just woken; whether contacts of theirs may be unknown: with other
/// sleepers they are those of when they fell asleep, and in a part that a group makes alone not even those.
pub(crate) fn welcome(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    contacts: &Contacts,
    noted: (&mut [Force], &mut [Velocity]),
    sleep: &mut Sleep,
) -> bool {
    let view = bodies.view(&catalogue.bodies, frames);
    let is_known = contacts.is_known(&view, &sleep.woken) && !view.apart.contains(&true);
    forces::apply_to(&sleep.woken, catalogue, frames, part, bodies, noted);
    for i in sleep.woken.drain(..) {
        bodies.step[i as usize] = part.star_time();
    }
    !is_known
}

/// Goes back to the velocities with the forces of the part, which those that have just woken feel as well.
pub(crate) fn start_over(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    detected: &mut Detected,
    motion: &mut Motions,
    sleep: &mut Sleep,
) {
    bodies.velocity.clone_from(&motion.forced);
    detected.is_stale |= welcome(catalogue, part, bodies, frames, &detected.contacts, motion.noted(), sleep);
}

/// Wakes sleepers that what has been solved so far presses out of balance; whether there are any.
pub(crate) fn loaded(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    rest: &mut Rest,
    exchange: &Exchange,
    sleep: &mut Sleep,
) -> bool {
    sleep.woken.clear();
    if !has_sleepers(catalogue, bodies) {
        return false;
    }
    sleep.begin_loads(catalogue.bodies.len());
    let of = Sleepers { table: &catalogue.bodies, bodies, rest };
    exchange.problems.load_sleepers(&of, exchange.active.contacts(), sleep);
    loaded_more(catalogue, part, bodies, rest, exchange, sleep)
}

/// The same with what impacts have thrown against sleepers, beside the loads that have been added.
pub(crate) fn loaded_more(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    rest: &mut Rest,
    exchange: &Exchange,
    sleep: &mut Sleep,
) -> bool {
    let Exchange { impact, active, .. } = exchange;
    for (i, impulse, has_friction) in &impact.withstood {
        if bodies.asleep[*i as usize] {
            sleep.add_load(*i as usize, *impulse, *has_friction);
        }
    }
    let has_friction = |c: &Contact| catalogue.pairs.at(&catalogue.bodies, c).static_friction > 0.0;
    let mut of = Sleepers { table: &catalogue.bodies, bodies, rest };
    sleep.wake_loaded(&mut of, active.contacts(), active.carried(), &part.surroundings(), has_friction);
    !sleep.woken.is_empty()
}

/// Wakes sleepers that a body awake touched `before` the move and touches no longer.
pub(crate) fn unpropped(
    catalogue: &Catalogue,
    bodies: &mut BodyState,
    rest: &mut Rest,
    before: &[Contact],
    now: &[Contact],
    sleep: &mut Sleep,
) {
    sleep.wake_unpropped(&mut Sleepers { table: &catalogue.bodies, bodies, rest }, before, now);
}
