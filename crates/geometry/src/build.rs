//! The constructors of shapes: checks of what the user gave, mass properties, body axes.

use std::sync::Arc;

use granule_model::{DVec3, MassProperties, Pose};

use crate::check::{check_finite, check_length, check_size, check_vertex, check_vertices};
use crate::closed_mesh::ClosedMesh;
use crate::contour_ground::ContourGround;
use crate::convex::{ConvexData, Hull};
use crate::cylinder::Cylinder;
use crate::drum::Drum;
use crate::error::ShapeError;
use crate::geometry::{Container, Geometry, Part};
use crate::height_field::HeightField;
use crate::mass::Moments;
use crate::mesh::MeshData;
use crate::shape::{Shape, ShapeData};
use crate::surface::Surface;

impl Shape {
    /// A ball of `radius` \[m\] about the origin.
    pub fn sphere(radius: f64) -> Result<Shape, ShapeError> {
        check_length("radius", radius)?;
        solid("sphere", Geometry::Sphere { radius }, &Moments::sphere(radius), radius)
    }

    /// All points within `radius` \[m\] of a segment on the z axis of `length` \[m\] (between the centres of the caps).
    pub fn capsule(radius: f64, length: f64) -> Result<Shape, ShapeError> {
        check_length("radius", radius)?;
        check_length("length", length)?;
        let half_length = 0.5 * length;
        let moments = Moments::capsule(radius, half_length);
        solid("capsule", Geometry::Capsule { radius, half_length }, &moments, half_length + radius)
    }

    /// A round cylinder with flat ends, of `radius` and `length` \[m\], centred, axis along z.
    pub fn cylinder(radius: f64, length: f64) -> Result<Shape, ShapeError> {
        check_length("radius", radius)?;
        check_length("length", length)?;
        let cylinder = Cylinder { radius, half_length: 0.5 * length };
        let moments = Moments::cylinder(radius, cylinder.half_length);
        solid("cylinder", Geometry::Cylinder(cylinder), &moments, cylinder.bounding_radius())
    }

    /// A box of full edge lengths `size` \[m\], centred.
    pub fn cuboid(size: DVec3) -> Result<Shape, ShapeError> {
        check_size(size)?;
        let half = 0.5 * size;
        solid("cuboid", Geometry::Cuboid { half }, &Moments::cuboid(size), half.length())
    }

    /// The convex hull of `vertices` \[m\].
    ///
    /// Vertices closer than 1e-7 of the extent become one, faces bent by less than 1e-6 of it become flat, and a hull
    /// thinner than 1e-5 of it is refused.
    pub fn convex(vertices: &[DVec3]) -> Result<Shape, ShapeError> {
        check_vertices(vertices)?;
        let hull = Hull::new(vertices).ok_or(ShapeError::FlatHull { vertices: vertices.len() })?;
        let moments = Moments::polyhedron(&hull.points, &hull.triangles);
        let data = ConvexData::new(&hull, &moments.unit_mass().principal_frame());
        let radius = farthest(&data.vertices);
        solid("convex", Geometry::Convex(data), &moments, radius)
    }

