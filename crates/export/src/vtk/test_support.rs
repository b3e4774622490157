//! What the tests of this crate share: bodies made by hand and a reader of `.vtp` files written from the format's
//! description, not from the writer.

use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;
use granule_engine::BodySnapshot;
use granule_geometry::Shape;
use granule_model::{BodyId, BodyKind, DVec3, Pose, Velocity};

pub(crate) fn sphere_at(index: u32, position: DVec3, radius: f64) -> BodySnapshot {
    let shape = Shape::sphere(radius).expect("a radius above 0");
    let mass = shape.mass_properties(2650.0).expect("finite").mass;
    BodySnapshot {
        id: BodyId::new(0, index, 0),
        name: String::new(),
        kind: BodyKind::Dynamic,
        shape,
        pose: Pose::from_position(position),
        velocity: Velocity::ZERO,
        mass,
        contacts: 0,
        present: true,
    }
}

pub(crate) struct VtpFile {
    pub(crate) point_count: usize,
    pub(crate) polygon_count: usize,
    xml: String,
    appended: Vec<u8>,
}

impl VtpFile {
    pub(crate) fn read(path: &Path) -> VtpFile {
        let bytes = std::fs::read(path).expect("readable");
        let mark = b"<AppendedData encoding=\"raw\">";
        let at = bytes.windows(mark.len()).position(|w| w == mark).expect("appended data") + mark.len();
        let start = at + bytes[at..].iter().position(|&b| b == b'_').expect("underscore") + 1;
        let xml = String::from_utf8(bytes[..start].to_vec()).expect("text");
        assert!(xml.contains("header_type=\"UInt64\"") && xml.contains("byte_order=\"LittleEndian\""));
        assert!(bytes.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
        let count = |name| attribute(&xml, name).parse().expect("count");
        VtpFile {
            point_count: count("NumberOfPoints"),
            polygon_count: count("NumberOfPolys"),
            appended: bytes[start..].to_vec(),
            xml,
        }
    }

    fn array(&self, name: &str, number: &str) -> Vec<u8> {
        let named = format!("Name=\"{name}\"");
        let tag = self.xml.lines().find(|l| l.starts_with("<DataArray") && l.contains(&named)).expect("array");
        assert_eq!(attribute(tag, "type"), number);
        let at: usize = attribute(tag, "offset").parse().expect("offset");
        let word = |i: usize| {
            let place = at + 8 * i;
            u64::from_le_bytes(self.appended[place..place + 8].try_into().expect("8 bytes")) as usize
        };
        let (blocks, full, last) = (word(0), word(1), word(2));
        let mut place = at + 8 * (3 + blocks);
        let mut raw = Vec::new();
        for block in 0..blocks {
            let size = word(3 + block);
            let before = raw.len();
            ZlibDecoder::new(&self.appended[place..place + size]).read_to_end(&mut raw).expect("zlib");
            let expected = if block + 1 == blocks && last > 0 { last } else { full };
            assert_eq!(raw.len() - before, expected);
            place += size;
        }
        raw
    }

    pub(crate) fn floats(&self, name: &str) -> Vec<f32> {
        let raw = self.array(name, "Float32");
        raw.chunks(4).map(|c| f32::from_le_bytes(c.try_into().expect("4 bytes"))).collect()
    }

    pub(crate) fn ints(&self, name: &str) -> Vec<i32> {
        let raw = self.array(name, "Int32");
        raw.chunks(4).map(|c| i32::from_le_bytes(c.try_into().expect("4 bytes"))).collect()
    }

    /// Volume that the triangles enclose, by the divergence theorem.
    pub(crate) fn volume(&self) -> f64 {
        let points = self.floats("Points");
        let point = |i: i32| {
            let i = 3 * i as usize;
            DVec3::new(points[i].into(), points[i + 1].into(), points[i + 2].into())
        };
        let corners = self.ints("connectivity");
        corners.chunks(3).map(|t| point(t[0]).dot(point(t[1]).cross(point(t[2]))) / 6.0).sum()
    }
}

fn attribute<'a>(text: &'a str, name: &str) -> &'a str {
    let start = text.find(&format!(" {name}=\"")).expect("attribute") + name.len() + 3;
    let length = text[start..].find('"').expect("closing quote");
    &text[start..start + length]
}
