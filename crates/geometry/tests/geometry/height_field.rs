//! Height fields: the same contacts as a mesh of their triangles where bodies lie above, solid below, flat where the
//! ground is a plane.

use crate::narrow_support::{Random, check_form, lowest, same_points, swapped, touch};
use granule_geometry::{HeightField, Shape, ShapeError, passage};
use granule_model::{ContactPoint, DQuat, DVec3, Pose};

/// Ground of `n` by `n` cells of edge `cell` whose origin is its corner.
fn field(n: usize, cell: f64, height: impl Fn(f64, f64) -> f64) -> HeightField {
    HeightField::new(n, n, [cell; 2], &heights([n, n], [cell; 2], height)).unwrap()
}

fn heights([columns, rows]: [usize; 2], cell: [f64; 2], height: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let at = |k: usize, cell: f64| (k as f64 + 0.5) * cell;
    (0..rows)
        .flat_map(|j| (0..columns).map(move |i| [i, j]))
        .map(|[i, j]| height(at(i, cell[0]), at(j, cell[1])))
        .collect()
}

/// The same surface as a mesh.
fn mesh_of(field: &Shape) -> Shape {
    let surface = field.triangulate(3);
    Shape::mesh(&surface.vertices, &surface.triangles).unwrap()
}

fn rough(x: f64, y: f64) -> f64 {
    0.25 * libm::sin(3.1 * x + 0.4) * libm::cos(2.3 * y) + 0.1 * libm::sin(9.7 * x * y)
}

fn bodies(scale: f64) -> Vec<(Shape, f64)> {
    let hull: Vec<_> = (0..40).map(|k| Random(k).direction() * DVec3::new(1.0, 0.8, 0.6) * scale).collect();
    vec![
        (Shape::sphere(0.7 * scale).unwrap(), 0.7),
        (Shape::capsule(0.3 * scale, scale).unwrap(), 0.8),
        (Shape::cuboid(DVec3::new(1.0, 1.4, 0.8) * scale).unwrap(), 1.0),
        (Shape::convex(&hull).unwrap(), 1.0),
        (Shape::cross(0.5 * scale).unwrap(), 1.0),
    ]
}

/// Whether the middle of the body, which is that of all of its parts, is over the ground or beyond its outline.
fn is_above(ground: &HeightField, pose: &Pose) -> bool {
    ground.height_at(pose.position.x, pose.position.y).is_none_or(|h| pose.position.z > h)
}

/// Overlap of bodies of some 1 m from which on a mesh may hold them from behind \[m\].
const DEEP: f64 = 0.1;

#[test]
fn a_body_above_touches_a_height_field_as_it_does_a_mesh_of_it() {
    for scale in [1e-3, 1.0, 1e3] {
        for holes in [false, true] {
            let mut random = Random(21);
            let n = 24;
            let values = heights([n, n], [0.25; 2], rough);
            let values: Vec<f64> = values.iter().map(|h| scale * h).collect();
            let has_ground: Vec<bool> = (0..n * n).map(|k| !holes || k % 41 != 7).collect();
            let ground = HeightField::with_holes(n, n, [0.25 * scale; 2], &values, &has_ground).unwrap();
            let shape = Shape::height_field(ground.clone());
            let mesh = mesh_of(&shape);
            let (mut met, mut worst) = ([0; 5], 0.0_f64);
            for (which, (body, reach)) in bodies(scale).into_iter().enumerate() {
                for _ in 0..250 {
                    let at =
                        DVec3::new(random.range(-0.5, 6.5), random.range(-0.5, 6.5), random.range(0.1, reach + 0.3));
                    let pose = Pose::new(at * scale, random.rotation());
                    if !is_above(&ground, &pose) {
                        continue;
                    }
                    let margin = 0.03 * scale;
                    let points = touch(&body, &pose, &shape, &Pose::IDENTITY, margin);
                    check_form(&points, margin);
                    let expected = touch(&body, &pose, &mesh, &Pose::IDENTITY, margin);
                    let back = touch(&shape, &Pose::IDENTITY, &body, &pose, margin);
                    assert_eq!(points, swapped(&back));
                    // Of something deep a sheet cannot tell from which side it came; solid ground can.
                    if lowest(&points).into_iter().chain(lowest(&expected)).any(|gap| gap < -DEEP * scale) {
                        continue;
                    }
                    assert!(
                        same_points(&points, &expected, scale, 1e-12 * scale),
                        "{} {scale} {pose:?}\n{points:?}\n{expected:?}",
                        body.name()
                    );
                    for (c, d) in points.iter().zip(&expected) {
                        worst = worst.max((c.point - d.point).length() / scale);
                    }
                    met[which] += points.len();
                }
            }
            println!("{scale:e} holes {holes}: {met:?} points, worst {worst:e}");
            assert!(met.iter().all(|m| *m > 30), "{met:?}");
        }
    }
}

