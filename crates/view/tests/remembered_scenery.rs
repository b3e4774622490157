//! A renderer that remembers static ground draws, to the byte, what [`render`] draws, which remembers nothing.

use granule_engine::{BodySnapshot, Snapshot};
use granule_geometry::{Primitive, Shape};
use granule_model::{Aabb, BodyId, BodyKind, DVec3, Pose, Velocity};
use granule_view::{Camera, RenderOptions, Renderer, render};

/// Places of static bodies that are taken away.
const BLOCK: usize = 2;
const WALL: usize = 6;
/// Place of the first grain.
const GRAINS: usize = 8 + LIDS;
/// Number of small blocks and their lids.
const LIDS: usize = 40;

fn body(kind: BodyKind, shape: Shape, position: DVec3) -> BodySnapshot {
    let mass = if kind == BodyKind::Dynamic { 1.0 } else { 0.0 };
    BodySnapshot {
        id: BodyId::new(0, 0, 0),
        name: String::new(),
        kind,
        shape,
        pose: Pose::from_position(position),
        velocity: Velocity::ZERO,
        mass,
        contacts: 0,
        present: true,
    }
}

fn cuboid(kind: BodyKind, size: [f64; 3], position: [f64; 3]) -> BodySnapshot {
    body(kind, Shape::cuboid(DVec3::from_array(size)).expect("a size"), DVec3::from_array(position))
}

/// 3200 triangles: enough to be remembered.
fn waves() -> Shape {
    let vertices: Vec<DVec3> = (0..41 * 41_u32)
        .map(|k| {
            let (x, y) = (f64::from(k % 41), f64::from(k / 41));
            DVec3::new(x, y, 0.1 * x + 1.5 * (0.5 * y).sin())
        })
        .collect();
    let cells = (0..40 * 40).map(|c| 41 * (c / 40) + c % 40);
    let triangles: Vec<[u32; 3]> = cells.flat_map(|k| [[k, k + 1, k + 42], [k, k + 42, k + 41]]).collect();
    Shape::mesh(&vertices, &triangles).expect("a surface")
}

/// Ground with two blocks whose tops lie in one plane, a ball, a floor and a wall without end, a wall before the grains
/// that is drawn as glass, and a paddle.
fn surroundings() -> Vec<BodySnapshot> {
    let half_space =
        |normal: DVec3, position: DVec3| body(BodyKind::Static, Shape::half_space(normal).expect("a normal"), position);
    let mut bodies = vec![
        body(BodyKind::Static, waves(), DVec3::ZERO),
        cuboid(BodyKind::Static, [6.0, 6.0, 8.0], [12.0, 20.0, 2.0]),
        cuboid(BodyKind::Static, [6.0, 6.0, 8.0], [15.0, 22.0, 2.0]),
        body(BodyKind::Static, Shape::sphere(3.0).expect("a radius"), DVec3::new(30.0, 15.0, 4.0)),
        half_space(DVec3::Z, DVec3::Z * -2.0),
        half_space(DVec3::X, DVec3::X * 1.0),
        cuboid(BodyKind::Static, [12.0, 0.5, 40.0], [20.0, 8.0, 4.0]),
        cuboid(BodyKind::Driven, [1.0, 8.0, 3.0], [26.0, 20.0, 5.0]),
    ];
    for i in 0..LIDS as u32 / 2 {
        let (x, y) = (8.0 + 6.0 * f64::from(i % 5), 5.0 + 9.0 * f64::from(i / 5));
        let block = cuboid(BodyKind::Static, [2.0, 2.0, 4.0], [x, y, 4.0]);
        let lid = lid(&block);
        bodies.extend(if i % 2 == 0 { [block, lid] } else { [lid, block] });
    }
    bodies
}

