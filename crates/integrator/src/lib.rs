//! Time integration of rigid motion: poses, velocities and principal moments of inertia in, poses and velocities out.
//!
//! Two doors. [`advance_pose`] is the last part of a step with contacts: forces and impulses have already changed the
//! velocities, and the body now moves freely for `dt`. [`advance_smooth`] integrates a body under a load that is a
//! smooth function of its state, without contact, to the order of the chosen [`Integrator`].
//!
//! What is kept in free motion, whatever the scheme: the angular momentum, because the angular velocity is changed
//! exactly as the turn of the axes demands it. With [`Integrator::SymplecticEuler`] and [`Integrator::Midpoint`]
//! [`advance_pose`] keeps the kinetic energy too, to rounding and at every step size (module `free_top` derives why).
//! Measured over 1e6 steps of 1e-3 rad, for rods, laminae, pebbles and blocks: 2e-13 of |L| and 3e-13 of the energy at
//! most.
//!
//! The frame of every [`Pose`] here sits in the centre of mass with its axes along the principal axes. The crate knows
//! no contact, no shape and no force law; who moves when is decided by `granule-engine`. Sine and cosine are a series
//! or come from `libm`, so that a trajectory has the same bits in every build.

mod exponential;
mod free_top;
mod momentum;
mod smooth;

pub use exponential::rotate;
pub use momentum::{angular_momentum, angular_velocity, is_isotropic, kinetic_energy};
pub use smooth::{Load, advance_smooth};

use granule_model::{DVec3, Pose, Velocity};

/// How motion is advanced in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// Velocities first, then positions with the new velocities: order 1 under forces, no drift of energy in free
    /// flight.
    #[default]
    SymplecticEuler,
    /// The explicit midpoint rule, order 2: one evaluation of the load half a step ahead.
    Midpoint,
    /// The classical Runge-Kutta scheme, order 4, with the rotation in exponential coordinates.
    RungeKutta4,
}

/// Moves a body freely for `dt` \[s\]: `x += v dt`, and the rotation of a torque-free top.
///
/// `principal_inertia` are the moments about the axes of `pose` \[kg m2\], all above zero. The linear velocity stays as
/// it is. The angular velocity of a body with unequal moments turns with the body (the gyroscopic term), that of an
/// isotropic one stays. [`Integrator::RungeKutta4`] turns the top by its own scheme, of order 4; the other two use the
/// scheme that keeps momentum and energy, of order 4. A negative `dt` undoes a step of the latter to rounding.
///
/// Values that are not finite come out as values that are not finite; nothing panics.
pub fn advance_pose(
    integrator: Integrator,
    pose: &mut Pose,
    velocity: &mut Velocity,
    principal_inertia: DVec3,
    dt: f64,
) {
    pose.position += velocity.linear * dt;
    if is_isotropic(principal_inertia) {
        pose.rotation = rotate(pose.rotation, velocity.angular * dt);
        return;
    }
    match integrator {
        Integrator::SymplecticEuler | Integrator::Midpoint => {
            free_top::advance(&mut pose.rotation, &mut velocity.angular, principal_inertia, dt);
        }
        Integrator::RungeKutta4 => {
            smooth::free_rotation(&mut pose.rotation, &mut velocity.angular, principal_inertia, dt);
        }
    }
}
