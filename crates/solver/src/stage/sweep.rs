//! Sweeps of projected Gauss-Seidel over the packs of an island.

use std::cell::Cell;

use pulp::{Arch, Simd, WithSimd};

use super::body::{Columns, LaneBody};
use super::lanes::{Lanes, Lanes3, Quads, Register, Register3};
use super::motion::Change;
use super::packs::{BlockPacks, Pack, PackList, Swept, Turning};
use super::real::Real;
use crate::contact::blocks::{self, Block, Set};

/// What is done to every contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Applies the impulse that it holds.
    WarmStart,
    /// Updates it.
    Sweep,
}

/// What large islands take for [`Swept::relaxation`]. Over six seeds each of 540 spheres, 325 cubes and 325 crosses 1.2
/// to 1.5 are as good.
const RELAXATION: f64 = 1.3;

/// The largest that is taken: with 2 a sweep would take nothing away.
const MOST_RELAXATION: f64 = 1.95;

/// What large islands take for [`Swept::relaxation`] after so many sweeps of the same stage: [`RELAXATION`], and from
/// the twentieth on more and more.
///
/// Along a chain of N equal contacts the best factor is `2 / (1 + sin(pi/N))`, near `2 - 2 pi/N`, and takes some N
/// sweeps. So a stage that has made s sweeps in vain has loads that go through more layers than that; here it is taken
/// for one of 0.45 s.
pub(super) fn relaxation_after(sweeps: u32) -> f64 {
    let of_chain = 2.0 - PER_SWEEP / f64::from(sweeps.max(1));
    of_chain.clamp(RELAXATION, MOST_RELAXATION)
}

/// 2 pi over the layers for each sweep: [`relaxation_after`] leaves [`RELAXATION`] after the least number of sweeps
/// that packs are given.
const PER_SWEEP: f64 = 14.0;

/// A task, and [`Swept::relaxation`].
#[derive(Clone, Copy, Debug)]
struct How<T> {
    task: Task,
    relaxation: T,
}

impl<T: Real, const L: usize> Swept<T, L> {
    /// Goes through all contacts; returns the largest change of a relative velocity \[m/s\].
    pub(super) fn pass(&mut self, blocks: &[Block], task: Task) -> f64 {
        let Swept { bodies, tensors, of_blocks, rest, units, last, relaxation, .. } = self;
        let how = How { task, relaxation: *relaxation };
        let of_blocks = &mut of_blocks[..blocks.len()];
        // There are none where no body has one.
        let count = bodies.len();
        let tensors_of = |set: Set| tensors.get(set.bodies(blocks, count).start..).unwrap_or_default();
        blocks::inside(blocks, &mut bodies[..], of_blocks, &|k, bodies, of: &mut BlockPacks<T, L>| {
            of.inside.pass(bodies, tensors_of(Set::Inside(k)), how);
        });
        blocks::across(blocks, &mut bodies[..], of_blocks, &|k, bodies, of: &mut BlockPacks<T, L>| {
            of.across.pass(bodies, tensors_of(Set::Across(k)), how);
        });
        rest.pass(bodies, tensors, how);
        let of_blocks = of_blocks.iter().map(|of| of.inside.largest.max(&of.across.largest));
        *last = of_blocks.fold(rest.largest, |x, y| x.max(&y));
        last.change * units.speed
    }

    /// Lets updates go beyond their aims by a factor from now on.
    pub(super) fn relax(&mut self, factor: f64) {
        self.relaxation = T::nearest(factor);
    }

    /// Largest change of a relative velocity in the last sweep over the radius of its contact \[1/s\].
    pub(super) fn depth(&self) -> f64 {
        let change = if self.radii.are_alike() { self.last.change } else { self.last.beside };
        change * self.units.speed / self.radii.smallest
    }
}

