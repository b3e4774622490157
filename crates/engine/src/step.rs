//! The step.
//!
//! Phases run in the order of [`Phase::ALL`], with four turns of that circle that the figures asked for:
//!
//! * Phase `forces` comes before `islands`: which contacts can close in the step is said by the velocities with forces;
//!   see `closing`.
//! * Detection runs once per step, *after* the move: the same contact points serve the overlap check, the drift
//!   correction and the contact stage of the next step. Phases `broadphase` and `narrowphase` of a step are therefore
//!   done at the end of the one before, or at its start when bodies were added or removed.
//! * The energy release works on the velocities at the end of the contact stage and on the gaps that these velocities
//!   lead to; it is computed before the poses move, because a body with unequal moments turns in the move and its
//!   velocity with it. Poses move by the velocities of the contact stage all the same: the energy is given back at
//!   touch.
//! * Phase `impact` follows the contact stage, which says what touches and what was hit, and starts it anew where
//!   something was; see `impact`.
//!
//! A step in which contacts were pressed too deep is undone for those that hang together with them and made again in
//! halves: `divide`. The phases themselves are in `substep`. A step that cannot be made leaves the state before it.
//!
//! Tracing span `step` holds the spans of its phases, those of undone attempts included.

use tracing::trace_span;

use crate::check;
use crate::description::Stepping;
use crate::detection::Contact;
use crate::divide::{DEEPEST_THIN, OVERLAP_LIMIT, Stop};
use crate::error::EngineError;
use crate::jam::JamResponse;
use crate::parallel;
use crate::report::{Phase, StepReport};
use crate::simulation::Simulation;

/// Where the state at the start of a step from impact to impact is kept, beyond those of its parts.
const START_OF_EVENTS: usize = DEEPEST_THIN + 3;

impl Simulation {
    /// Makes one step of the chosen length.
    ///
    /// # Errors
    /// [`EngineError::Motion`] and [`EngineError::Field`] when what the embedding program gives is not finite,
    /// [`EngineError::Jam`] when bodies are caught between a driven one and others; [`EngineError::LeftDomain`] when
    /// the step before took a body out of a domain that says so; [`EngineError::NotFinite`] when a state stops being
    /// finite for another reason: every later step then returns the same error. [`EngineError::Setting`] as
    /// [`Simulation::step_by`]. The state is in each case the one before the step.
    pub fn step(&mut self) -> Result<StepReport, EngineError> {
        let dt = self.choose_time_step();
        self.step_by(dt)
    }

