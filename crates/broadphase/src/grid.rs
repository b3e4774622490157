//! The sorted grid: which cell of which level each box stands in.
//!
//! Boxes are sorted into levels by their longest edge, one level per power of two below the longest of all. The cells
//! of a level are as wide as the longest edge in it, and a box stands in the one cell that holds its lowest corner. Two
//! boxes of a level can then meet only if their cells are neighbours, and a small box meets boxes of a coarser level in
//! at most three cells along each axis. Cells are never stored: a level is the list of its boxes sorted by cell, so
//! that empty space costs nothing and three cells in a row are one stretch of the list.

use crate::Slot;
use glam::DVec3;
use granule_model::Aabb;
use rayon::prelude::*;

/// Levels of the grid; boxes over 2^15 times smaller than the largest share the last one.
pub(crate) const LEVELS: usize = 16;

const AXIS_BITS: u32 = 20;
/// Cells are counted from the middle of the crowd, so this many fit to either side. Those beyond share the outermost
/// cell, which keeps every search right and only makes it slower.
const HALF_RANGE: f64 = ((1 << (AXIS_BITS - 1)) - 2) as f64;
/// Cells are wider than the longest edge by this share. The rounding of a cell number is below 2^-32 of a cell for
/// numbers up to `HALF_RANGE`, so it can never put boxes that meet two cells apart.
const CELL_MARGIN: f64 = 1.0 / (1 << 20) as f64;
/// Below this many boxes sorting on one thread is faster than sharing the work out.
const PARALLEL_SORT: usize = 8192;
/// How many boxes at most are looked at to find the middle of the crowd.
const SAMPLE: usize = 63;

/// A box in the order of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) fat: Aabb,
    pub(crate) body: u32,
    pub(crate) movable: bool,
    pub(crate) round: bool,
}

impl Entry {
    /// The entry of a body with its slot.
    pub(crate) fn of(body: u32, slot: &Slot) -> Self {
        Entry { fat: slot.fat, body, movable: slot.movable, round: slot.round }
    }
}

/// Cells of one level and where its boxes lie in the sorted list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Level {
    /// First and one past the last entry.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Edge length of a cell \[m\].
    pub(crate) cell: f64,
    inverse_cell: f64,
}

/// Number of a cell along each axis, from 1 to 2^20 - 2, so that its neighbours' numbers fit the key too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) x: u64,
    pub(crate) y: u64,
    pub(crate) z: u64,
}

/// All bounded boxes sorted by level and cell, and the unbounded ones.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    pub(crate) levels: [Level; LEVELS],
    /// Sorted keys; `keys[i].1` is the body of `entries[i]`.
    keys: Vec<(u64, u32)>,
    pub(crate) entries: Vec<Entry>,
    /// Present bodies with an infinite box, ascending.
    pub(crate) unbounded: Vec<u32>,
    /// Whether all entries are round.
    pub(crate) is_round: bool,
    origin: DVec3,
    sample: Vec<f64>,
}

impl Grid {
    /// Sorts the present boxes of `slots` into the grid.
    pub(crate) fn build(&mut self, slots: &[Slot]) {
        self.keys.clear();
        self.unbounded.clear();
        let mut longest = 0.0_f64;
        for (body, slot) in slots.iter().enumerate().filter(|(_, s)| s.present) {
            if !slot.fat.min.cmple(slot.fat.max).all() {
                // Empty or not a number: meets nothing.
                continue;
            }
            // The size, not only the corners: the box from -1e308 to 1e308 has none that could choose a level.
            if slot.fat.size().is_finite() {
                longest = longest.max(slot.fat.size().max_element());
                self.keys.push((0, body as u32));
            } else {
                self.unbounded.push(body as u32);
            }
        }
        self.choose_levels(slots, longest);
        self.choose_origin(slots);
        self.sort(slots);
        self.entries.clear();
        self.entries.extend(self.keys.iter().map(|&(_, body)| Entry::of(body, &slots[body as usize])));
        self.is_round = self.entries.iter().all(|entry| entry.round);
    }

