//! A zone: one set of contacts of an island in the rounds of ETM, with the bodies that it may touch.
//!
//! An island without blocks is one zone. The zones of a large island ([`crate::contact::blocks`]) run side by side;
//! what one changes in bodies that others touch as well is marked, and these look there before they go on. Each zone
//! keeps an energy book of its own, so that the bound of [`super::rounds`] holds zone by zone.

use granule_model::{DMat3, DVec3};

use crate::contact::island::{Lever, Row, SolverBody};
use crate::contact::memory::make_room;
use crate::laws::tracking::approach::{Approaches, Contacts, Levels};
use crate::laws::tracking::impulse::{Mobilities, impulse, normal_work, releasing_impulse, without_noise};
use crate::laws::tracking::report::Taken;
use crate::laws::tracking::settings::{RoundSettings, TakesPart};

/// Marks that are looked at together.
const LINE: usize = 64;

/// What is read of a contact that takes part whenever a body of it has changed: half a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Facing {
    normal: DVec3,
    a: u32,
    /// Body B, and in the highest bit whether the arms lie along the normal.
    b: u32,
}

/// Marks in [`Facing::b`] a contact whose arms lie along the normal.
const CENTRAL: u32 = 1 << 31;

impl Facing {
    fn is_central(&self) -> bool {
        self.b & CENTRAL != 0
    }

    fn ends(&self) -> [u32; 2] {
        [self.a, self.b & !CENTRAL]
    }
}

/// What else is read of it when an impulse is applied.
#[derive(Clone, Copy, Debug)]
struct Touch {
    arm_a: DVec3,
    arm_b: DVec3,
    row: u32,
}

/// The contacts of a zone with the bodies' velocities now.
struct Touching<'a> {
    facing: &'a [Facing],
    touches: &'a [Touch],
    bodies: &'a [SolverBody],
}

/// Bodies, point and normal of a contact.
#[inline(always)]
fn lever(facing: &Facing, touch: &Touch) -> Lever {
    let [a, b] = facing.ends();
    Lever { normal: facing.normal, arm_a: touch.arm_a, arm_b: touch.arm_b, a, b }
}

impl Contacts for Touching<'_> {
    fn len(&self) -> usize {
        self.touches.len()
    }

    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn moves(&self, body: u32) -> bool {
        self.bodies[body as usize].inverse_mass > 0.0
    }

    fn ends(&self, i: usize) -> [u32; 2] {
        self.facing[i].ends()
    }

    #[inline(always)]
    fn normal(&self, i: usize) -> DVec3 {
        self.facing[i].normal
    }

    #[inline(always)]
    fn relative_velocity(&self, i: usize) -> DVec3 {
        lever(&self.facing[i], &self.touches[i]).relative_velocity(self.bodies)
    }

    /// Spin has no part in it where the arms lie along the normal: 12 numbers to fetch instead of 21.
    #[inline(always)]
    fn normal_velocity(&self, i: usize) -> f64 {
        let facing = &self.facing[i];
        if facing.is_central() {
            let [a, b] = facing.ends().map(|body| self.bodies[body as usize].velocity.linear);
            facing.normal.dot(a - b)
        } else {
            facing.normal.dot(self.relative_velocity(i))
        }
    }
}

/// Which approaching contact comes next.
#[derive(Debug)]
enum Order {
    /// The worst.
    Strict(Approaches),
    /// One within a step of the worst.
    Grouped(Levels),
}

impl Default for Order {
    fn default() -> Self {
        Order::Grouped(Levels::default())
    }
}

/// What zones share, and what is a zone's own of the island's arrays.
pub(super) struct Part<'a> {
    /// The bodies that its contacts may touch.
    pub(super) bodies: &'a mut [SolverBody],
    pub(super) tensors: &'a [DMat3],
    /// Which zones have to look at a body again, one bit each kind; empty where there is one zone only.
    pub(super) marks: &'a mut [u8],
    /// The bit of this zone.
    pub(super) mark: u8,
    /// First of the bodies, counted from that of the island.
    pub(super) first: u32,
    /// All rows of the island.
    pub(super) rows: &'a [Row],
    /// Rows of the zone.
    pub(super) range: std::ops::Range<usize>,
    pub(super) settings: &'a RoundSettings,
    /// Whether a row of the island takes part.
    pub(super) takes_part: &'a TakesPart<'a>,
}

