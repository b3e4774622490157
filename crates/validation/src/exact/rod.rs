//! Family `rod`: a ball strikes a long body off its centre in free space, without friction.
//!
//! The impulse is along the normal `n`, which leads from the body to the ball; at the arm `c` from the body's centre it
//! is, with the approach speed `w`,
//!
//! ```text
//! j = (1 + e) w / (1/m_ball + 1/m_body + (c x n) . I^-1 (c x n))
//! ```
//!
//! The body then has the angular momentum `-j c x n`, whatever it does with it: it may tumble.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{DVec3, Material, Pose, Velocity};
use granule_solver::samples::Random;

use super::check::{Check, bounds};
use super::impulse::Ball;
use super::scene::Trial;
use super::solid::{Form, Solid};
use super::stage::{Circumstances, Stage};

/// Step over the time to the touch, at most: the body hardly turns in a step, and does not come round to the ball.
const SHARE: f64 = 0.03;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rod {
    of: Circumstances,
    restitution: f64,
    solid: Solid,
    /// Where it is struck, from its centre, and the normal there.
    arm: DVec3,
    normal: DVec3,
    ball: Ball,
    ball_density: f64,
    drift: DVec3,
    before: f64,
}

impl Rod {
    pub(super) fn draw(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        let speed = random.log_between(0.1, 30.0) * of.size.sqrt();
        let solid = Solid::draw(random, of.size, of.density);
        let (arm, normal) = struck(random, &solid.form);
        let aside = if matches!(solid.form, Form::Dumbbell(..)) { 0.0 } else { random.between(0.0, 1.0) };
        let drift = random.in_ball() * speed;
        let linear = drift - speed * normal + aside * speed * random.in_ball().reject_from_normalized(normal);
        let density = of.density * random.log_between(0.1, 10.0);
        let radius = of.size * random.between(0.05, 0.3);
        let ball = Ball::solid(radius, density, Velocity { linear, angular: DVec3::ZERO });
        let before = of.size / speed * random.between(0.3, 1.0);
        let restitution = if random.chance(0.3) { 1.0 } else { random.between(0.05, 1.0) };
        Box::new(Rod { of, restitution, solid, arm, normal, ball, ball_density: density, drift, before })
    }

    /// Approach speed and impulse.
    fn impulse(&self) -> f64 {
        let Rod { solid, arm, normal, ball, .. } = self;
        let approach = -(ball.velocity.linear - self.drift).dot(*normal);
        let couple = arm.cross(*normal);
        let turns = couple.dot(solid.spin(solid.rotation, couple));
        (1.0 + self.restitution * self.of.belief) * approach / (ball.mass.recip() + solid.mass.recip() + turns)
    }
}

/// A place on the upper side of a body that lies along x, and the normal there.
fn struck(random: &mut Random, form: &Form) -> (DVec3, DVec3) {
    let x = random.between(-0.4, 0.4);
    match *form {
        Form::Cuboid(size) => (DVec3::new(x, random.between(-0.4, 0.4), 0.5) * size, DVec3::Z),
        Form::Capsule(radius, length) => (DVec3::new(x * length, 0.0, radius), DVec3::Z),
        Form::Dumbbell(radius, apart) => {
            // Aside from the other ball, which it would have to pass.
            let normal = DVec3::new(random.between(0.0, 1.0), random.between(-0.5, 0.5), 1.0).normalize();
            (apart * DVec3::X + radius * normal, normal)
        }
    }
}

impl Trial for Rod {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let Rod { of, solid, ball, drift, before, .. } = self;
        let time_step = of.share.map(|share| share * SHARE * before);
        let mut stage = Stage::new(of, stepping, of.law, DVec3::ZERO, time_step)?;
        let material = of.material(self.restitution, 0.0);
        let of_body = stage.material(material)?;
        let of_ball = stage.material(Material { density: self.ball_density, ..material })?;
        let pose = Pose::new(-*before * drift, solid.rotation);
        let body = stage.body(solid.shape(), of_body, pose, Velocity { linear: *drift, angular: DVec3::ZERO })?;
        let at = self.arm + ball.radius * self.normal - *before * ball.velocity.linear;
        let striker = stage.body(Shape::sphere(ball.radius), of_ball, Pose::from_position(at), ball.velocity)?;
        let start = stage.simulation.momenta();
        let mut end = stage.step()?;
        while stage.time() <= *before {
            end = stage.step()?;
        }
        let (j, speed) = (self.impulse() * self.normal, (ball.velocity.linear - drift).length());
        let (exact_ball, exact_body) = (ball.velocity.linear + j / ball.mass, *drift - j / solid.mass);
        let (found_ball, found) = (stage.velocity(striker)?.linear, stage.velocity(body)?);
        let exact_spin = -self.arm.cross(j);
        let spin = solid.angular_momentum(stage.pose(body)?.rotation, found.angular);
        let turning = exact_spin.dot(solid.spin(solid.rotation, exact_spin));
        let energy =
            0.5 * (ball.mass * exact_ball.length_squared() + solid.mass * exact_body.length_squared() + turning);
        let now = stage.simulation.momenta();
        let scale = ball.mass * ball.velocity.linear.length() + solid.mass * drift.length();
        let reach = of.origin.length() + of.size + before * speed;
        let checks = vec![
            Check::new(
                "velocity of the ball over the speed",
                (found_ball - exact_ball).length() / speed,
                bounds::MOTION,
            ),
            Check::new(
                "velocity of the rod over the speed",
                (found.linear - exact_body).length() / speed,
                bounds::MOTION,
            ),
            Check::new(
                "spin of the rod over m v L",
                (spin - exact_spin).length() / (j.length() * of.size),
                bounds::MOTION,
            ),
            Check::new("energy over the exact one", (end.energy.kinetic / energy - 1.0).abs(), bounds::MOTION),
            Check::new("momentum over sum m v", (now.linear - start.linear).length() / scale, bounds::MOMENTUM),
            Check::new(
                "angular momentum over sum m v r",
                (now.angular - start.angular).length() / (scale * reach),
                bounds::MOMENTUM,
            ),
        ];
        Ok((stage, checks))
    }
}
