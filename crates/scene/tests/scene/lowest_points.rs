//! Rough pebbles over a plane and against each other: the lowest contact is the lowest point of the surface, also where
//! that lies between nodes on a bump that is narrower than their distance.

use granule_geometry::{Shape, contacts};
use granule_model::{ContactPoint, DQuat, DVec3, Pose};

use crate::pebbles::pebbles;
use crate::spread::{direction, turn};

/// Points of the surface as contacts see it, from those of a picture: a tiny ball is asked how far off each is.
fn surface(grain: &Shape) -> Vec<DVec3> {
    let radius = 1e-4 * grain.equivalent_radius();
    let ball = Shape::sphere(radius).expect("the radius is valid");
    let mut points = grain.triangulate(32).vertices;
    for point in &mut points {
        for _ in 0..5 {
            let mut found = Vec::new();
            let pose = Pose::new(*point, DQuat::IDENTITY);
            contacts(grain, &Pose::IDENTITY, &ball, &pose, 100.0 * radius, &mut found);
            if let Some(touch) = found.iter().min_by(|c, d| c.gap.total_cmp(&d.gap)) {
                *point += (touch.gap + radius) * touch.normal;
            }
        }
    }
    points
}

#[test]
fn the_lowest_point_of_a_rough_pebble_is_found() {
    let scene = pebbles("2.0", 500);
    let plane = Shape::half_space(DVec3::Z).expect("the normal is valid");
    let (mut missed, mut worst, mut asked) = (0, 0.0_f64, 0);
    for grain in &scene.bodies {
        let (surface, radius) = (surface(&grain.shape), grain.shape.equivalent_radius());
        for i in 0..50 {
            let share = |k: f64| libm::fmod(f64::from(i) * k, 1.0) - 0.5;
            let turn = DQuat::from_xyzw(share(0.618_034), share(0.754_878), share(0.569_840), share(0.819_173));
            let turn = turn.normalize();
            let low = surface.iter().map(|v| (turn * *v).z).fold(f64::INFINITY, f64::min);
            let pose = Pose::new(DVec3::Z * (0.01 * radius - low), turn);
            let mut found = Vec::new();
            contacts(&plane, &Pose::IDENTITY, &grain.shape, &pose, 0.05 * radius, &mut found);
            let gap = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            let off = gap / radius - 0.01;
            worst = worst.max(off);
            (missed, asked) = (missed + usize::from(off > 2e-3), asked + 1);
        }
    }
    println!("{missed} of {asked} missed, worst {worst:e}");
    // Measured 4, by up to 7.0e-3, on ridges; without valleys 8, and with descents that begin at the lowest nodes alone
    // and end where slopes lead to and fro 19, by up to 8.9e-3.
    assert!(missed <= 6, "{missed} of {asked} missed, worst {worst:e}");
}

/// Points on the surface, in grid axes \[m\]: `SIDES` along each side of the triangles of its contour.
fn dense(shape: &Shape) -> Vec<DVec3> {
    const SIDES: u32 = 3;
    let field = shape.distance_field().expect("a grain");
    let surface = shape.triangulate(1);
    let mut points = Vec::new();
    for corners in &surface.triangles {
        let [a, b, c] = corners.map(|i| surface.vertices[i as usize]);
        for (i, j) in (0..SIDES).flat_map(|i| (0..SIDES - i).map(move |j| (i, j))) {
            let [u, v] = [i, j].map(|k| (f64::from(k) + 1.0 / 3.0) / f64::from(SIDES));
            let point = field.frame().inverse_transform_point(a + u * (b - a) + v * (c - a));
            let distance = field.at(point).expect("a point at the surface");
            points.push(point - distance.value * distance.outward);
        }
    }
    points
}

/// The least distance of `points` of the first shape from the second \[m\].
fn least((a, pose_a, points): (&Shape, &Pose, &[DVec3]), (b, pose_b): (&Shape, &Pose)) -> f64 {
    /// What interpolation between nodes of the grid may be off by, in cells.
    const OFF: f64 = 1.0;
    let [field, other] = [a, b].map(|shape| shape.distance_field().expect("a grain"));
    points.iter().fold(f64::INFINITY, |least, point| {
        let at = pose_b.inverse_transform_point(pose_a.transform_point(field.frame().transform_point(*point)));
        let at = other.frame().inverse_transform_point(at);
        let is_near = other.value(at).is_some_and(|value| value <= least + OFF * other.spacing());
        let exact = if is_near { other.at(at) } else { None };
        exact.map_or(least, |distance| least.min(distance.value))
    })
}

fn lowest(found: &[ContactPoint]) -> f64 {
    found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
}

/// Two pebbles in the `i`-th poses, brought together along a line until a search says that they overlap by 0.2 % of the
/// smaller radius; how much lower than it says a dense look finds them, over that radius.
fn missed(shapes: [&Shape; 2], points: [&[DVec3]; 2], i: u32) -> f64 {
    let [a, b] = shapes;
    let radius = a.equivalent_radius().min(b.equivalent_radius());
    let (way, pose_b) = (direction(i, [4, 5, 6]), Pose::new(DVec3::ZERO, turn(i, 4)));
    let mut pose_a = Pose::new(-(4.0 * radius) * way, turn(i, 0));
    let mut found = Vec::new();
    for margin in [6.0, 0.2, 0.1, 0.05, 0.05] {
        found.clear();
        contacts(a, &pose_a, b, &pose_b, margin * radius, &mut found);
        pose_a.position += (lowest(&found).min(0.5 * margin * radius) + 0.002 * radius) * way;
    }
    found.clear();
    contacts(a, &pose_a, b, &pose_b, 0.02 * radius, &mut found);
    let sides = [least((a, &pose_a, points[0]), (b, &pose_b)), least((b, &pose_b, points[1]), (a, &pose_a))];
    // Over a hollow the points of one body are nearer to the other than the points of that one are to it.
    (lowest(&found).min(0.02 * radius) - sides[0].max(sides[1])) / radius
}

#[test]
fn the_lowest_point_of_two_pebbles_is_found() {
    const POSES: u32 = 400;
    let scene = pebbles("{ uniform = { min = 2.0, max = 3.0 } }", 500);
    let shapes: Vec<&Shape> = scene.bodies.iter().map(|body| &body.shape).collect();
    let points: Vec<Vec<DVec3>> = shapes.iter().map(|shape| dense(shape)).collect();
    let mut off = Vec::new();
    for k in 0..8 {
        let pair = [k, (k + 3) % 8];
        let (pair, points) = (pair.map(|i| shapes[i]), pair.map(|i| points[i].as_slice()));
        off.extend((1..=POSES).map(|i| missed(pair, points, i + 10_000 * k as u32)));
    }
    off.sort_by(|x, y| y.total_cmp(x));
    let beyond = |share: f64| off.iter().filter(|x| **x > share).count();
    println!("of {} beyond 0.1 %: {}, 0.2 %: {}, highest {:.5?}", off.len(), beyond(1e-3), beyond(2e-3), &off[..6]);
    // Measured 2 and 1, by 2.4e-3 at most; without valleys 8 and 6, by up to 8.4e-3.
    assert!(off.len() == 3200 && beyond(1e-3) <= 3 && beyond(2e-3) <= 2 && off[0] <= 5e-3, "{:?}", &off[..8]);
    // Were the dense look coarse, nothing would be missed: half of all lowest points it finds to 4.5e-4.
    assert!(off[off.len() / 2] >= -6e-4, "{:?}", off[off.len() / 2]);
}
