//! Sleep, grain by grain: who falls asleep, and who wakes.
//!
//! A body that has been slow for a while falls asleep when all that touches it has been slow as well: it stops, the
//! solver takes it for immovable, and detection does not look at pairs of sleepers, whose contacts keep the forces that
//! they carried. A restless body keeps awake itself and what touches it, and no more: a ball that spins on its contacts
//! without torsional friction spins for ever, and an island of ten thousand would never sleep for it.
//!
//! A body that nothing holds goes on however slowly, and does not sleep for being slow: a ball or a capsule that rolls,
//! a block that slides without friction. What holds a body is three points of contact with friction, or rolling
//! friction at one: with fewer it can turn about the line through them. They hold it to what does not move, by way of
//! others or not: two bodies that hold each other may slide on together. Without them a body sleeps only where it is as
//! good as still ([`STILL`]).
//!
//! Sleep must not change what happens. A sleeper therefore takes part in the very step that disturbs it:
//!
//! * **Met.** A sleeper wakes before the contact stage when a restless body or a driven one that moves touches it, or
//!   closes on it within the step. What comes with a closing speed u brings the momentum p = m u, and whatever the
//!   sleeper leans on shares it: neighbours wake, shell by shell, until p spread over all that woke in the pile is
//!   slower than [`Accuracy::sleep_energy`] counts as slow. A pile is what hangs together by sleepers that touch.
//! * **Loaded.** The contact stage takes the remaining sleepers for immovable. Where the forces on one of them (those
//!   of its contacts in this step, those that it kept, gravity, fields) no longer balance, to [`Accuracy::wake_load`]
//!   of those with friction, it wakes with the shells that share the imbalance, and the stage is made again. Each turn
//!   wakes as many in the pile as all before it, so turns end. Impacts may throw against a sleeper what had pressed
//!   nothing: it is asked again after them.
//! * **Unpropped.** A sleeper wakes for the next step when a contact with a body that is awake has opened in this one.
//! * **Drawn.** A force field is compared with what it was when the body fell asleep.
//!
//! What wakes is not restless by that alone. Adding a field, changing a pair of materials and removing a body wake all.

use granule_forces::Force;
use granule_islands::Islands;
use granule_model::{Coefficients, DVec3, Pose, Velocity};

use crate::world::accuracy::Accuracy;
use crate::world::bodies::{BodyState, Table};
use crate::world::contact::{Carried, Contact};
use crate::world::state::Rest;

/// Kinetic energy over m g R below which a body sleeps that nothing holds: 3e-9 sqrt(g R), at which it would go on by
/// 1e-6 R in 350 sqrt(R/g).
const STILL: f64 = 4e-18;
/// Points of contact with friction that hold a body.
const HOLD: u32 = 3;
/// Change of a field's force on a sleeper that wakes it, over its weight; of its moment over weight times radius.
const FIELD: f64 = 0.01;
/// Imbalance and change of a field, over the weight, that wakes a sleeper which friction does not hold: rounding.
const FREE: f64 = 1e-7;

/// Overlap over the thickness beyond which a contact keeps its bodies awake: the drift correction is still at it, which
/// moves no velocity.
const DEEP: f64 = 0.01;

/// Who sleeps, and what decides about it: what phases of sleep read and write of the state.
pub(crate) struct Sleepers<'a> {
    pub(crate) table: &'a Table,
    /// Of these sleep writes [`BodyState::asleep`], and the velocity of what falls asleep.
    pub(crate) bodies: &'a mut BodyState,
    pub(crate) rest: &'a mut Rest,
}

impl Sleepers<'_> {
    fn awake(&self, i: usize) -> bool {
        self.bodies.awake(self.table, i)
    }

    /// Whether a body moved when it was last looked at; one that was added a moment ago has not been looked at.
    fn is_restless(&self, i: usize) -> bool {
        self.rest.restless[i]
    }

    /// Whether friction holds the body `i`, as far as was seen when sleep was looked at last.
    fn is_held(&self, i: usize) -> bool {
        self.rest.held[i] >= HOLD
    }

    /// Wakes every body.
    pub(crate) fn wake_all(&mut self) {
        self.bodies.asleep.fill(false);
        self.rest.slow.fill(0.0);
    }

    /// Wakes one body.
    pub(crate) fn wake(&mut self, i: usize) {
        self.bodies.asleep[i] = false;
        self.rest.slow[i] = 0.0;
        self.rest.restless[i] = false;
    }

    /// Notes what the force fields do to the body `i` that has just fallen asleep.
    pub(crate) fn note_field(&mut self, i: usize, force: Force) {
        if self.rest.field.len() <= i {
            self.rest.field.resize(i + 1, Force::default());
        }
        self.rest.field[i] = force;
    }
}

