//! A folder of results that is used again: nothing of two runs is mixed, and nothing that no run has written is
//! touched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use granule_cli::results::LIST;

use crate::support::{Ended, call, cubes, folder, granule, summary, write};

/// All files in a folder and those below it, relative to it, the list left out.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() && !entry.is_symlink() {
                open.push(entry);
            } else {
                found.insert(entry.strip_prefix(folder).expect("inside").display().to_string());
            }
        }
    }
    found.remove(LIST);
    found
}

/// The lines of the list in a folder.
fn listed(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join(LIST)).expect("a list");
    text.lines().map(str::to_owned).collect()
}

/// A scene of one cube that writes everything that a run can, and one that writes two files.
fn scenes(folder: &Path) {
    let short = cubes(1, "duration = 0.1\ntime_step = 0.01");
    let output = "[output]\nvtk = true\nframes_per_second = 50.0\npictures = \"stages\"\nplots = true\nfilm = true\n";
    write(folder, "all.toml", &short.replace("[output]\nvtk = false\npictures = \"none\"\n", output));
    write(folder, "few.toml", &short.replace("[output]\n", "[output]\nenergy_every = 0\ncontacts = false\n"));
}

fn line(folder: &Path, line: &str) -> Ended {
    call(folder, &line.split(' ').collect::<Vec<_>>())
}

#[test]
fn a_folder_with_results_is_refused_and_replaced_by_force() {
    let folder = folder();
    scenes(folder.path());
    let results = folder.path().join("r");
    line(folder.path(), "run all.toml --out r --quiet").expect(0);
    let written = files(&results);
    assert!(written.contains("bodies/frame_000005.vtp") && written.contains("film.gif"), "{written:?}");
    assert_eq!(listed(&results), written);

    let refused = line(folder.path(), "run few.toml --out r").expect(2);
    for part in [" r ", "energy.csv", "--force"] {
        assert!(refused.err.contains(part), "`{part}` is missing: {}", refused.err);
    }
    assert_eq!(files(&results), written, "nothing is touched");

    // What is not of the run stays, wherever it is.
    std::fs::create_dir(results.join("empty")).expect("made");
    for file in ["mine.txt", "bodies/mine.vtp"] {
        write(&results, file, "mine");
    }
    line(folder.path(), "run few.toml --out r --quiet --force").expect(0);
    let left: Vec<String> = files(&results).into_iter().collect();
    assert_eq!(left, ["bodies/mine.vtp", "final_state.csv", "mine.txt", "summary.json"]);
    assert!(results.join("empty").is_dir());
    assert_eq!(listed(&results), ["final_state.csv", "summary.json"].map(str::to_owned).into());
    std::fs::remove_file(results.join("bodies/mine.vtp")).expect("removed");

    // A folder that becomes empty goes.
    std::fs::remove_dir(results.join("bodies")).expect("removed");
    line(folder.path(), "run all.toml --out r --quiet --force").expect(0);
    line(folder.path(), "run few.toml --out r --quiet --force").expect(0);
    assert!(!results.join("bodies").exists());
}

#[test]
fn the_default_folder_is_replaced_unasked() {
    let folder = folder();
    scenes(folder.path());
    line(folder.path(), "run all.toml --quiet").expect(0);
    std::fs::rename(folder.path().join("few.toml"), folder.path().join("all.toml")).expect("renamed");
    line(folder.path(), "run all.toml --quiet").expect(0);
    let left: Vec<String> = files(&folder.path().join("out/all")).into_iter().collect();
    assert_eq!(left, ["final_state.csv", "summary.json"]);
}

