//! A closed triangle mesh as a solid: signed distances from its surface.
//!
//! The sign follows from the normal of what is nearest, face, edge or corner, with corners weighted by angles: J. A.
//! Baerentzen and H. Aanaes, "Signed distance computation using the angle weighted pseudonormal", IEEE Trans. Vis.
//! Comput. Graph. 11 (2005) 243-253. Whether the mesh is closed is left to the caller.

use granule_model::{Aabb, DVec3};

use crate::closest::Feature;
use crate::error::LevelSetError;
use crate::tree::{Nearest, Tree};

/// Area of a triangle over the square of its longest edge, up to which it has no normal.
const FLAT: f64 = 1e-14;

/// Triangles with what their signs need.
pub(crate) struct Solid {
    tree: Tree,
    normals: Vec<Normals>,
    bounds: Aabb,
}

/// Normals of a triangle and of its rims; of any length but those of the face.
struct Normals {
    face: DVec3,
    edges: [DVec3; 3],
    corners: [DVec3; 3],
}

impl Solid {
    /// Checks the triangles and prepares them.
    pub(crate) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Solid, LevelSetError> {
        check(vertices, triangles)?;
        let welded = weld(vertices, triangles);
        let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
        let bounds = Aabb::from_points(corners.iter().flatten().copied());
        let faces = face_normals(&corners)?;
        let middle = bounds.center();
        let volume =
            corners.iter().map(|c| c.map(|p| p - middle)).map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0;
        if volume <= 0.0 {
            return Err(LevelSetError::NoVolume { volume });
        }
        let at_corners = corner_normals(vertices.len(), &welded, &corners, &faces);
        let at_edges = edge_normals(&welded, &faces);
        let normals = (0..triangles.len())
            .map(|t| Normals {
                face: faces[t],
                edges: at_edges[t],
                corners: welded[t].map(|corner| at_corners[corner as usize]),
            })
            .collect();
        Ok(Solid { tree: Tree::new(&corners), normals, bounds })
    }

    /// The smallest box around it.
    pub(crate) fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Signed distance of `p`, which is known to be less than `most` in size; `most` in size where it is not.
    pub(crate) fn distance_within(&self, p: DVec3, most: f64) -> Option<f64> {
        let Nearest { triangle, point, feature, square } = self.tree.nearest(p, most * most)?;
        let normals = &self.normals[triangle];
        let normal = match feature {
            Feature::Corner(i) => normals.corners[i],
            Feature::Edge(i) => normals.edges[i],
            Feature::Face => normals.face,
        };
        let side = (p - point).dot(normal);
        Some(square.sqrt().copysign(side))
    }

    /// Signed distance of `p`.
    pub(crate) fn distance(&self, p: DVec3) -> f64 {
        self.distance_within(p, f64::INFINITY).unwrap_or(f64::NAN)
    }
}

fn check(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), LevelSetError> {
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
fn weld(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
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

fn face_normals(corners: &[[DVec3; 3]]) -> Result<Vec<DVec3>, LevelSetError> {
    let normal = |(triangle, &[a, b, c]): (usize, &[DVec3; 3])| {
        // Relative to the longest edge: squares of small lengths would vanish.
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let twice = ((b - a) / longest).cross((c - a) / longest);
        if twice.length() > FLAT { Ok(twice.normalize()) } else { Err(LevelSetError::DegenerateTriangle { triangle }) }
    };
    corners.iter().enumerate().map(normal).collect()
}

/// Sums over the faces at each vertex, weighted by their angles there.
fn corner_normals(count: usize, welded: &[[u32; 3]], corners: &[[DVec3; 3]], faces: &[DVec3]) -> Vec<DVec3> {
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

/// Sums over the faces at each edge, for the three edges of each triangle.
fn edge_normals(welded: &[[u32; 3]], faces: &[DVec3]) -> Vec<[DVec3; 3]> {
    let mut edges: Vec<([u32; 2], u32, u32)> = Vec::with_capacity(3 * welded.len());
    for (t, corners) in welded.iter().enumerate() {
        for i in 0..3 {
            let (from, to) = (corners[i], corners[(i + 1) % 3]);
            edges.push(([from.min(to), from.max(to)], t as u32, i as u32));
        }
    }
    edges.sort_unstable();
    let mut normals = vec![[DVec3::ZERO; 3]; welded.len()];
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        let sum: DVec3 = group.iter().map(|&(_, t, _)| faces[t as usize]).sum();
        group.iter().for_each(|&(_, t, i)| normals[t as usize][i as usize] = sum);
    }
    normals
}
