//! Shapes of triangles as rays see them: one hierarchy for each shape, placed by the pose of each body.
//!
//! A shape takes memory once, however many bodies have it and however many frames are drawn. Of a grain that covers few
//! pixels only as many triangles are kept as can be seen, so that a picture of many different grains stays small.
//! Level-set grains have no triangles here: see [`crate::contour`].

use std::collections::BTreeMap;
use std::sync::Arc;

use granule_engine::BodySnapshot;
use granule_geometry::{Primitive, Shape, Surface};
use granule_model::{Aabb, DVec3, Pose};

use crate::bvh::{Bvh, Hit};
use crate::camera::corners;
use crate::contour::Contour;
use crate::intersect::{Element, Ray, Target};

/// Segments around a round body: fewest, and most, as `Shape::surface` has them.
const SEGMENTS: (f64, f64) = (6.0, 96.0);
/// How far the outline of a coarse body may be from the true one, in pixels.
const OUTLINE_PIXELS: f64 = 0.25;
/// Edge of the cells in which vertices of a mesh become one, in pixels.
const CELL_PIXELS: f64 = 1.5;
/// Fewest cells across a body, so that it stays a body.
const FEWEST_CELLS: f64 = 3.0;
/// Surfaces of so many triangles stay as they are.
const FEW_TRIANGLES: usize = 48;

/// The surface of a shape in body axes.
pub(crate) type Model = Bvh<Element>;

/// A shape at the place of a body.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    model: Arc<Model>,
    pose: Pose,
}

impl Instance {
    pub(crate) fn new(model: Arc<Model>, pose: Pose) -> Self {
        Instance { model, pose }
    }

    /// The ray in body axes; distances along it are the same.
    fn local(&self, ray: &Ray) -> Ray {
        let direction = self.pose.inverse_transform_vector(ray.direction);
        Ray::new(self.pose.inverse_transform_point(ray.origin), direction)
    }

    fn nearest(&self, ray: &Ray, from: f64, to: f64) -> Option<Hit> {
        self.model.nearest(&self.local(ray), from, to)
    }

    /// Unit normal where `ray` meets the surface first, at `distance`.
    fn normal(&self, ray: &Ray, distance: f64) -> DVec3 {
        let hit = self.nearest(ray, 0.0, f64::INFINITY);
        let point = self.pose.inverse_transform_point(ray.at(distance));
        hit.map_or(DVec3::Z, |hit| self.pose.transform_vector(self.model.get(&hit).normal(point)))
    }

    /// The triangles' corners in the world, three for each.
    pub(crate) fn corners(&self) -> impl Iterator<Item = DVec3> + Clone {
        let corners = self.model.elements().iter().flat_map(|element| match *element {
            Element::Triangle { corner, edge_1, edge_2 } => [corner, corner + edge_1, corner + edge_2],
            Element::Sphere { center, .. } => [center; 3],
            Element::Capsule { start, end, .. } => [start, end, end],
        });
        corners.map(|p| self.pose.transform_point(p))
    }
}

/// Something solid: an element in the world, a shape of triangles or a level set at its place.
#[derive(Clone, Debug)]
pub(crate) enum Solid {
    Element(Element),
    Instance(Arc<Instance>),
    Contour(Arc<Contour>),
}

/// Two are equal when rays cannot tell them apart for sure: of one model, which is held once, at one place.
impl PartialEq for Solid {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Solid::Element(a), Solid::Element(b)) => a == b,
            (Solid::Instance(a), Solid::Instance(b)) => Arc::ptr_eq(&a.model, &b.model) && a.pose == b.pose,
            (Solid::Contour(a), Solid::Contour(b)) => a == b,
            _ => false,
        }
    }
}

impl Solid {
    /// Number of elements that a ray may have to be held against; of a level set what its triangles would be.
    pub(crate) fn element_count(&self) -> usize {
        match self {
            Solid::Element(_) => 1,
            Solid::Instance(instance) => instance.model.elements().len(),
            Solid::Contour(contour) => contour.element_count(),
        }
    }

    /// Unit normal where `ray` meets it first, at `distance`.
    pub(crate) fn normal(&self, ray: &Ray, distance: f64) -> DVec3 {
        match self {
            Solid::Element(element) => element.normal(ray.at(distance)),
            Solid::Instance(instance) => instance.normal(ray, distance),
            Solid::Contour(contour) => contour.normal(ray, distance),
        }
    }
}

impl Target for Solid {
    fn bounds(&self) -> Aabb {
        match self {
            Solid::Element(element) => element.bounds(),
            Solid::Instance(instance) => {
                let local = instance.model.bounds();
                Aabb::from_points(corners(&local).map(|p| instance.pose.transform_point(p)))
            }
            Solid::Contour(contour) => contour.bounds(),
        }
    }

