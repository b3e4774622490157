//! Angle of repose against friction, as Fig. 15 of Tang, Paluszny and Zimmerman 2014 shows it.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{Chart, Mark, chart, chart_symbol, colour, head, range_of, with_headroom};
use super::{Figure, message};

/// One point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionPoint {
    /// Coefficient of friction \[-\].
    pub friction: f64,
    /// Mean angle of repose \[degrees\].
    pub mean: f64,
    /// Its error \[degrees\]: half the height of the bar.
    pub error: f64,
    /// Spread of the strips as the publication states it \[degrees\], for the panel below.
    pub spread: f64,
}

/// One shape of grain.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeSeries {
    /// Name in the legend.
    pub name: String,
    /// Points in the order of friction.
    pub points: Vec<FrictionPoint>,
    /// Smallest and largest error that a publication states for this shape \[degrees\].
    pub stated_errors: Option<(f64, f64)>,
    /// Runs without an angle, which the curve leaves out.
    pub left_out: usize,
}

/// Angles above with error bars; below the spread of the strips beside the stated one.
#[derive(Clone, Debug, PartialEq)]
pub struct ReposeFigure {
    /// Title; may be empty.
    pub title: String,
    /// What the panel below shows, such as `spread of strips`.
    pub spread_label: String,
    /// Whose stated errors are drawn, such as `Tang 2014`.
    pub source: String,
    /// The shapes; the first four differ in symbol and all in colour.
    pub shapes: Vec<ShapeSeries>,
}

/// Shift between the bars of neighbouring shapes, over the range of friction: bars must not hide each other.
const DODGE: f64 = 0.006;

/// Half the width of the ends of a bar, over the range of friction.
const CAP: f64 = 0.004;

/// An upright bar with its ends, without a mark in the middle, which would cover the symbol.
fn bar(at: f64, (low, high): (f64, f64), cap: f64, style: ShapeStyle) -> [PathElement<(f64, f64)>; 3] {
    let path = |from, to| PathElement::new(vec![from, to], style);
    [path((at, low), (at, high)), path((at - cap, low), (at + cap, low)), path((at - cap, high), (at + cap, high))]
}

impl ShapeSeries {
    /// Name with the number of runs that are left out.
    fn legend(&self) -> String {
        match self.left_out {
            0 => self.name.clone(),
            1 => format!("{} (1 run left out: no slope)", self.name),
            many => format!("{} ({many} runs left out: no slope)", self.name),
        }
    }

    fn finite(&self) -> impl Iterator<Item = &FrictionPoint> {
        self.points.iter().filter(|p| p.friction.is_finite() && p.mean.is_finite())
    }
}

impl ReposeFigure {
    fn frictions(&self) -> Option<(f64, f64)> {
        let (low, high) = range_of(self.shapes.iter().flat_map(|s| s.finite().map(|p| p.friction)))?;
        let room = 0.05 * (high - low).max(0.1);
        Some((low - room, high + room))
    }

    fn angles<B: DrawingBackend>(&self, chart: &mut Chart<B>, x: (f64, f64)) -> Result<(), String> {
        for (i, shape) in self.shapes.iter().enumerate() {
            let shift = (i as f64 - 0.5 * (self.shapes.len() as f64 - 1.0)) * DODGE * (x.1 - x.0);
            let ink = colour(i);
            let line = shape.finite().map(|p| (p.friction + shift, p.mean));
            chart.draw_series(LineSeries::new(line, ink.stroke_width(2))).map_err(message)?;
            for p in shape.finite() {
                let place = p.friction + shift;
                if p.error.is_finite() && p.error > 0.0 {
                    let ends = (p.mean - p.error, p.mean + p.error);
                    chart.draw_series(bar(place, ends, CAP * (x.1 - x.0), ink.stroke_width(2))).map_err(message)?;
                }
                chart_symbol(chart, (place, p.mean), 7, ink, i)?;
            }
        }
        Ok(())
    }

    fn errors<B: DrawingBackend>(&self, chart: &mut Chart<B>, x: (f64, f64)) -> Result<(), String> {
        for (i, shape) in self.shapes.iter().enumerate() {
            let ink = colour(i);
            let finite = || shape.finite().filter(|p| p.spread.is_finite()).map(|p| (p.friction, p.spread));
            chart.draw_series(LineSeries::new(finite(), ink.stroke_width(2))).map_err(message)?;
            finite().try_for_each(|p| chart_symbol(chart, p, 6, ink, i))?;
            if let Some(ends) = shape.stated_errors {
                // At the right edge, one beside the other.
                let place = x.1 - (0.008 + 0.012 * (self.shapes.len() - 1 - i) as f64) * (x.1 - x.0);
                chart.draw_series(bar(place, ends, CAP * (x.1 - x.0), ink.stroke_width(3))).map_err(message)?;
            }
        }
        Ok(())
    }
}

impl Figure for ReposeFigure {
    fn size(&self) -> (u32, u32) {
        (1200, 900)
    }

    fn problem(&self) -> Option<String> {
        self.frictions().is_none().then(|| "no shape has a finite angle".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let x = self.frictions().ok_or("no shape has a finite angle")?;
        let entries: Vec<_> =
            self.shapes.iter().enumerate().map(|(i, s)| (s.legend(), colour(i), Mark::Symbol(i))).collect();
        let body = head(area, &self.title, &entries)?;
        let (above, below) = body.split_vertically(body.dim_in_pixel().1 as i32 * 62 / 100);
        let points = || self.shapes.iter().flat_map(ShapeSeries::finite);
        let error = |p: &FrictionPoint| if p.error.is_finite() { p.error } else { 0.0 };
        let ends = points().flat_map(|p| [p.mean - error(p), p.mean + error(p)]).chain([0.0]);
        let y = with_headroom(range_of(ends).ok_or("no finite angle")?);
        self.angles(&mut chart(&above, x, y, ("", "angle of repose [\u{b0}]"))?, x)?;
        let stated = self.shapes.iter().filter_map(|s| s.stated_errors.map(|e| e.1));
        let spreads = points().map(|p| p.spread);
        let errors = range_of(spreads.chain(stated).chain([0.0])).ok_or("no finite error")?;
        let has_stated = self.shapes.iter().any(|s| s.stated_errors.is_some());
        let x_label = if has_stated {
            format!("coefficient of friction [-]      (bars at the right edge: range stated by {})", self.source)
        } else {
            "coefficient of friction [-]".into()
        };
        let y_label = format!("{} [\u{b0}]", self.spread_label);
        self.errors(&mut chart(&below, x, with_headroom(errors), (&x_label, &y_label))?, x)
    }
}
