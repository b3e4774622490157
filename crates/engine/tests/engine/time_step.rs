//! The time step that the engine chooses: from what, when anew, and what it says of it. Scenes of 1 mm to 100 m.

use std::f64::consts::TAU;
use std::sync::Arc;

use granule_engine::prelude::*;

use crate::support::ROCK;

const GRAVITY: f64 = 9.8;
/// Radii of the grains \[m\].
const RADII: [f64; 4] = [1e-3, 0.05, 1.5, 100.0];

/// Relative difference.
fn off(value: f64, expected: f64) -> f64 {
    (value / expected - 1.0).abs()
}

/// Rounding of a few operations.
const ROUNDING: f64 = 1e-14;

struct World {
    simulation: Simulation,
    rock: MaterialId,
    radius: f64,
}

impl World {
    /// A floor with a cube of the given equal-volume radius that rests on it.
    fn new(radius: f64, settings: Settings) -> World {
        let mut simulation = Simulation::new(settings).expect("the settings are valid");
        let rock = simulation.add_material(ROCK).expect("the material is valid");
        let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
        let mut world = World { simulation, rock, radius };
        world.cube("stone", radius, DVec3::ZERO);
        world
    }

    /// A cube on the floor, or `above` it.
    fn cube(&mut self, name: &str, radius: f64, above: DVec3) -> BodyId {
        let edge = radius * (2.0 * TAU / 3.0).cbrt();
        let shape = Shape::cuboid(DVec3::splat(edge)).expect("the size is valid");
        let body = BodyDescription::dynamic(shape, self.rock, above + DVec3::Z * (0.5 * edge));
        self.simulation.add_body(BodyDescription { name: name.to_owned(), ..body }).expect("the cube is valid")
    }

    /// A driven ball far above everything.
    fn blade(&mut self, motion: Motion) -> BodyId {
        let shape = Shape::sphere(self.radius).expect("the radius is valid");
        let body = BodyDescription::fixed(shape, self.rock, DVec3::Z * (50.0 * self.radius));
        let body = BodyDescription { name: "blade".to_owned(), kind: BodyKind::Driven, motion: Some(motion), ..body };
        self.simulation.add_body(body).expect("the blade is valid")
    }

    /// `sqrt(R/a)/16`.
    fn by_acceleration(&self, acceleration: f64) -> f64 {
        (self.radius / acceleration).sqrt() / 16.0
    }

    /// `R/(2 v)`.
    fn by_speed(&self, speed: f64) -> f64 {
        self.radius / (2.0 * speed)
    }

    /// The step to come is `expected`, and the sentence on what decided it has the given parts.
    fn expect(&mut self, expected: f64, parts: &[&str]) {
        let (said, sentence) = (self.simulation.time_step(), self.simulation.time_step_decided_by());
        assert!(off(said, expected) <= ROUNDING, "{said:e} and not {expected:e} at R = {}: {sentence}", self.radius);
        assert!(parts.iter().all(|part| sentence.contains(part)), "`{sentence}` lacks one of {parts:?}");
        let made = self.simulation.step().expect("the run stays finite").dt;
        assert_eq!(made, said, "what is said is what is done");
    }
}

fn constant(linear: DVec3, angular: DVec3) -> Motion {
    Motion::Constant(Velocity { linear, angular })
}

#[test]
fn gravity_and_the_smallest_body_decide_where_nothing_is_faster() {
    for radius in RADII {
        let mut world = World::new(radius, Settings::default());
        let expected = world.by_acceleration(GRAVITY);
        world.expect(expected, &["Gravity, 9.8 m/s2", "the smallest body, `stone`"]);
    }
}

#[test]
fn a_body_that_is_added_later_counts_and_one_that_is_removed_does_not() {
    for radius in RADII {
        let mut world = World::new(radius, Settings::default());
        let whole = world.by_acceleration(GRAVITY);
        world.expect(whole, &["`stone`"]);
        let pebble = world.cube("pebble", radius / 20.0, DVec3::X * (10.0 * radius));
        world.expect(whole / 20f64.sqrt(), &["Gravity", "the smallest body, `pebble`"]);
        world.simulation.remove_body(pebble).expect("it is there");
        world.expect(whole, &["the smallest body, `stone`"]);
        // A little smaller: the step stays.
        world.cube("chip", 0.9 * radius, DVec3::X * (20.0 * radius));
        world.expect(whole, &["`stone`"]);
        // One that falls onto the others.
        let height = 1000.0 * radius;
        world.cube("meteor", radius, DVec3::new(40.0 * radius, 0.0, height));
        let edge = radius * (2.0 * TAU / 3.0).cbrt();
        let speed = (2.0 * GRAVITY * (height + 0.5 * edge)).sqrt();
        let expected = 0.9 * world.by_speed(speed);
        world.expect(expected, &["The fall of body `meteor`", "the smallest body, `chip`"]);
    }
}

