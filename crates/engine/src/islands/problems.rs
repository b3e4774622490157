//! Phases `islands`, `contact` and `release`: the contacts of the step as independent problems for the solver.
//!
//! Bodies and rows are laid out island after island (`layout`), so that every island is a contiguous piece of each
//! array and pieces can be handed to threads without sharing. Static and driven bodies are copied into every island or
//! block that touches them.

use granule_islands::Islands;
use granule_model::{Coefficients, DMat3, DVec3, InverseInertia, Velocity};
use granule_solver::release;
use granule_solver::stage::{self, carried_round, driven_work, driven_work_on_star};
use granule_solver::{ContactState, HitSettings, Island, Row, RowInput, SolverBody, SweepCounts, Tracking, make_room};

use rayon::prelude::*;

use crate::islands::halves::Halves;
use crate::islands::impact::{Impact, ImpactTotals, Standing};
use crate::islands::layout::{Layout, Place, Span};
use crate::islands::limits::{BACK, LEAP, Limits, SLOW_AND_FEW, Scale};
use crate::islands::pieces::{Outcome, Pieces};
use crate::islands::scratch::Lender;
use crate::islands::sleep::{Sleep, Sleepers};
use crate::world::account::{Account, stands, sum_of};
use crate::world::bodies::Bodies;
use crate::world::contact::{Carried, Contact, Halfway, Turned};
use crate::world::load::Load;
use crate::world::parallel;

/// All islands of a step; the memory is kept from step to step.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    islands: Islands,
    pairs: Vec<(u32, u32)>,
    awake: Vec<bool>,
    /// Where everything stands in the arrays below.
    layout: Layout,
    /// Scratch of the layout.
    halves: Halves,
    bodies: Vec<SolverBody>,
    tensors: Vec<DMat3>,
    unforced: Vec<Velocity>,
    rows: Vec<Row>,
    outcomes: Vec<Outcome>,
    scratch: Lender,
}

/// Sums over the islands of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) sweeps: u32,
    pub(crate) residual: f64,
    pub(crate) unconverged: u32,
    pub(crate) scaled: u32,
    pub(crate) hits: u32,
    pub(crate) rounds: u32,
    pub(crate) impulses: u64,
    pub(crate) forced: u32,
    pub(crate) cut_short: u32,
    pub(crate) resolved: u32,
    pub(crate) substituted: u32,
    pub(crate) fallbacks: u32,
    /// Work of driven bodies on E*.
    pub(crate) driven_work: f64,
    pub(crate) friction: f64,
    pub(crate) impact: f64,
    /// What contacts took from E* that is neither.
    pub(crate) contact: f64,
    /// Change of kinetic energy by contact stage and release, net of driven bodies.
    pub(crate) kinetic_change: f64,
    /// Largest relative rise of kinetic energy in phase `impact`.
    pub(crate) impact_gain: f64,
    /// Energy error of the impact book.
    pub(crate) impact_error: f64,
}

/// What the islands of a step are laid out from.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) bodies: &'a Bodies<'a>,
    pub(crate) contacts: &'a [Contact],
    /// What these carried in the last step.
    pub(crate) carried: &'a [Carried],
    /// Velocities before the forces of the step.
    pub(crate) unforced: &'a [Velocity],
    /// Step \[s\].
    pub(crate) dt: f64,
    /// Overlap that is judged where a step leaves more, over the thickness \[-\].
    pub(crate) overlap_bound: f64,
}

/// What of an overlap's bound no rounding of it reaches: contacts beyond that share are looked at one by one.
const SURELY: f64 = 1.0 - 1e-12;
/// Rows of an island from which on it is not asked whether something in it was struck, unless bodies leap ([`LEAP`]):
/// no island of few bodies has so many.
const MANY: usize = 1000;
/// Rows of an island from which on they are prepared on all threads.
const PARALLEL: usize = 4096;

