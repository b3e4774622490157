//! The contact stage where the answer is known.

use std::f64::consts::TAU;

use granule_model::{Coefficients, DVec3, Velocity};

use crate::support::scene::{Part, Scene, Touch, rough, sweeps, until};

const G: f64 = 9.8;
const DT: f64 = 0.01;

fn close(value: f64, expected: f64, bound: f64) -> bool {
    (value - expected).abs() <= bound
}

#[test]
fn a_resting_ball_is_carried_by_its_weight() {
    let solved = Scene::ball_on_floor(DVec3::ZERO, rough(0.3)).stage(&until(1e-15));
    assert!(
        close(solved.rows[0].normal_impulse, 2.0 * G * DT, 1e-16 * 2.0 * G * DT),
        "{:e}",
        solved.rows[0].normal_impulse
    );
    assert!(solved.velocity(0).linear.length() <= 1e-17);
    assert_eq!(solved.report.scale, 1.0);
    // Negative control: without the contact it falls.
    let mut free = Scene::ball_on_floor(DVec3::ZERO, rough(0.3));
    free.touches.clear();
    assert!(close(free.stage(&until(1e-15)).velocity(0).linear.z, -G * DT, 1e-16));
}

/// Gravity tilted by the angle with tangent `slope`, towards +x.
fn tilted(slope: f64) -> (DVec3, f64, f64) {
    let cos = 1.0 / (1.0 + slope * slope).sqrt();
    let sin = slope * cos;
    (DVec3::new(sin, 0.0, -cos) * G, sin, cos)
}

#[test]
fn a_block_on_an_incline_sticks_below_the_angle_of_friction_and_slides_above() {
    for friction in [0.1, 0.3, 0.6] {
        for ratio in [0.2, 0.9, 0.999, 1.001, 1.1, 2.0] {
            let (gravity, sin, cos) = tilted(friction * ratio);
            let solved = Scene::block_on_floor(DVec3::ZERO, gravity, rough(friction)).stage(&until(1e-16));
            let expected = if ratio < 1.0 { 0.0 } else { G * (sin - friction * cos) * DT };
            let v = solved.velocity(0);
            // Measured 1e-15 over 0.1 m/s.
            assert!((v.linear - DVec3::X * expected).length() <= 1e-14, "mu {friction} ratio {ratio}: {v:?}");
            assert!(v.angular.length() <= 1e-13, "does not tip: {v:?}");
        }
    }
}

/// Long box on one lower corner: K is far from isotropic in the tangent plane.
fn leaning_rod(direction: DVec3, friction: f64) -> Scene {
    let half = DVec3::new(2.0, 0.2, 0.3);
    let part = Part::block(DVec3::ZERO, 1.0, half, direction * 3.0 - DVec3::Z);
    let touch = Touch::new(0, 1, DVec3::new(half.x, half.y, -half.z), DVec3::Z, rough(friction));
    Scene { parts: vec![part, Part::driven(DVec3::ZERO)], touches: vec![touch], gravity: DVec3::ZERO, dt: DT }
}

#[test]
fn friction_opposes_sliding_exactly_where_mobility_is_anisotropic() {
    let (mut slid, mut crooked) = (0, 0.0f64);
    for k in 0..12 {
        let angle = TAU * f64::from(k) / 12.0;
        let direction = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let scene = leaning_rod(direction, 0.2);
        let solved = scene.stage(&until(1e-16));
        let (u_n, u_t) = solved.relative(0);
        let row = &solved.rows[0];
        assert!(u_n.abs() <= 1e-14, "{u_n:e}");
        let limit = 0.2 * row.normal_impulse;
        assert!(row.tangential_impulse.length() <= limit * (1.0 + 1e-14));
        assert!(u_t.length() > 0.1, "this pull slides");
        slid += 1;
        let opposed = (row.tangential_impulse / limit + u_t / u_t.length()).length();
        // Measured 3e-16.
        assert!(opposed <= 1e-12, "direction {k}: {opposed:e}");
        // Negative control: friction against the sliding *before* is not what the stage gives.
        let start = scene.parts[0].velocity.at(row.arm_a);
        let start = start - DVec3::Z * start.z;
        crooked = crooked.max((row.tangential_impulse / limit + start / start.length()).length());
    }
    assert_eq!(slid, 12);
    assert!(crooked > 0.1, "mobility turns the sliding velocity: {crooked}");
}

