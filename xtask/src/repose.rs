//! `cargo xtask repose`: the angles of repose of many seeds, as README and `docs/experiments/angle-of-repose.md` tell
//! them.
//!
//! The runs are those of `granule demo repose --sweep --seeds 8 --friction X` for three frictions; what they came to is
//! kept in `data/reference/repose_runs.csv`, which this command writes from the tables of sweeps. Tests hold both pages
//! to these rows.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use granule_measure::{Verdict, mean_and_error};
use serde::{Deserialize, Serialize};

/// Where the runs are kept, from the root of the workspace.
const RUNS: &str = "data/reference/repose_runs.csv";

/// What is printed, and from what.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Tables of sweeps (`repose_table.csv`) that take the place of the runs that are kept.
    #[arg(value_name = "TABLE")]
    tables: Vec<PathBuf>,
}

/// A run of a sweep, without what does not matter here.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Run {
    shape: String,
    friction: f64,
    seed: u64,
    /// Angle as Tang 2014 takes it \[degrees\].
    mean: f64,
    verdict: String,
    angle_deg: f64,
    standard_error_deg: f64,
    r2: f64,
    toe_to_crest_deg: f64,
    largest_step_diameters: f64,
}

/// Prints both tables.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> ExitCode {
    match collect(root, &arguments.tables) {
        Ok(runs) => {
            let groups = groups(&runs);
            println!("README.md:");
            short_table(&groups).iter().for_each(|line| println!("{line}"));
            println!("\ndocs/experiments/angle-of-repose.md:");
            table(&groups).iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("repose: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The runs of the tables, which are kept from now on, or those that are kept.
fn collect(root: &Path, tables: &[PathBuf]) -> Result<Vec<Run>, String> {
    let kept = root.join(RUNS);
    if tables.is_empty() {
        return read(&kept);
    }
    let mut runs = Vec::new();
    for table in tables {
        runs.extend(read(table)?);
    }
    let failed = |error: csv::Error| format!("{}: {error}", kept.display());
    let mut writer = csv::Writer::from_path(&kept).map_err(failed)?;
    runs.iter().try_for_each(|run| writer.serialize(run)).map_err(failed)?;
    writer.flush().map_err(|error| failed(error.into()))?;
    Ok(runs)
}

fn read(path: &Path) -> Result<Vec<Run>, String> {
    let failed = |error: csv::Error| format!("{}: {error}", path.display());
    csv::Reader::from_path(path).map_err(failed)?.deserialize().collect::<Result<_, _>>().map_err(failed)
}

/// The runs of one shape and friction.
type Group<'a> = Vec<&'a Run>;

/// The runs by shape and friction, in the order in which each shape appears, frictions ascending.
fn groups(runs: &[Run]) -> Vec<Group<'_>> {
    let mut keys: Vec<(usize, f64)> = Vec::new();
    let place = |shape: &str| runs.iter().position(|run| run.shape == shape).unwrap_or_default();
    for run in runs {
        let key = (place(&run.shape), run.friction);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let of_key = |key: &(usize, f64)| runs.iter().filter(|run| (place(&run.shape), run.friction) == *key).collect();
    keys.iter().map(of_key).collect()
}

/// Mean with its standard error, of one value that alone; empty without values.
fn mean_text(values: &[f64]) -> String {
    let (mean, error) = mean_and_error(values.iter().copied());
    match values.len() {
        0 => String::new(),
        1 => format!("{mean:.2}"),
        _ => format!("{mean:.2} +- {error:.2}"),
    }
}

fn slopes<'a>(group: &Group<'a>) -> Group<'a> {
    group.iter().copied().filter(|run| run.verdict == Verdict::Slope.name()).collect()
}

fn values(runs: &[&Run], value: fn(&Run) -> f64) -> Vec<f64> {
    runs.iter().map(|run| value(run)).collect()
}

/// The table of the README.
fn short_table(groups: &[Group<'_>]) -> Vec<String> {
    let head = ["| grains | friction | slopes | angle | tang_2014 |".to_owned(), "|---|---|---|---|---|".to_owned()];
    let line = |group: &Group<'_>| {
        let slopes = slopes(group);
        let (angle, tang) = (mean_text(&values(&slopes, |r| r.angle_deg)), mean_text(&values(group, |r| r.mean)));
        let (run, count, all) = (group[0], slopes.len(), group.len());
        format!("| {} | {} | {count} of {all} | {angle} | {tang} |", run.shape, run.friction)
    };
    head.into_iter().chain(groups.iter().map(line)).collect()
}

/// The table of the experiment.
fn table(groups: &[Group<'_>]) -> Vec<String> {
    let line = |group: &Group<'_>| {
        let slopes = slopes(group);
        let (run, count) = (group[0], slopes.len());
        let told =
            |value: f64, digits: usize| if slopes.is_empty() { String::new() } else { format!("{value:.digits$}") };
        let mean = |value: fn(&Run) -> f64, digits| told(mean_and_error(values(&slopes, value).into_iter()).0, digits);
        let (_, error) = mean_and_error(values(&slopes, |r| r.angle_deg).into_iter());
        let deviation = if count > 1 { told(error * (count as f64).sqrt(), 2) } else { String::new() };
        let steps = values(group, |r| r.largest_step_diameters);
        let (low, high) =
            (steps.iter().copied().fold(f64::INFINITY, f64::min), steps.iter().copied().fold(0.0, f64::max));
        format!(
            "| {} | {} | {count} | {} | {} | {deviation} | {} | {} | {} | {} | {low:.1} to {high:.1} |",
            run.shape,
            run.friction,
            Verdict::tally(group.iter().map(|run| run.verdict.as_str())),
            mean_text(&values(&slopes, |r| r.angle_deg)),
            mean(|r| r.standard_error_deg, 2),
            mean(|r| r.r2, 2),
            mean(|r| r.toe_to_crest_deg, 1),
            mean_text(&values(group, |r| r.mean)),
        )
    };
    groups.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Vec<Run> {
        let text = include_str!("../../data/reference/repose_runs.csv");
        csv::Reader::from_reader(text.as_bytes())
            .deserialize()
            .collect::<Result<_, _>>()
            .expect("the runs that are kept")
    }

    #[test]
    fn the_pages_have_these_tables() {
        let runs = kept();
        let groups = groups(&runs);
        assert_eq!((groups.len(), groups.iter().map(Vec::len).collect::<Vec<_>>()), (9, vec![8; 9]));
        let readme = include_str!("../../README.md");
        for line in short_table(&groups) {
            assert!(readme.contains(&line), "README.md lacks the line\n{line}\nof `cargo xtask repose`");
        }
        let page = include_str!("../../docs/experiments/angle-of-repose.md");
        for line in table(&groups) {
            assert!(page.contains(&line), "the experiment lacks the line\n{line}\nof `cargo xtask repose`");
        }
    }

    #[test]
    fn means_have_the_error_of_their_scatter() {
        assert_eq!(mean_text(&[10.0, 12.0, 14.0]), "12.00 +- 1.15");
        assert_eq!(mean_text(&[10.0]), "10.00");
        assert_eq!(mean_text(&[]), "");
    }
}
