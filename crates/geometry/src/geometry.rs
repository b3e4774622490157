//! What shapes are made of: the data that the kernels of the narrow phase read.
//!
//! Everything here is in body axes (origin in the centre of mass, axes along the principal axes) and immutable after
//! construction. Checks of user input live in `build`, contact kernels in `narrow`.

use std::sync::Arc;

use granule_model::{Aabb, DVec3, Pose};

use crate::contour_ground::ContourGround;
use crate::convex::ConvexData;
use crate::cylinder::Cylinder;
use crate::drum::Drum;
use crate::grain::GrainData;
use crate::height_field::HeightField;
use crate::mesh::MeshData;

/// What a shape is made of, in body axes.
#[derive(Clone, Debug)]
pub(crate) enum Geometry {
    /// Centred ball.
    Sphere { radius: f64 },
    /// All points within `radius` of the segment from `-half_length` to `half_length` on the z axis.
    Capsule { radius: f64, half_length: f64 },
    /// Centred box, edges along the axes.
    Cuboid { half: DVec3 },
    /// Convex polyhedron.
    Convex(ConvexData),
    /// Signed distances on a grid, with nodes on their contour.
    Grain(Arc<GrainData>),
    /// Round rod or disc with flat ends, axis along z.
    Cylinder(Cylinder),
    /// Union of convex parts; they may overlap each other.
    Compound(Vec<Part>),
    /// All points `p` with `normal . p <= 0` are solid.
    HalfSpace { normal: DVec3 },
    /// Surface of triangles, without inside; only static and driven bodies have it.
    Mesh(MeshData),
    /// Ground as signed distances on a grid, solid below; only static and driven bodies have it.
    ContourGround(Arc<ContourGround>),
    /// Ground as a raster of heights, solid below; only static and driven bodies have it.
    HeightField(HeightField),
    /// Floor and four walls of a box, open at the top.
    Container(Container),
    /// Round wall, seen from inside, between flat ends.
    Drum(Drum),
}

impl Geometry {
    /// Half the smallest width of a convex piece \[m\]; infinite for shapes without inside, of a compound that of its
    /// thinnest part.
    pub(crate) fn half_width(&self) -> f64 {
        match self {
            Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => *radius,
            Geometry::Cuboid { half } => half.min_element(),
            Geometry::Convex(data) => data.half_width,
            Geometry::Grain(data) => data.half_width,
            Geometry::Cylinder(cylinder) => cylinder.radius.min(cylinder.half_length),
            Geometry::Compound(parts) => parts.iter().map(|p| p.geometry.half_width()).fold(f64::INFINITY, f64::min),
            Geometry::HalfSpace { .. }
            | Geometry::Mesh(_)
            | Geometry::HeightField(_)
            | Geometry::ContourGround(_)
            | Geometry::Container(_)
            | Geometry::Drum(_) => f64::INFINITY,
        }
    }
}

/// One convex piece of a compound.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Axes of the part in body axes of the whole.
    pub(crate) pose: Pose,
    /// Always `Sphere`, `Capsule`, `Cuboid`, `Convex` or `Cylinder`.
    pub(crate) geometry: Geometry,
    /// Box around the part in body axes of the whole.
    pub(crate) bounds: Aabb,
    /// The largest edge of that box \[m\].
    pub(crate) size: f64,
}

/// The planes of an open box container.
///
/// Each plane is a half-space of its own: the walls reach up (and sideways) without bound, so nothing can leave over
/// the top or pass through a wall at any speed. All points `p` with `normal . p <= offset` of any plane are solid.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    /// Inner size \[m\]; the height is only drawn.
    pub(crate) size: DVec3,
    /// Inward unit normal and offset \[m\]: floor, then the walls at low x, high x, low y, high y.
    pub(crate) planes: [(DVec3, f64); 5],
}

impl Container {
    /// The container whose free space is `0 <= x <= size.x`, `0 <= y <= size.y`, `0 <= z`.
    pub(crate) fn new(size: DVec3) -> Self {
        let planes =
            [(DVec3::Z, 0.0), (DVec3::X, 0.0), (DVec3::NEG_X, -size.x), (DVec3::Y, 0.0), (DVec3::NEG_Y, -size.y)];
        Container { size, planes }
    }
}