/// Heights of a plane at 30 degrees that falls along x and half as steep along y.
fn incline(x: f64, y: f64) -> f64 {
    3000.0 - libm::tan(30.0_f64.to_radians()) * (x - 0.3 * y)
}

#[test]
fn an_inclined_plane_of_a_thousand_cells_is_one_plane_to_every_body() {
    let n = 1000;
    let ground = field(n, 1.0, incline);
    let slope = libm::tan(30.0_f64.to_radians());
    let normal = DVec3::new(slope, -0.3 * slope, 1.0).normalize();
    let shape = Shape::height_field(ground.clone());
    let mut random = Random(22);
    let (mut worst, mut off, mut points_seen) = (0.0_f64, 0.0_f64, 0);
    for (body, _) in bodies(2.0) {
        for _ in 0..400 {
            let over = DVec3::new(random.range(5.0, 990.0), random.range(5.0, 990.0), 0.0);
            let foot = over.with_z(incline(over.x, over.y));
            let pose = Pose::new(foot + random.range(1.0, 1.9) * normal, random.rotation());
            let points = touch(&body, &pose, &shape, &Pose::IDENTITY, 0.02);
            check_form(&points, 0.02);
            let plane = Shape::half_space(normal).unwrap();
            let expected = touch(&body, &pose, &plane, &Pose::from_position(foot), 0.02);
            if body.name() != "convex" {
                assert_eq!(points.len(), expected.len(), "{} {pose:?} {points:?} {expected:?}", body.name());
            }
            for c in &points {
                points_seen += 1;
                worst = worst.max((c.normal - normal).length());
                let twin = expected.iter().map(|d| (d.point - c.point).length() + (d.gap - c.gap).abs());
                // The heights are kept to 1.2e-7 of 750 m. Measured: 3.2e-7.
                let twin = twin.fold(f64::INFINITY, f64::min);
                off = off.max(twin);
                assert!(twin <= 2e-6, "{c:?} {expected:?}");
            }
        }
    }
    println!("{points_seen} points, worst normal {worst:e}, point {off:e}, resolution {:e}", ground.resolution());
    assert!(points_seen > 500 && ground.resolution() <= 750.0 * 0.5_f64.powi(32));
    // Measured: 1.8e-7, of the 1e-5 at which an edge is one.
    assert!(worst <= 1e-6, "{worst:e}");
}

