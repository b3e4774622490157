//! A series of frames that ParaView opens by its `.pvd` file.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use granule_engine::Snapshot;

use super::frame::FrameBuilder;
use crate::error::ExportError;

const PVD_HEAD: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" \
                        byte_order=\"LittleEndian\">\n<Collection>\n";
const PVD_TAIL: &str = "</Collection>\n</VTKFile>\n";

/// Facets around a round body in packs of up to [`MANY_BODIES`], and in larger ones: 62 and 26 vertices a sphere.
const SEGMENTS: u32 = 12;
const SEGMENTS_OF_MANY: u32 = 8;
const MANY_BODIES: usize = 2000;

/// How a ParaView file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VtkOptions {
    /// Facets around a sphere or a capsule, at least 3; none: 12 for up to 2000 bodies, 8 for more.
    ///
    /// Polyhedra and meshes are always written as they are.
    pub segments: Option<u32>,
}

impl VtkOptions {
    fn segments_for(&self, bodies: usize) -> u32 {
        let chosen = if bodies > MANY_BODIES { SEGMENTS_OF_MANY } else { SEGMENTS };
        self.segments.unwrap_or(chosen).max(3)
    }
}

/// Writes the bodies of `snapshot` as one `.vtp` file; see [`SeriesWriter`] for what is in it.
pub fn write_vtp(path: &Path, snapshot: &Snapshot, options: VtkOptions) -> Result<(), ExportError> {
    let segments = options.segments_for(snapshot.bodies.len());
    write_frame(path, &mut FrameBuilder::default(), snapshot, segments)
}

fn write_frame(path: &Path, builder: &mut FrameBuilder, snapshot: &Snapshot, segments: u32) -> Result<(), ExportError> {
    let file = File::create(path).map_err(ExportError::io("create", path))?;
    let mut out = BufWriter::new(file);
    builder.write(&mut out, snapshot, segments).map_err(ExportError::io("write", path))?;
    out.flush().map_err(ExportError::io("write", path))
}

/// Writes a ParaView series frame by frame: `FOLDER/NAME.pvd` and `FOLDER/NAME/frame_000000.vtp`, ...
///
/// Each frame holds every body that is present, static ones included, as triangles in world coordinates (32-bit
/// floats); half-spaces are left out, since they have no end. Every vertex carries the state of its body: `velocity`
/// \[m/s\] of the centre of mass, `speed` \[m/s\], `contact_count`, `mass` \[kg\] (0 without finite mass), `body`
/// (place in file order, from 0) and `kind` (0 dynamic, 1 static, 2 driven). For smooth spheres use ParaView's
/// *Generate Surface Normals*.
///
/// The `.pvd` is complete after every frame, so a run that is stopped leaves a readable series.
pub struct SeriesWriter {
    collection: Collection,
    builder: FrameBuilder,
    options: VtkOptions,
    /// Chosen at the first frame and kept, so that the vertices of a body stay the same ones.
    segments: Option<u32>,
}

impl SeriesWriter {
    /// Creates the folders and an empty series; `name` must be a plain file name.
    pub fn create(folder: &Path, name: &str, options: VtkOptions) -> Result<Self, ExportError> {
        let collection = Collection::create(folder, name)?;
        Ok(SeriesWriter { collection, builder: FrameBuilder::default(), options, segments: None })
    }

    /// Appends a frame and returns where it is.
    pub fn write(&mut self, snapshot: &Snapshot) -> Result<PathBuf, ExportError> {
        let chosen = self.options.segments_for(snapshot.bodies.len());
        let segments = *self.segments.get_or_insert(chosen);
        let builder = &mut self.builder;
        self.collection.append(snapshot.time, |path| write_frame(path, builder, snapshot, segments))
    }

    /// File name of a frame, counted from 0.
    pub fn frame_name(frame: u64) -> String {
        format!("frame_{frame:06}.vtp")
    }

    /// Frames written so far.
    pub fn frames(&self) -> u64 {
        self.collection.frames
    }

    /// Path of the `.pvd` file.
    pub fn path(&self) -> &Path {
        &self.collection.pvd_path
    }
}

