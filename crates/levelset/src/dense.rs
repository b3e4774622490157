//! Values of rows of nodes, for grids of which the band touches most: of bodies some twenty cells across.
//!
//! A row runs along x from the first node that is not beyond the band outside to the last one: around a round body that
//! is less than half of the grid's box. A value is found by its row, without the directory, and neighbours along x lie
//! side by side. The directory stays for what is known of blocks beyond the band.

use crate::blocks::{Blocks, Directory, EDGE, Layout, Stored, Values};
use crate::kinks::Kinks;
use crate::lattice::Lattice;

/// Where the values of a row are; nodes before and behind are beyond the band, outside.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Place of its first value.
    start: u32,
    /// Its first node along x.
    first: u16,
    len: u16,
}

impl Row {
    /// Its nodes along x.
    fn nodes(self) -> std::ops::Range<usize> {
        usize::from(self.first)..usize::from(self.first) + usize::from(self.len)
    }

    /// Place of the node `x` of `count` nodes side by side, of which all are in the row.
    #[inline]
    fn run(self, x: usize, count: usize) -> Option<usize> {
        // Before the first one this wraps, to more than any row is long.
        let at = x.wrapping_sub(usize::from(self.first));
        (at < usize::from(self.len) && at + count <= usize::from(self.len)).then(|| self.start as usize + at)
    }
}

/// Values of rows, x fastest.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    /// Rows along y.
    rows_along_y: usize,
    /// In the order of y, then z.
    rows: Vec<Row>,
    pub(crate) values: Values,
    pub(crate) kinks: Kinks,
    /// The directory of the blocks.
    pub(crate) directory: Directory,
}

impl Dense {
    /// Most nodes of a row.
    pub(crate) const LONGEST_ROW: usize = u16::MAX as usize;

    /// The same values as `blocks` holds; infinite where it holds none.
    pub(crate) fn of_blocks(lattice: &Lattice, blocks: Blocks, kinks: &Kinks) -> Dense {
        let [along_x, along_y, along_z] = lattice.nodes;
        let lines = || (0..along_z).flat_map(|z| (0..along_y).map(move |y| (y, z)));
        let place = |x, (y, z)| blocks.place([x, y, z]);
        let (mut rows, mut count, mut values) = (Vec::with_capacity(along_y * along_z), 0, blocks.values.empty());
        for line in lines() {
            let is_held =
                |x: &usize| place(*x, line).map_or_else(|centre| centre < 0.0, |at| !blocks.values.is_outside(at));
            let first = (0..along_x).find(is_held).unwrap_or(0);
            let end = (first..along_x).rfind(is_held).map_or(first, |last| last + 1);
            rows.push(Row { start: count as u32, first: first as u16, len: (end - first) as u16 });
            count += end - first;
            (first..end).for_each(|x| match place(x, line) {
                Ok(at) => values.copy(&blocks.values, at),
                Err(centre) => values.push_far(centre),
            });
        }
        values.shrink();
        let of_row = |(row, line): (&Row, _)| row.nodes().map(move |x| place(x, line).ok());
        let kinks = kinks.reordered(count, rows.iter().zip(lines()).flat_map(of_row));
        Dense { rows_along_y: along_y, rows, values, kinks, directory: blocks.directory }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice()) + self.values.bytes() + self.kinks.bytes() + self.directory.bytes()
    }

    /// Place of a node among the values; none of one that is beyond the band outside and not held.
    #[inline]
    pub(crate) fn place(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        self.row(y, z).run(x, 1)
    }

    /// As [`Blocks::node`].
    pub(crate) fn node(&self, node: [usize; 3]) -> Result<f64, f64> {
        let value = || self.place(node).map_or(f64::INFINITY, |place| self.values.at(place));
        self.directory.word(node.map(|i| i / EDGE)).read().map(|_| value())
    }

    /// The corners of the cell above a node as `[z][y][x]`; `None` where one is beyond the band.
    #[inline]
    pub(crate) fn corners<T: Stored>(&self, [x, y, z]: [usize; 3], values: &[T]) -> Option<[[[T; 2]; 2]; 2]> {
        let pair = |y, z| {
            let start = self.row(y, z).run(x, 2)?;
            values.get(start..start + 2).map(|pair| [pair[0], pair[1]])
        };
        let plane = |z| Some([pair(y, z)?, pair(y + 1, z)?]);
        let corners = [plane(z)?, plane(z + 1)?];
        (!corners.as_flattened().as_flattened().iter().any(|value| value.is_far())).then_some(corners)
    }

    #[inline]
    fn row(&self, y: usize, z: usize) -> Row {
        self.rows[z * self.rows_along_y + y]
    }
}

impl Layout for Dense {
    fn values(&self) -> &Values {
        &self.values
    }

