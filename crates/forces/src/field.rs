//! The hook through which an embedding program pushes bodies.

use glam::DVec3;
use granule_model::{BodyId, Pose, Velocity};
use serde::{Deserialize, Serialize};

/// What a [`ForceField`] may look at: one dynamic body, as the integrator asks for it. Symplectic Euler asks once, at
/// the pose at the start of the part of a step, with what gravity adds in it to the velocity; schemes of higher order
/// ask for bodies without contact on their way as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyView {
    /// Number of the body in the order of adding; stays the same when others are removed.
    pub index: u32,
    /// Handle of the body; stays the same.
    pub id: BodyId,
    /// Pose of the frame in the centre of mass \[m\].
    pub pose: Pose,
    /// Velocity of the centre of mass \[m/s\] and angular velocity \[rad/s\], world axes.
    pub velocity: Velocity,
    /// Mass \[kg\].
    pub mass: f64,
    /// Simulated time at the start of the part of the step \[s\].
    pub time: f64,
}

/// A force through the centre of mass and a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Force {
    /// Force \[N\], world axes.
    pub force: DVec3,
    /// Moment about the centre of mass \[N m\], world axes.
    pub torque: DVec3,
}

impl Force {
    /// No force and no moment.
    pub const ZERO: Force = Force { force: DVec3::ZERO, torque: DVec3::ZERO };

    /// A force \[N\] that acts at `arm` \[m\] from the centre of mass.
    pub fn at(force: DVec3, arm: DVec3) -> Self {
        Force { force, torque: arm.cross(force) }
    }

    /// True when every component is finite.
    pub fn is_finite(&self) -> bool {
        self.force.is_finite() && self.torque.is_finite()
    }
}

impl std::ops::Add for Force {
    type Output = Force;

    fn add(self, other: Force) -> Force {
        Force { force: self.force + other.force, torque: self.torque + other.torque }
    }
}

impl std::iter::Sum for Force {
    fn sum<I: Iterator<Item = Force>>(forces: I) -> Force {
        forces.fold(Force::ZERO, |sum, force| sum + force)
    }
}

/// A force of the embedding program on every dynamic body.
///
/// It is asked for at least once for every body awake and every part of a step: more often by integrators of higher
/// order, in parts that are undone, when a body wakes or falls asleep, for sleepers, and when a step is chosen.
///
/// The answer must depend on the view (and the field's own constant data) alone: bodies are asked in any order and from
/// several threads, and a field that remembers the last call would make results depend on both. Several fields add up
/// in the order in which they were given. A force or moment that is not finite ends the step with an error that names
/// the body. A closure `Fn(&BodyView) -> Force` is a field.
pub trait ForceField: Send + Sync {
    /// Force \[N\] and moment \[N m\] on `body`, world axes; it acts for the part of the step.
    fn force(&self, body: &BodyView) -> Force;
}

impl<F: Fn(&BodyView) -> Force + Send + Sync> ForceField for F {
    fn force(&self, body: &BodyView) -> Force {
        self(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Spring {
        stiffness: f64,
    }

    impl ForceField for Spring {
        fn force(&self, body: &BodyView) -> Force {
            Force { force: -self.stiffness * body.pose.position, torque: DVec3::ZERO }
        }
    }

    #[test]
    fn fields_of_several_kinds_add_up() {
        let body = BodyView {
            index: 3,
            id: BodyId::new(0, 3, 0),
            pose: Pose::from_position(DVec3::new(1.0, 0.0, -2.0)),
            velocity: Velocity { linear: DVec3::Y, angular: DVec3::ZERO },
            mass: 2.0,
            time: 0.5,
        };
        let pull = |body: &BodyView| Force::at(body.mass * body.time * DVec3::X, DVec3::Y);
        let fields: [Box<dyn ForceField>; 2] = [Box::new(Spring { stiffness: 10.0 }), Box::new(pull)];
        let sum: Force = fields.iter().map(|field| field.force(&body)).sum();
        assert_eq!(sum, Force { force: DVec3::new(-9.0, 0.0, 20.0), torque: DVec3::new(0.0, 0.0, -1.0) });
        assert!(sum.is_finite() && !Force::at(DVec3::NAN, DVec3::X).is_finite());
    }
}
