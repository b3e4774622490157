//! The energy book of a run: what was lost where, and whether anything was gained.

/// Sums and extremes over the steps of a run. Energies in \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Audit {
    /// Energy E* at the start, counted from the lowest point of the container.
    pub start: f64,
    /// Energy lost so far: the sum of the falls of E* net of the work of driven bodies.
    pub dissipated: f64,
    /// Largest rise of E* in a step, net of the work of driven bodies, over `max(dissipated so far, 1e-6 start)` \[-\].
    pub energy_gained: f64,
    /// Work of the drift correction so far: the sum over the steps that lifted.
    pub correction_work: f64,
    /// Work of driven bodies so far.
    pub driven_work: f64,
    /// Lost by impacts.
    pub dissipated_impact: f64,
    /// Lost by friction.
    pub dissipated_friction: f64,
    /// Lost by the contact stage.
    pub dissipated_contact: f64,
    /// Largest relative rise of kinetic energy by the impact and contact stages \[-\].
    pub stage_gain: f64,
    /// Largest relative error of the energy book of an impact \[-\].
    pub impact_error: f64,
    started: bool,
}

impl Audit {
    /// Share of the start's energy that counts as dissipated before anything was.
    pub(crate) const FLOOR: f64 = 1e-6;

    /// The set of bodies has changed: the next step starts from a new total.
    pub(crate) fn restart(&mut self) {
        self.started = false;
    }

    /// Notes the energy at the start, the first time and after a change of the bodies.
    pub(crate) fn begin(&mut self, star: f64) {
        if !self.started {
            self.start = self.start.max(star);
            self.started = true;
        }
    }

    /// The scale of energy gains now.
    pub(crate) fn scale(&self) -> f64 {
        self.dissipated.max(Self::FLOOR * self.start.abs()).max(f64::MIN_POSITIVE)
    }

    /// Books a step.
    pub(crate) fn book(&mut self, e: &crate::report::EnergyReport) {
        if e.star_change > 0.0 {
            self.energy_gained = self.energy_gained.max(e.star_change / self.scale());
        } else {
            self.dissipated -= e.star_change;
        }
        self.correction_work += e.correction_work.max(0.0);
        self.driven_work += e.driven_work;
        self.dissipated_impact += e.dissipated_impact;
        self.dissipated_friction += e.dissipated_friction;
        self.dissipated_contact += e.dissipated_contact;
        self.stage_gain = self.stage_gain.max(e.stage_gain);
        self.impact_error = self.impact_error.max(e.impact_error);
    }

    /// Work of the drift correction over the energy dissipated \[-\]; zero before anything was dissipated.
    pub fn correction_share(&self) -> f64 {
        if self.dissipated > 0.0 { self.correction_work / self.dissipated } else { 0.0 }
    }
}
