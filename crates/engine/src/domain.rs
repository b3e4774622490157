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

use granule_geometry::Shape;
use granule_model::{Aabb, BodyId, DVec3, Velocity};

use crate::bodies::{Bodies, Driven};
use crate::description::Motion;
use crate::error::EngineError;
use crate::simulation::Simulation;

/// Cosine between a plane's normal and gravity below which the plane counts as upright: far above the rounding of a
/// rotation, far below any slope that is meant.
const UPRIGHT: f64 = 1e-9;

/// The box in which dynamic bodies are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Lowest corner \[m\]; components may be minus infinity.
    pub min: DVec3,
    /// Highest corner \[m\], above `min` along every axis; components may be infinity.
    pub max: DVec3,
    /// What becomes of a body whose centre of mass is outside.
    pub leaving: Leaving,
}

/// What becomes of a body that leaves the domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaving {
    /// It is taken out and listed in [`Simulation::removed_bodies`].
    #[default]
    Remove,
    /// No further step is made: [`EngineError::LeftDomain`].
    Error,
}

/// A body that left the scene by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemovedBody {
    /// Handle; names no body of the simulation any more.
    pub id: BodyId,
    /// Simulated time after the step in which it left \[s\].
    pub time: f64,
    /// Its centre of mass then \[m\].
    pub position: DVec3,
    /// Its velocity then.
    pub velocity: Velocity,
}

impl Domain {
    /// Whether a point is inside; the faces are.
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// Refuses a box without inside.
    pub(crate) fn validate(&self) -> Result<(), EngineError> {
        for axis in 0..3 {
            // Written so that NaN is refused.
            let is_open = self.min[axis] < self.max[axis];
            if !is_open {
                let expected = "below `domain.max` along every axis";
                return Err(EngineError::Setting { field: "domain.min", value: self.min[axis], expected });
            }
        }
        Ok(())
    }
}

/// A plane of an unbounded body, in its body axes.
#[derive(Clone, Copy, Debug)]
struct Plane {
    body: usize,
    normal: DVec3,
    offset: f64,
}

/// What is known of the scene's extent, and who has left it.
#[derive(Debug)]
pub(crate) struct Departures {
    /// Box of all finite bodies, each where it was added \[m\].
    start: Aabb,
    /// Static and driven bodies of finite size, and the planes of the others.
    obstacles: Vec<usize>,
    planes: Vec<Plane>,
    /// Who leaves after the step under way; kept for its memory.
    leavers: Vec<u32>,
    removed: Vec<RemovedBody>,
}

impl Default for Departures {
    fn default() -> Self {
        Departures {
            start: Aabb::EMPTY,
            obstacles: Vec::new(),
            planes: Vec::new(),
            leavers: Vec::new(),
            removed: Vec::new(),
        }
    }
}

impl Departures {
    /// Notes a body that is being added with the given box.
    pub(crate) fn note(&mut self, body: usize, shape: &Shape, bounds: &Aabb, dynamic: bool) {
        if bounds.is_finite() {
            self.start = self.start.union(bounds);
            if !dynamic {
                self.obstacles.push(body);
            }
        }
        let planes = shape.half_spaces().into_iter().map(|(normal, offset)| Plane { body, normal, offset });
        self.planes.extend(planes);
    }

    /// Diagonal of the box of all finite bodies \[m\].
    fn diagonal(&self) -> f64 {
        self.start.size().length()
    }
}

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

impl Simulation {
    /// Bodies that left the scene by themselves so far, in the order in which they left: out of [`Settings::domain`],
    /// or, without one, by a fall below everything. Those that [`Simulation::remove_body`] took away are not among
    /// them.
    ///
    /// [`Settings::domain`]: crate::Settings::domain
    pub fn removed_bodies(&self) -> &[RemovedBody] {
        &self.departures.removed
    }

    /// Whether the state allows a further step by the domain: nothing is outside of one that says [`Leaving::Error`].
    ///
    /// # Errors
    /// [`EngineError::LeftDomain`] naming the first body that is outside.
    pub fn check_domain(&self) -> Result<(), EngineError> {
        let Some(domain) = self.settings.domain.filter(|domain| domain.leaving == Leaving::Error) else {
            return Ok(());
        };
        let bodies = &self.bodies;
        let is_outside = |i: &usize| bodies.dynamic[*i] && !domain.contains(bodies.pose[*i].position);
        let mut outside = (0..bodies.len()).filter(is_outside);
        let Some(i) = outside.next() else { return Ok(()) };
        Err(EngineError::LeftDomain {
            body: bodies.label(i),
            others: outside.count(),
            time: self.time,
            position: bodies.pose[i].position,
            velocity: bodies.velocity[i].linear,
        })
    }

