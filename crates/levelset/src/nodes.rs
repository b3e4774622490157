//! Nodes spread over a closed triangle surface: at its corners, along its sharp edges, and evenly in between.

mod creases;
mod scatter;

use granule_model::DVec3;

use crate::error::LevelSetError;
use crate::limits::MOST_SURFACE_NODES;
use crate::topology::{check, face_normals, weld};

/// A point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Where \[m\].
    pub point: DVec3,
    /// Outward unit normal; the mean of those around on an edge or a corner.
    pub normal: DVec3,
    /// Whether it is a corner or on a sharp edge.
    pub sharp: bool,
}

/// A surface with what nodes need of it.
struct Faces<'a> {
    /// Vertices as given \[m\].
    vertices: &'a [DVec3],
    /// Triangles, with one index for vertices at one place.
    triangles: Vec<[u32; 3]>,
    /// Their unit normals.
    normals: Vec<DVec3>,
    /// Their areas \[m2\].
    areas: Vec<f64>,
}

impl Faces<'_> {
    fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|i| self.vertices[i as usize])
    }
}

/// About `count` nodes on a closed surface of triangles, which are counter-clockwise seen from outside.
///
/// Corners and nodes along sharp edges come first and are `sharp`. An edge is sharp where its faces meet at more than
/// 30 degrees; a corner is where sharp edges end, meet or bend by more than 30 degrees, and the tip of a cone. Other
/// nodes keep a distance from each other and from the sharp ones, of some 0.7 times the root of the area per node.
/// Exactly `count` nodes come out, unless there are more corners. The same surface gives the same nodes; one scaled by
/// a power of two, the scaled nodes.
///
/// # Errors
///
/// [`LevelSetError`] for an empty mesh, indices out of range, vertices that are not finite, triangles without area, and
/// a count of zero or more than 10 million.
pub fn surface_nodes(vertices: &[DVec3], triangles: &[[u32; 3]], count: usize) -> Result<Vec<Node>, LevelSetError> {
    check(vertices, triangles)?;
    if !(1..=MOST_SURFACE_NODES).contains(&count) {
        return Err(LevelSetError::NodeCount { count });
    }
    let corners: Vec<_> = triangles.iter().map(|t| t.map(|i| vertices[i as usize])).collect();
    let normals = face_normals(&corners)?;
    let areas: Vec<_> = corners.iter().map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).length()).collect();
    let spacing = (areas.iter().sum::<f64>() / count as f64).sqrt();
    let faces = Faces { vertices, triangles: weld(vertices, triangles), normals, areas };
    let mut nodes = creases::nodes(&faces, spacing, count);
    scatter::fill(&faces, spacing, count, &mut nodes);
    Ok(nodes)
}
