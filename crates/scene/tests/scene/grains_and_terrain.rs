//! Scenes with level sets, natural grains and terrain: what they build, and what is refused.

use std::fmt::Write as _;
use std::path::Path;

use granule_scene::{Scene, TriangleMesh};

/// The fixed part of the format, with a mesh and a raster beside it.
const FIXED: &str = r#"
[run]
duration = 1.0
time_step = 0.001

[damping]
linear = 0.0
angular = 0.0

[materials.rock]
density = 2650.0
restitution = 0.3
static_friction = 0.3

[shapes.grain]
level-set = { file = "grain.stl", spacing = 0.05, nodes = 500 }

[shapes.ball]
level-set = { of = { sphere.radius = 0.5 }, spacing = 0.05, nodes = 500 }

[shapes.stump]
cylinder = { radius = 0.4, length = 1.0 }

[shapes.valley]
terrain = { file = "valley.asc", as = "level-set" }

[[body]]
kind = "static"
shape = "valley"
material = "rock"
position = [0.0, 0.0, 0.0]

[[body]]
shape = "grain"
material = "rock"
position = [10.0, 10.0, 7.0]

[[body]]
shape = "ball"
material = "rock"
position = [12.0, 10.0, 7.0]

[[body]]
shape = "stump"
material = "rock"
position = [14.0, 10.0, 7.0]
"#;

/// A raster of 40 x 40 cells of half a metre, flat at 5 m but for waves of a few centimetres.
fn raster(hole: bool) -> String {
    let mut text = String::from("ncols 40\nnrows 40\nxllcorner 500\nyllcorner 100\ncellsize 0.5\nNODATA_value -9999\n");
    for j in 0..40_u32 {
        for i in 0..40_u32 {
            let height = 5.0 + 0.02 * f64::from((i * 7 + j * 3) % 5);
            let value = if hole && i == 3 && j == 36 { -9999.0 } else { height };
            write!(text, "{value} ").expect("a string takes all");
        }
        text.push('\n');
    }
    text
}

fn folder(hole: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let ellipsoid = granule_geometry::Shape::sphere(0.5).expect("valid").triangulate(32);
    let vertices = ellipsoid.vertices.iter().map(|v| *v * granule_model::DVec3::new(1.4, 1.0, 0.8)).collect();
    let mesh = TriangleMesh { vertices, triangles: ellipsoid.triangles };
    mesh.save(&folder.path().join("grain.stl")).expect("the folder can be written");
    std::fs::write(folder.path().join("valley.asc"), raster(hole)).expect("the folder can be written");
    folder
}

fn load(folder: &Path, text: &str) -> Result<Scene, String> {
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).expect("the folder can be written");
    Scene::load(&path).map_err(|error| error.to_string())
}

