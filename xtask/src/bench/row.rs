//! One workload on one number of threads: the run and its figures.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use granule_engine::{EngineError, Phase, Simulation, StepReport};
use granule_model::BodyId;
use serde::Serialize;

use super::course::{Course, End};
use super::sweeps::{SweepFigures, SweepSums};
use super::{BenchError, memory};

/// The falling phase, from and to \[s\].
const FALLING: (f64, f64) = (0.5, 3.0);
/// The settled phase, before the end \[s\].
const SETTLED: f64 = 1.0;

/// The figures of one run. Times are those of the stepping loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Row {
    /// Name of the workload.
    pub(crate) workload: String,
    /// Dynamic bodies.
    pub(crate) bodies: usize,
    /// Threads.
    pub(crate) threads: u16,
    /// Time step \[s\].
    pub(crate) time_step: f64,
    /// Processor time, all threads together, per simulated second \[-\].
    pub(crate) cpu_seconds_per_simulated_second: f64,
    /// Elapsed time per simulated second \[-\].
    pub(crate) wall_seconds_per_simulated_second: f64,
    /// Processor time of a step between 0.5 and 3 s \[ms\].
    pub(crate) ms_per_step_falling: f64,
    /// Processor time of a step in the last second, or in all of a shorter run \[ms\].
    pub(crate) ms_per_step_settled: f64,
    /// Elapsed time of a step between 0.5 and 3 s \[ms\].
    pub(crate) wall_ms_per_step_falling: f64,
    /// Elapsed time of a step in the last second, or in all of a shorter run \[ms\].
    pub(crate) wall_ms_per_step_settled: f64,
    /// Speed-up of pure arithmetic by as many threads, just before and after the run \[-\].
    pub(crate) arithmetic_speed_up: f64,
    /// Processor time per period of a shaken floor \[s\]; none without.
    pub(crate) cpu_seconds_per_floor_period: Option<f64>,
    /// Sweeps of the contact stage in a step, of the island that needed most, in the mean over the steps.
    pub(crate) mean_sweeps: f64,
    /// Most sweeps that an island needed in a step.
    pub(crate) largest_sweeps: u32,
    /// Residual of the contact stage after a step, of the island where it is largest, in the mean over the steps: over
    /// what gravity changes a velocity by in the step, or without gravity over the largest speed of a body after it
    /// \[-\].
    pub(crate) mean_residual: f64,
    /// The largest such residual \[-\].
    pub(crate) largest_residual: f64,
    /// What the contact stage cost.
    #[serde(flatten)]
    pub(crate) swept: SweepFigures,
    /// Share of each phase in the elapsed time of all of them \[-\].
    pub(crate) phases: BTreeMap<&'static str, f64>,
    /// Largest overlap of any contact after any step, over the smaller body's equal-volume radius \[-\].
    pub(crate) largest_overlap: f64,
    /// Mean overlap of the contact points that overlap, over the steps of the last second \[-\].
    pub(crate) mean_overlap_settled: f64,
    /// Largest rise of E* in a step over the energy dissipated before it \[-\].
    pub(crate) energy_gained: f64,
    /// Bodies that left the container.
    pub(crate) bodies_lost: usize,
    /// Bytes that the simulation holds at the end, per dynamic body: counted at the allocator.
    pub(crate) bytes_per_body: f64,
    /// Bodies, walls included, that a dynamic one touches at the end, in the mean \[-\].
    pub(crate) contacts_per_body: f64,
    /// Hash of the final state, 16 hexadecimal digits.
    pub(crate) state_hash: String,
    /// Impact law, for workloads that differ in it.
    pub(crate) law: Option<&'static str>,
    /// Simulated time \[s\].
    pub(crate) simulated_seconds: f64,
    /// Processor time, all threads together \[s\].
    pub(crate) cpu_seconds: f64,
    /// Whether the bodies were at rest at the end.
    pub(crate) at_rest: bool,
    /// Simulated time at which they were first at rest \[s\].
    pub(crate) rest_time: Option<f64>,
    /// Clusters of contacts that the law resolved; zero for energy tracking, which goes by the release.
    pub(crate) clusters_resolved: u64,
    /// Clusters whose answer was refused.
    pub(crate) fallbacks: u64,
    /// Energy lost by impacts \[J\].
    pub(crate) dissipated_impact: f64,
    /// Energy lost by friction \[J\].
    pub(crate) dissipated_friction: f64,
    /// Energy lost by the contact stage \[J\].
    pub(crate) dissipated_contact: f64,
    /// Work of the drift correction, every step's counted as positive \[J\].
    pub(crate) correction_work: f64,
}

