//! Boxes on four contacts by the sequential and simultaneous methods and by energy tracking (Tang 2014, sections 7.2,
//! 7.3).

use granule_solver::{Etm, EtmWeighted, Note, Smm, Sqm, judge};

use crate::compare::{Worst, apart, difference, normal_impulses, resolve};
use crate::error::Found;
use crate::reference::boxes::{BoxCase, Boxes};
use crate::report::{Findings, Line};

pub(super) fn run() -> Found<Findings> {
    let boxes = Boxes::load()?.cases;
    let mut lines = vec![Line::count("boxes", 8, boxes.len())];
    lines.extend(sequential(&boxes)?);
    lines.extend(simultaneous(&boxes)?);
    lines.extend(tracked(&boxes)?);
    lines.extend(weighted(&boxes)?);
    Ok(lines.into())
}

fn sequential(boxes: &[BoxCase]) -> Found<Vec<Line>> {
    let (mut velocity, mut impulse, mut energy) = (Worst::default(), Worst::default(), Worst::default());
    let (mut same, mut clean) = (0, 0);
    for case in boxes {
        let (problem, name) = (case.problem(), case.name.as_str());
        let solution = resolve(&Sqm::default(), &problem)?;
        // Measured 4e-15 at most, impulses of up to 42 N s to 2e-14.
        velocity.add(name, difference(&solution.velocities, &case.sqm.after.all()), case.abs_tol_same_rules);
        let found = normal_impulses(&problem, &solution);
        impulse.add(name, apart(&found, &case.sqm.normal_impulse), case.abs_tol_same_rules);
        let after = judge(&problem, &solution).energy_after;
        energy.add(name, (after / case.sqm.kinetic_energy_after - 1.0).abs(), 1e-9);
        same += usize::from(solution.resolution.iterations == case.sqm.impulses_applied);
        clean += usize::from(solution.resolution.converged && solution.resolution.notes.is_empty());
    }
    Ok(vec![
        velocity.line("SQM: velocities [m/s, rad/s]"),
        impulse.line("SQM: normal impulses [N s]"),
        energy.line("SQM: kinetic energy after, relative [-]"),
        Line::count("SQM: boxes with as many impulses as the reference", boxes.len(), same),
        Line::count("SQM: boxes that converge without a note", boxes.len(), clean),
    ])
}

fn simultaneous(boxes: &[BoxCase]) -> Found<Vec<Line>> {
    let (mut velocity, mut impulse) = (Worst::default(), Worst::default());
    let (mut singular, mut pulls) = (0, 0);
    for case in boxes {
        let (problem, name) = (case.problem(), case.name.as_str());
        let solution = resolve(&Smm, &problem)?;
        // Measured 1.1e-13 at most, impulses of up to 80 N s to 9e-13 (the reference's own residual is 6e-14).
        velocity.add(name, difference(&solution.velocities, &case.smm.after.all()), case.abs_tol_unique);
        let found = normal_impulses(&problem, &solution);
        impulse.add(name, apart(&found, &case.smm.normal_impulse_minimum_norm), case.abs_tol_unique);
        let notes = &solution.resolution.notes;
        singular += usize::from(solution.resolution.converged && notes.contains(&Note::Singular));
        pulls += usize::from(notes.contains(&Note::Pulls) == case.smm.negative_impulse_needed);
    }
    Ok(vec![
        velocity.line("SMM: velocities [m/s, rad/s]"),
        impulse.line("SMM: least normal impulses [N s]"),
        // Four contacts in a plane are one too many; only the quarter overlap needs pulling.
        Line::count("SMM: boxes reported as singular", boxes.len(), singular),
        Line::count("SMM: boxes whose need to pull is reported as it is", boxes.len(), pulls),
    ])
}

