//! The step.
//!
//! Phases run in the order of [`Phase::ALL`], with four turns of that circle that the figures asked for:
//!
//! * Phase `forces` comes before `islands`: which contacts can close in the step is said by the velocities with forces; see `closing`.
//! * Detection runs once per step, *after* the move: the same contact points serve the overlap check, the drift correction and the
//!   contact stage of the next step. Phases `broadphase` and `narrowphase` of a step are therefore done at the end of the one
//!   before, or at its start when bodies were added or removed.
//! * The energy release works on the velocities at the end of the contact stage and on the gaps that these velocities lead to; it is
//!   computed before the poses move, because a body with unequal moments turns in the move and its velocity with it.
//!   Poses move by the velocities of the contact stage all the same: the energy is given back at touch.
//! * Phase `impact` follows the contact stage, which says what touches and what was hit, and starts it anew where something was;
//!   see `impact`.
//!
//! A step in which the overlap grew beyond [`OVERLAP_BOUND`] is undone and made again in two halves, and the next one begins in halves.
//!
//! Tracing span `step` holds the spans of its phases, those of undone attempts included.

use granule_measure::Energies;
use granule_model::{DVec3, Pose, Velocity};
use rayon::prelude::*;
use tracing::trace_span;

use crate::clock::Clock;
use crate::description::{Integrator, Stepping};
use crate::detection::{Contact, Detection};
use crate::drive;
use crate::error::EngineError;
use crate::impact::ImpactTotals;
use crate::islands::{State, Totals};
use crate::parallel;
use crate::report::{EnergyReport, Phase, StepReport};
use crate::simulation::Simulation;

/// Overlap beyond which a step in which it grew is divided, over the smaller radius \[-\].
pub const OVERLAP_BOUND: f64 = 0.008;
/// Overlap that no step should reach, over the smaller radius \[-\].
const OVERLAP_LIMIT: f64 = 0.01;
/// Share of what is left to [`OVERLAP_LIMIT`] that a step may use up undivided: steps that creep there never arrive. Without it a
/// frictionless pack of cubes with one contact at 0.8 % divided every step into 64, for a growth of 0.001 % that no
/// division changes.
const CREEP: f64 = 0.25;
/// How often a step may be halved.
const DEEPEST: usize = 6;

/// Flights up to this share of a step leave no impulses to start from.
const SHORT_FLIGHT: f64 = 1e-3;

/// What a pass through the phases does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pass {
    /// A step or a part of one, with its impacts.
    #[default]
    Whole,
    /// The motion between two impacts.
    Flight,
}

impl Simulation {
    /// Makes one step of the chosen length.
    ///
    /// # Errors
    /// [`EngineError::NotFinite`] when a state stops being finite; the simulation is then of no further use.
    pub fn step(&mut self) -> Result<StepReport, EngineError> {
        if self.time_step == 0.0 {
            self.time_step = self.time_step();
            self.datum = self.lowest_point();
        }
        self.step_by(self.time_step)
    }

