//! Level-set grains against exact answers: balls and cubes made to grids touch where those without a grid do.

use crate::narrow_support::{Random, check_form, lowest, swapped, touch};
use granule_geometry::{GrainOptions, Shape};
use granule_model::{DQuat, DVec3, Pose};

/// A ball of radius 0.5 m times `scale` on a grid of a tenth of that.
fn ball(nodes: usize, scale: f64) -> Shape {
    let exact = Shape::sphere(0.5 * scale).unwrap();
    Shape::level_set_of(&exact, &GrainOptions { spacing: 0.05 * scale, nodes }).unwrap()
}

fn cube(nodes: usize) -> Shape {
    Shape::level_set_of(&Shape::cuboid(DVec3::ONE).unwrap(), &GrainOptions { spacing: 0.1, nodes }).unwrap()
}

/// A ball stands on one point, straight below its middle, in every orientation.
#[test]
fn a_ball_touches_a_plane_in_one_point_below_its_middle() {
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let mut random = Random(31);
    for nodes in [500, 2500] {
        let ball = ball(nodes, 1.0);
        let (mut worst_gap, mut worst_aside) = (0.0_f64, 0.0_f64);
        for _ in 0..200 {
            let pose = Pose::new(DVec3::new(random.range(-3.0, 3.0), 0.0, 0.501), random.rotation());
            let points = touch(&ball, &pose, &plane, &Pose::IDENTITY, 0.01);
            check_form(&points, 0.01);
            assert_eq!(points.len(), 1, "{points:?}");
            worst_gap = worst_gap.max((points[0].gap - 0.001).abs());
            worst_aside = worst_aside.max((points[0].point - pose.position).truncate().length());
        }
        println!("{nodes} nodes: gap {worst_gap:e}, aside {worst_aside:e}");
        assert!(worst_gap <= 1e-3 && worst_aside <= 1e-2, "{nodes} nodes: gap {worst_gap:e}, aside {worst_aside:e}");
    }
}

#[test]
fn balls_touch_each_other_as_exact_ones_do() {
    let (large, small) = (ball(2500, 1.0), ball(500, 0.25));
    let mut random = Random(32);
    for (a, b, radius_a, radius_b) in [(&large, &large, 0.5, 0.5), (&large, &small, 0.5, 0.125)] {
        let (mut worst_gap, mut worst_turn) = (0.0_f64, 0.0_f64);
        for _ in 0..200 {
            let direction = random.direction();
            let gap = random.range(-2e-3, 2e-3);
            let pose_a = Pose::new(direction * (radius_a + radius_b + gap), random.rotation());
            let pose_b = Pose::new(DVec3::ZERO, random.rotation());
            let points = touch(a, &pose_a, b, &pose_b, 0.005);
            check_form(&points, 0.005);
            assert_eq!(points.len(), 1, "{points:?}");
            worst_gap = worst_gap.max((points[0].gap - gap).abs());
            worst_turn = worst_turn.max((points[0].normal - direction).length());
            let back = swapped(&touch(b, &pose_b, a, &pose_a, 0.005));
            assert!((back[0].gap - points[0].gap).abs() <= 1e-9 && (back[0].point - points[0].point).length() <= 1e-9);
        }
        println!("{radius_b}: gap {worst_gap:e}, turned by {worst_turn:e}");
        assert!(worst_gap <= 1e-3 && worst_turn <= 1e-2, "gap {worst_gap:e}, turned by {worst_turn:e}");
    }
}

#[test]
fn a_cube_stands_on_its_corners() {
    let plane = Shape::half_space(DVec3::Z).unwrap();
    for tilt in [0.0, 1e-3, 1e-2] {
        let pose = Pose::new(DVec3::new(0.3, -0.2, 0.5), DQuat::from_rotation_x(tilt));
        let points = touch(&cube(500), &pose, &plane, &Pose::IDENTITY, 0.02);
        check_form(&points, 0.02);
        for corner in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] {
            let corner = pose.transform_point(DVec3::new(corner[0], corner[1], -0.5));
            let held = points
                .iter()
                .any(|c| (c.point - corner).truncate().length() <= 1e-6 && (c.gap - corner.z).abs() <= 1e-6);
            assert!(held, "tilt {tilt}: {corner} is not among {points:?}");
        }
        println!("{} points, lowest {:?}", points.len(), lowest(&points));
    }
}

