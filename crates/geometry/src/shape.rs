//! The shape of a body: immutable, shared, in body axes.

use std::sync::Arc;

use granule_model::{Aabb, DVec3, MassProperties, Pose};

use crate::geometry::{Geometry, Part};
use crate::height_field::HeightField;
use crate::highest::Rectangle;
use crate::surface::{Primitive, Surface};

/// The shape of a body, cheap to clone.
///
/// *Own axes* are those in which the shape was given (vertices of a file, axis of a capsule along z). *Body axes* have
/// their origin in the centre of mass and lie along the principal axes; poses of bodies are poses of the body axes.
#[derive(Clone, Debug)]
pub struct Shape(pub(crate) Arc<ShapeData>);

/// What the clones of a shape share.
#[derive(Debug)]
pub(crate) struct ShapeData {
    pub(crate) name: &'static str,
    /// What contacts see.
    pub(crate) geometry: Geometry,
    /// Own axes in body axes.
    pub(crate) frame: Pose,
    /// At density 1, in own axes; none for shapes without finite volume.
    pub(crate) unit_mass: Option<MassProperties>,
    pub(crate) equivalent_radius: f64,
    pub(crate) bounding_radius: f64,
    /// The true surface in body axes, where it is not that of the geometry (which serves contacts).
    pub(crate) surface: Option<Surface>,
}

/// How the surface of a shape is rounded where it touches first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rounding {
    /// Corners and edges.
    Sharp,
    /// All points within so much \[m\] of a point or of a segment.
    Radius(f64),
}

/// Angle between a face and a normal that is the face's, beyond what rounding leaves \[rad\].
const ALIGNED: f64 = 1e-6;

/// Whether a unit vector whose part along another one is `cosine` leads the same way, but for a small `angle` \[rad\].
fn is_along(cosine: f64, angle: f64) -> bool {
    cosine >= 1.0 - 0.5 * angle * angle
}

/// How flat the surface of a shape is at a place, see [`Shape::flatness_along`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flatness {
    /// No more than a plane touches there, whatever lies on it.
    Plane,
    /// One of many triangles, or an edge between two.
    Facets,
    /// An edge, a corner or something round; or it is not known.
    None,
}

fn flat_if(is_flat: bool) -> Flatness {
    if is_flat { Flatness::Plane } else { Flatness::None }
}

/// Whether a solid has a face with this normal (body axes), but for an `angle` \[rad\].
fn has_face_along(geometry: &Geometry, normal: DVec3, angle: f64) -> bool {
    match geometry {
        Geometry::Cuboid { .. } => is_along(normal.abs().max_element(), angle),
        Geometry::Convex(data) => data.faces.iter().any(|face| is_along(face.normal.dot(normal), angle)),
        Geometry::Cylinder(_) => is_along(normal.z.abs(), angle),
        Geometry::Compound(parts) => {
            let of = |part: &Part| has_face_along(&part.geometry, part.pose.inverse_transform_vector(normal), angle);
            parts.iter().any(of)
        }
        _ => false,
    }
}

/// See [`Shape::rounding_along`].
fn rounding_along(geometry: &Geometry, normal: DVec3) -> Option<Rounding> {
    match geometry {
        Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => Some(Rounding::Radius(*radius)),
        Geometry::Cuboid { .. } | Geometry::Convex(_) => Some(Rounding::Sharp),
        Geometry::Cylinder(_) if is_along(normal.z.abs(), ALIGNED) => Some(Rounding::Sharp),
        Geometry::Cylinder(cylinder) if normal.z.abs() <= ALIGNED => Some(Rounding::Radius(cylinder.radius)),
        Geometry::Compound(parts) => {
            let of = |part: &Part| rounding_along(&part.geometry, part.pose.inverse_transform_vector(normal));
            let mut of_parts = parts.iter().map(of);
            let first = of_parts.next()??;
            of_parts.all(|of_part| of_part == Some(first)).then_some(first)
        }
        _ => None,
    }
}

