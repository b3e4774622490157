//! From pairs in the order of discovery to one list in lexicographic order.

/// Pairs per task when rows are sorted in parallel.
const BLOCK: usize = 16384;

/// Fills `pairs` with those of `found`, each with `a < b < count`, in lexicographic order; `row` is scratch.
///
/// A counting sort by the first body, then a comparison sort of each short row: linear in the number of pairs.
pub(crate) fn sort_into(pairs: &mut Vec<(u32, u32)>, row: &mut Vec<u32>, found: &[Vec<(u32, u32)>], count: usize) {
    let all = || found.iter().flatten();
    row.clear();
    row.resize(count + 1, 0);
    for &(a, _) in all() {
        row[a as usize] += 1;
    }
    let mut total = 0;
    for slot in &mut *row {
        total += std::mem::replace(slot, total);
    }
    pairs.clear();
    pairs.resize(total as usize, (0, 0));
    for &pair in all() {
        let place = &mut row[pair.0 as usize];
        pairs[*place as usize] = pair;
        *place += 1;
    }
    // Each entry of `row` is now the end of its row.
    sort_rows(pairs, &row[..count], 0);
}

/// Sorts each row of `pairs`; `ends` are the ends of the rows, counted from `offset` pairs before the slice.
fn sort_rows(pairs: &mut [(u32, u32)], ends: &[u32], offset: u32) {
    if pairs.len() > BLOCK && ends.len() > 1 {
        let (left_ends, right_ends) = ends.split_at(ends.len() / 2);
        let middle = left_ends[left_ends.len() - 1];
        let (left, right) = pairs.split_at_mut((middle - offset) as usize);
        rayon::join(|| sort_rows(left, left_ends, offset), || sort_rows(right, right_ends, middle));
        return;
    }
    let mut start = 0;
    for &end in ends {
        let end = (end - offset) as usize;
        pairs[start..end].sort_unstable_by_key(|pair| pair.1);
        start = end;
    }
}
