//! How few bodies make a part of a step alone: as a [`World`], from touch to touch.
//!
//! **Velocities of symplectic Euler.** Steps of `h` in free flight pass through the points of the exact parabola, with
//! velocities that lag: the parabola has `v + g h/2` where a step ends with `v`. Its plain energy is E* but for the
//! constant `m g^2 h^2/8`. A body in flight therefore comes into a world with `v + g h/2`, and leaves it with
//! `v - g dt/2`, so that a flight that an impact ends is the flight that the steps began. With a body that leans on
//! others, what its contacts carry acts as well: one at rest does not lag, one that rocks does. What the book of E*
//! sees of it is a step of another length ([`EnergyReport::step_change`]).
//!
//! Who is of a world, and what becomes of what it comes to, is left to [`alone`](crate::step::alone).
//!
//! [`EnergyReport::step_change`]: crate::book::report::EnergyReport::step_change

use std::sync::Arc;

use granule_forces::Force;
use granule_model::{DVec3, Velocity};

use crate::book::report::StepReport;
use crate::contacts::reach::way;
use crate::contacts::turning;
use crate::islands::limits::Limits;
use crate::step::attempt::Step;
use crate::step::detect;
use crate::step::drive;
use crate::step::event::{Budget, KEPT};
use crate::step::flight::{any_begins, keeps_parabolas};
use crate::step::part::{Part, Pass};
use crate::step::scratch::{Detection, Motions, START_OF_EVENTS, Scratch, Strayed, Workspace, World};
use crate::world::bodies::{Bodies, Frames};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Carried, Contact, Contacts, inherit};
use crate::world::description::Motion;
use crate::world::load::{Entered, Load};
use crate::world::state::State;

/// Moves from touch to touch in a part, for every body that can move, and at least. A world that does not end in so
/// many has them for nothing, and one of three bodies that rattle took 100 moves of 0.4 ms.
const MOVES: usize = 8;
const LEAST_MOVES: usize = 32;
/// The least where slow blows are told as well: a block that rocks at 30 Hz needs more than 32.
const LEAST_SLOW_MOVES: usize = 100;

/// Approach speed up to which what touches may carry something, over the slowest that is told from a load, if nothing
/// would be given back at it. An edge on which a block of b/h = 0.1 lands at 30 Hz comes with 0.06 g dt: taken for a
/// load it cost the block 7 % of its speed. With 1 a block of 0.5 lost as much, whose edges rock on; 2 to 16 give the
/// same.
const LOADED: f64 = 8.0;

/// Way in a step, over the thickness of the contact, from which on what leaves is no load where there is no gravity.
/// What rides on a wheel leaves and comes by 1e-4.
const LEAVES: f64 = 0.01;

/// Gap over the thickness up to which something may be pressed where there is no gravity and nobody is carried round.
/// Of flat boxes that spun at 800 rad/s one that hung at 0.01 beside another was taken for pressed by it.
const HOVERS: f64 = 1e-3;

/// Share of what a step changes the velocity by of what rides on a body that turns, up to which it may come: its lag is
/// known to first order. Without it a ring of cubes on a drum was struck 20 times as often.
const RIDES: f64 = 0.05;

/// From what worlds begin.
pub(crate) struct Origin<'a> {
    /// The state at the start of the part, with its frames.
    pub(crate) kept: &'a State,
    pub(crate) frames: &'a Frames,
    /// The contacts that were looked for in it.
    pub(crate) looked: &'a Contacts,
}

impl World {
    /// Makes the `part` that is made of the whole, from touch to touch, for the bodies that it is of. It is not made
    /// where these may have passed others of the whole, which are where they were when the contacts were looked for. It
    /// may take so many `more` contacts into moves in which something is hit hard.
    pub(crate) fn make(
        &mut self,
        whole: &Catalogue,
        from: &Origin<'_>,
        part: &Part,
        more: usize,
        records_loads: bool,
        workspace: &mut Workspace,
    ) {
        self.fill(whole, from, workspace);
        self.go(part, more, records_loads, workspace);
        let bodies = from.kept.bodies.view(&whole.bodies, from.frames);
        self.find_met(&bodies, from.looked, part.dt, &workspace.scratch);
        self.is_made &= self.met.is_empty();
    }

