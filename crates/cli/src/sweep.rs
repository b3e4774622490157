//! `granule demo repose --sweep`: the angle of repose of three shapes against friction, as Fig. 15 of Tang, Paluszny
//! and Zimmerman 2014.
//!
//! Runs are independent: each has one thread of its own, so that no result depends on how many run side by side. The
//! table is written anew after every run; what ends the sweep early leaves the table of what is done.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use granule_engine::Snapshot;
use granule_export::plot::{FrictionPoint, ReposeFigure, ShapeSeries, save_figure};
use granule_export::{ReposeRow, ReposeSummary, Summary, write_final_state, write_repose_table};
use granule_measure::{Verdict, mean_and_error};
use granule_scene::ReposeShape;

use crate::args::ReposeArguments;
use crate::clock::Processor;
use crate::console::{ended, note, say};
use crate::demo::{Case, Resolution, default_folder};
use crate::error::{CliError, DONE, create_folder};
use crate::interrupt;
use crate::results::{Earlier, Ground, Results, plot_names};
use crate::run::{Ending, Plan, run, summary, thread_pool};

/// Coefficients of friction of the sweep \[-\].
const FRICTIONS: [f64; 8] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];

/// Name of the table, and stem of the plot.
const TABLE: &str = "repose_table.csv";
const PLOT: &str = "repose_angle";

/// Smallest and largest absolute error that Tang 2014, section 7.5, states for a shape \[degrees\].
fn stated_errors(shape: ReposeShape) -> (f64, f64) {
    match shape {
        ReposeShape::Spheres => (0.0255, 0.8),
        ReposeShape::Cubes => (1.29, 3.17),
        ReposeShape::Crosses => (1.2, 12.89),
    }
}

/// Carries out the sweep.
///
/// # Errors
/// [`CliError`] for results that cannot be written, and when runs failed.
pub(crate) fn command(arguments: &ReposeArguments) -> Result<u8, CliError> {
    interrupt::listen();
    let folder = arguments.out.clone().unwrap_or_else(|| default_folder("sweep"));
    let cases = cases(arguments);
    let earlier = Earlier::of(arguments.out.is_some(), arguments.force);
    let results = Ground::check(&folder, earlier, &names(&cases))?.take(None)?;
    let sweep = Sweep {
        results: &results,
        resolution: Resolution::of(arguments),
        quiet: arguments.quiet,
        cases: &cases,
        rows: Mutex::new(vec![None; cases.len()]),
        told: Mutex::default(),
    };
    // A table that cannot be written should be known before the first hour of work.
    sweep.write_table(&[])?;
    let ran = sweep.run(workers(arguments.threads, cases.len()));
    let rows = sweep.finished_rows();
    ran?;
    let series = series(&rows, arguments.seeds);
    save_plot(&results, &series, arguments.seeds)?;
    let told = if arguments.quiet { Ok(()) } else { say(describe(&series, &rows, &folder)) };
    let failed = rows.iter().filter(|row| !row.failure.is_empty()).count();
    let code = match (interrupt::requested(), failed) {
        (true, _) => Ok(interrupt::exit_code()),
        (false, 0) => Ok(DONE),
        (false, failed) => Err(CliError::Sweep { failed, runs: rows.len() }),
    };
    ended(code, told)
}

/// All runs in the order of the table.
fn cases(arguments: &ReposeArguments) -> Vec<Case> {
    let shapes = arguments.shape.map_or(ReposeShape::ALL.to_vec(), |shape| vec![shape]);
    let frictions = arguments.friction.map_or(FRICTIONS.to_vec(), |friction| vec![friction]);
    let seeds = || (0..u64::from(arguments.seeds)).map(|k| arguments.seed.saturating_add(k));
    let mut cases = Vec::new();
    for shape in shapes {
        for &friction in &frictions {
            cases.extend(seeds().map(|seed| Case { shape, friction, seed }));
        }
    }
    cases
}

/// Names of all files of a sweep.
fn names(cases: &[Case]) -> Vec<String> {
    [TABLE.to_owned()].into_iter().chain(plot_names(PLOT)).chain(cases.iter().flat_map(case_names)).collect()
}

