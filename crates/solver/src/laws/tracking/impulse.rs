//! The impulse of one step at one contact, and the step that a stored energy allows.

use glam::{DMat2, DVec2};
use granule_model::{DMat3, DVec3};

use crate::contact::island::{Island, Row};

/// Collision matrix of a contact with its inverse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mobility {
    pub(crate) k: DMat3,
    pub(crate) inverse: DMat3,
}

impl Mobility {
    pub(crate) fn new(k: DMat3) -> Self {
        Mobility { k, inverse: k.inverse() }
    }
}

/// The mobilities of some contacts, each made when it is first asked for. Contacts of spheres need none, and of the
/// others few are hit: a place for every contact cost 150 bytes of memory each.
#[derive(Debug, Default)]
pub(crate) struct Mobilities {
    /// Which of those made is that of each contact; [`UNKNOWN`] before it is asked for.
    of_contact: Vec<u32>,
    made: Vec<Mobility>,
}

/// Marks a contact whose mobility nobody has asked for.
const UNKNOWN: u32 = u32::MAX;

impl Mobilities {
    /// Forgets all, for this many contacts.
    pub(crate) fn clear(&mut self, contacts: usize) {
        self.made.clear();
        self.of_contact.clear();
        self.of_contact.resize(contacts, UNKNOWN);
    }

    /// The mobility of row i of an island.
    pub(crate) fn of_row(&mut self, island: &Island<'_>, i: usize) -> &Mobility {
        let row = &island.rows[i];
        self.get(i, row, || row.collision_matrix(island.bodies, island.tensors))
    }

    /// The mobility of contact i, whose row is `row`; one of no meaning for a central contact, which needs none.
    #[inline]
    pub(crate) fn get(&mut self, i: usize, row: &Row, collision_matrix: impl Fn() -> DMat3) -> &Mobility {
        const NONE: &Mobility = &Mobility { k: DMat3::ZERO, inverse: DMat3::ZERO };
        if row.is_central {
            return NONE;
        }
        let of_contact = &mut self.of_contact[i];
        if *of_contact == UNKNOWN {
            *of_contact = self.made.len() as u32;
            self.made.push(Mobility::new(collision_matrix()));
        }
        &self.made[*of_contact as usize]
    }
}

/// `n.K(n + mu q)` below this share of `n.K n` means that friction against the sliding before the step would jam the
/// contact (Painleve): pressing harder would speed up the approach. Friction then opposes the sliding *after* the step,
/// see [`implicit`].
const JAMMED: f64 = 1e-3;

/// Share of the cone next to its edge where a contact slides.
///
/// Where K couples normal and tangential motion, sticking may take friction *along* the sliding velocity, and at the
/// edge of the cone the answer jumps: sliding turns friction round. The corners of a box that lands flat are there to
/// the last bit, step after step (96 of 639 in Tang's section 7.3 with mu = 0.1, lambda = 50), and rounding must not
/// decide.
const EDGE: f64 = 1e-11;

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

