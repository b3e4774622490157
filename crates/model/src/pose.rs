//! Where a body is and how it moves.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Position and orientation of a frame in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Origin of the frame in the world \[m\].
    pub position: DVec3,
    /// Unit quaternion that rotates vectors of the frame into the world.
    pub rotation: DQuat,
}

impl Pose {
    /// The world frame itself.
    pub const IDENTITY: Pose = Pose { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A frame at `position` with orientation `rotation` (unit quaternion).
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Pose { position, rotation }
    }

    /// A frame at `position` with the world's axes.
    pub fn from_position(position: DVec3) -> Self {
        Pose { position, rotation: DQuat::IDENTITY }
    }

    /// World coordinates of the point `local` of this frame.
    pub fn transform_point(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.position
    }

    /// World components of the vector `local` of this frame.
    pub fn transform_vector(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    /// Coordinates in this frame of the world point `point`.
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.position)
    }

    /// Components in this frame of the world vector `vector`.
    pub fn inverse_transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation.conjugate() * vector
    }

    /// The pose in the world of a frame whose pose in `self` is `child`.
    pub fn compose(&self, child: &Pose) -> Pose {
        Pose { position: self.transform_point(child.position), rotation: (self.rotation * child.rotation).normalize() }
    }

    /// The pose of the world in this frame: `self.compose(&self.inverse())` is the identity.
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.conjugate();
        Pose { position: rotation * -self.position, rotation }
    }

    /// True when every component is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

/// Velocity of a rigid body: of its centre of mass, and its rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Velocity {
    /// Velocity of the centre of mass \[m/s\].
    pub linear: DVec3,
    /// Angular velocity in world axes \[rad/s\].
    pub angular: DVec3,
}

impl Velocity {
    /// A body at rest.
    pub const ZERO: Velocity = Velocity { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// Velocity \[m/s\] of the material point at `arm` \[m\] from the centre of mass.
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }

    /// True when every component is finite.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

impl std::ops::Add for Velocity {
    type Output = Velocity;

    fn add(self, other: Velocity) -> Velocity {
        Velocity { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl std::ops::Mul<f64> for Velocity {
    type Output = Velocity;

    fn mul(self, factor: f64) -> Velocity {
        Velocity { linear: self.linear * factor, angular: self.angular * factor }
    }
}

impl std::ops::Sub for Velocity {
    type Output = Velocity;

    fn sub(self, other: Velocity) -> Velocity {
        Velocity { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composition_with_the_inverse_is_the_identity() {
        let pose = Pose::new(DVec3::new(1.0, -2.0, 3.0), DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9).normalize());
        let unit = pose.compose(&pose.inverse());
        assert!(unit.position.length() <= 1e-15 * 4.0, "{unit:?}");
        assert!(unit.rotation.angle_between(DQuat::IDENTITY) <= 1e-7);
        let p = DVec3::new(0.3, 0.7, -5.0);
        assert!((pose.inverse_transform_point(pose.transform_point(p)) - p).length() <= 1e-14);
    }

    #[test]
    fn velocity_of_a_point_follows_the_right_hand_rule() {
        let velocity = Velocity { linear: DVec3::X, angular: DVec3::Z };
        assert_eq!(velocity.at(DVec3::X), DVec3::new(1.0, 1.0, 0.0));
    }
}
