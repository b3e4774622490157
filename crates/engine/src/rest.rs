//! When a simulation is at rest. When a body may sleep is said by `sleep`.

use granule_model::BodyKind;

use crate::bodies::Bodies;

/// What counts as rest.
///
/// A state qualifies when at least `fraction` of the dynamic bodies are slower than `speed`, their centres and their surfaces by the
/// spin, and the mean over those of `kinetic energy / (m g R)` is below `energy`. The simulation is at rest when every state of the
/// last `hold` seconds qualified, so that the turning point of a throw is not taken for rest. Without torsional friction, which is
/// the default, a ball that spins about its one contact's normal does so for ever: `fraction` says how many of those a pack may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestCriterion {
    /// Speed of the centre, and of the spin times the equal-volume radius R \[m/s\].
    pub speed: f64,
    /// Share of the bodies \[-\].
    pub fraction: f64,
    /// Mean kinetic energy, translational and rotational, over m g R \[-\]; without gravity over `m speed^2`.
    pub energy: f64,
    /// Time for which it must hold \[s\].
    pub hold: f64,
}

impl Default for RestCriterion {
    /// 99 % of the bodies slower than 0.01 m/s, mean kinetic energy below 1e-6 m g R, for a quarter of a second.
    fn default() -> Self {
        RestCriterion { speed: 0.01, fraction: 0.99, energy: 1e-6, hold: 0.25 }
    }
}

impl RestCriterion {
    /// Whether the state qualifies now.
    pub(crate) fn qualifies(&self, bodies: &Bodies, gravity: f64) -> bool {
        let (mut count, mut slow, mut energy) = (0usize, 0usize, 0.0);
        for i in 0..bodies.len() {
            if bodies.kind[i] != BodyKind::Dynamic || !bodies.present[i] {
                continue;
            }
            count += 1;
            let v = &bodies.velocity[i];
            if v.linear.length().max(v.angular.length() * bodies.radius[i]) < self.speed {
                slow += 1;
                let scale = if gravity > 0.0 { gravity * bodies.radius[i] } else { self.speed * self.speed };
                energy += bodies.kinetic_energy(i) / (bodies.mass[i] * scale);
            }
        }
        slow as f64 >= self.fraction * count as f64 && energy <= self.energy * slow.max(1) as f64
    }
}