/// All kinds of shapes of the fixed part come to lie on the terrain, as level set and as height field.
#[test]
fn the_fixed_part_runs_on_both_kinds_of_ground() {
    let folder = folder(false);
    for kind in ["level-set", "height-field"] {
        let text = FIXED.replace(r#"as = "level-set""#, &format!("as = {kind:?}"));
        let mut built = load(folder.path(), &text).expect("the scene is valid").build().expect("it can be built");
        while built.simulation.time() < 1.5 {
            let report = built.simulation.step().expect("the run stays finite");
            // Measured 0.21 %.
            assert!(report.largest_overlap <= 0.01, "{kind}: {}", report.largest_overlap);
        }
        println!("{kind}: overlap {}", built.simulation.largest_overlap());
        let bodies = built.simulation.snapshot().bodies;
        for (body, half) in bodies[1..].iter().zip([0.4, 0.5, 0.5]) {
            let height = body.pose.position.z;
            assert!((5.0 + 0.7 * half..5.3 + half).contains(&height), "{kind}: {} at {height}", body.shape.name());
        }
    }
}

/// Grain i of a seed is the same in every fill; sizes keep within their distribution.
#[test]
fn grains_of_a_fill_come_from_their_seed() {
    let fill = |count: usize, extra: &str| {
        format!(
            "[run]\nduration = 1.0\n[materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.5\n[[fill]]\nmaterial = \"rock\"\ncount = {count}\n\
             seed = 7\ngrid = {{ size = [4.0, 4.0], pitch = 0.5, first_layer = 0.5 }}\n[fill.grains]\n{extra}"
        )
    };
    let folder = folder(false);
    let recipe = "rock = { faces = 12 }\ndiameter.uniform = { min = 0.1, max = 0.3 }\n";
    let masses = |text: &str| {
        let built = load(folder.path(), text).expect("the scene is valid").build().expect("it can be built");
        built.simulation.snapshot().bodies.iter().map(|body| body.mass).collect::<Vec<f64>>()
    };
    let (few, many) = (masses(&fill(5, recipe)), masses(&fill(40, recipe)));
    assert_eq!(few[..], many[..5]);
    let diameter = |mass: &f64| libm::cbrt(mass / 2650.0 * 6.0 / std::f64::consts::PI);
    assert!(many.iter().all(|mass| (0.0999..=0.3001).contains(&diameter(mass))), "{many:?}");
    let repeated = masses(&fill(40, &format!("{recipe}different = 4\n")));
    assert_eq!(repeated[..4], repeated[4..8]);
    let pebbles = "pebble = { angularity = 0.15 }\nsieve_size.grading.table = [[0.1, 0.0], [0.2, 60.0], [0.3, 100.0]]\n\
                   nodes = 100\ncells = 10\n";
    assert_eq!(masses(&fill(3, pebbles)).len(), 3);
}

/// Each mistake is told with the file, the line and what was expected.
#[test]
fn mistakes_are_told_with_their_place() {
    let whole = folder(false);
    for (from, to, told) in [
        (
            "spacing = 0.05, nodes = 500 }\n\n[shapes.ball]",
            "spacing = 5.0, nodes = 500 }\n\n[shapes.ball]",
            "needs a spacing of at most",
        ),
        ("file = \"grain.stl\"", "file = \"missing.stl\"", "missing.stl"),
        ("file = \"valley.asc\"", "file = \"nowhere.asc\"", "nowhere.asc"),
        ("as = \"level-set\"", "as = \"sand\"", "level-set"),
        (
            "nodes = 500 }\n\n[shapes.stump]",
            "nodes = 3 }\n\n[shapes.stump]",
            "`nodes` is 3, but must be a whole number from 12 to 65000",
        ),
        ("linear = 0.0", "linear = -1.0", "linear"),
        (
            "level-set = { of = { sphere.radius = 0.5 }",
            "level-set = { of = { half-space.normal = [0.0, 0.0, 1.0] }",
            "volume",
        ),
    ] {
        assert!(FIXED.contains(from), "{from}");
        let error = load(whole.path(), &FIXED.replace(from, to)).expect_err("it is wrong");
        assert!(error.contains(told) && error.contains("scene.toml:"), "{to}: {error}");
    }
}

/// A hole in a raster is an error that counts the cells, unless the scene asks for it to be filled.
#[test]
fn holes_are_filled_when_asked_for() {
    let torn = folder(true);
    let error = load(torn.path(), FIXED).expect_err("a cell is missing");
    assert!(error.contains("1 of 1600 cells") && error.contains("fill_missing"), "{error}");
    let asked = FIXED.replace("as = \"level-set\"", "as = \"level-set\", fill_missing = \"nearest\"");
    load(torn.path(), &asked).expect("the cell is filled");
}

/// Layers over a slope follow it: what is a layer lies the same height over the highest ground within its reach.
#[test]
fn a_fill_over_a_body_counts_heights_from_it() {
    let fill = |over: &str, corner: f64| {
        format!(
            "[run]\nduration = 1.0\n[materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.5\n\
             [[body]]\nname = \"ramp\"\nkind = \"static\"\nmaterial = \"rock\"\nposition = [0.0, 0.0, 0.0]\n\
             shape = {{ convex.vertices = [[0, 0, 0], [8, 0, 0], [0, 8, 0], [8, 8, 0], [0, 0, 4], [0, 8, 4]] }}\n\
             [[fill]]\nmaterial = \"rock\"\ncount = 18\nshape.sphere.radius = 0.5\n\
             grid = {{ over = \"{over}\", corner = [{corner:?}, 1.0], size = [4.0, 4.0], pitch = 1.5, first_layer = 0.75 }}\n"
        )
    };
    let folder = folder(false);
    let scene = load(folder.path(), &fill("ramp", 2.0)).expect("the scene is valid");
    for (i, ball) in scene.bodies[1..].iter().enumerate() {
        let p = ball.pose.position;
        // The ramp falls by one in two along x, from 4 m at x = 0.
        let expected = 4.0 - 0.5 * (p.x - 0.5) + 0.75 + 1.5 * (i / 9) as f64;
        assert!((p.z - expected).abs() <= 1e-12 * 8.0, "ball {i} at {p}, expected {expected}");
    }
    let unknown = load(folder.path(), &fill("ram", 2.0)).map(|_| ()).expect_err("no such body");
    assert!(unknown.contains("body before the fill") && unknown.contains("`ram`"), "{unknown}");
    let beside = load(folder.path(), &fill("ramp", 12.0)).map(|_| ()).expect_err("no ground there");
    assert!(beside.contains("is not over the body"), "{beside}");
}

/// A scene of one body of that shape.
fn one(shape: &str) -> String {
    format!(
        "[run]\nduration = 1.0\n[materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.5\n\
         [[body]]\nmaterial = \"rock\"\nposition = [0.0, 0.0, 0.0]\nkind = \"static\"\nshape = {shape}\n"
    )
}

/// What a key says without effect, what no grid can hold and what has a unit in it is refused with what would do.
#[test]
fn keys_of_grains_and_ground_are_refused_with_what_would_do() {
    let folder = folder(false);
    let lens = "superquadric = { aspect = [1.0, 0.2] }, diameter = 0.005";
    for (shape, words) in [
        (
            "{ terrain = { file = \"valley.asc\", band = 4 } }",
            vec!["`band` has no effect on a height field", "level-set"],
        ),
        ("{ terrain = { file = \"valley.asc\", spacing = 0.5 } }", vec!["`spacing` has no effect"]),
        ("{ grain = { rock = {}, diameter = 0.1, nodes = 500 } }", vec!["`nodes` has no effect on a rock"]),
        ("{ grain = { rock = {}, diameter = 0.1, cells = 20 } }", vec!["`cells` has no effect on a rock"]),
        (
            "{ grain = { pebble = {}, diameter = \"400 mm\" } }",
            vec!["`diameter` is a string, but must be a number above 0, in m, or a table", "without `mm`", "`uniform`"],
        ),
        ("{ sphere.radius = \"0.4\" }", vec!["`radius` is a string", "without quotes: all units are SI"]),
        ("{ grain = { pebble = {}, diameter = 1, nodes = 0 } }", vec!["`nodes` is 0", "from 12 to 65000"]),
        (
            "{ level-set = { of = { sphere.radius = 1 }, spacing = 0.1, nodes = 0 } }",
            vec!["`nodes` is 0", "12 to 65000"],
        ),
        (
            "{ level-set = { of = { sphere.radius = 0.5 }, spacing = 0.0005 } }",
            vec!["more than 1e8", "take a spacing of 0.00"],
        ),
        ("{ terrain.file = \"valey-flat\" }", vec!["unknown packaged terrain", "did you mean `valley-flat`?"]),
        ("{ terrain.file = \"moon\" }", vec!["known are `valley-flat`, `valley-slope`", ".asc, .tif or .tiff"]),
    ] {
        let error = load(folder.path(), &one(shape)).map(|_| ()).expect_err(shape);
        assert!(error.contains("scene.toml:11:"), "{shape}: no place in {error}");
        words.iter().for_each(|word| assert!(error.contains(word), "{shape}: `{word}` is not in {error}"));
    }
    // The number of cells that the message names is enough.
    let shape = |cells: &str| one(&format!("{{ grain = {{ {lens}, cells = {cells} }} }}"));
    let error = load(folder.path(), &shape("6")).map(|_| ()).expect_err("too thin");
    assert!(error.contains("too thin for a grid of 6 cells across the diameter of 5.000e-3 m"), "{error}");
    let cells = error.split("`cells = ").nth(1).and_then(|rest| rest.split('`').next()).expect("a number of cells");
    load(folder.path(), &shape(cells)).expect("as many cells as the message names");
    for shape in [
        "{ grain = { rock = {}, diameter = 0.1 } }",
        "{ terrain = { file = \"valley.asc\", as = \"level-set\", band = 4 } }",
    ] {
        load(folder.path(), &one(shape)).expect(shape);
    }
}

/// What a cut leaves of a log-normal distribution is told where it is next to nothing.
#[test]
fn a_cut_that_leaves_next_to_nothing_is_told() {
    let folder = folder(false);
    let warnings = |median: f64, by: &str| {
        let size = format!("log-normal = {{ median = {median:?}, sigma = 0.2, min = 0.1, max = 0.2, by = \"{by}\" }}");
        let text = one(&format!("{{ grain = {{ rock = {{}}, diameter.{size} }} }}"));
        load(folder.path(), &text).expect("valid").build().expect("valid").warnings
    };
    for by in ["number", "mass"] {
        assert_eq!(warnings(0.07, by), Vec::<String>::new(), "3.7 % are left");
        let found = warnings(0.06, by);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("`diameter` on line 11") && found[0].contains("only 5.3e-3 of its"), "{found:?}");
    }
}

