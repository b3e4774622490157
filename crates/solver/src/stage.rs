//! The contact stage: all contacts of an island at once, inelastic, with Coulomb's cone.
//!
//! The stage looks for impulses with
//!
//! ```text
//! 0 <= P_n   perp   u_n+ + max(gap, 0)/dt >= 0                     (Signorini, with the gap known before touch)
//! |P_t| <= mu_s P_n with u_t+ = 0,   or   P_t = -mu_d P_n u_t+/|u_t+|        (Coulomb, isotropic)
//! ```
//!
//! by projected Gauss-Seidel: contact after contact in a fixed order, the normal impulse by the exact normal mobility
//! `k = n.K n`, then the tangential impulse by a gradient step of length `1/k_t` (the largest eigenvalue of K in the
//! tangent plane) projected radially onto the disk. The radial projection of a gradient step has Coulomb's law as its only
//! fixed point; a Newton step with the full 2 x 2 block converges in fewer sweeps but its fixed point lets friction act at
//! an angle to the sliding velocity whenever the block is not isotropic, so it was rejected.
//!
//! Rolling and torsional friction bound a moment in the same way: `|L_roll| <= c_r R P_n` against the relative angular
//! velocity in the tangent plane, `|L_n| <= c_t R P_n` about the normal.
//!
//! **Energy.** With the final impulses P the stage changes the kinetic energy by exactly `sum P.(u- + u+)/2`, whatever the
//! order of sweeps or the warm start. At the exact solution each term is at most zero. A stage that stops early may
//! miss that: then it sweeps on, and as a last resort all impulses of the island are scaled back to the point where the
//! energy equals what came in ([`StageReport::scale`] below 1).
//!
//! Under gravity the quantity to watch is `E* = kinetic + potential + (dt/2) sum m g.v`, which symplectic Euler keeps exactly in
//! flight. The stage changes it by `sum P.(u0 + u+)/2` with `u0` the velocity before the forces of the step, since what
//! gravity adds to `u` within the step is just what the last term of E* takes away. A pack whose load path has just vanished (a
//! dividing wall is taken out) starts from impulses that are all wrong, and a stage cut short there leaves contacts that push
//! and open at once: E* rose by 7e-5 of the energy dissipated so far in the steps after the removal. So a stage also sweeps on,
//! up to `most_sweeps`, while it raises E* by more than `rise`. Far smaller rises matter too, when they come in every step: a column
//! of seven cubes in the corner of a settled pack swayed at 1 cm/s for as long as it was watched, fed by a stage that stopped
//! where the last sweep changed little while the slow mode of the column was still far off. Hence the second pair,
//! `trace` and `more_sweeps`.
//!
//! **Termination.** At most `most_sweeps` sweeps, then the scaling; no loop depends on convergence.

use granule_model::{DMat3, DVec3, Velocity};

use crate::island::{Island, Row, SolverBody};

/// When a stage is good enough.
#[derive(Clone, Copy, Debug)]
pub struct StageSettings {
    /// The largest change of a relative velocity in the last sweep that counts as converged \[m/s\].
    pub tolerance: f64,
    /// Sweeps that are made in any case.
    pub min_sweeps: u32,
    /// Sweeps after which a stage that raises no energy ends.
    pub max_sweeps: u32,
    /// Sweeps after which the stage ends in any case.
    pub most_sweeps: u32,
    /// Updates of contacts that an island may always spend: while it has made fewer it converges to a millionth of the
    /// tolerance. Exact rest of a few bodies costs little; of a pack it would cost ten times the time.
    pub small_work: u32,
    /// Rise of E* that keeps a stage sweeping up to `most_sweeps` \[J\].
    pub rise: f64,
    /// Sweeps after which a stage ends whose rise is below `rise`.
    pub more_sweeps: u32,
    /// Rise of E* that keeps a stage sweeping up to `more_sweeps` \[J\].
    pub trace: f64,
}

