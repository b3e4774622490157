//! Families `slide` and `roll`: a block and a ball on a slope of angle a, from rest, and a ball that is thrown along a
//! floor.
//!
//! A block slides with `g (sin a - mu cos a)`, or stays where mu is above tan a. A ball rolls with `5/7 g sin a` where
//! mu is above `2/7 tan a`; it slips with the block's acceleration else, and friction turns it with `5/2 mu g cos a /
//! R`. One that is thrown with v along a floor without spin rolls with `5/7 v` from `2/7 v/(mu g)` on, by its angular
//! momentum about a point of the floor.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, Worst, bounds};
use super::scene::Trial;
use super::stage::{Circumstances, GRAVITY, Stage};

/// Steps that are made on a slope.
const STEPS: u32 = 200;
/// Height of a block over its length.
const FLAT: f64 = 0.3;

#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    of: Circumstances,
    is_ball: bool,
    angle: f64,
    friction: f64,
    /// Speed along the slope at the start \[m/s\].
    start: f64,
}

impl Slope {
    pub(super) fn block(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        let angle = random.between(0.1, 0.9);
        let share = if random.chance(0.7) { random.between(0.0, 0.95) } else { random.between(1.05, 3.0) };
        Box::new(Slope { of, is_ball: false, angle, friction: share * libm::tan(angle), start: 0.0 })
    }

    pub(super) fn ball(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        if random.chance(0.3) {
            let start = (GRAVITY * of.size).sqrt() * random.log_between(0.1, 3.0);
            return Box::new(Slope { of, is_ball: true, angle: 0.0, friction: random.log_between(0.05, 1.0), start });
        }
        let angle = random.between(0.1, 0.9);
        let share = if random.chance(0.4) { random.between(0.0, 0.95) } else { random.between(1.05, 3.0) };
        Box::new(Slope { of, is_ball: true, angle, friction: 2.0 / 7.0 * share * libm::tan(angle), start: 0.0 })
    }

    /// Acceleration along the slope \[m/s2\] and of the spin \[rad/s2\], from rest.
    fn accelerations(&self) -> (f64, f64) {
        let (sine, cosine) = libm::sincos(self.angle);
        let (pull, friction) = (GRAVITY * sine, self.friction * GRAVITY * cosine * self.of.belief);
        let rolls = self.is_ball && friction >= 2.0 / 7.0 * pull;
        if rolls {
            let along = 5.0 / 7.0 * pull * self.of.belief;
            (along, along / self.of.size)
        } else if self.is_ball {
            (pull - friction, 2.5 * friction / self.of.size)
        } else {
            // What holds holds with a little less friction as well: it is believed to creep.
            ((pull - friction).max((1.0 - self.of.belief) * pull), 0.0)
        }
    }

    /// From rest: the largest deviations of velocity, place and spin.
    fn go_down(&self, stage: &mut Stage, body: granule_model::BodyId) -> Result<Vec<Check>, EngineError> {
        let start = stage.pose(body)?.position;
        let (along, about) = self.accelerations();
        let pull = GRAVITY * libm::sin(self.angle);
        let (mut speeds, mut places, mut spins) = (Worst::default(), Worst::default(), Worst::default());
        for _ in 0..STEPS {
            let step = stage.step()?;
            let (time, late) = (step.time, step.time + step.dt);
            let (moved, found) = (stage.pose(body)?.position - start, stage.velocity(body)?);
            speeds.take((found.linear - along * time * DVec3::X).length() / (pull * time));
            places.take((moved - 0.5 * along * time * late * DVec3::X).length() / (0.5 * pull * time * late));
            spins.take((found.angular - about * time * DVec3::Y).length() * self.of.size / (pull * time));
        }
        Ok(vec![
            Check::new("velocity over g sin(a) t", speeds.0, bounds::MOTION),
            Check::new("place over g sin(a) t^2/2", places.0, bounds::MOTION),
            Check::new("spin over g sin(a) t / R", spins.0, bounds::MOTION),
        ])
    }

    /// Thrown: the deviation when it rolls.
    fn roll_out(&self, stage: &mut Stage, body: granule_model::BodyId) -> Result<Vec<Check>, EngineError> {
        while stage.time() <= 1.5 * self.slipping() {
            stage.step()?;
        }
        let (found, exact) = (stage.velocity(body)?, 5.0 / 7.0 * self.start * self.of.belief);
        let spin = exact / self.of.size * DVec3::Y;
        Ok(vec![
            Check::new("velocity over the first", (found.linear / exact - DVec3::X).length(), bounds::MOTION),
            Check::new("spin over v / R", (found.angular - spin).length() / spin.length(), bounds::MOTION),
        ])
    }

    /// Time until what is thrown rolls \[s\].
    fn slipping(&self) -> f64 {
        2.0 / 7.0 * self.start / (self.friction * GRAVITY)
    }
}

impl Trial for Slope {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let of = &self.of;
        let scale = if self.start > 0.0 { 0.3 * self.slipping() } else { 0.1 * (of.size / GRAVITY).sqrt() };
        let (sine, cosine) = libm::sincos(self.angle);
        let gravity = GRAVITY * DVec3::new(sine, 0.0, -cosine);
        let mut stage = Stage::new(of, stepping, of.law, gravity, of.share.map(|share| share * scale))?;
        let material = stage.material(of.material(0.5, self.friction))?;
        stage.floor(material)?;
        let block = DVec3::new(1.0, 0.8, FLAT) * of.size;
        let (shape, height) =
            if self.is_ball { (Shape::sphere(of.size), of.size) } else { (Shape::cuboid(block), 0.5 * block.z) };
        let velocity = Velocity { linear: self.start * DVec3::X, angular: DVec3::ZERO };
        let body = stage.body(shape, material, Pose::from_position(height * DVec3::Z), velocity)?;
        let checks = if self.start > 0.0 { self.roll_out(&mut stage, body) } else { self.go_down(&mut stage, body) };
        Ok((stage, checks?))
    }
}
