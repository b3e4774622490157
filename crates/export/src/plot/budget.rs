//! What became of the energy that a fall released.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axes::{INK, Mark, chart, colour, energy_unit, head, range_of, with_headroom};
use super::{Figure, message};
use crate::energy::EnergyRow;

/// The energy budget of a run over time: what moves and what was lost, stacked, below the potential energy released.
///
/// Released is E* at the start less the potential energy now and less what bodies took along. The stack is kinetic
/// energy (E* less the potential energy) and the five losses. Work of driven bodies and fields, of the drift correction
/// and the changes that no force makes are what lies between the two.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetFigure {
    /// Title; may be empty.
    pub title: String,
    /// The ledger, in the order of time.
    pub rows: Vec<EnergyRow>,
}

type Column = (&'static str, fn(&EnergyRow) -> f64);

const STACK: [Column; 6] = [
    ("lost to friction", |r| r.dissipated_friction),
    ("lost in impacts", |r| r.dissipated_impact),
    ("lost in contact", |r| r.dissipated_contact),
    ("drag and damping", |r| r.dissipated_drag),
    ("falling asleep", |r| r.dissipated_sleep),
    ("kinetic", |r| r.energy_star - r.potential),
];
const RELEASED: Column = ("potential released", |r| r.energy_start - r.energy_removed - r.potential);
const CORRECTION: Column = ("work of drift correction", |r| r.work_correction);

/// Instants that are drawn at most.
const MOST_ROWS: usize = 700;

impl BudgetFigure {
    /// The finite rows, evenly thinned, the last among them.
    fn drawn(&self) -> Vec<EnergyRow> {
        let columns = || STACK.iter().chain([&RELEASED, &CORRECTION]);
        let finite = |r: &&EnergyRow| r.time.is_finite() && columns().all(|(_, column)| column(r).is_finite());
        let rows: Vec<EnergyRow> = self.rows.iter().filter(finite).copied().collect();
        let every = rows.len().div_ceil(MOST_ROWS).max(1);
        let last = rows.len().saturating_sub(1);
        rows.into_iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last).map(|(_, row)| row).collect()
    }
}

impl Figure for BudgetFigure {
    fn problem(&self) -> Option<String> {
        self.drawn().is_empty().then(|| "no finite energies".into())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String> {
        let rows = self.drawn();
        // Sums from below: line k is the sum of the first k columns.
        let sum = |row: &EnergyRow, count: usize| STACK[..count].iter().map(|(_, column)| column(row)).sum::<f64>();
        let line = |of: &dyn Fn(&EnergyRow) -> f64| rows.iter().map(|r| (r.time, of(r))).collect::<Vec<_>>();
        let sums: Vec<_> = (0..=STACK.len()).map(|k| line(&|r| sum(r, k))).collect();
        let (released, correction) = (line(&RELEASED.1), line(&CORRECTION.1));
        let all = || sums.iter().chain([&released, &correction]).flatten();
        let largest = all().map(|p| p.1.abs()).fold(0.0, f64::max);
        let (unit, unit_name) = energy_unit(if largest > 0.0 { largest } else { 1.0 });
        let scaled = |line: &[(f64, f64)]| line.iter().map(|(t, e)| (*t, e / unit)).collect::<Vec<_>>();

        // A loss that the scene does not have takes no place in the legend.
        let shown = |k: &usize| line(&STACK[*k].1).iter().any(|p| p.1 != 0.0);
        let entry = |k: usize| (STACK[k].0.to_string(), colour(k), Mark::Symbol(1));
        let mut entries: Vec<_> = (0..STACK.len()).rev().filter(shown).map(entry).collect();
        entries.push((RELEASED.0.to_string(), INK, Mark::Line));
        entries.push((CORRECTION.0.to_string(), colour(7), Mark::Line));
        let body = head(area, &self.title, &entries)?;
        let x = range_of(rows.iter().map(|r| r.time)).ok_or("no finite times")?;
        let x = if x.1 > x.0 { x } else { with_headroom(x) };
        let y = range_of(all().map(|p| p.1 / unit)).ok_or("no finite energies")?;
        let labels = ("time [s]", format!("energy [{unit_name}]"));
        let mut chart = chart(&body, x, with_headroom((y.0.min(0.0), y.1)), (labels.0, &labels.1))?;
        for k in 0..STACK.len() {
            let outline: Vec<_> = scaled(&sums[k]).into_iter().chain(scaled(&sums[k + 1]).into_iter().rev()).collect();
            chart.draw_series([Polygon::new(outline, colour(k).mix(0.75).filled())]).map_err(message)?;
        }
        chart.draw_series(LineSeries::new(scaled(&released), INK.stroke_width(3))).map_err(message)?;
        chart.draw_series(LineSeries::new(scaled(&correction), colour(7).stroke_width(2))).map_err(message)?;
        Ok(())
    }
}
