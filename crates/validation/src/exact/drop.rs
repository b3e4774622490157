//! Families `bounce` and `rebound`: a ball that falls on a floor, with e = 1 and with less.
//!
//! With the height H and the velocity `u` upwards at the start it arrives with `w = sqrt(u^2 + 2 g H)`, leaves impact k
//! with `e^k w`, flies for `2 e^k w / g`, and rises to `e^2k w^2 / 2 g`. It is followed for 20 impacts, or until it
//! leaves slower than gravity makes it in a step: what comes back more than once a step is rest to the engine.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, Worst, bounds};
use super::scene::Trial;
use super::stage::{Circumstances, GRAVITY, Stage};

/// Impacts that are followed at most.
const IMPACTS: i32 = 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Drop {
    of: Circumstances,
    restitution: f64,
    friction: f64,
    /// Height of the fall \[m\].
    height: f64,
    /// Velocity upwards at the start \[m/s\].
    start: f64,
}

impl Drop {
    pub(super) fn elastic(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        Box::new(Drop::new(random, of, 1.0))
    }

    pub(super) fn with_loss(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        let restitution = random.between(0.25, 0.98);
        Box::new(Drop::new(random, of, restitution))
    }

    fn new(random: &mut Random, of: Circumstances, restitution: f64) -> Self {
        let height = of.size * random.log_between(0.3, 30.0);
        let start = (2.0 * GRAVITY * height).sqrt() * random.between(-0.5, 0.5);
        let friction = if random.chance(0.5) { 0.0 } else { random.unit() };
        Drop { of, restitution, friction, height, start }
    }

    /// Step that is asked for: at least three to the first impact, and at least two in the rise after it \[s\].
    fn time_step(&self) -> Option<f64> {
        let fall = self.path().arrival();
        self.of.share.map(|share| share * fall * (1.0_f64 / 3.0).min(0.25 * self.restitution))
    }

    fn path(&self) -> Path {
        let restitution = self.restitution * self.of.belief;
        Path { height: self.height, start: self.start, restitution }
    }
}

/// The exact path of what is dropped from a height \[m\] with a velocity upwards \[m/s\].
struct Path {
    height: f64,
    start: f64,
    restitution: f64,
}

impl Path {
    /// Speed at the first impact \[m/s\].
    fn speed(&self) -> f64 {
        (self.start * self.start + 2.0 * GRAVITY * self.height).sqrt()
    }

    /// Time of the first impact \[s\].
    fn arrival(&self) -> f64 {
        (self.start + self.speed()) / GRAVITY
    }

    /// Speed after impact k \[m/s\].
    fn left(&self, k: i32) -> f64 {
        self.restitution.powi(k) * self.speed()
    }

    /// Height of the rise after impact k \[m\]; of none that of the start.
    fn apex(&self, k: i32) -> f64 {
        self.left(k).powi(2) / (2.0 * GRAVITY)
    }

    /// Impacts up to a time \[s\], the height then \[m\], and the time to the nearer of the last and the next one.
    fn at(&self, time: f64) -> (i32, f64, f64) {
        let mut until = self.arrival();
        if time < until {
            return (0, self.height + self.start * time - 0.5 * GRAVITY * time * time, until - time);
        }
        let mut k = 1;
        loop {
            let (from, left) = (until, self.left(k));
            until += 2.0 * left / GRAVITY;
            if time < until || k > 10 * IMPACTS {
                let since = time - from;
                return (k, left * since - 0.5 * GRAVITY * since * since, since.min(until - time));
            }
            k += 1;
        }
    }
}

impl Trial for Drop {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let (of, radius) = (&self.of, self.of.size);
        let law = if self.friction > 0.0 { of.law_with_friction } else { of.law };
        let mut stage = Stage::new(of, stepping, law, GRAVITY * DVec3::NEG_Z, self.time_step())?;
        let material = stage.material(of.material(self.restitution, self.friction))?;
        stage.floor(material)?;
        let pose = Pose::from_position((radius + self.height) * DVec3::Z);
        let velocity = Velocity { linear: self.start * DVec3::Z, angular: DVec3::ZERO };
        let ball = stage.body(Shape::sphere(radius), material, pose, velocity)?;
        let (mut places, mut heights, mut impacts) = (Worst::default(), Worst::default(), 0);
        let path = self.path();
        loop {
            let step = stage.step()?;
            let (k, height, apart) = path.at(step.time);
            if k > IMPACTS || path.left(k + 1) < GRAVITY * step.dt {
                break;
            }
            let (z, v) = (stage.pose(ball)?.position.z - radius, stage.velocity(ball)?.linear.z);
            places.take((z - height) / path.apex(0));
            // Where a step ends at an impact, rounding says which flight it is in.
            if apart > 1e-3 * step.dt {
                heights.take((z + v * v / (2.0 * GRAVITY)) / path.apex(k) - 1.0);
                impacts = k;
            }
        }
        // A run without an impact says nothing.
        let missed = if impacts > 0 { 0.0 } else { f64::NAN };
        let bound = if self.restitution == 1.0 { bounds::ELASTIC } else { bounds::MOTION };
        let checks = vec![
            Check::new("place over the height of the fall", places.0 + missed, bounds::MOTION),
            Check::new("height of a rise over the exact one", heights.0, bound),
        ];
        Ok((stage, checks))
    }
}