    /// Makes this a world of the bodies that it is of, in the state that was `kept`, to be looked at anew.
    fn fill(&mut self, whole: &Catalogue, from: &Origin<'_>, workspace: &mut Workspace) {
        let Origin { kept, frames, looked } = *from;
        let World { state, of, contacts, .. } = self;
        let Workspace { catalogue, scratch } = workspace;
        catalogue.take(whole, of);
        let Strayed { from, crowd, needed } = scratch.strayed.get_or_insert_default();
        from.clear();
        from.extend(of.iter().map(|i| looked.velocity[*i as usize]));
        *crowd = looked.crowd;
        needed.clear();
        needed.resize(of.len(), 0.0);
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
        // Pairs of the world before would have a say in how far neighbours are looked for.
        detected.pairs.clone_from(&scratch.nothing.detected.pairs);
        detected.is_stale = true;
    }

    /// Makes the part, from touch to touch.
    fn go(&mut self, part: &Part, more: usize, records_loads: bool, workspace: &mut Workspace) {
        let (datum, dt) = (part.datum, part.dt);
        let World { state, contacts, loads, report, is_made, is_hopeless, is_squeezed, spent, .. } = self;
        let Workspace { catalogue, scratch } = workspace;
        scratch.loads.is_on = records_loads;
        scratch.loads.take_back(Entered::default());
        scratch.detection.search.reach.ask_for_nothing();
        let mut step =
            Step { catalogue, state, scratch, datum, report: StepReport::default(), star_at_start: None, insisted: 0 };
        step.find_touching(dt);
        let is_known = step.find_loads(dt);
        step.catch_up(part);
        step.save(START_OF_EVENTS);
        let least = if step.limits_at_touch(dt).resolves_slow { LEAST_SLOW_MOVES } else { LEAST_MOVES };
        let (usual, count) = (least.max(MOVES * step.movable()), contacts.len().max(1));
        let ended = step.move_by_events(dt, Budget { usual, most: usual.max(more / count) });
        *is_hopeless = ended.as_ref().is_ok_and(|ended| ended.left > 0.0);
        *is_squeezed = *is_hopeless && step.is_squeezed();
        let moves = ended.as_ref().map_or(0, |ended| ended.moves);
        *spent = count * if *is_hopeless { moves } else { moves.saturating_sub(usual) };
        let has_ended = is_known && ended.is_ok() && !*is_hopeless && !step.has_sunk(START_OF_EVENTS);
        step.rouse();
        *is_made = has_ended && step.find_loads(dt);
        step.state.bodies.asleep.clone_from(&step.scratch.slept);
        step.lag(dt);
        *report = step.report;
        scratch.end_step(false);
        std::mem::swap(loads, &mut scratch.loads);
    }
}

impl World {
    /// Finds the other `bodies` that those of a world that was made may have met: they have come so much further in a
    /// part of `dt` \[s\] than contacts were `looked` for in the whole, by half the width of their thinnest piece.
    ///
    /// Who lies apart is met by nobody until the group rejoins it: it has made its part. As one of a world it would
    /// count as one that takes part, and move on with the group from where it should end.
    fn find_met(&mut self, bodies: &Bodies<'_>, looked: &Contacts, dt: f64, scratch: &Scratch) {
        let World { of, met, is_made, .. } = self;
        met.clear();
        let Some(Strayed { needed, .. }) = scratch.strayed.as_ref().filter(|_| *is_made) else { return };
        // From where a body was, as far as it may come with so much reach.
        let around =
            |i: usize, reach: f64| bodies.boxes[i].padded(way(bodies, i, &looked.velocity[i], DVec3::ZERO, dt) + reach);
        let members = of.iter().map(|i| *i as usize).zip(needed);
        for (i, needed) in members.filter(|(i, needed)| **needed > looked.reach[*i] + bodies.half_width[*i]) {
            let own = around(i, *needed);
            let takes_part = |j: &usize| bodies.present[*j] && !bodies.apart[*j];
            let others = (0..bodies.len()).filter(takes_part).filter(|j| of.binary_search(&(*j as u32)).is_err());
            met.extend(others.filter(|j| around(*j, looked.reach[*j]).overlaps(&own)).map(|j| j as u32));
        }
    }
}

