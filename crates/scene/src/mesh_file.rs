//! Triangle meshes from files: STL, ASCII and binary, and OBJ.
//!
//! Vertices that agree in every bit become one, so that the triangles of an STL file, which repeats its vertices, know
//! their neighbours again. Vertices that nearly agree are left apart here: how near is near depends on the mesh, and
//! `granule-geometry` decides it.

mod obj;
mod stl;
mod write;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use granule_model::DVec3;

use crate::bytes;

/// The triangles of a mesh file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertices \[m\], no two alike.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle in the order of the file.
    pub triangles: Vec<[u32; 3]>,
}

/// Why a mesh file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshFileError {
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub message: String,
}

/// A place in a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text, from 1.
    Line(usize),
    /// A byte of a binary file, from 0.
    Offset(usize),
}

impl fmt::Display for MeshFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::File => f.write_str(&self.message),
            Place::Line(line) => write!(f, "line {line}: {}", self.message),
            Place::Offset(offset) => write!(f, "byte {offset}: {}", self.message),
        }
    }
}

impl std::error::Error for MeshFileError {}

impl TriangleMesh {
    /// Reads a file; its name must end in `.stl` or `.obj`.
    ///
    /// # Errors
    /// [`MeshFileError`] for a file that cannot be read, is of another kind, or breaks the rules of its format.
    pub fn load(path: &Path) -> Result<Self, MeshFileError> {
        let whole = |message: String| MeshFileError { place: Place::File, message };
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let parse = match extension.as_str() {
            "stl" => TriangleMesh::from_stl,
            "obj" => TriangleMesh::from_obj,
            _ => return Err(whole("meshes are read from .stl and .obj files".to_owned())),
        };
        let bytes = bytes::read(path, bytes::LARGEST_MESH).map_err(|why| whole(format!("cannot be read: {why}")))?;
        parse(&bytes)
    }

    /// Reads the bytes of an STL file, ASCII or binary.
    ///
    /// # Errors
    /// [`MeshFileError`] with the line or the byte at which the file breaks the rules.
    pub fn from_stl(bytes: &[u8]) -> Result<Self, MeshFileError> {
        stl::parse(bytes)
    }

    /// Reads the bytes of an OBJ file: its `v` and `f` lines; faces with more than three corners become fans.
    ///
    /// # Errors
    /// [`MeshFileError`] with the line at which the file breaks the rules.
    pub fn from_obj(bytes: &[u8]) -> Result<Self, MeshFileError> {
        obj::parse(bytes)
    }
}

/// Collects vertices, each combination of bits once.
#[derive(Default)]
struct Welder {
    numbers: BTreeMap<[u64; 3], u32>,
    vertices: Vec<DVec3>,
}

impl Welder {
    /// The number of the vertex at `p`; none when there are too many to count.
    fn number(&mut self, p: DVec3) -> Option<u32> {
        // Adding zero makes -0 into +0: the same place must not have two numbers.
        let p = p + DVec3::ZERO;
        let next = u32::try_from(self.vertices.len()).ok()?;
        let number = *self.numbers.entry(p.to_array().map(f64::to_bits)).or_insert(next);
        if number == next {
            self.vertices.push(p);
        }
        Some(number)
    }
}

fn too_many(place: Place) -> MeshFileError {
    MeshFileError { place, message: "too many vertices to count".to_owned() }
}

/// The text of a file, or the line in which it stops being one.
fn as_text(bytes: &[u8]) -> Result<&str, MeshFileError> {
    std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
        MeshFileError { place: Place::Line(line), message: "is not text in UTF-8".to_owned() }
    })
}

/// Three finite coordinates from the words of a line.
fn coordinates<'a>(mut words: impl Iterator<Item = &'a str>, line: usize) -> Result<DVec3, MeshFileError> {
    let mut p = [0.0_f64; 3];
    for (value, axis) in p.iter_mut().zip(["x", "y", "z"]) {
        let bad = |message| MeshFileError { place: Place::Line(line), message };
        let word = words.next().ok_or_else(|| bad(format!("the coordinate {axis} of the vertex is missing")))?;
        *value = word.parse().map_err(|_| bad(format!("`{word}` is not a number")))?;
        if !value.is_finite() {
            return Err(bad(format!("the coordinate {axis} is {word}, but must be finite")));
        }
    }
    Ok(DVec3::from_array(p))
}
