//! Bodies that tip over and fall until they lie: no ground, size, friction or step makes energy. Steps are made as by
//! default.

use granule_engine::prelude::*;
use granule_geometry::HeightField;

use crate::support::ROCK;

/// Cells along a side of the ground.
const CELLS: usize = 12;

/// Flat ground of cells of `size` \[m\] from the origin on, as a plane, as triangles and as a height field.
fn grounds(size: f64) -> [(&'static str, Shape); 3] {
    let heights = [0.0; CELLS * CELLS];
    let field = HeightField::new(CELLS, CELLS, [size; 2], &heights).expect("the field is valid");
    let field = Shape::height_field(field);
    let surface = field.triangulate(3);
    [
        ("plane", Shape::half_space(DVec3::Z).expect("the normal is valid")),
        ("mesh", Shape::mesh(&surface.vertices, &surface.triangles).expect("the triangles are valid")),
        ("height field", field),
    ]
}

/// A body of these measures \[m\] that stands `at` a place on its lower edge, tilted about y by `tilt` degrees, tips
/// over and comes to rest; the largest rise of E* in a step, and the sum of all rises, over what is dissipated.
fn gains(ground: Shape, at: DVec3, measures: DVec3, tilt: f64, friction: f64, time_step: Option<f64>) -> [f64; 2] {
    let mut simulation = Simulation::new(Settings { time_step, ..Settings::default() }).expect("settings are valid");
    let material = Material { restitution: 0.0, static_friction: friction, dynamic_friction: friction, ..ROCK };
    let rock = simulation.add_material(material).expect("the material is valid");
    simulation.add_body(BodyDescription::fixed(ground, rock, DVec3::ZERO)).expect("the ground is valid");
    let turn = DQuat::from_rotation_y(tilt.to_radians());
    let up = turn * DVec3::new(-0.5 * measures.x, 0.0, 0.5 * measures.z);
    let shape = Shape::cuboid(measures).expect("the size is valid");
    let mut body = BodyDescription::dynamic(shape, rock, at + up);
    body.pose.rotation = turn;
    let body = simulation.add_body(body).expect("it is valid");
    let most = 12.0 * (measures.z / 9.8).sqrt();
    while simulation.time() < most && !simulation.at_rest() {
        simulation.step().expect("the step is made");
    }
    let lies = (simulation.pose(body).expect("it is there").rotation * DVec3::Z).z;
    assert!(lies.abs() <= 0.01, "{measures} of friction {friction}, {time_step:?}: lies by {lies}");
    [simulation.audit().energy_gained, simulation.audit().energy_gained_sum()]
}

/// Plates, cards and boxes on all grounds.
///
/// Measured: 2.9e-6 of what is dissipated in a step, 8e-7 in sum (also with friction of 1). Before impulses of flights
/// acted half-way, and corners on triangles were told that they turn, it was 0.07 on a plane and 27 on triangles.
#[test]
fn what_tips_over_makes_no_energy_until_it_lies() {
    let mut worst = [0.0f64; 2];
    for size in [1e-3, 1.0, 10.0] {
        for (kind, measures) in [("plate", [0.1, 1.0, 2.0]), ("card", [0.02, 0.6, 1.0]), ("box", [0.5, 0.7, 1.0])] {
            let measures = DVec3::from_array(measures) * size;
            let tilt = libm::atan2(measures.x, measures.z).to_degrees() + 3.0;
            let middle = size * DVec3::new(5.3, 5.7, 0.0);
            for (ground, shape) in grounds(size) {
                for friction in [0.3, 5.0] {
                    for steps in [None, Some(30.0), Some(60.0), Some(240.0), Some(960.0)] {
                        // Steps that a body of 1 m makes in a second.
                        let time_step = steps.map(|steps: f64| size.sqrt() / steps);
                        let found = gains(shape.clone(), middle, measures, tilt, friction, time_step);
                        if found[0] > 1e-6 || found[1] > 1e-6 {
                            println!("{kind} of {size} m on {ground}, mu {friction}, {steps:?} steps: {found:?}");
                        }
                        worst = [worst[0].max(found[0]), worst[1].max(found[1])];
                    }
                }
            }
        }
    }
    println!("largest {worst:?}");
    assert!(worst.iter().all(|gain| *gain <= 1e-5), "{worst:?}");
}

/// The `k`th number from 0 to 1 of a sequence that is one for each seed.
fn share(seed: u32, k: u32) -> f64 {
    (f64::from(31 * seed + k + 1) * 0.618_034).fract()
}

/// So many equal blocks of random measures, one on the other, that are let go tilted together, rock and go on for a
/// time that no number of steps makes; the largest rise of E* in a step, over what is dissipated.
fn rocking(seed: u32, blocks: u32) -> f64 {
    let mut simulation = Simulation::new(Settings::default()).expect("settings are valid");
    let friction = [0.3, 0.5, 1.0, 5.0][(seed % 4) as usize];
    let restitution = [0.3, 0.0, 0.0, 0.5, 0.0, 0.8][(seed % 6) as usize];
    let material = Material { restitution, static_friction: friction, dynamic_friction: friction, ..ROCK };
    let rock = simulation.add_material(material).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let height = [0.002, 0.15, 4.0][(seed / 4 % 3) as usize];
    let slenderness = 0.1 + 0.6 * share(seed, 0);
    let measures = height * DVec3::new(slenderness, 0.3 + share(seed, 1), 1.0);
    let tilt = (0.1 + 0.5 * share(seed, 2)) * libm::atan(slenderness) / f64::from(blocks);
    let turn = DQuat::from_rotation_y(tilt);
    let shape = Shape::cuboid(measures).expect("the size is valid");
    for k in 0..blocks {
        let middle = DVec3::new(-0.5 * measures.x, 0.0, (0.5 + f64::from(k)) * measures.z);
        let mut body = BodyDescription::dynamic(shape.clone(), rock, turn * middle);
        body.pose.rotation = turn;
        simulation.add_body(body).expect("it is valid");
    }
    let most = (3.0 + share(seed, 3)) * (height / 9.8).sqrt();
    while simulation.time() < most {
        let dt = simulation.time_step().min(most - simulation.time());
        simulation.step_by(dt).expect("the step is made");
    }
    let overlap = simulation.largest_overlap_thin();
    assert!(overlap <= 0.01, "{seed}: overlap {overlap}");
    simulation.audit().energy_gained
}

/// Blocks that rock, alone and one on another, the last step of each shorter than the others. One in twelve, and of two
/// on each other one in four, gained up to 8e-3 of what it had dissipated in a step where an edge slid one way and was
/// held back from the other, or came off and back, within the step. Measured: 1e-8, and of pairs four above 1e-5, 1e-4
/// at most: in worlds whose moves are spent.
#[test]
fn blocks_that_rock_make_no_energy() {
    for (blocks, allowed) in [(1, 0), (2, 4)] {
        let gains: Vec<f64> = (0..60).map(|seed| rocking(seed, blocks)).collect();
        let above: Vec<_> = gains.iter().enumerate().filter(|(_, gain)| **gain > 1e-5).collect();
        println!("{blocks} blocks: {:e}, above 1e-5: {above:?}", gains.iter().copied().fold(0.0, f64::max));
        assert!(above.len() <= allowed && above.iter().all(|(_, gain)| **gain <= 3e-4), "{blocks} blocks: {above:?}");
    }
}
