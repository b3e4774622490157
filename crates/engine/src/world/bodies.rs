//! The bodies of a simulation as parallel arrays, by dense index.
//!
//! Three parts: what a body *is* ([`Table`]), which a step only reads; its *state* ([`BodyState`]), which a step
//! changes and an undone one gives back; and what *follows* from the poses ([`Frames`]), which is kept beside them
//! because it is read often. [`Bodies`] shows all three to those that only read.
//!
//! Invariant: all arrays have the same length, and a body keeps its dense index for the life of the simulation; a
//! removed body is marked absent.

use std::ops::Deref;

use granule_geometry::Shape;
use granule_measure::BodyMotion;
use granule_model::{Aabb, BodyId, BodyKind, DVec3, InverseInertia, Pose, Velocity};
use serde::Serialize;

use crate::world::account::Account;
use crate::world::description::Motion;
use crate::world::error::EngineError;

/// What each body is. It changes between steps only, when bodies are added or taken out.
#[derive(Debug, Default)]
pub(crate) struct Table {
    // Read in every step.
    pub(crate) inverse_mass: Vec<f64>,
    /// Moved by forces: dynamic, and present.
    pub(crate) dynamic: Vec<bool>,
    /// Dynamic or driven: may come closer to another body.
    pub(crate) movable: Vec<bool>,
    /// A sphere: its surface does not move by its spin.
    pub(crate) round: Vec<bool>,
    /// Largest distance of the surface from the centre of mass \[m\].
    pub(crate) extent: Vec<f64>,
    /// Radius of a ball around the centre of mass that holds all of the body \[m\]; see [`holding_radius`].
    pub(crate) holding: Vec<f64>,
    pub(crate) present: Vec<bool>,
    pub(crate) shape: Vec<Shape>,
    pub(crate) material: Vec<u32>,
    /// Equal-volume radius \[m\].
    pub(crate) radius: Vec<f64>,
    /// Half the smallest width of the body's thinnest convex piece \[m\]; infinite for shapes without inside.
    pub(crate) half_width: Vec<f64>,
    pub(crate) mass: Vec<f64>,
    pub(crate) principal_inertia: Vec<DVec3>,
    // Read when files are written.
    pub(crate) kind: Vec<BodyKind>,
    pub(crate) name: Vec<String>,
    /// Dense indices of the open meshes and height fields, which a body may pass through unseen.
    pub(crate) meshes: Vec<u32>,
    /// The driven bodies, ascending; nearly all bodies are none.
    pub(crate) driven: Vec<Driven>,
    /// Number of the simulation within the process; only handles have it.
    pub(crate) simulation: u64,
    /// Dense index of each body in the table that this one is taken from; empty in the table of a simulation.
    pub(crate) whole: Vec<u32>,
}

/// Radius of a ball around the centre of mass that holds all of a body of this shape, what stands out between the nodes
/// of a level-set grain included \[m\]; infinite for shapes that hold no volume.
pub(crate) fn holding_radius(shape: &Shape) -> f64 {
    if shape.has_volume() {
        shape.bounding_radius() + shape.hidden_between_nodes().unwrap_or(0.0)
    } else {
        f64::INFINITY
    }
}

/// A driven body's motion.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    /// Dense index.
    pub(crate) body: u32,
    pub(crate) motion: Motion,
    /// Pose of the own axes in which the body was added.
    pub(crate) start: Pose,
}

/// Where each body is, how it moves, and what decides how it goes on.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct BodyState {
    pub(crate) pose: Vec<Pose>,
    pub(crate) velocity: Vec<Velocity>,
    pub(crate) asleep: Vec<bool>,
    /// Left out of the sub-step that is under way: it is made again for a group of bodies that this one is none of.
    pub(crate) apart: Vec<bool>,
    /// Length of the sub-step that each body made last, which E* counts \[s\]; [`NO_STEP`] before the first.
    pub(crate) step: Vec<f64>,
    /// What each body has lost so far.
    pub(crate) account: Vec<Account>,
}

