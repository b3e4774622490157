//! Plots as SVG and PNG: energies, profiles, angles of repose, deposits, any series.
//!
//! A figure is plain data; [`save_figure`] draws it twice. The font is embedded, so a machine without fonts draws the
//! same picture. Legends stand in a strip above the axes and cover nothing. Points that are not finite are left out; a
//! figure without any point is an error, not an empty picture.

mod axes;
mod budget;
mod deposit;
mod energy;
mod lines;
mod panels;
mod profile;
mod repose;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use image::ImageEncoder;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::error::ExportError;

pub use budget::BudgetFigure;
pub use deposit::{DepositFigure, MapLine};
pub use energy::EnergyFigure;
pub use lines::{LineFigure, Series};
pub use panels::PanelsFigure;
pub use profile::{ProfileFigure, ProfileStrip};
pub use repose::{FrictionPoint, ReposeFigure, ShapeSeries};

/// DejaVu Sans, Latin and Greek; see `fonts/LICENSE-DejaVu.txt`.
static FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans-subset.ttf");
/// Name under which the font is registered. An SVG names it, and a viewer then takes its own sans-serif font.
pub(crate) const FAMILY: &str = "sans-serif";

/// Something that can be drawn on any surface.
pub trait Figure {
    /// Width and height \[pixels\].
    fn size(&self) -> (u32, u32) {
        (1200, 800)
    }

    /// Why the figure cannot be drawn, if it cannot.
    fn problem(&self) -> Option<String>;

    /// Draws onto `area`; the error is a message.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), String>;
}

/// Draws `figure` to `STEM.svg` and `STEM.png` and returns the two paths.
pub fn save_figure(stem: &Path, figure: &impl Figure) -> Result<[PathBuf; 2], ExportError> {
    let with_extension = |extension: &str| {
        let mut name = stem.as_os_str().to_os_string();
        name.push(extension);
        PathBuf::from(name)
    };
    let (svg, png) = (with_extension(".svg"), with_extension(".png"));
    if let Some(problem) = figure.problem() {
        return Err(ExportError::plot(&svg, problem));
    }
    if !font_is_ready() {
        return Err(ExportError::plot(&svg, "the embedded font cannot be read"));
    }
    fs::write(&svg, svg_text(figure).map_err(|m| ExportError::plot(&svg, m))?)
        .map_err(ExportError::io("write", &svg))?;
    let pixels = pixels(figure).map_err(|m| ExportError::plot(&png, m))?;
    write_png(&png, &pixels, figure.size())?;
    Ok([svg, png])
}

fn font_is_ready() -> bool {
    static READY: OnceLock<bool> = OnceLock::new();
    *READY.get_or_init(|| register_font(FAMILY, FontStyle::Normal, FONT).is_ok())
}

fn svg_text(figure: &impl Figure) -> Result<String, String> {
    let mut text = String::new();
    draw_on(SVGBackend::with_string(&mut text, figure.size()), figure)?;
    Ok(text)
}

fn pixels(figure: &impl Figure) -> Result<Vec<u8>, String> {
    let (width, height) = figure.size();
    let mut buffer = vec![0u8; 3 * width as usize * height as usize];
    draw_on(BitMapBackend::with_buffer(&mut buffer, (width, height)), figure)?;
    Ok(buffer)
}

fn draw_on<B: DrawingBackend>(backend: B, figure: &impl Figure) -> Result<(), String> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE).map_err(message)?;
    figure.draw(&area)?;
    area.present().map_err(message)
}

fn write_png(path: &Path, pixels: &[u8], (width, height): (u32, u32)) -> Result<(), ExportError> {
    let file = File::create(path).map_err(ExportError::io("create", path))?;
    let mut out = BufWriter::new(file);
    image::codecs::png::PngEncoder::new(&mut out)
        .write_image(pixels, width, height, image::ExtendedColorType::Rgb8)
        .map_err(|error| ExportError::plot(path, error))?;
    out.flush().map_err(ExportError::io("write", path))
}

pub(crate) fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
