//! The values of a grid in the layout that suits it: blocks near the surface, or all nodes.

use crate::blocks::Blocks;
use crate::dense::Dense;
use crate::kernel::is_kinked;
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

    /// Whether the distances about a cell that is not at the sides of the grid have a kink.
    #[inline]
    pub(crate) fn is_kinked(&self, low: [usize; 3]) -> bool {
        match self {
            Held::Blocks(blocks) => blocks.gather(low.map(|i| i - 1)).is_some_and(|nodes| is_kinked(&nodes)),
            Held::Dense(dense) => dense.is_kinked(low),
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
