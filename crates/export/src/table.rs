//! CSV tables: a header line, then rows, every error naming the path.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::error::ExportError;

/// Writes a table row by row, buffered. Dropping it writes what is buffered too; [`TableWriter::flush`] tells of a
/// write that failed.
pub(crate) struct TableWriter {
    path: PathBuf,
    writer: csv::Writer<BufWriter<File>>,
}

impl TableWriter {
    /// Creates the file and writes the header line.
    pub(crate) fn create(path: &Path, columns: &[&str]) -> Result<Self, ExportError> {
        let file = File::create(path).map_err(ExportError::io("create", path))?;
        let writer = csv::Writer::from_writer(BufWriter::new(file));
        let mut table = TableWriter { path: path.to_path_buf(), writer };
        table.push(columns)?;
        Ok(table)
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<(), ExportError> {
        self.writer.write_record(row).map_err(ExportError::csv(&self.path))
    }

    /// Writes what is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), ExportError> {
        self.writer.flush().map_err(ExportError::io("write", &self.path))
    }
}
