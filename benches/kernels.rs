//! Time of single kernels: one pair of the narrow phase, one rebuild of the broad phase, one step of a pack.
//!
//! `cargo bench -p granule-benches`. For whole runs at a stated quality see `cargo xtask bench`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use granule_broadphase::{BroadPhase, BroadPhaseInput, PairList};
use granule_engine::prelude::*;
use granule_geometry::contacts;
use granule_model::Aabb;
use granule_scene::ReposeOptions;

/// Two shapes whose surfaces are about to touch along z, the upper one turned about z.
fn narrow_phase(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("narrow phase");
    let shapes = [
        ("sphere", Shape::sphere(1.5), 3.0),
        ("cuboid", Shape::cuboid(DVec3::splat(2.4)), 2.4),
        ("cross", Shape::cross(1.26), 3.78),
    ];
    for (name, shape, distance) in shapes {
        let shape = shape.expect("the sizes of the packaged scenes are valid");
        let turned = DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8);
        let (below, above) = (Pose::IDENTITY, Pose::new(DVec3::new(0.1, 0.2, 1.001 * distance), turned));
        let mut found = Vec::new();
        group.bench_function(format!("{name} on {name}"), |bencher| {
            bencher.iter(|| {
                found.clear();
                contacts(&shape, black_box(&above), &shape, black_box(&below), 0.05, &mut found);
                found.len()
            });
        });
    }
    group.finish();
}

/// 10 000 boxes of equal size on a grid that touch their neighbours.
fn broad_phase(criterion: &mut Criterion) {
    let side = 22;
    let cell = |i: usize| DVec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
    let boxes: Vec<Aabb> = (0..10_000).map(|i| Aabb::new(cell(i), cell(i) + DVec3::ONE)).collect();
    let (all, none) = (vec![true; boxes.len()], vec![false; boxes.len()]);
    let (reach, padding) = (vec![0.01; boxes.len()], vec![0.1; boxes.len()]);
    let (mut broad_phase, mut list) = (BroadPhase::default(), PairList::default());
    criterion.bench_function("broad phase, rebuild of 10 000", |bencher| {
        bencher.iter(|| {
            list.invalidate();
            let origin = DVec3::ZERO;
            let input = BroadPhaseInput { boxes: &boxes, movable: &all, present: &all, round: &none, origin };
            broad_phase.update(&mut list, &input, &reach, &padding);
            list.pairs().len()
        });
    });
}

/// Steps of 540 spheres that have landed and are settling.
fn step(criterion: &mut Criterion) {
    let scene = ReposeOptions::default().scene().expect("the packaged scene is valid");
    let mut simulation = scene.build().expect("the packaged scene can be built").simulation;
    while simulation.time() < 4.0 {
        simulation.step().expect("the packaged scene runs");
    }
    criterion.bench_function("step of 540 settling spheres", |bencher| {
        bencher.iter(|| simulation.step().expect("the packaged scene runs").contacts);
    });
}

/// Steps of 100 000 spheres that lie on a floor and sleep: 13 ns.
fn asleep(criterion: &mut Criterion) {
    let mut simulation = Simulation::new(Settings::default()).expect("the defaults are valid");
    let rock = simulation.add_material(Material::default()).expect("the default is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let ball = Shape::sphere(0.5).expect("the radius is valid");
    for k in 0..100_000 {
        let place = DVec3::new(2.0 * f64::from(k % 400), 2.0 * f64::from(k / 400), 0.5);
        simulation.add_body(BodyDescription::dynamic(ball.clone(), rock, place)).expect("the ball is valid");
    }
    while simulation.step().expect("nothing moves").awake > 0 {
        assert!(simulation.time() < 10.0, "never asleep");
    }
    criterion.bench_function("step of 100 000 sleeping spheres", |bencher| {
        bencher.iter(|| simulation.step().expect("nothing moves").contacts);
    });
}

criterion_group!(kernels, narrow_phase, broad_phase, step, asleep);
criterion_main!(kernels);
