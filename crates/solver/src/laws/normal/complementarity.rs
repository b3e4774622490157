//! Linear complementarity problems of impulses.
//!
//! Asked for are normal impulses `x >= 0` of some contacts so that their normal velocities `v+ = v + H x` meet targets,
//!
//! ```text
//! 0 <= x  perp  v + H x - t >= 0                                                                      (1)
//! ```
//!
//! H is symmetric and positive semidefinite, so (1) is the minimum of the convex `x.H x/2 + x.(v - t)` over `x >= 0`;
//! where it has answers they differ in x only, never in `H x`. Bounds on both sides (friction in boxes, `|x| <= b`)
//! change nothing in that: at the upper one the slack is not positive. H is singular as soon as contacts outnumber what
//! the bodies can do (four corners of a face), hence the *proximal point method* (Rockafellar 1976): unit diagonal by
//! `x_i sqrt(H_ii)`, and from `x^0 = 0`
//!
//! ```text
//! x^(k+1) = argmin over bounded x of  x.H x/2 + x.(v - t) + (delta/2) |x - x^k|^2                        (2)
//! ```
//!
//! Each (2) has one answer, whatever the order of the contacts, and the first is next to the least x that solves (1):
//! symmetric problems get symmetric impulses. The steps end after finitely many (Ferris 1991, polyhedral functions) and
//! mend the rounding of the one before, as each starts from velocities read off the bodies.
//!
//! (2) has a positive definite matrix. *Block principal pivoting* (Portugal, Judice and Vicente 1994) guesses which x
//! are free, solves for them, and exchanges all that contradict; if their number has not fallen three times over, only
//! the last of them is exchanged, which ends (Murty 1974). Should the cap on exchanges be met, Gauss-Seidel sweeps take
//! over, which descend always.

mod factor;

use factor::{Factor, Matrix, least_degree_order};

use crate::laws::normal::problem::NormalSystem;

/// Weight of the proximal term, for a unit diagonal: small enough for one or two steps to do, large enough for the
/// factors.
const DELTA: f64 = 1e-9;
/// Proximal steps.
const MOST_STEPS: usize = 60;
/// Steps without halving the residual after which nothing better is to come.
const STALL: usize = 6;
/// Exchanges in one step before sweeps take over: far more than are needed where they end at all.
const EXCHANGES: u64 = 60;
/// Sweeps where the pivoting gave up.
const SWEEPS: usize = 50;

/// How (1) was solved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Exchanges of free contacts, and sweeps.
    pub(crate) iterations: u64,
    /// Whether (1) holds to the tolerance.
    pub(crate) solved: bool,
    /// Whether the first guess of what is free was wrong.
    pub(crate) exchanged: bool,
}

/// What is asked of the rows: velocities \[m/s\] and bounds on impulses \[N s\], by row of the system.
pub(crate) struct Demand<'a> {
    /// Velocity at which the slack is zero.
    pub(crate) target: &'a dyn Fn(usize) -> f64,
    /// Impulses that the velocities of the system hold already; part of the answer, within the bounds.
    pub(crate) start: &'a dyn Fn(usize) -> f64,
    /// Least and largest impulse.
    pub(crate) bounds: &'a dyn Fn(usize) -> (f64, f64),
    /// To what the answer has to hold; a tenth of it is tried for.
    pub(crate) tolerance: f64,
    /// Pivot, for a unit diagonal, up to which a row counts as settled by the others and keeps its impulse.
    pub(crate) settled: f64,
}

/// A set of rows with the order in which their equations are eliminated.
pub(crate) struct Complementarity {
    set: Vec<usize>,
    root: Vec<f64>,
    matrix: Matrix,
    order: Vec<usize>,
}

