//! What the stages of a step are asked for: how sharp, how long, and what counts as an impact.
//!
//! What gravity does in a step holds for all islands. All else is judged by what the island says of itself ([`Scale`]):
//! its own speeds, its own friction, what its own bodies have lost; and depth by the radius of the contact that it is
//! at.
//!
//! All numbers here were found by trial on settling packs (`docs/experiments/contact-stage.md`).

use granule_solver::{HitSettings, Island, ReleaseSettings, StageSettings, Tracking};

use crate::world::account::Account;
use crate::world::accuracy::Accuracy;
use crate::world::description::Stepping;

/// Residual of the contact stage without gravity, over the largest relative velocity at a contact of the island.
const RESIDUAL_WITHOUT_GRAVITY: f64 = 1e-4;
/// Sweeps of the contact stage that are made in any case; with fewer steps are divided. The least of
/// [`Accuracy::sweeps`].
const MIN_SWEEPS: u32 = 20;
/// [`Accuracy::sweeps`] where nothing in the island has friction, over those with: what slides is poorly warm-started.
const WITHOUT_FRICTION: [u32; 2] = [4, 3];
/// A stage that is still so many times its tolerance off after the least number of sweeps is not worth more; a
/// sharper tolerance than the one that this was found with asks no less of it.
const VIOLENT: f64 = 5.0;
const VIOLENT_TOLERANCE: f64 = 0.03;
/// Unless it lets overlaps grow by more than this share of [`Accuracy::overlap_bound`]; then it is worth this many.
const DEEP: f64 = 0.5;
const DEEP_SWEEPS: u32 = 60;
/// Sweeps that are added to them in proportion to the share of its budget that the drift correction has spent. What a
/// stage cut short leaves makes piles sink, and the correction pays for it. Its budget in a step may be too little long
/// before that of the run is spent, so that without friction an overlap near its bound asks for them as well.
const SWEEPS_FOR_DRIFT: f64 = 160.0;
/// Updates of contacts that a small island may spend to converge sharply: 0.5 ms. With half of them a tower of ten
/// cubes leans visibly in its first steps.
const SMALL_WORK: u32 = 16000;
/// The same in a solve that is one of many in a step: 125 boxes that fly and come to rest take 0.85 of the time.
const SMALL_WORK_OF_MANY: u32 = 1000;
/// Sweeps that it may make in any case, so that Newton steps are tried.
const SMALL_SWEEPS_OF_MANY: u32 = 32;
/// Sweeps that a contact stage may add while it raises E*.
const MOST_SWEEPS: u32 = 1000;
/// Rise of E* that an island's contact stage may leave, over the energy that its bodies have dissipated so far.
const STAGE_RISE: f64 = 1e-6;
/// Sweeps that a contact stage may add while it raises E* by a trace: enough for the slow modes of columns.
const MORE_SWEEPS: u32 = 200;
/// Rise of E* that is less than a trace, over the same.
const STAGE_TRACE: f64 = 1e-12;
/// A contact was hit when its approach speeds before and after sum to more than this many times g dt.
const HIT: f64 = 4.0;
/// Share of the threshold [`HIT`], and of what an impact law leaves, where steps go from touch to touch: an edge that a
/// slender block rocks on to comes in with a tenth of g dt.
const RESOLVED: f64 = 1.0 / 1024.0;
/// The same share among more bodies than [`SLOW_AND_FEW`]. What comes slower is stopped in the length of a flight: 100
/// balls that are poured overlapped by 0.8 % with a share of 1, by 0.16 % with this one, which is no dearer.
const RESOLVED_AMONG_MANY: f64 = 1.0 / 16.0;
/// Share of the speed, below which nothing is given back, where steps go from touch to touch: who bounces as fast as
/// that comes back four times a step. It bounds what a part may cost.
const LIFTED: f64 = 1.0 / 8.0;
/// Bodies that can move, up to which a blow among them is told however slow it is. Where more rock on each other as
/// they come to rest, every step would be full of them: 125 boxes that fall took 40 times as long.
pub(crate) const SLOW_AND_FEW: usize = 2;
/// Work of contacts on bodies in a part, over the energy of these and of a fall in it, from which on what slid one way,
/// or left, has turned round within the part.
pub(crate) const BACK: f64 = 1e-6;
/// How far bodies come in a part, over the size of what they meet, from which on it matters who is struck among many.
pub(crate) const LEAP: f64 = 1.0;
/// An impact law leaves approach speeds up to this many times g dt to the next contact stage.
const LEFT: f64 = 0.4;
/// The release of tracked energy leaves more, since it takes the worst contact first and so pays for the last of a
/// pack's approach by the impulse: all that gravity makes in a step, below which nothing is given energy either
/// ([`HitSettings::lift`]). Less costs impulses, more leaves work to the next contact stage and divides steps.
const LEFT_BY_RELEASE: f64 = 1.0;
/// Floor of both without gravity, over the same speed as [`RESIDUAL_WITHOUT_GRAVITY`].
const FLOOR: f64 = 1e-9;

