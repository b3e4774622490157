//! Which contact of an island approaches fastest: a queue that is kept up to date as impulses change velocities.
//!
//! An impulse changes the velocities of two bodies only, so only the contacts of these are looked at again
//! ([`Approaches::refresh`]). A contact that became slower keeps its place and is looked at again when it comes up:
//! most impulses slow the neighbours, so this saves most of the pushes.
//!
//! **Ties.** Speeds within [`TIE`] of the largest are equal, and of equals the lowest index comes first: rounding must
//! not decide which of two symmetric contacts is resolved before the other. Keys are rounded to a grid of that width;
//! near a line of it equal speeds would still part, so the first that comes there decides for the others ([`Grid`]).
//!
//! Where groups of similar velocity will do, [`Levels`] is the cheaper queue.

mod levels;
mod neighbours;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use granule_model::DVec3;
use indexmap::IndexMap;

pub(crate) use self::levels::Levels;
pub(crate) use self::neighbours::Neighbours;
use crate::contact::island::Island;

/// Contacts whose approach is watched.
pub(crate) trait Contacts {
    /// Number of contacts.
    fn len(&self) -> usize;
    /// Number of bodies.
    fn body_count(&self) -> usize;
    /// Whether an impulse moves a body.
    fn moves(&self, body: u32) -> bool;
    /// The two bodies of a contact.
    fn ends(&self, i: usize) -> [u32; 2];
    /// Unit normal from B to A.
    fn normal(&self, i: usize) -> DVec3;
    /// Relative velocity of A against B \[m/s\].
    fn relative_velocity(&self, i: usize) -> DVec3;

    /// Its normal component: negative while approaching \[m/s\].
    #[inline(always)]
    fn normal_velocity(&self, i: usize) -> f64 {
        self.normal(i).dot(self.relative_velocity(i))
    }
}

impl Contacts for Island<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn moves(&self, body: u32) -> bool {
        self.bodies[body as usize].inverse_mass > 0.0
    }

    fn ends(&self, i: usize) -> [u32; 2] {
        [self.rows[i].a, self.rows[i].b]
    }

    #[inline(always)]
    fn normal(&self, i: usize) -> DVec3 {
        self.rows[i].normal
    }

    #[inline(always)]
    fn relative_velocity(&self, i: usize) -> DVec3 {
        self.rows[i].relative_velocity(self.bodies)
    }
}

/// Approach speeds that differ by less than this, over the largest, are equal for the order. No round number: speeds
/// are often whole multiples of the largest over the number of steps, and those must not lie on the edges of the grid.
pub(crate) const TIE: f64 = 0.618_033_988_7e-12;

/// Distance from a line of the grid, in grains, within which the first key decides on which side the others are:
/// rounding is far less.
const NEAR_LINE: f64 = 0.25;

/// Rounds keys down to whole grains, so that those which differ by rounding only are the same.
#[derive(Debug, Default)]
struct Grid {
    /// Difference of keys that counts; zero for all.
    grain: f64,
    /// By line of the grid: the cell, before it or behind it, of the first key that came near.
    lines: IndexMap<i64, i64>,
}

impl Grid {
    fn start(&mut self, grain: f64) {
        self.grain = grain;
        self.lines.clear();
    }

    fn rounded(&mut self, key: f64) -> f64 {
        if self.grain <= 0.0 {
            return key;
        }
        let grains = key / self.grain;
        let line = grains.round();
        let mut cell = grains.floor();
        if (grains - line).abs() <= NEAR_LINE {
            cell = *self.lines.entry(line as i64).or_insert(cell as i64) as f64;
        }
        cell * self.grain
    }
}

/// A contact that approaches, for the heap.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Approach {
    /// Key rounded down to a multiple of the grain.
    key: f64,
    row: u32,
}

impl Eq for Approach {}

impl PartialOrd for Approach {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Approach {
    /// The heap yields its greatest: the most negative key, and the lowest index among equals.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.row.cmp(&self.row))
    }
}

/// The approaching contacts of an island; keeps its memory from use to use.
#[derive(Debug, Default)]
pub(crate) struct Approaches {
    neighbours: Neighbours,
    /// What a contact's normal velocity is multiplied by to make its key; empty for one everywhere.
    weights: Vec<f64>,
    /// Key under which each contact stands in the heap: at or below its own; infinite when it does not.
    queued: Vec<f64>,
    heap: BinaryHeap<Approach>,
    grid: Grid,
    /// Approach speeds up to this are none \[m/s\].
    threshold: f64,
}