impl Given<'_> {
    /// What the solver is told of a contact.
    fn row_input(&self, place: &Place, coefficients: Coefficients, gap: f64, turned: Turned) -> RowInput {
        let contact = &self.contacts[place.contact as usize];
        let warm = self.carried[place.contact as usize].scaled(self.dt);
        let arm = |i: u32| contact.point - self.bodies.pose[i as usize].position;
        let Halfway { arms, normal } =
            turned.halfway.unwrap_or(Halfway { arms: [DVec3::ZERO; 2], normal: contact.normal });
        RowInput {
            a: place.a,
            b: place.b,
            arm_a: arm(contact.a) + arms[0],
            arm_b: arm(contact.b) + arms[1],
            normal,
            gap,
            coefficients,
            radius: contact.radius,
            allowance: SURELY * self.overlap_bound * contact.thickness,
            drift: turned.drift,
            arc: turned.arcs[usize::from(warm.normal > 0.0)],
            rides: turned.rides,
            warm_normal: warm.normal,
            warm_tangential: warm.tangential,
        }
    }
}

/// A body as the solver sees it, with its tensor.
fn solver_body(bodies: &Bodies<'_>, i: usize) -> (SolverBody, DMat3) {
    if bodies.awake(i) {
        SolverBody::new(bodies.velocity[i], bodies.inverse_mass[i], &bodies.inverse_inertia[i])
    } else {
        SolverBody::new(bodies.velocity[i], 0.0, &InverseInertia::ZERO)
    }
}

/// Makes the tensors of the bodies of `index` anew. Where all that moves are balls nobody reads one, and they are left
/// as they are.
fn fill_tensors(bodies: &Bodies<'_>, index: &[u32], tensors: &mut Vec<DMat3>) {
    make_room(tensors, index.len());
    if bodies.round.iter().zip(&bodies.dynamic).all(|(round, dynamic)| *round || !*dynamic) {
        tensors.resize(index.len(), DMat3::ZERO);
    } else {
        parallel::fill(tensors, index.len(), &|slot| solver_body(bodies, index[slot] as usize).1);
    }
}

/// Whether a contact of a small island was closing fast when the contact stage stopped it, came back in the step, or
/// raises E* among the fewest; `speed` is how fast its bodies are against each other \[m/s\]. Velocities `before` are
/// those with which all of them came, driven ones as well: that the motion of a floor changes strikes nobody who lies
/// on it.
fn is_struck(island: &Island<'_>, limits: &Limits, speed: f64, before: &[Velocity]) -> bool {
    let leaps = |row: &Row| speed * limits.dt > LEAP * row.radius;
    if island.rows.len() >= MANY && !island.rows.iter().any(leaps) {
        return false;
    }
    let movable = island.movable().count();
    let hits = limits.resolves_slow(movable).hits(speed);
    let hits_on = |row: &Row| HitSettings { fast: hits.fast.max(row.ride()), ..hits };
    island.rows.iter().any(|row| hits_on(row).was_met_from(row, row.speed_at(before)))
        || (movable <= SLOW_AND_FEW && raises(island, limits))
}

/// Whether contacts raise E* of the bodies by more than a trace: what slid, or left, within the step turned round, and
/// its impulse seems to drive them along the mean of both velocities.
fn raises(island: &Island<'_>, limits: &Limits) -> bool {
    // Rolling friction has no part in what few bodies do alone.
    if island.rows.iter().any(|row| row.angular_impulse != DVec3::ZERO) {
        return false;
    }
    let free = island.rows.iter().filter(|row| !row.is_carried_round(island.bodies));
    let raised: f64 = free.map(|row| -row.star_work).filter(|work| *work > 0.0).sum();
    if raised == 0.0 {
        return false;
    }
    let fall = limits.gravity * limits.dt;
    let energy = |body: &SolverBody| 0.5 / body.inverse_mass * (body.velocity.linear.length_squared() + fall * fall);
    raised > BACK * island.movable().map(energy).sum::<f64>()
}

