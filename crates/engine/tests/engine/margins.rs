//! Thin plates, rods and sharp tetrahedra at 50 m/s against each other, against sleepers, meshes of slivers and driven
//! bodies: nothing passes, at 30 to 1000 steps a second and with the step that the engine chooses.
//!
//! What happened is told by separating axes, which share nothing with the engine: between any two poses both bodies are
//! followed on their way. A step that was divided has no single way, and bodies that turn by more than a radian have
//! none that is sure; those are judged where it ends.

mod convex;
mod judge;
mod scene;
use crate::support;

use granule_engine::prelude::*;

use convex::{Convex, follow};
use judge::{Judge, passes};
use scene::{Scene, TARGETS, THROWN, Target, Thrown, slivers, throw};

/// Seeds of which every pair of thrown body and target is made with every step.
const SEEDS: std::ops::Range<u64> = 0..5;
/// Fixed steps \[s\], for bodies of 1 m at 50 m/s; none: the automatic one.
const STEPS: [Option<f64>; 5] = [None, Some(1.0 / 30.0), Some(1.0 / 60.0), Some(1.0 / 240.0), Some(1e-3)];

/// What became of a scene.
struct Outcome {
    text: String,
    judge: Judge,
    overlap: f64,
    /// Largest rise of E* in a step, over what was dissipated since the throw or 1e-6 of the energy of it.
    gain: f64,
}

fn run(scene: Scene) -> Outcome {
    let Scene { text, mut simulation, steps } = scene;
    let mut judge = Judge::new(&simulation);
    let energy: f64 =
        simulation.snapshot().bodies.iter().map(|b| 0.5 * b.mass * b.velocity.linear.length_squared()).sum();
    let (mut dissipated, mut gain) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        let report = simulation.step().unwrap_or_else(|error| panic!("{text}: {error}"));
        gain = gain.max(report.energy.star_change / dissipated.max(1e-6 * energy));
        dissipated -= report.energy.star_change;
        judge.look(&simulation, &report);
    }
    Outcome { text, overlap: simulation.largest_overlap_thin(), judge, gain }
}

/// Runs all that is thrown at `target`; returns how many scenes there were, in how many bodies met, and in how many a
/// step was not sure.
fn throw_at(target: Target) -> [usize; 3] {
    let mut counts = [0; 3];
    let (mut deepest, mut overlap, mut gain) = (0.0_f64, 0.0_f64, 0.0_f64);
    for seed in SEEDS {
        for thrown in THROWN {
            for step in STEPS {
                let Outcome { text, judge, overlap: of_engine, gain: gained } = run(throw(seed, thrown, target, step));
                let found = &judge.findings;
                assert!(found.passed.is_empty(), "{text}: {:?}", found.passed);
                assert!(found.deepest <= 0.01, "{text}: {} of {}", found.deepest, found.deepest_at);
                assert!(of_engine <= 0.01, "{text}: {of_engine}");
                assert!(gained <= 1e-5, "{text}: {gained:e}");
                (deepest, overlap, gain) = (deepest.max(found.deepest), overlap.max(of_engine), gain.max(gained));
                let met = found.touched || of_engine > 0.0;
                counts =
                    [counts[0] + 1, counts[1] + usize::from(met), counts[2] + usize::from(!found.perhaps.is_empty())];
            }
        }
    }
    println!("{target:?}: {counts:?}, overlap {deepest:.4}, in parts of steps {overlap:.4}, gain {gain:.1e}");
    counts
}

#[test]
fn nothing_passes() {
    let counts = TARGETS.map(throw_at);
    let sum = |k: usize| counts.iter().map(|c| c[k]).sum::<usize>();
    assert_eq!(sum(0), 750);
    assert!(sum(1) >= MET, "they met in {} only", sum(1));
    assert!(sum(2) <= UNSURE, "{} are not sure", sum(2));
}
/// Scenes in which bodies met at the end of a step, or overlapped at that of a part of one, at least; measured: 394.
const MET: usize = 350;
/// Scenes with a divided step, or one in which bodies turned by more than a radian, whose ends alone look like a
/// passage; measured: 4, all with rods and flakes of 2 mm at 50 m/s that spin by 2 to 70 rad a step after the hit. Made
/// with 1/16 to 1/256 of their steps none of them looks so.
const UNSURE: usize = 4;

/// A crossing is one in whatever direction it is made; one that goes round, one that stays and one that cuts a corner
/// is none.
#[test]
fn the_judge_knows_a_crossing() {
    let at = |x: f64, z: f64| Pose::from_position(DVec3::new(x, 0.0, z));
    let plate = &Convex::of(&Shape::cuboid(DVec3::new(3.0, 3.0, 2e-3)).expect("the size is valid"))[0].shrunk(0.1);
    let sheet = Convex::of(&slivers(1.0));
    for thrown in THROWN {
        let body = &Convex::of(&thrown.shape(1.0))[0].shrunk(0.1);
        for (from, to) in [(at(0.0, 1.0), at(0.2, -1.0)), (at(0.3, -0.9), at(0.0, 0.8))] {
            let ways = [[body, plate], [plate, body]].map(|pair| {
                let thrown_first = std::ptr::eq(pair[0], body);
                let (moves, stays) = ([&from, &to], [&Pose::IDENTITY, &Pose::IDENTITY]);
                follow(pair, if thrown_first { [moves, stays] } else { [stays, moves] }, 2.5e-4)
            });
            assert!(ways.iter().all(passes), "{thrown:?} {ways:?}");
            let through = |t: &Convex| passes(&follow([body, t], [[&from, &to], [&Pose::IDENTITY; 2]], 2.5e-4));
            assert!(sheet.iter().any(through), "{thrown:?} through the sheet");
        }
        for (from, to) in [(at(0.0, 1.0), at(0.5, 0.9)), (at(2.5, 1.0), at(2.5, -1.0)), (at(2.05, 1.0), at(2.05, -1.0))]
        {
            let way = follow([body, plate], [[&from, &to], [&Pose::IDENTITY; 2]], 2.5e-4);
            assert!(!passes(&way), "{thrown:?} {way:?}");
        }
    }
}

/// The watch tells of a passage that the engine does allow: that of a driven body through a static one, which nothing
/// holds.
#[test]
fn the_watch_finds_a_passage() {
    let mut simulation = Simulation::new(Settings { gravity: DVec3::ZERO, ..Settings::default() }).expect("valid");
    let rock = simulation.add_material(support::ROCK).expect("the material is valid");
    let rod = Thrown::Rod.shape(1.0);
    simulation.add_body(BodyDescription::fixed(rod, rock, DVec3::ZERO)).expect("the rod is valid");
    let plate = Shape::cuboid(DVec3::new(2.0, 2.0, 2e-3)).expect("the size is valid");
    let mut body = BodyDescription::fixed(plate, rock, DVec3::Z);
    body.kind = BodyKind::Driven;
    body.motion = Some(Motion::Constant(Velocity { linear: -50.0 * DVec3::Z, ..Velocity::ZERO }));
    simulation.add_body(body).expect("the plate is valid");
    let mut judge = Judge::new(&simulation);
    for _ in 0..3 {
        let report = simulation.step_by(1.0 / 30.0).expect("nothing is dynamic");
        judge.look(&simulation, &report);
    }
    assert_eq!(judge.findings.passed.len(), 1, "{:?}", judge.findings);
}