/// What a stage did.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageReport {
    /// Sweeps made.
    pub sweeps: u32,
    /// Largest change of a relative velocity in the last sweep \[m/s\].
    pub residual: f64,
    /// Whether the residual was reached within the sweeps allowed.
    pub converged: bool,
    /// Factor on all impulses that keeps the energy from rising; 1 where none was needed.
    pub scale: f64,
    /// Work taken by the normal impulses, `-sum P_n (u_n- + u_n+)/2` \[J\].
    pub normal_work: f64,
    /// Work taken by friction, rolling and torsion included \[J\].
    pub friction_work: f64,
    /// Work that driven bodies did through these impulses \[J\].
    pub driven_work: f64,
}

/// Solves the island from the velocities and warm-start impulses it holds.
///
/// `unforced` are the velocities before the forces of the step, of driven bodies those of the step before; `before` receives those of the bodies as they came in. Afterwards the bodies hold the new velocities and the
/// rows the impulses.
pub fn solve(
    island: &mut Island<'_>,
    settings: &StageSettings,
    unforced: &[Velocity],
    before: &mut Vec<Velocity>,
) -> StageReport {
    before.clear();
    before.extend(island.bodies.iter().map(|b| b.velocity));
    warm_start(island);
    let mut report = StageReport { scale: 1.0, ..StageReport::default() };
    let rolling = island.rows.iter().any(|r| r.rolling_arm > 0.0 || r.torsional_arm > 0.0);
    let budget = settings.small_work / island.rows.len().max(1) as u32;
    while report.sweeps < settings.max_sweeps.max(budget) {
        report.residual = sweep(island, rolling);
        report.sweeps += 1;
        let tolerance = if report.sweeps < budget { SHARP * settings.tolerance } else { settings.tolerance };
        if report.sweeps >= settings.min_sweeps && report.residual <= tolerance {
            report.converged = true;
            break;
        }
    }
    guard_energy(island, unforced, before, settings, rolling, &mut report);
    report
}

/// Applies the impulses that the rows start from.
fn warm_start(island: &mut Island<'_>) {
    let Island { bodies, tensors, rows } = island;
    for row in rows.iter_mut() {
        let limit = row.static_friction * row.normal_impulse;
        let length = row.tangential_impulse.length();
        if length > limit {
            row.tangential_impulse *= limit / length;
        }
        let p = row.impulse();
        if p != DVec3::ZERO {
            row.apply(bodies, tensors, p);
        }
    }
}

/// One pass over all contacts; returns the largest change of a relative velocity.
fn sweep(island: &mut Island<'_>, rolling: bool) -> f64 {
    let Island { bodies, tensors, rows } = island;
    let mut squared = 0.0f64;
    for row in rows.iter_mut() {
        squared = squared.max(update(row, bodies, tensors));
        if rolling && (row.rolling_arm > 0.0 || row.torsional_arm > 0.0) {
            squared = squared.max(update_angular(row, bodies, tensors).powi(2));
        }
    }
    squared.sqrt()
}

/// One projected Gauss-Seidel update of a contact; returns the square of the change of its relative velocity.
#[inline(always)]
fn update(row: &mut Row, bodies: &mut [SolverBody], tensors: &[DMat3]) -> f64 {
    let u = row.relative_velocity(bodies);
    let u_n = row.normal.dot(u);
    let change = (-(u_n + row.bias) * row.mass_normal).max(-row.normal_impulse);
    let normal_impulse = row.normal_impulse + change;
    if normal_impulse == 0.0 && change == 0.0 {
        return 0.0;
    }
    row.normal_impulse = normal_impulse;
    let mut p = row.normal * change;
    let mut moved = change * row.k_normal;
    moved *= moved;
    if row.static_friction > 0.0 {
        let u_t = u - row.normal * u_n + row.coupling * change;
        let mut trial = row.tangential_impulse - u_t * row.mass_tangent;
        let length_squared = trial.length_squared();
        let limit = row.static_friction * normal_impulse;
        if length_squared > limit * limit {
            trial *= row.dynamic_friction * normal_impulse / length_squared.sqrt();
        }
        let step = trial - row.tangential_impulse;
        row.tangential_impulse = trial;
        p += step;
        moved = moved.max(step.length_squared() * row.k_tangent * row.k_tangent);
    }
    row.apply(bodies, tensors, p);
    moved
}

