//! Small grains that carry large ones: a level-set grain of 1/4.6 to 1/100 of the size between the ground and a grain a
//! hundred to a million times heavier.
//!
//! The large grain stands in a tube with rough walls, as a ball that balances on a ball rolls off: walls with friction
//! of 2 hold its turn, and the small grain stays where it is, by friction of 0.5. The scene is held to what one of
//! exact spheres does. Piles of unlike sizes and what other places come to are in
//! `docs/experiments/level-set-twins.md`.

use granule_engine::prelude::*;
use granule_geometry::GrainOptions;
use granule_grains::{GrainShape, Harmonic, Size, SphereMesh};

const G: f64 = 9.8;
/// Equal-volume radius of the large grain \[m\].
const LARGE: f64 = 0.1;
/// Ratios of mass.
const RATIOS: [f64; 5] = [1e2, 1e3, 1e4, 1e5, 1e6];
/// Speed of the centre of a grain at rest, over `sqrt(g d)` of its own diameter.
const AT_REST: f64 = 1e-3;
/// Overlap that is allowed, over the equal-volume radius of the smaller grain.
const OVERLAP: f64 = 0.01;
/// Sweeps and impulses of one step: none stalls. A part of a step makes 8000 at most; one step of pebbles of a ratio of
/// 1e4 is divided into seven parts and makes 27 842, one of a ratio of 1e6 46 000. Impulses: 26 000.
const SWEEPS: u32 = 8 * 8000;
const IMPULSES: u64 = 200_000;

/// Gap of grains over what lies below them at the start, over the radius of the small one \[-\]. Of twenty starts from
/// 0.005 to 0.02, one of pebbles of a ratio of 1e4 came to an overlap of 1.24e-2 as the small one crept into a wedge.
const GAP: f64 = 0.012;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    Exact,
    LevelSet,
    Pebble,
}

/// A grain of a family; level sets have ten cells in the radius and 500 nodes.
fn grain(family: Family, radius: f64, index: u64) -> Shape {
    let options = GrainOptions { spacing: 0.1 * radius, nodes: 500 };
    let sphere = Shape::sphere(radius).expect("the radius is valid");
    match family {
        Family::Exact => sphere,
        Family::LevelSet => Shape::level_set_of(&sphere, &options).expect("the grid resolves it"),
        Family::Pebble => {
            let family = Harmonic { aspect: [0.9, 0.8], angularity: 0.1, ..Harmonic::default() };
            let pebble = GrainShape::Harmonic(family).grain(3, index).expect("the family is valid");
            let surface = pebble.surface(&SphereMesh::new(16).expect("the mesh is valid"));
            let surface = surface.resized(Size::EquivalentDiameter(2.0 * radius)).expect("the size is valid");
            Shape::level_set_mesh(surface.vertices(), surface.triangles(), &options).expect("the grid resolves it")
        }
    }
}

/// A shape with the pose of its own axes.
type Placed = (Shape, Pose);

fn touch(a: &Placed, b: &Placed) -> bool {
    let body = |placed: &Placed| placed.1.compose(&placed.0.frame().inverse());
    let mut contacts = vec![];
    granule_geometry::contacts(&a.0, &body(a), &b.0, &body(b), 0.0, &mut contacts);
    !contacts.is_empty()
}

