//! Ground as a raster of heights.
//!
//! A value holds at the centre of its cell, and between centres the surface is made of triangles
//! ([`triangles`](self::triangles)). So it ends half a cell inside the border of the raster. The origin of the own axes
//! is the lower left corner of the lower left cell, x points east along the rows, y north.
//!
//! Unlike a mesh it is solid ground: all that lies below the surface is inside, at any depth. Beyond its outline, and
//! where cells have no ground, convex pieces are held by the rim alone, as by that of a mesh. Level-set grains are held
//! by an upright wall below it as well. What falls beside it falls.
//!
//! Only the raster is kept, in four bytes a cell, and how high each tile of it reaches. Reading files of rasters, with
//! their mark for missing values, is left to others.

mod distance;
mod levels;
mod tiles;
mod triangles;

use granule_model::{Aabb, DMat3, DVec3, Pose};

use self::levels::{Levels, NO_GROUND};
use self::tiles::Tiles;
use crate::check::check_length;
use crate::error::ShapeError;
use crate::limits::LONGEST;

/// Ground given by its height at the centres of the cells of a raster; see
/// [`Shape::height_field`](crate::Shape::height_field).
#[derive(Clone, Debug)]
pub struct HeightField {
    columns: u32,
    rows: u32,
    /// Size of a cell along x and y \[m\].
    cell: [f64; 2],
    levels: Levels,
    tiles: Tiles,
    /// Box around the triangles in own axes.
    bounds: Aabb,
}

impl HeightField {
    /// The ground with the given `heights` \[m\], row after row from the south, each from the west; cells have the size
    /// `cell` along x and y \[m\].
    ///
    /// Heights are kept to 2^-32 (2.4e-10) of their range, see [`HeightField::resolution`]. At least two columns and
    /// two rows are needed; heights that are not finite are refused with their column and row.
    pub fn new<T: Copy + Into<f64>>(
        columns: usize,
        rows: usize,
        cell: [f64; 2],
        heights: &[T],
    ) -> Result<HeightField, ShapeError> {
        HeightField::make([columns, rows], cell, heights, |_| true)
    }

    /// The same with ground only in the cells for which `has_ground`, in the order of `heights`, is true; other heights
    /// are not looked at. Between four centres there is ground when all of them have it.
    pub fn with_holes<T: Copy + Into<f64>>(
        columns: usize,
        rows: usize,
        cell: [f64; 2],
        heights: &[T],
        has_ground: &[bool],
    ) -> Result<HeightField, ShapeError> {
        check_count([columns, rows], has_ground.len())?;
        HeightField::make([columns, rows], cell, heights, |k| has_ground[k])
    }

    fn make<T: Copy + Into<f64>>(
        [columns, rows]: [usize; 2],
        cell: [f64; 2],
        heights: &[T],
        has_ground: impl Fn(usize) -> bool,
    ) -> Result<HeightField, ShapeError> {
        check_raster([columns, rows], cell)?;
        check_count([columns, rows], heights.len())?;
        for (index, value) in heights.iter().map(|&h| h.into()).enumerate().filter(|(k, _)| has_ground(*k)) {
            check_height([index % columns, index / columns], value)?;
        }
        let ground = heights.iter().enumerate().map(|(k, &h)| has_ground(k).then(|| h.into()));
        let levels = Levels::new(ground);
        let [columns, rows] = [columns as u32, rows as u32];
        let tiles = Tiles::new([columns, rows], &levels);
        let Some([low, high]) = tiles.whole() else { return Err(ShapeError::NoGround) };
        let mut field = HeightField { columns, rows, cell, levels, tiles, bounds: Aabb::EMPTY };
        let heights = [low, high].map(|level| field.levels.height(level));
        field.bounds = field.box_of(heights);
        Ok(field)
    }

    /// Cells along x.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Cells along y.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Size of a cell along x and y \[m\].
    pub fn cell(&self) -> [f64; 2] {
        self.cell
    }

    /// The height kept for a cell \[m\]; none without ground, and beyond the raster.
    pub fn height(&self, column: usize, row: usize) -> Option<f64> {
        let is_inside = column < self.columns() && row < self.rows();
        let level = is_inside.then(|| self.levels.level(row * self.columns() + column))?;
        (level != NO_GROUND).then(|| self.levels.height(level))
    }

