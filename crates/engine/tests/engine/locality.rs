//! What a body does depends on what it touches and not on what happens elsewhere: with a step of given length, bodies
//! move in the same bits whether they are alone or the world holds others, however fast or energetic, which they do not
//! touch.
//!
//! Which open contacts the detection lists does hang on the whole world, and with it the order of the sweeps: what is
//! watched here has the same list in all worlds.

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Balls that are watched.
const BALLS: usize = 24;
/// Time for which they are watched \[s\].
const WATCHED: f64 = 5.0;
/// Where the others are \[m\].
const ELSEWHERE: f64 = 1000.0;

/// What is elsewhere.
type Others = fn(&mut Simulation, MaterialId);

fn nothing(_: &mut Simulation, _: MaterialId) {}

fn ball(simulation: &mut Simulation, material: MaterialId, radius: f64, position: DVec3, velocity: DVec3) {
    let shape = Shape::sphere(radius).expect("the radius is valid");
    let mut body = BodyDescription::dynamic(shape, material, position);
    body.velocity.linear = velocity;
    simulation.add_body(body).expect("the body is valid");
}

/// A ball that comes down from 100 m and is a thousand times as heavy as one that is watched.
fn boulder(simulation: &mut Simulation, material: MaterialId) {
    ball(simulation, material, 5.0, DVec3::new(ELSEWHERE, ELSEWHERE, 105.0), DVec3::ZERO);
}

/// A ball that flies off a million times as fast as the others move, from where it comes near nobody in a step: who may
/// be met is of the world of those who are struck.
fn bullet(simulation: &mut Simulation, material: MaterialId) {
    ball(simulation, material, 0.5, 100.0 * ELSEWHERE * DVec3::X, 1e6 * DVec3::X);
}

/// The world of a test: balls to watch, the last of them nudged, and others.
type World = fn(f64, Others) -> Simulation;

fn empty(gravity: DVec3, material: Material) -> (Simulation, MaterialId) {
    let settings = Settings { gravity, time_step: Some(1.0 / 120.0), ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let own = simulation.add_material(material).expect("the material is valid");
    (simulation, own)
}

/// Columns of six balls of 1 m that come down by a millimetre, the lower ones deeper in each other than the drift
/// correction leaves them.
fn columns(material: Material, nudge: f64, others: Others) -> Simulation {
    let (mut simulation, own) = empty(-9.8 * DVec3::Z, material);
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, own, DVec3::ZERO)).expect("the floor is valid");
    for i in 0..BALLS as u32 {
        let last = i + 1 == BALLS as u32;
        let height = 0.501 + 0.997 * f64::from(i % 6) + if last { nudge } else { 0.0 };
        ball(&mut simulation, own, 0.5, DVec3::new(10.0 * f64::from(i / 6), 0.0, height), DVec3::ZERO);
    }
    others(&mut simulation, own);
    simulation
}

fn rough(nudge: f64, others: Others) -> Simulation {
    columns(ROCK, nudge, others)
}

fn smooth(nudge: f64, others: Others) -> Simulation {
    columns(Material { static_friction: 0.0, dynamic_friction: 0.0, ..ROCK }, nudge, others)
}

/// A cloud of balls in touch that fly into each other.
fn cloud(nudge: f64, others: Others) -> Simulation {
    let (mut simulation, own) = empty(DVec3::ZERO, ROCK);
    for i in 0..BALLS as u32 {
        let cell = DVec3::new(f64::from(i % 3), f64::from(i / 3 % 4), f64::from(i / 12));
        let wave = |k: f64| libm::sin(k * f64::from(i)) + if i + 1 == BALLS as u32 { nudge } else { 0.0 };
        ball(&mut simulation, own, 0.5, 1.0005 * cell, DVec3::new(wave(0.7), wave(1.1), wave(1.3)));
    }
    others(&mut simulation, own);
    simulation
}

/// Poses and velocities of what is watched at the end, as bits.
fn bits(mut simulation: Simulation) -> Vec<u64> {
    while simulation.time() < WATCHED {
        let report = simulation.step().expect("the run stays finite");
        assert_eq!(report.undone, 0, "at {} s a step is divided, for all bodies", report.time);
    }
    let watched = simulation.snapshot().bodies.into_iter().filter(|body| body.kind == BodyKind::Dynamic).take(BALLS);
    let numbers = watched.flat_map(|body| {
        let Velocity { linear, angular } = body.velocity;
        [body.pose.position, linear, angular].into_iter().flat_map(|v| v.to_array())
    });
    numbers.map(f64::to_bits).collect()
}

fn check(world: World, others: Others) {
    let alone = bits(world(0.0, nothing));
    assert!(alone == bits(world(0.0, others)), "something was heard of the others");
    // Negative control: a difference among those that are watched is seen.
    assert!(alone != bits(world(1e-12, nothing)));
}

#[test]
fn a_boulder_that_lands_elsewhere_pays_for_no_correction() {
    check(rough, boulder);
    check(smooth, boulder);
}

#[test]
fn speeds_elsewhere_do_not_count() {
    check(cloud, bullet);
}
