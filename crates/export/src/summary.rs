//! `summary.json`: what a run came to, for people and for programs.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::avalanche_summary::{AvalancheSummary, MoundSummary};
use crate::error::ExportError;
use crate::number::finite_or_null;
use crate::repose_summary::{ReposeAngle, ReposeSummary};

/// The result of a run. Numbers that are not finite are written as `null` and read back as NaN.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Version of granule that made the run.
    pub version: String,
    /// Name of the scene.
    pub scene: String,
    /// Angle of repose as Tang 2014 measures it, as in `repose.tang_2014`; absent where the surface is no slope.
    pub angle_of_repose_deg: Option<ReposeAngle>,
    /// The surface and its angle; absent when the scene asks for none or the run did not come to its end.
    pub repose: Option<ReposeSummary>,
    /// Runout and deposit; absent when the scene asks for none.
    pub avalanche: Option<AvalancheSummary>,
    /// Height and radius of a mound; absent when the scene asks for none or there are no bodies.
    pub mound: Option<MoundSummary>,
    /// Whether the run ended at rest by the criterion of the engine.
    pub at_rest: bool,
    /// Largest overlap of any contact in any step over the smaller body's equal-volume radius \[-\].
    #[serde(with = "finite_or_null")]
    pub largest_overlap: f64,
    /// Largest rise of E* in one step, work of driven bodies taken off, over the larger of the energy dissipated so far
    /// and 1e-6 of the start's energy \[-\].
    #[serde(with = "finite_or_null")]
    pub energy_gained: f64,
    /// The same by the thickness of what touches: depth over the smaller of the equal-volume radius and half the
    /// smallest width of the convex pieces \[-\].
    #[serde(with = "finite_or_null")]
    pub largest_overlap_thin: f64,
    /// All rises of E*, of every island in every step by itself, over the energy dissipated in the run \[-\]; what the
    /// drift correction lifts is in `correction_work` and not here.
    #[serde(with = "finite_or_null")]
    pub energy_gained_sum: f64,
    /// Steps in which driven bodies stood still because they were jammed, counted once for each such body.
    pub jam_stops: u64,
    /// Work of the drift correction over the energy dissipated in the run \[-\].
    #[serde(with = "finite_or_null")]
    pub correction_work: f64,
    /// Largest relative rise of kinetic energy by the impact and contact stages of a step \[-\].
    #[serde(with = "finite_or_null")]
    pub stage_gain: f64,
    /// Largest relative error of the energy book of an impact \[-\].
    #[serde(with = "finite_or_null")]
    pub impact_error: f64,
    /// The impact law and what became of its impacts.
    pub impacts: ImpactSummary,
    /// Bodies in the scene, static ones included.
    pub bodies: u64,
    /// Dynamic bodies that are where none should be: inside of a wall, or on their fall below everything. Those in
    /// `removed` are not counted.
    pub bodies_lost: u64,
    /// Root mean square of the speeds of the dynamic bodies at the end \[m/s\].
    #[serde(with = "finite_or_null")]
    pub rms_speed: f64,
    /// Simulated time \[s\].
    #[serde(with = "finite_or_null")]
    pub simulated_seconds: f64,
    /// Processor time, all threads together \[s\].
    #[serde(with = "finite_or_null")]
    pub cpu_seconds: f64,
    /// Elapsed time \[s\].
    #[serde(with = "finite_or_null")]
    pub wall_seconds: f64,
    /// Steps made.
    pub steps: u64,
    /// Steps that the engine divided.
    pub subdivided_steps: u64,
    /// Hash of the final state, 16 hexadecimal digits: equal for runs that ended in the same bits.
    pub state_hash: String,
    /// Time step at the end \[s\]: the one given, or the last one that the engine chose.
    #[serde(with = "finite_or_null")]
    pub time_step: f64,
    /// What decided the time step, as a sentence: the settings, the smallest body by name, or a driven body.
    pub time_step_decided_by: String,
    /// Friction \[-\], when there is one value: of the sweep or demo, or of the one material of the scene.
    pub friction: Option<f64>,
    /// Seed of the start, when it has one: that of the sweep or demo, or of the one fill of the scene.
    pub seed: Option<u64>,
    /// Threads used.
    pub threads: u64,
    /// Share of the packed region that bodies fill \[-\].
    pub packing_fraction: Option<f64>,
    /// Mean number of touching neighbours of a dynamic body \[-\].
    pub mean_coordination: Option<f64>,
    /// Energies at the end and what became of the rest.
    pub energy: EnergyTotals,
    /// The stages of the run in order: settling, after the removal of the wall.
    pub stages: Vec<StageSummary>,
    /// What ended the run: `duration`, `rest`, `interrupted` or `error`.
    pub ended: String,
    /// Bodies that left the scene and were taken out, in the order in which they left.
    pub removed: Vec<RemovedSummary>,
    /// The box in which bodies are followed, where there is one.
    pub domain: Option<DomainSummary>,
    /// What was odd about the scene, one sentence each.
    pub warnings: Vec<String>,
}

