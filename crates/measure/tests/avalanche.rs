//! Avalanches and mounds of grains that are put where the answers are known, from a millimetre to a hundred metres.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use granule_measure::{
    AvalancheState, Deposit, DepositError, Descent, Extent, Grain, Mound, Runout, front_speeds, main_outline,
    mass_quantile,
};

const SCALES: [f64; 4] = [1e-3, 1.0, 37.0, 100.0];

/// An oblique direction downslope.
fn downslope() -> DVec2 {
    DVec2::new(0.6, 0.8)
}

/// A box of unit density as a grain, its sides along the axes.
fn block(min: DVec3, max: DVec3, direction: DVec2) -> Grain {
    let (centre, size) = (0.5 * (min + max), max - min);
    let volume = size.element_product();
    let reach = centre.truncate().dot(direction) + 0.5 * size.truncate().dot(direction.abs());
    Grain { volume, min, max, reach, ..Grain::point(volume, centre, direction) }
}

/// A ball of radius `radius` and the given mass.
fn ball(mass: f64, radius: f64, centre: DVec3, direction: DVec2) -> Grain {
    let reach = centre.truncate().dot(direction) + radius;
    let volume = 4.0 / 3.0 * PI * radius.powi(3);
    Grain { volume, min: centre - radius, max: centre + radius, reach, ..Grain::point(mass, centre, direction) }
}

fn close(found: f64, expected: f64, scale: f64) {
    assert!((found - expected).abs() <= 1e-13 * scale, "{found} instead of {expected}");
}

/// A line of 20 balls of one mass, a metre apart: 95 % lie up to the 19th, half up to the 10th. Ten times the mass in
/// the last one moves the quantiles to it.
#[test]
fn the_front_of_a_line_of_grains_by_mass() {
    for s in SCALES {
        let d = downslope();
        let line = |last: f64| -> Vec<Grain> {
            let mass = |k: i32| if k == 19 { last } else { 1.0 };
            (0..20).map(|k| ball(0.1 * mass(k), 0.25 * s, (d * f64::from(k) * s).extend(2.0 * s), d)).collect()
        };
        let state = AvalancheState::of(&line(1.0), d, 0.1).expect("grains");
        close(state.front, 19.25 * s, 20.0 * s);
        close(state.front_95, 18.0 * s, 20.0 * s);
        close(state.front_50, 9.0 * s, 20.0 * s);
        close(state.centre.truncate().dot(d), 9.5 * s, 20.0 * s);
        close(state.mass, 2.0, 2.0);
        let state = AvalancheState::of(&line(190.0), d, 0.1).expect("grains");
        close(state.front_95, 19.0 * s, 20.0 * s);
        close(state.front_50, 19.0 * s, 20.0 * s);
    }
}

/// Two grains of masses 1 and 3, the heavy one slow: three quarters of the mass have stopped, and speeds are weighted.
#[test]
fn speeds_and_what_has_stopped_are_weighted_by_mass() {
    let d = DVec2::X;
    let moving = |mass: f64, v: DVec3| Grain { velocity: v, kinetic_energy: 0.5 * mass, ..Grain::point(mass, v, d) };
    let grains = [moving(1.0, DVec3::X * 4.0), moving(3.0, DVec3::Z * 0.05)];
    let state = AvalancheState::of(&grains, d, 0.1).expect("grains");
    close(state.stopped, 0.75, 1.0);
    close(state.mean_speed, (4.0 + 3.0 * 0.05) / 4.0, 1.0);
    close(state.velocity.x, 1.0, 1.0);
    close(state.velocity.z, 0.0375, 1.0);
    close(state.kinetic_energy, 2.0, 1.0);
    // At the speed itself nothing has stopped: slower it must be.
    assert_eq!(AvalancheState::of(&grains, d, 0.05).expect("grains").stopped, 0.0);
}

/// A block of 2 by 1 by 1 that slides 30 along the direction and 12 down: H from its top to its lower side, L from the
/// middle of its top to its front.
#[test]
fn runout_and_fahrboeschung_of_a_block_that_slides() {
    for s in SCALES {
        let d = DVec2::X;
        let at = |x: f64, z: f64| block(DVec3::new(x, 0.0, z) * s, DVec3::new(x + 2.0, 1.0, z + 1.0) * s, d);
        let way = Runout::between(&[at(0.0, 12.0)], &[at(30.0, 0.0)], d).expect("a block");
        for found in [way.farthest, way.mass_95, way.mass_50, way.centre.length] {
            close(found, 30.0 * s, 30.0 * s);
        }
        close(way.centre.height, 12.0 * s, 30.0 * s);
        close(way.whole.height, 13.0 * s, 30.0 * s);
        close(way.whole.length, 31.0 * s, 30.0 * s);
        close(way.whole.ratio().expect("a way down"), 13.0 / 31.0, 1.0);
        close(way.centre.angle_deg().expect("a way down"), libm::atan(0.4).to_degrees(), 90.0);
        // Up the slope there is a way, but no ratio.
        let back = Runout::between(&[at(30.0, 0.0)], &[at(0.0, 12.0)], d).expect("a block");
        close(back.farthest, -30.0 * s, 30.0 * s);
        assert_eq!((back.centre.ratio(), back.whole.angle_deg()), (None, None));
    }
}

