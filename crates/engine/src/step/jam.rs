//! Jams: bodies caught between a driven body and others that cannot give way.
//!
//! Driven bodies go where their motion says, whatever it takes. Where nothing can give way no impulse fulfils the
//! contacts, and shorter steps do not help. A part of a step that fails at the smallest length is a jam when
//!
//! * the bodies of a contact that failed, those that can move, are touched from opposite sides,
//! * its group is touched by a driven body that moves, and
//! * the impulse at the contact is more than [`BEYOND_INERTIA`] times `M (v + g dt)`, M the mass of the group and v the
//!   speed of the fastest body in it or at it: more than it takes to stop or carry along all of it at once. Where there
//!   is an answer impulses are of that order at most; where there is none they grow with every sweep. Or the contact
//!   stage has given up: it is left with less than [`GIVEN_UP`] of the impulses that it had reached. Or the overlap is
//!   beyond [`THROUGH`]: a small body in the wedge between a wall and a heavy one that is driven on needs less force
//!   than stops the heavy one, and no sweep finds it.
//!
//! With [`JamResponse::Error`](crate::JamResponse::Error) the run ends with the state before the step. With
//! [`JamResponse::Yield`](crate::JamResponse::Yield) the driven bodies that touch the group stand still for the step:
//! they keep their pose, and their clocks stand, so that each goes on with its motion from there. In the step after, a
//! whole step is tried first and, if it fails, taken for a jam at once: what is jammed costs two or three attempts a
//! step and not a hundred.

use granule_model::Velocity;

use crate::step::attempt::Step;
use crate::world::bodies::Bodies;
use crate::world::catalogue::Catalogue;
use crate::world::contact::Contact;
use crate::world::error::EngineError;
use crate::world::state::State;

/// How often a step that follows one in which a driven body stood is halved before it is asked whether that body is
/// jammed.
pub(crate) const DEEPEST_AFTER_STOP: usize = 1;
/// Impulse at a contact, over what stops its whole group, beyond which nothing gives way. Estimated, not measured: some
/// 200 for fifteen cubes between blade and wall, far below 1 for cubes that a drum carries round.
const BEYOND_INERTIA: f64 = 10.0;
/// Share of the impulses that the contact stage is left with where it gave up.
const GIVEN_UP: f64 = 0.1;
/// Overlap over the thickness, grown to by parts of steps that failed, at which a driven body stops rather than presses
/// on: five times what no step should reach. A body of 0.3 mg between a block of 0.3 g and a wall was pressed through
/// the wall.
const THROUGH: f64 = 5.0;
/// Cosine between the normals of two contacts from which on they press from opposite sides.
const OPPOSITE: f64 = -0.2;

/// Bodies caught between others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Jam {
    /// The two bodies of the contact that was pressed deepest.
    pub(crate) bodies: [u32; 2],
    /// Driven bodies that move and touch the group.
    pub(crate) driven: Vec<u32>,
    /// Force between the two that the contact stage had reached when it gave up \[N\].
    pub(crate) force: f64,
}

/// The jam behind the contacts that failed in a part of `dt` \[s\]; none where nothing is caught.
pub(crate) fn find_jam(step: &Step<'_>, dt: f64) -> Option<Jam> {
    let (bodies, contacts, scratch) = (step.bodies(), &step.state.detected.contacts.list, &*step.scratch);
    let failed = scratch.failed.iter().map(|k| &contacts[*k as usize]);
    let caught = |i: u32| !bodies.dynamic[i as usize] || is_caught(contacts, i);
    let deepest = failed.filter(|c| caught(c.a) && caught(c.b)).max_by(|x, y| x.depth().total_cmp(&y.depth()))?;
    let (depth, deepest) = (deepest.depth(), [deepest.a, deepest.b]);
    let group = group_of(&bodies, contacts, deepest);
    let driven: Vec<u32> = group.iter().copied().filter(|i| is_driven_on(&bodies, *i)).collect();
    let moving = deepest.iter().copied().find(|i| bodies.dynamic[*i as usize])?;
    let (scale, reached) = scratch.exchange.problems.scaled_back(moving);
    let pressed = scratch.exchange.problems.impulse_between(scratch.exchange.active.contacts(), deepest[0], deepest[1]);
    let force = pressed.max(reached) / dt;
    let gain = step.catalogue.gravity().length() * dt;
    let is_beyond_inertia =
        || force * dt > BEYOND_INERTIA * inertia_of(&bodies, &scratch.motion.unforced, &group, gain);
    let is_pressed =
        scale < GIVEN_UP || depth > THROUGH * step.catalogue.settings.accuracy.overlap_limit() || is_beyond_inertia();
    (is_pressed && !driven.is_empty()).then_some(Jam { bodies: deepest, driven, force })
}

