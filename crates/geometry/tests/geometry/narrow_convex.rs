//! Convex polyhedra, capsules and balls against each other: signed distance by independent routes.

use crate::narrow_support::{Random, check_form, lowest, same_points, swapped, touch};
use granule_geometry::{Shape, contacts};
use granule_model::{DQuat, DVec3, Pose};

fn box_corners(half: DVec3) -> Vec<DVec3> {
    (0..8)
        .map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        })
        .collect()
}

fn prism(corners: u32, radius: f64, height: f64) -> Vec<DVec3> {
    (0..corners)
        .flat_map(|k| {
            let (s, c) = libm::sincos(f64::from(k) * std::f64::consts::TAU / f64::from(corners));
            [0.5, -0.5].map(|z| DVec3::new(radius * c, radius * s, z * height))
        })
        .collect()
}

/// The pose of the body axes of `shape` when its own axes are at `pose`.
fn body_pose(shape: &Shape, pose: &Pose) -> Pose {
    pose.compose(&shape.frame().inverse())
}

#[test]
fn hulls_of_boxes_meet_as_boxes_do() {
    let mut random = Random(2);
    let (mut met, mut worst) = (0, 0.0_f64);
    for _ in 0..4000 {
        let half = |r: &mut Random| DVec3::from_array([0; 3].map(|_| r.range(0.2, 1.0)));
        let (ha, hb) = (half(&mut random), half(&mut random));
        let (pa, pb) = (random.pose(0.9), random.pose(0.9));
        let (a, b) = (Shape::cuboid(2.0 * ha).unwrap(), Shape::cuboid(2.0 * hb).unwrap());
        let (ca, cb) = (Shape::convex(&box_corners(ha)).unwrap(), Shape::convex(&box_corners(hb)).unwrap());
        let size = ha.length() + hb.length();
        let margin = 0.1 * size;
        let expected = touch(&a, &pa, &b, &pb, margin);
        if lowest(&expected).is_some_and(|gap| gap < -0.1 * size) {
            continue;
        }
        for (x, px, y, py) in [
            (&ca, body_pose(&ca, &pa), &cb, body_pose(&cb, &pb)),
            (&a, pa, &cb, body_pose(&cb, &pb)),
            (&ca, body_pose(&ca, &pa), &b, pb),
        ] {
            let points = touch(x, &px, y, &py, margin);
            check_form(&points, margin);
            assert_eq!(points.is_empty(), expected.is_empty());
            if let (Some(one), Some(other)) = (lowest(&points), lowest(&expected)) {
                // Measured: at most 1.3e-15 of the size.
                worst = worst.max((one - other).abs() / size);
                assert!((one - other).abs() <= 1e-9 * size, "{one} for {other}");
                met += 1;
            }
        }
    }
    println!("pairs {met}, worst {worst:e}");
    assert!(met > 3000, "{met}");
}

fn cloud(random: &mut Random, count: usize) -> Vec<DVec3> {
    (0..count).map(|_| random.direction() * random.range(0.5, 1.0)).collect()
}

/// Least separation over many directions bounds the depth from above (all corners projected).
fn separation(a: &[DVec3], b: &[DVec3], axis: DVec3) -> f64 {
    let low = a.iter().map(|p| p.dot(axis)).fold(f64::INFINITY, f64::min);
    let high = b.iter().map(|p| p.dot(axis)).fold(f64::NEG_INFINITY, f64::max);
    low - high
}

#[test]
fn random_hulls_are_parted_by_the_normal_and_by_no_shorter_way() {
    let mut random = Random(3);
    let mut met = 0;
    for _ in 0..1500 {
        let (va, vb) = (cloud(&mut random, 14), cloud(&mut random, 20));
        let (a, b) = (Shape::convex(&va).unwrap(), Shape::convex(&vb).unwrap());
        let (pa, pb) = (random.pose(0.9), random.pose(0.9));
        let points = touch(&a, &body_pose(&a, &pa), &b, &body_pose(&b, &pb), 0.2);
        check_form(&points, 0.2);
        let (wa, wb): (Vec<_>, Vec<_>) =
            (va.iter().map(|&p| pa.transform_point(p)).collect(), vb.iter().map(|&p| pb.transform_point(p)).collect());
        let Some(gap) = lowest(&points) else {
            let best = (0..200).map(|_| separation(&wa, &wb, random.direction())).fold(f64::NEG_INFINITY, f64::max);
            let centres = separation(&wa, &wb, (pa.position - pb.position).normalize());
            assert!(best.max(centres) > -0.3, "lost while {best} {centres}");
            continue;
        };
        met += 1;
        let normal = points[0].normal;
        // Faces of a hull are flat to 1e-6 of its size, of these clouds far better: hence 1e-8, not rounding.
        // The gap is the separation along the normal, and no direction separates better (or parts by less).
        assert!((separation(&wa, &wb, normal) - gap).abs() <= 1e-8, "{} {gap}", separation(&wa, &wb, normal));
        for _ in 0..300 {
            let tilt = random.range(0.0, 0.5);
            let near = (normal + random.vector(tilt)).normalize();
            assert!(separation(&wa, &wb, near) <= gap + 1e-9);
            assert!(separation(&wa, &wb, random.direction()) <= gap + 1e-9);
        }
        let back = touch(&b, &body_pose(&b, &pb), &a, &body_pose(&a, &pa), 0.2);
        assert!(same_points(&points, &swapped(&back), 1.0, 1e-8), "{points:?} {back:?}");
    }
    assert!(met > 700, "{met}");
}

