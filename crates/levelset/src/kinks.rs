//! Where distances have a kink, and how much of either interpolation counts about it.
//!
//! Within two cells of a kink tricubic interpolation overshoots, and where the band ends it lacks values. Trilinear
//! interpolation is taken there. The two differ, of a ball of R cells by `1 / (8 R)` of a cell, and a body that moves
//! from one to the other must not meet a step. So each node has a weight: one where a cell beside it is trilinear, else
//! zero. Between the nodes of a cell weights are interpolated, and values are the mean by weight of both.

use rayon::prelude::*;

use crate::blocks::{Blocks, EDGE, NODES};
use crate::lattice::Lattice;

/// Second difference of the nodes along an axis, in cells, from which there is a kink: a ball of more than four cells
/// in radius stays below (cells over the radius, at a depth of 1.7 cells), an edge of a right angle has 1.
const KINK: f64 = 0.4;

/// A bit for each value that is held, by its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinks {
    /// Whether the weight of a node is one.
    nodes: Vec<u64>,
    /// Whether a node of the cell above a node has that weight.
    cells: Vec<u64>,
}

/// Nodes of a block with one more layer around.
const WIDE: usize = EDGE + 2;
type Around<T> = [[[T; WIDE]; WIDE]; WIDE];

impl Kinks {
    /// Of blocks: word `rank` has the bits of a block in the order of its nodes.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: &Blocks) -> Kinks {
        let values = |rank: usize, at: usize| blocks.values.at(rank * NODES + at);
        let kinked = of_each(blocks, |block| {
            let around = around(blocks, block, f64::INFINITY, values);
            bits(|[x, y, z]| at_side(lattice, block, [x, y, z]) || is_kinked(&around, [x + 1, y + 1, z + 1]))
        });
        let any_around = |masks: &[u64], block: [usize; 3], reach: [usize; 2]| {
            let around = around(blocks, block, true, |rank, at| masks[rank] >> at & 1 == 1);
            let near = |i: usize| i + 1 - reach[0]..=i + 1 + reach[1];
            bits(|[x, y, z]| near(z).any(|z| near(y).any(|y| near(x).any(|x| around[z][y][x]))))
        };
        // A cell with a kink at a node is trilinear, and so is the weight of all its nodes one.
        let nodes = of_each(blocks, |block| any_around(&kinked, block, [1, 1]));
        let cells = of_each(blocks, |block| any_around(&nodes, block, [0, 1]));
        Kinks { nodes, cells }
    }

    /// With bits in another order: where each of `count` bits was, in the new order; none for what was not held.
    pub(crate) fn reordered(&self, count: usize, places: impl Iterator<Item = Option<usize>>) -> Kinks {
        let empty = || vec![0; count.div_ceil(64)];
        let mut out = Kinks { nodes: empty(), cells: empty() };
        for (i, from) in places.enumerate() {
            for (to, of) in [(&mut out.nodes, &self.nodes), (&mut out.cells, &self.cells)] {
                let is_set = from.is_none_or(|from| bit(of, from));
                to[i / 64] |= u64::from(is_set) << (i % 64);
            }
        }
        out
    }

    /// Whether the cell above the node at `place` is tricubic throughout.
    #[inline]
    pub(crate) fn is_smooth(&self, place: usize) -> bool {
        !bit(&self.cells, place)
    }

    /// Whether the weight of the node at `place` is one: that of trilinear interpolation.
    #[inline]
    pub(crate) fn has_weight(&self, place: usize) -> bool {
        bit(&self.nodes, place)
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.cells.as_slice())
    }
}

#[inline]
fn bit(words: &[u64], place: usize) -> bool {
    words[place / 64] >> (place % 64) & 1 == 1
}

/// What `of` says of each block that is held, by its rank.
fn of_each(blocks: &Blocks, of: impl Fn([usize; 3]) -> u64 + Sync) -> Vec<u64> {
    let [count_x, count_y, _] = blocks.directory.count;
    let held = blocks.directory.words.par_iter().enumerate().filter(|(_, word)| word.read().is_ok());
    // Ranks count up in the order of the directory.
    held.map(|(i, _)| of([i % count_x, i / count_x % count_y, i / (count_x * count_y)])).collect()
}

/// The word of which bit `i` says whether node `i` of a block, x fastest, `is`.
fn bits(is: impl Fn([usize; 3]) -> bool) -> u64 {
    (0..NODES).fold(0, |word, i| {
        let node = [i % EDGE, i / EDGE % EDGE, i / (EDGE * EDGE)];
        word | u64::from(is(node)) << i
    })
}

