//! OBJ: vertices and faces that name them by number.
//!
//! Read are `v x y z` and `f a b c ...`, where a corner is `a`, `a/t`, `a/t/n` or `a//n` and counts from 1, or from the
//! last vertex so far backwards when negative. What only pictures use is skipped; any other statement is refused,
//! because a curved surface that was silently left out would be a hole.

use super::{MeshFileError, Place, TriangleMesh, Welder, as_text, coordinates, too_many};

/// Statements without meaning for a solid.
const SKIPPED: [&str; 12] = ["vt", "vn", "o", "g", "s", "mtllib", "usemtl", "l", "p", "lod", "shadow_obj", "trace_obj"];

pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, MeshFileError> {
    let mut welder = Welder::default();
    // Number after welding of each `v` line.
    let mut numbers: Vec<u32> = Vec::new();
    let mut triangles = Vec::new();
    for (line, text) in (1..).zip(as_text(bytes)?.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => {
                let p = coordinates(words, line)?;
                numbers.push(welder.number(p).ok_or_else(|| too_many(Place::Line(line)))?);
            }
            Some("f") => add_fan(words, &numbers, line, &mut triangles)?,
            Some(word) if SKIPPED.contains(&word) => {}
            Some(word) => {
                let message = format!("unknown statement `{word}`: only `v` and `f` lines make a solid");
                return Err(MeshFileError { place: Place::Line(line), message });
            }
        }
    }
    Ok(TriangleMesh { vertices: welder.vertices, triangles })
}

/// A face as triangles that all have its first corner.
fn add_fan<'a>(
    words: impl Iterator<Item = &'a str>,
    numbers: &[u32],
    line: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), MeshFileError> {
    let corners = words.map(|word| corner(word, numbers, line)).collect::<Result<Vec<_>, _>>()?;
    if corners.len() < 3 {
        let message = format!("a face needs three corners or more, not {}", corners.len());
        return Err(MeshFileError { place: Place::Line(line), message });
    }
    triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    Ok(())
}

fn corner(word: &str, numbers: &[u32], line: usize) -> Result<u32, MeshFileError> {
    let bad = |message| MeshFileError { place: Place::Line(line), message };
    let first = word.split('/').next().unwrap_or_default();
    let given: i64 = first.parse().map_err(|_| bad(format!("`{word}` is not the number of a vertex")))?;
    let from_start = if given < 0 { given.checked_add(numbers.len() as i64) } else { given.checked_sub(1) };
    let number = from_start.and_then(|i| usize::try_from(i).ok()).and_then(|i| numbers.get(i));
    number.copied().ok_or_else(|| bad(format!("there is no vertex {given}: {} so far", numbers.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_of_every_notation_become_triangles() {
        let text = b"# a square and a triangle\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0 1.0\nv 0 0 -0
vn 0 0 1\nf 1 2 3 4 # two triangles\nf -5/1/1 2//1 3/2\nf 5 2 3\n";
        let mesh = parse(text).expect("a valid file");
        assert_eq!(mesh.vertices.len(), 4, "the fifth is the first again");
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 2]]);
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        for (text, line, words) in [
            ("v 0 0\n", 1, "coordinate z"),
            ("v 0 0 0\nv 1 0 inf\n", 2, "must be finite"),
            ("v 0 0 0\nf 1 1 2\n", 2, "no vertex 2"),
            ("v 0 0 0\nf 1 1 0\n", 2, "no vertex 0"),
            ("v 0 0 0\nf 1 1 -2\n", 2, "no vertex -2"),
            ("v 0 0 0\nf 1 1\n", 2, "three corners"),
            ("v 0 0 0\n\nf 1 1 a/2\n", 3, "`a/2`"),
            ("surf 1 2\n", 1, "unknown statement `surf`"),
            ("f -9223372036854775808 1 1\n", 1, "no vertex"),
        ] {
            let error = parse(text.as_bytes()).expect_err(text);
            assert_eq!(error.place, Place::Line(line), "{error}");
            assert!(error.message.contains(words), "{error}");
        }
        assert_eq!(parse(b"v 0 0 0\nv \xff").map_err(|e| e.place), Err(Place::Line(2)));
    }
}