impl Step<'_> {
    /// Gives the bodies the velocities of the paths that their steps follow.
    fn catch_up(&mut self, part: &Part) {
        let dt = part.dt;
        self.begin_flights(part);
        self.find_accelerations();
        self.enter_shift(0.5, dt);
        let table = &self.catalogue.bodies;
        for i in 0..table.len() {
            if self.state.bodies.awake(table, i) {
                // What begins on others comes in with the length of its first step, and does not lag.
                let step = self.state.bodies.step[i];
                self.state.bodies.step[i] = if step < 0.0 { dt } else { step };
                self.shift(i, 0.5 * step.max(0.0), 0.0);
            }
        }
        let State { time, bodies, driven, .. } = &mut *self.state;
        drive::set_in_motion(table, driven, [*time, dt], &bodies.pose, &mut bodies.velocity);
    }

    /// Lets bodies that begin in flight lag by a part of a step, as the whole has them, for one book to hold both.
    fn begin_flights(&mut self, part: &Part) {
        if !(keeps_parabolas(self.catalogue) && any_begins(&self.bodies())) {
            return;
        }
        let gravity = self.catalogue.gravity();
        let Scratch { motion, frames, .. } = &mut *self.scratch;
        let State { bodies, detected, .. } = &mut *self.state;
        let table = &self.catalogue.bodies;
        motion.flights.find(&bodies.view(table, frames), &detected.contacts, gravity, part.dt);
        for i in (0..table.len()).filter(|i| motion.flights.flies(*i)) {
            if bodies.step[i] < 0.0 {
                bodies.step[i] = part.dt;
                bodies.velocity[i].linear -= 0.5 * part.dt * gravity;
            }
        }
    }

    /// Finds the velocities that bodies have at this moment, where driven ones change theirs: that of a driven body is
    /// the mean of the step before, and a ball seemed to go away from what it came upon with 0.3 m/s.
    fn find_coming(&mut self, dt: f64) {
        let (table, State { time, bodies, driven, .. }) = (&self.catalogue.bodies, &*self.state);
        let Scratch { motion: Motions { coming, .. }, frames, .. } = &mut *self.scratch;
        let bodies = bodies.view(table, frames);
        coming.clear();
        if table.driven.iter().all(|driven| matches!(driven.motion, Motion::Constant(_))) {
            return;
        }
        let lag = |i: usize| if bodies.awake(i) { bodies.lag(i) } else { 0.0 };
        let shifted =
            |(i, v): (usize, &Velocity)| Velocity { linear: v.linear + self.catalogue.gravity() * lag(i), ..*v };
        coming.extend(bodies.velocity.iter().enumerate().map(shifted));
        drive::set_in_motion(table, driven, [*time, dt], bodies.pose, coming);
    }

    /// Finds what the contacts carry from now on, over a step of `dt` \[s\], and lets them carry that; whether it could
    /// be found. What they carried in the last flight stopped what impacts had left, in a time as short as may be; what
    /// they carried in a step that took impacts together passed these on. What comes fast is no load, and takes no
    /// part.
    fn find_loads(&mut self, dt: f64) -> bool {
        let part = Part { pass: Pass::Loads, ..self.part(dt) };
        let mut is_found = true;
        self.find_coming(dt);
        if self.has_loads(dt) {
            let report = self.report;
            self.save(KEPT);
            self.find_ridden(dt);
            self.leave_loads(dt);
            is_found = self.attempt(&part).is_ok();
            self.report = report;
            self.go_back(KEPT);
        } else {
            self.scratch.exchange.active.take(&self.scratch.nothing.detected.contacts);
        }
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

    /// Finds the contacts anew where a driven body turns: what rides on it leans on what it comes to in the step as
    /// well.
    fn find_ridden(&mut self, dt: f64) {
        if turns_driven(&self.bodies()) {
            self.state.detected.is_stale = true;
            self.find_touching(dt);
        }
    }

    /// Lets those be awake that fell asleep since the start, for what they carry to be found: what they carried in the
    /// last flight does not balance.
    fn rouse(&mut self) {
        let (asleep, at_start) = (&mut self.state.bodies.asleep, &self.scratch.saved[START_OF_EVENTS].bodies.asleep);
        self.scratch.slept.clone_from(asleep);
        asleep.iter_mut().zip(at_start).for_each(|(asleep, slept)| *asleep &= slept);
    }

    /// Whether a contact may carry something: it touches, and does not come fast. For steps of `dt` \[s\].
    fn has_loads(&self, dt: f64) -> bool {
        let (limits, bodies, coming) = (self.limits_at_touch(dt), self.bodies(), &self.scratch.motion.coming);
        let Contacts { list, carried, .. } = &*self.state.detected.contacts;
        list.iter().zip(carried).any(|of| is_load(of, &bodies, coming, &limits))
    }

    /// Leaves no contacts but those that may carry something.
    fn leave_loads(&mut self, dt: f64) {
        let limits = self.limits_at_touch(dt);
        let Scratch { detection: Detection { search, .. }, frames, motion: Motions { coming, .. }, .. } =
            &mut *self.scratch;
        let bodies = self.state.bodies.view(&self.catalogue.bodies, frames);
        let mut left = search.begin();
        let Contacts { list, carried, ahead, velocity, reach, searched, crowd, sights } = Arc::make_mut(&mut left);
        let all = &*self.state.detected.contacts;
        list.clear();
        carried.clear();
        for (c, of) in all.list.iter().zip(&all.carried).filter(|of| is_load(*of, &bodies, coming, &limits)) {
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
        self.enter_shift(-0.5, dt);
    }

    /// Moves the velocity of a body on by what acts on it in `time`, and lets E* count a step of `step` for it \[s\].
    fn shift(&mut self, i: usize, time: f64, step: f64) {
        let before = self.datum.star_of(&self.bodies(), i);
        let acceleration = self.scratch.motion.acceleration[i];
        self.state.bodies.velocity[i] = self.state.bodies.velocity[i] + acceleration * time;
        self.state.bodies.step[i] = step;
        let without_fields = self.datum.star_of(&self.bodies(), i);
        self.report.energy.step_change += without_fields - before;
        if self.catalogue.fields.is_empty() {
            return;
        }
        // E* counts no field: steps book its work along the mean of two velocities.
        let State { bodies, time: now, .. } = &mut *self.state;
        let Force { force, torque } = self.catalogue.field_force(i, &bodies.pose[i], &bodies.velocity[i], *now);
        let view = bodies.view(&self.catalogue.bodies, &self.scratch.frames);
        let by_fields = Velocity { linear: force * view.inverse_mass[i], angular: view.inverse_inertia[i].mul(torque) };
        bodies.velocity[i] = bodies.velocity[i] + by_fields * time;
        self.report.energy.field_work += self.datum.star_of(&self.bodies(), i) - without_fields;
    }

    /// Enters what the contacts carry in a `share` of the step of their bodies, of `dt` \[s\] now, for whoever asks
    /// what they did: momentum changes by it.
    fn enter_shift(&mut self, share: f64, dt: f64) {
        let Contacts { list, carried, .. } = &*self.state.detected.contacts;
        let (table, bodies) = (&self.catalogue.bodies, &self.state.bodies);
        // Who sleeps is held all the time: if it wakes, its contacts have carried as much before.
        let time = |c: &Contact| {
            let awake = [c.a, c.b].map(|i| i as usize).into_iter().find(|i| bodies.awake(table, *i));
            share * awake.map_or(dt, |i| bodies.step[i].max(0.0))
        };
        let impulses = list.iter().zip(carried).map(|(c, carried)| carried.scaled(time(c)));
        let enter = |loads: &mut [Load]| {
            for ((load, of), c) in loads.iter_mut().zip(impulses).zip(list) {
                load.impulse += of.along(c.normal);
            }
        };
        self.scratch.loads.enter((list, carried), 0.0, |_| false, enter);
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
            let force = carried.along(c.normal);
            for (i, force) in [(c.a as usize, force), (c.b as usize, -force)] {
                let arm = c.point - bodies.pose[i].position;
                accelerations[i].linear += force * bodies.inverse_mass[i];
                accelerations[i].angular += bodies.inverse_inertia[i].mul(arm.cross(force));
            }
        }
    }
}

