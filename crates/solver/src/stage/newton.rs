//! Newton steps: the exact answer for small islands at rest in which sweeps are slow.
//!
//! What bends a stack of N bodies is a mode whose share in the mobility of the contacts falls with the fourth power of
//! N, and sweeps take as many passes as one over that share: a tower of thirty cubes asks for 300 000. What they leave
//! pushes it to one side, in every step. Here the equations of all bodies are solved at once, by the method of
//! multipliers (Hestenes 1969, Powell 1969; for contact with friction Alart and Curnier 1991). With the stiffness
//! `rho = STIFFNESS/k` of a contact along each of its directions, and velocities u after the impulses P,
//!
//! ```text
//! s_n = P_n - rho_n (u_n + bias),   s_t = P_t - rho_t u_t
//! P_n <- max(0, s_n),   P_t <- s_t if |s_t| <= mu_s s_n, else mu_d s_n s_t/|s_t|
//! ```
//!
//! has the stage's law as its only fixed point, whatever rho. A step takes the contacts that are closed, and those of
//! them that stick, from s, and finds the velocities for which these equations hold with u after the step: a symmetric
//! system in the velocities of the bodies, positive definite with any number of contacts too many. Forces in excess of
//! what equilibrium asks stay as they were.
//!
//! Steps may go round in circles between two sets of closed contacts. Whoever asks for them looks at what they came to
//! by a sweep, and goes on from where he was if that is worse. What closes is judged by a stiffness of `1/k`, for that
//! of the steps makes much of rounding.

use granule_model::{DMat3, DVec3, Velocity};

use super::skyline::Skyline;
use crate::contact::island::{Island, Row, SolverBody};

/// Stiffness of a contact, over the inverse of its mobility: what is left of an error after a step is `1/(STIFFNESS x)`
/// of it, where x is the mode's share in the mobilities, 1e-6 for a tower of thirty; and rounding is `STIFFNESS` times
/// that of the velocities. With 1e6 a step leaves a third of the tower's slowest mode.
const STIFFNESS: f64 = 1e8;
/// Steps at most.
const STEPS: usize = 12;
/// Largest change of an impulse, over the largest impulse, both in units of velocity, at which steps end.
const ENOUGH: f64 = 1e-10;
/// Multiplications that the factors of a step may take. A tower of thirty takes 6600.
const MOST_WORK: usize = 500_000;
/// Bodies that can move, at most: where their contacts make a net, more take too much.
const MOST_BODIES: usize = 200;

/// What a contact does to the bodies that can move.
#[derive(Clone, Copy, Debug)]
struct Arms {
    /// Place of each body in the system, if it can move.
    ends: [Option<usize>; 2],
    axes: [DVec3; 3],
    /// The velocity along each axis by the six numbers of each body.
    lines: [[[f64; 6]; 3]; 2],
}

impl Arms {
    fn of(row: &Row, place: &[Option<usize>]) -> Self {
        let t = row.normal.any_orthonormal_vector();
        let axes = [row.normal, t, row.normal.cross(t)];
        let line = |arm: DVec3, sign: f64| {
            axes.map(|axis| {
                let (p, l) = (sign * axis, sign * arm.cross(axis));
                [p.x, p.y, p.z, l.x, l.y, l.z]
            })
        };
        let ends = [row.a, row.b].map(|body| place[body as usize]);
        Arms { ends, axes, lines: [line(row.arm_a, 1.0), line(row.arm_b, -1.0)] }
    }

    /// The bodies that can move, with their lines.
    fn movable(&self) -> impl Iterator<Item = (usize, &[[f64; 6]; 3])> {
        self.ends.iter().zip(&self.lines).filter_map(|(end, lines)| Some(((*end)?, lines)))
    }

    fn along(&self, v: DVec3) -> [f64; 3] {
        self.axes.map(|axis| axis.dot(v))
    }
}

/// What a contact is taken for in a step, along its axes.
#[derive(Clone, Copy, Debug, Default)]
struct Aim {
    /// Impulse now \[N s\].
    now: [f64; 3],
    /// Impulse that it comes to if no velocity changes \[N s\].
    next: [f64; 3],
    /// How much less it comes to by a velocity of one \[kg\].
    stiffness: [f64; 3],
}

