//! What a terrain is like in numbers: heights, slopes, areas, and the memory that shapes made of it take.

use super::Raster;

/// Figures of a raster.
#[derive(Clone, Debug, PartialEq)]
pub struct RasterStatistics {
    /// Lowest, mean and highest height \[m\]; none without heights.
    pub heights: Option<[f64; 3]>,
    /// Cells without a height.
    pub missing: usize,
    /// Slopes; none without four neighbouring heights.
    pub slopes: Option<Slopes>,
    /// Area of the cells that have a height, in plan \[m2\].
    pub plan_area: f64,
    /// Memory as a height field of f32 \[bytes\].
    pub height_field_bytes: usize,
    /// Memory as a level set, estimated \[bytes\]: cubes with the shorter side of a cell, in blocks of 4 x 4 x 4; two
    /// bytes a cube within three cubes of the surface, and four for each block between lowest and highest.
    pub level_set_bytes: f64,
}

/// Slopes of the patches between four neighbouring centres, by the mean rise along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slopes {
    /// Mean angle \[deg\], each patch with its area in plan.
    pub mean: f64,
    /// Largest angle \[deg\].
    pub max: f64,
    /// Share of patches above 45 degrees.
    pub share_above_45: f64,
    /// Area of the surface over the area of its patches in plan.
    pub surface_over_plan: f64,
}

/// Cubes along the side of a block of a level set.
const BLOCK: usize = 4;
/// Half the width of the narrow band \[cubes\].
const BAND: f64 = 3.0;
/// Bytes of a value of a height field.
const VALUE: usize = 4;
/// Bytes of a value of a level set.
const CODE: usize = 2;
/// Bytes of a block in the directory of a level set.
const WORD: usize = 4;

impl Raster {
    /// The figures of the raster.
    pub fn statistics(&self) -> RasterStatistics {
        let known = || self.heights.iter().filter(|h| !h.is_nan()).map(|h| f64::from(*h));
        let count = known().count();
        let range = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        let mean = known().sum::<f64>() / count as f64;
        RasterStatistics {
            heights: (count > 0).then_some([range.0, mean, range.1]),
            missing: self.heights.len() - count,
            slopes: self.slopes(),
            plan_area: count as f64 * self.cell[0] * self.cell[1],
            height_field_bytes: self.heights.len() * VALUE,
            level_set_bytes: self.level_set_bytes(),
        }
    }

    fn slopes(&self) -> Option<Slopes> {
        let (mut patches, mut sum, mut steepest, mut above, mut area) = (0_usize, 0.0, 0.0_f64, 0_usize, 0.0);
        for row in 1..self.rows {
            for column in 1..self.columns {
                let at = |c, r| f64::from(self.height(c, r));
                let [sw, se] = [at(column - 1, row - 1), at(column, row - 1)];
                let [nw, ne] = [at(column - 1, row), at(column, row)];
                let [rise_x, rise_y] =
                    [0.5 * (se + ne - sw - nw) / self.cell[0], 0.5 * (nw + ne - sw - se) / self.cell[1]];
                let slope = libm::hypot(rise_x, rise_y);
                if slope.is_nan() {
                    continue;
                }
                patches += 1;
                sum += libm::atan(slope);
                steepest = steepest.max(slope);
                above += usize::from(slope > 1.0);
                area += libm::hypot(1.0, slope);
            }
        }
        let n = patches as f64;
        (patches > 0).then(|| Slopes {
            mean: (sum / n).to_degrees(),
            max: libm::atan(steepest).to_degrees(),
            share_above_45: above as f64 / n,
            surface_over_plan: area / n,
        })
    }

    /// Of blocks that the band meets, over each square of cells as many as its range of heights and the band take, and
    /// of the directory of all.
    fn level_set_bytes(&self) -> f64 {
        let side = self.cell[0].min(self.cell[1]);
        let block = BLOCK as f64 * side;
        let (mut blocks, mut columns, mut lowest, mut highest) = (0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY);
        for row in (0..self.rows).step_by(BLOCK) {
            for column in (0..self.columns).step_by(BLOCK) {
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for r in row..(row + BLOCK).min(self.rows) {
                    for c in column..(column + BLOCK).min(self.columns) {
                        // `min` and `max` pass over NaN.
                        let height = f64::from(self.height(c, r));
                        (low, high) = (low.min(height), high.max(height));
                    }
                }
                columns += 1.0;
                (lowest, highest) = (lowest.min(low), highest.max(high));
                if low <= high {
                    let floor = ((low - BAND * side) / block).floor();
                    blocks += ((high + BAND * side) / block).floor() - floor + 1.0;
                }
            }
        }
        // Cells that are not square make several cubes along their longer side.
        let stretch = self.cell[0] * self.cell[1] / (side * side);
        let layers = if lowest <= highest { ((highest - lowest + 2.0 * BAND * side) / block).ceil() } else { 0.0 };
        stretch * (blocks * (BLOCK * BLOCK * BLOCK * CODE) as f64 + columns * layers * WORD as f64)
    }
}
