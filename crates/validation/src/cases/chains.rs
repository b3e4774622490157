//! Balls in a row: three-ball chains, cradles, tapered chains (Zhang 2015, sections 5.1 and 5.2).

use std::collections::BTreeMap;

use granule_solver::{ContactProblem, Gr, ImpactLaw, Law, Lcp, Lzb, Qce, QceLcp, Solution};

use crate::balls::chain;
use crate::compare::{Worst, along_x, apart, resolve};
use crate::error::{Found, present};
use crate::plots;
use crate::reference::chains::{Chain, Chains, Hertz};
use crate::reference::problem::with_restitution;
use crate::report::{Findings, Line};

/// The law and the restitution that a model of the reference names; none for compliant balls, which are no impact law,
/// and for names that nobody knows.
pub(super) fn model(name: &str) -> Option<(Box<dyn ImpactLaw>, f64)> {
    if name == "qce" {
        return Some((Box::new(Qce::default()), 1.0));
    }
    let (law, restitution) = name.rsplit_once("_e")?;
    let law: Box<dyn ImpactLaw> = match law {
        "lcp" => Box::new(Lcp::default()),
        "gr" => Box::new(Gr::default()),
        "qce_lcp" => Box::new(QceLcp::default()),
        "lzb_hertz" => Box::new(Lzb::default()),
        "lzb_linear" => Box::new(Lzb { exponent: 1.0, ..Lzb::default() }),
        _ => return None,
    };
    Some((law, restitution.parse().ok()?))
}

/// What the reference states of one answer.
pub(super) struct Stated<'a> {
    /// Velocities \[m/s\], as the reader of the answer gives them.
    pub(super) velocities: &'a [f64],
    pub(super) tolerance: f64,
    /// Rounds of QCE.
    pub(super) rounds: Option<u32>,
}

/// The worst comparison by family of models, and the rounds that QCE is stated to need.
#[derive(Default)]
pub(super) struct Score {
    families: BTreeMap<String, Worst>,
    rounds: [usize; 2],
}

impl Score {
    /// Compares one answer of the model `name`, where that is an impact law.
    pub(super) fn compare(
        &mut self,
        case: &str,
        name: &str,
        problem: &ContactProblem,
        stated: &Stated<'_>,
        velocities: fn(&Solution) -> Vec<f64>,
    ) -> Found<()> {
        let Some((law, restitution)) = model(name) else { return Ok(()) };
        let solution = resolve(law.as_ref(), &with_restitution(problem, restitution))?;
        let error = if solution.resolution.converged {
            apart(&velocities(&solution), stated.velocities)
        } else {
            f64::INFINITY
        };
        let family = name.rsplit_once("_e").map_or(name, |(family, _)| family);
        self.families.entry(family.to_owned()).or_default().add(&format!("{case} {name}"), error, stated.tolerance);
        if name == "qce" {
            self.rounds[0] += 1;
            self.rounds[1] += usize::from(stated.rounds == Some(solution.resolution.rounds));
        }
        Ok(())
    }

    /// A line for every family, the number of their answers, and the rounds of QCE.
    pub(super) fn lines(&self, expected: &[(&str, usize)]) -> Vec<Line> {
        let mut lines = Vec::new();
        for (family, count) in expected {
            let worst = self.families.get(*family).cloned().unwrap_or_default();
            lines.push(worst.line(format!("{family}: velocities [m/s]")));
            lines.push(Line::count(format!("{family}: answers compared"), *count, worst.count()));
        }
        lines.push(Line::count("families of models", expected.len(), self.families.len()));
        lines.push(Line::count("qce: answers with as many rounds as stated", self.rounds[0], self.rounds[1]));
        lines
    }
}

fn compare(case: &Chain, score: &mut Score) -> Found<()> {
    let n = case.masses.len();
    for (name, after) in &case.velocity_after {
        let tolerance = present(case.abs_tol.get(name), format!("tolerance of {name}"))?;
        for (k, (before, after)) in case.velocity_before.chunks(n).zip(after.chunks(n)).enumerate() {
            let problem = chain(&case.masses, before);
            let stated = Stated { velocities: after, tolerance: *tolerance, rounds: case.qce_rounds.of(k) };
            score.compare(&case.name, name, &problem, &stated, along_x)?;
        }
    }
    Ok(())
}

