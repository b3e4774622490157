//! A straight line by least squares, with its standard error and coefficient of determination.

use serde::{Deserialize, Serialize};

/// The line `z = height + slope * x` nearest to points in the sense of least squares in z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedLine {
    /// Height at `x` 0, in the unit of z.
    pub height: f64,
    /// Slope \[-\].
    pub slope: f64,
    /// Standard error of the slope \[-\], for scatter that is independent from point to point.
    pub standard_error: f64,
    /// Share of the scatter of z that the line explains \[-\], from 0 to 1; 0 where all z are equal.
    pub r2: f64,
}

impl FittedLine {
    /// Fewest points that determine a line and its error.
    pub const FEWEST: usize = 3;

    /// The line through `points` (x, z); `None` for fewer than [`Self::FEWEST`], for one x only and for values not
    /// finite.
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        if points.len() < Self::FEWEST {
            return None;
        }
        let count = points.len() as f64;
        let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
        // Moments about the mean: a floor far from the origin costs no digits.
        let (mean_x, mean_z) = (mean(|p| p.0), mean(|p| p.1));
        let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
        for (x, z) in points {
            let (x, z) = (x - mean_x, z - mean_z);
            xx += x * x;
            xz += x * z;
            zz += z * z;
        }
        let slope = xz / xx;
        // Summed from the residuals: a difference of moments would leave rounding instead of zero on an exact line.
        let residual = |p: &(f64, f64)| (p.1 - mean_z) - slope * (p.0 - mean_x);
        let rest: f64 = points.iter().map(|p| residual(p) * residual(p)).sum();
        let standard_error = (rest / (count - 2.0) / xx).sqrt();
        let r2 = if zz > 0.0 { (1.0 - rest / zz).max(0.0) } else { 0.0 };
        let line = FittedLine { height: mean_z - slope * mean_x, slope, standard_error, r2 };
        (line.height.is_finite() && standard_error.is_finite()).then_some(line)
    }

    /// Angle below the horizontal towards larger x \[degrees\].
    pub fn angle_deg(&self) -> f64 {
        libm::atan(-self.slope).to_degrees()
    }

    /// Standard error of that angle \[degrees\], to first order.
    pub fn angle_error_deg(&self) -> f64 {
        (self.standard_error / (1.0 + self.slope * self.slope)).to_degrees()
    }
}

/// Mean of values and its standard error; the error is NaN for one value, both for none.
pub fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|v| (v - mean) * (v - mean)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}
