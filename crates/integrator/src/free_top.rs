//! The torque-free top: one step that keeps angular momentum and kinetic energy to rounding at every step size.
//!
//! In body axes the momentum P = I w obeys Euler's equation P' = P x w. The midpoint rule with mean momentum
//! p = (P0 + P1)/2, mean velocity w_m = I^-1 p and step h reads
//!
//! ```text
//! P1 - P0 = h p x w_m      that is   p + (h/2) w_m x p = P0.                                    (1)
//! ```
//!
//! P1 - P0 is normal to p, so |P| is kept; it is normal to w_m, so T = P.I^-1 P/2 is kept, because T1 - T0 = (P1 -
//! P0).w_m. (1) says that P1 is P0 turned about w_m by the angle -2 atan(h |w_m|/2); turning the body by the opposite
//! angle about the same axis, dq = (h w_m/2, 1)/norm, leaves the momentum in the world where it was. (The rule is that
//! of J. C. Simo and K. K. Wong, Int. J. Numer. Meth. Eng. 31, 1991, 19-52, here with the step h instead of dt.)
//!
//! Both hold for every h, which is free up to h = dt (1 + O(dt^2)). We take
//!
//! ```text
//! h = dt tan(x)/x,   x = n dt/2,   n = P.w/|P| = 2 T/|P|.                                       (2)
//! ```
//!
//! n is the component of w along L, a constant of the motion, so the scheme stays symmetric in time. For steady
//! rotation about a principal axis n = |w|, the angle is exactly |w| dt and the step is the exponential map. The order
//! is 2, with an error of the angle of up to a third of the cube of half the turn.
//!
//! A turn above [`SMALL_TURN`] is made of three such steps, of dt a, dt (1 - 2a), dt a with a = 1/(2 - 2^(1/3)), whose
//! errors of third order cancel (H. Yoshida, Phys. Lett. A 150, 1990, 262-268): the order is 4, invariants and symmetry
//! are those of each step. With order 2 bodies that an impact has set spinning met the next one turned wrongly: after
//! three impacts in a step at 30 Hz a velocity was off by 5 %.
//!
//! (1) is solved by Newton's method; its Jacobian 1 + (h/2)([w_m]x - [p]x I^-1) has three rows. A step that turns the
//! body by more than [`LARGE_TURN`] is subdivided into pieces of that turn, and beyond [`FINE_PIECES`] of these into
//! pieces of at most [`LARGEST_TURN`].

use crate::exponential::{compose_exactly, exponential, rotate};
use crate::momentum::{angular_momentum, velocity_after};
use granule_model::{DMat3, DQuat, DVec3};

/// Angle \[rad\] up to which one step of order 2 is made: its error, x^2/3 of half of it, stays below 1e-9 of it. What
/// settles turns by less.
const SMALL_TURN: f64 = 1e-4;
/// Largest angle \[rad\] of a piece in steps of up to two turns.
const LARGE_TURN: f64 = 0.05;
/// Pieces up to which a turn is made in such.
const FINE_PIECES: u32 = 256;
/// Largest angle \[rad\] of a piece.
const LARGEST_TURN: f64 = 0.5;
/// Angles \[rad\] below this share of a turn are lost in the rounding of the quaternion.
const SMALLEST_TURN: f64 = f64::EPSILON / 8.0;
/// Most pieces of a step. A body that turns by more than 512 rad in a step is rotated steadily about its momentum
/// instead.
const MOST_PIECES: u32 = 1024;
/// Newton steps allowed for one piece; ordinary motion takes two or three.
const MOST_ITERATIONS: usize = 10;
/// Newton's correction over |p| below which the next one, its square, is below rounding.
const CONVERGED: f64 = 1e-10;

