//! Dividing: which contacts a step has pressed too deep, and making it again in halves for those that hang together
//! with them.
//!
//! **Judgement.** Each contact is judged by itself, against its own thickness h. It fails where its overlap is beyond
//! [`OVERLAP_BOUND`] and grew in the step by more than [`CREEP`] of what was left to [`OVERLAP_LIMIT`], but no less
//! than [`UNSEEN`]: a contact that creeps there is the drift correction's business, and no division changes it.
//!
//! **Groups.** Bodies that hang together by contacts before or after the move are a group, and groups do not know of
//! each other within a step. Where the groups that failed hold less than half of the bodies, the others keep what they
//! came to, and only those go back and move on in two halves; see [`Simulation::make_again`]. If what was kept apart
//! meets all the same, the whole step is made again.
//!
//! **Ends.** A step is halved at most [`DEEPEST`] times, or [`DEEPEST_THIN`] while bodies move further than they are
//! thick or swing round. A part that fails there is made once more with [`PATIENCE`] times the sweeps. If that fails as
//! well, and a driven body presses on the group with more than its inertia explains, it is a *jam*: nothing can give
//! way (`jam`). Otherwise the part stands as it is: what fails is convergence, not the scene.

use granule_islands::Islands;

use crate::bodies::Bodies;
use crate::detection::{Carried, Contact, way_moved};
use crate::error::EngineError;
use crate::jam::{DEEPEST_AFTER_STOP, Jam};
use crate::parallel;
use crate::report::StepReport;
use crate::simulation::Simulation;
use crate::substep::{Attempt, Pass};

/// Overlap beyond which a step in which it grew is divided, over the thickness of what touches \[-\].
pub const OVERLAP_BOUND: f64 = 0.009;
/// Overlap that no step should reach, over the thickness \[-\].
pub(crate) const OVERLAP_LIMIT: f64 = 0.01;
/// Share of what is left to [`OVERLAP_LIMIT`] that a step may use up undivided: steps that creep there never arrive.
/// Without it a frictionless pack of cubes with one contact at 0.8 % divided every step into 64, for a growth of
/// 0.001 % that no division changes.
const CREEP: f64 = 0.25;
/// Growth of an overlap, over the thickness, that no division is worth.
const UNSEEN: f64 = 2e-5;
/// How often a step may be halved.
pub(crate) const DEEPEST: usize = 6;
/// How often a step may be halved in which bodies move further than they are thick, or turn visibly: a rod of 1 m by 5
/// mm that meets a wall at 50 m/s swings round at 200 rad/s, and within a share s of a radian leaves its tangent by
/// s^2/4 m, 1 % of its half width at 0.01.
pub(crate) const DEEPEST_THIN: usize = 12;
/// Parts of a step, those undone included, beyond which that is given up.
const MOST_PARTS: u32 = 1000;
/// Factor on the sweeps of a part that cannot be halved any more.
const PATIENCE: u32 = 20;

/// Parts of a step that are made with so many sweeps, at most: what did not help four times will not help sixty times.
const MOST_INSISTENT: u32 = 4;

/// Why a step could not be made.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A number or a law failed.
    Failed(EngineError),
    /// Bodies are caught between others that do not give way.
    Jammed(Jam),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Stop::Failed(error)
    }
}

/// What dividing works with; the memory is kept.
#[derive(Debug, Default)]
pub(crate) struct Divide {
    /// Contacts that failed in the attempt that was judged last.
    pub(crate) failed: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    awake: Vec<bool>,
    islands: Islands,
    /// One for each depth at which a group is being made again.
    groups: Vec<Group>,
}

/// Bodies that make a step again, and the contacts of the others meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) members: Vec<bool>,
    others: Vec<Contact>,
    forces: Vec<Carried>,
}

impl Simulation {
    /// Makes a step of `dt`. Begins in halves where the one before had to be divided as a whole, for then it is likely
    /// again, until halves come out so well that a whole one may.
    pub(crate) fn step_by_margin(&mut self, dt: f64, report: &mut StepReport) -> Result<(), Stop> {
        if !std::mem::take(&mut self.begins_in_halves) {
            return self.divide(dt, 0, report);
        }
        for _ in 0..2 {
            self.divide(0.5 * dt, 1, report)?;
            self.judge(0.5);
            self.begins_in_halves |= !self.dividing.failed.is_empty();
        }
        Ok(())
    }

