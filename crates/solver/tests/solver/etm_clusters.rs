//! ETM on random clusters.

use granule_solver::{Etm, judge};

use crate::support::cluster::{Recipe, cluster};

#[test]
fn explore() {
    let t0 = std::time::Instant::now();
    let mut slow = Vec::new();
    let (mut cone, mut energy, mut nonconv, mut pull, mut left, mut rounds, mut vel, mut mom, mut ang) =
        (0usize, 0usize, 0usize, 0usize, 0.0f64, 0, 0.0f64, 0.0f64, 0.0f64);
    for seed in 0..1000u64 {
        let scale = [1e-3, 1.0, 1e2][seed as usize % 3];
        let p = cluster(seed, &Recipe { scale, restitution: None, friction: 1.0, bodies: 60, floor: seed % 2 == 0 });
        let t = std::time::Instant::now();
        let s = Etm::default().resolve(&p).unwrap();
        let dt = t.elapsed().as_secs_f64();
        let v = judge(&p, &s);
        let grow = v.energy_after / v.energy_before - 1.0;
        if v.velocity_error > 1e-11 {
            eprintln!("vel {seed} {:e} its {} mom {:e}", v.velocity_error, s.resolution.iterations, v.momentum_error);
        }
        slow.push((
            dt,
            seed,
            p.bodies.len(),
            p.contacts.len(),
            s.resolution.iterations,
            s.resolution.rounds,
            s.resolution.converged,
        ));
        if v.cone_excess > 1e-12 {
            cone += 1;
            if cone < 10 {
                eprintln!("cone {seed} {:e}", v.cone_excess);
            }
        }
        if grow > 1e-12 {
            energy += 1;
            if energy < 20 {
                eprintln!("energy {seed} {grow:e} b {} c {} floor {}", p.bodies.len(), p.contacts.len(), seed % 2 == 0);
            }
        }
        if v.pull > 1e-12 {
            pull += 1;
            if pull < 10 {
                eprintln!("pull {seed} {:e}", v.pull);
            }
        }
        if !s.resolution.converged {
            nonconv += 1;
        } else {
            left = left.max(v.approach_left / v.approach_before);
        }
        rounds = rounds.max(s.resolution.rounds);
        vel = vel.max(v.velocity_error);
        mom = mom.max(v.momentum_error);
        ang = ang.max(v.angular_momentum_error);
    }
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    eprintln!("{:#?}", &slow.iter().take(12).map(|x| format!("{x:?}")).collect::<Vec<_>>());
    eprintln!(
        "total {:?} cone {cone} energy {energy} pull {pull} nonconv {nonconv} left {left:e} rounds {rounds} vel {vel:e} mom {mom:e} ang {ang:e}",
        t0.elapsed()
    );
}

#[test]
fn jam() {
    for (lambda, friction, bodies) in
        [(1, 1.0, 3), (1, 3.0, 3), (5, 1.0, 3), (5, 3.0, 3), (30, 3.0, 3), (30, 1.0, 20), (5, 3.0, 20)]
    {
        let (mut cone, mut energy, mut non, mut worst) = (0, 0, 0, 0.0f64);
        for seed in 0..2000u64 {
            let p =
                cluster(seed, &Recipe { scale: 1.0, restitution: Some(1.0), friction, bodies, floor: seed % 2 == 0 });
            let s = Etm { lambda, max_rounds: 300 }.resolve(&p).unwrap();
            let v = judge(&p, &s);
            let grow = v.energy_after / v.energy_before - 1.0;
            if !s.resolution.converged {
                non += 1;
            }
            if v.cone_excess > 1e-12 {
                cone += 1;
                if cone < 20 {
                    eprintln!("cone {seed} {:e} c {}", v.cone_excess, p.contacts.len());
                }
            }
            if grow > 1e-12 {
                energy += 1;
                worst = worst.max(grow);
            }
        }
        eprintln!("lambda {lambda} mu {friction} n {bodies} cone {cone} energy {energy} ({worst:e}) non {non}");
    }
}
