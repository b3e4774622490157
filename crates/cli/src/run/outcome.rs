//! The summary of a run, for `summary.json` and in words.

use std::fmt::Write;
use std::path::Path;

use granule_engine::{ImpactCounts, Simulation, Snapshot};
use granule_export::{
    AvalancheSummary, DomainSummary, EnergyTotals, ImpactSummary, RemovedSummary, StageSummary, Summary,
    state_hash_text,
};
use granule_model::DVec3;
use granule_scene::{BuiltScene, Scene};

use super::measure;
use super::repose::{self, Repose};
use super::runner::{Outcome, StageOutcome};
use super::{avalanche, mound};

/// Parameters of a run that its summary repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Coefficient of friction, where the run has one \[-\].
    pub friction: Option<f64>,
    /// Seed of the start, where it has one.
    pub seed: Option<u64>,
    /// Threads used.
    pub threads: usize,
}

/// The summary of a run that has ended, however it did.
pub fn summary(scene: &Scene, built: &BuiltScene, outcome: &Outcome, facts: &Facts) -> Summary {
    let simulation = &built.simulation;
    let snapshot = simulation.snapshot();
    let audit = simulation.audit();
    // Only the end of the last stage is the state that the scene wants measured.
    let done = outcome.ending.is_done();
    let plan = scene.measure.repose.filter(|_| done);
    let found = plan.and_then(|plan| Repose::of(simulation, &snapshot, &plan, outcome.pile_end));
    let repose = found.map(|found| found.summary());
    Summary {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scene: scene.name.clone(),
        angle_of_repose_deg: repose.as_ref().filter(|r| r.is_slope()).and_then(|r| r.tang_2014),
        repose,
        avalanche: avalanche(scene, &snapshot, outcome).map(|(found, _)| found),
        mound: scene.measure.mound.and_then(|plan| mound::summary(&snapshot, &plan)),
        at_rest: simulation.at_rest(),
        largest_overlap: simulation.largest_overlap(),
        energy_gained: audit.energy_gained,
        largest_overlap_thin: simulation.largest_overlap_thin(),
        energy_gained_sum: audit.energy_gained_sum(),
        jam_stops: simulation.jam_stops(),
        correction_work: audit.correction_share(),
        stage_gain: audit.stage_gain,
        impact_error: audit.impact_error,
        impacts: impacts(simulation),
        bodies: snapshot.bodies.len() as u64,
        bodies_lost: simulation.lost_bodies().len() as u64,
        rms_speed: measure::rms_speed(&snapshot),
        simulated_seconds: simulation.time(),
        cpu_seconds: outcome.cpu_seconds,
        wall_seconds: outcome.wall_seconds,
        steps: simulation.steps(),
        subdivided_steps: outcome.subdivided_steps,
        state_hash: state_hash_text(simulation.state_hash()),
        time_step: simulation.time_step(),
        time_step_decided_by: simulation.time_step_decided_by(),
        friction: facts.friction.or_else(|| friction(scene)),
        seed: facts.seed.or(scene.seed),
        threads: facts.threads as u64,
        packing_fraction: outcome.stages.first().and_then(|s| s.packing_fraction),
        mean_coordination: measure::mean_coordination(simulation),
        energy: energy_totals(simulation, outcome),
        stages: outcome.stages.iter().map(stage_summary).collect(),
        ended: outcome.ending.name().to_owned(),
        removed: removed(simulation, &snapshot),
        domain: domain(scene),
        warnings: built.warnings.iter().chain(&outcome.remarks).cloned().collect(),
    }
}

/// Avalanche, and why some of it is missing; none where the scene measures none or the run had no first stage.
fn avalanche(scene: &Scene, snapshot: &Snapshot, outcome: &Outcome) -> Option<(AvalancheSummary, Vec<String>)> {
    let (plan, source) = (scene.measure.avalanche?, outcome.source.as_ref()?);
    Some(avalanche::summary(snapshot, &plan, source))
}

/// Why something of an avalanche or a mound that the scene asks for could not be measured, sentences.
pub(super) fn missing(scene: &Scene, simulation: &Simulation, outcome: &Outcome) -> Vec<String> {
    let snapshot = simulation.snapshot();
    let mut remarks = avalanche(scene, &snapshot, outcome).map(|(_, remarks)| remarks).unwrap_or_default();
    if scene.measure.mound.is_some_and(|plan| mound::summary(&snapshot, &plan).is_none()) {
        remarks.push("there is no mound of `[measure.mound]`: no body is there at the end".to_owned());
    }
    remarks
}

/// The coefficient of friction, where the scene has one material, for which static and dynamic are the same.
fn friction(scene: &Scene) -> Option<f64> {
    match scene.materials.as_slice() {
        [(_, m)] if m.static_friction == m.dynamic_friction && scene.pairs.is_empty() => Some(m.static_friction),
        _ => None,
    }
}

fn removed(simulation: &Simulation, snapshot: &Snapshot) -> Vec<RemovedSummary> {
    let removed = simulation.removed_bodies().iter().map(|body| RemovedSummary {
        id: u64::from(body.id.index),
        name: snapshot.bodies[body.id.index as usize].name.clone(),
        time: body.time,
        position: body.position.to_array(),
        velocity: body.velocity.linear.to_array(),
    });
    removed.collect()
}

