//! A warm step allocates nothing: every buffer is kept from step to step.
//!
//! Allocations are counted on the thread that steps, in a pool of one thread. Energy tracking, the law by default, is
//! what is held here; the laws that resolve impacts cluster by cluster make a problem of each cluster that was hit, and
//! do allocate.

#[path = "engine/support/mod.rs"]
mod support;

use granule_engine::prelude::*;
use granule_geometry::GrainOptions;

use crate::support::ROCK;

/// Steps in which the pack settles, and the buffers with it: 8.5 s for spheres of 1 m and 9.4 s for cubes, both then at
/// rest.
const WARM_UP: usize = 600;

/// Floor that is shaken: (2 pi 2.5 Hz)^2 0.1 m is two and a half times gravity.
const SHAKE: Motion = Motion::Sine { amplitude: DVec3::new(0.0, 0.0, 0.1), frequency: 2.5, phase: 0.0 };

/// Grains between four walls and on a floor, in a loose grid of 5 x 5 x 4 with the given pitch \[m\]. With `shaken` the
/// floor goes up and down, so that contacts open and are hit.
fn pack(grain: &Shape, pitch: f64, shaken: bool) -> Simulation {
    // What lies still sleeps, and its steps do nothing that could allocate.
    let mut simulation =
        Simulation::new(Settings { sleeping: shaken, ..Settings::default() }).expect("settings are valid");
    let rock = simulation.add_material(ROCK).expect("the material is valid");
    let side = 5.0 * pitch;
    let walls = [(DVec3::X, 0.0), (DVec3::Y, 0.0), (-DVec3::X, side), (-DVec3::Y, side)];
    for (normal, distance) in walls {
        let wall = Shape::half_space(normal).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(wall, rock, -distance * normal)).expect("the wall is valid");
    }
    let mut floor =
        BodyDescription::fixed(Shape::half_space(DVec3::Z).expect("the normal is valid"), rock, DVec3::ZERO);
    if shaken {
        floor.kind = BodyKind::Driven;
        floor.motion = Some(SHAKE);
    }
    simulation.add_body(floor).expect("the floor is valid");
    for i in 0..100 {
        let shift = |k: i32| 0.05 * f64::from((i * k) % 11 - 5) / 5.0;
        let cell = DVec3::new(f64::from(i % 5) + 0.5, f64::from(i / 5 % 5) + 0.5, f64::from(i / 25) + 0.6);
        let place = pitch * (cell + DVec3::new(shift(7), shift(3), shift(5)));
        simulation.add_body(BodyDescription::dynamic(grain.clone(), rock, place)).expect("the body is valid");
    }
    simulation
}

/// Allocations of `steps` steps, and the contacts that were hit in them.
fn allocations(simulation: &mut Simulation, steps: usize) -> (u64, u32) {
    let mut hits = 0;
    let counted = allocation_counter::measure(|| {
        for _ in 0..steps {
            hits += simulation.step().expect("the run stays finite").hits;
        }
    });
    (counted.count_total, hits)
}

fn on_one_thread(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be made");
    pool.install(work);
}

fn sphere() -> Shape {
    Shape::sphere(0.5).expect("the radius is valid")
}

fn cube() -> Shape {
    Shape::cuboid(DVec3::splat(1.0)).expect("the size is valid")
}

/// The same cube as a level set: its nodes find some thirty points of a face before few of them are kept.
fn grain() -> Shape {
    Shape::level_set_of(&cube(), &GrainOptions { spacing: 0.1, nodes: 300 }).expect("the grid resolves it")
}

#[test]
fn a_settled_pack_is_stepped_without_allocations() {
    for (name, grain, pitch) in [("spheres", sphere(), 1.15), ("cubes", cube(), 1.2), ("grains", grain(), 1.2)] {
        on_one_thread(|| {
            let mut simulation = pack(&grain, pitch, false);
            let (cold, _) = allocations(&mut simulation, 1);
            // Control: the first step makes the buffers, so the counter counts.
            assert!(cold > 0, "{name}");
            allocations(&mut simulation, WARM_UP);
            assert!(simulation.at_rest(), "{name} are to be at rest after {} s", simulation.time());
            // Measured: 0 for all.
            assert_eq!(allocations(&mut simulation, 100).0, 0, "{name}");
        });
    }
}

#[test]
fn a_shaken_pack_allocates_only_where_it_outgrows_its_buffers() {
    for (name, grain, pitch) in [("spheres", sphere(), 1.15), ("cubes", cube(), 1.2)] {
        on_one_thread(|| {
            let mut simulation = pack(&grain, pitch, true);
            // Four times as long as a pack at rest takes: how many contacts a step has, and how many bodies make it
            // alone together, goes up and down with the floor, and the largest numbers come late. In the hundreds of
            // steps after twice `WARM_UP` cubes allocate 154, 135, 108, 109, 178, 61, 38, 24 times.
            allocations(&mut simulation, 4 * WARM_UP);
            let (count, hits) = allocations(&mut simulation, 100);
            assert!(hits > 100, "{name}: {hits} hits are no shaking");
            // Measured: 1 for spheres, 54 for cubes or less, in any 100 steps from then on. All are lists that meet
            // more than before: of worlds of few bodies, of the levels of the energy release
            // (`crates/solver/src/laws/tracking/approach/levels.rs`), and the packs of the contact stage. An allocation
            // in every step would make it 100.
            assert!(count < 100, "{name}: {count} allocations in 100 steps");
        });
    }
}