/// Scratch of sleep, filled before it is read.
#[derive(Debug, Default)]
pub(crate) struct Sleep {
    /// Bodies that would sleep, and those of them that nothing keeps awake.
    drowsy: Vec<bool>,
    calm: Vec<bool>,
    /// Points of contact that held each body when it was looked at before.
    held_before: Vec<u32>,
    /// Bodies that fell asleep, or woke, in the last look.
    pub(crate) fallen: Vec<u32>,
    pub(crate) woken: Vec<u32>,
    /// Shell in which each body woke, from 1; 0 for those that did not.
    shell: Vec<u32>,
    /// Impulse of the contacts on each sleeper that touches a body awake \[N s\].
    load: Vec<DVec3>,
    /// Sum of the magnitudes of those with friction \[N s\].
    pressure: Vec<f64>,
    loaded: Vec<bool>,
    /// Bodies that woke in the step so far.
    roused: Vec<u32>,
    piles: Piles,
    /// Pairs between which there is friction, and what hangs together by them.
    rough: Vec<(u32, u32)>,
    together: Islands,
}

/// What hangs together among sleepers, and what came to each pile of them: what happens to one pile wakes nobody in
/// another.
#[derive(Debug, Default)]
struct Piles {
    /// Momentum that came to each body that was woken \[N s\].
    blows: Vec<(u32, f64)>,
    members: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    islands: Islands,
    /// Of each of the islands.
    shares: Vec<Share>,
}

/// What came to a pile, and what woke there.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// \[N s\]
    momentum: f64,
    /// Speed that counts as slow for all that was hit \[m/s\].
    slow: f64,
    /// Mass of what woke \[kg\], and how many.
    mass: f64,
    count: usize,
    /// How many are to wake at least.
    least: usize,
    grows: bool,
}

impl Default for Share {
    fn default() -> Self {
        Share { momentum: 0.0, slow: f64::INFINITY, mass: 0.0, count: 0, least: 0, grows: false }
    }
}

impl Share {
    fn hit(&mut self, momentum: f64, slow: f64) {
        self.momentum += momentum;
        self.slow = self.slow.min(slow);
    }

    fn wake(&mut self, mass: f64) {
        self.mass += mass;
        self.count += 1;
    }

    /// Decides whether more has to wake.
    fn look(&mut self) {
        let is_fast = self.momentum > self.slow * self.mass;
        self.grows = self.momentum > 0.0 && (is_fast || self.count < self.least);
    }
}

/// What moves sleepers beside their contacts in a step.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings {
    /// \[m/s2\]
    pub(crate) gravity: DVec3,
    /// \[s\]
    pub(crate) dt: f64,
    pub(crate) accuracy: Accuracy,
}

impl Surroundings {
    /// Speed of a body of equal-volume radius `radius` that just counts as slow \[m/s\].
    fn slow_speed(&self, radius: f64) -> f64 {
        (2.0 * self.accuracy.sleep_energy * self.gravity.length() * radius).sqrt()
    }
}

impl Sleep {
    fn wake(&mut self, of: &mut Sleepers<'_>, i: usize) {
        of.wake(i);
        self.woken.push(i as u32);
    }

