//! The constructors of level-set grains: from closed meshes and from other shapes.
//!
//! A grain is made in *grain axes*: along the own axes, with the origin in the centre of mass, so that single precision
//! serves wherever a file has its origin.

use granule_levelset::{LevelSet, LevelSetError, Storage, surface_nodes};
use granule_model::{Aabb, DVec3, Pose};

use crate::build::solid;
use crate::check::check_length;
use crate::closed_mesh::ClosedMesh;
use crate::distance::distance;
use crate::error::ShapeError;
use crate::geometry::Geometry;
use crate::grain::{GrainData, MOST_NODES};
use crate::mass::Moments;
use crate::shape::Shape;

/// How a level-set grain is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainOptions {
    /// Distance of the grid's points \[m\]; at most half of the grain's greatest depth. Features finer than this are
    /// lost; memory grows by its inverse cube.
    pub spacing: f64,
    /// Number of surface nodes, 12 to 65 000, quasi-uniform. They find contacts: what is smaller than their distance
    /// may slip between them. Corners and sharp edges get theirs in any case.
    pub nodes: usize,
}

/// Distances are stored to this many spacings from the surface; contacts ask no deeper.
pub(crate) const BAND: u32 = 5;
/// The grid goes on around the surface for this many spacings.
const AROUND: f64 = 4.0;
/// Fewest nodes: an icosahedron.
const FEWEST_NODES: usize = 12;
/// Deepest point of a grain in spacings, at least: below, the grid does not tell one side from the other.
const DEEPEST: f64 = 2.0;
/// Sides of the polygons on which nodes of round shapes are chosen.
const SEGMENTS: u32 = 192;

impl Shape {
    /// The solid that a closed surface of triangles encloses, as signed distances on a grid.
    ///
    /// Mass properties are exact for the surface given. A surface that is inside out as a whole is turned.
    ///
    /// # Errors
    /// [`ShapeError`] for a surface that is not closed, and for a grid that is too coarse or too large.
    pub fn level_set_mesh(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        options: &GrainOptions,
    ) -> Result<Shape, ShapeError> {
        check(options)?;
        let mesh = ClosedMesh::new(vertices, triangles)?;
        let corners: Vec<DVec3> = mesh.vertices.iter().map(|&v| v - mesh.moments.center).collect();
        grain(of_mesh(&corners, &mesh.triangles, options), (&corners, &mesh.triangles), &mesh.moments, options)
    }

    /// Another solid as signed distances on a grid. Mass properties are those of the solid.
    ///
    /// # Errors
    /// [`ShapeError`] for a shape without volume, and for a grid that is too coarse or too large.
    pub fn level_set_of(shape: &Shape, options: &GrainOptions) -> Result<Shape, ShapeError> {
        check(options)?;
        let Some(unit) = shape.0.unit_mass else {
            return Err(ShapeError::LevelSetWithoutVolume { name: shape.name() });
        };
        // Grain axes in body axes of the other shape: the same origin, turned back to its own axes.
        let turn = Pose::new(DVec3::ZERO, shape.0.frame.rotation);
        let mut surface = shape.triangulate(SEGMENTS);
        surface.vertices.iter_mut().for_each(|v| *v = turn.inverse_transform_point(*v));
        let moments = Moments::from_unit_mass(&unit);
        let (corners, triangles) = (&surface.vertices, &surface.triangles);
        let level_set = if shape.0.surface.is_some() {
            of_mesh(corners, triangles, options)
        } else {
            let bounds = Aabb::from_points(corners.iter().copied()).padded(AROUND * options.spacing);
            let signed = |p: DVec3| distance(&shape.0.geometry, turn.transform_point(p)).map_or(f64::NAN, |d| d.value);
            LevelSet::from_function(bounds, options.spacing, BAND, Storage::I16, signed)
        };
        grain(level_set, (corners, triangles), &moments, options)
    }
}

fn of_mesh(corners: &[DVec3], triangles: &[[u32; 3]], options: &GrainOptions) -> Result<LevelSet, LevelSetError> {
    LevelSet::from_mesh(corners, triangles, options.spacing, BAND, Storage::I16)
}

pub(crate) fn check(options: &GrainOptions) -> Result<(), ShapeError> {
    check_length("spacing of the grid", options.spacing)?;
    if !(FEWEST_NODES..=MOST_NODES).contains(&options.nodes) {
        return Err(ShapeError::Nodes { count: options.nodes, fewest: FEWEST_NODES, most: MOST_NODES });
    }
    Ok(())
}

/// The grain with that contour, and nodes on the surface of triangles from which it was made, all in grain axes.
pub(crate) fn grain(
    level_set: Result<LevelSet, LevelSetError>,
    (corners, triangles): (&[DVec3], &[[u32; 3]]),
    moments: &Moments,
    options: &GrainOptions,
) -> Result<Shape, ShapeError> {
    let level_set = level_set.map_err(ShapeError::LevelSet)?;
    let nodes = surface_nodes(corners, triangles, options.nodes).map_err(ShapeError::LevelSet)?;
    let depth = -level_set.deepest();
    // Written so that NaN is too coarse.
    let is_resolved = depth >= DEEPEST * options.spacing;
    if !is_resolved {
        return Err(ShapeError::TooCoarse { spacing: options.spacing, depth });
    }
    if nodes.len() > MOST_NODES {
        return Err(ShapeError::Nodes { count: nodes.len(), fewest: FEWEST_NODES, most: MOST_NODES });
    }
    let frame = moments.unit_mass().principal_frame().inverse();
    let data = GrainData::new(level_set, &nodes, frame.rotation);
    let radius = data.radius;
    solid("level-set", Geometry::Grain(data.into()), moments, radius)
}
