//! The cases of the conformance matrix: balls in chains and racks, a mirrored cluster, a box that lands flat.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use crate::support::cluster::{Recipe, cluster};
use crate::support::scene::BARE;

/// Elastic and smooth.
const ELASTIC: Coefficients = Coefficients { restitution: 1.0, ..BARE };

/// Touching balls of one radius.
pub(crate) fn balls(radius: f64, masses: &[f64], at: &[DVec3], velocity: &[DVec3]) -> ContactProblem {
    let body = |i: usize| ProblemBody {
        inverse_mass: masses[i].recip(),
        inverse_inertia: DMat3::from_diagonal(DVec3::splat(2.5 / (masses[i] * radius * radius))),
        position: at[i],
        velocity: Velocity { linear: velocity[i], angular: DVec3::ZERO },
    };
    let mut contacts = Vec::new();
    for a in 0..at.len() {
        for b in a + 1..at.len() {
            let apart = at[a] - at[b];
            if (apart.length() - 2.0 * radius).abs() < 1e-6 * radius {
                let (point, normal) = (at[b] + 0.5 * apart, apart.normalize());
                contacts.push(ProblemContact { a: a as u32, b: Some(b as u32), point, normal, coefficients: ELASTIC });
            }
        }
    }
    ContactProblem { bodies: (0..at.len()).map(body).collect(), contacts }
}

/// Balls of mass 1 in a line along x with these velocities.
pub(crate) fn chain(velocities: &[f64]) -> ContactProblem {
    let at: Vec<DVec3> = (0..velocities.len()).map(|i| DVec3::X * i as f64).collect();
    let velocity: Vec<DVec3> = velocities.iter().map(|v| DVec3::X * *v).collect();
    balls(0.5, &vec![1.0; velocities.len()], &at, &velocity)
}

/// A triangle of 15 balls, hit at its apex along x; `order` permutes the contacts.
pub(crate) fn rack(order: impl Fn(usize, usize) -> usize) -> ContactProblem {
    let radius = 0.028575;
    let mut at = vec![DVec3::new(-2.0 * radius, 0.0, 0.0)];
    for row in 0..5 {
        for k in 0..=row {
            let y = f64::from(2 * k - row) * radius;
            at.push(DVec3::new(f64::from(row) * 3f64.sqrt() * radius, y, 0.0));
        }
    }
    let mut velocity = vec![DVec3::ZERO; at.len()];
    velocity[0] = DVec3::X;
    let mut problem = balls(radius, &vec![0.17; at.len()], &at, &velocity);
    let n = problem.contacts.len();
    problem.contacts = (0..n).map(|i| problem.contacts[order(i, n)]).collect();
    problem
}

/// Index of the ball that mirrors ball `i` of [`rack`] in the plane y = 0.
pub(crate) fn rack_twin(i: usize) -> usize {
    let (mut first, mut length) = (1, 1);
    while i >= first + length {
        first += length;
        length += 1;
    }
    if i == 0 { 0 } else { 2 * first + length - 1 - i }
}

/// Mirrors a velocity in the plane x = 0: the angular one is axial.
pub(crate) fn mirrored(v: &Velocity) -> Velocity {
    let m = DVec3::new(-1.0, 1.0, 1.0);
    Velocity { linear: m * v.linear, angular: -m * v.angular }
}

/// A random cluster with friction beside its mirror image, every fifth body in touch with its own image. Body i and
/// body `i + n/2` are images of each other.
pub(crate) fn mirrored_cluster(seed: u64) -> ContactProblem {
    let recipe = Recipe { scale: 1.0, restitution: None, friction: 0.5, bodies: 8, floor: seed.is_multiple_of(2) };
    let half = cluster(seed, &recipe);
    let m = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    let n = half.bodies.len() as u32;
    let mut whole = half.clone();
    whole.bodies.extend(half.bodies.iter().map(|b| ProblemBody {
        inverse_inertia: m * b.inverse_inertia * m,
        position: m * b.position,
        velocity: mirrored(&b.velocity),
        ..*b
    }));
    whole.contacts.extend(half.contacts.iter().map(|c| ProblemContact {
        a: c.a + n,
        b: c.b.map(|b| b + n),
        point: m * c.point,
        normal: m * c.normal,
        ..*c
    }));
    for i in (0..n).step_by(5) {
        let at = half.bodies[i as usize].position;
        whole.contacts.push(ProblemContact {
            a: i,
            b: Some(i + n),
            point: DVec3::new(0.0, at.y, at.z),
            normal: DVec3::X,
            coefficients: Coefficients { restitution: 0.5, ..BARE },
        });
    }
    whole
}

/// The box of 2 x 2 x 1 m of Tang 2014, section 7.3, that lands flat on four contacts, with friction.
pub(crate) fn flat_box(friction: f64) -> ContactProblem {
    let coefficients = Coefficients { static_friction: friction, dynamic_friction: friction, ..ELASTIC };
    let corner =
        |x: f64, y: f64| ProblemContact { a: 0, b: None, point: DVec3::new(x, y, 0.0), normal: DVec3::Z, coefficients };
    let body = ProblemBody {
        inverse_mass: 0.25,
        inverse_inertia: DMat3::from_diagonal(DVec3::new(0.6, 0.6, 0.375)),
        position: DVec3::new(0.0, 0.0, 0.5),
        velocity: Velocity { linear: DVec3::new(1.0, 1.0, -10.0), angular: DVec3::ZERO },
    };
    let contacts = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    ContactProblem { bodies: vec![body], contacts }
}

/// The clusters by which KIN, MOM and ONE are judged: friction and restitution drawn at random.
pub(crate) fn clusters() -> impl Iterator<Item = ContactProblem> {
    (0..40).map(|seed| {
        let scale = [1e-3, 1.0, 1e2][seed as usize % 3];
        cluster(seed, &Recipe { scale, restitution: None, friction: 1.0, bodies: 12, floor: seed % 2 == 0 })
    })
}
