//! The sound angle of repose on surfaces with known answers: slopes, and what is none.

use glam::{DVec2, DVec3};
use granule_measure::{Fall, FittedLine, Flow, Heights, LongSide, ReposeGrid, Slope, Verdict, pile_end, share_beyond};

/// Heights in `strips` strips of `cells` cells of 1 m by a formula of the way downhill and the strip; grains of 1 m.
fn surface(strips: usize, cells: usize, height: impl Fn(f64, usize) -> f64) -> Heights {
    let strip = |s: usize| (0..cells).map(|k| height(k as f64 + 0.5, s)).collect();
    Heights::new(0.5, 1.0, 0.0, (0..strips).map(strip).collect())
}

/// Grains at rest, of which this share came beyond the end of the pile.
fn resting(share_beyond: Option<f64>) -> Flow {
    Flow { share_beyond, speed: 0.0 }
}

fn verdict(heights: &Heights) -> Verdict {
    let slope = Slope::of(heights, 1.0, resting(None));
    let is_slope = slope.verdict == Verdict::Slope;
    assert_eq!(slope.angle.is_some(), is_slope);
    // No angle under any name.
    assert!(is_slope || slope.strips.iter().all(|s| s.line.is_none()));
    slope.verdict
}

fn wedge(angle_deg: f64) -> impl Fn(f64, usize) -> f64 {
    move |x, _| (8.0 - x * angle_deg.to_radians().tan()).max(0.0)
}

/// Numbers from 0 to 1 and normal ones, from a fixed start.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[test]
fn a_wedge_has_its_angle_and_no_error() {
    for angle in [5.0, 14.0, 30.0, 45.0] {
        let slope = Slope::of(&surface(8, 14, wedge(angle)), 1.0, resting(Some(0.3)));
        let found = slope.angle.unwrap_or_else(|| panic!("{angle} is {:?}", slope.verdict));
        assert!((found.angle_deg - angle).abs() <= 1e-12 && found.standard_error_deg <= 1e-12, "{found:?}");
        assert!((found.toe_to_crest_deg - angle).abs() <= 1e-12 && (found.r2 - 1.0).abs() <= 1e-12, "{found:?}");
        for strip in &slope.strips {
            let line = strip.line.expect("a line");
            assert!(line.standard_error_deg <= 1e-9 && strip.from < strip.to, "{strip:?}");
            let height = |x: f64| 8.0 - x * angle.to_radians().tan();
            assert!((line.height_from - height(strip.from)).abs() <= 1e-12);
            assert!((line.height_to - height(strip.to)).abs() <= 1e-12);
        }
        let step = angle.to_radians().tan();
        assert!((slope.largest_step - step).abs() <= 1e-12, "{} for {step}", slope.largest_step);
    }
}

#[test]
fn the_slope_alone_counts_where_a_plateau_lies_above_and_bare_floor_below() {
    // Flat for 4 m, 30 degrees, floor from 11.8 m on: the middle cells alone are the slope.
    let tan = 30f64.to_radians().tan();
    let heights = surface(4, 18, |x, _| (4.5 - tan * (x - 4.0).max(0.0)).max(0.0));
    let slope = Slope::of(&heights, 1.0, resting(None));
    let found = slope.angle.expect("a slope");
    assert!((found.angle_deg - 30.0).abs() <= 1e-12 && slope.crest == 4.5 && slope.toe == 9.5, "{slope:?}");
    // A line through everything on the same floor is far off: the stretch makes the difference.
    let all: Vec<_> = heights.strips()[0].iter().enumerate().map(|(k, z)| (k as f64, *z)).collect();
    let line = FittedLine::through(&all).expect("a line");
    assert!(line.angle_deg() < 22.0, "{}", line.angle_deg());
}

#[test]
fn a_step_is_a_cliff_and_a_low_one_has_few_cells() {
    for (height, expected) in [(20.0, Verdict::Cliff), (5.0, Verdict::Cliff), (4.0, Verdict::FewCells)] {
        let step = surface(8, 14, |x, _| if x < 7.0 { height } else { 0.0 });
        assert_eq!(verdict(&step), expected, "{height}");
        assert_eq!(Slope::of(&step, 1.0, resting(None)).largest_step, height);
    }
    // In 1 of 8 strips it is not yet the surface's, in 2 it is.
    let torn = |cliffs: usize| {
        surface(8, 14, move |x, s| if s < cliffs { [9.0, 0.0][usize::from(x > 7.0)] } else { wedge(25.0)(x, s) })
    };
    assert_eq!((verdict(&torn(1)), verdict(&torn(2))), (Verdict::Slope, Verdict::Cliff));
    // What cliffs there are in the other strips shows in R2.
    assert!(Slope::of(&torn(1), 1.0, resting(None)).angle.is_some_and(|a| a.r2 < 1.0));
}

