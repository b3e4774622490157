//! Bodies that leave the scene: by a fall below everything, or out of the domain. Sleeping is on and steps are
//! automatic.

use std::sync::Arc;

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Sizes of what falls \[m\]: grains, boulders, blocks.
const UNITS: [f64; 3] = [1e-3, 1.0, 100.0];
const GRAVITY: f64 = 9.8;

fn empty(settings: Settings) -> (Simulation, MaterialId) {
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(ROCK).expect("the material is valid");
    (simulation, rock)
}

fn slab(unit: f64) -> Shape {
    Shape::cuboid(DVec3::new(10.0, 10.0, 1.0) * unit).expect("the size is valid")
}

fn ball(rock: MaterialId, unit: f64, position: DVec3, velocity: DVec3) -> BodyDescription {
    let shape = Shape::sphere(0.5 * unit).expect("the radius is valid");
    let mut ball = BodyDescription::dynamic(shape, rock, position * unit);
    ball.velocity.linear = velocity * (GRAVITY * unit).sqrt();
    ball.name = "ball".to_owned();
    ball
}

/// A table of ten edges by ten with three cubes at rest; `unit` is the edge of a cube \[m\].
fn table(settings: Settings, unit: f64) -> (Simulation, MaterialId) {
    let (mut simulation, rock) = empty(settings);
    let top = BodyDescription::fixed(slab(unit), rock, DVec3::Z * (-0.5 * unit));
    simulation.add_body(top).expect("the table is valid");
    let cube = Shape::cuboid(DVec3::splat(unit)).expect("the size is valid");
    for k in 0..3 {
        let place = DVec3::new(-2.0 + 2.0 * f64::from(k), -2.0, 0.5) * unit;
        simulation.add_body(BodyDescription::dynamic(cube.clone(), rock, place)).expect("the cube is valid");
    }
    (simulation, rock)
}

/// The table with a ball that rolls over its edge.
fn table_with_ball(settings: Settings, unit: f64) -> (Simulation, BodyId) {
    let (mut simulation, rock) = table(settings, unit);
    let rolling = ball(rock, unit, DVec3::new(4.0, 2.0, 0.5), DVec3::X);
    let id = simulation.add_body(rolling).expect("the ball is valid");
    (simulation, id)
}

/// Steps until `end`, in units of sqrt(unit/g), or until somebody has left.
fn until_removed(simulation: &mut Simulation, unit: f64, end: f64) {
    let end = simulation.time() + end * (unit / GRAVITY).sqrt();
    while simulation.time() < end && simulation.removed_bodies().is_empty() {
        simulation.step().expect("the run stays finite");
    }
}

#[test]
fn a_ball_that_rolls_off_a_table_is_taken_out_and_the_others_rest() {
    for unit in UNITS {
        let (mut simulation, id) = table_with_ball(Settings::default(), unit);
        until_removed(&mut simulation, unit, 60.0);
        let [removed] = simulation.removed_bodies() else { panic!("unit {unit}: the ball falls for ever") };
        assert_eq!((removed.id, removed.time), (id, simulation.time()));
        // The finite bodies fill 10 x 10 x 2 edges at the start; what comes beyond is what the ball falls in a step:
        // measured 0.20.
        let depth = -removed.position.z / unit - 1.5 - 204f64.sqrt();
        assert!((0.0..1.0).contains(&depth), "unit {unit}: taken out {depth} edges late");
        let speed = removed.velocity.linear / (GRAVITY * unit).sqrt();
        assert!(speed.z < -5.0 && speed.x > 0.5, "unit {unit}: {speed}");
        assert!(matches!(simulation.pose(id), Err(EngineError::NoSuchBody(_))));
        let last = &simulation.snapshot().bodies[4];
        assert_eq!((last.present, last.pose.position, last.velocity), (false, removed.position, removed.velocity));
        let hold = simulation.time() + 1.0;
        while !simulation.at_rest() {
            simulation.step().expect("the run stays finite");
            assert!(simulation.time() < hold, "unit {unit}: the others do not rest");
        }
        assert_eq!((simulation.lost_bodies(), simulation.dynamic_count()), (Vec::new(), 3));
    }
}

