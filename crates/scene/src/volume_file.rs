//! Volumes of voxels from files: `.npy` arrays, and `.raw` with a `.toml` beside it that says what is in it.
//!
//! What the values mean, inside and outside or a density, is left to the callers. Files are read piece by piece; what
//! they announce is held against their length before memory is taken.

mod npy;
mod raw;

use std::io::{BufReader, Read};
use std::path::Path;

use crate::data_file::{DataFileError, DataFileErrorKind as Kind, DataPlace, open};

/// Most voxels that are read, 2 GiB of values.
pub const MOST_VOXELS: usize = 1 << 29;

/// Values over a grid of voxels.
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Voxels along x, y and z, each at least 1.
    pub size: [usize; 3],
    /// Value of each voxel, x fastest, then y; finite. Truth values are 0 and 1.
    pub values: Vec<f32>,
    /// Size of a voxel along x, y and z \[m\], where the file says it.
    pub voxel: Option<[f64; 3]>,
}

impl Volume {
    /// Reads a file; its name must end in `.npy` or `.raw`. An array of NumPy is taken as `a[x, y, z]`.
    ///
    /// # Errors
    /// [`DataFileError`] for a file that cannot be read, is of another kind, or breaks the rules of its format.
    pub fn load(path: &Path) -> Result<Self, DataFileError> {
        match path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase().as_str() {
            "npy" => {
                let (file, length) = open(path)?;
                npy::read(BufReader::with_capacity(PIECE, file), length).map_err(|e| e.within(path))
            }
            "raw" => raw::load(path),
            _ => {
                let message = "volumes are .npy and .raw files";
                Err(DataFileError::new(Kind::Unsupported, message).within(path))
            }
        }
    }

    /// Reads the bytes of an `.npy` file, version 1 to 3.
    ///
    /// # Errors
    /// [`DataFileError`] with the byte at which the file breaks the rules.
    pub fn from_npy(bytes: &[u8]) -> Result<Self, DataFileError> {
        npy::read(bytes, bytes.len() as u64)
    }

    /// Reads bytes that are nothing but values, with the text that describes them.
    ///
    /// # Errors
    /// [`DataFileError`] for a description that is wrong or does not fit the bytes.
    pub fn from_raw(bytes: &[u8], description: &str) -> Result<Self, DataFileError> {
        raw::read(bytes, bytes.len() as u64, description)
    }
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Types of a voxel's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    F64,
}

impl Sample {
    fn bytes(self) -> usize {
        match self {
            Sample::Bool | Sample::U8 | Sample::I8 => 1,
            Sample::U16 | Sample::I16 => 2,
            Sample::U32 | Sample::I32 | Sample::F32 => 4,
            Sample::F64 => 8,
        }
    }

    /// The value of bytes that are in little-endian order.
    fn value(self, bytes: [u8; 8]) -> f32 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Sample::Bool => f32::from(u8::from(a != 0)),
            Sample::U8 => f32::from(a),
            Sample::I8 => f32::from(a as i8),
            Sample::U16 => f32::from(u16::from_le_bytes([a, b])),
            Sample::I16 => f32::from(i16::from_le_bytes([a, b])),
            Sample::U32 => u32::from_le_bytes([a, b, c, d]) as f32,
            Sample::I32 => i32::from_le_bytes([a, b, c, d]) as f32,
            Sample::F32 => f32::from_le_bytes([a, b, c, d]),
            Sample::F64 => f64::from_le_bytes(bytes) as f32,
        }
    }
}

/// How the values lie in a file.
#[derive(Clone, Copy, Debug)]
struct Layout {
    size: [usize; 3],
    sample: Sample,
    big_endian: bool,
    x_fastest: bool,
    /// Bytes before the first value.
    header: u64,
}

impl Layout {
    /// Reads the values from `reader`, which stands at the first, of a file of `length` bytes.
    fn read(&self, mut reader: impl Read, length: u64) -> Result<Vec<f32>, DataFileError> {
        let count = self.check(length)?;
        let mut values = vec![0.0; count];
        let width = self.sample.bytes();
        let mut piece = vec![0; PIECE];
        let mut done = 0;
        while done < count {
            let here = (count - done).min(PIECE / width);
            let bytes = &mut piece[..here * width];
            let offset = self.header + (done * width) as u64;
            reader.read_exact(bytes).map_err(|e| DataFileError::io(&e).at(DataPlace::Offset(offset)))?;
            for (i, sample) in bytes.chunks_exact_mut(width).enumerate() {
                let value = self.value(sample);
                let at = self.place(done + i);
                if !value.is_finite() {
                    let voxel = self.voxel(at);
                    let message = format!("the value of voxel {voxel:?} must be finite and within the range of f32");
                    let offset = DataPlace::Offset(offset + (i * width) as u64);
                    return Err(DataFileError::new(Kind::OutOfRange, message).at(offset));
                }
                values[at] = value;
            }
            done += here;
        }
        Ok(values)
    }

    /// The number of voxels, when there are some, not too many, and as many as the file has.
    fn check(&self, length: u64) -> Result<usize, DataFileError> {
        let [nx, ny, nz] = self.size;
        let size = format!("{nx} x {ny} x {nz} voxels");
        if self.size.contains(&0) {
            let message = format!("{size}, but there must be one at least along each axis");
            return Err(DataFileError::new(Kind::OutOfRange, message));
        }
        let count = nx.checked_mul(ny).and_then(|n| n.checked_mul(nz)).filter(|n| *n <= MOST_VOXELS);
        let Some(count) = count else {
            let message = format!("{size}, but at most {MOST_VOXELS} are read");
            return Err(DataFileError::new(Kind::TooLarge, message));
        };
        let needed = self.header + (count * self.sample.bytes()) as u64;
        if length == needed {
            return Ok(count);
        }
        let kind = if length < needed { Kind::CutShort } else { Kind::TooLong };
        let message = format!(
            "{size} of {} bytes and a header of {} bytes take {needed} bytes, but the file has {length}",
            self.sample.bytes(),
            self.header
        );
        Err(DataFileError::new(kind, message))
    }

    fn value(&self, bytes: &mut [u8]) -> f32 {
        if self.big_endian {
            bytes.reverse();
        }
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        self.sample.value(word)
    }

    /// The number in the volume of the value with number `i` in the file.
    fn place(&self, i: usize) -> usize {
        if self.x_fastest {
            return i;
        }
        let [nx, ny, nz] = self.size;
        let (x, y, z) = (i / (ny * nz), i / nz % ny, i % nz);
        x + nx * (y + ny * z)
    }

    fn voxel(&self, at: usize) -> [usize; 3] {
        let [nx, ny, _] = self.size;
        [at % nx, at / nx % ny, at / (nx * ny)]
    }
}
