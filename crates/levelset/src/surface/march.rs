//! Marching tetrahedra: each cell in six around its diagonal (H. Freudenthal 1942, H. W. Kuhn 1960), so that neighbouring
//! cells divide their common face alike. A tetrahedron is crossed in a triangle or in two.

use granule_model::DVec3;
use rayon::prelude::*;

use super::Surface;
use crate::blocks::EDGE;
use crate::grid::LevelSet;

/// Tetrahedra of a cell by their corners, bit 0, 1, 2 for x, y, z: right-handed.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 5, 1, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 6, 4, 7]];
/// Even permutations of the four corners, by which corners are inside: those inside come first.
const ORDERS: [[usize; 4]; 16] = [
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [0, 1, 2, 3],
    [2, 0, 1, 3],
    [0, 2, 3, 1],
    [1, 2, 0, 3],
    [0, 1, 2, 3],
    [3, 0, 2, 1],
    [0, 3, 1, 2],
    [1, 3, 2, 0],
    [0, 3, 1, 2],
    [2, 3, 0, 1],
    [0, 2, 3, 1],
    [1, 3, 2, 0],
    [0, 1, 2, 3],
];
/// Distance of a node in cells up to which its cell can be crossed: its diagonal is 1.73 long.
const CROSSED: f64 = 2.0;

/// Share of an edge that a crossing keeps from its ends: at a node on the surface all crossings would be one point.
const CLEAR: f64 = 0.15;

/// The finer lattice on which the surface is looked for.
struct Fine<'a> {
    set: &'a LevelSet,
    parts: usize,
    /// Nodes along each axis.
    nodes: [usize; 3],
}

/// A crossing: number of the lower node of its edge times 8, plus the direction of the edge by its bits.
type Key = u64;

/// Triangles of the zero set on cells of a `parts`-th of the spacing, with interpolated crossings.
pub(super) fn triangulate(set: &LevelSet, parts: usize) -> Surface {
    let fine = Fine { set, parts, nodes: set.lattice.nodes.map(|n| (n - 1) * parts + 1) };
    let rows = set.blocks.count[1] * set.blocks.count[2];
    let found: Vec<Vec<[Key; 3]>> = (0..rows).into_par_iter().map(|row| fine.row(row)).collect();
    let found: Vec<[Key; 3]> = found.into_iter().flatten().collect();
    let mut keys: Vec<Key> = found.iter().flatten().copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let index = |key: Key| keys.binary_search(&key).unwrap_or(0) as u32;
    let triangles = found.into_par_iter().map(|t| t.map(index)).collect();
    Surface { vertices: keys.par_iter().map(|key| fine.crossing(*key)).collect(), triangles }
}

impl Fine<'_> {
    /// Triangles of a row of blocks.
    fn row(&self, row: usize) -> Vec<[Key; 3]> {
        let [count_x, count_y, _] = self.set.blocks.count;
        let mut found = Vec::new();
        for x in 0..count_x {
            let block = [x, row % count_y, row / count_y];
            if self.set.blocks.is_held(block) {
                for at in 0..EDGE * EDGE * EDGE {
                    let local = [at % EDGE, at / EDGE % EDGE, at / (EDGE * EDGE)];
                    self.cell(std::array::from_fn(|axis| block[axis] * EDGE + local[axis]), &mut found);
                }
            }
        }
        found
    }

    /// Triangles of the cell above a node of the grid.
    fn cell(&self, node: [usize; 3], found: &mut Vec<[Key; 3]>) {
        let inside = (0..3).all(|axis| node[axis] + 1 < self.set.lattice.nodes[axis]);
        if !inside || !self.set.blocks.node(node).is_ok_and(|value| value.abs() < CROSSED) {
            return;
        }
        let parts = self.parts;
        for part in 0..parts * parts * parts {
            let local = [part % parts, part / parts % parts, part / (parts * parts)];
            self.part(std::array::from_fn(|axis| node[axis] * parts + local[axis]), found);
        }
    }

    /// Triangles of the part of a cell above a node of the finer lattice.
    fn part(&self, low: [usize; 3], found: &mut Vec<[Key; 3]>) {
        let corner = |bits: usize| std::array::from_fn(|axis| low[axis] + (bits >> axis & 1));
        let inside: [bool; 8] = std::array::from_fn(|bits| self.value(corner(bits)) < 0.0);
        if inside.iter().all(|i| *i == inside[0]) {
            return;
        }
        for tetrahedron in TETRAHEDRA {
            let mask = (0..4).filter(|&i| inside[tetrahedron[i]]).fold(0, |mask, i| mask | 1 << i);
            let [i, j, k, l] = ORDERS[mask].map(|i| tetrahedron[i]);
            let key = |a: usize, b: usize| self.key(corner(a & b), a ^ b);
            match mask.count_ones() {
                1 => found.push([key(i, j), key(i, k), key(i, l)]),
                2 => found.extend([[key(i, k), key(i, l), key(j, l)], [key(i, k), key(j, l), key(j, k)]]),
                3 => found.push([key(l, i), key(l, j), key(l, k)]),
                _ => {}
            }
        }
    }

    fn key(&self, [x, y, z]: [usize; 3], direction: usize) -> Key {
        (((z * self.nodes[1] + y) * self.nodes[0] + x) * 8 + direction) as Key
    }

    /// Value at a node, in cells: a function of the node alone, so that all cells around it see the same.
    fn value(&self, node: [usize; 3]) -> f64 {
        if node.iter().all(|i| i % self.parts == 0) {
            return self.set.blocks.node(node.map(|i| i / self.parts)).unwrap_or_else(|centre| centre);
        }
        let p = self.point(node);
        let near = self.set.smooth(p).or_else(|| self.set.sample(p));
        near.map_or_else(|| self.set.bound(p), |sample| sample.value) / self.set.spacing()
    }

    fn point(&self, node: [usize; 3]) -> DVec3 {
        self.set.lattice.point(node.map(|i| i as f64 / self.parts as f64))
    }

    /// Place of a crossing, from the values at the ends of its edge.
    fn crossing(&self, key: Key) -> DVec3 {
        let (node, direction) = (key as usize / 8, key as usize % 8);
        let [x, y, _] = self.nodes;
        let low = [node % x, node / x % y, node / (x * y)];
        let high = std::array::from_fn(|axis| low[axis] + (direction >> axis & 1));
        let (a, b) = (self.value(low), self.value(high));
        let share = if a.is_finite() && b.is_finite() { (a / (a - b)).clamp(CLEAR, 1.0 - CLEAR) } else { 0.5 };
        self.point(low).lerp(self.point(high), share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tetrahedra_and_orders_are_right_handed() {
        let place = |bits: usize| DVec3::from_array(std::array::from_fn(|axis| (bits >> axis & 1) as f64));
        for corners in TETRAHEDRA {
            for order in ORDERS {
                let [a, b, c, d] = order.map(|i| place(corners[i]));
                assert_eq!((b - a).cross(c - a).dot(d - a), 1.0, "{corners:?} {order:?}");
            }
        }
        for (mask, order) in ORDERS.iter().enumerate() {
            let inside = order.map(|i| mask >> i & 1 == 1);
            assert!(inside.is_sorted_by(|a, b| a >= b), "{mask} {order:?}");
        }
    }
}
