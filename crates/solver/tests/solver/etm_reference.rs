//! ETM against reference values from independent code: one contact (r3), boxes on four contacts (r4).

use granule_solver::{ContactProblem, Etm, ImpactLaw, Solution, judge};

use crate::support::random::Random;
use crate::support::reference::{Case, boxes, difference, single_contacts};

fn resolve(problem: &ContactProblem, lambda: u32) -> Solution {
    Etm { lambda, ..Etm::default() }.resolve(problem).expect("a well-formed problem")
}

/// The problem beside a copy of itself: two contacts that share nothing, so that the general rounds must solve what
/// alone may go through the closed form.
fn doubled(problem: &ContactProblem) -> ContactProblem {
    let n = problem.bodies.len() as u32;
    let mut twice = problem.clone();
    twice.bodies.extend(problem.bodies.iter().copied());
    let copy =
        problem.contacts.iter().map(|c| granule_solver::ProblemContact { a: c.a + n, b: c.b.map(|b| b + n), ..*c });
    twice.contacts.extend(copy);
    twice
}

/// The case solved alone and beside its copy.
fn both_ways(case: &Case, lambda: u32) -> [Solution; 2] {
    let problem = case.problem();
    let mut twice = resolve(&doubled(&problem), lambda);
    let n = problem.bodies.len();
    assert_eq!(twice.velocities[..n], twice.velocities[n..], "{}: the copy does the same", case.name);
    twice.velocities.truncate(n);
    twice.impulses.truncate(problem.contacts.len());
    [resolve(&problem, lambda), twice]
}

#[test]
fn single_contacts_follow_the_consistent_rule_for_every_lambda() {
    let file = single_contacts();
    assert_eq!(file.cases.len(), 16);
    let mut worst = 0.0f64;
    for case in &file.cases {
        let tolerance = case.abs_tol_velocity_same_rules.expect("r3 states it");
        let exact = case.etm_exact.as_ref().expect("r3 has it");
        let n = case.problem().bodies.len();
        for (k, lambda) in case.lambda.iter().flatten().enumerate() {
            for solution in both_ways(case, *lambda) {
                let error = difference(&solution.velocities, &exact.all(k, n));
                worst = worst.max(error / tolerance);
                eprintln!(
                    "{} lambda {lambda} {error:.2e} tol {tolerance:.1e} its {}  ref {}",
                    case.name, solution.resolution.iterations, exact.impulses_applied[k]
                );
            }
        }
    }
    assert!(worst <= 1.0, "{worst}");
}

#[test]
fn single_contacts_meet_their_closed_forms_and_limits() {
    for case in &single_contacts().cases {
        let limit = case.limit.as_ref().expect("r3 has it").all();
        let distance = case.etm_exact.as_ref().and_then(|e| e.distance_to_limit.as_ref()).expect("r3 has it");
        for (k, lambda) in case.lambda.iter().flatten().enumerate() {
            for solution in both_ways(case, *lambda) {
                if let Some(closed) = &case.closed_form {
                    let tolerance = case.abs_tol_closed_form.expect("r3 states it");
                    let error = difference(&solution.velocities, &closed.all());
                    eprintln!("{} lambda {lambda} {error:.2e} tol {tolerance:.1e}", case.name);
                    assert!(error <= tolerance, "{} lambda {lambda}: {error:e}", case.name);
                }
                let error = difference(&solution.velocities, &limit);
                let bound = (2.0 * distance[k]).max(1e-6);
                assert!(error <= bound, "{} lambda {lambda}: {error:e} from the limit, bound {bound:e}", case.name);
            }
        }
    }
}

