//! The contacts of each body.

use super::Contacts;

/// The contacts that take part, all of them and by body; keeps its memory from use to use.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    active: Vec<u32>,
    /// Rows of each body that can move, in compressed form.
    first: Vec<u32>,
    adjacent: Vec<u32>,
}

impl Neighbours {
    /// Lists the contacts; `active` are those that take part, ascending.
    pub(crate) fn list(&mut self, contacts: &impl Contacts, active: impl Iterator<Item = u32>) {
        self.active.clear();
        self.active.extend(active);
        self.first.clear();
        self.first.resize(contacts.body_count() + 1, 0);
        let ends = |i: u32| contacts.ends(i as usize).into_iter().filter(|body| contacts.moves(*body));
        for body in self.active.iter().flat_map(|i| ends(*i)) {
            self.first[body as usize + 1] += 1;
        }
        for i in 1..self.first.len() {
            self.first[i] += self.first[i - 1];
        }
        self.adjacent.clear();
        self.adjacent.resize(self.first.last().copied().unwrap_or(0) as usize, 0);
        // Filled from the back, so that `first` ends as the start of each list.
        for i in self.active.iter().rev() {
            for body in ends(*i) {
                let end = &mut self.first[body as usize + 1];
                *end -= 1;
                self.adjacent[*end as usize] = *i;
            }
        }
        // Each entry now holds its own start one place too far right; the last one is the total again.
        self.first.remove(0);
        self.first.push(self.adjacent.len() as u32);
    }

    /// The contacts that take part, ascending.
    pub(crate) fn active(&self) -> &[u32] {
        &self.active
    }

    /// The contacts of a body that can move, ascending.
    pub(crate) fn rows_of(&self, body: u32) -> &[u32] {
        &self.adjacent[self.first[body as usize] as usize..self.first[body as usize + 1] as usize]
    }

    /// The largest approach speed of a contact \[m/s\].
    pub(crate) fn largest_approach(&self, contacts: &impl Contacts) -> f64 {
        self.active.iter().map(|i| -contacts.normal_velocity(*i as usize)).fold(0.0, f64::max)
    }
}
