//! A contact problem as plain data, and what a law answers.
//!
//! The data can be written to a file and read back, so that a hard problem met in a run can be kept as a test. World
//! frame, SI units; bodies are named by index, and body B of a contact may be none: the immovable world.

use granule_model::{Coefficients, DMat3, DVec3, InverseInertia, Velocity};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::contact::island::{Island, Row, RowInput, SolverBody};

/// A body of a contact problem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemBody {
    /// 1/m \[1/kg\]; zero for a body that no impulse moves.
    pub inverse_mass: f64,
    /// Inverse inertia about the centre of mass, world axes \[1/(kg m2)\].
    pub inverse_inertia: DMat3,
    /// Centre of mass \[m\].
    pub position: DVec3,
    /// Velocity before.
    pub velocity: Velocity,
}

/// A contact of a contact problem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemContact {
    /// Body A.
    pub a: u32,
    /// Body B; none for the world.
    pub b: Option<u32>,
    /// Contact point \[m\].
    pub point: DVec3,
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Coefficients.
    pub coefficients: Coefficients,
}

/// Bodies and contacts that touch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactProblem {
    /// Bodies.
    pub bodies: Vec<ProblemBody>,
    /// Contacts.
    pub contacts: Vec<ProblemContact>,
}

/// A contact problem or a parameter that no law can work with.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProblemError {
    /// There is no body at all: an empty island.
    #[error("the problem has no bodies")]
    NoBodies,
    /// A contact names a body that is not there.
    #[error("contact {contact} names body {body}, but there are {bodies} bodies")]
    NoSuchBody {
        /// Contact.
        contact: usize,
        /// Body it names.
        body: u32,
        /// Number of bodies.
        bodies: usize,
    },
    /// A contact between two bodies that cannot move, or of a body with itself.
    #[error("contact {contact}: {reason}")]
    BadContact {
        /// Contact.
        contact: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A body with a value that is not finite or negative where it must not be.
    #[error("body {body}: {reason}")]
    BadBody {
        /// Body.
        body: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A parameter of a law out of range.
    #[error("{name} is {value}, but must be {expected}")]
    Parameter {
        /// Name, as in scene files.
        name: &'static str,
        /// Value given.
        value: f64,
        /// Range.
        expected: &'static str,
    },
}

/// What a law has to say beside its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// The law knows no friction and some contact has it.
    FrictionIgnored,
    /// The law knows no tangential restitution and some contact has it.
    TangentialRestitutionIgnored,
    /// The law did not solve for friction; the answer is the one without.
    FrictionUnsolved,
    /// The law was ended by a last round with e = 0.
    ForcedEnd,
    /// The equations were singular; the answer is the one of least impulses.
    Singular,
    /// Some contact's answer pulls: the law's equations hold, Signorini's condition does not.
    Pulls,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Note::FrictionIgnored => "the law knows no friction: that of the contacts was ignored",
            Note::TangentialRestitutionIgnored => {
                "the law knows no tangential restitution: that of the contacts was ignored"
            }
            Note::FrictionUnsolved => "the law did not solve for friction: the answer is the one without it",
            Note::ForcedEnd => "the law was ended by a last round without restitution",
            Note::Singular => "the equations are singular: of all answers that of least impulses was taken",
            Note::Pulls => "some normal impulse pulls",
        })
    }
}

/// Momentum \[N s\] and angular momentum \[N m s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momenta {
    /// Momentum.
    pub linear: DVec3,
    /// Angular momentum about the origin.
    pub angular: DVec3,
}

/// What a contact does in the answer of a law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContactState {
    /// No impulse.
    #[default]
    Open,
    /// An impulse inside the friction cone.
    Stick,
    /// An impulse on the friction cone, or of a contact without friction.
    Slip,
}

impl std::fmt::Display for ContactState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ContactState::Open => "open",
            ContactState::Stick => "stick",
            ContactState::Slip => "slip",
        })
    }
}

/// How a resolution ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resolution {
    /// Impulses applied, or steps of the law's innermost loop.
    pub iterations: u64,
    /// Rounds, for laws that have them.
    pub rounds: u32,
    /// Largest approach speed left \[m/s\].
    pub residual: f64,
    /// Whether the law ended by itself.
    pub converged: bool,
    /// Kinetic energy before \[J\].
    pub energy_before: f64,
    /// Kinetic energy after \[J\].
    pub energy_after: f64,
    /// What else there is to say.
    pub notes: Vec<Note>,
}

/// Impulses and velocities after a resolution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// Impulse on A by contact \[N s\].
    pub impulses: Vec<DVec3>,
    /// Velocity of each body.
    pub velocities: Vec<Velocity>,
    /// What each contact does.
    pub states: Vec<ContactState>,
    /// Kinetic energy that each contact took, `-p.(u- + u+)/2` \[J\]; the sum over contacts is the whole loss.
    pub work_taken: Vec<f64>,
    /// How it ended.
    pub resolution: Resolution,
}

