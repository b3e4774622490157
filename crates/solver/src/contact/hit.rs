//! Which contacts of a step are impacts, read off the contact stage.
//!
//! The contact stage compresses all contacts, loads at rest and impacts alike. What tells them apart:
//!
//! * A contact was hit if `-(u_i0 + u_i+) > fast`, with `u_i0` its normal velocity before the forces of the step and
//!   `u_i+` the one after the stage: a resting load has `u_i0 = 0` and is never fast, however heavy.
//! * A contact that could not be driven apart faster than gravity closes it in one step, `e sqrt(2 W_i k) <= g dt`, was
//!   not hit either: symplectic Euler would fetch the body back within the step, and the quantity that it conserves, E*
//!   = kinetic + potential + (dt/2) sum m g.v, is lower for such a slow riser than for a body at rest, so that the
//!   fetching back would count as a gain of energy (measured: 1e-4 of the energy dissipated so far, when the first
//!   layer of a pack lands at 60 Hz).

use crate::contact::island::Row;

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

/// Gap after the move up to which a contact touches, over the smaller radius. It covers the residual of the contact
/// stage; a contact further apart takes no part and is met in the next step.
const TOUCH: f64 = 1e-3;

impl HitSettings {
    /// Gap of a contact after the bodies have moved with the velocities that the contact stage has left \[m\].
    pub fn gap_after(&self, row: &Row) -> f64 {
        row.gap + (row.left + row.normal.dot(row.drift())) * self.dt
    }

    /// Whether a contact touches after that move.
    pub fn touches_after(&self, row: &Row) -> bool {
        self.gap_after(row) <= TOUCH * row.radius
    }

    /// Whether the contact stage that has just ended stopped a contact that was closing fast, whatever it may give
    /// back.
    pub fn was_stopped(&self, row: &Row) -> bool {
        self.was_stopped_from(row, row.came)
    }

    /// The same of a contact that came in with this normal velocity \[m/s\].
    pub fn was_stopped_from(&self, row: &Row, came: f64) -> bool {
        row.normal_impulse > 0.0 && -(came + row.left) > self.fast
    }

    /// Whether a contact is pressed that was closing fast or going away fast, with this normal velocity \[m/s\]: what
    /// went away has come back within the step.
    pub fn was_met_from(&self, row: &Row, came: f64) -> bool {
        let comes_first = row.is_new() && row.drift != [0.0; 3] && -came > self.fast;
        row.normal_impulse > 0.0 && ((came + row.left).abs() > self.fast || comes_first)
    }

    /// Whether a contact was hit in the contact stage that has just ended: it came in fast and can be driven apart
    /// again.
    pub fn was_hit(&self, row: &Row) -> bool {
        if !self.was_stopped(row) {
            return false;
        }
        // A contact that is still closing goes through the rest of its compression in stage I: that work counts.
        let still = 0.5 * row.left.min(0.0).powi(2) / row.k_normal;
        row.restitution * (2.0 * (still + row.normal_work).max(0.0) * row.k_normal).sqrt() > self.lift
    }
}
