//! What is checked of all that an embedding program hands in, before anything of it is used.
//!
//! Shapes check their own sizes when they are made; handles are checked where they are looked up, in `bodies` and
//! `simulation`.

use granule_geometry::Shape;
use granule_model::{BodyKind, DVec3, Pose, Velocity};
use granule_solver::ProblemError;

use crate::world::bodies::label;
use crate::world::description::{BodyDescription, Motion, Settings};
use crate::world::error::EngineError;
use crate::world::rest::RestCriterion;

/// Largest coordinate \[m\], as of shapes: squares and cubes of what is computed from it stay finite.
pub(crate) const LONGEST: f64 = 1e12;
/// How far the length of a quaternion may be from 1.
const UNIT: f64 = 1e-6;

fn setting(field: &'static str, value: f64, expected: &'static str) -> Result<(), EngineError> {
    Err(EngineError::Setting { field, value, expected })
}

/// Checks settings.
pub(crate) fn settings(settings: &Settings) -> Result<(), EngineError> {
    let gravity = settings.gravity.length();
    // The square of what is too small is zero: it would pull and yet count as no gravity.
    if !gravity.is_finite() || (gravity == 0.0 && settings.gravity != DVec3::ZERO) {
        return setting("gravity", gravity, "zero, or of a length whose square is a finite number above 0");
    }
    if let Some(dt) = settings.time_step {
        time_step(dt)?;
    }
    if let Some(speed) = settings.resolved_speed {
        resolved_speed(speed, settings.time_step.is_some())?;
    }
    settings.accuracy.validate()?;
    settings.domain.map_or(Ok(()), |domain| domain.validate())?;
    if let Err(error) = settings.drag.validate() {
        return setting(error.field, error.value, "a finite number not below 0");
    }
    if let Err(error) = settings.damping.validate() {
        return setting(error.field, error.value, "a finite rate not below 0 1/s");
    }
    match settings.law.validate() {
        Err(ProblemError::Parameter { name, value, expected }) => setting(name, value, expected),
        _ => Ok(()),
    }
}

/// Checks the length of a step.
pub(crate) fn time_step(dt: f64) -> Result<(), EngineError> {
    if dt.is_finite() && dt > 0.0 && dt.recip().is_finite() {
        return Ok(());
    }
    setting("time_step", dt, "a finite time of at least 1e-307 s")
}

/// Checks the speed of impacts that the step is to resolve \[m/s\]; it has no say in a step that is given.
fn resolved_speed(speed: f64, has_time_step: bool) -> Result<(), EngineError> {
    if !(speed.is_finite() && speed > 0.0) {
        return setting("resolved_speed", speed, "a finite speed above 0 m/s");
    }
    if has_time_step {
        return setting(
            "resolved_speed",
            speed,
            "left out where `time_step` is given: it is for steps that the engine chooses",
        );
    }
    Ok(())
}

/// Checks a criterion for rest.
pub(crate) fn rest(criterion: &RestCriterion) -> Result<(), EngineError> {
    let RestCriterion { speed, fraction, energy, hold, by_mass: _ } = *criterion;
    if !(speed.is_finite() && speed > 0.0) {
        return setting("rest.speed", speed, "a finite speed above 0 m/s");
    }
    if !(0.0..=1.0).contains(&fraction) {
        return setting("rest.fraction", fraction, "between 0 and 1");
    }
    if !(energy.is_finite() && energy > 0.0) {
        return setting("rest.energy", energy, "a finite number above 0");
    }
    if !(hold.is_finite() && hold >= 0.0) {
        return setting("rest.hold", hold, "a finite time not below 0 s");
    }
    Ok(())
}

/// What is wrong with a pose, if anything.
pub(crate) fn pose(pose: &Pose) -> Option<(&'static str, &'static str)> {
    let Pose { position, rotation } = *pose;
    if !position.is_finite() {
        return Some(("position", "must be finite"));
    }
    if position.abs().max_element() > LONGEST {
        return Some(("position", "must be within 1e12 m of the origin"));
    }
    // Written so that NaN is no unit.
    let unit = (rotation.length() - 1.0).abs() <= UNIT;
    (!unit).then_some(("orientation", "must be a unit quaternion"))
}

