//! The inside of a round wall, closed by flat ends or open at the top.

use granule_model::DVec3;

/// A round wall about the z axis that holds what is inside; its walls are solid outward without bound.
///
/// All points are solid but those with `x^2 + y^2 < radius^2` and `low < z < high`, so nothing can pass through a wall
/// at any speed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drum {
    /// Distance of the wall from the axis \[m\].
    pub(crate) radius: f64,
    /// Height of the floor \[m\].
    pub(crate) low: f64,
    /// Height of the lid \[m\]; infinite where there is none.
    pub(crate) high: f64,
    /// Height up to which pictures show the wall \[m\].
    pub(crate) drawn_to: f64,
}

impl Drum {
    /// Floor at z = 0, no lid.
    pub(crate) fn open(radius: f64, height: f64) -> Self {
        Drum { radius, low: 0.0, high: f64::INFINITY, drawn_to: height }
    }

    /// Centred, closed at both ends.
    pub(crate) fn closed(radius: f64, length: f64) -> Self {
        let half = 0.5 * length;
        Drum { radius, low: -half, high: half, drawn_to: half }
    }

    /// True where the wall has no end upward.
    pub(crate) fn is_open(&self) -> bool {
        self.high == f64::INFINITY
    }

    /// Inward unit normal and offset \[m\] of each flat end, the floor first: all points `p` with `normal . p <=
    /// offset` are solid.
    pub(crate) fn planes(&self) -> impl Iterator<Item = (DVec3, f64)> + use<> {
        let lid = (!self.is_open()).then_some((DVec3::NEG_Z, -self.high));
        std::iter::once((DVec3::Z, self.low)).chain(lid)
    }
}