    /// Notes the level of each box in its key and makes the cells of a level as wide as its longest box.
    fn choose_levels(&mut self, slots: &[Slot], longest: f64) {
        self.levels = [Level::default(); LEVELS];
        for (key, body) in &mut self.keys {
            let size = slots[*body as usize].fat.size().max_element();
            let level = level_of(size, longest);
            *key = level as u64;
            let cell = &mut self.levels[level].cell;
            *cell = cell.max(size);
        }
        for level in &mut self.levels {
            level.cell *= 1.0 + CELL_MARGIN;
            // A level of points at one place has no extent: all of it is one cell.
            level.inverse_cell = if level.cell > 0.0 { level.cell.recip() } else { 0.0 };
        }
    }

    /// Puts the zero of the cell numbers in the middle of the crowd: the median along each axis, so that a few bodies
    /// that were flung away do not push the others out of the range of the keys.
    fn choose_origin(&mut self, slots: &[Slot]) {
        let stride = self.keys.len().div_ceil(SAMPLE).max(1);
        for axis in 0..3 {
            self.sample.clear();
            self.sample.extend(self.keys.iter().step_by(stride).map(|&(_, body)| slots[body as usize].fat.min[axis]));
            let middle = self.sample.len() / 2;
            if !self.sample.is_empty() {
                self.origin[axis] = *self.sample.select_nth_unstable_by(middle, f64::total_cmp).1;
            }
        }
    }

    fn sort(&mut self, slots: &[Slot]) {
        let mut keys = std::mem::take(&mut self.keys);
        for (key, body) in &mut keys {
            let level = *key as usize;
            *key = (*key << (3 * AXIS_BITS)) | self.cell(level, slots[*body as usize].fat.min).key();
        }
        // No two elements are equal, so that an unstable sort has one outcome only.
        if keys.len() < PARALLEL_SORT {
            keys.sort_unstable()
        } else {
            keys.par_sort_unstable()
        }
        for level in 0..LEVELS {
            let first = |level: usize| keys.partition_point(|k| (k.0 >> (3 * AXIS_BITS)) < level as u64);
            (self.levels[level].start, self.levels[level].end) = (first(level), first(level + 1));
        }
        self.keys = keys;
    }

    /// Cell of `point` on a level. Monotone along each axis, also where the range of numbers ends.
    pub(crate) fn cell(&self, level: usize, point: DVec3) -> Cell {
        let q = ((point - self.origin) * self.levels[level].inverse_cell).floor();
        let q = q.clamp(DVec3::splat(-HALF_RANGE), DVec3::splat(HALF_RANGE)) + DVec3::splat(HALF_RANGE + 1.0);
        Cell { x: q.x as u64, y: q.y as u64, z: q.z as u64 }
    }

    /// The cell in which entry `index` stands.
    pub(crate) fn cell_of(&self, index: usize) -> Cell {
        const MASK: u64 = (1 << AXIS_BITS) - 1;
        let key = self.keys[index].0;
        Cell { x: key & MASK, y: (key >> AXIS_BITS) & MASK, z: (key >> (2 * AXIS_BITS)) & MASK }
    }

    /// First entry of `level` at or after `from` whose cell is not before `cell`, found by bisection.
    pub(crate) fn lower_bound(&self, level: usize, from: usize, cell: Cell) -> usize {
        let key = ((level as u64) << (3 * AXIS_BITS)) | cell.key();
        from + self.keys[from..self.levels[level].end].partition_point(|k| k.0 < key)
    }

    /// As `lower_bound`, by steps from `from`: for a cursor that moves on by little.
    pub(crate) fn advance(&self, level: usize, mut from: usize, cell: Cell) -> usize {
        let key = ((level as u64) << (3 * AXIS_BITS)) | cell.key();
        let end = self.levels[level].end;
        while from < end && self.keys[from].0 < key {
            from += 1;
        }
        from
    }
}

impl Cell {
    /// Cells in a row along x have consecutive keys.
    fn key(self) -> u64 {
        (self.z << (2 * AXIS_BITS)) | (self.y << AXIS_BITS) | self.x
    }

    /// The cell with the given offsets.
    pub(crate) fn shifted(self, x: i64, y: i64, z: i64) -> Cell {
        Cell { x: self.x.wrapping_add_signed(x), y: self.y.wrapping_add_signed(y), z: self.z.wrapping_add_signed(z) }
    }
}

/// Level of a box of `size`: sizes in (longest / 2^(k+1), longest / 2^k] are of level k.
fn level_of(size: f64, longest: f64) -> usize {
    let mut bound = 0.5 * longest;
    let mut level = 0;
    while level + 1 < LEVELS && size <= bound {
        bound *= 0.5;
        level += 1;
    }
    level
}
