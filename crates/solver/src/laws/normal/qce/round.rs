//! One round: every contact is compressed at most once and released.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::laws::normal::problem::Coupling;

/// What a round did, by contact of it.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundReport {
    /// Impulses \[N s\].
    pub(super) impulses: Vec<f64>,
    /// Work of compression \[J\].
    pub(super) work: Vec<f64>,
    /// Contacts that ended.
    pub(super) events: u64,
    /// Whether every contact gave back its share; false where contacts that balance each other held on to it.
    pub(super) complete: bool,
}

/// A sum to twice the usual precision: contacts that approach at very different speeds push at very different rates,
/// and when the fast ones have ended, what the slow ones do to themselves must be left.
#[derive(Clone, Copy, Default)]
struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    /// Adds the product `x y`.
    fn add(&mut self, x: f64, y: f64) {
        let product = x * y;
        let rest = lost_in_product(x, y, product);
        let sum = self.high + product;
        let part = sum - self.high;
        let lost = (self.high - (sum - part)) + (product - part);
        self.low += lost + rest;
        self.high = sum;
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// What `product`, the rounded `x y`, lacks (Dekker 1971): exact as long as nothing overflows. A fused multiply-add
/// gives the same, but in software it costs ten times as much, and not every processor has one.
fn lost_in_product(x: f64, y: f64, product: f64) -> f64 {
    // 2^27 + 1: halves a number into two of 26 bits.
    const SPLIT: f64 = 134_217_729.0;
    let halves = |x: f64| {
        let t = SPLIT * x;
        let high = t - (t - x);
        (high, x - high)
    };
    let ((a, b), (c, d)) = (halves(x), halves(y));
    ((a * c - product) + a * d + b * c) + b * d
}

/// A contact on its straight stretch: since the time `since` its velocity is `speed + slope (s - since)`.
#[derive(Clone, Copy)]
struct Contact {
    /// Whether it pushes: from the start of the round to its end.
    active: bool,
    /// dP/ds.
    rate: f64,
    /// e^2.
    returned: f64,
    since: f64,
    speed: f64,
    slope: Twofold,
    /// Energy that it holds: e^2 of it will be given back.
    stored: f64,
    work: f64,
    /// Counts changes of slope, so that outdated events are recognised.
    version: u32,
}

impl Contact {
    /// When the contact ends, if nothing around it changes.
    fn next(&self) -> Option<f64> {
        if !self.active {
            return None;
        }
        let slope = self.slope.value();
        let wait = if self.speed >= 0.0 {
            release_time(self.speed, slope, self.stored * self.returned / self.rate)?
        } else if slope > 0.0 {
            let turn = self.speed / -slope;
            let stored = self.stored - 0.5 * self.rate * self.speed * turn;
            turn + (2.0 * stored * self.returned / (self.rate * slope)).sqrt()
        } else {
            return None;
        };
        wait.is_finite().then_some(self.since + wait)
    }

    /// Moves the contact on to the time `s`.
    fn advance(&mut self, s: f64) {
        let step = s - self.since;
        self.since = s;
        let before = self.speed;
        let slope = self.slope.value();
        self.speed += slope * step;
        let turn = if before * self.speed < 0.0 { -before / slope } else { 0.0 };
        if turn > 0.0 {
            self.exchange(before, 0.0, turn);
            self.exchange(0.0, self.speed, step - turn);
        } else {
            self.exchange(before, self.speed, step);
        }
    }

    /// Energy over a stretch on which the velocity keeps its sign.
    fn exchange(&mut self, from: f64, to: f64, step: f64) {
        let energy = -0.5 * self.rate * (from + to) * step;
        if energy >= 0.0 {
            self.work += energy;
            self.stored += energy;
        } else if self.returned > 0.0 {
            self.stored = (self.stored + energy / self.returned).max(0.0);
        } else {
            self.stored = 0.0;
        }
    }
}

/// The first `t >= 0` with `speed t + slope t^2/2 = room`, for `speed >= 0`.
fn release_time(speed: f64, slope: f64, room: f64) -> Option<f64> {
    if room <= 0.0 {
        return if speed > 0.0 || slope > 0.0 { Some(0.0) } else { None };
    }
    let square = speed * speed + 2.0 * slope * room;
    // It turns back before it has given all.
    if square < 0.0 {
        return None;
    }
    let sum = speed + square.sqrt();
    (sum > 0.0).then(|| 2.0 * room / sum)
}

/// An end in the queue; earliest first, then by contact.
#[derive(Clone, Copy)]
struct Event {
    time: f64,
    contact: usize,
    version: u32,
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then(self.contact.cmp(&other.contact)).then(self.version.cmp(&other.version))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

/// A contact that takes part in a round: it approaches.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Approach speed, above zero \[m/s\].
    pub(super) rate: f64,
    /// Share of the work that comes back \[-\].
    pub(super) returned: f64,
    /// Diagonal entry of H \[1/kg\].
    pub(super) diagonal: f64,
}

struct Round<'c> {
    coupling: &'c Coupling,
    contacts: Vec<Contact>,
    queue: BinaryHeap<Reverse<Event>>,
    now: f64,
    report: RoundReport,
}

