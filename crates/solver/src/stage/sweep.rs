//! Sweeps of projected Gauss-Seidel over the packs of an island.

use granule_model::DMat3;
use pulp::{Arch, Simd, WithSimd};

use super::lanes::{LANES, Lanes, Lanes3, Quads, Register, Register3};
use super::packs::{BlockPacks, LaneBody, Pack, PackList, Packs, Turning};
use crate::blocks::{self, Block, Set};

/// What is done to every contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Applies the impulse that it holds.
    WarmStart,
    /// Updates it.
    Sweep,
}

/// Goes through all contacts; returns the largest change of a relative velocity \[m/s\].
pub(super) fn pass(packs: &mut Packs, blocks: &[Block], tensors: &[DMat3], task: Task) -> f64 {
    let Packs { bodies, of_blocks, rest } = packs;
    let of_blocks = &mut of_blocks[..blocks.len()];
    let tensors_of = |set: Set| &tensors[set.bodies(blocks, tensors.len()).start..];
    blocks::inside(blocks, &mut bodies[..], of_blocks, &|k, bodies, of: &mut BlockPacks| {
        of.inside.pass(bodies, tensors_of(Set::Inside(k)), task);
    });
    blocks::across(blocks, &mut bodies[..], of_blocks, &|k, bodies, of: &mut BlockPacks| {
        of.across.pass(bodies, tensors_of(Set::Across(k)), task);
    });
    rest.pass(bodies, tensors, task);
    of_blocks.iter().map(|of| of.inside.largest.max(of.across.largest)).fold(rest.largest, f64::max)
}

impl PackList {
    /// Goes through the contacts of a set; `bodies` are those that it may touch.
    fn pass(&mut self, bodies: &mut [LaneBody], tensors: &[DMat3], task: Task) {
        let PackList { packs, turning, largest, .. } = self;
        *largest = Arch::new().dispatch(Pass { bodies, packs, turning, tensors, task });
    }
}

/// A pass, compiled for each set of vector instructions.
struct Pass<'a> {
    bodies: &'a mut [LaneBody],
    packs: &'a mut [Pack],
    turning: &'a mut [Turning],
    tensors: &'a [DMat3],
    task: Task,
}

impl WithSimd for Pass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Pass { bodies, packs, turning, tensors, task } = self;
        let mut sweep = Sweep { simd, tensors, bodies };
        let mut largest = Lanes::default();
        for (k, pack) in packs.iter_mut().enumerate() {
            for part in 0..LANES / S::F64_LANES {
                if task == Task::WarmStart {
                    sweep.warm_start(pack, part);
                    continue;
                }
                let mut squared = largest.load(simd, part).max(sweep.update(pack, part));
                if let Some(turning) = turning.get_mut(k) {
                    squared = squared.max(sweep.turn(turning, pack, part));
                }
                largest.store(part, squared);
            }
        }
        largest.largest().sqrt()
    }
}

/// The bodies of the lanes that a register holds.
#[derive(Clone, Copy)]
struct Side<S: Simd> {
    linear: Register3<S>,
    angular: Register3<S>,
    inverse_mass: Register<S>,
    inverse_inertia: Register<S>,
}

struct Sweep<'a, S: Simd> {
    simd: S,
    tensors: &'a [DMat3],
    bodies: &'a mut [LaneBody],
}