/// Whether a driven body that does not turn presses what went away from it. In a flight, in which the mean of both
/// velocities counts, what starts at touch comes back exactly as fast as it went, so that their sum does not tell.
fn is_fetched(row: &Row, bodies: &[SolverBody]) -> bool {
    let moves = |i: u32| {
        let body = &bodies[i as usize];
        body.inverse_mass == 0.0 && body.velocity != Velocity::ZERO
    };
    row.normal_impulse > 0.0
        && row.drift() == DVec3::ZERO
        && (moves(row.a) || moves(row.b))
        && !row.is_carried_round(bodies)
}

impl Problems {
    /// Number of islands.
    pub(crate) fn count(&self) -> usize {
        self.islands.len()
    }

    /// Whether a body took part, awake.
    pub(crate) fn was_awake(&self, body: u32) -> bool {
        self.awake[body as usize]
    }

    /// Contacts of the largest island.
    pub(crate) fn largest(&self) -> usize {
        self.islands.iter().map(|i| i.contacts.len()).max().unwrap_or(0)
    }

    /// Phase `islands`.
    pub(crate) fn find(&mut self, bodies: &Bodies<'_>, contacts: &[Contact]) {
        self.pairs.clear();
        make_room(&mut self.pairs, contacts.len());
        self.pairs.extend(contacts.iter().map(|c| (c.a, c.b)));
        self.awake.clear();
        self.awake.extend((0..bodies.len()).map(|i| bodies.awake(i)));
        self.islands.build(bodies.len(), &self.awake, &self.pairs);
    }

    /// The connected components found last.
    pub(crate) fn components(&self) -> &Islands {
        &self.islands
    }

    /// Lays out bodies and rows; `gap` says what a contact has to close, `turned` what one of an island of so many asks
    /// for because its bodies turn.
    pub(crate) fn assemble(
        &mut self,
        given: &Given<'_>,
        coefficients: impl Fn(&Contact) -> Coefficients + Sync,
        gap: impl Fn(&Contact) -> f64 + Sync,
        turned: impl Fn(&Contact, usize) -> Turned + Sync,
    ) {
        let Given { bodies, contacts, unforced, .. } = *given;
        self.layout.build(&self.islands, bodies, &self.awake, contacts, &mut self.halves);
        let index = &self.layout.bodies;
        make_room(&mut self.bodies, index.len());
        make_room(&mut self.unforced, index.len());
        parallel::fill(&mut self.bodies, index.len(), &|slot| solver_body(bodies, index[slot] as usize).0);
        fill_tensors(bodies, index, &mut self.tensors);
        parallel::fill(&mut self.unforced, index.len(), &|slot| unforced[index[slot] as usize]);
        make_room(&mut self.rows, self.layout.rows.len());
        self.rows.resize(self.layout.rows.len(), Row::default());
        let mut first = Span::default();
        for span in &self.layout.spans {
            let (of_island, tensors) = (&self.bodies[first.bodies..], &self.tensors[first.bodies..]);
            let count = span.rows - first.rows;
            let prepare = |(row, place): (&mut Row, &Place)| {
                let contact = &contacts[place.contact as usize];
                let turned = turned(contact, count);
                let input = given.row_input(place, coefficients(contact), gap(contact), turned);
                row.prepare(&input, of_island, tensors, given.dt);
            };
            let range = first.rows..span.rows;
            let (rows, places) = (&mut self.rows[range.clone()], &self.layout.rows[range]);
            if places.len() < PARALLEL {
                rows.iter_mut().zip(places).for_each(prepare);
            } else {
                rows.par_iter_mut().zip(places).with_min_len(PARALLEL / 4).for_each(prepare);
            }
            first = *span;
        }
        if self.outcomes.len() < self.layout.spans.len() {
            self.outcomes.resize_with(self.layout.spans.len(), Outcome::default);
        }
    }

