//! Numbers side by side, one for each contact of a pack, and the registers that compute with them.
//!
//! A register holds as many of them as the machine's vectors do. The bits do not depend on how many that is, see
//! [`super::real`].

use std::ops::{Add, Mul, Neg, Sub};

use granule_model::DVec3;
use pulp::Simd;

use super::real::Real;

/// A number of each of the `L` contacts of a pack, aligned as the widest vectors in use are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lanes<T, const L: usize>(pub(super) [T; L]);

impl<T: Real, const L: usize> Default for Lanes<T, L> {
    fn default() -> Self {
        Lanes([T::default(); L])
    }
}

impl<T: Real, const L: usize> Lanes<T, L> {
    #[inline(always)]
    pub(super) fn from_fn(f: impl FnMut(usize) -> T) -> Self {
        Lanes(std::array::from_fn(f))
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> Register<T, S> {
        Register { simd, value: T::vectors::<S>(&self.0)[part] }
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, part: usize, x: Register<T, S>) {
        T::vectors_mut::<S>(&mut self.0)[part] = x.value;
    }

    /// The largest of them, at least zero.
    pub(super) fn largest(self) -> f64 {
        self.0.into_iter().map(T::double).fold(0.0, f64::max)
    }
}

/// A vector of each contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Lanes3<T, const L: usize> {
    x: Lanes<T, L>,
    y: Lanes<T, L>,
    z: Lanes<T, L>,
}

impl<T: Real, const L: usize> Default for Lanes3<T, L> {
    fn default() -> Self {
        Lanes3 { x: Lanes::default(), y: Lanes::default(), z: Lanes::default() }
    }
}

impl<T: Real, const L: usize> Lanes3<T, L> {
    #[inline(always)]
    pub(super) fn from_fn(f: impl Fn(usize) -> DVec3) -> Self {
        Lanes3 {
            x: Lanes::from_fn(|i| T::nearest(f(i).x)),
            y: Lanes::from_fn(|i| T::nearest(f(i).y)),
            z: Lanes::from_fn(|i| T::nearest(f(i).z)),
        }
    }

    /// The vector of one contact.
    #[inline(always)]
    pub(super) fn lane(&self, i: usize) -> DVec3 {
        DVec3::new(self.x.0[i].double(), self.y.0[i].double(), self.z.0[i].double())
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> Register3<T, S> {
        Register3 { x: self.x.load(simd, part), y: self.y.load(simd, part), z: self.z.load(simd, part) }
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, part: usize, v: Register3<T, S>) {
        self.x.store(part, v.x);
        self.y.store(part, v.y);
        self.z.store(part, v.z);
    }
}

/// Four numbers of each contact, those of a contact side by side: what bodies keep, and fetch and put back at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Quads<T, const L: usize>([[T; 4]; L]);

impl<T: Real, const L: usize> Default for Quads<T, L> {
    #[inline(always)]
    fn default() -> Self {
        Quads([[T::default(); 4]; L])
    }
}

impl<T: Real, const L: usize> Quads<T, L> {
    /// The four numbers of each lane, where the machine wants them ([`Real::place`]).
    #[inline(always)]
    pub(super) fn from_fn<S: Simd>(f: impl Fn(usize) -> [T; 4]) -> Self {
        let mut quads = Quads::default();
        for i in 0..L {
            quads.0[T::place::<S>(i)] = f(i);
        }
        quads
    }

    /// The four numbers of one contact.
    #[inline(always)]
    pub(super) fn lane<S: Simd>(&self, i: usize) -> [T; 4] {
        self.0[T::place::<S>(i)]
    }

    /// The first three as vectors, with the fourth.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, part: usize) -> (Register3<T, S>, Register<T, S>) {
        let registers = T::vectors::<S>(self.0.as_flattened());
        let r = &registers[4 * part..4 * part + 4];
        // No closure may hold what works on registers: it would be compiled without the machine's vectors.
        let [x, y, z, w] = T::transpose(simd, [r[0], r[1], r[2], r[3]]);
        let v = Register3 {
            x: Register { simd, value: x },
            y: Register { simd, value: y },
            z: Register { simd, value: z },
        };
        (v, Register { simd, value: w })
    }

