//! The contact problem as one system: shifted velocities `w = q + G p`, with the 3 x 3 blocks of G that are not zero.

use granule_model::{DMat3, DVec3, Velocity};

use crate::contact::problem::{ContactProblem, ProblemContact};

/// Directions in which a contact's friction acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Span {
    /// None.
    Nothing,
    /// Along one unit vector of the tangent plane.
    Line(DVec3),
    /// The whole tangent plane.
    Plane,
}

/// One contact of the system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub(super) normal: DVec3,
    pub(super) span: Span,
    /// Friction in force, static or dynamic.
    pub(super) friction: f64,
    pub(super) static_friction: f64,
    pub(super) dynamic_friction: f64,
    /// `u-` \[m/s\].
    pub(super) before: DVec3,
    /// `q = u- + e_n min(u_n-, 0) n + e_t u_t-` \[m/s\].
    pub(super) shifted: DVec3,
    /// `n.K n` \[1/kg\].
    pub(super) k_normal: f64,
    /// Largest eigenvalue of K in the tangent plane \[1/kg\].
    pub(super) k_tangent: f64,
    /// Upper bounds of the eigenvalues of G that the contact has a part in, normal and tangential \[1/kg\].
    pub(super) bound: (f64, f64),
}

impl Contact {
    /// The part of `v` that friction can act on.
    pub(super) fn tangential(&self, v: DVec3) -> DVec3 {
        match self.span {
            Span::Nothing => DVec3::ZERO,
            Span::Line(line) => line * line.dot(v),
            Span::Plane => v - self.normal * self.normal.dot(v),
        }
    }
}

/// A contact problem, prepared.
pub(super) struct System {
    pub(super) contacts: Vec<Contact>,
    /// For each contact its neighbours, itself among them, with the block of G.
    blocks: Vec<Vec<(u32, DMat3)>>,
    /// Largest approach speed before \[m/s\].
    pub(super) scale: f64,
    /// Violation that counts as none \[m/s\].
    pub(super) tolerance: f64,
    /// Whether more than rounding may stay: then no effort goes into less.
    pub(super) coarse: bool,
}

/// A contact's part in a body: which contact, the sign of its impulse there, its arm.
struct Part {
    contact: u32,
    sign: f64,
    arm: DVec3,
}

/// Violation that counts as none, relative to the largest approach speed: a third of what is promised. Among masses of
/// 1 to 1e4 rounding alone can leave 1e-10.
const CONVERGED: f64 = 3e-10;

impl System {
    /// Prepares a well-formed problem; friction is the static one. Violations up to `left` \[m/s\] count as none.
    pub(super) fn new(problem: &ContactProblem, left: f64) -> Self {
        let before: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
        let parts = parts_by_body(problem);
        let blocks = blocks(problem, &parts);
        let contact = |(i, c): (usize, &ProblemContact)| {
            let own = blocks[i].iter().find(|(j, _)| *j as usize == i).map_or(DMat3::ZERO, |(_, k)| *k);
            contact(c, problem.relative_velocity(c, &before), &own, bound(problem, &parts, c))
        };
        let contacts: Vec<Contact> = problem.contacts.iter().enumerate().map(contact).collect();
        let scale = contacts.iter().map(|c| -c.normal.dot(c.before)).fold(0.0, f64::max);
        let tolerance = (CONVERGED * scale).max(left);
        System { contacts, blocks, scale, tolerance, coarse: left > CONVERGED * scale }
    }

    /// Number of contacts.
    pub(super) fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Neighbours of a contact, itself among them, and their blocks of G.
    pub(super) fn neighbours(&self, contact: usize) -> &[(u32, DMat3)] {
        &self.blocks[contact]
    }

    /// `w = q + G p` of one contact.
    pub(super) fn shifted_velocity(&self, contact: usize, impulses: &[DVec3]) -> DVec3 {
        let start = self.contacts[contact].shifted;
        self.blocks[contact].iter().fold(start, |w, (j, g)| w + *g * impulses[*j as usize])
    }

    /// `w = q + G p`.
    pub(super) fn shifted_velocities(&self, impulses: &[DVec3], velocities: &mut Vec<DVec3>) {
        velocities.clear();
        velocities.extend((0..self.len()).map(|i| self.shifted_velocity(i, impulses)));
    }
}

