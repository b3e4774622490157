//! Meshes: flat ground cut into triangles acts as one plane, ridges and valleys as what they are.

use crate::narrow_support::{Random, check_form, lowest, moved, same_points, swapped, touch};
use granule_geometry::Shape;
use granule_model::{DQuat, DVec3, Pose};

/// A grid of `n` by `n` squares of edge `step` about the origin at the given heights, each square two triangles.
fn ground(n: u32, step: f64, height: impl Fn(f64, f64) -> f64) -> Shape {
    let (vertices, triangles) = grid(n, step, height);
    Shape::mesh(&vertices, &triangles).unwrap()
}

fn grid(n: u32, step: f64, height: impl Fn(f64, f64) -> f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32, j: u32| {
        let [x, y] = [i, j].map(|k| step * (f64::from(k) - 0.5 * f64::from(n)));
        DVec3::new(x, y, height(x, y))
    };
    let vertices: Vec<_> = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let v = |i: u32, j: u32| i * (n + 1) + j;
    let triangles: Vec<_> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .flat_map(|(i, j)| [[v(i, j), v(i + 1, j), v(i + 1, j + 1)], [v(i, j), v(i + 1, j + 1), v(i, j + 1)]])
        .collect();
    (vertices, triangles)
}

/// The same surface with every triangle run the other way.
fn turned((vertices, triangles): &(Vec<DVec3>, Vec<[u32; 3]>)) -> Shape {
    let triangles: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    Shape::mesh(vertices, &triangles).unwrap()
}

fn bodies() -> Vec<(Shape, f64)> {
    let hull: Vec<_> = (0..40).map(|k| Random(k).direction() * DVec3::new(1.0, 0.8, 0.6)).collect();
    vec![
        (Shape::sphere(0.7).unwrap(), 0.7),
        (Shape::capsule(0.3, 1.0).unwrap(), 0.8),
        (Shape::cuboid(DVec3::new(1.0, 1.4, 0.8)).unwrap(), 1.0),
        (Shape::convex(&hull).unwrap(), 1.0),
        (Shape::cross(0.5).unwrap(), 1.0),
    ]
}

#[test]
fn flat_ground_in_triangles_acts_as_a_plane() {
    let mesh = ground(20, 0.37, |_, _| 0.0);
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let mut random = Random(11);
    for (body, reach) in bodies() {
        let mut met = 0;
        for _ in 0..1500 {
            let at = DVec3::new(random.range(-2.0, 2.0), random.range(-2.0, 2.0), random.range(0.4, reach + 0.1));
            let pose = Pose::new(at, random.rotation());
            let expected = touch(&body, &pose, &plane, &Pose::IDENTITY, 0.02);
            if lowest(&expected).is_some_and(|gap| gap < -0.08) {
                continue;
            }
            let points = touch(&body, &pose, &mesh, &Pose::IDENTITY, 0.02);
            check_form(&points, 0.02);
            // Not merely near the face's normal: it is the face's normal.
            assert!(points.iter().all(|c| c.normal == DVec3::Z), "{points:?}");
            // A hull with many faces shows the corners of the touching face only, to a plane it shows all.
            assert_eq!(points.is_empty(), expected.is_empty());
            let expected: Vec<_> = expected
                .into_iter()
                .filter(|c| body.name() != "convex" || points.iter().any(|d| (d.point - c.point).length() <= 1e-12))
                .collect();
            assert!(same_points(&points, &expected, 1.0, 1e-12), "{} {points:?} {expected:?}", body.name());
            met += points.len();
        }
        assert!(met > 60, "{} {met}", body.name());
    }
}

#[test]
fn a_ball_that_rolls_over_edges_and_corners_is_held_all_the_way_by_one_normal() {
    let mesh = ground(8, 0.5, |_, _| 0.0);
    let ball = Shape::sphere(0.6).unwrap();
    // Along an edge, along a diagonal, over corners, and off them by rounding.
    for direction in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 0.37, 0.0)] {
        for shift in [0.0, 1e-17, 1e-12, -1e-10, 1e-8, 1e-5] {
            for step in -400..=400 {
                let at = direction * (f64::from(step) / 400.0) + DVec3::new(shift, -shift, 0.599);
                let points = touch(&ball, &Pose::from_position(at), &mesh, &Pose::IDENTITY, 0.01);
                assert_eq!(points.len(), 1, "{at}: {points:?}");
                assert!(points[0].normal == DVec3::Z && (points[0].gap + 0.001).abs() <= 1e-15, "{points:?}");
            }
        }
    }
}

