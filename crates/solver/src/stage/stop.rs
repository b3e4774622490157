//! When the sweeps of the contact stage end: when they have converged, or more would not help.
//!
//! * **Violent.** Where grains rain on a bed, pressure has to go through all of it, and a sweep takes away a hundredth
//!   of the error. A stage that is still `violent` after `min_sweeps` stops there. It goes on where it is `deep`, so
//!   far off that overlaps grow by it: a step whose overlap grows too much is made again, at the price of 200 sweeps.
//! * **Small** islands are swept on until they are sharp ([`StageSettings::small_work`]), in an impact by conjugate
//!   gradients. At rest plain sweeps stay, which come nearer to the exact answer.
//! * **Unlike bodies.** A light body between heavy ones passes on little of what it is given in a sweep. Islands whose
//!   contacts differ in radius, or bodies in mass by more than a hundred times, take their sweeps as steps of conjugate
//!   gradients from the sixth on, rolling friction or not, and do not stop where they are violent. Newton steps are
//!   asked in their impacts as well.
//! * **Driven bodies.** What one of them does to an island that it presses is unbounded: these do not stop where they
//!   are violent either.
//!
//! What was measured, and what was tried and left out, is in `docs/experiments/contact-stage.md`.

use granule_model::Velocity;

use super::settings::{StageReport, StageSettings};
use crate::contact::island::{Island, SolverBody};

/// How sweeps ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Converged, or more are not worth it.
    Here,
    /// At rest and slow: Newton steps may do better.
    Slow,
    /// Far off after [`LOST`] sweeps.
    Lost,
}

/// Share of the tolerance to which islands converge that are small enough; without it a block creeps in its first step,
/// which has no warm start.
pub(super) const SHARP: f64 = 1e-6;
/// Share of the first sweep's change to which they converge in an impact. A column of five balls that lands took 400
/// sweeps to be exact to a hundred-millionth of its speed.
const SHARP_IN_IMPACTS: f64 = 1e-4;

/// Share of the tolerance at which nothing is left to change: a stage ends there before its least number of sweeps. A
/// single contact is there after two; 300 of them are in a step of a shaken layer of 6000. A tower of three cubes with
/// a ball that spins on it tips by 3e-8 of the spin with `SHARP` instead.
pub(super) const EXACT: f64 = 1e-10;

/// Sweeps after which the limits of friction are held where bodies would still end up too deep in each other, in an
/// island of at most so many contacts.
const LOST: u32 = 200;
const FEW: usize = 400;
/// Plain sweeps before those of a conjugate gradient method where bodies differ in size.
const PLAIN_IF_UNLIKE: u32 = 5;

/// What follows from a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// Whether the next sweeps are steps of conjugate gradients that begin without a direction.
    pub(super) begins_directions: bool,
    /// How the sweeps ended; none where another one follows.
    pub(super) ended: Option<Ended>,
}

/// When the sweeps of one island end. Knows no impulse: it is told after each sweep what that changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopRule {
    settings: StageSettings,
    /// Sweeps that a small island may spend to become sharp.
    budget: u32,
    /// Sweeps after which Newton steps may do better.
    slow: u32,
    /// Whether the island has at most [`FEW`] contacts.
    is_few: bool,
    /// Whether sweeps pass little on: where sizes or masses differ, or a driven body presses.
    passes_little: bool,
    /// Whether nothing in it resists rolling or torsion, which Newton steps leave out.
    straight: bool,
    /// Change of a relative velocity at which the island is sharp \[m/s\].
    sharp: f64,
    accelerates: bool,
}

impl StopRule {
    /// The rule for an island of bodies that are unlike or not.
    pub(super) fn new(settings: &StageSettings, island: &Island<'_>, is_unlike: bool, slow: u32) -> Self {
        let is_driven = |body: &SolverBody| body.inverse_mass == 0.0 && body.velocity != Velocity::ZERO;
        let passes_little = is_unlike || island.bodies.iter().any(is_driven);
        let resists = island.rows.iter().any(|row| row.rolling_arm > 0.0 || row.torsional_arm > 0.0);
        StopRule {
            settings: *settings,
            budget: settings.work(island) / island.rows.len().max(1) as u32,
            slow,
            is_few: island.rows.len() <= FEW,
            passes_little,
            straight: passes_little && !resists,
            sharp: SHARP * settings.tolerance,
            accelerates: false,
        }
    }

    /// Whether a stage that has made so many sweeps may make another one.
    pub(super) fn allows(&self, sweeps: u32) -> bool {
        sweeps < self.settings.deep_sweeps.max(self.budget)
    }

    /// Whether the next sweep is a step of conjugate gradients.
    pub(super) fn accelerates(&self) -> bool {
        self.accelerates
    }

    /// What follows from the sweep whose number and residual are in `report`, which is told whether it has converged.
    /// `depth` is by how much overlaps grow at the velocities now \[m/s\]; `is_small` whether Newton steps can be
    /// asked.
    pub(super) fn judge(
        &mut self,
        report: &mut StageReport,
        depth: impl Fn() -> f64,
        is_small: impl Fn() -> bool,
    ) -> Judged {
        let StopRule { settings, budget, .. } = *self;
        let StageReport { sweeps, residual, .. } = *report;
        if sweeps == 1 && residual > settings.hit {
            self.sharp = self.sharp.max(SHARP_IN_IMPACTS * residual);
        }
        let is_impact = self.sharp > SHARP * settings.tolerance;
        let begins_directions = self.begins_directions(sweeps, is_impact);
        self.accelerates |= begins_directions;
        let tolerance = if sweeps < budget { self.sharp } else { settings.tolerance };
        report.converged = residual <= tolerance;
        let ended = self.ended(report, is_impact, depth, is_small);
        Judged { begins_directions, ended }
    }

