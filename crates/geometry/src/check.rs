//! Whether numbers that the user gives can be computed with.

use granule_model::{Aabb, DVec3};

use crate::error::ShapeError;
use crate::limits::{LONGEST, SHORTEST};

pub(crate) fn check_finite(what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value.is_finite() { Ok(()) } else { Err(ShapeError::NotFinite { what, value }) }
}

pub(crate) fn check_length(what: &'static str, value: f64) -> Result<(), ShapeError> {
    check_finite(what, value)?;
    if value <= 0.0 {
        return Err(ShapeError::NotPositive { what, value });
    }
    if (SHORTEST..=LONGEST).contains(&value) { Ok(()) } else { Err(ShapeError::OutOfRange { what, value }) }
}

pub(crate) fn check_size(size: DVec3) -> Result<(), ShapeError> {
    check_length("size along x", size.x)?;
    check_length("size along y", size.y)?;
    check_length("size along z", size.z)
}

/// All coordinates must be finite and of a size that can be computed with.
pub(crate) fn check_vertices(vertices: &[DVec3]) -> Result<(), ShapeError> {
    vertices.iter().enumerate().try_for_each(|(i, &v)| check_vertex(i, v))?;
    let extent = Aabb::from_points(vertices.iter().copied()).size().max_element();
    if extent > 0.0 && extent < SHORTEST {
        return Err(ShapeError::OutOfRange { what: "extent of the vertices", value: extent });
    }
    Ok(())
}

pub(crate) fn check_vertex(vertex: usize, position: DVec3) -> Result<(), ShapeError> {
    if !position.is_finite() {
        return Err(ShapeError::VertexNotFinite { vertex, position });
    }
    let value = position.abs().max_element();
    if value > LONGEST { Err(ShapeError::OutOfRange { what: "coordinate", value }) } else { Ok(()) }
}
