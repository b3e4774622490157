//! What is measured of the bodies and contacts of a simulation as they are now.

use granule_model::{BodyId, DVec3};

use crate::interface::simulation::Simulation;
use crate::interface::snapshot::{BodySnapshot, Snapshot};

/// Mass and momenta of all dynamic bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momenta {
    /// \[kg\]
    pub mass: f64,
    /// \[kg m/s\]
    pub linear: DVec3,
    /// About the world's origin \[kg m2/s\].
    pub angular: DVec3,
    /// Centre of mass \[m\]; zero where there is no body.
    pub centre: DVec3,
}

impl Simulation {
    /// Mass, momentum, angular momentum and centre of mass of all dynamic bodies together. Momenta go by the velocities
    /// of steps, which the forces that are told of contacts change: what flies is half a step of gravity behind the
    /// velocity that is told of it.
    pub fn momenta(&self) -> Momenta {
        let bodies = self.bodies();
        let mut sum = Momenta::default();
        for i in (0..bodies.len()).filter(|i| bodies.dynamic[*i]) {
            let (mass, place, velocity) = (bodies.mass[i], bodies.pose[i].position, &bodies.velocity[i]);
            sum.mass += mass;
            sum.linear += mass * velocity.linear;
            sum.angular += mass * place.cross(velocity.linear) + bodies.momentum_of_spin(i, velocity.angular);
            sum.centre += mass * place;
        }
        sum.centre = if sum.mass > 0.0 { sum.centre / sum.mass } else { DVec3::ZERO };
        sum
    }

    /// Dynamic bodies that have left the system: their centre is inside a half-space or container wall by more than
    /// their equal-volume radius, or, where all static and driven bodies are bounded, lower than all of them by ten
    /// radii.
    pub fn lost_bodies(&self) -> Vec<BodyId> {
        let (bodies, up) = (self.bodies(), self.catalogue.up());
        let datum = bodies.lowest_point(up);
        let mut buried = vec![false; bodies.len()];
        for c in &self.state.detected.contacts.list {
            let ends = [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)];
            for (i, other) in ends {
                buried[i] |= !bodies.dynamic[other] && c.gap < -bodies.radius[i];
            }
        }
        // Under what has no end, as a wall that leans, nothing is below everything.
        let ends = |i: usize| bodies.boxes[i].min.is_finite() && bodies.boxes[i].max.is_finite();
        let held = |i: &usize| bodies.present[*i] && !bodies.dynamic[*i];
        let bounded = (0..bodies.len()).filter(held).all(ends);
        let lost = |i: &usize| {
            let (position, radius) = (bodies.pose[*i].position, bodies.radius[*i]);
            buried[*i] || (bounded && position.dot(up) < datum - 10.0 * radius) || !position.is_finite()
        };
        (0..bodies.len()).filter(|i| bodies.dynamic[*i]).filter(lost).map(|i| bodies.id(i)).collect()
    }

    /// The state now.
    pub fn snapshot(&self) -> Snapshot {
        let (bodies, touching) = (self.bodies(), self.touching_partners());
        let body = |i: usize| BodySnapshot {
            id: bodies.id(i),
            name: bodies.name[i].clone(),
            kind: bodies.kind[i],
            shape: bodies.shape[i].clone(),
            pose: bodies.pose[i],
            velocity: self.told_velocity(i),
            mass: bodies.mass[i],
            contacts: touching[i],
            present: bodies.present[i],
        };
        Snapshot { time: self.state.time, step: self.state.steps, bodies: (0..bodies.len()).map(body).collect() }
    }

    /// Number of distinct bodies that each body touches.
    pub fn touching_partners(&self) -> Vec<u32> {
        let mut partners = vec![0; self.catalogue.bodies.len()];
        let mut last = (u32::MAX, u32::MAX);
        for c in self.state.detected.contacts.list.iter().filter(|c| c.touches()) {
            if (c.a, c.b) != last {
                last = (c.a, c.b);
                partners[c.a as usize] += 1;
                partners[c.b as usize] += 1;
            }
        }
        partners
    }

    /// The pairs of bodies that touch, by index in the order of adding.
    pub fn touching_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> =
            self.state.detected.contacts.list.iter().filter(|c| c.touches()).map(|c| (c.a, c.b)).collect();
        pairs.dedup();
        pairs
    }

    /// Depths of the contact points that overlap, over the smaller body's equal-volume radius, above 0 \[-\].
    pub fn overlaps(&self) -> impl Iterator<Item = f64> + '_ {
        self.state.detected.contacts.list.iter().map(|c| -c.gap / c.radius).filter(|depth| *depth > 0.0)
    }
}
