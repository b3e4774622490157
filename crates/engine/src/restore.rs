//! The state before a step or a part of it, to go back to when it is undone.
//!
//! Whatever an attempt changes and a later one reads is here. Contacts are copied only where one search for contacts
//! does not separate the two: the detection holds those of two searches and goes back by one itself.

use granule_model::{Pose, Velocity};

use crate::accounts::{Account, Accounts};
use crate::bodies::Bodies;
use crate::detection::{Carried, Contact, Detection};
use crate::simulation::Simulation;
use crate::sleep::Rest;

/// State to go back to when a step is undone.
#[derive(Debug, Default)]
pub(crate) struct Restore {
    time: f64,
    pose: Vec<Pose>,
    velocity: Vec<Velocity>,
    asleep: Vec<bool>,
    apart: Vec<bool>,
    step: Vec<f64>,
    accounts: Vec<Account>,
    rest: Rest,
    /// Contacts with what they carried; empty unless asked for.
    contacts: Vec<Contact>,
    carried: Vec<Carried>,
}

impl Restore {
    fn take(&mut self, bodies: &Bodies, accounts: &Accounts, rest: &Rest, time: f64) {
        self.accounts.clone_from(&accounts.of_body);
        self.time = time;
        self.pose.clone_from(&bodies.pose);
        self.velocity.clone_from(&bodies.velocity);
        self.asleep.clone_from(&bodies.asleep);
        self.apart.clone_from(&bodies.apart);
        self.step.clone_from(&bodies.step);
        self.rest.clone_from(rest);
        self.contacts.clear();
        self.carried.clear();
    }

    /// Keeps the contacts with which the attempt began that has just been made.
    pub(crate) fn keep_contacts(&mut self, detection: &Detection) {
        let (contacts, carried) = detection.before();
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.carried.clear();
        self.carried.extend_from_slice(carried);
    }

    /// The deepest overlap of the contacts that were kept, over its thickness; 0 or more \[-\].
    pub(crate) fn deepest(&self) -> f64 {
        self.contacts.iter().map(Contact::depth).fold(0.0, f64::max)
    }

    /// Lets those take part again that did when the state was kept.
    pub(crate) fn give_apart(&self, bodies: &mut Bodies) {
        bodies.apart.clone_from(&self.apart);
    }

    /// Gives back the state of the bodies for which `of` holds.
    fn give(&self, bodies: &mut Bodies, of: impl Fn(usize) -> bool) {
        for i in (0..bodies.len()).filter(|i| of(*i)) {
            bodies.pose[i] = self.pose[i];
            bodies.velocity[i] = self.velocity[i];
            bodies.asleep[i] = self.asleep[i];
            bodies.step[i] = self.step[i];
            if bodies.movable[i] {
                bodies.refresh(i);
            }
        }
    }
}

impl Simulation {
    /// Keeps the state as that to which the attempts at `depth` go back.
    pub(crate) fn remember(&mut self, depth: usize) {
        if self.restore.len() <= depth {
            self.restore.resize_with(depth + 1, Restore::default);
        }
        self.restore[depth].take(&self.bodies, &self.accounts, &self.sleep.rest, self.time);
    }

    /// Keeps the contacts as well, to go back over several searches.
    pub(crate) fn remember_contacts(&mut self, depth: usize) {
        let kept = &mut self.restore[depth];
        kept.contacts.clone_from(&self.detection.contacts);
        kept.carried.clone_from(&self.detection.carried);
    }

    /// Undoes the one attempt that was made since the state was kept.
    pub(crate) fn go_back(&mut self, depth: usize) {
        self.go_back_with(depth, |_| true);
        self.detection.go_back();
    }

    /// Undoes whatever was done since the state and the contacts were kept.
    pub(crate) fn go_all_back(&mut self, depth: usize) {
        self.go_back_with(depth, |_| true);
        let kept = &self.restore[depth];
        self.detection.put_back(&kept.contacts, &kept.carried);
        // Without contacts that were kept they are looked for anew.
        self.detection.stale |= kept.contacts.is_empty();
    }

    /// Puts the bodies for which `of` holds back to the state that was kept; contacts stay.
    pub(crate) fn go_back_with(&mut self, depth: usize, of: impl Fn(usize) -> bool) {
        let kept = &self.restore[depth];
        // Contacts go back to before a sleeper woke, and are not those of the last search.
        for i in (0..kept.asleep.len()).filter(|i| of(*i) && kept.asleep[*i] && !self.bodies.asleep[*i]) {
            self.detection.forget_reach(i);
        }
        kept.give(&mut self.bodies, &of);
        // Bodies that have come since keep the account that was opened for them.
        for (i, account) in kept.accounts.iter().enumerate().filter(|(i, _)| of(*i)) {
            self.accounts.of_body[i] = *account;
        }
        self.bodies.apart.clone_from(&kept.apart);
        self.sleep.rest.give(&kept.rest, of);
        self.time = kept.time;
    }
}
