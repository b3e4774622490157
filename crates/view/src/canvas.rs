//! The pixels of a picture: one ray for each, light gathered over neighbours, edges drawn finer.
//!
//! They are made in bands of rows. A band holds what its pixels and those of a few rows around see, some 50 bytes each:
//! memory does not go with the height of the picture. Rows are shared out to rayon's threads; no pixel depends on the
//! order in which they are done, nor on where bands end.

use std::ops::Range;

use rayon::prelude::*;

use crate::apart::Apart;
use crate::camera::Lens;
use crate::colour::{Colour, to_srgb};
use crate::intersect::Ray;
use crate::shade::{Blockers, Lamp, Light, Start, TILE, Visible, member};
use crate::world::World;

/// Rows of a band. What is seen twice, of rows around, is a twentieth of it.
const ROWS: usize = 120;
/// Rows around a band: a pixel on an edge asks those beside it for their light, which is gathered over two rows more.
const BESIDE: usize = 3;
/// Neighbouring pixels whose sRGB values differ by more than this in a channel have an edge between them.
const EDGE_CONTRAST: u8 = 14;
/// Neighbouring pixels share their light when their normals differ by less than this (cosine: some 37 degrees).
const SAME_SURFACE_COSINE: f32 = 0.8;

/// What is drawn.
pub(crate) struct Canvas<'a> {
    pub(crate) world: &'a World,
    pub(crate) lamp: &'a Lamp,
    pub(crate) lens: &'a Lens,
    /// What moves apart from what does not, where that is quicker.
    pub(crate) apart: Option<Apart<'a>>,
}

impl Canvas<'_> {
    /// Colours of all pixels, row by row; those on an edge with `side` x `side` rays.
    pub(crate) fn draw(&self, side: u32) -> Vec<[u8; 3]> {
        self.in_bands(side, ROWS)
    }

    /// As [`Canvas::draw`], in bands of so many rows.
    fn in_bands(&self, side: u32, rows: usize) -> Vec<[u8; 3]> {
        let (width, height) = self.lens.size();
        let mut pixels = Vec::with_capacity(width * height);
        for first in (0..height).step_by(rows) {
            let drawn = first..height.min(first + rows);
            let band = Band { canvas: self, rows: first.saturating_sub(BESIDE)..height.min(drawn.end + BESIDE) };
            pixels.extend(band.draw(drawn, side));
        }
        pixels
    }

    /// Number of a pixel in the picture.
    fn place(&self, x: usize, y: usize) -> usize {
        y * self.lens.size().0 + x
    }

    /// The ray through a point of pixel (x, y), `u` and `v` from 0 to 1 across it.
    fn ray(&self, x: usize, y: usize, u: f64, v: f64) -> Ray {
        self.lens.ray(x, y, u, v)
    }

    /// What the middle of a pixel shows.
    fn first_visible(&self, x: usize, y: usize) -> Option<Visible> {
        let ray = self.ray(x, y, 0.5, 0.5);
        match &self.apart {
            Some(apart) => apart.first(self.world, self.place(x, y), &ray),
            None => Visible::first(self.world, &ray),
        }
    }

    /// Light at what the middle of a pixel shows, of this pixel's rays alone.
    fn raw_light(&self, x: usize, y: usize, seen: Option<&Visible>) -> Light {
        let pixel = self.place(x, y);
        seen.map_or([1.0, 1.0], |visible| {
            let ray = self.ray(x, y, 0.5, 0.5);
            match &self.apart {
                Some(apart) if apart.is_known(pixel, visible) => {
                    self.light(&apart.over(pixel), &ray, visible, member(x, y))
                }
                _ => self.light_anywhere(&ray, visible, member(x, y)),
            }
        })
    }

    /// Light at a visible point of which nothing is known.
    fn light_anywhere(&self, ray: &Ray, seen: &Visible, member: usize) -> Light {
        match &self.apart {
            Some(apart) => self.light(apart, ray, seen, member),
            None => self.light(self.world.solid(), ray, seen, member),
        }
    }

    fn light(&self, blockers: &impl Blockers, ray: &Ray, seen: &Visible, member: usize) -> Light {
        let start = Start::new(self.world, ray, seen);
        self.lamp.light(blockers, &start, self.world.occlusion_reach, member)
    }

    fn same_surface(&self, a: &Visible, b: &Visible) -> bool {
        let body = |v: &Visible| self.world.skins[v.element as usize].body;
        let cosine: f32 = (0..3).map(|k| a.normal[k] * b.normal[k]).sum();
        body(a) == body(b) && cosine >= SAME_SURFACE_COSINE
    }
}

