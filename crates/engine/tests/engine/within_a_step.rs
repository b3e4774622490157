//! Bodies that turn far in a step, or meet much in one: nothing is missed on the way, and nothing is thrown by what it
//! never touched.

use granule_engine::prelude::*;
use granule_engine::{Stepping, Warning};
use granule_solver::Law;

use crate::elastic::{ball, close, cuboid, elastic, expect_sound, weightless};

/// Height from which balls fall under a bar that turns \[m\].
const FALL: f64 = 1e-3;

/// Velocities of balls that lie on a floor, or hang in the air, at 9 mm from where a driven bar passes that turns by
/// `turn` \[rad\] in a step, after a second of it; and the fastest that one should be \[m/s\].
fn passed_by_a_bar(turn: f64, time_step: Option<f64>, gravity: DVec3) -> f64 {
    const DT: f64 = 1.0 / 60.0;
    let settings = Settings { gravity, time_step, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = Material { restitution: 0.5, ..elastic(0.5) };
    let rock = simulation.add_material(rock).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let mut bar = BodyDescription::fixed(cuboid(DVec3::new(1.0, 0.1, 0.1)), rock, DVec3::Z * 0.159);
    bar.kind = BodyKind::Driven;
    bar.velocity.angular = DVec3::Z * (turn / DT);
    simulation.add_body(bar).expect("the bar is valid");
    // With weight they fall by a millimetre and bounce, so that each is struck.
    let fall = if gravity == DVec3::ZERO { 0.0 } else { FALL };
    let place = |k: i32| DVec3::new(0.1 + 0.1 * f64::from(k), 0.02, 0.05 + fall);
    let balls: Vec<BodyId> = (0..7)
        .map(|k| {
            let ball = BodyDescription::dynamic(ball(0.05), rock, place(k));
            simulation.add_body(ball).expect("the ball is valid")
        })
        .collect();
    let mut fastest: f64 = 0.0;
    while simulation.time() < 60.0 * DT {
        simulation.step().expect("the step is made");
        let speeds = balls.iter().map(|ball| simulation.velocity(*ball).expect("it is there").linear.length());
        fastest = speeds.fold(fastest, f64::max);
    }
    expect_sound(&simulation, &format!("{turn} rad in {DT} s, {time_step:?}"));
    fastest
}

/// What a driven bar passes at 9 mm stays where it is, however far the bar turns in a step. Balls were told to follow
/// its face and thrown at up to 4131 m/s by a tip of 90 m/s. Measured: none without gravity, and with it 0.1398 m/s,
/// that of a fall by 1 mm; 0.62 m/s where loads were looked for in the step that finds them.
#[test]
fn a_driven_bar_throws_nothing_that_it_passes() {
    for turn in [0.1, 0.3, 0.45, 0.6, 1.0, 3.0, 10.0, 30.0] {
        for (gravity, time_step) in
            [(DVec3::ZERO, Some(1.0 / 60.0)), (-9.8 * DVec3::Z, Some(1.0 / 60.0)), (-9.8 * DVec3::Z, None)]
        {
            let fastest = passed_by_a_bar(turn, time_step, gravity);
            println!("{turn} rad in 1/60 s, {time_step:?}, g {}: {fastest:e} m/s", gravity.length());
            let free_fall = (2.0 * gravity.length() * FALL).sqrt();
            assert!(
                fastest <= 1.05 * free_fall + 1e-9,
                "{turn} rad in 1/60 s, {time_step:?}, g {}: {fastest} m/s",
                gravity.length()
            );
        }
    }
}

/// A rod of 1 m that spins by `turn` \[rad\] in each of six steps of 1/60 s, in pieces of as many, sweeps over a ball
/// that rests somewhere beside it. The velocity of the ball, the energy that is lost over all, and how often they hit.
fn sweep(turn: f64, seed: u32, pieces: u32) -> (DVec3, f64, u32) {
    const DT: f64 = 1.0 / 60.0;
    let (mut simulation, rock) = weightless(Some(DT / f64::from(pieces)));
    let mut rod = BodyDescription::dynamic(cuboid(DVec3::new(1.0, 0.02, 0.03)), rock, DVec3::ZERO);
    rod.velocity.angular = DVec3::new(0.0, 0.02, 1.0) * (turn / DT);
    simulation.add_body(rod).expect("the rod is valid");
    // Quasi-random numbers, of irrational steps.
    let toss = |by: f64| (f64::from(seed + 1) * by).fract();
    let (angle, way) = (0.2 + 2.7 * toss(0.618_034), 0.2 + 0.28 * toss(0.414_214));
    let place = way * DVec3::new(angle.cos(), angle.sin(), 0.0) + 0.01 * toss(0.732_051) * DVec3::Z;
    let ball = simulation.add_body(BodyDescription::dynamic(ball(0.03), rock, place)).expect("the ball is valid");
    let (mut hits, mut kinetic, mut first) = (0, 0.0, None);
    for _ in 0..6 * pieces {
        let report = simulation.step().expect("the step is made");
        (hits, kinetic) = (hits + report.hits, report.energy.kinetic);
        first.get_or_insert(kinetic);
    }
    let momenta = simulation.momenta();
    let of_rod = 0.5 * momenta.mass * turn / DT;
    assert!(momenta.linear.length() <= 1e-12 * of_rod, "{turn} rad, {seed}: momentum {}", momenta.linear);
    expect_sound(&simulation, &format!("{turn} rad, {seed}, {pieces} pieces"));
    let velocity = simulation.velocity(ball).expect("it is there").linear;
    (velocity, (kinetic / first.expect("there were steps") - 1.0).abs(), hits)
}

/// What turns far in a step meets what is in its way, as in steps of a hundredth. Of 44 sweeps a rod missed the ball in
/// nine, or met it wrongly. Measured: velocities are off by 1.4e-8 of the speed at most.
#[test]
fn a_rod_that_turns_far_in_a_step_meets_what_is_in_its_way() {
    for (turn, seed) in [0.6, 0.9, 1.3, 3.3].into_iter().flat_map(|turn| (0..11).map(move |seed| (turn, seed))) {
        let ([coarse, fine], at_rest) = ([1, 100].map(|pieces| sweep(turn, seed, pieces)), turn * 60.0 * 0.5);
        let off = (coarse.0 - fine.0).length() / at_rest;
        println!("{turn} rad a step, {seed}: off by {off:e}, energy {:e}, {} hits of {}", coarse.1, coarse.2, fine.2);
        assert!(fine.2 > 0, "{turn} rad a step, {seed}: nothing is met");
        assert_eq!(coarse.2, fine.2, "{turn} rad a step, {seed}: hits");
        assert!(off <= 1e-5 && coarse.1 <= 1e-9, "{turn} rad a step, {seed}: off by {off:e}, {:e}", coarse.1);
    }
}

/// A rod that flies about in a closed box, 30 steps of 1/60 s: the largest change of its energy, and how often it hit.
fn caged(time_step: Option<f64>, length: f64, [speed, spin]: [f64; 2], seed: u32) -> (f64, u32) {
    let (mut simulation, rock) = weightless(time_step);
    close(&mut simulation, rock);
    let toss = |by: f64| (f64::from(seed + 1) * by).fract() - 0.5;
    let way = DVec3::new(toss(0.618_034), toss(0.414_214), toss(0.732_051));
    let mut rod = BodyDescription::dynamic(cuboid(DVec3::new(length, 0.1, 0.15)), rock, 0.2 * way);
    rod.velocity = Velocity { linear: speed * way.normalize(), angular: spin * DVec3::new(way.z, 1.0, way.y) };
    simulation.add_body(rod).expect("the rod is valid");
    let (mut hits, mut off, mut first) = (0, 0.0_f64, None);
    while simulation.time() < 0.5 {
        let report = simulation.step().expect("the step is made");
        hits += report.hits;
        off = off.max((report.energy.kinetic / *first.get_or_insert(report.energy.kinetic) - 1.0).abs());
    }
    expect_sound(&simulation, &format!("{length} m, {speed} m/s, {spin} rad/s, {seed}"));
    (off, hits)
}

/// A rod in a box that it nearly fills meets walls many times in a step, up to a hundred. Worlds whose moves were spent
/// stood as the step took them together, and lost up to 99 % of the energy. Measured: 5e-13 at most.
#[test]
fn a_rod_in_a_cage_keeps_its_energy() {
    let mut most = 0;
    for (length, speed, spin) in
        [(1.0, 30.0, 10.0), (1.9, 30.0, 10.0), (1.9, 3.0, 200.0), (1.96, 100.0, 300.0), (1.9, 1000.0, 3000.0)]
    {
        for seed in 0..6 {
            let time_step = (seed > 0).then_some(1.0 / 60.0);
            let (off, hits) = caged(time_step, length, [speed, spin], seed);
            println!("{length} m, {speed} m/s, {spin} rad/s, {seed}: {off:e}, {hits} hits");
            assert!(off <= 1e-9, "{length} m, {speed} m/s, {spin} rad/s, {seed}: {off:e}");
            most = most.max(hits);
        }
    }
    assert!(most > 200, "{most} hits");
}

/// A ball that touches a wall is struck by one of so many times its mass, under the law `name`: the share of the energy
/// that is lost, clusters that other laws answered, and whether that is told.
fn anvil(name: &str, stepping: Stepping, ratio: f64) -> (f64, u64, bool) {
    let law = Law::by_name(name).expect("there is one");
    let settings = Settings { law, stepping, gravity: DVec3::ZERO, time_step: Some(1e-3), ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    let wall = Shape::half_space(DVec3::X).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(wall, rock, DVec3::ZERO)).expect("the wall is valid");
    for (place, mass, speed) in [(0.1, 1.0, 0.0), (0.3005, ratio, -1.0)] {
        let mut body = BodyDescription::dynamic(ball(0.1), rock, place * DVec3::X);
        (body.mass, body.velocity.linear) = (Some(mass), speed * DVec3::X);
        simulation.add_body(body).expect("the ball is valid");
    }
    let kinetic: Vec<f64> = (0..40).map(|_| simulation.step().expect("the step is made").energy.kinetic).collect();
    let counts = simulation.impacts();
    let is_told = simulation.warnings().iter().any(|w| matches!(w, Warning::Refused { .. }));
    assert_eq!(counts.fallbacks, 0, "{name}: {counts:?}");
    expect_sound(&simulation, name);
    (1.0 - kinetic[39] / kinetic[0], counts.substituted, is_told)
}

/// An impact that the law of the scene does not answer is resolved by another, and that is told: balls of 1 : 1000 lost
/// all that they had under `etm`, whose rounds do not end. Measured: 1e-12 at most.
#[test]
fn impacts_without_an_answer_are_resolved_by_another_law() {
    let mut substituted = 0;
    for (name, ratio) in ["etm", "qce", "rbss"].into_iter().flat_map(|name| [3.0, 1e3, 1e5].map(|ratio| (name, ratio)))
    {
        for stepping in [Stepping::Touch, Stepping::Event] {
            let (lost, others, is_told) = anvil(name, stepping, ratio);
            println!("{name}, {stepping:?}, 1 : {ratio}: {lost:e} lost, {others} by others");
            assert!(lost.abs() <= 1e-9, "{name}, {stepping:?}, 1 : {ratio}: {lost:e}");
            assert_eq!(others > 0, is_told);
            substituted += others;
        }
    }
    assert!(substituted > 0, "every law has answered");
}

/// Share of its energy that a ball of 1000 kg and 2 m/s loses that presses one of so many times less mass against a
/// wall, and the hits.
fn pressed_by_a_ball(ratio: f64, time_step: Option<f64>) -> (f64, u32) {
    let (mut simulation, rock) = weightless(time_step);
    let wall = Shape::half_space(DVec3::X).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(wall, rock, DVec3::ZERO)).expect("the wall is valid");
    for (radius, place, mass, speed) in [(0.3, 1.5, 1e3, -2.0), (0.1, 0.7, 1e3 / ratio, 0.0)] {
        let mut body = BodyDescription::dynamic(ball(radius), rock, place * DVec3::X);
        (body.mass, body.velocity.linear) = (Some(mass), speed * DVec3::X);
        simulation.add_body(body).expect("the ball is valid");
    }
    let (mut hits, mut kinetic) = (0, 0.0);
    while simulation.time() < 3.0 {
        let report = simulation.step().expect("the step is made");
        (hits, kinetic) = (hits + report.hits, report.energy.kinetic);
    }
    expect_sound(&simulation, &format!("1 : {ratio}, {time_step:?}"));
    (1.0 - kinetic / 2e3, hits)
}

