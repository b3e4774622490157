//! The highest point of a shape above a rectangle of the floor.
//!
//! This is what the measure of the angle of repose calls the highest node of a grid cell, without nodes: the optimum is
//! found on the true surface.
//!
//! Ball: among the points of the rectangle the one nearest to the centre carries the highest point. Capsule: the same
//! for the ball about each point `c(s) = a + s (b - a)` of its axis, whose top `f(s) = c_z(s) + sqrt(r^2 - q(s))` over
//! the rectangle (`q` the squared horizontal distance of `c(s)` from the rectangle) is concave. Where `c(s)` stays in
//! one of the nine zones around the rectangle, `q = alpha (s - s0)^2 + q0`, and `f' = 0` gives
//! `(s - s0)^2 = m^2 (r^2 - q0) / (alpha (alpha + m^2))` with the slope `m = b_z - a_z`. Flat faces: clipped to the
//! rectangle, the highest corner of what is left.

use granule_model::{Aabb, DMat3, DVec3, Pose};

use crate::cylinder::Cylinder;
use crate::geometry::{Container, Geometry};
use crate::grain::GrainData;
use crate::ground::TriangleSurface;
use crate::height_field::HeightField;
use crate::mesh::MeshData;
use crate::surface::{CUBOID_FACES, Surface, cuboid_corners};

/// Sides of the prism that stands for a cylinder: `1 - cos(pi / 256)` of the radius is 8e-5.
const ROUND: u32 = 256;

/// A closed rectangle of the floor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    pub(crate) min: [f64; 2],
    pub(crate) max: [f64; 2],
}

/// The highest point so far.
pub(crate) type Best = Option<DVec3>;

fn raise(best: &mut Best, p: DVec3) {
    if best.is_none_or(|b| p.z > b.z) {
        *best = Some(p);
    }
}

/// Raises `best` to the highest point of `geometry` at `pose` above the rectangle.
pub(crate) fn raise_geometry(geometry: &Geometry, pose: &Pose, cell: &Rectangle, best: &mut Best) {
    match geometry {
        Geometry::Sphere { radius } => raise_ball(pose.position, *radius, cell, best),
        Geometry::Capsule { radius, half_length } => {
            let end = |side: f64| pose.transform_point(DVec3::Z * (side * half_length));
            raise_capsule(end(-1.0), end(1.0), *radius, cell, best);
        }
        Geometry::Cuboid { half } => {
            let corners = cuboid_corners(*half).map(|c| pose.transform_point(c));
            for face in &CUBOID_FACES {
                raise_polygon(face.iter().map(|&i| corners[i as usize]), cell, best);
            }
        }
        Geometry::Convex(data) => {
            let corners: Vec<_> = data.vertices.iter().map(|&v| pose.transform_point(v)).collect();
            for (i, face) in data.faces.iter().enumerate() {
                // A face that looks down is never the highest.
                if pose.transform_vector(face.normal).z >= 0.0 {
                    raise_polygon(data.face_loop(i).iter().map(|&i| corners[i as usize]), cell, best);
                }
            }
        }
        Geometry::Grain(data) if cell.min == cell.max => raise_grain(data, pose, cell.min, best),
        Geometry::Grain(data) => {
            let placed = data.placed(pose);
            data.points().for_each(|p| raise_point(placed.transform_point(p), cell, best));
        }
        Geometry::Cylinder(cylinder) => raise_cylinder(cylinder, pose, cell, best),
        Geometry::Compound(parts) => {
            parts.iter().for_each(|p| raise_geometry(&p.geometry, &pose.compose(&p.pose), cell, best));
        }
        Geometry::HalfSpace { normal } => raise_plane(pose.transform_vector(*normal), pose.position, cell, best),
        Geometry::Mesh(data) => raise_mesh(data, pose, cell, best),
        Geometry::HeightField(field) => raise_field(field, pose, cell, best),
        Geometry::ContourGround(ground) => raise_field(&ground.field, pose, cell, best),
        Geometry::Container(Container { size, .. }) => {
            let corners = [[0.0, 0.0], [size.x, 0.0], [size.x, size.y], [0.0, size.y]];
            raise_polygon(corners.map(|[x, y]| pose.transform_point(DVec3::new(x, y, 0.0))), cell, best);
        }
        // The wall of a drum is over all that is in it.
        Geometry::Drum(drum) if drum.is_open() => {
            let inside = crate::surface::triangles(geometry, ROUND);
            let floor = inside.triangles.iter().take(ROUND as usize - 2);
            floor.for_each(|t| {
                raise_polygon(t.map(|i| pose.transform_point(inside.vertices[i as usize])), cell, best);
            });
        }
        Geometry::Drum(_) => {}
    }
}

