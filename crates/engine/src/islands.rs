//! Phases `islands`, `contact` and `release`: the contacts of the step as independent problems for the solver.
//!
//! Bodies and rows are laid out island after island, so that every island is a contiguous piece of each array and pieces
//! can be handed to threads without sharing. Static and driven bodies are copied into every island that touches them.

use granule_islands::Islands;
use granule_model::{Coefficients, DMat3, Velocity};
use granule_solver::etm::{Workspace, release};
use granule_solver::stage::{self, Packs, driven_work, driven_work_on_star};
use granule_solver::{
    HitSettings, Island, ReleaseReport, ReleaseSettings, Row, RowInput, SolverBody, StageReport, StageSettings,
};

use crate::bodies::Bodies;
use crate::detection::Contact;
use crate::impact::{Impact, ImpactTotals, Standing};

/// Where an island lies in the arrays.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    bodies: usize,
    rows: usize,
}

/// What the solver did in an island, and the scratch it needs.
#[derive(Debug, Default)]
struct Outcome {
    stage: StageReport,
    release: Option<ReleaseReport>,
    /// Work of driven bodies on the kinetic energy, and on E* \[J\].
    driven_work: f64,
    driven_work_on_star: f64,
    /// Whether an impact makes the contact stage start anew.
    again: bool,
    before: Vec<Velocity>,
    packs: Packs,
    workspace: Workspace,
    hit: Vec<bool>,
}

/// All islands of a step; the memory is kept from step to step.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    islands: Islands,
    pairs: Vec<(u32, u32)>,
    awake: Vec<bool>,
    /// Ends of each island in the arrays below.
    spans: Vec<Span>,
    bodies: Vec<SolverBody>,
    tensors: Vec<DMat3>,
    unforced: Vec<Velocity>,
    /// Dense index of each body of the arrays.
    body_index: Vec<u32>,
    rows: Vec<Row>,
    /// Contact of each row.
    row_contact: Vec<u32>,
    outcomes: Vec<Outcome>,
    slot: Vec<u32>,
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
    pub(crate) fallbacks: u32,
    /// Work of driven bodies on E*.
    pub(crate) driven_work: f64,
    pub(crate) friction: f64,
    pub(crate) impact: f64,
    /// Change of kinetic energy by contact stage and release, net of driven bodies.
    pub(crate) kinetic_change: f64,
    /// Largest relative rise of kinetic energy in phase `impact`.
    pub(crate) impact_gain: f64,
    /// Energy error of the impact book.
    pub(crate) impact_error: f64,
}

/// What the islands of a step are laid out from.
#[derive(Clone, Copy)]
pub(crate) struct State<'a> {
    pub(crate) bodies: &'a Bodies,
    pub(crate) contacts: &'a [Contact],
    /// Velocities before the forces of the step.
    pub(crate) unforced: &'a [Velocity],
    /// Step \[s\].
    pub(crate) dt: f64,
    /// Factor on the impulses of the last step.
    pub(crate) warm_scale: f64,
}

impl Problems {
    /// Number of islands.
    pub(crate) fn count(&self) -> usize {
        self.islands.len()
    }

    /// Contacts of the largest island.
    pub(crate) fn largest(&self) -> usize {
        self.islands.iter().map(|i| i.contacts.len()).max().unwrap_or(0)
    }

    /// Phase `islands`.
    pub(crate) fn find(&mut self, bodies: &Bodies, contacts: &[Contact]) {
        self.pairs.clear();
        self.pairs.extend(contacts.iter().map(|c| (c.a, c.b)));
        self.awake.clear();
        self.awake.extend((0..bodies.len()).map(|i| bodies.awake(i)));
        self.islands.build(bodies.len(), &self.awake, &self.pairs);
    }

    /// The connected components found last.
    pub(crate) fn components(&self) -> &Islands {
        &self.islands
    }

