//! Orders of the schemes under smooth loads: a projectile with drag, and a body turned by a torque of its own rotation.

use granule_integrator::{Integrator, Load, advance_smooth};
use granule_model::{DVec3, Pose, Velocity};

const INTEGRATORS: [(Integrator, f64); 3] =
    [(Integrator::SymplecticEuler, 1.0), (Integrator::Midpoint, 2.0), (Integrator::RungeKutta4, 4.0)];

/// State after `time` \[s\] in `steps` steps from `velocity`.
fn run(
    integrator: Integrator,
    velocity: Velocity,
    inertia: DVec3,
    load: impl Fn(&Pose, &Velocity) -> Load,
    time: f64,
    steps: u32,
) -> (Pose, Velocity) {
    let (mut pose, mut velocity) = (Pose::IDENTITY, velocity);
    for _ in 0..steps {
        advance_smooth(integrator, &mut pose, &mut velocity, inertia, &load, time / f64::from(steps));
    }
    (pose, velocity)
}

/// Projectile with drag linear in v and moment linear in w; both have closed forms for a sphere.
#[test]
fn projectile_with_linear_drag_converges_to_its_closed_form() {
    const RATE: f64 = 0.8;
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let inertia = DVec3::splat(1e-12);
    let start = Velocity { linear: DVec3::new(3.0, -1.0, 8.0), angular: DVec3::new(2.0, 1.0, -4.0) };
    let time = 2.0;
    let decay = (-RATE * time).exp();
    let terminal = gravity / RATE;
    let exact_position = terminal * time + (start.linear - terminal) * ((1.0 - decay) / RATE);
    let exact_angular = start.angular * decay;
    let load = |_: &Pose, v: &Velocity| Load {
        acceleration: gravity - RATE * v.linear,
        torque: -RATE * inertia.x * v.angular,
    };
    for (integrator, expected) in INTEGRATORS {
        let error = |steps| {
            let (pose, velocity) = run(integrator, start, inertia, load, time, steps);
            let turn = start.angular.length() * (1.0 - decay) / RATE;
            let exact = granule_integrator::rotate(Pose::IDENTITY.rotation, start.angular.normalize() * turn);
            let rotation = (pose.rotation - exact).length().min((pose.rotation + exact).length());
            [(pose.position - exact_position).length(), (velocity.angular - exact_angular).length(), rotation]
        };
        let (coarse, fine) = (error(100), error(200));
        for (what, k) in [("position", 0), ("angular velocity", 1), ("rotation", 2)] {
            let order = (coarse[k] / fine[k]).log2();
            println!("{integrator:?} {what}: order {order:.3}, error {:.1e}", fine[k]);
            // Measured: 1.002 to 1.003, 2.009, 4.010.
            assert!((order - expected).abs() <= 0.1, "{integrator:?} {what}: order {order}");
        }
    }
}

/// Drag quadratic in v, falling from rest: v = v_t tanh(g t / v_t).
#[test]
fn fall_with_quadratic_drag_converges_to_its_closed_form() {
    let (g, terminal, time) = (9.81, 12.0, 1.5_f64);
    let exact = -terminal * (g * time / terminal).tanh();
    let load = |_: &Pose, v: &Velocity| Load {
        acceleration: -g * DVec3::Z - v.linear.length() * v.linear * (g / (terminal * terminal)),
        torque: DVec3::ZERO,
    };
    for (integrator, expected) in INTEGRATORS {
        let error = |steps| {
            let end = run(integrator, Velocity::ZERO, DVec3::ONE, load, time, steps).1;
            (end.linear.z - exact).abs()
        };
        let order = (error(50) / error(100)).log2();
        // Measured: 1.005, 2.016, 4.017.
        println!("{integrator:?}: order {order:.3}, error {:.1e}", error(100));
        assert!((order - expected).abs() <= 0.15, "{integrator:?}: order {order}");
    }
}

/// The heavy top's torque about the centre of mass, on an asymmetric body: no closed form, so three steps are compared.
#[test]
fn torque_that_depends_on_the_rotation_is_integrated_to_order() {
    let inertia = DVec3::new(0.4, 0.7, 0.9);
    let start = Velocity { linear: DVec3::ZERO, angular: DVec3::new(0.5, -1.0, 3.0) };
    let load = |pose: &Pose, v: &Velocity| {
        let arm = pose.rotation * DVec3::Z;
        Load { acceleration: v.angular.cross(arm), torque: arm.cross(-2.0 * DVec3::Z) - 0.1 * v.angular }
    };
    for (integrator, expected) in INTEGRATORS {
        let end = |steps| run(integrator, start, inertia, load, 2.0, steps);
        let (coarse, middle, fine) = (end(400), end(800), end(1600));
        let distance = |a: &(Pose, Velocity), b: &(Pose, Velocity)| {
            (a.0.rotation - b.0.rotation).length()
                + (a.1.angular - b.1.angular).length()
                + (a.0.position - b.0.position).length()
        };
        let order = (distance(&coarse, &middle) / distance(&middle, &fine)).log2();
        // Measured: 1.004, 2.005, 4.000.
        println!("{integrator:?}: order {order:.3}");
        assert!((order - expected).abs() <= 0.15, "{integrator:?}: order {order}");
    }
}

/// Symplectic Euler in a field: E* = T + V + (dt/2) m g v is exactly constant, which the energy ledger relies on.
#[test]
fn free_fall_keeps_the_shifted_energy() {
    let (g, dt) = (9.81, 1.0 / 60.0);
    let start = Velocity { linear: DVec3::new(1.0, 0.0, 5.0), angular: DVec3::ZERO };
    let load = |_: &Pose, _: &Velocity| Load { acceleration: -g * DVec3::Z, torque: DVec3::ZERO };
    let shifted =
        |pose: &Pose, v: &Velocity| 0.5 * v.linear.length_squared() + g * pose.position.z - 0.5 * dt * g * v.linear.z;
    let (pose, velocity) = run(Integrator::SymplecticEuler, start, DVec3::ONE, load, 1200.0 * dt, 1200);
    let before = shifted(&Pose::IDENTITY, &start);
    let scale = 0.5 * velocity.linear.length_squared();
    let error = (shifted(&pose, &velocity) - before).abs() / scale;
    // Measured: 5.5e-15.
    println!("shifted energy: {error:.1e}");
    assert!(error <= 1e-13, "{error:e}");
}
