//! Chains and racks of balls that touch, and the reference files of the frictionless laws: `data/reference/r2_chains.json`,
//! `r4_boxes_frictionless.json`, `r6_matrix.json`.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, Gr, ImpactLaw, Lcp, Lzb, ProblemBody, ProblemContact, Qce, QceLcp};
use serde_json::Value;

use super::reference::File;
use super::scene::bouncy;

fn ball(mass: f64, radius: f64, position: DVec3, velocity: DVec3) -> ProblemBody {
    ProblemBody {
        inverse_mass: mass.recip(),
        inverse_inertia: DMat3::from_diagonal(DVec3::splat(2.5 / (mass * radius * radius))),
        position,
        velocity: Velocity { linear: velocity, angular: DVec3::ZERO },
    }
}

/// Balls of equal radius and the pairs of them that touch.
pub(crate) fn balls(
    masses: &[f64],
    radius: f64,
    positions: &[DVec3],
    velocities: &[DVec3],
    pairs: &[(u32, u32)],
    coefficients: Coefficients,
) -> ContactProblem {
    let bodies = (0..masses.len()).map(|i| ball(masses[i], radius, positions[i], velocities[i])).collect();
    let contact = |&(a, b): &(u32, u32)| {
        let (x, y) = (positions[a as usize], positions[b as usize]);
        ProblemContact { a, b: Some(b), point: 0.5 * (x + y), normal: (x - y).normalize(), coefficients }
    };
    ContactProblem { bodies, contacts: pairs.iter().map(contact).collect() }
}

/// Balls in a row along x.
pub(crate) fn chain(masses: &[f64], velocities: &[f64], restitution: f64) -> ContactProblem {
    let positions: Vec<DVec3> = (0..masses.len()).map(|i| DVec3::X * i as f64).collect();
    let along: Vec<DVec3> = velocities.iter().map(|v| DVec3::X * *v).collect();
    let pairs: Vec<(u32, u32)> = (1..masses.len() as u32).map(|i| (i - 1, i)).collect();
    balls(masses, 0.5, &positions, &along, &pairs, bouncy(restitution))
}

/// Newton's cradle: the first `moving` of `n` balls come with velocity 1.
pub(crate) fn cradle(n: usize, moving: usize, restitution: f64) -> ContactProblem {
    let velocities: Vec<f64> = (0..n).map(|i| if i < moving { 1.0 } else { 0.0 }).collect();
    chain(&vec![1.0; n], &velocities, restitution)
}

pub(crate) fn chains() -> Value {
    serde_json::from_str(include_str!("../../../../../data/reference/r2_chains.json")).expect("r2 is readable")
}

const BOXES: &str = include_str!("../../../../../data/reference/r4_boxes_frictionless.json");

/// The boxes as problems and as they stand in the file.
pub(crate) fn frictionless_boxes() -> (File, Value) {
    let problems = serde_json::from_str(BOXES).expect("r4 is readable");
    (problems, serde_json::from_str(BOXES).expect("r4 is readable"))
}

pub(crate) fn matrix() -> Value {
    serde_json::from_str(include_str!("../../../../../data/reference/r6_matrix.json")).expect("r6 is readable")
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

pub(crate) fn vectors(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks(3).map(DVec3::from_slice).collect()
}

/// The law and the restitution that a model of r2 names; none for the compliant balls, which are no impact law.
pub(crate) fn law(model: &str) -> Option<(Box<dyn ImpactLaw>, f64)> {
    if model == "qce" {
        return Some((Box::new(Qce::default()), 1.0));
    }
    let (name, restitution) = model.rsplit_once("_e")?;
    let restitution = restitution.parse().ok()?;
    let law: Box<dyn ImpactLaw> = match name {
        "lcp" => Box::new(Lcp::default()),
        "gr" => Box::new(Gr::default()),
        "qce_lcp" => Box::new(QceLcp::default()),
        "lzb_hertz" => Box::new(Lzb::default()),
        "lzb_linear" => Box::new(Lzb { exponent: 1.0, ..Lzb::default() }),
        _ => panic!("no law for {model}"),
    };
    Some((law, restitution))
}

/// The same problem with another restitution at every contact.
pub(crate) fn with_restitution(problem: &ContactProblem, restitution: f64) -> ContactProblem {
    let mut problem = problem.clone();
    problem.contacts.iter_mut().for_each(|c| c.coefficients.restitution = restitution);
    problem
}
