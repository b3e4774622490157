//! Dividing: which contacts a step has pressed too deep, and making it again in halves for those that hang together
//! with them.
//!
//! **Judgement.** Each contact is judged by itself, against its own thickness h. It fails where its overlap is beyond
//! its bound and grew in the step by more than a share of what was left to the limit (`world::overlap`), but no less
//! than [`UNSEEN`]: a contact that creeps there is the drift correction's business, and no division changes it.
//!
//! **Crowds** are divided in the same way ([`alone`](crate::step::alone)).
//!
//! **Groups.** Bodies that hang together by contacts before or after the move are a group, and groups do not know of
//! each other within a step. Where the groups that failed hold less than half of the bodies, the others keep what they
//! came to, and only those go back and move on in two halves; see [`Step::make_again`]. If what was kept apart
//! meets all the same, the whole step is made again.
//!
//! **Ends.** A step is halved at most [`DEEPEST`] times, or [`DEEPEST_THIN`] while bodies move further than they are
//! thick or swing round. A part that fails there is made once more with [`PATIENCE`] times the sweeps. If that fails as
//! well, and a driven body presses on the group with more than its inertia explains, it is a *jam*: nothing can give
//! way (`jam`). Otherwise the part stands as it is: what fails is convergence, not the scene.

use std::sync::Arc;

use granule_model::Velocity;

use crate::contacts::reach::way_moved;
use crate::step::attempt::Step;
use crate::step::jam::{DEEPEST_AFTER_STOP, Jam, find_jam};
use crate::step::judge::judge;
use crate::step::observe::Outcome;
use crate::step::part::Part;
use crate::step::scratch::{DEEPEST_THIN, Exchange, Group, Groups, Scratch};
use crate::world::bodies::Bodies;
use crate::world::contact::Contact;
use crate::world::error::EngineError;
use crate::world::overlap::UNSEEN;

/// How often a step may be halved.
pub(crate) const DEEPEST: usize = 6;
/// Parts of a step, those undone included, beyond which that is given up.
const MOST_PARTS: u32 = 1000;
/// Factor on the sweeps of a part that cannot be halved any more.
const PATIENCE: u32 = 20;

/// Parts of a step that are made with so many sweeps, at most: what did not help four times will not help sixty times.
const MOST_INSISTENT: u32 = 4;

/// Why a step could not be made.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A number or a law failed.
    Failed(EngineError),
    /// Bodies are caught between others that do not give way.
    Jammed(Jam),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Stop::Failed(error)
    }
}

