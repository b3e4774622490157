//! Phase `drive`: driven bodies follow their given motion.

use granule_model::{DQuat, DVec3, Pose, Velocity};

use crate::step::part::{Part, Pass};
use crate::step::scratch::{Motions, Target};
use crate::world::bodies::{BodyState, Driven, Frames, Table};
use crate::world::catalogue::Catalogue;
use crate::world::check;
use crate::world::description::Motion;
use crate::world::error::EngineError;
use crate::world::state::DrivenClock;

/// How far apart the poses of a function are taken by which its velocity is found, over the length of a step: the
/// error is of second order in it, and rounding of 1e-16 of the place over it.
const DIFFERENCE: f64 = 1e-3;
/// By how much a step that begins with a motion may seem to have begun before it, over its length: moves within a step
/// add up to it with rounding.
const ROUNDING: f64 = 1e-9;

/// A driven body whose motion leads nowhere, by dense index, and what is wrong.
#[derive(Debug)]
struct Astray(usize, &'static str);

/// Phase `drive`: notes the velocities before, and sets those of driven bodies.
///
/// # Errors
/// [`EngineError::Motion`] for a motion that leads nowhere.
pub(crate) fn drive_bodies(
    catalogue: &Catalogue,
    part: &Part,
    clocks: &[DrivenClock],
    bodies: &mut BodyState,
    motion: &mut Motions,
) -> Result<(), EngineError> {
    let Motions { targets, unforced, .. } = motion;
    let BodyState { pose, velocity, .. } = bodies;
    unforced.clone_from(velocity);
    let table = &catalogue.bodies;
    drive(table, clocks, pose, [part.time, part.dt], targets, velocity)
        .map_err(|Astray(i, reason)| EngineError::Motion { step: part.step, body: table.label(i), reason })?;
    match part.pass {
        Pass::Whole => (),
        Pass::Flight { horizon } => {
            end_in_motion(table, clocks, [part.time + part.dt, horizon], targets, (unforced, velocity));
        }
        Pass::Loads => go_on_in_motion(table, clocks, [part.time, part.dt], pose, (unforced, velocity)),
    }
    Ok(())
}

/// Lets driven bodies go on from the velocities `before` as they came, over a step of `dt` \[s\]: what leans on them
/// changes its velocity in half of that by as much as the mean velocity of their last step lags behind that of their
/// motion. Where it has lagged so, or is made to, it has the velocity that they have in an ordinary step.
fn go_on_in_motion(
    table: &Table,
    clocks: &[DrivenClock],
    [time, dt]: [f64; 2],
    pose: &[Pose],
    (before, after): (&[Velocity], &mut [Velocity]),
) {
    for (driven, clock) in table.driven.iter().zip(clocks) {
        let i = driven.body as usize;
        if !table.present[i] || clock.stands {
            continue;
        }
        let gained = mean_velocity(driven, table, clock, &pose[i], [time, dt])
            .map(|mean| velocity_at(driven, clock, &pose[i], [time, dt]) - mean)
            .filter(Velocity::is_finite);
        after[i] = before[i] + gained.unwrap_or(Velocity::ZERO) * 2.0;
    }
}

/// Mean velocity of a driven body that is at `pose` at `time`, over the `dt` before \[s\]; none where its motion had
/// not begun then.
fn mean_velocity(
    driven: &Driven,
    table: &Table,
    clock: &DrivenClock,
    pose: &Pose,
    [time, dt]: [f64; 2],
) -> Option<Velocity> {
    let begun = time - dt - clock.start_time;
    if begun < -ROUNDING * dt {
        return None;
    }
    let was = own_pose_at(driven, clock, clock.start_time + begun.max(0.0));
    let was = was.compose(&table.shape[driven.body as usize].frame().inverse());
    Some(velocity_between(&was, pose, dt))
}

/// The velocity that takes a body from one pose to another in `dt` \[s\].
fn velocity_between(from: &Pose, to: &Pose, dt: f64) -> Velocity {
    Velocity {
        linear: (to.position - from.position) / dt,
        angular: rotation_vector(to.rotation * from.rotation.conjugate()) / dt,
    }
}

/// Gives driven bodies the velocities `after` that their motions have at the end of a flight, and those `before` whose
/// mean with them takes the bodies to their `targets`: in a flight all bodies move by the mean of two velocities.
fn end_in_motion(
    table: &Table,
    clocks: &[DrivenClock],
    [time, horizon]: [f64; 2],
    targets: &[Target],
    (before, after): (&mut [Velocity], &mut [Velocity]),
) {
    for ((driven, clock), target) in table.driven.iter().zip(clocks).zip(targets) {
        let i = driven.body as usize;
        if !table.present[i] || clock.stands {
            continue;
        }
        let velocity = velocity_at(driven, clock, &target.pose, [time, horizon]);
        // Motions whose velocity at a moment is not to be had go on by their mean.
        let velocity = if velocity.is_finite() { velocity } else { target.velocity };
        after[i] = velocity;
        before[i] = target.velocity * 2.0 - velocity;
    }
}

/// Sets the velocity of every driven body to the one that takes it, over `dt`, to its pose at `time + dt`. The contact
/// stage sees this velocity, so that what rests on a moving floor moves with it.
///
/// Where a motion leads nowhere no body's velocity is set.
fn drive(
    table: &Table,
    clocks: &[DrivenClock],
    pose: &[Pose],
    [time, dt]: [f64; 2],
    targets: &mut Vec<Target>,
    velocity: &mut [Velocity],
) -> Result<(), Astray> {
    targets.clear();
    for (driven, clock) in table.driven.iter().zip(clocks) {
        let i = driven.body as usize;
        let target = if table.present[i] { aim(driven, table, clock, &pose[i], [time, dt])? } else { IDLE };
        targets.push(target);
    }
    for ((driven, clock), target) in table.driven.iter().zip(clocks).zip(targets) {
        if table.present[driven.body as usize] {
            velocity[driven.body as usize] = if clock.stands { Velocity::ZERO } else { target.velocity };
        }
    }
    Ok(())
}

/// Of a driven body that was taken out.
const IDLE: Target = Target { pose: Pose::IDENTITY, velocity: Velocity::ZERO };

/// Where a driven body at `pose` is taken in `dt`.
fn aim(
    driven: &Driven,
    table: &Table,
    clock: &DrivenClock,
    pose: &Pose,
    [time, dt]: [f64; 2],
) -> Result<Target, Astray> {
    let i = driven.body as usize;
    let target = own_pose_at(driven, clock, time + dt);
    if let Some((_, reason)) = check::pose(&target) {
        return Err(Astray(i, pose_reason(reason)));
    }
    // Poses of bodies are those of the body axes; motions are given for the own axes.
    let target = target.compose(&table.shape[i].frame().inverse());
    let velocity = velocity_between(pose, &target, dt);
    if velocity.is_finite() {
        Ok(Target { pose: target, velocity })
    } else {
        Err(Astray(i, "goes further in the step than a finite velocity takes it"))
    }
}

/// What is wrong with a pose that a motion leads to, said of the motion.
fn pose_reason(reason: &str) -> &'static str {
    match reason {
        "must be finite" => "leads to a position that is not finite",
        "must be a unit quaternion" => "leads to an orientation that is not a unit quaternion",
        _ => "leads further than 1e12 m from the origin",
    }
}