#[test]
fn valleys_ridges_and_peaks_are_what_they_are() {
    // A valley along y whose foot lies on centres.
    let valley = Shape::height_field(field(17, 0.5, |x, _| 0.5 * (x - 4.25).abs()));
    let length = 1.25_f64.sqrt();
    let ball = Shape::sphere(0.6).unwrap();
    let pose = Pose::from_position(DVec3::new(4.25, 4.0, 0.599 * length));
    let points = touch(&ball, &pose, &valley, &Pose::IDENTITY, 0.0005);
    assert_eq!(points.len(), 2, "{points:?}");
    for c in &points {
        assert!((c.gap + 0.001).abs() <= 1e-9 && (c.normal.x.abs() - 0.5 / length).abs() <= 1e-9, "{c:?}");
    }
    // A cube with its corner down in it: the corner is in both walls.
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let turn = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let pose = Pose::new(DVec3::new(4.25, 4.0, 0.75_f64.sqrt() - 0.001), turn);
    let points = touch(&cube, &pose, &valley, &Pose::IDENTITY, 0.0005);
    check_form(&points, 0.0005);
    for wall in [-1.0, 1.0] {
        let of_wall: Vec<_> = points.iter().filter(|c| c.normal.x * wall > 0.0).copied().collect();
        assert!((lowest(&of_wall).unwrap() + 0.001 / length).abs() <= 1e-9, "{points:?}");
        assert!(of_wall.iter().all(|c| (c.normal.x.abs() - 0.5 / length).abs() <= 1e-9), "{points:?}");
    }
    // A ridge under a face.
    let ridge = Shape::height_field(field(17, 0.5, |x, _| -0.5 * (x - 4.25).abs()));
    let pose = Pose::from_position(DVec3::new(4.3, 4.0, 0.499));
    let points = touch(&cube, &pose, &ridge, &Pose::IDENTITY, 0.0005);
    assert!(points.len() >= 2, "{points:?}");
    assert!(
        points.iter().all(|c| (c.normal - DVec3::Z).length() <= 1e-12 && (c.gap + 0.001).abs() <= 1e-9),
        "{points:?}"
    );
    let reach = points.iter().map(|c| (c.point.y - 4.0).abs()).fold(0.0, f64::max);
    assert!((reach - 0.5).abs() <= 1e-9, "{reach}");
    // A peak under a plate.
    let peak = field(9, 1.0, |x, y| if x == 4.5 && y == 4.5 { 0.3 } else { 0.0 });
    let plate = Shape::cuboid(DVec3::new(0.6, 0.6, 0.2)).unwrap();
    let pose = Pose::from_position(DVec3::new(4.55, 4.6, 0.399));
    let points = touch(&plate, &pose, &Shape::height_field(peak), &Pose::IDENTITY, 0.0005);
    assert_eq!(points.len(), 1, "{points:?}");
    assert!((points[0].gap + 0.001).abs() <= 1e-9 && (points[0].normal - DVec3::Z).length() <= 1e-12, "{points:?}");
}

#[test]
fn mirrored_ground_has_mirrored_contacts() {
    let n = 20;
    let east = field(n, 0.4, rough);
    let wide = 0.4 * n as f64;
    let west = field(n, 0.4, |x, y| rough(wide - x, y));
    let ball = Shape::sphere(0.5).unwrap();
    let mut random = Random(23);
    let mut met = 0;
    for _ in 0..2000 {
        let at = DVec3::new(random.range(0.5, 7.5), random.range(0.5, 7.5), random.range(0.2, 0.8));
        let points = |ground: &HeightField, at: DVec3| {
            touch(&ball, &Pose::from_position(at), &Shape::height_field(ground.clone()), &Pose::IDENTITY, 0.02)
        };
        let flip = |p: DVec3| DVec3::new(-p.x, p.y, p.z);
        let mirrored: Vec<_> = points(&west, flip(at) + DVec3::X * wide)
            .into_iter()
            .map(|c| ContactPoint { point: flip(c.point) + DVec3::X * wide, normal: flip(c.normal), ..c })
            .collect();
        let points = points(&east, at);
        // Heights are rounded to 2e-10.
        assert!(same_points(&points, &mirrored, 1.0, 1e-8), "{at} {points:?} {mirrored:?}");
        met += points.len();
    }
    assert!(met > 500, "{met}");
}

