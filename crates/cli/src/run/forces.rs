//! What contacts carry, into files: the means on walls while a run goes on, all contacts at its end.

use granule_engine::{ContactForce, Simulation};
use granule_export::{ContactSeriesWriter, WallRow, WallWriter, write_contacts};
use granule_model::{BodyKind, DVec3};

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
    /// Impulse and its moment since the last row, by body.
    loads: Vec<(DVec3, DVec3)>,
    /// Time over which they were summed \[s\].
    seconds: f64,
}

impl WallRecorder {
    /// Begins `walls.csv` with so many rows a simulated second and body.
    pub(super) fn create(results: &Results, rate: f64) -> Result<Self, CliError> {
        let mut periods = Frames::new(rate);
        periods.due(0.0);
        let writer = WallWriter::create(&results.file(WALLS)?)?;
        Ok(WallRecorder { writer, periods, loads: Vec::new(), seconds: 0.0 })
    }

    /// Adds a step of `dt` \[s\].
    pub(super) fn step(&mut self, simulation: &Simulation, dt: f64) -> Result<(), CliError> {
        simulation.add_loads_of_walls(&mut self.loads)?;
        self.seconds += dt;
        if self.periods.due(simulation.time()) { self.write(simulation) } else { Ok(()) }
    }

    /// Writes what was summed since the last row.
    pub(super) fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        self.write(simulation)?;
        Ok(self.writer.flush()?)
    }

    fn write(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.seconds == 0.0 {
            return Ok(());
        }
        let (time, seconds) = (simulation.time(), std::mem::take(&mut self.seconds));
        for (load, body) in self.loads.iter_mut().zip(simulation.snapshot().bodies) {
            let (force, torque) = std::mem::take(load);
            if body.kind != BodyKind::Dynamic && body.present {
                let (id, name) = (body.id.index, body.name);
                let row = WallRow { time, id, name, force: force / seconds, torque: torque / seconds };
                self.writer.push(&row)?;
            }
        }
        Ok(())
    }
}

/// The contacts of the last step.
pub(super) fn contacts(simulation: &Simulation) -> Result<Vec<ContactForce>, CliError> {
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
