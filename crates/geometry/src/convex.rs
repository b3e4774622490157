//! Convex polyhedra with true faces: loops of any length, not triangles.
//!
//! A face of `n` corners is one face here, so that a kernel that clips two faces gets the whole contact polygon. The
//! hull itself (which triangles) is made in `hull`; this module merges its coplanar triangles and finds edges and
//! adjacency.

use granule_model::{Aabb, DVec3, Pose};

use crate::faces::merge_coplanar;
use crate::hull::hull_triangles;

/// A convex polyhedron in some axes.
#[derive(Clone, Debug)]
pub(crate) struct ConvexData {
    /// Corners \[m\].
    pub(crate) vertices: Vec<DVec3>,
    /// Flat faces, coplanar triangles merged.
    pub(crate) faces: Vec<Face>,
    /// Corners of all faces one after the other; see [`ConvexData::face_loop`].
    pub(crate) loops: Vec<u32>,
    /// Each edge once, sorted by its corners.
    pub(crate) edges: Vec<Edge>,
    /// Power of two that brings the largest coordinate into \[0.5, 1).
    pub(crate) unit_scale: f64,
    /// Half the smallest distance of two parallel planes with the body between them \[m\].
    pub(crate) half_width: f64,
}

/// A flat face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    /// Outward unit normal.
    pub(crate) normal: DVec3,
    /// All points of the body have `normal . p <= offset` \[m\].
    pub(crate) offset: f64,
    /// Where the face's corners start in `loops`.
    pub(crate) start: u32,
    /// How many corners it has.
    pub(crate) len: u32,
}

/// An edge between two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The corners, lower index first.
    pub(crate) vertices: [u32; 2],
    /// The face whose loop runs from the first corner to the second, then the face that runs back.
    pub(crate) faces: [u32; 2],
}

impl ConvexData {
    /// The faces of `hull`, in the axes whose pose in the hull's axes is `frame`.
    pub(crate) fn new(hull: &Hull, frame: &Pose) -> ConvexData {
        let extent = Aabb::from_points(hull.points.iter().copied()).size().max_element();
        let mut loops = merge_coplanar(&hull.points, &hull.triangles, COPLANAR * extent);
        let corners = keep_used(&hull.points, loops.iter_mut().flatten().collect());
        let vertices = corners.into_iter().map(|p| frame.inverse_transform_point(p));
        ConvexData::from_loops(vertices.collect(), &loops)
    }

    /// A closed convex surface of faces with corners counter-clockwise seen from outside.
    pub(crate) fn from_loops(vertices: Vec<DVec3>, loops: &[Vec<u32>]) -> ConvexData {
        let unit_scale = unit_scale(vertices.iter().copied());
        let mut flat = Vec::new();
        let mut faces = Vec::with_capacity(loops.len());
        let mut sides: Vec<([u32; 2], bool, u32)> = Vec::new();
        for (index, corners) in loops.iter().enumerate() {
            faces.push(face_plane(&vertices, corners, flat.len() as u32));
            flat.extend_from_slice(corners);
            for (i, &from) in corners.iter().enumerate() {
                let to = corners[(i + 1) % corners.len()];
                sides.push(([from.min(to), from.max(to)], from > to, index as u32));
            }
        }
        sides.sort_unstable();
        // Two sides of a closed surface share each edge; the one that runs from the lower corner sorts first.
        let edges: Vec<_> = sides.chunks_exact(2).map(|s| Edge { vertices: s[0].0, faces: [s[0].2, s[1].2] }).collect();
        let half_width = 0.5 * smallest_width(&vertices, &faces, &edges);
        ConvexData { vertices, faces, loops: flat, edges, unit_scale, half_width }
    }

    /// Corners of `face`, counter-clockwise seen from outside.
    pub(crate) fn face_loop(&self, face: usize) -> &[u32] {
        let f = &self.faces[face];
        &self.loops[f.start as usize..(f.start + f.len) as usize]
    }
}

/// Vertices closer than this share of the extent become one: shorter edges have no direction worth clipping against.
const WELD: f64 = 1e-7;
/// Triangles within this share of the extent of one plane form one face. Above the rounding of files in single
/// precision (6e-8), far below any overlap of interest; a gap is wrong by at most this.
const COPLANAR: f64 = 1e-6;
/// A hull thinner than this share of its extent has no inside worth the name (it would be within `COPLANAR` of a
/// plane).
const THIN: f64 = 1e-5;

