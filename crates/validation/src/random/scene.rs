//! A random scene as plain data: settings, materials, bodies, and what changes during the run.

use std::sync::Arc;

use granule_engine::prelude::{BodyView, Force};
use granule_engine::{BodyDescription, EngineError, MaterialId, Motion, Settings, Simulation};
use granule_model::{Aabb, BodyId, BodyKind, DVec3, Material, Pose, Velocity};

use super::form::Form;

/// What a scene is about; figures are gathered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Bodies fall and tumble in a closed box at rest.
    Box,
    /// The floor of the box, or the whole box, is driven.
    Floor,
    /// A bar or a blade is driven through the bed.
    Blade,
    /// A blade is driven towards a wall, with bodies in between: it may jam.
    Press,
    /// Nothing is static or driven and there is no gravity: momentum is kept.
    Free,
    /// A closed box without gravity.
    Gas,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 6] = [Family::Box, Family::Floor, Family::Blade, Family::Press, Family::Free, Family::Gas];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Family::Box => "box",
            Family::Floor => "floor",
            Family::Blade => "blade",
            Family::Press => "press",
            Family::Free => "free",
            Family::Gas => "gas",
        }
    }
}

/// A body of a random scene.
#[derive(Clone, Debug)]
pub struct RandomBody {
    /// Its name.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// What it looks like.
    pub form: Form,
    /// Number of its material in the scene.
    pub material: usize,
    /// Pose of its own axes at the start.
    pub pose: Pose,
    /// Velocity at the start; zero unless it is dynamic.
    pub velocity: Velocity,
    /// How it is driven.
    pub motion: Option<Motion>,
}

impl RandomBody {
    /// What the engine is told.
    ///
    /// # Errors
    /// The shape's error as that of a body.
    pub(crate) fn description(&self) -> Result<BodyDescription, EngineError> {
        let refused = |error: granule_geometry::ShapeError| EngineError::Body {
            body: self.name.clone(),
            field: "shape",
            reason: error.to_string(),
        };
        Ok(BodyDescription {
            name: self.name.clone(),
            kind: self.kind,
            shape: self.form.shape().map_err(refused)?,
            material: MaterialId::nth(self.material as u32),
            pose: self.pose,
            velocity: self.velocity,
            mass: None,
            motion: self.motion.clone(),
        })
    }
}

/// A force field of a random scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldKind {
    /// The same acceleration everywhere \[m/s2\].
    Uniform(DVec3),
    /// A pull towards a point that grows with the distance.
    Spring {
        /// Where it pulls to \[m\].
        centre: DVec3,
        /// Acceleration over distance \[1/s2\].
        rate: f64,
    },
    /// An acceleration around the z axis through a point that grows with the distance.
    Swirl {
        /// Point on the axis \[m\].
        centre: DVec3,
        /// Acceleration over distance \[1/s2\].
        rate: f64,
    },
}

impl FieldKind {
    /// Force on a body.
    fn force(&self, body: &BodyView) -> Force {
        let acceleration = match *self {
            FieldKind::Uniform(acceleration) => acceleration,
            FieldKind::Spring { centre, rate } => (centre - body.pose.position) * rate,
            FieldKind::Swirl { centre, rate } => DVec3::Z.cross(body.pose.position - centre) * rate,
        };
        Force { force: body.mass * acceleration, torque: DVec3::ZERO }
    }

    /// Switches it on.
    pub(crate) fn switch_on(self, simulation: &mut Simulation) {
        simulation.add_force_field(Arc::new(move |body: &BodyView| self.force(body)));
    }
}

/// What changes during a run.
#[derive(Clone, Debug)]
pub enum Change {
    /// A body is added at a free place of the room, drawn from `seed`; left out where none is found.
    Add {
        /// The body; its position is not used.
        body: Box<RandomBody>,
        /// Of the places that are tried.
        seed: u64,
    },
    /// The body of this number is taken away.
    Remove(usize),
    /// A force field is switched on.
    Field(FieldKind),
}

/// A change, and before which step it comes.
#[derive(Clone, Debug)]
pub struct Event {
    /// Number of steps made before it.
    pub step: u32,
    /// What changes.
    pub change: Change,
}

/// The room that bodies may be in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Its inside, grown by the way of a driven wall \[m\].
    pub bounds: Aabb,
    /// Whether walls keep bodies inside.
    pub closed: bool,
}

/// A random scene.
#[derive(Clone, Debug)]
pub struct RandomScene {
    /// The seed that it came from.
    pub seed: u64,
    /// What it is about.
    pub family: Family,
    /// Settings of the simulation.
    pub settings: Settings,
    /// Materials.
    pub materials: Vec<Material>,
    /// Bodies at the start.
    pub bodies: Vec<RandomBody>,
    /// What changes, in the order of the steps.
    pub events: Vec<Event>,
    /// Where bodies may be.
    pub room: Room,
    /// Steps to make.
    pub steps: u32,
}

impl RandomScene {
    /// A simulation with the bodies of the start.
    ///
    /// # Errors
    /// [`EngineError`] for what the engine refuses.
    pub fn build(&self) -> Result<(Simulation, Vec<BodyId>), EngineError> {
        let mut simulation = Simulation::new(self.settings)?;
        for material in &self.materials {
            simulation.add_material(*material)?;
        }
        let ids = self.bodies.iter().map(|body| simulation.add_body(body.description()?)).collect::<Result<_, _>>()?;
        Ok((simulation, ids))
    }

    /// Whether nothing from outside acts on the bodies: their momentum is kept.
    pub fn is_isolated(&self) -> bool {
        let free = |body: &RandomBody| body.kind == BodyKind::Dynamic;
        let inner = |event: &Event| match &event.change {
            Change::Add { body, .. } => free(body),
            Change::Remove(_) => true,
            Change::Field(_) => false,
        };
        self.settings.gravity == DVec3::ZERO && self.bodies.iter().all(free) && self.events.iter().all(inner)
    }
}
