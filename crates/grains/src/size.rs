//! Distributions of sizes, by number and by mass.
//!
//! Grading curves are of mass: so many per cent of the mass pass a sieve. Grains are drawn one by one, by number. A
//! grain of size `d` has a mass in proportion to `d^3`, so the number density is the mass density over `d^3`; that
//! holds if the shape does not change with size. Everything is computed in units of the largest size.
//!
//! Sizes are lengths of one kind, whichever the caller takes them for: hand them on as
//! [`Size::EquivalentDiameter`](crate::Size) or, for tables of sieves, as [`Size::Sieve`](crate::Size).

use crate::error::SizeError;
use crate::limits::{LONGEST, SHORTEST};
use crate::random::Random;

/// Largest standard deviation of the logarithm: sizes over 100 to 1 within one of them are no grading.
const WIDEST: f64 = 4.0;
/// Halvings after which the inverse of the normal distribution is known to the last bit.
const HALVINGS: usize = 64;

/// What the density of a distribution counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Grains.
    #[default]
    Number,
    /// Their mass.
    Mass,
}

/// How sizes are distributed. All lengths in \[m\], 1e-12 to 1e12.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeDistribution {
    /// All of one size.
    Fixed(f64),
    /// The same density at all sizes between two.
    Uniform {
        /// Smallest size \[m\].
        min: f64,
        /// Largest size \[m\].
        max: f64,
        /// Density of what.
        by: By,
    },
    /// The logarithm of the size is normal, cut off at two sizes.
    LogNormal {
        /// Median before the cut, of number or mass as `by` says \[m\].
        median: f64,
        /// Standard deviation of the natural logarithm, above 0 to 4 \[-\].
        sigma: f64,
        /// Smallest size \[m\].
        min: f64,
        /// Largest size \[m\].
        max: f64,
        /// Median of what.
        by: By,
    },
    /// A grading curve: openings of sieves \[m\], ascending, and per cent of the mass that pass, from 0 to 100. Between
    /// two sieves the curve is a straight line over the logarithm of the size.
    Sieve(Vec<(f64, f64)>),
}

impl SizeDistribution {
    /// The distribution, checked and made ready to draw from.
    pub fn sampler(&self) -> Result<SizeSampler, SizeError> {
        let law = match self {
            SizeDistribution::Fixed(size) => Law::Fixed(length("the size", *size)?),
            SizeDistribution::Uniform { min, max, by } => {
                check_order(*min, *max)?;
                match by {
                    By::Number => Law::Even { min: *min, max: *max },
                    By::Mass => Law::Power(vec![Interval::new(*min, *max, *max, 2, 1.0)]),
                }
            }
            SizeDistribution::LogNormal { median, sigma, min, max, by } => {
                log_normal(length("the median", *median)?, *sigma, *min, *max, *by)?
            }
            SizeDistribution::Sieve(table) => sieves(table)?,
        };
        Ok(SizeSampler { law })
    }

    /// Share of the log-normal distribution, of number or mass as it is by, that its smallest and largest size leave,
    /// 0 to 1; 1 of other distributions, which are not cut.
    pub fn share_kept(&self) -> f64 {
        match self {
            SizeDistribution::LogNormal { median, sigma, min, max, .. } => {
                let below = |size: f64| normal(libm::log(size / median) / sigma);
                below(*max) - below(*min)
            }
            _ => 1.0,
        }
    }
}

/// A distribution of sizes to draw from.
#[derive(Clone, Debug)]
pub struct SizeSampler {
    law: Law,
}

#[derive(Clone, Debug)]
enum Law {
    Fixed(f64),
    Even {
        min: f64,
        max: f64,
    },
    /// Intervals with a number density of a power of the size.
    Power(Vec<Interval>),
    /// Sizes `unit exp(sign sigma z)`, `z` normal between two values whose probabilities are given.
    LogNormal {
        unit: f64,
        slope: f64,
        z: [f64; 2],
        probability: [f64; 2],
        bounds: [f64; 2],
    },
}

/// Sizes from `min` to `max` with a number density in proportion to `d^-(power + 1)`.
#[derive(Clone, Copy, Debug)]
struct Interval {
    min: f64,
    max: f64,
    power: u32,
    /// Numbers in it, and in it with all before, up to a common factor.
    number: f64,
    end: f64,
}

impl Interval {
    /// `weight` times the integral of `unit^power d^-(power + 1)` over the interval, times `power`.
    fn new(min: f64, max: f64, unit: f64, power: u32, weight: f64) -> Self {
        let number = weight * (raise(unit / min, power) - raise(unit / max, power));
        Interval { min, max, power, number, end: number }
    }

    /// The size below which the share `share` of the numbers lies.
    fn quantile(&self, share: f64) -> f64 {
        let ratio = raise(self.min / self.max, self.power);
        let size = self.min * libm::pow(1.0 - share * (1.0 - ratio), -1.0 / f64::from(self.power));
        size.clamp(self.min, self.max)
    }
}

