//! ETM on random clusters of spheres and boxes: what every answer must satisfy, judged by code that no law shares.

use granule_solver::{ContactProblem, Etm, ImpactLaw, Solution, Verdict, judge};

use crate::support::cluster::{Recipe, cluster};

/// Everything that must hold of an answer, with the values measured over the 1000 clusters below.
fn faults(verdict: &Verdict, solution: &Solution) -> Vec<String> {
    let growth = verdict.energy_after / verdict.energy_before - 1.0;
    let left = verdict.approach_left / verdict.approach_before.max(f64::MIN_POSITIVE);
    let bounds = [
        ("momentum", verdict.momentum_error, 1e-12),                 // 8e-14
        ("angular momentum", verdict.angular_momentum_error, 1e-12), // 5e-14
        ("pull", verdict.pull, 1e-12),                               // 0
        ("cone", verdict.cone_excess, 1e-12),                        // 1e-15
        ("velocity", verdict.velocity_error, 1e-11),                 // 3e-13
        ("energy growth", growth, 1e-12),                            // 3e-15
        ("approach left", if solution.resolution.converged { left } else { 0.0 }, 1.01e-12), // 1e-12
    ];
    let broken = bounds.iter().filter(|(_, value, bound)| value.is_nan() || value > bound);
    broken.map(|(name, value, bound)| format!("{name} {value:e} > {bound:e}")).collect()
}

fn solve(problem: &ContactProblem, etm: Etm) -> (Verdict, Solution) {
    let solution = etm.resolve(problem).expect("clusters are well formed");
    (judge(problem, &solution), solution)
}

#[test]
fn random_clusters_keep_every_bound() {
    let (mut forced, mut rounds, mut impulses) = (0, 0, 0);
    for seed in 0..1000 {
        let scale = [1e-3, 1.0, 1e2][seed as usize % 3];
        // A tenth of the clusters is large: cost grows with the square of the size.
        let bodies = if seed % 10 == 0 { 60 } else { 20 };
        let recipe = Recipe { scale, restitution: None, friction: 1.0, bodies, floor: seed % 2 == 0 };
        let problem = cluster(seed, &recipe);
        let (verdict, solution) = solve(&problem, Etm::default());
        let faults = faults(&verdict, &solution);
        assert!(faults.is_empty(), "cluster {seed}: {faults:?}\n{verdict:?}\n{:?}", solution.resolution);
        forced += u32::from(!solution.resolution.converged);
        rounds = rounds.max(solution.resolution.rounds);
        impulses = impulses.max(solution.resolution.iterations);
    }
    // Measured: none forced, 12 rounds, 0.2 million impulses in one cluster (light bodies between heavy ones converge
    // slowly).
    assert!(forced <= 5 && rounds <= 300, "{forced} forced ends, {rounds} rounds, {impulses} impulses");
}

/// Coarse steps, strong friction, perfect restitution: there a finite step makes friction do work. Before it was
/// bounded, 26 of these answers held up to 2 % more energy than the problem.
#[test]
fn coarse_steps_with_strong_friction_create_no_energy() {
    for (lambda, friction) in [(1, 1.0), (1, 3.0), (2, 3.0), (5, 1.0), (5, 3.0)] {
        for seed in 0..2000 {
            let recipe = Recipe { scale: 1.0, restitution: Some(1.0), friction, bodies: 3, floor: seed % 2 == 0 };
            let (verdict, solution) = solve(&cluster(seed, &recipe), Etm { lambda, max_rounds: 300 });
            let faults = faults(&verdict, &solution);
            assert!(faults.is_empty(), "lambda {lambda}, friction {friction}, cluster {seed}: {faults:?}");
        }
    }
}

