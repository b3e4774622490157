//! A simulation: its parts, how it is set up, stepped and read.
//!
//! What a step does is in `step`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granule_geometry::Shape;
use granule_model::{BodyId, BodyKind, Coefficients, DVec3, InverseInertia, Material, Pose, Velocity};
use tracing::trace_span;

use crate::book::Book;
use crate::book::audit::Audit;
use crate::book::clock::Clock;
use crate::book::report::{ImpactCounts, PhaseSeconds, StepReport};
use crate::contacts::reach::Ahead;
use crate::interface::snapshot::{BodySnapshot, Snapshot};
use crate::islands::sleep::Sleepers;
use crate::step::scratch::Scratch;
use crate::step::{detect, drive, make};
use crate::world::account::Account;
use crate::world::bodies::{Bodies, Driven, NO_STEP, label};
use crate::world::catalogue::{Catalogue, SharedForceField};
use crate::world::check;
use crate::world::contact::Contact;
use crate::world::description::{BodyDescription, MaterialId, Motion, Settings};
use crate::world::error::EngineError;
use crate::world::parallel;
use crate::world::rest::RestCriterion;
use crate::world::state::{DrivenClock, State};

/// Number of the next simulation of the process; only handles have it. 0 is the number of none.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A granular system and its state.
pub struct Simulation {
    pub(crate) catalogue: Catalogue,
    pub(crate) state: State,
    pub(crate) book: Book,
    pub(crate) scratch: Scratch,
    rest_criterion: RestCriterion,
    /// Centres and normals of what pivots; scratch of the criterion.
    pivots: Vec<(u32, DVec3)>,
    /// What a step said in which everything slept from the first to the last, until something is awake.
    asleep: Option<StepReport>,
    /// Why no step can be made any more.
    failed: Option<EngineError>,
}

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
    /// An empty simulation.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for a setting out of its range.
    pub fn new(settings: Settings) -> Result<Self, EngineError> {
        check::settings(&settings)?;
        Ok(Simulation {
            catalogue: Catalogue::new(settings, NEXT.fetch_add(1, Ordering::Relaxed)),
            state: State::default(),
            book: Book::default(),
            scratch: Scratch::default(),
            rest_criterion: RestCriterion::default(),
            pivots: Vec::new(),
            asleep: None,
            failed: None,
        })
    }

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
        self.catalogue.pairs.add(&self.catalogue.materials);
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
        self.catalogue.pairs.set(a, b, values);
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
        b.radius.push(shape.equivalent_radius());
        b.half_width.push(shape.half_width());
        if shape.name() == "mesh" {
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
        let may_touch = self.state.detected.is_stale || self.state.detected.contacts.list.iter().any(touches);
        self.take_out(&[i as u32]);
        if may_touch {
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

    /// Has the next step look whether everything sleeps.
    pub(crate) fn forget_sleep(&mut self) {
        self.asleep = None;
    }

    /// What sleep reads and writes.
    pub(crate) fn sleepers(&mut self) -> Sleepers<'_> {
        let State { bodies, rest, .. } = &mut self.state;
        Sleepers { table: &self.catalogue.bodies, bodies, rest }
    }

    /// All bodies, to read.
    pub(crate) fn bodies(&self) -> Bodies<'_> {
        self.state.bodies.view(&self.catalogue.bodies, &self.scratch.frames)
    }

    /// Bookkeeping after bodies were added. The energy book goes on: it counts changes within steps.
    fn changed(&mut self) {
        let State { detected, control, .. } = &mut self.state;
        Arc::make_mut(&mut detected.pairs).invalidate();
        detected.is_stale = true;
        (control.mends_start, control.choice_is_stale) = (true, true);
        control.rest_time = 0.0;
    }

    /// Looks for contacts where they are not known as of now.
    pub(crate) fn look(&mut self, ahead: Ahead) {
        let Scratch { frames, detection, .. } = &mut self.scratch;
        let State { bodies, detected, .. } = &mut self.state;
        let bodies = bodies.view(&self.catalogue.bodies, frames);
        detect::look(ahead, &bodies, detected, &mut detection.search, &mut Clock::start());
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

    /// Whether the simulation is at rest by its criterion.
    pub fn at_rest(&self) -> bool {
        self.state.control.rest_time >= self.rest_criterion.hold
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Settings.
    pub fn settings(&self) -> &Settings {
        &self.catalogue.settings
    }

    /// Number of bodies ever added; handles count up to it.
    pub fn body_count(&self) -> usize {
        self.catalogue.bodies.len()
    }

    /// Number of dynamic bodies present.
    pub fn dynamic_count(&self) -> usize {
        self.catalogue.bodies.dynamic.iter().filter(|d| **d).count()
    }

    /// Largest overlap over all contacts of all steps so far, over the smaller body's equal-volume radius \[-\].
    pub fn largest_overlap(&self) -> f64 {
        self.book.largest_overlap
    }

    /// Largest overlap over all contacts of all steps so far, over the smaller of the smaller body's equal-volume
    /// radius and half the smallest width of the convex pieces that touched \[-\]: a plate is judged by its thickness.
    pub fn largest_overlap_thin(&self) -> f64 {
        self.book.largest_overlap_thin
    }

    /// Steps in which driven bodies stood still because they were jammed, counted once for each such body.
    pub fn jam_stops(&self) -> u64 {
        self.book.jam_stops
    }

    /// What became of the impacts of the run so far.
    pub fn impacts(&self) -> ImpactCounts {
        self.book.impacts
    }

    /// Energy book of the run so far.
    pub fn audit(&self) -> &Audit {
        &self.book.audit
    }

    /// Pose (of the shape's own axes; the position is that of their origin) of a body.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when it was removed, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn pose(&self, id: BodyId) -> Result<Pose, EngineError> {
        let i = self.catalogue.bodies.index(id)?;
        Ok(self.state.bodies.pose[i].compose(&self.catalogue.bodies.shape[i].frame()))
    }

    /// Velocity of a body.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when it was removed, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn velocity(&self, id: BodyId) -> Result<Velocity, EngineError> {
        let i = self.catalogue.bodies.index(id)?;
        Ok(self.state.bodies.velocity[i])
    }

    /// Makes one step of the chosen length.
    ///
    /// # Errors
    /// [`EngineError::Motion`] and [`EngineError::Field`] when what the embedding program gives is not finite,
    /// [`EngineError::Jam`] when bodies are caught between a driven one and others; [`EngineError::LeftDomain`] when
    /// the step before took a body out of a domain that says so; [`EngineError::NotFinite`] when a state stops being
    /// finite for another reason: every later step then returns the same error. [`EngineError::Setting`] as
    /// [`Simulation::step_by`]. The state is in each case the one before the step.
    pub fn step(&mut self) -> Result<StepReport, EngineError> {
        let dt = self.choose_time_step();
        self.step_by(dt)
    }

    /// Makes one step of length `dt` \[s\]: for a last step that must end at a given time.
    ///
    /// # Errors
    /// As [`Simulation::step`]; [`EngineError::Setting`] when `dt` is not a finite time above zero, when it is lost in
    /// the rounding of the time, and when a body would go further than 1e12 m in it.
    pub fn step_by(&mut self, dt: f64) -> Result<StepReport, EngineError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.check_step(dt)?;
        if let Some(report) = self.sleep_on(dt) {
            return Ok(report);
        }
        self.check_domain()?;
        let largest = self.catalogue.bodies.len().max(self.state.detected.contacts.list.len());
        if largest >= parallel::LEAST && rayon::current_thread_index().is_none() {
            // On a thread of rayon's own: from outside each of some hundred parallel loops of a step waits to be woken,
            // which took 6 % of the time of 10 000 spheres and 15 % of that of 3000 cubes.
            return rayon::scope(|_| self.step_awake(dt));
        }
        self.step_awake(dt)
    }

    /// Makes a step of length `dt` \[s\] that has something to do.
    fn step_awake(&mut self, dt: f64) -> Result<StepReport, EngineError> {
        let _span = trace_span!("step").entered();
        let slept = self.is_asleep();
        let Simulation { catalogue, state, book, scratch, .. } = self;
        let mut report = make::make_step(state, catalogue, dt, scratch, book).inspect_err(|error| {
            self.failed = matches!(error, EngineError::NotFinite { .. }).then(|| error.clone());
        })?;
        self.remove_leavers();
        self.look_for_rest(dt);
        let bodies = self.bodies();
        report.touching = parallel::count(&self.state.detected.contacts.list, &Contact::touches);
        report.awake = (0..bodies.len()).filter(|i| bodies.awake(*i)).count();
        let undisturbed = self.catalogue.fields.is_empty() && self.catalogue.bodies.driven.is_empty();
        self.asleep = (slept && report.awake == 0 && undisturbed).then_some(report);
        self.review_time_step();
        Ok(report)
    }

    /// Says after a step of `dt` \[s\] for how long the criterion for rest has held.
    fn look_for_rest(&mut self, dt: f64) {
        let bodies = self.state.bodies.view(&self.catalogue.bodies, &self.scratch.frames);
        let (contacts, gravity) = (&self.state.detected.contacts.list, self.catalogue.gravity().length());
        let qualifies = self.rest_criterion.qualifies(&bodies, contacts, gravity, &mut self.pivots);
        let time = &mut self.state.control.rest_time;
        *time = if qualifies { *time + dt } else { 0.0 };
    }

    /// A step of a simulation in which everything sleeps and nothing is driven: what the last one said, and time goes
    /// on. None when there is something to do.
    fn sleep_on(&mut self, dt: f64) -> Option<StepReport> {
        let last = self.asleep.filter(|last| last.dt == dt && !self.state.detected.is_stale)?;
        let _span = trace_span!("step").entered();
        let State { steps, time, control, .. } = &mut self.state;
        *steps += 1;
        *time += dt;
        if control.rest_time > 0.0 {
            control.rest_time += dt;
        }
        Some(StepReport { step: *steps, time: *time, seconds: PhaseSeconds::default(), ..last })
    }

    /// Whether there are dynamic bodies and all of them sleep.
    fn is_asleep(&self) -> bool {
        let bodies = self.bodies();
        let mut dynamic = (0..bodies.len()).filter(|i| bodies.dynamic[*i]).peekable();
        dynamic.peek().is_some() && dynamic.all(|i| bodies.asleep[i])
    }

    /// Checks the length of a step against the time and the speeds that there are.
    fn check_step(&self, dt: f64) -> Result<(), EngineError> {
        check::time_step(dt)?;
        let bad = |expected| Err(EngineError::Setting { field: "time_step", value: dt, expected });
        if self.state.time + dt == self.state.time {
            return bad("long enough to be told from the rounding of the time");
        }
        // What the first step took is short, and the usual case.
        if self.state.steps > 0 && self.state.control.chosen_step.is_some_and(|chosen| dt <= chosen) {
            return Ok(());
        }
        let bodies = self.bodies();
        let awake = (0..bodies.len()).filter(|i| bodies.awake(*i));
        let fastest = awake.map(|i| bodies.velocity[i].linear.length()).fold(0.0, f64::max);
        let speed = fastest + self.catalogue.gravity().length() * dt;
        // Written so that NaN is too far.
        if speed * dt <= check::LONGEST {
            Ok(())
        } else {
            bad("short enough for no body to go further than 1e12 m in it")
        }
    }

    /// Dynamic bodies that have left the system: their centre is inside a half-space or container wall by more than
    /// their equal-volume radius, or, where all static and driven bodies are bounded, lower than all of them by ten
    /// radii.
    pub fn lost_bodies(&self) -> Vec<BodyId> {
        let (bodies, up) = (self.bodies(), self.catalogue.up());
        let datum = bodies.lowest_point(up);
        let mut buried = vec![false; bodies.len()];
        for c in &self.state.detected.contacts.list {
            let ends = [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)];
            for (i, other) in ends {
                buried[i] |= !bodies.dynamic[other] && c.gap < -bodies.radius[i];
            }
        }
        // Under what has no end, as a wall that leans, nothing is below everything.
        let ends = |i: usize| bodies.boxes[i].min.is_finite() && bodies.boxes[i].max.is_finite();
        let held = |i: &usize| bodies.present[*i] && !bodies.dynamic[*i];
        let bounded = (0..bodies.len()).filter(held).all(ends);
        let lost = |i: &usize| {
            let (position, radius) = (bodies.pose[*i].position, bodies.radius[*i]);
            buried[*i] || (bounded && position.dot(up) < datum - 10.0 * radius) || !position.is_finite()
        };
        (0..bodies.len()).filter(|i| bodies.dynamic[*i]).filter(lost).map(|i| bodies.id(i)).collect()
    }

    /// The state now.
    pub fn snapshot(&self) -> Snapshot {
        let (bodies, touching) = (self.bodies(), self.touching_partners());
        let body = |i: usize| BodySnapshot {
            id: bodies.id(i),
            name: bodies.name[i].clone(),
            kind: bodies.kind[i],
            shape: bodies.shape[i].clone(),
            pose: bodies.pose[i],
            velocity: bodies.velocity[i],
            mass: bodies.mass[i],
            contacts: touching[i],
            present: bodies.present[i],
        };
        Snapshot { time: self.state.time, step: self.state.steps, bodies: (0..bodies.len()).map(body).collect() }
    }

    /// Number of distinct bodies that each body touches.
    pub fn touching_partners(&self) -> Vec<u32> {
        let mut partners = vec![0; self.catalogue.bodies.len()];
        let mut last = (u32::MAX, u32::MAX);
        for c in self.state.detected.contacts.list.iter().filter(|c| c.touches()) {
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
        let mut pairs: Vec<_> =
            self.state.detected.contacts.list.iter().filter(|c| c.touches()).map(|c| (c.a, c.b)).collect();
        pairs.dedup();
        pairs
    }

    /// Depths of the contact points that overlap, over the smaller body's equal-volume radius, above 0 \[-\].
    pub fn overlaps(&self) -> impl Iterator<Item = f64> + '_ {
        self.state.detected.contacts.list.iter().map(|c| -c.gap / c.radius).filter(|depth| *depth > 0.0)
    }

    /// The name of a body for messages, also of one that was removed.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when there never was one of that handle, [`EngineError::ForeignHandle`] when it is
    /// of another simulation.
    pub fn label(&self, id: BodyId) -> Result<String, EngineError> {
        Ok(self.catalogue.bodies.label(self.catalogue.bodies.index_ever(id)?))
    }

    /// Shape of a body, also of one that was removed.
    ///
    /// # Errors
    /// As [`Simulation::label`].
    pub fn shape(&self, id: BodyId) -> Result<&Shape, EngineError> {
        Ok(&self.catalogue.bodies.shape[self.catalogue.bodies.index_ever(id)?])
    }
}