impl Clone for BodyState {
    fn clone(&self) -> Self {
        let mut copy = BodyState::default();
        copy.clone_from(self);
        copy
    }

    /// As what is derived would not, it keeps the buffers: each step keeps the state in which it began.
    fn clone_from(&mut self, other: &Self) {
        let BodyState { pose, velocity, asleep, apart, step, account } = other;
        self.pose.clone_from(pose);
        self.velocity.clone_from(velocity);
        self.asleep.clone_from(asleep);
        self.apart.clone_from(apart);
        self.step.clone_from(step);
        self.account.clone_from(account);
    }
}

/// What follows from the poses, and is brought up to date with them.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    /// Tight box of each body \[m\].
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) inverse_inertia: Vec<InverseInertia>,
}

/// All bodies, to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bodies<'a> {
    pub(crate) table: &'a Table,
    pub(crate) pose: &'a [Pose],
    pub(crate) velocity: &'a [Velocity],
    pub(crate) asleep: &'a [bool],
    pub(crate) apart: &'a [bool],
    pub(crate) step: &'a [f64],
    pub(crate) account: &'a [Account],
    pub(crate) boxes: &'a [Aabb],
    pub(crate) inverse_inertia: &'a [InverseInertia],
}

/// What a body is, is read as if it stood beside where it is.
impl Deref for Bodies<'_> {
    type Target = Table;

    fn deref(&self) -> &Table {
        self.table
    }
}

/// Marks a body that has made no step yet.
pub(crate) const NO_STEP: f64 = -1.0;

/// What messages call a body: its name, or its number, which is that of its row in results.
pub(crate) fn label(name: &str, number: usize) -> String {
    if name.is_empty() { format!("number {number} (from 0)") } else { format!("`{name}`") }
}

impl Table {
    pub(crate) fn len(&self) -> usize {
        self.shape.len()
    }

    /// Whether a body moves, and not by forces.
    pub(crate) fn is_driven(&self, i: usize) -> bool {
        self.movable[i] && !self.dynamic[i]
    }

    /// Makes this the table of the bodies `of` another one, in that order, which is ascending. Names stay behind: who
    /// makes a step of some bodies alone tells nobody of them.
    pub(crate) fn take(&mut self, from: &Table, of: &[u32]) {
        let Table {
            inverse_mass,
            dynamic,
            movable,
            round,
            extent,
            holding,
            present,
            shape,
            material,
            radius,
            half_width,
            mass,
            principal_inertia,
            kind,
            name,
            meshes,
            driven,
            simulation,
            whole,
        } = self;
        gather(inverse_mass, &from.inverse_mass, of);
        gather(dynamic, &from.dynamic, of);
        gather(movable, &from.movable, of);
        gather(round, &from.round, of);
        gather(extent, &from.extent, of);
        gather(holding, &from.holding, of);
        gather(present, &from.present, of);
        gather(shape, &from.shape, of);
        gather(material, &from.material, of);
        gather(radius, &from.radius, of);
        gather(half_width, &from.half_width, of);
        gather(mass, &from.mass, of);
        gather(principal_inertia, &from.principal_inertia, of);
        gather(kind, &from.kind, of);
        name.resize(of.len(), String::new());
        let place = |i: u32| of.binary_search(&i).ok().map(|place| place as u32);
        meshes.clear();
        meshes.extend(from.meshes.iter().filter_map(|i| place(*i)));
        driven.clear();
        driven.extend(from.driven.iter().filter_map(|d| Some(Driven { body: place(d.body)?, ..d.clone() })));
        *simulation = from.simulation;
        whole.clear();
        whole.extend_from_slice(of);
    }

    /// Dense index that a body has in the simulation.
    pub(crate) fn number(&self, i: usize) -> u32 {
        self.whole.get(i).copied().unwrap_or(i as u32)
    }