/// The box in which bodies are followed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DomainSummary {
    /// Lowest corner \[m\]; none along an axis without end.
    pub min: [Option<f64>; 3],
    /// Highest corner \[m\]; none along an axis without end.
    pub max: [Option<f64>; 3],
    /// Whether it was chosen because the ground ends, and not given by the scene.
    pub chosen: bool,
}

/// A body that left the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RemovedSummary {
    /// Its row in `final_state.csv`.
    pub id: u64,
    /// Its name; may be empty.
    pub name: String,
    /// Simulated time at which it left \[s\].
    pub time: f64,
    /// Its centre of mass then \[m\].
    pub position: [f64; 3],
    /// Its velocity then \[m/s\].
    pub velocity: [f64; 3],
}

/// The impacts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpactSummary {
    /// Name of the law.
    pub law: String,
    /// Contacts that were hit, counted once per step.
    pub hits: u64,
    /// Clusters of contacts that the law resolved; zero for energy tracking, which releases energy island by island.
    pub resolved: u64,
    /// Of them those whose answer was refused and that `etm` or `sqm` resolved instead.
    #[serde(default)]
    pub substituted: u64,
    /// Clusters whose answers were all refused and that went without restitution.
    pub fallbacks: u64,
    /// Impulses of the energy releases, or iterations of the law.
    pub iterations: u64,
}

/// Energies at the end of a run and totals over it \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EnergyTotals {
    /// E* at the start.
    #[serde(with = "finite_or_null")]
    pub start: f64,
    /// Kinetic energy at the end.
    #[serde(with = "finite_or_null")]
    pub kinetic: f64,
    /// Potential energy at the end, from the lowest point of the container.
    #[serde(with = "finite_or_null")]
    pub potential: f64,
    /// E* at the end.
    #[serde(with = "finite_or_null")]
    pub energy_star: f64,
    /// Work done by driven bodies.
    #[serde(with = "finite_or_null")]
    pub work_driven: f64,
    /// Work done by force fields.
    #[serde(with = "finite_or_null")]
    pub work_forces: f64,
    /// Work of the drift correction; negative where it lowered more than it lifted.
    #[serde(with = "finite_or_null")]
    pub work_correction: f64,
    /// Lost in impacts.
    #[serde(with = "finite_or_null")]
    pub dissipated_impact: f64,
    /// Lost to friction.
    #[serde(with = "finite_or_null")]
    pub dissipated_friction: f64,
    /// Taken by normal impulses of contacts that were not hit.
    #[serde(with = "finite_or_null")]
    pub dissipated_contact: f64,
    /// Taken by drag and damping.
    #[serde(with = "finite_or_null")]
    pub dissipated_drag: f64,
    /// Taken from bodies that fell asleep.
    #[serde(with = "finite_or_null")]
    pub dissipated_sleep: f64,
    /// Change of E* because bodies began steps of another length: neither gained nor dissipated.
    #[serde(with = "finite_or_null")]
    pub step_change: f64,
    /// Change of E* that no force makes.
    #[serde(with = "finite_or_null")]
    pub scheme_change: f64,
    /// What the sum of all these is off.
    #[serde(with = "finite_or_null")]
    pub imbalance: f64,
    /// E* that bodies took with them which left or were removed: no part of what was dissipated.
    #[serde(with = "finite_or_null")]
    pub removed: f64,
}