#[test]
fn a_body_with_its_middle_in_the_ground_is_lifted_at_any_depth() {
    let ground = field(24, 0.25, rough);
    let shape = Shape::height_field(ground.clone());
    let mut random = Random(24);
    for (body, _) in bodies(1.0) {
        for _ in 0..300 {
            let [x, y] = [0; 2].map(|_| random.range(0.3, 5.7));
            let depth = random.range(1e-6, 10.0);
            let pose = Pose::new(DVec3::new(x, y, ground.height_at(x, y).unwrap() - depth), random.rotation());
            let points = touch(&body, &pose, &shape, &Pose::IDENTITY, 0.02);
            check_form(&points, 0.02);
            let deepest = lowest(&points).unwrap();
            assert!(deepest < 0.0 && points.iter().all(|c| c.normal.z > 0.0), "{} {points:?}", body.name());
            // Moved out along the normal by its depth, it is over the triangle.
            let middle = points.iter().find(|c| c.gap == deepest).unwrap();
            let out = Pose::new(pose.position - deepest * middle.normal, pose.rotation);
            assert!(out.position.z > pose.position.z);
        }
    }
    // Not beyond the outline, nor in a hole.
    let ball = Shape::sphere(0.2).unwrap();
    for at in [DVec3::new(0.1, 3.0, -2.0), DVec3::new(7.0, 3.0, -2.0), DVec3::new(3.0, -1.0, -0.7)] {
        assert!(touch(&ball, &Pose::from_position(at), &shape, &Pose::IDENTITY, 0.02).is_empty());
    }
}

/// On its way over the surface, into the ground and out of it, the depth of a ball never jumps.
#[test]
fn the_depth_of_a_ball_that_sinks_through_the_surface_of_a_plane_is_steady() {
    let shape = Shape::height_field(field(20, 0.5, |x, y| 0.3 * x - 0.2 * y));
    let normal = DVec3::new(-0.3, 0.2, 1.0).normalize();
    let ball = Shape::sphere(0.4).unwrap();
    let mut worst = 0.0_f64;
    for k in -100..=100 {
        let height = f64::from(k) * 0.003;
        let at = DVec3::new(5.03, 4.9, 0.3 * 5.03 - 0.2 * 4.9) + height * normal;
        let points = touch(&ball, &Pose::from_position(at), &shape, &Pose::IDENTITY, 0.01);
        assert_eq!(points.len(), 1, "{height} {points:?}");
        worst = worst.max((points[0].gap - (height - 0.4)).abs());
        assert!((points[0].gap - (height - 0.4)).abs() <= 1e-8, "{height} {points:?}");
    }
    println!("worst gap {worst:e}");
    // Measured: 4.9e-11; heights are kept to half a step of 1e-9.
    assert!(worst <= 2e-9, "{worst:e}");
}

#[test]
fn what_went_in_is_known_by_its_way_and_what_comes_out_is_not() {
    // A ridge of 45 degrees along y at x = 4.25.
    let ridge = Shape::height_field(field(17, 0.5, |x, _| (1.0 - (x - 4.25).abs()).max(0.0)));
    let ball = Shape::sphere(0.1).unwrap();
    let at = |x: f64, z: f64| Pose::from_position(DVec3::new(x, 4.0, z));
    let still = [&Pose::IDENTITY; 2];
    // Through the ridge, and past its middle only: the slope that it met first holds it.
    for end in [5.2, 4.4] {
        let found = passage(&ball, [&at(3.2, 0.5), &at(end, 0.5)], &ridge, still).unwrap();
        assert!(found.normal.x < -0.7 && found.gap < -0.1, "{found:?}");
        let back = passage(&ridge, still, &ball, [&at(3.2, 0.5), &at(end, 0.5)]).unwrap();
        assert_eq!(back.swapped(), found);
    }
    // Out of the ground, and over it.
    assert_eq!(passage(&ball, [&at(4.3, 0.2), &at(4.3, 1.5)], &ridge, still), None);
    assert_eq!(passage(&ball, [&at(3.2, 1.2), &at(5.2, 1.2)], &ridge, still), None);
}

