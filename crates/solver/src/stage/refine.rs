//! Sweeps in the precision that an island needs, and their answer in double precision.
//!
//! A sweep is bound by how many numbers it moves, not by what it computes with them: in single precision eight contacts
//! go through what four do in double. A large island is therefore swept in single precision, as iterative refinement
//! does it. The sweeps are the inner iteration, and what they find is a set of impulses; these are taken to double
//! precision, friction is put back within the cone, and the velocities of the bodies are computed anew from those
//! before the stage, contact after contact, in double precision. So momentum and the energy book close to rounding in
//! double precision whatever the sweeps did (1.3e-15 of the energy in the test below), and what single precision costs
//! is that the impulses are those of an iteration which stopped slightly elsewhere: after 30 sweeps of a chain of
//! unlike bodies velocities differ by 1.9e-6 of the largest from those of sweeps in double precision, far less than the
//! next sweep would change. An island that raises E* goes on from the velocities in double precision.
//!
//! Small islands, of which exact rest is asked, and those of bodies too unlike each other ([`super::units`]) are swept
//! in double precision; there the velocities of the sweeps are the answer.

use granule_model::{DMat3, DVec3, Velocity};

use super::held::Held;
use super::ledger::Ledger;
use super::newton::Newton;
use super::packs::Swept;
use super::real::Real;
use super::stop::EXACT;
use super::sweep::{Task, relaxation_after};
use super::units::Units;
use crate::contact::blocks::{self, Block, Set};
use crate::contact::island::{Island, Row, SolverBody};

/// Contacts of an island from which on it is swept in single precision. Smaller ones fit in a core's own cache in
/// either, and many of them are stacks of which exact rest is asked.
const LARGE: usize = 1000;

/// Rounding of impulses in single precision that sweeps go round in, over that of the largest: ten layers of balls at
/// rest stay at 0.15 of it.
const ROUNDINGS: f64 = 2.0;

/// The contacts of an island in classes and packs, with the bodies that they act on; the memory is kept.
#[derive(Debug, Default)]
pub struct Packs {
    is_single: bool,
    double: Swept<f64, 4>,
    single: Swept<f32, 8>,
    /// Those of each block; there may be more than the island has blocks.
    ledgers: Vec<Ledger>,
    newton: Newton,
    held: Held,
    /// Impulses before the last Newton steps.
    impulses: Vec<(f64, DVec3)>,
}

