//! Light: how bright a visible point is, and what is seen through thin things.
//!
//! Reflection is matt (Lambert): colour = albedo x (sky x openness + sun x cosine x visibility). *Openness* is the
//! share of a cosine-weighted hemisphere that is free of neighbours within reach, *visibility* the share of the sun's
//! disc. Both are sampled at fixed directions: pixel k of each 4 x 4 tile takes every sixteenth direction of one evenly
//! spread set, and a 4 x 4 mean over the pixels of the same body gathers them, so that the light of 16 n rays costs n.

use granule_model::DVec3;

use crate::bvh::{Bvh, Hit};
use crate::camera::Lens;
use crate::colour::{self, Colour, blend, scaled};
use crate::intersect::Ray;
use crate::model::Solid;
use crate::render::RenderOptions;
use crate::world::{Thin, World};

/// Pixels of a tile: each takes its own share of the sample directions.
pub(crate) const TILE: usize = 16;
/// Order of the members of a 4 x 4 tile: neighbours take directions that lie far apart.
const TILE_ORDER: [[usize; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
/// Light of the whole sky, and of the sun when it stands above the surface.
const SKY: f32 = 0.62;
const SUN: f32 = 0.62;
/// Of ground that is drawn as relief: more sun and less sky, so that slopes stand out.
const RELIEF_SKY: f32 = 0.42;
const RELIEF_SUN: f32 = 0.86;
/// How much darker a surface is that looks down: the ground gives back less than the sky.
const GROUND_SHADE: f32 = 0.3;
/// Tangent of the sun's half-angle, some 3 degrees: wider than nature's, for soft edges.
const SUN_RADIUS: f64 = 0.055;
/// Opacity of thin things: before something solid, and where only the background is behind.
const GLASS_BEFORE: f32 = 0.10;
const PANEL_BEFORE: f32 = 0.15;
const LAST_SURFACE: f32 = 0.35;
const LINE_OPACITY: f32 = 0.75;
/// Thin things on one ray that are told apart; more are left out, the farthest first.
const THIN_LAYERS: usize = 8;

/// What a ray through a pixel meets first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visible {
    pub(crate) distance: f64,
    pub(crate) element: u32,
    /// Unit normal towards the eye.
    pub(crate) normal: [f32; 3],
}

impl Visible {
    /// What `ray` meets first of all solid things.
    pub(crate) fn first(world: &World, ray: &Ray) -> Option<Self> {
        let hit = world.solid().nearest(ray, 0.0, f64::INFINITY)?;
        Some(Visible::new(ray, &hit, world.solid().get(&hit)))
    }

    /// For the hit of `ray` with `solid`.
    pub(crate) fn new(ray: &Ray, hit: &Hit, solid: &Solid) -> Self {
        let normal = solid.normal(ray, hit.distance);
        let facing = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        let normal = facing.to_array().map(|x| x as f32);
        Visible { distance: hit.distance, element: hit.element, normal }
    }
}

/// Openness to the sky and visibility of the sun, each 0 to 1.
pub(crate) type Light = [f32; 2];

/// What may stand between a visible point and its light.
pub(crate) trait Blockers {
    /// Distance of the first thing that sky ray `index` of the point, `ray`, meets before `reach`.
    fn first(&self, index: usize, ray: &Ray, reach: f64) -> Option<f64>;

    /// Whether `ray`, to the sun, meets anything.
    fn any(&self, ray: &Ray) -> bool;
}

impl Blockers for Bvh<Solid> {
    fn first(&self, _: usize, ray: &Ray, reach: f64) -> Option<f64> {
        self.nearest(ray, 0.0, reach).map(|hit| hit.distance)
    }

    fn any(&self, ray: &Ray) -> bool {
        Bvh::any(self, ray, 0.0, f64::INFINITY)
    }
}

/// Where the rays to the light start: just off a visible point.
pub(crate) struct Start {
    origin: DVec3,
    normal: DVec3,
}

impl Start {
    pub(crate) fn new(world: &World, ray: &Ray, seen: &Visible) -> Self {
        let normal = DVec3::from_array(seen.normal.map(f64::from)).normalize();
        Start { origin: ray.at(seen.distance) + world.lift * normal, normal }
    }
}

/// How a picture is lit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lamp {
    /// Unit vector to the sun.
    sun: DVec3,
    sun_across: (DVec3, DVec3),
    occlusion_rays: u32,
    shadows: bool,
    background: Colour,
}

