//! Every public function of the engine that takes something, with what it must refuse: a typed error, no panic, and a
//! state that stays.
//!
//! The functions that take an argument are listed in [`every_function_that_takes_something_is_fed`], which reads them
//! from the source.

use std::f64::consts::PI;
use std::sync::Arc;

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Numbers that are no finite positive number.
const NO_POSITIVE: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0];

struct World {
    simulation: Simulation,
    rock: MaterialId,
    ball: BodyId,
}

/// A ball of 0.5 m at rest on a floor.
fn world(settings: Settings) -> World {
    let mut simulation = Simulation::new(settings).expect("the settings are valid");
    let rock = simulation.add_material(ROCK).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let ball = simulation.add_body(sphere(rock, DVec3::new(0.0, 0.0, 0.5))).expect("the ball is valid");
    World { simulation, rock, ball }
}

fn sphere(rock: MaterialId, position: DVec3) -> BodyDescription {
    BodyDescription::dynamic(Shape::sphere(0.5).expect("the radius is valid"), rock, position)
}

fn driven(rock: MaterialId, motion: Motion) -> BodyDescription {
    BodyDescription { kind: BodyKind::Driven, motion: Some(motion), ..sphere(rock, DVec3::new(0.0, 0.0, 9.0)) }
}

/// Refused, and the simulation is none the worse.
fn refused<T: std::fmt::Debug>(
    world: &mut World,
    parts: &[&str],
    feed: impl FnOnce(&mut Simulation) -> Result<T, EngineError>,
) {
    let before = (world.simulation.state_hash(), world.simulation.body_count());
    let text = feed(&mut world.simulation).expect_err(parts[0]).to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{text} lacks one of {parts:?}");
    assert_eq!(before, (world.simulation.state_hash(), world.simulation.body_count()), "{text}");
    world.simulation.step().expect("it goes on");
}

#[test]
fn settings_out_of_their_range_are_refused() {
    let field = |settings: Settings| match Simulation::new(settings) {
        Err(EngineError::Setting { field, .. }) => field,
        Err(other) => panic!("{other}"),
        Ok(_) => "taken",
    };
    let good = Settings::default();
    for bad in NO_POSITIVE.into_iter().chain([1e-320]) {
        assert_eq!(field(Settings { time_step: Some(bad), ..good }), "time_step");
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let drags = [
            ("viscosity", Drag { viscosity: bad, ..good.drag }),
            ("density", Drag { density: bad, ..good.drag }),
            ("drag_coefficient", Drag { drag_coefficient: bad, ..good.drag }),
            ("moment_coefficient", Drag { moment_coefficient: bad, ..good.drag }),
        ];
        for (name, drag) in drags {
            assert_eq!(field(Settings { drag, ..good }), name);
        }
    }
    for gravity in [DVec3::NAN, DVec3::X * f64::INFINITY, DVec3::X * 1e300, DVec3::X * 1e-300] {
        assert_eq!(field(Settings { gravity, ..good }), "gravity");
    }
    assert_eq!(field(Settings { law: Law::Etm(Etm { lambda: 0, ..Etm::default() }), ..good }), "lambda");
    // Controls: the ends of the ranges.
    let (gravity, drag) = (DVec3::ZERO, Drag { viscosity: 1e3, density: 1e3, drag_coefficient: 1.0, ..good.drag });
    assert_eq!(field(Settings { gravity, drag, time_step: Some(1e-9), ..good }), "taken");
}