#[test]
fn speeds_of_driven_bodies_enter() {
    for radius in RADII {
        let unit = (GRAVITY * radius).sqrt();
        // Forwards, and turning: the surface is at one radius.
        let mut world = World::new(radius, Settings::default());
        world.blade(constant(DVec3::X * (30.0 * unit), DVec3::Y * (40.0 * unit / radius)));
        let expected = world.by_speed(70.0 * unit);
        world.expect(expected, &["The motion of driven body `blade`", "`stone`"]);
        // To and fro: 2 pi f A.
        let mut world = World::new(radius, Settings::default());
        let frequency = unit / radius;
        world.blade(Motion::Sine { amplitude: DVec3::X * (10.0 * radius), frequency, phase: 0.3 });
        let expected = world.by_speed(TAU * 10.0 * unit);
        world.expect(expected, &["The motion of driven body `blade`"]);
        // To and fro by little, and often: the period.
        let mut world = World::new(radius, Settings::default());
        world.blade(Motion::Sine { amplitude: DVec3::X * (1e-3 * radius), frequency: 100.0 * frequency, phase: 0.3 });
        world.expect(0.01 / frequency / 16.0, &["driven body `blade`, of period"]);
        // A function: by difference.
        let mut world = World::new(radius, Settings::default());
        let at = move |t: f64| Pose::from_position(DVec3::new(50.0 * unit * t, 0.0, 50.0 * radius));
        world.blade(Motion::Function(Arc::new(at)));
        let said = world.simulation.time_step();
        // The difference of two positions of some ten radii: measured 4e-15.
        assert!(off(said, world.by_speed(50.0 * unit)) <= 1e-12, "{said:e}");
        // A driven floor that turns has no end, and does not turn infinitely fast for that.
        let mut world = World::new(radius, Settings::default());
        let shape = Shape::half_space(-DVec3::X).expect("the normal is valid");
        let wall = BodyDescription::fixed(shape, world.rock, DVec3::X * (100.0 * radius));
        let turning = Some(constant(DVec3::ZERO, DVec3::X * (unit / radius)));
        let wall = BodyDescription { kind: BodyKind::Driven, motion: turning, ..wall };
        world.simulation.add_body(wall).expect("the wall is valid");
        let edge = radius * (2.0 * TAU / 3.0).cbrt();
        let far = DVec3::new(100.0 * radius + 0.5 * edge, 0.5 * edge, edge).length();
        let expected = world.by_speed(unit / radius * far);
        world.expect(expected, &["driven body number 2"]);
    }
}

/// A function that speeds up is followed: the step is shortened when its speed is more than the step bears, and stays
/// short.
#[test]
fn a_driven_body_that_speeds_up_shortens_the_step() {
    for radius in RADII {
        let (unit, time) = ((GRAVITY * radius).sqrt(), (radius / GRAVITY).sqrt());
        let mut world = World::new(radius, Settings::default());
        let at = move |t: f64| {
            let far = if t < time { 0.0 } else { 100.0 * unit * (t - time) };
            Pose::from_position(DVec3::new(far, 0.0, 50.0 * radius))
        };
        world.blade(Motion::Function(Arc::new(at)));
        let whole = world.by_acceleration(GRAVITY);
        let mut steps = Vec::new();
        while world.simulation.time() < 2.0 * time {
            steps.push(world.simulation.step().expect("the run stays finite").dt);
        }
        assert!(off(steps[0], whole) <= ROUNDING, "{:e}", steps[0]);
        let last = *steps.last().expect("there are steps");
        // The speed is that of the last step, by difference of positions of some ten radii.
        assert!(off(last, world.by_speed(100.0 * unit)) <= 1e-9, "{last:e}");
        let changes = steps.windows(2).filter(|w| w[0] != w[1]).count();
        assert!(changes <= 2 && steps.windows(2).all(|w| w[1] <= w[0]), "{changes} changes");
    }
}

