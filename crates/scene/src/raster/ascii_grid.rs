//! ESRI ASCII grid: a header of keys and values, then the heights of all cells, northern row first.
//!
//! Keys come in any case and order. Line breaks mean nothing, so a file is read as a stream of words. Without
//! `NODATA_value` a height of -9999 is missing, as the format has it.

use std::io::{BufRead, Write};

use super::words::Words;
use super::{Raster, check_grid};
use crate::data_file::{DataFileError, DataFileErrorKind as Kind, DataPlace, range_of};
use crate::error::{listed, nearest};

/// Value of missing cells when the header names none.
const DEFAULT_MISSING: f32 = -9999.0;

const KEYS: [&str; 10] =
    ["ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize", "dx", "dy", "nodata_value"];

/// Fewest bytes of a height with the space before it, for what may be reserved.
const BYTES_PER_HEIGHT: u64 = 2;

pub(super) fn read(reader: impl BufRead, length: u64) -> Result<Raster, DataFileError> {
    let mut words = Words::new(reader);
    let header = Header::read(&mut words)?;
    let missing = header.missing()?;
    let (size, cell, lower_left) = header.grid()?;
    let cells = check_grid(size, cell, lower_left).map_err(|e| e.at(words.place()))?;
    let reserved = cells.min(usize::try_from(length / BYTES_PER_HEIGHT + 1).unwrap_or(cells));
    let mut heights = heights(&mut words, size, missing, reserved)?;
    north_up(&mut heights, size[0]);
    let raster = Raster::new(size, cell, lower_left, heights)?;
    check_metres(&raster)?;
    Ok(raster)
}

/// Longitudes and latitudes as files have them \[degrees\]: from -180 or from 0 eastwards.
const DEGREES: [[f64; 2]; 2] = [[-180.0, 360.0], [-90.0, 90.0]];
/// Largest cells of terrain in degrees: six minutes of arc, 11 km. Coarser ones are no ground for grains.
const COARSEST: f64 = 0.1;
/// Relief over the longer side of terrain in metres is below this: a shaft as narrow has no raster.
const STEEPEST: f64 = 10.0;

/// The format does not say its unit. Refused is what lies where degrees lie and rises by more than ten times its
/// length, as heights in metres do over sides in degrees.
fn check_metres(raster: &Raster) -> Result<(), DataFileError> {
    let (low, high) = (raster.lower_left, raster.upper_right());
    let may_be_degrees = [0, 1].iter().all(|&axis| {
        let [first, last] = DEGREES[axis];
        low[axis] >= first - COARSEST && high[axis] <= last + COARSEST && raster.cell[axis] <= COARSEST
    });
    let [lowest, highest] = range_of(&raster.heights);
    let (relief, side) = (f64::from(highest) - f64::from(lowest), (high[0] - low[0]).max(high[1] - low[1]));
    if !(may_be_degrees && relief > STEEPEST * side) {
        return Ok(());
    }
    let message = format!(
        "heights differ by {relief:.4} over {side:.4} along the longer side, so the coordinates, from {:.4}, {:.4}, seem \
         to be in degrees: reproject to metres, for example to UTM; if they are metres, set `xllcorner` and `yllcorner` \
         to 1000, which moves no terrain in a scene",
        low[0], low[1]
    );
    Err(DataFileError::new(Kind::NotMetres, message))
}

/// Turns the order of rows.
fn north_up(heights: &mut [f32], columns: usize) {
    let rows = heights.len() / columns;
    for row in 0..rows / 2 {
        let (south, north) = heights.split_at_mut((rows - 1 - row) * columns);
        south[row * columns..(row + 1) * columns].swap_with_slice(&mut north[..columns]);
    }
}

/// Values of the keys that were given, in the order of [`KEYS`], each with its place.
#[derive(Default)]
struct Header {
    values: [Option<(f64, DataPlace)>; KEYS.len()],
}