/// [`Accuracy::drift_budget`] where nothing in the island has friction, over those with: such a pack never comes to
/// rest, and what slides sinks for as long as it is watched.
const DRIFT_WITHOUT_FRICTION: [f64; 2] = [8.0, 3.0];

/// What an island says of itself: by this its solve is judged, and by nothing of the rest of the world.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    /// How fast its bodies are against each other; under gravity the largest speed of one \[m/s\].
    pub(crate) speed: f64,
    /// Whether a contact has static friction.
    pub(crate) has_friction: bool,
    /// Largest overlap at the start of the step, over the radius of its contact \[-\]; zero where there is friction,
    /// for then nobody asks.
    pub(crate) overlap: f64,
    /// What its bodies have lost before the step.
    pub(crate) account: Account,
}

/// Share of the speed with which an island moves as a whole that counts as a speed within it: slower ones drown in
/// rounding.
const DRIFTING: f64 = 1e-5;

impl Scale {
    pub(super) fn of(island: &Island<'_>, account: Account, has_gravity: bool) -> Self {
        let Island { bodies, rows, .. } = island;
        let fastest = bodies.iter().map(|body| body.velocity.linear.length_squared()).fold(0.0, f64::max).sqrt();
        let speed = if has_gravity {
            fastest
        } else {
            let relative = rows.iter().map(|row| row.relative_velocity(bodies).length_squared());
            relative.fold(0.0, f64::max).sqrt().max(DRIFTING * fastest)
        };
        let has_friction = rows.iter().any(|row| row.static_friction > 0.0);
        let deepest = || rows.iter().map(|row| -row.gap / row.radius).fold(0.0, f64::max);
        let overlap = if has_friction { 0.0 } else { deepest() };
        Scale { speed: speed.max(f64::MIN_POSITIVE), has_friction, overlap, account }
    }
}

/// The limits of a step or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// \[m/s2\]
    pub(crate) gravity: f64,
    /// \[s\]
    pub(crate) dt: f64,
    /// Time in which gravity makes what passes for none: that of the whole step, of which a flight may be any short
    /// piece \[s\].
    pub(crate) horizon: f64,
    /// Factor on the sweeps of a stage, for a part of a step that failed before \[-\].
    pub(crate) patience: u32,
    /// Whether a step asks for many solves like this one.
    pub(crate) is_one_of_many: bool,
    pub(crate) accuracy: Accuracy,
    /// Whether bodies are stopped at touch; see [`Limits::at_touch()`].
    pub(crate) at_touch: bool,
    /// Whether slow blows are told from loads at rest; see [`Limits::resolves_slow()`].
    pub(crate) resolves_slow: bool,
}