    /// Phase `contact`: solves every island; velocities follow by [`Problems::write_back`]. What the sweeps went
    /// through.
    pub(crate) fn solve(&mut self, limits: &Limits, accounts: &[Account]) -> SweepCounts {
        let mut first = 0;
        for (span, outcome) in self.layout.spans.iter().zip(&mut self.outcomes) {
            outcome.scale.account = sum_of(accounts, self.layout.bodies[first..span.bodies].iter().copied());
            first = span.bodies;
        }
        self.each(|island, unforced, outcome, lender| {
            outcome.scale = Scale::of(island, outcome.scale.account, limits.gravity > 0.0);
            let settings = &limits.stage(&outcome.scale);
            outcome.release = None;
            outcome.stage = lender.lend(island.rows.len(), |scratch| {
                stage::solve(island, settings, unforced, &mut outcome.before, &mut scratch.packs)
            });
            outcome.struck = is_struck(island, limits, outcome.scale.speed, unforced);
        });
        self.swept(|_| true)
    }

    /// The contacts that were closing fast when the contact stage stopped them, or went away and were pressed without
    /// having been before, by their places in the engine's list, with the normal velocity with which they came \[m/s\].
    /// What a body is told that passes another may press it though it went away.
    pub(crate) fn stopped(&self, limits: &Limits) -> impl Iterator<Item = (u32, &Row, f64)> {
        let spans = self.layout.spans.iter().zip(&self.outcomes);
        let starts = std::iter::once(Span::default()).chain(self.layout.spans.iter().copied());
        spans.zip(starts).flat_map(move |((span, outcome), start)| {
            let (hits, before) = (limits.hits(outcome.scale.speed), &self.unforced[start.bodies..span.bodies]);
            let rows = self.rows[start.rows..span.rows].iter().zip(&self.layout.rows[start.rows..span.rows]);
            let came = rows.map(|(row, place)| (place.contact, row, row.speed_at(before)));
            let bodies = &self.bodies[start.bodies..span.bodies];
            came.filter(move |(_, row, came)| match row.is_new() {
                true => hits.was_met_from(row, *came) || *came > hits.fast && is_fetched(row, bodies),
                false => hits.was_stopped_from(row, *came),
            })
        })
    }

    /// Work that friction did on bodies that move, `P_t.(u_0 + u)/2` where that is above zero \[J\]: of contacts that
    /// slid one way and would have slid back.
    pub(crate) fn driven_by_friction(&self) -> f64 {
        let starts = std::iter::once(Span::default()).chain(self.layout.spans.iter().copied());
        let work = self.layout.spans.iter().zip(starts).flat_map(|(span, start)| {
            let own = start.bodies..span.bodies;
            let (bodies, before) = (&self.bodies[own.clone()], &self.unforced[own]);
            let free = self.rows[start.rows..span.rows].iter().filter(|row| !row.is_carried_round(bodies));
            free.map(move |row| {
                0.5 * row.tangential_impulse.dot(row.velocity_at(before) + row.relative_velocity(bodies))
            })
        });
        work.filter(|work| *work > 0.0).sum()
    }