/// Whether a contact touches and does not come fast, nor with the velocities `coming`, if there are any and it carried
/// nothing, nor leaves fast with these; what is carried round comes as fast as its velocity lags. Where nothing brings
/// it back one that leaves is no load, and none of bodies that turn far in a step: in a gas of hulls corners that turn
/// back within a long step made energy of 4e-3 of what it had.
fn is_load(
    (contact, carried): (&Contact, &Carried),
    bodies: &Bodies<'_>,
    coming: &[Velocity],
    limits: &Limits,
) -> bool {
    if !contact.is_near() {
        return false;
    }
    let hits = limits.hits(contact.speed(bodies.pose, bodies.velocity));
    // In a second.
    let (velocity, horizon) = (bodies.velocity, limits.horizon);
    let rides = turning::is_carried_round(bodies, contact, velocity, horizon)
        && (carried.normal > 0.0 || turning::stays(bodies, contact, velocity, horizon));
    let drift = if rides { turning::drift(bodies, contact, velocity, 1.0) } else { DVec3::ZERO };
    let lagging = drift * turning::lag(bodies, contact);
    let slow = hits.lift.min(LOADED * hits.fast) + RIDES * drift.length() * limits.horizon;
    let comes = contact.normal.dot(lagging) - contact.normal_velocity(bodies.pose, bodies.velocity);
    let is_met = || carried.normal == 0.0 && !coming.is_empty() && -contact.normal_velocity(bodies.pose, coming) > slow;
    let flees = || drift == DVec3::ZERO && !coming.is_empty() && contact.normal_velocity(bodies.pose, coming) > slow;
    if comes > slow || is_met() || flees() {
        return false;
    }
    // Only what is carried round leaves touch and is pressed all the same.
    let hovers = || drift == DVec3::ZERO && contact.gap > HOVERS * contact.thickness;
    let leaves = || -comes * limits.horizon > LEAVES * contact.thickness;
    let turns = |i: u32| turning::turn_of(bodies, bodies.velocity, i as usize, limits.horizon) > turning::FAR;
    limits.gravity > 0.0 || !(hovers() || leaves() || turns(contact.a) || turns(contact.b))
}

