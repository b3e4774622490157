//! Normal velocities of frictionless contacts, the impulses that change them, and the operator between the two.
//!
//! A normal impulse `p_i` at contact i changes the velocities of its two bodies, and so the normal velocity of every contact j
//! that shares a body with it. With `J` the rows that turn body velocities into normal velocities,
//!
//! ```text
//! v = J q,    dq = M^-1 J^T p,    dv = H p,    H = J M^-1 J^T   (symmetric, positive semidefinite)
//! ```
//!
//! H is stored by rows of its non-zero entries. Velocities of bodies are the truth, normal velocities are always read off them:
//! a sum over many rounds would collect rounding that a light body between heavy ones makes large.

use granule_model::{DMat3, DVec3, Velocity};

use crate::problem::{ContactProblem, Note, Resolution, Solution};

/// What one contact does to one of its bodies.
#[derive(Clone, Copy)]
struct Side {
    /// Body; the last one is the world.
    body: usize,
    /// Row of J: factors of the body's velocity.
    linear: DVec3,
    /// Row of J: factors of the body's angular velocity \[m\].
    angular: DVec3,
    /// Change of velocity by a unit impulse \[1/kg\].
    push: DVec3,
    /// Change of angular velocity by a unit impulse \[1/(kg m)\].
    spin: DVec3,
}

impl Side {
    fn couple(&self, other: &Side) -> f64 {
        self.linear.dot(other.push) + self.angular.dot(other.spin)
    }
}

/// Velocities of the bodies (the world last) and the normal impulses that led to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Velocity of each body.
    pub(crate) velocities: Vec<Velocity>,
    /// Total impulse on A by contact \[N s\]: normal, and tangential for the laws that know friction.
    pub(crate) impulses: Vec<DVec3>,
}

impl State {
    /// `(1 - share) self + share other`.
    pub(crate) fn blend(&self, other: &State, share: f64) -> State {
        let mix = |x: DVec3, y: DVec3| x * (1.0 - share) + y * share;
        let velocities = self
            .velocities
            .iter()
            .zip(&other.velocities)
            .map(|(x, y)| Velocity { linear: mix(x.linear, y.linear), angular: mix(x.angular, y.angular) });
        let impulses = self.impulses.iter().zip(&other.impulses).map(|(x, y)| mix(*x, *y));
        State { velocities: velocities.collect(), impulses: impulses.collect() }
    }
}

/// The contacts of a problem as rows of J and H, and the state they are in.
pub(crate) struct NormalSystem<'p> {
    problem: &'p ContactProblem,
    /// Contact and direction of each row: the normals of all contacts, then tangents where a law asks for them.
    directions: Vec<(usize, DVec3)>,
    sides: Vec<[Side; 2]>,
    /// `H_ii` \[1/kg\].
    pub(crate) diagonal: Vec<f64>,
    starts: Vec<usize>,
    others: Vec<(usize, f64)>,
    inertia: Vec<DMat3>,
    /// Where the bodies are now.
    pub(crate) state: State,
}

impl<'p> NormalSystem<'p> {
    pub(crate) fn new(problem: &'p ContactProblem) -> Self {
        Self::with_tangents(problem, &[])
    }

    /// With rows for these tangents of contacts after those of the normals.
    pub(crate) fn with_tangents(problem: &'p ContactProblem, tangents: &[(usize, DVec3)]) -> Self {
        let mut system = Self::without_coupling(problem, tangents);
        (system.starts, system.others) = rows(problem, &system.sides, problem.bodies.len());
        system
    }