    /// Solid parts at poses of their own axes in the axes of the whole.
    ///
    /// Mass properties are the sum over the parts: where parts overlap, the common volume counts twice. Parts may be
    /// compounds themselves.
    pub fn compound(parts: Vec<(Pose, Shape)>) -> Result<Shape, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::EmptyCompound);
        }
        let mut moments = Vec::with_capacity(parts.len());
        for (part, (pose, shape)) in parts.iter().enumerate() {
            if !pose.is_finite() || (pose.rotation.length() - 1.0).abs() > 1e-6 {
                return Err(ShapeError::PartPose { part });
            }
            check_vertex(part, pose.position)?;
            if let Geometry::Grain(_) = shape.0.geometry {
                return Err(ShapeError::PartOfGrid { part });
            }
            let unit = shape.0.unit_mass.ok_or(ShapeError::PartWithoutVolume { part, name: shape.name() })?;
            moments.push(Moments::from_unit_mass(&unit).moved(&normalized(pose)));
        }
        let moments = Moments::sum(&moments);
        let frame = moments.unit_mass().principal_frame().inverse();
        let mut solids = Vec::new();
        for (pose, shape) in &parts {
            let own = frame.compose(&normalized(pose));
            add_parts(&own.compose(&shape.0.frame.inverse()), &shape.0.geometry, &mut solids);
        }
        let radius = solids.iter().map(|p: &Part| part_radius(&p.pose, &p.geometry)).fold(0.0, f64::max);
        solid("compound", Geometry::Compound(solids), &moments, radius)
    }

    /// Seven cubes of edge `cube_edge` \[m\]: one in the middle and one on each of its faces.
    ///
    /// Mass properties are those of the seven cubes. Contacts see three bars of three cubes' length that cross in the
    /// middle: the bars have no faces inside an arm, so every corner, edge and face of a bar that can be touched from
    /// outside is one of the body, and three parts cost less than seven.
    pub fn cross(cube_edge: f64) -> Result<Shape, ShapeError> {
        check_length("edge of the cubes", cube_edge)?;
        let bars = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
            let half = 0.5 * cube_edge * (DVec3::ONE + 2.0 * axis);
            make_part(Pose::IDENTITY, Geometry::Cuboid { half })
        });
        let radius = bars.iter().map(|p| part_radius(&p.pose, &p.geometry)).fold(0.0, f64::max);
        let geometry = Geometry::Compound(bars.into());
        let shape = solid("compound", geometry, &Moments::cross(cube_edge), radius)?;
        Ok(with_surface(shape, crate::surface::cross_surface(cube_edge)))
    }

    /// All points `p` with `normal . p <= 0`; the normal need not have unit length.
    pub fn half_space(normal: DVec3) -> Result<Shape, ShapeError> {
        for value in normal.to_array() {
            check_finite("normal", value)?;
        }
        let largest = normal.abs().max_element();
        if largest == 0.0 {
            return Err(ShapeError::ZeroNormal);
        }
        // First to unit size: the square of a tiny or huge component would vanish or overflow.
        let normal = (normal / largest).normalize();
        Ok(boundless("half-space", Geometry::HalfSpace { normal }, f64::INFINITY))
    }

    /// A surface of triangles, for static and driven bodies. It holds bodies on either side.
    ///
    /// Triangles beside each other must run the same way round; which, does not matter to contacts. A closed surface
    /// that looks inward as a whole is turned.
    pub fn mesh(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Shape, ShapeError> {
        let data = MeshData::new(vertices, triangles)?;
        let radius = farthest(&data.vertices);
        Ok(boundless("mesh", Geometry::Mesh(data), radius))
    }

    /// Ground as a raster of heights, for static and driven bodies: solid below its surface, at any depth.
    ///
    /// The origin of the own axes is the lower left corner of the lower left cell; see [`HeightField`] for where the
    /// surface ends. A body whose middle is below the surface is pushed up, along the normal of the triangle over it.
    pub fn height_field(field: HeightField) -> Shape {
        let radius = field.farthest();
        boundless("height-field", Geometry::HeightField(field), radius)
    }

    /// The same ground as signed distances on a grid of `spacing` \[m\], held up to `band_cells` spacings from the
    /// surface, for static and driven bodies; [`Shape::as_height_field`] tells the raster.
    ///
    /// Distances are those from the triangles of the raster, in sixteen bits: with a band of three spacings they are
    /// off by 5e-5 of one at most. The grid rounds what is finer than its spacing.
    ///
    /// # Errors
    /// [`ShapeError::LevelSet`] for a spacing that is not positive and a grid that is too large.
    pub fn level_set_ground(field: HeightField, spacing: f64, band_cells: u32) -> Result<Shape, ShapeError> {
        let radius = field.farthest();
        let ground = ContourGround::new(field, spacing, band_cells).map_err(ShapeError::LevelSet)?;
        Ok(boundless("level-set-ground", Geometry::ContourGround(ground.into()), radius))
    }

    /// The solid that a closed surface of triangles encloses, for dynamic bodies.
    ///
    /// Mass properties are exact for the surface given. Contacts see the hull where the mesh is convex, else a convex
    /// decomposition made here, once for all clones of the shape. Pictures and [`Shape::highest_point`] see the surface
    /// given. A surface that is inside out as a whole is turned.
    pub fn closed_mesh(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Shape, ShapeError> {
        let mesh = ClosedMesh::new(vertices, triangles)?;
        let frame = mesh.moments.unit_mass().principal_frame();
        let mut parts = mesh.convex_parts(&frame)?;
        let corners: Vec<_> = mesh.vertices.iter().map(|&v| frame.inverse_transform_point(v)).collect();
        let radius = farthest(&corners);
        let geometry = if parts.len() == 1 {
            parts.remove(0)
        } else {
            Geometry::Compound(parts.into_iter().map(|g| make_part(Pose::IDENTITY, g)).collect())
        };
        let shape = solid("closed-mesh", geometry, &mesh.moments, radius)?;
        Ok(with_surface(shape, Surface { vertices: corners, triangles: mesh.triangles }))
    }

    /// A box open at the top: floor at z = 0 and four walls around `0 <= x <= size.x`, `0 <= y <= size.y` \[m\].
    ///
    /// The walls are half-spaces: they reach up without bound, whatever the height `size.z`, which only pictures use.
    pub fn container(size: DVec3) -> Result<Shape, ShapeError> {
        check_size(size)?;
        Ok(boundless("container", Geometry::Container(Container::new(size)), f64::INFINITY))
    }

    /// A silo open at the top: floor at z = 0 and a round wall of inner `radius` \[m\] about the z axis.
    ///
    /// Floor and wall have no end: nothing leaves over the top, whatever the `height` \[m\], which only pictures use.
    pub fn cylindrical_container(radius: f64, height: f64) -> Result<Shape, ShapeError> {
        check_length("radius", radius)?;
        check_length("height", height)?;
        Ok(boundless("cylindrical-container", Geometry::Drum(Drum::open(radius, height)), f64::INFINITY))
    }

    /// A closed round vessel, centred, axis along z, of inner `radius` and inner `length` \[m\]: all is solid but its
    /// inside.
    pub fn drum(radius: f64, length: f64) -> Result<Shape, ShapeError> {
        check_length("radius", radius)?;
        check_length("length", length)?;
        Ok(boundless("drum", Geometry::Drum(Drum::closed(radius, length)), f64::INFINITY))
    }
}

/// A shape with mass; refused when rounding leaves it without a positive moment of inertia.
pub(crate) fn solid(
    name: &'static str,
    geometry: Geometry,
    moments: &Moments,
    bounding_radius: f64,
) -> Result<Shape, ShapeError> {
    let unit = moments.unit_mass();
    let inertia = unit.principal_inertia;
    if !(inertia.is_finite() && inertia.min_element() > 0.0) {
        return Err(ShapeError::Proportions { name, moments: inertia });
    }
    let equivalent_radius = libm::cbrt(unit.volume * 3.0 / (4.0 * std::f64::consts::PI));
    let frame = unit.principal_frame().inverse();
    Ok(make(name, geometry, frame, Some(unit), equivalent_radius, bounding_radius))
}

fn boundless(name: &'static str, geometry: Geometry, bounding_radius: f64) -> Shape {
    make(name, geometry, Pose::IDENTITY, None, f64::INFINITY, bounding_radius)
}

fn make(
    name: &'static str,
    geometry: Geometry,
    frame: Pose,
    unit_mass: Option<MassProperties>,
    equivalent_radius: f64,
    bounding_radius: f64,
) -> Shape {
    let data = ShapeData { name, geometry, frame, unit_mass, equivalent_radius, bounding_radius, surface: None };
    Shape(Arc::new(data))
}

fn with_surface(shape: Shape, surface: Surface) -> Shape {
    let data = Arc::try_unwrap(shape.0).expect("a shape just made has one owner");
    Shape(Arc::new(ShapeData { surface: Some(surface), ..data }))
}

/// Appends the convex pieces of `geometry`, whose body axes have the given pose in those of the whole.
fn add_parts(pose: &Pose, geometry: &Geometry, parts: &mut Vec<Part>) {
    match geometry {
        Geometry::Compound(inner) => inner.iter().for_each(|p| add_parts(&pose.compose(&p.pose), &p.geometry, parts)),
        convex => parts.push(make_part(*pose, convex.clone())),
    }
}

fn make_part(pose: Pose, geometry: Geometry) -> Part {
    let bounds = crate::bounds::aabb(&geometry, &pose);
    Part { pose, geometry, bounds, size: bounds.size().max_element() }
}

/// Largest distance from the origin of a convex piece at `pose`.
fn part_radius(pose: &Pose, geometry: &Geometry) -> f64 {
    let reach = |p: DVec3| pose.transform_point(p).length();
    match geometry {
        Geometry::Sphere { radius } => pose.position.length() + radius,
        Geometry::Capsule { radius, half_length } => {
            reach(DVec3::Z * *half_length).max(reach(DVec3::NEG_Z * *half_length)) + radius
        }
        Geometry::Cuboid { half } => crate::surface::cuboid_corners(*half).map(reach).into_iter().fold(0.0, f64::max),
        Geometry::Convex(data) => data.vertices.iter().map(|&v| reach(v)).fold(0.0, f64::max),
        Geometry::Cylinder(cylinder) => {
            // The farthest point of a circle lies across the axis as its centre does.
            let outward = crate::cylinder::across(pose.inverse_transform_vector(pose.position)).normalize_or(DVec3::X);
            [false, true].map(|is_high| reach(cylinder.rim(outward, is_high))).into_iter().fold(0.0, f64::max)
        }
        Geometry::Grain(_)
        | Geometry::Compound(_)
        | Geometry::HalfSpace { .. }
        | Geometry::Mesh(_)
        | Geometry::HeightField(_)
        | Geometry::ContourGround(_)
        | Geometry::Container(_)
        | Geometry::Drum(_) => f64::INFINITY,
    }
}

fn farthest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.length()).fold(0.0, f64::max)
}

fn normalized(pose: &Pose) -> Pose {
    Pose::new(pose.position, pose.rotation.normalize())
}
