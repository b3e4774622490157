//! Families `flight` and `top`: a long body that spins and touches nothing, with and without gravity.
//!
//! The centre follows its parabola; angular momentum about it and the energy of rotation are kept, however the body
//! tumbles.

use granule_engine::{EngineError, Stepping};
use granule_model::{DQuat, DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, Worst, bounds};
use super::scene::Trial;
use super::solid::Solid;
use super::stage::{Circumstances, GRAVITY, Stage};

/// Steps that are made.
const STEPS: u32 = 300;

#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    of: Circumstances,
    gravity: f64,
    solid: Solid,
    rotation: DQuat,
    velocity: Velocity,
}

impl Flight {
    pub(super) fn falling(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        Box::new(Flight::new(random, of, GRAVITY))
    }

    pub(super) fn weightless(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        Box::new(Flight::new(random, of, 0.0))
    }

    fn new(random: &mut Random, of: Circumstances, gravity: f64) -> Self {
        let solid = Solid::draw(random, of.size, of.density);
        let pace = (GRAVITY / of.size).sqrt();
        let velocity = Velocity {
            linear: random.in_ball() * random.log_between(0.1, 10.0) * pace * of.size,
            angular: random.direction() * random.log_between(0.1, 10.0) * pace,
        };
        Flight { of, gravity, solid, rotation: random.rotation(), velocity }
    }
}

impl Trial for Flight {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let Flight { of, solid, velocity, .. } = self;
        let time_step = of.share.map(|share| 0.2 * share * (of.size / GRAVITY).sqrt());
        let gravity = self.gravity * DVec3::NEG_Z;
        let mut stage = Stage::new(of, stepping, of.law, gravity, time_step)?;
        let material = stage.material(of.material(0.5, 0.5))?;
        let body = stage.body(solid.shape(), material, Pose::new(DVec3::ZERO, self.rotation), *velocity)?;
        // What is believed wrongly: the largest moment, and gravity.
        let believed = Solid { moments: solid.moments * DVec3::new(1.0, of.belief, 1.0), ..*solid };
        let spin = believed.angular_momentum(self.rotation, velocity.angular);
        let (mut places, mut speeds) = (Worst::default(), Worst::default());
        let (mut spins, mut energies) = (Worst::default(), Worst::default());
        for _ in 0..STEPS {
            let step = stage.step()?;
            let (pose, now) = (stage.pose(body)?, stage.velocity(body)?);
            let exact = velocity.linear * step.time + 0.5 * gravity * of.belief * step.time * step.time;
            let way = velocity.linear.length() * step.time + 0.5 * self.gravity * step.time * step.time;
            places.take((pose.position - exact).length() / (of.size + way));
            let fast = velocity.linear + gravity * of.belief * step.time;
            let scale = velocity.linear.length() + self.gravity * step.time;
            speeds.take((now.linear - fast).length() / scale);
            let found = solid.angular_momentum(pose.rotation, now.angular);
            spins.take((found - spin).length() / spin.length());
            energies.take(found.dot(now.angular) / spin.dot(velocity.angular) - 1.0);
        }
        let checks = vec![
            Check::new("place over the way", places.0, bounds::MOTION),
            Check::new("velocity over the fastest", speeds.0, bounds::MOTION),
            Check::new("angular momentum over the first", spins.0, bounds::MOMENTUM),
            Check::new("energy of rotation over the first", energies.0, bounds::ELASTIC),
        ];
        Ok((stage, checks))
    }
}
