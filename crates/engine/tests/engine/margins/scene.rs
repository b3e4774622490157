//! Thin and sharp bodies that are thrown at each other, at meshes of slivers and at driven bodies, by seed.

use granule_engine::JamResponse;
use granule_engine::prelude::*;

use crate::support::ROCK;

/// Numbers of a seed (SplitMix64).
#[derive(Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` up to `high`.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[(self.next() % choices.len() as u64) as usize]
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    fn rotation(&mut self) -> DQuat {
        let [x, y, z, w] = [0; 4].map(|_| self.between(-1.0, 1.0));
        DQuat::from_xyzw(x, y, z, w + 1e-6).normalize()
    }
}

/// What is thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thrown {
    Plate,
    Rod,
    Capsule,
    Needle,
    Flake,
}

pub(crate) const THROWN: [Thrown; 5] = [Thrown::Plate, Thrown::Rod, Thrown::Capsule, Thrown::Needle, Thrown::Flake];

impl Thrown {
    /// Of a length of about `size` \[m\].
    pub(crate) fn shape(self, size: f64) -> Shape {
        let hull = |corners: [[f64; 3]; 4]| Shape::convex(&corners.map(|c| size * DVec3::from(c)));
        let shape = match self {
            Thrown::Plate => Shape::cuboid(size * DVec3::new(1.0, 1.0, 1e-3)),
            Thrown::Rod => Shape::cuboid(size * DVec3::new(1.0, 5e-3, 5e-3)),
            Thrown::Capsule => Shape::capsule(2.5e-3 * size, size),
            Thrown::Needle => hull([[0.0, 0.0, 0.7], [0.02, 0.0, -0.3], [-0.01, 0.0173, -0.3], [-0.01, -0.0173, -0.3]]),
            Thrown::Flake => hull([[0.5, 0.0, 0.0], [-0.3, 0.4, 0.0], [-0.3, -0.4, 0.0], [-0.1, 0.0, 0.004]]),
        };
        shape.expect("the measures are valid")
    }
}

/// What it is thrown at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Another one that comes towards it.
    Thrown,
    /// One that sleeps on a floor.
    Sleeper,
    /// A static plate of 2 mm.
    Wall,
    /// A static sheet of triangles 3 m long and 5 cm wide.
    Slivers,
    /// A driven plate that comes towards it.
    Piston,
    /// A driven blade that turns.
    Blade,
}

pub(crate) const TARGETS: [Target; 6] =
    [Target::Thrown, Target::Sleeper, Target::Wall, Target::Slivers, Target::Piston, Target::Blade];

/// A scene before its first step, and how many steps are to be made.
pub(crate) struct Scene {
    pub(crate) text: String,
    pub(crate) simulation: Simulation,
    pub(crate) steps: usize,
}

/// A sheet in the plane z = 0 with edges of 3 `size`, of 120 triangles.
pub(crate) fn slivers(size: f64) -> Shape {
    const STRIPS: u32 = 60;
    let vertices: Vec<DVec3> = (0..=STRIPS)
        .flat_map(|k| [-1.5, 1.5].map(|y| size * DVec3::new(3.0 * f64::from(k) / f64::from(STRIPS) - 1.5, y, 0.0)))
        .collect();
    let triangles: Vec<[u32; 3]> =
        (0..STRIPS).flat_map(|k| [[2 * k, 2 * k + 2, 2 * k + 1], [2 * k + 1, 2 * k + 2, 2 * k + 3]]).collect();
    Shape::mesh(&vertices, &triangles).expect("the mesh is valid")
}

