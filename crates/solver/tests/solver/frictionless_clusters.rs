//! QCE, QCE-LCP, LCP, GR and LZB on random clusters of spheres and boxes: what every answer must satisfy, judged by
//! code that no law shares; and a cubic packing hit by a fast sphere.

use granule_model::DVec3;
use granule_solver::{ContactProblem, Desideratum, Gr, ImpactLaw, Lcp, Lzb, Note, Qce, QceLcp, Solution, judge};

use crate::support::cluster::{Recipe, cluster};
use crate::support::impacts::{balls, chain, cradle, with_restitution};
use crate::support::scene::bouncy;
use granule_solver::samples::Random;

/// Everything that must hold of an answer, by what its law claims; bounds as the issue has them.
pub(crate) fn faults(law: &dyn ImpactLaw, problem: &ContactProblem, solution: &Solution) -> Vec<String> {
    let verdict = judge(problem, solution);
    let resolution = &solution.resolution;
    let growth = verdict.energy_after / verdict.energy_before - 1.0;
    let left = verdict.approach_left / verdict.approach_before.max(f64::MIN_POSITIVE);
    let losses: f64 = solution.work_taken.iter().sum();
    let ledger = (losses - (verdict.energy_before - verdict.energy_after)).abs() / verdict.energy_before;
    assert!(
        [Desideratum::Kinetic, Desideratum::Momentum, Desideratum::OneSided].iter().all(|d| law.claims().contains(d))
    );
    let bounds = [
        ("momentum", verdict.momentum_error, 1e-12),                 // 4e-16
        ("angular momentum", verdict.angular_momentum_error, 1e-12), // 4e-16
        ("pull", verdict.pull, 1e-12),                               // 0
        ("velocity", verdict.velocity_error, 1e-11),                 // 3e-13
        ("energy growth", growth, 1e-12),                            // 5e-15
        ("energy reported", (resolution.energy_after / verdict.energy_after - 1.0).abs(), 1e-12),
        ("work", ledger, 1e-12), // 2e-14
        (
            "approach reported",
            (resolution.residual - verdict.approach_left.max(0.0)).abs()
                / verdict.approach_before.max(f64::MIN_POSITIVE),
            1e-12,
        ),
        ("approach left", if resolution.converged { left } else { 0.0 }, 1.000001e-12), // 1e-12
    ];
    let broken = bounds.iter().filter(|(_, value, bound)| value.is_nan() || value > bound);
    broken.map(|(name, value, bound)| format!("{name} {value:e} > {bound:e}")).collect()
}

pub(crate) fn solve(law: &dyn ImpactLaw, problem: &ContactProblem) -> Solution {
    law.resolve(problem).expect("clusters are well formed")
}

/// The cluster number `seed` of the thousand: three sizes, mass ratios to 1e4, a tenth with up to 60 bodies, half with
/// a floor.
fn of_the_thousand(seed: u64, restitution: Option<f64>, friction: f64) -> ContactProblem {
    let bodies = if seed.is_multiple_of(10) { 60 } else { 20 };
    let scale = [1e-3, 1.0, 1e2][seed as usize % 3];
    cluster(seed, &Recipe { scale, restitution, friction, bodies, floor: seed.is_multiple_of(2) })
}

/// Runs the law on clusters of the thousand; how many did not converge.
fn run(law: &dyn ImpactLaw, seeds: impl Iterator<Item = u64>, restitution: Option<f64>, friction: f64) -> u32 {
    let mut open = 0;
    for seed in seeds {
        let problem = of_the_thousand(seed, restitution, friction);
        let solution = solve(law, &problem);
        let faults = faults(law, &problem, &solution);
        assert!(
            faults.is_empty(),
            "{} {restitution:?}, cluster {seed}: {faults:?}\n{:?}",
            law.name(),
            solution.resolution
        );
        if !solution.resolution.converged {
            open += 1;
            // Shown where the output of tests is: what was left, and what the law did instead.
            println!("{} {restitution:?}, cluster {seed}: {:?}", law.name(), solution.resolution);
        }
    }
    open
}

#[test]
fn random_clusters_keep_every_bound() {
    let laws: [&dyn ImpactLaw; 4] = [&Qce::default(), &QceLcp::default(), &Lcp::default(), &Gr::default()];
    for law in laws {
        for restitution in [None, Some(0.0), Some(0.5), Some(1.0)] {
            // Friction, where a law ignores it; that of QCE-LCP has a test of its own.
            let friction = if restitution.is_none() && law.name() != "qce-lcp" { 1.0 } else { 0.0 };
            let open = run(law, 0..1000, restitution, friction);
            // Measured 0; the issue allows one in a thousand.
            assert!(open <= 1, "{} {restitution:?}: {open}", law.name());
        }
    }
}

