//! Columns and packings of equal balls: where the laws end, and what they keep.

use granule_model::{Coefficients, DVec3};
use granule_solver::{
    ContactProblem, Etm, EtmWeighted, ImpactLaw, Note, ProblemContact, QceLcp, Rbss, RbssLinear, Smm, Sqm, Verdict,
    judge, samples,
};

use crate::support::impacts::touching_balls;
use crate::support::scene::rough;

/// A packing with these coefficients at every contact.
pub(crate) fn packing(n: usize, restitution: f64, friction: f64) -> ContactProblem {
    samples::packing(n, Coefficients { restitution, ..rough(friction) })
}

/// A column of `n` balls that falls onto the ground with 1 m/s.
pub(crate) fn column(n: usize, friction: f64, restitution: f64) -> ContactProblem {
    let at: Vec<DVec3> = (0..n).map(|i| DVec3::Z * (i as f64 + 0.5)).collect();
    let mut problem = touching_balls(0.5, &vec![1.0; n], &at, &vec![-DVec3::Z; n]);
    let coefficients = problem.contacts[0].coefficients;
    let ground = ProblemContact { a: 0, b: None, point: DVec3::ZERO, normal: DVec3::Z, coefficients };
    problem.contacts.insert(0, ground);
    for c in &mut problem.contacts {
        let pair = Coefficients { static_friction: friction, dynamic_friction: friction, ..c.coefficients };
        c.coefficients = Coefficients { restitution, ..pair };
    }
    problem
}

/// The verdict on an answer that came to its end: converged, with approach up to `bound` of the largest before, and
/// momenta kept.
fn ended(law: &dyn ImpactLaw, problem: &ContactProblem, bound: f64, name: &str) -> Verdict {
    let solution = law.resolve(problem).expect("a well-formed problem");
    let (verdict, resolution) = (judge(problem, &solution), &solution.resolution);
    assert!(resolution.converged, "{name}: {resolution:?}");
    assert!(verdict.approach_left <= bound * verdict.approach_before, "{name}: {verdict:?}");
    assert!(verdict.momentum_error <= 1e-12 && verdict.angular_momentum_error <= 1e-12, "{name}: {verdict:?}");
    verdict
}

#[test]
fn a_packing_hit_by_a_fast_ball_comes_to_an_end() {
    for (restitution, friction) in [(1.0, 0.0), (0.5, 0.5)] {
        let problem = packing(10, restitution, friction);
        assert_eq!((problem.bodies.len(), problem.contacts.len()), (1001, 2701));
        let laws: [(&dyn ImpactLaw, f64); 3] =
            [(&Etm::default(), 1.01e-12), (&EtmWeighted::default(), 1.01e-12), (&Sqm::default(), 1.01e-10)];
        for (law, bound) in laws {
            let name = format!("{} e {restitution} mu {friction}", law.name());
            // Measured at most 8 rounds; 35 000 impulses by etm, 200 000 by etm-weighted, 1600 by sqm.
            let verdict = ended(law, &problem, bound, &name);
            assert!(verdict.pull <= 1e-12 && verdict.cone_excess <= 1e-12, "{name}: {verdict:?}");
            assert!(verdict.energy_after <= verdict.energy_before * (1.0 + 1e-12), "{name}: {verdict:?}");
            if restitution == 1.0 {
                assert!(verdict.energy_after >= verdict.energy_before * (1.0 - 1e-9), "{name}: {verdict:?}");
            }
        }
    }
}

/// The laws that solve for all contacts at once, with friction. Without it `frictionless_clusters` has those that know
/// none.
#[test]
fn a_packing_hit_by_a_fast_ball_is_solved_at_once() {
    for (restitution, friction) in [(1.0, 0.0), (0.5, 0.5)] {
        let problem = packing(10, restitution, friction);
        let laws: [(&dyn ImpactLaw, f64); 4] = [
            (&Rbss::default(), 1e-9),
            (&RbssLinear::default(), 1e-9),
            (&QceLcp::default(), 1.01e-12),
            (&Smm, f64::INFINITY),
        ];
        for (law, bound) in laws {
            let name = format!("{} e {restitution} mu {friction}", law.name());
            // Measured: approach left 1.1e-15 with QCE-LCP, 4e-16 with the others.
            let verdict = ended(law, &problem, bound, &name);
            // With friction the simultaneous method pulls, and has three times the energy after: the control of the
            // other claims.
            let gain = verdict.energy_after / verdict.energy_before - 1.0;
            let is_sound = verdict.pull <= 1e-12 && gain <= 1e-12;
            assert_eq!(is_sound, law.name() != "smm" || friction == 0.0, "{name}: {verdict:?}");
        }
    }
}

/// The simultaneous method by the sparse way: no contact of a cubic packing is redundant; each one twice makes the
/// system singular, with the same velocities and each of two equal contacts bearing one half.
#[test]
fn a_packing_is_one_sparse_system() {
    let problem = packing(7, 1.0, 0.0);
    let mut twice = problem.clone();
    twice.contacts.extend(problem.contacts.iter().copied());
    let [once, twofold] = [&problem, &twice].map(|p| Smm.resolve(p).expect("a well-formed problem"));
    for (p, solution) in [(&problem, &once), (&twice, &twofold)] {
        let verdict = judge(p, solution);
        assert!(solution.resolution.converged, "{:?}", solution.resolution);
        // Measured 3e-16, 1e-15.
        assert!((verdict.energy_after / verdict.energy_before - 1.0).abs() <= 1e-12, "{verdict:?}");
        assert!(verdict.momentum_error <= 1e-12 && verdict.angular_momentum_error <= 1e-12, "{verdict:?}");
    }
    assert!(!once.resolution.notes.contains(&Note::Singular) && twofold.resolution.notes.contains(&Note::Singular));
    let n = problem.contacts.len();
    let halves =
        (0..n).flat_map(|i| [twofold.impulses[i], twofold.impulses[i + n]].map(|p| p - 0.5 * once.impulses[i]));
    let off = halves.map(|d| d.length()).fold(0.0, f64::max);
    // Over impulses of up to 10 N s.
    assert!(off <= 1e-9, "{off:e}");
}
