//! A simulation in axes of its own: the whole scene is turned and moved, gravity with it.
//!
//! What families say and read is in these axes, with z up.

use granule_engine::{BodyDescription, EngineError, Law, MaterialId, Settings, Simulation, StepReport, Stepping};
use granule_geometry::{Shape, ShapeError};
use granule_model::{BodyId, DQuat, DVec3, Material, Pose, Velocity};
use granule_solver::samples::Random;

/// Standard gravity of the scenes \[m/s2\].
pub(crate) const GRAVITY: f64 = 9.8;

/// What is drawn for every scene alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    /// A length of the bodies, radius or edge \[m\].
    pub(crate) size: f64,
    /// \[kg/m3\]
    pub(crate) density: f64,
    /// Any law, and one that knows friction.
    pub(crate) law: Law,
    pub(crate) law_with_friction: Law,
    /// How the scene is turned.
    pub(crate) turn: DQuat,
    /// Where its origin is \[m\].
    pub(crate) origin: DVec3,
    /// Share of a time of its own that a family takes for its step; none for the step that the engine chooses.
    pub(crate) share: Option<f64>,
    /// Factor on the coefficient that the answer is computed with: 1, but in negative controls.
    pub(crate) belief: f64,
}

/// Laws whose impacts know friction. The others resolve normal velocities, and leave friction to the contact stage; but
/// for `smm`, whose friction is always that of sliding, so that what ought to stick is driven backwards.
pub(super) const WITH_FRICTION: [&str; 4] = ["etm", "etm-weighted", "sqm", "rbss"];

impl Circumstances {
    pub(crate) fn new(random: &mut Random) -> Self {
        let size = random.log_between(5e-4, 5.0);
        let density = random.log_between(100.0, 10_000.0);
        // Half of the scenes have the default law, a fifth its weighted form.
        let fate = random.unit();
        let mut named = |names: &[&str]| {
            let name = names[random.below(names.len())];
            let name = if fate < 0.5 {
                "etm"
            } else if fate < 0.7 {
                "etm-weighted"
            } else {
                name
            };
            Law::by_name(name).unwrap_or_default()
        };
        let (law, law_with_friction) = (named(&Law::NAMES), named(&WITH_FRICTION));
        let turn = random.rotation();
        let origin = random.in_ball() * 10.0 * size;
        let share = random.chance(0.7).then(|| random.log_between(0.02, 1.0));
        Circumstances { size, density, law, law_with_friction, turn, origin, share, belief: 1.0 }
    }

    /// Upright, in the origin, of bodies of this size \[m\] and the default law.
    pub(crate) fn plain(size: f64) -> Self {
        Circumstances {
            size,
            density: 2000.0,
            law: Law::default(),
            law_with_friction: Law::default(),
            turn: DQuat::IDENTITY,
            origin: DVec3::ZERO,
            share: None,
            belief: 1.0,
        }
    }

    /// A material of the scene's density.
    pub(crate) fn material(&self, restitution: f64, friction: f64) -> Material {
        Material {
            density: self.density,
            restitution,
            static_friction: friction,
            dynamic_friction: friction,
            ..Material::default()
        }
    }
}

/// A simulation in the axes of the scene.
pub(crate) struct Stage {
    pub(crate) simulation: Simulation,
    turn: DQuat,
    origin: DVec3,
}

impl Stage {
    /// An empty one with this law, `gravity` \[m/s2\] and step \[s\].
    ///
    /// # Errors
    /// [`EngineError::Setting`] for a setting out of its range.
    pub(crate) fn new(
        of: &Circumstances,
        stepping: Stepping,
        law: Law,
        gravity: DVec3,
        time_step: Option<f64>,
    ) -> Result<Self, EngineError> {
        // Bodies are followed for longer than some of them would stay awake.
        let settings =
            Settings { gravity: of.turn * gravity, time_step, law, sleeping: false, stepping, ..Settings::default() };
        Ok(Stage { simulation: Simulation::new(settings)?, turn: of.turn, origin: of.origin })
    }

    pub(crate) fn material(&mut self, material: Material) -> Result<MaterialId, EngineError> {
        self.simulation.add_material(material)
    }

    /// A floor at height 0.
    pub(crate) fn floor(&mut self, material: MaterialId) -> Result<BodyId, EngineError> {
        let shape = Shape::half_space(self.turn * DVec3::Z).map_err(refused)?;
        self.simulation.add_body(BodyDescription::fixed(shape, material, self.origin))
    }

    /// A body that moves.
    pub(crate) fn body(
        &mut self,
        shape: Result<Shape, ShapeError>,
        material: MaterialId,
        pose: Pose,
        velocity: Velocity,
    ) -> Result<BodyId, EngineError> {
        let at = self.origin + self.turn * pose.position;
        let mut body = BodyDescription::dynamic(shape.map_err(refused)?, material, at);
        body.pose.rotation = (self.turn * pose.rotation).normalize();
        body.velocity = Velocity { linear: self.turn * velocity.linear, angular: self.turn * velocity.angular };
        self.simulation.add_body(body)
    }

    /// Pose of the own axes of a body.
    pub(crate) fn pose(&self, body: BodyId) -> Result<Pose, EngineError> {
        let pose = self.simulation.pose(body)?;
        let back = self.turn.inverse();
        Ok(Pose::new(back * (pose.position - self.origin), back * pose.rotation))
    }

    pub(crate) fn velocity(&self, body: BodyId) -> Result<Velocity, EngineError> {
        let velocity = self.simulation.velocity(body)?;
        let back = self.turn.inverse();
        Ok(Velocity { linear: back * velocity.linear, angular: back * velocity.angular })
    }

    pub(crate) fn step(&mut self) -> Result<StepReport, EngineError> {
        self.simulation.step()
    }

    pub(crate) fn time(&self) -> f64 {
        self.simulation.time()
    }
}

/// A shape that the engine refuses, as an error of the body that was to have it.
fn refused(error: ShapeError) -> EngineError {
    EngineError::Body { body: "of the scene".to_owned(), field: "shape", reason: error.to_string() }
}
