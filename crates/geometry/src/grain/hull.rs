//! How far a grain reaches along a direction, from a table: which pairs are apart is told by a few numbers.
//!
//! The support function h of a body is convex and of first degree. Directions of a table are the corners of squares on
//! the faces of a cube, as they are, not of length 1: `w = (1, a, b)`. A direction between four of them is a sum of
//! them with the weights of bilinear interpolation, so that the same sum of their h is at least its h.
//!
//! Two bodies at d from each other are apart by `s(n) = n.d - h_a(-n) - h_b(n)` along a unit vector n, or more. That is
//! greatest where its slope along the sphere, t, vanishes; a step of `t / (h_a + h_b)` leads there at once between
//! balls.

use granule_model::DVec3;

/// Squares along an edge of the cube. A ball is taken to be larger by 0.4 % of its radius at most, `2 / (8 * 8^2)`.
const SQUARES: usize = 16;
/// Corners along an edge.
const CORNERS: usize = SQUARES + 1;
/// Steps towards the direction along which two bodies are farthest apart. More are for bodies that touch only.
const STEPS: usize = 8;

/// The largest component of a grain's surface along any direction, or somewhat more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hull {
    /// Support at the corners of the six faces: those of positive x, y, z, then of negative.
    heights: Vec<f32>,
}

/// How far apart two grains are at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    /// From the second grain to the first, a unit vector.
    pub(crate) direction: DVec3,
    /// Distance along it, negative where they may overlap \[m\].
    pub(crate) distance: f64,
    /// How far the first reaches against it and the second along it, each from its origin \[m\].
    pub(crate) reaches: [f64; 2],
}

impl Hull {
    /// The table of a body whose surface reaches `support(w)` along w, which is not of length 1.
    pub(crate) fn new(mut support: impl FnMut(DVec3) -> f64) -> Hull {
        let mut heights = Vec::with_capacity(6 * CORNERS * CORNERS);
        let place = |i: usize| 2.0 * i as f64 / SQUARES as f64 - 1.0;
        for face in 0..6 {
            for j in 0..CORNERS {
                for i in 0..CORNERS {
                    let axes = axes_of(face % 3);
                    let mut w = DVec3::ZERO;
                    w[axes[0]] = if face < 3 { 1.0 } else { -1.0 };
                    w[axes[1]] = place(i);
                    w[axes[2]] = place(j);
                    heights.push((support(w) as f32).next_up());
                }
            }
        }
        Hull { heights }
    }

    /// Upper bound of the support along `w`, and its slope: a point near which the surface is reached \[m\].
    #[inline]
    pub(crate) fn height(&self, w: DVec3) -> (f64, DVec3) {
        let size = w.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let axes = axes_of(axis);
        let (longest, sign) = (size[axis], w[axis].signum());
        let square = |share: f64| {
            let place = (share + 1.0) * (0.5 * SQUARES as f64);
            let square = (place as usize).min(SQUARES - 1);
            (square, place - square as f64)
        };
        let (a, b) = (w[axes[1]] / longest, w[axes[2]] / longest);
        let ((i, s), (j, t)) = (square(a), square(b));
        let face = axis + if sign < 0.0 { 3 } else { 0 };
        let first = (face * CORNERS + j) * CORNERS + i;
        let at = |offset: usize| f64::from(self.heights[first + offset]);
        let (low, high) = ([at(0), at(1)], [at(CORNERS), at(CORNERS + 1)]);
        let (below, above) = (low[0] + s * (low[1] - low[0]), high[0] + s * (high[1] - high[0]));
        let value = below + t * (above - below);
        let per_square = 0.5 * SQUARES as f64;
        let along_a = per_square * ((low[1] - low[0]) * (1.0 - t) + (high[1] - high[0]) * t);
        let along_b = per_square * (above - below);
        let mut slope = DVec3::ZERO;
        slope[axis] = sign * (value - a * along_a - b * along_b);
        slope[axes[1]] = along_a;
        slope[axes[2]] = along_b;
        (longest * value, slope)
    }
}

