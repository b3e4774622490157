//! The camera: a point, a direction, an angle of view.

use granule_model::{Aabb, DVec3};

use crate::intersect::Ray;

/// Vertical angle of view of cameras that frame a region: 30 degrees, which shows a pack without much distortion.
const FRAMING_HALF_ANGLE_TANGENT: f64 = 0.267_949_192_431_122_7; // tan 15 degrees
/// Share of the picture that is left free around a framed region.
const FRAMING_MARGIN: f64 = 0.04;
/// Rounds in which the aim is moved so that the framed region stands in the middle; each leaves about a tenth.
const CENTRING_ROUNDS: usize = 4;
/// Cosine of the angle to the view beyond which a point counts as beside the eye: far above rounding, outside any
/// picture.
const LEAST_DEPTH: f64 = 1e-6;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the eye is \[m\].
    pub eye: DVec3,
    /// Point that appears in the middle of the picture \[m\]; must differ from `eye`.
    pub target: DVec3,
    /// Direction that points up in the picture; need not be perpendicular to the view.
    pub up: DVec3,
    /// Tangent of half the vertical angle of view \[-\], above 0.
    pub half_angle_tangent: f64,
}

impl Camera {
    /// A camera at `eye` that looks at `target`, z up, 30 degrees of view.
    pub fn look_at(eye: DVec3, target: DVec3) -> Self {
        let along_z = (target - eye).cross(DVec3::Z).length() <= 1e-6 * (target - eye).length();
        let up = if along_z { DVec3::Y } else { DVec3::Z };
        Camera { eye, target, up, half_angle_tangent: FRAMING_HALF_ANGLE_TANGENT }
    }

    /// A camera that shows all of `bounds` in a picture of 16:9, seen from `direction` (from the region to the eye).
    pub fn framing(bounds: &Aabb, direction: DVec3) -> Self {
        Camera::framing_with_aspect(bounds, direction, 16.0 / 9.0)
    }

    /// The direction from which packs are shown: from the front (the -y side), a little from the right, from above:
    /// heaps that slide towards +x show their slope.
    pub fn default_direction() -> DVec3 {
        DVec3::new(0.3, -1.0, 0.45)
    }

    /// As [`Camera::framing`], for a picture whose width is `aspect` times its height.
    ///
    /// Bounds that are empty or not finite give a camera that looks at the origin from one metre. A direction of no
    /// length counts as [`Camera::default_direction`].
    pub fn framing_with_aspect(bounds: &Aabb, direction: DVec3, aspect: f64) -> Self {
        Camera::framing_boxes(std::slice::from_ref(bounds), direction, aspect)
    }

    /// As [`Camera::framing_with_aspect`], for several boxes: a path takes less room than the box around it.
    pub fn framing_boxes(boxes: &[Aabb], direction: DVec3, aspect: f64) -> Self {
        let direction = direction.try_normalize().unwrap_or_else(|| Camera::default_direction().normalize());
        let all = boxes.iter().fold(Aabb::EMPTY, |a, b| a.union(b));
        let valid = |b: &Aabb| b.is_finite() && b.size().min_element() >= 0.0;
        if !(boxes.iter().all(valid) && valid(&all) && all.size().max_element() > 0.0) {
            return Camera::look_at(direction, DVec3::ZERO);
        }
        let corners: Vec<DVec3> = boxes.iter().flat_map(corners).collect();
        let mut camera = Camera::look_at(all.center() + direction, all.center());
        for _ in 0..CENTRING_ROUNDS {
            camera.step_back(&corners, direction, aspect);
            camera.centre(&corners);
        }
        camera.step_back(&corners, direction, aspect);
        camera
    }

    /// Moves the eye along `direction` until every corner is just inside the picture.
    fn step_back(&mut self, corners: &[DVec3], direction: DVec3, aspect: f64) {
        let axes = self.axes();
        let tangent = self.half_angle_tangent * (1.0 - FRAMING_MARGIN);
        let needed = corners.iter().map(|&corner| {
            let from_target = corner - self.target;
            let sideways = (from_target.dot(axes.right).abs() / aspect).max(from_target.dot(axes.up).abs());
            sideways / tangent - from_target.dot(axes.forward)
        });
        self.eye = self.target + direction * needed.fold(0.0, f64::max);
    }

    /// Moves eye and aim sideways so that the corners' outline stands in the middle.
    fn centre(&mut self, corners: &[DVec3]) {
        let axes = self.axes();
        let middle = |axis: DVec3| {
            let place = corners.iter().map(|&c| (c - self.eye).dot(axis) / (c - self.eye).dot(axes.forward));
            let (low, high) = place.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
            0.5 * (low + high)
        };
        let distance = (self.target - self.eye).length();
        let shift = distance * (axes.right * middle(axes.right) + axes.up * middle(axes.up));
        self.eye += shift;
        self.target += shift;
    }

