//! Gases and what is struck more than once in a step: nothing hangs on how long the step is.
//!
//! Gravity is none, so that nothing lies on anything, and energies and times have exact answers.

use granule_engine::prelude::*;
use granule_solver::Law;

use crate::elastic::{ball, cuboid, elastic};

/// Largest difference of the kinetic energies of elastic bodies in a closed box, over the first of them, and the hits a
/// second.
fn gas(shape: &Shape, [speed, spin]: [f64; 2], time_step: Option<f64>, law: Law) -> (f64, f64) {
    let mut simulation =
        Simulation::new(Settings { gravity: DVec3::ZERO, time_step, law, ..Settings::default() }).expect("settings");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    for (normal, place) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [(n, 0.0), (-n, 3.2)]) {
        let wall = Shape::half_space(normal).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(wall, rock, -place * normal)).expect("the wall is valid");
    }
    for i in 0..64 {
        let at = |k: i32| 0.4 + 0.8 * f64::from(i / k % 4);
        let toss = |k: i32| f64::from((i * k + 3) % 17 - 8);
        let mut body = BodyDescription::dynamic(shape.clone(), rock, DVec3::new(at(1), at(4), at(16)));
        body.velocity.linear = speed * DVec3::new(toss(5), toss(7), toss(11));
        body.velocity.angular = spin * DVec3::new(toss(3), toss(13), toss(2));
        simulation.add_body(body).expect("the body is valid");
    }
    let (mut first, mut off, mut hits) = (None, 0.0_f64, 0);
    while simulation.time() < 1.0 / speed.sqrt() {
        let report = simulation.step().expect("the step is made");
        let kinetic = report.energy.kinetic;
        off = off.max((kinetic / *first.get_or_insert(kinetic) - 1.0).abs());
        hits += report.hits;
    }
    let changed = simulation.audit().step_change.abs();
    assert!(changed <= 1e-12 * first.expect("steps are made"), "{changed} J by the length of steps, without gravity");
    assert!(simulation.largest_overlap() <= 0.01, "overlap {}", simulation.largest_overlap());
    (off, f64::from(hits) / simulation.time())
}

/// Gases of balls and of flat boxes that spin keep their energy, thin ones as well, which pass each other by more than
/// they are thick in a step. Measured: to 4e-16, in 776 to 838 hits a second.
#[test]
fn elastic_gases_keep_their_energy() {
    let [plate, sheet] = [0.06, 0.005].map(|z| Shape::cuboid(DVec3::new(0.4, 0.3, z)).expect("the size is valid"));
    for (shape, spin) in [(ball(0.2), 0.0), (plate, 2.0), (sheet, 2.0)] {
        let (off, hits) = gas(&shape, [1.0, spin], None, Law::default());
        println!("{}: {off:e}, {hits} hits a second", shape.name());
        assert!(hits > 200.0, "{hits} hits a second");
        assert!(off <= 1e-12, "{}: {off:e}", shape.name());
    }
}

/// The same in steps in which bodies cross a third of the box and more, so that all are one island: parts of the step
/// are divided until islands are small, and as many hits are met as in short steps. Measured: off by 4e-16, 0.99 to
/// 1.05 of the hits; taken together, 0.18 of those of balls at 10 steps a second.
#[test]
fn elastic_gases_keep_their_energy_in_long_steps() {
    let plate = cuboid(DVec3::new(0.4, 0.3, 0.06));
    for (shape, spin) in [(ball(0.2), 0.0), (plate, 10.0)] {
        let (_, usual) = gas(&shape, [5.0, spin], None, Law::default());
        for steps_a_second in [30.0, 10.0] {
            let (off, hits) = gas(&shape, [5.0, spin], Some(1.0 / steps_a_second), Law::default());
            println!("{}, {steps_a_second} steps a second: {off:e}, {hits} hits a second of {usual}", shape.name());
            assert!(off <= 1e-12, "{}, {steps_a_second} steps a second: {off:e}", shape.name());
            assert!((hits / usual - 1.0).abs() <= 0.1, "{}: {hits} hits of {usual}", shape.name());
        }
    }
}

