//! The forces of the last step, at contacts and on bodies.
//!
//! Forces are recorded only where they are asked for ([`Simulation::record_forces`]), because noting them takes a pass
//! over the contacts of each part of a step. What is told is the impulse of the whole step over its length: of every
//! part of a divided step that stands, of contact stage, impact and release.
//!
//! A contact between bodies that sleep keeps the force of the step in which the second of them fell asleep. Who asks is
//! told these forces balanced (`step::balance`): the first question after a step in which bodies sleep costs what their
//! contact stage would. A sleeper beside a body awake may be off by what does not wake it.

use granule_model::{BodyId, DVec3};
use granule_solver::ContactState;

use crate::book::energy::Datum;
use crate::interface::simulation::Simulation;
use crate::step::balance::Pressed;
use crate::step::part::{Part, Pass};
use crate::world::error::EngineError;
use crate::world::load::{Load, Told};

/// A contact point of the last step, with what it did in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Body A.
    pub a: BodyId,
    /// Body B.
    pub b: BodyId,
    /// Where the bodies touch after the step, midway between their surfaces; where they have come apart, where they
    /// touched last \[m\].
    pub point: DVec3,
    /// Unit normal from B to A.
    pub normal: DVec3,
    /// Distance of the surfaces along the normal at that point, negative for overlap \[m\].
    pub gap: f64,
    /// Impulse on A in the step \[N s\]; B feels the opposite.
    pub impulse: DVec3,
    /// Mean force on A over the step \[N\].
    pub force: DVec3,
    /// Mean torque on A over the step beside that of the force at the point \[N m\]: rolling and torsional friction,
    /// and what it makes that the point moved within the step.
    pub couple: DVec3,
    /// Whether friction held, was at its limit, as any load is without friction, or nothing was carried.
    pub state: ContactState,
    /// Whether neither body is awake after the step: the force is then one that was kept.
    pub asleep: bool,
}

impl ContactForce {
    /// Mean force on `body` \[N\]; zero where it is no part of the contact.
    pub fn on(&self, body: BodyId) -> DVec3 {
        self.sign(body) * self.force
    }

    /// Mean torque on `body` about the point `about` \[N m\].
    pub fn torque_on(&self, body: BodyId, about: DVec3) -> DVec3 {
        self.sign(body) * ((self.point - about).cross(self.force) + self.couple)
    }

    fn sign(&self, body: BodyId) -> f64 {
        match (self.a == body, self.b == body) {
            (true, _) => 1.0,
            (_, true) => -1.0,
            _ => 0.0,
        }
    }
}

impl Simulation {
    /// Whether the steps from now on record the forces at contacts; they do not unless that is asked. Recording changes
    /// no motion. What is asked for is of the last step that was recorded: before the first one, also after recording
    /// was switched off and on again, it is [`EngineError::ForcesNotRecorded`].
    pub fn record_forces(&mut self, record: bool) {
        if self.scratch.loads.is_on == record {
            return;
        }
        self.scratch.loads.is_on = record;
        self.book.loads = None;
        self.forget_sleep();
    }

    /// The contact points of the last step, in the order of their bodies: all that carried something in it, and those
    /// that touch after it.
    ///
    /// # Errors
    /// [`EngineError::ForcesNotRecorded`] unless [`Simulation::record_forces`] was asked for, and a step made since.
    pub fn contacts(&self) -> Result<impl Iterator<Item = ContactForce> + '_, EngineError> {
        let told = self.told()?;
        Ok(self.told_balanced(told).iter().map(|load| self.force_of(load, told.dt)))
    }

    /// Those of `body`.
    ///
    /// # Errors
    /// As [`Simulation::contacts`]; [`EngineError::NoSuchBody`] when it was removed, [`EngineError::ForeignHandle`]
    /// when it is of another simulation.
    pub fn contacts_of(&self, body: BodyId) -> Result<impl Iterator<Item = ContactForce> + '_, EngineError> {
        self.catalogue.bodies.index(body)?;
        Ok(self.contacts()?.filter(move |contact| contact.a == body || contact.b == body))
    }

    /// Mean force of all contacts on `body` over the last step \[N\]; gravity, fields and drag are not among them.
    ///
    /// # Errors
    /// As [`Simulation::contacts_of`].
    pub fn force_on(&self, body: BodyId) -> Result<DVec3, EngineError> {
        Ok(self.contacts_of(body)?.map(|contact| contact.on(body)).sum())
    }

    /// Mean torque of all contacts on `body` over the last step about the point `about` of the world \[N m\]: that of
    /// the impulses as they acted. About the centre of a body that moved it is exact for the centre before an undivided
    /// step only.
    ///
    /// # Errors
    /// As [`Simulation::contacts_of`]; [`EngineError::Setting`] when `about` is not finite.
    pub fn torque_on(&self, body: BodyId, about: DVec3) -> Result<DVec3, EngineError> {
        if let Some(value) = about.to_array().into_iter().find(|x| !x.is_finite()) {
            return Err(EngineError::Setting { field: "about", value, expected: "a point with finite coordinates" });
        }
        Ok(self.contacts_of(body)?.map(|contact| contact.torque_on(body, about)).sum())
    }

    /// What the contacts of the last step did, those between sleepers balanced.
    fn balanced(&self, told: &Told) -> Vec<Load> {
        let mut loads = told.loads.clone();
        self.pressed(told).balance(&self.catalogue, &self.part_told(told), &self.scratch.frames, &mut loads);
        loads
    }

    /// What draws and presses on sleepers in the last step.
    pub(super) fn pressed(&self, told: &Told) -> Pressed {
        Pressed::after(&self.catalogue, &self.part_told(told), &self.state, &self.scratch.frames, &told.loads)
    }

    /// The last step, as one part.
    fn part_told(&self, told: &Told) -> Part {
        let (state, datum) = (&self.state, Datum { gravity: self.catalogue.gravity(), point: DVec3::ZERO });
        let (accuracy, pass) = (self.catalogue.settings.accuracy, Pass::Whole);
        Part { step: state.steps, time: state.time, dt: told.dt, pass, of_step: 1.0, patience: 1, datum, accuracy }
    }

    /// What the contacts of the last step did.
    ///
    /// # Errors
    /// As [`Simulation::contacts`].
    pub(super) fn told(&self) -> Result<&Told, EngineError> {
        if !self.scratch.loads.is_on {
            return Err(EngineError::ForcesNotRecorded);
        }
        self.book.loads.as_ref().ok_or(EngineError::ForcesNotRecorded)
    }

    /// Its loads balanced.
    pub(super) fn told_balanced<'a>(&'a self, told: &'a Told) -> &'a [Load] {
        told.balanced.get_or_init(|| self.balanced(told))
    }

    /// Balances what the last step told before bodies are taken out: it is that step that is told.
    pub(crate) fn balance_told(&self) {
        if let Some(told) = &self.book.loads {
            self.told_balanced(told);
        }
    }

    fn force_of(&self, load: &Load, dt: f64) -> ContactForce {
        let (table, bodies, contact) = (&self.catalogue.bodies, &self.state.bodies, &load.contact);
        let (a, b) = (contact.a as usize, contact.b as usize);
        ContactForce {
            a: table.id(a),
            b: table.id(b),
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            impulse: load.impulse,
            force: load.impulse / dt,
            couple: load.couple / dt,
            state: load.state,
            asleep: !bodies.awake(table, a) && !bodies.awake(table, b),
        }
    }
}
