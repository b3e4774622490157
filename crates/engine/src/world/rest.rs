//! When a simulation is at rest. When a body may sleep is said by `islands::sleep`.

use granule_measure::BodyMotion;
use granule_model::{BodyKind, DVec3, Velocity};

use crate::world::bodies::Bodies;
use crate::world::contact::Contact;

/// What counts as rest.
///
/// A state qualifies when at least `fraction` of the dynamic bodies, or of their mass, are slower than `speed`, their
/// centres and their surfaces by the spin, and the mean over those of `kinetic energy / (m g R)` is below `energy`. The
/// simulation is at rest when every state of the last `hold` seconds qualified, so that the turning point of a throw is
/// not taken for rest. A ball that pivots on its one contact does so for ever without torsional friction, which is the
/// default, and moves nothing: that part of its spin does not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestCriterion {
    /// Speed of the centre, and of the spin times the equal-volume radius R \[m/s\].
    pub speed: f64,
    /// Share of the bodies, or of their mass \[-\].
    pub fraction: f64,
    /// Whether `fraction` is a share of the mass instead of the number of bodies.
    pub by_mass: bool,
    /// Mean kinetic energy, translational and rotational, over m g R \[-\]; without gravity over `m speed^2`.
    pub energy: f64,
    /// Time for which it must hold \[s\].
    pub hold: f64,
}

impl Default for RestCriterion {
    /// 99 % of the bodies slower than 0.01 m/s, mean kinetic energy below 1e-6 m g R, for a quarter of a second.
    fn default() -> Self {
        RestCriterion { speed: 0.01, fraction: 0.99, by_mass: false, energy: 1e-6, hold: 0.25 }
    }
}

impl RestCriterion {
    /// Whether the state qualifies now; `contacts` are those of the poses now, `pivots` is scratch.
    pub(crate) fn qualifies(
        &self,
        bodies: &Bodies<'_>,
        contacts: &[Contact],
        gravity: f64,
        pivots: &mut Vec<(u32, DVec3)>,
    ) -> bool {
        // Mostly the centres say that it does not; who pivots is asked only where nothing else is in the way.
        self.qualifies_by(bodies, gravity, |_| DVec3::ZERO)
            && (self.qualifies_by(bodies, gravity, |i| bodies.velocity[i].angular) || {
                find_pivots(bodies, contacts, pivots);
                self.qualifies_by(bodies, gravity, |i| bodies.velocity[i].angular.reject_from_normalized(pivots[i].1))
            })
    }

    /// The same with the given spins.
    fn qualifies_by(&self, bodies: &Bodies<'_>, gravity: f64, spin: impl Fn(usize) -> DVec3) -> bool {
        let (mut all, mut slow, mut slow_count, mut energy) = (0.0, 0.0, 0usize, 0.0);
        for i in 0..bodies.len() {
            if bodies.kind[i] != BodyKind::Dynamic || !bodies.present[i] {
                continue;
            }
            let weight = if self.by_mass { bodies.mass[i] } else { 1.0 };
            all += weight;
            let motion =
                BodyMotion { velocity: Velocity { angular: spin(i), ..bodies.velocity[i] }, ..bodies.motion(i) };
            let v = &motion.velocity;
            if v.linear.length().max(v.angular.length() * bodies.radius[i]) < self.speed {
                slow += weight;
                slow_count += 1;
                let scale = if gravity > 0.0 { gravity * bodies.radius[i] } else { self.speed * self.speed };
                energy += (motion.translational_energy() + motion.rotational_energy()) / (bodies.mass[i] * scale);
            }
        }
        // All of the mass is all of it, whatever the sums were rounded to.
        slow >= self.fraction * all && energy <= self.energy * slow_count.max(1) as f64
    }
}

/// Counts the contacts of each body, with the normal of the one contact of a ball that has one; zero for the others.
fn find_pivots(bodies: &Bodies<'_>, contacts: &[Contact], pivots: &mut Vec<(u32, DVec3)>) {
    pivots.clear();
    pivots.resize(bodies.len(), (0, DVec3::ZERO));
    for c in contacts.iter().filter(|c| c.touches()) {
        for i in [c.a as usize, c.b as usize] {
            let count = pivots[i].0 + 1;
            pivots[i] = (count, if bodies.round[i] && count == 1 { c.normal } else { DVec3::ZERO });
        }
    }
}
