//! Phase `forces`: gravity, force fields, drag and damping, and the work of the fields.

use granule_forces::{Damping, Force};
use granule_integrator::Load;
use granule_model::{InverseInertia, Pose, Velocity};
use rayon::prelude::*;

use crate::islands::impact::Impact;
use crate::islands::problems::Problems;
use crate::step::part::Part;
use crate::step::scratch::Motions;
use crate::world::account::stands;
use crate::world::bodies::{Bodies, BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::check;
use crate::world::error::EngineError;
use crate::world::parallel;

/// Phase `forces`: damping, gravity, fields and drag change the velocities of the bodies awake.
///
/// # Errors
/// [`EngineError::Field`] where the fields take a body further than 1e12 m.
pub(crate) fn apply_forces(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &Frames,
    (field_forces, dragged): (&mut Vec<Force>, &mut Vec<Velocity>),
) -> Result<(), EngineError> {
    apply(catalogue, frames, part, bodies, (field_forces, dragged)).map_err(|i| pulled_apart(catalogue, part, i))
}

/// The error of a force field that is not finite, or takes a body where it is not.
pub(crate) fn pulled_apart(catalogue: &Catalogue, part: &Part, i: usize) -> EngineError {
    EngineError::Field { step: part.step, body: catalogue.bodies.label(i) }
}

/// What the forces of a part do to a body.
struct Forced {
    velocity: Velocity,
    /// Of the fields.
    force: Force,
    /// Change of the velocity by drag and damping.
    dragged: Velocity,
}

/// Velocity of a body after damping, gravity, force fields and drag have acted on it, and what these did.
fn forced(
    catalogue: &Catalogue,
    i: usize,
    pose: &Pose,
    inertia: &InverseInertia,
    velocity: &Velocity,
    &Part { time, dt, .. }: &Part,
) -> Forced {
    let table = &catalogue.bodies;
    let resisted = catalogue.settings.damping.change(velocity, dt);
    let mut velocity = *velocity + resisted;
    velocity.linear += catalogue.gravity() * dt;
    let mut force = Force::default();
    if !catalogue.fields.is_empty() {
        force = catalogue.field_force(i, pose, &velocity, time);
        velocity.linear += force.force * (table.inverse_mass[i] * dt);
        velocity.angular += inertia.mul(force.torque) * dt;
    }
    let drag = &catalogue.settings.drag;
    if drag.is_none() {
        return Forced { velocity, force, dragged: resisted };
    }
    let damped = drag.damp(&velocity, table.mass[i], inertia, table.radius[i], dt);
    Forced { velocity: damped, force, dragged: resisted + (damped - velocity) }
}

/// Lets the forces act on all bodies awake, and notes those of the fields in `field_forces`, and in `dragged` what drag
/// and damping did.
///
/// # Errors
/// The body that the force fields take further than 1e12 m.
fn apply(
    catalogue: &Catalogue,
    frames: &Frames,
    part: &Part,
    bodies: &mut BodyState,
    (field_forces, dragged): (&mut Vec<Force>, &mut Vec<Velocity>),
) -> Result<(), usize> {
    let table = &catalogue.bodies;
    let BodyState { pose, velocity, asleep, apart, .. } = bodies;
    let moves = |i: usize| table.dynamic[i] && !asleep[i] && !apart[i];
    let act = |i: usize, v: &Velocity| forced(catalogue, i, &pose[i], &frames.inverse_inertia[i], v, part);
    field_forces.clear();
    dragged.clear();
    if catalogue.fields.is_empty() && !catalogue.settings.resists() {
        parallel::for_each(velocity.par_iter_mut().enumerate(), |(i, v)| {
            if moves(i) {
                *v = act(i, v).velocity;
            }
        });
        return Ok(());
    }
    dragged.resize(velocity.len(), Velocity::ZERO);
    if catalogue.fields.is_empty() {
        parallel::for_each(
            (velocity.par_iter_mut(), dragged.par_iter_mut()).into_par_iter().enumerate(),
            |(i, (v, dragged))| {
                if moves(i) {
                    let done = act(i, v);
                    (*v, *dragged) = (done.velocity, done.dragged);
                }
            },
        );
        return Ok(());
    }
    field_forces.resize(velocity.len(), Force::default());
    for (i, v) in velocity.iter_mut().enumerate().filter(|(i, _)| moves(*i)) {
        let done = act(i, v);
        (*v, field_forces[i], dragged[i]) = (done.velocity, done.force, done.dragged);
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
    (field_forces, dragged): (&mut [Force], &mut [Velocity]),
) {
    for i in woken.iter().map(|i| *i as usize) {
        let done = forced(catalogue, i, &bodies.pose[i], &frames.inverse_inertia[i], &bodies.velocity[i], part);
        bodies.velocity[i] = done.velocity;
        field_forces.get_mut(i).into_iter().for_each(|force| *force = done.force);
        dragged.get_mut(i).into_iter().for_each(|dragged| *dragged = done.dragged);
    }
}

/// Notes the work of the force fields, and of drag with damping, on each body in a part of `dt` \[s\] whose contact
/// stage has ended.
///
/// With v0 the velocity before the forces, v1 the one after them, v2 the one with which the body moves, and P = m
/// (v2 - v1) what its contacts did, E* changes by
/// `m (v2^2 - v0^2)/2 - m g.v2 dt + (dt/2) m g.(v2 - v0) = P.(v0 + v2)/2 + F dt.(v0 + v2)/2`. The second term is
/// the work. Taken with v1 for v2, a force that holds a body against the floor seemed to work in every step. In a
/// flight bodies move with the mean of both velocities, and the work is the same.
pub(crate) fn note_work(bodies: &Bodies<'_>, dt: f64, motion: &mut Motions) {
    let Motions { field_work, field_forces, drag_work, dragged, unforced, .. } = motion;
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
    let taken = |i: usize| {
        if !bodies.awake(i) {
            return 0.0;
        }
        let (change, before, after) = (&dragged[i], &unforced[i], &bodies.velocity[i]);
        let linear = bodies.mass[i] * change.linear.dot(before.linear + after.linear);
        0.5 * (linear + bodies.momentum_of_spin(i, change.angular).dot(before.angular + after.angular))
    };
    drag_work.clear();
    drag_work.extend((0..dragged.len()).map(taken));
}

/// Notes in [`Motions::scheme`] what it does to E* that a law gave impulses for which the contact stage of a part of
/// `dt` \[s\] was made again, while poses move by what it came to first.
///
/// With v0 the velocity before the forces and vt the one by which a body moves, the last contact stage leads from u,
/// without its forces, to v. Its impulses P take `-P.(u + v)/2`, and fields and drag, which give J, were booked with v0
/// and vt. What is left of the change of E* is
/// `m g dt.(v - vt + (u - v0)/2) + J.(u + v - v0 - vt)/2`, and for a body that met the law with the forces added,
/// whose energy the law changed from there, less `(m g dt + J).(u - v0)`.
pub(crate) fn note_restart(
    catalogue: &Catalogue,
    bodies: &Bodies<'_>,
    dt: f64,
    problems: &Problems,
    impact: &Impact,
    motion: &mut Motions,
) {
    let Motions { scheme, unforced, forced, transport, .. } = motion;
    let weight = catalogue.gravity() * dt;
    problems.restarted(|i, start| {
        let (before, moved, after) = (unforced[i], transport[i], bodies.velocity[i]);
        let (mass, given) = (bodies.mass[i], forced[i] - before);
        let other = mass * (given.linear - weight);
        let spin = bodies.momentum_of_spin(i, given.angular);
        let (shift, both) = (start - before, start + after - before - moved);
        let mut change = mass * weight.dot(after.linear - moved.linear + 0.5 * shift.linear);
        change += 0.5 * (other.dot(both.linear) + spin.dot(both.angular));
        if !impact.was_resting(i) {
            change -= mass * given.linear.dot(shift.linear) + spin.dot(shift.angular);
        }
        scheme[i] = change;
    });
}

/// Notes what it does to the last term of E* that a release gives impulses after it is settled by which velocities
/// bodies move in a part of `dt` \[s\]: `(dt/2) m g.(v - vt)`.
pub(crate) fn note_release(catalogue: &Catalogue, bodies: &Bodies<'_>, dt: f64, motion: &mut Motions) {
    let Motions { scheme, transport, .. } = motion;
    let half = 0.5 * dt * catalogue.gravity();
    let change = |i: usize| {
        if bodies.awake(i) { bodies.mass[i] * half.dot(bodies.velocity[i].linear - transport[i].linear) } else { 0.0 }
    };
    parallel::fill(scheme, bodies.len(), &change);
}

/// The sum of what was noted of each body, but for those of `undone` \[J\].
pub(crate) fn sum_but_for(undone: &[bool], of_bodies: &[f64]) -> f64 {
    of_bodies.iter().enumerate().filter(|(i, _)| stands(undone, *i)).map(|(_, of_body)| of_body).sum()
}

/// Gravity, force fields, drag and damping on body `i` in the given state at `time` \[s\].
pub(crate) fn load(catalogue: &Catalogue, i: usize, pose: &Pose, velocity: &Velocity, time: f64) -> Load {
    let table = &catalogue.bodies;
    let drag = catalogue.settings.drag.force(velocity, table.radius[i]);
    let force = catalogue.field_force(i, pose, velocity, time) + drag;
    let Damping { linear, angular } = catalogue.settings.damping;
    let spin = pose.inverse_transform_vector(velocity.angular);
    let momentum = pose.transform_vector(table.principal_inertia[i] * spin);
    Load {
        acceleration: catalogue.gravity() + force.force * table.inverse_mass[i] - linear * velocity.linear,
        torque: force.torque - angular * momentum,
    }
}
