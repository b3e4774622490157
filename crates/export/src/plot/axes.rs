//! What all figures share: colours, axes with units, legends, thinning of long series.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::{FAMILY, message};

pub(crate) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Colours that also differ to readers who see few hues (Okabe and Ito's set, without the yellow), and one more.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(130, 60, 40),
];
pub(crate) const INK: RGBColor = RGBColor(40, 44, 50);
const GRID: RGBColor = RGBColor(226, 228, 231);

pub(crate) const TITLE_SIZE: u32 = 28;
pub(crate) const LABEL_SIZE: u32 = 22;
pub(crate) const TICK_SIZE: u32 = 19;
/// Points that a drawn series keeps: extremes of two pixels each, and a small SVG.
const MOST_POINTS: usize = 700;
/// Free share of the range above and below the data.
const HEADROOM: f64 = 0.06;

/// How a legend entry is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Line,
    Symbol(usize),
}

/// The colour of series number `i`, another one for each of the first hundreds.
///
/// Beyond the chosen colours hues go round by the golden section, which keeps any number of them apart, at three
/// lightnesses.
pub(crate) fn colour(i: usize) -> RGBColor {
    const GOLDEN_SECTION: f64 = 0.618_033_988_749_895;
    if let Some(chosen) = COLOURS.get(i) {
        return *chosen;
    }
    let hue = (i as f64 * GOLDEN_SECTION).fract();
    let lightness = [0.35, 0.5, 0.62][i % 3];
    let (red, green, blue) = HSLColor(hue, 0.75, lightness).rgb();
    RGBColor(red, green, blue)
}

/// Smallest range that holds the finite `values`; none if there are none.
pub(crate) fn range_of(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|v| v.is_finite());
    finite.fold(None, |range, v| Some(range.map_or((v, v), |(low, high): (f64, f64)| (low.min(v), high.max(v)))))
}

/// `range` with room around it; one value gets room of its own size, so that axes never have length zero.
pub(crate) fn with_headroom((low, high): (f64, f64)) -> (f64, f64) {
    let length = if high > low { high - low } else { high.abs().max(1.0) };
    let below = if low >= 0.0 && low <= HEADROOM * 4.0 * length { low } else { HEADROOM * length };
    (low - below, high + HEADROOM * length)
}

/// Title line and legend strip above; returns what is left below.
pub(crate) fn head<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    entries: &[(String, RGBColor, Mark)],
) -> Result<DrawingArea<B, Shift>, String> {
    let mut rest = area.clone();
    if !title.is_empty() {
        let (top, below) = rest.split_vertically(52);
        let style = TextStyle::from((FAMILY, TITLE_SIZE)).color(&INK);
        top.draw_text(title, &style, (28, 16)).map_err(message)?;
        rest = below;
    }
    if entries.is_empty() {
        return Ok(rest);
    }
    let style = TextStyle::from((FAMILY, TICK_SIZE)).color(&INK);
    let width = i64::from(rest.dim_in_pixel().0);
    let (mut x, mut y) = (30, 8);
    for (name, colour, mark) in entries {
        let text_width = i64::from(rest.estimate_text_size(name, &style).map_err(message)?.0);
        if x + 44 + text_width > width - 20 && x > 30 {
            (x, y) = (30, y + 28);
        }
        draw_mark(&rest, (x as i32, y + 9), *colour, *mark)?;
        rest.draw_text(name, &style, (x as i32 + 40, y)).map_err(message)?;
        x += 40 + text_width + 32;
    }
    Ok(rest.split_vertically(y + 34).1)
}

fn draw_mark<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (x, y): (i32, i32),
    colour: RGBColor,
    mark: Mark,
) -> Result<(), String> {
    let line = |from: i32, to: i32| PathElement::new(vec![(x + from, y), (x + to, y)], colour.stroke_width(3));
    match mark {
        Mark::Line => area.draw(&line(0, 30)).map_err(message),
        Mark::Symbol(shape) => {
            area.draw(&line(0, 30)).map_err(message)?;
            draw_symbol(area, (x + 15, y), 6, colour, shape)
        }
    }
}

/// The symbol of series `shape` in pixel coordinates: disc, square, upright cross, triangle.
fn draw_symbol<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    place: (i32, i32),
    size: i32,
    colour: RGBColor,
    shape: usize,
) -> Result<(), String> {
    symbol(place, size, colour, shape).iter().try_for_each(|polygon| area.draw(polygon).map_err(message))
}

