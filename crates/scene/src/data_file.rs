//! What can be wrong with a file of numbers, such as a terrain or a volume: the file, the place in it, and why.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file of numbers cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFileError {
    /// The file, where one was named.
    pub file: Option<PathBuf>,
    /// Where in it.
    pub place: DataPlace,
    /// What kind of mistake it is.
    pub kind: DataFileErrorKind,
    /// What was found there and what was expected.
    pub message: String,
}

/// What kind of mistake a file of numbers holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataFileErrorKind {
    /// It cannot be read or written.
    Io,
    /// It breaks the rules of its format.
    Format,
    /// It is valid, but of a kind that is not read.
    Unsupported,
    /// It ends too early.
    CutShort,
    /// It goes on after its end.
    TooLong,
    /// It holds more than is read.
    TooLarge,
    /// A number out of its range; NaN and infinity are in none.
    OutOfRange,
    /// Its coordinates are not metres.
    NotMetres,
    /// Cells without a height, where every one needs one.
    MissingCells,
}

/// A place in a file of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlace {
    /// The file as a whole.
    File,
    /// A character of a text: line and column, both from 1.
    Character {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// A byte of a binary file, from 0.
    Offset(u64),
}

impl fmt::Display for DataFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        match self.place {
            DataPlace::File => {}
            DataPlace::Character { line, column } => write!(f, "line {line}, column {column}: ")?,
            DataPlace::Offset(offset) => write!(f, "byte {offset}: ")?,
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for DataFileError {}

impl DataFileError {
    pub(crate) fn new(kind: DataFileErrorKind, message: impl Into<String>) -> Self {
        DataFileError { file: None, place: DataPlace::File, kind, message: message.into() }
    }

    pub(crate) fn at(mut self, place: DataPlace) -> Self {
        self.place = place;
        self
    }

    pub(crate) fn within(mut self, file: &Path) -> Self {
        self.file = Some(file.to_path_buf());
        self
    }

    /// What the operating system said; a file that ends too early is told as such.
    pub(crate) fn io(error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::UnexpectedEof => DataFileErrorKind::CutShort,
            _ => DataFileErrorKind::Io,
        };
        DataFileError::new(kind, format!("cannot be read: {error}"))
    }
}

/// A file opened for reading, with its length \[bytes\]: 0 for pipes and devices, which have none.
///
/// # Errors
/// [`DataFileError`] with the file in it.
pub(crate) fn open(path: &Path) -> Result<(File, u64), DataFileError> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (metadata, file) = opened.map_err(|e| DataFileError::io(&e).within(path))?;
    if metadata.is_dir() {
        let message = "is a folder, but must be a file";
        return Err(DataFileError::new(DataFileErrorKind::Io, message).within(path));
    }
    Ok((file, metadata.len()))
}

/// The smallest and the largest of numbers; NaN is passed over.
pub(crate) fn range_of(values: &[f32]) -> [f32; 2] {
    let range = |[low, high]: [f32; 2], v: &f32| [low.min(*v), high.max(*v)];
    values.iter().fold([f32::INFINITY, f32::NEG_INFINITY], range)
}
