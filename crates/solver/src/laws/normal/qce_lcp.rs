//! QCE-LCP: any restitution, and friction in boxes (Zhang et al. 2015, section 4).
//!
//! **Restitution** (their Eq. 19). Let `v_c` be the normal velocities after the elastic outcome of
//! [`crate::laws::normal::qce`], whatever restitution the contacts have. They are the prediction that the standard LCP
//! lacks:
//!
//! ```text
//! 0 <= l  perp  H l + v - E v_c >= 0,      E = diag(e_i)                                              (1)
//! ```
//!
//! With e = 1 the impulses of QCE solve (1) with all slacks zero, with e = 0 it is the plastic LCP. It always has an
//! answer, for the impulses of QCE satisfy `H l + v = v_c >= E v_c`, and the answer approaches nowhere.
//!
//! **Energy.** The paper's proof takes the mixture of plastic and elastic impulses for a solution of (1), which it is
//! only where QCE loads no contact that opens in the plastic answer (masses 1, 1, 10 in a row, v = 0, 1, 0, e = 0.5 is
//! a counter-example: -0.36742, 0.04167, 0.13258 against -0.40909, 0.04545, 0.13636). Without it (1) may create energy.
//! Then the answer is moved towards the plastic one until it does not, as in [`crate::laws::normal::lcp`]: both
//! approach nowhere, and so does what lies between.
//!
//! **Friction** (their Eqs. 20 and 21). Two tangents per contact, the first along the sliding velocity before the
//! impact, the second normal to it; on each the tangential impulse is bounded by the normal one alone,
//!
//! ```text
//! |f_1| <= mu l,   |f_2| <= mu l,      each stops its sliding velocity or is at its bound, against it   (2)
//! ```
//!
//! with the dynamic coefficient, and tangential restitution ignored. A box is not Coulomb's cone: across the corner
//! friction reaches `sqrt(2) mu l`. Its first axis follows the problem when that is turned or mirrored; a contact that
//! does not slide has none, an arbitrary one is taken, hence no claim of symmetry.
//!
//! **Solution.** The paper sweeps over (1), with the friction in v, and (2) in turn by projected Gauss-Seidel. Both
//! together are one convex problem on the velocities as long as the bounds in (2) are given numbers (complementarity
//! with bounds on both sides, its fallback being that Gauss-Seidel); so here the bounds are iterated instead: solve
//! with the bounds `mu b`, take the normal impulses for the next b, until they are b. Sweeps that count as converged
//! left velocities off by 1e-4 where light bodies meet heavy ones; this fixed point is exact. Steps that swing are
//! damped, and once no row changes between free and bounded, Anderson's method finishes. Where that leads nowhere,
//! Lemke's method on the coupled problem says which rows are free, and the fixed point is looked for from there
//! (`qce_lcp/lemke.rs`). Where a time step asks for less than that, the paper's sweeps do, as a conjugate gradient
//! method (`qce_lcp/sweeps.rs`), from a guess between the elastic impulses and those of the contact stage; one contact
//! alone goes without all that (`qce_lcp/single.rs`).
//!
//! **Termination.** QCE and (1) end as said there; the turns of the fixed point and the exchanges of Lemke's method are
//! capped. A fixed point need not attract: of 1000 random clusters with mass ratios up to 10^4 and mu up to 0.5 (1),
//! the turns alone leave 4 (16), and Lemke's method leaves 0 (1) of them. Nor need it exist (impulses that jam would
//! have to open a contact): then the answer is the one without friction, not converged, and says so. For what comes out
//! otherwise, mixing with the plastic answer bounds the energy: friction of the mixture keeps within its boxes.
//!
//! Claims BRK, KIN, MOM, ONE; WAV as QCE, for e = 1. SYM only without friction, so it is not claimed.

mod anderson;
mod friction;
mod lemke;
mod single;
mod sweeps;

use granule_model::DVec3;
use serde::{Deserialize, Serialize};

use crate::contact::problem::{ContactProblem, Note, ProblemError, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::normal::complementarity::Complementarity;
use crate::laws::normal::frictionless::{EXACT, aim, bound_energy, check_rounds, threshold};
use crate::laws::normal::problem::{NormalSystem, Report, State};
use crate::laws::normal::qce::Qce;
use sweeps::Aim;

/// The law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QceLcp {
    /// Rounds of the elastic outcome after which it is ended by a plastic round, at least 1.
    pub max_rounds: u32,
}

impl Default for QceLcp {
    /// As [`Qce`].
    fn default() -> Self {
        QceLcp { max_rounds: Qce::default().max_rounds }
    }
}

