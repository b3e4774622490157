//! The angle of repose after Tang, Paluszny and Zimmerman 2014, section 7.5, and the profile of the surface.
//!
//! The floor is divided into 16 cells along its long side and 8 across, which makes 8 strips of 16 cells. In each cell
//! the highest surface point of all grains above it counts; a cell without one contributes nothing. A straight line
//! `z = a + b x` is fitted by least squares through the points of a strip, x being the point's own coordinate along the
//! strip, and the angle of the strip is `atan(-b)` where the pile falls towards +x. The angle of repose is the mean
//! over the strips, and the paper's absolute error the mean of (largest - mean) and (mean - smallest).
//!
//! A strip with fewer than two points, or with all of them at one x, has no line; it is counted and otherwise left out.

use glam::{DVec2, DVec3, Vec2Swizzles};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which side of the floor strips run along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LongSide {
    /// Along the world's x.
    X,
    /// Along the world's y.
    Y,
}

/// Which way along the long side the pile falls: towards the side whose wall was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fall {
    /// Towards larger coordinates.
    Positive,
    /// Towards smaller coordinates.
    Negative,
}

/// A grid that cannot be laid out.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GridError {
    /// The floor has no area or is not finite.
    #[error("the floor spans {0} by {1} m, but both must be finite and above 0")]
    Floor(f64, f64),
    /// There is no cell.
    #[error("a grid of {0} strips with {1} cells each has no cell")]
    Cells(usize, usize),
}

/// One cell of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its number; cells of a strip follow each other along the long side.
    pub index: usize,
    /// The strip to which it belongs.
    pub strip: usize,
    /// Lowest corner, x and y in the world \[m\].
    pub min: DVec2,
    /// Highest corner, x and y in the world \[m\].
    pub max: DVec2,
}

/// The line `z = a + b x` through the points of a strip, x along the long side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Angle below the horizontal in the direction of the fall \[degrees\].
    pub angle_deg: f64,
    /// Height at coordinate 0 \[m\].
    pub a: f64,
    /// Slope \[-\].
    pub b: f64,
}

/// One strip of the floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strip {
    /// Cells in which there was a point.
    pub nodes: usize,
    /// The line through them; `None` when they determine none.
    pub line: Option<Line>,
}

/// The measured angle of repose; all angles in degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReposeAngle {
    /// Mean over the strips that have a line.
    pub mean: f64,
    /// Smallest angle of a strip.
    pub min: f64,
    /// Largest angle of a strip.
    pub max: f64,
    /// The paper's absolute error: the mean of `max - mean` and `mean - min`.
    pub absolute_error: f64,
    /// Every strip in its order across the floor.
    pub strips: Vec<Strip>,
    /// How many strips had no line.
    pub strips_without_line: usize,
}

/// A bin of the surface profile along the long side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileBin {
    /// Where the bin starts along the long side \[m\].
    pub from: f64,
    /// Where it ends \[m\].
    pub to: f64,
    /// Highest point of all strips \[m\]; `None` when the bin is bare.
    pub highest: Option<f64>,
    /// Mean over the strips of the highest point in each \[m\]; bare cells are left out.
    pub mean_highest: Option<f64>,
}

/// A grid over the floor that remembers the highest point offered for each cell.
///
/// What is measured does not depend on the order in which points were offered.
#[derive(Clone, Debug, PartialEq)]
pub struct ReposeGrid {
    min: DVec2,
    max: DVec2,
    long_side: LongSide,
    strips: usize,
    cells_per_strip: usize,
    highest: Vec<Option<DVec3>>,
}

/// How far beyond its cell a point given for it may lie, as a share of the cell: the rounding of an analytic formula.
const BORDER: f64 = 1e-9;

impl ReposeGrid {
    /// Strips of the paper's grid.
    pub const STRIPS: usize = 8;
    /// Cells in each strip of the paper's grid.
    pub const CELLS_PER_STRIP: usize = 16;

