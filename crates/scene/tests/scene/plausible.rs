//! Warnings about implausible scenes, at both sides of each limit.

use std::path::Path;

use granule_scene::Scene;

/// A ball above a floor, with the given lines in `[run]`, of the material, of the ball, and further tables.
fn text(run: &str, material: &str, ball: &str, more: &str) -> String {
    let material = if material.is_empty() { "density = 2650\nstatic_friction = 0.5" } else { material };
    let ball = if ball.is_empty() { "shape = { sphere.radius = 0.1 }\nposition = [0, 0, 1]" } else { ball };
    let run = if run.contains("duration") { run.to_owned() } else { format!("duration = 1\n{run}") };
    format!(
        "[run]\n{run}\n[materials.rock]\n{material}\nrestitution = 0.3\n\
         [[body]]\nname = \"floor\"\nkind = \"static\"\nshape = {{ half-space.normal = [0, 0, 1] }}\nmaterial = \"rock\"\n\
         position = [0, 0, 0]\n[[body]]\nname = \"ball\"\nmaterial = \"rock\"\n{ball}\n{more}\n"
    )
}

fn warnings(text: &str) -> Vec<String> {
    let scene = Scene::parse(text, "test.toml", Path::new("")).expect("a valid scene");
    scene.build().unwrap_or_else(|e| panic!("{e}")).warnings
}

/// The one warning of a scene, which has all of `parts`.
fn one(text: &str, parts: &[&str]) {
    let found = warnings(text);
    assert_eq!(found.len(), 1, "{found:?}");
    parts.iter().for_each(|part| assert!(found[0].contains(part), "`{part}` is not in: {}", found[0]));
}

fn none(text: &str) {
    assert_eq!(warnings(text), Vec::<String>::new());
}

#[test]
fn densities_out_of_their_range_are_told_and_grams_recognised() {
    let material = |density: &str| text("", &format!("density = {density}\nstatic_friction = 0.5"), "", "");
    one(&material("2.65"), &["`density` of material `rock` is 2.65 kg/m3", "10 to 25000 kg/m3", "g/cm3", "2650"]);
    one(&material("9.99"), &["9.99 kg/m3"]);
    one(&material("25100"), &["25100 kg/m3, usual are 10 to 25000 kg/m3"]);
    assert!(!warnings(&material("0.1"))[0].contains("g/cm3"), "too light for grams");
    for usual in ["10", "25000"] {
        none(&material(usual));
    }
    // A density that gives no body its mass has no effect.
    let air = "[materials.air]\ndensity = 1.2\nrestitution = 0.3\nstatic_friction = 0.5\n\
               [[body]]\nkind = \"static\"\nmaterial = \"air\"\nposition = [9, 0, 0]\nshape = { sphere.radius = 0.1 }";
    none(&text("", "", "", air));
}

#[test]
fn inline_materials_make_one_line_that_counts_them() {
    let ball = |i: usize| {
        format!(
            "[[body]]\nshape = {{ sphere.radius = 0.1 }}\nposition = [{i}, 5, 1]\n\
             material = {{ density = {i}, restitution = 0.3, static_friction = 0.1 }}\n"
        )
    };
    one(&text("", "", "", &(1..6).map(ball).collect::<String>()), &["an inline material", "4 more inline materials"]);
}

#[test]
fn frictions_above_two_are_told_by_key() {
    let material = |more: &str| text("", &format!("density = 2650\n{more}"), "", "");
    one(&material("static_friction = 2.1"), &["`static_friction` of material `rock` is 2.1, usual are 0 to 2"]);
    one(&material("static_friction = 0.5\nrolling_friction = 3"), &["`rolling_friction` of material `rock` is 3"]);
    none(&material("static_friction = 2\nrolling_friction = 2\ntorsional_friction = 2"));
    let pair =
        |mu: f64| text("", "", "", &format!("[[pair]]\nmaterials = [\"rock\", \"rock\"]\nstatic_friction = {mu}"));
    one(&pair(2.5), &["`static_friction` of the pair of `rock` and `rock` is 2.5"]);
    none(&pair(2.0));
}

#[test]
fn speeds_above_a_thousand_are_told_and_counted_by_shape() {
    let ball =
        |more: &str| text("", "", &format!("shape = {{ sphere.radius = 0.1 }}\nposition = [0, 0, 1]\n{more}"), "");
    one(&ball("velocity = [1001, 0, 0]"), &["`velocity` of body `ball` makes 1001 m/s, usual are 0 to 1000 m/s"]);
    one(&ball("angular_velocity = [0, 0, 10100]"), &["`angular_velocity` of body `ball` makes 1010 m/s"]);
    none(&ball("velocity = [1000, 0, 0]\nangular_velocity = [0, 0, 9999]"));
    let fill = "[[fill]]\nname = \"shot\"\nshape = { sphere.radius = 0.1 }\nmaterial = \"rock\"\ncount = 9\n\
                velocity = [0, 0, -5000]\ngrid = { size = [2, 2], corner = [3, 3], pitch = 0.5, first_layer = 1 }";
    one(&text("", "", "", fill), &["`shot-1` makes 5000 m/s", "8 more bodies of its shape"]);
}

