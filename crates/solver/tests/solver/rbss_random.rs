//! RBSS on random clusters: invariants, symmetry, redundant contacts, what is said when it does not converge.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::rbss::residual;
use granule_solver::{
    ContactProblem, Desideratum, ImpactLaw, ProblemBody, Rbss, RbssForm, RbssLinear, Solution, judge,
};

use crate::support::cluster::{Recipe, cluster, scaled_problem};
use crate::support::packing::{Motion, Packing, packing, steel};
use granule_solver::samples::Random;

/// A cluster of up to `bodies` spheres and boxes with masses from 1 to 1e4 and friction, e_n and e_t at random.
fn problem(seed: u64, bodies: usize) -> ContactProblem {
    let recipe = Recipe { scale: 1.0, restitution: None, friction: 0.7, bodies, floor: seed.is_multiple_of(2) };
    let mut problem = cluster(seed, &recipe);
    let mut random = Random::new(seed + 1_000_000);
    for c in &mut problem.contacts {
        c.coefficients.tangential_restitution = [0.0, random.unit()][random.below(2)];
    }
    problem
}

fn resolve(law: &dyn ImpactLaw, problem: &ContactProblem) -> Solution {
    law.resolve(problem).expect("the problem is well formed")
}

fn rbss() -> Rbss {
    Rbss::default()
}

fn literal() -> Rbss {
    Rbss { form: RbssForm::Literal, ..Rbss::default() }
}

/// What must hold for every answer, converged or not; returns whether the kinetic energy has grown.
fn assert_sound(problem: &ContactProblem, solution: &Solution, name: &str) -> bool {
    let verdict = judge(problem, solution);
    // Measured 3e-16, 0, none and 2e-15.
    assert!(verdict.momentum_error.max(verdict.angular_momentum_error) <= 1e-12, "{name}: {verdict:?}");
    assert!(verdict.velocity_error <= 1e-12 && verdict.pull <= 0.0, "{name}: {verdict:?}");
    assert!(verdict.cone_excess <= 1e-12, "{name}: {verdict:?}");
    verdict.energy_after > verdict.energy_before * (1.0 + 1e-12)
}

#[test]
fn random_clusters_keep_momentum_and_the_law() {
    let (mut gains, mut unconverged) = ([0; 3], [0; 3]);
    let laws: [(&dyn ImpactLaw, Option<RbssForm>); 3] = [
        (&rbss(), Some(RbssForm::Cone)),
        (&literal(), Some(RbssForm::Literal)),
        // The linear law has no form of the conditions to be judged by.
        (&RbssLinear::default(), None),
    ];
    for (seed, bodies) in (0..300).map(|s| (s, 6)).chain((300..400).map(|s| (s, 20))).chain((400..440).map(|s| (s, 60)))
    {
        let problem = problem(seed, bodies);
        for (i, (law, form)) in laws.iter().enumerate() {
            // Where the literal form has no solution the search for one is long.
            if *form == Some(RbssForm::Literal) && bodies > 20 {
                continue;
            }
            let solution = resolve(*law, &problem);
            let name = format!("{} {form:?} {seed}", law.name());
            gains[i] += u32::from(assert_sound(&problem, &solution, &name));
            unconverged[i] += u32::from(!solution.resolution.converged);
            let left = form.map(|form| residual(&problem, &solution, form));
            // Measured 2.3e-10 where converged, of one cluster whose masses leave no better; 1.3e-11 of the next.
            assert!(left.is_none_or(|left| (left <= 1e-9) == solution.resolution.converged), "{name}: {left:?}");
        }
    }
    // Measured 0 of 440, 14 of 400, 0 of 440: where the literal form has no solution near that of the cone.
    assert!(unconverged[0] == 0 && unconverged[1] <= 20 && unconverged[2] == 0, "{unconverged:?}");
    // Measured 13, 11, 16: Newton's restitution gains energy now and then, so no form claims that it does not.
    assert!(gains.iter().all(|g| (1..=20).contains(g)), "{gains:?}");
    assert!(laws.iter().all(|(law, _)| !law.claims().contains(&Desideratum::Kinetic)));
}

fn packing_of(seed: u64) -> ContactProblem {
    let motion = [Motion::Collapse, Motion::Random, Motion::Hit][seed as usize % 3];
    let (contacts, spread) = [(180, 1.0), (180, 1.5), (240, 1.5), (290, 2.0)][seed as usize % 4];
    packing(seed, &Packing { spheres: 100, contacts, spread, motion, coefficients: steel() })
}

