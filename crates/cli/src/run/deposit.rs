//! The deposit of an avalanche: its rasters, its outline and its map.

use glam::DVec2;
use granule_engine::Snapshot;
use granule_export::plot::{DepositFigure, MapLine};
use granule_export::{DepositSummary, ExtentSummary, write_outlines};
use granule_measure::{ContourLine, Deposit, Extent, MOST_DEPOSIT_CELLS, contour_lines, main_outline};
use granule_scene::{AvalanchePlan, Raster};

use super::avalanche::Grains;
use super::measure::{ground_level, median_diameter, particles};
use crate::error::CliError;
use crate::results::Results;

/// Names of the files, and stem of the plot.
pub(super) const THICKNESS: &str = "deposit.asc";
pub(super) const DEPTH: &str = "deposit_depth.asc";
pub(super) const OUTLINE: &str = "deposit_outline.csv";
pub(super) const PLOT: &str = "deposit";

/// Thickness along the outline, in grain diameters: the ground below a single layer is covered by some 15 %.
const OUTLINE_DIAMETERS: f64 = 0.1;
/// Most cells below whose map lines of the ground are drawn: it is asked for its height at each of them.
const MOST_GROUND: usize = 250_000;
/// Frame around the deposit on a map, over its larger side; the flattest and the tallest map, height over width.
const MARGIN: f64 = 0.05;
const FLATTEST: f64 = 0.3;
const TALLEST: f64 = 0.85;
/// Lines of equal thickness and of equal height that a map has about.
const CONTOURS: f64 = 4.0;
const GROUND_CONTOURS: f64 = 15.0;

/// A deposit with its outline.
pub(super) struct DepositMap {
    direction: DVec2,
    deposit: Deposit,
    /// Thickness along the outline \[m\].
    level: f64,
    outline: Vec<ContourLine>,
    /// Height of the surface over the ground at the centres of cells \[m\]; NaN where there is none.
    depth: Vec<f64>,
}

impl DepositMap {
    /// The deposit of a state.
    ///
    /// # Errors
    /// Why there is none, a sentence.
    pub(super) fn of(snapshot: &Snapshot, plan: &AvalanchePlan) -> Result<Self, String> {
        let grains = Grains::of(snapshot, plan.direction.into()).all();
        let diameter = median_diameter(snapshot).unwrap_or(0.0);
        let deposit = Deposit::of(&grains, plan.cell.unwrap_or(diameter))
            .map_err(|reason| format!("there is no deposit of `[measure.avalanche]`: {reason}"))?;
        let level = plan.outline.unwrap_or(OUTLINE_DIAMETERS * diameter);
        let (outline, depth) = (deposit.contour(level), depth(snapshot, &deposit));
        Ok(DepositMap { direction: plan.direction.into(), deposit, level, outline, depth })
    }

    /// The answer for `summary.json`, and why some of it is missing.
    pub(super) fn summary(&self) -> (Option<DepositSummary>, Vec<String>) {
        let (cell, largest_thickness) = self.deposit.thickest();
        let extent = |lines: &mut dyn Iterator<Item = &ContourLine>| {
            let found = Extent::of(lines, self.direction)?;
            let Extent { pieces, area, length, width } = found;
            Some(ExtentSummary { pieces: pieces as u64, area, length, width })
        };
        let summary = DepositSummary {
            cell: self.deposit.cell,
            volume: self.deposit.volume(),
            largest_thickness,
            thickest_at: self.deposit.centre(cell).to_array(),
            largest_depth: self.depth.iter().copied().filter(|d| d.is_finite()).reduce(f64::max),
            outline_thickness: self.level,
            all: extent(&mut self.outline.iter()),
            main: extent(&mut main_outline(&self.outline).into_iter()),
        };
        let mut remarks = Vec::new();
        if summary.all.is_none() {
            let level = self.level;
            remarks.push(format!("there is no outline of the deposit: it is nowhere thicker than {level:.3} m"));
        }
        if summary.largest_depth.is_none() {
            remarks
                .push("there is no depth of the deposit: no grain lies over ground at the centre of a cell".to_owned());
        }
        (Some(summary), remarks)
    }

    /// Writes the rasters and the outline.
    pub(super) fn write(&self, results: &Results) -> Result<(), CliError> {
        for (name, values) in [(THICKNESS, &self.deposit.thickness), (DEPTH, &self.depth)] {
            let heights = values.iter().map(|v| *v as f32).collect();
            let Deposit { cell, lower_left, columns, rows, .. } = self.deposit;
            let raster = Raster::new([columns, rows], [cell; 2], lower_left.to_array(), heights)?;
            raster.save(&results.file(name)?)?;
        }
        let lines: Vec<Vec<[f64; 2]>> =
            self.outline.iter().map(|line| line.points.iter().map(|p| p.to_array()).collect()).collect();
        Ok(write_outlines(&results.file(OUTLINE)?, &lines)?)
    }

