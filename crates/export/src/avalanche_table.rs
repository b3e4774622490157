//! Tables of an avalanche and of a mound: `avalanche.csv`, `mound.csv` and `deposit_outline.csv`.

use std::path::Path;

use crate::error::ExportError;
use crate::number::number_text;
use crate::table::TableWriter;

/// The columns of `avalanche.csv`, in order.
pub const AVALANCHE_COLUMNS: [&str; 15] = [
    "t",
    "front",
    "front_95",
    "front_speed",
    "front_95_speed",
    "cx",
    "cy",
    "cz",
    "centre_speed",
    "centre_downslope",
    "mean_speed",
    "kinetic",
    "stopped",
    "bodies",
    "mass",
];

/// An avalanche at the end of an output period. A value that is none is an empty cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AvalancheRow {
    /// Simulated time \[s\].
    pub time: f64,
    /// Farthest surface point along the direction \[m\].
    pub front: f64,
    /// Coordinate up to which 95 % of the mass lies \[m\].
    pub front_95: f64,
    /// Speed of both fronts since the row before \[m/s\]; none in the first row.
    pub front_speeds: Option<[f64; 2]>,
    /// Centre of mass \[m\].
    pub centre: [f64; 3],
    /// Speed of the centre of mass \[m/s\].
    pub centre_speed: f64,
    /// Its component along the direction \[m/s\].
    pub centre_downslope: f64,
    /// Mean speed, weighted by mass \[m/s\].
    pub mean_speed: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Share of the mass that counts as stopped \[-\].
    pub stopped: f64,
    /// Number of bodies.
    pub bodies: u64,
    /// Their mass \[kg\].
    pub mass: f64,
}

/// Writes `avalanche.csv` row by row, buffered.
pub struct AvalancheWriter(TableWriter);

impl AvalancheWriter {
    /// Creates the file with its header line.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        TableWriter::create(path, &AVALANCHE_COLUMNS).map(AvalancheWriter)
    }

    /// Appends a row.
    pub fn push(&mut self, row: &AvalancheRow) -> Result<(), ExportError> {
        let n = number_text;
        let speed = |k: usize| row.front_speeds.map_or(String::new(), |v| n(v[k]));
        let [x, y, z] = row.centre.map(n);
        self.0.push([
            n(row.time),
            n(row.front),
            n(row.front_95),
            speed(0),
            speed(1),
            x,
            y,
            z,
            n(row.centre_speed),
            n(row.centre_downslope),
            n(row.mean_speed),
            n(row.kinetic),
            n(row.stopped),
            row.bodies.to_string(),
            n(row.mass),
        ])
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> Result<(), ExportError> {
        self.0.flush()
    }
}

/// The columns of `mound.csv`, in order.
pub const MOUND_COLUMNS: [&str; 6] = ["t", "cx", "cy", "height", "radius_95", "mean_slope_deg"];

/// A mound at the end of an output period. A value that is none is an empty cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoundRow {
    /// Simulated time \[s\].
    pub time: f64,
    /// Place from which distances count, x and y \[m\].
    pub centre: [f64; 2],
    /// Height over the floor \[m\].
    pub height: f64,
    /// Distance within which 95 % of the mass lies \[m\].
    pub radius_95: f64,
    /// Slope of the cone of the same mean height and distance \[degrees\].
    pub mean_slope_deg: Option<f64>,
}

/// Writes `mound.csv` row by row, buffered.
pub struct MoundWriter(TableWriter);

impl MoundWriter {
    /// Creates the file with its header line.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        TableWriter::create(path, &MOUND_COLUMNS).map(MoundWriter)
    }

    /// Appends a row.
    pub fn push(&mut self, row: &MoundRow) -> Result<(), ExportError> {
        let [x, y] = row.centre.map(number_text);
        let slope = row.mean_slope_deg.map_or(String::new(), number_text);
        self.0.push([number_text(row.time), x, y, number_text(row.height), number_text(row.radius_95), slope])
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> Result<(), ExportError> {
        self.0.flush()
    }
}

/// The columns of `deposit_outline.csv`, in order.
pub const OUTLINE_COLUMNS: [&str; 3] = ["piece", "x", "y"];

/// Writes the corners of closed lines \[m\], those of each line under its number from 0.
pub fn write_outlines(path: &Path, lines: &[Vec<[f64; 2]>]) -> Result<(), ExportError> {
    let mut table = TableWriter::create(path, &OUTLINE_COLUMNS)?;
    for (piece, line) in lines.iter().enumerate() {
        for [x, y] in line {
            table.push([piece.to_string(), number_text(*x), number_text(*y)])?;
        }
    }
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).expect("a table")
    }

    #[test]
    fn what_is_none_is_an_empty_cell() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("avalanche.csv");
        let mut writer = AvalancheWriter::create(&path).expect("created");
        let first = AvalancheRow { time: 0.5, centre: [1.0, 2.0, 3.0], bodies: 7, ..AvalancheRow::default() };
        writer.push(&first).expect("written");
        writer.push(&AvalancheRow { front_speeds: Some([4.0, 5.0]), ..first }).expect("written");
        writer.flush().expect("written");
        let rows = "0.5,0,0,,,1,2,3,0,0,0,0,0,7,0\n0.5,0,0,4,5,1,2,3,0,0,0,0,0,7,0\n";
        assert_eq!(read(&path), format!("{}\n{rows}", AVALANCHE_COLUMNS.join(",")));

        let path = folder.path().join("mound.csv");
        let mut writer = MoundWriter::create(&path).expect("created");
        writer.push(&MoundRow { height: 2.0, ..MoundRow::default() }).expect("written");
        writer.flush().expect("written");
        assert_eq!(read(&path), format!("{}\n0,0,0,2,0,\n", MOUND_COLUMNS.join(",")));
    }

    #[test]
    fn outlines_are_numbered() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("outline.csv");
        write_outlines(&path, &[vec![[0.0, 1.0], [2.0, 3.0]], vec![[4.0, 5.0]]]).expect("written");
        assert_eq!(read(&path), "piece,x,y\n0,0,1\n0,2,3\n1,4,5\n");
    }
}
