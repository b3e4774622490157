//! QCE, QCE-LCP, LCP, GR and LZB at their edges: friction in boxes, bodies held by walls, ends that are forced, bad
//! parameters, and what is not known to a law.

use granule_model::DVec3;
use granule_solver::{ContactProblem, ContactState, Gr, ImpactLaw, Lcp, Lzb, Note, Qce, QceLcp};

use crate::frictionless_clusters::{faults, solve};
use crate::support::cluster::{Recipe, cluster};
use crate::support::impacts::{balls, cradle};
use crate::support::scene::{bouncy, rough};

/// The friction of QCE-LCP keeps within its boxes and takes energy.
#[test]
fn friction_keeps_within_its_boxes() {
    let law = QceLcp::default();
    let mut rubbed = 0;
    for seed in 0..200 {
        let recipe = Recipe { scale: 1.0, restitution: Some(0.6), friction: 0.5, bodies: 8, floor: true };
        let problem = cluster(seed, &recipe);
        let solution = solve(&law, &problem);
        let largest = solution.impulses.iter().map(|p| p.length()).fold(0.0, f64::max);
        for (c, p) in problem.contacts.iter().zip(&solution.impulses) {
            let normal = c.normal.dot(*p);
            let tangential = (*p - c.normal * normal).length();
            let most = 2f64.sqrt() * c.coefficients.dynamic_friction * normal;
            assert!(tangential <= most + 1e-12 * largest, "cluster {seed}: {tangential} > {most}");
            rubbed += u32::from(tangential > 0.1 * most && tangential > 0.0);
        }
        assert!(!solution.resolution.notes.contains(&Note::FrictionIgnored));
    }
    assert!(rubbed > 500, "{rubbed}");
}

/// One ball that slides on a floor: Coulomb's answers, which a box along the sliding velocity has too.
#[test]
fn a_ball_that_slides_is_braked_or_rolls() {
    for (friction, expected) in [(0.0, 3.0), (0.1, 3.0 - 0.15 * 2.0), (1.0, 3.0 * 5.0 / 7.0)] {
        let floor = granule_model::Coefficients::BARE;
        let mut problem = balls(&[2.0], 0.5, &[DVec3::Z * 0.5], &[DVec3::new(3.0, 0.0, -2.0)], &[], floor);
        problem.contacts.push(granule_solver::ProblemContact {
            a: 0,
            b: None,
            point: DVec3::ZERO,
            normal: DVec3::Z,
            coefficients: granule_model::Coefficients { restitution: 0.5, ..rough(friction) },
        });
        let solution = solve(&QceLcp::default(), &problem);
        let v = solution.velocities[0].linear;
        // Measured 0.
        assert!((v - DVec3::new(expected, 0.0, 1.0)).length() <= 1e-12, "{friction}: {v}");
    }
}

/// Laws without friction say that they ignore it; nothing to do is answered with nothing.
#[test]
fn what_is_ignored_is_said() {
    let laws: [&dyn ImpactLaw; 4] = [&Qce::default(), &Lcp::default(), &Gr::default(), &Lzb::default()];
    let recipe = Recipe { scale: 1.0, restitution: None, friction: 1.0, bodies: 6, floor: true };
    let is_rough = |p: &ContactProblem| p.contacts[0].coefficients.static_friction > 0.0;
    let is_hit = |p: &ContactProblem| solve(&Lcp::default(), p).impulses.iter().any(|p| *p != DVec3::ZERO);
    let with = (0..20).map(|seed| cluster(seed, &recipe)).find(|p| is_rough(p) && is_hit(p));
    let mut problem = with.expect("seven in ten clusters have friction");
    for law in laws {
        let solution = solve(law, &problem);
        assert_eq!(solution.resolution.notes, [Note::FrictionIgnored], "{}", law.name());
        // What is ignored does not hold either.
        assert!(!solution.states.contains(&ContactState::Stick) && solution.states.contains(&ContactState::Slip));
    }
    for body in &mut problem.bodies {
        body.velocity = granule_model::Velocity::ZERO;
    }
    for law in laws.into_iter().chain([&QceLcp::default() as &dyn ImpactLaw]) {
        for problem in [&problem, &ContactProblem { contacts: Vec::new(), ..problem.clone() }] {
            let solution = solve(law, problem);
            assert!(solution.resolution.converged && solution.impulses.iter().all(|p| *p == DVec3::ZERO));
        }
    }
}

