//! Shapes with exact distances, and random points from a fixed seed.

#![allow(dead_code, reason = "each test uses a part of it")]

use granule_model::{Aabb, DQuat, DVec3};

/// A shape about one metre in size with an exact signed distance.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Radius 1.
    Sphere,
    /// Radius 0.8 of the circle around z, 0.3 of the tube.
    Torus,
    /// Half edges 0.7, 0.5, 0.6, turned by the rotation.
    Box(DQuat),
}

pub(crate) const HALF: DVec3 = DVec3::new(0.7, 0.5, 0.6);
const CIRCLE: f64 = 0.8;
const TUBE: f64 = 0.3;

impl Shape {
    pub(crate) fn distance(&self, p: DVec3) -> f64 {
        match self {
            Shape::Sphere => p.length() - 1.0,
            Shape::Torus => (p - circle(p)).length() - TUBE,
            Shape::Box(turn) => {
                let q = (turn.conjugate() * p).abs() - HALF;
                q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
            }
        }
    }

    /// Gradient of the distance, away from kinks.
    pub(crate) fn gradient(&self, p: DVec3) -> DVec3 {
        match self {
            Shape::Sphere => p.normalize(),
            Shape::Torus => (p - circle(p)).normalize(),
            Shape::Box(turn) => {
                let local = turn.conjugate() * p;
                let q = local.abs() - HALF;
                let outward = if q.max_element() > 0.0 {
                    q.max(DVec3::ZERO).normalize()
                } else {
                    DVec3::from_array(std::array::from_fn(|i| if q[i] == q.max_element() { 1.0 } else { 0.0 }))
                };
                *turn * (outward * local.signum())
            }
        }
    }

    /// A point within `reach` of the surface.
    pub(crate) fn near_surface(&self, random: &mut Random, reach: f64) -> DVec3 {
        loop {
            let p = random.point(1.25);
            let on = p - self.distance(p) * self.gradient(p);
            let off = reach * (2.0 * random.next() - 1.0);
            let q = on + off * self.gradient(on + 1e-6 * self.gradient(p));
            if (self.distance(q) - off).abs() < 1e-9 {
                return q;
            }
        }
    }
}

/// Nearest point of the circle of the torus.
fn circle(p: DVec3) -> DVec3 {
    let flat = DVec3::new(p.x, p.y, 0.0);
    if flat.length() > 0.0 { flat * (CIRCLE / flat.length()) } else { CIRCLE * DVec3::X }
}

pub(crate) fn cube(half: f64) -> Aabb {
    Aabb::new(DVec3::splat(-half), DVec3::splat(half))
}

/// Order of a sequence of errors, each at half the spacing of the one before: slope between the first and the last.
pub(crate) fn mean_order(errors: &[f64]) -> f64 {
    (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64
}

/// A linear congruential generator (Knuth's MMIX).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// From 0 to 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each coordinate from -half to half.
    pub(crate) fn point(&mut self, half: f64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| half * (2.0 * self.next() - 1.0)))
    }
}

/// The box with these half edges as twelve triangles.
pub(crate) fn box_mesh(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let side = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8).map(|i| half * DVec3::new(side(i, 0), side(i, 1), side(i, 2))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    (vertices, faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// A tetrahedron over a triangle of edges about 1, of this height.
pub(crate) fn tetrahedron(height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.4, 0.9, 0.0), DVec3::new(0.3, 0.1, height)];
    (vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
}

/// A unit sphere: an octahedron whose triangles are divided into four `levels` times.
pub(crate) fn sphere_mesh(levels: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut corners: Vec<[DVec3; 3]> = Vec::new();
    for i in 0..8u32 {
        let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let [x, y, z] = [DVec3::X * side(0), DVec3::Y * side(1), DVec3::Z * side(2)];
        corners.push(if i.count_ones() % 2 == 1 { [x, y, z] } else { [x, z, y] });
    }
    for _ in 0..levels {
        corners = corners
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [(a + b).normalize(), (b + c).normalize(), (c + a).normalize()];
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    let triangles = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    (corners.into_iter().flatten().collect(), triangles)
}

/// A cylinder of radius 1 and height 1 around z.
pub(crate) fn cylinder_mesh(around: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = vec![DVec3::Z * -0.5, DVec3::Z * 0.5];
    for i in 0..around {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(around));
        vertices.extend([-0.5, 0.5].map(|z| DVec3::new(cos, sin, z)));
    }
    let at = |i: u32, top: u32| 2 + 2 * (i % around) + top;
    let side = |i: u32| {
        let [a, b, c, d] = [at(i, 0), at(i + 1, 0), at(i + 1, 1), at(i, 1)];
        [[a, b, c], [a, c, d], [0, b, a], [1, d, c]]
    };
    (vertices, (0..around).flat_map(side).collect())
}
