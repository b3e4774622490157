//! Few bodies that are struck make their part of a step alone, from impact to impact.
//!
//! A step that takes all contacts together stops bodies before they touch, by their gap over the step, and gives the
//! energy back at its end. That is right on average, as in packs, and wrong for each impact: of first order in the
//! step, a ball that bounces loses up to `2 g dt / v` of its height, one that strikes obliquely spins by the arm
//! `R + gap/2`, and what a chain of balls does hangs on where within the step they meet. So bodies that hang together
//! with nothing but few others are taken out of the step where something strikes among them: with what they may meet
//! they become a [`World`] of their own, which goes from touch to touch ([`event`](crate::step::event)) to the end of
//! the part. What it comes to takes the place of what the step made of them.
//!
//! **Who.** Bodies are of one world when listed contacts join them, sleepers included: what a hit may set in motion
//! within the step is listed ([`reach`](crate::contacts::reach)). What turns beside others that it may meet so makes a
//! world with them as well, struck or not: a rod that made a turn in two steps swept through a ball. Whom one may have
//! met though nobody had looked so far joins it ([`join`](crate::step::join)). There are at most [`FEW`] in a world,
//! and no level-set grains, be they floors: their contacts are nodes of a surface, which come and go as bodies turn. A
//! grain between the floor and one of 100 000 times its mass did not come to rest. A world that does not end within its
//! moves, in which the law has no answer, in which bodies sink into each other, or from which one may have met others
//! that do not join it, is forgotten, and what the step made stands. One in which bodies are hit hard goes on beyond
//! its moves, and is tried again in pieces of the step if they leap, until [`MOST_FUTILE`] is spent; not where a driven
//! body squeezes one of it, for in a jam each piece would take as long. Nor do bodies that driven ones press make a
//! world in a step after one in which such a body had to stand.
//!
//! **A crowd.** Where some leap ([`LEAP`]) in a gas of more bodies, of which next to none lie on others, or in a world
//! that is forgotten, the part is divided for them until islands are small, as for contacts that were
//! pressed too deep. Sixty hulls that cross a fifth of their box in a step lost 53 % of their energy in 0.5 s when the
//! step took them together, and lose none so.
//!
//! How a world makes its part is left to [`few`](crate::step::few), of whom it is to [`join`](crate::step::join), how
//! what it comes to enters the part to [`beside`](crate::step::beside).

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::contacts::turning::{FAR, is_carried_round, turn_of};
use crate::islands::limits::LEAP;
use crate::step::attempt::Step;
use crate::step::few::Origin;
use crate::step::join::{FEW, Whole, join_met, next, settle};
use crate::step::part::Part;
use crate::step::scratch::{Alone, Exchange, Scratch, Workspace, World};
use crate::step::substep::Solved;
use crate::world::bodies::{Bodies, BodyState, Table};
use crate::world::catalogue::Catalogue;
use crate::world::contact::{Contact, Contacts};
use crate::world::state::State;

/// How often worlds are joined with what they may have met in a part.
const JOINS: usize = 4;

/// Contacts times moves that worlds of a step may take for nothing, and beyond those that any world may take: a second
/// or two. A ball between a wall and one of 1e6 times its mass takes 9400. Without a bound 24 rocks before a blade took
/// 14 s for a step.
const MOST_FUTILE: usize = 400_000;

/// Turn in a part up to which bodies come along straight lines, to less than a millionth of their size \[rad\].
const STRAIGHT: f64 = 1e-3;

/// Contacts that lie, for each body, up to which many bodies are a gas, whose impacts are few at a time.
const SPARSE: f64 = 0.25;

impl Step<'_> {
    /// Makes the part that is solved again for few bodies that are struck in it, each world by itself from the state
    /// that is kept at `depth`. What they come to enters when the part is ended.
    pub(crate) fn make_alone(&mut self, part: &Part, depth: usize, solved: &mut Solved) {
        let Scratch { alone, exchange, saved, frames, loads, .. } = &mut *self.scratch;
        if !self.catalogue.settings.stepping.resolves_touches() {
            return;
        }
        let from = Origin { kept: &saved[depth], looked: &self.state.detected.contacts, frames };
        let bodies = from.kept.bodies.view(&self.catalogue.bodies, frames);
        let gravity = self.catalogue.gravity().length();
        alone.find_swinging(&bodies, &exchange.active.all().list, gravity, part.dt);
        let may_be_met = !alone.swinging.is_empty() || !alone.curving.is_empty();
        if may_be_met || exchange.problems.struck().next().is_some() {
            solved.resume_impact();
            alone.run(self.catalogue, part, &from, exchange, loads.is_on);
        }
    }
}

