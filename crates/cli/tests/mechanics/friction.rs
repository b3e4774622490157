//! Rolling and torsional friction, and coefficients of pairs.
//!
//! Measured: speeds and spins to 4e-13; stopping distance 12 % of the bound.

use glam::DVec3;

use crate::support::{Body, Final, Judge, Scene, cuboid, sphere};

const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 240.0, 1.0 / 600.0];

/// A level floor and one ball of `radius` with friction, rolling and torsional friction.
fn ball(duration: f64, step: f64, radius: f64, coefficients: &str, velocity: DVec3, spin: DVec3) -> Final {
    let mut scene = Scene::new(&format!("duration = {duration:?}\ntime_step = {step:?}"));
    scene
        .add(format!("[materials.ground]\ndensity = 2650.0\nrestitution = 0.0\nstatic_friction = 0.5\n{coefficients}"));
    let mut floor = Body::new("floor", "half-space.normal = [0.0, 0.0, 1.0]", "ground", DVec3::ZERO);
    floor.kind = "static";
    scene.body(&floor);
    let mut body = Body::new("ball", sphere(radius), "ground", DVec3::Z * radius);
    (body.velocity, body.angular_velocity) = (velocity, spin);
    scene.body(&body);
    scene.run().body("ball").clone()
}

/// Rolling friction mu_r resists with the moment mu_r R N. With friction F at the contact, m a = -F and I a / R = F R -
/// M for rolling without slip: (m + I / R^2) a = -M / R, and with I = 2/5 m R^2, a = -5/7 mu_r g. The ball stops after
/// v0^2 / (2 a) = 7 v0^2 / (10 mu_r g).
#[test]
fn rolling_friction_stops_a_ball_at_the_exact_distance() {
    let mut judge = Judge::default();
    for (size, step) in [1e-3, 1.0, 100.0].into_iter().flat_map(|s| STEPS.map(|t| (s, t))) {
        let (radius, unit) = (0.5 * size, f64::sqrt(size));
        for resistance in [0.02, 0.1] {
            let (v0, dt) = (2.0 * unit, step * unit);
            let a = 5.0 / 7.0 * resistance * 9.8;
            let stop = v0 / a;
            let run = |duration: f64| {
                let more = format!("rolling_friction = {resistance:?}");
                ball(duration, dt, radius, &more, DVec3::X * v0, DVec3::Y * (v0 / radius))
            };
            let label = format!("{size} m, rolling friction {resistance}, step {step:.5}");
            let half = run(0.5 * stop);
            judge.at_most("speed half-way", &label, (half.velocity.x / (0.5 * v0) - 1.0).abs(), 1e-9);
            judge.at_most(
                "rolls half-way",
                &label,
                (half.angular_velocity.y * radius / half.velocity.x - 1.0).abs(),
                1e-9,
            );
            let end = run(1.5 * stop);
            judge.at_most("speed after the stop", &label, end.velocity.length() / v0, 1e-9);
            judge.at_most("spin after the stop", &label, end.angular_velocity.length() * radius / v0, 1e-9);
            // Symplectic Euler sums speeds from the ends of the steps: v0 dt / 2 short, and a dt^2 for the step of the
            // stop.
            let expected = v0 * v0 / (2.0 * a) - 0.5 * v0 * dt;
            judge.at_most("stopping distance", &label, (end.at.x - expected).abs(), a * dt * dt);
        }
    }
    judge.finish();
}

/// Negative control: without rolling friction the ball rolls on for ever.
#[test]
fn without_rolling_friction_a_ball_rolls_on() {
    let end = ball(10.0, 1.0 / 240.0, 0.5, "", DVec3::X * 2.0, DVec3::Y * 4.0);
    assert!((end.velocity.x - 2.0).abs() <= 2e-12 && (end.at.x - 20.0).abs() <= 2e-11, "{end:?}");
}

