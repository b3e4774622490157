//! The energy-tracked release: what joins ETM to the contact stage.
//!
//! In a pack the compression of ETM is the contact stage itself: it brings all contacts of an island to rest (or, for a
//! contact known before touch, to the approach speed that just closes its gap) and takes from contact i the work
//!
//! ```text
//! W_i = -P_i (u_i- + u_i+) / 2
//! ```
//!
//! where `P_i` is its normal impulse and `u_i` its normal velocity before and after; the sum over contacts (with friction's
//! share) is exactly the kinetic energy that the stage removed, whatever its path. This module gives the share `e^2` of that
//! work back by ETM's rounds, at the contacts that were *hit* and touch now.
//!
//! * Which contacts were hit is said in [`crate::hit`].
//! * The energy given back never exceeds what was taken: contacts with negative `W_i` count against the budget.
//! * The work of contacts that were not hit is dissipated.

use granule_model::Velocity;

use super::Etm;
use super::rounds::{RoundSettings, Rounds, Workspace};
use crate::etm_weighted::{EtmWeighted, Start};
use crate::hit::{HitSettings, normal_velocity};
use crate::island::{Island, Row};

/// Whose rounds give the energy back.
#[derive(Clone, Copy, Debug)]
pub enum Tracking {
    /// Contact after contact (Tang 2014).
    Sequential(Etm),
    /// In groups, by mass-weighted velocity (Tan 2024).
    Weighted(EtmWeighted),
}

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
/// `before` are the velocities that the contact stage started from. On return
/// `hit` says of each row whether it was hit. The impulses of the release are applied to the bodies and *added* to those
/// of the rows. None when no contact was hit: nothing was done then.
pub fn release(
    island: &mut Island<'_>,
    settings: &ReleaseSettings,
    before: &[Velocity],
    ws: &mut Workspace,
    hit: &mut Vec<bool>,
) -> Option<ReleaseReport> {
    hit.clear();
    hit.extend(island.rows.iter().map(|row| settings.hits.was_hit(row)));
    let fast_contacts = hit.iter().filter(|h| **h).count() as u32;
    if fast_contacts == 0 {
        return None;
    }
    let Taken { taken, share } = taken(island, hit);
    let approach = fastest_hit(island, before, hit);
    let frictionless = island.rows.iter().all(|row| row.static_friction == 0.0);
    let energy = |i: usize, row: &Row| if hit[i] { share * row.normal_work.max(0.0) } else { 0.0 };
    let takes_part = |i: usize, row: &Row| hit[i] || settings.hits.touches_after(row);
    let report = match settings.tracking {
        Tracking::Sequential(law) => {
            let rounds = RoundSettings {
                lambda: law.lambda,
                threshold: settings.threshold,
                lift: settings.hits.lift,
                // As the engine's runs have been: its golden hashes hold for this.
                sliding: 0.0,
                max_rounds: law.max_rounds,
                first_step: approach / f64::from(law.lambda),
            };
            let mut rounds = Rounds::new(ws, island, &rounds, &takes_part);
            let closes = |i: usize, row: &Row| row.left < -settings.threshold && takes_part(i, row);
            rounds.load(&|i, row| hit[i] || closes(i, row), &energy);
            let kinetic_before = rounds.kinetic_energy();
            let report = rounds.run();
            ReleaseReport { kinetic_before, kinetic_after: rounds.kinetic_energy(), ..report }
        }
        Tracking::Weighted(law) => {
            let rows = || island.rows.iter().enumerate();
            let active: Vec<u32> = rows().filter(|(i, row)| takes_part(*i, row)).map(|(i, _)| i as u32).collect();
            let stored: Vec<f64> = rows().map(|(i, row)| energy(i, row)).collect();
            let (threshold, lift) = (settings.threshold, settings.hits.lift);
            let start = Start { active: &active, stored: &stored, approach, threshold, lift };
            let kinetic_before = island.kinetic_energy();
            let report = law.release(island, &start);
            ReleaseReport { kinetic_before, kinetic_after: island.kinetic_energy(), ..report }
        }
    };
    Some(ReleaseReport { fast_contacts, taken, frictionless, ..report })
}

/// Largest approach speed with which a hit contact came in \[m/s\].
fn fastest_hit(island: &Island<'_>, before: &[Velocity], hit: &[bool]) -> f64 {
    let rows = island.rows.iter().zip(hit).filter(|(_, hit)| **hit);
    rows.map(|(row, _)| -normal_velocity(row, before)).fold(0.0, f64::max)
}

/// What hit contacts took, and what may be given back of it.
struct Taken {
    /// Work \[J\]; hit contacts may store less.
    taken: f64,
    /// Share of the work that contacts store.
    share: f64,
}

/// Reads off the contact stage what hit contacts took, and bounds what they store by the budget of the module's head.
fn taken(island: &Island<'_>, hit: &[bool]) -> Taken {
    let (mut taken, mut budget) = (0.0, 0.0);
    for (row, hit) in island.rows.iter().zip(hit) {
        budget += row.friction_work.min(0.0);
        if *hit {
            budget += row.normal_work;
            taken += row.normal_work.max(0.0);
        } else {
            budget += row.normal_work.min(0.0);
        }
    }
    Taken { taken, share: if taken > 0.0 { (budget / taken).clamp(0.0, 1.0) } else { 0.0 } }
}