/// Ties are frequent: all four contacts approach at the same speed. With friction 25 to 186 steps of a run lie on the
/// edge of the cone to the last bit (checked with numbers of 60 digits), where sticking and sliding differ by the sign
/// of friction. Ours slide there; then the run in 60 digits agrees with the reference at lambda = 5, 30 and 50 to
/// 1e-14, and not at 10 and 100 (4.3e-3 and 2.2e-4), where rounding parts the reference from the symmetry of the box.
/// At lambda = 1 and 2 the reference lets friction do more work than has been lost, which ours does not (without that
/// bound both agree to 2e-12).
fn tracked(boxes: &[BoxCase]) -> Found<Vec<Line>> {
    let (mut velocity, mut impulses, mut tied) = (Worst::default(), Worst::default(), Worst::default());
    for case in boxes {
        let problem = case.problem();
        for (k, lambda) in case.etm.lambda.iter().enumerate() {
            let solution = resolve(&Etm { lambda: *lambda, ..Etm::default() }, &problem)?;
            let name = format!("{} lambda {lambda}", case.name);
            let error = difference(&solution.velocities, &case.etm.after.answer(k, problem.bodies.len()));
            if case.name == "box_ground_mu_0.1" && ![5, 30, 50].contains(lambda) {
                if *lambda >= 5 {
                    let stated = case.etm.angular_speed.get(k).copied().unwrap_or(f64::NAN);
                    let turned = (solution.velocities[0].angular.length() - stated).abs();
                    // Measured 4.3e-3 and 2.2e-4 m/s at 10 and 100: there rounding decides in the reference.
                    tied.add(&name, error.max(turned), 5e-3);
                }
                continue;
            }
            // Measured 1.2e-11.
            velocity.add(&name, error, case.abs_tol_same_rules);
            let stated = case.etm.impulses_applied.get(k).copied().unwrap_or(u64::MAX);
            impulses.add(&name, solution.resolution.iterations.abs_diff(stated) as f64, 2.0);
        }
    }
    Ok(vec![
        velocity.line("ETM: velocities, every lambda [m/s, rad/s]"),
        impulses.line("ETM: number of impulses"),
        tied.line("ETM: velocities with friction, where rounding decides in the reference [m/s, rad/s]"),
    ])
}

/// Boxes whose contacts are alike and advance together.
const ALIKE: [&str; 4] =
    ["box_ground_frictionless", "box_ground_e_0.5", "boxes_half_overlap_free", "boxes_quarter_overlap_free"];

/// Informative in the reference, whose steps of release are others. At alpha = 1 a step is a whole compression and its
/// rules decide, so boxes with contacts that are not alike are compared at 100 alone.
fn weighted(boxes: &[BoxCase]) -> Found<Vec<Line>> {
    let (mut alike, mut fine) = (Worst::default(), Worst::default());
    for case in boxes {
        let problem = case.problem();
        let n = problem.bodies.len();
        for (k, alpha) in case.etm_weighted.alpha.iter().enumerate() {
            let law = EtmWeighted { alpha: *alpha, beta: case.etm_weighted.beta, ..EtmWeighted::default() };
            let error = difference(&resolve(&law, &problem)?.velocities, &case.etm_weighted.after.answer(k, n));
            let name = format!("{} alpha {alpha}", case.name);
            if ALIKE.contains(&case.name.as_str()) {
                // Measured 4e-13.
                alike.add(&name, error, 1e-9);
            } else if *alpha >= 100 {
                // Measured 1.7e-2.
                fine.add(&name, error, 0.02);
            }
        }
    }
    Ok(vec![
        alike.line("weighted ETM: velocities where contacts are alike [m/s, rad/s]"),
        fine.line("weighted ETM: velocities elsewhere, alpha 100 [m/s, rad/s]"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(lines: &[Line]) -> usize {
        lines.iter().filter(|l| !l.passed()).count()
    }

    #[test]
    fn wrong_references_are_refused_by_every_law() {
        let mut boxes = Boxes::load().expect("readable").cases;
        let case = &mut boxes[4];
        case.sqm.after.velocity[0] += 1e-6;
        case.sqm.impulses_applied += 1;
        case.smm.after.velocity[0] += 1e-6;
        case.smm.negative_impulse_needed = !case.smm.negative_impulse_needed;
        case.etm.after.angular_velocity[0] += 1e-6;
        case.etm.impulses_applied[0] += 3;
        case.etm_weighted.after.velocity[0] += 1e-6;
        assert_eq!(failures(&sequential(&boxes).expect("resolved")), 2);
        assert_eq!(failures(&simultaneous(&boxes).expect("resolved")), 2);
        assert_eq!(failures(&tracked(&boxes).expect("resolved")), 2);
        assert_eq!(failures(&weighted(&boxes).expect("resolved")), 1);
    }
}
