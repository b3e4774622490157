//! Few bodies with a long way to each other: who is thrown further than was looked for meets what is there, and corners
//! that come round are met where they come. Steps are made as by default.
//!
//! Energies have exact answers: nothing is given but by walls that are driven, whose work is told.

use granule_engine::Integrator;
use granule_engine::prelude::*;

use crate::elastic::{ball, close, cuboid, elastic, expect_sound, follow, toss, weightless};

/// Shapes of some 4 to 10 cm.
fn shapes() -> [(&'static str, Shape); 5] {
    [
        ("ball", ball(0.03)),
        ("capsule", Shape::capsule(0.02, 0.06).expect("it is valid")),
        ("box", cuboid(DVec3::new(0.1, 0.07, 0.05))),
        ("plate", cuboid(DVec3::new(0.1, 0.1, 0.02))),
        ("rod", cuboid(DVec3::new(0.12, 0.02, 0.02))),
    ]
}

/// So many bodies of a shape that are thrown into an open box of 0.5 m.
fn thrown(shape: &Shape, count: u32, time_step: Option<f64>, seed: u32) -> [f64; 2] {
    let settings = Settings { time_step, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    let room = Shape::container(DVec3::new(0.5, 0.5, 0.5)).expect("the size is valid");
    simulation.add_body(BodyDescription::fixed(room, rock, DVec3::new(-0.25, -0.25, 0.0))).expect("it is valid");
    for k in 0..count {
        let place = DVec3::new(0.15 * (f64::from(k) - 0.5 * f64::from(count - 1)), 0.02 * toss(seed, 4 * k).y, 0.26);
        let mut body = BodyDescription::dynamic(shape.clone(), rock, place);
        body.pose.rotation = DQuat::from_scaled_axis(2.0 * toss(seed, 4 * k + 1));
        body.velocity.linear = toss(seed, 4 * k + 2);
        body.velocity.angular = 4.0 * toss(seed, 4 * k + 3);
        simulation.add_body(body).expect("it is valid");
    }
    let [off, _] = follow(&mut simulation, 1.5, "what is thrown");
    [off, simulation.largest_overlap_thin()]
}

/// Two and three bodies of every shape at their own step, two at 1/60 s, which is twelve times as long: among three
/// bodies impacts below a quarter of g dt, 4 cm/s then, give nothing back.
///
/// Two capsules lost 11 % in 2 s at 1/60 s, plates and rods up to 5e-3 at their own step: what was thrown further than
/// was looked for had its part made as a whole, and corners that came round by turning were not known to close, so that
/// they overlapped and were lifted out. Measured: changes of 2e-14, overlaps of 3e-3 of the thickness where edges
/// cross, in two runs of 90, else 1e-8. Of 450 throws from five heights one, from 0.25 m, meets a wall at 1 cm/s,
/// slower than its steps resolve, and loses 7e-6.
#[test]
fn what_is_thrown_into_an_open_box_keeps_its_energy() {
    let mut worst = [0.0_f64; 2];
    for (name, shape) in shapes() {
        for (count, time_step) in [(2, None), (3, None), (2, Some(1.0 / 60.0))] {
            for seed in 0..6 {
                let [off, overlap] = thrown(&shape, count, time_step, seed);
                println!("{count} of {name}, {time_step:?}, {seed}: {off:e}, {overlap:e}");
                assert!(off.abs() <= 1e-11, "{count} of {name}, {time_step:?}, {seed}: {off:e}");
                worst = [worst[0].max(off.abs()), worst[1].max(overlap)];
            }
        }
    }
    println!("{worst:?}");
    assert!(worst[1] <= 5e-3, "{worst:?}");
}

/// So many bodies between six walls that are driven to and fro together by a sine.
fn shaken(count: u32, time_step: Option<f64>, seed: u32) -> f64 {
    let (mut simulation, rock) = weightless(time_step);
    for normal in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]) {
        let wall = Shape::half_space(normal).expect("the normal is valid");
        let mut wall = BodyDescription::fixed(wall, rock, -2.0 * normal);
        wall.kind = BodyKind::Driven;
        let amplitude = DVec3::new(0.3, 0.2, 0.3);
        wall.motion = Some(Motion::Sine { amplitude, frequency: 1.0, phase: 0.5 * std::f64::consts::PI });
        simulation.add_body(wall).expect("the wall is valid");
    }
    let shapes = [cuboid(DVec3::new(1.0, 0.15, 0.15)), Shape::capsule(0.15, 0.5).expect("it is valid"), ball(0.25)];
    for k in 0..count {
        let place = DVec3::new(1.0 * f64::from(k % 3) - 1.0, 1.2 * f64::from(k / 3) - 0.6, 0.0);
        let mut body = BodyDescription::dynamic(shapes[(k % 3) as usize].clone(), rock, place);
        body.pose.rotation = DQuat::from_scaled_axis(3.0 * toss(seed, 3 * k));
        body.velocity = Velocity { linear: 4.0 * toss(seed, 3 * k + 1), angular: 12.0 * toss(seed, 3 * k + 2) };
        simulation.add_body(body).expect("it is valid");
    }
    follow(&mut simulation, 1.5, &format!("{count}, {time_step:?}, {seed}"))[0]
}

