//! The law's conditions 1 to 4 as a measure of any answer, by sums of its own: it shares no code with the solver.

use granule_model::{DVec3, Velocity};

use super::RbssForm;
use crate::contact::problem::{ContactProblem, ProblemContact, Solution};

/// Largest violation of conditions 1 to 4 (module docs) by any contact, relative to the largest approach speed before
/// \[-\].
///
/// Post-velocities are recomputed from the impulses. Each contact is measured against each of "open", "stick" and
/// "slip" and the least counts; an impulse counts by the velocity `k p` that it would make, `k = n.K n`. Where nothing
/// approaches, the scale is the largest relative speed of any contact. NaN or infinite where the answer has values that
/// are not finite or too few.
pub fn residual(problem: &ContactProblem, solution: &Solution, form: RbssForm) -> f64 {
    if solution.impulses.len() != problem.contacts.len() {
        return f64::INFINITY;
    }
    let before: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
    let after = velocities_after(problem, &solution.impulses);
    let (mut largest, mut approach, mut speed) = (0.0f64, 0.0f64, 0.0f64);
    for (c, p) in problem.contacts.iter().zip(&solution.impulses) {
        let u = relative(problem, c, &before);
        approach = approach.max(-c.normal.dot(u));
        speed = speed.max(u.length());
        let found = of_contact(c, form, inverse_mass(problem, c), *p, u, relative(problem, c, &after));
        largest = if found > largest || found.is_nan() { found } else { largest };
    }
    let scale = if approach > 0.0 { approach } else { speed };
    if largest == 0.0 { 0.0 } else { largest / scale }
}

fn velocities_after(problem: &ContactProblem, impulses: &[DVec3]) -> Vec<Velocity> {
    let mut after: Vec<Velocity> = problem.bodies.iter().map(|b| b.velocity).collect();
    for (c, p) in problem.contacts.iter().zip(impulses) {
        for (body, p) in [(Some(c.a), *p), (c.b, -*p)] {
            let Some(i) = body else { continue };
            let b = &problem.bodies[i as usize];
            after[i as usize].linear += p * b.inverse_mass;
            after[i as usize].angular += b.inverse_inertia * (c.point - b.position).cross(p);
        }
    }
    after
}

fn relative(problem: &ContactProblem, c: &ProblemContact, velocities: &[Velocity]) -> DVec3 {
    let at = |body: u32| {
        let v = &velocities[body as usize];
        v.linear + v.angular.cross(c.point - problem.bodies[body as usize].position)
    };
    at(c.a) - c.b.map_or(DVec3::ZERO, at)
}

/// `n.K n`.
fn inverse_mass(problem: &ContactProblem, c: &ProblemContact) -> f64 {
    let of = |body: u32| {
        let b = &problem.bodies[body as usize];
        let moment = (c.point - b.position).cross(c.normal);
        b.inverse_mass + moment.dot(b.inverse_inertia * moment)
    };
    of(c.a) + c.b.map_or(0.0, of)
}

/// Violation of one contact \[m/s\].
fn of_contact(c: &ProblemContact, form: RbssForm, k: f64, p: DVec3, u: DVec3, after: DVec3) -> f64 {
    let (n, law) = (c.normal, &c.coefficients);
    let flat = |v: DVec3| v - n * n.dot(v);
    let (pushed, rubbed) = (n.dot(p), flat(p).length());
    let target = n.dot(after) + law.restitution * n.dot(u).min(0.0);
    let open = (k * pushed.abs()).max(k * rubbed).max(-target);
    let normal = target.abs().max(-k * pushed);
    let s = flat(after) + flat(u) * law.tangential_restitution;
    // A tangential impulse counts as none at the price of the velocity it makes: its direction may be rounding. It must
    // be none where friction can do nothing; and in the literal form some t is then normal to s and parallel to u+
    // where these two are normal to each other.
    let no_bound = k * law.dynamic_friction * pushed.abs();
    let unrubbed = match form {
        RbssForm::Cone => no_bound,
        RbssForm::Literal if s == DVec3::ZERO => 0.0,
        RbssForm::Literal => no_bound.min(s.dot(flat(after)).abs() / s.length()),
    };
    let free = normal.max(k * rubbed).max(unrubbed);
    if rubbed == 0.0 {
        let stick = if form == RbssForm::Cone { normal.max(s.length()) } else { f64::INFINITY };
        return open.min(stick).min(free);
    }
    let t = flat(p) / rubbed;
    let across = n.cross(t);
    let (stuck, sideways) = match form {
        RbssForm::Cone => (s.length(), across.dot(s).abs()),
        RbssForm::Literal => (t.dot(s).abs().max(across.dot(after).abs()), across.dot(after).abs()),
    };
    let stick = normal.max(stuck).max(k * (rubbed - law.static_friction * pushed));
    let bound = k * (rubbed - law.dynamic_friction * pushed).abs();
    let slip = normal.max(bound).max(sideways).max(t.dot(s));
    open.min(stick).min(slip).min(free)
}
