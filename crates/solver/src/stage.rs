//! The contact stage: all contacts of an island at once, inelastic, with Coulomb's cone.
//!
//! The stage looks for impulses with
//!
//! ```text
//! 0 <= P_n   perp   u_n+ + max(gap, 0)/dt >= 0                     (Signorini, with the gap known before touch)
//! |P_t| <= mu_s P_n with u_t+ = 0,   or   P_t = -mu_d P_n u_t+/|u_t+|        (Coulomb, isotropic)
//! ```
//!
//! by projected Gauss-Seidel: class after class of contacts that share no body, in a fixed order, in a large island
//! block by block ([`crate::contact::blocks`]); the normal impulse by the exact normal mobility `k = n.K n`, then the
//! tangential impulse by a gradient step of length `1/k_t` (the largest eigenvalue of K in the tangent plane) projected
//! radially onto the disk. The radial projection of a gradient step has Coulomb's law as its only fixed point; a Newton
//! step with the full 2 x 2 block converges in fewer sweeps but its fixed point lets friction act at an angle to the
//! sliding velocity whenever the block is not isotropic, so it was rejected.
//!
//! Rolling and torsional friction bound a moment in the same way: `|L_roll| <= c_r R P_n` against the relative angular
//! velocity in the tangent plane, `|L_n| <= c_t R P_n` about the normal.
//!
//! **Over-relaxation.** In large islands of like bodies a normal impulse is changed by 1.3 times what would bring its
//! contact to its aim, and then put within its bounds (projected successive over-relaxation, Cryer 1971, which has the
//! same fixed point and converges for factors up to 2). What a sweep leaves falls faster by it where loads have to go
//! through many layers. Tangential impulses keep their step, which is safe as it is. Where a
//! rise of energy asks for more sweeps the factor grows with their number (`sweep::relaxation_after`). Measured in
//! `docs/experiments/lean-step.md`.
//!
//! **Energy.** With the final impulses P the stage changes the kinetic energy by exactly `sum P.(u- + u+)/2`, whatever
//! the order of sweeps or the warm start. At the exact solution each term is at most zero. A stage that stops early may
//! miss that: then it sweeps on, unless it has nothing left to change, and as a last resort all impulses of the island
//! are scaled back to the point where the energy equals what came in ([`StageReport::scale`] below 1).
//!
//! Under gravity the quantity to watch is `E* = kinetic + potential + (dt/2) sum m g.v`, which symplectic Euler keeps
//! exactly in flight. The stage changes it by `sum P.(u0 + u+)/2` with `u0` the velocity before the forces of the step,
//! since what gravity adds to `u` within the step is just what the last term of E* takes away. A pack whose load path
//! has just vanished (a dividing wall is taken out) starts from impulses that are all wrong, and a stage cut short
//! there leaves contacts that push and open at once: E* rose by 7e-5 of the energy dissipated so far in the steps after
//! the removal. So a stage also sweeps on, up to `most_sweeps`, while it raises E* by more than `rise`. Far smaller
//! rises matter too, when they come in every step: a column of seven cubes in the corner of a settled pack swayed at 1
//! cm/s for as long as it was watched, fed by a stage that stopped where the last sweep changed little while the slow
//! mode of the column was still far off. Hence the second pair, `trace` and `more_sweeps`.
//!
//! **Stacks.** The slow modes of a tall column are beyond what sweeps can do. A small island at rest that thirty sweeps
//! have not made sharp is solved at once, see `stage/newton.rs`; with sweeps alone a tower of thirty cubes leaned by 5
//! to 25 % of an edge in 10 s.
//!
//! **Precision.** Large islands are swept in single precision, as an inner iteration only: what it finds is impulses,
//! and velocities and energies are computed from these in double precision; see `stage/refine.rs`.
//!
//! **Termination.** At most `most_sweeps` sweeps, then the scaling; no loop depends on convergence.