/// Share of the friction bound below which a tangential impulse counts as inside the cone.
const INSIDE: f64 = 1.0 - 1e-9;

impl Solution {
    /// The answer that an island holds after a law has run on it.
    pub(crate) fn new(problem: &ContactProblem, island: &Island<'_>, resolution: Resolution) -> Self {
        let mut solution = Solution { resolution, ..Solution::default() };
        solution.read(problem, island);
        solution
    }

    /// Makes this the answer that an island holds after a law has run on it, but for how it ended.
    pub(crate) fn read(&mut self, problem: &ContactProblem, island: &Island<'_>) {
        self.impulses.clear();
        self.impulses.extend(island.rows.iter().map(Row::impulse));
        // The last body of the island stands for the world and is none of the problem's.
        let bodies = island.bodies.len() - 1;
        self.velocities.clear();
        self.velocities.extend(island.bodies[..bodies].iter().map(|b| b.velocity));
        self.read_off(problem);
    }

    /// The answer with these impulses on A by contact and these velocities by body; states and work are read off.
    pub(crate) fn from_impulses(
        problem: &ContactProblem,
        impulses: Vec<DVec3>,
        velocities: Vec<Velocity>,
        resolution: Resolution,
    ) -> Self {
        let mut solution = Solution { impulses, velocities, resolution, ..Solution::default() };
        solution.read_off(problem);
        solution
    }

    /// Reads states and work off impulses and velocities.
    fn read_off(&mut self, problem: &ContactProblem) {
        let Solution { impulses, velocities, states, work_taken, .. } = self;
        let answers = || problem.contacts.iter().zip(&*impulses);
        let work = |(c, p): (&ProblemContact, &DVec3)| {
            -0.5 * p.dot(problem.relative_velocity_before(c) + problem.relative_velocity(c, velocities))
        };
        work_taken.clear();
        work_taken.extend(answers().map(work));
        states.clear();
        states.extend(answers().map(|(c, p)| c.state(*p)));
    }
}

impl ProblemContact {
    /// What the contact does under the impulse `p`.
    pub fn state(&self, p: DVec3) -> ContactState {
        let p_n = self.normal.dot(p);
        let p_t = (p - self.normal * p_n).length();
        if p == DVec3::ZERO {
            ContactState::Open
        } else if self.coefficients.static_friction > 0.0 && p_t < INSIDE * self.coefficients.dynamic_friction * p_n {
            ContactState::Stick
        } else {
            ContactState::Slip
        }
    }
}

/// Asymmetry of an inverse inertia that counts as rounding, relative to its trace.
const SYMMETRIC: f64 = 1e-9;

