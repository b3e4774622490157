//! One pass through the phases: a step, or a part of one, for all bodies or for a group of them.
//!
//! An [attempt](Simulation::attempt) moves the bodies and finds the contacts that they come to. Whether it stands is
//! said by `divide`, which then has it [booked](Simulation::book) or goes back to where it began.
//!
//! Contacts are looked for at the end of the pass before, up to a margin that follows from the speeds of then. Before
//! the contact stage it is made sure that they will do for this one ([`Simulation::prepare`]): they are looked for anew
//! where bodies may move further than that, because the step is longer or a driven body or a force has begun to act,
//! and where sleepers wake. Where the stage itself shows that a sleeper gives way, or carries a body through more than
//! what was looked at, it is made again; [`TURNS`] bounds how often.

use granule_forces::Force;
use granule_measure::Energies;
use granule_model::{DVec3, Pose, Velocity};
use rayon::prelude::*;

use crate::bodies::Bodies;
use crate::check;
use crate::clock::Clock;
use crate::description::Integrator;
use crate::detection::{Contact, Detection};
use crate::divide;
use crate::drive;
use crate::error::EngineError;
use crate::impact::ImpactTotals;
use crate::islands::{State, Totals};
use crate::parallel;
use crate::report::{EnergyReport, Phase, StepReport};
use crate::simulation::Simulation;
use crate::sleep::Surroundings;

/// Flights up to this share of a step leave no impulses to start from.
const SHORT_FLIGHT: f64 = 1e-3;
/// How often the contact stage is made again because sleepers woke or bodies turned out to reach further. Each turn in
/// which sleepers wake rouses at least as many as all before it: 16 reach 30 000 in a row.
pub(crate) const TURNS: u32 = 16;

/// What a pass through the phases does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pass {
    /// A step or a part of one, with its impacts.
    #[default]
    Whole,
    /// The motion between two impacts.
    Flight,
}

/// A pass that was made and is not booked yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    dt: f64,
    /// Counts and times; the energies follow when it is booked.
    pub(crate) report: StepReport,
    /// E* at the start, and the kinetic energy with the forces of the step \[J\].
    start: f64,
    forced: f64,
    step_change: f64,
    impacts: ImpactTotals,
}

impl Simulation {
    /// Moves the bodies on by `dt`.
    pub(crate) fn attempt(&mut self, dt: f64, pass: Pass) -> Result<Attempt, EngineError> {
        self.pass = pass;
        let mut clock = Clock::start();
        clock.enter(Phase::Drive);
        self.accounts.open(&self.bodies, self.settings.gravity);
        self.unforced.clone_from(&self.bodies.velocity);
        drive::drive(&mut self.bodies, self.time, dt).map_err(|astray| self.astray(astray))?;
        clock.enter(Phase::Forces);
        let step_change = self.begin_steps(self.star_time(dt));
        let start = self.energies();
        self.note_star();
        self.wake_drawn(dt);
        self.apply_forces(dt).map_err(|body| self.pulled_apart(body))?;
        self.detection.ask_for_nothing();
        let (forced, impacts) = self.exchange(dt, &mut clock);
        self.check_finite()?;
        clock.enter(Phase::Advance);
        let has_meshes = !self.bodies.meshes.is_empty();
        let may_cross = pass == Pass::Whole && self.detection.may_cross(&self.bodies, dt);
        if has_meshes || may_cross {
            self.departed.clone_from(&self.bodies.pose);
        }
        self.advance(dt).map_err(|body| self.pulled_apart(body))?;
        if may_cross {
            self.detection.find_crossings(&self.bodies, &self.departed);
        }
        self.detect(dt, &mut clock);
        self.detection.add_crossings();
        if has_meshes {
            self.detection.find_passages(&self.bodies, &self.departed);
        }
        clock.enter(Phase::Advance);
        self.correct_drift(dt);
        let Detection { previous, contacts, .. } = &self.detection;
        self.sleep.wake_unpropped(&mut self.bodies, previous, contacts);
        clock.leave();
        let mut report = StepReport { seconds: clock.seconds, ..StepReport::default() };
        report.largest_overlap = self.overlap();
        report.largest_overlap_thin = self.overlap_where(|_| true, |c| c.thickness);
        Ok(Attempt { dt, report, start: start.conserved(), forced, step_change, impacts })
    }

