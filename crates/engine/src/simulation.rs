//! A simulation: its state, and how it is set up and read.
//!
//! The step itself is in `step`.

use std::sync::Arc;

use granule_geometry::Shape;
use granule_model::{Aabb, BodyId, BodyKind, Coefficients, DVec3, InverseInertia, Material, Pose, Velocity};
use granule_solver::ProblemError;

use crate::accounts::Accounts;
use crate::audit::Audit;
use crate::bodies::{Bodies, Driven};
use crate::closing::Closing;
use crate::description::{BodyDescription, MaterialId, Motion, Settings};
use crate::detection::Detection;
use crate::drift::Drift;
use crate::drive;
use crate::error::EngineError;
use crate::impact::Impact;
use crate::islands::Problems;
use crate::pairs::Pairs;
use crate::report::{ImpactCounts, StepReport};
use crate::rest::RestCriterion;
use crate::restore::Restore;
use crate::sleep::Sleep;
use crate::snapshot::{BodySnapshot, Snapshot};
use crate::step::Pass;
use crate::time_step::Scales;

/// A force field of the embedding program; see [`Simulation::add_force_field`].
pub type SharedForceField = Arc<dyn granule_forces::ForceField>;

/// A granular system and its state.
#[derive(Default)]
pub struct Simulation {
    pub(crate) settings: Settings,
    pub(crate) materials: Vec<Material>,
    pub(crate) pairs: Pairs,
    pub(crate) fields: Vec<SharedForceField>,
    pub(crate) bodies: Bodies,
    pub(crate) detection: Detection,
    pub(crate) impact: Impact,
    pub(crate) problems: Problems,
    pub(crate) closing: Closing,
    pub(crate) drift: Drift,
    pub(crate) sleep: Sleep,
    pub(crate) audit: Audit,
    pub(crate) restore: Vec<Restore>,
    /// Whether the next step begins in halves, because the last one had to be divided.
    pub(crate) begins_in_halves: bool,
    pub(crate) unforced: Vec<Velocity>,
    /// Time \[s\].
    pub(crate) time: f64,
    pub(crate) steps: u64,
    /// Length of a whole step \[s\]; zero until it is chosen.
    pub(crate) time_step: f64,
    /// Length of the last sub-step, for which the impulses in the contacts hold; zero before the first.
    pub(crate) impulse_time: f64,
    /// Lowest height of the static bodies along gravity \[m\].
    pub(crate) datum: f64,
    /// Steps in a row that qualified as rest, as time \[s\].
    pub(crate) rest_criterion: RestCriterion,
    pub(crate) rest_time: f64,
    /// What a step said in which everything slept from the first to the last, until something is awake.
    pub(crate) asleep: Option<StepReport>,
    pub(crate) largest_overlap: f64,
    pub(crate) impacts: ImpactCounts,
    pub(crate) accounts: Accounts,
    /// What the pass through the phases does that is under way.
    pub(crate) pass: Pass,
    /// Time for which contacts have to be known in a flight \[s\].
    pub(crate) horizon: f64,
}