    /// The height of the surface at `x`, `y` in own axes \[m\]; none beyond its outline.
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        self.triangle_at(x, y).map(|t| self.height_of_plane(t, x, y))
    }

    /// What a height that is kept may differ from the one given at most \[m\]: 2^-32 of the range of heights or less.
    pub fn resolution(&self) -> f64 {
        0.5 * self.levels.step()
    }

    /// Memory that it takes \[bytes\]: four a cell, and eight for each 256 of them.
    pub fn bytes(&self) -> usize {
        size_of::<HeightField>() + self.levels.bytes() + self.tiles.bytes()
    }

    /// Where the centre of a column (axis 0) or row (axis 1) lies \[m\].
    #[inline]
    fn along(&self, axis: usize, index: u32) -> f64 {
        (f64::from(index) + 0.5) * self.cell[axis]
    }

    /// Box around all triangles, which lie between the given heights \[m\].
    fn box_of(&self, [low, high]: [f64; 2]) -> Aabb {
        let mut bounds = Aabb::EMPTY;
        self.each_tile_near(&Aabb::EVERYTHING, |tile, quads| {
            if !bounds.contains(&Aabb::new(tile.min.with_z(high), tile.max.with_z(low))) {
                self.each_triangle(quads, |_, corners| bounds = bounds.union(&Aabb::from_points(corners)));
            }
        });
        Aabb::new(bounds.min.with_z(low), bounds.max.with_z(high))
    }

    /// Box around the surface in own axes.
    pub(crate) fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The tight box of the world around the surface at `pose`.
    pub(crate) fn bounds_at(&self, pose: &Pose) -> Aabb {
        let axes = DMat3::from_quat(pose.rotation).transpose();
        if axes == DMat3::IDENTITY {
            return self.bounds.shifted(pose.position);
        }
        let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis];
        let high = DVec3::from_array([x, y, z].map(|d| self.reach(d)));
        let low = DVec3::from_array([x, y, z].map(|d| -self.reach(-d)));
        Aabb::new(low + pose.position, high + pose.position)
    }

    /// How far the surface reaches along `direction` from the origin \[m\].
    fn reach(&self, direction: DVec3) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let of_box = |b: &Aabb| DVec3::select(direction.cmpge(DVec3::ZERO), b.max, b.min).dot(direction);
        // The tile that may reach farthest first, so that few others need to be looked at.
        let mut first = None;
        self.each_tile_near(&self.bounds, |tile, quads| {
            let reach = of_box(tile);
            if first.as_ref().is_none_or(|(most, _)| reach > *most) {
                first = Some((reach, quads));
            }
        });
        let highest = |quads, best: f64| {
            let mut high = best;
            self.each_triangle(quads, |_, p| high = p.iter().map(|p| p.dot(direction)).fold(high, f64::max));
            high
        };
        if let Some((_, quads)) = first {
            best = highest(quads, best);
        }
        self.each_tile_near(&self.bounds, |tile, quads| {
            if of_box(tile) > best {
                best = highest(quads, best);
            }
        });
        best
    }

    /// Largest distance of a point of the surface from the origin \[m\].
    pub(crate) fn farthest(&self) -> f64 {
        let mut square = 0.0_f64;
        self.each_tile_near(&self.bounds, |tile, quads| {
            let corner = tile.min.abs().max(tile.max.abs());
            if corner.length_squared() > square {
                self.each_triangle(quads, |_, p| square = p.iter().map(|p| p.length_squared()).fold(square, f64::max));
            }
        });
        square.sqrt()
    }

    /// Corners and triangles of the whole surface.
    pub(crate) fn all_triangles(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut number = vec![u32::MAX; self.columns() * self.rows()];
        self.each_triangle([0..self.columns - 1, 0..self.rows - 1], |cells, corners| {
            triangles.push([0, 1, 2].map(|k| {
                let number = &mut number[cells[k] as usize];
                if *number == u32::MAX {
                    *number = vertices.len() as u32;
                    vertices.push(corners[k]);
                }
                *number
            }));
        });
        (vertices, triangles)
    }
}

fn check_raster([columns, rows]: [usize; 2], cell: [f64; 2]) -> Result<(), ShapeError> {
    if columns < 2 || rows < 2 {
        return Err(ShapeError::RasterTooSmall { columns, rows });
    }
    let triangles = columns.checked_mul(rows).and_then(|cells| cells.checked_mul(2));
    if triangles.is_none_or(|count| count >= u32::MAX as usize) {
        return Err(ShapeError::RasterTooLarge { columns, rows });
    }
    for (what, size, cells) in [("cell size along x", cell[0], columns), ("cell size along y", cell[1], rows)] {
        check_length(what, size)?;
        check_length("extent of the raster", size * cells as f64)?;
    }
    Ok(())
}

fn check_count([columns, rows]: [usize; 2], given: usize) -> Result<(), ShapeError> {
    if columns.checked_mul(rows) == Some(given) {
        return Ok(());
    }
    Err(ShapeError::RasterCount { columns, rows, given })
}

fn check_height([column, row]: [usize; 2], value: f64) -> Result<(), ShapeError> {
    if !value.is_finite() {
        return Err(ShapeError::HeightNotFinite { column, row, value });
    }
    if value.abs() > LONGEST { Err(ShapeError::OutOfRange { what: "height", value }) } else { Ok(()) }
}
