//! Racks of balls: the pool break (Zhang 2015, section 5.2, Fig. 5).

use granule_model::DVec3;
use granule_solver::{ContactProblem, Gr, ImpactLaw, Lcp, Lzb, Qce, QceLcp, Solution, judge};

use super::chains::{Score, Stated};
use crate::balls::stated_rack;
use crate::compare::{Worst, largest, resolve};
use crate::error::{Found, present};
use crate::reference::chains::{Chains, Rack};
use crate::report::{Findings, Line};

fn components(solution: &Solution) -> Vec<f64> {
    solution.velocities.iter().flat_map(|v| v.linear.to_array()).collect()
}

pub(super) fn lines(racks: &[Rack], expected: &[(&str, usize)]) -> Found<Vec<Line>> {
    let mut score = Score::default();
    for rack in racks {
        let problem = stated_rack(rack);
        for (name, after) in &rack.velocity_after {
            let tolerance = present(rack.abs_tol.get(name), format!("tolerance of {name}"))?;
            let stated = Stated { velocities: after, tolerance: *tolerance, rounds: rack.qce_rounds.of(0) };
            score.compare(&rack.name, name, &problem, &stated, components)?;
        }
    }
    Ok(score.lines(expected))
}

pub(super) fn pool() -> Found<Findings> {
    let racks = Chains::load()?.pool;
    // Measured: qce 8e-16, lcp 2e-15, gr 2e-15, qce_lcp 3e-15, lzb 6e-11.
    let expected = [("gr", 6), ("lcp", 8), ("lzb_hertz", 4), ("lzb_linear", 4), ("qce", 2), ("qce_lcp", 4)];
    let mut found = lines(&racks, &expected)?;
    found.extend(conservation(&racks)?);
    Ok(found.into())
}

/// The racks, hit askew, by unequal balls: nothing but momentum and energy is known of that.
fn askew(rack: &Rack) -> ContactProblem {
    let mut problem = stated_rack(rack);
    for (i, body) in problem.bodies.iter_mut().enumerate() {
        let factor = [1.0, 2.0, 0.3, 5.0][i % 4];
        body.inverse_mass /= factor;
        body.inverse_inertia *= 1.0 / factor;
    }
    problem.bodies[0].velocity.linear += DVec3::new(0.0, 0.3, 0.0);
    problem
}

fn conservation(racks: &[Rack]) -> Found<[Line; 2]> {
    let laws: [&dyn ImpactLaw; 5] =
        [&Qce::default(), &QceLcp::default(), &Lcp::default(), &Gr::default(), &Lzb::default()];
    let [mut momentum, mut energy] = [Worst::default(), Worst::default()];
    for rack in racks {
        let problem = askew(rack);
        for law in laws {
            let verdict = judge(&problem, &resolve(law, &problem)?);
            let name = format!("{} {}", rack.name, law.name());
            momentum.add(&name, largest([verdict.momentum_error, verdict.angular_momentum_error]), 1e-14);
            // Measured 3e-16.
            energy.add(&name, (verdict.energy_after / verdict.energy_before - 1.0).abs(), 1e-12);
        }
    }
    Ok([
        momentum.line("unequal balls hit askew: momentum and angular momentum, relative [-]"),
        energy.line("unequal balls hit askew: energy, e = 1, relative [-]"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_velocity_is_refused() {
        let mut racks = Chains::load().expect("readable").pool;
        racks[0].velocity_after.get_mut("gr_e1").expect("stated")[7] += 1e-6;
        let lines = lines(&racks, &[("gr", 6), ("qce", 2)]).expect("resolved");
        assert!(!lines[0].passed() && lines[1].passed() && lines[2].passed(), "{lines:#?}");
    }
}
