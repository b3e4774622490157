//! Compounds: no contact inside the body, none twice.

use crate::narrow_support::{Random, check_form, lowest, same_points, touch};
use granule_geometry::{Shape, contacts};
use granule_model::{DQuat, DVec3, Pose};

#[test]
fn a_cross_stands_on_four_arms_or_lies_on_them_with_all_outer_corners() {
    let cross = Shape::cross(1.0).unwrap();
    let plane = Shape::half_space(DVec3::Z).unwrap();
    let plate = Shape::cuboid(DVec3::new(9.0, 9.0, 1.0)).unwrap();
    // One arm down: its four corners. On an edge of three arms' tips: the corners that reach lowest.
    let pose = Pose::from_position(DVec3::new(0.0, 0.0, 1.499));
    for (ground, height) in [(&plane, 0.0), (&plate, -0.5)] {
        let points = touch(&cross, &pose, ground, &Pose::from_position(DVec3::Z * height), 0.01);
        assert_eq!(points.len(), 4, "{points:?}");
        assert!(points.iter().all(|c| (c.gap + 0.001).abs() <= 1e-12 && (c.normal - DVec3::Z).length() <= 1e-12));
    }
}

#[test]
fn a_plate_on_two_arms_of_equal_height_touches_each_corner_once() {
    // The top faces of two bars lie in one plane and overlap in the middle square.
    let cross = Shape::compound(vec![
        (Pose::IDENTITY, Shape::cuboid(DVec3::new(3.0, 1.0, 1.0)).unwrap()),
        (Pose::IDENTITY, Shape::cuboid(DVec3::new(1.0, 3.0, 1.0)).unwrap()),
    ])
    .unwrap();
    let small = Shape::cuboid(DVec3::splat(0.6)).unwrap();
    let at = |x: f64| Pose::new(DVec3::new(x, 0.1, 0.799), DQuat::from_rotation_z(0.2));
    // All over the middle square: both bars report the same four corners.
    let points = touch(&small, &at(0.0), &cross, &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 4, "{points:?}");
    check_form(&points, 0.01);
    // Across the border of the square the corners stay four, with the same normal; border points may come with them.
    let points = touch(&small, &at(0.5), &cross, &Pose::IDENTITY, 0.01);
    assert!(points.len() >= 4 && points.iter().all(|c| (c.normal - DVec3::Z).length() <= 1e-12), "{points:?}");
    assert!(points.iter().all(|c| (c.gap + 0.001).abs() <= 1e-12));
}

#[test]
fn a_box_that_slides_over_the_joint_of_two_parts_never_feels_it() {
    // Two bars end to end make one plank; the joint is inside.
    let bar = Shape::cuboid(DVec3::new(2.0, 1.0, 1.0)).unwrap();
    let plank =
        Shape::compound(vec![(Pose::from_position(DVec3::NEG_X), bar.clone()), (Pose::from_position(DVec3::X), bar)])
            .unwrap();
    let small = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    for step in -300..=300 {
        let x = f64::from(step) / 300.0;
        let points = touch(&small, &Pose::from_position(DVec3::new(x, 0.1, 0.745)), &plank, &Pose::IDENTITY, 0.001);
        assert!(points.len() >= 4, "{x}: {points:?}");
        for c in &points {
            assert!((c.normal - DVec3::Z).length() <= 1e-12 && (c.gap + 0.005).abs() <= 1e-12, "{x}: {c:?}");
        }
    }
}

#[test]
fn a_compound_of_one_part_is_that_part() {
    let mut random = Random(31);
    let part = Shape::cuboid(DVec3::new(1.0, 1.2, 0.8)).unwrap();
    let whole = Shape::compound(vec![(Pose::IDENTITY, part.clone())]).unwrap();
    let other = Shape::cuboid(DVec3::new(0.9, 0.7, 1.1)).unwrap();
    let mut met = 0;
    for _ in 0..400 {
        let (pa, pb) = (random.pose(0.6), random.pose(0.6));
        let own = pa.compose(&whole.frame().inverse());
        let (points, expected) = (touch(&whole, &own, &other, &pb, 0.1), touch(&part, &pa, &other, &pb, 0.1));
        if lowest(&expected).is_some_and(|gap| gap < -0.2) {
            continue;
        }
        met += points.len();
        assert!(same_points(&points, &expected, 1.0, 1e-8), "{points:?} {expected:?}");
    }
    assert!(met > 100, "{met}");
}