    #[inline(always)]
    pub(super) fn store<S: Simd>(&mut self, part: usize, v: Register3<T, S>, w: Register<T, S>) {
        let quad = T::transpose_back(w.simd, [v.x.value, v.y.value, v.z.value, w.value]);
        let registers = T::vectors_mut::<S>(self.0.as_flattened_mut());
        registers[4 * part..4 * part + 4].copy_from_slice(&quad);
    }
}

/// As many numbers as a vector of the machine holds.
#[derive(Clone, Copy)]
pub(super) struct Register<T: Real, S: Simd> {
    simd: S,
    value: T::Vector<S>,
}

impl<T: Real, S: Simd> Register<T, S> {
    #[inline(always)]
    pub(super) fn zero(simd: S) -> Self {
        Register::splat(simd, T::default())
    }

    #[inline(always)]
    pub(super) fn splat(simd: S, x: T) -> Self {
        Register { simd, value: T::splat(simd, x) }
    }

    #[inline(always)]
    fn with(self, value: T::Vector<S>) -> Self {
        Register { value, ..self }
    }

    /// The larger of each two, `other` where they are equal.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.with(T::where_greater(self.simd, [self.value, other.value], self.value, other.value))
    }

    /// The smaller of each two, `other` where they are equal.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        self.with(T::where_greater(self.simd, [other.value, self.value], self.value, other.value))
    }

    /// `kept / sqrt(self)` where `self` exceeds the square of `limit`, else 1. To leave root and quotient out where no
    /// lane needs them brought nothing.
    #[inline(always)]
    pub(super) fn shrink(self, limit: Self, kept: Self) -> Self {
        let simd = self.simd;
        let ratio = T::over_root(simd, kept.value, self.value);
        let one = T::splat(simd, T::nearest(1.0));
        self.with(T::where_greater(simd, [self.value, (limit * limit).value], ratio, one))
    }

    /// Whether all are zero.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        T::is_zero(self.simd, self.value)
    }
}

impl<T: Real, S: Simd> Add for Register<T, S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(<T as Real>::add(self.simd, self.value, other.value))
    }
}

impl<T: Real, S: Simd> Sub for Register<T, S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(<T as Real>::sub(self.simd, self.value, other.value))
    }
}

impl<T: Real, S: Simd> Mul for Register<T, S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(<T as Real>::mul(self.simd, self.value, other.value))
    }
}

impl<T: Real, S: Simd> Neg for Register<T, S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.with(T::neg(self.simd, self.value))
    }
}

/// As many vectors of space.
#[derive(Clone, Copy)]
pub(super) struct Register3<T: Real, S: Simd> {
    x: Register<T, S>,
    y: Register<T, S>,
    z: Register<T, S>,
}

impl<T: Real, S: Simd> Register3<T, S> {
    #[inline(always)]
    pub(super) fn dot(self, o: Self) -> Register<T, S> {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    #[inline(always)]
    pub(super) fn cross(self, o: Self) -> Self {
        Register3 { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }

    /// `columns[0] x + columns[1] y + columns[2] z`.
    #[inline(always)]
    pub(super) fn combine(self, columns: [Self; 3]) -> Self {
        columns[0] * self.x + columns[1] * self.y + columns[2] * self.z
    }

    /// The part along `axis` and the part along `normal x axis`, each brought within the limit.
    #[inline(always)]
    pub(super) fn within_box(self, axis: Self, normal: Self, limit: Register<T, S>) -> Self {
        let across = normal.cross(axis);
        let (along, sideways) = (self.dot(axis), self.dot(across));
        axis * along.max(-limit).min(limit) + across * sideways.max(-limit).min(limit)
    }

    #[inline(always)]
    pub(super) fn length_squared(self) -> Register<T, S> {
        self.dot(self)
    }
}

impl<T: Real, S: Simd> Add for Register3<T, S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Register3 { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<T: Real, S: Simd> Sub for Register3<T, S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Register3 { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<T: Real, S: Simd> Neg for Register3<T, S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Register3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<T: Real, S: Simd> Mul<Register<T, S>> for Register3<T, S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: Register<T, S>) -> Self {
        Register3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}
