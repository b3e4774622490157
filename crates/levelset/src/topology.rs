//! Which triangles of a mesh share vertices and edges, and their normals.

use granule_model::DVec3;

use crate::error::LevelSetError;

/// Area of a triangle over the square of its longest edge, up to which it has no normal.
const FLAT: f64 = 1e-14;

/// Refuses what is no mesh.
pub(crate) fn check(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), LevelSetError> {
    if triangles.is_empty() {
        return Err(LevelSetError::EmptyMesh);
    }
    if vertices.len() > u32::MAX as usize || triangles.len() > u32::MAX as usize {
        return Err(LevelSetError::MeshTooLarge { count: vertices.len().max(triangles.len()) });
    }
    if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(LevelSetError::VertexNotFinite { vertex, position: vertices[vertex] });
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertices.len()) {
            return Err(LevelSetError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
        }
    }
    Ok(())
}

/// The triangles over vertices of which those at one place are one.
pub(crate) fn weld(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let key = |i: u32| vertices[i as usize].to_array();
    let order_of = |a: &u32, b: &u32| {
        let (a, b) = (key(*a), key(*b));
        (0..3).map(|axis| a[axis].total_cmp(&b[axis])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_by(order_of);
    let mut first = vec![0; vertices.len()];
    for group in order.chunk_by(|a, b| key(*a) == key(*b)) {
        group.iter().for_each(|&i| first[i as usize] = group[0]);
    }
    triangles.iter().map(|t| t.map(|i| first[i as usize])).collect()
}

/// Unit normals of triangles.
pub(crate) fn face_normals(corners: &[[DVec3; 3]]) -> Result<Vec<DVec3>, LevelSetError> {
    let normal = |(triangle, &[a, b, c]): (usize, &[DVec3; 3])| {
        // Relative to the longest edge: squares of small lengths would vanish.
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let twice = ((b - a) / longest).cross((c - a) / longest);
        if twice.length() > FLAT { Ok(twice.normalize()) } else { Err(LevelSetError::DegenerateTriangle { triangle }) }
    };
    corners.iter().enumerate().map(normal).collect()
}

/// Sums over the faces at each vertex, weighted by their angles there.
pub(crate) fn corner_normals(count: usize, welded: &[[u32; 3]], corners: &[[DVec3; 3]], faces: &[DVec3]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; count];
    for ((indices, places), face) in welded.iter().zip(corners).zip(faces) {
        for i in 0..3 {
            let (along, back) = (places[(i + 1) % 3] - places[i], places[(i + 2) % 3] - places[i]);
            let (along, back) = (along.normalize(), back.normalize());
            sums[indices[i] as usize] += libm::atan2(along.cross(back).length(), along.dot(back)) * *face;
        }
    }
    sums
}

/// A side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Side {
    /// The two vertices, the lower index first.
    pub(crate) ends: [u32; 2],
    /// The triangle.
    pub(crate) triangle: u32,
    /// Its corner, 0 to 2, that the side begins at.
    pub(crate) from: u32,
}

/// The sides of all triangles, those with the same ends together.
pub(crate) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let of = |(triangle, corners): (u32, &[u32; 3])| {
        let corners = *corners;
        (0..3u32).map(move |from| {
            let (a, b) = (corners[from as usize], corners[(from as usize + 1) % 3]);
            Side { ends: [a.min(b), a.max(b)], triangle, from }
        })
    };
    let mut all: Vec<Side> = (0..).zip(triangles).flat_map(of).collect();
    all.sort_unstable();
    all
}