    /// Phases `islands` to `release`: what bodies do to each other. Made again while sleepers turn out to take part, or
    /// bodies to reach further; returns the kinetic energy with the forces of the step \[J\] and what the impacts were.
    fn exchange(&mut self, dt: f64, clock: &mut Clock) -> (f64, ImpactTotals) {
        self.sleep.begin_step();
        for turn in 1.. {
            self.prepare(dt, clock);
            self.forced.clone_from(&self.bodies.velocity);
            let forced = self.energies().kinetic();
            clock.enter(Phase::Islands);
            if self.pass == Pass::Whole {
                let Detection { contacts, carried, .. } = &mut self.detection;
                self.closing.leave_out(&self.bodies, contacts, carried, dt);
            }
            self.problems.find(&self.bodies, &self.detection.contacts);
            clock.enter(Phase::Contact);
            self.impact.withstood.clear();
            self.solve_contacts(dt);
            if turn < TURNS && (self.wake_loaded(dt) | self.reaches_further(dt)) {
                self.start_over(dt);
                continue;
            }
            self.note_field_work(dt);
            clock.enter(Phase::Impact);
            let impacts = match self.pass {
                Pass::Whole => self.resolve_impacts(dt, clock),
                Pass::Flight => ImpactTotals::default(),
            };
            clock.enter(Phase::Release);
            self.release(dt);
            // What touches a sleeper and presses nothing may be thrown against it all the same.
            if turn < TURNS && self.wake_loaded(dt) {
                self.start_over(dt);
                continue;
            }
            return (forced, impacts);
        }
        unreachable!("the last turn returns")
    }

    /// Goes back to the velocities with the forces of the step, which those that have just woken feel as well.
    fn start_over(&mut self, dt: f64) {
        self.bodies.velocity.clone_from(&self.forced);
        self.detection.carrying.clear();
        self.detection.stale |= self.welcome_woken(dt) || self.detection.asks();
    }

    /// Phase `observe`: sleep and the energy book of a pass that stands, for the bodies that are not of `undone`.
    pub(crate) fn book(&mut self, attempt: &Attempt, undone: &[bool]) -> StepReport {
        let Attempt { dt, mut report, start, forced, .. } = *attempt;
        let mut clock = Clock::start();
        clock.enter(Phase::Observe);
        self.accounts.accept(undone);
        let mut totals = self.problems.totals(undone);
        totals.add_impacts(&attempt.impacts);
        let correction_work = self.drift.work(&self.bodies, self.settings.gravity, undone);
        report.energy = EnergyReport {
            field_work: self.field_work_but_for(undone),
            step_change: attempt.step_change,
            correction_work,
            ..EnergyReport::default()
        };
        self.observe(dt, start, forced, &totals, &mut report.energy);
        report.energy.rises = self.rises(undone, report.energy.star_change);
        clock.leave();
        for (sum, x) in report.seconds.iter_mut().zip(clock.seconds) {
            *sum += x;
        }
        report.count(self, &totals);
        report
    }

    /// Gives every body the length of the step that it now makes; returns what that changes in E* \[J\].
    fn begin_steps(&mut self, star_time: f64) -> f64 {
        let gravity = self.settings.gravity;
        let mut change = 0.0;
        for i in 0..self.bodies.len() {
            if self.bodies.awake(i) && self.bodies.step[i] != star_time {
                // A body that has made no step yet comes in with the length of its first one.
                if self.bodies.step[i] >= 0.0 {
                    let before = self.bodies.motion(i).step_term(gravity);
                    self.bodies.step[i] = star_time;
                    change += self.bodies.motion(i).step_term(gravity) - before;
                }
                self.bodies.step[i] = star_time;
            }
        }
        change
    }

    /// Makes sure that the contacts of the step are known, and that whoever is met by something that moves is awake.
    fn prepare(&mut self, dt: f64, clock: &mut Clock) {
        if self.detection.stale || self.detection.is_short(&self.bodies, dt) {
            self.detect(dt, clock);
        }
        let around = self.surroundings(dt);
        if !self.has_sleepers() {
            return;
        }
        self.sleep.wake_met(&mut self.bodies, &self.detection.contacts, &around);
        if !self.sleep.woken.is_empty() && self.welcome_woken(dt) {
            self.detect(dt, clock);
        }
    }

