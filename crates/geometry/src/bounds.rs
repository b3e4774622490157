//! The tight box of the world around a shape.

use granule_model::{Aabb, DMat3, DVec3, Pose};

use crate::geometry::Geometry;

/// The box that `geometry` fills at `pose`; tight to rounding for every bounded shape but grains.
pub(crate) fn aabb(geometry: &Geometry, pose: &Pose) -> Aabb {
    match geometry {
        Geometry::Sphere { radius } => around(pose.position, DVec3::splat(*radius)),
        Geometry::Capsule { radius, half_length } => {
            let half_axis = pose.transform_vector(DVec3::Z * *half_length);
            around(pose.position, half_axis.abs() + DVec3::splat(*radius))
        }
        Geometry::Cuboid { half } => {
            let axes = DMat3::from_quat(pose.rotation);
            let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
            around(pose.position, reach)
        }
        Geometry::Convex(data) => of_points(&data.vertices, pose),
        Geometry::Cylinder(cylinder) => {
            // Seen from the body, the axes of the world are the rows of the rotation.
            let rows = DMat3::from_quat(pose.rotation).transpose();
            let reach = [rows.x_axis, rows.y_axis, rows.z_axis].map(|axis| cylinder.reach(axis));
            around(pose.position, DVec3::from_array(reach))
        }
        Geometry::Mesh(data) => of_points(&data.vertices, pose),
        Geometry::Grain(data) => data.aabb(&data.placed(pose)),
        Geometry::HeightField(field) => field.bounds_at(pose),
        Geometry::ContourGround(ground) => ground.field.bounds_at(pose),
        Geometry::Compound(parts) => parts
            .iter()
            .map(|p| aabb(&p.geometry, &pose.compose(&p.pose)))
            .reduce(|a, b| a.union(&b))
            .unwrap_or(Aabb::EMPTY),
        Geometry::HalfSpace { normal } => half_space(pose.transform_vector(*normal), pose.position),
        // The walls have no end.
        Geometry::Container(_) | Geometry::Drum(_) => Aabb::EVERYTHING,
    }
}

/// The box around points given in the axes at `pose`.
pub(crate) fn of_points(points: &[DVec3], pose: &Pose) -> Aabb {
    let axes = DMat3::from_quat(pose.rotation);
    let b = Aabb::from_points(points.iter().map(|&p| axes * p));
    Aabb::new(b.min + pose.position, b.max + pose.position)
}

fn around(center: DVec3, reach: DVec3) -> Aabb {
    Aabb::new(center - reach, center + reach)
}

/// A half-space is bounded only when its plane is perpendicular to an axis, and then on one side.
fn half_space(normal: DVec3, origin: DVec3) -> Aabb {
    let mut bounds = Aabb::EVERYTHING;
    for axis in 0..3 {
        if (0..3).all(|other| other == axis || normal[other] == 0.0) {
            if normal[axis] > 0.0 {
                bounds.max[axis] = origin[axis];
            } else {
                bounds.min[axis] = origin[axis];
            }
        }
    }
    bounds
}