/// Raises `best` to the highest point of triangles given in the axes at `pose`.
pub(crate) fn raise_surface(surface: &Surface, pose: &Pose, cell: &Rectangle, best: &mut Best) {
    let corners: Vec<_> = surface.vertices.iter().map(|&v| pose.transform_point(v)).collect();
    for t in &surface.triangles {
        raise_polygon(t.map(|i| corners[i as usize]), cell, best);
    }
}

/// Steps down to a grain at most, the shortest of them, and the distance from the surface at which the way ends, over
/// the spacing of its grid: a grain of 65 000 nodes is some hundred spacings high.
const STEPS: usize = 4000;
const SHORTEST: f64 = 0.05;
const ARRIVED: f64 = 1e-4;

/// Over one place lies no node of a grain: from above the way leads down to the contour, by as much as it is off.
fn raise_grain(grain: &GrainData, pose: &Pose, [x, y]: [f64; 2], best: &mut Best) {
    let (placed, spacing) = (grain.placed(pose), grain.level_set.spacing());
    let bounds = grain.aabb(&placed).padded(spacing + grain.bulge);
    let point = |z: f64| DVec3::new(x, y, z);
    let distance = |z: f64| {
        let at = placed.inverse_transform_point(point(z));
        grain.level_set.contour(at).map_or_else(|| grain.level_set.bound(at), |sample| sample.value)
    };
    let (mut z, mut above) = (bounds.max.z, None);
    for _ in 0..STEPS {
        let near = distance(z);
        if near <= ARRIVED * spacing {
            // The last step may have led through the surface.
            let back = above.map_or(0.0, |(over, far): (f64, f64)| (over - z) * -near.min(0.0) / (far - near));
            return raise(best, point(z + back));
        }
        above = Some((z, near));
        z -= near.max(SHORTEST * spacing);
        // Written so that NaN ends it.
        let is_over = z >= bounds.min.z;
        if !is_over {
            return;
        }
    }
}

/// Of a grain the nodes count.
fn raise_point(p: DVec3, cell: &Rectangle, best: &mut Best) {
    if (0..2).all(|k| (cell.min[k]..=cell.max[k]).contains(&p[k])) {
        raise(best, p);
    }
}

fn raise_ball(center: DVec3, radius: f64, cell: &Rectangle, best: &mut Best) {
    let (x, y) = (center.x.clamp(cell.min[0], cell.max[0]), center.y.clamp(cell.min[1], cell.max[1]));
    let square = radius * radius - (x - center.x) * (x - center.x) - (y - center.y) * (y - center.y);
    if square >= 0.0 {
        raise(best, DVec3::new(x, y, center.z + square.sqrt()));
    }
}

/// Where the top is over the rectangle it counts, else the surface over the highest point of a prism of [`ROUND`]
/// sides.
fn raise_cylinder(cylinder: &Cylinder, pose: &Pose, cell: &Rectangle, best: &mut Best) {
    let up = pose.inverse_transform_vector(DVec3::Z);
    let top = pose.transform_point(cylinder.farthest(up));
    if (0..2).all(|k| (cell.min[k]..=cell.max[k]).contains(&top[k])) {
        raise(best, top);
        return;
    }
    let mut highest = None;
    raise_surface(&crate::surface::cylinder(cylinder, ROUND), pose, cell, &mut highest);
    if let Some(point) = highest {
        raise(best, point + cylinder.room(pose.inverse_transform_point(point), up) * DVec3::Z);
    }
}

fn raise_capsule(a: DVec3, b: DVec3, radius: f64, cell: &Rectangle, best: &mut Best) {
    let axis = b - a;
    let (zones, count) = zones(a, axis, cell);
    for zone in zones[..count].windows(2) {
        let [from, to] = [zone[0], zone[1]];
        let top_of_ball_at = |s: f64, best: &mut Best| raise_ball(a + s.clamp(from, to) * axis, radius, cell, best);
        top_of_ball_at(from, best);
        top_of_ball_at(to, best);
        // Squared distance q(s) = alpha s^2 + 2 beta s + gamma over the sides that the zone lies beyond.
        let (mut alpha, mut beta, mut gamma) = (0.0, 0.0, 0.0);
        let middle = a + 0.5 * (from + to) * axis;
        for k in 0..2 {
            let side = middle[k].clamp(cell.min[k], cell.max[k]);
            if side != middle[k] {
                alpha += axis[k] * axis[k];
                beta += axis[k] * (a[k] - side);
                gamma += (a[k] - side) * (a[k] - side);
            }
        }
        let lowest = -beta / alpha;
        let square = radius * radius - (gamma - beta * beta / alpha);
        if alpha > 0.0 && square >= 0.0 {
            let step = axis.z * (square / (alpha * (alpha + axis.z * axis.z))).sqrt();
            top_of_ball_at(lowest + step, best);
        }
    }
}

