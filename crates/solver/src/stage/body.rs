//! A body as the sweeps see it.

use granule_model::{DVec3, Velocity};

use super::real::Real;
use super::units::Units;
use crate::contact::island::SolverBody;

/// A body as the sweeps see it: velocity and angular velocity, behind them 1/m and 1/I as in [`SolverBody`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct LaneBody<T: Real> {
    pub(super) linear: [T; 4],
    pub(super) angular: [T; 4],
    line: [T::Line; 0],
}

impl<T: Real> LaneBody<T> {
    pub(super) fn new(linear: [T; 4], angular: [T; 4]) -> Self {
        LaneBody { linear, angular, line: [] }
    }

    pub(super) fn of(body: &SolverBody, units: &Units) -> Self {
        let with = |v: DVec3, unit: f64, inverse: f64| [v.x * unit, v.y * unit, v.z * unit, inverse].map(T::nearest);
        LaneBody::new(
            with(body.velocity.linear, 1.0 / units.speed, body.inverse_mass * units.mass),
            with(body.velocity.angular, 1.0 / units.spin(), body.inverse_inertia() * units.inertia()),
        )
    }

    pub(super) fn velocity(&self, units: &Units) -> Velocity {
        let first = |v: [T; 4], unit: f64| DVec3::new(v[0].double(), v[1].double(), v[2].double()) * unit;
        Velocity { linear: first(self.linear, units.speed), angular: first(self.angular, units.spin()) }
    }
}

/// The columns of an inverse tensor of inertia.
pub(super) type Columns<T> = [[T; 4]; 3];
