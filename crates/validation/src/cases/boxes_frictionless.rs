//! Boxes on four contacts by complementarity, and by compliant contacts for LZB: singular equations with unique
//! velocities.

use granule_solver::{Gr, ImpactLaw, Lcp, Lzb, Qce, QceLcp};

use crate::compare::{Worst, difference, resolve};
use crate::error::Found;
use crate::reference::boxes::{FrictionlessBox, FrictionlessBoxes};
use crate::reference::problem::with_restitution;
use crate::report::{Findings, Line};

pub(super) fn run() -> Found<Findings> {
    Ok(lines(&FrictionlessBoxes::load()?.cases)?.into())
}

fn lines(boxes: &[FrictionlessBox]) -> Found<Vec<Line>> {
    let [mut unique, mut compliant, mut plastic] = [Worst::default(), Worst::default(), Worst::default()];
    let (hertz, linear) = (Lzb::default(), Lzb { exponent: 1.0, ..Lzb::default() });
    for case in boxes {
        let problem = case.problem();
        let off = |law: &dyn ImpactLaw, restitution, expected: &crate::reference::problem::Velocities| -> Found<f64> {
            let solution = resolve(law, &with_restitution(&problem, restitution))?;
            let error = difference(&solution.velocities, &expected.all());
            Ok(if solution.resolution.converged { error } else { f64::INFINITY })
        };
        let runs = [("e = 1", 1.0, &case.lcp_e1), ("e = 0.5", 0.5, &case.lcp_half)];
        for (name, restitution, expected) in runs {
            let Some(expected) = expected else { continue };
            // Measured 2e-14.
            let error = off(&Lcp::default(), restitution, expected)?;
            unique.add(&format!("{} {name}", case.name), error, case.abs_tol_unique.min(1e-12));
        }
        unique.add(&case.name, off(&Lcp::default(), 0.0, &case.plastic_lcp)?, case.abs_tol_unique.min(1e-12));
        for (law, expected) in [(&hertz, &case.compliant_hertz), (&linear, &case.compliant_linear)] {
            let Some(expected) = expected else { continue };
            let name = format!("{} exponent {}", case.name, law.exponent);
            // Measured 4e-10.
            compliant.add(&name, off(law, 1.0, expected)?, case.abs_tol_compliant.min(1e-8));
        }
        // The plastic answer is also that of QCE, QCE-LCP and GR for e = 0.
        let laws: [&dyn ImpactLaw; 3] = [&Qce::default(), &QceLcp::default(), &Gr::default()];
        for law in laws {
            let name = format!("{} {}", case.name, law.name());
            plastic.add(&name, off(law, 0.0, &case.plastic_lcp)?, case.abs_tol_unique);
        }
    }
    Ok(vec![
        unique.line("LCP, e = 0, 0.5, 1: velocities [m/s, rad/s]"),
        Line::count("LCP: answers compared", 15, unique.count()),
        compliant.line("LZB against compliant contacts: velocities [m/s, rad/s]"),
        Line::count("LZB: answers compared", 12, compliant.count()),
        plastic.line("QCE, QCE-LCP and GR, e = 0: velocities [m/s, rad/s]"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_references_are_refused() {
        let mut boxes = FrictionlessBoxes::load().expect("readable").cases;
        boxes[0].plastic_lcp.velocity[2] += 1e-6;
        boxes[1].compliant_hertz.as_mut().expect("stated").angular_velocity[1] += 1e-6;
        let failed = lines(&boxes).expect("resolved").into_iter().filter(|l| !l.passed());
        assert_eq!(failed.count(), 3, "LCP, QCE and its kin, LZB");
    }
}