/// The same for the moments of rolling and torsional friction; returns the change of surface speed.
fn update_angular(row: &mut Row, bodies: &mut [SolverBody], tensors: &[DMat3]) -> f64 {
    let n = row.normal;
    let spin = bodies[row.a as usize].velocity.angular - bodies[row.b as usize].velocity.angular;
    let old = row.angular_impulse;
    let (old_n, old_t) = (n.dot(old), old - n * n.dot(old));
    let k_n = n.dot(row.angular_mobility(bodies, tensors, n));
    let t = n.any_orthonormal_vector();
    let s = n.cross(t);
    let (m_t, m_s) = (row.angular_mobility(bodies, tensors, t), row.angular_mobility(bodies, tensors, s));
    let (mean, half) = (0.5 * (t.dot(m_t) + s.dot(m_s)), 0.5 * (t.dot(m_t) - s.dot(m_s)));
    // The largest eigenvalue: a gradient step cannot overshoot, and does not depend on the choice of t and s.
    let k_t = mean + (half * half + s.dot(m_t) * s.dot(m_t)).sqrt();
    let limit_n = row.torsional_arm * row.normal_impulse;
    let new_n = (old_n - n.dot(spin) / k_n).clamp(-limit_n, limit_n);
    let mut new_t = old_t - (spin - n * n.dot(spin)) / k_t;
    let limit_t = row.rolling_arm * row.normal_impulse;
    let length = new_t.length();
    if length > limit_t {
        new_t *= limit_t / length;
    }
    row.angular_impulse = n * new_n + new_t;
    let change = row.angular_impulse - old;
    row.apply_angular(bodies, tensors, change);
    change.length() * k_t * row.arm_a.length().min(row.arm_b.length()).max(row.rolling_arm.max(row.torsional_arm))
}

/// Share of the tolerance to which islands converge that are small enough. A block on a slope of 20 degrees with friction 1.05 times
/// its tangent crept 4.5e-6 m without, nearly all in the first step, which has no warm start; 1.2e-10 m with.
const SHARP: f64 = 1e-6;

/// Sweeps between two looks at the energy: a look costs as much as a sweep.
const SWEEPS_PER_LOOK: u32 = 10;

/// The energy bound of the module's head: sweeps on, then scales.
fn guard_energy(
    island: &mut Island<'_>,
    unforced: &[Velocity],
    before: &[Velocity],
    settings: &StageSettings,
    rolling: bool,
    report: &mut StageReport,
) {
    let mut ledger = ledger(island, unforced, before);
    while ledger.keeps_sweeping(settings, report.sweeps) {
        for _ in 0..SWEEPS_PER_LOOK {
            report.residual = sweep(island, rolling);
        }
        report.sweeps += SWEEPS_PER_LOOK;
        ledger = self::ledger(island, unforced, before);
    }
    // Rounding of the sum itself is no gain: the scale is the sum of the magnitudes.
    if ledger.taken() < -ROUNDING * ledger.magnitude {
        report.scale = (2.0 * ledger.approach / (ledger.approach - ledger.departure())).clamp(0.0, 1.0);
        rescale(island, before, report.scale);
        ledger = self::ledger(island, unforced, before);
    }
    report.normal_work = ledger.normal;
    report.friction_work = ledger.friction;
    report.driven_work = ledger.driven;
}

/// Rounding that a sum over the contacts of an island may carry, relative to the sum of magnitudes.
const ROUNDING: f64 = 1e-14;

/// Energy bookkeeping of the impulses of an island.
#[derive(Clone, Copy, Debug, Default)]
struct Ledger {
    normal: f64,
    friction: f64,
    driven: f64,
    magnitude: f64,
    /// `-sum P.u-`: what the impulses would take if they were infinitesimal, times their size.
    approach: f64,
    /// `sum P.(u0 + u+)/2`: the change of E*.
    rise: f64,
}

impl Ledger {
    /// Whether the energy asks for more sweeps.
    fn keeps_sweeping(&self, settings: &StageSettings, sweeps: u32) -> bool {
        let gained = self.taken() < 0.0 || self.rise > settings.rise;
        (gained && sweeps < settings.most_sweeps) || (self.rise > settings.trace && sweeps < settings.more_sweeps)
    }

