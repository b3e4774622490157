//! `cargo xtask bench`: what a simulated second costs, with the figures that say whether the work was done well.
//!
//! A workload is a packaged scene, stepped for six seconds of simulated time whatever its own stages say; or one that is poured
//! under an impact law until it is at rest, so that laws can be put side by side ([`workload`]). Times are those of the
//! stepping loop alone. Absolute times depend on the machine and on its other users: compare only
//! what ran in the same minute.

mod laws;
mod memory;
mod row;
mod table;
mod workload;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use granule_scene::SceneError;
use row::{Row, measure};
use thiserror::Error;
use workload::{Workload, chosen, known};

/// Arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Workloads to run, by name, with commas between; `pour` stands for all of `pour-spheres-100-LAW` [default: those that
    /// settle].
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Numbers of threads to run each workload with [default: 1 and all cores].
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// File for the rows [default: target/bench/bench.json].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Why there are no figures.
#[derive(Debug, Error)]
pub(crate) enum BenchError {
    /// A name that is no workload.
    #[error("there is no workload `{0}`; known are {known}", known = known())]
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
    let workloads = chosen(&arguments.only).map_err(BenchError::Workload)?;
    let path = arguments.json.clone().unwrap_or_else(|| root.join("target/bench/bench.json"));
    // A file that cannot be written should be known before the minutes of work.
    write(&path, &[])?;
    println!("{}", table::head());
    let mut rows = Vec::new();
    for workload in workloads {
        for threads in thread_counts(&arguments.threads) {
            let row = one(&workload, threads)?;
            println!("{}", table::line(&row));
            rows.push(row);
            write(&path, &rows)?;
        }
    }
    println!("\n{}", table::phases(&rows));
    if let Some(laws) = laws::table(&rows) {
        println!("\n{laws}");
    }
    println!("\nrows in {}", path.display());
    Ok(())
}

fn thread_counts(asked: &[u16]) -> Vec<u16> {
    if !asked.is_empty() {
        return asked.to_vec();
    }
    let cores = std::thread::available_parallelism().map_or(1, |n| u16::try_from(n.get()).unwrap_or(u16::MAX));
    if cores > 1 { vec![1, cores] } else { vec![1] }
}

fn one(workload: &Workload, threads: u16) -> Result<Row, BenchError> {
    let (scene, end) = workload.scene()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
    let pool = pool.map_err(|e| BenchError::Threads { threads, reason: e.to_string() })?;
    let row = pool.install(|| measure(&workload.name, &scene, end, threads))?;
    Ok(Row { law: workload.law(), ..row })
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
            "law",
            "simulated_seconds",
            "cpu_seconds",
            "at_rest",
            "rest_time",
            "clusters_resolved",
            "fallbacks",
            "dissipated_impact",
            "dissipated_friction",
            "dissipated_contact",
            "correction_work",
        ];
        let sorted = |keys: &[&str]| {
            let mut keys = keys.to_vec();
            keys.sort_unstable();
            keys.join(" ")
        };
        assert_eq!(sorted(&keys), sorted(&expected));
    }
}
