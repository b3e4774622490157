//! From a snapshot to an image, and what may be chosen about it; pixels are left to `canvas`.

use granule_engine::Snapshot;
use granule_model::Aabb;
use image::RgbImage;

use crate::apart::Apart;
use crate::camera::{Camera, Lens};
use crate::canvas::Canvas;
use crate::model::Models;
use crate::overlay;
use crate::relief::LastRelief;
use crate::scenery::LastScenery;
use crate::shade::Lamp;
use crate::world::World;

/// Largest number of sub-samples along one side of a pixel.
const MOST_SUBSAMPLES: u32 = 8;

/// What the colour of a grain says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Which body it is: ten muted hues.
    #[default]
    Body,
    /// Speed of its centre of mass \[m/s\].
    Speed,
    /// Height of its centre of mass \[m\].
    Height,
    /// Height of its centre of mass at the start \[m\], in bands: see [`RenderOptions::start_heights`].
    StartHeight,
}

/// How a picture is made.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// Width in pixels, 1 to 16384.
    pub width: u32,
    /// Height in pixels, 1 to 16384.
    pub height: u32,
    /// Samples per pixel along edges, a square number up to 64 (others are rounded up); 1 for none.
    pub samples: u32,
    /// Ambient-occlusion rays per pixel; 0 for none. Neighbouring pixels share theirs, so 2 to 4 are enough.
    pub occlusion_rays: u32,
    /// Whether the sun casts shadows.
    pub shadows: bool,
    /// What the colour of a grain says.
    pub colour_by: ColourBy,
    /// Values at the ends of the colour scale \[m/s or m\]; none: 0 to 5 m/s for speed, the region's height for
    /// heights.
    pub range: Option<(f64, f64)>,
    /// Height of each body at the start \[m\], in the order of the snapshot; a body that lacks one has its height now.
    pub start_heights: Vec<f64>,
    /// Whether ground is drawn as a map shows it, with light from the north-west and contour lines: static bodies of
    /// shape `mesh` or `terrain`. None: those that are longer, along x or y, than 20 mean equal-volume diameters of the
    /// dynamic bodies.
    pub relief: Option<bool>,
    /// Box to which floors and walls are cut \[m\]; none: [`crate::scene_region`] of the snapshot.
    pub region: Option<Aabb>,
    /// Colour behind everything, sRGB.
    pub background: [u8; 3],
    /// Text in the upper left corner, such as the time.
    pub caption: Option<String>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            width: 1280,
            height: 720,
            samples: 9,
            occlusion_rays: 2,
            shadows: true,
            colour_by: ColourBy::Body,
            range: None,
            start_heights: Vec::new(),
            relief: None,
            region: None,
            background: [250, 250, 250],
            caption: None,
        }
    }
}

impl RenderOptions {
    /// Quick pictures for a film: 640 x 360, one occlusion ray, four samples on edges.
    pub fn film() -> Self {
        RenderOptions { width: 640, height: 360, samples: 4, occlusion_rays: 1, ..RenderOptions::default() }
    }

    /// Values at the ends of the colour scale.
    pub(crate) fn scale_range(&self, region: &Aabb) -> (f64, f64) {
        self.range.unwrap_or(match self.colour_by {
            ColourBy::Height | ColourBy::StartHeight if region.is_finite() => (region.min.z, region.max.z),
            _ => (0.0, 5.0),
        })
    }

    /// Finer rays along one side of a pixel on an edge.
    fn side(&self) -> u32 {
        let side = f64::from(self.samples.max(1)).sqrt().ceil() as u32;
        side.min(MOST_SUBSAMPLES)
    }

    fn size(&self) -> (u32, u32) {
        (self.width.clamp(1, 1 << 14), self.height.clamp(1, 1 << 14))
    }
}

/// Draws `snapshot` as `camera` sees it.
///
/// The image has the width and height of the options. The same arguments give the same bytes with any number of
/// threads.
pub fn render(snapshot: &Snapshot, camera: &Camera, options: &RenderOptions) -> RgbImage {
    let (width, height) = options.size();
    let lens = Lens::new(camera, width, height);
    let world = World::new(snapshot, &lens, options, &mut Models::default(), &mut LastRelief::default());
    let lamp = Lamp::new(&lens, options, world.relief.is_some());
    draw(snapshot, options, &Canvas { world: &world, lamp: &lamp, lens: &lens, apart: None })
}

