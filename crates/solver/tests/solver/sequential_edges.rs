//! Edges of SQM, SMM, ETM and weighted ETM: nothing to do, notes, bad parameters, methods that are cut short.

use granule_solver::{ContactProblem, ContactState, Etm, EtmWeighted, ImpactLaw, Note, Smm, Solution, Sqm, judge};

use crate::support::impacts::flat_box;

fn resolve(law: &dyn ImpactLaw, problem: &ContactProblem) -> Solution {
    law.resolve(problem).expect("a well-formed problem")
}

#[test]
fn quiet_and_empty_problems_are_left_alone() {
    let mut quiet = flat_box(0.0);
    quiet.bodies[0].velocity.linear.z = 10.0;
    let laws: [&dyn ImpactLaw; 4] = [&Etm::default(), &EtmWeighted::default(), &Sqm::default(), &Smm];
    for law in laws {
        for problem in [ContactProblem { contacts: Vec::new(), ..quiet.clone() }, quiet.clone()] {
            let solution = resolve(law, &problem);
            let resolution = &solution.resolution;
            assert!(resolution.converged && resolution.residual == 0.0, "{}: {resolution:?}", law.name());
            assert!(solution.impulses.iter().all(|p| p.length() == 0.0), "{}", law.name());
            assert!(solution.states.iter().all(|s| *s == ContactState::Open), "{}", law.name());
        }
    }
}

#[test]
fn tangential_restitution_is_said_to_be_ignored() {
    let mut problem = flat_box(0.1);
    let laws: [&dyn ImpactLaw; 4] = [&Etm::default(), &EtmWeighted::default(), &Sqm::default(), &Smm];
    for with in [0.0, 0.5] {
        problem.contacts[0].coefficients.tangential_restitution = with;
        for law in laws {
            let notes = resolve(law, &problem).resolution.notes;
            assert_eq!(notes.contains(&Note::TangentialRestitutionIgnored), with > 0.0, "{}", law.name());
        }
    }
}

#[test]
fn bad_parameters_are_named() {
    let problem = flat_box(0.0);
    let weighted = EtmWeighted::default();
    let bad: [(&dyn ImpactLaw, &str); 9] = [
        (&Etm { lambda: 0, ..Etm::default() }, "lambda"),
        (&Sqm { max_impulses: 0 }, "max_impulses"),
        (&EtmWeighted { alpha: 0, ..weighted }, "alpha"),
        (&EtmWeighted { beta: 1.0, ..weighted }, "beta"),
        (&EtmWeighted { beta: f64::NAN, ..weighted }, "beta"),
        (&EtmWeighted { threshold: -1e-3, ..weighted }, "threshold"),
        (&EtmWeighted { threshold: 1.0, ..weighted }, "threshold"),
        (&EtmWeighted { damping: 1.1, ..weighted }, "damping"),
        (&EtmWeighted { damping: f64::INFINITY, ..weighted }, "damping"),
    ];
    for (law, name) in bad {
        let error = law.resolve(&problem).expect_err(name).to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}

/// Negative control: the cap of the sequential method is reported, with what is left.
#[test]
fn a_method_that_was_cut_short_says_so() {
    let problem = flat_box(0.0);
    let solution = resolve(&Etm { max_rounds: 0, ..Etm::default() }, &problem);
    assert!(!solution.resolution.converged && solution.resolution.notes == [Note::ForcedEnd]);
    let solution = resolve(&EtmWeighted { max_rounds: 0, ..EtmWeighted::default() }, &problem);
    assert!(!solution.resolution.converged && solution.resolution.notes == [Note::ForcedEnd]);
    // A ball of 1 kg between one of 10 t and the ground needs some hundred elastic impulses, which is more than one per
    // contact.
    let mut squeezed = crate::packing::column(2, 0.0, 1.0);
    squeezed.bodies[1].inverse_mass = 1e-4;
    let solution = resolve(&Sqm { max_impulses: 1 }, &squeezed);
    let left = judge(&squeezed, &solution).approach_left;
    assert!(
        !solution.resolution.converged && left > 0.0 && (solution.resolution.residual - left).abs() <= 1e-12 * left
    );
    assert!(resolve(&Sqm::default(), &squeezed).resolution.converged);
}