#[test]
fn what_a_body_takes_with_it_is_neither_gain_nor_loss() {
    for unit in UNITS {
        let (mut simulation, _) = table_with_ball(Settings::default(), unit);
        let first = simulation.step().expect("the run stays finite").energy;
        let start = first.star - first.star_change;
        let (mut before, mut earlier, mut last) = (simulation.audit().clone(), first, first);
        while simulation.removed_bodies().is_empty() {
            before = simulation.audit().clone();
            (earlier, last) = (last, simulation.step().expect("the run stays finite").energy);
        }
        let after = simulation.step().expect("the run stays finite").energy;
        let audit = simulation.audit();
        // Up to friction the ball has the E* that it came with: 3/2 m g D over the foot of the table and 1/2 m g D of
        // motion. Measured 1.86.
        let mass = simulation.snapshot().bodies[4].mass;
        let share = audit.removed / (mass * GRAVITY * unit);
        assert!((1.5..2.0).contains(&share), "unit {unit}: {share}");
        // Kinetic and potential energy of the ball are eight times its E* and cancel: measured 1e-16 at most.
        let changed = last.star_change + last.step_change;
        let left = [last.star - (earlier.star + changed - audit.removed), after.star - last.star];
        assert!(left.iter().all(|left| left.abs() <= 1e-13 * start), "unit {unit}: {left:?} of {start}");
        // Two steps of free fall beside cubes at rest: measured 2e-16 at most.
        let lost = audit.dissipated - before.dissipated;
        assert!(lost.abs() <= 1e-13 * start, "unit {unit}: {:e} of the energy", lost / start);
        assert_eq!(audit.energy_gained, before.energy_gained, "unit {unit}");
    }
}

/// From impact to impact the book counts the plain energies, and so does what is taken along.
#[test]
fn event_stepping_lets_bodies_leave_too() {
    let stepping = granule_engine::Stepping::Event;
    let (mut simulation, _) = table_with_ball(Settings { stepping, ..Settings::default() }, 1.0);
    let (mut earlier, mut last) = (StepReport::default().energy, StepReport::default().energy);
    while simulation.removed_bodies().is_empty() {
        (earlier, last) = (last, simulation.step().expect("the run stays finite").energy);
        assert!(simulation.time() < 5.0, "the ball falls for ever");
    }
    let (after, audit) = (simulation.step().expect("the run stays finite").energy, simulation.audit());
    // Measured 1e-16.
    let left = [last.star - (earlier.star + last.star_change - audit.removed), after.star - last.star];
    assert!(left.iter().all(|left| left.abs() <= 1e-13 * last.star), "{left:?} of {}", last.star);
}

#[test]
fn what_flies_up_and_what_comes_back_is_kept() {
    for unit in UNITS {
        // Up to 50 edges above the table, three times its diagonal, and back.
        let (mut simulation, rock) = table(Settings::default(), unit);
        let thrown = ball(rock, unit, DVec3::new(0.0, 2.0, 0.6), DVec3::Z * 10.0);
        let id = simulation.add_body(thrown).expect("the ball is valid");
        until_removed(&mut simulation, unit, 40.0);
        assert!(simulation.removed_bodies().is_empty());
        let height = simulation.pose(id).expect("it is kept").position.z / unit;
        assert!((0.49..0.6).contains(&height), "unit {unit}: it rests at {height}");
    }
}

