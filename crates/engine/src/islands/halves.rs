//! Halves of blocks: a large island cut along its longest side.
//!
//! Bodies are sorted by their place along that side and cut into halves of about [`CONTACTS`] contacts, none narrower
//! than [`REACH`]; two halves make a block. Contacts then join bodies of one half or of neighbouring ones, but for a
//! few of bodies much larger than the others. Nothing here depends on the number of threads.

use granule_islands::Island;
use granule_model::DVec3;

use crate::world::bodies::Bodies;
use crate::world::contact::Contact;

/// Contacts to a half. 100 000 spheres on one thread cost a quarter less than in one piece, 10 000 as much as then
/// within what timing can tell. With 3000 10 000 cost 3 % less, but five blocks are too few to share out; with 1000 the
/// release makes 4 % more impulses at 100 000, and a step takes a tenth longer.
const CONTACTS: usize = 1500;
/// Halves below which an island is not cut.
const FEWEST: usize = 4;
/// Least width of a half, over the mean radius: spheres of equal size that touch are never further apart than their
/// halves allow.
const REACH: f64 = 2.5;
/// Width of a bin by which bodies are sorted, over the mean radius.
const BIN: f64 = 0.25;
/// Bins at most.
const BINS: usize = 1 << 16;
/// How much longer another side than the first must be to be cut instead: a side that is longest by a hair must not
/// change the order from step to step.
const LONGER: f64 = 1.5;
/// How much smaller the steps from body to body must be along a side of about that length for it to be cut instead.
/// Bodies that follow one another, as those of a row of a grid do, then stay together in a block, and so do their
/// contacts in memory: 10 000 spheres cost 5 to 10 % less.
const NEARER: f64 = 2.0;

/// The halves of one island; the memory is kept.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// Dense indices of the bodies, half after half.
    bodies: Vec<u32>,
    /// End of each half.
    ends: Vec<usize>,
    /// Half of each body, by dense index.
    half: Vec<u32>,
    /// Bin of each body of the island, and the running sums over bins.
    bin: Vec<u32>,
    count: Vec<usize>,
    /// Contacts, set after set: inside and across of each block, and the rest.
    contacts: Vec<u32>,
    /// End of each set.
    sets: Vec<usize>,
}

impl Halves {
    /// Cuts an island; false when it is too small for that.
    pub(super) fn cut(
        &mut self,
        island: &Island<'_>,
        bodies: &Bodies<'_>,
        awake: &[bool],
        contacts: &[Contact],
    ) -> bool {
        if island.contacts.len() < FEWEST * CONTACTS {
            return false;
        }
        let radii = island.bodies.iter().map(|i| bodies.radius[*i as usize]);
        let radius = radii.sum::<f64>() / island.bodies.len() as f64;
        let width = self.sort(island.bodies, bodies, radius);
        let most = CONTACTS * island.bodies.len() / island.contacts.len();
        self.cut_bins(most.max(1), (REACH * radius / width).ceil() as usize);
        if self.ends.len() < FEWEST {
            return false;
        }
        self.half.resize(bodies.pose.len(), 0);
        let mut start = 0;
        for (half, end) in self.ends.iter().enumerate() {
            self.bodies[start..*end].iter().for_each(|i| self.half[*i as usize] = half as u32);
            start = *end;
        }
        self.sort_contacts(island.contacts, awake, contacts);
        true
    }

    /// Sorts the bodies by bins along the longest side; returns the width of a bin \[m\].
    fn sort(&mut self, island: &[u32], bodies: &Bodies<'_>, radius: f64) -> f64 {
        let position = |i: &u32| bodies.pose[*i as usize].position;
        let start = position(&island[0]);
        let corners = island.iter().map(position).fold((start, start), |(low, high), p| (low.min(p), high.max(p)));
        let steps = island.windows(2).map(|pair| (position(&pair[1]) - position(&pair[0])).abs()).sum();
        let (axis, length) = side_to_cut(corners.1 - corners.0, steps);
        let width = (BIN * radius).max(length / (BINS - 1) as f64);
        let low = corners.0.dot(axis);
        self.bin.clear();
        self.bin.extend(island.iter().map(|i| ((position(i).dot(axis) - low) / width) as u32));
        self.count.clear();
        self.count.resize((length / width) as usize + 2, 0);
        self.bin.iter().for_each(|bin| self.count[*bin as usize] += 1);
        start_of_each(&mut self.count);
        self.bodies.clear();
        self.bodies.resize(island.len(), 0);
        for (i, bin) in island.iter().zip(&self.bin) {
            let place = &mut self.count[*bin as usize];
            self.bodies[*place] = *i;
            *place += 1;
        }
        // Each count is now where its bin ends.
        width
    }

