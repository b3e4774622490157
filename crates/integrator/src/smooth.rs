//! Motion under a load that is a smooth function of state: symplectic Euler, explicit midpoint and Runge-Kutta 4.
//!
//! The state is position, velocity, rotation and angular momentum L in the world; its equations are
//!
//! ```text
//! x' = v,   v' = a(x, v),   L' = torque(x, v),   R' = [w]x R   with   w = R I^-1 R^T L.
//! ```
//!
//! Rotation is integrated in exponential coordinates: R = exp(u) R0 with u' = dexp^-1(u) w = w - u x w / 2 +
//! u x (u x w) / 12 - ..., in which any Runge-Kutta scheme keeps its order and the rotation stays one (H. Munthe-Kaas,
//! Appl. Numer. Math. 29, 1999, 115-127). The next term is of fourth degree in u and does not touch order 4. Without
//! torque L stays the same number, whatever the scheme does to the rotation.

use crate::Integrator;
use crate::exponential::{compose_exactly, exponential, rotate};
use crate::momentum::{angular_momentum, angular_velocity, is_isotropic, velocity_after};
use granule_model::{DQuat, DVec3, Pose, Velocity};

/// What acts on a body at one instant, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Acceleration of the centre of mass \[m/s2\].
    pub acceleration: DVec3,
    /// Torque about the centre of mass \[N m\].
    pub torque: DVec3,
}

/// A body in the unknowns of the equations above.
#[derive(Clone, Copy)]
struct State {
    position: DVec3,
    rotation: DQuat,
    linear: DVec3,
    momentum: DVec3,
}

/// The time derivative of a [`State`], the rotation's as the rate of `u`.
#[derive(Clone, Copy)]
struct Slope {
    position: DVec3,
    turn: DVec3,
    linear: DVec3,
    momentum: DVec3,
}

impl State {
    fn new(pose: &Pose, velocity: &Velocity, principal_inertia: DVec3) -> Self {
        State {
            position: pose.position,
            rotation: pose.rotation,
            linear: velocity.linear,
            momentum: angular_momentum(pose.rotation, principal_inertia, velocity.angular),
        }
    }

    /// The state that `slope` leads to in the time `dt`.
    fn moved(&self, slope: &Slope, dt: f64) -> State {
        State {
            position: self.position + slope.position * dt,
            rotation: rotate(self.rotation, slope.turn * dt),
            linear: self.linear + slope.linear * dt,
            momentum: self.momentum + slope.momentum * dt,
        }
    }

    fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    fn velocity(&self, principal_inertia: DVec3) -> Velocity {
        Velocity { linear: self.linear, angular: angular_velocity(self.rotation, principal_inertia, self.momentum) }
    }
}

/// Moves a body for `dt` \[s\] under the load `load(pose, velocity)`, a smooth function of its state.
///
/// `principal_inertia` are the moments about the axes of `pose` \[kg m2\], all above zero. The error over a fixed time
/// falls as dt, dt^2 and dt^4 for the three integrators. `load` is called once, twice and four times. Contacts are not
/// smooth: a step with contacts uses [`advance_pose`](crate::advance_pose) after its impulses.
pub fn advance_smooth<F>(
    integrator: Integrator,
    pose: &mut Pose,
    velocity: &mut Velocity,
    principal_inertia: DVec3,
    load: F,
    dt: f64,
) where
    F: Fn(&Pose, &Velocity) -> Load,
{
    if integrator == Integrator::SymplecticEuler {
        symplectic_euler(pose, velocity, principal_inertia, load(pose, velocity), dt);
        return;
    }
    let start = State::new(pose, velocity, principal_inertia);
    let slope = |state: &State| {
        let (pose, velocity) = (state.pose(), state.velocity(principal_inertia));
        let load = load(&pose, &velocity);
        Slope { position: velocity.linear, turn: velocity.angular, linear: load.acceleration, momentum: load.torque }
    };
    let mean = match integrator {
        Integrator::SymplecticEuler | Integrator::Midpoint => midpoint(&start, slope, dt),
        Integrator::RungeKutta4 => runge_kutta(&start, slope, dt),
    };
    pose.position += mean.position * dt;
    velocity.linear += mean.linear * dt;
    let impulse = mean.momentum * dt;
    let (turned, made) = compose_exactly(pose.rotation, exponential(mean.turn * dt));
    velocity.angular = if is_isotropic(principal_inertia) {
        velocity.angular + impulse / principal_inertia
    } else {
        velocity_after(pose.rotation, principal_inertia, velocity.angular, made, impulse)
    };
    pose.rotation = turned;
}

/// Velocities by the load at the start, then the pose by the new velocities.
fn symplectic_euler(pose: &mut Pose, velocity: &mut Velocity, principal_inertia: DVec3, load: Load, dt: f64) {
    velocity.linear += load.acceleration * dt;
    velocity.angular += angular_velocity(pose.rotation, principal_inertia, load.torque * dt);
    crate::advance_pose(Integrator::SymplecticEuler, pose, velocity, principal_inertia, dt);
}

/// The slope in the middle of the step, reached with the slope at its start. The slope of u needs no correction here:
/// u x w vanishes to the order of the scheme.
fn midpoint(start: &State, slope: impl Fn(&State) -> Slope, dt: f64) -> Slope {
    slope(&start.moved(&slope(start), 0.5 * dt))
}

/// The mean of the classical scheme's four slopes.
fn runge_kutta(start: &State, slope: impl Fn(&State) -> Slope, dt: f64) -> Slope {
    // The slope at the state that `from` leads to, its rotation rate carried back to the coordinates u at the start.
    let stage = |from: &Slope, share: f64| {
        let there = slope(&start.moved(from, share * dt));
        Slope { turn: inverse_differential(from.turn * (share * dt), there.turn), ..there }
    };
    let k1 = slope(start);
    let k2 = stage(&k1, 0.5);
    let k3 = stage(&k2, 0.5);
    let k4 = stage(&k3, 1.0);
    let mean = |part: fn(&Slope) -> DVec3| (part(&k1) + 2.0 * (part(&k2) + part(&k3)) + part(&k4)) / 6.0;
    Slope {
        position: mean(|k| k.position),
        turn: mean(|k| k.turn),
        linear: mean(|k| k.linear),
        momentum: mean(|k| k.momentum),
    }
}

/// dexp^-1(u) w to third order in u.
fn inverse_differential(u: DVec3, w: DVec3) -> DVec3 {
    let uw = u.cross(w);
    w - 0.5 * uw + u.cross(uw) / 12.0
}

/// The torque-free top for `dt` \[s\] by Runge-Kutta 4; arguments in world axes, moments about the axes of `rotation`.
pub(crate) fn free_rotation(rotation: &mut DQuat, angular: &mut DVec3, principal_inertia: DVec3, dt: f64) {
    let mut pose = Pose { position: DVec3::ZERO, rotation: *rotation };
    let mut velocity = Velocity { linear: DVec3::ZERO, angular: *angular };
    advance_smooth(Integrator::RungeKutta4, &mut pose, &mut velocity, principal_inertia, |_, _| Load::default(), dt);
    *rotation = pose.rotation;
    *angular = velocity.angular;
}
