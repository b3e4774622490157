//! Normal velocities of frictionless contacts, the impulses that change them, and the operator between the two.
//!
//! A normal impulse `p_i` at contact i changes the velocities of its two bodies, and so the normal velocity of every
//! contact j that shares a body with it. With `J` the rows that turn body velocities into normal velocities,
//!
//! ```text
//! v = J q,    dq = M^-1 J^T p,    dv = H p,    H = J M^-1 J^T   (symmetric, positive semidefinite)
//! ```
//!
//! H is stored by rows of its non-zero entries, and only when somebody asks: in a pack it is most of what there is to
//! set up, and a law that works where something approaches needs a small part of it. Velocities of bodies are the
//! truth, normal velocities are always read off them: a sum over many rounds would collect rounding that a light body
//! between heavy ones makes large.
//!
//! **Energy where bodies are driven.** A floor that moves does work, and kinetic energy may then rise although every
//! contact takes some. What a law must not raise is the energy net of that work, which in any frame and with w the
//! velocity of A against B that driven bodies alone would have is
//!
//! ```text
//! T + sum p.w  =  T_0 + sum p.(u- + u+)/2,     convex in the impulses p and least at the plastic end.
//! ```
//!
//! Bounded by T itself a layer of grains lost all restitution at a floor that came up against it.

use std::cell::OnceCell;

use granule_model::{DMat3, DVec3, Velocity};

use crate::contact::problem::{ContactProblem, ContactState, Note, Resolution, Solution};

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
        let velocities = self.velocities.iter().zip(&other.velocities).map(|(x, y)| *x * (1.0 - share) + *y * share);
        let impulses = self.impulses.iter().zip(&other.impulses).map(|(x, y)| *x * (1.0 - share) + *y * share);
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
    touching: OnceCell<Touching>,
    coupling: OnceCell<Coupling>,
    inertia: Vec<DMat3>,
    /// What driven bodies alone do to the velocity of A against B \[m/s\], by contact, where that is not zero.
    driven: Vec<(usize, DVec3)>,
    /// Where the bodies are now.
    pub(crate) state: State,
}

impl<'p> NormalSystem<'p> {
    pub(crate) fn new(problem: &'p ContactProblem) -> Self {
        Self::with_tangents(problem, &[])
    }

    /// With rows for these tangents of contacts after those of the normals.
    pub(crate) fn with_tangents(problem: &'p ContactProblem, tangents: &[(usize, DVec3)]) -> Self {
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
            touching: OnceCell::new(),
            coupling: OnceCell::new(),
            inertia: inertia.collect(),
            driven: driven(problem),
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
        let all = || {
            let rows: Vec<usize> = (0..self.rows()).collect();
            self.couplings(&rows, &rows)
        };
        self.coupling.get_or_init(all).row(i)
    }

    /// The part of H that couples the rows of `set` with each other, numbered by their place in the set, which rises.
    /// `places` holds that of every row of the system, [`ELSEWHERE`] for the others.
    pub(crate) fn couplings(&self, set: &[usize], places: &[usize]) -> Coupling {
        let mut coupling = Coupling { starts: vec![0], others: Vec::new() };
        for &i in set {
            let begin = coupling.others.len();
            for s in &self.sides[i] {
                // The same product for (i, j) and (j, i): what one row adds the other must be able to take away
                // exactly.
                for (j, side) in self.touching().of(s.body).iter().map(|t| (t.row as usize, usize::from(t.side))) {
                    if j != i && places[j] != ELSEWHERE {
                        let other = &self.sides[j][side];
                        let h = if i < j { s.couple(other) } else { other.couple(s) };
                        coupling.others.push((places[j], h));
                    }
                }
            }
            coupling.end_row(begin);
        }
        coupling
    }

