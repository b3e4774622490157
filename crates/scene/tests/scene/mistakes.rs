//! Every kind of mistake in a scene gives one message with its place, through the public way of reading scenes.

use std::path::Path;

use granule_scene::SceneErrorKind::{
    Conflict, Duplicate, Io, MeshFile, MissingKey, OutOfRange, Shape, Start, Syntax, UnknownKey, UnknownName, WrongType,
};
use granule_scene::{Scene, SceneError, SceneErrorKind};

/// A valid scene that the mistakes are put into, one replacement each.
const GOOD: &str = r#"[run]
duration = 2.0
gravity = [0.0, 0.0, -9.8]
[law.etm]
lambda = 30
[materials.rock]
density = 2650.0
restitution = 0.3
static_friction = 0.5
[[pair]]
materials = ["rock", "rock"]
restitution = 0.5
[shapes.pebble]
sphere.radius = 0.05
[shapes.gem]
convex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
[[body]]
name = "ground"
kind = "static"
shape = { half-space.normal = [0.0, 0.0, 1.0] }
material = "rock"
position = [0.0, 0.0, 0.0]
[[body]]
name = "ball"
shape = "pebble"
material = "rock"
position = [0.0, 0.0, 0.5]
orientation = [0.0, 0.0, 0.0, 1.0]
[[fill]]
shape = "pebble"
material = "rock"
count = 8
[fill.grid]
size = [1.0, 1.0]
pitch = 0.2
first_layer = 2.0
"#;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, "pile.toml", Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// The error of the good scene with `from` replaced, which must be of `kind`, name `words`, and point at `marked` in
/// the changed text.
#[track_caller]
fn mistake(from: &str, to: &str, kind: SceneErrorKind, marked: &str, words: &str) {
    assert!(GOOD.contains(from), "`{from}` is not in the scene");
    let text = GOOD.replacen(from, to, 1);
    let error = parse(&text).and_then(|s| s.build()).map(|_| ()).expect_err(to);
    let report = error.to_string();
    assert_eq!(error.kind(), kind, "{report}");
    assert!(report.contains(words), "`{words}` is not in\n{report}");
    let span = error.span().unwrap_or_else(|| panic!("no place in\n{report}"));
    assert_eq!(&text[span], marked, "{report}");
    let (line, column) = error.line_column().expect("an error with a span has a line");
    assert!(report.contains(&format!("pile.toml:{line}:{column}")), "{report}");
}

#[test]
fn the_scene_that_mistakes_are_put_into_is_good() {
    let built = parse(GOOD).and_then(|s| s.build()).expect("no mistake in it");
    assert_eq!((built.ids.len(), built.warnings.len()), (10, 0));
}

#[test]
fn text_that_is_not_toml() {
    mistake("[run]", "[run", Syntax, "", "not valid TOML");
    mistake("restitution = 0.3", "restitution = 0.3\nrestitution = 0.3", Syntax, "restitution", "duplicate key");
    mistake("density = 2650.0", "density = ", Syntax, "", "not valid TOML");
}

#[test]
fn unknown_keys_name_the_nearest() {
    mistake("static_friction", "static_fricton", UnknownKey, "static_fricton", "did you mean `static_friction`?");
    mistake("[run]", "[runn]\n[run]", UnknownKey, "runn", "did you mean `run`?");
    mistake("sphere.radius", "spere.radius", UnknownKey, "spere", "did you mean `sphere`?");
    mistake("sphere.radius", "sphere.diameter", UnknownKey, "diameter", "known keys are `radius`");
    mistake("etm", "emt", UnknownKey, "emt", "did you mean `etm`?");
    mistake("pitch", "spacing", UnknownKey, "spacing", "known keys are `corner`");
}

