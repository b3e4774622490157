//! ETM at one contact: the closed form that a single contact takes against the rounds.

use granule_model::{DVec3, Velocity};
use granule_solver::{ContactProblem, Etm, ImpactLaw, ProblemContact, Solution};

use crate::support::impacts::balls;
use crate::support::scene::bouncy;
use granule_solver::samples::Random;

fn resolve(problem: &ContactProblem, lambda: u32) -> Solution {
    Etm { lambda, ..Etm::default() }.resolve(problem).expect("a well-formed problem")
}

/// A ball of 524 kg and radius 0.5 m that touches the ground.
fn ball_on_plane() -> ContactProblem {
    let mut problem = balls(&[524.0], 0.5, &[DVec3::Z * 0.5], &[DVec3::ZERO], &[], bouncy(1.0));
    let (point, normal) = (DVec3::ZERO, DVec3::Z);
    problem.contacts.push(ProblemContact { a: 0, b: None, point, normal, coefficients: bouncy(1.0) });
    problem
}

/// The problem beside a copy of itself: two contacts that share nothing, so that the general rounds must solve what
/// alone may go through the closed form.
fn doubled(problem: &ContactProblem) -> ContactProblem {
    let mut twice = problem.clone();
    twice.append(problem);
    twice
}

/// Largest difference of any component.
fn difference(x: &[Velocity], y: &[Velocity]) -> f64 {
    assert_eq!(x.len(), y.len());
    let parts = |(x, y): (&Velocity, &Velocity)| {
        (x.linear - y.linear).abs().max_element().max((x.angular - y.angular).abs().max_element())
    };
    x.iter().zip(y).map(parts).fold(0.0, f64::max)
}

/// Balls on a plane do not couple normal and tangential motion: the closed form that a single contact takes must be
/// what the rounds find beside a copy, for every lambda.
#[test]
fn the_closed_form_of_a_ball_is_what_the_rounds_find() {
    let ball = ball_on_plane();
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
    // Negative control: another friction moves the ball elsewhere.
    let mut other = ball.clone();
    other.bodies[0].velocity = Velocity { linear: DVec3::new(3.0, 0.0, -4.0), angular: DVec3::ZERO };
    let smooth = resolve(&other, 1).velocities;
    other.contacts[0].coefficients.static_friction = 1e-6;
    other.contacts[0].coefficients.dynamic_friction = 1e-6;
    assert!(difference(&smooth, &resolve(&other, 1).velocities) > 1e-6);
}