/// See [`Shape::edge_along`].
fn edge_along(geometry: &Geometry, normal: DVec3, angle: f64) -> Option<DVec3> {
    match geometry {
        Geometry::Cuboid { .. } => {
            let mut across = DVec3::AXES.into_iter().filter(|axis| axis.dot(normal).abs() <= angle);
            let edge = across.next()?;
            across.next().is_none().then_some(edge)
        }
        Geometry::Convex(data) => {
            let most = data.vertices.iter().map(|v| v.dot(normal)).fold(f64::NEG_INFINITY, f64::max);
            let is_outermost = |v: &&DVec3| v.dot(normal) >= most - angle / data.unit_scale;
            let mut outermost = data.vertices.iter().filter(is_outermost);
            let (first, second) = (outermost.next()?, outermost.next()?);
            if outermost.next().is_none() { (*second - *first).try_normalize() } else { None }
        }
        Geometry::Compound(parts) => {
            let of = |part: &Part| {
                let along = edge_along(&part.geometry, part.pose.inverse_transform_vector(normal), angle)?;
                Some(part.pose.transform_vector(along))
            };
            let mut of_parts = parts.iter().map(of);
            let first = of_parts.next()??;
            of_parts.all(|edge| edge.is_some_and(|edge| edge.cross(first).length() <= ALIGNED)).then_some(first)
        }
        _ => None,
    }
}

impl Shape {
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

    /// Half the smallest width of the thinnest convex piece \[m\]; infinite for shapes without finite volume.
    pub fn half_width(&self) -> f64 {
        self.0.geometry.half_width()
    }

    /// How far the surface of a level-set grain stands out between its nodes \[m\]: two of them may sink into each
    /// other by as much before a node is met. None for other shapes.
    pub fn hidden_between_nodes(&self) -> Option<f64> {
        match &self.0.geometry {
            Geometry::Grain(grain) => Some(grain.hidden),
            _ => None,
        }
    }

    /// Largest distance of a surface point from the centre of mass \[m\]; may be infinite.
    pub fn bounding_radius(&self) -> f64 {
        self.0.bounding_radius
    }

    /// True for a solid body of finite volume; only such bodies can be dynamic.
    pub fn has_volume(&self) -> bool {
        self.0.unit_mass.is_some()
    }

    /// How what touches first of the shape is rounded where it looks along the unit vector `normal` (body axes), if
    /// that is the same all over: a cylinder that stands is sharp, and one that lies is round. None where it is not,
    /// and of shapes without inside.
    pub fn rounding_along(&self, normal: DVec3) -> Option<Rounding> {
        rounding_along(&self.0.geometry, normal)
    }

    /// Direction of the edge that lies outermost along the unit vector `normal` (both in body axes), which is across it
    /// but for an `angle` \[rad\]; a unit vector either way. None where a corner does, or a face, and of shapes other
    /// than cuboids, hulls and compounds whose parts all agree.
    pub fn edge_along(&self, normal: DVec3, angle: f64) -> Option<DVec3> {
        edge_along(&self.0.geometry, normal, angle)
    }

    /// How flat the surface is where it looks along the unit vector `normal` (body axes), but for an `angle` \[rad\].
    pub fn flatness_along(&self, normal: DVec3, angle: f64) -> Flatness {
        let is_plane = |(n, _): &(DVec3, f64)| is_along(n.dot(normal), angle);
        match &self.0.geometry {
            Geometry::HalfSpace { .. } => Flatness::Plane,
            Geometry::Mesh(_) | Geometry::HeightField(_) => Flatness::Facets,
            Geometry::Container(container) => flat_if(container.planes.iter().any(is_plane)),
            Geometry::Drum(drum) => flat_if(drum.planes().any(|plane| is_plane(&plane))),
            geometry => flat_if(has_face_along(geometry, normal, angle)),
        }
    }

