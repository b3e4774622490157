//! Signed distances to the surfaces of solids that have a formula: what a level set is made from, and what the nodes of
//! a grain ask of a body without a grid.
//!
//! Everything is in the axes of the solid. Distances are negative inside; directions are unit vectors that point
//! outward.

use granule_model::DVec3;

use crate::convex::ConvexData;
use crate::geometry::Geometry;

/// A signed distance and the outward direction in which it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    /// Negative inside \[m\].
    pub(crate) value: f64,
    /// Unit vector.
    pub(crate) outward: DVec3,
}

/// A distance longer than the height above the face by less than this share is that height; one shorter than this share
/// of a cylinder's size has no direction.
const ON_FACE: f64 = 1e-12;

/// Signed distance of `point` from a solid; none for shapes without inside and for grains, which have their own.
///
/// Where parts of a compound overlap, the distance inside is that from the nearest part, which may be less than that
/// from the surface of the whole.
pub(crate) fn distance(geometry: &Geometry, point: DVec3) -> Option<Distance> {
    match geometry {
        Geometry::Sphere { radius } => Some(of_ball(point, *radius)),
        Geometry::Capsule { radius, half_length } => {
            let core = DVec3::new(0.0, 0.0, point.z.clamp(-half_length, *half_length));
            Some(of_ball(point - core, *radius))
        }
        Geometry::Cuboid { half } => Some(of_box(*half, point)),
        Geometry::Convex(data) => Some(of_hull(data, point)),
        Geometry::Cylinder(cylinder) => {
            let (outward, value) = cylinder.signed_distance(point, ON_FACE * cylinder.bounding_radius());
            Some(Distance { value, outward })
        }
        Geometry::Compound(parts) => {
            let of_part = parts.iter().filter_map(|part| {
                let local = distance(&part.geometry, part.pose.inverse_transform_point(point))?;
                Some(Distance { outward: part.pose.transform_vector(local.outward), ..local })
            });
            of_part.reduce(|p, q| if q.value < p.value { q } else { p })
        }
        Geometry::HalfSpace { .. }
        | Geometry::Container(_)
        | Geometry::Drum(_)
        | Geometry::Mesh(_)
        | Geometry::HeightField(_)
        | Geometry::ContourGround(_)
        | Geometry::Grain(_) => None,
    }
}

/// Distance from a ball about the origin; its middle leaves along z.
fn of_ball(point: DVec3, radius: f64) -> Distance {
    Distance { value: point.length() - radius, outward: point.normalize_or(DVec3::Z) }
}

fn of_box(half: DVec3, point: DVec3) -> Distance {
    let apart = point - point.clamp(-half, half);
    let distance = apart.length();
    if distance > 0.0 {
        return Distance { value: distance, outward: apart / distance };
    }
    let height = point.abs() - half;
    let axis = (0..3).fold(0, |best, axis| if height[axis] > height[best] { axis } else { best });
    Distance { value: height[axis], outward: DVec3::AXES[axis] * 1f64.copysign(point[axis]) }
}

/// Height above the face that `point` is highest over, and its number. At most the distance outside, the distance
/// inside.
pub(crate) fn highest_face(data: &ConvexData, point: DVec3) -> (f64, usize) {
    let heights = data.faces.iter().map(|f| f.normal.dot(point) - f.offset).enumerate();
    heights.fold((f64::NEG_INFINITY, 0), |best, (i, height)| if height > best.0 { (height, i) } else { best })
}

fn of_hull(data: &ConvexData, point: DVec3) -> Distance {
    let (height, face) = highest_face(data, point);
    let along = Distance { value: height, outward: data.faces[face].normal };
    if height <= 0.0 {
        return along;
    }
    let above = (0..data.faces.len()).filter(|&i| data.faces[i].normal.dot(point) > data.faces[i].offset);
    let nearest = above.map(|i| nearest_on_face(data, i, point) - point);
    let Some(apart) = nearest.reduce(|p, q| if q.length_squared() < p.length_squared() { q } else { p }) else {
        return along;
    };
    let distance = apart.length();
    // Over the middle of a face the face says it without the rounding of a difference.
    if distance <= height * (1.0 + ON_FACE) { along } else { Distance { value: distance, outward: -apart / distance } }
}

/// The point of a face next to a point above it.
fn nearest_on_face(data: &ConvexData, face: usize, point: DVec3) -> DVec3 {
    let plane = data.faces[face];
    let corners = data.face_loop(face);
    let foot = point - (plane.normal.dot(point) - plane.offset) * plane.normal;
    let mut best: Option<DVec3> = None;
    for (k, &from) in corners.iter().enumerate() {
        let start = data.vertices[from as usize];
        let along = data.vertices[corners[(k + 1) % corners.len()] as usize] - start;
        if plane.normal.cross(along).dot(foot - start) >= 0.0 {
            continue;
        }
        let share = ((foot - start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let on_edge = start + share * along;
        if best.is_none_or(|b| (on_edge - foot).length_squared() < (b - foot).length_squared()) {
            best = Some(on_edge);
        }
    }
    best.unwrap_or(foot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    /// A cube as hull has the distances of a cube, all around and inside.
    #[test]
    fn a_hull_has_the_distances_of_its_box() {
        let half = DVec3::new(0.5, 0.3, 0.4);
        let hull = Shape::convex(&crate::surface::cuboid_corners(half)).expect("a box");
        // The hull's body axes follow its moments: longest first or last, so points go through its frame.
        for i in 0..4000 {
            let at = |k: f64| libm::fmod(f64::from(i) * k, 1.0) * 2.4 - 1.2;
            let point = DVec3::new(at(0.618_034), at(0.754_878), at(0.569_840));
            let local = hull.frame().transform_point(point);
            let (of_hull, of_box) = (distance(&hull.0.geometry, local).expect("a solid"), of_box(half, point));
            assert!((of_hull.value - of_box.value).abs() <= 1e-13, "{point} {of_hull:?} {of_box:?}"); // measured 4e-16
            // Directions differ where several faces are equally near.
            let outward = hull.frame().rotation.conjugate() * of_hull.outward;
            assert!(of_box.value < 0.0 || (outward - of_box.outward).length() <= 1e-12, "{point}"); // measured 2e-15
        }
    }
}