#[test]
fn clusters_of_a_hundred_spheres_are_solved() {
    let mut times = Vec::new();
    let mut solved = 0;
    let mut gains = 0;
    let mut worst = 0.0f64;
    for seed in 0..100 {
        let problem = packing_of(seed);
        assert!(problem.bodies.len() == 100 && problem.contacts.len() >= 180, "{}", problem.contacts.len());
        let start = std::time::Instant::now();
        let solution = resolve(&rbss(), &problem);
        times.push(start.elapsed().as_secs_f64());
        let left = residual(&problem, &solution, RbssForm::Cone);
        assert_eq!(left <= 1e-9, solution.resolution.converged, "{seed}: {left:e}");
        if left <= 1e-9 {
            worst = worst.max(left);
            solved += 1;
        }
        let verdict = judge(&problem, &solution);
        assert!(verdict.momentum_error.max(verdict.angular_momentum_error) <= 1e-12, "{seed}: {verdict:?}");
        gains += u32::from(verdict.energy_after > verdict.energy_before * (1.0 + 1e-12));
    }
    // Measured 100, 6.7e-13, and energy gains in 10.
    assert!(solved >= 98, "{solved} of 100");
    assert!(worst <= 1e-10, "{worst:e}");
    assert!(gains <= 20, "{gains}");
    // Measured 0.03 s optimised, 0.05 s as tests are built; the longest 1.3 s.
    times.sort_by(f64::total_cmp);
    assert!(times[50] <= 1.0, "median {} s", times[50]);
}

/// The problem under an orthogonal map, its bodies and contacts in another order, some roles of A and B exchanged.
fn image(problem: &ContactProblem, m: &DMat3, random: &mut Random) -> (ContactProblem, Vec<usize>) {
    let n = problem.bodies.len();
    let mut place: Vec<usize> = (0..n).collect();
    (1..n).for_each(|i| place.swap(i, random.below(i + 1)));
    let mut image = problem.clone();
    for (b, to) in problem.bodies.iter().zip(&place) {
        image.bodies[*to] = ProblemBody {
            inverse_mass: b.inverse_mass,
            inverse_inertia: *m * b.inverse_inertia * m.transpose(),
            position: *m * b.position,
            velocity: map_velocity(&b.velocity, m),
        };
    }
    for c in &mut image.contacts {
        (c.point, c.normal) = (*m * c.point, (*m * c.normal).normalize());
        (c.a, c.b) = (place[c.a as usize] as u32, c.b.map(|b| place[b as usize] as u32));
        if let Some(b) = c.b.filter(|_| random.chance(0.5)) {
            (c.a, c.b, c.normal) = (b, Some(c.a), -c.normal);
        }
    }
    let m = image.contacts.len();
    (1..m).for_each(|i| image.contacts.swap(i, random.below(i + 1)));
    (image, place)
}

fn map_velocity(v: &Velocity, m: &DMat3) -> Velocity {
    Velocity { linear: *m * v.linear, angular: *m * v.angular * m.determinant() }
}

/// Largest difference over the largest value, linear and angular alike.
fn difference(x: &[Velocity], y: &[Velocity]) -> f64 {
    let largest = |part: fn(&Velocity) -> f64| x.iter().map(part).fold(f64::MIN_POSITIVE, f64::max);
    let (linear, angular) = (largest(|v| v.linear.length()), largest(|v| v.angular.length()));
    let pairs = x.iter().zip(y);
    let parts =
        pairs.map(|(x, y)| ((x.linear - y.linear).length() / linear).max((x.angular - y.angular).length() / angular));
    parts.fold(0.0, f64::max)
}

/// A problem and what became of it under a map.
struct Mapped {
    /// Largest difference between the image of the answer and the answer to the image.
    off: f64,
    /// The larger residual of the two answers under the conditions of the cone form.
    residual: f64,
}

fn mapped(law: &dyn ImpactLaw, problem: &ContactProblem, seed: u64) -> Mapped {
    let mut random = Random::new(seed);
    let turn = DMat3::from_quat(random.rotation());
    let mirror = DMat3::from_diagonal(DVec3::new(if seed.is_multiple_of(2) { 1.0 } else { -1.0 }, 1.0, 1.0));
    let map = turn * mirror;
    let (image, place) = image(problem, &map, &mut random);
    let (here, there) = (resolve(law, problem), resolve(law, &image));
    assert!(here.resolution.converged && there.resolution.converged, "{} {seed}", law.name());
    let expected: Vec<Velocity> = here.velocities.iter().map(|v| map_velocity(v, &map)).collect();
    let found: Vec<Velocity> = place.iter().map(|to| there.velocities[*to]).collect();
    let form = RbssForm::Cone;
    let worst = residual(problem, &here, form).max(residual(&image, &there, form));
    Mapped { off: difference(&expected, &found), residual: worst }
}

