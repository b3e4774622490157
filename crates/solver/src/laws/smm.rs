//! The simultaneous impulse method (SMM), as appendix B of Tang, Paluszny and Zimmerman 2014 gives it.
//!
//! Newton's law at all contacts at once. With `p_i = l_i d_i`, `d_i = n_i + mu_i q_i`, where `q_i` opposes the sliding
//! before the impact (zero where nothing slides), and `G_ij` the change of relative velocity at contact i by an impulse
//! at contact j, their Eqs. 94 to 109 reduce to one linear system for the `l_i`:
//!
//! ```text
//! n_i . u_i+ = -e_i n_i . u_i-        =>        sum_j (n_i . G_ij d_j) l_j = -(1 + e_i) n_i . u_i-
//! ```
//!
//! *All* contacts of the problem are in it, those that approach not, too: a contact that was opening leaves with `-e
//! u_n`, so it may approach afterwards. A problem in which nothing approaches is left as it is.
//!
//! **Singular systems.** Redundant contacts, such as four in a plane between two bodies, make the system singular. Of
//! all `l` that come nearest to the equations the least is taken, so that the answer does not depend on the order of
//! contacts; velocities after the impact are unique anyway where there is no friction. Small problems are solved by a
//! singular value decomposition, larger ones by a sparse factorisation, see `smm/system.rs`. [`Note::Singular`] says
//! that it was so.
//!
//! **What it does not know.** Nothing keeps `l_i` positive ([`Note::Pulls`]), and friction is always that of sliding: a
//! contact whose sliding ends within the impact is driven backwards. Both belong to the method. Dynamic friction is
//! taken.
//!
//! **Termination.** One solution of a finite system, with a bounded number of refinements. [`Resolution::converged`]
//! says whether the equations above hold to 1e-10 of the largest approach speed: unequal restitution or friction can
//! make a singular system contradictory. [`Resolution::residual`] is the largest approach speed left, as for every law.
//!
//! Desiderata: MOM holds by construction, SYM because the system knows no order. ONE does not hold. KIN holds without
//! friction and with one e for all contacts, since then `sum l_i (n.u- + n.u+)/2 <= 0`, but not with friction, which
//! may push. BRK and WAV do not hold: balls of a chain at rest relative to each other stay so.

mod system;

use granule_model::DVec3;
use serde::{Deserialize, Serialize};

use crate::contact::island::{Island, Row, SolverBody};
use crate::contact::problem::{ContactProblem, Note, ProblemError, Resolution, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::tracking::approach::Approaches;
use crate::laws::tracking::etm::ignored;
use crate::laws::tracking::impulse::{sliding, without_noise};

use system::System;

/// The simultaneous method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Smm;

/// Error of the equations that counts as none, over the largest approach speed.
const EXACT: f64 = 1e-10;

/// Pull that counts as rounding, over the largest impulse.
const PULL: f64 = 1e-12;

impl ImpactLaw for Smm {
    fn name(&self) -> &'static str {
        "smm"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[Desideratum::Symmetry, Desideratum::Momentum]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed.
    fn resolve_within(&self, problem: &ContactProblem, _left: f64) -> Result<Solution, ProblemError> {
        problem.validate()?;
        let (mut bodies, tensors) = problem.solver_bodies();
        let mut rows = problem.rows(&bodies, &tensors);
        let mut island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
        let energy_before = island.kinetic_energy();
        let resolution = resolve_island(&mut island);
        let notes = ignored(problem).into_iter().chain(resolution.notes).collect();
        let resolution = Resolution { energy_before, energy_after: island.kinetic_energy(), notes, ..resolution };
        Ok(Solution::new(problem, &island, resolution))
    }
}

fn resolve_island(island: &mut Island<'_>) -> Resolution {
    let mut approaches = Approaches::default();
    approaches.prepare(island, 0..island.rows.len() as u32);
    let largest = approaches.largest(island);
    if largest == 0.0 {
        return Resolution { converged: true, ..Resolution::default() };
    }
    let directions = directions(island);
    let system = assemble(island, &approaches, &directions);
    let before = normal_velocities(island);
    let targets: Vec<f64> = island.rows.iter().zip(&before).map(|(row, u_n)| -row.restitution * u_n).collect();
    let wanted: Vec<f64> = targets.iter().zip(&before).map(|(target, u_n)| target - u_n).collect();
    let Some(answer) = system.solve(&wanted) else {
        return Resolution { residual: largest, ..Resolution::default() };
    };
    for (i, l) in answer.least.iter().enumerate() {
        let row = &mut island.rows[i];
        row.normal_impulse = *l;
        row.tangential_impulse = (directions[i] - row.normal) * *l;
        let row = island.rows[i];
        row.apply(island.bodies, island.tensors, directions[i] * *l);
    }
    let errors = normal_velocities(island).into_iter().zip(targets).map(|(u_n, target)| (u_n - target).abs());
    let strongest = answer.least.iter().fold(0.0f64, |s, l| s.max(l.abs()));
    let pulls = answer.least.iter().any(|l| *l < -PULL * strongest);
    let notes = [answer.singular.then_some(Note::Singular), pulls.then_some(Note::Pulls)];
    Resolution {
        iterations: u64::from(answer.refinements),
        rounds: 1,
        residual: approaches.largest(island),
        converged: errors.fold(0.0, f64::max) <= EXACT * largest,
        notes: notes.into_iter().flatten().collect(),
        ..Resolution::default()
    }
}

fn normal_velocities(island: &Island<'_>) -> Vec<f64> {
    island.rows.iter().map(|row| row.normal.dot(row.relative_velocity(island.bodies))).collect()
}

/// `n + mu q` of every contact.
fn directions(island: &Island<'_>) -> Vec<DVec3> {
    let sliding = sliding(island);
    let direction = |row: &Row| {
        let n = row.normal;
        let u = without_noise(row.relative_velocity(island.bodies), n, sliding);
        n - (u - n * n.dot(u)).normalize_or_zero() * row.dynamic_friction
    };
    island.rows.iter().map(direction).collect()
}

/// The matrix `n_i . G_ij d_j`: column by column what a unit impulse does to bodies at rest.
fn assemble(island: &Island<'_>, approaches: &Approaches, directions: &[DVec3]) -> System {
    let mut bodies: Vec<SolverBody> = island.bodies.to_vec();
    bodies.iter_mut().for_each(|b| b.velocity = granule_model::Velocity::ZERO);
    let mut system = System::new(island.rows.len());
    for (j, row) in island.rows.iter().enumerate() {
        row.apply(&mut bodies, island.tensors, directions[j]);
        let [of_a, of_b] = [row.a, row.b].map(|body| approaches.neighbours().rows_of(body));
        let mut touched: Vec<u32> = of_a.iter().chain(of_b).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        for i in touched {
            let other = &island.rows[i as usize];
            system.set(i as usize, j, other.normal.dot(other.relative_velocity(&bodies)));
        }
        for body in [row.a, row.b] {
            bodies[body as usize].velocity = granule_model::Velocity::ZERO;
        }
    }
    system
}
