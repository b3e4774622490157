//! What the contacts of a step did to their bodies, for who asks.
//!
//! A step is made of parts, and of each part that stands every contact enters what it did: the impulse of the contact
//! stage, of the impact and of the release together. At the end of the step the parts are joined, contact by contact.
//! Nothing is entered where nobody asks ([`Loads::is_on`]).
//!
//! **Couple.** The impulse acts at the point at which the contact stood in its part. Told is the point at which it
//! stands now, or stood last; the difference, and what rolling and torsional friction do, is the couple beside it, so
//! that moments about a fixed point are those of the impulses as they acted. Bodies move after that by the velocities
//! before the release, so that with energy tracking their angular momentum about that point changes by somewhat else.

use std::sync::OnceLock;

use granule_model::DVec3;
use granule_solver::ContactState;

use crate::world::contact::{Carried, Contact};

/// What a contact did in a step or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// Where it stood when it acted last, or stands now.
    pub(crate) contact: Contact,
    /// On A \[N s\].
    pub(crate) impulse: DVec3,
    /// On A, beside that of the impulse at the point \[N m s\].
    pub(crate) couple: DVec3,
    pub(crate) state: ContactState,
}

impl Load {
    /// Of a contact that does nothing.
    pub(crate) fn none(contact: &Contact) -> Self {
        Load { contact: *contact, impulse: DVec3::ZERO, couple: DVec3::ZERO, state: ContactState::Open }
    }

    fn is_none(&self) -> bool {
        self.impulse == DVec3::ZERO && self.couple == DVec3::ZERO
    }

    fn is_of(&self, contact: &Contact) -> bool {
        (self.contact.pair(), self.contact.feature) == (contact.pair(), contact.feature)
    }

    /// Of a contact that has `carried` that, what it does in `dt` \[s\].
    fn kept(contact: &Contact, carried: &Carried, dt: f64) -> Self {
        let carried = carried.scaled(dt);
        let impulse = carried.along(contact.normal);
        let state = if impulse == DVec3::ZERO { ContactState::Open } else { ContactState::Stick };
        Load { impulse, state, ..Load::none(contact) }
    }

    /// Adds the impulse of an impact on A \[N s\].
    pub(crate) fn strike(&mut self, impulse: DVec3) {
        self.impulse += impulse;
        if self.state == ContactState::Open && impulse != DVec3::ZERO {
            self.state = ContactState::Stick;
        }
    }

    /// The same seen from where the contact stands later.
    fn seen_from(&self, contact: &Contact) -> Self {
        let couple = self.couple + (self.contact.point - contact.point).cross(self.impulse);
        Load { contact: *contact, couple, ..*self }
    }

    /// Adds what the same contact did later in the step.
    fn add(&mut self, later: &Load) {
        let before = self.seen_from(&later.contact);
        // What it did between steps of different kinds does not say how it stands.
        let state = if later.state == ContactState::Open { before.state } else { later.state };
        let (impulse, couple) = (before.impulse + later.impulse, before.couple + later.couple);
        *self = Load { impulse, couple, state, ..*later };
    }
}

/// What the contacts of the step that is being made have done so far.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    /// Whether anybody asks.
    pub(crate) is_on: bool,
    /// Of each part after the other; within a part in the order of the pairs.
    list: Vec<Load>,
    /// Parts that were entered.
    parts: u32,
}

/// What was entered up to some moment of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entered {
    loads: usize,
    parts: u32,
}

/// What the contacts of a step that was made did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    /// Length of the step \[s\].
    pub(crate) dt: f64,
    /// In the order of the pairs.
    pub(crate) loads: Vec<Load>,
    /// The same with those between sleepers balanced, once somebody has asked.
    pub(crate) balanced: OnceLock<Vec<Load>>,
}

