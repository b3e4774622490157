//! What a step works with: memory that it fills before it reads it, and what follows from the state.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use granule_forces::Force;
use granule_islands::Islands;
use granule_model::{DVec3, Pose, Velocity};

use crate::book::clock::Clock;
#[cfg(doc)]
use crate::book::report::EnergyReport;
use crate::book::report::StepReport;
use crate::contacts::closing::{Active, Closing};
use crate::contacts::correct::Correction;
use crate::contacts::crossing::Crossings;
use crate::contacts::search::Search;
use crate::islands::impact::Impact;
use crate::islands::problems::Problems;
use crate::islands::sleep::Sleep;
use crate::step::flight::Flights;
use crate::world::account::Pending;
use crate::world::bodies::Frames;
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Carried, Contact, Contacts};
use crate::world::description::Settings;
use crate::world::load::Loads;
use crate::world::state::State;

/// How often a step may be halved in which bodies move further than they are thick, or turn visibly: a rod of 1 m by 5
/// mm that meets a wall at 50 m/s swings round at 200 rad/s, and within a share s of a radian leaves its tangent by
/// s^2/4 m, 1 % of its half width at 0.01.
pub(crate) const DEEPEST_THIN: usize = 12;
/// Where the state at the start of a step from impact to impact is kept, beyond those of its parts.
pub(crate) const START_OF_EVENTS: usize = DEEPEST_THIN + 3;

/// Steps without an undone part after which memory that only divided steps need is given back. A shaken pack divides
/// some of its steps: with 60 of them cubes allocated 1.6 times a step.
const CALM: u32 = 250;

/// Scratch of a step. Nothing in it decides about a later step, which a test compares with steps in new scratch
/// (`scratch_has_no_say`); [`Frames`] follow from the poses.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) frames: Frames,
    pub(crate) motion: Motions,
    pub(crate) detection: Detection,
    pub(crate) exchange: Exchange,
    pub(crate) sleep: Sleep,
    /// What contacts did in the parts of the step that stand.
    pub(crate) loads: Loads,
    /// Contacts that failed in the attempt that was judged last, by their place in the list.
    pub(crate) failed: Vec<u32>,
    /// Contacts that touch as a move from touch to touch begins.
    pub(crate) touching: Vec<Name>,
    pub(crate) groups: Groups,
    pub(crate) alone: Alone,
    /// States to go back to, by the depth to which the step is divided.
    pub(crate) saved: Vec<State>,
    /// Of which those share that are not needed.
    pub(crate) nothing: State,
    /// Of a world: who sleeps at its end.
    pub(crate) slept: Vec<bool>,
    /// Of a world: where its bodies come, against what the whole has looked for.
    pub(crate) strayed: Option<Strayed>,
    /// Steps in a row of which no part was undone.
    calm: u32,
}

impl Scratch {
    /// Whether it is that of a world.
    pub(crate) fn is_of_world(&self) -> bool {
        self.strayed.is_some()
    }

    /// The clock of the phases that work with it: all of a world are within one of the whole.
    pub(crate) fn clock(&self) -> Clock {
        if self.is_of_world() { Clock::silent() } else { Clock::start() }
    }
}

/// How the bodies of a world come further than the whole has looked for contacts.
#[derive(Debug, Default)]
pub(crate) struct Strayed {
    /// Velocities with which it has looked, and from which it saw them.
    pub(crate) from: Vec<Velocity>,
    pub(crate) crowd: DVec3,
    /// Reach that each body turned out to need \[m\].
    pub(crate) needed: Vec<f64>,
}

/// What a contact is the same by in two searches: its pair, and its feature where what is struck is told finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Name(pub(crate) (u32, u32), pub(crate) u32);

/// What finding contacts works with.
#[derive(Debug, Default)]
pub(crate) struct Detection {
    pub(crate) search: Search,
    pub(crate) crossings: Crossings,
}

/// What the contacts of a part do to its bodies.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) closing: Closing,
    /// The contacts of the part, and what they carry once it is solved.
    pub(crate) active: Active,
    pub(crate) problems: Problems,
    pub(crate) impact: Impact,
    pub(crate) correction: Correction,
    /// What contacts took, to be booked if the part stands.
    pub(crate) pending: Pending,
}