/// A cuboid, a ball and a capsule that slide over flat ground of triangles, a mesh or a height field, keep the keys of
/// their contacts over 100 cells, so that what contacts carried is handed on.
#[test]
fn keys_stay_while_a_body_moves_over_flat_ground() {
    let ground = Shape::height_field(field(120, 0.25, |x, y| 0.2 * x - 0.1 * y));
    let normal = DVec3::new(-0.2, 0.1, 1.0).normalize();
    let turn = DQuat::from_rotation_arc(DVec3::Z, normal) * DQuat::from_rotation_z(0.3);
    let on_side = turn * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let cases = [
        (Shape::cuboid(DVec3::new(1.0, 0.8, 0.6)).unwrap(), 0.3, turn, 4),
        (Shape::sphere(0.3).unwrap(), 0.3, turn, 1),
        (Shape::capsule(0.3, 0.8).unwrap(), 0.3, on_side, 2),
        (Shape::cross(0.2).unwrap(), 0.3, turn, 4),
    ];
    for ground in [mesh_of(&ground), ground] {
        for (body, height, turn, count) in &cases {
            let mut first = None;
            for k in 0..5000 {
                let share = f64::from(k) / 5000.0;
                let over = DVec3::new(2.0 + 25.0 * share, 3.0 + 11.0 * share, 0.0);
                let foot = over.with_z(0.2 * over.x - 0.1 * over.y);
                let pose = Pose::new(foot + (height - 1e-4) * normal, *turn);
                let mut keys: Vec<_> =
                    touch(body, &pose, &ground, &Pose::IDENTITY, 0.01).iter().map(|c| c.feature).collect();
                keys.sort_unstable();
                assert_eq!(keys.len(), *count, "{} {}", ground.name(), body.name());
                assert_eq!(first.get_or_insert_with(|| keys.clone()), &keys, "{} {share}", body.name());
            }
        }
    }
}

/// A ball in a valley touches both walls, under two keys that stay with their walls.
#[test]
fn keys_stay_with_the_walls_of_a_valley() {
    for along_x in [false, true] {
        let fold = |x: f64, y: f64| 0.5 * (if along_x { y - 8.25 } else { x - 8.25 }).abs();
        let ground = Shape::height_field(field(33, 0.5, fold));
        for ground in [mesh_of(&ground), ground] {
            let cube = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
            let cases = [
                (Shape::sphere(0.6).unwrap(), 0.6 * 1.25_f64.sqrt() - 1e-4, DQuat::IDENTITY),
                (Shape::cuboid(DVec3::ONE).unwrap(), 0.75_f64.sqrt() + 1e-5, cube),
            ];
            for (body, height, turn) in cases {
                let mut first = None;
                for k in 0..2000 {
                    let s = 2.0 + 12.0 * f64::from(k) / 2000.0;
                    let (x, y) = if along_x { (s, 8.25) } else { (8.25, s) };
                    let pose = Pose::new(DVec3::new(x, y, height), turn);
                    let points = touch(&body, &pose, &ground, &Pose::IDENTITY, 1e-4);
                    let mut walls: Vec<_> =
                        points.iter().map(|c| (c.normal.dot(DVec3::ONE) > 0.9, c.feature)).collect();
                    walls.sort_unstable();
                    assert!(walls.len() == 2 && walls[0].1 != walls[1].1, "{points:?}");
                    assert_eq!(first.get_or_insert_with(|| walls.clone()), &walls, "{} {s}", body.name());
                }
            }
        }
    }
}