    #[inline]
    fn gather_with<T: Stored, V: Copy + Default, const N: usize>(
        &self,
        [low_x, low_y, low_z]: [usize; 3],
        values: &[T],
        value: impl Fn(T) -> V,
    ) -> Option<[[[V; N]; N]; N]> {
        let mut out = [[[V::default(); N]; N]; N];
        for (z, plane) in (low_z..).zip(&mut out) {
            for (y, of_row) in (low_y..).zip(plane) {
                let row = self.row(y, z);
                *of_row = match row.run(low_x, N) {
                    Some(start) => values.get(start..)?.first_chunk::<N>()?.map(&value),
                    None => std::array::from_fn(|x| value(row.run(low_x + x, 1).map_or(T::OUTSIDE, |at| values[at]))),
                };
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use granule_model::{Aabb, DVec3};

    use super::*;
    use crate::Storage;
    use crate::blocks::{HALF_DIAGONAL, NODES, Word};
    use crate::build::for_nodes;
    use crate::held::Held;

    const BAND: f64 = 3.0;

    fn in_blocks(lattice: &Lattice, storage: Storage, distance: impl Fn(DVec3) -> f64) -> Blocks {
        let count = Blocks::counts(lattice);
        let (mut words, mut values, mut held) = (Vec::new(), Values::new(storage, BAND), 0);
        for i in 0..count.iter().product() {
            let block = [i % count[0], i / count[0] % count[1], i / (count[0] * count[1])];
            let centre = distance(Blocks::centre(lattice, block));
            if centre.abs() > BAND + HALF_DIAGONAL {
                words.push(Word::far(centre));
                continue;
            }
            let mut nodes = [0.0; NODES];
            for_nodes(lattice, block, |at, point| nodes[at] = distance(point));
            values.push(&nodes, BAND);
            words.push(Word::held(held));
            held += 1;
        }
        Blocks { directory: Directory { count, words }, values }
    }

    /// Two balls apart, of which a row passes both, and a slope that fills a corner of the grid and ends at its sides:
    /// rows say what blocks say, bit for bit, and are a part of all nodes.
    #[test]
    fn rows_say_what_blocks_say() {
        let ball = |p: DVec3, x: f64| (p - DVec3::new(x, 0.3, -0.2)).length() - 6.3;
        let balls = |p: DVec3| ball(p, -8.1).min(ball(p, 8.4));
        let slope = |p: DVec3| p.dot(DVec3::new(0.48, 0.6, 0.64)) + 3.0;
        let box_of = |half: DVec3| Lattice::around(Aabb::new(-half, half), 1.0).expect("a grid");
        let (wide, cube) = (box_of(DVec3::new(19.0, 11.0, 11.0)), box_of(DVec3::splat(9.0)));
        for storage in [Storage::I16, Storage::F32] {
            same_in_rows(&wide, in_blocks(&wide, storage, balls), 0.65);
            same_in_rows(&cube, in_blocks(&cube, storage, slope), 0.65);
        }
    }

    fn same_in_rows(lattice: &Lattice, blocks: Blocks, most: f64) {
        let kinks = Kinks::of_blocks(lattice, &blocks);
        let dense = Dense::of_blocks(lattice, blocks.clone(), &kinks);
        let all: usize = lattice.nodes.iter().product();
        let width = if matches!(dense.values, Values::F32(_)) { 4 } else { 2 };
        let share = dense.values.bytes() as f64 / (all * width) as f64;
        let (blocks, rows) = (Held::Blocks(blocks, kinks), Held::Dense(dense));
        let mut count = [0; 2];
        let [x, y, z] = lattice.nodes;
        for node in (0..x).flat_map(|x| (0..y).flat_map(move |y| (0..z).map(move |z| [x, y, z]))) {
            assert_eq!(blocks.node(node), rows.node(node), "{node:?}");
            if !(0..3).all(|axis| (1..lattice.nodes[axis] - 2).contains(&node[axis])) {
                continue;
            }
            let known = |cube: Option<[[[f64; 4]; 4]; 4]>| {
                cube.filter(|cube| cube.as_flattened().as_flattened().iter().all(|value| value.is_finite()))
            };
            let low = node.map(|i| i - 1);
            assert_eq!(known(blocks.gather(low)), known(rows.gather(low)), "{node:?}");
            let finite = |found: Option<(f64, DVec3)>| found.filter(|(value, _)| value.is_finite());
            let t = DVec3::new(0.3, 0.6, 0.1);
            let [a, b] = [&blocks, &rows].map(|held| finite(held.interpolate(node, t)));
            assert_eq!(a, b, "{node:?}");
            count[usize::from(a.is_some())] += 1;
        }
        println!("{count:?} cells are unknown and known; rows hold {share:.3} of all nodes");
        assert!(count.iter().all(|count| *count > 500));
        assert!(share <= most, "{share}");
    }
}
