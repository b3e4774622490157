//! Materials and what two of them make of a contact.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::restitution::RestitutionSpeed;

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Density \[kg/m3\], above zero.
    pub density: f64,
    /// Normal restitution e_n \[-\], 0 to 1.
    pub restitution: f64,
    /// Whether restitution falls with the speed of approach.
    pub restitution_speed: RestitutionSpeed,
    /// Tangential restitution e_t \[-\], 0 to 1.
    pub tangential_restitution: f64,
    /// Coefficient of static friction mu_s \[-\], not negative.
    pub static_friction: f64,
    /// Coefficient of dynamic friction mu_d \[-\], not negative and not above `static_friction`.
    pub dynamic_friction: f64,
    /// Rolling friction \[-\]: the resisting moment is at most this times the smaller body's equal-volume radius times
    /// the normal force.
    pub rolling_friction: f64,
    /// Torsional friction \[-\]: as `rolling_friction`, about the normal.
    pub torsional_friction: f64,
    /// Contact stiffness \[N/m^eta\], above 0; only its ratio to that of other contacts matters, and only to laws that
    /// follow the compression of contacts.
    pub stiffness: f64,
}

impl Default for Material {
    /// Quartz-like rock: 2650 kg/m3, e_n = 0.3, mu = 0.5, no rolling or torsional friction; stiffness 1.
    fn default() -> Self {
        Material {
            density: 2650.0,
            restitution: 0.3,
            restitution_speed: RestitutionSpeed::Constant,
            tangential_restitution: 0.0,
            static_friction: 0.5,
            dynamic_friction: 0.5,
            rolling_friction: 0.0,
            torsional_friction: 0.0,
            stiffness: 1.0,
        }
    }
}

/// A material with a value outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field} is {value}, but must be {expected}")]
pub struct MaterialError {
    /// Which value, under its name in scene files.
    pub field: &'static str,
    /// What it was.
    pub value: f64,
    /// What it must be.
    pub expected: &'static str,
}

impl Material {
    /// Checks every value against its range; NaN is in none.
    ///
    /// # Errors
    /// [`MaterialError`] for the first value out of its range.
    pub fn validate(&self) -> Result<(), MaterialError> {
        let dense = self.density.is_finite() && self.density > 0.0;
        check("density", self.density, dense, "a finite number above 0 kg/m3")?;
        Coefficients::of(self).validate()
    }
}

/// A value of a material or a pair against its range.
fn check(field: &'static str, value: f64, good: bool, expected: &'static str) -> Result<(), MaterialError> {
    if good { Ok(()) } else { Err(MaterialError { field, value, expected }) }
}

/// What holds at a contact between two bodies: the pair's own values, or the mixture of their materials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficients {
    /// Normal restitution e_n \[-\]; from the speed of `restitution_speed` on where it falls with speed.
    pub restitution: f64,
    /// Whether it falls with the speed of approach. Laws take `restitution` as it is: who makes a contact problem puts
    /// in what holds at its speeds, by [`Coefficients::at_speed`].
    #[serde(default)]
    pub restitution_speed: RestitutionSpeed,
    /// Tangential restitution e_t \[-\].
    pub tangential_restitution: f64,
    /// Static friction mu_s \[-\].
    pub static_friction: f64,
    /// Dynamic friction mu_d \[-\].
    pub dynamic_friction: f64,
    /// Rolling friction \[-\].
    pub rolling_friction: f64,
    /// Torsional friction \[-\].
    pub torsional_friction: f64,
    /// Contact stiffness \[N/m^eta\], above 0; only ratios matter.
    #[serde(default = "unit_stiffness")]
    pub stiffness: f64,
}

/// What a file without the value means.
fn unit_stiffness() -> f64 {
    1.0
}

impl Coefficients {
    /// Neither restitution nor friction, and a stiffness of 1.
    pub const BARE: Coefficients = Coefficients {
        restitution: 0.0,
        restitution_speed: RestitutionSpeed::Constant,
        tangential_restitution: 0.0,
        static_friction: 0.0,
        dynamic_friction: 0.0,
        rolling_friction: 0.0,
        torsional_friction: 0.0,
        stiffness: 1.0,
    };

    /// Those of a material against itself.
    pub fn of(m: &Material) -> Self {
        Coefficients {
            restitution: m.restitution,
            restitution_speed: m.restitution_speed,
            tangential_restitution: m.tangential_restitution,
            static_friction: m.static_friction,
            dynamic_friction: m.dynamic_friction,
            rolling_friction: m.rolling_friction,
            torsional_friction: m.torsional_friction,
            stiffness: m.stiffness,
        }
    }

    /// Checks every value against its range, which is that of a [`Material`]'s; NaN is in none.
    ///
    /// # Errors
    /// [`MaterialError`] for the first value out of its range.
    pub fn validate(&self) -> Result<(), MaterialError> {
        let unit = |x: f64| (0.0..=1.0).contains(&x);
        let positive = |x: f64| x.is_finite() && x >= 0.0;
        check("restitution", self.restitution, unit(self.restitution), "between 0 and 1")?;
        if let RestitutionSpeed::Given(speed) = self.restitution_speed {
            let good = self.restitution_speed.is_valid();
            check("restitution_speed", speed, good, "a finite number above 0 m/s")?;
        }
        let e_t = self.tangential_restitution;
        check("tangential_restitution", e_t, unit(e_t), "between 0 and 1")?;
        let not_negative = "a finite number not below 0";
        check("static_friction", self.static_friction, positive(self.static_friction), not_negative)?;
        let slides = positive(self.dynamic_friction) && self.dynamic_friction <= self.static_friction;
        check("dynamic_friction", self.dynamic_friction, slides, "between 0 and static_friction")?;
        check("rolling_friction", self.rolling_friction, positive(self.rolling_friction), not_negative)?;
        check("torsional_friction", self.torsional_friction, positive(self.torsional_friction), not_negative)?;
        let stiff = self.stiffness.is_finite() && self.stiffness > 0.0;
        check("stiffness", self.stiffness, stiff, "a finite number above 0")
    }

