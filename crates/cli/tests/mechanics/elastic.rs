//! Perfectly elastic, frictionless spheres in a closed box keep their energy, impact by impact and over the whole run.
//!
//! Measured: at least 739 impacts; impact stages to 9e-15, the run without gravity to 1.3e-15; with gravity a whole
//! step to 3.2e-5, the run of 250 steps to 1.3e-4, and to 1.1e-4 in E*. With a restitution of 0.999 instead of 1 that
//! run loses 2.0e-2. With sleeping or without is the same: nothing holds a ball without friction.

use glam::DVec3;

use crate::support::{Body, Judge, Results, Scene, vector};

const COUNT: usize = 60;
const STEP: f64 = 1.0 / 600.0;
const STEPS: u32 = 250;

/// Spheres of 3 m diameter that start at 20 m/s in random directions, 0.3 m apart, in a closed box.
fn run(gravity: f64, steps: u32) -> Results {
    run_with(1.0, gravity, steps)
}

/// As [`run`], with another restitution.
fn run_with(restitution: f64, gravity: f64, steps: u32) -> Results {
    let duration = STEP * f64::from(steps);
    let mut scene = Scene::with_ledger(
        &format!("duration = {duration:?}\ntime_step = {STEP:?}\ngravity = [0.0, 0.0, {:?}]", -gravity),
        1,
    );
    scene.material("glass", restitution, 0.0);
    let box_size = DVec3::new(13.2, 13.2, 14.0);
    for (i, normal) in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).enumerate() {
        // The walls that look back along an axis stand at its far end.
        let at = -normal.min(DVec3::ZERO) * box_size;
        let shape = format!("half-space.normal = {}", vector(normal));
        let mut wall = Body::new(format!("wall-{i}"), shape, "glass", at);
        wall.kind = "static";
        scene.body(&wall);
    }
    scene.add(format!(
        "[[fill]]\nname = \"ball\"\nshape = {{ sphere.radius = 1.5 }}\nmaterial = \"glass\"\ncount = {COUNT}\njitter = 0.05\n\
         random_speed = 20.0\nseed = 7\n[fill.grid]\nsize = [13.2, 13.2]\npitch = 3.3\nfirst_layer = 1.65"
    ));
    scene.run()
}

/// At least as many impacts as this happened: half the changes of velocity (gravity's own taken off) that are seen by
/// looking at the balls every few steps, since an impact changes two balls at most.
fn least_impacts(gravity: f64) -> usize {
    const EVERY: usize = 5;
    let states = |results: &Results| -> Vec<DVec3> {
        results.bodies().filter(|(name, _)| name.starts_with("ball")).map(|(_, b)| b.velocity).collect()
    };
    let looks: Vec<_> = (EVERY as u32..=STEPS).step_by(EVERY).map(|steps| states(&run(gravity, steps))).collect();
    assert_eq!(looks[0].len(), COUNT);
    let fall = DVec3::Z * -gravity * STEP * EVERY as f64;
    let changed = |before: &DVec3, after: &DVec3| (*after - *before - fall).length() > 1e-6 * 20.0;
    let changes =
        looks.windows(2).map(|w| w[0].iter().zip(&w[1]).filter(|(a, b)| changed(a, b)).count()).sum::<usize>();
    changes / 2
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, v| v.abs().max(most))
}

#[test]
fn without_gravity_the_energy_stays_over_the_whole_run() {
    let mut judge = Judge::default();
    let results = run(0.0, STEPS);
    judge.at_most("error of an impact stage", "no gravity", largest(&results.column("impact_error")), 1e-12);
    let start = results.number("/energy/start");
    let mass = results.body("ball-1").mass;
    assert!((start / (0.5 * mass * 400.0 * COUNT as f64) - 1.0).abs() < 1e-12, "all start at 20 m/s");
    let kinetic = results.column("kinetic");
    let errors: Vec<f64> = kinetic.iter().map(|k| k / start - 1.0).collect();
    judge.at_most("energy over the whole run", "no gravity", largest(&errors), 1e-12);
    judge.at_most("energy gained", "no gravity", results.number("/energy_gained"), 1e-5);
    judge.at_most("overlap", "no gravity", results.number("/largest_overlap"), 0.01);
    judge.at_most("impacts too few", "no gravity", 300.0, least_impacts(0.0) as f64);
    judge.finish();
}

/// Kinetic and potential energy, row by row.
fn total_energy(results: &Results) -> Vec<f64> {
    results.column("kinetic").iter().zip(results.column("potential")).map(|(k, p)| k + p).collect()
}

/// The energy over the whole run: what each step may change must not add up.
fn judge_run(judge: &mut Judge, case: &str, results: &Results) {
    let errors = |values: &[f64]| largest(&values.iter().map(|v| v / values[0] - 1.0).collect::<Vec<_>>());
    // 9e-6 of E*; 1.1e-4 where impacts are resolved at the end of a step. The plain energy swings about it by dt/2 g p,
    // with p the momentum upwards, since velocities in flight lag by half a step: 2.5e-4.
    judge.at_most("energy over the whole run", case, errors(&total_energy(results)), 5e-4);
    judge.at_most("E* over the whole run", case, errors(&results.column("energy_star")), 2e-5);
}

#[test]
fn with_gravity_impacts_keep_the_energy_and_the_step_nearly() {
    let mut judge = Judge::default();
    let results = run(9.8, STEPS);
    judge.at_most("error of an impact stage", "gravity", largest(&results.column("impact_error")), 1e-12);
    // A bounce off the floor changes the integrator's own term (dt/2) m g v.
    let total = total_energy(&results);
    let steps: Vec<f64> = total.windows(2).map(|w| w[1] / w[0] - 1.0).collect();
    judge.at_most("energy of a whole step", "gravity", largest(&steps), 1e-4);
    judge_run(&mut judge, "gravity", &results);
    judge.at_most("overlap", "gravity", results.number("/largest_overlap"), 0.01);
    judge.at_most("impacts too few", "gravity", 300.0, least_impacts(9.8) as f64);
    judge.finish();
}

/// Negative control: what each step loses within its bound is seen over the run.
#[test]
fn a_loss_of_a_thousandth_of_the_speed_is_seen() {
    let mut judge = Judge::default();
    judge_run(&mut judge, "a restitution of 0.999", &run_with(0.999, 9.8, STEPS));
    assert_eq!(judge.missed().len(), 2, "{:?}", judge.missed());
}
