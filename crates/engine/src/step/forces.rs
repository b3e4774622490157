//! Phase `forces`: gravity, force fields and drag, and the work of the fields.

use granule_forces::Force;
use granule_integrator::Load;
use granule_model::{InverseInertia, Pose, Velocity};
use rayon::prelude::*;

use crate::step::part::Part;
use crate::step::scratch::Motions;
use crate::world::bodies::{Bodies, BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::check;
use crate::world::error::EngineError;
use crate::world::parallel;

/// Phase `forces`: gravity, fields and drag change the velocities of the bodies awake.
///
/// # Errors
/// [`EngineError::Field`] where the fields take a body further than 1e12 m.
pub(crate) fn apply_forces(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    field_forces: &mut Vec<Force>,
) -> Result<(), EngineError> {
    apply(catalogue, frames, part, bodies, field_forces).map_err(|i| pulled_apart(catalogue, part, i))
}

/// The error of a force field that is not finite, or takes a body where it is not.
pub(crate) fn pulled_apart(catalogue: &Catalogue, part: &Part, i: usize) -> EngineError {
    EngineError::Field { step: part.step, body: catalogue.bodies.label(i) }
}

/// Velocity of a body after gravity, force fields and drag have acted on it, and the force of the fields.
fn forced(
    catalogue: &Catalogue,
    i: usize,
    pose: &Pose,
    inertia: &InverseInertia,
    velocity: &Velocity,
    &Part { time, dt, .. }: &Part,
) -> (Velocity, Force) {
    let table = &catalogue.bodies;
    let mut velocity = *velocity;
    velocity.linear += catalogue.gravity() * dt;
    let mut force = Force::default();
    if !catalogue.fields.is_empty() {
        force = catalogue.field_force(i, pose, &velocity, time);
        velocity.linear += force.force * (table.inverse_mass[i] * dt);
        velocity.angular += inertia.mul(force.torque) * dt;
    }
    let drag = &catalogue.settings.drag;
    if drag.is_none() {
        return (velocity, force);
    }
    (drag.damp(&velocity, table.mass[i], inertia, table.radius[i], dt), force)
}

/// Lets the forces act on all bodies awake, and notes those of the fields in `field_forces`.
///
/// # Errors
/// The body that the force fields take further than 1e12 m.
fn apply(
    catalogue: &Catalogue,
    frames: &Frames,
    part: &Part,
    bodies: &mut BodyState,
    field_forces: &mut Vec<Force>,
) -> Result<(), usize> {
    let table = &catalogue.bodies;
    let BodyState { pose, velocity, asleep, apart, .. } = bodies;
    let moves = |i: usize| table.dynamic[i] && !asleep[i] && !apart[i];
    let act = |i: usize, v: &Velocity| forced(catalogue, i, &pose[i], &frames.inverse_inertia[i], v, part);
    field_forces.clear();
    if catalogue.fields.is_empty() {
        parallel::for_each(velocity.par_iter_mut().enumerate(), |(i, v)| {
            if moves(i) {
                *v = act(i, v).0;
            }
        });
        return Ok(());
    }
    field_forces.resize(velocity.len(), Force::default());
    for (i, v) in velocity.iter_mut().enumerate().filter(|(i, _)| moves(*i)) {
        (*v, field_forces[i]) = act(i, v);
        let speed = v.linear.length() + v.angular.length() * table.extent[i];
        // Written so that NaN is too far.
        let near = speed * part.dt <= check::LONGEST;
        if !near {
            return Err(i);
        }
    }
    Ok(())
}

/// Lets the forces act on bodies that have woken in the part.
pub(crate) fn apply_to(
    woken: &[u32],
    catalogue: &Catalogue,
    frames: &Frames,
    part: &Part,
    bodies: &mut BodyState,
    field_forces: &mut [Force],
) {
    for i in woken.iter().map(|i| *i as usize) {
        let (velocity, force) =
            forced(catalogue, i, &bodies.pose[i], &frames.inverse_inertia[i], &bodies.velocity[i], part);
        bodies.velocity[i] = velocity;
        if let Some(applied) = field_forces.get_mut(i) {
            *applied = force;
        }
    }
}

/// Notes the work of the force fields on each body in a part of `dt` \[s\] whose contact stage has ended.
///
/// With v0 the velocity before the forces, v1 the one after them, v2 the one with which the body moves, and P = m
/// (v2 - v1) what its contacts did, E* changes by
/// `m (v2^2 - v0^2)/2 - m g.v2 dt + (dt/2) m g.(v2 - v0) = P.(v0 + v2)/2 + F dt.(v0 + v2)/2`. The second term is
/// the work. Taken with v1 for v2, a force that holds a body against the floor seemed to work in every step. In a
/// flight bodies move with the mean of both velocities, and the work is the same.
pub(crate) fn note_work(bodies: &Bodies<'_>, dt: f64, motion: &mut Motions) {
    let Motions { field_work, field_forces, unforced, .. } = motion;
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
pub(crate) fn work_but_for(undone: &[bool], work: &[f64]) -> f64 {
    let stands = |i: usize| !undone.get(i).copied().unwrap_or(false);
    work.iter().enumerate().filter(|(i, _)| stands(*i)).map(|(_, work)| work).sum()
}

/// Gravity, force fields and drag on body `i` in the given state at `time` \[s\].
pub(crate) fn load(catalogue: &Catalogue, i: usize, pose: &Pose, velocity: &Velocity, time: f64) -> Load {
    let table = &catalogue.bodies;
    let drag = catalogue.settings.drag.force(velocity, table.radius[i]);
    let force = catalogue.field_force(i, pose, velocity, time) + drag;
    Load { acceleration: catalogue.gravity() + force.force * table.inverse_mass[i], torque: force.torque }
}
