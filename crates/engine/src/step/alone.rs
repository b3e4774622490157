//! Few bodies that are struck make their part of a step alone, from impact to impact.
//!
//! A step that takes all contacts together stops bodies before they touch, by their gap over the step, and gives the
//! energy back at its end. That is right on average, as in packs, and wrong for each impact: of first order in the
//! step, a ball that bounces loses up to `2 g dt / v` of its height, one that strikes obliquely spins by the arm
//! `R + gap/2`, and what a chain of balls does hangs on where within the step they meet. So bodies that hang together
//! with nothing but few others are taken out of the step where something strikes among them: with what they may meet
//! they become a [`World`] of their own, which goes from touch to touch ([`event`](crate::step::event)) to the end of
//! the part. What it comes to takes the place of what the step made of them.
//!
//! **Who.** Bodies are of one world when listed contacts join them, sleepers included: what a hit may set in motion
//! within the step is listed ([`reach`](crate::contacts::reach)). There are at most [`FEW`] in a world. A world that
//! does not end within its moves, or in which bodies sink into each other, is forgotten, and what the step made stands.
//!
//! **Velocities of symplectic Euler.** Steps of `h` in free flight pass through the points of the exact parabola, with
//! velocities that lag: the parabola has `v + g h/2` where a step ends with `v`. Its plain energy is E* but for the
//! constant `m g^2 h^2/8`. A body in flight therefore comes into a world with `v + g h/2`, and leaves it with
//! `v - g dt/2`, so that a flight that an impact ends is the flight that the steps began. With a body that leans on
//! others, what its contacts carry acts as well: one at rest does not lag, one that rocks does. What the book of E*
//! sees of it is a step of another length ([`EnergyReport::step_change`]).
//!
//! [`EnergyReport::step_change`]: crate::book::report::EnergyReport::step_change

use std::sync::Arc;

use granule_model::{DVec3, Velocity};
use rayon::prelude::*;

use crate::book::energy::Datum;
use crate::book::report::StepReport;
use crate::islands::impact::ImpactTotals;
use crate::step::attempt::Step;
use crate::step::detect;
use crate::step::event::KEPT;
use crate::step::observe::Outcome;
use crate::step::part::{Part, Pass};
use crate::step::scratch::{Alone, Detection, Group, START_OF_EVENTS, Scratch, World};
use crate::world::bodies::{BodyState, Frames, Table};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Contact, Contacts, inherit};
use crate::world::load::Entered;
use crate::world::state::State;

/// Bodies that can move in a world of their own, at most.
pub(crate) const FEW: usize = 24;
/// Moves from touch to touch in a part, for every body that can move, and at least.
const MOVES: usize = 8;
const LEAST_MOVES: usize = 100;