    /// Handle of the body with dense index `i`.
    pub(crate) fn id(&self, i: usize) -> BodyId {
        BodyId::new(self.simulation, self.number(i), 0)
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

    /// Name for messages: the body's own, or its number.
    pub(crate) fn label(&self, i: usize) -> String {
        label(&self.name[i], i)
    }

    /// Place in the list of driven bodies of the body with dense index `i`; none where it is not driven.
    pub(crate) fn driven_place(&self, i: usize) -> Option<usize> {
        self.driven.binary_search_by_key(&(i as u32), |driven| driven.body).ok()
    }

    /// The motion of the body with dense index `i`; none where it is not driven.
    pub(crate) fn driven_of(&self, i: usize) -> Option<&Driven> {
        self.driven_place(i).map(|place| &self.driven[place])
    }
}

/// Makes `into` a copy of some elements of `from`, in the order in which `of` names them.
pub(crate) fn gather<T: Clone>(into: &mut Vec<T>, from: &[T], of: &[u32]) {
    into.clear();
    into.extend(of.iter().map(|i| from[*i as usize].clone()));
}

impl BodyState {
    /// Makes this the state of the bodies `of` another one.
    pub(crate) fn take(&mut self, whole: &BodyState, of: &[u32]) {
        let BodyState { pose, velocity, asleep, apart, step, account } = self;
        gather(pose, &whole.pose, of);
        gather(velocity, &whole.velocity, of);
        gather(asleep, &whole.asleep, of);
        gather(apart, &whole.apart, of);
        gather(step, &whole.step, of);
        gather(account, &whole.account, of);
    }

    /// True when the body moves by forces now.
    pub(crate) fn awake(&self, table: &Table, i: usize) -> bool {
        table.dynamic[i] && !self.asleep[i] && !self.apart[i]
    }

    /// The motion of a body, for measures of energy.
    pub(crate) fn motion(&self, table: &Table, i: usize) -> BodyMotion {
        BodyMotion {
            mass: table.mass[i],
            principal_inertia: table.principal_inertia[i],
            rotation: self.pose[i].rotation,
            position: self.pose[i].position,
            velocity: self.velocity[i],
            step: self.step[i].max(0.0),
        }
    }

    /// Kinetic energy of a dynamic body \[J\]; zero for the others.
    pub(crate) fn kinetic_energy(&self, table: &Table, i: usize) -> f64 {
        let motion = self.motion(table, i);
        motion.translational_energy() + motion.rotational_energy()
    }

    /// All bodies, to read.
    pub(crate) fn view<'a>(&'a self, table: &'a Table, frames: &'a Frames) -> Bodies<'a> {
        let BodyState { pose, velocity, asleep, apart, step, account } = self;
        let Frames { boxes, inverse_inertia } = frames;
        Bodies { table, pose, velocity, asleep, apart, step, account, boxes, inverse_inertia }
    }

    /// Gives the bodies for which `of` holds the state that was `kept`, and their frames.
    pub(crate) fn give_back(
        &mut self,
        kept: &BodyState,
        table: &Table,
        frames: &mut Frames,
        of: impl Fn(usize) -> bool,
    ) {
        let BodyState { pose, velocity, asleep, apart: _, step, account } = kept;
        for i in (0..pose.len()).filter(|i| of(*i)) {
            self.velocity[i] = velocity[i];
            self.asleep[i] = asleep[i];
            self.step[i] = step[i];
            self.account[i] = account[i];
            if self.pose[i] != pose[i] {
                self.pose[i] = pose[i];
                frames.follow(table, i, &pose[i]);
            }
        }
    }
}

impl Frames {
    /// Makes these the frames of the bodies `of` others, which are at these poses now.
    pub(crate) fn take(&mut self, whole: &Frames, table: &Table, pose: &[Pose], of: &[u32]) {
        gather(&mut self.boxes, &whole.boxes, of);
        gather(&mut self.inverse_inertia, &whole.inverse_inertia, of);
        pose.iter().enumerate().for_each(|(i, pose)| self.follow(table, i, pose));
    }

