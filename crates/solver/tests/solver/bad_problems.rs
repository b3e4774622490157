//! Problems that no law can work with: every law answers with a typed error that names the body or contact and what is
//! wrong with it, and never panics. The same problem without the mistake is resolved.

use granule_model::DVec3;
use granule_solver::samples::chain;
use granule_solver::{ContactProblem, Law, ProblemError};

use crate::support::scene::bouncy;

/// Three balls in a row, the first of which comes in.
fn good() -> ContactProblem {
    chain(&[1.0, 1.0, 1.0], &[1.0, 0.0, 0.0], bouncy(0.5))
}

/// A mistake, with what the message has to name.
type Mistake = (fn(&mut ContactProblem), &'static [&'static str]);

const MISTAKES: [Mistake; 15] = [
    (|p| p.bodies[1].inverse_mass = 0f64.recip(), &["body 1", "mass"]),
    (|p| p.bodies[1].inverse_mass = -1.0, &["body 1", "mass"]),
    (|p| p.bodies[1].inverse_inertia *= 0.0, &["body 1", "inertia"]),
    (|p| p.bodies[2].velocity.linear.y = f64::NAN, &["body 2", "velocity"]),
    (|p| p.bodies[2].velocity.angular.y = f64::INFINITY, &["body 2", "velocity"]),
    (|p| p.bodies[0].position.x = f64::NAN, &["body 0", "position"]),
    (|p| p.contacts[1].coefficients.restitution = 1.2, &["contact 1", "restitution"]),
    (|p| p.contacts[1].coefficients.tangential_restitution = -0.1, &["contact 1", "tangential restitution"]),
    (|p| p.contacts[1].coefficients.static_friction = f64::NAN, &["contact 1", "friction"]),
    (|p| p.contacts[0].coefficients.stiffness = 0.0, &["contact 0", "stiffness"]),
    (|p| p.contacts[1].b = Some(1), &["contact 1", "itself"]),
    (|p| p.contacts[1].normal *= 1.001, &["contact 1", "normal"]),
    (|p| p.contacts[1].normal = DVec3::NAN, &["contact 1", "normal"]),
    (|p| p.contacts[0].point = DVec3::NAN, &["contact 0", "point"]),
    (|p| p.contacts[1].b = Some(9), &["contact 1", "body 9"]),
];

/// Words that name a field, of which a message has only its own.
const FIELDS: [&str; 8] = ["mass", "position", "velocity", "restitution", "friction", "stiffness", "normal", "point"];

#[test]
fn every_law_names_what_is_wrong() {
    for name in Law::NAMES {
        let law = Law::by_name(name).expect("a law");
        assert!(law.law().resolve(&good()).is_ok(), "{name}");
        for (i, (spoil, words)) in MISTAKES.iter().enumerate() {
            let mut problem = good();
            spoil(&mut problem);
            let error = law.law().resolve(&problem).expect_err(name);
            let message = error.to_string();
            assert!(words.iter().all(|word| message.contains(word)), "{name}, mistake {i}: {message}");
            // And no other field.
            let others = FIELDS.iter().filter(|field| !words.iter().any(|word| word.contains(*field)));
            assert!(others.into_iter().all(|field| !message.contains(field)), "{name}, mistake {i}: {message}");
            let typed = matches!(
                error,
                ProblemError::BadBody { .. } | ProblemError::BadContact { .. } | ProblemError::NoSuchBody { .. }
            );
            assert!(typed, "{name}, mistake {i}: {error:?}");
        }
    }
}

/// An empty island is a mistake of whoever asks; bodies that touch nothing are none and keep their velocities.
#[test]
fn an_empty_island_is_refused_and_bodies_apart_are_left_alone() {
    for name in Law::NAMES {
        let law = Law::by_name(name).expect("a law");
        assert_eq!(law.law().resolve(&ContactProblem::default()), Err(ProblemError::NoBodies), "{name}");
        let apart = ContactProblem { contacts: Vec::new(), ..good() };
        let answer = law.law().resolve(&apart).expect(name);
        let kept = answer.velocities.iter().zip(&apart.bodies).all(|(v, b)| *v == b.velocity);
        assert!(answer.resolution.converged && kept && answer.impulses.is_empty(), "{name}");
    }
}