/// Whether a tensor is symmetric (to [`SYMMETRIC`]) and its leading minors are positive (Sylvester).
fn is_positive_definite(m: &DMat3) -> bool {
    let skew = *m - m.transpose();
    let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let largest = skew.x_axis.abs().max_element().max(skew.y_axis.abs().max_element());
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    largest <= SYMMETRIC * trace && m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

impl ContactProblem {
    /// Checks that there are bodies, and that every index, mass, inertia, normal, velocity and coefficient can be
    /// worked with.
    ///
    /// # Errors
    /// The first [`ProblemError`] found.
    pub fn validate(&self) -> Result<(), ProblemError> {
        if self.bodies.is_empty() {
            return Err(ProblemError::NoBodies);
        }
        for (body, b) in self.bodies.iter().enumerate() {
            let bad = |reason| Err(ProblemError::BadBody { body, reason });
            if !(b.inverse_mass >= 0.0 && b.inverse_mass.is_finite()) {
                return bad("inverse mass must be finite and not negative");
            }
            if !b.inverse_inertia.is_finite() {
                return bad("inverse inertia must be finite");
            }
            if !b.position.is_finite() {
                return bad("position must be finite");
            }
            if !b.velocity.is_finite() {
                return bad("velocity and angular velocity must be finite");
            }
            if b.inverse_mass == 0.0 && b.inverse_inertia != DMat3::ZERO {
                return bad("a body that no impulse moves must have inverse inertia zero");
            }
            if b.inverse_mass > 0.0 && !is_positive_definite(&b.inverse_inertia) {
                return bad("inverse inertia must be symmetric and positive definite");
            }
        }
        self.contacts.iter().enumerate().try_for_each(|(i, c)| self.validate_contact(i, c))
    }

    fn validate_contact(&self, contact: usize, c: &ProblemContact) -> Result<(), ProblemError> {
        let bodies = self.bodies.len();
        if let Some(body) = [Some(c.a), c.b].into_iter().flatten().find(|b| *b as usize >= bodies) {
            return Err(ProblemError::NoSuchBody { contact, body, bodies });
        }
        let moves = |b: u32| self.bodies[b as usize].inverse_mass > 0.0;
        let bad = |reason| Err(ProblemError::BadContact { contact, reason });
        if c.b == Some(c.a) {
            return bad("a body cannot touch itself");
        }
        if !moves(c.a) && !c.b.is_some_and(moves) {
            return bad("neither body can move");
        }
        if !c.point.is_finite() {
            return bad("the point must be finite");
        }
        // Written so that a normal that is no number fails, too.
        let is_unit = (c.normal.length() - 1.0).abs() <= 1e-9;
        if !is_unit {
            return bad("the normal must be a unit vector");
        }
        let k = &c.coefficients;
        let friction = [k.static_friction, k.dynamic_friction, k.rolling_friction, k.torsional_friction];
        if friction.iter().any(|f| !(f.is_finite() && *f >= 0.0)) || k.dynamic_friction > k.static_friction {
            return bad("friction must be finite and not negative, and the dynamic not above the static");
        }
        if !(k.stiffness.is_finite() && k.stiffness > 0.0) {
            return bad("stiffness must be finite and above zero");
        }
        if !(0.0..=1.0).contains(&k.restitution) {
            return bad("restitution must lie between 0 and 1");
        }
        if !(0.0..=1.0).contains(&k.tangential_restitution) {
            return bad("tangential restitution must lie between 0 and 1");
        }
        Ok(())
    }

    /// Adds the bodies and contacts of another problem, which touches nothing of this one; its bodies are numbered on.
    pub fn append(&mut self, other: &ContactProblem) {
        let n = self.bodies.len() as u32;
        self.bodies.extend_from_slice(&other.bodies);
        let shifted = other.contacts.iter().map(|c| ProblemContact { a: c.a + n, b: c.b.map(|b| b + n), ..*c });
        self.contacts.extend(shifted);
    }

    /// Relative velocity of A against B at a contact for the given velocities of the bodies \[m/s\].
    pub fn relative_velocity(&self, c: &ProblemContact, velocities: &[Velocity]) -> DVec3 {
        let at = |i: u32| velocities[i as usize].at(c.point - self.bodies[i as usize].position);
        at(c.a) - c.b.map_or(DVec3::ZERO, at)
    }

    /// Relative velocity of A against B at a contact, before \[m/s\].
    pub fn relative_velocity_before(&self, c: &ProblemContact) -> DVec3 {
        let at = |i: u32| {
            let body = &self.bodies[i as usize];
            body.velocity.at(c.point - body.position)
        };
        at(c.a) - c.b.map_or(DVec3::ZERO, at)
    }

    /// Momentum and angular momentum about the origin of the bodies of finite mass, for the given velocities.
    pub fn momenta(&self, velocities: &[Velocity]) -> Momenta {
        let mut sum = Momenta::default();
        for (b, v) in self.bodies.iter().zip(velocities).filter(|(b, _)| b.inverse_mass > 0.0) {
            let p = v.linear / b.inverse_mass;
            sum.linear += p;
            sum.angular += b.position.cross(p) + b.inverse_inertia.inverse() * v.angular;
        }
        sum
    }

    /// The bodies in the solver's form, the world last.
    pub(crate) fn solver_bodies(&self) -> (Vec<SolverBody>, Vec<DMat3>) {
        self.each_solver_body().unzip()
    }

    /// The same, one after the other.
    pub(crate) fn each_solver_body(&self) -> impl Iterator<Item = (SolverBody, DMat3)> {
        let world = SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO);
        let bodies = self
            .bodies
            .iter()
            .map(|b| SolverBody::new(b.velocity, b.inverse_mass, &InverseInertia::General(b.inverse_inertia)));
        bodies.chain([world])
    }

    /// The contacts in the solver's form.
    pub(crate) fn rows(&self, bodies: &[SolverBody], tensors: &[DMat3]) -> Vec<Row> {
        self.each_row(bodies, tensors).collect()
    }

    /// The same, one after the other.
    pub(crate) fn each_row(&self, bodies: &[SolverBody], tensors: &[DMat3]) -> impl Iterator<Item = Row> {
        let world = self.bodies.len() as u32;
        let position = |b: u32| self.bodies.get(b as usize).map_or(DVec3::ZERO, |b| b.position);
        let row = move |c: &ProblemContact| {
            let b = c.b.unwrap_or(world);
            let input = RowInput {
                a: c.a,
                b,
                arm_a: c.point - position(c.a),
                arm_b: if c.b.is_some() { c.point - position(b) } else { DVec3::ZERO },
                normal: c.normal,
                coefficients: c.coefficients,
                ..RowInput::BARE
            };
            // Any time will do for a closed gap.
            Row::new(&input, bodies, tensors, 1.0)
        };
        self.contacts.iter().map(row)
    }
}
