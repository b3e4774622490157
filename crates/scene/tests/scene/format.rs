//! What the format says beyond its fixed part, read back from scenes.

use std::path::Path;

use granule_engine::{Domain, Integrator, Leaving, Motion};
use granule_measure::{Fall, LongSide};
use granule_model::{BodyKind, DVec3};
use granule_scene::{PictureColour, Pictures, Scene};

const HEAD: &str = "[materials.rock]\ndensity = 2650\nrestitution = 0.3\nstatic_friction = 0.5\n";

fn parse(text: &str) -> Scene {
    Scene::parse(&format!("{HEAD}{text}"), "test.toml", Path::new("")).expect("a valid scene")
}

#[test]
fn run_drag_measure_and_output() {
    let scene = parse(
        "[run]\nduration = 3\nuntil = \"rest\"\nintegrator = \"rk4\"\nrest = { speed = 0.02, hold = 1 }
[drag]\nviscosity = 1e-3\ndensity = 1000\ndrag_coefficient = 0.44
[measure.repose]\ncorner = [1, 2]\nsize = [3, 8]\ndirection = \"-y\"\ncells = 20
[measure.packing]\nsize = [3, 3]\ninset = 0.5
[output]\nenergy_every = 10\nvtk = false\npictures = \"none\"\ncolour = \"start-height\"\nrelief = false\n",
    );
    assert!(scene.settings.sleeping, "the default");
    assert_eq!(scene.settings.resolved_speed, None, "the default");
    let asked = parse("[run]\nresolved_speed = 0.05\ntime_step = \"auto\"\n");
    assert_eq!((asked.settings.resolved_speed, asked.settings.time_step), (Some(0.05), None));
    assert_eq!(scene.settings.integrator, Integrator::RungeKutta4);
    assert_eq!((scene.rest.speed, scene.rest.hold, scene.rest.fraction), (0.02, 1.0, 0.99));
    assert_eq!((scene.settings.drag.viscosity, scene.settings.drag.density), (1e-3, 1000.0));
    let stage = &scene.stages().expect("one stage")[0];
    assert_eq!((stage.limit, stage.until_rest), (3.0, true));
    let repose = scene.measure.repose.expect("the angle is measured");
    assert_eq!((repose.floor.min, repose.floor.max), ([1.0, 2.0], [4.0, 10.0]));
    assert_eq!((repose.long_side, repose.fall), (LongSide::Y, Fall::Negative));
    assert_eq!((repose.strips, repose.cells_per_strip), (8, 20));
    assert_eq!(scene.measure.packing.map(|p| (p.inset, p.quantile)), Some((0.5, 0.8)));
    assert_eq!((scene.output.energy_every, scene.output.pictures), (10, Pictures::None));
    assert_eq!((scene.output.colour, scene.output.relief), (PictureColour::StartHeight, Some(false)));
    assert_eq!((parse("").output.colour, parse("").output.relief), (PictureColour::Body, None));
    assert!(!scene.output.writes_vtk(1) && parse("").output.writes_vtk(10_000) && !parse("").output.writes_vtk(10_001));
}

#[test]
fn avalanche_mound_and_rest_by_mass() {
    let scene = parse(
        "[run]\nrest = { speed = 0.1, fraction = 0.95, by = \"mass\", energy = 1 }
[measure.avalanche]\ndirection = [3, 4, 0]\ncell = 2\n[measure.mound]\nheight = -1\n",
    );
    assert!(scene.rest.by_mass && !parse("").rest.by_mass);
    let avalanche = scene.measure.avalanche.expect("an avalanche is measured");
    assert!((avalanche.direction[0] - 0.6).abs() < 1e-15 && (avalanche.direction[1] - 0.8).abs() < 1e-15);
    assert_eq!((avalanche.cell, avalanche.speed, avalanche.outline), (Some(2.0), 0.1, None));
    let mound = scene.measure.mound.expect("a mound is measured");
    assert_eq!((mound.centre, mound.height), (None, Some(-1.0)));
    for direction in ["[0, 0, 0]", "[0, 0, -1]", "[1, 0, 0.1]", "[0, 0]"] {
        let text = format!("{HEAD}[measure.avalanche]\ndirection = {direction}\n");
        let error = Scene::parse(&text, "test.toml", Path::new("")).map(|s| s.measure).expect_err(direction);
        assert!(error.message().contains("direction"), "{error}");
    }
    // However short it is.
    let tiny = parse("[measure.avalanche]\ndirection = [0, -1e-300, 0]\n").measure.avalanche.expect("measured");
    assert_eq!(tiny.direction, [0.0, -1.0]);
}

#[test]
fn a_domain_takes_bodies_out_unless_it_says_otherwise() {
    assert_eq!(parse("").settings.domain, None);
    let text = "[domain]\nmin = [-1, -2, -3]\nmax = [4, 5, 6.5]\n";
    let (min, max) = (DVec3::new(-1.0, -2.0, -3.0), DVec3::new(4.0, 5.0, 6.5));
    for (leaving, line) in
        [(Leaving::Remove, ""), (Leaving::Remove, "leaving = \"remove\""), (Leaving::Error, "leaving = \"error\"")]
    {
        assert_eq!(parse(&format!("{text}{line}\n")).settings.domain, Some(Domain { min, max, leaving }));
    }
}

#[test]
fn a_scene_without_duration_is_read_but_has_no_stages() {
    let error = parse("[run]\ntime_step = 0.1\n").stages().map(<[_]>::len).expect_err("no duration");
    assert_eq!(error.line_column(), Some((5, 1)), "{error}");
}

