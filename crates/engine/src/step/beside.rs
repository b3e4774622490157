//! Bodies that have made a part alone: what they came to enters the part that the others make.
//!
//! They are *members* of a [`World`]; [`alone`](crate::step::alone) says who. The part is solved for them as for all,
//! and nothing of that is kept: they get poses, velocities and accounts of their worlds where the others are advanced,
//! so that one search finds the contacts of all, and no book counts what the part did to them.

use crate::step::scratch::{Alone, World};
use crate::world::bodies::{BodyState, Frames, Table};
use crate::world::contact::{Carried, Contact, Contacts};
use crate::world::state::{Rest, State};

impl Alone {
    /// Begins a step: nobody has tried in vain.
    pub(crate) fn begin_step(&mut self) {
        self.hopeless.clear();
        self.parted.clear();
        self.futile = 0;
    }

    /// Begins a part: nobody makes it alone, or is a crowd in it.
    pub(crate) fn begin(&mut self) {
        self.forget();
        self.crowd.clear();
    }

    /// Nobody makes the part alone.
    pub(crate) fn forget(&mut self) {
        self.in_use = 0;
        self.members.clear();
    }

    /// Bodies that have made the part alone; empty where there are none.
    pub(crate) fn members(&self) -> &[bool] {
        &self.members
    }

    /// The worlds that were made.
    fn made(&self) -> impl Iterator<Item = &World> {
        self.worlds[..self.in_use].iter().filter(|world| world.is_made)
    }

    /// Calls `with` for each body that has made the part alone: its dense index in the whole, its world, and its place
    /// there.
    fn each_member(&self, mut with: impl FnMut(usize, &World, usize)) {
        for world in self.made() {
            for (k, i) in world.of.iter().map(|i| *i as usize).enumerate().filter(|(_, i)| self.members[*i]) {
                with(i, world, k);
            }
        }
    }

    /// Phase `advance`: gives the bodies that have made the part alone the states that they came to, for contacts to be
    /// looked for. All of them are awake until then ([`Alone::settle`]).
    pub(crate) fn enter(&self, table: &Table, bodies: &mut BodyState, rest: &mut Rest, frames: &mut Frames) {
        self.each_member(|i, world, k| {
            let State { bodies: of, rest: of_rest, .. } = &world.state;
            bodies.pose[i] = of.pose[k];
            bodies.velocity[i] = of.velocity[k];
            bodies.step[i] = of.step[k];
            bodies.account[i] = of.account[k];
            bodies.asleep[i] = false;
            rest.note(i, of_rest, k);
            frames.follow(table, i, &of.pose[k]);
        });
    }

    /// Lets those sleep that sleep in their worlds, and hands what contacts carry there on to the contacts that were
    /// `found`.
    pub(crate) fn settle(&mut self, bodies: &mut BodyState, found: &mut Contacts) {
        if self.members.is_empty() {
            return;
        }
        self.each_member(|i, world, k| bodies.asleep[i] = world.state.bodies.asleep[k]);
        let Alone { worlds, in_use, contacts, members, .. } = self;
        contacts.clear();
        for World { of, state, .. } in worlds[..*in_use].iter().filter(|world| world.is_made) {
            let Contacts { list, carried, .. } = &*state.detected.contacts;
            let whole = |c: &Contact| Contact { a: of[c.a as usize], b: of[c.b as usize], ..*c };
            contacts.extend(list.iter().zip(carried).map(|(c, carried)| (whole(c), *carried)));
        }
        // Those of a pair are all of one world, and keep their order.
        contacts.sort_by_key(|(c, _)| c.pair());
        for (c, carried) in found.list.iter().zip(&mut found.carried) {
            if members[c.a as usize] || members[c.b as usize] {
                let first = contacts.partition_point(|(own, _)| own.pair() < c.pair());
                let mut of_pair = contacts[first..].iter().take_while(|(own, _)| own.pair() == c.pair());
                let same = of_pair.find(|(own, _)| own.feature == c.feature);
                *carried = same.map_or(Carried::default(), |(_, carried)| *carried);
            }
        }
    }
}