/// A field that lifts what is deep below by three times its weight brings the ball back, so that it is kept; half of
/// its weight does not.
#[test]
fn what_a_force_field_lifts_is_kept() {
    let fall = |share: f64| {
        let (mut simulation, id) = table_with_ball(Settings::default(), 1.0);
        let lift = move |body: &BodyView| {
            let up = if body.pose.position.z < -12.0 { share * GRAVITY * body.mass } else { 0.0 };
            Force { force: DVec3::Z * up, torque: DVec3::ZERO }
        };
        simulation.add_force_field(Arc::new(lift));
        let mut deepest = 0.0f64;
        while simulation.time() < 8.0 && simulation.removed_bodies().is_empty() {
            simulation.step().expect("the run stays finite");
            deepest = deepest.min(simulation.pose(id).map_or(0.0, |pose| pose.position.z));
        }
        (simulation.removed_bodies().len(), deepest)
    };
    let (removed, deepest) = fall(3.0);
    assert_eq!(removed, 0);
    assert!(deepest < -17.0, "it went below the edge of the scene: {deepest}");
    assert_eq!(fall(0.5).0, 1);
}

/// The ball falls past the table towards a plane 100 edges below, 2.5 times as deep as a body may fall that nothing
/// stops.
#[test]
fn a_half_space_below_keeps_what_falls_and_one_beside_or_above_does_not() {
    let tilted = DVec3::new(0.6, 0.0, 0.8);
    for unit in UNITS {
        let removed = |normal: DVec3, foot: f64| {
            let (mut simulation, id) = table_with_ball(Settings::default(), unit);
            let rock = simulation.snapshot().bodies.len();
            assert_eq!(rock, 5);
            let plane = Shape::half_space(normal).expect("the normal is valid");
            let plane = BodyDescription::fixed(plane, MaterialId::nth(0), normal * (foot * unit));
            simulation.add_body(plane).expect("the plane is valid");
            until_removed(&mut simulation, unit, 25.0);
            let fallen = simulation.snapshot().bodies[id.index as usize].pose.position.z / unit;
            (simulation.removed_bodies().len(), fallen)
        };
        for normal in [DVec3::Z, tilted] {
            let (count, fallen) = removed(normal, -100.0);
            assert!(count == 0 && fallen < -60.0, "unit {unit}, {normal}: {count} removed, {fallen}");
        }
        for (normal, foot) in [(DVec3::X, -20.0), (-DVec3::Z, -20.0), (-tilted, -20.0)] {
            let (count, fallen) = removed(normal, foot);
            assert!(count == 1 && fallen > -20.0, "unit {unit}, {normal}: {count} removed, {fallen}");
        }
    }
}

/// A container that is turned over has its opening below; one on its side, or one that turns, still has a wall to fall
/// on.
#[test]
fn a_container_counts_by_its_planes() {
    let poured = |turn: f64, spin: f64| {
        let (mut simulation, rock) = empty(Settings::default());
        let shape = Shape::container(DVec3::new(4.0, 4.0, 4.0)).expect("the size is valid");
        let mut container = BodyDescription::fixed(shape, rock, DVec3::ZERO);
        container.pose.rotation = DQuat::from_axis_angle(DVec3::X, turn);
        container.kind = BodyKind::Driven;
        container.velocity.angular = DVec3::Z * spin;
        let at = container.pose.transform_point(DVec3::new(2.0, 2.0, 2.0));
        simulation.add_body(container).expect("the container is valid");
        simulation.add_body(ball(rock, 1.0, at, DVec3::ZERO)).expect("the ball is valid");
        until_removed(&mut simulation, 1.0, 20.0);
        simulation.removed_bodies().len()
    };
    let over = std::f64::consts::PI;
    assert_eq!((poured(over, 0.0), poured(over, 1e-3), poured(0.4 * over, 0.0)), (1, 0, 0));
}

