//! `granule terrain`: what files of terrain contain, and the same terrain in other formats, parts and cells.

mod convert;
mod info;

pub(crate) use convert::command as convert;
pub(crate) use info::command as info;

use std::path::Path;

/// Formats of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeshFormat {
    Obj,
    Stl,
}

/// The mesh format that the name of a file stands for.
fn mesh_format(path: &Path) -> Option<MeshFormat> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "obj" => Some(MeshFormat::Obj),
        "stl" => Some(MeshFormat::Stl),
        _ => None,
    }
}

/// "1 cell", "2 cells".
fn cells(n: usize) -> String {
    format!("{n} {}", if n == 1 { "cell" } else { "cells" })
}
