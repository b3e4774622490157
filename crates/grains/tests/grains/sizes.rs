//! Sizes drawn, held against the distributions they come from.

use granule_grains::{By, Random, SizeDistribution, SizeError, Subject};

/// Sizes at the middles of `n` equal shares of the number: the distribution without the scatter of drawing.
fn spread(distribution: &SizeDistribution, n: usize) -> Vec<f64> {
    let sampler = distribution.sampler().unwrap();
    (0..n).map(|i| sampler.quantile((i as f64 + 0.5) / n as f64)).collect()
}

fn drawn(distribution: &SizeDistribution, n: u64) -> Vec<f64> {
    let sampler = distribution.sampler().unwrap();
    (0..n).map(|i| sampler.sample(&mut Random::of(5, Subject::Size, i))).collect()
}

fn moment(sizes: &[f64], power: i32) -> f64 {
    sizes.iter().map(|d| d.powi(power)).sum::<f64>() / sizes.len() as f64
}

/// Share of the mass below `size`.
fn passing(sizes: &[f64], size: f64) -> f64 {
    sizes.iter().filter(|&&d| d <= size).map(|d| d.powi(3)).sum::<f64>() / (moment(sizes, 3) * sizes.len() as f64)
}

/// A sandy gravel.
fn gravel() -> Vec<(f64, f64)> {
    vec![(0.5e-3, 0.0), (1e-3, 8.0), (2e-3, 25.0), (4e-3, 60.0), (5.6e-3, 60.0), (8e-3, 100.0)]
}

/// Per cent passing by the rule of the table: a straight line over the logarithm of the size.
fn percent(table: &[(f64, f64)], size: f64) -> f64 {
    let row = table.windows(2).find(|w| size <= w[1].0).unwrap();
    let ((min, below), (max, above)) = (row[0], row[1]);
    below + (above - below) * (size / min).ln() / (max / min).ln()
}

#[test]
fn a_grading_curve_is_met_by_mass() {
    let table = gravel();
    let distribution = SizeDistribution::Sieve(table.clone());
    let sizes = ["shares", "drawn"].map(|how| {
        let n = 200_000;
        if how == "shares" { spread(&distribution, n) } else { drawn(&distribution, n as u64) }
    });
    let off = |sizes: &[f64]| {
        let places = (1..=40).map(|i| 0.5e-3 * 16f64.powf(f64::from(i) / 40.0 * 0.9999));
        places.map(|d| (100.0 * passing(sizes, d) - percent(&table, d)).abs()).fold(0.0, f64::max)
    };
    // Per cent. By shares 0.031: the coarsest of the 200 000 sizes hold that share of the mass each. Drawn: of 200 000
    // grains the few coarse ones hold 40 % of the mass.
    assert!(off(&sizes[0]) <= 0.05, "{}", off(&sizes[0]));
    assert!(off(&sizes[1]) <= 2.0, "{}", off(&sizes[1]));
    // Nothing lies where the curve is level.
    assert!(sizes.iter().flatten().all(|&d| !(4.0001e-3..5.5999e-3).contains(&d)));
    // Negative control: counted by number the curve is far off.
    let by_number = sizes[1].iter().filter(|&&d| d <= 1e-3).count() as f64 / sizes[1].len() as f64;
    assert!(by_number > 0.5, "{by_number}");
}

#[test]
fn uniform_sizes_have_their_moments() {
    let (min, max) = (1e-3, 3e-3);
    let by = |by| spread(&SizeDistribution::Uniform { min, max, by }, 20_000);
    let number = by(By::Number);
    assert!((moment(&number, 1) / 2e-3 - 1.0).abs() <= 1e-8);
    assert!((moment(&number, 2) / (13e-6 / 3.0) - 1.0).abs() <= 1e-8);
    // By mass the mean weighted with d^3 is the middle, and a quarter of the mass lies below the first quarter.
    let mass = by(By::Mass);
    assert!((moment(&mass, 4) / moment(&mass, 3) / 2e-3 - 1.0).abs() <= 1e-7);
    assert!((passing(&mass, 1.5e-3) - 0.25).abs() <= 1e-4);
}

/// Hardly cut off, moments are `m^k exp(k^2 sigma^2 / 2)`; by mass the median of mass is the one given.
#[test]
fn log_normal_sizes_have_their_moments() {
    let (median, sigma) = (2e-3, 0.25);
    let of = |by| spread(&SizeDistribution::LogNormal { median, sigma, min: 1e-4, max: 4e-2, by }, 100_000);
    let number = of(By::Number);
    for k in [1, 2, 3] {
        let exact = median.powi(k) * (f64::from(k * k) * sigma * sigma / 2.0).exp();
        assert!((moment(&number, k) / exact - 1.0).abs() <= 1e-4, "{k} {}", moment(&number, k) / exact - 1.0);
    }
    let mass = of(By::Mass);
    assert!((passing(&mass, median) - 0.5).abs() <= 1e-4, "{}", passing(&mass, median));
    // One standard deviation above: 84.134 %.
    assert!((passing(&mass, median * sigma.exp()) - 0.841_344_7).abs() <= 1e-4);
}