/// The same for laws that resolve impacts cluster by cluster: a world that one of a crowd spoils does not keep the
/// part from being divided. Measured: 0.98 and 1.00 of the hits. Under `smm` steps that take clusters together lose a
/// third of the energy all the same.
#[test]
fn gases_of_other_laws_meet_as_much_in_long_steps() {
    for name in ["sqm", "qce"] {
        let law = || Law::by_name(name).expect("there is one");
        let (_, usual) = gas(&ball(0.2), [5.0, 0.0], None, law());
        let (off, hits) = gas(&ball(0.2), [5.0, 0.0], Some(0.1), law());
        println!("{name}: {off:e}, {hits} hits a second of {usual}");
        assert!(off <= 1e-12, "{name}: {off:e}");
        assert!((hits / usual - 1.0).abs() <= 0.1, "{name}: {hits} hits of {usual}");
    }
}

/// Velocity of a point after `left` \[s\], that starts in the middle of `width` with `speed` towards a wall that comes
/// with `closing`, away from one that stands, and the number of its elastic impacts.
fn between_closing_walls(mut width: f64, closing: f64, speed: f64, mut left: f64) -> (f64, u32) {
    let (mut x, mut v, mut hits) = (0.5 * width, speed, 0);
    loop {
        let time = if v > 0.0 { (width - x) / (v + closing) } else { x / -v };
        if time >= left {
            return (v, hits);
        }
        (x, width, left, hits) = (x + v * time, width - closing * time, left - time, hits + 1);
        v = if v > 0.0 { -v - 2.0 * closing } else { -v };
    }
}

/// A ball between a wall that stands and one that comes is struck up to eighteen times in a step, and what the wall
/// does is booked. Measured: off by 3e-14 of its speed, every impact met. When what had just been struck was taken for
/// a load it was off by all of its speed at 10 steps a second, and by a third at 240 and another speed.
#[test]
fn a_ball_between_closing_walls_is_struck_as_often_as_it_should() {
    for (speed, closing, time_step) in [
        (5.0, 0.15, Some(0.1)),
        (5.0, 0.15, Some(1.0 / 60.0)),
        (60.0, 0.15, Some(1.0 / 60.0)),
        (54.4, 0.19, Some(1.0 / 240.0)),
        (20.0, 0.15, None),
    ] {
        let settings = Settings { gravity: DVec3::ZERO, time_step, ..Settings::default() };
        let mut simulation = Simulation::new(settings).expect("settings are valid");
        let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
        let wall = |normal: DVec3| Shape::half_space(normal).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(wall(DVec3::X), rock, DVec3::ZERO)).expect("it is valid");
        let mut driven = BodyDescription::fixed(wall(-DVec3::X), rock, DVec3::X);
        driven.kind = BodyKind::Driven;
        driven.velocity.linear = -closing * DVec3::X;
        simulation.add_body(driven).expect("it is valid");
        let mut body = BodyDescription::dynamic(ball(0.05), rock, 0.5 * DVec3::X);
        body.velocity.linear = speed * DVec3::X;
        let body = simulation.add_body(body).expect("it is valid");
        let (mut hits, mut kinetic) = (0, 0.0);
        while simulation.time() < 3.9 {
            let report = simulation.step().expect("the step is made");
            (hits, kinetic) = (hits + report.hits, report.energy.kinetic);
        }
        let (expected, most) = between_closing_walls(0.9, closing, speed, simulation.time());
        let velocity = simulation.velocity(body).expect("it is there").linear.x;
        let off = (velocity / expected - 1.0).abs();
        println!(
            "{speed} m/s, {time_step:?}: {velocity} m/s, {expected} m/s expected, off by {off:e}, {hits} of {most}"
        );
        assert_eq!(hits, most, "{speed} m/s, {time_step:?}");
        assert!(off <= 1e-9, "{speed} m/s, {time_step:?}: {velocity} m/s, {expected} m/s is expected");
        let audit = simulation.audit();
        assert!(audit.energy_gained <= 1e-5 && simulation.largest_overlap() <= 0.01, "{speed} m/s, {time_step:?}");
        assert_eq!(audit.step_change, 0.0, "{speed} m/s, {time_step:?}");
        let off = (kinetic - audit.start - audit.driven_work).abs();
        assert!(off <= 1e-9 * kinetic, "{speed} m/s, {time_step:?}: {off} J of {kinetic} J are in no book");
    }
}