/// Turns a free body of unequal moments for `dt` \[s\]. Arguments in world axes, moments about the axes of `rotation`.
pub(crate) fn advance(rotation: &mut DQuat, angular: &mut DVec3, principal_inertia: DVec3, dt: f64) {
    if angular.length() * dt.abs() <= SMALLEST_TURN {
        return;
    }
    let turn = fastest(rotation.conjugate() * *angular, principal_inertia) * dt.abs();
    let mut pieces = pieces_for(turn);
    while pieces <= MOST_PIECES {
        let lengths = lengths_for(turn);
        if let Some(end) = advance_in_pieces(*rotation, *angular, principal_inertia, dt, (pieces, lengths)) {
            (*rotation, *angular) = end;
            return;
        }
        pieces *= 2;
    }
    turn_about_momentum(rotation, angular, principal_inertia, dt);
}

/// The largest angular speed that a top with the angular velocity `w` in its own axes comes to \[rad/s\]. As it is the
/// same all the way, a step backwards has the pieces of the step that it undoes.
///
/// Squares of the momentum `s_i = P_i^2` have the sums `|P|^2`, and `2 T` with the weights `1/I_i`. The largest sum
/// with the weights `1/I_i^2` is where one of them is zero.
fn fastest(w: DVec3, principal_inertia: DVec3) -> f64 {
    let inverse = principal_inertia.recip().to_array();
    let squares = (principal_inertia * w) * (principal_inertia * w);
    let (all, twice_energy) = (squares.element_sum(), squares.dot(DVec3::from_array(inverse)));
    let without = |k: usize| {
        let (a, b) = (inverse[(k + 1) % 3], inverse[(k + 2) % 3]);
        let s = (twice_energy - b * all) / (a - b);
        (0.0..=all).contains(&s).then_some(s * a * a + (all - s) * b * b)
    };
    (0..3).filter_map(without).fold(w.length_squared(), f64::max).sqrt()
}

/// The smallest power of two of pieces that are small enough for `turn` \[rad\]; beyond the most for one not finite.
fn pieces_for(turn: f64) -> u32 {
    let mut pieces = 1;
    while pieces <= MOST_PIECES {
        let largest = if pieces < FINE_PIECES { LARGE_TURN } else { LARGEST_TURN };
        if turn <= largest * f64::from(pieces) {
            return pieces;
        }
        pieces *= 2;
    }
    pieces
}

/// Lengths of the steps of order 2 that make a turn \[rad\], over its length.
fn lengths_for(turn: f64) -> &'static [f64] {
    /// 1/(2 - 2^(1/3)).
    const OUTER: f64 = 1.351_207_191_959_657_6;
    if turn <= SMALL_TURN { &[1.0] } else { &[OUTER, 1.0 - 2.0 * OUTER, OUTER] }
}

/// Rotation and angular velocity after `dt`, made in equal pieces; none if Newton's method fails in one of them.
fn advance_in_pieces(
    mut rotation: DQuat,
    mut angular: DVec3,
    principal_inertia: DVec3,
    dt: f64,
    (pieces, lengths): (u32, &[f64]),
) -> Option<(DQuat, DVec3)> {
    let inverse_inertia = principal_inertia.recip();
    for share in std::iter::repeat_n(lengths, pieces as usize).flatten() {
        let piece = share * dt / f64::from(pieces);
        let axes = DMat3::from_quat(rotation);
        let start = principal_inertia * (axes.transpose() * angular);
        let half_step = half_rescaled_step(start, inverse_inertia, piece);
        let mean = mean_momentum(start, inverse_inertia, half_step)?;
        let v = axes * (half_step * (inverse_inertia * mean));
        let turn = DQuat::from_xyzw(v.x, v.y, v.z, 1.0).normalize();
        let (turned, made) = compose_exactly(rotation, turn);
        angular = velocity_after(rotation, principal_inertia, angular, made, DVec3::ZERO);
        rotation = turned;
    }
    Some((rotation, angular))
}

/// h/2 of equation (2).
fn half_rescaled_step(momentum: DVec3, inverse_inertia: DVec3, dt: f64) -> f64 {
    let along = momentum.dot(inverse_inertia * momentum) / momentum.length();
    let turn = exponential(DVec3::new(along * dt, 0.0, 0.0));
    // turn = (sin x, 0, 0, cos x), and h/2 = tan(x)/n.
    turn.x / (turn.w * along)
}