/// One stage of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageSummary {
    /// Name: `settle`, `release`.
    pub name: String,
    /// Whether it ended at rest, not at its time limit.
    pub at_rest: bool,
    /// Simulated time of the stage \[s\].
    #[serde(with = "finite_or_null")]
    pub seconds: f64,
    /// Steps of the stage.
    pub steps: u64,
    /// Largest overlap in the stage over the smaller body's equal-volume radius \[-\].
    #[serde(with = "finite_or_null")]
    pub largest_overlap: f64,
    /// Packing fraction at its end \[-\].
    pub packing_fraction: Option<f64>,
    /// Mean coordination number at its end \[-\].
    pub mean_coordination: Option<f64>,
}

/// A hash of a state as it stands in the summary: 16 lower-case hexadecimal digits.
pub fn state_hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}

impl Summary {
    /// The summary as indented JSON with a final line break.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data with text keys always have a JSON form");
        text.push('\n');
        text
    }

    /// Writes the summary to `path`.
    pub fn write(&self, path: &Path) -> Result<(), ExportError> {
        fs::write(path, self.to_json()).map_err(ExportError::io("write", path))
    }

    /// Reads a summary; fields that are missing get their defaults.
    pub fn read(path: &Path) -> Result<Summary, ExportError> {
        let text = fs::read_to_string(path).map_err(ExportError::io("read", path))?;
        serde_json::from_str(&text)
            .map_err(|error| ExportError::Format { path: path.to_path_buf(), message: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_and_stays_json_with_numbers_that_json_cannot_hold() {
        let summary = Summary {
            scene: "repose \"spheres\"".into(),
            angle_of_repose_deg: Some(ReposeAngle { mean: 13.2, min: 11.0, max: 15.0, absolute_error: 2.0 }),
            energy_gained: 1.0 / 3.0,
            stages: vec![StageSummary { name: "settle".into(), seconds: 8.5, ..StageSummary::default() }],
            state_hash: state_hash_text(0xab),
            friction: Some(0.3),
            ended: "rest".into(),
            removed: vec![RemovedSummary { id: 7, name: "ball".into(), time: 0.1, ..RemovedSummary::default() }],
            warnings: vec!["`gravity` is 9800 m/s2".into()],
            ..Summary::default()
        };
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("summary.json");
        summary.write(&path).expect("written");
        assert_eq!(Summary::read(&path).expect("readable"), summary);

        let odd = Summary {
            rms_speed: f64::NAN,
            energy_gained: f64::INFINITY,
            packing_fraction: Some(f64::NAN),
            ..Summary::default()
        };
        odd.write(&path).expect("written");
        let value: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("text")).expect("valid JSON");
        assert!(value["rms_speed"].is_null() && value["energy_gained"].is_null());
        assert!(value["angle_of_repose_deg"].is_null() && value["packing_fraction"].is_null());
        assert!(Summary::read(&path).expect("readable").rms_speed.is_nan());
    }

    #[test]
    fn the_keys_of_the_contract_are_there() {
        let angle = Some(ReposeAngle::default());
        let text = Summary { angle_of_repose_deg: angle, ..Summary::default() }.to_json();
        let value: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        for key in [
            "at_rest",
            "largest_overlap",
            "energy_gained",
            "energy_gained_sum",
            "largest_overlap_thin",
            "correction_work",
            "bodies",
            "bodies_lost",
            "rms_speed",
            "simulated_seconds",
            "cpu_seconds",
            "wall_seconds",
            "steps",
            "state_hash",
            "ended",
            "removed",
            "warnings",
        ] {
            assert!(value.get(key).is_some_and(|v| !v.is_null()), "{key}");
        }
        for key in ["mean", "min", "max", "absolute_error"] {
            assert!(value["angle_of_repose_deg"][key].is_number(), "{key}");
        }
        assert_eq!(state_hash_text(0xab), "00000000000000ab");
    }
}
