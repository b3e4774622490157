//! `cargo xtask accuracy`: the tables and plots of `docs/accuracy.md` on how errors fall with the step.
//!
//! What the runs came to is kept in `data/reference/accuracy_runs.csv`, which `--run` writes anew. Plots go to
//! `data/pictures`. A test holds the page to these rows.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use granule_engine::Stepping;
use granule_export::plot::{LineFigure, Series, save_figure};
use granule_validation::accuracy::{Fit, STUDIES, Study};
use serde::{Deserialize, Serialize};

/// Where the runs and the pictures are kept, from the root of the workspace.
const RUNS: &str = "data/reference/accuracy_runs.csv";
const PICTURES: &str = "data/pictures";
/// Where pictures are drawn: of the two files of each only the pixels are kept.
const DRAWN: &str = "target/accuracy";
/// What is compared, the default of the tables first.
const STEPPINGS: [(&str, Stepping); 2] = [("touch", Stepping::Touch), ("margin", Stepping::Margin)];
/// Errors below this are drawn there.
const LEAST: f64 = 1e-16;

/// What is run and printed.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Run the studies anew, in some seconds, and keep what they come to.
    #[arg(long)]
    run: bool,
    /// Only the study of this name.
    #[arg(long, value_name = "STUDY", requires = "run")]
    only: Option<String>,
}

/// An error at a length of the step.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
struct Row {
    study: String,
    quantity: String,
    stepping: String,
    /// \[s\]
    time_step: f64,
    error: f64,
}

