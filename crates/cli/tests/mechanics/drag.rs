//! Bodies that sink in a fluid reach the speed at which drag carries their weight.
//!
//! Measured: 1.4e-7, what twenty time constants leave.

use std::f64::consts::PI;

use glam::DVec3;

use crate::support::{Body, Judge, Scene, cuboid, sphere};

/// Speed of a body of equal-volume radius `radius` that sinks in a fluid, at the end of `duration`, and its mass.
fn sink(fluid: &str, shape: &str, time_step: f64, duration: f64) -> (f64, f64) {
    let mut scene = Scene::new(&format!("duration = {duration:?}\ntime_step = {time_step:?}"));
    scene.add(format!("[drag]\n{fluid}"));
    scene.material("stone", 0.5, 0.5);
    scene.body(&Body::new("stone", shape, "stone", DVec3::ZERO));
    let results = scene.run();
    let body = results.body("stone");
    (-body.velocity.z, body.mass)
}

/// The positive root of c2 v^2 + c1 v = m g, written so that it holds for c2 = 0 too.
fn terminal(mass: f64, linear: f64, quadratic: f64) -> f64 {
    let weight = mass * 9.8;
    2.0 * weight / (linear + (linear * linear + 4.0 * quadratic * weight).sqrt())
}

#[test]
fn terminal_speeds_are_exact() {
    let mut judge = Judge::default();
    // Viscosity, density and drag coefficient: creeping in oil, fast in water, and between the two.
    let fluids = [(50.0, 0.0, 0.0), (0.0, 1000.0, 0.44), (5.0, 1000.0, 0.44), (1e-3, 1000.0, 1.2)];
    for (size, (viscosity, density, coefficient)) in [1e-3, 0.1, 10.0].into_iter().flat_map(|s| fluids.map(|f| (s, f)))
    {
        let r: f64 = 0.5 * size;
        let edge = r * libm::cbrt(4.0 / 3.0 * PI);
        for (name, shape) in [("sphere", sphere(r)), ("cube", cuboid(DVec3::splat(edge)))] {
            let fluid = format!("viscosity = {viscosity:?}\ndensity = {density:?}\ndrag_coefficient = {coefficient:?}");
            let mass = 2650.0 * 4.0 / 3.0 * PI * r * r * r;
            let (linear, quadratic) = (6.0 * PI * viscosity * r, 0.5 * coefficient * density * PI * r * r);
            let exact = terminal(mass, linear, quadratic);
            // The time in which the speed comes near: m over the slope of the drag at the end. Twenty of them, 1e-8.
            let unit = mass / (linear + 2.0 * quadratic * exact);
            for steps in [2.0, 20.0] {
                let (speed, _) = sink(&fluid, &shape, unit / steps, 20.0 * unit);
                let label = format!("{name}, {size} m, {viscosity} Pa s, {density} kg/m3, {steps} steps per unit");
                judge.at_most("terminal speed", label, (speed / exact - 1.0).abs(), 1e-6);
            }
        }
    }
    judge.finish();
}

/// Negative control: without a fluid the same body falls with g t.
#[test]
fn without_a_fluid_bodies_fall_freely() {
    let (speed, mass) = sink("viscosity = 0.0", &sphere(0.05), 1e-2, 2.0);
    assert!((speed / 19.6 - 1.0).abs() <= 1e-12, "{speed}");
    assert!((mass / (2650.0 * 4.0 / 3.0 * PI * 0.05f64.powi(3)) - 1.0).abs() <= 1e-12, "{mass}");
}

/// Under global damping of rate xi a step takes xi dt of the velocity that it begins with and adds g dt: falling bodies
/// come to g / xi, whatever their size and shape, and what spins keeps `(1 - xi dt)^n` of its spin after n steps.
#[test]
fn damped_bodies_fall_with_g_over_the_rate() {
    let mut judge = Judge::default();
    for (rate, time_step) in [(0.5, 1e-2), (4.0, 1e-3), (4.0, 0.2)] {
        for (name, shape) in [("sphere", sphere(0.05)), ("cuboid", cuboid(DVec3::new(0.1, 0.2, 2.0)))] {
            let duration = 30.0 / rate;
            let mut scene = Scene::new(&format!("duration = {duration:?}\ntime_step = {time_step:?}"));
            scene.add(format!("[damping]\nlinear = {rate:?}"));
            scene.material("stone", 0.5, 0.5);
            scene.body(&Body::new("stone", &shape, "stone", DVec3::ZERO));
            let speed = -scene.run().body("stone").velocity.z;
            let label = format!("{name}, {rate} 1/s, {time_step} s");
            // Measured: 2e-14 to 9e-14, what thirty time constants leave.
            judge.at_most("terminal speed", label, (speed * rate / 9.8 - 1.0).abs(), 1e-12);
        }
    }
    judge.finish();
}
