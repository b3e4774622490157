//! Studies `rocking` and `tipping`: blocks that turn about an edge on the floor.

use granule_engine::Stepping;
use granule_geometry::Shape;
use granule_model::{DQuat, DVec3, Pose, Velocity};

use super::Errors;
use crate::exact::{Circumstances, GRAVITY, Stage, rocking_error};

/// Error of the share of its angular velocity that a block keeps in an impact.
pub(super) fn rocking(stepping: Stepping, time_step: f64) -> Errors {
    Ok(vec![rocking_error(0.25, stepping, time_step)?])
}

/// Breadth and height of the plate that tips \[m\], and its angle at the start and at the end \[rad\].
const PLATE: [f64; 2] = [0.1, 2.0];
const ANGLES: [f64; 2] = [std::f64::consts::PI / 60.0, std::f64::consts::FRAC_PI_4];
/// Steps after which it is given up.
const MOST_STEPS: u32 = 1_000_000;

/// Errors of the angular velocity of a plate that tips over its lower edge, where it has passed 45 degrees.
///
/// It is a pendulum on its head of the length `l = sqrt(b^2 + h^2)/2` and the moment `4/3 m l^2` about the edge. With
/// the angle `phi` of its middle from above the edge, from rest at `phi_0`,
///
/// ```text
/// w^2 = (3/2) (g/l) (cos phi_0 - cos phi)
/// ```
///
/// Velocities that are told at the end of a step are those of its middle: the mean of two is that of the end of the
/// first.
pub(super) fn tipping(stepping: Stepping, time_step: f64) -> Errors {
    let of = Circumstances::plain(1.0);
    let mut stage = Stage::new(&of, stepping, of.law, GRAVITY * DVec3::NEG_Z, Some(time_step))?;
    let material = stage.material(of.material(0.0, 5.0))?;
    stage.floor(material)?;
    let [breadth, height] = PLATE;
    let turn = DQuat::from_rotation_y(ANGLES[0]);
    let place = turn * DVec3::new(-0.5 * breadth, 0.0, 0.5 * height);
    let shape = Shape::cuboid(DVec3::new(breadth, 1.0, height));
    let plate = stage.body(shape, material, Pose::new(place, turn), Velocity::ZERO)?;
    let (length, upright) = (0.5 * breadth.hypot(height), libm::atan2(breadth, height));
    let speed = |angle: f64| {
        let fallen = libm::cos(ANGLES[0] - upright) - libm::cos(angle - upright);
        (1.5 * GRAVITY / length * fallen).sqrt()
    };
    for _ in 0..MOST_STEPS {
        stage.step()?;
        let up = stage.pose(plate)?.rotation * DVec3::Z;
        let angle = libm::atan2(up.x, up.z);
        if angle >= ANGLES[1] {
            let told = stage.velocity(plate)?.angular.y;
            stage.step()?;
            let mean = 0.5 * (told + stage.velocity(plate)?.angular.y);
            return Ok([mean, told].map(|found| (found / speed(angle) - 1.0).abs()).to_vec());
        }
    }
    Ok(vec![f64::NAN; 2])
}