impl ImpactLaw for QceLcp {
    fn name(&self) -> &'static str {
        "qce-lcp"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[Desideratum::BreakAway, Desideratum::Kinetic, Desideratum::Momentum, Desideratum::OneSided, Desideratum::Wave]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `max_rounds` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        self.resolve_from(problem, left, &[])
    }

    fn resolve_from(&self, problem: &ContactProblem, left: f64, plastic: &[DVec3]) -> Result<Solution, ProblemError> {
        problem.validate()?;
        check_rounds(self.max_rounds)?;
        if let ([contact], true) = (&problem.contacts[..], left > 0.0)
            && let Some(solution) = single::solve(problem, contact, left)
        {
            return Ok(solution);
        }
        let mut system = NormalSystem::new(problem);
        let largest = system.approach();
        let mut report = Report { converged: true, ..Report::default() };
        if largest > 0.0 {
            report = self.run(&mut system, largest, left, plastic);
            report.converged &= system.approach() <= threshold(largest, left);
        }
        report.knows_friction = true;
        Ok(system.solution(report))
    }
}

impl QceLcp {
    fn run(&self, system: &mut NormalSystem<'_>, largest: f64, left: f64, plastic: &[DVec3]) -> Report {
        let before = system.state.clone();
        let rough = friction::tangents(system);
        let common = system.common_restitution();
        let mut report = Report { converged: true, rounds: 1, ..Report::default() };
        let mut target = vec![0.0; system.len()];
        let mut elastic = vec![0.0; system.len()];
        if common != Some(0.0) {
            report = Qce { max_rounds: self.max_rounds, ..Qce::default() }.resolve_elastic(system, left);
            if common == Some(1.0) && rough.is_empty() {
                return report;
            }
            target = (0..system.len()).map(|i| (system.restitution(i) * system.speed(i)).max(0.0)).collect();
            let contacts = &system.problem().contacts;
            elastic = contacts.iter().zip(&system.state.impulses).map(|(c, p)| c.normal.dot(*p)).collect();
            system.state = before.clone();
        }
        if left > 0.0 {
            let guess = self.guess(system, &elastic, plastic);
            self.sweep(system, before, &rough, &Aim { target: &target, guess: &guess, left }, &mut report);
            return report;
        }
        let all = Complementarity::all(system);
        let (_, outcome) = all.solve(system, |_| 0.0, EXACT * largest);
        report.iterations += outcome.iterations;
        report.converged &= outcome.solved;
        if !rough.is_empty() {
            let found = friction::solve(system.problem(), before.clone(), &rough, &target, largest, &mut report);
            if let Some(answer) = found {
                bound_energy(system, answer, system.energy(&before));
                return report;
            }
            report.converged = false;
            report.notes.push(Note::FrictionUnsolved);
        }
        if common != Some(0.0) {
            aim(system, &all, before, &target, largest, &mut report);
        }
        report
    }

    /// Impulses to start from, near those of the mixture of the plastic and the elastic answer.
    fn guess(&self, system: &NormalSystem<'_>, elastic: &[f64], plastic: &[DVec3]) -> Vec<DVec3> {
        let contacts = system.problem().contacts.iter().zip(elastic).enumerate();
        let mixed = contacts.map(|(i, (c, elastic))| {
            let e = system.restitution(i);
            // Half of what the elastic answer takes is about what stops a contact.
            let Some(plastic) = plastic.get(i) else { return c.normal * (0.5 * (1.0 + e) * elastic) };
            let normal = c.normal.dot(*plastic);
            let tangential = *plastic - c.normal * normal;
            c.normal * ((1.0 - e) * normal + e * elastic) + tangential
        });
        mixed.collect()
    }

    /// (1) and (2) within `left`, and the plastic answer only where energy asks for it.
    fn sweep(
        &self,
        system: &mut NormalSystem<'_>,
        before: State,
        rough: &[(usize, DVec3)],
        aim: &Aim<'_>,
        report: &mut Report,
    ) {
        let energy = system.energy(&before);
        let problem = system.problem();
        let mut solve = |aim: &Aim<'_>| sweeps::solve(problem, &before, rough, aim, report);
        let Some(answer) = solve(aim) else {
            report.converged = false;
            return;
        };
        if system.energy(&answer) <= energy {
            system.state = answer;
            return;
        }
        match solve(&Aim { target: &vec![0.0; aim.target.len()], ..*aim }) {
            Some(plastic) => {
                system.state = plastic;
                bound_energy(system, answer, energy);
            }
            None => report.converged = false,
        }
    }
}
