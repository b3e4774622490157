//! The conditions as equations: the natural map of the fixed point and of Newton's method, and the measure of
//! convergence.

use granule_model::DVec3;

use super::system::{Contact, Span, System};

/// What the natural map sees in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Branch {
    /// `y_n <= 0`: no impulse.
    Open,
    /// The trial lies inside the cone, or there is no friction.
    Stick,
    /// The trial lies outside.
    Slip {
        /// Direction of the trial.
        direction: DVec3,
        /// Radius of the disk over the trial's length, below 1.
        share: f64,
    },
}

/// The trial `y = p - (w_n/k_n, s/k_t)` and its branch.
pub(super) fn branch(c: &Contact, p: DVec3, w: DVec3) -> Branch {
    let trial_normal = c.normal.dot(p) - c.normal.dot(w) / c.k_normal;
    if trial_normal <= 0.0 {
        return Branch::Open;
    }
    if c.span == Span::Nothing || c.friction == 0.0 {
        return Branch::Stick;
    }
    let trial = c.tangential(p) - c.tangential(w) / c.k_tangent;
    let (length, radius) = (trial.length(), c.friction * trial_normal);
    if length <= radius { Branch::Stick } else { Branch::Slip { direction: trial / length, share: radius / length } }
}

/// Projects `p` onto the cone: normal part first, then radially onto the disk that belongs to it.
pub(super) fn project(c: &Contact, p: DVec3) -> DVec3 {
    let normal = c.normal.dot(p).max(0.0);
    let (tangential, radius) = (c.tangential(p), c.friction * normal);
    let length = tangential.length();
    let share = if length > radius { radius / length } else { 1.0 };
    c.normal * normal + tangential * share
}

/// Square of the natural map `F = k (p - projection of the trial)` of one contact \[m2/s2\].
fn natural_square(c: &Contact, p: DVec3, w: DVec3) -> f64 {
    let (p_n, w_n) = (c.normal.dot(p), c.normal.dot(w));
    let normal = (c.k_normal * p_n).min(w_n);
    let tangential = match branch(c, p, w) {
        Branch::Open => c.tangential(p) * c.k_tangent,
        Branch::Stick if c.friction == 0.0 => c.tangential(p) * c.k_tangent,
        Branch::Stick => c.tangential(w),
        Branch::Slip { direction, .. } => {
            let radius = c.friction * (p_n - w_n / c.k_normal);
            (c.tangential(p) - direction * radius) * c.k_tangent
        }
    };
    normal * normal + tangential.length_squared()
}

/// Sum of squares of the natural map \[m2/s2\].
pub(super) fn merit(system: &System, impulses: &[DVec3], velocities: &[DVec3]) -> f64 {
    let parts = system.contacts.iter().zip(impulses).zip(velocities);
    parts.map(|((c, p), w)| natural_square(c, *p, *w)).sum()
}

/// What both forms ask of an open contact, and of an active one but for friction \[m/s\].
fn normal_violations(c: &Contact, p: DVec3, w: DVec3) -> (f64, f64) {
    let (p_n, w_n) = (c.normal.dot(p), c.normal.dot(w));
    let open = (c.k_normal * p_n.abs()).max(c.k_normal * c.tangential(p).length()).max(-w_n);
    (open, w_n.abs().max(-c.k_normal * p_n))
}

/// How far one contact is from the nearest of "open", "stick" and "slip" of the cone form with the friction in force
/// \[m/s\]; impulses count by the velocity `k_n p`.
///
/// The natural map alone does not do: where a tiny impulse meets fast sliding it hardly sees the direction of friction.
fn cone_violation(c: &Contact, p: DVec3, w: DVec3) -> f64 {
    let (open, active) = normal_violations(c, p, w);
    let (p_t, s) = (c.tangential(p), c.tangential(w));
    let (length, radius) = (p_t.length(), c.friction * c.normal.dot(p));
    let stick = active.max(s.length()).max(c.k_normal * (length - radius));
    let along = if length > 0.0 { p_t / length } else { DVec3::ZERO };
    let slide = s.dot(along);
    let sideways = (s - along * slide).length().max(slide);
    let slip = active.max(sideways).max(c.k_normal * (length - radius).abs());
    // Where friction can do nothing any sliding is right.
    let free = active.max(c.k_normal * length.max(radius));
    open.min(stick).min(slip).min(free)
}

/// The same for the literal form with static and dynamic friction.
fn literal_violation(c: &Contact, p: DVec3, w: DVec3) -> f64 {
    let (open, active) = normal_violations(c, p, w);
    let (p_t, s, p_n) = (c.tangential(p), c.tangential(w), c.normal.dot(p));
    let after = s - c.tangential(c.shifted - c.before);
    let length = p_t.length();
    let over = |friction: f64| c.k_normal * (length - friction * p_n);
    // Without an impulse t is free: some t is normal to s and parallel to u+ where these two are normal to each other.
    let stuck = if s.length() > 0.0 { s.dot(after).abs() / s.length() } else { 0.0 };
    let free = stuck.min(c.k_normal * c.dynamic_friction * p_n.abs());
    let open = open.min(active.max(c.k_normal * length).max(free));
    if length == 0.0 {
        return open;
    }
    let t = p_t / length;
    let sideways = c.normal.cross(t).dot(after).abs();
    let stick = active.max(sideways).max(t.dot(s).abs()).max(over(c.static_friction));
    let slip = active.max(sideways).max(t.dot(s)).max(over(c.dynamic_friction).abs());
    open.min(stick).min(slip)
}

fn largest(
    system: &System,
    impulses: &[DVec3],
    velocities: &[DVec3],
    violation: fn(&Contact, DVec3, DVec3) -> f64,
) -> f64 {
    let parts = system.contacts.iter().zip(impulses).zip(velocities);
    parts.map(|((c, p), w)| violation(c, *p, *w)).fold(0.0, |worst, v| if v > worst || v.is_nan() { v } else { worst })
}

/// Largest violation of the cone form by any contact \[m/s\].
pub(super) fn largest_violation(system: &System, impulses: &[DVec3], velocities: &[DVec3]) -> f64 {
    largest(system, impulses, velocities, cone_violation)
}

/// Largest violation of the literal form by any contact \[m/s\].
pub(super) fn largest_literal_violation(system: &System, impulses: &[DVec3], velocities: &[DVec3]) -> f64 {
    largest(system, impulses, velocities, literal_violation)
}
