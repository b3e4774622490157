//! Who leaves the scene, and what becomes of it.
//!
//! **With a domain** a dynamic body has left when its centre of mass is outside of the box. It is taken out, or the run
//! ends there.
//!
//! **Without one** only a fall leads out of a scene, and the engine has to tell a fall without end from a long one.
//! With gravity `g` along the unit vector `k`, and depth counted along `k`, a body has left when
//!
//! * nothing solid can stop it: no half-space (or plane of a container) of outward normal `n` has `n.k < 0`. A free
//!   body at `x + v t + k g t^2/2` meets every such plane, however far, because `n.k g t^2/2` outgrows the rest. Planes
//!   with `n.k = 0` stand beside the fall, those with `n.k > 0` above it. A plane that turns may come to lie below and
//!   counts so;
//! * it is deeper than the deepest point of every static and driven body by more than the diagonal of the box of all
//!   finite bodies, each where it was added. That is as deep as anything inside of the scene can hang or swing, so no
//!   turn of the scene itself brings a body there. A driven body counts with all points of its swing or turn, a
//!   half-space above with its distance along `k`. Where nothing is static or driven no body is below anything, and
//!   none leaves;
//! * it falls on: it moves along `k` faster than every driven body, and force fields do not outweigh gravity where it
//!   is.
//!
//! Without gravity nothing falls, and nothing leaves. Nothing here depends on a size in metres.
//!
//! Bodies are taken out between two steps. The energy book counts changes within steps and hence sees neither gain nor
//! loss; what they take with them is in [`Audit::removed`](crate::Audit::removed). The others keep their pairs,
//! contacts and sleep, but for those that touched the one that left.

use std::sync::Arc;

use granule_model::{Aabb, DVec3};

use crate::book::RemovedBody;
use crate::interface::simulation::Simulation;
use crate::world::bodies::{Bodies, Driven};
use crate::world::catalogue::Plane;
use crate::world::description::Motion;
use crate::world::domain::Leaving;
use crate::world::error::EngineError;

/// Cosine between a plane's normal and gravity below which the plane counts as upright: far above the rounding of a
/// rotation, far below any slope that is meant.
const UPRIGHT: f64 = 1e-9;

/// Where the scene ends below.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// Unit vector along gravity.
    down: DVec3,
    /// Depth of the deepest point of static and driven bodies of finite size \[m\]; minus infinity where there is none.
    depth: f64,
    /// Fastest fall of a driven body, at least zero \[m/s\].
    speed: f64,
    /// Distance below all that at which a body has left \[m\].
    margin: f64,
}

/// Speed up to which a body counts as at rest where others are taken out, over what gravity does in a step.
const RESTS: f64 = 1.0 / 64.0;

impl Simulation {
    /// Bodies that left the scene by themselves so far, in the order in which they left: out of [`Settings::domain`],
    /// or, without one, by a fall below everything. Those that [`Simulation::remove_body`] took away are not among
    /// them.
    ///
    /// [`Settings::domain`]: crate::Settings::domain
    pub fn removed_bodies(&self) -> &[RemovedBody] {
        &self.book.removed
    }

    /// Whether the state allows a further step by the domain: nothing is outside of one that says [`Leaving::Error`].
    ///
    /// # Errors
    /// [`EngineError::LeftDomain`] naming the first body that is outside.
    pub fn check_domain(&self) -> Result<(), EngineError> {
        let Some(domain) = self.catalogue.settings.domain.filter(|domain| domain.leaving == Leaving::Error) else {
            return Ok(());
        };
        let bodies = self.bodies();
        let is_outside = |i: &usize| bodies.dynamic[*i] && !domain.contains(bodies.pose[*i].position);
        let mut outside = (0..bodies.len()).filter(is_outside);
        let Some(i) = outside.next() else { return Ok(()) };
        Err(EngineError::LeftDomain {
            body: bodies.label(i),
            others: outside.count(),
            time: self.state.time,
            position: bodies.pose[i].position,
            velocity: self.told_velocity(i).linear,
        })
    }

    /// Ends a step: takes out who has left; whether anybody has.
    pub(crate) fn remove_leavers(&mut self) -> bool {
        let leavers = self.find_leavers();
        for i in leavers.iter().map(|i| *i as usize) {
            let (position, velocity) = (self.state.bodies.pose[i].position, self.told_velocity(i));
            let id = self.catalogue.bodies.id(i);
            self.book.removed.push(RemovedBody { id, time: self.state.time, position, velocity });
        }
        if !leavers.is_empty() {
            self.take_out(&leavers);
        }
        !leavers.is_empty()
    }

    /// Takes bodies out between two steps and wakes what is in contact with them. The energy book goes on.
    pub(crate) fn take_out(&mut self, gone: &[u32]) {
        for i in gone.iter().map(|i| *i as usize) {
            self.book.audit.removed += self.taken_along(i);
            // It keeps the velocity that is told of it.
            self.state.bodies.velocity[i] = self.told_velocity(i);
            self.state.bodies.step[i] = 0.0;
            let table = &mut self.catalogue.bodies;
            (table.present[i], table.dynamic[i], table.movable[i]) = (false, false, false);
        }
        let contacts = Arc::clone(&self.state.detected.contacts);
        for (i, other) in contacts.list.iter().flat_map(|c| [(c.a, c.b), (c.b, c.a)]) {
            if !self.catalogue.bodies.present[i as usize] && self.state.bodies.asleep[other as usize] {
                self.sleepers().wake(other as usize);
            }
        }
        drop(contacts);
        self.begin_anew();
        let present = &self.catalogue.bodies.present;
        Arc::make_mut(&mut self.state.detected.pairs).forget(gone);
        Arc::make_mut(&mut self.state.detected.contacts).retain(|(a, b)| present[a as usize] && present[b as usize]);
        self.forget_sleep();
    }