/// Some rows of a picture, of which arrays hold a value for each pixel.
struct Band<'a> {
    canvas: &'a Canvas<'a>,
    rows: Range<usize>,
}

impl Band<'_> {
    /// Colours of the pixels of `drawn`, which are those of the band but the rows around.
    fn draw(&self, drawn: Range<usize>, side: u32) -> Vec<[u8; 3]> {
        let canvas = self.canvas;
        let seen = self.pixels(&self.rows, |x, y| canvas.first_visible(x, y));
        let raw = self.pixels(&self.rows, |x, y| canvas.raw_light(x, y, seen[self.place(x, y)].as_ref()));
        let light = self.pixels(&self.rows, |x, y| self.gathered_light(x, y, &seen, &raw));
        drop(raw);
        let coarse = self.pixels(&self.rows, |x, y| {
            let i = self.place(x, y);
            to_srgb(canvas.lamp.colour(canvas.world, &canvas.ray(x, y, 0.5, 0.5), seen[i].as_ref(), light[i]))
        });
        self.pixels(&drawn, |x, y| {
            let on_edge = side > 1 && self.on_edge(x, y, &coarse);
            if on_edge { self.fine_colour(x, y, side, &seen, &light) } else { coarse[self.place(x, y)] }
        })
    }

    /// Number of a pixel in the band.
    fn place(&self, x: usize, y: usize) -> usize {
        (y - self.rows.start) * self.canvas.lens.size().0 + x
    }

    /// One value per pixel of `rows`, row by row.
    fn pixels<T: Send>(&self, rows: &Range<usize>, value: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let width = self.canvas.lens.size().0;
        // By number: rows of unknown length would be collected in parts and then copied, in twice the memory.
        (rows.start * width..rows.end * width).into_par_iter().map(|i| value(i % width, i / width)).collect()
    }

    /// Mean light over the tile around a pixel, of the pixels that show the same side of the same body.
    fn gathered_light(&self, x: usize, y: usize, seen: &[Option<Visible>], raw: &[Light]) -> Light {
        let Some(own) = &seen[self.place(x, y)] else { return [1.0, 1.0] };
        let mut sum = [0.0f32; 2];
        let mut count = 0.0;
        let width = self.canvas.lens.size().0;
        for row in self.rows.start.max((y + 4).saturating_sub(5))..(y + 3).min(self.rows.end) {
            for column in (x + 4).saturating_sub(5)..(x + 3).min(width) {
                let i = self.place(column, row);
                let Some(other) = &seen[i] else { continue };
                if self.canvas.same_surface(own, other) {
                    sum = [sum[0] + raw[i][0], sum[1] + raw[i][1]];
                    count += 1.0;
                }
            }
        }
        // The pixel itself always counts.
        sum.map(|s| s / f32::max(count, 1.0))
    }

    fn on_edge(&self, x: usize, y: usize, coarse: &[[u8; 3]]) -> bool {
        let own = coarse[self.place(x, y)];
        let differs = |i: usize| (0..3).any(|k| own[k].abs_diff(coarse[i][k]) > EDGE_CONTRAST);
        let here = self.place(x, y);
        let (width, height) = self.canvas.lens.size();
        x > 0 && differs(here - 1)
            || x + 1 < width && differs(here + 1)
            || y > 0 && differs(here - width)
            || y + 1 < height && differs(here + width)
    }

    /// Mean colour of `side` x `side` rays through a pixel.
    fn fine_colour(&self, x: usize, y: usize, side: u32, seen: &[Option<Visible>], light: &[Light]) -> [u8; 3] {
        let mut sum: Colour = [0.0; 3];
        let offset = |n: u32| (f64::from(n) + 0.5) / f64::from(side);
        let canvas = self.canvas;
        let ray_of = |k: u32| canvas.ray(x, y, offset(k % side), offset(k / side));
        for k in 0..side * side {
            let ray = ray_of(k);
            let hit = match &canvas.apart {
                Some(apart) => apart.finer(canvas.world, canvas.place(x, y), k, ray_of),
                None => Visible::first(canvas.world, &ray),
            };
            let light = hit.as_ref().map_or([1.0, 1.0], |own| {
                let known = self.light_nearby(x, y, own, seen, light);
                let member = (member(x, y) + 7 * k as usize) % TILE;
                known.unwrap_or_else(|| canvas.light_anywhere(&ray, own, member))
            });
            let colour = canvas.lamp.colour(canvas.world, &ray, hit.as_ref(), light);
            // Bright things must not outshine an edge: what is averaged is what the screen shows.
            (0..3).for_each(|i| sum[i] += colour[i].min(1.0));
        }
        to_srgb(sum.map(|s| s / (side * side) as f32))
    }

    /// The light of the nearest pixel that shows the same side of the same body: smoother and cheaper than new rays.
    fn light_nearby(
        &self,
        x: usize,
        y: usize,
        own: &Visible,
        seen: &[Option<Visible>],
        light: &[Light],
    ) -> Option<Light> {
        const AROUND: [(isize, isize); 9] =
            [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
        AROUND.iter().find_map(|&(dx, dy)| {
            let (column, row) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
            let inside = column < self.canvas.lens.size().0 && self.rows.contains(&row);
            let i = inside.then(|| self.place(column, row))?;
            let other = seen[i].as_ref()?;
            self.canvas.same_surface(own, other).then_some(light[i])
        })
    }
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::DVec3;

    use super::*;
    use crate::camera::Camera;
    use crate::model::Models;
    use crate::relief::LastRelief;
    use crate::render::RenderOptions;
    use crate::scenery::LastScenery;
    use crate::test_support::{fixed, snapshot, sphere_at};

    /// Bands of one row, of some and of all give the same pixels, also over ground of many triangles.
    #[test]
    fn no_pixel_depends_on_where_bands_end() {
        let point = |k: u32| (f64::from(k % 41), f64::from(k / 41));
        let ground: Vec<_> = (0..41 * 41).map(point).map(|(x, y)| DVec3::new(x, y, 0.02 * x * x + 0.2 * y)).collect();
        let cells = (0..40 * 40).map(|c| 41 * (c / 40) + c % 40);
        let triangles: Vec<_> = cells.flat_map(|k| [[k, k + 1, k + 42], [k, k + 42, k + 41]]).collect();
        let relief = fixed(0, Shape::mesh(&ground, &triangles).expect("a surface"), DVec3::ZERO);
        let floor = fixed(0, Shape::half_space(DVec3::Z).expect("a normal"), DVec3::new(0.0, 0.0, 3.0));
        for (under, is_apart) in [(relief, true), (floor, false)] {
            let ball = |i: u32| sphere_at(i, DVec3::new(10.0 + f64::from(i), 15.0 + f64::from(i % 4), 6.0), 0.7);
            let state = snapshot([under].into_iter().chain((1..20).map(ball)).collect());
            let camera = Camera::look_at(DVec3::new(20.0, -30.0, 25.0), DVec3::new(20.0, 18.0, 5.0));
            let options = RenderOptions { width: 96, height: 61, samples: 4, ..RenderOptions::default() };
            let lens = Lens::new(&camera, 96, 61);
            let world = World::new(&state, &lens, &options, &mut Models::default(), &mut LastRelief::default());
            let lamp = Lamp::new(&lens, &options, world.relief.is_some());
            let mut last = LastScenery::default();
            let apart = last.of(&world, &lens, &lamp, 2).map(|scenery| Apart::new(scenery, &world, &lens));
            assert_eq!(apart.is_some(), is_apart);
            let canvas = Canvas { world: &world, lamp: &lamp, lens: &lens, apart };
            let whole = canvas.in_bands(2, 61);
            assert!([1, 2, 7, 60].into_iter().all(|rows| canvas.in_bands(2, rows) == whole));
        }
    }
}
