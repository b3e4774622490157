//! What a case finds, as plain data: lines that compare and plots that show. Nothing here prints or writes.

use serde::Serialize;

use crate::error::ValidationError;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Within its tolerance.
    Pass,
    /// Not within its tolerance, or not a number.
    Fail,
    /// A number worth knowing that nothing is claimed of.
    Listed,
}

/// How the measured value has to stand to the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// `|measured - expected| <= tolerance`.
    Equal,
    /// `|measured / expected - 1| <= tolerance`.
    RelativelyEqual,
    /// `measured <= expected + tolerance`.
    AtMost,
    /// `measured >= expected - tolerance`.
    AtLeast,
}

/// A measured value beside the expected one, in the unit that `quantity` names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What is compared, with its unit.
    pub quantity: String,
    /// How the two have to stand to each other.
    pub relation: Relation,
    /// Expected value, or the limit for [`Relation::AtMost`] and [`Relation::AtLeast`]; NaN where nothing is expected.
    pub expected: f64,
    /// Measured value; NaN where there is none.
    pub measured: f64,
    /// Deviation in the sense of `relation`; zero where a limit is kept.
    pub deviation: f64,
    /// Largest deviation that passes.
    pub tolerance: f64,
    /// How it ends.
    pub outcome: Outcome,
    /// What else there is to say; mostly empty.
    pub note: String,
}

impl Line {
    /// The line of a comparison.
    pub fn new(quantity: impl Into<String>, relation: Relation, expected: f64, measured: f64, tolerance: f64) -> Self {
        let deviation = match relation {
            Relation::Equal => (measured - expected).abs(),
            Relation::RelativelyEqual => (measured / expected - 1.0).abs(),
            Relation::AtMost => clipped(measured - expected),
            Relation::AtLeast => clipped(expected - measured),
        };
        // A deviation that is not a number is within nothing.
        let outcome = if deviation <= tolerance { Outcome::Pass } else { Outcome::Fail };
        let quantity = quantity.into();
        Line { quantity, relation, expected, measured, deviation, tolerance, outcome, note: String::new() }
    }

    /// `measured` must be `expected` within `tolerance`.
    pub fn equal(quantity: impl Into<String>, expected: f64, measured: f64, tolerance: f64) -> Self {
        Line::new(quantity, Relation::Equal, expected, measured, tolerance)
    }

    /// `measured` must be `expected` within `tolerance` times it.
    pub fn relative(quantity: impl Into<String>, expected: f64, measured: f64, tolerance: f64) -> Self {
        Line::new(quantity, Relation::RelativelyEqual, expected, measured, tolerance)
    }

    /// `measured` must not exceed `limit`.
    pub fn at_most(quantity: impl Into<String>, limit: f64, measured: f64) -> Self {
        Line::new(quantity, Relation::AtMost, limit, measured, 0.0)
    }

    /// `measured` must not fall below `limit`.
    pub fn at_least(quantity: impl Into<String>, limit: f64, measured: f64) -> Self {
        Line::new(quantity, Relation::AtLeast, limit, measured, 0.0)
    }

    /// A deviation that must vanish within `tolerance`.
    pub fn deviation(quantity: impl Into<String>, measured: f64, tolerance: f64) -> Self {
        Line::equal(quantity, 0.0, measured, tolerance)
    }

    /// So many things must be counted, neither more nor fewer.
    pub fn count(quantity: impl Into<String>, expected: usize, measured: usize) -> Self {
        Line::equal(quantity, expected as f64, measured as f64, 0.0)
    }

    /// A number of which nothing is claimed.
    pub fn listed(quantity: impl Into<String>, measured: f64, note: impl Into<String>) -> Self {
        let line = Line::equal(quantity, f64::NAN, measured, f64::NAN);
        Line { outcome: Outcome::Listed, note: note.into(), ..line }
    }

    /// The same line with a note.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Line { note: note.into(), ..self }
    }

    /// Whether the line does not count as a failure.
    pub fn passed(&self) -> bool {
        self.outcome != Outcome::Fail
    }
}

/// The part above zero; NaN stays NaN, which `f64::max` would hide.
fn clipped(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

/// A named curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name for the legend.
    pub name: String,
    /// Points in drawing order, in the units of the plot's labels.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve of `points`.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Curve { name: name.into(), points }
    }
}

/// Curves over common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Name of its files, without extension.
    pub stem: &'static str,
    /// Title.
    pub title: String,
    /// Quantity and unit along x.
    pub x_label: String,
    /// Quantity and unit along y.
    pub y_label: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// What a case found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Comparisons.
    pub lines: Vec<Line>,
    /// Plots of the same data.
    pub plots: Vec<Plot>,
}

impl From<Vec<Line>> for Findings {
    fn from(lines: Vec<Line>) -> Self {
        Findings { lines, plots: Vec::new() }
    }
}

/// A case after it ran.
#[derive(Debug)]
pub struct Report {
    /// Name of the case.
    pub name: &'static str,
    /// What it is and where it comes from.
    pub about: &'static str,
    /// Comparisons, in the order of the case.
    pub lines: Vec<Line>,
    /// Plots.
    pub plots: Vec<Plot>,
    /// Why it could not be run to its end.
    pub error: Option<ValidationError>,
}

impl Report {
    /// Whether the case ran to its end, compared something and no line failed.
    pub fn passed(&self) -> bool {
        self.error.is_none() && !self.lines.is_empty() && self.lines.iter().all(Line::passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_can_fail() {
        let outcomes = [
            (Line::equal("x", 2.0, 2.0 + 1e-10, 1e-9), Outcome::Pass),
            (Line::equal("x", 2.0, 2.0 + 1e-8, 1e-9), Outcome::Fail),
            (Line::relative("x", 1e6, 1e6 + 1e-4, 1e-9), Outcome::Pass),
            (Line::relative("x", 1e6, 1e6 + 1e-2, 1e-9), Outcome::Fail),
            (Line::at_most("x", 1.0, 1.0), Outcome::Pass),
            (Line::at_most("x", 1.0, 1.0 + 1e-15), Outcome::Fail),
            (Line::at_least("x", 1.0, 2.0), Outcome::Pass),
            (Line::at_least("x", 1.0, 0.5), Outcome::Fail),
            (Line::count("x", 3, 4), Outcome::Fail),
            (Line::equal("x", 0.0, f64::NAN, 1.0), Outcome::Fail),
            (Line::at_most("x", 1.0, f64::NAN), Outcome::Fail),
            (Line::listed("x", 1.0, ""), Outcome::Listed),
        ];
        for (line, outcome) in outcomes {
            assert_eq!(line.outcome, outcome, "{line:?}");
        }
    }

    #[test]
    fn a_report_without_a_line_has_not_passed() {
        let report = Report { name: "x", about: "", lines: Vec::new(), plots: Vec::new(), error: None };
        assert!(!report.passed());
        assert!(Report { lines: vec![Line::count("x", 1, 1)], ..report }.passed());
    }
}
