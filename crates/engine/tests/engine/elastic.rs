//! What the tests of impacts share: elastic rock, shapes by one call, simulations without gravity, and what every run
//! is asked for.

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Rock that gives everything back.
pub(crate) fn elastic(friction: f64) -> Material {
    Material { restitution: 1.0, static_friction: friction, dynamic_friction: friction, ..ROCK }
}

pub(crate) fn cuboid(size: DVec3) -> Shape {
    Shape::cuboid(size).expect("the size is valid")
}

pub(crate) fn ball(radius: f64) -> Shape {
    Shape::sphere(radius).expect("the radius is valid")
}

/// A simulation with one elastic material, and no gravity.
pub(crate) fn weightless(time_step: Option<f64>) -> (Simulation, MaterialId) {
    let settings = Settings { gravity: DVec3::ZERO, time_step, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("settings are valid");
    let rock = simulation.add_material(elastic(0.0)).expect("the material is valid");
    (simulation, rock)
}

/// Walls of a closed box from -1 to 1 m.
pub(crate) fn close(simulation: &mut Simulation, rock: MaterialId) {
    for normal in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|n| [n, -n]) {
        let wall = Shape::half_space(normal).expect("the normal is valid");
        simulation.add_body(BodyDescription::fixed(wall, rock, -normal)).expect("the wall is valid");
    }
}

/// Nothing lies in anything, and no energy has come from nowhere.
pub(crate) fn expect_sound(simulation: &Simulation, what: &str) {
    let (overlap, gained) = (simulation.largest_overlap_thin(), simulation.audit().energy_gained);
    assert!(overlap <= 0.01, "{what}: overlap {overlap}");
    assert!(gained.is_nan() || gained <= 1e-5, "{what}: {gained:e} of what is dissipated is gained");
}

/// The `k`th vector of a sequence of numbers from -1 to 1 that is one for each seed.
pub(crate) fn toss(seed: u32, k: u32) -> DVec3 {
    let number = |by: f64| 2.0 * (f64::from(97 * seed + k + 1) * by).fract() - 1.0;
    DVec3::new(number(0.618_034), number(0.414_214), number(0.732_051))
}

/// Makes `time` \[s\], and returns by how much E* changed beside the work of driven bodies, over what the bodies had at
/// first and that work, and that work over what they had. Nothing lies in anything by more than 1 %.
pub(crate) fn follow(simulation: &mut Simulation, time: f64, what: &str) -> [f64; 2] {
    let (mut first, mut changed, mut work) = (None, 0.0, 0.0);
    while simulation.time() < time {
        let energy = simulation.step().expect("the step is made").energy;
        first.get_or_insert(energy.star - energy.driven_work - energy.star_change);
        changed += energy.star_change;
        work += energy.driven_work;
    }
    let overlap = simulation.largest_overlap_thin();
    assert!(overlap <= 0.01, "{what}: overlap {overlap}");
    let first = first.expect("there were steps");
    [changed / (first + work.abs()), work / first]
}
