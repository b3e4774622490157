//! What free motion must keep: angular momentum, kinetic energy, unit quaternions; for every body, size and step.

use granule_integrator::{Integrator, advance_pose, angular_momentum, kinetic_energy};
use granule_model::{DQuat, DVec3, Pose, Velocity};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Bounds {
    quaternion_norm_error_after_1e6_steps: f64,
    free_body_energy_drift_relative_1e6_steps: f64,
    free_body_angular_momentum_drift_relative_1e6_steps: f64,
}

#[derive(Deserialize)]
struct Motion {
    bounds: Bounds,
}

fn bounds() -> Bounds {
    let text = include_str!("../../../data/reference/r7_motion.json");
    serde_json::from_str::<Motion>(text).expect("the reference file has bounds").bounds
}

/// Worst relative drifts seen in a run.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    momentum_length: f64,
    momentum: f64,
    energy: f64,
    norm: f64,
}

type Step = fn(&mut Pose, &mut Velocity, DVec3, f64);

fn conserving(pose: &mut Pose, velocity: &mut Velocity, inertia: DVec3, dt: f64) {
    advance_pose(Integrator::SymplecticEuler, pose, velocity, inertia, dt);
}

fn runge_kutta(pose: &mut Pose, velocity: &mut Velocity, inertia: DVec3, dt: f64) {
    advance_pose(Integrator::RungeKutta4, pose, velocity, inertia, dt);
}

/// The negative control: Euler's equations in body axes by one explicit step, then the rotation with the new velocity.
fn explicit(pose: &mut Pose, velocity: &mut Velocity, inertia: DVec3, dt: f64) {
    let w = pose.rotation.conjugate() * velocity.angular;
    let w = w + dt * (inertia * w).cross(w) / inertia;
    pose.rotation = granule_integrator::rotate(pose.rotation, pose.rotation * w * dt);
    velocity.angular = pose.rotation * w;
}

/// Runs `steps` steps from the tilted rotation and looks at the invariants a thousand times.
fn drift(step: Step, inertia: DVec3, angular: DVec3, dt: f64, steps: u32) -> Drift {
    let mut pose = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize());
    let mut velocity = Velocity { linear: DVec3::ZERO, angular: pose.rotation * angular };
    let momentum = angular_momentum(pose.rotation, inertia, velocity.angular);
    let energy = kinetic_energy(pose.rotation, inertia, velocity.angular);
    let mut worst = Drift::default();
    for k in 0..steps {
        step(&mut pose, &mut velocity, inertia, dt);
        if k % (steps / 1000).max(1) == 0 || k + 1 == steps {
            let l = angular_momentum(pose.rotation, inertia, velocity.angular);
            let t = kinetic_energy(pose.rotation, inertia, velocity.angular);
            worst.momentum_length = worst.momentum_length.max((l.length() / momentum.length() - 1.0).abs());
            worst.momentum = worst.momentum.max((l - momentum).length() / momentum.length());
            worst.energy = worst.energy.max((t / energy - 1.0).abs());
            worst.norm = worst.norm.max((pose.rotation.length() - 1.0).abs());
        }
    }
    worst
}

fn assert_kept(name: &str, drift: Drift) {
    println!("{name}: {drift:?}");
    let bounds = bounds();
    // The bound is stated for the length of L; its direction is held to it as well.
    let worst = drift.momentum.max(drift.momentum_length);
    assert!(worst <= bounds.free_body_angular_momentum_drift_relative_1e6_steps, "{name}: {drift:?}");
    assert!(drift.energy <= bounds.free_body_energy_drift_relative_1e6_steps, "{name}: {drift:?}");
    assert!(drift.norm <= bounds.quaternion_norm_error_after_1e6_steps, "{name}: {drift:?}");
}

#[test]
fn a_million_steps_keep_momentum_energy_and_norm() {
    // |w| dt = 1e-3 throughout. Measured: momentum 3.5e-14 to 1.7e-13, energy 3.9e-14 to 2.9e-13, norm 2.3e-16.
    for (name, inertia, angular) in [
        ("asymmetric", DVec3::new(0.4, 0.7, 0.9), DVec3::new(1.0, -0.5, 2.0)),
        ("middle axis", DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.1, 2.0, 0.1)),
        ("principal axis", DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 0.0, 3.0)),
        // Square lamina of 1 kg and 1 m: I3 = I1 + I2.
        ("lamina", DVec3::new(1.0 / 12.0, 1.0 / 12.0, 1.0 / 6.0), DVec3::new(1.0, 0.3, 0.2)),
        // Cylinder of 10 diameters.
        ("rod", DVec3::new(8.396, 8.396, 0.125), DVec3::new(0.7, 1.0, 3.0)),
        // Pebble of 1 mm and block of 100 m, 2650 kg/m3.
        ("pebble", 1e-13 * DVec3::new(3.1, 4.4, 5.2), DVec3::new(100.0, -220.0, 71.0)),
        ("block", 1e12 * DVec3::new(3.1, 4.4, 5.2), DVec3::new(0.01, 0.02, -0.007)),
    ] {
        assert_kept(name, drift(conserving, inertia, angular, 1e-3 / angular.length(), 1_000_000));
    }
}

