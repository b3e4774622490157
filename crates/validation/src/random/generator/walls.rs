//! The walls of the room, and what is driven.

use std::f64::consts::{PI, TAU};

use granule_engine::Motion;
use granule_model::{BodyKind, DQuat, DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::bed::Bed;
use super::{Draft, Family, GRAVITY};
use crate::random::form::Form;
use crate::random::scene::{RandomBody, Room};

/// Drives a body.
fn drive(body: &mut RandomBody, motion: Motion) {
    body.kind = BodyKind::Driven;
    body.motion = Some(motion);
}

/// A body that moves at a constant velocity.
fn steady(linear: DVec3, angular: DVec3) -> Motion {
    Motion::Constant(Velocity { linear, angular })
}

/// A sine along `direction` whose acceleration is 0.3 to 6 times gravity, and its amplitude \[m\].
fn shaking(random: &mut Random, draft: &Draft, direction: DVec3) -> (Motion, f64) {
    let amplitude = draft.radius * random.log_between(0.02, 1.0);
    let frequency = (random.log_between(0.3, 6.0) * GRAVITY / amplitude).sqrt() / TAU;
    let phase = if random.chance(0.5) { 0.0 } else { random.between(0.0, TAU) };
    (Motion::Sine { amplitude: direction * amplitude, frequency, phase }, amplitude)
}

/// A plate or a block in the room that never moves; it may be taken away during the run.
pub(super) fn shelf(random: &mut Random, draft: &Draft, bed: &mut Bed) {
    let thick = draft.radius * random.log_between(0.1, 1.0);
    let size = DVec3::new(bed.size.x * random.between(0.3, 0.9), bed.size.y * random.between(0.3, 0.9), thick);
    let lean = random.between(-0.3, 0.3);
    let rotation = DQuat::from_xyzw(libm::sin(0.5 * lean), 0.0, 0.0, libm::cos(0.5 * lean));
    let height = draft.radius * random.between(1.0, 3.0) + 0.2 * size.y;
    let pose = Pose::new(0.5 * bed.size.with_z(2.0 * height), rotation);
    bed.stand(random, "shelf", Form::Cuboid { size }, pose);
}

/// A bar or a blade that goes through the bed: along x, to and fro, or round.
pub(super) fn blade(random: &mut Random, draft: &Draft, bed: &mut Bed) {
    let thick = draft.radius * random.log_between(0.05, 0.6);
    let tall = draft.radius * random.between(0.3, 3.0);
    let speed = draft.speed() * random.log_between(0.1, 4.0);
    let place = random.below(3);
    let (size, x, motion) = match place {
        // To and fro, across the whole room.
        0 => {
            let amplitude = 0.3 * bed.size.x * random.unit();
            let frequency = speed / (TAU * amplitude.max(0.1 * draft.radius));
            let motion =
                Motion::Sine { amplitude: DVec3::X * amplitude, frequency, phase: PI * random.below(2) as f64 };
            (DVec3::new(thick, 0.98 * bed.size.y, tall), 0.5 * bed.size.x, motion)
        }
        // Round the z axis, within the room.
        1 => {
            let length = 0.9 * bed.size.x.min(bed.size.y);
            let turn = 2.0 * speed / length * if random.chance(0.5) { 1.0 } else { -1.0 };
            (DVec3::new(length, thick, tall), 0.5 * bed.size.x, steady(DVec3::ZERO, DVec3::Z * turn))
        }
        // Along x, shorter than the room is wide, and lifted, so that bodies find a way round it.
        _ => {
            let motion = steady(DVec3::X * 0.3 * speed, DVec3::ZERO);
            (DVec3::new(thick, random.between(0.2, 0.5) * bed.size.y, tall), thick + 0.02 * bed.size.x, motion)
        }
    };
    let lifted = draft.radius * if random.chance(0.5) { 0.01 } else { random.unit() };
    let position = DVec3::new(x, 0.5 * bed.size.y, 0.5 * tall + lifted);
    let form = Form::Cuboid { size };
    drive(bed.stand(random, "blade", form, Pose::from_position(position)), motion);
}

/// A blade as wide as the room that moves towards a wall.
pub(super) fn press(random: &mut Random, draft: &Draft, bed: &mut Bed) {
    let thick = draft.radius * random.log_between(0.05, 0.6);
    let tall = draft.radius * random.between(2.0, 6.0);
    let size = DVec3::new(thick, 0.99 * bed.size.y, tall);
    let speed = draft.speed() * random.log_between(0.1, 4.0);
    let x = thick + random.between(0.0, 0.3) * bed.size.x;
    let position = DVec3::new(x, 0.5 * bed.size.y, 0.5 * tall + 0.01 * draft.radius);
    let motion = steady(DVec3::X * speed, DVec3::ZERO);
    drive(bed.stand(random, "blade", Form::Cuboid { size }, Pose::from_position(position)), motion);
}

/// Closes the room: by half-spaces, by a container with a lid, or by a box of triangles.
pub(super) fn close(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room) {
    let driven = draft.family == Family::Floor;
    match random.below(if driven { 4 } else { 3 }) {
        0 => container(random, draft, bed, room),
        1 => mesh(random, draft, bed, room),
        2 => planes(random, draft, bed, room),
        _ => plate(random, draft, bed, room),
    }
}

fn lid(random: &mut Random, bed: &mut Bed, room: &Room) -> usize {
    let top = DVec3::Z * room.bounds.max.z;
    bed.wall(random, "lid", Form::HalfSpace { normal: DVec3::NEG_Z }, top);
    bed.bodies.len() - 1
}

/// A container with a half-space on top; both driven alike where the floor is.
fn container(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room) {
    let size = room.bounds.max;
    bed.wall(random, "container", Form::Container { size }, DVec3::ZERO);
    let first = bed.bodies.len() - 1;
    let lid = lid(random, bed, room);
    shake(random, draft, bed, room, &[first, lid]);
}

/// Drives walls alike where the floor is driven, along any direction.
fn shake(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room, walls: &[usize]) {
    if draft.family != Family::Floor {
        return;
    }
    let direction = if random.chance(0.5) { DVec3::Z } else { random.direction() };
    let (motion, amplitude) = shaking(random, draft, direction);
    for &i in walls {
        drive(&mut bed.bodies[i], motion.clone());
    }
    room.bounds = room.bounds.padded(2.0 * amplitude);
}

/// Six half-spaces, the lowest driven where the floor is: shaken, or moving in its own plane.
fn planes(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room) {
    let top = room.bounds.max;
    let mut plane = |name: &str, normal: DVec3, at: DVec3| {
        bed.wall(random, name, Form::HalfSpace { normal }, at);
    };
    plane("floor", DVec3::Z, DVec3::ZERO);
    for (name, normal, at) in [
        ("left", DVec3::X, DVec3::ZERO),
        ("right", DVec3::NEG_X, top),
        ("front", DVec3::Y, DVec3::ZERO),
        ("back", DVec3::NEG_Y, top),
        ("lid", DVec3::NEG_Z, top),
    ] {
        plane(name, normal, at);
    }
    let floor = bed.bodies.len() - 6;
    drive_floor(random, draft, bed, room, floor);
}

/// Shakes a floor, or moves it in its own plane.
fn drive_floor(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room, floor: usize) {
    if draft.family != Family::Floor {
        return;
    }
    if random.chance(0.4) {
        let speed = draft.speed() * random.log_between(0.1, 4.0);
        let angle = random.between(0.0, TAU);
        let along = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
        drive(&mut bed.bodies[floor], steady(along * speed, DVec3::ZERO));
        return;
    }
    let (motion, amplitude) = shaking(random, draft, DVec3::Z);
    drive(&mut bed.bodies[floor], motion);
    room.bounds.min.z -= 2.0 * amplitude;
}

/// Five half-spaces over a driven plate that is wider than the room.
fn plate(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room) {
    planes_without_floor(random, bed, room);
    let thick = draft.radius * random.log_between(0.2, 2.0);
    let size = (2.0 * bed.size).with_z(thick);
    let at = (0.5 * bed.size).with_z(-0.5 * thick);
    bed.wall(random, "floor", Form::Cuboid { size }, at);
    let floor = bed.bodies.len() - 1;
    if random.chance(0.4) {
        let turn = draft.speed() / draft.radius * random.log_between(0.05, 1.0);
        drive(&mut bed.bodies[floor], steady(DVec3::ZERO, DVec3::Z * turn));
        return;
    }
    let (motion, amplitude) = shaking(random, draft, DVec3::Z);
    drive(&mut bed.bodies[floor], motion);
    room.bounds.min.z -= 2.0 * amplitude;
}

fn planes_without_floor(random: &mut Random, bed: &mut Bed, room: &Room) {
    let top = room.bounds.max;
    for (name, normal, at) in [
        ("left", DVec3::X, DVec3::ZERO),
        ("right", DVec3::NEG_X, top),
        ("front", DVec3::Y, DVec3::ZERO),
        ("back", DVec3::NEG_Y, top),
        ("lid", DVec3::NEG_Z, top),
    ] {
        bed.wall(random, name, Form::HalfSpace { normal }, at);
    }
}

/// A box of triangles that face inward, those of a face a grid of random lines: some are thin.
fn mesh(random: &mut Random, draft: &Draft, bed: &mut Bed, room: &mut Room) {
    let size = room.bounds.max;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        let lines = [lines(random), lines(random)];
        for far in [false, true] {
            face(size, axis, far, &lines, &mut vertices, &mut triangles);
        }
    }
    let behind = |axis: DVec3| {
        let plane = |normal: DVec3, at: DVec3| (Pose::from_position(at), Form::HalfSpace { normal });
        [plane(axis, DVec3::ZERO), plane(-axis, size)]
    };
    let parts = DVec3::AXES.into_iter().flat_map(behind).collect();
    bed.wall(random, "box", Form::Mesh { vertices, triangles, parts }, DVec3::ZERO);
    let last = bed.bodies.len() - 1;
    shake(random, draft, bed, room, &[last]);
}

