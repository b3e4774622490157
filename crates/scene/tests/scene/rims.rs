//! Slow bodies tip and slide over the rim of ground, and fall: a rim is an edge, and neither holds nor throws them.

use std::fmt::Write as _;

use granule_engine::Simulation;
use granule_model::DQuat;
use granule_scene::{BuiltScene, Scene};

use crate::rocks_on_ground::{HEAD, raster, worst};

/// What leaves the ground is not taken out before it has fallen.
const DOMAIN: &str = "[domain]\nmin = [-10.0, -10.0, -4.0]\nmax = [40.0, 40.0, 40.0]\n";

/// The rim of the ground, at x and on both sides along y \[m\].
const RIM: f64 = 19.75;
/// Bodies side by side.
const BODIES: u32 = 8;
/// Radius of the sphere of equal volume \[m\].
const RADIUS: f64 = 0.3;

const GROUNDS: [&str; 3] = [
    "terrain = { file = \"ground.asc\", as = \"height-field\" }",
    "mesh.file = \"ground.obj\"",
    "terrain = { file = \"ground.asc\", as = \"level-set\" }",
];

fn shape(kind: &str, seed: u32) -> String {
    match kind {
        "pebble" => format!(
            "grain = {{ pebble = {{ aspect = [0.8, 0.7], angularity = 0.1 }}, diameter = 0.6, seed = {seed}, nodes = 800 }}"
        ),
        "superquadric" => format!(
            "grain = {{ superquadric = {{ aspect = [0.8, 0.7], exponents = [0.5, 0.5] }}, diameter = 0.6, seed = {seed}, nodes = 800 }}"
        ),
        "rock" => format!("grain = {{ rock = {{ aspect = [0.8, 0.7] }}, diameter = 0.6, seed = {seed} }}"),
        "cube" => "level-set = { of = { cuboid.size = [0.6, 0.5, 0.4] }, spacing = 0.03 }".to_owned(),
        "capsule" => "capsule = { radius = 0.2, length = 0.4 }".to_owned(),
        "sphere" => "sphere.radius = 0.3".to_owned(),
        _ => "cuboid.size = [0.6, 0.5, 0.4]".to_owned(),
    }
}

/// A folder with level ground as a raster and as a mesh.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(folder.path().join("ground.asc"), raster(|_, _| 0.0)).expect("written");
    let mesh = format!("v 0.25 0.25 0\nv {RIM} 0.25 0\nv {RIM} {RIM} 0\nv 0.25 {RIM} 0\nf 1 2 3\nf 1 3 4\n");
    std::fs::write(folder.path().join("ground.obj"), mesh).expect("written");
    folder
}

/// Bodies of one kind side by side, shortly before the rim.
fn built(folder: &std::path::Path, ground: &str, kind: &str, speed: f64) -> BuiltScene {
    let mut text = DOMAIN.to_owned()
        + &HEAD.replace("static_friction = 0.5", "static_friction = 0.2")
        + &format!("shape = {{ {ground} }}\n");
    for i in 0..BODIES {
        let shift = f64::from(i);
        let turn = DQuat::from_xyzw(0.3 * shift, 0.2 * shift - 0.5, 0.3 * (3.0 - shift), 0.9).normalize().to_array();
        let (x, y) = (RIM - 0.05 - 0.2 * speed * speed, 2.0 + 2.0 * shift);
        let _ = write!(
            text,
            "[[body]]\nmaterial = \"rock\"\nposition = [{x}, {y}, 0.46]\norientation = {turn:?}\n\
             velocity = [{speed}, 0.0, 0.0]\nangular_velocity = [0.0, {}, 0.0]\nshape = {{ {} }}\n",
            speed / RADIUS,
            shape(kind, i),
        );
    }
    let scene = Scene::parse(&text, "rim", folder).unwrap_or_else(|e| panic!("{e}"));
    scene.build().unwrap_or_else(|e| panic!("{e}"))
}

/// The largest overlap over the radius, and how many fell.
fn run(BuiltScene { mut simulation, .. }: BuiltScene) -> (f64, usize) {
    let goes_on = |s: &Simulation| s.time() < 3.0 && s.removed_bodies().len() < BODIES as usize;
    let worst = worst(&mut simulation, RADIUS, goes_on);
    (worst, simulation.removed_bodies().len())
}

/// What is told of the run of one kind on one ground.
fn name_of(ground: &str) -> &str {
    ["height-field", "level-set"].into_iter().find(|name| ground.contains(name)).unwrap_or("mesh")
}

/// Before distances ended at a wall below the rim, grains on height fields and meshes were told by their middle on
/// which side of the sheet they are, and hung there; on level-set ground no rim held a face, and it sank in.
#[test]
fn bodies_tip_over_the_rim_and_fall() {
    let folder = folder();
    for kind in ["pebble", "superquadric", "cube", "rock", "sphere", "cuboid", "capsule"] {
        for ground in GROUNDS {
            for speed in [0.3, 0.5, 1.0, 2.0] {
                let (worst, fell) = run(built(folder.path(), ground, kind, speed));
                let told = format!("{kind} on {}, {speed} m/s: {worst:.2e}", name_of(ground));
                println!("{told}");
                assert_eq!(fell, BODIES as usize, "{told}");
                // Measured: 8.4e-3.
                assert!(worst <= 0.01, "{told}");
            }
        }
    }
}