impl Step<'_> {
    /// Makes a step of `dt`. Begins in halves where the one before had to be divided as a whole, for then it is likely
    /// again, until halves come out so well that a whole one may.
    pub(crate) fn step_by_margin(&mut self, dt: f64) -> Result<(), Stop> {
        self.scratch.alone.begin_step();
        if !std::mem::replace(&mut self.state.control.begins_in_halves, false) {
            return self.divide(dt, 0);
        }
        for _ in 0..2 {
            self.divide(0.5 * dt, 1)?;
            let Scratch { exchange: Exchange { active, .. }, failed, .. } = &mut *self.scratch;
            let accuracy = &self.catalogue.settings.accuracy;
            judge(accuracy, &self.state.detected.contacts.list, active.contacts(), [0.5, 1.0], failed);
            self.state.control.begins_in_halves |= !failed.is_empty();
        }
        Ok(())
    }

    /// Makes a part of `dt`, in halves where contacts are pressed too deep.
    pub(crate) fn divide(&mut self, dt: f64, depth: usize) -> Result<(), Stop> {
        // The state before a step is kept where the step begins.
        if depth > 0 {
            self.save(depth);
        }
        let part = Part { of_step: 0.5_f64.powi(depth as i32), ..self.part(dt) };
        let outcome = self.attempt_from(&part, depth)?;
        let may_halve = depth < DEEPEST || self.is_long(dt, depth);
        if self.scratch.failed.is_empty() && (self.scratch.alone.crowd.is_empty() || !may_halve) {
            self.accept(&outcome);
            return Ok(());
        }
        if !may_halve {
            return self.insist(outcome, depth);
        }
        // A driven body that stood in the step before has had its chance; what is no jam is divided like any other
        // step.
        if depth >= DEEPEST_AFTER_STOP
            && self.state.control.stood
            && let Some(jam) = find_jam(self, dt)
        {
            return Err(Stop::Jammed(jam));
        }
        self.report.undo(&outcome.report);
        if let Some(group) = self.failed_group() {
            return self.make_again(&outcome, group, depth);
        }
        self.go_back(depth);
        self.state.control.begins_in_halves = true;
        self.halve(dt, depth)
    }

    /// Attempts a part from the state that is kept at `depth`, from which few bodies that are struck make it alone.
    fn attempt_from(&mut self, part: &Part, depth: usize) -> Result<Outcome, EngineError> {
        let mut solved = self.solve(part)?;
        self.make_alone(part, depth, &mut solved);
        self.end(solved)
    }

    /// Whether a part of a step is still long: some are a crowd in it, or of the bodies that failed one moved by more
    /// than its thickness, or swung visibly out of the straight line along which contacts see it.
    fn is_long(&self, dt: f64, depth: usize) -> bool {
        let may = (DEEPEST..DEEPEST_THIN).contains(&depth) && self.report.substeps + self.report.undone < MOST_PARTS;
        let (bodies, transport) = (self.bodies(), &self.scratch.motion.transport);
        let contacts = &self.state.detected.contacts.list;
        let mut failed = self.scratch.failed.iter().map(|k| &contacts[*k as usize]);
        // What made the part alone has not moved as the part was solved for it.
        let is_alone = |i: u32| self.scratch.alone.members().get(i as usize).is_some_and(|member| *member);
        let moved = |i: u32| if is_alone(i) { bodies.velocity } else { transport };
        let way = |i: u32| way_moved(&bodies, moved(i), i as usize, dt);
        let swing = |i: u32| swing(&bodies, moved(i), i as usize, dt);
        may && (!self.scratch.alone.crowd.is_empty()
            || failed.any(|c| way(c.a) + way(c.b) > c.thickness || swing(c.a) + swing(c.b) > UNSEEN * c.thickness))
    }

    fn halve(&mut self, dt: f64, depth: usize) -> Result<(), Stop> {
        self.divide(0.5 * dt, depth + 1)?;
        let made = self.divide(0.5 * dt, depth + 1);
        self.scratch.release_parts(depth + 1);
        made
    }

    /// The last way out of a part that cannot be halved any more: many sweeps.
    fn insist(&mut self, first: Outcome, depth: usize) -> Result<(), Stop> {
        let mut outcome = first;
        if self.insisted < MOST_INSISTENT {
            self.insisted += 1;
            self.report.undo(&outcome.report);
            self.go_back(depth);
            outcome = self.attempt_from(&Part { patience: PATIENCE, ..first.part }, depth)?;
        }
        if !self.scratch.failed.is_empty()
            && let Some(jam) = find_jam(self, first.part.dt)
        {
            return Err(Stop::Jammed(jam));
        }
        self.accept(&outcome);
        Ok(())
    }

    /// Makes the part again in halves for the bodies of `group`; what the others came to stands.
    fn make_again(&mut self, outcome: &Outcome, mut group: Group, depth: usize) -> Result<(), Stop> {
        let (before, part) = (self.tally(), outcome.part);
        self.undo_for(outcome, &mut group, depth);
        let made = self.halve(part.dt, depth);
        let is_crossed = made.is_ok() && self.rejoin(&part, &mut group, depth);
        group.after = Arc::clone(&self.scratch.nothing.detected.contacts);
        self.scratch.groups.free.push(group);
        made?;
        if !is_crossed {
            return Ok(());
        }
        self.take_back(&before);
        self.go_back(depth);
        self.state.control.begins_in_halves = true;
        self.halve(part.dt, depth)
    }

    /// The bodies that hang together with contacts that failed, those of a crowd, and those that made the part alone;
    /// none where that is half of those awake or more.
    fn failed_group(&mut self) -> Option<Group> {
        // Laws that resolve impacts cluster by cluster book them together.
        if !self.catalogue.settings.law.is_released() {
            return None;
        }
        let Scratch { failed, exchange: Exchange { active, .. }, groups, frames, alone, .. } = &mut *self.scratch;
        let Groups { pairs, awake, islands, free } = groups;
        let (bodies, contacts) =
            (self.state.bodies.view(&self.catalogue.bodies, frames), &self.state.detected.contacts.list);
        awake.clear();
        awake.extend((0..bodies.len()).map(|i| bodies.awake(i)));
        pairs.clear();
        pairs.extend(active.contacts().iter().map(Contact::pair));
        pairs.extend(contacts.iter().filter(|c| c.is_near()).map(Contact::pair));
        islands.build(bodies.len(), awake, pairs);
        let mut group = free.pop().unwrap_or_default();
        group.members.clear();
        group.members.extend_from_slice(alone.members());
        group.members.resize(bodies.len(), false);
        alone.crowd.iter().for_each(|i| group.members[*i as usize] = true);
        let mut count = group.members.iter().zip(&*awake).filter(|(member, awake)| **member && **awake).count();
        for c in failed.iter().map(|k| &contacts[*k as usize]) {
            let island = islands.island_of(c.a).or(islands.island_of(c.b)).and_then(|island| islands.get(island));
            for i in island.map_or(&[][..], |island| island.bodies) {
                count += usize::from(!std::mem::replace(&mut group.members[*i as usize], true));
            }
        }
        let all = awake.iter().filter(|awake| **awake).count();
        if count > 0 && 2 * count < all {
            return Some(group);
        }
        free.push(group);
        None
    }
}