/// Places of grid lines from 0 to 1.
fn lines(random: &mut Random) -> Vec<f64> {
    let count = random.below(4);
    let mut at: Vec<f64> = (0..count).map(|_| random.between(0.01, 0.99)).collect();
    at.extend([0.0, 1.0]);
    at.sort_by(f64::total_cmp);
    at.dedup_by(|a, b| (*a - *b).abs() < 1e-4);
    at
}

/// Appends the face across `axis` of a box from the origin to `size`.
fn face(
    size: DVec3,
    axis: usize,
    far: bool,
    lines: &[Vec<f64>; 2],
    vertices: &mut Vec<DVec3>,
    triangles: &mut Vec<[u32; 3]>,
) {
    let first = vertices.len() as u32;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    for y in &lines[1] {
        for x in &lines[0] {
            let mut at = DVec3::ZERO;
            at[axis] = if far { size[axis] } else { 0.0 };
            at[u] = x * size[u];
            at[v] = y * size[v];
            vertices.push(at);
        }
    }
    let wide = lines[0].len() as u32;
    for row in 0..lines[1].len() as u32 - 1 {
        for column in 0..wide - 1 {
            let a = first + row * wide + column;
            let (b, c, d) = (a + 1, a + wide + 1, a + wide);
            let quad = [[a, b, c], [a, c, d]];
            // Counter-clockwise seen from the inside: along the axis on the near face, against it on the far one.
            triangles.extend(quad.map(|t| if far { [t[0], t[2], t[1]] } else { t }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangles_of_a_box_face_inward_and_cover_it() {
        let size = DVec3::new(2.0, 3.0, 5.0);
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let random = &mut Random::new(1);
        for axis in 0..3 {
            let lines = [lines(random), lines(random)];
            for far in [false, true] {
                face(size, axis, far, &lines, &mut vertices, &mut triangles);
            }
        }
        let mut area = 0.0;
        for t in &triangles {
            let [a, b, c] = t.map(|i| vertices[i as usize]);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot(0.5 * size - a) > 0.0);
            area += 0.5 * normal.length();
        }
        assert!((area - 2.0 * (6.0 + 10.0 + 15.0)).abs() <= 1e-12);
    }
}
