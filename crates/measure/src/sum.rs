//! A sum whose rounding does not grow with the number of its terms.

use serde::{Deserialize, Serialize};

/// Running sum with Neumaier's correction: what each addition rounds off is added up beside it.
///
/// The result is off by a few ulp of itself plus n^2 eps^2 times the sum of the magnitudes (Neumaier 1974), that is by
/// 1e-15 or so for 1e5 terms; adding them one after another is off by up to n eps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// Adds a term.
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum of the terms so far.
    pub fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Sum {
        let mut sum = Sum::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_stays_where_it_is_for_a_hundred_thousand_terms() {
        // 0.1 is 0x1.999999999999ap-4: the exact sum of 1e5 of them, rounded once.
        let exact = 10_000.000_000_000_000_555;
        let terms = || std::iter::repeat_n(0.1, 100_000);
        let relative = |value: f64| ((value - exact) / exact).abs();
        // Measured: 0.
        assert!(relative(terms().collect::<Sum>().value()) <= 2.0 * f64::EPSILON);
        // Negative control; measured: 1.9e-12.
        assert!(relative(terms().sum()) > 1e-13);
    }

    #[test]
    fn large_terms_that_cancel_leave_the_small_ones() {
        let terms = [1.0, 1e100, 1.0, -1e100];
        assert_eq!(terms.into_iter().collect::<Sum>().value(), 2.0);
        assert_eq!(terms.into_iter().sum::<f64>(), 0.0);
    }
}
