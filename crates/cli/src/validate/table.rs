//! Reports as text, Markdown and JSON.

use std::fmt::Write;

use granule_validation::{Line, Outcome, Relation, Report};
use serde_json::{Value, json};

/// Width of the column of quantities on the screen.
const QUANTITY: usize = 72;

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "PASS",
        Outcome::Fail => "FAIL",
        Outcome::Listed => "listed",
    }
}

fn verdict(report: &Report) -> &'static str {
    word(if report.passed() { Outcome::Pass } else { Outcome::Fail })
}

/// A value with the digits that a comparison needs; `-` where there is none.
fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        "-".to_owned()
    } else if (1e-3..1e6).contains(&size) && value.fract() != 0.0 {
        format!("{value:.10}").trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        small(value)
    }
}

/// A deviation or a tolerance: its size matters, not its digits.
fn small(value: f64) -> String {
    if value.is_nan() {
        "-".to_owned()
    } else if value.fract() == 0.0 && value.abs() < 1e6 {
        format!("{value:.0}")
    } else {
        format!("{value:.1e}")
    }
}

/// The expected value with the sign of its relation.
fn expected(line: &Line) -> String {
    let sign = match line.relation {
        Relation::Equal | Relation::RelativelyEqual => "",
        Relation::AtMost => "<= ",
        Relation::AtLeast => ">= ",
    };
    format!("{sign}{}", number(line.expected))
}

/// The columns after the quantity. A measured deviation needs no more digits than itself.
fn columns(line: &Line) -> [String; 4] {
    let is_deviation = line.expected == 0.0 && line.relation == Relation::Equal;
    let measured = if is_deviation { small(line.measured) } else { number(line.measured) };
    [expected(line), measured, small(line.deviation), small(line.tolerance)]
}

/// A case for the screen.
pub(super) fn text(report: &Report) -> String {
    let mut text = format!("{}: {} ({})\n", report.name, verdict(report), report.about);
    for line in &report.lines {
        let [expected, measured, deviation, tolerance] = columns(line);
        let (outcome, quantity) = (word(line.outcome), &line.quantity);
        let _ = write!(
            text,
            "  {outcome:<8}{quantity:<QUANTITY$} expected {expected:>16}  measured {measured:>16}  \
             deviation {deviation:>8}  tolerance {tolerance:>8}"
        );
        if !line.note.is_empty() {
            let _ = write!(text, "  ({})", line.note);
        }
        text.push('\n');
    }
    if let Some(error) = &report.error {
        let _ = writeln!(text, "  FAIL    the case could not be run: {error}");
    }
    text
}

/// What failed in a case, a line each.
pub(super) fn failures(report: &Report) -> Vec<String> {
    let failed = report.lines.iter().filter(|line| !line.passed()).map(|line| {
        let [expected, measured, deviation, tolerance] = columns(line);
        format!(
            "FAIL {}: {}: expected {expected}, measured {measured}, deviation {deviation}, tolerance {tolerance}",
            report.name, line.quantity
        )
    });
    let error = report.error.iter().map(|error| format!("FAIL {}: {error}", report.name));
    failed.chain(error).collect()
}

/// How many cases and lines ended how.
pub(super) fn outcome(reports: &[Report], left: usize) -> String {
    let passed = reports.iter().filter(|report| report.passed()).count();
    let lines = |outcome| reports.iter().flat_map(|r| &r.lines).filter(|line| line.outcome == outcome).count();
    let interrupted =
        if left > 0 { format!("interrupted, {left} cases were not run to their end; ") } else { String::new() };
    format!(
        "{interrupted}{passed} of {} cases passed; lines: {} passed, {} failed, {} listed",
        reports.len(),
        lines(Outcome::Pass),
        lines(Outcome::Fail),
        lines(Outcome::Listed)
    )
}

/// All cases as Markdown: an overview, then a table of every line.
pub(super) fn markdown(reports: &[Report], left: usize) -> String {
    let mut text = format!("# Validation\n\n{}.\n\n| case | what | outcome |\n|---|---|---|\n", outcome(reports, left));
    for report in reports {
        let _ = writeln!(text, "| {} | {} | {} |", report.name, report.about, verdict(report));
    }
    text.push_str("\n| case | quantity | expected | measured | deviation | tolerance | outcome | note |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for report in reports {
        for line in &report.lines {
            let cells = columns(line).join(" | ");
            let quantity = line.quantity.replace('|', "\\|");
            let _ = writeln!(
                text,
                "| {} | {quantity} | {cells} | {} | {} |",
                report.name,
                word(line.outcome),
                line.note.replace('|', "\\|")
            );
        }
        if let Some(error) = &report.error {
            let _ = writeln!(text, "| {} | the case could not be run | | | | | FAIL | {error} |", report.name);
        }
    }
    text
}

/// All cases as one object.
pub(super) fn json(reports: &[Report], left: usize) -> Value {
    let case = |report: &Report| {
        json!({
            "name": report.name, "about": report.about, "passed": report.passed(), "lines": report.lines,
            "plots": report.plots.iter().map(|plot| plot.stem).collect::<Vec<_>>(),
            "error": report.error.as_ref().map(ToString::to_string),
        })
    };
    let passed = left == 0 && reports.iter().all(Report::passed);
    let ended = if left == 0 { "done" } else { "interrupted" };
    json!({ "passed": passed, "ended": ended, "cases": reports.iter().map(case).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines: Vec<Line>) -> Report {
        Report { name: "case", about: "about", lines, plots: Vec::new(), error: None }
    }

    #[test]
    fn failures_are_told_with_their_numbers_and_nothing_else_is() {
        let report = report(vec![
            Line::equal("speed [m/s]", 2.0, 2.5, 0.1),
            Line::deviation("error [-]", 3e-12, 1e-9),
            Line::listed("worth knowing", 1.0, ""),
        ]);
        assert_eq!(
            failures(&report),
            ["FAIL case: speed [m/s]: expected 2, measured 2.5, deviation 5.0e-1, tolerance 1.0e-1"]
        );
        assert_eq!(outcome(&[report], 0), "0 of 1 cases passed; lines: 1 passed, 1 failed, 1 listed");
    }

    #[test]
    fn tables_hold_every_line_and_no_bar_breaks_them() {
        let reports =
            [report(vec![Line::at_most("|w| [rad/s]", 4.34, 0.7).noted("a|b"), Line::listed("n", 1e-20, "")])];
        let text = markdown(&reports, 0);
        assert!(text.contains("| case | \\|w\\| [rad/s] | <= 4.34 | 0.7 | 0 | 0 | PASS | a\\|b |"), "{text}");
        assert!(text.contains("| case | n | - | 1.0e-20 | - | - | listed |  |"), "{text}");
        let object = json(&reports, 0);
        assert_eq!((&object["passed"], &object["ended"]), (&json!(true), &json!("done")));
        let object = json(&reports, 2);
        assert_eq!((&object["passed"], &object["ended"]), (&json!(false), &json!("interrupted")));
        assert!(outcome(&reports, 2).starts_with("interrupted, 2 cases"));
        assert_eq!(object["cases"][0]["lines"][0]["outcome"], "pass");
        assert_eq!(object["cases"][0]["lines"][1]["expected"], Value::Null);
    }

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        for (value, text) in [
            (1.380533313, "1.380533313"),
            (1.0 - 1e-14, "1"),
            (0.0, "0"),
            (15.0, "15"),
            (f64::NAN, "-"),
            (2.5e-5, "2.5e-5"),
            (-0.25, "-0.25"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