#[test]
fn materials_and_pairs_out_of_their_range_are_refused() {
    let mut world = world(Settings::default());
    let rock = world.rock;
    refused(&mut world, &["material 1", "density"], |s| s.add_material(Material { density: -1.0, ..ROCK }));
    let sticky = Material { static_friction: 1e300, dynamic_friction: 0.0, ..ROCK };
    world.simulation.add_material(sticky).expect("large, and finite");
    // The mixture of both overflows.
    let as_sticky = Material { static_friction: 1e299, ..sticky };
    refused(&mut world, &["pair", "static_friction"], |s| s.add_material(as_sticky));
    let good = Coefficients::mix(&ROCK, &ROCK);
    let speed = granule_model::RestitutionSpeed::Given(f64::NAN);
    for (name, bad) in [
        ("restitution", Coefficients { restitution: 2.0, ..good }),
        ("restitution", Coefficients { restitution: f64::NAN, ..good }),
        ("restitution_speed", Coefficients { restitution_speed: speed, ..good }),
        ("tangential_restitution", Coefficients { tangential_restitution: -0.5, ..good }),
        ("static_friction", Coefficients { static_friction: f64::INFINITY, ..good }),
        ("dynamic_friction", Coefficients { dynamic_friction: 9.0, ..good }),
        ("rolling_friction", Coefficients { rolling_friction: -1.0, ..good }),
        ("torsional_friction", Coefficients { torsional_friction: f64::NAN, ..good }),
        ("stiffness", Coefficients { stiffness: 0.0, ..good }),
    ] {
        refused(&mut world, &["pair of materials 0 and 0", name], |s| s.set_pair(rock, rock, bad));
    }
    world.simulation.set_pair(rock, MaterialId::nth(1), good).expect("a number of a material that is there");
    refused(&mut world, &["no material number 7"], |s| s.set_pair(rock, MaterialId::nth(7), good));
    refused(&mut world, &["no material number 7"], |s| s.add_body(sphere(MaterialId::nth(7), DVec3::Z * 5.0)));
}

#[test]
fn handles_of_another_simulation_and_of_removed_bodies_are_refused() {
    let other = world(Settings::default());
    let mut world = world(Settings::default());
    let (ball, rock) = (other.ball, other.rock);
    assert_ne!(ball, world.ball, "the same number in two simulations");
    assert_eq!(format!("{ball:?}"), format!("{:?}", world.ball), "and nothing that is printed tells which");
    assert_eq!(other.simulation.state_hash(), world.simulation.state_hash());
    let good = Coefficients::mix(&ROCK, &ROCK);
    let foreign = ["body number 1", "another simulation"];
    refused(&mut world, &foreign, |s| s.pose(ball));
    refused(&mut world, &foreign, |s| s.velocity(ball));
    refused(&mut world, &foreign, |s| s.remove_body(ball));
    refused(&mut world, &foreign, |s| s.label(ball));
    refused(&mut world, &foreign, |s| s.shape(ball).map(Shape::name));
    let foreign = ["material number 0", "another simulation"];
    refused(&mut world, &foreign, |s| s.add_body(sphere(rock, DVec3::Z * 5.0)));
    refused(&mut world, &foreign, |s| s.set_pair(rock, rock, good));
    let mine = world.rock;
    refused(&mut world, &foreign, |s| s.set_pair(mine, rock, good));
    for made_up in [BodyId::new(0, 1, 0), BodyId::new(world.ball.simulation(), 99, 0)] {
        assert!(world.simulation.pose(made_up).is_err() && world.simulation.label(made_up).is_err());
    }
    assert!(world.simulation.pose(BodyId::new(world.ball.simulation(), 1, 1)).is_err(), "another generation");
    // A body that was removed has still a name and a shape, and nothing else.
    let gone = world.simulation.add_body(sphere(world.rock, DVec3::Z * 5.0)).expect("valid");
    world.simulation.remove_body(gone).expect("it is there");
    refused(&mut world, &["no body with index 2"], |s| s.pose(gone));
    refused(&mut world, &["no body with index 2"], |s| s.velocity(gone));
    refused(&mut world, &["no body with index 2"], |s| s.remove_body(gone));
    assert_eq!(world.simulation.label(gone), Ok("number 2 (from 0)".to_owned()));
    assert_eq!(world.simulation.shape(gone).map(Shape::name), Ok("sphere"));
}