    /// Rows that share a body of finite mass with row `i`, itself among them, in no order and some of them twice.
    pub(crate) fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let of = |s: &Side| self.touching().of(s.body).iter().map(|t| t.row as usize);
        self.sides[i].iter().flat_map(of)
    }

    fn touching(&self) -> &Touching {
        self.touching.get_or_init(|| Touching::new(self.problem, &self.sides))
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

    /// Kinetic energy in a state net of what driven bodies did on the way to it \[J\]; see the head of the module.
    pub(crate) fn energy(&self, state: &State) -> f64 {
        self.kinetic(state) + self.driven.iter().map(|(i, w)| state.impulses[*i].dot(*w)).sum::<f64>()
    }

    /// Kinetic energy of the bodies of finite mass in a state \[J\].
    fn kinetic(&self, state: &State) -> f64 {
        let one = |(i, b): (usize, &crate::contact::problem::ProblemBody)| {
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
        self.kinetic(&State { velocities, impulses: Vec::new() })
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
            energy_after: self.kinetic(&self.state),
            notes,
        };
        self.state.velocities.pop();
        let mut solution =
            Solution::from_impulses(self.problem, self.state.impulses, self.state.velocities, resolution);
        if !report.knows_friction || solution.resolution.notes.contains(&Note::FrictionUnsolved) {
            // Friction that is left out holds nothing.
            let held = solution.states.iter_mut().filter(|state| **state == ContactState::Stick);
            held.for_each(|state| *state = ContactState::Slip);
        }
        solution
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
pub(crate) fn ignored(problem: &ContactProblem, knows_friction: bool) -> Vec<Note> {
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

/// What bodies that no impulse moves do to the velocity of A against B, by contact.
fn driven(problem: &ContactProblem) -> Vec<(usize, DVec3)> {
    let of = |body: Option<u32>, point: DVec3| {
        let body = body.map(|k| &problem.bodies[k as usize]).filter(|b| b.inverse_mass == 0.0);
        body.map_or(DVec3::ZERO, |b| b.velocity.at(point - b.position))
    };
    let contacts = problem.contacts.iter().enumerate();
    let all = contacts.map(|(i, c)| (i, of(Some(c.a), c.point) - of(c.b, c.point)));
    all.filter(|(_, w)| *w != DVec3::ZERO).collect()
}

/// Marks a row that is not in a set.
pub(crate) const ELSEWHERE: usize = usize::MAX;

/// Rows of a part of H without the diagonal.
pub(crate) struct Coupling {
    starts: Vec<usize>,
    others: Vec<(usize, f64)>,
}

impl Coupling {
    /// The entries of row `i` of the set, in rising order.
    pub(crate) fn row(&self, i: usize) -> &[(usize, f64)] {
        &self.others[self.starts[i]..self.starts[i + 1]]
    }

    /// Ends the row whose entries stand from `begin` on: rows that share both bodies come twice.
    fn end_row(&mut self, begin: usize) {
        let others = &mut self.others;
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
        self.starts.push(others.len());
    }
}

/// A row that pushes a body, and which of the row's two sides does.
#[derive(Clone, Copy, Default)]
struct Touch {
    row: u32,
    side: u8,
}

/// The rows of each body of finite mass, in rising order.
struct Touching {
    starts: Vec<usize>,
    touches: Vec<Touch>,
}

impl Touching {
    fn new(problem: &ContactProblem, sides: &[[Side; 2]]) -> Self {
        let moves = |body: usize| problem.bodies.get(body).is_some_and(|b| b.inverse_mass > 0.0);
        let all = || {
            let of_row = |(i, pair): (usize, &[Side; 2])| [(i, 0, pair[0].body), (i, 1, pair[1].body)];
            sides.iter().enumerate().flat_map(of_row).filter(|(_, _, body)| moves(*body))
        };
        let mut starts = vec![0; problem.bodies.len() + 2];
        all().for_each(|(_, _, body)| starts[body + 1] += 1);
        for body in 1..starts.len() {
            starts[body] += starts[body - 1];
        }
        let mut next = starts.clone();
        let mut touches = vec![Touch::default(); starts[starts.len() - 1]];
        for (row, side, body) in all() {
            touches[next[body]] = Touch { row: row as u32, side };
            next[body] += 1;
        }
        Touching { starts, touches }
    }

    fn of(&self, body: usize) -> &[Touch] {
        &self.touches[self.starts[body]..self.starts[body + 1]]
    }
}