    /// What acts on sleepers beside their contacts.
    pub(crate) fn surroundings(&self, dt: f64) -> Surroundings {
        Surroundings { gravity: self.settings.gravity, dt }
    }

    pub(crate) fn has_sleepers(&self) -> bool {
        self.settings.sleeping && parallel::count(&self.bodies.asleep, &|asleep| *asleep) > 0
    }

    /// Lets the forces of the step act on those that have just woken; whether contacts of theirs may be unknown: with
    /// other sleepers they are those of when they fell asleep, and in a step that a group makes alone not even those.
    fn welcome_woken(&mut self, dt: f64) -> bool {
        let known = self.detection.is_known(&self.bodies, &self.sleep.woken) && !self.bodies.apart.contains(&true);
        self.force_woken(dt);
        !known
    }

    /// Lets the forces of the step act on those that have just woken.
    fn force_woken(&mut self, dt: f64) {
        let star_time = self.star_time(dt);
        for k in 0..self.sleep.woken.len() {
            let i = self.sleep.woken[k] as usize;
            let (velocity, force) = self.forced_velocity(i, dt);
            self.bodies.velocity[i] = velocity;
            self.bodies.step[i] = star_time;
            if let Some(applied) = self.field_forces.get_mut(i) {
                *applied = force;
            }
        }
        self.sleep.woken.clear();
    }

    /// Wakes sleepers on which a force field has changed; before the forces of the step.
    fn wake_drawn(&mut self, dt: f64) {
        if self.fields.is_empty() || !self.has_sleepers() {
            return;
        }
        let mut sleep = std::mem::take(&mut self.sleep);
        let field = self.field_on_all();
        sleep.wake_drawn(&mut self.bodies, self.settings.gravity.length(), |i| field[i]);
        for i in &sleep.woken {
            self.bodies.step[*i as usize] = self.star_time(dt);
        }
        self.sleep = sleep;
    }

    /// Force of the fields on each sleeper.
    fn field_on_all(&self) -> Vec<Force> {
        let force = |i: usize| match self.bodies.asleep[i] {
            true => self.field_force(i, &self.bodies.pose[i], &Velocity::ZERO),
            false => Force::default(),
        };
        (0..self.bodies.len()).map(force).collect()
    }

    /// Wakes sleepers that what has been solved so far presses out of balance; whether there are any.
    fn wake_loaded(&mut self, dt: f64) -> bool {
        if !self.has_sleepers() {
            return false;
        }
        self.sleep.begin_loads(self.bodies.len());
        self.problems.load_sleepers(&self.bodies, &self.detection.contacts, &mut self.sleep);
        self.wake_loaded_more(dt)
    }

    /// The same with what impacts have thrown against sleepers, beside the loads that have been added.
    pub(crate) fn wake_loaded_more(&mut self, dt: f64) -> bool {
        for (i, impulse, has_friction) in &self.impact.withstood {
            if self.bodies.asleep[*i as usize] {
                self.sleep.add_load(*i as usize, *impulse, *has_friction);
            }
        }
        let around = self.surroundings(dt);
        let Detection { contacts, carried, .. } = &self.detection;
        let pairs = &self.pairs;
        let has_friction = |bodies: &Bodies, c: &Contact| pairs.of(bodies, c, &bodies.velocity).static_friction > 0.0;
        self.sleep.wake_loaded(&mut self.bodies, contacts, carried, &around, has_friction);
        !self.sleep.woken.is_empty()
    }

    /// Whether the velocities of the contact stage carry a body further than contacts were looked for, and through
    /// something.
    fn reaches_further(&mut self, dt: f64) -> bool {
        self.pass == Pass::Whole && self.detection.ask_for_reach(&self.bodies, &self.bodies.transport, dt)
    }

    /// Phases `broadphase` and `narrowphase`.
    pub(crate) fn detect(&mut self, dt: f64, clock: &mut Clock) {
        clock.enter(Phase::Broadphase);
        self.find_pairs(dt);
        clock.enter(Phase::Narrowphase);
        self.detection.find_contacts(&self.bodies);
    }

    /// Phase `broadphase`.
    pub(crate) fn find_pairs(&mut self, dt: f64) {
        // In a flight what comes after it matters as well.
        let dt = if self.pass == Pass::Flight { self.horizon } else { dt };
        self.detection.find_pairs(&self.bodies, dt, 2.0 * self.settings.gravity.length() * dt);
    }

