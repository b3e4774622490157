//! Which impacts steps resolve: the slowest that gets its restitution, and the step that resolves a given one.
//!
//! The thresholds from which it follows are those of [`limits`](crate::islands::limits); a step resolves impacts from a
//! speed on that grows with its length.

use crate::interface::simulation::Simulation;
use crate::islands::limits::{Blow, slowest_impact_over_dt};

impl Simulation {
    /// Least restitution above 0 of two bodies that may meet \[-\]; none where nothing gives anything back. Where it
    /// depends on the speed, that of fast impacts.
    pub fn least_restitution(&self) -> Option<f64> {
        let (bodies, materials) = (self.bodies(), self.catalogue.materials.len());
        let (mut present, mut movable) = (vec![0_usize; materials], vec![false; materials]);
        for i in (0..bodies.len()).filter(|i| bodies.present[*i]) {
            let material = bodies.material[i] as usize;
            present[material] += 1;
            movable[material] |= bodies.dynamic[i];
        }
        let pairs = (0..materials).flat_map(|a| (0..materials).map(move |b| (a, b)));
        let meet = pairs.filter(|(a, b)| movable[*a] && present[*b] > usize::from(a == b));
        let restitution = meet.map(|(a, b)| self.catalogue.pairs.between(a, b).restitution);
        restitution.filter(|e| *e > 0.0).reduce(f64::min)
    }

    /// Slowest impact that steps resolve, over their length \[m/s2\], where `pull` closes contacts \[m/s2\].
    pub(super) fn slowest_over_dt(&self, restitution: f64, movable: usize, pull: f64) -> f64 {
        let gravity = self.catalogue.settings.gravity.length();
        slowest_impact_over_dt(self.catalogue.settings.stepping, &Blow { restitution, movable, gravity, pull })
    }

    /// Longest step that resolves the impacts that the settings ask for, whoever meets \[s\]; infinite where any does.
    pub(super) fn resolving_step(&self, pull: f64) -> f64 {
        let asked = self.catalogue.settings.resolved_speed.zip(self.least_restitution());
        asked.map_or(f64::INFINITY, |(speed, e)| speed / self.slowest_over_dt(e, self.dynamic_count(), pull))
    }
}
