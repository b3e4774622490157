//! Random touching clusters of many spheres.

use granule_model::{Coefficients, DMat3, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use granule_solver::samples::Random;

/// What a packing is drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    /// Number of spheres.
    pub(crate) spheres: usize,
    /// Least contacts.
    pub(crate) contacts: usize,
    /// Radius of the largest sphere over that of the smallest.
    pub(crate) spread: f64,
    /// How they move.
    pub(crate) motion: Motion,
    /// Of every contact.
    pub(crate) coefficients: Coefficients,
}

/// How the spheres of a packing move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// All towards the middle, with a random part and random spins.
    Collapse,
    /// All at random, spins too.
    Random,
    /// All at rest but the last one, which comes in.
    Hit,
}

/// The thesis' material: 0.9 both ways, 0.15 (section 5.1).
pub(crate) fn steel() -> Coefficients {
    Coefficients {
        restitution: 0.9,
        tangential_restitution: 0.9,
        static_friction: 0.15,
        dynamic_friction: 0.15,
        ..Coefficients::BARE
    }
}

/// Radius of the thesis' spheres [m] and its density [kg/m3].
const RADIUS: f64 = 0.025;
const DENSITY: f64 = 7850.0;

/// Gap over radius below which two spheres touch.
const TOUCH: f64 = 1e-9;

/// The packing number `seed`.
pub(crate) fn packing(seed: u64, recipe: &Packing) -> ContactProblem {
    let mut random = Random::new(seed);
    let mut spheres: Vec<(DVec3, f64)> = Vec::new();
    while spheres.len() < recipe.spheres {
        let radius = RADIUS * random.between(1.0, recipe.spread);
        let so_far = spheres.len();
        // Contacts lag behind the wanted number: another sphere that touches three.
        let wanted = recipe.contacts as f64 * (so_far as f64 / recipe.spheres as f64);
        let touched = if (contacts(&spheres).len() as f64) < wanted + 6.0 { 3 } else { 1 + random.below(2) };
        let touched = touched.min(so_far);
        for _ in 0..2000 {
            if let Some(place) = place(&mut random, &spheres, radius, touched) {
                spheres.push((place, radius));
                break;
            }
        }
    }
    problem(&mut random, &spheres, recipe)
}

/// A place for a sphere that touches `touched` of the others and overlaps none.
fn place(random: &mut Random, spheres: &[(DVec3, f64)], radius: f64, touched: usize) -> Option<DVec3> {
    if touched == 0 {
        return Some(DVec3::ZERO);
    }
    let (first, r) = spheres[random.below(spheres.len())];
    let mut place = first + random.direction() * (r + radius);
    if touched > 1 {
        // Of the nearest to a random place, by Newton's method on the distances.
        let mut near: Vec<(DVec3, f64)> = spheres.to_vec();
        let gap = |s: &(DVec3, f64), at: DVec3| (s.0 - at).length() - s.1 - radius;
        near.sort_by(|x, y| gap(x, place).total_cmp(&gap(y, place)));
        near.truncate(touched);
        for _ in 0..30 {
            for s in &near {
                place += (s.0 - place).normalize_or_zero() * gap(s, place);
            }
        }
        for _ in 0..6 {
            place = meet(&near, radius, place)?;
        }
        if near.iter().any(|s| gap(s, place).abs() > 1e-12 * radius) {
            return None;
        }
    }
    spheres.iter().all(|(at, r)| (*at - place).length() >= (r + radius) * (1.0 - 1e-12)).then_some(place)
}

/// A Newton step of least length towards touch with all of `near`.
fn meet(near: &[(DVec3, f64)], radius: f64, place: DVec3) -> Option<DVec3> {
    let rows: Vec<DVec3> = near.iter().map(|(at, _)| (*at - place).normalize_or_zero()).collect();
    let gaps: Vec<f64> = near.iter().map(|(at, r)| (*at - place).length() - r - radius).collect();
    if let [a, b] = rows[..] {
        let across = a.cross(b).try_normalize()?;
        let matrix = DMat3::from_cols(a, b, across).transpose();
        return Some(place + matrix.inverse() * DVec3::new(gaps[0], gaps[1], 0.0));
    }
    let matrix = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    if matrix.determinant().abs() < 0.05 {
        return None;
    }
    Some(place + matrix.inverse() * DVec3::new(gaps[0], gaps[1], gaps[2]))
}

fn contacts(spheres: &[(DVec3, f64)]) -> Vec<(usize, usize)> {
    let pairs = (0..spheres.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let touch = |(a, b): &(usize, usize)| {
        let ((p, r), (q, s)) = (spheres[*a], spheres[*b]);
        (p - q).length() - r - s <= TOUCH * r
    };
    pairs.filter(touch).collect()
}

fn problem(random: &mut Random, spheres: &[(DVec3, f64)], recipe: &Packing) -> ContactProblem {
    let middle = spheres.iter().map(|s| s.0).sum::<DVec3>() / spheres.len() as f64;
    let last = spheres.len() - 1;
    let mut body = |(i, (at, r)): (usize, &(DVec3, f64))| {
        let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
        let inwards = (middle - *at).normalize_or_zero();
        let velocity = match recipe.motion {
            Motion::Collapse => (inwards + random.in_ball(), random.in_ball() * 10.0),
            Motion::Random => (random.in_ball(), random.in_ball() * 20.0),
            Motion::Hit if i == last => (inwards + 0.3 * random.in_ball(), DVec3::ZERO),
            Motion::Hit => (DVec3::ZERO, DVec3::ZERO),
        };
        ProblemBody {
            inverse_mass: mass.recip(),
            inverse_inertia: DMat3::from_diagonal(DVec3::splat((0.4 * mass * r * r).recip())),
            position: *at,
            velocity: Velocity { linear: velocity.0, angular: velocity.1 },
        }
    };
    let bodies = spheres.iter().enumerate().map(&mut body).collect();
    let touch = |(a, b): (usize, usize)| {
        let ((p, _), (q, s)) = (spheres[a], spheres[b]);
        let normal = (p - q).normalize();
        ProblemContact {
            a: a as u32,
            b: Some(b as u32),
            point: q + normal * s,
            normal,
            coefficients: recipe.coefficients,
        }
    };
    ContactProblem { bodies, contacts: contacts(spheres).into_iter().map(touch).collect() }
}
