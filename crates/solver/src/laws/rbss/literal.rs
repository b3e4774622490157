//! The literal form: Newton's method with the states of all contacts held, along a path that starts at the cone form.
//!
//! Between the two forms stands the share `tau` of the tangential restitution that the sideways condition forgets:
//!
//! ```text
//! (n x t).(u+ + (1 - tau) e_t u-) = 0,      tau = 0: cone form, tau = 1: literal form
//! ```
//!
//! with all other conditions alike. The path is walked in steps of `tau` that are halved where Newton's method or the
//! search for the states fails. Where the path ends before `tau = 1`, the literal equations are tried from the cone's
//! answer with its tangential impulses turned, by angles that are the same in every run.

use granule_model::DVec3;

use super::conditions::{Branch, branch, largest_literal_violation};
use super::linear;
use super::system::{Contact, Span, System};
use crate::contact::problem::ContactState;

/// First step of `tau`, and the shortest.
const STEP: f64 = 0.125;
const SHORTEST_STEP: f64 = 1.0 / 256.0;

/// Steps of Newton's method with the states held.
const NEWTON_STEPS: u32 = 25;

/// Corrections of the states at one `tau`.
const CORRECTIONS: u32 = 60;

/// Steps of Newton's method in all, and the sum of the cubes of the numbers of their unknowns.
const ALL_STEPS: u32 = 1000;
const ALL_WORK: f64 = 1e9;

/// Starts with turned impulses that are tried where the path ends.
const TURNED_STARTS: u32 = 48;

/// Impulses and states on the way.
#[derive(Clone)]
struct Guess {
    impulses: Vec<DVec3>,
    states: Vec<ContactState>,
}

/// What the search has spent.
#[derive(Clone, Copy, Debug, Default)]
struct Report {
    steps: u32,
    work: f64,
}

impl Report {
    fn is_spent(&self) -> bool {
        self.steps >= ALL_STEPS || self.work >= ALL_WORK
    }
}

/// Looks for a solution of the literal form from one of the cone form; returns it where one was found.
/// Also returns the steps made.
pub(super) fn run(system: &System, cone: &[DVec3], tolerance: f64) -> (Option<Vec<DVec3>>, u32) {
    let mut report = Report::default();
    let mut velocities = Vec::new();
    system.shifted_velocities(cone, &mut velocities);
    let state = |(i, c): (usize, &Contact)| match branch(c, cone[i], velocities[i]) {
        Branch::Open => ContactState::Open,
        Branch::Stick if c.friction > 0.0 => ContactState::Stick,
        _ => ContactState::Slip,
    };
    let start = Guess { impulses: cone.to_vec(), states: system.contacts.iter().enumerate().map(state).collect() };
    let mut good = |guess: &Guess| {
        system.shifted_velocities(&guess.impulses, &mut velocities);
        largest_literal_violation(system, &guess.impulses, &velocities) <= tolerance
    };
    if let Some(end) = follow(system, &start, tolerance, &mut report).filter(&mut good) {
        return (Some(end.impulses), report.steps);
    }
    for k in 1..=TURNED_STARTS {
        if report.is_spent() {
            break;
        }
        let turned = Guess { impulses: turn(system, cone, k), ..start.clone() };
        if let Some(end) = settle(system, &turned, 1.0, tolerance, &mut report).filter(&mut good) {
            return (Some(end.impulses), report.steps);
        }
    }
    (None, report.steps)
}

/// The path from the cone form; none where it ends early.
fn follow(system: &System, start: &Guess, tolerance: f64, report: &mut Report) -> Option<Guess> {
    let (mut guess, mut tau, mut step) = (start.clone(), 0.0, STEP);
    while tau < 1.0 {
        let next = (tau + step).min(1.0);
        if let Some(reached) = settle(system, &guess, next, tolerance, report) {
            (guess, tau) = (reached, next);
        } else {
            step *= 0.5;
            if step < SHORTEST_STEP {
                return None;
            }
        }
    }
    Some(guess)
}

/// The cone's impulses, the tangential part of each turned by its own angle; start `k`.
fn turn(system: &System, cone: &[DVec3], k: u32) -> Vec<DVec3> {
    /// Golden ratio: its multiples fill the circle evenly.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let turned = |(i, c): (usize, &Contact)| {
        let tangential = c.tangential(cone[i]);
        let share = (f64::from(k) * (i + 1) as f64 * GOLDEN).fract();
        // Tangent of a quarter of the turn, roughly even in -1 to 1, and a half turn for the upper half.
        let q = 4.0 * (share - 0.25) % 2.0;
        let (sine, cosine) = (2.0 * q / (1.0 + q * q), (1.0 - q * q) / (1.0 + q * q));
        let sign = if share < 0.5 { 1.0 } else { -1.0 };
        let p = tangential * cosine + c.normal.cross(tangential) * sine;
        c.normal * c.normal.dot(cone[i]) + p * sign
    };
    system.contacts.iter().enumerate().map(turned).collect()
}

/// Solves for the states of `guess`, corrects them, and so on until they fit.
fn settle(system: &System, guess: &Guess, tau: f64, tolerance: f64, report: &mut Report) -> Option<Guess> {
    let mut guess = guess.clone();
    for _ in 0..CORRECTIONS {
        let velocities = newton(system, &mut guess, tau, tolerance, report)?;
        if !correct(system, &mut guess, &velocities, tolerance) {
            return Some(guess);
        }
    }
    None
}

