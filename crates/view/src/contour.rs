//! Level-set bodies as rays see them: followed through the distances that the shape holds anyway, without triangles.
//!
//! Along a ray the signed distance says how far the next step may go. Near the surface steps are a quarter of a cell;
//! where the sign changes, the crossing is drawn in by false position. What a ray passes within less than a quarter of
//! a cell may be missed: of a ball of ten cells a rim of 0.001 cells, of a corner, which a grid rounds off over a cell,
//! 0.02 cells. What a body takes here is a pose and two boxes; all else belongs to the shape.

use granule_geometry::{DistanceField, Shape};
use granule_model::{Aabb, DVec3, Pose};

use crate::intersect::Ray;

/// Shortest step over the spacing of the grid.
const LEAST_STEP: f64 = 0.25;
/// Part of a distance that is not trusted, over the spacing: interpolation beside curved surfaces may exceed it.
const SLACK: f64 = 0.3;
/// Distance over the spacing within which a ray starts on the surface: a hundred times what a crossing is off by.
const ON_SURFACE: f64 = 0.02;
/// Distance over the spacing from which a crossing is exact enough: of a ball of ten cells that fills the picture it is
/// a hundredth of a pixel.
const CROSSED: f64 = 1e-4;
/// Most steps of false position. From a quarter of a cell two or three are enough.
const ROOT_STEPS: usize = 12;
/// Most steps along a ray; in grids of more than 500 cells along it the shortest step becomes longer.
const MOST_STEPS: usize = 2048;

/// Which crossings of its surface a ray meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// All.
    Both,
    /// Those where it leaves the body.
    Far,
}

/// A level-set body at its place.
#[derive(Clone, Debug)]
pub(crate) struct Contour {
    shape: Shape,
    /// Of the grid axes in the world.
    pose: Pose,
    /// Around the surface, in the world and in grid axes.
    bounds: Aabb,
    near: Aabb,
    /// Box of the world outside of which nothing of it is drawn.
    cut: Option<Aabb>,
    sides: Sides,
}

/// Two are equal when rays cannot tell them apart for sure.
impl PartialEq for Contour {
    fn eq(&self, other: &Self) -> bool {
        let same_place = self.pose == other.pose && self.cut == other.cut && self.sides == other.sides;
        self.shape.is_clone_of(&other.shape) && same_place
    }
}

impl Contour {
    /// A body of `shape` at `pose`; none where the shape is no level-set grain.
    pub(crate) fn new(shape: &Shape, pose: &Pose) -> Option<Self> {
        let field = shape.distance_field()?;
        let frame = field.frame();
        let pose = pose.compose(&frame);
        let (bounds, near) = (field.bounds(&pose), field.bounds(&Pose::IDENTITY));
        Some(Contour { shape: shape.clone(), pose, bounds, near, cut: None, sides: Sides::Both })
    }

    /// The part of it that lies in `cut`.
    #[must_use]
    pub(crate) fn cut(self, cut: Option<&Aabb>) -> Self {
        Contour { cut: cut.copied(), ..self }
    }

    /// As seen by rays that meet only these sides of it.
    #[must_use]
    pub(crate) fn of_sides(self, sides: Sides) -> Self {
        Contour { sides, ..self }
    }

    /// The box that holds it.
    pub(crate) fn bounds(&self) -> Aabb {
        match &self.cut {
            Some(cut) => Aabb::new(self.bounds.min.max(cut.min), self.bounds.max.min(cut.max)),
            None => self.bounds,
        }
    }

    /// Triangles that a surface of the same fineness would have, about: two for each cell of the sides of its box.
    pub(crate) fn element_count(&self) -> usize {
        let cells = self.shape.distance_field().map_or(DVec3::ZERO, |field| self.near.size() / field.spacing());
        let sides = 2.0 * (cells.x * cells.y + cells.y * cells.z + cells.z * cells.x);
        (2.0 * sides) as usize
    }

