//! PNG pictures and GIF films.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use image::{ImageEncoder, RgbImage};

use crate::error::ViewError;
use crate::palette::{FilmPalette, UNCHANGED};

/// The byte that ends a GIF file.
const TRAILER: u8 = 0x3b;
/// Players show shorter delays than this, in hundredths of a second, slower than they say.
const SHORTEST_DELAY: f64 = 2.0;

/// Writes an image as PNG.
pub fn save_png(path: &Path, image: &RgbImage) -> Result<(), ViewError> {
    let io = |action| move |source| ViewError::Io { action, path: path.to_path_buf(), source };
    let file = File::create(path).map_err(io("create"))?;
    let mut out = BufWriter::new(file);
    let encoder = image::codecs::png::PngEncoder::new(&mut out);
    encoder
        .write_image(image.as_raw(), image.width(), image.height(), image::ExtendedColorType::Rgb8)
        .map_err(|error| ViewError::Encode { path: path.to_path_buf(), message: error.to_string() })?;
    out.flush().map_err(io("write"))
}

/// Writes a film frame by frame as an endless GIF.
///
/// The file is complete after every frame, so a run that is stopped leaves a film of what there was. Only what changed
/// is stored.
pub struct Film {
    path: PathBuf,
    file: File,
    encoder: Encoder<Vec<u8>>,
    palette: FilmPalette,
    width: u32,
    height: u32,
    /// Hundredths of a second per frame, not rounded.
    delay: f64,
    /// Indices of the last frame; empty before the first.
    shown: Vec<u8>,
    frames: u64,
}

