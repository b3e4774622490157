//! GeoTIFF: one band of heights, in strips or tiles, plain, deflated or LZW.
//!
//! The `tiff` crate decodes. Here stand what a terrain must be beyond a picture, and the bounds: what a file announces
//! is held against its length before memory is taken.

use std::io::{Cursor, Read, Seek};

use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype};
use tiff::tags::Tag;
use tiff::{ColorType, TiffError};

use super::geokeys::{GeoTags, METRES_AND_AREAS};
use super::{MOST_CELLS, Raster, check_grid};
use crate::data_file::{DataFileError, DataFileErrorKind as Kind};

/// Most that a byte can stand for when deflated or LZW \[bytes\]: 1032 and 2730. A file that announces more than this
/// times its length is cut short.
const LARGEST_RATIO: u64 = 4096;
/// Largest sample \[bytes\].
const LARGEST_SAMPLE: usize = 8;
/// Most of a tag that is read \[bytes\]: the places of ten million strips.
const LARGEST_TAG: usize = 160 << 20;
/// Longest text of the tag GDAL_NODATA \[bytes\]: f64 written out without an exponent has some 320 digits.
const LONGEST_MISSING: u64 = 400;
/// PhotometricInterpretation of grey from black upwards.
const BLACK_IS_ZERO: u64 = 1;

pub(super) fn read(reader: impl Read + Seek, length: u64) -> Result<Raster, DataFileError> {
    let cap = |n: usize| usize::try_from(length).unwrap_or(n).min(n);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MOST_CELLS * LARGEST_SAMPLE;
    limits.intermediate_buffer_size = MOST_CELLS * LARGEST_SAMPLE;
    limits.ifd_value_size = cap(LARGEST_TAG);
    let mut decoder = Decoder::new(reader).map_err(refused)?.with_limits(limits);
    let (columns, rows) = decoder.dimensions().map_err(refused)?;
    let sample = one_band(&mut decoder)?;
    let tags = geo_tags(&mut decoder)?;
    let (cell, lower_left) = tags.place(rows)?;
    let size = [columns as usize, rows as usize];
    let cells = check_grid(size, cell, lower_left)?;
    if (cells * sample) as u64 > length.saturating_mul(LARGEST_RATIO) {
        let message = format!("{columns} x {rows} heights of {sample} bytes cannot be in a file of {length} bytes");
        return Err(DataFileError::new(Kind::CutShort, message));
    }
    let missing = missing_value(&mut decoder)?;
    let heights = heights(&mut decoder, size, missing)?;
    Raster::new(size, cell, lower_left, heights)
}

fn refused(error: TiffError) -> DataFileError {
    match error {
        TiffError::IoError(e) => DataFileError::io(&e),
        TiffError::UnsupportedError(e) => {
            DataFileError::new(Kind::Unsupported, format!("this kind of TIFF is not read: {e}"))
        }
        TiffError::LimitsExceeded => {
            DataFileError::new(Kind::TooLarge, "a part of the TIFF is larger than anything that is read")
        }
        other => DataFileError::new(Kind::Format, format!("no valid TIFF: {other}")),
    }
}

/// Size of the samples \[bytes\], when there is one band of heights.
fn one_band<R: Read + Seek>(decoder: &mut Decoder<R>) -> Result<usize, DataFileError> {
    let unsupported = |message: String| Err(DataFileError::new(Kind::Unsupported, message));
    let bits = match decoder.colortype().map_err(refused)? {
        ColorType::Gray(bits) => bits,
        ColorType::Multiband { num_samples, .. } => {
            return unsupported(format!("{num_samples} bands, but expected one band of heights"));
        }
        ColorType::GrayA(_) => {
            return unsupported("2 bands (grey and alpha), but expected one band of heights".to_owned());
        }
        other => return unsupported(format!("a picture in colour ({other:?}), but expected one band of heights")),
    };
    if !matches!(bits, 8 | 16 | 32 | 64) {
        return unsupported(format!("samples of {bits} bits, but heights have 8, 16, 32 or 64"));
    }
    let colours: Option<u64> = decoder.find_tag_unsigned(Tag::PhotometricInterpretation).map_err(refused)?;
    if colours.is_some_and(|colours| colours != BLACK_IS_ZERO) {
        return unsupported("a picture in which 0 is white, but expected heights (BlackIsZero)".to_owned());
    }
    Ok(usize::from(bits) / 8)
}

fn geo_tags<R: Read + Seek>(decoder: &mut Decoder<R>) -> Result<GeoTags, DataFileError> {
    let mut numbers = |tag| match decoder.find_tag(tag).map_err(refused)? {
        Some(value) => value.into_f64_vec().map(Some).map_err(refused),
        None => Ok(None),
    };
    let scale = numbers(Tag::ModelPixelScaleTag)?;
    let tie = numbers(Tag::ModelTiepointTag)?;
    let transformation = numbers(Tag::ModelTransformationTag)?;
    let keys = decoder.find_tag_unsigned_vec(Tag::GeoKeyDirectoryTag).map_err(refused)?.unwrap_or_default();
    Ok(GeoTags { scale, tie, transformation, keys })
}

