//! Boxes, highest points and surfaces of every kind of shape, against sampled points of the same surface.

use granule_geometry::{GrainOptions, Primitive, Shape, Surface};
use granule_model::{Aabb, DQuat, DVec3, Pose};
use proptest::prelude::*;

/// One of every bounded kind, all about 1 m in size.
fn bounded_shapes() -> Vec<Shape> {
    let gem = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(1.0, 0.1, 0.0),
        DVec3::new(0.2, 1.0, -0.1),
        DVec3::new(0.1, 0.2, 0.9),
        DVec3::new(0.9, 0.8, 0.7),
    ];
    let lean = Pose::new(DVec3::new(0.3, 0.1, 0.4), DQuat::from_xyzw(0.5, 0.1, -0.4, 0.6).normalize());
    let far = Pose::from_position(DVec3::new(-0.5, 0.0, 0.2));
    let dumbbell = vec![
        (lean, Shape::capsule(0.1, 0.9).unwrap()),
        (far, Shape::sphere(0.3).unwrap()),
        (lean, Shape::convex(&gem).unwrap()),
    ];
    let cross = Shape::cross(0.4).unwrap();
    let drawn = cross.triangulate(3);
    let sheet: Vec<_> = drawn.triangles.iter().step_by(2).copied().collect();
    vec![
        Shape::sphere(0.7).unwrap(),
        Shape::capsule(0.3, 0.8).unwrap(),
        Shape::capsule(0.5, 1e-3).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 0.6, 0.3)).unwrap(),
        Shape::cylinder(0.5, 0.4).unwrap(),
        Shape::cylinder(0.2, 1.1).unwrap(),
        Shape::convex(&gem).unwrap(),
        Shape::compound(dumbbell).unwrap(),
        Shape::mesh(&drawn.vertices, &sheet).unwrap(),
        Shape::closed_mesh(&drawn.vertices, &drawn.triangles).unwrap(),
        cross,
    ]
}

/// Points of the surface in body axes: `count` per triangle of a fine tessellation, spread evenly; `f` maps each.
fn each_sample(surface: &Surface, count: u32, mut f: impl FnMut(DVec3)) {
    for t in &surface.triangles {
        let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
        for k in 0..count {
            // Points of a lattice of the plane, folded into the triangle.
            let u = (0.5 + 0.754877666246693 * f64::from(k)) % 1.0;
            let v = (0.5 + 0.569840290998053 * f64::from(k)) % 1.0;
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            f(a + u * (b - a) + v * (c - a));
        }
        [a, b, c].into_iter().for_each(&mut f);
    }
}

fn pose(q: [f64; 4], p: [f64; 3]) -> Pose {
    let q = DQuat::from_array(q);
    let q = if q.length() > 0.1 { q.normalize() } else { DQuat::IDENTITY };
    Pose::new(DVec3::from_array(p), q)
}

fn shapes() -> &'static [Shape] {
    static SHAPES: std::sync::OnceLock<Vec<Shape>> = std::sync::OnceLock::new();
    SHAPES.get_or_init(bounded_shapes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The box holds the surface, and the surface reaches all its six sides.
    #[test]
    fn boxes_are_tight(q in prop::array::uniform4(-1.0f64..1.0), p in prop::array::uniform3(-5.0f64..5.0)) {
        let pose = pose(q, p);
        for shape in shapes() {
            let bounds = shape.aabb(&pose);
            let surface = shape.triangulate(192);
            let sampled = Aabb::from_points(surface.vertices.iter().map(|&v| pose.transform_point(v)));
            prop_assert!(bounds.padded(2e-6).contains(&sampled), "{} {bounds:?} {sampled:?}", shape.name());
            // Corners of a tessellation of 192 sides lie up to r (1 - cos(pi / 96)) = 5e-4 r inside.
            prop_assert!(sampled.padded(6e-4).contains(&bounds), "{} {bounds:?} {sampled:?}", shape.name());
            let reach = surface.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
            prop_assert!((shape.bounding_radius() - reach).abs() <= 6e-4, "{}", shape.name());
            prop_assert!(reach <= shape.bounding_radius() + 1e-12, "{}", shape.name());
        }
    }

    /// No sampled point over the rectangle is higher; the point found lies over the rectangle and on the surface.
    #[test]
    fn highest_points_beat_brute_force(
        q in prop::array::uniform4(-1.0f64..1.0), p in prop::array::uniform3(-0.4f64..0.4),
        low in prop::array::uniform2(-0.8f64..0.6), size in prop::array::uniform2(0.02f64..0.7))
    {
        let pose = pose(q, p);
        let high = [low[0] + size[0], low[1] + size[1]];
        for shape in shapes() {
            let mut brute: Option<f64> = None;
            each_sample(&shape.triangulate(96), 24, |v| {
                let v = pose.transform_point(v);
                if (0..2).all(|k| (low[k]..=high[k]).contains(&v[k])) {
                    brute = Some(brute.map_or(v.z, |b| b.max(v.z)));
                }
            });
            let found = shape.highest_point(&pose, low, high);
            match (found, brute) {
                (None, None) => {}
                (None, Some(z)) => prop_assert!(false, "{} missed {z}", shape.name()),
                (Some(top), brute) => {
                    prop_assert!((0..2).all(|k| top[k] >= low[k] - 1e-14 && top[k] <= high[k] + 1e-14), "{top}");
                    // Tessellated samples lie on or inside the true surface. Of a cylinder the highest point is that of
                    // a prism of 256 sides, up to 7.6e-5 of its radius inside.
                    let low = if shape.name() == "cylinder" { 7.6e-5 * 0.5 } else { 1e-12 };
                    prop_assert!(brute.is_none_or(|z| z <= top.z + low), "{} {top} below {brute:?}", shape.name());
                    let outside = distance_to_surface(shape, pose.inverse_transform_point(top));
                    // Of a cylinder pictures show a prism of 96 sides, up to 5.4e-4 of its radius inside.
                    let off = if shape.name() == "cylinder" { 5.4e-4 * 0.5 } else { 1e-12 };
                    prop_assert!(outside <= off, "{} {top}: {outside:e} off the surface", shape.name());
                }
            }
        }
    }
}

