//! What went through a mesh between two poses is told, with the side that it came from; what went round it or stayed is
//! not.

use crate::narrow_support::{Random, check_form};
use granule_geometry::{Shape, passage};
use granule_model::{DQuat, DVec3, Pose};

/// A square of 4 by 4 in the plane z = 0, of `count` needles about a point off its middle, and one more square at z =
/// -1.
fn needles(count: u32) -> Shape {
    let rim = |i: u32| {
        let t = 4.0 * f64::from(i % count) / f64::from(count);
        let (side, along) = (t.floor() as i32, 4.0 * (t - t.floor()) - 2.0);
        match side {
            0 => [along, -2.0],
            1 => [2.0, along],
            2 => [-along, 2.0],
            _ => [-2.0, -along],
        }
    };
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for z in [0.0, -1.0] {
        let first = vertices.len() as u32;
        vertices.push(DVec3::new(0.13, -0.07, z));
        vertices.extend((0..count).map(|i| DVec3::new(rim(i)[0], rim(i)[1], z)));
        triangles.extend((0..count).map(|i| [first, first + 1 + i, first + 1 + (i + 1) % count]));
    }
    Shape::mesh(&vertices, &triangles).unwrap()
}

fn bodies() -> Vec<(Shape, f64)> {
    let tetrahedron =
        [[0.0, 0.0, 0.8], [0.05, 0.0, 0.0], [-0.03, 0.04, 0.0], [-0.03, -0.04, 0.0]].map(DVec3::from_array);
    vec![
        (Shape::sphere(0.05).unwrap(), 0.05),
        (Shape::capsule(0.02, 1.0).unwrap(), 0.52),
        (Shape::cuboid(DVec3::new(1.0, 1.0, 0.02)).unwrap(), 0.71),
        (Shape::convex(&tetrahedron).unwrap(), 0.7),
        (Shape::cross(0.1).unwrap(), 0.3),
    ]
}

#[test]
fn what_went_through_is_told_however_thin_and_fast() {
    let mesh = needles(240);
    let mut random = Random(31);
    for (body, reach) in bodies() {
        for _ in 0..500 {
            let ground = [random.pose(1.0), random.pose(1.0)];
            let side = if random.next().is_multiple_of(2) { 1.0 } else { -1.0 };
            // From above the upper square to below it, or back, ends clear of both.
            let [start, end] = [1.0, -0.5].map(|z| DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), z));
            let [start, end] = if side > 0.0 { [start, end] } else { [end, start] };
            let poses = [(start, ground[0]), (end, ground[1])]
                .map(|(at, ground)| Pose::new(ground.transform_point(at), random.rotation()));
            let found = passage(&body, [&poses[0], &poses[1]], &mesh, [&ground[0], &ground[1]]).unwrap();
            check_form(&[found], 0.0);
            let normal = ground[1].rotation * (side * DVec3::Z);
            assert!((found.normal - normal).length() <= 1e-12, "{found:?}");
            let beyond = if side > 0.0 { 0.5 } else { 1.0 };
            assert!((-found.gap - beyond).abs() <= reach + 1e-9, "{found:?} {beyond}");
            let back = passage(&mesh, [&ground[0], &ground[1]], &body, [&poses[0], &poses[1]]).unwrap();
            assert_eq!(back.swapped(), found);
        }
    }
}

#[test]
fn what_stayed_or_went_round_is_not() {
    let mesh = needles(240);
    let mut random = Random(32);
    for (body, _) in bodies() {
        for _ in 0..500 {
            let at = |z: f64, random: &mut Random| {
                let place = DVec3::new(random.range(-3.0, 3.0), random.range(-3.0, 3.0), z);
                Pose::new(place, random.rotation())
            };
            let (z, round) = (random.range(0.25, 0.7), DVec3::X * 6.0);
            let stays = [at(z, &mut random), at(z, &mut random)];
            assert_eq!(passage(&body, [&stays[0], &stays[1]], &mesh, [&Pose::IDENTITY; 2]), None);
            let past = [at(z, &mut random), at(-z, &mut random)].map(|p| Pose::new(p.position + round, p.rotation));
            assert_eq!(passage(&body, [&past[0], &past[1]], &mesh, [&Pose::IDENTITY; 2]), None);
        }
    }
}

/// Thin bodies that come out on the other side of a plate; where they go round it, or only roll on it, nothing is told.
#[test]
fn convex_bodies_that_went_through_each_other_are_told() {
    let plate = Shape::cuboid(DVec3::new(2.0, 2.0, 2e-3)).unwrap();
    let mut random = Random(33);
    let (mut through, mut round) = (0, 0);
    for (body, reach) in bodies() {
        for _ in 0..300 {
            let ground = [random.pose(1.0), random.pose(1.0)];
            let turn = random.rotation();
            // It turns a little on its way, ends clear of the plate on both sides.
            let turned =
                DQuat::from_scaled_axis(0.3 * DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0)) * turn;
            let [x, y] = [0, 1].map(|_| random.range(-0.3, 0.3));
            let along = |x: f64, z: f64| DVec3::new(x, y, z);
            let way = |from: DVec3, to: DVec3| {
                [(from, ground[0], turn), (to, ground[0], turned)]
                    .map(|(at, ground, turn)| Pose::new(ground.transform_point(at), ground.rotation * turn))
            };
            let still = [&ground[0], &ground[0]];
            let poses = way(along(x, reach + 0.2), along(-x, -reach - 0.3));
            let found = passage(&body, [&poses[0], &poses[1]], &plate, still).unwrap();
            check_form(&[found], 0.0);
            assert!(found.gap <= -found.half_width, "{found:?}");
            let normal = ground[0].rotation.conjugate() * found.normal;
            assert!(normal.z > 0.9, "{normal}");
            // The normal is that seen from the second body, which has turned.
            let back = passage(&plate, still, &body, [&poses[0], &poses[1]]).unwrap().swapped();
            assert!((back.gap - found.gap).abs() <= 1e-9 && back.normal.dot(found.normal) > 0.9, "{back:?} {found:?}");
            through += 1;
            for (from, to) in [(along(3.0, reach), along(3.0, -reach)), (along(x, reach + 0.1), along(-x, reach + 0.5))]
            {
                let poses = way(from, to);
                assert_eq!(passage(&body, [&poses[0], &poses[1]], &plate, still), None);
                round += 1;
            }
        }
    }
    assert_eq!((through, round), (1500, 3000));
    // A rod that rolls over a plate, turning by three quarters about its length, sinks in with its edges and goes
    // through nothing.
    let rod = Shape::cuboid(DVec3::new(1.0, 5e-3, 5e-3)).unwrap();
    let rolled = |angle: f64| Pose::new(DVec3::Z * 3.6e-3, DQuat::from_rotation_x(angle));
    for angle in [0.8, 1.6, 2.4] {
        assert_eq!(passage(&rod, [&rolled(0.1), &rolled(0.1 + angle)], &plate, [&Pose::IDENTITY; 2]), None);
    }
}
