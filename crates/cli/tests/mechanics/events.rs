//! Stepping from impact to impact: exact flights and rebounds, and the limit of the ordinary step for short steps.
//!
//! Measured: energy of a rebound to 4e-15, place after two bounces to 1.2e-12 m, energy of 40 elastic balls under
//! gravity to 2e-15 over the run; cradles of the eleven laws alike in both ways to 1e-6, energy tracking by the release
//! to 3 %.

use glam::DVec3;
use granule_solver::Law;

use crate::support::{Body, Ground, Judge, Results, Scene, sphere};

/// A ball that is dropped from 2 m, for `duration` \[s\].
fn dropped(stepping: &str, restitution: f64, step: f64, duration: f64) -> Results {
    let run = format!("duration = {duration:?}\ntime_step = {step:?}\nstepping = \"{stepping}\"");
    let mut scene = Scene::with_ledger(&run, 1);
    scene.material("ground", restitution, 0.3);
    Ground::HalfSpace.add_to(&mut scene, 0.0, 40.0);
    scene.body(&Body::new("ball", sphere(0.5), "ground", DVec3::new(0.0, 0.0, 2.5)));
    scene.run()
}

/// Every bounce leaves exactly e^2 of the energy of the one before: gravity is -9.8 m/s2, the ground lies at 0.
#[test]
fn a_ball_keeps_e_squared_of_its_energy() {
    let mut judge = Judge::default();
    for (e, step) in [0.5, 0.8, 1.0].into_iter().flat_map(|e| [1.0 / 60.0, 1.0 / 240.0].map(|step| (e, step))) {
        let results = dropped("event", e, step, 2.0);
        let mass = results.body("ball").mass;
        let above = |total: f64| total - mass * 9.8 * 0.5;
        let star = results.column("energy_star");
        let drop = mass * 9.8 * 2.0;
        let fall = (2.0 * 2.0 / 9.8f64).sqrt();
        // The datum of the energy is the ground.
        for (time, total) in results.column("time").into_iter().zip(star) {
            let (mut bounces, mut end) = (0, fall);
            while end < time && bounces < 40 {
                bounces += 1;
                end += 2.0 * fall * e.powi(bounces);
            }
            // As long as it bounces far above the few g dt that count as rest.
            if (2.0 * 9.8 * 2.0f64).sqrt() * e.powi(bounces + 1) > 40.0 * 9.8 * step {
                let error = (above(total) / (drop * e.powi(2 * bounces)) - 1.0).abs();
                judge.at_most("energy of a rebound", format!("e {e}, step {step:.5}, t {time:.3}"), error, 1e-12);
            }
        }
    }
    judge.finish();
}

/// The ordinary step comes to the same as its step goes to zero; the exact place is that of a thrown ball after two
/// bounces.
#[test]
fn ordinary_steps_come_to_the_same() {
    let mut judge = Judge::default();
    let (g, e, duration): (f64, f64, f64) = (9.8, 0.8, 1.9);
    let fall = (2.0 * 2.0 / g).sqrt();
    let speed = g * fall;
    let since = duration - fall - 2.0 * fall * e;
    let exact = 0.5 + e * e * speed * since - 0.5 * g * since * since;
    let error = |stepping: &str, step: f64| (dropped(stepping, e, step, duration).body("ball").at.z - exact).abs();
    for step in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 960.0, 1.0 / 7680.0] {
        let case = format!("step {step:.6}");
        judge.at_most("place, from impact to impact", &case, error("event", step), 1e-10);
        // A bounce is seen up to a step late.
        judge.at_most("place, ordinary steps", &case, error("margin", step), 0.5 * speed * step);
    }
    judge.finish();
}

/// Restitution that falls with speed: 1 - 0.3 (v/v0)^0.75 at the speed of the touch.
#[test]
fn restitution_falls_with_speed() {
    let mut judge = Judge::default();
    let speed = (2.0 * 9.8 * 2.0f64).sqrt();
    // Beyond v0 it is constant; sqrt(g D) of a ball of 1 m is 3.13 m/s.
    for (given, full) in [("20.0", 20.0), ("7.0", 7.0), ("5.0", speed), ("\"natural\"", speed)] {
        let expected = 1.0 - 0.3 * (speed / full).powf(0.75);
        let step = 1.0 / 240.0;
        for (stepping, bound) in [("event", 1e-12), ("margin", 0.02)] {
            let run = format!("duration = 1.0\ntime_step = {step:?}\nstepping = \"{stepping}\"");
            let mut scene = Scene::new(&run);
            scene.add(format!(
                "[materials.ground]\ndensity = 1000.0\nrestitution = 0.7\nrestitution_speed = {given}\nstatic_friction = 0.3"
            ));
            Ground::HalfSpace.add_to(&mut scene, 0.0, 40.0);
            scene.body(&Body::new("ball", sphere(0.5), "ground", DVec3::new(0.0, 0.0, 2.5)));
            let ball = scene.run().body("ball").clone();
            let energy = 0.5 * ball.velocity.length_squared() + 9.8 * (ball.at.z - 0.5);
            let measured = (energy / (9.8 * 2.0)).sqrt();
            judge.at_most("restitution", format!("{stepping}, v0 {given}"), (measured / expected - 1.0).abs(), bound);
        }
    }
    judge.finish();
}

