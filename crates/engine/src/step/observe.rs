//! Phase `observe`: who falls asleep, and the energies of a part of a step that stands.

use granule_model::Velocity;

use crate::book::report::{EnergyReport, Phase, StepReport};
use crate::islands::impact::ImpactTotals;
use crate::islands::problems::Totals;
use crate::islands::sleep::{Sleep, Sleepers};
use crate::step::flight::keeps_parabolas;
use crate::step::forces;
use crate::step::part::Part;
use crate::step::scratch::{Exchange, Motions, Scratch};
use crate::world::account::stands;
use crate::world::bodies::{BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::contact::Contacts;
use crate::world::parallel;
use crate::world::state::State;

/// A part of a step that was made, and may stand or be undone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) part: Part,
    /// Counts and times; the energies follow when it is observed.
    pub(crate) report: StepReport,
    pub(crate) opening: Opening,
    /// Kinetic energy with the forces of the part \[J\].
    pub(crate) forced: f64,
    pub(crate) impacts: ImpactTotals,
}

/// The energies with which a part begins \[J\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// E*.
    pub(crate) star: f64,
}

/// Gives every body awake the length of the part that it now makes, and notes with what energies it begins.
///
/// In touch stepping a body in free flight keeps to its parabola where that length is another, or its first one: the
/// velocity changes by `g (h_0 - h)/2`, and the plain energy with it ([`flight`](crate::step::flight)). With the
/// velocity as it was, a ball that was not touched came out `g h^2/4` beside its way where the step was divided for
/// others, two that bounce lost 0.3 % of their energy, and one thrown up at 5 m/s in steps of 1/60 s rose by 3 % less.
pub(crate) fn open(
    catalogue: &Catalogue,
    part: &Part,
    (bodies, contacts): (&mut BodyState, &Contacts),
    frames: &Frames,
    motion: &mut Motions,
) -> Opening {
    let (table, gravity, star_time) = (&catalogue.bodies, catalogue.gravity(), part.star_time());
    let Motions { star_before, step_change, unforced, flights, .. } = motion;
    step_change.clear();
    step_change.resize(table.len(), 0.0);
    let changes = |bodies: &BodyState, i: usize| bodies.awake(table, i) && bodies.step[i] != star_time;
    flights.clear();
    if part.is_whole() && keeps_parabolas(catalogue) && (0..table.len()).any(|i| changes(bodies, i)) {
        flights.find(&bodies.view(table, frames), contacts, gravity, part.dt);
    }
    for i in 0..table.len() {
        if !changes(bodies, i) {
            continue;
        }
        let star = |bodies: &BodyState| {
            let motion = bodies.motion(table, i);
            motion.translational_energy() + motion.step_term(gravity)
        };
        let at_first = star(bodies);
        let before = std::mem::replace(&mut bodies.step[i], star_time);
        if flights.flies(i) {
            bodies.velocity[i].linear += 0.5 * (before.max(0.0) - star_time) * gravity;
            unforced[i] = bodies.velocity[i];
        }
        // What a body that has made no step yet comes in with is where its book begins.
        if before >= 0.0 {
            step_change[i] = star(bodies) - at_first;
        }
    }
    let bodies = bodies.view(table, frames);
    let star = part.datum.energies(&bodies).conserved();
    parallel::fill(star_before, bodies.len(), &|i| part.datum.star_of(&bodies, i));
    Opening { star }
}

/// Observes a part that stands for the bodies that are not of `undone`, an empty list naming none: books what its
/// contacts took, puts bodies to sleep, and reports.
pub(crate) fn observe(
    catalogue: &Catalogue,
    outcome: &Outcome,
    undone: &[bool],
    state: &mut State,
    scratch: &mut Scratch,
) -> StepReport {
    let mut clock = scratch.clock();
    clock.enter(Phase::Observe);
    scratch.exchange.pending.accept(&mut state.bodies.account, undone);
    let mut totals = scratch.exchange.problems.totals(undone);
    totals.add_impacts(&outcome.impacts);
    let mut report = outcome.report;
    report.energy = energies(catalogue, outcome, &totals, undone, state, scratch);
    report.energy.rises = rises(catalogue, outcome, undone, state, scratch, report.energy.star_change);
    clock.leave();
    for (sum, x) in report.seconds.iter_mut().zip(clock.seconds) {
        *sum += x;
    }
    report.pairs = state.detected.pairs.pairs().len();
    report.contacts = state.detected.contacts.list.len();
    report.islands = scratch.exchange.problems.count();
    report.largest_island = scratch.exchange.problems.largest();
    report.count(&totals);
    report
}

impl StepReport {
    /// Fills in the counts of a part.
    fn count(&mut self, totals: &Totals) {
        self.sweeps = totals.sweeps;
        self.residual = totals.residual;
        self.unconverged = totals.unconverged;
        self.scaled = totals.scaled;
        self.hits = totals.hits;
        self.rounds = totals.rounds;
        self.impact_iterations = totals.impulses;
        self.forced = totals.forced;
        self.cut_short = totals.cut_short;
        self.resolved = totals.resolved;
        self.substituted = totals.substituted;
        self.fallbacks = totals.fallbacks;
    }
}

