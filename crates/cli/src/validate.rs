//! `granule validate`: the reference cases of the published methods, measured against expected, as text, JSON, Markdown and
//! plots. What the cases are is the business of `granule-validation`.

mod table;

use std::path::{Path, PathBuf};

use granule_export::plot::{LineFigure, Series, save_figure};
use granule_validation::{CASES, Plot, Report};

use crate::args::ValidateArguments;
use crate::console::{note, say};
use crate::error::{CliError, DONE, FAILED, create_folder};

/// Folder for the results when the user names none.
const FOLDER: &str = "out/validate";

/// Carries out `granule validate`; the exit code is that of a failure if any case fails.
///
/// # Errors
/// [`CliError`] for results that cannot be written.
pub(crate) fn command(arguments: &ValidateArguments) -> Result<u8, CliError> {
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    // A folder that cannot be made should be known before the minute of work.
    create_folder(&folder)?;
    let chosen = CASES.iter().filter(|case| arguments.only.as_deref().is_none_or(|name| name == case.name));
    let mut reports = Vec::new();
    for case in chosen {
        let report = case.run();
        if !arguments.json {
            tell(&report, arguments.quiet);
        }
        report.plots.iter().try_for_each(|plot| save_plot(&folder, plot))?;
        reports.push(report);
    }
    let object = table::json(&reports);
    write(&folder.join("validation.json"), &format!("{object:#}\n"))?;
    write(&folder.join("validation.md"), &table::markdown(&reports))?;
    if arguments.json {
        say(format_args!("{object:#}"));
    } else if !arguments.quiet {
        say(table::outcome(&reports));
        say(format_args!("results    {}", folder.display()));
    }
    Ok(if reports.iter().all(Report::passed) { DONE } else { FAILED })
}

/// Prints a case: all its lines, or those that failed.
fn tell(report: &Report, quiet: bool) {
    if !quiet {
        say(table::text(report));
    } else if !report.passed() {
        table::failures(report).iter().for_each(note);
    }
}

fn save_plot(folder: &Path, plot: &Plot) -> Result<(), CliError> {
    let series = plot.curves.iter().map(|c| Series { name: c.name.clone(), points: c.points.clone() }).collect();
    let figure =
        LineFigure { title: plot.title.clone(), x_label: plot.x_label.clone(), y_label: plot.y_label.clone(), series };
    save_figure(&folder.join(plot.stem), &figure)?;
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|source| CliError::Write { path: path.to_path_buf(), source })
}