/// What a zone did in the rounds so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) impulses: u64,
    pub(super) stored: f64,
    pub(super) released: f64,
    pub(super) compressed: f64,
    /// Whether a stage was cut short.
    pub(super) cut_short: bool,
}

/// A zone; its memory is kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Zone {
    /// The contacts that take part; none before a hit reaches the zone.
    touches: Vec<Touch>,
    facing: Vec<Facing>,
    is_ready: bool,
    order: Order,
    /// Impulse of each contact \[N s\].
    impulses: Vec<DVec3>,
    mobilities: Mobilities,
    /// Stored energy of each contact \[J\].
    stored: Vec<f64>,
    /// Contacts that have been given stored energy.
    storing: Vec<u32>,
    /// Contacts with stored energy, ascending.
    loaded: Vec<u32>,
    /// Sum of `stored` \[J\].
    held: f64,
    /// Energy that is gone for good \[J\]: taken by friction or by stage II.
    gone: f64,
    /// Impulses of the stage so far.
    spent: u64,
    /// Impulses that stage III may make.
    most: u64,
    pub(super) tally: Tally,
    /// What the contact stage did here.
    pub(super) taken: Taken,
    /// Approach speed that was last asked for \[m/s\].
    pub(super) approach: f64,
    /// Fastest level that was last asked for.
    pub(super) top: usize,
}

impl Zone {
    /// Starts without contacts.
    pub(super) fn clear(&mut self) {
        self.touches.clear();
        self.facing.clear();
        self.is_ready = false;
        self.storing.clear();
        self.loaded.clear();
        (self.held, self.gone) = (0.0, 0.0);
        self.tally = Tally::default();
    }

    /// Lists the contacts that take part.
    pub(super) fn prepare(&mut self, part: &Part<'_>) {
        self.touches.clear();
        self.facing.clear();
        make_room(&mut self.touches, part.range.len());
        make_room(&mut self.facing, part.range.len());
        for i in part.range.clone().filter(|i| (part.takes_part)(*i, &part.rows[*i])) {
            let row = &part.rows[i];
            let Lever { normal, arm_a, arm_b, a, b } = row.lever().shifted(part.first);
            self.touches.push(Touch { arm_a, arm_b, row: i as u32 });
            self.facing.push(Facing { normal, a, b: if row.is_central { b | CENTRAL } else { b } });
        }
        let count = self.touches.len();
        self.impulses.clear();
        self.impulses.resize(count, DVec3::ZERO);
        self.stored.clear();
        self.stored.resize(count, 0.0);
        self.mobilities.clear(count);
        let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
        match &mut self.order {
            Order::Strict(approaches) => approaches.prepare(&contacts, 0..count as u32),
            Order::Grouped(levels) => levels.prepare(&contacts, 0..count as u32),
        }
        self.is_ready = true;
    }

    /// The same, to take the worst contact first.
    pub(super) fn prepare_strict(&mut self, part: &Part<'_>) {
        if !matches!(self.order, Order::Strict(_)) {
            self.order = Order::Strict(Approaches::default());
        }
        self.prepare(part);
    }

    /// Gives the contacts the energy that `energy` says of their rows, and looks at those that approach faster than the
    /// threshold by the velocity that `left` says.
    pub(super) fn load(&mut self, part: &mut Part<'_>, energy: impl Fn(usize, &Row) -> f64) {
        for i in 0..self.touches.len() {
            let row = self.touches[i].row as usize;
            self.store(i, energy(row, &part.rows[row]));
            if part.rows[row].left < -part.settings.threshold {
                let [a, b] = self.facing[i].ends();
                self.note(part, a, b);
            }
        }
    }

    /// Whether contacts are left that store energy.
    pub(super) fn is_loaded(&self) -> bool {
        !self.loaded.is_empty()
    }

    /// The largest approach speed \[m/s\] of all contacts.
    pub(super) fn measure_largest(&mut self, part: &Part<'_>) {
        let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
        self.approach = match &self.order {
            _ if !self.is_ready => 0.0,
            Order::Strict(approaches) => approaches.largest(&contacts),
            Order::Grouped(levels) => levels.largest(&contacts),
        };
    }

