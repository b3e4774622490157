//! The bodies of a simulation as parallel arrays.
//!
//! Invariant: all arrays have the same length, and a body keeps its dense index for the life of the simulation; a removed
//! body is marked absent. Hot data, read in every step, lies apart from what is only read when files are written.

use granule_geometry::Shape;
use granule_measure::BodyMotion;
use granule_model::{Aabb, BodyId, BodyKind, DVec3, InverseInertia, Pose, Velocity};

use crate::description::{MaterialId, Motion};

/// All bodies.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    // Hot: read or written in every step.
    pub(crate) pose: Vec<Pose>,
    pub(crate) velocity: Vec<Velocity>,
    /// Velocity at the end of the contact stage: the one by which poses are advanced.
    pub(crate) transport: Vec<Velocity>,
    pub(crate) inverse_mass: Vec<f64>,
    pub(crate) inverse_inertia: Vec<InverseInertia>,
    pub(crate) dynamic: Vec<bool>,
    /// Dynamic or driven: may come closer to another body.
    pub(crate) movable: Vec<bool>,
    /// A sphere: its surface does not move by its spin.
    pub(crate) round: Vec<bool>,
    /// Largest distance of the surface from the centre of mass \[m\].
    pub(crate) extent: Vec<f64>,
    pub(crate) present: Vec<bool>,
    pub(crate) asleep: Vec<bool>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) shape: Vec<Shape>,
    pub(crate) material: Vec<MaterialId>,
    pub(crate) radius: Vec<f64>,
    // Cold.
    pub(crate) mass: Vec<f64>,
    pub(crate) principal_inertia: Vec<DVec3>,
    pub(crate) kind: Vec<BodyKind>,
    pub(crate) name: Vec<String>,
    pub(crate) driven: Vec<Option<Driven>>,
}

/// A driven body's motion, relative to the own axes' pose in which it was added.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    pub(crate) motion: Motion,
    pub(crate) start: Pose,
}

impl Bodies {
    pub(crate) fn len(&self) -> usize {
        self.pose.len()
    }

    /// Handle of the body with dense index `i`.
    pub(crate) fn id(&self, i: usize) -> BodyId {
        BodyId { index: i as u32, generation: 0 }
    }

    /// Dense index of a handle, if its body is present.
    pub(crate) fn index(&self, id: BodyId) -> Option<usize> {
        let i = id.index as usize;
        (id.generation == 0 && self.present.get(i).copied().unwrap_or(false)).then_some(i)
    }

    /// Name for messages: the body's own, or its number.
    pub(crate) fn label(&self, i: usize) -> String {
        if self.name[i].is_empty() { format!("number {i}") } else { format!("`{}`", self.name[i]) }
    }

    /// True when the body moves by forces now.
    pub(crate) fn awake(&self, i: usize) -> bool {
        self.dynamic[i] && !self.asleep[i]
    }

    /// Brings the box and the inertia of a moved body up to date.
    pub(crate) fn refresh(&mut self, i: usize) {
        self.boxes[i] = self.shape[i].aabb(&self.pose[i]);
        if let InverseInertia::General(_) = self.inverse_inertia[i] {
            self.inverse_inertia[i] = InverseInertia::new(self.principal_inertia[i], self.pose[i].rotation);
        }
    }

    /// The motion of a body, for measures of energy.
    pub(crate) fn motion(&self, i: usize) -> BodyMotion {
        BodyMotion {
            mass: self.mass[i],
            principal_inertia: self.principal_inertia[i],
            rotation: self.pose[i].rotation,
            position: self.pose[i].position,
            velocity: self.velocity[i],
        }
    }

    /// Kinetic energy of a dynamic body \[J\]; zero for the others.
    pub(crate) fn kinetic_energy(&self, i: usize) -> f64 {
        let motion = self.motion(i);
        motion.translational_energy() + motion.rotational_energy()
    }
}
