//! Energies over a run: what there is above, what became of the rest below.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{Mark, chart, colour, energy_unit, head, range_of, thinned, with_headroom};
use super::{Figure, message};
use crate::energy::EnergyRow;

/// The energy ledger of a run as two panels over time: kinetic, potential and E* above; what impacts, friction and
/// contact dissipated and the work of driven bodies and of the drift correction below, with the change by the scheme
/// where there is any.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyFigure {
    /// Title; may be empty.
    pub title: String,
    /// The ledger, in the order of time.
    pub rows: Vec<EnergyRow>,
    /// Times \[s\] to mark by a vertical line with a name, such as the removal of a wall.
    pub events: Vec<(f64, String)>,
}

type Column = (&'static str, fn(&EnergyRow) -> f64);

const ABOVE: [Column; 3] = [("E*", |r| r.energy_star), ("potential", |r| r.potential), ("kinetic", |r| r.kinetic)];
const BELOW: [Column; 5] = [
    ("lost in impacts", |r| r.dissipated_impact),
    ("lost to friction", |r| r.dissipated_friction),
    ("lost in contact", |r| r.dissipated_contact),
    ("work of driven bodies", |r| r.work_driven),
    ("work of drift correction", |r| r.work_correction),
];

/// What is drawn below where it is not zero throughout: it is zero without contacts and rotations.
const BELOW_WHERE_MADE: Column = ("change by the scheme", |r| r.scheme_change);

impl EnergyFigure {
    /// What is drawn below.
    fn below(&self) -> Vec<Column> {
        let made = self.rows.iter().any(|row| BELOW_WHERE_MADE.1(row) != 0.0);
        BELOW.into_iter().chain(made.then_some(BELOW_WHERE_MADE)).collect()
    }

    fn line(&self, column: fn(&EnergyRow) -> f64) -> Vec<(f64, f64)> {
        thinned(&self.rows.iter().map(|r| (r.time, column(r))).collect::<Vec<_>>())
    }

    /// One panel; its lines take the colours from number `first` on.
    fn panel<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        title: &str,
        columns: &[Column],
        (first, quantity): (usize, &str),
    ) -> Result<(), String> {
        let lines: Vec<_> = columns.iter().map(|(_, column)| self.line(*column)).collect();
        let all = || lines.iter().flatten();
        let largest = all().map(|p| p.1.abs()).fold(0.0, f64::max);
        let (unit, unit_name) = energy_unit(if largest > 0.0 { largest } else { 1.0 });
        let x = range_of(self.rows.iter().map(|r| r.time)).ok_or("no finite times")?;
        let x = if x.1 > x.0 { x } else { with_headroom(x) };
        let y = range_of(all().map(|p| p.1 / unit)).ok_or("no finite energies")?;
        let entry = |(i, c): (usize, &Column)| (c.0.to_string(), colour(first + i), Mark::Line);
        let entries: Vec<_> = columns.iter().enumerate().map(entry).collect();
        let body = head(area, title, &entries)?;
        let range = with_headroom((y.0.min(0.0), y.1));
        let mut chart = chart(&body, x, range, ("time [s]", &format!("{quantity} [{unit_name}]")))?;
        for (time, _) in self.events.iter().filter(|(t, _)| (x.0..=x.1).contains(t)) {
            let line = vec![(*time, range.0), (*time, range.1)];
            chart.draw_series(DashedLineSeries::new(line, 6, 5, BLACK.mix(0.45).into())).map_err(message)?;
        }
        for (i, line) in lines.iter().enumerate() {
            let scaled = line.iter().map(|&(t, e)| (t, e / unit));
            // E* is drawn wide: it must show beneath the potential energy that it comes to rest on.
            let width = if (first, i) == (0, 0) { 4 } else { 2 };
            chart.draw_series(LineSeries::new(scaled, colour(first + i).stroke_width(width))).map_err(message)?;
        }
        Ok(())
    }

    /// Title with the marked times in brackets.
    fn full_title(&self) -> String {
        let events: Vec<String> = self.events.iter().map(|(t, name)| format!("{name} at {t:.2} s")).collect();
        if events.is_empty() { self.title.clone() } else { format!("{}   ({})", self.title, events.join(", ")) }
    }
}

impl Figure for EnergyFigure {
    fn size(&self) -> (u32, u32) {
        (1200, 900)
    }

    fn problem(&self) -> Option<String> {
        let drawn = |columns: &[Column]| columns.iter().any(|(_, c)| !self.line(*c).is_empty());
        (!drawn(&ABOVE) || !drawn(&BELOW)).then(|| "no finite energies".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let (above, below) = area.split_vertically(480);
        self.panel(&above, &self.full_title(), &ABOVE, (0, "energy"))?;
        self.panel(&below, "", &self.below(), (3, "since the start"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_by_the_scheme_is_drawn_where_there_is_any() {
        let figure = |scheme_change| {
            let row = EnergyRow { scheme_change, ..EnergyRow::default() };
            EnergyFigure { title: String::new(), rows: vec![EnergyRow::default(), row], events: Vec::new() }
        };
        let drawn = |scheme_change| figure(scheme_change).below().iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(drawn(0.0), BELOW.map(|(name, _)| name));
        assert_eq!(drawn(-2.0).last(), Some(&"change by the scheme"));
        let last = figure(-2.0).below().pop().expect("there are columns");
        assert_eq!(figure(-2.0).line(last.1).last().map(|point| point.1), Some(-2.0));
    }
}
