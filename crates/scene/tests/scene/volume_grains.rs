//! Grains from volumes of voxels in scenes: what they weigh, how they fall, roll and rest, and which files are refused.

use std::path::Path;

use granule_engine::Simulation;
use granule_model::{BodyId, DVec3};
use granule_scene::Scene;

const DENSITY: f64 = 2650.0;
/// Voxels along each side of a volume with a ball, and to its radius.
const SIDE: usize = 30;
const RADIUS: f64 = 11.0;
/// Centre of the ball \[voxels\], between centres of voxels.
const CENTRE: [f64; 3] = [15.3, 14.8, 15.1];

/// Height inside of a ball for the centre of each voxel, in the order of NumPy: z fastest \[voxels\].
fn ball(centre: [f64; 3], radius: f64) -> Vec<f64> {
    let depth = |at: usize| {
        let voxel = [at / (SIDE * SIDE), at / SIDE % SIDE, at % SIDE];
        let square: f64 = (0..3).map(|axis| (voxel[axis] as f64 + 0.5 - centre[axis]).powi(2)).sum();
        radius - square.sqrt()
    };
    (0..SIDE * SIDE * SIDE).map(depth).collect()
}

fn npy(path: &Path, code: &str, data: &[u8]) {
    let text = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': ({SIDE}, {SIDE}, {SIDE}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).expect("written");
}

/// A folder with the same ball as truth values and as grey values blurred over three voxels, and with the labels of two
/// other balls; `voxel` is in metres.
fn folder(voxel: f64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let depths = ball(CENTRE, RADIUS);
    npy(&folder.path().join("truth.npy"), "|b1", &depths.iter().map(|d| u8::from(*d > 0.0)).collect::<Vec<_>>());
    let grey: Vec<u8> = depths.iter().map(|d| (127.5 + (85.0 * d).clamp(-127.5, 127.5)) as u8).collect();
    npy(&folder.path().join("grey.npy"), "|u1", &grey);
    std::fs::write(folder.path().join("grey.raw"), &grey).expect("written");
    let described =
        format!("size = [{SIDE}, {SIDE}, {SIDE}]\ntype = \"u8\"\norder = \"z-fastest\"\nvoxel = {voxel:?}\n");
    std::fs::write(folder.path().join("grey.toml"), described).expect("written");
    let small = ball([6.0, 6.0, 6.0], 4.5);
    let large = ball([19.0, 19.0, 19.0], 8.5);
    let label = |(small, large): (&f64, &f64)| if *small > 0.0 { 3_i16 } else { i16::from(*large > 0.0) * 7 };
    let labels: Vec<u8> = small.iter().zip(&large).map(label).flat_map(i16::to_le_bytes).collect();
    npy(&folder.path().join("labels.npy"), "<i2", &labels);
    folder
}

/// A scene with one grain over a floor of the given normal; a level one resists rolling.
fn scene(folder: &Path, shape: &str, normal: [f64; 3], position: [f64; 3]) -> Result<Scene, String> {
    let rolling = if normal == UP { 0.02 } else { 0.0 };
    let text = format!(
        "[run]\nduration = 10.0\n[materials.rock]\ndensity = {DENSITY:?}\nrestitution = 0.0\nstatic_friction = 0.8\nrolling_friction = {rolling:?}\n\
         [[body]]\nkind = \"static\"\nmaterial = \"rock\"\nshape.half-space.normal = {normal:?}\nposition = [0.0, 0.0, 0.0]\n\
         [[body]]\nname = \"grain\"\nmaterial = \"rock\"\nposition = {position:?}\nshape = {{ {shape} }}\n"
    );
    Scene::parse(&text, "a.toml", folder).map_err(|e| e.to_string())
}

const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// Shapes of the ball in the files of `folder`, and one of an exact ball.
fn twins(voxel: f64) -> [String; 4] {
    [
        format!("level-set = {{ volume = \"truth.npy\", voxel = {voxel:?} }}"),
        format!("level-set = {{ volume = \"grey.npy\", voxel = {voxel:?}, above = 127, nodes = 800 }}"),
        "level-set = { volume = \"grey.raw\", above = 127 }".to_owned(),
        format!("sphere.radius = {:?}", RADIUS * voxel),
    ]
}