/// A light ball between a heavy one and a wall meets both pi times the root of the ratio of their masses in all,
/// rounded down (Galperin 2003), nearly all within one step. With the moves of any other world, and in pieces of a
/// step, all was lost at 1 : 1e6. Measured: as many, and 1e-13 lost.
#[test]
fn a_ball_that_a_heavy_one_presses_against_a_wall_throws_it_back() {
    for (ratio, time_step) in
        [1e2, 1e4, 1e6].into_iter().flat_map(|r| [None, Some(1.0 / 30.0), Some(1e-2), Some(1e-3)].map(|t| (r, t)))
    {
        let (lost, hits) = pressed_by_a_ball(ratio, time_step);
        println!("1 : {ratio}, {time_step:?}: {lost:e}, {hits} hits");
        assert!(lost.abs() <= 1e-10, "1 : {ratio}, {time_step:?}: {lost:e}");
        let expected = (std::f64::consts::PI * ratio.sqrt()).floor();
        assert_eq!(f64::from(hits), expected, "1 : {ratio}, {time_step:?}");
    }
}

/// Largest velocity of rotation \[rad/s\] of a box that lands flat with e = 0 from a fall that begins `gap` above
/// touch.
fn lands_flat(gap: f64, time_step: Option<f64>) -> f64 {
    let mut simulation = Simulation::new(Settings { time_step, ..Settings::default() }).expect("settings are valid");
    let rock = Material { restitution: 0.0, ..elastic(0.5) };
    let rock = simulation.add_material(rock).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let mut body = BodyDescription::dynamic(cuboid(DVec3::new(1.0, 0.7, 0.4)), rock, (0.2 + gap) * DVec3::Z);
    body.velocity.linear = DVec3::new(0.3, 0.2, -1.0);
    let body = simulation.add_body(body).expect("the box is valid");
    let mut spin: f64 = 0.0;
    while simulation.time() < 0.5 {
        simulation.step().expect("the step is made");
        spin = spin.max(simulation.velocity(body).expect("it is there").angular.length());
    }
    expect_sound(&simulation, &format!("from {gap} m, {time_step:?}"));
    spin
}

/// What lands flat and gives nothing back stays flat, though it slides: its corners are stopped together. Measured:
/// 4.5e-11 rad/s at most; 2.6e-7 with corners one after the other.
#[test]
fn a_box_that_lands_flat_does_not_turn() {
    for (gap, time_step) in
        [0.01, 0.0237].into_iter().flat_map(|g| [None, Some(1.0 / 60.0), Some(1e-3)].map(|t| (g, t)))
    {
        let spin = lands_flat(gap, time_step);
        println!("from {gap} m, {time_step:?}: {spin:e} rad/s");
        assert!(spin <= 1e-7, "from {gap} m, {time_step:?}: {spin} rad/s");
    }
}
