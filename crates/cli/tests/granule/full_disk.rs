//! What cannot be written is told, with exit code 1: results on a full disk, and standard output.

#![cfg(unix)]

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Ended, call, cubes, folder, granule, write};

/// Runs the program where no file may grow beyond `blocks` of 512 bytes. `trap` keeps the signal away that would kill
/// it, so that writes fail as on a full disk.
fn limited(folder: &Path, blocks: u32, arguments: &str) -> Ended {
    let program = env!("CARGO_BIN_EXE_granule");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec '{program}' {arguments}");
    Ended::of(Command::new("sh").current_dir(folder).args(["-c", &script]).output().expect("sh starts"))
}

/// Runs the program with a standard output that takes nothing.
fn into_full(folder: &Path, arguments: &str) -> Ended {
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    let arguments: Vec<&str> = arguments.split(' ').collect();
    Ended::of(granule(folder, &arguments).stdout(full).output().expect("the program starts"))
}

/// A scene of which nothing is written but what `output` says.
fn scene(folder: &Path, output: &str) {
    let nothing = "[output]\nsummary = false\nfinal_state = false\nenergy_every = 0\ncontacts = false\nvtk = false\npictures = \"none\"\n";
    let scene = cubes(20, "duration = 0.2\ntime_step = 0.01");
    let mut text = scene.replace("[output]\nvtk = false\npictures = \"none\"\n", nothing);
    for line in output.lines() {
        let key = line.split(' ').next().expect("a key");
        let old = text.lines().find(|old| old.starts_with(&format!("{key} = "))).map(str::to_owned);
        text = match old {
            Some(old) => text.replace(&old, line),
            None => text.replace("[output]\n", &format!("[output]\n{line}\n")),
        };
    }
    write(folder, "a.toml", &text);
}

#[test]
fn every_file_that_does_not_fit_is_an_error() {
    for (output, file) in [
        ("energy_every = 1", "energy.csv"),
        ("final_state = true", "final_state.csv"),
        ("summary = true", "summary.json"),
        ("contacts = true", "contacts_final.csv"),
        ("contacts = true\nframes_per_second = 100.0", "walls.csv"),
        ("vtk = true", "frame_000000.vtp"),
        ("pictures = \"first-last\"", "first.png"),
        ("film = true", "film.gif"),
        ("plots = true", "energy.svg"),
    ] {
        let folder = folder();
        scene(folder.path(), output);
        let ended = limited(folder.path(), 1, "run a.toml --out r --quiet").expect(1);
        assert!(ended.err.contains(file) && ended.err.starts_with("error: "), "{file}: {}", ended.err);
        // The last block of a large file may be what does not fit.
        call(folder.path(), &["run", "a.toml", "--out", "whole", "--quiet"]).expect(0);
        let path = folder.path().join("whole").join(if file.ends_with("vtp") { "bodies" } else { "" }).join(file);
        let size = std::fs::metadata(path).expect("written").len();
        let blocks = u32::try_from((size - 1) / 512).expect("small");
        let ended = limited(folder.path(), blocks, "run a.toml --out last --quiet").expect(1);
        assert!(ended.err.contains(file), "{file}: {}", ended.err);
    }
}

#[test]
fn one_file_that_does_not_fit_costs_no_other() {
    let folder = folder();
    scene(folder.path(), "final_state = true\nsummary = true\nplots = true");
    // The plots have some tens of kilobytes, the state of 21 bodies has six.
    let ended = limited(folder.path(), 16, "run a.toml --out r --quiet").expect(1);
    assert!(ended.err.contains("energy"), "{}", ended.err);
    let state = std::fs::read_to_string(folder.path().join("r/final_state.csv")).expect("a state");
    assert_eq!(state.lines().count(), 22);
    assert_eq!(crate::support::summary(&folder.path().join("r"))["steps"], 20);
}

#[test]
fn charts_tables_and_sweeps_that_do_not_fit_are_errors() {
    let folder = folder();
    scene(folder.path(), "summary = false");
    let ended = limited(folder.path(), 1, "run a.toml --out r --quiet --profile chart.json").expect(1);
    assert!(ended.err.contains("chart.json"), "{}", ended.err);
    let ended = limited(folder.path(), 1, "validate --only rbss-binary --quiet --out v").expect(1);
    assert!(ended.err.contains("validation.json"), "{}", ended.err);
    let sweep = "demo repose --sweep --count 8 --shape spheres --friction 0.5 --quiet --out s";
    let ended = limited(folder.path(), 1, sweep).expect(1);
    assert!(ended.err.contains("1 of 1 runs failed"), "{}", ended.err);
}

#[test]
fn standard_output_that_takes_nothing_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.02"));
    for line in [
        "run a.toml --out a --json",
        "run a.toml --out b",
        "info a.toml",
        "info a.toml --json",
        "resolve a.toml",
        "resolve a.toml --json",
        "validate --only rbss-binary",
        "validate --only rbss-binary --json",
        "demo repose --sweep --count 8 --shape spheres --friction 0.5 --out s",
        "--help",
        "--version",
    ] {
        let ended = into_full(folder.path(), line).expect(1);
        assert!(ended.err.contains("error: cannot write to standard output: "), "{line}: {}", ended.err);
    }
    // Nothing is said, nothing is missed.
    into_full(folder.path(), "run a.toml --out c --quiet").expect(0);
    assert!(folder.path().join("a/summary.json").is_file(), "results are whole all the same");
}

#[test]
fn a_standard_error_that_takes_nothing_hinders_nothing() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.02"));
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut command = granule(folder.path(), &["run", "a.toml", "--quiet"]);
    let status = command.env("GRANULE_LOG", "trace").stderr(full).status().expect("starts");
    assert_eq!((status.code(), status.signal()), (Some(0), None));
}
