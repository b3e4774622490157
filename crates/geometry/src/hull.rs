//! Convex hull of a point cloud, with exact signs.
//!
//! The incremental algorithm needs one predicate: is a point strictly outside the plane of a triangle? Rounding in that
//! predicate is what makes hull codes fail on coplanar points. Here every axis is scaled to its own extent (convexity
//! and orientation survive any affine map) and rounded to a grid of 2^-39 of it; then every predicate is exact in
//! `i128`: differences are below 2^40, the triple product below 6 * 2^120. With exact signs the visible triangles
//! always form one disc and no triangle degenerates on the grid, so the hull is closed and oriented for every input.
//! The price is that a point may be left outside by 2e-12 of the extent; coordinates themselves are never rounded.
//!
//! This module yields triangles; `convex` merges coplanar ones.

use granule_model::{Aabb, DVec3};

/// Steps of the grid in half an extent.
const GRID: f64 = (1u64 << 39) as f64;

/// A triangle of the hull with its plane `normal . x = offset`, on the grid.
struct Facet {
    corners: [u32; 3],
    normal: [i128; 3],
    offset: i128,
}

impl Facet {
    fn new(points: &[[i64; 3]], corners: [u32; 3]) -> Self {
        let [a, b, c] = corners.map(|i| points[i as usize]);
        let normal = cross(subtract(b, a), subtract(c, a));
        Facet { corners, normal, offset: dot(normal, a) }
    }

    /// True when `point` lies strictly outside.
    fn sees(&self, point: [i64; 3]) -> bool {
        dot(self.normal, point) > self.offset
    }
}

fn subtract(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [i64; 3], b: [i64; 3]) -> [i128; 3] {
    let [a, b] = [a.map(i128::from), b.map(i128::from)];
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(n: [i128; 3], p: [i64; 3]) -> i128 {
    n[0] * i128::from(p[0]) + n[1] * i128::from(p[1]) + n[2] * i128::from(p[2])
}

/// Triangles of the convex hull of finite `points`, counter-clockwise seen from outside; none when all points lie in
/// one plane of the grid. Points in a plane that is not one of the grid's can give a hull of no thickness, and three
/// points on an edge a triangle of no width: the caller judges both. Points inside the hull or inside its flat faces
/// may be named by no triangle.
pub(crate) fn hull_triangles(points: &[DVec3]) -> Option<Vec<[u32; 3]>> {
    let grid = on_grid(points)?;
    let mut facets = first_tetrahedron(&grid)?;
    let mut rim: Vec<[u32; 2]> = Vec::new();
    for (index, &point) in grid.iter().enumerate() {
        rim.clear();
        facets.retain(|f| {
            let seen = f.sees(point);
            if seen {
                let [a, b, c] = f.corners;
                rim.extend([[a, b], [b, c], [c, a]]);
            }
            !seen
        });
        rim.sort_unstable();
        for &[a, b] in &rim {
            // An edge whose reverse was removed too lay inside the visible disc.
            if rim.binary_search(&[b, a]).is_err() {
                facets.push(Facet::new(&grid, [a, b, index as u32]));
            }
        }
    }
    Some(facets.into_iter().map(|f| f.corners).collect())
}

fn on_grid(points: &[DVec3]) -> Option<Vec<[i64; 3]>> {
    let bounds = Aabb::from_points(points.iter().copied());
    let half = 0.5 * bounds.size();
    if !(half.is_finite() && half.min_element() > 0.0) {
        return None;
    }
    let to_grid =
        |p: DVec3| ((p - bounds.center()) / half * GRID).round().clamp(DVec3::splat(-GRID), DVec3::splat(GRID));
    Some(points.iter().map(|&p| to_grid(p).to_array().map(|x| x as i64)).collect())
}

/// Four points that span the cloud well, as a closed surface.
fn first_tetrahedron(grid: &[[i64; 3]]) -> Option<Vec<Facet>> {
    let approximate = |v: [i128; 3]| v.iter().map(|&x| (x as f64) * (x as f64)).sum::<f64>();
    let best = |measure: &dyn Fn(usize) -> f64| {
        let i = (0..grid.len()).max_by(|&i, &j| measure(i).total_cmp(&measure(j)).then(j.cmp(&i)))?;
        (measure(i) > 0.0).then_some(i)
    };
    let a = (0..grid.len()).min_by_key(|&i| grid[i])?;
    let b = best(&|i| approximate(subtract(grid[i], grid[a]).map(i128::from)))?;
    let along = subtract(grid[b], grid[a]);
    let c = best(&|i| approximate(cross(along, subtract(grid[i], grid[a]))))?;
    let base = Facet::new(grid, [a, b, c].map(|i| i as u32));
    let d = best(&|i| (dot(base.normal, grid[i]) - base.offset).unsigned_abs() as f64)?;
    let [a, b, c] = if base.sees(grid[d]) { [a, c, b] } else { [a, b, c] };
    let faces = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    Some(faces.map(|f| Facet::new(grid, f.map(|i| i as u32))).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_closed(triangles: &[[u32; 3]]) {
        let mut edges: Vec<_> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.sort_unstable();
        assert!(edges.windows(2).all(|w| w[0] != w[1]), "an edge runs twice the same way");
        assert!(edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok()), "an edge has one side");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        /// Points on a coarse lattice: as many coplanar and collinear points as possible.
        #[test]
        fn hulls_of_lattice_points_are_closed_and_hold_every_point(
            points in prop::collection::vec((0i32..4, 0i32..4, 0i32..4), 4..60), scale in -3i32..3)
        {
            let s = 10f64.powi(scale);
            let points: Vec<_> = points.iter().map(|&(x, y, z)| s * DVec3::new(x.into(), y.into(), z.into())).collect();
            if let Some(triangles) = hull_triangles(&points) {
                check_closed(&triangles);
                for t in &triangles {
                    let [a, b, c] = t.map(|i| points[i as usize]);
                    let n = (b - a).cross(c - a);
                    if n.length() < 1e-9 * s * s {
                        continue; // a sliver along an edge has no normal
                    }
                    let n = n.normalize();
                    for &p in &points {
                        // Measured 2e-12 of the extent at most: the grid.
                        prop_assert!(n.dot(p - a) <= 1e-11 * s, "{}", n.dot(p - a) / s);
                    }
                }
            }
        }
    }

    #[test]
    fn points_in_a_plane_have_no_hull() {
        let flat: Vec<_> = (0..9).map(|i| DVec3::new((i % 3) as f64, (i / 3) as f64, (i % 3) as f64)).collect();
        assert!(hull_triangles(&flat).is_none());
        assert!(hull_triangles(&[]).is_none());
        assert!(hull_triangles(&[DVec3::ONE; 5]).is_none());
    }
}