/// One step over a bed of grains makes four cells in means of three, and both halves of these are level.
#[test]
fn a_step_above_a_bed_has_no_angle_whatever_its_height() {
    for (high, low) in [(4.0, 1.0), (4.9, 1.0), (5.3, 1.4), (3.0, 1.0), (2.5, 1.0), (5.0, 0.4)] {
        for edge in [5.0, 7.0] {
            let step = surface(8, 14, |x, _| if x < edge { high } else { low });
            // Below 2.25 d the means of three leave no four cells.
            let expected = if high - low > 2.25 { Verdict::Cliff } else { Verdict::FewCells };
            assert_eq!(verdict(&step), expected, "{high} to {low}");
        }
    }
    // Of 200 rough slopes of a low fall, as of spheres with little friction, hardly one is called so.
    let (mut random, mut cliffs) = (Random(3), 0);
    for _ in 0..200 {
        let noise: Vec<f64> = (0..112).map(|_| 0.3 * random.normal()).collect();
        let tan = 8f64.to_radians().tan();
        let rough = surface(8, 14, |x, s| 3.5 - tan * x + noise[14 * s + x as usize]);
        cliffs += usize::from(Slope::of(&rough, 1.0, resting(None)).verdict == Verdict::Cliff);
    }
    // Measured: 0.
    assert!(cliffs <= 2, "{cliffs}");
}

#[test]
fn what_still_flows_has_no_angle() {
    let heights = surface(8, 14, wedge(25.0));
    let of = |speed| Slope::of(&heights, 1.0, Flow { share_beyond: Some(0.01), speed }).verdict;
    assert_eq!((of(0.051), of(f64::INFINITY), of(f64::NAN)), (Verdict::Flowing, Verdict::Flowing, Verdict::Flowing));
    assert_eq!(of(0.05), Verdict::NotFlowed);
}

/// A surface that is cut into more strips than it has grains across has as large an error as one that is not.
#[test]
fn strips_narrower_than_a_grain_make_no_error_smaller() {
    let mut random = Random(11);
    let noise: Vec<f64> = (0..112).map(|_| 0.3 * random.normal()).collect();
    let error = |times: usize| {
        let rough = surface(8 * times, 14, |x, s| (wedge(25.0)(x, s) + noise[14 * (s / times) + x as usize]).max(0.0));
        let rough = rough.with_strip_width(1.0 / times as f64);
        Slope::of(&rough, 1.0, resting(None)).angle.expect("a slope").standard_error_deg
    };
    let whole = error(1);
    for times in [2, 10, 250] {
        // By the other divisor of the variance, 8 n / (8 n - 1) for 8 / 7.
        assert!((error(times) / whole - 1.0).abs() <= 0.07, "{times}: {} for {whole}", error(times));
    }
}

#[test]
fn a_pile_that_reaches_the_end_of_the_floor_has_no_toe() {
    let of = |cells| Slope::of(&surface(8, cells, wedge(25.0)), 1.0, resting(None)).has_toe;
    assert_eq!((of(20), of(12)), (true, false));
}

#[test]
fn bare_cells_are_floor() {
    // A heap of 3 m that ends in the middle of the floor: points exist only above the first half.
    let mut grid =
        Heights::grid((DVec2::ZERO, DVec2::new(20.0, 8.0)), LongSide::X, 8, 1.0).expect("a floor of 20 by 8 cells");
    let cells: Vec<_> = grid.cells().collect();
    assert_eq!(cells.len(), 160);
    for cell in cells.iter().filter(|c| c.max.x <= 10.0) {
        let middle = 0.5 * (cell.min + cell.max);
        assert!(grid.offer_in(cell.index, middle.extend(107.0)));
    }
    let heights = Heights::of_grid(&grid, 100.0, Fall::Positive);
    assert_eq!(heights.strips()[3][9..12], [7.0, 0.0, 0.0]);
    assert_eq!(verdict(&heights), Verdict::Cliff);
    // The paper's measure leaves the bare half out and finds a level surface.
    let tang = grid.measure(Fall::Positive).expect("points");
    assert!(tang.mean.abs() <= 1e-12);
}

#[test]
fn one_grain_a_bare_floor_and_a_level_bed_have_no_angle() {
    let grain = surface(8, 14, |x, s| if s == 3 && (x - 5.0).abs() < 1.0 { 6.0 } else { 0.0 });
    assert_eq!(verdict(&grain), Verdict::FewCells);
    assert_eq!(verdict(&surface(8, 14, |_, _| 0.0)), Verdict::FewCells);
    assert_eq!(verdict(&surface(8, 14, |_, _| 5.0)), Verdict::FewCells);
    assert_eq!(verdict(&surface(1, 2, |x, _| x)), Verdict::FewCells);
    // Seen from its foot a wedge climbs towards the fall.
    assert_eq!(verdict(&surface(8, 14, |x, _| 0.3 * x)), Verdict::FewCells);
}

