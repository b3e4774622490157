//! The joint round: all contacts are compressed together, and what they give back leaves none approaching.

use super::Run;
use crate::laws::normal::frictionless::{EXACT, bound_energy};
use crate::laws::normal::problem::{NormalSystem, State};

/// Doublings of the targets until the energy is enough: it grows with their square.
const DOUBLINGS: u32 = 60;
/// Steps of the search for the scale of the targets, and to what it is found, relative to itself.
const SEARCH: u32 = 100;
const FOUND: f64 = 1e-14;

pub(super) fn run(system: &mut NormalSystem<'_>, run: &mut Run) {
    let before = system.state.clone();
    let speeds = system.speeds();
    let all = run.all(system);
    let (l, outcome) = all.solve(system, |_| 0.0, EXACT * run.largest);
    run.report.iterations += outcome.iterations;
    run.report.converged &= outcome.solved;
    let least = system.energy(&system.state);
    let taken = (system.energy(&before) - least).max(0.0);
    let weight: Vec<f64> = l.iter().zip(&speeds).map(|(l, v)| (-l * v).max(0.0)).collect();
    let sum: f64 = weight.iter().sum();
    if sum <= 0.0 {
        return;
    }
    let squares: Vec<f64> = (0..system.len()).map(|i| system.restitution(i) * system.restitution(i)).collect();
    // Share of the energy taken that is given back.
    let returned = weight.iter().zip(&squares).map(|(w, e)| w * e).sum::<f64>() / sum;
    let target: Vec<f64> = (0..system.len()).map(|i| system.restitution(i) * (-speeds[i]).max(0.0)).collect();
    let wanted = least + returned * taken;
    let answer = if returned > 0.0 { beyond(system, run, &before, &target, wanted) } else { None };
    let mut total = taken;
    match answer {
        Some(answer) => bound_energy(system, answer, wanted),
        None if returned == 0.0 => {}
        // Bounces for ever: `taken` is the sum of what all of them lose.
        None if returned < 1.0 => total = taken / (1.0 - returned),
        None => run.report.converged = false,
    }
    run.work.iter_mut().zip(&weight).for_each(|(sum_i, w)| *sum_i += total * w / sum);
}

/// The state that meets the targets times the least factor, not below one, with which it holds the energy `wanted`;
/// none where bodies are held. The system keeps its state.
fn beyond(system: &mut NormalSystem<'_>, run: &mut Run, before: &State, target: &[f64], wanted: f64) -> Option<State> {
    let all = run.all(system);
    let mut at = |scale: f64| {
        let kept = std::mem::replace(&mut system.state, before.clone());
        let (_, outcome) = all.solve(system, |i| scale * target[i], EXACT * run.largest * scale);
        run.report.iterations += outcome.iterations;
        let state = std::mem::replace(&mut system.state, kept);
        let excess = system.energy(&state) - wanted;
        outcome.solved.then_some((scale, excess, state))
    };
    let mut high = at(1.0)?;
    if high.1 >= 0.0 {
        return Some(high.2);
    }
    let mut low = (high.0, high.1);
    for _ in 0..DOUBLINGS {
        low = (high.0, high.1);
        high = at(2.0 * low.0)?;
        if high.1 >= 0.0 {
            break;
        }
    }
    if high.1 < 0.0 {
        return None;
    }
    // Regula falsi; the end that stays counts half (Illinois). The energy's square root is nearly linear in the scale.
    let (mut low_weight, mut high_weight) = (1.0, 1.0);
    for _ in 0..SEARCH {
        if high.0 - low.0 <= FOUND * high.0 {
            break;
        }
        let (x, y) = (-low.1 * low_weight, high.1 * high_weight);
        let share = if x + y > 0.0 { x / (x + y) } else { 0.0 };
        let middle = low.0 + share * (high.0 - low.0);
        if middle <= low.0 || middle >= high.0 {
            break;
        }
        let next = at(middle)?;
        if next.1 >= 0.0 {
            (high, high_weight, low_weight) = (next, 1.0, 0.5 * low_weight);
        } else {
            (low, low_weight, high_weight) = ((next.0, next.1), 1.0, 0.5 * high_weight);
        }
    }
    Some(high.2)
}
