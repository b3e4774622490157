//! The state before the first step: overlaps that it may have, and its fingerprint.

use granule_model::BodyId;

use crate::interface::simulation::Simulation;
use crate::world::contact::Ahead;
use crate::world::error::EngineError;

/// Overlap at the start beyond which a pair is refused, over the smaller radius.
const REFUSED: f64 = 0.5;
/// Overlap at the start that is worth a word, over the smaller radius: ten times what the drift correction leaves
/// alone.
const WORTH_A_WORD: f64 = 0.01;

/// Two bodies that overlap at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartOverlap {
    /// One body.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// Depth \[m\].
    pub depth: f64,
    /// Depth over the smaller equal-volume radius \[-\].
    pub relative: f64,
}

impl Simulation {
    /// Looks for bodies that overlap at the start. Shallow overlaps are returned, deepest pair point each; the drift
    /// correction mends them while the simulation runs.
    ///
    /// # Errors
    /// [`EngineError::StartOverlap`] for the first pair that overlaps by more than half the smaller radius.
    pub fn validate_start(&mut self) -> Result<Vec<StartOverlap>, EngineError> {
        let dt = self.time_step();
        let contacts = self.contacts_now(Ahead::under(self.catalogue.gravity(), dt));
        let bodies = &self.catalogue.bodies;
        let mut found: Vec<StartOverlap> = Vec::new();
        for c in contacts.list.iter().filter(|c| c.gap < -WORTH_A_WORD * c.radius) {
            let (a, b) = (bodies.id(c.a as usize), bodies.id(c.b as usize));
            let overlap = StartOverlap { a, b, depth: -c.gap, relative: -c.gap / c.radius };
            if overlap.relative > REFUSED {
                let (a, b) = (bodies.label(c.a as usize), bodies.label(c.b as usize));
                let depth = overlap.depth;
                return Err(EngineError::StartOverlap { a, b, depth, percent: 100.0 * overlap.relative });
            }
            match found.iter_mut().find(|f| (f.a, f.b) == (a, b)) {
                Some(f) if f.relative < overlap.relative => *f = overlap,
                Some(_) => {}
                None => found.push(overlap),
            }
        }
        Ok(found)
    }

    /// Fingerprint of the state: xxh3 over the bincode encoding of time, step and every body's pose and velocity. Two
    /// states have the same hash when all their bits agree.
    pub fn state_hash(&self) -> u64 {
        self.state.motion_hash()
    }
}