fn case_folder(case: &Case) -> String {
    format!("{}-friction-{}-seed-{}", case.shape.name(), case.friction, case.seed)
}

/// Names of the summary and the final state of a case.
fn case_names(case: &Case) -> [String; 2] {
    ["summary.json", "final_state.csv"].map(|file| format!("{}/{file}", case_folder(case)))
}

/// The places of the cases, longest runs first, so that no long one is left to run alone at the end. Low friction takes
/// longest to come to rest, none for ever; crosses have seven times as many parts as cubes.
fn longest_first(cases: &[Case]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let key = |i: &usize| (cases[*i].friction, std::cmp::Reverse(cases[*i].shape));
    order.sort_by(|a, b| {
        let ((x, p), (y, q)) = (key(a), key(b));
        x.total_cmp(&y).then(p.cmp(&q))
    });
    order
}

fn workers(threads: Option<u16>, cases: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    threads.map_or_else(cores, usize::from).min(cases).max(1)
}

struct Sweep<'a> {
    results: &'a Results,
    resolution: Resolution,
    quiet: bool,
    cases: &'a [Case],
    /// Rows of the cases that are done.
    rows: Mutex<Vec<Option<ReposeRow>>>,
    /// Warnings that were printed: the cases share most of them.
    told: Mutex<BTreeSet<String>>,
}

impl Sweep<'_> {
    /// Runs all cases on `workers` threads; the first error of writing is returned when all have ended.
    fn run(&self, workers: usize) -> Result<(), CliError> {
        let order = longest_first(self.cases);
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), CliError> {
            let pool = thread_pool(Some(1))?;
            while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                if interrupt::requested() {
                    break;
                }
                if let Some(row) = pool.install(|| self.row(&self.cases[place])) {
                    self.book(place, row)?;
                }
            }
            Ok(())
        };
        let gone = || CliError::System { what: "a worker of the sweep ended", reason: "it panicked".to_owned() };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let results: Vec<_> = handles.into_iter().map(|h| h.join().unwrap_or_else(|_| Err(gone()))).collect();
            results.into_iter().collect()
        })
    }

    /// The row of a case; none when the user stopped it.
    fn row(&self, case: &Case) -> Option<ReposeRow> {
        // A mistake of ours in one run must not cost the others.
        let result = catch_unwind(AssertUnwindSafe(|| self.run_case(case)));
        match result.unwrap_or_else(|_| Err("internal error: the run panicked".to_owned())) {
            Ok(summary) => summary.map(|s| row(case, &s)),
            Err(reason) => Some(failed_row(case, reason)),
        }
    }

    /// Runs a case and writes its summary and final state; none when the user stopped it, or else the reason of a
    /// failure.
    fn run_case(&self, case: &Case) -> Result<Option<Summary>, String> {
        let text = |error: CliError| error.to_string();
        let scene = case.scene(&self.resolution).map_err(text)?;
        let mut built = scene.build().map_err(|e| e.message().to_owned())?;
        let plan = Plan::new(&scene, &built).map_err(|e| e.message().to_owned())?;
        self.warn(&built.warnings);
        let outcome = run(&mut built.simulation, &plan, Processor::Thread, &mut [], &interrupt::requested);
        let summary = summary(&scene, &built, &outcome, &case.facts());
        match outcome.ending {
            Ending::Interrupted => return Ok(None),
            Ending::Failed(error) => return Err(error.to_string()),
            Ending::Duration | Ending::Rest => {}
        }
        self.write_case(case, &summary, &built.simulation.snapshot()).map_err(text)?;
        Ok(Some(summary))
    }

    /// Prints what no case before had to be warned of.
    fn warn(&self, warnings: &[String]) {
        let mut told = self.told.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for warning in warnings {
            if told.insert(warning.clone()) && !self.quiet {
                note(format_args!("warning: {warning}"));
            }
        }
    }

    fn write_case(&self, case: &Case, summary: &Summary, snapshot: &Snapshot) -> Result<(), CliError> {
        let [summary_name, state_name] = case_names(case);
        create_folder(&self.results.folder().join(case_folder(case)))?;
        summary.write(&self.results.file(&summary_name)?)?;
        Ok(write_final_state(&self.results.file(&state_name)?, snapshot)?)
    }

    fn book(&self, place: usize, row: ReposeRow) -> Result<(), CliError> {
        // The rows are whole even if another worker panicked while it held them.
        let mut rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !self.quiet {
            let done = rows.iter().flatten().count() + 1;
            note(format_args!("{done} of {}: {}", rows.len(), row_text(&row)));
        }
        rows[place] = Some(row);
        let finished: Vec<_> = rows.iter().flatten().cloned().collect();
        self.write_table(&finished)
    }

    fn write_table(&self, rows: &[ReposeRow]) -> Result<(), CliError> {
        Ok(write_repose_table(&self.results.file(TABLE)?, rows)?)
    }

    fn finished_rows(&self) -> Vec<ReposeRow> {
        let rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        rows.iter().flatten().cloned().collect()
    }
}

