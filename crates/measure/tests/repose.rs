//! The angle of repose on node clouds with known angles, and where there is little to measure.

use glam::{DVec2, DVec3};
use granule_measure::{Fall, GridError, LongSide, ReposeGrid};
use serde_json::Value;

/// As stated with the reference data.
const TOLERANCE_DEG: f64 = 1e-6;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn clouds() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/reference/r9_repose.json");
    let text = std::fs::read_to_string(path).expect("the reference file is in the repository");
    let file: Value = serde_json::from_str(&text).expect("the reference file is JSON");
    file["clouds"].as_array().expect("a list of clouds").clone()
}

fn nodes(cloud: &Value) -> Vec<DVec3> {
    numbers(&cloud["nodes"]).chunks_exact(3).map(DVec3::from_slice).collect()
}

fn grid(cloud: &Value) -> ReposeGrid {
    let floor = numbers(&cloud["floor"]);
    ReposeGrid::new(DVec2::new(floor[0], floor[2]), DVec2::new(floor[1], floor[3]), LongSide::X).expect("a floor")
}

#[test]
fn node_clouds_have_their_known_angles() {
    let clouds = clouds();
    assert_eq!(clouds.len(), 3);
    for cloud in &clouds {
        let mut grid = grid(cloud);
        for node in nodes(cloud) {
            assert!(grid.offer(node));
        }
        let angle = grid.measure(Fall::Positive).expect("every strip has a line");
        let close = |a: f64, b: &Value| {
            let b = b.as_f64().expect("an angle");
            // Measured: at most 1.5e-14 degrees.
            assert!((a - b).abs() <= TOLERANCE_DEG, "{}: {a} for {b}", cloud["name"]);
        };
        close(angle.mean, &cloud["average_angle_deg"]);
        close(angle.absolute_error, &cloud["absolute_error_deg"]);
        assert_eq!((angle.strips.len(), angle.strips_without_line), (8, 0));
        for (strip, expected) in angle.strips.iter().zip(cloud["strip_angles_deg"].as_array().expect("angles")) {
            close(strip.line.expect("a line").angle_deg, expected);
        }
        // Seen as a fall to the other side the same pile climbs.
        let climbing = grid.measure(Fall::Negative).expect("a line");
        assert!((climbing.mean + angle.mean).abs() <= 1e-12 && (climbing.min + angle.max).abs() <= 1e-12);
        // The mean of all nodes instead of the highest would be another angle: the clouds tell the difference.
        let all: Vec<_> = nodes(cloud);
        let x = all.iter().map(|p| p.x).sum::<f64>() / all.len() as f64;
        let z = all.iter().map(|p| p.z).sum::<f64>() / all.len() as f64;
        let slope = all.iter().map(|p| (p.x - x) * (p.z - z)).sum::<f64>()
            / all.iter().map(|p| (p.x - x) * (p.x - x)).sum::<f64>();
        assert!(((-slope).atan().to_degrees() - angle.mean).abs() > 1e-3);
    }
}

#[test]
fn neither_the_order_of_the_nodes_nor_the_place_of_the_floor_matters() {
    let cloud = &clouds()[2];
    let mut forward = grid(cloud);
    let mut backward = grid(cloud);
    let floor = numbers(&cloud["floor"]);
    // Turned by a quarter about z and far from the origin: the fall is then towards +y.
    let shift = DVec2::new(4096.0, -8192.0);
    let turn = |p: DVec2| DVec2::new(-p.y, p.x) + shift;
    let (a, b) = (turn(DVec2::new(floor[0], floor[2])), turn(DVec2::new(floor[1], floor[3])));
    let mut turned = ReposeGrid::new(a.min(b), a.max(b), LongSide::Y).expect("a floor");
    let all = nodes(cloud);
    for (front, back) in all.iter().zip(all.iter().rev()) {
        forward.offer(*front);
        backward.offer(*back);
        turned.offer(turn(front.truncate()).extend(front.z));
    }
    assert_eq!(forward, backward);
    let (angle, other) = (forward.measure(Fall::Positive), turned.measure(Fall::Positive));
    let (angle, other) = (angle.expect("a line"), other.expect("a line"));
    // Rounding of coordinates near 1e4; measured: at most 1.8e-13 degrees.
    assert!((angle.mean - other.mean).abs() <= 1e-9 && (angle.absolute_error - other.absolute_error).abs() <= 1e-9);
    forward.clear();
    assert_eq!(forward.measure(Fall::Positive), None);
}

