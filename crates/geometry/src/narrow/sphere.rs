//! Contacts of a ball: one point against every convex body, so the feature key is always 0.

use granule_model::{ContactPoint, DVec3, Pose};

use crate::convex::ConvexData;
use crate::cylinder::Cylinder;

/// A centre nearer to a surface than this share of the body's size has no reliable direction: the face's normal is
/// used.
const NEAR: f64 = 1e-9;

/// The contact of two balls as [`super::contacts`] reports it; coincident centres are parted along z.
#[inline]
pub fn balls(centre_a: DVec3, radius_a: f64, centre_b: DVec3, radius_b: f64, margin: f64) -> Option<ContactPoint> {
    let offset = centre_a - centre_b;
    let squared = offset.length_squared();
    let reach = radius_a + radius_b + margin;
    // Written so that NaN gives no contact.
    if !(squared <= reach * reach && reach >= 0.0) {
        return None;
    }
    let distance = squared.sqrt();
    let normal = if distance > 0.0 { offset / distance } else { DVec3::Z };
    let gap = distance - radius_a - radius_b;
    let point = centre_b + (radius_b + 0.5 * gap) * normal;
    let half_width = radius_a.min(radius_b);
    (gap <= margin).then_some(ContactPoint { point, normal, gap, half_width, feature: 0 })
}

/// A ball of `radius` whose centre has the signed distance `distance` from the surface of body B along `normal`.
pub(super) fn push_ball(
    centre: DVec3,
    radius: f64,
    normal: DVec3,
    distance: f64,
    margin: f64,
    feature: u32,
    out: &mut Vec<ContactPoint>,
) {
    let gap = distance - radius;
    if gap <= margin {
        let point = centre - (radius + 0.5 * gap) * normal;
        out.push(ContactPoint { point, normal, gap, half_width: radius, feature });
    }
}

/// A ball and a box. A centre inside leaves through the nearest face.
pub(super) fn sphere_cuboid(
    centre: DVec3,
    radius: f64,
    half: DVec3,
    pose: &Pose,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let local = pose.inverse_transform_point(centre);
    let nearest = local.clamp(-half, half);
    let offset = local - nearest;
    let squared = offset.length_squared();
    if squared > 0.0 {
        let distance = squared.sqrt();
        push_ball(centre, radius, pose.transform_vector(offset / distance), distance, margin, 0, out);
    } else if local.is_finite() {
        let depth = half - local.abs();
        let axis = if depth.x <= depth.y && depth.x <= depth.z {
            0
        } else if depth.y <= depth.z {
            1
        } else {
            2
        };
        let mut normal = DVec3::ZERO;
        normal[axis] = if local[axis] < 0.0 { -1.0 } else { 1.0 };
        push_ball(centre, radius, pose.transform_vector(normal), -depth[axis], margin, 0, out);
    }
}

/// A ball and a cylinder. A centre inside leaves through the side or the nearer end.
pub(super) fn sphere_cylinder(
    centre: DVec3,
    radius: f64,
    cylinder: &Cylinder,
    pose: &Pose,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let local = pose.inverse_transform_point(centre);
    if local.is_finite() {
        let (normal, distance) = cylinder.signed_distance(local, NEAR * cylinder.radius.min(cylinder.half_length));
        push_ball(centre, radius, pose.transform_vector(normal), distance, margin, 0, out);
    }
}

/// A ball and a convex polyhedron. A centre inside leaves through the nearest face.
pub(super) fn sphere_convex(
    centre: DVec3,
    radius: f64,
    data: &ConvexData,
    pose: &Pose,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let local = pose.inverse_transform_point(centre);
    if !local.is_finite() {
        return;
    }
    let Some((normal, distance)) = from_polyhedron(data, local, radius + margin) else { return };
    push_ball(centre, radius, pose.transform_vector(normal), distance, margin, 0, out);
}

/// Direction and signed distance of `point` from the surface of a polyhedron; none when it is farther than `reach`.
fn from_polyhedron(data: &ConvexData, point: DVec3, reach: f64) -> Option<(DVec3, f64)> {
    let height = |f: usize| data.faces[f].normal.dot(point) - data.faces[f].offset;
    let (best, distance) =
        (0..data.faces.len()).map(|f| (f, height(f))).reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    if distance > reach {
        return None;
    }
    if distance <= 0.0 || above_face(data, best, point) {
        return Some((data.faces[best].normal, distance));
    }
    // Outside and not over the face with the greatest height: the nearest point lies on an edge.
    let corner = |i: u32| data.vertices[i as usize];
    let (offset, squared) = data
        .edges
        .iter()
        .map(|e| {
            let offset = point - nearest_on_segment(corner(e.vertices[0]), corner(e.vertices[1]), point);
            (offset, offset.length_squared())
        })
        .reduce(|best, next| if next.1 < best.1 { next } else { best })?;
    let length = squared.sqrt();
    if length * data.unit_scale <= NEAR {
        return Some((data.faces[best].normal, distance));
    }
    Some((offset / length, length))
}

/// True when the foot of `point` on the plane of `face` lies in the face.
fn above_face(data: &ConvexData, face: usize, point: DVec3) -> bool {
    let corners = data.face_loop(face);
    let normal = data.faces[face].normal;
    let mut from = data.vertices[corners[corners.len() - 1] as usize];
    corners.iter().all(|&i| {
        let to = data.vertices[i as usize];
        let inside = normal.dot((to - from).cross(point - from)) >= 0.0;
        from = to;
        inside
    })
}

/// The point of the segment from `start` to `end` nearest to `point`.
pub(super) fn nearest_on_segment(start: DVec3, end: DVec3, point: DVec3) -> DVec3 {
    let along = end - start;
    let squared = along.length_squared();
    if squared == 0.0 {
        return start;
    }
    start + ((point - start).dot(along) / squared).clamp(0.0, 1.0) * along
}