    /// Memory that drawing the body takes, without the shape, which the simulation holds \[bytes\].
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self)
    }

    /// Unit normal, outward, at the place of the surface where `ray` is at `distance`.
    ///
    /// From differences over a cell: they change without jumps from cell to cell, and do not swing beside edges.
    pub(crate) fn normal(&self, ray: &Ray, distance: f64) -> DVec3 {
        let point = self.pose.inverse_transform_point(ray.at(distance));
        let Some(field) = self.shape.distance_field() else { return DVec3::Z };
        let half = 0.5 * field.spacing();
        let rise = |axis: DVec3| Some(field.value(point + half * axis)? - field.value(point - half * axis)?);
        let rises = || Some(DVec3::new(rise(DVec3::X)?, rise(DVec3::Y)?, rise(DVec3::Z)?));
        // Points off the band are not on the surface.
        self.pose.transform_vector(rises().unwrap_or(point).normalize_or(DVec3::Z))
    }

    /// Nearest distance in (`from`, `to`) at which `ray` meets the surface; where `to` is does not change it.
    pub(crate) fn meets(&self, ray: &Ray, from: f64, to: f64) -> Option<f64> {
        let direction = self.pose.inverse_transform_vector(ray.direction);
        let local = Ray::new(self.pose.inverse_transform_point(ray.origin), direction);
        let (mut enter, mut leave) = local.span(&self.near)?;
        if let Some(cut) = &self.cut {
            let (first, last) = ray.span(cut)?;
            (enter, leave) = (enter.max(first), leave.min(last));
        }
        if enter.max(from) >= leave.min(to) {
            return None;
        }
        let field = self.shape.distance_field()?;
        let walk = Walk { spacing: field.spacing(), field, ray: local, sides: self.sides };
        let mut start = walk.read(enter.max(from));
        if start.value < 0.0 && enter > from && self.cut.is_none() {
            // A bump between nodes stands out of the box.
            let (first, _) = local.span(&walk.field.grid())?;
            start = walk.read(first.max(from));
        }
        walk.first_crossing(start, leave, to).filter(|&distance| distance > from && distance < to)
    }
}

/// A ray in grid axes, on its way through the distances of a shape.
struct Walk<'a> {
    field: DistanceField<'a>,
    ray: Ray,
    spacing: f64,
    sides: Sides,
}

/// The signed distance somewhere on a ray.
#[derive(Clone, Copy)]
struct Reading {
    distance: f64,
    /// Signed \[m\]; a bound of it where it is not held.
    value: f64,
    /// How far the surface is at least \[m\].
    room: f64,
}

