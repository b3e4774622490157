//! The impulse of one step at one contact, and the step that a stored energy allows.

use glam::{DMat2, DVec2};
use granule_model::{DMat3, DVec3};

use crate::island::Row;

/// Collision matrix of a contact with its inverse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mobility {
    pub(super) k: DMat3,
    pub(super) inverse: DMat3,
}

impl Mobility {
    pub(super) fn new(k: DMat3) -> Self {
        Mobility { k, inverse: k.inverse() }
    }
}

/// `n.K(n + mu q)` below this share of `n.K n` means that friction against the sliding before the step would jam the contact
/// (Painleve): pressing harder would speed up the approach. Friction then opposes the sliding *after* the step, see [`implicit`].
const JAMMED: f64 = 1e-3;

/// How an impulse depends on the change of normal velocity `x`.
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// `p = K^-1 (x n - u_t)`.
    Stick,
    /// `p = x (n + mu q)/k`.
    Slide { direction: DVec3, k: f64 },
}

fn impulse_in(mode: Mode, m: &Mobility, n: DVec3, u_t: DVec3, x: f64) -> DVec3 {
    match mode {
        Mode::Stick => m.inverse * (n * x - u_t),
        Mode::Slide { direction, k } => direction * (x / k),
    }
}

/// The mode of a step of size `x`.
fn mode_for(row: &Row, m: &Mobility, u_t: DVec3, x: f64) -> Mode {
    if row.static_friction == 0.0 {
        return Mode::Slide { direction: row.normal, k: row.k_normal };
    }
    passive(row, m, u_t, x, coulomb(row, m, u_t, x))
}

/// The mode by Coulomb's law.
fn coulomb(row: &Row, m: &Mobility, u_t: DVec3, x: f64) -> Mode {
    let n = row.normal;
    let trial = m.inverse * (n * x - u_t);
    let p_n = n.dot(trial);
    let p_t = trial - n * p_n;
    let reach = p_t.length();
    if reach <= row.static_friction * p_n {
        return Mode::Stick;
    }
    let speed = u_t.length();
    let q = if speed > 0.0 { -u_t / speed } else { p_t / reach };
    let direction = n + q * row.dynamic_friction;
    let k = n.dot(m.k * direction);
    if k > JAMMED * row.k_normal {
        return Mode::Slide { direction, k };
    }
    let direction = n + implicit(row, m, u_t, x) * row.dynamic_friction;
    Mode::Slide { direction, k: n.dot(m.k * direction) }
}

/// Twice the work of friction in a step: `p_t.(u_t- + u_t+)`.
fn friction_work(m: &Mobility, n: DVec3, u_t: DVec3, p: DVec3) -> f64 {
    (p - n * n.dot(p)).dot(u_t + u_t + m.k * p)
}

/// `mode`, with friction weakened where it would do work.
///
/// Where K couples normal and tangential motion, the sliding velocity may turn round within a step. Friction that opposes it at
/// the start, or holds it at the end, then pushes along the mean of both: it puts in energy that no contact has stored (up to
/// 2 % of a cluster's at lambda = 1). The impulse keeps the direction `d` of that friction but only the share `c` of the
/// normal impulse with which the work is zero, `c = -(2 u_d k_nn + x k_nd) / (2 u_d k_nd + x k_dd)`, or none if it is
/// positive for every share.
fn passive(row: &Row, m: &Mobility, u_t: DVec3, x: f64, mode: Mode) -> Mode {
    let n = row.normal;
    let p = impulse_in(mode, m, n, u_t, x);
    if friction_work(m, n, u_t, p) <= 0.0 {
        return mode;
    }
    let d = (p - n * n.dot(p)).normalize_or_zero();
    let kd = m.k * d;
    let (k_nd, k_dd, u_d) = (n.dot(kd), d.dot(kd), d.dot(u_t));
    let idle = 2.0 * u_d * row.k_normal + x * k_nd;
    let share = if idle < 0.0 { -idle / (2.0 * u_d * k_nd + x * k_dd) } else { 0.0 };
    Mode::Slide { direction: n + d * share, k: row.k_normal + share * k_nd }
}

/// Halvings of the search in [`implicit`]: all bits of a number between 0 and 1.
const HALVINGS: u32 = 53;

