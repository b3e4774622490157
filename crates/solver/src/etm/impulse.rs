//! The impulse of one step at one contact, and the step that a stored energy allows.

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

/// `n.K(n + mu q)` below this share of `n.K n` means that sliding friction would jam the contact (Painleve); friction then
/// sticks whatever the cone says, which dissipates and always has an answer.
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

fn mode_for(row: &Row, m: &Mobility, u_t: DVec3, x: f64) -> Mode {
    let n = row.normal;
    if row.static_friction == 0.0 {
        return Mode::Slide { direction: n, k: row.k_normal };
    }
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
    if k <= JAMMED * row.k_normal { Mode::Stick } else { Mode::Slide { direction, k } }
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
    let again = mode_for(row, m, u_t, x);
    // A shorter step may leave the cone that the full one was in; the energy is then spent by the other rule.
    let p = match (mode, again) {
        (Mode::Stick, Mode::Slide { .. }) => impulse_in(again, m, n, u_t, last_step(again, m, n, u_n, u_t, stored)),
        _ => impulse_in(mode, m, n, u_t, x),
    };
    (p, 0.0)
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
