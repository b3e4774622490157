//! The contact stage on random problems: the energy bound, the cone and the books, however badly it starts and however
//! early it stops.

use granule_model::{Coefficients, DVec3};

use crate::support::cluster::{Recipe, cluster};
use crate::support::scene::{Part, Scene, Solved, Touch, sweeps, until};
use granule_solver::StageSettings;
use granule_solver::samples::Random;

/// A cluster with gaps, gravity, rolling friction, a moving belt, and warm starts that have nothing to do with it.
fn hard_scene(seed: u64) -> Scene {
    let scale = [1e-3, 1.0, 1e2][seed as usize % 3];
    let recipe = Recipe { scale, restitution: None, friction: 1.0, bodies: 20, floor: true };
    let problem = cluster(seed, &recipe);
    let mut random = Random::new(seed ^ 0xabcdef);
    let mut scene = Scene::from_problem(&problem, 0.01);
    scene.gravity = DVec3::Z * (-10.0 * scale);
    for touch in &mut scene.touches {
        if random.chance(0.3) {
            touch.gap = 0.02 * scale * random.unit();
        }
        touch.radius = 0.5 * scale;
        if random.chance(0.3) {
            touch.coefficients.rolling_friction = 0.1 * random.unit();
            touch.coefficients.torsional_friction = 0.1 * random.unit();
        }
        if random.chance(0.7) {
            let impulse = scale / scene.parts[touch.a].inverse_mass;
            touch.warm_normal = impulse * random.log_between(1e-3, 10.0);
            touch.warm_tangential = random.in_ball() * (3.0 * touch.warm_normal);
        }
    }
    scene
}

/// The books: what must hold of any stage, converged or not. Returns what is broken.
fn faults(solved: &mut Solved) -> Vec<String> {
    let mut faults = Vec::new();
    let after = solved.kinetic();
    let (before, report) = (solved.kinetic_before, solved.report);
    // Measured 6e-14: gained after the scaling, by rounding.
    if after.is_nan() || after - report.driven_work > before * (1.0 + 1e-12) {
        faults.push(format!("energy rose by {:e} of it", (after - report.driven_work) / before - 1.0));
    }
    let change = report.driven_work - report.normal_work - report.friction_work;
    // Measured 4e-14.
    if (after - before - change).abs() > 1e-12 * before.max(after) {
        faults.push(format!("books differ by {:e}", (after - before - change) / before));
    }
    for (i, row) in solved.rows.iter().enumerate() {
        let limit = row.normal_impulse * (1.0 + 1e-14);
        let (spin, roll) =
            (row.normal.dot(row.angular_impulse), row.angular_impulse.reject_from_normalized(row.normal));
        let kept = row.normal_impulse >= 0.0
            && row.tangential_impulse.length() <= row.static_friction * limit
            && spin.abs() <= row.torsional_arm * limit * (1.0 + 1e-12)
            && roll.length() <= row.rolling_arm * limit * (1.0 + 1e-12);
        if !kept {
            faults.push(format!("contact {i} leaves its cone: {row:?}"));
        }
    }
    faults
}

#[test]
fn no_stage_raises_the_energy_however_early_it_stops() {
    let mut scaled = 0;
    for seed in 0..500 {
        let scene = hard_scene(seed);
        for count in 1..=3 {
            let mut solved = scene.stage(&sweeps(count));
            let faults = faults(&mut solved);
            assert!(faults.is_empty(), "scene {seed}, {count} sweeps: {faults:?}\n{:?}", solved.report);
            scaled += u32::from(solved.report.scale < 1.0);
        }
    }
    // Measured 568 of 1500: warm starts this bad need the scaling often. That it is needed is the negative control.
    assert!(scaled > 100, "{scaled}");
}

