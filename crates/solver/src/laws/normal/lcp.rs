//! The standard law of linear complementarity: Newton's restitution at all contacts at once.
//!
//! A round finds impulses with (Zhang et al. 2015, section 4, without its prediction; Baraff 1989)
//!
//! ```text
//! 0 <= l  perp  H l + v + E v >= 0,      E = diag(e_i)                                                (1)
//! ```
//!
//! A contact that was opening may leave a round approaching, by at most `e_i v_i`; rounds repeat until none does. The
//! other reading of (1), `e min(v, 0)`, needs one round and creates energy: `H = [[2, -1], [-1, 2]]`, `v = (-1, 0.1)`,
//! `e = 1`.
//!
//! **Energy, equal e.** Let `x` solve (1) with e = 0, the plastic problem. Then `l = (1 + e) x`, and as
//! `x.(v + H x) = 0`
//!
//! ```text
//! dT = l.v + l.H l/2 = -(1 - e^2) x.H x/2 <= 0,     x.H x/2 = X
//! ```
//!
//! with X the kinetic energy that impulses can take at all: with e = 1 energy is kept, with e < 1 a round takes
//! `(1 - e^2) X`.
//!
//! **Deviation, different e.** Then (1) may create energy (a light body between two heavy ones that close on it, e = 1
//! and 0) and need not have an answer (a body held between two walls, e = 0 and 1). Where a round would leave more than
//! `T - (1 - e_max^2) X`, the answer is moved towards the plastic one until it does not; T is convex along that way and
//! least at its end, so there is one such point, and it depends continuously on the problem. Where (1) has no answer
//! the round is plastic.
//!
//! **Termination.** With e = 1 a round is the reflection `q+ = 2 q_plastic - q` about the plastic answer. Bodies that
//! walls hold (contacts whose impulses can balance) bounce for ever; otherwise finitely many rounds were always enough,
//! but no bound is known to us. With e_max < 1 the energy bound makes X fall and bodies that are held come to rest like
//! `e^n`. Past `max_rounds` a plastic round ends the law: [`Note::ForcedEnd`](crate::Note::ForcedEnd), not converged.
//!
//! Claims SYM, KIN, MOM, ONE. Not BRK and not WAV: a contact at rest stays at rest, whatever runs through it.

use serde::{Deserialize, Serialize};

use crate::contact::problem::{ContactProblem, ProblemError, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::normal::complementarity::Complementarity;
use crate::laws::normal::frictionless::{EXACT, bound_energy, check_rounds, force_end, threshold};
use crate::laws::normal::problem::{NormalSystem, Report};

/// The law; frictionless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lcp {
    /// Rounds after which the law ends with e = 0, at least 1.
    pub max_rounds: u32,
}

impl Default for Lcp {
    /// The paper gives no number of rounds: 300.
    fn default() -> Self {
        Lcp { max_rounds: 300 }
    }
}

impl ImpactLaw for Lcp {
    fn name(&self) -> &'static str {
        "lcp"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[Desideratum::Symmetry, Desideratum::Kinetic, Desideratum::Momentum, Desideratum::OneSided]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `max_rounds` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        problem.validate()?;
        check_rounds(self.max_rounds)?;
        let mut system = NormalSystem::new(problem);
        let largest = system.approach();
        let all = Complementarity::all(&system);
        let mut report = Report { converged: true, ..Report::default() };
        while system.approach() > threshold(largest, left) {
            if report.rounds == self.max_rounds {
                force_end(&mut system, &all, largest, &mut report);
                break;
            }
            report.rounds += 1;
            round(&mut system, &all, largest, &mut report);
        }
        report.converged &= system.approach() <= threshold(largest, left);
        Ok(system.solution(report))
    }
}

fn round(system: &mut NormalSystem<'_>, all: &Complementarity, largest: f64, report: &mut Report) {
    let before = system.state.clone();
    let speeds = system.speeds();
    let restitution: Vec<f64> = (0..system.len()).map(|i| system.restitution(i)).collect();
    let (_, outcome) = all.solve(system, |i| -restitution[i] * speeds[i], EXACT * largest);
    report.iterations += outcome.iterations;
    let energy = system.energy(&before);
    if system.common_restitution().is_some() && outcome.solved {
        return;
    }
    let answer = std::mem::replace(&mut system.state, before);
    let (_, plastic) = all.solve(system, |_| 0.0, EXACT * largest);
    report.iterations += plastic.iterations;
    let least = system.energy(&system.state);
    let e = restitution.iter().fold(0.0f64, |x, e| x.max(*e));
    if outcome.solved {
        bound_energy(system, answer, least + e * e * (energy - least));
    }
}