/// The direction of friction that opposes the sliding velocity at the end of the step, for a contact that cannot stick.
///
/// Let the final sliding velocity be `w = -s p_t`, `s > 0`. With `A = K^-1` in normal and tangential parts, `K p = x n - u_t + w` gives
///
/// ```text
/// (1 + s A_tt) p_t = A_tn x - A_tt u_t,        p_n = A_nn x - A_nt.(u_t + s p_t)
/// ```
///
/// `s = 0` sticks and lies outside the cone; for `s -> infinity` friction vanishes and `p_n -> x / k_nn > 0`. In between
/// `|p_t| = mu p_n` has a root, whatever K: a discrete step never has Painleve's paradox. It is found by bisection of
/// `z = s/(s + k_t)`; contacts seldom come here.
fn implicit(row: &Row, m: &Mobility, u_t: DVec3, x: f64) -> DVec3 {
    let n = row.normal;
    let t = n.any_orthonormal_vector();
    let axes = [t, n.cross(t)];
    let columns = axes.map(|axis| m.inverse * axis);
    let a = DMat2::from_cols_array_2d(&columns.map(|column| axes.map(|axis| axis.dot(column))));
    let a_n = DVec2::from_array(columns.map(|column| n.dot(column)));
    let a_nn = n.dot(m.inverse * n);
    let slip = DVec2::from_array(axes.map(|axis| axis.dot(u_t)));
    let push = a_n * x - a * slip;
    let impulse = |z: f64| {
        let s = row.k_tangent * z / (1.0 - z);
        let p_t = (DMat2::IDENTITY + a * s).inverse() * push;
        (p_t, a_nn * x - a_n.dot(slip + p_t * s))
    };
    let (mut low, mut high) = (0.0, 1.0 - f64::EPSILON);
    for _ in 0..HALVINGS {
        let z = 0.5 * (low + high);
        let (p_t, p_n) = impulse(z);
        if p_t.length() > row.dynamic_friction * p_n {
            low = z;
        } else {
            high = z;
        }
    }
    let (p_t, _) = impulse(high);
    let length = p_t.length();
    if length > 0.0 { (axes[0] * p_t.x + axes[1] * p_t.y) / length } else { DVec3::ZERO }
}

/// Work of the normal impulse in a step: `(2 u_n + x) p_n / 2`.
pub(super) fn normal_work(u_n: f64, x: f64, p_n: f64) -> f64 {
    0.5 * (2.0 * u_n + x) * p_n
}

/// The impulse that changes the normal relative velocity by `x`.
pub(super) fn impulse(row: &Row, m: &Mobility, u: DVec3, x: f64) -> DVec3 {
    let n = row.normal;
    let u_t = u - n * n.dot(u);
    impulse_in(mode_for(row, m, u_t, x), m, n, u_t, x)
}

/// The impulse of a step of release: the change `step`, or less where the energy `stored` ends before.
///
/// Returns the impulse, the change of normal velocity, and the energy left.
pub(super) fn releasing_impulse(row: &Row, m: &Mobility, u: DVec3, step: f64, stored: f64) -> (DVec3, f64) {
    let n = row.normal;
    let u_n = n.dot(u);
    let u_t = u - n * u_n;
    let mode = mode_for(row, m, u_t, step);
    let p = impulse_in(mode, m, n, u_t, step);
    let work = normal_work(u_n, step, n.dot(p));
    if work < stored {
        return (p, stored - work);
    }
    let x = last_step(mode, m, n, u_n, u_t, stored);
    // A shorter step may leave the cone that the full one was in; the energy is then spent by the other rule.
    let p = match (mode, mode_for(row, m, u_t, x)) {
        (Mode::Stick, again @ Mode::Slide { .. }) => {
            impulse_in(again, m, n, u_t, last_step(again, m, n, u_n, u_t, stored))
        }
        _ => impulse_in(mode, m, n, u_t, x),
    };
    if friction_work(m, n, u_t, p) <= 0.0 {
        return (p, 0.0);
    }
    // Friction that would do work in the last step is left out; what is stored is still spent exactly.
    let bare = Mode::Slide { direction: n, k: row.k_normal };
    (impulse_in(bare, m, n, u_t, last_step(bare, m, n, u_n, u_t, stored)), 0.0)
}

