//! Scenes that come from seeds: several at a time, each in a process of its own, so that a step that never returns and
//! a panic end that process alone.
//!
//! What a scene is and what its process prints is left to the commands `random` and `exact`.

use std::io::Read;
use std::ops::Range;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

/// Which seeds are run, and how.
#[derive(Debug, Args)]
pub(crate) struct Seeds {
    /// Seed of the first.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Scenes that run at a time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// Run the scene of this seed alone and print all that was measured.
    #[arg(long, value_name = "SEED", conflicts_with_all = ["scenes", "first", "threads"])]
    pub(crate) only: Option<u64>,
    /// Run one scene in this process and print its report as JSON: how the command calls itself.
    #[arg(long, hide = true, value_name = "SEED")]
    pub(crate) child: Option<u64>,
}

impl Seeds {
    /// The seeds of so many scenes, or the only one.
    pub(crate) fn of(&self, scenes: u64) -> Range<u64> {
        let (first, count) = self.only.map_or((self.first, scenes), |seed| (seed, 1));
        first..first.saturating_add(count)
    }
}

/// Prints the report of a scene as JSON, for the process that asked for it.
pub(crate) fn print(report: &impl Serialize) -> ExitCode {
    match serde_json::to_string(report) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// How often a process is looked at.
pub(crate) const PERIOD: Duration = Duration::from_millis(5);

/// How the process of a scene ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// With what it printed, and with what it complained of.
    Printed(String, String),
    /// It took too long, and was killed.
    Killed,
    /// It could not be started.
    Unstarted(String),
}

/// Does `work` for each of the seeds, so many at a time, in any order.
pub(crate) fn each(seeds: &Range<u64>, threads: u16, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(seeds.start);
    let one_after_the_other = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            work(seed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..u64::from(threads).min(seeds.end - seeds.start) {
            scope.spawn(one_after_the_other);
        }
    });
}

/// Runs this program with `arguments`, which print the report of a scene, for at most `limit` by the clock.
pub(crate) fn apart(arguments: &[&str], limit: Duration) -> Ended {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return Ended::Unstarted(error.to_string()),
    };
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = match command.spawn() {
        Ok(process) => process,
        Err(error) => return Ended::Unstarted(error.to_string()),
    };
    if !ends(&mut process, limit) {
        let _ = process.kill();
        let _ = process.wait();
        return Ended::Killed;
    }
    let mut text = String::new();
    if let Some(mut out) = process.stdout.take() {
        let _ = out.read_to_string(&mut text);
    }
    Ended::Printed(text, complaint(&mut process))
}

/// Whether a process ends within `limit` by the clock.
fn ends(process: &mut Child, limit: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < limit {
        if !matches!(process.try_wait(), Ok(None)) {
            return true;
        }
        sleep(PERIOD);
    }
    false
}

/// What a process that printed no report said.
fn complaint(process: &mut Child) -> String {
    let mut text = String::new();
    if let Some(mut out) = process.stderr.take() {
        let _ = out.read_to_string(&mut text);
    }
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("no report").to_owned();
    let message = text.lines().filter(|line| !line.trim().is_empty()).nth(1).unwrap_or_default();
    format!("{line} {message}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn each_seed_is_taken_once() {
        let taken = Mutex::new(Vec::new());
        each(&(3..9), 4, |seed| taken.lock().expect("no panic").push(seed));
        let mut taken = taken.into_inner().expect("no panic");
        taken.sort_unstable();
        assert_eq!(taken, [3, 4, 5, 6, 7, 8]);
        each(&(3..3), 4, |seed| panic!("{seed}"));
    }
}