    /// The mixing rule: the geometric mean of each coefficient, and the harmonic mean of the stiffnesses.
    ///
    /// It is symmetric, gives back the common value of equal materials to rounding, and a frictionless or perfectly
    /// plastic body makes the contact so whatever it meets. Two bodies that touch are springs in a row: the compliances
    /// add, so the softer body rules; the mean in place of the half keeps the common value of equal materials.
    pub fn mix(a: &Material, b: &Material) -> Self {
        let mean = |x: f64, y: f64| if x == y { x } else { (x * y).sqrt() };
        let harmonic = |x: f64, y: f64| if x == y { x } else { 2.0 / (x.recip() + y.recip()) };
        Coefficients {
            restitution: mean(a.restitution, b.restitution),
            restitution_speed: RestitutionSpeed::mix(a.restitution_speed, b.restitution_speed),
            tangential_restitution: mean(a.tangential_restitution, b.tangential_restitution),
            static_friction: mean(a.static_friction, b.static_friction),
            dynamic_friction: mean(a.dynamic_friction, b.dynamic_friction),
            rolling_friction: mean(a.rolling_friction, b.rolling_friction),
            torsional_friction: mean(a.torsional_friction, b.torsional_friction),
            stiffness: harmonic(a.stiffness, b.stiffness),
        }
    }

    /// The same with the restitution that holds at the approach speed `speed` \[m/s\]; `natural` is `sqrt(g D)`
    /// \[m/s\].
    #[must_use]
    pub fn at_speed(&self, speed: f64, natural: f64) -> Self {
        let restitution = self.restitution_speed.at(self.restitution, speed, natural);
        Coefficients { restitution, restitution_speed: RestitutionSpeed::Constant, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_materials_keep_their_values_and_the_rule_is_symmetric() {
        let a = Material { static_friction: 0.1, dynamic_friction: 0.1, restitution: 0.3, ..Material::default() };
        let b = Material { static_friction: 0.7, dynamic_friction: 0.6, restitution: 0.9, stiffness: 3.0, ..a };
        assert_eq!(Coefficients::mix(&a, &a).static_friction, 0.1);
        assert_eq!(Coefficients::mix(&a, &a).restitution, 0.3);
        assert_eq!(Coefficients::mix(&a, &a).stiffness, 1.0);
        assert_eq!(Coefficients::mix(&a, &b).stiffness, 1.5);
        assert_eq!(Coefficients::mix(&a, &b), Coefficients::mix(&b, &a));
    }

    #[test]
    fn every_range_is_checked() {
        let good = Material::default();
        assert!(good.validate().is_ok());
        for (field, bad) in [
            ("density", Material { density: -1.0, ..good }),
            ("density", Material { density: f64::NAN, ..good }),
            ("restitution", Material { restitution: 1.1, ..good }),
            ("restitution_speed", Material { restitution_speed: RestitutionSpeed::Given(0.0), ..good }),
            ("restitution_speed", Material { restitution_speed: RestitutionSpeed::Given(f64::NAN), ..good }),
            ("tangential_restitution", Material { tangential_restitution: -0.1, ..good }),
            ("static_friction", Material { static_friction: f64::INFINITY, ..good }),
            ("dynamic_friction", Material { dynamic_friction: 0.6, ..good }),
            ("rolling_friction", Material { rolling_friction: -1.0, ..good }),
            ("torsional_friction", Material { torsional_friction: f64::NAN, ..good }),
            ("stiffness", Material { stiffness: 0.0, ..good }),
            ("stiffness", Material { stiffness: f64::INFINITY, ..good }),
        ] {
            assert_eq!(bad.validate().expect_err(field).field, field);
        }
    }

    #[test]
    fn a_pair_has_the_ranges_of_a_material() {
        let good = Coefficients::mix(&Material::default(), &Material::default());
        assert!(good.validate().is_ok() && Coefficients::BARE.validate().is_ok());
        for (field, bad) in [
            ("restitution", Coefficients { restitution: 2.0, ..good }),
            ("restitution_speed", Coefficients { restitution_speed: RestitutionSpeed::Given(-1.0), ..good }),
            ("tangential_restitution", Coefficients { tangential_restitution: f64::NAN, ..good }),
            ("static_friction", Coefficients { static_friction: -0.1, ..good }),
            ("dynamic_friction", Coefficients { dynamic_friction: 0.6, ..good }),
            ("rolling_friction", Coefficients { rolling_friction: f64::INFINITY, ..good }),
            ("torsional_friction", Coefficients { torsional_friction: -1.0, ..good }),
            ("stiffness", Coefficients { stiffness: 0.0, ..good }),
        ] {
            assert_eq!(bad.validate().expect_err(field).field, field);
        }
    }
}