/// Cut off far in a tail, where the probabilities themselves are 1e-20: sizes still fill the interval, and over the
/// half of it where there are more the counts fall as the density.
#[test]
fn a_tail_of_a_log_normal_distribution_is_drawn_from() {
    for (min, max) in [(1e-3 * 2.6f64.exp(), 1e-3 * 2.9f64.exp()), (1e-3 * (-2.9f64).exp(), 1e-3 * (-2.6f64).exp())] {
        let distribution = SizeDistribution::LogNormal { median: 1e-3, sigma: 0.3, min, max, by: By::Number };
        let sizes = spread(&distribution, 10_000);
        assert!(sizes.is_sorted() && sizes.iter().all(|d| (min..=max).contains(d)));
        let density = |x: f64| (-x * x / 0.18).exp();
        let (mut all, mut near) = (0.0, 0.0);
        for i in 0..10_000 {
            let x = 2.6 + 0.3 * (f64::from(i) + 0.5) / 1e4;
            all += density(x);
            near += if x < 2.65 { density(x) } else { 0.0 };
        }
        let counted = sizes.iter().filter(|d| (**d / 1e-3).ln().abs() < 2.65).count() as f64 / 1e4;
        assert!((counted - near / all).abs() <= 2e-4, "{counted} {}", near / all);
    }
}

#[test]
fn sizes_scale_and_repeat() {
    let table = |scale: f64| SizeDistribution::Sieve(gravel().iter().map(|&(d, p)| (d * scale, p)).collect());
    let (small, large) = (drawn(&table(1.0), 1000), drawn(&table(1e5), 1000));
    assert!(small.iter().zip(&large).all(|(s, l)| (l / s / 1e5 - 1.0).abs() <= 1e-12));
    assert_eq!(small, drawn(&table(1.0), 1000));
    let fixed = SizeDistribution::Fixed(0.02).sampler().unwrap();
    assert_eq!(fixed.sample(&mut Random::new(1)), 0.02);
    let sampler = table(1.0).sampler().unwrap();
    for (share, size) in [(0.0, 0.5e-3), (-1.0, 0.5e-3), (f64::NAN, 0.5e-3), (1.0, 8e-3), (2.0, 8e-3)] {
        assert!((sampler.quantile(share) / size - 1.0).abs() <= 1e-12);
    }
}

#[test]
fn hostile_distributions_are_errors() {
    let sieve = |table: &[(f64, f64)]| SizeDistribution::Sieve(table.to_vec()).sampler().err().unwrap();
    let nan = f64::NAN;
    assert_eq!(sieve(&[]), SizeError::ShortTable { rows: 0 });
    assert_eq!(sieve(&[(1.0, 100.0)]), SizeError::ShortTable { rows: 1 });
    assert_eq!(sieve(&[(1.0, 0.0), (1.0, 100.0)]), SizeError::OpeningsNotAscending { row: 1 });
    assert_eq!(sieve(&[(1.0, 0.0), (2.0, 101.0)]), SizeError::Percent { row: 1, value: 101.0 });
    assert!(matches!(sieve(&[(1.0, 0.0), (2.0, nan), (3.0, 100.0)]), SizeError::Percent { row: 1, .. }));
    assert_eq!(sieve(&[(1.0, 0.0), (2.0, 50.0), (3.0, 40.0), (4.0, 100.0)]), SizeError::PercentFalls { row: 2 });
    assert_eq!(sieve(&[(1.0, 5.0), (2.0, 100.0)]), SizeError::OpenEnds { first: 5.0, last: 100.0 });
    assert_eq!(sieve(&[(1.0, 0.0), (2.0, 90.0)]), SizeError::OpenEnds { first: 0.0, last: 90.0 });
    for x in [nan, 0.0, -1.0, 1e300, f64::INFINITY] {
        assert!(matches!(sieve(&[(x, 0.0), (2.0, 100.0)]), SizeError::Length { .. }));
        for by in [By::Number, By::Mass] {
            let uniform = SizeDistribution::Uniform { min: x, max: 1.0, by };
            let normal = SizeDistribution::LogNormal { median: 1.0, sigma: x, min: 0.5, max: 2.0, by };
            let middle = SizeDistribution::LogNormal { median: x, sigma: 1.0, min: 0.5, max: 2.0, by };
            assert!(uniform.sampler().is_err() && normal.sampler().is_err() && middle.sampler().is_err());
        }
    }
    let order = SizeDistribution::Uniform { min: 2.0, max: 2.0, by: By::Number };
    assert_eq!(order.sampler().err(), Some(SizeError::Order { min: 2.0, max: 2.0 }));
    let empty = SizeDistribution::LogNormal { median: 1e-9, sigma: 0.1, min: 1.0, max: 2.0, by: By::Number };
    assert!(matches!(empty.sampler(), Err(SizeError::Empty { .. })));
}

#[test]
fn the_share_that_a_cut_leaves_is_that_of_the_normal_distribution() {
    let cut =
        |median: f64, by| SizeDistribution::LogNormal { median, sigma: 0.5, min: 1.0, max: std::f64::consts::E, by };
    for by in [By::Number, By::Mass] {
        // From the median to two standard deviations, the other way round, and beyond four.
        assert!((cut(1.0, by).share_kept() - 0.477_249_868).abs() < 1e-9);
        assert!((cut(std::f64::consts::E, by).share_kept() - 0.477_249_868).abs() < 1e-9);
        assert!(cut((-2.0_f64).exp(), by).share_kept() < 3.2e-5);
    }
    assert_eq!(SizeDistribution::Fixed(1.0).share_kept(), 1.0);
}
