//! Energies of all bodies, as the book reads them.

use granule_measure::Energies;
use granule_model::DVec3;

use crate::world::bodies::Bodies;
use crate::world::parallel;

/// From where energies count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datum {
    /// \[m/s2\]
    pub(crate) gravity: DVec3,
    /// A point at the height from which potential energy counts \[m\].
    pub(crate) point: DVec3,
}

impl Datum {
    /// Energies now, each body's share of E* with the length of the step that it made last. A sleeping body counts as
    /// at rest.
    pub(crate) fn energies(&self, bodies: &Bodies<'_>) -> Energies {
        parallel::sum(0..bodies.len(), &|range| {
            let motions = range.filter(|i| bodies.dynamic[*i]).map(|i| bodies.motion(i));
            Energies::of(motions, self.gravity, self.point)
        })
    }

    /// E* of a body \[J\].
    #[inline]
    pub(crate) fn star_of(&self, bodies: &Bodies<'_>, i: usize) -> f64 {
        if !bodies.dynamic[i] {
            return 0.0;
        }
        let motion = bodies.motion(i);
        let height = motion.position - self.point;
        bodies.kinetic_energy(i) - motion.mass * self.gravity.dot(height) + motion.step_term(self.gravity)
    }
}