impl Simulation {
    /// An empty simulation.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for a setting out of its range.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        let bad = |field, value, expected| Err(EngineError::Setting { field, value, expected });
        if !settings.gravity.is_finite() {
            return bad("gravity", settings.gravity.length(), "finite");
        }
        if let Some(dt) = settings.time_step
            && !(dt.is_finite() && dt > 0.0)
        {
            return bad("time_step", dt, "a finite time above 0 s");
        }
        if let Err(ProblemError::Parameter { name, value, expected }) = settings.law.validate() {
            return bad(name, value, expected);
        }
        let pairs = Pairs::new(settings.gravity.length());
        Ok(Simulation { settings, pairs, ..Simulation::default() })
    }

    /// Adds a material.
    ///
    /// # Errors
    /// [`EngineError::Material`] for a value out of its range.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, EngineError> {
        let index = self.materials.len();
        material.validate().map_err(|source| EngineError::Material { index, source })?;
        self.materials.push(material);
        self.pairs.add(&self.materials);
        Ok(MaterialId(index as u32))
    }

    /// Sets what holds between two materials instead of the mixing rule.
    ///
    /// # Errors
    /// [`EngineError::Setting`] when a material is not there.
    pub fn set_pair(&mut self, a: MaterialId, b: MaterialId, values: Coefficients) -> Result<(), EngineError> {
        for id in [a, b] {
            self.check_material(id)?;
        }
        self.pairs.set(a, b, values);
        self.wake_all();
        Ok(())
    }

    fn check_material(&self, id: MaterialId) -> Result<(), EngineError> {
        if (id.0 as usize) < self.materials.len() {
            return Ok(());
        }
        Err(EngineError::Setting { field: "material", value: f64::from(id.0), expected: "one that was added" })
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`EngineError::Body`] naming the body and the field that cannot be used.
    pub fn add_body(&mut self, description: BodyDescription) -> Result<BodyId, EngineError> {
        self.check_material(description.material)?;
        check_description(&description, self.bodies.len())?;
        let material = &self.materials[description.material.0 as usize];
        let BodyDescription { name, kind, shape, material: material_id, pose, velocity, mass, motion } = description;
        let rotation = pose.rotation.normalize();
        let own = Pose { rotation, ..pose };
        let properties = shape.mass_properties(material.density);
        let dynamic = kind == BodyKind::Dynamic;
        let (mass, moments) = match (dynamic, properties) {
            (true, Some(p)) => {
                let scale = mass.map_or(1.0, |m| m / p.mass);
                (p.mass * scale, p.principal_inertia * scale)
            }
            _ => (0.0, DVec3::ZERO),
        };
        let body_pose = own.compose(&shape.frame().inverse());
        let motion = (kind == BodyKind::Driven).then(|| motion.unwrap_or(Motion::Constant(velocity)));
        let velocity = match (kind, &motion) {
            (BodyKind::Static, _) => Velocity::ZERO,
            (_, Some(motion)) => drive::initial_velocity(motion, self.time, body_pose.position - own.position),
            _ => velocity,
        };
        let b = &mut self.bodies;
        b.boxes.push(shape.aabb(&body_pose));
        b.inverse_mass.push(if dynamic { mass.recip() } else { 0.0 });
        b.inverse_inertia.push(if dynamic {
            InverseInertia::new(moments, body_pose.rotation)
        } else {
            InverseInertia::ZERO
        });
        b.pose.push(body_pose);
        b.velocity.push(velocity);
        b.transport.push(velocity);
        b.dynamic.push(dynamic);
        b.movable.push(kind != BodyKind::Static);
        b.present.push(true);
        b.asleep.push(false);
        b.round.push(shape.name() == "sphere");
        b.extent.push(shape.bounding_radius());
        b.radius.push(shape.equivalent_radius());
        b.shape.push(shape);
        b.material.push(material_id);
        b.mass.push(mass);
        b.principal_inertia.push(moments);
        b.kind.push(kind);
        b.name.push(name);
        b.driven.push(motion.map(|motion| Box::new(Driven { motion, start: own })));
        self.changed();
        Ok(self.bodies.id(self.bodies.len() - 1))
    }

    /// Takes a body out of the simulation. What rested on it wakes up.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when there is none of that handle.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), EngineError> {
        let i = self.bodies.index(id).ok_or(EngineError::NoSuchBody(id))?;
        self.bodies.present[i] = false;
        self.bodies.dynamic[i] = false;
        self.bodies.movable[i] = false;
        self.wake_all();
        self.changed();
        Ok(())
    }

    /// Wakes every body.
    fn wake_all(&mut self) {
        self.sleep.wake_all(&mut self.bodies);
        self.asleep = None;
    }

    /// Bookkeeping after bodies were added or removed. The energy book goes on: it counts changes within steps.
    fn changed(&mut self) {
        self.detection.invalidate();
        self.rest_time = 0.0;
    }

    /// Adds a field of force that acts on every dynamic body beside gravity and drag.
    pub fn add_force_field(&mut self, field: SharedForceField) {
        self.fields.push(field);
        self.wake_all();
    }

    /// Replaces the criterion for rest.
    pub fn set_rest_criterion(&mut self, criterion: RestCriterion) {
        self.rest_criterion = criterion;
    }

    /// Whether the simulation is at rest by its criterion.
    pub fn at_rest(&self) -> bool {
        self.rest_time >= self.rest_criterion.hold
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Number of bodies ever added; handles count up to it.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// Number of dynamic bodies present.
    pub fn dynamic_count(&self) -> usize {
        self.bodies.dynamic.iter().filter(|d| **d).count()
    }

    /// Largest overlap over all contacts of all steps so far, over the smaller body's equal-volume radius \[-\].
    pub fn largest_overlap(&self) -> f64 {
        self.largest_overlap
    }

    /// What became of the impacts of the run so far.
    pub fn impacts(&self) -> ImpactCounts {
        self.impacts
    }

    /// Energy book of the run so far.
    pub fn audit(&self) -> &Audit {
        &self.audit
    }

    /// Pose (of the shape's own axes; the position is that of their origin) of a body.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when there is none of that handle.
    pub fn pose(&self, id: BodyId) -> Result<Pose, EngineError> {
        let i = self.bodies.index(id).ok_or(EngineError::NoSuchBody(id))?;
        Ok(self.bodies.pose[i].compose(&self.bodies.shape[i].frame()))
    }

    /// Velocity of a body.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when there is none of that handle.
    pub fn velocity(&self, id: BodyId) -> Result<Velocity, EngineError> {
        let i = self.bodies.index(id).ok_or(EngineError::NoSuchBody(id))?;
        Ok(self.bodies.velocity[i])
    }

    /// The scales that bear on the time step.
    pub fn scales(&self) -> Scales {
        let up = self.up();
        let datum = self.lowest_point();
        let heights = (0..self.bodies.len())
            .filter(|i| self.bodies.dynamic[*i])
            .map(|i| self.bodies.pose[i].position.dot(up) - datum);
        let fall = heights.fold(0.0, f64::max);
        Scales::of(&self.bodies, self.pairs.have_friction(), self.settings.gravity.length(), fall)
    }

    /// The time step: the one set, or the one that the rule chooses \[s\].
    pub fn time_step(&self) -> f64 {
        if self.time_step > 0.0 {
            self.time_step
        } else {
            self.settings.time_step.unwrap_or_else(|| self.scales().time_step())
        }
    }

    /// Unit vector against gravity; z without gravity.
    pub(crate) fn up(&self) -> DVec3 {
        (-self.settings.gravity).try_normalize().unwrap_or(DVec3::Z)
    }

    /// Lowest height of the static bodies, or of the bodies if there is no static one \[m\].
    pub(crate) fn lowest_point(&self) -> f64 {
        let up = self.up();
        let height = |i: usize| {
            let Aabb { min, max } = self.bodies.boxes[i];
            let corner = DVec3::select(up.cmpge(DVec3::ZERO), min, max);
            let low: f64 =
                corner.to_array().iter().zip(up.to_array()).filter(|(_, u)| *u != 0.0).map(|(c, u)| c * u).sum();
            if low.is_finite() { low } else { self.bodies.pose[i].position.dot(up) }
        };
        let lowest = |wanted: &dyn Fn(usize) -> bool| {
            (0..self.bodies.len()).filter(|i| wanted(*i)).map(height).fold(f64::INFINITY, f64::min)
        };
        let of_static = lowest(&|i| self.bodies.present[i] && !self.bodies.dynamic[i]);
        let of_all = of_static.min(lowest(&|i| self.bodies.dynamic[i]));
        if of_static.is_finite() {
            of_static
        } else if of_all.is_finite() {
            of_all
        } else {
            0.0
        }
    }

    /// Dynamic bodies that have left the system: their centre is inside a half-space or container wall by more than their
    /// equal-volume radius, or lower than every static body by ten radii.
    pub fn lost_bodies(&self) -> Vec<BodyId> {
        let up = self.up();
        let datum = self.lowest_point();
        let mut buried = vec![false; self.bodies.len()];
        for c in &self.detection.contacts {
            let ends = [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)];
            for (i, other) in ends {
                buried[i] |= !self.bodies.dynamic[other] && c.gap < -self.bodies.radius[i];
            }
        }
        let lost = |i: &usize| {
            let (position, radius) = (self.bodies.pose[*i].position, self.bodies.radius[*i]);
            buried[*i] || position.dot(up) < datum - 10.0 * radius || !position.is_finite()
        };
        (0..self.bodies.len()).filter(|i| self.bodies.dynamic[*i]).filter(lost).map(|i| self.bodies.id(i)).collect()
    }

    /// The state now.
    pub fn snapshot(&self) -> Snapshot {
        let touching = self.touching_partners();
        let body = |i: usize| BodySnapshot {
            id: self.bodies.id(i),
            name: self.bodies.name[i].clone(),
            kind: self.bodies.kind[i],
            shape: self.bodies.shape[i].clone(),
            pose: self.bodies.pose[i],
            velocity: self.bodies.velocity[i],
            mass: self.bodies.mass[i],
            contacts: touching[i],
            present: self.bodies.present[i],
        };
        Snapshot { time: self.time, step: self.steps, bodies: (0..self.bodies.len()).map(body).collect() }
    }

    /// Number of distinct bodies that each body touches.
    pub fn touching_partners(&self) -> Vec<u32> {
        let mut partners = vec![0; self.bodies.len()];
        let mut last = (u32::MAX, u32::MAX);
        for c in self.detection.contacts.iter().filter(|c| c.touches()) {
            if (c.a, c.b) != last {
                last = (c.a, c.b);
                partners[c.a as usize] += 1;
                partners[c.b as usize] += 1;
            }
        }
        partners
    }

    /// The pairs of bodies that touch, by index in the order of adding.
    pub fn touching_pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<_> = self.detection.contacts.iter().filter(|c| c.touches()).map(|c| (c.a, c.b)).collect();
        pairs.dedup();
        pairs
    }

    /// Depths of the contact points that overlap, over the smaller body's equal-volume radius, above 0 \[-\].
    pub fn overlaps(&self) -> impl Iterator<Item = f64> + '_ {
        self.detection.contacts.iter().map(|c| -c.gap / c.radius).filter(|depth| *depth > 0.0)
    }

    /// The name of a body for messages.
    pub fn label(&self, id: BodyId) -> String {
        self.bodies.label(id.index as usize)
    }

    /// Shape of a body.
    pub fn shape(&self, id: BodyId) -> Option<&Shape> {
        self.bodies.shape.get(id.index as usize)
    }
}

