//! What a step did: time and counts of each phase, and its energy.

use granule_solver::SweepCounts;
use serde::Serialize;

/// The phases of a step, in the order in which they run; the names are also those of the tracing spans and of the
/// columns of the benchmark. Phases `broadphase` and `narrowphase` run before `closing` as well where contacts are not
/// known, and phases from `closing` on are made again where they wake sleepers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Driven bodies get the velocity that takes them to their next pose.
    Drive,
    /// Gravity, force fields, drag.
    Forces,
    /// Contacts that cannot close within the step are left out.
    Closing,
    /// Connected components.
    Islands,
    /// All contacts of an island at once: inelastic, with friction.
    Contact,
    /// The impact law, for laws that do not track energy; few bodies that are struck and go from touch to touch, with
    /// all that is done for them.
    Impact,
    /// Energy given back at touch.
    Release,
    /// Poses.
    Advance,
    /// Candidate pairs.
    Broadphase,
    /// Contact points.
    Narrowphase,
    /// Drift correction.
    Correct,
    /// Each contact against its own bound.
    Judge,
    /// Sleep, energy book.
    Observe,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 13] = [
        Phase::Drive,
        Phase::Forces,
        Phase::Closing,
        Phase::Islands,
        Phase::Contact,
        Phase::Impact,
        Phase::Release,
        Phase::Advance,
        Phase::Broadphase,
        Phase::Narrowphase,
        Phase::Correct,
        Phase::Judge,
        Phase::Observe,
    ];

    /// Name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Drive => "drive",
            Phase::Forces => "forces",
            Phase::Closing => "closing",
            Phase::Islands => "islands",
            Phase::Contact => "contact",
            Phase::Impact => "impact",
            Phase::Release => "release",
            Phase::Advance => "advance",
            Phase::Broadphase => "broadphase",
            Phase::Narrowphase => "narrowphase",
            Phase::Correct => "correct",
            Phase::Judge => "judge",
            Phase::Observe => "observe",
        }
    }
}

/// Seconds of each phase, in the order of [`Phase::ALL`].
pub type PhaseSeconds = [f64; Phase::ALL.len()];

/// Energy of the system after a step, without bodies that have left in it, and what the step took from it. All in
/// \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnergyReport {
    /// Kinetic energy of the dynamic bodies.
    pub kinetic: f64,
    /// Potential energy, from the lowest point of the container.
    pub potential: f64,
    /// `E* = kinetic + potential + (dt/2) sum m g.v`.
    pub star: f64,
    /// Work that driven bodies did in this step.
    pub driven_work: f64,
    /// Work that force fields did in this step, with their share of the last term of E*.
    pub field_work: f64,
    /// Lost by impacts in this step.
    pub dissipated_impact: f64,
    /// Lost by friction in this step.
    pub dissipated_friction: f64,
    /// Lost in this step by normal impulses of contacts that were not hit.
    pub dissipated_contact: f64,
    /// Taken by drag and damping in this step.
    pub dissipated_drag: f64,
    /// Taken from bodies that fell asleep in this step: their kinetic energy with their share of the last term of E*.
    pub dissipated_sleep: f64,
    /// Work of the drift correction in this step.
    pub correction_work: f64,
    /// Change of E* because bodies began steps of another length than they made before: neither gain nor loss.
    pub step_change: f64,
    /// Change of E* in this step that no force makes. Impulses that are given after it is settled by which velocities
    /// bodies move change its last term. The rotation of a body with unequal moments is integrated to second order. So
    /// is, by integrators other than symplectic Euler, the flight of a body without contact.
    pub scheme_change: f64,
    /// What the book of this step is off: the change of E* less the works, and with the losses, each of them summed
    /// where it arises. Rounding, where nothing is wrong.
    pub imbalance: f64,
    /// Rises of E* in this step, each island's by itself and net of the work put in, that of the drift correction too;
    /// a fall elsewhere hides none.
    pub rises: f64,
    /// Change of E* in this step less the work of driven bodies and force fields; what the rule on energy gains
    /// watches.
    pub star_change: f64,
    /// Largest rise of kinetic energy by the impact and contact stages of a sub-step over what they were given,
    /// relative to it and net of the work of driven bodies \[-\].
    pub stage_gain: f64,
    /// Largest relative error of the energy book of an impact: energy after against energy before plus energy given
    /// back (as Eq. 68 of the ETM paper) \[-\].
    pub impact_error: f64,
}

