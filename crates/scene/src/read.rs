//! Typed access to the tables of a scene file, where every refusal points at the text that it is about.
//!
//! The parsed document keeps the place of each key and value. A [`Table`] is opened with the keys that it may have, so
//! that an unknown key is refused before anything else; an [`Item`] is a key with its value. What the keys mean is for
//! the modules of [`crate::parse`] to say.

use std::ops::Range;

use granule_model::{DQuat, DVec3};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{SceneError, SceneErrorKind as Kind, Source, listed, nearest};

/// How far the length of a quaternion may be from 1: what printing six digits loses.
const UNIT_QUATERNION: f64 = 1e-6;
/// Largest component of a vector.
const LARGEST: f64 = 1e100;
/// Largest coordinate of a place \[m\]: that of the engine.
const FARTHEST: f64 = 1e12;

/// A value with its key, or with the key of the array that it is in.
#[derive(Clone, Copy)]
pub(crate) struct Item<'t, 's> {
    pub(crate) source: &'t Source,
    pub(crate) key: &'t str,
    value: &'t Spanned<DeValue<'s>>,
}

/// A table, all of whose keys are known ones.
pub(crate) struct Table<'t, 's> {
    source: &'t Source,
    /// What the table is, for messages: "a body".
    what: &'static str,
    span: Range<usize>,
    keys: &'static [&'static str],
    table: &'t DeTable<'s>,
}

impl<'t, 's> Table<'t, 's> {
    /// The whole document.
    pub(crate) fn root(
        source: &'t Source,
        table: &'t DeTable<'s>,
        keys: &'static [&'static str],
    ) -> Result<Self, SceneError> {
        Table::open(source, "a scene", 0..0, table, keys)
    }

    fn open(
        source: &'t Source,
        what: &'static str,
        span: Range<usize>,
        table: &'t DeTable<'s>,
        keys: &'static [&'static str],
    ) -> Result<Self, SceneError> {
        let unknown = table.keys().filter(|k| !keys.contains(&&**k.get_ref())).min_by_key(|k| k.span().start);
        match unknown {
            Some(key) => Err(unknown_key(source, what, key.get_ref(), key.span(), keys)),
            None => Ok(Table { source, what, span, keys, table }),
        }
    }

    /// The value of `key`, which must be one of those the table was opened with.
    pub(crate) fn get(&self, key: &'static str) -> Option<Item<'t, 's>> {
        debug_assert!(self.keys.contains(&key), "`{key}` is read but not listed");
        self.table.get(key).map(|value| Item { source: self.source, key, value })
    }

    /// As `get`, an error when the key is not there.
    pub(crate) fn require(&self, key: &'static str) -> Result<Item<'t, 's>, SceneError> {
        self.get(key).ok_or_else(|| {
            let message = format!("`{key}` is missing: {} needs it", self.what);
            self.source.error(Kind::MissingKey, self.span.clone(), message).label(format!("without `{key}`"))
        })
    }

    /// `read` of the value of `key`, or `default` where there is none.
    pub(crate) fn or<T>(
        &self,
        key: &'static str,
        default: T,
        read: impl FnOnce(Item<'t, 's>) -> Result<T, SceneError>,
    ) -> Result<T, SceneError> {
        self.get(key).map_or(Ok(default), read)
    }

    /// `read` of the value of `key` where there is one.
    pub(crate) fn optional<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(Item<'t, 's>) -> Result<T, SceneError>,
    ) -> Result<Option<T>, SceneError> {
        self.get(key).map(read).transpose()
    }

    /// The place of the table.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// A number for a message, with an exponent where it would be a row of zeros.
pub(crate) fn shown(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-5..1e10).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// What follows the number that a text begins with, its unit.
fn quantity(text: &str) -> Option<&str> {
    let text = text.trim();
    let number = text.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).unwrap_or(text.len());
    text[..number].parse::<f64>().ok().map(|_| text[number..].trim())
}

fn unknown_key(source: &Source, what: &str, key: &str, span: Range<usize>, keys: &[&'static str]) -> SceneError {
    let error = source.error(Kind::UnknownKey, span, format!("unknown key `{key}` in {what}"));
    match nearest(key, keys.iter().copied()) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.help(format!("known keys are {}", listed(keys.iter().copied()))),
    }
}

impl<'t, 's> Item<'t, 's> {
    /// The place of the value.
    pub(crate) fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// A mistake at this value.
    pub(crate) fn error(&self, kind: Kind, message: impl Into<String>) -> SceneError {
        self.source.error(kind, self.span(), message)
    }

