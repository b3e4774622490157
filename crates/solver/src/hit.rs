//! Which contacts of a step are impacts, read off the contact stage.
//!
//! The contact stage compresses all contacts, loads at rest and impacts alike. What tells them apart:
//!
//! * A contact was hit if `-(u_i0 + u_i+) > fast`, with `u_i0` its normal velocity before the forces of the step and `u_i+` the one
//!   after the stage: a resting load has `u_i0 = 0` and is never fast, however heavy.
//! * A contact that could not be driven apart faster than gravity closes it in one step, `e sqrt(2 W_i k) <= g dt`, was not hit
//!   either: symplectic Euler would fetch the body back within the step, and the quantity that it conserves, E* = kinetic +
//!   potential + (dt/2) sum m g.v, is lower for such a slow riser than for a body at rest, so that the fetching back would count
//!   as a gain of energy (measured: 1e-4 of the energy dissipated so far, when the first layer of a pack lands at 60 Hz).

use granule_model::Velocity;

use crate::island::{Island, Row, SolverBody};

/// When a contact counts as hit.
#[derive(Clone, Copy, Debug)]
pub struct HitSettings {
    /// Sum of approach speeds before and after beyond which a contact was hit \[m/s\].
    pub fast: f64,
    /// Separation speed that the energy of a contact must be able to make, else it is dissipated \[m/s\].
    pub lift: f64,
    /// Time step \[s\]: `gap + u_n dt` is the gap after the move.
    pub dt: f64,
}

/// Gap after the move up to which a contact touches, over the smaller radius. It covers the residual of the contact stage; a
/// contact further apart takes no part and is met in the next step.
const TOUCH: f64 = 1e-3;

/// Normal velocity of a contact for given body velocities \[m/s\].
pub(crate) fn normal_velocity(row: &Row, velocity: &[Velocity]) -> f64 {
    row.normal.dot(velocity[row.a as usize].at(row.arm_a) - velocity[row.b as usize].at(row.arm_b))
}

impl HitSettings {
    /// Gap of a contact after the bodies have moved with the velocities they have \[m\].
    pub fn gap_after(&self, row: &Row, bodies: &[SolverBody]) -> f64 {
        row.gap + row.normal.dot(row.relative_velocity(bodies)) * self.dt
    }

    /// Whether a contact touches after that move.
    pub fn touches_after(&self, row: &Row, bodies: &[SolverBody]) -> bool {
        self.gap_after(row, bodies) <= TOUCH * row.radius
    }

    /// Whether a contact was hit in the contact stage that has just ended: it came in fast and can be driven apart again.
    ///
    /// `unforced` are the velocities before the forces of the step, `before` those the contact stage started from.
    pub fn was_hit(&self, row: &Row, island: &Island<'_>, unforced: &[Velocity], before: &[Velocity]) -> bool {
        let after = row.normal.dot(row.relative_velocity(island.bodies));
        // A driven body strikes with the velocity that it has now: one that starts at once hits what touches it.
        let came = |i: u32| {
            if island.bodies[i as usize].inverse_mass == 0.0 { before[i as usize] } else { unforced[i as usize] }
        };
        let came_in = row.normal.dot(came(row.a).at(row.arm_a) - came(row.b).at(row.arm_b));
        if row.normal_impulse <= 0.0 || -(came_in + after) <= self.fast {
            return false;
        }
        // A contact that is still closing goes through the rest of its compression in stage I: that work counts.
        let left = 0.5 * after.min(0.0).powi(2) / row.k_normal;
        let stored = left - 0.5 * row.normal_impulse * (normal_velocity(row, before) + after);
        row.restitution * (2.0 * stored.max(0.0) * row.k_normal).sqrt() > self.lift
    }
}
