//! A closed triangle mesh as a solid: signed distances from its surface.
//!
//! The sign follows from the normal of what is nearest, face, edge or corner, with corners weighted by angles: J. A.
//! Baerentzen and H. Aanaes, "Signed distance computation using the angle weighted pseudonormal", IEEE Trans. Vis.
//! Comput. Graph. 11 (2005) 243-253. Whether the mesh is closed is left to the caller.

use granule_model::{Aabb, DVec3};

use crate::closest::Feature;
use crate::error::LevelSetError;
use crate::topology::{check, corner_normals, face_normals, sides, weld};
use crate::tree::{Nearest, Tree};

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

    /// Signed distance of `p`. `hint` is where the triangle nearest to a point nearby was, and is set to that of `p`.
    pub(crate) fn distance(&self, p: DVec3, hint: &mut usize) -> f64 {
        let Some(Nearest { triangle, place, point, feature, square }) = self.tree.nearest_from(p, *hint) else {
            return f64::NAN;
        };
        *hint = place;
        let normals = &self.normals[triangle];
        let normal = match feature {
            Feature::Corner(i) => normals.corners[i],
            Feature::Edge(i) => normals.edges[i],
            Feature::Face => normals.face,
        };
        square.sqrt().copysign((p - point).dot(normal))
    }
}

/// Sums over the faces at each edge, for the three edges of each triangle.
fn edge_normals(welded: &[[u32; 3]], faces: &[DVec3]) -> Vec<[DVec3; 3]> {
    let mut normals = vec![[DVec3::ZERO; 3]; welded.len()];
    for group in sides(welded).chunk_by(|a, b| a.ends == b.ends) {
        let sum: DVec3 = group.iter().map(|side| faces[side.triangle as usize]).sum();
        group.iter().for_each(|side| normals[side.triangle as usize][side.from as usize] = sum);
    }
    normals
}