    /// Cuts the bins into halves of at least `least` bodies and `narrowest` bins.
    fn cut_bins(&mut self, least: usize, narrowest: usize) {
        self.ends.clear();
        let (mut start, mut bins) = (0, 0);
        for end in &self.count {
            bins += 1;
            if end - start >= least && bins >= narrowest {
                self.ends.push(*end);
                (start, bins) = (*end, 0);
            }
        }
        // What is left over belongs to the last half.
        if let Some(last) = self.ends.last_mut() {
            *last = self.bodies.len();
        }
    }

    /// Sorts the contacts by the sets of the blocks.
    fn sort_contacts(&mut self, island: &[u32], awake: &[bool], contacts: &[Contact]) {
        let rest = 2 * self.block_count();
        let set = |c: &u32| {
            let contact = &contacts[*c as usize];
            let [a, b] = [contact.a, contact.b].map(|i| awake[i as usize].then(|| self.half[i as usize] as usize));
            let (low, high) = match (a, b) {
                (Some(a), Some(b)) => (a.min(b), a.max(b)),
                (Some(half), None) | (None, Some(half)) => (half, half),
                (None, None) => return rest,
            };
            match () {
                () if low / 2 == high / 2 => low / 2 * 2,
                () if high == low + 1 => low / 2 * 2 + 1,
                () => rest,
            }
        };
        self.sets.clear();
        self.sets.resize(rest + 1, 0);
        self.bin.clear();
        self.bin.extend(island.iter().map(|c| set(c) as u32));
        self.bin.iter().for_each(|set| self.sets[*set as usize] += 1);
        start_of_each(&mut self.sets);
        self.contacts.clear();
        self.contacts.resize(island.len(), 0);
        for (c, set) in island.iter().zip(&self.bin) {
            let place = &mut self.sets[*set as usize];
            self.contacts[*place] = *c;
            *place += 1;
        }
    }

    /// Number of blocks.
    pub(super) fn block_count(&self) -> usize {
        self.ends.len().div_ceil(2)
    }

    /// The bodies of the left and of the right half of a block; the last one may have no right half.
    pub(super) fn bodies_of(&self, block: usize) -> [&[u32]; 2] {
        let end = |half: usize| if half == 0 { 0 } else { self.ends[(half - 1).min(self.ends.len() - 1)] };
        [0, 1].map(|side| &self.bodies[end(2 * block + side)..end(2 * block + side + 1)])
    }

    /// The contacts inside a block.
    pub(super) fn inside(&self, block: usize) -> &[u32] {
        self.set(2 * block)
    }

    /// The contacts from a block to the next.
    pub(super) fn across(&self, block: usize) -> &[u32] {
        self.set(2 * block + 1)
    }

    /// All others.
    pub(super) fn rest(&self) -> &[u32] {
        self.set(2 * self.block_count())
    }

    fn set(&self, set: usize) -> &[u32] {
        &self.contacts[if set == 0 { 0 } else { self.sets[set - 1] }..self.sets[set]]
    }
}

/// The axis of the side to cut and its length: the longest, x unless another is much longer, or one hardly shorter
/// along which bodies that follow one another are much nearer; `steps` are the sums of their distances along the axes
/// \[m\].
fn side_to_cut(size: DVec3, steps: DVec3) -> (DVec3, f64) {
    let side = |axis: DVec3| (axis, size.dot(axis), steps.dot(axis));
    let is_better = |side: &(DVec3, f64, f64), best: &(DVec3, f64, f64)| {
        side.1 > LONGER * best.1 || (LONGER * side.1 >= best.1 && NEARER * side.2 < best.2)
    };
    let sides = [DVec3::X, DVec3::Y, DVec3::Z].map(side).into_iter();
    let (axis, length, _) =
        sides.reduce(|best, side| if is_better(&side, &best) { side } else { best }).unwrap_or_default();
    (axis, length)
}

/// Turns numbers of items into where each begins.
fn start_of_each(count: &mut [usize]) {
    let mut total = 0;
    for count in count {
        total += std::mem::replace(count, total);
    }
}

#[cfg(test)]
mod tests {
    use granule_islands::Islands;
    use granule_model::Pose;

    use super::*;
    use crate::world::bodies::{BodyState, Frames, Table};

