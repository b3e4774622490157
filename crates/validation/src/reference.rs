//! The reference files of `data/reference`, embedded: numbers of independent code, with their source named inside.
//!
//! What a file says is plain data here; what is compared with it is the business of `cases`.

pub(crate) mod boxes;
pub(crate) mod chains;
pub(crate) mod matrix;
pub(crate) mod problem;
pub(crate) mod single;
pub(crate) mod thesis;

use serde::de::DeserializeOwned;

use crate::error::{Found, ValidationError};

/// The value in the embedded file `file`.
fn read<T: DeserializeOwned>(file: &'static str, text: &str) -> Found<T> {
    serde_json::from_str(text).map_err(|source| ValidationError::Reference { file, source })
}
