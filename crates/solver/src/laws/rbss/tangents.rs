//! First estimates of the tangent directions, for the linear law.

use granule_model::DVec3;

use super::cone::{self, Outcome};
use super::system::{Span, System};

/// Tangential speed below which a direction counts as not given, relative to the largest relative speed.
const NONE: f64 = 1e-10;

/// Holds the friction of every contact to the line of its first estimate and solves.
///
/// The estimate is the sliding before the impact. Where there is none it is the sliding that appears once the others
/// are solved for, and so on: every round gives at least one contact its line, so there are at most as many rounds as
/// contacts. A contact that gets no line does not slide: it needs no friction.
pub(super) fn solve(system: &mut System, outcome: &mut Outcome, cycles: u32) {
    let least = NONE * system.contacts.iter().map(|c| c.before.length()).fold(0.0, f64::max);
    let mut waiting: Vec<bool> = system.contacts.iter().map(|c| c.span == Span::Plane).collect();
    let mut sliding: Vec<DVec3> = system.contacts.iter().map(|c| c.before).collect();
    system.contacts.iter_mut().for_each(|c| c.span = Span::Nothing);
    for _ in 0..=system.len() {
        let found = hold(system, &mut waiting, &sliding, least);
        if !found && outcome.rounds > 0 {
            return;
        }
        cone::solve(system, outcome, cycles);
        if !outcome.converged(system) {
            return;
        }
        system.shifted_velocities(&outcome.impulses, &mut sliding);
    }
}

/// Gives waiting contacts that slide their line; whether there were any.
fn hold(system: &mut System, waiting: &mut [bool], sliding: &[DVec3], least: f64) -> bool {
    let mut found = false;
    for (i, c) in system.contacts.iter_mut().enumerate() {
        let slides = sliding[i] - c.normal * c.normal.dot(sliding[i]);
        if waiting[i] && slides.length() > least {
            c.span = Span::Line(slides.normalize());
            (waiting[i], found) = (false, true);
        }
    }
    found
}
