//! Lengths that grains may have, as in `granule-geometry`.

/// Shortest length \[m\]: the fifth power of lengths must stay an ordinary number.
pub(crate) const SHORTEST: f64 = 1e-12;
/// Longest length \[m\].
pub(crate) const LONGEST: f64 = 1e12;