/// A grid without room for the grains is refused before they are made.
#[test]
fn room_for_grains_is_looked_for_before_they_are_made() {
    let folder = folder(false);
    let fill = |size: f64, pattern: &str| {
        format!(
            "[run]\nduration = 1.0\n[materials.rock]\ndensity = 2650.0\nrestitution = 0.3\nstatic_friction = 0.5\n\
             [[fill]]\nmaterial = \"rock\"\ncount = 40\nseed = 7\n\
             grid = {{ size = [{size:?}, 4.0], {pattern}, first_layer = 0.5 }}\n\
             [fill.grains]\npebble = {{}}\ndiameter.uniform = {{ min = 0.1, max = 0.3 }}\nnodes = 2000\n"
        )
    };
    let time = |text: &str| {
        let start = std::time::Instant::now();
        (load(folder.path(), text).map(|_| ()), start.elapsed())
    };
    for pattern in ["pitch = 0.5", "pattern = \"graded\""] {
        let (made, long) = time(&fill(4.0, pattern));
        made.expect("there is room");
        let (refused, short) = time(&fill(0.2, pattern));
        println!("{pattern}: made in {long:?}, refused in {short:?}");
        assert!(refused.expect_err("no room").contains("has no room"), "{pattern}");
        assert!(3 * short < long, "{pattern}: refused in {short:?}, made in {long:?}");
    }
}

