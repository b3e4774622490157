//! The zero set of a grid: points on it, and all of it as triangles.
//!
//! Triangles come from marching tetrahedra, which close for any values; then short edges and bad angles are taken out.

mod improve;
mod march;
mod pieces;
mod refine;

use granule_model::DVec3;
use rayon::prelude::*;

use crate::grid::{LevelSet, Sample};

/// Most steps of a projection: near a smooth surface each squares the error.
const STEPS: usize = 12;
/// Distance from the surface over the spacing at which a projection ends.
const ON_SURFACE: f64 = 1e-12;
/// Square of the smallest gradient that tells where the surface is.
const STEEP: f64 = 1e-2;
/// Most parts of a cell along an axis.
const FINEST: u32 = 16;

/// Triangles over shared vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices \[m\].
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl LevelSet {
    /// The point of the surface, where [`LevelSet::smooth`] is zero, that lies uphill or downhill from `p`.
    ///
    /// It is found by Newton's steps along the gradient, to 1e-12 of the spacing. Near a smooth surface it is the
    /// nearest point to second order in the distance. `None` where a step leaves the band, and where twelve steps do
    /// not get there, as at the centre of a ball.
    pub fn project(&self, p: DVec3) -> Option<DVec3> {
        let mut at = p;
        for _ in 0..STEPS {
            let smooth = self.smooth(at);
            let Sample { value, gradient } = smooth.or_else(|| self.sample(at))?;
            if smooth.is_some() && value.abs() <= ON_SURFACE * self.spacing() {
                return Some(at);
            }
            let square = gradient.length_squared();
            if square < STEEP {
                return None;
            }
            at -= gradient * (value / square);
        }
        None
    }

    /// The surface as triangles some `spacing / subdivision` in size; `subdivision` is 1 to 16, and taken as the
    /// nearest of these where it is not.
    ///
    /// Closed, each edge twice, and oriented outwards, where the solid is confined to the grid
    /// ([`LevelSet::is_confined`]); open at the sides of the grid where it goes on beyond. Vertices are on the zero set
    /// of [`LevelSet::smooth`], but for those that a projection does not find within a cell, which stay where the
    /// crossing was interpolated. Edges and corners of the solid are rounded off by up to a cell.
    pub fn surface(&self, subdivision: u32) -> Surface {
        let parts = subdivision.clamp(1, FINEST) as usize;
        let cell = self.spacing() / parts as f64;
        let mut surface = march::triangulate(self, parts);
        surface.vertices.par_iter_mut().for_each(|vertex| *vertex = self.drawn(*vertex, cell));
        improve::improve(surface, cell, |p| self.drawn(p, cell))
    }

    /// `p` put onto the surface, or left where it is if that is not within a cell.
    fn drawn(&self, p: DVec3, cell: f64) -> DVec3 {
        self.project(p).filter(|q| (*q - p).length_squared() <= cell * cell).unwrap_or(p)
    }
}
