//! What the steps of a run may hide, told once of each kind.
//!
//! **Turning.** Contacts are looked for with the poses at the ends of a part, and asked for no motion along normals of
//! its start. Non-round bodies with a contact near them were turned by 0.05 to 4 rad in a step, at 24 places within it,
//! past balls and walls: up to 1.2 rad no hit was missed, cubes missed some from pi/2 on, all shapes from 3 rad on.
//! [`TURN`] is less than half of the first. Bodies that went from touch to touch by themselves were followed, and parts
//! of divided steps are short: neither counts.
//!
//! What moves past the margin in which contacts were looked for is looked for again in the same step and needs no
//! warning; which impacts are too slow for a step is said by [`Simulation::resolved_speed`].
//!
//! [`Simulation::resolved_speed`]: crate::Simulation::resolved_speed

use granule_model::BodyId;

use crate::book::report::StepReport;
use crate::world::bodies::Bodies;
use crate::world::contact::Contact;
use crate::world::parallel;

/// Turn in a part of a step from which on it is told \[rad\].
pub(crate) const TURN: f64 = 0.5;

/// A body that turned so far in a part of a step, beside others, that these may have been missed.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The first body of the step that turned furthest.
    pub body: BodyId,
    /// What messages call it.
    pub label: String,
    /// By how much \[rad\].
    pub angle: f64,
    /// Simulated time after the step \[s\].
    pub time: f64,
}

/// The first turn of a step to tell of. `apart` are bodies that went from touch to touch by themselves, by dense index;
/// an empty list names none.
pub(crate) fn find_turn(
    bodies: &Bodies<'_>,
    contacts: &[Contact],
    apart: &[bool],
    report: &StepReport,
) -> Option<Turn> {
    let time = report.dt / f64::from(report.substeps.max(1));
    let turns = |i: usize| {
        let counts = bodies.awake(i) && !bodies.round[i] && !apart.get(i).is_some_and(|apart| *apart);
        if counts { bodies.velocity[i].angular.length() * time } else { 0.0 }
    };
    let far = |range: std::ops::Range<usize>| range.filter(|i| turns(*i) > TURN).count();
    if parallel::sum(0..bodies.len(), &far) == 0 {
        return None;
    }
    let beside = contacts.iter().flat_map(|c| [c.a as usize, c.b as usize]).filter(|i| turns(*i) > TURN);
    let body = beside.reduce(|most, i| if turns(i) > turns(most) { i } else { most })?;
    let table = bodies.table;
    Some(Turn { body: table.id(body), label: table.label(body), angle: turns(body), time: report.time })
}
