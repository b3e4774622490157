//! What an embedding program or a scene file says before the first step: settings and bodies.

use std::fmt;
use std::sync::Arc;

use granule_geometry::Shape;
use granule_model::{BodyKind, DVec3, Pose, Velocity};

use crate::world::accuracy::Accuracy;
use crate::world::domain::Domain;

/// Handle of a material.
///
/// What `add_material` returns belongs to its simulation, and another one refuses it. [`MaterialId::nth`] is for
/// descriptions that are written before there is a simulation, as those of a scene file are: it means the material of
/// that number in whichever simulation it is given to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaterialId {
    index: u32,
    simulation: u64,
}

impl MaterialId {
    /// The material added after `index` others, in any simulation.
    pub fn nth(index: u32) -> Self {
        MaterialId { index, simulation: 0 }
    }

    /// The same of one simulation, by its number.
    pub(crate) fn of(simulation: u64, index: u32) -> Self {
        MaterialId { index, simulation }
    }

    /// Number of the material in the order of adding, from 0.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// Whether a simulation of that number may use it.
    pub(crate) fn serves(self, simulation: u64) -> bool {
        self.simulation == 0 || self.simulation == simulation
    }
}

impl fmt::Debug for MaterialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaterialId").field("index", &self.index).finish_non_exhaustive()
    }
}

/// How a step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// All contacts of a step together, known before they touch.
    Margin,
    /// From impact to impact: exact in time, for up to some thousand bodies.
    Event,
    /// As [`Stepping::Margin`]; but few bodies that are struck make their step from touch to touch, and corners that
    /// turn on a flat face are held where they are to second order in the step. The default.
    #[default]
    Touch,
}

impl Stepping {
    /// Whether impacts among few bodies are resolved where and when they happen, however slow they are.
    pub(crate) fn resolves_touches(self) -> bool {
        self == Stepping::Touch
    }
}

/// What happens when bodies are caught between a driven body and others that cannot give way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JamResponse {
    /// The step fails with [`EngineError::Jam`](crate::EngineError::Jam).
    #[default]
    Error,
    /// The driven bodies that press stand still until a step can be made.
    Yield,
}

/// Settings of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Gravity \[m/s2\].
    pub gravity: DVec3,
    /// Time step \[s\]; none: the engine chooses one by its rule ([`TIME_STEP_RULE`](crate::TIME_STEP_RULE)) when the
    /// first step is made, and anew when bodies, pairs or force fields change or what moves outruns it.
    pub time_step: Option<f64>,
    /// Speed of impacts that get their restitution in any case \[m/s\], above 0: the step that the engine chooses is at
    /// most the longest that resolves them, see [`Simulation::resolved_speed`](crate::Simulation::resolved_speed).
    /// None: the rule alone decides. Only without a `time_step`.
    pub resolved_speed: Option<f64>,
    /// Impact law.
    pub law: Law,
    /// Whether bodies at rest are put to sleep.
    pub sleeping: bool,
    /// Air drag on every dynamic body.
    pub drag: Drag,
    /// Global damping of every dynamic body, for settling; none by default.
    pub damping: Damping,
    /// How poses are advanced.
    pub integrator: Integrator,
    /// How a step is made.
    pub stepping: Stepping,
    /// What happens when a driven body jams others.
    pub jam: JamResponse,
    /// How accurate steps are made.
    pub accuracy: Accuracy,
    /// The box in which dynamic bodies are followed; none: one that falls below everything and falls on is taken out.
    pub domain: Option<Domain>,
}

impl Settings {
    /// Whether bodies are slowed down by anything but contacts.
    pub(crate) fn resists(&self) -> bool {
        !(self.drag.is_none() && self.damping.is_none())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity: DVec3::new(0.0, 0.0, -9.8),
            time_step: None,
            resolved_speed: None,
            law: Law::default(),
            sleeping: true,
            drag: Drag::default(),
            damping: Damping::default(),
            integrator: Integrator::default(),
            stepping: Stepping::default(),
            jam: JamResponse::default(),
            accuracy: Accuracy::default(),
            domain: None,
        }
    }
}

use granule_forces::Damping;
pub use granule_forces::Drag;
pub use granule_integrator::Integrator;
pub use granule_solver::{Etm, Law};

/// A motion given as a function of time \[s\]: the pose of the shape's own axes. Poses must be finite, their rotations
/// unit quaternions; one that is not ends the step with an error that names the body.
pub type MotionFunction = dyn Fn(f64) -> Pose + Send + Sync;

/// How a driven body moves. Time is counted from when the body was added; constant and sine motions are relative to the
/// pose in which it was added. The first step takes a body to where its function leads, so a function begins with the
/// pose in which the body was added.
#[derive(Clone)]
pub enum Motion {
    /// Constant velocity \[m/s\] and angular velocity \[rad/s\], world axes.
    Constant(Velocity),
    /// `position + amplitude sin(2 pi frequency t + phase) - amplitude sin(phase)`.
    Sine {
        /// Amplitude \[m\], world axes.
        amplitude: DVec3,
        /// Frequency \[Hz\], not negative.
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
    /// Motion of a driven body, which without one goes on with `velocity`; none for the other kinds.
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

    /// A driven body that moves by `motion`.
    pub fn driven(shape: Shape, material: MaterialId, position: DVec3, motion: Motion) -> Self {
        let motion = Some(motion);
        BodyDescription { kind: BodyKind::Driven, motion, ..BodyDescription::dynamic(shape, material, position) }
    }
}
