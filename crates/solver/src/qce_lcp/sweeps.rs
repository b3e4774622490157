//! The paper's own way to solve (1) and (2) together: projected Gauss-Seidel, contact after contact, normal then tangents.

use granule_model::DVec3;

use crate::normal::{NormalSystem, Report, State};
use crate::problem::ContactProblem;

/// Largest change of a velocity in a sweep that counts as converged, over the approach speed that may stay.
const TOLERANCE: f64 = 0.1;
/// Sweeps after which there is no answer.
const MOST_SWEEPS: u32 = 500;

/// From the velocities `before` the impact to those that meet (1) and (2) within `left` \[m/s\]; none where the sweeps do not
/// get there.
pub(super) fn solve(
    problem: &ContactProblem,
    before: State,
    tangents: &[(usize, DVec3)],
    target: &[f64],
    left: f64,
    report: &mut Report,
) -> Option<State> {
    let mut system = NormalSystem::with_tangents(problem, tangents);
    system.state = before;
    let m = problem.contacts.len();
    let mut x = vec![0.0; system.rows()];
    // Contact of each tangent, so that a sweep takes them after their normal: two for each contact with friction, in order.
    let mut first_tangent = vec![None; m];
    for (k, (contact, _)) in tangents.iter().enumerate().step_by(2) {
        first_tangent[*contact] = Some(m + k);
    }
    for _ in 0..MOST_SWEEPS {
        let mut change = 0.0f64;
        for i in 0..m {
            change = change.max(update(&mut system, &mut x, i, target[i], 0.0, f64::INFINITY));
            let most = problem.contacts[i].coefficients.dynamic_friction * x[i];
            for k in first_tangent[i].into_iter().flat_map(|k| [k, k + 1]) {
                change = change.max(update(&mut system, &mut x, k, 0.0, -most, most));
            }
        }
        report.iterations += 1;
        if change <= TOLERANCE * left {
            return Some(system.state);
        }
    }
    None
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
