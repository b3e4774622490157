//! The linear map that gives a raw shape the ratios of sides that were asked for.
//!
//! The raw shape is turned into the principal axes of its solid and stretched along each. Stretching along principal
//! axes leaves them principal, so the box along them gets the sides asked for exactly, in one step. The longest axis
//! becomes x, the shortest z.

use std::f64::consts::PI;

use granule_model::{DMat3, DVec3};

use crate::axes::{Moments, extents};

/// The map from the raw shape to one with sides in the ratios `1 : elongation : elongation flatness` and the volume of
/// the unit sphere; it has a positive determinant.
pub(crate) fn fit(vertices: &[DVec3], triangles: &[[u32; 3]], aspect: [f64; 2]) -> DMat3 {
    let moments = Moments::new(vertices, triangles);
    let axes = moments.axes();
    let sizes = extents(vertices.iter().copied(), &axes).to_array();
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| sizes[j].total_cmp(&sizes[i]));
    let target = sides_of(aspect).to_array();
    let mut rows: [DVec3; 3] = std::array::from_fn(|k| axes.col(order[k]) * (target[k] / sizes[order[k]]));
    if rows[0].dot(rows[1].cross(rows[2])) < 0.0 {
        rows[2] = -rows[2];
    }
    let map = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    map * libm::cbrt(4.0 / 3.0 * PI / (moments.volume * map.determinant()))
}

/// Sides in the ratios asked for, the longest 1.
pub(crate) fn sides_of([elongation, flatness]: [f64; 2]) -> DVec3 {
    DVec3::new(1.0, elongation, elongation * flatness)
}