    pub(crate) fn wrong_type(&self, expected: &str) -> SceneError {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        let message = format!("`{}` is {found}, but must be {expected}", self.key);
        let error = self.error(Kind::WrongType, message).label("wrong type");
        // "400 mm", where a number or a table that may stand for one is expected.
        let quantity = self.as_text().and_then(quantity);
        match quantity {
            Some(unit) if expected.contains("number") => {
                let unit = if unit.is_empty() { String::new() } else { format!(" and without `{unit}`") };
                error.help(format!("numbers are written without quotes{unit}: all units are SI, lengths in m"))
            }
            _ => error,
        }
    }

    pub(crate) fn out_of_range(&self, value: impl std::fmt::Display, expected: &str) -> SceneError {
        self.error(Kind::OutOfRange, format!("`{}` is {value}, but must be {expected}", self.key)).label("out of range")
    }

    /// A finite number.
    pub(crate) fn number(self) -> Result<f64, SceneError> {
        let parsed = match self.value.get_ref() {
            DeValue::Float(f) => f.as_str().parse::<f64>().ok(),
            DeValue::Integer(i) if i.radix() == 10 => i.as_str().parse::<f64>().ok(),
            DeValue::Integer(i) => i128::from_str_radix(i.as_str(), i.radix()).ok().map(|n| n as f64),
            _ => return Err(self.wrong_type("a number")),
        };
        match parsed {
            Some(x) if x.is_finite() => Ok(x),
            Some(x) => Err(self.out_of_range(shown(x), "a finite number")),
            None => Err(self.wrong_type("a number")),
        }
    }

    /// A finite number above 0.
    pub(crate) fn positive(self) -> Result<f64, SceneError> {
        let x = self.number()?;
        if x > 0.0 { Ok(x) } else { Err(self.out_of_range(shown(x), "above 0")) }
    }

    /// A finite number not below 0.
    pub(crate) fn not_negative(self) -> Result<f64, SceneError> {
        let x = self.number()?;
        if x >= 0.0 { Ok(x) } else { Err(self.out_of_range(shown(x), "0 or more")) }
    }

    /// A number between `low` and `high`, both allowed.
    pub(crate) fn between(self, low: f64, high: f64) -> Result<f64, SceneError> {
        let x = self.number()?;
        if (low..=high).contains(&x) {
            return Ok(x);
        }
        Err(self.out_of_range(shown(x), &format!("from {} to {}", shown(low), shown(high))))
    }

    /// A number above 0 and at most 1.
    pub(crate) fn share(self) -> Result<f64, SceneError> {
        let x = self.number()?;
        if (f64::MIN_POSITIVE..=1.0).contains(&x) {
            Ok(x)
        } else {
            Err(self.out_of_range(shown(x), "above 0, at most 1"))
        }
    }

    /// A whole number between `low` and `high`, both allowed.
    pub(crate) fn integer(self, low: u64, high: u64) -> Result<u64, SceneError> {
        let DeValue::Integer(i) = self.value.get_ref() else {
            return Err(self.wrong_type("a whole number"));
        };
        match i128::from_str_radix(i.as_str(), i.radix()) {
            Ok(n) if (i128::from(low)..=i128::from(high)).contains(&n) => Ok(n as u64),
            _ => Err(self.out_of_range(i, &format!("a whole number from {low} to {high}"))),
        }
    }

    /// `true` or `false`.
    pub(crate) fn boolean(self) -> Result<bool, SceneError> {
        match self.value.get_ref() {
            DeValue::Boolean(b) => Ok(*b),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// A string.
    pub(crate) fn text(self) -> Result<&'t str, SceneError> {
        match self.value.get_ref() {
            DeValue::String(s) => Ok(s),
            _ => Err(self.wrong_type("a string")),
        }
    }

    /// A string of one line, as names are.
    pub(crate) fn line(self) -> Result<&'t str, SceneError> {
        let text = self.text()?;
        if text.chars().any(char::is_control) {
            let message = format!("`{}` must have no control characters, such as ends of lines", self.key);
            return Err(self.error(Kind::OutOfRange, message).label("out of range"));
        }
        Ok(text)
    }

