//! Which cells the surface is looked for in, and the finer lattice that divides them.

use granule_model::DVec3;
use rayon::prelude::*;

use super::Surface;
use crate::blocks::{Blocks, EDGE};
use crate::grid::LevelSet;
use crate::tetrahedra::{Field, Key, assemble, cross};

/// Distance of a node in cells up to which its cell can be crossed: its diagonal is 1.73 long.
const CROSSED: f64 = 2.0;
/// Share of an edge that a crossing keeps from its ends, so that no two come close and triangles look outwards.
const CLEAR: f64 = 0.15;

/// The finer lattice.
struct Fine<'a> {
    set: &'a LevelSet,
    parts: usize,
}

/// Triangles of the zero set on cells of a `parts`-th of the spacing, with interpolated crossings.
pub(super) fn triangulate(set: &LevelSet, parts: usize) -> Surface {
    let fine = Fine { set, parts };
    let count = Blocks::counts(&set.lattice);
    let rows = count[1] * count[2];
    let found: Vec<Vec<[Key; 3]>> = (0..rows).into_par_iter().map(|row| fine.row(row)).collect();
    let (vertices, triangles) = assemble(&fine, &found.concat(), CLEAR);
    Surface { vertices, triangles }
}

impl Fine<'_> {
    /// Triangles of a row of blocks.
    fn row(&self, row: usize) -> Vec<[Key; 3]> {
        let [count_x, count_y, _] = Blocks::counts(&self.set.lattice);
        let mut found = Vec::new();
        for x in 0..count_x {
            let block = [x, row % count_y, row / count_y];
            if self.set.held.is_held(block) {
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
        if !inside || !self.set.held.node(node).is_ok_and(|value| value.abs() < CROSSED) {
            return;
        }
        let parts = self.parts;
        for part in 0..parts * parts * parts {
            let local = [part % parts, part / parts % parts, part / (parts * parts)];
            cross(self, std::array::from_fn(|axis| node[axis] * parts + local[axis]), found);
        }
    }
}

impl Field for Fine<'_> {
    fn count(&self) -> [usize; 3] {
        self.set.lattice.nodes.map(|n| (n - 1) * self.parts + 1)
    }

    /// In cells, and a function of the node alone, so that all cells around it see the same.
    fn value(&self, node: [usize; 3]) -> f64 {
        if node.iter().all(|i| i % self.parts == 0) {
            return self.set.held.node(node.map(|i| i / self.parts)).unwrap_or_else(|centre| centre);
        }
        let p = self.point(node);
        let near = self.set.smooth(p).or_else(|| self.set.sample(p));
        near.map_or_else(|| self.set.bound(p), |sample| sample.value) / self.set.spacing()
    }

    fn point(&self, node: [usize; 3]) -> DVec3 {
        self.set.lattice.point(node.map(|i| i as f64 / self.parts as f64))
    }
}