#[test]
fn a_million_steps_of_a_sphere_keep_its_velocity_bit_for_bit() {
    let mut pose = Pose::IDENTITY;
    let spin = Velocity { linear: DVec3::ZERO, angular: DVec3::new(1.0, 2.0, 3.0) };
    let mut velocity = spin;
    for _ in 0..1_000_000 {
        conserving(&mut pose, &mut velocity, DVec3::splat(1e-12), 2.7e-4);
    }
    assert_eq!(velocity, spin);
    assert!((pose.rotation.length() - 1.0).abs() <= 4.0 * f64::EPSILON);
}

#[test]
fn runge_kutta_keeps_momentum_always_and_energy_to_its_order() {
    let top = (DVec3::new(0.4, 0.7, 0.9), DVec3::new(1.0, -0.5, 2.0));
    let fine = drift(runge_kutta, top.0, top.1, 1e-3 / top.1.length(), 100_000);
    assert_kept("Runge-Kutta", fine);
    let coarse = drift(runge_kutta, top.0, top.1, 0.1 / top.1.length(), 10_000);
    println!("Runge-Kutta at 0.1 rad a step: {coarse:?}");
    assert!(coarse.momentum <= 1e-12, "{coarse:?}");
}

/// Negative control: the bounds above are not met by the plain scheme, so they can tell.
#[test]
fn explicit_update_of_the_angular_velocity_fails_the_bounds() {
    let inertia = DVec3::new(0.4, 0.7, 0.9);
    let angular = DVec3::new(1.0, -0.5, 2.0);
    let drift = drift(explicit, inertia, angular, 1e-3 / angular.length(), 100_000);
    // Measured: momentum 1.9e-3, energy 5.2e-3 after a tenth of the steps.
    println!("explicit: {drift:?}");
    let bounds = bounds();
    assert!(drift.momentum_length > 1e6 * bounds.free_body_angular_momentum_drift_relative_1e6_steps);
    assert!(drift.energy > bounds.free_body_energy_drift_relative_1e6_steps);
}

#[test]
fn large_steps_neither_gain_energy_nor_lose_momentum() {
    // From a third of a radian up to thousands of turns in a step; and needles, whose equation is stiff.
    for turn in [0.3, 1.0, 6.0, 100.0, 1e4] {
        for inertia in [DVec3::new(1.0, 2.0, 2.9), DVec3::new(1.0, 1.02, 0.05), DVec3::new(1.0, 1.0001, 1e-4)] {
            let angular = DVec3::new(0.4, 1.0, -0.6);
            let drift = drift(conserving, inertia, angular, turn / angular.length(), 200);
            println!("{turn} rad, {inertia}: {drift:?}");
            // Measured: momentum and energy below 5e-14.
            assert!(drift.momentum <= 1e-12 && drift.energy <= 1e-12, "{turn} {inertia}: {drift:?}");
        }
    }
}

#[test]
fn motion_that_is_not_finite_is_not_hidden() {
    for bad in [f64::NAN, f64::INFINITY] {
        for integrator in [Integrator::SymplecticEuler, Integrator::RungeKutta4] {
            let mut pose = Pose::IDENTITY;
            let mut velocity = Velocity { linear: DVec3::ZERO, angular: DVec3::new(1.0, bad, 0.0) };
            advance_pose(integrator, &mut pose, &mut velocity, DVec3::new(1.0, 2.0, 2.5), 1e-3);
            assert!(!pose.is_finite() || !velocity.is_finite());
        }
    }
    let mut pose = Pose::IDENTITY;
    let mut velocity = Velocity::ZERO;
    advance_pose(Integrator::SymplecticEuler, &mut pose, &mut velocity, DVec3::new(1.0, 2.0, 2.5), 1e-3);
    assert_eq!((pose, velocity), (Pose::IDENTITY, Velocity::ZERO));
}

/// Moments of a rigid body: sums of pairs of second moments of mass, each at least a thousandth of the largest.
fn moments() -> impl Strategy<Value = DVec3> {
    let second = || 1e-3..1.0f64;
    (second(), second(), second(), -15.0..12.0f64)
        .prop_map(|(a, b, c, scale)| DVec3::new(b + c, c + a, a + b) * 10f64.powf(scale))
}

fn vector() -> impl Strategy<Value = DVec3> {
    let part = || -1.0..1.0f64;
    (part(), part(), part())
        .prop_map(|(x, y, z)| DVec3::new(x, y, z))
        .prop_filter("has a direction", |v| v.length() > 0.1)
}

proptest! {
    #[test]
    fn any_body_keeps_momentum_and_energy(inertia in moments(), axis in vector(), rate in -4.0..4.0f64, turn in 1e-4..0.4f64) {
        let angular = axis * 10f64.powf(rate);
        let drift = drift(conserving, inertia, angular, turn / angular.length(), 100);
        prop_assert!(drift.momentum <= 1e-13 && drift.energy <= 1e-12, "{drift:?}");
    }

    // Pieces are counted by the largest speed that the top comes to, which is the same both ways.
    #[test]
    fn the_step_backwards_undoes_the_step(inertia in moments(), axis in vector(), turn in 1e-5..2.0f64) {
        let start = (Pose::new(axis, DQuat::from_xyzw(0.1, 0.2, 0.3, 0.4).normalize()), Velocity { linear: axis, angular: axis });
        let (mut pose, mut velocity) = start;
        for dt in [turn, -turn] {
            conserving(&mut pose, &mut velocity, inertia, dt);
        }
        prop_assert!((pose.position - start.0.position).length() <= 1e-15);
        prop_assert!((pose.rotation - start.0.rotation).length() <= 1e-12, "{:?}", pose.rotation - start.0.rotation);
        prop_assert!((velocity.angular - axis).length() <= 1e-12);
    }
}
