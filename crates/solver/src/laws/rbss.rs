//! The law of the RBSS thesis (2005, section 3.1.1.3): concurrent contacts with normal and tangential restitution,
//! static and dynamic friction and a true isotropic cone.
//!
//! All contacts are resolved at once. Momentum balance makes post-velocities of impulses, `u+ = u- + G p` (thesis Eqs.
//! 3.15 to 3.19); each contact then asks, with `l = n.p >= 0`, `t = p_t/|p_t|` and `u_n` negative while approaching:
//!
//! ```text
//! 1  n.u+ = -e_n min(n.u-, 0)                                                          (Eqs. 3.20, 3.21)
//! 2  stick   if |p_t| <= mu_s l:   t.u+ = -e_t t.u-   and   (n x t).u+ = 0             (Eqs. 3.22, 3.23)
//! 3  slip    otherwise:   |p_t| = mu_d l,  (n x t).u+ = 0,  t.(u_t+ + e_t u_t-) <= 0     (Eqs. 3.23, 3.24)
//! 4  open    if l would be below 0:   p = 0   and   n.u+ >= -e_n min(n.u-, 0)           (Eq. 3.25)
//! ```
//!
//! What the thesis leaves open is said here: a contact that was opening has the target 0 while it is active; friction
//! may not do more than sticking would (without the inequality of 3 the sign of a sliding impulse is free wherever
//! `u_t- = 0`); and an open contact that would approach is active again (Fig. 4.10 never takes a contact back, and then
//! ends with some of them approaching in the thesis' own quintenary 2 and heptenary 3 and 4).
//!
//! **Two forms.** Equations 2 and 3 as printed ([`RbssForm::Literal`]) do not change when `t` changes its sign, and
//! where `e_t > 0` meets impulses that are not parallel to the approach they have several solutions or none near the
//! natural one. The cone form ([`RbssForm::Cone`]) asks for one vector equation: with `s = u_t+ + e_t u_t-`, stick is
//! `s = 0` and slip is `p_t = -mu_d l s/|s|`. Both are the same for `e_t = 0` and wherever `t` is parallel to `u_t-`.
//! With the shifted velocity
//!
//! ```text
//! w = u+ + e_n min(u_n-, 0) n + e_t u_t- = q + G p
//! ```
//!
//! the cone form is Coulomb's law in its usual shape, `0 <= l perp n.w >= 0` and `p_t` against `w_t` on or inside a
//! disk of radius `mu l`. That is what is solved: projected gradient steps find a start, Newton's method on the natural
//! map finishes (`rbss/fixed_point.rs`, `rbss/newton.rs`). The literal form is reached from the cone form along a path
//! (`rbss/literal.rs`).
//!
//! **Deviation.** The thesis solves by Newton's method with the contacts' states held, worst contact first (Fig. 4.10),
//! up to eight bodies; larger clusters failed, and from six irregular ones on that order need not lead to any solution.
//! Here the states are part of the equations, so all contacts change theirs together.
//!
//! **Static and dynamic friction.** With `mu_s > mu_d` both sticking and slipping may satisfy 1 to 4. Sticking is tried
//! first: all contacts start with the cone of `mu_s`; those that slip on it get that of `mu_d`, all at once, and keep
//! it.
//!
//! **Redundant contacts.** Where G is singular on the active contacts (four corners of a box) impulses are not unique;
//! Newton steps are then those of least norm, and [`Note::Singular`] says that the equations at the answer have no full
//! rank.
//!
//! **The linear law.** [`RbssLinear`] holds each `t` at its first estimate (thesis Appendix A.1), so that friction has
//! one component; the sideways condition is dropped with the other component. The estimate is the sliding before the
//! impact, and where there is none the sliding that appears once the other contacts are solved for. The thesis takes
//! the mean rigid motion of the cluster there (Eq. 3.14), which depends on the observer's velocity and is zero at the
//! contact of every binary case and at the middle contact of its rows of four.
//!
//! **Termination.** No step is proved to descend, and with strong friction there may be no solution, so everything is
//! capped: `cycles` cycles with all contacts together and as many in turn, each of at most 1280 steps of the fixed
//! point and 40 of Newton's method; rounds of static friction, each of which takes it from at least one contact for
//! good; rounds of the linear law, each of which gives at least one contact its line. What remains is reported:
//! `residual` is the largest violation of 1 to 4 \[m/s\], `converged` says that it is below 3e-10 of the largest
//! approach speed, otherwise the best impulses met are the answer; they lie in the cone in any case. Measured on
//! clusters of 100 spheres of the thesis' material: all converge; with friction 1 and 174 contacts among 60 spheres
//! some do not. The literal form may have no solution at all (irregular clusters with `e_t > 0`): then the cone's
//! answer stays, not converged.
//!
//! Desiderata: MOM and ONE hold for any answer; SYM for the cone form and the linear law where the solution is unique
//! (the literal form has unsymmetric solutions of symmetric problems). KIN is not claimed: Newton's restitution may
//! raise the kinetic energy of concurrent contacts with friction. BRK and WAV do not hold, as for all laws that demand
//! `n.u+ = -e_n n.u-` at once.

mod conditions;
mod cone;
mod fixed_point;
mod linear;
mod literal;
mod newton;
mod residual;
mod system;
mod tangents;

pub use residual::residual;
use serde::{Deserialize, Serialize};

use granule_model::DVec3;

use crate::contact::island::Island;
use crate::contact::problem::{ContactProblem, ContactState, Note, ProblemError, Resolution, Solution};
use crate::laws::law::{Desideratum, ImpactLaw};
use conditions::largest_literal_violation;
use cone::Outcome;
use system::{Contact, System};

