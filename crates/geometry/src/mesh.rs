//! Triangle meshes as surfaces: adjacency, which edges are real, and a tree for box queries.
//!
//! A surface has two sides and holds bodies on both, so contacts do not depend on the way its triangles run. They must
//! agree on one all the same: triangles beside each other that run opposite ways are a mistake in the file, which hides
//! others. A closed surface looks outward.
//!
//! The contact kernels see it as a [`TriangleSurface`].

use granule_model::{Aabb, DVec3};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use crate::check::check_vertices;
use crate::error::ShapeError;
use crate::faces::Adjacency;
use crate::ground::{EdgeKind, Lie, NO_TRIANGLE, TriangleSurface, edge_kind};
use crate::joints::cut_at_joints;
use crate::mass::Moments;

/// What lies across an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neighbour {
    /// Index of the neighbouring triangle; [`NO_TRIANGLE`] at the boundary.
    pub(crate) triangle: u32,
    /// How the surfaces meet.
    pub(crate) kind: EdgeKind,
}

/// A surface of triangles in body axes.
#[derive(Clone, Debug)]
pub(crate) struct MeshData {
    /// Corners \[m\]; no two are equal.
    pub(crate) vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from the side to which its normal points. Triangles given with
    /// the corner of another on an edge are cut there.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Unit normal of each triangle.
    pub(crate) normals: Vec<DVec3>,
    /// What lies across the edges of each triangle: entry `i` belongs to the edge from corner `i` to corner `i + 1`.
    pub(crate) neighbours: Vec<[Neighbour; 3]>,
    /// Box around everything.
    pub(crate) bounds: Aabb,
    bvh: Bvh,
}

impl MeshData {
    /// The mesh with the given corners; see [`ShapeError`] for what is refused.
    pub(crate) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<MeshData, ShapeError> {
        let (given, given_triangles) = (vertices, triangles);
        let (vertices, mut triangles) = checked_mesh(given, given_triangles)?;
        check_neighbours_agree(&triangles, given_triangles)?;
        triangles = cut_at_joints(&vertices, triangles);
        if is_inside_out(&vertices, &triangles) {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let normals: Vec<_> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| vertices[i as usize]);
                (b - a).cross(c - a).normalize()
            })
            .collect();
        let neighbours = neighbours(&vertices, &triangles, &normals);
        let bounds = Aabb::from_points(vertices.iter().copied());
        let bvh = MeshData::tree(&vertices, &triangles);
        Ok(MeshData { vertices, triangles, normals, neighbours, bounds, bvh })
    }

    /// Tree over the boxes of the triangles.
    fn tree(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Bvh {
        let boxes: Vec<_> = triangles
            .iter()
            .map(|t| {
                let b = Aabb::from_points(t.map(|i| vertices[i as usize]));
                parry3d_f64::bounding_volume::Aabb::new(b.min, b.max)
            })
            .collect();
        Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes)
    }
}

impl TriangleSurface for MeshData {
    fn triangles_near(&self, region: &Aabb, out: &mut Vec<u32>) {
        let start = out.len();
        let region = parry3d_f64::bounding_volume::Aabb::new(region.min, region.max);
        out.extend(self.bvh.intersect_aabb(&region));
        out[start..].sort_unstable();
    }

    fn vertices(&self, t: u32) -> [u32; 3] {
        self.triangles[t as usize]
    }

    fn corners(&self, t: u32) -> [DVec3; 3] {
        self.triangles[t as usize].map(|i| self.vertices[i as usize])
    }

    fn normal(&self, t: u32) -> DVec3 {
        self.normals[t as usize]
    }

    fn across(&self, t: u32, edge: usize) -> u32 {
        self.neighbours[t as usize][edge].triangle
    }

    fn kind(&self, t: u32, edge: usize) -> EdgeKind {
        self.neighbours[t as usize][edge].kind
    }

    fn lie(&self, _: DVec3) -> Lie {
        Lie::Sheet
    }
}

/// A triangle lower than this share of its longest edge is a line: its normal would be rounding.
const LINE: f64 = 1e-12;

