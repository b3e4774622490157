//! Sleep, grain by grain.
//!
//! A body that has been slow for a while falls asleep when all that touches it has been slow as well: it stops, the solver takes it for
//! immovable, and detection does not look at pairs of sleepers, whose contacts keep the impulses that they carried. A restless body so keeps awake itself and what touches it, and no
//! more: a ball that spins on its contacts without torsional friction spins for ever, and an island of ten thousand would never
//! sleep for it.
//!
//! A sleeper wakes when a restless body touches it or is about to within the step, when a driven body that it touches moves, and, with
//! all others, when a body is removed. What wakes is not restless by that alone: waking spreads only as far as motion does, by
//! one contact a step.

use granule_model::{DVec3, Velocity};

use crate::bodies::Bodies;
use crate::detection::Contact;

/// Kinetic energy over m g R below which a body counts as slow: 5 mm/s for a ball of 3 m.
const ENERGY: f64 = 1e-6;
/// Time for which a body and all that touches it must have been slow, in units of sqrt(R/g): 0.5 s for a ball of 3 m.
const DROWSY: f64 = 1.3;

/// How near each body is to sleep.
#[derive(Debug, Default)]
pub(crate) struct Sleep {
    /// Time for which each body has been slow \[s\].
    slow: Vec<f64>,
    /// Whether each body was faster than slow when it was last looked at.
    restless: Vec<bool>,
    /// Bodies that would sleep, and those of them that nothing keeps awake.
    drowsy: Vec<bool>,
    calm: Vec<bool>,
}

impl Sleep {
    /// Wakes every body.
    pub(crate) fn wake_all(&mut self, bodies: &mut Bodies) {
        bodies.asleep.fill(false);
        self.slow.fill(0.0);
    }

    /// Wakes one body.
    pub(crate) fn rouse(&mut self, bodies: &mut Bodies, i: usize) {
        bodies.asleep[i] = false;
        if let Some(slow) = self.slow.get_mut(i) {
            *slow = 0.0;
        }
    }

    /// Wakes what is touched, or will be within `dt`, by a body that moves; true if there is any.
    pub(crate) fn wake(&mut self, bodies: &mut Bodies, contacts: &[Contact], dt: f64) -> bool {
        let mut any = false;
        for c in contacts {
            for (sleeper, other) in [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)] {
                if bodies.asleep[sleeper] && self.disturbs(bodies, other) && meets(bodies, c, dt) {
                    bodies.asleep[sleeper] = false;
                    self.slow[sleeper] = 0.0;
                    any = true;
                }
            }
        }
        any
    }

    /// Whether a body disturbs sleepers.
    fn disturbs(&self, bodies: &Bodies, i: usize) -> bool {
        if !bodies.dynamic[i] {
            return bodies.velocity[i] != Velocity::ZERO;
        }
        // One that was added a moment ago has not been looked at.
        !bodies.asleep[i] && self.restless.get(i).copied().unwrap_or(true)
    }

    /// Puts bodies to sleep that have been slow for long enough, and so has all that touches them; returns what that takes from
    /// E* \[J\], the last term of which counts `star_time`.
    pub(crate) fn settle(
        &mut self,
        bodies: &mut Bodies,
        contacts: &[Contact],
        gravity: DVec3,
        dt: f64,
        star_time: f64,
    ) -> f64 {
        let g = gravity.length();
        if g == 0.0 {
            return 0.0;
        }
        self.look(bodies, g, dt);
        self.calm.clone_from(&self.drowsy);
        for c in contacts.iter().filter(|c| c.touches()) {
            let (a, b) = (c.a as usize, c.b as usize);
            self.calm[a] &= self.drowsy[b];
            self.calm[b] &= self.drowsy[a];
        }
        let mut taken = 0.0;
        for i in 0..bodies.len() {
            if self.calm[i] && bodies.awake(i) {
                taken += bodies.kinetic_energy(i);
                taken += 0.5 * star_time * bodies.mass[i] * gravity.dot(bodies.velocity[i].linear);
                bodies.asleep[i] = true;
                bodies.velocity[i] = Velocity::ZERO;
            }
        }
        taken
    }

    /// Looks how each body moves.
    fn look(&mut self, bodies: &Bodies, g: f64, dt: f64) {
        let count = bodies.len();
        self.slow.resize(count, 0.0);
        self.restless.resize(count, true);
        self.drowsy.resize(count, false);
        for i in 0..count {
            if bodies.awake(i) {
                self.restless[i] = bodies.kinetic_energy(i) >= ENERGY * bodies.mass[i] * g * bodies.radius[i];
                self.slow[i] = if self.restless[i] { 0.0 } else { self.slow[i] + dt };
            }
            self.drowsy[i] = match (bodies.dynamic[i], bodies.asleep[i]) {
                (true, false) => self.slow[i] >= DROWSY * (bodies.radius[i] / g).sqrt(),
                (true, true) => true,
                (false, _) => bodies.velocity[i] == Velocity::ZERO,
            };
        }
    }
}

/// Whether the bodies of a contact touch, or will at their velocities within `dt`.
fn meets(bodies: &Bodies, c: &Contact, dt: f64) -> bool {
    c.touches() || c.gap + dt * c.normal_velocity(bodies, &bodies.velocity) <= 0.0
}
