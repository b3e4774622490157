//! `granule run` and `granule info`: files, their contents, determinism, streams that close.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{call, cubes, expect_closed_book, folder, granule, summary, write};

/// Keys that every summary has.
const KEYS: [&str; 17] = [
    "angle_of_repose_deg",
    "at_rest",
    "largest_overlap",
    "energy_gained",
    "correction_work",
    "bodies",
    "bodies_lost",
    "rms_speed",
    "simulated_seconds",
    "cpu_seconds",
    "wall_seconds",
    "steps",
    "state_hash",
    "time_step",
    "ended",
    "removed",
    "time_step_decided_by",
];
const COLUMNS: &str = "id,name,kind,shape,mass,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz";

fn contract_scene(folder: &Path) {
    write(folder, "scene.toml", include_str!("../data/scene.toml"));
    write(folder, "hill.stl", include_str!("../data/hill.stl"));
}

#[test]
fn the_fixed_scene_runs_as_it_stands() {
    let folder = folder();
    contract_scene(folder.path());
    let ended = call(folder.path(), &["run", "scene.toml", "--out", "results", "--quiet"]).expect(0);
    assert!(ended.out.is_empty() && ended.err.is_empty(), "{}{}", ended.out, ended.err);
    let results = folder.path().join("results");
    let summary = summary(&results);
    for key in KEYS {
        assert!(summary.get(key).is_some(), "{key}");
    }
    // 2 s in steps of 1 ms, the last one ending there: the sum of 1 ms steps alone is off by 1e-13.
    assert_eq!((summary["simulated_seconds"].as_f64(), summary["steps"].as_u64()), (Some(2.0), Some(2000)));
    assert_eq!((summary["bodies"].as_u64(), summary["bodies_lost"].as_u64()), (Some(3), Some(0)));
    for file in ["energy.csv", "bodies.pvd", "bodies/frame_000050.vtp", "first.png", "final.png"] {
        assert!(results.join(file).is_file(), "{file}");
    }
    assert!(!results.join("bodies/frame_000051.vtp").exists(), "25 frames a second and the first");
    let energy = std::fs::read_to_string(results.join("energy.csv")).expect("text");
    assert_eq!(energy.lines().count(), 2001);
    let state = std::fs::read_to_string(results.join("final_state.csv")).expect("text");
    let rows: Vec<Vec<&str>> = state.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), COLUMNS);
    assert_eq!(rows.len(), 4);
    let head: Vec<_> = rows[1..].iter().map(|row| (row[0], row[1], row[2], row[3])).collect();
    assert_eq!(
        head,
        [("0", "ground", "static", "half-space"), ("1", "", "dynamic", "sphere"), ("2", "", "dynamic", "sphere")]
    );
    assert_eq!((rows[1][4], rows[2][4].starts_with("1.4")), ("0", true));
    expect_weight_on_the_floor(&results, [2, 3].map(|row| rows[row][4].parse().expect("a mass")));
    // The ball of 0.1 m rests on the floor, at touch within a per cent of its radius.
    let height: f64 = rows[3][7].parse().expect("a number");
    assert!((height - 0.1).abs() <= 1e-3, "{height}");
}

/// The contacts of the two bodies with the floor, and what the floor carried over the last period.
fn expect_weight_on_the_floor(results: &Path, masses: [f64; 2]) {
    let read = |file: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(results.join(file)).expect("text");
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let number = |cell: &String| cell.parse::<f64>().expect("a number");
    let contacts = read("contacts_final.csv");
    assert_eq!(contacts[0][..13].join(","), "a,b,x,y,z,nx,ny,nz,gap,fx,fy,fz,state");
    assert_eq!(contacts.len(), 3, "{contacts:?}");
    for (contact, mass) in contacts[1..].iter().zip(masses) {
        assert!((-number(&contact[11]) / (mass * 9.8) - 1.0).abs() <= 1e-3, "{contact:?}");
        assert_eq!((contact[0].as_str(), number(&contact[7])), ("0", -1.0), "the normal leads from b to a");
    }
    let walls = read("walls.csv");
    assert_eq!(walls[0].join(","), "t,id,name,fx,fy,fz,tx,ty,tz");
    assert_eq!(walls.len(), 51, "the floor, 25 times a second");
    let last = &walls[50];
    assert_eq!((last[0].as_str(), last[1].as_str(), last[2].as_str()), ("2", "0", "ground"));
    assert!((-number(&last[5]) / (masses.iter().sum::<f64>() * 9.8) - 1.0).abs() <= 1e-3, "{last:?}");
}

