//! The cone form: fixed point and Newton's method alternating, and the choice between static and dynamic friction.

use granule_model::DVec3;

use super::conditions::{largest_violation, project};
use super::system::System;
use super::{fixed_point, newton};

/// Violation that Newton's method aims at, relative to the largest approach speed.
const AIM: f64 = 1e-15;

/// Steps of the fixed point in the first cycle; each further one doubles them, so many times at most.
const FIRST_STEPS: u32 = 40;
const DOUBLINGS: u32 = 5;

/// Steps of Newton's method in a cycle.
const NEWTON_STEPS: u32 = 40;

/// How the fixed point is approached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// All contacts together.
    Together,
    /// Contact after contact.
    InTurn,
}

/// An answer with how it was found.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) impulses: Vec<DVec3>,
    /// Largest violation of the conditions \[m/s\].
    pub(super) violation: f64,
    pub(super) iterations: u64,
    pub(super) rounds: u32,
    pub(super) singular: bool,
}

impl Outcome {
    /// No impulses.
    pub(super) fn new(system: &System) -> Self {
        Outcome { impulses: vec![DVec3::ZERO; system.len()], violation: 0.0, iterations: 0, rounds: 0, singular: false }
    }

    /// Takes these impulses, drawn into their cones, where they violate less.
    fn take_better(&mut self, system: &System, impulses: &[DVec3]) {
        let inside: Vec<DVec3> = system.contacts.iter().zip(impulses).map(|(c, p)| project(c, *p)).collect();
        let mut velocities = Vec::with_capacity(system.len());
        system.shifted_velocities(&inside, &mut velocities);
        let violation = largest_violation(system, &inside, &velocities);
        if violation < self.violation {
            (self.violation, self.impulses) = (violation, inside);
        }
    }

    pub(super) fn converged(&self, system: &System) -> bool {
        self.violation <= system.tolerance
    }
}

/// Solves the system from the impulses of `outcome`. Contacts start with static friction; those that slip get the
/// dynamic one, all of a round together, and keep it: at most as many rounds as contacts.
pub(super) fn solve(system: &mut System, outcome: &mut Outcome, cycles: u32) {
    for _ in 0..=system.len() {
        solve_cone(system, outcome, cycles);
        if !outcome.converged(system) || !release_slipping(system, &outcome.impulses) {
            return;
        }
    }
}

/// Gives slipping contacts their dynamic friction; whether there were any whose friction changes.
fn release_slipping(system: &mut System, impulses: &[DVec3]) -> bool {
    let mut velocities = Vec::new();
    system.shifted_velocities(impulses, &mut velocities);
    let least = system.tolerance;
    let mut changed = false;
    for (i, c) in system.contacts.iter_mut().enumerate() {
        let slides = c.tangential(velocities[i]).length() > least && c.k_normal * impulses[i].length() > least;
        if slides && c.friction > c.dynamic_friction {
            c.friction = c.dynamic_friction;
            changed = true;
        }
    }
    changed
}

/// Solves for the friction in force and leaves the best answer found.
///
/// Contacts are moved together first: that path does not depend on their order.
fn solve_cone(system: &System, outcome: &mut Outcome, cycles: u32) {
    let start = outcome.impulses.clone();
    outcome.violation = f64::INFINITY;
    for method in [Method::Together, Method::InTurn] {
        let mut impulses = start.clone();
        for cycle in 0..cycles {
            run_cycle(system, outcome, &mut impulses, method, FIRST_STEPS << cycle.min(DOUBLINGS));
            if outcome.converged(system) {
                outcome.singular = !system.coarse && newton::is_singular(system, &outcome.impulses);
                return;
            }
        }
    }
}

/// Steps of the fixed point, then Newton's method. `impulses` go on from where Newton's method came closest with
/// contacts together, from where the fixed point ended with contacts in turn: each as solved more problems.
fn run_cycle(system: &System, outcome: &mut Outcome, impulses: &mut Vec<DVec3>, method: Method, steps: u32) {
    let target = if system.coarse {
        system.tolerance * system.tolerance
    } else {
        system.len() as f64 * (AIM * system.scale).powi(2)
    };
    match method {
        Method::Together => fixed_point::together(system, impulses, steps),
        Method::InTurn => fixed_point::in_turn(system, impulses, steps),
    }
    outcome.iterations += u64::from(steps);
    outcome.rounds += 1;
    if system.coarse {
        outcome.take_better(system, impulses);
        if outcome.converged(system) {
            return;
        }
    }
    let mut refined = impulses.clone();
    outcome.iterations += u64::from(newton::run(system, &mut refined, NEWTON_STEPS, target));
    outcome.take_better(system, &refined);
    if method == Method::Together {
        *impulses = refined;
    }
}