    /// Whether conjugate gradients begin, or begin anew, after so many sweeps.
    fn begins_directions(&self, sweeps: u32, is_impact: bool) -> bool {
        let in_impact = is_impact && sweeps == self.settings.min_sweeps && sweeps < self.budget;
        // After Newton steps that did not end it the stage goes on so; where there were none, plain sweeps are as good.
        let goes_on = self.straight && sweeps > PLAIN_IF_UNLIKE;
        let where_little_passes = self.passes_little && !self.accelerates && (sweeps == PLAIN_IF_UNLIKE || goes_on);
        in_impact || where_little_passes
    }

    fn ended(
        &self,
        report: &StageReport,
        is_impact: bool,
        depth: impl Fn() -> f64,
        is_small: impl Fn() -> bool,
    ) -> Option<Ended> {
        let StopRule { settings, budget, slow, straight, .. } = self;
        let StageReport { sweeps, residual, converged, .. } = *report;
        if residual <= EXACT * settings.tolerance {
            return Some(Ended::Here);
        }
        if sweeps < settings.min_sweeps {
            return None;
        }
        let is_violent = residual > settings.violent && !self.passes_little;
        let is_over = (is_violent || sweeps >= settings.max_sweeps) && sweeps >= *budget;
        if converged || (is_over && depth() <= settings.deep) {
            return Some(Ended::Here);
        }
        if (*slow..*budget).contains(&sweeps) && (!is_impact || *straight) && is_small() {
            return Some(Ended::Slow);
        }
        let is_lost = sweeps == LOST && self.is_few && depth() > settings.deep;
        is_lost.then_some(Ended::Lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule for an island of 1000 contacts, or of a few with a budget of sweeps to become sharp.
    fn rule(budget: u32) -> StopRule {
        let settings = StageSettings {
            dt: 1.0,
            tolerance: 1e-3,
            violent: 5e-3,
            deep: 0.1,
            min_sweeps: 20,
            max_sweeps: 30,
            deep_sweeps: 60,
            most_sweeps: 1000,
            small_work: 16000,
            small_sweeps: 0,
            hit: 0.5,
            loose_work: 0,
            rise: 0.0,
            more_sweeps: 200,
            trace: 0.0,
        };
        StopRule {
            settings,
            budget,
            slow: 30,
            is_few: budget > 0,
            passes_little: false,
            straight: false,
            sharp: SHARP * settings.tolerance,
            accelerates: false,
        }
    }

    /// After how many sweeps of this residual a stage ends, and how; overlaps grow by `depth`.
    fn end(mut rule: StopRule, residual: f64, depth: f64, is_small: bool) -> (u32, Option<Ended>) {
        let mut report = StageReport::default();
        while rule.allows(report.sweeps) {
            (report.residual, report.sweeps) = (residual, report.sweeps + 1);
            let judged = rule.judge(&mut report, || depth, || is_small);
            if judged.ended.is_some() {
                return (report.sweeps, judged.ended);
            }
        }
        (report.sweeps, None)
    }

    #[test]
    fn large_islands_end_when_they_have_converged_or_more_is_not_worth_it() {
        let large = |residual, depth| end(rule(0), residual, depth, false);
        // Nothing left to change; within the tolerance; not within it; violent; violent and deep.
        assert_eq!(large(1e-14, 0.0), (1, Some(Ended::Here)));
        assert_eq!(large(0.9e-3, 0.0), (20, Some(Ended::Here)));
        assert_eq!(large(1.1e-3, 0.0), (30, Some(Ended::Here)));
        assert_eq!(large(6e-3, 0.0), (20, Some(Ended::Here)));
        assert_eq!(large(6e-3, 0.2), (60, None));
    }

    #[test]
    fn small_islands_go_on_until_they_are_sharp() {
        let small = |residual, is_small| end(rule(500), residual, 0.0, is_small);
        assert_eq!(small(0.9e-9, false), (20, Some(Ended::Here)));
        assert_eq!(small(1.1e-9, true), (30, Some(Ended::Slow)));
        assert_eq!(small(1.1e-9, false), (500, Some(Ended::Here)));
        // An impact need not be as sharp, and is not slow.
        assert_eq!(small(0.9, true), (500, Some(Ended::Here)));
        // Far off and deep after 200 sweeps.
        assert_eq!(end(rule(500), 6e-3, 0.2, false), (200, Some(Ended::Lost)));
    }

    #[test]
    fn conjugate_gradients_begin_in_impacts_and_where_little_is_passed_on() {
        let begins = |mut rule: StopRule, residual: f64| -> Vec<u32> {
            let mut begins = |sweeps: &u32| {
                let mut report = StageReport { sweeps: *sweeps, residual, ..StageReport::default() };
                rule.judge(&mut report, || 0.2, || false).begins_directions
            };
            (1..100).filter(|sweeps| begins(sweeps)).collect()
        };
        assert_eq!(begins(rule(500), 6e-3), [0; 0]);
        assert_eq!(begins(rule(500), 0.9), [20]);
        assert_eq!(begins(StopRule { passes_little: true, ..rule(0) }, 6e-3), [5]);
        assert_eq!(begins(StopRule { passes_little: true, ..rule(500) }, 0.9), [5, 20]);
    }
}
