//! How far apart two convex bodies are, by trial of everything: without the code under test.
//!
//! Along any direction the gap between the extents of two convex bodies is at most their distance, and at least minus
//! the least translation that parts them. For polyhedra the normals of faces and the directions across two edges
//! contain the one along which they part soonest. Of bodies that are apart, a corner and a triangle or two edges
//! contain the nearest points.

use granule_geometry::Shape;
use granule_model::{DVec3, Pose};

/// A convex polyhedron, segment or point in the world, and a radius around it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) corners: Vec<DVec3>,
    pub(crate) triangles: Vec<[usize; 3]>,
    /// Outward unit normals of the triangles.
    pub(crate) normals: Vec<DVec3>,
    pub(crate) edges: Vec<[usize; 2]>,
    pub(crate) radius: f64,
}

impl Body {
    /// The polyhedron `shape` in its body axes.
    pub(crate) fn polyhedron(shape: &Shape) -> Self {
        let surface = shape.triangulate(3);
        let triangles: Vec<_> = surface.triangles.iter().map(|t| t.map(|i| i as usize)).collect();
        let mut edges: Vec<_> = triangles
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .map(|[i, j]| [i.min(j), i.max(j)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut body = Body { corners: surface.vertices, triangles, normals: Vec::new(), edges, radius: 0.0 };
        body.normals = body.triangles.iter().map(|t| body.normal(*t)).collect();
        body
    }

    /// The ball or capsule of `radius` around a core from `-half_length` to `half_length` along z.
    pub(crate) fn round(radius: f64, half_length: f64) -> Self {
        let (corners, edges) = if half_length > 0.0 {
            (vec![DVec3::NEG_Z * half_length, DVec3::Z * half_length], vec![[0, 1]])
        } else {
            (vec![DVec3::ZERO], Vec::new())
        };
        Body { corners, triangles: Vec::new(), normals: Vec::new(), edges, radius }
    }

    fn normal(&self, t: [usize; 3]) -> DVec3 {
        let [a, b, c] = t.map(|i| self.corners[i]);
        (b - a).cross(c - a).normalize()
    }

    /// The body at `pose`.
    pub(crate) fn at(&self, pose: &Pose) -> Body {
        let corners = self.corners.iter().map(|c| pose.transform_point(*c)).collect();
        let normals = self.normals.iter().map(|n| pose.transform_vector(*n)).collect();
        Body { corners, normals, ..self.clone() }
    }

    /// Half the diagonal of the box around it.
    pub(crate) fn extent(&self) -> f64 {
        let aabb = granule_model::Aabb::from_points(self.corners.iter().copied());
        0.5 * aabb.size().length() + self.radius
    }

    /// Largest height along `direction`.
    pub(crate) fn reach(&self, direction: DVec3) -> f64 {
        self.corners.iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max) + self.radius
    }

    /// Height of `point` above the highest of the faces' planes; of a round body above its surface.
    pub(crate) fn height(&self, point: DVec3) -> f64 {
        if self.triangles.is_empty() {
            let (start, end) = (self.corners[0], self.corners[self.corners.len() - 1]);
            return point_to_segment(point, start, end) - self.radius;
        }
        let heights = self.triangles.iter().zip(&self.normals).map(|(t, n)| n.dot(point - self.corners[t[0]]));
        heights.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The gap between the extents along the unit vector `direction` from B to A.
pub(crate) fn separation(a: &Body, b: &Body, direction: DVec3) -> f64 {
    -a.reach(-direction) - b.reach(direction)
}

/// The distance of two bodies that are apart, minus the least translation that parts them of two that overlap \[m\].
pub(crate) fn signed_distance(a: &Body, b: &Body) -> f64 {
    let across = a.edges.iter().flat_map(|e| b.edges.iter().map(move |f| (e, f)));
    let across = across.filter_map(|(e, f)| {
        let (along_a, along_b) = (a.corners[e[1]] - a.corners[e[0]], b.corners[f[1]] - b.corners[f[0]]);
        along_a.normalize().cross(along_b.normalize()).try_normalize()
    });
    let directions = a.normals.iter().chain(&b.normals).copied().chain(across);
    let both = directions.map(|d| separation(a, b, d).max(separation(a, b, -d)));
    let separation = both.fold(f64::NEG_INFINITY, f64::max);
    let radii = a.radius + b.radius;
    // Cores that overlap are parted by one of the directions; cores that are apart may be farther apart than these
    // tell.
    if separation + radii <= 0.0 && separation.is_finite() { separation } else { core_distance(a, b) - radii }
}

fn core_distance(a: &Body, b: &Body) -> f64 {
    let mut least = f64::INFINITY;
    for (one, other) in [(a, b), (b, a)] {
        for &p in &one.corners {
            for t in &other.triangles {
                let [x, y, z] = t.map(|i| other.corners[i]);
                least = least.min(point_to_triangle(p, x, y, z));
            }
            for &q in &other.corners {
                least = least.min((p - q).length());
            }
            for e in &other.edges {
                least = least.min(point_to_segment(p, other.corners[e[0]], other.corners[e[1]]));
            }
        }
    }
    for e in &a.edges {
        for f in &b.edges {
            let [p, q] = e.map(|i| a.corners[i]);
            let [r, s] = f.map(|i| b.corners[i]);
            least = least.min(between_lines(p, q, r, s));
        }
    }
    least
}

fn point_to_segment(p: DVec3, start: DVec3, end: DVec3) -> f64 {
    let along = end - start;
    let squared = along.length_squared();
    let share = if squared > 0.0 { ((p - start).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
    (p - start - share * along).length()
}

/// Height of `p` over the triangle when its foot lies in it, else infinite: then an edge is nearer.
fn point_to_triangle(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(s, e)| normal.dot((*e - *s).cross(p - *s)) >= 0.0);
    if inside { normal.dot(p - a).abs() } else { f64::INFINITY }
}

/// Distance of two segments whose nearest points lie inside both, else infinite: then an end takes part.
fn between_lines(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> f64 {
    let (u, v) = (q - p, s - r);
    let across = u.cross(v);
    let squared = across.length_squared();
    if squared == 0.0 {
        return f64::INFINITY;
    }
    let offset = r - p;
    let (on_first, on_second) = (offset.cross(v).dot(across) / squared, offset.cross(u).dot(across) / squared);
    let inside = (0.0..=1.0).contains(&on_first) && (0.0..=1.0).contains(&on_second);
    // The points themselves, not the height over the common normal, which nearly parallel segments do not have.
    if inside { (offset + on_second * v - on_first * u).length() } else { f64::INFINITY }
}