/// How far the surface of the body `i` leaves its tangent in a turn by `w dt`, `(w dt)^2 r/2` \[m\].
fn swing(bodies: &Bodies<'_>, transport: &[Velocity], i: usize, dt: f64) -> f64 {
    if bodies.round[i] || !bodies.movable[i] || bodies.extent[i] == f64::INFINITY {
        return 0.0;
    }
    0.5 * (transport[i].angular * dt).length_squared() * bodies.extent[i]
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::{BodyKind, DVec3, Material};

    use super::*;
    use crate::book::energy::Datum;
    use crate::book::report::StepReport;
    use crate::interface::simulation::Simulation;
    use crate::world::description::{BodyDescription, Motion, Settings};

    /// Bodies: 0 the floor, 1 and 2 cubes that lie on it apart, 3 a plate that is driven.
    fn two_cubes() -> Simulation {
        let mut simulation = Simulation::new(Settings::default()).expect("settings are valid");
        let rock = simulation.add_material(Material::default()).expect("the material is valid");
        let mut add = |body: BodyDescription| simulation.add_body(body).expect("the body is valid");
        let floor = Shape::half_space(DVec3::Z).expect("the normal is valid");
        let cube = Shape::cuboid(DVec3::ONE).expect("it is valid");
        add(BodyDescription::fixed(floor, rock, DVec3::ZERO));
        for x in [0.0, 5.0] {
            let mut body = BodyDescription::dynamic(cube.clone(), rock, DVec3::new(x, 0.0, 0.5));
            body.velocity.linear = 10.0 * DVec3::X;
            add(body);
        }
        let mut plate = BodyDescription::fixed(cube, rock, DVec3::new(10.0, 0.0, 3.0));
        plate.kind = BodyKind::Driven;
        plate.motion = Some(Motion::Sine { amplitude: 0.02 * DVec3::Z, frequency: 1.0, phase: 0.0 });
        add(plate);
        simulation
    }

    /// What a group has made is undone in every field of its bodies and of driven ones, and nothing of the others.
    #[test]
    fn what_a_group_made_is_undone_for_its_bodies_alone() {
        let mut simulation = two_cubes();
        simulation.step().expect("the step is made");
        let dt = simulation.choose_time_step();
        let Simulation { catalogue, state, scratch, .. } = &mut simulation;
        let kept = state.clone();
        let (datum, report) = (Datum { gravity: catalogue.gravity(), point: DVec3::ZERO }, StepReport::default());
        let mut step = Step { catalogue, state, scratch, datum, report, star_at_start: None, insisted: 0 };
        step.save(0);
        let outcome = step.attempt(&step.part(dt)).expect("the part is made");
        for i in [1, 2] {
            step.state.bodies.asleep[i] = true;
            step.state.rest.slow[i] += 1.0;
            step.state.rest.restless[i] ^= true;
        }
        let made = step.state.clone();
        let mut group = Group { members: vec![false, true, false, false], ..Group::default() };
        step.undo_for(&outcome, &mut group, 0);
        for (i, of) in [(1, &kept), (2, &made)] {
            assert_eq!(state.bodies.pose[i], of.bodies.pose[i], "pose of {i}");
            assert_eq!(state.bodies.velocity[i], of.bodies.velocity[i], "velocity of {i}");
            assert_eq!(state.bodies.asleep[i], of.bodies.asleep[i], "sleep of {i}");
        }
        let (rest, was) = (&state.rest, &kept.rest);
        assert_eq!((rest.slow[1], rest.restless[1], rest.held[1]), (was.slow[1], was.restless[1], was.held[1]));
        assert_eq!((state.bodies.account[1], state.bodies.step[1]), (kept.bodies.account[1], kept.bodies.step[1]));
        assert_ne!(state.bodies.account[2], kept.bodies.account[2], "what stands is booked");
        // The plate goes back with the group; the other cube takes no part until the group has come as far.
        assert_eq!(state.bodies.pose[3], kept.bodies.pose[3]);
        assert_ne!(made.bodies.pose[3], kept.bodies.pose[3]);
        assert_eq!((state.bodies.apart[1], state.bodies.asleep[2] || state.bodies.apart[2]), (false, true));
        assert_eq!(state.time, kept.time);
        assert!(state.detected.contacts.list.iter().all(|c| c.a == 1 || c.b == 1), "contacts of the group alone");
    }
}
