//! `cargo xtask bench`: what a simulated second costs, with the figures that say whether the work was done well.
//!
//! A workload is a packaged scene ([`workload`]), stepped for a given simulated time whatever its own stages say, with
//! bodies taken out on the way where it has a divider; or one that is poured under an impact law until it is at rest,
//! so that laws can be put side by side. Times are those of the stepping loop alone. Absolute times depend on the
//! machine and on its other users: compare only what ran in the same minute. What the machine can do at best is
//! measured first ([`roof`]), so that what the contact stage moves ([`sweeps`]) and what threads bring ([`speedup`])
//! can be held against it. Figures can be held against those of an earlier run ([`baseline`]), final states too
//! ([`hashes`]), and costs against another engine ([`peers`]).

mod baseline;
mod course;
mod hashes;
mod kernels;
mod laws;
mod memory;
mod peers;
mod roof;
mod row;
mod speedup;
mod sweeps;
mod table;
mod workload;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use baseline::Past;
use clap::Args;
use granule_scene::SceneError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use roof::Roof;
use row::{Row, measure};
use serde::Serialize;
use thiserror::Error;
use workload::{Workload, chosen, known};

/// Arguments of `cargo xtask bench`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Workloads to run, by name, with commas between; `pour` stands for all of `pour-spheres-100-LAW` [default: those
    /// that take seconds to minutes].
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Run fewer workloads, and each for a shorter simulated time: under three minutes in all.
    #[arg(long)]
    quick: bool,
    /// Numbers of threads to run each workload with [default: 1 and all cores].
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// File for the rows [default: target/bench/bench.json].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Rows of an earlier run: print what the figures of this one are to them.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Compare final states between numbers of threads and with the baseline, if there is one; exit code 1 if any
    /// differ.
    #[arg(long)]
    validate_hash: bool,
    /// Also run rapier3d-f64 on the workloads that it can: grains of one shape, up to 10 000, and nothing taken out.
    #[arg(long)]
    peers: bool,
}

/// Why there are no figures, or none that can be relied on.
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
    /// The rows of an earlier run could not be read.
    #[error("cannot take {path} for a baseline: {reason}\nexpected is {form}", path = .path.display())]
    Baseline { path: PathBuf, reason: String, form: &'static str },
    /// Runs of one workload ended in different states.
    #[error("final states differ:\n{}", .0.join("\n"))]
    Hashes(Vec<String>),
    /// There were no two final states of one workload.
    #[error(
        "no final states to compare: run on several numbers of threads, or give a baseline that holds the same workloads"
    )]
    NoHashes,
    /// The other engine did not run.
    #[error("rapier3d-f64 on {workload}: {reason}")]
    Peer { workload: String, reason: String },
}

/// Runs the workloads; the exit code is 2 for a name that is none and for a file that is no baseline, 1 for any other
/// failure.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> ExitCode {
    match bench(root, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::from(exit_code(&error))
        }
    }
}

fn exit_code(error: &BenchError) -> u8 {
    if matches!(error, BenchError::Workload(_) | BenchError::Baseline { .. }) { 2 } else { 1 }
}

fn bench(root: &Path, arguments: &Arguments) -> Result<(), BenchError> {
    let workloads = chosen(&arguments.only, arguments.quick).map_err(BenchError::Workload)?;
    // Before the rows are written, perhaps to the same file.
    let past = arguments.baseline.as_deref().map(baseline::read).transpose()?;
    let path = arguments.json.clone().unwrap_or_else(|| root.join("target/bench/bench.json"));
    // A file that cannot be written should be known before the minutes of work.
    write(&path, &[] as &[Row])?;
    let roofs = roofs()?;
    write(&path.with_extension("roofs.json"), &roofs)?;
    println!("{}\n", roof::table(&roofs));
    let rows = run_all(&workloads, &thread_counts(&arguments.threads), &path)?;
    println!("\nrows in {}", path.display());
    if arguments.peers {
        run_peers(root, &workloads, &rows, &path.with_extension("peers.json"))?;
    }
    judge(arguments, &rows, past.as_deref())
}