impl Approaches {
    /// Sizes the scratch; `active` are the rows that take part, ascending.
    pub(crate) fn prepare(&mut self, contacts: &impl Contacts, active: impl Iterator<Item = u32>) {
        self.neighbours.list(contacts, active);
        self.weights.clear();
        self.queued.clear();
        self.queued.resize(contacts.len(), f64::INFINITY);
    }

    /// The contacts that take part, by body.
    pub(crate) fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// The largest approach speed \[m/s\].
    pub(crate) fn largest(&self, contacts: &impl Contacts) -> f64 {
        self.neighbours.largest_approach(contacts)
    }

    /// Orders contacts by normal velocity times these weights instead of by normal velocity.
    pub(crate) fn weigh(&mut self, weights: impl Iterator<Item = f64>) {
        self.weights.clear();
        self.weights.extend(weights);
    }

    /// The order of a contact with normal velocity `u_n`: the most negative comes first.
    pub(crate) fn key(&self, i: usize, u_n: f64) -> f64 {
        self.weights.get(i).map_or(u_n, |weight| weight * u_n)
    }

    /// Puts every contact on the heap that approaches faster than `threshold` \[m/s\]; `largest` is the largest key,
    /// for ties.
    pub(crate) fn fill(&mut self, contacts: &impl Contacts, threshold: f64, largest: f64) {
        self.threshold = threshold;
        self.grid.start(TIE * largest);
        self.heap.clear();
        self.queued.fill(f64::INFINITY);
        for k in 0..self.neighbours.active().len() {
            self.push(contacts, self.neighbours.active()[k] as usize);
        }
    }

    /// Queues a contact that approaches faster than it is known to.
    pub(crate) fn push(&mut self, contacts: &impl Contacts, i: usize) {
        let velocity = contacts.normal_velocity(i);
        if velocity < -self.threshold {
            let key = self.key(i, velocity);
            let key = self.grid.rounded(key);
            if key < self.queued[i] {
                self.queued[i] = key;
                self.heap.push(Approach { key, row: i as u32 });
            }
        }
    }

    /// Looks again at every contact of two bodies whose velocities have changed.
    pub(crate) fn refresh(&mut self, contacts: &impl Contacts, a: u32, b: u32) {
        for body in [a, b] {
            for k in 0..self.neighbours.rows_of(body).len() {
                let i = self.neighbours.rows_of(body)[k] as usize;
                self.push(contacts, i);
            }
        }
    }

    /// Takes the contact of the most negative key off the heap, with its relative velocity; none when nothing
    /// approaches.
    pub(crate) fn worst(&mut self, contacts: &impl Contacts) -> Option<(usize, DVec3)> {
        while let Some(top) = self.heap.pop() {
            let i = top.row as usize;
            if top.key != self.queued[i] {
                continue;
            }
            self.queued[i] = f64::INFINITY;
            let u = contacts.relative_velocity(i);
            let velocity = contacts.normal(i).dot(u);
            if velocity >= -self.threshold {
                continue;
            }
            let key = self.key(i, velocity);
            let key = self.grid.rounded(key);
            let now = Approach { key, row: top.row };
            if key > top.key && self.heap.peek().is_some_and(|next| *next > now) {
                self.queued[i] = key;
                self.heap.push(now);
                continue;
            }
            return Some((i, u));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that differ by rounding are the same wherever on the grid they lie; others are not, and keep their order.
    #[test]
    fn rounding_parts_no_equal_keys() {
        let mut grid = Grid::default();
        grid.start(TIE);
        let mut parted = [0; 2];
        for k in 0..10_000 {
            let key = -1.0 + 1.37e-5 * f64::from(k);
            let noisy = key * (1.0 + 4.0 * f64::EPSILON);
            parted[0] += u32::from(grid.rounded(key) != grid.rounded(noisy));
            // The control: without a memory some part.
            parted[1] += u32::from((key / TIE).floor() != (noisy / TIE).floor());
            let other = key + 3.0 * TIE;
            assert!(grid.rounded(key) < grid.rounded(other), "{key}");
        }
        assert!(parted[0] == 0 && parted[1] > 0, "{parted:?}");
    }
}
