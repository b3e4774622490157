//! Studies `bounce` and `oblique`: a ball on a floor. What the exact answers are is told in
//! [`exact`](mod@crate::exact).

use granule_engine::Stepping;
use granule_geometry::Shape;
use granule_model::{DVec3, Pose, Velocity};

use super::Errors;
use crate::exact::{Circumstances, GRAVITY, Stage};

/// Which rise of the bouncing ball is measured, and what an impact leaves of its speed.
const RISE: i32 = 5;
const RESTITUTION: f64 = 0.9;

/// Largest of errors, quantity by quantity; NaN is the largest.
fn largest(all: impl Iterator<Item = Errors>) -> Errors {
    let mut worst: Vec<f64> = Vec::new();
    for errors in all {
        let errors = errors?;
        worst.resize(errors.len(), 0.0);
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = if error.is_nan() || error > *worst { error } else { *worst };
        }
    }
    Ok(worst)
}

/// Errors of a ball that is dropped from eight heights: where within the step it arrives differs.
pub(super) fn bounce(stepping: Stepping, time_step: f64) -> Errors {
    largest((0..8).map(|i| bounce_from(1.0 + 0.1 * f64::from(i) / 7.0, stepping, time_step)))
}

/// It falls for T, and is at the top of rise k after `T (1 + 2 (e + ... + e^(k-1)) + e^k)`.
fn bounce_from(height: f64, stepping: Stepping, time_step: f64) -> Errors {
    let of = Circumstances::plain(0.1);
    let mut stage = Stage::new(&of, stepping, of.law, GRAVITY * DVec3::NEG_Z, Some(time_step))?;
    let material = stage.material(of.material(RESTITUTION, 0.0))?;
    stage.floor(material)?;
    let pose = Pose::from_position((of.size + height) * DVec3::Z);
    let ball = stage.body(Shape::sphere(of.size), material, pose, Velocity::ZERO)?;
    let fall = (2.0 * height / GRAVITY).sqrt();
    let flights: f64 = (1..RISE).map(|k| 2.0 * RESTITUTION.powi(k)).sum();
    let top = RESTITUTION.powi(2 * RISE) * height;
    let until = fall * (1.0 + flights + RESTITUTION.powi(RISE));
    while stage.time() < until {
        stage.step()?;
    }
    let (z, v) = (stage.pose(ball)?.position.z - of.size, stage.velocity(ball)?.linear.z);
    let since = stage.time() - until;
    // By touch stepping the velocity of the parabola is told, by margins that of the step.
    let path = if stepping == Stepping::Margin { v - 0.5 * GRAVITY * time_step } else { v };
    let rise = z + path * path / (2.0 * GRAVITY);
    let place = z - (top - 0.5 * GRAVITY * since * since);
    Ok(vec![(rise / top - 1.0).abs(), place.abs() / height])
}

/// Errors of the spin of a ball that meets the floor at twelve places within the step.
pub(super) fn oblique(stepping: Stepping, time_step: f64) -> Errors {
    largest((0..12).map(|i| oblique_after(time_step * (1.0 + f64::from(i) / 12.0), stepping, time_step)))
}

fn oblique_after(before: f64, stepping: Stepping, time_step: f64) -> Errors {
    let of = Circumstances::plain(0.0025);
    let mut stage = Stage::new(&of, stepping, of.law, DVec3::ZERO, Some(time_step))?;
    let material = stage.material(of.material(1.0, 0.1))?;
    stage.floor(material)?;
    let velocity = Velocity { linear: DVec3::new(5.0, 0.0, -2.0), angular: DVec3::ZERO };
    let pose = Pose::from_position((of.size + 2.0 * before) * DVec3::Z);
    let ball = stage.body(Shape::sphere(of.size), material, pose, velocity)?;
    while stage.time() <= before + time_step {
        stage.step()?;
    }
    let exact = 2.5 * 0.1 * 2.0 * 2.0 / of.size;
    Ok(vec![(stage.velocity(ball)?.angular.y / exact - 1.0).abs()])
}