mod body;
mod colour;
mod conjugate;
mod held;
mod lanes;
mod ledger;
mod motion;
mod newton;
mod packs;
mod real;
mod refine;
#[cfg(test)]
mod sample;
mod settings;
mod skyline;
mod stop;
mod sweep;
mod traffic;
mod units;

use granule_model::{DVec3, Velocity};

use self::ledger::ledger;
pub use self::ledger::{carried_round, driven_work, driven_work_on_star};
pub use self::refine::Packs;
pub use self::settings::{StageReport, StageSettings, SweepCounts};
use self::stop::{Ended, SHARP, StopRule};
use self::sweep::Task;
use crate::contact::island::Island;
use crate::contact::memory::make_room;

/// Solves the island from the velocities and warm-start impulses it holds.
///
/// `unforced` are the velocities before the forces of the step, of driven bodies those of the step before; `before`
/// receives those of the bodies as they came in. Afterwards the bodies hold the new velocities and the rows the
/// impulses.
pub fn solve(
    island: &mut Island<'_>,
    settings: &StageSettings,
    unforced: &[Velocity],
    before: &mut Vec<Velocity>,
    packs: &mut Packs,
) -> StageReport {
    before.clear();
    make_room(before, island.bodies.len());
    before.extend(island.bodies.iter().map(|b| b.velocity));
    let mut report = StageReport { scale: 1.0, ..StageReport::default() };
    find_impulses(island, before, settings, packs, &mut report);
    if drift_without_work(island, unforced, settings.tolerance) {
        island.bodies.iter_mut().zip(&*before).for_each(|(body, before)| body.velocity = *before);
        // No stage starts from moments of rolling and torsion.
        island.rows.iter_mut().for_each(|row| row.angular_impulse = DVec3::ZERO);
        let made = report.sweeps;
        report = StageReport { scale: 1.0, ..StageReport::default() };
        find_impulses(island, before, settings, packs, &mut report);
        report.sweeps += made;
    }
    guard_energy(island, unforced, before, settings, packs, &mut report);
    report.swept = SweepCounts::new(report.sweeps, island.rows.len(), packs.traffic(island.blocks.len()));
    report
}

/// Looks for the impulses of the stage from those of the rows, with the bodies at the velocities `before`.
fn find_impulses(
    island: &mut Island<'_>,
    before: &[Velocity],
    settings: &StageSettings,
    packs: &mut Packs,
    report: &mut StageReport,
) {
    packs.load(island);
    packs.pass(island.blocks, Task::WarmStart);
    let mut ended = sweep(island, settings, packs, report, SLOW);
    if ended == Ended::Slow {
        go_straight(island, before, settings, packs, report);
        if !report.converged {
            ended = sweep(island, settings, packs, report, u32::MAX);
        }
    }
    packs.store(island, before);
    if ended == Ended::Lost {
        match packs.hold_friction(island, before, report.residual) {
            Some(residual) => (report.residual, report.held) = (residual, true),
            None => {
                sweep(island, settings, packs, report, u32::MAX);
                packs.store(island, before);
            }
        }
    }
}

/// What the drift of a contact is made larger by that takes the place of one that does work, so that rounding to single
/// precision leaves none.
const BEYOND: f64 = 1.0 + 1e-6;

/// Bodies that can move, up to which what comes slowly leaves as it came: a block that rocks, or one on another.
const ROCKERS: usize = 2;

