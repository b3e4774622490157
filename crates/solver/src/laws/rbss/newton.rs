//! Newton's method on the natural map (Alart and Curnier 1991), all contacts at once.
//!
//! A step sees each contact in one branch and removes what the branch fixes, so that few unknowns are left:
//!
//! ```text
//! open    p + dp = 0                                                   no unknown
//! stick   n.w + n.G dp = 0,  s + (G dp)_t = 0                          normal and tangential impulse
//! slip    n.w + n.G dp = 0,  d.(p_t + dp_t) = mu n.(p + dp),           normal impulse and, where friction has
//!         b e.(s + G dp) + (1 - b) k_t e.(p_t + dp_t) = 0              the whole plane, the component along e
//! ```
//!
//! `d` is the trial's direction, `e = n x d`, `b` the disk's radius over the trial's length; as `e` is normal to the
//! trial, `e.s = k_t e.p_t`, and the constants of the last equation add up to `k_t e.p_t`. Rows and unknowns are scaled
//! by `sqrt(k)`.

use granule_model::DVec3;

use super::conditions::{Branch, branch, merit};
use super::linear;
use super::system::{Contact, Span, System};

/// One unknown and its equation.
struct Unknown {
    contact: u32,
    /// Impulse that a unit of the unknown makes.
    column: DVec3,
    /// Direction along which the equation reads `G dp`.
    row: DVec3,
    /// What stands on the diagonal beside `row.G column`.
    stiffness: f64,
    /// Right-hand side.
    right: f64,
}

/// Steps are halved down to this share.
const SHORTEST: f64 = 1.0 / 64.0;

/// A step must beat the worst merit of so many before it: semismooth steps may rise once and still be right.
const MEMORY: usize = 5;

/// Makes up to `steps` steps from `impulses` and leaves the best found; ends early at the merit `target` or where no
/// step helps. Returns the steps made.
pub(super) fn run(system: &System, impulses: &mut Vec<DVec3>, steps: u32, target: f64) -> u32 {
    let mut made = 0;
    let mut velocities = Vec::with_capacity(system.len());
    system.shifted_velocities(impulses, &mut velocities);
    let mut current = impulses.clone();
    let mut best = merit(system, impulses, &velocities);
    let mut past = vec![best];
    while made < steps && best > target {
        made += 1;
        let step = newton_step(system, &current, &velocities);
        let allowed = past.iter().rev().take(MEMORY).fold(0.0, |worst: f64, m| worst.max(*m));
        let Some(reached) = search(system, &mut current, &step, allowed, &mut velocities) else { break };
        past.push(reached);
        if reached < best {
            best = reached;
            impulses.clone_from(&current);
        }
        // Rounding is reached: nothing better in the last steps.
        if past.len() > MEMORY && past[past.len() - MEMORY..].iter().all(|m| *m > 0.25 * past[past.len() - MEMORY - 1])
        {
            break;
        }
    }
    made
}

/// Whether the equations of a Newton step at `impulses` have no full rank.
pub(super) fn is_singular(system: &System, impulses: &[DVec3]) -> bool {
    let mut velocities = Vec::new();
    system.shifted_velocities(impulses, &mut velocities);
    let equations = Equations::new(system, impulses, &velocities);
    !linear::has_full_rank(&equations.matrix(system), equations.unknowns.len())
}

/// Goes along `step` by the longest of 1, 1/2, 1/4 ... that stays below the merit `allowed`, by the best one otherwise.
fn search(
    system: &System,
    current: &mut Vec<DVec3>,
    step: &[DVec3],
    allowed: f64,
    velocities: &mut Vec<DVec3>,
) -> Option<f64> {
    let (mut best, mut best_share) = (f64::INFINITY, 0.0);
    let moved = |share: f64| -> Vec<DVec3> { current.iter().zip(step).map(|(p, d)| *p + *d * share).collect() };
    let mut share = 1.0;
    while share >= SHORTEST {
        let trial = moved(share);
        system.shifted_velocities(&trial, velocities);
        let reached = merit(system, &trial, velocities);
        if reached < best {
            (best, best_share) = (reached, share);
        }
        if reached <= (1.0 - 1e-4 * share) * allowed {
            break;
        }
        share *= 0.5;
    }
    // No finite merit at all: the step is of no use.
    if best == f64::INFINITY {
        return None;
    }
    let trial = moved(best_share);
    system.shifted_velocities(&trial, velocities);
    *current = trial;
    Some(best)
}

