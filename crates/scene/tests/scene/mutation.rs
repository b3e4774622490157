//! No text makes the reader panic: valid scenes with a few bytes changed are read or refused with a report.

use std::path::Path;

use proptest::prelude::*;

use granule_scene::Scene;

/// Has every table of the format, and numbers so short that three more digits ask for no large memory.
const SCENE: &str = r#"title = "ä"
[run]
gravity = [0, 0.0, -9.8]
integrator = "rk4"
rest.hold = 0.5
[law.etm]
lambda = 30
[drag]
viscosity = 1e-3
[materials.rock]
density = 2650.0
restitution = 0.3
static_friction = 0.5
[[pair]]
materials = ["rock", "rock"]
restitution = 0.5
[shapes]
pebble.sphere.radius = 0.05
rod.capsule = { radius = 0.05, length = 0.3 }
gem.convex.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
two.compound.parts = [{ shape = "rod" }, { shape = "gem", position = [1, 0, 0], orientation = [0, 0, 0, 1] }]
box.container.size = [2, 2, 2]
hill.mesh.file = "tests/contract/hill.stl"
star.cross.edge = 1
[[body]]
name = "box"
kind = "static"
shape = "box"
material = "rock"
position = [0, 0, 0]
[[body]]
kind = "driven"
shape = "hill"
material = { density = 1, restitution = 1, static_friction = 0 }
position = [0, 0, 0]
motion.sine = { amplitude = [0, 0, 1], frequency = 2, phase = 1 }
[[body]]
shape = "two"
material = "rock"
position = [0, 0, 9]
orientation = [0, 0, 0, 1]
velocity = [1, 0, 0]
mass = 2
[[fill]]
shape = "pebble"
material = "rock"
layers = 2
jitter = 0.01
random_speed = 1
orientation = "random"
grid = { size = [1, 1], pitch = 0.4, first_layer = 1, pattern = "staggered" }
[[stage]]
limit = 6
until = "rest"
[[stage]]
remove = ["box"]
limit = 6
[measure.repose]
size = [2, 1]
[measure.packing]
size = [1, 1]
[measure.avalanche]
direction = [1, 0.5, 0]
cell = 0.5
[measure.mound]
centre = [1, 2]
[output]
vtk = true
pictures = "stages"
"#;

#[derive(Clone, Debug)]
enum Edit {
    Replace(usize, u8),
    Remove(usize, usize),
    Insert(usize, &'static str),
    Swap(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..SCENE.len();
    // Bytes that matter to TOML, and a few that break text.
    let byte = prop::sample::select(b"[]{}=.,\"'#\n -+_e0179nainfxyz\\\xc3\xff\0".to_vec());
    let words =
        ["nan", "-inf", "1e400", "[[", "\"\"\"", "0", "\u{1f980}", "\n[run]\n", "\"rock\"", "{", "= =", "\t\r\n"];
    prop_oneof![
        (at.clone(), byte).prop_map(|(i, b)| Edit::Replace(i, b)),
        (at.clone(), 1usize..40).prop_map(|(i, n)| Edit::Remove(i, n)),
        (at.clone(), prop::sample::select(words.to_vec())).prop_map(|(i, w)| Edit::Insert(i, w)),
        (at.clone(), at).prop_map(|(i, j)| Edit::Swap(i, j)),
    ]
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    let len = bytes.len();
    match *edit {
        Edit::Replace(i, b) => bytes[i % len] = b,
        Edit::Remove(i, n) => drop(bytes.drain(i.min(len - 1)..(i + n).min(len))),
        Edit::Insert(i, words) => drop(bytes.splice(i.min(len)..i.min(len), words.bytes())),
        Edit::Swap(i, j) => bytes.swap(i % len, j % len),
    }
}

fn read(text: &str) -> Result<Scene, granule_scene::SceneError> {
    Scene::parse(text, "mutated.toml", Path::new(env!("CARGO_MANIFEST_DIR")))
}

#[test]
fn the_scene_to_be_mutated_is_good() {
    assert_eq!(read(SCENE).map(|s| s.bodies.len()).expect("valid"), 3 + 9 + 4);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mutation_makes_the_reader_panic(edits in prop::collection::vec(edit(), 1..4)) {
        let mut bytes = SCENE.as_bytes().to_vec();
        edits.iter().for_each(|e| apply(&mut bytes, e));
        let text = String::from_utf8_lossy(&bytes);
        if let Err(error) = read(&text) {
            let (line, column) = error.line_column().expect("every mistake in a text has a place");
            let report = error.to_string();
            prop_assert!(report.starts_with("error: "), "{}", report);
            prop_assert!(report.contains(&format!("mutated.toml:{line}:{column}")), "{line}:{column} in\n{}", report);
            prop_assert!(error.render(true).len() > report.len());
        }
    }
}