/// Lowers a shape from above until it is `gap` over what lies below.
fn lowered(shape: Shape, at: [f64; 2], below: &[Placed], gap: f64) -> Placed {
    let place = |z: f64| (shape.clone(), Pose::from_position(DVec3::new(at[0], at[1], z)));
    let touches = |z: f64| below.iter().any(|other| touch(&place(z), other));
    let mut low = 6.0 * LARGE;
    while !touches(low) {
        low -= 2.0 * gap;
    }
    let mut high = low + 2.0 * gap;
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if touches(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    place(high + gap)
}

/// What became of the two grains.
#[derive(Debug)]
struct Outcome {
    /// Speeds of small and large from 2 s on, where the small one is a pebble from 3 s on, over `sqrt(g d)` of each.
    speeds: [f64; 2],
    overlap: f64,
    sweeps: u32,
    impulses: u64,
    /// Largest force of a contact of the small grain in the end, over the weight of the large one.
    carried: f64,
}

/// Torsional friction of pebbles \[-\]: without it one that is held by a point above and one below swings about the
/// line between them for as long as it is watched.
const PIVOTS: f64 = 0.05;

fn run([small, large]: [Family; 2], ratio: f64, sleeping: bool) -> Outcome {
    let mut simulation = Simulation::new(Settings { sleeping, ..Settings::default() }).expect("the settings are valid");
    let torsional_friction = if small == Family::Pebble { PIVOTS } else { 0.0 };
    let plain = Material { torsional_friction, ..Material::default() };
    let smooth = Material { static_friction: 0.5, dynamic_friction: 0.5, restitution: 0.3, ..plain };
    let grip = Material { static_friction: 2.0, dynamic_friction: 2.0, restitution: 0.0, ..plain };
    let [rock, rough] = [smooth, grip].map(|m| simulation.add_material(m).expect("the material is valid"));
    simulation.set_pair(rock, rough, Coefficients::mix(&grip, &grip)).expect("the pair is valid");

    let radius = LARGE / ratio.cbrt();
    let large = grain(large, LARGE, 1);
    let side = 2.02 * large.bounding_radius();
    let tube = Shape::container(DVec3::new(side, side, 8.0 * LARGE)).expect("the size is valid");
    let corner = DVec3::new(-0.5 * side, -0.5 * side, 0.0);
    simulation.add_body(BodyDescription::fixed(tube, rough, corner)).expect("the tube is valid");

    let mut placed = vec![(Shape::half_space(DVec3::Z).expect("the normal is valid"), Pose::IDENTITY)];
    // Beside the axis: on it a ball would stand on the other as long as nothing is off.
    for (shape, at) in [(grain(small, radius, 2), [0.02 * LARGE, 0.01 * LARGE]), (large, [0.0, 0.0])] {
        placed.push(lowered(shape, at, &placed, GAP * radius));
    }
    let grains: Vec<BodyId> = placed[1..]
        .iter()
        .map(|(shape, pose)| BodyDescription::dynamic(shape.clone(), rock, pose.position))
        .map(|grain| simulation.add_body(grain).expect("the grain is valid"))
        .collect();
    simulation.record_forces(true);
    let mut outcome = Outcome { speeds: [0.0; 2], overlap: 0.0, sweeps: 0, impulses: 0, carried: 0.0 };
    // A small pebble that slides off a large one may roll for 2.2 s; level-set spheres begin to roll later on.
    let at_rest = if small == Family::Pebble { 3.0 } else { 2.0 };
    while simulation.time() < at_rest + 0.25 {
        let report = simulation.step().expect("the run stays finite");
        outcome.sweeps = outcome.sweeps.max(report.sweeps);
        outcome.impulses = outcome.impulses.max(report.impact_iterations);
        if simulation.time() >= at_rest {
            for (&grain, fastest) in grains.iter().zip(&mut outcome.speeds) {
                let diameter = 2.0 * simulation.shape(grain).expect("it is there").equivalent_radius();
                let speed = simulation.velocity(grain).expect("it is there").linear.length();
                *fastest = fastest.max(speed / (G * diameter).sqrt());
            }
        }
    }
    outcome.overlap = simulation.largest_overlap();
    let weight = G * simulation.momenta().mass;
    let contacts = simulation.contacts_of(grains[0]).expect("forces are recorded");
    outcome.carried = contacts.map(|c| c.force.length()).fold(0.0, f64::max) / weight;
    outcome
}

fn hold(families: [Family; 2], ratios: &[f64]) {
    for &ratio in ratios {
        for sleeping in [true, false] {
            let outcome = run(families, ratio, sleeping);
            let what = format!("{families:?}, ratio {ratio:e}, sleeping {sleeping}");
            println!("{what}: {outcome:?}");
            // Level-set spheres: up to 1.5e-4, as they begin to roll to where they are narrowest; the others: 1e-6.
            assert!(outcome.speeds.into_iter().all(|speed| speed <= AT_REST), "{what}: {outcome:?}");
            // Measured: up to 9.8e-3 at a ratio of 1e6, where steps are divided at 9e-3.
            assert!(outcome.overlap <= OVERLAP, "{what}: {outcome:?}");
            assert!(outcome.sweeps <= SWEEPS && outcome.impulses <= IMPULSES, "{what}: {outcome:?}");
            // Spheres: 0.96 to 0.97. Pebbles lean on the wall: 0.84 to 1.01.
            assert!((0.5..=1.5).contains(&outcome.carried), "{what}: {outcome:?}");
        }
    }
}

#[test]
fn level_set_spheres_carry_level_set_spheres() {
    hold([Family::LevelSet, Family::LevelSet], &RATIOS);
}

#[test]
fn level_set_spheres_carry_exact_ones() {
    hold([Family::LevelSet, Family::Exact], &RATIOS);
}

/// At 1e5 and above overlaps are 0.8 to 1.6 %, by how the small one happens to roll: `docs/limits.md`.
#[test]
fn pebbles_carry_pebbles() {
    hold([Family::Pebble, Family::Pebble], &RATIOS[..3]);
}

/// The scene itself: exact spheres stay where they are put.
#[test]
fn exact_spheres_carry_exact_ones() {
    hold([Family::Exact, Family::Exact], &RATIOS);
}
