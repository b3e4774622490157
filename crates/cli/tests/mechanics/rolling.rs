//! Spheres that roll, slip, and pass from one to the other.
//!
//! Measured: speeds and spins to 2e-13, distances to 3e-14, final speeds after sliding to 1e-14; distance after sliding
//! 99 % of the bound, which is the integrator's share.

use glam::DVec3;
use serde_json::Value;

use crate::support::{Body, Final, Ground, Judge, Scene, about_y, number, reference, sphere};

const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 240.0, 1.0 / 600.0];

/// A run of one ball that starts on a plane.
struct Roll {
    ground: Ground,
    radius: f64,
    slope: f64,
    friction: f64,
    gravity: f64,
    time_step: f64,
    duration: f64,
    /// Downhill \[m/s\].
    speed: f64,
    /// About y: positive rolls downhill \[rad/s\].
    spin: f64,
}

impl Roll {
    /// Distance and speed downhill, spin about y, and the final state.
    fn run(&self) -> (f64, f64, f64, Final) {
        let mut scene = Scene::new(&format!(
            "duration = {:?}\ntime_step = {:?}\ngravity = [0.0, 0.0, {:?}]",
            self.duration, self.time_step, -self.gravity
        ));
        scene.material("ground", 0.0, self.friction);
        self.ground.add_to(&mut scene, self.slope, 150.0 * self.radius);
        let turn = about_y(self.slope);
        let start = turn * DVec3::new(0.0, 0.0, self.radius);
        let mut ball = Body::new("ball", sphere(self.radius), "ground", start);
        ball.velocity = turn * DVec3::X * self.speed;
        ball.angular_velocity = DVec3::Y * self.spin;
        scene.body(&ball);
        let end = scene.run().body("ball").clone();
        let downhill = turn * DVec3::X;
        ((end.at - start).dot(downhill), end.velocity.dot(downhill), end.angular_velocity.y, end)
    }
}

/// A ball from rest with the acceleration a and the angular acceleration b; checks speed, spin and distance at
/// `duration`. The acceleration is constant, so that symplectic Euler gives speed and spin exactly, and a distance that
/// is too long by a T dt / 2.
fn judge_from_rest(judge: &mut Judge, label: &str, roll: &Roll, a: f64, b: f64) {
    let t = roll.duration;
    let (distance, speed, spin, _) = roll.run();
    judge.at_most("speed of a ball", label, (speed / (a * t) - 1.0).abs(), 1e-9);
    judge.at_most("spin of a ball", label, (spin / (b * t) - 1.0).abs(), 1e-9);
    let expected = 0.5 * a * t * (t + roll.time_step);
    judge.at_most("distance of a ball", label, (distance / expected - 1.0).abs(), 1e-6);
}

/// A uniform solid sphere rolls with 5/7 g sin alpha while mu >= 2/7 tan alpha, and slips beyond with
/// g (sin alpha - mu cos alpha) and the angular acceleration 5/2 mu g cos alpha / r.
#[test]
fn balls_roll_and_slip_down_slopes() {
    let mut judge = Judge::default();
    let gravity = 9.8;
    for (degrees, size) in [10.0, 20.0, 30.0, 40.0].into_iter().flat_map(|d: f64| [1e-3, 1.0, 100.0].map(|s| (d, s))) {
        let (slope, radius, unit) = (degrees.to_radians(), 0.5 * size, f64::sqrt(size));
        let critical = 2.0 / 7.0 * libm::tan(slope);
        for (ground, step) in Ground::ALL.into_iter().flat_map(|g| STEPS.map(|step| (g, step))) {
            for share in [0.0, 0.4, 0.9, 1.1, 3.0] {
                let friction = share * critical;
                let (time_step, duration) = (step * unit, unit);
                let roll =
                    Roll { ground, radius, slope, friction, gravity, time_step, duration, speed: 0.0, spin: 0.0 };
                let label = format!("{ground:?}, {size} m, {degrees} degrees, {share} of critical, step {step:.5}");
                if share == 0.0 {
                    let (_, speed, spin, _) = roll.run();
                    let exact = gravity * libm::sin(slope) * duration;
                    judge.at_most("speed without friction", &label, (speed / exact - 1.0).abs(), 1e-9);
                    judge.at_most("spin without friction", &label, (spin * radius / exact).abs(), 1e-12);
                    continue;
                }
                let rolls = share > 1.0;
                let a = gravity
                    * if rolls { 5.0 / 7.0 * libm::sin(slope) } else { libm::sin(slope) - friction * libm::cos(slope) };
                let b = if rolls { a } else { 2.5 * friction * gravity * libm::cos(slope) } / radius;
                judge_from_rest(&mut judge, &label, &roll, a, b);
            }
        }
    }
    judge.finish();
}

