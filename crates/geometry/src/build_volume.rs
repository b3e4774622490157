//! The constructor of level-set grains from volumes of voxels, such as scans.
//!
//! Which values are inside and how distances follow from them is left to `granule-levelset`. Here stand what a volume
//! must be beyond that to be one grain, and its mass properties.

use granule_levelset::{Inside, LevelSet, Storage, Surface, Volume};
use granule_model::DVec3;

use crate::build_grain::{BAND, GrainOptions, check, grain, with_spacing_needed};
use crate::error::ShapeError;
use crate::mass::Moments;
use crate::shape::Shape;

impl Shape {
    /// The solid in a volume of voxels, as signed distances on a grid. Own axes are those of the volume.
    ///
    /// Volume, centre and inertia are those of the zero contour of the grid, without what the chords of its triangles
    /// cut off. Cavities are kept.
    ///
    /// # Errors
    /// [`ShapeError`] for what [`LevelSet::from_volume`] refuses, a solid that reaches a side of the volume, where it
    /// may be cut off, one of several pieces, and a grid that is too coarse or too large.
    pub fn level_set_volume(volume: &Volume, inside: Inside, options: &GrainOptions) -> Result<Shape, ShapeError> {
        check(options)?;
        let of_volume = |spacing| LevelSet::from_volume(volume, inside, spacing, BAND, Storage::I16);
        let level_set = of_volume(options.spacing).map_err(ShapeError::LevelSet)?;
        if let Some(voxel) = volume.cut_at(inside) {
            return Err(ShapeError::VolumeCut { voxel });
        }
        let surface = level_set.surface(1);
        let moments = contour_moments(&level_set, &surface);
        let outside = one_piece(volume, &surface)?;
        let corners: Vec<DVec3> = outside.vertices.iter().map(|v| *v - moments.center).collect();
        let made = grain(Ok(level_set.moved(-moments.center)), (&corners, &outside.triangles), &moments, options);
        with_spacing_needed(made, &corners, options.spacing, of_volume)
    }
}

/// Moments of a contour. What chords cut off falls with the square of their length, so triangles and their quarters
/// together tell what the contour encloses, to the fourth order (L. F. Richardson 1911).
fn contour_moments(level_set: &LevelSet, surface: &Surface) -> Moments {
    let moments = |surface: &Surface| Moments::polyhedron(&surface.vertices, &surface.triangles);
    let (coarse, fine) = (moments(surface), moments(&level_set.divided(surface)));
    let share = 1.0 / 3.0;
    Moments {
        volume: fine.volume + share * (fine.volume - coarse.volume),
        center: fine.center + share * (fine.center - coarse.center),
        covariance: fine.covariance + (fine.covariance - coarse.covariance) * share,
    }
}

/// The surface seen from outside, where there is one solid.
fn one_piece(volume: &Volume, surface: &Surface) -> Result<Surface, ShapeError> {
    let pieces = surface.pieces();
    let count = pieces.iter().filter(|piece| piece.volume() > 0.0).count();
    if let [largest, second, ..] = &pieces[..]
        && count > 1
    {
        let voxel = volume.voxel_at(Moments::polyhedron(&second.vertices, &second.triangles).center);
        return Err(ShapeError::Pieces { count, voxel, share: second.volume() / largest.volume() });
    }
    pieces.into_iter().next().ok_or(ShapeError::NoVolume)
}
