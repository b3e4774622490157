//! Text, colour bar and the interval of contour lines over a picture.

use granule_engine::Snapshot;
use image::{Rgb, RgbImage};

use crate::colour;
use crate::font;
use crate::region::scene_region;
use crate::relief::{BOLD_EVERY, Relief};
use crate::render::{ColourBy, RenderOptions};

const INK: [u8; 3] = [0x30, 0x34, 0x3a];
/// Height of a picture for which a dot of the font is one pixel; text grows with the picture.
const DOT_HEIGHT: u32 = 300;
/// Numbers beside the colour bar.
const TICKS: u32 = 5;

/// Light paper behind text and bar, and its opacity: over relief they would not be read. On the usual background it is
/// not seen.
const PAPER: ([u8; 3], f32) = ([250; 3], 0.75);

/// How a colour bar is coloured.
#[derive(Clone, Copy, Debug)]
struct Scale {
    colour: fn(f64) -> colour::Colour,
    /// Numbers beside it.
    ticks: u32,
}

const EVEN: Scale = Scale { colour: colour::scale, ticks: TICKS };
/// At every second border of the bands.
const BANDED: Scale = Scale { colour: colour::band, ticks: colour::BANDS.len() as u32 / 2 + 1 };

/// Draws what the options ask for.
pub(crate) fn draw_all(image: &mut RgbImage, options: &RenderOptions, snapshot: &Snapshot, relief: Option<&Relief>) {
    if let Some(interval) = relief.and_then(|relief| relief.interval) {
        let dot = dot_size(image);
        let top = image.height().saturating_sub((font::HEIGHT + 5) * dot);
        draw_text(image, 5 * dot, top, dot, &interval_text(interval));
    }
    if let Some(caption) = &options.caption {
        draw_caption(image, caption);
    }
    let region = options.region.unwrap_or_else(|| scene_region(snapshot));
    let range = options.scale_range(&region);
    match options.colour_by {
        ColourBy::Body => {}
        ColourBy::Speed => draw_bar(image, range, "speed [m/s]", EVEN),
        ColourBy::Height => draw_bar(image, range, "height [m]", EVEN),
        ColourBy::StartHeight => draw_bar(image, range, "height at the start [m]", BANDED),
    }
}

