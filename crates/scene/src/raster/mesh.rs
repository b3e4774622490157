//! From a raster to a triangle mesh, and from a mesh to the raster of its upper side.

use granule_model::DVec3;

use super::{Raster, check_grid};
use crate::data_file::{DataFileError, DataFileErrorKind as Kind};
use crate::mesh_file::TriangleMesh;

/// Digits after the point that heights keep in meshes, when they are no other f32: 12.34 and not 12.34000015258789.
const DECIMALS: f64 = 1e4;
/// How far beyond a triangle's edge a centre counts as above it, as a share of a cell: places that agree in decimals
/// may differ in binary.
const EDGE: f64 = 1e-9;

impl Raster {
    /// Two triangles between each four neighbouring centres that have heights, seen from above counter-clockwise. The
    /// diagonal runs from south-west to north-east.
    pub fn to_mesh(&self) -> TriangleMesh {
        let mut numbers = vec![u32::MAX; self.heights.len()];
        let mut mesh = TriangleMesh::default();
        for (at, height) in self.heights.iter().enumerate().filter(|(_, h)| !h.is_nan()) {
            let [x, y] = self.centre(at % self.columns, at / self.columns);
            // At most MOST_CELLS, which a u32 holds.
            numbers[at] = mesh.vertices.len() as u32;
            mesh.vertices.push(DVec3::new(x, y, decimal(*height)));
        }
        for row in 1..self.rows {
            for column in 1..self.columns {
                let north_east = row * self.columns + column;
                let south_east = north_east - self.columns;
                let [sw, se, nw, ne] = [south_east - 1, south_east, north_east - 1, north_east].map(|at| numbers[at]);
                if ![sw, se, nw, ne].contains(&u32::MAX) {
                    mesh.triangles.extend([[sw, se, ne], [sw, ne, nw]]);
                }
            }
        }
        mesh
    }

    /// The highest point of a mesh above each centre; missing where there is none. The first centres lie on the western
    /// and southern edges of the mesh, so that a mesh of [`Raster::to_mesh`] gives its raster again.
    ///
    /// # Errors
    /// [`DataFileError`] for a mesh without triangles or with corners beyond f32, and a cell of no size or one that
    /// makes too many cells.
    pub fn from_mesh(mesh: &TriangleMesh, cell: f64) -> Result<Self, DataFileError> {
        let corners = || mesh.triangles.iter().flatten().filter_map(|i| mesh.vertices.get(*i as usize));
        let low = corners().fold(DVec3::INFINITY, |low, p| low.min(*p));
        let high = corners().fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
        if !low.is_finite() || !high.is_finite() {
            return Err(DataFileError::new(Kind::Format, "the mesh has no triangles"));
        }
        if low.z.min(-high.z) < -f64::from(f32::MAX) {
            return Err(DataFileError::new(Kind::OutOfRange, "the mesh has heights beyond the range of f32"));
        }
        let size = [high.x - low.x, high.y - low.y].map(|length| (length / cell * (1.0 + EDGE) + EDGE) as usize + 1);
        let lower_left = [low.x - 0.5 * cell, low.y - 0.5 * cell];
        let cells = check_grid(size, [cell; 2], lower_left)?;
        let mut raster =
            Raster { columns: size[0], rows: size[1], cell: [cell; 2], lower_left, heights: vec![f32::NAN; cells] };
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|i| mesh.vertices.get(i as usize).copied());
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                raster.raise(&[a, b, c]);
            }
        }
        Ok(raster)
    }

    /// Raises the heights of all centres below a triangle to it, row of centres by row.
    fn raise(&mut self, triangle: &[DVec3; 3]) {
        let [a, b, c] = triangle.map(|p| p.y);
        let (south, north) = (a.min(b).min(c), a.max(b).max(c));
        let Some(rows) = self.centres_within(1, self.rows, south, north) else { return };
        for row in rows {
            let y = self.centre(0, row)[1].clamp(south, north);
            let Some([west, east]) = cut(triangle, y) else { continue };
            let Some(columns) = self.centres_within(0, self.columns, west[0], east[0]) else { continue };
            for column in columns {
                let x = self.centre(column, row)[0].clamp(west[0], east[0]);
                let width = east[0] - west[0];
                let z = if width > 0.0 {
                    let share = (x - west[0]) / width;
                    west[1] * (1.0 - share) + east[1] * share
                } else {
                    west[1].max(east[1])
                };
                let height = &mut self.heights[row * self.columns + column];
                // `max` passes over NaN.
                *height = height.max(z as f32);
            }
        }
    }

    /// Numbers of the centres from `low` to `high` along an axis that has `n`.
    fn centres_within(&self, axis: usize, n: usize, low: f64, high: f64) -> Option<std::ops::RangeInclusive<usize>> {
        let (start, size) = (self.lower_left[axis], self.cell[axis]);
        let edge = EDGE + 4.0 * f64::EPSILON * low.abs().max(high.abs()) / size;
        let first = ((low - start) / size - 0.5 - edge).ceil().max(0.0);
        let last = ((high - start) / size - 0.5 + edge).floor().min((n - 1) as f64);
        (first <= last).then_some(first as usize..=last as usize)
    }
}

/// The number with few decimals that has the same f32, else the f32 itself.
fn decimal(height: f32) -> f64 {
    let rounded = (f64::from(height) * DECIMALS).round() / DECIMALS;
    if rounded as f32 == height { rounded } else { height.into() }
}

/// Where the line at `y` enters and leaves a triangle: x and z of both ends, the smaller x first. Edges are taken from
/// their lesser end, so that two triangles have the same point on the edge that they share.
fn cut(triangle: &[DVec3; 3], y: f64) -> Option<[[f64; 2]; 2]> {
    let mut ends: Option<[[f64; 2]; 2]> = None;
    let mut meet = |x: f64, z: f64| {
        let [west, east] = ends.unwrap_or([[x, z]; 2]);
        // Of points above each other the higher counts.
        let west = if x < west[0] || x == west[0] && z > west[1] { [x, z] } else { west };
        let east = if x > east[0] || x == east[0] && z > east[1] { [x, z] } else { east };
        ends = Some([west, east]);
    };
    for k in 0..3 {
        let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
        let (p, q) = if (p.y, p.x, p.z) <= (q.y, q.x, q.z) { (p, q) } else { (q, p) };
        if y < p.y || y > q.y {
            continue;
        }
        if p.y == q.y {
            meet(p.x, p.z);
            meet(q.x, q.z);
        } else {
            let share = (y - p.y) / (q.y - p.y);
            meet(p.x * (1.0 - share) + q.x * share, p.z * (1.0 - share) + q.z * share);
        }
    }
    ends
}