/// Corrects the states that do not fit; returns whether there were any.
fn correct(system: &System, guess: &mut Guess, velocities: &[DVec3], tolerance: f64) -> bool {
    let mut changed = false;
    let mut pulls = false;
    for (i, c) in system.contacts.iter().enumerate() {
        if guess.states[i] != ContactState::Open && c.k_normal * c.normal.dot(guess.impulses[i]) < -tolerance {
            guess.states[i] = ContactState::Open;
            guess.impulses[i] = DVec3::ZERO;
            pulls = true;
        }
    }
    // As in Fig. 4.10: friction is looked at once nothing pulls.
    for (i, c) in system.contacts.iter().enumerate().filter(|_| !pulls) {
        let (p, w) = (guess.impulses[i], velocities[i]);
        let (p_t, p_n) = (c.tangential(p), c.normal.dot(p));
        let state = match guess.states[i] {
            ContactState::Open if c.normal.dot(w) < -tolerance && has_friction(c) => ContactState::Stick,
            ContactState::Open if c.normal.dot(w) < -tolerance => ContactState::Slip,
            ContactState::Stick if c.k_tangent * (p_t.length() - c.static_friction * p_n) > tolerance => {
                ContactState::Slip
            }
            ContactState::Slip if has_friction(c) && p_t.dot(w) > tolerance * p_t.length() => ContactState::Stick,
            state => state,
        };
        changed |= state != guess.states[i];
        guess.states[i] = state;
    }
    changed || pulls
}

/// Whether friction acts at the contact at all.
fn has_friction(c: &Contact) -> bool {
    c.span != Span::Nothing && c.static_friction > 0.0
}

/// Newton's method with the states held; the velocities at the end, or none where it does not converge.
fn newton(system: &System, guess: &mut Guess, tau: f64, tolerance: f64, report: &mut Report) -> Option<Vec<DVec3>> {
    let mut velocities = Vec::new();
    for _ in 0..NEWTON_STEPS {
        system.shifted_velocities(&guess.impulses, &mut velocities);
        let equations: Vec<Equation> = equations(system, guess, &velocities, tau);
        let error = equations.iter().map(|e| e.error.abs()).fold(0.0, f64::max);
        if error <= 1e-4 * tolerance {
            return Some(velocities);
        }
        if report.is_spent() {
            return None;
        }
        report.steps += 1;
        report.work += (equations.len() as f64).powi(3);
        advance(system, guess, &equations);
        if !guess.impulses.iter().all(|p| p.is_finite()) {
            return None;
        }
    }
    None
}

/// One unknown with its equation `row.G dp + stiffness.dp = -error`.
struct Equation {
    contact: usize,
    /// Impulse that a unit of the unknown makes.
    column: DVec3,
    row: DVec3,
    stiffness: DVec3,
    error: f64,
}

fn equations(system: &System, guess: &Guess, velocities: &[DVec3], tau: f64) -> Vec<Equation> {
    let mut equations = Vec::with_capacity(3 * system.len());
    for (contact, c) in system.contacts.iter().enumerate() {
        if guess.states[contact] != ContactState::Open {
            let (p, w) = (guess.impulses[contact], velocities[contact]);
            of_contact(c, contact, guess.states[contact], p, w, tau, &mut equations);
        }
    }
    equations
}

/// Adds the equations of an active contact. With `t = p_t/|p_t|` and `m = n x t` a change of impulse turns them by
/// `dt = m (m.dp)/|p_t|`, `dm = -t (m.dp)/|p_t|`.
fn of_contact(
    c: &Contact,
    contact: usize,
    state: ContactState,
    p: DVec3,
    w: DVec3,
    tau: f64,
    equations: &mut Vec<Equation>,
) {
    let n = c.normal;
    let mut add = |column, row, stiffness, error| equations.push(Equation { contact, column, row, stiffness, error });
    add(n, n, DVec3::ZERO, n.dot(w));
    if !has_friction(c) {
        return;
    }
    let (p_t, s) = (c.tangential(p), c.tangential(w));
    let length = p_t.length();
    // Without an impulse there is no direction yet: that of sticking, or against the sliding.
    let t = if length > 0.0 { p_t / length } else { (-s).try_normalize().unwrap_or(n.any_orthonormal_vector()) };
    let m = n.cross(t);
    let kept = s - c.tangential(c.shifted - c.before) * tau;
    let turning = if length > 0.0 { length.recip() } else { 0.0 };
    if state == ContactState::Stick {
        add(t, t, m * (m.dot(s) * turning), t.dot(s));
    } else {
        let k = c.k_tangent;
        add(t, DVec3::ZERO, (t - n * c.dynamic_friction) * k, k * (length - c.dynamic_friction * n.dot(p)));
    }
    add(m, m, -m * (t.dot(kept) * turning), m.dot(kept));
}

/// One Newton step.
fn advance(system: &System, guess: &mut Guess, equations: &[Equation]) {
    let n = equations.len();
    let mut first = vec![0; system.len() + 1];
    equations.iter().for_each(|e| first[e.contact + 1] += 1);
    (0..system.len()).for_each(|i| first[i + 1] += first[i]);
    let scale = |e: &Equation| system.contacts[e.contact].k_normal.sqrt().recip();
    let (mut matrix, mut x) = (vec![0.0; n * n], vec![0.0; n]);
    for (i, e) in equations.iter().enumerate() {
        x[i] = -e.error * scale(e);
        for (neighbour, block) in system.neighbours(e.contact) {
            let neighbour = *neighbour as usize;
            let own = if neighbour == e.contact { e.stiffness } else { DVec3::ZERO };
            let row = block.transpose() * e.row + own;
            for j in first[neighbour]..first[neighbour + 1] {
                matrix[i * n + j] = row.dot(equations[j].column) * scale(e) * scale(&equations[j]);
            }
        }
    }
    linear::solve(&matrix, &mut x);
    for (e, x) in equations.iter().zip(&x) {
        guess.impulses[e.contact] += e.column * (*x * scale(e));
    }
}