/// The value of cells without a height, where the file names one.
fn missing_value<R: Read + Seek>(decoder: &mut Decoder<R>) -> Result<Option<f64>, DataFileError> {
    let Some(entry) = decoder.image_ifd().find_entry(Tag::GdalNodata) else { return Ok(None) };
    // The decoder takes memory for a text before it knows that the file has so much.
    if entry.count() > LONGEST_MISSING {
        let message = format!("the tag GDAL_NODATA has {} characters, but must be a number", entry.count());
        return Err(DataFileError::new(Kind::Format, message));
    }
    let Some(value) = decoder.find_tag(Tag::GdalNodata).map_err(refused)? else { return Ok(None) };
    let text = value.into_string().map_err(refused)?;
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    text.parse().map(Some).map_err(|_| {
        let shown: String = text.chars().take(32).flat_map(char::escape_debug).collect();
        DataFileError::new(Kind::Format, format!("the tag GDAL_NODATA is `{shown}`, but must be a number"))
    })
}

fn heights<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    [columns, rows]: [usize; 2],
    missing: Option<f64>,
) -> Result<Vec<f32>, DataFileError> {
    let inconsistent = || DataFileError::new(Kind::Format, "strips or tiles do not cover the raster");
    let (width, height) = decoder.chunk_dimensions();
    let (width, height) = (width as usize, height as usize);
    if width == 0 || height == 0 {
        return Err(inconsistent());
    }
    let (across, down) = (columns.div_ceil(width), rows.div_ceil(height));
    let mut heights = vec![f32::NAN; columns * rows];
    for index in 0..across * down {
        let chunk = decoder.read_chunk(u32::try_from(index).map_err(|_| inconsistent())?).map_err(refused)?;
        let chunk = samples(chunk, missing)?;
        let (first_column, first_row) = (index % across * width, index / across * height);
        let here = width.min(columns - first_column);
        let lines = height.min(rows - first_row);
        if chunk.len() < here * lines {
            return Err(inconsistent());
        }
        for (line, values) in chunk.chunks_exact(here).take(lines).enumerate() {
            // The file has the northern row first.
            let start = (rows - 1 - first_row - line) * columns + first_column;
            heights[start..start + here].copy_from_slice(values);
        }
    }
    if let Some(at) = heights.iter().position(|h| h.is_infinite()) {
        let message = format!(
            "the height of column {}, row {} of the file (from 0 at the upper left) is infinite or beyond the range of f32",
            at % columns,
            rows - 1 - at / columns
        );
        return Err(DataFileError::new(Kind::OutOfRange, message));
    }
    Ok(heights)
}

/// Samples as heights; NaN where they are missing.
fn samples(chunk: DecodingResult, missing: Option<f64>) -> Result<Vec<f32>, DataFileError> {
    let as_f32 = missing.map(|value| value as f32);
    let height = |sample: f64| if Some(sample) == missing { f32::NAN } else { sample as f32 };
    // The text of the tag may have fewer or more digits than the samples.
    let float = |sample: f64| if Some(sample as f32) == as_f32 { f32::NAN } else { sample as f32 };
    Ok(match chunk {
        DecodingResult::U8(values) => values.into_iter().map(|s| height(s.into())).collect(),
        DecodingResult::I8(values) => values.into_iter().map(|s| height(s.into())).collect(),
        DecodingResult::U16(values) => values.into_iter().map(|s| height(s.into())).collect(),
        DecodingResult::I16(values) => values.into_iter().map(|s| height(s.into())).collect(),
        DecodingResult::U32(values) => values.into_iter().map(|s| height(s.into())).collect(),
        DecodingResult::I32(values) => values.into_iter().map(|s| height(s.into())).collect(),
        DecodingResult::F32(values) => values.into_iter().map(|s| float(s.into())).collect(),
        DecodingResult::F64(values) => values.into_iter().map(float).collect(),
        _ => {
            let message = "samples of a type that is not read: heights are u8, i8, u16, i16, u32, i32, f32 or f64";
            return Err(DataFileError::new(Kind::Unsupported, message));
        }
    })
}

pub(super) fn write(raster: &Raster) -> Result<Vec<u8>, DataFileError> {
    let count = |n: usize| {
        let too_many =
            || DataFileError::new(Kind::TooLarge, format!("{n} columns or rows are too many for a TIFF file"));
        u32::try_from(n).map_err(|_| too_many())
    };
    let (columns, rows) = (count(raster.columns)?, count(raster.rows)?);
    let values: Vec<f32> = raster.heights.chunks_exact(raster.columns).rev().flatten().copied().collect();
    let mut bytes = Cursor::new(Vec::new());
    encode(&mut bytes, raster, [columns, rows], &values)
        .map_err(|e| DataFileError::new(Kind::TooLarge, format!("cannot be written as TIFF: {e}")))?;
    Ok(bytes.into_inner())
}

fn encode(
    out: &mut Cursor<Vec<u8>>,
    raster: &Raster,
    [columns, rows]: [u32; 2],
    values: &[f32],
) -> Result<(), TiffError> {
    let ([dx, dy], [x, y]) = (raster.cell, raster.lower_left);
    let mut encoder = TiffEncoder::new(out)?.with_compression(Compression::Deflate(DeflateLevel::default()));
    let mut image = encoder.new_image::<colortype::Gray32Float>(columns, rows)?;
    let tags = image.encoder();
    tags.write_tag(Tag::ModelPixelScaleTag, &[dx, dy, 0.0][..])?;
    // Tied at the south-west corner, which is what a raster holds: the northern edge would be rounded.
    tags.write_tag(Tag::ModelTiepointTag, &[0.0, f64::from(rows), 0.0, x, y, 0.0][..])?;
    tags.write_tag(Tag::GeoKeyDirectoryTag, &METRES_AND_AREAS[..])?;
    tags.write_tag(Tag::GdalNodata, "nan")?;
    image.write_data(values)
}
