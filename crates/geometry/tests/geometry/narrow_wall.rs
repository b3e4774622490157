//! Round walls seen from inside: gaps against brute force and closed forms.

use crate::narrow_support::{Random, check_form, lowest, touch};
use granule_geometry::Shape;
use granule_model::{DQuat, DVec3, Pose};

/// The smallest gap of a cylinder is that of the farthest of many points of its rims, and never more.
#[test]
fn the_rims_of_a_cylinder_are_as_near_as_their_nearest_points() {
    let mut random = Random(0xD4);
    let drum = Shape::drum(1.0, 100.0).expect("the lengths are valid");
    let (mut worst, mut two) = (0.0_f64, 0);
    for _ in 0..2000 {
        let (radius, half) = (random.range(0.05, 0.6), random.range(0.02, 0.5));
        let shape = Shape::cylinder(radius, 2.0 * half).expect("the lengths are valid");
        let pose = Pose::new(random.vector(0.5), random.rotation());
        let points = touch(&shape, &pose, &drum, &Pose::IDENTITY, 10.0);
        check_form(&points, 10.0);
        let farthest = (0..2000)
            .map(|i| {
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / 1000.0);
                let end = if i < 1000 { half } else { -half };
                let p = pose.transform_point(DVec3::new(radius * cos, radius * sin, end));
                p.x.hypot(p.y)
            })
            .fold(0.0, f64::max);
        let wall: Vec<_> = points.iter().filter(|c| c.normal.z.abs() < 0.5).collect();
        two += usize::from(wall.len() > 2);
        let gap = wall.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        // A sample misses the farthest point of a rim by r (1 - cos(pi / 1000)) = 5e-6 r at most, times its slope.
        worst = worst.max((1.0 - farthest) - gap);
        assert!(gap <= 1.0 - farthest + 1e-12, "{gap} {farthest}");
        assert!(gap >= 1.0 - farthest - 3e-5, "{gap} {farthest}");
    }
    println!("samples miss at most {worst:e}; {two} with two points of a rim");
    assert!(two > 20, "{two}");
}

/// Ball, capsule and cuboid, in closed form; a disc that stands in a lying drum touches at two points of each rim.
#[test]
fn what_lies_in_a_drum_has_its_closed_form() {
    let drum = Shape::drum(1.0, 4.0).expect("the lengths are valid");
    let at = |shape: &Shape, pose: Pose| touch(shape, &pose, &drum, &Pose::IDENTITY, 0.05);
    let ball = at(&Shape::sphere(0.1).expect("valid"), Pose::from_position(DVec3::new(0.6, 0.65, 0.3)));
    let expected = 1.0 - 0.6_f64.hypot(0.65) - 0.1;
    assert!((ball[0].gap - expected).abs() <= 1e-15, "{ball:?}");
    assert!((ball[0].normal + DVec3::new(0.6, 0.65, 0.0).normalize()).length() <= 1e-15, "{ball:?}");
    let across = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let rod = Pose::new(DVec3::new(0.0, 0.62, 0.0), across);
    let rod = at(&Shape::capsule(0.1, 1.2).expect("valid"), rod);
    assert_eq!(rod.len(), 2);
    let expected = 1.0 - 0.6_f64.hypot(0.62) - 0.1;
    assert!(rod.iter().all(|c| (c.gap - expected).abs() <= 1e-15), "{rod:?}");
    // Its axis along the drum's: one point of each rim.
    let log = at(&Shape::cylinder(0.3, 1.0).expect("valid"), Pose::from_position(DVec3::new(0.0, -0.69, 0.2)));
    assert_eq!(log.len(), 2);
    assert!(log.iter().all(|c| (c.gap - 0.01).abs() <= 1e-15 && (c.normal - DVec3::Y).length() <= 1e-12), "{log:?}");
    // Its axis up, across the drum's: each rim has two.
    let disc = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let disc = at(&Shape::cylinder(0.6, 0.2).expect("valid"), Pose::new(DVec3::new(0.0, -0.67, 0.0), disc));
    let gap = 1.0 - 0.6_f64.hypot(0.77);
    assert_eq!(disc.len(), 2, "{disc:?}");
    assert!((lowest(&disc).expect("it touches") - gap).abs() <= 1e-12, "{disc:?} {gap}");
}