impl Lamp {
    /// The sun stands behind the viewer's left shoulder, high; over `relief` where it stands on maps.
    pub(crate) fn new(lens: &Lens, options: &RenderOptions, relief: bool) -> Self {
        let RenderOptions { occlusion_rays, shadows, background, .. } = *options;
        let axes = lens.axes();
        let level = |v: DVec3| (v - v.z * DVec3::Z).normalize_or_zero();
        let sun = (DVec3::Z - 0.55 * level(axes.right) - 0.45 * level(axes.forward)).normalize();
        let sun = if relief { crate::relief::sun() } else { sun };
        let [r, g, b] = background.map(u32::from);
        let background = colour::from_srgb(r << 16 | g << 8 | b);
        Lamp { sun, sun_across: sun.any_orthonormal_pair(), occlusion_rays, shadows, background }
    }

    /// Light at a visible point, from the sample directions of member `member` of a tile, past `blockers` whose sky
    /// rays reach as far as `reach`.
    pub(crate) fn light(&self, blockers: &impl Blockers, start: &Start, reach: f64, member: usize) -> Light {
        let mut open = 1.0;
        if self.occlusion_rays > 0 {
            let mut blocked = 0.0;
            for (i, ray) in self.sky_rays(start, member).enumerate() {
                blocked += blockers.first(i, &ray, reach).map_or(0.0, |distance| 1.0 - distance / reach);
            }
            open = 1.0 - blocked / f64::from(self.occlusion_rays);
        }
        let lit = !self.shadows || self.sun_ray(start, member).is_some_and(|ray| !blockers.any(&ray));
        [open as f32, f32::from(u8::from(lit))]
    }

    /// Rays over the sky of a point, as many as there are occlusion rays.
    pub(crate) fn sky_rays(&self, start: &Start, member: usize) -> impl Iterator<Item = Ray> {
        let (origin, normal) = (start.origin, start.normal);
        let total = self.occlusion_rays as usize * TILE;
        let (a, b) = normal.any_orthonormal_pair();
        (member..total).step_by(TILE).map(move |i| {
            let [x, y, z] = hemisphere_direction(i, total);
            Ray::new(origin, (x * a + y * b + z * normal).normalize())
        })
    }

    /// A ray to the disc of the sun; none from a surface that is turned away.
    pub(crate) fn sun_ray(&self, start: &Start, member: usize) -> Option<Ray> {
        (start.normal.dot(self.sun) > 0.0).then(|| {
            let [x, y] = disc_point(member);
            let towards = self.sun + SUN_RADIUS * (x * self.sun_across.0 + y * self.sun_across.1);
            Ray::new(start.origin, towards.normalize())
        })
    }

    pub(crate) fn occlusion_rays(&self) -> u32 {
        self.occlusion_rays
    }

    pub(crate) fn shadows(&self) -> bool {
        self.shadows
    }

    /// Colour of a ray: the solid thing that it meets, lit by `light`, under all thin things before it.
    pub(crate) fn colour(&self, world: &World, ray: &Ray, seen: Option<&Visible>, light: Light) -> Colour {
        let behind = seen.map_or(self.background, |seen| {
            let normal = DVec3::from_array(seen.normal.map(f64::from));
            let skin = &world.skins[seen.element as usize];
            let relief = world.relief.as_ref().filter(|_| skin.relief);
            let (sky, sun) = if relief.is_some() { (RELIEF_SKY, RELIEF_SUN) } else { (SKY, SUN) };
            let sky = sky * light[0] * (1.0 - GROUND_SHADE * 0.5 * (1.0 - normal.z as f32));
            let sun = sun * light[1] * normal.dot(self.sun).max(0.0) as f32;
            let albedo = relief.map_or(skin.albedo, |relief| relief.colour(ray, seen.distance, normal));
            scaled(albedo, sky + sun)
        });
        let limit = seen.map_or(f64::INFINITY, |s| s.distance);
        self.through_thin(world, ray, behind, limit, seen.is_none())
    }