/// What contour lines mean.
fn interval_text(interval: f64) -> String {
    let decimals = (-interval.log10().floor()).clamp(0.0, 9.0) as usize;
    let number = |value: f64| {
        let text = format!("{value:.decimals$}");
        if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    format!("contours every {} m, bold every {} m", number(interval), number(interval * BOLD_EVERY as f64))
}

/// Writes one line of text into the upper left corner: letters, digits and `.,-+=:/()[]%_`; others become boxes.
pub fn draw_caption(image: &mut RgbImage, text: &str) {
    let dot = dot_size(image);
    draw_text(image, 5 * dot, 5 * dot, dot, text);
}

fn dot_size(image: &RgbImage) -> u32 {
    (image.height() / DOT_HEIGHT).max(1)
}

fn text_width(text: &str, dot: u32) -> u32 {
    text.chars().count() as u32 * (font::WIDTH + 1) * dot
}

fn draw_text(image: &mut RgbImage, left: u32, top: u32, dot: u32, text: &str) {
    lay_paper(image, left, top, text_width(text, dot), font::HEIGHT * dot);
    write_text(image, left, top, dot, text);
}

/// Lightens the picture behind what is written at a place, and a little around it.
fn lay_paper(image: &mut RgbImage, left: u32, top: u32, width: u32, height: u32) {
    let room = 3 * dot_size(image);
    let (right, bottom) = ((left + width + room).min(image.width()), (top + height + room).min(image.height()));
    for y in top.saturating_sub(room)..bottom {
        for x in left.saturating_sub(room)..right {
            let pixel = image.get_pixel_mut(x, y);
            for (channel, paper) in pixel.0.iter_mut().zip(PAPER.0) {
                let lighter = f32::from(*channel) + PAPER.1 * (f32::from(paper) - f32::from(*channel));
                *channel = lighter.round() as u8;
            }
        }
    }
}

fn write_text(image: &mut RgbImage, left: u32, top: u32, dot: u32, text: &str) {
    for (i, character) in text.chars().enumerate() {
        let start = left + i as u32 * (font::WIDTH + 1) * dot;
        for (x, y) in (0..font::HEIGHT).flat_map(|y| (0..font::WIDTH).map(move |x| (x, y))) {
            if font::dot(character, x, y) {
                fill(image, start + x * dot, top + y * dot, dot, dot, INK);
            }
        }
    }
}

fn fill(image: &mut RgbImage, left: u32, top: u32, width: u32, height: u32, colour: [u8; 3]) {
    let (right, bottom) = ((left + width).min(image.width()), (top + height).min(image.height()));
    for y in top..bottom {
        for x in left..right {
            image.put_pixel(x, y, Rgb(colour));
        }
    }
}

/// A horizontal scale in the lower right corner, which framed regions leave free, with its title above.
fn draw_bar(image: &mut RgbImage, (low, high): (f64, f64), title: &str, scale: Scale) {
    let dot = dot_size(image);
    let ticks = scale.ticks;
    let labels: Vec<String> = (0..ticks).map(|i| tick_text(low, high, f64::from(i) / f64::from(ticks - 1))).collect();
    let label_width = labels.iter().map(|l| text_width(l, dot)).max().unwrap_or(0);
    let bar_width = (image.width() / 4).max(ticks * (label_width + 2 * dot));
    let (bar_height, margin) = (7 * dot, 5 * dot);
    // Title, bar, ticks and labels with the gaps between them.
    let height = (font::HEIGHT * 2 + 8) * dot + bar_height;
    if bar_width + label_width + 2 * margin > image.width() || height + 2 * margin > image.height() {
        return;
    }
    let left = image.width() - bar_width - label_width / 2 - margin;
    let top = image.height() - height - margin;
    lay_paper(image, left - label_width / 2, top, bar_width + label_width, height);
    write_text(image, left, top, dot, title);
    let bar_top = top + (font::HEIGHT + 3) * dot;
    for column in 0..bar_width {
        let share = (f64::from(column) + 0.5) / f64::from(bar_width);
        fill(image, left + column, bar_top, 1, bar_height, colour::to_srgb((scale.colour)(share)));
    }
    for (i, label) in labels.iter().enumerate() {
        let x = left + bar_width * i as u32 / (ticks - 1);
        fill(image, x.min(left + bar_width - dot), bar_top + bar_height, dot, 2 * dot, INK);
        let start = x.saturating_sub(text_width(label, dot) / 2);
        write_text(image, start, bar_top + bar_height + 4 * dot, dot, label);
    }
}

/// A value between the ends of a scale with three significant digits of the scale's length.
fn tick_text(low: f64, high: f64, share: f64) -> String {
    let value = low + share * (high - low);
    let largest = low.abs().max(high.abs());
    if !(1e-3..1e4).contains(&largest) {
        return format!("{value:.1e}");
    }
    let length = (high - low).abs().max(f64::MIN_POSITIVE);
    let digits = (2.0 - length.log10().floor()).clamp(0.0, 5.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_inside_the_image_and_cut_at_its_edge() {
        let mut image = RgbImage::from_pixel(40, 20, Rgb([255; 3]));
        draw_caption(&mut image, "t = 12.5 s, and more than fits");
        let dark = image.enumerate_pixels().filter(|(_, _, p)| p.0 == INK).map(|(x, y, _)| (x, y));
        let dark: Vec<_> = dark.collect();
        assert!(dark.len() > 40 && dark.iter().all(|&(x, y)| x >= 5 && (5..12).contains(&y)));
    }

    #[test]
    fn ticks_have_the_digits_that_the_scale_needs() {
        assert_eq!(tick_text(0.0, 5.0, 0.25), "1.25");
        assert_eq!(tick_text(0.0, 20.0, 0.5), "10.0");
        assert_eq!(tick_text(0.0, 0.004, 1.0), "0.00400");
        assert_eq!(tick_text(0.0, 1e-6, 1.0), "1.0e-6");
    }

    #[test]
    fn the_interval_is_told_with_the_digits_that_it_has() {
        for (interval, text) in [
            (5.0, "contours every 5 m, bold every 25 m"),
            (0.2, "contours every 0.2 m, bold every 1 m"),
            (0.05, "contours every 0.05 m, bold every 0.25 m"),
            (200.0, "contours every 200 m, bold every 1000 m"),
        ] {
            assert_eq!(interval_text(interval), text);
        }
    }

    #[test]
    fn bands_are_told_apart_and_numbered_at_their_borders() {
        let mut image = RgbImage::from_pixel(600, 300, Rgb([255; 3]));
        draw_bar(&mut image, (120.0, 180.0), "height at the start [m]", BANDED);
        for band in colour::BANDS {
            let wanted = colour::to_srgb(colour::from_srgb(band));
            assert!(image.pixels().any(|p| p.0 == wanted), "{band:x}");
        }
        let ticks: Vec<String> = (0..BANDED.ticks).map(|i| tick_text(120.0, 180.0, f64::from(i) / 3.0)).collect();
        assert_eq!(ticks, ["120.0", "140.0", "160.0", "180.0"]);
    }

    #[test]
    fn a_bar_shows_both_ends_of_the_scale() {
        let mut image = RgbImage::from_pixel(400, 300, Rgb([255; 3]));
        draw_bar(&mut image, (0.0, 5.0), "speed [m/s]", EVEN);
        let near = |target: [u8; 3]| image.pixels().any(|p| (0..3).all(|i| p.0[i].abs_diff(target[i]) <= 3));
        assert!(near(colour::to_srgb(colour::scale(0.0))) && near(colour::to_srgb(colour::scale(1.0))));
        let mut tiny = RgbImage::from_pixel(20, 10, Rgb([255; 3]));
        draw_bar(&mut tiny, (0.0, 5.0), "speed [m/s]", EVEN);
        assert!(tiny.pixels().all(|p| p.0 == [255; 3]));
    }
}
