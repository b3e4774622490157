//! Islands in blocks: the same laws as in one piece, on any number of threads.

use granule_model::{Coefficients, DVec3};
use granule_solver::Workspace;
use granule_solver::samples::Random;
use granule_solver::{Block, Etm, HitSettings, ReleaseSettings, Tracking};

use crate::support::scene::{Part, Scene, Solved, Touch, bouncy, sweeps, until};

const RADIUS: f64 = 0.5;
const LAYERS: usize = 4;
/// Columns to half a block.
const COLUMNS: usize = 3;
const BLOCKS: usize = 4;

/// Balls in columns on a floor, each touching its neighbours, with velocities at random, and the blocks. With `joined`
/// one contact joins the first column and the last, and so belongs to no block.
fn bed(seed: u64, joined: bool, coefficients: Coefficients) -> (Scene, Vec<Block>) {
    let mut random = Random::new(seed);
    let mut parts = Vec::new();
    let mut blocks = Vec::new();
    let mut touches: Vec<(usize, Touch)> = Vec::new();
    let mut places = vec![[0; LAYERS]; 2 * BLOCKS * COLUMNS];
    let mut half = |columns: std::ops::Range<usize>, parts: &mut Vec<Part>| {
        for column in columns {
            for layer in 0..LAYERS {
                places[column][layer] = parts.len();
                let position = DVec3::new(column as f64, 0.0, layer as f64 + RADIUS);
                parts.push(Part::ball(position, random.between(0.5, 2.0), RADIUS, random.in_ball()));
            }
        }
    };
    let mut floors = Vec::new();
    for block in 0..BLOCKS {
        let first = 2 * block * COLUMNS;
        half(first..first + COLUMNS, &mut parts);
        floors.push(parts.len());
        parts.push(Part::driven(DVec3::ZERO));
        let middle = parts.len();
        half(first + COLUMNS..first + 2 * COLUMNS, &mut parts);
        blocks.push(Block { middle, bodies: parts.len(), ..Block::default() });
    }
    let block_of = |column: usize| column / (2 * COLUMNS);
    let touch = |a: usize, b: usize, normal: DVec3| {
        let point = parts[a].position - normal * RADIUS;
        Touch { radius: RADIUS, ..Touch::new(a, b, point, normal, coefficients) }
    };
    for (column, place) in places.iter().enumerate() {
        let set = 2 * block_of(column);
        touches.push((set, touch(place[0], floors[block_of(column)], DVec3::Z)));
        touches.extend(place.windows(2).map(|pair| (set, touch(pair[1], pair[0], DVec3::Z))));
        if let Some(next) = places.get(column + 1) {
            let set = set + usize::from(block_of(column + 1) != block_of(column));
            touches.extend((0..LAYERS).map(|layer| (set, touch(next[layer], place[layer], DVec3::X))));
        }
    }
    if joined {
        touches.push((2 * BLOCKS, touch(places[0][LAYERS - 1], places[places.len() - 1][LAYERS - 1], DVec3::X)));
    }
    touches.sort_by_key(|(set, _)| *set);
    let end = |set: usize| touches.partition_point(|(of, _)| *of <= set);
    for (k, block) in blocks.iter_mut().enumerate() {
        (block.inside, block.across) = (end(2 * k), end(2 * k + 1));
    }
    let touches = touches.into_iter().map(|(_, touch)| touch).collect();
    (Scene { parts, touches, gravity: DVec3::ZERO, dt: 0.01 }, blocks)
}

/// Approaches down to this are impacts, over speeds of about one \[m/s\].
const THRESHOLD: f64 = 1e-6;

fn settings(threshold: f64) -> ReleaseSettings {
    ReleaseSettings {
        tracking: Tracking::Sequential(Etm { lambda: 30, max_rounds: 300 }),
        hits: HitSettings { fast: threshold, lift: threshold, dt: 0.01 },
        threshold,
    }
}

fn release(solved: &mut Solved) -> granule_solver::ReleaseReport {
    solved.release(&settings(THRESHOLD)).0.expect("something was hit")
}

/// Velocities and normal impulses, as bits.
fn bits(solved: &Solved) -> Vec<u64> {
    let velocities = solved.bodies.iter().flat_map(|b| [b.velocity.linear, b.velocity.angular]);
    let impulses = solved.rows.iter().map(|row| row.normal_impulse);
    velocities.flat_map(|v| v.to_array()).chain(impulses).map(f64::to_bits).collect()
}

/// Largest difference of a velocity of two runs \[m/s\].
fn difference(x: &Solved, y: &Solved) -> f64 {
    let pairs = x.bodies.iter().zip(&y.bodies);
    pairs.map(|(x, y)| (x.velocity.linear - y.velocity.linear).length()).fold(0.0, f64::max)
}