    /// Wakes what is met in this step by a body that moves, with what shares the blow; lists it in `woken`. Velocities
    /// are those with the forces of the step.
    pub(crate) fn wake_met(&mut self, of: &mut Sleepers<'_>, contacts: &[Contact], around: &Surroundings) {
        self.woken.clear();
        self.piles.blows.clear();
        for c in contacts {
            for (sleeper, other) in [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)] {
                if !of.bodies.asleep[sleeper]
                    || of.bodies.asleep[other]
                    || of.bodies.apart[other]
                    || of.bodies.apart[sleeper]
                {
                    continue;
                }
                let closing = -c.normal_velocity(&of.bodies.pose, &of.bodies.velocity) - c.gap.max(0.0) / around.dt;
                let Some(blow) = self.blow(of, c, [sleeper, other], closing, around) else { continue };
                self.piles.blows.push((sleeper as u32, blow));
                self.wake(of, sleeper);
            }
        }
        self.spread(of, contacts, around, false);
    }

    /// Begins a step: nobody has woken in it yet.
    pub(crate) fn begin_step(&mut self) {
        self.woken.clear();
        self.roused.clear();
    }

    /// Momentum that `other` brings to a sleeper \[N s\]; none where it does not disturb it.
    fn blow(
        &self,
        of: &Sleepers<'_>,
        c: &Contact,
        [sleeper, other]: [usize; 2],
        closing: f64,
        around: &Surroundings,
    ) -> Option<f64> {
        let meets = c.touches() || closing >= 0.0;
        if !of.table.dynamic[other] {
            let moves = meets && of.bodies.velocity[other] != Velocity::ZERO;
            // As much as a body of the sleeper's own mass would bring; the rest follows from the loads.
            return moves.then(|| of.table.mass[sleeper] * closing.max(0.0));
        }
        // What merely rests on it closes by what gravity adds.
        let hits = closing > 2.0 * around.gravity.length() * around.dt + around.slow_speed(of.table.radius[other]);
        let disturbs = hits || (meets && of.is_restless(other));
        disturbs.then(|| if hits { of.table.mass[other] * closing } else { 0.0 })
    }

    /// Wakes, shell by shell, what the bodies of `woken` lean on: in each pile until the momentum of its blows spread
    /// over all that woke there is slower than what counts as slow; with `as_many` also until as many woke as
    /// before in the step. Lists them in `woken`.
    fn spread(&mut self, of: &mut Sleepers<'_>, contacts: &[Contact], around: &Surroundings, as_many: bool) {
        if self.piles.blows.iter().any(|(_, momentum)| *momentum > 0.0) {
            self.find_piles(of, contacts, around, as_many);
            self.shell.clear();
            self.shell.resize(of.table.len(), 0);
            self.woken.iter().for_each(|i| self.shell[*i as usize] = 1);
            let mut last = 1;
            while self.wake_shell(of, contacts, last) {
                last += 1;
            }
        }
        self.roused.extend_from_slice(&self.woken);
    }

    /// Finds the piles of sleepers, those that woke in the step included, and sums up what came to each of them.
    fn find_piles(&mut self, of: &Sleepers<'_>, contacts: &[Contact], around: &Surroundings, as_many: bool) {
        let Piles { blows, members, pairs, islands, shares } = &mut self.piles;
        members.clone_from(&of.bodies.asleep);
        for i in self.woken.iter().chain(&self.roused) {
            members[*i as usize] = true;
        }
        pairs.clear();
        let is_member = |i: u32| members[i as usize];
        pairs.extend(contacts.iter().filter(|c| c.touches() && is_member(c.a) && is_member(c.b)).map(Contact::pair));
        islands.build(of.table.len(), members, pairs);
        shares.clear();
        shares.resize(islands.len(), Share::default());
        let mut enter = |i: u32, change: &dyn Fn(&mut Share)| {
            if let Some(pile) = islands.island_of(i) {
                change(&mut shares[pile]);
            }
        };
        for (i, momentum) in blows.iter() {
            let slow = around.slow_speed(of.table.radius[*i as usize]);
            enter(*i, &|share| share.hit(*momentum, slow));
        }
        for i in &self.woken {
            enter(*i, &|share| share.wake(of.table.mass[*i as usize]));
        }
        for i in self.roused.iter().filter(|_| as_many) {
            enter(*i, &|share| share.least += 1);
        }
    }

    /// Wakes what touches the shell that woke `last`, in the piles that are still too fast; whether there is any.
    fn wake_shell(&mut self, of: &mut Sleepers<'_>, contacts: &[Contact], last: u32) -> bool {
        let before = self.woken.len();
        self.piles.shares.iter_mut().for_each(Share::look);
        for c in contacts.iter().filter(|c| c.touches()) {
            for (from, to) in [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)] {
                if self.shell[from] != last || !of.bodies.asleep[to] || of.bodies.apart[to] {
                    continue;
                }
                let Some(pile) = self.piles.islands.island_of(from as u32) else { continue };
                if self.piles.shares[pile].grows {
                    self.piles.shares[pile].wake(of.table.mass[to]);
                    self.shell[to] = last + 1;
                    self.wake(of, to);
                }
            }
        }
        self.woken.len() > before
    }

    /// Begins to sum up what presses on sleepers.
    pub(crate) fn begin_loads(&mut self, count: usize) {
        self.loaded.clear();
        self.loaded.resize(count, false);
        self.load.resize(count, DVec3::ZERO);
        self.pressure.resize(count, 0.0);
    }

    /// Adds the impulse on the sleeper `i` of a contact that has been solved, with friction or without \[N s\].
    pub(crate) fn add_load(&mut self, i: usize, impulse: DVec3, has_friction: bool) {
        if !std::mem::replace(&mut self.loaded[i], true) {
            self.load[i] = DVec3::ZERO;
            self.pressure[i] = 0.0;
        }
        self.load[i] += impulse;
        self.pressure[i] += if has_friction { impulse.length() } else { 0.0 };
    }

    /// Wakes the sleepers whose loads do not balance, with what shares the imbalance, and in each pile at least as
    /// many as woke there in the step so far; lists them in `woken`. `has_friction` tells it of a contact.
    pub(crate) fn wake_loaded(
        &mut self,
        of: &mut Sleepers<'_>,
        contacts: &[Contact],
        carried: &[Carried],
        around: &Surroundings,
        has_friction: impl Fn(&Contact) -> bool,
    ) {
        self.woken.clear();
        // Contacts that no row stands for: between sleepers, and with what never moves.
        let moves = |i: usize| of.awake(i);
        for (c, carried) in contacts.iter().zip(carried) {
            let (a, b) = (c.a as usize, c.b as usize);
            if !(self.loaded[a] || self.loaded[b]) || moves(a) || moves(b) {
                continue;
            }
            let impulse = carried.along(c.normal) * around.dt;
            for (i, impulse) in [(a, impulse), (b, -impulse)] {
                if self.loaded[i] {
                    self.add_load(i, impulse, has_friction(c));
                }
            }
        }
        self.piles.blows.clear();
        for i in 0..of.table.len() {
            if !self.loaded[i] {
                continue;
            }
            let weight = around.gravity * of.table.mass[i];
            let field = of.rest.field.get(i).map_or(DVec3::ZERO, |force| force.force);
            let imbalance = (self.load[i] + (weight + field) * around.dt).length();
            let held = if of.is_held(i) { around.accuracy.wake_load * self.pressure[i] } else { 0.0 };
            if imbalance > held.max(FREE * weight.length() * around.dt) {
                self.piles.blows.push((i as u32, imbalance));
                self.wake(of, i);
            }
        }
        self.spread(of, contacts, around, true);
    }

    /// Wakes sleepers that a body awake no longer touches: `before` are the contacts before the move, `now` those after
    /// it.
    pub(crate) fn wake_unpropped(&mut self, of: &mut Sleepers<'_>, before: &[Contact], now: &[Contact]) {
        self.woken.clear();
        for c in before.iter().filter(|c| c.touches()) {
            let (a, b) = (c.a as usize, c.b as usize);
            if of.bodies.asleep[a] == of.bodies.asleep[b] {
                continue;
            }
            let first = now.partition_point(|n| (n.a, n.b) < (c.a, c.b));
            let same = now[first..].iter().take_while(|n| (n.a, n.b) == (c.a, c.b));
            if !same.into_iter().any(Contact::touches) {
                let sleeper = if of.bodies.asleep[a] { a } else { b };
                self.wake(of, sleeper);
            }
        }
    }

    /// Wakes sleepers on which the force of the fields has changed since they fell asleep.
    pub(crate) fn wake_drawn(&mut self, of: &mut Sleepers<'_>, gravity: f64, field: impl Fn(usize, &Pose) -> Force) {
        self.woken.clear();
        for i in 0..of.table.len() {
            if !of.bodies.asleep[i] || of.bodies.apart[i] {
                continue;
            }
            let was = of.rest.field.get(i).copied().unwrap_or_default();
            let (now, weight) = (field(i, &of.bodies.pose[i]), of.table.mass[i] * gravity);
            let share = if of.is_held(i) { FIELD } else { FREE };
            let turned = (now.torque - was.torque).length() > share * weight * of.table.radius[i];
            if turned || (now.force - was.force).length() > share * weight {
                self.wake(of, i);
            }
        }
    }

    /// Counts what holds each of the bodies; `coefficients` are those of a contact.
    pub(crate) fn find_held(
        &mut self,
        of: &mut Sleepers<'_>,
        contacts: &[Contact],
        coefficients: impl Fn(&Contact) -> Coefficients,
    ) {
        let count = of.table.len();
        let held = &mut of.rest.held;
        self.held_before.clone_from(held);
        held.fill(0);
        self.rough.clear();
        for c in contacts.iter().filter(|c| c.touches()) {
            let at = coefficients(c);
            let holds = match (at.static_friction > 0.0, at.rolling_friction > 0.0) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => HOLD,
            };
            held[c.a as usize] += holds;
            held[c.b as usize] += holds;
            if holds > 0 {
                self.rough.push((c.a, c.b));
            }
        }
        // Bodies that hold each other and stand on nothing that holds them slide on together.
        self.together.build(count, &of.table.dynamic, &self.rough);
        let is_fixed = |i: u32| !of.table.dynamic[i as usize];
        for island in self.together.iter() {
            let mut pairs = island.contacts.iter().map(|k| self.rough[*k as usize]);
            if !pairs.any(|(a, b)| is_fixed(a) || is_fixed(b)) {
                island.bodies.iter().for_each(|i| held[*i as usize] = 0);
            }
        }
        // While a group makes a step alone the contacts of the others are not there: they, and sleepers, are held as
        // they were.
        if of.bodies.apart.contains(&true) {
            for i in (0..self.held_before.len()).filter(|i| of.bodies.asleep[*i] || of.bodies.apart[*i]) {
                held[i] = self.held_before[i];
            }
        }
    }

    /// Puts bodies to sleep that have been slow for long enough, and so has all that touches them; lists them in
    /// `fallen` and returns what that takes from E* \[J\]. Comes after [`Sleep::find_held`].
    pub(crate) fn settle(&mut self, of: &mut Sleepers<'_>, contacts: &[Contact], around: &Surroundings) -> f64 {
        self.fallen.clear();
        let g = around.gravity.length();
        if g == 0.0 {
            return 0.0;
        }
        self.look(of, around);
        self.calm.clone_from(&self.drowsy);
        for c in contacts.iter().filter(|c| c.touches()) {
            let (a, b) = (c.a as usize, c.b as usize);
            let is_deep = c.depth() > DEEP;
            self.calm[a] &= self.drowsy[b] && !is_deep;
            self.calm[b] &= self.drowsy[a] && !is_deep;
        }
        let mut taken = 0.0;
        for i in 0..of.table.len() {
            if self.calm[i] && of.awake(i) {
                let motion = of.bodies.motion(of.table, i);
                taken += of.bodies.kinetic_energy(of.table, i) + motion.step_term(around.gravity);
                of.bodies.asleep[i] = true;
                of.bodies.velocity[i] = Velocity::ZERO;
                self.fallen.push(i as u32);
            }
        }
        taken
    }

    /// Looks how each body moves.
    fn look(&mut self, of: &mut Sleepers<'_>, around: &Surroundings) {
        let (g, dt) = (around.gravity.length(), around.dt);
        let Sleepers { table, bodies, rest } = of;
        self.drowsy.resize(table.len(), false);
        for i in 0..table.len() {
            let mut energy = 0.0;
            if bodies.awake(table, i) {
                energy = bodies.kinetic_energy(table, i) / (table.mass[i] * g * table.radius[i]);
                rest.restless[i] = energy >= around.accuracy.sleep_energy;
                rest.slow[i] = if rest.restless[i] { 0.0 } else { rest.slow[i] + dt };
            }
            let is_long_enough = || rest.slow[i] >= around.accuracy.sleep_time * (table.radius[i] / g).sqrt();
            self.drowsy[i] = match (table.dynamic[i], bodies.asleep[i]) {
                (true, false) => (rest.held[i] >= HOLD || energy < STILL) && is_long_enough(),
                (true, true) => true,
                (false, _) => bodies.velocity[i] == Velocity::ZERO,
            };
        }
    }
}
