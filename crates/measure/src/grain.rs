//! Grains as points with mass: what the measures of an avalanche and of a mound work on.

use glam::{DVec2, DVec3};

use crate::sum::Sum;

/// A grain at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Mass \[kg\].
    pub mass: f64,
    /// Volume \[m3\].
    pub volume: f64,
    /// Kinetic energy, of translation and rotation \[J\].
    pub kinetic_energy: f64,
    /// Centre of mass \[m\].
    pub centre: DVec3,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: DVec3,
    /// Lowest corner of the box that the grain fills, world axes \[m\].
    pub min: DVec3,
    /// Highest corner of that box \[m\].
    pub max: DVec3,
    /// Coordinate of the grain's farthest surface point along a horizontal direction of the caller's choice \[m\].
    pub reach: f64,
}

impl Grain {
    /// A grain without size and at rest: a point.
    pub fn point(mass: f64, centre: DVec3, direction: DVec2) -> Self {
        let reach = centre.truncate().dot(direction);
        let velocity = DVec3::ZERO;
        Grain { mass, volume: 0.0, kinetic_energy: 0.0, centre, velocity, min: centre, max: centre, reach }
    }

    /// Whether a measure can take it in: a finite mass above 0 at a finite place.
    pub(crate) fn counts(&self) -> bool {
        self.mass > 0.0
            && self.mass.is_finite()
            && self.centre.is_finite()
            && self.min.is_finite()
            && self.max.is_finite()
            && self.reach.is_finite()
    }
}

/// Share of the whole mass by which a sum of masses may miss a quantile: the rounding of sums.
const ROUNDING: f64 = 1e-12;

/// The smallest of the values up to which `share` of the mass lies; none without mass. Each value comes with its mass.
///
/// Values are not interpolated: the answer is one of them.
pub fn mass_quantile(values: impl IntoIterator<Item = (f64, f64)>, share: f64) -> Option<f64> {
    let mut values: Vec<(f64, f64)> =
        values.into_iter().filter(|(value, mass)| value.is_finite() && *mass > 0.0).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = values.iter().map(|(_, mass)| *mass).collect::<Sum>().value();
    let wanted = (share - ROUNDING) * total;
    let mut below = Sum::default();
    let reached = values.iter().find(|(_, mass)| {
        below.add(*mass);
        below.value() >= wanted
    });
    reached.or(values.last()).map(|(value, _)| *value)
}

/// The mean of a quantity over the mass; none without mass. Quantities come with their masses.
pub(crate) fn mass_mean(values: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let total = values.clone().map(|(_, mass)| mass).collect::<Sum>().value();
    let sum = values.map(|(value, mass)| value * mass).collect::<Sum>().value();
    let mean = sum / total;
    (total > 0.0 && mean.is_finite()).then_some(mean)
}

/// The mean of a vector over the mass of `grains`.
pub(crate) fn mean_vector(grains: &[Grain], of: impl Fn(&Grain) -> DVec3) -> Option<DVec3> {
    let along = |axis: usize| mass_mean(grains.iter().map(|g| (of(g)[axis], g.mass)));
    Some(DVec3::new(along(0)?, along(1)?, along(2)?))
}

/// The grains that a measure can take in.
pub(crate) fn counted(grains: &[Grain]) -> Vec<Grain> {
    grains.iter().copied().filter(Grain::counts).collect()
}
