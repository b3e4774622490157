//! STL: triangles with their corners written out, as text or in binary.
//!
//! Binary: 80 bytes of header, the number of triangles as little-endian `u32`, then 50 bytes for each: normal and three
//! corners as `f32`, and two bytes without meaning. Normals are not read: the order of the corners says the same, and
//! files often have them wrong.

use granule_model::DVec3;

use super::{MeshFileError, Place, TriangleMesh, Welder, as_text, coordinates, too_many};

const HEADER: usize = 84;
const TRIANGLE: usize = 50;
const NORMAL: usize = 12;

pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, MeshFileError> {
    // The length decides: binary files may begin with the word that marks a text.
    match announced(bytes) {
        Some(count) if bytes.len() as u64 == size(count) => binary(bytes, count as usize),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => ascii(as_text(bytes)?),
        Some(count) => Err(MeshFileError {
            place: Place::Offset(80),
            message: format!(
                "{count} triangles are announced, which take {} bytes, but the file has {}",
                size(count),
                bytes.len()
            ),
        }),
        None => Err(MeshFileError {
            place: Place::File,
            message: "neither begins with `solid` nor is long enough for a binary STL file".to_owned(),
        }),
    }
}

fn announced(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(80..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

/// Length of a file with `count` triangles \[bytes\].
fn size(count: u32) -> u64 {
    HEADER as u64 + u64::from(count) * TRIANGLE as u64
}

fn binary(bytes: &[u8], count: usize) -> Result<TriangleMesh, MeshFileError> {
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(count);
    for (i, record) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
        let mut corners = [0; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let at = NORMAL + 12 * k;
            let coordinate = |axis: usize| {
                let mut word = [0; 4];
                word.copy_from_slice(&record[at + 4 * axis..at + 4 * axis + 4]);
                f64::from(f32::from_le_bytes(word))
            };
            let p = DVec3::new(coordinate(0), coordinate(1), coordinate(2));
            let place = Place::Offset(HEADER + i * TRIANGLE + at);
            if !p.is_finite() {
                let message = format!("triangle {i} has a corner at {p}, but coordinates must be finite");
                return Err(MeshFileError { place, message });
            }
            *corner = welder.number(p).ok_or_else(|| too_many(place))?;
        }
        triangles.push(corners);
    }
    Ok(TriangleMesh { vertices: welder.vertices, triangles })
}

/// What a line of the text may be; the words of the format come in this order.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Solid,
    FacetOrEnd,
    Loop,
    Vertex(usize),
    EndLoop,
    EndFacet,
}

impl Expected {
    fn words(self) -> &'static str {
        match self {
            Expected::Solid => "`solid`",
            Expected::FacetOrEnd => "`facet` or `endsolid`",
            Expected::Loop => "`outer loop`",
            Expected::Vertex(_) => "`vertex`",
            Expected::EndLoop => "`endloop`",
            Expected::EndFacet => "`endfacet`",
        }
    }
}

fn ascii(text: &str) -> Result<TriangleMesh, MeshFileError> {
    let mut welder = Welder::default();
    let mut triangles = Vec::new();
    let mut corners = [0; 3];
    let mut expected = Expected::Solid;
    for (number, line) in (1..).zip(text.lines()) {
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else { continue };
        expected = match (expected, word.to_ascii_lowercase().as_str()) {
            (Expected::Solid, "solid") => Expected::FacetOrEnd,
            (Expected::FacetOrEnd, "endsolid") => Expected::Solid,
            (Expected::FacetOrEnd, "facet") => Expected::Loop,
            (Expected::Loop, "outer") => Expected::Vertex(0),
            (Expected::Vertex(k), "vertex") => {
                let p = coordinates(words, number)?;
                corners[k] = welder.number(p).ok_or_else(|| too_many(Place::Line(number)))?;
                if k == 2 { Expected::EndLoop } else { Expected::Vertex(k + 1) }
            }
            (Expected::EndLoop, "endloop") => Expected::EndFacet,
            (Expected::EndFacet, "endfacet") => {
                triangles.push(corners);
                Expected::FacetOrEnd
            }
            _ => {
                let message = format!("expected {}, found `{word}`", expected.words());
                return Err(MeshFileError { place: Place::Line(number), message });
            }
        };
    }
    if expected != Expected::Solid {
        let message = format!("the file ends where {} should come", expected.words());
        return Err(MeshFileError { place: Place::Line(text.lines().count().max(1)), message });
    }
    Ok(TriangleMesh { vertices: welder.vertices, triangles })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNER: &str =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 -0\nendloop\nendfacet
facet normal 0 0 1\n outer loop\n  vertex 0 1 0\n  vertex 1 0 0\n  vertex 1.5e0 1 0\n endloop\nendfacet\nendsolid a\n";

    fn binary_file(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid, as some programs begin binary files too".to_vec();
        bytes.resize(80, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; NORMAL]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn text_and_binary_give_the_same_mesh_with_shared_vertices() {
        let from_text = parse(CORNER.as_bytes()).expect("a valid file");
        assert_eq!(from_text.triangles, [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(from_text.vertices.len(), 4);
        assert_eq!(from_text.vertices[3], DVec3::new(1.5, 1.0, 0.0));
        let (a, b, c, d) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, -0.0], [1.5, 1.0, 0.0]);
        assert_eq!(parse(&binary_file(&[[a, b, c], [c, b, d]])), Ok(from_text));
    }

    #[test]
    fn mistakes_in_a_text_are_reported_with_their_line() {
        for (from, to, line, words) in [
            ("vertex 1 0 0\nvertex 0 1 -0", "vertex 1 0 0\nvertex 0 one 0", 6, "`one` is not a number"),
            ("vertex 1 0 0\nvertex 0 1 -0", "vertex 1 0 0\nvertex 0 1", 6, "coordinate z"),
            ("vertex 1 0 0\nvertex 0 1 -0", "vertex 1 0 0\nvertex nan 1 0", 6, "must be finite"),
            ("vertex 0 0 0\n", "", 6, "expected `vertex`, found `endloop`"),
            ("endsolid a\n", "", 15, "the file ends where `facet` or `endsolid`"),
            ("outer loop", "loop", 3, "expected `outer loop`"),
        ] {
            let error = parse(CORNER.replacen(from, to, 1).as_bytes()).expect_err(words);
            assert_eq!(error.place, Place::Line(line), "{error}");
            assert!(error.message.contains(words), "{error}");
        }
    }

    #[test]
    fn mistakes_in_a_binary_file_are_reported_with_their_byte() {
        let good = binary_file(&[[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
        let mut not_finite = good.clone();
        not_finite[HEADER + NORMAL + 12..HEADER + NORMAL + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        let error = parse(&not_finite).expect_err("a coordinate is NaN");
        assert_eq!(error.place, Place::Offset(HEADER + NORMAL + 12), "{error}");
        let mut short = good;
        short[0] = b'x';
        short.pop();
        let error = parse(&short).expect_err("the file is too short");
        assert_eq!(error.place, Place::Offset(80), "{error}");
        assert!(parse(b"").is_err() && parse(b"ply").is_err());
    }
}
