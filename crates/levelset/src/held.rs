//! The values of a grid in the layout that suits it: blocks near the surface, or all nodes.

use granule_model::DVec3;

use crate::blocks::Blocks;
use crate::dense::Dense;
use crate::kernel::{Cubic, Linear, is_kinked};
use crate::lattice::Lattice;

/// Values of nodes, however they are laid out.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// Those of blocks that the band touches.
    Blocks(Blocks),
    /// All.
    Dense(Dense),
}

impl Held {
    /// The layout that suits: all nodes where at least a third of the blocks are held anyway.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: Blocks, held: usize) -> Held {
        if 3 * held >= blocks.directory.words.len() {
            Held::Dense(Dense::of_blocks(lattice, blocks))
        } else {
            Held::Blocks(blocks)
        }
    }

    /// As [`Blocks::node`].
    pub(crate) fn node(&self, node: [usize; 3]) -> Result<f64, f64> {
        match self {
            Held::Blocks(blocks) => blocks.node(node),
            Held::Dense(dense) => dense.node(node),
        }
    }

    /// As [`Blocks::gather`].
    #[inline]
    pub(crate) fn gather<const N: usize>(&self, low: [usize; 3]) -> Option<[[[f64; N]; N]; N]> {
        match self {
            Held::Blocks(blocks) => blocks.gather(low),
            Held::Dense(dense) => dense.gather(low),
        }
    }

    /// Value in cells and gradient at `t` in a cell that is not at the sides of the grid: tricubic, but trilinear where
    /// distances have a kink; none where a block is not held.
    #[inline]
    pub(crate) fn interpolate(&self, low: [usize; 3], t: DVec3) -> Option<(f64, DVec3)> {
        let outer = low.map(|i| i - 1);
        match self {
            Held::Dense(dense) if dense.is_kinked(low) => Some(Linear::interpolate(&dense.gather(low)?, t)),
            Held::Dense(dense) => Some(Cubic::interpolate(&dense.gather(outer)?, t)),
            Held::Blocks(blocks) => {
                let nodes = blocks.gather(outer)?;
                Some(if is_kinked(&nodes) {
                    Linear::interpolate(&inner(&nodes), t)
                } else {
                    Cubic::interpolate(&nodes, t)
                })
            }
        }
    }

    /// Whether values of a block of nodes are held.
    pub(crate) fn is_held(&self, block: [usize; 3]) -> bool {
        let directory = match self {
            Held::Blocks(blocks) => &blocks.directory,
            Held::Dense(dense) => &dense.directory,
        };
        directory.word(block).read().is_ok()
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Held::Blocks(blocks) => blocks.bytes(),
            Held::Dense(dense) => dense.bytes(),
        }
    }
}

fn inner(nodes: &[[[f64; 4]; 4]; 4]) -> [[[f64; 2]; 2]; 2] {
    std::array::from_fn(|z| std::array::from_fn(|y| std::array::from_fn(|x| nodes[z + 1][y + 1][x + 1])))
}