impl EnergyReport {
    /// What all losses together took in this step, each summed where it arises.
    pub fn dissipated(&self) -> f64 {
        let by_contacts = self.dissipated_impact + self.dissipated_friction + self.dissipated_contact;
        by_contacts + self.dissipated_drag + self.dissipated_sleep
    }

    /// What the change of E*, net of works, leaves unexplained.
    pub(crate) fn unexplained(&self) -> f64 {
        self.star_change + self.dissipated() - self.correction_work - self.scheme_change
    }

    /// Adds what follows within the same step.
    pub(crate) fn add(&mut self, e: &EnergyReport) {
        self.driven_work += e.driven_work;
        self.field_work += e.field_work;
        self.dissipated_impact += e.dissipated_impact;
        self.dissipated_friction += e.dissipated_friction;
        self.dissipated_contact += e.dissipated_contact;
        self.dissipated_drag += e.dissipated_drag;
        self.dissipated_sleep += e.dissipated_sleep;
        self.scheme_change += e.scheme_change;
        self.imbalance += e.imbalance;
        self.correction_work += e.correction_work;
        self.star_change += e.star_change;
        self.step_change += e.step_change;
        self.rises += e.rises;
        self.stage_gain = self.stage_gain.max(e.stage_gain);
        self.impact_error = self.impact_error.max(e.impact_error);
        (self.kinetic, self.potential, self.star) = (e.kinetic, e.potential, e.star);
    }
}

/// What became of the impacts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImpactCounts {
    /// Contacts that were hit, counted once per step.
    pub hits: u64,
    /// Clusters of contacts that the law resolved; zero for energy tracking, which goes by the release.
    pub resolved: u64,
    /// Of them those whose answer was refused and that `etm` or `sqm` resolved instead.
    pub substituted: u64,
    /// Clusters whose answers were all refused: they were left to the contact stage, without restitution.
    pub fallbacks: u64,
    /// Impulses of the energy releases, or iterations of the law.
    pub iterations: u64,
}

impl ImpactCounts {
    /// Adds a step.
    pub(crate) fn add(&mut self, report: &StepReport) {
        self.hits += u64::from(report.hits);
        self.resolved += u64::from(report.resolved);
        self.substituted += u64::from(report.substituted);
        self.fallbacks += u64::from(report.fallbacks);
        self.iterations += report.impact_iterations;
    }
}

/// What one step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StepReport {
    /// Steps made, this one included.
    pub step: u64,
    /// Simulated time after the step \[s\].
    pub time: f64,
    /// Length of the step \[s\].
    pub dt: f64,
    /// Seconds of each phase, in the order of [`Phase::ALL`].
    pub seconds: PhaseSeconds,
    /// Sub-steps made: 1 where the step was not divided.
    pub substeps: u32,
    /// Attempts that were undone because the overlap grew too much.
    pub undone: u32,
    /// Bodies that went from touch to touch by themselves, counted once in each sub-step.
    pub alone: u32,
    /// Driven bodies that stood still because they were jammed.
    pub stopped: u32,
    /// Candidate pairs.
    pub pairs: usize,
    /// Contacts, those still open included.
    pub contacts: usize,
    /// Contacts that touch.
    pub touching: usize,
    /// Islands.
    pub islands: usize,
    /// Contacts of the largest island.
    pub largest_island: usize,
    /// Most sweeps that an island needed in the contact stage.
    pub sweeps: u32,
    /// What all sweeps of the contact stage went through, those of attempts that were undone included, as their time is
    /// in `seconds`.
    pub swept: SweepCounts,
    /// Largest residual of the contact stage \[m/s\].
    pub residual: f64,
    /// Islands whose contact stage ended at its cap.
    pub unconverged: u32,
    /// Islands whose impulses were scaled to keep their energy.
    pub scaled: u32,
    /// Contacts that were hit.
    pub hits: u32,
    /// Most rounds of an energy release.
    pub rounds: u32,
    /// Impulses of the energy releases, or iterations of the law that resolves impacts.
    pub impact_iterations: u64,
    /// Clusters of contacts that the law resolved in phase `impact`.
    pub resolved: u32,
    /// Of them those whose answer was refused and that `etm` or `sqm` resolved instead.
    pub substituted: u32,
    /// Clusters whose answers were all refused: they were left to the contact stage, without restitution.
    pub fallbacks: u32,
    /// Releases that had to be ended with e = 0.
    pub forced: u32,
    /// Steps from impact to impact that had too many of them and ended as ordinary ones.
    pub unfinished: u32,
    /// Releases with a stage cut short by its cap.
    pub cut_short: u32,
    /// Largest overlap after the step, over the smaller body's equal-volume radius \[-\].
    pub largest_overlap: f64,
    /// Largest overlap after the step, over the thickness of what touches; see
    /// [`crate::Simulation::largest_overlap_thin`] \[-\].
    pub largest_overlap_thin: f64,
    /// Parts of the step whose contact forces were noted: none where they are not recorded.
    pub force_passes: u32,
    /// Bodies that are awake.
    pub awake: usize,
    /// Energy.
    pub energy: EnergyReport,
}

