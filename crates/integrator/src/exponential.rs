//! The exponential map from rotation vectors to unit quaternions. What to rotate by is the business of the schemes.

use granule_model::{DQuat, DVec3};

/// Squared half angle \[rad2\] up to which the series are used: half an angle of 0.25 rad, a quarter of a radian above
/// and below, i.e. rotations of up to half a radian in a step.
const SERIES_LIMIT: f64 = 0.0625;

/// `rotation` followed by the rotation with vector `turn` \[rad\] in world axes (direction: axis, length: angle).
///
/// The result has unit length to rounding however often the function is applied, and `rotation` itself for `turn = 0`.
#[inline]
pub fn rotate(rotation: DQuat, turn: DVec3) -> DQuat {
    (exponential(turn) * rotation).normalize()
}

/// `rotation` followed by `turn` (unit quaternions, `turn` in world axes), and the turn that was really made: storing
/// the result rounds it by some 1e-16 rad, and whoever accounts for the angular momentum over many steps must know
/// that.
///
/// The sum q + (turn - 1) q is formed in one addition for each component, so that its rounding error is known exactly.
/// The deviation of |q| from one is taken out on the way; it stays at the rounding of |q|^2.
pub(crate) fn compose_exactly(rotation: DQuat, turn: DQuat) -> (DQuat, DQuat) {
    // Of the two quaternions of a rotation the one whose scalar part does not cancel below.
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let b = turn.xyz();
    // cos - 1 = -b.b/(1 + cos) without cancellation.
    let less_one = -b.length_squared() / (1.0 + turn.w);
    let excess = 0.5 * (rotation.length_squared() - 1.0);
    let step = DQuat::from_xyzw(b.x, b.y, b.z, less_one) * rotation - rotation * excess;
    let sum = rotation + step;
    // The error of each sum, by D. E. Knuth's formula for two summands in any order of size.
    let stepped = sum - rotation;
    let lost = (rotation - (sum - stepped)) + (step - stepped);
    let missing = (lost * rotation.conjugate()).xyz();
    let made = b - missing;
    (sum, DQuat::from_xyzw(made.x, made.y, made.z, turn.w))
}

/// exp(turn): the quaternion `(turn/2 sinc(|turn|/2), cos(|turn|/2))`, of unit length to rounding.
#[inline]
pub(crate) fn exponential(turn: DVec3) -> DQuat {
    let half = 0.5 * turn;
    let square = half.length_squared();
    let (sinc, cos) = if square <= SERIES_LIMIT { series(square) } else { by_libm(square) };
    let vector = sinc * half;
    DQuat::from_xyzw(vector.x, vector.y, vector.z, cos)
}

/// (sin x / x, cos x) from `x^2 <= SERIES_LIMIT` by their Taylor series.
///
/// The terms alternate and fall, so each truncation error is below the first term left out: x^12/13! < 1.0e-17 for the
/// first and x^14/14! < 4.3e-20 for the second, both under a tenth of an ulp of the result.
#[inline]
fn series(square: f64) -> (f64, f64) {
    const SINC: [f64; 6] = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0, -1.0 / 39_916_800.0];
    const COS: [f64; 7] =
        [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0, 1.0 / 479_001_600.0];
    let horner = |coefficients: &[f64]| coefficients.iter().rev().fold(0.0, |sum, c| sum * square + c);
    (horner(&SINC), horner(&COS))
}

/// (sin x / x, cos x) for larger angles; an infinite or undefined angle gives NaN.
#[cold]
fn by_libm(square: f64) -> (f64, f64) {
    let x = square.sqrt();
    let (sin, cos) = libm::sincos(x);
    (sin / x, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_agrees_with_libm_up_to_its_limit() {
        let mut worst: f64 = 0.0;
        for k in 1..=1000 {
            let x = 0.25 * f64::from(k) / 1000.0;
            let (sinc, cos) = series(x * x);
            worst = worst.max((sinc - libm::sin(x) / x).abs()).max((cos - libm::cos(x)).abs());
        }
        // Measured: 2.2e-16, one rounding of each side.
        assert!(worst <= 2.0 * f64::EPSILON, "{worst:e}");
    }

    #[test]
    fn quarter_turn_about_z_takes_x_to_y_on_both_branches() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let once = rotate(DQuat::IDENTITY, DVec3::Z * quarter);
        let parts = (0..8).fold(DQuat::IDENTITY, |q, _| rotate(q, DVec3::Z * (quarter / 8.0)));
        for q in [once, parts] {
            assert!((q * DVec3::X - DVec3::Y).length() <= 1e-15, "{q:?}");
        }
    }

    #[test]
    fn the_turn_that_was_made_is_known_beyond_the_rounding_of_the_rotation() {
        let q = DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        let turn = exponential(DVec3::new(3e-4, -2e-4, 5e-4));
        let (end, made) = compose_exactly(q, turn);
        let product = turn * q;
        assert!((end - product).length() <= 2.0 * f64::EPSILON);
        let difference = (made - turn).length();
        assert!(difference > 0.0 && difference <= f64::EPSILON, "{difference:e}");
        let far = exponential(DVec3::new(0.0, 6.2, 0.0));
        assert!((compose_exactly(q, far).0 + far * q).length() <= 4.0 * f64::EPSILON);
        assert_eq!(compose_exactly(DQuat::IDENTITY, DQuat::IDENTITY), (DQuat::IDENTITY, DQuat::IDENTITY));
    }

    #[test]
    fn rotation_by_nothing_changes_nothing_and_infinity_is_not_hidden() {
        let q = DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5);
        assert_eq!(rotate(q, DVec3::ZERO), q);
        assert!(!rotate(q, DVec3::X * f64::INFINITY).is_finite());
        assert!(!rotate(q, DVec3::X * f64::NAN).is_finite());
    }
}