/// Without friction the velocities after the contact stage are unique, whatever the order of sweeps.
#[test]
fn the_contact_stage_comes_to_the_same_velocities_in_blocks() {
    for seed in 0..10 {
        let (scene, blocks) = bed(seed, true, bouncy(0.0));
        // In another order, or the colours might lead to the same one.
        let mut reversed = scene.clone();
        reversed.touches.reverse();
        let whole = reversed.stage(&until(1e-13));
        let parts = scene.stage_in_blocks(&until(1e-13), &blocks);
        // Measured 6.3e-14.
        assert!(difference(&whole, &parts) <= 1e-12, "{:e}", difference(&whole, &parts));
        assert!(parts.report.converged && difference(&whole, &scene.stage(&until(1e-3))) > 1e-10, "negative control");
        let [work, of_parts] = [&whole, &parts].map(|solved| solved.report.normal_work);
        assert!((work - of_parts).abs() <= 1e-10 * work);
    }
}

#[test]
fn elastic_energy_and_momentum_are_kept_in_blocks() {
    for seed in 0..4 {
        let (scene, blocks) = bed(seed, false, bouncy(1.0));
        let mut solved = scene.stage_in_blocks(&until(1e-13), &blocks);
        let (taken, kinetic) = (solved.report.normal_work, solved.kinetic_before);
        let report = release(&mut solved);
        assert!(report.converged && !report.forced && report.residual <= THRESHOLD, "{report:?}");
        let after = solved.kinetic();
        // Measured 9e-15.
        assert!((after / kinetic - 1.0).abs() <= 1e-12, "{:e}", after / kinetic - 1.0);
        assert!(taken > 0.1 * kinetic, "control: the stage took {taken} of {kinetic}");
        let along = |velocity: &dyn Fn(usize) -> DVec3| -> f64 {
            (0..scene.parts.len())
                .filter(|i| scene.parts[*i].inverse_mass > 0.0)
                .map(|i| velocity(i).x / scene.parts[i].inverse_mass)
                .sum()
        };
        let before = along(&|i| scene.parts[i].velocity.linear);
        let after = along(&|i| solved.bodies[i].velocity.linear);
        let scale: f64 = scene
            .parts
            .iter()
            .filter(|p| p.inverse_mass > 0.0)
            .map(|p| p.velocity.linear.length() / p.inverse_mass)
            .sum();
        assert!((after - before).abs() <= 1e-12 * scale, "{after} {before}");
    }
}

/// The order of impulses differs across the border of two blocks, and with it the outcome of a round, as it does with
/// lambda; what is lost and how much is not a matter of blocks.
#[test]
fn losses_in_blocks_are_those_of_the_whole() {
    let rough = Coefficients { restitution: 0.5, static_friction: 0.4, dynamic_friction: 0.4, ..Coefficients::BARE };
    let mut worst = 0.0f64;
    for seed in 0..20 {
        let (scene, blocks) = bed(seed, true, rough);
        let [whole, parts] = [&[][..], &blocks].map(|blocks| {
            let mut solved = scene.stage_in_blocks(&until(1e-10), blocks);
            let report = release(&mut solved);
            assert!(report.converged && !report.forced && report.residual <= THRESHOLD, "{report:?}");
            assert!(report.kinetic_after <= solved.kinetic_before, "no energy is made");
            report.kinetic_after / solved.kinetic_before
        });
        worst = worst.max((parts / whole - 1.0).abs());
    }
    // Measured 7.9e-4.
    assert!(worst <= 0.004, "{worst}");
}

#[test]
fn blocks_give_the_same_bits_on_any_number_of_threads() {
    let rough = Coefficients { restitution: 0.5, static_friction: 0.4, dynamic_friction: 0.4, ..Coefficients::BARE };
    let (scene, blocks) = bed(7, true, rough);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made");
        pool.install(|| {
            let mut solved = scene.stage_in_blocks(&until(1e-8), &blocks);
            release(&mut solved);
            bits(&solved)
        })
    };
    let one = run(1);
    for threads in [2, 3, 4, 8] {
        assert_eq!(one, run(threads), "{threads} threads");
    }
}

/// Only the first column is struck; what it passes on reaches blocks that no hit was in, while the stage runs. What the
/// memory was used for before must not matter there.
#[test]
fn blocks_that_are_reached_late_start_afresh() {
    let (mut scene, blocks) = bed(3, false, bouncy(0.8));
    for part in scene.parts.iter_mut() {
        part.velocity.linear =
            if part.inverse_mass > 0.0 && part.position.x == 0.0 { 10.0 * DVec3::X } else { DVec3::ZERO };
    }
    let other = bed(4, true, bouncy(0.8)).0;
    let run = |used: bool| {
        let mut workspace = Workspace::default();
        if used {
            other.stage_in_blocks(&until(1e-8), &blocks).release_with(&settings(1e-2), &mut workspace);
        }
        // No sweep: the stage leaves the approach to the release, but for the contacts that it begins with.
        let mut solved = scene.stage_in_blocks(&sweeps(1), &blocks);
        let (report, _) = solved.release_with(&settings(1e-3), &mut workspace);
        (report.expect("the first column strikes").impulses, bits(&solved))
    };
    let [(fresh, of_fresh), (used, of_used)] = [false, true].map(run);
    assert_eq!(fresh, used, "impulses");
    assert!(of_fresh == of_used, "velocities and impulses differ");
}