    /// Lays the thin things before `limit` over the colour `behind`, the farthest first.
    fn through_thin(&self, world: &World, ray: &Ray, behind: Colour, limit: f64, open: bool) -> Colour {
        let mut layers = [(f64::INFINITY, u32::MAX); THIN_LAYERS];
        let mut count = 0;
        world.thin.all(ray, 0.0, limit, |hit| {
            let place = layers[..count].partition_point(|l| (l.0, l.1) < (hit.distance, hit.element));
            if place < THIN_LAYERS {
                count = (count + 1).min(THIN_LAYERS);
                layers[place..count].rotate_right(1);
                layers[place] = (hit.distance, hit.element);
            }
        });
        let mut colour = behind;
        let mut last = open;
        for &(distance, element) in layers[..count].iter().rev() {
            let kind = world.thin_kinds[element as usize];
            let opacity = match kind {
                Thin::Line => LINE_OPACITY,
                _ if last => LAST_SURFACE,
                Thin::Panel => PANEL_BEFORE,
                Thin::Glass => GLASS_BEFORE,
            };
            let over = if kind == Thin::Line {
                colour::from_srgb(colour::LINE)
            } else {
                last = false;
                let normal = world.thin_solids[element as usize].normal(ray, distance);
                scaled(colour::from_srgb(colour::PANEL), 0.75 + 0.25 * normal.dot(self.sun).abs() as f32)
            };
            colour = blend(colour, over, opacity);
        }
        colour
    }
}

/// Which member of its tile the pixel (x, y) is.
pub(crate) fn member(x: usize, y: usize) -> usize {
    TILE_ORDER[y % 4][x % 4]
}

/// Direction `index` of `total` over a hemisphere around z, denser towards z as the cosine (Hammersley's points).
fn hemisphere_direction(index: usize, total: usize) -> [f64; 3] {
    let square = (index as f64 + 0.5) / total as f64;
    let radius = square.sqrt();
    // `reverse_bits` mirrors the digits at the point: van der Corput's sequence in base 2.
    let turn = std::f64::consts::TAU * f64::from((index as u32).reverse_bits()) / 4_294_967_296.0;
    [radius * turn.cos(), radius * turn.sin(), (1.0 - square).sqrt()]
}

/// Point `member` of sixteen that cover the unit disc evenly (Vogel's spiral).
fn disc_point(member: usize) -> [f64; 2] {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let radius = ((member as f64 + 0.5) / TILE as f64).sqrt();
    let turn = GOLDEN_ANGLE * member as f64;
    [radius * turn.cos(), radius * turn.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_directions_cover_the_hemisphere_as_the_cosine() {
        let total = 256;
        let mut mean = [0.0; 3];
        for i in 0..total {
            let d = hemisphere_direction(i, total);
            let length = d.iter().map(|x| x * x).sum::<f64>();
            assert!((length - 1.0).abs() <= 1e-14 && d[2] > 0.0);
            (0..3).for_each(|k| mean[k] += d[k] / total as f64);
        }
        // Exact means under the cosine law: 0, 0, 2/3. Measured: 0.0025, -0.0025, 0.66667.
        assert!(mean[0].abs() <= 0.01 && mean[1].abs() <= 0.01 && (mean[2] - 2.0 / 3.0).abs() <= 1e-3, "{mean:?}");
        let inside = (0..TILE).all(|i| disc_point(i)[0].hypot(disc_point(i)[1]) < 1.0);
        assert!(inside);
    }
}
