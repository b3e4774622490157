//! Convex solids by their corners and axes, and how far two of them are apart: by separating axes, without the code
//! under test.
//!
//! Along any direction the gap between the extents of two convex bodies is at most their distance, and at least minus
//! the depth by which they overlap. For polyhedra the normals of faces and the directions across two edges are enough
//! to tell overlap, and the largest of their gaps is then minus the depth. For rounded bodies it is a lower bound of
//! the gap.

use granule_geometry::Shape;
use granule_model::{DVec3, Pose};

/// Directions whose cross product is shorter are parallel.
const PARALLEL: f64 = 1e-9;

/// A polyhedron, ball or capsule in body axes.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    /// Corners, or the ends of the core \[m\].
    corners: Vec<DVec3>,
    /// How far the surface lies around them \[m\].
    radius: f64,
    /// Unit normals of the faces, each direction once.
    normals: Vec<DVec3>,
    /// Unit directions of the edges, or of the core, each once.
    edges: Vec<DVec3>,
}

impl Solid {
    /// A ball or a capsule with this core.
    pub(crate) fn round(corners: Vec<DVec3>, radius: f64) -> Self {
        let along = corners.last().map(|end| *end - corners[0]).and_then(DVec3::try_normalize);
        Solid { corners, radius, normals: Vec::new(), edges: along.into_iter().collect() }
    }

    /// The surface of `shape`, which must be convex.
    pub(crate) fn polyhedron(shape: &Shape) -> Self {
        let surface = shape.triangulate(3);
        let (mut normals, mut edges) = (Vec::new(), Vec::new());
        for t in &surface.triangles {
            let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
            insert(&mut normals, (b - a).cross(c - a));
            for edge in [b - a, c - b, a - c] {
                insert(&mut edges, edge);
            }
        }
        Solid { corners: surface.vertices, radius: 0.0, normals, edges }
    }

    /// Whether its surface is flat: then the gap from another such is exact where they overlap.
    pub(crate) fn is_flat(&self) -> bool {
        self.radius == 0.0
    }

