//! How a simulation is stepped: the length of the step, the step itself (`step`), and what follows it.

use tracing::trace_span;

use crate::book::report::{PhaseSeconds, StepReport};
use crate::interface::simulation::Simulation;
use crate::step::flight::keeps_parabolas;
use crate::step::make;
use crate::world::check;
use crate::world::contact::Contact;
use crate::world::error::EngineError;
use crate::world::parallel;
use crate::world::state::State;

impl Simulation {
    /// Makes one step of the chosen length.
    ///
    /// # Errors
    /// [`EngineError::Motion`] and [`EngineError::Field`] when what the embedding program gives is not finite,
    /// [`EngineError::Jam`] when bodies are caught between a driven one and others; [`EngineError::LeftDomain`] when
    /// a body is outside of a domain that makes that an error; [`EngineError::NotFinite`] when a state stops being
    /// finite for another reason: every later step then returns the same error. [`EngineError::Setting`] as
    /// [`Simulation::step_by`]. The state is in each case the one before the step.
    pub fn step(&mut self) -> Result<StepReport, EngineError> {
        let is_chosen = self.standing_choice().is_some();
        let before = (!is_chosen).then(|| (self.state.control, self.book.step_decided_by.clone()));
        let dt = self.choose_time_step();
        let made = self.step_by(dt);
        if let (Err(_), Some((control, decided_by))) = (&made, before) {
            (self.state.control, self.book.step_decided_by) = (control, decided_by);
        }
        made
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
        let largest = self.catalogue.bodies.len().max(self.state.detected.contacts.list.len());
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
        let Simulation { catalogue, state, book, scratch, .. } = self;
        let mut report = make::make_step(state, catalogue, dt, scratch, book).inspect_err(|error| {
            self.failed = matches!(error, EngineError::NotFinite { .. }).then(|| error.clone());
        })?;
        self.find_flights();
        if self.remove_leavers() {
            self.tell_energies(&mut report);
        }
        self.look_for_rest(dt);
        let bodies = self.bodies();
        report.touching = parallel::count(&self.state.detected.contacts.list, &Contact::touches);
        report.awake = (0..bodies.len()).filter(|i| bodies.awake(*i)).count();
        let undisturbed = self.catalogue.fields.is_empty() && self.catalogue.bodies.driven.is_empty();
        self.asleep = (slept && report.awake == 0 && undisturbed).then_some(report);
        self.review_time_step();
        Ok(report)
    }

    /// Finds who flies after a step, for its velocity to be told.
    fn find_flights(&mut self) {
        let Simulation { catalogue, state, scratch, flights, .. } = self;
        flights.clear();
        if keeps_parabolas(catalogue) {
            let bodies = state.bodies.view(&catalogue.bodies, &scratch.frames);
            let contacts = (&*state.detected.contacts, &scratch.exchange.active);
            flights.find_after(&bodies, contacts, scratch.alone.members(), catalogue.gravity());
        }
    }

    /// Brings the energies of a report up to date after bodies have left.
    fn tell_energies(&self, report: &mut StepReport) {
        let Some(datum) = self.datum() else { return };
        let now = datum.energies(&self.bodies());
        let energy = &mut report.energy;
        (energy.kinetic, energy.potential, energy.star) = (now.kinetic(), now.potential, now.conserved());
    }

    /// Says after a step of `dt` \[s\] for how long the criterion for rest has held.
    fn look_for_rest(&mut self, dt: f64) {
        let bodies = self.state.bodies.view(&self.catalogue.bodies, &self.scratch.frames);
        let (contacts, gravity) = (&self.state.detected.contacts.list, self.catalogue.gravity().length());
        let qualifies = self.rest_criterion.qualifies(&bodies, contacts, gravity, &mut self.pivots);
        let time = &mut self.state.control.rest_time;
        *time = if qualifies { *time + dt } else { 0.0 };
    }

    /// A step of a simulation in which everything sleeps and nothing is driven: what the last one said, and time goes
    /// on. None when there is something to do.
    fn sleep_on(&mut self, dt: f64) -> Option<StepReport> {
        let last = self.asleep.filter(|last| last.dt == dt && !self.state.detected.is_stale)?;
        let _span = trace_span!("step").entered();
        let State { steps, time, control, .. } = &mut self.state;
        *steps += 1;
        *time += dt;
        if control.rest_time > 0.0 {
            control.rest_time += dt;
        }
        Some(StepReport { step: *steps, time: *time, seconds: PhaseSeconds::default(), ..last })
    }

    /// Whether there are dynamic bodies and all of them sleep.
    fn is_asleep(&self) -> bool {
        let bodies = self.bodies();
        let mut dynamic = (0..bodies.len()).filter(|i| bodies.dynamic[*i]).peekable();
        dynamic.peek().is_some() && dynamic.all(|i| bodies.asleep[i])
    }

    /// Checks the length of a step against the time and the speeds that there are.
    fn check_step(&self, dt: f64) -> Result<(), EngineError> {
        check::time_step(dt)?;
        let bad = |expected| Err(EngineError::Setting { field: "time_step", value: dt, expected });
        if self.state.time + dt == self.state.time {
            return bad("long enough to be told from the rounding of the time");
        }
        // What the first step took is short, and the usual case.
        if self.state.steps > 0 && self.state.control.chosen_step.is_some_and(|chosen| dt <= chosen) {
            return Ok(());
        }
        let bodies = self.bodies();
        let awake = (0..bodies.len()).filter(|i| bodies.awake(*i));
        let fastest = awake.map(|i| bodies.velocity[i].linear.length()).fold(0.0, f64::max);
        let speed = fastest + self.catalogue.gravity().length() * dt;
        // Written so that NaN is too far.
        if speed * dt <= check::LONGEST {
            Ok(())
        } else {
            bad("short enough for no body to go further than 1e12 m in it")
        }
    }
}