    /// Lays out bodies and rows; `gap` says what a contact has to close.
    pub(crate) fn assemble(
        &mut self,
        state: &State<'_>,
        coefficients: impl Fn(&Contact) -> Coefficients,
        gap: impl Fn(&Contact) -> f64,
    ) {
        let State { bodies, contacts, unforced, dt, warm_scale } = *state;
        self.spans.clear();
        self.bodies.clear();
        self.tensors.clear();
        self.unforced.clear();
        self.body_index.clear();
        self.rows.clear();
        self.row_contact.clear();
        self.slot.resize(bodies.len(), 0);
        for island in self.islands.iter() {
            let first = self.bodies.len();
            let mut place =
                Place { first, bodies: &mut self.bodies, tensors: &mut self.tensors, index: &mut self.body_index };
            for body in island.bodies {
                self.slot[*body as usize] = place.add(bodies, *body);
            }
            let own = place.len();
            for c in island.contacts {
                let contact = &contacts[*c as usize];
                let [a, b] = [contact.a, contact.b].map(|body| {
                    if self.awake[body as usize] {
                        self.slot[body as usize]
                    } else {
                        place.find_or_add(bodies, body, own)
                    }
                });
                let (i, j) = (contact.a as usize, contact.b as usize);
                let input = RowInput {
                    a,
                    b,
                    arm_a: contact.point - bodies.pose[i].position,
                    arm_b: contact.point - bodies.pose[j].position,
                    normal: contact.normal,
                    gap: gap(contact),
                    coefficients: coefficients(contact),
                    radius: contact.radius,
                    warm_normal: warm_scale * contact.warm_normal,
                    warm_tangential: warm_scale * contact.warm_tangential,
                };
                self.rows.push(Row::new(&input, &place.bodies[first..], &place.tensors[first..], dt));
                self.row_contact.push(*c);
            }
            self.spans.push(Span { bodies: self.bodies.len(), rows: self.rows.len() });
        }
        self.unforced.extend(self.body_index.iter().map(|i| unforced[*i as usize]));
        if self.outcomes.len() < self.spans.len() {
            self.outcomes.resize_with(self.spans.len(), Outcome::default);
        }
    }

    /// Phase `contact`: solves every island; the bodies' velocities follow by [`Problems::write_back`].
    pub(crate) fn solve(&mut self, settings: &StageSettings) {
        self.each(|island, unforced, outcome| {
            outcome.release = None;
            outcome.stage = stage::solve(island, settings, unforced, &mut outcome.before, &mut outcome.packs);
        });
    }

    /// Says of each of the engine's `count` contacts how it stands after the contact stage.
    pub(crate) fn find_hits(&mut self, settings: &HitSettings, count: usize, standing: &mut Vec<Standing>) {
        self.each(|island, _, Outcome { hit, .. }| {
            hit.clear();
            hit.extend(island.rows.iter().map(|row| settings.was_hit(row)));
        });
        standing.clear();
        standing.resize(count, Standing::default());
        let mut from = Span::default();
        for (span, outcome) in self.spans.iter().zip(&self.outcomes) {
            for r in from.rows..span.rows {
                standing[self.row_contact[r] as usize] = Standing {
                    touches: settings.touches_after(&self.rows[r]),
                    hit: outcome.hit[r - from.rows],
                    impulse: self.rows[r].impulse(),
                };
            }
            from = *span;
        }
    }