/// Balls on a plane do not couple normal and tangential motion: the closed form that a single contact takes must be what the
/// rounds find beside a copy, for every lambda.
#[test]
fn the_closed_form_of_a_ball_is_what_the_rounds_find() {
    let file = single_contacts();
    let ball = file.cases.iter().find(|c| c.name == "sphere_plane_mu1").expect("r3 has it").problem();
    let mut random = Random::new(5);
    let mut worst = 0.0f64;
    for k in 0..300 {
        let mut problem = ball.clone();
        let velocity = &mut problem.bodies[0].velocity;
        (velocity.linear, velocity.angular) = (random.in_ball() * 4.0, random.in_ball() * 8.0);
        velocity.linear.z = -velocity.linear.z.abs();
        let coefficients = &mut problem.contacts[0].coefficients;
        coefficients.static_friction = random.between(0.0, 0.5);
        coefficients.dynamic_friction = coefficients.static_friction;
        coefficients.restitution = random.unit();
        let lambda = [1, 7, 30][k % 3];
        let alone = resolve(&problem, lambda);
        assert_eq!(alone.resolution.iterations, 1, "the closed form was taken");
        let mut beside = resolve(&doubled(&problem), lambda).velocities;
        beside.truncate(1);
        worst = worst.max(difference(&alone.velocities, &beside));
    }
    // Measured 2e-14, over speeds of some m/s.
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn frictionless_contacts_keep_their_energy() {
    let mut worst = 0.0f64;
    for case in single_contacts().cases.iter().filter(|c| c.name == "tetra_frictionless_e1") {
        for lambda in [1, 5, 10, 100, 200, 500] {
            for problem in [case.problem(), doubled(&case.problem())] {
                let verdict = judge(&problem, &resolve(&problem, lambda));
                let error = (verdict.energy_after / verdict.energy_before - 1.0).abs();
                worst = worst.max(error);
            }
        }
    }
    // Measured 5e-14, at lambda = 500.
    assert!(worst <= 1e-13, "{worst:e}");
}

/// Ties are frequent here: all four contacts approach at the same speed. With friction rounding still decides some of
/// them (the reference says: order dependent), and at lambda = 1 and 2 the reference lets friction do more work than has been
/// lost, which ours does not (without that bound both agree to 2e-12).
#[test]
fn boxes_on_four_contacts_follow_the_reference() {
    for case in &boxes().cases {
        let problem = case.problem();
        let runs = case.etm.as_ref().expect("r4 has it");
        let speeds = runs.angular_speed.as_ref().expect("r4 has it");
        for (k, lambda) in runs.lambda().iter().enumerate() {
            let solution = resolve(&problem, *lambda);
            let name = format!("{} lambda {lambda}", case.name);
            let error = difference(&solution.velocities, &runs.all(k, problem.bodies.len()));
            if case.name == "box_ground_mu_0.1" && ![5, 50].contains(lambda) {
                // Measured 4e-3, 5e-4, 4e-4 m/s at 10, 30 and 100: there rounding decides a tie of the reference.
                let turned = (solution.velocities[0].angular.length() - speeds[k]).abs();
                assert!(*lambda < 5 || error.max(turned) <= 5e-3, "{name}: {error:e}");
                continue;
            }
            let tolerance = case.abs_tol_same_rules.expect("r4 states it");
            // Measured 5e-12, the impulses as many as the reference's up to one.
            assert!(error <= tolerance, "{name}: {error:e} > {tolerance:e}");
            let (ours, theirs) = (solution.resolution.iterations, runs.impulses_applied[k]);
            assert!(ours.abs_diff(theirs) <= 2, "{name}: {ours} impulses, the reference {theirs}");
        }
    }
}

#[test]
fn the_box_on_the_ground_turns_less_the_finer_the_steps() {
    let file = boxes();
    let case = file.cases.iter().find(|c| c.name == "box_ground_frictionless").expect("r4 has Tang 7.3");
    for (lambda, speed) in [(1, 4.29), (2, 6.27), (5, 3.35), (10, 1.90), (30, 0.70), (50, 0.43), (100, 0.22)] {
        let turned = resolve(&case.problem(), lambda).velocities[0].angular.length();
        assert!((turned - speed).abs() <= 0.005, "lambda {lambda}: {turned}, should be {speed}");
    }
}

/// Negative control: another restitution, another friction or another lambda is told apart by the same comparison.
#[test]
fn the_reference_tells_wrong_rules_apart() {
    let file = single_contacts();
    let case = file.cases.iter().find(|c| c.name == "tetra_slip_e0.5").expect("r3 has it");
    let exact = case.etm_exact.as_ref().expect("r3 has it").all(3, 2);
    let off = |change: &dyn Fn(&mut ContactProblem), lambda| {
        let mut problem = case.problem();
        change(&mut problem);
        difference(&resolve(&problem, lambda).velocities, &exact)
    };
    assert!(off(&|_| (), 100) <= 1e-7);
    assert!(off(&|p| p.contacts[0].coefficients.restitution += 1e-6, 100) > 1e-6);
    assert!(off(&|p| p.contacts[0].coefficients.dynamic_friction -= 1e-6, 100) > 1e-6);
    assert!(off(&|_| (), 101) > 1e-6);
}