/// Lets contacts whose impulse would do work on E* because their drift changes from step to step leave with the
/// opposite of the velocity with which they came, with which they do none; whether there are any. That is the drift but
/// for what is of third order. After impacts within a step, and where steps change their length, contacts come by more:
/// up to `slow` \[m/s\] they do so as well, where at most [`ROCKERS`] bodies can move: among five the overlap of one
/// came to 1.19 % of its thickness in place of 1.003 %. Of 60 pairs of blocks that rock nine gained up to 2.8e-4 of
/// what they had dissipated without. Driven bodies that turn may do work.
fn drift_without_work(island: &mut Island<'_>, unforced: &[Velocity], slow: f64) -> bool {
    let slow = if island.movable().count() <= ROCKERS { slow } else { 0.0 };
    let Island { bodies, rows, .. } = island;
    let mut any = false;
    for row in rows.iter_mut().filter(|row| row.drift != [0.0; 3] && !row.is_carried_round(bodies)) {
        let came = row.velocity_at(unforced);
        let is_near = (came - row.drift()).length() <= row.drift().length().max(slow);
        if is_near && row.impulse().dot(came + row.relative_velocity(bodies)) > 0.0 {
            row.drift = (came * BEYOND).as_vec3().to_array();
            any = true;
        }
    }
    any
}

/// Sweeps over an impact, which has no gaps, no forces and no blocks: towards the normal velocities `-bias` of the
/// rows, with friction bounded by boxes of dynamic friction along `axes`, one for each row, and across them. Afterwards
/// the rows hold the impulses; the velocities of the bodies are left as they were. Returns the number of sweeps, at
/// most `most_sweeps`, and the largest change of a relative velocity in the last one \[m/s\], which is above
/// `tolerance` where the sweeps did not converge.
pub(crate) fn sweep_impact(
    island: &mut Island<'_>,
    axes: &[DVec3],
    tolerance: f64,
    most_sweeps: u32,
    packs: &mut Packs,
) -> (u32, f64) {
    let fastest = island.bodies.iter().map(|b| b.velocity.linear.length()).fold(0.0, f64::max);
    packs.load_impact(island, axes, tolerance >= COARSE * fastest);
    packs.pass(island.blocks, Task::WarmStart);
    let (mut sweeps, mut change) = (0, f64::INFINITY);
    while sweeps < most_sweeps && change > tolerance {
        change = packs.sweep_on(island.blocks);
        sweeps += 1;
    }
    packs.store_impulses(island);
    (sweeps, change)
}

/// Tolerance, over the largest speed of a body, from which on single precision will do.
const COARSE: f64 = 1e-4;

/// Sweeps after which, again and again, contacts that slide are held by dynamic friction until the stage ends. Where
/// static friction is more than dynamic friction sweeps may go round for ever: a contact that is let go is caught again
/// by static friction, pulls beyond it, and is let go. Found by trial. What static friction could hold, but slid in
/// that sweep, slides in this step.
const SWEEPS_PER_SLIDE: u32 = 50;
/// Sweeps after which a small island at rest is slow.
const SLOW: u32 = 30;
/// The sweeps, until the [`StopRule`] ends them. Ends after `slow` of them where Newton steps may do better.
fn sweep(
    island: &Island<'_>,
    settings: &StageSettings,
    packs: &mut Packs,
    report: &mut StageReport,
    slow: u32,
) -> Ended {
    let mut rule = StopRule::new(settings, island, packs.are_unlike(), slow);
    while rule.allows(report.sweeps) {
        report.residual =
            if rule.accelerates() { packs.sweep_on(island.blocks) } else { packs.pass(island.blocks, Task::Sweep) };
        report.sweeps += 1;
        if report.sweeps.is_multiple_of(SWEEPS_PER_SLIDE) {
            packs.let_slide();
        }
        let judged = rule.judge(report, || packs.depth(), || newton::is_small(island));
        if judged.begins_directions {
            packs.begin_directions();
        }
        if let Some(ended) = judged.ended {
            return ended;
        }
    }
    Ended::Here
}

/// How often Newton steps are asked.
const STRAIGHT: u32 = 3;

/// Takes Newton steps while sweeps say that they come nearer to the answer.
fn go_straight(
    island: &mut Island<'_>,
    before: &[Velocity],
    settings: &StageSettings,
    packs: &mut Packs,
    report: &mut StageReport,
) {
    for _ in 0..STRAIGHT {
        if !packs.leap(island, before) {
            return;
        }
        let residual = packs.pass(island.blocks, Task::Sweep);
        report.sweeps += 1;
        if residual >= report.residual {
            packs.leap_back(island, before);
            return;
        }
        report.residual = residual;
        if residual <= SHARP * settings.tolerance {
            report.converged = true;
            return;
        }
    }
}