impl<S: Simd> Sweep<'_, S> {
    /// The bodies A and B of a pack.
    #[inline(always)]
    fn gather(&self, pack: &Pack, part: usize) -> [Side<S>; 2] {
        [self.gather_side(&pack.a, part), self.gather_side(&pack.b, part)]
    }

    #[inline(always)]
    fn gather_side(&self, index: &[u32; LANES], part: usize) -> Side<S> {
        let body: [&LaneBody; LANES] = std::array::from_fn(|i| &self.bodies[index[i] as usize]);
        let (linear, inverse_mass) = Quads::from_fn(|i| body[i].linear).load(self.simd, part);
        let (angular, inverse_inertia) = Quads::from_fn(|i| body[i].angular).load(self.simd, part);
        Side { linear, angular, inverse_mass, inverse_inertia }
    }

    #[inline(always)]
    fn scatter(&mut self, index: &[u32; LANES], part: usize, side: &Side<S>) {
        let (mut linear, mut angular) = (Quads::default(), Quads::default());
        linear.store(part, side.linear, side.inverse_mass);
        angular.store(part, side.angular, side.inverse_inertia);
        for lane in part * S::F64_LANES..(part + 1) * S::F64_LANES {
            let body = &mut self.bodies[index[lane] as usize];
            *body = LaneBody { linear: linear.lane(lane), angular: angular.lane(lane) };
        }
    }

    /// Change of angular velocity by the moments `l`.
    #[inline(always)]
    fn spin(&self, side: &Side<S>, index: &[u32; LANES], part: usize, l: Register3<S>, general: bool) -> Register3<S> {
        if !general {
            return l * side.inverse_inertia;
        }
        let (mut moment, mut inverse) = (Lanes3::default(), Lanes::default());
        moment.store(part, l);
        inverse.store(part, side.inverse_inertia);
        let turned = |i: usize| {
            let s = inverse.0[i];
            if s >= 0.0 { moment.lane(i) * s } else { self.tensors[index[i] as usize] * moment.lane(i) }
        };
        Lanes3::from_fn(turned).load(self.simd, part)
    }

    /// Applies the impulse `p` of each contact to its two bodies.
    #[inline(always)]
    fn apply(&mut self, pack: &Pack, part: usize, [a, b]: [Side<S>; 2], p: Register3<S>) {
        let (arm_a, arm_b) = (pack.arm_a.load(self.simd, part), pack.arm_b.load(self.simd, part));
        let spin_a = self.spin(&a, &pack.a, part, arm_a.cross(p), pack.general);
        let spin_b = self.spin(&b, &pack.b, part, arm_b.cross(p), pack.general);
        let linear = [a.linear + p * a.inverse_mass, b.linear - p * b.inverse_mass];
        self.scatter(&pack.a, part, &Side { linear: linear[0], angular: a.angular + spin_a, ..a });
        self.scatter(&pack.b, part, &Side { linear: linear[1], angular: b.angular - spin_b, ..b });
    }

    /// Applies the impulses that the contacts start from, friction within the cone.
    #[inline(always)]
    fn warm_start(&mut self, pack: &mut Pack, part: usize) {
        let simd = self.simd;
        let sides = self.gather(pack, part);
        let normal_impulse = pack.normal_impulse.load(simd, part);
        let tangential_impulse = pack.tangential_impulse.load(simd, part);
        let limit = pack.static_cone.load(simd, part) * normal_impulse;
        let tangential_impulse = tangential_impulse * tangential_impulse.length_squared().shrink(limit, limit);
        pack.tangential_impulse.store(part, tangential_impulse);
        let n = pack.normal.load(simd, part);
        let p = n * (normal_impulse * pack.mass_normal.load(simd, part))
            + tangential_impulse * pack.mass_tangent.load(simd, part);
        self.apply(pack, part, sides, p);
    }

    /// One projected Gauss-Seidel update of each contact; returns the squares of the changes of relative velocity.
    #[inline(always)]
    fn update(&mut self, pack: &mut Pack, part: usize) -> Register<S> {
        let simd = self.simd;
        let sides = self.gather(pack, part);
        let n = pack.normal.load(simd, part);
        let [a, b] = &sides;
        let (arm_a, arm_b) = (pack.arm_a.load(simd, part), pack.arm_b.load(simd, part));
        let u = a.linear + a.angular.cross(arm_a) - (b.linear + b.angular.cross(arm_b));
        let u_n = n.dot(u);
        let old = pack.normal_impulse.load(simd, part);
        let change = (-(u_n + pack.bias.load(simd, part))).max(-old);
        let normal_impulse = old + change;
        if old.is_zero() && change.is_zero() {
            return Register::splat(simd, 0.0);
        }
        pack.normal_impulse.store(part, normal_impulse);
        let u_t = u - n * u_n + pack.coupling.load(simd, part) * change;
        let old = pack.tangential_impulse.load(simd, part);
        let trial = old - u_t;
        let limit = pack.static_cone.load(simd, part) * normal_impulse;
        let kept = pack.dynamic_cone.load(simd, part) * normal_impulse;
        let trial = trial * trial.length_squared().shrink(limit, kept);
        pack.tangential_impulse.store(part, trial);
        let step = trial - old;
        let p = n * (change * pack.mass_normal.load(simd, part)) + step * pack.mass_tangent.load(simd, part);
        self.apply(pack, part, sides, p);
        (change * change).max(step.length_squared())
    }

    /// The same for the moments of rolling and torsional friction; returns the squares of the changes of surface speed.
    #[inline(always)]
    fn turn(&mut self, turning: &mut Turning, pack: &Pack, part: usize) -> Register<S> {
        let simd = self.simd;
        let [a, b] = self.gather(pack, part);
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
        self.scatter(&pack.a, part, &Side { angular: a.angular + spin_a, ..a });
        self.scatter(&pack.b, part, &Side { angular: b.angular - spin_b, ..b });
        let speed = turning.surface_mobility.load(simd, part);
        l.length_squared() * (speed * speed)
    }
}

