//! The contact stage: all contacts of an island at once, inelastic, with Coulomb's cone.
//!
//! The stage looks for impulses with
//!
//! ```text
//! 0 <= P_n   perp   u_n+ + max(gap, 0)/dt >= 0                     (Signorini, with the gap known before touch)
//! |P_t| <= mu_s P_n with u_t+ = 0,   or   P_t = -mu_d P_n u_t+/|u_t+|        (Coulomb, isotropic)
//! ```
//!
//! by projected Gauss-Seidel: class after class of contacts that share no body, in a fixed order, in a large island block by block
//! ([`crate::contact::blocks`]); the normal impulse by the
//! exact normal mobility `k = n.K n`, then the tangential impulse by a gradient step of length `1/k_t` (the largest eigenvalue of K in the
//! tangent plane) projected radially onto the disk. The radial projection of a gradient step has Coulomb's law as its only
//! fixed point; a Newton step with the full 2 x 2 block converges in fewer sweeps but its fixed point lets friction act at
//! an angle to the sliding velocity whenever the block is not isotropic, so it was rejected.
//!
//! Rolling and torsional friction bound a moment in the same way: `|L_roll| <= c_r R P_n` against the relative angular
//! velocity in the tangent plane, `|L_n| <= c_t R P_n` about the normal.
//!
//! **Energy.** With the final impulses P the stage changes the kinetic energy by exactly `sum P.(u- + u+)/2`, whatever the
//! order of sweeps or the warm start. At the exact solution each term is at most zero. A stage that stops early may
//! miss that: then it sweeps on, unless it has nothing left to change, and as a last resort all impulses of the island are scaled
//! back to the point where the energy equals what came in ([`StageReport::scale`] below 1).
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
//! **Stacks.** The slow modes of a tall column are beyond what sweeps can do. A small island at rest that thirty sweeps have not made sharp is solved
//! at once, see `stage/newton.rs`; with sweeps alone a tower of thirty cubes leaned by 5 to 25 % of an edge in 10 s.
//!
//! **Precision.** Large islands are swept in single precision, as an inner iteration only: what it finds is impulses, and
//! velocities and energies are computed from these in double precision; see `stage/refine.rs`.
//!
//! **Termination.** At most `most_sweeps` sweeps, then the scaling; no loop depends on convergence.

mod colour;
mod conjugate;
mod held;
mod lanes;
mod newton;
mod packs;
mod real;
mod refine;
#[cfg(test)]
mod sample;
mod skyline;
mod sweep;
mod units;

use granule_model::{DVec3, Velocity};

pub use self::refine::Packs;
use self::sweep::Task;
use crate::contact::blocks::{self, Set};
use crate::contact::island::{Island, Row, SolverBody};
use crate::contact::memory::make_room;

/// When the stage of an island is good enough. What depends on speeds, energies or friction is that of the island alone.
#[derive(Clone, Copy, Debug)]
pub struct StageSettings {
    /// The largest change of a relative velocity in the last sweep that counts as converged \[m/s\].
    pub tolerance: f64,
    /// Largest change in the last sweep beyond which more sweeps than `min_sweeps` do not help \[m/s\]; infinite to try in any case.
    pub violent: f64,
    /// Largest change of a relative velocity in the last sweep, over the contact's radius, beyond which bodies would end up too deep in each
    /// other \[1/s\]; infinite where that does not matter.
    pub deep: f64,
    /// Sweeps that are made in any case.
    pub min_sweeps: u32,
    /// Sweeps after which a stage that raises no energy ends.
    pub max_sweeps: u32,
    /// The same for a stage that is still `deep`.
    pub deep_sweeps: u32,
    /// Sweeps after which the stage ends in any case.
    pub most_sweeps: u32,
    /// Updates of contacts that an island may always spend: while it has made fewer it converges to a millionth of the
    /// tolerance. Exact rest of a few bodies costs little; of a pack it would cost ten times the time.
    pub small_work: u32,
    /// The same for an island in which no body is held, so that nothing rests in it.
    pub loose_work: u32,
    /// Change of a relative velocity in the first sweep beyond which the stage is that of an impact \[m/s\]: it need not be as sharp then.
    pub hit: f64,
    /// Rise of E* that keeps a stage sweeping up to `most_sweeps` \[J\].
    pub rise: f64,
    /// Sweeps after which a stage ends whose rise is below `rise`.
    pub more_sweeps: u32,
    /// Rise of E* that keeps a stage sweeping up to `more_sweeps` \[J\].
    pub trace: f64,
}

