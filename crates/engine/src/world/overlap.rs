//! What overlap a step may leave.

use crate::world::accuracy::Accuracy;

/// Share of what is left to the limit ([`Accuracy::overlap_limit`]) that a step may use up undivided: steps that creep
/// there never arrive. Without it a frictionless pack of cubes with one contact at 0.8 % divided every step into 64,
/// for a growth of 0.001 % that no division changes.
const CREEP: f64 = 0.25;
/// Growth of an overlap in a step, over the thickness, that no division is worth. Parts of a divided step share it:
/// with as much for each of eight an overlap crept to 1.01 % (random scene 566).
pub(crate) const UNSEEN: f64 = 2e-5;

/// Whether an overlap fails that grew from `before` to `after` in a step, or in a part of one that may use up that
/// `share` of what a whole one may; both over the thickness.
pub(crate) fn fails(accuracy: &Accuracy, after: f64, before: f64, share: f64) -> bool {
    fails_in_part(accuracy, after, before, [share, 1.0])
}

/// The same in a part that has the second of the shares of the length of a whole step.
pub(crate) fn fails_in_part(accuracy: &Accuracy, after: f64, before: f64, [share, of_step]: [f64; 2]) -> bool {
    after > share * accuracy.overlap_bound
        && after - before > share * (CREEP * (accuracy.overlap_limit() - before)).max(of_step * UNSEEN)
}
