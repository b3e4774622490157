//! The law of Liu, Zhao and Brogliato 2008: the exact distribution of impulses between contacts that are compressed
//! together.
//!
//! Contacts are springs without length, force `k d^eta` at the compression d (eta = 3/2: Hertz, 1: linear). Time
//! shrinks to nothing while stiffness grows, so bodies do not move, and only ratios of stiffness matter. With the
//! energy `E = k d^(eta+1) / (eta+1)` the impulses are shared as (their distribution law, Zhang et al. 2015, Eq. 6)
//!
//! ```text
//! dP_j / dP_i = (k_j / k_i)^(1/(eta+1)) (E_j / E_i)^(eta/(eta+1))                                      (1)
//! ```
//!
//! which starts at 0/0. In the compressions themselves nothing is singular: with a time tau,
//!
//! ```text
//! dP_i/dtau = k_i d_i^eta,    dv/dtau = H dP/dtau,
//! dd_i/dtau = -v_i            while v_i < 0   (compression)
//! dd_i/dtau = -v_i / e_i^2    while v_i > 0   (release; bi-stiffness)                                   (2)
//! ```
//!
//! and dividing two of the first equations gives (1). A contact ends at d = 0 and starts again when it approaches:
//! contacts have no gaps here, which is what tells the law from balls that bounce (up to 1e-5 where a contact closes
//! again).
//!
//! **Energy.** `dE_i = -v_i dP_i` in compression and `-v_i dP_i / e_i^2` in release, so a contact gives back e^2 of the
//! work that compresses it: `loss = sum (1 - e_i^2) W_i`. For e = 0 release takes no time: the contact ends at its
//! greatest compression.
//!
//! **Integration.** Dormand and Prince's method of order 5 with its error of order 4 for the step. The right side has
//! kinks where a contact starts, turns or ends; a step that would pass one is made again to end there (cubic Hermite
//! interpolation; what is missed enters by its square). Velocities are measured in V, the largest approach speed,
//! compressions in `D_i = ((eta+1) V^2 / (2 k_i H_ii))^(1/(eta+1))`, at which a contact holds what stops V.
//!
//! **Termination.** Compressed contacts push and every one of them is released in finite time unless its neighbours
//! keep it compressed, which spends their energy. With e < 1 contacts may start again ever more weakly, without end;
//! the law is over when all that is stored or approaching is below `CLOSE` as a velocity, and a plastic round takes
//! that. Past `max_steps` steps a plastic round ends it as it stands: [`Note::ForcedEnd`](crate::Note::ForcedEnd), not
//! converged. Bodies held by walls with e = 1 bounce for ever.
//!
//! What the integration gains in energy, some 1e-11, is taken off again by moving the answer towards the plastic one.
//!
//! Claims all six desiderata; WAV by definition.

mod flow;
mod step;

use serde::{Deserialize, Serialize};

use crate::contact::problem::{ContactProblem, ProblemError, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::normal::complementarity::Complementarity;
use crate::laws::normal::frictionless::{EXACT, bound_energy, force_end, threshold};
use crate::laws::normal::problem::{NormalSystem, Report};
use flow::Flow;

/// The law; frictionless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lzb {
    /// Exponent eta of the contact force \[-\], 1 to 3.
    pub exponent: f64,
    /// Error allowed in a step, relative to V and D \[-\], 1e-14 to 1e-3.
    pub tolerance: f64,
    /// Steps after which the law is ended by a plastic round, at least 1.
    pub max_steps: u32,
}

impl Default for Lzb {
    /// Hertz's contact, 1e-11, 300 000 steps.
    fn default() -> Self {
        Lzb { exponent: 1.5, tolerance: 1e-11, max_steps: 300_000 }
    }
}

/// Velocity, stored or approaching, at which the law is over, relative to the largest approach speed.
const CLOSE: f64 = 1e-10;

impl Lzb {
    fn check(&self) -> Result<(), ProblemError> {
        let bad = |name, value, expected| Err(ProblemError::Parameter { name, value, expected });
        if !(1.0..=3.0).contains(&self.exponent) {
            return bad("exponent", self.exponent, "between 1 and 3");
        }
        if !(1e-14..=1e-3).contains(&self.tolerance) {
            return bad("tolerance", self.tolerance, "between 1e-14 and 1e-3");
        }
        if self.max_steps == 0 {
            return bad("max_steps", 0.0, "at least 1");
        }
        Ok(())
    }
}

impl ImpactLaw for Lzb {
    fn name(&self) -> &'static str {
        "lzb"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &Desideratum::ALL
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or a parameter is out of its range.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        problem.validate()?;
        self.check()?;
        let mut system = NormalSystem::new(problem);
        let largest = system.approach();
        let mut report = Report { converged: true, ..Report::default() };
        if largest > 0.0 {
            self.run(&mut system, largest, left, &mut report);
            report.converged &= system.approach() <= threshold(largest, left);
        }
        Ok(system.solution(report))
    }
}

impl Lzb {
    fn run(&self, system: &mut NormalSystem<'_>, largest: f64, left: f64, report: &mut Report) {
        let before = system.state.clone();
        let energy = system.energy(&before);
        let all = Complementarity::all(system);
        let mut flow = Flow::new(system, self, largest, left);
        let over = flow.run(self.max_steps);
        report.iterations = flow.steps;
        report.rounds = 1;
        let impulses = flow.into_impulses();
        for (i, p) in impulses.iter().enumerate().filter(|(_, p)| **p > 0.0) {
            system.apply(i, *p);
        }
        if over {
            let (_, outcome) = all.solve(system, |_| 0.0, EXACT * largest);
            report.converged &= outcome.solved;
        } else {
            force_end(system, &all, largest, report);
        }
        if system.energy(&system.state) > energy {
            let answer = std::mem::replace(&mut system.state, before);
            all.solve(system, |_| 0.0, EXACT * largest);
            bound_energy(system, answer, energy);
        }
    }
}