impl Alone {
    fn run(&mut self, catalogue: &Catalogue, part: &Part, from: &Origin<'_>, exchange: &Exchange, records_loads: bool) {
        let Exchange { active, problems, impact, .. } = exchange;
        let table = &catalogue.bodies;
        let leap = part.dt / LEAP;
        let struck = problems.struck().filter_map(|island| island.bodies.first().copied());
        self.find_worlds(table, from.kept, struck, active.all(), leap);
        let Alone { worlds, in_use, workspaces, futile, islands, mobile, hopeless, parted, .. } = &mut *self;
        let whole = Whole { table, kept: from.kept, contacts: active.all(), islands, mobile, hopeless, parted };
        let (workspaces, may_try_again) = (&*workspaces, *futile < MOST_FUTILE);
        let run = |world: &mut World, share: usize| {
            if std::mem::take(&mut world.is_asked) {
                let mut workspace = lock(workspaces).pop().unwrap_or_default();
                world.leaps = leaps(world.contacts.iter().map(|(c, _)| c), &from.kept.bodies, leap);
                world.make(catalogue, from, part, share, records_loads, &mut workspace);
                lock(workspaces).push(workspace);
            }
        };
        for turn in 0.. {
            let asked_of = &mut worlds[..*in_use];
            let asked = asked_of.iter().filter(|world| world.is_asked).count();
            // An equal share for each, as none knows what others spend meanwhile.
            let share = MOST_FUTILE.saturating_sub(*futile) / asked.max(1);
            if asked > 1 {
                asked_of.par_iter_mut().for_each(|world| run(world, share));
            } else {
                asked_of.iter_mut().for_each(|world| run(world, share));
            }
            *futile += asked_of.iter_mut().map(|world| std::mem::take(&mut world.spent)).sum::<usize>();
            if turn == JOINS || !join_met(worlds, in_use, &whole) {
                break;
            }
        }
        let worlds = &mut worlds[..*in_use];
        settle(worlds, parted, table.len());
        worlds.iter_mut().filter(|world| world.only_if_hit && world.report.hits == 0).for_each(World::begin);
        let may_divide = |world: &World| may_try_again && !world.is_squeezed;
        self.crowd_of(table, |world| !world.is_made && (!world.is_hopeless || may_divide(world)));
        for world in self.worlds[..self.in_use].iter().filter(|world| world.is_hopeless) {
            self.hopeless.resize(table.len(), false);
            world.of.iter().filter(|i| table.dynamic[**i as usize]).for_each(|i| self.hopeless[*i as usize] = true);
        }
        let worlds = &self.worlds[..self.in_use];
        if !worlds.iter().any(|world| world.is_made) {
            return;
        }
        self.members.resize(table.len(), false);
        for world in worlds.iter().filter(|world| world.is_made) {
            world.of.iter().filter(|i| table.dynamic[**i as usize]).for_each(|i| self.members[*i as usize] = true);
        }
        // Laws that resolve impacts cluster by cluster book them together.
        let is_torn = || impact.struck.iter().zip(&self.members).any(|(struck, member)| *struck && !member);
        if !catalogue.settings.law.is_released() && is_torn() {
            self.crowd_of(table, |world| world.is_made);
            self.forget();
        }
    }

