//! Problems on which plain sweeps go round for ever: static friction above dynamic friction, and light slivers caught
//! in wedges.

use granule_model::{Coefficients, DMat3, DVec3, InverseInertia};
use granule_solver::StageSettings;
use granule_solver::samples::Random;

use crate::support::scene::{Part, Scene, Solved, Touch, until};

/// Static friction, over dynamic friction.
const STICKS: f64 = 1.4;

/// A sliver, `ratio` times as long as thick, of random pose, with one to three contacts with the floor (body 1) and,
/// where `is_caught`, one with a heavy ball (body 2) that comes down on it.
fn sliver(seed: u64, size: f64, ratio: f64, is_caught: bool) -> Scene {
    let mut random = Random::new(seed);
    let half = DVec3::new(1.0, random.between(1.0 / ratio, 1.0), 1.0 / ratio) * size;
    let axes = random.axes();
    let mass = half.x * half.y * half.z;
    let squares = half * half;
    let moments = (DVec3::splat(squares.element_sum()) - squares) * (mass / 3.0);
    let mut body = Part::block(DVec3::ZERO, mass, half, random.in_ball() * size);
    body.inverse_inertia = InverseInertia::General(axes * DMat3::from_diagonal(moments.recip()) * axes.transpose());
    body.velocity.angular = random.in_ball() * 5.0;
    let friction = random.between(0.1, 0.9);
    let coefficients =
        Coefficients { static_friction: STICKS * friction, dynamic_friction: friction, ..Coefficients::BARE };
    let corner = |random: &mut Random| {
        let sign = |random: &mut Random| if random.chance(0.5) { 1.0 } else { -1.0 };
        axes * (half * DVec3::new(sign(random), sign(random), sign(random)))
    };
    let mut scene = Scene {
        parts: vec![body, Part::driven(DVec3::ZERO)],
        touches: Vec::new(),
        gravity: DVec3::Z * (-10.0 * size),
        dt: 0.01,
    };
    for _ in 0..1 + seed % 3 {
        let point = corner(&mut random);
        scene.touches.push(Touch { radius: size, ..Touch::new(0, 1, point, DVec3::Z, coefficients) });
    }
    if is_caught {
        let point = corner(&mut random);
        let tilt = (DVec3::Z + 0.7 * random.in_ball()).normalize();
        let ball = Part::ball(point + tilt * size, 1000.0 * mass, size, DVec3::Z * (-3.0 * size));
        scene.parts.push(ball);
        scene.touches.push(Touch { radius: size, ..Touch::new(2, 0, point, tilt, coefficients) });
    }
    scene
}

/// As the engine asks for small islands: a budget of sweeps, and what is too deep.
fn settings(size: f64, work: u32) -> StageSettings {
    StageSettings {
        min_sweeps: 20,
        max_sweeps: 30,
        deep: 0.45,
        deep_sweeps: 60,
        most_sweeps: 1000,
        small_work: work,
        ..until(3e-3 * size)
    }
}

/// Largest speed with which a contact closes beyond its gap, or pushes while it opens, over the size \[1/s\].
fn off(solved: &Solved, size: f64) -> f64 {
    let largest = solved.rows.iter().map(|row| row.normal_impulse).fold(0.0, f64::max);
    let of_row = |i: usize| {
        let row = &solved.rows[i];
        let slack = solved.relative(i).0 + row.bias;
        // What hardly pushes is not asked.
        if row.normal_impulse > 1e-6 * largest { slack.abs() } else { (-slack).max(0.0) }
    };
    (0..solved.rows.len()).map(of_row).fold(0.0, f64::max) / size
}

#[test]
fn slivers_come_to_an_answer() {
    for (is_caught, ratio) in [(false, 3.0), (false, 50.0), (true, 3.0), (true, 50.0)] {
        let (mut worst, mut unsettled, mut held) = (0.0_f64, 0, 0);
        for seed in 0..300 {
            let size = [1e-3, 1.0, 100.0][seed as usize % 3];
            let mut solved = sliver(seed, size, ratio, is_caught).stage(&settings(size, 16000));
            let off = off(&solved, size);
            (worst, held) = (worst.max(off), held + u32::from(solved.report.held));
            unsettled += u32::from(off > 0.1);
            let report = solved.report;
            let after = solved.kinetic() - report.driven_work;
            assert!(after <= solved.kinetic_before * (1.0 + 1e-12), "seed {seed}: {report:?}");
        }
        println!("caught {is_caught}, 1:{ratio}: off by {worst:e}, {unsettled} unsettled, {held} held");
        // Measured: 0.09, 0.17, 0.31 and 0.71 1/s, and 0, 2, 4 and 4 of 300 unsettled. With plain sweeps 0.47, 0.31,
        // 9.5 and 8.9, and 16, 13, 74 and 61; where contacts are let slide, but no limit is held, 0.47, 0.21, 2.3 and
        // 1.3, and 6, 4, 31 and 27.
        assert!(worst <= 1.0 && unsettled <= 4, "{worst:e}, {unsettled}");
        assert!(held > 0, "some need it");
    }
}
