//! A point where two bodies touch or are about to.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// One contact point of a pair of bodies, as the narrow phase reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Point midway between the two surfaces, in the world \[m\].
    pub point: DVec3,
    /// Unit normal in the world, from body B to body A.
    pub normal: DVec3,
    /// Distance of the surfaces along the normal \[m\]: positive apart, negative overlapping.
    pub gap: f64,
    /// Half the smallest width of the convex pieces that touch, the thinner of the two \[m\]; infinite where neither
    /// piece has a width (half-spaces, walls, triangles of a mesh). An overlap of this depth reaches the middle of the
    /// piece.
    pub half_width: f64,
    /// Names the touching features within the pair: stays the same while the same features touch.
    pub feature: u32,
}

impl ContactPoint {
    /// The same contact with the roles of the bodies exchanged.
    pub fn swapped(self) -> Self {
        ContactPoint { normal: -self.normal, ..self }
    }
}

/// What makes a contact the same contact in the next step: the pair (dense indices, `a < b`) and the feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContactKey {
    /// Dense index of body A.
    pub a: u32,
    /// Dense index of body B.
    pub b: u32,
    /// Feature within the pair.
    pub feature: u32,
}