    /// The small islands in which a contact was closing fast when the contact stage stopped it.
    pub(crate) fn struck(&self) -> impl Iterator<Item = granule_islands::Island<'_>> {
        self.islands.iter().zip(&self.outcomes).filter(|(_, outcome)| outcome.struck).map(|(island, _)| island)
    }

    /// What the stages made last went through, of the islands for which `of` holds.
    fn swept(&self, of: impl Fn(&Outcome) -> bool) -> SweepCounts {
        let outcomes = &self.outcomes[..self.layout.spans.len()];
        outcomes.iter().filter(|outcome| of(outcome)).map(|outcome| outcome.stage.swept).sum()
    }

    /// Says of each of the engine's `count` contacts how it stands after the contact stage.
    pub(crate) fn find_hits(&mut self, limits: &Limits, count: usize, standing: &mut Vec<Standing>) {
        self.each(|island, _, Outcome { hit, scale, .. }, _| {
            let settings = limits.hits(scale.speed);
            hit.clear();
            hit.extend(island.rows.iter().map(|row| settings.was_hit(row)));
        });
        standing.clear();
        standing.resize(count, Standing::default());
        let mut from = Span::default();
        for (span, outcome) in self.layout.spans.iter().zip(&self.outcomes) {
            let settings = limits.hits(outcome.scale.speed);
            for r in from.rows..span.rows {
                standing[self.layout.rows[r].contact as usize] = Standing {
                    touches: settings.touches_after(&self.rows[r]),
                    hit: outcome.hit[r - from.rows],
                    impulse: self.rows[r].impulse(),
                };
            }
            from = *span;
        }
    }

    /// Lays the islands out anew in which something was struck: velocities are those after the impact with the forces
    /// of the step, gaps those after the move, impulses those of the last step.
    pub(crate) fn restart(&mut self, limits: &Limits, impact: &Impact, carried: &[Carried], dt: f64) {
        let mut from = Span::default();
        for (span, outcome) in self.layout.spans.iter().zip(&mut self.outcomes) {
            let index = &self.layout.bodies[from.bodies..span.bodies];
            outcome.again = index.iter().any(|i| impact.struck[*i as usize]);
            let hits = limits.hits(outcome.scale.speed);
            if outcome.again {
                let bodies = &mut self.bodies[from.bodies..span.bodies];
                for r in from.rows..span.rows {
                    let warm = carried[self.layout.rows[r].contact as usize].scaled(dt);
                    let row = &mut self.rows[r];
                    let closes = hits.touches_after(row).then(|| hits.gap_after(row));
                    row.restart(closes, hits.dt, warm.normal, warm.tangential);
                }
                for (k, i) in index.iter().map(|i| *i as usize).enumerate().filter(|(_, i)| self.awake[*i]) {
                    let (after, unforced) = (impact.velocity[i], &mut self.unforced[from.bodies + k]);
                    let forces = outcome.before[k] - *unforced;
                    bodies[k].velocity = after + impact.still_to_add(i, forces);
                    *unforced = bodies[k].velocity - forces;
                }
            }
            from = *span;
        }
    }

    /// Calls `with` for each body awake of the islands that were laid out anew, with the velocity, without the
    /// forces of the step, from which their contact stage started.
    pub(crate) fn restarted(&self, mut with: impl FnMut(usize, Velocity)) {
        let mut first = 0;
        for (span, outcome) in self.layout.spans.iter().zip(&self.outcomes) {
            let slots = if outcome.again { first..span.bodies } else { 0..0 };
            for slot in slots {
                let i = self.layout.bodies[slot] as usize;
                if self.awake[i] {
                    with(i, self.unforced[slot]);
                }
            }
            first = span.bodies;
        }
    }

    /// Phase `contact` once more, for the islands that were laid out anew. What the sweeps went through.
    pub(crate) fn solve_again(&mut self, limits: &Limits) -> SweepCounts {
        self.each(|island, unforced, outcome, lender| {
            if outcome.again {
                let settings = &limits.stage(&outcome.scale);
                outcome.stage = lender.lend(island.rows.len(), |scratch| {
                    stage::solve(island, settings, unforced, &mut outcome.before, &mut scratch.packs)
                });
            }
        });
        self.swept(|outcome| outcome.again)
    }

    /// Notes the islands in which a contact that the contact stage has left approaching would `fail`; `fail` is asked
    /// with its gap after the move \[m\].
    pub(crate) fn find_overrun(&mut self, contacts: &[Contact], limits: &Limits, fail: impl Fn(&Contact, f64) -> bool) {
        let mut first = 0;
        for (span, outcome) in self.layout.spans.iter().zip(&mut self.outcomes) {
            let hits = limits.hits(outcome.scale.speed);
            let rows = self.rows[first..span.rows].iter().zip(&self.layout.rows[first..span.rows]);
            let fails = |(row, place): (&Row, &Place)| fail(&contacts[place.contact as usize], hits.gap_after(row));
            outcome.overrun = outcome.stage.is_deep && rows.into_iter().any(fails);
            first = span.rows;
        }
    }

    /// Phase `release`; without a law nothing is released, and only the work of driven bodies is read off.
    pub(crate) fn release(&mut self, limits: &Limits, law: Option<Tracking>) {
        self.each(|island, unforced, outcome, lender| {
            let is_driven = |(body, unforced): (&SolverBody, &Velocity)| {
                body.inverse_mass == 0.0 && (body.velocity != Velocity::ZERO || *unforced != Velocity::ZERO)
            };
            let is_driven = island.bodies.iter().zip(unforced).any(is_driven);
            outcome.driven_work_on_star = 0.0;
            outcome.carried_round = 0.0;
            if is_driven {
                outcome.carried_round = island.rows.iter().map(|row| carried_round(row, island.bodies)).sum();
                let work = |row: &Row| driven_work_on_star(row, island.bodies, unforced);
                outcome.driven_work_on_star = island.rows.iter().map(work).sum();
            }
            let Outcome { before, hit, scale, overrun, .. } = &mut *outcome;
            // Where bodies are pressed into each other, whatever is given back is pressed in again, without end.
            let law = law.filter(|_| !*overrun);
            outcome.release = law.and_then(|law| {
                let settings = &limits.release(law, scale.speed);
                lender.lend(island.rows.len(), |scratch| release(island, settings, before, &mut scratch.workspace, hit))
            });
            outcome.driven_work = 0.0;
            if is_driven {
                // Impulses of the release act when driven bodies have the velocity of the step.
                outcome.driven_work = island.rows.iter().map(|row| driven_work(row, island.bodies)).sum();
                outcome.driven_work_on_star += outcome.driven_work - outcome.stage.driven_work;
            }
        });
    }

    /// Runs `work` on every island, in parallel where there are several.
    fn each(&mut self, work: impl Fn(&mut Island<'_>, &[Velocity], &mut Outcome, &Lender) + Sync) {
        let scratch = &self.scratch;
        let pieces = Pieces {
            start: Span::default(),
            spans: &self.layout.spans,
            blocks: &self.layout.blocks,
            bodies: &mut self.bodies,
            tensors: &self.tensors,
            unforced: &self.unforced,
            rows: &mut self.rows,
            outcomes: &mut self.outcomes[..self.layout.spans.len()],
        };
        pieces.run(&|island: &mut Island<'_>, unforced: &[Velocity], outcome: &mut Outcome| {
            work(island, unforced, outcome, scratch)
        });
    }

    /// Copies the velocities of the solver to those of the bodies.
    pub(crate) fn write_back(&self, velocity: &mut [Velocity]) {
        let Problems { layout, awake, bodies: solved, .. } = self;
        parallel::for_each(velocity.par_iter_mut().enumerate(), |(i, velocity)| {
            if awake[i]
                && let Some(slot) = layout.slot_of(i)
            {
                *velocity = solved[slot].velocity;
            }
        });
    }

    /// The island of number `k` as it came into the step.
    pub(crate) fn scale(&self, k: usize) -> &Scale {
        &self.outcomes[k].scale
    }

    /// Enters what the contacts of the step take from E* in the accounts of their bodies, what the release gives back
    /// split among the contacts that were hit as what they stored is; and hands each contact to `keep` that does not
    /// keep what it carried before. One that was hit does: its impulse says nothing about the load it will carry.
    pub(crate) fn book(&self, accounts: &mut [Account], mut keep: impl FnMut(u32, &Row)) {
        let mut from = Span::default();
        for (span, outcome) in self.layout.spans.iter().zip(&self.outcomes) {
            let bodies = &self.bodies[from.bodies..span.bodies];
            let index = &self.layout.bodies[from.bodies..span.bodies];
            let (given, is_released) = (outcome.given_back_per_taken(), outcome.release.is_some());
            let rows = self.rows[from.rows..span.rows].iter().zip(&self.layout.rows[from.rows..span.rows]);
            for (k, (row, place)) in rows.enumerate() {
                let is_hit = is_released && outcome.hit[k];
                if !is_hit {
                    keep(place.contact, row);
                }
                let stored = if given != 0.0 && is_hit { row.normal_work.max(0.0) } else { 0.0 };
                let taken = row.star_work - given * stored;
                let [a, b] = [row.a, row.b].map(|i| bodies[i as usize].inverse_mass > 0.0);
                let share = if a && b { 0.5 * taken } else { taken };
                for (body, _) in [(row.a, a), (row.b, b)].into_iter().filter(|(_, moves)| *moves) {
                    accounts[index[body as usize] as usize].dissipated += share;
                }
            }
            from = *span;
        }
    }

    /// Adds to `loads`, by the place of each contact in the engine's list, what the islands did that hold no body of
    /// `undone`; an empty list names none.
    pub(crate) fn add_loads(&self, undone: &[bool], loads: &mut [Load]) {
        let mut first = 0;
        for (island, span) in self.islands.iter().zip(&self.layout.spans) {
            if island_stands(&island, undone) {
                for r in first..span.rows {
                    let (row, load) = (&self.rows[r], &mut loads[self.layout.rows[r].contact as usize]);
                    load.impulse += row.impulse();
                    load.couple += row.angular_impulse;
                    load.state = state_of(row);
                }
            }
            first = span.rows;
        }
    }

    /// Sums over the islands, in their order, but for those of bodies of `undone`; an empty list names none.
    pub(crate) fn totals(&self, undone: &[bool]) -> Totals {
        let mut sum = Totals::default();
        for (island, outcome) in self.islands.iter().zip(&self.outcomes) {
            if island_stands(&island, undone) {
                sum.add(outcome);
            }
        }
        sum
    }

    /// Sum of the rises of E* of those islands whose E* rose, net of the work put in, but for those of bodies of
    /// `undone` \[J\]. `change` is that of a body, less the work of force fields on it.
    pub(crate) fn rises(&self, undone: &[bool], change: impl Fn(usize) -> f64) -> f64 {
        let rise = |(island, outcome): (granule_islands::Island<'_>, &Outcome)| {
            if !island_stands(&island, undone) {
                return 0.0;
            }
            let change: f64 = island.bodies.iter().map(|i| change(*i as usize)).sum();
            (change - outcome.driven_work_on_star).max(0.0)
        };
        self.islands.iter().zip(&self.outcomes).map(rise).sum()
    }

    /// Sum of the normal impulses between two bodies in the step that was solved last, with these `contacts` \[N s\].
    pub(crate) fn impulse_between(&self, contacts: &[Contact], a: u32, b: u32) -> f64 {
        let rows = self.rows.iter().zip(&self.layout.rows);
        let of_pair = rows.filter(|(_, place)| {
            let contact = &contacts[place.contact as usize];
            (contact.a, contact.b) == (a, b)
        });
        of_pair.map(|(row, _)| row.normal_impulse).sum()
    }

    /// Work that lifts the bodies of the island of number `k` from the chords along which driven bodies moved them in a
    /// step of `dt` \[s\] to the arcs, and as much again for what was missed before \[J\].
    pub(crate) fn carried_round(&self, k: usize, dt: f64) -> f64 {
        self.outcomes[k].carried_round * dt
    }

    /// Factor to which the impulses of the island of a body were scaled back, and the largest that had been reached
    /// before \[N s\]; 1 and 0 where they were not.
    pub(crate) fn scaled_back(&self, body: u32) -> (f64, f64) {
        let stage = self.islands.island_of(body).map(|k| self.outcomes[k].stage);
        stage.map_or((1.0, 0.0), |stage| (stage.scale, stage.reached))
    }

    /// Tells `sleep` what the contacts with bodies awake do to sleepers in the step that the contact stage has just
    /// solved.
    pub(crate) fn load_sleepers(&self, of: &Sleepers<'_>, contacts: &[Contact], sleep: &mut Sleep) {
        for (row, place) in self.rows.iter().zip(&self.layout.rows) {
            let c = &contacts[place.contact as usize];
            for (i, sign) in [(c.a as usize, 1.0), (c.b as usize, -1.0)] {
                if of.bodies.asleep[i] {
                    sleep.add_load(i, row.impulse() * sign, row.static_friction > 0.0);
                }
            }
        }
    }
}

