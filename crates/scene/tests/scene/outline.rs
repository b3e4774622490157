//! Terrain that ends: the domain that is chosen for it, who leaves over its edge, and when none is chosen.

use std::path::Path;

use granule_scene::Scene;

/// Scale of length \[m\]: terrain of 20 x 10 units.
const UNITS: [f64; 3] = [1e-2, 1.0, 1e2];

/// A folder with level ground as a raster and as a mesh, both from 0.5 to 19.5 and 9.5 units.
fn folder(unit: f64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let row = "0.0 ".repeat(20);
    let raster =
        format!("ncols 20\nnrows 10\nxllcorner 0\nyllcorner 0\ncellsize {unit:?}\n{}", format!("{row}\n").repeat(10));
    std::fs::write(folder.path().join("flat.asc"), raster).expect("written");
    let (low, x, y) = (0.5 * unit, 19.5 * unit, 9.5 * unit);
    let mesh = format!("v {low} {low} 0\nv {x} {low} 0\nv {x} {y} 0\nv {low} {y} 0\nf 1 2 3\nf 1 3 4\n");
    std::fs::write(folder.path().join("flat.obj"), mesh).expect("written");
    folder
}

const GROUNDS: [&str; 3] = [
    "terrain = { file = \"flat.asc\" }",
    "terrain = { file = \"flat.asc\", as = \"level-set\" }",
    "mesh.file = \"flat.obj\"",
];

/// Ground with a ball that rolls to its end, and whatever `more` says; lengths in `more` are in metres.
fn scene(folder: &Path, ground: &str, unit: f64, more: &str) -> Scene {
    let text = format!(
        "[run]\nduration = 1.0\n{more}\n[materials.rock]\ndensity = 2650.0\nrestitution = 0.0\nstatic_friction = 0.5\n\
         [[body]]\nkind = \"static\"\nmaterial = \"rock\"\nposition = [0.0, 0.0, 0.0]\nshape = {{ {ground} }}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"rock\"\nposition = [{:?}, {:?}, {:?}]\nvelocity = [{:?}, 0.0, 0.0]\n\
         shape.sphere.radius = {:?}\n",
        17.0 * unit,
        5.0 * unit,
        0.5 * unit,
        (9.8 * unit).sqrt(),
        0.5 * unit
    );
    Scene::parse(&text, "a.toml", folder).unwrap_or_else(|e| panic!("{ground} {more}: {e}"))
}

#[test]
fn a_ball_that_rolls_off_the_end_is_removed_there() {
    for unit in UNITS {
        let folder = folder(unit);
        for ground in GROUNDS {
            let scene = scene(folder.path(), ground, unit, "");
            let domain = scene.settings.domain.expect("the ground ends");
            assert_eq!(scene.chosen_domain, Some(domain));
            // The box of the ground and of the ball: 19 x 9 x 1 units, and a tenth of its diagonal deeper.
            let deeper = 0.1 * f64::sqrt(19.0 * 19.0 + 9.0 * 9.0 + 1.0);
            let (low, high) = (domain.min / unit, domain.max / unit);
            let exact = granule_model::DVec3::new(0.5, 0.5, -deeper);
            assert!((low - exact).length() <= 1e-9 && high.z == f64::INFINITY, "{ground}: {low}");
            assert!(
                (high.truncate() - exact.truncate() - granule_model::DVec3::new(19.0, 9.0, 0.0).truncate()).length()
                    <= 1e-9
            );
            let mut built = scene.build().expect("it starts");
            let limit = 20.0 * (unit / 9.8).sqrt();
            while built.simulation.removed_bodies().is_empty() && built.simulation.time() < limit {
                built.simulation.step().expect("the run stays finite");
            }
            let [left] = built.simulation.removed_bodies() else { panic!("{unit} {ground}: the ball does not leave") };
            // Where its centre passed the edge, within a step: it had not begun to fall.
            let (x, z) = (left.position.x / unit - 19.5, left.position.z / unit);
            println!("{unit} {ground}: {x:.3} {z:.3}");
            // Measured 0.015 and 0.500.
            assert!((0.0..0.1).contains(&x) && (0.45..0.51).contains(&z), "{unit} {ground}: {x} {z}");
        }
    }
}

#[test]
fn a_given_domain_wins() {
    let folder = folder(1.0);
    let given = "[domain]\nmin = [-100.0, -100.0, -50.0]\nmax = [100.0, 100.0, 100.0]";
    for ground in GROUNDS {
        let scene = scene(folder.path(), ground, 1.0, given);
        let domain = scene.settings.domain.expect("it is given");
        assert_eq!((domain.min.x, domain.max.z, scene.chosen_domain), (-100.0, 100.0, None));
        let mut built = scene.build().expect("it starts");
        while built.simulation.removed_bodies().is_empty() && built.simulation.time() < 20.0 {
            built.simulation.step().expect("the run stays finite");
        }
        let [left] = built.simulation.removed_bodies() else { panic!("{ground}: the ball does not leave") };
        assert!(left.position.z < -50.0 && left.position.x > 20.0, "{}", left.position);
    }
}