#[test]
fn nobody_leaves_without_gravity_or_without_anything_to_fall_from() {
    for unit in UNITS {
        let still = Settings { gravity: DVec3::ZERO, ..Settings::default() };
        let (mut simulation, rock) = table(still, unit);
        let gone = ball(rock, unit, DVec3::new(0.0, 2.0, -2.0), DVec3::Z * -10.0);
        let id = simulation.add_body(gone).expect("the ball is valid");
        until_removed(&mut simulation, unit, 40.0);
        assert!(simulation.removed_bodies().is_empty());
        assert!(simulation.pose(id).expect("it is kept").position.z < -300.0 * unit);

        let wall = Shape::half_space(DVec3::X).expect("the normal is valid");
        for fixed in [None, Some(wall)] {
            let (mut simulation, rock) = empty(Settings::default());
            let beside = |wall| BodyDescription::fixed(wall, rock, DVec3::X * (-2.0 * unit));
            fixed.map(|wall| simulation.add_body(beside(wall)).expect("the wall is valid"));
            simulation.add_body(ball(rock, unit, DVec3::ZERO, DVec3::ZERO)).expect("the ball is valid");
            until_removed(&mut simulation, unit, 20.0);
            assert!(simulation.removed_bodies().is_empty());
        }
    }
}

/// A ball that falls from below a slab which is driven: it leaves only where the slab does not follow.
#[test]
fn driven_bodies_count_with_where_they_go() {
    let chased = |motion: Motion| {
        let (mut simulation, rock) = empty(Settings::default());
        let mut plate = BodyDescription::fixed(slab(1.0), rock, DVec3::ZERO);
        plate.kind = BodyKind::Driven;
        plate.motion = Some(motion);
        simulation.add_body(plate).expect("the plate is valid");
        simulation.add_body(ball(rock, 1.0, DVec3::new(0.0, 0.0, -2.0), DVec3::ZERO)).expect("the ball is valid");
        until_removed(&mut simulation, 1.0, 60.0);
        let [removed] = simulation.removed_bodies() else { panic!("the ball falls for ever") };
        (-removed.position.z, -removed.velocity.linear.z)
    };
    let still = chased(Motion::Constant(Velocity::ZERO));
    // The box of both is 10 x 10 x 3 edges; what comes beyond 1 + 14.46 is the fall of a step.
    assert!((15.4..17.0).contains(&still.0) && still.1 < 18.0, "{still:?}");
    // A swing comes down to 60 (1 + sin 0.5) below the start, however slow it is.
    let swing = |frequency: f64| chased(Motion::Sine { amplitude: DVec3::Z * 60.0, frequency, phase: 0.5 });
    for frequency in [0.0, 1e-3] {
        let depth = swing(frequency).0 - 60.0 * (1.0 + libm::sin(0.5));
        assert!((15.4..18.0).contains(&depth), "{depth}");
    }
    // The slab turns about its middle, so that its corners come down to half of its diagonal of 14.2.
    let turning = chased(Motion::Constant(Velocity { angular: DVec3::X * 0.01, ..Velocity::ZERO }));
    assert!((22.0..24.0).contains(&turning.0), "{turning:?}");
    // A slab that stands for 1.5 s and then falls at 60 m/s is faster than the ball: it catches and kicks it.
    let dash = |time: f64| Pose::from_position(DVec3::Z * (-60.0 * (time - 1.5).max(0.0)));
    let kicked = chased(Motion::Function(Arc::new(dash)));
    assert!(kicked.1 > 60.0, "{kicked:?}");
}

/// Balls that are added during the run, onto a slab that they roll off: each leaves, and the sleepers on the slab sleep
/// on.
#[test]
fn bodies_that_are_added_later_leave_too_and_wake_nobody() {
    let (mut simulation, rock) = table(Settings::default(), 1.0);
    while simulation.step().expect("the run stays finite").awake > 0 {
        assert!(simulation.time() < 10.0, "the cubes do not sleep");
    }
    for count in 1..=5 {
        let late = ball(rock, 1.0, DVec3::new(4.5, 2.0, 0.5), DVec3::X * 2.0);
        simulation.add_body(late).expect("the ball is valid");
        let end = simulation.time() + 10.0;
        let mut awake = 0;
        while simulation.removed_bodies().len() < count {
            awake = awake.max(simulation.step().expect("the run stays finite").awake);
            assert!(simulation.time() < end, "ball {count} is still there");
        }
        assert_eq!(awake, 1, "the ball alone is awake");
        assert_eq!(simulation.step().expect("the run stays finite").awake, 0);
    }
}

