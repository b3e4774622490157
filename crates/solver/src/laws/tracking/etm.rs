//! The energy tracking method (ETM) of Tang, Paluszny and Zimmerman 2014, algorithms 1 and 2.
//!
//! Every contact i stores an energy `W_i >= 0`, minus the work of its normal impulses. In a step at one contact the
//! normal relative velocity grows by `x = du_n` and the normal impulse does the work (their lemma 3.1)
//!
//! ```text
//! dW = (2 u_n + x) p_n / 2,        W_i <- W_i - dW
//! ```
//!
//! with the impulse that makes the change `x` under Coulomb's law (their Eqs. 50 to 55, signs and normalisation
//! mended):
//!
//! ```text
//! sticking  p = K^-1 (x n - u_t)                      if |p_t| <= mu_s p_n
//! sliding   p = p_n (n + mu_d q),  p_n = x / (n.K (n + mu_d q)),  q = -u_t/|u_t|
//! ```
//!
//! A round has three stages: I compresses, worst contact first, until nothing approaches; II multiplies each `W_i` by
//! `e_n^2` (Stronge's hypothesis, their Eq. 12); III gives the stored energy back in steps of `du`, contacts in order,
//! until all is spent. Rounds repeat while something approaches. `du` is the largest approach speed at the start of the
//! round over `lambda` (their Eq. 62 with its sign mended), but no finer than the approach speed that the rounds leave.
//!
//! **Deviation.** Their Eq. 49 takes the largest step that the stored energy allows from the frictionless mobility even
//! with friction; the last step then releases too much or too little. Here the step solves `dW(x) = W_i` with the
//! impulse that is really applied: `x = -u_n + sqrt(u_n^2 + 2 W k)`, `k = n.K(n + mu q)`, sliding; the positive root of
//! `alpha x^2 + (2 u_n alpha - beta) x - 2 u_n beta - 2 W = 0`, `alpha = n.K^-1 n`, `beta = n.K^-1 u_t`, sticking.
//!
//! **Energy.** A finite step may turn the sliding velocity round, so that friction does work; the published method then
//! creates energy with coarse steps. Here it may only take back what is gone or stored already, see `rounds` beside it:
//! kinetic energy never exceeds what came in, for any lambda and friction. Where sliding friction would jam the contact
//! (`n.K(n + mu q) <= 0`), it opposes the sliding at the end of the step instead, which always has an answer.
//!
//! **Termination.** Stage I ends because compression is a Gauss-Seidel descent of kinetic energy; it is ended by a
//! threshold on the approach speed and by a cap on impulses. Stage III ends because every pass spends a finite part of
//! a finite energy; a contact that is compressed again there by its neighbours takes up energy that they have already
//! paid for. With e < 1 a round that stores the energy W gives back at most e^2 W, so rounds die out; with e = 1 they
//! may not, and after `max_rounds` rounds the law ends with e = 0 ([`ReleaseReport::forced`]).
//!
//! Desiderata (QCE paper, Table 1), for the method as published: KIN, MOM and ONE hold; BRK weakly (the last ball of a
//! cradle of five leaves at 0.58, the one before at 0.48); SYM up to `1/lambda`; WAV does not.

mod trace;

pub use trace::TracePoint;

use granule_model::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use crate::contact::island::{Island, Row, SolverBody};
use crate::contact::problem::{ContactProblem, Note, ProblemError, Resolution, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::tracking::impulse::sliding;
use crate::laws::tracking::memory::LawMemory;
use crate::laws::tracking::report::ReleaseReport;
use crate::laws::tracking::rounds::{Workspace, strict};
use crate::laws::tracking::settings::{MOST, RoundSettings};

/// The method on its own: all contacts of a problem touch, and are resolved once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Etm {
    /// Steps of a compression, at least 1.
    pub lambda: u32,
    /// Rounds after which the law ends with e = 0.
    pub max_rounds: u32,
}

impl Default for Etm {
    /// The values of the paper: lambda = 30 (section 7.3) and, where it gives none, 300 rounds.
    fn default() -> Self {
        Etm { lambda: 30, max_rounds: 300 }
    }
}

/// Approach speed below which a contact counts as not approaching, relative to the largest approach speed.
const REST: f64 = 1e-12;

/// What laws that know friction but no tangential restitution have to say of a problem before they resolve it.
pub(crate) fn ignored(problem: &ContactProblem) -> Option<Note> {
    let any = problem.contacts.iter().any(|c| c.coefficients.tangential_restitution > 0.0);
    any.then_some(Note::TangentialRestitutionIgnored)
}

