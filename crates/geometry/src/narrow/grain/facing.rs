//! Directions that hold a corner or an edge: against which all faces beside it look.
//!
//! On an edge of the other body any direction between its two faces is as near. Where two edges lie on each other, as
//! of cubes in a stack, most of these look out of a face beside the corner, and would hold it aside.
//!
//! A corner that comes down when its body tilts by some angle has a face that looks along the direction by that angle;
//! its gap is the angle times the way to what the body tilts about, so the face may by gap over the distance of nodes.

use granule_model::DVec3;

/// Cosine between a direction and a face's normal above which the face looks along it: more than what normals of
/// sixteen bits are off by.
const ALONG: f64 = 1e-3;
/// A direction of which less than this is left holds nothing.
const LEFT: f64 = 0.5;

/// A unit vector without what faces look along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing {
    left: DVec3,
    /// Cosine up to which a face may look along it.
    along: f64,
    is_turned: bool,
}

impl Facing {
    /// Of a corner at `gap` \[m\] that tilts about points `arm` \[m\] away or farther.
    pub(super) fn new(outward: DVec3, gap: f64, arm: f64) -> Facing {
        Facing { left: outward, along: ALONG + gap.max(0.0) / arm, is_turned: false }
    }

    /// Takes out what a face with this outward normal, a unit vector, looks along.
    pub(super) fn without(self, face: DVec3) -> Facing {
        let along = self.left.dot(face);
        if along > self.along { Facing { left: self.left - along * face, is_turned: true, ..self } } else { self }
    }

    /// Takes out what lies along an edge between two faces: nothing holds an edge along itself.
    pub(super) fn across(self, faces: [DVec3; 2]) -> Facing {
        let Some(edge) = faces[0].cross(faces[1]).try_normalize() else { return self };
        let along = self.left.dot(edge);
        if along.abs() > self.along { Facing { left: self.left - along * edge, is_turned: true, ..self } } else { self }
    }

    /// The direction, and which share of a gap along the first one is one along it; none where too little is left.
    pub(super) fn direction(self) -> Option<(DVec3, f64)> {
        if !self.is_turned {
            return Some((self.left, 1.0));
        }
        let share = self.left.length();
        (share >= LEFT).then(|| (self.left / share, share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over a bottom edge of a cube a direction between two faces of the one below becomes that of the upper one.
    #[test]
    fn what_looks_out_of_a_face_is_taken_out() {
        let (side, bottom) = (DVec3::X, DVec3::NEG_Z);
        for (outward, expected) in [
            (DVec3::Z, Some((DVec3::Z, 1.0))),
            (DVec3::new(0.6, 0.0, 0.8), Some((DVec3::Z, 0.8))),
            (DVec3::new(-0.6, 0.0, 0.8), Some((DVec3::new(-0.6, 0.0, 0.8), 1.0))),
            (DVec3::X, None),
        ] {
            let found = Facing::new(outward, 0.0, 1.0).without(side).without(bottom).direction();
            match (found, expected) {
                (Some((n, share)), Some((m, part))) => {
                    assert!((n - m).length() < 1e-12 && (share - part).abs() < 1e-12, "{outward}: {n} {share}");
                }
                _ => assert_eq!(found, expected),
            }
        }
    }

    /// An edge that leads over the edge of another body is held across itself.
    #[test]
    fn what_lies_along_an_edge_is_taken_out() {
        let outward = DVec3::new(0.0, 0.6, 0.8);
        let found = Facing::new(outward, 0.0, 1.0).across([DVec3::X, DVec3::NEG_Z]).direction();
        assert_eq!(found, Some((DVec3::Z, 0.8)));
        assert_eq!(Facing::new(DVec3::Y, 0.0, 1.0).across([DVec3::X, DVec3::NEG_Z]).direction(), None);
    }

    /// The far corner of a cube that stands on an edge, tilted by a hundredth, is held along the plane's normal.
    #[test]
    fn a_corner_that_comes_down_keeps_its_direction() {
        let (sine, cosine) = libm::sincos(0.01);
        let side = DVec3::new(cosine, 0.0, sine);
        let far = Facing::new(DVec3::Z, sine, 0.1).without(side);
        assert_eq!(far.direction(), Some((DVec3::Z, 1.0)));
        assert!(Facing::new(DVec3::Z, 0.0, 0.1).without(side).is_turned);
    }
}
