//! Lengths that shapes may have.

/// Shortest length a shape may have \[m\]: the fifth power of lengths must stay an ordinary number.
pub(crate) const SHORTEST: f64 = 1e-12;
/// Longest length a shape may have, and farthest a vertex may lie from the origin \[m\].
pub(crate) const LONGEST: f64 = 1e12;
