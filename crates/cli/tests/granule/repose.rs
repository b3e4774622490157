//! The angle of repose of what is no slope: nothing that looks like one is told anywhere.

use crate::support::{Ended, call, folder, summary, write};
use serde_json::Value;

/// Grains of 1 m on a floor of 12 by 4 m at level `floor`, with a wall that leaves after a first stage.
fn scene(grains: &[[f64; 3]], floor: f64) -> String {
    let mut text = format!(
        "[run]\ntime_step = 0.01\n[output]\nvtk = false\npictures = \"none\"\nplots = true\n\
         [materials.rock]\ndensity = 2650.0\nrestitution = 0.0\nstatic_friction = 0.9\n\
         [[stage]]\nname = \"settle\"\nlimit = 0.3\n\
         [[stage]]\nname = \"release\"\nremove = [\"wall\"]\nlimit = 0.3\n\
         [measure.repose]\nsize = [12.0, 4.0]\nstrips = 4\n\
         [[body]]\nname = \"floor\"\nkind = \"static\"\nshape = {{ half-space.normal = [0.0, 0.0, 1.0] }}\nmaterial = \"rock\"\n\
         position = [0.0, 0.0, {floor:?}]\n\
         [[body]]\nname = \"wall\"\nkind = \"static\"\nshape = {{ half-space.normal = [-1.0, 0.0, 0.0] }}\nmaterial = \"rock\"\n\
         position = [6.0, 0.0, 0.0]\n"
    );
    for [x, y, z] in grains {
        text.push_str(&format!(
            "[[body]]\nshape.cuboid.size = [1.0, 1.0, 1.0]\nmaterial = \"rock\"\nposition = [{x:?}, {y:?}, {:?}]\n",
            z + floor
        ));
    }
    text
}

fn run(text: &str) -> (Ended, Value, String) {
    let folder = folder();
    write(folder.path(), "a.toml", text);
    let ended = call(folder.path(), &["run", "a.toml"]).expect(0);
    let plot = std::fs::read_to_string(folder.path().join("out/a/profile.svg")).expect("a profile");
    let summary = summary(&folder.path().join("out/a"));
    (ended, summary, plot)
}

/// Asserts that terminal, summary and plot tell the verdict and no angle but `tang_2014`.
fn expect_no_angle((ended, summary, plot): &(Ended, Value, String), verdict: &str) {
    let repose = &summary["repose"];
    assert_eq!(repose["verdict"].as_str(), Some(verdict), "{repose}");
    for key in ["angle_deg", "standard_error_deg", "r2", "toe_to_crest_deg"] {
        assert!(repose.get(key).is_some_and(Value::is_null), "{key} in {repose}");
        let strips = repose["strips"].as_array().expect("strips");
        assert!(strips.iter().all(|s| key == "toe_to_crest_deg" || s.get(key).is_some_and(Value::is_null)), "{repose}");
    }
    assert!(summary["angle_of_repose_deg"].is_null());
    let line = ended.out.lines().find(|l| l.starts_with("angle of repose")).expect("a line on the angle");
    assert!(line.contains(&format!("none, verdict {verdict}")), "{line}");
    let before_tang = line.split("tang_2014").next().expect("a part");
    assert!(!before_tang.contains("degrees"), "{line}");
    assert!(plot.contains(verdict) && plot.contains("no angle") && !plot.contains('\u{b0}'), "{verdict}");
}

#[test]
fn one_grain_has_no_angle_on_the_terminal_nor_in_files() {
    let kept = |z: f64| scene(&[[3.0, 2.0, z]], 0.0).replace("remove = [\"wall\"]\n", "");
    // As it falls, and where it lies: nothing is taken away, so that it is the cells that are too few.
    expect_no_angle(&run(&kept(9.5)), "flowing");
    expect_no_angle(&run(&kept(0.5)), "few-cells");
    expect_no_angle(&run(&scene(&[[3.0, 2.0, 0.5]], 0.0)), "not-flowed");
}

#[test]
fn a_wall_of_cubes_that_stands_is_a_cliff_on_a_floor_of_any_level() {
    // Six layers on half of the floor: 4 by 4 by 6 cubes at touch, and the measure that leaves bare floor out finds it
    // level.
    let mut grains = Vec::new();
    for i in 0..96 {
        let (x, y, z) = (i % 4, (i / 4) % 4, i / 16);
        grains.push([f64::from(x) + 1.5, f64::from(y) + 0.5, f64::from(z) + 0.5]);
    }
    for floor in [0.0, 40.0] {
        let found = run(&scene(&grains, floor).replace("remove = [\"wall\"]\n", ""));
        expect_no_angle(&found, "cliff");
        let repose = &found.1["repose"];
        let step = repose["largest_step_diameters"].as_f64().expect("a number");
        // Six metres in diameters of the sphere of a cube's volume, 1.2407 m; the cubes have settled by a thousandth.
        assert!((step - 6.0 / 1.2407).abs() < 0.01, "{step}");
        assert!(repose["tang_2014"]["mean"].as_f64().is_some_and(|a| a.abs() < 1.0), "{repose}");
    }
    expect_no_angle(&run(&scene(&grains, 0.0)), "not-flowed");
}