#[test]
fn a_folder_without_a_list_is_refused_where_its_files_would_be_written() {
    let folder = folder();
    scenes(folder.path());
    for out in ["r", "out/few"] {
        let results = folder.path().join(out);
        std::fs::create_dir_all(&results).expect("made");
        for file in ["summary.json", "energy.csv"] {
            write(&results, file, "of an earlier build");
        }
        let given = if out == "r" { " --out r" } else { "" };
        let refused = line(folder.path(), &format!("run few.toml{given}")).expect(2);
        assert!(refused.err.contains("summary.json") && refused.err.contains("--force"), "{}", refused.err);
        assert!(!results.join(LIST).exists());
        // The ledger is no file of this run.
        line(folder.path(), &format!("run few.toml --force --quiet{given}")).expect(0);
        assert_eq!(summary(&results)["ended"], "duration");
        assert_eq!(std::fs::read_to_string(results.join("energy.csv")).expect("there"), "of an earlier build");
    }
    // A folder with other files is as good as a new one.
    std::fs::create_dir(folder.path().join("own")).expect("made");
    write(&folder.path().join("own"), "energy.csv", "mine");
    line(folder.path(), "run few.toml --out own --quiet").expect(0);
}

#[test]
fn a_list_that_leads_out_of_the_folder_is_not_followed() {
    let folder = folder();
    scenes(folder.path());
    line(folder.path(), "run few.toml --out r --quiet").expect(0);
    let results = folder.path().join("r");
    let victims: Vec<PathBuf> = ["one", "two"].map(|name| write(folder.path(), name, "not of the run")).to_vec();
    let text = format!("../one\n{}\nsummary.json\n", victims[1].display());
    write(&results, LIST, &text);
    line(folder.path(), "run few.toml --out r --quiet --force").expect(0);
    assert!(victims.iter().all(|file| file.exists()));
}

#[test]
fn a_killed_run_leaves_its_list_and_what_is_put_in_meanwhile_is_not_on_it() {
    let folder = folder();
    scenes(folder.path());
    let long = std::fs::read_to_string(folder.path().join("all.toml")).expect("there");
    let long =
        long.replace("duration = 0.1", "duration = 1000.0\nsleeping = false").replace("film = true", "film = false");
    write(folder.path(), "long.toml", &long);
    let mut child = granule(folder.path(), &["run", "long.toml", "--out", "r", "--quiet"]).spawn().expect("starts");
    let results = folder.path().join("r");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !results.join("bodies/frame_000003.vtp").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    write(&results, "mine.txt", "mine");
    child.kill().expect("killed");
    child.wait().expect("ends");
    let mut written = files(&results);
    assert!(written.remove("mine.txt"));
    // The last name may have been listed and its file not begun.
    let list = listed(&results);
    assert!(list.is_superset(&written) && list.len() <= written.len() + 1, "{list:?} {written:?}");
    line(folder.path(), "run few.toml --out r --quiet --force").expect(0);
    let left: Vec<String> = files(&results).into_iter().collect();
    assert_eq!(left, ["final_state.csv", "mine.txt", "summary.json"]);
}

#[test]
fn a_chart_in_the_folder_is_a_result() {
    let folder = folder();
    scenes(folder.path());
    let results = folder.path().join("r");
    for _ in 0..2 {
        line(folder.path(), "run few.toml --out ./r --quiet --force --profile r/chart.json").expect(0);
        assert_eq!(listed(&results), ["chart.json", "final_state.csv", "summary.json"].map(str::to_owned).into());
        assert_eq!(listed(&results), files(&results));
    }
    line(folder.path(), "run few.toml --out r --quiet --force").expect(0);
    assert!(!results.join("chart.json").exists());
}

/// Frames of someone else are no reason to write over them, in the folder or where a link leads.
#[test]
fn frames_on_no_list_are_refused() {
    let folder = folder();
    scenes(folder.path());
    let frame = folder.path().join("r/bodies/frame_000003.vtp");
    std::fs::create_dir_all(folder.path().join("r/bodies")).expect("made");
    std::fs::write(&frame, "mine").expect("written");
    let refused = line(folder.path(), "run all.toml --out r").expect(2);
    assert!(refused.err.contains("frame_000003.vtp"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&frame).expect("there"), "mine");
    // What is not called as a frame is none.
    std::fs::rename(&frame, folder.path().join("r/bodies/frame_3.vtp")).expect("renamed");
    line(folder.path(), "run all.toml --out r").expect(0);
    assert!(folder.path().join("r/bodies/frame_3.vtp").exists());
}

