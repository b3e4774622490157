//! Warnings about a scene where they are told, and what the summary takes from the scene.

use serde_json::Value;

use crate::support::{call, folder, summary, write};

/// Balls that rain on a floor, with lines of `[run]`.
fn rain(run: &str) -> String {
    format!(
        "[run]\nduration = 0.5\n{run}\n[output]\nvtk = false\npictures = \"none\"\n\
         [materials.rock]\ndensity = 2.65\nrestitution = 0.3\nstatic_friction = 0.4\n\
         [[body]]\nkind = \"static\"\nshape = {{ half-space.normal = [0, 0, 1] }}\nmaterial = \"rock\"\nposition = [0, 0, 0]\n\
         [[fill]]\nshape = {{ sphere.radius = 0.1 }}\nmaterial = \"rock\"\ncount = 8\nseed = 5\njitter = 0.01\n\
         grid = {{ size = [1, 1], pitch = 0.3, first_layer = 0.2 }}\n"
    )
}

#[test]
fn warnings_stand_on_standard_error_in_the_summary_and_in_info() {
    let folder = folder();
    write(folder.path(), "a.toml", &rain(""));
    let told = "`density` of material `rock` is 2.65 kg/m3";
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    assert_eq!(ended.err.lines().filter(|line| line.starts_with("warning: ") && line.contains(told)).count(), 1);
    let summary = summary(&folder.path().join("results"));
    let listed = summary["warnings"].as_array().expect("a list");
    assert!(listed.len() == 1 && listed[0].as_str().is_some_and(|w| w.starts_with(told)), "{listed:?}");
    assert!(call(folder.path(), &["info", "a.toml"]).expect(0).err.contains(told));
    let facts: Value =
        serde_json::from_str(&call(folder.path(), &["info", "a.toml", "--json"]).expect(0).out).expect("JSON");
    assert_eq!(facts["warnings"], summary["warnings"]);
}

#[test]
fn info_promises_no_bound_that_a_long_step_may_break() {
    let folder = folder();
    for (step, unsure) in [("", false), ("time_step = 0.1", true)] {
        write(folder.path(), "a.toml", &rain(step));
        let ended = call(folder.path(), &["info", "a.toml"]).expect(0);
        assert_eq!(ended.out.contains("where dividing the steps suffices, up to"), unsure, "{}", ended.out);
    }
}

#[test]
fn friction_and_seed_are_those_of_the_scene_and_the_terminal_says_how_it_ended() {
    let folder = folder();
    write(folder.path(), "a.toml", &rain(""));
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    let summary = summary(&folder.path().join("results"));
    assert_eq!((summary["friction"].as_f64(), summary["seed"].as_u64()), (Some(0.4), Some(5)));
    for part in ["ended             at 0.500 s: duration", "coordination", "% of the radius, ", "% of the thickness"] {
        assert!(ended.out.contains(part), "`{part}` is missing:\n{}", ended.out);
    }
}

#[test]
fn what_an_angle_of_repose_is_not_measured_from_is_told() {
    let folder = folder();
    let told = |text: &str| {
        write(folder.path(), "a.toml", text);
        call(folder.path(), &["info", "a.toml"]).expect(0).err
    };
    let scene = rain("")
        .replace("density = 2.65\n", "density = 2650\n")
        .replace("[output]\n", "[measure.repose]\nsize = [2.0, 1.0]\n[output]\n");
    assert_eq!(told(&scene), "");
    let gravity = |g: &str| told(&scene.replace("duration = 0.5\n", &format!("duration = 0.5\ngravity = {g}\n")));
    assert!(gravity("[-1.7, 0, -9.65]").contains("`gravity` leans by 9.99"), "{}", gravity("[-1.7, 0, -9.65]"));
    assert!(gravity("[0, 0, 0]").contains("without gravity"));
    assert!(gravity("[0, 0, 9.81]").contains("upwards"));
    let ramp = told(&scene.replace("normal = [0, 0, 1]", "normal = [0.17364817766693033, 0, 0.984807753012208]"));
    assert!(ramp.contains("leans by 10 degrees"), "{ramp}");
    // A wall leans, too, and nothing is measured over it.
    let wall = "[[body]]\nkind = \"static\"\nshape = { half-space.normal = [1, 0, 0] }\nmaterial = \"rock\"\nposition = [-9, 0, 0]\n";
    assert_eq!(told(&(scene + wall)), "");
}

