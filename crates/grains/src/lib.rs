//! Shapes and sizes of natural grains, from seeds.
//!
//! A [`GrainShape`] names a family of shapes: rounded pebbles and sand ([`Harmonic`]), superquadrics ([`Superquadric`])
//! and crushed rock ([`Rock`]). Its [`grain`](GrainShape::grain) number `index` of a seed is one [`Grain`]: a body that
//! is star-shaped about its origin, with radius and normal in every direction. [`Grain::surface`] makes it a closed
//! surface of triangles, [`Surface::resized`] gives that a size, and [`describe`] measures elongation, flatness and
//! sphericity. A [`SizeDistribution`] says how sizes are drawn.
//!
//! Grain `index` of a seed is the same whatever else is asked for: its numbers are those of [`Random::of`] the two.
//! What needs a transcendental function takes it from libm, so a grain has the same bits on every machine.
//!
//! Floor 1 of the workspace: it knows no body and no contact. Mass properties, hulls and what collides are left to
//! `granule-geometry`, where grains lie to `granule-scene`.
//!
//! ```
//! use granule_grains::{GrainShape, Harmonic, Size, SphereMesh, describe};
//!
//! let pebble = GrainShape::Harmonic(Harmonic { aspect: [0.8, 0.6], angularity: 0.1, ..Harmonic::default() });
//! let mesh = SphereMesh::new(16)?;
//! let surface = pebble.grain(7, 0)?.surface(&mesh).resized(Size::Sieve(0.02))?;
//! let measured = describe(&surface);
//! assert!((measured.elongation - 0.8).abs() < 1e-12 && (measured.sides[1] - 0.02).abs() < 1e-12);
//! # Ok::<(), granule_grains::GrainError>(())
//! ```

mod axes;
mod describe;
mod error;
mod fit;
mod grain;
mod harmonic;
mod limits;
mod polyhedron;
mod random;
mod rock;
mod series;
mod size;
mod sphere;
mod superquadric;
mod surface;

pub use describe::{Descriptors, describe};
pub use error::{GrainError, SizeError};
pub use grain::{Grain, GrainShape};
pub use harmonic::{Harmonic, HarmonicGrain};
pub use random::{Random, Subject};
pub use rock::{Rock, RockGrain};
pub use size::{By, SizeDistribution, SizeSampler};
pub use sphere::SphereMesh;
pub use superquadric::Superquadric;
pub use surface::{Size, Surface};
