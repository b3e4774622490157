//! Family `cradle`: a ball strikes the first of two that touch.
//!
//! Rigid bodies alone do not say what comes of it: the impact law does. Its answer to the contact problem of the three
//! in touch, as `granule resolve` gives it, is the one that the step has to come to, wherever within it they meet.

use granule_engine::{EngineError, Stepping};
use granule_geometry::Shape;
use granule_model::{Coefficients, DVec3, Material, Pose, Velocity};
use granule_solver::samples::{Random, balls};

use super::check::{Check, Worst, bounds};
use super::impulse::Ball;
use super::scene::Trial;
use super::stage::{Circumstances, Stage};

#[derive(Clone, Copy, Debug)]
pub(super) struct Cradle {
    of: Circumstances,
    restitution: f64,
    densities: [f64; 3],
    speed: f64,
    before: f64,
}

impl Cradle {
    pub(super) fn draw(random: &mut Random, of: Circumstances) -> Box<dyn Trial> {
        let speed = random.log_between(0.1, 30.0) * of.size.sqrt();
        let equal = random.chance(0.5);
        let densities = [1.0; 3].map(|_| of.density * if equal { 1.0 } else { random.log_between(0.3, 3.0) });
        let restitution = if random.chance(0.5) { 1.0 } else { random.between(0.3, 1.0) };
        let before = of.size / speed * random.between(0.3, 3.0);
        Box::new(Cradle { of, restitution, densities, speed, before })
    }

    /// Velocities along the row by the law alone, struck with 1 m/s \[-\]; none where it refuses the problem.
    fn by_law(&self) -> Option<Vec<f64>> {
        let at = [0.0, 2.0, 4.0].map(|x| x * DVec3::X);
        let velocities = [DVec3::X, DVec3::ZERO, DVec3::ZERO];
        let restitution = self.restitution * self.of.belief;
        let coefficients = Coefficients { restitution, ..Coefficients::BARE };
        let masses = self.densities.map(|density| density / self.of.density);
        let problem = balls(&masses, 1.0, &at, &velocities, &[(0, 1), (1, 2)], coefficients);
        let solution = self.of.law.law().resolve(&problem).ok()?;
        Some(solution.velocities.iter().map(|v| v.linear.x).collect())
    }
}

impl Trial for Cradle {
    fn circumstances(&mut self) -> &mut Circumstances {
        &mut self.of
    }

    fn run(&self, stepping: Stepping) -> Result<(Stage, Vec<Check>), EngineError> {
        let (of, radius) = (&self.of, self.of.size);
        let time_step = of.share.map(|share| share * self.before);
        let mut stage = Stage::new(of, stepping, of.law, DVec3::ZERO, time_step)?;
        let mut ids = Vec::new();
        for (i, density) in self.densities.into_iter().enumerate() {
            let material = stage.material(Material { density, ..of.material(self.restitution, 0.0) })?;
            let speed = if i == 0 { self.speed } else { 0.0 };
            let at = Pose::from_position((2.0 * radius * i as f64 - speed * self.before) * DVec3::X);
            let velocity = Velocity { linear: speed * DVec3::X, angular: DVec3::ZERO };
            ids.push(stage.body(Shape::sphere(radius), material, at, velocity)?);
        }
        let start = stage.simulation.momenta();
        while stage.time() <= self.before {
            stage.step()?;
        }
        stage.step()?;
        let exact = self.by_law().unwrap_or_else(|| vec![f64::NAN; 3]);
        let (mut velocities, mut energy, mut expected) = (Worst::default(), 0.0, 0.0);
        for ((id, exact), density) in ids.iter().zip(&exact).zip(self.densities) {
            let (found, exact) = (stage.velocity(*id)?.linear, exact * self.speed * DVec3::X);
            velocities.take((found - exact).length() / self.speed);
            energy += density * found.length_squared();
            expected += density * exact.length_squared();
        }
        let before = self.densities[0] * self.speed * self.speed;
        let momentum = Ball::solid(radius, self.densities[0], Velocity::ZERO).mass * self.speed;
        let now = stage.simulation.momenta();
        let checks = vec![
            Check::new("velocity over the speed", velocities.0, bounds::MOTION),
            Check::new("energy over that before", (energy - expected).abs() / before, bounds::MOTION),
            Check::new("momentum over m v", (now.linear - start.linear).length() / momentum, bounds::MOMENTUM),
        ];
        Ok((stage, checks))
    }
}
