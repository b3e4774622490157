//! The way that the bodies of a pair are about to go, and how much nearer they may come by it at a place.
//!
//! A body that slides over ground hardly comes nearer to it, however fast it is. The margin of a pair holds for all
//! directions; of the part of it that is for the way ahead, a place needs what leads along the normal there. Surfaces
//! bend, so that a share of the whole way counts as well.

use granule_model::{DVec3, Pose};

/// Share of the way that counts along every normal: that of a surface which rises by 6 degrees on the way.
///
/// Of 0, 0.1, 0.25, 0.5 and 1: see `docs/experiments/detection.md`.
const BENT: f64 = 0.1;

/// The motion ahead of body A of a pair, seen from body B: `way + turn x (p - about)` at a point p.
#[derive(Clone, Copy, Debug)]
pub struct Nearing {
    /// Of the point `about` \[m\].
    pub way: DVec3,
    /// About it \[rad\].
    pub turn: DVec3,
    /// A point \[m\].
    pub about: DVec3,
    /// The part of the margin that is for this way \[m\].
    pub allowed: f64,
}

impl Nearing {
    /// That of body B, seen from body A.
    pub(crate) fn swapped(self) -> Nearing {
        Nearing { way: -self.way, turn: -self.turn, ..self }
    }

    /// In the axes of a body at `pose`.
    pub(crate) fn in_axes_of(self, pose: &Pose) -> Nearing {
        Nearing {
            way: pose.inverse_transform_vector(self.way),
            turn: pose.inverse_transform_vector(self.turn),
            about: pose.inverse_transform_point(self.about),
            ..self
        }
    }

    /// By how much less than the margin points of body A within `radius` of `point` may come nearer to a surface of
    /// this outward normal \[m\].
    #[inline]
    pub(crate) fn spare(&self, point: DVec3, radius: f64, outward: DVec3) -> f64 {
        let (way, spin) = (self.way + self.turn.cross(point - self.about), self.turn.length() * radius);
        let nearer = (spin - way.dot(outward)).max(0.0) + BENT * (way.length() + spin);
        (self.allowed - nearer).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What slides needs a share of its way, what falls all of it and no more than it was allowed, and a wheel that
    /// rolls as much as it turns above the ground.
    #[test]
    fn what_slides_hardly_comes_nearer() {
        let allowed = 0.5;
        let nearing = |way: DVec3, turn: DVec3| Nearing { way, turn, about: DVec3::Z, allowed };
        let at = |one: &Nearing, point: DVec3| allowed - one.spare(point, 0.0, DVec3::Z);
        let slides = nearing(DVec3::new(0.4, 0.0, 0.0), DVec3::ZERO);
        assert!((at(&slides, DVec3::ZERO) - 0.4 * BENT).abs() <= 1e-15);
        let falls = nearing(DVec3::new(0.0, 0.0, -0.4), DVec3::ZERO);
        assert!((at(&falls, DVec3::ZERO) - 0.4 * (1.0 + BENT)).abs() <= 1e-15);
        let rises = nearing(DVec3::new(0.0, 0.0, 0.4), DVec3::ZERO);
        assert!((at(&rises, DVec3::ZERO) - 0.4 * BENT).abs() <= 1e-15);
        // Its lowest point stands still; the foremost comes down by 0.2 and goes on by as much.
        let rolls = nearing(DVec3::new(0.2, 0.0, 0.0), DVec3::new(0.0, 0.2, 0.0));
        assert!(at(&rolls, DVec3::ZERO) <= 1e-15);
        let foremost = 0.2 + BENT * 0.2 * 2.0_f64.sqrt();
        assert!((at(&rolls, DVec3::new(1.0, 0.0, 1.0)) - foremost).abs() <= 1e-15);
        // A sphere about the lowest point holds all that turns within it.
        let sphere = allowed - rolls.spare(DVec3::ZERO, 0.3, DVec3::Z);
        assert!((sphere - 0.06 * (1.0 + BENT)).abs() <= 1e-15);
        // Seen from the other body, and in turned axes, it is the same.
        let quarter = Pose::new(DVec3::new(3.0, -1.0, 2.0), granule_model::DQuat::from_rotation_x(1.2));
        let (turned, up) = (rolls.in_axes_of(&quarter), quarter.inverse_transform_vector(DVec3::Z));
        let place = quarter.inverse_transform_point(DVec3::new(1.0, 0.0, 1.0));
        assert!((allowed - turned.spare(place, 0.0, up) - foremost).abs() <= 1e-15);
        assert!((at(&rolls.swapped(), DVec3::new(-1.0, 0.0, 1.0)) - foremost).abs() <= 1e-15);
    }
}
