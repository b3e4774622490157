//! The energy book of a run: what was lost where, and whether anything was gained.
//!
//! Rises, falls and the drift correction's share are kept by `granule-measure`; here they are joined to the book of the
//! phases. Because a step may be divided and E* depends on the length of a step, the book is fed with changes of E*
//! within sub-steps, each at its own length, and not with differences of totals.

use granule_measure::{EnergyAudit, StepEnergy};

use crate::book::report::EnergyReport;

/// Sums and extremes over the steps of a run. Energies in \[J\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    book: Option<EnergyAudit>,
    /// E* when the book was opened.
    pub start: f64,
    /// Sum of the changes of E* since then.
    star: f64,
    /// Energy lost so far: E* at the start and work put in, less E* now.
    pub dissipated: f64,
    /// Largest rise of E* in a step, net of the work put in, over `max(dissipated so far, 1e-6 of the start's energy)`
    /// \[-\], the start's energy being no less than the kinetic one with what gravity gives each body in a fall through
    /// its radius.
    pub energy_gained: f64,
    /// Rises of E* so far, of every island in every part of a step by itself, net of the work put in.
    pub rises: f64,
    /// Change of E* so far because bodies began steps of another length: neither gained nor dissipated.
    pub step_change: f64,
    /// Work of the drift correction so far, every step's counted as positive.
    pub correction_work: f64,
    /// Work of driven bodies so far.
    pub driven_work: f64,
    /// Work of force fields so far.
    pub field_work: f64,
    /// Lost by impacts.
    pub dissipated_impact: f64,
    /// Lost by friction.
    pub dissipated_friction: f64,
    /// Lost by the contact stage.
    pub dissipated_contact: f64,
    /// Taken by drag and damping.
    pub dissipated_drag: f64,
    /// Taken from bodies that fell asleep.
    pub dissipated_sleep: f64,
    /// Change of E* that no force makes; see [`EnergyReport::scheme_change`].
    pub scheme_change: f64,
    /// Sum of what the books of the steps are off; see [`EnergyReport::imbalance`].
    pub imbalance: f64,
    /// E* that bodies took with them which left or were removed: no part of what was dissipated.
    pub removed: f64,
    /// Largest relative rise of kinetic energy by the impact and contact stages \[-\].
    pub stage_gain: f64,
    /// Largest relative error of the energy book of an impact \[-\].
    pub impact_error: f64,
}

impl Audit {
    /// Opens the book with E* at the start, counted from the lowest point of the container, and what the bodies have at
    /// least, however they stand \[J\]; later calls do nothing.
    pub(crate) fn begin(&mut self, star: f64, least: f64) {
        if self.book.is_none() {
            self.book = Some(EnergyAudit::with_least(star, least));
            (self.start, self.star) = (star, star);
        }
    }

    /// Books a step.
    pub(crate) fn record(&mut self, e: &EnergyReport) {
        let Some(book) = &mut self.book else { return };
        self.star += e.star_change + e.driven_work + e.field_work;
        book.record(&StepEnergy {
            conserved: self.star,
            driven_work: e.driven_work,
            field_work: e.field_work,
            correction_work: e.correction_work,
        });
        self.dissipated = book.dissipated();
        self.energy_gained = book.energy_gained();
        self.rises += e.rises;
        self.step_change += e.step_change;
        self.correction_work += e.correction_work.abs();
        self.driven_work += e.driven_work;
        self.field_work += e.field_work;
        self.dissipated_impact += e.dissipated_impact;
        self.dissipated_friction += e.dissipated_friction;
        self.dissipated_contact += e.dissipated_contact;
        self.dissipated_drag += e.dissipated_drag;
        self.dissipated_sleep += e.dissipated_sleep;
        self.scheme_change += e.scheme_change;
        self.imbalance += e.imbalance;
        self.stage_gain = self.stage_gain.max(e.stage_gain);
        self.impact_error = self.impact_error.max(e.impact_error);
    }

    /// All rises of E* so far over what a rise is judged against now: the energy dissipated in the run, or 1e-6 of the
    /// start's \[-\].
    pub fn energy_gained_sum(&self) -> f64 {
        if self.rises == 0.0 { 0.0 } else { self.rises / self.book.as_ref().map_or(0.0, EnergyAudit::scale) }
    }

    /// Work of the drift correction so far with its sign \[J\]: what it lowers gives energy back.
    pub fn net_correction_work(&self) -> f64 {
        self.book.as_ref().map_or(0.0, EnergyAudit::total_correction_work)
    }

    /// Work of the drift correction over the energy dissipated \[-\], without cancellation; zero when it did none.
    pub fn correction_share(&self) -> f64 {
        self.book.as_ref().map_or(0.0, EnergyAudit::absolute_correction_work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rises_add_up_and_the_change_of_lengths_is_no_rise() {
        let mut audit = Audit::default();
        audit.begin(1000.0, 0.0);
        let step = |star_change: f64, rises: f64, step_change: f64| EnergyReport {
            star_change,
            rises,
            step_change,
            ..EnergyReport::default()
        };
        // Two islands in one step: one loses ten, the other gains three.
        [step(-7.0, 3.0, 5.0), step(-3.0, 0.0, -5.0), step(1.0, 1.0, 2.0)].iter().for_each(|e| audit.record(e));
        assert_eq!((audit.dissipated, audit.rises, audit.step_change), (9.0, 4.0, 2.0));
        assert_eq!(audit.energy_gained, 0.1, "of the third step alone: one in ten");
        assert_eq!(audit.energy_gained_sum(), 4.0 / 9.0);
        assert_eq!(Audit::default().energy_gained_sum(), 0.0);
    }
}