fn r7() -> Value {
    reference(include_str!("../../../../data/reference/r7_motion.json"))
}

#[test]
fn the_reference_slopes_are_met() {
    let mut judge = Judge::default();
    let file = r7();
    let cases = file["rolling"].as_array().expect("cases");
    // The engine has no cylinder; its case is one of mechanics only.
    let spheres: Vec<_> = cases.iter().filter(|case| number(case, "inertia_factor") == 0.4).collect();
    assert_eq!(spheres.len(), 2);
    for case in spheres {
        for (ground, step) in Ground::ALL.into_iter().flat_map(|g| STEPS.map(|step| (g, step))) {
            let roll = Roll {
                ground,
                radius: number(case, "radius"),
                slope: number(case, "incline_deg").to_radians(),
                friction: number(case, "mu"),
                gravity: number(case, "gravity"),
                time_step: step,
                duration: number(case, "time"),
                speed: 0.0,
                spin: 0.0,
            };
            let label = format!("{}, {ground:?}, step {step:.5}", case["name"]);
            let (a, b) = (number(case, "linear_acceleration"), number(case, "angular_acceleration"));
            judge_from_rest(&mut judge, &label, &roll, a, b);
            let (_, speed, spin, _) = roll.run();
            judge.at_most("speed of the file", &label, (speed / number(case, "speed") - 1.0).abs(), 1e-9);
            judge.at_most("spin of the file", &label, (spin / number(case, "angular_speed") - 1.0).abs(), 1e-9);
        }
    }
    judge.finish();
}

/// A ball that starts sliding on the level ends up rolling with (5 v0 + 2 r w0) / 7, whatever the friction: the angular
/// momentum about the line of contact stays. While it slides it is slowed by mu g.
#[test]
fn sliding_turns_into_rolling() {
    let mut judge = Judge::default();
    let file = r7();
    for case in file["slide_to_roll"].as_array().expect("cases") {
        let (v0, w0) = (number(case, "speed"), number(case, "spin"));
        let (mu, gravity) = (number(case, "mu"), number(case, "gravity"));
        let rolling_after = number(case, "time_to_rolling");
        for (ground, step) in Ground::ALL.into_iter().flat_map(|g| STEPS.map(|step| (g, step))) {
            let roll = |duration: f64| Roll {
                ground,
                radius: number(case, "radius"),
                slope: 0.0,
                friction: mu,
                gravity,
                time_step: step,
                duration,
                speed: v0,
                spin: w0,
            };
            let label = format!("{}, {ground:?}, step {step:.5}", case["name"]);
            let half = 0.5 * rolling_after;
            let (_, speed, _, _) = roll(half).run();
            judge.at_most("speed while sliding", &label, (speed / (v0 - mu * gravity * half) - 1.0).abs(), 1e-9);
            let (distance, speed, spin, end) = roll(1.5 * rolling_after).run();
            let (final_speed, final_spin) = (number(case, "final_speed"), number(case, "final_spin"));
            judge.at_most("final speed", &label, (speed / final_speed - 1.0).abs(), 1e-9);
            judge.at_most("final spin", &label, (spin / final_spin - 1.0).abs(), 1e-9);
            judge.at_most("sideways", &label, end.velocity.y.abs() / final_speed, 1e-9);
            // Speeds from the ends of the steps: short by (v0 - v) dt / 2 while sliding, and by up to as much again in
            // the step in which sliding ends.
            let expected = number(case, "distance_to_rolling") + 0.5 * rolling_after * final_speed;
            let bound = (v0 - final_speed) * step / 2.0 + mu * gravity * step * step;
            judge.at_most("distance", &label, (distance - expected).abs(), bound);
        }
    }
    judge.finish();
}
