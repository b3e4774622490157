//! Another engine on the same scenes: rapier3d-f64, a program of its own in `peers/`, at 60 and at 600 steps a second.
//!
//! The start state goes there as a file. It knows grains of one shape and material and flat walls that stand still,
//! which is enough for grains that settle and for gases.

use std::path::Path;
use std::process::Command;

use granule_engine::BodyDescription;
use granule_geometry::Primitive;
use granule_model::{BodyKind, DVec3, Pose};
use serde::{Deserialize, Serialize};

use super::BenchError;
use super::course::{Course, End};
use super::row::Row;
use super::workload::Workload;

/// Most grains that the other engine is given.
const MOST: usize = 10_000;
/// Numbers of steps that it makes in a simulated second: what games use, and ten times that.
const STEPS_PER_SECOND: [u32; 2] = [60, 600];
/// Relative error of lengths that were computed and not read.
const ROUNDING: f64 = 1e-9;

/// What one engine needed for one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PeerRow {
    workload: String,
    engine: &'static str,
    bodies: usize,
    threads: u16,
    #[serde(flatten)]
    figures: Figures,
}

/// What the program in `peers/` prints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Figures {
    /// Time step \[s\].
    time_step: f64,
    /// Processor time per simulated second \[-\].
    cpu_seconds_per_simulated_second: f64,
    /// Largest overlap over the equal-volume radius \[-\].
    largest_overlap: f64,
}

/// A start state, as `peers/src/start.rs` reads it. All units are SI.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Start {
    seconds: f64,
    gravity: DVec3,
    density: f64,
    restitution: f64,
    friction: f64,
    grain: Grain,
    planes: Vec<Plane>,
    bodies: Vec<Body>,
}

/// The shape of the grains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grain {
    Sphere { radius: f64 },
    Cuboid { size: DVec3 },
    Cross { edge: f64 },
}

/// What is behind the plane through `point` is solid; `normal` points out of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Plane {
    normal: DVec3,
    point: DVec3,
}

/// A grain: its centre, orientation (x, y, z, w) and velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Body {
    position: DVec3,
    orientation: [f64; 4],
    velocity: DVec3,
}

/// The heading of the table.
pub(crate) fn head() -> String {
    format!(
        "overlap in % of the radius\n{:<30}{:>7}{:>4}  {:<14}{:>9}{:>9}{:>9}",
        "workload", "bodies", "thr", "engine", "1/step", "cpu s/s", "overlap"
    )
}

/// One row of the table.
pub(crate) fn line(row: &PeerRow) -> String {
    format!(
        "{:<30}{:>7}{:>4}  {:<14}{:>9.1}{:>9.3}{:>9.3}",
        row.workload,
        row.bodies,
        row.threads,
        row.engine,
        row.figures.time_step.recip(),
        row.figures.cpu_seconds_per_simulated_second,
        100.0 * row.figures.largest_overlap
    )
}

/// The first of granule's `own` rows of the workload, then the other engine's; none for a workload that it cannot run.
pub(crate) fn run(root: &Path, workload: &Workload, own: &[Row]) -> Result<Vec<PeerRow>, BenchError> {
    let Some(own) = own.iter().find(|row| row.workload == workload.name && row.bodies <= MOST) else {
        return Ok(Vec::new());
    };
    let Some(start) = start(&workload.course()?) else { return Ok(Vec::new()) };
    let failed = |reason: String| BenchError::Peer { workload: workload.name.clone(), reason };
    let path = root.join("target/bench/start.json");
    write(&path, &start).map_err(failed)?;
    let mut rows = vec![own_row(own)];
    for steps_per_second in STEPS_PER_SECOND {
        let figures = call(root, &path, steps_per_second).map_err(failed)?;
        rows.push(PeerRow { engine: "rapier3d-f64", threads: 1, figures, ..own_row(own) });
    }
    Ok(rows)
}

fn own_row(row: &Row) -> PeerRow {
    let Row { time_step, cpu_seconds_per_simulated_second, largest_overlap, .. } = *row;
    let figures = Figures { time_step, cpu_seconds_per_simulated_second, largest_overlap };
    let (workload, bodies, threads) = (row.workload.clone(), row.bodies, row.threads);
    PeerRow { workload, engine: "granule", bodies, threads, figures }
}

fn write(path: &Path, start: &Start) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    }
    let text = serde_json::to_string(start).map_err(|e| e.to_string())?;
    std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Builds the program if it is not, which needs the registry the first time, and runs it.
fn call(root: &Path, start: &Path, steps_per_second: u32) -> Result<Figures, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--locked", "--manifest-path"])
        .arg(root.join("peers/Cargo.toml"))
        .arg("--target-dir")
        .arg(root.join("target/peers"))
        .arg("--")
        .arg(start)
        .arg(steps_per_second.to_string())
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("the program in peers/ could not be built or run ({})", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("the program in peers/ printed no figures: {e}"))
}