#[test]
fn force_fields_enter_by_their_acceleration_and_by_the_fall_that_they_make() {
    for radius in RADII {
        // 15 g downwards beside gravity: a = 16 g, at rest.
        let mut world = World::new(radius, Settings::default());
        let pull = |body: &BodyView| Force { force: DVec3::Z * (-15.0 * GRAVITY * body.mass), torque: DVec3::ZERO };
        world.expect(world.by_acceleration(GRAVITY), &["Gravity"]);
        world.simulation.add_force_field(Arc::new(pull));
        let expected = world.by_acceleration(16.0 * GRAVITY);
        world.expect(expected, &["The pull of the force fields on body `stone`, 156.8 m/s2", "`stone`"]);
        // One that holds it up may be gone at the next place: gravity counts.
        let mut world = World::new(radius, Settings::default());
        let hold = |body: &BodyView| Force { force: DVec3::Z * (GRAVITY * body.mass), torque: DVec3::ZERO };
        world.simulation.add_force_field(Arc::new(hold));
        let expected = world.by_acceleration(GRAVITY);
        world.expect(expected, &["Gravity"]);
        // Without gravity, across to a wall at 1000 radii.
        let mut world = World::new(radius, Settings { gravity: DVec3::ZERO, ..Settings::default() });
        let wall = Shape::half_space(-DVec3::X).expect("the normal is valid");
        let wall = BodyDescription::fixed(wall, world.rock, DVec3::X * (1000.0 * radius));
        world.simulation.add_body(wall).expect("the wall is valid");
        world.expect(1.0 / 60.0, &["Nothing moves and nothing pulls"]);
        let across = |body: &BodyView| Force { force: DVec3::X * (GRAVITY * body.mass), torque: DVec3::ZERO };
        world.simulation.add_force_field(Arc::new(across));
        let expected = world.by_speed((2.0 * GRAVITY * 1000.0 * radius).sqrt());
        world.expect(expected, &["The fall of body `stone` in the force fields"]);
    }
}

/// A field that grows is followed as a driven body is.
#[test]
fn a_field_that_grows_shortens_the_step() {
    for radius in RADII {
        let time = (radius / GRAVITY).sqrt();
        let mut world = World::new(radius, Settings::default());
        let pull = move |body: &BodyView| {
            let g = if body.time > time { 24.0 * GRAVITY } else { 0.0 };
            Force { force: DVec3::Z * (-g * body.mass), torque: DVec3::ZERO }
        };
        world.simulation.add_force_field(Arc::new(pull));
        let expected = world.by_acceleration(GRAVITY);
        world.expect(expected, &["Gravity"]);
        while world.simulation.time() <= time {
            assert!(off(world.simulation.time_step(), expected) <= ROUNDING);
            world.simulation.step().expect("the run stays finite");
        }
        world.expect(expected / 5.0, &["The pull of the force fields on body `stone`"]);
    }
}

#[test]
fn drag_bounds_the_speed_of_a_fall() {
    for radius in RADII {
        let height = 1e4 * radius;
        // 3/8 C_d rho/rho_body = 1/400: a terminal speed of sqrt(400 g R).
        let drag = Drag { density: ROCK.density / 375.0, drag_coefficient: 2.5, ..Drag::default() };
        let fall = |drag: Drag| {
            let mut world = World::new(radius, Settings { drag, ..Settings::default() });
            world.cube("meteor", radius, DVec3::new(4.0 * radius, 0.0, height));
            world
        };
        let edge = radius * (2.0 * TAU / 3.0).cbrt();
        let mut free = fall(Drag::default());
        let expected = free.by_speed((2.0 * GRAVITY * (height + 0.5 * edge)).sqrt());
        free.expect(expected, &["The fall of body `meteor`"]);
        let mut dragged = fall(drag);
        // m g = C_d rho pi R^2 v^2 / 2.
        let terminal = (8.0 / 3.0 * GRAVITY * radius * ROCK.density / (drag.density * drag.drag_coefficient)).sqrt();
        assert!(off(terminal, (400.0 * GRAVITY * radius).sqrt()) <= 1e-12);
        let expected = dragged.by_speed(terminal);
        dragged.expect(expected, &["The fall of body `meteor`"]);
        // Drag that stops everything within a step asks for no step of its own.
        let mut stiff = fall(Drag { viscosity: 1e9 * (GRAVITY * radius).sqrt() * radius * ROCK.density, ..drag });
        let expected = stiff.by_acceleration(GRAVITY);
        stiff.expect(expected, &["Gravity"]);
    }
}

/// Two balls that meet head on with the same speed: struck elastically by a heavy one, the light one leaves with (3 M -
/// m)/(M + m) of it, for which the step was not made; without restitution both go on with (M - m)/(M + m) of it.
#[test]
fn a_body_that_is_faster_than_expected_shortens_the_step() {
    for radius in RADII {
        for (restitution, gain) in [(1.0, 2999.0 / 1001.0), (0.0, 1.0)] {
            let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
            let mut simulation = Simulation::new(settings).expect("the settings are valid");
            let rock = simulation.add_material(Material { restitution, ..ROCK }).expect("the material is valid");
            let mut add = |radius: f64, x: f64, speed: f64| {
                let shape = Shape::sphere(radius).expect("the radius is valid");
                let mut body = BodyDescription::dynamic(shape, rock, DVec3::X * x);
                body.velocity.linear = DVec3::X * speed;
                simulation.add_body(body).expect("the ball is valid");
            };
            let speed = 3.0 * radius;
            add(radius, 15.0 * radius, -speed);
            add(10.0 * radius, -15.0 * radius, speed);
            let mut steps = Vec::new();
            while simulation.time() < 5.0 {
                steps.push(simulation.step().expect("the run stays finite").dt);
            }
            let by_speed = 2.0 / 3.0 * radius / speed;
            assert!(off(steps[0], by_speed) <= ROUNDING, "{:e}", steps[0]);
            // The speed that the law leaves: measured 2e-16.
            assert!(off(steps[steps.len() - 1], by_speed / gain) <= 1e-12, "{:?} at {radius}", steps.last());
            assert_eq!(steps.windows(2).filter(|w| w[0] != w[1]).count(), usize::from(gain > 1.0), "at once");
        }
    }
}

