//! `energy.csv`: the energy ledger of a run, one row per recorded step.

use std::path::Path;

use crate::error::ExportError;
use crate::number::number_text;
use crate::table::TableWriter;

/// Energies, work and contacts after one step.
///
/// Energies are instantaneous; work and dissipation are totals since the start of the run, so a row adds up by itself:
/// see [`EnergyRow::unexplained`]. Each loss is summed where it arises, so that what the sum is off is a number of its
/// own, `imbalance`: rounding, where nothing is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyRow {
    /// Simulated time \[s\].
    pub time: f64,
    /// Steps made so far.
    pub step: u64,
    /// Kinetic energy of all dynamic bodies, translation and rotation \[J\].
    pub kinetic: f64,
    /// Potential energy in gravity, counted from the lowest point of the container \[J\].
    pub potential: f64,
    /// E* = kinetic + potential + sum (dt/2) m g.v, dt the step that each body made last \[J\]: constant in free flight
    /// under symplectic Euler.
    pub energy_star: f64,
    /// The same before the first step \[J\].
    pub energy_start: f64,
    /// E* that bodies took with them so far which left or were removed \[J\].
    pub energy_removed: f64,
    /// Work done by driven bodies so far \[J\].
    pub work_driven: f64,
    /// Work done by force fields so far \[J\].
    pub work_forces: f64,
    /// Work of the drift correction so far \[J\]; negative where it lowered more than it lifted.
    pub work_correction: f64,
    /// Energy lost in impacts so far \[J\].
    pub dissipated_impact: f64,
    /// Energy lost to friction so far \[J\].
    pub dissipated_friction: f64,
    /// Energy taken by normal impulses of contacts that were not hit so far \[J\].
    pub dissipated_contact: f64,
    /// Energy taken by drag so far \[J\].
    pub dissipated_drag: f64,
    /// Energy taken from bodies that fell asleep so far \[J\].
    pub dissipated_sleep: f64,
    /// Change of E* so far because bodies began steps of another length, neither gain nor loss \[J\].
    pub step_change: f64,
    /// Change of E* so far that no force makes \[J\]: impulses given after it was settled by which velocities bodies
    /// move, and the integration of rotations and flights.
    pub scheme_change: f64,
    /// What the books of all steps so far are off \[J\].
    pub imbalance: f64,
    /// Rise of E* in this step, work of driven bodies taken off \[J\]; negative when energy was lost.
    pub energy_gain: f64,
    /// Largest relative energy error of a collision resolution in this step \[-\] (Tang 2014, Eq. 68).
    pub impact_error: f64,
    /// Number of contacts that touch.
    pub contacts: u64,
    /// Largest overlap of this step over the smaller body's equal-volume radius \[-\].
    pub largest_overlap: f64,
    /// Largest residual of the contact stage in this step \[m/s\].
    pub residual: f64,
    /// Bodies that are not asleep.
    pub awake: u64,
    /// Parts into which this step was divided: 1 when it was not.
    pub substeps: u64,
    /// Mass of all dynamic bodies \[kg\].
    pub mass: f64,
    /// Their momentum \[kg m/s\].
    pub px: f64,
    /// See `px`.
    pub py: f64,
    /// See `px`.
    pub pz: f64,
    /// Their angular momentum about the world's origin \[kg m2/s\].
    pub lx: f64,
    /// See `lx`.
    pub ly: f64,
    /// See `lx`.
    pub lz: f64,
    /// Their centre of mass \[m\]; 0 where there is none.
    pub cx: f64,
    /// See `cx`.
    pub cy: f64,
    /// See `cx`.
    pub cz: f64,
}

impl EnergyRow {
    /// Names of the columns, in the order of the fields.
    pub const COLUMNS: [&'static str; 35] = [
        "time",
        "step",
        "kinetic",
        "potential",
        "energy_star",
        "energy_start",
        "energy_removed",
        "work_driven",
        "work_forces",
        "work_correction",
        "dissipated_impact",
        "dissipated_friction",
        "dissipated_contact",
        "dissipated_drag",
        "dissipated_sleep",
        "step_change",
        "scheme_change",
        "imbalance",
        "energy_gain",
        "impact_error",
        "contacts",
        "largest_overlap",
        "residual",
        "awake",
        "substeps",
        "mass",
        "px",
        "py",
        "pz",
        "lx",
        "ly",
        "lz",
        "cx",
        "cy",
        "cz",
    ];