impl StageSettings {
    /// Updates of contacts that an island may always spend.
    fn work(&self, island: &Island<'_>) -> u32 {
        let is_held = island.bodies.iter().any(|body| body.inverse_mass == 0.0);
        if is_held { self.small_work } else { self.loose_work }
    }
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
    /// Largest normal impulse that had been reached when they were scaled back \[N s\]; 0 where none was.
    pub reached: f64,
    /// Whether the sweeps did not settle and the limits of friction were held in turn.
    pub held: bool,
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
    packs: &mut Packs,
) -> StageReport {
    before.clear();
    make_room(before, island.bodies.len());
    before.extend(island.bodies.iter().map(|b| b.velocity));
    packs.load(island);
    packs.pass(island.blocks, Task::WarmStart);
    let mut report = StageReport { scale: 1.0, ..StageReport::default() };
    let mut ended = sweep(island, settings, packs, &mut report, SLOW);
    if ended == Ended::Slow {
        go_straight(island, before, settings, packs, &mut report);
        if !report.converged {
            ended = sweep(island, settings, packs, &mut report, u32::MAX);
        }
    }
    packs.store(island, before);
    if ended == Ended::Lost {
        match packs.hold_friction(island, before, report.residual) {
            Some(residual) => (report.residual, report.held) = (residual, true),
            None => {
                sweep(island, settings, packs, &mut report, u32::MAX);
                packs.store(island, before);
            }
        }
    }
    guard_energy(island, unforced, before, settings, packs, &mut report);
    report
}

/// Sweeps over an impact, which has no gaps, no forces and no blocks: towards the normal velocities `-bias` of the rows, with friction bounded by
/// boxes of dynamic friction along `axes`, one for each row, and across them. Afterwards the rows hold the impulses; the velocities of
/// the bodies are left as they were. Returns the number of sweeps, at most `most_sweeps`, and the largest change of a relative
/// velocity in the last one \[m/s\], which is above `tolerance` where the sweeps did not converge.
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

