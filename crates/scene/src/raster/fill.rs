//! Heights for the cells that have none, when the caller asks for them.

use super::Raster;
use crate::data_file::{DataFileError, DataFileErrorKind as Kind};

/// How missing heights are made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillMethod {
    /// That of the nearest cell that has one; of several equally near, the first in the order of heights.
    Nearest,
    /// A membrane over the hole: Laplace's equation with the heights around it held, and no slope across the edge of
    /// the raster. Neither above the highest of these nor below the lowest.
    Smooth,
}

impl FillMethod {
    /// Both.
    pub const ALL: [FillMethod; 2] = [FillMethod::Nearest, FillMethod::Smooth];

    /// Name on the command line and in scenes.
    pub fn name(self) -> &'static str {
        match self {
            FillMethod::Nearest => "nearest",
            FillMethod::Smooth => "smooth",
        }
    }
}

/// Residual at which a smooth fill ends, over that of the nearest heights it starts from.
const SMOOTH_RESIDUAL: f64 = 1e-9;
/// Most iterations of a smooth fill. They grow with the width of the hole in cells: one of 400 x 400 takes some 1000.
const MOST_ITERATIONS: usize = 20_000;

impl Raster {
    /// Gives every missing cell a height and returns how many were missing.
    ///
    /// # Errors
    /// [`Kind::MissingCells`] when no cell has a height to start from.
    pub fn fill_missing(&mut self, method: FillMethod) -> Result<usize, DataFileError> {
        let holes: Vec<usize> = (0..self.heights.len()).filter(|i| self.heights[*i].is_nan()).collect();
        if holes.len() == self.heights.len() {
            return Err(DataFileError::new(Kind::MissingCells, "no cell has a height, so none can be filled"));
        }
        if holes.is_empty() {
            return Ok(0);
        }
        let nearest = self.nearest_known();
        for hole in &holes {
            self.heights[*hole] = self.heights[nearest[*hole]];
        }
        if method == FillMethod::Smooth {
            Membrane::new(self, &holes).relax(&mut self.heights);
        }
        Ok(holes.len())
    }

    /// For each cell the nearest that has a height: first within each column, then, row by row, the lowest of the
    /// parabolas that these distances make (Felzenszwalb and Huttenlocher 2012). Linear in the number of cells.
    fn nearest_known(&self) -> Vec<usize> {
        let (columns, rows) = (self.columns, self.rows);
        let mut nearest: Vec<Option<usize>> = vec![None; columns * rows];
        for column in 0..columns {
            nearest_in_column(&self.heights, &mut nearest, column, columns);
        }
        let mut found = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            let sites = &nearest[row * columns..(row + 1) * columns];
            nearest_in_row(sites, row, columns, self.cell, &mut found);
        }
        found
    }
}

/// The nearest known cell of the same column, row by row.
fn nearest_in_column(heights: &[f32], nearest: &mut [Option<usize>], column: usize, columns: usize) {
    let rows = heights.len() / columns;
    let mut last = None;
    for row in 0..rows {
        let at = row * columns + column;
        last = if heights[at].is_nan() { last } else { Some(at) };
        nearest[at] = last;
    }
    let mut next: Option<usize> = None;
    for row in (0..rows).rev() {
        let at = row * columns + column;
        next = if heights[at].is_nan() { next } else { Some(at) };
        nearest[at] = match (nearest[at], next) {
            (Some(below), Some(above)) if (above - at) < (at - below) => Some(above),
            (None, above) => above,
            (below, _) => below,
        };
    }
}