#[test]
fn solved_stages_need_no_scaling_and_leave_no_approach() {
    let (mut converged, mut worst) = (0, 0.0f64);
    for seed in 0..100 {
        let scene = hard_scene(seed);
        let size = [1e-3, 1.0, 1e2][seed as usize % 3];
        let mut settings = until(1e-10 * size);
        (settings.max_sweeps, settings.most_sweeps) = (3000, 3000);
        let mut solved = scene.stage(&settings);
        let faults = faults(&mut solved);
        assert!(faults.is_empty(), "scene {seed}: {faults:?}");
        if !solved.report.converged {
            continue;
        }
        converged += 1;
        assert_eq!(solved.report.scale, 1.0, "scene {seed}");
        for i in 0..solved.rows.len() {
            let (u_n, _) = solved.relative(i);
            worst = worst.max(-(u_n + solved.rows[i].bias) / size);
        }
    }
    // Measured 83; mass ratios up to 1e4 and mu_s > mu_d make some of them slow or undecided. Approach left: 1e-10.
    assert!(converged >= 40, "{converged}");
    assert!(worst <= 1e-8, "{worst:e}");
}

#[test]
fn a_violent_stage_ends_early_unless_it_is_deep() {
    let swept_of = |scene: &Scene, violent: f64, deep: f64| {
        let settings = StageSettings { violent, deep, max_sweeps: 8, deep_sweeps: 12, ..sweeps(5) };
        scene.stage(&settings).report.sweeps
    };
    let unlike = hard_scene(7);
    let mut alike = hard_scene(7);
    alike.parts.iter_mut().for_each(|part| part.inverse_mass = part.inverse_mass.min(1.0).ceil());
    let swept = |violent, deep| swept_of(&alike, violent, deep);
    // Nothing is within a tolerance of zero, and everything is beyond a bound of zero.
    assert_eq!(swept(0.0, f64::INFINITY), 5);
    assert_eq!(swept(f64::INFINITY, f64::INFINITY), 8);
    assert_eq!(swept(0.0, 0.0), 12);
    assert_eq!(swept(f64::INFINITY, 0.0), 12);
    // Where masses differ by more than 1 : 100 it is worth more.
    assert_eq!(swept_of(&unlike, 0.0, f64::INFINITY), 8);
}

/// A speck on the floor beside the balls, a thousandth of their size, whose contact comes to rest at once.
#[test]
fn depth_is_that_of_the_contact_and_not_of_the_smallest_one() {
    let swept = |deep: f64, with_speck: bool| {
        let mut scene = column(true);
        if with_speck {
            let coefficients = Coefficients { static_friction: 0.3, dynamic_friction: 0.3, ..Coefficients::BARE };
            scene.parts.push(Part::ball(DVec3::new(9.0, 0.0, 5e-4), 2e-9, 5e-4, DVec3::Z * -3.0));
            scene.touches.push(Touch { radius: 5e-4, ..Touch::new(11, 10, DVec3::X * 9.0, DVec3::Z, coefficients) });
        }
        let settings = StageSettings { violent: 0.0, deep, max_sweeps: 5, deep_sweeps: 400, ..sweeps(5) };
        scene.stage(&settings).report.sweeps
    };
    let (alone, beside) = (swept(0.01, false), swept(0.01, true));
    // Measured 223 and 41: where radii differ, sweeps are steps of conjugate gradients.
    assert!(alone < 400 && beside > 5 && beside <= alone, "{alone}, {beside}");
    // A depth of 0.01 over the radius of the speck is 1e-5 over that of a ball: judged by the smallest, both took as
    // long.
    let sharper = swept(1e-5, true);
    assert!(sharper > beside, "{beside}, {sharper}");
}

/// A column of ten balls that comes down at 3 m/s, on a floor or on a ball that lies free.
fn column(is_held: bool) -> Scene {
    let coefficients = Coefficients { static_friction: 0.3, dynamic_friction: 0.3, ..Coefficients::BARE };
    let place = |i: usize| DVec3::Z * (0.5 + i as f64);
    let falling = (0..10).map(|i| Part::ball(place(i), 2.0, 0.5, DVec3::Z * -3.0));
    let below = if is_held { Part::driven(DVec3::ZERO) } else { Part::ball(DVec3::Z * -0.5, 2.0, 0.5, DVec3::ZERO) };
    let touch = |i: usize| {
        let under = if i == 0 { 10 } else { i - 1 };
        Touch { radius: 0.5, ..Touch::new(i, under, DVec3::Z * i as f64, DVec3::Z, coefficients) }
    };
    let gravity = DVec3::Z * -9.8;
    Scene { parts: falling.chain([below]).collect(), touches: (0..10).map(touch).collect(), gravity, dt: 0.01 }
}