impl Limits {
    /// When the contact stage of an island is good enough.
    pub(crate) fn stage(&self, island: &Scale) -> StageSettings {
        let Limits { gravity, dt, horizon, is_one_of_many, accuracy, .. } = *self;
        let tolerance = if gravity > 0.0 {
            accuracy.tolerance * gravity * horizon
        } else {
            RESIDUAL_WITHOUT_GRAVITY * island.speed
        };
        // Nothing but the walls carries a pack without friction: there it is worth more.
        let (violent, max_sweeps) = if island.has_friction {
            (VIOLENT * tolerance.max(VIOLENT_TOLERANCE * gravity * horizon), accuracy.sweeps)
        } else {
            (f64::INFINITY, accuracy.sweeps * WITHOUT_FRICTION[0] / WITHOUT_FRICTION[1])
        };
        let (drift, overlap) =
            (drift_spent(&accuracy, &island.account, island.has_friction), overlap_spent(&accuracy, island));
        let max_sweeps = max_sweeps + (SWEEPS_FOR_DRIFT * drift.max(overlap)) as u32;
        let max_sweeps = max_sweeps * self.patience;
        StageSettings {
            dt,
            tolerance,
            violent,
            deep: DEEP * accuracy.overlap_bound / dt,
            min_sweeps: MIN_SWEEPS,
            max_sweeps,
            deep_sweeps: max_sweeps.max(DEEP_SWEEPS * self.patience),
            most_sweeps: MOST_SWEEPS,
            small_work: if is_one_of_many { SMALL_WORK_OF_MANY } else { SMALL_WORK } * self.patience,
            small_sweeps: if is_one_of_many { SMALL_SWEEPS_OF_MANY } else { 0 },
            hit: self.speed_of_gravity(HIT, island.speed),
            loose_work: if gravity > 0.0 { 0 } else { SMALL_WORK },
            rise: STAGE_RISE * island.account.scale(),
            more_sweeps: MORE_SWEEPS,
            trace: STAGE_TRACE * island.account.scale(),
        }
    }

    /// The limits of so many bodies that can move, where these are stopped at touch and not before. What they come with
    /// is known then, and far slower ones can be told from loads at rest.
    pub(crate) fn at_touch(&self, movable: usize) -> Limits {
        Limits { at_touch: true, ..self.resolves_slow(movable) }
    }

    /// The limits by which so many bodies that can move are asked whether they have to stop at touch.
    pub(crate) fn resolves_slow(&self, movable: usize) -> Limits {
        Limits { resolves_slow: movable <= SLOW_AND_FEW, ..*self }
    }

    /// Which contacts are impacts, where bodies are as fast as `speed` against each other \[m/s\].
    pub(crate) fn hits(&self, speed: f64) -> HitSettings {
        let [resolved, lifted] = if self.resolves_slow {
            [RESOLVED, LIFTED]
        } else if self.at_touch {
            [RESOLVED_AMONG_MANY, 1.0]
        } else {
            [1.0; 2]
        };
        let (fast, lift) = (self.speed_of_gravity(resolved * HIT, speed), self.speed_of_gravity(lifted, speed));
        HitSettings { fast, lift, dt: self.dt }
    }

    /// Approach speed that impacts may leave to the next contact stage \[m/s\].
    pub(crate) fn left(&self, speed: f64) -> f64 {
        self.speed_of_gravity(if self.resolves_slow { RESOLVED * LEFT } else { LEFT }, speed)
    }

    /// How energy is released.
    pub(crate) fn release(&self, tracking: Tracking, speed: f64) -> ReleaseSettings {
        let threshold = self.speed_of_gravity(LEFT_BY_RELEASE, speed);
        ReleaseSettings { tracking, hits: self.hits(speed), threshold }
    }

    /// What gravity does in so many steps, or without it in what passes for none \[m/s\].
    fn speed_of_gravity(&self, steps: f64, speed: f64) -> f64 {
        (steps * self.gravity * self.horizon).max(FLOOR * speed)
    }
}

/// An impact of which it is asked whether a step gives anything back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blow {
    /// Restitution, above 0 \[-\].
    pub(crate) restitution: f64,
    /// Bodies that can move and hang together by contacts while it happens.
    pub(crate) movable: usize,
    /// \[m/s2\]
    pub(crate) gravity: f64,
    /// What closes the contact at most, by gravity and force fields \[m/s2\].
    pub(crate) pull: f64,
}

