//! What contacts carry, into files: the means on walls while a run goes on, all contacts at its end.

use granule_engine::{ContactForce, Simulation, WallLoads};
use granule_export::{ContactSeriesWriter, WallRow, WallWriter, write_contacts};
use granule_model::BodyKind;

use super::files::Frames;
use crate::error::CliError;
use crate::results::Results;

/// Names of the files, and of the series.
pub(super) const CONTACTS: &str = "contacts_final.csv";
pub(super) const WALLS: &str = "walls.csv";
pub(super) const SERIES: &str = "contacts";
pub(super) const SERIES_FILE: &str = "contacts.pvd";

/// Sums what contacts do to static and driven bodies, and writes their mean over each period.
pub(super) struct WallRecorder {
    writer: WallWriter,
    periods: Frames,
    loads: WallLoads,
    /// Whether there was a step since the last period.
    is_due: bool,
    /// The rows of the last period, and the loads without it: they are written when a step follows.
    held: Option<(Vec<WallRow>, WallLoads)>,
}

impl WallRecorder {
    /// Begins `walls.csv` with so many rows a simulated second and body.
    pub(super) fn create(results: &Results, rate: f64) -> Result<Self, CliError> {
        let mut periods = Frames::new(rate);
        periods.due(0.0);
        let writer = WallWriter::create(&results.file(WALLS)?)?;
        Ok(WallRecorder { writer, periods, loads: WallLoads::default(), is_due: false, held: None })
    }

    /// Adds the step that was made.
    pub(super) fn step(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if let Some((rows, loads)) = self.held.take() {
            self.loads = loads;
            self.write(&rows)?;
        }
        simulation.add_to_wall_loads(&mut self.loads)?;
        self.is_due = true;
        if self.periods.due(simulation.time()) {
            let mut loads = self.loads.clone();
            self.held = Some((rows(simulation, &mut loads, false)?, loads));
            self.is_due = false;
        }
        Ok(())
    }

    /// Writes what was summed since the last row, with the balance that the contacts at the end are told in.
    pub(super) fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.held.take().is_some() || self.is_due {
            let rows = rows(simulation, &mut self.loads, true)?;
            self.write(&rows)?;
        }
        Ok(self.writer.flush()?)
    }

    fn write(&mut self, rows: &[WallRow]) -> Result<(), CliError> {
        Ok(rows.iter().try_for_each(|row| self.writer.push(row))?)
    }
}

/// The means over the period that ends now.
fn rows(simulation: &Simulation, loads: &mut WallLoads, balanced: bool) -> Result<Vec<WallRow>, CliError> {
    let time = simulation.time();
    let means = simulation.take_wall_loads(loads, balanced)?.into_iter().zip(simulation.snapshot().bodies);
    let walls = means.filter(|(_, body)| body.kind != BodyKind::Dynamic && body.present);
    Ok(walls
        .map(|((force, torque), body)| WallRow { time, id: body.id.index, name: body.name, force, torque })
        .collect())
}

/// The contacts of the last step; none before the first.
pub(super) fn contacts(simulation: &Simulation) -> Result<Vec<ContactForce>, CliError> {
    if simulation.steps() == 0 {
        return Ok(Vec::new());
    }
    Ok(simulation.contacts()?.collect())
}

/// Writes the contacts of the last step.
pub(super) fn write_final(results: &Results, simulation: &Simulation) -> Result<(), CliError> {
    Ok(write_contacts(&results.file(CONTACTS)?, &contacts(simulation)?)?)
}

/// Begins the series of force chains.
pub(super) fn begin_series(results: &Results) -> Result<ContactSeriesWriter, CliError> {
    results.file(SERIES_FILE)?;
    Ok(ContactSeriesWriter::create(results.folder(), SERIES)?)
}