#[test]
fn numbers_out_of_their_range() {
    mistake("2650.0", "-2650.0", OutOfRange, "-2650.0", "`density` is -2650, but must be above 0");
    mistake("2650.0", "0", OutOfRange, "0", "`density`");
    mistake("0.3", "1.5", OutOfRange, "1.5", "`restitution` is 1.5, but must be from 0 to 1");
    mistake("0.5", "-0.5", OutOfRange, "-0.5", "`static_friction`");
    mistake("0.5\n[[pair", "0.5\ndynamic_friction = 0.6\n[[pair", OutOfRange, "0.6", "static friction of 0.5");
    mistake("lambda = 30", "lambda = 0", OutOfRange, "0", "`lambda`");
    mistake("duration = 2.0", "duration = 0", OutOfRange, "0", "`duration`");
    for (value, words) in [("0.0", "`resolved_speed` is 0, but must be above 0"), ("inf", "a finite number")] {
        let line = format!("duration = 2.0\nresolved_speed = {value}");
        mistake("duration = 2.0", &line, OutOfRange, value, words);
    }
    mistake("count = 8", "count = 99999999999999999999", OutOfRange, "99999999999999999999", "`count`");
    mistake("count = 8", "count = 9999999999", OutOfRange, "9999999999", "`count`");
    mistake(
        "name = \"ball\"",
        r#"name = "ba\nll""#,
        OutOfRange,
        r#""ba\nll""#,
        "`name` must have no control characters",
    );
    mistake("size = [1.0, 1.0]", "size = [1.0, 0.05]", OutOfRange, "[fill.grid]", "no room");
}

/// Numbers that are small are told with an exponent, ranges as the format tells them.
#[test]
fn messages_hold_no_rows_of_zeros() {
    let with = |line: &str| format!("duration = 2.0\n{line}");
    let share = "`tolerance` is -1e-300, but must be above 0, at most 1";
    mistake("duration = 2.0", &with("accuracy.tolerance = -1e-300"), OutOfRange, "-1e-300", share);
    let share = "`quantile` is 0, but must be above 0, at most 1";
    mistake("[run]", "[measure.packing]\nsize = [1.0, 1.0]\nquantile = 0.0\n[run]", OutOfRange, "0.0", share);
    mistake("2650.0", "-1e-300", OutOfRange, "-1e-300", "`density` is -1e-300");
    mistake("duration = 2.0", &with("time_step = 1e-320"), OutOfRange, "1e-320", "`time_step` is 1e-320, but must be");
}

/// Bodies without a name are called by their row, and shown by their line; what a fill makes is shown as a fill.
#[test]
fn a_refused_start_shows_where_both_bodies_come_from() {
    let into_ground = "position = [0.0, 0.0, -0.04]";
    mistake("position = [0.0, 0.0, 0.5]", into_ground, Start, "[[body]]", "`ground` is of the body on line 17");
    let unnamed = GOOD.replacen("name = \"ground\"\n", "", 1).replacen("first_layer = 2.0", "first_layer = -0.04", 1);
    let error = parse(&unnamed).and_then(|s| s.build()).map(|_| ()).expect_err("they overlap").to_string();
    for part in ["bodies number 0 (from 0) and number 2 (from 0) overlap", "this fill", "is of the body on line 17"] {
        assert!(error.contains(part), "`{part}` is not in\n{error}");
    }
}

#[test]
fn a_scene_without_bodies_is_refused() {
    let error = parse("[run]\nduration = 1.0\n").expect("it is a scene").build().map(|_| ()).expect_err("it is empty");
    assert_eq!(error.kind(), Start);
    assert_eq!(error.message(), "pile.toml: the scene has no bodies: no `[[body]]` and no `[[fill]]`");
}

#[test]
fn a_domain_without_inside_and_bodies_outside_of_it() {
    let domain = |rest: &str| format!("[law.etm]\nlambda = 30\n[domain]\n{rest}\n");
    let good = domain("min = [-9, -9, -9]\nmax = [9, 9, 9]");
    let text = GOOD.replacen("[law.etm]\nlambda = 30\n", &good, 1);
    parse(&text).and_then(|s| s.build()).expect("all are inside");
    let wrong = |rest: &str, kind, marked: &str, words: &str| {
        mistake("[law.etm]\nlambda = 30\n", &domain(rest), kind, marked, words);
    };
    let above = "`max` is [9, -9, 9], but must be above `min`";
    wrong("min = [-9, -9, -9]\nmax = [9, -9, 9]", OutOfRange, "[9, -9, 9]", above);
    wrong("min = [-9, -9, -9]", MissingKey, "[domain]", "`max` is missing");
    wrong("min = [-9, -9, -inf]\nmax = [9, 9, 9]", OutOfRange, "-inf", "finite");
    wrong("min = [-9, -9]\nmax = [9, 9, 9]", WrongType, "[-9, -9]", "must have 3");
    let unknown = "min = [-9, -9, -9]\nmax = [9, 9, 9]\nleaving = \"eror\"";
    wrong(unknown, UnknownName, "\"eror\"", "did you mean `error`?");
    // The ball at 0.5 m; that static ground reaches beyond is nobody's fault.
    let outside = GOOD.find("[[body]]\nname = \"ball\"").expect("the ball is there");
    let ball = &GOOD[outside..outside + "[[body]]".len()];
    wrong("min = [-9, -9, 0.6]\nmax = [9, 9, 9]", Start, ball, "body `ball`");
    wrong("min = [-9, -9, -9]\nmax = [9, 9, 1.9]", Start, "[[fill]]", "outside of the domain");
}

