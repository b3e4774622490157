//! Drives a simulation through the stages of its scene and tells observers what happens. Writes nothing itself.

use granule_engine::{EnergyReport, EngineError, Simulation, StepReport};
use granule_model::BodyId;
use granule_scene::{BuiltScene, MeasurePlan, Scene, SceneError, Stage};

use crate::clock::{Processor, Stopwatch};
use crate::error::CliError;
use crate::run::avalanche::Grains;
use crate::run::{measure, repose};

/// By how much the last step of a stage may be longer than the others, as a share: what is left of a stage below this
/// is the rounding of the times summed so far, and a step of that length would be none.
const LAST_STEP_STRETCH: f64 = 1e-4;

/// A run that is ready to go: the stages with the handles of what each takes away.
#[derive(Clone, Debug)]
pub struct Plan {
    stages: Vec<(Stage, Vec<BodyId>)>,
    measure: MeasurePlan,
}

impl Plan {
    /// The plan of a scene.
    ///
    /// # Errors
    /// [`SceneError`] when the scene does not say how long it runs.
    pub fn new(scene: &Scene, built: &BuiltScene) -> Result<Self, SceneError> {
        let stages = scene.stages()?.iter().map(|stage| (stage.clone(), built.ids_of(scene, &stage.remove)));
        Ok(Plan { stages: stages.collect(), measure: scene.measure })
    }

    /// Longest simulated time that the run may take \[s\].
    pub fn limit(&self) -> f64 {
        self.stages.iter().map(|(stage, _)| stage.limit).sum()
    }

    /// Whether the run may end before its limit.
    pub fn until_rest(&self) -> bool {
        self.stages.iter().any(|(stage, _)| stage.until_rest)
    }
}

/// What observers are told.
#[derive(Debug)]
pub enum Event<'a> {
    /// Before the first step.
    Begin,
    /// A stage begins; what it removes is gone.
    StageBegins {
        /// The stage.
        stage: &'a Stage,
        /// Simulated time at which it ends at the latest \[s\].
        latest_end: f64,
    },
    /// A step was made.
    Step(&'a StepReport),
    /// A stage has ended.
    StageEnds {
        /// What it came to.
        outcome: &'a StageOutcome,
        /// Whether bodies are removed next.
        removal_follows: bool,
        /// Whether it was the last one.
        last: bool,
    },
    /// The run is over, whatever ended it.
    End,
}

/// Something that looks on: a recorder of files, a progress bar, a benchmark.
pub trait Observer {
    /// Called at each event. An error ends the run; the other observers still see its end.
    ///
    /// # Errors
    /// Whatever keeps the observer from its work.
    fn observe(&mut self, simulation: &Simulation, event: &Event<'_>) -> Result<(), CliError>;
}

/// What one stage came to.
#[derive(Clone, Debug, PartialEq)]
pub struct StageOutcome {
    /// Name of the stage.
    pub name: String,
    /// Whether the simulation was at rest at its end.
    pub at_rest: bool,
    /// Simulated time that it took \[s\].
    pub seconds: f64,
    /// Steps that it took.
    pub steps: u64,
    /// Largest overlap in its steps, over the smaller radius \[-\].
    pub largest_overlap: f64,
    /// Packing fraction at its end, where the scene asks for it \[-\].
    pub packing_fraction: Option<f64>,
    /// Mean number of bodies that a dynamic one touches at its end \[-\].
    pub mean_coordination: Option<f64>,
}

/// What ended a run.
#[derive(Debug)]
pub enum Ending {
    /// The time of its last stage was over.
    Duration,
    /// Its last stage was to end at rest, and did.
    Rest,
    /// It was asked to stop.
    Interrupted,
    /// The engine could not go on, or an observer could not.
    Failed(CliError),
}

impl Ending {
    /// Whether the run went to its end.
    pub fn is_done(&self) -> bool {
        matches!(self, Ending::Duration | Ending::Rest)
    }