#[test]
fn what_stands_in_the_way_is_told_before_the_run() {
    let folder = folder();
    scenes(folder.path());
    for (taken, is_folder) in [("a/summary.json", true), ("b/film.gif", true), ("c/bodies", false)] {
        let path = folder.path().join(taken);
        std::fs::create_dir_all(if is_folder { &path } else { path.parent().expect("a folder") }).expect("made");
        if !is_folder {
            std::fs::write(&path, "mine").expect("written");
        }
        let out = &taken[..1];
        for force in ["", " --force"] {
            let refused = line(folder.path(), &format!("run all.toml --out {out}{force}")).expect(2);
            assert!(refused.err.contains("stands where results are to be written"), "{taken}: {}", refused.err);
            assert!(path.exists());
        }
    }
}

#[test]
fn a_chart_replaces_nothing_but_a_chart() {
    let folder = folder();
    scenes(folder.path());
    let scene = std::fs::read(folder.path().join("few.toml")).expect("a scene");
    for taken in ["few.toml", "r/summary.json", "r/granule-files.txt"] {
        let refused = line(folder.path(), &format!("run few.toml --out r --profile {taken}")).expect(2);
        assert!(refused.err.contains("name another"), "{}", refused.err);
        assert_eq!(std::fs::read(folder.path().join("few.toml")).expect("there"), scene);
        let _ = std::fs::create_dir(folder.path().join("r"));
    }
    for _ in 0..2 {
        line(folder.path(), "run few.toml --quiet --profile chart.json").expect(0);
    }
    // Cut short by whatever ended the program.
    std::fs::write(folder.path().join("chart.json"), "[").expect("written");
    line(folder.path(), "run few.toml --quiet --profile chart.json").expect(0);
    std::fs::write(folder.path().join("chart.json"), "[1, 2]").expect("written");
    line(folder.path(), "run few.toml --quiet --profile chart.json").expect(2);
    line(folder.path(), "run few.toml --quiet --force --profile chart.json").expect(0);
}

#[test]
fn demos_sweeps_and_validations_keep_the_same_rule() {
    let folder = folder();
    for (first, second, out, gone) in [
        (
            "demo repose --count 8 --shape cubes --quiet --out d",
            // Fewer steps than frames: the last ones would remain of the run before.
            "demo repose --count 8 --shape cubes --steps-per-second 10 --quiet --out d",
            "d",
            "bodies/frame_000060.vtp",
        ),
        (
            "demo repose --sweep --count 8 --shape spheres --friction 0.5 --quiet --out s",
            "demo repose --sweep --count 8 --shape spheres --friction 0.6 --quiet --out s",
            "s",
            "spheres-friction-0.5-seed-1/summary.json",
        ),
        (
            "validate --only etm-single --quiet --out v",
            "validate --only rbss-binary --quiet --out v",
            "v",
            "etm-collision.svg",
        ),
    ] {
        line(folder.path(), first).expect(0);
        let results = folder.path().join(out);
        assert_eq!(listed(&results), files(&results), "{first}");
        assert!(results.join(gone).is_file(), "{gone}");
        let refused = line(folder.path(), second).expect(2);
        assert!(refused.err.contains(&format!(" {out} ")) && refused.err.contains("--force"), "{}", refused.err);
        write(&results, "mine.txt", "mine");
        line(folder.path(), &format!("{second} --force")).expect(0);
        assert!(!results.join(gone).exists() && results.join("mine.txt").is_file(), "{first}");
    }
}