#[test]
fn a_tilted_flat_mesh_keeps_its_normal_to_rounding() {
    let slope = 0.3;
    let mesh = ground(10, 0.41, |x, y| slope * x - 0.2 * y);
    let normal = DVec3::new(-slope, 0.2, 1.0).normalize();
    let mut random = Random(12);
    let (mut held, mut worst) = (0, 0.0_f64);
    for (body, _) in bodies().into_iter().take(3) {
        for _ in 0..500 {
            let over = random.vector(1.0);
            let foot = over - normal * over.dot(normal);
            let pose = Pose::new(foot + 0.45 * normal, random.rotation());
            for c in touch(&body, &pose, &mesh, &Pose::IDENTITY, 0.01) {
                held += 1;
                worst = worst.max((c.normal - normal).length());
            }
        }
    }
    println!("{held} points, worst normal {worst:e}");
    // Measured: 4e-16 (the vertices themselves are rounded).
    assert!(held > 500 && worst <= 1e-14, "{held} {worst:e}");
}

/// A roof with its ridge along y at height 0, falling at slope `fall` on both sides; a valley for negative `fall`.
fn roof(fall: f64) -> Shape {
    ground(8, 0.5, |x, _| -fall * x.abs())
}

#[test]
fn a_ridge_holds_balls_and_boxes_in_its_cone_of_normals() {
    let mesh = roof(0.5);
    let ball = Shape::sphere(0.6).unwrap();
    for tilt in [-0.3, -0.1, 0.0, 0.2, 0.4] {
        let normal = DVec3::new(tilt, 0.0, 1.0).normalize();
        let pose = Pose::from_position(DVec3::new(0.0, 0.2, 0.0) + 0.599 * normal);
        let points = touch(&ball, &pose, &mesh, &Pose::IDENTITY, 0.0005);
        assert_eq!(points.len(), 1, "{points:?}");
        assert!((points[0].normal - normal).length() <= 1e-12 && (points[0].gap + 0.001).abs() <= 1e-14);
        // A box with its face on the ridge: both ends of the ridge under the face, and its normal.
        let turn = DQuat::from_rotation_arc(DVec3::Z, normal);
        let cuboid = Shape::cuboid(DVec3::new(1.0, 1.2, 1.0)).unwrap();
        let pose = Pose::new(DVec3::new(0.0, 0.2, 0.0) + 0.499 * normal, turn);
        let points = touch(&cuboid, &pose, &mesh, &Pose::IDENTITY, 0.0005);
        assert!(points.len() >= 2, "{points:?}");
        assert!(
            points.iter().all(|c| (c.normal - normal).length() <= 1e-12 && (c.gap + 0.001).abs() <= 1e-12),
            "{points:?}"
        );
        let reach = points.iter().map(|c| (c.point.y - 0.2).abs()).fold(0.0, f64::max);
        assert!((reach - 0.6).abs() <= 1e-9, "{reach}");
    }
}

#[test]
fn a_valley_holds_a_ball_with_two_normals_and_no_third() {
    let mesh = roof(-0.5);
    let ball = Shape::sphere(0.6).unwrap();
    let length = 1.25_f64.sqrt();
    // Tangent to both sides, one millimetre deep.
    let pose = Pose::from_position(DVec3::new(0.0, 0.13, 0.599 * length));
    let points = touch(&ball, &pose, &mesh, &Pose::IDENTITY, 0.0005);
    assert_eq!(points.len(), 2, "{points:?}");
    for c in &points {
        assert!((c.gap + 0.001).abs() <= 1e-12 && (c.normal.x.abs() - 0.5 / length).abs() <= 1e-12, "{c:?}");
    }
}

#[test]
fn a_peak_is_felt_under_a_plate() {
    let mesh = ground(4, 1.0, |x, y| if x == 0.0 && y == 0.0 { 0.3 } else { 0.0 });
    let plate = Shape::cuboid(DVec3::new(0.6, 0.6, 0.2)).unwrap();
    let pose = Pose::from_position(DVec3::new(0.05, 0.1, 0.399));
    let points = touch(&plate, &pose, &mesh, &Pose::IDENTITY, 0.0005);
    assert_eq!(points.len(), 1, "{points:?}");
    assert!((points[0].gap + 0.001).abs() <= 1e-12 && (points[0].normal - DVec3::Z).length() <= 1e-12, "{points:?}");
}