/// Walls that no listed contact leads to were no part of what made its part alone, so that one body in 32 runs lost up
/// to 4 %, and six were off by 1e-4 at their own step. Measured: 2e-14.
#[test]
fn what_walls_shake_has_what_they_work() {
    let mut worst = 0.0_f64;
    for (count, time_step) in [(1, Some(1.0 / 30.0)), (1, Some(1.0 / 120.0)), (6, Some(1.0 / 120.0)), (6, None)] {
        for seed in 0..16 {
            let off = shaken(count, time_step, seed);
            worst = worst.max(off.abs());
            assert!(off.abs() <= 1e-11, "{count}, {time_step:?}, {seed}: {off:e}");
        }
    }
    println!("{worst:e}");
}

/// Eight bodies of some speed \[m/s\] in a closed box of 2 m.
fn eight(speed: f64, time_step: Option<f64>, seed: u32) -> [f64; 2] {
    let (mut simulation, rock) = weightless(time_step);
    close(&mut simulation, rock);
    for k in 0..8 {
        let place = DVec3::new(0.5 * f64::from(k % 4) - 0.75, 1.0 * f64::from(k / 4) - 0.5, 0.3 * toss(seed, k).x);
        let shape = if k % 2 == 0 { cuboid(DVec3::new(0.3, 0.1, 0.1)) } else { ball(0.1) };
        let mut body = BodyDescription::dynamic(shape, rock, place);
        body.velocity = Velocity { linear: speed * toss(seed, k + 8), angular: 3.0 * toss(seed, k + 16) };
        simulation.add_body(body).expect("it is valid");
    }
    let [off, _] = follow(&mut simulation, 2.0, &format!("{speed} m/s, {time_step:?}, {seed}"));
    [off, simulation.largest_overlap_thin()]
}

/// Whoever may meet others in a part joins them, be they worlds or walls. Where none joins, overlaps come to 9e-3 of
/// the thickness; in the first of these runs the step is divided, and they do not. Measured: changes of 3e-15, overlaps
/// of 1e-10.
#[test]
fn whole_worlds_join() {
    for (speed, time_step) in [(6.0, Some(0.1)), (3.0, Some(0.05)), (6.0, Some(1.0 / 60.0)), (6.0, None)] {
        for seed in 0..8 {
            let [off, overlap] = eight(speed, time_step, seed);
            println!("{speed} m/s, {time_step:?}, {seed}: {off:e}, {overlap:e}");
            assert!(off.abs() <= 1e-11, "{speed} m/s, {time_step:?}, {seed}: {off:e}");
            assert!(overlap <= 1e-6, "{speed} m/s, {time_step:?}, {seed}: overlap {overlap:e}");
        }
    }
}

