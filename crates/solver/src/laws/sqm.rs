//! The sequential impulse method (SQM), as appendix A of Tang, Paluszny and Zimmerman 2014 gives it.
//!
//! Newton's law at one contact after the other: the contact that approaches fastest is inverted at once, whatever that
//! does to its neighbours, until nothing approaches. With `u` the relative velocity of that contact, the trial impulse
//! ends its sliding (their Eqs. 71 to 73, where the target is `-e u_n n`, not `-e u n`),
//!
//! ```text
//! p = K^-1 (-(1 + e) u_n n - u_t),
//! ```
//!
//! and holds if `|p_t| <= mu_s p_n`. Otherwise the contact slides (Eqs. 75 and 76, which contradict each other in
//! sign),
//!
//! ```text
//! p = p_n (n + mu_d q),      p_n = -(1 + e) u_n / (n.K (n + mu_d q)),      q = -u_t/|u_t|.
//! ```
//!
//! A contact that does not slide, yet whose trial leaves the cone because K couples normal and tangential motion, has
//! `q` along the trial's `p_t`. "Does not slide" means below 1e-12 of the largest relative speed: the direction of a
//! rounding error is none.
//!
//! **Deviation.** Where friction against the sliding would jam the contact (`n.K(n + mu_d q) <= 0`), Eq. 75 gives a
//! pull or infinity. Friction then opposes the sliding at the *end* of the step, as in [`Etm`](crate::Etm): an impulse
//! on the cone that makes the change `-(1 + e) u_n` always exists.
//!
//! **Order.** Fastest approach first; of speeds within 1e-12 of the largest, the lowest index.
//!
//! **Termination.** None is proved, and for e = 1 Tang states counter-examples: impulses need not become fewer. For e <
//! 1 without friction every impulse takes `(1 - e^2)` of a contact's `u_n^2 / (2 k)`, so that the sum of all is bounded
//! by the kinetic energy and the approach speeds tend to zero. Approach up to 1e-10 of the largest counts as none;
//! after [`Sqm::max_impulses`] per contact the method stops, and says so by [`Resolution::converged`] and by the
//! approach speed left.
//!
//! Desiderata: MOM holds by construction. ONE holds because every impulse lies in its cone. BRK holds: a contact that
//! was hit is inverted, not brought to rest. SYM does not hold, since of two symmetric contacts one is first. KIN holds
//! without friction, but with it Newton's restitution may create energy (a 2 x 2 x 1 box that lands flat with mu = 0.5
//! goes from 204 J to 295 J). WAV is close in a chain of equal balls, by luck of pairwise exchange, and not claimed.

use serde::{Deserialize, Serialize};

use crate::contact::island::Island;
use crate::contact::problem::{ContactProblem, ProblemError, Resolution, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::tracking::etm::ignored;
use crate::laws::tracking::impulse::{impulse, sliding, without_noise};
use crate::laws::tracking::memory::{LawMemory, Queues};

/// The sequential method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sqm {
    /// Impulses per contact, on average, after which the method stops, at least 1.
    pub max_impulses: u32,
}

impl Default for Sqm {
    /// The paper gives no limit; 1000 impulses per contact are far beyond what random clusters need.
    fn default() -> Self {
        Sqm { max_impulses: 1000 }
    }
}

/// Approach speed below which a contact counts as not approaching, relative to the largest approach speed.
const REST: f64 = 1e-10;

impl ImpactLaw for Sqm {
    fn name(&self) -> &'static str {
        "sqm"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[Desideratum::BreakAway, Desideratum::Momentum, Desideratum::OneSided]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `max_impulses` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        let mut solution = Solution::default();
        self.resolve_into(problem, left, &mut LawMemory::default(), &mut solution)?;
        Ok(solution)
    }
}

/// How the sequence ended.
struct Outcome {
    impulses: u64,
    residual: f64,
    converged: bool,
}

impl Sqm {
    /// As [`ImpactLaw::resolve_within`], with kept memory.
    pub(crate) fn resolve_into(
        &self,
        problem: &ContactProblem,
        left: f64,
        memory: &mut LawMemory,
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        problem.validate()?;
        if self.max_impulses == 0 {
            return Err(ProblemError::Parameter { name: "max_impulses", value: 0.0, expected: "at least 1" });
        }
        let (mut island, queues) = memory.lay_out(problem);
        let energy_before = island.kinetic_energy();
        let outcome = self.resolve_island(&mut island, queues, left);
        let mut notes = std::mem::take(&mut solution.resolution.notes);
        notes.clear();
        notes.extend(ignored(problem));
        solution.resolution = Resolution {
            iterations: outcome.impulses,
            rounds: u32::from(outcome.impulses > 0),
            residual: outcome.residual,
            converged: outcome.converged,
            energy_before,
            energy_after: island.kinetic_energy(),
            notes,
        };
        solution.read(problem, &island);
        Ok(())
    }

    fn resolve_island(&self, island: &mut Island<'_>, queues: Queues<'_>, left: f64) -> Outcome {
        let Queues { approaches, mobilities, .. } = queues;
        approaches.prepare(island, 0..island.rows.len() as u32);
        mobilities.clear(island.rows.len());
        let largest = approaches.largest(island);
        let sliding = sliding(island);
        let rest = (REST * largest).max(left);
        approaches.fill(island, rest, largest);
        let cap = u64::from(self.max_impulses) * island.rows.len() as u64;
        let mut impulses = 0;
        while let Some((i, u)) = approaches.worst(island) {
            if impulses >= cap {
                break;
            }
            impulses += 1;
            let m = mobilities.of_row(island, i);
            let row = &mut island.rows[i];
            let n = row.normal;
            let u = without_noise(u, n, sliding);
            let (p, _) = impulse(row, m, u, -(1.0 + row.restitution) * n.dot(u), f64::INFINITY);
            let p_n = n.dot(p);
            row.normal_impulse += p_n;
            row.tangential_impulse += p - n * p_n;
            let row = island.rows[i];
            row.apply(island.bodies, island.tensors, p);
            approaches.refresh(island, row.a, row.b);
        }
        let residual = approaches.largest(island);
        Outcome { impulses, residual, converged: residual <= rest }
    }
}
