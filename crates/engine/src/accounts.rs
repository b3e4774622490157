//! What each body has lost so far: the scale of what an island may gain.
//!
//! Contact stages that stop early raise E* by traces, and the drift correction lifts; both are bounded by shares of
//! what has been dissipated. Taken of the world's that bound hangs on what happens elsewhere: a boulder that falls far
//! away lets a pile at rest creep. So every body has an account, and an island's is the sum over its bodies. What a
//! contact takes from E* is split evenly between those of its two bodies that can move; what sleep, drag and fields
//! take is in no account.
//!
//! A step that may still be undone is entered as pending ([`Accounts::enter`]), which forgets what was pending before;
//! [`Accounts::accept`] books it. A step that is undone needs no more than that the next attempt is entered.

use std::ops::Add;

use granule_model::DVec3;

use crate::bodies::Bodies;

/// Share of what a body had at first below which a rise is not judged against less, as in the audit of the world.
const START_SHARE: f64 = 1e-6;

/// What a body or an island has lost so far \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

/// The accounts of all bodies, by dense index.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    /// What an undone step must give back.
    pub(crate) of_body: Vec<Account>,
    pending: Vec<Account>,
}

impl Accounts {
    /// Opens an account for every body that has none.
    pub(crate) fn open(&mut self, bodies: &Bodies, gravity: DVec3) {
        for i in self.of_body.len()..bodies.len() {
            let fall = bodies.mass[i] * gravity.length() * bodies.radius[i];
            let start = if bodies.dynamic[i] { bodies.kinetic_energy(i) + fall } else { 0.0 };
            self.of_body.push(Account { start, ..Account::default() });
        }
    }

    /// The account of some bodies together.
    pub(crate) fn of(&self, bodies: impl Iterator<Item = u32>) -> Account {
        bodies.map(|i| self.of_body[i as usize]).fold(Account::default(), Account::add)
    }

    /// Begins to enter a step or a part of one: nothing is pending.
    pub(crate) fn enter(&mut self) -> &mut [Account] {
        self.pending.clear();
        self.pending.resize(self.of_body.len(), Account::default());
        &mut self.pending
    }

    /// What is pending, to add to it.
    pub(crate) fn pending(&mut self) -> &mut [Account] {
        &mut self.pending
    }

    /// Books what is pending for the bodies that are not of `undone`; an empty list names none.
    pub(crate) fn accept(&mut self, undone: &[bool]) {
        for (i, (account, pending)) in self.of_body.iter_mut().zip(&self.pending).enumerate() {
            if !undone.get(i).copied().unwrap_or(false) {
                *account = *account + *pending;
            }
        }
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use granule_geometry::Shape;
    use granule_model::{Pose, Velocity};

    use super::*;

    #[test]
    fn what_is_undone_is_in_no_account() {
        let shape = Shape::sphere(0.5).expect("the radius is valid");
        let bodies = Bodies {
            pose: vec![Pose::IDENTITY; 2],
            velocity: vec![Velocity { linear: 2.0 * DVec3::X, ..Velocity::ZERO }; 2],
            dynamic: vec![true, false],
            mass: vec![3.0; 2],
            step: vec![0.0; 2],
            principal_inertia: vec![DVec3::ONE; 2],
            radius: vec![0.5; 2],
            shape: vec![shape; 2],
            ..Bodies::default()
        };
        let mut accounts = Accounts::default();
        accounts.open(&bodies, -10.0 * DVec3::Z);
        accounts.open(&bodies, DVec3::ZERO);
        assert_eq!([0, 1].map(|i| accounts.of([i].into_iter()).scale()), [START_SHARE * (6.0 + 15.0), 0.0]);
        for (taken, accepted) in [(5.0, false), (7.0, true), (1.0, false), (2.0, true)] {
            accounts.enter()[0].dissipated += taken;
            if accepted {
                accounts.accept(&[]);
            }
        }
        assert_eq!(accounts.of([0, 1].into_iter()).dissipated, 9.0);
    }
}
