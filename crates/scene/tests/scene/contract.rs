//! The fixed part of the format: the scene in `contract/` must be accepted as it is written, and mean what it says.

use std::path::Path;

use granule_engine::Law;
use granule_model::{BodyKind, DVec3};
use granule_scene::Scene;

fn contract() -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/scene.toml");
    Scene::load(&path).expect("the fixed part of the format is accepted")
}

#[test]
fn every_value_arrives() {
    let scene = contract();
    assert_eq!(scene.name, "scene");
    assert_eq!(scene.settings.time_step, Some(0.001));
    assert_eq!(scene.settings.gravity, DVec3::new(0.0, 0.0, -9.8));
    assert!(!scene.settings.sleeping);
    assert_eq!(scene.settings.law, Law::default());
    let stages = scene.stages().expect("the scene says how long it runs");
    assert_eq!((stages.len(), stages[0].limit, stages[0].until_rest), (1, 2.0, false));

    let [ground, pebble, ball] = &scene.bodies[..] else { panic!("three bodies, not {}", scene.bodies.len()) };
    assert_eq!((ground.name.as_str(), ground.kind, ground.shape.name()), ("ground", BodyKind::Static, "half-space"));
    assert_eq!((pebble.name.as_str(), pebble.kind, pebble.shape.name()), ("", BodyKind::Dynamic, "sphere"));
    assert_eq!(pebble.pose.position, DVec3::new(0.0, 0.0, 0.5));
    assert_eq!(pebble.velocity.linear, DVec3::X);
    assert_eq!(pebble.mass, Some(1.4));
    assert_eq!(ball.shape.bounding_radius(), 0.1);

    // The rock, and the inline material of the ball.
    let [(rock, _), (inline, steel)] = &scene.materials[..] else { panic!("{:?}", scene.materials) };
    assert_eq!((rock.as_str(), inline.as_str()), ("rock", ""));
    assert_eq!((steel.density, steel.restitution, steel.static_friction), (7850.0, 1.0, 0.0));
    let [(a, b, pair)] = scene.pairs[..] else { panic!("{:?}", scene.pairs) };
    assert_eq!((a, b), (pebble.material, ground.material));
    assert_eq!((pair.restitution, pair.static_friction), (0.5, 0.5));
}

#[test]
fn it_becomes_a_simulation_that_steps() {
    let scene = contract();
    let mut built = scene.build().expect("the engine accepts the scene");
    assert_eq!(built.warnings, Vec::<String>::new());
    assert_eq!(built.ids.len(), 3);
    built.simulation.step().expect("the first step");
    let z = built.simulation.pose(built.ids[1]).expect("the pebble").position.z;
    // Free flight is exact from the first step on: z = h - g dt^2/2.
    assert!((z - (0.5 - 0.5 * 9.8 * 1e-6)).abs() <= 1e-15, "{z}");
}

#[test]
fn without_the_mesh_file_the_message_names_it_and_where_it_was_asked_for() {
    let text = contract().text().to_owned();
    let error = Scene::parse(&text, "scene.toml", Path::new("nowhere")).expect_err("there is no such folder");
    let line = 1 + text.lines().position(|l| l.contains("hill.stl\"")).expect("the scene has a mesh");
    assert_eq!(error.line_column().map(|(l, _)| l), Some(line), "{error}");
    assert!(error.to_string().contains("hill.stl"), "{error}");
}
