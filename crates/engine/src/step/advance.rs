//! Phase `advance`: poses by the integrator, by the velocities at the end of the contact stage.

use granule_integrator::{Integrator, advance_pose, advance_smooth, is_isotropic};
use granule_model::{DVec3, Pose, Velocity};
use rayon::prelude::*;

use crate::step::flight::keeps_parabolas;
use crate::step::forces;
use crate::step::part::Part;
use crate::step::scratch::Motions;
use crate::world::bodies::{BodyState, Frames, follow};
use crate::world::catalogue::Catalogue;
use crate::world::error::EngineError;
use crate::world::parallel;

/// Phase `advance`: moves the bodies awake; `free` are those without contact. Driven bodies follow
/// ([`drive::arrive`](crate::step::drive::arrive)).
///
/// # Errors
/// [`EngineError::Field`] where the fields move a body to where it is not finite.
pub(crate) fn advance_bodies(
    catalogue: &Catalogue,
    part: &Part,
    bodies: &mut BodyState,
    frames: &mut Frames,
    motion: &mut Motions,
    free: &[u32],
) -> Result<(), EngineError> {
    let integrator = catalogue.settings.integrator;
    // Bodies without contact are moved by symplectic Euler like all others.
    let free = if integrator == Integrator::SymplecticEuler { &[] } else { free };
    let moved = advance_free(catalogue, free, part, motion, bodies, frames);
    moved.map_err(|i| forces::pulled_apart(catalogue, part, i))?;
    note_flights(catalogue, free, part, bodies, frames, motion);
    let table = &catalogue.bodies;
    let BodyState { pose, velocity, asleep, apart, .. } = bodies;
    let written = (
        pose.par_iter_mut(),
        velocity.par_iter_mut(),
        motion.scheme.par_iter_mut(),
        frames.boxes.par_iter_mut(),
        frames.inverse_inertia.par_iter_mut(),
    );
    let read = (motion.transport.par_iter(), table.shape.par_iter(), table.principal_inertia.par_iter());
    let items = (written, read).into_par_iter().enumerate();
    parallel::for_each(items, |(i, ((pose, velocity, scheme, boxed, inertia), (transport, shape, moments)))| {
        if !table.dynamic[i] || asleep[i] || apart[i] {
            return;
        }
        if free.binary_search(&(i as u32)).is_err() {
            let spinning = energy_of_spin(pose, velocity, *moments);
            advance_body(integrator, pose, velocity, *transport, *moments, part.dt);
            *scheme += energy_of_spin(pose, velocity, *moments) - spinning;
        }
        follow(pose, shape, *moments, boxed, inertia);
    });
    Ok(())
}

/// Refuses poses that are not finite, as of bodies so heavy that products of their masses overflow: one that is nowhere
/// would count as one that has left.
///
/// # Errors
/// [`EngineError::NotFinite`] naming the first body.
pub(crate) fn check_finite(catalogue: &Catalogue, part: &Part, bodies: &BodyState) -> Result<(), EngineError> {
    let is_lost = |pose: &Pose| !(pose.position.is_finite() && pose.rotation.is_finite());
    if parallel::count(&bodies.pose, &is_lost) == 0 {
        return Ok(());
    }
    let Some(i) = bodies.pose.iter().position(is_lost) else { return Ok(()) };
    let body = catalogue.bodies.label(i);
    Err(EngineError::NotFinite { step: part.step, body, quantity: "position", contact: String::new() })
}

fn advance_body(
    integrator: Integrator,
    pose: &mut Pose,
    velocity: &mut Velocity,
    transport: Velocity,
    moments: DVec3,
    dt: f64,
) {
    let (mut moved, mut turned) = (*pose, transport);
    advance_pose(integrator, &mut moved, &mut turned, moments, dt);
    if velocity.angular == transport.angular {
        velocity.angular = turned.angular;
    } else if !is_isotropic(moments) {
        velocity.angular = turned_with(pose, &moved, *velocity, moments, dt);
    }
    *pose = moved;
}

/// Rotational energy of a body whose moments are not the same about every axis \[J\]: what its integration may change.
fn energy_of_spin(pose: &Pose, velocity: &Velocity, moments: DVec3) -> f64 {
    if is_isotropic(moments) {
        return 0.0;
    }
    let spin = pose.inverse_transform_vector(velocity.angular);
    0.5 * (moments * spin).dot(spin)
}

/// Notes what a scheme of higher order has done to the E* of the bodies without contact, beside fields and drag.
fn note_flights(
    catalogue: &Catalogue,
    free: &[u32],
    part: &Part,
    bodies: &BodyState,
    frames: &Frames,
    motion: &mut Motions,
) {
    let bodies = bodies.view(&catalogue.bodies, frames);
    let Motions { scheme, star_before, field_work, drag_work, .. } = motion;
    let work = |works: &[f64], i: usize| works.get(i).copied().unwrap_or(0.0);
    for i in free.iter().map(|i| *i as usize) {
        scheme[i] = part.datum.star_of(&bodies, i) - star_before[i] - work(field_work, i) - work(drag_work, i);
    }
}

/// Moves the bodies without contact by a scheme of higher order, from the velocities before the forces of the step.
/// Where flights keep to their parabolas all velocities lag by half a step, as those of symplectic Euler do
/// ([`flight`](crate::step::flight)): worlds take them for that.
///
/// # Errors
/// The body that the force fields move to where it is not finite.
fn advance_free(
    catalogue: &Catalogue,
    free: &[u32],
    part: &Part,
    motion: &mut Motions,
    bodies: &mut BodyState,
    frames: &mut Frames,
) -> Result<(), usize> {
    let (table, integrator) = (&catalogue.bodies, catalogue.settings.integrator);
    let lag = if keeps_parabolas(catalogue) { 0.5 * part.star_time() * catalogue.gravity() } else { DVec3::ZERO };
    motion.free.clear();
    for i in free.iter().map(|i| *i as usize) {
        let (mut pose, mut velocity) = (bodies.pose[i], motion.unforced[i]);
        let load = |pose: &Pose, velocity: &Velocity| forces::load(catalogue, i, pose, velocity, part.time);
        velocity.linear += lag;
        advance_smooth(integrator, &mut pose, &mut velocity, table.principal_inertia[i], load, part.dt);
        velocity.linear -= lag;
        if !(pose.position.is_finite() && pose.rotation.is_finite() && velocity.is_finite()) {
            return Err(i);
        }
        motion.free.push((pose, velocity));
    }
    for (i, (pose, velocity)) in free.iter().map(|i| *i as usize).zip(&motion.free) {
        (bodies.pose[i], bodies.velocity[i]) = (*pose, *velocity);
        frames.follow(table, i, pose);
    }
    Ok(())
}

/// Angular velocity of a body that was hit: it turns as a free top with the velocity after the hit, and is then carried
/// over from the orientation which that motion leads to to the one that the body takes; its energy is that of the free
/// top.
fn turned_with(from: &Pose, to: &Pose, velocity: Velocity, moments: DVec3, dt: f64) -> DVec3 {
    let (mut pose, mut v) = (*from, velocity);
    advance_pose(Integrator::SymplecticEuler, &mut pose, &mut v, moments, dt);
    to.transform_vector(pose.inverse_transform_vector(v.angular))
}
