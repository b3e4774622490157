//! Groups: bodies that make a part of a step again while the others keep what they came to.
//!
//! Those that are none of a group lie *apart* while it makes its part: they take no part in anything, and no contact is
//! looked for with them. When the group has come as far as the others all take part again, and whether one of the group
//! has come too near to one of the others meanwhile is told. Who is of a group, and how it makes its part, is left to
//! [`divide`](crate::step::divide).

use std::sync::Arc;

use crate::book::report::StepReport;
use crate::contacts::search::Known;
use crate::step::attempt::Step;
use crate::step::detect;
use crate::step::judge::overlaps;
use crate::step::observe::Outcome;
use crate::step::part::Part;
use crate::step::scratch::{Detection, Group, Scratch};
use crate::world::accuracy::Accuracy;
use crate::world::bodies::Bodies;
use crate::world::contact::{Carried, Contact, Contacts, depth_of_pair};
use crate::world::overlap::fails;

impl Step<'_> {
    /// Goes back for the bodies of a group, lets the others stand, and leaves them apart; the contacts of the state are
    /// those of the group.
    pub(crate) fn undo_for(&mut self, outcome: &Outcome, group: &mut Group, depth: usize) {
        let mut stands = *outcome;
        let is_other = |c: &Contact| !group.members[c.a as usize] && !group.members[c.b as usize];
        let (largest_overlap, largest_overlap_thin) = overlaps(&self.state.detected.contacts.list, is_other);
        // What it was spent on was counted as it was undone.
        stands.report = StepReport { largest_overlap, largest_overlap_thin, ..StepReport::default() };
        let Scratch { saved, frames, .. } = &mut *self.scratch;
        let table = &self.catalogue.bodies;
        // Driven bodies are where they belong at the end of the part, and go with the group.
        let returns = |i: usize| group.members[i] || table.is_driven(i);
        self.state.go_back_for(&saved[depth], table, frames, returns);
        // What goes back does not grow drowsy by the part that it has not made.
        self.leave_apart(|i| group.members[i]);
        self.observe(&stands, &group.members);
        self.state.bodies.apart.clone_from(&self.scratch.saved[depth].bodies.apart);
        self.leave_apart(|i| !group.members[i]);
        group.after.clone_from(&self.state.detected.contacts);
        let Scratch { saved, detection: Detection { search, .. }, .. } = &mut *self.scratch;
        let mut own = search.begin();
        let apart = &self.state.bodies.apart;
        part_contacts(group, &saved[depth].detected.contacts, apart, Arc::make_mut(&mut own));
        detect::install(own, &mut self.state.detected, search);
    }

    /// Lets all take part again after a group has made a part alone. Whether one of its bodies has come too near to one
    /// that is none of it.
    pub(crate) fn rejoin(&mut self, part: &Part, group: &mut Group, depth: usize) -> bool {
        // Sleepers that the group woke moved as well.
        let (state, table) = (&mut *self.state, &self.catalogue.bodies);
        group.moved.clear();
        group.moved.extend((0..table.len()).map(|i| state.bodies.awake(table, i)));
        let Scratch { saved, detection: Detection { search, .. }, frames, exchange, .. } = &mut *self.scratch;
        state.bodies.apart.clone_from(&saved[depth].bodies.apart);
        let mut joined = search.begin();
        join_contacts(group, &state.detected.contacts, Arc::make_mut(&mut joined));
        search.end(&joined);
        let mut found = search.begin();
        let (bodies, into) = (state.bodies.view(table, frames), Arc::make_mut(&mut found));
        search.find_pairs(&bodies, part.ahead(), &mut state.detected.pairs, into);
        let has_moved = |i: u32| group.moved[i as usize];
        search.find_contacts(&bodies, &state.detected.pairs, Known::of(&joined), has_moved, into);
        let is_crossed = have_crossed(&part.accuracy, &bodies, &group.moved, &joined.list, &found.list);
        detect::install(found, &mut state.detected, search);
        exchange.active.take(&joined);
        is_crossed
    }

    /// Lets the bodies awake for which `of` holds take no part in what follows.
    fn leave_apart(&mut self, of: impl Fn(usize) -> bool) {
        let (bodies, table) = (&mut self.state.bodies, &self.catalogue.bodies);
        for i in (0..table.len()).filter(|i| of(*i)) {
            bodies.apart[i] |= table.dynamic[i] && !bodies.asleep[i];
        }
    }
}

/// Gives a group its own of the contacts `before` a part, but for those with bodies that stay `apart`.
fn part_contacts(group: &Group, before: &Contacts, apart: &[bool], own: &mut Contacts) {
    let Group { members, after, .. } = group;
    let is_left_out = |c: &Contact| apart[c.a as usize] || apart[c.b as usize];
    own.list.clear();
    own.carried.clear();
    let of_group = before.list.iter().zip(&before.carried).filter(|(c, _)| is_of(c, members) && !is_left_out(c));
    for (c, carried) in of_group {
        own.list.push(*c);
        own.carried.push(*carried);
    }
    own.ahead = before.ahead;
    own.velocity.clone_from(&before.velocity);
    own.reach.clone_from(&before.reach);
    own.crowd = before.crowd;
    own.sights.clone_from(&before.sights);
    own.searched.clear();
    // Before the first search nobody was looked at.
    let searched = (0..members.len()).map(|i| if members[i] { before.searched.get(i) } else { after.searched.get(i) });
    let searched = searched.map(|reach| reach.copied().unwrap_or(0.0));
    own.searched.extend(searched);
}

/// Whether a body of a group has a part in a contact.
fn is_of(c: &Contact, members: &[bool]) -> bool {
    members[c.a as usize] || members[c.b as usize]
}

/// Joins the contacts of a group with those of the others, pair by pair.
fn join_contacts(group: &Group, own: &Contacts, joined: &mut Contacts) {
    joined.list.clear();
    joined.carried.clear();
    joined.searched.clone_from(&own.searched);
    let is_own = |(a, b): (u32, u32)| group.members[a as usize] || group.members[b as usize];
    joined.sights.join(&own.sights, &group.after.sights, is_own);
    let all = group.after.list.iter().zip(&group.after.carried);
    let mut others = all.filter(|(c, _)| !is_of(c, &group.members)).peekable();
    let mut push = |(c, carried): (&Contact, &Carried)| {
        joined.list.push(*c);
        joined.carried.push(*carried);
    };
    for of_group in own.list.iter().zip(&own.carried) {
        while let Some(other) = others.next_if(|(c, _)| c.pair() < of_group.0.pair()) {
            push(other);
        }
        push(of_group);
    }
    others.for_each(push);
}

/// Whether a body of `group` has come too near to one that is none of it, since contacts were as `before`.
fn have_crossed(
    accuracy: &Accuracy,
    bodies: &Bodies<'_>,
    group: &[bool],
    before: &[Contact],
    contacts: &[Contact],
) -> bool {
    contacts.iter().any(|c| {
        let (a, b) = (c.a as usize, c.b as usize);
        let both = bodies.dynamic[a] && bodies.dynamic[b] && group[a] != group[b];
        both && fails(accuracy, c.depth(), depth_of_pair(before, c.pair()), 1.0)
    })
}