/// Contacts by body that an impulse can move.
fn parts_by_body(problem: &ContactProblem) -> Vec<Vec<Part>> {
    let mut parts: Vec<Vec<Part>> = problem.bodies.iter().map(|_| Vec::new()).collect();
    for (i, c) in problem.contacts.iter().enumerate() {
        for (body, sign) in [(Some(c.a), 1.0), (c.b, -1.0)] {
            let Some(body) = body.map(|b| b as usize).filter(|b| problem.bodies[*b].inverse_mass > 0.0) else {
                continue;
            };
            parts[body].push(Part { contact: i as u32, sign, arm: c.point - problem.bodies[body].position });
        }
    }
    parts
}

/// Velocity at `at` that an impulse `p` with the arm `from` gives a body.
fn response(problem: &ContactProblem, body: usize, at: DVec3, from: DVec3, p: DVec3) -> DVec3 {
    let b = &problem.bodies[body];
    p * b.inverse_mass + (b.inverse_inertia * from.cross(p)).cross(at)
}

fn blocks(problem: &ContactProblem, parts: &[Vec<Part>]) -> Vec<Vec<(u32, DMat3)>> {
    let mut blocks: Vec<Vec<(u32, DMat3)>> = problem.contacts.iter().map(|_| Vec::new()).collect();
    for (body, touching) in parts.iter().enumerate() {
        for i in touching {
            for j in touching {
                let column = |axis| response(problem, body, i.arm, j.arm, axis) * (i.sign * j.sign);
                let block = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
                blocks[i.contact as usize].push((j.contact, block));
            }
        }
    }
    for row in &mut blocks {
        row.sort_by_key(|(j, _)| *j);
        // Two contacts may share both bodies; a stable sort keeps body order, so sums are always made alike.
        row.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 += later.1;
            }
            same
        });
    }
    blocks
}

/// `n.K n`, the largest eigenvalue of K in the tangent plane, and the length of the tangential part of `K n`.
fn moduli(k: &DMat3, n: DVec3) -> (f64, f64, f64) {
    let t = n.any_orthonormal_vector();
    let s = n.cross(t);
    let (kn, kt, ks) = (*k * n, *k * t, *k * s);
    let (half, off) = (0.5 * (t.dot(kt) - s.dot(ks)), s.dot(kt));
    let tangent = 0.5 * (t.dot(kt) + s.dot(ks)) + (half * half + off * off).sqrt();
    (n.dot(kn), tangent, (kn - n * n.dot(kn)).length())
}

/// `J^T p` of N contacts on one body obeys `|sum|^2 <= N sum | |^2` in the metric of its inverse mass, so G is at most
/// the block-diagonal matrix of `sum over both bodies of N K_body`; and a block `[[a, c], [c, b]]` is at most `(1 +
/// |c|/sqrt(a b)) diag(a, b)`.
fn bound(problem: &ContactProblem, parts: &[Vec<Part>], c: &ProblemContact) -> (f64, f64) {
    let mut bound = (0.0, 0.0);
    for body in [Some(c.a), c.b].into_iter().flatten().map(|b| b as usize) {
        if parts[body].is_empty() {
            continue;
        }
        let arm = c.point - problem.bodies[body].position;
        let column = |axis| response(problem, body, arm, arm, axis);
        let own = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        let (normal, tangent, coupling) = moduli(&own, c.normal);
        let factor = parts[body].len() as f64 * (1.0 + coupling / (normal * tangent).sqrt());
        bound = (bound.0 + factor * normal, bound.1 + factor * tangent);
    }
    bound
}

fn contact(c: &ProblemContact, before: DVec3, own: &DMat3, bound: (f64, f64)) -> Contact {
    let (n, k) = (c.normal, &c.coefficients);
    let (k_normal, k_tangent, _) = moduli(own, n);
    let u_n = n.dot(before);
    let tangential = before - n * u_n;
    let shifted = before + n * (k.restitution * u_n.min(0.0)) + tangential * k.tangential_restitution;
    Contact {
        normal: n,
        span: if k.static_friction > 0.0 { Span::Plane } else { Span::Nothing },
        friction: k.static_friction,
        static_friction: k.static_friction,
        dynamic_friction: k.dynamic_friction,
        before,
        shifted,
        k_normal,
        k_tangent,
        bound,
    }
}
