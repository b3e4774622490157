//! The paper's own way to solve (1) and (2) together: projected Gauss-Seidel, contact after contact, normal then tangents.

use granule_model::DVec3;

use crate::normal::{NormalSystem, Report, State};
use crate::problem::ContactProblem;

/// Largest change of a velocity in a sweep that counts as converged, over the approach speed that may stay.
const TOLERANCE: f64 = 0.3;
/// Approach speed that an answer may have after the last sweep, over the same: the contact stage that follows takes it.
const ENOUGH: f64 = 5.0;
/// Sweeps after which an answer is as good as it gets.
const MOST_SWEEPS: u32 = 25;

/// What the sweeps start from and aim at, by contact.
pub(super) struct Aim<'a> {
    /// Normal velocities \[m/s\].
    pub(super) target: &'a [f64],
    /// Impulses on A \[N s\].
    pub(super) guess: &'a [DVec3],
    /// Error that may stay in a velocity \[m/s\].
    pub(super) left: f64,
}

/// From the velocities `before` the impact to those that meet (1) and (2); none where the sweeps do not get there.
pub(super) fn solve(
    problem: &ContactProblem,
    before: State,
    tangents: &[(usize, DVec3)],
    aim: &Aim<'_>,
    report: &mut Report,
) -> Option<State> {
    let mut system = NormalSystem::without_coupling(problem, tangents);
    system.state = before;
    let m = problem.contacts.len();
    let mut x = vec![0.0; system.rows()];
    start(&mut system, &mut x, aim.guess, tangents);
    // Contact of each tangent, so that a sweep takes them after their normal: two for each contact with friction, in order.
    let mut first_tangent = vec![None; m];
    for (k, (contact, _)) in tangents.iter().enumerate().step_by(2) {
        first_tangent[*contact] = Some(m + k);
    }
    for _ in 0..MOST_SWEEPS {
        let mut change = 0.0f64;
        for i in 0..m {
            change = change.max(update(&mut system, &mut x, i, aim.target[i], 0.0, f64::INFINITY));
            // An open contact has no friction to give or to lose.
            if x[i] == 0.0 && is_smooth(&x, first_tangent[i]) {
                continue;
            }
            let most = problem.contacts[i].coefficients.dynamic_friction * x[i];
            for k in first_tangent[i].into_iter().flat_map(|k| [k, k + 1]) {
                change = change.max(update(&mut system, &mut x, k, 0.0, -most, most));
            }
        }
        report.iterations += 1;
        if change <= TOLERANCE * aim.left {
            return Some(system.state);
        }
    }
    let least = (0..m).map(|i| system.speed(i)).fold(0.0, f64::min);
    (-least <= ENOUGH * aim.left).then_some(system.state)
}

/// Applies the guess, drawn into its bounds.
fn start(system: &mut NormalSystem<'_>, x: &mut [f64], guess: &[DVec3], tangents: &[(usize, DVec3)]) {
    let contacts = &system.problem().contacts;
    let m = contacts.len();
    for (i, guess) in guess.iter().enumerate() {
        x[i] = contacts[i].normal.dot(*guess).max(0.0);
    }
    for (k, (i, direction)) in tangents.iter().enumerate() {
        let most = contacts[*i].coefficients.dynamic_friction * x[*i];
        x[m + k] = guess.get(*i).map_or(0.0, |guess| direction.dot(*guess).clamp(-most, most));
    }
    x.iter().enumerate().filter(|(_, x)| **x != 0.0).for_each(|(k, x)| system.apply(k, *x));
}

/// Whether a contact holds no friction.
fn is_smooth(x: &[f64], first_tangent: Option<usize>) -> bool {
    first_tangent.is_none_or(|k| x[k] == 0.0 && x[k + 1] == 0.0)
}

/// One projected step of row `k`; the change of its velocity.
fn update(system: &mut NormalSystem<'_>, x: &mut [f64], k: usize, target: f64, least: f64, most: f64) -> f64 {
    let wished = x[k] - (system.speed(k) - target) / system.diagonal[k];
    let next = wished.clamp(least, most);
    let step = next - x[k];
    if step != 0.0 {
        system.apply(k, step);
        x[k] = next;
    }
    step.abs() * system.diagonal[k]
}
