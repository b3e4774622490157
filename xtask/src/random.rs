//! `cargo xtask random`: random scenes by the hundred, and which of them break a promise of the engine.
//!
//! Each scene runs in a process of its own, on one thread of the engine: a step that never returns and a panic end that
//! process alone. Times are processor times. The process stops itself once it has used up what `Watch` allows; should
//! it not get that far, it is killed.

mod child;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Args;
use granule_validation::random::{Bounds, RandomScene, Report};

use table::Table;

use crate::seeds::{Seeds, each};

/// Arguments of `cargo xtask random`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Number of scenes.
    #[arg(long, default_value_t = 300)]
    scenes: u64,
    #[command(flatten)]
    seeds: Seeds,
    /// Write failing scenes as scene files to this folder; those that change during the run are left out.
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Write what was measured of every scene to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if let Some(seed) = arguments.seeds.child {
        return child::run(seed);
    }
    match run_all(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("random: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the scenes and prints them; whether all passed.
fn run_all(arguments: &Arguments) -> Result<bool, String> {
    let bounds = Bounds::default();
    let rows = arguments.rows.as_deref().map(create).transpose()?;
    let table = Mutex::new(Table::new(bounds, arguments.seeds.only.is_some(), rows));
    each(&arguments.seeds.of(arguments.scenes), arguments.seeds.threads, |seed| {
        let report = child::watched(seed);
        table.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(report);
    });
    let table = table.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    table.finish();
    if let Some(folder) = &arguments.write {
        for report in table.reports().iter().filter(|r| !r.is_thrown_away(&bounds) && !r.faults(&bounds).is_empty()) {
            write_scene(folder, report)?;
        }
    }
    Ok(table.passed())
}

fn create(file: &Path) -> Result<fs::File, String> {
    fs::File::create(file).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Writes the scene of a report with its meshes.
fn write_scene(folder: &Path, report: &Report) -> Result<(), String> {
    let scene = RandomScene::new(report.seed);
    let name = format!("random-{}", report.seed);
    let time_step = if report.time_step.is_finite() { Ok(report.time_step) } else { step_of(&scene) }?;
    let Some(written) = scene.written(time_step, &name) else {
        eprintln!("random: {name} changes during the run and cannot be written");
        return Ok(());
    };
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    write(&format!("{name}.toml"), &written.text)?;
    written.meshes.iter().try_for_each(|(file, text)| write(file, text))
}

/// The step that the engine chooses \[s\].
fn step_of(scene: &RandomScene) -> Result<f64, String> {
    scene.build().map(|(simulation, _)| simulation.time_step()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_engine::{Settings, Simulation};
    use granule_scene::Scene;

    /// Largest difference of two states: of places over the size of bodies, and of velocities relative to the second's.
    fn difference(a: &Simulation, b: &Simulation) -> f64 {
        let (a, b) = (a.snapshot().bodies, b.snapshot().bodies);
        assert_eq!(a.len(), b.len());
        let pairs = a.iter().zip(&b).map(|(a, b)| {
            assert_eq!((&a.name, a.kind), (&b.name, b.kind));
            assert!((a.mass - b.mass).abs() <= 1e-12 * b.mass);
            let size = if b.shape.is_unbounded() { 1.0 } else { b.shape.bounding_radius() };
            let (way, change) = (a.pose.position - b.pose.position, a.velocity.linear - b.velocity.linear);
            (way.length() / size).max(change.length() / b.velocity.linear.length().max(1e-3))
        });
        pairs.fold(0.0, f64::max)
    }

    /// A file that is another scene would show the wrong thing.
    #[test]
    fn a_written_scene_starts_alike_and_steps_alike() {
        let (mut compared, mut strayed) = (0, Vec::new());
        for seed in 0..60 {
            let scene = RandomScene::new(seed);
            if !scene.events.is_empty() {
                continue;
            }
            let folder = tempfile::tempdir().expect("a folder");
            write_scene(folder.path(), &Report::new(&scene)).expect("written");
            let file = Scene::load(&folder.path().join(format!("random-{seed}.toml"))).expect("a good scene");
            let mut read = file.build().expect("bodies that the engine takes").simulation;
            let (mut made, _) = scene.build().expect("bodies that the engine takes");
            // A file with ground that ends has a domain chosen for it; what leaves would fall for ever.
            let domain = read.settings().domain.filter(|domain| file.chosen_domain == Some(*domain));
            assert_eq!(*read.settings(), Settings { domain, ..*made.settings() }, "seed {seed}");
            // Measured 0.
            assert!(difference(&read, &made) <= 1e-14, "seed {seed}");
            for _ in 0..3 {
                read.step().expect("a step");
                made.step().expect("a step");
            }
            compared += 1;
            if difference(&read, &made) > 1e-9 {
                strayed.push(seed);
            }
        }
        // Orientations are made unit length once more on reading: they differ by a last bit. In one of the 25 scenes,
        // seed 18, that bit moves a body by 1 % of its size in the first step, with velocities alike.
        assert!(compared >= 25 && strayed.len() <= 1, "{compared}, {strayed:?}");
    }
}
