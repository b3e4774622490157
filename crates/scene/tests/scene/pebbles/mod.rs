//! Eight pebbles as those of the packaged avalanche and mound.

use granule_scene::Scene;

const SCENE: &str = r#"
[run]
gravity = [0.0, 0.0, -9.81]

[materials.rock]
density = 2650.0
restitution = 0.3
static_friction = 0.5

[[fill]]
material = "rock"
count = 8
seed = 3

[fill.grains]
pebble = { aspect = [0.8, 0.75], angularity = 0.2, roughness = 0.04 }
diameter = DIAMETER
nodes = NODES

[fill.grid]
size = [10.0, 10.0]
pitch = 4.0
first_layer = 3.0

[[stage]]
name = "run"
limit = 1.0
"#;

/// A scene of eight pebbles of these diameters, as a scene file has it \[m\], and nodes.
pub(crate) fn pebbles(diameter: &str, nodes: u32) -> Scene {
    let text = SCENE.replace("DIAMETER", diameter).replace("NODES", &nodes.to_string());
    Scene::parse(&text, "pebbles.toml", std::path::Path::new(".")).unwrap_or_else(|e| panic!("{e}"))
}
