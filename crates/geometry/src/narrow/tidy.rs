//! Last pass over the contacts of a pair that has several pieces: one contact where two pieces report the same, and
//! keys that differ.

use granule_model::ContactPoint;

/// Points nearer than this share of the size of the pair coincide.
const SAME_PLACE: f64 = 1e-7;
/// Normals whose difference is shorter than this are the same: the angle up to which surfaces count as flat, twice.
const SAME_NORMAL: f64 = 2e-5;

/// Drops every contact from `start` on that repeats an earlier one, then makes the remaining keys unique. A single one
/// needs neither, nor the size of the pair.
pub(super) fn tidy(out: &mut Vec<ContactPoint>, start: usize, size: impl FnOnce() -> f64) {
    if out.len() > start + 1 {
        drop_twins(out, start, size());
        separate_keys(&mut out[start..]);
    }
}

/// Drops every contact from `start` on that repeats an earlier one.
///
/// Of two that coincide the first is kept with the lower gap, so the order of the pieces decides the key.
pub(super) fn drop_twins(out: &mut Vec<ContactPoint>, start: usize, size: f64) {
    let reach = SAME_PLACE * size * (SAME_PLACE * size);
    let mut kept = start;
    for index in start..out.len() {
        let contact = out[index];
        let twin = out[start..kept].iter_mut().find(|c| {
            (c.point - contact.point).length_squared() <= reach
                && (c.normal - contact.normal).length_squared() <= SAME_NORMAL * SAME_NORMAL
        });
        match twin {
            Some(twin) => twin.gap = twin.gap.min(contact.gap),
            None => {
                out[kept] = contact;
                kept += 1;
            }
        }
    }
    out.truncate(kept);
}

/// Moves keys that an earlier contact has by one until they differ: two keys in 2^32 meet by chance only.
pub(super) fn separate_keys(contacts: &mut [ContactPoint]) {
    for index in 1..contacts.len() {
        while contacts[..index].iter().any(|c| c.feature == contacts[index].feature) {
            contacts[index].feature = contacts[index].feature.wrapping_add(1);
        }
    }
}