/// A face of four cubes over a bed of one layer is no slope: the fall is one step.
#[test]
fn a_face_above_a_bed_is_a_cliff() {
    let mut grains = Vec::new();
    for x in 0..12 {
        for (y, z) in (0..4).flat_map(|y| (0..if x < 6 { 5 } else { 1 }).map(move |z| (y, z))) {
            grains.push([f64::from(x) + 0.5, f64::from(y) + 0.5, f64::from(z) + 0.5]);
        }
    }
    let text = scene(&grains, 0.0).replace("remove = [\"wall\"]\n", "").replace("[6.0, 0.0, 0.0]", "[14.0, 0.0, 0.0]");
    expect_no_angle(&run(&text), "cliff");
}

/// Ten columns of cubes, one cube lower each: 45 degrees.
fn stairs(floor: f64) -> String {
    let mut grains = Vec::new();
    for x in 0..10 {
        for (y, z) in (0..4).flat_map(|y| (0..10 - x).map(move |z| (y, z))) {
            grains.push([f64::from(x) + 0.5, f64::from(y) + 0.5, f64::from(z) + 0.5]);
        }
    }
    scene(&grains, floor).replace("remove = [\"wall\"]\n", "").replace("[6.0, 0.0, 0.0]", "[14.0, 0.0, 0.0]")
}

#[test]
fn the_floor_may_be_a_body_of_any_height() {
    for (level, roof) in [
        (10.0, ""),
        (
            -3.0,
            "[[body]]\nname = \"roof\"\nkind = \"static\"\nmaterial = \"rock\"\nposition = [6.0, 2.0, 20.0]\nshape.cuboid.size = [9.0, 9.0, 1.0]\n",
        ),
    ] {
        let plane = format!(
            "shape = {{ half-space.normal = [0.0, 0.0, 1.0] }}\nmaterial = \"rock\"\nposition = [0.0, 0.0, {level:?}]"
        );
        let slab = format!(
            "shape = {{ cuboid.size = [40.0, 40.0, 2.0] }}\nmaterial = \"rock\"\nposition = [0.0, 0.0, {:?}]",
            level - 1.0
        );
        let text = stairs(level).replace(&plane, &slab) + roof;
        assert!(text.contains(&slab));
        let (_, summary, _) = run(&text);
        assert_eq!(summary["repose"]["verdict"].as_str(), Some("slope"), "{level}: {}", summary["repose"]);
    }
}

/// What has flowed since a wall was taken away has flowed, also when something is taken away afterwards.
#[test]
fn a_later_removal_does_not_make_the_flow_undone() {
    // Stairs behind a wall that holds nothing yet: two columns move beyond its place by themselves, pushed from behind.
    let mut grains = Vec::new();
    for (y, z) in (0..4).flat_map(|y| (0..3).map(move |z| (y, z))) {
        grains.push([2.5, f64::from(y) + 0.5, f64::from(z) + 0.5]);
    }
    let text = scene(&grains, 0.0).replace("[6.0, 0.0, 0.0]", "[4.0, 0.0, 0.0]");
    let pushed = text.replace("shape.cuboid", "velocity = [6.0, 0.0, 0.0]\nshape.cuboid");
    let later = "[[stage]]\nname = \"later\"\nremove = [\"post\"]\nlimit = 2.0\n[measure.repose]";
    let post = "[[body]]\nname = \"post\"\nkind = \"static\"\nmaterial = \"rock\"\nposition = [6.0, 2.0, 50.0]\nshape.cuboid.size = [1.0, 1.0, 1.0]\n";
    let pushed =
        pushed.replace("limit = 0.3\n[[stage]]\nname = \"release\"", "limit = 0.02\n[[stage]]\nname = \"release\"");
    let (_, summary, _) = run(&(pushed.replace("[measure.repose]", later) + post));
    assert_ne!(summary["repose"]["verdict"].as_str(), Some("not-flowed"), "{}", summary["repose"]);
    // Negative control: what was not pushed has not flowed.
    let (_, summary, _) = run(&(text.replace("[measure.repose]", later) + post));
    assert_eq!(summary["repose"]["verdict"].as_str(), Some("not-flowed"), "{}", summary["repose"]);
}

#[test]
fn stairs_of_cubes_have_the_angle_of_stairs() {
    // Measured over cells of 1.24 m within the scatter of stairs.
    let text = stairs(0.0);
    let (ended, summary, plot) = run(&text);
    let repose = &summary["repose"];
    assert_eq!(repose["verdict"].as_str(), Some("slope"), "{repose}");
    let angle = repose["angle_deg"].as_f64().expect("an angle");
    assert!((angle - 45.0).abs() < 3.0, "{repose}");
    let number = |key: &str| repose[key].as_f64().unwrap_or_else(|| panic!("{key} in {repose}"));
    assert!(number("r2") > 0.95 && number("crest_m") < number("toe_m") && number("standard_error_deg") < 2.0);
    assert_eq!(summary["angle_of_repose_deg"], repose["tang_2014"]);
    assert!(ended.out.contains(&format!("{angle:.2} +- ")) && plot.contains(&format!("{angle:.1}\u{b0}")));
    // A scene that measures none has none.
    let none = text.replace("[measure.repose]\nsize = [12.0, 4.0]\nstrips = 4\n", "");
    let folder = folder();
    write(folder.path(), "b.toml", &none);
    let ended = call(folder.path(), &["run", "b.toml"]).expect(0);
    let summary = crate::support::summary(&folder.path().join("out/b"));
    assert!(summary["repose"].is_null() && !ended.out.contains("angle of repose"));
}
