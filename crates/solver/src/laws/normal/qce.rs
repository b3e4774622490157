//! Quadratic contact energy (Zhang, Li, Wang, Manocha, Sun 2015), with restitution in the energy.
//!
//! **The paper's round** (Algorithm 1, for e = 1). The contacts that approach push at rates `F_i = -v_i` (their Eq.
//! 18), `P_i = s F_i` in a "time" s, each until the energy that it took in is given back:
//!
//! ```text
//! dv/ds = H F_active,     E_i = - int v_i dP_i,     contact i ends at the first s > 0 with E_i = 0     (1)
//! ```
//!
//! v_i is piecewise linear and E_i piecewise quadratic, so ends are roots of quadratics; when one contact ends, the
//! slopes of those that share a body with it change. Rounds repeat until nothing approaches. Kinetic energy plus
//! `sum E_i` is constant in a round, hence a round that ends everywhere keeps the kinetic energy exactly.
//!
//! Mended in Algorithm 1: line 20 uses `S_k`, line 22 adds `- H_ik F_k/2`, line 23 adds `+ F_i H_ik P_k`. And the end
//! is the first root after the present s, not "the larger root": where a neighbour's end makes the slope negative it is
//! the smaller one. Here the state of a contact is (v_i, its slope, E_i) at the last change, which says the same
//! without the paper's A, B, C and without cancellation: with `v >= 0`, slope g and energy left `c = E_i / F_i`,
//!
//! ```text
//! s - s_0 = 2 c / (v + sqrt(v^2 + 2 g c)),   none if the root is not real: the contact is compressed again first
//! ```
//!
//! Ends sit in a heap by time, ties by contact; a change of slope outdates the events of a contact instead of moving
//! them. A round of m contacts with a bounded number of neighbours costs O(m log m); H is never stored densely. Only
//! contacts that approach take part in a round, and only those can begin to approach that share a body with one that
//! took part in the round before: a wave through a large pack costs what it moves, not what it passes by.
//!
//! **Restitution** (left open in the paper). Stronge's hypothesis: of the work `W_i` that compresses a contact,
//! `e_i^2 W_i` comes back. What comes back is paid `1/e^2`-fold from the store D_i,
//!
//! ```text
//! dD_i = -v_i dP_i            while v_i < 0   (compression, W_i grows alike)
//! dD_i = -v_i dP_i / e_i^2    while v_i > 0   (release),            contact i ends at D_i = 0           (2)
//! ```
//!
//! which is the bi-stiffness rule of Liu, Zhao and Brogliato. At the end of a contact `int_{v>0} v dP = e^2 W`, so
//! kinetic energy falls by
//!
//! ```text
//! loss = sum (1 - e_i^2) W_i                                                                            (3)
//! ```
//!
//! whether contacts are compressed once or again before they have ended. (Ending where `E_i` returns to `1 - e^2` of
//! its maximum is the same for one compression; for two it would make (3) hold for the maximum, and forget the second.)
//! With e = 1, (2) is (1).
//!
//! **Against inelastic collapse.** With e < 1 these rounds need not end: a body between two others bounces with speeds
//! that shrink like `e^n`, the collapse that the paper reports. A contact's *patience* is `K = floor(patience / -ln e)`
//! compressions, after which a rebound has shrunk to `exp(-patience)`, e of the most elastic contact (at most `MIXED`
//! where contacts differ). The compression after that, or the round after `N = max(49, floor(5 / -ln e))`, is a *joint
//! round*, which ends everything:
//!
//! 1. All contacts are compressed together along the impulses l of the plastic problem `0 <= l perp H l + v >= 0`. This
//!    takes X, all that impulses can take. Contacts with `l_i v_i > 0`, opening but pressed shut by others, would store
//!    less than nothing; theirs is taken from the others in proportion: `W_i = X w_i / sum w`,
//!    `w_i = max(-l_i v_i, 0)`, so `sum W_i = X`.
//! 2. `R = sum e_i^2 W_i` is given back towards the velocities `t_i = e_i max(-v_i, 0)`: the answer q(a) of
//!    `0 <= p perp H p + v - a t >= 0` approaches nowhere and holds more than any R for large a. If q(1) holds less
//!    than R, the a that holds R is taken. If it holds more, the point that holds R between it and the plastic answer
//!    is: kinetic energy is convex there and least at the plastic end, and no point approaches. So (3) holds.
//!
//! For e = 0 (K = 0) the law is the plastic LCP; for equal e and contacts that all approach, a joint round is the LCP
//! law. Without joint rounds random clusters need up to 3000 rounds and more; with them at most 50 for e <= 0.9, by
//! construction, and 37 in 1000 clusters, racks and cradles.
//!
//! **Termination.** *A round:* F.H F >= 0 over the active contacts, so some slope is positive, and that contact ends,
//! or `J^T F = 0`: then no velocity changes, and contacts may hold on to their energy for ever. That takes impulses
//! that balance; it is reported as not converged. So m ends make a round. *Rounds, e < 1:* at most N + 1. *Rounds, e =
//! 1:* no proof, as in the paper; a light body between heavy ones needs as many as it bounces, some `pi sqrt(M/m)`, and
//! bodies that walls hold bounce for ever. Past `max_rounds` a plastic round ends the law:
//! [`Note::ForcedEnd`](crate::Note::ForcedEnd), not converged. Bodies held by walls with e < 1 come to rest after
//! infinitely many bounces; step 2 has no answer there, R is lost too, and the books say what the bounces add up to.
//!
//! Claims all six desiderata.