fn lines(cases: &[Chain], expected: &[(&str, usize)]) -> Found<Vec<Line>> {
    let mut score = Score::default();
    cases.iter().try_for_each(|case| compare(case, &mut score))?;
    Ok(score.lines(expected))
}

pub(super) fn three_balls() -> Found<Findings> {
    // Measured: qce 3e-16, lcp 2e-15, gr 1e-15, qce_lcp 2e-15, lzb_hertz 5e-10, lzb_linear 2e-10.
    let expected = [("gr", 45), ("lcp", 60), ("lzb_hertz", 60), ("lzb_linear", 60), ("qce", 15), ("qce_lcp", 30)];
    let mut lines = lines(&Chains::load()?.three_ball, &expected)?;
    lines.extend(mixture_lines()?);
    let hertz = Hertz::load()?;
    Ok(Findings { lines, plots: plots::three_ball_chain(&hertz, &sweep()?) })
}

pub(super) fn cradles() -> Found<Findings> {
    let expected = [("gr", 33), ("lcp", 44), ("lzb_hertz", 33), ("lzb_linear", 33), ("qce", 11), ("qce_lcp", 22)];
    Ok(lines(&Chains::load()?.chains, &expected)?.into())
}

/// The example against the paper's proof: QCE loads a contact that opens in the plastic answer, so the law is no
/// mixture of the plastic and the elastic answer.
fn mixture_lines() -> Found<[Line; 2]> {
    let problem = with_restitution(&chain(&[1.0, 1.0, 10.0], &[0.0, 1.0, 0.0]), 0.5);
    let found = along_x(&resolve(&QceLcp::default(), &problem)?);
    Ok([
        // The numbers are stated to five decimals.
        Line::deviation(
            "qce_lcp, masses 1, 1, 10: velocities [m/s]",
            apart(&found, &[-0.36742, 0.04167, 0.13258]),
            1e-5,
        ),
        Line::at_least(
            "control: the same against a mixture of plastic and elastic [m/s]",
            1e-3,
            apart(&found, &[-0.40909, 0.04545, 0.13636]),
        ),
    ])
}

/// Post-velocities of the three-ball chain by every law, over the approach speed of ball a: Zhang 2015, Fig. 4.
fn sweep() -> Found<Vec<(&'static str, Vec<plots::ThreeBalls>)>> {
    let one = |law: &Law, k: u32| -> Found<plots::ThreeBalls> {
        let x = f64::from(k) / f64::from(plots::SWEEP);
        let after = along_x(&resolve(law.law(), &chain(&[1.0; 3], &[x, 0.0, -1.0]))?);
        Ok(plots::ThreeBalls { x, after })
    };
    let all = |law: Law| (0..=plots::SWEEP).map(|k| one(&law, k)).collect::<Found<Vec<_>>>();
    let by_name = |name: &'static str| Law::by_name(name).map(|law| Ok((name, all(law)?)));
    Law::NAMES.into_iter().filter_map(by_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_velocity_and_a_wrong_round_are_refused() {
        let mut chains = Chains::load().expect("readable").chains;
        chains[3].velocity_after.get_mut("qce").expect("stated")[4] += 1e-6;
        chains[5].qce_rounds = crate::reference::chains::Rounds::One(3);
        let mut score = Score::default();
        chains.iter().try_for_each(|case| compare(case, &mut score)).expect("resolved");
        let failed = score.lines(&[("qce", 11)]).into_iter().filter(|l| !l.passed()).count();
        assert_eq!(failed, 3, "velocity, number of families, rounds");
    }

    #[test]
    fn a_wrong_law_is_refused() {
        let chains = Chains::load().expect("readable").chains;
        let swap = |case: &Chain| {
            let mut case = case.clone();
            let gr = case.velocity_after.remove("gr_e1").expect("stated");
            case.velocity_after = BTreeMap::from([("lcp_e1".to_owned(), gr)]);
            case
        };
        let mut score = Score::default();
        compare(&swap(&chains[3]), &mut score).expect("resolved");
        assert!(!score.lines(&[("lcp", 1)])[0].passed(), "a cradle breaks by GR and does not by LCP");
    }
}
