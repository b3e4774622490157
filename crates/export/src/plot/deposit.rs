//! A map of a deposit: its thickness by colour, its outline, and the ground below it.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{Chart, INK, Mark, TICK_SIZE, chart, colour, head, tick};
use super::{FAMILY, Figure, message};

/// A line on a map \[m\]; a closed one repeats its first point.
pub type MapLine = Vec<(f64, f64)>;

/// Thickness over a raster seen from above, at equal scales.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepositFigure {
    /// Title; may be empty.
    pub title: String,
    /// Size of a cell \[m\].
    pub cell: f64,
    /// Lowest corner of the lowest cell \[m\].
    pub lower_left: (f64, f64),
    /// Cells along x.
    pub columns: usize,
    /// Thickness \[m\], row by row along y; cells without any stay white.
    pub thickness: Vec<f64>,
    /// The outline, with its name in the legend.
    pub outline: (String, Vec<MapLine>),
    /// Lines of equal thickness, with their name.
    pub contours: (String, Vec<MapLine>),
    /// Lines of equal height of the ground, with their name.
    pub ground: (String, Vec<MapLine>),
}

/// Pixels beside and above the axes, as in `axes`; the bar of colours stands to the right.
const BESIDE: f64 = 12.0 + 96.0 + 28.0;
const ABOVE_AND_BELOW: f64 = 8.0 + 10.0 + 58.0 + 52.0 + 42.0;
const BAR: u32 = 120;
const WIDTH: u32 = 1300;
const HEIGHTS: (f64, f64) = (260.0, 900.0);
/// Most coloured cells that are drawn; of more, squares of cells are drawn with their mean.
const MOST_CELLS: usize = 40_000;
/// From thin to thick.
const COLOURS: [(u8, u8, u8); 5] = [(236, 240, 190), (150, 205, 165), (70, 150, 175), (50, 85, 150), (40, 25, 90)];
const GROUND: RGBColor = RGBColor(190, 186, 178);

/// The colour of a share of the largest thickness.
fn shade(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let from = (place as usize).min(COLOURS.len() - 2);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * (place - from as f64)).round() as u8;
    let (a, b) = (COLOURS[from], COLOURS[from + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

impl DepositFigure {
    fn rows(&self) -> usize {
        self.thickness.len().checked_div(self.columns).unwrap_or(0)
    }

    fn largest(&self) -> f64 {
        self.thickness.iter().copied().filter(|t| t.is_finite()).fold(0.0, f64::max)
    }

    /// Extent of the raster \[m\].
    fn extent(&self) -> (f64, f64) {
        (self.cell * self.columns as f64, self.cell * self.rows() as f64)
    }

    /// Width and height of the map \[pixels\].
    fn map_size(&self) -> (f64, f64) {
        let width = f64::from(WIDTH - BAR) - BESIDE;
        let (x, y) = self.extent();
        (width, (width * y / x).clamp(HEIGHTS.0, HEIGHTS.1))
    }

    /// What the axes show, at equal scales, the raster in the middle.
    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let ((width, height), (x, y)) = (self.map_size(), self.extent());
        let metres = (x / width).max(y / height);
        let around = |low: f64, extent: f64, pixels: f64| {
            let (middle, half) = (low + 0.5 * extent, 0.5 * metres * pixels);
            (middle - half, middle + half)
        };
        (around(self.lower_left.0, x, width), around(self.lower_left.1, y, height))
    }

    /// Squares of cells with their mean thickness, those with any: lowest corner, size \[m\] and thickness \[m\].
    fn squares(&self) -> Vec<((f64, f64), f64, f64)> {
        let coloured = self.thickness.iter().filter(|t| **t > 0.0).count();
        let side = (coloured as f64 / MOST_CELLS as f64).sqrt().ceil().max(1.0) as usize;
        let mut squares = Vec::new();
        for row in (0..self.rows()).step_by(side) {
            for column in (0..self.columns).step_by(side) {
                let rows = row..(row + side).min(self.rows());
                let sum = |r: usize| -> f64 {
                    let start = r * self.columns;
                    self.thickness[start + column..start + (column + side).min(self.columns)].iter().sum()
                };
                let mean = rows.map(sum).sum::<f64>() / (side * side) as f64;
                if mean > 0.0 {
                    let corner = |low: f64, i: usize| low + self.cell * i as f64;
                    let place = (corner(self.lower_left.0, column), corner(self.lower_left.1, row));
                    squares.push((place, self.cell * side as f64, mean));
                }
            }
        }
        squares
    }

    fn draw_map<B: DrawingBackend>(&self, chart: &mut Chart<B>) -> Result<(), String> {
        let lines = |chart: &mut Chart<B>, lines: &[MapLine], colour: RGBColor, width: u32| {
            let series = lines.iter().map(|line| PathElement::new(line.clone(), colour.stroke_width(width)));
            chart.draw_series(series).map(drop).map_err(message)
        };
        let largest = self.largest();
        let square = |((x, y), size, thickness): ((f64, f64), f64, f64)| {
            Rectangle::new([(x, y), (x + size, y + size)], shade(thickness / largest).filled())
        };
        chart.draw_series(self.squares().into_iter().map(square)).map_err(message)?;
        lines(chart, &self.ground.1, GROUND, 1)?;
        lines(chart, &self.contours.1, INK, 1)?;
        lines(chart, &self.outline.1, colour(1), 2)
    }

    /// The bar of colours with its numbers.
    fn draw_bar<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        const STEPS: i32 = 64;
        let height = area.dim_in_pixel().1 as i32;
        let (top, bottom) = (40, (height - 70).max(41));
        let style = TextStyle::from((FAMILY, TICK_SIZE)).color(&INK);
        let at = |k: i32| bottom - (bottom - top) * k / STEPS;
        for k in 0..STEPS {
            let filled = shade((f64::from(k) + 0.5) / f64::from(STEPS)).filled();
            area.draw(&Rectangle::new([(10, at(k + 1)), (32, at(k))], filled)).map_err(message)?;
        }
        area.draw_text("thickness", &style, (4, 0)).map_err(message)?;
        for k in 0..=4 {
            let value = self.largest() * f64::from(k) / 4.0;
            let text = format!("{} m", tick(value, 0.05 * self.largest()));
            area.draw_text(&text, &style, (40, at(k * STEPS / 4) - 10)).map_err(message)?;
        }
        Ok(())
    }
}

impl Figure for DepositFigure {
    fn size(&self) -> (u32, u32) {
        let height = self.map_size().1 + ABOVE_AND_BELOW;
        (WIDTH, if height.is_finite() { height as u32 } else { 600 })
    }

    fn problem(&self) -> Option<String> {
        let (x, y) = self.extent();
        let drawable = self.largest() > 0.0 && x.is_finite() && y.is_finite() && x > 0.0 && y > 0.0;
        (!drawable).then(|| "no deposit".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let named = [(&self.outline, colour(1)), (&self.contours, INK), (&self.ground, GROUND)];
        let entries = named.iter().filter(|((_, lines), _)| !lines.is_empty());
        let entries: Vec<_> = entries.map(|((name, _), colour)| (name.clone(), *colour, Mark::Line)).collect();
        let body = head(area, &self.title, &entries)?;
        let (map, bar) = body.split_horizontally(WIDTH - BAR);
        let (x, y) = self.ranges();
        let mut chart = chart(&map, x, y, ("x [m]", "y [m]"))?;
        self.draw_map(&mut chart)?;
        self.draw_bar(&bar)
    }
}