#[test]
fn bodies_out_of_their_range_are_refused_by_name() {
    let mut world = world(Settings::default());
    let rock = world.rock;
    let [dust, lead] = [1e-290, 1e308]
        .map(|density| world.simulation.add_material(Material { density, ..ROCK }).expect("a finite density above 0"));
    let good = BodyDescription { name: "stone".to_owned(), ..sphere(rock, DVec3::Z * 5.0) };
    let at = |position| BodyDescription { pose: Pose::from_position(position), ..good.clone() };
    let turned = |rotation| BodyDescription { pose: Pose::new(DVec3::Z * 5.0, rotation), ..good.clone() };
    let with = |linear, angular| BodyDescription { velocity: Velocity { linear, angular }, ..good.clone() };
    let small = Shape::sphere(1e-12).expect("the least");
    let mut cases = vec![
        ("position", at(DVec3::NAN)),
        ("position", at(DVec3::Z * 1e200)),
        ("position", at(DVec3::Z * f64::NEG_INFINITY)),
        ("orientation", turned(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0))),
        ("orientation", turned(DQuat::from_xyzw(0.0, 0.0, f64::NAN, 1.0))),
        ("velocity", with(DVec3::NAN, DVec3::ZERO)),
        ("velocity", with(DVec3::X * 1e160, DVec3::ZERO)),
        ("velocity", with(DVec3::ZERO, DVec3::X * 1e200)),
        ("mass", BodyDescription { mass: Some(1e-320), ..good.clone() }),
        ("mass", BodyDescription { mass: Some(1e-300), shape: small.clone(), ..good.clone() }),
        ("mass", BodyDescription { shape: small, material: dust, ..good.clone() }),
        ("mass", BodyDescription { shape: Shape::sphere(10.0).expect("valid"), material: lead, ..good.clone() }),
        ("shape", BodyDescription { shape: Shape::half_space(DVec3::Z).expect("valid"), ..good.clone() }),
        ("motion", BodyDescription { motion: Some(Motion::Constant(Velocity::ZERO)), ..good.clone() }),
    ];
    cases.extend(NO_POSITIVE.map(|mass| ("mass", BodyDescription { mass: Some(mass), ..good.clone() })));
    for (field, bad) in cases {
        refused(&mut world, &["`stone`", field], |s| s.add_body(bad));
    }
    let named = BodyDescription { name: "two\nlines".to_owned(), ..good };
    refused(&mut world, &["`two\\nlines`", "name", "control"], |s| s.add_body(named));
}

#[test]
fn motions_out_of_their_range_are_refused() {
    let mut world = world(Settings::default());
    let rock = world.rock;
    let sine = |amplitude, frequency, phase| Motion::Sine { amplitude, frequency, phase };
    let nan = Velocity { linear: DVec3::ZERO, angular: DVec3::NAN };
    let nowhere = |_: f64| Pose::from_position(DVec3::NAN);
    let twisted = |_: f64| Pose::new(DVec3::Z * 9.0, DQuat::from_xyzw(1.0, 1.0, 0.0, 0.0));
    for (part, bad) in [
        ("velocity", Motion::Constant(nan)),
        ("frequency", sine(DVec3::Z, f64::NAN, 0.0)),
        ("frequency", sine(DVec3::Z, -1.0, 0.0)),
        ("frequency", sine(DVec3::Z, f64::INFINITY, 0.0)),
        ("amplitude", sine(DVec3::NAN, 1.0, 0.0)),
        ("amplitude", sine(DVec3::Z * 1e100, 1e250, 0.0)),
        ("phase", sine(DVec3::Z, 1.0, f64::INFINITY)),
        ("position", Motion::Function(Arc::new(nowhere))),
        ("unit quaternion", Motion::Function(Arc::new(twisted))),
    ] {
        refused(&mut world, &["body number 2", "motion", part], |s| s.add_body(driven(rock, bad)));
    }
}

/// What a motion leads to is known in the step only: it ends with an error that names the body, and the state is that
/// before it.
#[test]
fn a_motion_that_leads_nowhere_ends_the_step_and_leaves_the_state() {
    let at = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 9.0));
    let late = |bad: Pose| move |t: f64| if t > 0.05 { bad } else { at(t) };
    let half = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5);
    for (part, bad) in [
        ("not finite", at(f64::NAN)),
        ("1e12 m", at(1e13)),
        ("unit quaternion", Pose::new(DVec3::Z * 9.0, half)),
        ("unit quaternion", Pose::new(DVec3::Z * 9.0, DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0))),
    ] {
        let mut world = world(Settings::default());
        let motion = Motion::Function(Arc::new(late(bad)));
        let body = BodyDescription { name: "blade".to_owned(), ..driven(world.rock, motion) };
        let blade = world.simulation.add_body(body).expect("it starts well");
        let (hash, error) = loop {
            let hash = world.simulation.state_hash();
            if let Err(error) = world.simulation.step() {
                break (hash, error);
            }
            assert!(world.simulation.time() < 0.1, "{part} is noticed");
        };
        assert!(matches!(error, EngineError::Motion { .. }), "{error}");
        assert!(error.to_string().contains("`blade`") && error.to_string().contains(part), "{error}");
        assert_eq!(world.simulation.state_hash(), hash, "{part}");
        assert_eq!(world.simulation.step().expect_err("again"), error);
        world.simulation.remove_body(blade).expect("it is there");
        world.simulation.step().expect("without the body it goes on");
    }
}