impl Aim {
    /// Of a contact with the impulse `now` and the velocity `u`.
    fn of(row: &Row, now: [f64; 3], u: [f64; 3]) -> Self {
        let closing = u[0] + row.bias;
        let (m_n, m_t) = (row.mass_normal, row.mass_tangent);
        let s = [now[0] - closing * m_n, now[1] - u[1] * m_t, now[2] - u[2] * m_t];
        // What touches and does not approach counts as closed: its impulse says whether it is.
        if s[0].is_nan() || s[0] < 0.0 {
            return Aim { now, ..Aim::default() };
        }
        let (normal, tangent) = (STIFFNESS * m_n, STIFFNESS * m_t);
        let pressed = now[0] - normal * closing;
        let length = (s[1] * s[1] + s[2] * s[2]).sqrt();
        if length <= row.static_friction * s[0] {
            let next = [pressed, now[1] - tangent * u[1], now[2] - tangent * u[2]];
            return Aim { now, next, stiffness: [normal, tangent, tangent] };
        }
        let share = row.dynamic_friction * s[0] / length;
        Aim { now, next: [pressed, s[1] * share, s[2] * share], stiffness: [normal, 0.0, 0.0] }
    }
}

/// Whether Newton steps are for the island: small, and held by something.
pub(super) fn is_small(island: &Island<'_>) -> bool {
    island.blocks.is_empty() && (1..island.bodies.len().min(MOST_BODIES + 1)).contains(&island.movable().count())
}

/// The equations of an island; the memory is kept.
#[derive(Debug, Default)]
pub(super) struct Newton {
    /// Place of each body of the island in the system.
    place: Vec<Option<usize>>,
    /// Body at each place.
    order: Vec<usize>,
    /// Bodies that can move and share a contact, both ways round, ascending.
    links: Vec<(u32, u32)>,
    arms: Vec<Arms>,
    aims: Vec<Aim>,
    /// Bodies with the velocities that the impulses make.
    bodies: Vec<SolverBody>,
    matrix: Skyline,
    right: Vec<f64>,
}

impl Newton {
    /// Brings the impulses of the rows to what the law asks of them, from the velocities `before`; those of the bodies
    /// stay as they were. False where nothing was done: where the system is too large, or contacts resist rolling or
    /// torsion.
    pub(super) fn solve(&mut self, island: &mut Island<'_>, before: &[Velocity]) -> bool {
        if island.rows.iter().any(|row| row.rolling_arm > 0.0 || row.torsional_arm > 0.0) || !self.prepare(island) {
            return false;
        }
        self.bodies.clear();
        self.bodies.extend_from_slice(island.bodies);
        for _ in 0..STEPS {
            let Some([change, size]) = self.step(island) else { break };
            let Newton { bodies, .. } = self;
            bodies.iter_mut().zip(before).for_each(|(body, velocity)| body.velocity = *velocity);
            island.rows.iter().for_each(|row| row.apply(bodies, island.tensors, row.impulse()));
            if change <= ENOUGH * size {
                break;
            }
        }
        // The last step may have left the bounds, by rounding or because there was no other after it.
        for row in island.rows.iter_mut() {
            row.normal_impulse = row.normal_impulse.max(0.0);
            row.keep_in_cone();
        }
        true
    }

    /// Lays out the system; false where it is too large.
    fn prepare(&mut self, island: &Island<'_>) -> bool {
        self.sort(island);
        let Newton { place, order, links, arms, .. } = self;
        arms.clear();
        arms.extend(island.rows.iter().map(|row| Arms::of(row, place)));
        let at = |body: usize| place[body].unwrap_or_default();
        let first = |body: usize| of_body(links, body).map(at).fold(at(body), usize::min);
        self.matrix.lay_out(order.iter().flat_map(|body| [6 * first(*body); 6]), MOST_WORK).is_some()
    }

    /// Finds an order in which bodies that touch come near each other (Cuthill and McKee 1969).
    fn sort(&mut self, island: &Island<'_>) {
        let Island { bodies, rows, .. } = island;
        let moves = |body: u32| bodies[body as usize].inverse_mass > 0.0;
        let Newton { place, order, links, .. } = self;
        links.clear();
        let both = rows.iter().filter(|row| moves(row.a) && moves(row.b));
        links.extend(both.flat_map(|row| [(row.a, row.b), (row.b, row.a)]));
        links.sort_unstable();
        links.dedup();
        place.clear();
        place.resize(bodies.len(), None);
        order.clear();
        let mut next = 0;
        // Each time the body with the fewest neighbours that is not in yet: an end of a chain.
        while let Some(start) = (0..bodies.len())
            .filter(|body| moves(*body as u32) && place[*body].is_none())
            .min_by_key(|body| of_body(links, *body).count())
        {
            place[start] = Some(order.len());
            order.push(start);
            while let Some(body) = order.get(next) {
                next += 1;
                for near in of_body(links, *body) {
                    if place[near].is_none() {
                        place[near] = Some(order.len());
                        order.push(near);
                    }
                }
            }
        }
    }