#[test]
fn a_cube_on_a_cube_is_held_at_the_corners_of_the_common_square() {
    let cube = cube(500);
    let mut random = Random(33);
    for _ in 0..20 {
        let place = DVec3::new(random.range(-0.5, 0.5), random.range(-0.5, 0.5), 1.0 + 1e-3);
        let points = touch(&cube, &Pose::from_position(place), &cube, &Pose::IDENTITY, 0.01);
        check_form(&points, 0.01);
        let (low, high) = (DVec3::splat(-0.5).max(place - 0.5), DVec3::splat(0.5).min(place + 0.5));
        for corner in [[low.x, low.y], [high.x, low.y], [high.x, high.y], [low.x, high.y]] {
            let nearest = points.iter().map(|c| (c.point.x - corner[0]).hypot(c.point.y - corner[1]));
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            // Where an edge crosses an edge nodes are at most half their distance away.
            assert!(nearest <= 0.05, "{corner:?} is {nearest} from {points:?}");
        }
        let touching = points.iter().filter(|c| c.gap <= 1.5e-3);
        // Measured 1.2e-3 and 5e-5, at the ends of edges between two nodes.
        assert!(touching.clone().all(|c| (c.normal - DVec3::Z).length() <= 3e-3), "{points:?}");
        assert!(touching.clone().all(|c| (c.gap - 1e-3).abs() <= 1e-4) && touching.count() >= 4, "{points:?}");
    }
}

/// Grains of a thousandth of the size, by a power of two, touch in the same points to the last bit.
#[test]
fn scaling_by_a_power_of_two_scales_every_bit() {
    let mut random = Random(34);
    for factor in [0.5_f64.powi(10), 128.0] {
        let (one, other) = (ball(500, 1.0), ball(500, factor));
        for _ in 0..50 {
            let (turn_a, turn_b) = (random.rotation(), random.rotation());
            let place = random.direction() * random.range(0.99, 1.01);
            let points = touch(&one, &Pose::new(place, turn_a), &one, &Pose::new(DVec3::ZERO, turn_b), 0.02);
            let (a, b) = (Pose::new(place * factor, turn_a), Pose::new(DVec3::ZERO, turn_b));
            let scaled = touch(&other, &a, &other, &b, 0.02 * factor);
            assert_eq!(points.len(), scaled.len());
            for (c, d) in points.iter().zip(&scaled) {
                assert_eq!(
                    (c.point * factor, c.normal, c.gap * factor, c.feature),
                    (d.point, d.normal, d.gap, d.feature)
                );
            }
        }
    }
}

/// Spheres, capsules, cuboids, hulls, cylinders and walls meet a level-set ball where they meet an exact one.
#[test]
fn other_shapes_meet_a_grain_where_they_meet_its_ball() {
    let (grain, exact) = (ball(2500, 1.0), Shape::sphere(0.5).unwrap());
    let mut random = Random(35);
    let corners: Vec<_> = (0..12).map(|_| random.direction() * 0.5).collect();
    let others = [
        Shape::sphere(0.3).unwrap(),
        Shape::capsule(0.2, 0.8).unwrap(),
        Shape::cuboid(DVec3::new(0.8, 1.0, 0.6)).unwrap(),
        Shape::convex(&corners).unwrap(),
        Shape::cylinder(0.4, 0.6).unwrap(),
        Shape::cross(0.3).unwrap(),
        Shape::container(DVec3::splat(3.0)).unwrap(),
        Shape::cylindrical_container(1.5, 2.0).unwrap(),
    ];
    for (kind, other) in others.iter().enumerate() {
        let (mut worst, mut met) = (0.0_f64, 0);
        for _ in 0..400 {
            // Deeper, the least way out of a cuboid may lead to another face than that over which a node is lowest.
            let (turn, turn_other) = (random.rotation(), random.rotation());
            let place = if kind < 6 {
                random.direction() * random.range(0.75, 1.05)
            } else {
                turn_other * DVec3::new(random.range(0.0, 0.8), random.range(0.0, 0.8), random.range(0.45, 0.6))
            };
            let (pose, pose_other) = (Pose::new(place, turn), Pose::new(DVec3::ZERO, turn_other));
            let expected = touch(&exact, &pose, other, &pose_other, 0.02);
            let found = touch(&grain, &pose, other, &pose_other, 0.02);
            let Some(gap) = lowest(&expected).filter(|gap| (-0.002..0.015).contains(gap)) else { continue };
            met += 1;
            let lowest = lowest(&found).unwrap_or(f64::INFINITY);
            worst = worst.max((lowest - gap).abs());
        }
        println!("{kind}: {met} met, off by {worst:e}");
        // Measured 2e-5 for round ones and walls; 7e-4 and 1.4e-3, 0.03 of a cell, at edges and rims, over which
        // distances bend within less than the distance of nodes.
        assert!(met >= 3 && worst <= 2e-3, "{kind}: {met} met, off by {worst:e}");
    }
}

