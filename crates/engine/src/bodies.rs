//! The bodies of a simulation as parallel arrays.
//!
//! Invariant: all arrays have the same length, and a body keeps its dense index for the life of the simulation; a
//! removed body is marked absent. Hot data, read in every step, lies apart from what is only read when files are
//! written.

use granule_geometry::Shape;
use granule_measure::BodyMotion;
use granule_model::{Aabb, BodyId, BodyKind, DVec3, InverseInertia, Pose, Velocity};

use rayon::prelude::*;

use crate::description::Motion;
use crate::error::EngineError;
use crate::parallel;

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
    /// Left out of the sub-step that is under way: it is made again for a group of bodies that this one is none of.
    pub(crate) apart: Vec<bool>,
    /// Length of the sub-step that each body made last, which E* counts \[s\]; [`NO_STEP`] before the first.
    pub(crate) step: Vec<f64>,
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) shape: Vec<Shape>,
    pub(crate) material: Vec<u32>,
    pub(crate) radius: Vec<f64>,
    /// Half the smallest width of the body's thinnest convex piece \[m\]; infinite for shapes without inside.
    pub(crate) half_width: Vec<f64>,
    // Cold.
    pub(crate) mass: Vec<f64>,
    pub(crate) principal_inertia: Vec<DVec3>,
    pub(crate) kind: Vec<BodyKind>,
    pub(crate) name: Vec<String>,
    /// Dense indices of the open meshes, which a body may pass through unseen.
    pub(crate) meshes: Vec<u32>,
    /// In a box: nearly all have none, and one takes 110 bytes.
    pub(crate) driven: Vec<Option<Box<Driven>>>,
    /// Number of the simulation within the process; only handles have it.
    pub(crate) simulation: u64,
}

/// Marks a body that has made no step yet.
pub(crate) const NO_STEP: f64 = -1.0;

/// A driven body's motion, relative to the own axes' pose in which it was added and to the time at which it was.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    pub(crate) motion: Motion,
    pub(crate) start: Pose,
    /// Whether it stands still in the step that is under way.
    pub(crate) stands: bool,
    /// Time at which the motion started, and by which it stood since \[s\].
    pub(crate) start_time: f64,
    /// Where the sub-step under way takes the own axes, and how fast.
    pub(crate) target: Pose,
    pub(crate) velocity: Velocity,
}

/// A body that is being moved.
pub(crate) struct Moved<'a> {
    pub(crate) pose: &'a mut Pose,
    pub(crate) velocity: &'a mut Velocity,
    pub(crate) transport: Velocity,
    pub(crate) moments: DVec3,
}

/// What messages call a body: its name, or its number.
pub(crate) fn label(name: &str, number: usize) -> String {
    if name.is_empty() { format!("number {number}") } else { format!("`{name}`") }
}

/// Brings box and inertia up to date with a pose.
fn follow(pose: &Pose, shape: &Shape, moments: DVec3, boxed: &mut Aabb, inertia: &mut InverseInertia) {
    *boxed = shape.aabb(pose);
    if let InverseInertia::General(_) = inertia {
        *inertia = InverseInertia::new(moments, pose.rotation);
    }
}

impl Bodies {
    pub(crate) fn len(&self) -> usize {
        self.pose.len()
    }

    /// Handle of the body with dense index `i`.
    pub(crate) fn id(&self, i: usize) -> BodyId {
        BodyId::new(self.simulation, i as u32, 0)
    }

    /// Dense index of a handle whose body is present.
    pub(crate) fn index(&self, id: BodyId) -> Result<usize, EngineError> {
        let i = self.index_ever(id)?;
        if self.present[i] { Ok(i) } else { Err(EngineError::NoSuchBody(id)) }
    }

    /// Dense index of a handle whose body is present or was removed.
    pub(crate) fn index_ever(&self, id: BodyId) -> Result<usize, EngineError> {
        if id.simulation() != self.simulation {
            return Err(EngineError::ForeignHandle { what: "body", index: id.index });
        }
        let i = id.index as usize;
        if id.generation == 0 && i < self.len() { Ok(i) } else { Err(EngineError::NoSuchBody(id)) }
    }

    /// Smallest equal-volume radius of what can move by forces \[m\]; infinite where nothing can.
    pub(crate) fn smallest_radius(&self) -> f64 {
        let radii = (0..self.len()).filter(|i| self.dynamic[*i] && self.present[*i]).map(|i| self.radius[i]);
        radii.fold(f64::INFINITY, f64::min)
    }

    /// Name for messages: the body's own, or its number.
    pub(crate) fn label(&self, i: usize) -> String {
        label(&self.name[i], i)
    }

    /// True when the body moves by forces now.
    pub(crate) fn awake(&self, i: usize) -> bool {
        self.dynamic[i] && !self.asleep[i] && !self.apart[i]
    }

    /// Brings the box and the inertia of a moved body up to date.
    pub(crate) fn refresh(&mut self, i: usize) {
        follow(
            &self.pose[i],
            &self.shape[i],
            self.principal_inertia[i],
            &mut self.boxes[i],
            &mut self.inverse_inertia[i],
        );
    }

    /// Lets `advance` move every body that is awake, by its dense index, and brings boxes and inertia up to date.
    pub(crate) fn advance(&mut self, advance: impl Fn(usize, &mut Moved<'_>) + Sync + Send) {
        let Bodies { pose, velocity, boxes, inverse_inertia, transport, shape, principal_inertia, .. } = self;
        let (dynamic, asleep, apart) = (&self.dynamic, &self.asleep, &self.apart);
        let written =
            (pose.par_iter_mut(), velocity.par_iter_mut(), boxes.par_iter_mut(), inverse_inertia.par_iter_mut());
        let read = (transport.par_iter(), shape.par_iter(), principal_inertia.par_iter());
        let items = (written, read).into_par_iter().enumerate();
        parallel::for_each(items, |(i, ((pose, velocity, boxed, inertia), (transport, shape, moments)))| {
            if !dynamic[i] || asleep[i] || apart[i] {
                return;
            }
            let (transport, moments) = (*transport, *moments);
            advance(i, &mut Moved { pose: &mut *pose, velocity, transport, moments });
            follow(pose, shape, moments, boxed, inertia);
        });
    }

    /// The motion of a body, for measures of energy.
    pub(crate) fn motion(&self, i: usize) -> BodyMotion {
        BodyMotion {
            mass: self.mass[i],
            principal_inertia: self.principal_inertia[i],
            rotation: self.pose[i].rotation,
            position: self.pose[i].position,
            velocity: self.velocity[i],
            step: self.step[i].max(0.0),
        }
    }

    /// Kinetic energy of a dynamic body \[J\]; zero for the others.
    pub(crate) fn kinetic_energy(&self, i: usize) -> f64 {
        let motion = self.motion(i);
        motion.translational_energy() + motion.rotational_energy()
    }
}
