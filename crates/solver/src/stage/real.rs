//! The two precisions in which sweeps compute.
//!
//! No fused multiply-add, and no minimum or maximum of signed zeros: the bits are the same on every machine, in either
//! precision.

use std::ops::{Add, Mul, Sub};

use pulp::bytemuck::Pod;
use pulp::{Simd, bytemuck};

/// A number of the sweeps: `f64`, or `f32` at half the size and twice as many to a vector of the machine.
pub(super) trait Real:
    Pod
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Send
    + Sync
    + std::fmt::Debug
{
    /// As many numbers as a vector of the machine holds.
    type Vector<S: Simd>: Pod;
    /// Makes a body stand within one line of the cache: its size.
    type Line: Copy + Send + Sync + std::fmt::Debug;

    /// The nearest of these numbers.
    fn nearest(x: f64) -> Self;
    /// The same number in double precision.
    fn double(self) -> f64;
    /// Numbers of a [`Real::Vector`].
    fn width<S: Simd>() -> usize;
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Vector<S>;
    fn add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn sub<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn mul<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn neg<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// `a / sqrt(b)`.
    fn over_root<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `yes` where the first of `two` is greater than the second, else `no`.
    fn where_greater<S: Simd>(
        simd: S,
        two: [Self::Vector<S>; 2],
        yes: Self::Vector<S>,
        no: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// Whether all are zero.
    fn is_zero<S: Simd>(simd: S, a: Self::Vector<S>) -> bool;
    /// Turns four numbers each of several contacts, side by side, into one vector for each of the four. Which contact
    /// comes where in it is said by [`Real::place`].
    fn transpose<S: Simd>(simd: S, four: [Self::Vector<S>; 4]) -> [Self::Vector<S>; 4];
    /// Turns them back.
    fn transpose_back<S: Simd>(simd: S, four: [Self::Vector<S>; 4]) -> [Self::Vector<S>; 4];

    /// Where the four numbers of lane `i` stand among those handed to [`Real::transpose`], for lanes to come out in
    /// order. Vectors that hold two fours are turned half by half: the first half holds lanes 0 to 3.
    #[inline(always)]
    fn place<S: Simd>(i: usize) -> usize {
        if Self::width::<S>() == 8 { i / 8 * 8 + i % 4 * 2 + i / 4 % 2 } else { i }
    }

    /// Some vectors' worth of numbers.
    #[inline(always)]
    fn vectors<S: Simd>(numbers: &[Self]) -> &[Self::Vector<S>] {
        bytemuck::cast_slice(numbers)
    }

    /// The same, to write.
    #[inline(always)]
    fn vectors_mut<S: Simd>(numbers: &mut [Self]) -> &mut [Self::Vector<S>] {
        bytemuck::cast_slice_mut(numbers)
    }
}

/// Alignment of a body in double precision.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Whole;

/// Alignment of a body in single precision: two to a line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Half;

/// The trait for a type, with the names that its operations have in [`Simd`].
macro_rules! real {
    ($real:ty, $line:ty, $vector:ident, $width:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $neg:ident, $div:ident,
     $sqrt:ident, $greater:ident, $select:ident, $abs:ident, $largest:ident, $transpose:ident, $back:ident) => {
        impl Real for $real {
            type Vector<S: Simd> = S::$vector;
            type Line = $line;

            #[inline(always)]
            fn nearest(x: f64) -> Self {
                x as $real
            }

            #[inline(always)]
            fn double(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn width<S: Simd>() -> usize {
                S::$width
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: Self) -> S::$vector {
                simd.$splat(x)
            }

            #[inline(always)]
            fn add<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }

            #[inline(always)]
            fn sub<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }

            #[inline(always)]
            fn mul<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }

            #[inline(always)]
            fn neg<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                simd.$neg(a)
            }

            #[inline(always)]
            fn over_root<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$div(a, simd.$sqrt(b))
            }

            #[inline(always)]
            fn where_greater<S: Simd>(simd: S, [a, b]: [S::$vector; 2], yes: S::$vector, no: S::$vector) -> S::$vector {
                simd.$select(simd.$greater(a, b), yes, no)
            }

            #[inline(always)]
            fn is_zero<S: Simd>(simd: S, a: S::$vector) -> bool {
                simd.$largest(simd.$abs(a)) == 0.0
            }

            #[inline(always)]
            fn transpose<S: Simd>(simd: S, four: [S::$vector; 4]) -> [S::$vector; 4] {
                simd.$transpose(four)
            }

            #[inline(always)]
            fn transpose_back<S: Simd>(simd: S, four: [S::$vector; 4]) -> [S::$vector; 4] {
                simd.$back(four)
            }
        }
    };
}

real!(
    f64,
    Whole,
    f64s,
    F64_LANES,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    neg_f64s,
    div_f64s,
    sqrt_f64s,
    greater_than_f64s,
    select_f64s,
    abs_f64s,
    reduce_max_f64s,
    deinterleave_shfl_f64s,
    interleave_shfl_f64s
);
real!(
    f32,
    Half,
    f32s,
    F32_LANES,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    neg_f32s,
    div_f32s,
    sqrt_f32s,
    greater_than_f32s,
    select_f32s,
    abs_f32s,
    reduce_max_f32s,
    deinterleave_shfl_f32s,
    interleave_shfl_f32s
);