/// Twenty spheres, e_n, e_t and friction at random.
fn spheres(seed: u64) -> ContactProblem {
    let mut random = Random::new(seed);
    let (restitution, friction) = (random.unit(), 0.6 * random.unit());
    let coefficients = Coefficients {
        restitution,
        tangential_restitution: random.unit(),
        static_friction: friction,
        dynamic_friction: friction,
        ..steel()
    };
    let motion = [Motion::Collapse, Motion::Random, Motion::Hit][seed as usize % 3];
    packing(seed, &Packing { spheres: 20, contacts: 45, spread: 1.5, motion, coefficients })
}

#[test]
fn the_answer_turns_mirrors_and_renumbers_with_the_problem() {
    assert!(rbss().claims().contains(&Desideratum::Symmetry));
    let problems = (0..200).map(spheres).chain((0..200).map(|seed| problem(seed, 15)));
    let mut several = Vec::new();
    let mut worst = 0.0f64;
    for (k, problem) in problems.enumerate() {
        let mapped = mapped(&rbss(), &problem, k as u64);
        if mapped.off <= 1e-9 {
            worst = worst.max(mapped.off);
        } else {
            // An answer of residual r lies within about sqrt(r) of a solution, even of a double one: two answers
            // farther apart belong to two solutions. Measured: 0.05 apart, sqrt(r) 1.5e-5.
            assert!(mapped.residual.sqrt() <= 1e-2 * mapped.off, "{k}: {:e}, {:e}", mapped.off, mapped.residual);
            several.push(k);
        }
    }
    // Measured 9.6e-13; one problem, number 365, has several solutions.
    assert!(worst <= 1e-11, "{worst:e}");
    assert!(several.len() <= 2, "{several:?}");
}

#[test]
fn the_linear_law_turns_mirrors_and_renumbers_with_the_problem() {
    let law = RbssLinear::default();
    assert!(law.claims().contains(&Desideratum::Symmetry));
    for k in 0..200 {
        let off = mapped(&law, &spheres(k), k).off;
        // Measured 2.3e-13.
        assert!(off <= 1e-9, "{k}: {off:e}");
    }
}

/// Negative control: the literal form is not symmetric, and the comparison says so; nor is an answer under the wrong
/// map.
#[test]
fn the_comparison_sees_broken_symmetry() {
    assert!(!literal().claims().contains(&Desideratum::Symmetry));
    let problem = spheres(3);
    let answer = resolve(&rbss(), &problem);
    let mut random = Random::new(3);
    let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    let (image, place) = image(&problem, &mirror, &mut random);
    let there = resolve(&rbss(), &image);
    let found: Vec<Velocity> = place.iter().map(|to| there.velocities[*to]).collect();
    let under = |m: &DMat3| -> Vec<Velocity> { answer.velocities.iter().map(|v| map_velocity(v, m)).collect() };
    assert!(difference(&under(&mirror), &found) <= 1e-9);
    let polar: Vec<Velocity> = under(&mirror).iter().map(|v| Velocity { angular: -v.angular, ..*v }).collect();
    assert!(difference(&polar, &found) > 1e-3);
    assert!(difference(&under(&DMat3::IDENTITY), &found) > 1e-3);
    assert!(difference(&under(&mirror), &there.velocities) > 1e-3, "numbering ignored");
}

/// Units by powers of four: the same bits.
#[test]
fn lengths_masses_and_times_scale_exactly() {
    let (length, mass, time) = (1024.0, 0.0625, 0.25);
    for seed in 0..40 {
        let problem = problem(seed, 12);
        let scaled = scaled_problem(&problem, length, mass, time);
        let (here, there) = (resolve(&rbss(), &problem), resolve(&rbss(), &scaled));
        assert_eq!(here.resolution.iterations, there.resolution.iterations, "cluster {seed}");
        for (x, y) in here.impulses.iter().zip(&there.impulses) {
            assert_eq!(*x * (mass * length / time), *y, "cluster {seed}");
        }
    }
}