#[test]
fn a_box_slides_over_a_step_without_meeting_the_edges_below_it() {
    // Floor at 0 for x < 0, a riser at x = 0 up to 0.5, a tread behind it.
    let vertices = [
        [-3.0, -3.0, 0.0],
        [0.0, -3.0, 0.0],
        [0.0, -3.0, 0.5],
        [3.0, -3.0, 0.5],
        [-3.0, 3.0, 0.0],
        [0.0, 3.0, 0.0],
        [0.0, 3.0, 0.5],
        [3.0, 3.0, 0.5],
    ]
    .map(DVec3::from_array);
    let quad = |a: u32, b: u32| [[a, b, b + 4], [a, b + 4, a + 4]];
    let triangles: Vec<_> = [quad(0, 1), quad(1, 2), quad(2, 3)].into_iter().flatten().collect();
    let mesh = Shape::mesh(&vertices, &triangles).unwrap();
    let cuboid = Shape::cuboid(DVec3::ONE).unwrap();
    // Against the riser: floor and riser, nothing else; no point from the tread's far side.
    let points = touch(&cuboid, &Pose::from_position(DVec3::new(-0.499, 0.0, 0.499)), &mesh, &Pose::IDENTITY, 0.01);
    check_form(&points, 0.01);
    for c in &points {
        assert!(c.normal == DVec3::Z || c.normal == DVec3::NEG_X, "{c:?}");
        assert!((c.gap + 0.001).abs() <= 1e-12, "{c:?}");
    }
    assert_eq!(points.iter().filter(|c| c.normal == DVec3::Z).count(), 4, "{points:?}");
    assert!(points.iter().filter(|c| c.normal == DVec3::NEG_X).count() >= 4, "{points:?}");
    // On the tread and over its edge: held by the tread alone.
    let points = touch(&cuboid, &Pose::from_position(DVec3::new(0.2, 0.0, 0.999)), &mesh, &Pose::IDENTITY, 0.01);
    assert!(points.len() >= 4 && points.iter().all(|c| c.normal == DVec3::Z), "{points:?}");
}

#[test]
fn rough_ground_against_the_distance_to_every_triangle() {
    let mesh = ground(12, 0.4, |x, y| 0.25 * libm::sin(3.1 * x + 0.4) * libm::cos(2.3 * y));
    let ball = Shape::sphere(0.35).unwrap();
    let mut random = Random(14);
    let mut met = 0;
    for _ in 0..3000 {
        let at = DVec3::new(random.range(-1.8, 1.8), random.range(-1.8, 1.8), random.range(0.1, 0.9));
        let points = touch(&ball, &Pose::from_position(at), &mesh, &Pose::IDENTITY, 0.05);
        check_form(&points, 0.05);
        // Tiny balls around the contact agree: the reported surface point lies on the surface.
        for c in &points {
            met += 1;
            let on_mesh = c.point - 0.5 * c.gap * c.normal;
            let probe = touch(
                &Shape::sphere(1e-4).unwrap(),
                &Pose::from_position(on_mesh + 1e-4 * c.normal),
                &mesh,
                &Pose::IDENTITY,
                1e-6,
            );
            assert!(lowest(&probe).is_some_and(|gap| gap.abs() <= 1e-10), "{c:?} {probe:?}");
        }
        let back = touch(&mesh, &Pose::IDENTITY, &ball, &Pose::from_position(at), 0.05);
        assert_eq!(points, swapped(&back));
    }
    assert!(met > 500, "{met}");
}