/// Distance of a point (body axes) from the nearest primitive's surface.
fn distance_to_surface(shape: &Shape, p: DVec3) -> f64 {
    let to_segment = |a: DVec3, b: DVec3| {
        let share = ((p - a).dot(b - a) / (b - a).length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (a + share * (b - a)).distance(p)
    };
    let mut least = f64::INFINITY;
    for primitive in shape.surface() {
        let distance = match primitive {
            Primitive::Sphere { center, radius } => (center.distance(p) - radius).abs(),
            Primitive::Capsule { start, end, radius } => (to_segment(start, end) - radius).abs(),
            Primitive::Plane { normal, offset } => (normal.dot(p) - offset).abs(),
            Primitive::Triangles(surface) => {
                let mut nearest = f64::INFINITY;
                for t in &surface.triangles {
                    let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
                    let n = (b - a).cross(c - a).normalize();
                    let over = [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| n.dot((e - s).cross(p - s)) >= 0.0);
                    let edges = to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a));
                    nearest = nearest.min(if over { n.dot(p - a).abs() } else { edges });
                }
                nearest
            }
        };
        least = least.min(distance);
    }
    least
}

/// The brute force above samples cells that are wide or narrow; here the optimum is known.
#[test]
fn highest_points_of_round_shapes_where_they_are_known() {
    let top = |shape: &Shape, pose: &Pose, min, max| shape.highest_point(pose, min, max).unwrap();
    let ball = Shape::sphere(1.0).unwrap();
    let at = Pose::from_position(DVec3::new(0.0, 0.0, 5.0));
    assert_eq!(top(&ball, &at, [-1.0, -1.0], [1.0, 1.0]), DVec3::new(0.0, 0.0, 6.0));
    assert_eq!(top(&ball, &at, [0.6, -1.0], [1.0, 1.0]), DVec3::new(0.6, 0.0, 5.8));
    assert_eq!(ball.highest_point(&at, [0.8, 0.8], [2.0, 2.0]), None);
    // A capsule along x, and one at 45 degrees in the xz plane, whose flank over x = 0 is r sqrt 2 above its axis.
    let rod = Shape::capsule(0.5, 4.0).unwrap();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let lying = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, half, 0.0, half));
    assert!((top(&rod, &lying, [1.0, 0.3], [1.5, 1.0]).z - 0.4).abs() <= 1e-15);
    let (sin, cos) = libm::sincos(std::f64::consts::FRAC_PI_8);
    let leaning = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, sin, 0.0, cos));
    let p = top(&rod, &leaning, [-0.2, -0.1], [0.0, 0.1]);
    assert!((p - DVec3::new(0.0, 0.0, half)).length() <= 1e-15, "{p}");
    assert!(rod.highest_point(&leaning, [f64::NAN, 0.0], [1.0, 1.0]).is_none());
    assert!(rod.highest_point(&leaning, [1.0, 0.0], [0.0, 1.0]).is_none());
}

/// Over one place a level-set ball has the height of the ball, at any scale, and nothing beside it.
#[test]
fn a_level_set_has_a_height_over_each_place() {
    for unit in [1e-3, 1.0, 100.0] {
        let (radius, spacing) = (unit, 0.1 * unit);
        let ball = Shape::sphere(radius).unwrap();
        let grain = Shape::level_set_of(&ball, &GrainOptions { spacing, nodes: 500 }).unwrap();
        let pose = Pose::new(DVec3::new(3.0, -2.0, 5.0) * unit, DQuat::from_xyzw(0.1, 0.2, 0.3, 0.4).normalize());
        let (mut worst, mut found) = (0.0_f64, 0);
        for i in 0..1000 {
            let share = |k: f64| 2.4 * (libm::fmod(f64::from(i) * k, 1.0) - 0.5);
            let aside = DVec3::new(share(0.618_034), share(0.754_878), 0.0);
            let at = (pose.position + radius * aside).truncate().to_array();
            let top = grain.highest_point(&pose, at, at);
            match aside.length() {
                beside if beside > 1.002 => assert!(top.is_none(), "{aside}: {top:?}"),
                over if over < 0.998 => {
                    let top = top.unwrap_or_else(|| panic!("{aside} is over it"));
                    assert!(top.z > pose.position.z, "{aside}: the lower side");
                    worst = worst.max((top.distance(pose.position) - radius).abs() / spacing);
                    found += 1;
                }
                _ => {}
            }
        }
        // Measured 5.6e-4.
        assert!(found > 400 && worst <= 1e-3, "{worst:e} of the spacing, {found}");
    }
}