impl Complementarity {
    /// `set`: the rows taken, in rising order.
    pub(crate) fn new(system: &NormalSystem<'_>, set: Vec<usize>) -> Self {
        let mut local = vec![usize::MAX; system.rows()];
        set.iter().enumerate().for_each(|(k, i)| local[*i] = k);
        let root: Vec<f64> = set.iter().map(|i| system.diagonal[*i].sqrt()).collect();
        let mut matrix = Matrix { starts: vec![0], entries: Vec::new() };
        for (k, i) in set.iter().enumerate() {
            let inside = system.row(*i).iter().filter(|(j, h)| local[*j] != usize::MAX && *h != 0.0);
            matrix.entries.extend(inside.map(|(j, h)| (local[*j], h / (root[k] * root[local[*j]]))));
            matrix.starts.push(matrix.entries.len());
        }
        let order = least_degree_order(&matrix);
        Complementarity { set, root, matrix, order }
    }

    /// All rows of a system.
    pub(crate) fn all(system: &NormalSystem<'_>) -> Self {
        Self::new(system, (0..system.rows()).collect())
    }

    /// Solves (1) for normals from the velocities that the system has and applies the impulses, which are returned by
    /// row.
    pub(crate) fn solve(
        &self,
        system: &mut NormalSystem<'_>,
        target: impl Fn(usize) -> f64,
        tolerance: f64,
    ) -> (Vec<f64>, Outcome) {
        let bounds = |_| (0.0, f64::INFINITY);
        self.solve_bounded(
            system,
            &Demand { target: &target, start: &|_| 0.0, bounds: &bounds, tolerance, settled: 0.0 },
        )
    }

    /// Solves (1) with bounds, applies what the impulses change by, and returns them by row.
    pub(crate) fn solve_bounded(&self, system: &mut NormalSystem<'_>, demand: &Demand<'_>) -> (Vec<f64>, Outcome) {
        let mut work = self.begin(demand);
        let mut outcome = Outcome::default();
        let (mut best, mut since) = (f64::INFINITY, 0);
        let (mut settled, mut guess) = (demand.settled, true);
        for step in 0..=MOST_STEPS {
            let residual = self.residual(system, &mut work, guess);
            outcome.solved = residual <= demand.tolerance;
            since = if residual < 0.5 * best { 0 } else { since + 1 };
            best = best.min(residual);
            if residual <= 0.1 * demand.tolerance || step == MOST_STEPS || since > STALL || !residual.is_finite() {
                break;
            }
            let (change, exchanges, pivoted) = self.pivot(&mut work, settled);
            outcome.iterations += exchanges;
            outcome.exchanged |= exchanges > 1;
            self.apply(system, &mut work, &change);
            guess = !pivoted;
            if !pivoted {
                settled = 0.0;
                self.sweep(system, &mut work);
                outcome.iterations += SWEEPS as u64;
            }
        }
        let mut impulses = vec![0.0; system.rows()];
        self.set.iter().enumerate().for_each(|(k, i)| impulses[*i] = work.x[k] / self.root[k]);
        (impulses, outcome)
    }

    fn begin(&self, demand: &Demand<'_>) -> Work {
        let scaled = |k: usize, x: f64| x * self.root[k];
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (k, i) in self.set.iter().enumerate() {
            let (least, most) = (demand.bounds)(*i);
            low.push(scaled(k, least));
            high.push(scaled(k, most));
        }
        let rows = || self.set.iter().enumerate();
        let x = rows().map(|(k, i)| scaled(k, (demand.start)(*i)).clamp(low[k], high[k])).collect();
        let target = rows().map(|(_, i)| (demand.target)(*i)).collect();
        Work { x, low, high, target, slack: vec![0.0; self.set.len()], place: vec![Place::Low; self.set.len()] }
    }

    /// Reads the slacks off the bodies; how far (1) is from holding \[m/s\]. With `guess`, what a step down the slack
    /// leaves inside the bounds is guessed free.
    fn residual(&self, system: &NormalSystem<'_>, work: &mut Work, guess: bool) -> f64 {
        let mut worst = 0.0f64;
        for (k, i) in self.set.iter().enumerate() {
            let slack = (system.speed(*i) - work.target[k]) / self.root[k];
            work.slack[k] = slack;
            let down = work.x[k] - slack;
            if guess {
                work.place[k] = match () {
                    () if down <= work.low[k] => Place::Low,
                    () if down >= work.high[k] => Place::High,
                    () => Place::Free,
                };
            }
            let off = (down.clamp(work.low[k], work.high[k]) - work.x[k]).abs() * self.root[k];
            worst = if off.is_nan() { f64::NAN } else { worst.max(off) };
        }
        worst
    }