#[test]
fn where_nothing_says_where_a_scene_ends_none_is_chosen() {
    let folder = folder(1.0);
    let body = |kind: &str, shape: &str, more: &str| {
        format!(
            "[[body]]\nkind = \"{kind}\"\nmaterial = {{ density = 1.0, restitution = 0.0, static_friction = 0.0 }}\n\
             shape = {{ {shape} }}\nposition = [5.0, 5.0, -20.0]\n{more}\n"
        )
    };
    let cuboid = "cuboid.size = [1.0, 1.0, 1.0]";
    for (more, reason) in [
        ("gravity = [0.0, 0.0, 0.0]".to_owned(), "no gravity"),
        (body("static", "half-space.normal = [0.0, 0.0, 1.0]", ""), "a half-space below"),
        (body("static", "container.size = [1.0, 1.0, 1.0]", ""), "a container"),
        (body("static", "drum = { radius = 100.0, length = 100.0 }", ""), "a drum around it"),
        (body("driven", cuboid, "velocity = [1.0, 0.0, 0.0]"), "a body that drives away"),
        (body("driven", cuboid, "motion.constant.velocity = [1.0, 0.0, 0.0]"), "a body that drives away"),
    ] {
        let scene = scene(folder.path(), GROUNDS[1], 1.0, &more);
        assert_eq!((scene.settings.domain, scene.chosen_domain), (None, None), "{reason}");
    }
    // No ground: what falls off a table falls below everything first.
    let table = scene(folder.path(), "cuboid.size = [19.0, 9.0, 1.0]", 1.0, "");
    assert_eq!(table.settings.domain, None);
}

#[test]
fn driven_bodies_count_with_their_ways_and_gravity_says_which_faces_are_closed() {
    let folder = folder(1.0);
    let body = |motion: &str| {
        format!(
            "[[body]]\nkind = \"driven\"\nmaterial = {{ density = 1.0, restitution = 0.0, static_friction = 0.0 }}\n\
             shape.cuboid.size = [2.0, 2.0, 2.0]\nposition = [18.0, 5.0, 4.0]\n{motion}\n"
        )
    };
    let domain = |more: &str| scene(folder.path(), GROUNDS[0], 1.0, more).settings.domain.expect("the ground ends");
    let shaken = domain(&body("motion.sine = { amplitude = [3.0, 0.0, 0.0], frequency = 1.0 }"));
    // 18 + 1 + 3.
    assert!((shaken.max.x - 22.0).abs() <= 1e-9, "{}", shaken.max);
    let turning = domain(&body("angular_velocity = [0.0, 0.0, 1.0]"));
    assert!((turning.max.x - 18.0 - 3f64.sqrt()).abs() <= 1e-9, "{}", turning.max);
    let tilted = domain("gravity = [3.0, 0.0, -9.0]");
    // A body that flies out towards negative x is pulled back.
    assert!(tilted.min.x == f64::NEG_INFINITY && tilted.max.x > 19.5 && tilted.max.x < 30.0, "{tilted:?}");
    assert!((tilted.min.y, tilted.max.y) == (0.5, 9.5) && tilted.max.z == f64::INFINITY, "{tilted:?}");
}

/// Cells without a height are an error unless they are to be filled, and then the scene says how many.
#[test]
fn filled_cells_are_counted_and_told() {
    let folder = folder(1.0);
    let row = "0.0 ".repeat(20);
    let hole = format!("0.0 -9999 -9999 {}", "0.0 ".repeat(17));
    let raster =
        format!("ncols 20\nnrows 10\nxllcorner 0\nyllcorner 0\ncellsize 1\n{}{hole}\n", format!("{row}\n").repeat(9));
    std::fs::write(folder.path().join("holes.asc"), raster).expect("written");
    for kind in ["height-field", "level-set"] {
        for method in ["nearest", "smooth"] {
            let ground = format!("terrain = {{ file = \"holes.asc\", as = \"{kind}\", fill_missing = \"{method}\" }}");
            let warnings = scene(folder.path(), &ground, 1.0, "").build().expect("it starts").warnings;
            let told = format!("the terrain `holes.asc`: 2 of 200 cells have no height and were filled ({method})");
            assert_eq!(warnings, [told]);
        }
        let whole = format!("terrain = {{ file = \"flat.asc\", as = \"{kind}\", fill_missing = \"smooth\" }}");
        assert!(scene(folder.path(), &whole, 1.0, "").build().expect("it starts").warnings.is_empty());
        let text = format!(
            "[materials.rock]\ndensity = 1.0\nrestitution = 0.0\nstatic_friction = 0.0\n[[body]]\nkind = \"static\"\n\
             material = \"rock\"\nposition = [0.0, 0.0, 0.0]\nshape = {{ terrain = {{ file = \"holes.asc\", as = \"{kind}\" }} }}\n"
        );
        let error = Scene::parse(&text, "a.toml", folder.path()).expect_err("holes").to_string();
        assert!(error.contains("2 of 200 cells have no height") && error.contains("fill_missing"), "{error}");
    }
}