#[test]
fn balls_of_voxels_weigh_what_balls_do() {
    for voxel in [1e-4, 0.1] {
        let folder = folder(voxel);
        let exact = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * (RADIUS * voxel).powi(3);
        for shape in &twins(voxel)[..3] {
            let scene = scene(folder.path(), shape, UP, [0.0, 0.0, 1.0]).expect(shape);
            let mass = scene.bodies[1].shape.mass_properties(DENSITY).expect("a solid");
            let (error, place) = (mass.mass / exact - 1.0, mass.center / voxel - DVec3::from(CENTRE));
            println!("{shape}: {error:.1e} {place:.3}");
            // Chords of up to sqrt(3) voxels: 9/8 of the square of a voxel over the radius, 9.3e-3, and of truth values
            // what their number is off. Measured 5.1e-3 (truth values) and -5.7e-5.
            assert!(error.abs() <= 9.3e-3 && place.length() <= 0.05, "{shape}: {error:e} {place}");
        }
        let labelled = |label: u8| {
            let shape = format!("level-set = {{ volume = \"labels.npy\", voxel = {voxel:?}, label = {label} }}");
            let scene = scene(folder.path(), &shape, UP, [0.0, 0.0, 1.0]).expect("two grains in one scan");
            scene.bodies[1].shape.mass_properties(DENSITY).expect("a solid")
        };
        let (small, large) = (labelled(3), labelled(7));
        let apart = (large.center - small.center).length() / voxel / (13.0 * 3f64.sqrt());
        let ratio = small.mass / large.mass / (4.5_f64 / 8.5).powi(3);
        // Measured 1.0000 and 1.02: as many voxels are in the small one, and its surface has more chords.
        assert!((apart - 1.0).abs() <= 1e-3 && (ratio - 1.0).abs() <= 0.05, "{apart} {ratio}");
    }
}

/// A simulation with a grain whose centre begins at `place`; a volume has its own origin at a corner.
fn placed(folder: &Path, shape: &str, normal: [f64; 3], place: DVec3) -> (Simulation, BodyId) {
    let at = |place: DVec3| scene(folder, shape, normal, place.to_array()).expect(shape);
    let centre = at(DVec3::ZERO).bodies[1].shape.mass_properties(DENSITY).expect("a solid").center;
    let built = at(place - centre).build().expect("it starts");
    (built.simulation, built.ids[1])
}

/// Place of the centre of mass.
fn centre(simulation: &Simulation, body: BodyId) -> DVec3 {
    simulation.snapshot().bodies[body.index as usize].pose.position
}

/// Rolls 10 radii down a slope: the speed over that of a ball, `sqrt(10/7 g sin a s)`.
fn rolled(folder: &Path, shape: &str, voxel: f64) -> f64 {
    let (sin, cos) = libm::sincos(10f64.to_radians());
    let (normal, radius) = (DVec3::new(sin, 0.0, cos), RADIUS * voxel);
    let (mut simulation, grain) = placed(folder, shape, normal.to_array(), radius * normal);
    let down = DVec3::new(cos, 0.0, -sin);
    let way = |simulation: &Simulation| (centre(simulation, grain) - radius * normal).dot(down);
    while way(&simulation) < 10.0 * radius {
        simulation.step().expect("the run stays finite");
        assert!(simulation.time() < 1e3 * radius.sqrt(), "{shape} lies still");
    }
    let speed = simulation.velocity(grain).expect("it is there").linear.dot(down);
    speed / (10.0 / 7.0 * 9.8 * sin * way(&simulation)).sqrt()
}

#[test]
fn a_ball_of_voxels_rolls_as_its_twin() {
    for voxel in [1e-4, 0.1] {
        let folder = folder(voxel);
        let found = twins(voxel).map(|shape| rolled(folder.path(), &shape, voxel));
        println!("{voxel}: {found:?}");
        let [truth, of_grey, of_raw, exact] = found;
        // Measured 0.997 of all but truth values, whose surface is tilted by two degrees: 0.971. It was 0.86 when these
        // were smoothed twice, not four times.
        assert!([of_grey, of_raw].iter().all(|share| (share - exact).abs() <= 0.002), "{voxel}: {found:?}");
        assert!((truth - exact).abs() <= 0.05 && (exact - 1.0).abs() <= 0.01, "{voxel}: {found:?}");
    }
}

#[test]
fn a_ball_of_voxels_falls_and_rests_as_its_twin() {
    for voxel in [1e-4, 0.1] {
        let (folder, radius) = (folder(voxel), RADIUS * voxel);
        for shape in &twins(voxel) {
            let (mut simulation, grain) = placed(folder.path(), shape, UP, DVec3::Z * 2.0 * radius);
            let fall = (2.0 * radius / 9.8).sqrt();
            while simulation.time() < 20.0 * fall {
                simulation.step().expect("the run stays finite");
            }
            let velocity = simulation.velocity(grain).expect("it is there");
            let off = centre(&simulation, grain).z / radius - 1.0;
            let speed = velocity.linear.length() / (9.8 * radius).sqrt();
            println!("{shape}: {off:.4} {speed:e} {}", simulation.largest_overlap_thin());
            // In voxels, as far as surfaces are off at most: measured 0.18 (truth values), 0.01 (grey), 0 (exact).
            let most = if shape.contains("truth") { 0.25 } else { 0.03 };
            assert!(off.abs() <= most / RADIUS && speed <= 1e-3, "{shape}: {off} {speed:e}");
            assert!(simulation.largest_overlap_thin() <= granule_engine::OVERLAP_BOUND);
        }
    }
}

