//! Finding the pairs of fat boxes that meet, in parallel over stretches of the sorted grid.
//!
//! A pair of one level is found by whichever of the two comes first in the list, which looks at the rest of its own
//! cell and at half of the 26 neighbours; a pair of two levels by the smaller box, which looks at the cells of the
//! coarser level under it. Each pair is thus found once. The stretches have a fixed length, so what a stretch finds
//! does not depend on how many threads share the work.

use crate::Slot;
use crate::grid::{Cell, Entry, Grid, LEVELS};
use granule_model::Aabb;
use rayon::prelude::*;
use std::ops::Range;

/// Entries per task.
const STRETCH: usize = 1024;
/// A coarser level with this few boxes is looked through from end to end rather than by cell.
const FEW: usize = 24;
/// The rows of three cells behind a cell in the order of keys, as offsets along y and z.
const ROWS_BEHIND: [(i64, i64); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

/// What each stretch found; kept from one search to the next for its memory.
#[derive(Debug, Default)]
pub(crate) struct Search {
    found: Vec<Vec<(u32, u32)>>,
    used: usize,
}

impl Search {
    /// Finds every pair of `grid`.
    pub(crate) fn run(&mut self, grid: &Grid, slots: &[Slot]) {
        let stretches = grid.entries.len().div_ceil(STRETCH);
        // The last list is for the unbounded bodies among themselves.
        self.used = stretches + 1;
        if self.found.len() < self.used {
            self.found.resize_with(self.used, Vec::new);
        }
        let search = |(index, out): (usize, &mut Vec<(u32, u32)>)| {
            out.clear();
            if index < stretches {
                let first = index * STRETCH;
                search_stretch(grid, slots, first, (first + STRETCH).min(grid.entries.len()), out);
            } else {
                pair_unbounded(grid, slots, out);
            }
        };
        let found = &mut self.found[..self.used];
        if stretches < 2 {
            found.iter_mut().enumerate().for_each(search);
        } else {
            found.par_iter_mut().enumerate().for_each(search);
        }
    }

    /// The pairs, `a < b`, in the order of the stretches.
    pub(crate) fn found(&self) -> &[Vec<(u32, u32)>] {
        &self.found[..self.used]
    }
}

fn search_stretch(grid: &Grid, slots: &[Slot], first: usize, last: usize, out: &mut Vec<(u32, u32)>) {
    for level in 0..LEVELS {
        let (start, end) = (grid.levels[level].start.max(first), grid.levels[level].end.min(last));
        if start < end {
            search_own_level(grid, level, start, end, out);
            for coarser in (0..level).filter(|&k| grid.levels[k].start < grid.levels[k].end) {
                search_coarser_level(grid, coarser, start, end, out);
            }
        }
    }
    for entry in &grid.entries[first..last] {
        for &body in &grid.unbounded {
            test(entry, &Entry::of(body, &slots[body as usize]), out);
        }
    }
}

/// Pairs of entries `start..end` with entries that come after them in the same level.
fn search_own_level(grid: &Grid, level: usize, start: usize, end: usize, out: &mut Vec<(u32, u32)>) {
    // Keys ascend, so the rows behind move on steadily; each is found by bisection once and then followed by a cursor.
    let first = grid.cell_of(start);
    let mut cursors = ROWS_BEHIND.map(|(y, z)| grid.lower_bound(level, start, first.shifted(-1, y, z)));
    let mut ends = cursors;
    let mut own_end = start;
    let mut index = start;
    while index < end {
        let cell = grid.cell_of(index);
        own_end = grid.advance(level, own_end, cell.shifted(2, 0, 0));
        for (row, (y, z)) in ROWS_BEHIND.into_iter().enumerate() {
            cursors[row] = grid.advance(level, cursors[row], cell.shifted(-1, y, z));
            ends[row] = grid.advance(level, ends[row].max(cursors[row]), cell.shifted(2, y, z));
        }
        // All entries of the cell look at the same rows.
        while index < end && grid.cell_of(index) == cell {
            let entry = &grid.entries[index];
            test_all(grid, entry, index + 1..own_end, out);
            for row in 0..ROWS_BEHIND.len() {
                test_all(grid, entry, cursors[row]..ends[row], out);
            }
            index += 1;
        }
    }
}

/// Pairs of entries `start..end` with those of a coarser level.
fn search_coarser_level(grid: &Grid, coarser: usize, start: usize, end: usize, out: &mut Vec<(u32, u32)>) {
    let level = grid.levels[coarser];
    if level.end - level.start <= FEW {
        for entry in &grid.entries[start..end] {
            test_all(grid, entry, level.start..level.end, out);
        }
        return;
    }
    let mut rows = Rows::default();
    for entry in &grid.entries[start..end] {
        // A box of that level which reaches `entry.fat.min` has its lowest corner at most one cell below it.
        let low = grid.cell(coarser, entry.fat.min - glam::DVec3::splat(level.cell));
        let high = grid.cell(coarser, entry.fat.max);
        rows.find(grid, coarser, low, high);
        for &(from, to) in &rows.ranges[..rows.count] {
            test_all(grid, entry, from..to, out);
        }
    }
}

/// Non-empty rows of cells between two corner cells; neighbours in the list mostly ask for the same ones again.
#[derive(Default)]
struct Rows {
    corners: Option<(Cell, Cell)>,
    ranges: [(usize, usize); Rows::MOST],
    count: usize,
}

impl Rows {
    /// An interval as long as two cells touches three of them, and rounding at its ends may add one more.
    const MOST: usize = 16;

    fn find(&mut self, grid: &Grid, level: usize, low: Cell, high: Cell) {
        if self.corners == Some((low, high)) {
            return;
        }
        self.corners = Some((low, high));
        self.count = 0;
        let mut from = grid.levels[level].start;
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                from = grid.lower_bound(level, from, Cell { x: low.x, y, z });
                let to = grid.advance(level, from, Cell { x: high.x + 1, y, z });
                if from < to {
                    self.ranges[self.count] = (from, to);
                    self.count += 1;
                }
            }
        }
    }
}