#[test]
fn a_core_of_a_few_grains_has_no_packing_fraction() {
    let folder = folder();
    let scene = |size: f64| {
        rain("")
            .replace("density = 2.65\n", "density = 2650\n")
            .replace("[output]\n", &format!("[measure.packing]\nsize = [{size}, {size}]\nheight = -0.2\n[output]\n"))
    };
    write(folder.path(), "a.toml", &scene(0.3));
    let ended = call(folder.path(), &["run", "a.toml", "--out", "a"]).expect(0);
    let summary = summary(&folder.path().join("a"));
    assert!(summary["packing_fraction"].is_null() && !ended.out.contains("packing"), "{}", ended.out);
    let told = summary["warnings"][0].as_str().unwrap_or_default();
    assert!(told.contains("its core is 0.300 by 0.300") && ended.err.contains(told), "{told}");
}

/// Pairs of materials and each end of the domain are told, in words and in numbers.
#[test]
fn info_tells_pairs_of_materials_and_the_ends_of_the_domain() {
    let folder = folder();
    let more = "[[pair]]\nmaterials = [\"rock\", \"rock\"]\nrestitution = 0.125\n\
                [domain]\nmin = [-2, -3, -1.5]\nmax = [4, 5, 600]\n";
    write(folder.path(), "a.toml", &(rain("") + more));
    let told = call(folder.path(), &["info", "a.toml"]).expect(0).out;
    for part in [
        "pairs of materials\n  rock and rock: restitution 0.125 (",
        "x -2 to 4 m, y -3 to 5 m, z -1.5 to 600 m (given)",
    ] {
        assert!(told.contains(part), "`{part}` is missing:\n{told}");
    }
    let facts = call(folder.path(), &["info", "a.toml", "--json"]).expect(0).out;
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    assert_eq!(facts["pairs"][0]["materials"], serde_json::json!(["rock", "rock"]));
    assert_eq!(facts["pairs"][0]["restitution"], 0.125);
    // Over ground that ends the domain is open against gravity.
    let ground = "shape = { terrain.file = \"valley-flat\" }";
    write(
        folder.path(),
        "b.toml",
        &rain("")
            .replace("shape = { half-space.normal = [0, 0, 1] }", ground)
            .replace("first_layer = 0.2", "corner = [60, 70], first_layer = 200"),
    );
    let told = call(folder.path(), &["info", "b.toml"]).expect(0).out;
    assert!(told.contains("z above -") && !told.contains("no end"), "{told}");
}

/// Grains whose nodes leave much between them are told wherever warnings are.
#[test]
fn rough_grains_with_few_nodes_are_told_by_run_summary_and_info() {
    let folder = folder();
    let grain = "grain = { pebble = { roughness = 0.2 }, diameter = 0.2, nodes = 500 }";
    let scene = rain("").replace("density = 2.65\n", "density = 2650\n").replace("sphere.radius = 0.1", grain);
    write(folder.path(), "a.toml", &scene.replace("duration = 0.5", "duration = 0.01"));
    let told = "warning: `roughness` 0.2 of the pebble on line";
    let ended = call(folder.path(), &["run", "a.toml", "--out", "results"]).expect(0);
    assert_eq!(ended.err.lines().filter(|line| line.starts_with(told)).count(), 1, "{}", ended.err);
    assert!(summary(&folder.path().join("results"))["warnings"].to_string().contains("`roughness` 0.2"));
    assert!(call(folder.path(), &["info", "a.toml"]).expect(0).err.contains(told));
}
