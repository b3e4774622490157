//! How a simulation is set up, before its first step and between two: materials, bodies, force fields, the criterion
//! for rest.

use std::sync::Arc;

use granule_geometry::Shape;
use granule_model::{BodyId, BodyKind, Coefficients, DVec3, InverseInertia, Material, Pose, Velocity};

use crate::interface::simulation::Simulation;
use crate::step::drive;
use crate::world::account::Account;
use crate::world::bodies::{Driven, NO_STEP, holding_radius, label};
use crate::world::catalogue::SharedForceField;
use crate::world::check;
use crate::world::contact::Contact;
use crate::world::description::{BodyDescription, MaterialId, Motion};
use crate::world::error::EngineError;
use crate::world::rest::RestCriterion;
use crate::world::state::{DrivenClock, State};

/// What a body is that is being added.
struct Entry {
    name: String,
    kind: BodyKind,
    shape: Shape,
    material: u32,
    mass: f64,
    moments: DVec3,
}

impl Simulation {
    /// Adds a material.
    ///
    /// # Errors
    /// [`EngineError::Material`] for a value out of its range, [`EngineError::Pair`] where the mixing rule gives one
    /// for it and another material.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, EngineError> {
        let index = self.catalogue.materials.len();
        material.validate().map_err(|source| EngineError::Material { index, source })?;
        for (other, known) in self.catalogue.materials.iter().enumerate() {
            let mixed = Coefficients::mix(known, &material).validate();
            mixed.map_err(|source| EngineError::Pair { a: other, b: index, source })?;
        }
        self.catalogue.materials.push(material);
        Arc::make_mut(&mut self.catalogue.pairs).add(&self.catalogue.materials);
        self.state.control.choice_is_stale = true;
        Ok(MaterialId::of(self.catalogue.bodies.simulation, index as u32))
    }

    /// Sets what holds between two materials instead of the mixing rule.
    ///
    /// # Errors
    /// [`EngineError::NoSuchMaterial`] or [`EngineError::ForeignHandle`] when a material is not there,
    /// [`EngineError::Pair`] for a value out of its range.
    pub fn set_pair(&mut self, a: MaterialId, b: MaterialId, values: Coefficients) -> Result<(), EngineError> {
        let (a, b) = (self.material_index(a)?, self.material_index(b)?);
        values.validate().map_err(|source| EngineError::Pair { a, b, source })?;
        Arc::make_mut(&mut self.catalogue.pairs).set(a, b, values);
        self.state.control.choice_is_stale = true;
        self.wake_all();
        Ok(())
    }

    /// Number of a material that is there.
    fn material_index(&self, id: MaterialId) -> Result<usize, EngineError> {
        let index = id.index();
        if !id.serves(self.catalogue.bodies.simulation) {
            return Err(EngineError::ForeignHandle { what: "material", index: index as u32 });
        }
        if index < self.catalogue.materials.len() { Ok(index) } else { Err(EngineError::NoSuchMaterial { index }) }
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`EngineError::Body`] naming the body and the field that cannot be used; [`EngineError::NoSuchMaterial`] or
    /// [`EngineError::ForeignHandle`] when its material is not there.
    pub fn add_body(&mut self, description: BodyDescription) -> Result<BodyId, EngineError> {
        let material = self.material_index(description.material)?;
        let density = self.catalogue.materials[material].density;
        check::description(&description, self.catalogue.bodies.len(), density)?;
        let (mass, moments) = check::mass(&description, density);
        let BodyDescription { name, kind, shape, pose, velocity, motion, .. } = description;
        let own = Pose { rotation: pose.rotation.normalize(), ..pose };
        let pose = own.compose(&shape.frame().inverse());
        self.check_start(&name, kind, pose.position)?;
        let motion = (kind == BodyKind::Driven).then(|| motion.unwrap_or(Motion::Constant(velocity)));
        let velocity = match (kind, &motion) {
            (BodyKind::Static, _) => Velocity::ZERO,
            (_, Some(motion)) => drive::initial_velocity(motion, pose.position - own.position),
            _ => velocity,
        };
        self.enter_frames(&shape, kind, &pose, moments);
        if let Some(motion) = motion {
            let body = self.catalogue.bodies.len() as u32;
            self.catalogue.bodies.driven.push(Driven { body, motion, start: own });
            self.state.driven.push(DrivenClock { start_time: self.state.time, stands: false });
        }
        self.enter_table(Entry { name, kind, shape, material: material as u32, mass, moments });
        self.enter_state(pose, velocity);
        self.changed();
        Ok(self.catalogue.bodies.id(self.catalogue.bodies.len() - 1))
    }

    /// Notes where a body that is added lies, and wakes sleepers that it may touch.
    fn enter_frames(&mut self, shape: &Shape, kind: BodyKind, pose: &Pose, moments: DVec3) {
        let is_dynamic = kind == BodyKind::Dynamic;
        let bounds = shape.aabb(pose);
        self.catalogue.extent.note(self.catalogue.bodies.len(), shape, &bounds, is_dynamic);
        if !is_dynamic {
            // No contact is looked for between what does not move and sleepers.
            let bodies = self.bodies();
            let met = (0..bodies.len()).filter(|i| bodies.asleep[*i] && bodies.boxes[*i].overlaps(&bounds));
            let met: Vec<usize> = met.collect();
            met.into_iter().for_each(|i| self.sleepers().wake(i));
        }
        let frames = &mut self.scratch.frames;
        frames.boxes.push(bounds);
        let inertia = if is_dynamic { InverseInertia::new(moments, pose.rotation) } else { InverseInertia::ZERO };
        frames.inverse_inertia.push(inertia);
    }

    /// Enters what a body is.
    fn enter_table(&mut self, entry: Entry) {
        let Entry { name, kind, shape, material, mass, moments } = entry;
        let is_dynamic = kind == BodyKind::Dynamic;
        let b = &mut self.catalogue.bodies;
        b.inverse_mass.push(if is_dynamic { mass.recip() } else { 0.0 });
        b.dynamic.push(is_dynamic);
        b.movable.push(kind != BodyKind::Static);
        b.present.push(true);
        b.round.push(check::is_round(&shape));
        b.extent.push(shape.bounding_radius());
        b.holding.push(holding_radius(&shape));
        b.radius.push(shape.equivalent_radius());
        b.half_width.push(shape.half_width());
        if shape.is_ground() {
            b.meshes.push(b.shape.len() as u32);
        }
        b.shape.push(shape);
        b.material.push(material);
        b.mass.push(mass);
        b.principal_inertia.push(moments);
        b.kind.push(kind);
        b.name.push(name);
    }

    /// Enters the state of the body that was entered in the table last.
    fn enter_state(&mut self, pose: Pose, velocity: Velocity) {
        let (table, bodies) = (&self.catalogue.bodies, &mut self.state.bodies);
        bodies.pose.push(pose);
        bodies.velocity.push(velocity);
        bodies.asleep.push(false);
        bodies.apart.push(false);
        bodies.step.push(NO_STEP);
        self.state.rest.add();
        let i = table.len() - 1;
        let fall = table.mass[i] * self.catalogue.gravity().length() * table.radius[i];
        let opened = || Account::open(bodies.kinetic_energy(table, i), fall);
        let account = if table.dynamic[i] { opened() } else { Account::default() };
        bodies.account.push(account);
    }

    /// Refuses a dynamic body that is outside of the domain from the start.
    fn check_start(&self, name: &str, kind: BodyKind, position: DVec3) -> Result<(), EngineError> {
        let is_inside = self.catalogue.settings.domain.is_none_or(|domain| domain.contains(position));
        if kind != BodyKind::Dynamic || is_inside {
            return Ok(());
        }
        let reason = format!("puts the centre of mass at {position} m, outside of the domain");
        Err(EngineError::Body { body: label(name, self.catalogue.bodies.len()), field: "position", reason })
    }

    /// Takes a body out of the simulation. Where something touches it, everything wakes up.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when it was removed before, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), EngineError> {
        let i = self.catalogue.bodies.index(id)?;
        let touches = |c: &Contact| c.a as usize == i || c.b as usize == i;
        // What has made no step yet is in no contact, and nothing has come to rest on it.
        let is_touched = self.state.detected.contacts.list.iter().any(touches);
        self.balance_told();
        self.take_out(&[i as u32]);
        if is_touched {
            self.wake_all();
        }
        self.state.control.choice_is_stale = true;
        self.state.control.rest_time = 0.0;
        Ok(())
    }

    /// Wakes every body.
    fn wake_all(&mut self) {
        self.sleepers().wake_all();
        self.asleep = None;
    }

    /// Bookkeeping after bodies were added. The energy book goes on: it counts changes within steps.
    fn changed(&mut self) {
        let State { detected, control, .. } = &mut self.state;
        Arc::make_mut(&mut detected.pairs).invalidate();
        detected.is_stale = true;
        (control.mends_start, control.choice_is_stale) = (true, true);
        control.rest_time = 0.0;
        self.forget_sleep();
    }

    /// Adds a field of force that acts on every dynamic body beside gravity and drag. A force that is not finite ends
    /// the step in which it is asked for with [`EngineError::Field`].
    pub fn add_force_field(&mut self, field: SharedForceField) {
        self.catalogue.fields.push(field);
        self.state.control.choice_is_stale = true;
        self.wake_all();
    }

    /// Replaces the criterion for rest.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for a value out of its range; the old criterion then stays.
    pub fn set_rest_criterion(&mut self, criterion: RestCriterion) -> Result<(), EngineError> {
        check::rest(&criterion)?;
        self.rest_criterion = criterion;
        Ok(())
    }
}