/// Two balls that fall on a floor and on each other, in steps that are divided as one meets the other after it was
/// struck: what flies keeps to its parabola in parts of other lengths. Measured: to 1e-15 of the energy; without,
/// 3.3e-3 were lost as a change of the length of steps.
#[test]
fn what_flies_keeps_to_its_parabola_where_steps_are_divided() {
    let settings = Settings { time_step: Some(1.0 / 60.0), ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let [low, high] =
        [(0.4688843703050096, 0.8540813208191683, -1.5504), (0.4515908805880605, 1.8858909471704834, -3.1028692)].map(
            |(radius, height, speed)| {
                let mut body = BodyDescription::dynamic(ball(radius), rock, height * DVec3::Z);
                body.velocity.linear = speed * DVec3::Z;
                simulation.add_body(body).expect("the ball is valid")
            },
        );
    let (mut start, mut divided, mut off) = (None, 0, 0.0_f64);
    while simulation.time() < 0.2 {
        let report = simulation.step().expect("the step is made");
        divided += u32::from(report.substeps > 1);
        if report.substeps > 1 {
            // E* of a parabola is that of its steps: it lies by m g^2 h^2/8 below the plain energy.
            continue;
        }
        let star = report.energy.star;
        off = off.max((star / *start.get_or_insert(star) - 1.0).abs());
    }
    println!("{off:e}, {divided} steps divided");
    assert!(divided > 0, "a step that is divided, or nothing is asked");
    assert!(off <= 1e-12, "{off:e}");
    assert!(simulation.pose(high).expect("there").position.z > simulation.pose(low).expect("there").position.z);
    assert!(simulation.largest_overlap() <= 1e-6, "{}", simulation.largest_overlap());
}

/// What is thrown follows the exact parabola from its first step on, at the engine's own step and any other: alone, in
/// a cluster that touches in the air, up from the floor that it lies on, and struck in its first step, in which it
/// bounces without loss. Its velocity is told as that of the parabola. A cube that lies on the floor stays. Measured:
/// 6e-14 of the size and of the speed of a fall by it, and 1.5e-14 of the rise; the ball thrown up at 5 m/s rose by
/// 3.3 % less at 60 Hz, as it lagged from the start.
#[test]
fn what_is_thrown_follows_its_parabola_from_the_first_step() {
    for scale in [1e-3, 1.0, 100.0] {
        for time_step in [None, Some(1.0 / 30.0), Some(1.0 / 60.0), Some(1e-3)] {
            // A step that is as long for the size as that of a metre.
            let time_step = time_step.map(|dt: f64| dt * f64::sqrt(scale));
            let mut simulation =
                Simulation::new(Settings { time_step, ..Settings::default() }).expect("settings are valid");
            let gravity = Settings::default().gravity;
            let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
            let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
            simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
            let mut add = |shape: Shape, place: DVec3, velocity: DVec3| {
                let mut body = BodyDescription::dynamic(shape, rock, scale * place);
                body.velocity.linear = scale.sqrt() * velocity;
                simulation.add_body(body).expect("the body is valid")
            };
            let up = DVec3::new(0.3, 0.0, 5.0);
            let flying = [
                (DVec3::new(0.0, 0.0, 1.0), up),
                (DVec3::new(0.0, 2.0, 1.0), up),
                (DVec3::new(0.1, 2.0, 1.0), up),
                (DVec3::new(0.0, 4.0, 0.05), up),
                (DVec3::new(0.0, 6.0, 2.0), DVec3::ZERO),
            ]
            .map(|(place, velocity)| (add(ball(0.05 * scale), place, velocity), place, velocity));
            let struck = add(ball(0.05 * scale), DVec3::new(0.0, 8.0, 0.05 + 1e-3), DVec3::new(0.0, 0.0, -4.0));
            let cube = add(cuboid(DVec3::splat(0.1 * scale)), DVec3::new(0.0, 10.0, 0.05), DVec3::ZERO);
            let label = format!("{scale}, {time_step:?}");
            let (mut off, mut rise) = (0.0_f64, 0.0_f64);
            while simulation.time() < 0.5 * scale.sqrt() {
                simulation.step().expect("the step is made");
                let time = simulation.time();
                for (body, place, velocity) in flying {
                    let exact = scale * place + scale.sqrt() * velocity * time + 0.5 * gravity * time * time;
                    off = off.max((simulation.pose(body).expect("there").position - exact).length() / scale);
                    let exact = scale.sqrt() * velocity + gravity * time;
                    let told = simulation.velocity(body).expect("there").linear;
                    off = off.max((told - exact).length() / scale.sqrt());
                }
                let (z, v) = (
                    simulation.pose(struck).expect("there").position.z,
                    simulation.velocity(struck).expect("there").linear.z,
                );
                let top = z - 0.05 * scale - 0.5 * v * v / gravity.z;
                let exact = 1e-3 * scale - 8.0 * scale / gravity.z;
                rise = rise.max((top / exact - 1.0).abs());
            }
            println!("{label}: {off:e} of the way, {rise:e} of the rise");
            assert!(off <= 1e-12, "{label}: {off:e}");
            assert!(rise <= 1e-9, "{label}: {rise:e}");
            let lies = simulation.pose(cube).expect("there").position - DVec3::new(0.0, 10.0, 0.05) * scale;
            assert!(lies.length() <= 1e-6 * scale, "{label}: the cube moved by {lies}");
            expect_sound(&simulation, &label);
        }
    }
}

/// \[m/s2\]
const EARTH: DVec3 = DVec3::new(0.0, 0.0, -9.8);

/// A ball of 0.1 m with this velocity beside what `add` adds; how far it is from the exact parabola within
/// 0.4 s, told velocity included, over the size and the speed of a fall by it. Steps of 1/30 s.
fn beside(gravity: DVec3, velocity: DVec3, place: DVec3, add: impl Fn(&mut Simulation, MaterialId)) -> f64 {
    let settings = Settings { time_step: Some(1.0 / 30.0), gravity, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    add(&mut simulation, rock);
    let mut body = BodyDescription::dynamic(ball(0.1), rock, place);
    body.velocity.linear = velocity;
    let body = simulation.add_body(body).expect("it is valid");
    let mut off = 0.0_f64;
    while simulation.time() < 0.4 {
        simulation.step().expect("the step is made");
        let time = simulation.time();
        let exact = place + velocity * time + 0.5 * gravity * time * time;
        off = off.max((simulation.pose(body).expect("there").position - exact).length() / 0.1);
        off = off.max((simulation.velocity(body).expect("there").linear - velocity - gravity * time).length());
    }
    expect_sound(&simulation, "what is thrown");
    off
}

/// What is thrown up near something that does not hold it follows its parabola: beside a ball that lies on the floor,
/// in touch with it or not, on it, and in a corner whose walls it overlaps by rounding. Within 0.02 of the radius it
/// rose by 6.5 % less. Measured: 4e-15.
#[test]
fn what_is_thrown_past_something_near_follows_its_parabola() {
    let floor = |simulation: &mut Simulation, rock: MaterialId| {
        let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    };
    let up = 5.0 * DVec3::Z;
    for gap in [0.0, 1e-3, 0.015, 0.019, 0.021] {
        let with_neighbour = |simulation: &mut Simulation, rock: MaterialId| {
            floor(simulation, rock);
            let neighbour = BodyDescription::dynamic(ball(0.1), rock, DVec3::new(0.2 + 0.1 * gap, 0.0, 0.1));
            simulation.add_body(neighbour).expect("it is valid");
        };
        let off = beside(EARTH, up, 0.1 * DVec3::Z, with_neighbour);
        println!("{gap}: {off:e}");
        assert!(off <= 1e-12, "{gap} beside one that lies: {off:e}");
        let off = beside(EARTH, up, (0.1 + 0.1 * gap) * DVec3::Z, floor);
        assert!(off <= 1e-12, "{gap} over a floor: {off:e}");
    }
    // Walls that are upright but for rounding, as gravity leans.
    for angle in [0.3, 1.1, 2.0, 2.9] {
        let gravity = DVec3::new(1.0, 2.0, -9.0);
        let down = gravity.normalize();
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), angle);
        let wall = |simulation: &mut Simulation, rock: MaterialId| {
            for normal in [turn * DVec3::X, turn * DVec3::Y].map(|n| (n - n.dot(down) * down).normalize()) {
                let wall = Shape::half_space(normal).expect("the normal is valid");
                let wall = BodyDescription::fixed(wall, rock, -0.1 * normal);
                simulation.add_body(wall).expect("the wall is valid");
            }
        };
        let off = beside(gravity, -5.0 * down, DVec3::ZERO, wall);
        println!("walls at {angle}: {off:e}");
        assert!(off <= 1e-12, "walls at {angle}: {off:e}");
    }
    for corner in [0.9, 0.1] {
        let room = |simulation: &mut Simulation, rock: MaterialId| {
            let room = Shape::container(DVec3::splat(1.0)).expect("the size is valid");
            simulation.add_body(BodyDescription::fixed(room, rock, DVec3::ZERO)).expect("the room is valid");
        };
        let off = beside(EARTH, 4.5 * DVec3::Z, DVec3::new(corner, corner, 0.1), room);
        println!("{corner}: {off:e}");
        assert!(off <= 1e-12, "a corner at {corner}: {off:e}");
    }
}

