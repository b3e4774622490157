//! Where a ray meets a ball, a capsule, a triangle, a box.
//!
//! Directions are unit vectors; distances are measured along the ray, which starts at 0. Every function gives the
//! nearest distance inside an open interval. Balls and capsules also answer for rays that start inside them.

use granule_model::{Aabb, DVec3};

/// A half-line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub(crate) origin: DVec3,
    /// Unit vector.
    pub(crate) direction: DVec3,
    inverse: DVec3,
}

impl Ray {
    pub(crate) fn new(origin: DVec3, direction: DVec3) -> Self {
        Ray { origin, direction, inverse: direction.recip() }
    }

    pub(crate) fn at(&self, distance: f64) -> DVec3 {
        self.origin + distance * self.direction
    }

    /// Distances between which the ray runs in `bounds`; none if it misses it.
    pub(crate) fn span(&self, bounds: &Aabb) -> Option<(f64, f64)> {
        let a = (bounds.min - self.origin) * self.inverse;
        let b = (bounds.max - self.origin) * self.inverse;
        // As in `enters`.
        let (near, far) = (a.min(b).max_element().max(0.0), a.max(b).min_element());
        (near <= far).then_some((near, far))
    }

    /// Distance at which the ray enters `bounds`, or none if it misses it before `limit`.
    #[inline(always)]
    pub(crate) fn enters(&self, bounds: &Aabb, limit: f64) -> Option<f64> {
        let a = (bounds.min - self.origin) * self.inverse;
        let b = (bounds.max - self.origin) * self.inverse;
        // 0 * infinity is NaN where the ray runs in a face; min and max then keep the other number.
        let near = a.min(b).max_element().max(0.0);
        let far = a.max(b).min_element().min(limit);
        (near <= far).then_some(near)
    }
}

/// What a ray can meet.
pub(crate) trait Target: Clone {
    /// The box that holds it.
    fn bounds(&self) -> Aabb;

    /// Nearest distance in (`from`, `to`) at which `ray` meets its surface.
    fn meets(&self, ray: &Ray, from: f64, to: f64) -> Option<f64>;
}

/// A surface element that rays can meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    Sphere { center: DVec3, radius: f64 },
    Capsule { start: DVec3, end: DVec3, radius: f64 },
    Triangle { corner: DVec3, edge_1: DVec3, edge_2: DVec3 },
}

impl Element {
    pub(crate) fn triangle(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Element::Triangle { corner: a, edge_1: b - a, edge_2: c - a }
    }

    /// Unit normal at the surface point `p`; that of a triangle follows its winding.
    pub(crate) fn normal(&self, p: DVec3) -> DVec3 {
        match *self {
            Element::Sphere { center, .. } => (p - center).normalize_or(DVec3::Z),
            Element::Capsule { start, end, .. } => {
                let axis = end - start;
                let length = axis.length_squared();
                let along = if length > 0.0 { ((p - start).dot(axis) / length).clamp(0.0, 1.0) } else { 0.0 };
                (p - start - along * axis).normalize_or(DVec3::Z)
            }
            Element::Triangle { edge_1, edge_2, .. } => edge_1.cross(edge_2).normalize_or(DVec3::Z),
        }
    }
}

impl Target for Element {
    fn bounds(&self) -> Aabb {
        match *self {
            Element::Sphere { center, radius } => Aabb::new(center, center).padded(radius),
            Element::Capsule { start, end, radius } => Aabb::from_points([start, end]).padded(radius),
            Element::Triangle { corner, edge_1, edge_2 } => {
                Aabb::from_points([corner, corner + edge_1, corner + edge_2])
            }
        }
    }

    #[inline]
    fn meets(&self, ray: &Ray, from: f64, to: f64) -> Option<f64> {
        match *self {
            Element::Sphere { center, radius } => sphere(ray, center, radius, from, to),
            Element::Capsule { start, end, radius } => capsule(ray, start, end, radius, from, to),
            Element::Triangle { corner, edge_1, edge_2 } => triangle(ray, corner, edge_1, edge_2, from, to),
        }
    }
}

/// The first of two distances, near before far, that lies in (`from`, `to`).
fn first_within(near: f64, far: f64, from: f64, to: f64) -> Option<f64> {
    [near, far].into_iter().find(|&t| t > from && t < to)
}