/// What a stage asks of its sweeps, in either precision.
trait Sweeps {
    fn load(&mut self, island: &Island<'_>, units: Units);
    fn load_impact(&mut self, island: &Island<'_>, units: Units, axes: &[DVec3]);
    fn relax(&mut self, factor: f64);
    fn begin_directions(&mut self);
    fn sweep_on(&mut self, blocks: &[Block]) -> f64;
    fn pass(&mut self, blocks: &[Block], task: Task) -> f64;
    fn let_slide(&mut self);
    fn depth(&self) -> f64;
    fn are_unlike(&self) -> bool;
    fn traffic(&self, blocks: usize) -> usize;
    fn store_impulses(&mut self, island: &mut Island<'_>, finish: fn(&mut Row));
}

impl<T: Real, const L: usize> Sweeps for Swept<T, L> {
    fn load(&mut self, island: &Island<'_>, units: Units) {
        self.load(island, units);
    }

    fn load_impact(&mut self, island: &Island<'_>, units: Units, axes: &[DVec3]) {
        self.load_impact(island, units, axes);
    }

    fn relax(&mut self, factor: f64) {
        self.relax(factor);
    }

    fn begin_directions(&mut self) {
        self.begin_directions();
    }

    fn sweep_on(&mut self, blocks: &[Block]) -> f64 {
        self.sweep_on(blocks)
    }

    fn pass(&mut self, blocks: &[Block], task: Task) -> f64 {
        self.pass(blocks, task)
    }

    fn let_slide(&mut self) {
        self.let_slide();
    }

    fn depth(&self) -> f64 {
        self.depth()
    }

    fn are_unlike(&self) -> bool {
        self.are_unlike()
    }

    fn traffic(&self, blocks: usize) -> usize {
        self.traffic(blocks)
    }

    fn store_impulses(&mut self, island: &mut Island<'_>, finish: fn(&mut Row)) {
        self.store_impulses(island, finish);
    }
}

impl Packs {
    /// Chooses the precision for an island, single where it `may_be` and its bodies are alike enough; returns the units
    /// in which it is swept.
    fn choose(&mut self, island: &Island<'_>, may_be: bool) -> Units {
        let units = if may_be && island.rows.len() >= LARGE { Units::of(island) } else { None };
        self.is_single = units.is_some();
        units.unwrap_or_default()
    }

    /// The sweeps in the precision that was chosen.
    fn swept(&self) -> &dyn Sweeps {
        if self.is_single { &self.single } else { &self.double }
    }

    fn swept_mut(&mut self) -> &mut dyn Sweeps {
        if self.is_single { &mut self.single } else { &mut self.double }
    }

    /// Lays out the island with the impulses that its rows start from.
    pub(super) fn load(&mut self, island: &Island<'_>) {
        let units = self.choose(island, true);
        self.swept_mut().load(island, units);
        self.relax(island, 0);
    }

    /// Lets sweeps of a large island of contacts of one size go beyond their aims, the further the more of them were
    /// made.
    pub(super) fn relax(&mut self, island: &Island<'_>, sweeps: u32) {
        if island.rows.len() >= LARGE && !self.are_unlike() {
            self.swept_mut().relax(relaxation_after(sweeps));
        }
    }

    /// Largest change of a relative velocity in a sweep, with which the next ones would change nothing any more
    /// \[m/s\]: a share of the tolerance, in single precision at least the rounding of what the impulses make of it.
    pub(super) fn exact(&self, island: &Island<'_>, tolerance: f64) -> f64 {
        let exact = EXACT * tolerance;
        if !self.is_single {
            return exact;
        }
        let largest = island.rows.iter().map(|row| row.normal_impulse * row.k_normal).fold(0.0, f64::max);
        exact.max(ROUNDINGS * f64::from(f32::EPSILON) * largest)
    }

    /// Lays out a cluster without blocks for an impact: friction is bounded by boxes along the axes of the rows, and
    /// sweeps will be steps of a conjugate gradient method. In single precision only where `coarse` says that it may
    /// be.
    pub(super) fn load_impact(&mut self, island: &Island<'_>, axes: &[DVec3], coarse: bool) {
        let units = self.choose(island, coarse);
        self.swept_mut().load_impact(island, units, axes);
    }

    /// Makes ready for [`Packs::sweep_on`].
    pub(super) fn begin_directions(&mut self) {
        self.swept_mut().begin_directions();
    }

    /// Whether sweeps that energy asks for are steps of a conjugate gradient method: of a large island whose contacts
    /// are of one size they are as good without.
    pub(super) fn are_worth_directions(&self) -> bool {
        !self.is_single || self.are_unlike()
    }

    /// Whether contacts of the island differ in their radii, or bodies in their masses.
    pub(super) fn are_unlike(&self) -> bool {
        self.swept().are_unlike()
    }

    /// A sweep that starts where the directions of those before lead to; returns as [`Packs::pass`].
    pub(super) fn sweep_on(&mut self, blocks: &[Block]) -> f64 {
        self.swept_mut().sweep_on(blocks)
    }

    /// Hands impulses back to the island, and nothing else.
    pub(super) fn store_impulses(&mut self, island: &mut Island<'_>) {
        self.swept_mut().store_impulses(island, |_| {});
    }

    /// Goes through all contacts; returns the largest change of a relative velocity \[m/s\].
    pub(super) fn pass(&mut self, blocks: &[Block], task: Task) -> f64 {
        self.swept_mut().pass(blocks, task)
    }

    /// Holds contacts that slide by dynamic friction from now on.
    pub(super) fn let_slide(&mut self) {
        self.swept_mut().let_slide();
    }

    /// Largest change of a relative velocity in the last sweep over the radius of its contact \[1/s\].
    pub(super) fn depth(&self) -> f64 {
        self.swept().depth()
    }

    /// Bytes that a sweep over an island of so many blocks reads and writes.
    pub(super) fn traffic(&self, blocks: usize) -> usize {
        self.swept().traffic(blocks)
    }

    /// Hands velocities and impulses back to the island; `before` are the velocities with which it came. Sweeps in
    /// single precision hand back impulses only.
    pub(super) fn store(&mut self, island: &mut Island<'_>, before: &[Velocity]) {
        if self.is_single {
            self.single.store_impulses(island, Row::keep_in_cone);
            set_velocities(island, before, self.ledgers(island.blocks.len()));
        } else {
            self.double.store_velocities(island);
            self.double.store_impulses(island, |_| ());
        }
    }

    /// Takes up the velocities of the island, before more sweeps; those in double precision have them.
    pub(super) fn resume(&mut self, island: &Island<'_>) {
        if self.is_single {
            self.single.load_bodies(island);
        }
    }

    /// Takes Newton steps from where the sweeps are, and makes ready for the next sweep there; false where none can be
    /// taken.
    pub(super) fn leap(&mut self, island: &mut Island<'_>, before: &[Velocity]) -> bool {
        self.store(island, before);
        self.impulses.clear();
        self.impulses.extend(island.rows.iter().map(|row| (row.normal_impulse, row.tangential_impulse)));
        let leaps = self.newton.solve(island, before);
        if leaps {
            self.begin_anew(island, before);
        }
        leaps
    }

    /// Looks for other impulses where the sweeps do not settle, see [`super::held`]; the residual, none where they were
    /// no better.
    pub(super) fn hold_friction(&mut self, island: &mut Island<'_>, before: &[Velocity], residual: f64) -> Option<f64> {
        self.held.solve(island, before, residual)
    }

    /// Makes ready for the next sweep where the last leap began.
    pub(super) fn leap_back(&mut self, island: &mut Island<'_>, before: &[Velocity]) {
        for (row, impulses) in island.rows.iter_mut().zip(&self.impulses) {
            (row.normal_impulse, row.tangential_impulse) = *impulses;
        }
        self.begin_anew(island, before);
    }

    /// Lays the island out with the impulses that its rows have now.
    fn begin_anew(&mut self, island: &mut Island<'_>, before: &[Velocity]) {
        island.bodies.iter_mut().zip(before).for_each(|(body, velocity)| body.velocity = *velocity);
        self.load(island);
        self.pass(island.blocks, Task::WarmStart);
    }

    /// One ledger for each of so many blocks.
    pub(super) fn ledgers(&mut self, blocks: usize) -> &mut [Ledger] {
        if self.ledgers.len() < blocks {
            self.ledgers.resize_with(blocks, Ledger::default);
        }
        &mut self.ledgers[..blocks]
    }
}

/// Sets the velocities of the bodies to what the impulses of the rows make of those before.
fn set_velocities(island: &mut Island<'_>, before: &[Velocity], of_blocks: &mut [Ledger]) {
    let Island { bodies, tensors, rows, blocks } = island;
    let (blocks, count): (&[Block], usize) = (blocks, rows.len());
    for (body, velocity) in bodies.iter_mut().zip(before) {
        body.velocity = *velocity;
    }
    let rows: &[Row] = rows;
    let on = |set: Set, bodies: &mut [SolverBody]| {
        let first = set.bodies(blocks, tensors.len()).start;
        apply(&rows[set.rows(blocks, count)], first, bodies, &tensors[first..]);
    };
    blocks::inside(blocks, &mut bodies[..], of_blocks, &|k, bodies: &mut [SolverBody], _| on(Set::Inside(k), bodies));
    blocks::across(blocks, &mut bodies[..], of_blocks, &|k, bodies: &mut [SolverBody], _| on(Set::Across(k), bodies));
    on(Set::Rest, bodies);
}

/// Applies the impulses of some rows to their bodies, of which `first` is the first.
fn apply(rows: &[Row], first: usize, bodies: &mut [SolverBody], tensors: &[DMat3]) {
    for row in rows.iter().filter(|row| row.normal_impulse != 0.0) {
        row.lever().shifted(first as u32).apply(bodies, tensors, row.impulse());
        if row.angular_impulse != DVec3::ZERO {
            row.lever().shifted(first as u32).apply_angular(bodies, tensors, row.angular_impulse);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::samples::Random;
    use crate::stage::sample::chain_on_floor;
    use crate::stage::{StageReport, StageSettings, solve};

    /// Thirty sweeps, whatever they come to.
    const THIRTY: StageSettings = StageSettings {
        dt: 1.0,
        tolerance: 0.0,
        violent: f64::INFINITY,
        deep: f64::INFINITY,
        min_sweeps: 30,
        max_sweeps: 30,
        deep_sweeps: 30,
        most_sweeps: 30,
        small_work: 0,
        small_sweeps: 0,
        loose_work: 0,
        hit: f64::INFINITY,
        rise: f64::INFINITY,
        more_sweeps: 30,
        trace: f64::INFINITY,
    };

    /// What the stage made of an island.
    struct Done {
        bodies: Vec<SolverBody>,
        rows: Vec<Row>,
        report: StageReport,
        is_single: bool,
        kinetic_energy: [f64; 2],
    }

    fn done((mut bodies, tensors, mut rows): (Vec<SolverBody>, Vec<DMat3>, Vec<Row>)) -> Done {
        let mut packs = Packs::default();
        let mut island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
        let unforced: Vec<Velocity> = island.bodies.iter().map(|body| body.velocity).collect();
        let before = island.kinetic_energy();
        let report = solve(&mut island, &THIRTY, &unforced, &mut Vec::new(), &mut packs);
        let kinetic_energy = [before, island.kinetic_energy()];
        Done { bodies, rows, report, is_single: packs.is_single, kinetic_energy }
    }

    fn sample(count: usize) -> (Vec<SolverBody>, Vec<DMat3>, Vec<Row>) {
        chain_on_floor(&mut Random::new(3), count as u32, 0.4)
    }

    fn largest_difference(x: &Done, y: &Done) -> f64 {
        let pairs = x.bodies.iter().zip(&y.bodies);
        pairs.map(|(x, y)| (x.velocity.linear - y.velocity.linear).length()).fold(0.0, f64::max)
    }

    /// Measured: 1.3e-15.
    #[test]
    fn the_energy_book_of_a_large_island_closes_in_double_precision() {
        let done = done(sample(LARGE));
        assert!(done.is_single);
        let [before, after] = done.kinetic_energy;
        let taken = done.report.normal_work + done.report.friction_work;
        assert!((before - after - taken).abs() <= 4e-15 * before, "{:e}", (before - after - taken) / before);
        let beyond = |row: &Row| row.tangential_impulse.length() - row.static_friction * row.normal_impulse;
        let scale = done.rows.iter().map(|row| row.normal_impulse).fold(0.0, f64::max);
        assert!(done.rows.iter().all(|row| row.normal_impulse >= 0.0 && beyond(row) <= 1e-15 * scale));
    }

    /// A body that turns too easily for its island makes no difference to the others, being apart from them, but has it
    /// swept in double precision.
    fn with_speck(mut island: (Vec<SolverBody>, Vec<DMat3>, Vec<Row>)) -> (Vec<SolverBody>, Vec<DMat3>, Vec<Row>) {
        let inertia = granule_model::InverseInertia::Isotropic(1e30);
        let (body, tensor) = SolverBody::new(Velocity::ZERO, 1.0, &inertia);
        island.0.push(body);
        island.1.push(tensor);
        island
    }

    /// Measured: 1.9e-6 of the largest speed before, which is 1 m/s.
    #[test]
    fn single_and_double_precision_come_to_the_same_and_bodies_unlike_each_other_are_swept_in_double() {
        let (single, double) = (done(sample(LARGE)), done(with_speck(sample(LARGE))));
        assert!(single.is_single && !double.is_single);
        let difference = largest_difference(&single, &double);
        assert!(difference > 0.0 && difference <= 1e-5, "{difference:e}");
    }

    /// In units of its own a pack of dust is one of boulders.
    #[test]
    fn sweeps_in_single_precision_do_not_depend_on_the_scale() {
        let scaled = |length: f64, mass: f64| {
            let (mut bodies, mut tensors, mut rows) = sample(LARGE);
            for (body, tensor) in bodies.iter_mut().zip(&mut tensors) {
                *body = body.scaled(length, mass);
                *tensor *= 1.0 / (mass * length * length);
            }
            rows.iter_mut().for_each(|row| *row = row.scaled(length, mass));
            done((bodies, tensors, rows))
        };
        let metre = done(sample(LARGE));
        for (length, mass) in [(2f64.powi(-20), 2f64.powi(-60)), (2f64.powi(10), 2f64.powi(30))] {
            let other = scaled(length, mass);
            assert!(other.is_single);
            let same = |x: &SolverBody, y: &SolverBody| x.velocity.linear * length == y.velocity.linear;
            assert!(metre.bodies.iter().zip(&other.bodies).all(|(x, y)| same(x, y)));
        }
    }

    /// Large islands whose contacts are of one size and whose bodies are not too unlike in mass go beyond their aims,
    /// others and conjugate gradients do not. The masses of the sample are within 1 : 100.
    #[test]
    fn large_islands_of_one_size_go_beyond_their_aims() {
        let is_plain = |count: usize, [unlike, heavy]: [bool; 2], directions: bool| {
            let (mut bodies, tensors, mut rows) = sample(count);
            rows[0].radius *= if unlike { 2.0 } else { 1.0 };
            bodies[0].inverse_mass *= if heavy { 1e-3 } else { 1.0 };
            let mut packs = Packs::default();
            packs.load(&Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] });
            if directions {
                packs.begin_directions();
            }
            if packs.is_single { packs.single.relaxation == 1.0 } else { packs.double.relaxation == 1.0 }
        };
        assert!(!is_plain(LARGE, [false; 2], false));
        assert!(is_plain(LARGE, [true, false], false) && is_plain(LARGE, [false, true], false));
        assert!(is_plain(LARGE, [false; 2], true) && is_plain(LARGE / 2 - 1, [false; 2], false));
    }

    /// Small islands keep their exact answers.
    #[test]
    fn small_islands_are_swept_in_double_precision() {
        assert!(!done(sample(LARGE / 2 - 1)).is_single);
    }
}