    /// Half of the smallest width.
    pub(crate) fn half_width(&self) -> f64 {
        if !self.is_flat() {
            return self.radius;
        }
        let across = (0..self.edges.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let across = across.filter_map(|(i, j)| across_two(self.edges[i], self.edges[j]));
        let widths = self.normals.iter().copied().chain(across).map(|direction| {
            let (low, high) = self.extent(direction);
            high - low
        });
        0.5 * widths.fold(f64::INFINITY, f64::min)
    }

    /// Lowest and highest height along a unit vector of the body axes.
    fn extent(&self, direction: DVec3) -> (f64, f64) {
        let heights = self.corners.iter().map(|v| v.dot(direction));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        (low - self.radius, high + self.radius)
    }
}

/// Adds the direction of `v` unless it is there or `v` has none.
fn insert(directions: &mut Vec<DVec3>, v: DVec3) {
    let Some(unit) = v.try_normalize() else { return };
    if directions.iter().all(|d| d.cross(unit).length() > PARALLEL) {
        directions.push(unit);
    }
}

/// The unit vector across two edges; none for parallel ones.
fn across_two(a: DVec3, b: DVec3) -> Option<DVec3> {
    let across = a.cross(b);
    (across.length() > PARALLEL).then(|| across.normalize())
}

/// The largest gap between two solids along a direction that bears on it \[m\]; the first that is above `enough` will
/// do.
pub(crate) fn separation(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, enough: f64) -> f64 {
    separate(a, pose_a, b, pose_b, enough).0
}

/// As [`separation`], with the unit direction of that gap in the world, from A to B.
pub(crate) fn separate(a: &Solid, pose_a: &Pose, b: &Solid, pose_b: &Pose, enough: f64) -> (f64, DVec3) {
    // In the axes of A, about the middle of B, so that far from the origin nothing is lost to rounding.
    let middle = pose_b.position - pose_a.position;
    let to_a = |v: DVec3| pose_a.inverse_transform_vector(v);
    let to_b = |v: DVec3| pose_b.inverse_transform_vector(pose_a.transform_vector(v));
    let apart = to_a(middle);
    let gap = |direction: DVec3| {
        let (low, high) = a.extent(direction);
        let (low_b, high_b) = b.extent(to_b(direction));
        let shift = apart.dot(direction);
        let (above, below) = (low_b + shift - high, low - high_b - shift);
        if above >= below { (above, direction) } else { (below, -direction) }
    };
    let turned = |v: &DVec3| to_a(pose_b.transform_vector(*v));
    let edges_b: Vec<DVec3> = b.edges.iter().map(turned).collect();
    let faces = a.normals.iter().copied().chain(b.normals.iter().map(turned)).chain(apart.try_normalize());
    let edges = a.edges.iter().flat_map(|e| edges_b.iter().filter_map(|f| across_two(*e, *f)));
    let (mut largest, mut along) = (f64::NEG_INFINITY, DVec3::ZERO);
    for direction in faces.chain(edges).chain(between_corners(a, b, apart, &turned)) {
        let (width, outward) = gap(direction);
        if width > largest {
            (largest, along) = (width, outward);
        }
        if largest > enough {
            break;
        }
    }
    (largest, pose_a.transform_vector(along))
}

/// Directions from corner to corner, which bear on rounded bodies alone.
fn between_corners(a: &Solid, b: &Solid, apart: DVec3, turned: &dyn Fn(&DVec3) -> DVec3) -> Vec<DVec3> {
    if a.is_flat() && b.is_flat() {
        return Vec::new();
    }
    let pairs = a.corners.iter().flat_map(|p| b.corners.iter().map(move |q| (p, q)));
    pairs.filter_map(|(p, q)| (turned(q) + apart - *p).try_normalize()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::DQuat;

    fn cuboid(x: f64, y: f64, z: f64) -> Solid {
        Solid::polyhedron(&Shape::cuboid(DVec3::new(x, y, z)).expect("a cuboid"))
    }

    #[test]
    fn the_gaps_of_cuboids_balls_and_crossed_edges_are_exact() {
        let (a, at) = (cuboid(2.0, 2.0, 2.0), Pose::from_position);
        let gap = |b: &Solid, pose: Pose| separation(&a, &at(DVec3::ZERO), b, &pose, f64::INFINITY);
        let b = cuboid(2.0, 4.0, 6.0);
        assert!((gap(&b, at(DVec3::new(2.5, 0.3, 0.1))) - 0.5).abs() <= 1e-15);
        assert!((gap(&b, at(DVec3::new(0.1, 2.9, 0.3))) + 0.1).abs() <= 1e-15);
        // Edge across edge, both at 45 degrees: the distance of the middles less twice the half diagonal.
        let half: f64 = 0.125 * std::f64::consts::TAU;
        let (s, c) = ((0.5 * half).sin(), (0.5 * half).cos());
        let cube = separation(
            &a,
            &Pose::new(DVec3::ZERO, DQuat::from_xyzw(s, 0.0, 0.0, c)),
            &a,
            &Pose::new(DVec3::Z * 2.8, DQuat::from_xyzw(0.0, s, 0.0, c)),
            f64::INFINITY,
        );
        assert!((cube - (2.8 - 2.0 * 2f64.sqrt())).abs() <= 1e-14, "{cube}");
        let ball = Solid::round(vec![DVec3::ZERO], 0.5);
        assert!((gap(&ball, at(DVec3::splat(2.0))) - (3f64.sqrt() - 0.5)).abs() <= 1e-14);
        assert!((gap(&ball, at(DVec3::new(0.2, 0.1, 1.4))) + 0.1).abs() <= 1e-14);
    }

    #[test]
    fn the_direction_of_a_gap_leads_from_the_first_to_the_second_in_the_world() {
        let a = cuboid(2.0, 2.0, 2.0);
        let turned = Pose::new(DVec3::new(5.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()));
        for (place, direction) in [(DVec3::new(5.1, 1.9, 0.1), DVec3::Y), (DVec3::new(2.5, 0.1, 0.1), DVec3::NEG_X)] {
            let (_, along) = separate(&a, &turned, &a, &Pose::from_position(place), f64::INFINITY);
            assert!((along - direction).length() <= 1e-15, "{along}");
        }
    }

    #[test]
    fn the_smallest_width_is_that_of_the_plate_and_of_the_tetrahedron() {
        assert!((cuboid(1.0, 0.04, 2.0).half_width() - 0.02).abs() <= 1e-15);
        // A regular tetrahedron of edge 2 sqrt 2 is thinnest between opposite edges: its width is 2, its height 2.31.
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(DVec3::from);
        let tetrahedron = Solid::polyhedron(&Shape::convex(&corners).expect("a tetrahedron"));
        assert!((tetrahedron.half_width() - 1.0).abs() <= 1e-12);
    }
}