/// Force fields likewise, whatever the integrator and the stepping, also where only the stages of an integrator see it.
#[test]
fn a_field_that_is_not_finite_ends_the_step_and_leaves_the_state() {
    type Field = fn(&BodyView) -> Force;
    let nan: Field =
        |body| Force { force: DVec3::X * if body.time > 0.05 { f64::NAN } else { 0.0 }, torque: DVec3::ZERO };
    let spin: Field =
        |body| Force { force: DVec3::ZERO, torque: DVec3::X * if body.time > 0.05 { f64::NAN } else { 0.0 } };
    let huge: Field =
        |body| Force { force: DVec3::X * if body.time > 0.05 { 1e308 } else { 0.0 }, torque: DVec3::ZERO };
    // The flying ball is above 4.9 m at the start of every step, and below it in the last stage of one.
    let below: Field = |body| {
        let bad = body.velocity.linear.z < -0.98 && body.velocity.linear.z * 1000.0 % 2.0 != 0.0;
        Force { force: DVec3::X * if bad { f64::NAN } else { 0.0 }, torque: DVec3::ZERO }
    };
    for integrator in [Integrator::SymplecticEuler, Integrator::Midpoint, Integrator::RungeKutta4] {
        for stepping in [Stepping::Margin, Stepping::Event] {
            for (name, field) in [("force", nan), ("moment", spin), ("overflow", huge), ("stage", below)] {
                let settings = Settings { integrator, stepping, time_step: Some(0.01), ..Settings::default() };
                let mut world = world(settings);
                world.simulation.add_body(sphere(world.rock, DVec3::Z * 6.0)).expect("it flies");
                world.simulation.add_force_field(Arc::new(field));
                let (hash, error) = loop {
                    let hash = world.simulation.state_hash();
                    if let Err(error) = world.simulation.step() {
                        break (hash, error);
                    }
                    assert!(world.simulation.time() < 0.5, "{name} is noticed");
                };
                assert!(matches!(error, EngineError::Field { .. }), "{name} {integrator:?} {stepping:?}: {error}");
                assert!(error.to_string().contains("body number"), "{error}");
                assert_eq!(world.simulation.state_hash(), hash, "{name} {integrator:?} {stepping:?}");
                assert_eq!(world.simulation.step().expect_err("again"), error);
            }
        }
    }
}

#[test]
fn accuracies_out_of_their_range_are_refused() {
    let good = Accuracy::default();
    let with = |accuracy: Accuracy| Simulation::new(Settings { accuracy, ..Settings::default() }).map(|_| ());
    for bad in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        for (name, accuracy) in [
            ("tolerance", Accuracy { tolerance: bad, ..good }),
            ("overlap_bound", Accuracy { overlap_bound: bad, ..good }),
            ("drift_budget", Accuracy { drift_budget: bad, ..good }),
            ("drift_budget_of_step", Accuracy { drift_budget_of_step: bad, ..good }),
            ("sleep_energy", Accuracy { sleep_energy: bad, ..good }),
            ("wake_load", Accuracy { wake_load: bad, ..good }),
        ] {
            let error = with(accuracy).expect_err("out of its range").to_string();
            assert!(error.contains(&format!("`accuracy.{name}`")), "{error}");
        }
    }
    assert!(with(Accuracy { sleep_time: f64::NAN, ..good }).is_err() && with(Accuracy { sweeps: 19, ..good }).is_err());
    let ends = Accuracy { tolerance: 1.0, sweeps: 20, drift_budget: 0.0, drift_budget_of_step: 0.0, ..good };
    assert!(
        with(Accuracy { sleep_time: 0.019, ..good }).is_err() && with(Accuracy { sleep_time: 0.0, ..good }).is_err()
    );
    with(Accuracy { sleep_time: 0.02, overlap_bound: 0.1, sleep_energy: 1.0, ..ends }).expect("the ends are in range");
}

