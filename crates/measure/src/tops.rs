//! The highest point of a simple surface above a cell of the grid.
//!
//! For analytic shapes the paper's "highest node" of a cell is the highest surface point above the cell; it mostly lies
//! on the cell's border, which sampled points would miss.

use crate::repose::Cell;
use glam::{DVec2, DVec3};

impl Cell {
    /// Highest point of a sphere above this cell; `None` when no part of it is.
    ///
    /// The sphere is highest where it is nearest, seen from above, to its centre.
    pub fn top_of_sphere(&self, center: DVec3, radius: f64) -> Option<DVec3> {
        let nearest = center.truncate().clamp(self.min, self.max);
        let rise = radius * radius - nearest.distance_squared(center.truncate());
        (rise >= 0.0).then(|| nearest.extend(center.z + rise.sqrt()))
    }

    /// Highest point of a triangle above this cell; `None` when no part of it is.
    ///
    /// The part above the cell is a convex polygon, cut out side by side (Sutherland and Hodgman), and a plane is
    /// highest in one of its corners. For a body of flat faces the highest point over all its triangles is the exact
    /// one.
    pub fn top_of_triangle(&self, corners: [DVec3; 3]) -> Option<DVec3> {
        // Four cuts of a triangle leave at most seven corners.
        let mut polygon = [DVec3::ZERO; 8];
        polygon[..3].copy_from_slice(&corners);
        let mut count = 3;
        for axis in 0..2 {
            for (sign, border) in [(1.0, self.min[axis]), (-1.0, self.max[axis])] {
                let inside = |p: DVec3| sign * (p[axis] - border);
                let (mut kept, mut kept_count) = ([DVec3::ZERO; 8], 0);
                for i in 0..count {
                    let (p, q) = (polygon[i], polygon[(i + 1) % count]);
                    let (dp, dq) = (inside(p), inside(q));
                    if dp >= 0.0 {
                        kept[kept_count] = p;
                        kept_count += 1;
                    }
                    if (dp > 0.0 && dq < 0.0) || (dp < 0.0 && dq > 0.0) {
                        kept[kept_count] = p + (q - p) * (dp / (dp - dq));
                        kept_count += 1;
                    }
                }
                (polygon, count) = (kept, kept_count);
            }
        }
        let highest = polygon[..count].iter().copied().reduce(|a, b| if b.z > a.z { b } else { a })?;
        // The cuts round; the point must still count as above the cell.
        let above: DVec2 = highest.truncate().clamp(self.min, self.max);
        Some(above.extend(highest.z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Cell = Cell { index: 0, strip: 0, min: DVec2::ZERO, max: DVec2::ONE };

    #[test]
    fn a_sphere_beside_the_cell_is_highest_on_its_border() {
        assert_eq!(CELL.top_of_sphere(DVec3::new(0.5, 0.5, 1.0), 2.0), Some(DVec3::new(0.5, 0.5, 3.0)));
        assert_eq!(CELL.top_of_sphere(DVec3::new(4.0, 0.5, 1.0), 5.0), Some(DVec3::new(1.0, 0.5, 5.0)));
        assert_eq!(CELL.top_of_sphere(DVec3::new(4.0, 0.5, 1.0), 2.9), None);
    }

    #[test]
    fn a_triangle_is_highest_where_the_cell_cuts_it() {
        // The plane z = x over a triangle much larger than the cell, and one with a corner in it.
        let plane = [DVec3::new(-5.0, -5.0, -5.0), DVec3::new(9.0, -5.0, 9.0), DVec3::new(-5.0, 9.0, -5.0)];
        let top = CELL.top_of_triangle(plane).expect("the triangle covers the cell");
        assert!((top.z - 1.0).abs() <= 1e-14 && (top.x - 1.0).abs() <= 1e-14, "{top}");
        let peak = [DVec3::new(0.3, 0.4, 2.0), DVec3::new(3.0, 0.0, 0.0), DVec3::new(3.0, 1.0, 0.0)];
        assert_eq!(CELL.top_of_triangle(peak), Some(peak[0]));
        assert_eq!(CELL.top_of_triangle(peak.map(|p| p + 2.0 * DVec3::X)), None);
        // A triangle seen edge on still has a top.
        let upright = [DVec3::new(0.5, -1.0, 0.0), DVec3::new(0.5, 2.0, 0.0), DVec3::new(0.5, 0.5, 4.0)];
        assert_eq!(CELL.top_of_triangle(upright), Some(upright[2]));
    }

    #[test]
    fn tops_of_random_triangles_are_those_of_dense_samples() {
        let mut state = 9u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 3.0 - 1.0
        };
        let mut met = 0;
        for _ in 0..300 {
            let [a, b, c] = std::array::from_fn(|_| DVec3::new(random(), random(), random()));
            let mut best = f64::NEG_INFINITY;
            let steps = 150;
            for i in 0..=steps {
                for j in 0..=steps - i {
                    let p = a + (b - a) * (i as f64 / steps as f64) + (c - a) * (j as f64 / steps as f64);
                    if p.truncate().clamp(CELL.min, CELL.max) == p.truncate() {
                        best = best.max(p.z);
                    }
                }
            }
            match CELL.top_of_triangle([a, b, c]) {
                // Samples are 0.03 apart and miss the top by that times the slope.
                Some(top) => {
                    met += 1;
                    assert!(top.z >= best && (top.z <= best + 0.2 || best == f64::NEG_INFINITY), "{top} {best}");
                }
                None => assert_eq!(best, f64::NEG_INFINITY),
            }
        }
        assert!(met > 100, "{met}");
    }
}
