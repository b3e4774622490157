//! Points along the edges of a convex piece, for ground that may rise to them between two corners.

use granule_model::DVec3;

use super::capsule::BESIDE;
use crate::cylinder::{Cylinder, across};
use crate::geometry::Geometry;
use crate::surface::cuboid_corners;

/// Points of one edge or rim at most.
const MOST: usize = 64;
/// Points of a rim at least.
const FEWEST_OF_RIM: f64 = 8.0;

/// Calls `visit` with number and place (axes of the piece \[m\]) of points that are `apart` \[m\] from each other, or
/// less, on the edges of a piece; the corners are left out. `down` says where the ground is, in axes of the piece.
///
/// Points of a cylinder that lies keep their place to the ground while it rolls: they never come down as corners do.
pub(super) fn for_each_on_edges(
    piece: &Geometry,
    apart: f64,
    down: impl FnOnce() -> DVec3,
    mut visit: impl FnMut(u32, DVec3),
) {
    match piece {
        Geometry::Cuboid { half } => {
            let corners = cuboid_corners(*half);
            // Corners whose numbers differ in one bit have an edge between them.
            let edges = (0..8_usize).flat_map(|i| [1, 2, 4].map(|bit| (i, i | bit))).filter(|(i, j)| i != j);
            for (number, (i, j)) in edges.enumerate() {
                along(number, [corners[i], corners[j]], apart, &mut visit);
            }
        }
        Geometry::Convex(data) => {
            for (number, edge) in data.edges.iter().enumerate() {
                along(number, edge.vertices.map(|i| data.vertices[i as usize]), apart, &mut visit);
            }
        }
        Geometry::Cylinder(cylinder) => rims(cylinder, apart, down(), visit),
        _ => {}
    }
}

fn along(number: usize, [from, to]: [DVec3; 2], apart: f64, visit: &mut impl FnMut(u32, DVec3)) {
    let parts = ((from - to).length() / apart).ceil().min(MOST as f64);
    for k in 1..parts as usize {
        visit((MOST * number + k) as u32, from + k as f64 / parts * (to - from));
    }
}

fn rims(cylinder: &Cylinder, apart: f64, down: DVec3, mut visit: impl FnMut(u32, DVec3)) {
    let lies = down.z.abs() < BESIDE;
    let lowest = across(down).try_normalize().filter(|_| lies).unwrap_or(DVec3::X);
    let aside = DVec3::Z.cross(lowest);
    let radius = across(cylinder.rim(lowest, true)).length();
    let parts = (std::f64::consts::TAU * radius / apart).ceil().clamp(FEWEST_OF_RIM, MOST as f64);
    for k in 0..parts as usize {
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * k as f64 / parts);
        let direction = cosine * lowest + sine * aside;
        for is_high in [false, true] {
            visit((2 * k + usize::from(is_high)) as u32, cylinder.rim(direction, is_high));
        }
    }
}