/// Twenty sweeps, and 16 000 updates where the stage may be sharp.
const SHARP: StageSettings = StageSettings { tolerance: 3e-3, small_work: 16_000, ..sweeps(20) };

#[test]
fn only_islands_with_a_held_body_are_solved_sharply() {
    let solved = |is_held: bool, loose_work: u32| {
        let report = column(is_held).stage(&StageSettings { loose_work, ..SHARP }).report;
        (report.sweeps, report.residual <= 1e-6 * SHARP.tolerance)
    };
    // By Newton steps after thirty sweeps, and a sweep that looks at what they came to; what nothing holds has its
    // sweeps.
    assert_eq!(solved(true, 0), (31, true));
    assert_eq!(solved(false, 0), (20, false));
    let (sweeps, is_sharp) = solved(false, 16_000);
    assert!(sweeps > 100 && is_sharp, "{sweeps}");
}

/// Clusters with all that makes contacts hard but rolling friction: Newton steps end most of them at once, and where
/// they lead nowhere sweeps go on from where they were.
#[test]
fn newton_steps_solve_hard_scenes_or_leave_them_to_sweeps() {
    let (mut at_once, mut sharp) = (0, 0);
    for seed in 0..200 {
        let mut scene = hard_scene(seed);
        for touch in &mut scene.touches {
            (touch.coefficients.rolling_friction, touch.coefficients.torsional_friction) = (0.0, 0.0);
        }
        let size = [1e-3, 1.0, 1e2][seed as usize % 3];
        let mut solved = scene.stage(&StageSettings { tolerance: 1e-3 * size, small_work: 100_000, ..sweeps(20) });
        let faults = faults(&mut solved);
        assert!(faults.is_empty(), "scene {seed}: {faults:?}");
        let is_sharp = solved.report.residual <= 1e-9 * size;
        sharp += u32::from(is_sharp);
        at_once += u32::from(is_sharp && (31..35).contains(&solved.report.sweeps));
    }
    // Measured 69 and 170. By sweeps alone 5 and 170.
    assert!(at_once >= 50 && sharp >= 160, "{at_once} at once, {sharp} sharp");
}

#[test]
fn impacts_are_solved_to_a_share_of_their_speed_in_fewer_sweeps() {
    // Nothing holds them, so that sweeps are all there is.
    let solved = |hit: f64| column(false).stage(&StageSettings { hit, loose_work: 16_000, ..SHARP });
    let (sharp, impact) = (solved(f64::INFINITY), solved(0.1));
    // Measured: 39 sweeps instead of 224, and 9e-4 m/s off.
    assert!(
        impact.report.sweeps <= 50 && sharp.report.sweeps > 200,
        "{} {}",
        impact.report.sweeps,
        sharp.report.sweeps
    );
    let pairs = sharp.bodies.iter().zip(&impact.bodies);
    let off = pairs.map(|(x, y)| (x.velocity.linear - y.velocity.linear).length()).fold(0.0, f64::max);
    assert!(off > 0.0 && off <= 1e-3 * 3.0, "{off:e}");
}

#[test]
fn a_stage_that_has_nothing_left_to_change_ends() {
    let scene = Scene::ball_on_floor(DVec3::new(1.0, 0.0, -3.0), Coefficients::BARE);
    let swept = |tolerance: f64| scene.stage(&StageSettings { tolerance, ..sweeps(20) }).report.sweeps;
    assert_eq!(swept(3e-3), 2, "the second sweep sees that the first one was enough");
}

/// Negative control: the checks see an impulse that pulls, one outside the cone, and energy from nowhere.
#[test]
fn spoiled_stages_are_refused() {
    let scene = hard_scene(7);
    let spoiled = |spoil: &dyn Fn(&mut Solved)| {
        let mut solved = scene.stage(&sweeps(3));
        assert!(faults(&mut solved).is_empty());
        spoil(&mut solved);
        !faults(&mut solved).is_empty()
    };
    assert!(spoiled(&|s| s.rows[0].normal_impulse = -1.0));
    assert!(spoiled(&|s| s.rows[0].tangential_impulse *= 1e9));
    assert!(spoiled(&|s| s.bodies[0].velocity.linear *= 1.0 + 1e-6));
    assert!(spoiled(&|s| s.bodies[0].velocity.linear.x = f64::NAN));
}