    /// Phase `contact`.
    fn solve_contacts(&mut self, dt: f64) {
        if !self.settings.law.is_released() {
            self.impact.forced.clone_from(&self.bodies.velocity);
        }
        let mut problems = std::mem::take(&mut self.problems);
        let state = State {
            bodies: &self.bodies,
            contacts: &self.detection.contacts,
            carried: &self.detection.carried,
            unforced: &self.unforced,
            dt,
        };
        problems.assemble(
            &state,
            |c| self.pairs.of(&self.bodies, c, &self.bodies.velocity),
            |c| self.gap_to_close(c, dt),
        );
        problems.solve(&self.limits(dt), &self.accounts);
        problems.write_back(&mut self.bodies);
        self.problems = problems;
        self.bodies.transport.clone_from(&self.bodies.velocity);
        if self.pass == Pass::Flight {
            for (transport, before) in self.bodies.transport.iter_mut().zip(&self.unforced) {
                transport.linear = 0.5 * (transport.linear + before.linear);
            }
        }
    }

    /// Time that the last term of E* counts \[s\]: none where free motion keeps the plain energy.
    fn star_time(&self, dt: f64) -> f64 {
        if self.pass == Pass::Flight { 0.0 } else { dt }
    }

    /// The gap that the contact stage has to close. In a flight the bodies move with the mean of the velocities before
    /// and after, so that `u+ >= -(2 gap/dt + u-)` keeps them apart.
    fn gap_to_close(&self, contact: &Contact, dt: f64) -> f64 {
        if self.pass == Pass::Whole {
            return contact.gap;
        }
        (2.0 * contact.gap.max(0.0) + dt * contact.normal_velocity(&self.bodies, &self.unforced)).max(0.0)
    }

    /// Phase `impact`: the laws that are not joined to the contact stage by the release.
    fn resolve_impacts(&mut self, dt: f64, clock: &mut Clock) -> ImpactTotals {
        if self.settings.law.is_released() {
            return ImpactTotals::default();
        }
        let limits = self.limits(dt);
        self.problems.find_hits(&limits, self.detection.contacts.len(), &mut self.impact.standing);
        self.impact.approach(&self.bodies, &self.detection.contacts, &self.unforced);
        let law = self.settings.law.law();
        let totals = self.impact.resolve(law, &self.bodies, &self.detection.contacts, &self.pairs, &limits);
        if totals.resolved > 0 {
            clock.enter(Phase::Contact);
            self.problems.restart(&limits, &self.impact, &self.detection.carried, dt);
            self.problems.solve_again(&limits);
            self.problems.write_back(&mut self.bodies);
        }
        totals
    }

    /// Phase `release`.
    fn release(&mut self, dt: f64) {
        let (contacts, limits) = (&self.detection.contacts, self.limits(dt));
        let fails = |c: &Contact, gap: f64| divide::fails(-gap / c.thickness, c.depth().max(0.0), 1.0);
        self.problems.find_overrun(contacts, &limits, fails);
        self.problems.release(&limits, self.tracking());
        self.problems.book(self.accounts.enter());
        self.problems.write_back(&mut self.bodies);
        // What a very short flight leaves is rounding: the next one starts from what a longer one left.
        if self.pass == Pass::Whole || dt > SHORT_FLIGHT * self.horizon {
            self.problems.store_impulses(&self.detection.carried, dt, &mut self.detection.carrying);
        }
    }

    /// Phase `forces`: velocities before stay in `unforced`, which holds those of driven bodies before `drive`. An
    /// error is the body that the force fields take further than 1e12 m.
    fn apply_forces(&mut self, dt: f64) -> Result<(), usize> {
        let mut forced = std::mem::take(&mut self.bodies.transport);
        forced.clone_from(&self.bodies.velocity);
        let moves = |i: usize| self.bodies.awake(i);
        self.field_forces.clear();
        if self.fields.is_empty() {
            let items = forced.par_iter_mut().enumerate();
            parallel::for_each(items, |(i, v)| {
                if moves(i) {
                    *v = self.forced_velocity(i, dt).0;
                }
            });
        } else {
            self.field_forces.resize(forced.len(), Force::default());
            for (i, v) in forced.iter_mut().enumerate().filter(|(i, _)| moves(*i)) {
                (*v, self.field_forces[i]) = self.forced_velocity(i, dt);
                let speed = v.linear.length() + v.angular.length() * self.bodies.extent[i];
                // Written so that NaN is too far.
                let near = speed * dt <= check::LONGEST;
                if !near {
                    self.bodies.transport = forced;
                    return Err(i);
                }
            }
        }
        self.bodies.transport = std::mem::replace(&mut self.bodies.velocity, forced);
        Ok(())
    }