/// The two triangles on top of a block once more, as ground: rays meet both at the same distance, and where ground is
/// relief they differ in colour.
fn lid(block: &BodySnapshot) -> BodySnapshot {
    let surfaces = block.shape.surface();
    let [Primitive::Triangles(surface)] = surfaces.as_slice() else { panic!("a cuboid is made of triangles") };
    let on_top = |t: &&[u32; 3]| t.iter().all(|&i| surface.vertices[i as usize].z > 0.0);
    let triangles: Vec<[u32; 3]> = surface.triangles.iter().filter(on_top).copied().collect();
    let shape = Shape::mesh(&surface.vertices, &triangles).expect("a surface");
    body(BodyKind::Static, shape, block.pose.position)
}

/// Balls and bricks that move; some leave and come back, in frame 6 all have left. Some bricks have faces in one plane
/// with a block, and with each other.
fn state(frame: u32) -> Snapshot {
    let mut bodies = surroundings();
    let time = f64::from(frame);
    bodies[7].pose.position.x += 0.7 * time;
    bodies.push(cuboid(BodyKind::Dynamic, [2.0, 2.0, 2.0], [9.0 + 0.5 * time, 20.0, 5.0]));
    bodies.push(cuboid(BodyKind::Dynamic, [2.0, 2.0, 2.0], [20.0, 14.0 + 0.5 * time, 8.0]));
    bodies.push(cuboid(BodyKind::Dynamic, [2.0, 2.0, 2.0], [21.0, 15.0, 8.0]));
    for i in 0..24_u32 {
        let (x, y) = (14.0 + 2.1 * f64::from(i % 6) - 0.9 * time, 12.0 + 3.0 * f64::from(i / 6));
        let height = 0.1 * x + 1.5 * (0.5 * y).sin() + 0.8 + 0.4 * f64::from(i % 3);
        bodies.push(body(BodyKind::Dynamic, Shape::sphere(0.9).expect("a radius"), DVec3::new(x, y, height)));
    }
    for (i, grain) in bodies[GRAINS..].iter_mut().enumerate() {
        grain.present = frame != 6 && !(i as u32 + 3 * frame).is_multiple_of(7);
    }
    bodies[WALL].present = ![2, 6].contains(&frame);
    bodies[BLOCK].present = frame != 4;
    Snapshot { time, step: 0, bodies }
}

fn region() -> Aabb {
    Aabb::new(DVec3::new(1.0, 0.0, -2.0), DVec3::new(40.0, 40.0, 12.0))
}

fn camera(side: f64) -> Camera {
    Camera::framing(&region(), DVec3::new(side, -1.0, 0.6))
}

fn options() -> RenderOptions {
    RenderOptions { width: 160, height: 90, region: Some(region()), ..RenderOptions::film() }
}

/// Draws `frames` one after the other with one renderer and each with a fresh one, and returns how many differ in
/// bytes from the frame before them.
fn check(frames: &[(u32, Camera, RenderOptions)]) -> usize {
    let mut renderer = Renderer::new();
    let mut last = None;
    let mut changes = 0;
    for (i, (frame, camera, options)) in frames.iter().enumerate() {
        let snapshot = state(*frame);
        let image = renderer.render(&snapshot, camera, options);
        assert!(image == render(&snapshot, camera, options), "picture {i}, frame {frame}");
        assert!(image == Renderer::new().render(&snapshot, camera, options), "fresh renderer, picture {i}");
        changes += usize::from(last.as_ref() != Some(&image));
        last = Some(image);
    }
    changes
}

#[test]
fn frames_with_things_that_move_leave_and_come_back_are_those_of_a_fresh_renderer() {
    for relief in [None, Some(true), Some(false)] {
        let options = RenderOptions { relief, ..options() };
        let frames: Vec<_> = [0, 1, 1, 2, 6, 3, 4, 5, 0].map(|frame| (frame, camera(0.3), options.clone())).into();
        // All but the one that is drawn twice.
        assert_eq!(check(&frames), frames.len() - 1, "{relief:?}");
    }
}