/// Which reading of the thesis' equations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RbssForm {
    /// Stick and slip by `s = u_t+ + e_t u_t-`: Coulomb's cone.
    #[default]
    Cone,
    /// The equations as printed.
    Literal,
}

/// The law of the RBSS thesis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rbss {
    /// Which reading.
    pub form: RbssForm,
    /// Most cycles of fixed point and Newton's method with contacts together, and as many in turn; at least 1.
    pub cycles: u32,
}

impl Default for Rbss {
    /// The cone form.
    fn default() -> Self {
        Rbss { form: RbssForm::Cone, cycles: CYCLES }
    }
}

/// The linear law of the RBSS thesis: as [`Rbss`], but friction keeps to the line of its first estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RbssLinear {
    /// Most cycles of fixed point and Newton's method with contacts together, and as many in turn; at least 1.
    pub cycles: u32,
}

impl Default for RbssLinear {
    /// As many cycles as [`Rbss`].
    fn default() -> Self {
        RbssLinear { cycles: CYCLES }
    }
}

/// Cycles of the defaults: the last one makes 1280 steps of the fixed point.
const CYCLES: u32 = 8;

impl ImpactLaw for Rbss {
    fn name(&self) -> &'static str {
        "rbss"
    }

    fn claims(&self) -> &'static [Desideratum] {
        match self.form {
            RbssForm::Cone => &[Desideratum::Symmetry, Desideratum::Momentum, Desideratum::OneSided],
            RbssForm::Literal => &[Desideratum::Momentum, Desideratum::OneSided],
        }
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `cycles` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        let mut system = prepare(problem, self.cycles, left)?;
        let mut outcome = Outcome::new(&system);
        if system.scale > 0.0 {
            cone::solve(&mut system, &mut outcome, self.cycles);
            if self.form == RbssForm::Literal {
                make_literal(&system, &mut outcome);
            }
        }
        Ok(solution(problem, &system, outcome))
    }
}

impl ImpactLaw for RbssLinear {
    fn name(&self) -> &'static str {
        "rbss-linear"
    }

    fn claims(&self) -> &'static [Desideratum] {
        &[Desideratum::Symmetry, Desideratum::Momentum, Desideratum::OneSided]
    }

    /// # Errors
    /// [`ProblemError`] when the problem is not well formed or `cycles` is zero.
    fn resolve_within(&self, problem: &ContactProblem, left: f64) -> Result<Solution, ProblemError> {
        let mut system = prepare(problem, self.cycles, left)?;
        let mut outcome = Outcome::new(&system);
        if system.scale > 0.0 {
            tangents::solve(&mut system, &mut outcome, self.cycles);
        }
        Ok(solution(problem, &system, outcome))
    }
}

fn prepare(problem: &ContactProblem, cycles: u32, left: f64) -> Result<System, ProblemError> {
    problem.validate()?;
    if cycles == 0 {
        return Err(ProblemError::Parameter { name: "cycles", value: 0.0, expected: "at least 1" });
    }
    Ok(System::new(problem, left))
}

/// Turns an answer of the cone form into one of the literal form; where none is found the answer stays and its
/// violation of the literal form says so.
fn make_literal(system: &System, outcome: &mut Outcome) {
    let mut velocities = Vec::new();
    let mut judge = |outcome: &mut Outcome| {
        system.shifted_velocities(&outcome.impulses, &mut velocities);
        outcome.violation = largest_literal_violation(system, &outcome.impulses, &velocities);
    };
    judge(outcome);
    if outcome.converged(system) {
        return;
    }
    let (found, steps) = literal::run(system, &outcome.impulses, system.tolerance);
    outcome.iterations += u64::from(steps);
    if let Some(impulses) = found {
        // What pulls within the tolerance is rounding.
        let pushes = |(c, p): (&Contact, DVec3)| if c.normal.dot(p) > 0.0 { p } else { DVec3::ZERO };
        outcome.impulses = system.contacts.iter().zip(impulses).map(pushes).collect();
        judge(outcome);
    }
}

/// Share of the friction bound below which a tangential impulse counts as inside the cone.
const INSIDE: f64 = 1.0 - 1e-9;

/// What a contact does; the bound is that of the friction in force.
fn state(c: &Contact, p: DVec3) -> ContactState {
    let (p_n, p_t) = (c.normal.dot(p), c.tangential(p).length());
    if p == DVec3::ZERO {
        ContactState::Open
    } else if c.friction > 0.0 && p_t < INSIDE * c.friction * p_n {
        ContactState::Stick
    } else {
        ContactState::Slip
    }
}

/// Applies the impulses and writes the answer.
fn solution(problem: &ContactProblem, system: &System, outcome: Outcome) -> Solution {
    let (mut bodies, tensors) = problem.solver_bodies();
    let mut rows = problem.rows(&bodies, &tensors);
    let island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
    let before = island.kinetic_energy();
    for (row, p) in island.rows.iter().zip(&outcome.impulses) {
        row.apply(island.bodies, island.tensors, *p);
    }
    let velocities = island.bodies[..problem.bodies.len()].iter().map(|b| b.velocity).collect();
    let resolution = Resolution {
        iterations: outcome.iterations,
        rounds: outcome.rounds,
        residual: outcome.violation,
        converged: outcome.converged(system),
        energy_before: before,
        energy_after: island.kinetic_energy(),
        notes: if outcome.singular { vec![Note::Singular] } else { Vec::new() },
    };
    let mut solution = Solution::from_impulses(problem, outcome.impulses, velocities, resolution);
    solution.states = system.contacts.iter().zip(&solution.impulses).map(|(c, p)| state(c, *p)).collect();
    solution
}