    /// Lays the islands out anew in which something was struck: velocities are those after the impact with the forces of the step,
    /// gaps those after the move, impulses those of the last step.
    pub(crate) fn restart(&mut self, hits: &HitSettings, impact: &Impact, contacts: &[Contact], warm_scale: f64) {
        let mut from = Span::default();
        for (span, outcome) in self.spans.iter().zip(&mut self.outcomes) {
            let index = &self.body_index[from.bodies..span.bodies];
            outcome.again = index.iter().any(|i| impact.struck[*i as usize]);
            if outcome.again {
                let bodies = &mut self.bodies[from.bodies..span.bodies];
                for r in from.rows..span.rows {
                    let contact = &contacts[self.row_contact[r] as usize];
                    let row = &mut self.rows[r];
                    let closes = hits.touches_after(row).then(|| hits.gap_after(row));
                    row.restart(
                        closes,
                        hits.dt,
                        warm_scale * contact.warm_normal,
                        warm_scale * contact.warm_tangential,
                    );
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

    /// Phase `contact` once more, for the islands that were laid out anew.
    pub(crate) fn solve_again(&mut self, settings: &StageSettings) {
        self.each(|island, unforced, outcome| {
            if outcome.again {
                outcome.stage = stage::solve(island, settings, unforced, &mut outcome.before, &mut outcome.packs);
            }
        });
    }

    /// Phase `release`; without settings nothing is released, and only the work of driven bodies is read off.
    pub(crate) fn release(&mut self, settings: Option<&ReleaseSettings>) {
        self.each(|island, unforced, outcome| {
            let Outcome { before, workspace, hit, .. } = outcome;
            outcome.release = settings.and_then(|settings| release(island, settings, before, workspace, hit));
            let (rows, bodies) = (&*island.rows, &*island.bodies);
            (outcome.driven_work, outcome.driven_work_on_star) = (0.0, 0.0);
            let is_driven = |(body, unforced): (&SolverBody, &Velocity)| {
                body.inverse_mass == 0.0 && (body.velocity != Velocity::ZERO || *unforced != Velocity::ZERO)
            };
            if !bodies.iter().zip(unforced).any(is_driven) {
                return;
            }
            outcome.driven_work = rows.iter().map(|row| driven_work(row, bodies)).sum();
            outcome.driven_work_on_star = rows.iter().map(|row| driven_work_on_star(row, bodies, unforced)).sum();
        });
    }

    /// Runs `work` on every island, in parallel where there are several.
    fn each(&mut self, work: impl Fn(&mut Island<'_>, &[Velocity], &mut Outcome) + Sync) {
        let pieces = Pieces {
            start: Span::default(),
            spans: &self.spans,
            bodies: &mut self.bodies,
            tensors: &self.tensors,
            unforced: &self.unforced,
            rows: &mut self.rows,
            outcomes: &mut self.outcomes[..self.spans.len()],
        };
        pieces.run(&work);
    }

    /// Copies the velocities of the solver to the bodies.
    pub(crate) fn write_back(&self, bodies: &mut Bodies) {
        for (slot, i) in self.body_index.iter().enumerate() {
            if self.awake[*i as usize] {
                bodies.velocity[*i as usize] = self.bodies[slot].velocity;
            }
        }
    }

    /// Keeps the impulses of the step in the contacts, to start the next one from. A contact that was hit keeps what it had
    /// before: its impulse says nothing about the load it will carry.
    pub(crate) fn store_impulses(&self, contacts: &mut [Contact], warm_scale: f64) {
        let mut first = 0;
        for (span, outcome) in self.spans.iter().zip(&self.outcomes) {
            for r in first..span.rows {
                let contact = &mut contacts[self.row_contact[r] as usize];
                if outcome.release.is_some() && outcome.hit[r - first] {
                    contact.warm_normal *= warm_scale;
                    contact.warm_tangential *= warm_scale;
                } else {
                    contact.warm_normal = self.rows[r].normal_impulse;
                    contact.warm_tangential = self.rows[r].tangential_impulse;
                }
            }
            first = span.rows;
        }
    }

    /// Sums over the islands, in their order.
    pub(crate) fn totals(&self, kinetic: f64) -> Totals {
        let mut sum = Totals::default();
        for outcome in &self.outcomes[..self.spans.len()] {
            sum.add(outcome, kinetic);
        }
        sum
    }
}

impl Totals {
    /// Adds what phase `impact` did.
    pub(crate) fn add_impacts(&mut self, impacts: &ImpactTotals) {
        self.hits += impacts.hits;
        self.impulses += impacts.iterations;
        self.resolved += impacts.resolved;
        self.fallbacks += impacts.fallbacks;
        self.driven_work += impacts.driven_work;
        self.friction += impacts.friction_work;
        self.impact += impacts.normal_work;
        self.impact_gain = impacts.gain;
        self.impact_error = self.impact_error.max(impacts.error);
    }

    fn add(&mut self, outcome: &Outcome, kinetic: f64) {
        let s = &outcome.stage;
        self.sweeps = self.sweeps.max(s.sweeps);
        self.residual = self.residual.max(s.residual);
        self.unconverged += u32::from(!s.converged);
        self.scaled += u32::from(s.scale < 1.0);
        self.driven_work += outcome.driven_work_on_star;
        self.friction += s.friction_work;
        self.kinetic_change -= s.normal_work + s.friction_work;
        let Some(r) = &outcome.release else { return };
        self.hits += r.fast_contacts;
        self.rounds = self.rounds.max(r.rounds);
        self.impulses += r.impulses;
        self.forced += u32::from(r.forced);
        self.cut_short += u32::from(!r.converged);
        self.impact += r.taken + r.compressed - r.released;
        let driven = outcome.driven_work - s.driven_work;
        let change = r.kinetic_after - r.kinetic_before - driven;
        self.friction += r.released - r.compressed - change;
        self.kinetic_change += change;
        if r.frictionless {
            let book = (change - (r.released - r.compressed)).abs() / kinetic.max(f64::MIN_POSITIVE);
            self.impact_error = self.impact_error.max(book);
        }
    }
}

/// Adds bodies to an island under construction.
struct Place<'a> {
    first: usize,
    bodies: &'a mut Vec<SolverBody>,
    tensors: &'a mut Vec<DMat3>,
    index: &'a mut Vec<u32>,
}

impl Place<'_> {
    fn len(&self) -> usize {
        self.bodies.len() - self.first
    }

    fn add(&mut self, bodies: &Bodies, body: u32) -> u32 {
        let i = body as usize;
        let moves = bodies.awake(i);
        let mass = if moves { bodies.inverse_mass[i] } else { 0.0 };
        let inertia = if moves { bodies.inverse_inertia[i] } else { granule_model::InverseInertia::ZERO };
        let (solver_body, tensor) = SolverBody::new(bodies.velocity[i], mass, &inertia);
        self.bodies.push(solver_body);
        self.tensors.push(tensor);
        self.index.push(body);
        (self.len() - 1) as u32
    }

    /// Slot of a body that cannot move; an island touches few of them, so a search from the first is quick.
    fn find_or_add(&mut self, bodies: &Bodies, body: u32, own: usize) -> u32 {
        let from = self.first + own;
        match self.index[from..].iter().position(|b| *b == body) {
            Some(k) => (own + k) as u32,
            None => self.add(bodies, body),
        }
    }
}

/// A run of islands with their pieces of the arrays; splits in two until one island is left.
struct Pieces<'a> {
    start: Span,
    spans: &'a [Span],
    bodies: &'a mut [SolverBody],
    tensors: &'a [DMat3],
    unforced: &'a [Velocity],
    rows: &'a mut [Row],
    outcomes: &'a mut [Outcome],
}

impl Pieces<'_> {
    /// Rows below which splitting costs more than it brings.
    const SERIAL: usize = 64;

    fn run(self, work: &(impl Fn(&mut Island<'_>, &[Velocity], &mut Outcome) + Sync)) {
        if self.spans.len() <= 1 || self.rows.len() <= Self::SERIAL {
            self.run_in_order(work);
            return;
        }
        let (left, right) = self.split();
        rayon::join(|| left.run(work), || right.run(work));
    }

    fn run_in_order(mut self, work: &(impl Fn(&mut Island<'_>, &[Velocity], &mut Outcome) + Sync)) {
        let mut from = self.start;
        for (span, outcome) in self.spans.iter().zip(self.outcomes.iter_mut()) {
            let (n, m) = (span.bodies - from.bodies, span.rows - from.rows);
            let (bodies, rest) = std::mem::take(&mut self.bodies).split_at_mut(n);
            self.bodies = rest;
            let (rows, rest) = std::mem::take(&mut self.rows).split_at_mut(m);
            self.rows = rest;
            let (tensors, unforced);
            (tensors, self.tensors) = self.tensors.split_at(n);
            (unforced, self.unforced) = self.unforced.split_at(n);
            work(&mut Island { bodies, tensors, rows }, unforced, outcome);
            from = *span;
        }
    }

    fn split(self) -> (Self, Self) {
        let middle = self.spans.len() / 2;
        let at = self.spans[middle - 1];
        let (n, m) = (at.bodies - self.start.bodies, at.rows - self.start.rows);
        let (bodies, right_bodies) = self.bodies.split_at_mut(n);
        let (rows, right_rows) = self.rows.split_at_mut(m);
        let (tensors, right_tensors) = self.tensors.split_at(n);
        let (unforced, right_unforced) = self.unforced.split_at(n);
        let (spans, right_spans) = self.spans.split_at(middle);
        let (outcomes, right_outcomes) = self.outcomes.split_at_mut(middle);
        let left = Pieces { start: self.start, spans, bodies, tensors, unforced, rows, outcomes };
        let right = Pieces {
            start: at,
            spans: right_spans,
            bodies: right_bodies,
            tensors: right_tensors,
            unforced: right_unforced,
            rows: right_rows,
            outcomes: right_outcomes,
        };
        (left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_no_island_are_empty() {
        let mut problems = Problems::default();
        problems.find(&Bodies::default(), &[]);
        let bodies = Bodies::default();
        let state = State { bodies: &bodies, contacts: &[], unforced: &[], dt: 1.0, warm_scale: 1.0 };
        problems.assemble(&state, |_| unreachable!("no contact"), |c| c.gap);
        assert_eq!(problems.count(), 0);
        assert_eq!(problems.totals(1.0).sweeps, 0);
    }
}