impl<T: Real, const L: usize> PackList<T, L> {
    /// Goes through the contacts of a set; `bodies` are those that it may touch.
    fn pass(&mut self, bodies: &mut [LaneBody<T>], tensors: &[Columns<T>], how: How<T>) {
        let PackList { packs, turning, axes, drifts, shares, largest, .. } = self;
        *largest = Arch::new().dispatch(Pass { bodies, packs, turning, axes, drifts, shares, tensors, how });
    }
}

/// A pass, compiled for each set of vector instructions.
struct Pass<'a, T: Real, const L: usize> {
    bodies: &'a mut [LaneBody<T>],
    packs: &'a mut [Pack<T, L>],
    turning: &'a mut [Turning<T, L>],
    axes: &'a [Lanes3<T, L>],
    drifts: &'a [Lanes3<T, L>],
    shares: &'a [Lanes<T, L>],
    tensors: &'a [Columns<T>],
    how: How<T>,
}

impl<T: Real, const L: usize> WithSimd for Pass<'_, T, L> {
    type Output = Change;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Change {
        let Pass { bodies, packs, turning, axes, drifts, shares, tensors, how: How { task, relaxation } } = self;
        let sweep = Sweep { simd, tensors, bodies: Cell::from_mut(bodies).as_slice_of_cells(), relaxation };
        let mut largest = Lanes::<T, L>::default();
        let mut beside = Lanes::<T, L>::default();
        for (k, pack) in packs.iter_mut().enumerate() {
            for part in 0..L / T::width::<S>() {
                if task == Task::WarmStart {
                    sweep.warm_start(pack, part);
                    continue;
                }
                let change = sweep.update(pack, axes.get(k), drifts.get(k), part);
                if let Some(share) = shares.get(k) {
                    let share = share.load(simd, part);
                    beside.store(part, beside.load(simd, part).max(change * (share * share)));
                }
                let mut squared = largest.load(simd, part).max(change);
                if let Some(turning) = turning.get_mut(k) {
                    squared = squared.max(sweep.turn(turning, pack, part));
                }
                largest.store(part, squared);
            }
        }
        Change { change: largest.largest().sqrt(), beside: beside.largest().sqrt() }
    }
}

/// The bodies of the lanes of one side of a pack, found once: where they are put back no index is checked again.
type Places<'a, T, const L: usize> = [&'a Cell<LaneBody<T>>; L];

/// The bodies of the lanes that a register holds.
#[derive(Clone, Copy)]
struct Side<T: Real, S: Simd> {
    linear: Register3<T, S>,
    angular: Register3<T, S>,
    inverse_mass: Register<T, S>,
    inverse_inertia: Register<T, S>,
}

struct Sweep<'a, T: Real, S: Simd, const L: usize> {
    simd: S,
    tensors: &'a [Columns<T>],
    bodies: &'a [Cell<LaneBody<T>>],
    /// See [`Swept::relaxation`].
    relaxation: T,
}

impl<'a, T: Real, S: Simd, const L: usize> Sweep<'a, T, S, L> {
    /// Where the bodies A and B of a pack are.
    #[inline(always)]
    fn places(&self, pack: &Pack<T, L>) -> [Places<'a, T, L>; 2] {
        [&pack.a, &pack.b].map(|index| std::array::from_fn(|i| &self.bodies[index[i] as usize]))
    }

    #[inline(always)]
    fn gather(&self, body: &Places<'a, T, L>, part: usize) -> Side<T, S> {
        let (linear, inverse_mass) = Quads::<T, L>::from_fn::<S>(|i| body[i].get().linear).load(self.simd, part);
        let (angular, inverse_inertia) = Quads::<T, L>::from_fn::<S>(|i| body[i].get().angular).load(self.simd, part);
        Side { linear, angular, inverse_mass, inverse_inertia }
    }

