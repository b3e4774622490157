//! `.raw`: values and nothing else, described by a `.toml` of the same name beside them.

use std::io::{BufReader, Read};
use std::path::Path;

use toml::{Table, Value};

use super::{Layout, PIECE, Sample, Volume};
use crate::bytes;
use crate::data_file::{DataFileError, DataFileErrorKind as Kind, DataPlace, open};
use crate::error::{listed, nearest};

const KEYS: [&str; 6] = ["size", "type", "order", "endian", "header_bytes", "voxel"];
const TYPES: [(&str, Sample); 9] = [
    ("bool", Sample::Bool),
    ("u8", Sample::U8),
    ("i8", Sample::I8),
    ("u16", Sample::U16),
    ("i16", Sample::I16),
    ("u32", Sample::U32),
    ("i32", Sample::I32),
    ("f32", Sample::F32),
    ("f64", Sample::F64),
];
/// Most of a description that is read \[MiB\].
const LARGEST_DESCRIPTION: u64 = 1;

pub(super) fn load(path: &Path) -> Result<Volume, DataFileError> {
    let beside = path.with_extension("toml");
    let bytes = bytes::read(&beside, LARGEST_DESCRIPTION).map_err(|why| {
        let message = format!("the description of {} cannot be read: {why}", path.display());
        DataFileError::new(Kind::Io, message).within(&beside)
    })?;
    let described = std::str::from_utf8(&bytes)
        .map_err(|_| DataFileError::new(Kind::Format, "is not text in UTF-8"))
        .and_then(Description::parse)
        .map_err(|e| e.within(&beside))?;
    let (file, length) = open(path)?;
    described.volume(BufReader::with_capacity(PIECE, file), length).map_err(|e| e.within(path))
}

pub(super) fn read(reader: impl Read, length: u64, description: &str) -> Result<Volume, DataFileError> {
    Description::parse(description)?.volume(reader, length)
}

struct Description {
    layout: Layout,
    voxel: Option<[f64; 3]>,
}

impl Description {
    fn parse(text: &str) -> Result<Self, DataFileError> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            let place = e.span().map_or(DataPlace::File, |span| character(text, span.start));
            DataFileError::new(Kind::Format, e.message().to_owned()).at(place)
        })?;
        let keys = Keys { table: &table, text };
        keys.known()?;
        let size = keys.size()?;
        let sample = keys.choice("type", None, &TYPES)?;
        let x_fastest = keys.choice("order", Some(true), &[("x-fastest", true), ("z-fastest", false)])?;
        let big_endian = keys.choice("endian", Some(false), &[("little", false), ("big", true)])?;
        let header = match table.get("header_bytes") {
            None => 0,
            Some(Value::Integer(n)) if (0..1 << 40).contains(n) => n.unsigned_abs(),
            Some(_) => return keys.wrong("header_bytes", "must be a whole number from 0"),
        };
        Ok(Description { layout: Layout { size, sample, big_endian, x_fastest, header }, voxel: keys.voxel()? })
    }

    fn volume(&self, mut reader: impl Read, length: u64) -> Result<Volume, DataFileError> {
        self.layout.check(length)?;
        std::io::copy(&mut reader.by_ref().take(self.layout.header), &mut std::io::sink())
            .map_err(|e| DataFileError::io(&e))?;
        let values = self.layout.read(reader, length)?;
        Ok(Volume { size: self.layout.size, values, voxel: self.voxel })
    }
}

struct Keys<'a> {
    table: &'a Table,
    text: &'a str,
}

impl Keys<'_> {
    fn known(&self) -> Result<(), DataFileError> {
        let Some(key) = self.table.keys().find(|key| !KEYS.contains(&key.as_str())) else { return Ok(()) };
        let known = match nearest(key, KEYS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", listed(KEYS)),
        };
        Err(DataFileError::new(Kind::Format, format!("unknown key `{key}`; {known}")).at(self.place(key)))
    }

    fn size(&self) -> Result<[usize; 3], DataFileError> {
        let Some(value) = self.table.get("size") else { return self.lacking("size") };
        let number = |value: &Value| value.as_integer().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        let numbers: Option<Vec<usize>> = value.as_array().and_then(|list| list.iter().map(number).collect());
        match numbers.and_then(|list| <[usize; 3]>::try_from(list).ok()) {
            Some(size) => Ok(size),
            None => self.wrong("size", "must be three whole numbers above 0: voxels along x, y and z"),
        }
    }

    fn choice<T: Copy>(&self, key: &str, default: Option<T>, known: &[(&str, T)]) -> Result<T, DataFileError> {
        let Some(value) = self.table.get(key) else { return default.map_or_else(|| self.lacking(key), Ok) };
        match value.as_str().and_then(|name| known.iter().find(|(other, _)| *other == name)) {
            Some((_, choice)) => Ok(*choice),
            None => self.wrong(key, &format!("must be one of {}", listed(known.iter().map(|(name, _)| *name)))),
        }
    }

    fn voxel(&self) -> Result<Option<[f64; 3]>, DataFileError> {
        let Some(value) = self.table.get("voxel") else { return Ok(None) };
        let length = |value: &Value| {
            let x = value.as_float().or_else(|| value.as_integer().map(|n| n as f64))?;
            (x.is_finite() && x > 0.0).then_some(x)
        };
        let lengths: Option<Vec<f64>> = match value.as_array() {
            Some(list) => list.iter().map(length).collect(),
            None => length(value).map(|x| vec![x; 3]),
        };
        match lengths.and_then(|list| <[f64; 3]>::try_from(list).ok()) {
            Some(voxel) => Ok(Some(voxel)),
            None => self.wrong("voxel", "must be one or three lengths above 0 [m]"),
        }
    }

    fn lacking<T>(&self, key: &str) -> Result<T, DataFileError> {
        Err(DataFileError::new(Kind::Format, format!("no `{key}`")))
    }

    fn wrong<T>(&self, key: &str, expected: &str) -> Result<T, DataFileError> {
        Err(DataFileError::new(Kind::OutOfRange, format!("`{key}` {expected}")).at(self.place(key)))
    }

    /// The line that begins with the key.
    fn place(&self, key: &str) -> DataPlace {
        let begins = |line: &str| line.trim_start().trim_start_matches(['"', '\'']).starts_with(key);
        let line = self.text.lines().position(begins);
        line.map_or(DataPlace::File, |line| DataPlace::Character { line: line + 1, column: 1 })
    }
}

/// Line and column of a byte.
fn character(text: &str, at: usize) -> DataPlace {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    DataPlace::Character { line, column }
}
