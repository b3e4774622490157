//! The height of a surface over the cells of a floor, in strips that run downhill.
//!
//! A cell has the height of the highest surface point above it, counted from the floor. A bare cell is floor and has
//! height 0: nothing is left out, so that an edge is an edge.

use glam::DVec2;

use crate::repose::{Fall, GridError, LongSide, ReposeGrid};

/// Heights over equal cells; the first cell of a strip lies on the high side, the last where the pile falls to.
#[derive(Clone, Debug, PartialEq)]
pub struct Heights {
    first: f64,
    step: f64,
    floor: f64,
    strip_width: f64,
    strips: Vec<Vec<f64>>,
}

impl Heights {
    /// Most cells of a strip; floors of more grain diameters get longer cells.
    pub const MOST_CELLS: usize = 10_000;

    /// Heights above `floor` \[m\] in strips of cells, in the order of the fall.
    ///
    /// The first cell of each strip has its centre at `first`, the next at `first + step` \[m\]: `step` is negative
    /// where the pile falls towards smaller coordinates. Strips are taken to be as wide as the cells are long.
    pub fn new(first: f64, step: f64, floor: f64, strips: Vec<Vec<f64>>) -> Self {
        Heights { first, step, floor, strip_width: step.abs(), strips }
    }

    /// The same heights over strips of this width \[m\].
    pub fn with_strip_width(self, strip_width: f64) -> Self {
        Heights { strip_width, ..self }
    }

    /// The grid for grains of `diameter` \[m\]: `strips` across, cells as near to one diameter long as fills the floor,
    /// two at least.
    ///
    /// # Errors
    /// [`GridError`] for a floor without area and for no strip.
    pub fn grid(
        (min, max): (DVec2, DVec2),
        long_side: LongSide,
        strips: usize,
        diameter: f64,
    ) -> Result<ReposeGrid, GridError> {
        let length = match long_side {
            LongSide::X => max.x - min.x,
            LongSide::Y => max.y - min.y,
        };
        // A length that is no number makes a grid of two cells, which the grid itself refuses.
        let cells = ((length / diameter).round() as usize).clamp(2, Self::MOST_CELLS);
        ReposeGrid::with_cells(min, max, long_side, strips, cells)
    }

    /// Heights of the points in `grid` above `floor` \[m\], seen in the direction of the fall.
    pub fn of_grid(grid: &ReposeGrid, floor: f64, fall: Fall) -> Self {
        let rows = grid.rows();
        let mut strips: Vec<Vec<f64>> =
            rows.map(|row| row.iter().map(|top| top.map_or(0.0, |p| p.z - floor)).collect()).collect();
        let (low, high) = grid.ends();
        let cell = (high - low) / strips.first().map_or(1, Vec::len) as f64;
        let heights = match fall {
            Fall::Positive => Heights::new(low + 0.5 * cell, cell, floor, strips),
            Fall::Negative => {
                strips.iter_mut().for_each(|strip| strip.reverse());
                Heights::new(high - 0.5 * cell, -cell, floor, strips)
            }
        };
        heights.with_strip_width(grid.strip_width())
    }

    /// The strips; each holds the heights of its cells above the floor \[m\].
    pub fn strips(&self) -> &[Vec<f64>] {
        &self.strips
    }

    /// Coordinate of the centre of cell `k` of a strip along the long side \[m\].
    pub fn place(&self, k: usize) -> f64 {
        self.first + self.step * k as f64
    }

    /// Distance of the centre of cell `k` from that of the first \[m\].
    pub fn way(&self, k: usize) -> f64 {
        self.step.abs() * k as f64
    }

    /// Width of a strip \[m\].
    pub fn strip_width(&self) -> f64 {
        self.strip_width
    }

    /// Level of the floor \[m\].
    pub fn floor(&self) -> f64 {
        self.floor
    }
}
