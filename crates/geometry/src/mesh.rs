//! Open triangle meshes: adjacency, which edges are real, and a tree for box queries.
//!
//! The contact kernels ask for the triangles near a box and use the kind of each edge to drop contacts that only exist
//! because a flat surface is cut into triangles.

use granule_model::{Aabb, DVec3};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// How two triangles meet, seen from the side to which the normal of the first points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    /// No neighbour, or more than one: the rim of the surface.
    Boundary,
    /// A ridge: the neighbour bends away.
    Convex,
    /// The triangles are coplanar.
    Flat,
    /// A valley: the neighbour bends up.
    Concave,
}

/// What lies across an edge of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neighbour {
    /// Index of the neighbouring triangle; `u32::MAX` at the boundary.
    pub(crate) triangle: u32,
    /// How the surfaces meet.
    pub(crate) kind: EdgeKind,
}

/// An open triangle mesh in body axes.
#[derive(Clone, Debug)]
pub(crate) struct MeshData {
    /// Corners \[m\]; no two are equal.
    pub(crate) vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from the side to which its normal points.
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
    /// Corners of triangle `t`.
    pub(crate) fn corners(&self, t: u32) -> [DVec3; 3] {
        self.triangles[t as usize].map(|i| self.vertices[i as usize])
    }

    /// Appends the triangles whose boxes meet `region` (body axes) to `out`, in ascending order.
    pub(crate) fn triangles_near(&self, region: &Aabb, out: &mut Vec<u32>) {
        let start = out.len();
        let region = parry3d_f64::bounding_volume::Aabb::new(region.min, region.max);
        out.extend(self.bvh.intersect_aabb(&region));
        out[start..].sort_unstable();
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