#[test]
fn strips_without_a_line_are_counted_and_never_a_number_that_is_none() {
    let mut grid = ReposeGrid::new(DVec2::ZERO, DVec2::new(16.0, 8.0), LongSide::X).expect("a floor");
    assert_eq!(grid.measure(Fall::Positive), None);
    // Strip 0: one node. Strip 1: two. Strip 2: two at one x, on the border of two cells. The others: none.
    assert!(grid.offer(DVec3::new(0.5, 0.5, 3.0)));
    assert!(grid.offer(DVec3::new(1.5, 1.5, 3.0)) && grid.offer(DVec3::new(3.5, 1.5, 1.0)));
    let cells: Vec<_> = grid.cells().filter(|c| c.strip == 2 && (c.min.x == 4.0 || c.max.x == 4.0)).collect();
    assert_eq!(cells.len(), 2);
    for cell in &cells {
        assert!(grid.offer_in(cell.index, DVec3::new(4.0, 2.5, 1.0)));
        assert!(!grid.offer_in(cell.index, DVec3::new(6.0, 2.5, 1.0)));
    }
    let angle = grid.measure(Fall::Positive).expect("one strip has a line");
    assert_eq!((angle.mean, angle.min, angle.max), (45.0, 45.0, 45.0));
    assert_eq!((angle.absolute_error, angle.strips_without_line), (0.0, 7));
    let found: Vec<_> = angle.strips.iter().map(|s| (s.nodes, s.line.is_some())).collect();
    assert_eq!(found[..4], [(1, false), (2, true), (2, false), (0, false)]);
    let line = angle.strips[1].line.expect("the strip has a line");
    assert_eq!((line.a, line.b), (4.5, -1.0));
}

#[test]
fn points_beside_the_floor_and_bad_floors_are_refused() {
    let floor = |x: f64, y: f64| ReposeGrid::new(DVec2::ZERO, DVec2::new(x, y), LongSide::X);
    assert_eq!(floor(0.0, 1.0), Err(GridError::Floor(0.0, 1.0)));
    assert!(floor(f64::NAN, 1.0).is_err() && floor(f64::INFINITY, 1.0).is_err());
    assert!(ReposeGrid::with_cells(DVec2::ZERO, DVec2::ONE, LongSide::X, 0, 4).is_err());
    let mut grid = floor(16.0, 8.0).expect("a floor");
    for point in [DVec3::new(-0.1, 1.0, 0.0), DVec3::new(1.0, 8.1, 0.0), DVec3::new(1.0, 1.0, f64::NAN)] {
        assert!(!grid.offer(point));
    }
    assert!(grid.offer(DVec3::new(16.0, 8.0, 0.0)) && grid.highest(127).is_some());
    assert!(!grid.offer_in(128, DVec3::ZERO));
}

#[test]
fn the_profile_gives_the_highest_and_the_mean_of_the_highest_along_the_fall() {
    let mut grid = ReposeGrid::with_cells(DVec2::ZERO, DVec2::new(4.0, 2.0), LongSide::X, 2, 4).expect("a floor");
    for point in [[0.5, 0.5, 3.0], [0.6, 0.5, 2.0], [0.5, 1.5, 5.0], [2.5, 1.5, 1.0]] {
        assert!(grid.offer(DVec3::from_array(point)));
    }
    let profile = grid.profile();
    let heights: Vec<_> = profile.iter().map(|b| (b.highest, b.mean_highest)).collect();
    assert_eq!(heights, [(Some(5.0), Some(4.0)), (None, None), (Some(1.0), Some(1.0)), (None, None)]);
    assert_eq!((profile[2].from, profile[2].to), (2.0, 3.0));
}
