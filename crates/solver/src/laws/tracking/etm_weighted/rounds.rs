//! The rounds of the weighted method over an island: compress, lose, release, again.

use crate::contact::island::Island;
use crate::laws::tracking::approach::Approaches;
use crate::laws::tracking::impulse::{Mobilities, sliding, without_noise};

use super::group::{Group, Limit, Member};
use super::{EtmWeighted, Start};

/// Approach speed that is rounding, over the largest at the start.
const REST: f64 = 1e-12;

/// Keys that differ by less than this, relative, are equal even for `beta = 0`.
const ALIKE: f64 = 1e-12;

/// Energy left in a store that counts as none, over what it held when the release began. Contacts that are images of
/// each other empty together up to rounding only; what one of them keeps must not set it going again alone.
const SPENT: f64 = 1e-10;

/// Impulses per contact of a stage I, in units of alpha, before groups aim at rest in one step: three times what a
/// contact by itself needs. A grain between two heavy bodies would take as many times more as it is lighter, times
/// alpha.
const PATIENCE: u64 = 20;

/// Impulses per contact of a stage I, in units of alpha, before it is cut short: no input may hang the program.
/// Clusters that end need a third of it.
const COMPRESSION_CAP: u64 = 200;

/// The same for a stage III.
const RELEASE_CAP: u64 = 1000;

/// What rounds did.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) rounds: u32,
    pub(super) impulses: u64,
    pub(super) residual: f64,
    pub(super) forced: bool,
    /// Energy that stage I took, and that stage III gave back \[J\].
    pub(super) compressed: f64,
    pub(super) released: f64,
    /// Whether every stage ended by itself.
    pub(super) converged: bool,
}

/// An island with the energies that its contacts store.
struct GroupRounds<'a, 'b> {
    law: &'a EtmWeighted,
    island: &'a mut Island<'b>,
    approaches: Approaches,
    mobilities: Mobilities,
    group: Group,
    /// Stored energy by contact \[J\].
    stored: Vec<f64>,
    /// Energy at which a store counts as empty, by contact \[J\].
    spent: Vec<f64>,
    /// Sum of `stored` \[J\].
    held: f64,
    /// Separation speed that the energy of a contact must be able to make \[m/s\].
    lift: f64,
    /// Energy that stage III did not give back \[J\].
    unreleased: f64,
    /// Energy that is gone for good \[J\]: taken by friction or by stage II.
    gone: f64,
    /// Approach speeds up to this are none \[m/s\].
    threshold: f64,
    /// Sliding speeds up to this are none \[m/s\].
    sliding: f64,
    impulses: u64,
    /// Whether a stage reached its cap.
    capped: bool,
}

/// Runs rounds until nothing approaches; what contacts hold at the start is given back in the first.
pub(super) fn run(law: &EtmWeighted, island: &mut Island<'_>, start: &Start<'_>) -> Report {
    let rows = island.rows.len();
    let mut approaches = Approaches::default();
    approaches.prepare(island, start.active.iter().copied());
    let mass = |i: u32| island.bodies[i as usize].inverse_mass;
    approaches.weigh(island.rows.iter().map(|row| (mass(row.a) + mass(row.b)).recip()));
    let mut mobilities = Mobilities::default();
    mobilities.clear(rows);
    let held: f64 = start.stored.iter().sum();
    let mut approach = approaches.largest(island).max(start.approach);
    let threshold = (law.threshold.max(REST) * approach).max(start.threshold);
    let sliding = sliding(island);
    let mut rounds = GroupRounds {
        law,
        island,
        approaches,
        mobilities,
        group: Group::default(),
        stored: start.stored.to_vec(),
        spent: vec![0.0; rows],
        held,
        lift: start.lift,
        unreleased: 0.0,
        gone: 0.0,
        threshold,
        sliding,
        impulses: 0,
        capped: false,
    };
    let mut report = Report::default();
    while (approach > threshold || rounds.held > 0.0) && !report.forced {
        report.forced = report.rounds >= law.max_rounds || rounds.capped;
        let before = rounds.held;
        rounds.compress(approach);
        report.compressed += rounds.held - before;
        rounds.lose(report.rounds > 0, report.forced);
        report.released += rounds.held;
        rounds.release(approach);
        report.rounds += u32::from(!report.forced);
        approach = rounds.approaches.largest(rounds.island);
    }
    let converged = !report.forced && !rounds.capped;
    let released = report.released - rounds.unreleased;
    Report { impulses: rounds.impulses, residual: approach, converged, released, ..report }
}

impl GroupRounds<'_, '_> {
    /// The count of impulses when so many more per contact have been made, in units of alpha.
    fn impulses_after(&self, more: u64) -> u64 {
        self.impulses + more * u64::from(self.law.alpha) * self.island.rows.len() as u64
    }

    /// Stage I: the worst group first, until no contact approaches.
    fn compress(&mut self, approach: f64) {
        let largest_key = (0..self.island.rows.len()).map(|i| -self.approaches.key(i, self.normal_velocity(i)));
        let largest_key = largest_key.fold(0.0, f64::max);
        self.approaches.fill(self.island, self.threshold, largest_key);
        let last = approach / (f64::from(self.law.alpha) * f64::from(self.law.alpha));
        let (patience, cap) = (self.impulses_after(PATIENCE), self.impulses_after(COMPRESSION_CAP));
        while self.gather(if self.impulses < patience { last } else { f64::INFINITY }) {
            if self.impulses >= cap {
                self.capped = true;
                break;
            }
            let allowed = (self.gone + self.held).max(0.0);
            self.advance(Limit::Descent, allowed);
            for member in &self.group.members {
                let row = &self.island.rows[member.row];
                let (a, b) = (row.a, row.b);
                self.approaches.refresh(self.island, a, b);
            }
        }
    }