impl Step<'_> {
    /// Makes the part that was attempted again for few bodies that are struck in it, each world by itself from the
    /// state kept at `depth`; nothing of the attempt is changed yet. The bodies of the worlds that could be made; none
    /// where there are none.
    pub(crate) fn make_worlds(&mut self, outcome: &Outcome, depth: usize) -> Option<Group> {
        let is_released = self.catalogue.settings.law.is_released();
        if !self.catalogue.settings.stepping.resolves_touches()
            || self.scratch.exchange.problems.struck().next().is_none()
        {
            return None;
        }
        let (table, kept) = (&self.catalogue.bodies, &self.scratch.saved[depth]);
        let all = self.scratch.exchange.active.all();
        self.scratch.alone.find_worlds(table, &kept.bodies, self.scratch.exchange.problems.struck(), all);
        let Scratch { alone: Alone { worlds, in_use, .. }, exchange, saved, frames, loads, groups, .. } =
            &mut *self.scratch;
        let worlds = &mut worlds[..*in_use];
        let (catalogue, datum, dt, is_on) = (self.catalogue, self.datum, outcome.part.dt, loads.is_on);
        let (kept, frames) = (&saved[depth], &*frames);
        let make = |world: &mut World| {
            world.fill(catalogue, kept, frames);
            world.go(datum, dt, is_on);
        };
        if worlds.len() > 1 {
            worlds.par_iter_mut().for_each(make)
        } else {
            worlds.iter_mut().for_each(make)
        }
        if !worlds.iter().any(|world| world.is_made) {
            return None;
        }
        let mut group = groups.free.pop().unwrap_or_default();
        group.members.clear();
        group.members.resize(table.len(), false);
        for world in worlds.iter().filter(|world| world.is_made) {
            world.of.iter().filter(|i| table.dynamic[**i as usize]).for_each(|i| group.members[*i as usize] = true);
        }
        // Laws that resolve impacts cluster by cluster book them together.
        let struck = &exchange.impact.struck;
        if !is_released && struck.iter().zip(&group.members).any(|(struck, member)| *struck && !member) {
            groups.free.push(group);
            return None;
        }
        Some(group)
    }

    /// Lets what the worlds came to take the place of what the part that was attempted made of their bodies. Whether
    /// all of it stands; if not, one of them has come too near to another body, and the state is that before the part.
    pub(crate) fn enter_worlds(&mut self, outcome: &Outcome, mut group: Group, depth: usize) -> bool {
        let before = self.tally();
        let mut others = *outcome;
        if !self.catalogue.settings.law.is_released() {
            others.impacts = ImpactTotals::default();
            self.scratch.exchange.impact.begin();
        }
        self.report.spend(&outcome.report);
        self.let_others_stand(&others, &mut group, depth, |_| false);
        self.write_worlds();
        let own = self.own_contacts(&group);
        detect::install(own, &mut self.state.detected, &mut self.scratch.detection.search);
        self.state.time += outcome.part.dt;
        let is_crossed = self.rejoin(&outcome.part, &mut group, depth);
        group.after = Arc::clone(&self.scratch.nothing.detected.contacts);
        self.scratch.groups.free.push(group);
        if is_crossed {
            self.take_back(&before);
            self.go_back(depth);
            return false;
        }
        self.report.substeps += 1;
        self.report_worlds();
        true
    }

    /// Gives the bodies of the worlds that were made the states that they came to.
    fn write_worlds(&mut self) {
        let Scratch { alone: Alone { worlds, in_use, .. }, frames, .. } = &mut *self.scratch;
        let State { bodies, rest, .. } = &mut *self.state;
        let table = &self.catalogue.bodies;
        for world in worlds[..*in_use].iter().filter(|world| world.is_made) {
            let of = &world.state;
            for (k, i) in world.of.iter().map(|i| *i as usize).enumerate().filter(|(_, i)| table.dynamic[*i]) {
                bodies.pose[i] = of.bodies.pose[k];
                bodies.velocity[i] = of.bodies.velocity[k];
                bodies.asleep[i] = of.bodies.asleep[k];
                bodies.step[i] = of.bodies.step[k];
                bodies.account[i] = of.bodies.account[k];
                rest.note(i, &of.rest, k);
                frames.follow(table, i, &of.bodies.pose[k]);
            }
        }
    }

    /// The contacts of the worlds that were made, as contacts of the whole.
    fn own_contacts(&mut self, group: &Group) -> Arc<Contacts> {
        let Scratch { alone: Alone { worlds, in_use, contacts, .. }, detection, .. } = &mut *self.scratch;
        contacts.clear();
        for world in worlds[..*in_use].iter().filter(|world| world.is_made) {
            let Contacts { list, carried, .. } = &*world.state.detected.contacts;
            let whole = |c: &Contact| Contact { a: world.of[c.a as usize], b: world.of[c.b as usize], ..*c };
            contacts.extend(list.iter().zip(carried).map(|(c, carried)| (whole(c), *carried)));
        }
        // Those of a pair are all of one world, and keep their order.
        contacts.sort_by_key(|(c, _)| c.pair());
        let mut own = detection.search.begin();
        let into = Arc::make_mut(&mut own);
        into.list.clear();
        into.carried.clear();
        into.list.extend(contacts.iter().map(|(c, _)| *c));
        into.carried.extend(contacts.iter().map(|(_, carried)| *carried));
        into.searched.clone_from(&group.after.searched);
        into.sights.clear();
        own
    }

    /// Reports what the worlds did that were made, and what their contacts did.
    fn report_worlds(&mut self) {
        let Scratch { alone: Alone { worlds, in_use, .. }, loads, .. } = &mut *self.scratch;
        let StepReport { pairs, contacts, touching, islands, largest_island, .. } = self.report;
        for world in worlds[..*in_use].iter_mut().filter(|world| world.is_made) {
            self.report.add(&world.report);
            loads.take_over(&mut world.scratch.loads, &world.of);
        }
        let now = self.datum.energies(&self.bodies());
        let energy = &mut self.report.energy;
        (energy.kinetic, energy.potential, energy.star) = (now.kinetic(), now.potential, now.conserved());
        (self.report.pairs, self.report.contacts, self.report.touching) = (pairs, contacts, touching);
        (self.report.islands, self.report.largest_island) = (islands, largest_island);
    }
}

