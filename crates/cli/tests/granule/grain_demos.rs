//! `granule demo avalanche` and `granule demo mound`, with a few grains: everything is written, and wrong options are
//! refused before grains are made.

use std::path::Path;

use crate::support::{DEMO_FILES, Ended, call, expect_files, folder, summary};

/// Bytes of a file: without contacts a table is its header.
const LEAST: u64 = 40;

fn demo(folder: &Path, line: &str) -> Ended {
    call(folder, &line.split(' ').collect::<Vec<_>>())
}

#[test]
fn a_mound_is_told_with_height_and_radius() {
    let folder = folder();
    let line = "demo mound --grains 2 --seed 3 --time-step 0.01 --threads 2 --out m";
    let ended = demo(folder.path(), line).expect(0);
    assert!(ended.out.lines().any(|l| l.starts_with("mound") && l.contains("m high")), "{}", ended.out);
    let results = folder.path().join("m");
    expect_files(&results, LEAST, &DEMO_FILES);
    expect_files(&results, LEAST, &["mound.csv", "mound.svg", "mound.png", "packed.png", "releasing.png"]);
    let summary = summary(&results);
    assert_eq!((summary["scene"].as_str(), summary["seed"].as_u64()), (Some("mound"), Some(3)));
    assert_eq!((summary["bodies"].as_u64(), summary["bodies_lost"].as_u64()), (Some(7), Some(0)));
    assert_eq!(summary["stages"].as_array().map(Vec::len), Some(2));
    assert!(summary["stages"][1]["seconds"].as_f64().is_some_and(|s| (s - 8.0).abs() <= 1e-9), "{summary}");
    // Two grains of 0.05 to 0.155 m lie on the floor: neither is higher than the longest is long.
    let height = summary["mound"]["height"].as_f64().expect("a height");
    assert!((0.03..0.25).contains(&height), "{height} m");

    // The folder is the user's: results are replaced with --force only, and refused before grains are made.
    let refused = demo(folder.path(), line).expect(2);
    assert!(refused.err.contains("--force") && !refused.err.contains("making the grains"), "{}", refused.err);
}

/// The slide takes minutes: it is ended by a signal, after which everything is written as well.
#[cfg(unix)]
#[test]
fn an_avalanche_that_is_interrupted_leaves_everything() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use crate::support::granule;

    let folder = folder();
    let line = "demo avalanche --runout slope --grains 2 --seed 5 --time-step 0.03 --out a";
    let mut command = granule(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let (results, deadline) = (folder.path().join("a"), Instant::now() + Duration::from_secs(120));
    let frames = || std::fs::read_dir(results.join("bodies")).map_or(0, Iterator::count);
    while frames() < 2 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    let ended = Ended::of(child.wait_with_output().expect("ends")).expect(130);
    assert!(ended.err.contains("making the grains"), "{}", ended.err);
    for label in ["interrupted", "runout", "deposit"] {
        assert!(ended.out.lines().any(|l| l.starts_with(label)), "{}", ended.out);
    }
    expect_files(&results, LEAST, &DEMO_FILES);
    let own =
        ["avalanche.csv", "avalanche.svg", "deposit.asc", "deposit_depth.asc", "deposit.png", "energy_budget.svg"];
    expect_files(&results, LEAST, &own);
    let summary = summary(&results);
    assert_eq!((summary["scene"].as_str(), summary["seed"].as_u64()), (Some("avalanche-slope"), Some(5)));
    assert_eq!((summary["time_step"].as_f64(), summary["bodies"].as_u64()), (Some(0.03), Some(4)));
    for key in ["farthest", "mass_95", "mass_50", "centre"] {
        assert!(summary["avalanche"]["runout"][key].is_f64(), "{key}: {}", summary["avalanche"]);
    }
}

#[test]
fn wrong_options_are_refused_by_name() {
    let folder = folder();
    for (line, told) in [
        ("avalanche --runout steep", "flat, slope"),
        ("avalanche --grains 0", "--grains"),
        ("avalanche --grains 10001", "10000"),
        ("avalanche --time-step -1", "above 0"),
        ("avalanche --time-step inf", "above 0"),
        ("mound --grains many", "--grains"),
        ("mound --seed x", "--seed"),
        ("mound --seed 18446744073709551615 --grains 1", "seed"),
        ("mound --friction 0.5", "--friction"),
    ] {
        let ended = demo(folder.path(), &format!("demo {line}")).expect(2);
        assert!(ended.err.contains(told), "{line}: {}", ended.err);
    }
    assert_eq!(std::fs::read_dir(folder.path()).map(Iterator::count).ok(), Some(0), "nothing is written");
    let help = demo(folder.path(), "demo --help").expect(0);
    assert!(["repose", "avalanche", "mound"].iter().all(|name| help.out.contains(name)), "{}", help.out);
}
