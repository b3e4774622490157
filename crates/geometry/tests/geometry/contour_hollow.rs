//! Grooves in ground on a grid, between planes of which distances are known: what lies on both sides is held by both,
//! however large it is against the cells and the band.

use crate::narrow_support::{Random, check_form, touch};
use granule_geometry::{GrainOptions, HeightField, Shape};
use granule_model::{ContactPoint, DQuat, DVec3, Pose};

/// Heights of the ground along x and y, in cells.
const ALONG: [usize; 2] = [80, 40];
/// Where the two planes of a groove meet along x, in cells: on points of the grid, and between them, where the ground
/// is level from one point to the next.
const BOTTOMS: [f64; 2] = [40.5, 41.0];

/// A groove along y about `bottom` between two planes that rise by `angle` \[rad\]; flat for none.
fn groove(angle: f64, bottom: f64, cell: f64, band: u32) -> Shape {
    let height = |k: usize| ((k % ALONG[0]) as f64 + 0.5 - bottom).abs() * libm::tan(angle) * cell;
    let heights: Vec<f64> = (0..ALONG[0] * ALONG[1]).map(height).collect();
    Shape::level_set_ground(HeightField::new(ALONG[0], ALONG[1], [cell; 2], &heights).unwrap(), cell, band).unwrap()
}

/// Where the middle of a ball is so far from the planes on either side, all in metres.
fn between(away: [f64; 2], angle: f64, bottom: f64, y: f64) -> DVec3 {
    let aside = if angle > 0.0 { 0.5 * (away[0] - away[1]) / libm::sin(angle) } else { 0.0 };
    DVec3::new(bottom + aside, y, 0.5 * (away[0] + away[1]) / libm::cos(angle))
}

/// The lowest gap with the side on the left, and with that on the right.
fn gaps(points: &[ContactPoint], angle: f64) -> [f64; 2] {
    [1.0, -1.0].map(|sign| {
        let normal = DVec3::new(sign * libm::sin(angle), 0.0, libm::cos(angle));
        let of_side = points.iter().filter(|point| point.normal.dot(normal) >= 0.99);
        of_side.map(|point| point.gap).fold(f64::INFINITY, f64::min)
    })
}

/// Whether a ball of so many cells is clear of the bottom, which the grid rounds off: it touches the planes more than a
/// cell beside it, and does not reach down to where the ground is level.
fn is_clear(cells: f64, angle: f64) -> bool {
    let (sine, cosine) = libm::sincos(angle);
    angle == 0.0 || cells * sine > 1.2 && cells * (0.95 - cosine) > 0.5 * sine
}

/// A ball from one cell to ten in radius, so that its middle is within the band or beyond, is held by both sides of a
/// groove at their exact distance, and a capsule by its round ends.
#[test]
fn balls_lie_in_grooves_on_both_sides() {
    let mut random = Random(43);
    let mut worst = [0.0_f64; 2];
    let grids = [(1.0, 3), (1e-3, 3), (64.0, 5)];
    let of_grid = |grid| BOTTOMS.map(|bottom| (grid, bottom));
    for ((cell, band), bottom) in grids.into_iter().flat_map(of_grid) {
        for degrees in [0.0_f64, 30.0, 45.0, 55.0, 65.0] {
            let (angle, ground) = (degrees.to_radians(), groove(degrees.to_radians(), bottom, cell, band));
            for cells in [1.0, 1.7, 2.5, 5.0, 10.0].into_iter().filter(|cells| is_clear(*cells, angle)) {
                let radius = cells * cell;
                let margin = 0.05 * radius;
                let ball = Shape::sphere(radius).unwrap();
                let capsule = Shape::capsule(radius, 0.5 * radius).unwrap();
                for depth in [-0.01, 0.005] {
                    let y = random.range(19.0, 21.0) * cell;
                    let place = between([radius * (1.0 - depth); 2], angle, bottom * cell, y);
                    let along_y = Pose::new(place, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
                    let of_ball = touch(&ball, &Pose::from_position(place), &ground, &Pose::IDENTITY, margin);
                    let of_capsule = touch(&capsule, &along_y, &ground, &Pose::IDENTITY, margin);
                    for (kind, points) in [&of_ball, &of_capsule].into_iter().enumerate() {
                        check_form(points, margin);
                        let off =
                            gaps(points, angle).map(|gap| (gap / radius + depth).abs()).into_iter().fold(0.0, f64::max);
                        assert!(off.is_finite(), "{degrees} degrees, {cells} cells: {points:?}");
                        worst[kind] = worst[kind].max(off);
                    }
                    assert!(of_ball.len() <= if degrees == 0.0 { 1 } else { 2 }, "{degrees}, {cells}: {of_ball:?}");
                }
            }
        }
    }
    println!("gaps are off by {worst:?} of the radius");
    // Measured 1.2e-4.
    assert!(worst[0] <= 3e-4 && worst[1] <= 3e-4, "{worst:?}");
}

/// A level-set ball touches one side of a groove, and the other one or not; smaller than the band or larger. It is told
/// so at the exact gap: no sphere around its nodes is left out where distances from two sides are as long.
#[test]
fn grains_in_grooves_are_held_by_each_side_they_touch() {
    let mut worst = 0.0_f64;
    for (degrees, bottom) in [30.0_f64, 45.0, 55.0, 65.0, 75.0].into_iter().flat_map(|d| BOTTOMS.map(|b| (d, b))) {
        let (angle, ground) = (degrees.to_radians(), groove(degrees.to_radians(), bottom, 1.0, 3));
        for radius in [1.0, 1.7, 2.5, 5.0].into_iter().filter(|cells| is_clear(*cells, angle)) {
            let options = GrainOptions { spacing: 0.1 * radius, nodes: 500 };
            let grain = Shape::level_set_of(&Shape::sphere(radius).unwrap(), &options).unwrap();
            for (depth, other) in
                [(-0.01, 0.01), (0.005, -0.005), (0.005, 0.02), (-0.01, 0.1), (0.005, 0.25), (0.02, 1.0)]
            {
                let place = between([1.0 - depth, 1.0 + other].map(|away| radius * away), angle, bottom, 20.2);
                for margin in [0.05, 0.3] {
                    let points = touch(&grain, &Pose::from_position(place), &ground, &Pose::IDENTITY, margin * radius);
                    let told = gaps(&points, angle).map(|gap| gap / radius);
                    let off = (told[0] + depth).abs().max(if other <= margin { (told[1] - other).abs() } else { 0.0 });
                    assert!(off.is_finite(), "{degrees} degrees, {radius} cells, {depth}, {other}: {points:?}");
                    worst = worst.max(off);
                }
            }
        }
    }
    println!("gaps are off by {worst:e} of the radius");
    // Measured 5.7e-4.
    assert!(worst <= 1e-3, "{worst:e}");
}