    /// Brings box and inertia of a body up to date with its pose.
    pub(crate) fn follow(&mut self, table: &Table, i: usize, pose: &Pose) {
        let (boxed, inertia) = (&mut self.boxes[i], &mut self.inverse_inertia[i]);
        follow(pose, &table.shape[i], table.principal_inertia[i], boxed, inertia);
    }
}

/// Brings box and inertia of a body up to date with its pose.
pub(crate) fn follow(pose: &Pose, shape: &Shape, moments: DVec3, boxed: &mut Aabb, inertia: &mut InverseInertia) {
    *boxed = shape.aabb(pose);
    if let InverseInertia::General(_) = inertia {
        *inertia = InverseInertia::new(moments, pose.rotation);
    }
}

impl Bodies<'_> {
    /// True when the body moves by forces now.
    pub(crate) fn awake(&self, i: usize) -> bool {
        self.dynamic[i] && !self.asleep[i] && !self.apart[i]
    }

    /// How far the velocity of a body that moves lies behind its pose: by half of its last step, none before the first
    /// \[s\].
    pub(crate) fn lag(&self, i: usize) -> f64 {
        0.5 * self.step[i].max(0.0)
    }

    /// The motion of a body, for measures of energy.
    #[inline(always)]
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
    #[inline(always)]
    pub(crate) fn kinetic_energy(&self, i: usize) -> f64 {
        let motion = self.motion(i);
        motion.translational_energy() + motion.rotational_energy()
    }

    /// Angular momentum of a body that turned with the velocity `spin` \[kg m2/s\].
    pub(crate) fn momentum_of_spin(&self, i: usize, spin: DVec3) -> DVec3 {
        let rotation = self.pose[i].rotation;
        rotation * (self.principal_inertia[i] * (rotation.conjugate() * spin))
    }

    /// Lowest height along `up` of the static and driven bodies, or of the bodies if there is no such one \[m\].
    pub(crate) fn lowest_point(&self, up: DVec3) -> f64 {
        let height = |i: usize| {
            let Aabb { min, max } = self.boxes[i];
            let corner = DVec3::select(up.cmpge(DVec3::ZERO), min, max);
            let low: f64 =
                corner.to_array().iter().zip(up.to_array()).filter(|(_, u)| *u != 0.0).map(|(c, u)| c * u).sum();
            if low.is_finite() { low } else { self.pose[i].position.dot(up) }
        };
        let lowest = |wanted: &dyn Fn(usize) -> bool| {
            (0..self.len()).filter(|i| wanted(*i)).map(height).fold(f64::INFINITY, f64::min)
        };
        let of_static = lowest(&|i| self.present[i] && !self.dynamic[i]);
        let of_all = of_static.min(lowest(&|i| self.dynamic[i]));
        if of_static.is_finite() {
            of_static
        } else if of_all.is_finite() {
            of_all
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use granule_geometry::GrainOptions;

    use super::*;

    /// Of a long grain with few nodes the sides stand out by 0.09 m between them, and a tip might.
    #[test]
    fn the_ball_around_a_grain_holds_what_stands_out_between_its_nodes() {
        let capsule = Shape::capsule(0.2, 4.0).expect("the lengths are valid");
        let tip = capsule.bounding_radius();
        let options = GrainOptions { spacing: 0.05, nodes: 60 };
        let grain = Shape::level_set_of(&capsule, &options).expect("the grid resolves it");
        let (nodes, holding) = (grain.bounding_radius(), holding_radius(&grain));
        assert!(nodes < tip && holding > tip && holding < 1.1 * tip, "{nodes} and {holding} of {tip}");
        assert_eq!(holding_radius(&capsule), tip);
        assert_eq!(holding_radius(&Shape::half_space(DVec3::Z).expect("a normal")), f64::INFINITY);
    }
}