/// A `.pvd` file with the folder of its frames.
pub(super) struct Collection {
    pvd_path: PathBuf,
    pvd: File,
    /// Where the closing tags begin: the next entry overwrites them.
    tail: u64,
    frame_folder: PathBuf,
    frames: u64,
}

impl Collection {
    /// Creates the folders and an empty collection; `name` must be a plain file name.
    pub(super) fn create(folder: &Path, name: &str) -> Result<Self, ExportError> {
        let frame_folder = folder.join(name);
        fs::create_dir_all(&frame_folder).map_err(ExportError::io("create", &frame_folder))?;
        let pvd_path = folder.join(format!("{name}.pvd"));
        let mut pvd = File::create(&pvd_path).map_err(ExportError::io("create", &pvd_path))?;
        pvd.write_all(format!("{PVD_HEAD}{PVD_TAIL}").as_bytes()).map_err(ExportError::io("write", &pvd_path))?;
        Ok(Collection { pvd_path, pvd, tail: PVD_HEAD.len() as u64, frame_folder, frames: 0 })
    }

    /// Appends the frame of a time \[s\], whose file `write` writes, and returns where it is.
    pub(super) fn append(
        &mut self,
        time: f64,
        write: impl FnOnce(&Path) -> Result<(), ExportError>,
    ) -> Result<PathBuf, ExportError> {
        let file_name = SeriesWriter::frame_name(self.frames);
        let path = self.frame_folder.join(&file_name);
        write(&path)?;
        self.append_entry(time, &file_name).map_err(ExportError::io("write", &self.pvd_path))?;
        self.frames += 1;
        Ok(path)
    }

    /// Frames written so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// Entry and closing tags go out in one write, so that no reader finds the file without its end.
    fn append_entry(&mut self, time: f64, file_name: &str) -> std::io::Result<()> {
        let folder = self.frame_folder.file_name().map(|f| escape(&f.to_string_lossy())).unwrap_or_default();
        let entry = format!("<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{folder}/{file_name}\"/>\n");
        self.pvd.seek(SeekFrom::Start(self.tail))?;
        self.pvd.write_all(format!("{entry}{PVD_TAIL}").as_bytes())?;
        self.tail += entry.len() as u64;
        Ok(())
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vtk::test_support::{VtpFile, sphere_at};
    use granule_engine::BodySnapshot;
    use granule_model::{BodyKind, DVec3};

    fn pack() -> Vec<BodySnapshot> {
        let mut bodies: Vec<_> =
            (0..5).map(|i| sphere_at(i, DVec3::new(f64::from(i) * 2.0, -1.0, 0.5), 0.5 + 0.1 * f64::from(i))).collect();
        for (i, body) in bodies.iter_mut().enumerate() {
            body.velocity.linear = DVec3::new(0.0, 3.0, 4.0) * i as f64;
            body.contacts = i as u32;
        }
        bodies[3].kind = BodyKind::Static;
        bodies[3].mass = 0.0;
        bodies
    }

    #[test]
    fn the_file_holds_every_body_with_its_state() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("one.vtp");
        let mut bodies = pack();
        bodies[1].present = false;
        write_vtp(&path, &Snapshot { time: 1.5, step: 3, bodies: bodies.clone() }, VtkOptions::default())
            .expect("written");
        let file = VtpFile::read(&path);
        let ids = file.ints("body");
        assert_eq!(file.point_count, ids.len());
        let points = file.floats("Points");
        for (v, &id) in ids.iter().enumerate() {
            assert_ne!(id, 1, "a removed body is not drawn");
            let body = &bodies[id as usize];
            let p = DVec3::new(points[3 * v].into(), points[3 * v + 1].into(), points[3 * v + 2].into());
            let radius = body.shape.equivalent_radius();
            // Vertices lie on the sphere, to the rounding of 32-bit coordinates below 16 m (measured: 4.7e-7).
            assert!(((p - body.pose.position).length() - radius).abs() <= 1e-6, "{p}");
            assert_eq!(file.floats("velocity")[3 * v + 2], body.velocity.linear.z as f32);
            assert_eq!(file.floats("speed")[v], body.velocity.linear.length() as f32);
            assert_eq!(file.floats("mass")[v], body.mass as f32);
            assert_eq!(file.ints("contact_count")[v], body.contacts as i32);
            assert_eq!(file.ints("kind")[v], i32::from(body.kind == BodyKind::Static));
        }
        let corners = file.ints("connectivity");
        let offsets = file.ints("offsets");
        assert_eq!((offsets.len(), corners.len()), (file.polygon_count, 3 * file.polygon_count));
        assert!(offsets.iter().enumerate().all(|(i, &o)| o as usize == 3 * (i + 1)));
        for triangle in corners.chunks(3) {
            let body = ids[triangle[0] as usize];
            assert!(triangle.iter().all(|&c| ids[c as usize] == body), "a triangle joins two bodies");
        }
        let volume = file.volume();
        let exact: f64 = [0usize, 2, 3, 4].iter().map(|&i| bodies[i].shape.equivalent_radius().powi(3)).sum::<f64>()
            * (4.0 / 3.0 * std::f64::consts::PI);
        // Outward triangles enclose most of the balls: 12 facets around take 0.86 of the volume.
        assert!((0.8..1.0).contains(&(volume / exact)), "{}", volume / exact);
    }

