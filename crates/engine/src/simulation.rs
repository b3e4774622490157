//! A simulation: its state, and how it is set up and read.
//!
//! The step itself is in `step`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granule_forces::Force;
use granule_geometry::Shape;
use granule_model::{Aabb, BodyId, BodyKind, Coefficients, DVec3, InverseInertia, Material, Pose, Velocity};

use crate::accounts::Accounts;
use crate::audit::Audit;
use crate::bodies::{Bodies, Driven, NO_STEP, label};
use crate::check;
use crate::closing::Closing;
use crate::description::{BodyDescription, MaterialId, Motion, Settings};
use crate::detection::Detection;
use crate::divide::Divide;
use crate::domain::Departures;
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
use crate::step_choice::Choice;
use crate::substep::Pass;

/// A force field of the embedding program; see [`Simulation::add_force_field`].
pub type SharedForceField = Arc<dyn granule_forces::ForceField>;

/// Number of the next simulation of the process; only handles have it. 0 is the number of none.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A granular system and its state.
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
    pub(crate) departures: Departures,
    pub(crate) restore: Vec<Restore>,
    /// Whether bodies that were added may still be in each other.
    pub(crate) mends_start: bool,
    /// Whether the next step begins in halves, because the last one had to be divided.
    pub(crate) begins_in_halves: bool,
    pub(crate) dividing: Divide,
    /// Whether a driven body stood still in the last step, because it was jammed.
    pub(crate) stood: bool,
    /// Steps in which driven bodies stood still, counted once for each such body.
    pub(crate) jam_stops: u64,
    /// Parts of the step under way that were made with more sweeps than usual.
    pub(crate) insisted: u32,
    /// Factor on the sweeps of the contact stage.
    pub(crate) patience: u32,
    /// Poses before the move, where there are meshes.
    pub(crate) departed: Vec<Pose>,
    /// E* of each body at the start of the sub-step under way \[J\].
    pub(crate) star_before: Vec<f64>,
    /// What the force fields do to each body in it, and their work \[J\]; empty without any.
    pub(crate) field_forces: Vec<Force>,
    pub(crate) field_work: Vec<f64>,
    /// Velocities before the forces of the step, and with them.
    pub(crate) unforced: Vec<Velocity>,
    pub(crate) forced: Vec<Velocity>,
    /// Where the bodies without contact go in the sub-step under way.
    pub(crate) moved: Vec<(Pose, Velocity)>,
    /// Time \[s\].
    pub(crate) time: f64,
    pub(crate) steps: u64,
    /// The step that was chosen; none before the first step.
    pub(crate) choice: Option<Choice>,
    /// Whether what the step was chosen from has changed since.
    pub(crate) choice_is_stale: bool,
    /// Why no step can be made any more.
    pub(crate) failed: Option<EngineError>,
    /// Height along gravity from which potential energy counts, fixed by the first step \[m\]; none before it.
    pub(crate) datum: Option<f64>,
    /// Steps in a row that qualified as rest, as time \[s\].
    pub(crate) rest_criterion: RestCriterion,
    pub(crate) rest_time: f64,
    /// Scratch of the criterion.
    pub(crate) pivots: Vec<(u32, DVec3)>,
    /// What a step said in which everything slept from the first to the last, until something is awake.
    pub(crate) asleep: Option<StepReport>,
    pub(crate) largest_overlap: f64,
    pub(crate) largest_overlap_thin: f64,
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
        check::settings(&settings)?;
        let bodies = Bodies { simulation: NEXT.fetch_add(1, Ordering::Relaxed), ..Bodies::default() };
        Ok(Simulation {
            pairs: Pairs::new(settings.gravity.length()),
            settings,
            bodies,
            materials: Vec::new(),
            fields: Vec::new(),
            detection: Detection::default(),
            impact: Impact::default(),
            problems: Problems::default(),
            closing: Closing::default(),
            accounts: Accounts::default(),
            drift: Drift::default(),
            sleep: Sleep::default(),
            audit: Audit::default(),
            restore: Vec::new(),
            mends_start: false,
            begins_in_halves: false,
            dividing: Divide::default(),
            stood: false,
            jam_stops: 0,
            insisted: 0,
            patience: 1,
            departed: Vec::new(),
            star_before: Vec::new(),
            field_forces: Vec::new(),
            field_work: Vec::new(),
            unforced: Vec::new(),
            forced: Vec::new(),
            moved: Vec::new(),
            time: 0.0,
            steps: 0,
            choice: None,
            choice_is_stale: false,
            failed: None,
            datum: None,
            rest_criterion: RestCriterion::default(),
            rest_time: 0.0,
            pivots: Vec::new(),
            asleep: None,
            largest_overlap: 0.0,
            largest_overlap_thin: 0.0,
            departures: Departures::default(),
            impacts: ImpactCounts::default(),
            pass: Pass::default(),
            horizon: 0.0,
        })
    }

    /// Adds a material.
    ///
    /// # Errors
    /// [`EngineError::Material`] for a value out of its range, [`EngineError::Pair`] where the mixing rule gives one
    /// for it and another material.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId, EngineError> {
        let index = self.materials.len();
        material.validate().map_err(|source| EngineError::Material { index, source })?;
        for (other, known) in self.materials.iter().enumerate() {
            let mixed = Coefficients::mix(known, &material).validate();
            mixed.map_err(|source| EngineError::Pair { a: other, b: index, source })?;
        }
        self.materials.push(material);
        self.pairs.add(&self.materials);
        self.choice_is_stale = true;
        Ok(MaterialId::of(self.bodies.simulation, index as u32))
    }

    /// Sets what holds between two materials instead of the mixing rule.
    ///
    /// # Errors
    /// [`EngineError::NoSuchMaterial`] or [`EngineError::ForeignHandle`] when a material is not there,
    /// [`EngineError::Pair`] for a value out of its range.
    pub fn set_pair(&mut self, a: MaterialId, b: MaterialId, values: Coefficients) -> Result<(), EngineError> {
        let (a, b) = (self.material_index(a)?, self.material_index(b)?);
        values.validate().map_err(|source| EngineError::Pair { a, b, source })?;
        self.pairs.set(a, b, values);
        self.choice_is_stale = true;
        self.wake_all();
        Ok(())
    }

    /// Number of a material that is there.
    fn material_index(&self, id: MaterialId) -> Result<usize, EngineError> {
        let index = id.index();
        if !id.serves(self.bodies.simulation) {
            return Err(EngineError::ForeignHandle { what: "material", index: index as u32 });
        }
        if index < self.materials.len() { Ok(index) } else { Err(EngineError::NoSuchMaterial { index }) }
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`EngineError::Body`] naming the body and the field that cannot be used; [`EngineError::NoSuchMaterial`] or
    /// [`EngineError::ForeignHandle`] when its material is not there.
    pub fn add_body(&mut self, description: BodyDescription) -> Result<BodyId, EngineError> {
        let material_index = self.material_index(description.material)?;
        let density = self.materials[material_index].density;
        check::description(&description, self.bodies.len(), density)?;
        let (mass, moments) = check::mass(&description, density);
        let BodyDescription { name, kind, shape, pose, velocity, motion, .. } = description;
        let rotation = pose.rotation.normalize();
        let own = Pose { rotation, ..pose };
        let dynamic = kind == BodyKind::Dynamic;
        let body_pose = own.compose(&shape.frame().inverse());
        self.check_start(&name, dynamic, body_pose.position)?;
        let motion = (kind == BodyKind::Driven).then(|| motion.unwrap_or(Motion::Constant(velocity)));
        let velocity = match (kind, &motion) {
            (BodyKind::Static, _) => Velocity::ZERO,
            (_, Some(motion)) => drive::initial_velocity(motion, body_pose.position - own.position),
            _ => velocity,
        };
        let b = &mut self.bodies;
        let bounds = shape.aabb(&body_pose);
        self.departures.note(b.len(), &shape, &bounds, dynamic);
        if !dynamic {
            // No contact is looked for between what does not move and sleepers.
            let met = (0..b.len()).filter(|i| b.asleep[*i] && b.boxes[*i].overlaps(&bounds));
            met.collect::<Vec<_>>().into_iter().for_each(|i| self.sleep.rouse(b, i));
        }
        b.boxes.push(bounds);
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
        b.apart.push(false);
        b.step.push(NO_STEP);
        b.round.push(check::is_round(&shape));
        b.extent.push(shape.bounding_radius());
        b.radius.push(shape.equivalent_radius());
        b.half_width.push(shape.half_width());
        if shape.name() == "mesh" {
            b.meshes.push(b.shape.len() as u32);
        }
        b.shape.push(shape);
        b.material.push(material_index as u32);
        b.mass.push(mass);
        b.principal_inertia.push(moments);
        b.kind.push(kind);
        b.name.push(name);
        let (start_time, target) = (self.time, body_pose);
        b.driven.push(
            motion.map(|motion| Box::new(Driven { motion, start: own, start_time, target, velocity, stands: false })),
        );
        self.changed();
        Ok(self.bodies.id(self.bodies.len() - 1))
    }

    /// Refuses a dynamic body that is outside of the domain from the start.
    fn check_start(&self, name: &str, dynamic: bool, position: DVec3) -> Result<(), EngineError> {
        if !dynamic || self.settings.domain.is_none_or(|domain| domain.contains(position)) {
            return Ok(());
        }
        let reason = format!("puts the centre of mass at {position} m, outside of the domain");
        Err(EngineError::Body { body: label(name, self.bodies.len()), field: "position", reason })
    }

    /// Takes a body out of the simulation. Where something touches it, everything wakes up.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when it was removed before, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), EngineError> {
        let i = self.bodies.index(id)?;
        let may_touch = self.detection.may_touch(i);
        self.take_out(&[i as u32]);
        if may_touch {
            self.wake_all();
        }
        self.choice_is_stale = true;
        self.rest_time = 0.0;
        Ok(())
    }

    /// Wakes every body.
    fn wake_all(&mut self) {
        self.sleep.wake_all(&mut self.bodies);
        self.asleep = None;
    }

    /// Bookkeeping after bodies were added. The energy book goes on: it counts changes within steps.
    fn changed(&mut self) {
        self.detection.invalidate();
        self.mends_start = true;
        self.choice_is_stale = true;
        self.rest_time = 0.0;
    }

    /// Adds a field of force that acts on every dynamic body beside gravity and drag. A force that is not finite ends
    /// the step in which it is asked for with [`EngineError::Field`].
    pub fn add_force_field(&mut self, field: SharedForceField) {
        self.fields.push(field);
        self.choice_is_stale = true;
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

    /// Largest overlap over all contacts of all steps so far, over the smaller of the smaller body's equal-volume
    /// radius and half the smallest width of the convex pieces that touched \[-\]: a plate is judged by its thickness.
    pub fn largest_overlap_thin(&self) -> f64 {
        self.largest_overlap_thin
    }

    /// Steps in which driven bodies stood still because they were jammed, counted once for each such body.
    pub fn jam_stops(&self) -> u64 {
        self.jam_stops
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
    /// [`EngineError::NoSuchBody`] when it was removed, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn pose(&self, id: BodyId) -> Result<Pose, EngineError> {
        let i = self.bodies.index(id)?;
        Ok(self.bodies.pose[i].compose(&self.bodies.shape[i].frame()))
    }

    /// Velocity of a body.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when it was removed, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn velocity(&self, id: BodyId) -> Result<Velocity, EngineError> {
        let i = self.bodies.index(id)?;
        Ok(self.bodies.velocity[i])
    }

    /// Unit vector against gravity; z without gravity.
    pub(crate) fn up(&self) -> DVec3 {
        (-self.settings.gravity).try_normalize().unwrap_or(DVec3::Z)
    }

    /// Height along gravity from which potential energy counts \[m\]: that of the first step, or the lowest point
    /// before it.
    pub(crate) fn datum(&self) -> f64 {
        self.datum.unwrap_or_else(|| self.lowest_point())
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

    /// Dynamic bodies that have left the system: their centre is inside a half-space or container wall by more than
    /// their equal-volume radius, or, where all static and driven bodies are bounded, lower than all of them by ten
    /// radii.
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
        // Under what has no end, as a wall that leans, nothing is below everything.
        let ends = |i: usize| self.bodies.boxes[i].min.is_finite() && self.bodies.boxes[i].max.is_finite();
        let held = |i: &usize| self.bodies.present[*i] && !self.bodies.dynamic[*i];
        let bounded = (0..self.bodies.len()).filter(held).all(ends);
        let lost = |i: &usize| {
            let (position, radius) = (self.bodies.pose[*i].position, self.bodies.radius[*i]);
            buried[*i] || (bounded && position.dot(up) < datum - 10.0 * radius) || !position.is_finite()
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

    /// The name of a body for messages, also of one that was removed.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when there never was one of that handle, [`EngineError::ForeignHandle`] when it is
    /// of another simulation.
    pub fn label(&self, id: BodyId) -> Result<String, EngineError> {
        Ok(self.bodies.label(self.bodies.index_ever(id)?))
    }

    /// Shape of a body, also of one that was removed.
    ///
    /// # Errors
    /// As [`Simulation::label`].
    pub fn shape(&self, id: BodyId) -> Result<&Shape, EngineError> {
        Ok(&self.bodies.shape[self.bodies.index_ever(id)?])
    }
}