/// Runs what is asked for, prints the tables and draws the plots.
pub(crate) fn run(root: &Path, arguments: &Arguments) -> ExitCode {
    let kept = root.join(RUNS);
    let done = read(&kept).and_then(|rows| {
        if !arguments.run {
            return Ok(rows);
        }
        let rows = run_anew(rows, arguments.only.as_deref())?;
        write(&kept, &rows)?;
        Ok(rows)
    });
    match done.and_then(|rows| show(root, &rows)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("accuracy: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The rows with those of the studies that are run in the place of what these came to before.
fn run_anew(kept: Vec<Row>, only: Option<&str>) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for study in &STUDIES {
        if only.is_some_and(|name| name != study.name) {
            rows.extend(kept.iter().filter(|row| row.study == study.name).cloned());
            continue;
        }
        for (name, stepping) in STEPPINGS {
            for time_step in study.steps() {
                let errors = study.run(stepping, time_step).map_err(|e| format!("{}, {name}: {e}", study.name))?;
                rows.extend(study.quantities.iter().zip(errors).map(|(quantity, error)| Row {
                    study: study.name.to_owned(),
                    quantity: (*quantity).to_owned(),
                    stepping: name.to_owned(),
                    time_step,
                    error,
                }));
            }
        }
    }
    Ok(rows)
}

/// The rows that are kept; none before the first run.
fn read(path: &Path) -> Result<Vec<Row>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let failed = |error: csv::Error| format!("{}: {error}", path.display());
    csv::Reader::from_path(path).map_err(failed)?.deserialize().collect::<Result<_, _>>().map_err(failed)
}

fn write(path: &Path, rows: &[Row]) -> Result<(), String> {
    let failed = |error: csv::Error| format!("{}: {error}", path.display());
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    rows.iter().try_for_each(|row| writer.serialize(row)).map_err(failed)?;
    writer.flush().map_err(|error| failed(error.into()))
}

/// Prints the tables and draws the plots.
fn show(root: &Path, rows: &[Row]) -> Result<(), String> {
    let (drawn, pictures) = (root.join(DRAWN), root.join(PICTURES));
    fs::create_dir_all(&drawn).map_err(|error| format!("cannot make {}: {error}", drawn.display()))?;
    for study in &STUDIES {
        println!("### {}\n\n{}\n", study.name, study.about);
        table(study, rows).iter().for_each(|line| println!("{line}"));
        println!();
        let name = format!("accuracy-{}", study.name);
        let [_, pixels] = save_figure(&drawn.join(&name), &figure(study, rows)).map_err(|error| error.to_string())?;
        let to = pictures.join(format!("{name}.png"));
        fs::copy(&pixels, &to).map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    }
    Ok(())
}

/// Steps over the time of the study with the errors there, of one quantity and stepping.
fn points(study: &Study, rows: &[Row], quantity: &str, stepping: &str) -> Vec<(f64, f64)> {
    let of = |row: &&Row| row.study == study.name && row.quantity == quantity && row.stepping == stepping;
    rows.iter().filter(of).map(|row| (row.time_step / study.time, row.error)).collect()
}

/// The columns of a study: each quantity with either stepping.
fn columns(study: &Study) -> impl Iterator<Item = (&'static str, &'static str)> {
    study.quantities.iter().flat_map(|quantity| STEPPINGS.map(|(name, _)| (*quantity, name)))
}

/// The table of a study in Markdown.
fn table(study: &Study, rows: &[Row]) -> Vec<String> {
    let line = |head: String, cells: Vec<String>| format!("| {head} | {} |", cells.join(" | "));
    let of = |(quantity, stepping): (&str, &str)| points(study, rows, quantity, stepping);
    let mut lines = vec![line("step [s]".to_owned(), columns(study).map(|(q, s)| format!("{q}: {s}")).collect())];
    lines.push(format!("|---|{}", "---|".repeat(2 * study.quantities.len())));
    for (i, step) in study.steps().iter().enumerate() {
        let cell = |column| of(column).get(i).map_or(String::new(), |p| format!("{:.1e}", p.1));
        lines.push(line(format!("{step:.3e}"), columns(study).map(cell).collect()));
    }
    let fitted = |value: &dyn Fn(Fit) -> String| {
        columns(study).map(|column| Fit::of(&of(column)).map_or("none".to_owned(), value)).collect()
    };
    lines.push(line("order".to_owned(), fitted(&|fit| format!("{:.2}", fit.order))));
    lines.push(line(format!("constant, at {}", study.unit), fitted(&|fit| format!("{:.1e}", fit.constant))));
    lines
}

/// The errors of a study over the step, in powers of ten.
fn figure(study: &Study, rows: &[Row]) -> LineFigure {
    let series = |(quantity, stepping): (&'static str, &'static str)| {
        let logs = points(study, rows, quantity, stepping).into_iter().filter(|p| p.1.is_finite());
        let logs = logs.map(|p| (p.0.log10(), p.1.max(LEAST).log10()));
        Series { name: format!("{quantity}: {stepping}"), points: logs.collect() }
    };
    LineFigure {
        title: format!("{}: error over the length of the step", study.name),
        x_label: format!("step over {}, log10 [-]", study.unit),
        y_label: "error, log10 [-]".to_owned(),
        series: columns(study).map(series).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Vec<Row> {
        let text = include_str!("../../data/reference/accuracy_runs.csv");
        csv::Reader::from_reader(text.as_bytes()).deserialize().collect::<Result<_, _>>().expect("the runs are kept")
    }

    #[test]
    fn the_page_has_these_tables() {
        let (rows, page) = (kept(), include_str!("../../docs/accuracy.md"));
        for study in &STUDIES {
            assert!(page.contains(study.about), "docs/accuracy.md does not tell of {} as the study does", study.name);
            for line in table(study, &rows) {
                assert!(page.contains(&line), "docs/accuracy.md lacks the line\n{line}\nof `cargo xtask accuracy`");
            }
        }
    }

    #[test]
    fn a_study_that_is_run_takes_the_place_of_its_rows() {
        let rows = kept();
        let name = STUDIES[1].name;
        let wrong: Vec<Row> = rows.iter().cloned().map(|row| Row { error: 1.0, ..row }).collect();
        let new = run_anew(wrong, Some(name)).expect("a study that runs");
        assert_eq!(new.len(), rows.len());
        assert!(new.iter().all(|row| (row.study == name) != (row.error == 1.0)));
    }
}
