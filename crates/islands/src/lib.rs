//! Connected components of the contact graph.
//!
//! Two dynamic bodies are of one island when a chain of contacts over dynamic bodies joins them. Static and driven
//! bodies join nothing: an impulse cannot pass through a body that does not yield. Islands are therefore independent of
//! each other within a step and may be solved in any order.
//!
//! This crate reads pairs of indices only, never positions, velocities or shapes. How an island is solved is left to
//! `granule-solver`, which bodies sleep to `granule-engine`.

/// The islands of one set of contacts; the buffers are kept from one [`build`](Islands::build) to the next.
///
/// Lists are stored one after the other with the start of each (CSR), so that a warm build allocates nothing.
/// Invariant: the order depends on the body indices and the order of the contacts alone.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    /// Union-find forest; the root of a tree is its smallest body.
    parent: Vec<u32>,
    /// Island of each body, or `NONE`.
    island_of: Vec<u32>,
    /// The same of each contact.
    island_of_contact: Vec<u32>,
    contact_start: Vec<u32>,
    contacts: Vec<u32>,
    body_start: Vec<u32>,
    bodies: Vec<u32>,
    free_bodies: Vec<u32>,
    loose_contacts: Vec<u32>,
}

/// One island: what it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Island<'a> {
    /// Indices into the list of contacts, ascending.
    pub contacts: &'a [u32],
    /// Dense indices of its dynamic bodies, ascending.
    pub bodies: &'a [u32],
}

const NONE: u32 = u32::MAX;

impl Islands {
    /// Finds the islands of `pairs`, the two bodies of each contact.
    ///
    /// `dynamic[i]` tells whether body `i` has finite mass; `body_count` is its length. A contact of a dynamic with
    /// another body belongs to the island of the dynamic one; a contact of two bodies without finite mass belongs to no
    /// island and is listed by [`loose_contacts`](Islands::loose_contacts). Takes O(bodies + contacts) time but for the
    /// inverse Ackermann factor of union-find.
    ///
    /// # Panics
    /// When a pair names a body at or beyond `body_count`, when `dynamic` is shorter than `body_count`, or when there
    /// are 2^32 - 1 bodies or contacts: the caller's dense indices are broken then.
    pub fn build(&mut self, body_count: usize, dynamic: &[bool], pairs: &[(u32, u32)]) {
        let dynamic = &dynamic[..body_count];
        assert!(body_count < NONE as usize && pairs.len() < NONE as usize, "dense indices are 32 bits wide");
        self.join(dynamic, pairs);
        let count = self.number(dynamic, pairs);
        group(count, &mut self.body_start, &mut self.bodies, &self.island_of);
        let Islands { island_of, island_of_contact, .. } = self;
        // Of two bodies in a contact the one that is in no island cannot move.
        island_of_contact.clear();
        island_of_contact.extend(pairs.iter().map(|&(a, b)| island_of[a as usize].min(island_of[b as usize])));
        group(count, &mut self.contact_start, &mut self.contacts, island_of_contact);
        self.free_bodies.clear();
        self.free_bodies
            .extend((0..body_count as u32).filter(|&i| dynamic[i as usize] && island_of[i as usize] == NONE));
        self.loose_contacts.clear();
        if self.contacts.len() < pairs.len() {
            let loose = (0..pairs.len() as u32).filter(|c| island_of_contact[*c as usize] == NONE);
            self.loose_contacts.extend(loose);
        }
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.body_start.len().saturating_sub(1)
    }

    /// True when there is no island.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Island number `index` in the order of the islands' smallest bodies; `None` beyond the last.
    pub fn get(&self, index: usize) -> Option<Island<'_>> {
        (index < self.len()).then(|| Island {
            contacts: &self.contacts[range(&self.contact_start, index)],
            bodies: &self.bodies[range(&self.body_start, index)],
        })
    }

    /// All islands, by their smallest body.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Island<'_>> {
        (0..self.len()).map(|i| Island {
            contacts: &self.contacts[range(&self.contact_start, i)],
            bodies: &self.bodies[range(&self.body_start, i)],
        })
    }

    /// The island of a body; `None` for a body without contact, without finite mass, or out of range.
    pub fn island_of(&self, body: u32) -> Option<usize> {
        self.island_of.get(body as usize).filter(|&&i| i != NONE).map(|&i| i as usize)
    }

    /// Dynamic bodies without contact, ascending.
    pub fn free_bodies(&self) -> &[u32] {
        &self.free_bodies
    }

    /// Contacts between two bodies without finite mass, ascending: nothing can be solved there.
    pub fn loose_contacts(&self) -> &[u32] {
        &self.loose_contacts
    }

    /// Builds the forest of bodies joined by contacts.
    fn join(&mut self, dynamic: &[bool], pairs: &[(u32, u32)]) {
        self.parent.clear();
        self.parent.extend(0..dynamic.len() as u32);
        for &(a, b) in pairs {
            if dynamic[a as usize] && dynamic[b as usize] {
                let (a, b) = (find(&mut self.parent, a), find(&mut self.parent, b));
                // The smaller root wins: the root of an island is its smallest body whatever the order of the contacts.
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
    }

    /// Numbers the islands by their smallest body and notes the island of each body; returns how many there are.
    fn number(&mut self, dynamic: &[bool], pairs: &[(u32, u32)]) -> usize {
        const TOUCHED: u32 = 0;
        self.island_of.clear();
        self.island_of.resize(dynamic.len(), NONE);
        for &(a, b) in pairs {
            for body in [a as usize, b as usize] {
                if dynamic[body] {
                    self.island_of[body] = TOUCHED;
                }
            }
        }
        let mut count = 0;
        for body in 0..dynamic.len() {
            if self.island_of[body] == NONE {
                continue;
            }
            let root = find(&mut self.parent, body as u32) as usize;
            // A root comes before every other body of its island, so its number is known when they ask for it.
            if root == body {
                self.island_of[body] = count;
                count += 1;
            } else {
                self.island_of[body] = self.island_of[root];
            }
        }
        count as usize
    }
}

/// Root of the tree of `body`; halves the path on the way.
fn find(parent: &mut [u32], mut body: u32) -> u32 {
    while parent[body as usize] != body {
        let above = parent[parent[body as usize] as usize];
        parent[body as usize] = above;
        body = above;
    }
    body
}

fn range(start: &[u32], index: usize) -> std::ops::Range<usize> {
    start[index] as usize..start[index + 1] as usize
}

/// Counting sort of the items 0, 1, 2, ... by their group; items of group `NONE` are left out. Order within a group is
/// kept.
fn group(count: usize, start: &mut Vec<u32>, items: &mut Vec<u32>, group_of: &[u32]) {
    start.clear();
    start.resize(count + 1, 0);
    items.clear();
    if count == 1 {
        // A pile is one island: nothing to sort.
        items.extend((0..group_of.len() as u32).filter(|item| group_of[*item as usize] != NONE));
        start[1] = items.len() as u32;
        return;
    }
    for group in group_of.iter().filter(|g| **g != NONE) {
        start[*group as usize] += 1;
    }
    // Exclusive running sum: the place of the next item of each group.
    let mut total = 0;
    for slot in start.iter_mut() {
        total += std::mem::replace(slot, total);
    }
    items.resize(total as usize, 0);
    for (item, group) in group_of.iter().enumerate().filter(|(_, g)| **g != NONE) {
        let next = &mut start[*group as usize];
        items[*next as usize] = item as u32;
        *next += 1;
    }
    // Every entry now holds the end of its group, which is the start of the next.
    start.rotate_right(1);
    start[0] = 0;
}
