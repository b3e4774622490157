//! The energy audit of a run: did any step make energy, and how much did the drift correction do.
//!
//! ```text
//! rise of a step    = E* after - E* before - work put in during the step
//! dissipated so far = E* at the start + work put in - E* now
//! energy gained     = max over steps of rise / max(dissipated before the step, 1e-6 of the start's energy)
//! correction work   = work of the drift correction / dissipated in the run
//! ```
//!
//! Work put in is that of driven bodies and of the embedding program's forces. The drift correction's work is not taken
//! off: what it lifts is a rise. The start's energy is E* with the potential energy counted from the lowest point of
//! the container, so that it is a scale of what the run can dissipate.

use crate::Sum;
use serde::{Deserialize, Serialize};

/// The share of the start's energy below which a rise is not judged against less.
const START_SHARE: f64 = 1e-6;

/// What one step did to the energy \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepEnergy {
    /// E* after the step.
    pub conserved: f64,
    /// Work that driven bodies did on the others during the step.
    pub driven_work: f64,
    /// Work that forces of the embedding program did.
    pub field_work: f64,
    /// Work that the drift correction did by moving bodies; part of the change of `conserved`.
    pub correction_work: f64,
}

/// Running energy audit; part of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyAudit {
    start: f64,
    /// What the start's energy counts as at least \[J\].
    least: f64,
    current: f64,
    dissipated: Sum,
    work: Sum,
    correction: Sum,
    absolute_correction: Sum,
    steps: u64,
    gained: f64,
    largest_rise: f64,
    worst_step: Option<u64>,
}

impl EnergyAudit {
    /// Starts with E* `start` \[J\], counted from the lowest point of the container.
    pub fn new(start: f64) -> Self {
        EnergyAudit {
            start,
            least: 0.0,
            current: start,
            dissipated: Sum::default(),
            work: Sum::default(),
            correction: Sum::default(),
            absolute_correction: Sum::default(),
            steps: 0,
            gained: 0.0,
            largest_rise: 0.0,
            worst_step: None,
        }
    }

    /// The same, where the start's energy counts as `least` \[J\] at least: what is judged is no less for a height from
    /// which potential energies happen to cancel.
    pub fn with_least(start: f64, least: f64) -> Self {
        EnergyAudit { least, ..EnergyAudit::new(start) }
    }

    /// Records a step and returns its rise \[J\].
    pub fn record(&mut self, step: &StepEnergy) -> f64 {
        let work = step.driven_work + step.field_work;
        let rise = step.conserved - self.current - work;
        let scale = self.scale();
        self.work.add(work);
        self.dissipated.add(-rise);
        self.correction.add(step.correction_work);
        self.absolute_correction.add(step.correction_work.abs());
        self.current = step.conserved;
        self.largest_rise = self.largest_rise.max(rise);
        let gained = if rise > 0.0 { rise / scale } else { 0.0 };
        if gained > self.gained {
            (self.gained, self.worst_step) = (gained, Some(self.steps));
        }
        self.steps += 1;
        rise
    }

    /// Takes note that E* changed to `conserved` without a step, because bodies were added, removed or moved by hand,
    /// or because the step size changed. The difference counts neither as dissipated nor as gained.
    pub fn rebase(&mut self, conserved: f64) {
        self.current = conserved;
    }

    /// `energy_gained`: the largest rise in a step over the scale that held when it happened \[-\].
    ///
    /// Infinite when energy came up in a run that had none to begin with.
    pub fn energy_gained(&self) -> f64 {
        self.gained
    }

    /// Number of the step (from 0) that set [`energy_gained`](EnergyAudit::energy_gained); `None` when nothing rose.
    pub fn worst_step(&self) -> Option<u64> {
        self.worst_step
    }

    /// Largest rise of a step \[J\].
    pub fn largest_rise(&self) -> f64 {
        self.largest_rise
    }

    /// Energy dissipated so far \[J\]: what came in less what is there. Negative if the run made energy on the whole.
    pub fn dissipated(&self) -> f64 {
        self.dissipated.value()
    }

    /// Work put in so far \[J\] by driven bodies and by forces of the embedding program.
    pub fn work(&self) -> f64 {
        self.work.value()
    }

    /// Work of the drift correction so far \[J\]; lowering counts against lifting.
    pub fn total_correction_work(&self) -> f64 {
        self.correction.value()
    }

    /// `correction_work`: work of the drift correction over the energy dissipated \[-\]; zero when it did none.
    pub fn correction_work(&self) -> f64 {
        share(self.correction.value(), self.scale())
    }

