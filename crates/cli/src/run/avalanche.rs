//! A rock avalanche: takes from a simulation the grains that `granule-measure` works on, writes their front while the
//! run goes on, and makes figures and summary of the end.

use glam::DVec2;
use granule_engine::{BodySnapshot, Simulation, Snapshot};
use granule_export::plot::{PanelsFigure, Series};
use granule_export::{AvalancheRow, AvalancheSummary, AvalancheWriter, FallSummary, RunoutSummary};
use granule_measure::{AvalancheState, Descent, Grain, Runout};
use granule_model::{DMat3, DQuat, DVec3, Pose};
use granule_scene::AvalanchePlan;

use super::deposit::DepositMap;
use super::files::Frames;
use super::measure::particles;
use crate::error::CliError;
use crate::results::Results;

/// Name of the table, and stem of the plot.
pub(super) const TABLE: &str = "avalanche.csv";
pub(super) const PLOT: &str = "avalanche";

/// The grains of an instant with their numbers, in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Grains {
    /// Simulated time \[s\].
    pub time: f64,
    /// Rows in `final_state.csv`, and the grains.
    pub grains: Vec<(u32, Grain)>,
}

impl Grains {
    /// Those that are there, which reach along `direction`, a horizontal unit vector.
    pub fn of(snapshot: &Snapshot, direction: DVec2) -> Self {
        let grains = particles(snapshot).map(|body| (body.id.index, grain(body, direction)));
        Grains { time: snapshot.time, grains: grains.collect() }
    }

    /// Without their numbers.
    pub fn all(&self) -> Vec<Grain> {
        self.grains.iter().map(|(_, grain)| *grain).collect()
    }

    /// The grains that are in `other` as well.
    fn among(&self, other: &Grains) -> Vec<Grain> {
        let kept = self.grains.iter().filter(|(id, _)| other.grains.binary_search_by_key(id, |(id, _)| *id).is_ok());
        kept.map(|(_, grain)| *grain).collect()
    }
}

/// A body as a grain.
fn grain(body: &BodySnapshot, direction: DVec2) -> Grain {
    let (pose, velocity) = (body.pose, body.velocity);
    let bounds = body.shape.aabb(&pose);
    // Turned about z until the direction is x; about its own centre, so that a place far off costs no digits.
    let turn = DMat3::from_cols(
        DVec3::new(direction.x, -direction.y, 0.0),
        DVec3::new(direction.y, direction.x, 0.0),
        DVec3::Z,
    );
    let turned = Pose { position: DVec3::ZERO, rotation: DQuat::from_mat3(&turn) * pose.rotation };
    let unit = body.shape.mass_properties(1.0);
    let spin = pose.inverse_transform_vector(velocity.angular);
    let rotation = unit.map_or(0.0, |u| body.mass / u.mass * u.principal_inertia.dot(spin * spin));
    Grain {
        mass: body.mass,
        volume: unit.map_or(0.0, |u| u.volume),
        kinetic_energy: 0.5 * (body.mass * velocity.linear.length_squared() + rotation),
        centre: pose.position,
        velocity: velocity.linear,
        min: bounds.min,
        max: bounds.max,
        reach: pose.position.truncate().dot(direction) + body.shape.aabb(&turned).max.x,
    }
}

/// Writes the state of the avalanche at the start, after each period and at the end.
pub(super) struct AvalancheRecorder {
    direction: DVec2,
    speed: f64,
    writer: AvalancheWriter,
    periods: Frames,
    before: Option<Grains>,
    rows: Vec<AvalancheRow>,
}

impl AvalancheRecorder {
    /// Begins `avalanche.csv` with so many rows a simulated second.
    pub(super) fn create(results: &Results, plan: &AvalanchePlan, rate: f64) -> Result<Self, CliError> {
        let writer = AvalancheWriter::create(&results.file(TABLE)?)?;
        let (direction, speed) = (plan.direction.into(), plan.speed);
        Ok(AvalancheRecorder { direction, speed, writer, periods: Frames::new(rate), before: None, rows: Vec::new() })
    }

    /// Writes a row where one is due.
    pub(super) fn step(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.periods.due(simulation.time()) { self.write(simulation) } else { Ok(()) }
    }

    /// Writes the last row.
    pub(super) fn end(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        if self.before.as_ref().is_none_or(|before| before.time < simulation.time()) {
            self.write(simulation)?;
        }
        Ok(self.writer.flush()?)
    }

    fn write(&mut self, simulation: &Simulation) -> Result<(), CliError> {
        let now = Grains::of(&simulation.snapshot(), self.direction);
        if let Some(state) = AvalancheState::of(&now.all(), self.direction, self.speed) {
            let row = self.row(&now, &state);
            self.writer.push(&row)?;
            self.rows.push(row);
        }
        self.before = Some(now);
        Ok(())
    }

    fn row(&self, now: &Grains, state: &AvalancheState) -> AvalancheRow {
        // Of those that are there now: who has left takes no front back.
        let speeds = self.before.as_ref().and_then(|before| {
            let seconds = now.time - before.time;
            granule_measure::front_speeds(&before.among(now), &now.among(before), self.direction, seconds)
        });
        AvalancheRow {
            time: now.time,
            front: state.front,
            front_95: state.front_95,
            front_speeds: speeds,
            centre: state.centre.to_array(),
            centre_speed: state.velocity.length(),
            centre_downslope: state.velocity.truncate().dot(self.direction),
            mean_speed: state.mean_speed,
            kinetic: state.kinetic_energy,
            stopped: state.stopped,
            bodies: state.grains as u64,
            mass: state.mass,
        }
    }