/// The equations of a step: unknowns in the order of their contacts, and what of the step no unknown decides.
struct Equations {
    unknowns: Vec<Unknown>,
    /// Index of each contact's first unknown, and the number of all at the end.
    first: Vec<usize>,
    fixed: Vec<DVec3>,
}

/// The Newton step at `impulses`.
fn newton_step(system: &System, impulses: &[DVec3], velocities: &[DVec3]) -> Vec<DVec3> {
    let equations = Equations::new(system, impulses, velocities);
    let mut x = equations.right(system);
    linear::solve(&equations.matrix(system), &mut x);
    let mut step = equations.fixed;
    for (unknown, x) in equations.unknowns.iter().zip(&x) {
        step[unknown.contact as usize] += unknown.column * *x;
    }
    step
}

/// Returns the part of a contact's step that no unknown decides, and adds its unknowns.
fn fixed_part(c: &Contact, contact: u32, p: DVec3, w: DVec3, unknowns: &mut Vec<Unknown>) -> DVec3 {
    let (normal_scale, tangent_scale) = (c.k_normal.sqrt().recip(), c.k_tangent.sqrt().recip());
    let n = c.normal;
    let mut add = |column: DVec3, row: DVec3, stiffness, right| {
        unknowns.push(Unknown { contact, column, row, stiffness, right });
    };
    let normal_row = n * normal_scale;
    match branch(c, p, w) {
        Branch::Open => -p,
        Branch::Stick => {
            add(normal_row, normal_row, 0.0, -normal_row.dot(w));
            let mut stick = |t: DVec3| add(t * tangent_scale, t * tangent_scale, 0.0, -tangent_scale * t.dot(w));
            match c.span {
                Span::Line(line) if c.friction > 0.0 => stick(line),
                Span::Plane if c.friction > 0.0 => {
                    let t = n.any_orthonormal_vector();
                    stick(t);
                    stick(n.cross(t));
                }
                _ => return -c.tangential(p),
            }
            DVec3::ZERO
        }
        Branch::Slip { direction, share } => {
            add((n + direction * c.friction) * normal_scale, normal_row, 0.0, -normal_row.dot(w));
            if c.span == Span::Plane {
                let across = n.cross(direction) * tangent_scale;
                add(across, across * share, 1.0 - share, -n.cross(direction).dot(p) / tangent_scale);
            }
            direction * (c.friction * n.dot(p) - direction.dot(p))
        }
    }
}

impl Equations {
    fn new(system: &System, impulses: &[DVec3], velocities: &[DVec3]) -> Self {
        let mut unknowns = Vec::with_capacity(2 * system.len());
        let mut first = Vec::with_capacity(system.len() + 1);
        let mut fixed = Vec::with_capacity(system.len());
        for (i, c) in system.contacts.iter().enumerate() {
            first.push(unknowns.len());
            fixed.push(fixed_part(c, i as u32, impulses[i], velocities[i], &mut unknowns));
        }
        first.push(unknowns.len());
        Equations { unknowns, first, fixed }
    }

    /// The matrix, row-major.
    fn matrix(&self, system: &System) -> Vec<f64> {
        let n = self.unknowns.len();
        let mut matrix = vec![0.0; n * n];
        for (i, unknown) in self.unknowns.iter().enumerate() {
            for (neighbour, block) in system.neighbours(unknown.contact as usize) {
                let row = block.transpose() * unknown.row;
                for j in self.first[*neighbour as usize]..self.first[*neighbour as usize + 1] {
                    matrix[i * n + j] = row.dot(self.unknowns[j].column);
                }
            }
            matrix[i * n + i] += unknown.stiffness;
        }
        matrix
    }

    /// The right-hand side, which takes over what the fixed parts do.
    fn right(&self, system: &System) -> Vec<f64> {
        let taken = |u: &Unknown| -> f64 {
            let blocks = system.neighbours(u.contact as usize).iter();
            blocks.map(|(j, block)| u.row.dot(*block * self.fixed[*j as usize])).sum()
        };
        self.unknowns.iter().map(|u| u.right - taken(u)).collect()
    }
}
