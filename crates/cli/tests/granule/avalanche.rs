//! Avalanches and mounds of a few cubes whose ways are known, from the scene to all files.

use std::path::Path;

use granule_scene::Raster;
use serde_json::Value;

use crate::support::{Ended, call, folder, summary, write};

/// Cubes of 1 m without friction on a floor, each at a place with a velocity along x, and what is measured.
fn scene(run: &str, cubes: &[(f64, f64)]) -> String {
    let mut text = format!(
        "[run]\ntime_step = 0.01\n{run}\n[output]\nvtk = false\npictures = \"none\"\nplots = true\nframes_per_second = 10\n\
         [materials.ice]\ndensity = 900.0\nrestitution = 0.0\nstatic_friction = 0.0\n\
         [measure.avalanche]\ndirection = [2.0, 0.0, 0.0]\ncell = 1.0\n[measure.mound]\n\
         [[body]]\nkind = \"static\"\nshape.half-space.normal = [0.0, 0.0, 1.0]\nmaterial = \"ice\"\nposition = [0.0, 0.0, 0.0]\n"
    );
    for (x, speed) in cubes {
        text.push_str(&format!(
            "[[body]]\nshape.cuboid.size = [1.0, 1.0, 1.0]\nmaterial = \"ice\"\nposition = [{x:?}, 0.5, 0.5]\n\
             velocity = [{speed:?}, 0.0, 0.0]\n"
        ));
    }
    text
}

fn run(folder: &Path, text: &str) -> (Ended, Value) {
    write(folder, "a.toml", text);
    let ended = call(folder, &["run", "a.toml", "--out", "a"]).expect(0);
    let found = summary(&folder.join("a"));
    (ended, found)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Ways over what is expected of them: the sink of a cube by its contact, 1e-3 of its size.
fn close(found: &Value, expected: f64) {
    assert!((number(found) - expected).abs() < 2e-3, "{found} instead of {expected}");
}

#[test]
fn a_cube_that_glides_runs_out_by_its_speed() {
    let folder = folder();
    let (ended, found) = run(folder.path(), &scene("duration = 1.0", &[(0.5, 2.0)]));
    let avalanche = &found["avalanche"];
    for key in ["farthest", "mass_95", "mass_50", "centre"] {
        close(&avalanche["runout"][key], 2.0);
    }
    // From the middle of the cube's top to the front of its lower side.
    close(&avalanche["fall"]["height"], 1.0);
    close(&avalanche["fall"]["length"], 2.5);
    close(&avalanche["fall"]["ratio"], 0.4);
    close(&avalanche["stopped"], 0.0);
    // From x = 2 to 3 and y = 0 to 1: one cell, round which the outline is a diamond.
    let deposit = &avalanche["deposit"];
    close(&deposit["volume"], 1.0);
    close(&deposit["largest_thickness"], 1.0);
    close(&deposit["largest_depth"], 1.0);
    assert_eq!(deposit["all"]["pieces"], 1);
    close(&found["mound"]["height"], 1.0);
    close(&found["mound"]["radius_95"], 0.0);
    assert!(found["mound"]["mean_slope_deg"].is_null());
    for label in ["runout", "H/L", "deposit", "mound"] {
        assert!(ended.out.lines().any(|line| line.starts_with(label)), "{}", ended.out);
    }

    let results = folder.path().join("a");
    let rows = std::fs::read_to_string(results.join("avalanche.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0][3], rows[0][4]), (11, "", ""));
    for row in &rows[1..] {
        close(&Value::from(row[3].parse::<f64>().expect("a speed")), 2.0);
    }
    for name in ["deposit.asc", "deposit_depth.asc"] {
        let raster = Raster::load(&results.join(name)).expect("a raster");
        assert!(raster.heights.iter().any(|h| (h - 1.0).abs() < 2e-3), "{name}: {:?}", raster.heights);
    }
    for name in ["mound.csv", "deposit_outline.csv", "avalanche.svg", "deposit.png", "energy_budget.svg"] {
        assert!(results.join(name).is_file(), "{name}");
    }
}

/// Who leaves is told by number and mass, and takes part neither in ways nor in the speed of the front.
#[test]
fn who_has_left_counts_for_nothing_but_himself() {
    let folder = folder();
    let text = scene("duration = 1.0", &[(0.5, 1.0), (3.5, 8.0)]);
    let domain = "[domain]\nmin = [-10.0, -10.0, -10.0]\nmax = [9.0, 10.0, 10.0]\n";
    let (_, found) = run(folder.path(), &format!("{text}{domain}"));
    let avalanche = &found["avalanche"];
    assert_eq!((&avalanche["bodies"], &avalanche["left_bodies"]), (&Value::from(1), &Value::from(1)));
    close(&avalanche["left_mass"], 900.0);
    close(&avalanche["runout"]["farthest"], 1.0);
    let rows = std::fs::read_to_string(folder.path().join("a/avalanche.csv")).expect("a table");
    let speeds = rows.lines().skip(2).map(|row| row.split(',').nth(3).expect("a column").to_owned());
    assert!(speeds.map(|v| v.parse::<f64>().expect("a speed")).all(|v| v > 0.9), "{rows}");
}

/// Without anybody at the end there is no number, but a reason for each that is missing, and nowhere a NaN.
#[test]
fn nobody_is_left_to_measure() {
    let folder = folder();
    let domain = "[domain]\nmin = [-10.0, -10.0, -10.0]\nmax = [3.0, 10.0, 10.0]\n";
    let (ended, found) = run(folder.path(), &format!("{}{domain}", scene("duration = 1.0", &[(0.5, 8.0)])));
    let avalanche = &found["avalanche"];
    assert!(["runout", "fall", "deposit", "stopped"].iter().all(|key| avalanche[key].is_null()), "{avalanche}");
    assert!(found["mound"].is_null());
    let warnings = found["warnings"].to_string();
    for what in ["no runout", "no deposit", "no mound"] {
        assert!(warnings.contains(what) && ended.err.contains(what), "{what}: {warnings}");
    }
    for name in ["summary.json", "avalanche.csv", "mound.csv"] {
        let text = std::fs::read_to_string(folder.path().join("a").join(name)).expect("a file");
        assert!(!text.contains("NaN"), "{name}: {text}");
    }
}

/// One cube of four glides on: by number the run never ends, by mass it does when the heavy one counts for the rest.
#[test]
fn rest_by_mass_ends_a_run_that_rest_by_number_does_not() {
    for (by, ended) in [("number", "duration"), ("mass", "rest")] {
        let folder = folder();
        let rest = format!("rest = {{ speed = 0.1, fraction = 0.9, by = \"{by}\", energy = 1.0 }}");
        let text = scene(&format!("duration = 1.0\nuntil = \"rest\"\n{rest}"), &[(0.5, 0.0), (5.5, 2.0)]);
        let heavy = text.replacen("velocity = [0.0, 0.0, 0.0]", "mass = 100000.0", 1);
        let (_, found) = run(folder.path(), &heavy);
        assert_eq!(found["ended"], ended, "{by}");
    }
}
