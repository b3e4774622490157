//! Who makes a part alone together: whole islands, and worlds joined with what they may have met.
//!
//! A [`World`] is made of islands of listed contacts. What impacts have thrown further than was looked for may have
//! passed bodies of the whole that are not of it. A world is asked then in which these are as well, with those that
//! hang together with them: where they are too many, or may not make a part alone, what the step made stands. Where
//! the whole gives up as a driven body squeezes one of it, those of its worlds stand that had made the part: a blade
//! drove a body into a wedge by 2.5 % of its thickness when a world in vain took with it those beside it. Two capsules
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
    /// Bodies of worlds that, joined, could not make a part of the step; empty where there are none.
    pub(crate) parted: &'a [bool],
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

    /// Whether one of so many bodies has joined others in vain in this step.
    fn are_parted(&self, bodies: &[u32]) -> bool {
        bodies.iter().any(|i| self.is_mobile(*i) && self.parted.get(*i as usize).is_some_and(|parted| *parted))
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
        (self.is_asked, self.only_if_hit, self.is_union) = (false, false, false);
        (self.joined, self.stands, self.is_over) = (None, false, false);
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

/// Asks worlds, in place of those of which they are the whole, that hold as well what these may have met; whether there
/// is one to ask. The first `in_use` of the list are worlds of the part; those asked follow them.
pub(crate) fn join_met(worlds: &mut Vec<World>, in_use: &mut usize, whole: &Whole<'_>) -> bool {
    for k in 0..*in_use {
        let mut met = std::mem::take(&mut worlds[k].met);
        if !met.is_empty() && worlds[k].joined.is_none() {
            met.iter_mut().for_each(|i| *i = first_beside(&worlds[..*in_use], whole, *i));
            met.sort_unstable();
            met.dedup();
            if may_join(&worlds[..*in_use], whole, k, &met) {
                let union = next(worlds, in_use);
                (worlds[union].is_union, worlds[union].only_if_hit) = (true, worlds[k].only_if_hit);
                let worlds = &mut worlds[..*in_use];
                put_into(worlds, union, k);
                met.iter().for_each(|i| join(worlds, whole, union, *i));
                worlds[union].ask();
            }
        }
        met.clear();
        worlds[k].met = met;
    }
    worlds[..*in_use].iter().any(|world| world.is_asked)
}

/// Starts another world of the part; its number.
pub(crate) fn next(worlds: &mut Vec<World>, in_use: &mut usize) -> usize {
    if worlds.len() == *in_use {
        worlds.push(World::default());
    }
    worlds[*in_use].begin();
    *in_use += 1;
    *in_use - 1
}

/// Forgets worlds that joined others, but where the whole gave up as a driven body squeezes one of it: they stand for
/// themselves again, and the bodies of the whole are `parted`. Otherwise what is left unmade is the whole, so that the
/// part is divided for it if it leaps.
pub(crate) fn settle(worlds: &mut [World], parted: &mut Vec<bool>, bodies: usize) {
    // A whole comes after those of which it is.
    for k in (0..worlds.len()).rev() {
        let world = &worlds[k];
        let is_over = world.joined.is_some_and(|j| worlds[j].stands || worlds[j].is_over);
        let stands = !(is_over || world.is_union && world.is_squeezed);
        if !(stands || is_over) {
            parted.resize(bodies, false);
            world.of.iter().for_each(|i| parted[*i as usize] = true);
        }
        if !stands {
            worlds[k].begin();
        }
        (worlds[k].is_over, worlds[k].stands) = (is_over, stands);
    }
}

/// Who stands for all that would join with a body: the first of its world or of its island that can move, or itself.
fn first_beside(worlds: &[World], whole: &Whole<'_>, i: u32) -> u32 {
    if !whole.is_mobile(i) {
        return i;
    }
    let of_world = world_of(worlds, whole, i).and_then(|k| worlds[k].movable(whole).next());
    of_world.or_else(|| whole.island_of(i).and_then(|island| island.bodies.first().copied())).unwrap_or(i)
}

/// The number of the world in which a body is that can move.
fn world_of(worlds: &[World], whole: &Whole<'_>, i: u32) -> Option<usize> {
    worlds.iter().position(|world| world.joined.is_none() && whole.is_mobile(i) && world.holds(i))
}

/// Whether the world of number `k` may make a part with those for whom `met` stand.
fn may_join(worlds: &[World], whole: &Whole<'_>, k: usize, met: &[u32]) -> bool {
    if whole.are_parted(&worlds[k].of) {
        return false;
    }
    let mut count = worlds[k].movable(whole).count();
    for i in met {
        let world = world_of(worlds, whole, *i).map(|k| &worlds[k]);
        let island = whole.island_of(*i);
        let may = match (&world, &island) {
            (Some(world), _) => !world.is_hopeless && !whole.are_parted(&world.of),
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

/// Lets the world of number `union` take in those for whom `i` stands.
fn join(worlds: &mut [World], whole: &Whole<'_>, union: usize, i: u32) {
    match (world_of(worlds, whole, i), whole.island_of(i)) {
        (Some(other), _) => put_into(worlds, union, other),
        (None, Some(island)) => worlds[union].take(whole, &island),
        (None, None) => worlds[union].of.push(i),
    }
}

/// Lets the world of number `k` be part of that of number `union`, a later one. A whole that was not made yet hands on
/// those of which it is, as it can stand for none of them.
fn put_into(worlds: &mut [World], union: usize, k: usize) {
    let Ok([into, world]) = worlds.get_disjoint_mut([union, k]) else { return };
    into.of.extend_from_slice(&world.of);
    into.contacts.extend_from_slice(&world.contacts);
    into.only_if_hit &= world.only_if_hit;
    if world.is_union && world.is_asked {
        world.begin();
        worlds.iter_mut().filter(|world| world.joined == Some(k)).for_each(|world| world.joined = Some(union));
    } else {
        (world.joined, world.is_asked) = (Some(union), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A world of a body, in the state in which a turn leaves it.
    fn world(body: u32, is_made: bool) -> World {
        World { of: vec![body], is_made, ..World::default() }
    }

    /// Two worlds join in one that joins a third before it was made, and a driven body squeezes the whole: whoever had
    /// made the part stands.
    #[test]
    fn a_whole_that_was_never_made_stands_for_nobody() {
        let asked = World { is_union: true, is_asked: true, ..World::default() };
        let whole = World { is_union: true, ..World::default() };
        let mut worlds = vec![world(1, false), world(2, true), world(3, true), asked, whole];
        for (k, union) in [(0, 3), (1, 3), (2, 4), (3, 4)] {
            put_into(&mut worlds, union, k);
        }
        let mut of = worlds[4].of.clone();
        of.sort_unstable();
        assert_eq!(of, [1, 2, 3]);
        (worlds[4].is_asked, worlds[4].is_hopeless, worlds[4].is_squeezed) = (false, true, true);
        let mut parted = Vec::new();
        settle(&mut worlds, &mut parted, 4);
        let made: Vec<&[u32]> = worlds.iter().filter(|w| w.is_made).map(|w| &w.of[..]).collect();
        assert_eq!(made, [[2], [3]]);
        assert_eq!(parted, [false, true, true, true]);
    }

    /// A whole that was made stands for all of which it is, and so does one that gave up where nobody is squeezed.
    #[test]
    fn a_whole_stands_for_those_of_which_it_is() {
        for is_made in [true, false] {
            let whole = World { is_union: true, ..World::default() };
            let mut worlds = vec![world(1, true), world(2, true), whole];
            [0, 1].into_iter().for_each(|k| put_into(&mut worlds, 2, k));
            (worlds[2].is_made, worlds[2].is_hopeless) = (is_made, !is_made);
            let mut parted = Vec::new();
            settle(&mut worlds, &mut parted, 3);
            let stands: Vec<usize> = worlds.iter().filter(|w| w.stands).map(|w| w.of.len()).collect();
            assert_eq!((stands, parted.len()), (vec![2], 0));
            assert!(worlds[..2].iter().all(|w| !w.is_made && w.of.is_empty()));
        }
    }
}
