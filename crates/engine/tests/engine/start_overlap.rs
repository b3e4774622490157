//! Bodies that are put into each other at the start come apart by as many steps as it takes, and are carried into
//! nothing.

use granule_engine::prelude::*;

use crate::support::ROCK;

/// Two balls in each other by `depth` radii on a floor, and a third 0.05 radii beside them that they must not be pushed
/// into; with a ball sunk into the floor by as much further away. Returns the largest overlap of the third, the deepest
/// overlap in the end, and the largest move of a ball in a step over the radius.
fn mended(radius: f64, depth: f64) -> (f64, f64, f64) {
    let mut simulation = Simulation::new(Settings::default()).expect("settings are valid");
    let rock = simulation.add_material(ROCK).expect("the material is valid");
    let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("the floor is valid");
    let shape = Shape::sphere(radius).expect("the radius is valid");
    let places = [[0.0, 1.0], [2.0 - depth, 1.0], [4.05 - depth, 1.0], [20.0, 1.0 - depth]];
    let ids = places.map(|[x, z]| {
        let place = DVec3::new(x, 0.0, z) * radius;
        simulation.add_body(BodyDescription::dynamic(shape.clone(), rock, place)).expect("the ball is valid")
    });
    simulation.validate_start().expect("less than half a radius can be mended");
    let places = |s: &Simulation| ids.map(|id| s.pose(id).expect("it is there").position / radius);
    let (mut before, mut third, mut moved) = (places(&simulation), 0.0f64, 0.0f64);
    while simulation.time() < 40.0 * (radius / 9.8).sqrt() {
        simulation.step().expect("the run stays finite");
        let now = places(&simulation);
        third = third.max(2.0 - (now[2] - now[1]).length());
        moved = now.iter().zip(&before).map(|(x, y)| (*x - *y).length()).fold(moved, f64::max);
        before = now;
    }
    (third, simulation.overlaps().fold(0.0, f64::max), moved)
}

#[test]
fn what_starts_in_each_other_comes_apart_without_meeting_anything_unseen() {
    for radius in [1e-3, 1.0, 100.0] {
        for depth in [0.05, 0.2, 0.45] {
            let (third, left, moved) = mended(radius, depth);
            println!("R {radius}, {depth}: third {third:.4}, left {left:.4}, moved {moved:.4}");
            assert!(left <= 0.01, "R {radius}: {left} of {depth} is left");
            assert!(third <= 0.01, "R {radius}: the third is overlapped by {third}");
            assert!(moved <= 0.03, "R {radius}: a ball went {moved} radii in a step");
        }
    }
}
