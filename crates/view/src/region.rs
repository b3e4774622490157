//! Which part of the world a picture is about: the grains and the floor and walls around them.

use granule_engine::{BodySnapshot, Snapshot};
use granule_geometry::Primitive;
use granule_model::{Aabb, DVec3};

use crate::framing::Framing;

/// Free room around the grains where no wall is, over the region's largest edge.
const PADDING: f64 = 0.03;
/// A wall or floor counts as one of the grains' container when it is nearer than this, in edges of the grains' box.
const WALL_REACH: f64 = 2.0;
/// A static body larger than this, in edges of the grains' box, is landscape: the picture does not try to show all of
/// it. The grains beside one that is shown fill an eighth of the picture's width.
const LANDSCAPE: f64 = 8.0;
/// One that is higher than this, in edges of the grains' box, is a wall of which the part beside the grains is enough.
const TALL: f64 = 2.0;
/// A plane looks along an axis when its normal differs from it by less than this (some 0.06 degrees).
const ALIGNED: f64 = 1e-3;

/// The box \[m\] that holds the moving bodies of `snapshot` and reaches to the floor and the walls around them, but
/// only as high as the bodies are. Bodies that were flung far away from the others are left out ([`Framing`]). Empty
/// when there is nothing of finite size.
///
/// Give one box to all pictures of a run (`RenderOptions::region` and `Camera::framing`), so that camera
/// and walls stand still: that of a [`Framing`] of all its states.
pub fn scene_region(snapshot: &Snapshot) -> Aabb {
    let mut framing = Framing::new();
    framing.add(snapshot);
    framing.region()
}

/// The region around `moving`, or around the `obstacles` where that is empty; `endless` are bodies without end.
pub(crate) fn around(moving: Aabb, obstacles: &[Aabb], endless: &[BodySnapshot]) -> Aabb {
    let grains = if moving.is_finite() { moving } else { obstacles.iter().fold(Aabb::EMPTY, |a, b| a.union(b)) };
    if !grains.is_finite() {
        return Aabb::EMPTY;
    }
    let size = grains.size().max_element();
    let mut region = grains.padded(PADDING * size);
    endless.iter().for_each(|body| reach_to_walls(&mut region, body, size));
    obstacles.iter().for_each(|obstacle| include_obstacle(&mut region, obstacle, &grains));
    region
}

fn include_obstacle(region: &mut Aabb, obstacle: &Aabb, grains: &Aabb) {
    let landscape = obstacle.size().max_element() > LANDSCAPE * grains.size().max_element();
    if landscape {
        return;
    }
    let tall = obstacle.size().z > TALL * grains.size().max_element();
    let top = if tall { region.max.z } else { region.max.z.max(obstacle.max.z) };
    *region = region.union(obstacle);
    region.max.z = top;
}

/// Moves the faces of the region that have a wall or a floor near them onto it.
fn reach_to_walls(region: &mut Aabb, body: &BodySnapshot, size: f64) {
    let before = *region;
    for (point, normal) in planes(body) {
        for axis in 0..3 {
            let place = point[axis];
            if normal[axis] > 1.0 - ALIGNED && (before.min[axis] - place) <= WALL_REACH * size {
                region.min[axis] = place;
            }
            if normal[axis] < ALIGNED - 1.0 && (place - before.max[axis]) <= WALL_REACH * size && axis < 2 {
                region.max[axis] = place;
            }
        }
    }
}

/// Point and inward normal of each plane of a half-space or container, in the world.
fn planes(body: &BodySnapshot) -> Vec<(DVec3, DVec3)> {
    let mut planes = Vec::new();
    for primitive in body.shape.surface() {
        match primitive {
            Primitive::Plane { normal, offset } => {
                planes.push((body.pose.transform_point(normal * offset), body.pose.transform_vector(normal)));
            }
            Primitive::Triangles(surface) => {
                for t in &surface.triangles {
                    let [a, b, c] = t.map(|i| body.pose.transform_point(surface.vertices[i as usize]));
                    planes.push((a, (b - a).cross(c - a).normalize_or_zero()));
                }
            }
            Primitive::Sphere { .. } | Primitive::Capsule { .. } => {}
        }
    }
    planes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{fixed, snapshot, sphere_at};
    use granule_geometry::Shape;

    #[test]
    fn the_region_ends_at_floor_and_walls_and_at_the_top_of_the_grains() {
        for unit in [1e-3, 1.0, 100.0] {
            let container = Shape::container(DVec3::new(4.0, 3.0, 50.0) * unit).expect("a size");
            let bodies = vec![
                fixed(0, container, DVec3::ZERO),
                sphere_at(1, DVec3::new(1.0, 1.0, 0.5) * unit, 0.5 * unit),
                sphere_at(2, DVec3::new(1.5, 2.0, 2.5) * unit, 0.5 * unit),
            ];
            let region = scene_region(&snapshot(bodies));
            let near = |a: DVec3, b: DVec3| (a - b).length() <= 1e-12 * unit;
            assert!(near(region.min, DVec3::ZERO), "{region:?}");
            assert!(near(region.max, DVec3::new(4.0, 3.0, 3.0 + 0.03 * 3.0) * unit), "{region:?}");
        }
    }

    #[test]
    fn a_few_bodies_that_were_flung_away_do_not_stretch_it() {
        for unit in [1e-3, 1.0, 100.0] {
            let grain = |i: u32, x: f64| sphere_at(i, DVec3::new(x, f64::from(i % 3), 0.5) * unit, 0.5 * unit);
            let heap: Vec<_> = (0..20).map(|i| grain(i, f64::from(i))).collect();
            let region = scene_region(&snapshot(heap.clone()));
            let far = [DVec3::X * 1e6, DVec3::Z * -300.0];
            let flung = far.into_iter().zip(20..).map(|(place, i)| sphere_at(i, place * unit, 0.5 * unit));
            assert_eq!(scene_region(&snapshot(heap.into_iter().chain(flung).collect())), region);
            // Control: among a few bodies the limit is wider, and so does what is 50 radii away from a heap of 20.
            let few: Vec<_> = (0..4).map(|i| grain(i, [0.0, 1.0, 2.0, 30.0][i as usize])).collect();
            assert!(scene_region(&snapshot(few)).size().x > 30.0 * unit);
            let rolled: Vec<_> = (0..20).map(|i| grain(i, if i < 19 { f64::from(i) } else { 50.0 })).collect();
            assert!(scene_region(&snapshot(rolled)).size().x > 50.0 * unit);
        }
    }

    #[test]
    fn a_far_wall_and_a_landscape_do_not_stretch_it() {
        let far = Shape::half_space(DVec3::X).expect("a normal");
        let ground = Shape::cuboid(DVec3::new(500.0, 500.0, 1.0)).expect("a size");
        let bodies =
            vec![sphere_at(0, DVec3::ZERO, 1.0), fixed(1, far, DVec3::X * -100.0), fixed(2, ground, DVec3::Z * -1.5)];
        let region = scene_region(&snapshot(bodies));
        assert!(region.size().max_element() < 2.2, "{region:?}");
        assert!(!scene_region(&snapshot(vec![])).is_finite());
    }
}