/// Nothing to run, nothing to tell of.
#[test]
fn a_scene_without_bodies_is_refused() {
    let folder = folder();
    write(folder.path(), "empty.toml", "[run]\nduration = 1.0\n");
    for command in ["run", "info"] {
        let ended = call(folder.path(), &[command, "empty.toml"]).expect(2);
        assert!(ended.out.is_empty(), "{}", ended.out);
        assert!(
            ended.err.contains("empty.toml: the scene has no bodies: no `[[body]]` and no `[[fill]]`"),
            "{}",
            ended.err
        );
    }
    assert!(!folder.path().join("out").exists(), "nothing is written");
}

#[test]
fn a_shortened_last_step_ends_at_the_duration() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.0125\ntime_step = 0.01"));
    call(folder.path(), &["run", "a.toml", "--quiet"]).expect(0);
    let summary = summary(&folder.path().join("out/a"));
    assert_eq!((summary["simulated_seconds"].as_f64(), summary["steps"].as_u64()), (Some(0.0125), Some(2)));
}

#[test]
fn threads_and_repetition_change_no_bit() {
    let folder = folder();
    write(folder.path(), "cubes.toml", &cubes(60, "duration = 0.5"));
    let hash = |threads: &str, out: &str| {
        call(folder.path(), &["run", "cubes.toml", "--out", out, "--threads", threads, "--quiet"]).expect(0);
        let state = std::fs::read(folder.path().join(out).join("final_state.csv")).expect("a final state");
        (summary(&folder.path().join(out))["state_hash"].clone(), state)
    };
    let one = hash("1", "one");
    assert!(matches!(&one.0, Value::String(text) if text.len() == 16), "{:?}", one.0);
    assert_eq!(one, hash("2", "two"));
    assert_eq!(one, hash("1", "again"));
    // Negative control: another run must give another state.
    write(folder.path(), "cubes.toml", &cubes(60, "duration = 0.51"));
    assert_ne!(one.0, hash("1", "longer").0);
}

#[test]
fn at_rest_ends_a_run_before_its_limit() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 30.0\nuntil = \"rest\""));
    let ended = call(folder.path(), &["run", "a.toml", "--json"]).expect(0);
    let summary: Value = serde_json::from_str(&ended.out).expect("standard output is one JSON object");
    assert_eq!(summary["at_rest"], Value::Bool(true));
    // A cube that falls 0.2 m and topples once: seconds, not half a minute.
    assert!(summary["simulated_seconds"].as_f64().is_some_and(|t| t < 15.0), "{summary}");
}