    /// The error of a motion that leads nowhere.
    fn astray(&self, drive::Astray(i, reason): drive::Astray) -> EngineError {
        EngineError::Motion { step: self.steps + 1, body: self.bodies.label(i), reason }
    }

    /// The error of a force field that is not finite.
    fn pulled_apart(&self, i: usize) -> EngineError {
        EngineError::Field { step: self.steps + 1, body: self.bodies.label(i) }
    }

    /// Phase `advance`, first part: poses by the integrator. Returns the body, if any, that the force fields move to
    /// where it is not finite.
    fn advance(&mut self, dt: f64) -> Result<(), usize> {
        let integrator = self.settings.integrator;
        if integrator != Integrator::SymplecticEuler {
            self.advance_free_bodies(integrator, dt).map_or(Ok(()), Err)?;
        }
        let free =
            if integrator == Integrator::SymplecticEuler { &[] } else { self.problems.components().free_bodies() };
        self.bodies.advance(|i, moved| {
            if free.binary_search(&(i as u32)).is_ok() {
                return;
            }
            let (mut pose, mut transport) = (*moved.pose, moved.transport);
            granule_integrator::advance_pose(integrator, &mut pose, &mut transport, moved.moments, dt);
            if moved.velocity.angular == moved.transport.angular {
                moved.velocity.angular = transport.angular;
            } else if !granule_integrator::is_isotropic(moved.moments) {
                moved.velocity.angular = turned_with(moved.pose, &pose, *moved.velocity, moved.moments, dt);
            }
            *moved.pose = pose;
        });
        drive::arrive(&mut self.bodies);
        Ok(())
    }

    /// E* of a body, from the height of the datum \[J\].
    pub(crate) fn star_of(&self, i: usize) -> f64 {
        if !self.bodies.dynamic[i] {
            return 0.0;
        }
        let (motion, gravity) = (self.bodies.motion(i), self.settings.gravity);
        let height = motion.position - self.datum() * self.up();
        self.bodies.kinetic_energy(i) - motion.mass * gravity.dot(height) + motion.step_term(gravity)
    }

    /// Notes the E* of each body.
    fn note_star(&mut self) {
        let mut star = std::mem::take(&mut self.star_before);
        parallel::fill(&mut star, self.bodies.len(), &|i| self.star_of(i));
        self.star_before = star;
    }

    /// Rises of E* in the pass, island by island, without what the drift correction lifts, which has a book of its own.
    /// Laws that resolve impacts cluster by cluster book the work of driven bodies for all of them together: there the
    /// `change` of the whole is all that can be judged.
    fn rises(&self, undone: &[bool], change: f64) -> f64 {
        if !self.settings.law.is_released() || self.pass == Pass::Flight {
            return change.max(0.0);
        }
        let gravity = self.settings.gravity;
        let put_in =
            |i: usize| self.drift.work_on(&self.bodies, gravity, i) + self.field_work.get(i).copied().unwrap_or(0.0);
        self.problems.rises(undone, |i| self.star_of(i) - self.star_before[i] - put_in(i))
    }

    /// Phase `observe`: sleep and the energy book.
    fn observe(&mut self, dt: f64, start: f64, forced: f64, totals: &Totals, energy: &mut EnergyReport) {
        let slept = if self.settings.sleeping { self.settle(dt) } else { 0.0 };
        let now = self.energies();
        self.audit.begin(start);
        let star_change = now.conserved() - start - totals.driven_work - energy.field_work;
        *energy = EnergyReport {
            kinetic: now.kinetic(),
            potential: now.potential,
            star: now.conserved(),
            driven_work: totals.driven_work,
            dissipated_impact: totals.impact,
            dissipated_friction: totals.friction,
            dissipated_contact: energy.correction_work - star_change - totals.impact - totals.friction - slept,
            dissipated_sleep: slept,
            star_change,
            stage_gain: (totals.kinetic_change / self.energy_given(forced)).max(totals.impact_gain),
            impact_error: totals.impact_error,
            ..*energy
        };
    }