    #[inline]
    fn meets(&self, ray: &Ray, from: f64, to: f64) -> Option<f64> {
        match self {
            Solid::Element(element) => element.meets(ray, from, to),
            Solid::Instance(instance) => instance.nearest(ray, from, to).map(|hit| hit.distance),
            Solid::Contour(contour) => contour.meets(ray, from, to),
        }
    }
}

/// The models of the bodies of one run.
#[derive(Debug, Default)]
pub(crate) struct Models {
    /// By place of the body.
    of_bodies: Vec<Option<Arc<Model>>>,
    /// By what tells surfaces apart.
    known: BTreeMap<[u64; 3], Arc<Model>>,
}

impl Models {
    /// The model of the body at `index`, which is `pixels` wide in the picture at most.
    pub(crate) fn of(&mut self, index: usize, body: &BodySnapshot, pixels: f64) -> Arc<Model> {
        if self.of_bodies.len() <= index {
            self.of_bodies.resize(index + 1, None);
        }
        if let Some(model) = &self.of_bodies[index] {
            return Arc::clone(model);
        }
        let elements = elements(&body.shape, pixels);
        let model = self.known.entry(digest(&elements)).or_insert_with(|| Arc::new(Model::new(&elements)));
        let model = Arc::clone(model);
        self.of_bodies[index] = Some(Arc::clone(&model));
        model
    }
}

/// Elements of a shape in body axes, no finer than a body `pixels` wide shows.
fn elements(shape: &Shape, pixels: f64) -> Vec<Element> {
    let primitives = shape.surface();
    let plain = |p: &Primitive| matches!(p, Primitive::Triangles(_) | Primitive::Plane { .. });
    if primitives.iter().all(plain) {
        let surface = shape.triangulate(segments(pixels));
        return triangles(&coarse(surface, shape.bounding_radius(), pixels)).collect();
    }
    let mut elements = Vec::new();
    for primitive in primitives {
        match primitive {
            Primitive::Sphere { center, radius } => elements.push(Element::Sphere { center, radius }),
            Primitive::Capsule { start, end, radius } => elements.push(Element::Capsule { start, end, radius }),
            Primitive::Triangles(surface) => {
                elements.extend(triangles(&coarse(surface, shape.bounding_radius(), pixels)));
            }
            Primitive::Plane { .. } => {}
        }
    }
    elements
}

fn triangles(surface: &Surface) -> impl Iterator<Item = Element> {
    surface.triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| surface.vertices[i as usize]);
        Element::triangle(a, b, c)
    })
}

/// Segments around a round body that is `pixels` wide: the middle of a chord, which is D/2 (1 - cos(pi/n)) or
/// D pi^2 / (4 n^2) off the circle, is [`OUTLINE_PIXELS`] off.
fn segments(pixels: f64) -> u32 {
    let count = 0.5 * std::f64::consts::PI * (pixels / OUTLINE_PIXELS).sqrt();
    count.ceil().clamp(SEGMENTS.0, SEGMENTS.1) as u32
}

/// A surface no finer than a body `pixels` wide shows.
fn coarse(surface: Surface, radius: f64, pixels: f64) -> Surface {
    let cells = (pixels / CELL_PIXELS).max(FEWEST_CELLS);
    // With as many triangles as cells on the surface nothing would be won.
    if surface.triangles.len() <= FEW_TRIANGLES || surface.triangles.len() as f64 <= 2.0 * cells * cells {
        return surface;
    }
    surface.clustered(2.0 * radius / cells)
}