/// The polygons of a symbol around `place` in any coordinates that count pixels.
fn symbol((x, y): (i32, i32), size: i32, colour: RGBColor, shape: usize) -> Vec<Polygon<(i32, i32)>> {
    let polygon = |points: Vec<(i32, i32)>| {
        Polygon::new(points.into_iter().map(|(a, b)| (x + a, y + b)).collect::<Vec<_>>(), colour.filled())
    };
    let third = (size / 3).max(1);
    match shape % 4 {
        0 => vec![polygon(
            (0..24)
                .map(|i| {
                    let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 24.0).sin_cos();
                    ((f64::from(size) * cos).round() as i32, (f64::from(size) * sin).round() as i32)
                })
                .collect(),
        )],
        1 => vec![polygon(vec![(-size, -size), (size, -size), (size, size), (-size, size)])],
        2 => vec![
            polygon(vec![(-size - 1, -third), (size + 1, -third), (size + 1, third), (-size - 1, third)]),
            polygon(vec![(-third, -size - 1), (third, -size - 1), (third, size + 1), (-third, size + 1)]),
        ],
        _ => vec![polygon(vec![(0, -size - 1), (size + 1, size), (-size - 1, size)])],
    }
}

/// Draws the symbol of series `shape` at a point of a chart.
pub(crate) fn chart_symbol<B: DrawingBackend>(
    chart: &Chart<B>,
    at: (f64, f64),
    size: i32,
    colour: RGBColor,
    shape: usize,
) -> Result<(), String> {
    let place = chart.backend_coord(&at);
    let base = chart.plotting_area().strip_coord_spec();
    let origin = base.get_base_pixel();
    draw_symbol(&base, (place.0 - origin.0, place.1 - origin.1), size, colour, shape)
}

/// Axes over `x` and `y` with their labels.
pub(crate) fn chart<'a, B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    x: (f64, f64),
    y: (f64, f64),
    labels: (&str, &str),
) -> Result<Chart<'a, B>, String> {
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_right(28)
        .margin_bottom(10)
        .margin_left(12)
        .x_label_area_size(58)
        .y_label_area_size(96)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)
        .map_err(message)?;
    let text = |size: u32| TextStyle::from((FAMILY, size)).color(&INK);
    let (x_step, y_step) = ((x.1 - x.0) / 10.0, (y.1 - y.0) / 10.0);
    chart
        .configure_mesh()
        .x_desc(labels.0)
        .y_desc(labels.1)
        .axis_desc_style(text(LABEL_SIZE))
        .label_style(text(TICK_SIZE))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .x_labels(10)
        .y_labels(8)
        .x_label_formatter(&|v| tick(*v, x_step))
        .y_label_formatter(&|v| tick(*v, y_step))
        .draw()
        .map_err(message)?;
    Ok(chart)
}

/// A tick's number with the digits that steps of about `step` need.
pub(crate) fn tick(value: f64, step: f64) -> String {
    let size = value.abs().max(step.abs());
    if size >= 1e6 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.1e}");
    }
    let digits = (-step.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    let text = format!("{value:.digits$}");
    let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if trimmed == "-0" { "0".into() } else { trimmed.replace('-', "\u{2212}") }
}

/// The finite points of a series, thinned to extremes of equal pieces where they are many.
pub(crate) fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let finite: Vec<(f64, f64)> = points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
    if finite.len() <= MOST_POINTS {
        return finite;
    }
    let piece = finite.len().div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for chunk in finite.chunks(piece) {
        let low = (0..chunk.len()).min_by(|&i, &j| chunk[i].1.total_cmp(&chunk[j].1)).unwrap_or(0);
        let high = (0..chunk.len()).max_by(|&i, &j| chunk[i].1.total_cmp(&chunk[j].1)).unwrap_or(0);
        kept.push(chunk[low.min(high)]);
        if low != high {
            kept.push(chunk[low.max(high)]);
        }
    }
    kept.extend(finite.last().filter(|last| kept.last() != Some(last)).copied());
    kept
}

/// Divisor and prefix that bring energies of up to `largest` \[J\] into the range of everyday numbers.
pub(crate) fn energy_unit(largest: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 6] =
        [(1e9, "GJ"), (1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "\u{b5}J")];
    UNITS.into_iter().find(|(size, _)| largest >= *size).unwrap_or((1e-9, "nJ"))
}
