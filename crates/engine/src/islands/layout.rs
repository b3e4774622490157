//! Layout: where the bodies and the contacts of the islands stand in the solver's arrays.
//!
//! Island after island, so that every island is a contiguous piece of each array. A large island is laid out in blocks
//! ([`granule_solver::blocks`]) along its longest side: bodies that touch stand near each other, whatever the order in
//! which they were added.

use granule_islands::{Island, Islands};
use granule_solver::{Block, make_room};

use crate::islands::halves::Halves;
use crate::world::bodies::Bodies;
use crate::world::contact::Contact;

/// Where an island ends in the arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) bodies: usize,
    pub(super) rows: usize,
    pub(super) blocks: usize,
}

/// A contact with its two bodies, counted from the first body of its island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) contact: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// The layout of a step; the memory is kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// End of each island.
    pub(super) spans: Vec<Span>,
    /// Blocks of the islands that have some, ends counted from the first of their island.
    pub(super) blocks: Vec<Block>,
    /// Dense index of each body.
    pub(super) bodies: Vec<u32>,
    /// The contact of each row.
    pub(super) rows: Vec<Place>,
    /// Place of each body, by dense index; [`NOBODY`] of one that is in no island.
    slot: Vec<u32>,
    /// Island or block for which the place of a body that cannot move holds; such a body stands in each that it
    /// touches.
    holder: Vec<u32>,
    holders: u32,
    /// First body of the island under construction.
    first: usize,
}

/// Marks a body that stands nowhere, or not yet.
const NOBODY: u32 = u32::MAX;

impl Layout {
    /// Lays out the islands of a step; `awake` says which bodies can move, `halves` is scratch.
    pub(super) fn build(
        &mut self,
        islands: &Islands,
        bodies: &Bodies<'_>,
        awake: &[bool],
        contacts: &[Contact],
        halves: &mut Halves,
    ) {
        self.spans.clear();
        self.blocks.clear();
        self.bodies.clear();
        self.rows.clear();
        make_room(&mut self.rows, contacts.len());
        self.slot.clear();
        self.slot.resize(bodies.len(), NOBODY);
        self.holder.clear();
        self.holder.resize(bodies.len(), NOBODY);
        self.holders = 0;
        for island in islands.iter() {
            self.first = self.bodies.len();
            if halves.cut(&island, bodies, awake, contacts) {
                self.add_blocks(halves, awake, contacts);
            } else {
                self.add_whole(&island, awake, contacts);
            }
            let (bodies, rows, blocks) = (self.bodies.len(), self.rows.len(), self.blocks.len());
            self.spans.push(Span { bodies, rows, blocks });
        }
    }

    /// Place of a body that can move, by dense index; none of one without contact.
    pub(super) fn slot_of(&self, body: usize) -> Option<usize> {
        self.slot.get(body).filter(|slot| **slot != NOBODY).map(|slot| *slot as usize)
    }

    fn add_whole(&mut self, island: &Island<'_>, awake: &[bool], contacts: &[Contact]) {
        self.add_bodies(island.bodies);
        self.holders += 1;
        self.add_contacts(island.contacts, awake, contacts);
    }

    fn add_blocks(&mut self, halves: &Halves, awake: &[bool], contacts: &[Contact]) {
        let (first_row, first_block) = (self.rows.len(), self.blocks.len());
        let count = halves.block_count();
        for k in 0..count {
            let [left, right] = halves.bodies_of(k);
            self.holders += 1;
            self.add_bodies(left);
            for contact in halves.inside(k).iter().map(|c| &contacts[*c as usize]) {
                [contact.a, contact.b].into_iter().filter(|i| !awake[*i as usize]).for_each(|i| self.add_unmoving(i));
            }
            let middle = self.bodies.len() - self.first;
            self.add_bodies(right);
            if k > 0 {
                // These lead to bodies of this block, and stand before its own.
                self.add_contacts(halves.across(k - 1), awake, contacts);
                self.blocks[first_block + k - 1].across = self.rows.len() - first_row;
            }
            self.add_contacts(halves.inside(k), awake, contacts);
            let inside = self.rows.len() - first_row;
            self.blocks.push(Block { middle, bodies: self.bodies.len() - self.first, inside, across: inside });
        }
        self.add_contacts(halves.rest(), awake, contacts);
    }

    fn add_bodies(&mut self, bodies: &[u32]) {
        for body in bodies {
            self.slot[*body as usize] = self.bodies.len() as u32;
            self.bodies.push(*body);
        }
    }

    /// Gives a body that cannot move a place in the island or block under construction, unless it has one.
    fn add_unmoving(&mut self, body: u32) {
        let holder = &mut self.holder[body as usize];
        if std::mem::replace(holder, self.holders) != self.holders {
            self.add_bodies(&[body]);
        }
    }

    fn add_contacts(&mut self, which: &[u32], awake: &[bool], contacts: &[Contact]) {
        for c in which {
            let contact = &contacts[*c as usize];
            for body in [contact.a, contact.b] {
                if !awake[body as usize] {
                    self.add_unmoving(body);
                }
            }
            let [a, b] = [contact.a, contact.b].map(|body| self.slot[body as usize] - self.first as u32);
            self.rows.push(Place { contact: *c, a, b });
        }
    }
}
