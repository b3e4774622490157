//! Grains of water and wind: an ellipsoid with random bumps, from river pebbles to angular sand.
//!
//! The raw shape is `r(u) = exp f(u)` over the directions `u` of the unit sphere, `f` a series of real spherical
//! harmonics of the degrees 2 to `degree` with random coefficients. The exponential keeps the radius positive for every
//! amplitude, so nothing has to be drawn anew; grains with a normal `f` are the *Gaussian random spheres* of Muinonen
//! (Introducing the Gaussian shape hypothesis for asteroids and comets, Astronomy and Astrophysics 332, 1998). A linear
//! map then gives the box of the grain the ratios of sides asked for (`fit.rs`).
//!
//! **Amplitudes.** `D_n` is the root mean square over the sphere of the part of `f` of degree `n`; for small bumps that
//! is the descriptor `D_n = L_n / L_0` of the radius: the norm of its coefficients of degree `n` over that of degree 0.
//! In scanned sand `D_n` falls as a power of `n`. The exponents here are those of the generator of Wei, Wang and Zhao
//! (A simple method for particle shape generation with spherical harmonics, Powder Technology 330, 2018; published with
//! it as SHPSG): `D_n ~ n^-1.387` for the degrees 2 to 8, which make the corners, and `D_n ~ n^-1.426` for 9 to 15,
//! which are roughness. They set the sums over each group, and so does this module:
//!
//! - `angularity = D_2 + ... + D_8`, `roughness = D_9 + ... + D_15`, each up to `degree`.
//!
//! Each grain has these sums exactly; only how a degree is shared among its orders is random, every turn as likely.
//! One figure differs: theirs are of the displacement of points of the surface in all three directions, of which the
//! radial one alone changes the shape. A sum of 0.4 there is about `0.4 / sqrt 3 = 0.23` here.

use std::f64::consts::PI;
use std::sync::LazyLock;

use granule_model::{DMat3, DVec3};

use crate::error::{GrainError, check_aspect, count_in_range, in_range};
use crate::fit::{fit, sides_of};
use crate::random::Random;
use crate::series::Series;
use crate::sphere::SphereMesh;
use crate::surface::Surface;

/// Highest degree of the corners; roughness begins with the next.
const LAST_CORNER_DEGREE: usize = 8;
/// Highest degree for which the power laws were found.
const HIGHEST_DEGREE: usize = 15;
/// Exponents of the power laws of corners and of roughness.
const EXPONENTS: [f64; 2] = [1.387, 1.426];
/// Largest sums of `D_n`: beyond them grains are spiked stars, like no rock.
const MOST_ANGULAR: f64 = 0.5;
/// See [`MOST_ANGULAR`].
const ROUGHEST: f64 = 0.2;

/// The mesh on which ratios of sides and volume are adjusted: 2562 directions. Others meet them up to their resolution.
static REFERENCE: LazyLock<Option<SphereMesh>> = LazyLock::new(|| SphereMesh::new(16).ok());

/// A family of rounded to angular grains. How the numbers are meant is told at the top of the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harmonic {
    /// Elongation `b / a` and flatness `c / b` of the box along the principal axes, 0.1 to 1 each. Met to rounding by
    /// surfaces of 2562 vertices, by others to their resolution.
    pub aspect: [f64; 2],
    /// Sum of `D_2` to `D_8`, 0 to 0.5: 0 an ellipsoid, 0.05 to 0.1 river pebbles, 0.15 natural sand, 0.25 rugged
    /// sand, beyond 0.35 clinker and other lumps with hollows. Corners are round at any value; sharp ones are
    /// [`Rock`](crate::Rock)'s.
    pub angularity: f64,
    /// Sum of `D_9` to `D_15`, 0 to 0.2: 0 smooth, 0.02 natural, 0.05 knobbly.
    pub roughness: f64,
    /// Highest degree of the series, 2 to 15. A surface shows it if edges are shorter than half a wave: 2562 vertices
    /// have 3 edges to a half wave of degree 15.
    pub degree: usize,
}

impl Default for Harmonic {
    /// A natural sand grain.
    fn default() -> Self {
        Harmonic { aspect: [0.8, 0.8], angularity: 0.15, roughness: 0.02, degree: 15 }
    }
}

impl Harmonic {
    /// Refuses parameters beyond their ranges.
    pub(crate) fn check(&self) -> Result<(), GrainError> {
        check_aspect(self.aspect)?;
        in_range("angularity", self.angularity, 0.0, MOST_ANGULAR)?;
        in_range("roughness", self.roughness, 0.0, ROUGHEST)?;
        count_in_range("the degree of the series", self.degree, 2, HIGHEST_DEGREE)?;
        if self.roughness > 0.0 && self.degree <= LAST_CORNER_DEGREE {
            return Err(GrainError::RoughnessBeyondDegree { degree: self.degree });
        }
        Ok(())
    }

