//! Where the cells of a GeoTIFF file lie: the tags of scale, tie point and transformation, and the keys that say in
//! which units. Numbers of tags and keys: OGC GeoTIFF standard 1.1, sections 7 and 8.

use crate::data_file::{DataFileError, DataFileErrorKind as Kind};

/// What the tags of a file say.
#[derive(Default)]
pub(super) struct GeoTags {
    /// ModelPixelScale: size of a cell along x, y and z.
    pub(super) scale: Option<Vec<f64>>,
    /// ModelTiepoint: column, row, depth, x, y, z, once or more.
    pub(super) tie: Option<Vec<f64>>,
    /// ModelTransformation: a matrix of 4 x 4, row by row.
    pub(super) transformation: Option<Vec<f64>>,
    /// GeoKeyDirectory: groups of four, the first of which is the head.
    pub(super) keys: Vec<u16>,
}

/// The place of a column and row of the file, counted from its upper left corner.
struct Tie {
    cell: [f64; 2],
    column: f64,
    row: f64,
    place: [f64; 2],
}

const MODEL_TYPE: u16 = 1024;
const RASTER_TYPE: u16 = 1025;
const GEOGRAPHIC_TYPE: u16 = 2048;
const PROJECTED_TYPE: u16 = 3072;
const PROJECTED_UNITS: u16 = 3076;
const VERTICAL_UNITS: u16 = 4099;

const MODEL_PROJECTED: u16 = 1;
const MODEL_GEOGRAPHIC: u16 = 2;
const MODEL_GEOCENTRIC: u16 = 3;
const PIXEL_IS_AREA: u16 = 1;
const PIXEL_IS_POINT: u16 = 2;
const METRE: u16 = 9001;
const USER_DEFINED: u16 = 32767;

/// Keys of a file that is written: own coordinates in metres, PixelIsArea.
pub(super) const METRES_AND_AREAS: [u16; 20] = [
    1,
    1,
    0,
    4, //
    MODEL_TYPE,
    0,
    1,
    MODEL_PROJECTED, //
    RASTER_TYPE,
    0,
    1,
    PIXEL_IS_AREA, //
    PROJECTED_TYPE,
    0,
    1,
    USER_DEFINED, //
    PROJECTED_UNITS,
    0,
    1,
    METRE,
];

fn unsupported<T>(message: impl Into<String>) -> Result<T, DataFileError> {
    Err(DataFileError::new(Kind::Unsupported, message))
}

fn format<T>(message: impl Into<String>) -> Result<T, DataFileError> {
    Err(DataFileError::new(Kind::Format, message))
}

impl GeoTags {
    /// Size of a cell and lower left corner of a raster with `rows` \[m\].
    pub(super) fn place(&self, rows: u32) -> Result<([f64; 2], [f64; 2]), DataFileError> {
        self.check_units()?;
        let Tie { cell, column, row, place: [x, y] } = self.tied()?;
        // The place of a point is that of the centre of its cell.
        let half = match self.key(RASTER_TYPE) {
            None | Some(PIXEL_IS_AREA) => 0.0,
            Some(PIXEL_IS_POINT) => 0.5,
            Some(other) => return format(format!("GTRasterType is {other}, but must be 1 (area) or 2 (point)")),
        };
        // One product each: a tie at the lower left corner is kept bit by bit.
        Ok((cell, [x - (column + half) * cell[0], y + (row + half - f64::from(rows)) * cell[1]]))
    }

    fn tied(&self) -> Result<Tie, DataFileError> {
        if let Some(m) = &self.transformation {
            return transformed(m);
        }
        let Some(scale) = &self.scale else {
            return match &self.tie {
                Some(tie) if tie.len() > 6 => unsupported(format!(
                    "the file has {} ground control points and no ModelPixelScale; warp it to a regular grid",
                    tie.len() / 6
                )),
                _ => format(
                    "not georeferenced: neither ModelPixelScale nor ModelTransformation; no world files are read",
                ),
            };
        };
        let Some(tie) = &self.tie else { return format("ModelPixelScale without ModelTiepoint: its place is unknown") };
        if scale.len() < 2 || tie.len() < 6 {
            return format(format!(
                "ModelPixelScale has {} numbers and ModelTiepoint {}, but 3 and 6 are needed",
                scale.len(),
                tie.len()
            ));
        }
        let ([dx, dy], [column, row, x, y]) = ([scale[0], scale[1]], [tie[0], tie[1], tie[3], tie[4]]);
        if dy < 0.0 || dx < 0.0 {
            return unsupported(format!("a mirrored grid: ModelPixelScale is {dx}, {dy}, but must be above 0"));
        }
        Ok(Tie { cell: [dx, dy], column, row, place: [x, y] })
    }

    fn check_units(&self) -> Result<(), DataFileError> {
        let not_metres = |message: String| Err(DataFileError::new(Kind::NotMetres, message));
        let geographic = match self.key(MODEL_TYPE) {
            Some(model) => model == MODEL_GEOGRAPHIC,
            None => self.key(GEOGRAPHIC_TYPE).is_some() && self.key(PROJECTED_TYPE).is_none(),
        };
        if geographic {
            return not_metres(
                "geographic coordinates, in degrees: reproject to metres, for example to UTM".to_owned(),
            );
        }
        if self.key(MODEL_TYPE) == Some(MODEL_GEOCENTRIC) {
            return not_metres("geocentric coordinates: reproject to a plane, for example to UTM".to_owned());
        }
        for (key, what) in [(PROJECTED_UNITS, "coordinates"), (VERTICAL_UNITS, "heights")] {
            match self.key(key) {
                None | Some(METRE | USER_DEFINED | 0) => {}
                Some(9002) => return not_metres(format!("the {what} are in feet: convert them to metres")),
                Some(9003) => return not_metres(format!("the {what} are in US survey feet: convert them to metres")),
                Some(unit) => {
                    return not_metres(format!("the {what} have the unit EPSG:{unit}: convert them to metres"));
                }
            }
        }
        Ok(())
    }

    /// The value of a key that holds one short number.
    fn key(&self, id: u16) -> Option<u16> {
        let count = usize::from(*self.keys.get(3)?);
        let entry = self.keys.chunks_exact(4).skip(1).take(count).find(|entry| entry[0] == id && entry[1] == 0)?;
        Some(entry[3])
    }
}

fn transformed(m: &[f64]) -> Result<Tie, DataFileError> {
    if m.len() != 16 {
        return format(format!("ModelTransformation has {} numbers, but 16 are needed", m.len()));
    }
    let [a, b, d, e] = [m[0], m[1], m[4], m[5]];
    if b != 0.0 || d != 0.0 {
        let what = if a * b + d * e == 0.0 { "rotated" } else { "sheared" };
        return unsupported(format!(
            "a {what} grid: ModelTransformation has {b} and {d} beside its diagonal; warp it to a grid along x and y"
        ));
    }
    if a < 0.0 || e > 0.0 {
        return unsupported(format!(
            "a mirrored grid: ModelTransformation has {a} and {e} on its diagonal, but x must grow with the columns and y \
             fall with the rows"
        ));
    }
    Ok(Tie { cell: [a, -e], column: 0.0, row: 0.0, place: [m[3], m[7]] })
}