/// Whether a body is touched from opposite sides.
fn is_caught(contacts: &[Contact], body: u32) -> bool {
    let touching = || contacts.iter().filter(|c| c.touches());
    let outward = |c: &Contact| (c.a == body).then_some(c.normal).or((c.b == body).then_some(-c.normal));
    let normals: Vec<_> = touching().filter_map(outward).collect();
    normals.iter().enumerate().any(|(k, n)| normals[k + 1..].iter().any(|m| n.dot(*m) < OPPOSITE))
}

/// Whether a body is driven and moves.
fn is_driven_on(bodies: &Bodies<'_>, i: u32) -> bool {
    bodies.driven_place(i as usize).is_some() && bodies.velocity[i as usize] != Velocity::ZERO
}

/// Impulse that stops or carries along all of a group at once, whose bodies came with the velocities `unforced` and are
/// made faster by `gain` \[m/s\] in the part \[N s\].
fn inertia_of(bodies: &Bodies<'_>, unforced: &[Velocity], group: &[u32], gain: f64) -> f64 {
    let speed = |i: u32| {
        let i = i as usize;
        let came = if bodies.dynamic[i] { unforced[i] } else { bodies.velocity[i] };
        let arm = if bodies.extent[i].is_finite() { bodies.extent[i] } else { 0.0 };
        came.linear.length() + came.angular.length() * arm
    };
    let fastest = group.iter().map(|i| speed(*i)).fold(0.0, f64::max);
    let mass: f64 = group.iter().map(|i| bodies.mass[*i as usize]).sum();
    mass * (fastest + gain)
}

/// What hangs together with two bodies by touch, static and driven bodies that it touches included; ascending.
fn group_of(bodies: &Bodies<'_>, contacts: &[Contact], pair: [u32; 2]) -> Vec<u32> {
    let mut reached = vec![false; bodies.len()];
    pair.iter().for_each(|i| reached[*i as usize] = true);
    let mut is_new = true;
    while std::mem::replace(&mut is_new, false) {
        for c in contacts.iter().filter(|c| c.touches()) {
            for (from, to) in [(c.a as usize, c.b as usize), (c.b as usize, c.a as usize)] {
                if reached[from] && bodies.dynamic[from] && !reached[to] {
                    reached[to] = true;
                    is_new = true;
                }
            }
        }
    }
    (0..bodies.len() as u32).filter(|i| reached[*i as usize]).collect()
}

/// The error that tells of a jam in the step after those of `state`.
pub(crate) fn jam_error(catalogue: &Catalogue, state: &State, jam: &Jam) -> EngineError {
    let label = |i: &u32| catalogue.bodies.label(*i as usize);
    EngineError::Jam {
        step: state.steps + 1,
        time: state.time,
        driven: jam.driven.iter().map(label).collect::<Vec<_>>().join(", "),
        a: label(&jam.bodies[0]),
        b: label(&jam.bodies[1]),
        force: jam.force,
    }
}

/// Lets driven bodies, by dense index, stand in the step that is made next.
pub(crate) fn hold(catalogue: &Catalogue, state: &mut State, driven: &[u32]) {
    for place in driven.iter().filter_map(|i| catalogue.bodies.driven_place(*i as usize)) {
        state.driven[place].stands = true;
    }
}

/// Lets all driven bodies move on, as before a step that cannot be made.
pub(crate) fn release(state: &mut State) {
    state.driven.iter_mut().for_each(|clock| clock.stands = false);
}

/// Ends a step of `dt` \[s\] in which driven bodies may have stood: their clocks fall behind by it.
pub(crate) fn release_held(state: &mut State, dt: f64) {
    state.control.stood = false;
    for clock in &mut state.driven {
        if std::mem::replace(&mut clock.stands, false) {
            clock.start_time += dt;
            state.control.stood = true;
        }
    }
}