    /// True for a half-space, and for containers and drums, whose walls have no end.
    pub fn is_unbounded(&self) -> bool {
        self.0.bounding_radius == f64::INFINITY
    }

    /// The box of the world that the shape fills at `pose` (of the body axes), infinite where it has no bound; of a
    /// height field that of its surface.
    ///
    /// Tight to rounding; for hulls and closed meshes to 1e-6 of their extent, within which their faces were made flat.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        crate::bounds::aabb(&self.0.geometry, pose)
    }

    /// The highest point of the surface, at `pose` of the body axes, whose x and y lie in the closed rectangle from
    /// `min` to `max` (world axes \[m\]); none when the shape does not reach over the rectangle.
    ///
    /// A half-space that does not look up has none. The walls of a container have no top and are left out: its floor
    /// counts, of a drum nothing. Of a cylinder whose top is beside the
    /// rectangle it is a point of the surface beside the highest, by 8e-5 of the radius. Of a level-set grain it is the
    /// highest node, and where the rectangle is one place the contour there.
    pub fn highest_point(&self, pose: &Pose, min: [f64; 2], max: [f64; 2]) -> Option<DVec3> {
        let cell = Rectangle { min, max };
        let mut best = None;
        // Written so that NaN is no rectangle.
        if min[0] <= max[0] && min[1] <= max[1] {
            match &self.0.surface {
                Some(surface) => crate::highest::raise_surface(surface, pose, &cell, &mut best),
                None => crate::highest::raise_geometry(&self.0.geometry, pose, &cell, &mut best),
            }
        }
        best
    }

    /// The surface in body axes as primitives for a ray caster. Walls of a container are drawn up to its height; of a
    /// height field every triangle is.
    pub fn surface(&self) -> Vec<Primitive> {
        if let Some(surface) = &self.0.surface {
            return vec![Primitive::Triangles(surface.clone())];
        }
        let mut primitives = Vec::new();
        crate::surface::primitives(&self.0.geometry, &|p| p, &mut primitives);
        primitives
    }

    /// The raster that a height field or ground on a grid is made of; none for other shapes.
    pub fn as_height_field(&self) -> Option<&HeightField> {
        match &self.0.geometry {
            Geometry::HeightField(field) => Some(field),
            Geometry::ContourGround(ground) => Some(&ground.field),
            _ => None,
        }
    }

    /// True for a level-set grain, whose contacts are nodes of its surface against the field of another.
    pub fn is_grain(&self) -> bool {
        matches!(self.0.geometry, Geometry::Grain(_))
    }

    /// True for ground with a surface of its own, mesh, height field or level set, which a body may pass within one
    /// motion without a trace: see [`passage`](crate::passage).
    pub fn is_ground(&self) -> bool {
        matches!(self.0.geometry, Geometry::Mesh(_) | Geometry::HeightField(_) | Geometry::ContourGround(_))
    }

    /// The solid half-spaces of a half-space, a container or the flat ends of a drum, in body axes: outward unit normal
    /// `n` and offset `d` \[m\] of each, all points `p` with `n.p <= d` being solid. None for other shapes.
    pub fn half_spaces(&self) -> Vec<(DVec3, f64)> {
        match &self.0.geometry {
            Geometry::HalfSpace { normal } => vec![(*normal, 0.0)],
            Geometry::Container(container) => container.planes.to_vec(),
            Geometry::Drum(drum) => drum.planes().collect(),
            _ => Vec::new(),
        }
    }

    /// The surface in body axes as triangles, round parts with `segments` around (at least 3 are made). Overlapping
    /// parts of a compound are drawn whole; a half-space has no triangles.
    pub fn triangulate(&self, segments: u32) -> Surface {
        match &self.0.surface {
            Some(surface) => surface.clone(),
            None => crate::surface::triangles(&self.0.geometry, segments),
        }
    }
}
