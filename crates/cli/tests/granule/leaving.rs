//! Bodies that leave the scene: exit codes, `ended` and `removed` in the summary, rows, frames and pictures.

use std::path::Path;

use serde_json::Value;

use crate::support::{call, expect_closed_book, folder, summary, write};

/// A table of ten edges by ten with a cube at rest and balls that roll over its edge one after the other; `unit` is the
/// edge of the cube \[m\]. `run` are lines of `[run]`, `more` further tables.
fn table(unit: f64, run: &str, more: &str, balls: usize) -> String {
    let mut text = format!(
        "[run]\n{run}\n{more}\n\
         [materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.4\n\
         [[body]]\nname = \"table\"\nkind = \"static\"\nmaterial = \"rock\"\n\
         shape = {{ cuboid.size = [{a:?}, {a:?}, {unit:?}] }}\nposition = [0.0, 0.0, {low:?}]\n\
         [[body]]\nname = \"cube\"\nmaterial = \"rock\"\nshape = {{ cuboid.size = [{unit:?}, {unit:?}, {unit:?}] }}\n\
         position = [0.0, {side:?}, {half:?}]\n",
        a = 10.0 * unit,
        low = -0.5 * unit,
        side = -3.0 * unit,
        half = 0.5 * unit,
    );
    let speed = libm::sqrt(9.8 * unit);
    for k in 0..balls {
        let (x, half) = ((4.0 - 1.5 * k as f64) * unit, 0.5 * unit);
        text.push_str(&format!(
            "[[body]]\nname = \"ball-{k}\"\nmaterial = \"rock\"\nshape = {{ sphere.radius = {half:?} }}\n\
             position = [{x:?}, 0.0, {half:?}]\nvelocity = [{speed:?}, 0.0, 0.0]\n"
        ));
    }
    text
}

const NOTHING: &str = "[output]\nvtk = false\npictures = \"none\"";