/// The top of the source and the toe may be of different grains; of two equally high the one farther back counts.
#[test]
fn top_and_toe_are_those_of_the_grains_that_are_there() {
    let d = DVec2::X;
    let at = |x: f64, z: f64| ball(1.0, 0.5, DVec3::new(x, 0.0, z), d);
    let start = [at(0.0, 10.0), at(5.0, 10.0), at(8.0, 4.0)];
    let end = [at(20.0, 3.0), at(40.0, 1.0), at(40.0, 2.0)];
    let whole = Runout::between(&start, &end, d).expect("grains").whole;
    close(whole.height, 10.5 - 0.5, 10.0);
    close(whole.length, 40.5, 40.0);
}

/// A front at constant speed has that speed, whatever the direction; centres that shuffle behind it do not matter.
#[test]
fn a_front_of_constant_speed() {
    for s in SCALES {
        let d = downslope();
        let at = |t: f64| -> Vec<Grain> {
            (0..40).map(|k| ball(1.0, 0.1 * s, (d * s * (f64::from(k) + 7.0 * t)).extend(-3.0 * t), d)).collect()
        };
        let speeds = front_speeds(&at(0.3), &at(0.55), d, 0.25).expect("time passes");
        speeds.iter().for_each(|v| close(*v, 7.0 * s, 400.0 * s));
        assert_eq!(front_speeds(&at(0.3), &at(0.3), d, 0.0), None);
    }
}

#[test]
fn without_mass_there_is_nothing_and_one_grain_is_enough() {
    let d = DVec2::X;
    let bad = [Grain::point(0.0, DVec3::ONE, d), Grain::point(1.0, DVec3::NAN, d), Grain::point(f64::NAN, DVec3::X, d)];
    for grains in [&[][..], &bad[..]] {
        assert_eq!(AvalancheState::of(grains, d, 0.1), None);
        assert_eq!(Runout::between(grains, grains, d), None);
        assert_eq!(Mound::of(grains, None, 0.0), None);
        assert_eq!(Deposit::of(grains, 1.0), Err(DepositError::Empty));
    }
    assert_eq!(mass_quantile([], 0.95), None);
    let one = [ball(2.0, 1.0, DVec3::new(3.0, 4.0, 1.0), d)];
    let state = AvalancheState::of(&one, d, 0.1).expect("a grain");
    assert_eq!((state.front, state.front_95, state.front_50, state.stopped), (4.0, 3.0, 3.0, 1.0));
    let still = Runout::between(&one, &one, d).expect("a grain");
    assert_eq!((still.farthest, still.centre), (0.0, Descent { height: 0.0, length: 0.0 }));
    assert_eq!(still.centre.ratio(), None);
    let mound = Mound::of(&one, None, 0.0).expect("a grain");
    assert_eq!((mound.height, mound.radius_95, mound.mean_slope_deg), (2.0, 0.0, None));
}

/// A layer of blocks of 1 by 1 by 0.5 on a rectangle of 8 by 4: thickness 0.5 in 32 cells. Half way up its side the
/// outline runs along the borders of cells and cuts each corner by an eighth of a cell.
#[test]
fn the_outline_of_a_rectangle() {
    for s in SCALES {
        let d = DVec2::X;
        let corner = |k: i32| DVec3::new(f64::from(k % 8) - 3.0, f64::from(k / 8) + 5.0, 0.0) * s;
        let layer: Vec<Grain> =
            (0..32).map(|k| block(corner(k), corner(k) + DVec3::new(1.0, 1.0, 0.5) * s, d)).collect();
        let deposit = Deposit::of(&layer, s).expect("a deposit");
        assert_eq!((deposit.columns, deposit.rows), (10, 6));
        close(deposit.volume(), 16.0 * s.powi(3), 16.0 * s.powi(3));
        close(deposit.thickest().1, 0.5 * s, s);
        let lines = deposit.contour(0.25 * s);
        let all = Extent::of(&lines, d).expect("an outline");
        assert_eq!((lines.len(), all.pieces), (1, 1));
        close(all.area, (32.0 - 4.0 / 8.0) * s * s, 32.0 * s * s);
        close(all.length, 8.0 * s, 32.0 * s);
        close(all.width, 4.0 * s, 32.0 * s);
        let turned = Extent::of(&lines, DVec2::Y).expect("an outline");
        close(turned.length, 4.0 * s, 32.0 * s);
        // Nowhere so thick.
        assert_eq!(Extent::of(&deposit.contour(0.6 * s), d), None);
    }
}