impl Loads {
    /// Enters a part of `dt` \[s\] with these contacts. Those for which `is_kept` holds, between sleepers, do what they
    /// have `carried`; `enter` is given what each of them does, by its place in the list, to add to.
    pub(crate) fn enter(
        &mut self,
        (contacts, carried): (&[Contact], &[Carried]),
        dt: f64,
        is_kept: impl Fn(&Contact) -> bool,
        enter: impl FnOnce(&mut [Load]),
    ) {
        if !self.is_on {
            return;
        }
        let first = self.list.len();
        let begin = |(c, carried): (&Contact, &Carried)| {
            if c.is_near() && is_kept(c) { Load::kept(c, carried, dt) } else { Load::none(c) }
        };
        self.list.extend(contacts.iter().zip(carried).map(begin));
        enter(&mut self.list[first..]);
        let mut kept = first;
        for k in first..self.list.len() {
            if !self.list[k].is_none() {
                self.list[kept] = self.list[k];
                kept += 1;
            }
        }
        self.list.truncate(kept);
        self.parts += 1;
    }

    /// Enters what was entered in `other`, whose bodies are those `of` these, and leaves nothing there.
    pub(crate) fn take_over(&mut self, other: &mut Loads, of: &[u32]) {
        if !self.is_on || other.parts == 0 {
            return;
        }
        other.join_parts();
        let whole = |load: &Load| {
            let Contact { a, b, .. } = load.contact;
            Load { contact: Contact { a: of[a as usize], b: of[b as usize], ..load.contact }, ..*load }
        };
        self.list.extend(other.list.iter().map(whole));
        self.parts += 1;
        other.take_back(Entered::default());
    }

    /// What is entered now.
    pub(crate) fn entered(&self) -> Entered {
        Entered { loads: self.list.len(), parts: self.parts }
    }

    /// Goes back to what was entered `before`; begins a step when that is nothing.
    pub(crate) fn take_back(&mut self, before: Entered) {
        self.list.truncate(before.loads);
        self.parts = before.parts;
    }

    /// Ends a step of `dt` \[s\]: tells what each contact did that acted or touches `now`, in the order of the pairs.
    /// Returns how many parts were entered.
    pub(crate) fn finish(&mut self, now: &[Contact], dt: f64, into: &mut Option<Told>) -> u32 {
        if !self.is_on {
            return 0;
        }
        let Told { dt: of, loads: told, balanced } = into.get_or_insert_default();
        *of = dt;
        balanced.take();
        told.clear();
        self.join_parts();
        let mut loads = self.list.as_slice();
        let mut listed = 0;
        while listed < now.len() || !loads.is_empty() {
            let pair = match (now.get(listed), loads.first()) {
                (Some(c), Some(load)) => c.pair().min(load.contact.pair()),
                (Some(c), None) => c.pair(),
                (None, Some(load)) => load.contact.pair(),
                (None, None) => break,
            };
            let of_pair = loads.iter().take_while(|load| load.contact.pair() == pair).count();
            let (own, behind) = loads.split_at(of_pair);
            let first = told.len();
            told.extend_from_slice(own);
            while let Some(c) = now.get(listed).filter(|c| c.pair() == pair) {
                if let Some(load) = told[first..].iter_mut().find(|load| load.is_of(c)) {
                    *load = load.seen_from(c);
                } else if c.touches() {
                    told.push(Load::none(c));
                }
                listed += 1;
            }
            loads = behind;
        }
        let parts = self.parts;
        self.take_back(Entered::default());
        parts
    }

    /// Joins what a contact did in several parts.
    fn join_parts(&mut self) {
        if self.parts <= 1 {
            return;
        }
        self.list.sort_by_key(|load| load.contact.pair());
        let mut joined = 0;
        for k in 0..self.list.len() {
            let load = self.list[k];
            let of_pair = self.list[..joined].iter().rev().take_while(|l| l.contact.pair() == load.contact.pair());
            let same = of_pair.enumerate().find(|(_, l)| l.is_of(&load.contact)).map(|(back, _)| joined - 1 - back);
            if let Some(same) = same {
                self.list[same].add(&load);
            } else {
                self.list[joined] = load;
                joined += 1;
            }
        }
        self.list.truncate(joined);
    }
}
