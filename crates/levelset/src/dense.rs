//! Values of all nodes of a grid, for grids of which the band touches most: of bodies some twenty cells across.
//!
//! A value is found without the directory, and neighbours along x lie side by side. The directory stays for what is
//! known of blocks beyond the band.

use crate::blocks::{Blocks, Directory, EDGE, Layout, Values};
use crate::kinks::Kinks;
use crate::lattice::Lattice;

/// Values of all nodes, x fastest.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    pub(crate) nodes: [usize; 3],
    pub(crate) values: Values,
    pub(crate) kinks: Kinks,
    /// The directory of the blocks.
    pub(crate) directory: Directory,
}

impl Dense {
    /// The same values as `blocks` holds; infinite where it holds none.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: Blocks, kinks: &Kinks) -> Dense {
        let nodes = lattice.nodes;
        let count = nodes.iter().product();
        let node = |i: usize| [i % nodes[0], i / nodes[0] % nodes[1], i / (nodes[0] * nodes[1])];
        let mut values = blocks.values.empty_of(count);
        for i in 0..count {
            match blocks.place(node(i)) {
                Ok(place) => values.copy(&blocks.values, place),
                Err(centre) => values.push_far(centre),
            }
        }
        let kinks = kinks.reordered(count, |i| blocks.place(node(i)).ok());
        Dense { nodes, values, kinks, directory: blocks.directory }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.bytes() + self.kinks.bytes() + self.directory.bytes()
    }

    /// Place of a node among the values.
    #[inline]
    pub(crate) fn place(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.nodes[1] + y) * self.nodes[0] + x
    }

    /// As [`Blocks::node`].
    pub(crate) fn node(&self, node: [usize; 3]) -> Result<f64, f64> {
        self.directory.word(node.map(|i| i / EDGE)).read().map(|_| self.values.at(self.place(node)))
    }
}

impl Layout for Dense {
    fn values(&self) -> &Values {
        &self.values
    }

    #[inline]
    fn gather_with<T: Copy, V: Copy + Default, const N: usize>(
        &self,
        low: [usize; 3],
        values: &[T],
        value: impl Fn(T) -> V,
    ) -> Option<[[[V; N]; N]; N]> {
        let mut out = [[[V::default(); N]; N]; N];
        let first = self.place(low);
        for (z, plane) in out.iter_mut().enumerate() {
            for (y, row) in plane.iter_mut().enumerate() {
                let start = first + (z * self.nodes[1] + y) * self.nodes[0];
                let of_row: &[T; N] = values.get(start..)?.first_chunk()?;
                *row = of_row.map(&value);
            }
        }
        Some(out)
    }
}
