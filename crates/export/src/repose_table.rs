//! `repose_table.csv`: one row per run of a sweep over shapes, frictions and seeds.

use std::path::Path;

use crate::error::ExportError;
use crate::number::number_text;
use crate::table::TableWriter;

/// Outcome of one run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct ReposeRow {
    /// Shape of the bodies: `spheres`, `cubes`, `crosses`.
    pub shape: String,
    /// Coefficient of friction \[-\], static and dynamic.
    pub friction: f64,
    /// Seed of the orientations in the start grid.
    pub seed: u64,
    /// Mean angle over the strips as Tang 2014 measures it, whatever the surface is \[degrees\]; NaN when it could not
    /// be measured.
    pub mean: f64,
    /// Smallest angle of a strip after Tang 2014 \[degrees\].
    pub min: f64,
    /// Largest angle of a strip after Tang 2014 \[degrees\].
    pub max: f64,
    /// Mean distance of the largest and the smallest angle from the mean \[degrees\]: the error as Tang 2014 states it.
    pub absolute_error: f64,
    /// Whether both phases ended at rest, not at their time limit.
    pub at_rest: bool,
    /// Simulated time until rest of the settling phase \[s\].
    pub settling_seconds: f64,
    /// Simulated time from the removal of the wall until rest \[s\].
    pub release_seconds: f64,
    /// Largest overlap of the run over the smaller body's equal-volume radius \[-\].
    pub largest_overlap: f64,
    /// Largest rise of E* in one step, as the contract of the summary defines it \[-\].
    pub energy_gained: f64,
    /// Work of the drift correction over the energy dissipated \[-\].
    pub correction_work: f64,
    /// Bodies in the run.
    pub bodies: u64,
    /// Bodies that left the container.
    pub bodies_lost: u64,
    /// Steps of the run.
    pub steps: u64,
    /// Processor time of the run \[s\].
    pub cpu_seconds: f64,
    /// Hash of the final state.
    pub state_hash: String,
    /// Why the run failed; empty for one that came through.
    pub failure: String,
    /// What the surface is, as in `summary.json`; empty for a run that failed.
    pub verdict: String,
    /// Angle of the slope \[degrees\]; NaN where the surface is none, and so the next three and the toe.
    pub angle_deg: f64,
    /// Its standard error over the strips \[degrees\].
    pub standard_error_deg: f64,
    /// Mean share of the scatter that the lines explain \[-\].
    pub r2: f64,
    /// Angle of the straight way from crest to toe \[degrees\].
    pub toe_to_crest_deg: f64,
    /// Where the toe is along the long side \[m\].
    pub toe_m: f64,
    /// Largest difference of height between neighbouring cells, in grain diameters \[-\], whatever the surface is; NaN
    /// where none was measured.
    pub largest_step_diameters: f64,
}

/// Names of the columns of `repose_table.csv`, in the order of [`ReposeRow`]'s fields.
pub const REPOSE_TABLE_COLUMNS: [&str; 26] = [
    "shape",
    "friction",
    "seed",
    "mean",
    "min",
    "max",
    "absolute_error",
    "at_rest",
    "settling_seconds",
    "release_seconds",
    "largest_overlap",
    "energy_gained",
    "correction_work",
    "bodies",
    "bodies_lost",
    "steps",
    "cpu_seconds",
    "state_hash",
    "failure",
    "verdict",
    "angle_deg",
    "standard_error_deg",
    "r2",
    "toe_to_crest_deg",
    "toe_m",
    "largest_step_diameters",
];

/// Writes the table of a sweep, in the order of `rows`; angles in degrees, times in seconds.
pub fn write_repose_table(path: &Path, rows: &[ReposeRow]) -> Result<(), ExportError> {
    let mut table = TableWriter::create(path, &REPOSE_TABLE_COLUMNS)?;
    rows.iter().try_for_each(|row| table.push(record(row)))?;
    table.flush()
}

fn record(row: &ReposeRow) -> [String; 26] {
    let n = number_text;
    [
        row.shape.clone(),
        n(row.friction),
        row.seed.to_string(),
        n(row.mean),
        n(row.min),
        n(row.max),
        n(row.absolute_error),
        row.at_rest.to_string(),
        n(row.settling_seconds),
        n(row.release_seconds),
        n(row.largest_overlap),
        n(row.energy_gained),
        n(row.correction_work),
        row.bodies.to_string(),
        row.bodies_lost.to_string(),
        row.steps.to_string(),
        n(row.cpu_seconds),
        row.state_hash.clone(),
        row.failure.clone(),
        row.verdict.clone(),
        n(row.angle_deg),
        n(row.standard_error_deg),
        n(row.r2),
        n(row.toe_to_crest_deg),
        n(row.toe_m),
        n(row.largest_step_diameters),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_under_their_names() {
        let row = ReposeRow {
            shape: "crosses".into(),
            friction: 0.3,
            seed: 7,
            mean: 25.25,
            min: 20.0,
            max: 31.0,
            absolute_error: 5.5,
            at_rest: true,
            settling_seconds: 8.5,
            release_seconds: 12.0,
            largest_overlap: 0.0062,
            energy_gained: 1e-7,
            correction_work: 3e-4,
            bodies: 325,
            bodies_lost: 0,
            steps: 1440,
            cpu_seconds: 31.5,
            state_hash: "00ff".into(),
            failure: "step 3: no contact".into(),
            verdict: "slope".into(),
            angle_deg: 26.5,
            standard_error_deg: 0.75,
            r2: 0.875,
            toe_to_crest_deg: 27.25,
            toe_m: 31.5,
            largest_step_diameters: 1.5,
        };
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("repose_table.csv");
        write_repose_table(&path, std::slice::from_ref(&row)).expect("written");
        let mut reader = csv::Reader::from_path(&path).expect("readable");
        let header = reader.headers().expect("header").clone();
        let record = reader.records().next().expect("one row").expect("readable");
        let debug = format!("{row:?}").replace('"', "");
        let fields = debug.trim_start_matches("ReposeRow { ").trim_end_matches(" }").split(", ");
        for (i, field) in fields.enumerate() {
            let (name, value) = field.split_once(": ").expect("name: value");
            assert_eq!(&header[i], name);
            match value.parse::<f64>() {
                Ok(number) => assert_eq!(record[i].parse::<f64>().expect("number"), number, "{name}"),
                Err(_) => assert_eq!(&record[i], value),
            }
        }
    }
}
