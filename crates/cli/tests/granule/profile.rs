//! `--profile`: the flame chart of a run.

use std::collections::BTreeSet;
use std::path::Path;

use granule_engine::Phase;
use serde_json::Value;

use crate::support::{call, cubes, folder, summary, write};

/// A trace event; times in nanoseconds, which the file holds exactly.
#[derive(Debug)]
struct Span {
    name: String,
    begin: i64,
    length: i64,
}

impl Span {
    fn holds(&self, other: &Span) -> bool {
        self.begin <= other.begin && other.begin + other.length <= self.begin + self.length
    }
}

/// The spans of a chart in the order in which they ended.
fn spans(path: &Path) -> Vec<Span> {
    let text = std::fs::read_to_string(path).expect("the chart is there");
    let events: Vec<Value> = serde_json::from_str(&text).expect("the chart is JSON");
    let nanoseconds = |value: &Value| (value.as_f64().expect("a number") * 1000.0).round() as i64;
    let span = |event: &Value| {
        assert_eq!(event["ph"], "X", "{event}");
        let name = event["name"].as_str().expect("a name").to_owned();
        Span { name, begin: nanoseconds(&event["ts"]), length: nanoseconds(&event["dur"]) }
    };
    events.iter().map(span).collect()
}

#[test]
fn every_phase_is_a_span_within_its_step() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(10, "duration = 0.5"));
    let arguments = ["run", "a.toml", "--quiet", "--threads", "2", "--profile", "charts/a.json"];
    let ended = call(folder.path(), &arguments).expect(0);
    assert!(ended.out.is_empty() && ended.err.is_empty(), "{}{}", ended.out, ended.err);
    let spans = spans(&folder.path().join("charts/a.json"));
    let (mut steps, mut phases) = (0, Vec::new());
    let mut names = BTreeSet::new();
    for span in spans {
        if span.name != "step" {
            names.insert(span.name.clone());
            phases.push(span);
            continue;
        }
        steps += 1;
        // A step ends after its phases: those since the last one are its own.
        let own = std::mem::take(&mut phases);
        assert!(own.len() >= Phase::ALL.len(), "step {steps} has {} phases", own.len());
        assert!(own.iter().all(|phase| span.holds(phase)), "{span:?} {own:?}");
        assert!(own.windows(2).all(|pair| pair[0].begin + pair[0].length <= pair[1].begin), "phases overlap: {own:?}");
        let sum: i64 = own.iter().map(|phase| phase.length).sum();
        assert!(0 < sum && sum <= span.length, "{sum} of {} ns", span.length);
    }
    assert!(phases.is_empty(), "phases outside a step: {phases:?}");
    assert_eq!(names, Phase::ALL.map(|phase| phase.name().to_owned()).into());
    let summary = summary(&folder.path().join("out/a"));
    assert_eq!(summary["steps"].as_u64(), Some(steps));
    // Whoever listens changes nothing.
    call(folder.path(), &["run", "a.toml", "--quiet", "--out", "plain"]).expect(0);
    assert_eq!(summary["state_hash"], crate::support::summary(&folder.path().join("plain"))["state_hash"]);
}

#[test]
fn the_log_goes_on_beside_the_chart() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.02\ntime_step = 0.01"));
    let run = |level: &str| {
        let mut command = crate::support::granule(folder.path(), &["run", "a.toml", "--quiet", "--profile", "a.json"]);
        crate::support::Ended::of(command.env("GRANULE_LOG", level).output().expect("the program starts")).expect(0)
    };
    assert!(run("trace").err.contains("narrowphase"));
    assert_eq!(spans(&folder.path().join("a.json")).iter().filter(|span| span.name == "step").count(), 2);
    // The level of the log is no level of the chart.
    assert!(run("warn").err.is_empty());
    assert_eq!(spans(&folder.path().join("a.json")).iter().filter(|span| span.name == "step").count(), 2);
}

#[test]
fn a_chart_that_cannot_be_written_ends_the_run_before_it_begins() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.02"));
    write(folder.path(), "taken", "a file where a folder should be");
    for arguments in [["run", "a.toml"].as_slice(), &["demo", "repose", "--count", "20"]] {
        for path in ["taken/a.json", "."] {
            let arguments = [arguments, &["--out", "results", "--profile", path]].concat();
            let ended = call(folder.path(), &arguments).expect(2);
            assert!(ended.err.starts_with(&format!("error: cannot write the profile {path}: ")), "{}", ended.err);
            assert!(ended.out.is_empty(), "{}", ended.out);
            assert!(!folder.path().join("results").exists(), "nothing was run");
        }
    }
    // A scene that is refused leaves no chart.
    call(folder.path(), &["run", "nowhere.toml", "--profile", "a.json"]).expect(2);
    assert!(!folder.path().join("a.json").exists());
}
