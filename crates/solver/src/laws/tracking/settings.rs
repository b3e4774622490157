//! How the rounds of the energy tracking method run, and when they are cut short.

use crate::contact::island::Row;

/// Impulses per contact of a stage, in units of lambda, before it is cut short. Met cases of a few bodies need a tenth
/// of it; it is there so that no input can hang the program.
const CAP: u64 = 1000;
/// The same for zones in which it would come to more than [`LONG`] impulses. A settling pack of 6000 contacts takes up
/// to 50 impulses per contact in all stages of a step; jammed between walls without friction, where compression creeps,
/// it took 171 million in one.
const CAP_OF_LARGE: u64 = 10;
/// Impulses that a stage may make in any case: some 0.3 s.
const LONG: u64 = 1_000_000;

/// Impulses that a stage makes in a zone in a time step at most, in all and for each contact; beyond them energy is not
/// given back. Settling packs take up to 50 for a contact in all stages together; bodies caught between driven ones,
/// and a boulder on grains of 1/100 its size, took five millions for ten contacts.
pub(super) const MOST: [u64; 2] = [10_000, 1000];

/// How rounds run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSettings {
    /// Steps of a compression.
    pub(super) lambda: u32,
    /// Approach speeds up to this are none \[m/s\].
    pub(super) threshold: f64,
    /// Separation speed that a contact's energy must be able to make, else it is dissipated \[m/s\].
    pub(super) lift: f64,
    /// Rounds with restitution.
    pub(super) max_rounds: u32,
    /// Sliding speeds up to this are none \[m/s\].
    pub(super) sliding: f64,
    /// Approach speed by which the step of the first round goes \[m/s\].
    pub(super) approach: f64,
    /// Impulses that a stage may make in a zone beside those of its contacts, and for each of these; none where the law
    /// alone bounds them.
    pub(super) most: Option<[u64; 2]>,
}

impl RoundSettings {
    /// Impulses that a stage may make in a zone of so many contacts.
    pub(super) fn most_impulses(&self, contacts: usize) -> u64 {
        let by_law = most_impulses(self.lambda, contacts);
        self.most.map_or(by_law, |[in_all, each]| by_law.min(in_all + each * contacts as u64))
    }

    /// The step of a round that begins with the given approach speed: one finer than what the rounds leave would
    /// resolve nothing. The second round of a pack begins with a tenth of the first one's speed, and went on in steps
    /// of half the threshold.
    pub(super) fn step(&self, approach: f64) -> f64 {
        (approach / f64::from(self.lambda)).max(self.threshold)
    }
}

/// Whether a row of the island takes part, by its number.
pub(super) type TakesPart<'a> = dyn Fn(usize, &Row) -> bool + Sync + 'a;

/// Impulses that a stage may make in a zone of so many contacts.
fn most_impulses(lambda: u32, contacts: usize) -> u64 {
    let each = u64::from(lambda) * contacts as u64;
    (CAP * each).min(LONG.max(CAP_OF_LARGE * each))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two balls may go on as long as ever, zones of thousands of contacts not.
    #[test]
    fn impulses_of_a_stage_are_bounded_by_contact_in_large_zones() {
        assert_eq!(most_impulses(30, 1), CAP * 30);
        let each = |contacts: usize| most_impulses(30, contacts) / (30 * contacts as u64);
        assert_eq!([each(33), each(3334), each(100_000)], [CAP, CAP_OF_LARGE, CAP_OF_LARGE]);
        assert_eq!(most_impulses(30, 1000), LONG);
    }
}
