//! RBSS in its literal form and as the linear law.

use granule_solver::rbss::residual;
use granule_solver::{RbssForm, RbssLinear};

use super::rbss::{Soundness, add_misses, form};
use crate::compare::{Worst, resolve};
use crate::error::Found;
use crate::reference::thesis::{Cluster, Thesis};
use crate::report::{Findings, Line};

/// The clusters for which neither the law nor the independent code finds a literal solution.
const UNSOLVED: [&str; 2] = ["cluster_6_b", "cluster_30_hit"];

pub(super) fn literal() -> Found<Findings> {
    Ok(literal_lines(&Thesis::load()?)?.into())
}

fn literal_lines(thesis: &Thesis) -> Found<Vec<Line>> {
    let (mut stated, mut as_cone, mut sound) = (Worst::default(), Worst::default(), Soundness::default());
    let (mut unsolved, mut admitted) = (Vec::new(), 0);
    for case in &thesis.cases {
        let problem = case.problem();
        let solution = resolve(&form(RbssForm::Literal), &problem)?;
        if !solution.resolution.converged {
            // An answer that is none must be reported as such.
            let left = residual(&problem, &solution, RbssForm::Literal);
            admitted += usize::from(left > 1e-3 && solution.resolution.residual > 0.0);
            unsolved.push(case.name.as_str());
            continue;
        }
        sound.add(&case.name, &problem, &solution, RbssForm::Literal);
        // Where several roots are known the continuation from the cone form finds the file's one as well.
        if let Some(answer) = &case.literal {
            add_misses(&mut stated, &case.name, &problem, &solution, answer);
        }
        if case.literal_equals_cone {
            add_misses(&mut as_cone, &case.name, &problem, &solution, &case.cone);
        }
    }
    let known = unsolved.iter().filter(|name| UNSOLVED.contains(name)).count();
    let mut lines = vec![
        // Measured 7.4e-6 of the tolerances.
        stated.line("velocities and impulses where a literal answer is stated"),
        as_cone.line("velocities and impulses where the forms agree"),
        Line::count("clusters without an answer", UNSOLVED.len(), unsolved.len()).noted(unsolved.join(", ")),
        Line::count("of these known to have none", UNSOLVED.len(), known),
        Line::count("of these reported as not solved", unsolved.len(), admitted),
    ];
    lines.extend(sound.lines());
    lines.extend(control(thesis)?);
    Ok(lines)
}

/// The two forms tell each other's answers apart where they differ.
fn control(thesis: &Thesis) -> Found<[Line; 2]> {
    let turning = thesis.cluster("ternary_7")?.problem();
    let [cone, literal] = [RbssForm::Cone, RbssForm::Literal];
    let left = |answer: RbssForm, by: RbssForm| -> Found<f64> {
        Ok(residual(&turning, &resolve(&form(answer), &turning)?, by))
    };
    Ok([
        Line::at_least("control: residual of the cone's answer in the literal form [m/s]", 1e-2, left(cone, literal)?),
        Line::at_least("control: residual of the literal answer in the cone form [m/s]", 1e-2, left(literal, cone)?),
    ])
}

/// Clusters in which friction keeps to the lines of the first estimate, so that the linear law is exact.
fn is_straight(cluster: &Cluster) -> bool {
    let numbered = |family: &str, numbers: &[u32]| numbers.iter().any(|n| cluster.name == format!("{family}_{n}"));
    cluster.name.starts_with("binary")
        || numbered("ternary", &[1, 2, 3, 4, 5, 6, 8, 9])
        || numbered("quaternary", &[1, 2, 3, 4, 5, 7])
        || ["quintenary", "hexenary", "heptenary", "octenary"].iter().any(|family| numbered(family, &[1]))
        || ["stick_binary", "spin_binary"].contains(&cluster.name.as_str())
}

pub(super) fn linear() -> Found<Findings> {
    let thesis = Thesis::load()?;
    let straight: Vec<&Cluster> = thesis.cases.iter().filter(|c| is_straight(c)).collect();
    let (mut worst, mut converged) = (Worst::default(), 0);
    for case in &straight {
        let problem = case.problem();
        let solution = resolve(&RbssLinear::default(), &problem)?;
        converged += usize::from(solution.resolution.converged);
        add_misses(&mut worst, &case.name, &problem, &solution, &case.cone);
    }
    let turning = thesis.cluster("ternary_7")?.problem();
    let turned = resolve(&RbssLinear::default(), &turning)?;
    let lines = vec![
        Line::count("clusters in which tangents do not turn, converged", 26, converged),
        // Measured 1.7e-6 of the tolerances.
        worst.line("velocities and impulses where tangents do not turn"),
        Line::at_least(
            "control: residual in the cone form where friction must turn [m/s]",
            1e-2,
            residual(&turning, &turned, RbssForm::Cone),
        ),
    ];
    Ok(lines.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_reference_that_is_off_is_refused() {
        let mut thesis = Thesis::load().expect("readable");
        let place = thesis.cases.iter().position(|c| c.name == "ternary_7").expect("there");
        thesis.cases[place].literal.as_mut().expect("stated").velocity[0] += 1e-6;
        let lines = literal_lines(&thesis).expect("resolved");
        assert_eq!(lines.iter().filter(|l| !l.passed()).count(), 1, "{lines:#?}");
        assert!(!lines[0].passed());
    }
}