    /// Puts bodies at rest to sleep; returns what that takes from E* \[J\].
    fn settle(&mut self, dt: f64) -> f64 {
        let around = self.surroundings(dt);
        let (bodies, contacts) = (&self.bodies, &self.detection.contacts);
        self.sleep.find_held(bodies, contacts, |c| self.pairs.of(bodies, c, &bodies.velocity));
        let taken = self.sleep.settle(&mut self.bodies, contacts, &around);
        if !self.fields.is_empty() {
            for k in 0..self.sleep.fallen.len() {
                let i = self.sleep.fallen[k] as usize;
                let force = self.field_force(i, &self.bodies.pose[i], &Velocity::ZERO);
                self.sleep.note_field(i, force);
            }
        }
        taken
    }

    /// Kinetic energy that the stages were given, `forced` as it came in; for a flight, which may be as short as
    /// rounding lets it, at least what gravity gives in a whole step \[J\].
    fn energy_given(&self, forced: f64) -> f64 {
        if self.pass == Pass::Whole {
            return forced.max(f64::MIN_POSITIVE);
        }
        let speed = self.settings.gravity.length() * self.horizon;
        let mass: f64 = (0..self.bodies.len()).filter(|i| self.bodies.dynamic[*i]).map(|i| self.bodies.mass[i]).sum();
        forced.max(0.5 * mass * speed * speed).max(f64::MIN_POSITIVE)
    }

    /// Energies now, each body's share of E* with the length of the step that it made last. A sleeping body counts as
    /// at rest.
    pub(crate) fn energies(&self) -> Energies {
        let (gravity, datum) = (self.settings.gravity, self.datum() * self.up());
        parallel::sum(0..self.bodies.len(), &|range| {
            let motions = range.filter(|i| self.bodies.dynamic[*i]).map(|i| self.bodies.motion(i));
            Energies::of(motions, gravity, datum)
        })
    }

    /// Largest overlap now of the contacts that `counts` holds for, each over the `scale` of its own.
    pub(crate) fn overlap_where(
        &self,
        counts: impl Fn(&Contact) -> bool + Sync,
        scale: impl Fn(&Contact) -> f64 + Sync,
    ) -> f64 {
        parallel::largest(&self.detection.contacts, &|c| if counts(c) { -c.gap / scale(c) } else { 0.0 })
    }

    /// Largest overlap now, over the smaller radius.
    pub(crate) fn overlap(&self) -> f64 {
        self.overlap_where(|_| true, |c| c.radius)
    }

    fn check_finite(&self) -> Result<(), EngineError> {
        if parallel::count(&self.bodies.velocity, &|v| !v.is_finite()) == 0 {
            return Ok(());
        }
        let Some(i) = (0..self.bodies.len()).find(|i| !self.bodies.velocity[*i].is_finite()) else { return Ok(()) };
        let contact = self.detection.contacts.iter().find(|c| c.a as usize == i || c.b as usize == i);
        Err(EngineError::NotFinite {
            step: self.steps + 1,
            body: self.bodies.label(i),
            quantity: "velocity",
            contact: contact.map_or(String::new(), |c| {
                let other = if c.a as usize == i { c.b } else { c.a };
                format!(", in contact with body {}", self.bodies.label(other as usize))
            }),
        })
    }
}

/// Angular velocity of a body that was hit: it turns as a free top with the velocity after the hit, and is then carried
/// over from the orientation which that motion leads to to the one that the body takes; its energy is that of the free
/// top.
fn turned_with(from: &Pose, to: &Pose, velocity: Velocity, moments: DVec3, dt: f64) -> DVec3 {
    let (mut pose, mut v) = (*from, velocity);
    granule_integrator::advance_pose(Integrator::SymplecticEuler, &mut pose, &mut v, moments, dt);
    to.transform_vector(pose.inverse_transform_vector(v.angular))
}

impl StepReport {
    /// Fills in the counts of a sub-step.
    fn count(&mut self, simulation: &Simulation, totals: &Totals) {
        self.pairs = simulation.detection.pair_count();
        self.contacts = simulation.detection.contacts.len();
        self.islands = simulation.problems.count();
        self.largest_island = simulation.problems.largest();
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
        self.fallbacks = totals.fallbacks;
    }
}
