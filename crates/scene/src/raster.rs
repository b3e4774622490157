//! Terrain as heights over a rectangular grid of cells, from ESRI ASCII grids and GeoTIFF files.
//!
//! A [`Raster`] holds one height for the centre of each cell, or none where the survey has a hole. Holes are kept until
//! the caller asks for [`Raster::fill_missing`]: a height that nobody measured must not slip in. What a height field
//! does between the centres is left to the shapes.

mod ascii_grid;
mod fill;
mod geokeys;
mod geotiff;
mod mesh;
mod resample;
mod statistics;
mod words;

use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

pub use fill::FillMethod;
pub use statistics::{RasterStatistics, Slopes};

use crate::data_file::{DataFileError, DataFileErrorKind as Kind, open};

/// Most cells that are read, 400 MB of heights: more is a mistake in a header or wants cutting to the site.
pub const MOST_CELLS: usize = 100_000_000;

/// Heights over a grid of cells with sides along x and y.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Cells along x, at least 1.
    pub columns: usize,
    /// Cells along y, at least 1.
    pub rows: usize,
    /// Size of a cell along x and y \[m\].
    pub cell: [f64; 2],
    /// Lower left (south-west) corner of the lower left cell \[m\].
    pub lower_left: [f64; 2],
    /// Height of the centre of each cell \[m\], row by row from the south, each from the west; NaN where it is missing.
    /// As f32, which resolves 0.1 mm at heights of 1000 m and comes back from a GeoTIFF file bit by bit.
    pub heights: Vec<f32>,
}

/// Grids and heights that agree; a missing height equals a missing one.
impl PartialEq for Raster {
    fn eq(&self, other: &Self) -> bool {
        let alike = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
        (self.columns, self.rows, self.cell, self.lower_left)
            == (other.columns, other.rows, other.cell, other.lower_left)
            && self.heights.len() == other.heights.len()
            && self.heights.iter().zip(&other.heights).all(|(a, b)| alike(*a, *b))
    }
}

/// Formats of raster files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RasterFormat {
    /// ESRI ASCII grid, `.asc`.
    AsciiGrid,
    /// GeoTIFF, `.tif` or `.tiff`.
    GeoTiff,
}

impl RasterFormat {
    /// The format that the name of a file stands for.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "asc" => Some(RasterFormat::AsciiGrid),
            "tif" | "tiff" => Some(RasterFormat::GeoTiff),
            _ => None,
        }
    }

    /// Name as it is shown.
    pub fn name(self) -> &'static str {
        match self {
            RasterFormat::AsciiGrid => "ESRI ASCII grid",
            RasterFormat::GeoTiff => "GeoTIFF",
        }
    }
}

impl Raster {
    /// A raster whose parts fit together.
    ///
    /// # Errors
    /// [`DataFileError`] for no cells, more than [`MOST_CELLS`], cells without size, places beyond all numbers,
    /// infinite heights, and another number of heights than cells.
    pub fn new(
        [columns, rows]: [usize; 2],
        cell: [f64; 2],
        lower_left: [f64; 2],
        heights: Vec<f32>,
    ) -> Result<Self, DataFileError> {
        let cells = check_grid([columns, rows], cell, lower_left)?;
        if heights.len() != cells {
            let message = format!("{} heights, but {columns} x {rows} cells need {cells}", heights.len());
            return Err(DataFileError::new(Kind::OutOfRange, message));
        }
        if let Some(i) = heights.iter().position(|h| h.is_infinite()) {
            let message = format!("the height of column {}, row {} is infinite", i % columns, i / columns);
            return Err(DataFileError::new(Kind::OutOfRange, message));
        }
        Ok(Raster { columns, rows, cell, lower_left, heights })
    }

    /// Reads a file; its name must end in `.asc`, `.tif` or `.tiff`. Cells without a height are missing, not wrong: see
    /// [`Raster::require_complete`].
    ///
    /// # Errors
    /// [`DataFileError`] for a file that cannot be read, is of another kind, or breaks the rules of its format.
    pub fn load(path: &Path) -> Result<Self, DataFileError> {
        let format = RasterFormat::of(path).ok_or_else(|| unknown_format(path))?;
        let (file, length) = open(path)?;
        let read = match format {
            RasterFormat::AsciiGrid => ascii_grid::read(BufReader::with_capacity(1 << 16, file), length),
            RasterFormat::GeoTiff => geotiff::read(BufReader::new(file), length),
        };
        read.map_err(|error| error.within(path))
    }

    /// Reads the bytes of an ESRI ASCII grid.
    ///
    /// # Errors
    /// [`DataFileError`] with line and column.
    pub fn from_ascii_grid(bytes: &[u8]) -> Result<Self, DataFileError> {
        ascii_grid::read(bytes, bytes.len() as u64)
    }

    /// Reads the bytes of a GeoTIFF file.
    ///
    /// # Errors
    /// [`DataFileError`] with what was found.
    pub fn from_geotiff(bytes: &[u8]) -> Result<Self, DataFileError> {
        geotiff::read(std::io::Cursor::new(bytes), bytes.len() as u64)
    }

