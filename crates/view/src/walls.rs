//! Planes and their edges cut to the region of a picture.

use granule_geometry::Surface;
use granule_model::{Aabb, DVec3};

/// An edge is drawn where the faces beside it differ by more than this angle: 30 degrees.
const CREASE_COSINE: f64 = 0.866;
/// Meshes with more triangles than this are drawn without edges, which would cover them.
const MANY_TRIANGLES: usize = 2000;
/// Points this near, over the edge of the region, count as inside when a polygon is cut.
const CUT_TOLERANCE: f64 = 1e-9;

/// The part of the plane through `point` with `normal` that lies in `region`, as a convex polygon counter-clockwise
/// around the normal; empty when it misses the region.
pub(crate) fn plane_polygon(point: DVec3, normal: DVec3, region: &Aabb) -> Vec<DVec3> {
    let (a, b) = normal.any_orthonormal_pair();
    let foot = region.center() - normal * (region.center() - point).dot(normal);
    let reach = region.size().length();
    let corners = [a + b, b - a, -a - b, a - b].map(|v| foot + v * reach);
    clip_polygon(corners.to_vec(), region)
}

/// The part of a convex polygon that lies in `region`.
pub(crate) fn clip_polygon(mut polygon: Vec<DVec3>, region: &Aabb) -> Vec<DVec3> {
    let room = CUT_TOLERANCE * region.size().max_element();
    for axis in 0..3 {
        polygon = cut(&polygon, |p| p[axis] - region.min[axis] + room);
        polygon = cut(&polygon, |p| region.max[axis] + room - p[axis]);
    }
    polygon
}

/// The part of a convex polygon where the linear function `inside` is not negative.
fn cut(polygon: &[DVec3], inside: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (a, b) = (inside(p), inside(q));
        if a >= 0.0 {
            kept.push(p);
        }
        if (a < 0.0) != (b < 0.0) {
            kept.push(p + (q - p) * (a / (a - b)));
        }
    }
    kept
}

/// The part of a segment that lies in `region`.
pub(crate) fn clip_segment(start: DVec3, end: DVec3, region: &Aabb) -> Option<(DVec3, DVec3)> {
    let room = CUT_TOLERANCE * region.size().max_element();
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        for (a, b) in [
            (start[axis] - region.min[axis] + room, end[axis] - region.min[axis] + room),
            (region.max[axis] + room - start[axis], region.max[axis] + room - end[axis]),
        ] {
            match (a < 0.0, b < 0.0) {
                (true, true) => return None,
                (true, false) => from = from.max(a / (a - b)),
                (false, true) => to = to.min(a / (a - b)),
                (false, false) => {}
            }
        }
    }
    (from < to).then(|| (start.lerp(end, from), start.lerp(end, to)))
}

/// Edges of a surface where it bends or ends, each once; none for large meshes. Vertices at equal places count as one.
pub(crate) fn crease_edges(surface: &Surface) -> Vec<(DVec3, DVec3)> {
    if surface.triangles.len() > MANY_TRIANGLES {
        return Vec::new();
    }
    let order = |a: &DVec3, b: &DVec3| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z));
    let mut places = surface.vertices.clone();
    places.sort_by(order);
    places.dedup();
    let place = |i: u32| places.partition_point(|p| order(p, &surface.vertices[i as usize]).is_lt());
    let mut sides: Vec<(usize, usize, DVec3)> = Vec::new();
    for t in &surface.triangles {
        let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let corners = t.map(place);
        for i in 0..3 {
            let (p, q) = (corners[i], corners[(i + 1) % 3]);
            sides.push((p.min(q), p.max(q), normal));
        }
    }
    sides.sort_by_key(|s| (s.0, s.1));
    let bends =
        |same: &[(usize, usize, DVec3)]| same.len() == 1 || same.iter().any(|s| s.2.dot(same[0].2) < CREASE_COSINE);
    let edges = sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|same| bends(same));
    edges.map(|same| (places[same[0].0], places[same[0].1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_geometry::Shape;

    #[test]
    fn a_plane_through_a_unit_box_gives_its_section() {
        let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let area = |polygon: &[DVec3]| {
            let fan = (1..polygon.len().saturating_sub(1))
                .map(|i| (polygon[i] - polygon[0]).cross(polygon[i + 1] - polygon[0]));
            0.5 * fan.fold(DVec3::ZERO, |a, b| a + b).length()
        };
        let flat = plane_polygon(DVec3::Z * 0.5, DVec3::Z, &unit);
        assert!((area(&flat) - 1.0).abs() <= 1e-8);
        let diagonal = plane_polygon(DVec3::splat(0.5), DVec3::ONE.normalize(), &unit);
        // The hexagon through the middle of a unit cube: 3 sqrt(3) / 4.
        assert!((area(&diagonal) - 0.75 * 3f64.sqrt()).abs() <= 1e-8, "{}", area(&diagonal));
        assert!(plane_polygon(DVec3::Z * 2.0, DVec3::Z, &unit).is_empty());
    }

    #[test]
    fn segments_are_cut_at_the_region() {
        let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let (a, b) = clip_segment(DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.5, 0.5, 3.0), &unit).expect("crosses");
        assert!(a.z.abs() <= 1e-8 && (b.z - 1.0).abs() <= 1e-8);
        assert!(clip_segment(DVec3::new(2.0, 0.5, -1.0), DVec3::new(2.0, 0.5, 3.0), &unit).is_none());
    }

    #[test]
    fn a_box_has_twelve_edges() {
        let cuboid = Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).expect("a size").triangulate(3);
        let edges = crease_edges(&cuboid);
        assert_eq!(edges.len(), 12);
        let total: f64 = edges.iter().map(|(a, b)| (*a - *b).length()).sum();
        assert!((total - 24.0).abs() <= 1e-12);
    }
}
