//! The problems of the conformance matrix beside chains and racks: random clusters, alone and beside their mirror
//! image, and a box that lands flat.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use crate::balls::ELASTIC;
use granule_solver::samples::Random;

/// What a cluster is drawn from.
struct Recipe {
    /// Size of the bodies \[m\]; speeds are a few sizes per second.
    scale: f64,
    /// Largest coefficient of friction.
    friction: f64,
    /// Most bodies.
    bodies: usize,
    /// Whether some bodies touch the world.
    floor: bool,
}

/// The cluster number `seed`: a tree of bodies with masses of 1 : 1e4 and three different moments each, some pairs with
/// several contact points, some closed loops. A law sees arms and normals, not shapes, so none are made.
fn cluster(seed: u64, recipe: &Recipe) -> ContactProblem {
    let mut random = Random::new(seed);
    let n = 2 + random.below(recipe.bodies - 1);
    let friction = if random.chance(0.3) { 0.0 } else { recipe.friction };
    let mut problem = ContactProblem::default();
    for i in 0..n {
        let (parent, away) = (random.below(i.max(1)), random.direction());
        let from = problem.bodies.get(parent).map_or(DVec3::ZERO, |b: &ProblemBody| b.position + away * recipe.scale);
        problem.bodies.push(body(&mut random, recipe.scale, from));
        if i > 0 {
            // Every fifth body also closes a loop.
            let other = if random.chance(0.2) { random.below(i) } else { parent };
            for (b, points) in [(parent, 1 + random.below(3)), (other, usize::from(other != parent))] {
                touch(&mut random, &mut problem, (i, b), points, (recipe.scale, friction));
            }
        }
        if recipe.floor && random.chance(0.2) {
            let point = from + (0.3 * random.in_ball() - 0.5 * DVec3::Z) * recipe.scale;
            let normal = (DVec3::Z + 0.3 * random.in_ball()).normalize();
            let coefficients = coefficients(&mut random, friction);
            problem.contacts.push(ProblemContact { a: i as u32, b: None, point, normal, coefficients });
        }
    }
    problem
}

fn body(random: &mut Random, scale: f64, position: DVec3) -> ProblemBody {
    let mass = 10f64.powf(random.between(0.0, 4.0)) * scale.powi(3);
    let axes = random.axes();
    let mut moment = || random.between(0.03, 0.1) * mass * scale * scale;
    let moments = DVec3::new(moment(), moment(), moment());
    ProblemBody {
        inverse_mass: mass.recip(),
        inverse_inertia: axes * DMat3::from_diagonal(moments.recip()) * axes.transpose(),
        position,
        velocity: Velocity { linear: random.in_ball() * (3.0 * scale), angular: random.in_ball() * 3.0 },
    }
}

/// Contacts of a pair: points about the middle, with one normal.
fn touch(
    random: &mut Random,
    problem: &mut ContactProblem,
    (a, b): (usize, usize),
    points: usize,
    (scale, friction): (f64, f64),
) {
    let (x, y) = (problem.bodies[a].position, problem.bodies[b].position);
    let normal = ((x - y).normalize_or(DVec3::X) + 0.3 * random.in_ball()).normalize();
    for _ in 0..points {
        let aside = random.in_ball().reject_from_normalized(normal) * (0.3 * scale);
        let coefficients = coefficients(random, friction);
        let point = 0.5 * (x + y) + aside;
        problem.contacts.push(ProblemContact { a: a as u32, b: Some(b as u32), point, normal, coefficients });
    }
}

fn coefficients(random: &mut Random, friction: f64) -> Coefficients {
    let static_friction = friction * random.unit();
    let dynamic_friction = static_friction * if random.chance(0.5) { 1.0 } else { random.unit() };
    let restitution = [0.0, 1.0, random.unit()][random.below(3)];
    Coefficients { restitution, static_friction, dynamic_friction, ..Coefficients::BARE }
}

/// Mirrors a velocity in the plane x = 0: the angular one is axial.
pub(super) fn mirrored(v: &Velocity) -> Velocity {
    let m = DVec3::new(-1.0, 1.0, 1.0);
    Velocity { linear: m * v.linear, angular: -m * v.angular }
}

/// A random cluster with friction beside its mirror image, every fifth body in touch with its own image. Body i and
/// body `i + n/2` are images of each other.
pub(super) fn mirrored_cluster(seed: u64) -> ContactProblem {
    let half = cluster(seed, &Recipe { scale: 1.0, friction: 0.5, bodies: 8, floor: seed.is_multiple_of(2) });
    let m = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    let n = half.bodies.len() as u32;
    let bodies = half.bodies.iter().map(|b| ProblemBody {
        inverse_inertia: m * b.inverse_inertia * m,
        position: m * b.position,
        velocity: mirrored(&b.velocity),
        ..*b
    });
    let contacts = half.contacts.iter().map(|c| ProblemContact { point: m * c.point, normal: m * c.normal, ..*c });
    let image = ContactProblem { bodies: bodies.collect(), contacts: contacts.collect() };
    let mut whole = half.clone();
    whole.append(&image);
    for i in (0..n).step_by(5) {
        let at = half.bodies[i as usize].position;
        let coefficients = Coefficients { restitution: 0.5, ..Coefficients::BARE };
        let point = DVec3::new(0.0, at.y, at.z);
        whole.contacts.push(ProblemContact { a: i, b: Some(i + n), point, normal: DVec3::X, coefficients });
    }
    whole
}

/// The box of Tang 2014, section 7.3, elastic.
pub(super) fn flat_box(friction: f64) -> ContactProblem {
    granule_solver::samples::flat_box(Coefficients { static_friction: friction, dynamic_friction: friction, ..ELASTIC })
}

/// The clusters by which KIN, MOM and ONE are judged: friction and restitution drawn at random.
pub(super) fn clusters() -> impl Iterator<Item = ContactProblem> {
    (0..200).map(|seed| {
        let scale = [1e-3, 1.0, 1e2][seed as usize % 3];
        cluster(seed, &Recipe { scale, friction: 1.0, bodies: 12, floor: seed.is_multiple_of(2) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_well_formed_and_various() {
        let all: Vec<ContactProblem> = clusters().chain((0..60).map(mirrored_cluster)).collect();
        for problem in &all {
            assert_eq!(problem.validate(), Ok(()));
        }
        let contacts: usize = all.iter().map(|p| p.contacts.len()).sum();
        let worldly = all.iter().flat_map(|p| &p.contacts).filter(|c| c.b.is_none()).count();
        let rough = all.iter().flat_map(|p| &p.contacts).filter(|c| c.coefficients.static_friction > 0.0).count();
        assert!(contacts > 1000 && worldly > 50 && rough > contacts / 2, "{contacts} {worldly} {rough}");
    }
}
