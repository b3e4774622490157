//! Where bodies start: let down one after the other onto what is there, with a small gap, so that beds are dense
//! whatever the shapes and sizes.

use granule_model::{Aabb, BodyKind, DQuat, DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::{Draft, Family, THROWN, any_velocity, forms, room, walls};
use crate::random::form::{Form, Part};
use crate::random::overlap::gap;
use crate::random::scene::{RandomBody, Room};

/// Gap between bodies at the start, over the smaller equal-volume radius \[-\].
const GAP: (f64, f64) = (0.02, 0.3);
/// How often a body is let down further.
const DESCENTS: u32 = 60;

/// A bed that is being laid.
pub(super) struct Bed {
    /// Bodies so far, walls last.
    pub(super) bodies: Vec<RandomBody>,
    /// Floor rectangle of the room; z is not used \[m\].
    pub(super) size: DVec3,
    /// Number of materials.
    materials: usize,
    placed: Vec<Placed>,
}

/// A body where it is.
struct Placed {
    parts: Vec<Part>,
    /// Of the body axes of the parts.
    poses: Vec<Pose>,
    bounds: Aabb,
}

impl Placed {
    /// The parts of a form whose own axes are at `own`.
    fn new(parts: Vec<Part>, own: &Pose) -> Self {
        let mut placed = Placed { parts, poses: Vec::new(), bounds: Aabb::EMPTY };
        placed.put(own);
        placed
    }

    /// Puts the own axes at `own`.
    fn put(&mut self, own: &Pose) {
        self.poses.clear();
        self.poses.extend(self.parts.iter().map(|part| own.compose(&part.pose)));
        let bounds = self.parts.iter().zip(&self.poses).map(|(part, pose)| part.shape.aabb(pose));
        self.bounds = bounds.fold(Aabb::EMPTY, |sum, b| sum.union(&b));
    }

    /// A lower bound of the distance from another, at most `most`.
    fn distance(&self, other: &Placed, most: f64) -> f64 {
        let mut least = most;
        for (a, pose_a) in self.parts.iter().zip(&self.poses) {
            for (b, pose_b) in other.parts.iter().zip(&other.poses) {
                least = least.min(gap(a, pose_a, b, pose_b, least));
            }
        }
        least
    }
}

impl Bed {
    /// A room wide enough for the bodies, with what is driven or stands in it.
    pub(super) fn new(random: &mut Random, draft: &Draft, materials: usize) -> Self {
        let side = draft.radius * random.between(4.0, 8.0) * (draft.count as f64 / 10.0).cbrt().max(0.7);
        let size = DVec3::new(side, side * random.between(0.7, 1.0), 0.0);
        let mut bed = Bed { bodies: Vec::new(), size, materials, placed: Vec::new() };
        match draft.family {
            Family::Blade => walls::blade(random, draft, &mut bed),
            Family::Press => walls::press(random, draft, &mut bed),
            Family::Box if random.chance(0.3) => walls::shelf(random, draft, &mut bed),
            _ => {}
        }
        bed
    }

    /// Adds a body that stands in the way of those let down later.
    pub(super) fn stand(&mut self, random: &mut Random, name: &str, form: Form, pose: Pose) -> &mut RandomBody {
        self.push(random, name, BodyKind::Static, form, pose);
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }

    fn push(&mut self, random: &mut Random, name: &str, kind: BodyKind, form: Form, pose: Pose) {
        if let Ok(parts) = form.parts() {
            self.placed.push(Placed::new(parts, &pose));
        }
        let material = random.below(self.materials);
        let velocity = Velocity::ZERO;
        self.bodies.push(RandomBody { name: name.to_owned(), kind, form, material, pose, velocity, motion: None });
    }

    /// Lets the bodies down.
    pub(super) fn fill(&mut self, random: &mut Random, draft: &Draft) {
        for n in 0..draft.count {
            // The first two show the whole range of sizes.
            let share = [0.0, 1.0].get(n).copied().unwrap_or_else(|| random.unit());
            let radius = draft.radius * libm::pow(draft.spread, -share);
            let (form, rotation) = self.fitting(random, draft, radius);
            let gap = radius * random.between(GAP.0, GAP.1);
            if let Some(pose) = self.let_down(random, &form, rotation, gap) {
                self.push(random, &format!("b{n}"), BodyKind::Dynamic, form, pose);
            }
        }
    }

    /// A form of `radius` that fits between the walls, turned as it may be.
    fn fitting(&self, random: &mut Random, draft: &Draft, radius: f64) -> (Form, DQuat) {
        let kind = draft.kinds[random.below(draft.kinds.len())];
        let mut form = forms::draw(random, kind, draft.aspect, radius);
        let rotation = random.rotation();
        if let Ok(shape) = form.shape() {
            let across = 2.0 * shape.bounding_radius();
            let least = 0.9 * self.size.x.min(self.size.y);
            if across > least {
                form = form.scaled(least / across);
            }
        }
        (form, rotation)
    }

    /// Pose of the own axes of a body let down at a random place until it nearly touches something; none for a form
    /// that the engine refuses.
    fn let_down(&self, random: &mut Random, form: &Form, rotation: DQuat, gap: f64) -> Option<Pose> {
        let own = |position: DVec3| Pose::new(position, rotation);
        let mut body = Placed::new(form.parts().ok()?, &own(DVec3::ZERO));
        let bounds = body.bounds;
        let free = (self.size - bounds.size() - DVec3::splat(2.0 * gap)).max(DVec3::ZERO);
        let share = DVec3::new(random.unit(), random.unit(), 0.0);
        let mut position = DVec3::splat(gap) + share * free - bounds.min;
        position.z = self.top() + gap - bounds.min.z;
        for _ in 0..DESCENTS {
            body.put(&own(position));
            let way = self.way_down(&body);
            if way <= 1.5 * gap {
                break;
            }
            position.z -= way - gap;
        }
        Some(own(position))
    }

    /// So far a body may go down without touching another or the floor.
    fn way_down(&self, body: &Placed) -> f64 {
        let mut way = body.bounds.min.z;
        for other in &self.placed {
            if way > 0.0 && body.bounds.padded(way).overlaps(&other.bounds) {
                way = body.distance(other, way);
            }
        }
        way
    }

    /// Highest point of the bodies \[m\].
    pub(super) fn top(&self) -> f64 {
        self.placed.iter().map(|p| p.bounds.max.z).fold(0.0, f64::max)
    }

    /// Puts the walls around.
    pub(super) fn close(&mut self, random: &mut Random, draft: &Draft) -> Room {
        let headroom = draft.radius * if random.chance(0.3) { 0.05 } else { random.between(0.2, 6.0) };
        let top = self.top() + headroom;
        let mut room = room(self.size, top);
        if draft.family == Family::Free {
            room.closed = false;
            return room;
        }
        walls::close(random, draft, self, &mut room);
        room
    }

    /// Adds a wall of the room.
    pub(super) fn wall(&mut self, random: &mut Random, name: &str, form: Form, position: DVec3) -> &mut RandomBody {
        let material = random.below(self.materials);
        let pose = Pose::from_position(position);
        let (name, velocity) = (name.to_owned(), Velocity::ZERO);
        self.bodies.push(RandomBody { name, kind: BodyKind::Static, form, material, pose, velocity, motion: None });
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }

    /// Gives the bodies their velocities.
    pub(super) fn push_off(&mut self, random: &mut Random, draft: &Draft, room: &Room) {
        let height = room.bounds.size().max_element();
        let fall = (super::GRAVITY * height).sqrt();
        let speed = match random.below(20) {
            0..8 => 0.0,
            8..18 => fall * random.between(0.05, 3.0),
            _ => THROWN,
        };
        let weightless = matches!(draft.family, Family::Free | Family::Gas);
        let speed = if weightless && speed == 0.0 { fall } else { speed };
        let pull = if draft.family == Family::Free { speed } else { 0.0 };
        let middle = room.bounds.center();
        for body in self.bodies.iter_mut().filter(|b| b.kind == BodyKind::Dynamic) {
            let radius = body.form.shape().map_or(draft.radius, |shape| shape.bounding_radius());
            body.velocity = any_velocity(random, speed, radius);
            body.velocity.linear += (middle - body.pose.position) * (pull / height);
        }
    }
}