/// Two balls that strike each other in the air in their first step, under gravity that leans: each goes on along the
/// parabola of what it comes off with, and the book holds from the start. Measured: 4e-16 of the speed, 1e-15 of E*.
#[test]
fn what_is_struck_in_the_air_in_its_first_step_flies_on() {
    let settings = Settings { time_step: Some(1.0 / 60.0), gravity: DVec3::new(1.0, 2.0, -9.0), ..Settings::default() };
    let gravity = settings.gravity;
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    let bodies = [-1.0, 1.0].map(|side| {
        let mut body = BodyDescription::dynamic(ball(0.1), rock, side * 0.11 * DVec3::Y);
        body.velocity.linear = DVec3::new(0.0, -3.0 * side, 1.0);
        simulation.add_body(body).expect("it is valid")
    });
    let mut hits = 0;
    while simulation.time() < 0.5 {
        hits += simulation.step().expect("the step is made").hits;
        let time = simulation.time();
        for (body, side) in bodies.into_iter().zip([-1.0, 1.0]) {
            let told = simulation.velocity(body).expect("there").linear;
            let off = told - DVec3::new(0.0, 3.0 * side, 1.0) - gravity * time;
            assert!(off.length() <= 1e-12, "{time} s: {off}");
        }
    }
    let audit = simulation.audit();
    let scale = audit.start.abs();
    let books = [audit.dissipated, audit.imbalance, audit.step_change];
    println!("{hits} hits, {books:?} of {scale} J");
    assert_eq!(hits, 1);
    assert!(books.iter().all(|book| book.abs() <= 1e-12 * scale), "{books:?} of {scale} J");
    expect_sound(&simulation, "two in the air");
}

