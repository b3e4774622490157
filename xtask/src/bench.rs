//! `cargo xtask bench`: what a simulated second costs, with the figures that say whether the work was done well.
//!
//! Each workload is a packaged scene of the same name, stepped for [`SECONDS`] of simulated time whatever its own stages say.
//! Times are those of the stepping loop alone. Absolute times depend on the machine and on its other users: compare only
//! what ran in the same minute.

mod memory;
mod row;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use granule_scene::{SceneError, packaged, packaged_names};
use row::{Row, measure};
use thiserror::Error;

/// Arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Workloads to run, by name, with commas between [default: all].
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Numbers of threads to run each workload with [default: 1 and all cores].
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// File for the rows [default: target/bench/bench.json].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The workloads: packaged scenes in which grains fall from a grid and settle.
const WORKLOADS: [&str; 4] = ["settle-spheres-540", "settle-spheres-10000", "settle-cubes-325", "settle-crosses-325"];
/// Simulated time of a workload \[s\].
const SECONDS: f64 = 6.0;
/// The falling phase, from and to \[s\].
const FALLING: (f64, f64) = (0.5, 3.0);
/// The settled phase, from here to the end \[s\].
const SETTLED: f64 = SECONDS - 1.0;

/// Why there are no figures.
#[derive(Debug, Error)]
pub(crate) enum BenchError {
    /// A name that is no workload.
    #[error("there is no workload `{0}`; known are {known}", known = WORKLOADS.join(", "))]
    Workload(String),
    /// The packaged scene is wrong.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// The engine could not go on.
    #[error("{workload}: {source}")]
    Engine { workload: String, source: granule_engine::EngineError },
    /// The system refused the threads.
    #[error("cannot start {threads} threads: {reason}")]
    Threads { threads: u16, reason: String },
    /// The rows could not be written.
    #[error("cannot write {path}: {reason}", path = .path.display())]
    Write { path: PathBuf, reason: String },
}

/// Runs the workloads; the exit code is 2 for a name that is none, 1 for any other failure.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> ExitCode {
    match bench(root, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(if matches!(error, BenchError::Workload(_)) { 2 } else { 1 })
        }
    }
}

fn bench(root: &Path, arguments: &Arguments) -> Result<(), BenchError> {
    let workloads = chosen(&arguments.only)?;
    let path = arguments.json.clone().unwrap_or_else(|| root.join("target/bench/bench.json"));
    // A file that cannot be written should be known before the minutes of work.
    write(&path, &[])?;
    println!("{}", table::head());
    let mut rows = Vec::new();
    for workload in workloads {
        for threads in thread_counts(&arguments.threads) {
            let row = one(workload, threads)?;
            println!("{}", table::line(&row));
            rows.push(row);
            write(&path, &rows)?;
        }
    }
    println!("\n{}", table::phases(&rows));
    println!("\nrows in {}", path.display());
    Ok(())
}

/// The workloads asked for, in their own order; all without a choice.
fn chosen(only: &[String]) -> Result<Vec<&'static str>, BenchError> {
    if let Some(unknown) = only.iter().find(|name| !WORKLOADS.contains(&name.as_str())) {
        return Err(BenchError::Workload(unknown.clone()));
    }
    debug_assert!(WORKLOADS.iter().all(|name| packaged_names().any(|known| known == *name)));
    let wanted = |name: &&'static str| only.is_empty() || only.iter().any(|o| o == name);
    Ok(WORKLOADS.into_iter().filter(wanted).collect())
}

fn thread_counts(asked: &[u16]) -> Vec<u16> {
    if !asked.is_empty() {
        return asked.to_vec();
    }
    let cores = std::thread::available_parallelism().map_or(1, |n| u16::try_from(n.get()).unwrap_or(u16::MAX));
    if cores > 1 { vec![1, cores] } else { vec![1] }
}

fn one(workload: &str, threads: u16) -> Result<Row, BenchError> {
    let scene = packaged(workload)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
    let pool = pool.map_err(|e| BenchError::Threads { threads, reason: e.to_string() })?;
    pool.install(|| measure(workload, &scene, threads))
}

fn write(path: &Path, rows: &[Row]) -> Result<(), BenchError> {
    let failed = |reason: String| BenchError::Write { path: path.to_path_buf(), reason };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| failed(e.to_string()))?;
    }
    let mut text = serde_json::to_string_pretty(rows).map_err(|e| failed(e.to_string()))?;
    text.push('\n');
    std::fs::write(path, text).map_err(|e| failed(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_packaged_scenes_and_others_are_refused() {
        for workload in WORKLOADS {
            assert!(packaged(workload).is_ok(), "{workload}");
        }
        let names = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let some = chosen(&names("settle-crosses-325,settle-spheres-540")).expect("known");
        assert_eq!(some, ["settle-spheres-540", "settle-crosses-325"]);
        assert_eq!(chosen(&[]).expect("all").len(), 4);
        assert!(chosen(&names("settle-spheres-540,pears")).is_err_and(|e| e.to_string().contains("`pears`")));
    }

    #[test]
    fn rows_have_the_keys_that_readers_rely_on() {
        let value = serde_json::to_value(Row::default()).expect("plain data");
        let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
        let expected = [
            "workload",
            "bodies",
            "threads",
            "time_step",
            "cpu_seconds_per_simulated_second",
            "wall_seconds_per_simulated_second",
            "ms_per_step_falling",
            "ms_per_step_settled",
            "phases",
            "largest_overlap",
            "mean_overlap_settled",
            "energy_gained",
            "bodies_lost",
            "bytes_per_body",
            "contacts_per_body",
            "state_hash",
        ];
        let sorted = |keys: &[&str]| {
            let mut keys = keys.to_vec();
            keys.sort_unstable();
            keys.join(" ")
        };
        assert_eq!(sorted(&keys), sorted(&expected));
    }
}
