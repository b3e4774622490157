//! Phase `judge`: which contacts a part of a step has pressed too deep. What becomes of it is left to
//! [`divide`](crate::step::divide).

use crate::world::accuracy::Accuracy;
use crate::world::contact::{Contact, depth_of_pair};
use crate::world::overlap::fails_in_part;
use crate::world::parallel;

/// Finds the `contacts` that fail against those `before`: in a step, or in a part of one that may use up that `share`
/// of what a whole one may, and has the second share of its length. Returns the [`overlaps`] of all.
pub(crate) fn judge(
    accuracy: &Accuracy,
    contacts: &[Contact],
    before: &[Contact],
    [share, of_step]: [f64; 2],
    failed: &mut Vec<u32>,
) -> (f64, f64) {
    failed.clear();
    let overlaps = overlaps(contacts, |_| true);
    if overlaps.1 <= share * accuracy.overlap_bound {
        return overlaps;
    }
    for (k, c) in contacts.iter().enumerate() {
        if c.depth() > share * accuracy.overlap_bound
            && fails_in_part(accuracy, c.depth(), depth_of_pair(before, c.pair()), [share, of_step])
        {
            failed.push(k as u32);
        }
    }
    overlaps
}

/// Largest overlap of the contacts that `counts` holds for, over the smaller radius and over the thickness.
pub(crate) fn overlaps(contacts: &[Contact], counts: impl Fn(&Contact) -> bool + Sync) -> (f64, f64) {
    let scales = |c: &Contact| {
        if c.gap < 0.0 && counts(c) { [-c.gap / c.radius, -c.gap / c.thickness] } else { [0.0; 2] }
    };
    parallel::largest_of_both(contacts, &scales).into()
}