impl Header {
    fn read<R: BufRead>(words: &mut Words<R>) -> Result<Self, DataFileError> {
        let mut header = Header::default();
        while words.advance()? {
            let text = words.text().unwrap_or_default().trim_start_matches('\u{feff}').to_ascii_lowercase();
            let Some(key) = KEYS.iter().position(|known| *known == text) else {
                // `nan` may be the first height.
                if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text != "nan" {
                    return Err(unknown_key(words, &text));
                }
                words.put_back();
                break;
            };
            if header.values[key].is_some() {
                let message = format!("`{}` is given twice", KEYS[key]);
                return Err(DataFileError::new(Kind::Format, message).at(words.place()));
            }
            if !words.advance()? {
                let message = format!("the file ends where the value of `{}` should come", KEYS[key]);
                return Err(DataFileError::new(Kind::CutShort, message).at(words.end_place()));
            }
            header.values[key] = Some((number(words, key)?, words.place()));
        }
        Ok(header)
    }

    fn get(&self, key: &str) -> Option<f64> {
        let at = KEYS.iter().position(|known| *known == key)?;
        self.values[at].map(|(value, _)| value)
    }

    /// The one of two keys that exclude each other, and whether it is the second.
    fn one_of(&self, first: &str, second: &str) -> Result<(f64, bool), DataFileError> {
        let wrong = |what| Err(DataFileError::new(Kind::Format, format!("the header has {what}")));
        match (self.get(first), self.get(second)) {
            (Some(value), None) => Ok((value, false)),
            (None, Some(value)) => Ok((value, true)),
            (None, None) => wrong(format!("no `{first}` (or `{second}`)")),
            (Some(_), Some(_)) => wrong(format!("both `{first}` and `{second}`, which exclude each other")),
        }
    }

    /// Columns and rows, size of a cell, lower left corner.
    #[allow(clippy::type_complexity)]
    fn grid(&self) -> Result<([usize; 2], [f64; 2], [f64; 2]), DataFileError> {
        let lacking = |key: &str| DataFileError::new(Kind::Format, format!("the header has no `{key}`"));
        let count = |key: &str| self.get(key).map(|n| n as usize).ok_or_else(|| lacking(key));
        let size = [count("ncols")?, count("nrows")?];
        let (dx, _) = self.one_of("cellsize", "dx")?;
        let (dy, _) = self.one_of("cellsize", "dy")?;
        let (x, x_is_centre) = self.one_of("xllcorner", "xllcenter")?;
        let (y, y_is_centre) = self.one_of("yllcorner", "yllcenter")?;
        let corner = |at: f64, is_centre: bool, size: f64| if is_centre { at - 0.5 * size } else { at };
        Ok((size, [dx, dy], [corner(x, x_is_centre, dx), corner(y, y_is_centre, dy)]))
    }

    fn missing(&self) -> Result<f32, DataFileError> {
        Ok(self.get("nodata_value").map_or(DEFAULT_MISSING, |value| value as f32))
    }
}

fn unknown_key<R: BufRead>(words: &Words<R>, text: &str) -> DataFileError {
    let known = match nearest(text, KEYS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", listed(KEYS)),
    };
    let message = format!("unknown key {} in the header of an ESRI ASCII grid; {known}", words.shown());
    DataFileError::new(Kind::Format, message).at(words.place())
}

/// The value of a key of the header.
fn number<R: BufRead>(words: &Words<R>, key: usize) -> Result<f64, DataFileError> {
    let (name, shown) = (KEYS[key], words.shown());
    let bad = |kind, message: String| Err(DataFileError::new(kind, message).at(words.place()));
    let value = words.text().and_then(|text| text.parse::<f64>().ok());
    match value {
        None if decimal_comma(words) => bad(Kind::Format, format!("`{name}` is {shown}: {COMMA}")),
        None => bad(Kind::Format, format!("`{name}` is {shown}, but must be a number")),
        Some(n) if name.starts_with('n') && name != "nodata_value" => {
            // Beyond 2^53 whole numbers are not exact, and no file is so large.
            let whole = n >= 1.0 && n.fract() == 0.0 && n < 9e15;
            if whole {
                Ok(n)
            } else {
                bad(Kind::OutOfRange, format!("`{name}` is {shown}, but must be a whole number above 0"))
            }
        }
        Some(x) if x.is_finite() || name == "nodata_value" => Ok(x),
        Some(_) => bad(Kind::OutOfRange, format!("`{name}` is {shown}, but must be finite")),
    }
}

const COMMA: &str = "a decimal comma; write numbers with a decimal point";

