//! A mesh holds bodies on either side, whichever way its triangles face: ground whose triangles look down, a solid that
//! is inside out, and a closed tank with bodies in it.
//!
//! Measured: bodies lie within 1.2e-11 of their size of where they should, the same to the last bit whichever way
//! triangles run; overlaps up to 8e-7, and 5.7e-3 for a cube that falls on hills at 60 steps a second.

use glam::{DQuat, DVec3};

use crate::support::{Body, Judge, Results, Scene, cuboid, sphere, stl};

/// Kinds of body, about one `size` large, with the height of the centre of one that lies on a plane.
fn shapes(size: f64) -> Vec<(&'static str, String, f64)> {
    let corner = |x: f64, y: f64, z: f64| format!("{:?}", [x * size, y * size, z * size]);
    let rock =
        [(0.5, 0.4, -0.3), (-0.5, 0.4, -0.3), (-0.5, -0.4, -0.3), (0.5, -0.4, -0.3), (0.2, 0.1, 0.4), (-0.2, 0.2, 0.3)];
    let rock: Vec<_> = rock.iter().map(|&(x, y, z)| corner(x, y, z)).collect();
    vec![
        ("ball", sphere(0.5 * size), 0.5 * size),
        ("cube", cuboid(DVec3::splat(size)), 0.5 * size),
        ("plate", cuboid(DVec3::new(2.0, 2.0, 0.1) * size), 0.05 * size),
        ("cross", format!("cross.edge = {:?}", size / 3.0), 0.5 * size),
        // Its file's origin, which the scene places, is not its centre of mass.
        ("rock", format!("convex.vertices = [{}]", rock.join(", ")), 0.3 * size),
    ]
}

/// Which way the triangles of a mesh run.
fn turned(triangles: &[[DVec3; 3]], inside_out: bool) -> Vec<[DVec3; 3]> {
    triangles.iter().map(|&[a, b, c]| if inside_out { [a, c, b] } else { [a, b, c] }).collect()
}

/// A grid of `cells` by `cells` squares of `step`, of two triangles each, about the origin, at the given heights; looks
/// up.
fn ground(cells: i32, step: f64, height: impl Fn(f64, f64) -> f64) -> Vec<[DVec3; 3]> {
    let at = |i: i32, j: i32| {
        let [x, y] = [i, j].map(|k| step * (f64::from(k) - 0.5 * f64::from(cells)));
        DVec3::new(x, y, height(x, y))
    };
    let squares = (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j)));
    squares
        .flat_map(|(i, j)| {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// The surface of a box from `-half` to `half`, looking outward.
fn closed_box(half: DVec3) -> Vec<[DVec3; 3]> {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let corner = |u: f64, v: f64| {
                let mut p = DVec3::ZERO;
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u * side, v);
                p * half
            };
            let (a, b, c, d) = (corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    triangles
}

/// What a run leaves of a body that falls onto the mesh.
fn fall(mesh: &[[DVec3; 3]], at: DVec3, shape: &str, size: f64, step: f64) -> Results {
    let unit = size.sqrt();
    let mut scene = Scene::new(&format!("duration = {:?}\ntime_step = {:?}", 2.0 * unit, step * unit));
    scene.material("ground", 0.2, 0.5);
    let mut floor = Body::new("ground", "mesh.file = \"ground.stl\"", "ground", DVec3::ZERO);
    floor.kind = "static";
    scene.mesh("ground.stl", stl(mesh));
    scene.body(&floor);
    let mut body = Body::new("body", shape, "ground", at);
    body.orientation = DQuat::from_rotation_z(0.3);
    scene.body(&body);
    scene.run()
}

const SIZES: [f64; 3] = [1e-3, 1.0, 100.0];
const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 240.0, 1.0 / 960.0];

/// Lets every kind of body fall by 0.2 of its size onto a level surface at height 0 that looks either way, and judges
/// where it lies.
fn judge_level(label: &str, surface: impl Fn(f64) -> Vec<[DVec3; 3]>) {
    let mut judge = Judge::default();
    for size in SIZES {
        for (name, shape, height) in shapes(size) {
            for step in STEPS {
                let at = DVec3::new(0.13 * size, -0.21 * size, height + 0.2 * size);
                let [up, down] = [false, true].map(|t| fall(&turned(&surface(size), t), at, &shape, size, step));
                let case = format!("{name} on {label}, {size} m, step {step:.5}");
                let (up_at, down_at) = (up.body("body").at, down.body("body").at);
                if name != "rock" {
                    judge.at_most("height at rest", &case, (down_at.z - height).abs() / size, 1e-2);
                }
                judge.at_most("either way", &case, (down_at - up_at).length() / size, 1e-6);
                judge.at_most("overlap", &case, down.number("/largest_overlap"), 1e-2);
            }
        }
    }
    judge.finish();
}

#[test]
fn bodies_lie_on_ground_whichever_way_its_triangles_face() {
    judge_level("ground", |size| ground(8, 0.7 * size, |_, _| 0.0));
}

#[test]
fn bodies_lie_on_a_solid_that_is_inside_out() {
    judge_level("box", |size| {
        let half = DVec3::new(3.0, 3.0, 1.0) * size;
        closed_box(half).iter().map(|t| t.map(|p| p - DVec3::Z * half.z)).collect()
    });
}

#[test]
fn bodies_in_a_closed_tank_stay_in_it() {
    let mut judge = Judge::default();
    for size in SIZES {
        for (name, shape, _) in shapes(size) {
            for (step, inside_out) in STEPS.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                let tank = turned(&closed_box(DVec3::splat(2.0 * size)), inside_out);
                let ended = fall(&tank, DVec3::new(0.1, -0.2, -1.0) * size, &shape, size, step);
                let case = format!("{name}, {size} m, step {step:.5}, inside out {inside_out}");
                judge.at_most("place", &case, ended.body("body").at.abs().max_element() / size, 2.0);
                judge.at_most("overlap", &case, ended.number("/largest_overlap"), 1e-2);
            }
        }
    }
    judge.finish();
}

#[test]
fn bodies_lie_on_hills_that_face_down() {
    let mut judge = Judge::default();
    for size in SIZES {
        let height = |x: f64, y: f64| 0.4 * size * libm::sin(2.1 * x / size) * libm::cos(1.7 * y / size);
        for (name, shape, _) in shapes(size) {
            for step in STEPS {
                // A rim to keep them on the hills.
                let rim = |x: f64, y: f64| if x.abs().max(y.abs()) > 3.0 * size { 3.0 * size } else { height(x, y) };
                let hills = turned(&ground(14, 0.5 * size, rim), true);
                let ended = fall(&hills, DVec3::new(0.1, -0.2, 1.3) * size, &shape, size, step);
                let case = format!("{name}, {size} m, step {step:.5}");
                let at = ended.body("body").at;
                judge.at_most("depth of the centre", &case, (height(at.x, at.y) - at.z) / size, 0.0);
                judge.at_most("overlap", &case, ended.number("/largest_overlap"), 1e-2);
            }
        }
    }
    judge.finish();
}
