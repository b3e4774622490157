//! The surface of a heap and the lines that measure its angle of repose.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{INK, Mark, chart, colour, head, range_of, with_headroom};
use super::{Figure, message};

/// One strip of the floor along the slope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileStrip {
    /// Distance along the slope and height of the highest point of each cell \[m\].
    pub points: Vec<(f64, f64)>,
    /// Height \[m\] of the fitted line at distance 0 and its slope \[-\].
    pub line: Option<(f64, f64)>,
}

/// Height over distance for every strip of a heap, at equal scales, with the fitted lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileFigure {
    /// Title; may be empty.
    pub title: String,
    /// The strips.
    pub strips: Vec<ProfileStrip>,
    /// Mean angle and its error \[degrees\], for the legend.
    pub angle: Option<(f64, f64)>,
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

    /// The part of a fitted line over the strip's own points and inside the axes.
    fn segment(strip: &ProfileStrip, y: (f64, f64)) -> Vec<(f64, f64)> {
        let Some((height, slope)) = strip.line else { return Vec::new() };
        let Some((from, to)) = range_of(strip.points.iter().map(|p| p.0)) else { return Vec::new() };
        let steps = 100;
        let at = |i: i32| from + (to - from) * f64::from(i) / f64::from(steps);
        let line = (0..=steps).map(|i| (at(i), height + slope * at(i)));
        line.filter(|p| p.1 >= y.0 && p.1 <= y.1).collect()
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
        let fitted = match self.angle {
            Some((mean, error)) => format!("least-squares lines: {mean:.1}\u{b0} \u{b1} {error:.1}\u{b0}"),
            None => "least-squares lines".into(),
        };
        let entries =
            [("highest points, a colour per strip".to_string(), INK, Mark::Symbol(0)), (fitted, INK, Mark::Line)];
        let body = head(area, &self.title, &entries)?;
        let mut chart = chart(&body, x, y, ("distance along the slope [m]", "height [m]"))?;
        for (i, strip) in self.strips.iter().enumerate() {
            let line = LineSeries::new(Self::segment(strip, y), colour(i).mix(0.8).stroke_width(2));
            chart.draw_series(line).map_err(message)?;
            let finite = strip.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
            chart.draw_series(finite.map(|&p| Circle::new(p, 5, colour(i).filled()))).map_err(message)?;
        }
        Ok(())
    }
}
