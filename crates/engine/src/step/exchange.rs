//! Phases `closing` to `release`: what the contacts of a part do to its bodies.

use std::sync::Arc;

use granule_model::Velocity;
use granule_solver::{SweepCounts, make_room};

use crate::book::clock::Clock;
use crate::book::report::Phase;
use crate::contacts::turning;
use crate::islands::impact::ImpactTotals;
use crate::islands::limits::Limits;
use crate::islands::problems::Given;
use crate::step::forces;
use crate::step::part::Part;
use crate::step::scratch::{Exchange, Motions};
use crate::world::bodies::{Bodies, BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Carried, Contact, Contacts, Turned};
use crate::world::error::EngineError;
use crate::world::overlap;
use crate::world::parallel;

/// Flights up to this share of a step leave no impulses to start from.
const SHORT_FLIGHT: f64 = 1e-3;

/// Phase `closing`: which contacts take part.
pub(crate) fn closing(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &BodyState,
    frames: &Frames,
    contacts: &Arc<Contacts>,
    exchange: &mut Exchange,
) {
    let Exchange { active, closing, .. } = exchange;
    active.take(contacts);
    if part.is_whole() {
        closing.leave_out(&bodies.view(&catalogue.bodies, frames), active, part.dt);
    }
}

/// Phase `islands`: what hangs together by the contacts that take part.
pub(crate) fn islands(catalogue: &Catalogue, bodies: &BodyState, frames: &Frames, exchange: &mut Exchange) {
    exchange.problems.find(&bodies.view(&catalogue.bodies, frames), exchange.active.contacts());
}

/// Phase `contact`: solves all islands, writes the velocities of the bodies and those by which they will move. What the
/// sweeps went through.
pub(crate) fn contact(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    motion: &mut Motions,
    exchange: &mut Exchange,
) -> SweepCounts {
    let Exchange { active, problems, impact, .. } = exchange;
    let view = bodies.view(&catalogue.bodies, frames);
    impact.begin();
    motion.scheme.clear();
    motion.scheme.resize(view.len(), 0.0);
    if !catalogue.settings.law.is_released() {
        impact.forced.clear();
        impact.forced.extend_from_slice(view.velocity);
    }
    let given = Given {
        bodies: &view,
        contacts: active.contacts(),
        carried: active.carried(),
        unforced: &motion.unforced,
        dt: part.dt,
        overlap_bound: part.accuracy.overlap_bound,
    };
    problems.assemble(
        &given,
        |c| catalogue.pairs.of(&catalogue.bodies, c, view.pose, view.velocity),
        |c| gap_to_close(part, &view, c, &motion.unforced),
        |c, count| match catalogue.settings.stepping.resolves_touches() {
            true => turned(part, &view, c, &motion.unforced, count),
            false => Turned::default(),
        },
    );
    let swept = problems.solve(&part.limits(), view.account);
    problems.write_back(&mut bodies.velocity);
    motion.transport.clone_from(&bodies.velocity);
    if !part.is_whole() {
        for (transport, before) in motion.transport.iter_mut().zip(&motion.unforced) {
            transport.linear = 0.5 * (transport.linear + before.linear);
            if catalogue.settings.stepping.resolves_touches() {
                transport.angular = 0.5 * (transport.angular + before.angular);
            }
        }
    }
    swept
}

/// Share of [`Accuracy::overlap_bound`](crate::world::accuracy::Accuracy::overlap_bound) by which features have to come
/// together as they turn for the contact stage to be told of it, in a large island.
const COME_TOGETHER: f64 = 0.1;

/// What a contact of an island of `count` asks for because its bodies turn.
fn turned(part: &Part, bodies: &Bodies<'_>, contact: &Contact, unforced: &[Velocity], count: usize) -> Turned {
    // What a body passes in a flight is not carried by it.
    let may_ride = part.is_whole() || contact.is_near() && turning::stays(bodies, contact, unforced, part.dt);
    let is_carried = may_ride && turning::is_carried_round(bodies, contact, unforced, part.horizon());
    let is_told = is_carried || turning::is_told(bodies, contact, unforced, count, part.dt);
    if !is_told {
        if !part.is_whole() {
            return Turned::default();
        }
        let least = COME_TOGETHER * part.accuracy.overlap_bound * contact.thickness;
        let closes = turning::come_together(bodies, contact, unforced, count, [part.dt, least]);
        return Turned { drift: contact.normal * closes, ..Turned::default() };
    }
    if !is_carried {
        let half = 0.5 * part.dt;
        let drift = turning::drift(bodies, contact, unforced, half);
        let halfway = (!part.is_whole()).then(|| turning::halfway(bodies, contact, unforced, half));
        return Turned { drift, halfway, ..Turned::default() };
    }
    // In a flight velocities are those at its end, by which time bodies have turned by all of it; what is carried lags
    // where it is made to find the loads of a step.
    let lag = turning::lag(bodies, contact).min(0.5 * part.dt);
    let share = if part.is_whole() { 0.5 * part.dt } else { part.dt - lag };
    // What was carried before comes with the velocity that it was given then.
    let drift = turning::drift(bodies, contact, unforced, share);
    Turned { drift, arcs: [1.0, 1.0 - lag / share], rides: true, halfway: None }
}

