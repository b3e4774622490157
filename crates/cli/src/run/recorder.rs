//! Writes the files of a run as its scene's output plan asks, while it goes on and at its end.

use std::path::Path;

use granule_engine::{Simulation, Snapshot};
use granule_export::plot::{BudgetFigure, EnergyFigure, save_figure};
use granule_export::{
    ContactSeriesWriter, EnergyRow, EnergyWriter, SeriesWriter, Summary, VtkOptions, write_final_state,
};
use granule_scene::{OutputPlan, Scene};

use super::avalanche::{self, AvalancheRecorder};
use super::deposit::{self, DepositMap};
use super::files::{Frames, energy_row};
use super::forces::{self, WallRecorder};
use super::history::History;
use super::mound::{self, MoundRecorder};
use super::pictures::{self, Album, FILM, FilmPlan};
use super::repose::Repose;
use super::runner::{Event, Observer, Outcome};
use crate::error::CliError;
use crate::results::{Results, plot_names};

/// Frames of the ParaView series for each one of the film, which plays in real time all the same: drawing is the
/// dearest part of a demo, and 12.5 pictures a second are fluid enough.
const FILM_EVERY: u64 = 2;

/// Names of the files, and stems of the plots.
const ENERGY: &str = "energy.csv";
const SERIES: &str = "bodies";
const SERIES_FILE: &str = "bodies.pvd";
const FINAL_STATE: &str = "final_state.csv";
const SUMMARY: &str = "summary.json";
const ENERGY_PLOT: &str = "energy";
const PROFILE_PLOT: &str = "profile";
const BUDGET_PLOT: &str = "energy_budget";

/// Name of a frame of a ParaView series, counted from 0.
fn frame_name(series: &str, frame: u64) -> String {
    format!("{series}/{}", SeriesWriter::frame_name(frame))
}

/// Names of the files that a run of `scene` with so many bodies would write into `folder`, `/` between their parts; of
/// the frames the first one, which no series is without, and those that are there.
///
/// # Errors
/// [`CliError::Scene`] for a scene that does not say how long it runs.
pub(crate) fn names(scene: &Scene, bodies: usize, folder: &Path) -> Result<Vec<String>, CliError> {
    let (plan, avalanche) = (&scene.output, scene.measure.avalanche.is_some());
    let written = [
        (plan.energy_every > 0, ENERGY.to_owned()),
        (plan.writes_vtk(bodies), SERIES_FILE.to_owned()),
        (plan.writes_vtk(bodies), frame_name(SERIES, 0)),
        (plan.contacts, forces::WALLS.to_owned()),
        (plan.contacts, forces::CONTACTS.to_owned()),
        (plan.contacts && plan.writes_vtk(bodies), forces::SERIES_FILE.to_owned()),
        (plan.contacts && plan.writes_vtk(bodies), frame_name(forces::SERIES, 0)),
        (avalanche, avalanche::TABLE.to_owned()),
        (avalanche, deposit::THICKNESS.to_owned()),
        (avalanche, deposit::DEPTH.to_owned()),
        (avalanche, deposit::OUTLINE.to_owned()),
        (scene.measure.mound.is_some(), mound::TABLE.to_owned()),
        (plan.film, FILM.to_owned()),
        (plan.final_state, FINAL_STATE.to_owned()),
        (plan.summary, SUMMARY.to_owned()),
    ];
    let mut names: Vec<String> = written.into_iter().filter(|(asked, _)| *asked).map(|(_, name)| name).collect();
    if plan.plots {
        names.extend(plot_names(ENERGY_PLOT));
        names.extend(scene.measure.repose.iter().flat_map(|_| plot_names(PROFILE_PLOT)));
        if avalanche {
            names.extend([avalanche::PLOT, deposit::PLOT, BUDGET_PLOT].into_iter().flat_map(plot_names));
        }
        names.extend(scene.measure.mound.iter().flat_map(|_| plot_names(mound::PLOT)));
    }
    if plan.writes_vtk(bodies) {
        let series = [Some(SERIES), plan.contacts.then_some(forces::SERIES)];
        for series in series.into_iter().flatten() {
            names.extend(frames_in(&folder.join(series)).map(|frame| format!("{series}/{frame}")));
        }
    }
    names.extend(pictures::names(plan.pictures, scene.stages()?));
    Ok(names)
}