fn row(case: &Case, summary: &Summary) -> ReposeRow {
    let repose = summary.repose.as_ref();
    let tang = repose.and_then(|r| r.tang_2014);
    let degrees = |value: fn(&granule_export::ReposeAngle) -> f64| tang.as_ref().map_or(f64::NAN, value);
    let slope = |value: fn(&ReposeSummary) -> Option<f64>| repose.and_then(value).unwrap_or(f64::NAN);
    let seconds = |stage: usize| summary.stages.get(stage).map_or(f64::NAN, |s| s.seconds);
    ReposeRow {
        mean: degrees(|a| a.mean),
        min: degrees(|a| a.min),
        max: degrees(|a| a.max),
        absolute_error: degrees(|a| a.absolute_error),
        at_rest: summary.stages.iter().all(|s| s.at_rest),
        settling_seconds: seconds(0),
        release_seconds: seconds(1),
        largest_overlap: summary.largest_overlap,
        energy_gained: summary.energy_gained,
        correction_work: summary.correction_work,
        bodies: summary.bodies,
        bodies_lost: summary.bodies_lost,
        steps: summary.steps,
        cpu_seconds: summary.cpu_seconds,
        state_hash: summary.state_hash.clone(),
        verdict: repose.map_or_else(String::new, |r| r.verdict.clone()),
        angle_deg: slope(|r| r.angle_deg),
        standard_error_deg: slope(|r| r.standard_error_deg),
        r2: slope(|r| r.r2),
        toe_to_crest_deg: slope(|r| r.toe_to_crest_deg),
        toe_m: slope(|r| Some(r.toe_m)),
        largest_step_diameters: slope(|r| Some(r.largest_step_diameters)),
        ..failed_row(case, String::new())
    }
}

fn failed_row(case: &Case, failure: String) -> ReposeRow {
    ReposeRow {
        shape: case.shape.name().to_owned(),
        friction: case.friction,
        seed: case.seed,
        mean: f64::NAN,
        min: f64::NAN,
        max: f64::NAN,
        absolute_error: f64::NAN,
        at_rest: false,
        settling_seconds: f64::NAN,
        release_seconds: f64::NAN,
        largest_overlap: f64::NAN,
        energy_gained: f64::NAN,
        correction_work: f64::NAN,
        bodies: 0,
        bodies_lost: 0,
        steps: 0,
        cpu_seconds: f64::NAN,
        state_hash: String::new(),
        failure,
        verdict: String::new(),
        angle_deg: f64::NAN,
        standard_error_deg: f64::NAN,
        r2: f64::NAN,
        toe_to_crest_deg: f64::NAN,
        toe_m: f64::NAN,
        largest_step_diameters: f64::NAN,
    }
}

/// Whether the run left a slope, and so has an angle.
fn is_slope(row: &&ReposeRow) -> bool {
    row.verdict == ReposeSummary::SLOPE && row.angle_deg.is_finite()
}

/// Runs of a shape that came through without leaving a slope.
fn left_out(rows: &[ReposeRow], shape: &str) -> usize {
    rows.iter().filter(|row| row.shape == shape && row.failure.is_empty() && !is_slope(row)).count()
}

