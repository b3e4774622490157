//! Values of all nodes of a grid, for grids of which the band touches most: of bodies some twenty cells across.
//!
//! A value is found without the directory, and neighbours along x lie side by side. The directory stays for what is
//! known of blocks beyond the band.

use crate::blocks::{Blocks, Directory, EDGE, NODES, Values, decode};
use crate::kernel::is_kinked;
use crate::lattice::Lattice;

/// Values of all nodes, x fastest.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    pub(crate) nodes: [usize; 3],
    pub(crate) values: Values,
    /// Cells about which the distances have a kink, by the place of their lowest node, one bit each.
    kinks: Vec<u64>,
    /// The directory of the blocks.
    pub(crate) directory: Directory,
}

impl Dense {
    /// The same values as `blocks` holds; infinite where it holds none.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: Blocks) -> Dense {
        let nodes = lattice.nodes;
        let mut values = blocks.values.empty_of(nodes.iter().product());
        for z in 0..nodes[2] {
            for y in 0..nodes[1] {
                for x in 0..nodes[0] {
                    let block = [x / EDGE, y / EDGE, z / EDGE];
                    let within = (z % EDGE * EDGE + y % EDGE) * EDGE + x % EDGE;
                    match blocks.directory.word(block).read() {
                        Ok(rank) => values.copy(&blocks.values, rank * NODES + within),
                        Err(centre) => values.push_far(centre),
                    }
                }
            }
        }
        let mut dense = Dense { nodes, values, kinks: vec![], directory: blocks.directory };
        dense.kinks = dense.find_kinks();
        dense
    }

    fn find_kinks(&self) -> Vec<u64> {
        let mut kinks = vec![0; self.nodes.iter().product::<usize>().div_ceil(64)];
        let inner = |axis: usize| 1..self.nodes[axis].saturating_sub(2);
        for z in inner(2) {
            for y in inner(1) {
                for x in inner(0) {
                    let low = [x, y, z];
                    if self.gather(low.map(|i| i - 1)).is_some_and(|nodes| is_kinked(&nodes)) {
                        let place = self.place(low);
                        kinks[place / 64] |= 1 << (place % 64);
                    }
                }
            }
        }
        kinks
    }

    /// Whether the distances about a cell that is not at the sides of the grid have a kink.
    #[inline]
    pub(crate) fn is_kinked(&self, low: [usize; 3]) -> bool {
        let place = self.place(low);
        self.kinks[place / 64] >> (place % 64) & 1 == 1
    }

    pub(crate) fn bytes(&self) -> usize {
        self.values.bytes() + size_of_val(self.kinks.as_slice()) + self.directory.bytes()
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

    /// Values of the `N` x `N` x `N` nodes from `low` on, as `[z][y][x]`; infinite beyond the band.
    #[inline]
    pub(crate) fn gather<const N: usize>(&self, low: [usize; 3]) -> Option<[[[f64; N]; N]; N]> {
        match &self.values {
            Values::F32(values) => self.gather_with(low, values, f64::from),
            Values::I16(codes, step) => self.gather_with(low, codes, |code| decode(code, *step)),
        }
    }

    #[inline]
    fn gather_with<T: Copy, const N: usize>(
        &self,
        low: [usize; 3],
        values: &[T],
        value: impl Fn(T) -> f64,
    ) -> Option<[[[f64; N]; N]; N]> {
        let mut out = [[[0.0; N]; N]; N];
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