    #[inline(always)]
    fn scatter(&self, body: &Places<'a, T, L>, part: usize, side: &Side<T, S>) {
        let (mut linear, mut angular) = (Quads::<T, L>::default(), Quads::<T, L>::default());
        linear.store(part, side.linear, side.inverse_mass);
        angular.store(part, side.angular, side.inverse_inertia);
        let width = T::width::<S>();
        for lane in part * width..(part + 1) * width {
            body[lane].set(LaneBody::new(linear.lane::<S>(lane), angular.lane::<S>(lane)));
        }
    }

    /// Change of angular velocity by the moments `l`.
    #[inline(always)]
    fn spin(
        &self,
        side: &Side<T, S>,
        index: &[u32; L],
        part: usize,
        l: Register3<T, S>,
        general: bool,
    ) -> Register3<T, S> {
        if !general {
            return l * side.inverse_inertia;
        }
        let column = |k: usize| Quads::<T, L>::from_fn::<S>(|i| self.tensors[index[i] as usize][k]);
        let (x, y, z) = (column(0), column(1), column(2));
        let ((x, _), (y, _), (z, _)) = (x.load(self.simd, part), y.load(self.simd, part), z.load(self.simd, part));
        l.combine([x, y, z])
    }

    /// Applies the impulse `p` of each contact to its two bodies.
    #[inline(always)]
    fn apply(
        &self,
        pack: &Pack<T, L>,
        part: usize,
        places: &[Places<'a, T, L>; 2],
        [a, b]: [Side<T, S>; 2],
        p: Register3<T, S>,
    ) {
        let (arm_a, arm_b) = (pack.arm_a.load(self.simd, part), pack.arm_b.load(self.simd, part));
        let spin_a = self.spin(&a, &pack.a, part, arm_a.cross(p), pack.general);
        let spin_b = self.spin(&b, &pack.b, part, arm_b.cross(p), pack.general);
        let linear = [a.linear + p * a.inverse_mass, b.linear - p * b.inverse_mass];
        self.scatter(&places[0], part, &Side { linear: linear[0], angular: a.angular + spin_a, ..a });
        self.scatter(&places[1], part, &Side { linear: linear[1], angular: b.angular - spin_b, ..b });
    }

    /// Applies the impulses that the contacts start from, friction within the cone.
    #[inline(always)]
    fn warm_start(&self, pack: &mut Pack<T, L>, part: usize) {
        let simd = self.simd;
        let places = self.places(pack);
        let sides = [self.gather(&places[0], part), self.gather(&places[1], part)];
        let normal_impulse = pack.normal_impulse.load(simd, part);
        let tangential_impulse = pack.tangential_impulse.load(simd, part);
        let limit = pack.static_cone.load(simd, part) * normal_impulse;
        let tangential_impulse = tangential_impulse * tangential_impulse.length_squared().shrink(limit, limit);
        pack.tangential_impulse.store(part, tangential_impulse);
        let n = pack.normal.load(simd, part);
        let p = n * (normal_impulse * pack.mass_normal.load(simd, part))
            + tangential_impulse * pack.mass_tangent.load(simd, part);
        self.apply(pack, part, &places, sides, p);
    }

    /// One projected Gauss-Seidel update of each contact; returns the squares of the changes of relative velocity.
    #[inline(always)]
    fn update(
        &self,
        pack: &mut Pack<T, L>,
        axis: Option<&Lanes3<T, L>>,
        drift: Option<&Lanes3<T, L>>,
        part: usize,
    ) -> Register<T, S> {
        let simd = self.simd;
        let places = self.places(pack);
        let sides = [self.gather(&places[0], part), self.gather(&places[1], part)];
        let n = pack.normal.load(simd, part);
        let [a, b] = &sides;
        let (arm_a, arm_b) = (pack.arm_a.load(simd, part), pack.arm_b.load(simd, part));
        let mut u = a.linear + a.angular.cross(arm_a) - (b.linear + b.angular.cross(arm_b));
        if let Some(drift) = drift {
            u = u + drift.load(simd, part);
        }
        let u_n = n.dot(u);
        let old = pack.normal_impulse.load(simd, part);
        let short = -(u_n + pack.bias.load(simd, part));
        let change = (short * Register::splat(simd, self.relaxation)).max(-old);
        let normal_impulse = old + change;
        if old.is_zero() && change.is_zero() {
            return Register::zero(simd);
        }
        pack.normal_impulse.store(part, normal_impulse);
        let u_t = u - n * u_n + pack.coupling.load(simd, part) * change;
        let old = pack.tangential_impulse.load(simd, part);
        let trial = old - u_t;
        let limit = pack.static_cone.load(simd, part) * normal_impulse;
        let kept = pack.dynamic_cone.load(simd, part) * normal_impulse;
        let trial = match axis {
            None => trial * trial.length_squared().shrink(limit, kept),
            Some(axis) => trial.within_box(axis.load(simd, part), n, kept),
        };
        pack.tangential_impulse.store(part, trial);
        let step = trial - old;
        let p = n * (change * pack.mass_normal.load(simd, part)) + step * pack.mass_tangent.load(simd, part);
        self.apply(pack, part, &places, sides, p);
        (change * change).max(step.length_squared())
    }

    /// The same for the moments of rolling and torsional friction; returns the squares of the changes of surface speed.
    #[inline(always)]
    fn turn(&self, turning: &mut Turning<T, L>, pack: &Pack<T, L>, part: usize) -> Register<T, S> {
        let simd = self.simd;
        let places = self.places(pack);
        let [a, b] = [self.gather(&places[0], part), self.gather(&places[1], part)];
        let n = pack.normal.load(simd, part);
        let normal_impulse = pack.normal_impulse.load(simd, part);
        let spin = a.angular - b.angular;
        let old = turning.impulse.load(simd, part);
        let (spin_n, old_n) = (n.dot(spin), n.dot(old));
        let limit = turning.torsional_arm.load(simd, part) * normal_impulse;
        let new_n = (old_n - spin_n * turning.inertia_normal.load(simd, part)).max(-limit).min(limit);
        let new_t = old - n * old_n - (spin - n * spin_n) * turning.inertia_tangent.load(simd, part);
        let limit = turning.rolling_arm.load(simd, part) * normal_impulse;
        let new_t = new_t * new_t.length_squared().shrink(limit, limit);
        let new = n * new_n + new_t;
        turning.impulse.store(part, new);
        let l = new - old;
        let spin_a = self.spin(&a, &pack.a, part, l, pack.general);
        let spin_b = self.spin(&b, &pack.b, part, l, pack.general);
        self.scatter(&places[0], part, &Side { angular: a.angular + spin_a, ..a });
        self.scatter(&places[1], part, &Side { angular: b.angular - spin_b, ..b });
        let speed = turning.surface_mobility.load(simd, part);
        l.length_squared() * (speed * speed)
    }
}

#[cfg(test)]
mod tests {
    use granule_model::DVec3;

