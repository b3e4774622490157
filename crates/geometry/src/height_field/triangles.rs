//! The triangles of a height field, made when they are asked for.
//!
//! Four neighbouring centres span a *quad* of two triangles, that at the south and that at the north. Quads are
//! numbered from the south west, row after row; quad `q` has the triangles `2 q` (south) and `2 q + 1` (north). The
//! diagonal joins the two opposite corners that differ less in height, so that mirrored ground has mirrored triangles;
//! where both pairs differ alike it leads from the south west to the north east.

use granule_model::{Aabb, DVec3};

use super::HeightField;
use super::levels::NO_GROUND;
use super::tiles::TILE;
use crate::ground::{EdgeKind, Lie, NO_TRIANGLE, TriangleSurface, edge_kind};

/// Levels at the corners of a quad: south west, south east, north west, north east.
type Corners = [u32; 4];

/// Whether the diagonal leads from the south west to the north east.
#[inline]
fn is_rising([sw, se, nw, ne]: Corners) -> bool {
    sw.abs_diff(ne) <= se.abs_diff(nw)
}

/// Corners of the south and the north triangle, by their place in [`Corners`].
#[inline]
fn places(is_rising: bool, is_north: bool) -> [usize; 3] {
    match (is_rising, is_north) {
        (true, false) => [0, 1, 3],
        (true, true) => [0, 3, 2],
        (false, false) => [0, 1, 2],
        (false, true) => [1, 3, 2],
    }
}

/// What an edge of a triangle leads to.
enum Beyond {
    Diagonal,
    South,
    East,
    North,
    West,
}

/// What lies beyond `edge` of the south or the north triangle.
#[inline]
fn beyond(is_rising: bool, is_north: bool, edge: usize) -> Beyond {
    use Beyond::{Diagonal, East, North, South, West};
    let edges = match (is_rising, is_north) {
        (true, false) => [South, East, Diagonal],
        (true, true) => [Diagonal, North, West],
        (false, false) => [South, Diagonal, West],
        (false, true) => [East, North, Diagonal],
    };
    let [first, second, third] = edges;
    match edge {
        0 => first,
        1 => second,
        _ => third,
    }
}

impl HeightField {
    /// Levels at the corners of quad `i, j`; none where it has no triangles.
    #[inline]
    fn quad(&self, i: u32, j: u32) -> Option<Corners> {
        let first = j as usize * self.columns as usize + i as usize;
        let next = first + self.columns as usize;
        let corners = [first, first + 1, next, next + 1].map(|k| self.levels.level(k));
        (!corners.contains(&NO_GROUND)).then_some(corners)
    }

    /// Column and row of the quad of triangle `t`, and whether it is the one at the north.
    #[inline]
    fn place(&self, t: u32) -> ([u32; 2], bool) {
        let (quad, quads) = (t / 2, self.columns - 1);
        ([quad % quads, quad / quads], t % 2 == 1)
    }

    #[inline]
    fn triangle(&self, i: u32, j: u32, is_north: bool) -> u32 {
        2 * (j * (self.columns - 1) + i) + u32::from(is_north)
    }

    /// Column and row of the corners of triangle `t`, and their levels.
    #[inline]
    fn cells(&self, t: u32) -> [([u32; 2], u32); 3] {
        let ([i, j], is_north) = self.place(t);
        let corners = self.quad(i, j).unwrap_or([0; 4]);
        places(is_rising(corners), is_north).map(|k| ([i + k as u32 % 2, j + k as u32 / 2], corners[k]))
    }

    /// The centre of a cell at a level.
    #[inline]
    fn centre(&self, [column, row]: [u32; 2], level: u32) -> DVec3 {
        DVec3::new(self.along(0, column), self.along(1, row), self.levels.height(level))
    }