/// The sweeps, until they have converged or more would not help.
///
/// Where grains rain on a bed, pressure has to go through all of it, and a sweep takes away a hundredth of the error. A stage that
/// is still `violent` after `min_sweeps` stops there, unless it is so far off that overlaps grow by it: that is `deep`, and a step
/// whose overlap grows too much is thrown away and made again in halves, at the price of 200 sweeps. 10 000 spheres that land, largest
/// overlap, steps divided in 15, and processor seconds of 6 s, with 20 sweeps, with up to 60 for what is off by more than 0.9 g dt, 0.5 g dt,
/// and for all that is violent: 0.84 %, 11, 7.3; 0.79 %, 0, 6.1; 0.72 %, 0, 6.1; 0.77 %, 0, 8.6.
/// The second with conjugate gradients from the 21st sweep on: 0.68 %, 0, 6.3.
///
/// Small islands are swept on until they are sharp ([`StageSettings::small_work`]), in an impact by conjugate gradients: what takes 120
/// sweeps where columns of five to fifteen contacts land takes 43. At rest plain sweeps stay, which come nearer to the exact answer: a ball that
/// spins on three cubes tips by 1e-8 of its spin in 4 s otherwise.
///
/// Where bodies differ in size sweeps are slow for another reason: a light body between heavy ones passes on little of what it is given in a sweep.
/// Islands whose contacts differ in radius take their sweeps as steps of conjugate gradients from the sixth on, rolling friction or not, and do not stop
/// where they are violent. 1000 balls of 10:1 in radius and density with rolling friction, divided steps of 1395, largest overlap, work of the drift
/// correction, largest rise of E* over what was dissipated, and processor seconds: 493, 0.97 %, 11.0 J, 7e-8, 7.2 without; 283, 0.95 %, 5.3 J,
/// 1.5e-10, 8.0 with; up to 60 of them 313, 0.86 %, 4.9 J, 1.5e-10, 8.2; up to 60 plain ones 481, 0.93 %, 9.0 J, 5e-7, 8.1.
///
/// Newton steps are asked in their impacts as well: a cube of 1 m that lands at 8 m/s on balls of 5 mm overlapped by 1.1 to 1.6 % of their radius at the
/// automatic step and by 3.4 to 11 % at 1 ms; with them by less than 1 and by 1.02 %.
///
/// The same holds where a driven body presses: what it does is unbounded. 200 balls with rolling friction and a blade at 0.6 m/s that piles them up, which
/// ended violent in 20 sweeps with errors of up to 0.8 m/s, reached 1376 J of kinetic energy where there had been 7; now 92 J, in 0.4 of the time.
///
/// Tried and left out, for islands of bodies of one size:
///
/// * Sweeps as steps of a conjugate gradient method (`conjugate`), 12 of them at least instead of 20. 540 spheres overlap by 0.58 instead of
///   0.64 %, and 177 instead of 462 move faster than 1 cm/s after 6 s, 9 instead of 16 after 8 s. 10 000 overlap by 0.75 instead of 0.65 %,
///   and 134 instead of 99 move so after 8 s; their run took the same time, for laying out and bookkeeping cost more than the sweeps
///   that are saved. With 20 sweeps of 540 at rest small rises of E* of either sign keep the stage sweeping, up to 200.
/// * Updating only the contacts of bodies that have just changed. Of 1300 contacts of a settled pack 40 move by more than the
///   tolerance in the first sweep, but what it takes to know them costs as much as their updates.
///
/// Ends after `slow` sweeps where Newton steps may do better.
fn sweep(
    island: &Island<'_>,
    settings: &StageSettings,
    packs: &mut Packs,
    report: &mut StageReport,
    slow: u32,
) -> Ended {
    let budget = settings.work(island) / island.rows.len().max(1) as u32;
    let mut sharp = SHARP * settings.tolerance;
    let mut accelerates = false;
    let is_driven = |body: &SolverBody| body.inverse_mass == 0.0 && body.velocity != Velocity::ZERO;
    // Sweeps pass little on where sizes differ, and may not end early where a driven body presses.
    let passes_little = packs.are_unlike() || island.bodies.iter().any(is_driven);
    // Newton steps leave out what resists rolling and torsion.
    let straight = passes_little && !island.rows.iter().any(|row| row.rolling_arm > 0.0 || row.torsional_arm > 0.0);
    while report.sweeps < settings.deep_sweeps.max(budget) {
        report.residual =
            if accelerates { packs.sweep_on(island.blocks) } else { packs.pass(island.blocks, Task::Sweep) };
        report.sweeps += 1;
        if report.sweeps.is_multiple_of(SWEEPS_PER_SLIDE) {
            packs.let_slide();
        }
        if report.sweeps == 1 && report.residual > settings.hit {
            sharp = sharp.max(SHARP_IN_IMPACTS * report.residual);
        }
        let is_impact = sharp > SHARP * settings.tolerance;
        if is_impact && report.sweeps == settings.min_sweeps && report.sweeps < budget {
            packs.begin_directions();
            accelerates = true;
        }
        // After Newton steps that did not end it the stage goes on so; where there were none, plain sweeps are as good.
        let goes_on = straight && report.sweeps > PLAIN_IF_UNLIKE;
        if passes_little && !accelerates && (report.sweeps == PLAIN_IF_UNLIKE || goes_on) {
            packs.begin_directions();
            accelerates = true;
        }
        let tolerance = if report.sweeps < budget { sharp } else { settings.tolerance };
        report.converged = report.residual <= tolerance;
        if report.residual <= EXACT * settings.tolerance {
            break;
        }
        if report.sweeps < settings.min_sweeps {
            continue;
        }
        let ends = (report.residual > settings.violent && !passes_little) || report.sweeps >= settings.max_sweeps;
        if report.converged || (ends && report.sweeps >= budget && packs.depth() <= settings.deep) {
            break;
        }
        if (slow..budget).contains(&report.sweeps) && (!is_impact || straight) && newton::is_small(island) {
            return Ended::Slow;
        }
        if report.sweeps == LOST && island.rows.len() <= FEW && packs.depth() > settings.deep {
            return Ended::Lost;
        }
    }
    Ended::Here
}

/// How sweeps ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// Converged, or more are not worth it.
    Here,
    /// At rest and slow: Newton steps may do better.
    Slow,
    /// Far off after [`LOST`] sweeps.
    Lost,
}

/// Sweeps after which, again and again, contacts that slide are held by dynamic friction until the stage ends. Where static friction is
/// more than dynamic friction sweeps may go round for ever: a contact that is let go is caught again by static friction, pulls beyond it, and is let go.
/// Found by trial. What static friction could hold, but slid in that sweep, slides in this step.
const SWEEPS_PER_SLIDE: u32 = 50;
/// Sweeps after which the limits of friction are held where bodies would still end up too deep in each other, in an island of at most so many contacts.
const LOST: u32 = 200;
const FEW: usize = 400;
/// Plain sweeps before those of a conjugate gradient method where bodies differ in size.
const PLAIN_IF_UNLIKE: u32 = 5;
/// Sweeps after which a small island at rest is slow.
const SLOW: u32 = 30;
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