#[test]
fn criteria_for_rest_out_of_their_range_are_refused() {
    let mut world = world(Settings::default());
    let good = RestCriterion::default();
    for bad in NO_POSITIVE {
        refused(&mut world, &["rest.speed"], |s| s.set_rest_criterion(RestCriterion { speed: bad, ..good }));
        refused(&mut world, &["rest.energy"], |s| s.set_rest_criterion(RestCriterion { energy: bad, ..good }));
    }
    for bad in [f64::NAN, -0.1, 1.1] {
        refused(&mut world, &["rest.fraction"], |s| s.set_rest_criterion(RestCriterion { fraction: bad, ..good }));
    }
    for bad in [f64::NAN, -0.1, f64::INFINITY] {
        refused(&mut world, &["rest.hold"], |s| s.set_rest_criterion(RestCriterion { hold: bad, ..good }));
    }
    world.simulation.set_rest_criterion(RestCriterion { fraction: 0.0, hold: 0.0, ..good }).expect("the ends");
}

#[test]
fn steps_of_absurd_length_are_refused_or_made() {
    for bad in NO_POSITIVE.into_iter().chain([1e300, 1e100, 1e9, 1e-320]) {
        let mut world = world(Settings::default());
        refused(&mut world, &["time_step"], |s| s.step_by(bad));
    }
    // Lost in the rounding of the time.
    let mut late = world(Settings::default());
    late.simulation.step().expect("it rests");
    refused(&mut late, &["time_step", "rounding"], |s| s.step_by(1e-30));
    let mut given = world(Settings { time_step: Some(1e200), ..Settings::default() });
    assert!(matches!(given.simulation.step(), Err(EngineError::Setting { field: "time_step", .. })));
    for long in [1e-9, 1.0, 1e3] {
        let mut world = world(Settings::default());
        world.simulation.add_body(sphere(world.rock, DVec3::new(0.1, 0.0, 3.0))).expect("it falls");
        let made = world.simulation.step_by(long).expect("long, but a step");
        assert_eq!(made.dt, long);
        assert!(world.simulation.snapshot().bodies.iter().all(|b| b.pose.position.is_finite()));
    }
}

#[test]
fn a_problem_within_no_number_is_refused() {
    let mut world = world(Settings::default());
    refused(&mut world, &["touch"], |s| s.contact_problem(f64::NAN));
    assert_eq!(world.simulation.contact_problem(1e-2).expect("valid").contacts.len(), 1);
    assert_eq!(world.simulation.contact_problem(f64::NEG_INFINITY).expect("valid").contacts.len(), 0);
}

/// Forces are asked of handles of another simulation, of bodies that are gone, and before anything is recorded.
#[test]
fn forces_of_what_is_not_there_are_refused() {
    let (mut world, mut other) = (world(Settings::default()), world(Settings::default()));
    let rock = other.rock;
    let foreign = other.simulation.add_body(sphere(rock, DVec3::new(0.0, 0.0, 9.0))).expect("it is valid");
    let rock = world.rock;
    let gone = world.simulation.add_body(sphere(rock, DVec3::new(0.0, 0.0, 9.0))).expect("it is valid");
    let here = world.simulation.add_body(sphere(rock, DVec3::new(0.0, 3.0, 9.0))).expect("it is valid");
    assert_eq!(world.simulation.force_on(here), Err(EngineError::ForcesNotRecorded));
    let mut walls = WallLoads::default();
    assert_eq!(world.simulation.add_to_wall_loads(&mut walls), Err(EngineError::ForcesNotRecorded));
    // Before the first step that is recorded, and after recording was switched off and on, nothing is known.
    for _ in 0..2 {
        world.simulation.record_forces(true);
        assert_eq!(world.simulation.force_on(here), Err(EngineError::ForcesNotRecorded));
        assert!(world.simulation.contacts().is_err());
        assert_eq!(world.simulation.add_to_wall_loads(&mut walls), Err(EngineError::ForcesNotRecorded));
        assert_eq!(world.simulation.take_wall_loads(&mut walls, true), Err(EngineError::ForcesNotRecorded));
        world.simulation.step().expect("it falls");
        assert_eq!(world.simulation.force_on(here), Ok(DVec3::ZERO));
        world.simulation.record_forces(false);
    }
    world.simulation.record_forces(true);
    world.simulation.step().expect("it falls");
    world.simulation.remove_body(gone).expect("it is there");
    let simulation = &world.simulation;
    assert!(matches!(simulation.force_on(foreign), Err(EngineError::ForeignHandle { .. })));
    assert!(matches!(simulation.torque_on(gone, DVec3::ZERO), Err(EngineError::NoSuchBody { .. })));
    assert!(simulation.contacts_of(gone).is_err());
    for bad in [DVec3::NAN, DVec3::X * f64::INFINITY] {
        let error = simulation.torque_on(here, bad).expect_err("no point of the world").to_string();
        assert!(error.contains("`about`"), "{error}");
    }
    simulation.add_to_wall_loads(&mut walls).expect("recorded");
    assert_eq!(simulation.take_wall_loads(&mut walls, false).expect("recorded").len(), simulation.body_count());
    assert_eq!(simulation.take_wall_loads(&mut walls, false).expect("recorded").len(), 0, "no step since");
}