/// Draws the states of one run, seen by one camera: what stays the same is made once.
#[derive(Debug, Default)]
pub struct Renderer {
    models: Models,
    relief: LastRelief,
    scenery: LastScenery,
}

impl Renderer {
    /// A renderer that has drawn nothing yet.
    pub fn new() -> Self {
        Renderer::default()
    }

    /// As [`render`]. All snapshots must have the same bodies in the same order, and the cameras the same place, width
    /// of the picture and region: bodies are drawn as fine as the first picture needs.
    ///
    /// Over static bodies of many triangles a renderer remembers what they give each pixel, some 100 bytes of it; while
    /// they and the camera stay, pictures after the first cost a fraction.
    pub fn render(&mut self, snapshot: &Snapshot, camera: &Camera, options: &RenderOptions) -> RgbImage {
        let (width, height) = options.size();
        let lens = Lens::new(camera, width, height);
        let world = World::new(snapshot, &lens, options, &mut self.models, &mut self.relief);
        let lamp = Lamp::new(&lens, options, world.relief.is_some());
        let scenery = self.scenery.of(&world, &lens, &lamp, options.side());
        let apart = scenery.map(|scenery| Apart::new(scenery, &world, &lens));
        draw(snapshot, options, &Canvas { world: &world, lamp: &lamp, lens: &lens, apart })
    }
}

