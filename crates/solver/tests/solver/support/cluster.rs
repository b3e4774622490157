//! Random clusters of touching spheres and boxes, some on a floor.

use granule_model::{Coefficients, DMat3, DQuat, DVec3, Velocity};
use granule_solver::{ContactProblem, ProblemBody, ProblemContact};

use granule_solver::samples::Random;

/// What a cluster is drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// Size of the bodies \[m\]; speeds are a few sizes per second.
    pub(crate) scale: f64,
    /// Restitution of every contact; random where none.
    pub(crate) restitution: Option<f64>,
    /// Largest coefficient of friction.
    pub(crate) friction: f64,
    /// Most bodies.
    pub(crate) bodies: usize,
    /// Whether some bodies touch a floor.
    pub(crate) floor: bool,
}

/// A sphere (no half extents) or a box.
#[derive(Clone, Copy)]
struct Shape {
    radius: f64,
    half: Option<DVec3>,
    rotation: DQuat,
    position: DVec3,
}

impl Shape {
    fn new(random: &mut Random, scale: f64) -> Self {
        let radius = scale * random.between(0.5, 1.0);
        let mut extent = || radius * random.between(0.3, 1.0);
        let half = DVec3::new(extent(), extent(), extent());
        let half = random.chance(0.5).then_some(half);
        Shape { radius, half, rotation: random.rotation(), position: DVec3::ZERO }
    }

    /// Moments of inertia over mass \[m2\].
    fn moments(&self) -> DVec3 {
        match self.half {
            None => DVec3::splat(0.4 * self.radius * self.radius),
            Some(h) => DVec3::new(h.y * h.y + h.z * h.z, h.x * h.x + h.z * h.z, h.x * h.x + h.y * h.y) / 3.0,
        }
    }

    /// A surface point and its outward normal, in body axes; whether the point lies inside a face.
    fn surface(&self, random: &mut Random) -> (DVec3, DVec3, bool) {
        let Some(h) = self.half else {
            let n = random.direction();
            return (n * self.radius, n, false);
        };
        let mut sign = || if random.chance(0.5) { 1.0 } else { -1.0 };
        let signs = DVec3::new(sign(), sign(), sign());
        if random.chance(0.5) {
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
            let inside = DVec3::new(random.unit(), random.unit(), random.unit()) * 0.8;
            return (signs * h * (axis + (DVec3::ONE - axis) * inside), signs * axis, true);
        }
        (signs * h, signs * random.direction().abs(), false)
    }
}

/// The cluster number `seed` of a recipe.
pub(crate) fn cluster(seed: u64, recipe: &Recipe) -> ContactProblem {
    let mut random = Random::new(seed);
    let n = 2 + random.below(recipe.bodies - 1);
    let mut shapes: Vec<Shape> = Vec::new();
    let mut contacts = Vec::new();
    let friction = if random.chance(0.3) { 0.0 } else { recipe.friction };
    for i in 0..n {
        let mut shape = Shape::new(&mut random, recipe.scale);
        if i > 0 {
            let parent = random.below(i);
            attach(&mut random, &mut shape, &shapes[parent], (i, parent), &mut contacts);
        }
        shapes.push(shape);
    }
    close_loops(&mut random, &shapes, &mut contacts);
    if recipe.floor {
        for (i, shape) in shapes.iter().enumerate() {
            if random.chance(0.2) {
                let (point, _, _) = shape.surface(&mut random);
                let point = shape.position + shape.rotation * point;
                contacts.push((i, None, point, (DVec3::Z + 0.3 * random.in_ball()).normalize()));
            }
        }
    }
    let contacts = contacts.into_iter().map(|(a, b, point, normal)| ProblemContact {
        a: a as u32,
        b: b.map(|b: usize| b as u32),
        point,
        normal,
        coefficients: coefficients(&mut random, friction, recipe.restitution),
    });
    let contacts = contacts.collect();
    ContactProblem { bodies: shapes.iter().map(|s| body(&mut random, s, recipe.scale)).collect(), contacts }
}

type Touch = (usize, Option<usize>, DVec3, DVec3);

/// Puts `shape` so that a surface point of it meets one of `parent`; faces that meet get up to three points more.
fn attach(random: &mut Random, shape: &mut Shape, parent: &Shape, pair: (usize, usize), contacts: &mut Vec<Touch>) {
    let (p, n, face) = parent.surface(random);
    let (point, normal) = (parent.position + parent.rotation * p, parent.rotation * n);
    let (q, m, other_face) = shape.surface(random);
    shape.rotation = DQuat::from_rotation_arc(shape.rotation * m, -normal) * shape.rotation;
    shape.position = point - shape.rotation * q;
    contacts.push((pair.0, Some(pair.1), point, normal));
    if face && other_face {
        for _ in 0..random.below(4) {
            let aside = random.in_ball().reject_from_normalized(normal) * (0.3 * shape.radius);
            contacts.push((pair.0, Some(pair.1), point + aside, normal));
        }
    }
}

/// Contacts between neighbours that the tree of parents leaves out.
fn close_loops(random: &mut Random, shapes: &[Shape], contacts: &mut Vec<Touch>) {
    for a in 1..shapes.len() {
        for b in 0..a {
            let apart = shapes[a].position - shapes[b].position;
            let reach = shapes[a].radius + shapes[b].radius;
            let distance = apart.length();
            if distance > 0.5 * reach && distance < 1.5 * reach && random.chance(0.2) {
                let normal = apart / distance;
                let at = shapes[b].radius / reach;
                contacts.push((a, Some(b), shapes[b].position + apart * at, normal));
            }
        }
    }
}

fn coefficients(random: &mut Random, friction: f64, restitution: Option<f64>) -> Coefficients {
    let static_friction = friction * random.unit();
    let dynamic_friction = static_friction * if random.chance(0.5) { 1.0 } else { random.unit() };
    let drawn = [0.0, 1.0, random.unit()][random.below(3)];
    Coefficients { restitution: restitution.unwrap_or(drawn), static_friction, dynamic_friction, ..Coefficients::BARE }
}

fn body(random: &mut Random, shape: &Shape, scale: f64) -> ProblemBody {
    let mass = random.log_between(1.0, 1e4) * scale.powi(3);
    let r = DMat3::from_quat(shape.rotation);
    ProblemBody {
        inverse_mass: mass.recip(),
        inverse_inertia: r * DMat3::from_diagonal((shape.moments() * mass).recip()) * r.transpose(),
        position: shape.position,
        velocity: Velocity { linear: random.in_ball() * (3.0 * scale), angular: random.in_ball() * 3.0 },
    }
}

/// The same problem in other units: lengths, masses and times times the factors.
pub(crate) fn scaled_problem(problem: &ContactProblem, length: f64, mass: f64, time: f64) -> ContactProblem {
    let mut scaled = problem.clone();
    for b in &mut scaled.bodies {
        b.inverse_mass /= mass;
        b.inverse_inertia *= 1.0 / (mass * length * length);
        b.position *= length;
        b.velocity.linear *= length / time;
        b.velocity.angular /= time;
    }
    scaled.contacts.iter_mut().for_each(|c| c.point *= length);
    scaled
}
