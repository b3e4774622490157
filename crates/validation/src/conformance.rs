//! The conformance matrix: every impact law against the desiderata of Smith et al. 2012, each cell measured (Zhang et
//! al. 2015, table 1).
//!
//! A cell is one number, over problems in which a law can fail, and a bound for it. What a law *claims* must be
//! measured; what is measured and not claimed is listed beside it, for it holds in these problems and not in general.
//!
//! | cell | number | bound |
//! |---|---|---|
//! | BRK | speed at which the last ball of a cradle of five leaves the one before it, over that of the ball that came in | at least 1e-3 |
//! | SYM | deviation from the mirror image, and from the answer for another order of contacts: cradle hit at both ends, rack of 15 balls, random clusters with friction beside their image | at most 1e-9 |
//! | KIN | energy gained, over that before: chains, rack, a box with friction that lands flat, random clusters; and any change where e = 1 without friction | at most 1e-9 |
//! | MOM | change of momentum and angular momentum, relative: the same problems | at most 1e-11 |
//! | ONE | largest pull over the largest impulse: the same problems | at most 1e-10 |
//! | WAV | rms deviation of post-velocities from Hertz contacts: three balls, the outer ones approaching with x and 1 | at most 0.15 |
//!
//! KIN, MOM and ONE are measured on every answer. An answer that a law itself reports as not converged is none where
//! SYM is measured, and is left out; the line says how many were. Laws without friction or tangential restitution
//! ignore those of the problems, as they say in their notes.

pub(crate) mod cells;
mod problems;

use granule_solver::{Desideratum, ImpactLaw, Law};

use crate::error::Found;
use crate::report::{Findings, Line, Outcome};
use cells::Cell;

pub(crate) fn run() -> Found<Findings> {
    let mut lines = Vec::new();
    for name in Law::NAMES {
        let law = Law::by_name(name).expect("every name has its law");
        lines.extend(row(law.law())?);
    }
    Ok(lines.into())
}

/// The six cells of a law.
fn row(law: &dyn ImpactLaw) -> Found<Vec<Line>> {
    Desideratum::ALL.into_iter().map(|of| Ok(line(law, of, &cells::measure(law, of)?))).collect()
}

/// The line of a cell: only what is claimed can fail.
fn line(law: &dyn ImpactLaw, of: Desideratum, cell: &Cell) -> Line {
    let claimed = law.claims().contains(&of);
    let (limit, quantity) = (cells::limit(of), cells::quantity(of));
    let head = format!("{} {}: {quantity}", law.name(), of.letters());
    let line = match of {
        Desideratum::BreakAway => Line::at_least(head, limit, cell.value),
        _ => Line::at_most(head, limit, cell.value),
    };
    let verdict = match (line.passed(), cell.value.is_nan()) {
        (true, _) => "measured",
        (false, false) => "not met",
        (false, true) => "not measured",
    };
    let mut note = format!("{}; {verdict}", if claimed { "claimed" } else { "not claimed" });
    if let Some(reason) = cell.left_out_note() {
        note = format!("{note}; {reason}");
    }
    let outcome = if claimed { line.outcome } else { Outcome::Listed };
    Line { outcome, ..line.noted(note) }
}

#[cfg(test)]
mod tests {
    use granule_model::DVec3;
    use granule_solver::{ContactProblem, ProblemError, Resolution, Smm, Solution};

    use super::*;

    /// A law that answers nothing at all, and claims everything.
    struct Nothing;

    impl ImpactLaw for Nothing {
        fn name(&self) -> &'static str {
            "nothing"
        }

        fn claims(&self) -> &'static [Desideratum] {
            &Desideratum::ALL
        }

        fn resolve_within(&self, problem: &ContactProblem, _: f64) -> Result<Solution, ProblemError> {
            let velocities = problem.bodies.iter().map(|b| b.velocity).collect();
            let impulses = vec![DVec3::ZERO; problem.contacts.len()];
            let resolution = Resolution { converged: true, ..Resolution::default() };
            Ok(Solution { impulses, velocities, resolution, ..Solution::default() })
        }
    }

    /// SMM under the claims of a better law.
    struct Boaster;

    impl ImpactLaw for Boaster {
        fn name(&self) -> &'static str {
            "boaster"
        }

        fn claims(&self) -> &'static [Desideratum] {
            &Desideratum::ALL
        }

        fn resolve_within(&self, problem: &ContactProblem, _: f64) -> Result<Solution, ProblemError> {
            Smm.resolve(problem)
        }
    }

    fn failed(law: &dyn ImpactLaw) -> Vec<String> {
        let row = row(law).expect("measured");
        let failed = row.iter().filter(|line| !line.passed()).filter_map(|line| line.quantity.split([' ', ':']).nth(1));
        failed.map(str::to_owned).collect()
    }

    #[test]
    fn a_law_that_does_nothing_is_refused() {
        assert_eq!(failed(&Nothing), ["BRK", "WAV"]);
    }

    #[test]
    fn claims_that_do_not_hold_are_refused() {
        assert_eq!(failed(&Boaster), ["BRK", "KIN", "ONE", "WAV"]);
    }
}