/// Time in which what begins at the edge is long gone and all else at rest \[s\].
fn patience(unit: f64) -> f64 {
    3.0 + 60.0 * libm::sqrt(unit / 9.8)
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The cells of a row of `final_state.csv`.
fn row(results: &Path, id: usize) -> Vec<String> {
    let state = std::fs::read_to_string(results.join("final_state.csv")).expect("a final state");
    state.lines().nth(id + 1).expect("a row for each body").split(',').map(str::to_owned).collect()
}

#[test]
fn a_scene_that_loses_a_body_ends_at_rest_and_names_it() {
    for unit in [1e-3, 1.0, 100.0] {
        let folder = folder();
        let run = format!("duration = {:?}\nuntil = \"rest\"", patience(unit));
        write(folder.path(), "a.toml", &table(unit, &run, NOTHING, 1));
        let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
        let line = ended.out.lines().find(|line| line.starts_with("left the scene")).expect("the ball is named");
        assert!(line.contains("`ball-0` at "), "{line}");
        let results = folder.path().join("results");
        let summary = summary(&results);
        assert_eq!((&summary["ended"], &summary["at_rest"]), (&Value::from("rest"), &Value::from(true)), "{summary}");
        assert_eq!((summary["bodies"].as_u64(), summary["bodies_lost"].as_u64()), (Some(3), Some(0)));
        assert!(summary["rms_speed"].as_f64().is_some_and(|v| v < 1e-3 * libm::sqrt(9.8 * unit)), "{summary}");
        let removed = summary["removed"].as_array().expect("a list");
        assert_eq!(
            (removed.len(), &removed[0]["id"], &removed[0]["name"]),
            (1, &Value::from(2), &Value::from("ball-0"))
        );
        let (position, velocity) = (numbers(&removed[0]["position"]), numbers(&removed[0]["velocity"]));
        assert!(position[2] < -15.0 * unit && position[2] > -17.5 * unit && velocity[2] < 0.0, "{summary}");
        assert!(removed[0]["time"].as_f64() < summary["simulated_seconds"].as_f64());
        let row = row(&results, 2);
        assert_eq!((row[2].as_str(), row[4].as_str()), ("removed", "0"));
        let cells: Vec<f64> = row[5..].iter().map(|x| x.parse().expect("a number")).collect();
        // A number of JSON is read to its last but one bit.
        let as_it_left = |cells: &[f64], told: &[f64]| {
            cells.iter().zip(told).all(|(x, y)| (x - y).abs() <= 2.0 * f64::EPSILON * y.abs())
        };
        assert!(as_it_left(&cells[..3], &position) && as_it_left(&cells[7..10], &velocity), "{row:?} {summary}");
        // The book closes with what the ball took along; measured 1e-15.
        expect_closed_book(&summary);
    }
}

#[test]
fn without_an_end_at_rest_the_duration_ends_it_and_many_are_counted() {
    let folder = folder();
    write(folder.path(), "a.toml", &table(1.0, "duration = 15.0", NOTHING, 5));
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    assert!(ended.out.contains("`ball-0` at ") && ended.out.contains(" and 2 more"), "{}", ended.out);
    let summary = summary(&folder.path().join("results"));
    assert_eq!((&summary["ended"], summary["removed"].as_array().map(Vec::len)), (&Value::from("duration"), Some(5)));
    let names: Vec<_> = summary["removed"].as_array().expect("a list").iter().map(|r| r["name"].clone()).collect();
    assert_eq!(names, ["ball-0", "ball-1", "ball-2", "ball-3", "ball-4"], "in the order in which they left");
}

#[test]
fn a_domain_removes_or_ends_the_run() {
    let domain = |leaving: &str| {
        format!("[domain]\nmin = [-20.0, -20.0, -3.0]\nmax = [20.0, 20.0, 20.0]\nleaving = \"{leaving}\"\n{NOTHING}")
    };
    let folder = folder();
    let run = "duration = 15.0\nuntil = \"rest\"";
    write(folder.path(), "a.toml", &table(1.0, run, &domain("remove"), 2));
    call(folder.path(), &["run", "a.toml", "--out", "removed", "--quiet"]).expect(0);
    let removing = summary(&folder.path().join("removed"));
    assert_eq!((&removing["ended"], removing["removed"].as_array().map(Vec::len)), (&Value::from("rest"), Some(2)));
    let first = &removing["removed"][0];
    assert!((-3.5..-3.0).contains(&numbers(&first["position"])[2]), "{first}");

    write(folder.path(), "b.toml", &table(1.0, run, &domain("error"), 2));
    let ended = call(folder.path(), &["run", "b.toml", "--out", "failed", "--quiet"]).expect(1);
    assert!(ended.err.contains("body `ball-0` left the domain: at "), "{}", ended.err);
    let results = folder.path().join("failed");
    let failed = summary(&results);
    assert_eq!((&failed["ended"], failed["removed"].as_array().map(Vec::len)), (&Value::from("error"), Some(0)));
    // The outputs are those of the step in which it left: the same as where it was taken out.
    assert_eq!(failed["simulated_seconds"], first["time"]);
    let row = row(&results, 2);
    let place: Vec<f64> = row[5..8].iter().map(|x| x.parse().expect("a number")).collect();
    assert_eq!((row[2].as_str(), place), ("dynamic", numbers(&first["position"])));
    let ledger = std::fs::read_to_string(results.join("energy.csv")).expect("a ledger");
    assert_eq!(ledger.lines().count() as u64, failed["steps"].as_u64().expect("a count") + 1);
}

/// A body that is removed by a stage keeps its row; it did not leave by itself.
#[test]
fn what_a_stage_removes_is_no_body_that_left() {
    let folder = folder();
    let stages = "[[stage]]\nlimit = 0.5\n[[stage]]\nremove = [\"cube\"]\nlimit = 0.5";
    let text = table(1.0, "", &format!("{NOTHING}\n{stages}"), 0);
    write(folder.path(), "a.toml", &text);
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    assert!(!ended.out.contains("left the scene"), "{}", ended.out);
    let results = folder.path().join("results");
    assert_eq!(summary(&results)["removed"].as_array().map(Vec::len), Some(0));
    assert_eq!(row(&results, 1)[2], "removed");
}

/// A stage may name a body that has left before: there is nothing to remove then.
#[test]
fn a_stage_may_remove_who_has_left_already() {
    let folder = folder();
    let stages = "[[stage]]\nlimit = 5.0\n[[stage]]\nremove = [\"ball-0\"]\nlimit = 0.5";
    write(folder.path(), "a.toml", &table(1.0, "", &format!("{NOTHING}\n{stages}"), 1));
    call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    let summary = summary(&folder.path().join("results"));
    assert_eq!((&summary["ended"], summary["removed"].as_array().map(Vec::len)), (&Value::from("duration"), Some(1)));
}

/// Frames of the ParaView series lose the ball with the step in which it left, and the picture of the end shows the
/// table as that of a run in which there was no ball: its step is given, so that the cube makes the same ones.
#[test]
fn files_show_who_is_there() {
    let folder = folder();
    let output = "[output]\nframes_per_second = 2.0";
    for (name, balls) in [("with", 1), ("without", 0)] {
        write(folder.path(), "a.toml", &table(1.0, "duration = 5.0\ntime_step = 0.01", output, balls));
        call(folder.path(), &["run", "a.toml", "--out", name, "--quiet"]).expect(0);
    }
    let file = |run: &str, name: &str| std::fs::read(folder.path().join(run).join(name)).expect("it is written");
    let points = |run: &str, frame: u32| {
        let bytes = file(run, &format!("bodies/frame_{frame:06}.vtp"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let from = text.find("NumberOfPoints=\"").expect("an attribute") + "NumberOfPoints=\"".len();
        text[from..].split('"').next().and_then(|n| n.parse::<u32>().ok()).expect("a number")
    };
    assert!(points("with", 0) > points("without", 0));
    assert_eq!(points("with", 10), points("without", 10));
    let looks_alike = |picture: &str| file("with", picture) == file("without", picture);
    assert!(!looks_alike("first.png") && looks_alike("final.png"), "same camera, same bodies, same light");
}

/// Bodies so heavy that their numbers overflow are nowhere, which is not outside of the domain.
#[test]
fn what_is_nowhere_has_not_left() {
    let folder = folder();
    let scene = "[run]\nduration = 2\n[law.rbss]\n[materials.steel]\ndensity = 1e308\nrestitution = 0.8\n\
                 static_friction = 0.3\n[domain]\nmin = [-1, -1, -0.5]\nmax = [1, 1, 1]\n[[body]]\nkind = \"driven\"\n\
                 shape = { cuboid = { size = [0.3, 0.3, 0.02] } }\nmaterial = \"steel\"\nposition = [0, 0, 0]\n\
                 motion.sine = { amplitude = [0.01, 0.0, 0.005], frequency = 12 }\n[[fill]]\n\
                 shape = { capsule = { radius = 0.01, length = 0.02 } }\nmaterial = \"steel\"\ncount = 36\n\
                 orientation = \"random\"\n\
                 grid = { corner = [-0.15, -0.15], size = [0.3, 0.3], pitch = 0.045, first_layer = 0.05 }\n\
                 [output]\nvtk = false\npictures = \"none\"\n";
    write(folder.path(), "a.toml", scene);
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(1);
    assert!(ended.err.contains("not finite"), "{}", ended.err);
    assert_eq!(summary(&folder.path().join("results"))["removed"].as_array().map(Vec::len), Some(0));
}

/// Ground that ends: `granule info` and the summary tell the domain that was chosen, and who left it.
#[test]
fn terrain_that_ends_has_a_domain_of_its_own() {
    let folder = folder();
    let row = "0.0 ".repeat(10);
    let raster = format!("ncols 10\nnrows 10\nxllcorner 0\nyllcorner 0\ncellsize 1\n{}", format!("{row}\n").repeat(10));
    write(folder.path(), "flat.asc", &raster);
    let text = format!(
        "[run]\nduration = 2.0\n{NOTHING}\n[materials.rock]\ndensity = 2650.0\nrestitution = 0.0\nstatic_friction = 0.5\n\
         [[body]]\nkind = \"static\"\nmaterial = \"rock\"\nposition = [0.0, 0.0, 0.0]\n\
         shape = {{ terrain = {{ file = \"flat.asc\" }} }}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"rock\"\nposition = [8.0, 5.0, 0.5]\nvelocity = [3.0, 0.0, 0.0]\n\
         shape.sphere.radius = 0.5\n"
    );
    write(folder.path(), "a.toml", &text);
    let told = call(folder.path(), &["info", "a.toml"]).expect(0).out;
    assert!(
        told.contains("domain x 0.5 to 9.5 m, y 0.5 to 9.5 m, z above -1.")
            && told.contains("(chosen, the ground ends)"),
        "{told}"
    );
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    for words in ["left the scene", "`ball` at ", "chosen, the ground ends"] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
    let summary = summary(&folder.path().join("results"));
    assert_eq!((summary["removed"].as_array().map(Vec::len), summary["bodies_lost"].as_u64()), (Some(1), Some(0)));
    let domain = &summary["domain"];
    assert_eq!(
        (&domain["chosen"], &domain["max"][2], domain["max"][0].as_f64()),
        (&true.into(), &Value::Null, Some(9.5))
    );
}