    /// Quads along `axis` whose stretch meets the one from `low` to `high` \[m\].
    pub(super) fn quads_along(&self, axis: usize, [low, high]: [f64; 2]) -> std::ops::Range<u32> {
        let count = [self.columns, self.rows][axis] - 1;
        // One more on each side than rounding allows for; then by what their corners say.
        let cell = self.cell[axis];
        let mut start = ((low / cell - 2.5).max(0.0) as u32).min(count);
        let mut end = ((high / cell + 1.5).max(0.0) as u32).min(count);
        while start < end && self.along(axis, start + 1) < low {
            start += 1;
        }
        while start < end && self.along(axis, end - 1) > high {
            end -= 1;
        }
        start..end
    }

    /// Calls `visit` with the box of each tile that meets `region`, and with the columns and rows of its quads.
    pub(crate) fn each_tile_near(&self, region: &Aabb, mut visit: impl FnMut(&Aabb, [std::ops::Range<u32>; 2])) {
        let near = [0, 1].map(|axis| self.quads_along(axis, [region.min[axis], region.max[axis]]));
        if near.iter().any(std::ops::Range::is_empty) {
            return;
        }
        for row in near[1].start / TILE..=(near[1].end - 1) / TILE {
            for column in near[0].start / TILE..=(near[0].end - 1) / TILE {
                let Some(levels) = self.tiles.range(column, row) else { continue };
                let quads = [(column, self.columns), (row, self.rows)]
                    .map(|(tile, cells)| tile * TILE..((tile + 1) * TILE).min(cells - 1));
                let at = |end: [u32; 2], level: u32| self.centre(end, level);
                let low = at([quads[0].start, quads[1].start], levels[0]);
                let bounds = Aabb::new(low, at([quads[0].end, quads[1].end], levels[1]));
                if bounds.overlaps(region) {
                    visit(&bounds, quads);
                }
            }
        }
    }

    /// Calls `visit` with the triangles of the quads in the given columns and rows.
    pub(crate) fn each_triangle(
        &self,
        [columns, rows]: [std::ops::Range<u32>; 2],
        mut visit: impl FnMut([u32; 3], [DVec3; 3]),
    ) {
        for j in rows {
            for i in columns.clone().filter(|&i| self.quad(i, j).is_some()) {
                for is_north in [false, true] {
                    let t = self.triangle(i, j, is_north);
                    visit(self.vertices(t), self.corners(t));
                }
            }
        }
    }

    /// Appends the triangles of quad `i, j` whose heights meet the stretch from `low` to `high` \[m\].
    #[inline]
    fn push_quad(&self, i: u32, j: u32, [low, high]: [f64; 2], out: &mut Vec<u32>) {
        let Some(corners) = self.quad(i, j) else { return };
        let rises = is_rising(corners);
        for is_north in [false, true] {
            let levels = places(rises, is_north).map(|k| corners[k]);
            let [lowest, highest] = levels.iter().fold([NO_GROUND, 0], |[l, h], &k| [l.min(k), h.max(k)]);
            if self.levels.height(lowest) <= high && self.levels.height(highest) >= low {
                out.push(self.triangle(i, j, is_north));
            }
        }
    }

    /// The triangle over or under the point at `x`, `y`, in own axes; none beyond the outline.
    pub(super) fn triangle_at(&self, x: f64, y: f64) -> Option<u32> {
        let quad = |axis: usize, at: f64| {
            let last = [self.columns, self.rows][axis] - 1;
            // Written so that NaN lies nowhere.
            if !(at >= self.along(axis, 0) && at <= self.along(axis, last)) {
                return None;
            }
            let cells = at / self.cell[axis] - 0.5;
            Some((cells.max(0.0) as u32).min(last - 1))
        };
        let (i, j) = (quad(0, x)?, quad(1, y)?);
        let corners = self.quad(i, j)?;
        let u = (x - self.along(0, i)) / self.cell[0];
        let v = (y - self.along(1, j)) / self.cell[1];
        let is_north = if is_rising(corners) { v > u } else { u + v > 1.0 };
        Some(self.triangle(i, j, is_north))
    }