/// The hull of a point cloud before it is moved to body axes.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    /// Its corners; some may lie on edges or in faces to rounding.
    pub(crate) points: Vec<DVec3>,
    /// The closed surface.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Hull {
    /// The hull of finite `points`; none when they span no volume.
    pub(crate) fn new(points: &[DVec3]) -> Option<Hull> {
        let extent = Aabb::from_points(points.iter().copied()).size().max_element();
        if !(extent.is_finite() && extent > 0.0) {
            return None;
        }
        let points = weld(points, WELD * extent);
        let mut triangles = hull_triangles(&points)?;
        let points = keep_used(&points, triangles.iter_mut().flatten().collect());
        let hull = Hull { points, triangles };
        (hull.thickness() >= THIN * extent).then_some(hull)
    }

    /// Smallest distance between a face and the point farthest below it \[m\].
    fn thickness(&self) -> f64 {
        let depth = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.points[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            self.points.iter().map(|&p| normal.dot(a - p)).fold(0.0, f64::max)
        };
        // The largest triangle of each face is enough, but a sliver's normal is noise: leave slivers out.
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.points[i as usize]);
            (b - a).cross(c - a).length()
        };
        let largest = self.triangles.iter().map(area).fold(0.0, f64::max);
        self.triangles.iter().filter(|t| area(t) > COPLANAR * largest).map(depth).fold(f64::INFINITY, f64::min)
    }
}

/// Edges up to which every two of them are looked at for the smallest width; of a finer hull the faces look in all
/// directions.
const EDGES_OF_WIDTH: usize = 150;

/// Smallest distance of two parallel planes with the body between them \[m\]: one of them lies on a face, or each on an
/// edge (Houle and Toussaint 1988).
fn smallest_width(vertices: &[DVec3], faces: &[Face], edges: &[Edge]) -> f64 {
    let width = |along: DVec3| {
        let heights = vertices.iter().map(|v| along.dot(*v));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        high - low
    };
    let mut least = faces.iter().map(|face| width(face.normal)).fold(f64::INFINITY, f64::min);
    if edges.len() > EDGES_OF_WIDTH {
        return least;
    }
    let direction =
        |edge: &Edge| (vertices[edge.vertices[1] as usize] - vertices[edge.vertices[0] as usize]).normalize_or_zero();
    for (i, edge) in edges.iter().enumerate() {
        for other in &edges[i + 1..] {
            let across = direction(edge).cross(direction(other));
            // Edges that are nearly parallel say nothing that a face does not.
            if across.length_squared() > PARALLEL * PARALLEL {
                least = least.min(width(across.normalize()));
            }
        }
    }
    least
}

/// Sine of the angle below which two edges are parallel.
const PARALLEL: f64 = 1e-6;

/// The power of two that brings the largest coordinate into \[0.5, 1); 1 for points that are all zero.
pub(crate) fn unit_scale(points: impl IntoIterator<Item = DVec3>) -> f64 {
    let largest = points.into_iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let (_, exponent) = libm::frexp(largest);
    libm::ldexp(1.0, -exponent)
}

