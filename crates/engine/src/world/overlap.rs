//! What overlap a step may leave.

/// Overlap beyond which a step in which it grew is divided, over the thickness of what touches \[-\].
pub const OVERLAP_BOUND: f64 = 0.009;
/// Overlap that no step should reach, over the thickness \[-\].
pub(crate) const OVERLAP_LIMIT: f64 = 0.01;
/// Share of what is left to [`OVERLAP_LIMIT`] that a step may use up undivided: steps that creep there never arrive.
/// Without it a frictionless pack of cubes with one contact at 0.8 % divided every step into 64, for a growth of
/// 0.001 % that no division changes.
const CREEP: f64 = 0.25;
/// Growth of an overlap, over the thickness, that no division is worth.
pub(crate) const UNSEEN: f64 = 2e-5;

/// Whether an overlap fails that grew from `before` to `after` in a step, or in a part of one that may use up that
/// `share` of what a whole one may; both over the thickness.
pub(crate) fn fails(after: f64, before: f64, share: f64) -> bool {
    after > share * OVERLAP_BOUND && after - before > share * (CREEP * (OVERLAP_LIMIT - before)).max(UNSEEN)
}