/// Names of the files in a folder that frames have.
fn frames_in(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| {
        let number = name.strip_prefix("frame_").and_then(|rest| rest.strip_suffix(".vtp"));
        number.and_then(|digits| digits.parse().ok()).is_some_and(|number| SeriesWriter::frame_name(number) == *name)
    })
}

/// Writes into one folder: `energy.csv`, `walls.csv`, `bodies.pvd` and `contacts.pvd` while the run goes on; pictures,
/// `film.gif`, `final_state.csv`, `contacts_final.csv`, `summary.json` and the plots when it has ended, whatever ended
/// it.
pub struct Recorder {
    results: Results,
    plan: OutputPlan,
    energy: Option<EnergyWriter>,
    series: Option<SeriesWriter>,
    walls: Option<WallRecorder>,
    chains: Option<ContactSeriesWriter>,
    avalanche: Option<AvalancheRecorder>,
    mound: Option<MoundRecorder>,
    album: Album,
    last_stage: String,
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
    /// Makes the files that grow during the run.
    ///
    /// # Errors
    /// [`CliError`] naming the path that cannot be written.
    pub fn create(results: Results, scene: &Scene, simulation: &Simulation) -> Result<Self, CliError> {
        let plan = scene.output;
        let vtk = plan.writes_vtk(simulation.body_count());
        let energy = || Ok::<_, CliError>(EnergyWriter::create(&results.file(ENERGY)?)?);
        let series = || {
            results.file(SERIES_FILE)?;
            Ok::<_, CliError>(SeriesWriter::create(results.folder(), SERIES, VtkOptions::default())?)
        };
        let rate = plan.frames_per_second;
        let (avalanche, mound) = (scene.measure.avalanche, scene.measure.mound);
        let film_rate = plan.frames_per_second / FILM_EVERY as f64;
        let film = plan.film.then_some(FilmPlan { rate: film_rate });
        Ok(Recorder {
            plan,
            energy: (plan.energy_every > 0).then(energy).transpose()?,
            series: vtk.then(series).transpose()?,
            walls: plan.contacts.then(|| WallRecorder::create(&results, rate)).transpose()?,
            chains: (plan.contacts && vtk).then(|| forces::begin_series(&results)).transpose()?,
            album: Album::new(&results, plan, film),
            last_stage: scene.stages()?.last().map(|stage| stage.name.clone()).unwrap_or_default(),
            avalanche: avalanche.map(|plan| AvalancheRecorder::create(&results, &plan, rate)).transpose()?,
            mound: mound.map(|plan| MoundRecorder::create(&results, &plan, rate)).transpose()?,
            results,
            frames: Frames::new(rate),
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

    /// Writes what is written at the end, what is drawn as the last: it takes longest, and who is in a hurry has the
    /// numbers. Each file is tried, whatever becomes of the others.
    ///
    /// # Errors
    /// The first [`CliError`], naming the path that cannot be written.
    pub fn finish(
        &mut self,
        scene: &Scene,
        simulation: &Simulation,
        outcome: &Outcome,
        summary: &Summary,
    ) -> Result<(), CliError> {
        let snapshot = simulation.snapshot();
        let mut results = Vec::new();
        if self.plan.final_state {
            results.push(self.write_final_state(&snapshot));
        }
        if self.plan.contacts {
            results.push(forces::write_final(&self.results, simulation));
        }
        if self.plan.summary {
            results.push(self.write_summary(summary));
        }
        let map = scene.measure.avalanche.and_then(|plan| DepositMap::of(&snapshot, &plan).ok());
        results.extend(map.iter().map(|map| map.write(&self.results)));
        if self.plan.plots {
            results.extend(map.iter().map(|map| self.plot_deposit(scene, &snapshot, map)));
            results.push(self.plot_avalanche(scene));
            results.push(self.plot_mound(scene));
            results.push(self.plot_energy(scene));
            results.push(self.plot_profile(scene, simulation, &snapshot, outcome));
        }
        results.push(self.album.end(simulation));
        results.into_iter().collect()
    }

    fn write_final_state(&self, snapshot: &Snapshot) -> Result<(), CliError> {
        Ok(write_final_state(&self.results.file(FINAL_STATE)?, snapshot)?)
    }

    fn write_summary(&self, summary: &Summary) -> Result<(), CliError> {
        Ok(summary.write(&self.results.file(SUMMARY)?)?)
    }

    fn plot_energy(&self, scene: &Scene) -> Result<(), CliError> {
        let rows = self.history.rows();
        if rows.is_empty() {
            return Ok(());
        }
        let figure = EnergyFigure { title: title(scene), rows, events: self.events.clone() };
        save_figure(&self.results.plot(ENERGY_PLOT)?, &figure)?;
        Ok(())
    }

    fn plot_deposit(&self, scene: &Scene, snapshot: &Snapshot, map: &DepositMap) -> Result<(), CliError> {
        save_figure(&self.results.plot(deposit::PLOT)?, &map.figure(snapshot, title(scene)))?;
        Ok(())
    }

    /// Front and energy budget.
    fn plot_avalanche(&self, scene: &Scene) -> Result<(), CliError> {
        let Some(recorder) = &self.avalanche else { return Ok(()) };
        if let Some(figure) = recorder.figure(title(scene)) {
            save_figure(&self.results.plot(avalanche::PLOT)?, &figure)?;
        }
        let rows = self.history.rows();
        if !rows.is_empty() {
            save_figure(&self.results.plot(BUDGET_PLOT)?, &BudgetFigure { title: title(scene), rows })?;
        }
        Ok(())
    }

    /// Of the mound since bodies were last taken away: what falls into a box before is much higher.
    fn plot_mound(&self, scene: &Scene) -> Result<(), CliError> {
        let since = self.events.last().map_or(0.0, |(time, _)| *time);
        if let Some(figure) = self.mound.as_ref().and_then(|mound| mound.figure(title(scene), since)) {
            save_figure(&self.results.plot(mound::PLOT)?, &figure)?;
        }
        Ok(())
    }

    fn plot_profile(
        &self,
        scene: &Scene,
        simulation: &Simulation,
        snapshot: &Snapshot,
        outcome: &Outcome,
    ) -> Result<(), CliError> {
        let Some(plan) = scene.measure.repose else { return Ok(()) };
        let found = Repose::of(simulation, snapshot, &plan, outcome.pile_end);
        let figure = found.and_then(|found| found.figure(title(scene), outcome.ending.is_done()));
        let Some(figure) = figure else { return Ok(()) };
        save_figure(&self.results.plot(PROFILE_PLOT)?, &figure)?;
        Ok(())
    }

    fn frame(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.series.is_none() && !self.album.films() {
            return Ok(());
        }
        self.framed = Some(simulation.time());
        let snapshot = simulation.snapshot();
        if let Some(series) = &mut self.series {
            self.results.file(&frame_name(SERIES, series.frames()))?;
            series.write(&snapshot)?;
        }
        if let Some(chains) = &mut self.chains {
            self.results.file(&frame_name(forces::SERIES, chains.frames()))?;
            chains.write(&snapshot, &forces::contacts(simulation)?)?;
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
        if let Some(walls) = &mut self.walls {
            walls.end(simulation)?;
        }
        if let Some(avalanche) = &mut self.avalanche {
            avalanche.end(simulation)?;
        }
        if let Some(mound) = &mut self.mound {
            mound.end(simulation)?;
        }
        if self.framed != Some(simulation.time()) {
            self.frame(simulation)?;
        }
        Ok(())
    }

    /// Rows of what is measured over time, where they are due.
    fn measure(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if let Some(avalanche) = &mut self.avalanche {
            avalanche.step(simulation)?;
        }
        self.mound.as_mut().map_or(Ok(()), |mound| mound.step(simulation))
    }
}

impl Observer for Recorder {
    fn observe(&mut self, simulation: &Simulation, event: &Event<'_>) -> Result<(), CliError> {
        match event {
            Event::Begin => {
                self.album.begin(simulation);
                self.frames.due(simulation.time());
                self.measure(simulation)?;
                self.frame(simulation)
            }
            Event::StageBegins { stage, .. } => {
                if !stage.remove.is_empty() {
                    self.events.push((simulation.time(), format!("{} removed", stage.remove.join(", "))));
                }
                self.album.stage_begins(simulation, stage, stage.name == self.last_stage);
                Ok(())
            }
            Event::Step(report) => {
                self.book(energy_row(simulation, report))?;
                if let Some(walls) = &mut self.walls {
                    walls.step(simulation)?;
                }
                self.measure(simulation)?;
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