#[test]
fn a_rim_holds_as_that_of_a_mesh_and_beyond_it_nothing_does() {
    let shape = Shape::height_field(field(10, 1.0, |_, _| 2.0));
    let ball = Shape::sphere(0.5).unwrap();
    let at = |x: f64, z: f64| touch(&ball, &Pose::from_position(DVec3::new(x, 5.0, z)), &shape, &Pose::IDENTITY, 0.01);
    // The surface ends at 0.5, half a cell inside.
    assert_eq!(at(0.6, 2.499)[0].normal, DVec3::Z);
    let beside = at(0.1, 2.2);
    assert_eq!(beside.len(), 1);
    let away = DVec3::new(-0.4, 0.0, 0.2);
    assert!((beside[0].normal - away.normalize()).length() <= 1e-12, "{beside:?}");
    assert!((beside[0].gap - (away.length() - 0.5)).abs() <= 1e-12, "{beside:?}");
    assert!(at(-0.1, 2.0).is_empty() && at(0.1, 1.0).is_empty());
}

#[test]
fn heights_boxes_and_highest_points_are_those_of_the_triangles() {
    let mut random = Random(25);
    let [columns, rows] = [37, 53];
    let cell = [0.3, 0.2];
    let values = heights([columns, rows], cell, rough);
    let has_ground: Vec<bool> = (0..columns * rows).map(|k| k % 97 != 5).collect();
    let ground = HeightField::with_holes(columns, rows, cell, &values, &has_ground).unwrap();
    assert_eq!((ground.columns(), ground.rows(), ground.cell()), (columns, rows, cell));
    assert!(ground.height(5, 0).is_none() && ground.height(columns, 0).is_none());
    let shape = Shape::height_field(ground.clone());
    let mesh = mesh_of(&shape);
    for _ in 0..60 {
        let pose = random.pose(3.0);
        for pose in [pose, Pose::from_position(pose.position)] {
            let (one, other) = (shape.aabb(&pose), mesh.aabb(&pose));
            assert!((one.min - other.min).length() + (one.max - other.max).length() <= 1e-12);
            let near = random.vector(1.0) + pose.transform_point(DVec3::new(5.0, 5.0, 0.0));
            let min = [near.x, near.y];
            let max = min.map(|m| m + random.range(0.0, 2.0));
            let [one, other] = [&shape, &mesh].map(|s| s.highest_point(&pose, min, max));
            assert_eq!(one.map(|p| p.z), other.map(|p| p.z));
        }
        let (x, y) = (random.range(-0.2, 11.5), random.range(-0.2, 11.0));
        let top = mesh.highest_point(&Pose::IDENTITY, [x, y], [x, y]).map(|p| p.z);
        let height = ground.height_at(x, y);
        assert_eq!(top.is_some(), height.is_some(), "{x} {y}");
        assert!(top.zip(height).is_none_or(|(a, b)| (a - b).abs() <= 1e-12), "{x} {y} {top:?} {height:?}");
    }
    assert!(ground.bytes() <= 4 * columns * rows + 8 * 12 + 300, "{}", ground.bytes());
    // The same ground from values in single precision.
    let single: Vec<f32> = values.iter().map(|h| *h as f32).collect();
    let single = HeightField::new(columns, rows, cell, &single).unwrap();
    let wrong = (single.height_at(5.0, 5.0).unwrap() - ground.height_at(5.0, 5.0).unwrap()).abs();
    assert!(wrong > 0.0 && wrong < 1e-7, "{wrong:e}");
}

#[test]
fn rasters_that_are_no_ground_are_refused() {
    let new = |columns, rows, cell, heights: &[f64]| HeightField::new(columns, rows, cell, heights).unwrap_err();
    assert_eq!(new(1, 5, [1.0; 2], &[0.0; 5]), ShapeError::RasterTooSmall { columns: 1, rows: 5 });
    assert_eq!(new(2, 2, [1.0; 2], &[0.0; 5]), ShapeError::RasterCount { columns: 2, rows: 2, given: 5 });
    let (columns, rows) = (usize::MAX, 3);
    assert_eq!(new(columns, rows, [1.0; 2], &[]), ShapeError::RasterTooLarge { columns, rows });
    let mut heights = [0.0; 12];
    heights[7] = f64::INFINITY;
    let error = new(4, 3, [1.0; 2], &heights);
    assert_eq!(error, ShapeError::HeightNotFinite { column: 3, row: 1, value: f64::INFINITY });
    assert!(error.to_string().contains("column 3, row 1"), "{error}");
    heights[7] = 1e13;
    assert_eq!(new(4, 3, [1.0; 2], &heights), ShapeError::OutOfRange { what: "height", value: 1e13 });
    assert!(matches!(new(2, 2, [1.0, -1.0], &[0.0; 4]), ShapeError::NotPositive { .. }));
    assert!(matches!(new(2, 2, [f64::NAN, 1.0], &[0.0; 4]), ShapeError::NotFinite { .. }));
    assert!(matches!(new(2, 2, [1e12, 1.0], &[0.0; 4]), ShapeError::OutOfRange { .. }));
    let holes = HeightField::with_holes(2, 2, [1.0; 2], &[0.0, f64::NAN, 0.0, 0.0], &[true, false, true, true]);
    assert_eq!(holes.unwrap_err(), ShapeError::NoGround);
}