/// A rounded rod that leans on one end knows the other before it comes down, though no place there is the lowest.
#[test]
fn a_rod_that_leans_on_one_end_knows_the_other() {
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let exact = Shape::capsule(0.25, 1.0).unwrap();
    let rod = Shape::level_set_of(&exact, &GrainOptions { spacing: 0.05, nodes: 1000 }).unwrap();
    for lean in [0.002, 0.01, 0.015] {
        for turn in [0.0, 1.0, 2.5] {
            let rotation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2 - lean) * DQuat::from_rotation_z(turn);
            let pose = Pose::new(DVec3::Z * (0.25 + 0.5 * libm::sin(lean)), rotation);
            let found = touch(&rod, &pose, &plane, &Pose::IDENTITY, 0.02);
            for end in touch(&exact, &pose, &plane, &Pose::IDENTITY, 0.02) {
                let nearest = |c: &&granule_model::ContactPoint| (c.point - end.point).length();
                let near = found.iter().min_by(|c, d| nearest(c).total_cmp(&nearest(d))).unwrap();
                // A foot is a node, within two distances of nodes (0.05 m) of the end, as high as the ball there is.
                let off = nearest(&near);
                assert!(off <= 0.1, "lean {lean}: {end:?} is not among {found:?}");
                assert!((near.gap - end.gap).abs() <= 1e-3 + off * off / (2.0 * 0.25), "lean {lean}: {end:?} {near:?}");
            }
        }
    }
}

/// A stone of half a metre with hollows and bumps as wide as a fifth of it.
fn stone(nodes: usize) -> Shape {
    let mut surface = Shape::sphere(0.5).unwrap().triangulate(64);
    for v in &mut surface.vertices {
        let d = *v / 0.5;
        let bumps = 0.08 * libm::sin(7.0 * d.x) * libm::cos(6.0 * d.y) + 0.05 * libm::sin(9.0 * d.z + 4.0 * d.x);
        *v *= (1.0 + bumps) * DVec3::new(1.0, 0.8, 0.7);
    }
    let options = GrainOptions { spacing: 0.05, nodes };
    Shape::level_set_mesh(&surface.vertices, &surface.triangles, &options).unwrap()
}

/// Fine nodes of one grain find what coarse ones of both do: a place at which a hollow meets a bump, as every other.
#[test]
fn nodes_of_one_grain_find_all_places() {
    let (fine, coarse) = (stone(2500), stone(400));
    let mut random = Random(38);
    let (mut met, mut worst, mut lost) = (0, 0.0_f64, 0);
    for _ in 0..400 {
        let pose_a = Pose::new(random.direction() * random.range(0.7, 0.95), random.rotation());
        let pose_b = Pose::new(DVec3::ZERO, random.rotation());
        let [one, both] = [&fine, &coarse].map(|stone| touch(stone, &pose_a, stone, &pose_b, 0.03));
        let (Some(gap), Some(expected)) = (lowest(&one), lowest(&both)) else {
            // At the end of the margin one of them may see what the other does not.
            lost += usize::from(lowest(&one).or(lowest(&both)).is_some_and(|gap| gap < 0.02));
            continue;
        };
        if gap.abs().max(expected.abs()) <= 0.03 {
            met += 1;
            worst = worst.max((gap - expected).abs());
        }
    }
    println!("{met} met, lowest gaps differ by {worst:e}, {lost} lost");
    assert!(met > 50 && lost == 0, "{met}, {lost}");
    // Measured 6.2e-3, an eighth of a cell, with nodes of both grains asked as well.
    assert!(worst <= 7e-3, "{worst:e}");
}

/// Faces of cubes on each other touch along their normal, at their own gap, also where edges lie on edges.
#[test]
fn faces_on_each_other_touch_along_their_normal() {
    let exact = Shape::cuboid(DVec3::ONE).unwrap();
    let grain = cube(500);
    let mut random = Random(39);
    for (what, below) in [("grain", &grain), ("cuboid", &exact)] {
        let (mut deepest, mut aside, mut most) = (0.0_f64, 0.0_f64, 0);
        for i in 0..300 {
            let shift = if i % 3 == 0 { 0.0 } else { 0.3 };
            let place = DVec3::new(random.range(-shift, shift), random.range(-shift, shift), 1.0);
            let turn = DQuat::from_scaled_axis(random.vector(1e-5));
            let points = touch(&grain, &Pose::new(place, turn), below, &Pose::IDENTITY, 1e-3);
            deepest = points.iter().map(|c| -c.gap).fold(deepest, f64::max);
            aside = points.iter().map(|c| (c.normal - DVec3::Z).length()).fold(aside, f64::max);
            most = most.max(points.len());
            assert!(points.len() >= 3, "{points:?}");
        }
        println!("{what}: {deepest:e} deep, {aside:e} aside, {most} points");
        // Measured 9.5e-6, of the turn; 1.3e-3, what a direction may lean, and 6.4e-4.
        assert!(deepest <= 2e-5, "{what}: {deepest:e}");
        assert!(aside <= 3e-3, "{what}: {aside:e}");
    }
}