/// Velocity with which a motion begins, of a point at `arm` from the origin of the own axes; zero for a motion of which
/// only poses are known. It bears on nothing but the energy book of the first step.
pub(crate) fn initial_velocity(motion: &Motion, arm: DVec3) -> Velocity {
    match motion {
        Motion::Constant(v) => Velocity { linear: v.at(arm), ..*v },
        Motion::Sine { amplitude, frequency, phase } => {
            let rate = std::f64::consts::TAU * frequency;
            Velocity { linear: *amplitude * (rate * libm::cos(*phase)), angular: DVec3::ZERO }
        }
        Motion::Function(_) => Velocity::ZERO,
    }
}

/// Moves driven bodies to the pose that [`drive`] aimed at, free of the rounding of `position + velocity dt`.
pub(crate) fn arrive(
    table: &Table,
    clocks: &[DrivenClock],
    targets: &[Target],
    pose: &mut [Pose],
    frames: &mut Frames,
) {
    for ((driven, clock), target) in table.driven.iter().zip(clocks).zip(targets) {
        let i = driven.body as usize;
        if table.present[i] && !clock.stands {
            pose[i] = target.pose;
            frames.follow(table, i, &target.pose);
        }
    }
}

/// Speed of the fastest point within `arm` of the origin of the own axes, at any time; of a function its largest in the
/// `span` \[s\] from `time` on, by difference, zero where it leads nowhere \[m/s\].
pub(crate) fn fastest(driven: &Driven, clock: &DrivenClock, arm: f64, time: f64, span: f64) -> f64 {
    match &driven.motion {
        Motion::Constant(v) => v.linear.length() + turning(v.angular, arm),
        Motion::Sine { amplitude, frequency, .. } => amplitude.length() * std::f64::consts::TAU * frequency,
        Motion::Function(_) => {
            let [from, to] = [time, time + span].map(|t| own_pose_at(driven, clock, t));
            let angular = rotation_vector(to.rotation * from.rotation.conjugate()) / span;
            let speed = ((to.position - from.position) / span).length() + turning(angular, arm);
            if speed.is_finite() { speed } else { 0.0 }
        }
    }
}

