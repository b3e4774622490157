//! Restitution that falls with the speed of approach.
//!
//! `e(v) = 1 - (1 - e0) (v/v0)^(3/4)` for `v < v0` and `e0` beyond (Bizon et al. 1998, who set `v0 = sqrt(g D)`): slow
//! contacts lose little, as those of real grains, and a shaken layer does not collapse inelastically.

use serde::{Deserialize, Serialize};

/// Whether and up to which speed restitution falls with the speed of approach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum RestitutionSpeed {
    /// It does not: e0 at any speed.
    #[default]
    Constant,
    /// Up to `sqrt(g D)`, with gravity and the diameter of the smaller body's sphere of equal volume.
    Natural,
    /// Up to this speed \[m/s\], above 0.
    Given(f64),
}

impl RestitutionSpeed {
    /// Restitution at the approach speed `speed` \[m/s\] (zero for contacts that do not approach), where it is
    /// `slowest` from the speed v0 on. `natural` is `sqrt(g D)` \[m/s\]; where that is zero restitution is constant.
    pub fn at(self, slowest: f64, speed: f64, natural: f64) -> f64 {
        let full = match self {
            RestitutionSpeed::Constant => return slowest,
            RestitutionSpeed::Natural => natural,
            RestitutionSpeed::Given(speed) => speed,
        };
        let ratio = speed.max(0.0) / full;
        // NaN where both are zero: no scale, no fall.
        if ratio.is_nan() || ratio >= 1.0 {
            return slowest;
        }
        let root = ratio.sqrt();
        // x^(3/4) by square roots, which are exact everywhere.
        1.0 - (1.0 - slowest) * root * root.sqrt()
    }

    /// What holds between two materials: a given speed goes before the natural one, and that before none; of two given
    /// ones the geometric mean.
    pub fn mix(a: Self, b: Self) -> Self {
        use RestitutionSpeed::{Constant, Given, Natural};
        match (a, b) {
            (Given(x), Given(y)) if x != y => Given((x * y).sqrt()),
            (Given(x), _) | (_, Given(x)) => Given(x),
            (Natural, _) | (_, Natural) => Natural,
            (Constant, Constant) => Constant,
        }
    }

    /// Whether a given speed is one.
    pub fn is_valid(self) -> bool {
        match self {
            RestitutionSpeed::Given(speed) => speed.is_finite() && speed > 0.0,
            RestitutionSpeed::Constant | RestitutionSpeed::Natural => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitution_falls_from_one_to_its_value() {
        let given = RestitutionSpeed::Given(2.0);
        assert_eq!(given.at(0.7, 0.0, 9.0), 1.0);
        assert_eq!(given.at(0.7, -1.0, 9.0), 1.0);
        assert_eq!(given.at(0.7, 2.0, 9.0), 0.7);
        assert_eq!(given.at(0.7, 5.0, 9.0), 0.7);
        // (1/16)^(3/4) = 1/8.
        assert!((given.at(0.7, 0.125, 9.0) - (1.0 - 0.3 / 8.0)).abs() <= 1e-15);
        assert_eq!(RestitutionSpeed::Natural.at(0.7, 0.125, 2.0), given.at(0.7, 0.125, 9.0));
        assert_eq!(RestitutionSpeed::Natural.at(0.7, 0.0, 0.0), 0.7);
        assert_eq!(RestitutionSpeed::Constant.at(0.7, 0.1, 2.0), 0.7);
    }

    #[test]
    fn mixing_is_symmetric_and_keeps_the_common_value() {
        let all = [RestitutionSpeed::Constant, RestitutionSpeed::Natural, RestitutionSpeed::Given(2.0)];
        for a in all {
            assert_eq!(RestitutionSpeed::mix(a, a), a);
            for b in all {
                assert_eq!(RestitutionSpeed::mix(a, b), RestitutionSpeed::mix(b, a));
            }
        }
        let mean = RestitutionSpeed::mix(RestitutionSpeed::Given(1.0), RestitutionSpeed::Given(4.0));
        assert_eq!(mean, RestitutionSpeed::Given(2.0));
    }
}