#[test]
fn nan_and_infinity_anywhere() {
    for bad in ["nan", "-nan", "inf", "-inf", "1e999"] {
        mistake("2650.0", bad, OutOfRange, bad, "finite");
        mistake("-9.8", bad, OutOfRange, bad, "finite");
        mistake("radius = 0.05", &format!("radius = {bad}"), OutOfRange, bad, "finite");
        mistake("[0.0, 0.0, 0.5]", &format!("[0.0, {bad}, 0.5]"), OutOfRange, bad, "finite");
        mistake("[0.0, 0.0, 0.0, 1.0]", &format!("[0.0, 0.0, 0.0, {bad}]"), OutOfRange, bad, "finite");
        mistake("[1, 0, 0]", &format!("[1, {bad}, 0]"), OutOfRange, bad, "finite");
        mistake("pitch = 0.2", &format!("pitch = [0.2, {bad}]"), OutOfRange, bad, "finite");
    }
}

#[test]
fn values_of_the_wrong_type() {
    mistake("2650.0", "\"heavy\"", WrongType, "\"heavy\"", "`density` is a string, but must be a number");
    mistake("[0.0, 0.0, 0.5]", "[0.0, 0.5]", WrongType, "[0.0, 0.5]", "has 2 numbers, but must have 3");
    mistake("[0.0, 0.0, 0.5]", "0.5", WrongType, "0.5", "must be an array of 3 numbers");
    mistake("lambda = 30", "lambda = 30.0", WrongType, "30.0", "whole number");
    mistake("shape = \"pebble\"", "shape = 7", WrongType, "7", "a table");
    mistake("\"static\"", "1979-05-27", WrongType, "1979-05-27", "a date");
    mistake("[\"rock\", \"rock\"]", "[\"rock\"]", WrongType, "[\"rock\"]", "two names");
    mistake("[run]\nduration = 2.0\n", "run = true\n[x]\n", UnknownKey, "x", "unknown key");
}

#[test]
fn keys_that_must_be_given() {
    mistake("density = 2650.0\n", "", MissingKey, "[materials.rock]", "`density` is missing");
    mistake("position = [0.0, 0.0, 0.5]\n", "", MissingKey, "[[body]]", "`position` is missing: a body needs it");
    mistake("count = 8\n", "", MissingKey, "[[fill]]", "or give `layers`");
    mistake("pitch = 0.2\n", "", MissingKey, "[fill.grid]", "`pitch`");
    mistake("sphere.radius = 0.05", "", MissingKey, "[shapes.pebble]", "one of `grain`");
    mistake("duration = 2.0", "until = \"rest\"", MissingKey, "\"rest\"", "`duration`");
}

#[test]
fn names_that_nothing_has() {
    mistake("material = \"rock\"", "material = \"rok\"", UnknownName, "\"rok\"", "did you mean `rock`?");
    mistake("shape = \"pebble\"", "shape = \"peble\"", UnknownName, "\"peble\"", "did you mean `pebble`?");
    mistake("shape = \"pebble\"", "shape = \"q\"", UnknownName, "\"q\"", "known are `pebble`, `gem`");
    mistake("[\"rock\", \"rock\"]", "[\"rock\", \"ice\"]", UnknownName, "\"ice\"", "material `ice`");
    mistake("\"static\"", "\"sttic\"", UnknownName, "\"sttic\"", "did you mean `static`?");
    mistake("material = \"rock\"", "material = \"\"", UnknownName, "\"\"", "unknown material");
    let stage = "\n[[stage]]\nlimit = 1\nremove = [\"bal\"]\n";
    let good = GOOD.replacen("duration = 2.0", "", 1) + stage;
    let error = parse(&good).expect_err("there is no such body");
    assert!(error.to_string().contains("did you mean `ball`?"), "{error}");
}