impl ImpactLaw for Etm {
    fn name(&self) -> &'static str {
        "etm"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[Desideratum::BreakAway, Desideratum::Kinetic, Desideratum::Momentum, Desideratum::OneSided]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `lambda` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        let mut solution = Solution::default();
        self.resolve_into(problem, left, &mut LawMemory::default(), &mut solution)?;
        Ok(solution)
    }
}

impl Etm {
    /// As [`ImpactLaw::resolve_within`], with kept memory.
    pub(crate) fn resolve_into(
        &self,
        problem: &ContactProblem,
        left: f64,
        memory: &mut LawMemory,
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        problem.validate()?;
        if self.lambda == 0 {
            return Err(ProblemError::Parameter { name: "lambda", value: 0.0, expected: "at least 1" });
        }
        let (mut island, queues) = memory.lay_out(problem);
        let before = island.kinetic_energy();
        let report = self.resolve_island(&mut island, queues.workspace, left);
        let mut notes = std::mem::take(&mut solution.resolution.notes);
        notes.clear();
        notes.extend(ignored(problem).into_iter().chain(report.forced.then_some(Note::ForcedEnd)));
        solution.resolution = Resolution {
            iterations: report.impulses,
            rounds: report.rounds,
            residual: report.residual,
            converged: report.converged && !report.forced,
            energy_before: before,
            energy_after: island.kinetic_energy(),
            notes,
        };
        solution.read(problem, &island);
        Ok(())
    }

    fn resolve_island(&self, island: &mut Island<'_>, workspace: &mut Workspace, left: f64) -> ReleaseReport {
        if let [row] = &*island.rows
            && let Some((impulse, report)) = closed_form(row, island.bodies, island.tensors)
        {
            let row = &mut island.rows[0];
            row.normal_impulse = row.normal.dot(impulse);
            row.tangential_impulse = impulse - row.normal * row.normal_impulse;
            row.apply(island.bodies, island.tensors, impulse);
            return report;
        }
        let approaches = island.rows.iter().map(|row| -row.normal_velocity(island.bodies));
        let approach = approaches.fold(0.0, f64::max);
        let settings = RoundSettings {
            lambda: self.lambda,
            threshold: (REST * approach).max(left),
            lift: left,
            sliding: sliding(island),
            max_rounds: self.max_rounds,
            approach,
            // A time step may be refused an answer, and has another.
            most: (left > 0.0).then_some(MOST),
        };
        strict(workspace, island, &settings)
    }
}

/// The answer for a single contact whose normal and tangential motion do not couple (`K n` along `n`, and K isotropic
/// in the tangent plane): the same for every lambda. Returns none where the general rule is needed.
///
/// Compression and restitution together give `P_n = (1 + e) |u_n| / k`; friction takes sliding away until it sticks or
/// the cone is spent: `|P_t| = min(|u_t| / k_t, mu P_n)`.
fn closed_form(row: &Row, bodies: &[SolverBody], tensors: &[DMat3]) -> Option<(DVec3, ReleaseReport)> {
    /// Coupling below this, relative to the mobility, is rounding.
    const DECOUPLED: f64 = 1e-14;
    let u = row.relative_velocity(bodies);
    let u_n = row.normal.dot(u);
    let u_t = u - row.normal * u_n;
    let report = ReleaseReport { rounds: 1, impulses: 1, converged: true, ..ReleaseReport::default() };
    if u_n >= 0.0 {
        return Some((DVec3::ZERO, ReleaseReport { rounds: 0, impulses: 0, ..report }));
    }
    let p_n = -(1.0 + row.restitution) * u_n / row.k_normal;
    let stored = 0.5 * u_n * u_n / row.k_normal;
    let returned = row.restitution * row.restitution * stored;
    let report = ReleaseReport { stored, released: returned, ..report };
    if row.static_friction == 0.0 {
        return Some((row.normal * p_n, report));
    }
    let k_u = row.mobility(bodies, tensors, u_t);
    let isotropic = (k_u - row.k_tangent * u_t).length() <= DECOUPLED * row.k_tangent * u_t.length();
    if row.coupling.length() > DECOUPLED * row.k_normal || !isotropic || row.static_friction != row.dynamic_friction {
        return None;
    }
    let (speed, limit) = (u_t.length(), row.static_friction * p_n);
    if speed == 0.0 {
        return Some((row.normal * p_n, report));
    }
    Some((row.normal * p_n - u_t * ((speed / row.k_tangent).min(limit) / speed), report))
}