    fn record(&self) -> [String; 35] {
        let n = number_text;
        [
            n(self.time),
            self.step.to_string(),
            n(self.kinetic),
            n(self.potential),
            n(self.energy_star),
            n(self.energy_start),
            n(self.energy_removed),
            n(self.work_driven),
            n(self.work_forces),
            n(self.work_correction),
            n(self.dissipated_impact),
            n(self.dissipated_friction),
            n(self.dissipated_contact),
            n(self.dissipated_drag),
            n(self.dissipated_sleep),
            n(self.step_change),
            n(self.scheme_change),
            n(self.imbalance),
            n(self.energy_gain),
            n(self.impact_error),
            self.contacts.to_string(),
            n(self.largest_overlap),
            n(self.residual),
            self.awake.to_string(),
            self.substeps.to_string(),
            n(self.mass),
            n(self.px),
            n(self.py),
            n(self.pz),
            n(self.lx),
            n(self.ly),
            n(self.lz),
            n(self.cx),
            n(self.cy),
            n(self.cz),
        ]
    }

    /// Everything dissipated by contacts, drag and sleep so far \[J\].
    pub fn dissipated(&self) -> f64 {
        let by_contacts = self.dissipated_impact + self.dissipated_friction + self.dissipated_contact;
        by_contacts + self.dissipated_drag + self.dissipated_sleep
    }

    /// What the row leaves of the change of E* when all else that it names is taken off, `imbalance` included \[J\]:
    /// rounding.
    pub fn unexplained(&self) -> f64 {
        let put_in = self.work_driven + self.work_forces + self.work_correction;
        let changed = self.step_change + self.scheme_change + self.imbalance - self.energy_removed;
        self.energy_star - self.energy_start - put_in - changed + self.dissipated()
    }
}

/// Writes `energy.csv` row by row, buffered.
///
/// Call [`EnergyWriter::finish`] to learn of a failed last write; dropping the writer also writes what is buffered.
pub struct EnergyWriter(TableWriter);

impl EnergyWriter {
    /// Creates the file and writes the header line.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        TableWriter::create(path, &EnergyRow::COLUMNS).map(EnergyWriter)
    }

    /// Appends one row.
    pub fn push(&mut self, row: &EnergyRow) -> Result<(), ExportError> {
        self.0.push(row.record())
    }

    /// Writes what is buffered to the disk.
    pub fn flush(&mut self) -> Result<(), ExportError> {
        self.0.flush()
    }

    /// Writes what is buffered and closes the file.
    pub fn finish(mut self) -> Result<(), ExportError> {
        self.flush()
    }
}

/// Writes a whole series at once.
pub fn write_energy(path: &Path, rows: &[EnergyRow]) -> Result<(), ExportError> {
    let mut writer = EnergyWriter::create(path)?;
    rows.iter().try_for_each(|row| writer.push(row))?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_stands_in_the_column_of_its_name() {
        let row = EnergyRow {
            time: 1.0,
            step: 2,
            kinetic: 3.0,
            potential: 4.0,
            energy_star: 5.0,
            energy_start: 6.0,
            energy_removed: 7.0,
            work_driven: 8.0,
            work_forces: 9.0,
            work_correction: 10.0,
            dissipated_impact: 11.0,
            dissipated_friction: 12.0,
            dissipated_contact: 13.0,
            dissipated_drag: 14.0,
            dissipated_sleep: 15.0,
            step_change: 16.0,
            scheme_change: 17.0,
            imbalance: 18.0,
            energy_gain: 19.0,
            impact_error: 1e-16,
            contacts: 21,
            largest_overlap: 0.1 + 0.2,
            residual: 23.0,
            awake: 24,
            substeps: 25,
            mass: 26.0,
            px: 27.0,
            py: 28.0,
            pz: 29.0,
            lx: 30.0,
            ly: 31.0,
            lz: 32.0,
            cx: 33.0,
            cy: 34.0,
            cz: 35.0,
        };
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("energy.csv");
        write_energy(&path, &[EnergyRow::default(), row]).expect("written");
        let mut reader = csv::Reader::from_path(&path).expect("readable");
        let header = reader.headers().expect("header").clone();
        let last = reader.records().last().expect("rows").expect("row");
        // The Debug form of a struct names its fields in order: an independent list of what each column must hold.
        let debug = format!("{row:?}");
        let fields = debug.trim_start_matches("EnergyRow { ").trim_end_matches(" }").split(", ");
        let mut count = 0;
        for (i, field) in fields.enumerate() {
            let (name, value) = field.split_once(": ").expect("name: value");
            assert_eq!(&header[i], name);
            assert_eq!(last[i].parse::<f64>().expect("number"), value.parse::<f64>().expect("number"), "{name}");
            count += 1;
        }
        assert_eq!(count, header.len());
        assert_eq!((row.dissipated(), row.unexplained()), (65.0, -7.0));
    }
}
