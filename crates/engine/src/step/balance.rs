//! The forces between sleepers, for who asks for forces.
//!
//! Bodies of a pile fall asleep one after the other, each with the forces of its last step: those of its neighbours
//! changed after that, and the sum on a body was off its weight by up to 30 % (300 spheres in a box, some of which spin
//! on). So the contacts between sleepers are solved once more for bodies at rest, from the forces that they keep: under
//! gravity, fields, and what bodies awake press with. The result is told and not used: no motion depends on who asks.

use granule_model::{DVec3, Velocity};

use crate::islands::problems::{Given, Problems};
use crate::step::part::Part;
use crate::world::accuracy::Accuracy;
use crate::world::bodies::{BodyState, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Carried, Contact, Turned};
use crate::world::load::Load;
use crate::world::state::State;

/// How sharp the balance is made, and with how many sweeps at most: it is made once, and a contact stage of a step is
/// content with 1 % of a weight.
const TOLERANCE: f64 = 1e-7;
const SWEEPS: u32 = 3000;

/// Bodies that sleep as those that move, with what draws and presses on them in a step.
pub(crate) struct Pressed {
    /// Places among the loads of the contacts between bodies of which none is awake.
    kept: Vec<usize>,
    /// Velocities that gravity, fields and bodies awake would give sleepers in the step; zero of all others.
    bodies: BodyState,
    unforced: Vec<Velocity>,
}

/// Whether neither body of a contact of the step before is awake, and both are there.
pub(crate) fn is_kept(catalogue: &Catalogue, state: &State, contact: &Contact) -> bool {
    let table = &catalogue.bodies;
    let sleeps = |i: u32| table.present[i as usize] && !state.bodies.awake(table, i as usize);
    sleeps(contact.a) && sleeps(contact.b)
}

impl Pressed {
    /// After the step that `part` describes, whose contacts did `loads`.
    pub(crate) fn after(catalogue: &Catalogue, part: &Part, state: &State, frames: &Frames, loads: &[Load]) -> Self {
        let kept = (0..loads.len()).filter(|k| is_kept(catalogue, state, &loads[*k].contact)).collect();
        let mut bodies = state.bodies.clone();
        (0..bodies.asleep.len()).for_each(|i| bodies.asleep[i] = !state.bodies.asleep[i]);
        bodies.velocity.fill(Velocity::ZERO);
        let unforced = bodies.velocity.clone();
        draw(catalogue, part, frames, &mut bodies);
        press(catalogue, frames, &mut bodies, loads);
        Pressed { kept, bodies, unforced }
    }

    /// The velocities that the contacts between sleepers have to take from them.
    pub(crate) fn velocities(&self) -> &[Velocity] {
        &self.bodies.velocity
    }

    /// Balances those of `loads`, as they came in, that are between bodies of which none is awake.
    pub(crate) fn balance(self, catalogue: &Catalogue, part: &Part, frames: &Frames, loads: &mut [Load]) {
        if self.kept.is_empty() {
            return;
        }
        let (table, kept) = (&catalogue.bodies, &self.kept);
        let view = self.bodies.view(table, frames);
        let contacts: Vec<Contact> = kept.iter().map(|k| loads[*k].contact).collect();
        let carried: Vec<Carried> = kept.iter().map(|k| carried(&loads[*k], part.dt)).collect();
        let mut problems = Problems::default();
        problems.find(&view, &contacts);
        let (contacts, carried, unforced) = (&contacts[..], &carried[..], &self.unforced[..]);
        let overlap_bound = part.accuracy.overlap_bound;
        let given = Given { bodies: &view, contacts, carried, unforced, dt: part.dt, overlap_bound };
        problems.assemble(
            &given,
            |c| *catalogue.pairs.at(table, c),
            |c| if c.is_near() { c.gap.min(0.0) } else { c.gap },
            |_, _| Turned::default(),
        );
        let accuracy = Accuracy { tolerance: TOLERANCE, sweeps: SWEEPS, ..part.accuracy };
        problems.solve(&Part { accuracy, ..*part }.limits(), view.account);
        let mut balanced: Vec<Load> = contacts.iter().map(Load::none).collect();
        problems.add_loads(&[], &mut balanced);
        kept.iter().zip(balanced).for_each(|(k, load)| loads[*k] = load);
    }
}

/// Lets gravity and fields draw on sleepers. What rests feels no drag.
fn draw(catalogue: &Catalogue, part: &Part, frames: &Frames, bodies: &mut BodyState) {
    let table = &catalogue.bodies;
    for i in 0..table.len() {
        if !bodies.awake(table, i) {
            continue;
        }
        let force = catalogue.field_force(i, &bodies.pose[i], &Velocity::ZERO, part.time);
        let linear = catalogue.gravity() + force.force * table.inverse_mass[i];
        bodies.velocity[i].linear = part.dt * linear;
        bodies.velocity[i].angular = part.dt * frames.inverse_inertia[i].mul(force.torque);
    }
}

/// Lets bodies awake press on sleepers; those are what is awake in `bodies`.
fn press(catalogue: &Catalogue, frames: &Frames, bodies: &mut BodyState, loads: &[Load]) {
    let table = &catalogue.bodies;
    for load in loads {
        let (a, b) = (load.contact.a as usize, load.contact.b as usize);
        let sleeps = [a, b].map(|i| bodies.awake(table, i));
        for (i, other, sign) in [(a, 1, 1.0), (b, 0, -1.0)] {
            let is_pressed = sleeps[1 - other] && !sleeps[other] && table.dynamic[[a, b][other]];
            if is_pressed {
                let arm = load.contact.point - bodies.pose[i].position;
                let velocity = &mut bodies.velocity[i];
                velocity.linear += sign * table.inverse_mass[i] * load.impulse;
                velocity.angular += sign * frames.inverse_inertia[i].mul(arm.cross(load.impulse) + load.couple);
            }
        }
    }
}

/// What a contact carries that does this in `dt` \[s\].
fn carried(load: &Load, dt: f64) -> Carried {
    let normal = load.contact.normal.dot(load.impulse);
    let tangential: DVec3 = load.impulse - normal * load.contact.normal;
    Carried { normal: normal.max(0.0) / dt, tangential: tangential / dt }
}
