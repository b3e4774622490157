//! 540 and 1080 elastic spheres in a closed box (Tang 2014, Fig. 9): whatever energy a collision gains or loses is an
//! error.

use granule_engine::{BodyDescription, Settings, Simulation};
use granule_geometry::Shape;
use granule_model::{DVec3, Material, Velocity};
use granule_solver::Law;

use super::by_law;
use crate::compare::largest;
use crate::error::Found;
use crate::report::{Curve, Findings, Line, Plot};
use granule_solver::samples::Random;

const LAWS: [&str; 2] = ["etm", "sqm"];

/// \[m\], \[m/s\], \[s\]; 250 steps as in the figure.
const RADIUS: f64 = 1.5;
const PITCH: f64 = 3.3;
const SPEED: f64 = 20.0;
const STEP: f64 = 1.0 / 600.0;
const STEPS: u32 = 250;

/// Largest relative error that the figure shows.
const STATED: f64 = 8e-3;

/// Smallest error drawn: below it is rounding.
const FLOOR: f64 = 1e-17;

struct Course {
    /// Relative error of the energy of collisions, by step \[-\].
    errors: Vec<f64>,
    /// Change of the kinetic energy over the whole run, relative \[-\].
    drift: f64,
    /// Steps in which spheres collided.
    busy: usize,
}

pub(in crate::cases) fn run() -> Found<Findings> {
    let mut lines = Vec::new();
    let mut curves = Vec::new();
    for (count, side) in [(540, 8), (1080, 10)] {
        let found = by_law(
            &LAWS,
            |law| course(law, count, side),
            |findings, name, course: Course| {
                let head = format!("{name}, {count} spheres");
                let most = largest(course.errors.iter().copied());
                findings.lines.push(Line::at_most(
                    format!("{head}: energy of a step's collisions, relative [-]"),
                    STATED,
                    most,
                ));
                if name == "etm" {
                    // The figure's bound is generous: measured 4e-16, and 6e-16 over the run.
                    findings.lines.push(Line::deviation(format!("{head}: the same, to rounding [-]"), most, 1e-12));
                    findings.lines.push(Line::deviation(
                        format!("{head}: energy over the run, relative [-]"),
                        course.drift,
                        1e-12,
                    ));
                }
                let busy = course.busy as f64;
                findings.lines.push(Line::at_least(
                    format!("{head}: steps with collisions"),
                    f64::from(STEPS) / 2.0,
                    busy,
                ));
                let point = |(i, e): (usize, &f64)| (i as f64 + 1.0, e.max(FLOOR).log10());
                curves.push(Curve::new(head, course.errors.iter().enumerate().map(point).collect()));
            },
        )?;
        lines.extend(found.lines);
    }
    Ok(Findings { lines, plots: vec![plot(curves)] })
}

fn plot(curves: Vec<Curve>) -> Plot {
    Plot {
        stem: "energy-error",
        title: "Elastic spheres in a closed box: energy error of each step's collisions".into(),
        x_label: "step [-]".into(),
        y_label: "relative error, log10 [-]".into(),
        curves,
    }
}

/// Spheres in layers of `side` by `side` that fly apart in random directions, in a box that just holds them.
fn build(law: Law, count: usize, side: usize) -> Found<Simulation> {
    let settings = Settings { gravity: DVec3::ZERO, time_step: Some(STEP), law, ..Settings::default() };
    let mut simulation = Simulation::new(settings)?;
    let glass = Material { restitution: 1.0, static_friction: 0.0, dynamic_friction: 0.0, ..Material::default() };
    let glass = simulation.add_material(glass)?;
    let layers = count.div_ceil(side * side);
    let size = DVec3::new(side as f64, side as f64, layers as f64) * PITCH;
    for axis in DVec3::AXES {
        simulation.add_body(BodyDescription::fixed(Shape::half_space(axis)?, glass, DVec3::ZERO))?;
        simulation.add_body(BodyDescription::fixed(Shape::half_space(-axis)?, glass, axis * size))?;
    }
    let ball = Shape::sphere(RADIUS)?;
    let mut random = Random::new(count as u64);
    for i in 0..count {
        let place = [i % side, i / side % side, i / (side * side)].map(|k| (k as f64 + 0.5) * PITCH);
        let body = BodyDescription::dynamic(ball.clone(), glass, DVec3::from_array(place));
        let velocity = Velocity { linear: random.direction() * SPEED, angular: DVec3::ZERO };
        simulation.add_body(BodyDescription { velocity, ..body })?;
    }
    Ok(simulation)
}

fn course(law: Law, count: usize, side: usize) -> Found<Course> {
    let mut simulation = build(law, count, side)?;
    let (mut errors, mut busy, mut kinetic) = (Vec::new(), 0, Vec::new());
    for _ in 0..STEPS {
        let report = simulation.step()?;
        errors.push(report.energy.impact_error);
        busy += usize::from(report.hits > 0);
        kinetic.push(report.energy.kinetic);
    }
    let drift = largest(kinetic.iter().map(|k| (k / kinetic[0] - 1.0).abs()));
    Ok(Course { errors, drift, busy })
}