mod joint;
mod round;

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::contact::problem::{ContactProblem, ProblemError, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use crate::laws::normal::complementarity::Complementarity;
use crate::laws::normal::frictionless::{check_rounds, force_end, threshold};
use crate::laws::normal::problem::{ELSEWHERE, NormalSystem, Report};
use round::Entry;

/// The law; frictionless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Qce {
    /// Rounds after which the law is ended by a plastic round, at least 1.
    pub max_rounds: u32,
    /// Logarithm of how far a rebound shrinks before a contact counts as collapsing \[-\], 0 or more; only for e < 1.
    pub patience: f64,
}

impl Default for Qce {
    /// The paper gives no number of rounds: 3000, more than a body bounces between two of ten thousand times its mass.
    /// A patience of 2: rebounds to 13 %.
    fn default() -> Self {
        Qce { max_rounds: 3000, patience: 2.0 }
    }
}

/// The most that the most elastic of different contacts counts for in the patience.
const MIXED: f64 = 0.99;
/// Approach speed that is rounding, relative to the largest approach speed of the problem: far below what ends the law.
const NOISE: f64 = 1e-14;
/// The same relative to the approach speed that may stay: what approaches more slowly in a time step takes no part
/// until something drives it.
const SLOW: f64 = 0.25;
/// Rounds before the joint one that every problem may have.
const ROUNDS: u32 = 49;

impl ImpactLaw for Qce {
    fn name(&self) -> &'static str {
        "qce"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &Desideratum::ALL
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or a parameter is out of its range.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        Ok(self.resolve_and_count(problem, left)?.0)
    }
}

impl Qce {
    /// The answer, and by contact the work `W_i` of all its compressions \[J\]: `sum (1 - e_i^2) W_i` is the loss.
    ///
    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or a parameter is out of its range.
    pub fn resolve_with_work(&self, problem: &ContactProblem) -> Result<(Solution, Vec<f64>), ProblemError> {
        self.resolve_and_count(problem, 0.0)
    }

    fn resolve_and_count(&self, problem: &ContactProblem, left: f64) -> Result<(Solution, Vec<f64>), ProblemError> {
        problem.validate()?;
        check_rounds(self.max_rounds)?;
        if !(self.patience >= 0.0 && self.patience.is_finite()) {
            let expected = "a finite number not below 0";
            return Err(ProblemError::Parameter { name: "patience", value: self.patience, expected });
        }
        let mut system = NormalSystem::new(problem);
        let mut run = Run::new(&system, left);
        let limits = Limits::new(self, &system);
        while run.approach(&system) > run.rest {
            if run.report.rounds == self.max_rounds {
                let all = run.all(&system);
                force_end(&mut system, &all, run.largest, &mut run.report);
                break;
            }
            run.report.rounds += 1;
            if run.is_tired(&system, &limits) {
                joint::run(&mut system, &mut run);
                break;
            }
            run.round(&mut system);
        }
        run.report.converged &= system.approach() <= run.rest;
        Ok((system.solution(run.report), run.work))
    }

    /// The outcome for e = 1 whatever restitution the contacts have, in the system's state; approach speeds up to
    /// `left` count as none.
    pub(crate) fn resolve_elastic(&self, system: &mut NormalSystem<'_>, left: f64) -> Report {
        let mut run = Run::new(system, left);
        while run.approach(system) > run.rest {
            if run.report.rounds == self.max_rounds {
                let all = run.all(system);
                force_end(system, &all, run.largest, &mut run.report);
                break;
            }
            run.report.rounds += 1;
            run.elastic_round(system);
        }
        run.report
    }
}

/// How many compressions and rounds come before the joint round.
struct Limits {
    compressions: f64,
    rounds: f64,
}