#[test]
fn names_given_twice() {
    mistake("\"ball\"", "\"ground\"", Duplicate, "[[body]]", "two bodies called `ground`");
    let pair = "[[pair]]\nmaterials = [\"rock\", \"rock\"]\n[shapes.pebble]";
    mistake("[shapes.pebble]", pair, Duplicate, "[\"rock\", \"rock\"]", "given twice");
    let text = GOOD.replacen("duration = 2.0", "", 1) + "[[stage]]\nlimit = 1\nremove = [\"ball\", \"ball\"]\n";
    assert_eq!(parse(&text).map(|_| ()).map_err(|e| e.kind()), Err(Duplicate));
    let text = GOOD.replacen("duration = 2.0", "", 1) + &"[[stage]]\nlimit = 1\nname = \"a\"\n".repeat(2);
    assert_eq!(parse(&text).map(|_| ()).map_err(|e| e.kind()), Err(Duplicate));
}

#[test]
fn laws_and_their_parameters() {
    for law in ["sqm", "smm", "qce", "qce-lcp", "rbss", "rbss-linear", "lcp", "gr", "lzb"] {
        let to = format!("[law.{law}]\nlambda = 30");
        mistake("[law.etm]\nlambda = 30", &to, UnknownKey, "lambda", "lambda");
    }
    mistake("[law.etm]", "[law.lzb]\n[law.etm]", Conflict, "etm", "either `lzb` or `etm`");
}

#[test]
fn values_that_exclude_each_other() {
    mistake("kind = \"static\"", "kind = \"static\"\nmass = 4.5", Conflict, "4.5", "only for dynamic bodies");
    mistake("kind = \"static\"", "kind = \"static\"\nvelocity = [1, 0, 0]", Conflict, "[1, 0, 0]", "must be zero");
    mistake("name = \"ball\"", "motion.constant = {}", Conflict, "motion", "only for driven bodies");
    mistake("kind = \"static\"", "", Conflict, "{ half-space.normal = [0.0, 0.0, 1.0] }", "has no finite volume");
    mistake("count = 8", "count = 8\nlayers = 2", Conflict, "2", "exclude each other");
    mistake("pitch = 0.2\n", "pitch = 0.2\npattern = \"graded\"\n", Conflict, "0.2", "sizes give distances");
    let graded = "pattern = \"graded\"\nlayer_height = 0.3\n";
    mistake("pitch = 0.2\n", graded, Conflict, "0.3", "`layer_height` and the pattern `graded` exclude each other");
    mistake("sphere.radius = 0.05", "sphere.radius = 0.05\ncross.edge = 1", Conflict, "cross", "`sphere` or `cross`");
    mistake("[[fill]]", "[[stage]]\nlimit = 1\n[[fill]]", Conflict, "2.0", "so does a stage");
    let both = "duration = 2.0\nresolved_speed = 0.05\ntime_step = 0.001";
    mistake(
        "duration = 2.0",
        both,
        Conflict,
        "0.05",
        "is for the step that the engine chooses, but `time_step` gives one",
    );
}

#[test]
fn shapes_that_cannot_be_built() {
    mistake("[0, 0, 1]]", "[1, 1, 0]]", Shape, "convex", "`gem` cannot be built: degenerate hull");
    mistake("[0.0, 0.0, 1.0] }", "[0.0, 0.0, 0.0] }", Shape, "half-space", "normal must not be zero");
    let parts = "compound.parts = [{ shape = \"gem\" }, { shape = \"pebble\" }]";
    mistake("sphere.radius = 0.05", parts, Shape, "\"pebble\"", "would contain itself");
    mistake("sphere.radius = 0.05", "compound.parts = []", Shape, "[]", "at least one part");
}

#[test]
fn a_chain_of_compounds_is_cut_before_it_explodes() {
    // Forty compounds of two of the next would have 2^40 parts.
    let double =
        |i: usize| format!("[shapes.s{i}]\ncompound.parts = [{{ shape = \"s{0}\" }}, {{ shape = \"s{0}\" }}]\n", i + 1);
    let chain: String = (0..40).map(double).collect();
    let error = parse(&format!("{chain}[shapes.s40]\nsphere.radius = 1\n")).expect_err("too deep");
    assert!(error.message().contains("deep"), "{error}");
    let chain: String = (20..40).map(double).collect();
    let error = parse(&format!("{chain}[shapes.s40]\nsphere.radius = 1\n")).expect_err("too many parts");
    assert!(error.message().contains("parts"), "{error}");
}

/// What would be refused by the engine, at no place or at that of the whole body.
#[test]
fn vectors_of_which_squares_are_infinite() {
    mistake("[0.0, 0.0, 0.5]", "[0.0, 2e12, 0.5]", OutOfRange, "2e12", "from -1e12 to 1e12");
    mistake("gravity = [0.0, 0.0, -9.8]", "gravity = [0.0, 0.0, -1e200]", OutOfRange, "-1e200", "from -1e100 to 1e100");
}