/// Checks what the types of a description leave open.
fn check_description(d: &BodyDescription, index: usize) -> Result<(), EngineError> {
    let body = if d.name.is_empty() { format!("number {index}") } else { format!("`{}`", d.name) };
    let bad = |field, reason: &str| Err(EngineError::Body { body: body.clone(), field, reason: reason.to_owned() });
    if !d.pose.position.is_finite() {
        return bad("position", "must be finite");
    }
    let unit = (d.pose.rotation.length() - 1.0).abs() <= 1e-6;
    if !unit {
        return bad("orientation", "must be a unit quaternion");
    }
    if !d.velocity.is_finite() {
        return bad("velocity", "must be finite");
    }
    if d.kind == BodyKind::Dynamic && d.shape.mass_properties(1.0).is_none() {
        return bad(
            "shape",
            &format!("is a {}, which has no finite volume: only static and driven bodies may have it", d.shape.name()),
        );
    }
    if d.mass.is_some() && d.kind != BodyKind::Dynamic {
        return bad("mass", "is only for dynamic bodies");
    }
    if d.mass.is_some_and(|m| !(m.is_finite() && m > 0.0)) {
        return bad("mass", "must be a finite mass above 0 kg");
    }
    if d.motion.is_some() && d.kind != BodyKind::Driven {
        return bad("motion", "is only for driven bodies");
    }
    Ok(())
}
