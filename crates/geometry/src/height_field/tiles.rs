//! How high the ground of each tile of a raster reaches, so that boxes above or below it cost nothing.

use super::levels::{Levels, NO_GROUND};

/// Quads along each side of a tile.
pub(super) const TILE: u32 = 16;

/// Lowest and highest level of the triangles in each tile.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    columns: u32,
    range: Vec<[u32; 2]>,
}

impl Tiles {
    /// Of a raster of `columns` by `rows` cells, at least two each.
    pub(super) fn new([columns, rows]: [u32; 2], levels: &Levels) -> Self {
        let [tile_columns, tile_rows] = [columns - 1, rows - 1].map(|quads| quads.div_ceil(TILE));
        let mut range = vec![[NO_GROUND, 0]; tile_columns as usize * tile_rows as usize];
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let first = j as usize * columns as usize + i as usize;
                let corners = [0, 1, columns as usize, columns as usize + 1].map(|k| levels.level(first + k));
                if corners.contains(&NO_GROUND) {
                    continue;
                }
                let tile = &mut range[(j / TILE * tile_columns + i / TILE) as usize];
                *tile = corners.iter().fold(*tile, |[low, high], &k| [low.min(k), high.max(k)]);
            }
        }
        Tiles { columns: tile_columns, range }
    }

    /// Lowest and highest level of a tile; none where it has no ground.
    #[inline]
    pub(super) fn range(&self, column: u32, row: u32) -> Option<[u32; 2]> {
        let range = self.range[(row * self.columns + column) as usize];
        (range[0] != NO_GROUND).then_some(range)
    }

    /// Lowest and highest level of all; none without ground.
    pub(super) fn whole(&self) -> Option<[u32; 2]> {
        let ground = self.range.iter().filter(|[low, _]| *low != NO_GROUND);
        ground.copied().reduce(|[low, high], [l, h]| [low.min(l), high.max(h)])
    }

    /// Bytes that the tiles take.
    pub(super) fn bytes(&self) -> usize {
        self.range.capacity() * size_of::<[u32; 2]>()
    }
}