#[test]
fn a_prism_flat_on_a_plate_keeps_every_corner_of_its_rim() {
    let plate = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap();
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let box_mesh = Shape::mesh(
        &[[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]].map(|[x, y]| DVec3::new(x, y, 0.0)),
        &[[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    for count in [3, 5, 12, 20, 40] {
        let shape = Shape::convex(&prism(count, 1.0, 1.0)).unwrap();
        let pose = body_pose(&shape, &Pose::from_position(DVec3::new(0.1, 0.2, 0.499)));
        for (ground, height) in [(&plate, -0.5), (&plane, 0.0), (&box_mesh, 0.0)] {
            let points = touch(&shape, &pose, ground, &Pose::from_position(DVec3::new(0.0, 0.0, height)), 0.01);
            check_form(&points, 0.01);
            assert_eq!(points.len(), count as usize, "{} of {count}: {points:?}", ground.name());
            for c in &points {
                assert!((c.gap + 0.001).abs() <= 1e-12 && (c.normal - DVec3::Z).length() <= 1e-12, "{c:?}");
            }
        }
    }
}

#[test]
fn capsules_lie_on_boxes_with_both_ends() {
    let capsule = Shape::capsule(0.5, 2.0).unwrap();
    let plate = Shape::cuboid(DVec3::new(4.0, 4.0, 1.0)).unwrap();
    let hull = Shape::convex(&box_corners(DVec3::new(2.0, 2.0, 0.5))).unwrap();
    let flat = Pose::new(DVec3::new(0.0, 0.3, 0.999), DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    let upright = Pose::from_position(DVec3::new(0.0, 0.3, 1.999));
    for (ground, pose) in [(&plate, Pose::IDENTITY), (&hull, body_pose(&hull, &Pose::IDENTITY))] {
        let lying = touch(&capsule, &flat, ground, &pose, 0.1);
        assert_eq!(lying.len(), 2, "{lying:?}");
        for c in lying.iter().chain(&touch(&capsule, &upright, ground, &pose, 0.1)) {
            assert!((c.gap + 0.001).abs() <= 1e-12 && (c.normal - DVec3::Z).length() <= 1e-12, "{c:?}");
        }
        assert_eq!(touch(&capsule, &upright, ground, &pose, 0.1).len(), 1);
    }
}

/// A capsule is the union of the balls along its core, and so is its distance to anything.
#[test]
fn capsules_are_as_near_as_the_nearest_of_their_balls() {
    let mut random = Random(4);
    let (radius, length) = (0.3, 1.4);
    let capsule = Shape::capsule(radius, length).unwrap();
    let ball = Shape::sphere(radius).unwrap();
    let others = [
        Shape::cuboid(DVec3::new(1.0, 1.6, 0.7)).unwrap(),
        Shape::convex(&cloud(&mut random, 16)).unwrap(),
        Shape::capsule(0.2, 1.0).unwrap(),
        Shape::sphere(0.6).unwrap(),
        Shape::half_space(DVec3::Z).unwrap(),
    ];
    for other in &others {
        let mut met = 0;
        for _ in 0..600 {
            let (pa, pb) = (random.pose(1.0), random.pose(1.0));
            let points = touch(&capsule, &pa, other, &pb, 0.3);
            check_form(&points, 0.3);
            let mut balls = Vec::new();
            for step in 0..=400 {
                let z = length * (f64::from(step) / 400.0 - 0.5);
                let place = Pose::from_position(pa.transform_point(DVec3::new(0.0, 0.0, z)));
                contacts(&ball, &place, other, &pb, 0.3, &mut balls);
            }
            // A core that pierces the other body has no direction that a ball would know.
            if lowest(&balls).is_some_and(|gap| gap < -0.9 * radius) {
                continue;
            }
            match (lowest(&points), lowest(&balls)) {
                // Sampling misses the lowest point by at most half a step, second order at a smooth minimum.
                (Some(gap), Some(sampled)) => {
                    met += 1;
                    assert!(gap <= sampled + 1e-12 && sampled - gap <= 0.5 * length / 400.0, "{gap} {sampled}");
                }
                (None, Some(sampled)) => panic!("lost {} at {sampled}", other.name()),
                (Some(gap), None) => assert!(gap >= 0.3 - 0.5 * length / 400.0, "{gap}"),
                (None, None) => {}
            }
        }
        assert!(met > 100, "{} {met}", other.name());
    }
}

#[test]
fn balls_meet_hulls_as_they_meet_boxes() {
    let mut random = Random(6);
    let half = DVec3::new(0.8, 0.5, 1.1);
    let (cuboid, hull) = (Shape::cuboid(2.0 * half).unwrap(), Shape::convex(&box_corners(half)).unwrap());
    let ball = Shape::sphere(0.4).unwrap();
    let mut met = 0;
    for _ in 0..3000 {
        let (pa, pb) = (Pose::from_position(random.vector(1.4)), random.pose(0.3));
        let expected = touch(&ball, &pa, &cuboid, &pb, 0.2);
        let points = touch(&ball, &pa, &hull, &body_pose(&hull, &pb), 0.2);
        assert_eq!(points.len(), expected.len());
        for (c, d) in points.iter().zip(&expected) {
            met += 1;
            assert!((c.gap - d.gap).abs() <= 1e-12, "{c:?} {d:?}");
        }
    }
    assert!(met > 1000, "{met}");
}