impl Alone {
    /// Finds the worlds in which something is `struck`: who is of each.
    fn find_worlds<'a>(
        &mut self,
        table: &Table,
        bodies: &BodyState,
        struck: impl Iterator<Item = granule_islands::Island<'a>>,
        contacts: &Contacts,
    ) {
        let Alone { pairs, mobile, islands, is_taken, worlds, in_use, .. } = self;
        mobile.clear();
        mobile.extend((0..table.len()).map(|i| table.dynamic[i] && !bodies.apart[i]));
        pairs.clear();
        pairs.extend(contacts.list.iter().map(Contact::pair));
        islands.build(table.len(), mobile, pairs);
        is_taken.clear();
        is_taken.resize(islands.len(), false);
        *in_use = 0;
        for k in struck.filter_map(|island| islands.island_of(*island.bodies.first()?)) {
            let Some(island) = islands.get(k).filter(|island| island.bodies.len() <= FEW) else { continue };
            if std::mem::replace(&mut is_taken[k], true) {
                continue;
            }
            if worlds.len() == *in_use {
                worlds.push(World::default());
            }
            let World { of, contacts: own, .. } = &mut worlds[*in_use];
            own.clear();
            own.extend(island.contacts.iter().map(|c| (contacts.list[*c as usize], contacts.carried[*c as usize])));
            of.clear();
            of.extend_from_slice(island.bodies);
            let ends = island.contacts.iter().flat_map(|c| <[u32; 2]>::from(pairs[*c as usize]));
            of.extend(ends.filter(|i| !mobile[*i as usize]));
            of.sort_unstable();
            of.dedup();
            *in_use += 1;
        }
    }
}

impl World {
    /// Makes this a world of the bodies that it is of, in the state that was `kept`, to be looked at anew.
    fn fill(&mut self, whole: &Catalogue, kept: &State, frames: &Frames) {
        let World { catalogue, state, scratch, of, contacts, .. } = self;
        catalogue.take(whole, of);
        let State { time, steps, bodies, rest, driven, detected, control } = state;
        (*time, *steps, *control) = (kept.time, kept.steps, kept.control);
        bodies.take(&kept.bodies, of);
        rest.take(&kept.rest, of);
        driven.clear();
        let clocks = whole.bodies.driven.iter().zip(&kept.driven);
        driven.extend(clocks.filter(|(d, _)| of.binary_search(&d.body).is_ok()).map(|(_, clock)| *clock));
        scratch.frames.take(frames, &catalogue.bodies, &bodies.pose, of);
        let mut own = scratch.detection.search.begin();
        let Contacts { list, carried, searched, sights, .. } = Arc::make_mut(&mut own);
        let place = |i: u32| of.partition_point(|own| *own < i) as u32;
        list.clear();
        list.extend(contacts.iter().map(|(c, _)| Contact { a: place(c.a), b: place(c.b), ..*c }));
        carried.clear();
        carried.extend(contacts.iter().map(|(_, carried)| *carried));
        searched.clear();
        sights.clear();
        detect::install(own, detected, &mut scratch.detection.search);
        detected.is_stale = true;
    }

    /// Makes a part of `dt` \[s\], from touch to touch.
    fn go(&mut self, datum: Datum, dt: f64, records_loads: bool) {
        let World { catalogue, state, scratch, report, is_made, .. } = self;
        scratch.loads.is_on = records_loads;
        scratch.loads.take_back(Entered::default());
        scratch.detection.search.reach.ask_for_nothing();
        let mut step =
            Step { catalogue, state, scratch, datum, report: StepReport::default(), star_at_start: None, insisted: 0 };
        step.find_touching(dt);
        let is_known = step.find_loads(dt);
        step.catch_up(dt);
        step.save(START_OF_EVENTS);
        let mobile = catalogue.bodies.dynamic.iter().filter(|dynamic| **dynamic).count();
        let ended = step.move_by_events(dt, LEAST_MOVES.max(MOVES * mobile));
        let has_ended = is_known && matches!(ended, Ok(None)) && !step.has_sunk(START_OF_EVENTS);
        *is_made = has_ended && step.find_loads(dt);
        step.lag(dt);
        *report = step.report;
        scratch.end_step(false);
    }
}

