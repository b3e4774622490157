//! An earlier run, and what has become of its figures.

use std::path::Path;

use serde::Deserialize;

use super::BenchError;
use super::row::Row;

/// By how much of the longer one two simulated times may differ and count as the same \[-\]: the last step of a run
/// goes beyond its end, by more or less as the step is longer or shorter.
const SAME_LENGTH: f64 = 0.03;

/// The form of a file with rows, for messages.
const FORM: &str = "a list of one or more rows, as `cargo xtask bench --json FILE` writes it, each with `workload`, `threads`, \
                    `simulated_seconds`, `cpu_seconds_per_simulated_second`, `ms_per_step_falling`, `ms_per_step_settled`, \
                    `bytes_per_body` and `state_hash`";

/// What is looked at in a row of an earlier run; its other keys may be what they like.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Past {
    /// As in [`Row`], like all that follows.
    pub(crate) workload: String,
    pub(crate) threads: u16,
    pub(crate) simulated_seconds: f64,
    pub(crate) cpu_seconds_per_simulated_second: f64,
    pub(crate) ms_per_step_falling: f64,
    pub(crate) ms_per_step_settled: f64,
    pub(crate) bytes_per_body: f64,
    pub(crate) state_hash: String,
}

impl Past {
    /// Whether it is of the same workload and simulated time, so that figures and states can be compared.
    pub(crate) fn is_like(&self, row: &Row) -> bool {
        self.workload == row.workload && (row.law.is_some() || self.is_as_long(row))
    }

    fn is_as_long(&self, row: &Row) -> bool {
        let (then, now) = (self.simulated_seconds, row.simulated_seconds);
        (then - now).abs() <= SAME_LENGTH * then.max(now)
    }
}

/// The rows of an earlier run.
///
/// # Errors
/// [`BenchError::Baseline`] for a file that cannot be read or is none of those that the benchmark writes.
pub(crate) fn read(path: &Path) -> Result<Vec<Past>, BenchError> {
    let failed = |reason: String| BenchError::Baseline { path: path.to_path_buf(), reason, form: FORM };
    let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
    parse(&text).map_err(failed)
}

fn parse(text: &str) -> Result<Vec<Past>, String> {
    let rows: Vec<Past> = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if rows.is_empty() { Err("it holds no row".to_owned()) } else { Ok(rows) }
}

/// The figures of `rows` over those of the same workload on as many threads in `past`, one line each; below them the
/// names of the rows without one.
pub(crate) fn comparison(rows: &[Row], past: &[Past]) -> String {
    let head =
        format!("{:<30}{:>4}{:>9}{:>9}{:>9}{:>9}", "now / then", "thr", "cpu s/s", "ms fall", "ms sett", "B/body");
    let mut lines = vec![head];
    let mut alone = Vec::new();
    for row in rows {
        match past.iter().find(|then| then.threads == row.threads && then.is_like(row)) {
            Some(then) => lines.push(line(row, then)),
            None => alone.push(format!("{} on {}", row.workload, row.threads)),
        }
    }
    if !alone.is_empty() {
        lines.push(format!("not in the baseline, or there for another simulated time: {}", alone.join(", ")));
    }
    lines.join("\n")
}

fn line(now: &Row, then: &Past) -> String {
    let ratios: String = [
        (now.cpu_seconds_per_simulated_second, then.cpu_seconds_per_simulated_second),
        (now.ms_per_step_falling, then.ms_per_step_falling),
        (now.ms_per_step_settled, then.ms_per_step_settled),
        (now.bytes_per_body, then.bytes_per_body),
    ]
    .map(|(now, then)| format!("{:>9}", ratio(now, then).map_or_else(|| "-".to_owned(), |r| format!("{r:.3}"))))
    .concat();
    format!("{:<30}{:>4}{ratios}", now.workload, now.threads)
}

/// None where one of the two was not measured, as the falling phase of a short run.
fn ratio(now: f64, then: f64) -> Option<f64> {
    (now > 0.0 && then > 0.0).then(|| now / then)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(workload: &str, threads: u16) -> Row {
        Row {
            workload: workload.to_owned(),
            threads,
            simulated_seconds: 6.0,
            cpu_seconds_per_simulated_second: 0.5,
            ms_per_step_settled: 3.0,
            bytes_per_body: 900.0,
            ..Row::default()
        }
    }

    fn past(workload: &str, threads: u16) -> Past {
        let json = serde_json::to_string(&[row(workload, threads)]).expect("plain data");
        parse(&json).expect("what the benchmark writes").remove(0)
    }

    #[test]
    fn rows_are_held_against_those_of_the_same_workload_and_threads() {
        let then = Past { cpu_seconds_per_simulated_second: 1.0, ms_per_step_settled: 2.0, ..past("a", 1) };
        let other = Past { cpu_seconds_per_simulated_second: 5.0, ..past("a", 2) };
        let text = comparison(&[row("a", 1), row("b", 1)], &[other, then]);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        // The falling phase was measured in neither run.
        assert_eq!(lines[1], ["a", "1", "0.500", "-", "1.500", "1.000"]);
        assert!(lines.len() == 3 && text.ends_with(": b on 1"), "{text}");
    }

    #[test]
    fn runs_of_another_length_are_not_compared_but_a_step_more_is_no_other_length() {
        let quick = Past { simulated_seconds: 3.0, ..past("a", 1) };
        assert!(!quick.is_like(&row("a", 1)));
        assert!(comparison(&[row("a", 1)], &[quick]).ends_with(": a on 1"));
        assert!(Past { simulated_seconds: 6.02, ..past("a", 1) }.is_like(&row("a", 1)));
        // A pour ends at rest, whenever that is.
        let poured = Row { law: Some("etm"), ..row("a", 1) };
        assert!(Past { simulated_seconds: 9.0, ..past("a", 1) }.is_like(&poured));
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let text =
            comparison(&[row("pour-spheres-100-etm-weighted", 16)], &[past("pour-spheres-100-etm-weighted", 16)]);
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(lengths, [lengths[0], lengths[0]], "{text}");
    }

    #[test]
    fn files_of_another_form_are_refused_by_name() {
        for text in ["", "[]", "{}", "[1]", "[{\"workload\": \"a\", \"threads\": 1}]"] {
            assert!(parse(text).is_err(), "{text}");
        }
        let rows = serde_json::to_value([row("a", 1)]).expect("plain data");
        let mut wrong = rows.clone();
        wrong[0]["threads"] = "one".into();
        assert!(parse(&wrong.to_string()).is_err() && parse(&rows.to_string()).is_ok());
        let error = read(Path::new("no/such/rows.json")).expect_err("there is no such file").to_string();
        assert!(error.contains("no/such/rows.json") && error.contains("`state_hash`"), "{error}");
    }
}