/// Where a ball of mass `m` at rest at 0 is after `left` \[s\], that one of mass `big` comes at from -0.01 with 50 m/s
/// and that a wall at `wall` throws back, and the momentum that the wall takes, in elastic impacts.
fn ball_between([m, big]: [f64; 2], wall: f64, mut left: f64) -> [f64; 2] {
    let ([mut x, mut v], [mut behind, mut u], mut taken) = ([0.0, 0.0], [-0.01, 50.0], 0.0);
    loop {
        let to_wall = if v > 0.0 { (wall - x) / v } else { f64::INFINITY };
        let to_meet = if u > v { (x - behind) / (u - v) } else { f64::INFINITY };
        let time = left.min(to_wall).min(to_meet);
        (x, behind, left) = (x + v * time, behind + u * time, left - time);
        if left == 0.0 {
            return [x, taken];
        }
        if to_wall < to_meet {
            (taken, v) = (taken + 2.0 * m * v, -v);
        } else {
            let closing = u - v;
            u -= 2.0 * m * closing / (m + big);
            v = u + closing;
        }
    }
}

/// A ball at rest that one of 300 000 times its mass strikes at 50 m/s leaves at 100 m/s, and within the step meets a
/// plate that nobody had to look for: by its plastic speed it would not have come there. It is thrown back, and meets
/// both again. The step is given, since the engine's own is too short for the ball to come that far. Measured: within
/// 8e-12 m; a step that was not divided stopped the ball before the plate.
#[test]
fn what_is_struck_meets_what_was_not_looked_for() {
    for place in [1.1, 1.3, 1.5] {
        let settings = Settings { gravity: DVec3::ZERO, time_step: Some(1.0 / 60.0), ..Settings::default() };
        let mut simulation = Simulation::new(settings).expect("settings are valid");
        let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
        let mut heavy = BodyDescription::dynamic(ball(0.5), rock, -0.53 * DVec3::X);
        heavy.mass = Some(1e4);
        heavy.velocity.linear = 50.0 * DVec3::X;
        simulation.add_body(heavy).expect("it is valid");
        let mut light = BodyDescription::dynamic(ball(0.02), rock, DVec3::ZERO);
        light.mass = Some(0.033);
        let light = simulation.add_body(light).expect("it is valid");
        let plate = BodyDescription::fixed(cuboid(DVec3::new(0.01, 4.0, 4.0)), rock, place * DVec3::X);
        simulation.add_body(plate).expect("it is valid");
        let report = simulation.step().expect("the step is made");
        let x = simulation.pose(light).expect("it is there").position.x;
        let [expected, taken] = ball_between([0.033, 1e4], place - 0.025, report.dt);
        let momentum = (simulation.momenta().linear.x - (1e4 * 50.0 - taken)) / 1e4;
        println!("{place}: off by {:e} m, momentum by {momentum:e} m/s, {} hits", x - expected, report.hits);
        assert!((x - expected).abs() <= 1e-6 * place, "{place}: at {x} m, {expected} m is expected");
        assert!(momentum.abs() <= 1e-9, "{place}: momentum is off by {momentum:e} m/s of the heavy ball");
        let (gained, overlap) = (simulation.audit().energy_gained, simulation.largest_overlap());
        assert!(gained <= 1e-5 && overlap <= 0.01, "{place}: {gained:e}, {overlap:e}");
    }
}