#[test]
fn what_is_no_grain_is_refused_with_file_and_place() {
    let folder = folder(0.1);
    let path = |name: &str| folder.path().join(name);
    let whole = std::fs::read(path("truth.npy")).expect("read");
    std::fs::write(path("short.npy"), &whole[..whole.len() - 7]).expect("written");
    npy(&path("objects.npy"), "|O", &[]);
    let cut = ball([3.0, 15.0, 15.0], 5.0);
    npy(&path("cut.npy"), "|b1", &cut.iter().map(|d| u8::from(*d > 0.0)).collect::<Vec<_>>());
    npy(&path("empty.npy"), "|b1", &vec![0; SIDE * SIDE * SIDE]);
    let described = std::fs::read_to_string(path("grey.toml")).expect("read");
    for (name, voxel) in [("flat", "[0.1, 0.1, 0.2]"), ("zero", "0.0")] {
        std::fs::copy(path("grey.raw"), path(&format!("{name}.raw"))).expect("copied");
        let text = described.replace("voxel = 0.1", &format!("voxel = {voxel}"));
        std::fs::write(path(&format!("{name}.toml")), text).expect("written");
    }
    for (keys, words) in [
        ("volume = \"none.npy\", voxel = 0.1", vec!["none.npy", "cannot be read"]),
        ("volume = \"grain.vtk\", voxel = 0.1", vec!["grain.vtk", ".npy and .raw"]),
        ("volume = \"short.npy\", voxel = 0.1", vec!["short.npy", "27076 bytes", "the file has"]),
        ("volume = \"objects.npy\", voxel = 0.1", vec!["objects.npy", "Python objects"]),
        ("volume = \"truth.npy\"", vec!["how large its voxels are", "`voxel`"]),
        ("volume = \"truth.npy\", voxel = 0.0", vec!["`voxel` is 0, but must be above 0"]),
        ("volume = \"truth.npy\", voxel = -1", vec!["`voxel` is -1, but must be above 0"]),
        ("volume = \"zero.raw\", above = 127", vec!["zero.toml", "line 4", "`voxel` must be"]),
        ("volume = \"flat.raw\", above = 127", vec!["0.1 x 0.1 x 0.2 m", "cubes"]),
        ("volume = \"grey.raw\", above = 127, voxel = 0.1", vec!["`voxel` is said"]),
        (
            "volume = \"grey.npy\", voxel = 0.1",
            vec!["from 0 to 255", "`above`, `below` or `label`", "`label` for the number that marks"],
        ),
        ("volume = \"grey.npy\", voxel = 0.1, above = 1, below = 2", vec!["`above` and `below` exclude each other"]),
        (
            "volume = \"grey.npy\", voxel = 0.1, above = 300",
            vec!["grey.npy", "nothing is inside: no value is above 300", "the values go from 0 to 255"],
        ),
        (
            "volume = \"grey.npy\", voxel = 0.1, above = -1",
            vec!["grey.npy", "nothing is outside: every value is above -1"],
        ),
        (
            "volume = \"labels.npy\", voxel = 0.1, label = 5",
            vec!["no value is equal to the label 5", "the values are 0, 3, 7"],
        ),
        ("volume = \"grey.npy\", voxel = 0.1, label = 1e9", vec!["`label` is 1000000000"]),
        ("volume = \"grey.npy\", voxel = 0.1, above = 1e60", vec!["threshold", "finite"]),
        ("volume = \"empty.npy\", voxel = 0.1", vec!["empty.npy", "nothing is inside"]),
        ("volume = \"cut.npy\", voxel = 0.1", vec!["cut.npy", "voxel [0, ", "cut off"]),
        ("volume = \"labels.npy\", voxel = 0.1, above = 0.5", vec!["labels.npy", "2 pieces", "voxel [6, 6, 6]"]),
        ("volume = \"truth.npy\", voxel = 0.1, spacing = 0.9", vec!["truth.npy", "too coarse"]),
        ("volume = \"truth.npy\", file = \"a.stl\"", vec!["`file` and `volume` exclude each other"]),
        (
            "of = { sphere.radius = 1.0 }, spacing = 0.1, above = 1",
            vec!["`above` is only for a level set of voxels", "give `volume`"],
        ),
        ("nodes = 12", vec!["`volume`"]),
    ] {
        let Err(error) = scene(folder.path(), &format!("level-set = {{ {keys} }}"), UP, [0.0; 3]) else {
            panic!("{keys} is accepted");
        };
        assert!(error.contains("a.toml:1"), "{keys}: no place in {error}");
        assert!(words.iter().all(|word| error.contains(word)), "{keys}: {error}");
    }
}
