//! The energy-tracked release: what joins ETM to the contact stage.
//!
//! In a pack the compression of ETM is the contact stage itself: it brings all contacts of an island to rest (or, for a
//! contact known before touch, to the approach speed that just closes its gap) and takes from contact i the work
//!
//! ```text
//! W_i = -P_i (u_i- + u_i+) / 2
//! ```
//!
//! where `P_i` is its normal impulse and `u_i` its normal velocity before and after; the sum over contacts (with
//! friction's share) is exactly the kinetic energy that the stage removed, whatever its path. This module gives the
//! share `e^2` of that work back by ETM's rounds, at the contacts that were *hit* and touch now.
//!
//! * Which contacts were hit is said in [`crate::contact::hit`].
//! * The energy given back never exceeds what was taken: contacts with negative `W_i` count against the budget.
//! * The work of contacts that were not hit is dissipated.

use std::ops::Add;

use granule_model::Velocity;

use super::Etm;
use super::rounds::{RoundSettings, Rounds, Workspace};
use crate::contact::hit::{HitSettings, normal_velocity};
use crate::contact::island::{Island, Row};
use crate::laws::tracking::etm_weighted::{EtmWeighted, Start};

/// Whose rounds give the energy back.
#[derive(Clone, Copy, Debug)]
pub enum Tracking {
    /// Contact after contact (Tang 2014).
    Sequential(Etm),
    /// In groups, by mass-weighted velocity (Tan 2024).
    Weighted(EtmWeighted),
}

/// Impulses that a stage of the release makes in a zone at most, in all and for each contact; beyond them energy is not
/// given back. Settling packs take up to 50 for a contact in all stages together; bodies caught between driven ones,
/// and a boulder on grains of 1/100 its size, took five millions for ten contacts.
const MOST: [u64; 2] = [10_000, 1000];

/// When and how energy is given back.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseSettings {
    /// Whose rounds.
    pub tracking: Tracking,
    /// Which contacts were hit.
    pub hits: HitSettings,
    /// Approach speed that the rounds leave to the next contact stage \[m/s\].
    pub threshold: f64,
}

/// What rounds of ETM did.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReleaseReport {
    /// Rounds made.
    pub rounds: u32,
    /// Impulses applied.
    pub impulses: u64,
    /// Energy stored by compression, that of the contact stage included \[J\].
    pub stored: f64,
    /// Energy given back \[J\].
    pub released: f64,
    /// Work that hit contacts took in the contact stage \[J\].
    pub taken: f64,
    /// Work that stage I took in the rounds \[J\].
    pub compressed: f64,
    /// Whether no contact of the island has friction: then kinetic energy must follow the book exactly.
    pub frictionless: bool,
    /// Largest approach speed left \[m/s\].
    pub residual: f64,
    /// Whether every stage ended by itself.
    pub converged: bool,
    /// Whether the rounds had to be ended with e = 0.
    pub forced: bool,
    /// Contacts that were hit.
    pub fast_contacts: u32,
    /// Kinetic energy before and after the release \[J\].
    pub kinetic_before: f64,
    /// Kinetic energy after the release \[J\].
    pub kinetic_after: f64,
}

/// Runs the release on an island whose contact stage has just ended and whose bodies have been moved.
///
/// `before` are the velocities that the contact stage started from. On return `hit` says of each row whether it was
/// hit. The impulses of the release are applied to the bodies and *added* to those of the rows. None when no contact
/// was hit: nothing was done then.
pub fn release(
    island: &mut Island<'_>,
    settings: &ReleaseSettings,
    before: &[Velocity],
    ws: &mut Workspace,
    hit: &mut Vec<bool>,
) -> Option<ReleaseReport> {
    hit.clear();
    hit.resize(island.rows.len(), false);
    let (hits, threshold) = (settings.hits, settings.threshold);
    let taken = ws.scan(island, hit, &|row| Taken::of(row, &hits, threshold, before));
    if taken.hits == 0 {
        return None;
    }
    let (share, approach, lift) = (taken.share(), taken.approach, hits.lift);
    let energy = |i: usize, row: &Row| if hit[i] { share * row.normal_work.max(0.0) } else { 0.0 };
    let takes_part = |i: usize, row: &Row| hit[i] || hits.touches_after(row);
    let report = match settings.tracking {
        Tracking::Sequential(law) => {
            // No sliding speed is none, as the engine's runs have been: its golden hashes hold for this.
            let (max_rounds, lambda) = (law.max_rounds, law.lambda);
            let settings =
                RoundSettings { lambda, threshold, lift, sliding: 0.0, max_rounds, approach, most: Some(MOST) };
            let mut rounds = Rounds::new(ws, island, &settings, &takes_part);
            rounds.load(&energy);
            let kinetic_before = rounds.kinetic_energy();
            let report = rounds.run();
            ReleaseReport { kinetic_before, kinetic_after: rounds.kinetic_energy(), ..report }
        }
        Tracking::Weighted(law) => {
            let rows = || island.rows.iter().enumerate();
            let active: Vec<u32> = rows().filter(|(i, row)| takes_part(*i, row)).map(|(i, _)| i as u32).collect();
            let stored: Vec<f64> = rows().map(|(i, row)| energy(i, row)).collect();
            let start = Start { active: &active, stored: &stored, approach, threshold, lift };
            let kinetic_before = island.kinetic_energy();
            let report = law.release(island, &start);
            ReleaseReport { kinetic_before, kinetic_after: island.kinetic_energy(), ..report }
        }
    };
    let (fast_contacts, taken, frictionless) = (taken.hits, taken.taken, !taken.has_friction);
    Some(ReleaseReport { fast_contacts, taken, frictionless, ..report })
}

/// What the contact stage did at some contacts, as far as the release asks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    /// Contacts that were hit.
    hits: u32,
    /// Work that these took \[J\]; they may store less.
    taken: f64,
    /// What may be stored \[J\], contacts with negative work counted.
    budget: f64,
    /// Largest approach speed with which one of them came in \[m/s\].
    approach: f64,
    /// Whether a contact has friction.
    has_friction: bool,
    /// Whether the rounds begin here: a contact was hit, or touches and approaches still.
    pub(super) is_reached: bool,
}

impl Taken {
    fn of(row: &Row, hits: &HitSettings, threshold: f64, before: &[Velocity]) -> Self {
        let is_hit = hits.was_hit(row);
        let work = if is_hit { row.normal_work } else { row.normal_work.min(0.0) };
        Taken {
            hits: u32::from(is_hit),
            taken: if is_hit { work.max(0.0) } else { 0.0 },
            budget: row.friction_work.min(0.0) + work,
            approach: if is_hit { (-normal_velocity(row, before)).max(0.0) } else { 0.0 },
            has_friction: row.static_friction > 0.0,
            is_reached: is_hit || (row.left < -threshold && hits.touches_after(row)),
        }
    }

    /// Whether it is that of a contact that was hit.
    pub(super) fn is_hit(&self) -> bool {
        self.hits > 0
    }

    /// Share of the work that hit contacts store, by the budget of the module's head.
    fn share(&self) -> f64 {
        if self.taken > 0.0 { (self.budget / self.taken).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Add for Taken {
    type Output = Self;

    fn add(self, x: Self) -> Self {
        Taken {
            hits: self.hits + x.hits,
            taken: self.taken + x.taken,
            budget: self.budget + x.budget,
            approach: self.approach.max(x.approach),
            has_friction: self.has_friction || x.has_friction,
            is_reached: self.is_reached || x.is_reached,
        }
    }
}