    /// Ends a step: takes out who has left.
    pub(crate) fn remove_leavers(&mut self) {
        let mut leavers = std::mem::take(&mut self.departures.leavers);
        leavers.clear();
        self.find_leavers(&mut leavers);
        for i in &leavers {
            let i = *i as usize;
            let (position, velocity) = (self.bodies.pose[i].position, self.bodies.velocity[i]);
            self.departures.removed.push(RemovedBody { id: self.bodies.id(i), time: self.time, position, velocity });
        }
        if !leavers.is_empty() {
            self.take_out(&leavers);
        }
        self.departures.leavers = leavers;
    }

    /// Takes bodies out between two steps and wakes what is in contact with them. The energy book goes on.
    pub(crate) fn take_out(&mut self, gone: &[u32]) {
        for i in gone {
            let i = *i as usize;
            self.audit.removed += self.taken_along(i);
            self.bodies.present[i] = false;
            self.bodies.dynamic[i] = false;
            self.bodies.movable[i] = false;
        }
        let (bodies, sleep) = (&mut self.bodies, &mut self.sleep);
        for c in &self.detection.contacts {
            for (i, other) in [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)] {
                if !bodies.present[i] && bodies.asleep[other] {
                    sleep.rouse(bodies, other);
                }
            }
        }
        self.detection.forget(gone, &self.bodies.present);
        self.asleep = None;
    }

    /// E* that a body takes with it; zero before the book is opened \[J\].
    fn taken_along(&self, i: usize) -> f64 {
        if self.steps == 0 { 0.0 } else { self.star_of(i) }
    }

    fn find_leavers(&self, leavers: &mut Vec<u32>) {
        let awake = (0..self.bodies.len()).filter(|i| self.bodies.awake(*i));
        if let Some(domain) = self.settings.domain {
            if domain.leaving == Leaving::Remove {
                let outside = awake.filter(|i| !domain.contains(self.bodies.pose[*i].position));
                leavers.extend(outside.map(|i| i as u32));
            }
        } else if let Some(edge) = self.edge() {
            leavers.extend(awake.filter(|i| self.falls_out(*i, &edge)).map(|i| i as u32));
        }
    }

    /// Where the scene ends below; none where no fall leads out of it.
    fn edge(&self) -> Option<Edge> {
        let down = self.settings.gravity.try_normalize()?;
        let (bodies, departures) = (&self.bodies, &self.departures);
        let mut is_below_something = false;
        for plane in departures.planes.iter().filter(|plane| bodies.present[plane.body]) {
            let turns = bodies.velocity[plane.body].angular != DVec3::ZERO;
            let slope = plane.slope(bodies, down);
            if turns || slope < -UPRIGHT {
                return None;
            }
            is_below_something |= slope > UPRIGHT;
        }
        let mut edge = Edge { down, depth: f64::NEG_INFINITY, speed: 0.0, margin: departures.diagonal() };
        for &i in departures.obstacles.iter().filter(|i| bodies.present[**i]) {
            is_below_something = true;
            edge.depth = edge.depth.max(deepest(bodies, i, down));
            edge.speed = edge.speed.max(bodies.velocity[i].linear.dot(down));
        }
        is_below_something.then_some(edge)
    }

    /// Whether a body is below everything, and falls on.
    fn falls_out(&self, i: usize, edge: &Edge) -> bool {
        let bodies = &self.bodies;
        let (place, extent) = (bodies.pose[i].position, bodies.extent[i]);
        let is_deep = place.dot(edge.down) - extent > edge.depth + edge.margin;
        is_deep
            && bodies.velocity[i].linear.dot(edge.down) > edge.speed
            && self.departures.planes.iter().filter(|plane| bodies.present[plane.body]).all(|plane| {
                let slope = plane.slope(bodies, edge.down);
                slope <= UPRIGHT || plane.height(bodies, place) / slope - extent > edge.margin
            })
            && self.is_pulled(i, edge.down)
    }

    /// Whether gravity and force fields together pull a body along `down`.
    fn is_pulled(&self, i: usize, down: DVec3) -> bool {
        let force = self.field_force(i, &self.bodies.pose[i], &self.bodies.velocity[i]).force;
        (self.settings.gravity + force * self.bodies.inverse_mass[i]).dot(down) > 0.0
    }
}

impl Plane {
    /// Cosine between the outward normal and `down`: below zero where what falls meets the plane.
    fn slope(&self, bodies: &Bodies, down: DVec3) -> f64 {
        bodies.pose[self.body].transform_vector(self.normal).dot(down)
    }

    /// Height of a point over the plane along its normal \[m\].
    fn height(&self, bodies: &Bodies, point: DVec3) -> f64 {
        let pose = &bodies.pose[self.body];
        pose.transform_vector(self.normal).dot(point - pose.position) - self.offset
    }
}

/// Depth of the deepest point that a static or driven body has, or comes to by its swing or turn \[m\].
fn deepest(bodies: &Bodies, i: usize, down: DVec3) -> f64 {
    let Aabb { min, max } = bodies.boxes[i];
    let now = DVec3::select(down.cmpge(DVec3::ZERO), max, min).dot(down);
    let Some(Driven { motion, start, .. }) = bodies.driven[i].as_deref() else { return now };
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
