//! What moves a single body: the forces on it, and the smooth motion of a body without contact.

use granule_forces::{BodyView, Force};
use granule_integrator::{Integrator, Load, advance_smooth};
use granule_model::{Pose, Velocity};

use crate::simulation::Simulation;

impl Simulation {
    /// Velocity of body `i` after gravity, force fields and drag have acted for `dt` \[s\], and the force of the
    /// fields.
    pub(crate) fn forced_velocity(&self, i: usize, dt: f64) -> (Velocity, Force) {
        let bodies = &self.bodies;
        let mut velocity = bodies.velocity[i];
        velocity.linear += self.settings.gravity * dt;
        let mut force = Force::default();
        if !self.fields.is_empty() {
            force = self.field_force(i, &bodies.pose[i], &velocity);
            velocity.linear += force.force * (bodies.inverse_mass[i] * dt);
            velocity.angular += bodies.inverse_inertia[i].mul(force.torque) * dt;
        }
        if self.settings.drag.is_none() {
            return (velocity, force);
        }
        let drag = &self.settings.drag;
        (drag.damp(&velocity, bodies.mass[i], &bodies.inverse_inertia[i], bodies.radius[i], dt), force)
    }

    /// Notes the work of the force fields on each body in a step of `dt` \[s\] whose contact stage has ended.
    ///
    /// With v0 the velocity before the forces, v1 the one after them, v2 the one with which the body moves, and P = m
    /// (v2 - v1) what its contacts did, E* changes by
    /// `m (v2^2 - v0^2)/2 - m g.v2 dt + (dt/2) m g.(v2 - v0) = P.(v0 + v2)/2 + F dt.(v0 + v2)/2`. The second term is
    /// the work. Taken with v1 for v2, a force that holds a body against the floor seemed to work in every step. In a
    /// flight bodies move with the mean of both velocities, and the work is the same.
    pub(crate) fn note_field_work(&mut self, dt: f64) {
        let Simulation { field_work, field_forces, unforced, bodies, .. } = self;
        let work = |i: usize| {
            if !bodies.awake(i) {
                return 0.0;
            }
            let (force, before, after) = (&field_forces[i], &unforced[i], &bodies.velocity[i]);
            let linear = force.force.dot(before.linear + after.linear);
            0.5 * dt * (linear + force.torque.dot(before.angular + after.angular))
        };
        field_work.clear();
        field_work.extend((0..field_forces.len()).map(work));
    }

    /// The work that was noted last, but for that on bodies of `undone`; an empty list names none \[J\].
    pub(crate) fn field_work_but_for(&self, undone: &[bool]) -> f64 {
        let stands = |i: usize| !undone.get(i).copied().unwrap_or(false);
        self.field_work.iter().enumerate().filter(|(i, _)| stands(*i)).map(|(_, work)| work).sum()
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

    /// Moves the bodies without contact by a scheme of higher order, from the velocities before the forces of the step.
    /// Returns the body, if any, that the force fields move to where it is not finite; then none is moved.
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