/// A form without a key of its own is the one that the description of the format names.
#[test]
fn the_defaults_of_forms_are_those_that_are_described() {
    let folder = folder(false);
    let mass = |form: &str| {
        let grain = format!("{{ grain = {{ {form}, sieve_size = 0.3, seed = 3 }} }}");
        let text = one(&grain).replace("kind = \"static\"\n", "");
        load(folder.path(), &text).expect(form).build().expect(form).simulation.snapshot().bodies[0].mass
    };
    for (short, long) in [
        ("pebble = {}", "pebble = { aspect = [0.8, 0.8], angularity = 0.15, roughness = 0.02, degree = 15 }"),
        ("superquadric = {}", "superquadric = { aspect = [1.0, 1.0], exponents = [1.0, 1.0] }"),
        ("rock = {}", "rock = { faces = 14, aspect = [0.75, 0.75], irregularity = 0.6 }"),
    ] {
        assert_eq!(mass(short), mass(long), "{short}");
        let text = include_str!("../../../../data/scenes/FORMAT.md");
        let described =
            text.split("<!-- grain.").find(|section| section.contains(&format!("`{}`:", &short[..short.len() - 5])));
        let described = described.expect("every form is described");
        for value in long.split(['{', '}']).nth(1).expect("keys").split(", ").filter(|part| part.contains('=')) {
            let number = value.split('=').nth(1).expect("a value").trim().trim_start_matches('[');
            assert!(described.contains(number), "{short}: the default {number} is not described");
        }
    }
}