#[test]
fn stages_remove_bodies_in_their_order() {
    let scene = parse(
        "[[body]]\nname = \"wall\"\nkind = \"static\"\nshape = { half-space.normal = [1, 0, 0] }\nmaterial = \"rock\"
position = [0, 0, 0]\n[[stage]]\nuntil = \"rest\"\nlimit = 60
[[stage]]\nname = \"release\"\nremove = [\"wall\"]\nlimit = 20\nmin_duration = 8\n",
    );
    let stages = scene.stages().expect("two stages");
    assert_eq!((stages[0].name.as_str(), stages[0].until_rest), ("stage-1", true));
    assert_eq!((stages[1].name.as_str(), stages[1].until_rest, stages[1].min_duration), ("release", false, 8.0));
    let built = scene.build().expect("valid");
    assert_eq!(built.ids_of(&scene, &stages[1].remove), [built.ids[0]]);
}

#[test]
fn driven_bodies_move_as_they_say() {
    let body = |rest: &str| {
        let text = format!(
            "[[body]]\nkind = \"driven\"\nshape = {{ sphere.radius = 1 }}\nmaterial = \"rock\"\nposition = [0, 0, 0]\n{rest}"
        );
        parse(&text).bodies.remove(0)
    };
    assert_eq!(body("").kind, BodyKind::Driven);
    let sine = body("motion.sine = { amplitude = [0, 0, 0.1], frequency = 25 }\n").motion;
    assert!(
        matches!(sine, Some(Motion::Sine { amplitude, frequency: 25.0, phase: 0.0 }) if amplitude.z == 0.1),
        "{sine:?}"
    );
    let turning = body("motion.constant.angular_velocity = [0, 1, 0]\n").motion;
    assert!(matches!(turning, Some(Motion::Constant(v)) if v.angular == DVec3::Y), "{turning:?}");
}

#[test]
fn compounds_are_made_of_named_and_inline_parts() {
    let scene = parse(
        "[shapes.dumbbell]\ncompound.parts = [{ shape = \"ball\", position = [1, 0, 0] },
{ shape = { sphere.radius = 0.5 }, position = [-1, 0, 0] }]\n[shapes.ball]\nsphere.radius = 0.5
[[body]]\nshape = \"dumbbell\"\nmaterial = \"rock\"\nposition = [0, 0, 0]\n",
    );
    let shape = &scene.bodies[0].shape;
    assert_eq!((shape.name(), shape.bounding_radius()), ("compound", 1.5));
    let ball_volume = std::f64::consts::PI / 6.0;
    let volume = shape.mass_properties(1.0).expect("a solid").volume;
    assert!((volume / (2.0 * ball_volume) - 1.0).abs() <= 1e-14, "{volume}");
}

/// A tetrahedron from a file falls as a solid and stands as a surface; its volume is 1/6.
#[test]
fn a_mesh_is_a_solid_for_dynamic_bodies_and_a_surface_for_others() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    std::fs::write(folder.path().join("gem.obj"), obj).expect("a file can be written");
    let text = format!(
        "{HEAD}[shapes.gem]\nmesh.file = \"gem.obj\"
[[body]]\nshape = \"gem\"\nmaterial = \"rock\"\nposition = [0, 0, 5]
[[body]]\nkind = \"static\"\nshape = \"gem\"\nmaterial = \"rock\"\nposition = [0, 0, 0]
[[body]]\nkind = \"static\"\nshape = {{ closed-mesh.file = \"gem.obj\" }}\nmaterial = \"rock\"\nposition = [9, 0, 0]\n"
    );
    let scene = Scene::parse(&text, "gem.toml", folder.path()).expect("a valid scene");
    let names: Vec<_> = scene.bodies.iter().map(|b| b.shape.name()).collect();
    assert_eq!(names, ["closed-mesh", "mesh", "closed-mesh"]);
    let volume = scene.bodies[0].shape.mass_properties(1.0).expect("a solid").volume;
    assert!((volume * 6.0 - 1.0).abs() <= 1e-14, "{volume}");
    scene.build().expect("the engine accepts all three");
}

/// Bodies and fills take their numbers in the order of the file, and a fill puts centres of mass on its places.
#[test]
fn fills_come_in_the_order_of_the_file() {
    let fill = "[[fill]]\nname = \"g\"\nshape = \"wedge\"\nmaterial = \"rock\"\nlayers = 2\norientation = \"random\"
seed = 3\ngrid = { size = [9, 9], pitch = 4, first_layer = 3 }\n";
    let ball = "[[body]]\nname = \"NAME\"\nshape = { sphere.radius = 1 }\nmaterial = \"rock\"\nposition = [50, 0, 0]\n";
    let wedge = "[shapes.wedge]\nconvex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n";
    let scene = parse(&[wedge, &ball.replace("NAME", "first"), fill, &ball.replace("NAME", "last")].concat());
    let names: Vec<_> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!((names[0], names[1], names[names.len() - 1]), ("first", "g-1", "last"));
    assert_eq!(scene.bodies.len(), 2 + 2 * 4);
    let body = &scene.bodies[1];
    let center = body.pose.transform_point(DVec3::splat(0.25));
    assert!((center - DVec3::new(2.5, 2.5, 3.0)).length() <= 1e-14 * 10.0, "{center}");
    assert_ne!(scene.bodies[1].pose.rotation, scene.bodies[2].pose.rotation);
}

#[test]
fn a_quaternion_that_was_printed_short_is_made_a_unit_one() {
    let scene = parse(
        "[[body]]\nshape = { sphere.radius = 1 }\nmaterial = \"rock\"\nposition = [0, 0, 0]
orientation = [0.0, 0.258819, 0.0, 0.965926]\n",
    );
    let length = scene.bodies[0].pose.rotation.length();
    assert!((length - 1.0).abs() <= 2.0 * f64::EPSILON, "{length}");
}
