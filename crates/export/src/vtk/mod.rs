//! ParaView files: the true shapes as triangles with the state of their body at every vertex.
//!
//! `series` writes a `.pvd` with one `.vtp` per frame, `frame` turns a snapshot into arrays and `contacts` contact
//! forces into lines, `xml` knows the file format.

mod contacts;
mod frame;
mod series;
#[cfg(test)]
pub(crate) mod test_support;
mod xml;

pub use contacts::{ContactSeriesWriter, write_contacts_vtp};
pub use series::{SeriesWriter, VtkOptions, write_vtp};
