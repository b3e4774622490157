//! Ground as a map shows it: light from the north-west, tints by height, contour lines.
//!
//! *Relief* is drawn of static bodies of shape `mesh` or `terrain`. Unasked, one counts that is longer than
//! [`WIDE`] mean grain diameters: a landscape, not a ramp or a funnel. North is +y.

use granule_engine::{BodySnapshot, Snapshot};
use granule_model::{BodyKind, DVec3};

use crate::camera::Lens;
use crate::colour::{self, Colour, blend};
use crate::intersect::Ray;
use crate::model::Solid;

/// Length of ground from which on it is drawn as relief unasked, in mean grain diameters.
const WIDE: f64 = 20.0;
/// Most contour lines in a picture. Intervals grow by 2.5 at most, so there are 10 at least.
const MOST_CONTOURS: f64 = 25.0;
/// Every so many lines one is bolder.
pub(crate) const BOLD_EVERY: i64 = 5;
/// Widths of lines, in pixels of a picture 720 high, and how dark they are.
const LINE: (f64, f32) = (1.0, 0.50);
const BOLD_LINE: (f64, f32) = (1.9, 0.72);
const LINE_COLOUR: u32 = 0x5b4a3c;
/// Where lines come nearer to each other than this, in pixels, they fade.
const CROWDED: f64 = 4.0;
/// Ground that rises by less than this over a length has no lines: two degrees. Where it is a plane at the height of a
/// line, rounding alone would say where the line runs.
const LEVEL: f64 = 0.035;
/// Height of a picture for which lines have the widths above.
const USUAL_HEIGHT: f64 = 720.0;

/// The place of the sun on a map: north-west, 45 degrees high.
pub(crate) fn sun() -> DVec3 {
    DVec3::new(-1.0, 1.0, std::f64::consts::SQRT_2).normalize()
}

/// Whether `body` is ground of a shape that can be drawn as relief.
pub(crate) fn is_ground(body: &BodySnapshot) -> bool {
    body.present && body.kind == BodyKind::Static && body.shape.is_ground()
}