/// The change of normal velocity that spends exactly `stored` in the given mode.
fn last_step(mode: Mode, m: &Mobility, n: DVec3, u_n: f64, u_t: DVec3, stored: f64) -> f64 {
    match mode {
        Mode::Slide { k, .. } => positive_root(1.0, 2.0 * u_n, -2.0 * stored * k),
        Mode::Stick => {
            let row = m.inverse * n;
            let (alpha, beta) = (row.dot(n), row.dot(u_t));
            positive_root(alpha, 2.0 * u_n * alpha - beta, -2.0 * (u_n * beta + stored))
        }
    }
}

/// The larger root of `a x^2 + b x + c` with `a > 0`, not below zero; by the form without cancellation.
fn positive_root(a: f64, b: f64, c: f64) -> f64 {
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    let x = if b <= 0.0 { (root - b) / (2.0 * a) } else { -2.0 * c / (root + b) };
    x.max(0.0)
}

#[cfg(test)]
mod tests {
    use granule_model::{Coefficients, InverseInertia, Velocity};

    use super::*;
    use crate::island::{RowInput, SolverBody};

    #[test]
    fn probe() {
        let mut seed = 1u64;
        let mut unit = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut jam, mut bad, mut stick, mut sf, mut jf, mut lf, mut wo, mut neg) = (0, 0, 0, 0, 0, 0, 0.0f64, 0);
        for _ in 0..100000 {
            let mut v = || DVec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5) * 2.0;
            let n = v().normalize();
            let arm = v();
            let u = v();
            let mu = 2.0 * unit();
            let i = DMat3::from_diagonal(DVec3::new(1.0 + 20.0 * unit(), 1.0 + 20.0 * unit(), 1.0 + 20.0 * unit()));
            let (body, tensor) = SolverBody::new(Velocity::ZERO, 1.0, &InverseInertia::General(i));
            let (world, zero) = SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO);
            let input = RowInput {
                a: 0,
                b: 1,
                arm_a: arm,
                arm_b: DVec3::ZERO,
                normal: n,
                gap: 0.0,
                coefficients: Coefficients {
                    restitution: 1.0,
                    tangential_restitution: 0.0,
                    static_friction: mu,
                    dynamic_friction: mu,
                    rolling_friction: 0.0,
                    torsional_friction: 0.0,
                },
                radius: 1.0,
                warm_normal: 0.0,
                warm_tangential: DVec3::ZERO,
            };
            let (bodies, tensors) = ([body, world], [tensor, zero]);
            let row = Row::new(&input, &bodies, &tensors, 1.0);
            let m = Mobility::new(row.collision_matrix(&bodies, &tensors));
            let x = 0.1 * unit();
            let u_t = u - n * n.dot(u);
            let p = impulse(&row, &m, u, x);
            let p_n = n.dot(p);
            let k = n.dot(m.k * (n - u_t / u_t.length() * mu));
            let isstick = matches!(mode_for(&row, &m, u_t, x), Mode::Stick);
            let jammed = k <= JAMMED * row.k_normal && !isstick;
            if jammed {
                jam += 1;
            }
            let w = m.k * p + u_t - n * x;
            assert!(n.dot(w).abs() <= 1e-13, "{}", n.dot(w));
            let p_t = p - n * p_n;
            if isstick {
                stick += 1;
                if p_t.dot(u_t + w) > 0.0 {
                    sf += 1;
                }
            } else if jammed {
                assert!(p_n > 0.0);
                wo = wo.max((p_t / p_t.length() + w / w.length()).length());
                if p_t.dot(u_t + w) > 0.0 {
                    jf += 1;
                }
            } else if p_t.dot(u_t + w) > 0.0 {
                lf += 1;
                if p.dot(u + u + m.k * p) > 0.0 && n.dot(u) < -x {
                    neg += 1;
                }
            }
            if (p - n * p_n).length() > mu * p_n * (1.0 + 1e-9) {
                bad += 1;
            }
        }
        eprintln!(
            "jam {jam} stick {stick} bad {bad} wo {wo:e} friction does work: stick {sf} jam {jf} slide {lf} neg {neg}"
        );
    }
}
