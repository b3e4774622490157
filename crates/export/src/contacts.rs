//! `contacts_final.csv` and `walls.csv`: what contacts carry, as the contract of the output files fixes it.

use std::path::Path;

use granule_engine::ContactForce;
use granule_model::DVec3;

use crate::error::ExportError;
use crate::number::number_text;
use crate::table::TableWriter;

/// The columns of `contacts_final.csv`, in order.
pub const CONTACT_COLUMNS: [&str; 17] =
    ["a", "b", "x", "y", "z", "nx", "ny", "nz", "gap", "fx", "fy", "fz", "state", "cx", "cy", "cz", "asleep"];

/// Writes one row per contact point: the bodies by their rows in `final_state.csv`, the point \[m\], the unit normal
/// from `b` to `a`, the gap, negative for overlap \[m\], the mean force of the step on `a` \[N\], how it stands, the
/// mean torque on `a` beside that of the force at the point \[N m\], and whether neither body is awake (1).
pub fn write_contacts(path: &Path, contacts: &[ContactForce]) -> Result<(), ExportError> {
    let mut table = TableWriter::create(path, &CONTACT_COLUMNS)?;
    for contact in contacts {
        let ids = [contact.a, contact.b].map(|id| id.index.to_string());
        let geometry = contact.point.to_array().into_iter().chain(contact.normal.to_array()).chain([contact.gap]);
        let numbers = geometry.chain(contact.force.to_array()).map(number_text);
        let couple = contact.couple.to_array().map(number_text);
        let row = ids.into_iter().chain(numbers).chain([contact.state.to_string()]);
        let row = row.chain(couple).chain([u8::from(contact.asleep).to_string()]);
        table.push(row)?;
    }
    table.flush()
}

/// The columns of `walls.csv`, in order.
pub const WALL_COLUMNS: [&str; 9] = ["t", "id", "name", "fx", "fy", "fz", "tx", "ty", "tz"];

/// What the bodies do to a static or driven body, in the mean over a period.
#[derive(Clone, Debug, PartialEq)]
pub struct WallRow {
    /// End of the period \[s\].
    pub time: f64,
    /// Row of the body in `final_state.csv`.
    pub id: u32,
    /// Its name, which may be empty.
    pub name: String,
    /// Force on it \[N\].
    pub force: DVec3,
    /// Torque on it about its origin \[N m\].
    pub torque: DVec3,
}

/// Writes `walls.csv` row by row, buffered.
pub struct WallWriter(TableWriter);

impl WallWriter {
    /// Creates the file with its header line.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        TableWriter::create(path, &WALL_COLUMNS).map(WallWriter)
    }

    /// Appends a row.
    pub fn push(&mut self, row: &WallRow) -> Result<(), ExportError> {
        let head = [number_text(row.time), row.id.to_string(), row.name.clone()];
        let numbers = row.force.to_array().into_iter().chain(row.torque.to_array()).map(number_text);
        self.0.push(head.into_iter().chain(numbers))
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> Result<(), ExportError> {
        self.0.flush()
    }
}