    /// The value of `ended` in `summary.json`.
    pub fn name(&self) -> &'static str {
        match self {
            Ending::Duration => "duration",
            Ending::Rest => "rest",
            Ending::Interrupted => "interrupted",
            Ending::Failed(CliError::Engine(EngineError::Jam { .. })) => "jam",
            Ending::Failed(_) => "error",
        }
    }
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    /// What ended it.
    pub ending: Ending,
    /// The stages that were begun.
    pub stages: Vec<StageOutcome>,
    /// Where the pile ended downhill before bodies were taken away, the least of all such times; none where the scene
    /// measures no angle of repose or takes nothing away after its first stage.
    pub pile_end: Option<f64>,
    /// The grains from which the ways of an avalanche count: at the start, or where bodies were taken away, after the
    /// last of these; none where the scene measures no avalanche.
    pub source: Option<Grains>,
    /// Why something that the scene asks for could not be measured, sentences.
    pub remarks: Vec<String>,
    /// Steps that the engine divided.
    pub subdivided_steps: u64,
    /// Energies after the last step.
    pub last_energy: EnergyReport,
    /// Processor time of the stepping, without observers \[s\].
    pub cpu_seconds: f64,
    /// Elapsed time of the stepping, without observers \[s\].
    pub wall_seconds: f64,
}

/// Runs `plan` on `simulation` until its end or until `stop` says so after a step.
pub fn run(
    simulation: &mut Simulation,
    plan: &Plan,
    processor: Processor,
    observers: &mut [&mut dyn Observer],
    stop: &dyn Fn() -> bool,
) -> Outcome {
    let mut runner = Runner {
        simulation,
        observers,
        stop,
        watch: Stopwatch::new(processor),
        stages: Vec::new(),
        pile_end: None,
        source: None,
        remarks: Vec::new(),
        subdivided_steps: 0,
        last_energy: EnergyReport::default(),
    };
    let ending = match runner.run_stages(plan) {
        Ok(ending) => ending,
        Err(error) => Ending::Failed(error),
    };
    let ending = match (ending, runner.tell(&Event::End)) {
        (Ending::Duration | Ending::Rest | Ending::Interrupted, Err(error)) => Ending::Failed(error),
        (ending, _) => ending,
    };
    Outcome {
        ending,
        cpu_seconds: runner.watch.cpu_seconds(),
        wall_seconds: runner.watch.wall_seconds(),
        stages: runner.stages,
        pile_end: runner.pile_end,
        source: runner.source,
        remarks: runner.remarks,
        subdivided_steps: runner.subdivided_steps,
        last_energy: runner.last_energy,
    }
}

/// A run under way.
struct Runner<'a, 'o> {
    simulation: &'a mut Simulation,
    observers: &'a mut [&'o mut dyn Observer],
    stop: &'a dyn Fn() -> bool,
    watch: Stopwatch,
    stages: Vec<StageOutcome>,
    pile_end: Option<f64>,
    source: Option<Grains>,
    remarks: Vec<String>,
    subdivided_steps: u64,
    last_energy: EnergyReport,
}

/// How the steps of a stage ended.
enum StageEnd {
    Duration,
    Rest,
    Stopped,
}

impl Runner<'_, '_> {
    /// Tells every observer, also after one has failed; the first error is returned.
    fn tell(&mut self, event: &Event<'_>) -> Result<(), CliError> {
        let results = self.observers.iter_mut().map(|o| o.observe(self.simulation, event));
        // Collected first: `Result` would stop asking at the first error.
        let results: Vec<_> = results.collect();
        results.into_iter().collect()
    }