    /// One step: the rows get the new impulses. Returns the largest change of one and the largest of them, in units of
    /// velocity \[m/s\]; nothing where the system cannot be solved.
    fn step(&mut self, island: &mut Island<'_>) -> Option<[f64; 2]> {
        let Newton { arms, aims, bodies, .. } = self;
        let aim = |(row, arms): (&Row, &Arms)| {
            Aim::of(row, arms.along(row.impulse()), arms.along(row.relative_velocity(bodies) + row.drift()))
        };
        aims.clear();
        aims.extend(island.rows.iter().zip(&*arms).map(aim));
        self.fill(island)?;
        if !self.matrix.factor() {
            return None;
        }
        self.matrix.solve(&mut self.right);
        if !self.right.iter().all(|x| x.is_finite()) {
            return None;
        }
        let (mut change, mut size) = (0.0_f64, 0.0_f64);
        for ((row, arms), aim) in island.rows.iter_mut().zip(&self.arms).zip(&self.aims) {
            let mut p = DVec3::ZERO;
            for axis in 0..3 {
                let u: f64 = arms.movable().map(|(k, lines)| dot(&lines[axis], &self.right[6 * k..])).sum();
                let impulse = aim.next[axis] - aim.stiffness[axis] * u;
                let mobility = if axis == 0 { row.k_normal } else { row.k_tangent };
                change = change.max((impulse - aim.now[axis]).abs() * mobility);
                size = size.max(impulse.abs() * mobility);
                p += arms.axes[axis] * impulse;
            }
            row.normal_impulse = row.normal.dot(p);
            row.tangential_impulse = p - row.normal * row.normal_impulse;
        }
        Some([change, size])
    }

    /// Fills the system for the change of the bodies' velocities; nothing where a body cannot turn.
    fn fill(&mut self, island: &Island<'_>) -> Option<()> {
        let Newton { order, arms, aims, matrix, right, .. } = self;
        matrix.clear();
        right.clear();
        right.resize(6 * order.len(), 0.0);
        for (k, body) in order.iter().enumerate() {
            let inertia = inertia(&island.bodies[*body], &island.tensors[*body])?;
            for i in 0..3 {
                *matrix.at(6 * k + i, 6 * k + i) += 1.0 / island.bodies[*body].inverse_mass;
                (0..=i).for_each(|j| *matrix.at(6 * k + 3 + i, 6 * k + 3 + j) += inertia.col(j)[i]);
            }
        }
        for (arms, aim) in arms.iter().zip(aims) {
            for axis in 0..3 {
                let (push, stiffness) = (aim.next[axis] - aim.now[axis], aim.stiffness[axis]);
                for (k, lines) in arms.movable() {
                    (0..6).for_each(|i| right[6 * k + i] += lines[axis][i] * push);
                    if stiffness > 0.0 {
                        let other = arms.movable().filter(|(l, _)| *l <= k);
                        other.for_each(|(l, across)| add(matrix, [k, l], stiffness, [&lines[axis], &across[axis]]));
                    }
                }
            }
        }
        Some(())
    }
}

/// Adds `factor x y^T` to the block of two bodies, as far as it is on or below the diagonal.
fn add(matrix: &mut Skyline, [k, l]: [usize; 2], factor: f64, [x, y]: [&[f64; 6]; 2]) {
    for (i, x) in x.iter().enumerate() {
        let columns = if k == l { i + 1 } else { 6 };
        y[..columns].iter().enumerate().for_each(|(j, y)| *matrix.at(6 * k + i, 6 * l + j) += factor * x * y);
    }
}

/// The bodies that a body shares contacts with.
fn of_body(links: &[(u32, u32)], body: usize) -> impl Iterator<Item = usize> {
    let start = links.partition_point(|link| (link.0 as usize) < body);
    links[start..].iter().take_while(move |link| link.0 as usize == body).map(|link| link.1 as usize)
}