/// A simulation without anything in it answers everything.
#[test]
fn an_empty_simulation_answers() {
    for settings in [Settings::default(), Settings { gravity: DVec3::ZERO, ..Settings::default() }] {
        let mut empty = Simulation::new(settings).expect("the defaults are valid");
        assert_eq!(empty.validate_start().expect("nothing overlaps").len(), 0);
        assert_eq!((empty.body_count(), empty.dynamic_count(), empty.steps()), (0, 0, 0));
        assert!(empty.lost_bodies().is_empty() && empty.snapshot().bodies.is_empty());
        assert!(empty.touching_partners().is_empty() && empty.touching_pairs().is_empty());
        assert_eq!((empty.overlaps().count(), empty.largest_overlap()), (0, 0.0));
        assert!(empty.contact_problem(0.0).expect("no contacts").contacts.is_empty());
        assert!(empty.scales().smallest_radius.is_infinite());
        assert_eq!(empty.time_step(), 1.0 / 60.0);
        assert!(empty.time_step_decided_by().contains("no dynamic body"));
        empty.step().expect("nothing moves");
        empty.step_by(PI).expect("nothing moves");
        assert_eq!((empty.steps(), empty.time()), (2, 1.0 / 60.0 + PI));
    }
}

/// Whatever step and restitution the slowest resolved impact is asked of, the answer is a number that says nothing more
/// than it was given.
#[test]
fn resolved_speed_answers_all_numbers() {
    let simulation = Simulation::new(Settings::default()).expect("settings are valid");
    for dt in NO_POSITIVE.into_iter().chain([f64::MAX, f64::MIN_POSITIVE]) {
        for restitution in NO_POSITIVE.into_iter().chain([2.0, f64::MIN_POSITIVE]) {
            for movable in [0, 1, usize::MAX] {
                let speed = simulation.resolved_speed(dt, restitution, movable);
                assert!(!speed.is_nan() || dt.is_nan() || dt == 0.0, "{dt}, {restitution}: {speed}");
                assert!(restitution > 0.0 || speed == f64::INFINITY, "{dt}, {restitution}: {speed}");
            }
        }
    }
}

/// The public functions of [`Simulation`] that take an argument are those that the tests above feed.
#[test]
fn every_function_that_takes_something_is_fed() {
    let fed = [
        "new",
        "add_material",
        "set_pair",
        "add_body",
        "remove_body",
        "add_force_field",
        "set_rest_criterion",
        "pose",
        "velocity",
        "label",
        "shape",
        "step_by",
        "contact_problem",
        "record_forces",
        "resolved_speed",
        "contacts_of",
        "force_on",
        "torque_on",
        "add_to_wall_loads",
        "take_wall_loads",
    ];
    let mut found = Vec::new();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/interface")).expect("the sources") {
        let path = file.expect("a file").path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // Of each `impl Simulation { ... }`, which ends with a brace in the first column.
        for block in text.split("\nimpl Simulation {\n").skip(1) {
            let block = block.split("\n}\n").next().unwrap_or_default();
            for function in block.split("\n    pub fn ").skip(1) {
                let (name, rest) = function.split_once('(').expect("a function has brackets");
                let arguments = rest.split(')').next().unwrap_or_default();
                let takes = arguments.split(',').any(|a| !a.trim().is_empty() && !a.trim().ends_with("self"));
                if takes {
                    found.push(name.to_owned());
                }
            }
        }
    }
    found.sort();
    let mut fed = fed.map(str::to_owned).to_vec();
    fed.sort();
    assert_eq!(found, fed, "a function that no test of this file feeds");
}