#[test]
fn elastic_frictionless_clusters_keep_their_energy() {
    let mut worst = 0.0f64;
    for seed in 0..200 {
        let recipe = Recipe { scale: 1.0, restitution: Some(1.0), friction: 0.0, bodies: 12, floor: seed % 2 == 0 };
        let (verdict, solution) = solve(&cluster(seed, &recipe), Etm::default());
        if solution.resolution.converged {
            worst = worst.max((verdict.energy_after / verdict.energy_before - 1.0).abs());
        }
    }
    // Measured 2e-14.
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn impossible_problems_are_refused() {
    let recipe = Recipe { scale: 1.0, restitution: None, friction: 1.0, bodies: 12, floor: true };
    let refuses = |reason: &str, spoil: &dyn Fn(&mut ContactProblem)| {
        let mut problem = cluster(4, &recipe);
        assert!(problem.validate().is_ok());
        spoil(&mut problem);
        let error = Etm::default().resolve(&problem).expect_err(reason).to_string();
        assert!(error.contains(reason), "{reason}: {error}");
    };
    refuses("inverse mass", &|p| p.bodies[1].inverse_mass = -1.0);
    refuses("inverse mass", &|p| p.bodies[1].inverse_mass = f64::NAN);
    refuses("finite", &|p| p.bodies[1].velocity.angular.x = f64::INFINITY);
    refuses("positive definite", &|p| p.bodies[1].inverse_inertia *= -1.0);
    refuses("positive definite", &|p| p.bodies[1].inverse_inertia.x_axis.y += 1.0);
    refuses("inertia zero", &|p| p.bodies[1].inverse_mass = 0.0);
    refuses("unit vector", &|p| p.contacts[0].normal *= 1.1);
    refuses("itself", &|p| p.contacts[0].b = Some(p.contacts[0].a));
    refuses("names body 99", &|p| p.contacts[0].b = Some(99));
    refuses("restitution", &|p| p.contacts[0].coefficients.restitution = 1.1);
    refuses("friction", &|p| p.contacts[0].coefficients.dynamic_friction = f64::NAN);
    let zero = Etm { lambda: 0, max_rounds: 300 }.resolve(&cluster(4, &recipe));
    assert!(zero.expect_err("no steps").to_string().contains("lambda"));
}

/// Negative controls: each of these wrong answers is refused, and by the right name.
#[test]
fn wrong_answers_are_refused() {
    let recipe = Recipe { scale: 1.0, restitution: None, friction: 1.0, bodies: 12, floor: true };
    let problem = cluster(4, &recipe);
    let (verdict, good) = solve(&problem, Etm::default());
    assert!(faults(&verdict, &good).is_empty());
    let busiest = (0..good.impulses.len())
        .max_by(|i, j| good.impulses[*i].length().total_cmp(&good.impulses[*j].length()))
        .expect("a cluster has contacts");
    let refuses = |name: &str, spoil: &dyn Fn(&mut Solution)| {
        let mut bad = good.clone();
        spoil(&mut bad);
        let faults = faults(&judge(&problem, &bad), &bad);
        assert!(faults.iter().any(|f| f.starts_with(name)), "{name}: {faults:?}");
    };
    let normal = problem.contacts[busiest].normal;
    refuses("velocity", &|s| s.velocities[0].linear.x += 1e-9);
    refuses("velocity", &|s| s.velocities[0].linear.x = f64::NAN);
    refuses("velocity", &|s| s.impulses.truncate(1));
    refuses("momentum", &|s| s.velocities[0].linear.x += 1e-6);
    refuses("angular momentum", &|s| s.velocities[0].angular.x += 1e-6);
    refuses("pull", &|s| s.impulses[busiest] = -s.impulses[busiest]);
    refuses("pull", &|s| s.impulses[busiest].x = f64::NAN);
    refuses("cone", &|s| s.impulses[busiest] += normal.any_orthonormal_vector() * 1e9);
    refuses("energy growth", &|s| s.velocities.iter_mut().for_each(|v| v.linear *= 10.0));
    refuses("approach left", &|s| {
        s.velocities = problem.bodies.iter().map(|b| b.velocity).collect();
        s.resolution.converged = true;
    });
}