    /// The largest approach speed \[m/s\] that the last stage III may have left, what other zones have changed
    /// included.
    pub(super) fn measure_changed(&mut self, part: &mut Part<'_>) {
        self.look_at_marks(part);
        let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
        self.approach = match &self.order {
            _ if !self.is_ready => 0.0,
            Order::Strict(approaches) => approaches.largest(&contacts),
            Order::Grouped(levels) => levels.largest_of_changed(&contacts),
        };
    }

    /// Adds the impulses to those of the rows, which begin with that of number `first`.
    pub(super) fn hand_back(&self, rows: &mut [Row], first: usize) {
        for (touch, p) in self.touches.iter().zip(&self.impulses).filter(|(_, p)| **p != DVec3::ZERO) {
            let row = &mut rows[touch.row as usize - first];
            let p_n = row.normal.dot(*p);
            row.normal_impulse += p_n;
            row.tangential_impulse += *p - row.normal * p_n;
        }
    }

    /// Begins stage I in steps of `step` \[m/s\].
    pub(super) fn start(&mut self, part: &mut Part<'_>, step: f64) {
        self.look_at_marks(part);
        self.held = self.sum();
        self.spent = 0;
        self.top = 0;
        if self.is_ready {
            self.begin(part, step);
        }
    }

    /// Makes the queue ready for steps of `step` \[m/s\].
    fn begin(&mut self, part: &Part<'_>, step: f64) {
        let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
        let threshold = part.settings.threshold;
        match &mut self.order {
            Order::Strict(approaches) => {
                approaches.fill(&contacts, threshold, step * f64::from(part.settings.lambda));
            }
            Order::Grouped(levels) => {
                levels.start(threshold, step);
                self.top = levels.top(&contacts);
            }
        }
    }

