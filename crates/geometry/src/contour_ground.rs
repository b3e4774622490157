//! Ground whose surface is the zero contour of signed distances on a grid: terrain after Tan, Wijesuriya and Sitar
//! (2024).
//!
//! It is made from a height field, which stays for pictures and bounds; contacts see the grid alone. All below the
//! surface is inside, at any depth.

use granule_levelset::{LevelSet, LevelSetError, Storage};
use granule_model::{Aabb, DVec3};

use crate::height_field::HeightField;

/// Ground on a grid.
#[derive(Debug)]
pub(crate) struct ContourGround {
    pub(crate) field: HeightField,
    pub(crate) level_set: LevelSet,
}

impl ContourGround {
    /// The grid of `spacing` \[m\] around the surface of `field`, with distances of up to `band_cells` spacings.
    pub(crate) fn new(field: HeightField, spacing: f64, band_cells: u32) -> Result<Self, LevelSetError> {
        let surface = *field.bounds();
        let around = f64::from(band_cells) * spacing;
        let bounds = Aabb::new(surface.min - DVec3::Z * around, surface.max + DVec3::Z * around);
        // A little farther than nodes of the band are from the centre of their block, at most 2.6 cells.
        let reach = around + 4.0 * spacing;
        // Two bytes a node: with a band of three spacings distances are kept to 5e-5 of one.
        let level_set =
            LevelSet::from_function(bounds, spacing, band_cells, Storage::I16, |p| field.signed_distance(p, reach))?;
        Ok(ContourGround { field, level_set })
    }

    /// Whether `point` (own axes) lies over the ground or under it; beside it nothing holds.
    pub(crate) fn is_over(&self, point: DVec3) -> bool {
        let Aabb { min, max } = self.field.bounds();
        (0..2).all(|axis| (min[axis]..=max[axis]).contains(&point[axis]))
    }
}