#[test]
fn taking_away_what_nothing_touches_wakes_nobody() {
    let (mut simulation, rock) = table(Settings::default(), 1.0);
    let high = simulation.add_body(ball(rock, 1.0, DVec3::new(0.0, 2.0, 500.0), DVec3::ZERO)).expect("valid");
    while simulation.step().expect("the run stays finite").awake > 1 {
        assert!(simulation.time() < 5.0, "the cubes do not sleep");
    }
    let pairs = simulation.step().expect("the run stays finite").pairs;
    simulation.remove_body(high).expect("it is there");
    let report = simulation.step().expect("the run stays finite");
    assert_eq!((report.awake, report.pairs), (0, pairs), "no list is made anew");
    assert!(simulation.removed_bodies().is_empty(), "it did not leave by itself");
    // Control: what a cube rests on wakes it.
    let top = simulation.snapshot().bodies[0].id;
    simulation.remove_body(top).expect("it is there");
    assert_eq!(simulation.step().expect("the run stays finite").awake, 3);
}

/// A ball far above three cubes that sleep, at a speed at which they would reach each other within a step: seen from
/// the ball they did, and the list of pairs of a bed of 2500 was five times as long as it is.
#[test]
fn one_that_falls_fast_does_not_make_sleepers_look_for_each_other() {
    let (mut simulation, rock) = table(Settings { time_step: Some(0.01), ..Settings::default() }, 1.0);
    let pairs = loop {
        let report = simulation.step().expect("the run stays finite");
        if report.awake == 0 {
            break report.pairs;
        }
        assert!(simulation.time() < 5.0, "the cubes do not sleep");
    };
    assert_eq!(pairs, 3, "each cube and the table");
    let mut falling = ball(rock, 1.0, DVec3::new(0.0, 2.0, 2000.0), DVec3::ZERO);
    falling.velocity.linear = DVec3::Z * -100.0;
    simulation.add_body(falling).expect("the ball is valid");
    for _ in 0..10 {
        let report = simulation.step().expect("the run stays finite");
        assert_eq!((report.awake, report.pairs), (1, pairs));
    }
}

fn within(min: DVec3, max: DVec3, leaving: Leaving) -> Settings {
    Settings { domain: Some(Domain { min, max, leaving }), ..Settings::default() }
}

/// A row of balls that touch, pushed over the side of the domain one after the other: each leaves where its centre
/// passes the face, the next ones go on.
#[test]
fn who_passes_a_face_of_the_domain_is_taken_out() {
    for unit in UNITS {
        let (low, high) = (DVec3::splat(-20.0 * unit), DVec3::new(3.0, 20.0, 20.0) * unit);
        let (mut simulation, rock) = empty(within(low, high, Leaving::Remove));
        let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
        for k in 0..4 {
            let place = DVec3::new(-1.001 * f64::from(k), 0.0, 0.5);
            simulation.add_body(ball(rock, unit, place, DVec3::X * 4.0)).expect("the ball is valid");
        }
        until_removed(&mut simulation, unit, 20.0);
        let [removed] = simulation.removed_bodies() else { panic!("unit {unit}: nobody left") };
        let (beyond, step) = (removed.position.x / unit - 3.0, 4.0 * simulation.time_step() * (GRAVITY / unit).sqrt());
        assert!(beyond > 0.0 && beyond <= step, "unit {unit}: {beyond} in steps of {step}");
        while simulation.removed_bodies().len() < 4 {
            simulation.step().expect("the run stays finite");
            assert!(simulation.time() < 40.0 * (unit / GRAVITY).sqrt(), "unit {unit}: not all have left");
        }
        assert_eq!(simulation.dynamic_count(), 0);
        // With nothing left to move the simulation is at rest.
        let end = simulation.time() + 0.5;
        while simulation.time() < end {
            simulation.step().expect("an empty scene steps on");
        }
        assert!(simulation.at_rest());
    }
}

