//! What static bodies alone give the rays of a picture, kept for the next picture from the same place.
//!
//! A film over ground of many triangles asks the same ground the same questions in every frame. Of each pixel's ray the
//! first static thing is kept, of the rays to its light what static things they meet; of an edge's finer rays the first
//! static thing, once they were needed. What moves is laid over it by [`crate::apart`].
//!
//! Kept are 32 bytes for each ray that sees, 8 for each sky ray, 1 for the sun, 24 for what an edge may add: with the
//! options of a film 65 bytes a pixel, and 128 more for a pixel on an edge.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::bvh::Bvh;
use crate::camera::Lens;
use crate::intersect::Ray;
use crate::model::Solid;
use crate::shade::{Lamp, Start, Visible, member};
use crate::world::World;

/// Static things of fewer elements than this are asked again: that is as quick as looking up what they gave.
const MANY_ELEMENTS: usize = 1000;
/// Pictures with more occlusion rays than this are drawn without: they would keep too much. Two are usual.
const MOST_SKY_RAYS: u32 = 16;
/// Sky rays are followed this much farther than they reach, as their reach follows the mean size of what is present.
const REACH_MARGIN: f64 = 1.25;

/// The first static thing on a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    Nothing,
    /// Its `element` counts static things only.
    Thing(Visible),
    /// Two things as good as equally near: the whole hierarchy says which comes first.
    Doubtful,
}

/// All that the kept answers depend on, but for the reach of sky rays.
#[derive(Debug, PartialEq)]
struct Key {
    solids: Vec<Solid>,
    lens: Lens,
    lamp: Lamp,
    lift: f64,
    side: u32,
}

/// The static things of pictures, and what they give.
#[derive(Debug)]
pub(crate) struct Scenery {
    key: Key,
    /// Up to where sky rays were followed \[m\].
    reach: f64,
    solid: Bvh<Solid>,
    first: Vec<First>,
    /// Distances of the first static things on the sky rays, pixel by pixel; infinite where there is none.
    sky: Vec<f64>,
    /// Whether a static thing hides the sun.
    shaded: Vec<bool>,
    /// By pixel, the first static things on its finer rays.
    finer: Vec<OnceLock<Box<[First]>>>,
}

/// The scenery of the last picture.
#[derive(Debug, Default)]
pub(crate) struct LastScenery(Option<Scenery>);

impl LastScenery {
    /// The scenery of a picture of `world`, with `side` x `side` finer rays along edges; none where it would spare
    /// nothing.
    pub(crate) fn of(&mut self, world: &World, lens: &Lens, lamp: &Lamp, side: u32) -> Option<&Scenery> {
        let fixed = world.solids.iter().zip(&world.skins).filter(|(_, skin)| skin.fixed);
        let solids: Vec<Solid> = fixed.map(|(solid, _)| solid.clone()).collect();
        let elements: usize = solids.iter().map(Solid::element_count).sum();
        if elements < MANY_ELEMENTS || lamp.occlusion_rays() > MOST_SKY_RAYS {
            self.0 = None;
            return None;
        }
        let key = Key { solids, lens: lens.clone(), lamp: lamp.clone(), lift: world.lift, side };
        if !self.0.as_ref().is_some_and(|kept| kept.key == key && kept.reach >= world.occlusion_reach) {
            // The old one goes first: two at a time would take twice the memory.
            self.0 = None;
            self.0 = Some(Scenery::new(key, world));
        }
        self.0.as_ref()
    }
}

impl Scenery {
    fn new(key: Key, world: &World) -> Scenery {
        let (width, height) = key.lens.size();
        let pixels = width * height;
        let mut finer = Vec::new();
        finer.resize_with(pixels, OnceLock::new);
        let mut scenery = Scenery {
            reach: REACH_MARGIN * world.occlusion_reach,
            solid: Bvh::new(&key.solids),
            key,
            first: Vec::new(),
            sky: Vec::new(),
            shaded: Vec::new(),
            finer,
        };
        scenery.first = (0..pixels).into_par_iter().map(|i| scenery.seen_by(&scenery.ray(i))).collect();
        let rays = scenery.sky_rays();
        scenery.sky = (0..pixels * rays).into_par_iter().map(|k| scenery.sky_of(world, k / rays, k % rays)).collect();
        scenery.shaded = (0..pixels).into_par_iter().map(|i| scenery.is_shaded(world, i)).collect();
        scenery
    }

    fn sky_rays(&self) -> usize {
        self.key.lamp.occlusion_rays() as usize
    }

    fn ray(&self, pixel: usize) -> Ray {
        let (width, _) = self.key.lens.size();
        self.key.lens.ray(pixel % width, pixel / width, 0.5, 0.5)
    }

    fn seen_by(&self, ray: &Ray) -> First {
        match self.solid.nearest_apart(ray, 0.0, f64::INFINITY, self.key.lift) {
            None => First::Nothing,
            Some((hit, true)) => First::Thing(Visible::new(ray, &hit, self.solid.get(&hit))),
            Some((_, false)) => First::Doubtful,
        }
    }

    /// Where the light of a pixel's static thing comes in, and the pixel's place in its tile.
    fn start(&self, world: &World, pixel: usize) -> Option<(Start, usize)> {
        let (width, _) = self.key.lens.size();
        let First::Thing(seen) = &self.first[pixel] else { return None };
        Some((Start::new(world, &self.ray(pixel), seen), member(pixel % width, pixel / width)))
    }

    fn sky_of(&self, world: &World, pixel: usize, index: usize) -> f64 {
        let ray =
            self.start(world, pixel).and_then(|(start, member)| self.key.lamp.sky_rays(&start, member).nth(index));
        let hit = ray.and_then(|ray| self.solid.nearest(&ray, 0.0, self.reach));
        hit.map_or(f64::INFINITY, |hit| hit.distance)
    }

    fn is_shaded(&self, world: &World, pixel: usize) -> bool {
        let start = self.start(world, pixel).filter(|_| self.key.lamp.shadows());
        let ray = start.and_then(|(start, member)| self.key.lamp.sun_ray(&start, member));
        ray.is_some_and(|ray| self.solid.any(&ray, 0.0, f64::INFINITY))
    }

    /// The static things.
    pub(crate) fn solid(&self) -> &Bvh<Solid> {
        &self.solid
    }

    /// The first static thing in the middle of a pixel.
    pub(crate) fn first(&self, pixel: usize) -> First {
        self.first[pixel]
    }

    /// The first static thing on finer ray `index` of a pixel; `ray` gives each of them.
    pub(crate) fn finer(&self, pixel: usize, index: u32, ray: impl Fn(u32) -> Ray) -> First {
        let side = self.key.side;
        let rays = || (0..side * side).map(|k| self.seen_by(&ray(k))).collect();
        self.finer[pixel].get_or_init(rays)[index as usize]
    }

    /// Distance of the first static thing that a sky ray of a pixel's static thing meets before `reach`.
    pub(crate) fn sky(&self, pixel: usize, index: usize, reach: f64) -> Option<f64> {
        let distance = self.sky[pixel * self.sky_rays() + index];
        (distance < reach).then_some(distance)
    }

    /// Whether a static thing hides the sun from a pixel's static thing.
    pub(crate) fn shaded(&self, pixel: usize) -> bool {
        self.shaded[pixel]
    }
}