/// The box in which bodies are followed, and whether the scene gave it.
pub(crate) fn domain(scene: &Scene) -> Option<DomainSummary> {
    let domain = scene.settings.domain?;
    let finite = |corner: DVec3| corner.to_array().map(|x| x.is_finite().then_some(x));
    let chosen = scene.chosen_domain == Some(domain);
    Some(DomainSummary { min: finite(domain.min), max: finite(domain.max), chosen })
}

/// The same in words.
pub(crate) fn domain_text(domain: &DomainSummary) -> String {
    let short = |x: f64| format!("{x:.4}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let side = |axis: usize| {
        let range = match (domain.min[axis].map(short), domain.max[axis].map(short)) {
            (Some(low), Some(high)) => format!("{low} to {high} m"),
            (Some(low), None) => format!("above {low} m"),
            (None, Some(high)) => format!("below {high} m"),
            (None, None) => "without end".to_owned(),
        };
        format!("{} {range}", ["x", "y", "z"][axis])
    };
    let reason = if domain.chosen { "chosen, the ground ends" } else { "given" };
    format!("{}, {}, {} ({reason})", side(0), side(1), side(2))
}

fn impacts(simulation: &Simulation) -> ImpactSummary {
    let ImpactCounts { hits, resolved, substituted, fallbacks, iterations } = simulation.impacts();
    let law = simulation.settings().law.law().name().to_owned();
    ImpactSummary { law, hits, resolved, substituted, fallbacks, iterations }
}

fn energy_totals(simulation: &Simulation, outcome: &Outcome) -> EnergyTotals {
    let audit = simulation.audit();
    let now = outcome.last_energy;
    EnergyTotals {
        start: audit.start,
        kinetic: now.kinetic,
        potential: now.potential,
        energy_star: now.star,
        work_driven: audit.driven_work,
        work_forces: audit.field_work,
        work_correction: audit.net_correction_work(),
        dissipated_impact: audit.dissipated_impact,
        dissipated_friction: audit.dissipated_friction,
        dissipated_contact: audit.dissipated_contact,
        dissipated_drag: audit.dissipated_drag,
        dissipated_sleep: audit.dissipated_sleep,
        step_change: audit.step_change,
        scheme_change: audit.scheme_change,
        imbalance: audit.imbalance,
        removed: audit.removed,
    }
}

fn stage_summary(stage: &StageOutcome) -> StageSummary {
    StageSummary {
        name: stage.name.clone(),
        at_rest: stage.at_rest,
        seconds: stage.seconds,
        steps: stage.steps,
        largest_overlap: stage.largest_overlap,
        packing_fraction: stage.packing_fraction,
        mean_coordination: stage.mean_coordination,
    }
}

/// Bodies that left and are named at the end of a run; of the others there is a count.
const NAMED: usize = 3;

/// The first bodies that left, with their times, and how many more there are.
fn names_of(removed: &[RemovedSummary]) -> String {
    let name = |body: &RemovedSummary| match body.name.as_str() {
        "" => format!("number {} (from 0) at {:.3} s", body.id, body.time),
        name => format!("`{name}` at {:.3} s", body.time),
    };
    let mut text = removed.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    let others = removed.len().saturating_sub(NAMED);
    if others > 0 {
        let _ = write!(text, " and {others} more");
    }
    text
}

/// What a run came to in a few lines.
pub fn describe(summary: &Summary, folder: &Path) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:<18}{value}");
    };
    if summary.ended == "interrupted" {
        line("interrupted", format!("after {:.3} s of simulated time", summary.simulated_seconds));
    }
    if let Some(found) = &summary.repose {
        line("angle of repose", repose::describe(found));
    }
    for (label, text) in summary.avalanche.iter().flat_map(avalanche::describe) {
        line(label, text);
    }
    if let Some(found) = &summary.mound {
        line("mound", mound::describe(found));
    }
    for stage in &summary.stages {
        let end = if stage.at_rest { "at rest" } else { "not at rest" };
        line("stage", format!("{}: {:.3} s, {} steps, then {end}", stage.name, stage.seconds, stage.steps));
    }
    if summary.ended != "interrupted" {
        line("ended", format!("at {:.3} s: {}", summary.simulated_seconds, summary.ended));
    }
    if let Some(fraction) = summary.packing_fraction {
        line("packing fraction", format!("{fraction:.3}"));
    }
    if let Some(coordination) = summary.mean_coordination {
        line("coordination", format!("{coordination:.2} touching neighbours of a body in the mean"));
    }
    let (overlap, gained) = (100.0 * summary.largest_overlap, summary.energy_gained);
    let thin = 100.0 * summary.largest_overlap_thin;
    line("largest overlap", format!("{overlap:.3} % of the radius, {thin:.3} % of the thickness"));
    line("energy gained", format!("{gained:.1e} of the dissipated energy in the worst step"));
    if summary.jam_stops > 0 {
        line("jam stops", summary.jam_stops.to_string());
    }
    if summary.bodies_lost > 0 {
        line("bodies lost", summary.bodies_lost.to_string());
    }
    if !summary.removed.is_empty() {
        line("left the scene", names_of(&summary.removed));
        if let Some(domain) = summary.domain.as_ref().filter(|domain| domain.chosen) {
            line("domain", domain_text(domain));
        }
    }
    let (cpu, wall) = (summary.cpu_seconds, summary.wall_seconds);
    let steps = summary.steps;
    line("stepping", format!("{steps} steps in {wall:.2} s ({cpu:.2} s of processor time)"));
    line("results", folder.display().to_string());
    text.truncate(text.trim_end().len());
    text
}
