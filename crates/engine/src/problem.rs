//! Bodies and contacts as an impact law sees them.

use granule_model::{DMat3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use crate::bodies::Bodies;
use crate::detection::Contact;
use crate::pairs::Pairs;
use crate::simulation::Simulation;

impl Simulation {
    /// The contacts of the bodies as they stand, those with a gap of at most `touch` times the smaller equal-volume radius, as
    /// a problem for an impact law. Bodies have the order in which they were added; static ones are among them, and one
    /// that sleeps moves like any other.
    pub fn contact_problem(&mut self, touch: f64) -> ContactProblem {
        if self.detection.stale {
            let dt = self.time_step();
            self.detection.find_pairs(&self.bodies, dt, 0.0);
            self.detection.find_contacts(&self.bodies);
        }
        let bodies = &self.bodies;
        let touching = self.detection.contacts.iter().filter(|c| c.gap <= touch * c.radius);
        ContactProblem {
            bodies: (0..bodies.len()).map(|i| problem_body(bodies, i, bodies.velocity[i], bodies.dynamic[i])).collect(),
            contacts: touching.map(|c| problem_contact(bodies, &self.pairs, c, &bodies.velocity)).collect(),
        }
    }
}

/// A body as a law sees it; one that does not move by impulses keeps its velocity.
pub(crate) fn problem_body(bodies: &Bodies, i: usize, velocity: Velocity, moves: bool) -> ProblemBody {
    ProblemBody {
        inverse_mass: if moves { bodies.inverse_mass[i] } else { 0.0 },
        inverse_inertia: if moves { bodies.inverse_inertia[i].to_matrix() } else { DMat3::ZERO },
        position: bodies.pose[i].position,
        velocity,
    }
}

/// A contact as a law sees it that meets it with these velocities, its bodies by dense index.
pub(crate) fn problem_contact(bodies: &Bodies, pairs: &Pairs, c: &Contact, velocities: &[Velocity]) -> ProblemContact {
    ProblemContact {
        a: c.a,
        b: Some(c.b),
        point: c.point,
        normal: c.normal,
        coefficients: pairs.of(bodies, c, velocities),
    }
}