    /// Whether `point` lies in a picture whose width is `aspect` times its height, if nothing is before it.
    pub fn sees(&self, point: DVec3, aspect: f64) -> bool {
        let (axes, way) = (self.axes(), point - self.eye);
        let half = self.half_angle_tangent * way.dot(axes.forward);
        half > 0.0 && way.dot(axes.up).abs() <= half && way.dot(axes.right).abs() <= aspect * half
    }

    /// Unit vectors of the view.
    pub(crate) fn axes(&self) -> Axes {
        let forward = (self.target - self.eye).normalize_or(DVec3::Y);
        let right = forward.cross(self.up).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
        Axes { forward, right, up: right.cross(forward) }
    }
}

/// The eight corners of a box.
pub(crate) fn corners(bounds: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let pick = |bit: usize| if i >> bit & 1 == 0 { bounds.min[bit] } else { bounds.max[bit] };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}

/// Unit vectors of a view, right-handed: `right x forward = -up`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axes {
    pub(crate) forward: DVec3,
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
}

/// Rays through the pixels of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lens {
    eye: DVec3,
    axes: Axes,
    half_width: f64,
    half_height: f64,
    width: f64,
    height: f64,
}

impl Lens {
    pub(crate) fn new(camera: &Camera, width: u32, height: u32) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        let half_height = camera.half_angle_tangent;
        let half_width = half_height * width / height;
        Lens { eye: camera.eye, axes: camera.axes(), half_width, half_height, width, height }
    }

    /// Unit direction of the ray through the point (x, y) of the picture, in pixels from its upper left corner.
    pub(crate) fn direction(&self, x: f64, y: f64) -> DVec3 {
        let right = self.half_width * (2.0 * x / self.width - 1.0);
        let up = self.half_height * (1.0 - 2.0 * y / self.height);
        (self.axes.forward + right * self.axes.right + up * self.axes.up).normalize()
    }

    /// The ray through a point of pixel (x, y), `u` and `v` from 0 to 1 across it.
    pub(crate) fn ray(&self, x: usize, y: usize, u: f64, v: f64) -> Ray {
        Ray::new(self.eye, self.direction(x as f64 + u, y as f64 + v))
    }

    /// Columns and rows of pixels.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }

    /// Width of a pixel in the middle of the picture, seen from one metre \[m\].
    pub(crate) fn pixel_tangent(&self) -> f64 {
        2.0 * self.half_height / self.height
    }

    /// Whether `point` lies in the picture, if nothing is before it.
    pub(crate) fn shows(&self, point: DVec3) -> bool {
        let way = point - self.eye;
        let depth = way.dot(self.axes.forward);
        let (across, along) = (way.dot(self.axes.right).abs(), way.dot(self.axes.up).abs());
        depth > 0.0 && across <= self.half_width * depth && along <= self.half_height * depth
    }

    /// Where on the picture `bounds` appears, in pixels: least and greatest x and y. None where it reaches behind the
    /// eye.
    pub(crate) fn outline(&self, bounds: &Aabb) -> Option<[f64; 4]> {
        let mut outline = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
        for corner in corners(bounds) {
            let way = corner - self.eye;
            let depth = way.dot(self.axes.forward);
            let x = 0.5 * self.width * (1.0 + way.dot(self.axes.right) / (depth * self.half_width));
            let y = 0.5 * self.height * (1.0 - way.dot(self.axes.up) / (depth * self.half_height));
            if !(depth > LEAST_DEPTH * way.length() && x.is_finite() && y.is_finite()) {
                return None;
            }
            outline = [outline[0].min(x), outline[1].max(x), outline[2].min(y), outline[3].max(y)];
        }
        Some(outline)
    }

    /// Height of the picture in pixels.
    pub(crate) fn height(&self) -> f64 {
        self.height
    }

    pub(crate) fn eye(&self) -> DVec3 {
        self.eye
    }

    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_behind_and_before_the_picture_is_told_apart() {
        let camera = Camera::look_at(DVec3::ZERO, DVec3::Y);
        let slope = camera.half_angle_tangent;
        for (point, seen) in [
            (DVec3::Y * 5.0, true),
            (DVec3::Y * -5.0, false),
            (DVec3::new(0.0, 5.0, 4.99 * slope), true),
            (DVec3::new(0.0, 5.0, 5.01 * slope), false),
            (DVec3::new(-2.0 * 4.99 * slope, 5.0, 0.0), true),
            (DVec3::new(-2.0 * 5.01 * slope, 5.0, 0.0), false),
        ] {
            assert_eq!(camera.sees(point, 2.0), seen, "{point}");
        }
    }

    #[test]
    fn rays_to_the_inside_of_a_box_pass_through_its_outline() {
        for unit in [1e-3, 1.0, 100.0] {
            let camera = Camera::look_at(DVec3::new(2.0, -9.0, 4.0) * unit, DVec3::new(0.3, 0.2, 0.1) * unit);
            let lens = Lens::new(&camera, 64, 36);
            let bounds = Aabb::new(DVec3::new(-0.4, -0.3, -0.2) * unit, DVec3::new(0.5, 0.1, 0.3) * unit);
            let [left, right, top, bottom] = lens.outline(&bounds).expect("before the eye");
            let (mut across, mut along) = ((f64::INFINITY, f64::NEG_INFINITY), (f64::INFINITY, f64::NEG_INFINITY));
            let range = |(a, b): (f64, f64), v: f64| (a.min(v), b.max(v));
            for (i, j) in (0..640).flat_map(|i| (0..360).map(move |j| (f64::from(i) / 10.0, f64::from(j) / 10.0))) {
                let ray = Ray::new(camera.eye, lens.direction(i, j));
                if ray.enters(&bounds, f64::INFINITY).is_some() {
                    (across, along) = (range(across, i), range(along, j));
                }
            }
            assert!(left <= across.0 && across.1 <= right && top <= along.0 && along.1 <= bottom);
            // A tenth of a pixel between rays; a corner may lie between two. Measured: 0.1 at most.
            assert!(across.0 - left < 0.3 && right - across.1 < 0.3 && along.0 - top < 0.3 && bottom - along.1 < 0.3);
        }
        let lens = Lens::new(&Camera::look_at(DVec3::ZERO, DVec3::Y), 64, 36);
        let around = |y: f64| Aabb::new(DVec3::new(-1.0, y - 1.0, -1.0), DVec3::new(1.0, y + 1.0, 1.0));
        let outlines = [2.0, 1.0, 0.0, -3.0].map(|y| lens.outline(&around(y)).is_some());
        assert_eq!(outlines, [true, false, false, false]);
    }

    #[test]
    fn a_framed_region_fills_the_picture_and_stays_inside() {
        for (size, direction) in [(1e-3, DVec3::new(-1.0, -2.0, 1.0)), (100.0, DVec3::X), (3.0, DVec3::Z)] {
            let bounds = Aabb::new(DVec3::new(1.0, 2.0, 3.0) * size, DVec3::new(3.0, 3.0, 3.5) * size);
            let camera = Camera::framing_with_aspect(&bounds, direction, 1.5);
            let axes = camera.axes();
            let mut widest = 0.0_f64;
            for i in 0..8 {
                let pick = |bit: usize| if i >> bit & 1 == 0 { bounds.min[bit] } else { bounds.max[bit] };
                let ray = DVec3::new(pick(0), pick(1), pick(2)) - camera.eye;
                let depth = ray.dot(axes.forward);
                assert!(depth > 0.0);
                let x = ray.dot(axes.right) / depth / (1.5 * camera.half_angle_tangent);
                let y = ray.dot(axes.up) / depth / camera.half_angle_tangent;
                widest = widest.max(x.abs()).max(y.abs());
            }
            assert!((0.9..1.0).contains(&widest), "{size} {widest}");
        }
    }

    #[test]
    fn the_ray_through_the_middle_meets_the_target() {
        let camera = Camera::look_at(DVec3::new(1.0, -5.0, 2.0), DVec3::new(0.5, 0.5, 0.5));
        let lens = Lens::new(&camera, 64, 48);
        let direction = lens.direction(32.0, 24.0);
        let offset = (camera.target - camera.eye).cross(direction).length();
        assert!(offset <= 1e-14 * 8.0, "{offset}");
        assert!(lens.direction(64.0, 24.0).dot(camera.axes().right) > 0.0);
        assert!(lens.direction(32.0, 0.0).z > direction.z);
    }

    #[test]
    fn odd_input_gives_a_usable_camera() {
        for bounds in [Aabb::EMPTY, Aabb::EVERYTHING, Aabb::new(DVec3::ONE, DVec3::ONE)] {
            let camera = Camera::framing(&bounds, DVec3::ZERO);
            assert!(camera.eye.is_finite() && camera.target.is_finite() && camera.eye != camera.target);
        }
    }
}