impl Limits {
    fn new(law: &Qce, system: &NormalSystem<'_>) -> Self {
        let largest = (0..system.len()).map(|i| system.restitution(i)).fold(0.0, f64::max);
        if system.common_restitution() == Some(1.0) {
            return Limits { compressions: f64::INFINITY, rounds: f64::INFINITY };
        }
        let common = system.common_restitution().is_some();
        let decay = -libm::log(if common { largest } else { largest.min(MIXED) });
        Limits { compressions: (law.patience / decay).floor(), rounds: (5.0 / decay).floor().max(f64::from(ROUNDS)) }
    }
}

/// A resolution under way.
struct Run {
    /// The problem of all contacts, once it is needed: its order of elimination costs more than the rounds of a large
    /// pack.
    all: Option<Rc<Complementarity>>,
    /// Largest approach speed at the start \[m/s\].
    largest: f64,
    /// Approach speed that counts as none \[m/s\].
    rest: f64,
    /// Approach speed up to which a contact takes no part in a round \[m/s\].
    least: f64,
    /// Contacts whose velocity may have changed in the last round, in rising order.
    front: Vec<usize>,
    /// Place of each contact among those of the round, [`ELSEWHERE`] between rounds.
    places: Vec<usize>,
    /// Compressions of each contact so far.
    compressions: Vec<u32>,
    /// Work of compression of each contact so far \[J\].
    work: Vec<f64>,
    report: Report,
}

impl Run {
    fn new(system: &NormalSystem<'_>, left: f64) -> Self {
        let largest = system.approach();
        Run {
            all: None,
            largest,
            rest: threshold(largest, left),
            least: (NOISE * largest).max(SLOW * left),
            front: (0..system.len()).collect(),
            places: vec![ELSEWHERE; system.len()],
            compressions: vec![0; system.len()],
            work: vec![0.0; system.len()],
            report: Report { converged: true, ..Report::default() },
        }
    }

    fn all(&mut self, system: &NormalSystem<'_>) -> Rc<Complementarity> {
        Rc::clone(self.all.get_or_insert_with(|| Rc::new(Complementarity::all(system))))
    }

    /// Largest approach speed \[m/s\]: away from the front nothing approaches that counts.
    fn approach(&self, system: &NormalSystem<'_>) -> f64 {
        self.front.iter().map(|i| -system.speed(*i)).fold(0.0, f64::max)
    }

    /// Counts the compressions that the next round begins with; whether one is more than its contact has patience for.
    fn is_tired(&mut self, system: &NormalSystem<'_>, limits: &Limits) -> bool {
        let mut most = 0;
        for &i in &self.front {
            self.compressions[i] += u32::from(system.speed(i) < -self.rest);
            most = most.max(self.compressions[i]);
        }
        f64::from(most) > limits.compressions || f64::from(self.report.rounds) > limits.rounds
    }

    fn round(&mut self, system: &mut NormalSystem<'_>) {
        self.round_with(system, |system, i| system.restitution(i) * system.restitution(i));
    }

    fn elastic_round(&mut self, system: &mut NormalSystem<'_>) {
        self.round_with(system, |_, _| 1.0);
    }

    fn round_with(&mut self, system: &mut NormalSystem<'_>, returned: impl Fn(&NormalSystem<'_>, usize) -> f64) {
        let entry = |i: usize| {
            let rate = -system.speed(i);
            let entry = || (i, Entry { rate, returned: returned(system, i), diagonal: system.diagonal[i] });
            (rate > self.least).then(entry)
        };
        let (active, entries): (Vec<usize>, Vec<Entry>) = self.front.iter().filter_map(|i| entry(*i)).unzip();
        active.iter().enumerate().for_each(|(k, i)| self.places[*i] = k);
        let round = round::run(&entries, &system.couplings(&active, &self.places));
        self.report.iterations += round.events;
        self.report.converged &= round.complete;
        for (k, i) in active.iter().enumerate() {
            self.places[*i] = ELSEWHERE;
            self.work[*i] += round.work[k];
            if round.impulses[k] > 0.0 {
                system.apply(*i, round.impulses[k]);
            }
        }
        self.advance_front(system, &active);
    }

    /// The front after a round of these contacts.
    fn advance_front(&mut self, system: &NormalSystem<'_>, active: &[usize]) {
        self.front.clear();
        for j in active.iter().flat_map(|i| system.neighbours(*i)) {
            if self.places[j] == ELSEWHERE {
                self.places[j] = 0;
                self.front.push(j);
            }
        }
        self.front.sort_unstable();
        self.front.iter().for_each(|j| self.places[*j] = ELSEWHERE);
    }
}