#[test]
fn results_that_cannot_be_written_are_named() {
    let folder = folder();
    write(folder.path(), "a.toml", &cubes(1, "duration = 0.02\ntime_step = 0.01"));
    write(folder.path(), "taken", "a file where a folder should be");
    // A folder that cannot be made is a wrong argument of every command.
    for line in ["run a.toml", "demo repose --count 8", "demo repose --sweep --count 8", "validate"] {
        for out in ["taken/results", "taken"] {
            let arguments = [&line.split(' ').collect::<Vec<_>>()[..], &["--out", out]].concat();
            let ended = call(folder.path(), &arguments).expect(2);
            assert!(ended.err.contains(&format!("cannot create the folder {out}: ")), "{}", ended.err);
        }
    }
    // So is a folder where a file should be.
    std::fs::create_dir_all(folder.path().join("out/a/final_state.csv")).expect("a folder where a file should be");
    let ended = call(folder.path(), &["run", "a.toml"]).expect(2);
    assert!(ended.err.contains("out/a/final_state.csv"), "{}", ended.err);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder();
    for arguments in [["info", "repose-spheres"].as_slice(), &["--help"], &["run", "bounce", "--json"]] {
        let mut child = granule(folder.path(), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let mut text = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
        let status = child.wait().expect("ends");
        assert!(status.success(), "{arguments:?}: {status} {text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

#[test]
fn info_tells_bodies_and_step() {
    let folder = folder();
    let ended = call(folder.path(), &["info", "repose-crosses"]).expect(0);
    for part in ["325 dynamic", "compound", "time step", "chosen", "density 2650", "release", "overlap to expect"] {
        assert!(ended.out.contains(part), "`{part}` is missing:\n{}", ended.out);
    }
    let ended = call(folder.path(), &["info", "repose-spheres", "--json"]).expect(0);
    let facts: Value = serde_json::from_str(&ended.out).expect("JSON");
    let grains = facts["bodies"].as_array().expect("groups").iter().find(|g| g["kind"] == "dynamic").expect("grains");
    // 4/3 pi 1.5^3 2650 kg.
    let mass = grains["mass_min"].as_f64().expect("a mass");
    assert!((mass / 37_463.492 - 1.0).abs() <= 1e-6, "{mass}");
    assert_eq!(grains["count"].as_u64(), Some(540));
    let (dt, radius) = (facts["time_step"].as_f64().expect("a step"), facts["smallest_radius"].as_f64());
    assert_eq!(radius, Some(1.5));
    assert!(dt > 1e-3 && dt < 0.1, "{dt}");
}

/// Nine cubes in a box, and a driven blade that presses them against its wall.
fn press(jam: &str) -> String {
    format!(
        "[run]\nduration = 4.0\n{jam}[materials.m]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.4\n\
         [[body]]\nname = \"box\"\nkind = \"static\"\nshape.container.size = [6.0, 3.2, 4.0]\nmaterial = \"m\"\nposition = [0, 0, 0]\n\
         [[fill]]\nname = \"cube\"\nshape.cuboid.size = [1.0, 1.0, 1.0]\nmaterial = \"m\"\ncount = 9\n\
         grid = {{ corner = [1.5, 0.0], size = [4.0, 3.2], pitch = 1.05, first_layer = 0.5 }}\n\
         [[body]]\nname = \"blade\"\nkind = \"driven\"\nshape.cuboid.size = [0.5, 3.0, 3.0]\nmaterial = \"m\"\n\
         position = [0.3, 1.6, 1.6]\nmotion.constant.velocity = [2.0, 0.0, 0.0]\n\
         [output]\npictures = \"none\"\nvtk = false\n"
    )
}

/// From touch to touch the law has no answer where a blade presses on a wall: a first one that refuses is enough, where
/// each piece of each step spent a million impulses on it, and the run did not end in ten minutes.
#[test]
fn a_jam_ends_a_run_from_touch_to_touch() {
    let folder = folder();
    write(folder.path(), "a.toml", &press("stepping = \"touch\"\n"));
    let ended = call(folder.path(), &["run", "a.toml", "--out", "a", "--quiet"]).expect(1);
    assert!(ended.err.contains("`blade`") && ended.err.contains("`cube-"), "{}", ended.err);
    let summary = summary(&folder.path().join("a"));
    assert_eq!(summary["ended"].as_str(), Some("jam"));
    assert!(summary["largest_overlap_thin"].as_f64().is_some_and(|x| x <= 0.01), "{}", summary["largest_overlap_thin"]);
}

#[test]
fn a_jam_ends_a_run_with_its_results_and_a_blade_that_yields_goes_on() {
    let folder = folder();
    write(folder.path(), "error.toml", &press(""));
    let ended = call(folder.path(), &["run", "error.toml", "--out", "error", "--quiet"]).expect(1);
    assert!(ended.err.contains("`blade`") && ended.err.contains("`cube-"), "{}", ended.err);
    let summary_of = |name: &str| summary(&folder.path().join(name));
    let error = summary_of("error");
    // The cubes are together after 1.2 s; measured 0.3 % of h.
    assert_eq!((error["ended"].as_str(), error["jam_stops"].as_u64()), (Some("jam"), Some(0)));
    assert!(
        (0.8..1.6).contains(&error["simulated_seconds"].as_f64().expect("a time")),
        "{}",
        error["simulated_seconds"]
    );
    assert!(error["largest_overlap_thin"].as_f64().is_some_and(|x| x <= 0.01), "{}", error["largest_overlap_thin"]);
    assert!(folder.path().join("error/final_state.csv").is_file());
    write(folder.path(), "yield.toml", &press("jam = \"yield\"\n"));
    call(folder.path(), &["run", "yield.toml", "--out", "yield", "--quiet"]).expect(0);
    let yielded = summary_of("yield");
    assert_eq!(yielded["ended"].as_str(), Some("duration"));
    assert!(yielded["jam_stops"].as_u64().is_some_and(|stops| stops > 50), "{}", yielded["jam_stops"]);
    // Measured 0.93 %.
    assert!(yielded["largest_overlap_thin"].as_f64().is_some_and(|x| x <= 0.01), "{}", yielded["largest_overlap_thin"]);
}

/// A ball that touches down within the first step changes the length of its steps there. Measured: 2e-16 of E* at the
/// start; with E* at the start counted back from the end of that step 3.3e-2.
#[test]
fn the_book_closes_from_the_start_of_a_first_step_that_is_divided() {
    let folder = folder();
    let scene = "[run]\nduration = 0.3\ntime_step = 0.01\n[materials.m]\ndensity = 2500.0\nrestitution = 0.9\nstatic_friction = 0.3\n\
                 [[body]]\nkind = \"static\"\nmaterial = \"m\"\nshape = { half-space = { normal = [0.0, 0.0, 1.0] } }\n\
                 position = [0.0, 0.0, 0.0]\n[[body]]\nmaterial = \"m\"\nshape = { sphere = { radius = 0.1 } }\n\
                 position = [0.0, 0.0, 0.105]\nvelocity = [0.0, 0.0, -2.0]\n[output]\npictures = \"none\"\nvtk = false\n";
    write(folder.path(), "ball.toml", scene);
    call(folder.path(), &["run", "ball.toml", "--quiet", "--out", "r"]).expect(0);
    expect_closed_book(&summary(&folder.path().join("r")));
}
