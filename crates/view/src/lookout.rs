//! From where a path over relief is best seen.
//!
//! The eye stands on the southern side, so that the light from the north-west comes from the upper left as on maps, and
//! obliquely above. Of the directions in question that one is taken in which the ground along the path covers most of
//! the picture: a patch of ground covers its area times the cosine of the angle at which it is seen over its distance
//! squared, and nothing where a ridge stands before it.

use granule_engine::Snapshot;
use granule_model::{Aabb, DVec3};

use crate::bvh::Bvh;
use crate::camera::Camera;
use crate::framing::Framing;
use crate::intersect::Ray;
use crate::model::{Instance, Models, Solid};
use crate::relief::reliefs;

/// Directions of the eye from the path: degrees from east through south to west, in steps.
const AZIMUTHS: [f64; 11] = [-15.0, -30.0, -45.0, -60.0, -75.0, -90.0, -105.0, -120.0, -135.0, -150.0, -165.0];
/// Heights of the eye over the horizon \[degrees\].
const ELEVATIONS: [f64; 3] = [30.0, 38.0, 46.0];
/// Rays start this far from what they come from, over the size of the path.
const LIFT: f64 = 1e-6;

/// The camera that shows the whole run of `framing` over the relief of `scene`, in a picture whose width is `aspect`
/// times its height. None where there is no relief ([`crate::has_relief`]) or nothing moves.
pub fn over_relief(framing: &Framing, scene: &Snapshot, relief: Option<bool>, aspect: f64) -> Option<Camera> {
    let outline = framing.outline();
    let grounds = reliefs(scene, relief);
    if grounds.is_empty() || outline.is_empty() {
        return None;
    }
    let mut models = Models::default();
    let solid = |&index: &usize| {
        let body = &scene.bodies[index];
        Solid::Instance(Instance::new(models.of(index, body, f64::INFINITY), body.pose).into())
    };
    let ground = Bvh::new(&grounds.iter().map(solid).collect::<Vec<_>>());
    let patches = patches(framing, &ground);
    let cameras = ELEVATIONS.iter().flat_map(|&e| AZIMUTHS.map(|a| direction(a, e)));
    let cameras = cameras.map(|direction| Camera::framing_boxes(&outline, direction, aspect));
    let size = outline.iter().fold(Aabb::EMPTY, |a, b| a.union(b)).size().length();
    let judged = cameras.map(|camera| (covered(&camera, &patches, &ground, LIFT * size), camera));
    // The first of equals.
    judged.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, camera)| camera)
}

/// Unit vector from the path to the eye.
fn direction(azimuth: f64, elevation: f64) -> DVec3 {
    let (a, e) = (azimuth.to_radians(), elevation.to_radians());
    DVec3::new(a.cos() * e.cos(), a.sin() * e.cos(), e.sin())
}

/// Places along the path with the unit normal of the ground below each.
fn patches(framing: &Framing, ground: &Bvh<Solid>) -> Vec<(DVec3, DVec3)> {
    let patch = |place: DVec3| {
        let down = Ray::new(place, DVec3::NEG_Z);
        let hit = ground.nearest(&down, 0.0, f64::INFINITY);
        let normal = hit.map_or(DVec3::Z, |hit| ground.get(&hit).normal(&down, hit.distance));
        (place, if normal.z < 0.0 { -normal } else { normal })
    };
    framing.places().map(patch).collect()
}

/// How much of the picture the ground along the path covers: solid angle over area, summed.
fn covered(camera: &Camera, patches: &[(DVec3, DVec3)], ground: &Bvh<Solid>, lift: f64) -> f64 {
    let seen = |&(place, normal): &(DVec3, DVec3)| {
        let to_eye = camera.eye - place;
        let (distance, direction) = (to_eye.length(), to_eye.normalize_or_zero());
        let hidden = ground.any(&Ray::new(place, direction), lift, distance);
        if hidden || distance <= 0.0 { 0.0 } else { normal.dot(direction).max(0.0) / (distance * distance) }
    };
    patches.iter().map(seen).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{fixed, snapshot, sphere_at};
    use granule_geometry::Shape;

    /// A gully along y, `length` long, with walls that rise to `wall` on both sides, and its floor falling to -y.
    fn gully(length: f64, wall: f64) -> Shape {
        let (columns, rows) = (21u32, 101u32);
        let vertex = |i: u32, j: u32| {
            let (x, y) = (f64::from(i) - 10.0, length * f64::from(j) / 100.0);
            DVec3::new(4.0 * x, y, 0.3 * y + wall * (x / 10.0) * (x / 10.0))
        };
        let vertices: Vec<DVec3> = (0..rows).flat_map(|j| (0..columns).map(move |i| vertex(i, j))).collect();
        let cells = (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| j * columns + i));
        let triangles: Vec<[u32; 3]> =
            cells.flat_map(|k| [[k, k + 1, k + columns + 1], [k, k + columns + 1, k + columns]]).collect();
        Shape::mesh(&vertices, &triangles).expect("a surface")
    }

    /// A narrow path down a deep gully stays in the picture, and no wall is before most of it.
    #[test]
    fn a_long_narrow_path_is_seen_in_whole() {
        for (length, wall) in [(400.0, 5.0), (400.0, 60.0), (900.0, 30.0)] {
            let ground = fixed(99, gully(length, wall), DVec3::ZERO);
            let state = |s: f64| {
                let ball = |i: u32| {
                    let y = (length - 30.0) * (1.0 - s) + f64::from(i);
                    sphere_at(i, DVec3::new(f64::from(i % 4) - 1.5, y, 0.3 * y + 0.6), 0.5)
                };
                snapshot((0..16).map(ball).chain([ground.clone()]).collect())
            };
            let states: Vec<_> = (0..=50).map(|k| state(f64::from(k) / 50.0)).collect();
            let mut framing = Framing::new();
            states.iter().for_each(|s| framing.add(s));
            let camera = over_relief(&framing, &states[0], None, 16.0 / 9.0).expect("relief");
            assert!(over_relief(&framing, &states[0], Some(false), 16.0 / 9.0).is_none());
            let model = Models::default().of(16, &ground, f64::INFINITY);
            let ground = Bvh::new(&[Solid::Instance(Instance::new(model, ground.pose).into())]);
            let (mut all, mut hidden) = (0, 0);
            for body in states.iter().flat_map(|s| &s.bodies[..16]) {
                assert!(camera.sees(body.pose.position, 16.0 / 9.0), "{length} {wall} {}", body.pose.position);
                let way = camera.eye - body.pose.position;
                all += 1;
                hidden += i32::from(ground.any(&Ray::new(body.pose.position, way.normalize()), 1e-3, way.length()));
            }
            // Measured: 0 of 816 in all three.
            assert!(20 * hidden <= all, "{length} {wall}: {hidden} of {all} hidden");
            // Obliquely from above.
            let rise = (camera.eye - camera.target).normalize().z;
            assert!((0.4..0.8).contains(&rise), "{rise}");
        }
    }
}