/// The shares of the axis at which it passes over a line through a side of the rectangle, with 0 and 1, ascending.
fn zones(a: DVec3, axis: DVec3, cell: &Rectangle) -> ([f64; 6], usize) {
    let mut shares = [0.0; 6];
    let mut count = 1;
    for k in 0..2 {
        for side in [cell.min[k], cell.max[k]] {
            let s = (side - a[k]) / axis[k];
            if s > 0.0 && s < 1.0 {
                shares[count] = s;
                count += 1;
            }
        }
    }
    shares[count] = 1.0;
    shares[..=count].sort_unstable_by(f64::total_cmp);
    (shares, count + 1)
}

/// Raises `best` to the highest point of a flat polygon, clipped to the column over the rectangle.
fn raise_polygon(corners: impl IntoIterator<Item = DVec3>, cell: &Rectangle, best: &mut Best) {
    let mut polygon: Vec<DVec3> = corners.into_iter().collect();
    let b = Aabb::from_points(polygon.iter().copied());
    if (0..2).any(|k| b.max[k] < cell.min[k] || b.min[k] > cell.max[k]) || best.is_some_and(|p| p.z >= b.max.z) {
        return;
    }
    let mut clipped = Vec::with_capacity(polygon.len() + 4);
    for k in 0..2 {
        for (side, sign) in [(cell.min[k], 1.0), (cell.max[k], -1.0)] {
            clip(&polygon, k, side, sign, &mut clipped);
            std::mem::swap(&mut polygon, &mut clipped);
        }
    }
    polygon.into_iter().for_each(|p| raise(best, p));
}

/// Keeps what lies on the inner side of the line `p[k] = side`, where `sign` is the inner direction.
fn clip(polygon: &[DVec3], k: usize, side: f64, sign: f64, out: &mut Vec<DVec3>) {
    out.clear();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (inside_p, inside_q) = (sign * (p[k] - side), sign * (q[k] - side));
        if inside_p >= 0.0 {
            out.push(p);
        }
        if (inside_p > 0.0 && inside_q < 0.0) || (inside_p < 0.0 && inside_q > 0.0) {
            let mut cut = p + (q - p) * (inside_p / (inside_p - inside_q));
            cut[k] = side;
            out.push(cut);
        }
    }
}

/// A plane that does not look up has no highest point.
fn raise_plane(normal: DVec3, origin: DVec3, cell: &Rectangle, best: &mut Best) {
    if normal.z > 0.0 {
        let corner = |k: usize| if normal[k] > 0.0 { cell.min[k] } else { cell.max[k] };
        let (x, y) = (corner(0), corner(1));
        let z = origin.z - (normal.x * (x - origin.x) + normal.y * (y - origin.y)) / normal.z;
        raise(best, DVec3::new(x, y, z));
    }
}

fn raise_mesh(data: &MeshData, pose: &Pose, cell: &Rectangle, best: &mut Best) {
    let mut near = Vec::new();
    data.triangles_near(&column_over(&data.bounds, pose, cell), &mut near);
    for t in near {
        raise_polygon(data.corners(t).map(|c| pose.transform_point(c)), cell, best);
    }
}

/// Tiles that do not reach higher than what was found are left out.
fn raise_field(field: &HeightField, pose: &Pose, cell: &Rectangle, best: &mut Best) {
    field.each_tile_near(&column_over(field.bounds(), pose, cell), |tile, quads| {
        let corners = crate::surface::cuboid_corners(0.5 * tile.size()).map(|c| c + tile.center());
        let high = crate::bounds::of_points(&corners, pose).max.z;
        if best.is_none_or(|b| high > b.z) {
            field.each_triangle(quads, |_, p| raise_polygon(p.map(|c| pose.transform_point(c)), cell, best));
        }
    });
}

/// The box, in body axes, around the column over the rectangle as far as `whole` (body axes) at `pose` reaches.
fn column_over(whole: &Aabb, pose: &Pose, cell: &Rectangle) -> Aabb {
    let reach = whole.size().length() + (pose.transform_point(whole.center()) - whole.center()).length();
    let low = DVec3::new(cell.min[0], cell.min[1], whole.center().z - reach);
    let high = DVec3::new(cell.max[0], cell.max[1], whole.center().z + reach);
    let center = pose.inverse_transform_point(0.5 * (low + high));
    let axes = DMat3::from_quat(pose.rotation.conjugate());
    let half = 0.5 * (high - low);
    let half = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
    Aabb::new(center - half, center + half)
}