/// Whether a driven body turns.
fn turns_driven(bodies: &Bodies<'_>) -> bool {
    let mut driven = (0..bodies.len()).filter(|i| bodies.table.is_driven(*i));
    driven.any(|i| bodies.velocity[i].angular != DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::Material;

    use super::*;
    use crate::book::energy::Datum;
    use crate::interface::simulation::Simulation;
    use crate::world::description::{BodyDescription, Settings};

    /// A ball at rest (0) that one of 300 000 times its mass (1) strikes leaves at twice the speed, further than was
    /// looked for, towards a cube that nothing touches (2).
    fn thrown_at_a_cube() -> Simulation {
        let settings = Settings { gravity: DVec3::ZERO, time_step: Some(0.02), ..Settings::default() };
        let mut simulation = Simulation::new(settings).expect("settings are valid");
        let material = Material { restitution: 1.0, ..Material::default() };
        let rock = simulation.add_material(material).expect("the material is valid");
        let ball = Shape::sphere(0.1).expect("the radius is valid");
        let cube = Shape::cuboid(DVec3::splat(0.4)).expect("the size is valid");
        for (shape, x, mass, speed) in [(&ball, 0.0, 1.0, 0.0), (&ball, -0.3, 3e5, 50.0), (&cube, 1.7, 1.0, 0.0)] {
            let mut body = BodyDescription::dynamic(shape.clone(), rock, DVec3::X * x);
            (body.mass, body.velocity.linear) = (Some(mass), DVec3::X * speed);
            simulation.add_body(body).expect("the body is valid");
        }
        simulation
    }

    /// Who makes a part alone, who lies apart after it, and how fast the cube is, which may lie apart in it.
    fn make_a_part(lies_apart: bool) -> ([Vec<bool>; 2], f64) {
        let mut simulation = thrown_at_a_cube();
        let dt = simulation.choose_time_step();
        let Simulation { catalogue, state, scratch, .. } = &mut simulation;
        state.bodies.apart[2] = lies_apart;
        let (datum, report) = (Datum { gravity: catalogue.gravity(), point: DVec3::ZERO }, StepReport::default());
        let mut step = Step { catalogue, state, scratch, datum, report, star_at_start: None, insisted: 0 };
        step.save(0);
        step.scratch.alone.begin_step();
        let part = step.part(dt);
        let mut solved = step.solve(&part).expect("the part is solved");
        step.make_alone(&part, 0, &mut solved);
        let alone = step.scratch.alone.members().to_vec();
        let outcome = step.end(solved).expect("the part is made");
        step.accept(&outcome);
        ([alone, state.bodies.apart.clone()], state.bodies.velocity[2].linear.length())
    }

    /// A group makes its part again while the others lie apart, where they are at its end. One that was put into a
    /// world of the group took part from then on: it moved for a second time, beside driven walls that were not as far
    /// yet, and was found in them by 4 to 8 % of its thickness (random scene 1928).
    #[test]
    fn who_lies_apart_joins_no_world() {
        let ([alone, apart], speed) = make_a_part(true);
        assert_eq!((alone, apart, speed), (vec![true, true, false], vec![false, false, true], 0.0));
        // Negative control: it is met where it takes part.
        let ([alone, apart], speed) = make_a_part(false);
        assert_eq!((alone, apart), (vec![true; 3], vec![false; 3]));
        assert!(speed > 10.0, "{speed} m/s");
    }
}
