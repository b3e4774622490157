//! `.npy`: a magic word, a version, and a dictionary in Python's notation, then the values. Format: NumPy Enhancement
//! Proposal 1, and `numpy.lib.format` for versions 2 and 3.

use std::io::Read;

use super::{Layout, Sample, Volume};
use crate::data_file::{DataFileError, DataFileErrorKind as Kind, DataPlace};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longest dictionary that is read \[bytes\]; NumPy itself stops at 10 000.
const LONGEST_HEADER: u64 = 1 << 16;

pub(super) fn read(mut reader: impl Read, length: u64) -> Result<Volume, DataFileError> {
    let (text, header) = dictionary(&mut reader)?;
    let Description { dtype, fortran_order, shape } = Description::parse(&text)?;
    let (sample, big_endian) = sample(&dtype)?;
    let size = <[usize; 3]>::try_from(shape.as_slice()).map_err(|_| {
        let message = format!("an array with {} dimensions {shape:?}, but a volume has 3", shape.len());
        DataFileError::new(Kind::Unsupported, message)
    })?;
    let layout = Layout { size, sample, big_endian, x_fastest: fortran_order, header };
    Ok(Volume { size, values: layout.read(reader, length)?, voxel: None })
}

/// The dictionary and the number of bytes up to the first value.
fn dictionary(reader: &mut impl Read) -> Result<(String, u64), DataFileError> {
    let mut take = |bytes: &mut [u8], offset: u64| {
        reader.read_exact(bytes).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                let message = "the file ends within the header of an .npy file";
                DataFileError::new(Kind::CutShort, message).at(DataPlace::Offset(offset))
            }
            _ => DataFileError::io(&e),
        })
    };
    let mut start = [0; 8];
    take(&mut start, 0)?;
    if start[..6] != MAGIC[..] {
        return Err(DataFileError::new(Kind::Format, "does not begin with the magic word of an .npy file"));
    }
    let mut word = [0; 4];
    let width: usize = match start[6] {
        1 => 2,
        2 | 3 => 4,
        version => {
            let message = format!("version {version}.{} of .npy, but 1 to 3 are read", start[7]);
            return Err(DataFileError::new(Kind::Unsupported, message).at(DataPlace::Offset(6)));
        }
    };
    take(&mut word[..width], 8)?;
    let length = u64::from(u32::from_le_bytes(word));
    if length > LONGEST_HEADER {
        let message = format!("a header of {length} bytes, but at most {LONGEST_HEADER} are read");
        return Err(DataFileError::new(Kind::TooLarge, message).at(DataPlace::Offset(8)));
    }
    let before = 8 + width as u64;
    let mut bytes = vec![0; length as usize];
    take(&mut bytes, before)?;
    // Before version 3 the text is Latin-1, whose letters only names of fields use, which are refused.
    Ok((String::from_utf8_lossy(&bytes).into_owned(), before + length))
}

/// Type and order of bytes from a code such as `<f4`.
fn sample(code: &str) -> Result<(Sample, bool), DataFileError> {
    let unsupported = |what: &str| Err(DataFileError::new(Kind::Unsupported, format!("{what} (descr `{code}`)")));
    let (order, kind) = match code.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &code[1..]),
        _ => ('|', code),
    };
    let sample = match kind {
        "b1" | "?" => Sample::Bool,
        "u1" => Sample::U8,
        "i1" => Sample::I8,
        "u2" => Sample::U16,
        "i2" => Sample::I16,
        "u4" => Sample::U32,
        "i4" => Sample::I32,
        "f4" => Sample::F32,
        "f8" => Sample::F64,
        _ if kind.starts_with('O') => return unsupported("an array of Python objects, but expected numbers"),
        _ if kind.starts_with('c') => return unsupported("complex numbers, but expected real ones"),
        _ if kind.starts_with(['S', 'U', 'V']) => return unsupported("text or records, but expected numbers"),
        _ => return unsupported("values of a type that is not read: b1, u1, i1, u2, i2, u4, i4, f4 and f8 are"),
    };
    if sample.bytes() > 1 && matches!(order, '|' | '=') {
        let message = format!("descr `{code}` does not say the order of bytes, `<` or `>`");
        return Err(DataFileError::new(Kind::Format, message));
    }
    Ok((sample, order == '>'))
}

/// What the dictionary says.
struct Description {
    dtype: String,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Description {
    fn parse(text: &str) -> Result<Self, DataFileError> {
        let bad = |message: String| DataFileError::new(Kind::Format, format!("the header of the .npy file: {message}"));
        let (mut dtype, mut fortran_order, mut shape) = (None, None, None);
        let mut rest = eat(text, '{').ok_or_else(|| bad("expected a dictionary in `{}`".to_owned()))?;
        while eat(rest, '}').is_none() {
            let (key, after) = quoted(rest).ok_or_else(|| bad("expected a key in quotes".to_owned()))?;
            rest = eat(after, ':').ok_or_else(|| bad(format!("expected `:` after `{key}`")))?;
            let twice = match key {
                "descr" if rest.trim_start().starts_with(['[', '(']) => {
                    let message = "an array of records (`descr` is a list), but expected one number for each voxel";
                    return Err(DataFileError::new(Kind::Unsupported, message));
                }
                "descr" => {
                    let (code, after) = quoted(rest).ok_or_else(|| bad("`descr` must be a text".to_owned()))?;
                    rest = after;
                    dtype.replace(code.to_owned()).is_some()
                }
                "fortran_order" => {
                    let (value, after) =
                        truth(rest).ok_or_else(|| bad("`fortran_order` must be True or False".to_owned()))?;
                    rest = after;
                    fortran_order.replace(value).is_some()
                }
                "shape" => {
                    let (value, after) =
                        tuple(rest).ok_or_else(|| bad("`shape` must be whole numbers in `()`".to_owned()))?;
                    rest = after;
                    shape.replace(value).is_some()
                }
                other => return Err(bad(format!("unknown key `{other}`: known are descr, fortran_order and shape"))),
            };
            if twice {
                return Err(bad(format!("`{key}` is given twice")));
            }
            match eat(rest, ',') {
                Some(after) => rest = after,
                None if eat(rest, '}').is_some() => {}
                None => return Err(bad("expected `,` or `}`".to_owned())),
            }
        }
        let lacking = |key: &str| bad(format!("no `{key}`"));
        Ok(Description {
            dtype: dtype.ok_or_else(|| lacking("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| lacking("fortran_order"))?,
            shape: shape.ok_or_else(|| lacking("shape"))?,
        })
    }
}

fn eat(text: &str, expected: char) -> Option<&str> {
    text.trim_start().strip_prefix(expected)
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

fn truth(text: &str) -> Option<(bool, &str)> {
    let text = text.trim_start();
    text.strip_prefix("True").map(|rest| (true, rest)).or_else(|| text.strip_prefix("False").map(|rest| (false, rest)))
}

fn tuple(text: &str) -> Option<(Vec<usize>, &str)> {
    let (inside, rest) = eat(text, '(')?.split_once(')')?;
    let numbers = inside.trim_end().trim_end_matches(',');
    if numbers.trim().is_empty() {
        return Some((Vec::new(), rest));
    }
    // Python 2 wrote long numbers with an L.
    let number = |word: &str| word.trim().trim_end_matches('L').parse().ok();
    Some((numbers.split(',').map(number).collect::<Option<_>>()?, rest))
}