    /// Lets bodies at rest make their next step as their first one: what is held up no more falls from rest, and what
    /// still lies does not lag. With the length of the step before it fell as if it had begun half a step earlier. What
    /// that takes from E* goes with the bodies that were taken out.
    fn begin_anew(&mut self) {
        let gravity = self.catalogue.gravity();
        for i in 0..self.catalogue.bodies.len() {
            let (step, speed) = (self.state.bodies.step[i], self.state.bodies.velocity[i].linear.length());
            let rests = speed <= RESTS * gravity.length() * step && !self.flights.flies(i);
            if step > 0.0 && self.catalogue.bodies.dynamic[i] && rests {
                let before = self.taken_along(i);
                self.state.bodies.step[i] = 0.0;
                self.book.audit.removed += before - self.taken_along(i);
            }
        }
    }

    /// E* that a body takes with it; zero before the book is opened \[J\].
    fn taken_along(&self, i: usize) -> f64 {
        self.datum().map_or(0.0, |datum| datum.star_of(&self.bodies(), i))
    }

    /// Who has left, by dense index.
    fn find_leavers(&self) -> Vec<u32> {
        let bodies = self.bodies();
        let awake = (0..bodies.len()).filter(|i| bodies.awake(*i));
        if let Some(domain) = self.catalogue.settings.domain {
            let is_outside = |i: &usize| !domain.contains(bodies.pose[*i].position);
            let leave = awake.filter(|i| domain.leaving == Leaving::Remove && is_outside(i));
            return leave.map(|i| i as u32).collect();
        }
        let Some(edge) = self.edge() else { return Vec::new() };
        awake.filter(|i| self.falls_out(*i, &edge)).map(|i| i as u32).collect()
    }

    /// Where the scene ends below; none where no fall leads out of it.
    fn edge(&self) -> Option<Edge> {
        let down = self.catalogue.gravity().try_normalize()?;
        let (bodies, extent) = (&self.bodies(), &self.catalogue.extent);
        let mut is_below_something = false;
        for plane in extent.planes.iter().filter(|plane| bodies.present[plane.body]) {
            let turns = bodies.velocity[plane.body].angular != DVec3::ZERO;
            let slope = plane.slope(bodies, down);
            if turns || slope < -UPRIGHT {
                return None;
            }
            is_below_something |= slope > UPRIGHT;
        }
        let mut edge = Edge { down, depth: f64::NEG_INFINITY, speed: 0.0, margin: extent.diagonal() };
        for &i in extent.obstacles.iter().filter(|i| bodies.present[**i]) {
            is_below_something = true;
            edge.depth = edge.depth.max(deepest(bodies, i, down));
            edge.speed = edge.speed.max(bodies.velocity[i].linear.dot(down));
        }
        is_below_something.then_some(edge)
    }

    /// Whether a body is below everything, and falls on.
    fn falls_out(&self, i: usize, edge: &Edge) -> bool {
        let bodies = &self.bodies();
        let (place, extent) = (bodies.pose[i].position, bodies.extent[i]);
        let is_deep = place.dot(edge.down) - extent > edge.depth + edge.margin;
        is_deep
            && bodies.velocity[i].linear.dot(edge.down) > edge.speed
            && self.catalogue.extent.planes.iter().filter(|plane| bodies.present[plane.body]).all(|plane| {
                let slope = plane.slope(bodies, edge.down);
                slope <= UPRIGHT || plane.height(bodies, place) / slope - extent > edge.margin
            })
            && self.is_pulled(i, edge.down)
    }

    /// Whether gravity and force fields together pull a body along `down`.
    fn is_pulled(&self, i: usize, down: DVec3) -> bool {
        let bodies = self.bodies();
        let force = self.catalogue.field_force(i, &bodies.pose[i], &bodies.velocity[i], self.state.time).force;
        (self.catalogue.gravity() + force * bodies.inverse_mass[i]).dot(down) > 0.0
    }
}

impl Plane {
    /// Cosine between the outward normal and `down`: below zero where what falls meets the plane.
    fn slope(&self, bodies: &Bodies<'_>, down: DVec3) -> f64 {
        bodies.pose[self.body].transform_vector(self.normal).dot(down)
    }

    /// Height of a point over the plane along its normal \[m\].
    fn height(&self, bodies: &Bodies<'_>, point: DVec3) -> f64 {
        let pose = &bodies.pose[self.body];
        pose.transform_vector(self.normal).dot(point - pose.position) - self.offset
    }
}

/// Depth of the deepest point that a static or driven body has, or comes to by its swing or turn \[m\].
fn deepest(bodies: &Bodies<'_>, i: usize, down: DVec3) -> f64 {
    let Aabb { min, max } = bodies.boxes[i];
    let now = DVec3::select(down.cmpge(DVec3::ZERO), max, min).dot(down);
    let Some(Driven { motion, start, .. }) = bodies.driven_of(i) else { return now };
    let own = bodies.pose[i].compose(&bodies.shape[i].frame()).position;
    match motion {
        Motion::Sine { amplitude, phase, .. } => {
            let along = amplitude.dot(down);
            now + (start.position - own).dot(down) + along.abs() - along * libm::sin(*phase)
        }
        Motion::Constant(v) if v.angular != DVec3::ZERO => {
            own.dot(down) + (bodies.pose[i].position - own).length() + bodies.extent[i]
        }
        Motion::Constant(_) | Motion::Function(_) => now,
    }
}