fn pair_unbounded(grid: &Grid, slots: &[Slot], out: &mut Vec<(u32, u32)>) {
    let entry = |body: u32| Entry::of(body, &slots[body as usize]);
    for (index, &body) in grid.unbounded.iter().enumerate() {
        for &other in &grid.unbounded[index + 1..] {
            test(&entry(body), &entry(other), out);
        }
    }
}

/// Balls that are tested between two looks at what was found.
const TESTED: usize = 64;

/// Pairs of an entry with some others.
///
/// Whether two balls meet is as good as tossed for. So every pair of them is written down, and the next one over it if
/// they do not: with a branch for each the search of a shaken layer, a hundred tests a body, took twice as long. Boxes
/// mostly part at the first of their axes, and gain nothing by it.
#[inline]
fn test_all(grid: &Grid, entry: &Entry, others: Range<usize>, out: &mut Vec<(u32, u32)>) {
    let others = &grid.entries[others];
    if !grid.is_round {
        others.iter().for_each(|other| test(entry, other, out));
        return;
    }
    let mut found = [(0, 0); TESTED];
    for others in others.chunks(TESTED) {
        let mut count = 0;
        for other in others {
            found[count] = (entry.body.min(other.body), entry.body.max(other.body));
            count += usize::from((entry.movable | other.movable) & balls_meet(&entry.fat, &other.fat));
        }
        out.extend_from_slice(&found[..count]);
    }
}

#[inline]
fn test(a: &Entry, b: &Entry, out: &mut Vec<(u32, u32)>) {
    if (a.movable || b.movable) && a.fat.overlaps(&b.fat) && (!(a.round && b.round) || balls_meet(&a.fat, &b.fat)) {
        out.push((a.body.min(b.body), a.body.max(b.body)));
    }
}

/// Whether the balls inside two cubes meet.
#[inline]
fn balls_meet(a: &Aabb, b: &Aabb) -> bool {
    let (x, y) = (0.5 * (a.max.x - a.min.x), 0.5 * (b.max.x - b.min.x));
    ((a.min + x) - (b.min + y)).length_squared() <= (x + y) * (x + y)
}