    /// Makes one step of length `dt` \[s\]: for a last step that must end at a given time.
    ///
    /// # Errors
    /// As [`Simulation::step`]; [`EngineError::Setting`] when `dt` is not a finite time above zero, when it is lost in
    /// the rounding of the time, and when a body would go further than 1e12 m in it.
    pub fn step_by(&mut self, dt: f64) -> Result<StepReport, EngineError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.check_step(dt)?;
        if let Some(report) = self.sleep_on(dt) {
            return Ok(report);
        }
        self.check_domain()?;
        if self.datum.is_none() {
            self.datum = Some(self.lowest_point());
        }
        let largest = self.bodies.len().max(self.detection.contacts.len());
        if largest >= parallel::LEAST && rayon::current_thread_index().is_none() {
            // On a thread of rayon's own: from outside each of some hundred parallel loops of a step waits to be woken,
            // which took 6 % of the time of 10 000 spheres and 15 % of that of 3000 cubes.
            return rayon::scope(|_| self.step_awake(dt));
        }
        self.step_awake(dt)
    }

    /// Makes a step of length `dt` \[s\] that has something to do.
    fn step_awake(&mut self, dt: f64) -> Result<StepReport, EngineError> {
        let _span = trace_span!("step").entered();
        let slept = self.is_asleep();
        let mut report = StepReport { dt, ..StepReport::default() };
        if let Err(error) = self.make_step(dt, &mut report) {
            self.failed = matches!(error, EngineError::NotFinite { .. }).then(|| error.clone());
            return Err(error);
        }
        self.steps += 1;
        self.audit.record(&report.energy);
        self.impacts.add(&report);
        self.jam_stops += u64::from(report.stopped);
        self.mends_start &= report.largest_overlap_thin > OVERLAP_LIMIT;
        self.largest_overlap = self.largest_overlap.max(report.largest_overlap);
        self.largest_overlap_thin = self.largest_overlap_thin.max(report.largest_overlap_thin);
        self.remove_leavers();
        let qualifies = self.rest_criterion.qualifies(
            &self.bodies,
            &self.detection.contacts,
            self.settings.gravity.length(),
            &mut self.pivots,
        );
        self.rest_time = if qualifies { self.rest_time + dt } else { 0.0 };
        (report.step, report.time) = (self.steps, self.time);
        report.touching = parallel::count(&self.detection.contacts, &Contact::touches);
        report.awake = (0..self.bodies.len()).filter(|i| self.bodies.awake(*i)).count();
        let undisturbed = self.fields.is_empty() && self.bodies.driven.iter().all(Option::is_none);
        self.asleep = (slept && report.awake == 0 && undisturbed).then_some(report);
        self.review_time_step();
        Ok(report)
    }

    /// Checks the length of a step against the time and the speeds that there are.
    fn check_step(&self, dt: f64) -> Result<(), EngineError> {
        check::time_step(dt)?;
        let bad = |expected| Err(EngineError::Setting { field: "time_step", value: dt, expected });
        if self.time + dt == self.time {
            return bad("long enough to be told from the rounding of the time");
        }
        // What the first step took is short, and the usual case.
        if self.steps > 0 && self.choice.as_ref().is_some_and(|choice| dt <= choice.step) {
            return Ok(());
        }
        let awake = (0..self.bodies.len()).filter(|i| self.bodies.awake(*i));
        let fastest = awake.map(|i| self.bodies.velocity[i].linear.length()).fold(0.0, f64::max);
        let speed = fastest + self.settings.gravity.length() * dt;
        // Written so that NaN is too far.
        if speed * dt <= check::LONGEST {
            Ok(())
        } else {
            bad("short enough for no body to go further than 1e12 m in it")
        }
    }

    /// Makes a step; where driven bodies jam others, once more while those stand, if the settings say so.
    fn make_step(&mut self, dt: f64, report: &mut StepReport) -> Result<(), EngineError> {
        let begun = *report;
        let in_halves = self.begins_in_halves;
        let start = if self.settings.stepping == Stepping::Event { START_OF_EVENTS } else { 0 };
        self.remember(start);
        // Only driven bodies jam; steps from impact to impact may be made again as ordinary ones.
        if self.settings.stepping == Stepping::Event || self.bodies.driven.iter().any(Option::is_some) {
            self.remember_contacts(start);
        }
        // Each turn lets at least one more driven body stand.
        loop {
            self.insisted = 0;
            let made = match self.settings.stepping {
                Stepping::Margin => self.step_by_margin(dt, report),
                Stepping::Event => self.step_by_events(dt, start, report),
            };
            let jam = match made {
                Ok(()) => {
                    self.release_held(dt);
                    return Ok(());
                }
                Err(Stop::Jammed(jam)) if self.settings.jam == JamResponse::Yield => jam,
                Err(stop) => {
                    self.go_all_back(start);
                    self.begins_in_halves = in_halves;
                    return Err(self.error_of(&stop));
                }
            };
            report.take_back(&begun);
            report.stopped += jam.driven.len() as u32;
            self.go_all_back(start);
            self.hold(&jam.driven);
        }
    }

    fn error_of(&self, stop: &Stop) -> EngineError {
        match stop {
            Stop::Failed(error) => error.clone(),
            Stop::Jammed(jam) => self.jam_error(jam),
        }
    }

    /// A step of a simulation in which everything sleeps and nothing is driven: what the last one said, and time goes
    /// on. None when there is something to do.
    fn sleep_on(&mut self, dt: f64) -> Option<StepReport> {
        let last = self.asleep.filter(|last| last.dt == dt && !self.detection.stale)?;
        let _span = trace_span!("step").entered();
        self.steps += 1;
        self.time += dt;
        if self.rest_time > 0.0 {
            self.rest_time += dt;
        }
        Some(StepReport { step: self.steps, time: self.time, seconds: [0.0; Phase::ALL.len()], ..last })
    }

    /// Whether there are dynamic bodies and all of them sleep.
    fn is_asleep(&self) -> bool {
        let mut dynamic = (0..self.bodies.len()).filter(|i| self.bodies.dynamic[*i]).peekable();
        dynamic.peek().is_some() && dynamic.all(|i| self.bodies.asleep[i])
    }
}
