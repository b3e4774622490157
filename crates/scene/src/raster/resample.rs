//! Parts of a raster, and the same terrain in cells of another size.

use super::{Raster, check_grid};
use crate::data_file::{DataFileError, DataFileErrorKind as Kind};

/// Share of a cell by which the last one may reach beyond the edge: sizes that fit in decimals may miss in binary.
const ROUNDING: f64 = 1e-9;
/// Share of a coarse cell that must have heights for it to have one.
const KNOWN_SHARE: f64 = 0.5;

impl Raster {
    /// The cells with their centres in the rectangle from `low` to `high` \[m\].
    ///
    /// # Errors
    /// [`Kind::OutOfRange`] when there are none.
    pub fn crop(&self, low: [f64; 2], high: [f64; 2]) -> Result<Self, DataFileError> {
        let [columns, rows] = [(0, self.columns), (1, self.rows)].map(|(axis, n)| {
            let inside = |i: &usize| (low[axis]..=high[axis]).contains(&self.centre(*i, *i)[axis]);
            let first = (0..n).find(inside).unwrap_or(n);
            first..(first..n).rev().find(inside).map_or(first, |last| last + 1)
        });
        if columns.is_empty() || rows.is_empty() {
            let ([x0, y0], [x1, y1]) = (self.lower_left, self.upper_right());
            let message = format!(
                "no cell of the raster, which reaches from {x0}, {y0} to {x1}, {y1}, has its centre in the rectangle from \
                 {}, {} to {}, {}",
                low[0], low[1], high[0], high[1]
            );
            return Err(DataFileError::new(Kind::OutOfRange, message));
        }
        let row = |r: usize| &self.heights[r * self.columns + columns.start..r * self.columns + columns.end];
        let heights = rows.clone().flat_map(|r| row(r).iter().copied()).collect();
        let along = |axis: usize, first: usize| self.lower_left[axis] + first as f64 * self.cell[axis];
        Raster::new([columns.len(), rows.len()], self.cell, [along(0, columns.start), along(1, rows.start)], heights)
    }

    /// The same terrain in square cells with sides of `cell` \[m\] from the same lower left corner on, as many as fit.
    /// A coarser cell has the mean of what it covers, which keeps volumes; a finer one the height between the four
    /// centres around it, at the edge continued, which keeps planes. Missing is a coarse cell that is missing for more
    /// than half, and a fine one with a missing one among its four.
    ///
    /// # Errors
    /// [`DataFileError`] for a size that is not above 0, larger than the raster, or makes too many cells.
    pub fn resample(&self, cell: f64) -> Result<Self, DataFileError> {
        if !(cell.is_finite() && cell > 0.0) {
            return Err(DataFileError::new(
                Kind::OutOfRange,
                format!("cells of {cell} m, but they need a size above 0"),
            ));
        }
        let count = |axis: usize, n: usize| (n as f64 * self.cell[axis] / cell * (1.0 + ROUNDING)).floor();
        let [columns, rows] = [count(0, self.columns), count(1, self.rows)];
        if columns < 1.0 || rows < 1.0 {
            let message = format!("cells of {cell} m are larger than the raster");
            return Err(DataFileError::new(Kind::OutOfRange, message));
        }
        // A cast of a number too large for the type gives the largest, which the check refuses.
        let size = [columns as usize, rows as usize];
        check_grid(size, [cell; 2], self.lower_left)?;
        let mut heights = Vec::with_capacity(size[0] * size[1]);
        let coarser = cell >= self.cell[0].max(self.cell[1]);
        let along: [Vec<Weights>; 2] = [(0, self.columns), (1, self.rows)].map(|(axis, n)| {
            let ratio = cell / self.cell[axis];
            (0..size[axis]).map(|i| if coarser { covered(i, ratio, n) } else { between(i, ratio, n) }).collect()
        });
        for y in &along[1] {
            heights.extend(along[0].iter().map(|x| self.weighted(x, y, coarser)));
        }
        Raster::new(size, [cell; 2], self.lower_left, heights)
    }

    fn weighted(&self, x: &Weights, y: &Weights, coarser: bool) -> f32 {
        let (mut sum, mut known, mut all) = (0.0, 0.0, 0.0);
        for (row, wy) in y.iter() {
            for (column, wx) in x.iter() {
                let (height, weight) = (f64::from(self.height(column, row)), wx * wy);
                all += weight;
                if !height.is_nan() {
                    sum += weight * height;
                    known += weight;
                }
            }
        }
        let enough = if coarser { known >= KNOWN_SHARE * all } else { known == all };
        if enough { (sum / known) as f32 } else { f32::NAN }
    }
}

/// Neighbouring cells from `first` on with their weights.
struct Weights {
    first: usize,
    weights: Vec<f64>,
}

impl Weights {
    /// Those with a weight.
    fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.weights.iter().enumerate().filter(|(_, w)| **w != 0.0).map(|(i, w)| (self.first + i, *w))
    }
}

/// How much the new cell `i`, `ratio` times as large, covers of each of `n` old ones.
fn covered(i: usize, ratio: f64, n: usize) -> Weights {
    let (start, end) = (i as f64 * ratio, ((i + 1) as f64 * ratio).min(n as f64));
    let first = (start as usize).min(n - 1);
    let last = (end.ceil() as usize).clamp(first + 1, n);
    let share = |k: usize| ((k + 1) as f64).min(end) - (k as f64).max(start);
    Weights { first, weights: (first..last).map(|k| share(k).max(0.0)).collect() }
}

/// The two old centres round that of the new cell `i`; beyond the last centres, the last two continued.
fn between(i: usize, ratio: f64, n: usize) -> Weights {
    let at = (i as f64 + 0.5) * ratio - 0.5;
    if n == 1 {
        return Weights { first: 0, weights: vec![1.0] };
    }
    let first = (at.max(0.0) as usize).min(n - 2);
    let share = at - first as f64;
    Weights { first, weights: vec![1.0 - share, share] }
}
