//! Cells of a grid at hand: for many questions in few cells, such as those of the nodes of one grain.
//!
//! The nodes around a cell lie in up to eight blocks of ground. To find and to read them takes as long as to
//! interpolate; here they are read once.

use std::cell::RefCell;

use granule_model::DVec3;

use crate::cell::CellNodes;
use crate::contour::by_slope;
use crate::grid::{LevelSet, Sample, finite};

/// Cells at hand along each axis: of cells so far apart one takes the place of the other.
const ALONG: [usize; 3] = [4, 4, 2];
const SLOTS: usize = ALONG[0] * ALONG[1] * ALONG[2];
/// The lowest node of no cell.
const NONE: [usize; 3] = [usize::MAX; 3];

/// A cell by its lowest node, and what is held around it.
type Slot = ([usize; 3], Option<CellNodes>);

/// A level set with the cells asked last.
pub struct AtHand<'a> {
    pub(crate) level_set: &'a LevelSet,
    slots: RefCell<[Slot; SLOTS]>,
    /// One step of the storage in cells.
    pub(crate) step: f64,
}

impl LevelSet {
    /// The level set with no cell at hand yet.
    pub fn at_hand(&self) -> AtHand<'_> {
        AtHand { level_set: self, slots: RefCell::new([(NONE, None); SLOTS]), step: self.held.step() }
    }
}

impl AtHand<'_> {
    /// What [`LevelSet::contour`] finds, to the same bits, and the length of the gradient by which the value was
    /// divided: short where distances from two places are as long, so that the value is no distance.
    pub fn sloped(&self, p: DVec3) -> Option<(Sample, f64)> {
        let sample = self.unscaled(p)?;
        Some((by_slope(sample)?, sample.gradient.length()))
    }

    fn unscaled(&self, p: DVec3) -> Option<Sample> {
        let Some((low, t)) = self.level_set.cell(p, 1) else { return self.level_set.unscaled(p) };
        // What is not known here the corners of the cell do not know either.
        let (value, gradient) = self.with_cell(low, |cell| cell.interpolate(t))?;
        finite((value * self.step, gradient * self.step), self.level_set.spacing())
    }

    /// What `ask` says of a cell that is not at the sides of the grid; none where nothing is held.
    #[inline]
    pub(crate) fn with_cell<T>(&self, low: [usize; 3], ask: impl FnOnce(&CellNodes) -> T) -> Option<T> {
        let place = (low[0] % ALONG[0] * ALONG[1] + low[1] % ALONG[1]) * ALONG[2] + low[2] % ALONG[2];
        let (of_slot, cell) = &mut self.slots.borrow_mut()[place % SLOTS];
        if *of_slot != low {
            (*of_slot, *cell) = (low, self.level_set.held.cell(low));
        }
        cell.as_ref().map(ask)
    }
}

#[cfg(test)]
mod tests {
    use granule_model::Aabb;

    use super::*;
    use crate::Storage;

    /// A hilly ground in blocks and a rounded body with all nodes, in either storage: cells at hand say what the level
    /// set says, bit for bit, at points near each other and far apart.
    #[test]
    fn cells_at_hand_say_the_same() {
        let hills = |p: DVec3| 0.9 * (p.z - 1.5 * libm::sin(0.3 * p.x) * libm::cos(0.2 * p.y) - p.x.abs() * 0.2);
        let body = |p: DVec3| {
            let q = p.abs() - DVec3::new(4.0, 3.0, 2.5);
            q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - 1.5
        };
        let boxes = [DVec3::new(30.0, 30.0, 8.0), DVec3::new(9.0, 8.0, 7.5)].map(|half| Aabb::new(-half, half));
        for storage in [Storage::F32, Storage::I16] {
            let ground = LevelSet::from_function(boxes[0], 1.0, 3, storage, hills).expect("a ground");
            let grain = LevelSet::from_function(boxes[1], 1.0, 5, storage, body).expect("a body");
            for set in [&ground, &grain] {
                let (at_hand, bounds) = (set.at_hand(), set.bounds());
                let (mut known, mut none) = (0, 0);
                for i in 0..20_000 {
                    let share = |k: f64| libm::fmod(f64::from(i) * k, 1.0);
                    let far = DVec3::new(share(0.618_034), share(0.754_878), share(0.569_840));
                    // Every other run of 100 stays within a few cells.
                    let near = DVec3::splat(0.5) + 0.1 * (far - DVec3::splat(0.5));
                    let place = if i / 100 % 2 == 0 { far } else { near };
                    let p = bounds.min + (place * 1.02 - DVec3::splat(0.01)) * bounds.size();
                    let found = at_hand.sloped(p).map(|(sample, _)| sample);
                    assert_eq!(found, set.contour(p), "{p}");
                    *if found.is_some() { &mut known } else { &mut none } += 1;
                }
                println!("{known} known, {none} unknown");
                assert!(known > 5000 && none > 100);
            }
        }
    }
}
