//! `cargo xtask`: the chores of the workspace, each a subcommand in a module of its own. Owns no physics.

mod accuracy;
mod bench;
mod ci;
mod exact;
mod penalty;
mod random;
mod repose;
mod seeds;
mod tidy;
mod validate;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Chores of the granule workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the rules of ARCHITECTURE.md that a program can check; prints file:line for each breach.
    Tidy,
    /// Run what continuous integration runs after the tests: format, clippy, docs, tidy. Stops at the first failure.
    Ci,
    /// Measure what a simulated second costs: table on screen, rows as JSON in target/bench.
    Bench(bench::Arguments),
    /// Print the table of docs/performance.md that compares the cost with that of penalty codes at the stiffness of
    /// rock.
    Penalty,
    /// Print the tables of README and docs/experiments/angle-of-repose.md from runs of `granule demo repose --sweep`.
    Repose(repose::Arguments),
    /// Run random scenes, each in a process of its own, and list those in which the engine breaks a promise. Exit code
    /// 1 if any.
    Random(random::Arguments),
    /// Print the tables of docs/accuracy.md on how errors fall with the step, and draw their plots.
    Accuracy(accuracy::Arguments),
    /// Run scenes whose answer is known, each in a process of its own, and list those in which the engine is off. Exit
    /// code 1 if any.
    Exact(exact::Arguments),
    /// Run `granule validate` in release: the reference cases, measured against expected. Arguments are handed on.
    Validate(validate::Arguments),
}

fn main() -> ExitCode {
    let root = workspace_root();
    match Arguments::parse().command {
        Command::Tidy => tidy::run(&root),
        Command::Ci => ci::run(&root),
        Command::Bench(arguments) => bench::run(&root, &arguments),
        Command::Penalty => penalty::run(),
        Command::Repose(arguments) => repose::run(&root, &arguments),
        Command::Random(arguments) => random::run(&arguments),
        Command::Accuracy(arguments) => accuracy::run(&root, &arguments),
        Command::Exact(arguments) => exact::run(&arguments),
        Command::Validate(arguments) => validate::run(&root, &arguments),
    }
}

/// The workspace this program was started for: the folder above its manifest, which `cargo run` names at run time.
fn workspace_root() -> PathBuf {
    let manifest_folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    manifest_folder.and_then(|folder| folder.parent().map(PathBuf::from)).unwrap_or_else(|| PathBuf::from("."))
}