    /// The paper's grid of 16 by 8 cells over the floor from `min` to `max` (x and y in the world) \[m\].
    pub fn new(min: DVec2, max: DVec2, long_side: LongSide) -> Result<Self, GridError> {
        Self::with_cells(min, max, long_side, Self::STRIPS, Self::CELLS_PER_STRIP)
    }

    /// A grid of `strips` times `cells_per_strip` cells: as [`new`](ReposeGrid::new), finer or coarser.
    pub fn with_cells(
        min: DVec2,
        max: DVec2,
        long_side: LongSide,
        strips: usize,
        cells_per_strip: usize,
    ) -> Result<Self, GridError> {
        let extent = max - min;
        if !(extent.is_finite() && extent.min_element() > 0.0) {
            return Err(GridError::Floor(extent.x, extent.y));
        }
        match strips.checked_mul(cells_per_strip) {
            Some(cells) if cells > 0 => {
                Ok(ReposeGrid { min, max, long_side, strips, cells_per_strip, highest: vec![None; cells] })
            }
            _ => Err(GridError::Cells(strips, cells_per_strip)),
        }
    }

    /// The cells, in the order of their numbers.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        (0..self.highest.len()).map(|index| self.cell(index))
    }

    /// Offers a surface point \[m\]; counts for the cell below it. Returns false for a point beside the floor.
    pub fn offer(&mut self, point: DVec3) -> bool {
        let (low, high, p) =
            (self.along_first(self.min), self.along_first(self.max), self.along_first(point.truncate()));
        if !(point.is_finite() && p.cmpge(low).all() && p.cmple(high).all()) {
            return false;
        }
        let counts = DVec2::new(self.cells_per_strip as f64, self.strips as f64);
        let place = ((p - low) / (high - low) * counts).floor();
        // The far border belongs to the last cell.
        let along = (place.x as usize).min(self.cells_per_strip - 1);
        let strip = (place.y as usize).min(self.strips - 1);
        self.raise(strip * self.cells_per_strip + along, point);
        true
    }

    /// Offers a surface point \[m\] above a cell, also one on its border, where the highest point above a cell mostly
    /// is. Returns false for a cell that does not exist or a point that is not above it.
    pub fn offer_in(&mut self, cell: usize, point: DVec3) -> bool {
        if cell >= self.highest.len() || !point.is_finite() {
            return false;
        }
        let Cell { min, max, .. } = self.cell(cell);
        let slack = BORDER * (max - min);
        let p = point.truncate();
        let above = p.cmpge(min - slack).all() && p.cmple(max + slack).all();
        if above {
            self.raise(cell, point);
        }
        above
    }

    /// The highest point so far above a cell; `None` for a bare cell and beyond the last.
    pub fn highest(&self, cell: usize) -> Option<DVec3> {
        self.highest.get(cell).copied().flatten()
    }

    /// The highest points so far, strip by strip; cells of a strip follow each other along the long side.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Option<DVec3>]> {
        self.highest.chunks_exact(self.cells_per_strip)
    }

    /// Where the strips begin and end along the long side \[m\].
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.along_first(self.min).x, self.along_first(self.max).x)
    }

    /// Width of a strip \[m\].
    pub(crate) fn strip_width(&self) -> f64 {
        (self.along_first(self.max).y - self.along_first(self.min).y) / self.strips as f64
    }

    /// The cells that a body between the corners `min` and `max` (x and y in the world \[m\]) may lie above, and at
    /// most one more on each side.
    pub fn cells_below(&self, min: DVec2, max: DVec2) -> impl Iterator<Item = Cell> + '_ {
        let (low, high) = (self.along_first(self.min), self.along_first(self.max));
        let counts = DVec2::new(self.cells_per_strip as f64, self.strips as f64);
        let place = |p: DVec2| (self.along_first(p) - low) / (high - low) * counts;
        // Casts saturate: what lies before the floor begins at cell 0, what lies beyond it has an empty range.
        let (from, to) = (place(min).floor() - 1.0, place(max).floor() + 2.0);
        let along = from.x as usize..(to.x as usize).min(self.cells_per_strip);
        let across = from.y as usize..(to.y as usize).min(self.strips);
        across.flat_map(move |s| along.clone().map(move |k| self.cell(s * self.cells_per_strip + k)))
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.highest.fill(None);
    }

    /// The angle of repose of a pile that falls towards `fall`; `None` when no strip has a line.
    pub fn measure(&self, fall: Fall) -> Option<ReposeAngle> {
        let strips: Vec<Strip> = (0..self.strips).map(|strip| self.fit(strip, fall)).collect();
        let angles = || strips.iter().filter_map(|strip| strip.line).map(|line| line.angle_deg);
        let count = angles().count();
        if count == 0 {
            return None;
        }
        let mean = angles().sum::<f64>() / count as f64;
        let (min, max) = angles().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let absolute_error = 0.5 * ((max - mean) + (mean - min));
        Some(ReposeAngle { mean, min, max, absolute_error, strips_without_line: self.strips - count, strips })
    }

    /// The surface along the long side, one bin for each cell of a strip.
    pub fn profile(&self) -> Vec<ProfileBin> {
        let bin = |along: usize| {
            let heights =
                || (0..self.strips).filter_map(move |s| self.highest[s * self.cells_per_strip + along]).map(|p| p.z);
            let count = heights().count();
            let cell = self.cell(along);
            ProfileBin {
                from: self.along_first(cell.min).x,
                to: self.along_first(cell.max).x,
                highest: heights().reduce(f64::max),
                mean_highest: (count > 0).then(|| heights().sum::<f64>() / count as f64),
            }
        };
        (0..self.cells_per_strip).map(bin).collect()
    }

    fn cell(&self, index: usize) -> Cell {
        let strip = index / self.cells_per_strip;
        let (low, high) = (self.along_first(self.min), self.along_first(self.max));
        let counts = DVec2::new(self.cells_per_strip as f64, self.strips as f64);
        let corner =
            |x: usize, y: usize| self.along_first(low + (high - low) * (DVec2::new(x as f64, y as f64) / counts));
        let along = index % self.cells_per_strip;
        Cell { index, strip, min: corner(along, strip), max: corner(along + 1, strip + 1) }
    }

    /// From (x, y) to (along, across) and back: the same exchange, or none.
    fn along_first(&self, p: DVec2) -> DVec2 {
        match self.long_side {
            LongSide::X => p,
            LongSide::Y => p.yx(),
        }
    }

    fn raise(&mut self, cell: usize, point: DVec3) {
        // Among points of one height the first in x, then in y: the order of the offers must not matter.
        let rank = |p: DVec3| (p.z, -p.x, -p.y);
        let place = &mut self.highest[cell];
        if place.is_none_or(|old| rank(point) > rank(old)) {
            *place = Some(point);
        }
    }

    fn fit(&self, strip: usize, fall: Fall) -> Strip {
        let start = strip * self.cells_per_strip;
        let points = || {
            let highest = self.highest[start..start + self.cells_per_strip].iter().flatten();
            highest.map(|p| (self.along_first(p.truncate()).x, p.z))
        };
        let nodes = points().count();
        if nodes < 2 {
            return Strip { nodes, line: None };
        }
        // Moments about the mean, so that a floor far from the origin costs no digits.
        let (sum_x, sum_z) = points().fold((0.0, 0.0), |(x, z), p| (x + p.0, z + p.1));
        let (mean_x, mean_z) = (sum_x / nodes as f64, sum_z / nodes as f64);
        let (mut spread, mut product) = (0.0, 0.0);
        for (x, z) in points() {
            spread += (x - mean_x) * (x - mean_x);
            product += (x - mean_x) * (z - mean_z);
        }
        let b = product / spread;
        if !b.is_finite() {
            return Strip { nodes, line: None };
        }
        let drop = match fall {
            Fall::Positive => -b,
            Fall::Negative => b,
        };
        Strip { nodes, line: Some(Line { angle_deg: libm::atan(drop).to_degrees(), a: mean_z - b * mean_x, b }) }
    }
}