#[test]
fn random_clusters_keep_every_bound_under_lzb() {
    for (restitution, seeds) in [(None, 1000), (Some(1.0), 100), (Some(0.5), 50)] {
        let open = run(&Lzb::default(), 0..seeds, restitution, 0.0);
        // Measured 0.
        assert!(open <= 1, "{restitution:?}: {open}");
    }
    let linear = Lzb { exponent: 1.0, ..Lzb::default() };
    assert_eq!(run(&linear, 0..100, None, 0.0), 0);
}

/// Strong friction and mass ratios to 1e4: the fixed point of the boxes does not attract everywhere, and is then found
/// by pivoting.
#[test]
fn random_clusters_with_friction_keep_every_bound_under_qce_lcp() {
    let open = run(&QceLcp::default(), 0..1000, None, 1.0);
    // Measured 1, number 140 with 103 contacts; 16 without the pivoting. The issue allows one in a thousand.
    assert!(open <= 1, "{open}");
    let left = solve(&QceLcp::default(), &of_the_thousand(140, None, 1.0));
    assert_eq!(left.resolution.converged, !left.resolution.notes.contains(&Note::FrictionUnsolved));
    // Measured 0; 4 of 1000 clusters without the pivoting, these among them.
    let open = run(&QceLcp::default(), [230, 400, 521, 758].into_iter(), None, 0.5);
    assert_eq!(open, 0);
}

/// `loss = sum (1 - e_i^2) W_i` to 1e-12 of the energy, and at most 50 rounds for e of 0.1 to 0.9.
#[test]
fn the_loss_of_qce_is_what_restitution_takes_of_the_work() {
    let mut problems: Vec<ContactProblem> = (0..1000).map(|seed| of_the_thousand(seed, None, 0.0)).collect();
    for n in [2, 3, 5, 8, 10, 20, 40] {
        problems.extend((1..n.min(4)).map(|moving| cradle(n, moving, 1.0)));
        let mut random = Random::new(n as u64);
        let masses: Vec<f64> = (0..n).map(|_| random.log_between(1.0, 1e4)).collect();
        let velocities: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
        problems.push(chain(&masses, &velocities, 1.0));
    }
    problems.extend([3, 5, 8].map(rack));
    let law = Qce::default();
    let (mut worst, mut most) = (0.0f64, [0; 2]);
    for (k, problem) in problems.iter().enumerate() {
        for restitution in [None, Some(0.1), Some(0.3), Some(0.5), Some(0.7), Some(0.9), Some(1.0)] {
            let problem = restitution.map_or(problem.clone(), |e| with_restitution(problem, e));
            let (solution, work) = law.resolve_with_work(&problem).expect("well formed");
            let resolution = &solution.resolution;
            assert!(resolution.converged, "{k} {restitution:?}: {resolution:?}");
            let share = |e: f64| 1.0 - e * e;
            let loss: f64 =
                work.iter().zip(&problem.contacts).map(|(w, c)| share(c.coefficients.restitution) * w).sum();
            let off = (resolution.energy_before - resolution.energy_after - loss).abs() / resolution.energy_before;
            assert!(off <= 1e-12, "{k} {restitution:?}: {off:e}");
            assert!(work.iter().all(|w| *w >= 0.0));
            worst = worst.max(off);
            if restitution == Some(1.0) {
                let kept = (resolution.energy_after / resolution.energy_before - 1.0).abs();
                assert!(kept <= 1e-12, "{k}: {kept:e}");
            }
            if let Some(e) = restitution.filter(|e| *e < 1.0) {
                assert!(resolution.rounds <= 50, "{k} {e}: {} rounds", resolution.rounds);
                most[0] = most[0].max(resolution.rounds);
            } else {
                most[1] = most[1].max(resolution.rounds);
            }
        }
    }
    // Measured 1e-15, 37 rounds, and 398 for e = 1 or different e.
    assert!(worst <= 1e-13 && most[0] > 10 && most[1] > 50, "{worst:e} {most:?}");
}

