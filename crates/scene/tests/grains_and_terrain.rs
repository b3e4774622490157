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
            "thinner than the spacing",
        ),
        ("file = \"grain.stl\"", "file = \"missing.stl\"", "missing.stl"),
        ("file = \"valley.asc\"", "file = \"nowhere.asc\"", "nowhere.asc"),
        ("as = \"level-set\"", "as = \"sand\"", "level-set"),
        ("nodes = 500 }\n\n[shapes.stump]", "nodes = 3 }\n\n[shapes.stump]", "3 surface nodes"),
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
