//! Level-set grains with flat faces, what meets the rim of ground, and balls in its hollows: contacts are neither lost
//! nor made up.

use std::fmt::Write as _;

use granule_model::DQuat;
use granule_scene::{BuiltScene, Scene};

use crate::rocks_on_ground::{HEAD, raster, worst};

/// A scene with a raster `ground.asc` beside it, if there is one.
fn built(name: &str, text: &str, raster: Option<&str>) -> BuiltScene {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let folder = folder.path();
    if let Some(raster) = raster {
        std::fs::write(folder.join("ground.asc"), raster).expect("the raster can be written");
    }
    let scene = Scene::parse(text, name, folder).unwrap_or_else(|e| panic!("{e}"));
    scene.build().unwrap_or_else(|e| panic!("{e}"))
}

/// Boxes with rounded edges fall on a floor, where contacts are taken where they were while surfaces hardly move.
#[test]
fn flat_faces_rest_on_a_floor() {
    let mut text = HEAD.to_owned() + "shape = { half-space.normal = [0.0, 0.0, 1.0] }\n";
    for i in 0..8 {
        let shift = f64::from(i);
        let turn = DQuat::from_xyzw(0.05 * shift, 0.1 * shift, 0.3, 0.9).normalize();
        let _ = write!(
            text,
            "[[body]]\nmaterial = \"rock\"\nposition = [{}, 0.0, 0.1]\norientation = {:?}\n\
             shape = {{ grain = {{ superquadric = {{ exponents = [0.3, 0.3] }}, diameter = 0.1, seed = {i}, nodes = 500, cells = 20 }} }}\n",
            0.2 * shift,
            turn.to_array(),
        );
    }
    let mut simulation = built("flat_floor", &text, None).simulation;
    let worst = worst(&mut simulation, 0.05, |simulation| simulation.time() < 3.0);
    println!("on a floor: {worst:.2e}");
    // Measured: 7.0e-3; 1.3e-2 with the leeway of the distance of nodes alone.
    assert!(worst <= 0.01, "{worst}");
}

/// The same on level-set ground with waves, of cells nearly as large as they are.
#[test]
fn flat_faces_rest_on_waves() {
    let waves = |x: f64, y: f64| 10.0 - 0.3 * x + 0.25 * libm::sin(2.0 * x) * libm::cos(1.7 * y);
    let mut text = HEAD.to_owned() + "shape = { terrain = { file = \"ground.asc\", as = \"level-set\" } }\n";
    for i in 0..6 {
        let turn = DQuat::from_xyzw(0.2, 0.1, 0.9, 0.4).normalize().to_array();
        let (x, y) = (6.0 + 1.1 * f64::from(i), 8.0 + 0.7 * f64::from(i % 3));
        let _ = write!(
            text,
            "[[body]]\nmaterial = \"rock\"\nposition = [{x}, {y}, {}]\norientation = {turn:?}\n\
             shape = {{ grain = {{ superquadric = {{ aspect = [0.8, 0.7], exponents = [0.5, 0.5] }}, diameter = 0.6, nodes = 2000, seed = {i} }} }}\n",
            waves(x, y) + 0.6,
        );
    }
    let mut simulation = built("flat_waves", &text, Some(&raster(waves))).simulation;
    let worst = worst(&mut simulation, 0.3, |simulation| simulation.time() < 3.0);
    println!("on waves: {worst:.2e}");
    // Measured: 6.1e-3; with distances between points of the ground as of a plane 5.2e-2.
    assert!(worst <= 0.01, "{worst}");
}

