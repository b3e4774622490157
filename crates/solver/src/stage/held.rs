//! Sweeps with held limits of friction, for islands on which the sweeps of the stage do not settle.
//!
//! In Coulomb's law the limit of friction is a share of the normal impulse that is sought with it. Where light bodies
//! are caught in wedges between heavy ones, sweeps go round for ever: friction drives the normal impulses up, and these
//! the friction. With the limits held at given values `s`,
//!
//! ```text
//! minimise  P.G P/2 + P.(u- + bias n)     over  P_n >= 0,  |P_t| <= mu s
//! ```
//!
//! with mu that of dynamic friction, is convex, and sweeps lower its value in every update. So the limits are held
//! while the sweeps settle, then set to the normal impulses found, and so on (the fixed point of Necas, Jarusek and
//! Haslinger 1980, Coulomb's law). Wherever that ends, the normal impulses and velocities fulfil Signorini's
//! conditions, friction opposes sliding, and no energy is gained: what may be off is the size of friction. Rolling and
//! torsional friction are left out: they are zero in such a step.
//!
//! **Termination.** [`ROUNDS`] rounds of [`SWEEPS`] sweeps, fewer where the island has more than a few contacts
//! ([`WORK`]).

use granule_model::{DVec3, Velocity};

use crate::contact::island::{Island, Row};

/// Rounds of sweeps, after each of which the limits follow the normal impulses.
const ROUNDS: u32 = 12;
/// Sweeps in a round.
const SWEEPS: u32 = 2000;
/// Updates of contacts in all rounds together.
const WORK: u32 = 100_000;
/// Share of the first sweep's change to which a round settles.
const SETTLED: f64 = 1e-6;
/// Rounds after which limits go only half of the way, so that a pair of values does not alternate.
const WHOLE: u32 = 6;

/// What a row held before, to go back to.
#[derive(Clone, Copy, Debug)]
struct Impulses {
    normal: f64,
    tangential: DVec3,
    angular: DVec3,
}

/// Scratch; the memory is kept.
#[derive(Debug, Default)]
pub(super) struct Held {
    limits: Vec<f64>,
    impulses: Vec<Impulses>,
    velocities: Vec<Velocity>,
}

impl Held {
    /// Looks for impulses from none, from the velocities `before`; what is left of the last sweep's change of a
    /// relative velocity \[m/s\]. Where that is not below `residual` the island stays as it was, and the answer is
    /// none.
    pub(super) fn solve(&mut self, island: &mut Island<'_>, before: &[Velocity], residual: f64) -> Option<f64> {
        self.remember(island);
        for (body, velocity) in island.bodies.iter_mut().zip(before) {
            body.velocity = *velocity;
        }
        for row in island.rows.iter_mut() {
            (row.normal_impulse, row.tangential_impulse, row.angular_impulse) = (0.0, DVec3::ZERO, DVec3::ZERO);
        }
        self.limits.clear();
        self.limits.resize(island.rows.len(), 0.0);
        let most = WORK / island.rows.len().max(1) as u32;
        let (mut made, mut change) = (0, f64::INFINITY);
        for round in 0..ROUNDS {
            let first = self.sweep(island);
            made += 1;
            change = first;
            let mut sweeps = 1;
            while change > SETTLED * first.max(residual) && sweeps < SWEEPS && made < most {
                change = self.sweep(island);
                (sweeps, made) = (sweeps + 1, made + 1);
            }
            if made >= most || !self.follow(island, if round < WHOLE { 1.0 } else { 0.5 }) {
                break;
            }
        }
        if change < residual {
            return Some(change);
        }
        self.go_back(island);
        None
    }

    /// Lets the limits follow the normal impulses; whether one moved by more than what is settled.
    fn follow(&mut self, island: &Island<'_>, share: f64) -> bool {
        let largest = island.rows.iter().map(|row| row.normal_impulse).fold(0.0, f64::max);
        let mut moved = 0.0_f64;
        for (limit, row) in self.limits.iter_mut().zip(island.rows.iter()) {
            let step = row.normal_impulse - *limit;
            moved = moved.max(step.abs());
            *limit += share * step;
        }
        moved > SETTLED * largest
    }

    /// A sweep; the largest change of a relative velocity \[m/s\].
    fn sweep(&self, island: &mut Island<'_>) -> f64 {
        let rows = island.rows.len();
        (0..rows).map(|i| self.update(island, i)).fold(0.0, f64::max)
    }

    fn update(&self, island: &mut Island<'_>, i: usize) -> f64 {
        let Island { bodies, tensors, rows, .. } = island;
        let (row, limit) = (&mut rows[i], self.limits[i]);
        let u = row.relative_velocity(bodies) + row.drift();
        let u_n = row.normal.dot(u);
        let change = (-(u_n + row.bias) * row.mass_normal).max(-row.normal_impulse);
        let u_t = u - row.normal * u_n + row.coupling * change;
        let slid = within(row.tangential_impulse - u_t * row.mass_tangent, row, limit);
        let step = slid - row.tangential_impulse;
        row.normal_impulse += change;
        row.tangential_impulse = slid;
        let p = row.normal * change + step;
        if p != DVec3::ZERO {
            row.apply(bodies, tensors, p);
        }
        (change * row.k_normal).abs().max(step.length() * row.k_tangent)
    }

    fn remember(&mut self, island: &Island<'_>) {
        self.impulses.clear();
        self.impulses.extend(island.rows.iter().map(|row| Impulses {
            normal: row.normal_impulse,
            tangential: row.tangential_impulse,
            angular: row.angular_impulse,
        }));
        self.velocities.clear();
        self.velocities.extend(island.bodies.iter().map(|body| body.velocity));
    }

    fn go_back(&self, island: &mut Island<'_>) {
        for (row, was) in island.rows.iter_mut().zip(&self.impulses) {
            (row.normal_impulse, row.tangential_impulse, row.angular_impulse) =
                (was.normal, was.tangential, was.angular);
        }
        for (body, velocity) in island.bodies.iter_mut().zip(&self.velocities) {
            body.velocity = *velocity;
        }
    }
}

/// The tangential impulse `trial`, or what dynamic friction leaves of it. Static friction beyond that makes the set of
/// impulses hollow.
fn within(trial: DVec3, row: &Row, limit: f64) -> DVec3 {
    let (size, most) = (trial.length(), row.dynamic_friction * limit);
    if size <= most { trial } else { trial * (most / size) }
}
