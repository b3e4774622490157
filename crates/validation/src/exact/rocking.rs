//! Family `rocking`: a block on an edge that sticks falls back and is thrown over to the other one.
//!
//! Housner, The behavior of inverted pendulum structures during earthquakes, 1963: where it rocks without bouncing an
//! impact leaves `1 - (3/2) sin^2 alpha` of its angular velocity, with tan(alpha) = b/h. It is measured by the energies
//! at the two turning points.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{DQuat, DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, bounds};
use super::scene::Trial;
use super::solid::Solid;
use super::stage::{Circumstances, GRAVITY, Stage};

/// Error of the factor that a block of height 1 m and breadth `slender` \[m\], tilted by half of its angle of toppling,
/// has with steps of `time_step` \[s\], over Housner's \[-\].
pub(crate) fn rocking_error(slender: f64, stepping: Stepping, time_step: f64) -> Result<f64, EngineError> {
    let share = Some(time_step / (STEP * (1.0 / GRAVITY).sqrt()));
    let of = Circumstances { share, ..Circumstances::plain(1.0) };
    let (_, checks) = Rocking { of, slender, deep: 0.6, tilt: 0.5 }.run(stepping)?;
    Ok(checks.first().map_or(f64::NAN, |check| check.value))
}

/// Step over sqrt(h/g), at most: that of the engine's rule for these blocks.
const STEP: f64 = 0.03;
/// Steps after which a block is given up that does not come back.
const MOST_STEPS: u32 = 100_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rocking {
    of: Circumstances,
    /// Breadth over height.
    slender: f64,
    /// Depth over height.
    deep: f64,
    /// Tilt over the angle of toppling.
    tilt: f64,
}

impl Rocking {
    pub(super) fn draw(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        let (slender, deep) = (random.between(0.1, 0.5), random.between(0.3, 1.0));
        Box::new(Rocking { of, slender, deep, tilt: random.between(0.3, 0.7) })
    }

    /// `w+/w-` of the first impact; NaN where there is none.
    fn factor(&self, stage: &mut Stage, block: granule_model::BodyId) -> Result<f64, EngineError> {
        let size = self.of.size * DVec3::new(self.slender, self.deep, 1.0);
        let solid = Solid::cuboid(size, self.of.density);
        let upright = 0.5 * GRAVITY * solid.mass * size.z;
        let (mut first, mut is_over) = (None, false);
        for _ in 0..MOST_STEPS {
            let step = stage.step()?;
            let (pose, velocity) = (stage.pose(block)?, stage.velocity(block)?);
            let spin = solid.angular_momentum(pose.rotation, velocity.angular).dot(velocity.angular);
            let kinetic = 0.5 * (solid.mass * velocity.linear.length_squared() + spin);
            let potential = GRAVITY * solid.mass * (pose.position.z - 0.5 * step.dt * velocity.linear.z);
            let energy = kinetic + potential - upright;
            let before = *first.get_or_insert(energy);
            // It falls back by turning with -y, and turns with +y when it has been thrown over and falls back again.
            is_over |= (pose.rotation * DVec3::Z).x < 0.0;
            if is_over && velocity.angular.y > 0.0 {
                return Ok((energy / before).sqrt());
            }
        }
        Ok(f64::NAN)
    }
}

impl Trial for Rocking {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let of = &self.of;
        let size = of.size * DVec3::new(self.slender, self.deep, 1.0);
        let time_step = of.share.map(|share| share * STEP * (size.z / GRAVITY).sqrt());
        let mut stage = Stage::new(of, stepping, of.law_with_friction, GRAVITY * DVec3::NEG_Z, time_step)?;
        let material = stage.material(of.material(0.0, 2.0))?;
        stage.floor(material)?;
        let alpha = libm::atan2(self.slender, 1.0);
        let (sine, cosine) = libm::sincos(0.5 * self.tilt * alpha);
        let turn = DQuat::from_xyzw(0.0, sine, 0.0, cosine);
        let place = turn * DVec3::new(-0.5 * size.x, 0.0, 0.5 * size.z);
        let block = stage.body(Shape::cuboid(size), material, Pose::new(place, turn), Velocity::ZERO)?;
        let exact = 1.0 - 1.5 * libm::sin(alpha).powi(2);
        let found = self.factor(&mut stage, block)?;
        let off = (found / (exact * of.belief) - 1.0).abs();
        Ok((stage, vec![Check::new("w+/w- over Housner's", off, bounds::ROCKING)]))
    }
}