    /// The same for those who never ask for [`NormalSystem::row`]: in a pack the coupling is most of what there is to set up.
    pub(crate) fn without_coupling(problem: &'p ContactProblem, tangents: &[(usize, DVec3)]) -> Self {
        let normals = problem.contacts.iter().enumerate().map(|(i, c)| (i, c.normal));
        let directions: Vec<(usize, DVec3)> = normals.chain(tangents.iter().copied()).collect();
        let sides: Vec<[Side; 2]> = directions.iter().map(|(i, d)| sides(problem, *i, *d)).collect();
        let mut velocities: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
        velocities.push(Velocity::ZERO);
        let inertia =
            problem.bodies.iter().map(|b| if b.inverse_mass > 0.0 { b.inverse_inertia.inverse() } else { DMat3::ZERO });
        let diagonal = sides.iter().map(|s| s[0].couple(&s[0]) + s[1].couple(&s[1])).collect();
        NormalSystem {
            problem,
            directions,
            diagonal,
            starts: Vec::new(),
            others: Vec::new(),
            inertia: inertia.collect(),
            state: State { velocities, impulses: vec![DVec3::ZERO; problem.contacts.len()] },
            sides,
        }
    }

    pub(crate) fn problem(&self) -> &'p ContactProblem {
        self.problem
    }

    /// Number of contacts, which is the number of normals.
    pub(crate) fn len(&self) -> usize {
        self.problem.contacts.len()
    }

    /// Rows that share a body of finite mass with row `i`, in rising order, with their entry of H \[1/kg\].
    pub(crate) fn row(&self, i: usize) -> &[(usize, f64)] {
        &self.others[self.starts[i]..self.starts[i + 1]]
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.sides.len()
    }

    /// Velocity along row `i` \[m/s\]; along a normal negative while approaching.
    pub(crate) fn speed(&self, i: usize) -> f64 {
        let part = |s: &Side| {
            let v = &self.state.velocities[s.body];
            s.linear.dot(v.linear) + s.angular.dot(v.angular)
        };
        let [a, b] = &self.sides[i];
        part(a) + part(b)
    }

    pub(crate) fn speeds(&self) -> Vec<f64> {
        (0..self.len()).map(|i| self.speed(i)).collect()
    }

    /// Largest approach speed \[m/s\]; zero when nothing approaches.
    pub(crate) fn approach(&self) -> f64 {
        (0..self.len()).map(|i| -self.speed(i)).fold(0.0, f64::max)
    }

    /// Velocity of A against B at contact `i` \[m/s\].
    pub(crate) fn relative_velocity(&self, i: usize) -> DVec3 {
        self.problem.relative_velocity(&self.problem.contacts[i], &self.state.velocities)
    }

    /// Applies the impulse `p` \[N s\] along row `i`.
    pub(crate) fn apply(&mut self, i: usize, p: f64) {
        for s in self.sides[i] {
            let v = &mut self.state.velocities[s.body];
            v.linear += s.push * p;
            v.angular += s.spin * p;
        }
        let (contact, direction) = self.directions[i];
        self.state.impulses[contact] += direction * p;
    }

    /// Kinetic energy of the bodies of finite mass in a state \[J\].
    pub(crate) fn energy(&self, state: &State) -> f64 {
        let one = |(i, b): (usize, &crate::ProblemBody)| {
            let v = &state.velocities[i];
            if b.inverse_mass == 0.0 {
                return 0.0;
            }
            0.5 * (v.linear.length_squared() / b.inverse_mass + v.angular.dot(self.inertia[i] * v.angular))
        };
        self.problem.bodies.iter().enumerate().map(one).sum()
    }

    /// Restitution of contact `i`.
    pub(crate) fn restitution(&self, i: usize) -> f64 {
        self.problem.contacts[i].coefficients.restitution
    }

    /// The restitution that all contacts have, if they have the same.
    pub(crate) fn common_restitution(&self) -> Option<f64> {
        let first = self.problem.contacts.first()?.coefficients.restitution;
        (0..self.len()).all(|i| self.restitution(i) == first).then_some(first)
    }

    /// Kinetic energy at the velocities that the problem states \[J\].
    pub(crate) fn energy_before(&self) -> f64 {
        let velocities = self.problem.bodies.iter().map(|b| b.velocity).collect();
        self.energy(&State { velocities, impulses: Vec::new() })
    }

    /// The answer that the present state is; what it leaves approaching is measured here.
    pub(crate) fn solution(mut self, report: Report) -> Solution {
        let mut notes = ignored(self.problem, report.knows_friction);
        notes.extend(report.notes);
        let resolution = Resolution {
            iterations: report.iterations,
            rounds: report.rounds,
            residual: self.approach(),
            converged: report.converged,
            energy_before: self.energy_before(),
            energy_after: self.energy(&self.state),
            notes,
        };
        self.state.velocities.pop();
        Solution::from_impulses(self.problem, self.state.impulses, self.state.velocities, resolution)
    }
}