/// |o + t d - c|^2 = r^2 with the foot point of the centre on the ray, which loses no digits for far small balls.
fn sphere(ray: &Ray, center: DVec3, radius: f64, from: f64, to: f64) -> Option<f64> {
    let to_center = center - ray.origin;
    let along = to_center.dot(ray.direction);
    let aside = to_center - along * ray.direction;
    let square = radius * radius - aside.length_squared();
    if square < 0.0 {
        return None;
    }
    let half_chord = square.sqrt();
    first_within(along - half_chord, along + half_chord, from, to)
}

/// A capsule is convex: the ray is inside from the first to the last of its crossings with the two balls and with the
/// part of the infinite cylinder between them.
fn capsule(ray: &Ray, start: DVec3, end: DVec3, radius: f64, from: f64, to: f64) -> Option<f64> {
    let (mut near, mut far) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut add = |t: f64| {
        near = near.min(t);
        far = far.max(t);
    };
    for center in [start, end] {
        let to_center = center - ray.origin;
        let along = to_center.dot(ray.direction);
        let square = radius * radius - (to_center - along * ray.direction).length_squared();
        if square >= 0.0 {
            add(along - square.sqrt());
            add(along + square.sqrt());
        }
    }
    let axis = end - start;
    let length = axis.length();
    if length > 0.0 {
        let axis = axis / length;
        let from_start = ray.origin - start;
        let slope = ray.direction.dot(axis);
        let across = ray.direction - slope * axis;
        let aside = from_start - from_start.dot(axis) * axis;
        let (a, b) = (across.length_squared(), across.dot(aside));
        let square = b * b - a * (aside.length_squared() - radius * radius);
        if a > 0.0 && square >= 0.0 {
            let on_side = |t: f64| (0.0..=length).contains(&(from_start.dot(axis) + t * slope));
            [(-b - square.sqrt()) / a, (-b + square.sqrt()) / a].into_iter().filter(|&t| on_side(t)).for_each(&mut add);
        }
    }
    first_within(near, far, from, to)
}

