//! The shape of a body: immutable, shared, in body axes.

use std::sync::Arc;

use granule_model::{Aabb, DVec3, MassProperties, Pose};
use thiserror::Error;

use crate::geometry::Geometry;

/// A shape that cannot be built.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// In work.
    #[error("{0}")]
    Invalid(String),
}

/// The shape of a body, cheap to clone.
///
/// *Own axes* are those in which the shape was given (vertices of a file, axis of a capsule along z). *Body axes* have
/// their origin in the centre of mass and lie along the principal axes; poses of bodies are poses of the body axes.
#[derive(Clone, Debug)]
pub struct Shape(pub(crate) Arc<ShapeData>);

#[derive(Debug)]
pub(crate) struct ShapeData {
    pub(crate) name: &'static str,
    pub(crate) geometry: Geometry,
    /// Own axes in body axes.
    pub(crate) frame: Pose,
    /// At density 1, in own axes; none for shapes without finite volume.
    pub(crate) unit_mass: Option<MassProperties>,
    pub(crate) equivalent_radius: f64,
    pub(crate) bounding_radius: f64,
}

/// A piece of a shape's surface in body axes, for pictures.
#[derive(Clone, Debug)]
pub enum Primitive {
    /// A ball.
    Sphere { center: DVec3, radius: f64 },
    /// All points within `radius` of the segment.
    Capsule { start: DVec3, end: DVec3, radius: f64 },
    /// Flat triangles, counter-clockwise seen from outside.
    Triangles(Surface),
    /// All points with `normal . p <= offset` are solid.
    Plane { normal: DVec3, offset: f64 },
}

/// Triangles over shared vertices, in body axes.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Vertices \[m\].
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// A ball of `radius` \[m\].
    pub fn sphere(radius: f64) -> Result<Shape, ShapeError> {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let unit = MassProperties {
            volume,
            mass: volume,
            center: DVec3::ZERO,
            principal_inertia: DVec3::splat(0.4 * volume * radius * radius),
            principal_rotation: granule_model::DQuat::IDENTITY,
        };
        Ok(Shape(Arc::new(ShapeData {
            name: "sphere",
            geometry: Geometry::Sphere { radius },
            frame: Pose::IDENTITY,
            unit_mass: Some(unit),
            equivalent_radius: radius,
            bounding_radius: radius,
        })))
    }
    /// The kind of shape, as in scene files.
    pub fn name(&self) -> &'static str {
        self.0.name
    }
    /// Mass properties in own axes at `density` \[kg/m3\]; none for shapes without finite volume.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties> {
        self.0.unit_mass.map(|u| MassProperties {
            mass: u.mass * density,
            principal_inertia: u.principal_inertia * density,
            ..u
        })
    }
    /// Pose of the own axes in body axes.
    pub fn frame(&self) -> Pose {
        self.0.frame
    }
    /// Radius of the sphere of equal volume \[m\]; infinite for shapes without finite volume.
    pub fn equivalent_radius(&self) -> f64 {
        self.0.equivalent_radius
    }
    /// Largest distance of a surface point from the centre of mass \[m\]; may be infinite.
    pub fn bounding_radius(&self) -> f64 {
        self.0.bounding_radius
    }
    /// The box of the world that the shape fills at `pose` (of the body axes).
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let radius = self.0.bounding_radius;
        Aabb::new(pose.position, pose.position).padded(radius)
    }
}
