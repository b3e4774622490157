//! The deposit of an avalanche on a raster: its thickness, and the outline of where it is thick.
//!
//! The thickness of a cell is the volume of solid in it over its area. The volume of a grain is spread evenly over the
//! rectangle that its box covers in plan, so that the raster holds the volume of all grains to rounding, and a box
//! whose sides lie along x and y is exact. Pores do not count.

use glam::DVec2;
use thiserror::Error;

use crate::contour::{ContourLine, Field, contour_lines};
use crate::grain::{Grain, counted};
use crate::sum::Sum;

/// Most cells of a deposit's raster: beyond it a grain has flown off, or cells are too small.
pub const MOST_DEPOSIT_CELLS: usize = 4_000_000;

/// A deposit that has no raster.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DepositError {
    /// There is no grain with a mass.
    #[error("there is no grain")]
    Empty,
    /// The cells have no size.
    #[error("cells of {0} m, but they must have a finite size above 0")]
    Cell(f64),
    /// The grains lie too far apart for cells of this size.
    #[error("grains lie over {extent} m, which are more cells of {cell} m than {MOST_DEPOSIT_CELLS} in all")]
    TooLarge {
        /// Larger side of the rectangle of all grains \[m\].
        extent: f64,
        /// Size of a cell \[m\].
        cell: f64,
    },
}

/// Thickness of a deposit in square cells along x and y. Cells begin at whole multiples of their size, and at least one
/// row of bare cells lies around the deposit.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    /// Size of a cell \[m\].
    pub cell: f64,
    /// Lowest corner of the lowest cell \[m\].
    pub lower_left: DVec2,
    /// Cells along x.
    pub columns: usize,
    /// Cells along y.
    pub rows: usize,
    /// Volume of solid over the area of the cell \[m\], row by row along y, each row along x.
    pub thickness: Vec<f64>,
}

impl Deposit {
    /// The deposit of `grains` in cells of size `cell` \[m\].
    ///
    /// # Errors
    /// [`DepositError`] without grains, for cells without size and for more than [`MOST_DEPOSIT_CELLS`] cells.
    pub fn of(grains: &[Grain], cell: f64) -> Result<Self, DepositError> {
        if !(cell.is_finite() && cell > 0.0) {
            return Err(DepositError::Cell(cell));
        }
        let grains = counted(grains);
        let min = grains.iter().map(|g| g.min.truncate()).reduce(DVec2::min).ok_or(DepositError::Empty)?;
        let max = grains.iter().map(|g| g.max.truncate()).reduce(DVec2::max).ok_or(DepositError::Empty)?;
        let first = (min / cell).floor() - 1.0;
        let counts = (max / cell).ceil() + 1.0 - first;
        let too_large = DepositError::TooLarge { extent: (max - min).max_element(), cell };
        if !(counts.is_finite() && counts.x * counts.y <= MOST_DEPOSIT_CELLS as f64) {
            return Err(too_large);
        }
        let (columns, rows) = (counts.x as usize, counts.y as usize);
        let thickness = vec![0.0; columns * rows];
        let mut deposit = Deposit { cell, lower_left: first * cell, columns, rows, thickness };
        grains.iter().for_each(|g| deposit.spread(g));
        Ok(deposit)
    }

    /// Spreads the volume of a grain over the rectangle below its box.
    fn spread(&mut self, grain: &Grain) {
        let (min, max) = (grain.min.truncate(), grain.max.truncate());
        let (low, high) = ((min - self.lower_left) / self.cell, (max - self.lower_left) / self.cell);
        let shares = |low: f64, high: f64, count: usize| -> Vec<(usize, f64)> {
            let (from, to) = (low as usize, (high.ceil() as usize).clamp(low as usize + 1, count));
            let covered = |i: usize| high.min((i + 1) as f64) - low.max(i as f64);
            // Without extent, all is in one cell.
            let share = |i: usize| if high > low { covered(i).max(0.0) / (high - low) } else { 1.0 };
            (from..to).map(|i| (i, share(i))).collect()
        };
        let along = shares(low.x, high.x, self.columns);
        for (row, across) in shares(low.y, high.y, self.rows) {
            for (column, share) in &along {
                let volume = grain.volume * share * across;
                self.thickness[row * self.columns + column] += volume / (self.cell * self.cell);
            }
        }
    }

    /// Centre of a cell, by its place in `thickness` \[m\].
    pub fn centre(&self, cell: usize) -> DVec2 {
        let (column, row) = (cell % self.columns, cell / self.columns);
        self.lower_left + self.cell * (DVec2::new(column as f64, row as f64) + 0.5)
    }

    /// Volume of solid \[m3\].
    pub fn volume(&self) -> f64 {
        self.thickness.iter().copied().collect::<Sum>().value() * self.cell * self.cell
    }

    /// The cell that is thickest, the first of equal ones, and its thickness \[m\].
    pub fn thickest(&self) -> (usize, f64) {
        let thicker = |best: (usize, f64), (i, t): (usize, &f64)| if *t > best.1 { (i, *t) } else { best };
        self.thickness.iter().enumerate().fold((0, 0.0), thicker)
    }

    /// The lines at which the deposit is as thick as `level` \[m\], above 0, between centres of cells.
    pub fn contour(&self, level: f64) -> Vec<ContourLine> {
        contour_lines(&self.field(&self.thickness), level)
    }

    /// Values for each cell as a field whose nodes are the centres of cells.
    pub fn field<'a>(&self, values: &'a [f64]) -> Field<'a> {
        Field { origin: self.lower_left + 0.5 * self.cell, pitch: self.cell, columns: self.columns, values }
    }
}

/// What closed lines enclose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Pieces that do not hang together.
    pub pieces: usize,
    /// Area \[m2\]; holes are taken off.
    pub area: f64,
    /// Length along a direction \[m\].
    pub length: f64,
    /// Width across it \[m\].
    pub width: f64,
}

impl Extent {
    /// Of all `lines`, along `direction`, a unit vector; none where they enclose nothing.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a ContourLine>, direction: DVec2) -> Option<Self> {
        let lines: Vec<_> = lines.into_iter().collect();
        let points = || lines.iter().flat_map(|l| &l.points);
        let range = |axis: DVec2| {
            let places = points().map(|p| p.dot(axis));
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
        };
        let (along, across) = (range(direction), range(direction.perp()));
        let areas = || lines.iter().map(|l| l.area());
        let pieces = areas().filter(|a| *a > 0.0).count();
        let area = areas().collect::<Sum>().value();
        (pieces > 0).then_some(Extent { pieces, area, length: along.1 - along.0, width: across.1 - across.0 })
    }
}

/// The line that encloses most \[m2\], the first of equal ones; none where none encloses anything.
pub fn main_outline(lines: &[ContourLine]) -> Option<&ContourLine> {
    let enclosing = lines.iter().filter(|line| line.area() > 0.0);
    enclosing.reduce(|best, line| if line.area() > best.area() { line } else { best })
}
