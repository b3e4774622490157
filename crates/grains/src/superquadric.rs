//! Superquadrics: ellipsoids, boxes, cylinders, octahedra and all between, with exact points and normals.
//!
//! The surface is `F(p) = 1` with `F = (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1)` (Barr, Superquadrics and
//! angle-preserving transformations, 1981). `e1` shapes the sections through z, `e2` those across it: 1 round, towards
//! 0 square, 2 a rhombus. `F(t p) = t^(2/e1) F(p)`, so the radius in the direction `d` is `F(d)^(-e1/2)`, exactly.
//!
//! Powers are taken of ratios to the largest term only: no exponent in the range over- or underflows.

use granule_model::DVec3;

use crate::error::{GrainError, in_range};
use crate::limits::{LONGEST, SHORTEST};
use crate::sphere::SphereMesh;
use crate::surface::Surface;

/// Sharpest edges: at 0.1 a cube lacks 1.1 % of the full cube's volume; a mesh shows less and less below.
const SHARPEST: f64 = 0.1;
/// Above 2 the surface is no longer convex and has cusps.
const LAST_CONVEX: f64 = 2.0;
/// Smallest ratio of two half axes.
const FLATTEST: f64 = 1e-3;

/// A superquadric; nothing about it is random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superquadric {
    /// Half axes `a, b, c` along x, y, z \[m\], 1e-12 m to 1e12 m, none below a thousandth of another.
    pub half_axes: [f64; 3],
    /// Exponents `e1` (sections through z) and `e2` (across z), 0.1 to 2 each: convex, with edges that a mesh resolves.
    pub exponents: [f64; 2],
}

impl Superquadric {
    /// Refuses parameters beyond their ranges.
    pub(crate) fn check(&self) -> Result<(), GrainError> {
        for half in self.half_axes {
            in_range("a half axis", half, SHORTEST, LONGEST)?;
        }
        let half = DVec3::from_array(self.half_axes);
        in_range("the ratio of half axes", half.min_element() / half.max_element(), FLATTEST, 1.0)?;
        in_range("the exponent e1", self.exponents[0], SHARPEST, LAST_CONVEX)?;
        in_range("the exponent e2", self.exponents[1], SHARPEST, LAST_CONVEX)
    }

    /// Distance from the origin to the surface in the direction of the unit vector `direction` \[m\].
    pub fn radius(&self, direction: DVec3) -> f64 {
        1.0 / self.gauge(direction / DVec3::from_array(self.half_axes))
    }

    /// `F^(e1/2)` of a point in units of the half axes: homogeneous of degree 1, 1 on the surface.
    fn gauge(&self, p: DVec3) -> f64 {
        let [e1, e2] = self.exponents;
        norm(norm(p.x.abs(), p.y.abs(), e2), p.z.abs(), e1)
    }

    /// Outward unit normal of the surface in the direction of the unit vector `direction`; where an exponent is 2, on
    /// edges and corners, the mean of those beside it.
    pub fn normal(&self, direction: DVec3) -> DVec3 {
        let half = DVec3::from_array(self.half_axes);
        let unit = half / half.max_element();
        let p = direction / unit;
        let [e1, e2] = self.exponents;
        // The gradient of the norm of (x, y) in the exponent e2 by the chain rule; of degree 0, so no scale enters.
        let across = norm(p.x.abs(), p.y.abs(), e2);
        let (outer_xy, outer_z) = slopes(across, p.z.abs(), e1);
        let (x, y) = slopes(p.x.abs(), p.y.abs(), e2);
        let signs = DVec3::new(sign(p.x), sign(p.y), sign(p.z));
        (DVec3::new(outer_xy * x, outer_xy * y, outer_z) * signs / unit).normalize()
    }

    /// Volume \[m3\]: `2 a b c e1 e2 B(e1/2 + 1, e1) B(e2/2, e2/2)` (Jaklic, Leonardis and Solina, Segmentation and
    /// Recovery of Superquadrics, 2000).
    pub fn volume(&self) -> f64 {
        let [a, b, c] = self.half_axes;
        let [e1, e2] = self.exponents;
        2.0 * a * b * c * e1 * e2 * beta(0.5 * e1 + 1.0, e1) * beta(0.5 * e2, 0.5 * e2)
    }

    /// The surface over the directions of `mesh`, stretched by the half axes.
    pub fn surface(&self, mesh: &SphereMesh) -> Surface {
        let half = DVec3::from_array(self.half_axes);
        let vertices = mesh.directions().iter().map(|&u| half * u / self.gauge(u)).collect();
        Surface::closed(vertices, mesh.triangles().to_vec())
    }
}

/// `(s^(2/e) + t^(2/e))^(e/2)` of numbers that are not negative.
fn norm(s: f64, t: f64, e: f64) -> f64 {
    let (large, small) = if s >= t { (s, t) } else { (t, s) };
    if e == 1.0 {
        return (s * s + t * t).sqrt();
    }
    if large == 0.0 { 0.0 } else { large * libm::pow(1.0 + libm::pow(small / large, 2.0 / e), 0.5 * e) }
}

/// Derivatives of [`norm`] with respect to `s` and `t`; zero at the origin.
fn slopes(s: f64, t: f64, e: f64) -> (f64, f64) {
    let whole = norm(s, t, e);
    let slope = |x: f64| if x == 0.0 { 0.0 } else { libm::pow(x / whole, 2.0 / e - 1.0) };
    (slope(s), slope(t))
}

fn sign(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// Euler's beta function.
fn beta(x: f64, y: f64) -> f64 {
    libm::tgamma(x) * libm::tgamma(y) / libm::tgamma(x + y)
}