impl Film {
    /// Creates a film of `width` x `height` pixels (1 to 65535) with `rate` frames per second.
    ///
    /// GIF counts hundredths of a second: other rates are met on average; above 50 the film plays at 50.
    pub fn create(path: &Path, width: u32, height: u32, rate: f64, palette: FilmPalette) -> Result<Film, ViewError> {
        let encode = |message: String| ViewError::Encode { path: path.to_path_buf(), message };
        let side = |length: u32| {
            let fits = u16::try_from(length).ok().filter(|&l| l > 0);
            fits.ok_or_else(|| encode(format!("a film cannot be {width} x {height} pixels")))
        };
        if !(rate.is_finite() && rate > 0.0) {
            return Err(encode(format!("{rate} frames per second: must be above 0")));
        }
        let (columns, rows) = (side(width)?, side(height)?);
        let mut encoder =
            Encoder::new(Vec::new(), columns, rows, &palette.bytes()).map_err(|e| encode(e.to_string()))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|e| encode(e.to_string()))?;
        let file = File::create(path).map_err(|source| ViewError::Io {
            action: "create",
            path: path.to_path_buf(),
            source,
        })?;
        let delay = (100.0 / rate).clamp(SHORTEST_DELAY, f64::from(u16::MAX));
        let path = path.to_path_buf();
        let mut film = Film { path, file, encoder, palette, width, height, delay, shown: Vec::new(), frames: 0 };
        film.file.write_all(&[TRAILER]).map_err(|e| film.io(e))?;
        film.store()?;
        Ok(film)
    }

    /// Appends a frame; the image must have the film's size.
    pub fn push(&mut self, image: &RgbImage) -> Result<(), ViewError> {
        if image.dimensions() != (self.width, self.height) {
            let (w, h) = image.dimensions();
            return Err(self.encode(format!("a frame of {w} x {h} in a film of {} x {}", self.width, self.height)));
        }
        let indices = self.palette.indices(image);
        let frame = self.changed_part(&indices);
        self.encoder.write_frame(&frame).map_err(|e| self.encode(e.to_string()))?;
        self.shown = indices;
        self.frames += 1;
        self.store()
    }

    /// Frames written so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The smallest rectangle that holds all changes, with [`UNCHANGED`] where nothing changed inside it.
    fn changed_part(&self, indices: &[u8]) -> Frame<'static> {
        let (width, height) = (self.width as usize, self.height as usize);
        let differs = |i: usize| self.shown.get(i) != Some(&indices[i]);
        let rows = || (0..height).filter(|y| (0..width).any(|x| differs(y * width + x)));
        let columns = || (0..width).filter(|x| (0..height).any(|y| differs(y * width + x)));
        // A frame of one pixel when nothing moved: it carries the time.
        let (top, bottom) = (rows().next().unwrap_or(0), rows().next_back().unwrap_or(0));
        let (left, right) = (columns().next().unwrap_or(0), columns().next_back().unwrap_or(0));
        let buffer: Vec<u8> = (top..=bottom)
            .flat_map(|y| (left..=right).map(move |x| y * width + x))
            .map(|i| if differs(i) { indices[i] } else { UNCHANGED })
            .collect();
        Frame {
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            delay: self.next_delay(),
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            buffer: buffer.into(),
            ..Frame::default()
        }
    }

    /// Delay of the next frame, rounded so that the sum stays right.
    fn next_delay(&self) -> u16 {
        let ends = |frames: u64| (frames as f64 * self.delay).round();
        (ends(self.frames + 1) - ends(self.frames)) as u16
    }

    /// Moves what the encoder made into the file, over the byte that ended it, with a new end, in one write.
    fn store(&mut self) -> Result<(), ViewError> {
        let mut bytes = std::mem::take(self.encoder.get_mut());
        bytes.push(TRAILER);
        self.file.seek(SeekFrom::End(-1)).map_err(|e| self.io(e))?;
        self.file.write_all(&bytes).map_err(|e| self.io(e))
    }

    fn io(&self, source: std::io::Error) -> ViewError {
        ViewError::Io { action: "write", path: self.path.clone(), source }
    }

    fn encode(&self, message: String) -> ViewError {
        ViewError::Encode { path: self.path.clone(), message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::RenderOptions;
    use image::Rgb;

    fn frame(step: u32) -> RgbImage {
        RgbImage::from_fn(40, 30, |x, y| {
            let inside = (x as i32 - 10 - step as i32).pow(2) + (y as i32 - 15).pow(2) < 36;
            Rgb(if inside { [140, 170, 200] } else { [250, 250, 250] })
        })
    }

    /// Plays the film as a viewer does: frames laid over each other, transparent pixels keep what was there.
    fn play(path: &Path) -> Vec<(u16, Vec<[u8; 3]>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(File::open(path).expect("film")).expect("a GIF");
        let width = usize::from(decoder.width());
        let mut screen = vec![[0u8; 3]; width * usize::from(decoder.height())];
        let mut frames = Vec::new();
        while let Some(f) = decoder.read_next_frame().expect("a frame") {
            for (i, pixel) in f.buffer.chunks(4).enumerate().filter(|(_, p)| p[3] > 0) {
                let (x, y) = (i % usize::from(f.width), i / usize::from(f.width));
                screen[(usize::from(f.top) + y) * width + usize::from(f.left) + x] = [pixel[0], pixel[1], pixel[2]];
            }
            frames.push((f.delay, screen.clone()));
        }
        frames
    }

    #[test]
    fn a_film_plays_back_after_every_frame() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("film.gif");
        let palette = FilmPalette::new(&RenderOptions::film());
        let mut film = Film::create(&path, 40, 30, 12.5, palette).expect("created");
        for step in 0..5 {
            // The last frame repeats the one before.
            let image = frame(step.min(3));
            film.push(&image).expect("pushed");
            let bytes = std::fs::read(&path).expect("readable");
            assert_eq!(bytes.last(), Some(&TRAILER));
            let frames = play(&path);
            assert_eq!(frames.len(), step as usize + 1);
            let (delay, screen) = frames.last().expect("frames");
            assert_eq!(*delay, 8);
            for (shown, wanted) in screen.iter().zip(image.pixels()) {
                // Palette and dither together: measured up to 17 of 255.
                assert!((0..3).all(|k| shown[k].abs_diff(wanted.0[k]) <= 24), "{shown:?} {wanted:?}");
            }
        }
        assert_eq!(film.frames(), 5);
    }

    #[test]
    fn odd_rates_are_met_on_average_and_bad_input_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("film.gif");
        let palette = FilmPalette::new(&RenderOptions::film());
        let mut film = Film::create(&path, 40, 30, 30.0, palette.clone()).expect("created");
        (0..30).for_each(|i| film.push(&frame(i)).expect("pushed"));
        assert_eq!(play(&path).iter().map(|f| u32::from(f.0)).sum::<u32>(), 100);
        assert!(film.push(&RgbImage::new(3, 3)).is_err());
        assert!(Film::create(&path, 0, 30, 10.0, palette.clone()).is_err());
        assert!(Film::create(&path, 40, 30, f64::NAN, palette.clone()).is_err());
        let missing = Path::new("/no-such-folder/film.gif");
        let error = Film::create(missing, 40, 30, 10.0, palette).err().expect("refused");
        assert!(error.to_string().contains("/no-such-folder/film.gif"));
    }

    #[test]
    fn a_png_reads_back() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("picture.png");
        save_png(&path, &frame(2)).expect("written");
        assert_eq!(image::open(&path).expect("readable").to_rgb8(), frame(2));
    }
}