/// How a law ended, apart from what the state itself tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) iterations: u64,
    pub(crate) rounds: u32,
    pub(crate) converged: bool,
    pub(crate) knows_friction: bool,
    pub(crate) notes: Vec<Note>,
}

/// What contacts have that the law does not know.
fn ignored(problem: &ContactProblem, knows_friction: bool) -> Vec<Note> {
    let any = |f: fn(&granule_model::Coefficients) -> bool| problem.contacts.iter().any(|c| f(&c.coefficients));
    let friction = !knows_friction && any(|k| k.static_friction > 0.0);
    let notes = [
        (friction, Note::FrictionIgnored),
        (any(|k| k.tangential_restitution > 0.0), Note::TangentialRestitutionIgnored),
    ];
    notes.into_iter().filter_map(|(is, note)| is.then_some(note)).collect()
}

fn sides(problem: &ContactProblem, contact: usize, direction: DVec3) -> [Side; 2] {
    let c = &problem.contacts[contact];
    let side = |body: Option<u32>, n: DVec3| {
        let Some(k) = body else {
            let zero = DVec3::ZERO;
            return Side { body: problem.bodies.len(), linear: zero, angular: zero, push: zero, spin: zero };
        };
        let b = &problem.bodies[k as usize];
        let angular = (c.point - b.position).cross(n);
        Side { body: k as usize, linear: n, angular, push: n * b.inverse_mass, spin: b.inverse_inertia * angular }
    };
    [side(Some(c.a), direction), side(c.b, -direction)]
}

/// Rows of H without the diagonal: where each begins, and all entries one after the other.
fn rows(problem: &ContactProblem, sides: &[[Side; 2]], world: usize) -> (Vec<usize>, Vec<(usize, f64)>) {
    let mut touching: Vec<Vec<(usize, Side)>> = vec![Vec::new(); world + 1];
    let moves = |body: usize| body < world && problem.bodies[body].inverse_mass > 0.0;
    for (i, pair) in sides.iter().enumerate() {
        for s in pair {
            if moves(s.body) {
                touching[s.body].push((i, *s));
            }
        }
    }
    let (mut starts, mut others) = (vec![0], Vec::new());
    for (i, pair) in sides.iter().enumerate() {
        let begin = others.len();
        for s in pair {
            // The same product for (i, j) and (j, i): what one contact adds the other must be able to take away exactly.
            let couple = |j: usize, other: &Side| if i < j { s.couple(other) } else { other.couple(s) };
            let near = touching[s.body].iter().filter(|(j, _)| *j != i);
            others.extend(near.map(|(j, other)| (*j, couple(*j, other))));
        }
        // Contacts that share both bodies come twice.
        others[begin..].sort_by_key(|(j, _): &(usize, f64)| *j);
        let mut last = begin;
        for k in begin + 1..others.len() {
            if others[k].0 == others[last].0 {
                others[last].1 += others[k].1;
            } else {
                last += 1;
                others[last] = others[k];
            }
        }
        others.truncate(if begin < others.len() { last + 1 } else { begin });
        starts.push(others.len());
    }
    (starts, others)
}
