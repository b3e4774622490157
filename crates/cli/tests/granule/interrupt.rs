//! Signals that ask to end: the step is finished, everything computed so far is written, and the exit code says which
//! it was.

#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use granule_cli::results::LIST;
use serde_json::Value;

use crate::support::{Ended, cubes, folder, granule, summary, write};

/// The signals and the exit codes that they lead to; none that the tests were started to ignore, as by `nohup`.
fn signals() -> Vec<(&'static str, i32)> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    let hangup = u64::from_str_radix(ignored.trim(), 16).unwrap_or_default() & 1 == 0;
    let hangup = hangup.then_some(("HUP", 129));
    [("INT", 130), ("TERM", 143)].into_iter().chain(hangup).collect()
}

fn start(folder: &Path, line: &str) -> Child {
    let arguments: Vec<&str> = line.split(' ').collect();
    let mut command = granule(folder, &arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Waits until `ready`, for which the program is well under way.
fn wait_until(ready: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !ready() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

fn end(child: Child) -> Ended {
    Ended::of(child.wait_with_output().expect("ends"))
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

#[test]
fn a_signal_leaves_what_is_computed() {
    for (signal, code) in signals() {
        let folder = folder();
        // Asleep, the rest of the run would take a second.
        write(folder.path(), "long.toml", &cubes(20, "duration = 100000.0\nsleeping = false"));
        let child = start(folder.path(), "run long.toml --out results");
        // Some kilobytes of the ledger mean that the run is well under way.
        let energy = folder.path().join("results/energy.csv");
        wait_until(|| size(&energy) >= 20_000);
        send(&child, signal);
        let ended = end(child).expect(code);
        assert!(ended.out.contains("interrupted") && ended.err.contains("stopping"), "{}{}", ended.out, ended.err);
        let summary = summary(&folder.path().join("results"));
        assert_eq!(summary["ended"], "interrupted");
        let (steps, seconds) = (summary["steps"].as_u64().expect("steps"), summary["simulated_seconds"].as_f64());
        assert!(steps > 10 && seconds.is_some_and(|t| t > 0.0 && t < 100_000.0), "{summary}");
        let state = std::fs::read_to_string(folder.path().join("results/final_state.csv")).expect("a final state");
        assert_eq!(state.lines().count(), 22);
        let ledger = std::fs::read_to_string(&energy).expect("a ledger");
        assert_eq!(ledger.lines().count() as u64, steps + 1, "every step made is in the ledger");
    }
}

/// A run whose film of many frames takes long to draw.
fn film(folder: &Path) -> Child {
    let filmed = cubes(20, "duration = 100000.0\ntime_step = 0.01\nsleeping = false")
        .replace("pictures = \"none\"\n", "pictures = \"none\"\nfilm = true\nframes_per_second = 1000.0\n");
    write(folder, "film.toml", &filmed);
    let child = start(folder, "run film.toml --out results");
    let energy = folder.join("results/energy.csv");
    wait_until(|| size(&energy) >= 1_500_000);
    child
}

/// The numbers are there before the film is drawn.
#[test]
fn the_second_signal_ends_at_once() {
    let folder = folder();
    let child = film(folder.path());
    send(&child, "INT");
    std::thread::sleep(Duration::from_millis(700));
    send(&child, "TERM");
    end(child).expect(143);
    assert_eq!(summary(&folder.path().join("results"))["ended"], "interrupted");
    let list = std::fs::read_to_string(folder.path().join("results").join(LIST)).expect("a list");
    assert!(list.contains("summary.json"), "{list}");
    let film = std::fs::read(folder.path().join("results/film.gif")).expect("a film");
    // Each frame begins with a graphic control extension.
    let frames = film.windows(3).filter(|bytes| *bytes == b"\x21\xf9\x04").count();
    // A frame for every second row of the ledger, were it whole.
    let rows = std::fs::read_to_string(folder.path().join("results/energy.csv")).expect("a ledger").lines().count();
    assert!(frames < rows / 4, "{frames} frames of {rows} steps: the film was drawn to its end");
}

/// Whoever ends a process and then its group sends two.
#[test]
fn two_signals_at_once_are_one_request() {
    for _ in 0..5 {
        let folder = folder();
        write(folder.path(), "long.toml", &cubes(20, "duration = 100000.0\nsleeping = false"));
        let child = start(folder.path(), "run long.toml --out results --quiet");
        wait_until(|| size(&folder.path().join("results/energy.csv")) >= 20_000);
        let id = child.id();
        let sent = Command::new("sh").args(["-c", &format!("kill -TERM {id}; kill -TERM {id}")]).status();
        assert!(sent.is_ok(), "{sent:?}");
        end(child).expect(143);
        assert_eq!(summary(&folder.path().join("results"))["ended"], "interrupted");
    }
}

/// While a run writes into a folder another one is refused, with force as well.
#[test]
fn two_runs_never_write_into_one_folder() {
    let folder = folder();
    write(folder.path(), "long.toml", &cubes(20, "duration = 100000.0\nsleeping = false"));
    write(folder.path(), "short.toml", &cubes(1, "duration = 0.1"));
    let child = start(folder.path(), "run long.toml --out results --quiet");
    wait_until(|| size(&folder.path().join("results/energy.csv")) >= 20_000);
    for options in [[].as_slice(), &["--force"]] {
        let arguments = [["run", "short.toml", "--out", "results"].as_slice(), options].concat();
        let refused = crate::support::call(folder.path(), &arguments).expect(2);
        assert!(options.is_empty() || refused.err.contains("another run is writing"), "{}", refused.err);
    }
    send(&child, "TERM");
    end(child).expect(143);
    assert_eq!(summary(&folder.path().join("results"))["ended"], "interrupted");
    crate::support::call(folder.path(), &["run", "short.toml", "--out", "results", "--force"]).expect(0);
}

#[test]
fn a_sweep_leaves_the_table_of_what_is_done() {
    for (signal, code) in signals() {
        let folder = folder();
        let child = start(folder.path(), "demo repose --sweep --seeds 1000 --count 8 --friction 0.6 --quiet --out s");
        let table = folder.path().join("s/repose_table.csv");
        let lines = || std::fs::read_to_string(&table).map_or(0, |text| text.lines().count());
        wait_until(|| lines() > 2);
        send(&child, signal);
        end(child).expect(code);
        assert!(lines() > 2 && lines() < 1000);
    }
}

#[test]
fn a_validation_leaves_the_tables_of_what_is_done() {
    for (signal, code) in signals() {
        let folder = folder();
        let child = start(folder.path(), "validate --out v --quiet");
        // The plot of the sixth case.
        wait_until(|| folder.path().join("v/etm-collision.png").exists());
        send(&child, signal);
        end(child).expect(code);
        let text = std::fs::read_to_string(folder.path().join("v/validation.json")).expect("a table");
        let object: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&object["ended"], &object["passed"]), (&"interrupted".into(), &false.into()));
        let cases = object["cases"].as_array().expect("cases").len();
        assert!((5..18).contains(&cases), "{cases}");
        let text = std::fs::read_to_string(folder.path().join("v/validation.md")).expect("a table");
        assert!(text.contains("interrupted"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let folder = folder();
    write(folder.path(), "long.toml", &cubes(20, "duration = 100000.0\nsleeping = false"));
    let script = format!("trap '' HUP; exec '{}' run long.toml --out r --quiet", env!("CARGO_BIN_EXE_granule"));
    let mut child = Command::new("sh").current_dir(folder.path()).args(["-c", &script]).spawn().expect("starts");
    wait_until(|| size(&folder.path().join("r/energy.csv")) >= 20_000);
    send(&child, "HUP");
    let before = size(&folder.path().join("r/energy.csv"));
    wait_until(|| size(&folder.path().join("r/energy.csv")) > before + 20_000);
    assert!(child.try_wait().expect("waits").is_none(), "it goes on");
    child.kill().expect("killed");
    assert_eq!(child.wait().expect("ends").signal(), Some(9));
}
