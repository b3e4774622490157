//! Candidate pairs of bodies: a sparse grid over padded boxes, kept for as many steps as the padding allows.
//!
//! Every body has a *fat box*: its tight box grown by what it may need ahead of time (its reach) and by a padding.
//! Pairs are listed for fat boxes that meet, so the list stays complete until some tight box, grown by its reach,
//! leaves its fat box; only then is it rebuilt. In a pile at rest that is never, in a fall once in some padding /
//! (speed x step) steps. Of balls the balls inside their boxes are asked instead, which leaves half of the pairs.
//!
//! The grid has one level per power of two of box sizes, each a sorted list of cell keys (`grid`); a rebuild takes
//! O(n log n) for the sort and O(n) for the search, at any ratio of sizes (`search`), and the pairs come out in
//! lexicographic order (`commit`), whatever the number of threads.
//!
//! This crate knows boxes only. What a box must hold (motion, margins) is the caller's business, and which pairs really
//! touch is left to `granule-geometry`.

mod commit;
mod grid;
mod search;

use commit::sort_into;
use granule_model::{Aabb, DVec3};
use grid::Grid;
use rayon::prelude::*;
use search::Search;

/// Bodies from which on a look at all of them is shared out to threads.
const PARALLEL: usize = 4096;

/// The bodies of one step, by dense index; the four slices have the same length.
#[derive(Clone, Copy, Debug)]
pub struct BroadPhaseInput<'a> {
    /// Tight world box of each body \[m\]; may be infinite (half-spaces, containers). A body whose box is empty or not
    /// a number pairs with none.
    pub boxes: &'a [Aabb],
    /// False for bodies without finite mass: two of them never pair.
    pub movable: &'a [bool],
    /// False for slots whose body was removed: they pair with none.
    pub present: &'a [bool],
    /// True for bodies that fill no more of their box than the ball inside it: their boxes are cubes.
    pub round: &'a [bool],
    /// A point that moves as most bodies do \[m\], or zero: bodies may move along with it without leaving their fat
    /// boxes.
    pub origin: DVec3,
}

/// What is known of one body's slot since the last rebuild.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slot {
    /// Tight box grown by reach and padding.
    fat: Aabb,
    movable: bool,
    present: bool,
    round: bool,
}

impl Slot {
    /// Whether the body, grown by its reach, is still within its fat box.
    fn holds(&self, tight: &Aabb, reach: f64) -> bool {
        if self.round {
            let room = 0.5 * (self.fat.size().x - tight.size().x) - reach;
            room >= 0.0 && (self.fat.center() - tight.center()).length_squared() <= room * room
        } else {
            self.fat.contains(&tight.padded(reach))
        }
    }
}

/// The list of candidate pairs with the boxes for which it was made: a value that can be kept, compared and put back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairList {
    slots: Vec<Slot>,
    /// Origin when the list was made.
    origin: DVec3,
    valid: bool,
    pairs: Vec<(u32, u32)>,
}

impl PairList {
    /// Candidate pairs of dense indices, `a < b`, in lexicographic order, each once.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Makes the next update rebuild the list, whatever has moved.
    pub fn invalidate(&mut self) {
        self.valid = false;
    }

    /// Drops bodies from the list, by dense index, that will be neither present nor movable from now on; everything
    /// else stays as it is.
    pub fn forget(&mut self, gone: &[u32]) {
        if !self.valid {
            return;
        }
        for body in gone {
            let slot = &mut self.slots[*body as usize];
            (slot.present, slot.movable) = (false, false);
        }
        let slots = &self.slots;
        self.pairs.retain(|(a, b)| slots[*a as usize].present && slots[*b as usize].present);
    }

    /// Whether the list holds every pair whose boxes, each grown by `reach` of its body \[m\], meet: no grown box,
    /// moved back by what the origin has moved, has left its fat box, and no body came, went or changed between movable
    /// and not.
    ///
    /// # Panics
    /// When the slices differ in length: the caller's dense indices are broken then.
    pub fn holds(&self, input: &BroadPhaseInput, reach: &[f64]) -> bool {
        input.check(reach);
        let back = self.origin - input.origin;
        let unchanged = |i: usize| {
            let slot = &self.slots[i];
            slot.present == input.present[i]
                && slot.movable == input.movable[i]
                && slot.round == input.round[i]
                && (!slot.present || slot.holds(&input.boxes[i].shifted(back), reach[i].max(0.0)))
        };
        let count = self.slots.len();
        let all = || match count {
            ..PARALLEL => (0..count).all(unchanged),
            _ => (0..count).into_par_iter().with_min_len(PARALLEL / 4).all(unchanged),
        };
        self.valid && count == input.boxes.len() && all()
    }
}

impl BroadPhaseInput<'_> {
    fn check(&self, of_each: &[f64]) {
        let count = self.boxes.len();
        assert!(
            self.movable.len() == count
                && self.present.len() == count
                && self.round.len() == count
                && of_each.len() == count,
            "one box, three flags, one reach and one padding for each body"
        );
    }
}

/// What makes lists of candidate pairs: memory that is filled before it is read, and no state.
///
/// A warm [`update`](BroadPhase::update) allocates nothing. Work is handed to the current rayon pool from some thousand
/// bodies on.
#[derive(Debug, Default)]
pub struct BroadPhase {
    grid: Grid,
    search: Search,
    /// Start of the row of each first body.
    row: Vec<u32>,
}

impl BroadPhase {
    /// Makes sure that `list` holds every pair whose boxes, each grown by `reach` of its body, meet (touching counts);
    /// of two round bodies the balls in these boxes. Returns whether the list was made anew.
    ///
    /// `reach[i]` \[m\] is how far ahead contacts of body `i` must be known, for instance its speed times the step;
    /// `padding[i]` \[m\] is what its fat box gets beyond it, so that the list lives for several steps: larger padding,
    /// rarer rebuilds and more pairs that do not touch. Negative values count as zero.
    ///
    /// # Panics
    /// When the slices differ in length: the caller's dense indices are broken then.
    pub fn update(&mut self, list: &mut PairList, input: &BroadPhaseInput, reach: &[f64], padding: &[f64]) -> bool {
        let is_rebuilt = !list.holds(input, reach);
        if is_rebuilt {
            self.rebuild(list, input, reach, padding);
        }
        is_rebuilt
    }

    /// Makes `list` anew, whatever it held; see [`BroadPhase::update`].
    ///
    /// # Panics
    /// When the slices differ in length: the caller's dense indices are broken then.
    pub fn rebuild(&mut self, list: &mut PairList, input: &BroadPhaseInput, reach: &[f64], padding: &[f64]) {
        input.check(reach);
        input.check(padding);
        let count = input.boxes.len();
        list.origin = input.origin;
        list.slots.clear();
        list.slots.extend((0..count).map(|i| Slot {
            fat: input.boxes[i].padded(reach[i].max(0.0) + padding[i].max(0.0)),
            movable: input.movable[i],
            present: input.present[i],
            round: input.round[i],
        }));
        self.grid.build(&list.slots);
        self.search.run(&self.grid, &list.slots);
        sort_into(&mut list.pairs, &mut self.row, self.search.found(), count);
        list.valid = true;
    }
}
