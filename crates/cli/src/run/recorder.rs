//! Writes the files of a run as its scene's output plan asks, while it goes on and at its end.

use std::path::{Path, PathBuf};

use granule_engine::{Simulation, Snapshot};
use granule_export::plot::{EnergyFigure, save_figure};
use granule_export::{EnergyRow, EnergyWriter, SeriesWriter, Summary, VtkOptions, write_final_state};
use granule_scene::{OutputPlan, Scene};

use super::files::{Frames, energy_row};
use super::history::History;
use super::measure;
use super::pictures::{Album, FilmPlan};
use super::runner::{Event, Observer};
use crate::error::{CliError, create_folder};

/// Frames of the ParaView series for each one of the film, which plays in real time all the same: drawing is the dearest part of
/// a demo, and 12.5 pictures a second are fluid enough.
const FILM_EVERY: u64 = 2;

/// Writes into one folder: `energy.csv` and `bodies.pvd` while the run goes on; pictures, `film.gif`, `final_state.csv`,
/// `summary.json` and the plots when it has ended, whatever ended it.
pub struct Recorder {
    folder: PathBuf,
    plan: OutputPlan,
    energy: Option<EnergyWriter>,
    series: Option<SeriesWriter>,
    album: Album,
    frames: Frames,
    /// Time of the last frame \[s\].
    framed: Option<f64>,
    frame_count: u64,
    /// The newest row, if it is not in `energy.csv` yet.
    unwritten: Option<EnergyRow>,
    rows: u64,
    history: History,
    /// Removals, for the plot of energies.
    events: Vec<(f64, String)>,
}

impl Recorder {
    /// Makes the folder and the files that grow during the run.
    ///
    /// # Errors
    /// [`CliError`] naming the path that cannot be written.
    pub fn create(folder: &Path, scene: &Scene, simulation: &Simulation) -> Result<Self, CliError> {
        create_folder(folder)?;
        let plan = scene.output;
        let vtk = plan.writes_vtk(simulation.body_count());
        let energy = (plan.energy_every > 0).then(|| EnergyWriter::create(&folder.join("energy.csv"))).transpose()?;
        let series = vtk.then(|| SeriesWriter::create(folder, "bodies", VtkOptions::default())).transpose()?;
        let film_rate = plan.frames_per_second / FILM_EVERY as f64;
        let film = plan.film.then_some(FilmPlan { rate: film_rate });
        Ok(Recorder {
            folder: folder.to_path_buf(),
            plan,
            energy,
            series,
            album: Album::new(folder, plan.pictures, film),
            frames: Frames::new(plan.frames_per_second),
            framed: None,
            frame_count: 0,
            unwritten: None,
            rows: 0,
            history: History::new(),
            events: Vec::new(),
        })
    }

    /// What there is to say about pictures that are missing or unlike what was asked for.
    pub fn remarks(&self) -> &[String] {
        self.album.remarks()
    }

    /// Writes what is written at the end. Each file is tried, whatever becomes of the others.
    ///
    /// # Errors
    /// The first [`CliError`], naming the path that cannot be written.
    pub fn finish(self, scene: &Scene, simulation: &Simulation, summary: &Summary) -> Result<(), CliError> {
        let snapshot = simulation.snapshot();
        let mut results = Vec::new();
        if self.plan.final_state {
            let path = self.folder.join("final_state.csv");
            results.push(write_final_state(&path, &snapshot).map_err(CliError::from));
        }
        if self.plan.summary {
            results.push(summary.write(&self.folder.join("summary.json")).map_err(CliError::from));
        }
        if self.plan.plots {
            results.push(self.plot_energy(scene));
            results.push(self.plot_profile(scene, &snapshot));
        }
        results.into_iter().collect()
    }

    fn plot_energy(&self, scene: &Scene) -> Result<(), CliError> {
        let rows = self.history.rows();
        if rows.is_empty() {
            return Ok(());
        }
        let figure = EnergyFigure { title: title(scene), rows, events: self.events.clone() };
        save_figure(&self.folder.join("energy"), &figure)?;
        Ok(())
    }

    fn plot_profile(&self, scene: &Scene, snapshot: &Snapshot) -> Result<(), CliError> {
        let Some(plan) = scene.measure.repose else { return Ok(()) };
        let Some(figure) = measure::profile_figure(snapshot, &plan, title(scene)) else { return Ok(()) };
        save_figure(&self.folder.join("profile"), &figure)?;
        Ok(())
    }

    fn frame(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.series.is_none() && !self.album.films() {
            return Ok(());
        }
        self.framed = Some(simulation.time());
        let snapshot = simulation.snapshot();
        if let Some(series) = &mut self.series {
            series.write(&snapshot)?;
        }
        if self.frame_count.is_multiple_of(FILM_EVERY) {
            self.album.frame(&snapshot);
        }
        self.frame_count += 1;
        Ok(())
    }

    fn book(&mut self, row: EnergyRow) -> Result<(), CliError> {
        self.history.push(row);
        self.unwritten = Some(row);
        self.rows += 1;
        if self.rows.is_multiple_of(u64::from(self.plan.energy_every.max(1))) {
            self.write_row()?;
        }
        Ok(())
    }

    fn write_row(&mut self) -> Result<(), CliError> {
        if let (Some(energy), Some(row)) = (&mut self.energy, self.unwritten.take()) {
            energy.push(&row)?;
        }
        Ok(())
    }

    /// Brings the files that grew up to the last state.
    fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        self.write_row()?;
        if let Some(energy) = &mut self.energy {
            energy.flush()?;
        }
        if self.framed != Some(simulation.time()) {
            self.frame(simulation)?;
        }
        self.album.end(simulation)
    }
}

impl Observer for Recorder {
    fn observe(&mut self, simulation: &Simulation, event: &Event<'_>) -> Result<(), CliError> {
        match event {
            Event::Begin => {
                self.album.begin(simulation);
                self.frames.due(simulation.time());
                self.frame(simulation)
            }
            Event::StageBegins { stage, .. } => {
                if !stage.remove.is_empty() {
                    self.events.push((simulation.time(), format!("{} removed", stage.remove.join(", "))));
                }
                self.album.stage_begins(simulation, stage);
                Ok(())
            }
            Event::Step(report) => {
                self.book(energy_row(simulation, report))?;
                if self.frames.due(simulation.time()) {
                    self.frame(simulation)?;
                }
                self.album.step(simulation);
                Ok(())
            }
            Event::StageEnds { outcome, removal_follows, last } => {
                self.album.stage_ends(simulation, &outcome.name, *removal_follows, *last);
                Ok(())
            }
            Event::End => self.end(simulation),
        }
    }
}

fn title(scene: &Scene) -> String {
    if scene.title.is_empty() { scene.name.clone() } else { scene.title.clone() }
}
