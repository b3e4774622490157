//! What a run is judged by: deviations, each over a scale that its name tells, and their bounds.

use serde::{Deserialize, Serialize};

/// The bounds. What 500 scenes have come to is told beside each, and by family in `docs/accuracy.md`.
pub mod bounds {
    /// Of velocities, heights and places that one impact, or flights and impacts one after the other, decide. Measured:
    /// 2e-7 for the last rises of a ball with e below 1, 1e-7 for blocks that slide, else at most 6e-9.
    pub const MOTION: f64 = 1e-6;
    /// Of the energy of what is elastic. Measured: 2e-13.
    pub const ELASTIC: f64 = 1e-9;
    /// Of momentum and angular momentum where nothing acts from outside. Measured: 3e-14.
    pub const MOMENTUM: f64 = 1e-9;
    /// Of the largest rise of E* over what was dissipated: the engine's own figure `energy_gained`. Measured: 9e-7, but
    /// for six blocks that rock, with 3e-5 to 2e-3.
    pub const GAIN: f64 = 1e-5;
    /// Of the share of its angular velocity that a rocking block keeps in an impact. Measured: 6.3e-3.
    pub const ROCKING: f64 = 0.01;
}

/// A deviation and its bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What deviates, over which scale.
    pub quantity: String,
    /// Largest deviation over the run \[-\], not negative; NaN where nothing could be measured.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// Largest deviation that passes \[-\].
    pub bound: f64,
}

impl Check {
    /// A deviation of `value` that may come to `bound`.
    pub(super) fn new(quantity: &str, value: f64, bound: f64) -> Self {
        Check { quantity: quantity.to_owned(), value, bound }
    }

    /// Whether the bound is kept; by NaN it is not.
    pub fn passed(&self) -> bool {
        self.value <= self.bound
    }
}

/// The largest of deviations, which NaN is: `f64::max` would hide it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worst(pub(super) f64);

impl Worst {
    /// Takes another deviation in, whatever its sign.
    pub(super) fn take(&mut self, deviation: f64) {
        let size = deviation.abs();
        if size.is_nan() || size > self.0 {
            self.0 = size;
        }
    }
}

/// JSON knows no NaN: it is written as null, and read as NaN.
fn number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_passes_nothing() {
        let mut worst = Worst::default();
        [1e-9, -2e-9].into_iter().for_each(|x| worst.take(x));
        assert!(worst.0 == 2e-9 && Check::new("x", worst.0, 2e-9).passed());
        assert!(!Check::new("x", worst.0, 1.9e-9).passed());
        worst.take(f64::NAN);
        worst.take(1.0);
        let check = Check::new("x", worst.0, 1.0);
        assert!(!check.passed());
        let text = serde_json::to_string(&check).expect("JSON");
        assert!(serde_json::from_str::<Check>(&text).expect("a check").value.is_nan());
    }
}
