//! Sleep by whole islands.
//!
//! An island whose bodies have all been slow for a while is put to sleep: its bodies stop, and neither detection nor solver looks
//! at them. An island wakes as a whole when a body that is awake comes to touch one of its bodies, when a body is removed, or
//! when a driven body that it touches moves.

use granule_islands::Islands;
use granule_model::Velocity;

use crate::bodies::Bodies;
use crate::detection::Contact;

/// Kinetic energy over m g R below which a body counts as slow: 5 mm/s for a ball of 3 m.
const ENERGY: f64 = 1e-6;
/// Time for which all bodies of an island must have been slow, in units of sqrt(R/g): 0.5 s for a ball of 3 m.
const DROWSY: f64 = 1.3;

/// Which bodies sleep, and with whom.
#[derive(Debug, Default)]
pub(crate) struct Sleep {
    /// Time for which each body has been slow \[s\].
    slow: Vec<f64>,
    /// Group in which each body sleeps; the smallest body of the group.
    group: Vec<u32>,
}

impl Sleep {
    /// Wakes every body.
    pub(crate) fn wake_all(&mut self, bodies: &mut Bodies) {
        bodies.asleep.fill(false);
        self.slow.fill(0.0);
    }

    /// Wakes the islands that a moving body has come to touch; true if there are any.
    pub(crate) fn wake(&mut self, bodies: &mut Bodies, contacts: &[Contact]) -> bool {
        let mut any = false;
        for c in contacts.iter().filter(|c| c.touches()) {
            for (sleeper, other) in [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)] {
                let disturbed = bodies.awake(other) || bodies.velocity[other] != Velocity::ZERO;
                if bodies.asleep[sleeper] && disturbed {
                    self.wake_group(bodies, self.group[sleeper]);
                    any = true;
                }
            }
        }
        any
    }

    fn wake_group(&mut self, bodies: &mut Bodies, group: u32) {
        for i in 0..bodies.len() {
            if bodies.asleep[i] && self.group[i] == group {
                bodies.asleep[i] = false;
                self.slow[i] = 0.0;
            }
        }
    }

    /// Puts islands to sleep whose bodies have all been slow for long enough.
    pub(crate) fn settle(&mut self, bodies: &mut Bodies, islands: &Islands, gravity: f64, dt: f64) {
        if gravity == 0.0 {
            return;
        }
        self.slow.resize(bodies.len(), 0.0);
        self.group.resize(bodies.len(), 0);
        for i in 0..bodies.len() {
            if bodies.awake(i) {
                let slow = bodies.kinetic_energy(i) < ENERGY * bodies.mass[i] * gravity * bodies.radius[i];
                self.slow[i] = if slow { self.slow[i] + dt } else { 0.0 };
            }
        }
        for island in islands.iter() {
            let drowsy = |i: &u32| {
                let i = *i as usize;
                self.slow[i] >= DROWSY * (bodies.radius[i] / gravity).sqrt()
            };
            if island.bodies.iter().all(drowsy) {
                for i in island.bodies {
                    bodies.asleep[*i as usize] = true;
                    bodies.velocity[*i as usize] = Velocity::ZERO;
                    self.group[*i as usize] = island.bodies[0];
                }
            }
        }
    }
}
