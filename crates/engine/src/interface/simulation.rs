//! A simulation: its parts, and what of them is read.
//!
//! How it is set up is in `setup`, how it is stepped in `stepping`, and what is measured of its bodies in `reading`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use granule_geometry::Shape;
use granule_model::{BodyId, DVec3, Pose, Velocity};

use crate::book::Book;
use crate::book::audit::Audit;
use crate::book::clock::Clock;
use crate::book::energy::Datum;
use crate::book::report::{ImpactCounts, StepReport};
use crate::islands::sleep::Sleepers;
use crate::step::detect;
use crate::step::flight::Flights;
use crate::step::scratch::Scratch;
use crate::world::bodies::Bodies;
use crate::world::catalogue::Catalogue;
use crate::world::check;
use crate::world::contact::Ahead;
use crate::world::contact::Contacts;
use crate::world::description::Settings;
use crate::world::error::EngineError;
use crate::world::rest::RestCriterion;
use crate::world::state::State;

/// Number of the next simulation of the process; only handles have it. 0 is the number of none.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A granular system and its state.
pub struct Simulation {
    pub(crate) catalogue: Catalogue,
    pub(crate) state: State,
    pub(crate) book: Book,
    pub(crate) scratch: Scratch,
    pub(super) rest_criterion: RestCriterion,
    /// Centres and normals of what pivots; scratch of the criterion.
    pub(super) pivots: Vec<(u32, DVec3)>,
    /// What a step said in which everything slept from the first to the last, until something is awake.
    pub(super) asleep: Option<StepReport>,
    /// Why no step can be made any more.
    pub(super) failed: Option<EngineError>,
    /// Who flies after the last step, where flights keep to their parabolas.
    pub(super) flights: Flights,
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
            flights: Flights::default(),
        })
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

    /// From where energies count; none before the book is opened.
    pub(crate) fn datum(&self) -> Option<Datum> {
        let point = self.book.datum? * self.catalogue.up();
        Some(Datum { gravity: self.catalogue.gravity(), point })
    }

    /// All bodies, to read.
    pub(crate) fn bodies(&self) -> Bodies<'_> {
        self.state.bodies.view(&self.catalogue.bodies, &self.scratch.frames)
    }

    /// Looks for the contacts of the bodies as they stand. The state stays as it is, so that asking changes nothing.
    pub(crate) fn contacts_now(&mut self, ahead: Ahead) -> Arc<Contacts> {
        let Scratch { frames, detection, .. } = &mut self.scratch;
        detection.search.reach.ask_for_nothing();
        let State { bodies, detected, .. } = &self.state;
        let mut detected = detected.clone();
        let bodies = bodies.view(&self.catalogue.bodies, frames);
        detect::look(ahead, &bodies, &mut detected, &mut detection.search, &mut Clock::start());
        detected.contacts
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

    /// Velocity of a body: in free flight, on which gravity alone acts, that of its parabola now, by touch stepping. It
    /// is ahead of that by which [`Simulation::momenta`] and the energies of steps go by what gravity does in half a
    /// step.
    ///
    /// # Errors
    /// [`EngineError::NoSuchBody`] when it was removed, [`EngineError::ForeignHandle`] when it is of another
    /// simulation.
    pub fn velocity(&self, id: BodyId) -> Result<Velocity, EngineError> {
        let i = self.catalogue.bodies.index(id)?;
        Ok(self.told_velocity(i))
    }

    /// The velocity of body `i` as it is told.
    pub(crate) fn told_velocity(&self, i: usize) -> Velocity {
        let bodies = self.bodies();
        let lag = if self.flights.flies(i) { bodies.lag(i) } else { 0.0 };
        let Velocity { linear, angular } = bodies.velocity[i];
        Velocity { linear: linear + lag * self.catalogue.gravity(), angular }
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
