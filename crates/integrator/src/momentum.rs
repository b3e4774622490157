//! Angular momentum and angular velocity of a body, each from the other, and its kinetic energy of rotation.

use granule_model::{DMat3, DQuat, DVec3};

/// Moments that agree to this share of the largest count as equal: they come from sums over faces, which round.
const ISOTROPY_TOLERANCE: f64 = 64.0 * f64::EPSILON;

/// True when the moments are equal to rounding (64 ulp of the largest), as `granule_model::InverseInertia` has it:
/// every axis is then principal and the angular velocity of the free body constant.
#[inline]
pub fn is_isotropic(principal_inertia: DVec3) -> bool {
    let largest = principal_inertia.max_element();
    largest - principal_inertia.min_element() <= ISOTROPY_TOLERANCE * largest
}

/// Angular momentum in world axes \[kg m2/s\] of a body with principal axes turned by `rotation`, principal moments
/// `principal_inertia` \[kg m2\] and angular velocity `angular_velocity` \[rad/s\] in world axes: `R I R^T w`.
#[inline]
pub fn angular_momentum(rotation: DQuat, principal_inertia: DVec3, angular_velocity: DVec3) -> DVec3 {
    let axes = DMat3::from_quat(rotation);
    momentum_in(&axes, principal_inertia, angular_velocity)
}

/// Angular velocity in world axes \[rad/s\] that belongs to the angular momentum `momentum` \[kg m2/s\] in world axes:
/// `R I^-1 R^T L`, the inverse of [`angular_momentum`].
#[inline]
pub fn angular_velocity(rotation: DQuat, principal_inertia: DVec3, momentum: DVec3) -> DVec3 {
    let axes = DMat3::from_quat(rotation);
    axes * ((axes.transpose() * momentum) / principal_inertia)
}

/// The angular velocity after the body was turned by `turn` (unit quaternion in world axes) and its angular momentum L
/// changed by `impulse` \[N m s\]; the other arguments describe the body before, as for [`angular_momentum`].
///
/// With D the matrix of `turn` and J = R I R^T before, `w1 = D J^-1 D^T (L + impulse)`. Evaluated as it stands, the way
/// from w to L and back rounds in the last digits of w, and in steady rotation always the same way: |L| then drifts
/// with the number of steps. Here only the change is computed, which is small of the first order in the angle,
///
/// ```text
/// s = J^-1 [impulse + (D^T - 1)(L + impulse)],   w1 = w + s + (D - 1)(w + s),
/// ```
///
/// so that its rounding is small of that order too and the sum rounds without bias; steady rotation does not round at
/// all.
pub(crate) fn velocity_after(
    rotation: DQuat,
    principal_inertia: DVec3,
    angular_velocity: DVec3,
    turn: DQuat,
    impulse: DVec3,
) -> DVec3 {
    let axes = DMat3::from_quat(rotation);
    let momentum = momentum_in(&axes, principal_inertia, angular_velocity) + impulse;
    let change = impulse + displacement(turn.conjugate(), momentum);
    let s = axes * ((axes.transpose() * change) / principal_inertia);
    angular_velocity + (s + displacement(turn, angular_velocity + s))
}

/// (D - 1) v for the rotation matrix D of `turn`, without cancellation: `2 b x (v c + b x v)` for the quaternion (b,
/// c).
#[inline]
fn displacement(turn: DQuat, v: DVec3) -> DVec3 {
    let b = turn.xyz();
    2.0 * b.cross(turn.w * v + b.cross(v))
}

/// Kinetic energy of rotation \[J\]; arguments as for [`angular_momentum`].
pub fn kinetic_energy(rotation: DQuat, principal_inertia: DVec3, angular_velocity: DVec3) -> f64 {
    let body = DMat3::from_quat(rotation).transpose() * angular_velocity;
    0.5 * (body * body).dot(principal_inertia)
}

#[inline]
fn momentum_in(axes: &DMat3, principal_inertia: DVec3, angular_velocity: DVec3) -> DVec3 {
    *axes * (principal_inertia * (axes.transpose() * angular_velocity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn velocity_and_momentum_are_inverse_to_rounding_of_the_velocity() {
        let rotation = DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4).normalize();
        for scale in [1e-13, 1.0, 1e12] {
            let moments = scale * DVec3::new(1.0, 2.0, 2.7);
            let l = scale * DVec3::new(0.3, -5.0, 2.0);
            let w = angular_velocity(rotation, moments, l);
            let error = (angular_momentum(rotation, moments, w) - l).length() / l.length();
            // Measured: 3.3e-16, the rounding of w times the ratio of the moments.
            assert!(error <= 1e-15, "{error:e}");
            let energy = kinetic_energy(rotation, moments, w);
            assert!((energy - 0.5 * l.dot(w)).abs() <= 1e-15 * energy);
        }
    }

    #[test]
    fn velocity_after_a_turn_is_that_of_the_new_momentum_in_the_new_axes() {
        let rotation = DQuat::from_xyzw(0.1, 0.7, -0.3, 0.4).normalize();
        let turn = DQuat::from_xyzw(-0.2, 0.1, 0.3, 0.9).normalize();
        let (moments, w) = (DVec3::new(1.0, 2.0, 2.7), DVec3::new(0.3, -1.0, 0.6));
        let impulse = DVec3::new(0.2, 0.5, -0.1);
        let expected = angular_velocity(turn * rotation, moments, angular_momentum(rotation, moments, w) + impulse);
        let error = (velocity_after(rotation, moments, w, turn, impulse) - expected).length();
        assert!(error <= 2e-15, "{error:e}");
    }

    #[test]
    fn isotropy_allows_rounding_and_no_more() {
        assert!(is_isotropic(DVec3::new(1.0, 1.0 + 1e-15, 1.0)));
        assert!(!is_isotropic(DVec3::new(1e-13, 1e-13, 1.001e-13)));
    }
}
