//! What moves a single body: the forces on it, and the smooth motion of a body without contact.

use granule_forces::{BodyView, Force};
use granule_integrator::{Integrator, Load, advance_smooth};
use granule_model::{Pose, Velocity};

use crate::simulation::Simulation;

impl Simulation {
    /// Velocity of body `i` after gravity, force fields and drag have acted for `dt` \[s\], and the work of the fields \[J\] with
    /// their share of the last term of E*.
    pub(crate) fn forced_velocity(&self, i: usize, dt: f64) -> (Velocity, f64) {
        let bodies = &self.bodies;
        let gravity = self.settings.gravity;
        let mut velocity = bodies.velocity[i];
        velocity.linear += gravity * dt;
        let mut work = 0.0;
        if !self.fields.is_empty() {
            let force = self.field_force(i, &bodies.pose[i], &velocity);
            let before = velocity;
            velocity.linear += force.force * (bodies.inverse_mass[i] * dt);
            velocity.angular += bodies.inverse_inertia[i].mul(force.torque) * dt;
            let mean = 0.5 * (before.linear + velocity.linear) + 0.5 * dt * gravity;
            work = dt * (force.force.dot(mean) + 0.5 * force.torque.dot(before.angular + velocity.angular));
        }
        if self.settings.drag.is_none() {
            return (velocity, work);
        }
        let drag = &self.settings.drag;
        (drag.damp(&velocity, bodies.mass[i], &bodies.inverse_inertia[i], bodies.radius[i], dt), work)
    }

    /// Sum of the force fields on body `i` in the given state.
    pub(crate) fn field_force(&self, i: usize, pose: &Pose, velocity: &Velocity) -> Force {
        let view = BodyView {
            index: i as u32,
            id: self.bodies.id(i),
            pose: *pose,
            velocity: *velocity,
            mass: self.bodies.mass[i],
            time: self.time,
        };
        self.fields.iter().map(|field| field.force(&view)).sum()
    }

    /// Moves the bodies without contact by a scheme of higher order, from the velocities before the forces of the step. Returns the body, if any, that
    /// the force fields move to where it is not finite; then none is moved.
    pub(crate) fn advance_free_bodies(&mut self, integrator: Integrator, dt: f64) -> Option<usize> {
        self.moved.clear();
        for k in 0..self.problems.components().free_bodies().len() {
            let i = self.problems.components().free_bodies()[k] as usize;
            let (mut pose, mut velocity) = (self.bodies.pose[i], self.unforced[i]);
            let load = |pose: &Pose, velocity: &Velocity| self.load(i, pose, velocity);
            advance_smooth(integrator, &mut pose, &mut velocity, self.bodies.principal_inertia[i], load, dt);
            if !(pose.position.is_finite() && pose.rotation.is_finite() && velocity.is_finite()) {
                return Some(i);
            }
            self.moved.push((pose, velocity));
        }
        for (k, (pose, velocity)) in self.moved.drain(..).enumerate() {
            let i = self.problems.components().free_bodies()[k] as usize;
            self.bodies.pose[i] = pose;
            self.bodies.velocity[i] = velocity;
            self.bodies.refresh(i);
        }
        None
    }

    /// Gravity, force fields and drag on body `i` in the given state.
    fn load(&self, i: usize, pose: &Pose, velocity: &Velocity) -> Load {
        let force = self.field_force(i, pose, velocity) + self.settings.drag.force(velocity, self.bodies.radius[i]);
        Load { acceleration: self.settings.gravity + force.force * self.bodies.inverse_mass[i], torque: force.torque }
    }
}