/// Speed above which an impact gets its restitution wherever within a step it happens, over the length of the step
/// \[m/s2\]: the product with dt is the slowest impact that steps of dt resolve.
///
/// Two bodies meet at the speed V under the pull a, from d at the start of the step in which they do. They come then
/// from `V - a dt <= d <= V`, over the gap `G = (V^2 - d^2)/(2 a)`. Velocities of symplectic Euler lag: the step knows
/// `u_0 = -(d - a dt/2)`, makes `u_0 - a dt` of it, and stops the bodies at `u_+ = -G/dt`.
///
/// * **Told from a load** is what has `-(u_0 + u_+) > h g dt`, with h = [`HIT`]. The left side is least at either end:
///   `V - a dt/2` where bodies touch as the step begins, and `2 V - 2 a dt` where they touch as it ends. So all are
///   told from `V = max(h g + a/2, h g/2 + a) dt` on: 4.5 g dt for what falls, of which some are told from 3 g dt on; 4
///   and 2 for what flies across.
/// * **Lifted** is what comes apart faster than gravity closes it again, `e |u_0 - a dt| > l g dt` with l = 1. The
///   speed with forces is `V - a dt/2` at least, so all are lifted from `V = (l g/e + a/2) dt` on.
/// * **At touch** velocities do not lag and contacts have closed: `V > max(h, l/e) g dt`. So it is from impact to
///   impact; and where steps go from touch to touch once a blow is told. Among few bodies h is a share [`RESOLVED`] of
///   that above and l is [`LIFTED`], but the step tells blows before it goes from touch to touch, from `V = max(h g +
///   a/2, h g/2 + a) dt` on with this h: 1.002 g dt for what falls. And what comes back so slowly that it leaves a step
///   with less than l g dt and touches in the next one is taken for a load, whose velocity lags by less: `e V > (l g +
///   a) dt`.
pub(crate) fn slowest_impact_over_dt(stepping: Stepping, blow: &Blow) -> f64 {
    let Blow { restitution, movable, gravity, pull } = *blow;
    let is_fine = stepping.resolves_touches() && movable <= SLOW_AND_FEW;
    let [hit, lift] = if is_fine { [RESOLVED * HIT, LIFTED] } else { [HIT, 1.0] };
    let told = (hit * gravity + 0.5 * pull).max(0.5 * hit * gravity + pull);
    let lifted = lift * gravity / restitution;
    match stepping {
        Stepping::Event => lifted.max(hit * gravity),
        _ if is_fine => (lifted + pull / restitution).max(told),
        Stepping::Touch | Stepping::Margin => (lifted + 0.5 * pull).max(told),
    }
}

/// Work that the drift correction may do on an island in the run \[J\].
fn drift_budget(accuracy: &Accuracy, account: &Account, has_friction: bool) -> f64 {
    let share = accuracy.drift_budget;
    let [more, of] = DRIFT_WITHOUT_FRICTION;
    let share = if has_friction { share } else { more * share / of };
    share * account.dissipated.max(0.0)
}

/// Work that it may do in this step \[J\].
pub(crate) fn drift_budget_of_step(accuracy: &Accuracy, account: &Account, has_friction: bool) -> f64 {
    let left = drift_budget(accuracy, account, has_friction) - account.corrected;
    (accuracy.drift_budget_of_step * account.scale()).min(left.max(0.0))
}

/// Share of the budget of an island that is spent \[-\], 0 to 1.
fn drift_spent(accuracy: &Accuracy, account: &Account, has_friction: bool) -> f64 {
    let spent = account.corrected / drift_budget(accuracy, account, has_friction);
    if spent.is_finite() { spent.clamp(0.0, 1.0) } else { 0.0 }
}

/// Share of the last quarter below [`Accuracy::overlap_bound`] that an island has used up \[-\], 0 to 1; zero where
/// anything has friction.
fn overlap_spent(accuracy: &Accuracy, island: &Scale) -> f64 {
    ((island.overlap / accuracy.overlap_bound - 0.75) / 0.25).clamp(0.0, 1.0)
}
