//! Order and constant of an error that falls with the step.

/// Errors below this are rounding, which has no order \[-\].
const ROUNDING: f64 = 1e-10;

/// `error = constant (step / time)^order`, by least squares of the logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Power of the step \[-\].
    pub order: f64,
    /// Error at a step as long as the time of the study \[-\].
    pub constant: f64,
}

impl Fit {
    /// Of pairs of a step over the time of the study and the error there. None where fewer than three errors are above
    /// rounding, 1e-10, or one is no number.
    pub fn of(points: &[(f64, f64)]) -> Option<Fit> {
        if points.iter().any(|(step, error)| !(step.is_finite() && error.is_finite())) {
            return None;
        }
        let above = points.iter().filter(|(step, error)| *error > ROUNDING && *step > 0.0);
        let logs: Vec<(f64, f64)> = above.map(|(step, error)| (libm::log(*step), libm::log(*error))).collect();
        let count = logs.len() as f64;
        if logs.len() < 3 {
            return None;
        }
        let (x, y) = logs.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / count, sum.1 + p.1 / count));
        let (xx, xy) =
            logs.iter().fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - x).powi(2), sum.1 + (p.0 - x) * (p.1 - y)));
        let order = xy / xx;
        order.is_finite().then(|| Fit { order, constant: libm::exp(y - order * x) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_is_found_and_rounding_has_none() {
        let points: Vec<(f64, f64)> = (0..6).map(|k| 0.5_f64.powi(k)).map(|x| (x, 3.0 * x * x)).collect();
        let fit = Fit::of(&points).expect("a power");
        assert!((fit.order - 2.0).abs() <= 1e-12 && (fit.constant - 3.0).abs() <= 1e-12, "{fit:?}");
        assert_eq!(Fit::of(&points.iter().map(|p| (p.0, 1e-12 * p.1)).collect::<Vec<_>>()), None);
        assert_eq!(Fit::of(&[(1.0, 1.0), (0.5, f64::NAN), (0.25, 0.25), (0.1, 0.1)]), None);
        assert_eq!(Fit::of(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    }
}