    /// The map.
    pub(super) fn figure(&self, snapshot: &Snapshot, title: String) -> DepositFigure {
        let (_, largest) = self.deposit.thickest();
        let step = round_step(largest / CONTOURS);
        let levels = (1..=(largest / step).min(4.0 * CONTOURS) as usize).map(|k| k as f64 * step);
        let contours = levels.flat_map(|level| self.deposit.contour(level)).map(|line| map_line(&line));
        let shown = with_surroundings(&self.deposit);
        DepositFigure {
            title,
            cell: shown.cell,
            lower_left: shown.lower_left.into(),
            columns: shown.columns,
            outline: (format!("outline, {} m thick", short(self.level)), self.outline.iter().map(map_line).collect()),
            contours: (format!("thickness, every {} m", short(step)), contours.collect()),
            ground: ground(snapshot, &shown, self.level),
            thickness: shown.thickness,
        }
    }
}

/// The raster in a frame of bare cells, wide enough for the ground around it to be seen; without a frame where that
/// would be too large.
fn with_surroundings(deposit: &Deposit) -> Deposit {
    let (columns, rows) = (deposit.columns as f64, deposit.rows as f64);
    let margin = MARGIN * columns.max(rows);
    let frame = |cells: f64, least: f64| (0.5 * (least - cells)).max(margin).ceil() as usize;
    let (beside, below) = (frame(columns, rows / TALLEST), frame(rows, columns * FLATTEST));
    let framed_cells = (columns + 2.0 * beside as f64) * (rows + 2.0 * below as f64);
    if framed_cells > MOST_DEPOSIT_CELLS as f64 {
        return deposit.clone();
    }
    let mut framed = Deposit {
        lower_left: deposit.lower_left - deposit.cell * DVec2::new(beside as f64, below as f64),
        columns: deposit.columns + 2 * beside,
        rows: deposit.rows + 2 * below,
        thickness: Vec::new(),
        ..*deposit
    };
    framed.thickness = vec![0.0; framed.columns * framed.rows];
    for (row, values) in deposit.thickness.chunks_exact(deposit.columns).enumerate() {
        let start = (row + below) * framed.columns + beside;
        framed.thickness[start..start + deposit.columns].copy_from_slice(values);
    }
    framed
}

/// Lines of equal height of the ground, with their name; none where there is no ground, where its heights differ by
/// less than `least` \[m\], and where the map is large.
fn ground(snapshot: &Snapshot, map: &Deposit, least: f64) -> (String, Vec<MapLine>) {
    let cells = map.thickness.len();
    if cells > MOST_GROUND {
        return Default::default();
    }
    let height = |i: usize| ground_level(snapshot, map.centre(i).to_array(), f64::INFINITY);
    let heights: Vec<f64> = (0..cells).map(|i| height(i).unwrap_or(f64::NAN)).collect();
    let finite = || heights.iter().copied().filter(|h| h.is_finite());
    let (Some(low), Some(high)) = (finite().reduce(f64::min), finite().reduce(f64::max)) else {
        return Default::default();
    };
    let step = round_step((high - low) / GROUND_CONTOURS);
    if high - low < least || !step.is_finite() {
        return Default::default();
    }
    let (first, count) = ((low / step).ceil(), ((high - low) / step).min(4.0 * GROUND_CONTOURS) as usize);
    let lines = (0..=count).flat_map(|k| contour_lines(&map.field(&heights), (first + k as f64) * step));
    (format!("ground, every {} m", short(step)), lines.map(|line| map_line(&line)).collect())
}

/// Height of the surface of the grains over the ground at the centre of each cell \[m\]; NaN where there is none.
fn depth(snapshot: &Snapshot, deposit: &Deposit) -> Vec<f64> {
    let mut tops = vec![f64::NAN; deposit.thickness.len()];
    for body in particles(snapshot) {
        let bounds = body.shape.aabb(&body.pose);
        let place = |p: DVec2| ((p - deposit.lower_left) / deposit.cell).floor();
        let (low, high) = (place(bounds.min.truncate()), place(bounds.max.truncate()));
        for row in low.y as usize..=(high.y as usize).min(deposit.rows - 1) {
            for column in low.x as usize..=(high.x as usize).min(deposit.columns - 1) {
                let cell = row * deposit.columns + column;
                let at = deposit.centre(cell).to_array();
                if let Some(top) = body.shape.highest_point(&body.pose, at, at) {
                    tops[cell] = tops[cell].max(top.z);
                }
            }
        }
    }
    let over = |(cell, top): (usize, &f64)| {
        let ground = top.is_finite().then(|| ground_level(snapshot, deposit.centre(cell).to_array(), *top)).flatten();
        ground.map_or(f64::NAN, |ground| top - ground)
    };
    tops.iter().enumerate().map(over).collect()
}

/// 1, 2 or 5 times a power of ten, the first from `step` on; not finite where `step` is not above 0.
fn round_step(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return f64::NAN;
    }
    let power = 10f64.powi(step.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= step).unwrap_or(10.0 * power)
}

/// A length with three digits.
fn short(length: f64) -> String {
    let digits = (2.0 - length.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{length:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn map_line(line: &ContourLine) -> MapLine {
    let first = line.points.first().filter(|_| line.closed);
    line.points.iter().chain(first).map(|p| (p.x, p.y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_lengths_are_short() {
        for (step, rounded) in [(0.07, 0.1), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (60.0, 100.0)] {
            assert!((round_step(step) / rounded - 1.0).abs() < 1e-12, "{step}");
        }
        assert!(round_step(0.0).is_nan() && round_step(f64::NAN).is_nan());
        assert_eq!([0.1, 0.12407, 5.0, 200.0, 0.00012407].map(short), ["0.1", "0.124", "5", "200", "0.000124"]);
    }
}