    /// As [`correction_work`](EnergyAudit::correction_work) with every step's work counted as positive, so that
    /// lowering hides no lifting \[-\].
    pub fn absolute_correction_work(&self) -> f64 {
        share(self.absolute_correction.value(), self.scale())
    }

    /// What a rise is judged against now \[J\]: the dissipated energy, or the least that counts as such.
    ///
    /// A start without energy (bodies at rest on the floor, no gravity) gives no scale: then the work put in stands in.
    pub fn scale(&self) -> f64 {
        // Where gravity leans, the start may lie below what its height counts from.
        let supplied = if self.start == 0.0 { self.work.value().abs() } else { self.start.abs() };
        self.dissipated.value().max(START_SHARE * supplied.max(self.least))
    }
}

fn share(work: f64, scale: f64) -> f64 {
    if work == 0.0 { 0.0 } else { work / scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(conserved: f64) -> StepEnergy {
        StepEnergy { conserved, ..StepEnergy::default() }
    }

    #[test]
    fn a_rise_is_judged_against_what_was_dissipated_before_it() {
        let mut audit = EnergyAudit::new(1000.0);
        assert_eq!(audit.record(&step(900.0)), -100.0);
        assert_eq!(audit.energy_gained(), 0.0);
        assert_eq!(audit.record(&step(901.0)), 1.0);
        assert_eq!(audit.record(&step(800.0)), -101.0);
        assert_eq!(audit.record(&step(801.5)), 1.5);
        // 1 in 100, not 1.5 in 200.
        assert_eq!((audit.energy_gained(), audit.worst_step(), audit.largest_rise()), (0.01, Some(1), 1.5));
        assert_eq!(audit.dissipated(), 198.5);
    }

    #[test]
    fn before_anything_is_dissipated_the_start_sets_the_scale() {
        let mut audit = EnergyAudit::new(1000.0);
        audit.record(&step(1000.0 + 1e-8));
        // 1e-8 in 1e-3; the difference from 1000 is known to 1.1e-13.
        assert!((audit.energy_gained() / 1e-5 - 1.0).abs() <= 1e-4, "{}", audit.energy_gained());
        let mut nothing = EnergyAudit::new(0.0);
        nothing.record(&step(0.0));
        assert_eq!((nothing.energy_gained(), nothing.correction_work()), (0.0, 0.0));
        nothing.record(&step(1e-9));
        assert_eq!(nothing.energy_gained(), f64::INFINITY);
    }

    #[test]
    fn a_start_below_zero_sets_the_scale_as_one_above_it() {
        let mut audit = EnergyAudit::new(-2.0);
        audit.record(&step(-2.0 + 1e-9));
        // 1e-9 in 2e-6.
        assert!((audit.energy_gained() / 5e-4 - 1.0).abs() <= 1e-6, "{}", audit.energy_gained());
    }

    #[test]
    fn work_put_in_is_neither_gained_nor_dissipated() {
        let mut audit = EnergyAudit::new(10.0);
        audit.record(&StepEnergy { conserved: 13.0, driven_work: 4.0, field_work: 1.0, correction_work: 0.0 });
        assert_eq!((audit.energy_gained(), audit.dissipated(), audit.work()), (0.0, 2.0, 5.0));
        // Negative control: without the note of the work it is a gain.
        let mut blind = EnergyAudit::new(10.0);
        blind.record(&step(13.0));
        assert!(blind.energy_gained() > 1e5);
        // Taking half the bodies away is no dissipation.
        audit.rebase(6.0);
        audit.record(&step(5.0));
        assert_eq!(audit.dissipated(), 3.0);
    }

    #[test]
    fn correction_work_is_a_share_of_the_dissipated_energy_and_may_not_cancel() {
        let mut audit = EnergyAudit::new(100.0);
        for (conserved, correction_work) in [(60.0, 0.3), (40.0, -0.2)] {
            audit.record(&StepEnergy { conserved, correction_work, ..StepEnergy::default() });
        }
        assert!((audit.correction_work() - 0.1 / 60.0).abs() <= 1e-17);
        assert!((audit.absolute_correction_work() - 0.5 / 60.0).abs() <= 1e-17);
        assert!((audit.total_correction_work() - 0.1).abs() <= 1e-16);
    }

    #[test]
    fn a_million_small_losses_add_up() {
        let mut audit = EnergyAudit::new(1e6);
        let mut left = 1e6;
        for _ in 0..1_000_000 {
            left -= 0.1;
            audit.record(&step(left));
        }
        // The losses, not the energies, carry the rounding: what was recorded is what went. Measured: no difference.
        assert!((audit.dissipated() / (1e6 - left) - 1.0).abs() <= 1e-14);
    }
}
