//! Sweeps of projected Gauss-Seidel over the packs of an island.

use granule_model::DMat3;
use pulp::{Arch, Simd, WithSimd};

use super::lanes::{LANES, Lanes, Lanes3, Register, Register3};
use super::packs::{Arms, Central, Kind, Pack, Packs, Turning};
use crate::island::SolverBody;

/// What is done to every contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Applies the impulse that it holds.
    WarmStart,
    /// Updates it.
    Sweep,
}

/// Goes through all contacts; returns the largest change of a relative velocity \[m/s\].
pub(super) fn pass(packs: &mut Packs, tensors: &[DMat3], task: Task) -> f64 {
    Arch::new().dispatch(Pass { packs, tensors, task })
}

/// A pass, compiled for each set of vector instructions.
struct Pass<'a> {
    packs: &'a mut Packs,
    tensors: &'a [DMat3],
    task: Task,
}

impl WithSimd for Pass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Packs { bodies, arms, central, .. } = self.packs;
        let sweep = Sweep { simd, tensors: self.tensors, bodies };
        let mut visit = Visit { sweep, task: self.task, largest: Lanes::default() };
        for class in 0..arms.ends.len() {
            visit.class(arms, class);
            visit.class(central, class);
        }
        visit.largest.largest().sqrt()
    }
}

/// A pass under way.
struct Visit<'a, S: Simd> {
    sweep: Sweep<'a, S>,
    task: Task,
    /// Squares of the largest changes.
    largest: Lanes,
}

impl<S: Simd> Visit<'_, S> {
    /// The packs of one kind and class.
    #[inline(always)]
    fn class<G: Geometry>(&mut self, kind: &mut Kind<G>, class: usize) {
        let start = if class == 0 { 0 } else { kind.ends[class - 1] };
        for part in 0..LANES / S::F64_LANES {
            let mut largest = self.largest.load(self.sweep.simd, part);
            for k in start..kind.ends[class] {
                let pack = &mut kind.packs[k];
                if self.task == Task::WarmStart {
                    self.sweep.warm_start(pack, part);
                    continue;
                }
                largest = largest.max(self.sweep.update(pack, part));
                if let Some(turning) = kind.turning.get_mut(k) {
                    largest = largest.max(self.sweep.turn(turning, pack, part));
                }
            }
            self.largest.store(part, largest);
        }
    }
}

/// How the arms of a contact turn impulses into spins, and spins into velocities.
trait Geometry {
    /// Relative velocity at the contacts.
    fn relative_velocity<S: Simd>(&self, n: Register3<S>, sides: &[Side<S>; 2], at: At<S>) -> Register3<S>;

    /// What a change of the normal velocity adds to the sliding velocity.
    fn coupled<S: Simd>(&self, sliding: Register3<S>, change: Register<S>, at: At<S>) -> Register3<S>;

    /// Moments of the impulses `p` about the centres of A and B.
    fn moments<S: Simd>(&self, n: Register3<S>, p: Register3<S>, at: At<S>) -> [Register3<S>; 2];

    /// Whether a body has a tensor of inertia.
    fn is_general(&self) -> bool;
}

/// Part of a pack that a register holds.
#[derive(Clone, Copy)]
struct At<S: Simd> {
    simd: S,
    part: usize,
}

impl Geometry for Arms {
    #[inline(always)]
    fn relative_velocity<S: Simd>(&self, _: Register3<S>, [a, b]: &[Side<S>; 2], at: At<S>) -> Register3<S> {
        let (arm_a, arm_b) = (self.a.load(at.simd, at.part), self.b.load(at.simd, at.part));
        a.linear + a.angular.cross(arm_a) - (b.linear + b.angular.cross(arm_b))
    }

    #[inline(always)]
    fn coupled<S: Simd>(&self, sliding: Register3<S>, change: Register<S>, at: At<S>) -> Register3<S> {
        sliding + self.coupling.load(at.simd, at.part) * change
    }

    #[inline(always)]
    fn moments<S: Simd>(&self, _: Register3<S>, p: Register3<S>, at: At<S>) -> [Register3<S>; 2] {
        [self.a.load(at.simd, at.part).cross(p), self.b.load(at.simd, at.part).cross(p)]
    }

    fn is_general(&self) -> bool {
        self.general
    }
}

impl Geometry for Central {
    #[inline(always)]
    fn relative_velocity<S: Simd>(&self, n: Register3<S>, [a, b]: &[Side<S>; 2], at: At<S>) -> Register3<S> {
        let spin = a.angular * self.a.load(at.simd, at.part) - b.angular * self.b.load(at.simd, at.part);
        a.linear - b.linear + spin.cross(n)
    }

    #[inline(always)]
    fn coupled<S: Simd>(&self, sliding: Register3<S>, _: Register<S>, _: At<S>) -> Register3<S> {
        sliding
    }

    #[inline(always)]
    fn moments<S: Simd>(&self, n: Register3<S>, p: Register3<S>, at: At<S>) -> [Register3<S>; 2] {
        let moment = n.cross(p);
        [moment * self.a.load(at.simd, at.part), moment * self.b.load(at.simd, at.part)]
    }

