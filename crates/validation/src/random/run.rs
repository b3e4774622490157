//! Makes the steps of a random scene and measures what the judge asks for.
//!
//! Steps are timed in processor time of the calling thread, so that other programs do not count. Who judges these times calls
//! [`run`] within a pool of one thread (`rayon::ThreadPool::install`), so that the engine's work stays on that thread.

use cpu_time::ThreadTime;
use granule_engine::{EngineError, Simulation, StepReport};
use granule_model::{BodyKind, DVec3, Pose};
use granule_solver::samples::Random;

use super::judge::{Bounds, Report};
use super::overlap::{Overlaps, Seen, Watched, centred, is_free};
use super::scene::{Change, Event, RandomBody, RandomScene};

/// Places that are tried for a body that is added.
const TRIES: u32 = 40;
/// Room that it is given, over its equal-volume radius.
const CLEARANCE: f64 = 0.02;

/// Runs a scene to its end, or until it has used up the processor time of `bounds`.
pub fn run(scene: &RandomScene, bounds: &Bounds) -> Report {
    run_watched(scene, bounds, |_| ())
}

/// As [`run`]; `before_step` is called with the number of steps made before each.
pub fn run_watched(scene: &RandomScene, bounds: &Bounds, before_step: impl Fn(u32)) -> Report {
    let mut report = Report::new(scene);
    match Course::begin(scene) {
        Ok(mut course) => course.run(scene, bounds, &before_step, &mut report),
        Err(error) => report.error = Some(error.to_string()),
    }
    report
}

/// A run under way.
struct Course {
    simulation: Simulation,
    bodies: Vec<Watched>,
    overlaps: Overlaps,
    seen: Seen,
    times: Vec<f64>,
    last: StepReport,
    isolated: bool,
}

impl Course {
    fn begin(scene: &RandomScene) -> Result<Self, EngineError> {
        let (simulation, ids) = scene.build()?;
        let watch = |(id, body)| Watched::new(id, body).map_err(|error| refused(body, &error));
        let bodies = ids.into_iter().zip(&scene.bodies).map(watch).collect::<Result<_, _>>()?;
        Ok(Course {
            simulation,
            bodies,
            overlaps: Overlaps::default(),
            seen: Seen::default(),
            times: Vec::with_capacity(scene.steps as usize),
            last: StepReport::default(),
            isolated: scene.is_isolated(),
        })
    }

    fn run(&mut self, scene: &RandomScene, bounds: &Bounds, before_step: &dyn Fn(u32), report: &mut Report) {
        let mut events = scene.events.iter().peekable();
        self.measure(scene, report);
        while report.steps < scene.steps && report.error.is_none() && !report.stopped {
            before_step(report.steps);
            while let Some(event) = events.next_if(|e| e.step <= report.steps) {
                if let Err(error) = self.change(scene, event) {
                    report.error = Some(error.to_string());
                    return;
                }
            }
            self.step(scene, report);
            report.stopped = report.seconds > bounds.seconds;
        }
        self.finish(report);
    }

    /// Makes one step and measures.
    fn step(&mut self, scene: &RandomScene, report: &mut Report) {
        let before = self.momentum();
        let start = ThreadTime::now();
        let made = self.simulation.step();
        let seconds = start.elapsed().as_secs_f64();
        self.times.push(seconds);
        report.seconds += seconds;
        if seconds > report.slowest_step {
            (report.slowest_step, report.slowest) = (seconds, report.steps + 1);
        }
        match made {
            Ok(step) => self.last = step,
            Err(error) => {
                report.error = Some(error.to_string());
                return;
            }
        }
        report.steps += 1;
        report.substeps += u64::from(self.last.substeps);
        report.undone += u64::from(self.last.undone);
        self.measure(scene, report);
        if self.isolated {
            let (momentum, scale) = self.momentum();
            let change = (momentum - before.0).length();
            let relative = if change == 0.0 { 0.0 } else { change / scale.max(before.1) };
            report.momentum = report.momentum.max(relative);
        }
    }

    /// Overlaps and losses after a step.
    fn measure(&mut self, scene: &RandomScene, report: &mut Report) {
        // The one place that says what an overlap is. The engine's `largest_overlap` is joined to it in `finish`.
        let seen = self.overlaps.look(&self.simulation, &mut self.bodies);
        let between = |pair: [usize; 2]| {
            let [a, b] = pair.map(|i| self.bodies[i].label.as_str());
            format!("step {}: {a} in {b}", report.steps)
        };
        if seen.overlap.thin > self.seen.overlap.thin {
            self.seen.overlap = seen.overlap;
            report.overlap_note = between(seen.overlap.pair);
        }
        if seen.phantom.thin > self.seen.phantom.thin {
            self.seen.phantom = seen.phantom;
            report.phantom_note = between(seen.phantom.pair);
        }
        if report.lost.is_empty() {
            report.lost = self.lost(scene, report.steps);
        }
    }

