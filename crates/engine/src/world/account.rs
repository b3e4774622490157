//! What each body has lost so far: the scale of what an island may gain.
//!
//! Contact stages that stop early raise E* by traces, and the drift correction lifts; both are bounded by shares of
//! what has been dissipated. Taken of the world's that bound hangs on what happens elsewhere: a boulder that falls far
//! away lets a pile at rest creep. So every body has an account, and an island's is the sum over its bodies. What a
//! contact takes from E* is split evenly between those of its two bodies that can move; what sleep, drag and fields
//! take is in no account.
//!
//! What the physics reads of the past is these accounts, which are state, and never the energy book of the run. A step
//! that may still be undone is entered as pending ([`Pending::enter`]), which forgets what was pending before;
//! [`Pending::accept`] books it. A step that is undone needs no more than that the next attempt is entered.

use std::ops::Add;

use serde::Serialize;

/// Share of what a body had at first below which a rise is not judged against less, as in the audit of the world.
const START_SHARE: f64 = 1e-6;

/// What a body or an island has lost so far \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Account {
    /// Taken from E* by contacts, net of the work of driven bodies.
    pub(crate) dissipated: f64,
    /// Work of the drift correction, every step's counted as positive.
    pub(crate) corrected: f64,
    /// Kinetic energy at first, and what gravity gives in a fall through the own radius.
    start: f64,
}

impl Account {
    /// What a rise is judged against.
    pub(crate) fn scale(&self) -> f64 {
        self.dissipated.max(START_SHARE * self.start)
    }
}

impl Add for Account {
    type Output = Self;

    fn add(self, x: Self) -> Self {
        Account {
            dissipated: self.dissipated + x.dissipated,
            corrected: self.corrected + x.corrected,
            start: self.start + x.start,
        }
    }
}

impl Account {
    /// The account of a body that comes in with `kinetic` energy \[J\], and falls through its own radius with `fall`
    /// \[J\].
    pub(crate) fn open(kinetic: f64, fall: f64) -> Self {
        Account { start: kinetic + fall, ..Account::default() }
    }

    /// What it came in with, and a fall through its own radius \[J\].
    pub(crate) fn start(&self) -> f64 {
        self.start
    }
}

/// The account of some bodies together.
pub(crate) fn sum_of(accounts: &[Account], bodies: impl Iterator<Item = u32>) -> Account {
    bodies.map(|i| accounts[i as usize]).fold(Account::default(), Account::add)
}

/// Whether what a body came to in a part of a step stands: it is none of `undone`, an empty list naming none.
pub(crate) fn stands(undone: &[bool], i: usize) -> bool {
    !undone.get(i).copied().unwrap_or(false)
}

/// What a part of a step that may still be undone has taken from the bodies, by dense index.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Account>);

impl Pending {
    /// Begins to enter a part of a step of so many bodies: nothing is pending.
    pub(crate) fn enter(&mut self, count: usize) -> &mut [Account] {
        self.0.clear();
        self.0.resize(count, Account::default());
        &mut self.0
    }

    /// What is pending, to add to it.
    pub(crate) fn entries(&mut self) -> &mut [Account] {
        &mut self.0
    }

    /// Books what is pending for the bodies that are not of `undone`; an empty list names none.
    pub(crate) fn accept(&mut self, accounts: &mut [Account], undone: &[bool]) {
        for (i, (account, pending)) in accounts.iter_mut().zip(&self.0).enumerate() {
            if stands(undone, i) {
                *account = *account + *pending;
            }
        }
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undone_is_in_no_account() {
        let (mut accounts, mut pending) = ([Account::open(6.0, 15.0), Account::default()], Pending::default());
        assert_eq!([0, 1].map(|i| sum_of(&accounts, [i].into_iter()).scale()), [START_SHARE * (6.0 + 15.0), 0.0]);
        for (taken, accepted) in [(5.0, false), (7.0, true), (1.0, false), (2.0, true)] {
            pending.enter(2)[0].dissipated += taken;
            if accepted {
                pending.accept(&mut accounts, &[]);
            }
        }
        pending.enter(2)[0].dissipated += 4.0;
        pending.accept(&mut accounts, &[true, false]);
        assert_eq!(sum_of(&accounts, [0, 1].into_iter()).dissipated, 9.0);
    }
}
