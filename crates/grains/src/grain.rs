//! The families of shapes under one name, and one grain of any of them.

use granule_model::DVec3;

use crate::error::GrainError;
use crate::harmonic::{Harmonic, HarmonicGrain};
use crate::random::{Random, Subject};
use crate::rock::{Rock, RockGrain};
use crate::sphere::SphereMesh;
use crate::superquadric::Superquadric;
use crate::surface::Surface;

/// A family of shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GrainShape {
    /// Rounded to angular grains.
    Harmonic(Harmonic),
    /// A superquadric, the same for every seed.
    Superquadric(Superquadric),
    /// Crushed rock.
    Rock(Rock),
}

impl GrainShape {
    /// Refuses parameters that are not numbers within their ranges, as [`grain`](GrainShape::grain) does.
    pub fn check(&self) -> Result<(), GrainError> {
        match self {
            GrainShape::Harmonic(family) => family.check(),
            GrainShape::Superquadric(shape) => shape.check(),
            GrainShape::Rock(family) => family.check(),
        }
    }

    /// Grain number `index` of `seed`.
    ///
    /// Beside parameters beyond their ranges, a [`Rock`] with many faces or of full irregularity may be an error.
    pub fn grain(&self, seed: u64, index: u64) -> Result<Grain, GrainError> {
        let mut random = Random::of(seed, Subject::Shape, index);
        self.check()?;
        Ok(match self {
            GrainShape::Harmonic(family) => Grain::Harmonic(Box::new(family.grain(&mut random)?)),
            GrainShape::Superquadric(shape) => Grain::Superquadric(*shape),
            GrainShape::Rock(family) => Grain::Rock(family.grain(&mut random)?),
        })
    }
}

/// One grain, star-shaped about its origin: every ray from there leaves it once.
///
/// Harmonic grains and rocks have the volume of the unit sphere (harmonic ones on 2562 vertices), superquadrics the
/// half axes given; a [`Surface`] is what gets a size. The longest axis is x, the shortest z; of superquadrics as
/// given.
#[derive(Clone, Debug)]
pub enum Grain {
    /// Of a [`Harmonic`] family.
    Harmonic(Box<HarmonicGrain>),
    /// A superquadric.
    Superquadric(Superquadric),
    /// Of a [`Rock`] family.
    Rock(RockGrain),
}

impl Grain {
    /// Distance from the origin to the surface in the direction of the unit vector `direction`.
    pub fn radius(&self, direction: DVec3) -> f64 {
        match self {
            Grain::Harmonic(grain) => grain.radius(direction),
            Grain::Superquadric(grain) => grain.radius(direction),
            Grain::Rock(grain) => grain.radius(direction),
        }
    }

    /// Outward unit normal of the surface in the direction of the unit vector `direction`.
    pub fn normal(&self, direction: DVec3) -> DVec3 {
        match self {
            Grain::Harmonic(grain) => grain.normal(direction),
            Grain::Superquadric(grain) => grain.normal(direction),
            Grain::Rock(grain) => grain.normal(direction),
        }
    }

    /// Volume of the smooth shape where it has a closed form: not of harmonic grains, but for ellipsoids.
    pub fn volume(&self) -> Option<f64> {
        match self {
            Grain::Harmonic(grain) => grain.volume(),
            Grain::Superquadric(grain) => Some(grain.volume()),
            Grain::Rock(grain) => Some(grain.volume()),
        }
    }

    /// The grain as a closed surface: over the directions of `mesh`, or of a rock its faces, whatever the mesh.
    pub fn surface(&self, mesh: &SphereMesh) -> Surface {
        match self {
            Grain::Harmonic(grain) => grain.surface(mesh),
            Grain::Superquadric(grain) => grain.surface(mesh),
            Grain::Rock(grain) => grain.surface(),
        }
    }

    /// Whether the shape is convex, so that the hull of the corners of its surface is the grain itself.
    pub fn is_convex(&self) -> bool {
        match self {
            Grain::Harmonic(grain) => grain.volume().is_some(),
            Grain::Superquadric(_) | Grain::Rock(_) => true,
        }
    }
}
