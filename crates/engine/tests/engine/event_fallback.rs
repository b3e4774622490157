//! Event stepping falls back on ordinary steps where bodies are pressed into each other: overlaps keep their bound, and
//! jams are told.

use granule_engine::prelude::*;
use granule_engine::{JamResponse, Stepping};

use crate::support::ROCK;

/// A ball that a driven press pushes towards a wall that is so thick \[m\].
fn press(stepping: Stepping, jam: JamResponse, thickness: f64) -> (Simulation, BodyId) {
    let settings = Settings { stepping, jam, ..Settings::default() };
    let mut simulation = Simulation::new(settings).expect("valid");
    let rock = simulation.add_material(ROCK).expect("valid");
    let floor = Shape::half_space(DVec3::Z).expect("valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::Z * -0.5)).expect("valid");
    let wall = Shape::cuboid(DVec3::new(thickness, 4.0, 4.0)).expect("valid");
    simulation.add_body(BodyDescription::fixed(wall, rock, DVec3::X * (1.0 + 0.5 * thickness))).expect("valid");
    let ball = BodyDescription::dynamic(Shape::sphere(0.5).expect("valid"), rock, DVec3::ZERO);
    let ball = simulation.add_body(ball).expect("valid");
    let plate = Shape::cuboid(DVec3::new(0.2, 2.0, 0.8)).expect("valid");
    let mut driven = BodyDescription::fixed(plate, rock, DVec3::X * -2.0);
    driven.kind = BodyKind::Driven;
    driven.velocity.linear = DVec3::X * 0.5;
    simulation.add_body(driven).expect("valid");
    (simulation, ball)
}

/// The ball went through the wall, with 1.2 of its radius in it on the way, and nobody was told.
#[test]
fn a_press_jams_as_with_ordinary_steps() {
    for thickness in [0.2, 1e-3] {
        for stepping in [Stepping::Margin, Stepping::Event] {
            let (mut simulation, _) = press(stepping, JamResponse::Error, thickness);
            let jam = loop {
                assert!(simulation.time() < 6.0, "{stepping:?}, {thickness} m: no jam");
                if let Err(error) = simulation.step() {
                    break error;
                }
            };
            assert!(matches!(jam, EngineError::Jam { .. }), "{stepping:?}, {thickness} m: {jam}");
            let overlap = simulation.largest_overlap_thin();
            assert!(overlap <= 0.01, "{stepping:?}, {thickness} m: {overlap}");
        }
        let (mut simulation, ball) = press(Stepping::Event, JamResponse::Yield, thickness);
        while simulation.time() < 5.0 {
            simulation.step().expect("the press yields");
        }
        assert!(simulation.jam_stops() > 0);
        assert!(simulation.largest_overlap_thin() <= 0.01, "{thickness} m: {}", simulation.largest_overlap_thin());
        let place = simulation.pose(ball).expect("it is there").position.x;
        assert!(place < 0.51, "{thickness} m: the ball is at {place} m, in or behind the wall");
    }
}

/// Plates of 1 m by 1 mm that fall on each other, and a ball at 50 m/s through which one would have to pass.
#[test]
fn thin_plates_keep_apart() {
    let mut simulation = Simulation::new(Settings { stepping: Stepping::Event, ..Settings::default() }).expect("valid");
    let rock = simulation.add_material(ROCK).expect("valid");
    let floor = Shape::half_space(DVec3::Z).expect("valid");
    simulation.add_body(BodyDescription::fixed(floor, rock, DVec3::ZERO)).expect("valid");
    let plate = Shape::cuboid(DVec3::new(1.0, 1.0, 1e-3)).expect("valid");
    for k in 0..4 {
        let shift = f64::from(k);
        let place = DVec3::new(0.05 * shift, 0.03 * shift, 0.3 + 0.7 * shift);
        let mut body = BodyDescription::dynamic(plate.clone(), rock, place);
        let axis = if k % 2 == 0 { DVec3::Y } else { DVec3::X };
        body.pose.rotation = DQuat::from_axis_angle(axis, 0.2 + 0.05 * shift);
        simulation.add_body(body).expect("valid");
    }
    while simulation.time() < 1.5 {
        simulation.step().expect("the run stays finite");
    }
    let overlap = simulation.largest_overlap_thin();
    // It was 0.61.
    assert!(overlap <= 0.01, "{overlap}");
}