#[test]
fn fast_motions_of_driven_bodies_are_told() {
    let wall = |motion: &str| {
        let wall =
            "[[body]]\nname = \"wall\"\nkind = \"driven\"\nshape = { cuboid.size = [1, 1, 1] }\nmaterial = \"rock\"";
        text("", "", "", &format!("{wall}\nposition = [50, 0, 0.5]\nmotion.{motion}"))
    };
    one(&wall("constant.velocity = [1100, 0, 0]"), &["`motion` of body `wall` makes 1100 m/s"]);
    none(&wall("constant.velocity = [1000, 0, 0]"));
    // 2 pi f A: 1005 and 942 m/s.
    one(&wall("sine = { amplitude = [0, 1, 0], frequency = 160 }"), &["`motion` of body `wall` makes 1005 m/s"]);
    none(&wall("sine = { amplitude = [0, 1, 0], frequency = 150 }"));
}

#[test]
fn gravity_above_a_thousand_is_told() {
    one(&text("gravity = [0, 0, -1001]", "", "", ""), &["`gravity` is 1001 m/s2, usual are 0 to 1000 m/s2"]);
    none(&text("gravity = [0, 0, -1000]", "", "", ""));
}

#[test]
fn dynamic_bodies_of_very_different_sizes_are_told_by_name() {
    let dust = |radius: &str| {
        let dust = "[[body]]\nname = \"dust\"\nmaterial = \"rock\"\nposition = [0, 0, 3]";
        text("", "", "", &format!("{dust}\nshape = {{ sphere.radius = {radius} }}"))
    };
    one(
        &dust("0.99e-4"),
        &["`shape` of body `dust`", "9.9e-5 m", "body `ball` one of 0.1 m", "usual are up to 1000 : 1"],
    );
    none(&dust("1.01e-4"));
    // A floor of any size counts for nothing.
    none(&text("", "", "shape = { sphere.radius = 1e-3 }\nposition = [0, 0, 1e-2]", ""));
}

/// The step that the engine chooses for the ball \[s\].
fn rule() -> f64 {
    let scene = Scene::parse(&text("", "", "", ""), "test.toml", Path::new("")).expect("a valid scene");
    scene.build().expect("a sound scene").simulation.time_step()
}

#[test]
fn given_steps_are_held_against_the_rule() {
    let step = |share: f64| text(&format!("time_step = {:e}", share * rule()), "", "", "");
    one(&step(3.1), &["`time_step` is", "by the engine's rule, or at most", "% of the radius are to be expected"]);
    one(&step(0.9e-3), &["`time_step` is", "or at least", "the run takes up to"]);
    none(&step(2.9));
    none(&step(1.1e-3));
    // Where nothing moves there is no rule to hold it against.
    none(&text("gravity = [0, 0, 0]\ntime_step = 10", "", "", ""));
}

#[test]
fn runs_that_take_for_ever_are_told() {
    let steps = |count: f64| text(&format!("duration = {:e}\ntime_step = 1e-3", count * 1e-3), "", "", "");
    one(&steps(1.01e9), &["1.01e9 steps of 0.001 s", "usual are up to 1e9"]);
    none(&steps(0.99e9));
    let still =
        |duration: &str| text(&format!("duration = {duration}\ngravity = [0, 0, 0]\ntime_step = 1"), "", "", "");
    one(&still("1.1e7"), &["is 1.1e7 s, usual are up to 1e7 s"]);
    none(&still("1e7"));
    // Both at once make one sentence, and so do the stages of a run.
    one(&text("duration = 1e8", "", "", ""), &["1e8 s", "steps of"]);
}

#[test]
fn overlaps_at_the_start_make_one_sentence_by_the_deepest() {
    let ball = |name: &str, x: f64, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"rock\"\nshape = {{ sphere.radius = 0.1 }}\nposition = [{x}, 3, {z}]\n"
        )
    };
    let inside = |z: f64| text("", "", &format!("shape = {{ sphere.radius = 0.1 }}\nposition = [0, 0, {z}]"), "");
    one(&inside(0.097), &["`floor`", "`ball`", "overlap at the start by 0.003 m, 3.0 % of the smaller radius"]);
    none(&inside(0.0995));
    let row: String = (0..5).map(|i| ball(&format!("b{i}"), 0.19 * f64::from(i), 0.1)).collect();
    let deep = ball("deep", 5.0, 0.08);
    one(&text("", "", "", &(row + &deep)), &["`floor` and `deep`", "20.0 %", "4 more pairs overlap less"]);
}

/// Few nodes and rough forms leave much of a grain standing out between nodes; the defaults do not.
#[test]
fn grains_whose_nodes_leave_much_between_them_are_told() {
    let pebble = |roughness: f64, nodes: u32| {
        let grain = format!("pebble = {{ roughness = {roughness:?} }}, diameter = 0.2, nodes = {nodes}");
        text("", "", &format!("shape = {{ grain = {{ {grain} }} }}\nposition = [0, 0, 1]"), "")
    };
    for nodes in [12, 50, 150] {
        one(&pebble(0.02, nodes), &["`nodes` of body `ball` leave", "usual are up to 6 %: give more `nodes`"]);
    }
    for (roughness, nodes) in [(0.2, 500), (0.15, 500), (0.2, 1000)] {
        one(
            &pebble(roughness, nodes),
            &["of the pebble on line 17", "% of the radius between its", "less `roughness`"],
        );
    }
    for (roughness, nodes) in [(0.0, 300), (0.02, 500), (0.04, 500), (0.2, 4000)] {
        none(&pebble(roughness, nodes));
    }
    // A box has its nodes on edges and corners, and what is flat has nothing between them.
    none(&text(
        "",
        "",
        "shape = { level-set = { of = { cuboid.size = [1, 1, 1] }, spacing = 0.05, nodes = 30 } }\nposition = [0, 0, 1]",
        "",
    ));
}