/// Sweeps between two looks at the energy: a look costs as much as a sweep.
const SWEEPS_PER_LOOK: u32 = 10;

/// The energy bound of the module's head: sweeps on, then scales. Small islands sweep on by conjugate gradients: where
/// a ball lies on others a thousand times lighter, a thousand plain sweeps left 0.17 m/s and a rise of E* by 3.7e-4 of
/// the energy dissipated; with them it rises by 7.5e-6. In large islands of one size the factor of the sweeps grows.
/// None of it helps where what is left is rounding: ten layers of balls at rest took 110 sweeps a step for it.
fn guard_energy(
    island: &mut Island<'_>,
    unforced: &[Velocity],
    before: &[Velocity],
    settings: &StageSettings,
    packs: &mut Packs,
    report: &mut StageReport,
) {
    let mut book = ledger(island, settings.dt, unforced, before, packs.ledgers(island.blocks.len()));
    let mut straight = newton::is_small(island);
    while book.keeps_sweeping(settings, report.sweeps) && !report.held {
        if report.residual <= packs.exact(island, settings.tolerance) {
            break;
        }
        packs.resume(island);
        if std::mem::take(&mut straight) {
            go_straight(island, before, settings, packs, report);
        }
        let accelerates = packs.are_worth_directions();
        if accelerates {
            packs.begin_directions();
        } else {
            packs.relax(island, report.sweeps);
        }
        for _ in 0..SWEEPS_PER_LOOK {
            report.residual =
                if accelerates { packs.sweep_on(island.blocks) } else { packs.pass(island.blocks, Task::Sweep) };
        }
        packs.store(island, before);
        report.sweeps += SWEEPS_PER_LOOK;
        book = ledger(island, settings.dt, unforced, before, packs.ledgers(island.blocks.len()));
    }
    // Rounding of the sum itself is no gain: the scale is the sum of the magnitudes.
    if book.taken() + book.carried < -ROUNDING * book.magnitude {
        report.reached = island.rows.iter().map(|row| row.normal_impulse).fold(0.0, f64::max);
        report.scale = (2.0 * book.approach / (book.approach - book.departure())).clamp(0.0, 1.0);
        rescale(island, before, report.scale);
        book = ledger(island, settings.dt, unforced, before, packs.ledgers(island.blocks.len()));
    }
    // What no number of sweeps brings down where bodies differ in size: impulses scaled by s change E* by
    // `s (rise - B) + s^2 B`, with `B = P.GP/2`. Bodies of one size do without: scaled back like that a hundred spheres
    // came to rest after 6.1 s instead of 3.1 s.
    let stiffness = 0.5 * (book.approach - book.departure());
    if packs.are_unlike() && book.gained() > settings.trace && stiffness > 0.0 {
        let scale = (1.0 - book.gained() / stiffness).clamp(0.0, 1.0);
        report.scale *= scale;
        rescale(island, before, scale);
        book = ledger(island, settings.dt, unforced, before, packs.ledgers(island.blocks.len()));
    }
    report.normal_work = book.normal;
    report.friction_work = book.friction;
    report.driven_work = book.driven;
    report.star_work = -book.rise;
    report.star_friction = book.star_friction;
    report.is_deep = book.is_deep;
}

/// Rounding that a sum over the contacts of an island may carry, relative to the sum of magnitudes.
const ROUNDING: f64 = 1e-14;

/// Replaces all impulses by `scale` times their value, starting again from the velocities before.
fn rescale(island: &mut Island<'_>, before: &[Velocity], scale: f64) {
    let Island { bodies, tensors, rows, .. } = island;
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
