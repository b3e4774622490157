//! Bodies that passed through a surface between two poses.
//!
//! Contacts depend on one pose alone, and a thin body that is beyond a two-sided surface lies on its other side like
//! any body there. Only both poses of a step together tell that it went through: where the way of a piece's middle
//! meets a triangle. In solid ground a body is held at once ([`Lie::Below`]), but where it came in is known by its way
//! alone: through a narrow ridge it may already be nearer to the other slope, or out again.

use granule_model::{Aabb, ContactPoint, DVec3, Pose};

use super::{NEAR, middle};
use crate::geometry::Geometry;
use crate::ground::{Lie, TriangleSurface};
use crate::narrow::piece_pairs::Pieces;
use crate::narrow::{Side, mix};

/// A way that passes a triangle at this share of its size is taken to meet it, so that none slips between two.
const SEAM: f64 = 1e-9;

/// The contact of the piece of `body` that lies deepest beyond the surface, of those whose middle went through it; none
/// where none did.
///
/// `poses` are those of the body before and after, `ground` those of the mesh. The normal leads back to where the body
/// came from, and the gap is the height of the piece's lowest point along it.
pub(crate) fn passage(
    body: &Geometry,
    poses: [&Pose; 2],
    surface: &impl TriangleSurface,
    ground: [&Pose; 2],
) -> Option<ContactPoint> {
    deepest_through(body, poses, ground, |way| {
        let (name, normal) = first_met(surface, way)?;
        Some(Met { name, normal, level: surface.corners(name)[0].dot(normal) })
    })
}

/// Where the way of a middle meets a surface.
pub(in crate::narrow) struct Met {
    /// Name of the place.
    pub(in crate::narrow) name: u32,
    /// Unit normal to the side from which the way comes.
    pub(in crate::narrow) normal: DVec3,
    /// Height of the surface along the normal \[m\].
    pub(in crate::narrow) level: f64,
}

/// The same for any ground, of which `first_met` tells where a way (in its axes) meets it first.
pub(in crate::narrow) fn deepest_through(
    body: &Geometry,
    poses: [&Pose; 2],
    ground: [&Pose; 2],
    first_met: impl Fn([DVec3; 2]) -> Option<Met>,
) -> Option<ContactPoint> {
    let [before, after] = [0, 1].map(|k| ground[k].inverse().compose(poses[k]));
    let pieces = Pieces::of(body);
    let deepest = (0..pieces.len())
        .filter_map(|index| {
            let [(geometry, start), (_, end)] = [before, after].map(|pose| pieces.get(index, &pose));
            let middle = middle(geometry);
            let way = [start, end].map(|pose| pose.transform_point(middle));
            let Met { name, normal, level } = first_met(way)?;
            let gap = lowest(Side { geometry, pose: &end }, normal) - level;
            let point = way[1] + (level + 0.5 * gap - way[1].dot(normal)) * normal;
            let feature = mix(mix(5, index as u32), name);
            Some(ContactPoint { point, normal, gap, feature, half_width: geometry.half_width() })
        })
        .reduce(|deepest, next| if next.gap < deepest.gap { next } else { deepest })?;
    let (point, normal) = (ground[1].transform_point(deepest.point), ground[1].transform_vector(deepest.normal));
    Some(ContactPoint { point, normal, ..deepest })
}

/// The triangle that the way from `start` to `end` meets first, and its normal to the side of the start.
fn first_met(surface: &impl TriangleSurface, [start, end]: [DVec3; 2]) -> Option<(u32, DVec3)> {
    // What comes out of solid ground has not gone through it.
    if let Lie::Below(_) = surface.lie(start) {
        return None;
    }
    NEAR.with_borrow_mut(|near| {
        near.clear();
        surface.triangles_near(&Aabb::from_points([start, end]), near);
        near.iter()
            .filter_map(|&t| {
                let (corners, normal) = (surface.corners(t), surface.normal(t));
                let [from, to] = [start, end].map(|p| normal.dot(p - corners[0]));
                // A middle that rests in the plane, to the last bit, has not gone through it.
                if from * to >= 0.0 {
                    return None;
                }
                let share = from / (from - to);
                let meets = spans(corners, normal, start + share * (end - start));
                meets.then_some((share, t, if from < 0.0 { -normal } else { normal }))
            })
            .reduce(|first, next| if next.0 < first.0 { next } else { first })
            .map(|(_, t, normal)| (t, normal))
    })
}

/// True for a point of the plane of a triangle that lies in it, or so near that it may lie on its border.
fn spans(corners: [DVec3; 3], normal: DVec3, point: DVec3) -> bool {
    let size = (corners[1] - corners[0]).length().max((corners[2] - corners[0]).length());
    (0..3).all(|edge| {
        let along = corners[(edge + 1) % 3] - corners[edge];
        along.cross(normal).dot(point - corners[edge]) <= SEAM * size * along.length()
    })
}

/// Height of the lowest point of a convex piece along `normal`.
fn lowest(a: Side, normal: DVec3) -> f64 {
    let own = a.pose.rotation.conjugate() * normal;
    let below = match a.geometry {
        Geometry::Sphere { radius } => *radius,
        Geometry::Capsule { radius, half_length } => radius + half_length * own.z.abs(),
        Geometry::Cuboid { half } => half.dot(own.abs()),
        Geometry::Convex(data) => data.vertices.iter().map(|v| -v.dot(own)).fold(f64::NEG_INFINITY, f64::max),
        Geometry::Cylinder(cylinder) => cylinder.reach(own),
        Geometry::Grain(grain) => grain.farthest(-(grain.axes.conjugate() * own)),
        _ => 0.0,
    };
    a.pose.position.dot(normal) - below
}