    /// Writes an ESRI ASCII grid, northern row first. Every number is as short as reads back to the same bits.
    ///
    /// # Errors
    /// What `out` answers.
    pub fn write_ascii_grid(&self, out: impl Write) -> std::io::Result<()> {
        ascii_grid::write(self, out)
    }

    /// The bytes of a GeoTIFF file: f32, deflated, PixelIsArea, missing heights as NaN.
    ///
    /// # Errors
    /// [`DataFileError`] for more than 2^32 columns or rows.
    pub fn to_geotiff(&self) -> Result<Vec<u8>, DataFileError> {
        geotiff::write(self)
    }

    /// Writes a file in the format that its name stands for, and replaces what is there.
    ///
    /// # Errors
    /// [`DataFileError`] with the file in it.
    pub fn save(&self, path: &Path) -> Result<(), DataFileError> {
        let format = RasterFormat::of(path).ok_or_else(|| unknown_format(path))?;
        let refused = |e: std::io::Error| DataFileError::new(Kind::Io, format!("cannot be written: {e}")).within(path);
        match format {
            RasterFormat::AsciiGrid => {
                let mut out = BufWriter::new(std::fs::File::create(path).map_err(refused)?);
                self.write_ascii_grid(&mut out).and_then(|()| out.flush()).map_err(refused)
            }
            RasterFormat::GeoTiff => std::fs::write(path, self.to_geotiff()?).map_err(refused),
        }
    }

    /// Height of a cell \[m\]; NaN where it is missing.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn height(&self, column: usize, row: usize) -> f32 {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        self.heights[row * self.columns + column]
    }

    /// Centre of a cell \[m\].
    pub fn centre(&self, column: usize, row: usize) -> [f64; 2] {
        let along = |axis: usize, i: usize| self.lower_left[axis] + (i as f64 + 0.5) * self.cell[axis];
        [along(0, column), along(1, row)]
    }

    /// Upper right (north-east) corner \[m\].
    pub fn upper_right(&self) -> [f64; 2] {
        let along = |axis: usize, n: usize| self.lower_left[axis] + n as f64 * self.cell[axis];
        [along(0, self.columns), along(1, self.rows)]
    }

    /// How many cells have no height.
    pub fn missing(&self) -> usize {
        self.heights.iter().filter(|h| h.is_nan()).count()
    }

    /// Column and row of the first cell without a height, in the order of [`Raster::heights`].
    pub fn first_missing(&self) -> Option<[usize; 2]> {
        let at = self.heights.iter().position(|h| h.is_nan())?;
        Some([at % self.columns, at / self.columns])
    }

    /// That every cell has a height.
    ///
    /// # Errors
    /// [`Kind::MissingCells`], with the number of missing cells and the place of the first.
    pub fn require_complete(&self) -> Result<(), DataFileError> {
        let Some([column, row]) = self.first_missing() else { return Ok(()) };
        let [x, y] = self.centre(column, row);
        let message = format!(
            "{} of {} cells have no height; the first is column {column}, row {row} from the south-west, \
             at x = {x} m, y = {y} m",
            self.missing(),
            self.heights.len()
        );
        Err(DataFileError::new(Kind::MissingCells, message))
    }
}

fn unknown_format(path: &Path) -> DataFileError {
    let message = "rasters are .asc (ESRI ASCII grid), .tif or .tiff (GeoTIFF) files";
    DataFileError::new(Kind::Unsupported, message).within(path)
}

/// The number of cells, when the grid is one that can be held.
fn check_grid([columns, rows]: [usize; 2], cell: [f64; 2], lower_left: [f64; 2]) -> Result<usize, DataFileError> {
    let bad = |message: String| Err(DataFileError::new(Kind::OutOfRange, message));
    if columns == 0 || rows == 0 {
        return bad(format!("{columns} x {rows} cells, but there must be one at least"));
    }
    let cells = columns.checked_mul(rows).filter(|n| *n <= MOST_CELLS).ok_or_else(|| {
        let message =
            format!("{columns} x {rows} cells, but at most {MOST_CELLS} are read: cut the terrain to the site");
        DataFileError::new(Kind::TooLarge, message)
    })?;
    for (axis, n) in [(0, columns), (1, rows)] {
        let (name, size, start) = (["x", "y"][axis], cell[axis], lower_left[axis]);
        if !(size.is_finite() && size > 0.0) {
            return bad(format!("cells of {size} m along {name}, but they must have a size above 0"));
        }
        let end = start + n as f64 * size;
        if !(start.is_finite() && end.is_finite()) {
            return bad(format!("the cells reach from {name} = {start} m to {end} m, but must be at finite places"));
        }
        // Centres that rounding puts into one place are no grid.
        if end - size == end || start + 0.5 * size == start {
            return bad(format!("cells of {size} m along {name} cannot be told apart at {start} m"));
        }
    }
    Ok(cells)
}