#[test]
fn the_way_in_which_triangles_run_does_not_matter() {
    let rough = |x: f64, y: f64| 0.25 * libm::sin(3.1 * x + 0.4) * libm::cos(2.3 * y);
    let step = |x: f64, _: f64| if x < 0.3 { 0.0 } else { 0.4 };
    let surfaces = [grid(12, 0.4, rough), grid(8, 0.5, |x, _| -0.5 * x.abs()), grid(10, 0.4, step)];
    let mut random = Random(16);
    for surface in &surfaces {
        let (one, other) = (Shape::mesh(&surface.0, &surface.1).unwrap(), turned(surface));
        for (body, reach) in bodies() {
            let mut met = [0, 0];
            for k in 0..1200 {
                let side = if k % 2 == 0 { 1.0 } else { -1.0 };
                let [x, y] = [0; 2].map(|_| random.range(-1.8, 1.8));
                let pose = Pose::new(DVec3::new(x, y, side * random.range(0.3, reach + 0.3)), random.rotation());
                let points = touch(&body, &pose, &one, &Pose::IDENTITY, 0.05);
                check_form(&points, 0.05);
                let back = touch(&body, &pose, &other, &Pose::IDENTITY, 0.05);
                // Of something deep nobody can tell from which side it came.
                if lowest(&points).into_iter().chain(lowest(&back)).any(|gap| gap < -0.05) {
                    continue;
                }
                assert!(same_points(&points, &back, 1.0, 1e-9), "{} {pose:?} {points:?} {back:?}", body.name());
                met[k % 2] += points.len();
            }
            assert!(met.iter().all(|m| *m > 12), "{} {met:?}", body.name());
        }
    }
}

#[test]
fn both_sides_of_a_ridge_hold_as_ridge_and_valley() {
    // Seen from below a roof is a valley; the same contacts as from above a valley turned over.
    let turn = DQuat::from_rotation_x(std::f64::consts::PI);
    let (roof, valley) = (roof(0.5), roof(-0.5));
    let mut random = Random(17);
    for (body, reach) in bodies() {
        let mut met = 0;
        for _ in 0..400 {
            let at = DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(0.2, reach + 0.6));
            let pose = Pose::new(at, random.rotation());
            let above = touch(&body, &pose, &valley, &Pose::IDENTITY, 0.05);
            let below = touch(&body, &moved(&pose, &Pose::new(DVec3::ZERO, turn)), &roof, &Pose::IDENTITY, 0.05);
            if lowest(&above).into_iter().chain(lowest(&below)).any(|gap| gap < -0.05) {
                continue;
            }
            let back: Vec<_> = below
                .iter()
                .map(|c| granule_model::ContactPoint { point: turn * c.point, normal: turn * c.normal, ..*c })
                .collect();
            assert!(same_points(&above, &back, 1.0, 1e-9), "{} {above:?} {back:?}", body.name());
            met += above.len();
        }
        assert!(met > 20, "{} {met}", body.name());
    }
}

#[test]
fn plates_over_hills_are_not_held_by_the_backs_of_hillsides() {
    let hills = |x: f64, y: f64| 0.4 * libm::sin(2.1 * x) * libm::cos(1.7 * y);
    let mesh = ground(14, 0.5, hills);
    let mut random = Random(18);
    let [plate, rod] = [DVec3::new(2.0, 2.0, 0.1), DVec3::new(3.0, 0.1, 0.1)].map(|size| Shape::cuboid(size).unwrap());
    let mut met = 0;
    for (body, half) in [(plate, DVec3::new(1.0, 1.0, 0.05)), (rod, DVec3::new(1.5, 0.05, 0.05))] {
        for _ in 0..60 {
            let turn = DQuat::from_rotation_z(random.range(0.0, 6.0)) * DQuat::from_rotation_x(random.range(-0.6, 0.6));
            let at = DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0);
            // As low as the hills allow: none of their points is inside.
            let clearance = |height: f64| {
                let pose = Pose::new(at + DVec3::Z * height, turn);
                let inside = |p: DVec3| pose.inverse_transform_point(p).abs().cmple(half).all();
                let k = |i: i32| -3.5 + 0.1 * f64::from(i);
                (0..=70).flat_map(|i| (0..=70).map(move |j| (k(i), k(j)))).all(|(x, y)| {
                    let top = bilinear(&hills, x, y);
                    !inside(DVec3::new(x, y, top)) && !inside(DVec3::new(x, y, top - 0.02))
                })
            };
            let height = (0..40).map(|i| 1.6 - 0.05 * f64::from(i)).take_while(|h| clearance(*h)).last();
            let pose = Pose::new(at + DVec3::Z * height.unwrap(), turn);
            let points = touch(&body, &pose, &mesh, &Pose::IDENTITY, 0.05);
            check_form(&points, 0.05);
            met += points.len();
            // Heights are tried in steps of 0.05.
            let wrong: Vec<_> = points.iter().filter(|c| c.gap < -0.05 || c.normal.z <= 0.0).collect();
            assert!(wrong.is_empty(), "{pose:?} {wrong:?}");
        }
    }
    assert!(met > 60, "{met}");
}