    /// Makes a step of `dt`, in halves where contacts are pressed too deep.
    pub(crate) fn divide(&mut self, dt: f64, depth: usize, report: &mut StepReport) -> Result<(), Stop> {
        // The state before a step is kept where the step begins.
        if depth > 0 {
            self.remember(depth);
        }
        let attempt = self.attempt(dt, Pass::Whole)?;
        self.judge(1.0);
        if self.dividing.failed.is_empty() {
            self.accept(&attempt, dt, report);
            return Ok(());
        }
        if depth >= DEEPEST && !self.is_long(dt, depth, report) {
            return self.insist(attempt, dt, depth, report);
        }
        // A driven body that stood in the step before has had its chance; what is no jam is divided like any other
        // step.
        if depth >= DEEPEST_AFTER_STOP
            && self.has_stood()
            && let Some(jam) = self.find_jam(dt)
        {
            return Err(Stop::Jammed(jam));
        }
        report.undo(&attempt);
        if let Some(group) = self.failed_group() {
            return self.make_again(&attempt, group, dt, depth, report);
        }
        self.begins_in_halves = true;
        self.go_back(depth);
        self.halve(dt, depth, report)
    }

    /// Whether a part of a step is still long for the bodies that failed in it: one moved by more than its thickness,
    /// or swung visibly out of the straight line along which contacts see it.
    fn is_long(&self, dt: f64, depth: usize, report: &StepReport) -> bool {
        let may = (DEEPEST..DEEPEST_THIN).contains(&depth) && report.substeps + report.undone < MOST_PARTS;
        let contacts = &self.detection.contacts;
        let mut failed = self.dividing.failed.iter().map(|k| &contacts[*k as usize]);
        let way = |i: u32| way_moved(&self.bodies, i as usize, dt);
        let swing = |i: u32| swing(&self.bodies, i as usize, dt);
        may && failed.any(|c| way(c.a) + way(c.b) > c.thickness || swing(c.a) + swing(c.b) > UNSEEN * c.thickness)
    }

    fn halve(&mut self, dt: f64, depth: usize, report: &mut StepReport) -> Result<(), Stop> {
        self.divide(0.5 * dt, depth + 1, report)?;
        self.divide(0.5 * dt, depth + 1, report)
    }

    fn accept(&mut self, attempt: &Attempt, dt: f64, report: &mut StepReport) {
        let part = self.book(attempt, &[]);
        self.time += dt;
        report.substeps += 1;
        report.add(&part);
    }

    /// The last way out of a part that cannot be halved any more: many sweeps.
    fn insist(&mut self, first: Attempt, dt: f64, depth: usize, report: &mut StepReport) -> Result<(), Stop> {
        let mut attempt = first;
        if self.insisted < MOST_INSISTENT {
            self.insisted += 1;
            report.undo(&attempt);
            self.go_back(depth);
            self.patience = PATIENCE;
            let again = self.attempt(dt, Pass::Whole);
            self.patience = 1;
            attempt = again?;
            self.judge(1.0);
        }
        if !self.dividing.failed.is_empty()
            && let Some(jam) = self.find_jam(dt)
        {
            return Err(Stop::Jammed(jam));
        }
        self.accept(&attempt, dt, report);
        Ok(())
    }

    /// Makes the step again in halves for the bodies of `group`; what the others came to stands.
    fn make_again(
        &mut self,
        attempt: &Attempt,
        mut group: Group,
        dt: f64,
        depth: usize,
        report: &mut StepReport,
    ) -> Result<(), Stop> {
        let (before, mut attempt) = (*report, *attempt);
        let stands = |c: &Contact| !group.members[c.a as usize] && !group.members[c.b as usize];
        attempt.report.largest_overlap = self.overlap_where(stands, |c| c.radius);
        attempt.report.largest_overlap_thin = self.overlap_where(stands, |c| c.thickness);
        self.restore[depth].keep_contacts(&self.detection);
        // Driven bodies are where they belong at the end of the step, and go with the group.
        let bodies = &self.bodies;
        let returns: Vec<bool> =
            (0..bodies.len()).map(|i| group.members[i] || (bodies.movable[i] && !bodies.dynamic[i])).collect();
        self.go_back_with(depth, |i| returns[i]);
        // What goes back does not grow drowsy by the step that it has not made.
        self.leave_apart(|i| group.members[i]);
        let part = self.book(&attempt, &group.members);
        report.add(&part);
        self.restore[depth].give_apart(&mut self.bodies);
        self.leave_apart(|i| !group.members[i]);
        self.detection.part(&group.members, &self.bodies.apart, &mut group.others, &mut group.forces);
        let made = self.halve(dt, depth, report);
        let crossed = match made {
            Ok(()) => {
                // Sleepers that the group woke moved as well.
                group.members.clear();
                group.members.extend((0..self.bodies.len()).map(|i| self.bodies.awake(i)));
                self.restore[depth].give_apart(&mut self.bodies);
                self.detection.join(&group.others, &group.forces);
                self.find_pairs(dt);
                self.detection.find_contacts_of(&self.bodies, |i| group.members[i as usize]);
                self.have_crossed(&group.members)
            }
            Err(stop) => {
                self.dividing.groups.push(group);
                return Err(stop);
            }
        };
        self.dividing.groups.push(group);
        if !crossed {
            return Ok(());
        }
        report.take_back(&before);
        self.go_all_back(depth);
        self.begins_in_halves = true;
        self.halve(dt, depth, report)
    }

