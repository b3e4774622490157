//! Differences of answers, and the worst of many comparisons.

use granule_model::Velocity;
use granule_solver::{ContactProblem, ImpactLaw, Solution};

use crate::error::{Found, ValidationError};
use crate::report::Line;

/// The answer of a law.
pub(crate) fn resolve(law: &dyn ImpactLaw, problem: &ContactProblem) -> Found<Solution> {
    law.resolve(problem).map_err(|source| ValidationError::Law { law: law.name(), source })
}

/// Velocities along x after the impact.
pub(crate) fn along_x(solution: &Solution) -> Vec<f64> {
    solution.velocities.iter().map(|v| v.linear.x).collect()
}

/// The normal impulses of an answer, by contact.
pub(crate) fn normal_impulses(problem: &ContactProblem, solution: &Solution) -> Vec<f64> {
    problem.contacts.iter().zip(&solution.impulses).map(|(c, p)| c.normal.dot(*p)).collect()
}

/// The largest of the values, and NaN where one is: `f64::max` would hide it.
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, x| if x.is_nan() || x > most { x } else { most })
}

/// Largest difference of two lists; infinite where their lengths differ.
pub(crate) fn apart(x: &[f64], y: &[f64]) -> f64 {
    if x.len() != y.len() {
        return f64::INFINITY;
    }
    largest(x.iter().zip(y).map(|(x, y)| (x - y).abs()))
}

/// Largest difference of any component, linear or angular; infinite where the numbers of bodies differ.
pub(crate) fn difference(x: &[Velocity], y: &[Velocity]) -> f64 {
    if x.len() != y.len() {
        return f64::INFINITY;
    }
    let parts = |(x, y): (&Velocity, &Velocity)| {
        let (linear, angular) = ((x.linear - y.linear).abs(), (x.angular - y.angular).abs());
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    };
    largest(x.iter().zip(y).flat_map(parts))
}

/// Of many comparisons, each with its own tolerance, the one that came nearest to it or went farthest beyond.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worst {
    deviation: f64,
    tolerance: f64,
    of: String,
    count: usize,
}

impl Worst {
    pub(crate) fn add(&mut self, of: &str, deviation: f64, tolerance: f64) {
        let share = Self::share(deviation, tolerance);
        let so_far = Self::share(self.deviation, self.tolerance);
        if self.count == 0 || share.is_nan() || share > so_far {
            (self.deviation, self.tolerance, self.of) = (deviation, tolerance, of.to_owned());
        }
        self.count += 1;
    }

    /// How much of its tolerance a deviation takes; without tolerance nothing or infinitely much.
    fn share(deviation: f64, tolerance: f64) -> f64 {
        if deviation == 0.0 { 0.0 } else { deviation / tolerance }
    }

    /// Number of comparisons.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The line of the worst; it fails where nothing was compared.
    pub(crate) fn line(&self, quantity: impl Into<String>) -> Line {
        if self.count == 0 {
            return Line::deviation(quantity, f64::NAN, 0.0).noted("nothing was compared");
        }
        let note = format!("worst of {}: {}", self.count, self.of);
        Line::deviation(quantity, self.deviation, self.tolerance).noted(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_judged_by_its_own_tolerance_and_nan_is_worst() {
        let mut worst = Worst::default();
        assert!(!worst.line("x").passed(), "nothing compared");
        worst.add("a", 0.5, 1.0);
        worst.add("b", 1e-9, 1e-8);
        assert!(worst.line("x").passed() && worst.line("x").note.ends_with(": a"));
        worst.add("c", 2e-8, 1e-8);
        assert!(!worst.line("x").passed());
        worst.add("d", f64::NAN, 1.0);
        worst.add("e", 1.0, 1e-3);
        assert!(!worst.line("x").passed() && worst.line("x").note.ends_with(": d"), "{worst:?}");
    }

    #[test]
    fn lists_of_other_lengths_differ_without_bound() {
        assert_eq!(apart(&[1.0], &[1.0, 2.0]), f64::INFINITY);
        assert_eq!(difference(&[Velocity::ZERO], &[]), f64::INFINITY);
        assert!(apart(&[f64::NAN, 1.0], &[0.0, 0.0]).is_nan());
    }
}