/// The start state of a course; none for one with more than grains of one shape and material and flat walls that stay.
fn start(course: &Course) -> Option<Start> {
    let Course { scene, end: End::After(seconds), removals, .. } = course else { return None };
    let [(_, material)] = scene.materials.as_slice() else { return None };
    let (grains, walls): (Vec<_>, Vec<_>) = scene.bodies.iter().partition(|body| body.kind == BodyKind::Dynamic);
    let still = walls.iter().all(|wall| wall.kind == BodyKind::Static);
    if !removals.is_empty() || !still || grains.is_empty() || grains.len() > MOST {
        return None;
    }
    let grain = common_shape(&grains)?;
    let planes = walls.into_iter().map(planes).collect::<Option<Vec<_>>>()?.concat();
    Some(Start {
        seconds: *seconds,
        gravity: scene.settings.gravity,
        density: material.density,
        restitution: material.restitution,
        friction: material.dynamic_friction,
        grain,
        planes,
        bodies: grains.into_iter().map(body).collect(),
    })
}

fn body(grain: &BodyDescription) -> Body {
    let Pose { position, rotation } = grain.pose;
    Body { position, orientation: rotation.to_array(), velocity: grain.velocity.linear }
}

/// The shape that all `grains` have, where they have one.
fn common_shape(grains: &[&BodyDescription]) -> Option<Grain> {
    let first = shape(grains.first()?)?;
    grains.iter().all(|grain| shape(grain) == Some(first)).then_some(first)
}

fn shape(grain: &BodyDescription) -> Option<Grain> {
    let shape = &grain.shape;
    let bounds = shape.aabb(&shape.frame().inverse());
    let size = bounds.max - bounds.min;
    let volume = shape.mass_properties(1.0)?.mass;
    match shape.name() {
        "sphere" => Some(Grain::Sphere { radius: 0.5 * size.x }),
        "cuboid" => Some(Grain::Cuboid { size }),
        // The one compound of the packaged scenes: as wide each way, and with the volume of seven cubes.
        "compound" => {
            let edge = size.x / 3.0;
            let wide = (size / edge - 3.0).abs().max_element() <= ROUNDING;
            let is_cross = wide && (volume / (7.0 * edge.powi(3)) - 1.0).abs() <= ROUNDING;
            is_cross.then_some(Grain::Cross { edge })
        }
        _ => None,
    }
}

/// The planes of a half-space or of a container; none for another shape.
fn planes(wall: &BodyDescription) -> Option<Vec<Plane>> {
    let at = |normal: DVec3, point: DVec3| Plane {
        normal: wall.pose.transform_vector(normal),
        point: wall.pose.transform_point(point),
    };
    match (wall.shape.name(), wall.shape.surface().first()?) {
        ("half-space", Primitive::Plane { normal, offset }) => Some(vec![at(*normal, *normal * *offset)]),
        ("container", Primitive::Triangles(surface)) => {
            let top = surface.vertices.iter().copied().fold(DVec3::ZERO, DVec3::max);
            let low = [DVec3::X, DVec3::Y, DVec3::Z].map(|normal| at(normal, DVec3::ZERO));
            let high = [at(DVec3::NEG_X, top), at(DVec3::NEG_Y, top)];
            Some([&low[..], &high[..]].concat())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::workload::chosen;
    use super::*;

    fn start_of(name: &str) -> Option<Start> {
        let workload = chosen(&[name.to_owned()], false).expect("known").remove(0);
        start(&workload.course().expect("a packaged scene"))
    }

    #[test]
    fn settling_grains_go_over_as_they_are() {
        let spheres = start_of("settle-spheres-540").expect("spheres in a box");
        assert_eq!(spheres.grain, Grain::Sphere { radius: 1.5 });
        assert_eq!((spheres.bodies.len(), spheres.planes.len(), spheres.seconds), (540, 5, 6.0));
        assert_eq!((spheres.density, spheres.restitution, spheres.friction), (2650.0, 0.3, 0.3));
        // Every grain is in front of every plane, and the last walls are those across the box.
        for plane in &spheres.planes {
            let inside = |b: &Body| (b.position - plane.point).dot(plane.normal) >= 1.5;
            assert!(spheres.bodies.iter().all(inside), "{plane:?}");
        }
        assert_eq!((spheres.planes[3].point.x, spheres.planes[4].point.y), (20.6, 20.6));
        let size = DVec3::splat(2.4);
        assert!(matches!(start_of("settle-cubes-325").expect("cubes").grain, Grain::Cuboid { size: s } if s == size));
        let cross = start_of("settle-crosses-325").expect("crosses");
        assert!(matches!(cross.grain, Grain::Cross { edge } if (edge - 1.26).abs() <= 1e-12), "{:?}", cross.grain);
    }

    #[test]
    fn a_gas_goes_over_with_its_velocities() {
        let gas = start_of("gas-spheres-4096").expect("spheres between six planes");
        assert_eq!((gas.planes.len(), gas.gravity), (6, DVec3::ZERO));
        assert!(gas.bodies.iter().all(|b| (b.velocity.length() - 20.0).abs() <= 1e-12));
    }

    #[test]
    fn what_the_other_engine_is_not_told_of_stays_here() {
        for name in ["collapse-spheres-540", "vibrated-layer-6000", "pour-spheres-100-etm", "settle-spheres-100000"] {
            assert_eq!(start_of(name), None, "{name}");
        }
    }

    #[test]
    fn columns_stand_under_their_heads() {
        let row = own_row(&Row { workload: "settle-spheres-10000".into(), time_step: 0.01, ..Row::default() });
        assert_eq!(head().lines().last().map(str::len), Some(line(&row).len()));
    }
}