/// A ball runs into four that touch: what the law makes of it, and the same by short ordinary steps.
fn cradle(law: &str, stepping: &str, step: f64) -> Vec<f64> {
    let run = format!("duration = 1.0\ntime_step = {step:?}\nstepping = \"{stepping}\"\ngravity = [0.0, 0.0, 0.0]");
    let mut scene = Scene::new(&run);
    scene.add(format!("[law.{law}]"));
    scene.material("steel", 1.0, 0.0);
    for i in 0..5 {
        // The first comes from 0.25 m away with 1 m/s.
        let x = if i == 0 { -0.25 } else { f64::from(i) };
        let mut ball = Body::new(format!("ball-{i}"), sphere(0.5), "steel", DVec3::X * x);
        ball.velocity = if i == 0 { DVec3::X } else { DVec3::ZERO };
        scene.body(&ball);
    }
    let results = scene.run();
    (0..5).map(|i| results.body(&format!("ball-{i}")).velocity.x).collect()
}

#[test]
fn cradles_go_by_their_law_in_both_ways_of_stepping() {
    let mut judge = Judge::default();
    for law in Law::NAMES {
        let exact = cradle(law, "event", 0.01);
        let momentum: f64 = exact.iter().sum();
        judge.at_most("momentum", law, (momentum - 1.0).abs(), 1e-12);
        let energy: f64 = exact.iter().map(|v| v * v).sum();
        judge.at_most("energy", law, (energy - 1.0).abs(), 1e-9);
        // The release of energy tracking goes in other steps than the method alone.
        let bound = if law == "etm" { 0.1 } else { 1e-6 };
        for (v, w) in exact.iter().zip(cradle(law, "margin", 1e-3)) {
            judge.at_most("difference of the two ways", law, (v - w).abs(), bound);
        }
    }
    judge.finish();
}

/// Elastic balls in a closed box under gravity: no term of the step's length is left in the energy.
#[test]
fn elastic_balls_keep_their_energy_under_gravity() {
    let mut judge = Judge::default();
    let run = "duration = 0.4\ntime_step = 0.01\nstepping = \"event\"";
    let mut scene = Scene::with_ledger(run, 1);
    scene.material("glass", 1.0, 0.0);
    for (i, (normal, at)) in [
        (DVec3::X, DVec3::ZERO),
        (DVec3::Y, DVec3::ZERO),
        (DVec3::Z, DVec3::ZERO),
        (-DVec3::X, DVec3::X * 4.0),
        (-DVec3::Y, DVec3::Y * 4.0),
        (-DVec3::Z, DVec3::Z * 4.0),
    ]
    .into_iter()
    .enumerate()
    {
        let shape = format!("half-space.normal = {}", crate::support::vector(normal));
        let mut wall = Body::new(format!("wall-{i}"), shape, "glass", at);
        wall.kind = "static";
        scene.body(&wall);
    }
    scene.add(
        "[[fill]]\nname = \"ball\"\nshape = { sphere.radius = 0.4 }\nmaterial = \"glass\"\ncount = 40\njitter = 0.02\n\
         random_speed = 20.0\nseed = 3\n[fill.grid]\nsize = [4.0, 4.0]\npitch = 0.95\nfirst_layer = 0.5",
    );
    let results = scene.run();
    let hits = results.number("/impacts/hits");
    judge.at_most("impacts missing", "gas", 200.0 - hits, 0.0);
    let star = results.column("energy_star");
    let worst = star.iter().map(|e| (e / star[0] - 1.0).abs()).fold(0.0, f64::max);
    judge.at_most("energy", "gas", worst, 1e-13);
    judge.at_most("overlap", "gas", results.number("/largest_overlap"), 1e-13);
    judge.finish();
}