/// Share of the tolerance to which islands converge that are small enough. A block on a slope of 20 degrees with friction 1.05 times
/// its tangent crept 4.5e-6 m without, nearly all in the first step, which has no warm start; 1.2e-10 m with.
const SHARP: f64 = 1e-6;
/// Share of the first sweep's change to which they converge in an impact. A column of five balls that lands took 400 sweeps to be exact to a
/// hundred-millionth of its speed.
const SHARP_IN_IMPACTS: f64 = 1e-4;

/// Share of the tolerance at which nothing is left to change: a stage ends there before its least number of sweeps. A single contact is there after two; 300 of them are in a step of a
/// shaken layer of 6000. A tower of three cubes with a ball that spins on it tips by 3e-8 of the spin with `SHARP` instead.
const EXACT: f64 = 1e-10;

/// Sweeps between two looks at the energy: a look costs as much as a sweep.
const SWEEPS_PER_LOOK: u32 = 10;

/// The energy bound of the module's head: sweeps on, then scales. Small islands sweep on by conjugate gradients: where a ball lies on others a thousand
/// times lighter, a thousand plain sweeps left 0.17 m/s and a rise of E* by 3.7e-4 of the energy dissipated; with them it rises by 7.5e-6.
fn guard_energy(
    island: &mut Island<'_>,
    unforced: &[Velocity],
    before: &[Velocity],
    settings: &StageSettings,
    packs: &mut Packs,
    report: &mut StageReport,
) {
    let mut ledger = ledger(island, unforced, before, packs);
    let mut straight = newton::is_small(island);
    while ledger.keeps_sweeping(settings, report.sweeps) && report.residual > EXACT * settings.tolerance && !report.held
    {
        packs.resume(island);
        if std::mem::take(&mut straight) {
            go_straight(island, before, settings, packs, report);
        }
        let accelerates = packs.are_worth_directions();
        if accelerates {
            packs.begin_directions();
        }
        for _ in 0..SWEEPS_PER_LOOK {
            report.residual =
                if accelerates { packs.sweep_on(island.blocks) } else { packs.pass(island.blocks, Task::Sweep) };
        }
        packs.store(island, before);
        report.sweeps += SWEEPS_PER_LOOK;
        ledger = self::ledger(island, unforced, before, packs);
    }
    // Rounding of the sum itself is no gain: the scale is the sum of the magnitudes.
    if ledger.taken() < -ROUNDING * ledger.magnitude {
        report.reached = island.rows.iter().map(|row| row.normal_impulse).fold(0.0, f64::max);
        report.scale = (2.0 * ledger.approach / (ledger.approach - ledger.departure())).clamp(0.0, 1.0);
        rescale(island, before, report.scale);
        ledger = self::ledger(island, unforced, before, packs);
    }
    // What no number of sweeps brings down where bodies differ in size: impulses scaled by s change E* by `s (rise - B) + s^2 B`, with `B = P.GP/2`.
    // Bodies of one size do without: scaled back like that a hundred spheres came to rest after 6.1 s instead of 3.1 s.
    let stiffness = 0.5 * (ledger.approach - ledger.departure());
    if packs.are_unlike() && ledger.rise > settings.trace && stiffness > 0.0 {
        let scale = (1.0 - ledger.rise / stiffness).clamp(0.0, 1.0);
        report.scale *= scale;
        rescale(island, before, scale);
        ledger = self::ledger(island, unforced, before, packs);
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
fn ledger(island: &mut Island<'_>, unforced: &[Velocity], before: &[Velocity], packs: &mut Packs) -> Ledger {
    let Island { bodies, rows, blocks, .. } = island;
    let book = Book { bodies, unforced, before };
    let ledgers = packs.ledgers(blocks.len());
    blocks::rows(blocks, &mut rows[..], ledgers, &|_, rows, ledger| *ledger = book.of(rows));
    let rest = Set::Rest.rows(blocks, rows.len());
    let rest = book.of(&mut rows[rest]);
    ledgers.iter().fold(rest, |sum, ledger| sum + *ledger)
}

/// What the energies are read off.
struct Book<'a> {
    bodies: &'a [SolverBody],
    unforced: &'a [Velocity],
    before: &'a [Velocity],
}

impl Book<'_> {
    /// The energies of some rows, and of all of them together.
    fn of(&self, rows: &mut [Row]) -> Ledger {
        rows.iter_mut().fold(Ledger::default(), |sum, row| sum + self.enter(row))
    }

    fn enter(&self, row: &mut Row) -> Ledger {
        let Book { bodies, unforced, before } = self;
        let (a, b) = (row.a as usize, row.b as usize);
        let u_before = before[a].at(row.arm_a) - before[b].at(row.arm_b);
        let u_after = row.relative_velocity(bodies);
        let (n, p_t, l) = (row.normal, row.tangential_impulse, row.angular_impulse);
        let spin_before = before[a].angular - before[b].angular;
        let spin_after = bodies[a].velocity.angular - bodies[b].velocity.angular;
        let normal = -0.5 * row.normal_impulse * n.dot(u_before + u_after);
        let friction = -0.5 * (p_t.dot(u_before + u_after) + l.dot(spin_before + spin_after));
        (row.normal_work, row.friction_work) = (normal, friction);
        // A driven body strikes with the velocity that it has now: one that starts at once hits what touches it.
        let came = |i: usize| if bodies[i].inverse_mass == 0.0 { before[i] } else { unforced[i] };
        row.came = n.dot(came(a).at(row.arm_a) - came(b).at(row.arm_b));
        row.left = n.dot(u_after);
        row.star_work = taken_from_star(row, bodies, unforced);
        Ledger {
            normal,
            friction,
            magnitude: normal.abs() + friction.abs(),
            approach: -(row.impulse().dot(u_before) + l.dot(spin_before)),
            driven: driven_work(row, bodies),
            rise: -row.star_work,
        }
    }
}