#[test]
fn a_pile_that_still_stands_has_not_flowed() {
    let wedge = surface(8, 14, wedge(25.0));
    let of = |share| Slope::of(&wedge, 1.0, resting(share)).verdict;
    assert_eq!((of(Some(0.049)), of(Some(0.05)), of(None)), (Verdict::NotFlowed, Verdict::Slope, Verdict::Slope));
    // One centre in a hundred may lie beyond the end.
    let centers: Vec<f64> = (0..100).map(f64::from).collect();
    assert_eq!(pile_end(&centers, 2.0), Some(99.0));
    assert_eq!((pile_end(&centers[..99], 2.0), pile_end(&[], 2.0)), (Some(99.0), None));
    assert_eq!((share_beyond(&centers, 89.5), share_beyond(&[], 0.0)), (0.1, 0.0));
}

#[test]
fn a_bent_profile_is_none() {
    let bent = |upper: f64, lower: f64| {
        surface(8, 14, move |x, _| {
            let tan = |angle: f64| angle.to_radians().tan();
            10.0 - tan(upper) * x.min(7.5) - tan(lower) * (x - 7.5).max(0.0)
        })
    };
    assert_eq!(verdict(&bent(40.0, 10.0)), Verdict::Bent);
    assert_eq!(verdict(&bent(10.0, 40.0)), Verdict::Bent);
    assert_eq!(verdict(&bent(30.0, 20.0)), Verdict::Slope);
    // Scatter alone bends nothing: of 200 rough slopes of 25 degrees none is refused.
    let mut random = Random(5);
    for _ in 0..200 {
        let noise: Vec<f64> = (0..112).map(|_| 0.3 * random.normal()).collect();
        let rough = surface(8, 14, |x, s| (wedge(25.0)(x, s) + noise[14 * s + x as usize]).max(0.0));
        assert_eq!(verdict(&rough), Verdict::Slope);
    }
}

#[test]
fn a_cone_has_its_angle_in_the_strip_through_its_axis() {
    // 7 strips of 3 m, the axis in the middle one; 35 degrees from 12 m of height.
    let tan = 35f64.to_radians().tan();
    let mut grid =
        Heights::grid((DVec2::new(-10.0, -10.5), DVec2::new(20.0, 10.5)), LongSide::X, 7, 1.0).expect("a floor");
    let cells: Vec<_> = grid.cells().collect();
    for cell in cells {
        // The highest point of the cone above a cell is the one nearest to the axis.
        let nearest = DVec2::ZERO.clamp(cell.min, cell.max);
        let z = 12.0 - tan * nearest.length();
        if z > 0.0 {
            assert!(grid.offer_in(cell.index, nearest.extend(z)));
        }
    }
    for fall in [Fall::Positive, Fall::Negative] {
        let slope = Slope::of(&Heights::of_grid(&grid, 0.0, fall), 1.0, resting(None));
        assert_eq!(slope.verdict, Verdict::Slope);
        let axis = slope.strips[3].line.expect("a line");
        if fall == Fall::Positive {
            assert!((axis.angle_deg - 35.0).abs() <= 1e-12, "{axis:?}");
        }
        // Beside the axis a strip is a hyperbola and less steep.
        assert!(slope.strips[1].line.is_some_and(|l| l.angle_deg < axis.angle_deg - 1.0));
    }
}

