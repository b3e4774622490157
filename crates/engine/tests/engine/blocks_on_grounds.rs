//! A block on an incline of 30 degrees (Tan, Wijesuriya and Sitar 2024, section 6.1): cuboid, polyhedron and level set,
//! on half-space, mesh, height field and level-set ground. With friction of 20 and 25 degrees its speed follows
//! `v2 = 2 a s`; of 35 degrees it stays.

use granule_engine::prelude::*;
use granule_geometry::{GrainOptions, HeightField};

const G: f64 = 9.8;
const ANGLE: f64 = 30.0;

/// Heights at the centres of cells of `cell` \[m\] of a plane that falls along x.
fn slope(columns: usize, rows: usize, cell: f64) -> HeightField {
    let fall = libm::tan(ANGLE.to_radians());
    let heights: Vec<f64> =
        (0..rows).flat_map(|_| (0..columns).map(move |i| fall * cell * (columns as f64 - 0.5 - i as f64))).collect();
    HeightField::new(columns, rows, [cell; 2], &heights).expect("the raster is valid")
}

/// The grounds, with the place of a point on each, near the top of the slope.
fn grounds() -> Vec<(&'static str, Shape, DVec3)> {
    let (sin, cos) = libm::sincos(ANGLE.to_radians());
    let field = slope(64, 16, 0.5);
    let on_field = DVec3::new(3.1, 4.2, field.height_at(3.1, 4.2).expect("it is on the field"));
    let surface = Shape::height_field(field.clone()).triangulate(3);
    vec![
        ("half-space", Shape::half_space(DVec3::new(sin, 0.0, cos)).expect("valid"), DVec3::ZERO),
        ("mesh", Shape::mesh(&surface.vertices, &surface.triangles).expect("valid"), on_field),
        ("height field", Shape::height_field(field.clone()), on_field),
        ("level set", Shape::level_set_ground(field, 0.5, 4).expect("the grid is small"), on_field),
    ]
}

fn blocks() -> Vec<(&'static str, Shape)> {
    let cuboid = Shape::cuboid(DVec3::ONE).expect("valid");
    let corner =
        |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) - DVec3::splat(0.5);
    let corners: Vec<DVec3> = (0..8).map(corner).collect();
    let options = GrainOptions { spacing: 0.1, nodes: 500 };
    vec![
        ("polyhedron", Shape::convex(&corners).expect("valid")),
        ("level set", Shape::level_set_of(&cuboid, &options).expect("the grid resolves it")),
        ("cuboid", cuboid),
    ]
}

/// A block that lies on the ground at `place`, and the direction down the slope.
fn lying(
    settings: Settings,
    friction: f64,
    block: &Shape,
    (ground, place): (&Shape, DVec3),
) -> (Simulation, BodyId, DVec3) {
    let mut simulation = Simulation::new(settings).expect("the settings are valid");
    let mu = libm::tan(friction.to_radians());
    let material = Material { static_friction: mu, dynamic_friction: mu, restitution: 0.0, ..Material::default() };
    let rock = simulation.add_material(material).expect("the material is valid");
    simulation.add_body(BodyDescription::fixed(ground.clone(), rock, DVec3::ZERO)).expect("the ground is valid");
    let (sin, cos) = libm::sincos(ANGLE.to_radians());
    let mut body = BodyDescription::dynamic(block.clone(), rock, place + 0.5 * DVec3::new(sin, 0.0, cos));
    body.pose.rotation = DQuat::from_rotation_y(ANGLE.to_radians());
    let body = simulation.add_body(body).expect("the block is valid");
    (simulation, body, DVec3::new(cos, 0.0, -sin))
}

#[test]
fn blocks_slide_as_the_equations_say() {
    let mut worst = 0.0_f64;
    for (on, ground, place) in grounds() {
        for (what, block) in blocks() {
            for (friction, dt) in [(20.0, 2e-3), (20.0, 4e-3), (25.0, 4e-3)] {
                let settings = Settings { time_step: Some(dt), ..Settings::default() };
                let (mut simulation, body, down) = lying(settings, friction, &block, (&ground, place));
                let start = simulation.pose(body).expect("it is there").position;
                let (sin, cos) = libm::sincos(ANGLE.to_radians());
                let acceleration = G * (sin - libm::tan(f64::to_radians(friction)) * cos);
                let mut of_allowed = 0.0_f64;
                while simulation.time() < 2.0 {
                    simulation.step().expect("the run stays finite");
                    let way = (simulation.pose(body).expect("it is there").position - start).dot(down);
                    let speed = simulation.velocity(body).expect("it is there").linear.dot(down);
                    let allowed = (1e-3 * speed).max(1.1 * acceleration * dt / 2.0);
                    of_allowed = of_allowed.max((speed - (2.0 * acceleration * way).sqrt()).abs() / allowed);
                }
                println!("{what} on {on}, {friction} degrees, {dt} s: {of_allowed:.4} of what is allowed");
                worst = worst.max(of_allowed);
                assert!(of_allowed <= 1.0, "{what} on {on}, {friction} degrees, {dt} s: {of_allowed}");
            }
        }
    }
    // Measured 0.909: half a step, as symplectic Euler has it.
    assert!(worst > 0.5, "{worst}");
}

/// Sleeping is off: that a sleeper stays is no news.
#[test]
fn blocks_stay_where_friction_holds_them() {
    for (on, ground, place) in grounds() {
        for (what, block) in blocks() {
            let settings = Settings { sleeping: false, ..Settings::default() };
            let (mut simulation, body, _) = lying(settings, 35.0, &block, (&ground, place));
            simulation.step().expect("the run stays finite");
            let start = simulation.pose(body).expect("it is there").position;
            while simulation.time() < 10.0 {
                simulation.step().expect("the run stays finite");
            }
            let drift = (simulation.pose(body).expect("it is there").position - start).length();
            println!("{what} on {on}: drift {drift:e}");
            assert!(drift <= 1e-6, "{what} on {on}: drift {drift:e}");
        }
    }
}