    /// Makes one step of length `dt` \[s\]: for a last step that must end at a given time.
    ///
    /// # Errors
    /// As [`Simulation::step`]; [`EngineError::Setting`] when `dt` is not a finite time above zero.
    pub fn step_by(&mut self, dt: f64) -> Result<StepReport, EngineError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(EngineError::Setting { field: "time_step", value: dt, expected: "a finite time above 0 s" });
        }
        if let Some(report) = self.sleep_on(dt) {
            return Ok(report);
        }
        let largest = self.bodies.len().max(self.detection.contacts.len());
        if largest >= parallel::LEAST && rayon::current_thread_index().is_none() {
            // On a thread of rayon's own: from outside each of some hundred parallel loops of a step waits to be woken, which took 6 % of
            // the time of 10 000 spheres and 15 % of that of 3000 cubes.
            return rayon::scope(|_| self.step_awake(dt));
        }
        self.step_awake(dt)
    }

    /// Makes a step of length `dt` \[s\] that has something to do.
    fn step_awake(&mut self, dt: f64) -> Result<StepReport, EngineError> {
        let _span = trace_span!("step").entered();
        let slept = self.is_asleep();
        let mut report = StepReport { dt, ..StepReport::default() };
        match self.settings.stepping {
            Stepping::Margin => self.step_by_margin(dt, &mut report)?,
            Stepping::Event => self.step_by_events(dt, &mut report)?,
        }
        self.steps += 1;
        self.audit.record(&report.energy);
        self.impacts.add(&report);
        self.largest_overlap = self.largest_overlap.max(report.largest_overlap);
        let qualifies = self.rest_criterion.qualifies(&self.bodies, self.settings.gravity.length());
        self.rest_time = if qualifies { self.rest_time + dt } else { 0.0 };
        (report.step, report.time) = (self.steps, self.time);
        report.touching = parallel::count(&self.detection.contacts, &Contact::touches);
        report.awake = (0..self.bodies.len()).filter(|i| self.bodies.awake(*i)).count();
        let dreamless = slept && report.awake == 0 && self.bodies.driven.iter().all(Option::is_none);
        self.asleep = dreamless.then_some(report);
        Ok(report)
    }

    /// A step of a simulation in which everything sleeps and nothing is driven: what the last one said, and time goes on. None when there is
    /// something to do.
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

    /// Makes a step of `dt`, in halves where a whole one lets the overlap grow too much. Begins in halves where that was so in the step
    /// before, for then it is likely again, until halves come out so well that a whole one may.
    fn step_by_margin(&mut self, dt: f64, report: &mut StepReport) -> Result<(), EngineError> {
        if !self.begins_in_halves {
            return self.divide(dt, 0, report);
        }
        self.begins_in_halves = false;
        for _ in 0..2 {
            self.divide(0.5 * dt, 1, report)?;
            self.begins_in_halves |= grows_too_much(self.restore[1].overlap, self.overlap(), 0.5);
        }
        Ok(())
    }

    /// Makes a step of `dt`, in halves where a whole one lets the overlap grow too much.
    pub(crate) fn divide(&mut self, dt: f64, depth: usize, report: &mut StepReport) -> Result<(), EngineError> {
        self.remember(depth);
        let part = self.substep(dt, Pass::Whole)?;
        if depth == DEEPEST || !grows_too_much(self.restore[depth].overlap, part.largest_overlap, 1.0) {
            self.time += dt;
            self.accounts.accept();
            report.substeps += 1;
            report.add(&part);
            return Ok(());
        }
        self.begins_in_halves = true;
        report.undone += 1;
        for (sum, x) in report.seconds.iter_mut().zip(part.seconds) {
            *sum += x;
        }
        self.go_back(depth);
        self.divide(0.5 * dt, depth + 1, report)?;
        self.divide(0.5 * dt, depth + 1, report)
    }

    /// One pass through the phases.
    pub(crate) fn substep(&mut self, dt: f64, pass: Pass) -> Result<StepReport, EngineError> {
        self.pass = pass;
        let mut report = StepReport::default();
        let mut clock = Clock::start();
        clock.enter(Phase::Drive);
        self.accounts.open(&self.bodies, self.settings.gravity);
        self.unforced.clone_from(&self.bodies.velocity);
        drive::drive(&mut self.bodies, self.time, dt);
        if self.detection.stale {
            self.detect(dt, &mut clock);
        }
        clock.enter(Phase::Forces);
        let start = self.energies(self.star_time(dt));
        let field_work = self.apply_forces(dt);
        let forced = self.energies(0.0).kinetic();
        clock.enter(Phase::Islands);
        if pass == Pass::Whole {
            let Detection { contacts, carried, .. } = &mut self.detection;
            self.closing.leave_out(&self.bodies, contacts, carried, dt);
        }
        self.problems.find(&self.bodies, &self.detection.contacts);
        clock.enter(Phase::Contact);
        let warm_scale = if self.impulse_time > 0.0 { dt / self.impulse_time } else { 1.0 };
        self.solve_contacts(dt, warm_scale);
        clock.enter(Phase::Impact);
        let impacts = match pass {
            Pass::Whole => self.resolve_impacts(dt, warm_scale, &mut clock),
            Pass::Flight => ImpactTotals::default(),
        };
        clock.enter(Phase::Release);
        self.release(dt, warm_scale);
        self.check_finite()?;
        clock.enter(Phase::Advance);
        self.advance(dt);
        self.detect(dt, &mut clock);
        clock.enter(Phase::Advance);
        let correction_work = self.correct_drift();
        clock.enter(Phase::Observe);
        let mut totals = self.problems.totals();
        totals.add_impacts(&impacts);
        report.energy = EnergyReport { field_work, correction_work, ..EnergyReport::default() };
        self.observe(dt, start, forced, &totals, &mut report.energy);
        report.largest_overlap = self.overlap();
        clock.leave();
        report.seconds = clock.seconds;
        report.count(self, &totals);
        Ok(report)
    }

    /// Phases `broadphase` and `narrowphase`.
    fn detect(&mut self, dt: f64, clock: &mut Clock) {
        clock.enter(Phase::Broadphase);
        self.find_pairs(dt);
        clock.enter(Phase::Narrowphase);
        self.find_contacts(dt);
    }

    /// Phase `broadphase`.
    fn find_pairs(&mut self, dt: f64) {
        // In a flight what comes after it matters as well.
        let dt = if self.pass == Pass::Flight { self.horizon } else { dt };
        self.detection.find_pairs(&self.bodies, dt, 2.0 * self.settings.gravity.length() * dt);
    }

    /// Phase `narrowphase`; what moves wakes the sleepers that it touches.
    fn find_contacts(&mut self, dt: f64) {
        self.detection.find_contacts(&self.bodies);
        if self.sleep.wake(&mut self.bodies, &self.detection.contacts, dt) {
            self.detection.find_again(&self.bodies);
        }
        self.detection.found();
    }

    /// Phase `contact`.
    fn solve_contacts(&mut self, dt: f64, warm_scale: f64) {
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
            warm_scale,
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

    /// The gap that the contact stage has to close. In a flight the bodies move with the mean of the velocities before and after, so
    /// that `u+ >= -(2 gap/dt + u-)` keeps them apart.
    fn gap_to_close(&self, contact: &Contact, dt: f64) -> f64 {
        if self.pass == Pass::Whole {
            return contact.gap;
        }
        (2.0 * contact.gap.max(0.0) + dt * contact.normal_velocity(&self.bodies, &self.unforced)).max(0.0)
    }

    /// Phase `impact`: the laws that are not joined to the contact stage by the release.
    fn resolve_impacts(&mut self, dt: f64, warm_scale: f64, clock: &mut Clock) -> ImpactTotals {
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
            self.problems.restart(&limits, &self.impact, &self.detection.carried, warm_scale);
            self.problems.solve_again(&limits);
            self.problems.write_back(&mut self.bodies);
        }
        totals
    }

    /// Phase `release`.
    fn release(&mut self, dt: f64, warm_scale: f64) {
        self.problems.release(&self.limits(dt), self.tracking());
        self.problems.book(self.accounts.enter());
        self.problems.write_back(&mut self.bodies);
        // What a very short flight leaves is rounding: the next one starts from what a longer one left.
        if self.pass == Pass::Whole || dt > SHORT_FLIGHT * self.horizon {
            self.problems.store_impulses(&self.detection.carried, warm_scale, &mut self.detection.carrying);
            self.impulse_time = dt;
        }
    }

    /// Phase `forces`: velocities before stay in `unforced`, which holds those of driven bodies before `drive`. Returns the work of the force
    /// fields, with their share of the last term of E* \[J\].
    fn apply_forces(&mut self, dt: f64) -> f64 {
        let mut forced = std::mem::take(&mut self.bodies.transport);
        forced.clone_from(&self.bodies.velocity);
        let moves = |i: usize| self.bodies.awake(i);
        let mut field_work = 0.0;
        if self.fields.is_empty() {
            let items = forced.par_iter_mut().enumerate();
            parallel::for_each(items, |(i, v)| {
                if moves(i) {
                    *v = self.forced_velocity(i, dt).0;
                }
            });
        } else {
            for (i, v) in forced.iter_mut().enumerate().filter(|(i, _)| moves(*i)) {
                let work;
                (*v, work) = self.forced_velocity(i, dt);
                field_work += work;
            }
        }
        self.bodies.transport = std::mem::replace(&mut self.bodies.velocity, forced);
        field_work
    }

    /// Phase `advance`, first part: poses by the integrator.
    fn advance(&mut self, dt: f64) {
        let integrator = self.settings.integrator;
        if integrator != Integrator::SymplecticEuler {
            self.advance_free_bodies(integrator, dt);
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
        drive::arrive(&mut self.bodies, self.time + dt);
    }

    /// Phase `observe`: sleep and the energy book.
    fn observe(&mut self, dt: f64, start: Energies, forced: f64, totals: &Totals, energy: &mut EnergyReport) {
        let slept = match self.settings.sleeping {
            true => {
                let star_time = self.star_time(dt);
                let contacts = &self.detection.contacts;
                self.sleep.settle(&mut self.bodies, contacts, self.settings.gravity, dt, star_time)
            }
            false => 0.0,
        };
        let now = self.energies(self.star_time(dt));
        self.audit.begin(start.conserved());
        let star_change = now.conserved() - start.conserved() - totals.driven_work - energy.field_work;
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

    /// Kinetic energy that the stages were given, `forced` as it came in; for a flight, which may be as short as rounding lets it,
    /// at least what gravity gives in a whole step \[J\].
    fn energy_given(&self, forced: f64) -> f64 {
        if self.pass == Pass::Whole {
            return forced.max(f64::MIN_POSITIVE);
        }
        let speed = self.settings.gravity.length() * self.horizon;
        let mass: f64 = (0..self.bodies.len()).filter(|i| self.bodies.dynamic[*i]).map(|i| self.bodies.mass[i]).sum();
        forced.max(0.5 * mass * speed * speed).max(f64::MIN_POSITIVE)
    }

    /// Energies now, with E* for steps of `dt`. A sleeping body counts as at rest.
    pub(crate) fn energies(&self, dt: f64) -> Energies {
        let (gravity, datum) = (self.settings.gravity, self.datum * self.up());
        parallel::sum(0..self.bodies.len(), &|range| {
            let motions = range.filter(|i| self.bodies.dynamic[*i]).map(|i| self.bodies.motion(i));
            Energies::of(motions, gravity, datum, dt)
        })
    }

    /// Largest overlap now, over the smaller radius.
    pub(crate) fn overlap(&self) -> f64 {
        parallel::largest(&self.detection.contacts, &|c| -c.gap / c.radius)
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

/// Whether the largest overlap grew too much in a step, or in a part of one that may use up that `share` of what a whole one may.
fn grows_too_much(before: f64, after: f64, share: f64) -> bool {
    let growth = after - before;
    growth > share * CREEP * (OVERLAP_LIMIT - before).max(0.0) && after > share * OVERLAP_BOUND
}

/// Angular velocity of a body that was hit: it turns as a free top with the velocity after the hit, and is then carried over
/// from the orientation which that motion leads to to the one that the body takes; its energy is that of the free top.
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
