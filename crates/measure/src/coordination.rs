//! How many neighbours a grain touches.

use serde::{Deserialize, Serialize};

/// One contact point between two bodies; a pair may have several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Dense index of one body.
    pub a: u32,
    /// Dense index of the other.
    pub b: u32,
    /// Distance of the surfaces \[m\], negative where they overlap.
    pub gap: f64,
}

/// Coordination of a set of grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordination {
    /// Mean number of bodies that a grain touches, walls included \[-\]; zero when there is no grain.
    pub mean: f64,
    /// Mean number of other grains that a grain touches, that is 2 x pairs / grains \[-\].
    pub mean_grains: f64,
    /// Number of touching bodies of each body by dense index; zero for bodies that are no grains.
    pub counts: Vec<u32>,
}

impl Coordination {
    /// Counts the bodies that touch, each pair once however many contact points it has.
    ///
    /// `radius[i]` \[m\] is the equal-volume radius of body `i` and `grain[i]` tells whether it is a grain (dynamic
    /// bodies are, walls are not). A pair touches where `gap <= tolerance * r`, r being the radius of the smaller grain
    /// of the two. Contact points of two bodies that are no grains, of a body with itself, or that name a body beyond
    /// the slices are left out.
    pub fn of(touches: &[Touch], radius: &[f64], grain: &[bool], tolerance: f64) -> Coordination {
        let bodies = radius.len().min(grain.len());
        let touching = |t: &&Touch| {
            let (a, b) = (t.a as usize, t.b as usize);
            if a == b || a.max(b) >= bodies {
                return false;
            }
            let scale = match (grain[a], grain[b]) {
                (true, true) => radius[a].min(radius[b]),
                (true, false) => radius[a],
                (false, true) => radius[b],
                (false, false) => return false,
            };
            t.gap <= tolerance * scale
        };
        let mut pairs: Vec<(u32, u32)> =
            touches.iter().filter(touching).map(|t| (t.a.min(t.b), t.a.max(t.b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self::count(&pairs, &grain[..bodies])
    }

    fn count(pairs: &[(u32, u32)], grain: &[bool]) -> Coordination {
        let mut counts = vec![0; grain.len()];
        let (mut ends, mut grain_ends) = (0_usize, 0_usize);
        for &(a, b) in pairs {
            for body in [a as usize, b as usize].into_iter().filter(|&body| grain[body]) {
                counts[body] += 1;
                ends += 1;
            }
            grain_ends += if grain[a as usize] && grain[b as usize] { 2 } else { 0 };
        }
        let grains = grain.iter().filter(|g| **g).count().max(1) as f64;
        Coordination { mean: ends as f64 / grains, mean_grains: grain_ends as f64 / grains, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_once_and_walls_count_for_the_grain_alone() {
        let touch = |a, b, gap| Touch { a, b, gap };
        // Body 0 is a wall; bodies 1 to 3 are grains, 3 the smallest; 4 is another wall.
        let touches = [
            touch(0, 1, -1e-3),
            touch(1, 0, -2e-3),
            touch(1, 2, 0.9e-2),
            touch(2, 3, 0.9e-2),
            touch(3, 2, 1.1e-3),
            touch(3, 1, 0.9e-3),
            touch(0, 4, -1.0),
            touch(2, 2, -1.0),
            touch(2, 9, -1.0),
            touch(2, 0, f64::NAN),
        ];
        let radius = [0.0, 1.0, 1.0, 0.1, 0.0];
        let grain = [false, true, true, true, false];
        let found = Coordination::of(&touches, &radius, &grain, 0.01);
        // Touching: 0-1, 1-2, 1-3. Pair 2-3 is too far apart for a grain as small as 3.
        assert_eq!(found.counts, [0, 3, 1, 1, 0]);
        assert_eq!((found.mean, found.mean_grains), (5.0 / 3.0, 4.0 / 3.0));
        assert_eq!(Coordination::of(&touches, &radius, &grain, 0.02).counts, [0, 3, 2, 2, 0]);
        assert_eq!(Coordination::of(&[], &[], &[], 0.01).mean, 0.0);
    }

    #[test]
    fn a_simple_cubic_lattice_has_six_neighbours_inside() {
        let side = 6u32;
        let mut touches = Vec::new();
        for i in 0..side.pow(3) {
            let at = [i % side, i / side % side, i / side / side];
            for axis in 0..3 {
                if at[axis] + 1 < side {
                    touches.push(Touch { a: i, b: i + side.pow(axis as u32), gap: 0.0 });
                }
            }
        }
        let bodies = side.pow(3) as usize;
        let found = Coordination::of(&touches, &vec![0.5; bodies], &vec![true; bodies], 1e-6);
        let inner = (side - 2).pow(3) as usize;
        assert_eq!(found.counts.iter().filter(|c| **c == 6).count(), inner);
        // 3 n^2 (n - 1) pairs among n^3 grains.
        assert!((found.mean - 2.0 * 540.0 / 216.0).abs() <= 1e-15);
    }
}