    /// Kinetic energy taken from the relative motion \[J\].
    fn taken(&self) -> f64 {
        self.normal + self.friction
    }

    /// `-sum P.u+`, from `taken = (approach + departure)/2`. Impulses scaled by s take `s approach - s^2 P.GP/2` with
    /// `P.GP = approach - departure`, which is zero at `s = 2 approach / (approach - departure)`.
    fn departure(&self) -> f64 {
        2.0 * self.taken() - self.approach
    }
}

/// The energy that the impulses of the rows took, by contact and in total.
fn ledger(island: &Island<'_>, unforced: &[Velocity], before: &[Velocity]) -> Ledger {
    let mut sum = Ledger::default();
    for row in island.rows.iter() {
        let (a, b) = (row.a as usize, row.b as usize);
        let u_before = before[a].at(row.arm_a) - before[b].at(row.arm_b);
        let u_after = row.relative_velocity(island.bodies);
        let (n, p_t, l) = (row.normal, row.tangential_impulse, row.angular_impulse);
        let spin_before = before[a].angular - before[b].angular;
        let spin_after = island.bodies[a].velocity.angular - island.bodies[b].velocity.angular;
        let normal = -0.5 * row.normal_impulse * n.dot(u_before + u_after);
        let friction = -0.5 * (p_t.dot(u_before + u_after) + l.dot(spin_before + spin_after));
        sum.normal += normal;
        sum.friction += friction;
        sum.magnitude += normal.abs() + friction.abs();
        sum.approach -= row.impulse().dot(u_before) + l.dot(spin_before);
        sum.driven += driven_work(row, island.bodies);
        let u_unforced = unforced[a].at(row.arm_a) - unforced[b].at(row.arm_b);
        let spin_unforced = unforced[a].angular - unforced[b].angular;
        sum.rise += 0.5 * (row.impulse().dot(u_unforced + u_after) + l.dot(spin_unforced + spin_after));
    }
    sum
}

/// Work that a driven body does through the impulse of a row on the kinetic energy \[J\]: its velocity times the impulse on the
/// other body.
pub fn driven_work(row: &Row, bodies: &[SolverBody]) -> f64 {
    work_at(row, bodies, |body| bodies[body as usize].velocity)
}

/// The same on E*: with the mean of the driven body's velocities before the step (`unforced`) and in it.
///
/// A body that rides on a floor from velocity V0 to V1 takes the impulse `P = m (V1 - V0) + m g dt`; its E* changes by
/// `m (V1^2 - V0^2)/2 + m g V1 dt - (dt/2) m g (V1 - V0) = P (V0 + V1)/2`. Booked with V1 alone, a floor shaken at 60 Hz seemed
/// to make energy of nothing, 7e-3 of what had been dissipated.
pub fn driven_work_on_star(row: &Row, bodies: &[SolverBody], unforced: &[Velocity]) -> f64 {
    let before = work_at(row, bodies, |body| unforced[body as usize]);
    0.5 * (before + driven_work(row, bodies))
}

/// The impulse of a row times the velocity, as given, of those of its bodies that no impulse moves.
fn work_at(row: &Row, bodies: &[SolverBody], velocity: impl Fn(u32) -> Velocity) -> f64 {
    let p = row.impulse();
    let by = |body: u32, arm: DVec3| {
        if bodies[body as usize].inverse_mass == 0.0 { p.dot(velocity(body).at(arm)) } else { 0.0 }
    };
    by(row.b, row.arm_b) - by(row.a, row.arm_a)
}

/// Replaces all impulses by `scale` times their value, starting again from the velocities before.
fn rescale(island: &mut Island<'_>, before: &[Velocity], scale: f64) {
    let Island { bodies, tensors, rows } = island;
    for (body, velocity) in bodies.iter_mut().zip(before) {
        body.velocity = *velocity;
    }
    for row in rows.iter_mut() {
        row.normal_impulse *= scale;
        row.tangential_impulse *= scale;
        row.angular_impulse *= scale;
        row.apply(bodies, tensors, row.impulse());
        if row.angular_impulse != DVec3::ZERO {
            row.apply_angular(bodies, tensors, row.angular_impulse);
        }
    }
}