    /// Bodies that are nowhere, outside the room, or that the engine calls lost.
    fn lost(&self, scene: &RandomScene, step: u32) -> Vec<String> {
        let by_engine = self.simulation.lost_bodies();
        let mut lost = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            if body.kind != BodyKind::Dynamic || body.removed {
                continue;
            }
            let mut note = |why| lost.push(format!("step {step}: {} {why}", body.label));
            match self.simulation.pose(body.id) {
                Ok(pose) if pose.is_finite() => {
                    let outside = scene.room.closed && !reaches(scene, self.overlaps.bounds(i).center());
                    if outside {
                        note("is outside the room");
                    } else if by_engine.contains(&body.id) {
                        note("is lost by the engine's count");
                    }
                }
                Ok(_) => note("is not finite"),
                Err(_) => note("vanished"),
            }
        }
        lost
    }

    /// Momentum of the dynamic bodies and the sum of their |m v| \[kg m/s\].
    fn momentum(&self) -> (DVec3, f64) {
        if !self.isolated {
            return (DVec3::ZERO, 0.0);
        }
        let snapshot = self.simulation.snapshot();
        let moving = snapshot.bodies.iter().filter(|b| b.present && b.kind == BodyKind::Dynamic);
        moving.fold((DVec3::ZERO, 0.0), |(sum, scale), b| {
            let momentum = b.mass * b.velocity.linear;
            (sum + momentum, scale + momentum.length())
        })
    }

    fn change(&mut self, scene: &RandomScene, event: &Event) -> Result<(), EngineError> {
        match &event.change {
            Change::Add { body, seed } => self.add(scene, body, *seed),
            Change::Remove(i) => {
                self.bodies[*i].removed = true;
                self.simulation.remove_body(self.bodies[*i].id)
            }
            Change::Field(field) => {
                field.switch_on(&mut self.simulation);
                Ok(())
            }
        }
    }

    /// Adds a body at a free place, where one is found.
    fn add(&mut self, scene: &RandomScene, body: &RandomBody, seed: u64) -> Result<(), EngineError> {
        let mut random = Random::new(seed);
        let parts = body.form.parts().map_err(|error| refused(body, &error))?;
        let shape = body.form.shape().map_err(|error| refused(body, &error))?;
        let room = scene.room.bounds;
        for _ in 0..TRIES {
            let rotation = if body.kind == BodyKind::Dynamic { random.rotation() } else { body.pose.rotation };
            let share = DVec3::new(random.unit(), random.unit(), random.unit());
            let turned = Pose::new(DVec3::ZERO, rotation);
            let (_, size) = centred(&parts, &turned, DVec3::ZERO);
            let centre = room.min + 0.5 * size + share * (room.size() - size);
            let pose = Pose::new(centred(&parts, &turned, centre).0, rotation);
            let clearance = CLEARANCE * shape.equivalent_radius();
            if is_free(&parts, &pose, &room, clearance, &self.simulation, &self.bodies) {
                let placed = RandomBody { pose, ..body.clone() };
                let id = self.simulation.add_body(placed.description()?)?;
                self.bodies.push(Watched::new(id, &placed).map_err(|error| refused(body, &error))?);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Fills in what is known at the end.
    fn finish(&mut self, report: &mut Report) {
        let dynamic = || self.bodies.iter().filter(|b| b.kind == BodyKind::Dynamic);
        report.bodies = dynamic().count();
        report.touching = dynamic().filter(|b| b.touched).count();
        report.time_step = self.simulation.time_step();
        report.asleep = self.simulation.dynamic_count().saturating_sub(self.last.awake);
        report.overlap_thin = self.seen.overlap.thin;
        report.phantom = self.seen.phantom.thin;
        report.overlap = self.simulation.largest_overlap();
        report.energy_gained = self.simulation.audit().energy_gained;
        self.times.sort_by(f64::total_cmp);
        report.median_step = self.times.get(self.times.len() / 2).copied().unwrap_or(0.0);
    }
}

/// Whether a point lies within the room.
fn reaches(scene: &RandomScene, point: DVec3) -> bool {
    let bounds = scene.room.bounds;
    bounds.min.cmple(point).all() && point.cmple(bounds.max).all()
}

fn refused(body: &RandomBody, error: &granule_geometry::ShapeError) -> EngineError {
    EngineError::Body { body: body.name.clone(), field: "shape", reason: error.to_string() }
}