/// A ring of blocks has a hole, which is no part of its area; a block beside it is a piece of its own.
#[test]
fn holes_are_taken_off_and_pieces_counted() {
    let d = DVec2::X;
    let cube = |x: i32, y: i32| {
        let min = DVec3::new(f64::from(x), f64::from(y), 0.0);
        block(min, min + 1.0, d)
    };
    let ring = (0..25).filter(|k| k % 5 != 2 || k / 5 != 2).map(|k| cube(k % 5, k / 5));
    let grains: Vec<Grain> = ring.chain([cube(9, 2)]).collect();
    let lines = Deposit::of(&grains, 1.0).expect("a deposit").contour(0.5);
    let all = Extent::of(&lines, d).expect("outlines");
    assert_eq!((lines.len(), all.pieces), (3, 2));
    // 25 cells less four corners, less the diamond of half a cell, and the diamond of the single block.
    close(all.area, 25.0 - 0.5 - 0.5 + 0.5, 25.0);
    close(all.length, 10.0, 25.0);
    let main = Extent::of(main_outline(&lines), d).expect("the largest");
    close(main.area, 24.5, 25.0);
    close(main.length, 5.0, 25.0);
}

/// The raster holds the volume of grains wherever they lie, and refuses to be larger than memory.
#[test]
fn a_raster_holds_all_volume_or_is_refused() {
    let d = DVec2::X;
    let balls: Vec<Grain> = (0..50)
        .map(|k| {
            let k = f64::from(k);
            ball(1.0, 0.1 + 0.02 * k, DVec3::new(2.7e6 + 1.37 * k, 1.2e6 - 0.71 * k, k), d)
        })
        .collect();
    let volume: f64 = balls.iter().map(|g| g.volume).sum();
    for cell in [0.3, 1.0, 17.0] {
        // 1e-8: places of 2.7e6 m have 5e-10 m left for the share of a cell, of boxes of 0.2 m and more.
        let held = Deposit::of(&balls, cell).expect("a deposit").volume();
        assert!((held / volume - 1.0).abs() < 1e-8, "{held} of {volume}");
    }
    let apart = [balls[0], Grain::point(1.0, DVec3::X * 1e9, d)];
    assert!(matches!(Deposit::of(&apart, 1.0), Err(DepositError::TooLarge { cell: 1.0, .. })));
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Deposit::of(&balls, cell), Err(DepositError::Cell(_))), "{cell}");
    }
}

/// A disc of rings with the mass of their area: 95 % lie within sqrt(0.95) of the radius.
#[test]
fn the_radius_of_a_disc() {
    for s in SCALES {
        let rings = 400;
        let mut grains = Vec::new();
        for k in 0..rings {
            let radius = (f64::from(k) + 0.5) / f64::from(rings) * s;
            for j in 0..12 {
                let angle = PI / 6.0 * f64::from(j);
                let at = DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), 0.0);
                grains.push(Grain::point(radius, at + DVec3::new(5.0, -3.0, 0.0) * s, DVec2::X));
            }
        }
        let mound = Mound::of(&grains, None, 0.0).expect("a disc");
        close(mound.centre.x, 5.0 * s, 10.0 * s);
        // 0.97467; the answer is one of the rings, 1/400 apart.
        assert!((mound.radius_95 / s - 0.95f64.sqrt()).abs() < 1.0 / 400.0, "{}", mound.radius_95 / s);
        close(mound.mean_slope_deg.expect("a disc has a radius"), 0.0, 1.0);
    }
}

/// A cone of height 0.6 and radius 1 filled with columns: 95 % lie within 0.8647 of the radius, where
/// 3 r^2 - 2 r^3 = 0.95, and the mean slope is that of the cone.
#[test]
fn height_radius_and_slope_of_a_cone() {
    for s in SCALES {
        let (rings, height) = (1000, 0.6);
        let mut grains = Vec::new();
        for k in 0..rings {
            let r = (f64::from(k) + 0.5) / f64::from(rings);
            let top = height * (1.0 - r);
            for j in 0..4 {
                let side = DVec2::from_array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][j]) * r;
                let centre = side.extend(0.5 * top + 7.0) * s;
                let column = Grain::point(r * top, centre, DVec2::X);
                grains.push(Grain { max: side.extend(top + 7.0) * s, ..column });
            }
        }
        for centre in [None, Some(DVec2::ZERO)] {
            let mound = Mound::of(&grains, centre, 7.0 * s).expect("a cone");
            // The highest column stands half a ring beside the axis.
            close(mound.height, height * (1.0 - 0.5e-3) * s, 10.0 * s);
            assert!((mound.radius_95 / s - 0.8647).abs() < 1e-3, "{}", mound.radius_95 / s);
            let slope = mound.mean_slope_deg.expect("a cone has a radius");
            // 30.9638; measured 30.9638.
            assert!((slope - libm::atan(height).to_degrees()).abs() < 1e-3, "{slope}");
        }
        let from_beside = Mound::of(&grains, Some(DVec2::new(10.0, 0.0) * s), 7.0 * s).expect("a cone");
        assert!(from_beside.radius_95 > 10.0 * s);
    }
}
