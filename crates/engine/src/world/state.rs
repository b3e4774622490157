//! The state of a simulation: all that a step reads and changes, as one value.
//!
//! Whatever decides how a simulation goes on is here, and what is only told is in the book. A step that is undone
//! leaves nothing behind, by construction: the state that was kept takes the place of the one that it made. States can
//! be copied and compared; the motion in them has a hash ([`State::motion_hash`]).

use std::sync::Arc;

use granule_broadphase::PairList;
use granule_forces::Force;
use serde::Serialize;

use crate::world::bodies::{BodyState, Frames, Table, gather};
use crate::world::contact::Contacts;

/// All that a step reads and changes.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct State {
    /// Time \[s\].
    pub(crate) time: f64,
    /// Steps made.
    pub(crate) steps: u64,
    pub(crate) bodies: BodyState,
    /// How near each body is to sleep.
    pub(crate) rest: Rest,
    /// Of each driven body, in the order of [`Table::driven`].
    pub(crate) driven: Vec<DrivenClock>,
    pub(crate) detected: Detected,
    pub(crate) control: Control,
}

/// What the last search for contacts has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Detected {
    /// Contacts of the poses now, shared by the copies of a state: they are made anew and never changed.
    pub(crate) contacts: Arc<Contacts>,
    /// Candidate pairs, shared likewise. Which pairs are listed beyond those that may meet has a say in how far
    /// neighbours are looked for. Not in the hash: states that agree in all else agree in what may meet.
    #[serde(skip)]
    pub(crate) pairs: Arc<PairList>,
    /// Whether bodies were added, removed or moved since then.
    pub(crate) is_stale: bool,
}

/// What decides how the next step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Control {
    /// Whether the next step begins in halves, because the last one had to be divided.
    pub(crate) begins_in_halves: bool,
    /// Whether a driven body stood still in the last step, because it was jammed.
    pub(crate) stood: bool,
    /// Whether bodies that were added may still be in each other.
    pub(crate) mends_start: bool,
    /// The length of step that was chosen \[s\]; none before the first step.
    pub(crate) chosen_step: Option<f64>,
    /// Whether what the step was chosen from has changed since.
    pub(crate) choice_is_stale: bool,
    /// Time of the steps in a row that qualified as rest \[s\].
    pub(crate) rest_time: f64,
}

/// When a driven body moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct DrivenClock {
    /// Time at which the motion started, and by which it stood since \[s\].
    pub(crate) start_time: f64,
    /// Whether it stands still in the step that is under way.
    pub(crate) stands: bool,
}

/// How near each body is to sleep, and what it fell asleep with.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Rest {
    /// Time for which each body has been slow \[s\].
    pub(crate) slow: Vec<f64>,
    /// Whether each body was faster than slow when it was last looked at.
    pub(crate) restless: Vec<bool>,
    /// Points of contact that held each body when it was looked at.
    pub(crate) held: Vec<u32>,
    /// Force of the fields on each body when it fell asleep; empty without fields.
    pub(crate) field: Vec<Force>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = State::default();
        copy.clone_from(self);
        copy
    }

    /// As what is derived would not, it keeps the buffers: each step keeps the state in which it began.
    fn clone_from(&mut self, other: &Self) {
        let State { time, steps, bodies, rest, driven, detected, control } = other;
        (self.time, self.steps, self.control) = (*time, *steps, *control);
        self.bodies.clone_from(bodies);
        self.rest.clone_from(rest);
        self.driven.clone_from(driven);
        self.detected.clone_from(detected);
    }
}

impl Clone for Rest {
    fn clone(&self) -> Self {
        let mut copy = Rest::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the buffers, as that of [`State`].
    fn clone_from(&mut self, other: &Self) {
        let Rest { slow, restless, held, field } = other;
        self.slow.clone_from(slow);
        self.restless.clone_from(restless);
        self.held.clone_from(held);
        self.field.clone_from(field);
    }
}

impl State {
    /// Goes back to the state that was `kept`, and brings the frames up to date.
    pub(crate) fn go_back(&mut self, kept: &State, table: &Table, frames: &mut Frames) {
        self.bodies.give_back(&kept.bodies, table, frames, |_| true);
        self.clone_from(kept);
    }

    /// Gives the bodies for which `of` holds back what was `kept` of them, and the time; contacts stay.
    pub(crate) fn go_back_for(
        &mut self,
        kept: &State,
        table: &Table,
        frames: &mut Frames,
        of: impl Fn(usize) -> bool + Copy,
    ) {
        self.bodies.give_back(&kept.bodies, table, frames, of);
        self.bodies.apart.clone_from(&kept.bodies.apart);
        self.rest.give_back(&kept.rest, of);
        self.time = kept.time;
    }

    /// Fingerprint of the motion: xxh3 over the bincode encoding of time, step and every body's pose and velocity.
    pub(crate) fn motion_hash(&self) -> u64 {
        hash(&(self.time, self.steps, &self.bodies.pose, &self.bodies.velocity))
    }
}

impl Rest {
    /// Makes this how near the bodies `of` others are to sleep.
    pub(crate) fn take(&mut self, whole: &Rest, of: &[u32]) {
        let Rest { slow, restless, held, field } = self;
        gather(slow, &whole.slow, of);
        gather(restless, &whole.restless, of);
        gather(held, &whole.held, of);
        field.clear();
        if !whole.field.is_empty() {
            field.extend(of.iter().map(|i| whole.field.get(*i as usize).copied().unwrap_or_default()));
        }
    }

    /// Notes how near body `i` is to sleep, as `of` has it of its body `k`.
    pub(crate) fn note(&mut self, i: usize, of: &Rest, k: usize) {
        (self.slow[i], self.restless[i], self.held[i]) = (of.slow[k], of.restless[k], of.held[k]);
        if let Some(force) = of.field.get(k) {
            if self.field.len() < self.slow.len() {
                self.field.resize(self.slow.len(), Force::default());
            }
            self.field[i] = *force;
        }
    }

    /// Makes room for a body that is added: not looked at yet.
    pub(crate) fn add(&mut self) {
        self.slow.push(0.0);
        self.restless.push(true);
        self.held.push(0);
    }

    fn give_back(&mut self, kept: &Rest, of: impl Fn(usize) -> bool) {
        for i in (0..self.slow.len()).filter(|i| of(*i)) {
            self.slow[i] = kept.slow[i];
            self.restless[i] = kept.restless[i];
            self.held[i] = kept.held[i];
        }
        for i in (0..self.field.len()).filter(|i| of(*i)) {
            self.field[i] = kept.field.get(i).copied().unwrap_or_default();
        }
    }
}

/// xxh3 over the bincode encoding: two values have the same hash when all their bits agree.
fn hash(value: &impl Serialize) -> u64 {
    let config = bincode::config::standard().with_little_endian().with_fixed_int_encoding();
    let bytes = bincode::serde::encode_to_vec(value, config).expect("plain numbers can always be encoded");
    xxhash_rust::xxh3::xxh3_64(&bytes)
}
