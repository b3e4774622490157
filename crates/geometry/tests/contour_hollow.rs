//! Grooves in ground on a grid, between planes of which distances are known: what lies on both sides is held by both,
//! however large it is against the cells and the band.

mod narrow_support;

use granule_geometry::{GrainOptions, HeightField, Shape};
use granule_model::{ContactPoint, DVec3, Pose};
use narrow_support::{Random, check_form, touch};

/// Heights of the ground along x and y, in cells.
const ALONG: [usize; 2] = [80, 40];
/// The lowest line of the groove, in cells.
const BOTTOM: f64 = 40.5;

/// A groove along y between two planes that rise by `angle` \[rad\]; flat for none.
fn groove(angle: f64, cell: f64, band: u32) -> Shape {
    let height = |k: usize| ((k % ALONG[0]) as f64 + 0.5 - BOTTOM).abs() * libm::tan(angle) * cell;
    let heights: Vec<f64> = (0..ALONG[0] * ALONG[1]).map(height).collect();
    Shape::level_set_ground(HeightField::new(ALONG[0], ALONG[1], [cell; 2], &heights).unwrap(), cell, band).unwrap()
}

/// Where a ball of `radius` on both sides of the groove has its middle, sunk in by `depth`, all in metres.
fn lying(radius: f64, angle: f64, depth: f64, cell: f64, y: f64) -> DVec3 {
    DVec3::new(BOTTOM * cell, y, (radius - depth) / libm::cos(angle))
}

/// The largest difference of the gap of the lowest contact with either side from the given one.
fn off(points: &[ContactPoint], angle: f64, gap: f64) -> f64 {
    let side = |sign: f64| {
        let normal = DVec3::new(sign * libm::sin(angle), 0.0, libm::cos(angle));
        let of_side = points.iter().filter(|point| point.normal.dot(normal) >= 0.99);
        of_side.map(|point| point.gap).fold(f64::INFINITY, f64::min)
    };
    [-1.0, 1.0].map(|sign| (side(sign) - gap).abs()).into_iter().fold(0.0, f64::max)
}

/// What a difference counts: less where a ball of so many cells touches within a cell of the bottom, which the grid
/// rounds off by 0.8 % of a cell half a cell aside.
fn share_of(cells: f64, angle: f64) -> f64 {
    if angle > 0.0 && cells * libm::sin(angle) < 1.0 { 0.1 } else { 1.0 }
}

/// A ball from one cell to ten in radius, so that its middle is within the band or beyond, is held by both sides of a
/// groove at their exact distance, and a capsule by its round ends.
#[test]
fn balls_lie_in_grooves_on_both_sides() {
    let mut random = Random(43);
    let mut worst = [0.0_f64; 2];
    for (cell, band) in [(1.0, 3), (1e-3, 3), (64.0, 5)] {
        for degrees in [0.0_f64, 30.0, 45.0, 55.0, 65.0] {
            let (angle, ground) = (degrees.to_radians(), groove(degrees.to_radians(), cell, band));
            for cells in [1.0, 1.7, 2.5, 5.0, 10.0] {
                let radius = cells * cell;
                let margin = 0.05 * radius;
                let ball = Shape::sphere(radius).unwrap();
                let capsule = Shape::capsule(radius, 0.5 * radius).unwrap();
                for depth in [-0.01, 0.005] {
                    let place = lying(radius, angle, depth * radius, cell, random.range(19.0, 21.0) * cell);
                    let along_y = Pose::new(place, granule_model::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
                    let of_ball = touch(&ball, &Pose::from_position(place), &ground, &Pose::IDENTITY, margin);
                    let of_capsule = touch(&capsule, &along_y, &ground, &Pose::IDENTITY, margin);
                    for (kind, points) in [&of_ball, &of_capsule].into_iter().enumerate() {
                        check_form(points, margin);
                        let off = off(points, angle, -depth * radius) / radius;
                        assert!(off.is_finite(), "{degrees} degrees, {cells} cells: {points:?}");
                        worst[kind] = worst[kind].max(off * share_of(cells, angle));
                    }
                    assert!(of_ball.len() <= if degrees == 0.0 { 1 } else { 2 }, "{degrees}, {cells}: {of_ball:?}");
                }
            }
        }
    }
    println!("gaps are off by {worst:?} of the radius");
    // Measured 8.2e-4.
    assert!(worst[0] <= 1e-3 && worst[1] <= 1e-3, "{worst:?}");
}

/// A level-set ball that is smaller than the band is held by both sides of a groove: no sphere around its nodes is left
/// out where distances from two sides are as long.
#[test]
fn grains_lie_in_grooves_on_both_sides() {
    let mut worst = 0.0_f64;
    for degrees in [30.0_f64, 45.0, 55.0, 65.0, 75.0] {
        let (angle, ground) = (degrees.to_radians(), groove(degrees.to_radians(), 1.0, 3));
        for radius in [1.0, 1.7, 2.5, 5.0] {
            let options = GrainOptions { spacing: 0.1 * radius, nodes: 500 };
            let grain = Shape::level_set_of(&Shape::sphere(radius).unwrap(), &options).unwrap();
            for depth in [-0.01, 0.005] {
                let place = lying(radius, angle, depth * radius, 1.0, 20.2);
                let points = touch(&grain, &Pose::from_position(place), &ground, &Pose::IDENTITY, 0.05 * radius);
                let off = off(&points, angle, -depth * radius) / radius;
                assert!(off.is_finite(), "{degrees} degrees, {radius} cells: {points:?}");
                worst = worst.max(off * share_of(radius, angle));
            }
        }
    }
    println!("gaps are off by {worst:e} of the radius");
    // Measured 8.4e-4.
    assert!(worst <= 2e-3, "{worst:e}");
}

/// A grain that touches one side of a groove is told so at the exact gap, whatever the other side is away.
#[test]
fn grains_in_grooves_are_held_by_the_nearer_side() {
    let mut worst = 0.0_f64;
    for degrees in [45.0_f64, 55.0, 75.0] {
        let (angle, ground) = (degrees.to_radians(), groove(degrees.to_radians(), 1.0, 3));
        for radius in [1.7, 2.5, 5.0] {
            let options = GrainOptions { spacing: 0.1 * radius, nodes: 500 };
            let grain = Shape::level_set_of(&Shape::sphere(radius).unwrap(), &options).unwrap();
            for (depth, other) in [(0.005, 0.02), (-0.01, 0.1), (0.005, 0.3), (0.02, 1.0)] {
                let away = [radius * (1.0 - depth), radius * (1.0 + other)];
                let aside = 0.5 * (away[0] - away[1]) / libm::sin(angle);
                let place = DVec3::new(BOTTOM + aside, 20.2, 0.5 * (away[0] + away[1]) / libm::cos(angle));
                for margin in [0.03, 0.3] {
                    let points = touch(&grain, &Pose::from_position(place), &ground, &Pose::IDENTITY, margin * radius);
                    let normal = DVec3::new(libm::sin(angle), 0.0, libm::cos(angle));
                    let nearer = points.iter().filter(|point| point.normal.dot(normal) >= 0.9);
                    let gap = nearer.map(|point| point.gap).fold(f64::INFINITY, f64::min);
                    worst = worst.max((gap / radius + depth).abs());
                }
            }
        }
    }
    println!("gaps are off by {worst:e} of the radius");
    // Measured 2.7e-5.
    assert!(worst <= 2e-4, "{worst:e}");
}