/// A triangle of balls, hit on its apex.
fn rack(rows: usize) -> ContactProblem {
    let height = 0.75f64.sqrt();
    let (mut positions, mut pairs, mut last) = (vec![DVec3::NEG_X], vec![(0, 1)], Vec::new());
    for row in 0..rows {
        let mut here = Vec::new();
        for k in 0..=row {
            let index = positions.len() as u32;
            positions.push(DVec3::new(height * row as f64, k as f64 - 0.5 * row as f64, 0.0));
            if k > 0 {
                pairs.push((index - 1, index));
                pairs.push((last[k - 1], index));
            }
            if k < row {
                pairs.push((last[k], index));
            }
            here.push(index);
        }
        last = here;
    }
    let mut velocities = vec![DVec3::ZERO; positions.len()];
    velocities[0] = DVec3::X;
    balls(&vec![0.17; positions.len()], 0.5, &positions, &velocities, &pairs, bouncy(1.0))
}

/// 10 x 10 x 10 balls in a cubic packing and one that falls fast between four of its top layer.
fn packing(restitution: f64, stir: f64) -> ContactProblem {
    let n = 10;
    let index = |x: usize, y: usize, z: usize| ((z * n + y) * n + x) as u32;
    let (mut positions, mut pairs) = (Vec::new(), Vec::new());
    for z in 0..n {
        for y in 0..n {
            for x in 0..n {
                positions.push(DVec3::new(x as f64, y as f64, z as f64));
                let here = index(x, y, z);
                let near = [(x > 0).then(|| here - 1), (y > 0).then(|| here - 10), (z > 0).then(|| here - 100)];
                pairs.extend(near.into_iter().flatten().map(|other| (here, other)));
            }
        }
    }
    let hit = positions.len() as u32;
    positions.push(DVec3::new(4.5, 4.5, 9.0 + 0.5f64.sqrt()));
    pairs.extend([(4, 4), (5, 4), (4, 5), (5, 5)].map(|(x, y)| (hit, index(x, y, 9))));
    let mut random = Random::new(3);
    let mut velocities: Vec<DVec3> = positions.iter().map(|_| stir * random.in_ball()).collect();
    velocities[hit as usize] = DVec3::new(3.0, 1.0, -100.0);
    let mut problem = balls(&vec![1.0; positions.len()], 0.5, &positions, &velocities, &pairs, bouncy(restitution));
    // Nothing turns these balls but rounding; a spin of their own gives that a scale.
    problem.bodies.iter_mut().for_each(|b| b.velocity.angular = DVec3::ONE);
    problem
}

#[test]
fn a_packing_hit_by_a_fast_sphere_keeps_every_bound() {
    let laws: [&dyn ImpactLaw; 5] =
        [&Qce::default(), &QceLcp::default(), &Lcp::default(), &Gr::default(), &Lzb::default()];
    for law in laws {
        for (restitution, stir) in [(1.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)] {
            // All 2700 contacts at once are too many kinks for a test of LZB.
            if law.name() == "lzb" && stir > 0.0 {
                continue;
            }
            let problem = packing(restitution, stir);
            let solution = solve(law, &problem);
            let faults = faults(law, &problem, &solution);
            let resolution = &solution.resolution;
            assert!(faults.is_empty(), "{} {restitution}: {faults:?}\n{resolution:?}", law.name());
            assert!(resolution.converged, "{} {restitution} {stir}: {resolution:?}", law.name());
        }
    }
}

/// Negative controls: wrong answers are refused, by the right name.
#[test]
fn wrong_answers_are_refused() {
    let law = Qce::default();
    let problem = of_the_thousand(4, Some(1.0), 0.0);
    let good = solve(&law, &problem);
    assert!(faults(&law, &problem, &good).is_empty());
    let busiest = (0..good.impulses.len())
        .max_by(|i, j| good.impulses[*i].length().total_cmp(&good.impulses[*j].length()))
        .expect("a cluster has contacts");
    let refuses = |name: &str, spoil: &dyn Fn(&mut Solution)| {
        let mut bad = good.clone();
        spoil(&mut bad);
        let faults = faults(&law, &problem, &bad);
        assert!(faults.iter().any(|f| f.starts_with(name)), "{name}: {faults:?}");
    };
    refuses("velocity", &|s| s.velocities[0].linear *= 1.0 + 1e-6);
    refuses("pull", &|s| s.impulses[busiest] = -s.impulses[busiest]);
    refuses("energy growth", &|s| s.velocities.iter_mut().for_each(|v| v.linear *= 1.0 + 1e-9));
    refuses("energy reported", &|s| s.resolution.energy_after *= 1.0 + 1e-9);
    refuses("work", &|s| s.work_taken[busiest] += 1e-9 * s.resolution.energy_before);
    refuses("approach reported", &|s| s.resolution.residual = s.velocities[0].linear.length());
    refuses("approach left", &|s| s.velocities = problem.bodies.iter().map(|b| b.velocity).collect());
}