    /// Bodies of radius 0.5 m in a grid one metre apart, the first `count` places of it, and a floor; contacts between
    /// neighbours, with the floor, and between the two bodies of `far`.
    fn grid(count: u32, far: Option<(u32, u32)>) -> (Table, BodyState, Vec<bool>, Vec<Contact>) {
        let places = (0..count).map(|i| DVec3::new(f64::from(i / 100), f64::from(i / 10 % 10), f64::from(i % 10)));
        let pose = places.chain([DVec3::ZERO]).map(|position| Pose { position, ..Pose::IDENTITY }).collect();
        let state = BodyState { pose, ..BodyState::default() };
        let table = Table { radius: vec![0.5; count as usize + 1], ..Table::default() };
        let neighbours = (0..count).flat_map(|i| [(i, i + 1), (i, i + 10), (i, i + 100), (i, count)]);
        let pairs = neighbours.filter(|(_, b)| *b <= count).chain(far);
        let contact = |(a, b)| Contact {
            a,
            b,
            feature: 0,
            point: DVec3::ZERO,
            normal: DVec3::X,
            gap: 0.0,
            radius: 0.5,
            thickness: 0.5,
        };
        let mut awake = vec![true; count as usize];
        awake.push(false);
        (table, state, awake, pairs.map(contact).collect())
    }

    fn cut(count: u32, far: Option<(u32, u32)>) -> (Halves, bool, Vec<bool>, Vec<Contact>) {
        let (table, state, awake, contacts) = grid(count, far);
        let frames = Frames::default();
        let bodies = state.view(&table, &frames);
        let pairs: Vec<_> = contacts.iter().map(|c| (c.a, c.b)).collect();
        let mut islands = Islands::default();
        islands.build(bodies.pose.len(), &awake, &pairs);
        let mut halves = Halves::default();
        let is_cut = halves.cut(&islands.get(0).expect("one island"), &bodies, &awake, &contacts);
        (halves, is_cut, awake, contacts)
    }

    #[test]
    fn contacts_stay_within_their_sets() {
        let (halves, is_cut, awake, contacts) = cut(5000, Some((0, 4999)));
        assert!(is_cut && halves.block_count() >= 4, "{} blocks", halves.block_count());
        let half = |i: u32| halves.half[i as usize] as usize;
        let mut seen = vec![0; contacts.len()];
        for k in 0..halves.block_count() {
            let bodies = halves.bodies_of(k);
            assert!(bodies.iter().enumerate().all(|(side, of)| of.iter().all(|i| half(*i) == 2 * k + side)));
            for c in halves.inside(k) {
                let contact = &contacts[*c as usize];
                assert!([contact.a, contact.b].into_iter().all(|i| !awake[i as usize] || half(i) / 2 == k));
                seen[*c as usize] += 1;
            }
            for c in halves.across(k) {
                let contact = &contacts[*c as usize];
                let mut ends = [half(contact.a), half(contact.b)];
                ends.sort_unstable();
                assert_eq!(ends, [2 * k + 1, 2 * k + 2]);
                seen[*c as usize] += 1;
            }
        }
        let rest: Vec<_> = halves.rest().iter().map(|c| (contacts[*c as usize].a, contacts[*c as usize].b)).collect();
        assert_eq!(rest, [(0, 4999)], "what leads from one end to the other, and nothing else");
        halves.rest().iter().for_each(|c| seen[*c as usize] += 1);
        assert!(seen.iter().all(|times| *times == 1));
        let count: usize = (0..halves.block_count()).flat_map(|k| halves.bodies_of(k)).map(<[u32]>::len).sum();
        assert_eq!(count, 5000);
    }

    #[test]
    fn small_islands_are_left_whole() {
        assert!(!cut(1000, None).1);
    }

    #[test]
    fn the_first_axis_is_cut_unless_another_is_much_longer_or_bodies_follow_one_another_along_it() {
        let axis = |size: [f64; 3], steps: [f64; 3]| side_to_cut(DVec3::from_array(size), DVec3::from_array(steps));
        assert_eq!(axis([2.0, 2.9, 1.0], [1.0; 3]), (DVec3::X, 2.0));
        assert_eq!(axis([2.0, 3.1, 1.0], [1.0; 3]), (DVec3::Y, 3.1));
        assert_eq!(axis([1.0, 2.0, 10.0], [1.0; 3]), (DVec3::Z, 10.0));
        // A grid whose rows lie along x, layer upon layer; what is much shorter is not cut for that.
        assert_eq!(axis([2.0, 1.9, 1.0], [1.0, 0.2, 0.01]), (DVec3::Y, 1.9));
        assert_eq!(axis([2.0, 1.9, 1.0], [1.0, 0.6, 0.6]), (DVec3::X, 2.0));
    }
}