impl SizeSampler {
    /// The size \[m\] of one grain, drawn by number.
    pub fn sample(&self, random: &mut Random) -> f64 {
        self.quantile(random.unit())
    }

    /// The size \[m\] below which the share `share` of the number of grains lies; shares beyond 0 to 1 (and NaN) count
    /// as the nearer end.
    pub fn quantile(&self, share: f64) -> f64 {
        let share = if share > 0.0 { share.min(1.0) } else { 0.0 };
        match &self.law {
            Law::Fixed(size) => *size,
            Law::Even { min, max } => (min + share * (max - min)).clamp(*min, *max),
            Law::Power(intervals) => in_intervals(intervals, share),
            Law::LogNormal { unit, slope, z, probability, bounds } => {
                // The probabilities are those of the tail in which they are small, so sizes may run against them.
                let share = if *slope < 0.0 { 1.0 - share } else { share };
                let target = probability[0] + share * (probability[1] - probability[0]);
                let size = unit * libm::exp(slope * inverse_normal(target, *z));
                size.clamp(bounds[0], bounds[1])
            }
        }
    }
}

/// A whole power by products: what `powi` gives is left to the platform.
fn raise(x: f64, power: u32) -> f64 {
    (0..power).fold(1.0, |product, _| product * x)
}

fn in_intervals(intervals: &[Interval], share: f64) -> f64 {
    let total = intervals.last().map_or(0.0, |i| i.end);
    let target = share * total;
    let found = intervals.iter().find(|i| i.number > 0.0 && i.end >= target).or(intervals.last());
    found.map_or(f64::NAN, |i| i.quantile(((target - (i.end - i.number)) / i.number).clamp(0.0, 1.0)))
}

/// By mass the number density is again log-normal: `d^-3` moves the median by `exp(-3 sigma^2)` (Hatch and Choate
/// 1929).
fn log_normal(median: f64, sigma: f64, min: f64, max: f64, by: By) -> Result<Law, SizeError> {
    check_order(min, max)?;
    if !(sigma > 0.0 && sigma <= WIDEST) {
        return Err(SizeError::Sigma { value: sigma, max: WIDEST });
    }
    let median = if by == By::Mass { median * libm::exp(-3.0 * sigma * sigma) } else { median };
    let place = |size: f64| libm::log(size / median) / sigma;
    let (low, high) = (place(min), place(max));
    // The lower tail keeps its relative accuracy: of an interval above the median its mirror image is used.
    let (slope, z) = if low + high > 0.0 { (-sigma, [-high, -low]) } else { (sigma, [low, high]) };
    let probability = z.map(normal);
    if probability[1] <= probability[0] {
        return Err(SizeError::Empty { median, min, max });
    }
    Ok(Law::LogNormal { unit: median, slope, z, probability, bounds: [min, max] })
}

/// Between sieves the mass density over `ln d` is constant, so the number density over `d` falls as `d^-4`.
fn sieves(table: &[(f64, f64)]) -> Result<Law, SizeError> {
    check_sieves(table)?;
    let largest = table[table.len() - 1].0;
    let mut end = 0.0;
    let mut intervals = Vec::new();
    for pair in table.windows(2) {
        let ((min, below), (max, above)) = (pair[0], pair[1]);
        let density = (above - below) / libm::log(max / min);
        let mut interval = Interval::new(min, max, largest, 3, density);
        end += interval.number;
        interval.end = end;
        intervals.push(interval);
    }
    Ok(Law::Power(intervals))
}

fn check_sieves(table: &[(f64, f64)]) -> Result<(), SizeError> {
    let (Some(&(_, first)), Some(&(_, last))) = (table.first(), table.last()) else {
        return Err(SizeError::ShortTable { rows: 0 });
    };
    if table.len() < 2 {
        return Err(SizeError::ShortTable { rows: 1 });
    }
    for (row, &(opening, percent)) in table.iter().enumerate() {
        length("an opening", opening)?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(SizeError::Percent { row, value: percent });
        }
        if row > 0 && opening <= table[row - 1].0 {
            return Err(SizeError::OpeningsNotAscending { row });
        }
        if row > 0 && percent < table[row - 1].1 {
            return Err(SizeError::PercentFalls { row });
        }
    }
    if first == 0.0 && last == 100.0 { Ok(()) } else { Err(SizeError::OpenEnds { first, last }) }
}

fn length(what: &'static str, value: f64) -> Result<f64, SizeError> {
    if (SHORTEST..=LONGEST).contains(&value) { Ok(value) } else { Err(SizeError::Length { what, value }) }
}

fn check_order(min: f64, max: f64) -> Result<(), SizeError> {
    length("the smallest size", min)?;
    length("the largest size", max)?;
    if min < max { Ok(()) } else { Err(SizeError::Order { min, max }) }
}

/// Probability that a normal number lies below `z`.
fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The place between two others below which a normal number lies with the given probability, by bisection.
fn inverse_normal(probability: f64, [mut low, mut high]: [f64; 2]) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if normal(middle) < probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
