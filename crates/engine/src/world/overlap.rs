//! What overlap a step may leave.

use crate::world::accuracy::Accuracy;

/// Share of what is left to the limit ([`Accuracy::overlap_limit`]) that a step may use up undivided: steps that creep
/// there never arrive. Without it a frictionless pack of cubes with one contact at 0.8 % divided every step into 64,
/// for a growth of 0.001 % that no division changes.
const CREEP: f64 = 0.25;
/// Growth of an overlap, over the thickness, that no division is worth.
pub(crate) const UNSEEN: f64 = 2e-5;

/// Whether an overlap fails that grew from `before` to `after` in a step, or in a part of one that may use up that
/// `share` of what a whole one may; both over the thickness.
pub(crate) fn fails(accuracy: &Accuracy, after: f64, before: f64, share: f64) -> bool {
    after > share * accuracy.overlap_bound
        && after - before > share * (CREEP * (accuracy.overlap_limit() - before)).max(UNSEEN)
}
