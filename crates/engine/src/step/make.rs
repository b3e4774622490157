//! What is done once a step, and the two ways to make one.

use crate::book::Book;
use crate::book::energy::Datum;
use crate::book::report::StepReport;
use crate::step::attempt::Step;
use crate::step::divide::Stop;
use crate::step::jam::{hold, jam_error, release, release_held};
use crate::step::scratch::{START_OF_EVENTS, Scratch};
use crate::world::catalogue::Catalogue;
use crate::world::description::{JamResponse, Stepping};
use crate::world::error::EngineError;
use crate::world::overlap::OVERLAP_LIMIT;
use crate::world::state::State;

/// Makes a step of `dt` \[s\]; where driven bodies jam others, once more while those stand, if the settings say so.
///
/// # Errors
/// As [`Simulation::step`](crate::Simulation::step); the state is then the one before the step.
pub(crate) fn make_step(
    state: &mut State,
    catalogue: &Catalogue,
    dt: f64,
    scratch: &mut Scratch,
    book: &mut Book,
) -> Result<StepReport, EngineError> {
    let start = if catalogue.settings.stepping == Stepping::Event { START_OF_EVENTS } else { 0 };
    scratch.save(state, start);
    let begins_in_halves = state.control.begins_in_halves;
    let (mut held, may_yield) = (Vec::new(), catalogue.settings.jam == JamResponse::Yield);
    let mut step = Step {
        catalogue,
        datum: datum(state, catalogue, scratch, book),
        report: StepReport::default(),
        star_at_start: None,
        insisted: 0,
        state,
        scratch,
    };
    // Each turn lets at least one more driven body stand: one that stands does not press.
    loop {
        match step.make(dt, start) {
            Ok(()) => break,
            Err(Stop::Jammed(jam)) if may_yield && !jam.driven.iter().all(|i| held.contains(i)) => {
                held.extend(jam.driven);
            }
            Err(stop) => {
                step.go_back(start);
                release(step.state);
                step.state.control.begins_in_halves = begins_in_halves;
                return Err(error_of(&stop, catalogue, step.state));
            }
        }
        step.report.take_back(&StepReport::default());
        (step.star_at_start, step.insisted) = (None, 0);
        // What had to be divided is likely to have to be again.
        let is_divided = step.state.control.begins_in_halves;
        step.go_back(start);
        step.state.control.begins_in_halves = is_divided;
        hold(catalogue, step.state, &held);
        // Contacts were looked for as driven bodies moved. Without a new search cubes in the wedge before a blade
        // overlapped by 1.01 % (random scene 1115), with one by 0.94 %.
        step.state.detected.is_stale = true;
        // Parts that are undone go back to a state in which they stand.
        step.save(start);
    }
    let Step { mut report, star_at_start, state, scratch, .. } = step;
    (report.dt, report.stopped) = (dt, held.len() as u32);
    scratch.end_step(report.undone > 0);
    release_held(state, dt);
    state.steps += 1;
    state.control.mends_start &= report.largest_overlap_thin > OVERLAP_LIMIT;
    (report.step, report.time) = (state.steps, state.time);
    star_at_start.into_iter().for_each(|star| book.audit.begin(star));
    book.enter(&report);
    Ok(report)
}

/// From where energies count: the height of the first step.
fn datum(state: &State, catalogue: &Catalogue, scratch: &Scratch, book: &mut Book) -> Datum {
    let up = catalogue.up();
    let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
    let height = *book.datum.get_or_insert_with(|| bodies.lowest_point(up));
    Datum { gravity: catalogue.gravity(), point: height * up }
}

fn error_of(stop: &Stop, catalogue: &Catalogue, state: &State) -> EngineError {
    match stop {
        Stop::Failed(error) => error.clone(),
        Stop::Jammed(jam) => jam_error(catalogue, state, jam),
    }
}

impl Step<'_> {
    fn make(&mut self, dt: f64, start: usize) -> Result<(), Stop> {
        match self.catalogue.settings.stepping {
            Stepping::Margin => self.step_by_margin(dt),
            Stepping::Event => self.step_by_events(dt, start),
        }
    }
}
