//! Closed meshes: is the surface closed, which way round, and which convex parts stand for it in contacts?

use granule_model::{DVec3, Pose};
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use crate::convex::{ConvexData, Hull, unit_scale};
use crate::error::ShapeError;
use crate::faces::Adjacency;
use crate::geometry::Geometry;
use crate::mass::Moments;
use crate::mesh::checked_mesh;

/// A mesh whose volume is below this share of the cube of its extent encloses nothing but rounding.
const NO_VOLUME: f64 = 1e-12;
/// A mesh that fills its hull up to this share is convex and keeps the hull itself.
const CONVEX: f64 = 1e-9;
/// Voxels along the longest side for the decomposition of other meshes.
const VOXELS: u32 = 64;

/// A closed surface, outward oriented, in own axes.
pub(crate) struct ClosedMesh {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) moments: Moments,
}

impl ClosedMesh {
    /// Checks the surface; one that is inside out as a whole is turned.
    pub(crate) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        let (welded, mut faces) = checked_mesh(vertices, triangles)?;
        check_closed(&faces, vertices, triangles)?;
        let mut moments = Moments::polyhedron(&welded, &faces);
        if moments.volume < 0.0 {
            faces.iter_mut().for_each(|t| t.swap(1, 2));
            moments = Moments::polyhedron(&welded, &faces);
        }
        let extent = granule_model::Aabb::from_points(welded.iter().copied()).size().max_element();
        // Written so that NaN counts as no volume.
        if !(moments.volume > NO_VOLUME * extent * extent * extent) {
            return Err(ShapeError::NoVolume);
        }
        Ok(ClosedMesh { vertices: welded, triangles: faces, moments })
    }

    /// Convex parts in the axes whose pose in own axes is `frame`: the hull itself for a convex mesh, else an approximate
    /// decomposition (parry's VHACD) whose parts hug the surface and may overlap.
    pub(crate) fn convex_parts(&self, frame: &Pose) -> Result<Vec<Geometry>, ShapeError> {
        let hull = Hull::new(&self.vertices).ok_or(ShapeError::NoVolume)?;
        let filled = Moments::polyhedron(&hull.points, &hull.triangles).volume;
        if filled - self.moments.volume <= CONVEX * filled {
            return Ok(vec![Geometry::Convex(ConvexData::new(&hull, frame))]);
        }
        let parts: Vec<_> = self
            .decomposition()
            .iter()
            .filter_map(|points| Hull::new(points))
            .map(|hull| Geometry::Convex(ConvexData::new(&hull, frame)))
            .collect();
        if parts.is_empty() { Err(ShapeError::NoDecomposition) } else { Ok(parts) }
    }

    /// Corners of the parts. The decomposition runs in coordinates of unit size: parry compares with absolute lengths.
    fn decomposition(&self) -> Vec<Vec<DVec3>> {
        let center = self.moments.center;
        let scale = unit_scale(self.vertices.iter().map(|&v| v - center));
        let points: Vec<_> = self.vertices.iter().map(|&v| (v - center) * scale).collect();
        let parameters = VHACDParameters { resolution: VOXELS, ..VHACDParameters::default() };
        let parts = VHACD::decompose(&parameters, &points, &self.triangles, true);
        let own = |p: DVec3| center + p / scale;
        let intersections = parts.compute_primitive_intersections(&points, &self.triangles);
        intersections.into_iter().map(|part| part.into_iter().map(own).collect()).collect()
    }
}

/// Every edge must have as many triangles that run one way as run the other. `faces` are the welded triangles; errors
/// name vertices as given in `triangles`.
fn check_closed(faces: &[[u32; 3]], vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    let adjacency = Adjacency::new(faces);
    for group in adjacency.edges().chunk_by(|a, b| a.0 == b.0) {
        let ([from, to], first) = group[0];
        let back = adjacency.triangles_at(to, from).len();
        if group.len() <= back {
            continue;
        }
        let triangle = first as usize;
        let given = |corner: u32| {
            let i = faces[triangle].iter().position(|&c| c == corner).unwrap_or(0);
            triangles[triangle][i]
        };
        let (from, to) = (given(from), given(to));
        if group.len() > 1 {
            return Err(ShapeError::InconsistentOrientation { first: triangle, second: group[1].1 as usize, from, to });
        }
        let (start, end) = (vertices[from as usize], vertices[to as usize]);
        return Err(ShapeError::OpenEdge { triangle, from, to, start, end });
    }
    Ok(())
}