/// Mass \[kg\] and principal moments \[kg m2\] of a body; zero for one that is not dynamic.
pub(crate) fn mass(d: &BodyDescription, density: f64) -> (f64, DVec3) {
    match (d.kind, d.shape.mass_properties(density)) {
        (BodyKind::Dynamic, Some(p)) => {
            let scale = d.mass.map_or(1.0, |m| m / p.mass);
            (p.mass * scale, p.principal_inertia * scale)
        }
        _ => (0.0, DVec3::ZERO),
    }
}

/// Checks what the types of a description leave open; `index` is the number that the body will have, `density` that of
/// its material.
pub(crate) fn description(d: &BodyDescription, index: usize, density: f64) -> Result<(), EngineError> {
    let body = label(&d.name, index);
    let bad = |field, reason: &str| Err(EngineError::Body { body: body.clone(), field, reason: reason.to_owned() });
    if d.name.chars().any(char::is_control) {
        let (body, reason) = (format!("`{}`", d.name.escape_debug()), "must have no control characters".to_owned());
        return Err(EngineError::Body { body, field: "name", reason });
    }
    if let Some((field, reason)) = pose(&d.pose) {
        return bad(field, reason);
    }
    if !d.velocity.is_finite() {
        return bad("velocity", "must be finite");
    }
    if d.kind == BodyKind::Dynamic && !d.shape.has_volume() {
        let shape = d.shape.name();
        return bad(
            "shape",
            &format!("is a {shape}, which has no finite volume: only static and driven bodies may have it"),
        );
    }
    if d.mass.is_some() && d.kind != BodyKind::Dynamic {
        return bad("mass", "is only for dynamic bodies");
    }
    if d.mass.is_some_and(|m| !(m.is_finite() && m > 0.0)) {
        return bad("mass", "must be a finite mass above 0 kg");
    }
    if d.kind == BodyKind::Dynamic
        && let Some((field, reason)) = dynamic(d, density)
    {
        return bad(field, reason);
    }
    match &d.motion {
        Some(_) if d.kind != BodyKind::Driven => bad("motion", "is only for driven bodies"),
        Some(given) => motion(given).map_or(Ok(()), |reason| bad("motion", reason)),
        None => Ok(()),
    }
}

/// What is wrong with the mass of a dynamic body or with its velocity, if anything.
fn dynamic(d: &BodyDescription, density: f64) -> Option<(&'static str, &'static str)> {
    let (mass, moments) = mass(d, density);
    let usable = |x: f64| x.is_finite() && x > 0.0 && x.recip().is_finite();
    if ![mass, moments.x, moments.y, moments.z].into_iter().all(usable) {
        return Some(("mass", "with its moments of inertia must be neither too large nor too small to compute with"));
    }
    let Velocity { linear, angular } = d.velocity;
    let spin = angular.length() * d.shape.bounding_radius();
    let energy = mass * linear.length_squared() + moments.max_element() * angular.length_squared();
    if !(spin * spin).is_finite() || !linear.length_squared().is_finite() || !energy.is_finite() {
        return Some(("velocity", "must have a finite energy"));
    }
    None
}

/// What is wrong with a motion, if anything.
fn motion(motion: &Motion) -> Option<&'static str> {
    match motion {
        Motion::Constant(v) => (!v.is_finite()).then_some("must have a finite velocity"),
        Motion::Sine { amplitude, frequency, phase } => {
            let speed = amplitude.length() * std::f64::consts::TAU * frequency;
            if !(frequency.is_finite() && *frequency >= 0.0) {
                return Some("must have a finite frequency not below 0 Hz");
            }
            (!(amplitude.is_finite() && phase.is_finite() && speed.is_finite()))
                .then_some("must have a finite amplitude, phase and speed")
        }
        Motion::Function(f) => pose(&f(0.0)).map(|(field, _)| match field {
            "position" => "must begin at a position within 1e12 m of the origin",
            _ => "must begin with a unit quaternion",
        }),
    }
}

/// Whether a shape is a ball: its surface does not move by its spin.
pub(crate) fn is_round(shape: &Shape) -> bool {
    shape.name() == "sphere"
}