/// Checks what every mesh must fulfil and makes equal vertices one (files of loose triangles repeat them).
///
/// The i-th triangle returned is the i-th given; its corner indices are new.
pub(crate) fn checked_mesh(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), ShapeError> {
    if triangles.is_empty() {
        return Err(ShapeError::EmptyMesh);
    }
    let count = vertices.len().max(triangles.len());
    if count >= u32::MAX as usize {
        return Err(ShapeError::MeshTooLarge { count });
    }
    check_vertices(vertices)?;
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&index) = t.iter().find(|&&i| i as usize >= vertices.len()) {
            return Err(ShapeError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
        }
        if is_line(t.map(|i| vertices[i as usize])) {
            return Err(ShapeError::DegenerateTriangle { triangle });
        }
    }
    Ok(weld_equal(vertices, triangles))
}

fn is_line([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() <= LINE * longest
}

/// Makes bitwise equal vertices one (0 equals -0) and leaves out those that no triangle names.
fn weld_equal(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let key = |i: u32| (vertices[i as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable_by_key(|&i| (key(i), i));
    used.dedup();
    // First of its group for each vertex, then numbers in the order in which the vertices were given.
    let mut first = vec![u32::MAX; vertices.len()];
    for group in used.chunk_by(|&i, &j| key(i) == key(j)) {
        group.iter().for_each(|&i| first[i as usize] = group[0]);
    }
    let mut kept = Vec::new();
    let mut number = vec![u32::MAX; vertices.len()];
    for i in 0..vertices.len() {
        if first[i] == i as u32 {
            number[i] = kept.len() as u32;
            kept.push(vertices[i]);
        }
    }
    let triangles = triangles.iter().map(|t| t.map(|i| number[first[i as usize] as usize])).collect();
    (kept, triangles)
}

/// Refuses an edge along which its only two triangles run in the same sense: one of them is turned over against the
/// other. `triangles` are welded; errors name vertices as in `given`.
fn check_neighbours_agree(triangles: &[[u32; 3]], given: &[[u32; 3]]) -> Result<(), ShapeError> {
    let adjacency = Adjacency::new(triangles);
    for group in adjacency.edges().chunk_by(|a, b| a.0 == b.0) {
        let &[([from, to], first), (_, second)] = group else { continue };
        if adjacency.triangles_at(to, from).is_empty() {
            let (first, second) = (first as usize, second as usize);
            let [from, to] = [from, to].map(|corner| corner_as_given(triangles[first], given[first], corner));
            return Err(ShapeError::InconsistentOrientation { first, second, from, to });
        }
    }
    Ok(())
}

/// The index that `given` has for the welded vertex `corner` of the same triangle.
pub(crate) fn corner_as_given(welded: [u32; 3], given: [u32; 3], corner: u32) -> u32 {
    given[welded.iter().position(|&c| c == corner).unwrap_or(0)]
}

/// True for a closed surface that looks inward.
fn is_inside_out(vertices: &[DVec3], triangles: &[[u32; 3]]) -> bool {
    let adjacency = Adjacency::new(triangles);
    let mut edges = adjacency.edges().chunk_by(|a, b| a.0 == b.0);
    let is_closed = edges.all(|group| {
        let [from, to] = group[0].0;
        group.len() == adjacency.triangles_at(to, from).len()
    });
    is_closed && Moments::polyhedron(vertices, triangles).volume < 0.0
}

/// What lies across each edge of each triangle.
fn neighbours(vertices: &[DVec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<[Neighbour; 3]> {
    let adjacency = Adjacency::new(triangles);
    let across = |t: usize, i: usize| {
        let corners = triangles[t];
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        let mut others = adjacency.triangles_at(to, from).iter().chain(adjacency.triangles_at(from, to)).map(|e| e.1);
        let mut other = others.by_ref().filter(|&o| o != t as u32);
        match (other.next(), other.next()) {
            (Some(neighbour), None) => {
                let apex = triangles[neighbour as usize].into_iter().find(|&c| c != from && c != to);
                let apex = vertices[apex.unwrap_or(from) as usize];
                let kind = edge_kind(vertices[from as usize], vertices[to as usize], apex, normals[t]);
                Neighbour { triangle: neighbour, kind }
            }
            _ => Neighbour { triangle: NO_TRIANGLE, kind: EdgeKind::Boundary },
        }
    };
    (0..triangles.len()).map(|t| [across(t, 0), across(t, 1), across(t, 2)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit squares that meet at the y axis, the second rising at slope `rise`.
    fn folded(rise: f64) -> MeshData {
        let vertices = [
            DVec3::new(-1.0, 0.0, 0.0),
            DVec3::ZERO,
            DVec3::new(0.0, 1.0, 0.0),
            DVec3::new(-1.0, 1.0, 0.0),
            DVec3::new(1.0, 0.0, rise),
            DVec3::new(1.0, 1.0, rise),
        ];
        MeshData::new(&vertices, &[[0, 1, 2], [0, 2, 3], [1, 4, 2], [4, 5, 2]]).unwrap()
    }

    #[test]
    fn edges_are_told_apart() {
        for (rise, kind) in
            [(0.0, EdgeKind::Flat), (1e-7, EdgeKind::Flat), (0.1, EdgeKind::Concave), (-0.1, EdgeKind::Convex)]
        {
            let mesh = folded(rise);
            assert_eq!(mesh.neighbours[0][1], Neighbour { triangle: 2, kind }, "rise {rise}");
            assert_eq!(mesh.neighbours[2][2], Neighbour { triangle: 0, kind }, "rise {rise}");
            assert_eq!(mesh.neighbours[0][2], Neighbour { triangle: 1, kind: EdgeKind::Flat });
            assert_eq!(mesh.neighbours[0][0], Neighbour { triangle: NO_TRIANGLE, kind: EdgeKind::Boundary });
        }
    }

    #[test]
    fn a_soup_of_triangles_is_joined_at_equal_vertices() {
        let mesh = folded(0.2);
        let soup: Vec<_> = (0..4).flat_map(|t| mesh.corners(t)).map(|v| v * DVec3::new(1.0, 1.0, -1.0)).collect();
        let joined = MeshData::new(&soup, &[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap();
        assert_eq!(joined.vertices.len(), 6);
        assert_eq!(joined.neighbours[0][1].triangle, 2);
        assert_eq!(joined.neighbours[0][1].kind, EdgeKind::Convex);
    }

    #[test]
    fn box_queries_find_what_brute_force_finds() {
        let n = 12u32;
        let at = |i: u32, j: u32| DVec3::new(f64::from(i), f64::from(j), 0.3 * f64::from((i * 7 + j * 3) % 5));
        let vertices: Vec<_> = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
        let v = |i: u32, j: u32| i * (n + 1) + j;
        let triangles: Vec<_> = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .flat_map(|(i, j)| [[v(i, j), v(i + 1, j), v(i + 1, j + 1)], [v(i, j), v(i + 1, j + 1), v(i, j + 1)]])
            .collect();
        let mesh = MeshData::new(&vertices, &triangles).unwrap();
        for k in 0..50u32 {
            let low = DVec3::new(f64::from(k % 11), f64::from(k * 5 % 11), 0.0) + DVec3::splat(0.25);
            let region = Aabb::new(low, low + DVec3::new(0.1 * f64::from(k), 0.7, 0.3));
            let mut found = Vec::new();
            mesh.triangles_near(&region, &mut found);
            let brute: Vec<u32> =
                (0..triangles.len() as u32).filter(|&t| Aabb::from_points(mesh.corners(t)).overlaps(&region)).collect();
            assert!(!brute.is_empty());
            assert_eq!(found, brute);
        }
    }

    #[test]
    fn bad_meshes_are_named() {
        let v = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let error = |vertices: &[DVec3], triangles: &[[u32; 3]]| MeshData::new(vertices, triangles).err().unwrap();
        assert_eq!(error(&v, &[]), ShapeError::EmptyMesh);
        assert_eq!(error(&v, &[[0, 1, 3]]), ShapeError::IndexOutOfRange { triangle: 0, index: 3, vertices: 3 });
        assert_eq!(error(&v, &[[0, 1, 2], [0, 1, 1]]), ShapeError::DegenerateTriangle { triangle: 1 });
        let nan = [DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0), DVec3::Y];
        assert!(matches!(error(&nan, &[[0, 1, 2]]), ShapeError::VertexNotFinite { vertex: 1, .. }));
        let small = v.map(|p| p * 1e-3);
        assert!(MeshData::new(&small, &[[0, 1, 2]]).is_ok());
    }
}