fn decimal_comma<R: BufRead>(words: &Words<R>) -> bool {
    words.text().is_some_and(|text| text.replacen(',', ".", 1).parse::<f64>().is_ok())
}

/// The heights in the order of the file.
fn heights<R: BufRead>(
    words: &mut Words<R>,
    [columns, rows]: [usize; 2],
    missing: f32,
    reserved: usize,
) -> Result<Vec<f32>, DataFileError> {
    let cells = columns * rows;
    let mut heights = Vec::with_capacity(reserved);
    let mut lines = Lines::default();
    while heights.len() < cells {
        if !words.advance()? {
            let found = heights.len();
            let message = format!(
                "the file ends after {found} heights, but {columns} columns x {rows} rows need {cells}{}",
                lines.hint(columns)
            );
            return Err(DataFileError::new(Kind::CutShort, message).at(words.end_place()));
        }
        lines.count(words.line(), columns);
        heights.push(height(words, missing)?);
    }
    if words.advance()? {
        let place = words.place();
        lines.count(words.line(), columns);
        let mut found = cells + 1;
        while words.advance()? {
            lines.count(words.line(), columns);
            found += 1;
        }
        let message = format!(
            "{found} heights, but {columns} columns x {rows} rows have {cells}; here is the first one too many{}",
            lines.hint(columns)
        );
        return Err(DataFileError::new(Kind::TooLong, message).at(place));
    }
    Ok(heights)
}

/// One height; NaN where it is missing.
fn height<R: BufRead>(words: &Words<R>, missing: f32) -> Result<f32, DataFileError> {
    let bad = |kind, message| Err(DataFileError::new(kind, message).at(words.place()));
    let Some(height) = words.text().and_then(|text| text.parse::<f32>().ok()) else {
        let reason = if decimal_comma(words) { COMMA } else { "expected a height" };
        return bad(Kind::Format, format!("{}: {reason}", words.shown()));
    };
    if height == missing || height.is_nan() && missing.is_nan() {
        return Ok(f32::NAN);
    }
    if !height.is_finite() {
        return bad(
            Kind::OutOfRange,
            format!("the height is {}, but must be finite or the NODATA_value", words.shown()),
        );
    }
    Ok(height)
}

/// Finds the first line that has not one row: the likely place of a lost or doubled height, though the format allows
/// it.
#[derive(Default)]
struct Lines {
    line: usize,
    on_line: usize,
    odd: Option<(usize, usize)>,
}

impl Lines {
    fn count(&mut self, line: usize, columns: usize) {
        if line == self.line {
            self.on_line += 1;
        } else {
            self.note(columns);
            (self.line, self.on_line) = (line, 1);
        }
    }

    fn note(&mut self, columns: usize) {
        if self.line > 0 && self.on_line != columns && self.odd.is_none() {
            self.odd = Some((self.line, self.on_line));
        }
    }

    fn hint(&mut self, columns: usize) -> String {
        self.note(columns);
        self.odd.map_or(String::new(), |(line, n)| format!("; line {line} has {n} of them, not {columns}"))
    }
}

pub(super) fn write(raster: &Raster, mut out: impl Write) -> std::io::Result<()> {
    let missing = missing_value(&raster.heights);
    let ([dx, dy], [x, y]) = (raster.cell, raster.lower_left);
    write!(out, "ncols {}\nnrows {}\nxllcorner {x}\nyllcorner {y}\n", raster.columns, raster.rows)?;
    if dx == dy {
        writeln!(out, "cellsize {dx}")?
    } else {
        write!(out, "dx {dx}\ndy {dy}\n")?
    }
    writeln!(out, "NODATA_value {missing}")?;
    for row in raster.heights.chunks_exact(raster.columns).rev() {
        for (i, height) in row.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            let height = if height.is_nan() { missing } else { *height };
            // Plain digits of large and small numbers would be a line of zeros.
            match height.abs() {
                0.0 | 1e-5..1e9 => write!(out, "{space}{height}")?,
                _ => write!(out, "{space}{height:e}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// -9999, or the first of its tenfold values that is no height.
fn missing_value(heights: &[f32]) -> f32 {
    let mut value = DEFAULT_MISSING;
    for _ in 0..30 {
        if !heights.contains(&value) {
            break;
        }
        value *= 10.0;
    }
    value
}
