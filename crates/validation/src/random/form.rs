//! The shapes of random scenes as plain data: they can be scaled, built, taken apart into convex parts and written.

use granule_geometry::{Shape, ShapeError};
use granule_model::{DVec3, Pose};

use super::solid::Solid;

/// What a body looks like, in its own axes; lengths in \[m\].
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// All points within a radius of a segment on the z axis.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Length of the segment.
        length: f64,
    },
    /// A box, centred.
    Cuboid {
        /// Full edge lengths.
        size: DVec3,
    },
    /// A convex hull.
    Convex {
        /// Its points.
        vertices: Vec<DVec3>,
    },
    /// Parts put together.
    Compound {
        /// Parts with the poses of their own axes.
        parts: Vec<(Pose, Form)>,
    },
    /// Seven cubes.
    Cross {
        /// Edge of a cube.
        edge: f64,
    },
    /// The solid that triangles enclose.
    ClosedMesh {
        /// Corners.
        vertices: Vec<DVec3>,
        /// Triangles, counter-clockwise seen from outside.
        triangles: Vec<[u32; 3]>,
        /// Convex parts that fill the solid exactly.
        parts: Vec<(Pose, Form)>,
    },
    /// Everything behind a plane through the origin.
    HalfSpace {
        /// Out of the solid.
        normal: DVec3,
    },
    /// A box open at the top.
    Container {
        /// Inner edge lengths.
        size: DVec3,
    },
    /// A surface of triangles, solid behind them.
    Mesh {
        /// Corners.
        vertices: Vec<DVec3>,
        /// Triangles, counter-clockwise seen from the free side.
        triangles: Vec<[u32; 3]>,
        /// What is solid behind it.
        parts: Vec<(Pose, Form)>,
    },
}

/// A convex part of a form, or the whole of one without volume.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its shape.
    pub(crate) shape: Shape,
    /// Pose of the part's body axes in the own axes of the form.
    pub(crate) pose: Pose,
    /// Half of the smallest distance of two parallel planes that hold it \[m\]; infinite without volume.
    pub(crate) half_width: f64,
    /// Its corners and axes, in body axes; none without volume.
    pub(crate) solid: Option<Solid>,
}

impl Form {
    /// The shape.
    ///
    /// # Errors
    /// [`ShapeError`] when the engine refuses it.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        match self {
            Form::Sphere { radius } => Shape::sphere(*radius),
            Form::Capsule { radius, length } => Shape::capsule(*radius, *length),
            Form::Cuboid { size } => Shape::cuboid(*size),
            Form::Convex { vertices } => Shape::convex(vertices),
            Form::Compound { parts } => {
                Shape::compound(parts.iter().map(|(pose, form)| Ok((*pose, form.shape()?))).collect::<Result<_, _>>()?)
            }
            Form::Cross { edge } => Shape::cross(*edge),
            Form::ClosedMesh { vertices, triangles, .. } => Shape::closed_mesh(vertices, triangles),
            Form::HalfSpace { normal } => Shape::half_space(*normal),
            Form::Container { size } => Shape::container(*size),
            Form::Mesh { vertices, triangles, .. } => Shape::mesh(vertices, triangles),
        }
    }

    /// The form with all lengths times `factor`; a half-space stays as it is.
    #[must_use]
    pub(crate) fn scaled(&self, factor: f64) -> Form {
        let points = |v: &[DVec3]| v.iter().map(|p| *p * factor).collect();
        let scaled = |parts: &[(Pose, Form)]| {
            let moved = |pose: &Pose| Pose::new(pose.position * factor, pose.rotation);
            parts.iter().map(|(pose, form)| (moved(pose), form.scaled(factor))).collect()
        };
        match self {
            Form::Sphere { radius } => Form::Sphere { radius: radius * factor },
            Form::Capsule { radius, length } => Form::Capsule { radius: radius * factor, length: length * factor },
            Form::Cuboid { size } => Form::Cuboid { size: *size * factor },
            Form::Convex { vertices } => Form::Convex { vertices: points(vertices) },
            Form::Compound { parts } => Form::Compound { parts: scaled(parts) },
            Form::Cross { edge } => Form::Cross { edge: edge * factor },
            Form::ClosedMesh { vertices, triangles, parts } => {
                Form::ClosedMesh { vertices: points(vertices), triangles: triangles.clone(), parts: scaled(parts) }
            }
            Form::HalfSpace { normal } => Form::HalfSpace { normal: *normal },
            Form::Container { size } => Form::Container { size: *size * factor },
            Form::Mesh { vertices, triangles, parts } => {
                Form::Mesh { vertices: points(vertices), triangles: triangles.clone(), parts: scaled(parts) }
            }
        }
    }

    /// The convex parts that contacts see.
    ///
    /// # Errors
    /// [`ShapeError`] when the engine refuses one.
    pub(crate) fn parts(&self) -> Result<Vec<Part>, ShapeError> {
        let mut parts = Vec::new();
        self.append_parts(&Pose::IDENTITY, &mut parts)?;
        Ok(parts)
    }

    fn append_parts(&self, own: &Pose, parts: &mut Vec<Part>) -> Result<(), ShapeError> {
        match self {
            Form::Compound { parts: inner }
            | Form::ClosedMesh { parts: inner, .. }
            | Form::Mesh { parts: inner, .. } => {
                inner.iter().try_for_each(|(pose, form)| form.append_parts(&own.compose(pose), parts))
            }
            Form::Cross { edge } => [DVec3::X, DVec3::Y, DVec3::Z].into_iter().try_for_each(|axis| {
                let bar = Form::Cuboid { size: *edge * (DVec3::ONE + 2.0 * axis) };
                bar.append_parts(own, parts)
            }),
            whole => {
                let shape = whole.shape()?;
                let pose = own.compose(&shape.frame().inverse());
                let solid = whole.solid(&shape);
                let half_width = solid.as_ref().map_or(f64::INFINITY, Solid::half_width);
                parts.push(Part { half_width, solid, shape, pose });
                Ok(())
            }
        }
    }

    /// Corners and axes of a convex form of this `shape`; none without volume.
    fn solid(&self, shape: &Shape) -> Option<Solid> {
        match self {
            Form::Sphere { radius } => Some(Solid::round(vec![DVec3::ZERO], *radius)),
            Form::Capsule { radius, length } => {
                let end = shape.frame().transform_vector(DVec3::Z) * (0.5 * length);
                Some(Solid::round(vec![end, -end], *radius))
            }
            Form::Cuboid { .. } | Form::Convex { .. } => Some(Solid::polyhedron(shape)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cross_has_three_bars_and_a_scaled_form_scaled_parts() {
        let parts = Form::Cross { edge: 0.5 }.scaled(4.0).parts().expect("a cross");
        assert_eq!(parts.len(), 3);
        assert!(parts.iter().all(|p| p.half_width == 1.0));
    }
}
