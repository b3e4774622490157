//! Ground on a grid against everything that moves.
//!
//! Nodes of a grain, corners and edges of polyhedra and rims of cylinders are asked for in the distances of the ground.
//! Balls and ends of capsules look for their feet (`feet`). Points of the ground, where its surface crosses the lines
//! of the grid, are asked for in the distances of the body: of one that is larger than a cell they find the bumps under
//! its faces. A point of the ground holds a body only along the ground's own normal there, or nearly.
//!
//! The ground ends at its outline, in a vertical wall. A body so deep that no distance is known is lifted out, to the
//! contour over its middle.

use std::cell::Cell;

use granule_levelset::{Crossing, Sample};
use granule_model::{Aabb, ContactPoint, DVec3, Pose};

use super::compound::pieces_in_axes_of;
use super::edges::for_each_on_edges;
use super::feet::Ball;
use super::field::{Field, Piece};
use super::grain::{GroundPoint, finish, for_each_corner, grain_ground};
use super::ledge::ROUND;
use super::mesh::{Met, deepest_through, lift_to, middle};
use super::outline::push_rim;
use super::outlined::Outlined;
use super::piece_pairs::Pieces;
use super::rim::Rim;
use super::tidy::separate_keys;
use super::{Side, mix};
use crate::contour_ground::ContourGround;
use crate::distance::Distance;
use crate::geometry::Geometry;
use crate::nearing::Nearing;

/// Cosine between the normal of the ground at a point and the direction in which it holds a body, at least.
const ALONG: f64 = 0.9;
/// Sine of an angle that is none: above what single precision makes of a plane.
const FLAT: f64 = 1e-3;
/// Names of points of the ground are mixed with this.
const GROUND: u32 = 7;

/// Names of points on edges are mixed with this.
const EDGE: u32 = 11;
/// Distance of points on edges, over the spacing of the grid: what is narrower the grid does not know.
const EDGE_STEP: f64 = 0.5;

thread_local! {
    /// Kept so that a warm step allocates nothing.
    static POINTS: Cell<Vec<Crossing>> = const { Cell::new(Vec::new()) };
}

/// A ball, a convex piece, a grain or a compound against ground at `pose`; with the way ahead, grains are told as far
/// as they may come nearer on it.
pub(super) fn against_contour(
    a: Side,
    ground: &ContourGround,
    pose: &Pose,
    (margin, nearing): (f64, Option<&Nearing>),
    out: &mut Vec<ContactPoint>,
) {
    let nearing = nearing.map(|nearing| nearing.in_axes_of(pose));
    let finish = |_: &Pieces, _: &Pose, start: usize, out: &mut Vec<ContactPoint>| separate_keys(&mut out[start..]);
    pieces_in_axes_of(a, pose, out, |a, out| piece(a, ground, (margin, nearing), out), finish);
}

/// One piece in axes of the ground.
fn piece(a: Side, ground: &ContourGround, (margin, nearing): (f64, Option<Nearing>), out: &mut Vec<ContactPoint>) {
    let middle = a.pose.transform_point(middle(a.geometry));
    // The middle of a ball is never in the edge.
    let is_ball = matches!(a.geometry, Geometry::Sphere { .. });
    let round = if is_ball { 0.0 } else { ROUND * a.geometry.half_width() };
    let region = crate::bounds::aabb(a.geometry, a.pose).padded(margin);
    let field = Outlined::new(ground, round, region).told(nearing);
    if field.is_deep(middle) {
        return lift_out(a, ground, middle, margin, out);
    }
    let spacing = ground.level_set.spacing();
    let mut points = POINTS.take();
    points.clear();
    match a.geometry {
        Geometry::Grain(grain) => {
            // The nodes of a finer grain find the bumps by themselves.
            if 2.0 * grain.node_spacing > spacing {
                ground_points(ground, &region, &mut points);
            }
            let of_ground = points.iter().map(|point| ground_point(ground, *point));
            grain_ground((grain, a.pose), &field, of_ground, margin, out);
        }
        geometry => {
            let start = out.len();
            if let Geometry::Sphere { radius } = geometry {
                Ball { middle, radius: *radius, name: 0 }.push(&field, margin, out);
            } else {
                push_corners(a, &field, middle, margin, out);
                ground_points(ground, &region, &mut points);
                push_ground_points(a, ground, &points, margin, out);
            }
            push_rim(a, ground, (round, margin), out);
            finish(out, start, (f64::INFINITY, 0.5 * spacing), a.pose.rotation);
        }
    }
    POINTS.set(points);
}

