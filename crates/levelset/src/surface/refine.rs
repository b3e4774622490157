//! A surface with each triangle in four.

use rayon::prelude::*;

use super::Surface;
use crate::grid::LevelSet;
use crate::topology::sides;

impl LevelSet {
    /// A surface with the same vertices, whose edges are divided: their middles are put onto the zero set of
    /// [`LevelSet::smooth`], or left where that is more than a cell away.
    ///
    /// Of the two surfaces together it can be told what the chords cut off: it falls to a quarter.
    pub fn divided(&self, surface: &Surface) -> Surface {
        let sides = sides(&surface.triangles);
        let edges: Vec<[u32; 2]> = sides.chunk_by(|a, b| a.ends == b.ends).map(|same| same[0].ends).collect();
        let at = |v: u32| surface.vertices[v as usize];
        let middle = |ends: &[u32; 2]| self.drawn(0.5 * (at(ends[0]) + at(ends[1])), self.spacing());
        let mut vertices = surface.vertices.clone();
        vertices.par_extend(edges.par_iter().map(middle));
        let mut middles = vec![[0; 3]; surface.triangles.len()];
        let same_edges = sides.chunk_by(|a, b| a.ends == b.ends);
        for (number, same) in (surface.vertices.len() as u32..).zip(same_edges) {
            same.iter().for_each(|side| middles[side.triangle as usize][side.from as usize] = number);
        }
        let in_four = |([a, b, c], [ab, bc, ca]): (&[u32; 3], &[u32; 3])| {
            [[*a, *ab, *ca], [*b, *bc, *ab], [*c, *ca, *bc], [*ab, *bc, *ca]]
        };
        Surface { vertices, triangles: surface.triangles.iter().zip(&middles).flat_map(in_four).collect() }
    }
}