impl StepReport {
    /// Counts an attempt that did not stand: its time was spent, and its sweeps were made.
    pub(crate) fn undo(&mut self, attempt: &StepReport) {
        self.undone += 1;
        self.spend(attempt);
    }

    /// Goes back to what was reported `before`, but for the attempts, the time and the sweeps that were spent since.
    pub(crate) fn take_back(&mut self, before: &StepReport) {
        let (seconds, swept, undone) = (self.seconds, self.swept, self.undone + self.substeps - before.substeps);
        *self = StepReport { seconds, swept, undone, ..*before };
    }

    /// Adds what a part of the step was spent on, whether it stands or not.
    pub(crate) fn spend(&mut self, part: &StepReport) {
        for (sum, x) in self.seconds.iter_mut().zip(part.seconds) {
            *sum += x;
        }
        self.swept += part.swept;
    }

    /// Adds a sub-step to the report of its step.
    pub(crate) fn add(&mut self, part: &StepReport) {
        self.spend(part);
        self.sweeps = self.sweeps.max(part.sweeps);
        self.residual = self.residual.max(part.residual);
        self.unconverged += part.unconverged;
        self.scaled += part.scaled;
        self.alone += part.alone;
        self.hits += part.hits;
        self.rounds = self.rounds.max(part.rounds);
        self.impact_iterations += part.impact_iterations;
        self.resolved += part.resolved;
        self.substituted += part.substituted;
        self.fallbacks += part.fallbacks;
        self.forced += part.forced;
        self.cut_short += part.cut_short;
        self.unfinished += part.unfinished;
        self.largest_overlap = self.largest_overlap.max(part.largest_overlap);
        self.largest_overlap_thin = self.largest_overlap_thin.max(part.largest_overlap_thin);
        self.energy.add(&part.energy);
        (self.pairs, self.contacts, self.touching) = (part.pairs, part.contacts, part.touching);
        (self.islands, self.largest_island) = (part.islands, part.largest_island);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each term of the book once too often is seen, by as much as it is.
    #[test]
    fn a_term_that_is_doubled_is_what_the_book_is_off() {
        let sound = EnergyReport {
            dissipated_impact: 1.0,
            dissipated_friction: 2.0,
            dissipated_contact: 4.0,
            dissipated_drag: 8.0,
            dissipated_sleep: 16.0,
            correction_work: 32.0,
            scheme_change: 64.0,
            star_change: 65.0,
            ..EnergyReport::default()
        };
        assert_eq!(sound.unexplained(), 0.0);
        type Term = fn(&mut EnergyReport) -> &mut f64;
        let terms: [(Term, f64); 8] = [
            (|e| &mut e.dissipated_impact, 1.0),
            (|e| &mut e.dissipated_friction, 2.0),
            (|e| &mut e.dissipated_contact, 4.0),
            (|e| &mut e.dissipated_drag, 8.0),
            (|e| &mut e.dissipated_sleep, 16.0),
            (|e| &mut e.correction_work, -32.0),
            (|e| &mut e.scheme_change, -64.0),
            (|e| &mut e.star_change, 65.0),
        ];
        for (term, off) in terms {
            let mut planted = sound;
            *term(&mut planted) *= 2.0;
            assert_eq!(planted.unexplained(), off);
        }
    }
}