/// A ball that is dropped from near a floor rises to where it began, at its own step and others. From 0.019 of the
/// radius it rose 1.1 % higher. Measured: 1.6e-13.
#[test]
fn what_is_dropped_from_near_a_floor_rises_as_high() {
    for time_step in [None, Some(1.0 / 240.0), Some(1e-3)] {
        for gap in [0.015, 0.019, 0.021, 0.05] {
            let settings = Settings { time_step, ..Settings::default() };
            let mut simulation = Simulation::new(settings).expect("settings are valid");
            let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
            let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
            simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
            let body = BodyDescription::dynamic(ball(1.0), rock, (1.0 + gap) * DVec3::Z);
            let body = simulation.add_body(body).expect("it is valid");
            let mut off = 0.0_f64;
            while simulation.time() < 1.0 {
                simulation.step().expect("the step is made");
                let v = simulation.velocity(body).expect("there").linear.z;
                let rise = simulation.pose(body).expect("there").position.z - 1.0 + 0.5 * v * v / 9.8;
                off = off.max((rise / gap - 1.0).abs());
            }
            println!("{time_step:?}, {gap}: {off:e}");
            assert!(off <= 1e-11, "{time_step:?}, {gap}: {off:e}");
            expect_sound(&simulation, &format!("{time_step:?}, {gap}"));
        }
    }
}