    fn is_general(&self) -> bool {
        false
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
    bodies: &'a mut [SolverBody],
}

impl<S: Simd> Sweep<'_, S> {
    #[inline(always)]
    fn gather(&self, index: &[u32; LANES], part: usize) -> Side<S> {
        let body: [&SolverBody; LANES] = std::array::from_fn(|i| &self.bodies[index[i] as usize]);
        Side {
            linear: Lanes3::from_fn(|i| body[i].velocity.linear).load(self.simd, part),
            angular: Lanes3::from_fn(|i| body[i].velocity.angular).load(self.simd, part),
            inverse_mass: Lanes::from_fn(|i| body[i].inverse_mass).load(self.simd, part),
            inverse_inertia: Lanes::from_fn(|i| body[i].inverse_inertia()).load(self.simd, part),
        }
    }

    #[inline(always)]
    fn scatter(&mut self, index: &[u32; LANES], part: usize, linear: Register3<S>, angular: Register3<S>) {
        let (mut v, mut w) = (Lanes3::default(), Lanes3::default());
        v.store(part, linear);
        w.store(part, angular);
        for i in 0..S::F64_LANES {
            let lane = part * S::F64_LANES + i;
            let velocity = &mut self.bodies[index[lane] as usize].velocity;
            velocity.linear = v.lane(lane);
            velocity.angular = w.lane(lane);
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
    fn apply<G: Geometry>(
        &mut self,
        pack: &Pack<G>,
        part: usize,
        n: Register3<S>,
        [a, b]: [Side<S>; 2],
        p: Register3<S>,
    ) {
        let (geometry, at) = (&pack.geometry, At { simd: self.simd, part });
        let [moment_a, moment_b] = geometry.moments(n, p, at);
        let spin_a = self.spin(&a, &pack.a, part, moment_a, geometry.is_general());
        let spin_b = self.spin(&b, &pack.b, part, moment_b, geometry.is_general());
        self.scatter(&pack.a, part, a.linear + p * a.inverse_mass, a.angular + spin_a);
        self.scatter(&pack.b, part, b.linear - p * b.inverse_mass, b.angular - spin_b);
    }

    /// Applies the impulses that the contacts start from, friction within the cone.
    #[inline(always)]
    fn warm_start<G: Geometry>(&mut self, pack: &mut Pack<G>, part: usize) {
        let simd = self.simd;
        let sides = [self.gather(&pack.a, part), self.gather(&pack.b, part)];
        let normal_impulse = pack.normal_impulse.load(simd, part);
        let tangential_impulse = pack.tangential_impulse.load(simd, part);
        let limit = pack.static_cone.load(simd, part) * normal_impulse;
        let tangential_impulse = tangential_impulse * tangential_impulse.length_squared().shrink(limit, limit);
        pack.tangential_impulse.store(part, tangential_impulse);
        let n = pack.normal.load(simd, part);
        let p = n * (normal_impulse * pack.mass_normal.load(simd, part))
            + tangential_impulse * pack.mass_tangent.load(simd, part);
        self.apply(pack, part, n, sides, p);
    }

    /// One projected Gauss-Seidel update of each contact; returns the squares of the changes of relative velocity.
    #[inline(always)]
    fn update<G: Geometry>(&mut self, pack: &mut Pack<G>, part: usize) -> Register<S> {
        let (simd, at) = (self.simd, At { simd: self.simd, part });
        let sides = [self.gather(&pack.a, part), self.gather(&pack.b, part)];
        let n = pack.normal.load(simd, part);
        let u = pack.geometry.relative_velocity(n, &sides, at);
        let u_n = n.dot(u);
        let old = pack.normal_impulse.load(simd, part);
        let change = (-(u_n + pack.bias.load(simd, part))).max(-old);
        let normal_impulse = old + change;
        if old.is_zero() && change.is_zero() {
            return Register::splat(simd, 0.0);
        }
        pack.normal_impulse.store(part, normal_impulse);
        let u_t = pack.geometry.coupled(u - n * u_n, change, at);
        let old = pack.tangential_impulse.load(simd, part);
        let trial = old - u_t;
        let limit = pack.static_cone.load(simd, part) * normal_impulse;
        let kept = pack.dynamic_cone.load(simd, part) * normal_impulse;
        let trial = trial * trial.length_squared().shrink(limit, kept);
        pack.tangential_impulse.store(part, trial);
        let step = trial - old;
        let p = n * (change * pack.mass_normal.load(simd, part)) + step * pack.mass_tangent.load(simd, part);
        self.apply(pack, part, n, sides, p);
        (change * change).max(step.length_squared())
    }

    /// The same for the moments of rolling and torsional friction; returns the squares of the changes of surface speed.
    #[inline(always)]
    fn turn<G: Geometry>(&mut self, turning: &mut Turning, pack: &Pack<G>, part: usize) -> Register<S> {
        let simd = self.simd;
        let [a, b] = [self.gather(&pack.a, part), self.gather(&pack.b, part)];
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
        let spin_a = self.spin(&a, &pack.a, part, l, pack.geometry.is_general());
        let spin_b = self.spin(&b, &pack.b, part, l, pack.geometry.is_general());
        self.scatter(&pack.a, part, a.linear, a.angular + spin_a);
        self.scatter(&pack.b, part, b.linear, b.angular - spin_b);
        let speed = turning.surface_mobility.load(simd, part);
        l.length_squared() * (speed * speed)
    }
}
