//! Grains against the triangles of a surface: signed distances from those near it, and peaks of the surface.
//!
//! The distance of a point is that of the nearest triangle; its sign is that of the height over the triangle's plane,
//! on the side on which the grain is held. Where triangles are equally near, at an edge, that over whose plane the
//! point is farthest decides (Baerentzen and Aanaes 2005 weight by angles; of two triangles this has the same sign).
//!
//! At the rim a surface ends in a wall that leads down from it on the side on which the grain is held: upright below
//! solid ground, along the normal behind a mesh. A grain whose middle is beyond the rim of a mesh is held on the side
//! of what reaches farthest over it.

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
use crate::narrow::ledge::{Ledge, ROUND};

/// Squared distances that differ by less than this share are equal.
const EQUAL: f64 = 1e-9;
/// A point nearer than this share of a triangle's longest edge has the direction of the triangle.
const NEAR: f64 = 1e-9;
/// A point of the surface so near to a rim, over the radius of it, may be nearest to the rounded rim.
const AT_RIM: f64 = 2.0;
/// Directions that differ by less are one: twice the angle of a flat edge.
const SAME_NORMAL: f64 = 2e-5;
/// Heights that differ by this share of the size of the grain are equal.
const LEVEL: f64 = 1e-9;

thread_local! {
    /// Kept so that a warm step allocates nothing.
    static SHEET: Cell<Sheet> = const { Cell::new(Sheet { plates: Vec::new(), rims: Vec::new(), round: 0.0 }) };
}

/// A triangle, seen from the side on which the grain is held.
struct Plate {
    index: u32,
    corners: [DVec3; 3],
    normal: DVec3,
}

/// An edge of one triangle alone.
struct RimEdge {
    /// Names of its ends.
    ends: [u32; 2],
    from: DVec3,
    to: DVec3,
    /// Normal of the triangle, on the side on which the grain is held.
    normal: DVec3,
    /// Unit normal of the wall below it.
    outward: DVec3,
}

impl RimEdge {
    /// The point of the edge next to `point`, and whether it is between its ends.
    fn nearest(&self, point: DVec3) -> (DVec3, bool) {
        let along = self.to - self.from;
        let share = (point - self.from).dot(along) / along.length_squared();
        (self.from + share.clamp(0.0, 1.0) * along, (0.0..=1.0).contains(&share))
    }

    fn beyond(&self, point: DVec3) -> f64 {
        self.outward.dot(point - self.from)
    }
}

/// The triangles near a grain.
#[derive(Default)]
struct Sheet {
    plates: Vec<Plate>,
    rims: Vec<RimEdge>,
    /// Radius of the rim \[m\].
    round: f64,
}

impl Sheet {
    fn nearest(&self, point: DVec3) -> Option<Distance> {
        let (apart, plate) = self.nearest_plate(point)?;
        let along = along_normal(point, apart, plate);
        Some(self.at_rim(point, point - apart, &along).unwrap_or(along))
    }

    /// The triangle next to `point`, and the way to the point from there.
    fn nearest_plate(&self, point: DVec3) -> Option<(DVec3, &Plate)> {
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
        best.map(|(_, _, apart, plate)| (apart, plate))
    }

    /// The distance of `point` where the rim or the wall below it is nearer than the surface, of which `foot` is the
    /// nearest point.
    fn at_rim(&self, point: DVec3, foot: DVec3, surface: &Distance) -> Option<Distance> {
        let beside = |rim: &RimEdge| (rim.nearest(foot).0 - foot).length();
        let is_at = |rim: &&RimEdge| beside(rim) <= AT_RIM * self.round;
        // At a corner of the outline that of both walls which the point is farther beyond.
        let is_nearer = |p: &RimEdge, q: &RimEdge| {
            let further = beside(p) - beside(q);
            if further.abs() <= NEAR * self.round { p.beyond(point) > q.beyond(point) } else { further < 0.0 }
        };
        if let Some(rim) = self.rims.iter().filter(is_at).reduce(|p, q| if is_nearer(q, p) { q } else { p }) {
            let ledge = Ledge { normal: rim.normal, outward: rim.outward, round: self.round };
            return Some(ledge.distance(rim.normal.dot(point - rim.from), rim.beyond(point)));
        }
        if surface.value >= 0.0 {
            return None;
        }
        self.wall(point).filter(|wall| wall.value > surface.value)
    }

    /// The wall next to a point in the ground.
    fn wall(&self, point: DVec3) -> Option<Distance> {
        let facing = self.rims.iter().filter(|rim| rim.beyond(point) < 0.0 && rim.nearest(point).1);
        let walls = facing.map(|rim| Distance { value: rim.beyond(point), outward: rim.outward });
        walls.reduce(|p, q| if q.value > p.value { q } else { p })
    }

    /// Whether the wall is the way out of the ground for a grain with its middle in it.
    fn leads_out(&self, middle: DVec3) -> bool {
        let surface = self.nearest_plate(middle).map(|(apart, plate)| along_normal(middle, apart, plate));
        surface.is_some_and(|surface| self.at_rim(middle, middle + surface.value * surface.outward, &surface).is_some())
    }