#[test]
fn no_point_of_two_crosses_lies_inside_either() {
    let cross = Shape::cross(1.0).unwrap();
    let inside = |p: DVec3| {
        let q = p.abs();
        let near = |x: f64, y: f64, z: f64| x < 1.5 - 1e-3 && y < 0.5 - 1e-3 && z < 0.5 - 1e-3;
        near(q.x, q.y, q.z) || near(q.y, q.z, q.x) || near(q.z, q.x, q.y)
    };
    let bars = [DVec3::new(3.0, 1.0, 1.0), DVec3::new(1.0, 3.0, 1.0), DVec3::new(1.0, 1.0, 3.0)]
        .map(|size| Shape::cuboid(size).unwrap());
    let mut random = Random(32);
    let (mut met, mut through) = (0, 0);
    for _ in 0..8000 {
        let (pa, pb) = (random.pose(1.2), random.pose(1.2));
        let points = touch(&cross, &pa, &cross, &pb, 0.05);
        check_form(&points, 0.05);
        // Without the filter: every pair of bars on its own.
        let all: Vec<_> = bars.iter().flat_map(|a| bars.iter().map(move |b| touch(a, &pa, b, &pb, 0.05))).collect();
        let deepest = all.iter().filter_map(|p| lowest(p)).fold(f64::INFINITY, f64::min);
        if deepest < -0.1 {
            continue;
        }
        assert_eq!(points.is_empty(), deepest > 0.05, "deepest {deepest}");
        for c in &points {
            met += 1;
            let (on_a, on_b) = (c.point + 0.5 * c.gap * c.normal, c.point - 0.5 * c.gap * c.normal);
            if inside(pa.inverse_transform_point(on_a)) || inside(pb.inverse_transform_point(on_b)) {
                // Bars so deep in each other that no point of the surface holds them apart are held by one within.
                // Measured -0.025.
                assert!(c.gap < -0.02, "{c:?}");
                through += 1;
            }
        }
    }
    // Measured: 1 of 427.
    assert!(met > 300 && through <= 1, "{met}, of which {through} lie within");
}

/// The piece that touches says how thin the contact is, not the thinnest piece of the body, nor its volume.
#[test]
fn a_contact_is_as_thin_as_the_piece_that_touches() {
    let shape = |size: [f64; 3]| Shape::cuboid(DVec3::from_array(size)).expect("the size is valid");
    // A block with a fin on top; origin of its own axes in the middle of the block.
    let parts = vec![
        (Pose::IDENTITY, shape([1.0, 1.0, 1.0])),
        (Pose::from_position(DVec3::new(0.0, 0.0, 0.9)), shape([1.0, 0.02, 0.8])),
    ];
    let finned = Shape::compound(parts).expect("the parts are valid");
    let own = |position: DVec3| Pose::from_position(position).compose(&finned.frame().inverse());
    let ball = Shape::sphere(0.2).expect("the radius is valid");
    let widths = |position: DVec3| {
        let mut out = Vec::new();
        let at = Pose::from_position(position);
        contacts(&ball, &at, &finned, &own(DVec3::ZERO), 0.05, &mut out);
        contacts(&finned, &own(DVec3::ZERO), &ball, &at, 0.05, &mut out);
        assert_eq!(out.len(), 2, "{position}");
        out.iter().map(|c| c.half_width).collect::<Vec<_>>()
    };
    assert!(widths(DVec3::new(0.0, 0.0, -0.71)).iter().all(|w| *w == 0.2), "the ball is thinner than the block");
    assert!(
        widths(DVec3::new(0.0, 0.21, 1.0)).iter().all(|w| (w - 0.01).abs() <= 1e-15),
        "the fin is thinner than the ball"
    );
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    let on_the_floor = |turn: DQuat| {
        let mut out = Vec::new();
        let pose = Pose::new(DVec3::Z * if turn.w == 1.0 { 0.5 } else { 1.3 }, turn).compose(&finned.frame().inverse());
        contacts(&finned, &pose, &floor, &Pose::IDENTITY, 0.01, &mut out);
        assert_eq!(out.len(), 4);
        out[0].half_width
    };
    assert_eq!(on_the_floor(DQuat::IDENTITY), 0.5);
    assert!((on_the_floor(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)) - 0.01).abs() <= 1e-15);
}