/// Sums over the steps of a part of the run.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    steps: u32,
    spent: Spent,
}

/// Processor time and elapsed time.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    cpu: Duration,
    wall: Duration,
}

impl Part {
    fn add(&mut self, spent: Spent) {
        self.steps += 1;
        self.spent.cpu += spent.cpu;
        self.spent.wall += spent.wall;
    }

    fn milliseconds_per_step(&self, time: Duration) -> f64 {
        1e3 * time.as_secs_f64() / f64::from(self.steps.max(1))
    }
}

/// What is summed up while a workload runs.
#[derive(Debug, Default)]
struct Sums {
    all: Part,
    falling: Part,
    settled: Part,
    phases: granule_engine::PhaseSeconds,
    sweeps: (u64, u32),
    swept: SweepSums,
    residual: (f64, f64),
    overlaps: (u64, f64),
    /// Steps that may belong to the settled phase, where its begin is known at the end only.
    late: Vec<Late>,
    rest_time: Option<f64>,
}

/// A step that may belong to the settled phase.
#[derive(Clone, Copy, Debug)]
struct Late {
    began: f64,
    spent: Spent,
    overlaps: (u64, f64),
}

/// Runs `course` to its end on the threads of the pool that calls.
pub(crate) fn measure(workload: &str, course: &Course, threads: u16) -> Result<Row, BenchError> {
    let before = memory::live_bytes();
    let built = course.scene.build()?;
    let mut pending = course.pending(&built);
    let (mut simulation, ids) = (built.simulation, built.ids);
    let mut sums = Sums::default();
    let failed = |source| BenchError::Engine { workload: workload.to_owned(), source };
    while course.end.is_ahead(&simulation) {
        pending.remove_due(&mut simulation).map_err(failed)?;
        let report = sums.step(&mut simulation, course.end).map_err(failed)?;
        sums.book_solution(&report, velocity_unit(&simulation, &ids, report.dt));
    }
    sums.settle(course.end, simulation.time());
    // The handles are the benchmark's own.
    let handles = ids.capacity() * size_of::<BodyId>();
    let bytes = (memory::live_bytes() - before - handles as isize).max(0);
    let row = sums.row(workload, threads, &simulation, bytes as f64);
    let per_period = |period| row.cpu_seconds_per_simulated_second * period;
    Ok(Row { cpu_seconds_per_floor_period: course.floor_period.map(per_period), ..row })
}

/// What a residual is measured by \[m/s\]: g dt, or without gravity the largest speed of a body.
fn velocity_unit(simulation: &Simulation, ids: &[BodyId], dt: f64) -> f64 {
    match simulation.settings().gravity.length() {
        0.0 => {
            let speeds = ids.iter().filter_map(|id| simulation.velocity(*id).ok()).map(|v| v.linear.length());
            speeds.fold(0.0, f64::max)
        }
        gravity => gravity * dt,
    }
}

impl Sums {
    fn step(&mut self, simulation: &mut Simulation, end: End) -> Result<StepReport, EngineError> {
        let began = simulation.time();
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        let report = simulation.step()?;
        let spent = Spent { cpu: cpu.elapsed(), wall: wall.elapsed() };
        self.all.add(spent);
        if (FALLING.0..FALLING.1).contains(&began) {
            self.falling.add(spent);
        }
        let may_be_settled = match end {
            End::After(seconds) => began >= seconds - SETTLED,
            End::Rest(_) => true,
        };
        if may_be_settled {
            let overlaps = simulation.overlaps().fold((0, 0.0), |(count, sum), depth| (count + 1, sum + depth));
            self.late.push(Late { began, spent, overlaps });
        }
        if self.rest_time.is_none() && simulation.at_rest() {
            self.rest_time = Some(simulation.time());
        }
        self.book_phases(&report);
        self.swept.add(&report);
        Ok(report)
    }

