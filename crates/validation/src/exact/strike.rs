//! Family `strike`: a ball that spins strikes a floor obliquely, and holds or slips ([`impulse`](super::impulse)).

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{DVec3, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, bounds};
use super::impulse::{Ball, after};
use super::scene::Trial;
use super::stage::{Circumstances, Stage};

#[derive(Clone, Copy, Debug)]
pub(super) struct Strike {
    of: Circumstances,
    restitution: f64,
    friction: f64,
    /// Where the contact is when they touch \[m\].
    place: DVec3,
    velocity: Velocity,
    /// Time to the touch \[s\].
    before: f64,
}

impl Strike {
    pub(super) fn draw(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        let speed = random.log_between(0.1, 30.0) * of.size.sqrt();
        let normal = -random.between(0.2, 1.0);
        let aside = random.in_ball() * random.between(0.0, 2.0);
        let velocity = Velocity {
            linear: speed * (aside.with_z(0.0) + normal * DVec3::Z),
            angular: random.in_ball() * random.between(0.0, 2.0) * speed / of.size,
        };
        let before = of.size / speed * random.between(0.3, 3.0);
        let restitution = if random.chance(0.3) { 1.0 } else { random.between(0.05, 1.0) };
        let place = random.in_ball().with_z(0.0) * of.size;
        Box::new(Strike { of, restitution, friction: random.log_between(0.02, 1.0), place, velocity, before })
    }
}

impl Trial for Strike {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let (of, radius) = (&self.of, self.of.size);
        let time_step = of.share.map(|share| share * self.before);
        let mut stage = Stage::new(of, stepping, of.law_with_friction, DVec3::ZERO, time_step)?;
        let material = stage.material(of.material(self.restitution, self.friction))?;
        stage.floor(material)?;
        let start = self.place + radius * DVec3::Z - self.before * self.velocity.linear;
        let ball = stage.body(Shape::sphere(radius), material, Pose::from_position(start), self.velocity)?;
        while stage.time() <= self.before {
            stage.step()?;
        }
        stage.step()?;
        let model = Ball::solid(radius, of.density, self.velocity);
        // Where it holds the friction has no say, so that what is believed of both is wrong.
        let (restitution, friction) = (self.restitution * of.belief, self.friction * of.belief);
        let [exact, _] = after(&model, &Ball::fixed(), DVec3::Z, restitution, friction);
        let (found, speed) = (stage.velocity(ball)?, self.velocity.linear.length());
        let energy = |v: &Velocity| v.linear.length_squared() + 0.4 * (radius * v.angular).length_squared();
        let energy_off = (energy(&found) - energy(&exact)) / energy(&self.velocity);
        let checks = vec![
            Check::new("velocity over the speed", (found.linear - exact.linear).length() / speed, bounds::MOTION),
            Check::new(
                "spin over speed / R",
                (found.angular - exact.angular).length() * radius / speed,
                bounds::MOTION,
            ),
            Check::new("energy over that before", energy_off.abs(), bounds::MOTION),
        ];
        Ok((stage, checks))
    }
}