impl Walk<'_> {
    #[inline]
    fn read(&self, distance: f64) -> Reading {
        let point = self.ray.at(distance);
        match self.field.value(point) {
            Some(value) => Reading { distance, value, room: value.abs() - SLACK * self.spacing },
            None => {
                let value = self.field.bound(point);
                Reading { distance, value, room: value.abs() }
            }
        }
    }

    /// The first crossing between a reading and `end`, looked for no farther than `limit`, where steps do not depend on
    /// that.
    ///
    /// A ray that starts on the surface has no side until it has left it: going out it meets nothing there, going in it
    /// meets the surface at once. So a surface does not shade itself where rounding puts a start below it.
    fn first_crossing(&self, start: Reading, end: f64, limit: f64) -> Option<f64> {
        let on_surface = ON_SURFACE * self.spacing;
        let least = (LEAST_STEP * self.spacing).max((end - start.distance) / MOST_STEPS as f64);
        let mut last = start;
        let mut inside = (last.value.abs() > on_surface).then_some(last.value < 0.0);
        // Rounding may leave a last short step.
        for _ in 0..=MOST_STEPS {
            if last.distance >= end || last.distance >= limit {
                return None;
            }
            let next = self.read((last.distance + last.room.max(least)).min(end));
            match inside {
                None if next.value.abs() > on_surface => {
                    inside = Some(next.value < 0.0);
                    if next.value < 0.0 && self.sides == Sides::Both {
                        return Some(next.distance);
                    }
                }
                Some(was_inside) if (next.value < 0.0) != was_inside => {
                    if was_inside || self.sides == Sides::Both {
                        return Some(self.root(last, next));
                    }
                    inside = Some(true);
                }
                _ => {}
            }
            last = next;
        }
        None
    }

    /// Where the value is zero between readings of either sign: false position, by halves of the value that stays
    /// (Illinois).
    fn root(&self, from: Reading, to: Reading) -> f64 {
        let (mut a, mut b) = ((from.distance, from.value), (to.distance, to.value));
        for _ in 0..ROOT_STEPS {
            let middle = a.0 + (b.0 - a.0) * (a.1 / (a.1 - b.1));
            let reading = self.read(middle);
            if reading.value.abs() <= CROSSED * self.spacing {
                return middle;
            }
            if (reading.value < 0.0) == (b.1 < 0.0) {
                a.1 *= 0.5;
            } else {
                a = b;
            }
            b = (middle, reading.value);
        }
        b.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersect::{Element, Target};
    use crate::test_support::Random;
    use granule_geometry::GrainOptions;

    fn on_grid(shape: &Shape, spacing: f64) -> Shape {
        Shape::level_set_of(shape, &GrainOptions { spacing, nodes: 500 }).expect("a grain")
    }

    fn turned(position: DVec3) -> Pose {
        Pose::new(position, granule_model::DQuat::from_xyzw(0.1, -0.5, 0.3, 0.8).normalize())
    }

    /// A ball of ten cells and an exact one, at `place`.
    fn balls(unit: f64, place: DVec3) -> (Contour, Element) {
        let shape = on_grid(&Shape::sphere(unit).expect("a radius"), 0.1 * unit);
        let contour = Contour::new(&shape, &turned(place)).expect("a level set");
        (contour, Element::Sphere { center: place, radius: unit })
    }

    /// Rays from near, from far and from inside meet a ball where they should, or miss it, within a part of a cell.
    #[test]
    fn rays_meet_a_ball_of_a_grid_where_they_meet_the_ball() {
        for unit in [1e-3, 1.0, 100.0] {
            let place = DVec3::new(3.0, -2.0, 5.0) * unit;
            let (contour, ball) = balls(unit, place);
            let mut random = Random::new(4);
            let (mut met, mut grazing, mut worst, mut turn) = (0, 0, 0.0_f64, 0.0_f64);
            for k in 0..6000 {
                let away = [0.9, 5.0, 1e5][k % 3] * unit;
                let origin = place + random.vector().normalize_or(DVec3::X) * (away * random.unit());
                let aim = place + random.vector() * (1.7 * unit);
                let ray = Ray::new(origin, (aim - origin).normalize_or(DVec3::X));
                // How far inside the ball the ray comes.
                let depth = unit - (place - ray.at(ray.direction.dot(place - origin).max(0.0))).length();
                let start = (origin - place).length() - unit;
                if start.abs() < 0.01 * unit {
                    continue;
                }
                let found = contour.meets(&ray, 0.0, f64::INFINITY);
                let exact = ball.meets(&ray, 0.0, f64::INFINITY);
                if depth.abs() < 0.01 * unit && start > 0.0 {
                    grazing += 1;
                    continue;
                }
                assert_eq!(found.is_some(), exact.is_some(), "{unit} {k} {depth}");
                let Some((found, exact)) = found.zip(exact) else { continue };
                met += 1;
                let (normal, radial) = (contour.normal(&ray, found), ball.normal(ray.at(exact)));
                // Along the ray an error grows by the cosine.
                let slope = ray.direction.dot(radial).abs();
                worst = worst.max((found - exact).abs() * slope / unit);
                if slope > 0.3 {
                    turn = turn.max((normal - radial).length());
                }
                assert!(contour.bounds().contains(&Aabb::new(ray.at(found), ray.at(found))));
                // Where the search may end says nothing of where it is met.
                let limit = found + 1e-9 * unit;
                assert_eq!(contour.meets(&ray, 0.0, limit).or(Some(found)), Some(found));
                assert_eq!(contour.meets(&ray, 0.0, found + unit), Some(found));
                assert_eq!(contour.meets(&ray, 0.0, 0.999 * found), None);
            }
            println!("{unit}: {met} met, {grazing} graze, off by {worst} of the radius, normals by {turn}");
            assert!(met > 2000 && grazing > 10, "{met} {grazing}");
            // Measured: 0.0025, which is what interpolation in a cell is off by, and 0.0073.
            assert!(worst <= 3e-3 && turn <= 0.01, "{worst} {turn}");
        }
    }

    /// A ray that passes a ball of ten cells meets it from 0.04 cells inside on, and not from 0.01 cells outside.
    #[test]
    fn rays_that_graze_miss_by_less_than_is_seen() {
        let (contour, _) = balls(1.0, DVec3::ZERO);
        let mut random = Random::new(8);
        for _ in 0..3000 {
            let direction = random.vector().normalize_or(DVec3::X);
            let aside = direction.cross(random.vector()).normalize_or(DVec3::X);
            let passes = |height: f64| {
                let ray = Ray::new(aside * height - direction * 5.0, direction);
                contour.meets(&ray, 0.0, f64::INFINITY).is_some()
            };
            // Interpolation in a cell puts the contour up to 0.025 cells inside the ball.
            assert!(passes(1.0 - 0.004) && !passes(1.0 + 0.001));
        }
    }

    /// A point on the surface sees the sky, and not what is below.
    #[test]
    fn a_surface_does_not_hide_what_is_above_it() {
        let cube = on_grid(&Shape::cuboid(DVec3::splat(1.0)).expect("a size"), 0.08);
        let (ball, _) = balls(1.0, DVec3::ZERO);
        let cube = Contour::new(&cube, &turned(DVec3::ZERO)).expect("a level set");
        let mut random = Random::new(15);
        for (what, contour) in [("ball", ball), ("cube", cube)] {
            let (mut starts, mut hidden, mut open) = (0, 0, 0);
            for _ in 0..2000 {
                let origin = random.vector().normalize_or(DVec3::X) * 4.0;
                let ray = Ray::new(origin, (random.vector() * 0.8 - origin).normalize_or(DVec3::X));
                let Some(distance) = contour.meets(&ray, 0.0, f64::INFINITY) else { continue };
                let normal = contour.normal(&ray, distance);
                // As far off as pictures start: below and above by rounding.
                let point = ray.at(distance) + 1e-8 * normal;
                let out = (normal + 0.95 * random.vector().normalize_or(DVec3::X)).normalize_or(DVec3::X);
                starts += 1;
                hidden += usize::from(contour.meets(&Ray::new(point, out), 0.0, f64::INFINITY).is_some());
                open += usize::from(contour.meets(&Ray::new(point, -out), 0.0, f64::INFINITY).is_none());
            }
            println!("{what}: {hidden} hidden and {open} open of {starts}");
            // Measured: none of 2000, of the cube one at an edge.
            assert!(starts > 1000 && 100 * hidden <= starts && 100 * open <= starts, "{what} {hidden} {open} {starts}");
        }
    }

    /// A pose that is not a number gives a body that nothing meets.
    #[test]
    fn a_body_nowhere_is_not_met() {
        let shape = on_grid(&Shape::sphere(1.0).expect("a radius"), 0.1);
        let down = Ray::new(DVec3::Z * 3.0, DVec3::NEG_Z);
        for pose in
            [Pose::from_position(DVec3::NAN), Pose::new(DVec3::ZERO, granule_model::DQuat::from_array([f64::NAN; 4]))]
        {
            let contour = Contour::new(&shape, &pose).expect("a level set");
            assert_eq!(contour.meets(&down, 0.0, f64::INFINITY), None);
            let _ = contour.normal(&down, 2.0);
        }
        let (contour, _) = balls(1.0, DVec3::ZERO);
        assert_eq!(contour.meets(&Ray::new(DVec3::NAN, DVec3::Z), 0.0, f64::INFINITY), None);
    }

    /// What is cut away is not met, and what was behind it is met from inside.
    #[test]
    fn a_cut_body_is_open() {
        let (contour, _) = balls(1.0, DVec3::ZERO);
        let cut = contour.clone().cut(Some(&Aabb::new(DVec3::splat(-2.0), DVec3::new(2.0, 2.0, 0.5))));
        let down = Ray::new(DVec3::new(0.1, 0.2, 3.0), DVec3::NEG_Z);
        let (whole, open) = (contour.meets(&down, 0.0, 9.0), cut.meets(&down, 0.0, 9.0));
        let height = (1.0f64 - 0.05).sqrt();
        for (found, exact) in [(whole, 3.0 - height), (open, 3.0 + height)] {
            assert!((found.expect("in the way") - exact).abs() <= 0.005, "{found:?} {exact}");
        }
        let far = contour.of_sides(Sides::Far).meets(&down, 0.0, 9.0);
        assert!((far.expect("in the way") - open.expect("in the way")).abs() <= 1e-4);
        assert!(cut.bounds().max.z == 0.5);
    }

    /// Its triangles took 165 to 500 kB, by the pixels that it covers.
    #[test]
    fn a_body_takes_little_memory_beside_its_shape() {
        let (contour, _) = balls(1.0, DVec3::ZERO);
        // Measured: 224.
        assert!(contour.bytes() <= 400, "{}", contour.bytes());
        // As many triangles as its surface would have: 6 x 24^2 x 2.
        assert!((3000..12_000).contains(&contour.element_count()), "{}", contour.element_count());
    }
}