    /// `D_n` for each degree `n` from 0 to the highest.
    pub fn amplitudes(&self) -> Vec<f64> {
        let mut amplitudes = vec![0.0; self.degree + 1];
        let groups = [
            (2..=self.degree.min(LAST_CORNER_DEGREE), self.angularity, EXPONENTS[0]),
            (LAST_CORNER_DEGREE + 1..=self.degree, self.roughness, EXPONENTS[1]),
        ];
        for (degrees, sum, exponent) in groups {
            let law = |n: usize| libm::pow(n as f64, -exponent);
            let whole: f64 = degrees.clone().map(law).sum();
            degrees.for_each(|n| amplitudes[n] = sum * law(n) / whole);
        }
        amplitudes
    }

    /// The grain whose coefficients are drawn from `random`.
    pub(crate) fn grain(&self, random: &mut Random) -> Result<HarmonicGrain, GrainError> {
        self.check()?;
        let series = Series::random(&self.amplitudes(), random);
        if self.angularity == 0.0 && self.roughness == 0.0 {
            let sides = sides_of(self.aspect);
            let map = DMat3::from_diagonal(sides / libm::cbrt(sides.element_product()));
            return Ok(HarmonicGrain::new(series, map, Vec::new(), true));
        }
        let Some(mesh) = REFERENCE.as_ref() else {
            return Err(GrainError::NoVolume);
        };
        let raw = raw_points(&series, mesh);
        let map = fit(&raw, mesh.triangles(), self.aspect);
        Ok(HarmonicGrain::new(series, map, raw, false))
    }
}

/// One grain of a [`Harmonic`] family: star-shaped about the origin, about as large as the unit sphere.
#[derive(Clone, Debug)]
pub struct HarmonicGrain {
    series: Series,
    /// From the raw shape to the grain.
    map: DMat3,
    inverse: DMat3,
    /// The raw shape on the reference mesh; empty for an ellipsoid.
    raw: Vec<DVec3>,
    ellipsoid: bool,
}

impl HarmonicGrain {
    fn new(series: Series, map: DMat3, raw: Vec<DVec3>, ellipsoid: bool) -> Self {
        HarmonicGrain { series, map, inverse: map.inverse(), raw, ellipsoid }
    }

    /// Distance from the origin to the surface in the direction of the unit vector `direction`.
    pub fn radius(&self, direction: DVec3) -> f64 {
        let back = self.inverse * direction;
        let length = back.length();
        if self.ellipsoid { 1.0 / length } else { libm::exp(self.series.value(back / length)) / length }
    }

    /// Outward unit normal of the surface in the direction of the unit vector `direction`.
    ///
    /// The raw surface is where `ln |p| - f(p / |p|) = 0`, whose gradient is `u` less the slope of `f` along the
    /// sphere.
    pub fn normal(&self, direction: DVec3) -> DVec3 {
        let u = (self.inverse * direction).normalize();
        let raw = if self.ellipsoid {
            u
        } else {
            let gradient = self.series.gradient(u);
            u - (gradient - gradient.dot(u) * u)
        };
        (self.inverse.transpose() * raw).normalize()
    }

    /// Volume of the smooth grain where it has a closed form: that of an ellipsoid.
    pub fn volume(&self) -> Option<f64> {
        self.ellipsoid.then(|| 4.0 / 3.0 * PI * self.map.determinant())
    }

    /// The surface over the directions of `mesh`, as the map moves them.
    pub fn surface(&self, mesh: &SphereMesh) -> Surface {
        let known = REFERENCE.as_ref().is_some_and(|m| m.frequency() == mesh.frequency());
        let map = |points: &[DVec3]| points.iter().map(|&p| self.map * p).collect();
        let vertices = match (self.ellipsoid, known) {
            (true, _) => map(mesh.directions()),
            (false, true) => map(&self.raw),
            (false, false) => map(&raw_points(&self.series, mesh)),
        };
        Surface::closed(vertices, mesh.triangles().to_vec())
    }
}

/// Points of the raw shape over the directions of `mesh`.
fn raw_points(series: &Series, mesh: &SphereMesh) -> Vec<DVec3> {
    let values = series.values(mesh.directions());
    mesh.directions().iter().zip(values).map(|(&u, f)| u * libm::exp(f)).collect()
}
