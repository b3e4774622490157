//! Contact forces as lines between bodies, for ParaView.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use granule_engine::{ContactForce, ContactState, Snapshot};
use granule_model::{BodyId, BodyKind, DVec3};

use super::frame::index;
use super::series::Collection;
use super::xml::{Array, Cells, PolyData, write_poly_data};
use crate::error::ExportError;

/// Writes a ParaView series of force chains frame by frame: `FOLDER/NAME.pvd` and `FOLDER/NAME/frame_000000.vtp`, ...
///
/// Each contact that carries something is a line from the centre of one body to that of the other, or to the contact
/// point where the other is static or driven. Every line carries `force`, the mean force of the step \[N\], `normal`,
/// its part along the normal \[N\], `vector`, the force on A \[N\], `state` (1 stick, 2 slip), `asleep` (1 where no
/// body of the two is awake), and `a` and `b`, places in file order. ParaView's *Tube* filter shows them thick, its
/// radius by `force` after *Cell Data to Point Data*.
pub struct ContactSeriesWriter(Collection);

impl ContactSeriesWriter {
    /// Creates the folders and an empty series; `name` must be a plain file name.
    pub fn create(folder: &Path, name: &str) -> Result<Self, ExportError> {
        Ok(ContactSeriesWriter(Collection::create(folder, name)?))
    }

    /// Appends a frame and returns where it is.
    pub fn write(&mut self, snapshot: &Snapshot, contacts: &[ContactForce]) -> Result<PathBuf, ExportError> {
        self.0.append(snapshot.time, |path| write_contacts_vtp(path, snapshot, contacts))
    }

    /// Frames written so far.
    pub fn frames(&self) -> u64 {
        self.0.frames()
    }
}

/// Writes the contact forces of a step as one `.vtp` file; see [`ContactSeriesWriter`] for what is in it.
pub fn write_contacts_vtp(path: &Path, snapshot: &Snapshot, contacts: &[ContactForce]) -> Result<(), ExportError> {
    let file = File::create(path).map_err(ExportError::io("create", path))?;
    let mut out = BufWriter::new(file);
    write_lines(&mut out, snapshot, contacts).map_err(ExportError::io("write", path))?;
    out.flush().map_err(ExportError::io("write", path))
}

fn write_lines(out: &mut impl Write, snapshot: &Snapshot, contacts: &[ContactForce]) -> io::Result<()> {
    let loaded: Vec<&ContactForce> = contacts.iter().filter(|contact| contact.force != DVec3::ZERO).collect();
    let end = |id: BodyId, contact: &ContactForce| {
        let body = &snapshot.bodies[id.index as usize];
        if body.kind == BodyKind::Dynamic { body.pose.position } else { contact.point }
    };
    let ends = loaded.iter().flat_map(|c| [end(c.a, c), end(c.b, c)]);
    let points: Vec<f32> = ends.flat_map(|point| point.to_array().map(|x| x as f32)).collect();
    let floats = |name, value: &dyn Fn(&ContactForce) -> f64| {
        Array::float32(name, 1, &loaded.iter().map(|c| value(c) as f32).collect::<Vec<_>>())
    };
    let numbers = |name, value: &dyn Fn(&ContactForce) -> i32| {
        Array::int32(name, &loaded.iter().map(|c| value(c)).collect::<Vec<_>>())
    };
    let vectors: Vec<f32> = loaded.iter().flat_map(|c| c.force.to_array().map(|x| x as f32)).collect();
    let data = [
        floats("force", &|c| c.force.length())?,
        Array::float32("vector", 3, &vectors)?,
        floats("normal", &|c| c.force.dot(c.normal))?,
        numbers("state", &|c| state_number(c.state))?,
        numbers("asleep", &|c| i32::from(c.asleep))?,
        numbers("a", &|c| c.a.index as i32)?,
        numbers("b", &|c| c.b.index as i32)?,
    ];
    let corners = (0..2 * loaded.len()).map(index).collect::<io::Result<Vec<_>>>()?;
    let offsets = (1..=loaded.len()).map(|i| index(2 * i)).collect::<io::Result<Vec<_>>>()?;
    let data: Vec<&Array> = data.iter().collect();
    write_poly_data(
        out,
        &PolyData {
            time: snapshot.time,
            cells: Cells::Lines,
            point_count: 2 * loaded.len(),
            cell_count: loaded.len(),
            points: &Array::float32("Points", 3, &points)?,
            connectivity: &Array::int32("connectivity", &corners)?,
            offsets: &Array::int32("offsets", &offsets)?,
            point_data: &[],
            cell_data: &data,
        },
    )
}

fn state_number(state: ContactState) -> i32 {
    match state {
        ContactState::Open => 0,
        ContactState::Stick => 1,
        ContactState::Slip => 2,
    }
}
