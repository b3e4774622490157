//! The values of a grid in the layout that suits it: blocks near the surface, or all nodes.

use granule_model::DVec3;

use crate::blocks::{Blocks, Layout};
use crate::dense::Dense;
use crate::kernel::Linear;
use crate::kinks::{Kinks, blend};
use crate::lattice::Lattice;

/// Values of nodes, however they are laid out.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// Those of blocks that the band touches.
    Blocks(Blocks, Kinks),
    /// All.
    Dense(Dense),
}

impl Held {
    /// The layout that suits: all nodes where at least a third of the blocks are held anyway.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: Blocks, held: usize) -> Held {
        let kinks = Kinks::of_blocks(lattice, &blocks);
        if 3 * held >= blocks.directory.words.len() {
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

    /// Value in cells and gradient at `t` in a cell that is not at the sides of the grid: tricubic, trilinear where
    /// distances have a kink or the band ends, and between both without a step; none where a value is not held.
    #[inline]
    pub(crate) fn interpolate(&self, low: [usize; 3], t: DVec3) -> Option<(f64, DVec3)> {
        // Where a node of these is beyond the band the cell is trilinear.
        let cubic = || self.cubic(low.map(|i| i - 1), t);
        let (kinks, place) = self.kinks_at(low)?;
        if kinks.is_smooth(place) {
            return cubic();
        }
        let mut weights = [[[0.0; 2]; 2]; 2];
        for (z, plane) in weights.iter_mut().enumerate() {
            for (y, row) in plane.iter_mut().enumerate() {
                for (x, weight) in row.iter_mut().enumerate() {
                    let (kinks, place) = self.kinks_at([low[0] + x, low[1] + y, low[2] + z])?;
                    *weight = kinks.weight(place);
                }
            }
        }
        blend(&weights, t, || Some(Linear::interpolate(&self.gather(low)?, t)), cubic)
    }

    /// Tricubic interpolation on nodes that are all within the band.
    #[inline]
    fn cubic(&self, first: [usize; 3], t: DVec3) -> Option<(f64, DVec3)> {
        match self {
            Held::Dense(dense) => dense.cubic(first, t),
            Held::Blocks(blocks, _) => blocks.cubic(first, t),
        }
    }

    /// The kinks, and the place of a node in them; none where it is not held.
    #[inline]
    fn kinks_at(&self, node: [usize; 3]) -> Option<(&Kinks, usize)> {
        match self {
            Held::Dense(dense) => Some((&dense.kinks, dense.place(node))),
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
