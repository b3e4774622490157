//! The book: what a run tells of itself. No phase of a step reads it.

pub(crate) mod audit;
pub(crate) mod clock;
pub(crate) mod energy;
pub(crate) mod hidden;
pub(crate) mod report;

use granule_model::{BodyId, DVec3, Velocity};

use crate::book::audit::Audit;
use crate::book::hidden::Turn;
use crate::book::report::{ImpactCounts, StepReport};
use crate::world::load::Told;

/// Sums and extremes over the steps of a run, and who left it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book {
    pub(crate) audit: Audit,
    pub(crate) impacts: ImpactCounts,
    /// Steps in which driven bodies stood still, counted once for each such body.
    pub(crate) jam_stops: u64,
    /// Largest overlap of all steps, over the smaller radius and over the thickness \[-\].
    pub(crate) largest_overlap: f64,
    pub(crate) largest_overlap_thin: f64,
    pub(crate) removed: Vec<RemovedBody>,
    /// The first turn in a step that may have hidden something.
    pub(crate) turn: Option<Turn>,
    /// Longest step \[s\].
    pub(crate) longest_step: f64,
    /// Height along gravity from which potential energy counts, fixed by the first step \[m\]; none before it.
    pub(crate) datum: Option<f64>,
    /// What the contacts of the last step did, where that is asked for.
    pub(crate) loads: Option<Told>,
    /// What decided the length of the step, as a sentence; empty before the first.
    pub(crate) step_decided_by: String,
}

/// A body that left the scene by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemovedBody {
    /// Handle; names no body of the simulation any more.
    pub id: BodyId,
    /// Simulated time after the step in which it left \[s\].
    pub time: f64,
    /// Its centre of mass then \[m\].
    pub position: DVec3,
    /// Its velocity then.
    pub velocity: Velocity,
}

impl Book {
    /// Enters a step that was made.
    pub(crate) fn enter(&mut self, report: &StepReport) {
        self.audit.record(&report.energy);
        self.impacts.add(report);
        self.jam_stops += u64::from(report.stopped);
        self.longest_step = self.longest_step.max(report.dt);
        self.largest_overlap = self.largest_overlap.max(report.largest_overlap);
        self.largest_overlap_thin = self.largest_overlap_thin.max(report.largest_overlap_thin);
    }
}