fn dot(line: &[f64; 6], velocity: &[f64]) -> f64 {
    line.iter().zip(velocity).map(|(x, y)| x * y).sum()
}

/// The tensor of inertia; none of a body that cannot turn about some axis.
fn inertia(body: &SolverBody, tensor: &DMat3) -> Option<DMat3> {
    let inverse = if body.is_general() { *tensor } else { DMat3::from_diagonal(DVec3::splat(body.inverse_inertia())) };
    let inertia = inverse.inverse();
    inertia.is_finite().then_some(inertia)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::sample::tower;

    /// The bodies after Newton steps, with the rows.
    fn solved((mut bodies, tensors, mut rows): (Vec<SolverBody>, Vec<DMat3>, Vec<Row>)) -> (Vec<SolverBody>, Vec<Row>) {
        let before: Vec<Velocity> = bodies.iter().map(|body| body.velocity).collect();
        let mut island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
        assert!(Newton::default().solve(&mut island, &before));
        rows.iter().for_each(|row| row.apply(&mut bodies, &tensors, row.impulse()));
        (bodies, rows)
    }

    /// Sum over the four contacts under cube k.
    fn under(rows: &[Row], k: usize, of: impl Fn(&Row) -> f64) -> f64 {
        rows[4 * k..4 * k + 4].iter().map(of).sum()
    }

    /// From no impulses at all. Measured: 4e-15 of the speed and 2e-15 of the load.
    #[test]
    fn a_tower_of_thirty_is_carried_at_once() {
        let speed = 0.1;
        let (bodies, rows) = solved(tower(30, 0.5, -speed * DVec3::Z));
        let fastest = bodies.iter().map(|body| body.velocity.linear.length()).fold(0.0, f64::max);
        assert!(fastest <= 1e-13 * speed, "{fastest:e}");
        for k in 0..30 {
            let (load, exact) = (under(&rows, k, |row| row.normal_impulse), speed * (30 - k) as f64);
            assert!((load - exact).abs() <= 1e-13 * exact, "cube {k}: {load} instead of {exact}");
        }
    }

    /// A cube that slides is held back by friction times the load, no more; one that is slow enough is stopped.
    #[test]
    fn friction_is_that_of_the_law() {
        for (slide, left) in [(0.2, 0.2 - 0.3 * 0.1), (0.02, 0.0)] {
            let (bodies, rows) = solved(tower(1, 0.3, DVec3::new(slide, 0.0, -0.1)));
            let velocity = bodies[0].velocity.linear;
            // Measured 2e-18: contacts in front bear more, and friction follows the loads from step to step.
            assert!((velocity - DVec3::X * left).length() <= 1e-12, "{slide}: {velocity}");
            let pull = under(&rows, 0, |row| row.tangential_impulse.x);
            assert!((pull - (left - slide)).abs() <= 1e-12, "{pull}");
        }
    }

    /// What is lifted is not held down, and what lies on it is not moved.
    #[test]
    fn contacts_that_open_carry_nothing() {
        let (mut bodies, tensors, rows) = tower(2, 0.5, DVec3::ZERO);
        bodies[1].velocity.linear = DVec3::Z;
        let (bodies, rows) = solved((bodies, tensors, rows));
        assert_eq!(bodies[1].velocity.linear, DVec3::Z);
        assert!(rows.iter().all(|row| row.normal_impulse == 0.0));
    }

    #[test]
    fn what_is_too_large_or_rolls_is_left_to_the_sweeps() {
        let refuses = |(mut bodies, tensors, mut rows): (Vec<SolverBody>, Vec<DMat3>, Vec<Row>)| {
            let before: Vec<Velocity> = bodies.iter().map(|body| body.velocity).collect();
            let mut island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
            !is_small(&island) || !Newton::default().solve(&mut island, &before)
        };
        assert!(!refuses(tower(30, 0.5, DVec3::ZERO)));
        assert!(refuses(tower(MOST_BODIES as u32 + 1, 0.5, DVec3::ZERO)));
        let (bodies, tensors, mut rows) = tower(2, 0.5, DVec3::ZERO);
        rows[0].rolling_arm = 0.1;
        assert!(refuses((bodies, tensors, rows)));
    }
}