/// What the machine can do on one thread and on all.
fn roofs() -> Result<Vec<Roof>, BenchError> {
    thread_counts(&[]).into_iter().map(|threads| Ok(Roof::of(&pool(threads)?, threads))).collect()
}

/// Every workload on every number of threads; the file at `path` has the rows so far at any time.
fn run_all(workloads: &[Workload], thread_counts: &[u16], path: &Path) -> Result<Vec<Row>, BenchError> {
    println!("{}", table::head());
    let mut rows = Vec::new();
    for workload in workloads {
        for threads in thread_counts {
            let row = one(workload, *threads)?;
            println!("{}", table::line(&row));
            rows.push(row);
            write(path, &rows)?;
        }
    }
    println!("\n{}", table::quality(&rows));
    println!("\n{}", sweeps::table(&rows));
    println!("\n{}", table::phases(&rows));
    if let Some(speedups) = speedup::table(&rows) {
        println!("\n{speedups}");
    }
    if let Some(laws) = laws::table(&rows) {
        println!("\n{laws}");
    }
    Ok(rows)
}

/// The other engine on those of the workloads that it can run.
fn run_peers(root: &Path, workloads: &[Workload], own: &[Row], path: &Path) -> Result<(), BenchError> {
    let mut rows = Vec::new();
    println!("\n{}", peers::head());
    for workload in workloads {
        for row in peers::run(root, workload, own)? {
            println!("{}", peers::line(&row));
            rows.push(row);
            write(path, &rows)?;
        }
    }
    println!("\nrows in {}", path.display());
    Ok(())
}

/// Holds the rows against those of an earlier run and against each other, as far as that is asked for.
fn judge(arguments: &Arguments, rows: &[Row], past: Option<&[Past]>) -> Result<(), BenchError> {
    if let Some(past) = past {
        println!("\n{}", baseline::comparison(rows, past));
    }
    if arguments.validate_hash {
        let compared = hashes::check(rows, past.unwrap_or_default())?;
        println!("\nfinal states agree in all of {compared} comparisons");
    }
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
    let course = workload.course()?;
    let pool = pool(threads)?;
    let before = speedup::of_arithmetic(&pool, threads);
    let row = pool.install(|| measure(&workload.name, &course, threads))?;
    let arithmetic_speed_up = 0.5 * (before + speedup::of_arithmetic(&pool, threads));
    Ok(Row { law: workload.law(), arithmetic_speed_up, ..row })
}

fn pool(threads: u16) -> Result<ThreadPool, BenchError> {
    let pool = ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
    pool.map_err(|e| BenchError::Threads { threads, reason: e.to_string() })
}

fn write<R: Serialize>(path: &Path, rows: &[R]) -> Result<(), BenchError> {
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
            "wall_ms_per_step_falling",
            "wall_ms_per_step_settled",
            "arithmetic_speed_up",
            "cpu_seconds_per_floor_period",
            "mean_sweeps",
            "largest_sweeps",
            "mean_residual",
            "largest_residual",
            "contacts_solved",
            "sweeps_per_contact",
            "ns_per_update",
            "bytes_per_update",
            "sweep_gigabytes_per_second",
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

    #[test]
    fn names_and_files_that_are_wrong_end_with_two_and_states_that_differ_with_one() {
        let path = PathBuf::from("rows.json");
        assert_eq!(exit_code(&BenchError::Workload("pears".to_owned())), 2);
        assert_eq!(exit_code(&BenchError::Baseline { path, reason: "none".to_owned(), form: "rows" }), 2);
        assert_eq!(exit_code(&BenchError::Hashes(vec!["a".to_owned()])), 1);
        assert_eq!(exit_code(&BenchError::NoHashes), 1);
    }
}
