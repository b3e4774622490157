//! The course of one collision at a single contact, step by step, for plots. No resolution comes through here.

use serde::{Deserialize, Serialize};

use super::{Etm, REST};
use crate::contact::island::Island;
use crate::contact::problem::{ContactProblem, ProblemError};
use crate::laws::law::ImpactLaw;
use crate::laws::tracking::impulse::{Mobility, impulse, normal_work, releasing_impulse, sliding, without_noise};

/// The state between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Normal impulse so far \[N s\].
    pub normal_impulse: f64,
    /// Normal relative velocity, negative while approaching \[m/s\].
    pub normal_velocity: f64,
    /// Energy that the contact stores \[J\].
    pub stored: f64,
    /// Kinetic energy of all bodies \[J\].
    pub kinetic: f64,
}

impl Etm {
    /// The first round of a problem with a single contact: the state before, after every step, and once more where the
    /// stored energy is reduced by e^2. A contact that does not approach gives the state before alone.
    ///
    /// # Errors
    /// As [`ImpactLaw::resolve`]; [`ProblemError::Parameter`] when there is not exactly one contact.
    pub fn trace(&self, problem: &ContactProblem) -> Result<Vec<TracePoint>, ProblemError> {
        // Resolving checks problem and parameters.
        self.resolve(problem)?;
        if problem.contacts.len() != 1 {
            let value = problem.contacts.len() as f64;
            return Err(ProblemError::Parameter { name: "number of contacts", value, expected: "1" });
        }
        let (mut bodies, tensors) = problem.solver_bodies();
        let mut rows = problem.rows(&bodies, &tensors);
        let mut island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
        Ok(self.follow(&mut island))
    }

    fn follow(&self, island: &mut Island<'_>) -> Vec<TracePoint> {
        let row = island.rows[0];
        let n = row.normal;
        let m = Mobility::new(row.collision_matrix(island.bodies, island.tensors));
        let still = sliding(island);
        let (mut stored, mut gone, mut pressed) = (0.0, 0.0, 0.0);
        let velocity = |island: &Island<'_>| without_noise(row.relative_velocity(island.bodies), n, still);
        let state = |island: &Island<'_>, normal_impulse: f64, stored: f64| TracePoint {
            normal_impulse,
            normal_velocity: n.dot(row.relative_velocity(island.bodies)),
            stored,
            kinetic: island.kinetic_energy(),
        };
        let mut points = vec![state(island, pressed, stored)];
        let approach = -points[0].normal_velocity;
        if approach <= 0.0 {
            return points;
        }
        let step = approach / f64::from(self.lambda);
        // A step more or less for rounding; no input can make it more.
        for _ in 0..=self.lambda {
            let u = velocity(island);
            let u_n = n.dot(u);
            if u_n >= -REST * approach {
                break;
            }
            let x = step.min(-u_n);
            let (p, friction) = impulse(&row, &m, u, x, (gone + stored).max(0.0));
            stored -= normal_work(u_n, x, n.dot(p));
            gone -= friction;
            pressed += n.dot(p);
            row.apply(island.bodies, island.tensors, p);
            points.push(state(island, pressed, stored));
        }
        let kept = row.restitution * row.restitution * stored;
        gone += stored - kept;
        stored = kept;
        points.push(state(island, pressed, stored));
        for _ in 0..MOST_RELEASES * u64::from(self.lambda) {
            if stored <= 0.0 {
                break;
            }
            // What friction has put in and nothing else covers is not given back, as in the rounds.
            let uncovered = gone.min(0.0);
            (stored, gone) = ((stored + uncovered).max(0.0), gone - uncovered);
            let u = velocity(island);
            let done = releasing_impulse(&row, &m, u, step, stored, gone.max(0.0));
            stored = done.left;
            gone -= done.friction;
            pressed += n.dot(done.impulse);
            row.apply(island.bodies, island.tensors, done.impulse);
            points.push(state(island, pressed, stored));
        }
        points
    }
}

/// Steps of release over lambda. Each raises the normal velocity by the step, and energy bounds it by a few times the
/// approach.
const MOST_RELEASES: u64 = 1000;
