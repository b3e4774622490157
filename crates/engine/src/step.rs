//! The step.
//!
//! A step is made of parts: one, unless contacts were pressed too deep, which has it divided ([`divide`]), or unless it
//! goes from impact to impact ([`event`]). What is done once a step is in [`make`]; what each part does is
//! [`substep`], a function of the state that reads as the list of [`Phase`], with these turns:
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
//! Tracing span `step` holds the spans of its phases, those of undone attempts included.

pub(crate) mod advance;
pub(crate) mod attempt;
pub(crate) mod detect;
pub(crate) mod divide;
pub(crate) mod drive;
pub(crate) mod event;
pub(crate) mod exchange;
pub(crate) mod forces;
pub(crate) mod jam;
pub(crate) mod make;
pub(crate) mod observe;
pub(crate) mod part;
pub(crate) mod scratch;

use crate::book::clock::Clock;
use crate::book::report::{Phase, StepReport};
use crate::step::observe::Outcome;
use crate::step::part::{Part, TURNS};
use crate::step::scratch::Scratch;
use crate::world::catalogue::Catalogue;
use crate::world::error::EngineError;
use crate::world::state::State;

/// Moves the bodies on by a part of a step and finds the contacts that they come to. Whether it stands is said by what
/// failed, which the scratch lists; the state that was may be put back.
///
/// # Errors
/// [`EngineError::Motion`] and [`EngineError::Field`] for what the embedding program gives, [`EngineError::NotFinite`]
/// where a velocity stops being finite. The state is then that of a part half made.
pub(crate) fn substep(
    state: &mut State,
    catalogue: &Catalogue,
    part: &Part,
    scratch: &mut Scratch,
) -> Result<Outcome, EngineError> {
    let mut clock = Clock::start();
    clock.enter(Phase::Drive);
    drive::drive_bodies(catalogue, part, state, &mut scratch.motion)?;
    clock.enter(Phase::Forces);
    let opening = observe::open(catalogue, part, state, scratch);
    exchange::wake_drawn(catalogue, part, state, &mut scratch.sleep);
    forces::apply_forces(catalogue, part, state, &scratch.frames, &mut scratch.motion)?;
    exchange::begin(scratch);
    let mut turn = 0;
    let (forced, impacts) = loop {
        turn += 1;
        exchange::prepare(catalogue, part, state, scratch, &mut clock);
        let forced = observe::kinetic(catalogue, part, state, scratch);
        clock.enter(Phase::Closing);
        exchange::closing(catalogue, part, state, scratch);
        clock.enter(Phase::Islands);
        exchange::islands(catalogue, state, scratch);
        clock.enter(Phase::Contact);
        exchange::contact(catalogue, part, state, scratch);
        if turn < TURNS && exchange::is_to_be_made_again(catalogue, part, state, scratch) {
            exchange::start_over(catalogue, part, state, scratch);
            continue;
        }
        clock.enter(Phase::Impact);
        let impacts = exchange::impact(catalogue, part, state, scratch, &mut clock);
        clock.enter(Phase::Release);
        exchange::release(catalogue, part, state, scratch);
        // What touches a sleeper and presses nothing may be thrown against it all the same.
        if turn < TURNS && exchange::wake_loaded(catalogue, part, state, scratch) {
            exchange::start_over(catalogue, part, state, scratch);
            continue;
        }
        break (forced, impacts);
    };
    exchange::check_finite(catalogue, state, scratch.active.contacts())?;
    clock.enter(Phase::Advance);
    advance::advance_bodies(catalogue, part, state, scratch)?;
    let mut found = detect::after_the_move(catalogue, part, state, scratch, &mut clock);
    clock.enter(Phase::Correct);
    detect::correct(catalogue, part, state, &mut found, scratch);
    detect::install(found, state, &mut scratch.search);
    exchange::wake_unpropped(catalogue, state, scratch);
    clock.enter(Phase::Judge);
    divide::judge(&state.contacts.list, scratch.active.contacts(), 1.0, &mut scratch.failed);
    let mut report = StepReport::default();
    (report.largest_overlap, report.largest_overlap_thin) = divide::overlaps(&state.contacts.list, |_| true);
    clock.leave();
    report.seconds = clock.seconds;
    Ok(Outcome { part: *part, report, opening, forced, impacts })
}