/// The curves of the plot, in the order of the table.
fn series(rows: &[ReposeRow], seeds: u16) -> Vec<ShapeSeries> {
    let of_shape = |shape: ReposeShape| {
        let left_out = left_out(rows, shape.name());
        let rows: Vec<&ReposeRow> = rows.iter().filter(|r| r.shape == shape.name()).filter(is_slope).collect();
        let mut frictions: Vec<f64> = rows.iter().map(|r| r.friction).collect();
        frictions.dedup();
        let point = |friction: &f64| point(*friction, rows.iter().filter(|r| r.friction == *friction), seeds);
        ShapeSeries {
            name: shape.name().to_owned(),
            points: frictions.iter().map(point).collect(),
            stated_errors: Some(stated_errors(shape)),
            left_out,
        }
    };
    ReposeShape::ALL.into_iter().map(of_shape).filter(|s| !s.points.is_empty()).collect()
}

/// Mean over the seeds, and its error: the standard error where several seeds were asked for (none when fewer than two
/// came through), otherwise that over the strips. Only of runs that left a slope.
fn point<'a>(friction: f64, rows: impl Iterator<Item = &'a &'a ReposeRow>, seeds: u16) -> FrictionPoint {
    let rows: Vec<_> = rows.collect();
    let (mean, error_over_seeds) = mean_and_error(rows.iter().map(|r| r.angle_deg));
    let error = match (seeds, rows.as_slice()) {
        (1, [row]) => row.standard_error_deg,
        (_, [_, _, ..]) => error_over_seeds,
        _ => f64::NAN,
    };
    let (spread, _) = mean_and_error(rows.iter().map(|r| r.absolute_error));
    FrictionPoint { friction, mean, error, spread }
}

fn save_plot(results: &Results, series: &[ShapeSeries], seeds: u16) -> Result<(), CliError> {
    if series.is_empty() {
        return Ok(());
    }
    let over = if seeds > 1 { format!("{seeds} seeds") } else { "the strips".to_owned() };
    let figure = ReposeFigure {
        title: format!("angle of repose against friction   (bars: standard error over {over})"),
        spread_label: "spread of strips".to_owned(),
        source: "Tang 2014".to_owned(),
        shapes: series.to_vec(),
    };
    save_figure(&results.plot(PLOT)?, &figure)?;
    Ok(())
}

fn row_text(row: &ReposeRow) -> String {
    let head = format!("{} friction {} seed {}", row.shape, row.friction, row.seed);
    if !row.failure.is_empty() {
        return format!("{head}: failed: {}", row.failure);
    }
    let rest = if row.at_rest { "" } else { ", not at rest" };
    format!("{head}: {}, {:.0} s of processor time{rest}", angle_text(row), row.cpu_seconds)
}

/// The angle of a row with its error, or why it has none.
fn angle_text(row: &ReposeRow) -> String {
    if is_slope(&row) {
        format!("{:.2} +- {:.2} degrees", row.angle_deg, row.standard_error_deg)
    } else {
        format!("no angle, {}", row.verdict)
    }
}

/// How many runs without a slope the means leave out, shape by shape; nothing where none is.
fn left_out_lines(rows: &[ReposeRow]) -> Vec<String> {
    let line = |shape: ReposeShape| {
        let count = left_out(rows, shape.name());
        let runs = rows.iter().filter(|row| row.shape == shape.name() && row.failure.is_empty()).count();
        let verdicts =
            Verdict::tally(rows.iter().filter(|row| row.shape == shape.name()).map(|row| row.verdict.as_str()));
        (count > 0).then(|| format!("left out   {count} of {runs} runs of {} are no slope: {verdicts}", shape.name()))
    };
    ReposeShape::ALL.into_iter().filter_map(line).collect()
}

