//! A part of a step in two functions of the state, [`solve`] and [`end`], that read as the list of [`Phase`], with
//! these turns:
//!
//! * Detection runs at the end of a part, after the move: the same contact points serve the judgement, the drift
//!   correction and the contact stage of the next part. It runs before the contact stage as well where contacts are not
//!   known far enough.
//! * The energy release works on the velocities at the end of the contact stage and on the gaps that these velocities
//!   lead to; it is computed before the poses move, because a body with unequal moments turns in the move and its
//!   velocity with it. Poses move by the velocities of the contact stage all the same: the energy is given back at
//!   touch.
//! * Phase `impact` follows the contact stage, which says what touches and what was hit, and starts it anew where
//!   something was; see `islands::impact`.
//! * Phase `observe` follows when it is decided that the part stands.
//!
//! Between the two others may say where bodies come to that make the part alone.

use std::sync::Arc;

use granule_solver::SweepCounts;

use crate::book::clock::Clock;
use crate::book::report::{Phase, StepReport};
use crate::islands::impact::ImpactTotals;
use crate::step::advance;
use crate::step::detect;
use crate::step::drive;
use crate::step::exchange;
use crate::step::flight::{any_begins, keeps_parabolas};
use crate::step::forces;
use crate::step::judge;
use crate::step::observe;
use crate::step::observe::{Opening, Outcome};
use crate::step::part::{Part, TURNS};
use crate::step::scratch::Scratch;
use crate::step::wake;
use crate::world::catalogue::Catalogue;
use crate::world::error::EngineError;
use crate::world::state::State;

/// A part of a step whose velocities are known, before anything moves by them.
pub(crate) struct Solved {
    part: Part,
    clock: Clock,
    swept: SweepCounts,
    opening: Opening,
    /// See [`Outcome::forced`] \[J\].
    forced: f64,
    impacts: ImpactTotals,
}

impl Solved {
    /// Phase `impact` goes on, for what is made instead of what was solved.
    pub(crate) fn resume_impact(&mut self) {
        self.clock.enter(Phase::Impact);
    }
}

/// Finds the velocities to which a part of a step leads.
///
/// # Errors
/// [`EngineError::Motion`] and [`EngineError::Field`] for what the embedding program gives, [`EngineError::NotFinite`]
/// where a velocity stops being finite. The state is then that of a part half made.
pub(crate) fn solve(
    state: &mut State,
    catalogue: &Catalogue,
    part: &Part,
    scratch: &mut Scratch,
) -> Result<Solved, EngineError> {
    let mut clock = scratch.clock();
    let State { bodies, rest, driven, detected, .. } = state;
    let Scratch { frames, motion, detection, exchange, sleep, alone, .. } = scratch;
    let table = &catalogue.bodies;
    alone.begin();
    clock.enter(Phase::Drive);
    drive::drive_bodies(catalogue, part, driven, bodies, motion)?;
    clock.enter(Phase::Forces);
    // Who begins in flight is asked of its contacts, before the forces of the step.
    if part.is_whole() && keeps_parabolas(catalogue) && any_begins(&bodies.view(table, frames)) {
        detect::refresh(part, &bodies.view(table, frames), detected, &mut detection.search, &mut clock);
        clock.enter(Phase::Forces);
    }
    let opening = observe::open(catalogue, part, (bodies, &detected.contacts), frames, motion);
    sleep.begin_step();
    wake::drawn(catalogue, part, bodies, rest, sleep);
    forces::apply_forces(catalogue, part, bodies, frames, (&mut motion.field_forces, &mut motion.dragged))?;
    detection.search.reach.ask_for_nothing();
    let (mut turn, mut swept) = (0, SweepCounts::default());
    let (forced, impacts) = loop {
        turn += 1;
        let may_turn = turn < TURNS;
        detect::refresh(part, &bodies.view(table, frames), detected, &mut detection.search, &mut clock);
        if wake::met(catalogue, part, bodies, rest, &detected.contacts, sleep)
            && wake::welcome(catalogue, part, bodies, frames, &detected.contacts, motion.noted(), sleep)
        {
            detect::look(part.ahead(), &bodies.view(table, frames), detected, &mut detection.search, &mut clock);
        }
        motion.forced.clone_from(&bodies.velocity);
        let forced = part.datum.energies(&bodies.view(table, frames)).kinetic();
        clock.enter(Phase::Closing);
        exchange::closing(catalogue, part, bodies, frames, &detected.contacts, exchange);
        clock.enter(Phase::Islands);
        exchange::islands(catalogue, bodies, frames, exchange);
        clock.enter(Phase::Contact);
        swept += exchange::contact(catalogue, part, bodies, frames, motion, exchange);
        let wakes = may_turn && wake::loaded(catalogue, part, bodies, rest, exchange, sleep);
        let (moving, reach) = (bodies.view(table, frames), &mut detection.search.reach);
        let reaches_further =
            may_turn && detect::reaches_further(part, &moving, &detected.contacts, &motion.transport, reach);
        if !(wakes || reaches_further) {
            clock.enter(Phase::Impact);
            let impacts = exchange::impact(catalogue, part, bodies, frames, motion, exchange, &mut clock);
            swept += impacts.swept;
            clock.enter(Phase::Release);
            exchange::release(catalogue, part, bodies, frames, motion, exchange);
            // What touches a sleeper and presses nothing may be thrown against it all the same.
            if !(may_turn && wake::loaded(catalogue, part, bodies, rest, exchange, sleep)) {
                break (forced, impacts);
            }
        }
        detected.is_stale |= detection.search.reach.asks();
        wake::start_over(catalogue, part, bodies, frames, detected, motion, sleep);
    };
    exchange::check_finite(catalogue, part, bodies, exchange.active.contacts())?;
    Ok(Solved { part: *part, clock, swept, opening, forced, impacts })
}

