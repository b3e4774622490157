//! Random numbers that are the same everywhere, for random problems.

use granule_model::{DMat3, DQuat, DVec3};

/// SplitMix64 (Steele, Lea, Flood 2014); two of one seed give the same numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of `seed`.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `low` to `high`, without `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in the logarithm, `low` above 0.
    pub fn log_between(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    /// Uniform in 0 to n, without n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform in the unit ball.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            if v.length_squared() <= 1.0 {
                return v;
            }
        }
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_ball();
            if v.length_squared() > 0.01 {
                return v.normalize();
            }
        }
    }

    /// A random axis and angle.
    pub fn rotation(&mut self) -> DQuat {
        let axis = self.direction();
        let (sine, cosine) = libm::sincos(0.5 * self.between(0.0, std::f64::consts::TAU));
        DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
    }

    /// Three unit vectors at right angles, right-handed.
    pub fn axes(&mut self) -> DMat3 {
        let x = self.direction();
        let y = loop {
            let y = self.in_ball().reject_from_normalized(x);
            if y.length_squared() > 0.01 {
                break y.normalize();
            }
        };
        DMat3::from_cols(x, y, x.cross(y))
    }
}