/// The sweep in words: the points, and the spread of the strips beside what the paper states.
fn describe(series: &[ShapeSeries], rows: &[ReposeRow], folder: &Path) -> String {
    let mut lines = vec![format!("{:<10}{:>10}{:>18}", "shape", "friction", "angle [degrees]")];
    for shape in series {
        let line =
            |p: &FrictionPoint| format!("{:<10}{:>10}{:>10.2} +- {:.2}", shape.name, p.friction, p.mean, p.error);
        lines.extend(shape.points.iter().map(line));
    }
    lines.extend(left_out_lines(rows));
    lines.push(String::new());
    lines.push(
        "absolute error over the strips as Tang 2014 measures it [degrees], ours and that stated by Tang 2014:"
            .to_owned(),
    );
    for shape in series {
        let errors = || rows.iter().filter(|r| r.shape == shape.name).filter(is_slope).map(|r| r.absolute_error);
        let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
        if let Some((from, to)) = shape.stated_errors {
            lines.push(format!("{:<10}{low:>8.2} to {high:.2}, stated {from} to {to}", shape.name));
        }
    }
    let failures = rows.iter().filter(|r| !r.failure.is_empty()).map(row_text);
    lines.extend(failures);
    lines.push(format!("results    {}", folder.display()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_of(shape: ReposeShape, friction: f64, seed: u64, mean: f64) -> ReposeRow {
        let case = Case { shape, friction, seed };
        ReposeRow {
            mean: mean + 90.0,
            absolute_error: 2.0,
            verdict: "slope".to_owned(),
            angle_deg: mean,
            standard_error_deg: 0.5,
            ..failed_row(&case, String::new())
        }
    }

    #[test]
    fn the_longest_runs_come_first_and_every_run_once() {
        let all = |shape| FRICTIONS.map(|friction| Case { shape, friction, seed: 1 });
        let cases: Vec<Case> = ReposeShape::ALL.into_iter().flat_map(all).collect();
        let order = longest_first(&cases);
        assert_eq!((cases[order[0]].shape, cases[order[0]].friction), (ReposeShape::Crosses, 0.0));
        assert_eq!((cases[order[23]].shape, cases[order[23]].friction), (ReposeShape::Spheres, 0.6));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..24).collect::<Vec<_>>());
    }

    #[test]
    fn errors_are_those_of_the_mean_over_seeds_or_of_the_strips() {
        let rows: Vec<_> =
            [(1, 10.0), (2, 12.0), (3, 14.0)].map(|(seed, mean)| row_of(ReposeShape::Cubes, 0.3, seed, mean)).to_vec();
        let curves = series(&rows, 3);
        let p = curves[0].points[0];
        // Sample deviation 2, three runs.
        assert!((p.mean - 12.0).abs() <= 1e-14 && (p.error - 2.0 / 3f64.sqrt()).abs() <= 1e-14, "{p:?}");
        assert_eq!(series(&rows[..1], 1)[0].points[0].error, 0.5);
        assert_eq!(series(&rows[..1], 1)[0].points[0].spread, 2.0);
        assert!(series(&rows[..1], 3)[0].points[0].error.is_nan());
    }

    #[test]
    fn what_is_no_slope_stays_out_of_means_and_curves_and_is_counted() {
        let mut rows: Vec<_> =
            [(1, 10.0), (2, 12.0), (3, 70.0)].map(|(seed, mean)| row_of(ReposeShape::Cubes, 0.3, seed, mean)).to_vec();
        rows[2] = ReposeRow { verdict: "cliff".to_owned(), angle_deg: f64::NAN, ..rows[2].clone() };
        let curves = series(&rows, 3);
        assert_eq!((curves[0].points[0].mean, curves[0].left_out), (11.0, 1));
        let text = describe(&curves, &rows, Path::new("here"));
        assert!(text.contains("1 of 3 runs of cubes are no slope: cliff 1"), "{text}");
        assert!(row_text(&rows[2]).contains("no angle, cliff") && !row_text(&rows[2]).contains("160"));
        // With no slope at all there is no curve, and the count is told all the same.
        let text = describe(&series(&rows[2..], 3), &rows[2..], Path::new("here"));
        assert!(text.contains("1 of 1 runs of cubes are no slope") && !text.contains("70"), "{text}");
    }

    #[test]
    fn failed_runs_are_told_and_stay_out_of_the_curves() {
        let case = Case { shape: ReposeShape::Crosses, friction: 0.1, seed: 1 };
        let rows = [row_of(ReposeShape::Crosses, 0.0, 1, 5.0), failed_row(&case, "not finite".to_owned())];
        let curves = series(&rows, 1);
        assert_eq!(curves[0].points.len(), 1);
        let text = describe(&curves, &rows, Path::new("here"));
        assert!(text.contains("crosses friction 0.1 seed 1: failed: not finite"), "{text}");
        assert!(text.contains("stated 1.2 to 12.89") && text.contains("here"), "{text}");
    }
}
