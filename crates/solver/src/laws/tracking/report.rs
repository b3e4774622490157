//! What the rounds of the energy tracking method start from and what they report: work that the contact stage took, and
//! counts and energies of the rounds.

use std::ops::Add;

use granule_model::Velocity;

use crate::contact::hit::HitSettings;
use crate::contact::island::Row;

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
    /// The same of E*: with the velocities before the forces of the step, by which loads at rest take nothing \[J\].
    pub taken_on_star: f64,
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

/// What the contact stage did at some contacts, as far as the release asks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    /// Contacts that were hit.
    pub(super) hits: u32,
    /// Work that these took \[J\]; they may store less.
    pub(super) taken: f64,
    /// The same of E* \[J\].
    pub(super) taken_on_star: f64,
    /// What may be stored \[J\], contacts with negative work counted.
    budget: f64,
    /// Largest approach speed with which one of them came in \[m/s\].
    pub(super) approach: f64,
    /// Whether a contact has friction.
    pub(super) has_friction: bool,
    /// Whether the rounds begin here: a contact was hit, or touches and approaches still.
    pub(super) is_reached: bool,
}

impl Taken {
    pub(super) fn of(row: &Row, hits: &HitSettings, threshold: f64, before: &[Velocity]) -> Self {
        let is_hit = hits.was_hit(row);
        let work = if is_hit { row.normal_work } else { row.normal_work.min(0.0) };
        Taken {
            hits: u32::from(is_hit),
            taken: if is_hit { work.max(0.0) } else { 0.0 },
            taken_on_star: if is_hit { -0.5 * row.normal_impulse * (row.came + row.left) } else { 0.0 },
            budget: row.friction_work.min(0.0) + work,
            approach: if is_hit { (-row.speed_at(before)).max(0.0) } else { 0.0 },
            has_friction: row.static_friction > 0.0,
            is_reached: is_hit || (row.left < -threshold && hits.touches_after(row)),
        }
    }

    /// Whether it is that of a contact that was hit.
    pub(super) fn is_hit(&self) -> bool {
        self.hits > 0
    }

    /// Share of the work that hit contacts store, by the budget of the head of `release`.
    pub(super) fn share(&self) -> f64 {
        if self.taken > 0.0 { (self.budget / self.taken).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Add for Taken {
    type Output = Self;

    fn add(self, x: Self) -> Self {
        Taken {
            hits: self.hits + x.hits,
            taken: self.taken + x.taken,
            taken_on_star: self.taken_on_star + x.taken_on_star,
            budget: self.budget + x.budget,
            approach: self.approach.max(x.approach),
            has_friction: self.has_friction || x.has_friction,
            is_reached: self.is_reached || x.is_reached,
        }
    }
}