fn draw(snapshot: &Snapshot, options: &RenderOptions, canvas: &Canvas) -> RgbImage {
    let (width, height) = options.size();
    let pixels = canvas.draw(options.side());
    let place = |x: u32, y: u32| y as usize * width as usize + x as usize;
    let mut image = RgbImage::from_fn(width, height, |x, y| image::Rgb(pixels[place(x, y)]));
    overlay::draw_all(&mut image, options, snapshot, canvas.world.relief.as_ref());
    image
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{fixed, snapshot, sphere_at};
    use granule_geometry::Shape;
    use granule_model::DVec3;

    fn plain(width: u32, height: u32) -> RenderOptions {
        RenderOptions { width, height, samples: 1, occlusion_rays: 1, ..RenderOptions::default() }
    }

    #[test]
    fn the_outline_of_a_ball_has_the_right_area_at_every_scale() {
        for unit in [1e-3, 1.0, 100.0] {
            let ball = sphere_at(0, DVec3::new(3.0, -2.0, 7.0) * unit, unit);
            let camera = Camera::look_at(ball.pose.position + DVec3::new(0.0, -10.0, 0.0) * unit, ball.pose.position);
            let options = plain(400, 300);
            let image = render(&snapshot(vec![ball]), &camera, &options);
            let covered = image.pixels().filter(|p| p.0 != options.background).count() as f64;
            // The cone that touches the ball: half-angle asin(r/d), which the picture shows as a circle in its middle.
            let radius = (0.1f64).asin().tan() / camera.half_angle_tangent * 150.0;
            let exact = std::f64::consts::PI * radius * radius;
            // Pixels on the rim: an error of the order of the square root of their number. Measured: below 0.1 %.
            assert!((covered / exact - 1.0).abs() <= 0.005, "{unit}: {covered} {exact}");
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_the_number_of_threads() {
        let mut bodies: Vec<_> = (0..40)
            .map(|i| sphere_at(i, DVec3::new(f64::from(i % 5), f64::from(i / 5 % 4), f64::from(i / 20)), 0.52))
            .collect();
        bodies.push(fixed(40, Shape::container(DVec3::new(5.0, 4.0, 3.0)).expect("a size"), DVec3::splat(-0.5)));
        let state = snapshot(bodies);
        let camera = Camera::framing(&crate::scene_region(&state), Camera::default_direction());
        let options = RenderOptions { width: 160, height: 90, ..RenderOptions::default() };
        let draw = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| render(&state, &camera, &options))
        };
        assert_eq!(draw(1), draw(2));
        assert_eq!(draw(2), draw(3));
    }

    /// A ground of waves with stones on it.
    fn avalanche() -> Snapshot {
        let height = |x: f64, y: f64| 0.4 * x + 2.0 * (0.5 * y).sin();
        let point = |k: u32| (f64::from(k % 41), f64::from(k / 41));
        let vertices: Vec<DVec3> =
            (0..41 * 41).map(|k| DVec3::new(point(k).0, point(k).1, height(point(k).0, point(k).1))).collect();
        let cells = (0..40 * 40).map(|c| 41 * (c / 40) + c % 40);
        let triangles: Vec<[u32; 3]> = cells.flat_map(|k| [[k, k + 1, k + 42], [k, k + 42, k + 41]]).collect();
        let ground = fixed(0, Shape::mesh(&vertices, &triangles).expect("a surface"), DVec3::ZERO);
        let stone = Shape::cylinder(0.5, 1.0).expect("a size");
        let grain = |i: u32| {
            let (x, y) = (10.0 + 2.0 * f64::from(i % 6), 12.0 + 2.0 * f64::from(i / 6));
            let shape = stone.clone();
            granule_engine::BodySnapshot { shape, ..sphere_at(i + 1, DVec3::new(x, y, height(x, y) + 1.0), 0.5) }
        };
        snapshot([ground].into_iter().chain((0..30).map(grain)).collect())
    }

    #[test]
    fn relief_is_the_same_from_any_number_of_threads_and_from_a_renderer_that_has_drawn() {
        let state = avalanche();
        let mut framing = crate::Framing::new();
        framing.add(&state);
        let camera = crate::over_relief(&framing, &state, None, 16.0 / 9.0).expect("relief");
        let options =
            RenderOptions { width: 160, height: 90, region: Some(framing.region()), ..RenderOptions::default() };
        let mut renderer = Renderer::new();
        let mut draw = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| renderer.render(&state, &camera, &options))
        };
        let first = draw(1);
        assert_eq!(first, draw(2));
        assert_eq!(first, render(&state, &camera, &options));
        let flat = RenderOptions { relief: Some(false), ..options };
        assert_ne!(first, render(&state, &camera, &flat));
    }

    #[test]
    fn a_wall_before_the_grains_is_seen_through_and_one_behind_them_is_solid() {
        let wall = Shape::cuboid(DVec3::new(10.0, 0.2, 10.0)).expect("a size");
        let ball = sphere_at(0, DVec3::ZERO, 1.0);
        let options = RenderOptions { shadows: false, ..plain(61, 61) };
        let draw = |y: f64| {
            let bodies = vec![ball.clone(), fixed(1, wall.clone(), DVec3::Y * y)];
            let camera = Camera::look_at(DVec3::Y * -20.0, DVec3::ZERO);
            render(&snapshot(bodies), &camera, &options)
        };
        let alone = render(&snapshot(vec![ball.clone()]), &Camera::look_at(DVec3::Y * -20.0, DVec3::ZERO), &options);
        let middle = |image: &RgbImage| image.get_pixel(30, 30).0.map(i32::from);
        let far = |a: [i32; 3], b: [i32; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).max().unwrap_or(0);
        assert!(far(middle(&draw(-3.0)), middle(&alone)) <= 40, "{:?} {:?}", middle(&draw(-3.0)), middle(&alone));
        assert_ne!(draw(-3.0), alone);
        assert!(far(middle(&draw(3.0)), middle(&alone)) <= 2);
    }

    #[test]
    fn a_ball_shades_the_floor() {
        let floor = Shape::half_space(DVec3::Z).expect("a normal");
        let bodies = vec![sphere_at(0, DVec3::Z, 1.0), fixed(1, floor, DVec3::ZERO)];
        let camera = Camera::look_at(DVec3::new(0.0, -8.0, 8.0), DVec3::ZERO);
        let region = Some(Aabb::new(DVec3::new(-4.0, -4.0, 0.0), DVec3::new(4.0, 4.0, 2.0)));
        let options = RenderOptions { region, ..plain(200, 200) };
        let darkest = |options: &RenderOptions| {
            let image = render(&snapshot(bodies.clone()), &camera, options);
            // The floor is the only thing without a hue as strong as a body's.
            let grey =
                image.pixels().filter(|p| p.0.iter().max().zip(p.0.iter().min()).is_some_and(|(a, b)| a - b < 12));
            grey.map(|p| p.0[0]).min().unwrap_or(255)
        };
        let shaded = darkest(&options);
        let bright = darkest(&RenderOptions { shadows: false, occlusion_rays: 0, ..options.clone() });
        assert!(shaded + 30 < bright, "{shaded} {bright}");
    }

    #[test]
    fn nothing_to_see_is_background() {
        let options = plain(8, 4);
        let image = render(&snapshot(vec![]), &Camera::look_at(DVec3::X, DVec3::ZERO), &options);
        assert!(image.pixels().all(|p| p.0 == options.background) && image.dimensions() == (8, 4));
    }
}