impl std::ops::Add for Ledger {
    type Output = Self;

    fn add(self, x: Self) -> Self {
        Ledger {
            normal: self.normal + x.normal,
            friction: self.friction + x.friction,
            driven: self.driven + x.driven,
            magnitude: self.magnitude + x.magnitude,
            approach: self.approach + x.approach,
            rise: self.rise + x.rise,
        }
    }
}

/// Work that a driven body does through the impulse of a row on the kinetic energy \[J\]: its velocity times the impulse on the
/// other body, and its angular velocity times the moments of rolling and torsional friction.
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

/// Impulse of a row times the acceleration towards its axis of the point of a driven body that turns, `|P| |w| |v|` \[W\]: half of it times the length of a step
/// is the work that the arc asks for beside the chord that the body is moved along.
pub fn carried_round(row: &Row, bodies: &[SolverBody]) -> f64 {
    let by = |body: u32, arm: DVec3| {
        let SolverBody { inverse_mass, velocity, .. } = &bodies[body as usize];
        let turns = *inverse_mass == 0.0 && velocity.angular != DVec3::ZERO;
        if turns { velocity.angular.length() * velocity.at(arm).length() } else { 0.0 }
    };
    row.impulse().length() * (by(row.a, row.arm_a) + by(row.b, row.arm_b))
}

/// What the impulses of a row take from E*, net of the work of driven bodies \[J\]; `unforced` are the velocities before the forces of the step.
fn taken_from_star(row: &Row, bodies: &[SolverBody], unforced: &[Velocity]) -> f64 {
    let (a, b) = (row.a as usize, row.b as usize);
    let u = unforced[a].at(row.arm_a) - unforced[b].at(row.arm_b) + row.relative_velocity(bodies);
    let spin_after = bodies[a].velocity.angular - bodies[b].velocity.angular;
    let spin = unforced[a].angular - unforced[b].angular + spin_after;
    -0.5 * (row.impulse().dot(u) + row.angular_impulse.dot(spin))
}

/// The impulse and the angular impulse of a row times the velocities, as given, of those of its bodies that no impulse moves.
fn work_at(row: &Row, bodies: &[SolverBody], velocity: impl Fn(u32) -> Velocity) -> f64 {
    let (p, l) = (row.impulse(), row.angular_impulse);
    let by = |body: u32, arm: DVec3| {
        if bodies[body as usize].inverse_mass != 0.0 {
            return 0.0;
        }
        let v = velocity(body);
        p.dot(v.at(arm)) + l.dot(v.angular)
    };
    by(row.b, row.arm_b) - by(row.a, row.arm_a)
}

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
