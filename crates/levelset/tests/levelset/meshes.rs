//! Grids of meshes: exact distances, signs at sharp edges and corners, and what is refused.

use crate::shapes::{HALF, Random, Shape, box_mesh, tetrahedron};
use granule_levelset::{LevelSet, LevelSetError, Storage};
use granule_model::{DQuat, DVec3};

/// A turn about a tilted axis.
fn turn() -> DQuat {
    DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize()
}

#[test]
fn the_grid_of_a_box_mesh_is_that_of_the_box_to_rounding() {
    for turn in [DQuat::IDENTITY, turn()] {
        for scale in [1e-3, 1.0, 1e2] {
            let (mut vertices, triangles) = box_mesh(HALF);
            vertices.iter_mut().for_each(|v| *v = turn * *v * scale);
            let spacing = 0.07 * scale;
            let mesh = LevelSet::from_mesh(&vertices, &triangles, spacing, 5, Storage::F32).unwrap();
            let exact = |p: DVec3| scale * Shape::Box(turn).distance(p / scale);
            let function =
                LevelSet::from_function(mesh.bounds().padded(-spacing), spacing, 5, Storage::F32, exact).unwrap();
            let mut random = Random(3);
            let (mut worst, mut count) = (0.0f64, 0);
            for _ in 0..20_000 {
                let p = scale * random.point(1.2);
                let (Some(a), Some(b)) = (mesh.sample(p), function.sample(p)) else {
                    continue;
                };
                worst = worst.max((a.value - b.value).abs() / scale);
                count += 1;
            }
            assert!(count > 4000, "{count}");
            assert!(worst <= 1e-7, "{worst:e}"); // half a bit of the 4-byte values is 3e-8 of 0.35 at most
            assert!((mesh.deepest() - function.deepest()).abs() <= 1e-14 * scale);
        }
    }
}

/// A thin wedge whose edge has an angle of 2 degrees, by its six corners.
fn wedge() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (sin, cos) = libm::sincos(2f64.to_radians());
    let profile = [DVec3::ZERO, DVec3::X * 2.0, DVec3::new(2.0 * cos, 0.0, 2.0 * sin)];
    let vertices = [-1.0, 1.0].iter().flat_map(|y| profile.map(|p| p + DVec3::Y * *y)).collect();
    let triangles = vec![[0, 1, 2], [3, 5, 4], [0, 4, 1], [0, 3, 4], [1, 5, 2], [1, 4, 5], [2, 3, 0], [2, 5, 3]];
    (vertices, triangles)
}

#[test]
fn signs_at_sharp_edges_and_corners_are_those_of_the_half_spaces() {
    for (vertices, triangles) in [wedge(), tetrahedron(0.02), tetrahedron(1.0)] {
        let set = LevelSet::from_mesh(&vertices, &triangles, 0.01, 3, Storage::F32).unwrap();
        // Inside a convex solid is below the plane of every face.
        let height = |p: DVec3| {
            let above = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|i| vertices[i as usize]);
                (b - a).cross(c - a).normalize().dot(p - a)
            };
            triangles.iter().map(above).fold(f64::NEG_INFINITY, f64::max)
        };
        let lowest = set.bounds().min;
        let mut random = Random(5);
        let (mut inside, mut outside) = (0, 0);
        for corner in vertices.iter().cycle().take(40_000) {
            // At a node: what was held, without interpolation.
            let p = lowest + ((*corner + random.point(0.03) - lowest) / set.spacing()).round() * set.spacing();
            let Some(at_node) = set.sample(p) else { continue };
            if height(p) < -1e-9 {
                assert!(at_node.value < 0.0, "{p} {at_node:?} {}", height(p));
                inside += 1;
            } else if height(p) > 1e-9 {
                assert!(at_node.value > 0.0, "{p} {at_node:?} {}", height(p));
                outside += 1;
            }
        }
        // Measured 1302 to 1997 and 15719 to 18731.
        assert!(inside > 1000 && outside > 10_000, "{inside} {outside}");
    }
}

#[test]
fn bad_meshes_are_refused() {
    let (vertices, triangles) = box_mesh(HALF);
    let build = |vertices: &[DVec3], triangles: &[[u32; 3]]| {
        LevelSet::from_mesh(vertices, triangles, 0.1, 3, Storage::F32).unwrap_err()
    };
    assert_eq!(build(&vertices, &[]), LevelSetError::EmptyMesh);
    assert!(matches!(build(&vertices, &[[0, 1, 9]]), LevelSetError::IndexOutOfRange { triangle: 0, index: 9, .. }));
    assert!(matches!(build(&vertices, &[[0, 1, 1]]), LevelSetError::DegenerateTriangle { triangle: 0 }));
    let inverted: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(matches!(build(&vertices, &inverted), LevelSetError::NoVolume { volume } if volume < 0.0));
    assert!(matches!(build(&vertices, &[[0, 1, 2], [0, 2, 1]]), LevelSetError::NoVolume { volume: 0.0 }));
    let mut broken = vertices.clone();
    broken[3].y = f64::NAN;
    assert!(matches!(build(&broken, &triangles), LevelSetError::VertexNotFinite { vertex: 3, .. }));
    let thin: Vec<_> = vertices.iter().map(|v| *v * DVec3::new(1.0, 1.0, 1e-3)).collect();
    let error = LevelSet::from_mesh(&thin, &triangles, 0.099, 3, Storage::F32).unwrap_err();
    assert_eq!(error, LevelSetError::NoInside);
    let error = LevelSet::from_mesh(&vertices, &triangles, 0.0, 3, Storage::F32).unwrap_err();
    assert!(matches!(error, LevelSetError::NotPositive { .. }));
}