/// Places of the bodies that are drawn as relief: where `asked` is true all grounds, where it is false none, where
/// nothing is said those that are longer than 20 mean diameters of the dynamic bodies.
pub(crate) fn reliefs(snapshot: &Snapshot, asked: Option<bool>) -> Vec<usize> {
    let grounds = || snapshot.bodies.iter().enumerate().filter(|(_, body)| is_ground(body));
    match (asked, mean_diameter(snapshot)) {
        (Some(true), _) => grounds().map(|(i, _)| i).collect(),
        (None, Some(grain)) => {
            let length = |body: &BodySnapshot| body.shape.aabb(&body.pose).size().with_z(0.0).max_element();
            grounds().filter(|(_, body)| length(body) > WIDE * grain).map(|(i, _)| i).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a picture of `snapshot` shows relief: see [`crate::RenderOptions::relief`].
pub fn has_relief(snapshot: &Snapshot, asked: Option<bool>) -> bool {
    !reliefs(snapshot, asked).is_empty()
}

/// Mean equal-volume diameter of the dynamic bodies; of those that have left as well, so that it stays the same.
fn mean_diameter(snapshot: &Snapshot) -> Option<f64> {
    let grains = snapshot.bodies.iter().filter(|b| b.kind == BodyKind::Dynamic);
    let (sum, count) = grains.fold((0.0, 0.0), |(s, n), b| (s + 2.0 * b.shape.equivalent_radius(), n + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// The smallest of 1, 2, 5 times a power of ten \[m\] that gives at most 25 lines over `range` \[m\].
pub(crate) fn contour_interval(range: f64) -> Option<f64> {
    let least = range / MOST_CONTOURS;
    if !(least.is_finite() && least >= f64::MIN_POSITIVE) {
        return None;
    }
    let exponent = least.log10().floor() as i32;
    let candidates = (exponent - 1..=exponent + 1).flat_map(|k| [1, 2, 5].map(|digit| (digit, k)));
    let value = |(digit, k): (i32, i32)| {
        // A quotient of whole numbers is the nearest number to 0.2, a product with a tenth is not.
        let power = 10f64.powi(k.abs());
        if k < 0 { f64::from(digit) / power } else { f64::from(digit) * power }
    };
    candidates.map(value).find(|&interval| interval >= least)
}

/// How the ground of a picture is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relief {
    /// Heights at the ends of the tints \[m\].
    low: f64,
    high: f64,
    /// Between two contour lines \[m\]; none on level ground.
    pub(crate) interval: Option<f64>,
    /// Width of a pixel seen from one metre \[m\].
    pixel_tangent: f64,
    right: DVec3,
    up: DVec3,
    /// Widths of lines over those of a usual picture.
    width: f64,
}

/// The relief of the last picture, which serves again while ground and lens stay the same.
#[derive(Debug, Default)]
pub(crate) struct LastRelief(Option<(Vec<Solid>, Lens, Relief)>);

impl LastRelief {
    /// How `grounds` are drawn, where there are some.
    pub(crate) fn of(&mut self, grounds: Vec<Solid>, lens: &Lens) -> Option<Relief> {
        if !self.0.as_ref().is_some_and(|(known, through, _)| *known == grounds && through == lens) {
            let instances = grounds.iter().filter_map(|solid| match solid {
                Solid::Instance(instance) => Some(instance),
                Solid::Element(_) | Solid::Contour(_) => None,
            });
            let any = instances.clone().next().is_some();
            let relief = any.then(|| Relief::new(instances.flat_map(|instance| instance.corners()), lens));
            self.0 = relief.map(|relief| (grounds, lens.clone(), relief));
        }
        self.0.as_ref().map(|(_, _, relief)| *relief)
    }
}

impl Relief {
    /// For ground with such `corners` of triangles; what the picture does not show is left out.
    pub(crate) fn new(corners: impl Iterator<Item = DVec3> + Clone, lens: &Lens) -> Self {
        let range = |points: &mut dyn Iterator<Item = DVec3>| {
            points.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.z), b.max(p.z)))
        };
        let seen = range(&mut corners.clone().filter(|p| lens.shows(*p)));
        let (low, high) = if seen.0 < seen.1 { seen } else { range(&mut { corners }) };
        let axes = lens.axes();
        let pixel_tangent = lens.pixel_tangent();
        let width = (lens.height() / USUAL_HEIGHT).max(0.7);
        Relief {
            low,
            high,
            interval: contour_interval(high - low),
            pixel_tangent,
            right: axes.right,
            up: axes.up,
            width,
        }
    }

    /// Colour of the ground in even light where `ray` meets it at `distance`, with unit `normal`.
    pub(crate) fn colour(&self, ray: &Ray, distance: f64, normal: DVec3) -> Colour {
        let height = ray.at(distance).z;
        let share = if self.high > self.low { (height - self.low) / (self.high - self.low) } else { 0.0 };
        let tint = colour::ground(share);
        let [thin, bold] = self.lines(ray, distance, normal, height);
        let ink = (LINE.1 * thin).max(BOLD_LINE.1 * bold);
        blend(tint, colour::from_srgb(LINE_COLOUR), ink)
    }

    /// Shares of a pixel that a line covers, of thin lines and of bold ones.
    fn lines(&self, ray: &Ray, distance: f64, normal: DVec3, height: f64) -> [f32; 2] {
        let Some(interval) = self.interval else { return [0.0; 2] };
        let slope = self.height_in_a_pixel(ray, distance, normal);
        let level = normal.truncate().length() < LEVEL * normal.z.abs();
        if level || slope.is_nan() || slope <= 0.0 {
            return [0.0; 2];
        }
        let number = (height / interval).round();
        let pixels = (height - number * interval).abs() / slope;
        let cover = |line: f64, gap: f64| {
            let covered = (0.5 * line * self.width + 0.5 - pixels).clamp(0.0, 1.0);
            (covered * (gap / (slope * CROWDED)).clamp(0.0, 1.0)) as f32
        };
        let bold = (number as i64).rem_euclid(BOLD_EVERY) == 0;
        let bold_cover = if bold { cover(BOLD_LINE.0, BOLD_EVERY as f64 * interval) } else { 0.0 };
        [cover(LINE.0, interval), bold_cover]
    }

    /// By how much the height of the ground changes over a pixel, in the direction in which it changes most \[m\].
    ///
    /// A point of the plane through the hit with normal `n` that is seen `w e` beside it, `e` across the ray `d`, is
    /// `w (e - d (n.e) / (n.d))` from it.
    fn height_in_a_pixel(&self, ray: &Ray, distance: f64, normal: DVec3) -> f64 {
        let (width, facing) = (distance * self.pixel_tangent, normal.dot(ray.direction));
        let rise = |e: DVec3| width * (e.z - ray.direction.z * normal.dot(e) / facing);
        rise(self.right).hypot(rise(self.up))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::test_support::{fixed, snapshot, sphere_at};
    use granule_geometry::Shape;

    #[test]
    fn intervals_are_round_and_give_ten_to_twenty_five_lines() {
        for (range, interval) in
            [(171.0, 10.0), (250.0, 10.0), (250.1, 20.0), (100.0, 5.0), (1.0, 0.05), (0.03, 0.002), (2600.0, 200.0)]
        {
            assert_eq!(contour_interval(range), Some(interval), "{range}");
        }
        for i in 0..4000 {
            let range = 10f64.powf(f64::from(i) / 400.0 - 5.0);
            let lines = range / contour_interval(range).expect("an interval");
            assert!((10.0 - 1e-9..=25.0 + 1e-9).contains(&lines), "{range}: {lines}");
        }
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            assert_eq!(contour_interval(odd), None, "{odd}");
        }
    }

    /// A slope of two triangles, `size` long and wide, that rises by `rise` along x.
    fn slope(size: f64, rise: f64) -> Shape {
        let corner = |x: f64, y: f64| DVec3::new(x * size, y * size, x * rise);
        let vertices = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
        Shape::mesh(&vertices, &[[0, 1, 2], [0, 2, 3]]).expect("a surface")
    }

    #[test]
    fn ground_is_relief_where_it_is_wide_or_where_it_is_asked_for() {
        for unit in [1e-3, 1.0, 100.0] {
            let state = |size: f64| {
                let ground = fixed(1, slope(size * unit, 0.2 * size * unit), DVec3::ZERO);
                snapshot(vec![sphere_at(0, DVec3::ZERO, 0.5 * unit), ground])
            };
            for (size, asked, relief) in
                [(20.5, None, true), (19.5, None, false), (19.5, Some(true), true), (20.5, Some(false), false)]
            {
                assert_eq!(has_relief(&state(size), asked), relief, "{unit} {size} {asked:?}");
            }
        }
        let plate = fixed(1, Shape::cuboid(DVec3::splat(100.0)).expect("a size"), DVec3::ZERO);
        assert!(!has_relief(&snapshot(vec![sphere_at(0, DVec3::ZERO, 0.5), plate]), Some(true)));
        assert!(!has_relief(&snapshot(vec![fixed(1, slope(99.0, 9.0), DVec3::ZERO)]), None), "no grains, no size");
    }

    /// Lines are as wide as asked in pixels, whatever the slope and the distance.
    #[test]
    fn lines_have_the_same_width_on_every_slope() {
        for (rise, away) in [(0.1, 1.0), (0.1, 6.0), (1.0, 1.0), (1.0, 3.0)] {
            let camera = Camera::look_at(DVec3::new(-away, 0.3, 0.5 + away), DVec3::new(0.0, 0.0, 0.0));
            let lens = Lens::new(&camera, 720, 720);
            let normal = DVec3::new(-rise, 0.0, 1.0).normalize();
            let corners = [-1.0, 1.0].map(|x| DVec3::new(x, 0.0, rise * x));
            let relief = Relief { interval: Some(0.5 * rise), ..Relief::new(corners.into_iter(), &lens) };
            // Down the middle column of the picture, which runs along the slope: the line at height 0 is bold.
            let sum: f64 = (2000..5200)
                .map(|row| {
                    let ray = Ray::new(camera.eye, lens.direction(360.0, f64::from(row) / 10.0));
                    let distance = -camera.eye.dot(normal) / ray.direction.dot(normal);
                    let near = ray.at(distance).x.abs() < 0.2;
                    let [_, bold] = relief.lines(&ray, distance, normal, ray.at(distance).z);
                    if near { f64::from(bold) / 10.0 } else { 0.0 }
                })
                .sum();
            // Measured: 1.90 to 1.96 of 1.9; the column and the slope differ by some degrees.
            assert!((sum / BOLD_LINE.0 - 1.0).abs() <= 0.1, "{rise} {away}: {sum}");
        }
    }
}