/// Solves o + t d = corner + u e1 + v e2 by Cramer's rule; both sides count.
fn triangle(ray: &Ray, corner: DVec3, edge_1: DVec3, edge_2: DVec3, from: f64, to: f64) -> Option<f64> {
    let p = ray.direction.cross(edge_2);
    let determinant = edge_1.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let inverse = 1.0 / determinant;
    let s = ray.origin - corner;
    let u = s.dot(p) * inverse;
    if !(0.0..=1.0).contains(&u) {
        return None;
    }
    let q = s.cross(edge_1);
    let v = ray.direction.dot(q) * inverse;
    if v < 0.0 || u + v > 1.0 {
        return None;
    }
    let t = edge_2.dot(q) * inverse;
    (t > from && t < to).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Random;

    /// Rounding of some ten operations on numbers of order 10.
    const ROUNDING: f64 = 1e-13;

    fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray::new(DVec3::from_array(origin), DVec3::from_array(direction).normalize())
    }

    fn check(element: Element, r: Ray, expected: Option<f64>) {
        match (element.meets(&r, 0.0, f64::INFINITY), expected) {
            (Some(t), Some(e)) => assert!((t - e).abs() <= ROUNDING, "{element:?} {t} {e}"),
            (found, _) => assert_eq!(found, expected, "{element:?}"),
        }
    }

    #[test]
    fn balls() {
        let ball = Element::Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 2.0 };
        check(ball, ray([0.0; 3], [0.0, 0.0, 1.0]), Some(3.0));
        check(ball, ray([1.2, 0.0, 0.0], [0.0, 0.0, 1.0]), Some(5.0 - 1.6));
        check(ball, ray([0.0, 0.0, 5.0], [0.0, 1.0, 0.0]), Some(2.0));
        check(ball, ray([0.0; 3], [0.0, 0.0, -1.0]), None);
        check(ball, ray([2.1, 0.0, 0.0], [0.0, 0.0, 1.0]), None);
        // A millimetre seen from a kilometre: the naive quadratic would lose it.
        let far = Element::Sphere { center: DVec3::X * 1e3, radius: 1e-3 };
        check(far, ray([0.0; 3], [1.0, 0.0, 0.0]), Some(1e3 - 1e-3));
    }

    #[test]
    fn capsules() {
        let rod = Element::Capsule { start: DVec3::new(-1.0, 0.0, 0.0), end: DVec3::new(1.0, 0.0, 0.0), radius: 0.5 };
        check(rod, ray([0.3, 0.0, 4.0], [0.0, 0.0, -1.0]), Some(3.5));
        check(rod, ray([0.3, 0.3, 4.0], [0.0, 0.0, -1.0]), Some(3.6));
        check(rod, ray([-5.0, 0.0, 0.0], [1.0, 0.0, 0.0]), Some(3.5));
        check(rod, ray([5.0, 0.3, 0.0], [-1.0, 0.0, 0.0]), Some(3.6));
        check(rod, ray([1.3, 0.0, 4.0], [0.0, 0.0, -1.0]), Some(3.6));
        check(rod, ray([1.6, 0.0, 4.0], [0.0, 0.0, -1.0]), None);
        check(rod, ray([0.9, 0.0, 0.0], [1.0, 0.0, 0.0]), Some(0.6));
        let point = Element::Capsule { start: DVec3::ZERO, end: DVec3::ZERO, radius: 1.0 };
        check(point, ray([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]), Some(2.0));
    }

    #[test]
    fn triangles() {
        let t = Element::triangle(DVec3::ZERO, DVec3::X, DVec3::Y);
        check(t, ray([0.25, 0.25, 2.0], [0.0, 0.0, -1.0]), Some(2.0));
        check(t, ray([0.25, 0.25, -2.0], [0.0, 0.0, 1.0]), Some(2.0));
        check(t, ray([0.6, 0.6, 2.0], [0.0, 0.0, -1.0]), None);
        check(t, ray([-0.1, 0.5, 2.0], [0.0, 0.0, -1.0]), None);
        check(t, ray([0.2, 0.2, 2.0], [1.0, 0.0, 0.0]), None);
        check(t, ray([-1.0, 0.25, 1.0], [1.25, 0.0, -1.0]), Some(1.25_f64.hypot(1.0)));
    }

    #[test]
    fn points_found_lie_on_the_surface_with_the_normal_outward() {
        let mut random = Random::new(3);
        let ball = Element::Sphere { center: DVec3::ONE, radius: 0.7 };
        let rod = Element::Capsule { start: DVec3::ZERO, end: DVec3::new(1.0, 2.0, 0.5), radius: 0.4 };
        let mut met = 0;
        for _ in 0..2000 {
            let r = Ray::new(random.vector() * 6.0, random.vector().normalize_or(DVec3::X));
            for element in [ball, rod] {
                let Some(t) = element.meets(&r, 0.0, f64::INFINITY) else { continue };
                let p = r.at(t);
                let (Element::Sphere { radius, .. } | Element::Capsule { radius, .. }) = element else { continue };
                let core = p - radius * element.normal(p);
                let foot = match element {
                    Element::Sphere { center, .. } => center,
                    Element::Capsule { start, end, .. } => {
                        start + (core - start).project_onto(end - start).clamp_length_max((end - start).length())
                    }
                    Element::Triangle { .. } => core,
                };
                assert!((core - foot).length() <= ROUNDING * 10.0, "{element:?} {p}");
                assert!(element.bounds().padded(ROUNDING * 10.0).contains(&Aabb::new(p, p)));
                let entering = r.direction.dot(element.normal(p)) <= 1e-7;
                let inside = element.meets(&Ray::new(r.origin, -r.direction), 0.0, f64::INFINITY).is_some();
                assert!(entering || inside);
                met += 1;
            }
        }
        assert!(met > 100, "{met}");
    }

    #[test]
    fn boxes() {
        let bounds = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let hit = ray([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]);
        assert_eq!(hit.enters(&bounds, f64::INFINITY), Some(1.0));
        assert_eq!(hit.enters(&bounds, 0.5), None);
        assert_eq!(ray([0.5; 3], [0.0, 1.0, 0.0]).enters(&bounds, 9.0), Some(0.0));
        assert_eq!(ray([-1.0, 1.5, 0.5], [1.0, 0.0, 0.0]).enters(&bounds, 9.0), None);
        assert_eq!(ray([2.0, 0.5, 0.5], [1.0, 0.0, 0.0]).enters(&bounds, 9.0), None);
    }
}