    /// Finds the bodies that others beside which they turn may meet in a part of `dt` \[s\] though no contact of theirs
    /// closes along a straight line, under `gravity` \[m/s2\].
    fn find_swinging(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], gravity: f64, dt: f64) {
        let Alone { swinging, curving, .. } = self;
        swinging.clear();
        curving.clear();
        for c in contacts.iter().filter(|c| c.gap > 0.0) {
            let turns = [c.a, c.b].map(|i| turn_of(bodies, bodies.velocity, i as usize, dt));
            let most = turns[0].max(turns[1]);
            let awake = [c.a, c.b].into_iter().filter(|i| bodies.awake(*i as usize));
            if most > FAR {
                swinging.extend(awake);
            } else if most > STRAIGHT && !c.is_near() && curves_in(bodies, c, turns, gravity, dt) {
                curving.extend(awake);
            }
        }
    }

    /// Says of the worlds for which `of` holds that they are crowds, if something leaps in them: none is hopeless then.
    fn crowd_of(&mut self, table: &Table, of: impl Fn(&World) -> bool) {
        let Alone { worlds, in_use, crowd, .. } = self;
        for world in worlds[..*in_use].iter_mut().filter(|world| world.leaps && of(world)) {
            world.is_hopeless = false;
            crowd.extend(world.of.iter().filter(|i| table.dynamic[**i as usize]));
        }
    }

    /// Finds the worlds in which a body is `struck`, or swings: who is of each.
    fn find_worlds(
        &mut self,
        table: &Table,
        kept: &State,
        struck: impl Iterator<Item = u32>,
        contacts: &Contacts,
        leap: f64,
    ) {
        let Alone {
            pairs, mobile, islands, is_taken, worlds, in_use, hopeless, parted, crowd, swinging, curving, ..
        } = self;
        mobile.clear();
        mobile.extend((0..table.len()).map(|i| table.dynamic[i] && !kept.bodies.apart[i]));
        pairs.clear();
        pairs.extend(contacts.list.iter().map(Contact::pair));
        islands.build(table.len(), mobile, pairs);
        is_taken.clear();
        is_taken.resize(islands.len(), false);
        let whole = Whole { table, kept, contacts, islands, mobile, hopeless, parted };
        let struck = struck.chain(swinging.iter().copied()).map(|i| (i, false));
        let asked = struck.chain(curving.iter().map(|i| (*i, true)));
        for (k, only_if_hit) in asked.filter_map(|(i, only_if_hit)| Some((islands.island_of(i)?, only_if_hit))) {
            let Some(island) = islands.get(k).filter(|_| !is_taken[k]) else { continue };
            if !whole.may_be_alone(&island) {
                continue;
            }
            is_taken[k] = true;
            if island.bodies.len() > FEW {
                let own = || island.contacts.iter().map(|c| &contacts.list[*c as usize]);
                if !only_if_hit
                    && leaps(own(), &kept.bodies, leap)
                    && is_gas(own(), island.bodies.len(), &kept.bodies, leap)
                {
                    crowd.extend_from_slice(island.bodies);
                }
                continue;
            }
            if whole.is_hopeless(island.bodies) {
                continue;
            }
            let k = next(worlds, in_use);
            let world = &mut worlds[k];
            world.only_if_hit = only_if_hit;
            world.take(&whole, &island);
            world.ask();
        }
    }
}

/// The workspaces that nobody uses; one that a panic has left is made anew like any other.
fn lock(workspaces: &Mutex<Vec<Workspace>>) -> MutexGuard<'_, Vec<Workspace>> {
    workspaces.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an open contact that carries nobody round may close in a time `dt` \[s\] in which its bodies make so many
/// `turns` \[rad\]: its gap may fall faster by the acceleration of a corner, and of a face that turns under what passes
/// it ([`turning`](crate::contacts::turning)).
fn curves_in(bodies: &Bodies<'_>, c: &Contact, turns: [f64; 2], gravity: f64, dt: f64) -> bool {
    let of_corner = |i: u32, turn: f64| turn.powi(2) * (c.point - bodies.pose[i as usize].position).length();
    let of_face = 2.0 * turns[0].max(turns[1]) * c.speed(bodies.pose, bodies.velocity) * dt;
    let by_turning = of_corner(c.a, turns[0]) + of_corner(c.b, turns[1]) + of_face;
    let comes = (gravity * dt - c.normal_velocity(bodies.pose, bodies.velocity)) * dt;
    comes + 0.5 * by_turning >= c.gap && !is_carried_round(bodies, c, bodies.velocity, dt)
}

/// Whether next to nothing of an island of so many bodies lies on others: touches, and neither comes nor leaves by as
/// much as leaps, its thickness in the time `leap` \[s\].
fn is_gas<'a>(contacts: impl Iterator<Item = &'a Contact>, count: usize, bodies: &BodyState, leap: f64) -> bool {
    let way = |c: &Contact| c.normal_velocity(&bodies.pose, &bodies.velocity).abs() * leap;
    let lying = contacts.filter(|c| c.touches() && way(c) <= c.thickness).count();
    lying as f64 <= SPARSE * count as f64
}

/// Whether something comes a good part of the way through another body: beyond touch by its thickness in the time
/// `leap` \[s\].
fn leaps<'a>(mut contacts: impl Iterator<Item = &'a Contact>, bodies: &BodyState, leap: f64) -> bool {
    let way = |c: &Contact| -c.normal_velocity(&bodies.pose, &bodies.velocity) * leap;
    contacts.any(|c| way(c) > c.gap.max(0.0) + c.thickness)
}
