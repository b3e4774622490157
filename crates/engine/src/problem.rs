//! The bodies as they stand, as a problem for an impact law.

use granule_model::{DMat3, InverseInertia};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use crate::detection::Contact;
use crate::simulation::Simulation;

impl Simulation {
    /// The contacts of the bodies as they stand, those with a gap of at most `touch` times the smaller equal-volume radius, as
    /// a problem for an impact law. Bodies have the order in which they were added; static ones are among them.
    pub fn contact_problem(&mut self, touch: f64) -> ContactProblem {
        if self.detection.stale {
            let dt = self.time_step();
            self.detection.find_pairs(&self.bodies, dt, 0.0);
            self.detection.find_contacts(&self.bodies);
        }
        let touching = self.detection.contacts.iter().filter(|c| c.gap <= touch * c.radius);
        ContactProblem {
            bodies: (0..self.bodies.len()).map(|i| self.problem_body(i)).collect(),
            contacts: touching.map(|c| self.problem_contact(c)).collect(),
        }
    }

    fn problem_body(&self, i: usize) -> ProblemBody {
        let b = &self.bodies;
        let inverse_inertia = match b.inverse_inertia[i] {
            InverseInertia::Isotropic(s) => DMat3::from_diagonal(granule_model::DVec3::splat(s)),
            InverseInertia::General(m) => m,
        };
        ProblemBody {
            inverse_mass: b.inverse_mass[i],
            inverse_inertia,
            position: b.pose[i].position,
            velocity: b.velocity[i],
        }
    }

    fn problem_contact(&self, c: &Contact) -> ProblemContact {
        ProblemContact {
            a: c.a,
            b: Some(c.b),
            point: c.point,
            normal: c.normal,
            coefficients: self.pair_coefficients(c.a as usize, c.b as usize),
        }
    }
}