/// What loses its support falls from rest then, asleep before or not, and the book closes. It fell as if it had begun
/// half a step earlier: 10 % too far within 10 steps. Measured: 5e-15 m, 1.6e-14 m/s,
/// 3.4e-14 J of 11 kg that fall by 0.44 m.
#[test]
fn what_loses_its_support_falls_from_rest() {
    for sleeping in [true, false] {
        for (steps, time_step) in [(15, Some(1.0 / 30.0)), (60, Some(1.0 / 60.0)), (100, None)] {
            let settings = Settings { sleeping, time_step, ..Settings::default() };
            let gravity = settings.gravity;
            let mut simulation = Simulation::new(settings).expect("settings are valid");
            let rock = simulation.add_material(elastic(0.5)).expect("the material is valid");
            let plate = BodyDescription::fixed(cuboid(DVec3::new(1.0, 1.0, 0.1)), rock, -0.05 * DVec3::Z);
            let plate = simulation.add_body(plate).expect("it is valid");
            let body = BodyDescription::dynamic(ball(0.1), rock, 0.1 * DVec3::Z);
            let body = simulation.add_body(body).expect("it is valid");
            for _ in 0..steps {
                simulation.step().expect("the step is made");
            }
            simulation.remove_body(plate).expect("it is there");
            let (start, place) = (simulation.time(), simulation.pose(body).expect("there").position);
            let label = format!("{sleeping}, {time_step:?}");
            let mut worst = [0.0_f64; 3];
            while simulation.time() < start + 0.3 {
                let dt = simulation.step().expect("the step is made").dt;
                let time = simulation.time() - start;
                let told = simulation.velocity(body).expect("there").linear;
                let momenta = simulation.momenta();
                let off = [
                    simulation.pose(body).expect("there").position - place - 0.5 * gravity * time * time,
                    told - gravity * time,
                    // Momenta are half a step of gravity behind.
                    momenta.linear / momenta.mass - (told - 0.5 * dt * gravity),
                ];
                worst.iter_mut().zip(off).for_each(|(worst, off)| *worst = worst.max(off.length()));
            }
            let audit = simulation.audit();
            println!("{label}: {worst:?}, {:e} J", audit.imbalance);
            assert!(worst.iter().all(|worst| *worst <= 1e-12), "{label}: {worst:?}");
            assert!(audit.imbalance.abs() <= 1e-12, "{label}: {:e} J", audit.imbalance);
            expect_sound(&simulation, &label);
        }
    }
}

/// A ball that sinks comes to the speed at which drag carries its weight, and is told so, by every scheme. With the
/// velocities of flights that lag `rk4` told `g h/2` less. Measured: 4e-10.
#[test]
fn terminal_speeds_are_told_by_every_scheme() {
    for integrator in [Integrator::SymplecticEuler, Integrator::Midpoint, Integrator::RungeKutta4] {
        let drag = Drag { viscosity: 2.0, ..Drag::default() };
        let settings = Settings { integrator, drag, time_step: Some(1e-2), ..Settings::default() };
        let mut simulation = Simulation::new(settings).expect("settings are valid");
        let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
        let body = simulation.add_body(BodyDescription::dynamic(ball(0.01), rock, DVec3::ZERO)).expect("it is valid");
        let mass = simulation.momenta().mass;
        let exact = mass * 9.8 / (6.0 * std::f64::consts::PI * 2.0 * 0.01);
        while simulation.time() < 25.0 * exact / 9.8 {
            simulation.step().expect("the step is made");
        }
        let told = -simulation.velocity(body).expect("there").linear.z;
        println!("{integrator:?}: {:e}", told / exact - 1.0);
        assert!((told / exact - 1.0).abs() <= 1e-8, "{integrator:?}: {told} of {exact}");
        // Drag takes what the body falls by; nothing comes from nowhere.
        let audit = simulation.audit();
        assert!(audit.imbalance.abs() <= 1e-12 * audit.dissipated, "{integrator:?}: {:e} J", audit.imbalance);
    }
}
