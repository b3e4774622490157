//! What the contact kernels ask of a surface of triangles, whatever it is stored as.
//!
//! A mesh holds its triangles, normals and neighbours in lists; a height field makes them from its raster when they are
//! asked for. The kernels are generic over [`TriangleSurface`], so both are met by the same code. Where a surface is
//! solid below, it says so by [`TriangleSurface::lie`].

use granule_model::{Aabb, DVec3};

/// The number of no triangle: what lies across the rim.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

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

/// Where a point lies to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// The surface has two sides there and holds bodies on both: a mesh.
    Sheet,
    /// Beyond the outline of solid ground.
    Beside,
    /// Over solid ground, or on it.
    Above,
    /// In solid ground, below the given triangle.
    Below(u32),
}

/// A surface of triangles in body axes. Corners of a triangle are counter-clockwise seen from the side to which its
/// normal points; edge `i` leads from corner `i` to corner `i + 1`.
pub(crate) trait TriangleSurface {
    /// Appends the triangles whose boxes meet `region` to `out`, in ascending order.
    fn triangles_near(&self, region: &Aabb, out: &mut Vec<u32>);

    /// Names of the corners of triangle `t`, the same in every triangle that has the corner.
    fn vertices(&self, t: u32) -> [u32; 3];

    /// Corners of triangle `t` \[m\].
    fn corners(&self, t: u32) -> [DVec3; 3];

    /// Unit normal of triangle `t`.
    fn normal(&self, t: u32) -> DVec3;

    /// The triangle across an edge of triangle `t`; [`NO_TRIANGLE`] at the rim.
    fn across(&self, t: u32, edge: usize) -> u32;

    /// How the surface goes on across an edge of triangle `t`.
    fn kind(&self, t: u32, edge: usize) -> EdgeKind;

    /// Where `point` lies.
    fn lie(&self, point: DVec3) -> Lie;
}

/// Planes that meet at less than this angle (its sine) are one plane: above the rounding of a file in single precision
/// whose triangles are ten times longer than wide.
const FLAT_SINE: f64 = 1e-5;

/// How a triangle over the edge with the given apex continues a triangle with the given normal.
pub(crate) fn edge_kind(from: DVec3, to: DVec3, apex: DVec3, normal: DVec3) -> EdgeKind {
    let along = (to - from).normalize_or_zero();
    let arm = apex - from;
    let across = arm - along * along.dot(arm);
    let sine = normal.dot(across) / across.length();
    // Folded back onto the triangle itself: a ridge, although the sine is small.
    let inward = normal.cross(along);
    if across.dot(inward) > 0.0 && sine.abs() <= FLAT_SINE {
        EdgeKind::Convex
    } else if sine.abs() <= FLAT_SINE {
        EdgeKind::Flat
    } else if sine > 0.0 {
        EdgeKind::Concave
    } else {
        EdgeKind::Convex
    }
}
