//! Numbers as text: the shortest decimal that reads back to the same f64.

use serde::{Deserialize, Deserializer, Serializer};

/// Plain notation is used from here up to [`PLAIN_BELOW`]; outside, the exponent is shorter than the zeros.
const PLAIN_FROM: f64 = 1e-4;
const PLAIN_BELOW: f64 = 1e16;

/// The shortest text that `str::parse::<f64>` turns back into the same bits (any NaN into a NaN).
///
/// Non-finite values are written `NaN`, `inf` and `-inf`, which Python, NumPy and Rust read.
pub fn number_text(value: f64) -> String {
    let size = value.abs();
    let plain = !value.is_finite() || size == 0.0 || (PLAIN_FROM..PLAIN_BELOW).contains(&size);
    if plain { format!("{value}") } else { format!("{value:e}") }
}

/// Serde of a number that JSON may not be able to hold: a non-finite value becomes `null`, `null` becomes NaN.
pub(crate) mod finite_or_null {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.serialize_none() }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_reads_back_to_the_same_bits() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let value = f64::from_bits(bits);
            let back: f64 = number_text(value).parse().expect("a number");
            assert!(back.to_bits() == value.to_bits() || (back.is_nan() && value.is_nan()), "{value:?}");
        }
    }

    #[test]
    fn everyday_numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1e-300, "1e-300"),
            (1.5e20, "1.5e20"),
            (0.0005, "0.0005"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number_text(value), text);
        }
    }
}