/// A ball between two walls: it bounces for ever, or comes to rest; either way the law ends.
#[test]
fn a_ball_held_by_walls_is_answered() {
    let held = |restitution: f64| {
        let mut problem = balls(&[1.0], 0.5, &[DVec3::ZERO], &[DVec3::X], &[], bouncy(0.0));
        for x in [-1.0, 1.0] {
            problem.contacts.push(granule_solver::ProblemContact {
                a: 0,
                b: None,
                point: DVec3::X * (0.5 * x),
                normal: DVec3::X * -x,
                coefficients: bouncy(restitution),
            });
        }
        problem
    };
    let laws: [&dyn ImpactLaw; 5] = [
        &Qce::default(),
        &QceLcp::default(),
        &Lcp::default(),
        &Gr::default(),
        &Lzb { max_steps: 5000, ..Lzb::default() },
    ];
    for law in laws {
        let solution = solve(law, &held(1.0));
        let resolution = &solution.resolution;
        assert!(!resolution.converged && resolution.notes == [Note::ForcedEnd], "{}: {resolution:?}", law.name());
        assert!(resolution.residual <= 1e-12);
    }
    for law in [&Qce::default() as &dyn ImpactLaw, &Lcp::default(), &Lzb::default()] {
        let solution = solve(law, &held(0.5));
        assert!(solution.resolution.converged, "{}: {:?}", law.name(), solution.resolution);
        assert!(solution.velocities[0].linear.length() <= 1e-9);
    }
    // What infinitely many bounces take, in the books of QCE.
    let (solution, work) = Qce::default().resolve_with_work(&held(0.5)).expect("well formed");
    assert!((0.75 * work.iter().sum::<f64>() - solution.resolution.energy_before).abs() <= 1e-12);
}

#[test]
fn bad_parameters_are_refused() {
    let problem = cradle(3, 1, 1.0);
    let refuses = |law: &dyn ImpactLaw, name: &str| {
        let error = law.resolve(&problem).expect_err(name).to_string();
        assert!(error.starts_with(name), "{name}: {error}");
    };
    refuses(&Qce { max_rounds: 0, ..Qce::default() }, "max_rounds");
    refuses(&Qce { patience: -1.0, ..Qce::default() }, "patience");
    refuses(&Qce { patience: f64::NAN, ..Qce::default() }, "patience");
    refuses(&QceLcp { max_rounds: 0 }, "max_rounds");
    refuses(&Lcp { max_rounds: 0 }, "max_rounds");
    refuses(&Gr { max_rounds: 0 }, "max_rounds");
    refuses(&Lzb { exponent: 0.9, ..Lzb::default() }, "exponent");
    refuses(&Lzb { tolerance: 0.0, ..Lzb::default() }, "tolerance");
    refuses(&Lzb { max_steps: 0, ..Lzb::default() }, "max_steps");
    let mut soft = problem.clone();
    soft.contacts[1].coefficients.stiffness = 0.0;
    assert!(Lzb::default().resolve(&soft).expect_err("stiffness").to_string().contains("stiffness"));
    let mut lost = problem;
    lost.contacts[0].b = Some(9);
    let laws: [&dyn ImpactLaw; 5] =
        [&Qce::default(), &QceLcp::default(), &Lcp::default(), &Gr::default(), &Lzb::default()];
    assert!(laws.iter().all(|law| law.resolve(&lost).is_err()));
}

/// Cut short, a law says so, and its answer still approaches nowhere and gains nothing.
#[test]
fn a_law_that_is_cut_short_says_so() {
    let problem = cradle(8, 1, 1.0);
    let laws: [&dyn ImpactLaw; 4] = [
        &Qce { max_rounds: 3, ..Qce::default() },
        &Gr { max_rounds: 3 },
        &QceLcp { max_rounds: 3 },
        &Lzb { max_steps: 100, ..Lzb::default() },
    ];
    for law in laws {
        let solution = solve(law, &problem);
        assert!(!solution.resolution.converged, "{}", law.name());
        assert_eq!(solution.resolution.notes, [Note::ForcedEnd], "{}", law.name());
        assert!(faults(law, &problem, &solution).is_empty() && solution.resolution.residual <= 1e-12);
    }
}
