//! Four numbers side by side, one for each contact of a pack, and the registers that compute with them.
//!
//! A register holds as many of the four as the machine's vectors do. No fused multiply-add, and no minimum or maximum of
//! signed zeros: the bits are the same on every machine.

use std::ops::{Add, Mul, Neg, Sub};

use granule_model::DVec3;
use pulp::{Simd, bytemuck};

/// Contacts of a pack: what a vector register of the common machines holds.
pub(super) const LANES: usize = 4;

/// A number of each contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lanes(pub(super) [f64; LANES]);

impl Lanes {
    #[inline(always)]
    pub(super) fn from_fn(f: impl FnMut(usize) -> f64) -> Self {
        Lanes(std::array::from_fn(f))
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> Register<S> {
        Register { simd, value: bytemuck::cast_slice::<f64, S::f64s>(&self.0)[part] }
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, part: usize, x: Register<S>) {
        bytemuck::cast_slice_mut::<f64, S::f64s>(&mut self.0)[part] = x.value;
    }

    /// The largest of them, at least zero.
    pub(super) fn largest(self) -> f64 {
        self.0.into_iter().fold(0.0, f64::max)
    }
}

/// A vector of each contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(super) struct Lanes3 {
    x: Lanes,
    y: Lanes,
    z: Lanes,
}

impl Lanes3 {
    #[inline(always)]
    pub(super) fn from_fn(f: impl Fn(usize) -> DVec3) -> Self {
        Lanes3 { x: Lanes::from_fn(|i| f(i).x), y: Lanes::from_fn(|i| f(i).y), z: Lanes::from_fn(|i| f(i).z) }
    }

    #[inline(always)]
    pub(super) fn from_array(v: [DVec3; LANES]) -> Self {
        Lanes3::from_fn(|i| v[i])
    }

    /// The vector of one contact.
    #[inline(always)]
    pub(super) fn lane(&self, i: usize) -> DVec3 {
        DVec3::new(self.x.0[i], self.y.0[i], self.z.0[i])
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> Register3<S> {
        Register3 { x: self.x.load(simd, part), y: self.y.load(simd, part), z: self.z.load(simd, part) }
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, part: usize, v: Register3<S>) {
        self.x.store(part, v.x);
        self.y.store(part, v.y);
        self.z.store(part, v.z);
    }
}

/// Four numbers of each contact, those of a contact side by side: what bodies keep, and fetch and put back at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Quads([[f64; 4]; LANES]);

impl Quads {
    #[inline(always)]
    pub(super) fn from_fn(f: impl FnMut(usize) -> [f64; 4]) -> Self {
        Quads(std::array::from_fn(f))
    }

    /// The four numbers of one contact.
    #[inline(always)]
    pub(super) fn lane(&self, i: usize) -> [f64; 4] {
        self.0[i]
    }

    /// The first three as vectors, with the fourth.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> (Register3<S>, Register<S>) {
        let registers = bytemuck::cast_slice::<f64, S::f64s>(self.0.as_flattened());
        let r = &registers[4 * part..4 * part + 4];
        // No closure may hold what works on registers: it would be compiled without the machine's vectors.
        let [x, y, z, w] = simd.deinterleave_shfl_f64s([r[0], r[1], r[2], r[3]]);
        let register = |value| Register { simd, value };
        (Register3 { x: register(x), y: register(y), z: register(z) }, register(w))
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, part: usize, v: Register3<S>, w: Register<S>) {
        let quad = w.simd.interleave_shfl_f64s([v.x.value, v.y.value, v.z.value, w.value]);
        let registers = bytemuck::cast_slice_mut::<f64, S::f64s>(self.0.as_flattened_mut());
        registers[4 * part..4 * part + 4].copy_from_slice(&quad);
    }
}

/// As many numbers as a vector of the machine holds.
#[derive(Clone, Copy)]
pub(super) struct Register<S: Simd> {
    simd: S,
    value: S::f64s,
}

impl<S: Simd> Register<S> {
    #[inline(always)]
    pub(super) fn splat(simd: S, x: f64) -> Self {
        Register { simd, value: simd.splat_f64s(x) }
    }

    #[inline(always)]
    fn with(self, value: S::f64s) -> Self {
        Register { value, ..self }
    }

    /// The larger of each two, `other` where they are equal.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        let larger = self.simd.greater_than_f64s(self.value, other.value);
        self.with(self.simd.select_f64s(larger, self.value, other.value))
    }

    /// The smaller of each two, `other` where they are equal.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        let smaller = self.simd.less_than_f64s(self.value, other.value);
        self.with(self.simd.select_f64s(smaller, self.value, other.value))
    }

    /// `kept / sqrt(self)` where `self` exceeds the square of `limit`, else 1. To leave root and quotient out where no lane needs them
    /// brought nothing.
    #[inline(always)]
    pub(super) fn shrink(self, limit: Self, kept: Self) -> Self {
        let simd = self.simd;
        let beyond = simd.greater_than_f64s(self.value, (limit * limit).value);
        let ratio = simd.div_f64s(kept.value, simd.sqrt_f64s(self.value));
        self.with(simd.select_f64s(beyond, ratio, simd.splat_f64s(1.0)))
    }

    /// Whether all are zero.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        self.simd.reduce_max_f64s(self.simd.abs_f64s(self.value)) == 0.0
    }
}

impl<S: Simd> Add for Register<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(self.simd.add_f64s(self.value, other.value))
    }
}

impl<S: Simd> Sub for Register<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(self.simd.sub_f64s(self.value, other.value))
    }
}

impl<S: Simd> Mul for Register<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(self.simd.mul_f64s(self.value, other.value))
    }
}

impl<S: Simd> Neg for Register<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.with(self.simd.neg_f64s(self.value))
    }
}

/// As many vectors of space.
#[derive(Clone, Copy)]
pub(super) struct Register3<S: Simd> {
    x: Register<S>,
    y: Register<S>,
    z: Register<S>,
}

impl<S: Simd> Register3<S> {
    #[inline(always)]
    pub(super) fn dot(self, o: Self) -> Register<S> {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub(super) fn cross(self, o: Self) -> Self {
        Register3 { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }

    #[inline(always)]
    pub(super) fn length_squared(self) -> Register<S> {
        self.dot(self)
    }
}

impl<S: Simd> Add for Register3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Register3 { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<S: Simd> Sub for Register3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Register3 { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<S: Simd> Neg for Register3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Register3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<S: Simd> Mul<Register<S>> for Register3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: Register<S>) -> Self {
        Register3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}
