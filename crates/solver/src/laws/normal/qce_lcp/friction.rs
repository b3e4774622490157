//! Friction in boxes: a fixed point over the bounds, each step one convex problem; where the steps do not get there,
//! from where Lemke's method ends.

use granule_model::DVec3;

use super::anderson::Anderson;
use super::lemke::{self, Lemke};
use crate::contact::problem::ContactProblem;
use crate::laws::normal::complementarity::{Complementarity, Demand, Outcome};
use crate::laws::normal::frictionless::{EXACT, REST};
use crate::laws::normal::problem::{NormalSystem, Report, State};

/// Sliding speed that is rounding, relative to the largest velocity at any contact.
const STILL: f64 = 1e-9;
/// Pivot up to which an impulse counts as settled by the others: redundant contacts would carry rounding from turn to
/// turn.
const SETTLED: f64 = 1e-6;
/// Turns, and pivoting steps in all of them, before a search gives up.
const TURNS: u32 = 1000;
const STEPS: u64 = 4000;
/// Damping to begin with; the second is tried where the first leads nowhere.
const DAMPING: [f64; 2] = [1.0, 0.2];
/// Damping from where Lemke's method ends.
const DAMPING_NEAR: f64 = 0.5;
/// Turns without halving what is off, or growth of it, after which steps are damped; and how far.
const PATIENCE: u32 = 15;
const GROWTH: f64 = 10.0;
const LEAST_DAMPING: f64 = 0.05;
/// Turns with the same rows free after which the map counts as linear, for the acceleration.
const CALM: u32 = 3;
/// Steps that mend the rounding of Lemke's method.
const REFINEMENTS: usize = 4;

/// The tangents of the contacts with friction: two each, one after the other.
pub(super) fn tangents(system: &NormalSystem<'_>) -> Vec<(usize, DVec3)> {
    let contacts = &system.problem().contacts;
    let largest = (0..contacts.len()).map(|i| system.relative_velocity(i).length()).fold(0.0, f64::max);
    let axes = |i: usize| axes(contacts[i].normal, system.relative_velocity(i), largest).map(|axis| (i, axis));
    (0..contacts.len()).filter(|i| contacts[*i].coefficients.dynamic_friction > 0.0).flat_map(axes).collect()
}

/// The tangents of a contact with normal `n` and relative velocity `u`, where `largest` is the largest velocity at any
/// contact.
pub(super) fn axes(n: DVec3, u: DVec3, largest: f64) -> [DVec3; 2] {
    let sliding = u - n * n.dot(u);
    let still = sliding.length() <= STILL * largest;
    let first = if still { n.any_orthonormal_vector() } else { sliding.normalize() };
    [first, n.cross(first)]
}

/// From the velocities `before` the impact to those that meet (1) and (2); none where no fixed point was found.
pub(super) fn solve(
    problem: &ContactProblem,
    before: State,
    tangents: &[(usize, DVec3)],
    target: &[f64],
    largest: f64,
    report: &mut Report,
) -> Option<State> {
    let mut system = NormalSystem::with_tangents(problem, tangents);
    let boxes = Boxes { problem, tangents, target, all: Complementarity::all(&system), tolerance: EXACT * largest };
    for damping in DAMPING {
        let search = Search::new(&system, vec![0.0; target.len()], damping);
        let found = boxes.search(&mut system, &before, search, REST * largest, report);
        if found.is_some() {
            return found;
        }
    }
    system.state = before.clone();
    let bound = boxes.pivot(&mut system, &mut report.iterations)?;
    let search = Search::new(&system, bound, DAMPING_NEAR);
    boxes.search(&mut system, &before, search, REST * largest, report)
}

/// Largest difference between the normal impulses and the bounds, as a velocity \[m/s\].
fn off(bound: &[f64], diagonal: &[f64], x: &[f64]) -> f64 {
    bound.iter().zip(diagonal).zip(x).map(|((b, h), x)| (x - b).abs() * h).fold(0.0, f64::max)
}

/// The convex problem of one turn: bounds on friction are given.
struct Boxes<'a> {
    problem: &'a ContactProblem,
    tangents: &'a [(usize, DVec3)],
    target: &'a [f64],
    all: Complementarity,
    tolerance: f64,
}