/// No force on a smooth ball has a moment about its centre, also not where the drift correction moves balls past each
/// other. Contacts that kept their normal then made this pack spin by 5e-3 of the speed that it falls its radius with,
/// and more and more while it was corrected: it never came to rest. Measured: 1.5e-14; overlap
/// 0.23 %, gains 9e-7 of what was dissipated.
#[test]
fn smooth_balls_that_settle_do_not_spin() {
    let mut judge = Judge::default();
    for size in [1e-3, 1.0] {
        let (radius, unit) = (0.5 * size, f64::sqrt(size));
        let [side, pitch, first, jitter] = [8.0, 1.15, 0.7, 0.05].map(|x| x * size);
        let mut scene = Scene::new(&format!("duration = {:?}", 3.0 * unit));
        scene.material("smooth", 0.3, 0.0);
        let container = format!("container.size = [{side:?}, {side:?}, {:?}]", 30.0 * size);
        let mut walls = Body::new("box", container, "smooth", DVec3::ZERO);
        walls.kind = "static";
        scene.body(&walls);
        scene.add(format!(
            "[[fill]]\nname = \"ball\"\nshape = {{ {} }}\nmaterial = \"smooth\"\ncount = 640\njitter = {jitter:?}\n\
             orientation = \"random\"\nseed = 1\n[fill.grid]\nsize = [{side:?}, {side:?}]\npitch = {pitch:?}\n\
             first_layer = {first:?}",
            sphere(radius)
        ));
        let end = scene.run();
        let spin = end.bodies().map(|(_, ball)| ball.angular_velocity.length()).fold(0.0, f64::max);
        judge.at_most("spin", format!("{size} m"), spin * radius / (9.8 * radius).sqrt(), 1e-12);
        judge.at_most("overlap", format!("{size} m"), end.number("/largest_overlap"), 0.01);
        judge.at_most("gains", format!("{size} m"), end.number("/energy_gained_sum"), 1e-5);
        assert!(end.number("/energy/work_correction") != 0.0, "nothing was corrected");
    }
    judge.finish();
}

/// Torsional friction mu_t resists a spin about the normal with the moment mu_t R N: w' = -mu_t R m g / (2/5 m R^2), so
/// that the spin w0 is gone after 2 R w0 / (5 mu_t g).
#[test]
fn torsional_friction_stops_a_spinning_ball() {
    let mut judge = Judge::default();
    for (size, step) in [1e-3, 1.0, 100.0].into_iter().flat_map(|s| STEPS.map(|t| (s, t))) {
        let (radius, unit) = (0.5 * size, f64::sqrt(size));
        for resistance in [0.01, 0.05] {
            let (w0, dt) = (6.0 / unit, step * unit);
            let stop = 0.4 * radius * w0 / (resistance * 9.8);
            let run = |duration: f64| {
                let more = format!("torsional_friction = {resistance:?}");
                ball(duration, dt, radius, &more, DVec3::ZERO, DVec3::Z * w0)
            };
            let label = format!("{size} m, torsional friction {resistance}, step {step:.5}");
            judge.at_most("spin half-way", &label, (run(0.5 * stop).angular_velocity.z / (0.5 * w0) - 1.0).abs(), 1e-9);
            let end = run(1.1 * stop + dt);
            judge.at_most("spin after the stop", &label, end.angular_velocity.length() / w0, 1e-9);
            judge.at_most("motion sideways", &label, (end.at - DVec3::Z * radius).length() / size, 1e-9);
        }
    }
    let free = ball(5.0, 1.0 / 240.0, 0.5, "", DVec3::ZERO, DVec3::Z * 6.0);
    judge.at_most(
        "spin lost without torsional friction",
        "control",
        (free.angular_velocity.z / 6.0 - 1.0).abs(),
        1e-12,
    );
    judge.finish();
}

/// Blocks slowed down on one floor: a named pair has its own coefficient, any other the geometric mean; and two balls
/// that bounce as their pairs say.
#[test]
fn pairs_of_materials_have_their_own_coefficients() {
    let mut judge = Judge::default();
    let mut scene = Scene::with_ledger("duration = 0.5\ntime_step = 0.001", 0);
    scene.material("floor", 0.0, 0.4);
    scene.material("rough", 0.0, 0.9);
    scene.material("smooth", 0.0, 0.9);
    scene.pair("smooth", "floor", "static_friction = 0.1");
    let mut floor = Body::new("ground", "half-space.normal = [0.0, 0.0, 1.0]", "floor", DVec3::ZERO);
    floor.kind = "static";
    scene.body(&floor);
    for (i, name) in ["rough", "smooth"].into_iter().enumerate() {
        let mut block = Body::new(name, cuboid(DVec3::new(1.0, 1.0, 0.5)), name, DVec3::new(0.0, 2.0 * i as f64, 0.25));
        block.velocity = DVec3::X * 5.0;
        scene.body(&block);
    }
    let results = scene.run();
    for (name, friction) in [("rough", (0.4f64 * 0.9).sqrt()), ("smooth", 0.1)] {
        let exact = 5.0 - friction * 9.8 * 0.5;
        let error = (results.body(name).velocity.x / exact - 1.0).abs();
        judge.at_most("speed by the pair's friction", name, error, 1e-3);
    }
    judge.finish();
}
