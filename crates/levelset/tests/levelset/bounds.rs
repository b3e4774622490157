//! Bounds of the distance against exact ones, inside of the grid and outside.

use crate::shapes::{HALF, Random, Shape, box_mesh, cube};
use granule_levelset::{Inside, LevelSet, Storage, Volume};
use granule_model::{Aabb, DQuat, DVec3};

/// The bound must be no further from zero than the distance, and on its side. Returns the mean share of the distance
/// that is told, for points in the grid and outside.
fn check(set: &LevelSet, distance: impl Fn(DVec3) -> f64, size: f64) -> [f64; 2] {
    let mut random = Random(23);
    let mut sums = [[0.0, 0.0]; 2];
    for _ in 0..60_000 {
        let p = random.point(size);
        let (bound, exact) = (set.bound(p), distance(p));
        let right = if exact >= 0.0 { (0.0..=exact).contains(&bound) } else { (exact..=0.0).contains(&bound) };
        assert!(right, "{p}: {bound} for {exact}");
        let outside = !set.bounds().contains(&Aabb::new(p, p));
        sums[usize::from(outside)][0] += bound / exact;
        sums[usize::from(outside)][1] += 1.0;
    }
    sums.map(|[sum, count]| sum / count)
}

fn turn() -> DQuat {
    DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize()
}

#[test]
fn functions() {
    for shape in [Shape::Sphere, Shape::Torus, Shape::Box(turn())] {
        for storage in [Storage::F32, Storage::I16] {
            let set = LevelSet::from_function(cube(1.1), 0.03, 4, storage, |p| shape.distance(p)).unwrap();
            assert!(set.is_confined());
            let [within, beyond] = check(&set, |p| shape.distance(p), 3.0);
            // Measured 0.77 to 0.81 and 0.78.
            assert!(within >= 0.7 && beyond >= 0.7, "{within} {beyond}");
        }
    }
}

#[test]
fn meshes_and_volumes() {
    let (mut vertices, triangles) = box_mesh(HALF);
    vertices.iter_mut().for_each(|v| *v = turn() * *v);
    let set = LevelSet::from_mesh(&vertices, &triangles, 0.04, 4, Storage::I16).unwrap();
    let [within, beyond] = check(&set, |p| Shape::Box(turn()).distance(p), 2.0);
    // Measured 0.78 and 0.74.
    assert!(within >= 0.7 && beyond >= 0.7, "{within} {beyond}");
    let (count, voxel) = (52, 0.05);
    let values = (0..count * count * count).map(|at| {
        let place = DVec3::new((at % count) as f64, (at / count % count) as f64, (at / (count * count)) as f64);
        -Shape::Torus.distance((place + DVec3::splat(0.5)) * voxel - DVec3::splat(1.3)) as f32
    });
    let volume = Volume { size: [count; 3], voxel, origin: DVec3::splat(-1.3), values: values.collect() };
    let set = LevelSet::from_volume(&volume, Inside::Above(0.0), voxel, 4, Storage::F32).unwrap();
    let [within, beyond] = check(&set, |p| Shape::Torus.distance(p), 2.0);
    // Measured 0.60 and 0.70: half a cell is allowed for the march.
    assert!(within >= 0.55 && beyond >= 0.65, "{within} {beyond}");
}

#[test]
fn a_terrain_is_known_as_far_as_its_grid_reaches() {
    let height = |p: DVec3| 0.2 * libm::sin(3.0 * p.x) * libm::cos(2.0 * p.y);
    let bounds = Aabb::new(DVec3::new(-1.0, -1.0, -0.5), DVec3::new(1.0, 1.0, 0.5));
    // The slope is 0.6 along x and 0.4 along y at most.
    let steepness = (1.0f64 + 0.36 + 0.16).sqrt();
    let set = LevelSet::from_function(bounds, 0.02, 3, Storage::F32, |p| (p.z - height(p)) / steepness).unwrap();
    assert!(!set.is_confined());
    // No point is further from the surface than straight down; below there is no lower end.
    let [within, _] = check(&set, |p| p.z - height(p), 2.0);
    assert!(within >= 0.55, "{within}"); // measured 0.63, of the way straight down
}

#[test]
fn no_point_makes_a_bound_that_is_not_a_number() {
    let set = LevelSet::from_function(cube(1.1), 0.1, 4, Storage::F32, |p| Shape::Sphere.distance(p)).unwrap();
    for p in [DVec3::NAN, DVec3::new(0.0, f64::NAN, 0.0), DVec3::new(f64::INFINITY, f64::NAN, 0.0)] {
        assert_eq!(set.bound(p), 0.0);
        assert!(set.sample(p).is_none() && set.smooth(p).is_none());
    }
    for p in [DVec3::INFINITY, DVec3::NEG_INFINITY, DVec3::splat(1e200), DVec3::X * f64::MAX] {
        let bound = set.bound(p);
        assert!(bound > 1e100, "{bound}");
        assert!(set.sample(p).is_none() && set.smooth(p).is_none());
    }
}
