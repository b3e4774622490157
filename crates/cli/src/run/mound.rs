//! A mound: writes its height and radius while the run goes on, and tells them at the end.

use glam::DVec2;
use granule_engine::{Simulation, Snapshot};
use granule_export::plot::{PanelsFigure, Series};
use granule_export::{MoundRow, MoundSummary, MoundWriter};
use granule_measure::Mound;
use granule_scene::MoundPlan;

use super::avalanche::Grains;
use super::files::Frames;
use super::measure::{grain_level, ground_level, lowest_ground};
use crate::error::CliError;
use crate::results::Results;

/// Name of the table, and stem of the plot.
pub(super) const TABLE: &str = "mound.csv";
pub(super) const PLOT: &str = "mound";

/// Writes the mound at the start, after each period and at the end.
pub(super) struct MoundRecorder {
    plan: MoundPlan,
    writer: MoundWriter,
    periods: Frames,
    written: Option<f64>,
    rows: Vec<MoundRow>,
}

impl MoundRecorder {
    /// Begins `mound.csv` with so many rows a simulated second.
    pub(super) fn create(results: &Results, plan: &MoundPlan, rate: f64) -> Result<Self, CliError> {
        let writer = MoundWriter::create(&results.file(TABLE)?)?;
        Ok(MoundRecorder { plan: *plan, writer, periods: Frames::new(rate), written: None, rows: Vec::new() })
    }

    /// Writes a row where one is due.
    pub(super) fn step(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.periods.due(simulation.time()) { self.write(simulation) } else { Ok(()) }
    }

    /// Writes the last row.
    pub(super) fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.written != Some(simulation.time()) {
            self.write(simulation)?;
        }
        Ok(self.writer.flush()?)
    }

    fn write(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        let snapshot = simulation.snapshot();
        self.written = Some(snapshot.time);
        let Some(found) = summary(&snapshot, &self.plan) else { return Ok(()) };
        let MoundSummary { centre, height, radius_95, mean_slope_deg, .. } = found;
        let row = MoundRow { time: snapshot.time, centre, height, radius_95, mean_slope_deg };
        self.writer.push(&row)?;
        self.rows.push(row);
        Ok(())
    }

    /// Height, radius and slope over time from `since` \[s\] on; none without rows.
    pub(super) fn figure(&self, title: String, since: f64) -> Option<PanelsFigure> {
        let rows = || self.rows.iter().filter(|row| row.time >= since);
        let line = |name: &str, of: &dyn Fn(&MoundRow) -> Option<f64>| Series {
            name: name.to_owned(),
            points: rows().filter_map(|row| Some((row.time, of(row)?))).collect(),
        };
        let lengths = vec![
            line("height", &|row| Some(row.height)),
            line("radius of 95 % of the mass", &|row| Some(row.radius_95)),
        ];
        let slopes = vec![line("mean slope", &|row| row.mean_slope_deg)];
        let panels = vec![("length [m]".to_owned(), lengths), ("slope [degrees]".to_owned(), slopes)];
        rows().next().is_some().then(|| PanelsFigure { title, x_label: "time [s]".to_owned(), panels })
    }
}

/// The answer for `summary.json`; none without bodies.
pub(super) fn summary(snapshot: &Snapshot, plan: &MoundPlan) -> Option<MoundSummary> {
    let grains = Grains::of(snapshot, DVec2::X).all();
    let given = plan.centre.map(DVec2::from);
    let centre = Mound::of(&grains, given, 0.0)?.centre;
    // On a slope the ground below the centre lies above many of the grains.
    let at = centre.to_array();
    let ground = || ground_level(snapshot, at, grain_level(snapshot)).or_else(|| lowest_ground(snapshot, at));
    let floor = plan.height.or_else(ground).unwrap_or(0.0);
    let found = Mound::of(&grains, Some(centre), floor)?;
    Some(MoundSummary {
        centre: at,
        floor,
        height: found.height,
        radius_95: found.radius_95,
        mean_slope_deg: found.mean_slope_deg,
    })
}

/// What a mound came to, in a line for the terminal.
pub(super) fn describe(found: &MoundSummary) -> String {
    let slope = found.mean_slope_deg.map(|a| format!(", mean slope {a:.1} degrees")).unwrap_or_default();
    format!("{:.3} m high, 95 % of the mass within {:.3} m{slope}", found.height, found.radius_95)
}