/// How bodies move in the sub-step under way, by dense index.
#[derive(Debug, Default)]
pub(crate) struct Motions {
    /// Where driven bodies are taken, in the order of the table of them.
    pub(crate) targets: Vec<Target>,
    /// Velocities before the forces of the step; of driven bodies those before `drive`.
    pub(crate) unforced: Vec<Velocity>,
    /// Velocities with them.
    pub(crate) forced: Vec<Velocity>,
    /// Velocities at the end of the contact stage, by which poses are advanced.
    pub(crate) transport: Vec<Velocity>,
    /// What acts on each body makes of its velocity in a second; filled by [`alone`](crate::step::alone) alone.
    pub(crate) acceleration: Vec<Velocity>,
    /// Poses before the move, where bodies may have gone through others.
    pub(crate) departed: Vec<Pose>,
    /// What the force fields do to each body, and their work \[J\]; empty without any.
    pub(crate) field_forces: Vec<Force>,
    pub(crate) field_work: Vec<f64>,
    /// What drag changed the velocity of each body by, and its work \[J\]; empty without any.
    pub(crate) dragged: Vec<Velocity>,
    pub(crate) drag_work: Vec<f64>,
    /// Change of the E* of each body that no force makes \[J\]; see [`EnergyReport::scheme_change`].
    pub(crate) scheme: Vec<f64>,
    /// Change of the E* of each body because it made a part of another length than before \[J\].
    pub(crate) step_change: Vec<f64>,
    /// Velocities that the bodies of a world had when its loads were looked for, beside driven ones whose velocity
    /// changes; empty otherwise.
    pub(crate) coming: Vec<Velocity>,
    /// Who is in free flight, where that is asked.
    pub(crate) flights: Flights,
    /// Where the bodies without contact go.
    pub(crate) free: Vec<(Pose, Velocity)>,
    /// E* of each body at the start \[J\].
    pub(crate) star_before: Vec<f64>,
    /// The same once the part stands \[J\].
    pub(crate) star_after: Vec<f64>,
}

impl Motions {
    /// What is noted of fields and drag, to be brought up to date for those that wake.
    pub(crate) fn noted(&mut self) -> (&mut [Force], &mut [Velocity]) {
        (&mut self.field_forces, &mut self.dragged)
    }
}

/// Where a sub-step takes the own axes of a driven body, and how fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) pose: Pose,
    pub(crate) velocity: Velocity,
}

/// What finding the bodies that make a part again works with.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) awake: Vec<bool>,
    pub(crate) islands: Islands,
    /// Groups that none of the depths uses.
    pub(crate) free: Vec<Group>,
}

/// What making parts of few bodies alone works with.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) mobile: Vec<bool>,
    pub(crate) islands: Islands,
    /// Whether there is a world of each of the islands.
    pub(crate) is_taken: Vec<bool>,
    /// Worlds that are in use in the part, and others that were before, by their places in the list.
    pub(crate) worlds: Vec<World>,
    pub(crate) in_use: usize,
    /// Those that no world uses.
    pub(crate) workspaces: Mutex<Vec<Workspace>>,
    /// Bodies of those that were made; empty where there are none.
    pub(crate) members: Vec<bool>,
    /// Bodies of worlds that did not come to the end of a part of the step; empty where there are none.
    pub(crate) hopeless: Vec<bool>,
    /// Bodies of worlds that, joined, could not make a part of the step; empty where there are none.
    pub(crate) parted: Vec<bool>,
    /// Contacts of all such worlds of the step so far, as often as they were tried.
    pub(crate) futile: usize,
    /// Bodies for whom the part is to be divided, as shorter ones are worlds of few; see [`alone`](crate::step::alone).
    pub(crate) crowd: Vec<u32>,
    /// Bodies that turn far beside others, and these.
    pub(crate) swinging: Vec<u32>,
    /// Those that may close an open contact by turning, and the others of it.
    pub(crate) curving: Vec<u32>,
    pub(crate) contacts: Vec<(Contact, Carried)>,
}

/// What worlds work with while they make their part, one after the other: as many as run at a time.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) catalogue: Catalogue,
    pub(crate) scratch: Scratch,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace { catalogue: Catalogue::new(Settings::default(), 0), scratch: Scratch::default() }
    }
}

