//! The 256 colours of a film.
//!
//! A picture has few albedos, each under light of every strength; the palette is that set, made before the first frame.
//! Every frame uses it, so colours do not flicker, and the dither is a fixed pattern, so what stands still stays equal
//! from frame to frame and costs next to nothing in the file.

use image::RgbImage;

use crate::colour::{self, Colour, body_hues, scale, scaled, to_srgb};
use crate::render::{ColourBy, RenderOptions};

/// Index that means "as in the frame before".
pub(crate) const UNCHANGED: u8 = 255;
/// Bits of each channel in the table of nearest colours.
const TABLE_BITS: u32 = 6;
/// Height of the dither in sRGB steps: about the distance of two shades of one hue.
const DITHER: i32 = 9;
/// Stops of the colour scale that get their own shades.
const SCALE_STOPS: usize = 12;
/// Shades of floors and of walls, each; the rest goes to the hues.
const GREYS: usize = 26;
/// Shades of floors and of walls where there is relief, which needs more.
const FEW_GREYS: usize = 8;
/// Tints of relief that get their own shades, and the shades of each.
const GROUND_STOPS: usize = 4;
const GROUND_SHADES: usize = 18;

/// A palette and the way into it.
#[derive(Clone, Debug)]
pub struct FilmPalette {
    colours: Vec<[u8; 3]>,
    /// Nearest palette entry of each coarse colour.
    nearest: Vec<u8>,
}

impl FilmPalette {
    /// The palette for pictures drawn with `options`.
    pub fn new(options: &RenderOptions) -> Self {
        FilmPalette::of(options, &[options.colour_by], false)
    }

    /// The palette for pictures drawn with `options`, but with any of `colours`, with or without relief.
    pub fn of(options: &RenderOptions, colours: &[ColourBy], relief: bool) -> Self {
        let mut hues: Vec<Colour> = Vec::new();
        for colour_by in colours {
            match colour_by {
                ColourBy::Body => hues.extend(body_hues()),
                ColourBy::Speed | ColourBy::Height => {
                    hues.extend((0..SCALE_STOPS).map(|i| scale(i as f64 / (SCALE_STOPS - 1) as f64)));
                }
                ColourBy::StartHeight => hues.extend(colour::BANDS.map(colour::from_srgb)),
            }
        }
        let mut colours = vec![options.background];
        let greys = if relief { FEW_GREYS } else { GREYS };
        for grey in [colour::GROUND, colour::PANEL] {
            let grey = colour::from_srgb(grey);
            colours.extend((0..greys).map(|i| to_srgb(scaled(grey, 1.25 * shade(i, greys)))));
        }
        if relief {
            for stop in 0..GROUND_STOPS {
                let tint = colour::ground(stop as f64 / (GROUND_STOPS - 1) as f64);
                colours.extend((0..GROUND_SHADES).map(|i| to_srgb(scaled(tint, 1.25 * shade(i, GROUND_SHADES)))));
            }
        }
        let shades = (usize::from(UNCHANGED) - colours.len()) / hues.len().max(1);
        for hue in hues {
            colours.extend((0..shades).map(|i| to_srgb(scaled(hue, 1.25 * shade(i, shades)))));
        }
        let nearest = nearest_table(&colours);
        FilmPalette { colours, nearest }
    }

    /// Red, green, blue of 256 entries; the last stands for "unchanged".
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colours.concat();
        bytes.resize(3 * 256, 0);
        bytes
    }

    /// The palette index of every pixel, dithered.
    pub(crate) fn indices(&self, image: &RgbImage) -> Vec<u8> {
        let one = |(x, y, pixel): (u32, u32, &image::Rgb<u8>)| {
            if pixel.0 == self.colours[0] {
                return 0;
            }
            let lift = dither(x, y);
            let [r, g, b] = pixel.0.map(|c| (i32::from(c) + lift).clamp(0, 255) as u32);
            self.nearest[table_place(r, g, b)]
        };
        image.enumerate_pixels().map(one).collect()
    }
}

/// Light of shade `i` of `count`, even to the eye.
fn shade(i: usize, count: usize) -> f32 {
    ((i as f32 + 1.0) / count as f32).powf(2.0)
}

/// Bayer's 4 x 4 pattern, centred, scaled to [`DITHER`].
fn dither(x: u32, y: u32) -> i32 {
    const PATTERN: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    (2 * PATTERN[y as usize % 4][x as usize % 4] - 15) * DITHER / 32
}

fn table_place(r: u32, g: u32, b: u32) -> usize {
    let coarse = |c: u32| c >> (8 - TABLE_BITS);
    (coarse(r) << (2 * TABLE_BITS) | coarse(g) << TABLE_BITS | coarse(b)) as usize
}

fn nearest_table(colours: &[[u8; 3]]) -> Vec<u8> {
    let side = 1u32 << TABLE_BITS;
    let middle = |c: u32| ((c << (8 - TABLE_BITS)) + (1 << (7 - TABLE_BITS))) as i32;
    let mut table = Vec::with_capacity((side * side * side) as usize);
    for (r, g, b) in (0..side).flat_map(|r| (0..side).flat_map(move |g| (0..side).map(move |b| (r, g, b)))) {
        let wanted = [middle(r), middle(g), middle(b)];
        // The eye weighs green most: the usual 2 : 4 : 3.
        let distance = |c: &[u8; 3]| {
            let d: [i32; 3] = std::array::from_fn(|i| i32::from(c[i]) - wanted[i]);
            2 * d[0] * d[0] + 4 * d[1] * d[1] + 3 * d[2] * d[2]
        };
        let best = (0..colours.len()).min_by_key(|&i| distance(&colours[i])).unwrap_or(0);
        table.push(best as u8);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn shades_of_every_hue_are_met_closely_on_average() {
        for colour_by in [ColourBy::Body, ColourBy::Speed] {
            let palette = FilmPalette::new(&RenderOptions { colour_by, ..RenderOptions::default() });
            assert!(palette.colours.len() <= usize::from(UNCHANGED));
            for light in [0.3, 0.6, 0.9] {
                let wanted =
                    to_srgb(scaled(if colour_by == ColourBy::Body { colour::body_hue(3) } else { scale(0.4) }, light));
                let image = RgbImage::from_pixel(16, 16, Rgb(wanted));
                let indices = palette.indices(&image);
                for k in 0..3 {
                    let mean = indices.iter().map(|&i| f64::from(palette.colours[i as usize][k])).sum::<f64>() / 256.0;
                    // Measured: up to 5 of 255.
                    assert!((mean - f64::from(wanted[k])).abs() <= 8.0, "{colour_by:?} {light} {mean} {wanted:?}");
                }
            }
        }
    }
}
