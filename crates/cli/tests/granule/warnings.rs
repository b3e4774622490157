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
