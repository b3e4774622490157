//! What the frictionless laws share: thresholds, the forced end, and the bound on energy.

use crate::contact::problem::{Note, ProblemError};
use crate::laws::normal::complementarity::Complementarity;
use crate::laws::normal::problem::{NormalSystem, Report, State};

/// Approach speed below which a contact counts as not approaching, relative to the largest approach speed of the
/// problem.
pub(crate) const REST: f64 = 1e-12;
/// To what complementarity has to hold, relative to the same.
pub(crate) const EXACT: f64 = 5e-13;
/// Approach speed that counts as none where `largest` was the largest and `left` may stay \[m/s\].
pub(crate) fn threshold(largest: f64, left: f64) -> f64 {
    (REST * largest).max(left)
}

/// Growth of energy that is rounding, relative to the energy.
const ROUNDING: f64 = 1e-14;

/// Refuses a law without rounds.
pub(crate) fn check_rounds(max_rounds: u32) -> Result<(), ProblemError> {
    if max_rounds > 0 {
        return Ok(());
    }
    Err(ProblemError::Parameter { name: "max_rounds", value: 0.0, expected: "at least 1" })
}

/// Ends a law that did not end by itself: a plastic round.
pub(crate) fn force_end(system: &mut NormalSystem<'_>, all: &Complementarity, largest: f64, report: &mut Report) {
    let (_, outcome) = all.solve(system, |_| 0.0, EXACT * largest);
    report.iterations += outcome.iterations;
    report.converged = false;
    report.notes.push(Note::ForcedEnd);
}

/// Takes `answer` in place of the plastic state that the system is in, but no further than to a kinetic energy of
/// `most`.
///
/// Kinetic energy is convex between the two and least at the plastic end, so one point divides what may be taken.
pub(crate) fn bound_energy(system: &mut NormalSystem<'_>, answer: State, most: f64) {
    let (low, high) = (system.energy(&system.state), system.energy(&answer));
    if high <= most + ROUNDING * most {
        system.state = answer;
        return;
    }
    // T(share) = low + slope share + bend share^2; the middle gives the two.
    let middle = system.energy(&system.state.blend(&answer, 0.5));
    let bend = 2.0 * (low + high - 2.0 * middle);
    let slope = high - low - bend;
    let room = (most - low).max(0.0);
    let root = (slope * slope + 4.0 * bend * room).max(0.0).sqrt();
    let share = if slope + root > 0.0 { (2.0 * room / (slope + root)).min(1.0) } else { 0.0 };
    system.state = system.state.blend(&answer, share);
}

/// From the state `before` to one whose normal velocities are at least `target`, with impulses only where they are met:
/// `0 <= l perp H l + v - target >= 0`. The system is in the plastic state, and the answer is moved towards it until it
/// has no more energy than `before`.
pub(crate) fn aim(
    system: &mut NormalSystem<'_>,
    all: &Complementarity,
    before: State,
    target: &[f64],
    largest: f64,
    report: &mut Report,
) {
    let energy = system.energy(&before);
    let plastic = std::mem::replace(&mut system.state, before);
    let (_, outcome) = all.solve(system, |i| target[i], EXACT * largest);
    report.iterations += outcome.iterations;
    report.converged &= outcome.solved;
    let answer = std::mem::replace(&mut system.state, plastic);
    if outcome.solved {
        bound_energy(system, answer, energy);
    }
}

/// Normal velocities in a state that the system is not in.
pub(crate) fn speeds_in(system: &mut NormalSystem<'_>, state: &mut State) -> Vec<f64> {
    std::mem::swap(&mut system.state, state);
    let speeds = system.speeds();
    std::mem::swap(&mut system.state, state);
    speeds
}