/// A level-set ball rolls over the rim of ground, and falls. When points beyond the rim and below the plane counted as
/// inside, it hung there.
#[test]
fn a_ball_falls_over_the_rim_of_ground() {
    for (kind, speed) in [("height-field", 1.0), ("height-field", 2.0), ("level-set", 1.0)] {
        let text = HEAD.replace("static_friction = 0.5", "static_friction = 0.05")
            + &format!("shape = {{ terrain = {{ file = \"ground.asc\", as = \"{kind}\" }} }}\n")
            + &format!(
                "[[body]]\nname = \"ball\"\nmaterial = \"rock\"\nposition = [19.5, 10.0, 0.32]\nvelocity = [{speed}, 0.0, 0.0]\n"
            )
            + "shape = { level-set = { of = { sphere.radius = 0.3 }, spacing = 0.03 } }\n";
        let BuiltScene { mut simulation, ids, .. } = built(&format!("rim_{kind}"), &text, Some(&raster(|_, _| 0.0)));
        let worst = worst(&mut simulation, 0.3, |simulation| simulation.time() < 2.0);
        // What has left the ground's domain is taken out.
        let height = simulation.pose(ids[1]).map_or(f64::NEG_INFINITY, |pose| pose.position.z);
        println!("{kind}, {speed} m/s: {worst:.2e}, at {height:.2}");
        // Measured: 2.7e-3, and out of the domain; 7.7e-2, and still there.
        assert!(worst <= 0.01 && height < -0.3, "{kind}: {worst} {height}");
    }
}

/// An exact ball rests in a valley of level-set ground, on both sides of it, in cells much larger than the ball. Held
/// at the nearest place alone it sank.
#[test]
fn a_ball_rests_in_a_hollow() {
    for slope in [0.3, 1.0] {
        let text = HEAD.to_owned()
            + "shape = { terrain = { file = \"ground.asc\", as = \"level-set\" } }\n"
            + "[[body]]\nmaterial = \"rock\"\nposition = [9.81, 5.2, 0.2]\nvelocity = [0.0, 0.2, 0.0]\nshape = { sphere.radius = 0.1 }\n";
        let valley = raster(|x, _| slope * (x - 9.75).abs());
        let mut simulation = built("hollow", &text, Some(&valley)).simulation;
        let worst = worst(&mut simulation, 0.1, |simulation| simulation.time() < 3.0);
        println!("in a valley of slope {slope}: {worst:.2e}");
        // Measured: 8.4e-3 at a slope of 1; held at one place 0.16 and more.
        assert!(worst <= 0.01, "{slope}: {worst}");
    }
}

/// Bodies fall into pits of one cell in level-set ground, which rounds them off: middles come to lie below the raster
/// and above the contour.
#[test]
fn bodies_rest_in_pits_of_one_cell() {
    let is_pit = |x: f64, y: f64| [x, y].iter().all(|along| (along / 0.5).floor() % 4.0 == 2.0);
    for (depth, bound) in [(0.25, 0.04), (0.5, 0.06), (1.0, 0.2)] {
        let ground = raster(|x, y| if is_pit(x, y) { -depth } else { 0.0 });
        for (kind, shape) in [
            ("sphere", "sphere.radius = 0.1"),
            ("cuboid", "cuboid.size = [0.2, 0.18, 0.16]"),
            ("pebble", "grain = { pebble = { aspect = [0.8, 0.7], angularity = 0.1 }, diameter = 0.2, nodes = 800 }"),
            ("rock", "grain = { rock = { aspect = [0.8, 0.7] }, diameter = 0.2 }"),
        ] {
            let mut text = HEAD.to_owned() + "shape = { terrain = { file = \"ground.asc\", as = \"level-set\" } }\n";
            for i in 0..6 {
                let shift = f64::from(i);
                let turn = DQuat::from_xyzw(0.3 * shift, 0.2, 0.3 * (3.0 - shift), 0.9).normalize().to_array();
                let _ = write!(
                    text,
                    "[[body]]\nmaterial = \"rock\"\nposition = [{}, 5.2, 0.2]\norientation = {turn:?}\n\
                     velocity = [{}, 0.0, 0.0]\nshape = {{ {shape} }}\n",
                    5.0 + 2.0 * shift + 0.1 * shift,
                    0.5 - 0.2 * shift,
                );
            }
            let mut simulation = built("pits", &text, Some(&ground)).simulation;
            let worst = worst(&mut simulation, 0.1, |simulation| simulation.time() < 2.0);
            println!("{kind} in pits of {depth} m: {worst:.2e}");
            // Measured: 3.3e-2, 4.9e-2 and 0.17.
            assert!(worst <= bound, "{kind} in pits of {depth} m: {worst}");
        }
    }
}
