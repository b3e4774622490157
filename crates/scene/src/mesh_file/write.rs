//! Meshes to files: OBJ as text, with every coordinate exact, and binary STL.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::{MeshFileError, Place, TriangleMesh};

impl TriangleMesh {
    /// Writes a file in the format that its name stands for, `.stl` or `.obj`, and replaces what is there. STL keeps
    /// f32, which is coarse far from the origin: see [`TriangleMesh::coarsest_in_stl`].
    ///
    /// # Errors
    /// [`MeshFileError`] for another name, a file that cannot be written, and more triangles than STL can count.
    pub fn save(&self, path: &Path) -> Result<(), MeshFileError> {
        let whole = |message: String| MeshFileError { place: Place::File, message };
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        if extension != "obj" && extension != "stl" {
            return Err(whole("meshes are written to .stl and .obj files".to_owned()));
        }
        let count = u32::try_from(self.triangles.len()).map_err(|_| whole("too many triangles for STL".to_owned()))?;
        let refused = |e: std::io::Error| whole(format!("cannot be written: {e}"));
        let mut out = BufWriter::new(std::fs::File::create(path).map_err(refused)?);
        let written = if extension == "obj" { self.write_obj(&mut out) } else { self.write_stl(&mut out, count) };
        written.and_then(|()| out.flush()).map_err(refused)
    }

    /// Distance between neighbouring f32 at the farthest coordinate \[m\]: what STL cannot tell apart.
    pub fn coarsest_in_stl(&self) -> f64 {
        let farthest = self.vertices.iter().fold(0.0_f64, |far, p| far.max(p.abs().max_element())) as f32;
        f64::from(farthest.next_up()) - f64::from(farthest)
    }

    fn write_obj(&self, out: &mut impl Write) -> std::io::Result<()> {
        for p in &self.vertices {
            writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
        }
        for [a, b, c] in &self.triangles {
            writeln!(out, "f {} {} {}", u64::from(*a) + 1, u64::from(*b) + 1, u64::from(*c) + 1)?;
        }
        Ok(())
    }

    fn write_stl(&self, out: &mut impl Write, count: u32) -> std::io::Result<()> {
        let mut head = [0; 80];
        let words = b"binary STL, metres";
        head[..words.len()].copy_from_slice(words);
        out.write_all(&head)?;
        out.write_all(&count.to_le_bytes())?;
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.vertices[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for coordinate in [normal, a, b, c].iter().flat_map(|p| p.to_array()) {
                out.write_all(&(coordinate as f32).to_le_bytes())?;
            }
            out.write_all(&[0; 2])?;
        }
        Ok(())
    }
}