/// Speed by which a spin moves what is at `arm` \[m/s\]; zero without spin, however long the arm.
fn turning(angular: DVec3, arm: f64) -> f64 {
    let spin = angular.length();
    if spin > 0.0 { spin * arm } else { 0.0 }
}

/// Period of a motion that goes to and fro \[s\]; infinite for the others.
pub(crate) fn period(motion: &Motion) -> f64 {
    match motion {
        Motion::Sine { amplitude, frequency, .. } if *amplitude != DVec3::ZERO => frequency.recip(),
        _ => f64::INFINITY,
    }
}

/// Pose of the own axes at a time of the simulation.
fn own_pose_at(driven: &Driven, clock: &DrivenClock, time: f64) -> Pose {
    let (start, time) = (driven.start, time - clock.start_time);
    match &driven.motion {
        Motion::Constant(v) => {
            let turned = granule_integrator::rotate(start.rotation, v.angular * time);
            Pose::new(start.position + v.linear * time, turned)
        }
        Motion::Sine { amplitude, frequency, phase } => {
            let angle = std::f64::consts::TAU * frequency * time + phase;
            Pose { position: start.position + *amplitude * (libm::sin(angle) - libm::sin(*phase)), ..start }
        }
        Motion::Function(f) => f(time),
    }
}

/// Gives driven bodies the velocities that their motions have at `time`; `horizon` is the length of the step \[s\].
pub(crate) fn set_in_motion(
    table: &Table,
    clocks: &[DrivenClock],
    [time, horizon]: [f64; 2],
    pose: &[Pose],
    velocity: &mut [Velocity],
) {
    for (driven, clock) in table.driven.iter().zip(clocks) {
        let i = driven.body as usize;
        let now = velocity_at(driven, clock, &pose[i], [time, horizon]);
        if table.present[i] && !clock.stands && now.is_finite() {
            velocity[i] = now;
        }
    }
}

/// Velocity of a driven body at a time of the simulation, at which it has the pose `at`; of a function by its poses at
/// three times within a small share of `horizon` \[s\].
fn velocity_at(driven: &Driven, clock: &DrivenClock, at: &Pose, [time, horizon]: [f64; 2]) -> Velocity {
    let own = own_pose_at(driven, clock, time);
    let of_own = match &driven.motion {
        Motion::Constant(v) => *v,
        Motion::Sine { amplitude, frequency, phase } => {
            let rate = std::f64::consts::TAU * frequency;
            let angle = rate * (time - clock.start_time) + phase;
            Velocity { linear: *amplitude * (rate * libm::cos(angle)), angular: DVec3::ZERO }
        }
        Motion::Function(_) => {
            let apart = DIFFERENCE * horizon;
            // Before its start a motion need not be known.
            let apart = if time - clock.start_time > 2.0 * apart { -apart } else { apart };
            let [one, two] = [apart, 2.0 * apart].map(|t| own_pose_at(driven, clock, time + t));
            let way = |to: &Pose| to.position - own.position;
            let turn = |to: &Pose| rotation_vector(to.rotation * own.rotation.conjugate());
            Velocity {
                linear: (4.0 * way(&one) - way(&two)) / (2.0 * apart),
                angular: (4.0 * turn(&one) - turn(&two)) / (2.0 * apart),
            }
        }
    };
    Velocity { linear: of_own.at(at.position - own.position), ..of_own }
}

/// The rotation vector of a unit quaternion, by the shorter way round.
fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = q.xyz();
    let sine = v.length();
    if sine == 0.0 {
        return DVec3::ZERO;
    }
    v * (2.0 * libm::atan2(sine, q.w) / sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vector_inverts_the_exponential_map() {
        for w in [DVec3::new(0.3, -0.2, 0.9), DVec3::new(1e-9, 0.0, 0.0), DVec3::new(0.0, 3.0, 0.0)] {
            let q = granule_integrator::rotate(DQuat::IDENTITY, w);
            let error = (rotation_vector(q) - w).length();
            assert!(error <= 1e-15 * w.length().max(1.0) * 4.0, "{error:e}");
        }
    }
}
