//! Mass, centre and inertia of a rigid body.

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Mass properties of a rigid body, expressed in the axes in which its shape was given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Volume \[m3\].
    pub volume: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub center: DVec3,
    /// Principal moments of inertia about the centre of mass \[kg m2\].
    pub principal_inertia: DVec3,
    /// Rotates vectors of the principal axes into the axes of the shape.
    pub principal_rotation: DQuat,
}

impl MassProperties {
    /// Inertia tensor about the centre of mass in the axes of the shape \[kg m2\].
    pub fn inertia_tensor(&self) -> DMat3 {
        let r = DMat3::from_quat(self.principal_rotation);
        r * DMat3::from_diagonal(self.principal_inertia) * r.transpose()
    }

    /// The frame with its origin in the centre of mass and its axes along the principal axes, in the axes of the shape.
    pub fn principal_frame(&self) -> crate::Pose {
        crate::Pose { position: self.center, rotation: self.principal_rotation }
    }

    /// Radius of the sphere of equal volume \[m\].
    pub fn equivalent_radius(&self) -> f64 {
        libm::cbrt(self.volume * 3.0 / (4.0 * std::f64::consts::PI))
    }
}

/// Inverse inertia of a body in world axes \[1/(kg m2)\].
///
/// Spheres, cubes and crosses have the same moment about every axis. For them one number does the work of a matrix in
/// the innermost loop, and the rotation of the body need not be looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InverseInertia {
    /// The same about every axis; zero for a body without finite mass.
    Isotropic(f64),
    /// Any other body: the inverse tensor in world axes.
    General(DMat3),
}

impl InverseInertia {
    /// Of a body that no impulse can turn.
    pub const ZERO: InverseInertia = InverseInertia::Isotropic(0.0);

    /// Of a body with the given principal moments \[kg m2\] whose principal axes are turned by `rotation`.
    ///
    /// Moments that agree to rounding (64 ulp of the largest) count as equal.
    pub fn new(principal_inertia: DVec3, rotation: DQuat) -> Self {
        let largest = principal_inertia.max_element();
        if largest - principal_inertia.min_element() <= 64.0 * f64::EPSILON * largest {
            return InverseInertia::Isotropic(1.0 / largest);
        }
        let r = DMat3::from_quat(rotation);
        InverseInertia::General(r * DMat3::from_diagonal(principal_inertia.recip()) * r.transpose())
    }

    /// The change of angular velocity \[rad/s\] that the angular impulse `v` \[N m s\] makes.
    #[inline(always)]
    pub fn mul(&self, v: DVec3) -> DVec3 {
        match self {
            InverseInertia::Isotropic(s) => *s * v,
            InverseInertia::General(m) => *m * v,
        }
    }

    /// As a matrix.
    pub fn to_matrix(&self) -> DMat3 {
        match self {
            InverseInertia::Isotropic(s) => DMat3::from_diagonal(DVec3::splat(*s)),
            InverseInertia::General(m) => *m,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_inertia_of_a_turned_body_inverts_its_tensor() {
        let rotation = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize();
        let moments = DVec3::new(1.0, 2.0, 3.5);
        let properties = MassProperties {
            volume: 1.0,
            mass: 1.0,
            center: DVec3::ZERO,
            principal_inertia: moments,
            principal_rotation: rotation,
        };
        let product = InverseInertia::new(moments, rotation).to_matrix() * properties.inertia_tensor();
        assert!((product - DMat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() <= 1e-14), "{product:?}");
    }

    #[test]
    fn equal_moments_are_recognised() {
        let inverse = InverseInertia::new(DVec3::splat(2.0), DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8));
        assert_eq!(inverse, InverseInertia::Isotropic(0.5));
    }
}
