//! Several panels of lines over one quantity.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{Mark, chart, colour, head, range_of, thinned, with_headroom};
use super::{Figure, Series, message};

/// Lines over one quantity, in panels below each other. Lines of the same place in their panels have the same colour.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelsFigure {
    /// Title; may be empty.
    pub title: String,
    /// Quantity and unit along x, such as `time [s]`.
    pub x_label: String,
    /// Quantity and unit along y of each panel, and its lines.
    pub panels: Vec<(String, Vec<Series>)>,
}

/// Height of a panel, and of the title \[pixels\].
const PANEL: u32 = 420;
const TITLE: u32 = 52;

impl PanelsFigure {
    fn x_range(&self) -> Option<(f64, f64)> {
        let points = self.panels.iter().flat_map(|(_, lines)| lines).flat_map(|line| &line.points);
        let range = range_of(points.filter(|p| p.1.is_finite()).map(|p| p.0))?;
        Some(if range.1 > range.0 { range } else { with_headroom(range) })
    }

    fn panel<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        title: &str,
        (y_label, lines): &(String, Vec<Series>),
    ) -> Result<(), String> {
        let x = self.x_range().ok_or("no finite points")?;
        let entry = |(i, line): (usize, &Series)| (line.name.clone(), colour(i), Mark::Line);
        let body = head(area, title, &lines.iter().enumerate().map(entry).collect::<Vec<_>>())?;
        let lines: Vec<Vec<(f64, f64)>> = lines.iter().map(|line| thinned(&line.points)).collect();
        let y = range_of(lines.iter().flatten().map(|p| p.1)).unwrap_or((0.0, 1.0));
        let mut chart = chart(&body, x, with_headroom(y), (&self.x_label, y_label))?;
        for (i, line) in lines.into_iter().enumerate() {
            chart.draw_series(LineSeries::new(line, colour(i).stroke_width(2))).map_err(message)?;
        }
        Ok(())
    }
}

impl Figure for PanelsFigure {
    fn size(&self) -> (u32, u32) {
        (1200, TITLE + PANEL * self.panels.len().clamp(1, 8) as u32)
    }

    fn problem(&self) -> Option<String> {
        self.x_range().is_none().then(|| "no finite points".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let mut rest = area.clone();
        for (i, panel) in self.panels.iter().enumerate() {
            let (height, title) = if i == 0 { (PANEL + TITLE, self.title.as_str()) } else { (PANEL, "") };
            let (above, below) = rest.split_vertically(height);
            self.panel(&above, title, panel)?;
            rest = below;
        }
        Ok(())
    }
}