/// Whether what an island came to stands where that of the bodies of `undone` does not: these are whole islands.
fn island_stands(island: &granule_islands::Island<'_>, undone: &[bool]) -> bool {
    island.bodies.first().is_none_or(|i| stands(undone, *i as usize))
}

/// Distance of friction from its limit that is rounding, over the limit.
const AT_LIMIT: f64 = 1e-6;

/// How the surfaces of a contact moved against each other.
fn state_of(row: &Row) -> ContactState {
    let (normal, tangential) = (row.normal_impulse, row.tangential_impulse.length());
    let sliding = (tangential - row.dynamic_friction * normal).abs() <= AT_LIMIT * row.dynamic_friction * normal;
    let is_at_limit = tangential >= (1.0 - AT_LIMIT) * row.static_friction * normal;
    match (normal > 0.0, sliding || is_at_limit) {
        (false, _) => ContactState::Open,
        (true, true) => ContactState::Slip,
        (true, false) => ContactState::Stick,
    }
}

impl Totals {
    /// Adds what phase `impact` did.
    pub(crate) fn add_impacts(&mut self, impacts: &ImpactTotals) {
        self.hits += impacts.hits;
        self.impulses += impacts.iterations;
        self.resolved += impacts.resolved;
        self.substituted += impacts.substituted;
        self.fallbacks += impacts.fallbacks;
        self.driven_work += impacts.driven_work;
        self.friction += impacts.friction_work;
        self.impact += impacts.normal_work;
        self.impact_gain = impacts.gain;
        self.impact_error = self.impact_error.max(impacts.error);
    }

