//! From a seed to a scene.
//!
//! Everything is drawn from one generator of random numbers in a fixed order: a seed is a scene, on every machine. A
//! change to what is drawn makes other scenes of all seeds, so that a list of seeds holds for one state of this module.

mod bed;
mod events;
mod forms;
mod walls;

use granule_engine::{JamResponse, Law, Settings};
use granule_model::{Aabb, DVec3, Material, RestitutionSpeed, Velocity};
use granule_solver::samples::Random;

use self::bed::Bed;
use super::scene::{Family, RandomScene, Room};

/// Steps of a scene.
const STEPS: u32 = 200;
/// Gravity \[m/s2\].
const GRAVITY: f64 = 9.8;
/// Most and least bodies.
const BODIES: (f64, f64) = (4.0, 41.0);
/// Largest size over the smallest \[-\].
const SIZES: f64 = 30.0;
/// Largest density over the smallest \[-\].
const DENSITIES: f64 = 10.0;
/// Largest length over the smallest of one body \[-\].
const ASPECT: f64 = 50.0;
/// The speed that a thrown body has at most \[m/s\].
const THROWN: f64 = 50.0;

impl RandomScene {
    /// The scene of `seed`.
    pub fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let family = family(random);
        let draft = Draft::new(random, family);
        let materials = materials(random);
        let mut bed = Bed::new(random, &draft, materials.len());
        bed.fill(random, &draft);
        let room = bed.close(random, &draft);
        bed.push_off(random, &draft, &room);
        let settings = Settings { jam: jam(seed, family), ..settings(random, family) };
        let events = events::draw(random, &draft, &bed, materials.len());
        RandomScene { seed, family, settings, materials, bodies: bed.bodies, events, room, steps: STEPS }
    }
}

/// What is drawn first and bears on everything else.
struct Draft {
    family: Family,
    /// Largest equal-volume radius \[m\].
    radius: f64,
    /// Largest over smallest equal-volume radius \[-\].
    spread: f64,
    /// Largest length over smallest of a body \[-\].
    aspect: f64,
    /// Bodies at the start.
    count: usize,
    /// Numbers of the kinds of form that are drawn from.
    kinds: Vec<usize>,
}

impl Draft {
    fn new(random: &mut Random, family: Family) -> Self {
        let radius = random.log_between(1e-3, 5.0);
        let spread = if random.chance(0.3) { 1.0 } else { random.log_between(1.0, SIZES) };
        let aspect = if random.chance(0.3) { 3.0 } else { random.log_between(1.5, ASPECT) };
        // As many scenes with few bodies as with many.
        let count = random.log_between(BODIES.0, BODIES.1) as usize;
        let kinds = if random.chance(0.25) {
            vec![random.below(forms::KINDS)]
        } else if random.chance(0.3) {
            vec![random.below(forms::KINDS), random.below(forms::KINDS)]
        } else {
            (0..forms::KINDS).collect()
        };
        Draft { family, radius, spread, aspect, count, kinds }
    }

    /// Speed of a fall through the largest body \[m/s\].
    fn speed(&self) -> f64 {
        (GRAVITY * self.radius).sqrt()
    }
}

/// A value that is often one of the ends of its range.
fn coefficient(random: &mut Random, zero: f64, one: f64) -> f64 {
    let u = random.unit();
    let inner = random.unit();
    if u < zero {
        0.0
    } else if u > 1.0 - one {
        1.0
    } else {
        inner
    }
}

fn family(random: &mut Random) -> Family {
    match random.below(100) {
        0..36 => Family::Box,
        36..54 => Family::Floor,
        54..72 => Family::Blade,
        72..80 => Family::Press,
        80..93 => Family::Free,
        _ => Family::Gas,
    }
}

