//! The files that are written while a run goes on: the energy ledger and the ParaView series; and when the next row or
//! frame is due.

use granule_engine::{EnergyReport, Momenta, Simulation, StepReport};
use granule_export::EnergyRow;

/// The row of the energy ledger after a step.
pub(crate) fn energy_row(simulation: &Simulation, report: &StepReport) -> EnergyRow {
    let (audit, e) = (simulation.audit(), &report.energy);
    let EnergyReport { kinetic, potential, star, star_change, impact_error, .. } = *e;
    let Momenta { mass, linear, angular, centre } = simulation.momenta();
    EnergyRow {
        time: report.time,
        step: report.step,
        kinetic,
        potential,
        energy_star: star,
        energy_start: audit.start,
        energy_removed: audit.removed,
        work_driven: audit.driven_work,
        work_forces: audit.field_work,
        work_correction: audit.net_correction_work(),
        dissipated_impact: audit.dissipated_impact,
        dissipated_friction: audit.dissipated_friction,
        dissipated_contact: audit.dissipated_contact,
        dissipated_drag: audit.dissipated_drag,
        dissipated_sleep: audit.dissipated_sleep,
        step_change: audit.step_change,
        scheme_change: audit.scheme_change,
        imbalance: audit.imbalance,
        energy_gain: star_change,
        impact_error,
        contacts: report.touching as u64,
        largest_overlap: report.largest_overlap,
        residual: report.residual,
        awake: report.awake as u64,
        substeps: u64::from(report.substeps),
        mass,
        px: linear.x,
        py: linear.y,
        pz: linear.z,
        lx: angular.x,
        ly: angular.y,
        lz: angular.z,
        cx: centre.x,
        cy: centre.y,
        cz: centre.z,
    }
}

/// Frames at equal intervals of simulated time: the first at once, then each with the first step that reaches its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    /// Frames per simulated second.
    rate: f64,
    /// Number of the next frame.
    next: f64,
}

/// Share of an interval by which a step may come too early for its frame: the rounding of summed times.
const EARLY: f64 = 1e-6;

impl Frames {
    pub(crate) fn new(rate: f64) -> Self {
        Frames { rate, next: 0.0 }
    }

    /// Whether a frame is due at simulated `time` \[s\]; then it counts as taken. Frames that a long step has jumped
    /// over are left out.
    pub(crate) fn due(&mut self, time: f64) -> bool {
        let passed = time * self.rate + EARLY;
        let due = passed >= self.next;
        if due {
            self.next = passed.floor() + 1.0;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_at_their_rate_whatever_the_step() {
        for (dt, steps, expected) in [(1e-3, 2000, 51), (1.0 / 60.0, 120, 51), (0.04, 50, 51), (0.1, 20, 21)] {
            let (mut frames, mut time) = (Frames::new(25.0), 0.0);
            let mut count = usize::from(frames.due(time));
            for _ in 0..steps {
                time += dt;
                count += usize::from(frames.due(time));
            }
            assert_eq!(count, expected, "{dt}");
        }
    }
}