    /// Stage I: the worst contact first, until no contact approaches at level `floor` or above.
    pub(super) fn compress(&mut self, part: &mut Part<'_>, step: f64, floor: usize) {
        let was_ready = self.is_ready;
        self.look_at_marks(part);
        if !self.is_ready {
            return;
        }
        if !was_ready {
            // Reached while the stage was under way: its queue knows step and threshold of an earlier use.
            self.begin(part, step);
        }
        let most = part.settings.most_impulses(self.touches.len());
        while let Some((i, u)) = self.next(part, floor) {
            if self.spent >= most {
                self.tally.cut_short = true;
                break;
            }
            self.spent += 1;
            self.tally.impulses += 1;
            let lever = self.lever(i);
            let row = &part.rows[self.touches[i].row as usize];
            let m = self.mobilities.get(i, row, || lever.collision_matrix(part.bodies, part.tensors));
            let u = without_noise(u, lever.normal, part.settings.sliding);
            let u_n = lever.normal.dot(u);
            let x = step.min(-u_n);
            let (p, friction) = impulse(row, m, u, x, (self.gone + self.held).max(0.0));
            let work = normal_work(u_n, x, lever.normal.dot(p));
            self.store(i, -work);
            self.held -= work;
            self.gone -= friction;
            self.tally.compressed -= work;
            self.hit(part, i, p);
            if let Order::Strict(approaches) = &mut self.order {
                let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
                approaches.refresh(&contacts, lever.a, lever.b);
            } else {
                self.note(part, lever.a, lever.b);
            }
        }
        if let Order::Grouped(levels) = &mut self.order {
            self.top = levels.top(&Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies });
        }
    }

    /// Impulses of the stage so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// Stage II: Stronge's hypothesis; `forced` is the end by e = 0.
    pub(super) fn lose(&mut self, part: &Part<'_>, forced: bool) {
        self.loaded.clear();
        self.held = self.sum();
        let lift = part.settings.lift;
        for i in &self.storing {
            let (row, stored) = (&part.rows[self.touches[*i as usize].row as usize], &mut self.stored[*i as usize]);
            self.tally.stored += *stored;
            let before = *stored;
            *stored *= row.restitution * row.restitution;
            if forced || 2.0 * *stored * row.k_normal <= lift * lift {
                *stored = 0.0;
            } else {
                self.loaded.push(*i);
            }
            self.gone += before - *stored;
        }
        self.held = self.sum();
        self.spent = 0;
        self.most = part.settings.most_impulses(self.loaded.len());
    }

    /// Stage III, once through: contacts in order give back one step of their energy each.
    pub(super) fn release(&mut self, part: &mut Part<'_>, step: f64) {
        let mut loaded = std::mem::take(&mut self.loaded);
        if self.spent >= self.most && !loaded.is_empty() {
            self.tally.cut_short = true;
            // What a capped stage could not give back is lost, not carried into the next round.
            loaded.drain(..).for_each(|i| self.gone += std::mem::take(&mut self.stored[i as usize]));
        }
        self.spent += loaded.len() as u64;
        self.tally.impulses += loaded.len() as u64;
        loaded.retain(|i| self.release_step(part, *i as usize, step));
        self.loaded = loaded;
    }

    /// One step of contact i; whether it stores energy still.
    fn release_step(&mut self, part: &mut Part<'_>, i: usize, step: f64) -> bool {
        let stored = self.claim(i);
        let lever = self.lever(i);
        let row = &part.rows[self.touches[i].row as usize];
        let m = self.mobilities.get(i, row, || lever.collision_matrix(part.bodies, part.tensors));
        let u = without_noise(lever.relative_velocity(part.bodies), lever.normal, part.settings.sliding);
        let done = releasing_impulse(row, m, u, step, stored, (self.held + self.gone - stored).max(0.0));
        self.tally.released += stored - done.left;
        self.held -= stored - done.left;
        self.stored[i] = done.left;
        self.gone -= done.friction;
        self.hit(part, i, done.impulse);
        if let Order::Grouped(_) = self.order {
            self.note(part, lever.a, lever.b);
        }
        done.left > 0.0
    }

    fn next(&mut self, part: &Part<'_>, floor: usize) -> Option<(usize, DVec3)> {
        let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
        match &mut self.order {
            Order::Strict(approaches) => approaches.worst(&contacts),
            Order::Grouped(levels) => levels.next(&contacts, floor),
        }
    }

    #[inline(always)]
    fn lever(&self, i: usize) -> Lever {
        lever(&self.facing[i], &self.touches[i])
    }

    /// Changes the energy that a contact stores.
    fn store(&mut self, i: usize, energy: f64) {
        if self.stored[i] == 0.0 && energy != 0.0 {
            self.storing.push(i as u32);
        }
        self.stored[i] += energy;
    }

    /// Sum of the stored energies, contacts ascending \[J\].
    fn sum(&mut self) -> f64 {
        self.storing.sort_unstable();
        self.storing.dedup();
        self.storing.iter().map(|i| self.stored[*i as usize]).sum()
    }

    /// The energy that contact i may give back: what it stores, less what friction has put in that nothing else covers.
    fn claim(&mut self, i: usize) -> f64 {
        let covered = (self.held + self.gone).max(0.0);
        if self.gone < 0.0 && self.stored[i] > covered {
            let cut = self.stored[i] - covered;
            self.stored[i] = covered;
            self.held -= cut;
            self.gone += cut;
        }
        self.stored[i]
    }

    /// Applies `p` at a contact and books it.
    fn hit(&mut self, part: &mut Part<'_>, i: usize, p: DVec3) {
        self.impulses[i] += p;
        self.lever(i).apply(part.bodies, part.tensors, p);
    }

    /// An impulse has changed two bodies: their contacts, here and in other zones, have to be looked at again.
    fn note(&mut self, part: &mut Part<'_>, a: u32, b: u32) {
        let Order::Grouped(levels) = &mut self.order else { return };
        let contacts = Touching { facing: &self.facing, touches: &self.touches, bodies: part.bodies };
        // What cannot move has not changed: a floor would have every zone of a block listed.
        for body in [a, b].into_iter().filter(|body| contacts.moves(*body)) {
            levels.change(body);
            if let Some(mark) = part.marks.get_mut(body as usize) {
                *mark |= !part.mark;
            }
        }
    }

    /// Takes up what other zones have changed.
    fn look_at_marks(&mut self, part: &mut Part<'_>) {
        // By the cache line: a zone that nothing has reached costs next to nothing.
        let is_marked = |line: &[u8]| line.iter().fold(0, |all, mark| all | mark) & part.mark != 0;
        if part.range.is_empty() || !part.marks.chunks(LINE).any(is_marked) {
            return;
        }
        if !self.is_ready {
            self.prepare(part);
        }
        let Order::Grouped(levels) = &mut self.order else { return };
        for (body, mark) in part.marks.iter_mut().enumerate().filter(|(_, mark)| **mark & part.mark != 0) {
            *mark &= !part.mark;
            levels.change(body as u32);
        }
    }
}
