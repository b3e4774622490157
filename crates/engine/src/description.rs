//! What an embedding program or a scene file says before the first step: settings and bodies.

use std::fmt;
use std::sync::Arc;

use granule_geometry::Shape;
use granule_model::{BodyKind, DVec3, Pose, Velocity};
use serde::{Deserialize, Serialize};

use crate::domain::Domain;

/// Number of a material within a simulation, in the order of `add_material`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MaterialId(pub u32);

/// How a step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// All contacts of a step together, known before they touch.
    #[default]
    Margin,
    /// From impact to impact: exact in time, for up to some thousand bodies.
    Event,
}

/// Settings of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Gravity \[m/s2\].
    pub gravity: DVec3,
    /// Time step \[s\]; none: the engine chooses one by its rule when the first step is made.
    pub time_step: Option<f64>,
    /// Impact law.
    pub law: Law,
    /// Whether bodies at rest are put to sleep.
    pub sleeping: bool,
    /// Air drag on every dynamic body.
    pub drag: Drag,
    /// How poses are advanced.
    pub integrator: Integrator,
    /// How a step is made.
    pub stepping: Stepping,
    /// What happens when a driven body jams others.
    pub jam: JamResponse,
    /// The box in which dynamic bodies are followed; none: one that falls below everything and falls on is taken out.
    pub domain: Option<Domain>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: DVec3::new(0.0, 0.0, -9.8),
            time_step: None,
            law: Law::default(),
            sleeping: true,
            drag: Drag::default(),
            integrator: Integrator::default(),
            stepping: Stepping::default(),
            jam: JamResponse::default(),
            domain: None,
        }
    }
}

pub use crate::jam::JamResponse;
pub use granule_forces::Drag;
pub use granule_integrator::Integrator;
pub use granule_solver::{Etm, Law};

/// A motion given as a function of time \[s\]: the pose of the shape's own axes.
pub type MotionFunction = dyn Fn(f64) -> Pose + Send + Sync;

/// How a driven body moves. Time is counted from the start of the simulation; motions are relative to the pose in which
/// the body was added.
#[derive(Clone)]
pub enum Motion {
    /// Constant velocity \[m/s\] and angular velocity \[rad/s\], world axes.
    Constant(Velocity),
    /// `position + amplitude sin(2 pi frequency t + phase) - amplitude sin(phase)`.
    Sine {
        /// Amplitude \[m\], world axes.
        amplitude: DVec3,
        /// Frequency \[Hz\].
        frequency: f64,
        /// Phase \[rad\].
        phase: f64,
    },
    /// Any other motion; the velocity is taken by difference over the step.
    Function(Arc<MotionFunction>),
}

impl fmt::Debug for Motion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Motion::Constant(v) => f.debug_tuple("Constant").field(v).finish(),
            Motion::Sine { amplitude, frequency, phase } => f
                .debug_struct("Sine")
                .field("amplitude", amplitude)
                .field("frequency", frequency)
                .field("phase", phase)
                .finish(),
            Motion::Function(_) => f.write_str("Function"),
        }
    }
}

/// A body to add to a simulation.
#[derive(Clone, Debug)]
pub struct BodyDescription {
    /// Name for messages and results; may be empty.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Its shape.
    pub shape: Shape,
    /// Its material.
    pub material: MaterialId,
    /// Pose of the shape's own axes.
    pub pose: Pose,
    /// Velocity of the centre of mass and angular velocity, world axes.
    pub velocity: Velocity,
    /// Mass \[kg\] instead of the one that density and volume give; scales the inertia with it.
    pub mass: Option<f64>,
    /// Motion of a driven body; none for the other kinds.
    pub motion: Option<Motion>,
}

impl BodyDescription {
    /// A dynamic body at rest.
    pub fn dynamic(shape: Shape, material: MaterialId, position: DVec3) -> Self {
        BodyDescription {
            name: String::new(),
            kind: BodyKind::Dynamic,
            shape,
            material,
            pose: Pose::from_position(position),
            velocity: Velocity::ZERO,
            mass: None,
            motion: None,
        }
    }

    /// A static body.
    pub fn fixed(shape: Shape, material: MaterialId, position: DVec3) -> Self {
        BodyDescription { kind: BodyKind::Static, ..BodyDescription::dynamic(shape, material, position) }
    }
}
