//! Axis-aligned boxes of the world, as the broad phase sees bodies.

use glam::DVec3;

/// An axis-aligned box in world axes; half-spaces have infinite extents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner \[m\].
    pub min: DVec3,
    /// Highest corner \[m\].
    pub max: DVec3,
}

impl Aabb {
    /// The whole space: meets every box.
    pub const EVERYTHING: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
    /// The empty box: the neutral element of `union`.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box with the given corners.
    pub fn new(min: DVec3, max: DVec3) -> Self {
        Aabb { min, max }
    }

    /// The smallest box that holds all `points`; empty for no point.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Aabb::EMPTY, |b, p| Aabb { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box that holds both.
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `pad` \[m\] on every side.
    pub fn padded(&self, pad: f64) -> Aabb {
        Aabb { min: self.min - DVec3::splat(pad), max: self.max + DVec3::splat(pad) }
    }

    /// The box moved by `shift` \[m\].
    pub fn shifted(&self, shift: DVec3) -> Aabb {
        Aabb { min: self.min + shift, max: self.max + shift }
    }

    /// True when the boxes share a point (touching faces count).
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// True when `other` lies inside this box.
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Edge lengths \[m\].
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// Midpoint; only meaningful for finite boxes.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// True when all corners are finite.
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_meet_and_separate_ones_do_not() {
        let a = Aabb::new(DVec3::ZERO, DVec3::ONE);
        assert!(a.overlaps(&Aabb::new(DVec3::X, DVec3::splat(2.0))));
        assert!(!a.overlaps(&Aabb::new(DVec3::splat(1.1), DVec3::splat(2.0))));
        assert!(Aabb::EVERYTHING.overlaps(&a));
        assert!(!Aabb::EMPTY.overlaps(&a));
        assert!(a.padded(0.1).contains(&a) && a.padded(0.1).contains(&a.shifted(DVec3::splat(0.05))));
        assert!(!a.padded(0.1).contains(&a.shifted(DVec3::X)));
        assert_eq!(Aabb::EVERYTHING.shifted(DVec3::ONE), Aabb::EVERYTHING);
    }
}