    fn add(&mut self, outcome: &Outcome) {
        let s = &outcome.stage;
        self.sweeps = self.sweeps.max(s.sweeps);
        self.residual = self.residual.max(s.residual);
        self.unconverged += u32::from(!s.converged);
        self.scaled += u32::from(s.scale < 1.0);
        self.driven_work += outcome.driven_work_on_star;
        self.friction += s.star_friction;
        self.contact += s.star_work - s.star_friction;
        self.kinetic_change -= s.normal_work + s.friction_work;
        let Some(r) = &outcome.release else { return };
        self.hits += r.fast_contacts;
        self.rounds = self.rounds.max(r.rounds);
        self.impulses += r.impulses;
        self.forced += u32::from(r.forced);
        self.cut_short += u32::from(!r.converged);
        self.impact += r.taken_on_star + r.compressed - r.released;
        self.contact -= r.taken_on_star;
        let driven = outcome.driven_work - s.driven_work;
        let change = r.kinetic_after - r.kinetic_before - driven;
        self.friction += r.released - r.compressed - change;
        self.kinetic_change += change;
        if r.frictionless {
            let given = r.kinetic_before.max(r.kinetic_after).max(f64::MIN_POSITIVE);
            let book = (change - (r.released - r.compressed)).abs() / given;
            self.impact_error = self.impact_error.max(book);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::bodies::{BodyState, Frames, Table};

    #[test]
    fn spans_of_no_island_are_empty() {
        let (table, state, frames) = (Table::default(), BodyState::default(), Frames::default());
        let bodies = state.view(&table, &frames);
        let mut problems = Problems::default();
        problems.find(&bodies, &[]);
        let given = Given { bodies: &bodies, contacts: &[], carried: &[], unforced: &[], dt: 1.0, overlap_bound: 0.0 };
        problems.assemble(&given, |_| unreachable!("no contact"), |c| c.gap, |_, _| Turned::default());
        assert_eq!(problems.count(), 0);
        assert_eq!(problems.totals(&[]).sweeps, 0);
    }
}