    /// Speed and place of the front over time; none without rows.
    pub(super) fn figure(&self, title: String) -> Option<PanelsFigure> {
        let line = |name: &str, of: &dyn Fn(&AvalancheRow) -> Option<f64>| Series {
            name: name.to_owned(),
            points: self.rows.iter().filter_map(|row| Some((row.time, of(row)?))).collect(),
        };
        let along = |row: &AvalancheRow| Some(DVec2::new(row.centre[0], row.centre[1]).dot(self.direction));
        let names = ["front of 95 % of the mass", "centre of mass", "farthest grain"];
        let speeds = vec![
            line(names[0], &|row| row.front_speeds.map(|v| v[1])),
            line(names[1], &|row| Some(row.centre_downslope)),
            line(names[2], &|row| row.front_speeds.map(|v| v[0])),
        ];
        let places = vec![
            line(names[0], &|row| Some(row.front_95)),
            line(names[1], &along),
            line(names[2], &|row| Some(row.front)),
        ];
        let panels = vec![("speed downslope [m/s]".to_owned(), speeds), ("place downslope [m]".to_owned(), places)];
        (!self.rows.is_empty()).then(|| PanelsFigure { title, x_label: "time [s]".to_owned(), panels })
    }
}

/// The answer for `summary.json`, and why some of it is missing; `source` are the grains at the start.
pub(super) fn summary(snapshot: &Snapshot, plan: &AvalanchePlan, source: &Grains) -> (AvalancheSummary, Vec<String>) {
    let direction: DVec2 = plan.direction.into();
    let now = Grains::of(snapshot, direction);
    let state = AvalancheState::of(&now.all(), direction, plan.speed);
    // Who has left takes part in nothing, so that start and end are of the same grains.
    let runout = Runout::between(&source.among(&now), &now.among(source), direction);
    let left = || source.grains.iter().filter(|(id, _)| now.grains.binary_search_by_key(id, |(id, _)| *id).is_err());
    let (deposit, mut remarks) = match DepositMap::of(snapshot, plan) {
        Ok(map) => map.summary(),
        Err(reason) => (None, vec![reason]),
    };
    if runout.is_none() {
        remarks.push("there is no runout of `[measure.avalanche]`: no body is there at the end".to_owned());
    }
    for (way, what) in runout.iter().flat_map(|r| [(r.whole, "the toe"), (r.centre, "the centre of mass at the end")]) {
        if way.ratio().is_none() {
            let behind = -way.length;
            remarks
                .push(format!("there is no H/L of {what}: it lies {behind:.3} m behind its start along `direction`"));
        }
    }
    let summary = AvalancheSummary {
        direction: plan.direction,
        start_seconds: source.time,
        bodies: state.map_or(0, |s| s.grains as u64),
        mass: state.map_or(0.0, |s| s.mass),
        left_bodies: left().count() as u64,
        left_mass: left().fold(0.0, |sum, (_, grain)| sum + grain.mass),
        stopped: state.map(|s| s.stopped),
        stopped_speed: plan.speed,
        runout: runout.map(|r| RunoutSummary {
            farthest: r.farthest,
            mass_95: r.mass_95,
            mass_50: r.mass_50,
            centre: r.centre.length,
        }),
        fall: runout.map(|r| fall(r.whole)),
        centre_fall: runout.map(|r| fall(r.centre)),
        deposit,
    };
    (summary, remarks)
}

fn fall(way: Descent) -> FallSummary {
    FallSummary { height: way.height, length: way.length, ratio: way.ratio(), angle_deg: way.angle_deg() }
}

/// What an avalanche came to, labels and lines for the terminal.
pub(super) fn describe(found: &AvalancheSummary) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(r) = &found.runout {
        let RunoutSummary { farthest, mass_95, mass_50, centre } = r;
        let left = match found.left_bodies {
            0 => String::new(),
            n => format!("; without {n} bodies of {:.3e} kg that have left", found.left_mass),
        };
        let mass = format!("{mass_95:.2} m of 95 % of the mass, {mass_50:.2} m of half, {centre:.2} m of its centre");
        lines.push(("runout", format!("{farthest:.2} m of the farthest grain, {mass}{left}")));
    }
    let angle = |way: &Option<FallSummary>| way.and_then(|f| Some((f.ratio?, f.angle_deg?)));
    if let Some((ratio, degrees)) = angle(&found.fall) {
        let centre = angle(&found.centre_fall).map(|(h, a)| format!("; {h:.3} of the centre of mass ({a:.1} degrees)"));
        let centre = centre.unwrap_or_default();
        lines.push(("H/L", format!("{ratio:.3} from the top to the toe ({degrees:.1} degrees){centre}")));
    }
    if let Some(deposit) = &found.deposit {
        let mut text = format!("up to {:.3} m of solid", deposit.largest_thickness);
        if let Some(main) = &deposit.main {
            let area = deposit.all.map_or(main.area, |all| all.area);
            text = format!(
                "{area:.1} m2, {text}; the largest piece {:.1} m2, {:.1} m long, {:.1} m wide",
                main.area, main.length, main.width
            );
        }
        let stopped = 100.0 * found.stopped.unwrap_or(0.0);
        lines.push(("deposit", format!("{text}; {stopped:.1} % slower than {} m/s", found.stopped_speed)));
    }
    lines
}
