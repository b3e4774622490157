//! What moves, laid over the scenery: each answer is that of all solid things together, to the bit.
//!
//! The nearer of two first things is the first of all. Where two are as good as equally near, the order in which the
//! hierarchy of all things is searched decides, so that one is asked.

use crate::bvh::Bvh;
use crate::camera::Lens;
use crate::intersect::{Ray, Target};
use crate::model::Solid;
use crate::scenery::{First, Scenery};
use crate::shade::{Blockers, Visible};
use crate::world::World;

/// The solid things of a picture, what moves apart from what does not.
pub(crate) struct Apart<'a> {
    scenery: &'a Scenery,
    moving: Bvh<Solid>,
    /// Places among all solid things, of the static ones and of those that move.
    fixed_places: Vec<u32>,
    moving_places: Vec<u32>,
    /// Whether something that moves may appear in a pixel.
    crossed: Vec<bool>,
}

impl<'a> Apart<'a> {
    pub(crate) fn new(scenery: &'a Scenery, world: &World, lens: &Lens) -> Self {
        let places = |fixed: bool| {
            let skins = world.skins.iter().zip(0u32..);
            skins.filter(move |(skin, _)| skin.fixed == fixed).map(|(_, place)| place).collect::<Vec<u32>>()
        };
        let moving_places = places(false);
        let moving: Vec<Solid> = moving_places.iter().map(|&place| world.solids[place as usize].clone()).collect();
        Apart {
            scenery,
            crossed: crossed(&moving, lens),
            moving: Bvh::new(&moving),
            fixed_places: places(true),
            moving_places,
        }
    }

    /// What `ray`, through the middle of a pixel, meets first.
    pub(crate) fn first(&self, world: &World, pixel: usize, ray: &Ray) -> Option<Visible> {
        self.before(world, pixel, ray, self.scenery.first(pixel))
    }

    /// What finer ray `index` of a pixel meets first; `ray` gives each of them.
    pub(crate) fn finer(&self, world: &World, pixel: usize, index: u32, ray: impl Fn(u32) -> Ray) -> Option<Visible> {
        let own = ray(index);
        self.before(world, pixel, &own, self.scenery.finer(pixel, index, ray))
    }

    /// The first of all things on a ray of which `fixed` is the first static one.
    fn before(&self, world: &World, pixel: usize, ray: &Ray, fixed: First) -> Option<Visible> {
        let fixed = match fixed {
            First::Nothing => None,
            First::Thing(seen) => Some(Visible { element: self.fixed_places[seen.element as usize], ..seen }),
            First::Doubtful => return Visible::first(world, ray),
        };
        if !self.crossed[pixel] {
            return fixed;
        }
        let (room, limit) = (world.lift, fixed.map_or(f64::INFINITY, |seen| seen.distance));
        match self.moving.nearest_apart(ray, 0.0, limit + room, room) {
            None => fixed,
            Some((hit, true)) if hit.distance + room <= limit => {
                let seen = Visible::new(ray, &hit, self.moving.get(&hit));
                Some(Visible { element: self.moving_places[seen.element as usize], ..seen })
            }
            Some(_) => Visible::first(world, ray),
        }
    }

    /// Whether `seen`, in the middle of a pixel, is what the scenery knows the light of.
    pub(crate) fn is_known(&self, pixel: usize, seen: &Visible) -> bool {
        matches!(self.scenery.first(pixel), First::Thing(known)
            if self.fixed_places[known.element as usize] == seen.element)
    }

    /// What stands before the light of a pixel's static thing.
    pub(crate) fn over(&self, pixel: usize) -> Over<'_> {
        Over { apart: self, pixel }
    }

    /// The nearer of a static thing at `fixed` and the first thing that moves on `ray`, before `reach`.
    fn nearer(&self, ray: &Ray, fixed: Option<f64>, reach: f64) -> Option<f64> {
        self.moving.nearest(ray, 0.0, fixed.unwrap_or(reach)).map(|hit| hit.distance).or(fixed)
    }
}

/// Pixels that lie in the outline of a box of `moving`, and those beside them.
fn crossed(moving: &[Solid], lens: &Lens) -> Vec<bool> {
    let (width, height) = lens.size();
    let mut crossed = vec![false; width * height];
    for bounds in moving.iter().map(Solid::bounds).filter(|bounds| bounds.is_finite()) {
        let Some([left, right, top, bottom]) = lens.outline(&bounds) else { return vec![true; width * height] };
        // A pixel more on each side: far more than rounding. Numbers below 0 become 0.
        let range = |low: f64, high: f64, size: usize| (low - 1.0) as usize..((high + 2.0) as usize).min(size);
        let columns = range(left, right, width);
        for row in range(top, bottom, height).filter(|_| columns.start < columns.end) {
            crossed[row * width + columns.start..row * width + columns.end].fill(true);
        }
    }
    crossed
}

/// For points of which nothing is known: what moves and what does not, both asked.
impl Blockers for Apart<'_> {
    fn first(&self, _: usize, ray: &Ray, reach: f64) -> Option<f64> {
        let fixed = self.scenery.solid().nearest(ray, 0.0, reach);
        self.nearer(ray, fixed.map(|hit| hit.distance), reach)
    }

    fn any(&self, ray: &Ray) -> bool {
        self.moving.any(ray, 0.0, f64::INFINITY) || self.scenery.solid().any(ray, 0.0, f64::INFINITY)
    }
}

/// For the middle of a pixel where something static is seen: only what moves is asked.
pub(crate) struct Over<'a> {
    apart: &'a Apart<'a>,
    pixel: usize,
}

impl Blockers for Over<'_> {
    fn first(&self, index: usize, ray: &Ray, reach: f64) -> Option<f64> {
        self.apart.nearer(ray, self.apart.scenery.sky(self.pixel, index, reach), reach)
    }

    fn any(&self, ray: &Ray) -> bool {
        self.apart.scenery.shaded(self.pixel) || self.apart.moving.any(ray, 0.0, f64::INFINITY)
    }
}