    fn run_stages(&mut self, plan: &Plan) -> Result<Ending, CliError> {
        self.tell(&Event::Begin)?;
        let mut ending = Ending::Duration;
        for (number, (stage, removed)) in plan.stages.iter().enumerate() {
            if number > 0 && !removed.is_empty() {
                let plan = plan.measure.repose;
                let end = plan.and_then(|plan| repose::pile_end(&self.simulation.snapshot(), &plan));
                // What flowed when one body was taken away has flowed, whatever was taken away later.
                self.pile_end = self.pile_end.into_iter().chain(end).reduce(f64::min);
            }
            for id in removed {
                // Who has left by itself is gone already.
                if self.simulation.removed_bodies().iter().all(|left| left.id != *id) {
                    self.simulation.remove_body(*id)?;
                }
            }
            if let Some(plan) = plan.measure.avalanche.filter(|_| number == 0 || !removed.is_empty()) {
                self.source = Some(Grains::of(&self.simulation.snapshot(), plan.direction.into()));
            }
            let end = self.run_stage(stage);
            let packing = plan.measure.packing.filter(|_| number == 0);
            if let Some(outcome) = self.stages.last_mut() {
                match packing.map(|p| measure::packing_fraction(self.simulation, &p)) {
                    Some(Ok(fraction)) => outcome.packing_fraction = Some(fraction),
                    Some(Err(remark)) => self.remarks.push(remark),
                    None => {}
                }
                outcome.mean_coordination = measure::mean_coordination(self.simulation);
            }
            let end = end?;
            let next = plan.stages.get(number + 1);
            let outcome = self.stages[number].clone();
            let removal_follows = next.is_some_and(|(_, removed)| !removed.is_empty());
            self.tell(&Event::StageEnds { outcome: &outcome, removal_follows, last: next.is_none() })?;
            ending = match end {
                StageEnd::Duration => Ending::Duration,
                StageEnd::Rest => Ending::Rest,
                StageEnd::Stopped => return Ok(Ending::Interrupted),
            };
        }
        Ok(ending)
    }

    fn run_stage(&mut self, stage: &Stage) -> Result<StageEnd, CliError> {
        let begin = self.simulation.time();
        let latest_end = begin + stage.limit;
        self.stages.push(StageOutcome {
            name: stage.name.clone(),
            at_rest: false,
            seconds: 0.0,
            steps: 0,
            largest_overlap: 0.0,
            packing_fraction: None,
            mean_coordination: None,
        });
        self.tell(&Event::StageBegins { stage, latest_end })?;
        loop {
            let (report, last) = self.step(latest_end)?;
            let seconds = self.simulation.time() - begin;
            let at_rest = self.simulation.at_rest();
            let rested = stage.until_rest && at_rest && seconds >= stage.min_duration;
            self.book(&report, seconds, at_rest);
            self.tell(&Event::Step(&report))?;
            // The step itself was sound: observers have seen it before it is said that a body may not be where it led
            // to.
            self.simulation.check_domain()?;
            if rested {
                return Ok(StageEnd::Rest);
            }
            if last {
                return Ok(StageEnd::Duration);
            }
            if (self.stop)() {
                return Ok(StageEnd::Stopped);
            }
        }
    }

    /// Makes a step, shortened where it would go beyond `latest_end`; true for the one that arrives there.
    fn step(&mut self, latest_end: f64) -> Result<(StepReport, bool), EngineError> {
        let left = latest_end - self.simulation.time();
        let last = left <= self.simulation.time_step() * (1.0 + LAST_STEP_STRETCH);
        self.watch.start();
        let report = if last { self.simulation.step_by(left) } else { self.simulation.step() };
        self.watch.stop();
        Ok((report?, last))
    }

    fn book(&mut self, report: &StepReport, seconds: f64, at_rest: bool) {
        self.subdivided_steps += u64::from(report.substeps > 1);
        self.last_energy = report.energy;
        if let Some(outcome) = self.stages.last_mut() {
            outcome.seconds = seconds;
            outcome.at_rest = at_rest;
            outcome.steps += 1;
            outcome.largest_overlap = outcome.largest_overlap.max(report.largest_overlap);
        }
    }
}
