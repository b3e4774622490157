//! The surface of a heap and the lines that measure its angle of repose.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{INK, Mark, chart, colour, head, range_of, with_headroom};
use super::{Figure, message};

/// One strip of the floor along the slope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileStrip {
    /// Place along the floor and height of the highest point of each cell \[m\].
    pub points: Vec<(f64, f64)>,
    /// Place and height \[m\] of the two ends of the fitted line, crest and toe; none where the surface is no slope.
    pub line: Option<[(f64, f64); 2]>,
}

/// Height over distance for every strip of a heap, at equal scales, with the fitted lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileFigure {
    /// Title; may be empty.
    pub title: String,
    /// The strips.
    pub strips: Vec<ProfileStrip>,
    /// What the surface is, in words: the angle with its error, or that there is none and why.
    pub verdict: String,
}

/// Pixels beside the axes, for equal scales: margins and labels as in `axes`.
const BESIDE: f64 = 12.0 + 96.0 + 28.0;
const ABOVE_AND_BELOW: f64 = 8.0 + 10.0 + 58.0 + 52.0 + 42.0;
const WIDTH: u32 = 1200;

impl ProfileFigure {
    fn ranges(&self) -> Option<((f64, f64), (f64, f64))> {
        let points = || self.strips.iter().flat_map(|s| &s.points).filter(|p| p.0.is_finite() && p.1.is_finite());
        let x = with_headroom(range_of(points().map(|p| p.0))?);
        let y = range_of(points().map(|p| p.1).chain([0.0]))?;
        Some((x, (y.0, y.1 + 0.12 * (y.1 - y.0).max(0.05 * (x.1 - x.0)))))
    }
}

impl Figure for ProfileFigure {
    fn size(&self) -> (u32, u32) {
        let Some((x, y)) = self.ranges() else { return (WIDTH, 600) };
        let per_metre = (f64::from(WIDTH) - BESIDE) / (x.1 - x.0);
        let height = (y.1 - y.0) * per_metre + ABOVE_AND_BELOW;
        (WIDTH, height.clamp(400.0, 1000.0) as u32)
    }

    fn problem(&self) -> Option<String> {
        self.ranges().is_none().then(|| "no strip has a point".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let (x, y) = self.ranges().ok_or("no strip has a point")?;
        let points = "highest points, a colour per strip";
        let entries = [(points.to_string(), INK, Mark::Symbol(0)), (self.verdict.clone(), INK, Mark::Line)];
        let body = head(area, &self.title, &entries)?;
        let mut chart = chart(&body, x, y, ("place along the floor [m]", "height [m]"))?;
        for (i, strip) in self.strips.iter().enumerate() {
            let finite = strip.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
            chart.draw_series(finite.map(|&p| Circle::new(p, 5, colour(i).filled()))).map_err(message)?;
        }
        // Above all points, or the lines of flat piles would not be seen.
        for (i, ends) in self.strips.iter().enumerate().filter_map(|(i, s)| Some((i, s.line?))) {
            let line = LineSeries::new(ends, colour(i).stroke_width(3));
            chart.draw_series(line).map_err(message)?;
        }
        Ok(())
    }
}