/// Plane of the face with the given corners: the area-weighted normal (exact in the mean for a slightly bent face) and
/// the offset beyond which no corner of the body lies.
fn face_plane(vertices: &[DVec3], corners: &[u32], start: u32) -> Face {
    let at = |i: usize| vertices[corners[i] as usize];
    let origin = at(0);
    let doubled_area: DVec3 = (1..corners.len() - 1).map(|i| (at(i) - origin).cross(at(i + 1) - origin)).sum();
    let normal = doubled_area.normalize_or_zero();
    let offset = vertices.iter().map(|v| normal.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
    Face { normal, offset, start, len: corners.len() as u32 }
}

/// The points that `indices` name, in their order; the indices become those among the points kept.
fn keep_used(points: &[DVec3], indices: Vec<&mut u32>) -> Vec<DVec3> {
    let mut used: Vec<u32> = indices.iter().map(|i| **i).collect();
    used.sort_unstable();
    used.dedup();
    indices.into_iter().for_each(|i| *i = used.partition_point(|u| u < i) as u32);
    used.iter().map(|&i| points[i as usize]).collect()
}

/// One of each group of points that lie within `distance` of each other; order is kept.
fn weld(points: &[DVec3], distance: f64) -> Vec<DVec3> {
    let mut by_x: Vec<usize> = (0..points.len()).collect();
    by_x.sort_by(|&i, &j| points[i].x.total_cmp(&points[j].x).then(i.cmp(&j)));
    let mut dropped = vec![false; points.len()];
    for (k, &i) in by_x.iter().enumerate() {
        if dropped[i] {
            continue;
        }
        for &j in by_x[k + 1..].iter().take_while(|&&j| points[j].x - points[i].x <= distance) {
            dropped[j] |= points[i].distance_squared(points[j]) <= distance * distance;
        }
    }
    points.iter().zip(dropped).filter(|(_, d)| !d).map(|(p, _)| *p).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::DQuat;
    use proptest::prelude::*;

    fn convex(points: &[DVec3]) -> Option<ConvexData> {
        Some(ConvexData::new(&Hull::new(points)?, &Pose::IDENTITY))
    }

    /// Euler's formula, planes that hold all corners, edges whose faces run both ways.
    fn check(data: &ConvexData) {
        let extent = data.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert_eq!(data.vertices.len() + data.faces.len(), data.edges.len() + 2);
        for (i, face) in data.faces.iter().enumerate() {
            assert!((face.normal.length() - 1.0).abs() < 1e-14);
            let heights = |v: &DVec3| face.offset - face.normal.dot(*v);
            assert!(data.vertices.iter().all(|v| heights(v) >= 0.0));
            for &c in data.face_loop(i) {
                assert!(heights(&data.vertices[c as usize]) <= 4.0 * COPLANAR * extent);
            }
        }
        for edge in &data.edges {
            let [a, b] = edge.vertices;
            let runs = |face: u32, from: u32, to: u32| {
                let l = data.face_loop(face as usize);
                (0..l.len()).any(|i| l[i] == from && l[(i + 1) % l.len()] == to)
            };
            assert!(a < b && runs(edge.faces[0], a, b) && runs(edge.faces[1], b, a));
        }
    }

    fn prism(corners: u32, height: f64) -> Vec<DVec3> {
        (0..corners)
            .flat_map(|i| {
                let (y, x) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(corners));
                [DVec3::new(x, y, -height), DVec3::new(x, y, height)]
            })
            .collect()
    }

    #[test]
    fn a_turned_prism_keeps_its_true_faces_at_every_scale() {
        let turn = DQuat::from_xyzw(0.3, -0.1, 0.7, 0.4).normalize();
        for scale in [1e-3, 1.0, 1e2] {
            let points: Vec<_> = prism(20, 0.3).into_iter().map(|p| turn * (p * scale) + DVec3::splat(scale)).collect();
            let data = convex(&points).unwrap();
            check(&data);
            assert_eq!((data.vertices.len(), data.faces.len(), data.edges.len()), (40, 22, 60));
            assert_eq!(data.faces.iter().filter(|f| f.len == 20).count(), 2);
            let largest = data.vertices.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max) * data.unit_scale;
            assert!((0.5..1.0).contains(&largest));
        }
    }

    #[test]
    fn noise_below_single_precision_does_not_cut_the_faces_of_a_cube() {
        for (seed, noise) in [(1u64, 1e-15), (2, 1e-9), (3, 5e-8)] {
            let mut state = seed;
            let mut random = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
            };
            let mut points = Vec::new();
            for i in 0..27 {
                // The corners, and points in the middle of edges and faces and of the cube.
                let lattice = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64);
                points.push(lattice + noise * DVec3::new(random(), random(), random()));
            }
            let data = convex(&points).unwrap();
            check(&data);
            assert_eq!((data.vertices.len(), data.faces.len(), data.edges.len()), (8, 6, 12), "noise {noise}");
        }
    }

    #[test]
    fn a_hull_without_thickness_is_refused() {
        assert!(convex(&prism(7, 0.0)).is_none());
        assert!(convex(&prism(7, 1e-7)).is_none());
        assert!(convex(&prism(7, 1e-4)).is_some());
        let turn = DQuat::from_xyzw(0.3, -0.1, 0.7, 0.4).normalize();
        let tilted: Vec<_> = prism(7, 0.0).into_iter().map(|p| turn * p).collect();
        assert!(convex(&tilted).is_none());
    }

    #[test]
    fn the_smallest_width_is_that_of_the_closest_planes() {
        let half_width = |points: &[DVec3]| convex(points).expect("a solid").half_width;
        let turn = DQuat::from_xyzw(0.3, -0.5, 0.1, 0.8).normalize();
        for scale in [1e-3, 1.0, 100.0] {
            let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
            // A regular tetrahedron: two opposite edges lie in planes 2 apart, a face and its corner in planes 2.309
            // apart.
            let tetrahedron = corners.map(|c| scale * (turn * DVec3::from_array(c)));
            assert!((half_width(&tetrahedron) / scale - 1.0).abs() <= 1e-14);
            let plate: Vec<_> = (0..8)
                .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), 0.02 * f64::from(k >> 2)))
                .map(|p| scale * (turn * p))
                .collect();
            assert!((half_width(&plate) / (0.01 * scale) - 1.0).abs() <= 1e-12);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn hulls_of_any_points_are_sound(
            points in prop::collection::vec((0i32..4, 0i32..4, 0i32..4), 4..40),
            noise in prop::collection::vec(-1.0f64..1.0, 120), level in 1i32..18)
        {
            let points: Vec<_> = points
                .iter()
                .enumerate()
                .map(|(i, &(x, y, z))| {
                    let n = DVec3::from_slice(&noise[3 * i..]);
                    DVec3::new(x.into(), y.into(), z.into()) + 10f64.powi(-level) * n
                })
                .collect();
            if let Some(data) = convex(&points) {
                check(&data);
            }
        }
    }
}
