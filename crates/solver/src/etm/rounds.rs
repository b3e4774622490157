//! The rounds of ETM over an island: compress, lose, release, again.
//!
//! **Energy.** With `W` the sum of the stored energies and `D` what friction and stage II have taken, the kinetic energy is its
//! value at the start (of bodies and stores together) less `W + D`, exactly. A finite step can make friction do work, so that D
//! shrinks. It may, as long as `W + D >= 0`; and where D is below zero, no contact gives back more than `W + D`. So kinetic energy
//! never exceeds what was there, for any lambda.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use granule_model::DVec3;

use crate::island::Island;

use super::impulse::{Mobility, impulse, normal_work, releasing_impulse};
use super::release::ReleaseReport;

/// How rounds run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSettings {
    /// Steps of a compression.
    pub(super) lambda: u32,
    /// Approach speeds up to this are none \[m/s\].
    pub(super) threshold: f64,
    /// Separation speed that a contact's energy must be able to make, else it is dissipated \[m/s\].
    pub(super) lift: f64,
    /// Rounds with restitution.
    pub(super) max_rounds: u32,
    /// Step of the first round \[m/s\].
    pub(super) first_step: f64,
}

/// Impulses per contact of a stage I, and passes of a stage III, in units of lambda, before they are cut short. Met cases need a
/// tenth of it; it is there so that no input can hang the program.
const CAP: u64 = 1000;

/// Approach speeds that differ by less than this, over the largest of the round, are equal for the order of stage I: rounding must
/// not decide which of two symmetric contacts is first. No round number: speeds are often whole multiples of the largest over
/// lambda, and those must not lie on the edges of the grid.
const TIE: f64 = 0.618_033_988_7e-12;

/// A contact that approaches, for the heap of stage I.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Approach {
    /// Normal velocity rounded down to a multiple of [`Workspace::grain`] \[m/s\].
    velocity: f64,
    row: u32,
}

impl Eq for Approach {}

impl PartialOrd for Approach {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Approach {
    /// The heap yields its greatest: the fastest approach, and the lowest index among equals.
    fn cmp(&self, other: &Self) -> Ordering {
        other.velocity.total_cmp(&self.velocity).then(other.row.cmp(&self.row))
    }
}

/// Scratch memory of the rounds; kept from step to step so that a warm step allocates nothing.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Stored energy by contact \[J\].
    pub(super) stored: Vec<f64>,
    /// Sum of `stored` \[J\].
    held: f64,
    /// Energy that is gone for good \[J\]: taken by friction or by stage II.
    gone: f64,
    /// Whether a contact takes part.
    active: Vec<bool>,
    mobility: Vec<Option<Mobility>>,
    /// Rows of each body that can move, in compressed form.
    first: Vec<u32>,
    adjacent: Vec<u32>,
    /// Key under which each contact stands in the heap: at or below its velocity; infinite when it does not.
    queued: Vec<f64>,
    heap: BinaryHeap<Approach>,
    /// Difference of normal velocities that counts in the heap \[m/s\].
    grain: f64,
    /// Contacts with stored energy, ascending.
    loaded: Vec<u32>,
}

impl Workspace {
    /// Sizes the scratch for an island; `takes_part` says of each row whether it touches.
    pub(super) fn prepare(&mut self, island: &Island<'_>, takes_part: impl Fn(usize) -> bool) {
        let rows = island.rows.len();
        self.stored.clear();
        self.stored.resize(rows, 0.0);
        self.held = 0.0;
        self.gone = 0.0;
        self.active.clear();
        self.active.extend((0..rows).map(takes_part));
        self.mobility.clear();
        self.mobility.resize(rows, None);
        self.queued.clear();
        self.queued.resize(rows, f64::INFINITY);
        self.list_rows_of_bodies(island);
    }

