//! Global damping: a numerical aid that takes the same share of every velocity in each step.
//!
//! ```text
//! v' = (1 - xi_v dt) v,    w' = (1 - xi_w dt) w,    0 <= xi dt <= 1
//! ```
//!
//! Tan, Wijesuriya and Sitar (2024), Eqs. 47 to 49, with one rate there for both. It acts on the velocities that a step
//! begins with, before gravity and contacts: what rests has none, and presses with all of its weight. A rate so high
//! that `xi dt > 1` stops the body; the product is never above 1. The damping stands for no process in a material.

use granule_model::Velocity;
use serde::{Deserialize, Serialize};

use crate::drag::DragError;

/// Rates of global damping; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Damping {
    /// Share of the velocity of the centre of mass that is taken per time \[1/s\], not negative.
    pub linear: f64,
    /// Share of the angular velocity that is taken per time \[1/s\], not negative.
    pub angular: f64,
}

impl Damping {
    /// Checks both rates; NaN is no rate.
    ///
    /// # Errors
    /// [`DragError`] for the first one out of its range.
    pub fn validate(&self) -> Result<(), DragError> {
        let values = [("damping.linear", self.linear), ("damping.angular", self.angular)];
        match values.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((field, value)) => Err(DragError { field, value }),
            None => Ok(()),
        }
    }

    /// True when nothing is damped.
    pub fn is_none(&self) -> bool {
        self.linear == 0.0 && self.angular == 0.0
    }

    /// What a step of `dt` \[s\] takes from a body that begins it with `velocity`: the change of its velocity.
    pub fn change(&self, velocity: &Velocity, dt: f64) -> Velocity {
        let taken = |rate: f64| (rate * dt).min(1.0);
        Velocity { linear: velocity.linear * -taken(self.linear), angular: velocity.angular * -taken(self.angular) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::DVec3;

    #[test]
    fn each_step_takes_its_share_and_never_more_than_all() {
        let velocity = Velocity { linear: DVec3::new(1.0, -2.0, 4.0), angular: DVec3::new(8.0, 0.0, 0.5) };
        let damping = Damping { linear: 0.5, angular: 2.0 };
        let change = damping.change(&velocity, 0.25);
        assert_eq!(change.linear, -0.125 * velocity.linear);
        assert_eq!(change.angular, -0.5 * velocity.angular);
        assert_eq!(damping.change(&velocity, 1e9).linear, -velocity.linear);
        assert!(Damping::default().is_none() && !damping.is_none());
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for value in [f64::NAN, -1.0, f64::INFINITY] {
            assert_eq!(Damping { linear: value, angular: 0.0 }.validate().map_err(|e| e.field), Err("damping.linear"));
            assert_eq!(Damping { linear: 0.0, angular: value }.validate().map_err(|e| e.field), Err("damping.angular"));
        }
        assert!(Damping { linear: 0.5, angular: 0.0 }.validate().is_ok());
    }
}
