//! Linear and quadratic drag of a fluid at rest, force and moment.
//!
//! For a body whose sphere of equal volume has radius r, in a fluid of viscosity mu and density rho:
//!
//! ```text
//! F = -(6 pi mu r   + C_d rho pi r^2 |v| / 2) v
//! M = -(8 pi mu r^3 + C_m rho r^5   |w| / 2) w
//! ```
//!
//! The linear parts are Stokes' drag and Kirchhoff's couple on a sphere in creeping flow (Lamb, Hydrodynamics, 6th ed.,
//! arts. 337 and 334). The quadratic parts are the definitions of the drag coefficient C_d (about 0.44 for a sphere
//! between Reynolds numbers of 1e3 and 2e5) and of the moment coefficient C_m by dimensional analysis. A body that is
//! not a sphere feels what its sphere of equal volume would: neither lift, nor added mass, nor buoyancy, nor a
//! dependence on the angle of attack is modelled.

use crate::field::Force;
use crate::spin;
use glam::DVec3;
use granule_model::{InverseInertia, Velocity};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use thiserror::Error;

/// The fluid in which bodies move; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drag {
    /// Dynamic viscosity mu \[Pa s\], not negative; drives the linear drag. Water 1e-3, air 1.8e-5.
    pub viscosity: f64,
    /// Density of the fluid rho \[kg/m3\], not negative; drives the quadratic drag. Water 1000, air 1.2.
    pub density: f64,
    /// Drag coefficient C_d \[-\], not negative.
    pub drag_coefficient: f64,
    /// Moment coefficient C_m \[-\], not negative.
    pub moment_coefficient: f64,
}

/// A drag parameter outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field} is {value}, but must be a finite number not below 0")]
pub struct DragError {
    /// Which value.
    pub field: &'static str,
    /// What it was.
    pub value: f64,
}

impl Drag {
    /// Checks every value against its range; NaN is in none.
    ///
    /// # Errors
    /// [`DragError`] for the first value out of its range.
    pub fn validate(&self) -> Result<(), DragError> {
        let values = [
            ("viscosity", self.viscosity),
            ("density", self.density),
            ("drag_coefficient", self.drag_coefficient),
            ("moment_coefficient", self.moment_coefficient),
        ];
        match values.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((field, value)) => Err(DragError { field, value }),
            None => Ok(()),
        }
    }

    /// True when the fluid acts on nothing.
    pub fn is_none(&self) -> bool {
        self.viscosity == 0.0
            && (self.density == 0.0 || (self.drag_coefficient == 0.0 && self.moment_coefficient == 0.0))
    }

    /// Force and moment on a body of equal-volume radius `radius` \[m\] that moves with `velocity`.
    pub fn force(&self, velocity: &Velocity, radius: f64) -> Force {
        let (v, w) = (velocity.linear, velocity.angular);
        let force = -(self.linear_force(radius) + self.quadratic_force(radius) * v.length()) * v;
        let torque = -(self.linear_moment(radius) + self.quadratic_moment(radius) * w.length()) * w;
        Force { force, torque }
    }

    /// Velocity after a step `dt` \[s\] under `gravity` \[m/s2\] and this drag: [`damp`](Drag::damp) of
    /// `v + gravity dt`.
    pub fn apply(
        &self,
        velocity: &Velocity,
        mass: f64,
        inverse_inertia: &InverseInertia,
        radius: f64,
        gravity: DVec3,
        dt: f64,
    ) -> Velocity {
        let free = Velocity { linear: velocity.linear + gravity * dt, angular: velocity.angular };
        self.damp(&free, mass, inverse_inertia, radius, dt)
    }

    /// Velocity after a step `dt` \[s\] of a body that would have `free` after it without the fluid, that is with every
    /// other force of the step already added.
    ///
    /// The drag is taken at the velocity after the step, `m (v' - free) = F(v') dt`. As F points against v', the new
    /// velocity is along the free one, and its length s is the positive root of a quadratic:
    ///
    /// ```text
    /// b dt s^2 + (1 + a dt) s = |free|,    a = 6 pi mu r / m,  b = C_d rho pi r^2 / (2 m)
    /// ```
    ///
    /// So it is stable for any `dt`, never raises the kinetic energy above that of `free`, and has the exact terminal
    /// velocity (where the drag balances the other forces) as its fixed point; on the way there it is of first order in
    /// `dt`. The moment is treated in the same way, in the axes of the inertia.
    ///
    /// `mass` \[kg\] and `radius` \[m\], of the sphere of equal volume, are above zero; `inverse_inertia` \[1/(kg m2)\]
    /// is that in world axes. A velocity that is not finite stays so.
    pub fn damp(&self, free: &Velocity, mass: f64, inverse_inertia: &InverseInertia, radius: f64, dt: f64) -> Velocity {
        let (a, b) = (self.linear_force(radius) / mass, self.quadratic_force(radius) / mass);
        let linear = free.linear * spin::damping_factor(a * dt, b * dt * free.linear.length());
        let (c1, c2) = (self.linear_moment(radius) * dt, self.quadratic_moment(radius) * dt);
        Velocity { linear, angular: spin::damp(free.angular, inverse_inertia, c1, c2) }
    }

    /// Speed \[m/s\] at which the drag balances `acceleration` \[m/s2\] on a body of `mass` \[kg\] and equal-volume
    /// radius `radius` \[m\]; infinite without drag.
    pub fn terminal_speed(&self, mass: f64, radius: f64, acceleration: f64) -> f64 {
        let (a, b) = (self.linear_force(radius) / mass, self.quadratic_force(radius) / mass);
        // The root of b s^2 + a s = g in the form that does not cancel.
        2.0 * acceleration / (a + (a * a + 4.0 * b * acceleration).sqrt())
    }

    /// \[kg/s\]
    fn linear_force(&self, radius: f64) -> f64 {
        6.0 * PI * self.viscosity * radius
    }

    /// \[kg/m\]
    fn quadratic_force(&self, radius: f64) -> f64 {
        0.5 * self.drag_coefficient * self.density * PI * radius * radius
    }

    /// \[kg m2/s\]
    fn linear_moment(&self, radius: f64) -> f64 {
        8.0 * PI * self.viscosity * radius * radius * radius
    }

    /// \[kg m2\]
    fn quadratic_moment(&self, radius: f64) -> f64 {
        let square = radius * radius;
        0.5 * self.moment_coefficient * self.density * square * square * radius
    }
}
