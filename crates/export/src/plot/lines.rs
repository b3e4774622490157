//! Any series over any quantity.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{Mark, chart, colour, head, range_of, thinned, with_headroom};
use super::{Figure, message};

/// A named line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points in drawing order; those with a value that is not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// Lines over common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct LineFigure {
    /// Title; may be empty.
    pub title: String,
    /// Quantity and unit along x, such as `time [s]`.
    pub x_label: String,
    /// Quantity and unit along y.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
}

impl Figure for LineFigure {
    fn problem(&self) -> Option<String> {
        let empty = self.series.iter().all(|s| thinned(&s.points).is_empty());
        empty.then(|| "no finite points".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let lines: Vec<Vec<(f64, f64)>> = self.series.iter().map(|s| thinned(&s.points)).collect();
        let entries: Vec<_> =
            self.series.iter().enumerate().map(|(i, s)| (s.name.clone(), colour(i), Mark::Line)).collect();
        let body = head(area, &self.title, &entries)?;
        let all = || lines.iter().flatten();
        let x = range_of(all().map(|p| p.0)).ok_or("no finite points")?;
        let y = range_of(all().map(|p| p.1)).ok_or("no finite points")?;
        let x = if x.1 > x.0 { x } else { with_headroom(x) };
        let mut chart = chart(&body, x, with_headroom(y), (&self.x_label, &self.y_label))?;
        for (i, line) in lines.into_iter().enumerate() {
            chart.draw_series(LineSeries::new(line, colour(i).stroke_width(2))).map_err(message)?;
        }
        Ok(())
    }
}
