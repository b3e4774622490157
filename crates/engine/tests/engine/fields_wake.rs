//! Force fields that appear or change wake sleepers. Not committed: for who writes `sleep.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granule_engine::Settings;
use granule_engine::prelude::*;

/// A ball of 0.5 m on a floor, asleep, with a sideways field of so many g from `begins` on; `sleeping` off is the
/// control.
fn asleep(field: impl Fn(&BodyView) -> Force + Send + Sync + 'static, sleeping: bool) -> (Simulation, BodyId) {
    let mut simulation = Simulation::new(Settings { sleeping, ..Settings::default() }).expect("valid");
    let rock = simulation.add_material(Material::default()).expect("valid");
    let floor = Shape::half_space(DVec3::Z).expect("valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("valid");
    let cube = Shape::cuboid(DVec3::splat(1.0)).expect("valid");
    let body = simulation.add_body(BodyDescription::dynamic(cube, rock, DVec3::Z * 0.5)).expect("valid");
    simulation.add_force_field(Arc::new(field));
    (simulation, body)
}

fn run(simulation: &mut Simulation, until: f64) {
    while simulation.time() < until {
        simulation.step().expect("finite");
    }
}

/// (1) a field that depends on time: off for 3 s, then 1 g sideways at mu = 0.5: a = 4.9 m/s2.
#[test]
fn a_field_that_sets_in_wakes_a_sleeper() {
    let moved = |sleeping: bool| {
        let field = |body: &BodyView| {
            let g = if body.time >= 3.0 { 9.8 } else { 0.0 };
            Force { force: DVec3::X * (g * body.mass), torque: DVec3::ZERO }
        };
        let (mut simulation, body) = asleep(field, sleeping);
        run(&mut simulation, 2.9);
        assert_eq!(simulation.step().expect("finite").awake, usize::from(!sleeping), "it sleeps where it may");
        run(&mut simulation, 4.0);
        simulation.pose(body).expect("there").position.x
    };
    let (with, without) = (moved(true), moved(false));
    assert!(without > 1.0, "{without}");
    assert!((with - without).abs() <= 1e-6, "{with} with sleeping, {without} without");
}

/// (2) a field with constant data of its own that the program changes between steps.
#[test]
fn a_field_that_the_program_turns_up_wakes_a_sleeper() {
    let strength = Arc::new(AtomicU64::new(0f64.to_bits()));
    let seen = Arc::clone(&strength);
    let field = move |body: &BodyView| {
        let g = f64::from_bits(seen.load(Ordering::Relaxed));
        Force { force: DVec3::X * (g * body.mass), torque: DVec3::ZERO }
    };
    let (mut simulation, body) = asleep(field, true);
    run(&mut simulation, 3.0);
    assert_eq!(simulation.step().expect("finite").awake, 0);
    strength.store(9.8f64.to_bits(), Ordering::Relaxed);
    assert_eq!(simulation.step().expect("finite").awake, 1, "in the very step");
    run(&mut simulation, 4.0);
    assert!(simulation.pose(body).expect("there").position.x > 1.0);
}

/// (3) a field that creeps up by 1e-4 of m g a second must not be compared with the step before, or it never wakes
/// anything.
#[test]
fn a_field_that_creeps_up_wakes_a_sleeper_before_it_slides() {
    let field = |body: &BodyView| {
        let g = 0.1 * (body.time - 3.0).max(0.0) * 9.8;
        Force { force: DVec3::X * (g * body.mass), torque: DVec3::ZERO }
    };
    let (mut simulation, body) = asleep(field, true);
    run(&mut simulation, 3.0);
    // mu = 0.5 is passed at 8 s.
    run(&mut simulation, 10.0);
    assert!(simulation.pose(body).expect("there").position.x > 0.1);
}

/// (4) a moment only.
#[test]
fn a_moment_wakes_a_sleeper() {
    let field = |body: &BodyView| {
        let m = if body.time >= 3.0 { 9.8 * body.mass } else { 0.0 };
        Force { force: DVec3::ZERO, torque: DVec3::X * m }
    };
    let (mut simulation, body) = asleep(field, true);
    run(&mut simulation, 4.0);
    assert!(simulation.pose(body).expect("there").position.y.abs() > 0.1, "a moment of m g a tips a cube of a");
}

/// (5) control: a field that stays the same wakes nothing, and the sleepers sleep.
#[test]
fn a_field_that_stays_lets_sleep() {
    let field = |body: &BodyView| Force { force: DVec3::X * (0.3 * 9.8 * body.mass), torque: DVec3::ZERO };
    let (mut simulation, _) = asleep(field, true);
    run(&mut simulation, 5.0);
    assert_eq!(simulation.step().expect("finite").awake, 0);
}