    /// Books how well the contact stage solved, its residual by `unit` \[m/s\].
    fn book_solution(&mut self, report: &StepReport, unit: f64) {
        self.sweeps = (self.sweeps.0 + u64::from(report.sweeps), self.sweeps.1.max(report.sweeps));
        // Where nothing moves there is no residual either.
        let residual = if unit > 0.0 { report.residual / unit } else { 0.0 };
        self.residual = (self.residual.0 + residual, self.residual.1.max(residual));
    }

    /// Books the settled phase of a run that ended at the time `ended`, and frees what was kept for that.
    fn settle(&mut self, end: End, ended: f64) {
        let begin = match end {
            End::After(seconds) => seconds - SETTLED,
            End::Rest(_) => ended - SETTLED,
        };
        for late in std::mem::take(&mut self.late).iter().filter(|late| late.began >= begin) {
            self.settled.add(late.spent);
            self.overlaps = (self.overlaps.0 + late.overlaps.0, self.overlaps.1 + late.overlaps.1);
        }
    }

    fn book_phases(&mut self, report: &StepReport) {
        for (sum, seconds) in self.phases.iter_mut().zip(report.seconds) {
            *sum += seconds;
        }
    }

    fn row(&self, workload: &str, threads: u16, simulation: &Simulation, bytes: f64) -> Row {
        let bodies = simulation.dynamic_count();
        let per_body = |x: f64| x / bodies.max(1) as f64;
        let per_step = |x: f64| x / f64::from(self.all.steps.max(1));
        let total: f64 = self.phases.iter().sum();
        let snapshot = simulation.snapshot();
        let (audit, impacts) = (simulation.audit(), simulation.impacts());
        let touches = snapshot.bodies.iter().filter(|b| b.mass > 0.0).map(|b| f64::from(b.contacts));
        Row {
            workload: workload.to_owned(),
            bodies,
            threads,
            time_step: simulation.time_step(),
            cpu_seconds_per_simulated_second: self.all.spent.cpu.as_secs_f64() / simulation.time(),
            wall_seconds_per_simulated_second: self.all.spent.wall.as_secs_f64() / simulation.time(),
            ms_per_step_falling: self.falling.milliseconds_per_step(self.falling.spent.cpu),
            ms_per_step_settled: self.settled.milliseconds_per_step(self.settled.spent.cpu),
            wall_ms_per_step_falling: self.falling.milliseconds_per_step(self.falling.spent.wall),
            wall_ms_per_step_settled: self.settled.milliseconds_per_step(self.settled.spent.wall),
            arithmetic_speed_up: 1.0,
            cpu_seconds_per_floor_period: None,
            mean_sweeps: per_step(self.sweeps.0 as f64),
            largest_sweeps: self.sweeps.1,
            mean_residual: per_step(self.residual.0),
            largest_residual: self.residual.1,
            swept: self.swept.figures(),
            phases: Phase::ALL.iter().map(|p| (p.name(), self.phases[*p as usize] / total)).collect(),
            largest_overlap: simulation.largest_overlap(),
            mean_overlap_settled: self.overlaps.1 / self.overlaps.0.max(1) as f64,
            energy_gained: audit.energy_gained,
            bodies_lost: simulation.lost_bodies().len(),
            bytes_per_body: per_body(bytes),
            contacts_per_body: per_body(touches.sum()),
            state_hash: format!("{:016x}", simulation.state_hash()),
            law: None,
            simulated_seconds: simulation.time(),
            cpu_seconds: self.all.spent.cpu.as_secs_f64(),
            at_rest: simulation.at_rest(),
            rest_time: self.rest_time,
            clusters_resolved: impacts.resolved,
            fallbacks: impacts.fallbacks,
            dissipated_impact: audit.dissipated_impact,
            dissipated_friction: audit.dissipated_friction,
            dissipated_contact: audit.dissipated_contact,
            correction_work: audit.correction_work,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use granule_model::DVec3;
    use granule_scene::ReposeOptions;

    fn course(count: usize, end: End) -> Course {
        let scene = ReposeOptions { count: Some(count), ..ReposeOptions::default() }.scene().expect("valid");
        Course { scene, end, removals: Vec::new(), floor_period: None }
    }

    #[test]
    fn a_small_pack_has_all_its_figures() {
        let row = measure("small", &course(20, End::After(6.0)), 1).expect("runs");
        assert_eq!((row.bodies, row.bodies_lost), (20, 0));
        assert!((row.phases.values().sum::<f64>() - 1.0).abs() <= 1e-9);
        assert_eq!(row.phases.len(), Phase::ALL.len());
        // The memory is that of the whole process, other tests included: `tests/memory.rs` holds it in one of its own.
        assert!((1.0..12.0).contains(&row.contacts_per_body), "{}", row.contacts_per_body);
        assert!(row.mean_overlap_settled <= row.largest_overlap && row.largest_overlap < 0.01);
        assert!(row.cpu_seconds_per_simulated_second >= 0.0 && row.time_step > 0.0);
        assert!((6.0..6.1).contains(&row.simulated_seconds) && row.cpu_seconds >= 0.0);
        assert!(row.dissipated_impact + row.dissipated_friction + row.dissipated_contact > 0.0);
        // Most steps have contacts, and what they leave is small against the weight.
        assert!(0.0 < row.mean_sweeps && row.mean_sweeps <= f64::from(row.largest_sweeps), "{}", row.mean_sweeps);
        assert!(row.mean_residual <= row.largest_residual && row.mean_residual < 0.1, "{}", row.mean_residual);
        let SweepFigures { contacts_solved, sweeps_per_contact, ns_per_update, bytes_per_update, .. } = row.swept;
        assert!((1.0..120.0).contains(&contacts_solved), "{contacts_solved}");
        assert!(
            0.0 < sweeps_per_contact && sweeps_per_contact <= f64::from(row.largest_sweeps),
            "{sweeps_per_contact}"
        );
        // Small islands are swept in double precision, and their last packs have lanes to spare.
        assert!(ns_per_update > 0.0 && (200.0..4000.0).contains(&bytes_per_update), "{bytes_per_update}");
        assert_eq!(row.cpu_seconds_per_floor_period, None);
    }

    #[test]
    fn a_run_to_rest_ends_there() {
        let row = measure("few", &course(5, End::Rest(60.0)), 1).expect("runs");
        assert!(row.at_rest && row.rest_time == Some(row.simulated_seconds) && row.simulated_seconds < 60.0);
        assert!(row.ms_per_step_settled > 0.0);
        let short = measure("short", &course(5, End::Rest(0.1)), 1).expect("runs");
        assert!(!short.at_rest && short.rest_time.is_none() && short.simulated_seconds < 0.3);
    }

    #[test]
    fn a_shaken_floor_has_its_time_per_period() {
        let shaken = Course { floor_period: Some(0.25), ..course(5, End::After(1.0)) };
        let row = measure("shaken", &shaken, 1).expect("runs");
        let expected = 0.25 * row.cpu_seconds / row.simulated_seconds;
        let per_period = row.cpu_seconds_per_floor_period.expect("there is a period");
        assert!((per_period - expected).abs() <= 1e-12 * expected.max(1.0), "{per_period} for {expected}");
    }

    #[test]
    fn residuals_go_by_the_weight_or_without_gravity_by_the_largest_speed() {
        let mut scene = course(3, End::After(1.0)).scene;
        let built = scene.build().expect("valid");
        assert!((velocity_unit(&built.simulation, &built.ids, 0.01) - 0.098).abs() <= 1e-15);
        scene.settings.gravity = DVec3::ZERO;
        scene.bodies[3].velocity.linear = DVec3::new(0.0, 3.0, 4.0);
        let built = scene.build().expect("valid");
        assert_eq!(velocity_unit(&built.simulation, &built.ids, 0.01), 5.0);
        let mut sums = Sums::default();
        let report = |sweeps, residual| StepReport { sweeps, residual, ..StepReport::default() };
        sums.book_solution(&report(4, 1.0), 5.0);
        sums.book_solution(&report(2, 3.0), 5.0);
        sums.book_solution(&report(0, 0.0), 0.0);
        assert_eq!((sums.sweeps, sums.residual), ((6, 4), (0.2 + 0.6, 0.6)));
    }
}
