//! The exponential map from rotation vectors to unit quaternions. What to rotate by is the business of the schemes.

use granule_model::{DQuat, DVec3};

/// Squared half angle \[rad2\] up to which the series are used: half an angle of 0.25 rad, a quarter of a radian above and
/// below, i.e. rotations of up to half a radian in a step.
const SERIES_LIMIT: f64 = 0.0625;

/// `rotation` followed by the rotation with vector `turn` \[rad\] in world axes (direction: axis, length: angle).
///
/// The result has unit length to rounding however often the function is applied, and `rotation` itself for `turn = 0`.
#[inline]
pub fn rotate(rotation: DQuat, turn: DVec3) -> DQuat {
    (exponential(turn) * rotation).normalize()
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
    fn rotation_by_nothing_changes_nothing_and_infinity_is_not_hidden() {
        let q = DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5);
        assert_eq!(rotate(q, DVec3::ZERO), q);
        assert!(!rotate(q, DVec3::X * f64::INFINITY).is_finite());
        assert!(!rotate(q, DVec3::X * f64::NAN).is_finite());
    }
}