#[test]
fn a_quaternion_that_is_no_rotation() {
    let help = "with unit length it would be [0.0, 0.0, 0.7071067811865475, 0.7071067811865475]";
    let text = "[0.0, 0.0, 1.0, 1.0]";
    mistake("[0.0, 0.0, 0.0, 1.0]", text, OutOfRange, text, help);
    mistake("[0.0, 0.0, 0.0, 1.0]", "[0, 0, 0, 0]", OutOfRange, "[0, 0, 0, 0]", "length 0");
}

#[test]
fn open_and_unreadable_meshes() {
    let open = "shape = { mesh.file = \"tests/contract/hill.stl\" }";
    mistake("shape = \"pebble\"", open, Shape, &open[8..], "a body of an open mesh must be static or driven");
    let missing = "shape = { mesh.file = \"no.stl\" }";
    mistake("shape = \"pebble\"", missing, MeshFile, "\"no.stl\"", "cannot be read");
    let no_mesh = "shape = { mesh.file = \"Cargo.toml\" }";
    mistake("shape = \"pebble\"", no_mesh, MeshFile, "\"Cargo.toml\"", ".stl and .obj");

    let folder = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(folder.path().join("a.stl"), "solid\nfacet\nouter loop\nvertex 0 0\n").expect("can be written");
    let text = GOOD.replacen("sphere.radius = 0.05", "mesh.file = \"a.stl\"", 1);
    let error = Scene::parse(&text, "pile.toml", folder.path()).expect_err("the mesh is broken");
    assert!(error.message().contains("a.stl`: line 4: the coordinate z"), "{error}");
}

#[test]
fn a_mesh_whose_triangles_contradict_each_other() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 4 3\n";
    std::fs::write(folder.path().join("a.obj"), obj).expect("can be written");
    let text = GOOD.replacen("half-space.normal = [0.0, 0.0, 1.0]", "mesh.file = \"a.obj\"", 1);
    let error = Scene::parse(&text, "pile.toml", folder.path()).expect_err("one triangle is turned over");
    assert_eq!(error.kind(), Shape);
    assert!(error.message().contains("a.obj`") && error.message().contains("triangles 0 and 1"), "{error}");
    assert_eq!(error.span().map(|span| &text[span]), Some("\"a.obj\""), "{error}");
}

#[test]
fn bodies_inside_each_other() {
    let inside = GOOD.replacen("[0.0, 0.0, 0.5]", "[0.0, 0.0, 0.02]", 1);
    let error = parse(&inside).and_then(|s| s.build()).map(|_| ()).expect_err("60 % of the radius");
    let report = error.to_string();
    assert_eq!(error.kind(), Start);
    assert!(report.contains("`ground`") && report.contains("`ball`") && report.contains("pile.toml:23"), "{report}");
    let shallow = GOOD.replacen("[0.0, 0.0, 0.5]", "[0.0, 0.0, 0.04]", 1);
    let warnings = parse(&shallow).and_then(|s| s.build()).expect("20 % can be mended").warnings;
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("`ball`") && warnings[0].contains("20.0 %"), "{warnings:?}");
}

#[test]
fn files_that_cannot_be_read() {
    let error = Scene::load(Path::new("no/such/scene.toml")).expect_err("there is none");
    assert_eq!(error.kind(), Io);
    assert!(error.to_string().contains("no/such/scene.toml"), "{error}");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("bytes.toml");
    std::fs::write(&path, b"[run]\n# \xff\n").expect("can be written");
    let error = Scene::load(&path).expect_err("not text");
    assert!(error.message().contains("bytes.toml:2:"), "{error}");
    assert_eq!(granule_scene::packaged("repose-sphere").map(|_| ()).map_err(|e| e.kind()), Err(UnknownName));
}

#[test]
fn packaged_scenes_of_like_names_are_named_with_all_that_there_are() {
    for (given, near) in
        [("repose-sphere", "did you mean `repose-spheres`?"), ("pour", "did you mean `pour-spheres-100`?")]
    {
        let error = granule_scene::packaged(given).map(|_| ()).expect_err(given);
        let help = error.help_lines().join("\n");
        assert!(help.contains(near) && help.contains("known are `avalanche-flat`, `bounce`"), "{help}");
    }
}