/// Height of the mesh that [`ground`] makes of `height` with squares of 0.5.
fn bilinear(height: &impl Fn(f64, f64) -> f64, x: f64, y: f64) -> f64 {
    let cell = |t: f64| (t / 0.5).floor() * 0.5;
    let (x0, y0) = (cell(x), cell(y));
    let (u, v) = ((x - x0) / 0.5, (y - y0) / 0.5);
    let (a, c) = (height(x0, y0), height(x0 + 0.5, y0 + 0.5));
    if u >= v {
        let b = height(x0 + 0.5, y0);
        a + u * (b - a) + v * (c - b)
    } else {
        let d = height(x0, y0 + 0.5);
        a + v * (d - a) + u * (c - d)
    }
}

#[test]
fn a_rod_over_a_rim_is_held_on_whichever_side_its_middle_lies() {
    // A wall in the plane x = 0 whose rim is the y axis.
    let corners = [[0.0, -4.0, -3.0], [0.0, 4.0, -3.0], [0.0, 4.0, 0.0], [0.0, -4.0, 0.0]].map(DVec3::from_array);
    let wall = Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let rods = [Shape::cuboid(DVec3::new(3.0, 0.2, 0.2)).unwrap(), Shape::convex(&prism(3.0, 0.1)).unwrap()];
    for (rod, middle, tilt) in rods
        .iter()
        .flat_map(|rod| [-0.9, -0.2, 0.3, 1.1].map(|m| [-0.6, -0.1, 0.0, 0.4].map(|t| (rod, m, t))))
        .flatten()
    {
        let turn = DQuat::from_rotation_y(tilt);
        let normal = turn * DVec3::Z;
        let pose = Pose::new(turn * DVec3::X * middle + 0.099 * normal, turn);
        let points = touch(rod, &pose, &wall, &Pose::IDENTITY, 0.01);
        check_form(&points, 0.01);
        let held = points.iter().filter(|c| (c.normal - normal).length() <= 1e-12 && (c.gap + 0.001).abs() <= 1e-12);
        assert!(held.count() >= 1, "{} middle {middle} tilt {tilt}: {points:?}", rod.name());
        assert!(
            points.iter().all(|c| c.gap >= -0.001 - 1e-12),
            "{} middle {middle} tilt {tilt}: {points:?}",
            rod.name()
        );
    }
}

/// The inside of a cube from -4 to 4, each wall a fan of needles about a point off its middle.
fn tank(count: u32) -> Shape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (axis, side) in (0..3).flat_map(|axis| [(axis, -4.0), (axis, 4.0)]) {
        let place = |u: f64, v: f64| {
            let mut p = DVec3::ZERO;
            (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, side * u, 4.0 * v);
            p
        };
        let rim = |i: u32| {
            let t = 4.0 * f64::from(i % count) / f64::from(count);
            let along = 2.0 * (t - t.floor()) - 1.0;
            match t.floor() as i32 {
                0 => place(along, -1.0),
                1 => place(1.0, along),
                2 => place(-along, 1.0),
                _ => place(-1.0, -along),
            }
        };
        let first = vertices.len() as u32;
        vertices.push(place(0.06, -0.03));
        vertices.extend((0..count).map(rim));
        triangles.extend((0..count).map(|i| [first, first + 1 + i, first + 1 + (i + 1) % count]));
    }
    Shape::mesh(&vertices, &triangles).unwrap()
}