fn materials(random: &mut Random) -> Vec<Material> {
    let density = random.log_between(300.0, 3000.0);
    let slippery = random.chance(0.15);
    let rolls = random.chance(0.3);
    let turns = random.chance(0.3);
    let count = 1 + random.below(3);
    let one = |random: &mut Random| {
        let friction = if slippery { 0.0 } else { random.unit() };
        let dynamic = if random.chance(0.5) { friction } else { friction * random.unit() };
        let restitution_speed = match random.below(10) {
            0 => RestitutionSpeed::Given(random.log_between(0.01, 10.0)),
            1 => RestitutionSpeed::Natural,
            _ => RestitutionSpeed::Constant,
        };
        Material {
            density: density * random.log_between(1.0, DENSITIES),
            restitution: coefficient(random, 0.25, 0.1),
            restitution_speed,
            tangential_restitution: if random.chance(0.2) { random.unit() } else { 0.0 },
            static_friction: friction,
            dynamic_friction: dynamic,
            rolling_friction: if rolls { 0.3 * random.unit() } else { 0.0 },
            torsional_friction: if turns { 0.3 * random.unit() } else { 0.0 },
            stiffness: 1.0,
        }
    };
    (0..count).map(|_| one(random)).collect()
}

fn settings(random: &mut Random, family: Family) -> Settings {
    let weightless = matches!(family, Family::Free | Family::Gas);
    let tilt = if random.chance(0.1) { random.in_ball() } else { DVec3::ZERO };
    let down = (DVec3::NEG_Z + tilt).try_normalize().unwrap_or(DVec3::NEG_Z);
    let rate = random.log_between(30.0, 1000.0);
    let name = Law::NAMES[random.below(Law::NAMES.len())];
    Settings {
        gravity: if weightless { DVec3::ZERO } else { down * GRAVITY },
        time_step: random.chance(0.2).then_some(1.0 / rate),
        law: if random.chance(0.1) { Law::by_name(name).unwrap_or_default() } else { Law::default() },
        ..Settings::default()
    }
}

/// What a jam does where blades may jam: every other seed lets them stand. It is not drawn, so that nothing else
/// depends on it.
fn jam(seed: u64, family: Family) -> JamResponse {
    let yields = matches!(family, Family::Blade | Family::Press) && seed % 2 == 1;
    if yields { JamResponse::Yield } else { JamResponse::Error }
}

/// A velocity up to `speed` \[m/s\] whose spin moves the surface at `radius` \[m\] as fast.
fn any_velocity(random: &mut Random, speed: f64, radius: f64) -> Velocity {
    let (linear, angular) = (random.in_ball(), random.in_ball());
    let spins = if random.chance(0.5) { speed / radius } else { 0.0 };
    Velocity { linear: linear * speed, angular: angular * spins }
}

/// A room over the floor rectangle `size` up to `top`.
fn room(size: DVec3, top: f64) -> Room {
    Room { bounds: Aabb::new(DVec3::ZERO, size.with_z(top)), closed: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::BodyKind;

    #[test]
    fn a_seed_is_a_scene_and_all_families_come_up() {
        let mut seen = [0; Family::ALL.len()];
        let mut yielding = [0; Family::ALL.len()];
        for seed in 0..200 {
            let scene = RandomScene::new(seed);
            assert_eq!(format!("{scene:?}"), format!("{:?}", RandomScene::new(seed)), "seed {seed}");
            let dynamic = scene.bodies.iter().filter(|b| b.kind == BodyKind::Dynamic).count();
            assert!((4..=40).contains(&dynamic), "seed {seed}: {dynamic} bodies");
            let family = Family::ALL.iter().position(|f| *f == scene.family).expect("listed");
            seen[family] += 1;
            yielding[family] += usize::from(scene.settings.jam == JamResponse::Yield);
        }
        assert!(seen.iter().all(|n| *n >= 5), "{seen:?}");
        // Measured: 24 of 38 blades and 4 of 15 presses.
        let (yields, of) = (yielding[2] + yielding[3], seen[2] + seen[3]);
        assert!(3 * yields >= of && 3 * yields <= 2 * of, "{yielding:?} of {seen:?}");
        assert!([2, 3].iter().all(|i| (2..seen[*i] - 1).contains(&yielding[*i])), "{yielding:?} of {seen:?}");
        assert!([0, 1, 4, 5].iter().all(|i| yielding[*i] == 0), "{yielding:?}");
    }
}