/// The energies of a part; puts bodies to sleep.
fn energies(
    catalogue: &Catalogue,
    outcome: &Outcome,
    totals: &Totals,
    undone: &[bool],
    state: &mut State,
    scratch: &mut Scratch,
) -> EnergyReport {
    let Outcome { part, forced, .. } = outcome;
    let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
    let correction_work = scratch.exchange.correction.work(&bodies, catalogue.gravity(), undone);
    let Motions { field_work, drag_work, scheme, step_change, .. } = &scratch.motion;
    let [field_work, drag_work, scheme_change, step_change] =
        [field_work, drag_work, scheme, step_change].map(|of_bodies| forces::sum_but_for(undone, of_bodies));
    let slept = if catalogue.settings.sleeping { settle(catalogue, part, state, &mut scratch.sleep) } else { 0.0 };
    let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
    let now = part.datum.energies(&bodies);
    let Motions { star_before, star_after, .. } = &mut scratch.motion;
    parallel::fill(star_after, bodies.len(), &|i| part.datum.star_of(&bodies, i));
    let change = |i: usize| star_after[i] - star_before[i];
    let change = parallel::sum(0..bodies.len(), &|range| range.filter(|i| stands(undone, *i)).map(change).sum::<f64>());
    let star_change = change - totals.driven_work - field_work;
    let report = EnergyReport {
        kinetic: now.kinetic(),
        potential: now.potential,
        star: now.conserved(),
        driven_work: totals.driven_work,
        field_work,
        dissipated_impact: totals.impact,
        dissipated_friction: totals.friction,
        dissipated_contact: totals.contact,
        dissipated_drag: -drag_work,
        dissipated_sleep: slept,
        correction_work,
        step_change,
        scheme_change,
        imbalance: 0.0,
        rises: 0.0,
        star_change,
        stage_gain: (totals.kinetic_change / energy_given(catalogue, part, *forced)).max(totals.impact_gain),
        impact_error: totals.impact_error,
    };
    EnergyReport { imbalance: report.unexplained(), ..report }
}

/// Puts bodies at rest to sleep; returns what that takes from E* \[J\].
fn settle(catalogue: &Catalogue, part: &Part, state: &mut State, sleep: &mut Sleep) -> f64 {
    let State { bodies, rest, detected, .. } = state;
    let (table, contacts) = (&catalogue.bodies, &detected.contacts.list);
    let mut of = Sleepers { table, bodies, rest };
    sleep.find_held(&mut of, contacts, |c| *catalogue.pairs.at(table, c));
    let taken = sleep.settle(&mut of, contacts, &part.surroundings());
    if !catalogue.fields.is_empty() {
        for i in sleep.fallen.iter().map(|i| *i as usize) {
            let force = catalogue.field_force(i, &of.bodies.pose[i], &Velocity::ZERO, part.time);
            of.note_field(i, force);
        }
    }
    taken
}

/// Kinetic energy that the stages were given, `forced` as it came in; for a flight, which may be as short as rounding
/// lets it, at least what gravity gives in a whole step \[J\].
fn energy_given(catalogue: &Catalogue, part: &Part, forced: f64) -> f64 {
    if part.is_whole() {
        return forced.max(f64::MIN_POSITIVE);
    }
    let (table, speed) = (&catalogue.bodies, catalogue.gravity().length() * part.horizon());
    let mass: f64 = (0..table.len()).filter(|i| table.dynamic[*i]).map(|i| table.mass[i]).sum();
    forced.max(0.5 * mass * speed * speed).max(f64::MIN_POSITIVE)
}

/// Rises of E* in the part, island by island, without what the drift correction lifts, which has a book of its own.
/// Laws that resolve impacts cluster by cluster book the work of driven bodies for all of them together: of their
/// impacts the `change` of the whole is all that can be judged.
fn rises(
    catalogue: &Catalogue,
    outcome: &Outcome,
    undone: &[bool],
    state: &State,
    scratch: &Scratch,
    change: f64,
) -> f64 {
    let part = &outcome.part;
    if !catalogue.settings.law.is_released() && part.is_whole() {
        return change.max(0.0);
    }
    let Scratch { motion, exchange: Exchange { correction, problems, .. }, frames, .. } = scratch;
    let (bodies, gravity) = (state.bodies.view(&catalogue.bodies, frames), catalogue.gravity());
    let field = |i: usize| motion.field_work.get(i).copied().unwrap_or(0.0);
    let put_in = |i: usize| correction.work_on(&bodies, gravity, i) + field(i);
    problems.rises(undone, |i| motion.star_after[i] - motion.star_before[i] - put_in(i))
}