/// The gap that the contact stage has to close \[m\]. In a flight the bodies move with the mean of the velocities
/// before and after, so that `u+ >= -(2 gap/dt + u-)` keeps them apart.
fn gap_to_close(part: &Part, bodies: &Bodies<'_>, contact: &Contact, unforced: &[Velocity]) -> f64 {
    if part.is_whole() {
        return contact.gap;
    }
    (2.0 * contact.gap.max(0.0) + part.dt * contact.normal_velocity(bodies.pose, unforced)).max(0.0)
}

/// Phase `impact`: the laws that are not joined to the contact stage by the release, then `contact` again on what they
/// have struck.
pub(crate) fn impact(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    motion: &mut Motions,
    exchange: &mut Exchange,
    clock: &mut Clock,
) -> ImpactTotals {
    let Exchange { active, problems, impact, .. } = exchange;
    let (view, limits) = (bodies.view(&catalogue.bodies, frames), part.limits());
    forces::note_work(&view, part.dt, motion);
    if catalogue.settings.law.is_released() || !part.is_whole() {
        return ImpactTotals::default();
    }
    let contacts = active.contacts();
    problems.find_hits(&limits, contacts.len(), &mut impact.standing);
    impact.approach(&view, contacts, &motion.unforced);
    let mut totals = impact.resolve(&catalogue.settings.law, &view, contacts, &catalogue.pairs, &limits);
    if totals.resolved > 0 {
        clock.enter(Phase::Contact);
        problems.restart(&limits, impact, active.carried(), part.dt);
        totals.swept = problems.solve_again(&limits);
        problems.write_back(&mut bodies.velocity);
        let view = bodies.view(&catalogue.bodies, frames);
        forces::note_restart(catalogue, &view, part.dt, problems, impact, motion);
    }
    totals
}

/// Phase `release`: energy tracking; enters what contacts took as pending, and notes what they carry.
pub(crate) fn release(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    motion: &mut Motions,
    exchange: &mut Exchange,
) {
    let Exchange { active, problems, pending, .. } = exchange;
    let limits: Limits = part.limits();
    let fails = |c: &Contact, gap: f64| overlap::fails(&part.accuracy, -gap / c.thickness, c.depth().max(0.0), 1.0);
    problems.find_overrun(active.contacts(), &limits, fails);
    problems.release(&limits, part.tracking(catalogue));
    problems.write_back(&mut bodies.velocity);
    if part.tracking(catalogue).is_some() {
        forces::note_release(catalogue, &bodies.view(&catalogue.bodies, frames), part.dt, motion);
    }
    // What a very short flight leaves is rounding: the next one starts from what a longer one left.
    let is_short = part.dt <= SHORT_FLIGHT * part.horizon();
    let accounts = pending.enter(catalogue.bodies.len());
    if is_short {
        problems.book(accounts, |_, _| ());
        return;
    }
    // Those between sleepers carry what they carried.
    let (carrying, carried) = active.impulses();
    carrying.clear();
    make_room(carrying, carried.len());
    carrying.extend_from_slice(carried);
    problems.book(accounts, |contact, row| {
        let (normal, tangential) = (row.normal_impulse / part.dt, row.tangential_impulse / part.dt);
        carrying[contact as usize] = Carried { normal, tangential };
    });
}

/// Refuses velocities that are not finite.
///
/// # Errors
/// [`EngineError::NotFinite`] naming the first body, and one of its contacts.
pub(crate) fn check_finite(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &BodyState,
    contacts: &[Contact],
) -> Result<(), EngineError> {
    let velocity = &bodies.velocity;
    if parallel::count(velocity, &|v| !v.is_finite()) == 0 {
        return Ok(());
    }
    let Some(i) = velocity.iter().position(|v| !v.is_finite()) else { return Ok(()) };
    let table = &catalogue.bodies;
    let contact = contacts.iter().find(|c| c.a as usize == i || c.b as usize == i);
    Err(EngineError::NotFinite {
        step: part.step,
        body: table.label(i),
        quantity: "velocity",
        contact: contact.map_or(String::new(), |c| {
            let other = if c.a as usize == i { c.b } else { c.a };
            format!(", in contact with body {}", table.label(other as usize))
        }),
    })
}