    /// The point of the grain that says on which side it is held: the middle, or where that is beyond a rim what
    /// reaches farthest over the surface.
    fn held_by(&self, grain: &GrainData, pose: &Pose) -> DVec3 {
        let middle = pose.position;
        if self.rims.is_empty() {
            return middle;
        }
        let Some((apart, _)) = self.nearest_plate(middle) else { return middle };
        let foot = middle - apart;
        let is_left = |rim: &&RimEdge| {
            (rim.nearest(foot).0 - foot).length_squared() <= NEAR * NEAR * (rim.to - rim.from).length_squared()
                && rim.beyond(middle) > 0.0
        };
        let Some(rim) = self.rims.iter().find(is_left) else { return middle };
        let placed = grain.placed(pose);
        placed.transform_point(grain.farthest_point(placed.inverse_transform_vector(-rim.outward)))
    }

    /// Fills in the triangles `near` a grain and the edges that only one of them has.
    fn load<S: TriangleSurface>(&mut self, surface: &S, near: &[u32], is_solid: bool) {
        self.plates.clear();
        self.rims.clear();
        for &index in near {
            let facet = Facet::new(surface, index);
            self.plates.push(Plate { index, corners: facet.corners, normal: facet.normal });
            let names = surface.vertices(index);
            for edge in (0..3).filter(|&edge| facet.across(edge).is_none()) {
                let outward = facet.outward(edge);
                let outward = if is_solid { outward.with_z(0.0) } else { outward };
                let (from, to) = (facet.corners[edge], facet.corners[(edge + 1) % 3]);
                let ends = [names[edge], names[(edge + 1) % 3]];
                let outward = outward.normalize_or_zero();
                self.rims.push(RimEdge { ends, from, to, normal: facet.normal, outward });
            }
        }
        // Where more than two triangles meet each has an edge of its own there.
        let plates = &self.plates;
        let has = |plate: &Plate, rim: &RimEdge| {
            let names = surface.vertices(plate.index);
            rim.ends.iter().all(|end| names.contains(end))
        };
        self.rims.retain(|rim| plates.iter().filter(|plate| has(plate, rim)).count() == 1);
    }

    /// Turns to the side on which `point` lies what it is behind.
    fn turn_to(&mut self, point: DVec3) {
        let normals = self.plates.iter_mut().map(|plate| (plate.corners[0], &mut plate.normal));
        for (at, normal) in normals.chain(self.rims.iter_mut().map(|rim| (rim.from, &mut rim.normal))) {
            if normal.dot(point - at) < 0.0 {
                *normal = -*normal;
            }
        }
    }
}

/// The distance of `point`, which is `apart` from the nearest point of the surface, in `plate`.
fn along_normal(point: DVec3, apart: DVec3, plate: &Plate) -> Distance {
    let (distance, height) = (apart.length(), (point - plate.corners[0]).dot(plate.normal));
    let size = (plate.corners[1] - plate.corners[0]).length();
    let along = Distance { value: height, outward: plate.normal };
    if distance <= NEAR * size {
        return along;
    }
    let side = 1f64.copysign(height);
    let outward = apart * (side / distance);
    if (outward - plate.normal).length_squared() <= SAME_NORMAL * SAME_NORMAL {
        return along;
    }
    Distance { value: side * distance, outward }
}

impl Field for Sheet {
    fn bound(&self, point: DVec3) -> f64 {
        self.nearest(point).map_or(f64::INFINITY, |d| d.value)
    }

    fn quick(&self, point: DVec3) -> Option<Distance> {
        self.nearest(point)
    }
}

/// A grain in axes of the surface against the triangles `near` it; false where it `is_deep`, has its middle in the
/// ground, and no wall leads out.
pub(super) fn grain_sheet<S: TriangleSurface>(
    (grain, pose): (&GrainData, &Pose),
    surface: &S,
    near: &[u32],
    (held, is_deep, margin): (Held, bool, f64),
    out: &mut Vec<ContactPoint>,
) -> bool {
    let mut sheet = SHEET.take();
    sheet.round = ROUND * grain.half_width;
    sheet.load(surface, near, held == Held::Above);
    if held == Held::OnBothSides {
        sheet.turn_to(sheet.held_by(grain, pose));
    }
    let is_told = !is_deep || sheet.leads_out(pose.position);
    if is_told {
        grain_ground((grain, pose), &sheet, peaks(&sheet, surface, LEVEL * grain.radius), margin, out);
    }
    SHEET.set(sheet);
    is_told
}

/// The corners of the triangles near a grain, but for those at a rim, which is rounded.
fn peaks<S: TriangleSurface>(
    sheet: &Sheet,
    surface: &S,
    level: f64,
) -> impl Iterator<Item = GroundPoint<impl Fn(DVec3) -> bool>> {
    let corners = sheet.plates.iter().flat_map(|plate| (0..3).map(move |corner| (plate, corner)));
    let named = corners.map(|(plate, corner)| (plate, corner, surface.vertices(plate.index)[corner]));
    let inner = named.filter(|(.., name)| !sheet.rims.iter().any(|rim| rim.ends.contains(name)));
    inner.map(move |(plate, corner, name)| {
        let at = plate.corners[corner];
        let is_peak = move |direction: DVec3| {
            let top = at.dot(direction) + level;
            direction.dot(plate.normal) > 0.0
                && Facet::new(surface, plate.index)
                    .around(corner, |f| f.corners.iter().all(|c| c.dot(direction) <= top))
        };
        GroundPoint { at, name, holds: is_peak }
    })
}
