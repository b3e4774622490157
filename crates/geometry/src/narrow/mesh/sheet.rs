//! Grains against the triangles of a surface: signed distances from those near it, and peaks of the surface.
//!
//! The distance of a point is that of the nearest triangle; its sign is that of the height over the triangle's plane,
//! on the side on which the grain is held. Where triangles are equally near, at an edge, that over whose plane the
//! point is farthest decides (Baerentzen and Aanaes 2005 weight by angles; of two triangles this has the same sign).
//! Beyond the rim of the surface all points are outside.

use std::cell::Cell;

use granule_levelset::nearest_on_triangle;
use granule_model::{ContactPoint, DVec3, Pose};

use super::Held;
use super::facet::Facet;
use crate::distance::Distance;
use crate::grain::GrainData;
use crate::ground::TriangleSurface;
use crate::narrow::field::Field;
use crate::narrow::grain::{GroundPoint, grain_ground};

/// Squared distances that differ by less than this share are equal.
const EQUAL: f64 = 1e-9;
/// A point nearer than this share of a triangle's longest edge has the direction of the triangle.
const NEAR: f64 = 1e-9;
/// Directions that differ by less are one: twice the angle of a flat edge.
const SAME_NORMAL: f64 = 2e-5;
/// Heights that differ by this share of the size of the grain are equal.
const LEVEL: f64 = 1e-9;

thread_local! {
    /// Kept so that a warm step allocates nothing.
    static PLATES: Cell<Vec<Plate>> = const { Cell::new(Vec::new()) };
}

/// A triangle, seen from the side on which the grain is held.
struct Plate {
    index: u32,
    corners: [DVec3; 3],
    normal: DVec3,
    /// Of each edge of the rim the direction out of the triangle.
    rim: [Option<DVec3>; 3],
}

impl Plate {
    /// Whether the surface ends between `nearest`, its point nearest to `point`, and that one.
    fn ends_before(&self, point: DVec3, nearest: DVec3) -> bool {
        self.rim.iter().zip(self.corners).any(|(outward, from)| {
            outward.is_some_and(|outward| {
                let (beyond, at) = (outward.dot(point - nearest), outward.dot(nearest - from));
                // As long as the edge.
                beyond > 0.0 && at.abs() <= NEAR * outward.length_squared()
            })
        })
    }
}

/// The triangles near a grain.
struct Sheet {
    plates: Vec<Plate>,
}

impl Sheet {
    fn nearest(&self, point: DVec3) -> Option<Distance> {
        let mut best: Option<(f64, f64, DVec3, &Plate)> = None;
        for plate in &self.plates {
            let height = (point - plate.corners[0]).dot(plate.normal);
            if best.is_some_and(|(squared, ..)| height * height > squared * (1.0 + EQUAL)) {
                continue;
            }
            let apart = point - nearest_on_triangle(point, plate.corners);
            let squared = apart.length_squared();
            let is_nearer = best.is_none_or(|(least, most, ..)| {
                squared < least * (1.0 - EQUAL) || (squared <= least * (1.0 + EQUAL) && height.abs() > most)
            });
            if is_nearer {
                best = Some((squared, height.abs(), apart, plate));
            }
        }
        let (squared, _, apart, plate) = best?;
        let distance = squared.sqrt();
        let height = (point - plate.corners[0]).dot(plate.normal);
        let size = (plate.corners[1] - plate.corners[0]).length();
        let along = Distance { value: height, outward: plate.normal };
        if distance <= NEAR * size {
            return Some(along);
        }
        // Beyond its rim a surface has no inside.
        let side = if height < 0.0 && self.ends_before(point, squared) { 1.0 } else { 1f64.copysign(height) };
        let outward = apart * (side / distance);
        if (outward - plate.normal).length_squared() <= SAME_NORMAL * SAME_NORMAL {
            return Some(along);
        }
        Some(Distance { value: side * distance, outward })
    }

    /// Whether the surface ends between `point` and the points nearest to it, at this squared distance.
    fn ends_before(&self, point: DVec3, squared: f64) -> bool {
        self.plates.iter().filter(|plate| plate.rim != [None; 3]).any(|plate| {
            let nearest = nearest_on_triangle(point, plate.corners);
            let is_nearest = (point - nearest).length_squared() <= squared * (1.0 + EQUAL);
            is_nearest && plate.ends_before(point, nearest)
        })
    }
}

impl Field for Sheet {
    fn bound(&self, point: DVec3) -> f64 {
        self.nearest(point).map_or(f64::INFINITY, |d| d.value)
    }

    fn quick(&self, point: DVec3) -> Option<Distance> {
        self.nearest(point)
    }
}

/// A grain in axes of the surface against the triangles `near` it.
pub(super) fn grain_sheet<S: TriangleSurface>(
    (grain, pose): (&GrainData, &Pose),
    surface: &S,
    near: &[u32],
    (held, margin): (Held, f64),
    out: &mut Vec<ContactPoint>,
) {
    let mut plates = PLATES.take();
    plates.clear();
    plates.extend(near.iter().map(|&index| {
        let facet = Facet::new(surface, index);
        let is_behind = held == Held::OnBothSides && (pose.position - facet.corners[0]).dot(facet.normal) < 0.0;
        let rim = [0, 1, 2].map(|edge| facet.across(edge).is_none().then(|| facet.outward(edge)));
        let normal = if is_behind { -facet.normal } else { facet.normal };
        Plate { index, corners: facet.corners, normal, rim }
    }));
    let sheet = Sheet { plates };
    let level = LEVEL * grain.radius;
    let peaks = sheet.plates.iter().flat_map(|plate| (0..3).map(move |corner| (plate, corner)));
    let points = peaks.map(|(plate, corner)| {
        let at = plate.corners[corner];
        let is_peak = move |direction: DVec3| {
            let top = at.dot(direction) + level;
            direction.dot(plate.normal) > 0.0
                && Facet::new(surface, plate.index)
                    .around(corner, |f| f.corners.iter().all(|c| c.dot(direction) <= top))
        };
        GroundPoint { at, name: surface.vertices(plate.index)[corner], holds: is_peak }
    });
    grain_ground((grain, pose), &sheet, points, margin, out);
    PLATES.set(sheet.plates);
}