/// Throws something at something: the step (none: that of the engine), the size, whether the speed goes with its root,
/// gravity and all that is not given are of the seed.
pub(crate) fn throw(seed: u64, thrown: Thrown, target: Target, time_step: Option<f64>) -> Scene {
    let mut numbers = Numbers(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5bd1_e995);
    let size: f64 = numbers.one_of(&[1.0, 1.0, 1e-3, 100.0]);
    let speed = 50.0 * if numbers.one_of(&[true, false]) { size.sqrt() } else { 1.0 };
    let gravity = if target == Target::Sleeper { 9.8 } else { numbers.one_of(&[0.0, 9.8]) };
    let spin = numbers.one_of(&[0.0, 10.0, 50.0]) * if speed < 50.0 * size { speed / (50.0 * size) } else { 1.0 };
    // A small world runs as much faster as its bodies are slower.
    let time_step = time_step.map(|dt| if speed < 50.0 { dt * size.sqrt() } else { dt });
    let settings = Settings { time_step, gravity: -gravity * DVec3::Z, jam: JamResponse::Yield, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("the settings are valid");
    let restitution = numbers.one_of(&[0.0, 0.3, 0.9]);
    let rock = Material { restitution, ..ROCK };
    let rock = simulation.add_material(rock).expect("the material is valid");
    // The step of a throw that chooses its own is not known yet: that of half a width.
    let dt = time_step.unwrap_or(5e-3 * size / speed);
    let way = numbers.between(0.2, 2.5) * (speed * dt).max(0.1 * size);
    let target_text = place_target(&mut simulation, rock, &mut numbers, target, size, speed);
    let distance = 0.9 * size + if target_text.1 { 0.9 * size } else { 0.0 } + way;
    let place = distance * DVec3::Z + size * DVec3::new(numbers.between(-0.4, 0.4), numbers.between(-0.4, 0.4), 0.0);
    let turned = if numbers.one_of(&[true, false]) { numbers.rotation() } else { DQuat::IDENTITY };
    let mut body = BodyDescription::dynamic(thrown.shape(size), rock, place);
    body.name = "thrown".to_owned();
    body.pose.rotation = turned;
    body.velocity.linear = speed * (numbers.vector(0.1) - DVec3::Z);
    body.velocity.angular = numbers.vector(spin);
    simulation.add_body(body).expect("the body is valid");
    let text = format!(
        "seed {seed}: {thrown:?} at {target:?}, size {size}, {speed} m/s, spin {spin}, gravity {gravity}, e {restitution}, \
         step {time_step:?}, {}",
        target_text.0
    );
    Scene { text, simulation, steps: 12 + (2.0 * (way + 2.0 * size) / (speed * dt)).ceil().min(80.0) as usize }
}

/// Puts the target around the origin, and a sleeper to sleep. What it is, and whether it reaches up by its length.
fn place_target(
    simulation: &mut Simulation,
    rock: MaterialId,
    numbers: &mut Numbers,
    target: Target,
    size: f64,
    speed: f64,
) -> (String, bool) {
    let plate = |width: f64| Shape::cuboid(size * DVec3::new(width, width, 2e-3)).expect("the size is valid");
    let add = |simulation: &mut Simulation, body: BodyDescription| {
        simulation.add_body(body).expect("the body is valid");
    };
    let driven = |shape: Shape, velocity: Velocity| {
        let mut body = BodyDescription::fixed(shape, rock, DVec3::ZERO);
        body.kind = BodyKind::Driven;
        body.motion = Some(Motion::Constant(velocity));
        body
    };
    match target {
        Target::Thrown => {
            let other = numbers.one_of(&THROWN);
            let mut body = BodyDescription::dynamic(other.shape(size), rock, DVec3::ZERO);
            body.pose.rotation = numbers.rotation();
            body.velocity.linear = numbers.between(0.0, speed) * DVec3::Z;
            body.velocity.angular = numbers.vector(20.0 * (speed / (50.0 * size)).min(1.0));
            add(simulation, body);
            (format!("{other:?}"), true)
        }
        Target::Sleeper => {
            let other = numbers.one_of(&[Thrown::Plate, Thrown::Rod, Thrown::Flake]);
            let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
            add(simulation, BodyDescription::fixed(floor, rock, DVec3::ZERO));
            // Just above the floor, its flattest side down.
            let shape = other.shape(size);
            let mut body = BodyDescription::dynamic(shape, rock, DVec3::ZERO);
            let mut low = 0.0_f64;
            for c in body.shape.triangulate(8).vertices {
                low = low.min((body.pose.compose(&body.shape.frame().inverse())).transform_point(c).z);
            }
            body.pose.position.z -= low;
            body.name = "sleeper".to_owned();
            add(simulation, body);
            let time = (size / 9.8).sqrt();
            let (mut steps, begun) = (0, simulation.time());
            while simulation.time() - begun < 40.0 * time || steps < 60 {
                let report = simulation.step().expect("it settles");
                steps += 1;
                if report.awake == 0 || steps > 4000 {
                    break;
                }
            }
            (format!("{other:?} that sleeps after {steps} steps"), false)
        }
        Target::Wall => {
            add(simulation, BodyDescription::fixed(plate(3.0), rock, DVec3::ZERO));
            (String::new(), false)
        }
        Target::Slivers => {
            add(simulation, BodyDescription::fixed(slivers(size), rock, DVec3::ZERO));
            (String::new(), false)
        }
        Target::Piston => {
            let speed = numbers.between(0.02, 0.2) * speed;
            add(simulation, driven(plate(3.0), Velocity { linear: speed * DVec3::Z, ..Velocity::ZERO }));
            (format!("at {speed} m/s"), false)
        }
        Target::Blade => {
            let blade = Shape::cuboid(size * DVec3::new(2.0, 0.1, 2e-3)).expect("the size is valid");
            let turn = numbers.between(5.0, 30.0) * (speed / (50.0 * size)).min(1.0);
            let axis = numbers.one_of(&[DVec3::X, DVec3::Y, DVec3::Z]);
            add(simulation, driven(blade, Velocity { angular: turn * axis, ..Velocity::ZERO }));
            (format!("turning at {turn} rad/s about {axis}"), true)
        }
    }
}