    use super::*;
    use crate::contact::island::Island;
    use crate::contact::samples::Random;
    use crate::stage::sample::{chain_on_floor, column};
    use crate::stage::units::Units;

    /// Velocities and impulses after ten sweeps, as bits of double precision.
    fn bits<T: Real, const L: usize>(
        swept: &mut Swept<T, L>,
        mut pass: impl FnMut(Pass<'_, T, L>) -> Change,
    ) -> Vec<u64> {
        let Swept { bodies, tensors, relaxation, rest: PackList { packs, turning, axes, drifts, shares, .. }, .. } =
            swept;
        let tasks = std::iter::once(Task::WarmStart).chain([Task::Sweep; 10]);
        let residuals: Vec<f64> = tasks
            .map(|task| How { task, relaxation: *relaxation })
            .map(|how| pass(Pass { bodies, packs, turning, axes, drifts, shares, tensors, how }).change)
            .collect();
        let velocities = bodies.iter().map(|body| body.velocity(&Units::default())).flat_map(|v| [v.linear, v.angular]);
        let impulses = packs.iter().flat_map(|pack| pack.normal_impulse.0.map(T::double));
        residuals.into_iter().chain(velocities.flat_map(|v| v.to_array())).chain(impulses).map(f64::to_bits).collect()
    }

    fn check_bits<T: Real, const L: usize>(island: &Island<'_>, units: Units, axes: Option<&[DVec3]>) {
        let load = || {
            let mut swept = Swept::<T, L>::default();
            swept.load(island, units);
            axes.into_iter().for_each(|axes| swept.rest.set_axes(axes));
            swept
        };
        let vectors = bits(&mut load(), |pass| Arch::new().dispatch(pass));
        let scalars = bits(&mut load(), |pass| pass.with_simd(pulp::Scalar));
        assert_eq!(vectors, scalars);
        assert!(vectors.iter().all(|bits| f64::from_bits(*bits).is_finite()));
    }

    #[test]
    fn machines_with_and_without_vectors_compute_the_same_bits() {
        let mut random = Random::new(5);
        for friction in [0.0, 0.2, 0.8] {
            let (mut bodies, tensors, mut rows) = chain_on_floor(&mut random, 11, friction);
            let island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
            let axes: Vec<DVec3> = island.rows.iter().map(|row| row.normal.any_orthonormal_vector()).collect();
            let units = Units::of(&island).expect("bodies of like masses");
            for axes in [None, Some(&axes[..])] {
                check_bits::<f64, 4>(&island, Units::default(), axes);
                check_bits::<f32, 8>(&island, units, axes);
            }
        }
    }

    /// What is left of the speed with which a column of so many balls has come down, after sweeps with these factors
    /// \[-\].
    fn left_of_a_fall(balls: u32, factors: impl IntoIterator<Item = f64>) -> f64 {
        let (mut bodies, tensors, mut rows) = column(balls, 0.5);
        let island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
        let mut swept = Swept::<f64, 4>::default();
        swept.load(&island, Units::default());
        for factor in factors {
            swept.relax(factor);
            swept.pass(&[], Task::Sweep);
        }
        let speeds = swept.bodies.iter().map(|body| body.velocity(&Units::default()).linear.length());
        speeds.fold(0.0, f64::max)
    }

    /// Plain sweeps and those that go beyond their aims come to the same answer, the latter in half as many. Measured:
    /// after 200 sweeps 0.37 and 0.13, after 8000 4e-22 and 1e-40.
    #[test]
    fn sweeps_that_go_beyond_their_aims_come_to_rest_sooner() {
        let left = |sweeps| [1.0, RELAXATION].map(|factor| left_of_a_fall(20, std::iter::repeat_n(factor, sweeps)));
        let ([plain, relaxed], [plain_end, relaxed_end]) = (left(200), left(8000));
        assert!(relaxed <= 0.5 * plain, "{relaxed:e}, {plain:e}");
        assert!(plain_end <= 1e-12 && relaxed_end <= 1e-12, "{plain_end:e}, {relaxed_end:e}");
    }

    /// A column of fifty balls that comes down stands after sweeps that go the further beyond their aims the more there
    /// were, when one factor has hardly begun. Measured after 300 sweeps: 4e-4 and 0.73.
    #[test]
    fn tall_columns_come_to_rest_by_factors_that_grow() {
        let one = left_of_a_fall(50, std::iter::repeat_n(RELAXATION, 300));
        let growing = left_of_a_fall(50, (0..300).map(relaxation_after));
        assert!(growing <= 2e-3 * one, "{growing:e}, {one:e}");
        assert_eq!([0, 20, 28, 1_000_000].map(relaxation_after), [RELAXATION, RELAXATION, 1.5, MOST_RELAXATION]);
    }
}