#[test]
fn boundless_shapes_have_the_boxes_and_tops_they_can_have() {
    let up = Shape::half_space(DVec3::new(0.0, 0.0, 3.0)).unwrap();
    let at = Pose::from_position(DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(up.aabb(&at), Aabb::new(DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, f64::INFINITY, 3.0)));
    assert!(up.is_unbounded() && !up.has_volume() && up.triangulate(8).triangles.is_empty());
    let slope = Shape::half_space(DVec3::new(-1.0, 0.0, 1.0)).unwrap();
    assert_eq!(slope.aabb(&at), Aabb::EVERYTHING);
    let p = slope.highest_point(&at, [0.0, 0.0], [2.0, 1.0]).unwrap();
    assert!((p.x, p.z) == (2.0, 4.0), "{p}");
    let wall = Shape::half_space(DVec3::X).unwrap();
    assert_eq!(wall.highest_point(&at, [0.0, 0.0], [2.0, 1.0]), None);
    let tray = Shape::container(DVec3::new(2.0, 1.0, 0.5)).unwrap();
    assert_eq!(tray.aabb(&at), Aabb::EVERYTHING);
    assert_eq!(tray.highest_point(&at, [0.0, 0.0], [2.0, 2.5]).unwrap().z, 3.0);
    assert_eq!(tray.highest_point(&at, [4.0, 0.0], [5.0, 2.5]), None);
    assert_eq!(tray.triangulate(8).triangles.len(), 10);
    assert!(tray.is_unbounded());
}

/// The enclosed volume of a tessellation tells its orientation and that it is closed.
#[test]
fn triangulations_enclose_the_volume() {
    for shape in shapes().iter().filter(|s| s.has_volume() && s.name() != "compound") {
        let surface = shape.triangulate(96);
        let closed = Shape::closed_mesh(&surface.vertices, &surface.triangles).unwrap();
        let ratio = closed.mass_properties(1.0).unwrap().volume / shape.mass_properties(1.0).unwrap().volume;
        // Chords of 96 sides lose 1 - sinc(pi / 96)-like 2e-3; flat shapes lose nothing but rounding.
        assert!((0.997..=1.0 + 1e-12).contains(&ratio), "{}: {ratio}", shape.name());
        let volume: f64 = surface
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!(volume > 0.0, "{} is inside out", shape.name());
    }
}

/// A point is solid where one of the half-spaces says so; the planes that are drawn lie on them.
#[test]
fn half_spaces_are_those_that_contacts_see() {
    let normal = DVec3::new(0.6, 0.0, 0.8);
    let plane = Shape::half_space(3.0 * normal).unwrap().half_spaces();
    assert!(plane.len() == 1 && (plane[0].0 - normal).length() <= 1e-15 && plane[0].1 == 0.0, "{plane:?}");
    let size = DVec3::new(4.0, 3.0, 5.0);
    let planes = Shape::container(size).unwrap().half_spaces();
    assert_eq!(planes.len(), 5);
    let is_solid = |p: DVec3| planes.iter().any(|(n, d)| n.dot(p) <= *d);
    for (point, solid) in [
        (0.5 * size, false),
        (DVec3::new(2.0, 1.5, 99.0), false),
        (DVec3::new(2.0, 1.5, -0.1), true),
        (DVec3::new(-0.1, 1.5, 1.0), true),
        (DVec3::new(4.1, 1.5, 1.0), true),
        (DVec3::new(2.0, -0.1, 1.0), true),
        (DVec3::new(2.0, 3.1, 1.0), true),
    ] {
        assert_eq!(is_solid(point), solid, "{point}");
    }
    assert!(bounded_shapes().iter().all(|shape| shape.half_spaces().is_empty()));
}

/// A surface with corners drawn together keeps no memory of those that it had: who draws keeps one for each body.
#[test]
fn clustered_surfaces_take_what_they_hold() {
    let fine = Shape::sphere(0.7).unwrap().triangulate(192);
    let coarse = fine.clustered(0.2);
    println!(
        "{} triangles of {}, room for {}",
        coarse.triangles.len(),
        fine.triangles.len(),
        coarse.triangles.capacity()
    );
    assert!(10 * coarse.triangles.len() < fine.triangles.len());
    assert_eq!(coarse.triangles.capacity(), coarse.triangles.len());
    assert_eq!(coarse.vertices.capacity(), coarse.vertices.len());
}
