//! Families `head-on` and `glance`: two balls of any sizes and densities meet in free space, without and with spin and
//! friction ([`impulse`](super::impulse)). Momentum and angular momentum are kept.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{DVec3, Material, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, Worst, bounds};
use super::impulse::{Ball, after};
use super::scene::Trial;
use super::stage::{Circumstances, Stage};

#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    of: Circumstances,
    restitution: f64,
    friction: f64,
    densities: [f64; 2],
    /// They touch with the normal z, the second one below.
    balls: [Ball; 2],
    before: f64,
}

impl Pair {
    /// Along the line of their centres.
    pub(super) fn head_on(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        Box::new(Pair::new(random, of, 0.0))
    }

    /// With spin, aside and with friction.
    pub(super) fn glance(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        Box::new(Pair::new(random, of, 1.0))
    }

    fn new(random: &mut Random, of: Circumstances, aside: f64) -> Self {
        let speed = random.log_between(0.1, 30.0) * of.size.sqrt();
        let radii = [of.size, of.size * random.log_between(0.2, 5.0)];
        let densities = [of.density, of.density * random.log_between(0.1, 10.0)];
        let drift = random.in_ball() * random.between(0.0, 2.0) * speed;
        let mut spin = |radius: f64| random.in_ball() * aside * speed / radius;
        let spins = radii.map(&mut spin);
        let relative = speed * (DVec3::NEG_Z + aside * random.in_ball().with_z(0.0));
        let linear = [relative + drift, drift];
        let ball = |i: usize| Ball::solid(radii[i], densities[i], Velocity { linear: linear[i], angular: spins[i] });
        let before = of.size / speed * random.between(0.3, 3.0);
        let restitution = if random.chance(0.3) { 1.0 } else { random.between(0.05, 1.0) };
        let friction = aside * random.log_between(0.02, 1.0);
        Pair { of, restitution, friction, densities, balls: [ball(0), ball(1)], before }
    }
}

impl Trial for Pair {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let of = &self.of;
        let law = if self.friction > 0.0 { of.law_with_friction } else { of.law };
        let time_step = of.share.map(|share| share * self.before);
        let mut stage = Stage::new(of, stepping, law, DVec3::ZERO, time_step)?;
        let touch = [self.balls[0].radius + self.balls[1].radius, 0.0].map(|z| z * DVec3::Z);
        let mut ids = Vec::new();
        for (i, ball) in self.balls.iter().enumerate() {
            let material = Material { density: self.densities[i], ..of.material(self.restitution, self.friction) };
            let material = stage.material(material)?;
            let at = touch[i] - self.before * ball.velocity.linear;
            ids.push(stage.body(Shape::sphere(ball.radius), material, Pose::from_position(at), ball.velocity)?);
        }
        let start = stage.simulation.momenta();
        while stage.time() <= self.before {
            stage.step()?;
        }
        let end = stage.step()?;
        let (restitution, friction) = (self.restitution * of.belief, self.friction * of.belief);
        let exact = after(&self.balls[0], &self.balls[1], DVec3::Z, restitution, friction);
        let speed = (self.balls[0].velocity.linear - self.balls[1].velocity.linear).length();
        let (mut velocities, mut spins, mut energy) = (Worst::default(), Worst::default(), 0.0);
        for ((id, exact), ball) in ids.iter().zip(&exact).zip(&self.balls) {
            let found = stage.velocity(*id)?;
            velocities.take((found.linear - exact.linear).length() / speed);
            spins.take((found.angular - exact.angular).length() * ball.radius / speed);
            energy += 0.5 * ball.mass * exact.linear.length_squared();
            energy += 0.5 * ball.moment() * exact.angular.length_squared();
        }
        let now = stage.simulation.momenta();
        let scale: f64 = self.balls.iter().map(|b| b.mass * b.velocity.linear.length()).sum();
        let arm = of.origin.length() + touch[0].z + self.before * speed;
        let checks = vec![
            Check::new("velocity over the speed", velocities.0, bounds::MOTION),
            Check::new("spin over speed / R", spins.0, bounds::MOTION),
            Check::new("energy over the exact one", (end.energy.kinetic / energy - 1.0).abs(), bounds::MOTION),
            Check::new("momentum over sum m v", (now.linear - start.linear).length() / scale, bounds::MOMENTUM),
            Check::new(
                "angular momentum over sum m v r",
                (now.angular - start.angular).length() / (scale * arm),
                bounds::MOMENTUM,
            ),
        ];
        Ok((stage, checks))
    }
}
