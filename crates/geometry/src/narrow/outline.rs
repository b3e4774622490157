//! The rim of ground on a grid against faces and edges of convex pieces.
//!
//! Corners of a piece are asked for in the distances of the ground. A face that tips over the rim has none there, nor
//! has the ground: the rim is asked for in the distances of the piece, at even places and where it is nearest.

use granule_levelset::Sample;
use granule_model::{ContactPoint, DVec3};

use super::field::{Field, Piece};
use super::ledge::Ledge;
use super::{Side, mix};
use crate::contour_ground::ContourGround;
use crate::distance::Distance;

/// Names of points of the rim are mixed with this.
const RIM: u32 = 13;
/// Distance of places on the rim, over half the width of the piece, and how many there are of one side at most.
const STEP: f64 = 0.5;
const MOST: i64 = 64;
/// Directions this far off the normals of the rim (their sine) are across it: above what single precision makes of a
/// plane.
const LEVEL: f64 = 1e-3;
/// Steps in which the nearest place is found: the golden section leaves 1e-7 of the distance of places.
const NARROWED: usize = 36;
/// Share of a stretch that the golden section cuts off.
const GOLDEN: f64 = 0.381_966_011_250_105;
/// Directions beside the nearest place are taken so far from it, over the distance of places.
const BESIDE: f64 = 1e-4;
/// Length of the mean of two directions that says where a piece is held: of opposite ones none is left.
const ACROSS: f64 = 0.1;
/// Steps to the height of the rim.
const STEPS_TO_SURFACE: usize = 4;

/// Pushes the points at which the rim, rounded by `round` \[m\], holds the piece `a`, in axes of the ground.
pub(super) fn push_rim(a: Side, ground: &ContourGround, (round, margin): (f64, f64), out: &mut Vec<ContactPoint>) {
    let region = crate::bounds::aabb(a.geometry, a.pose).padded(margin + round);
    let outline = ground.field.bounds();
    let sides = [(0, outline.min), (0, outline.max), (1, outline.min), (1, outline.max)];
    for (number, (axis, end)) in sides.iter().enumerate() {
        let other = 1 - axis;
        let stretch = [region.min[other].max(outline.min[other]), region.max[other].min(outline.max[other])];
        let is_near = region.min[*axis] <= end[*axis] && end[*axis] <= region.max[*axis];
        if is_near && stretch[0] < stretch[1] {
            let outward = DVec3::AXES[*axis] * if number % 2 == 0 { -1.0 } else { 1.0 };
            let at = DVec3::AXES[*axis] * end[*axis];
            let line = Line { a, ground, at, along: DVec3::AXES[other], outward, round };
            line.push(stretch, margin, mix(RIM, number as u32), out);
        }
    }
}

/// A side of the outline, and the piece beside it.
struct Line<'a> {
    a: Side<'a>,
    ground: &'a ContourGround,
    /// Foot of the origin on the line, without height.
    at: DVec3,
    along: DVec3,
    outward: DVec3,
    round: f64,
}

/// A place on the rim and the piece over it.
struct Place {
    ledge: Ledge,
    /// On the axis of the rounded edge.
    axis: DVec3,
    /// Of the axis from the piece \[m\].
    distance: f64,
    /// Unit vector to the piece.
    towards: DVec3,
}

impl Line<'_> {
    fn push(&self, [low, high]: [f64; 2], margin: f64, name: u32, out: &mut Vec<ContactPoint>) {
        let step = STEP * self.a.geometry.half_width();
        let first = (low / step).ceil() as i64;
        let (mut nearest, mut least) = (0.5 * (low + high), f64::INFINITY);
        for index in first..=((high / step).floor() as i64).min(first + MOST) {
            let along = index as f64 * step;
            let Some(place) = self.place(along) else { continue };
            if place.distance < least {
                (nearest, least) = (along, place.distance);
            }
            self.push_place(&place, margin, mix(mix(name, 0), index as u32), out);
        }
        let around = self.nearest([(nearest - step).max(low), (nearest + step).min(high)]);
        if let Some(place) = self.across(around, BESIDE * step) {
            self.push_place(&place, margin, mix(name, 1), out);
        }
    }

    fn push_place(&self, place: &Place, margin: f64, feature: u32, out: &mut Vec<ContactPoint>) {
        let gap = place.distance - self.round;
        if gap <= margin && place.ledge.holds(place.towards, LEVEL) {
            let point = place.axis + 0.5 * (self.round + place.distance) * place.towards;
            out.push(ContactPoint { point, normal: place.towards, gap, half_width: f64::INFINITY, feature });
        }
    }

    /// Where on the stretch the piece is nearest: distances from what is convex have one least value on a line.
    fn nearest(&self, [mut low, mut high]: [f64; 2]) -> f64 {
        let distance = |along: f64| self.place(along).map_or(f64::INFINITY, |place| place.distance);
        let mut inner = [low + GOLDEN * (high - low), high - GOLDEN * (high - low)];
        let mut distances = inner.map(distance);
        for _ in 0..NARROWED {
            if distances[0] <= distances[1] {
                high = inner[1];
                inner = [low + GOLDEN * (high - low), inner[0]];
                distances = [distance(inner[0]), distances[0]];
            } else {
                low = inner[0];
                inner = [inner[1], high - GOLDEN * (high - low)];
                distances = [distances[1], distance(inner[1])];
            }
        }
        0.5 * (low + high)
    }

    /// The nearest place. In the piece it lies under an edge of it, with another direction on either side: of both
    /// that is taken which is across the rim.
    fn across(&self, nearest: f64, beside: f64) -> Option<Place> {
        let place = self.place(nearest)?;
        let [Some(p), Some(q)] = [-beside, beside].map(|way| self.place(nearest + way)) else { return Some(place) };
        let rim = place.ledge.normal.cross(self.outward).normalize_or_zero();
        let [before, after] = [&p, &q].map(|place| place.towards.dot(rim));
        if place.distance >= 0.0 || before * after >= 0.0 {
            return Some(place);
        }
        let mean = (after * p.towards - before * q.towards) / (after - before);
        let length = mean.length();
        // The piece leaves the rim along the mean as far as it lies under both of its faces.
        let is_across = length > ACROSS;
        Some(if is_across {
            Place { distance: place.distance / length, towards: mean / length, ..place }
        } else {
            place
        })
    }

    fn place(&self, along: f64) -> Option<Place> {
        let (edge, normal) = self.edge(along)?;
        let ledge = Ledge { normal, outward: self.outward, round: self.round };
        let axis = ledge.axis(edge);
        let local = self.a.pose.inverse_transform_point(axis);
        let Distance { value, outward } = Piece(self.a.geometry).exact(local)?;
        Some(Place { ledge, axis, distance: value, towards: -self.a.pose.transform_vector(outward) })
    }

    /// The point of the rim at this place, and the normal of the ground there.
    fn edge(&self, along: f64) -> Option<(DVec3, DVec3)> {
        let mut at = self.at + along * self.along;
        at.z = self.ground.field.height_at(at.x, at.y)?;
        let mut normal = DVec3::Z;
        for _ in 0..STEPS_TO_SURFACE {
            let Sample { value, gradient } = self.ground.level_set.contour(at)?;
            normal = gradient;
            if gradient.z <= 0.0 {
                return None;
            }
            at.z -= value / gradient.z;
        }
        Some((at, normal))
    }
}
