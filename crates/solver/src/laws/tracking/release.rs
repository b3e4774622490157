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

use granule_model::Velocity;

use crate::contact::hit::HitSettings;
use crate::contact::island::{Island, Row};
use crate::laws::tracking::etm::Etm;
use crate::laws::tracking::etm_weighted::{EtmWeighted, Start};
use crate::laws::tracking::report::{ReleaseReport, Taken};
use crate::laws::tracking::rounds::{Rounds, Workspace};
use crate::laws::tracking::settings::{MOST, RoundSettings};

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
    let Taken { hits: fast_contacts, taken, taken_on_star, has_friction, .. } = taken;
    Some(ReleaseReport { fast_contacts, taken, taken_on_star, frictionless: !has_friction, ..report })
}