/// A piece whose middle is deep in the ground, against the plane of the contour over it.
fn lift_out(a: Side, ground: &ContourGround, middle: DVec3, margin: f64, out: &mut Vec<ContactPoint>) {
    let above = middle.with_z(ground.field.bounds().max.z + ground.level_set.spacing());
    if let Some(over) = Outlined::new(ground, 0.0, Aabb::from_points([above, middle])).entered([above, middle]) {
        lift_to(a, over, margin, out);
    }
}

/// The contact of the piece of `body` that lies deepest in the ground, of those whose middle went through its contour
/// between two poses; see [`passage`](super::passage()).
pub(super) fn passage(
    body: &Geometry,
    poses: [&Pose; 2],
    ground: &ContourGround,
    ground_poses: [&Pose; 2],
) -> Option<ContactPoint> {
    let field = Outlined::new(ground, 0.0, *ground.field.bounds());
    deepest_through(body, poses, ground_poses, |way| {
        let (at, normal) = field.entered(way)?;
        Some(Met { name: 0, normal, level: at.dot(normal) })
    })
}

/// Where the surface of the ground crosses lines of the grid within `region`.
fn ground_points(ground: &ContourGround, region: &Aabb, out: &mut Vec<Crossing>) {
    ground.level_set.crossings(region, |crossing| {
        if ground.is_over(crossing.point) {
            out.push(crossing);
        }
    });
}

fn ground_point(ground: &ContourGround, Crossing { point, line }: Crossing) -> GroundPoint<impl Fn(DVec3) -> bool> {
    GroundPoint { at: point, name: line, holds: move |direction: DVec3| is_peak(ground, point, direction) }
}

/// Whether the ground beside one of its points does not rise along `direction`, half way to the next points of the grid
/// or all of it: beyond a dip the ground may be higher, but not under the body.
fn is_peak(ground: &ContourGround, at: DVec3, direction: DVec3) -> bool {
    let Some(Sample { gradient: normal, .. }) = ground.level_set.contour(at) else { return false };
    let aside = direction - direction.dot(normal) * normal;
    let sine = aside.length();
    let spacing = ground.level_set.spacing();
    if direction.dot(normal) < ALONG {
        return false;
    }
    // A step aside leads up by the sine, and down by as much as the ground bends away.
    let falls = |way: f64| ground.level_set.contour(at + way / sine * aside).map_or(0.0, |sample| sample.value);
    let is_top = |way: f64| way * sine <= falls(way) + FLAT * way;
    sine <= FLAT || is_top(spacing) || is_top(0.5 * spacing)
}

/// Pushes corners, round ends and points of the edges of a convex piece within the margin.
fn push_corners(a: Side, field: &Outlined, middle: DVec3, margin: f64, out: &mut Vec<ContactPoint>) {
    let mut push = |name: u32, corner: DVec3, radius: f64| {
        let at = a.pose.transform_point(corner);
        if radius > 0.0 {
            Ball { middle: at, radius, name }.push(field, margin, out);
            return;
        }
        if field.bound(at) > margin {
            return;
        }
        if let Some(Distance { value: gap, outward }) = field.exact(at)
            && gap <= margin
        {
            let point = at - 0.5 * gap * outward;
            out.push(ContactPoint { point, normal: outward, gap, half_width: f64::INFINITY, feature: name });
        }
    };
    let down = || a.pose.inverse_transform_vector(field.exact(middle).map_or(DVec3::NEG_Z, |d| -d.outward));
    match a.geometry {
        Geometry::Cylinder(cylinder) => {
            let facing = Rim::facing(cylinder, down(), None);
            facing.named().for_each(|(feature, corner)| push(feature, corner, 0.0));
        }
        _ => for_each_corner(a.geometry, &mut push),
    }
    let apart = EDGE_STEP * field.ground.level_set.spacing();
    for_each_on_edges(a.geometry, apart, down, |number, point| push(mix(EDGE, number), point, 0.0));
}

/// Pushes the points of the ground that hold a convex piece.
fn push_ground_points(a: Side, ground: &ContourGround, points: &[Crossing], margin: f64, out: &mut Vec<ContactPoint>) {
    let field = Piece(a.geometry);
    for GroundPoint { at, name, holds } in points.iter().map(|point| ground_point(ground, *point)) {
        let local = a.pose.inverse_transform_point(at);
        if field.bound(local) > margin {
            continue;
        }
        let Some(Distance { value, outward }) = field.exact(local) else { continue };
        let normal = -a.pose.transform_vector(outward);
        if value <= margin && holds(normal) {
            let (point, feature) = (at + 0.5 * value * normal, mix(GROUND, name));
            out.push(ContactPoint { point, normal, gap: value, half_width: f64::INFINITY, feature });
        }
    }
}