#[test]
fn a_change_of_camera_or_options_is_a_change_of_the_picture() {
    let changed = |change: fn(&mut RenderOptions)| {
        let mut options = options();
        change(&mut options);
        options
    };
    let options = [
        options(),
        changed(|o| o.samples = 9),
        changed(|o| o.samples = 1),
        changed(|o| o.occlusion_rays = 3),
        changed(|o| o.occlusion_rays = 0),
        changed(|o| o.shadows = false),
        changed(|o| o.background = [90, 120, 200]),
        changed(|o| o.relief = Some(false)),
        changed(|o| (o.width, o.height) = (90, 160)),
        changed(|o| o.region = Some(Aabb::new(DVec3::ZERO, DVec3::new(30.0, 40.0, 6.0)))),
        changed(|o| o.region = None),
        options(),
    ];
    let mut frames: Vec<_> = options.iter().map(|o| (1, camera(0.3), o.clone())).collect();
    frames.extend([0.31, 0.6, -0.4].map(|side| (1, camera(side), options[0].clone())));
    // The eye between the grains, some of them behind it: no outline holds those.
    let inside = Camera::look_at(DVec3::new(19.3, 15.2, 5.1), DVec3::new(25.0, 30.0, 2.0));
    frames.extend([0, 1, 2].map(|frame| (frame, inside, options[0].clone())));
    assert_eq!(check(&frames), frames.len());
}

#[test]
fn static_bodies_that_move_between_pictures_are_seen_where_they_are() {
    let (mut renderer, mut images) = (Renderer::new(), Vec::new());
    for shift in [0.0, 0.0, 0.4, 0.0] {
        for place in [0, 1, 3] {
            let mut snapshot = state(1);
            snapshot.bodies[place].pose.position.x += shift;
            let image = renderer.render(&snapshot, &camera(0.3), &options());
            assert!(image == render(&snapshot, &camera(0.3), &options()), "{shift} {place}");
            images.push(image);
        }
    }
    assert!(images[0] == images[5] && images[5] != images[6] && images[6] != images[7] && images[0] == images[11]);
}

/// Once the small grains have left, neighbours darken from farther away, as they do with the mean radius.
#[test]
fn sky_rays_reach_as_far_as_the_bodies_present_say() {
    let ball = |radius: f64, x: f64| {
        let shape = Shape::sphere(radius).expect("a radius");
        body(BodyKind::Dynamic, shape, DVec3::new(x, 12.0, 4.0))
    };
    let state = |small: bool| {
        let mut bodies = vec![body(BodyKind::Static, waves(), DVec3::ZERO), ball(2.0, 20.0)];
        bodies.extend((0..12).map(|i| BodySnapshot { present: small, ..ball(0.2, 8.0 + f64::from(i)) }));
        Snapshot { time: 0.0, step: 0, bodies }
    };
    let mut renderer = Renderer::new();
    for small in [true, false, true] {
        let image = renderer.render(&state(small), &camera(0.3), &options());
        assert!(image == render(&state(small), &camera(0.3), &options()), "{small}");
    }
}

#[test]
fn the_number_of_threads_does_not_count() {
    let frames: Vec<_> = [0, 1, 2].map(|frame| (frame, camera(0.3), options())).into();
    let draw = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut renderer = Renderer::new();
        let draw = |(frame, camera, options): &(u32, Camera, RenderOptions)| {
            pool.install(|| renderer.render(&state(*frame), camera, options))
        };
        frames.iter().map(draw).collect::<Vec<_>>()
    };
    let one = draw(1);
    assert!(one == draw(2) && one == draw(3) && one[0] != one[1]);
    let mut renderer = Renderer::new();
    for (image, threads) in one.iter().zip([3, 1, 2]) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let frame = frames[one.iter().position(|other| other == image).expect("one of them")].0;
        assert!(*image == pool.install(|| renderer.render(&state(frame), &camera(0.3), &options())));
    }
}