    #[test]
    fn the_series_is_complete_after_every_frame() {
        let folder = tempfile::tempdir().expect("folder");
        let mut writer = SeriesWriter::create(folder.path(), "a & b", VtkOptions::default()).expect("created");
        let mut bodies = pack();
        for frame in 0..4u32 {
            if frame == 2 {
                bodies[4].present = false;
            }
            if frame == 3 {
                bodies.push(sphere_at(5, DVec3::Z * 9.0, 1.0));
            }
            bodies[0].pose.position.z = f64::from(frame);
            let time = 0.04 * f64::from(frame);
            let path = writer.write(&Snapshot { time, step: 0, bodies: bodies.clone() }).expect("written");
            let pvd = std::fs::read_to_string(folder.path().join("a & b.pvd")).expect("text");
            assert!(pvd.starts_with(PVD_HEAD) && pvd.ends_with(PVD_TAIL), "{pvd}");
            let entries: Vec<&str> = pvd.lines().filter(|l| l.starts_with("<DataSet ")).collect();
            assert_eq!(entries.len(), frame as usize + 1);
            assert!(entries[frame as usize].contains(&format!("timestep=\"{time:?}\"")), "{pvd}");
            assert!(entries[frame as usize].contains(&format!("file=\"a &amp; b/frame_{frame:06}.vtp\"")), "{pvd}");
            let ids = VtpFile::read(&path).ints("body");
            assert_eq!(ids.contains(&4), frame < 2);
            assert_eq!(ids.contains(&5), frame == 3);
        }
        assert_eq!(writer.frames(), 4);
    }

    #[test]
    fn arrays_longer_than_a_block_and_empty_ones_read_back() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("large.vtp");
        let bodies: Vec<_> = (0..30).map(|i| sphere_at(i, DVec3::X * f64::from(i), 1.0)).collect();
        let options = VtkOptions { segments: Some(100) };
        write_vtp(&path, &Snapshot { time: 0.0, step: 0, bodies }, options).expect("written");
        let file = VtpFile::read(&path);
        assert!(file.point_count * 12 > 1 << 20, "{}", file.point_count);
        let points = file.floats("Points");
        let ids = file.ints("body");
        let far = points.chunks(3).zip(&ids).map(|(p, &id)| ((p[0] - id as f32).hypot(p[1]).hypot(p[2]) - 1.0).abs());
        assert!(far.fold(0.0, f32::max) < 4e-6);

        write_vtp(&path, &Snapshot { time: 0.0, step: 0, bodies: vec![] }, options).expect("written");
        let file = VtpFile::read(&path);
        assert_eq!((file.point_count, file.polygon_count, file.floats("Points").len()), (0, 0, 0));
    }
}