impl Step<'_> {
    /// Gives the bodies the velocities of the paths that their steps follow.
    fn catch_up(&mut self, dt: f64) {
        self.find_accelerations();
        let table = &self.catalogue.bodies;
        for i in 0..table.len() {
            if self.state.bodies.awake(table, i) {
                // A body that has made no step yet comes in with the length of its first one, and does not lag.
                let step = self.state.bodies.step[i];
                self.state.bodies.step[i] = if step < 0.0 { dt } else { step };
                self.shift(i, 0.5 * step.max(0.0), 0.0);
            }
        }
    }

    /// Finds what the contacts carry from now on, over a step of `dt` \[s\], and lets them carry that; whether it could
    /// be found. What they carried in the last flight stopped what impacts had left, in a time as short as may be; what
    /// they carried in a step that took impacts together passed these on. What comes fast is no load, and takes no
    /// part.
    fn find_loads(&mut self, dt: f64) -> bool {
        let report = self.report;
        let part = Part { pass: Pass::Flight { horizon: dt }, ..self.part(dt) };
        self.save(KEPT);
        self.leave_loads(&part);
        let is_found = self.attempt(&part).is_ok();
        self.report = report;
        self.go_back(KEPT);
        let Scratch { detection: Detection { search, .. }, exchange, .. } = &mut *self.scratch;
        let detected = &mut self.state.detected;
        let mut loaded = search.begin();
        let into = Arc::make_mut(&mut loaded);
        into.clone_from(&detected.contacts);
        let known = exchange.active.known();
        inherit(known.contacts, known.carried, &into.list, &mut into.carried);
        let is_stale = detected.is_stale;
        detect::install(loaded, detected, search);
        detected.is_stale = is_stale;
        is_found
    }

    /// Leaves no contacts but those that touch and do not come fast.
    fn leave_loads(&mut self, part: &Part) {
        let limits = part.limits().at_touch();
        let Scratch { detection: Detection { search, .. }, frames, .. } = &mut *self.scratch;
        let bodies = self.state.bodies.view(&self.catalogue.bodies, frames);
        let is_load = |c: &Contact| {
            let lift = limits.hits(c.speed(bodies.pose, bodies.velocity)).lift;
            c.is_near() && -c.normal_velocity(bodies.pose, bodies.velocity) <= lift
        };
        let mut left = search.begin();
        let Contacts { list, carried, ahead, velocity, reach, searched, crowd, sights } = Arc::make_mut(&mut left);
        let all = &*self.state.detected.contacts;
        list.clear();
        carried.clear();
        for (c, of) in all.list.iter().zip(&all.carried).filter(|(c, _)| is_load(c)) {
            list.push(*c);
            carried.push(*of);
        }
        (*ahead, *crowd) = (all.ahead, all.crowd);
        velocity.clone_from(&all.velocity);
        reach.clone_from(&all.reach);
        searched.clone_from(&all.searched);
        sights.clear();
        detect::install(left, &mut self.state.detected, search);
    }

    /// Takes them back to those of steps of `dt` \[s\].
    fn lag(&mut self, dt: f64) {
        self.find_accelerations();
        let table = &self.catalogue.bodies;
        for i in 0..table.len() {
            if self.state.bodies.awake(table, i) {
                self.shift(i, -0.5 * dt, dt);
            }
        }
    }

    /// Moves the velocity of a body on by what acts on it in `time`, and lets E* count a step of `step` for it \[s\].
    fn shift(&mut self, i: usize, time: f64, step: f64) {
        let before = self.datum.star_of(&self.bodies(), i);
        let acceleration = self.scratch.motion.acceleration[i];
        self.state.bodies.velocity[i] = self.state.bodies.velocity[i] + acceleration * time;
        self.state.bodies.step[i] = step;
        self.report.energy.step_change += self.datum.star_of(&self.bodies(), i) - before;
    }

    /// Finds how gravity, and what the contacts carried last, accelerate the bodies.
    fn find_accelerations(&mut self) {
        let Scratch { motion, frames, .. } = &mut *self.scratch;
        let bodies = self.state.bodies.view(&self.catalogue.bodies, frames);
        let accelerations = &mut motion.acceleration;
        accelerations.clear();
        accelerations.resize(bodies.len(), Velocity { linear: self.catalogue.gravity(), angular: DVec3::ZERO });
        let Contacts { list, carried, .. } = &*self.state.detected.contacts;
        for (c, carried) in list.iter().zip(carried) {
            let force = c.normal * carried.normal + carried.tangential;
            for (i, force) in [(c.a as usize, force), (c.b as usize, -force)] {
                let arm = c.point - bodies.pose[i].position;
                accelerations[i].linear += force * bodies.inverse_mass[i];
                accelerations[i].angular += bodies.inverse_inertia[i].mul(arm.cross(force));
            }
        }
    }
}