/// Solves equation (1) for p; none if Newton's method does not converge.
fn mean_momentum(start: DVec3, inverse_inertia: DVec3, half_step: f64) -> Option<DVec3> {
    let mut p = start;
    for _ in 0..MOST_ITERATIONS {
        let w = inverse_inertia * p;
        let residual = p + half_step * w.cross(p) - start;
        // The derivative along the axis e: e + (h/2)(w x e + (I^-1 e) x p).
        let column = |e: DVec3| e + half_step * (w.cross(e) + (inverse_inertia * e).cross(p));
        let correction = solve([column(DVec3::X), column(DVec3::Y), column(DVec3::Z)], residual);
        p -= correction;
        let size = correction.length();
        if size <= CONVERGED * p.length() {
            return Some(p);
        }
        if !size.is_finite() {
            return None;
        }
    }
    None
}

/// Cramer's rule for three equations given by columns; not finite if they are singular.
fn solve([a, b, c]: [DVec3; 3], right: DVec3) -> DVec3 {
    let bc = b.cross(c);
    DVec3::new(right.dot(bc), a.dot(right.cross(c)), a.dot(b.cross(right))) / a.dot(bc)
}

/// Steady rotation about the momentum at the rate n of equation (2): keeps momentum and energy, and P in the body.
///
/// For steps of many turns, in which the course of the motion is out of reach but its invariants need not be.
#[cold]
fn turn_about_momentum(rotation: &mut DQuat, angular: &mut DVec3, principal_inertia: DVec3, dt: f64) {
    let direction = angular_momentum(*rotation, principal_inertia, *angular).normalize();
    let turn = direction * (angular.dot(direction) * dt);
    *angular = rotate(DQuat::IDENTITY, turn) * *angular;
    *rotation = rotate(*rotation, turn);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cramers_rule_solves() {
        let columns = [DVec3::new(2.0, 1.0, 0.0), DVec3::new(-1.0, 3.0, 0.5), DVec3::new(0.2, 0.1, 4.0)];
        let x = DVec3::new(0.3, -0.7, 1.9);
        let right = columns[0] * x.x + columns[1] * x.y + columns[2] * x.z;
        assert!((solve(columns, right) - x).length() <= 1e-15);
        assert!(!solve([DVec3::X, DVec3::X, DVec3::Y], right).is_finite());
    }

    /// The speed of a top that flips comes to what was said at its start, and never beyond it.
    #[test]
    fn the_fastest_is_met_on_the_way() {
        let inertia = DVec3::new(1.0, 2.0, 2.5);
        let (mut rotation, mut angular) = (DQuat::IDENTITY, DVec3::new(0.3, 2.0, 0.1));
        let bound = fastest(angular, inertia);
        let mut seen: f64 = 0.0;
        for _ in 0..4000 {
            advance(&mut rotation, &mut angular, inertia, 0.01);
            seen = seen.max(angular.length());
            let now = fastest(rotation.conjugate() * angular, inertia);
            assert!((now / bound - 1.0).abs() <= 1e-12, "{now} {bound}");
        }
        assert!(seen <= bound * (1.0 + 1e-12) && seen >= bound * (1.0 - 1e-4), "{seen} of {bound}");
        assert_eq!(fastest(DVec3::Z, DVec3::splat(2.0)), 1.0);
    }

    #[test]
    fn newton_solves_the_midpoint_equation() {
        let inverse = DVec3::new(1.0, 2.0, 30.0);
        let start = DVec3::new(0.2, 1.0, 0.02);
        let p = mean_momentum(start, inverse, 0.1).expect("converges");
        let w = inverse * p;
        assert!((p + 0.1 * w.cross(p) - start).length() <= 4e-16);
    }

    #[test]
    fn pieces_are_bounded_also_for_what_is_not_a_number() {
        assert_eq!(pieces_for(0.05), 1);
        assert_eq!(pieces_for(0.11), 4);
        assert_eq!([pieces_for(6.3), pieces_for(13.0), pieces_for(130.0)], [128, 256, 512]);
        assert!(pieces_for(1e9) > MOST_PIECES);
        assert!(pieces_for(f64::NAN) > MOST_PIECES);
    }
}