/// A ball that falls asleep against another is woken when that is taken out of the domain under it.
#[test]
fn who_leaned_on_one_that_left_wakes() {
    let (low, high) = (DVec3::splat(-20.0), DVec3::new(20.0, 20.0, 20.0));
    let (mut simulation, rock) = empty(within(low, high, Leaving::Remove));
    let mut lift = BodyDescription::fixed(slab(1.0), rock, DVec3::Z * -0.5);
    lift.kind = BodyKind::Driven;
    // Stands for 2 s, in which the stack falls asleep, and then carries the lower ball out of the domain.
    let rise = |time: f64| Pose::from_position(DVec3::new(0.0, 0.0, -0.5 + 10.0 * (time - 2.0).max(0.0)));
    lift.motion = Some(Motion::Function(Arc::new(rise)));
    simulation.add_body(lift).expect("the slab is valid");
    for z in [0.5, 1.5] {
        simulation.add_body(ball(rock, 1.0, DVec3::Z * z, DVec3::ZERO)).expect("the ball is valid");
    }
    let mut awake = 2;
    while simulation.removed_bodies().len() < 2 {
        awake = awake.min(simulation.step().expect("the run stays finite").awake);
        assert!(simulation.time() < 6.0, "they stay");
    }
    assert_eq!(awake, 0, "both slept before");
    assert!(simulation.removed_bodies()[0].id.index > simulation.removed_bodies()[1].id.index, "the upper one first");
}

#[test]
fn a_domain_that_says_so_ends_the_run() {
    for unit in UNITS {
        let (low, high) = (DVec3::splat(-20.0 * unit), DVec3::new(6.0, 20.0, 20.0) * unit);
        let (mut simulation, id) = table_with_ball(within(low, high, Leaving::Error), unit);
        let error = (0..100_000).find_map(|_| simulation.step().err()).expect("the ball leaves");
        let place = simulation.pose(id).expect("it is there").position;
        let EngineError::LeftDomain { body, others, time, position, velocity } = &error else { panic!("{error}") };
        assert_eq!((body.as_str(), *others, *time, *position), ("`ball`", 0, simulation.time(), place));
        assert!(place.x > 6.0 * unit && velocity.x > 0.0);
        let text = error.to_string();
        assert!(text.contains("`ball`") && text.contains(&format!("{time:.6} s")), "{text}");
        // It says so again, and the state stays that of the last step.
        let hash = simulation.state_hash();
        assert_eq!(simulation.step().err(), Some(error));
        assert_eq!((simulation.state_hash(), simulation.removed_bodies().len()), (hash, 0));
    }
}

#[test]
fn a_domain_without_inside_and_bodies_outside_are_refused() {
    let inside = (DVec3::splat(-1.0), DVec3::splat(1.0));
    for (min, max) in [(inside.1, inside.0), (inside.0, inside.0), (DVec3::NAN, inside.1), (inside.0, DVec3::NAN)] {
        let error = Simulation::new(within(min, max, Leaving::Remove)).err().expect("it has no inside");
        assert!(matches!(error, EngineError::Setting { field: "domain.min", .. }), "{error}");
    }
    let (mut simulation, rock) = empty(within(inside.0, inside.1, Leaving::Remove));
    let error = simulation.add_body(ball(rock, 1.0, DVec3::X * 1.5, DVec3::ZERO)).expect_err("it is outside");
    assert!(matches!(&error, EngineError::Body { body, field: "position", .. } if body == "`ball`"), "{error}");
    let fixed = BodyDescription::fixed(slab(1.0), rock, DVec3::Z * -9.0);
    simulation.add_body(fixed).expect("static bodies may be anywhere");
    simulation.add_body(ball(rock, 1.0, DVec3::X, DVec3::ZERO)).expect("a face belongs to the inside");
    let half = within(DVec3::new(f64::NEG_INFINITY, 0.0, 0.0), DVec3::INFINITY, Leaving::Remove);
    Simulation::new(half).expect("a domain may be open");
}
