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

    /// Whether `point` (own axes) lies over the ground or under it.
    pub(crate) fn is_over(&self, point: DVec3) -> bool {
        self.beyond(point).0 <= 0.0
    }

    /// How far `point` (own axes) lies beyond the outline \[m\], negative within it, and the way out there: from the
    /// nearest side, or from a corner.
    pub(crate) fn beyond(&self, point: DVec3) -> (f64, DVec3) {
        let Aabb { min, max } = *self.field.bounds();
        let past = (min - point).max(point - max).with_z(0.0);
        let sign = |axis: usize| if point[axis] < min[axis].midpoint(max[axis]) { -1.0 } else { 1.0 };
        let outward = DVec3::new(sign(0), sign(1), 0.0);
        if past.x > 0.0 && past.y > 0.0 {
            let distance = past.length();
            return (distance, past / distance * outward);
        }
        let axis = usize::from(past.y > past.x);
        (past[axis], DVec3::AXES[axis] * outward)
    }

    /// The point next to `point` (own axes) that lies over the ground or under it, as high.
    pub(crate) fn within(&self, point: DVec3) -> DVec3 {
        let Aabb { min, max } = *self.field.bounds();
        point.clamp(min.with_z(f64::NEG_INFINITY), max.with_z(f64::INFINITY))
    }

    /// Height of `point` (own axes) over the raster \[m\]; none beyond the outline.
    ///
    /// It tells over from under where the grid, which rounds the surface off, knows no distance.
    pub(crate) fn rise(&self, point: DVec3) -> Option<f64> {
        self.field.height_at(point.x, point.y).map(|height| point.z - height)
    }
}
