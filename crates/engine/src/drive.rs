//! Phase `drive`: driven bodies follow their given motion.

use granule_model::{DQuat, DVec3, Pose, Velocity};

use crate::bodies::{Bodies, Driven};
use crate::description::Motion;

/// Sets the velocity of every driven body to the one that takes it, over `dt`, to its pose at `time + dt`. The contact
/// stage sees this velocity, so that what rests on a moving floor moves with it.
pub(crate) fn drive(bodies: &mut Bodies, time: f64, dt: f64) {
    for i in 0..bodies.len() {
        let Some(driven) = &bodies.driven[i] else { continue };
        if !bodies.present[i] {
            continue;
        }
        if driven.stands {
            bodies.velocity[i] = Velocity::ZERO;
            continue;
        }
        let frame = bodies.shape[i].frame();
        // Poses of bodies are those of the body axes; motions are given for the own axes.
        let target = own_pose_at(driven, time + dt).compose(&frame.inverse());
        let pose = bodies.pose[i];
        bodies.velocity[i] = Velocity {
            linear: (target.position - pose.position) / dt,
            angular: rotation_vector(target.rotation * pose.rotation.conjugate()) / dt,
        };
    }
}

/// Velocity with which a motion begins at `time`, of a point at `arm` from the origin of the own axes; zero for a motion of which
/// only poses are known. It bears on nothing but the energy book of the first step.
pub(crate) fn initial_velocity(motion: &Motion, time: f64, arm: DVec3) -> Velocity {
    match motion {
        Motion::Constant(v) => Velocity { linear: v.at(arm), ..*v },
        Motion::Sine { amplitude, frequency, phase } => {
            let rate = std::f64::consts::TAU * frequency;
            Velocity { linear: *amplitude * (rate * libm::cos(rate * time + phase)), angular: DVec3::ZERO }
        }
        Motion::Function(_) => Velocity::ZERO,
    }
}

/// Moves driven bodies to the pose that `drive` aimed at, free of the rounding of `position + velocity dt`.
pub(crate) fn arrive(bodies: &mut Bodies, time: f64) {
    for i in 0..bodies.len() {
        let Some(driven) = &bodies.driven[i] else { continue };
        if bodies.present[i] && !driven.stands {
            bodies.pose[i] = own_pose_at(driven, time).compose(&bodies.shape[i].frame().inverse());
            bodies.refresh(i);
        }
    }
}

/// Pose of the own axes at a time.
fn own_pose_at(driven: &Driven, time: f64) -> Pose {
    let (start, time) = (driven.start, time - driven.delay);
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
