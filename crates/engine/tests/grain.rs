//! Level-set grains move as the shapes they were made from: balls roll and bounce, cubes slide, stay, tip and stack.

use granule_engine::prelude::*;
use granule_geometry::GrainOptions;

const G: f64 = 9.8;

fn level_set(shape: &Shape, spacing: f64, nodes: usize) -> Shape {
    Shape::level_set_of(shape, &GrainOptions { spacing, nodes }).expect("the grid resolves it")
}

fn sphere(radius: f64, nodes: usize) -> Shape {
    level_set(&Shape::sphere(radius).expect("the radius is valid"), 0.1 * radius, nodes)
}

/// A simulation with a floor that leans by `angle` \[rad\] about y, down towards positive x, and one material.
fn on_incline(settings: Settings, angle: f64, material: Material) -> (Simulation, MaterialId, DVec3, DVec3) {
    let mut simulation = Simulation::new(settings).expect("the settings are valid");
    let rock = simulation.add_material(material).expect("the material is valid");
    let (sin, cos) = libm::sincos(angle);
    let normal = DVec3::new(sin, 0.0, cos);
    let floor = Shape::half_space(normal).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    (simulation, rock, normal, DVec3::new(cos, 0.0, -sin))
}

/// A ball that touches in single points has the acceleration `5/7 g sin a`; one that rolls on its nodes loses a quarter
/// of its speed over ten radii.
#[test]
fn balls_roll_down_an_incline() {
    let angle = 10f64.to_radians();
    for nodes in [500, 2500] {
        for (radius, time_step) in [(0.5, None), (0.5, Some(2e-3)), (0.01, None)] {
            let settings = Settings { time_step, sleeping: true, ..Settings::default() };
            let rough = Material { static_friction: 0.8, restitution: 0.0, ..Material::default() };
            let (mut simulation, rock, normal, down) = on_incline(settings, angle, rough);
            let place = radius * normal;
            let ball = BodyDescription::dynamic(sphere(radius, nodes), rock, place);
            let ball = simulation.add_body(ball).expect("the ball is valid");
            let way = 10.0 * radius;
            let travelled = |s: &Simulation| (s.pose(ball).expect("it is there").position - place).dot(down);
            while travelled(&simulation) < way && simulation.time() < 100.0 {
                simulation.step().expect("the run stays finite");
            }
            let speed = simulation.velocity(ball).expect("it is there").linear.dot(down);
            let exact = (2.0 * 5.0 / 7.0 * G * libm::sin(angle) * travelled(&simulation)).sqrt();
            println!("{nodes} nodes, {radius} m, {time_step:?}: {:e}", speed / exact - 1.0);
            assert!((speed / exact - 1.0).abs() <= 0.01, "{nodes} nodes, {radius} m: {}", speed / exact);
        }
    }
}

/// Dropped in twenty orientations, a ball of restitution 1/2 rises to a quarter of its fall and does not turn.
#[test]
fn balls_bounce_without_spin() {
    let radius = 0.5;
    let shape = sphere(radius, 500);
    for i in 0..20 {
        let bouncy = Material { restitution: 0.5, static_friction: 0.5, ..Material::default() };
        let settings = Settings { time_step: Some(1e-3), ..Settings::default() };
        let (mut simulation, rock, ..) = on_incline(settings, 0.0, bouncy);
        let fall = 1.0;
        let turn = f64::from(i);
        let mut ball = BodyDescription::dynamic(shape.clone(), rock, DVec3::Z * (radius + fall));
        ball.pose.rotation = DQuat::from_scaled_axis(DVec3::new(libm::sin(turn), libm::cos(turn), 0.3) * turn);
        let ball = simulation.add_body(ball).expect("the ball is valid");
        let (mut top, mut rose, mut spin) = (0.0_f64, false, 0.0);
        while simulation.time() < 1.2 {
            simulation.step().expect("the run stays finite");
            let velocity = simulation.velocity(ball).expect("it is there");
            if !rose && velocity.linear.z > 0.0 {
                (rose, spin) = (true, velocity.angular.length());
            }
            if rose {
                top = top.max(simulation.pose(ball).expect("it is there").position.z - radius);
            }
        }
        let speed = (2.0 * G * fall).sqrt();
        println!("{i}: top {top}, spin {:e} v/R", spin * radius / speed);
        assert!((top / (0.25 * fall) - 1.0).abs() <= 0.01, "{i}: top {top}");
        assert!(spin * radius / speed <= 0.01, "{i}: spin {spin}");
    }
}

/// A block on an incline of 30 degrees: with friction of 20 and 25 degrees its speed follows `v2 = 2 a s`, of 35
/// degrees it stays.
#[test]
fn cubes_slide_and_stay() {
    let angle = 30f64.to_radians();
    let shape = level_set(&Shape::cuboid(DVec3::ONE).expect("it is valid"), 0.1, 500);
    for (friction, dt) in [(20.0, 1e-3), (20.0, 4e-3), (25.0, 1e-3), (25.0, 4e-3)] {
        let mu = libm::tan(f64::to_radians(friction));
        let material = Material { static_friction: mu, dynamic_friction: mu, restitution: 0.0, ..Material::default() };
        let settings = Settings { time_step: Some(dt), ..Settings::default() };
        let (mut simulation, rock, normal, down) = on_incline(settings, angle, material);
        let mut block = BodyDescription::dynamic(shape.clone(), rock, 0.5 * normal);
        block.pose.rotation = DQuat::from_rotation_y(angle);
        let block = simulation.add_body(block).expect("the block is valid");
        let start = simulation.pose(block).expect("it is there").position;
        let acceleration = G * (libm::sin(angle) - mu * libm::cos(angle));
        let mut worst = 0.0_f64;
        while simulation.time() < 2.0 {
            simulation.step().expect("the run stays finite");
            let way = (simulation.pose(block).expect("it is there").position - start).dot(down);
            let speed = simulation.velocity(block).expect("it is there").linear.dot(down);
            let allowed = (1e-3 * speed).max(1.1 * acceleration * dt / 2.0);
            worst = worst.max((speed - (2.0 * acceleration * way).sqrt()).abs() / allowed);
        }
        println!("{friction} degrees, {dt} s: {worst} of what is allowed");
        assert!(worst <= 1.0, "{friction} degrees, {dt} s: {worst} of what is allowed");
    }
    let mu = libm::tan(35f64.to_radians());
    let material = Material { static_friction: mu, dynamic_friction: mu, ..Material::default() };
    let settings = Settings { sleeping: false, ..Settings::default() };
    let (mut simulation, rock, normal, _) = on_incline(settings, angle, material);
    let mut block = BodyDescription::dynamic(shape, rock, 0.5 * normal);
    block.pose.rotation = DQuat::from_rotation_y(angle);
    let block = simulation.add_body(block).expect("the block is valid");
    let start = simulation.pose(block).expect("it is there").position;
    while simulation.time() < 10.0 {
        simulation.step().expect("the run stays finite");
    }
    let drift = (simulation.pose(block).expect("it is there").position - start).length();
    println!("drift {drift:e}");
    assert!(drift <= 1e-6, "drift {drift:e}");
}