/// Few bodies, with what they may meet, as a simulation of their own in which they make a part of a step, and what they
/// come to.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) state: State,
    /// What its contacts did.
    pub(crate) loads: Loads,
    /// Dense indices of its bodies in the whole, ascending.
    pub(crate) of: Vec<u32>,
    /// The contacts between them with which the part begins, in their numbers in the whole.
    pub(crate) contacts: Vec<(Contact, Carried)>,
    /// Whether something comes a good part of the way through another body, so that the part is divided for it if it is
    /// not made.
    pub(crate) leaps: bool,
    /// Whether what the step makes stands where nothing is hit in it.
    pub(crate) only_if_hit: bool,
    /// Whether it is to make its part.
    pub(crate) is_asked: bool,
    /// The later world of the list in which it is, if it joined others.
    pub(crate) joined: Option<usize>,
    /// Whether others joined in it.
    pub(crate) is_union: bool,
    /// Whether it stands when all are made, or what it has joined does.
    pub(crate) stands: bool,
    pub(crate) is_over: bool,
    /// Whether it could be made; what it did is in the report then.
    pub(crate) is_made: bool,
    /// Bodies of the whole that those of it may have met; it is not made then.
    pub(crate) met: Vec<u32>,
    /// Whether it did not come to the end of the part.
    pub(crate) is_hopeless: bool,
    /// Whether a driven body squeezed one of it when it gave up.
    pub(crate) is_squeezed: bool,
    /// Contacts times moves that it took for nothing, or beyond what worlds take.
    pub(crate) spent: usize,
    pub(crate) report: StepReport,
}

/// Bodies that make a part again, and what the others came to meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) members: Vec<bool>,
    /// Members and the sleepers that they woke.
    pub(crate) moved: Vec<bool>,
    /// All contacts after the part that stands for the others.
    pub(crate) after: Arc<Contacts>,
}

impl Scratch {
    /// Keeps a state as that to which the attempts at `depth` go back.
    pub(crate) fn save(&mut self, state: &State, depth: usize) {
        if self.saved.len() <= depth {
            self.saved.resize_with(depth + 1, State::default);
        }
        self.saved[depth].clone_from(state);
    }

    /// Lets go of what the states of parts kept from `depth` on share with others, so that its memory can be lent
    /// again. The start of a step from impact to impact is kept beyond them.
    pub(crate) fn release_parts(&mut self, depth: usize) {
        self.release(depth..START_OF_EVENTS);
    }

    fn release(&mut self, depths: Range<usize>) {
        for state in self.saved.iter_mut().take(depths.end).skip(depths.start) {
            state.detected.clone_from(&self.nothing.detected);
        }
    }

    /// Ends a step, of which parts were undone or not: no state is kept any more, and what divided steps have made
    /// beyond what others need is given back once [`CALM`] steps in a row were not divided.
    pub(crate) fn end_step(&mut self, is_divided: bool) {
        self.release(0..self.saved.len());
        self.exchange.active.take(&self.nothing.detected.contacts);
        self.calm = if is_divided { 0 } else { self.calm.saturating_add(1) };
        // Twice, as the set of contacts that the state holds in one step is free in the next.
        if [CALM, CALM + 1].contains(&self.calm) {
            self.detection.search.trim();
            self.exchange.active.trim();
            self.saved.iter_mut().take(START_OF_EVENTS).skip(1).for_each(|state| *state = State::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step from impact to impact may end as one that is divided, and be undone as a whole after that.
    #[test]
    fn the_start_of_a_step_outlives_its_parts() {
        let (mut scratch, state) = (Scratch::default(), State::default());
        let holds = |scratch: &Scratch, depth: usize| {
            Arc::ptr_eq(&scratch.saved[depth].detected.contacts, &state.detected.contacts)
        };
        [1, DEEPEST_THIN, START_OF_EVENTS].into_iter().for_each(|depth| scratch.save(&state, depth));
        scratch.release_parts(1);
        assert_eq!([1, DEEPEST_THIN, START_OF_EVENTS].map(|depth| holds(&scratch, depth)), [false, false, true]);
        scratch.end_step(true);
        assert!(!holds(&scratch, START_OF_EVENTS));
    }
}