/// The mode of a step of size `x` by Coulomb's law.
fn mode_for(row: &Row, m: &Mobility, u_t: DVec3, x: f64) -> Mode {
    let n = row.normal;
    if row.static_friction == 0.0 {
        return Mode::Slide { direction: n, k: row.k_normal };
    }
    let trial = m.inverse * (n * x - u_t);
    let p_n = n.dot(trial);
    let p_t = trial - n * p_n;
    let reach = p_t.length();
    if reach <= (1.0 - EDGE) * row.static_friction * p_n {
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

/// Work of friction in a step: `p_t.(u_t- + u_t+)/2`.
fn friction_work(m: &Mobility, n: DVec3, u_t: DVec3, p: DVec3) -> f64 {
    0.5 * (p - n * n.dot(p)).dot(u_t + u_t + m.k * p)
}

/// `mode`, or where its friction would do more work than `allowed` one with friction so weak that it does none.
///
/// Where K couples normal and tangential motion, the sliding velocity may turn round within a step. Friction that
/// opposes it at the start, or holds it at the end, then pushes along the mean of both. That error of a finite step is
/// harmless while kinetic energy has been lost elsewhere, see [`super::rounds`]; beyond that it would create energy (up
/// to 2 % of a cluster's at lambda = 1). The impulse then keeps the direction `d` of that friction but only the share
/// `c` of the normal impulse with which the work is zero, `c = -(2 u_d k_nn + x k_nd) / (2 u_d k_nd + x k_dd)`, or none
/// if it is positive for every share.
fn passive(row: &Row, m: &Mobility, u_t: DVec3, x: f64, mode: Mode, allowed: f64) -> Mode {
    let n = row.normal;
    if row.static_friction == 0.0 {
        return mode;
    }
    let p = impulse_in(mode, m, n, u_t, x);
    if friction_work(m, n, u_t, p) <= allowed {
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
/// Let the final sliding velocity be `w = -s p_t`, `s > 0`. With `A = K^-1` in normal and tangential parts,
/// `K p = x n - u_t + w` gives
///
/// ```text
/// (1 + s A_tt) p_t = A_tn x - A_tt u_t,        p_n = A_nn x - A_nt.(u_t + s p_t)
/// ```
///
/// `s = 0` sticks and lies outside the cone; for `s -> infinity` friction vanishes and `p_n -> x / k_nn > 0`. In
/// between `|p_t| = mu p_n` has a root, whatever K: a discrete step never has Painleve's paradox. It is found by
/// bisection of `z = s/(s + k_t)`; contacts seldom come here.
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
pub(crate) fn normal_work(u_n: f64, x: f64, p_n: f64) -> f64 {
    0.5 * (2.0 * u_n + x) * p_n
}

/// Sliding speed below which a contact does not slide, over the largest relative speed of a problem.
pub(crate) const SLIDING: f64 = 1e-12;

/// `u` without its tangential part where that is at most `sliding` \[m/s\]: a contact that sticks keeps a rounding
/// error, and friction must not follow the direction of that when the next impulse leaves the cone.
pub(crate) fn without_noise(u: DVec3, n: DVec3, sliding: f64) -> DVec3 {
    let u_n = n * n.dot(u);
    if (u - u_n).length_squared() <= sliding * sliding { u_n } else { u }
}

/// [`SLIDING`] of the largest relative speed at the contacts of an island \[m/s\].
pub(crate) fn sliding(island: &Island<'_>) -> f64 {
    let speeds = island.rows.iter().map(|row| row.relative_velocity(island.bodies).length());
    SLIDING * speeds.fold(0.0, f64::max)
}

/// [`impulse`] of a central contact, where `K p = k_n p_n n + k_t p_t`. Friction cannot do work there: it takes `u_t`
/// at most to zero.
fn central_impulse(row: &Row, u_t: DVec3, x: f64) -> DVec3 {
    let n = row.normal;
    let p_n = x * row.mass_normal;
    let trial = -u_t * row.mass_tangent;
    let reach = trial.length_squared();
    let limit = row.static_friction * p_n;
    let share = if reach <= limit * limit { 1.0 } else { row.dynamic_friction * p_n / reach.sqrt() };
    n * p_n + trial * share
}

/// Work of friction in a step of a central contact: `p_t.(u_t + k_t p_t / 2)`.
fn central_friction_work(row: &Row, u_t: DVec3, p: DVec3) -> f64 {
    let p_t = p - row.normal * row.normal.dot(p);
    p_t.dot(u_t + p_t * (0.5 * row.k_tangent))
}

/// The impulse that changes the normal relative velocity by `x`, and the work of its friction \[J\], which is at most
/// `allowed` (not negative).
pub(crate) fn impulse(row: &Row, m: &Mobility, u: DVec3, x: f64, allowed: f64) -> (DVec3, f64) {
    let n = row.normal;
    if row.static_friction == 0.0 {
        return (n * (x / row.k_normal), 0.0);
    }
    let u_t = u - n * n.dot(u);
    if row.is_central {
        let p = central_impulse(row, u_t, x);
        return (p, central_friction_work(row, u_t, p));
    }
    let mode = passive(row, m, u_t, x, mode_for(row, m, u_t, x), allowed);
    let p = impulse_in(mode, m, n, u_t, x);
    (p, friction_work(m, n, u_t, p))
}

/// A step of release.
pub(crate) struct Release {
    /// Impulse \[N s\].
    pub(crate) impulse: DVec3,
    /// Energy that the contact still stores \[J\].
    pub(crate) left: f64,
    /// Work of friction \[J\].
    pub(crate) friction: f64,
}

/// The impulse of a step of release: the change `step`, or less where the energy `stored` ends before; friction does at
/// most the work `allowed` (not negative).
pub(crate) fn releasing_impulse(row: &Row, m: &Mobility, u: DVec3, step: f64, stored: f64, allowed: f64) -> Release {
    let n = row.normal;
    let u_n = n.dot(u);
    let u_t = u - n * u_n;
    if row.is_central {
        // The normal work knows no friction here: `x^2 + 2 u_n x = 2 W k` whatever slides.
        let spend = slide_step(u_n, stored, row.k_normal);
        let x = step.min(spend);
        let left = if step < spend { (stored - normal_work(u_n, x, x * row.mass_normal)).max(0.0) } else { 0.0 };
        let impulse = central_impulse(row, u_t, x);
        return Release { impulse, left, friction: central_friction_work(row, u_t, impulse) };
    }
    let mode = passive(row, m, u_t, step, mode_for(row, m, u_t, step), allowed);
    let p = impulse_in(mode, m, n, u_t, step);
    let work = normal_work(u_n, step, n.dot(p));
    let (impulse, left) =
        if work < stored { (p, stored - work) } else { (spending_impulse(row, m, mode, u, stored, allowed), 0.0) };
    let friction = if row.static_friction == 0.0 { 0.0 } else { friction_work(m, n, u_t, impulse) };
    Release { impulse, left, friction }
}

/// The impulse that spends exactly `stored`, where the full step was in `mode`.
fn spending_impulse(row: &Row, m: &Mobility, mode: Mode, u: DVec3, stored: f64, allowed: f64) -> DVec3 {
    let n = row.normal;
    let u_n = n.dot(u);
    let u_t = u - n * u_n;
    let spend = |mode: Mode| last_step(mode, m, n, u_n, u_t, stored);
    let (mut last, mut x) = (mode, spend(mode));
    // A shorter step may leave the cone that the full one was in; the energy is then spent by the other rule.
    if let (Mode::Stick, Some(step)) = (mode, x)
        && let again @ Mode::Slide { .. } = mode_for(row, m, u_t, step)
    {
        (last, x) = (again, spend(again));
    }
    if let Some(x) = x {
        let p = impulse_in(last, m, n, u_t, x);
        if row.static_friction == 0.0 || friction_work(m, n, u_t, p) <= allowed {
            return p;
        }
    }
    n * (slide_step(u_n, stored, row.k_normal) / row.k_normal)
}

/// The change of normal velocity that spends exactly `stored` in the given mode; none where even the smallest step
/// spends more, because stopping the sliding alone presses the bodies apart.
fn last_step(mode: Mode, m: &Mobility, n: DVec3, u_n: f64, u_t: DVec3, stored: f64) -> Option<f64> {
    match mode {
        Mode::Slide { k, .. } => Some(slide_step(u_n, stored, k)),
        Mode::Stick => {
            let row = m.inverse * n;
            let (alpha, beta) = (row.dot(n), row.dot(u_t));
            positive_root(alpha, 2.0 * u_n * alpha - beta, -2.0 * (u_n * beta + stored))
        }
    }
}

/// `-u_n + sqrt(u_n^2 + 2 W k)`, the positive root of `x^2 + 2 u_n x - 2 W k`, by the form without cancellation.
fn slide_step(u_n: f64, stored: f64, k: f64) -> f64 {
    let work = 2.0 * stored * k;
    let root = (u_n * u_n + work).sqrt();
    if u_n <= 0.0 { root - u_n } else { work / (root + u_n) }
}

/// The larger root of `a x^2 + b x + c` with `a > 0`, by the form without cancellation; none unless it is real and not
/// negative.
fn positive_root(a: f64, b: f64, c: f64) -> Option<f64> {
    let square = b * b - 4.0 * a * c;
    if square < 0.0 {
        return None;
    }
    let root = square.sqrt();
    let x = if b <= 0.0 { (root - b) / (2.0 * a) } else { -2.0 * c / (root + b) };
    (x >= 0.0).then_some(x)
}

#[cfg(test)]
mod tests {
    use granule_model::{Coefficients, InverseInertia, Velocity};

    use super::*;
    use crate::contact::island::{RowInput, SolverBody};

    /// A body against the world at a random arm, strongly coupled; relative velocity; numbers uniform in 0 to 1 after
    /// that.
    struct Draw(u64);

    impl Draw {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn vector(&mut self) -> DVec3 {
            DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * 2.0
        }

        fn contact(&mut self) -> (Row, Mobility, DVec3) {
            let friction = 2.0 * self.unit();
            let inertia = DMat3::from_diagonal(DVec3::splat(11.0) + 10.0 * self.vector());
            let (body, tensor) = SolverBody::new(Velocity::ZERO, 1.0, &InverseInertia::General(inertia));
            let (world, none) = SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO);
            let input = RowInput {
                a: 0,
                b: 1,
                arm_a: self.vector(),
                arm_b: DVec3::ZERO,
                normal: self.vector().normalize(),
                coefficients: Coefficients {
                    restitution: 1.0,
                    static_friction: friction,
                    dynamic_friction: friction * self.unit(),
                    ..Coefficients::BARE
                },
                radius: 1.0,
                ..RowInput::BARE
            };
            let (bodies, tensors) = ([body, world], [tensor, none]);
            let row = Row::new(&input, &bodies, &tensors, 1.0);
            let m = Mobility::new(row.collision_matrix(&bodies, &tensors));
            (row, m, self.vector())
        }
    }

    #[test]
    fn steps_keep_to_the_cone_the_step_and_the_work_allowed() {
        let mut draw = Draw(1);
        let (mut jammed, mut turned) = (0, 0);
        for _ in 0..100_000 {
            let (row, m, u) = draw.contact();
            let (n, x) = (row.normal, 0.1 * draw.unit());
            let u_t = u - n * n.dot(u);
            let free = mode_for(&row, &m, u_t, x);
            let against = n - u_t / u_t.length() * row.dynamic_friction;
            let is_jammed = !matches!(free, Mode::Stick) && n.dot(m.k * against) <= JAMMED * row.k_normal;
            let (p, _) = impulse(&row, &m, u, x, f64::INFINITY);
            let p_t = p - n * n.dot(p);
            // Measured: 4e-14 over the largest velocity, from K's inverse.
            assert!((n.dot(m.k * p) - x).abs() <= 1e-12, "{}", n.dot(m.k * p) - x);
            assert!(p_t.length() <= row.static_friction * n.dot(p) * (1.0 + 1e-9));
            if is_jammed {
                jammed += 1;
                let after = m.k * p + u_t - n * x;
                // Measured 3e-11: bisection of the angle.
                assert!((p_t.normalize() + after.normalize()).length() <= 1e-9, "opposes the final sliding");
            }
            let (q, work) = impulse(&row, &m, u, x, 0.0);
            turned += u32::from(q != p);
            assert!(work <= 1e-14, "no work allowed, {work:e} done");
            assert!((n.dot(m.k * q) - x).abs() <= 1e-12);
            assert!((q - n * n.dot(q)).length() <= row.static_friction * n.dot(q) * (1.0 + 1e-9));
        }
        // Both rare branches were tried: 47 and 109 of 100 000.
        assert!(jammed > 20 && turned > 50, "{jammed} {turned}");
    }

    #[test]
    fn the_last_step_of_a_release_spends_what_is_stored() {
        let mut draw = Draw(2);
        let mut whole = 0;
        for _ in 0..100_000 {
            let (row, m, u) = draw.contact();
            let (step, stored, allowed) =
                (0.1 * draw.unit(), 0.02 * draw.unit(), [0.0, 1.0][(draw.unit() * 2.0) as usize]);
            let done = releasing_impulse(&row, &m, u, step, stored, allowed);
            let n = row.normal;
            let work = normal_work(n.dot(u), n.dot(m.k * done.impulse), n.dot(done.impulse));
            whole += u32::from(done.left == 0.0);
            // Measured 1e-14, over energies of about 0.1.
            assert!((stored - work - done.left).abs() <= 1e-12, "{:e}", stored - work - done.left);
            assert!(done.friction <= allowed + 1e-14);
        }
        assert!((10_000..90_000).contains(&whole), "both whole and last steps were tried: {whole}");
    }
}
