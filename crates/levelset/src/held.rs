//! The values of a grid in the layout that suits it: blocks near the surface, or rows of nodes.

use granule_model::DVec3;

use crate::blocks::{Blocks, Layout, Values};
use crate::cell::CellNodes;
use crate::dense::Dense;
use crate::kinks::Kinks;
use crate::lattice::Lattice;

/// Values of nodes, however they are laid out.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// Those of blocks that the band touches.
    Blocks(Blocks, Kinks),
    /// Those of rows of nodes.
    Dense(Dense),
}

impl Held {
    /// The layout that suits: rows where at least a third of the blocks are held anyway.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: Blocks, held: usize) -> Held {
        let kinks = Kinks::of_blocks(lattice, &blocks);
        if 3 * held >= blocks.directory.words.len() && lattice.nodes[0] <= Dense::LONGEST_ROW {
            Held::Dense(Dense::of_blocks(lattice, blocks, &kinks))
        } else {
            Held::Blocks(blocks, kinks)
        }
    }

    /// As [`Blocks::node`].
    pub(crate) fn node(&self, node: [usize; 3]) -> Result<f64, f64> {
        match self {
            Held::Blocks(blocks, _) => blocks.node(node),
            Held::Dense(dense) => dense.node(node),
        }
    }

    /// As [`Layout::gather`].
    #[inline]
    pub(crate) fn gather<const N: usize>(&self, low: [usize; 3]) -> Option<[[[f64; N]; N]; N]> {
        match self {
            Held::Blocks(blocks, _) => blocks.gather(low),
            Held::Dense(dense) => dense.gather(low),
        }
    }

    /// Value in cells and gradient at `t` in a cell that is not at the sides of the grid, see
    /// [`CellNodes::interpolate`]; none where a value is not held.
    #[inline]
    pub(crate) fn interpolate(&self, low: [usize; 3], t: DVec3) -> Option<(f64, DVec3)> {
        let ((value, gradient), step) = (self.cell(low)?.interpolate(t), self.step());
        Some((value * step, gradient * step))
    }

    /// What is held around a cell that is not at the sides of the grid; none where a value is not held.
    #[inline]
    pub(crate) fn cell(&self, low: [usize; 3]) -> Option<CellNodes> {
        let (kinks, place) = self.kinks_at(low)?;
        let around = || match self {
            Held::Dense(dense) => dense.gather_within(low.map(|i| i - 1)),
            Held::Blocks(blocks, _) => blocks.gather_within(low.map(|i| i - 1)),
        };
        if kinks.is_smooth(place) {
            return Some(CellNodes::Smooth(around()?, 0));
        }
        let mut kinked = 0;
        for corner in 0..8 {
            let (kinks, place) = self.kinks_at([0, 1, 2].map(|axis| low[axis] + (corner >> axis & 1)))?;
            kinked |= u8::from(kinks.has_weight(place)) << corner;
        }
        let corners = || match self {
            Held::Dense(dense) => dense.gather_stored(low),
            Held::Blocks(blocks, _) => blocks.gather_stored(low),
        };
        // Beyond the band there is a kink at all corners.
        Some(if kinked == u8::MAX { CellNodes::Kinked(corners()?) } else { CellNodes::Smooth(around()?, kinked) })
    }

    /// One step of the storage in cells.
    #[inline]
    pub(crate) fn step(&self) -> f64 {
        let values = match self {
            Held::Blocks(blocks, _) => blocks.values(),
            Held::Dense(dense) => dense.values(),
        };
        match values {
            Values::F32(_) => 1.0,
            Values::I16(_, step) => *step,
        }
    }

    /// The kinks, and the place of a node in them; none where it is not held.
    #[inline]
    fn kinks_at(&self, node: [usize; 3]) -> Option<(&Kinks, usize)> {
        match self {
            Held::Dense(dense) => Some((&dense.kinks, dense.place(node)?)),
            Held::Blocks(blocks, kinks) => Some((kinks, blocks.place(node).ok()?)),
        }
    }

    /// Whether values of a block of nodes are held.
    pub(crate) fn is_held(&self, block: [usize; 3]) -> bool {
        let directory = match self {
            Held::Blocks(blocks, _) => &blocks.directory,
            Held::Dense(dense) => &dense.directory,
        };
        directory.word(block).read().is_ok()
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Held::Blocks(blocks, kinks) => blocks.bytes() + kinks.bytes(),
            Held::Dense(dense) => dense.bytes(),
        }
    }
}