/// For each column of a row the site that is nearest; `sites` holds that of each column by itself.
fn nearest_in_row(sites: &[Option<usize>], row: usize, columns: usize, cell: [f64; 2], found: &mut Vec<usize>) {
    let across: Vec<(usize, usize, f64)> = sites
        .iter()
        .enumerate()
        .filter_map(|(column, site)| {
            let away = cell[1] * ((*site)? / columns).abs_diff(row) as f64;
            Some((column, (*site)?, away * away))
        })
        .collect();
    // Parabolas of the lower envelope, each with the column from which on it is the lowest.
    let mut envelope: Vec<(usize, f64)> = Vec::new();
    let width = cell[0] * cell[0];
    for (i, (column, _, away)) in across.iter().enumerate() {
        let mut from = f64::NEG_INFINITY;
        while let Some((last, start)) = envelope.last() {
            let (before, _, other) = across[*last];
            let (x, y) = (*column as f64, before as f64);
            from = 0.5 * (x + y) + 0.5 * (away - other) / (width * (x - y));
            if from > *start {
                break;
            }
            envelope.pop();
            from = f64::NEG_INFINITY;
        }
        envelope.push((i, from));
    }
    let mut here = 0;
    for column in 0..columns {
        while here + 1 < envelope.len() && envelope[here + 1].1 < column as f64 {
            here += 1;
        }
        found.push(across[envelope[here].0].1);
    }
}

/// Laplace's equation on the missing cells, five points each, solved by conjugate gradients in f64.
struct Membrane {
    /// For each unknown its neighbours: the number of another unknown, or a held height.
    neighbours: Vec<[Neighbour; 4]>,
    holes: Vec<usize>,
    /// Conductance to the neighbours along x and y.
    weight: [f64; 2],
}

#[derive(Clone, Copy)]
enum Neighbour {
    Unknown(usize),
    Held(f64),
    None,
}

impl Membrane {
    /// `raster` already has some height in each of `holes`.
    fn new(raster: &Raster, holes: &[usize]) -> Self {
        let (columns, rows) = (raster.columns, raster.rows);
        let mut number = vec![usize::MAX; columns * rows];
        holes.iter().enumerate().for_each(|(i, hole)| number[*hole] = i);
        let at = |inside: bool, cell: usize| match inside {
            false => Neighbour::None,
            true if number[cell] == usize::MAX => Neighbour::Held(raster.heights[cell].into()),
            true => Neighbour::Unknown(number[cell]),
        };
        let around = |hole: &usize| {
            let (column, row) = (hole % columns, hole / columns);
            [
                at(column > 0, hole.wrapping_sub(1)),
                at(column + 1 < columns, hole + 1),
                at(row > 0, hole.wrapping_sub(columns)),
                at(row + 1 < rows, hole + columns),
            ]
        };
        // Only their ratio counts.
        let weight = [1.0, (raster.cell[0] / raster.cell[1]) * (raster.cell[0] / raster.cell[1])];
        Membrane { neighbours: holes.iter().map(around).collect(), holes: holes.to_vec(), weight }
    }

    /// What flows out of each unknown; held heights count as `held` times themselves.
    fn apply(&self, x: &[f64], held: f64, out: &mut [f64]) {
        for (i, around) in self.neighbours.iter().enumerate() {
            let flow = |(k, neighbour): (usize, &Neighbour)| match neighbour {
                Neighbour::Unknown(j) => self.weight[k / 2] * (x[i] - x[*j]),
                Neighbour::Held(height) => self.weight[k / 2] * (x[i] - held * height),
                Neighbour::None => 0.0,
            };
            out[i] = around.iter().enumerate().map(flow).sum();
        }
    }

    fn relax(&self, heights: &mut [f32]) {
        let n = self.holes.len();
        let mut x: Vec<f64> = self.holes.iter().map(|hole| heights[*hole].into()).collect();
        let mut product = vec![0.0; n];
        self.apply(&x, 1.0, &mut product);
        let mut residual: Vec<f64> = product.iter().map(|flow| -flow).collect();
        let mut direction = residual.clone();
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let start = square(&residual);
        let mut now = start;
        for _ in 0..MOST_ITERATIONS {
            if now <= SMOOTH_RESIDUAL * SMOOTH_RESIDUAL * start {
                break;
            }
            self.apply(&direction, 0.0, &mut product);
            let curvature: f64 = direction.iter().zip(&product).map(|(d, p)| d * p).sum();
            if curvature <= 0.0 {
                break;
            }
            let step = now / curvature;
            for i in 0..n {
                x[i] += step * direction[i];
                residual[i] -= step * product[i];
            }
            let next = square(&residual);
            let keep = next / now;
            (0..n).for_each(|i| direction[i] = residual[i] + keep * direction[i]);
            now = next;
        }
        self.holes.iter().zip(x).for_each(|(hole, x)| heights[*hole] = x as f32);
    }
}