/// A direction along which two bodies are apart by more than `enough` \[m\], or the one found along which they are
/// most.
///
/// `way` leads from the second to the first \[m\]; `heights(n)` is how far the first reaches along -n and the second
/// along n, both with their slopes.
pub(crate) fn separation(
    way: DVec3,
    enough: f64,
    mut heights: impl FnMut(DVec3) -> [(f64, DVec3); 2],
) -> Option<Separation> {
    let mut direction = way.try_normalize()?;
    let mut best: Option<(Separation, DVec3)> = None;
    let mut share = 1.0;
    for _ in 0..STEPS {
        let [first, second] = heights(direction);
        let distance = direction.dot(way) - first.0 - second.0;
        let slope = way + first.1 - second.1;
        let step = (slope - slope.dot(direction) * direction) / (first.0 + second.0);
        match &best {
            Some((found, _)) if distance <= found.distance => share *= 0.5,
            _ => best = Some((Separation { direction, distance, reaches: [first.0, second.0] }, step)),
        }
        let (found, step) = best.as_ref()?;
        if found.distance > enough {
            break;
        }
        direction = (found.direction + share * *step).try_normalize()?;
    }
    best.map(|(found, _)| found)
}

/// An axis and the two others.
fn axes_of(axis: usize) -> [usize; 3] {
    [axis, (axis + 1) % 3, (axis + 2) % 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directions() -> impl Iterator<Item = DVec3> {
        let share = |k: f64, i: u32| 2.0 * libm::fmod(f64::from(i) * k, 1.0) - 1.0;
        (1..3000).filter_map(move |i| {
            DVec3::new(share(0.618_034, i), share(0.754_878, i), share(0.569_840, i)).try_normalize()
        })
    }

    /// Never less than the support, of a ball by at most 0.4 % more, of a box by less, and the slope is a point there.
    #[test]
    fn the_table_is_an_upper_bound() {
        let half = DVec3::new(0.5, 0.3, 0.2);
        let ball = Hull::new(|w| 0.5 * w.length());
        let cuboid = Hull::new(|w| w.abs().dot(half));
        let (mut ball_most, mut cuboid_most, mut slope_most) = (0.0_f64, 0.0_f64, 0.0_f64);
        for n in directions() {
            let (height, slope) = ball.height(n);
            assert!(height >= 0.5, "{n}: {height}");
            ball_most = ball_most.max(height / 0.5 - 1.0);
            slope_most = slope_most.max((slope - 0.5 * n).length());
            assert!((slope.dot(n) - height).abs() <= 1e-12, "of first degree");
            let (height, exact) = (cuboid.height(n).0, n.abs().dot(half));
            assert!(height >= exact, "{n}: {height}");
            cuboid_most = cuboid_most.max(height / exact - 1.0);
        }
        // Measured 3.9e-3, 1.2e-7 (squares end where the support has its edges), 0.031: half a square.
        assert!(ball_most <= 4e-3 && ball_most > 1e-3, "{ball_most:e}");
        assert!(cuboid_most <= 2e-7, "{cuboid_most:e}");
        assert!(slope_most <= 0.05, "{slope_most:e}");
    }

    /// Ellipsoids that are apart along no line of centres are told to be; those that overlap are not.
    #[test]
    fn flat_bodies_are_told_apart() {
        let half = DVec3::new(1.0, 1.0, 0.3);
        let hull = Hull::new(|w| (w * half).length());
        let mut apart = 0;
        for n in directions() {
            // Two that touch at `half * n` of the first, moved apart along the normal there and into one another.
            let normal = (n / half).normalize();
            let touching = 2.0 * (half * half * normal) / (half * normal).length();
            for gap in [0.05, -0.01] {
                let way = touching + gap * normal;
                let found =
                    separation(way, 0.0, |n| [hull.height(-n), hull.height(n)]).expect("they are at two places");
                assert!(found.distance <= gap, "{}", found.distance);
                apart += usize::from(found.distance > 0.0);
                assert!(gap > 0.0 || found.distance <= 0.0);
            }
        }
        println!("{apart} of 2999 told apart");
        assert!(apart >= 2900, "{apart}");
    }
}
