//! What changes during a run: bodies come and go, and force fields are switched on.

use granule_engine::Motion;
use granule_model::{BodyKind, DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::bed::Bed;
use super::{Draft, Family, GRAVITY, STEPS, THROWN, any_velocity, forms};
use crate::random::form::Form;
use crate::random::scene::{Change, Event, FieldKind, RandomBody};

/// The changes of a scene, in the order of the steps.
pub(super) fn draw(random: &mut Random, draft: &Draft, bed: &Bed, materials: usize) -> Vec<Event> {
    let mut events = Vec::new();
    if random.chance(0.25) {
        let count = 1 + random.below(3);
        events.extend((0..count).map(|n| added(random, draft, materials, n)));
    }
    if random.chance(0.25) {
        events.extend(removed(random, bed));
    }
    if draft.family != Family::Free && random.chance(0.12) {
        events.push(Event { step: late(random), change: Change::Field(field(random, draft, bed)) });
    }
    events.sort_by_key(|event| event.step);
    events
}

/// A step from the first to nearly the last, more often in the second half, when some sleep.
fn late(random: &mut Random) -> u32 {
    let begin = if random.chance(0.6) { 0.5 } else { 0.05 };
    (random.between(begin, 0.9) * f64::from(STEPS)) as u32
}

/// A body that comes in at rest or thrown, once in a while a driven one.
fn added(random: &mut Random, draft: &Draft, materials: usize, n: usize) -> Event {
    let share = random.unit();
    let radius = draft.radius * libm::pow(draft.spread, -share);
    let kind = draft.kinds[random.below(draft.kinds.len())];
    let form = forms::draw(random, kind, draft.aspect, radius);
    let speed = match random.below(4) {
        0 => 0.0,
        1 => THROWN * random.unit(),
        _ => draft.speed() * random.between(0.0, 5.0),
    };
    let velocity = any_velocity(random, speed, 2.0 * radius);
    let driven = draft.family != Family::Free && random.chance(0.15);
    let down = Motion::Constant(Velocity {
        linear: DVec3::NEG_Z * draft.speed() * random.log_between(0.05, 1.0),
        angular: DVec3::ZERO,
    });
    let size = draft.radius * DVec3::new(random.between(0.3, 2.0), 0.3, 0.3);
    let name = format!("a{n}");
    let (kind, form, velocity, motion) = if driven {
        (BodyKind::Driven, Form::Cuboid { size }, Velocity::ZERO, Some(down))
    } else {
        (BodyKind::Dynamic, form, velocity, None)
    };
    let material = random.below(materials);
    let pose = Pose::IDENTITY;
    let body = Box::new(RandomBody { name, kind, form, material, pose, velocity, motion });
    let seed = (random.unit() * 1e9) as u64;
    Event { step: late(random), change: Change::Add { body, seed } }
}

/// The shelf or the blade, where there is one, or some of the bodies: the first, which lie lowest.
fn removed(random: &mut Random, bed: &Bed) -> Vec<Event> {
    let inner = bed.bodies.iter().position(|b| b.name == "shelf" || b.name == "blade");
    let support = inner.filter(|_| random.chance(0.7));
    let step = late(random);
    let event = |i: usize| Event { step, change: Change::Remove(i) };
    if let Some(i) = support {
        return vec![event(i)];
    }
    let dynamic = (0..bed.bodies.len()).filter(|i| bed.bodies[*i].kind == BodyKind::Dynamic);
    dynamic.take(1 + random.below(3)).map(event).collect()
}

fn field(random: &mut Random, draft: &Draft, bed: &Bed) -> FieldKind {
    let centre = (0.5 * bed.size).with_z(draft.radius);
    let rate = GRAVITY / draft.radius * random.log_between(0.05, 1.0);
    match random.below(3) {
        0 => FieldKind::Uniform(random.direction() * GRAVITY * random.log_between(0.1, 3.0)),
        1 => FieldKind::Spring { centre, rate },
        _ => FieldKind::Swirl { centre, rate },
    }
}
