//! Generalized reflections (Smith et al. 2012), the law that QCE is measured against.
//!
//! While some contact approaches: let V be those that do, solve the plastic problem on V alone and apply its impulses
//! twice,
//!
//! ```text
//! 0 <= z  perp  H_VV z + v_V >= 0,      P_V += 2 z                                                    (1)
//! ```
//!
//! As `z.(v_V + H_VV z) = 0`, the energy change `2 z.v_V + 2 z.H_VV z` is zero: every step is a reflection of the
//! velocities. The outcome `q_r` is the one for e = 1. For e < 1 the velocities are mixed with the plastic ones `q_p`
//! of all contacts,
//!
//! ```text
//! q+ = (1 - e) q_p + e q_r                                                                            (2)
//! ```
//!
//! which approach nowhere, and whose energy is at most `(1 - e) T_p + e T` (T is convex).
//!
//! **Different e.** (2) does not say how to mix. Here the normal velocities are mixed by contact and are targets,
//!
//! ```text
//! 0 <= l  perp  H l + v - w >= 0,      w_i = (1 - e_i) n.q_p + e_i n.q_r >= 0                         (3)
//! ```
//!
//! For equal e the mixed impulses solve (3) with all slacks zero, so it is (2). It always has an answer: impulses y
//! that balance (`J^T y = 0`) could forbid one only by `y.(v - w) < 0`, but `y.J q = 0` for all three of q, q_p, q_r
//! and the last two open nowhere below zero, so w is zero wherever y is not. Should (3) create energy, the answer is
//! moved towards q_p until it does not, as in [`crate::laws::normal::lcp`].
//!
//! **Termination.** Reflections about finitely many planes that bound a cone with interior end (Smith et al. 2012,
//! appendix, for generic problems); bodies that walls hold bounce for ever. Past `max_rounds` a plastic round ends the
//! law: [`Note::ForcedEnd`](crate::Note::ForcedEnd), not converged. A light body between heavy ones needs as many
//! rounds as it bounces, some `pi sqrt(M/m)`.
//!
//! **V is discontinuous.** A disturbance that makes a contact at rest approach, however little, changes the outcome by
//! finite amounts. A contact counts as approaching above `NOISE` of the largest approach speed: far above rounding, far
//! below any disturbance.
//!
//! Claims BRK, SYM, KIN, MOM, ONE; not WAV.

use serde::{Deserialize, Serialize};

use crate::contact::problem::{ContactProblem, ProblemError, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::normal::complementarity::Complementarity;
use crate::laws::normal::frictionless::{EXACT, aim, check_rounds, force_end, speeds_in, threshold};
use crate::laws::normal::problem::{NormalSystem, Report, State};

/// Approach speed that is rounding, relative to the largest approach speed of the problem.
const NOISE: f64 = 1e-13;

/// The law; frictionless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gr {
    /// Reflections after which the law ends with e = 0, at least 1.
    pub max_rounds: u32,
}

impl Default for Gr {
    /// The paper gives no number of rounds: 3000, more than a body bounces between two of ten thousand times its mass.
    fn default() -> Self {
        Gr { max_rounds: 3000 }
    }
}

impl ImpactLaw for Gr {
    fn name(&self) -> &'static str {
        "gr"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[
            Desideratum::BreakAway,
            Desideratum::Symmetry,
            Desideratum::Kinetic,
            Desideratum::Momentum,
            Desideratum::OneSided,
        ]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `max_rounds` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        problem.validate()?;
        check_rounds(self.max_rounds)?;
        let mut system = NormalSystem::new(problem);
        let largest = system.approach();
        let mut report = Report { converged: true, ..Report::default() };
        if largest > 0.0 {
            let before = system.state.clone();
            if system.common_restitution() != Some(0.0) {
                self.reflect(&mut system, largest, threshold(largest, left), &mut report);
            }
            if system.common_restitution() != Some(1.0) {
                let elastic = std::mem::replace(&mut system.state, before);
                mix_with_plastic(&mut system, elastic, largest, &mut report);
            }
            report.converged &= system.approach() <= threshold(largest, left);
        }
        Ok(system.solution(report))
    }
}

impl Gr {
    /// The outcome for e = 1; approach speeds up to `rest` count as none.
    fn reflect(&self, system: &mut NormalSystem<'_>, largest: f64, rest: f64, report: &mut Report) {
        while system.approach() > rest {
            if report.rounds == self.max_rounds {
                let all = Complementarity::all(system);
                force_end(system, &all, largest, report);
                return;
            }
            report.rounds += 1;
            let violated = (0..system.len()).filter(|i| -system.speed(*i) > NOISE * largest).collect();
            let part = Complementarity::new(system, violated);
            let (z, outcome) = part.solve(system, |_| 0.0, EXACT * largest);
            report.iterations += outcome.iterations;
            for (i, z) in z.iter().enumerate().filter(|(_, z)| **z != 0.0) {
                system.apply(i, *z);
            }
        }
    }
}

/// Equations 2 and 3, from the velocities that the system has before the impact.
fn mix_with_plastic(system: &mut NormalSystem<'_>, mut elastic: State, largest: f64, report: &mut Report) {
    let all = Complementarity::all(system);
    let before = system.state.clone();
    let (_, outcome) = all.solve(system, |_| 0.0, EXACT * largest);
    report.rounds = report.rounds.max(1);
    report.iterations += outcome.iterations;
    report.converged &= outcome.solved;
    if let Some(e) = system.common_restitution() {
        system.state = system.state.blend(&elastic, e);
        return;
    }
    let (stopped, reflected) = (system.speeds(), speeds_in(system, &mut elastic));
    let mixed = |i: usize| {
        let e = system.restitution(i);
        ((1.0 - e) * stopped[i] + e * reflected[i]).max(0.0)
    };
    let target: Vec<f64> = (0..system.len()).map(mixed).collect();
    aim(system, &all, before, &target, largest, report);
}
