//! Where the nodes of a grid are, and which grids are too large. What is stored at them is left to [`crate::blocks`].

use granule_model::{Aabb, DVec3};

use crate::error::LevelSetError;
use crate::limits::{MOST_NODES, THICKEST_BAND, THINNEST_BAND};

/// Smallest spacing over the largest coordinate: sixteen bits are left for places inside a cell.
const RESOLVED: f64 = 1e-11;
/// Part of a cell by which a box may exceed a whole number of cells by rounding.
const WHOLE: f64 = 1e-9;
/// Layers of nodes around the box, so that interpolation on four nodes works in all of it.
const RIM: usize = 1;

/// Nodes at `origin + spacing * [i, j, k]`, `nodes[axis]` along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lattice {
    pub(crate) origin: DVec3,
    pub(crate) spacing: f64,
    pub(crate) nodes: [usize; 3],
}

impl Lattice {
    /// Nodes in and one layer around `bounds`, with the middle of the grid in the middle of the box.
    pub(crate) fn around(bounds: Aabb, spacing: f64) -> Result<Lattice, LevelSetError> {
        check_length("the spacing", spacing)?;
        for value in [bounds.min, bounds.max].into_iter().flat_map(|corner| corner.to_array()) {
            if !value.is_finite() {
                return Err(LevelSetError::NotFinite { what: "a coordinate of the box", value });
            }
        }
        if !bounds.min.cmplt(bounds.max).all() {
            return Err(LevelSetError::EmptyBounds { min: bounds.min, max: bounds.max });
        }
        let coordinate = bounds.min.abs().max(bounds.max.abs()).max_element();
        if spacing < RESOLVED * coordinate {
            return Err(LevelSetError::Unresolved { spacing, coordinate });
        }
        let cells = (bounds.size() / spacing - DVec3::splat(WHOLE)).ceil().max(DVec3::ONE);
        let count = (cells + DVec3::splat((1 + 2 * RIM) as f64)).element_product();
        if count > MOST_NODES || count.is_nan() {
            return Err(LevelSetError::TooLarge { nodes: count, most: MOST_NODES, spacing });
        }
        let origin = bounds.center() - (0.5 * cells + DVec3::splat(RIM as f64)) * spacing;
        let nodes = cells.to_array().map(|cells| cells as usize + 1 + 2 * RIM);
        Ok(Lattice { origin, spacing, nodes })
    }

    /// Place of a node; indices beyond the grid and halves are allowed.
    pub(crate) fn point(&self, index: [f64; 3]) -> DVec3 {
        self.origin + DVec3::from_array(index) * self.spacing
    }

    /// From the first node to the last.
    pub(crate) fn bounds(&self) -> Aabb {
        Aabb::new(self.origin, self.point(self.nodes.map(|n| (n - 1) as f64)))
    }

    /// `p` in units of the spacing from the first node.
    pub(crate) fn place(&self, p: DVec3) -> DVec3 {
        (p - self.origin) / self.spacing
    }
}

/// Refuses a length that is not finite or not positive.
pub(crate) fn check_length(what: &'static str, value: f64) -> Result<(), LevelSetError> {
    match () {
        () if !value.is_finite() => Err(LevelSetError::NotFinite { what, value }),
        () if value <= 0.0 => Err(LevelSetError::NotPositive { what, value }),
        () => Ok(()),
    }
}

/// The number of cells of a band.
pub(crate) fn check_band(cells: u32) -> Result<f64, LevelSetError> {
    if !(THINNEST_BAND..=THICKEST_BAND).contains(&cells) {
        return Err(LevelSetError::Band { cells });
    }
    Ok(f64::from(cells))
}
