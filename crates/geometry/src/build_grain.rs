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

impl GrainOptions {
    /// Numbers of surface nodes that a grain may have.
    pub const NODES: std::ops::RangeInclusive<usize> = FEWEST_NODES..=MOST_NODES;
}

/// Distances are stored to this many spacings from the surface; contacts ask no deeper.
pub(crate) const BAND: u32 = 5;
/// The grid goes on around the surface for this many spacings.
const AROUND: f64 = 4.0;
/// Fewest nodes: an icosahedron.
const FEWEST_NODES: usize = 12;
/// Deepest point of a grain in spacings, at least: below, the grid does not tell one side from the other.
const DEEPEST: f64 = 2.0;
/// Most points of the grid in the box of a grain: with them a mesh of some thousand triangles takes ten seconds.
const MOST_POINTS: f64 = 1e8;
/// Factor between the spacings that are tried for one that does not exceed [`MOST_POINTS`].
const WIDER: f64 = 1.05;
/// Spacings tried: factors of 1e10 together, more than the sides of a box that is a solid.
const WIDENINGS: usize = 500;
/// Halvings of a spacing that is too coarse in search of one that is not.
const HALVINGS: usize = 10;
/// Largest distance of a point from the nearest of the grid, in spacings: half the diagonal of a cell.
const OFF_GRID: f64 = 0.87;
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
        check_grid(&corners, options.spacing)?;
        let level_set = |spacing| of_mesh(&corners, &mesh.triangles, spacing);
        let made = grain(level_set(options.spacing), (&corners, &mesh.triangles), &mesh.moments, options);
        with_spacing_needed(made, &corners, options.spacing, level_set)
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
        check_grid(corners, options.spacing)?;
        let level_set = |spacing| {
            if shape.0.surface.is_some() {
                return of_mesh(corners, triangles, spacing);
            }
            let bounds = Aabb::from_points(corners.iter().copied()).padded(AROUND * spacing);
            let signed = |p: DVec3| distance(&shape.0.geometry, turn.transform_point(p)).map_or(f64::NAN, |d| d.value);
            LevelSet::from_function(bounds, spacing, BAND, Storage::I16, signed)
        };
        let made = grain(level_set(options.spacing), (corners, triangles), &moments, options);
        with_spacing_needed(made, corners, options.spacing, level_set)
    }
}

fn of_mesh(corners: &[DVec3], triangles: &[[u32; 3]], spacing: f64) -> Result<LevelSet, LevelSetError> {
    LevelSet::from_mesh(corners, triangles, spacing, BAND, Storage::I16)
}

/// Points of a grid of that spacing in and around the box of the corners.
fn grid_points(size: DVec3, spacing: f64) -> f64 {
    (size / spacing + DVec3::splat(2.0 * AROUND + 1.0)).element_product()
}

/// Refuses a grid that would be built for minutes, with a spacing that would do.
fn check_grid(corners: &[DVec3], spacing: f64) -> Result<(), ShapeError> {
    let size = Aabb::from_points(corners.iter().copied()).size();
    let points = grid_points(size, spacing);
    if points <= MOST_POINTS {
        return Ok(());
    }
    let mut needed = spacing.max(libm::cbrt(size.element_product() / MOST_POINTS));
    for _ in 0..WIDENINGS {
        if grid_points(size, needed) <= MOST_POINTS {
            break;
        }
        needed *= WIDER;
    }
    Err(ShapeError::TooFine { spacing, points, most: MOST_POINTS, needed: two_digits(needed, f64::ceil) })
}

/// The grain, or why it is none: where its grid does not resolve it, with how thick it is and the spacing that would
/// do. Finer grids by `level_set` tell both.
pub(crate) fn with_spacing_needed(
    made: Result<Shape, ShapeError>,
    corners: &[DVec3],
    spacing: f64,
    level_set: impl Fn(f64) -> Result<LevelSet, LevelSetError>,
) -> Result<Shape, ShapeError> {
    if !matches!(made, Err(ShapeError::TooCoarse { .. } | ShapeError::LevelSet(LevelSetError::NoInside))) {
        return made;
    }
    let mut finer = spacing;
    for _ in 0..HALVINGS {
        finer *= 0.5;
        if check_grid(corners, finer).is_err() {
            break;
        }
        let depth = level_set(finer).map_or(0.0, |grid| -grid.deepest());
        if depth >= 2.0 * DEEPEST * finer {
            let needed = two_digits(depth / (DEEPEST + OFF_GRID), f64::floor);
            return Err(ShapeError::TooThin { spacing, thickness: 2.0 * depth, needed });
        }
    }
    made
}

/// A positive number to two digits, the last one by `round`.
fn two_digits(x: f64, round: fn(f64) -> f64) -> f64 {
    let exponent = libm::floor(libm::log10(x)) as i32 - 1;
    // By way of the text, so that messages have no rounding in the seventeenth digit.
    let digits = round(x * libm::exp10(-f64::from(exponent)));
    format!("{digits}e{exponent}").parse().unwrap_or(x)
}

pub(crate) fn check(options: &GrainOptions) -> Result<(), ShapeError> {
    check_length("spacing of the grid", options.spacing)?;
    if !GrainOptions::NODES.contains(&options.nodes) {
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