/// Balls that fly side by side without gravity meet nothing: what nothing moves asks for no step of its own.
#[test]
fn bodies_that_meet_nothing_keep_their_step() {
    let mut simulation =
        Simulation::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).expect("the settings are valid");
    let rock = simulation.add_material(ROCK).expect("the material is valid");
    for k in 0..3 {
        let shape = Shape::sphere(1.0).expect("the radius is valid");
        let mut body = BodyDescription::dynamic(shape, rock, DVec3::Y * (9.0 * f64::from(k)));
        body.velocity.linear = DVec3::X * 0.5;
        simulation.add_body(body).expect("the ball is valid");
    }
    let steps: Vec<f64> = (0..20).map(|_| simulation.step().expect("the run stays finite").dt).collect();
    assert!(steps.iter().all(|dt| off(*dt, 4.0 / 3.0) <= ROUNDING), "{steps:?}");
}

#[test]
fn a_step_that_is_given_stays_whatever_comes() {
    let mut world = World::new(1.0, Settings { time_step: Some(0.01), ..Settings::default() });
    world.expect(0.01, &["settings"]);
    world.cube("pebble", 1e-3, DVec3::X * 9.0);
    world.blade(constant(DVec3::X * 100.0, DVec3::ZERO));
    world.expect(0.01, &["settings"]);
}

/// Two runs of the same steps choose the same steps, bit by bit, also with another number of threads.
#[test]
fn the_choice_is_a_function_of_the_state() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made");
        pool.install(|| {
            let mut world = World::new(0.5, Settings::default());
            let mut steps = Vec::new();
            for k in 0..60u32 {
                if k % 10 == 0 {
                    let x = f64::from(k) * 0.2;
                    world.cube("", 0.5 / f64::from(k + 1), DVec3::new(x, 0.3, 3.0 + f64::from(k)));
                }
                steps.push(world.simulation.step().expect("the run stays finite").dt.to_bits());
            }
            (steps, world.simulation.state_hash())
        })
    };
    let one = run(1);
    assert_eq!(one, run(3));
    assert!(one.0.windows(2).any(|w| w[0] != w[1]), "the step changes");
}

/// A driven body that is added during a run starts at its own start.
#[test]
fn a_driven_body_that_is_added_later_starts_where_it_was_added() {
    for radius in RADII {
        let time = (radius / GRAVITY).sqrt();
        let unit = (GRAVITY * radius).sqrt();
        let position = DVec3::Z * (50.0 * radius);
        let (amplitude, frequency, phase) = (DVec3::X * radius, 0.2 / time, 0.7);
        let sine = move |t: f64| amplitude * ((TAU * frequency * t + phase).sin() - phase.sin());
        let function = move |t: f64| Pose::from_position(position + DVec3::Y * (unit * t));
        type Expected = Box<dyn Fn(f64) -> DVec3>;
        let begins = amplitude * (TAU * frequency * phase.cos());
        let cases: [(Motion, DVec3, Expected); 3] = [
            (constant(DVec3::X * unit, DVec3::ZERO), DVec3::X * unit, Box::new(move |t| DVec3::X * (unit * t))),
            (Motion::Sine { amplitude, frequency, phase }, begins, Box::new(sine)),
            (Motion::Function(Arc::new(function)), DVec3::ZERO, Box::new(move |t| DVec3::Y * (unit * t))),
        ];
        for (motion, velocity, expected) in cases {
            let mut world = World::new(radius, Settings::default());
            while world.simulation.time() < 10.0 * time {
                world.simulation.step().expect("the run stays finite");
            }
            let begun = world.simulation.time();
            let blade = world.blade(motion);
            let begins = world.simulation.velocity(blade).expect("it is there").linear;
            assert!((begins - velocity).length() <= ROUNDING * unit, "{begins}");
            for _ in 0..20 {
                world.simulation.step().expect("the run stays finite");
                let elapsed = world.simulation.time() - begun;
                let moved = world.simulation.pose(blade).expect("it is there").position - position;
                // Rounding of positions of 50 radii: measured 1.4e-14 of a radius.
                assert!((moved - expected(elapsed)).length() <= 1e-12 * radius, "{moved} after {elapsed}");
            }
        }
    }
}