#[cfg(test)]
mod tests {
    use granule_model::{Coefficients, DVec3, InverseInertia, Velocity};

    use super::*;
    use crate::island::{Island, Row, RowInput, SolverBody};
    use crate::samples::Random;

    /// Bodies in a closed chain with a floor, balls and bodies with a tensor in turn, at random.
    fn island(random: &mut Random, friction: f64) -> (Vec<SolverBody>, Vec<DMat3>, Vec<Row>) {
        let count = 11;
        let velocity = |random: &mut Random| Velocity { linear: random.in_ball(), angular: random.in_ball() };
        let body = |i: u32, random: &mut Random| {
            let inertia = if i.is_multiple_of(2) {
                InverseInertia::Isotropic(random.between(1.0, 3.0))
            } else {
                let axes = random.axes();
                InverseInertia::General(axes * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)) * axes.transpose())
            };
            SolverBody::new(velocity(random), random.between(0.1, 10.0), &inertia)
        };
        let mut pairs: Vec<_> = (0..count).map(|i| body(i, random)).collect();
        pairs.push(SolverBody::new(Velocity::ZERO, 0.0, &InverseInertia::ZERO));
        let (bodies, tensors): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let contact = |a: u32, b: u32, random: &mut Random| {
            let coefficients =
                Coefficients { static_friction: friction, dynamic_friction: 0.5 * friction, ..Coefficients::BARE };
            let coefficients = Coefficients { rolling_friction: 0.1, torsional_friction: 0.1, ..coefficients };
            let input = RowInput {
                a,
                b,
                arm_a: random.in_ball(),
                arm_b: random.in_ball(),
                normal: random.direction(),
                gap: random.between(-0.1, 0.1),
                coefficients,
                radius: 1.0,
                warm_normal: random.unit(),
                warm_tangential: random.in_ball(),
            };
            Row::new(&input, &bodies, &tensors, 1.0)
        };
        let ends = (0..count).flat_map(|i| [(i, (i + 1) % count), (i, count)]);
        let rows = ends.map(|(a, b)| contact(a, b, random)).collect();
        (bodies, tensors, rows)
    }

    /// Velocities and impulses after ten sweeps, as bits.
    fn bits(packs: &mut Packs, tensors: &[DMat3], mut pass: impl FnMut(Pass<'_>) -> f64) -> Vec<u64> {
        let Packs { bodies, rest: PackList { packs, turning, .. }, .. } = packs;
        let tasks = std::iter::once(Task::WarmStart).chain([Task::Sweep; 10]);
        let residuals: Vec<f64> = tasks.map(|task| pass(Pass { bodies, packs, turning, tensors, task })).collect();
        let velocities = bodies.iter().map(LaneBody::velocity).flat_map(|v| [v.linear, v.angular]);
        let impulses = packs.iter().flat_map(|pack| pack.normal_impulse.0);
        residuals.into_iter().chain(velocities.flat_map(|v| v.to_array())).chain(impulses).map(f64::to_bits).collect()
    }

    #[test]
    fn machines_with_and_without_vectors_compute_the_same_bits() {
        let mut random = Random::new(5);
        for friction in [0.0, 0.2, 0.8] {
            let (mut bodies, tensors, mut rows) = island(&mut random, friction);
            let island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
            let load = || {
                let mut packs = Packs::default();
                packs.load(&island);
                packs
            };
            let vectors = bits(&mut load(), &tensors, |pass| Arch::new().dispatch(pass));
            let scalars = bits(&mut load(), &tensors, |pass| pass.with_simd(pulp::Scalar));
            assert_eq!(vectors, scalars);
            assert!(vectors.iter().all(|bits| f64::from_bits(*bits).is_finite()));
        }
    }
}