    fn list_rows_of_bodies(&mut self, island: &Island<'_>) {
        self.first.clear();
        self.first.resize(island.bodies.len() + 1, 0);
        let moves = |body: u32| island.bodies[body as usize].inverse_mass > 0.0;
        let ends = |i: usize| [island.rows[i].a, island.rows[i].b];
        for i in (0..island.rows.len()).filter(|i| self.active[*i]) {
            for body in ends(i).into_iter().filter(|b| moves(*b)) {
                self.first[body as usize + 1] += 1;
            }
        }
        for i in 1..self.first.len() {
            self.first[i] += self.first[i - 1];
        }
        self.adjacent.clear();
        self.adjacent.resize(self.first.last().copied().unwrap_or(0) as usize, 0);
        // Filled from the back, so that `first` ends as the start of each list.
        for i in (0..island.rows.len()).rev().filter(|i| self.active[*i]) {
            for body in ends(i).into_iter().filter(|b| moves(*b)) {
                let end = &mut self.first[body as usize + 1];
                *end -= 1;
                self.adjacent[*end as usize] = i as u32;
            }
        }
        // Each entry now holds its own start one place too far right; the last one is the total again.
        self.first.remove(0);
        self.first.push(self.adjacent.len() as u32);
    }

    fn rows_of(&self, body: u32) -> std::ops::Range<usize> {
        self.first[body as usize] as usize..self.first[body as usize + 1] as usize
    }

    fn mobility(&mut self, island: &Island<'_>, row: usize) -> Mobility {
        *self.mobility[row]
            .get_or_insert_with(|| Mobility::new(island.rows[row].collision_matrix(island.bodies, island.tensors)))
    }

    /// The largest approach speed of an active contact \[m/s\].
    pub(super) fn largest_approach(&self, island: &Island<'_>) -> f64 {
        let velocities = island.rows.iter().enumerate().filter(|(i, _)| self.active[*i]);
        velocities.map(|(_, row)| -row.normal.dot(row.relative_velocity(island.bodies))).fold(0.0, f64::max)
    }

    /// Puts every approaching contact on the heap.
    fn fill_heap(&mut self, island: &Island<'_>, threshold: f64) {
        self.heap.clear();
        self.queued.fill(f64::INFINITY);
        for i in 0..island.rows.len() {
            if self.active[i] {
                self.push(island, i, threshold);
            }
        }
    }

    /// Queues a contact that approaches faster than it is known to. One that became slower keeps its place and is looked at
    /// again when it comes up: compression slows most neighbours, so this saves most of the pushes.
    fn push(&mut self, island: &Island<'_>, i: usize, threshold: f64) {
        let row = &island.rows[i];
        let velocity = row.normal.dot(row.relative_velocity(island.bodies));
        if velocity < -threshold {
            let velocity = self.key(velocity);
            if velocity < self.queued[i] {
                self.queued[i] = velocity;
                self.heap.push(Approach { velocity, row: i as u32 });
            }
        }
    }

    fn key(&self, velocity: f64) -> f64 {
        if self.grain > 0.0 { (velocity / self.grain).floor() * self.grain } else { velocity }
    }

