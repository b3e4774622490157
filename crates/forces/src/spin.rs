//! Implicit damping: the factor for one direction, and the spin of a body with three different moments of inertia.

use glam::{DMat3, DVec3};
use granule_model::InverseInertia;

/// Newton's method below takes at most this many steps; it needed 11 in the worst of the cases of the tests.
const MOST_STEPS: usize = 64;
/// Newton's steps end when one changes the spin by less than this share of it.
const STEP_TOLERANCE: f64 = 4.0 * f64::EPSILON;

/// The factor f of `x' = f x` that solves `(1 + linear + quadratic f) f = 1`: implicit damping of x whose linear rate
/// times the step is `linear`, and whose quadratic rate times the step times |x| is `quadratic`.
pub(crate) fn damping_factor(linear: f64, quadratic: f64) -> f64 {
    let p = 1.0 + linear;
    2.0 / (p + (p * p + 4.0 * quadratic).sqrt())
}

/// Angular velocity w' after a step: `w' + (c1 + c2 |w'|) J w' = w`, with the inverse inertia J, the linear moment over
/// the step `c1` \[kg m2\] and the quadratic one `c2` \[kg m2 s\].
///
/// Turns no faster than w about any principal axis, as every eigenvalue of the system is at least 1.
pub(crate) fn damp(w: DVec3, inverse_inertia: &InverseInertia, c1: f64, c2: f64) -> DVec3 {
    let speed = w.length();
    if speed == 0.0 || (c1 == 0.0 && c2 == 0.0) {
        return w;
    }
    match inverse_inertia {
        InverseInertia::Isotropic(j) => w * damping_factor(c1 * j, c2 * j * speed),
        InverseInertia::General(j) if c2 == 0.0 => (DMat3::IDENTITY + *j * c1).inverse() * w,
        InverseInertia::General(j) => damp_general(w, j, c1, c2),
    }
}

/// Finds the spin x = |w'| as the root of `|w'(x)| - x`, where `w'(x) = (1 + (c1 + c2 x) J)^-1 w`.
///
/// The function falls and is convex (each principal component of w' is a falling convex function of x, and so is the
/// length of a vector of such), hence Newton's method climbs to the root from any point below it. The root for a
/// body that has the trace of J about every axis lies below it and within a small factor.
fn damp_general(w: DVec3, j: &DMat3, c1: f64, c2: f64) -> DVec3 {
    let trace = j.x_axis.x + j.y_axis.y + j.z_axis.z;
    let mut x = w.length() * damping_factor(c1 * trace, c2 * trace * w.length());
    for _ in 0..MOST_STEPS {
        let inverse = (DMat3::IDENTITY + *j * (c1 + c2 * x)).inverse();
        let damped = inverse * w;
        let length = damped.length();
        // The square of a spin below 1e-162 rad/s is zero: such a body no longer turns, let alone feels a quadratic
        // drag.
        if length == 0.0 {
            return DVec3::ZERO;
        }
        let slope = -damped.dot(inverse * (*j * damped)) * c2 / length - 1.0;
        let step = (x - length) / slope;
        x += step;
        // A step back means that rounding is all there is left to correct.
        let climbs = step > STEP_TOLERANCE * x;
        if !climbs {
            break;
        }
    }
    (DMat3::IDENTITY + *j * (c1 + c2 * x)).inverse() * w
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn the_general_spin_solves_its_equation_at_any_strength() {
        let rotation = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize();
        let inertia = InverseInertia::new(DVec3::new(1.0, 20.0, 300.0), rotation);
        let w = DVec3::new(3.0, -50.0, 8.0);
        for c2 in [1e-12, 1e-3, 1.0, 1e3, 1e12] {
            for c1 in [0.0, 1.0, 1e6] {
                let damped = damp(w, &inertia, c1, c2);
                let back = damped + (c1 + c2 * damped.length()) * inertia.mul(damped);
                // Measured: 1.4e-13, the rounding of inverting a matrix of condition 300.
                assert!((back - w).length() <= 1e-12 * w.length(), "c1 {c1} c2 {c2}: {back} for {w}");
                assert!(damped.length() < w.length());
            }
        }
    }

    #[test]
    fn a_body_of_nearly_equal_moments_is_damped_like_one_of_equal_moments() {
        let w = DVec3::new(1.0, 2.0, -2.0);
        let nearly = InverseInertia::new(DVec3::new(2.0, 2.0, 2.0 + 1e-12), DQuat::IDENTITY);
        assert!(matches!(nearly, InverseInertia::General(_)));
        let one = damp(w, &InverseInertia::Isotropic(0.5), 0.3, 0.7);
        // Measured: 2.2e-13; the moments differ by 5e-13 of theirs.
        assert!((damp(w, &nearly, 0.3, 0.7) - one).length() <= 2e-12);
        assert!((damp(w, &nearly, 0.3, 0.0) - damp(w, &InverseInertia::Isotropic(0.5), 0.3, 0.0)).length() <= 2e-12);
    }
}
