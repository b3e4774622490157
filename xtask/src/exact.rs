//! `cargo xtask exact`: scenes whose answer is known by the hundred, and in which of them the engine is off.
//!
//! Each scene runs in a process of its own ([`seeds`](crate::seeds)), which is killed when it takes too long.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use granule_engine::Stepping;
use granule_validation::exact::{ExactFamily, ExactReport, ExactScene};

use crate::seeds::{Ended, Seeds, apart, each, print};

/// Time by the clock after which a scene is given up; all but the slowest take a tenth of a second.
const LIMIT: Duration = Duration::from_secs(600);

/// Arguments of `cargo xtask exact`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Number of scenes.
    #[arg(long, default_value_t = 500)]
    scenes: u64,
    #[command(flatten)]
    seeds: Seeds,
    /// How steps are made.
    #[arg(long, value_enum, default_value_t = Made::Touch)]
    stepping: Made,
    /// Write what was measured of every scene to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
}

/// How steps are made, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Made {
    /// Few bodies that are struck go from touch to touch.
    Touch,
    /// All contacts of a step together.
    Margin,
    /// From impact to impact.
    Event,
}

impl Made {
    fn stepping(self) -> Stepping {
        match self {
            Made::Touch => Stepping::Touch,
            Made::Margin => Stepping::Margin,
            Made::Event => Stepping::Event,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Made::Touch => "touch",
            Made::Margin => "margin",
            Made::Event => "event",
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if let Some(seed) = arguments.seeds.child {
        return print(&ExactScene::new(seed).run(arguments.stepping.stepping()));
    }
    match run_all(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("exact: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the scenes and prints them; whether all passed, and there was one.
fn run_all(arguments: &Arguments) -> Result<bool, String> {
    let create = |path: &PathBuf| File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()));
    let mut rows = arguments.rows.as_ref().map(create).transpose()?;
    let reports = Mutex::new(Vec::new());
    each(&arguments.seeds.of(arguments.scenes), arguments.seeds.threads, |seed| {
        let report = watched(seed, arguments.stepping);
        reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
    });
    let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.sort_by_key(|report| report.seed);
    for report in &reports {
        if let Some(file) = &mut rows {
            let text = serde_json::to_string(report).map_err(|error| error.to_string())?;
            writeln!(file, "{text}").map_err(|error| error.to_string())?;
        }
    }
    if arguments.seeds.only.is_some() {
        reports.iter().for_each(|report| println!("{report:#?}"));
    }
    failed(&reports).iter().for_each(|line| println!("{line}"));
    table(&reports).iter().for_each(|line| println!("{line}"));
    Ok(!reports.is_empty() && reports.iter().all(ExactReport::passed))
}

/// The report of a scene, run in a process of its own.
fn watched(seed: u64, made: Made) -> ExactReport {
    let failed = |why: String| ExactReport { error: Some(why), ..ExactReport::new(&ExactScene::new(seed)) };
    match apart(&["exact", "--stepping", made.name(), "--child", &seed.to_string()], LIMIT) {
        Ended::Printed(text, complaint) => serde_json::from_str(&text).unwrap_or_else(|_| failed(complaint)),
        Ended::Killed => failed(format!("killed after {} s", LIMIT.as_secs())),
        Ended::Unstarted(why) => failed(why),
    }
}

/// A line for each bound that was not kept.
fn failed(reports: &[ExactReport]) -> Vec<String> {
    let mut lines = vec![format!("{:>6}  {:8}  {:>10}  {:>8}  what", "seed", "family", "value", "bound")];
    for report in reports {
        let (seed, family) = (report.seed, report.family.name());
        if let Some(error) = &report.error {
            lines.push(format!("{seed:6}  {family:8}  {:>10}  {:>8}  {error}", "", ""));
        }
        for check in report.failures() {
            lines
                .push(format!("{seed:6}  {family:8}  {:10.2e}  {:8.0e}  {}", check.value, check.bound, check.quantity));
        }
    }
    lines
}

/// Scenes and failures of each family, and the largest value of each quantity: a table in Markdown, as
/// `docs/accuracy.md` has it.
fn table(reports: &[ExactReport]) -> Vec<String> {
    let mut lines = vec!["\n| family | scenes | failed | quantity | bound | largest | seed |".to_owned()];
    lines.push("|---|---|---|---|---|---|---|".to_owned());
    for family in ExactFamily::ALL {
        let of_family: Vec<&ExactReport> = reports.iter().filter(|r| r.family == family).collect();
        let failed = of_family.iter().filter(|r| !r.passed()).count();
        let mut head = format!("| {} | {} | {failed} ", family.name(), of_family.len());
        for (quantity, bound, value, seed) in largest(&of_family) {
            lines.push(format!("{head}| {quantity} | {bound:.0e} | {value:.1e} | {seed} |"));
            head = "| | | ".to_owned();
        }
    }
    lines
}

/// Every quantity of the reports with its bound, largest value and the seed that has it; NaN is the largest.
fn largest<'a>(reports: &[&'a ExactReport]) -> Vec<(&'a str, f64, f64, u64)> {
    let mut found: Vec<(&str, f64, f64, u64)> = Vec::new();
    for report in reports {
        for check in &report.checks {
            let entry = (check.quantity.as_str(), check.bound, check.value, report.seed);
            // A quantity may have two bounds in one family: by them it is two.
            match found.iter_mut().find(|f| f.0 == check.quantity && f.1 == check.bound) {
                Some(known) if check.value.total_cmp(&known.2).is_gt() => *known = entry,
                Some(_) => {}
                None => found.push(entry),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scene that fails, and one that could not be run, are told as such.
    #[test]
    fn what_fails_is_told() {
        let good = ExactScene::new(8).run(Stepping::Touch);
        assert!(good.passed(), "{good:?}");
        let mut bad = good.clone();
        bad.checks[0].value = f64::NAN;
        let broken = ExactReport { error: Some("of any kind".to_owned()), ..good.clone() };
        assert_eq!(failed(std::slice::from_ref(&good)).len(), 1);
        assert_eq!(failed(&[good.clone(), bad.clone(), broken]).len(), 3);
        assert!(table(&[good, bad])[2].contains("| 2 | 1 |") && !table(&[]).is_empty());
    }
}