impl Boxes<'_> {
    /// Turns from the velocities `before` and the bounds that `search` begins with, until normal impulses are within
    /// `exact` \[m/s\] of their bounds.
    fn search(
        &self,
        system: &mut NormalSystem<'_>,
        before: &State,
        mut search: Search,
        exact: f64,
        report: &mut Report,
    ) -> Option<State> {
        system.state = before.clone();
        let mut x = vec![0.0; system.rows()];
        let most = report.iterations + STEPS;
        for _ in 0..TURNS {
            let outcome = self.turn(system, &mut x, &search.bound);
            report.iterations += outcome.iterations;
            if outcome.solved && search.off(&x) <= exact {
                // Afresh from the start: what the turns have left of rounding goes.
                system.state = before.clone();
                x.iter().enumerate().for_each(|(k, x)| system.apply(k, *x));
                let outcome = self.turn(system, &mut x, &search.bound);
                if outcome.solved {
                    return Some(std::mem::take(&mut system.state));
                }
            }
            if report.iterations > most {
                break;
            }
            search.advance(&x, outcome.exchanged);
        }
        None
    }

    /// Normal impulses that, as bounds, lead to themselves or nearly so, by Lemke's method; from the velocities that
    /// the system has.
    fn pivot(&self, system: &mut NormalSystem<'_>, iterations: &mut u64) -> Option<Vec<f64>> {
        let friction = |i: usize| self.problem.contacts[i].coefficients.dynamic_friction;
        let tangents: Vec<(usize, f64)> = self.tangents.iter().map(|(i, _)| (*i, friction(*i))).collect();
        let lemke = Lemke::new(system, &tangents, self.target);
        let places = lemke.places(iterations)?;
        let mut x = vec![0.0; system.rows()];
        for _ in 0..REFINEMENTS {
            let change = lemke::step(system, &tangents, self.target, &places);
            for (k, change) in change.iter().enumerate().filter(|(_, change)| **change != 0.0) {
                system.apply(k, *change);
                x[k] += change;
            }
        }
        Some(x[..self.target.len()].iter().map(|l| l.max(0.0)).collect())
    }

    /// Solves for all impulses, with friction bounded by the normal impulses `normal`.
    fn turn(&self, system: &mut NormalSystem<'_>, x: &mut Vec<f64>, normal: &[f64]) -> Outcome {
        let m = self.problem.contacts.len();
        let bounds = |k: usize| {
            if k < m {
                return (0.0, f64::INFINITY);
            }
            let contact = self.tangents[k - m].0;
            let most = self.problem.contacts[contact].coefficients.dynamic_friction * normal[contact];
            (-most, most)
        };
        for k in m..x.len() {
            let (least, most) = bounds(k);
            let inside = x[k].clamp(least, most);
            system.apply(k, inside - x[k]);
            x[k] = inside;
        }
        let target = |k: usize| if k < m { self.target[k] } else { 0.0 };
        let mut outcome = Outcome::default();
        for settled in [SETTLED, 0.0] {
            let start = std::mem::take(x);
            let from = |k: usize| start[k];
            let demand = Demand { target: &target, start: &from, bounds: &bounds, tolerance: self.tolerance, settled };
            let (answer, last) = self.all.solve_bounded(system, &demand);
            *x = answer;
            outcome = Outcome {
                iterations: outcome.iterations + last.iterations,
                solved: last.solved,
                exchanged: outcome.exchanged || last.exchanged,
            };
            if outcome.solved {
                break;
            }
        }
        outcome
    }
}

/// The search for normal impulses that, as bounds, lead to themselves.
struct Search {
    bound: Vec<f64>,
    diagonal: Vec<f64>,
    anderson: Anderson,
    damping: f64,
    best: f64,
    best_bound: Vec<f64>,
    stuck: u32,
    calm: u32,
}

impl Search {
    fn new(system: &NormalSystem<'_>, bound: Vec<f64>, damping: f64) -> Self {
        Search {
            diagonal: system.diagonal[..bound.len()].to_vec(),
            anderson: Anderson::default(),
            damping,
            best: f64::INFINITY,
            best_bound: bound.clone(),
            bound,
            stuck: 0,
            calm: 0,
        }
    }

    /// See [`off`].
    fn off(&self, x: &[f64]) -> f64 {
        off(&self.bound, &self.diagonal, x)
    }

    /// The next bounds. Plain steps while rows change between free and bounded, accelerated ones afterwards.
    fn advance(&mut self, x: &[f64], exchanged: bool) {
        let off = self.off(x);
        self.stuck += 1;
        if off < 0.5 * self.best {
            (self.best, self.stuck) = (off, 0);
            self.best_bound.copy_from_slice(&self.bound);
        }
        self.calm = if exchanged { 0 } else { self.calm + 1 };
        if self.stuck > PATIENCE || off > GROWTH * self.best {
            if off > self.best {
                self.bound.copy_from_slice(&self.best_bound);
            }
            (self.damping, self.stuck, self.calm) = ((0.5 * self.damping).max(LEAST_DAMPING), 0, 0);
            self.best = off.min(GROWTH * self.best);
        }
        let root: Vec<f64> = self.diagonal.iter().map(|h| h.sqrt()).collect();
        let b: Vec<f64> = self.bound.iter().zip(&root).map(|(b, r)| b * r).collect();
        let g: Vec<f64> = (0..b.len()).map(|i| (x[i] - self.bound[i]) * root[i]).collect();
        let next = if self.calm >= CALM {
            self.anderson.next(&b, &g, self.damping)
        } else {
            self.anderson.forget();
            b.iter().zip(&g).map(|(b, g)| b + self.damping * g).collect()
        };
        self.bound.iter_mut().zip(next.iter().zip(&root)).for_each(|(b, (next, r))| *b = (next / r).max(0.0));
    }
}
