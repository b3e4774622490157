//! Who makes a part alone together: whole islands, and worlds joined with what they may have met.
//!
//! A [`World`] is made of islands of listed contacts. What impacts have thrown further than was looked for may have
//! passed bodies of the whole that are not of it. These join it then, with those that hang together with them, and it
//! makes its part anew: where they are too many, or may not make a part alone, what the step made stands. Two capsules
//! that crossed in an open box lost 11 % of their energy in 2 s without, and a rod between walls that were driven to
//! and fro 4 %: the walls that it did not touch at first were no part of its world.
//!
//! When worlds are asked, and what follows if one is not made, is left to [`alone`](crate::step::alone).

use granule_islands::{Island, Islands};

use crate::step::scratch::World;
use crate::world::bodies::Table;
use crate::world::contact::Contacts;
use crate::world::state::State;

/// Bodies that can move in a world of their own, at most.
pub(crate) const FEW: usize = 24;

/// The whole that worlds are parts of.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) table: &'a Table,
    pub(crate) kept: &'a State,
    pub(crate) contacts: &'a Contacts,
    /// What hangs together by the contacts, sleepers included.
    pub(crate) islands: &'a Islands,
    /// Bodies that can move, but for those that have made the part.
    pub(crate) mobile: &'a [bool],
    /// Bodies of worlds that did not come to the end of a part of the step; empty where there are none.
    pub(crate) hopeless: &'a [bool],
}

impl Whole<'_> {
    /// Bodies of the contacts of an island.
    fn ends<'b>(&'b self, island: &'b Island<'_>) -> impl Iterator<Item = u32> + 'b {
        island.contacts.iter().flat_map(|c| <[u32; 2]>::from(self.contacts.list[*c as usize].pair()))
    }

    /// Whether an island may make a part alone, however many bodies it has.
    pub(crate) fn may_be_alone(&self, island: &Island<'_>) -> bool {
        self.ends(island).all(|i| self.may_take_part(i))
    }

    /// Whether a world in which the body is may be made: contacts of level-set grains come and go as bodies turn, and
    /// in a jam each world would take as long as the step.
    fn may_take_part(&self, i: u32) -> bool {
        let presses = self.kept.control.stood && self.table.is_driven(i as usize);
        !(presses || self.table.shape[i as usize].is_grain())
    }

    /// Whether one of so many bodies has tried in vain in this step.
    pub(crate) fn is_hopeless(&self, bodies: &[u32]) -> bool {
        bodies.iter().any(|i| self.hopeless.get(*i as usize).is_some_and(|hopeless| *hopeless))
    }

    fn is_mobile(&self, i: u32) -> bool {
        self.mobile[i as usize]
    }

    /// The island of a body that moves and has contacts.
    fn island_of(&self, i: u32) -> Option<Island<'_>> {
        self.islands.island_of(i).and_then(|k| self.islands.get(k)).filter(|_| self.is_mobile(i))
    }
}

impl World {
    /// Starts with nobody, and asks for nothing.
    pub(crate) fn begin(&mut self) {
        self.of.clear();
        self.contacts.clear();
        self.met.clear();
        (self.leaps, self.is_made, self.is_hopeless, self.is_squeezed) = (false, false, false, false);
        (self.is_asked, self.only_if_hit) = (false, false);
    }

    /// Takes in an island; bodies are put in order by [`World::ask`].
    pub(crate) fn take(&mut self, whole: &Whole<'_>, island: &Island<'_>) {
        let Contacts { list, carried, .. } = whole.contacts;
        self.contacts.extend(island.contacts.iter().map(|c| (list[*c as usize], carried[*c as usize])));
        self.of.extend_from_slice(island.bodies);
        self.of.extend(whole.ends(island).filter(|i| !whole.is_mobile(*i)));
    }

    /// Puts bodies and contacts in the order in which the whole has them, and asks it to make its part.
    pub(crate) fn ask(&mut self) {
        self.is_asked = true;
        self.of.sort_unstable();
        self.of.dedup();
        // Those of a pair are of one island, and keep their order.
        self.contacts.sort_by_key(|(c, _)| c.pair());
    }

    fn holds(&self, i: u32) -> bool {
        self.of.binary_search(&i).is_ok()
    }

    /// Its bodies that can move.
    fn movable<'a>(&'a self, whole: &'a Whole<'_>) -> impl Iterator<Item = u32> + 'a {
        self.of.iter().copied().filter(|i| whole.is_mobile(*i))
    }
}

/// Joins worlds with what they may have met, and asks them anew; whether there is one to ask.
pub(crate) fn join_met(worlds: &mut [World], whole: &Whole<'_>) -> bool {
    for k in 0..worlds.len() {
        let mut met = std::mem::take(&mut worlds[k].met);
        if !met.is_empty() {
            met.iter_mut().for_each(|i| *i = first_beside(worlds, whole, *i));
            met.sort_unstable();
            met.dedup();
            if may_join(worlds, whole, k, &met) {
                met.iter().for_each(|i| join(worlds, whole, k, *i));
                worlds[k].ask();
            }
            met.clear();
        }
        worlds[k].met = met;
    }
    worlds.iter().any(|world| world.is_asked)
}

/// Who stands for all that would join with a body: the first of its world or of its island that can move, or itself.
fn first_beside(worlds: &[World], whole: &Whole<'_>, i: u32) -> u32 {
    if !whole.is_mobile(i) {
        return i;
    }
    let of_world = worlds.iter().find(|world| world.holds(i)).and_then(|world| world.movable(whole).next());
    of_world.or_else(|| whole.island_of(i).and_then(|island| island.bodies.first().copied())).unwrap_or(i)
}

/// Whether the world of number `k` may make a part with those for whom `met` stand.
fn may_join(worlds: &[World], whole: &Whole<'_>, k: usize, met: &[u32]) -> bool {
    let mut count = worlds[k].movable(whole).count();
    for i in met {
        let world = worlds.iter().find(|world| whole.is_mobile(*i) && world.holds(*i));
        let island = whole.island_of(*i);
        let may = match (&world, &island) {
            (Some(world), _) => !world.is_hopeless,
            (None, Some(island)) => whole.may_be_alone(island) && !whole.is_hopeless(island.bodies),
            (None, None) => whole.may_take_part(*i),
        };
        count += match (world, island) {
            (Some(world), _) => world.movable(whole).count(),
            (None, Some(island)) => island.bodies.len(),
            (None, None) => usize::from(whole.is_mobile(*i)),
        };
        if !may || count > FEW {
            return false;
        }
    }
    true
}

/// Lets the world of number `k` take in those for whom `i` stands.
fn join(worlds: &mut [World], whole: &Whole<'_>, k: usize, i: u32) {
    let other = worlds.iter().position(|world| whole.is_mobile(i) && world.holds(i));
    if let Some(other) = other.filter(|other| *other != k) {
        let Ok([world, other]) = worlds.get_disjoint_mut([k, other]) else { return };
        world.of.append(&mut other.of);
        world.contacts.append(&mut other.contacts);
        world.only_if_hit &= other.only_if_hit;
        other.begin();
        return;
    }
    match whole.island_of(i) {
        Some(island) => worlds[k].take(whole, &island),
        None => worlds[k].of.push(i),
    }
}
