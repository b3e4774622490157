//! Measures of shape: ratios of sides, sphericity, and how far a surface is from an ellipsoid.

use std::f64::consts::PI;

use crate::surface::Surface;

/// Exponent of Thomsen's formula for the area of an ellipsoid, whose error is at most 1.1 %.
const THOMSEN: f64 = 1.6075;

/// Measures of the shape of a grain.
///
/// Sides are those of the smallest box along the principal axes of inertia of the solid. That is not the smallest of
/// all boxes: of a cube, whose axes are arbitrary, it may be any box around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Descriptors {
    /// Sides `a >= b >= c` of the box \[m\].
    pub sides: [f64; 3],
    /// Elongation `b / a`, 0 to 1.
    pub elongation: f64,
    /// Flatness `c / b`, 0 to 1.
    pub flatness: f64,
    /// Diameter of the sphere of equal volume \[m\].
    pub equivalent_diameter: f64,
    /// Sphericity (Wadell 1932): area of the sphere of equal volume over the area, 0 to 1; 1 for a sphere.
    pub sphericity: f64,
    /// Area of the ellipsoid of equal volume and equal ratios of sides over the area: 1 for an ellipsoid (within 1 %,
    /// the error of the formula), less the more corners, edges and roughness. It stands in for roundness, which needs
    /// radii of curvature.
    pub regularity: f64,
}

/// Measures `surface`.
pub fn describe(surface: &Surface) -> Descriptors {
    let [a, b, c] = surface.sides();
    let area = surface.area();
    let diameter = surface.equivalent_diameter();
    // Semi-axes of the ellipsoid: r (a, b, c) / (a b c)^(1/3).
    let mean = libm::cbrt(a / b * (c / b)) * b;
    let power = |x: f64, y: f64| libm::pow(x / mean * (y / mean), THOMSEN);
    let over_sphere = libm::pow((power(a, b) + power(b, c) + power(c, a)) / 3.0, 1.0 / THOMSEN);
    let sphericity = PI * diameter * diameter / area;
    Descriptors {
        sides: [a, b, c],
        elongation: b / a,
        flatness: c / b,
        equivalent_diameter: diameter,
        sphericity,
        regularity: sphericity * over_sphere,
    }
}