#[test]
fn every_pair_of_numbers_gives_an_answer() {
    let shapes = [field(5, 1e-3, |x, _| 1e9 * x), field(5, 1e9, |x, y| 1e-9 * x * y), field(2, 1e-12, |_, _| 1e12)];
    let mut random = Random(26);
    for ground in shapes.map(Shape::height_field) {
        for (body, _) in bodies(1.0) {
            for scale in [1e-3, 1.0, 1e6, 1e300] {
                check_form(&touch(&body, &random.pose(scale), &ground, &random.pose(1.0), 0.1), 0.1);
            }
        }
        let _ = ground.highest_point(&Pose::IDENTITY, [f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
        assert_eq!(ground.highest_point(&Pose::IDENTITY, [f64::NAN; 2], [1.0; 2]), None);
    }
}

/// Tetrahedra over bumps that lie clear of the ground overlap nothing.
///
/// A corner beyond the end of a valley, 0.06 m above the ground, was held at 0.04 m below the planes of a slope: 24 of
/// these 300 were said to overlap.
#[test]
fn what_is_clear_of_bumps_does_not_overlap_them() {
    let bumps = |x: f64, y: f64| 0.12 * libm::sin(2.6 * x) * libm::cos(2.9 * y + 0.3);
    let ground = Shape::height_field(field(24, 0.37, bumps));
    let sheet = mesh_of(&ground);
    let corners = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
    let corners = corners.map(|c| DVec3::from_array(c) * 0.3);
    let body = Shape::convex(&corners).unwrap();
    let height = |p: DVec3| {
        let at = [p.x, p.y];
        ground.highest_point(&Pose::IDENTITY, at, at).expect("the ground is below").z
    };
    let mut random = Random(12);
    let mut said = 0;
    for _ in 0..150 {
        let place = DVec3::new(random.range(1.5, 7.0), random.range(1.5, 7.0), 2.0);
        let pose = Pose::new(place, random.rotation());
        let placed = corners.map(|c| pose.transform_point(c));
        // The ground is below the faces where it is below points of them this near to each other.
        let clear = (0..4).flat_map(|beside| {
            (0..=12).flat_map(move |i| (0..=12 - i).map(move |j| (beside, [i, j].map(|n| f64::from(n) / 12.0))))
        });
        let over = |(beside, [s, t]): (usize, [f64; 2])| {
            let [a, b, c] = [1, 2, 3].map(|k| placed[(beside + k) % 4]);
            let p = a * s + b * t + c * (1.0 - s - t);
            p.z - height(p)
        };
        let least = clear.map(over).fold(f64::INFINITY, f64::min);
        let pose = Pose::new(place - DVec3::Z * (least - 0.03), pose.rotation);
        for surface in [&ground, &sheet] {
            let points = touch(&body, &pose, surface, &Pose::IDENTITY, 0.1);
            said += usize::from(lowest(&points).is_some_and(|gap| gap < 0.0));
        }
    }
    println!("{said} of 300 are said to overlap");
    assert_eq!(said, 0);
}
