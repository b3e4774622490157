//! One contact alone, as a time step asks for it: most clusters of a shaken or flowing pack are two grains that meet.
//!
//! The elastic outcome of one contact is known, `v_c = -v`, so that (1) asks for the velocity `-e v`, and with the
//! collision matrix K along normal and tangents (1) and (2) are three numbers, each within its bounds. For spheres K is
//! diagonal and one turn of Gauss-Seidel solves them. What many contacts need, the matrix H, heaps and packs, costs
//! some 10 us for one.

use granule_model::{DMat3, DVec3, Velocity};

use super::friction::axes;
use crate::contact::problem::{ContactProblem, ProblemBody, ProblemContact, Resolution, Solution};
use crate::laws::normal::problem::ignored;

/// Turns before the contact is left to the way of many.
const MOST_TURNS: u64 = 100;
/// Change of a velocity in a turn that counts as converged, over the approach speed that may stay.
const TOLERANCE: f64 = 1e-3;

/// The two bodies as they meet.
struct Meeting<'p> {
    contact: &'p ProblemContact,
    a: &'p ProblemBody,
    b: Option<&'p ProblemBody>,
}

/// The answer within `left` \[m/s\]; none where it was not found, or would make energy: that is bounded by the way of
/// many contacts.
pub(super) fn solve(problem: &ContactProblem, contact: &ProblemContact, left: f64) -> Option<Solution> {
    let body = |i: u32| &problem.bodies[i as usize];
    let meeting = Meeting { contact, a: body(contact.a), b: contact.b.map(body) };
    let u = meeting.velocity(meeting.a.velocity, meeting.b.map(|b| b.velocity));
    let (p, turns) = meeting.impulse(u, left)?;
    let before: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
    let mut velocities = before.clone();
    velocities[contact.a as usize] = meeting.after(meeting.a, p);
    if let Some(i) = contact.b {
        velocities[i as usize] = meeting.after(body(i), -p);
    }
    let after = problem.relative_velocity(contact, &velocities);
    if p.dot(u + after) > 0.0 {
        return None;
    }
    let energy = |velocities: &[Velocity]| -> f64 {
        problem.bodies.iter().zip(velocities).map(|(b, v)| kinetic_energy(b, v)).sum()
    };
    let resolution = Resolution {
        iterations: turns,
        rounds: 1,
        residual: (-contact.normal.dot(after)).max(0.0),
        converged: true,
        energy_before: energy(&before),
        energy_after: energy(&velocities),
        notes: ignored(problem, true),
    };
    Some(Solution::from_impulses(problem, vec![p], velocities, resolution))
}

/// Kinetic energy \[J\]; none without finite mass.
fn kinetic_energy(body: &ProblemBody, v: &Velocity) -> f64 {
    if body.inverse_mass == 0.0 {
        return 0.0;
    }
    let momentum = body.inverse_inertia.inverse() * v.angular;
    0.5 * (v.linear.length_squared() / body.inverse_mass + v.angular.dot(momentum))
}

impl Meeting<'_> {
    fn arm(&self, body: &ProblemBody) -> DVec3 {
        self.contact.point - body.position
    }

    /// Velocity of A against B.
    fn velocity(&self, a: Velocity, b: Option<Velocity>) -> DVec3 {
        let of_b = b.zip(self.b).map_or(DVec3::ZERO, |(v, b)| v.at(self.arm(b)));
        a.at(self.arm(self.a)) - of_b
    }

    /// Velocity of a body after the impulse `p` on it.
    fn after(&self, body: &ProblemBody, p: DVec3) -> Velocity {
        Velocity {
            linear: body.velocity.linear + p * body.inverse_mass,
            angular: body.velocity.angular + body.inverse_inertia * self.arm(body).cross(p),
        }
    }

    /// What the impulse `p` does to the velocity of A against B.
    fn mobility(&self, p: DVec3) -> DVec3 {
        let of = |body: &ProblemBody| {
            let arm = self.arm(body);
            p * body.inverse_mass + (body.inverse_inertia * arm.cross(p)).cross(arm)
        };
        of(self.a) + self.b.map_or(DVec3::ZERO, of)
    }

    /// The impulse on A that meets (1) and (2), and the turns that it took.
    fn impulse(&self, u: DVec3, left: f64) -> Option<(DVec3, u64)> {
        let (n, k) = (self.contact.normal, &self.contact.coefficients);
        let [first, second] = axes(n, u, u.length());
        let frame = DMat3::from_cols(n, first, second);
        let columns = [n, first, second].map(|axis| frame.transpose() * self.mobility(axis));
        let matrix = DMat3::from_cols(columns[0], columns[1], columns[2]).transpose();
        let rows = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let start = frame.transpose() * u;
        let wanted = DVec3::new(k.restitution * (-start.x).max(0.0), 0.0, 0.0);
        let mut x = [0.0; 3];
        for turn in 1..=MOST_TURNS {
            let mut change = 0.0f64;
            for i in 0..3 {
                let speed = start[i] + rows[i].dot(DVec3::from_array(x)) - wanted[i];
                let most = if i == 0 { f64::INFINITY } else { k.dynamic_friction * x[0] };
                let least = if i == 0 { 0.0 } else { -most };
                let next = (x[i] - speed / rows[i][i]).clamp(least, most);
                change = change.max((next - x[i]).abs() * rows[i][i]);
                x[i] = next;
            }
            // The first turn is the whole of it where nothing couples.
            if change <= TOLERANCE * left || (turn == 1 && is_diagonal(&rows)) {
                return Some((frame * DVec3::from_array(x), turn));
            }
        }
        None
    }
}

/// Entry beside the diagonal that is rounding, over the largest of the diagonal.
const ROUNDING: f64 = 1e-14;

fn is_diagonal(rows: &[DVec3; 3]) -> bool {
    let largest = rows[0].x.max(rows[1].y).max(rows[2].z);
    let beside = [rows[0].y, rows[0].z, rows[1].z];
    beside.iter().all(|h| h.abs() <= ROUNDING * largest)
}