/// What `of` says of the nodes of a block and one layer around it, by rank and place in the block; `none` for those of
/// blocks that are not held.
fn around<T: Copy>(blocks: &Blocks, block: [usize; 3], none: T, of: impl Fn(usize, usize) -> T) -> Around<T> {
    let mut out = [[[none; WIDE]; WIDE]; WIDE];
    // Along each axis: the last node of the block before, all of this one, the first of the next.
    let parts = [(0, EDGE - 1, 1), (1, 0, EDGE), (1 + EDGE, 0, 1)];
    for (k, (to_z, from_z, len_z)) in parts.into_iter().enumerate() {
        for (j, (to_y, from_y, len_y)) in parts.into_iter().enumerate() {
            for (i, (to_x, from_x, len_x)) in parts.into_iter().enumerate() {
                let Some(rank) = rank_beside(blocks, block, [i, j, k]) else { continue };
                for z in 0..len_z {
                    for y in 0..len_y {
                        for x in 0..len_x {
                            let at = ((from_z + z) * EDGE + from_y + y) * EDGE + from_x + x;
                            out[to_z + z][to_y + y][to_x + x] = of(rank, at);
                        }
                    }
                }
            }
        }
    }
    out
}

/// Rank of the block before, at or behind `block` along each axis, for steps of 0, 1 and 2; none where it is not held.
fn rank_beside(blocks: &Blocks, block: [usize; 3], step: [usize; 3]) -> Option<usize> {
    let mut beside = [0; 3];
    for axis in 0..3 {
        beside[axis] = (block[axis] + step[axis]).checked_sub(1)?;
        if beside[axis] >= blocks.directory.count[axis] {
            return None;
        }
    }
    blocks.directory.word(beside).read().ok()
}

/// Whether a node of a block lies at the sides of the grid or beyond, where cells are trilinear.
fn at_side(lattice: &Lattice, block: [usize; 3], node: [usize; 3]) -> bool {
    (0..3).any(|axis| {
        let i = block[axis] * EDGE + node[axis];
        i == 0 || i + 1 >= lattice.nodes[axis]
    })
}

/// Whether distances have a kink at a node, or a node around it has no value.
fn is_kinked(values: &Around<f64>, [x, y, z]: [usize; 3]) -> bool {
    let at = values[z][y][x];
    let bends = |before: f64, after: f64| (before - 2.0 * at + after).abs() > KINK;
    bends(values[z][y][x - 1], values[z][y][x + 1])
        || bends(values[z][y - 1][x], values[z][y + 1][x])
        || bends(values[z - 1][y][x], values[z + 1][y][x])
        || (z - 1..=z + 1).any(|z| (y - 1..=y + 1).any(|y| values[z][y][x - 1..=x + 1].iter().any(|v| v.is_infinite())))
}

#[cfg(test)]
mod tests {
    use granule_model::{Aabb, DVec3};

    use crate::held::Held;
    use crate::kernel::Cubic;
    use crate::{LevelSet, Storage};

    /// A cuboid with edges rounded to 2.5 cells, which count as kinks in places; of `size` cells.
    fn rounded(size: f64, band: u32) -> LevelSet {
        let (half, round) = (DVec3::new(size, 0.8 * size, 0.6 * size), 2.5);
        let turned = |p: DVec3| DVec3::new(0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y, p.z);
        let distance = |p: DVec3| {
            let q = turned(p).abs() - half + DVec3::splat(round);
            q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - round
        };
        let reach = DVec3::splat(1.5 * size);
        LevelSet::from_function(Aabb::new(-reach, reach).padded(2.0), 1.0, band, Storage::I16, distance)
            .expect("a solid")
    }

    /// Values have no step where cells meet, of either layout; where one cell would be tricubic and the next trilinear
    /// they would have.
    #[test]
    fn values_have_no_steps() {
        for (set, is_dense) in [(rounded(9.0, 5), true), (rounded(30.0, 3), false)] {
            assert_eq!(matches!(set.held, Held::Dense(_)), is_dense);
            let (mut worst, mut step) = (0.0_f64, 0.0_f64);
            let inner = |axis: usize| 1..set.lattice.nodes[axis] - 4;
            for (z, y, x) in inner(2).flat_map(|z| inner(1).flat_map(move |y| inner(0).map(move |x| (z, y, x)))) {
                for axis in 0..3 {
                    let low = [x, y, z];
                    let mut next = low;
                    next[axis] += 1;
                    let mut here = DVec3::new(0.3, 0.7, 0.4);
                    here[axis] = 1.0;
                    let mut there = here;
                    there[axis] = 0.0;
                    let (Some(a), Some(b)) = (set.held.interpolate(low, here), set.held.interpolate(next, there))
                    else {
                        continue;
                    };
                    if a.0.abs() > 1.0 || !(a.0 - b.0).is_finite() {
                        continue;
                    }
                    worst = worst.max((a.0 - b.0).abs());
                    let Some(nodes) = set.held.gather::<4>(low.map(|i| i - 1)) else { continue };
                    let other = Cubic::interpolate(&nodes, here).0;
                    step = step.max(if other.is_finite() { (other - a.0).abs() } else { 0.0 });
                }
            }
            println!("{worst:e}, a switch would make {step:e}");
            // Measured 1e-17, and 0.09 and 0.11 of a cell.
            assert!(worst <= 1e-12, "{worst:e}");
            assert!(step >= 0.02, "{step:e}");
        }
    }
}