/// Runs a round of these contacts, coupled so. Nothing is applied to the bodies.
pub(super) fn run(entries: &[Entry], coupling: &Coupling) -> RoundReport {
    let n = entries.len();
    let slope = |i: usize| {
        let mut sum = Twofold::default();
        sum.add(entries[i].diagonal, entries[i].rate);
        coupling.row(i).iter().for_each(|(j, h)| sum.add(*h, entries[*j].rate));
        sum
    };
    let contact = |(i, entry): (usize, &Entry)| Contact {
        active: true,
        rate: entry.rate,
        returned: entry.returned,
        since: 0.0,
        speed: -entry.rate,
        slope: slope(i),
        stored: 0.0,
        work: 0.0,
        version: 0,
    };
    let contacts: Vec<Contact> = entries.iter().enumerate().map(contact).collect();
    let report = RoundReport { impulses: vec![0.0; n], ..RoundReport::default() };
    let mut round = Round { coupling, contacts, queue: BinaryHeap::with_capacity(n), now: 0.0, report };
    (0..n).for_each(|i| round.schedule(i));
    round.run()
}

impl Round<'_> {
    fn schedule(&mut self, contact: usize) {
        let c = &self.contacts[contact];
        if let Some(time) = c.next() {
            self.queue.push(Reverse(Event { time: time.max(self.now), contact, version: c.version }));
        }
    }

    fn run(mut self) -> RoundReport {
        while let Some(Reverse(event)) = self.queue.pop() {
            let i = event.contact;
            if !self.contacts[i].active || self.contacts[i].version != event.version {
                continue;
            }
            self.now = event.time;
            self.report.events += 1;
            self.end(i);
            self.slow_down(i);
        }
        self.report.complete = true;
        for i in 0..self.contacts.len() {
            if self.contacts[i].active {
                self.end(i);
                self.report.complete = false;
            }
        }
        self.report.work = self.contacts.iter().map(|c| c.work).collect();
        self.report
    }

    fn end(&mut self, i: usize) {
        let c = &mut self.contacts[i];
        c.advance(self.now);
        c.active = false;
        self.report.impulses[i] = c.rate * self.now;
    }

    /// Contact i pushes no more: its neighbours are accelerated otherwise from now on.
    fn slow_down(&mut self, i: usize) {
        let (now, rate) = (self.now, self.contacts[i].rate);
        let coupling = self.coupling;
        for &(j, h) in coupling.row(i) {
            let c = &mut self.contacts[j];
            if !c.active {
                continue;
            }
            c.advance(now);
            c.slope.add(-h, rate);
            c.version += 1;
            self.schedule(j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_product_lacks_is_what_a_fused_operation_finds() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            // Of sizes from 1e-30 to 1e30.
            f64::from_bits((seed >> 12) | 0x3ff0_0000_0000_0000) * libm::pow(2.0, (seed % 200) as f64 - 100.0)
        };
        for _ in 0..10_000 {
            let (x, y) = (next(), -next());
            assert_eq!(lost_in_product(x, y, x * y), libm::fma(x, y, -(x * y)), "{x:e} {y:e}");
        }
    }
}
