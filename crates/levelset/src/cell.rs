//! The values around one cell, and how contacts interpolate there.
//!
//! Values are in steps of the storage, so that reading them changes none.

use granule_model::DVec3;

use crate::kernel::{Cubic, Linear};

/// Values of 4 x 4 x 4 nodes as `[z][y][x]`.
pub(crate) type Around = [[[f32; 4]; 4]; 4];
/// Values of the corners of a cell as `[z][y][x]`; infinite beyond the band.
pub(crate) type Corners = [[[f32; 2]; 2]; 2];

/// What is held around a cell.
#[expect(clippy::large_enum_variant, reason = "a box would allocate for each cell that is met")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum CellNodes {
    /// Distances have a kink at all corners, or the band ends there.
    Kinked(Corners),
    /// At the corners with a bit of the second, x fastest, and at no other.
    Smooth(Around, u8),
}

impl CellNodes {
    /// Value in steps of the storage and gradient in steps over cells, at `t`: tricubic, trilinear where distances have
    /// a kink or the band ends, and between both without a step.
    #[inline]
    pub(crate) fn interpolate(&self, t: DVec3) -> (f64, DVec3) {
        match self {
            CellNodes::Kinked(corners) => Linear::interpolate(&in_double(corners), t),
            CellNodes::Smooth(around, 0) => Cubic::interpolate(around, t),
            CellNodes::Smooth(around, kinked) => {
                let corners = [1, 2].map(|z| [1, 2].map(|y: usize| [1, 2].map(|x: usize| f64::from(around[z][y][x]))));
                let mut weights = [[[0.0; 2]; 2]; 2];
                for (corner, weight) in weights.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
                    *weight = f64::from(kinked >> corner & 1);
                }
                let (share, slope) = Linear::interpolate(&weights, t);
                let ((a, along_a), (b, along_b)) = (Cubic::interpolate(around, t), Linear::interpolate(&corners, t));
                (a + share * (b - a), along_a + share * (along_b - along_a) + (b - a) * slope)
            }
        }
    }
}

#[inline]
fn in_double(corners: &Corners) -> [[[f64; 2]; 2]; 2] {
    corners.map(|plane| plane.map(|row| row.map(f64::from)))
}