    /// The contact that approaches fastest, with its relative velocity; none when nothing approaches.
    fn worst(&mut self, island: &Island<'_>, threshold: f64) -> Option<(usize, DVec3)> {
        while let Some(top) = self.heap.pop() {
            let i = top.row as usize;
            if top.velocity != self.queued[i] {
                continue;
            }
            self.queued[i] = f64::INFINITY;
            let row = &island.rows[i];
            let u = row.relative_velocity(island.bodies);
            let velocity = row.normal.dot(u);
            if velocity >= -threshold {
                continue;
            }
            let velocity = self.key(velocity);
            let now = Approach { velocity, row: top.row };
            if velocity > top.velocity && self.heap.peek().is_some_and(|next| *next > now) {
                self.queued[i] = velocity;
                self.heap.push(now);
                continue;
            }
            return Some((i, u));
        }
        None
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

    /// Applies `p` at a row and books it.
    fn hit(&mut self, island: &mut Island<'_>, i: usize, p: DVec3) {
        let row = &mut island.rows[i];
        let p_n = row.normal.dot(p);
        row.normal_impulse += p_n;
        row.tangential_impulse += p - row.normal * p_n;
        let row = island.rows[i];
        row.apply(island.bodies, island.tensors, p);
    }
}

/// Runs rounds until nothing approaches; contacts may already hold stored energy.
pub(super) fn run(ws: &mut Workspace, island: &mut Island<'_>, settings: &RoundSettings) -> ReleaseReport {
    let mut report = ReleaseReport { converged: true, ..ReleaseReport::default() };
    let mut step = settings.first_step;
    loop {
        // A stage that was cut short would be so in every round to come: 36 million impulses for two balls of 1 : 1e6.
        let forced = report.rounds >= settings.max_rounds || !report.converged;
        compress(ws, island, settings, step, &mut report);
        lose(ws, island, settings.lift, forced, &mut report);
        if forced {
            report.forced = true;
            break;
        }
        release(ws, island, settings, step, &mut report);
        report.rounds += 1;
        let approach = ws.largest_approach(island);
        if approach <= settings.threshold {
            break;
        }
        step = approach / f64::from(settings.lambda);
    }
    report.residual = ws.largest_approach(island);
    report
}

/// Stage I: the worst contact first, until no contact approaches.
fn compress(
    ws: &mut Workspace,
    island: &mut Island<'_>,
    settings: &RoundSettings,
    step: f64,
    report: &mut ReleaseReport,
) {
    ws.held = ws.stored.iter().sum();
    ws.grain = TIE * step * f64::from(settings.lambda);
    ws.fill_heap(island, settings.threshold);
    let cap = CAP * u64::from(settings.lambda) * island.rows.len() as u64;
    let mut spent = 0;
    while let Some((i, u)) = ws.worst(island, settings.threshold) {
        if spent >= cap {
            report.converged = false;
            break;
        }
        spent += 1;
        let m = ws.mobility(island, i);
        let row = island.rows[i];
        let u_n = row.normal.dot(u);
        let x = step.min(-u_n);
        let (p, friction) = impulse(&row, &m, u, x, (ws.gone + ws.held).max(0.0));
        let work = normal_work(u_n, x, row.normal.dot(p));
        ws.stored[i] -= work;
        ws.held -= work;
        ws.gone -= friction;
        report.compressed -= work;
        ws.hit(island, i, p);
        refresh(ws, island, row.a, row.b, settings.threshold);
    }
    report.impulses += spent;
}

/// Looks again at every contact of two bodies whose velocities have changed.
fn refresh(ws: &mut Workspace, island: &Island<'_>, a: u32, b: u32, threshold: f64) {
    for body in [a, b] {
        for k in ws.rows_of(body) {
            let i = ws.adjacent[k] as usize;
            ws.push(island, i, threshold);
        }
    }
}

/// Stage II: Stronge's hypothesis; `forced` is the end by e = 0.
fn lose(ws: &mut Workspace, island: &Island<'_>, lift: f64, forced: bool, report: &mut ReleaseReport) {
    ws.loaded.clear();
    for (i, stored) in ws.stored.iter_mut().enumerate() {
        if *stored == 0.0 {
            continue;
        }
        let row = &island.rows[i];
        report.stored += *stored;
        let before = *stored;
        *stored *= row.restitution * row.restitution;
        if forced || 2.0 * *stored * row.k_normal <= lift * lift {
            *stored = 0.0;
        } else {
            ws.loaded.push(i as u32);
        }
        ws.gone += before - *stored;
    }
    ws.held = ws.stored.iter().sum();
}

/// Stage III: contacts in order give back their energy, one step each, until all is spent.
fn release(
    ws: &mut Workspace,
    island: &mut Island<'_>,
    settings: &RoundSettings,
    step: f64,
    report: &mut ReleaseReport,
) {
    let mut loaded = std::mem::take(&mut ws.loaded);
    let cap = CAP * u64::from(settings.lambda);
    let mut passes = 0;
    while !loaded.is_empty() {
        if passes >= cap {
            report.converged = false;
            break;
        }
        passes += 1;
        loaded.retain(|i| {
            let i = *i as usize;
            let m = ws.mobility(island, i);
            let row = island.rows[i];
            let u = row.relative_velocity(island.bodies);
            let stored = ws.claim(i);
            let done = releasing_impulse(&row, &m, u, step, stored, (ws.held + ws.gone - stored).max(0.0));
            report.released += stored - done.left;
            ws.held -= stored - done.left;
            ws.stored[i] = done.left;
            ws.gone -= done.friction;
            ws.hit(island, i, done.impulse);
            report.impulses += 1;
            done.left > 0.0
        });
    }
    // What a capped stage could not give back is lost, not carried into the next round.
    loaded.iter().for_each(|i| ws.gone += std::mem::take(&mut ws.stored[*i as usize]));
    loaded.clear();
    ws.loaded = loaded;
}
