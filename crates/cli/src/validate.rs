//! `granule validate`: the reference cases of the published methods, measured against expected, as text, JSON, Markdown
//! and plots. What the cases are is the business of `granule-validation`.
//!
//! A case computes on a thread of its own and touches no file, so that a signal need not wait for its end: the case is
//! left, and what the cases before it came to is written.

mod table;

use std::path::{Path, PathBuf};
use std::thread::Builder;
use std::time::Duration;

use granule_export::plot::{LineFigure, Series, save_figure};
use granule_validation::{CASES, Case, Plot, Report};

use crate::args::ValidateArguments;
use crate::console::{ended, note, say};
use crate::error::{CliError, DONE, FAILED};
use crate::interrupt;
use crate::results::{Earlier, Ground, Results, plot_names};

/// Folder for the results when the user names none.
const FOLDER: &str = "out/validate";

/// Names of the tables.
const JSON: &str = "validation.json";
const MARKDOWN: &str = "validation.md";

/// How often is looked whether a case has ended or a signal has come.
const PERIOD: Duration = Duration::from_millis(20);

/// Carries out `granule validate`; the exit code is that of a failure if any case fails.
///
/// # Errors
/// [`CliError`] for results that cannot be written.
pub(crate) fn command(arguments: &ValidateArguments) -> Result<u8, CliError> {
    interrupt::listen();
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    let earlier = Earlier::of(arguments.out.is_some(), arguments.force);
    let chosen = CASES.into_iter().filter(|case| arguments.only.as_deref().is_none_or(|name| name == case.name));
    let chosen: Vec<Case> = chosen.collect();
    // A folder that cannot be used should be known before the minute of work.
    let results = Ground::check(&folder, earlier, &names(&chosen))?.take(None)?;
    let mut told = Ok(());
    let mut reports = Vec::new();
    for case in &chosen {
        let Some(report) = report(*case)? else { break };
        if !arguments.json {
            // A full standard output costs no table.
            told = told.and(tell(&report, arguments.quiet));
        }
        report.plots.iter().try_for_each(|plot| save_plot(&results, plot))?;
        reports.push(report);
    }
    let left = chosen.len() - reports.len();
    let object = table::json(&reports, left);
    write(&results.file(JSON)?, &format!("{object:#}\n"))?;
    write(&results.file(MARKDOWN)?, &table::markdown(&reports, left))?;
    if arguments.json {
        told = told.and(say(format_args!("{object:#}")));
    } else if !arguments.quiet {
        let outcome = table::outcome(&reports, left);
        told = told.and(say(format_args!("{outcome}\nresults    {}", folder.display())));
    }
    let code = match left {
        0 if reports.iter().all(Report::passed) => DONE,
        0 => FAILED,
        _ => interrupt::exit_code(),
    };
    ended(Ok(code), told)
}

/// The report of a case; none when a signal came before its end.
///
/// # Errors
/// [`CliError::System`] when the system has no thread for it, or the case panicked.
fn report(case: Case) -> Result<Option<Report>, CliError> {
    let failed = |what| move |reason| CliError::System { what, reason };
    let running = Builder::new().spawn(move || case.run());
    let running = running.map_err(|error| failed("cannot start a thread")(error.to_string()))?;
    while !running.is_finished() {
        if interrupt::requested() {
            return Ok(None);
        }
        std::thread::sleep(PERIOD);
    }
    running.join().map(Some).map_err(|_| failed("a case ended")(format!("{} panicked", case.name)))
}

/// Names of the files of these cases.
fn names(cases: &[Case]) -> Vec<String> {
    let plots = cases.iter().flat_map(Case::plots).flat_map(|stem| plot_names(stem));
    [JSON, MARKDOWN].map(str::to_owned).into_iter().chain(plots).collect()
}

/// Prints a case: all its lines, or those that failed.
fn tell(report: &Report, quiet: bool) -> Result<(), CliError> {
    if !quiet {
        return say(table::text(report));
    }
    if !report.passed() {
        table::failures(report).iter().for_each(note);
    }
    Ok(())
}

fn save_plot(results: &Results, plot: &Plot) -> Result<(), CliError> {
    let series = plot.curves.iter().map(|c| Series { name: c.name.clone(), points: c.points.clone() }).collect();
    let figure =
        LineFigure { title: plot.title.clone(), x_label: plot.x_label.clone(), y_label: plot.y_label.clone(), series };
    save_figure(&results.plot(plot.stem)?, &figure)?;
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|source| CliError::Write { path: path.to_path_buf(), source })
}