/// What tells lists of elements apart: their number and two hashes (Fowler, Noll and Vo's) of all coordinates.
fn digest(elements: &[Element]) -> [u64; 3] {
    let mut hashes = [0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15];
    let mut take = |value: f64| {
        for (hash, turn) in hashes.iter_mut().zip([0, 29]) {
            *hash = (*hash ^ value.to_bits().rotate_left(turn)).wrapping_mul(0x0100_0000_01b3);
            *hash ^= *hash >> 32;
        }
    };
    for element in elements {
        let (vectors, radius) = match *element {
            Element::Sphere { center, radius } => ([center; 3], radius),
            Element::Capsule { start, end, radius } => ([start, end, end], radius),
            Element::Triangle { corner, edge_1, edge_2 } => ([corner, edge_1, edge_2], -1.0),
        };
        vectors.iter().flat_map(|v| v.to_array()).chain([radius]).for_each(&mut take);
    }
    [elements.len() as u64, hashes[0], hashes[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, sphere_at};

    /// An ellipsoid of random sides with about `n n` triangles.
    fn stone(seed: u64, n: u32) -> Shape {
        let ball = Shape::sphere(1.0).expect("a radius").triangulate(n);
        let sides = DVec3::ONE + Random::new(seed).vector();
        Shape::convex(&ball.vertices.iter().map(|v| *v * sides).collect::<Vec<_>>()).expect("a solid")
    }

    #[test]
    fn small_bodies_have_few_triangles_and_large_ones_all() {
        let cylinder = Shape::cylinder(1.0, 2.0).expect("a size");
        let counts = [2.0, 10.0, 100.0, 1e4].map(|pixels| elements(&cylinder, pixels).len());
        // 4 n - 4 triangles around n segments: 6, 10, 32 and 96.
        assert_eq!(counts, [20, 36, 124, 380]);
        let stone = stone(1, 32);
        let all = stone.triangulate(3).triangles.len();
        let counts = [2.0, 10.0, 30.0, 1e3].map(|pixels| elements(&stone, pixels).len());
        // Measured of 960: 44, 212, 824, 960.
        assert!(counts[0] < 80 && counts[1] < 350 && counts[3] == all, "{counts:?} of {all}");
        assert!(counts.windows(2).all(|w| w[0] < w[1]), "{counts:?}");
    }

    #[test]
    fn a_coarse_stone_covers_what_the_true_one_covers() {
        let stone = stone(3, 32);
        let radius = stone.bounding_radius();
        let models = [12.0, 1e4].map(|pixels| Model::new(&elements(&stone, pixels)));
        let cell = 2.0 * radius / 12.0;
        let (mut seen, mut differ) = ([0, 0], 0);
        for (i, j) in (0..60).flat_map(|i| (0..60).map(move |j| (i, j))) {
            let offset = |k: i32| (f64::from(k) + 0.5) / 30.0 - 1.0;
            let ray = Ray::new(DVec3::new(offset(i), offset(j), -5.0) * radius, DVec3::Z);
            let hits = [0, 1].map(|m| models[m].nearest(&ray, 0.0, f64::INFINITY).map(|h| h.distance));
            seen[0] += i32::from(hits[0].is_some());
            seen[1] += i32::from(hits[1].is_some());
            // A pixel off along the ray is nothing that can be seen; three would be.
            let far = hits[0].zip(hits[1]).is_some_and(|(a, b)| (a - b).abs() > 3.0 * cell);
            differ += i32::from(far);
        }
        // Measured: 2320 of 2400 rays meet the coarse one; none of them is far.
        assert!(f64::from(seen[0] - seen[1]).abs() <= 0.1 * f64::from(seen[1]) && differ == 0, "{seen:?} {differ}");
    }

    #[test]
    fn bodies_of_one_shape_share_a_model_and_mirrored_ones_do_not() {
        let body = |shape: Shape| BodySnapshot { shape, ..sphere_at(0, DVec3::ZERO, 1.0) };
        let (one, other) = (stone(1, 16), stone(2, 16));
        let mut models = Models::default();
        let found: Vec<_> = [&one, &one.clone(), &stone(1, 16), &other]
            .map(|s| models.of(models.of_bodies.len(), &body(s.clone()), 9.0))
            .into();
        assert!(Arc::ptr_eq(&found[0], &found[1]) && Arc::ptr_eq(&found[0], &found[2]));
        assert!(!Arc::ptr_eq(&found[0], &found[3]));
        // A body keeps its model.
        assert!(Arc::ptr_eq(&found[3], &models.of(3, &body(one), 9.0)));
    }

    #[test]
    fn a_placed_shape_is_met_where_its_triangles_are() {
        let stone = stone(5, 16);
        let mut random = Random::new(2);
        let turn = granule_model::DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize();
        let pose = Pose::new(DVec3::new(3.0, -2.0, 5.0), turn);
        let flat: Vec<Element> = triangles(&stone.triangulate(3))
            .map(|element| match element {
                Element::Triangle { corner, edge_1, edge_2 } => {
                    let place = |p: DVec3| pose.transform_point(p);
                    Element::triangle(place(corner), place(corner + edge_1), place(corner + edge_2))
                }
                other => other,
            })
            .collect();
        let world = Bvh::new(&flat);
        let solid = Solid::Instance(Arc::new(Instance::new(Arc::new(Model::new(&elements(&stone, 1e4))), pose)));
        let mut met = 0;
        for _ in 0..500 {
            let origin = pose.position + random.vector() * 10.0;
            let ray = Ray::new(origin, (pose.position + random.vector() - origin).normalize_or(DVec3::X));
            let (a, b) = (solid.meets(&ray, 0.0, f64::INFINITY), world.nearest(&ray, 0.0, f64::INFINITY));
            assert_eq!(a.is_some(), b.is_some());
            if let (Some(distance), Some(hit)) = (a, b) {
                met += 1;
                // Rounding of coordinates of order 10.
                assert!((distance - hit.distance).abs() <= 1e-11, "{distance} {}", hit.distance);
                assert!(solid.normal(&ray, distance).dot(world.get(&hit).normal(ray.at(distance))) > 0.9);
                assert!(solid.bounds().padded(1e-9).contains(&Aabb::from_points([ray.at(distance)])));
            }
        }
        assert!(met > 200, "{met}");
    }
}