    fn apply(&self, system: &mut NormalSystem<'_>, work: &mut Work, change: &[f64]) {
        for (k, i) in self.set.iter().enumerate() {
            let after = (work.x[k] + change[k]).clamp(work.low[k], work.high[k]);
            let step = after - work.x[k];
            if step != 0.0 {
                system.apply(*i, step / self.root[k]);
                work.x[k] = after;
            }
        }
    }

    /// Solves (2) for the change of x; with the number of exchanges and whether nothing contradicts any more.
    fn pivot(&self, work: &mut Work, settled: f64) -> (Vec<f64>, u64, bool) {
        let n = self.set.len();
        let (mut fewest, mut tries) = (usize::MAX, 3);
        let mut change = vec![0.0; n];
        for exchange in 0..EXCHANGES {
            self.solve_free(work, settled, &mut change);
            let wrong = self.contradictions(work, &change);
            let Some(last) = wrong.last() else { return (change, exchange + 1, true) };
            if wrong.len() < fewest {
                (fewest, tries) = (wrong.len(), 3);
            } else if tries > 0 {
                tries -= 1;
            } else {
                work.place[last.0] = last.1;
                continue;
            }
            wrong.iter().for_each(|(k, place)| work.place[*k] = *place);
        }
        (change, EXCHANGES, false)
    }

    /// The change that makes the free slacks of (2) zero and takes every other x to its bound.
    fn solve_free(&self, work: &Work, settled: f64, change: &mut [f64]) {
        for k in 0..change.len() {
            change[k] = match work.place[k] {
                Place::Free => 0.0,
                Place::Low => work.low[k] - work.x[k],
                Place::High => work.high[k] - work.x[k],
            };
        }
        let members: Vec<usize> = self.order.iter().copied().filter(|k| work.place[*k] == Place::Free).collect();
        let mut right: Vec<f64> = members.iter().map(|k| -work.slack[*k] - self.matrix.times(*k, change)).collect();
        Factor::new(&self.matrix, &members, DELTA, settled).solve(&mut right);
        members.iter().zip(&right).for_each(|(k, x)| change[*k] = *x);
    }

    /// Free rows that leave their bounds and others that would not stay there, in rising order, with where they belong.
    fn contradictions(&self, work: &Work, change: &[f64]) -> Vec<(usize, Place)> {
        let largest = |x: &[f64]| x.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let rounding = 4.0 * f64::EPSILON * (largest(&work.slack) + largest(change));
        let belongs = |k: usize| {
            let after = work.x[k] + change[k];
            let slack = || work.slack[k] + self.matrix.times(k, change) + DELTA * change[k];
            match work.place[k] {
                Place::Free if after < work.low[k] => Place::Low,
                Place::Free if after > work.high[k] => Place::High,
                Place::Low if work.low[k] < work.high[k] && slack() < -rounding => Place::Free,
                Place::High if work.low[k] < work.high[k] && slack() > rounding => Place::Free,
                place => place,
            }
        };
        (0..change.len()).map(|k| (k, belongs(k))).filter(|(k, place)| *place != work.place[*k]).collect()
    }

    /// Projected Gauss-Seidel on the velocities of the bodies.
    fn sweep(&self, system: &mut NormalSystem<'_>, work: &mut Work) {
        for _ in 0..SWEEPS {
            for (k, i) in self.set.iter().enumerate() {
                let slack = (system.speed(*i) - work.target[k]) / self.root[k];
                let after = (work.x[k] - slack).clamp(work.low[k], work.high[k]);
                let step = after - work.x[k];
                if step != 0.0 {
                    system.apply(*i, step / self.root[k]);
                    work.x[k] = after;
                }
            }
        }
    }
}

/// Where an impulse is guessed to lie.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Low,
    Free,
    High,
}

/// Scaled impulses, bounds and slacks, and the guesses.
struct Work {
    x: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    target: Vec<f64>,
    slack: Vec<f64>,
    place: Vec<Place>,
}