#[test]
fn every_wall_of_needles_within_the_margin_is_known_to_thin_bodies_at_its_distance() {
    let mesh = tank(240);
    let margin = 2.0;
    let sharp = [[0.0, 0.0, 0.6], [0.05, 0.0, -0.2], [-0.03, 0.04, -0.2], [-0.03, -0.04, -0.2]].map(DVec3::from_array);
    let bodies = [
        Shape::cuboid(DVec3::new(1.0, 1.0, 0.02)).unwrap(),
        Shape::cuboid(DVec3::new(0.03, 0.03, 1.0)).unwrap(),
        Shape::capsule(0.015, 1.0).unwrap(),
        Shape::convex(&sharp).unwrap(),
        Shape::cross(0.05).unwrap(),
        Shape::sphere(0.05).unwrap(),
    ];
    let mut random = Random(19);
    let (mut met, mut worst) = (0, 0.0_f64);
    for body in bodies {
        for _ in 0..150 {
            let pose = Pose::new(random.vector(3.4), random.rotation());
            let room = body.aabb(&pose);
            if room.min.min_element() <= -4.0 || room.max.max_element() >= 4.0 {
                continue;
            }
            let points = touch(&body, &pose, &mesh, &Pose::IDENTITY, margin);
            for normal in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]) {
                let clearance =
                    4.0 + if normal.dot(DVec3::ONE) > 0.0 { room.min.dot(normal) } else { room.max.dot(normal) };
                if clearance > 0.99 * margin {
                    continue;
                }
                let wall: Vec<_> = points.iter().filter(|c| (c.normal - normal).length() <= 1e-9).copied().collect();
                let gap = lowest(&wall).unwrap_or(f64::INFINITY);
                worst = worst.max((gap - clearance).abs());
                assert!((gap - clearance).abs() <= 1e-6, "{} {pose:?} {normal} {gap} of {clearance}", body.name());
                met += 1;
            }
        }
    }
    println!("{met} walls, worst {worst:e}");
    assert!(met > 500, "{met}");
}

/// A rod of square section along x.
fn prism(length: f64, half: f64) -> Vec<DVec3> {
    let ends = [-0.5 * length, 0.5 * length];
    let section = [(half, half), (-half, half), (-half, -half), (half, -half)];
    ends.iter().flat_map(|&x| section.map(|(y, z)| DVec3::new(x, y, z))).collect()
}

#[test]
fn soups_of_triangles_do_not_panic() {
    let mut random = Random(15);
    for _ in 0..60 {
        let vertices: Vec<_> = (0..30).map(|_| random.vector(1.0)).collect();
        let triangles: Vec<_> = (0..40)
            .map(|_| [0; 3].map(|_| (random.next() % 30) as u32))
            .filter(|[a, b, c]| a != b && b != c && a != c)
            .collect();
        let Ok(mesh) = Shape::mesh(&vertices, &triangles) else { continue };
        for (body, _) in bodies() {
            for _ in 0..10 {
                let points = touch(&body, &random.pose(1.0), &mesh, &random.pose(0.3), 0.1);
                check_form(&points, 0.1);
            }
        }
    }
}

/// A plate that crosses the plane of a sheet beside its rim and reaches over it lies against none of its triangles,
/// although its middle is on the other side of the plane. It was said to overlap by what it reaches above the sheet:
/// 600 half widths.
#[test]
fn what_reaches_over_a_rim_from_below_is_held_by_no_triangle() {
    let strips = 60;
    let vertices: Vec<DVec3> = (0..=strips)
        .flat_map(|k| [-1.5, 1.5].map(|y| DVec3::new(3.0 * f64::from(k) / f64::from(strips), y, 0.0)))
        .collect();
    let triangles: Vec<[u32; 3]> =
        (0..strips).flat_map(|k| [[2 * k, 2 * k + 2, 2 * k + 1], [2 * k + 1, 2 * k + 2, 2 * k + 3]]).collect();
    let sheet = Shape::mesh(&vertices, &triangles).unwrap();
    let plates = [Shape::cuboid(DVec3::new(1.0, 1.0, 1e-3)).unwrap(), Shape::capsule(2.5e-3, 1.0).unwrap()];
    for (plate, along) in plates.iter().zip([DVec3::X, DVec3::Z]) {
        for angle in [0.2, 0.5, 1.0, 1.4] {
            for beside in [0.01, 0.05, 0.1, 0.2] {
                for below in [0.01, 0.1, 0.2] {
                    let direction = DVec3::new(f64::cos(angle), 0.0, f64::sin(angle));
                    let pose = Pose::new(
                        DVec3::new(-beside, 0.1, 0.0) - below * direction,
                        DQuat::from_rotation_arc(along, direction),
                    );
                    let mut found = Vec::new();
                    granule_geometry::contacts(plate, &pose, &sheet, &Pose::IDENTITY, 0.02, &mut found);
                    // The rim is nearest to the plate's middle plane.
                    let distance = beside * f64::sin(angle) - plate.half_width();
                    assert!(
                        found.iter().all(|c| c.gap >= distance - 1e-12),
                        "{angle} {beside} {below} {distance} {found:?}"
                    );
                    assert!(found.is_empty() == (distance > 0.02), "{angle} {beside} {below} {distance} {found:?}");
                }
            }
        }
    }
}