    /// Height of the plane of triangle `t` at `x`, `y` \[m\].
    pub(super) fn height_of_plane(&self, t: u32, x: f64, y: f64) -> f64 {
        let (normal, [corner, ..]) = (self.normal(t), self.corners(t));
        corner.z - (normal.x * (x - corner.x) + normal.y * (y - corner.y)) / normal.z
    }
}

impl TriangleSurface for HeightField {
    fn triangles_near(&self, region: &Aabb, out: &mut Vec<u32>) {
        let heights = [region.min.z, region.max.z];
        if heights[0] > self.bounds.max.z || heights[1] < self.bounds.min.z {
            return;
        }
        let [columns, rows] = [0, 1].map(|axis| self.quads_along(axis, [region.min[axis], region.max[axis]]));
        if columns.is_empty() {
            return;
        }
        for j in rows {
            for tile in columns.start / TILE..=(columns.end - 1) / TILE {
                let Some(levels) = self.tiles.range(tile, j / TILE) else { continue };
                let [lowest, highest] = levels.map(|k| self.levels.height(k));
                if lowest > heights[1] || highest < heights[0] {
                    continue;
                }
                for i in columns.start.max(tile * TILE)..columns.end.min((tile + 1) * TILE) {
                    self.push_quad(i, j, heights, out);
                }
            }
        }
    }

    fn vertices(&self, t: u32) -> [u32; 3] {
        self.cells(t).map(|([column, row], _)| row * self.columns + column)
    }

    fn corners(&self, t: u32) -> [DVec3; 3] {
        self.cells(t).map(|(cell, level)| self.centre(cell, level))
    }

    fn normal(&self, t: u32) -> DVec3 {
        let [a, b, c] = self.corners(t);
        (b - a).cross(c - a).normalize()
    }

    fn across(&self, t: u32, edge: usize) -> u32 {
        let ([i, j], is_north) = self.place(t);
        let side = beyond(self.quad(i, j).is_some_and(is_rising), is_north, edge);
        let quad = match side {
            Beyond::Diagonal => return self.triangle(i, j, !is_north),
            Beyond::South => j.checked_sub(1).map(|j| [i, j]),
            Beyond::North => (j + 2 < self.rows).then_some([i, j + 1]),
            Beyond::East => (i + 2 < self.columns).then_some([i + 1, j]),
            Beyond::West => i.checked_sub(1).map(|i| [i, j]),
        };
        let Some((i, j, corners)) = quad.and_then(|[i, j]| Some((i, j, self.quad(i, j)?))) else { return NO_TRIANGLE };
        // The west side of a quad belongs to its north triangle where the diagonal rises, the east side where it falls.
        let is_north = match side {
            Beyond::South => true,
            Beyond::East => is_rising(corners),
            Beyond::West => !is_rising(corners),
            Beyond::North | Beyond::Diagonal => false,
        };
        self.triangle(i, j, is_north)
    }

    fn kind(&self, t: u32, edge: usize) -> EdgeKind {
        let other = self.across(t, edge);
        if other == NO_TRIANGLE {
            return EdgeKind::Boundary;
        }
        let (vertices, corners) = (self.vertices(t), self.corners(t));
        let ends = [edge, (edge + 1) % 3];
        let apex = self.cells(other).into_iter().find(|([column, row], _)| {
            let vertex = row * self.columns + column;
            ends.iter().all(|&k| vertices[k] != vertex)
        });
        let apex = apex.map_or(corners[ends[0]], |(cell, level)| self.centre(cell, level));
        edge_kind(corners[ends[0]], corners[ends[1]], apex, self.normal(t))
    }

    fn lie(&self, point: DVec3) -> Lie {
        match self.triangle_at(point.x, point.y) {
            None => Lie::Beside,
            Some(t) if point.z < self.height_of_plane(t, point.x, point.y) => Lie::Below(t),
            Some(_) => Lie::Above,
        }
    }
}