#[test]
fn neither_direction_nor_place_nor_size_matters() {
    let (tan, mut random) = (25f64.to_radians().tan(), Random(9));
    let noise: Vec<f64> = (0..112).map(|_| 0.2 * random.normal()).collect();
    let expected =
        Slope::of(&surface(8, 14, |x, s| (5.0 - tan * x + noise[14 * s + x as usize]).max(0.0)), 1.0, resting(None));
    let angle = expected.angle.expect("a slope");
    for size in [1e-3, 1.0, 100.0] {
        for (long_side, fall) in
            [LongSide::X, LongSide::Y].into_iter().flat_map(|l| [Fall::Positive, Fall::Negative].map(|f| (l, f)))
        {
            let corner = size * DVec2::new(4096.0, -8192.0);
            let turn = |p: DVec2| if long_side == LongSide::X { p } else { DVec2::new(p.y, p.x) };
            let floor = (corner, corner + size * turn(DVec2::new(14.0, 8.0)));
            let mut grid = Heights::grid(floor, long_side, 8, size).expect("a floor");
            let cells: Vec<_> = grid.cells().collect();
            for cell in cells {
                let middle = 0.5 * (cell.min + cell.max);
                let along = turn(middle - corner).x / size;
                let x = if fall == Fall::Positive { along } else { 14.0 - along };
                let z = (5.0 - tan * x + noise[14 * cell.strip + x as usize]).max(0.0);
                assert!(grid.offer_in(cell.index, middle.extend(size * (z + 300.0))));
            }
            let slope = Slope::of(&Heights::of_grid(&grid, 300.0 * size, fall), size, resting(None));
            let found = slope.angle.expect("a slope");
            // Rounding of coordinates near 1e4 grains.
            assert!((found.angle_deg - angle.angle_deg).abs() <= 1e-8, "{found:?} for {angle:?}");
            assert!((found.standard_error_deg - angle.standard_error_deg).abs() <= 1e-8 && found.r2 > 0.9);
            let sign = if fall == Fall::Positive { 1.0 } else { -1.0 };
            let way = sign * (slope.toe - slope.crest) / size;
            assert!((way - (expected.toe - expected.crest)).abs() <= 1e-8, "{way}");
        }
    }
}

#[test]
fn standard_errors_are_the_scatter_over_many_trials() {
    let (mut random, trials, sigma) = (Random(1), 4000, 0.3);
    let (mut sum, mut squares, mut stated) = (0.0, 0.0, 0.0);
    for _ in 0..trials {
        let points: Vec<_> = (0..9).map(|k| (f64::from(k), -0.4 * f64::from(k) + sigma * random.normal())).collect();
        let line = FittedLine::through(&points).expect("a line");
        sum += line.slope;
        squares += (line.slope + 0.4) * (line.slope + 0.4);
        stated += line.standard_error * line.standard_error;
    }
    let n = f64::from(trials);
    let (mean, scatter, stated) = (sum / n, (squares / n).sqrt(), (stated / n).sqrt());
    // sigma over the root of 60, the sum of squares of the places; errors of 4000 trials are 1.1 % of the scatter.
    let exact = sigma / 60f64.sqrt();
    assert!((scatter / exact - 1.0).abs() < 0.05 && (stated / exact - 1.0).abs() < 0.05, "{scatter} {stated} {exact}");
    assert!((mean + 0.4).abs() < 4.0 * exact / n.sqrt(), "{mean}");
}

#[test]
fn the_angle_of_a_rough_slope_is_right_within_its_stated_error() {
    let (mut random, trials) = (Random(2), 400);
    for (degrees, bias) in [(10.0, 0.5), (20.0, 0.5), (30.0, 0.8), (40.0, 1.5)] {
        let tan = f64::to_radians(degrees).tan();
        let (mut sum, mut squares, mut stated, mut slopes) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..trials {
            let noise: Vec<f64> = (0..112).map(|_| 0.3 * random.normal()).collect();
            let height = |x: f64, s: usize| 6.0 - tan * (x - 3.0).max(0.0) + noise[14 * s + x as usize];
            if let Some(angle) = Slope::of(&surface(8, 14, |x, s| height(x, s).max(0.0)), 1.0, resting(None)).angle {
                slopes += 1.0;
                sum += angle.angle_deg;
                squares += angle.angle_deg * angle.angle_deg;
                stated += angle.standard_error_deg * angle.standard_error_deg;
            }
        }
        let mean: f64 = sum / slopes;
        let (scatter, stated) = ((squares / slopes - mean * mean).sqrt(), f64::sqrt(stated / slopes));
        println!("{degrees}: mean {mean:.2}, scatter {scatter:.2}, stated {stated:.2}, slopes {slopes}");
        assert!((mean - degrees).abs() < bias && slopes > 0.99 * f64::from(trials), "{mean} for {degrees}");
        assert!((stated / scatter - 1.0).abs() < 0.2, "{stated} for {scatter}");
    }
}

#[test]
fn lines_need_three_points_apart() {
    assert_eq!(FittedLine::through(&[(0.0, 0.0), (1.0, 1.0)]), None);
    assert_eq!(FittedLine::through(&[(2.0, 0.0), (2.0, 1.0), (2.0, 5.0)]), None);
    assert_eq!(FittedLine::through(&[(0.0, 0.0), (1.0, f64::NAN), (2.0, 0.0)]), None);
    let level = FittedLine::through(&[(0.0, 3.0), (1.0, 3.0), (2.0, 3.0)]).expect("a line");
    assert_eq!((level.slope, level.standard_error, level.r2), (0.0, 0.0, 0.0));
    assert!(ReposeGrid::new(DVec2::ZERO, DVec2::ONE, LongSide::X).is_ok_and(|mut g| g.offer(DVec3::ZERO)));
}
