//! Random numbers for grains and start states: the same on every machine and in every version, and good in all bits.
//!
//! xoshiro256** of Blackman and Vigna (Scrambled linear pseudorandom number generators, 2021), its state filled from
//! the seed by splitmix64 as they advise. Rotations and directions are drawn by rejection, which needs no trigonometric
//! function and so no library whose last bit may differ.
//!
//! Each grain has a generator of its own, [`Random::of`] its seed, subject and number. What is drawn for one grain does
//! not depend on which others are asked for, nor in which order.

use granule_model::{DQuat, DVec3};

/// Step of splitmix64: the golden ratio in 64 bits, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What splitmix64 gives for the state `x`: one number for each, all bits of it from all bits of `x`.
fn split_mix(x: u64) -> u64 {
    let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What is drawn for a grain. Each subject has numbers of its own: a shape that needs more of them moves no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Its shape.
    Shape,
    /// Its size.
    Size,
    /// Where it lies and how it is turned.
    Pose,
}

/// A generator; two of one seed give the same numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of `seed`.
    pub fn new(seed: u64) -> Self {
        let state = [1u64, 2, 3, 4].map(|k| split_mix(seed.wrapping_add(k.wrapping_mul(GOLDEN))));
        Random { state }
    }

    /// The generator for `subject` of grain number `index` under `seed`.
    ///
    /// Every step of the hash is a bijection: two grains of one seed and subject never share a generator.
    pub fn of(seed: u64, subject: Subject, index: u64) -> Self {
        let hash = split_mix(seed.wrapping_add(GOLDEN));
        let hash = split_mix(hash.wrapping_add(subject as u64).wrapping_add(GOLDEN));
        Random::new(split_mix(hash.wrapping_add(index).wrapping_add(GOLDEN)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in 0 (included) to 1 (not): a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform in -1 (included) to 1 (not).
    pub fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in the cube from -1 to 1.
    pub fn cube(&mut self) -> DVec3 {
        let (x, y, z) = (self.symmetric(), self.symmetric(), self.symmetric());
        DVec3::new(x, y, z)
    }

    /// A point of the unit disc with the square of its distance from the middle, never the middle itself.
    fn disc(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (self.symmetric(), self.symmetric());
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                return (x, y, square);
            }
        }
    }

    /// A direction, uniform on the unit sphere (Marsaglia, Choosing a point from the surface of a sphere, 1972, Eq. 4).
    pub fn direction(&mut self) -> DVec3 {
        let (x, y, square) = self.disc();
        let scale = 2.0 * (1.0 - square).sqrt();
        DVec3::new(x * scale, y * scale, 1.0 - 2.0 * square)
    }

    /// A number of the normal distribution of mean 0 and variance 1 (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        let (x, _, square) = self.disc();
        x * (-2.0 * libm::log(square) / square).sqrt()
    }

    /// A rotation, uniform over all: a point of the unit sphere in four dimensions (Marsaglia 1972, Eq. 6).
    pub fn rotation(&mut self) -> DQuat {
        let (x, y, first) = self.disc();
        let (z, w, second) = self.disc();
        let scale = ((1.0 - first) / second).sqrt();
        DQuat::from_xyzw(x, y, z * scale, w * scale).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generators() {
        // First outputs of xoshiro256** from the state 1, 2, 3, 4, and of splitmix64 from the seed 1234567, as
        // published.
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!([random.bits(), random.bits(), random.bits()], [11520, 0, 1509978240]);
        let seeded = Random::new(1234567).state;
        assert_eq!(seeded[..2], [6457827717110365317, 3203168211198807973]);
    }

    #[test]
    fn each_grain_and_subject_has_numbers_of_its_own() {
        let mut first: Vec<u64> = Vec::new();
        for seed in 0..20 {
            for index in 0..20 {
                for subject in [Subject::Shape, Subject::Size, Subject::Pose] {
                    first.push(Random::of(seed, subject, index).bits());
                }
            }
        }
        first.sort_unstable();
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "two of 1200 generators begin alike");
        assert_eq!(Random::of(3, Subject::Size, 5).bits(), Random::of(3, Subject::Size, 5).bits());
    }

    /// Of n draws: mean 0, variance 1 and fourth moment 3, within 5 standard errors (1, sqrt 2 and sqrt 96 over sqrt
    /// n).
    #[test]
    fn normal_numbers_have_the_moments_of_the_normal_distribution() {
        let n = 40_000;
        let mut random = Random::new(11);
        let (mut mean, mut square, mut fourth) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            let x = random.normal();
            mean += x / f64::from(n);
            square += x * x / f64::from(n);
            fourth += x * x * x * x / f64::from(n);
        }
        let error = 5.0 / f64::from(n).sqrt();
        assert!(mean.abs() <= error, "{mean}");
        assert!((square - 1.0).abs() <= error * 2f64.sqrt(), "{square}");
        assert!((fourth - 3.0).abs() <= error * 96f64.sqrt(), "{fourth}");
    }

    /// Means over n draws of a quantity of variance s^2 lie within 5 s / sqrt(n) of its expectation: of all seeds
    /// about one in 100 000 would fail one of the ten comparisons.
    #[test]
    fn directions_and_rotations_have_the_moments_of_the_uniform_ones() {
        let n = 20_000;
        let mut random = Random::new(7);
        let (mut mean, mut square, mut turned, mut trace) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, 0.0);
        for _ in 0..n {
            let d = random.direction();
            assert!((d.length() - 1.0).abs() < 1e-15 * 4.0);
            mean += d / f64::from(n);
            square += d * d / f64::from(n);
            let q = random.rotation();
            turned += q * DVec3::Z / f64::from(n);
            trace += q.w * q.w / f64::from(n);
        }
        let root = f64::from(n).sqrt();
        // Variances: a coordinate 1/3, its square 1/5 - 1/9 = 4/45, the square of one of four coordinates 1/8 - 1/16.
        assert!(mean.abs().max_element() < 5.0 * (1.0f64 / 3.0).sqrt() / root, "{mean}");
        assert!(turned.abs().max_element() < 5.0 * (1.0f64 / 3.0).sqrt() / root, "{turned}");
        assert!((square - 1.0 / 3.0).abs().max_element() < 5.0 * (4.0f64 / 45.0).sqrt() / root, "{square}");
        assert!((trace - 0.25).abs() < 5.0 * 0.25 / root, "{trace}");
    }
}