    fn normal_velocity(&self, i: usize) -> f64 {
        let row = &self.island.rows[i];
        row.normal.dot(row.relative_velocity(self.island.bodies))
    }

    /// Collects the worst contact and all within `beta` of it, with their steps; false when nothing approaches.
    fn gather(&mut self, last: f64) -> bool {
        let members = &mut self.group.members;
        members.clear();
        let mut worst = (0.0, 0.0);
        while let Some((i, u)) = self.approaches.worst(self.island) {
            let n = self.island.rows[i].normal;
            let u_n = n.dot(u);
            let key = self.approaches.key(i, u_n);
            if members.is_empty() {
                worst = (key * (1.0 - self.law.beta) * (1.0 - ALIKE), -u_n);
            } else if key > worst.0 {
                self.approaches.push(self.island, i);
                break;
            }
            members.push(Member::new(i, without_noise(u, n, self.sliding), -u_n));
        }
        let step = worst.1 / (f64::from(self.law.alpha) * members.len() as f64);
        if worst.1 > last {
            members.iter_mut().for_each(|m| m.step = m.step.min(step));
        }
        !members.is_empty()
    }

    /// Makes the step of the group and keeps the books.
    fn advance(&mut self, limit: Limit, allowed: f64) {
        let rows = |group: &Group, stored: &[f64]| group.members.iter().map(|m| stored[m.row]).sum::<f64>();
        let before = rows(&self.group, &self.stored);
        let friction = self.group.advance(self.island, &mut self.mobilities, &mut self.stored, limit, allowed);
        self.held += rows(&self.group, &self.stored) - before;
        self.gone -= friction;
        self.impulses += self.group.members.len() as u64;
    }

    /// Stage II: Stronge's hypothesis; `again` is a round after the first, `forced` the end by e = 0.
    fn lose(&mut self, again: bool, forced: bool) {
        let kept = if again { (1.0 - self.law.damping).powi(2) } else { 1.0 };
        for (stored, row) in self.stored.iter_mut().zip(&*self.island.rows) {
            let before = *stored;
            // A contact that its group pressed apart in stage I owes energy: that is no store.
            let returned = kept * row.restitution * row.restitution;
            let lifts = self.lift == 0.0 || (2.0 * returned * before.max(0.0) * row.k_normal).sqrt() > self.lift;
            let share = if forced || before < 0.0 || !lifts { 0.0 } else { returned };
            *stored *= share;
            self.gone += before - *stored;
        }
        self.held = self.stored.iter().sum();
    }

    /// Stage III: the fullest group first, until all stores are spent.
    fn release(&mut self, approach: f64) {
        self.spent.iter_mut().zip(&self.stored).for_each(|(spent, stored)| *spent = SPENT * stored);
        let step = approach / f64::from(self.law.alpha);
        let cap = self.impulses_after(RELEASE_CAP);
        while self.collect(step) {
            if self.impulses >= cap {
                self.capped = true;
                break;
            }
            let share = self.claim();
            self.advance(Limit::Stored, (self.held + self.gone - share).max(0.0));
            for member in &self.group.members {
                let stored = &mut self.stored[member.row];
                if *stored <= self.spent[member.row] {
                    self.held -= *stored;
                    self.gone += *stored;
                    self.unreleased += *stored;
                    *stored = 0.0;
                }
            }
        }
        // What a capped stage could not give back is lost, not carried into the next round.
        let over: f64 = self.stored.iter().sum();
        self.gone += over;
        self.unreleased += over;
        self.stored.fill(0.0);
        self.held = 0.0;
    }

    /// Collects the contact that stores most and all within `beta` of it, with their steps; false when all are empty.
    fn collect(&mut self, step: f64) -> bool {
        let most = self.stored.iter().copied().fold(0.0, f64::max);
        let least = most * (1.0 - self.law.beta) * (1.0 - ALIKE);
        let members = &mut self.group.members;
        members.clear();
        if most > 0.0 {
            for i in (0..self.stored.len()).filter(|i| self.stored[*i] >= least) {
                let row = &self.island.rows[i];
                let u = without_noise(row.relative_velocity(self.island.bodies), row.normal, self.sliding);
                members.push(Member::new(i, u, step));
            }
        }
        let step = step / members.len() as f64;
        members.iter_mut().for_each(|m| m.step = step);
        !members.is_empty()
    }

    /// The energy that the group may give back: what it stores, cut to what is covered where friction has put more in
    /// than anything took.
    fn claim(&mut self) -> f64 {
        let share: f64 = self.group.members.iter().map(|m| self.stored[m.row]).sum();
        let covered = (self.held + self.gone).max(0.0);
        if self.gone >= 0.0 || share <= covered {
            return share;
        }
        for member in &self.group.members {
            self.stored[member.row] *= covered / share;
        }
        self.held -= share - covered;
        self.gone += share - covered;
        self.unreleased += share - covered;
        covered
    }
}