#[test]
fn static_friction_holds_more_than_dynamic_friction_brakes() {
    let coefficients = Coefficients { static_friction: 0.5, dynamic_friction: 0.3, ..Coefficients::BARE };
    let load = 2.0 * G * DT;
    // A ball sliding at v needs m v 2/7 to stick: here in shares of the load.
    for (share, sticks) in [(0.2, true), (0.4, true), (0.49, true), (0.51, false), (2.0, false)] {
        let speed = 3.5 * share * load / 2.0;
        let solved = Scene::ball_on_floor(DVec3::X * speed, coefficients).stage(&until(1e-16));
        let pull = solved.rows[0].tangential_impulse.length() / solved.rows[0].normal_impulse;
        let (_, u_t) = solved.relative(0);
        let expected = if sticks { share } else { 0.3 };
        assert!(close(pull, expected, 1e-13), "share {share}: {pull}");
        assert_eq!(u_t.length() <= 1e-15, sticks, "share {share}: {u_t}");
    }
}

#[test]
fn a_contact_known_early_acts_only_when_its_gap_would_close() {
    for gap in [1e-4, 1e-3, 0.1] {
        for (speed, touches) in [(0.9, false), (0.999, false), (1.001, true), (5.0, true)] {
            let mut scene = Scene::ball_on_floor(DVec3::Z * (-speed * gap / DT), rough(0.3));
            scene.gravity = DVec3::ZERO;
            scene.touches[0].gap = gap;
            let solved = scene.stage(&until(1e-16));
            let (u_n, _) = solved.relative(0);
            if touches {
                assert!(close(u_n * DT, -gap, 1e-15 * gap), "closes exactly: {u_n}");
            } else {
                assert_eq!(solved.rows[0].normal_impulse, 0.0, "speed {speed}");
                assert_eq!(solved.velocity(0), scene.parts[0].velocity);
            }
        }
    }
}

/// Ten balls of radius 1 m and 1 kg, one above the other, on a floor.
fn stack(warm: &[f64]) -> Scene {
    let n = 10;
    let mut scene = Scene {
        parts: (0..n).map(|i| Part::ball(DVec3::Z * (1.0 + 2.0 * f64::from(i)), 1.0, 1.0, DVec3::ZERO)).collect(),
        touches: Vec::new(),
        gravity: DVec3::Z * -G,
        dt: DT,
    };
    scene.parts.push(Part::driven(DVec3::ZERO));
    for i in 0..n as usize {
        let below = if i == 0 { n as usize } else { i - 1 };
        let mut touch = Touch::new(i, below, DVec3::Z * (2.0 * i as f64), DVec3::Z, rough(0.5));
        touch.warm_normal = warm.get(i).copied().unwrap_or(0.0);
        scene.touches.push(touch);
    }
    scene
}

/// A block and a floor: one island, four contacts.
#[test]
fn a_sweep_updates_each_contact_once() {
    let scene = Scene::block_on_floor(DVec3::X, DVec3::Z * -G, rough(0.3));
    for count in [1, 2, 5] {
        let report = scene.stage(&sweeps(count)).report;
        assert_eq!((report.sweeps, report.swept.contacts), (count, 4));
        assert_eq!(report.swept.updates, u64::from(count) * 4);
        assert!(report.swept.bytes >= u64::from(count) * 4 * 200, "{}", report.swept.bytes);
    }
}

#[test]
fn a_stack_is_carried_and_starts_warm() {
    let cold = stack(&[]).stage(&until(1e-12));
    for (i, row) in cold.rows.iter().enumerate() {
        let carried = (10 - i) as f64 * G * DT;
        // Measured 3e-11 of it, from the residual of 1e-12 over 985 sweeps.
        assert!(close(row.normal_impulse, carried, 1e-8 * carried), "contact {i}: {}", row.normal_impulse);
    }
    let warm: Vec<f64> = cold.rows.iter().map(|r| r.normal_impulse).collect();
    let again = stack(&warm).stage(&until(1e-11));
    assert!(again.report.sweeps <= 2, "{}", again.report.sweeps);
    // Negative control: the cold start is slow.
    assert!(cold.report.sweeps > 100, "{}", cold.report.sweeps);
}