    /// The string, where the value is one.
    pub(crate) fn as_text(self) -> Option<&'t str> {
        match self.value.get_ref() {
            DeValue::String(s) => Some(s),
            _ => None,
        }
    }

    /// True for a number.
    pub(crate) fn is_number(self) -> bool {
        matches!(self.value.get_ref(), DeValue::Float(_) | DeValue::Integer(_))
    }

    /// A string that is one of `names`: its place among them.
    pub(crate) fn one_of(self, names: &[&'static str]) -> Result<usize, SceneError> {
        let given = self.text()?;
        match names.iter().position(|n| *n == given) {
            Some(i) => Ok(i),
            None => Err(self.unknown_name(&format!("`{}`", self.key), given, names.iter().copied())),
        }
    }

    /// The error for a name that is none of `known`.
    pub(crate) fn unknown_name<'a>(
        self,
        what: &str,
        given: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> SceneError {
        let error = self.error(Kind::UnknownName, format!("unknown {what} `{given}`"));
        match (nearest(given, known.clone()), known.clone().next()) {
            (Some(name), _) => error.help(format!("did you mean `{name}`?")),
            (None, Some(_)) => error.help(format!("known are {}", listed(known))),
            (None, None) => error.help("the scene defines none"),
        }
    }

    /// The values of an array.
    pub(crate) fn array(self) -> Result<Vec<Item<'t, 's>>, SceneError> {
        match self.value.get_ref() {
            DeValue::Array(a) => Ok(a.iter().map(|value| Item { value, ..self }).collect()),
            _ => Err(self.wrong_type("an array")),
        }
    }

    /// `N` finite numbers.
    pub(crate) fn numbers<const N: usize>(self) -> Result<[f64; N], SceneError> {
        let items = match self.value.get_ref() {
            DeValue::Array(_) => self.array()?,
            _ => return Err(self.wrong_type(&format!("an array of {N} numbers"))),
        };
        if items.len() != N {
            let message = format!("`{}` has {} numbers, but must have {N}", self.key, items.len());
            return Err(self.error(Kind::WrongType, message).label("wrong length"));
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items) {
            *number = item.number()?;
        }
        Ok(numbers)
    }

    /// Three numbers whose squares, and products with masses, stay finite.
    pub(crate) fn vector(self) -> Result<DVec3, SceneError> {
        self.vector_within(LARGEST)
    }

    /// A place \[m\], as near to the origin as the engine takes it.
    pub(crate) fn point(self) -> Result<DVec3, SceneError> {
        self.vector_within(FARTHEST)
    }

    fn vector_within(self, most: f64) -> Result<DVec3, SceneError> {
        let vector = self.numbers::<3>()?;
        for item in self.array()? {
            item.between(-most, most)?;
        }
        Ok(DVec3::from_array(vector))
    }

    /// Three finite numbers above 0.
    pub(crate) fn positive_vector(self) -> Result<DVec3, SceneError> {
        let v = self.vector()?;
        if v.min_element() > 0.0 { Ok(v) } else { Err(self.out_of_range(v, "above 0 along every axis")) }
    }

    /// A unit quaternion x, y, z, w; normalised to the last bit.
    pub(crate) fn rotation(self) -> Result<DQuat, SceneError> {
        let q = DQuat::from_array(self.numbers::<4>()?);
        let length = q.length();
        if (length - 1.0).abs() <= UNIT_QUATERNION {
            return Ok(q.normalize());
        }
        let message = format!("`{}` has length {length}, but a rotation needs a unit quaternion", self.key);
        let error = self.error(Kind::OutOfRange, message).label("x, y, z, w");
        let unit = q / length;
        if unit.is_finite() && length > 0.0 {
            let DQuat { x, y, z, w } = unit;
            return Err(error.help(format!("with unit length it would be [{x:?}, {y:?}, {z:?}, {w:?}]")));
        }
        Err(error)
    }

    /// A table with no other keys than `keys`.
    pub(crate) fn table(self, what: &'static str, keys: &'static [&'static str]) -> Result<Table<'t, 's>, SceneError> {
        match self.value.get_ref() {
            DeValue::Table(t) => Table::open(self.source, what, self.span(), t, keys),
            _ => Err(self.wrong_type("a table")),
        }
    }

    /// The entries of a table with names of the user's choice, in the order of the file.
    pub(crate) fn entries(self) -> Result<Vec<Item<'t, 's>>, SceneError> {
        let DeValue::Table(t) = self.value.get_ref() else {
            return Err(self.wrong_type("a table"));
        };
        let mut entries: Vec<_> = t.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Ok(entries.into_iter().map(|(key, value)| Item { source: self.source, key: key.get_ref(), value }).collect())
    }

    /// A table with one key, which says what kind of thing its value describes: the kind's place among `kinds`.
    pub(crate) fn tagged(
        self,
        what: &'static str,
        kinds: &'static [&'static str],
    ) -> Result<(usize, Item<'t, 's>), SceneError> {
        let table = self.table(what, kinds)?;
        let mut given: Vec<_> = table.table.iter().collect();
        given.sort_by_key(|(key, _)| key.span().start);
        match given[..] {
            [(key, value)] => {
                let kind = kinds.iter().position(|k| *k == key.get_ref()).expect("the keys were checked on opening");
                Ok((kind, Item { source: self.source, key: kinds[kind], value }))
            }
            [] => {
                let message = format!("{what} needs one of {}", listed(kinds.iter().copied()));
                Err(self.error(Kind::MissingKey, message))
            }
            [(first, _), (second, _), ..] => {
                let message = format!("{what} is either `{}` or `{}`", first.get_ref(), second.get_ref());
                Err(self.source.error(Kind::Conflict, second.span(), message).label("the second one"))
            }
        }
    }
}