    /// Lets the bodies awake for which `of` holds take no part in what follows.
    fn leave_apart(&mut self, of: impl Fn(usize) -> bool) {
        let bodies = &mut self.bodies;
        for i in (0..bodies.len()).filter(|i| of(*i)) {
            bodies.apart[i] |= bodies.dynamic[i] && !bodies.asleep[i];
        }
    }

    /// Finds the contacts that fail: in the step, or in a part of one that may use up that `share` of what a whole one
    /// may.
    pub(crate) fn judge(&mut self, share: f64) {
        let contacts = &self.detection.contacts;
        self.dividing.failed.clear();
        if parallel::largest(contacts, &Contact::depth) <= share * OVERLAP_BOUND {
            return;
        }
        for (k, c) in contacts.iter().enumerate() {
            let before = || self.detection.depth_before(c.a, c.b);
            if c.depth() > share * OVERLAP_BOUND && fails(c.depth(), before(), share) {
                self.dividing.failed.push(k as u32);
            }
        }
    }

    /// The bodies that hang together with contacts that failed; none where that is half of those awake or more.
    fn failed_group(&mut self) -> Option<Group> {
        // Laws that resolve impacts cluster by cluster book them together.
        if !self.settings.law.is_released() {
            return None;
        }
        let Divide { failed, pairs, awake, islands, groups } = &mut self.dividing;
        let bodies = &self.bodies;
        awake.clear();
        awake.extend((0..bodies.len()).map(|i| bodies.awake(i)));
        pairs.clear();
        pairs.extend(self.detection.previous.iter().map(|c| (c.a, c.b)));
        pairs.extend(self.detection.contacts.iter().filter(|c| c.is_near()).map(|c| (c.a, c.b)));
        islands.build(bodies.len(), awake, pairs);
        let mut group = groups.pop().unwrap_or_default();
        group.members.clear();
        group.members.resize(bodies.len(), false);
        let mut count = 0;
        for c in failed.iter().map(|k| &self.detection.contacts[*k as usize]) {
            let island = islands.island_of(c.a).or(islands.island_of(c.b)).and_then(|island| islands.get(island));
            for i in island.map_or(&[][..], |island| island.bodies) {
                count += usize::from(!std::mem::replace(&mut group.members[*i as usize], true));
            }
        }
        let all = awake.iter().filter(|awake| **awake).count();
        if count > 0 && 2 * count < all {
            return Some(group);
        }
        groups.push(group);
        None
    }

    /// Whether a body of `group` has come too near to one that is none of it.
    fn have_crossed(&self, group: &[bool]) -> bool {
        let bodies = &self.bodies;
        self.detection.contacts.iter().any(|c| {
            let (a, b) = (c.a as usize, c.b as usize);
            let both = bodies.dynamic[a] && bodies.dynamic[b] && group[a] != group[b];
            both && fails(c.depth(), self.detection.depth_before(c.a, c.b), 1.0)
        })
    }
}

/// How far the surface of the body `i` leaves its tangent in a turn by `w dt`, `(w dt)^2 r/2` \[m\].
fn swing(bodies: &Bodies, i: usize, dt: f64) -> f64 {
    if bodies.round[i] || !bodies.movable[i] || bodies.extent[i] == f64::INFINITY {
        return 0.0;
    }
    0.5 * (bodies.transport[i].angular * dt).length_squared() * bodies.extent[i]
}

/// Whether an overlap fails that grew from `before` to `after` in a step, or in a part of one that may use up that
/// `share` of what a whole one may; both over the thickness.
pub(crate) fn fails(after: f64, before: f64, share: f64) -> bool {
    after > share * OVERLAP_BOUND && after - before > share * (CREEP * (OVERLAP_LIMIT - before)).max(UNSEEN)
}