/// The identity that the books of every scene must meet: kinetic energy changes by what driven bodies did, less what
/// contacts took.
#[test]
fn a_belt_books_the_work_it_does() {
    for (belt, friction) in [(0.001, 0.5), (0.1, 0.5), (3.0, 0.2), (3.0, 0.0)] {
        let scene = Scene::block_on_floor(DVec3::X * belt, DVec3::Z * -G, rough(friction));
        let mut solved = scene.stage(&until(1e-16));
        let gain = solved.kinetic() - solved.kinetic_before;
        let report = solved.report;
        let booked = report.driven_work - report.normal_work - report.friction_work;
        // Measured 5e-18 J over 0.01 J.
        assert!(close(gain, booked, 1e-15), "{gain:e} {booked:e}");
        let reached = belt.min(friction * G * DT);
        assert!(close(solved.velocity(0).linear.x, reached, 1e-14), "{:?}", solved.velocity(0));
        let pull: f64 = solved.rows.iter().map(|r| r.tangential_impulse.x).sum();
        assert!(close(report.driven_work, pull * belt, 1e-15), "{:e}", report.driven_work);
        assert!(close(pull, 3.0 * reached, 1e-14));
    }
}

/// Ball rolling with moment `c R N` against it: `(I + m R^2) dw/dt = -c R m g` gives `dv/dt = -(5/7) c g`.
#[test]
fn rolling_friction_brakes_a_rolling_ball_and_stops_it() {
    let c = 0.02;
    let coefficients = Coefficients { rolling_friction: c, ..rough(0.5) };
    let brake = 5.0 / 7.0 * c * G * DT;
    for v in [1.0, 0.1, 1.5 * brake, 0.5 * brake] {
        let mut scene = Scene::ball_on_floor(DVec3::X * v, coefficients);
        scene.parts[0].velocity.angular = DVec3::Y * (v / 0.5);
        let after = scene.stage(&until(1e-16)).velocity(0);
        let expected = (v - brake).max(0.0);
        // Measured 7e-17.
        assert!((after.linear - DVec3::X * expected).length() <= 1e-13, "{v}: {after:?}");
        assert!((after.angular - DVec3::Y * (expected / 0.5)).length() <= 1e-13, "{v}: {after:?}");
        // Negative control: without rolling friction it rolls on.
        scene.touches[0].coefficients = rough(0.5);
        assert!(close(scene.stage(&until(1e-16)).velocity(0).linear.x, v, 1e-14));
    }
}

/// Ball spinning about the normal: `(2/5) m R^2 dw/dt = -c R m g` gives `dw/dt = -(5/2) c g / R`.
#[test]
fn torsional_friction_brakes_a_spinning_ball_and_stops_it() {
    let c = 0.02;
    let coefficients = Coefficients { torsional_friction: c, ..rough(0.5) };
    let brake = 2.5 * c * G / 0.5 * DT;
    for w in [3.0, 1.5 * brake, 0.5 * brake] {
        let mut scene = Scene::ball_on_floor(DVec3::ZERO, coefficients);
        scene.parts[0].velocity.angular = DVec3::Z * w;
        let after = scene.stage(&until(1e-16)).velocity(0);
        let expected = Velocity { linear: DVec3::ZERO, angular: DVec3::Z * (w - brake).max(0.0) };
        // Measured 0.
        assert!((after.angular - expected.angular).length() <= 1e-14 && after.linear.length() <= 1e-16, "{after:?}");
    }
}

#[test]
fn sweeping_longer_does_not_change_a_solved_stage() {
    let scene = leaning_rod(DVec3::Y, 0.2);
    let (once, twice) = (scene.stage(&sweeps(200)), scene.stage(&sweeps(400)));
    assert!((once.velocity(0).linear - twice.velocity(0).linear).length() <= 1e-15);
}