/// Moves the bodies on by a part that is solved, those that have made it alone to where they came, and finds the
/// contacts to which that leads. Whether it stands is said by what failed, which the scratch lists; the state that was
/// may be put back.
///
/// # Errors
/// [`EngineError::Field`] and [`EngineError::NotFinite`] where a body moves to where it is not finite. The state is
/// then that of a part half made.
pub(crate) fn end(
    state: &mut State,
    catalogue: &Catalogue,
    solved: Solved,
    scratch: &mut Scratch,
) -> Result<Outcome, EngineError> {
    let State { bodies, rest, driven, detected, control, .. } = state;
    let Scratch { frames, motion, detection, exchange, sleep, failed, alone, .. } = scratch;
    let Solved { part, mut clock, swept, opening, forced, mut impacts } = solved;
    let (part, table) = (&part, &catalogue.bodies);
    clock.enter(Phase::Advance);
    if !alone.members().is_empty() && !catalogue.settings.law.is_released() {
        // Whoever was struck has made the part alone.
        impacts = ImpactTotals::default();
        exchange.impact.begin();
    }
    detect::depart(part, &bodies.view(table, frames), motion, &mut detection.crossings);
    advance::advance_bodies(catalogue, part, bodies, frames, motion, exchange.problems.components().free_bodies())?;
    drive::arrive(table, driven, &motion.targets, &mut bodies.pose, frames);
    alone.enter(table, bodies, rest, frames);
    let (moved, active) = (bodies.view(table, frames), &exchange.active);
    let (pairs, moves) = (&mut detected.pairs, (&motion.departed[..], alone.members()));
    let mut found = detect::after_the_move(part, &moved, pairs, active, moves, detection, &mut clock);
    clock.enter(Phase::Correct);
    alone.settle(bodies, Arc::make_mut(&mut found));
    detect::correct(catalogue, part, control.mends_start, (bodies, frames), &mut found, exchange, alone.members());
    detect::install(found, detected, &mut detection.search);
    advance::check_finite(catalogue, part, bodies)?;
    let (before, now) = (exchange.active.contacts(), &detected.contacts.list);
    wake::unpropped(catalogue, bodies, rest, before, now, sleep);
    clock.enter(Phase::Judge);
    let mut report = StepReport { swept, ..StepReport::default() };
    (report.largest_overlap, report.largest_overlap_thin) =
        judge::judge(&part.accuracy, now, before, [1.0, part.of_step], failed);
    clock.leave();
    report.seconds = clock.seconds;
    Ok(Outcome { part: *part, report, opening, forced, impacts })
}
