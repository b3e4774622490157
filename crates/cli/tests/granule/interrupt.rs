//! Ctrl-C: the step is finished, everything computed so far is written, and the exit code says so.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Ended, cubes, folder, granule, summary, write};

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_what_is_computed() {
    let folder = folder();
    // Asleep, the rest of the run would take a second.
    write(folder.path(), "long.toml", &cubes(20, "duration = 100000.0\nsleeping = false"));
    let child = granule(folder.path(), &["run", "long.toml", "--out", "results"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Some kilobytes of the ledger mean that the run is well under way.
    let energy = folder.path().join("results/energy.csv");
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::fs::metadata(&energy).map_or(0, |m| m.len()) < 20_000 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
    let ended = Ended::of(child.wait_with_output().expect("ends")).expect(130);
    assert!(ended.out.contains("interrupted"), "{}", ended.out);
    let summary = summary(&folder.path().join("results"));
    assert_eq!(summary["ended"], "interrupted");
    let (steps, seconds) = (summary["steps"].as_u64().expect("steps"), summary["simulated_seconds"].as_f64());
    assert!(steps > 10 && seconds.is_some_and(|t| t > 0.0 && t < 100_000.0), "{summary}");
    let state = std::fs::read_to_string(folder.path().join("results/final_state.csv")).expect("a final state");
    assert_eq!(state.lines().count(), 22);
    let ledger = std::fs::read_to_string(&energy).expect("a ledger");
    assert_eq!(ledger.lines().count() as u64, steps + 1, "every step made is in the ledger");
}
